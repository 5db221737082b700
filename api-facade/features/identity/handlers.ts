// Operations that only the facade can perform, because they check passwords, sign access tokens, or seal refresh and
// device tokens.
import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import { call, callFor } from '../../lib/call.ts'
import { clientAddress } from '../../lib/client.ts'
import type { Context, TakeBack } from '../../lib/context.ts'
import { ApiError } from '../../lib/errors.ts'
import { refuseGuessable } from '../../lib/guessable.ts'
import { checkPassword, hashPassword, isWeak, type Who } from '../../lib/passwords.ts'
import { bytea, hashOf, type Purpose, type Sealed } from '../../lib/seals.ts'
import { attemptFactor, attemptInSession, attemptLogin, deviceOf, deviceToken, nameOfDevice } from './devices.ts'
import {
  AddedPasskey,
  type AlertBody,
  type Credentials,
  FoundLogin,
  Holder,
  Issued,
  type LogoutBody,
  type PasswordChange,
  type RefreshBody,
  type Registration,
  type RegistrationAlias,
  Reissued,
  ROTATING_SECONDS,
  TOKEN_SECONDS,
} from './schemas.ts'

/** The kind of session that the client wants, and the name that it gives its device. */
type Wanted = { session?: 'rotating' | undefined; deviceName?: string | undefined }
type Opened = { accessToken: string; user: object; deviceToken: string; refreshToken?: string; expiresIn?: number }

/** A session that is about to begin: what an operation stores about it, and its refresh token. */
function begin(c: Context, { session, deviceName }: Wanted) {
  const id = randomUUID()
  const refreshToken = session && c.get('services').seals.seal('refresh', { id, generation: 0 })
  const userAgent = c.req.header('user-agent')
  const parameters = {
    p_seconds: refreshToken ? ROTATING_SECONDS : TOKEN_SECONDS,
    p_family: id,
    p_refresh_hash: refreshToken && bytea(hashOf(refreshToken)),
    p_user_agent: userAgent?.slice(0, 300),
    p_device: deviceName ?? nameOfDevice(userAgent),
    p_address: clientAddress(c).replace(/%.*/, ''), // Postgres does not parse the zone of an IPv6 address.
  }
  return { id, refreshToken, parameters }
}

/** The tokens of a session that has begun. */
async function finish(
  c: Context,
  { claims, user, credentialsVersion }: z.output<typeof Issued>,
  refreshToken: string | undefined,
  device?: string,
): Promise<Opened> {
  const accessToken = await c.get('services').tokens.sign(claims)
  const more = refreshToken && { refreshToken, expiresIn: ROTATING_SECONDS }
  const token = deviceToken(c, { userId: claims.sub, credentialsVersion }, device)
  return { accessToken, user, deviceToken: token, ...more }
}

/**
 * Runs an operation that issues claims, and begins a session in the same transaction. `device` is the id of a known
 * device. Without it, the login is mailed to the person, unless SQL recognizes the device.
 */
export async function open(
  c: Context,
  wanted: Wanted,
  operation:
    | 'register'
    | 'register_with_oidc'
    | 'log_in'
    | 'log_in_with_oidc'
    | 'log_in_with_passkey'
    | 'change_password'
    | 'confirm_totp',
  parameters: Record<string, unknown>,
  device?: string,
): Promise<{ userId: string; session: Opened; recoveryCodes: string[] | null | undefined }> {
  const { seals } = c.get('services')
  const begun = begin(c, wanted)
  const alert =
    operation.startsWith('log_in') && !device
      ? { p_alert_hash: bytea(hashOf(seals.seal('alert', { id: begun.id, generation: 0 }))) }
      : undefined
  const issued = await callFor(c, operation, { ...parameters, ...begun.parameters, ...alert }, Issued)
  const session = await finish(c, issued, begun.refreshToken, device)
  return { userId: issued.claims.sub, session, recoveryCodes: issued.recoveryCodes }
}

/** Adds a passkey. A person's first factor ends all sessions, so it also opens a new one. */
export async function addPasskey(c: Context, wanted: Wanted, parameters: Record<string, unknown>) {
  const begun = begin(c, wanted)
  const { passkey, ...issued } = await callFor(c, 'add_passkey', { ...parameters, ...begun.parameters }, AddedPasskey)
  const { claims, user, credentialsVersion, recoveryCodes } = issued
  if (!claims || !user || credentialsVersion === undefined) return { passkey, session: null, recoveryCodes: null }
  const session = await finish(c, { claims, user, credentialsVersion }, begun.refreshToken)
  return { passkey, session, recoveryCodes }
}

/**
 * The id of a token for a mail, and its hash, which the database stores. The worker computes the token again from the
 * id when it sends the mail.
 */
export function newLink(c: Context, purpose: Purpose): { id: string; hash: string } {
  const id = randomUUID()
  return { id, hash: bytea(hashOf(c.get('services').seals.seal(purpose, { id, generation: 0 }))) }
}

async function join(
  c: Context,
  session: Wanted['session'],
  reservation: string,
  person: Omit<z.output<typeof Registration>, 'sessionId'>,
) {
  await refuseGuessable(c, person.password, [person.email, person.firstName, person.lastName])
  const link = newLink(c, 'email')
  return open(c, { session, deviceName: person.deviceName }, 'register', {
    p_session_id: reservation,
    p_email: person.email,
    // The operation checks later whether the reservation exists.
    p_password_hash: await hashPassword(person.password, 'stranger'),
    p_first_name: person.firstName,
    p_last_name: person.lastName,
    p_date_of_birth: person.dateOfBirth,
    p_country: person.country,
    p_city: person.city,
    p_verification_id: link.id,
    p_verification_hash: link.hash,
  })
}

