// Shows an error in a page: the sentence of the answer, and the id of the request, which the logs contain.
import { KithError } from 'kith/client'
import { html, signal, type VNode } from './html.ts'
import { sharedTexts } from './shared-texts.ts'

/** An error of the page itself, with a text for the person. */
export class PageError extends Error {}

export const messageOf = (error: unknown): string =>
  error instanceof KithError || error instanceof PageError ? error.message : sharedTexts.value.unreachable

export const hasCode = (error: unknown, code: string): boolean => error instanceof KithError && error.code === code

type Noted = {
  error: unknown
  /** The page's own texts for error codes. */
  words?: Record<string, string> | undefined
}

/** Shows an error where it happened. */
export function ErrorNote({ error, words = {} }: Noted): VNode | null {
  if (!error) return null
  const text = (error instanceof KithError && { ...sharedTexts.value.errors, ...words }[error.code]) || messageOf(error)
  const id = error instanceof KithError ? error.requestId : undefined
  const isFactorMissing = error instanceof KithError && error.code === 'factor_missing'
  return html`<div role="alert" class="error">
    <p>${text} ${isFactorMissing && html`<a href="/account">${sharedTexts.value.addFactor}</a>`}</p>
    ${id && html`<small>${sharedTexts.value.request} <code>${id}</code></small>`}
  </div>` as VNode
}

type Notice = { id: number; text: string; error?: unknown }
const notices = signal<Notice[]>([])
let last = 0

function add(notice: Omit<Notice, 'id'>, seconds: number): void {
  const id = ++last
  const close = () => {
    notices.value = notices.value.filter((one) => one.id !== id)
  }
  notices.value = [...notices.value, { id, ...notice }]
  setTimeout(close, seconds * 1000)
}

/** Says for a few seconds that something was done. Screen readers read it out. */
export const notify = (text: string): void => add({ text }, 6)
/** Says that something failed, for longer than `notify`. This is for errors that are not shown within the page. */
export const notifyError = (error: unknown): void => add({ text: '', error }, 20)

/** Runs a step that needs no question, and says that it was done or why it failed. */
export async function attempt(step: () => Promise<unknown>, done?: string): Promise<void> {
  try {
    await step()
    if (done) notify(done)
  } catch (error) {
    notifyError(error)
  }
}

export const Notices = () =>
  html`<div class="notices" role="status" aria-live="polite">
    ${notices.value.map(({ id, text, error }) =>
      error ? html`<${ErrorNote} key=${id} error=${error} />` : html`<p key=${id}>${text}</p>`,
    )}
  </div>`
