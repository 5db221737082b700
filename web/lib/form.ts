// A form in a page. An error in a field is shown beside the field, in the language of the page.
import { KithError } from 'kith/client'
import { type Field, FormField, valuesOf } from './dialog.ts'
import { ErrorNote } from './errors.ts'
import { faultsIn, focusFault } from './faults.ts'
import { type ComponentChildren, html, useSignal, type VNode } from './html.ts'
import { sharedTexts } from './shared-texts.ts'

type Options = {
  fields: Field[]
  /** The label of the button. */
  action: string
  isDangerous?: boolean
  submit: (values: Record<string, string>) => Promise<unknown>
  /** The page's own texts for error codes. */
  words?: Record<string, string>
  /** The fields beside which the texts for certain codes are shown. */
  places?: Record<string, string>
  children?: ComponentChildren
  /** More buttons. */
  beside?: ComponentChildren
}
/** The fields that the instance refused, each with a sentence. */
function faultsOf(error: unknown, { words = {}, places = {} }: Options): Record<string, string> {
  if (!(error instanceof KithError)) return {}
  const place = places[error.code]
  if (place) return { [place]: words[error.code] ?? error.message }
  const { faults } = sharedTexts.value
  return Object.fromEntries(
    error.fields.map(({ path, code }) => [
      path,
      code === 'required' ? faults.required : code === 'format' ? faults.format : faults.value,
    ]),
  )
}

export function Form(options: Options): VNode {
  const { fields, action, isDangerous, submit, words, children, beside } = options
  const error = useSignal<unknown>(undefined)
  const faults = useSignal<Record<string, string>>({})
  const isBusy = useSignal(false)
  const refuse = (form: HTMLFormElement, found: Record<string, string>) => {
    faults.value = found
    focusFault(form, fields, found)
  }
  const run = async (event: SubmitEvent) => {
    event.preventDefault()
    if (isBusy.value) return
    const form = event.target as HTMLFormElement
    error.value = undefined
    const found = faultsIn(form, fields)
    if (Object.keys(found).length > 0) return refuse(form, found)
    faults.value = {}
    isBusy.value = true
    try {
      await submit(valuesOf(form))
    } catch (failure) {
      const refused = faultsOf(failure, options)
      refuse(form, refused)
      if (!fields.some(({ name }) => refused[name])) error.value = failure
    }
    isBusy.value = false
  }
  return html`<form onSubmit=${run} novalidate>
    ${fields.map((field) => html`<${FormField} key=${field.name} field=${field} fault=${faults.value[field.name]} />`)}
    ${children}
    <${ErrorNote} error=${error.value} words=${words} />
    <div class="buttons">
      <button class=${isDangerous ? 'danger' : ''} aria-busy=${isBusy.value} aria-disabled=${isBusy.value}>${action}</button>
      ${beside}
    </div>
  </form>` as VNode
}
