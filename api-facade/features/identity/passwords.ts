// Changing a password, and setting a new one by mail. Rules are in sql/identity/60_passwords.sql.
import type { z } from 'zod'
import { call, callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { ApiError } from '../../lib/errors.ts'
import { refuseGuessable } from '../../lib/guessable.ts'
import { hashPassword } from '../../lib/passwords.ts'
import { routesOfLogins } from '../../lib/routes.ts'
import { bytea, hashOf } from '../../lib/seals.ts'
import { deviceToken } from './devices.ts'
import { changePassword, newLink } from './handlers.ts'
import { Done, PasswordChange, PasswordSet, Reset, ResetBody, ResetRequest, Resettable, Session } from './schemas.ts'

async function requestReset(c: Context, { email }: z.output<typeof ResetRequest>) {
  const { id, hash } = newLink(c, 'reset')
  return call(c, 'request_password_reset', { p_email: email, p_id: id, p_token_hash: hash })
}

async function resetPassword(c: Context, { token, newPassword }: z.output<typeof ResetBody>) {
  const reset = c.get('services').seals.open('reset', token)
  if (!reset) throw new ApiError('reset_over')
  const parameters = { p_id: reset.id, p_token_hash: bytea(hashOf(token)) }
  // The check precedes the hashing, which is expensive.
  const { words } = await callFor(c, 'check_password_reset', parameters, Resettable)
  await refuseGuessable(c, newPassword, words)
  const p_new_hash = await hashPassword(newPassword)
  const holder = await callFor(c, 'reset_password', { ...parameters, p_new_hash }, Reset)
  return { ok: true, deviceToken: deviceToken(c, holder) }
}

export default routesOfLogins('identity', {
  'PATCH /identity/me/password': {
    summary: 'Change your password',
    description:
      'Ends all your tokens, device tokens and rotating sessions, and cancels a pending change of address. Returns new tokens, as a login does, and resets the counters of wrong passwords. A wrong password is 403, and attempts are limited per person.',
    access: 'user',
    id: 'changePassword',
    pool: 'gate',
    body: PasswordChange,
    handler: changePassword,
    limits: ['password'],
    calls: ['find_password', 'change_password'],
    answers: { 200: Session },
    outcome: 'New tokens; the earlier ones no longer work.',
    fails: ['password_wrong', 'password_guessable'],
  },
  'POST /auth/forgot-password': {
    summary: 'Request a mail with a link to set a new password',
    description:
      'The answer and its timing do not reveal whether the address is registered. The link can be used once within an hour. At most five links are mailed to a person within an hour. An address that is not verified within a day of the registration gets no link.',
    access: 'public',
    id: 'requestPasswordReset',
    also: ['POST /forgot/request'],
    pool: 'gate',
    limit: 'forgot_password',
    body: ResetRequest,
    handler: requestReset,
    calls: ['request_password_reset'],
    answers: { 200: Done },
    outcome: 'A mail is on its way if somebody has this address.',
  },
  'POST /auth/reset-password': {
    summary: 'Set a new password with the token from a mail',
    description:
      'Uses up the token and all others that were mailed, and verifies the address to which the token was mailed. Ends all tokens, device tokens and rotating sessions of the person, and cancels a pending change of address. Resets the counters of wrong passwords; with the `deviceToken` of the answer, wrong passwords of other people do not affect the next login. 410 if the token was used, has expired or is unknown.',
    access: 'public',
    id: 'resetPassword',
    also: ['POST /forgot/reset'],
    pool: 'gate',
    body: ResetBody,
    handler: resetPassword,
    calls: ['check_password_reset', 'reset_password'],
    answers: { 200: PasswordSet },
    outcome: 'The password is set. Log in with it.',
    fails: ['password_guessable'],
  },
})
