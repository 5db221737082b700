// Schemas of second factors. Rules are in sql/identity/55_factors.sql.
import { Timestamp, z } from '../../lib/schemas.ts'
import { OneTime } from './oidc-schemas.ts'
import { Passkey, Signed } from './passkey-schemas.ts'
import { Code, Kind, Session } from './schemas.ts'

const Codes = z
  .array(z.string())
  .length(10)
  .describe('Each can be used once instead of a code of the app. Keep them in a safe place: they are not shown again.')

export const Factors = z
  .object({
    totp: z
      .object({
        createdAt: Timestamp.describe('When the app was confirmed.'),
        lastUsedAt: Timestamp.nullable().describe('When a code of the app was last used; null if none was used yet.'),
      })
      .nullable()
      .describe('Your authenticator app; null if you have none.'),
    passkeys: z.array(Passkey).max(10).describe('Your passkeys, the oldest first.'),
    recoveryCodesLeft: z.int().describe('How many recovery codes are left.'),
    isRequired: z.boolean().describe('Whether your role requires a second factor on this instance.'),
    provedUntil: Timestamp.nullable().describe('When the fresh proof of this session expires; null if there is none.'),
  })
  .openapi('Factors')
export const Totp = z
  .object({
    secret: z.string().describe('The secret in base32, for people who type it in.'),
    url: z.string().describe('The secret as an address for a QR code: `otpauth://totp/…`.'),
  })
  .openapi('Totp')
export const Confirmation = z.object({ code: Code.describe('The code that the app shows now.'), session: Kind })
export const Confirmed = Session.extend({
  recoveryCodes: Codes.nullable().describe(
    'Ten codes, each of which replaces a code of the app once. They are not shown again. Null if you have unused recovery codes, which stay valid.',
  ),
}).openapi('ConfirmedFactor')
export const RecoveryCodes = z.object({ recoveryCodes: Codes }).openapi('RecoveryCodes')
export const ProofBody = z
  .object({
    password: z.string().max(1024).optional().describe('Your password, if you have no second factor.'),
    code: Code.optional().describe('A code of your app or a recovery code, if you have a second factor.'),
    oidcCode: OneTime.shape.oidcCode
      .optional()
      .describe('Instead of a password: the one-time code of a login at the OpenID provider that began with `fresh`.'),
    verifier: OneTime.shape.verifier.optional(),
    passkey: Signed.optional().describe('What a passkey signed. The challenge comes from `POST /auth/proof/options`.'),
  })
  .refine(
    ({ password, code, oidcCode, verifier, passkey }) =>
      [password, code, oidcCode, passkey].filter((one) => one !== undefined).length === 1 && !oidcCode === !verifier,
    'must have a password, a code, a passkey, or an oidcCode with its verifier',
  )
  .openapi({ example: { password: 'long enough for all' } })
export const Proved = z
  .object({ provedUntil: Timestamp.describe('When the proof expires: 10 minutes from now.') })
  .openapi('Proof')
