// Second factors: an authenticator app, recovery codes and fresh proofs. Rules are in sql/identity/55_factors.sql.
import type { z } from 'zod'
import { call } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { routesOfLogins } from '../../lib/routes.ts'
import { Confirmation, Confirmed, Factors, ProofBody, Proved, RecoveryCodes, Totp } from './factor-schemas.ts'
import { confirmPassword, countCode, open } from './handlers.ts'
import { oneTime } from './oidc.ts'
import { proveWithPasskey } from './passkeys.ts'

async function confirm(c: Context, { code, session }: z.output<typeof Confirmation>) {
  const { session: opened, recoveryCodes } = await countCode(c, () =>
    open(c, { session }, 'confirm_totp', { p_code: code }),
  )
  return { ...opened, recoveryCodes }
}

async function prove(c: Context, { password, code, passkey, oidcCode = '', verifier }: z.output<typeof ProofBody>) {
  if (passkey) return proveWithPasskey(c, passkey)
  if (verifier !== undefined) return call(c, 'prove_with_oidc', oneTime(c, { oidcCode, verifier }))
  if (code !== undefined) return countCode(c, () => call(c, 'prove', { p_code: code }))
  return call(c, 'prove', { p_password_hash: await confirmPassword(c, password ?? '') })
}

export default routesOfLogins('identity', {
  'GET /me/factors': {
    summary: 'Get your second factors',
    description:
      'Returns your authenticator app, your passkeys and the number of recovery codes that are left. Also says whether your role requires a second factor on this instance, and when the fresh proof of this session expires.',
    access: 'user',
    fresh: 'access',
    id: 'listFactors',
    operation: 'list_factors',
    answers: { 200: Factors },
    outcome: 'Your second factors, without secrets.',
  },
  'POST /auth/proof': {
    summary: 'Prove again that it is you',
    description:
      'Some requests ask people with a second factor for a fresh proof: 403 `proof_required`. These are a change of the password, the email address, factors or somebody’s role, the export, the erasure, and payments of the tiers that the instance chose. To add a factor, everybody needs a fresh proof. If you have a second factor, send a `code` or what a `passkey` signed. Otherwise send your `password`, or a login for which the OpenID provider asked for its password again. For such a login, call `GET /auth/oidc/start` with `fresh=true`, and lead the browser to its `url`. Within five minutes after the login there, send the one-time code that comes back as `oidcCode`, with your `verifier`. The proof is valid for 10 minutes, in this session alone. A login with a code is a fresh proof, too. Wrong passwords and codes are counted together, per person.',
    access: 'user',
    id: 'prove',
    pool: 'gate',
    body: ProofBody,
    handler: prove,
    limits: ['password'],
    calls: ['find_password', 'prove', 'prove_with_oidc', 'take_passkey_challenge', 'prove_with_passkey'],
    answers: { 200: Proved },
    outcome: 'The proof is recorded.',
    fails: ['password_wrong'],
  },
  'POST /me/factors/totp': {
    summary: 'Begin adding an authenticator app',
    description:
      'Everybody needs a fresh proof (`POST /auth/proof`). Show `url` as a QR code or as a link, or let the person type in `secret`. Both are shown only now. Nothing changes until a code is confirmed; repeating the request makes another secret. 409 `totp_already` if you have an app.',
    access: 'user',
    id: 'startTotp',
    operation: 'start_totp',
    answers: { 200: Totp },
    outcome: 'The secret for the app.',
  },
  'POST /me/factors/totp/confirm': {
    summary: 'Confirm the authenticator app with a code',
    description:
      'From now on each login needs a code. All your tokens and sessions end, because they have proved only the password, and the answer has new tokens, like the answer to a login. The ten recovery codes are shown only now. Each can be used once instead of a code of the app. If you have a passkey and unused recovery codes, you keep those, and the answer has none. You are told by mail. 404 `factor_unknown` if you have not begun to add an app.',
    access: 'user',
    id: 'confirmTotp',
    pool: 'gate',
    body: Confirmation,
    handler: confirm,
    limits: ['password'],
    calls: ['find_password', 'confirm_totp'],
    answers: { 200: Confirmed },
    outcome: 'New tokens and the recovery codes; the earlier tokens no longer work.',
  },
  'DELETE /me/factors/totp': {
    summary: 'Remove your authenticator app',
    description:
      'If you have no passkey, the recovery codes are deleted, too, and a login needs only the password. In that case the answer is 409 `factor_needed` if your role requires a second factor. Needs a fresh proof. You are told by mail.',
    access: 'user',
    id: 'removeTotp',
    operation: 'remove_totp',
    answers: { 204: null },
    outcome: 'The app is removed.',
  },
  'POST /me/factors/recovery-codes': {
    summary: 'Replace your recovery codes',
    description:
      'The ten new codes are shown only now, and the earlier ones no longer work. Needs a fresh proof. 404 `factor_unknown` if you have no second factor. You are told by mail.',
    access: 'user',
    id: 'renewRecoveryCodes',
    operation: 'renew_recovery_codes',
    answers: { 200: RecoveryCodes },
    outcome: 'The new recovery codes.',
  },
})
