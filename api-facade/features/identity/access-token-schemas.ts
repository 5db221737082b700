// Schemas of access tokens and their scopes. Rules are in sql/identity/58_access_tokens.sql.
import { Page, Timestamp, z } from '../../lib/schemas.ts'

const Scopes = z.array(z.string().max(40)).describe('The scopes of the token: names from `GET /scopes`.')

export const Scope = z
  .object({
    scope: z
      .string()
      .describe('The name: an area of the API, and `read` or `write`.')
      .openapi({ example: 'posts:read' }),
    description: z.string().describe('What a token with this scope may do, as a sentence for people.'),
    isForStaff: z.boolean().describe('Whether only moderators and admins can have tokens with this scope.'),
  })
  .openapi('Scope')
export const ScopePage = Page(Scope)

export const AccessToken = z
  .object({
    id: z.uuid().describe('The id, with which you end the token. The token itself is shown only once.'),
    name: z.string().describe('The name that you gave the token.'),
    scopes: Scopes,
    endsWithPassword: z.boolean().describe('Whether a new password ends the token.'),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.nullable().describe('When the token was last used, accurate to five minutes; null if never.'),
    expiresAt: Timestamp.describe('When the token expires.'),
  })
  .openapi('AccessToken')
export const AccessTokenPage = Page(AccessToken)

export const NewAccessToken = z
  .object({
    name: z.string().min(1).max(60).describe('A name by which you recognize the token.'),
    scopes: Scopes.min(1).max(50),
    expiresAt: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('When the token expires: at most 366 days from now. Default: in 365 days.'),
    endsWithPassword: z
      .boolean()
      .default(true)
      .describe(
        'Whether a new password ends the token, so that nobody who knew the old password keeps access. Default: true.',
      ),
  })
  .openapi({ example: { name: 'My calendar', scopes: ['contents:read'] } })
export const CreatedAccessToken = AccessToken.extend({
  token: z
    .string()
    .describe('The token. It is shown only now: keep it in a safe place.')
    .openapi({ example: `kith_pat_${'0'.repeat(49)}` }),
}).openapi('CreatedAccessToken')

export const Exchanged = z
  .object({
    accessToken: z.string().describe('A JWT with the same scopes, for services beside the API.'),
    expiresIn: z.int().describe('How many seconds the JWT is valid.'),
  })
  .openapi('ExchangedToken')
