// Passkeys: adding and removing them, and using them for logins and fresh proofs. This file checks signatures; rules
// are in sql/identity/56_passkeys.sql.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { z } from 'zod'
import { call, callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { ApiError } from '../../lib/errors.ts'
import { routesOfLogins } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { bytea, hashOf } from '../../lib/seals.ts'
import { deviceOf } from './devices.ts'
import { addPasskey, open } from './handlers.ts'
import {
  AddingOptions,
  KnownKeys,
  LoginOptions,
  NewPasskey,
  Passkey,
  PasskeyAdded,
  PasskeyLogin,
  PasskeyName,
  type Signed,
  Started,
  Taken,
} from './passkey-schemas.ts'
import { Session } from './schemas.ts'

/** Ed25519, ES256 and RS256, as COSE numbers them. */
const ALGORITHMS = [-8, -7, -257]
const TIMEOUT = 5 * 60_000

const newChallenge = () => randomBytes(32).toString('base64url')
const hexOf = (base64: string) => bytea(Buffer.from(base64, 'base64url').toString('hex'))
const urlOf = (hex: string) => Buffer.from(hex, 'hex').toString('base64url')
const keysOf = ({ known }: z.output<typeof KnownKeys>) =>
  known.map(({ id, transports }) => ({ id: urlOf(id), type: 'public-key', transports }))

async function beginAdding(c: Context) {
  const challenge = newChallenge()
  const started = await callFor(c, 'start_passkey', { p_challenge_hash: bytea(hashOf(challenge)) }, Started)
  const { domain } = c.get('services').config.passkeys
  return {
    challenge,
    timeout: TIMEOUT,
    rp: { id: domain, name: 'Kith' },
    user: { id: urlOf(started.handle), name: started.username, displayName: started.username },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ alg, type: 'public-key' })),
    excludeCredentials: keysOf(started),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    attestation: 'none',
  }
}

const optionsOf = (c: Context, challenge: string) => ({
  challenge,
  timeout: TIMEOUT,
  rpId: c.get('services').config.passkeys.domain,
  userVerification: 'required',
})

async function beginLogin(c: Context) {
  const challenge = newChallenge()
  await call(c, 'start_passkey_login', { p_challenge_hash: bytea(hashOf(challenge)) })
  return optionsOf(c, challenge)
}

async function beginProof(c: Context) {
  const challenge = newChallenge()
  const started = await callFor(c, 'start_passkey_proof', { p_challenge_hash: bytea(hashOf(challenge)) }, KnownKeys)
  return { ...optionsOf(c, challenge), allowCredentials: keysOf(started) }
}

/** The challenge that a browser says it signed. */
function challengeOf(clientData: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientData, 'base64url').toString()) as { challenge?: unknown }
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}

type Purpose = 'add' | 'login' | 'proof'

/**
 * Uses up the challenge, even if the signature turns out to be wrong.
 * @returns what a verification expects, and the passkey if there is one
 */
async function take(
  c: Context,
  purpose: Purpose,
  { id, response }: Pick<z.output<typeof Signed>, 'id'> & { response: { clientDataJSON: string } },
) {
  const challenge = challengeOf(response.clientDataJSON)
  const parameters = {
    p_challenge_hash: bytea(hashOf(challenge)),
    p_purpose: purpose,
    p_credential_id: hexOf(id),
  }
  const { isOpen, passkey } = await callFor(c, 'take_passkey_challenge', parameters, Taken)
  if (!isOpen) throw new ApiError('passkey_wrong')
  const { domain, origins } = c.get('services').config.passkeys
  const expected = { expectedChallenge: challenge, expectedOrigin: origins, expectedRPID: domain }
  return { passkey, expected: { ...expected, requireUserVerification: true } }
}

/**
 * A key that nobody has (COSE, ES256). The signature of an unknown passkey is checked with this key, so that the check
 * takes as long as for a known passkey.
 */
function keyOfNobody(): Buffer {
  const { x = '', y = '' } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })
  const [before, between] = ['a5010203262001215820', '225820'].map((hex) => Buffer.from(hex, 'hex'))
  return Buffer.concat([
    before ?? '',
    Buffer.from(x, 'base64url'),
    between ?? '',
    Buffer.from(y, 'base64url'),
  ] as Buffer[])
}
let nobody: Buffer | undefined

/** The library is loaded at the first use: it takes 27 MB and a second, and many instances have no passkeys. */
const library = () => import('@simplewebauthn/server')

/** @returns the passkey, and its counter. @throws ApiError passkey_wrong for every fault */
export async function verify(c: Context, purpose: Purpose, signed: z.output<typeof Signed>) {
  const { passkey, expected } = await take(c, purpose, signed)
  nobody ??= keyOfNobody()
  const publicKey = new Uint8Array(passkey ? Buffer.from(passkey.publicKey, 'hex') : nobody)
  const { verifyAuthenticationResponse } = await library()
  // SQL compares the counter, under the lock of the passkey.
  const credential = { id: signed.id, publicKey, counter: 0 }
  const { response, ...more } = signed
  const answer = { ...more, response, authenticatorAttachment: undefined } as Parameters<
    typeof verifyAuthenticationResponse
  >[0]['response']
  const checked = await verifyAuthenticationResponse({ response: answer, ...expected, credential }).catch(
    () => undefined,
  )
  if (!passkey || !checked?.verified) throw new ApiError('passkey_wrong')
  return { passkey, counter: checked.authenticationInfo.newCounter }
}

