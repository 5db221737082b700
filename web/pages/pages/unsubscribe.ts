import { html, useSignal } from '../../lib/html.ts'
import { token } from '../fragment.ts'
import { Done, Step } from '../parts.ts'
import { kith } from '../session.ts'
import { texts } from '../texts.ts'

export function Unsubscribe() {
  const t = texts.value.unsubscribe
  const isDone = useSignal(false)
  if (!token)
    return html`<p>${texts.value.frame.incomplete}</p><p>${t.otherwise} <a href="/account">${texts.value.account.title}</a></p>`
  if (isDone.value)
    return html`<${Done}><p>${t.done}</p><//><p>${t.otherwise} <a href="/account">${texts.value.account.title}</a></p>`
  const run = async () => {
    await kith.post('/notifications/unsubscribe', { body: { token } })
    isDone.value = true
  }
  return html`<p>${t.text}</p><${Step} action=${t.action} words=${texts.value.errors} run=${run} />`
}
