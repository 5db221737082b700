// A new password: the form to which the mail leads, and the form that requests the mail.

import { Form } from '../../lib/form.ts'
import { html, useSignal } from '../../lib/html.ts'
import { loginTexts } from '../../lib/login-texts.ts'
import { token } from '../fragment.ts'
import { Apps, Done } from '../parts.ts'
import { kith } from '../session.ts'
import { texts } from '../texts.ts'

export function Reset() {
  const t = texts.value.reset
  const isDone = useSignal(false)
  const again = html`<p class="quiet"><a href="/forgot-password">${t.again}</a></p>`
  if (!token) return html`<p>${texts.value.frame.incomplete}</p>${again}`
  if (isDone.value) return html`<${Done}><p>${t.done}</p><//><${Apps} />`
  const submit = async ({ password: newPassword = '' }) => {
    await kith.post('/auth/reset-password', { body: { token, newPassword } })
    isDone.value = true
  }
  return html`<p>${t.text}</p>
    <${Form}
      fields=${[
        {
          name: 'password',
          label: t.password,
          kind: 'password',
          min: 8,
          max: 1024,
          hint: t.hint,
          fill: 'new-password',
        },
      ]}
      action=${t.action}
      words=${texts.value.errors}
      places=${{ password_guessable: 'password' }}
      submit=${submit}
    />
    ${again}`
}

export function Forgot() {
  const t = texts.value.forgot
  const isDone = useSignal(false)
  if (isDone.value) return html`<${Done}><p>${t.done}</p><//>`
  const submit = async ({ email = '' }) => {
    await kith.post('/auth/forgot-password', { body: { email } })
    isDone.value = true
  }
  return html`<p>${t.text}</p>
    <${Form}
      fields=${[{ name: 'email', label: loginTexts.value.email, kind: 'email', max: 254, fill: 'username' }]}
      action=${t.action}
      words=${texts.value.errors}
      submit=${submit}
    />`
}
