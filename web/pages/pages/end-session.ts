import { html, useSignal } from '../../lib/html.ts'
import { token } from '../fragment.ts'
import { Done, Step } from '../parts.ts'
import { kith } from '../session.ts'
import { texts } from '../texts.ts'

/** Ends the login that a mail reported. */
export function EndSession() {
  const t = texts.value.endSession
  const isDone = useSignal(false)
  const next = html`<p><a href="/forgot-password">${t.password}</a></p>`
  if (!token) return html`<p>${texts.value.frame.incomplete}</p>${next}`
  if (isDone.value) return html`<${Done}><p>${t.done}</p><//>${next}`
  const run = async () => {
    await kith.post('/auth/end-session', { body: { token } })
    isDone.value = true
  }
  return html`<p>${t.text}</p>
    <${Step} action=${t.action} words=${{ ...texts.value.errors, session_over: t.over }} run=${run} />
    ${next}`
}
