// Schemas of the proof of identity that people send instead of a token when they cannot log in.
import type { z } from 'zod'
import { OneTime } from './oidc-schemas.ts'
import { Signed } from './passkey-schemas.ts'
import { Credentials } from './schemas.ts'

const { email, password } = Credentials.shape

export const Who = Credentials.omit({ session: true, deviceName: true }).extend({
  email: email.optional(),
  password: password.optional(),
  passkey: Signed.optional().describe(
    'Instead of a password and a code: what a passkey signed. The challenge comes from `POST /auth/passkey/options`.',
  ),
  oidcCode: OneTime.shape.oidcCode
    .optional()
    .describe(
      'Instead of address and password: the one-time code of a login at the OpenID provider. Reading and appealing do not use it up.',
    ),
  verifier: OneTime.shape.verifier.optional(),
})

const isGiven = (one: unknown): boolean => one !== undefined
/** The arguments of `refine` for a schema that extends `Who`. */
export const ONE_WAY = [
  ({ email, password, passkey, oidcCode, verifier }: z.output<typeof Who>): boolean =>
    [password, passkey, oidcCode].filter(isGiven).length === 1 &&
    isGiven(password) === isGiven(email) &&
    isGiven(oidcCode) === isGiven(verifier),
  'must have an email with its password, a passkey, or an oidcCode with its verifier',
] as const
