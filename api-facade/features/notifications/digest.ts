// Ending the digest by a link or a button of a mail. What is mailed, and when: sql/notifications/60_digests.sql and the worker.
import { call } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { ApiError } from '../../lib/errors.ts'
import { routes } from '../../lib/routes.ts'
import { z } from '../../lib/schemas.ts'

const Token = z.string().min(1).max(200)
const Unsubscription = z.object({ token: Token.openapi({ description: 'What stands behind # in the link.' }) })
const OneClick = z.object({ 'List-Unsubscribe': z.literal('One-Click') })
const OneClickQuery = z.object({
  token: Token.optional().openapi({
    description: 'Of the address in the header of the mail, which comes with a form.',
  }),
})
const Unsubscribed = z.object({ ok: z.literal(true) }).openapi('Unsubscribed')

async function unsubscribe(c: Context, { token }: z.output<typeof OneClickQuery>) {
  if (token === undefined) throw new ApiError('validation_failed', ['token: is required'])
  const opened = c.get('services').seals.open('unsubscribe', token)
  if (!opened) throw new ApiError('unsubscribe_unknown')
  return call(c, 'unsubscribe', { p_id: opened.id })
}

export default routes('notifications', {
  'POST /notifications/unsubscribe': {
    summary: 'End the daily digest with the token of a mail',
    description:
      'Sets `digestHour` to null: nothing else changes, and with an hour in the preferences the digest comes again. Needs no login, repeating it changes nothing, and the token stays good as long as the account has the address. The link of a digest leads to a page of the client, which sends `{token}` once its reader has agreed; opening a link ends nothing. The mail’s header `List-Unsubscribe` has this address with `?token=`, and mail programs send the form `List-Unsubscribe=One-Click` to it (RFC 8058).',
    access: 'public',
    pool: 'gate',
    query: OneClickQuery,
    body: Unsubscription,
    form: OneClick,
    handler: unsubscribe,
    calls: ['unsubscribe'],
    answers: { 200: Unsubscribed },
  },
})
