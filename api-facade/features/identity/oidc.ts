// Logging in with the OpenID provider of the instance. Rules are in sql/identity/67_identities.sql; lib/oidc.ts calls
// the provider.
import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { call, callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { ApiError } from '../../lib/errors.ts'
import { routesOfLogins } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { bytea, hashOf } from '../../lib/seals.ts'
import { attemptFactor, deviceOf } from './devices.ts'
import { open } from './handlers.ts'
import {
  FoundIdentity,
  Identities,
  OidcCredentials,
  OidcRegistration,
  OneTime,
  Start,
  Started,
} from './oidc-schemas.ts'
import { Session } from './schemas.ts'

/** The parameters by which SQL finds a login at the provider. @throws ApiError oidc_over */
export function oneTime(c: Context, { oidcCode, verifier }: z.output<typeof OneTime>) {
  const login = c.get('services').seals.open('oidc', oidcCode, 'code')
  if (!login) throw new ApiError('oidc_over')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  return { p_id: login.id, p_code_hash: bytea(hashOf(oidcCode)), p_challenge: challenge }
}

const start = (c: Context, begun: z.output<typeof Start>) => c.get('services').oidc.begin(begun)

async function logIn(c: Context, { code, ...presented }: z.output<typeof OidcCredentials>) {
  const login = oneTime(c, presented)
  const { email, ...holder } = await callFor(c, 'find_identity', login, FoundIdentity)
  const found = { ...holder, passwordHash: null }
  const device = deviceOf(c, presented.deviceToken, found)
  const takeBack = code === undefined ? undefined : await attemptFactor(c, email.toLowerCase(), found, device)
  const { session } = await open(c, presented, 'log_in_with_oidc', { ...login, p_code: code }, device)
  await takeBack?.()
  return session
}

async function register(c: Context, person: z.output<typeof OidcRegistration>) {
  const parameters = {
    ...oneTime(c, person),
    p_session_id: person.sessionId,
    p_first_name: person.firstName,
    p_last_name: person.lastName,
    p_date_of_birth: person.dateOfBirth,
    p_country: person.country,
    p_city: person.city,
  }
  return (await open(c, person, 'register_with_oidc', parameters)).session
}

const link = (c: Context, given: z.output<typeof OneTime>) => call(c, 'link_identity', oneTime(c, given))

export default routesOfLogins('identity', {
  'GET /auth/oidc/start': {
    summary: 'Begin to log in with the OpenID provider',
    description:
      'Use this for a login, a registration, a fresh proof, or to link a login. Make a random `verifier` of 43 characters or more, keep it on this device, and send its SHA-256 as `challenge`. Then open `url` in the browser. The provider sends the browser to this instance, which sends it to `returnTo` with `#oidc=<one-time code>`, or with `#error=<code>`: `oidc_unverified` if the provider has not verified the address, `oidc_over` if this login was already used, `oidc_refused` for every other error. The code works only with the verifier, so it is useless in another browser. 404 `oidc_off` if the instance has no provider; then `oidc` of `/.well-known/kith` is null.',
    access: 'public',
    id: 'beginOidc',
    pool: 'gate',
    limit: 'oidc',
    query: Start,
    handler: start,
    calls: [],
    answers: { 200: Started },
    outcome: 'The address to open in the browser, and when the login expires.',
    fails: ['oidc_off', 'oidc_address'],
  },
  'POST /auth/oidc/login': {
    summary: 'Log in with a one-time code of the OpenID provider',
    description:
      'Works like `POST /auth/login`, with the one-time code instead of address and password. If the account has a second factor, the answer is 403 `factor_required`; send the same body again with `code`. Only a successful login uses up the one-time code, which expires after 30 minutes. 404 `identity_unlinked` if nobody has linked this login, even if an account has the same address.',
    access: 'public',
    id: 'logInWithOidc',
    pool: 'gate',
    limit: 'login',
    body: OidcCredentials,
    handler: logIn,
    limits: ['login_factor'],
    calls: ['find_identity', 'log_in_with_oidc'],
    answers: { 200: Session },
    outcome: 'Tokens for this device, and your profile.',
  },
  'POST /auth/oidc/register': {
    summary: 'Register with a reservation and a one-time code of the OpenID provider',
    description:
      'Works like `POST /auth/register`, with the one-time code instead of address and password. The address is the one that the provider verified: 409 `email_taken` if an account here has it. The account has no password until the person sets one by mail (`POST /auth/forgot-password`). After a failure, the code and the reservation can still be used.',
    access: 'public',
    id: 'registerWithOidc',
    pool: 'gate',
    limit: 'register',
    body: OidcRegistration,
    handler: register,
    calls: ['register_with_oidc'],
    answers: { 201: Session },
    outcome: 'The new account with its first tokens.',
  },
  'GET /me/identities': {
    summary: 'List the logins of the OpenID provider that you linked',
    description: 'Lists all of them, at most five, and says whether you can also log in with a password.',
    access: 'user',
    fresh: 'access',
    id: 'listIdentities',
    operation: 'list_identities',
    answers: { 200: Identities },
    outcome: 'Your linked logins.',
  },
  'POST /me/identities': {
    summary: 'Link a login of the OpenID provider',
    description:
      'Everybody needs a fresh proof (`POST /auth/proof`). The address at the provider may differ from yours. 409 `identity_taken` if an account has linked this login, `identities_exhausted` if you have linked five. You are told by mail.',
    access: 'user',
    id: 'linkIdentity',
    pool: 'gate',
    body: OneTime,
    handler: link,
    calls: ['link_identity'],
    answers: { 200: Identities },
    outcome: 'Your linked logins, with the new one.',
  },
  'DELETE /me/identities/:id': {
    summary: 'Unlink a login of the OpenID provider',
    description:
      'Everybody needs a fresh proof. 409 `identity_needed` if this login is your only way to log in. Sessions ' +
      'that began with it continue. You are told by mail.',
    access: 'user',
    id: 'unlinkIdentity',
    operation: 'unlink_identity',
    params: UuidId,
    answers: { 204: null },
    outcome: 'You can no longer log in with this login of the provider.',
  },
})
