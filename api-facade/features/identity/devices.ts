// Devices on which a person has logged in: their names, the token that a device sends with the next login, and how
// wrong passwords are counted. docs/decisions.md, Limits; Tokens and sessions.
import { createHash, randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { Context, TakeBack } from '../../lib/context.ts'
import type { FoundLogin } from './schemas.ts'

/** The holder of a device token: a person, and the version of their password. With a new password the counters start again. */
type Holder = { userId: string; credentialsVersion: number }

/** How many days a device token is valid, from the login that issued it. */
const DEVICE_DAYS = 365
const today = () => Math.floor(Date.now() / 86_400_000)

// An unknown address causes the same work as a known one, so that timing reveals nothing.
const NOBODY: Holder = { userId: randomUUID(), credentialsVersion: 0 }
const holderOf = ({ userId, credentialsVersion }: Holder): string => `${userId} ${credentialsVersion}`

/**
 * The token of a device, by default a new one. Nothing is stored: the token is bound to the holder and ends with the
 * password.
 */
export const deviceToken = (c: Context, holder: Holder, device: string = randomUUID()): string =>
  c.get('services').seals.seal('device', { id: device, generation: today() }, holderOf(holder))

/** The device of a token, if the token was issued to this holder. */
export function deviceOf(c: Context, token: string | undefined, holder: Holder | null): string | undefined {
  const device = c.get('services').seals.open('device', token ?? '', holderOf(holder ?? NOBODY))
  return device && device.generation + DEVICE_DAYS > today() ? device.id : undefined
}

// The first match counts: Edge and Opera also call themselves Chrome, and Chrome calls itself Safari.
const browsers = [
  [/ Edg(A|iOS)?\//, 'Edge'],
  [/ OPR\//, 'Opera'],
  [/ (Firefox|FxiOS)\//, 'Firefox'],
  [/ (Chrome|CriOS)\//, 'Chrome'],
  [/ Safari\//, 'Safari'],
] as const
const systems = [
  [/ Android /, 'Android'],
  [/\((iPhone|iPod)/, 'iPhone'],
  [/\(iPad/, 'iPad'],
  [/\(Macintosh/, 'macOS'],
  [/\(Windows/, 'Windows'],
  [/ CrOS /, 'ChromeOS'],
  [/ Linux /, 'Linux'],
] as const

/**
 * A short name for a device that has none: browser and system, otherwise the name of the program. It has no version,
 * so that a browser is not a new device after its update.
 */
export function nameOfDevice(userAgent = ''): string | undefined {
  const firstOf = (names: typeof browsers | typeof systems) => names.find(([pattern]) => pattern.test(userAgent))?.[1]
  const browser = firstOf(browsers)
  const system = firstOf(systems)
  if (browser) return system ? `${browser} on ${system}` : browser
  return /^[A-Za-z0-9_-]{1,40}/.exec(userAgent)?.[0]
}

// Counters must not store addresses, so they store a hash. An unknown address is counted like a person who never
// changed the password.
const accountOf = (email: string, found: z.output<typeof FoundLogin>): string =>
  `${createHash('sha256').update(email).digest('base64url')} ${found?.credentialsVersion ?? 0}`

/**
 * Counts a login attempt: per device if the person has logged in on it before, otherwise for all unknown devices of the
 * account together.
 */
export function attemptLogin(
  c: Context,
  email: string,
  found: z.output<typeof FoundLogin>,
  device: string | undefined,
): Promise<TakeBack> {
  const { limits } = c.get('services')
  return device
    ? limits.attempt(c, 'login_device', device)
    : limits.attempt(c, 'login_account', accountOf(email, found))
}

/**
 * Counts a code of a second factor at a login with the right password. Known devices are counted separately, as for
 * passwords.
 */
export const attemptFactor = (
  c: Context,
  email: string,
  found: z.output<typeof FoundLogin>,
  device: string | undefined,
): Promise<TakeBack> => c.get('services').limits.attempt(c, 'login_factor', device ?? accountOf(email, found))

/** Counts an attempt inside a session. */
export const attemptInSession = (c: Context, holder: Holder): Promise<TakeBack> =>
  c.get('services').limits.attempt(c, 'password', holderOf(holder))
