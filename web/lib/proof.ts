// A fresh proof, which some requests need. If the instance refuses such a request, a dialog asks for the proof, and the
// request is sent again.
import type { Kith } from 'kith/client'
import { ask, type Field } from './dialog.ts'
import { hasCode, PageError } from './errors.ts'
import { instance } from './instance.ts'
import { loginTexts } from './login-texts.ts'
import { proveElsewhere } from './oidc.ts'
import { canUsePasskeys, signWithPasskey } from './passkeys.ts'
import { proofTexts } from './proof-texts.ts'

/**
 * Asks for a code or a passkey if the person has a second factor, otherwise for the password or a login at the OpenID
 * provider.
 */
async function prove(kith: Kith): Promise<boolean> {
  const t = proofTexts.value
  const { totp, passkeys } = await kith.get('/me/factors')
  const question = { title: t.title, text: t.text, action: t.action, words: t.errors }
  if (totp === null && passkeys.length === 0) return proveWithout(kith)
  const field: Field = { name: 'code', label: totp ? loginTexts.value.code : t.recoveryCode, fill: 'one-time-code' }
  const withPasskey = async () => {
    const passkey = await signWithPasskey(await kith.post('/auth/proof/options'))
    await kith.post('/auth/proof', { body: { passkey } })
  }
  const instead = passkeys.length > 0 && canUsePasskeys ? { action: t.passkey, run: withPasskey } : undefined
  return ask({ ...question, fields: [field], instead }, ({ code = '' }) => kith.post('/auth/proof', { body: { code } }))
}

/** Asks somebody without a second factor. */
async function proveWithout(kith: Kith): Promise<boolean> {
  const t = proofTexts.value
  const question = { title: t.title, text: t.text, action: t.action, words: t.errors }
  const name = instance.value?.oidc?.name
  const { items, hasPassword } = name ? await kith.get('/me/identities') : { items: [], hasPassword: true }
  const elsewhere = name && items.length > 0 ? { action: t.elsewhere(name), waits: true } : undefined
  const run = () => proveElsewhere(kith)
  if (!hasPassword) {
    if (!name || !elsewhere) throw new PageError(t.noWay)
    return ask({ ...question, ...elsewhere, text: t.elsewhereText(name) }, run)
  }
  const field: Field = {
    name: 'password',
    label: loginTexts.value.password,
    kind: 'password',
    fill: 'current-password',
  }
  const instead = elsewhere && { ...elsewhere, run }
  return ask({ ...question, fields: [field], instead }, ({ password = '' }) =>
    kith.post('/auth/proof', { body: { password } }),
  )
}

let asked: Promise<boolean> | undefined

/**
 * Sends a request, and once more after a proof if the instance asks for one. Requests at the same time share a proof.
 * @throws PageError if the person does not prove who they are
 */
export async function withProof<T>(kith: Kith, send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (failure) {
    if (!hasCode(failure, 'proof_required')) throw failure
    asked ??= prove(kith).finally(() => {
      asked = undefined
    })
    if (!(await asked)) throw new PageError(proofTexts.value.none)
    return send()
  }
}

/** A client that asks for a proof when a request needs one. */
export function proving(kith: Kith): Kith {
  const asking =
    <Args extends unknown[], T>(send: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      withProof(kith, () => send(...args))
  const { get, post, put, patch, delete: remove, changePassword, confirmTotp, addPasskey } = kith
  return {
    ...kith,
    get: asking(get) as Kith['get'],
    post: asking(post) as Kith['post'],
    put: asking(put) as Kith['put'],
    patch: asking(patch) as Kith['patch'],
    delete: asking(remove) as Kith['delete'],
    changePassword: asking(changePassword),
    confirmTotp: asking(confirmTotp),
    addPasskey: asking(addPasskey),
  }
}
