// Shapes of access tokens and their scopes. Rules are in sql/identity/58_access_tokens.sql.
import { Page, Timestamp, z } from '../../lib/schemas.ts'

const Scopes = z.array(z.string().max(40)).describe('What it may do: names of `GET /scopes`.')

export const Scope = z
  .object({
    scope: z
      .string()
      .describe('Its name: an area of the API, and `read` or `write`.')
      .openapi({ example: 'posts:read' }),
    description: z.string().describe('What a token with it may do, for people.'),
    isForStaff: z.boolean().describe('Whether only moderators and admins can have it.'),
  })
  .openapi('Scope')
export const ScopePage = Page(Scope)

export const AccessToken = z
  .object({
    id: z.uuid().describe('Its id, by which you end it. The token itself is shown only once.'),
    name: z.string().describe('What you called it.'),
    scopes: Scopes,
    endsWithPassword: z.boolean().describe('Whether a new password ends it.'),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.nullable().describe('When it was last used, accurate to five minutes; null if it never was.'),
    expiresAt: Timestamp.describe('When it ends by itself.'),
  })
  .openapi('AccessToken')
export const AccessTokenPage = Page(AccessToken)

export const NewAccessToken = z
  .object({
    name: z.string().min(1).max(60).describe('For what you use it.'),
    scopes: Scopes.min(1).max(50),
    expiresAt: z.iso
      .datetime({ offset: true })
      .optional()
      .describe('When it ends by itself: within 366 days. If absent, in 365 days.'),
    endsWithPassword: z
      .boolean()
      .default(true)
      .describe(
        'Whether a new password ends it, so that somebody who knew the old one has no token left. Default: true.',
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
    expiresIn: z.int().describe('For how many seconds it is valid.'),
  })
  .openapi('ExchangedToken')
