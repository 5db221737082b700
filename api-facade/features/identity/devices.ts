// Devices on which a person has logged in: what they carry to the next login, and whose wrong passwords count together.
// docs/decisions.md, Limits; Tokens and sessions.
import { createHash, randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { Context, TakeBack } from '../../lib/context.ts'
import type { FoundLogin } from './schemas.ts'

/** A person, and which of their passwords it is: a new one begins anew. */
type Holder = { userId: string; credentialsVersion: number }

/** How many days a device token is good, from the login that gave it. */
export const DEVICE_DAYS = 365
const today = () => Math.floor(Date.now() / 86_400_000)

// with an unknown address there is as much to do
const NOBODY: Holder = { userId: randomUUID(), credentialsVersion: 0 }
const holderOf = ({ userId, credentialsVersion }: Holder): string => `${userId} ${credentialsVersion}`

/** The token of a device, by default a new one. Nothing is kept: it is bound to the holder, and ends with the password. */
export const deviceToken = (c: Context, holder: Holder, device: string = randomUUID()): string =>
  c.get('services').seals.seal('device', { id: device, generation: today() }, holderOf(holder))

/** The device of a token that was made for this holder. */
export function deviceOf(c: Context, token: string | undefined, holder: Holder | null): string | undefined {
  const device = c.get('services').seals.open('device', token ?? '', holderOf(holder ?? NOBODY))
  return device && device.generation + DEVICE_DAYS > today() ? device.id : undefined
}

/** Counts a try at login: by the device where the account knows it, else with all others that try the account. */
export function attemptLogin(
  c: Context,
  email: string,
  found: z.output<typeof FoundLogin>,
  device: string | undefined,
): Promise<TakeBack> {
  const { limits } = c.get('services')
  if (device) return limits.attempt(c, 'login_device', device)
  // an address is nothing that counters should hold; an unknown one has what a person has who never changed the password
  const account = createHash('sha256').update(email).digest('base64url')
  return limits.attempt(c, 'login_account', `${account} ${found?.credentialsVersion ?? 0}`)
}

/** Counts a try inside a session. */
export const attemptInSession = (c: Context, holder: Holder): Promise<TakeBack> =>
  c.get('services').limits.attempt(c, 'password', holderOf(holder))
