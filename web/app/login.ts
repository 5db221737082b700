import { Elsewhere } from '../lib/elsewhere.ts'
import { isCodeAsked } from '../lib/errors.ts'
import { Form } from '../lib/form.ts'
import { html, useEffect, useSignal } from '../lib/html.ts'
import { LanguageChoice } from '../lib/language.ts'
import { kith, logIn, logInWithOidc } from './session.ts'
import { texts } from './texts.ts'

export function Login() {
  const t = texts.value.login
  useEffect(() => {
    document.title = t.title
  }, [t])
  const asksCode = useSignal(false)
  const submit = ({ email = '', password = '', code, stay }: Record<string, string>) =>
    logIn({ email, password, ...(code && { code }) }, stay === 'true').catch((failure: unknown) => {
      asksCode.value ||= isCodeAsked(failure)
      throw failure
    })
  return html`<main class="alone">
    <h1>${t.title}</h1>
    <${Form}
      fields=${[
        { name: 'email', label: t.email, kind: 'email', fill: 'username' },
        { name: 'password', label: t.password, kind: 'password', fill: 'current-password' },
        ...(asksCode.value ? [{ name: 'code', label: t.code, fill: 'one-time-code' }] : []),
        { name: 'stay', label: t.stay, kind: 'check', optional: true, hint: t.stayHint },
      ]}
      action=${t.action}
      words=${{ factor_required: t.codeNeeded }}
      submit=${submit}
    />
    <${Elsewhere} kith=${kith} returnTo="/app" enter=${logInWithOidc} />
    <p><a href="/forgot-password">${t.forgot}</a></p>
    <p>${t.newHere} <a href="/join">${t.join}</a></p>
    <${LanguageChoice} />
  </main>`
}
