// Verifying an email address, and changing it. Rules are in sql/identity/65_email.sql.
import type { z } from 'zod'
import { call } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { ApiError } from '../../lib/errors.ts'
import { routesOfLogins } from '../../lib/routes.ts'
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

export default routesOfLogins('identity', {
  'POST /auth/verify-email': {
    summary: 'Verify an email address with the token from a mail',
    description:
      'The token can be used once: within a week after registration or a new request, within a day for a change ' +
      'of address. A token for a change makes the new address yours, informs the old one, and invalidates every ' +
      'other link that was mailed, including those for a new password. Your tokens and sessions continue. The ' +
      '`email` in an access token is the old one until the next login or refresh. 409 if somebody else has taken ' +
      'the new address meanwhile; the token then stays valid. 410 if the token was used, has expired or is ' +
      'unknown, or while its person is banned.',
    access: 'public',
    id: 'verifyEmail',
    pool: 'gate',
    body: VerificationBody,
    handler: verify,
    calls: ['verify_email'],
    answers: { 200: Done },
    outcome: 'The address is verified.',
  },
  'POST /me/verify-email': {
    summary: 'Mail another link that verifies your email address',
    description:
      'While a change of address is pending, the mail goes to the new address, otherwise to your current one. 409 if the current address is already verified and no mail to it has bounced. Links that were mailed earlier stay valid. At most 10 such mails an hour are sent.',
    access: 'user',
    id: 'resendVerification',
    pool: 'gate',
    limit: 'verify_email',
    handler: sendAgain,
    calls: ['resend_verification'],
    answers: { 200: Done },
    outcome: 'The mail is on its way.',
  },
  'POST /me/email': {
    summary: 'Change your email address',
    description:
      'Mails a link to the new address that is valid for a day, and informs the old address. The address changes ' +
      'when the link is used; until then `POST /me/verify-email` mails another link. A later change replaces this ' +
      'change. A change to your current address and a new password both cancel it. The answer does not reveal ' +
      'whether somebody already has the address. In that case its owner gets no link, but a mail which says that ' +
      'the address is in use. At most five such mails an hour are sent to one address. A wrong password is 403, ' +
      'and attempts are limited per person.',
    access: 'user',
    id: 'requestEmailChange',
    pool: 'gate',
    limit: 'verify_email',
    limits: ['password'],
    body: EmailChange,
    handler: change,
    calls: ['find_password', 'request_email_change'],
    answers: { 202: Done },
    outcome: 'Mails to the new and the old address are on their way.',
    fails: ['password_wrong'],
  },
})
