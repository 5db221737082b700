// The errors in the values of a form, in the language of the page. The browser's messages would be in its own language.
import type { Field } from './dialog.ts'
import { sharedTexts } from './shared-texts.ts'

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/** The error that the browser finds in the value of an input; undefined if there is none. */
function faultOf(input: Input): string | undefined {
  const { validity } = input
  const { faults } = sharedTexts.value
  if (validity.valid) return undefined
  // the value of an input that is only half filled is empty, too
  if (validity.badInput) return faults.format
  if (validity.valueMissing || input.value.trim() === '') return faults.required
  if (validity.typeMismatch || validity.patternMismatch) return faults.format
  if (validity.rangeUnderflow) return faults.least(Number((input as HTMLInputElement).min))
  if (validity.rangeOverflow) return faults.most(Number((input as HTMLInputElement).max))
  if (validity.tooShort) return faults.short((input as HTMLInputElement).minLength)
  return faults.value
}

/** The inputs of a field: more than one if several values can be chosen. */
const inputsOf = (form: HTMLFormElement, name: string): Input[] =>
  [...form.elements].filter((one) => (one as Input).name === name) as Input[]

/** The error in the value of a field; undefined if there is none. */
function faultOfField(form: HTMLFormElement, { name, kind, optional }: Field): string | undefined {
  const inputs = inputsOf(form, name)
  if (kind !== 'choices') return inputs.map(faultOf).find(Boolean)
  const isChosen = inputs.some((one) => (one as HTMLInputElement).checked)
  return isChosen || optional ? undefined : sharedTexts.value.faults.choice
}

/** The errors in a form, by the names of the fields. */
export const faultsIn = (form: HTMLFormElement, fields: Field[]): Record<string, string> =>
  Object.fromEntries(
    fields.flatMap((field) => {
      const fault = faultOfField(form, field)
      return fault ? [[field.name, fault] as const] : []
    }),
  )

/** Moves the focus to the first field that has a fault. */
export function focusFault(form: HTMLFormElement, fields: Field[], faults: Record<string, string>): void {
  const first = fields.find(({ name }) => faults[name])
  if (first) inputsOf(form, first.name)[0]?.focus()
}