export async function register(c: Context, person: z.output<typeof Registration>) {
  return (await join(c, undefined, person.sessionId, person)).session
}

export async function registerAlias(c: Context, form: z.output<typeof RegistrationAlias>) {
  const { inviteCodeId, email, password, deviceName, input } = form
  const { userId, session } = await join(c, 'rotating', inviteCodeId, { email, password, deviceName, ...input })
  const { accessToken, refreshToken, deviceToken: token } = session
  return { userId, accessToken, refreshToken, deviceToken: token }
}

/**
 * Whether the password matches. The attempt was counted before. The count is undone if the password is right, or if it
 * was never checked because too many checks were waiting.
 */
async function check(
  found: z.output<typeof FoundLogin>,
  password: string,
  who: Who,
  takeBack: TakeBack,
): Promise<boolean> {
  let wrong = false
  try {
    wrong = !(await checkPassword(found?.passwordHash ?? undefined, password, who))
    return !wrong
  } finally {
    if (!wrong) await takeBack()
  }
}

type Presented = Pick<z.output<typeof Credentials>, 'email' | 'password' | 'deviceToken'>

/**
 * Finds the account and checks its password, with the limits of a login.
 * @returns the account, and the id of a known device
 * @throws ApiError credentials_wrong, rate_limited
 */
export async function authenticate(c: Context, { email, password, deviceToken: carried }: Presented) {
  const found = await callFor(c, 'find_login', { p_email: email }, FoundLogin)
  const device = deviceOf(c, carried, found)
  const right = await check(found, password, device ? 'known' : 'stranger', await attemptLogin(c, email, found, device))
  if (!found?.passwordHash || !right) throw new ApiError('credentials_wrong')
  return { found: { ...found, passwordHash: found.passwordHash }, device }
}

export async function logIn(c: Context, { code, ...presented }: z.output<typeof Credentials>) {
  const { found, device } = await authenticate(c, presented)
  const stronger = isWeak(found.passwordHash) ? await hashPassword(presented.password) : undefined
  const login = { p_user_id: found.userId, p_password_hash: found.passwordHash, p_new_hash: stronger, p_code: code }
  const takeBack = code === undefined ? undefined : await attemptFactor(c, presented.email, found, device)
  const { session } = await open(c, presented, 'log_in', login, device)
  await takeBack?.()
  return session
}

/** Counts a code inside a session as a wrong password, unless `use` succeeds with it. */
export async function countCode<T>(c: Context, use: () => Promise<T>): Promise<T> {
  const holder = await callFor(c, 'find_password', {}, Holder, 'gate')
  const takeBack = await attemptInSession(c, holder)
  const done = await use()
  await takeBack()
  return done
}

/**
 * Checks the password again inside a session, where wrong passwords are counted per person.
 * @throws ApiError password_wrong, rate_limited
 */
async function confirmHolder(c: Context, password: string): Promise<{ passwordHash: string; words: string[] }> {
  const found = await callFor(c, 'find_password', {}, Holder, 'gate')
  const right = await check(found, password, 'known', await attemptInSession(c, found))
  const { passwordHash, words } = found
  if (!right || passwordHash === null) throw new ApiError('password_wrong')
  return { passwordHash, words }
}

/**
 * Checks the password in the same way. Returns the stored hash, so that the next operation can check that the password
 * has not changed since.
 */
export const confirmPassword = async (c: Context, password: string): Promise<string> =>
  (await confirmHolder(c, password)).passwordHash

export async function changePassword(c: Context, change: z.output<typeof PasswordChange>) {
  const { passwordHash: stored, words } = await confirmHolder(c, change.currentPassword)
  await refuseGuessable(c, change.newPassword, words)
  const fresh = await hashPassword(change.newPassword)
  const parameters = { p_password_hash: stored, p_new_hash: fresh }
  return (await open(c, change, 'change_password', parameters)).session
}

/** Ends the login that a mail reported. */
export async function endAlerted(c: Context, { token }: z.output<typeof AlertBody>) {
  const alert = c.get('services').seals.open('alert', token)
  if (!alert) throw new ApiError('session_over')
  return call(c, 'end_alerted_session', { p_id: alert.id, p_alert_hash: bytea(hashOf(token)) })
}

/** The session of a valid refresh token. Its attempts are counted per session, not per IP address. */
export const familyOf = (c: Context, { refreshToken }: z.output<typeof RefreshBody>): string | undefined =>
  c.get('services').seals.open('refresh', refreshToken)?.id

export async function refresh(c: Context, { refreshToken }: z.output<typeof RefreshBody>) {
  const { seals, tokens } = c.get('services')
  const presented = seals.open('refresh', refreshToken)
  if (!presented) throw new ApiError('refresh_token_invalid')
  const successor = seals.seal('refresh', { id: presented.id, generation: presented.generation + 1 })
  const parameters = {
    p_family: presented.id,
    p_generation: presented.generation,
    p_refresh_hash: bytea(hashOf(refreshToken)),
    p_next_hash: bytea(hashOf(successor)),
    p_seconds: ROTATING_SECONDS,
  }
  const { claims } = await callFor(c, 'refresh_session', parameters, Reissued)
  return { accessToken: await tokens.sign(claims), refreshToken: successor, expiresIn: ROTATING_SECONDS }
}

export async function logOut(c: Context, body: z.output<typeof LogoutBody>) {
  // An invalid refresh token has no session to end. Logging out never fails.
  const family: Sealed | undefined = c.get('services').seals.open('refresh', body?.refreshToken ?? '')
  if (body?.pushToken) await call(c, 'remove_push_token', { p_token: body.pushToken })
  return call(c, 'log_out', { p_scope: body?.scope, p_family: family?.id })
}
