// Access tokens with scopes, for programs. Rules are in sql/identity/58_access_tokens.sql.
import { z } from 'zod'
import { callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { ApiError } from '../../lib/errors.ts'
import { routes, routesOfLogins } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { bytea, hashOf } from '../../lib/seals.ts'
import { Claims } from '../../lib/tokens.ts'
import {
  AccessToken,
  AccessTokenPage,
  CreatedAccessToken,
  Exchanged,
  NewAccessToken,
  ScopePage,
} from './access-token-schemas.ts'

/** How long a JWT for an access token is valid. Seconds. */
const SHORT = 15 * 60

export const Kept = AccessToken.extend({ nonce: z.string(), tokenHash: z.string() })

async function create(c: Context, { name, scopes, expiresAt, endsWithPassword }: z.output<typeof NewAccessToken>) {
  const { accessTokens } = c.get('services')
  const made = accessTokens.make()
  const parameters = {
    p_name: name,
    p_scopes: scopes,
    p_expires_at: expiresAt,
    p_ends_with_password: endsWithPassword,
    p_token_hash: bytea(hashOf(made.token)),
    p_nonce: made.nonce,
  }
  // A repeated request gets the nonce of the first request.
  const { nonce, tokenHash, ...card } = await callFor(c, 'create_access_token', parameters, Kept)
  const token = accessTokens.find(nonce, tokenHash)
  if (!token) throw new ApiError('idempotency_answer_gone')
  return { ...card, token }
}

async function exchange(c: Context) {
  const claims = await callFor(c, 'exchange_access_token', { p_seconds: SHORT }, Claims)
  return {
    accessToken: await c.get('services').tokens.sign(claims),
    expiresIn: claims.exp - Math.floor(Date.now() / 1000),
  }
}

const own = routesOfLogins('identity', {
  'GET /me/tokens': {
    summary: 'List your access tokens, newest first',
    description:
      'Lists the tokens that you made and that have not ended. There are at most 50, so all are on one page.',
    access: 'user',
    fresh: 'access',
    operation: 'list_access_tokens',
    answers: { 200: AccessTokenPage },
    outcome: 'The data of your access tokens, without the secret tokens themselves.',
  },
  'POST /me/tokens': {
    summary: 'Make an access token for a program',
    description:
      'A program sends the token instead of logging in: `Authorization: Bearer kith_pat_…`. The token may do only what its scopes (`GET /scopes`) allow; everything else is 403 `scope_missing`. No access token may manage tokens, sessions or factors, change the password or the email address, or export or erase the account: that is 403 `session_required`. Scopes for staff need the role. You need a fresh proof if you have a second factor. A ban, another role, a logout everywhere and a new password end the token immediately; with `endsWithPassword` false, a new password does not. A person can have 50 tokens: 409 `access_tokens_full`.',
    access: 'user',
    id: 'createAccessToken',
    pool: 'gate',
    secret: true,
    body: NewAccessToken,
    handler: create,
    calls: ['create_access_token'],
    answers: { 201: CreatedAccessToken },
    outcome: 'The access token, which is shown only now.',
  },
  'DELETE /me/tokens/:id': {
    summary: 'End one of your access tokens',
    description:
      'The token ends immediately, and so do the JWTs that were issued for it. Repeating it changes nothing.',
    access: 'user',
    operation: 'end_access_token',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The access token no longer works.',
  },
})

const others = routes('identity', {
  'GET /scopes': {
    summary: 'List the scopes that an access token can have',
    description: 'The API description names the scope of each route in `x-scope`. All scopes are on one page.',
    access: 'public',
    pool: 'gate',
    operation: 'list_scopes',
    answers: { 200: ScopePage },
    outcome: 'The scopes.',
  },
  'POST /auth/token': {
    summary: 'Exchange an access token for a JWT that is valid for 15 minutes',
    description:
      'The JWT is for services beside the API that take only JWTs, such as PostgREST and Realtime of Supabase. The JWT has the scopes of the access token, and ends with it. Its `email` is the person’s address only with the scope `profile:read`, otherwise a placeholder. 403 `access_token_required` with any other token.',
    access: 'user',
    scope: 'any',
    id: 'exchangeAccessToken',
    pool: 'gate',
    limit: 'refresh',
    handler: exchange,
    calls: ['exchange_access_token'],
    answers: { 200: Exchanged },
    outcome: 'The JWT.',
  },
})

export default { feature: 'identity', rows: { ...own.rows, ...others.rows } }
