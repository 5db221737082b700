// Identifies banned people, who cannot log in. They prove who they are as at a login, but get no session. The rules are
// in sql/identity/68_identifying.sql.
import type { z } from 'zod'
import { callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { attemptFactor, deviceOf } from './devices.ts'
import { authenticate } from './handlers.ts'
import type { Who } from './identifying-schemas.ts'
import { oneTime } from './oidc.ts'
import { FoundIdentity } from './oidc-schemas.ts'
import { verify } from './passkeys.ts'

type Given = z.output<typeof Who>
type Identified = {
  p_user_id: string
  p_password_hash: string | null
  p_code?: string | undefined
  p_passkey?: string
  p_counter?: number
  p_oidc_login?: string
}

/**
 * Checks who the person is, with the limits of a login. Then calls an operation for them, which checks the code of a
 * second factor.
 * @throws ApiError credentials_wrong, passkey_wrong, oidc_over, rate_limited
 */
export async function identified<T>(c: Context, given: Given, use: (who: Identified) => Promise<T>): Promise<T> {
  if (given.passkey) {
    const { passkey, counter } = await verify(c, 'login', given.passkey)
    return use({ p_user_id: passkey.userId, p_password_hash: null, p_passkey: passkey.id, p_counter: counter })
  }
  const { who, holder, address, device } = await firstFactor(c, given)
  const takeBack = given.code === undefined ? undefined : await attemptFactor(c, address, holder, device)
  const answer = await use({ ...who, p_code: given.code })
  await takeBack?.()
  return answer
}

async function firstFactor(c: Context, { email = '', password = '', oidcCode, verifier, deviceToken }: Given) {
  if (oidcCode !== undefined && verifier !== undefined) {
    const login = oneTime(c, { oidcCode, verifier })
    const { email: address, ...found } = await callFor(c, 'find_identity', login, FoundIdentity)
    const holder = { ...found, passwordHash: null }
    const who = { p_user_id: found.userId, p_password_hash: null, p_oidc_login: login.p_id }
    return { who, holder, address: address.toLowerCase(), device: deviceOf(c, deviceToken, holder) }
  }
  const { found, device } = await authenticate(c, { email, password, deviceToken })
  const who = { p_user_id: found.userId, p_password_hash: found.passwordHash }
  return { who, holder: found, address: email, device }
}
