// Tokens that nobody but we can make: refresh tokens, those that are mailed, and device tokens. HMAC-SHA256 of an id and
// a generation under the server's key. Of the first two the database keeps the SHA-256; a device token is kept nowhere,
// and bound to what the database says of its holder; that of a digest names what the database keeps.
// docs/decisions.md, Tokens and sessions.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** What a token is for: one is never good as the other. */
export type Purpose = 'refresh' | 'reset' | 'email' | 'device' | 'unsubscribe' | 'upload'
/** A UUID, and how often its token was replaced; of a device the day, of an upload the second in which it ends. */
export type Sealed = { id: string; generation: number }

export type Seals = {
  /** The token, in base64url. The same each time, so that it need not be kept. `holder` is sealed with it and not in it. */
  seal(purpose: Purpose, sealed: Sealed, holder?: string): string
  /** The token of this hash, whichever of the keys made it; undefined when none did. */
  find(purpose: Purpose, sealed: Sealed, hash: string): string | undefined
  /** What the token names, or undefined when none of our keys made it, or for another holder. */
  open(purpose: Purpose, token: string, holder?: string): Sealed | undefined
}

const NAMED = 20 // bytes: the id, and four of the generation
const SIZE = NAMED + 32

/** What the database keeps of a token: SHA-256, in hex. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')
/** The same as the text of a bytea. */
export const bytea = (hex: string): string => `\\x${hex}`

/** The first secret makes tokens, all of them open. */
export function createSeals(secrets: readonly [string, ...string[]]): Seals {
  const keysFor = (purpose: Purpose) =>
    secrets.map((secret) => createHmac('sha256', secret).update(`kith ${purpose} token`).digest())
  const keys = {
    refresh: keysFor('refresh'),
    reset: keysFor('reset'),
    email: keysFor('email'),
    device: keysFor('device'),
    unsubscribe: keysFor('unsubscribe'),
    upload: keysFor('upload'),
  }
  const macOf = (key: Buffer, named: Buffer, holder: string) =>
    createHmac('sha256', key).update(named).update(holder).digest()
  const tokensOf = (purpose: Purpose, sealed: Sealed, holder = '') => {
    const named = nameOf(sealed)
    return keys[purpose].map((key) => Buffer.concat([named, macOf(key, named, holder)]).toString('base64url'))
  }

  return {
    seal: (purpose, sealed, holder) => tokensOf(purpose, sealed, holder)[0] as string,
    find: (purpose, sealed, hash) => tokensOf(purpose, sealed).find((token) => hashOf(token) === hash),
    open(purpose, token, holder = '') {
      const bytes = Buffer.from(token, 'base64url')
      // one spelling only: base64 ignores what it cannot read
      if (bytes.length !== SIZE || bytes.toString('base64url') !== token) return undefined
      const [named, mac] = [bytes.subarray(0, NAMED), bytes.subarray(NAMED)]
      if (!keys[purpose].some((key) => timingSafeEqual(macOf(key, named, holder), mac))) return undefined
      return { id: uuidOf(named), generation: named.readUInt32BE(16) }
    },
  }
}

function nameOf({ id, generation }: Sealed): Buffer {
  const named = Buffer.alloc(NAMED)
  named.write(id.replaceAll('-', ''), 'hex')
  named.writeUInt32BE(generation, 16)
  return named
}

const uuidOf = (named: Buffer): string =>
  named.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
