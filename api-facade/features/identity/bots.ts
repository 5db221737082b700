// The routes of bots and their access tokens. Rules are in sql/identity/57_bots.sql.
import type { z } from 'zod'
import { callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { ApiError } from '../../lib/errors.ts'
import { routesOfLogins } from '../../lib/routes.ts'
import { PersonId, Uuid } from '../../lib/schemas.ts'
import { bytea, hashOf } from '../../lib/seals.ts'
import { AccessTokenPage, CreatedAccessToken } from './access-token-schemas.ts'
import { Kept } from './access-tokens.ts'
import { Bot, BotChanges, Bots, NewBot, NewBotToken } from './bot-schemas.ts'

async function createToken(c: Context, form: z.output<typeof PersonId> & z.output<typeof NewBotToken>) {
  const { accessTokens } = c.get('services')
  const made = accessTokens.make()
  const parameters = {
    p_id: form.id,
    p_name: form.name,
    p_scopes: form.scopes,
    p_expires_at: form.expiresAt,
    p_token_hash: bytea(hashOf(made.token)),
    p_nonce: made.nonce,
  }
  // A repeated request gets the nonce of the first request.
  const { nonce, tokenHash, ...card } = await callFor(c, 'create_bot_token', parameters, Kept)
  const token = accessTokens.find(nonce, tokenHash)
  if (!token) throw new ApiError('idempotency_answer_gone')
  return { ...card, token }
}

export default routesOfLogins('identity', {
  'GET /me/bots': {
    summary: 'List your bots, oldest first',
    description: 'Lists the bots that you run and answer for, at most 5, without deleted ones.',
    access: 'user',
    operation: 'list_bots',
    answers: { 200: Bots },
    outcome: 'Your bots.',
  },
  'POST /me/bots': {
    summary: 'Create a bot',
    description:
      'A bot is an account of a program. It has no password and no email address, and its profile says that you ' +
      'run it. It can read, publish, reply, follow and write messages. Actions that are only for people are 403 ' +
      '`bot_refused`: reacting, bookmarking, reposting, voting, reporting, appealing, inviting, moving mana, and ' +
      'founding or joining anything that has votes or mana. It has no reputation, no contribution and no mana, ' +
      'cannot be paid, and its replies do not count for trending. In 24 hours it can write as much as a person ' +
      'can in one hour. You answer for it: if you are banned or erased, so are your bots. You can have at most 5, ' +
      'and each permanently uses up one of your invites.',
    access: 'user',
    operation: 'create_bot',
    body: NewBot,
    answers: { 201: Bot },
    outcome: 'The new bot.',
  },
  'PATCH /me/bots/:id': {
    summary: 'Change a bot',
    description: 'Absent fields do not change; null clears `about` and `profilePicUrl`.',
    access: 'user',
    operation: 'update_bot',
    params: PersonId,
    body: BotChanges,
    bodyAs: 'p_changes',
    answers: { 200: Bot },
    outcome: 'The bot after the change.',
  },
  'DELETE /me/bots/:id': {
    summary: 'Delete a bot',
    description:
      'Permanently erases the bot and what it published, as the erasure of a person does. Needs a fresh proof if you have a second factor. The invite is not given back.',
    access: 'user',
    operation: 'delete_bot',
    params: PersonId,
    answers: { 204: null },
    outcome: 'The bot is erased.',
  },
  'GET /me/bots/:id/tokens': {
    summary: 'List the access tokens of a bot, newest first',
    description: 'Lists the tokens that have not ended. There are at most 50, so all are on one page.',
    access: 'user',
    fresh: 'access',
    operation: 'list_bot_tokens',
    params: PersonId,
    answers: { 200: AccessTokenPage },
    outcome: 'The data of the access tokens, without the secret tokens themselves.',
  },
  'POST /me/bots/:id/tokens': {
    summary: 'Make an access token for a bot',
    description:
      'The bot’s program sends the token instead of logging in: `Authorization: Bearer kith_pat_…`. The token may do what its scopes (`GET /scopes`) allow, except what only people can do: 403 `bot_refused`. You need a fresh proof if you have a second factor. A ban of the bot or of you ends the token; a new password of yours does not. A bot can have 50 tokens: 409 `access_tokens_full`.',
    access: 'user',
    id: 'createBotToken',
    pool: 'gate',
    secret: true,
    params: PersonId,
    body: NewBotToken,
    handler: createToken,
    calls: ['create_bot_token'],
    answers: { 201: CreatedAccessToken },
    outcome: 'The access token, which is shown only now.',
  },
  'DELETE /me/bots/:id/tokens/:tokenId': {
    summary: 'End an access token of a bot',
    description: 'The token ends immediately. Repeating it changes nothing.',
    access: 'user',
    operation: 'end_bot_token',
    params: PersonId.extend({ tokenId: Uuid.describe('The id of the access token.') }),
    answers: { 204: null },
    outcome: 'The access token no longer works.',
  },
})
