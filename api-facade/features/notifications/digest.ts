// Unsubscribing from the digest by a link or a button in a mail. sql/notifications/60_digests.sql and the worker decide
// what is mailed when.
import { call } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { ApiError } from '../../lib/errors.ts'
import { routes } from '../../lib/routes.ts'
import { z } from '../../lib/schemas.ts'

const Token = z.string().min(1).max(200)
const Unsubscription = z.object({ token: Token.describe('The part of the link after #.') })
const OneClick = z.object({ 'List-Unsubscribe': z.literal('One-Click').describe('As RFC 8058 says.') })
const OneClickQuery = z.object({
  token: Token.optional().describe(
    'The token in the URL of the mail header `List-Unsubscribe`, to which mail programs send a form.',
  ),
})
const Unsubscribed = z
  .object({ ok: z.literal(true).describe('Always `true`: a failure is an error.') })
  .openapi('Unsubscribed')

async function unsubscribe(c: Context, { token }: z.output<typeof OneClickQuery>) {
  if (token === undefined) throw new ApiError('validation_failed', ['token: is required'])
  const opened = c.get('services').seals.open('unsubscribe', token)
  if (!opened) throw new ApiError('unsubscribe_unknown')
  return call(c, 'unsubscribe', { p_id: opened.id })
}

export default routes('notifications', {
  'POST /notifications/unsubscribe': {
    summary: 'Unsubscribe from the daily digest with the token from a mail',
    description:
      'Sets `digestHour` to null and changes nothing else; setting an hour in the preferences turns the digest on again. Needs no login. Repeating it changes nothing. The token is valid as long as the account has the address. The link in a digest leads to a page of the client, which sends `{token}` after the reader has confirmed; opening a link does not unsubscribe. The mail header `List-Unsubscribe` has this URL with `?token=`, and mail programs send the form `List-Unsubscribe=One-Click` to it (RFC 8058).',
    access: 'public',
    id: 'unsubscribe',
    pool: 'gate',
    query: OneClickQuery,
    body: Unsubscription,
    form: OneClick,
    handler: unsubscribe,
    calls: ['unsubscribe'],
    answers: { 200: Unsubscribed },
    outcome: 'You get no more digests.',
  },
})
