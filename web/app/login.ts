import { html, useEffect } from '../lib/html.ts'
import { LanguageChoice } from '../lib/language.ts'
import { LoginForm } from '../lib/login.ts'
import { enter, kith } from './session.ts'
import { texts } from './texts.ts'

export function Login() {
  const t = texts.value.login
  useEffect(() => {
    document.title = t.title
  }, [t])
  return html`<main class="alone">
    <h1>${t.title}</h1>
    <${LoginForm}
      kith=${kith}
      enter=${enter}
      returnTo="/app"
      fields=${[{ name: 'stay', label: t.stay, kind: 'check', optional: true, hint: t.stayHint }]}
    />
    <p><a href="/forgot-password">${t.forgot}</a></p>
    <p>${t.newHere} <a href="/join">${t.join}</a></p>
    <${LanguageChoice} />
  </main>`
}
