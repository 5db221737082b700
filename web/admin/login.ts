import { html } from '../lib/html.ts'
import { LanguageChoice } from '../lib/language.ts'
import { LoginForm } from '../lib/login.ts'
import { enter, kith } from './session.ts'
import { texts } from './texts.ts'

export function Login() {
  const t = texts.value.login
  document.title = t.title
  return html`<main class="alone">
    <h1>${t.title}</h1>
    <${LoginForm} kith=${kith} enter=${enter} returnTo="/admin" />
    <${LanguageChoice} />
  </main>`
}
