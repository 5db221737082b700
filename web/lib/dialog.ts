// Modal dialogs: each asks before an important step, with fields if the step needs input.
import { ErrorNote } from './errors.ts'
import { faultsIn, focusFault } from './faults.ts'
import { html, render, useEffect, useMemo, useRef, useSignal, type VNode } from './html.ts'
import { sharedTexts } from './shared-texts.ts'

type Value = string
export type Field = {
  name: string
  label: string
  /**
   * Default: `text`. `choice` and `choices` (several of them) need `options`; `long` has several lines; `time` is a local
   * date and time; the value of `check` is `true`, and absent if it is not checked.
   */
  kind?: 'text' | 'long' | 'choice' | 'choices' | 'check' | 'number' | 'date' | 'time' | 'email' | 'password'
  /** Options with the same `group`, one after the other, are listed below its name. */
  options?: { value: string; label: string; group?: string }[]
  value?: string
  /** The label says that the field is optional. With `told`, another text of the form says it. */
  optional?: boolean | 'told'
  /** The maximum number of characters, or the maximum value. */
  max?: number
  /** The minimum number of characters, or the minimum value. */
  min?: number
  /** A number must be a multiple of this. Default: 1. */
  step?: number
  hint?: string
  /** What the browser may fill in: the value of the attribute `autocomplete`. */
  fill?: string
}

type Question = {
  title: string
  /** What the step will do, in a sentence or two. */
  text?: string
  fields?: Field[]
  /** The label of the button. */
  action: string
  isDangerous?: boolean
  /** The step goes on in another window, so it can be begun again before it is done. */
  waits?: boolean
  /** Another way to do the step, without the fields. */
  instead?: { action: string; run: () => Promise<unknown>; waits?: boolean } | undefined
  /** The page's own texts for error codes. */
  words?: Record<string, string>
}

/** An input with its label, and the error in its value if there is one. The form's data has the value under `name`. */
export function FormField({ field, fault }: { field: Field; fault?: string | undefined }): VNode {
  const { name, label, kind = 'text', options = [], value = '', optional = false, max, min, step, hint, fill } = field
  const notes = [hint && `hint-${name}`, fault && `fault-${name}`].filter(Boolean).join(' ')
  const shared = {
    name,
    required: !optional,
    autocomplete: fill,
    'aria-describedby': notes || undefined,
    'aria-invalid': fault ? 'true' : undefined,
  }
  const note = html`${hint && html`<small id=${`hint-${name}`}>${hint}</small>`}
    ${fault && html`<small id=${`fault-${name}`} class="fault">${fault}</small>`}`
  if (kind === 'choices') {
    const chosen = new Set(value.split(','))
    return html`<fieldset class="choices"><legend>${label}</legend>${note}
      ${options.map(
        (one, at) => html`${one.group !== options[at - 1]?.group && html`<p>${one.group}</p>`}<label>
          <input type="checkbox" name=${name} value=${one.value} defaultChecked=${chosen.has(one.value)} /> ${one.label}
        </label>`,
      )}
    </fieldset>` as VNode
  }
  if (kind === 'check') {
    return html`<label>
      <input type="checkbox" ...${shared} required=${false} value="true" defaultChecked=${value === 'true'} /> ${label}${note}
    </label>` as VNode
  }
  const limits = kind === 'number' ? { max, min, step } : { minlength: min, maxlength: max }
  const input =
    kind === 'choice'
      ? html`<select ...${shared} defaultValue=${value}>
          ${options.map((one) => html`<option value=${one.value} selected=${one.value === value}>${one.label}</option>`)}
        </select>`
      : kind === 'long'
        ? html`<textarea ...${shared} rows="4" ...${limits} defaultValue=${value}></textarea>`
        : html`<input ...${shared} type=${kind === 'time' ? 'datetime-local' : kind} ...${limits} defaultValue=${value} />`
  const mark = optional === true && kind !== 'choice' && html`<span class="quiet">${sharedTexts.value.optional}</span> `
  return html`<label>${label} ${mark}${input}${note}</label>` as VNode
}

/** The values of a form by name. Several values of one name are joined with commas. */
export function valuesOf(form: HTMLFormElement): Record<string, Value> {
  const data = new FormData(form)
  const joined = (name: string) => data.getAll(name).map((value) => String(value).trim())
  return Object.fromEntries([...new Set(data.keys())].map((name) => [name, joined(name).join(',')]))
}

/** How many dialogs have been opened: one can be above another, and each names its title. */
let opened = 0

function Dialog({ question, run, done }: { question: Question; run: Run; done: (isDone: boolean) => void }) {
  const { fields = [], instead } = question
  const element = useRef<HTMLDialogElement>(null)
  const error = useSignal<unknown>(undefined)
  const isBusy = useSignal(false)
  const faults = useSignal<Record<string, string>>({})
  const titleId = useMemo(() => `dialog-${++opened}`, [])
  useEffect(() => element.current?.showModal(), [])
  const attempt = async (step: () => Promise<unknown>, waits = false) => {
    if (isBusy.value) return
    isBusy.value = !waits
    try {
      await step()
      done(true)
    } catch (failure) {
      error.value = failure
      isBusy.value = false
    }
  }
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.target as HTMLFormElement
    faults.value = faultsIn(form, fields)
    if (Object.keys(faults.value).length > 0) return focusFault(form, fields, faults.value)
    const values = valuesOf(form)
    return attempt(() => run(values), question.waits)
  }
  return html`<dialog ref=${element} aria-labelledby=${titleId} onCancel=${() => done(false)}>
    <article>
      <form onSubmit=${submit} novalidate>
        <h2 id=${titleId}>${question.title}</h2>
        ${question.text && html`<p>${question.text}</p>`}
        ${fields.map((field) => html`<${FormField} key=${field.name} field=${field} fault=${faults.value[field.name]} />`)}
        <${ErrorNote} error=${error.value} words=${question.words} />
        <footer class="buttons">
          <button type="button" class="secondary" onClick=${() => done(false)}>${sharedTexts.value.cancel}</button>
          ${instead && html`<button type="button" class="secondary" onClick=${() => attempt(instead.run, instead.waits)}>${instead.action}</button>`}
          <button class=${question.isDangerous ? 'danger' : ''} aria-disabled=${isBusy.value} aria-busy=${isBusy.value}>
            ${question.action}
          </button>
        </footer>
      </form>
    </article>
  </dialog>`
}

type Run = (values: Record<string, Value>) => Promise<unknown>

/**
 * Shows the dialog, and runs the step when the person agrees. If the step fails, the dialog says why and stays open, so
 * that nothing typed is lost.
 * @returns whether the step was done
 */
export function ask(question: Question, run: Run): Promise<boolean> {
  const before = document.activeElement
  const host = document.body.appendChild(document.createElement('div'))
  return new Promise((resolve) => {
    const done = (isDone: boolean) => {
      render(null, host)
      host.remove()
      if (before instanceof HTMLElement) before.focus()
      resolve(isDone)
    }
    render(html`<${Dialog} question=${question} run=${run} done=${done} />`, host)
  })
}