async function add(c: Context, { name, passkey, session }: z.output<typeof NewPasskey>) {
  const { expected } = await take(c, 'add', passkey)
  const { verifyRegistrationResponse } = await library()
  const answer = { ...passkey, authenticatorAttachment: undefined } as Parameters<
    typeof verifyRegistrationResponse
  >[0]['response']
  const checked = await verifyRegistrationResponse({
    response: answer,
    ...expected,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => undefined)
  if (!checked?.verified) throw new ApiError('passkey_wrong')
  const { credential } = checked.registrationInfo
  return addPasskey(
    c,
    { session },
    {
      p_credential_id: hexOf(credential.id),
      p_public_key: bytea(Buffer.from(credential.publicKey).toString('hex')),
      p_counter: credential.counter,
      p_transports: passkey.response.transports ?? [],
      p_name: name,
    },
  )
}

async function logIn(c: Context, { passkey: signed, deviceToken, ...wanted }: z.output<typeof PasskeyLogin>) {
  const { passkey, counter } = await verify(c, 'login', signed)
  const login = { p_passkey: passkey.id, p_user_id: passkey.userId, p_counter: counter }
  const { session } = await open(c, wanted, 'log_in_with_passkey', login, deviceOf(c, deviceToken, passkey))
  return session
}

export async function proveWithPasskey(c: Context, signed: z.output<typeof Signed>) {
  const { passkey, counter } = await verify(c, 'proof', signed)
  return call(c, 'prove_with_passkey', { p_passkey: passkey.id, p_counter: counter })
}

const anyFault =
  'Every fault is 403 `passkey_wrong`: an unknown or removed key, a wrong signature, another origin, or a challenge that was already used, has expired or belongs to somebody else.'

export default routesOfLogins('identity', {
  'POST /me/factors/passkeys/options': {
    summary: 'Begin adding a passkey',
    description:
      'Everybody needs a fresh proof (`POST /auth/proof`). Pass the answer to the browser, and send its result to `POST /me/factors/passkeys` within five minutes. 409 `passkeys_full` if you have ten.',
    access: 'user',
    id: 'startPasskey',
    pool: 'gate',
    handler: beginAdding,
    calls: ['start_passkey'],
    answers: { 200: AddingOptions },
    outcome: 'The options with which the browser makes a key.',
  },
  'POST /me/factors/passkeys': {
    summary: 'Add a passkey',
    description: `Checks what the browser signed, and stores the public key. With the passkey you can log in without a password (\`POST /auth/passkey\`) and give a fresh proof. If it is your first factor, each login with the password then needs a recovery code, and all your tokens and sessions end. The answer then has new tokens and ten recovery codes, which are shown only now. You are told by mail. ${anyFault}`,
    access: 'user',
    id: 'addPasskey',
    pool: 'gate',
    body: NewPasskey,
    handler: add,
    calls: ['take_passkey_challenge', 'add_passkey'],
    answers: { 200: PasskeyAdded },
    outcome: 'The passkey; with the first factor also new tokens and the recovery codes.',
  },
  'PATCH /me/factors/passkeys/:id': {
    summary: 'Rename a passkey',
    description: '404 `factor_unknown` if you have no such passkey.',
    access: 'user',
    id: 'renamePasskey',
    operation: 'rename_passkey',
    params: UuidId,
    body: PasskeyName,
    answers: { 200: Passkey },
    outcome: 'The passkey with its new name.',
  },
  'DELETE /me/factors/passkeys/:id': {
    summary: 'Remove a passkey',
    description:
      'Needs a fresh proof. The fresh proofs of your other sessions end. If it is your last factor, the recovery codes are deleted, too, and a login needs only the password. In that case the answer is 409 `factor_needed` if your role requires a second factor. You are told by mail.',
    access: 'user',
    id: 'removePasskey',
    operation: 'remove_passkey',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The passkey is removed.',
  },
  'POST /auth/passkey/options': {
    summary: 'Begin a login with a passkey',
    description:
      'Pass the answer to the browser, and send its result to `POST /auth/passkey` within five minutes. The answer names nobody, because the device knows which keys it has.',
    access: 'public',
    id: 'startPasskeyLogin',
    pool: 'gate',
    limit: 'passkey_options',
    handler: beginLogin,
    calls: ['start_passkey_login'],
    answers: { 200: LoginOptions },
    outcome: 'The options with which the browser signs.',
  },
  'POST /auth/passkey': {
    summary: 'Log in with a passkey',
    description: `The answer is that of \`POST /auth/login\`. A passkey is both factors, so no code is needed. If the counter of a device goes back, somebody may have a copy of the key. Then the passkey and all tokens and sessions of the person end, and the person is told by mail. ${anyFault}`,
    access: 'public',
    id: 'logInWithPasskey',
    pool: 'gate',
    limit: 'login',
    body: PasskeyLogin,
    handler: logIn,
    calls: ['take_passkey_challenge', 'log_in_with_passkey'],
    answers: { 200: Session },
    outcome: 'Tokens for this device, and your profile.',
  },
  'POST /auth/proof/options': {
    summary: 'Begin a fresh proof with a passkey',
    description:
      'Pass the answer to the browser, and send its result as `passkey` to `POST /auth/proof` within five minutes.',
    access: 'user',
    id: 'startPasskeyProof',
    pool: 'gate',
    handler: beginProof,
    calls: ['start_passkey_proof'],
    answers: { 200: LoginOptions },
    outcome: 'The options with which the browser signs.',
  },
})
