// Verifying an email address, and changing it. Rules are in sql/identity/65_email.sql.
import type { z } from 'zod'
import { call } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { ApiError } from '../../lib/errors.ts'
import { routes } from '../../lib/routes.ts'
import { bytea, hashOf } from '../../lib/seals.ts'
import { confirmPassword, newLink } from './handlers.ts'
import { Done, EmailChange, VerificationBody } from './schemas.ts'

async function verify(c: Context, { token }: z.output<typeof VerificationBody>) {
  const link = c.get('services').seals.open('email', token)
  if (!link) throw new ApiError('verification_over')
  return call(c, 'verify_email', { p_id: link.id, p_token_hash: bytea(hashOf(token)) })
}

async function sendAgain(c: Context) {
  const { id, hash } = newLink(c, 'email')
  return call(c, 'resend_verification', { p_id: id, p_token_hash: hash })
}

async function change(c: Context, { email, currentPassword }: z.output<typeof EmailChange>) {
  const stored = await confirmPassword(c, currentPassword)
  const { id, hash } = newLink(c, 'email')
  const parameters = { p_password_hash: stored, p_email: email, p_id: id, p_token_hash: hash }
  return call(c, 'request_email_change', parameters)
}

export default routes('identity', {
  'POST /auth/verify-email': {
    summary: 'Verify an email address with the token of a mail',
    description:
      'The token is good once: for a week after registering or asking again, for a day where it changes the address. One that changes it makes the new address mine, tells the old one, and ends every other link that was mailed, also those for a new password. Tokens and sessions go on; the `email` in an access token is the old one until the next login or refresh. When somebody else has taken the new address meanwhile it is 409, and the token stays good. A token that is spent, expired or unknown is 410, also while its person is banned.',
    access: 'public',
    pool: 'gate',
    body: VerificationBody,
    handler: verify,
    calls: ['verify_email'],
    answers: { 200: Done },
  },
  'POST /me/verify-email': {
    summary: 'Mail me the link to verify my email address again',
    description:
      'It goes to the address that I am changing to, else to my own; 409 when that is verified. Links mailed before stay good; there are at most 10 an hour.',
    access: 'user',
    pool: 'gate',
    limit: 'verify_email',
    handler: sendAgain,
    calls: ['resend_verification'],
    answers: { 200: Done },
  },
  'POST /me/email': {
    summary: 'Change my email address',
    description:
      'Mails the new address a link that is good for a day, and tells the old one. The address changes when the link is used; until then it can be asked for anew by `POST /me/verify-email`. A later change takes the place of this one, my own address takes it back, and a new password ends it. Answers the same whether somebody has the address or not: its owner is then told that it is in use, and gets no link. At most five such mails an hour go to one address. A wrong password is 403, and counts by person.',
    access: 'user',
    pool: 'gate',
    limit: 'verify_email',
    limits: ['password'],
    body: EmailChange,
    handler: change,
    calls: ['find_password', 'request_email_change'],
    answers: { 202: Done },
    fails: ['password_wrong'],
  },
})
