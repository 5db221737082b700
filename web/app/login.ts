import { Form } from '../lib/form.ts'
import { html, useEffect } from '../lib/html.ts'
import { LanguageChoice } from '../lib/language.ts'
import { logIn } from './session.ts'
import { texts } from './texts.ts'

export function Login() {
  const t = texts.value.login
  useEffect(() => {
    document.title = t.title
  }, [t])
  return html`<main class="alone">
    <h1>${t.title}</h1>
    <${Form}
      fields=${[
        { name: 'email', label: t.email, kind: 'email', fill: 'username' },
        { name: 'password', label: t.password, kind: 'password', fill: 'current-password' },
        { name: 'stay', label: t.stay, kind: 'check', optional: true, hint: t.stayHint },
      ]}
      action=${t.action}
      submit=${({ email = '', password = '', stay }: Record<string, string>) => logIn(email, password, stay === 'true')}
    />
    <p><a href="/forgot-password">${t.forgot}</a></p>
    <p>${t.newHere} <a href="/join">${t.join}</a></p>
    <${LanguageChoice} />
  </main>`
}
