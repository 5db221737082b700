import { html, useSignal } from '../../lib/html.ts'
import { token } from '../fragment.ts'
import { Apps, Done, Step } from '../parts.ts'
import { kith } from '../session.ts'
import { texts } from '../texts.ts'

export function Verify() {
  const t = texts.value.verify
  const isDone = useSignal(false)
  if (!token)
    return html`<p>${texts.value.frame.incomplete}</p><p>${t.again} <a href="/account">${texts.value.account.title}</a></p>`
  if (isDone.value) return html`<${Done}><p>${t.done}</p><//><${Apps} />`
  const run = async () => {
    await kith.post('/auth/verify-email', { body: { token } })
    isDone.value = true
  }
  return html`<p>${t.text}</p>
    <${Step} action=${t.action} words=${{ ...texts.value.errors, email_taken: t.taken }} run=${run} />
    <p class="quiet">${t.again} <a href="/account">${texts.value.account.title}</a></p>`
}
