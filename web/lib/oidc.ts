// Logging in with the OpenID provider of the instance. The browser leaves the page and comes back with a one-time code,
// which only this tab can use: sessionStorage keeps the verifier meanwhile. A fresh proof is asked for in another window.
import { type Kith, KithError } from 'kith/client'
import { base64url } from './base64url.ts'
import { ErrorNote, PageError } from './errors.ts'
import { Form } from './form.ts'
import { html, signal, useEffect, useSignal, type VNode } from './html.ts'
import { instance } from './instance.ts'
import { loginTexts } from './login-texts.ts'
import { oidcTexts } from './oidc-texts.ts'

const KEY = 'kith.oidc'
/** The beginning of the note of a window that was opened only for a proof. */
const PROOF = 'proof '
type Kept = { verifier: string; note: string }
/** What a window for a proof sends to the window that opened it. */
type Told = { oidcCode: string | null; error: string | null }
/** A login at the provider: the fields that the API takes, and the note that the page stored before it left. */
export type Returned = { oidcCode: string; verifier: string; note: string }

function take(): { login?: Returned; error?: string; note?: string } {
  const given = new URLSearchParams(location.hash.slice(1))
  const [oidcCode, error] = [given.get('oidc'), given.get('error')]
  if (!oidcCode && !error) return {}
  history.replaceState(null, '', location.pathname + location.search)
  const kept = JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Kept | null
  sessionStorage.removeItem(KEY)
  if (kept?.note.startsWith(PROOF)) {
    new BroadcastChannel(kept.note).postMessage({ oidcCode, error } satisfies Told)
    close()
    return { note: kept.note }
  }
  // a tab that did not begin the login has no verifier, so the code would be refused
  if (oidcCode && kept) return { login: { oidcCode, ...kept }, note: kept.note }
  return { error: error ?? 'oidc_over', note: kept?.note ?? '' }
}
const taken = take()
/** The login from which the browser returned; undefined once it has been used. */
export const returned = signal<Returned | undefined>(taken.login)
const failed = taken.error
/** The note that the page stored before it left for the provider, even if the login failed. Empty if there is none. */
export const noted = taken.note ?? ''

/** Whether this window was opened for a proof, and was not closed. */
export const isForProof = noted.startsWith(PROOF)

/** Begins a login at the provider. @returns the address there, and the verifier, which this page must keep secret */
async function begin(kith: Kith, returnTo: string, fresh = false): Promise<{ url: string; verifier: string }> {
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const query = { challenge: base64url(new Uint8Array(hash)), returnTo, ...(fresh && { fresh: 'true' as const }) }
  const { url } = await kith.get('/auth/oidc/start', { params: { query } })
  return { url, verifier }
}

/** Goes to the provider. The login has `note` when the browser returns. */
export async function leave(kith: Kith, returnTo: string, note = ''): Promise<void> {
  const { url, verifier } = await begin(kith, returnTo)
  sessionStorage.setItem(KEY, JSON.stringify({ verifier, note } satisfies Kept))
  location.assign(url)
}

/**
 * Gives a fresh proof by a login at the provider, in another window, because this page would lose its state. It can be
 * called again if the person closed that window.
 */
export async function proveElsewhere(kith: Kith): Promise<void> {
  const t = oidcTexts.value
  const note = PROOF + crypto.randomUUID()
  const channel = new BroadcastChannel(note)
  const told = new Promise<Told>((settle) => {
    channel.onmessage = ({ data }: MessageEvent<Told>) => settle(data)
  })
  // when the other window opens, it gets a copy of this sessionStorage
  sessionStorage.setItem(KEY, JSON.stringify({ verifier: '', note } satisfies Kept))
  const other = open('', '_blank', 'popup,width=540,height=720')
  sessionStorage.removeItem(KEY)
  if (!other) throw new PageError(t.blocked)
  const { url, verifier } = await begin(kith, '/account', true).catch((failure: unknown) => {
    other.close()
    throw failure
  })
  other.location.href = url
  const { oidcCode, error } = await told
  channel.close()
  if (!oidcCode) throw new PageError(t.errors[error ?? ''] ?? t.errors.oidc_refused ?? '')
  await kith.post('/auth/proof', { body: { oidcCode, verifier } })
}

type Leaving = { kith: Kith; returnTo: string; note?: string; label: (name: string) => string }

/** The button that leads to the provider; nothing if the instance has none. */
export function Leave({ kith, returnTo, note, label }: Leaving): VNode | null {
  const error = useSignal<unknown>(undefined)
  const name = instance.value?.oidc?.name
  if (!name) return null
  const click = () => {
    leave(kith, returnTo, note).catch((failure: unknown) => {
      error.value = failure
    })
  }
  const t = oidcTexts.value
  return html`${failed && html`<p role="alert" class="error">${t.errors[failed] ?? t.errors.oidc_refused}</p>`}
    <${ErrorNote} error=${error.value} />
    <button type="button" class="secondary" onClick=${click}>${label(name)}</button>` as VNode
}

type Entering = {
  kith: Kith
  returnTo: string
  /** Logs in, and asks for a code of the second factor first if the account has one. */
  enter: (login: { oidcCode: string; verifier: string; code?: string }) => Promise<unknown>
}

/** The button that logs in with the provider, and the login after the browser has returned. */
export function OidcLogin({ kith, returnTo, enter }: Entering): VNode | null {
  const t = oidcTexts.value
  const error = useSignal<unknown>(undefined)
  const asksCode = useSignal(false)
  const login = returned.value?.note === '' ? returned.value : undefined
  const run = async (code?: string) => {
    if (!login) return
    const { oidcCode, verifier } = login
    await enter({ oidcCode, verifier, ...(code && { code }) })
    returned.value = undefined
  }
  useEffect(() => {
    run().catch((failure: unknown) => {
      const code = failure instanceof KithError ? failure.code : ''
      if (code === 'factor_required') asksCode.value = true
      else {
        error.value = failure
        returned.value = undefined
      }
    })
  }, [])
  if (!instance.value?.oidc) return null
  if (login && asksCode.value) {
    return html`<${Form}
      fields=${[{ name: 'code', label: loginTexts.value.code, fill: 'one-time-code' }]}
      action=${loginTexts.value.action}
      words=${t.errors}
      submit=${({ code = '' }) => run(code)}
    />` as VNode
  }
  const isUnlinked = error.value instanceof KithError && error.value.code === 'identity_unlinked'
  return html`<div class="oidc">
    <${ErrorNote} error=${error.value} words=${t.errors} />
    ${isUnlinked && html`<p><a href="/join">${t.join}</a></p>`}
    ${login ? html`<p class="quiet" role="status">${t.busy}</p>` : html`<${Leave} kith=${kith} returnTo=${returnTo} label=${t.logIn} />`}
  </div>` as VNode
}
