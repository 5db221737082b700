// The login that all parts have: password, the code of a second factor if the account has one, a passkey, and the OpenID
// provider of the instance.
import type { Kith, Schema } from 'kith/client'
import { type Field, valuesOf } from './dialog.ts'
import { ErrorNote, hasCode } from './errors.ts'
import { Form } from './form.ts'
import { html, useSignal, type VNode } from './html.ts'
import { loginTexts } from './login-texts.ts'
import { OidcLogin } from './oidc.ts'
import { canUsePasskeys, signWithPasskey } from './passkeys.ts'

/** Logs in. */
type Open = () => Promise<Schema<'Session'>>
/** What a part does when somebody logs in; `values` are those of its own fields. */
export type Enter = (open: Open, values: Record<string, string>) => Promise<void>

type Options = {
  kith: Kith
  enter: Enter
  /** The path to which the OpenID provider returns. Without it, the page does not offer the provider. */
  returnTo?: string
  /** Further fields of the part. */
  fields?: Field[]
  /** The page's own texts for error codes. */
  words?: Record<string, string>
}

export function LoginForm({ kith, enter, returnTo, fields = [], words = {} }: Options): VNode {
  const t = loginTexts.value
  const asksCode = useSignal(false)
  const error = useSignal<unknown>(undefined)
  const submit = ({ email = '', password = '', code, ...values }: Record<string, string>) => {
    error.value = undefined
    return enter(() => kith.logIn({ email, password, ...(code && { code }) }), values).catch((failure: unknown) => {
      asksCode.value ||= hasCode(failure, 'factor_required')
      throw failure
    })
  }
  const usePasskey = async (event: Event) => {
    const { form } = event.currentTarget as HTMLButtonElement
    error.value = undefined
    try {
      const passkey = await signWithPasskey(await kith.post('/auth/passkey/options'))
      await enter(() => kith.logInWithPasskey({ passkey }), form ? valuesOf(form) : {})
    } catch (failure) {
      error.value = failure
    }
  }
  return html`<${Form}
      fields=${[
        { name: 'email', label: t.email, kind: 'email', fill: 'username' },
        { name: 'password', label: t.password, kind: 'password', fill: 'current-password' },
        ...(asksCode.value ? [{ name: 'code', label: t.code, fill: 'one-time-code' }] : []),
        ...fields,
      ]}
      action=${t.action}
      words=${{ ...words, factor_required: t.codeNeeded, code_wrong: t.codeWrong }}
      submit=${submit}
      beside=${canUsePasskeys && html`<button type="button" class="secondary" onClick=${usePasskey}>${t.passkey}</button>`}
    >
      <${ErrorNote} error=${error.value} words=${{ ...words, passkey_wrong: t.passkeyWrong }} />
    <//>
    ${
      returnTo &&
      html`<${OidcLogin}
        kith=${kith}
        returnTo=${returnTo}
        enter=${(login: Parameters<Kith['logInWithOidc']>[0]) => enter(() => kith.logInWithOidc(login), {})}
      />`
    }` as VNode
}
