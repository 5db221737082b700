import { FormField, valuesOf } from '../lib/dialog.ts'
import { Elsewhere } from '../lib/elsewhere.ts'
import { ErrorNote, isCodeAsked } from '../lib/errors.ts'
import { html, useSignal } from '../lib/html.ts'
import { kith, logIn, logInWithOidc } from './session.ts'
import { texts } from './texts.ts'

export function Login() {
  const t = texts.value.login
  const error = useSignal<unknown>(undefined)
  const isRefused = useSignal(false)
  const isBusy = useSignal(false)
  const asksCode = useSignal(false)
  document.title = t.title
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const { email = '', password = '', code } = valuesOf(event.target as HTMLFormElement)
    isBusy.value = true
    error.value = undefined
    isRefused.value = false
    try {
      isRefused.value = !(await logIn(email, password, code))
    } catch (failure) {
      error.value = failure
      asksCode.value ||= isCodeAsked(failure)
    }
    isBusy.value = false
  }
  const enter = async (login: Parameters<typeof logInWithOidc>[0]) => {
    isRefused.value = !(await logInWithOidc(login))
  }
  return html`<main class="alone">
    <h1>${t.title}</h1>
    <form onSubmit=${submit}>
      <${FormField} field=${{ name: 'email', label: t.email, kind: 'email' }} />
      <${FormField} field=${{ name: 'password', label: t.password, kind: 'password' }} />
      ${asksCode.value && html`<${FormField} field=${{ name: 'code', label: t.code, fill: 'one-time-code' }} />`}
      <${ErrorNote} error=${error.value} words=${{ factor_required: t.codeNeeded }} />
      ${isRefused.value && html`<p role="alert" class="error">${t.notStaff}</p>`}
      <button disabled=${isBusy.value} aria-busy=${isBusy.value}>${t.action}</button>
    </form>
    <${Elsewhere} kith=${kith} returnTo="/admin" enter=${enter} />
  </main>`
}
