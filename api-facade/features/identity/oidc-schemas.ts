// Schemas of logins with an OpenID provider. Rules are in sql/identity/67_identities.sql.
import { Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { Credentials, Registration } from './schemas.ts'

const verifier = z
  .string()
  .regex(/^[\w.~-]{43,128}$/, 'must be 43 to 128 letters, digits and -._~')
  .openapi({ example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' })
  .describe('The secret whose SHA-256 was sent as `challenge`.')
const oidcCode = z.string().max(200).describe('The one-time code from the address to which the browser returned.')

export const Start = z.object({
  challenge: z
    .string()
    .regex(/^[\w-]{43}$/, 'must be a SHA-256 in base64url')
    .openapi({ example: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' })
    .describe('The SHA-256 of your `verifier`, in base64url.'),
  returnTo: z
    .string()
    .max(300)
    .openapi({ example: '/account' })
    .describe(
      'The address to which the browser returns: `/app`, `/account`, `/join` or `/admin` of this instance, or an address that the operator allows (`OIDC_RETURN`).',
    ),
  fresh: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('Whether the provider must ask for the password again, which a fresh proof needs. Default: `false`.'),
})
export const Started = z
  .object({
    url: z.string().describe('The address at the provider to which the browser goes.'),
    expiresAt: Timestamp.describe('When this login expires if the browser has not returned: 5 minutes from now.'),
  })
  .openapi('OidcStart')
export const OneTime = z.object({ oidcCode, verifier })
const { session, code, deviceToken, deviceName } = Credentials.shape
export const OidcCredentials = OneTime.extend({ session, code, deviceToken, deviceName })
export const OidcRegistration = OneTime.extend(Registration.omit({ email: true, password: true }).shape).extend({
  session,
})

export const Identities = z
  .object({
    items: z
      .array(
        z.object({
          id: Uuid,
          issuer: z.string().describe('The issuer: the address that identifies the provider.'),
          email: z.string().describe('The email address of the account at the provider when it was linked.'),
          createdAt: Timestamp.describe('When the login was linked.'),
          lastUsedAt: Timestamp.describe('When the linked login was last used to log in or to give a proof.'),
        }),
      )
      .describe('The linked logins, oldest first, at most five.'),
    hasPassword: z.boolean().describe('Whether you can also log in with a password.'),
  })
  .openapi('Identities')

/** What the database returns for a one-time code. */
export const FoundIdentity = z.object({ userId: z.string(), credentialsVersion: z.number(), email: z.string() })
