// Tokens that the database can name but not make: refresh tokens and those of password resets. HMAC-SHA256 of an id and a
// generation under the server's key; the database keeps the SHA-256. docs/decisions.md, Tokens and sessions.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** What a token is for: one is never good as the other. */
export type Purpose = 'refresh' | 'reset'
/** A UUID, and how often its token was replaced. */
export type Sealed = { id: string; generation: number }

export type Seals = {
  /** The token, in base64url. The same each time, so that it need not be kept. */
  seal(purpose: Purpose, sealed: Sealed): string
  /** The token of this hash, whichever of the keys made it; undefined when none did. */
  find(purpose: Purpose, sealed: Sealed, hash: string): string | undefined
  /** What the token names, or undefined when none of our keys made it. */
  open(purpose: Purpose, token: string): Sealed | undefined
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
  const keys = { refresh: keysFor('refresh'), reset: keysFor('reset') }
  const macOf = (key: Buffer, named: Buffer) => createHmac('sha256', key).update(named).digest()
  const tokensOf = (purpose: Purpose, sealed: Sealed) => {
    const named = nameOf(sealed)
    return keys[purpose].map((key) => Buffer.concat([named, macOf(key, named)]).toString('base64url'))
  }

  return {
    seal: (purpose, sealed) => tokensOf(purpose, sealed)[0] as string,
    find: (purpose, sealed, hash) => tokensOf(purpose, sealed).find((token) => hashOf(token) === hash),
    open(purpose, token) {
      const bytes = Buffer.from(token, 'base64url')
      // one spelling only: base64 ignores what it cannot read
      if (bytes.length !== SIZE || bytes.toString('base64url') !== token) return undefined
      const [named, mac] = [bytes.subarray(0, NAMED), bytes.subarray(NAMED)]
      if (!keys[purpose].some((key) => timingSafeEqual(macOf(key, named), mac))) return undefined
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
