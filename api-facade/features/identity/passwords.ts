// Changing a password, and setting a new one by mail. Rules are in sql/identity/60_passwords.sql.
import type { z } from 'zod'
import { call, callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { ApiError } from '../../lib/errors.ts'
import { hashPassword } from '../../lib/passwords.ts'
import { routes } from '../../lib/routes.ts'
import { bytea, hashOf } from '../../lib/seals.ts'
import { deviceToken } from './devices.ts'
import { changePassword, newLink } from './handlers.ts'
import { Done, PasswordChange, PasswordSet, Reset, ResetBody, ResetRequest, Session } from './schemas.ts'

async function requestReset(c: Context, { email }: z.output<typeof ResetRequest>) {
  const { id, hash } = newLink(c, 'reset')
  return call(c, 'request_password_reset', { p_email: email, p_id: id, p_token_hash: hash })
}

async function resetPassword(c: Context, { token, newPassword }: z.output<typeof ResetBody>) {
  const reset = c.get('services').seals.open('reset', token)
  if (!reset) throw new ApiError('reset_over')
  const parameters = { p_id: reset.id, p_token_hash: bytea(hashOf(token)) }
  await call(c, 'check_password_reset', parameters) // before the work of hashing
  const p_new_hash = await hashPassword(newPassword)
  const holder = await callFor(c, 'reset_password', { ...parameters, p_new_hash }, Reset)
  return { ok: true, deviceToken: deviceToken(c, holder) }
}

export default routes('identity', {
  'PATCH /identity/me/password': {
    summary: 'Change my password',
    description:
      'Ends every token, device token and rotating session of mine and a change of address under way, and answers as logging in does, with fresh ones; wrong passwords that were counted are forgotten. A wrong password is 403, and counts by person.',
    access: 'user',
    pool: 'gate',
    body: PasswordChange,
    handler: changePassword,
    limits: ['password'],
    calls: ['find_password', 'change_password'],
    answers: { 200: Session },
    fails: ['password_wrong'],
  },
  'POST /auth/forgot-password': {
    summary: 'Ask for a mail with a link to set a new password',
    description:
      'Answers the same, and as fast, whether the address is registered or not. The link is good for an hour and one use; at most five are mailed to a person within an hour, and none to an address that was not verified within a day of the registration.',
    access: 'public',
    also: ['POST /forgot/request'],
    pool: 'gate',
    limit: 'forgot_password',
    body: ResetRequest,
    handler: requestReset,
    calls: ['request_password_reset'],
    answers: { 200: Done },
  },
  'POST /auth/reset-password': {
    summary: 'Set a new password with the token of a mail',
    description:
      'Spends the token and all others that were mailed, ends every token, device token and rotating session of the person and a change of address under way, and verifies the address to which it was mailed. Wrong passwords that were counted are forgotten, and with the answer’s `deviceToken` nobody else’s are in the way of the next login. A token that is spent, expired or unknown is 410.',
    access: 'public',
    also: ['POST /forgot/reset'],
    pool: 'gate',
    body: ResetBody,
    handler: resetPassword,
    calls: ['check_password_reset', 'reset_password'],
    answers: { 200: PasswordSet },
  },
})
