// Sealed tokens, which only the server can make: refresh tokens, tokens in mails, and device tokens. A token is the
// HMAC-SHA256 of an id and a generation under the server's key. The database stores the SHA-256 of refresh tokens and
// of tokens in mails. A device token is stored nowhere, and is bound to data of its holder. The token of a digest
// refers to a row. docs/decisions.md, Tokens and sessions.
import { createCipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** The purposes of tokens. A token is never valid for another purpose. */
export type Purpose = 'refresh' | 'reset' | 'email' | 'device' | 'alert' | 'unsubscribe' | 'upload' | 'oidc' | 'app'
/**
 * What a token contains: a UUID and a generation. The generation says how often the token was replaced. For a device
 * it is the day, for an upload the second at which it ends, and for the state of a login at the provider the second at
 * which it began.
 */
export type Sealed = { id: string; generation: number }

export type Seals = {
  /**
   * The token, in base64url. It is deterministic and need not be stored. `holder` is part of the HMAC, not of the
   * token.
   */
  seal(purpose: Purpose, sealed: Sealed, holder?: string): string
  /** The token that has this hash, made with any of the keys; undefined if none has. */
  find(purpose: Purpose, sealed: Sealed, hash: string): string | undefined
  /** The content of the token; undefined if none of our keys made it, or if it belongs to another holder. */
  open(purpose: Purpose, token: string, holder?: string): Sealed | undefined
  /** Hides a number from everyone but the server, in base64url. Equal numbers of a holder give equal texts. */
  hide(holder: string, number: number): string
  /** The hidden number; undefined if none of our keys has hidden it, or if it belongs to another holder. */
  reveal(holder: string, hidden: string): number | undefined
}

const NAMED = 20 // The bytes of the id, and four for the generation.
const SIZE = NAMED + 32
const PROOF = 16 // The bytes that precede the number in a hidden number.

/** The hash that the database stores instead of a token: SHA-256, here in hex. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')
/** A hash in hex as the text of a bytea. */
export const bytea = (hex: string): string => `\\x${hex}`

/** The first secret makes tokens; all of them open tokens. */
export function createSeals(secrets: readonly [string, ...string[]]): Seals {
  const keysFor = (purpose: Purpose) =>
    secrets.map((secret) => createHmac('sha256', secret).update(`kith ${purpose} token`).digest())
  const keys = {
    refresh: keysFor('refresh'),
    reset: keysFor('reset'),
    email: keysFor('email'),
    device: keysFor('device'),
    alert: keysFor('alert'),
    unsubscribe: keysFor('unsubscribe'),
    upload: keysFor('upload'),
    oidc: keysFor('oidc'),
    app: keysFor('app'),
  }
  const hiding = secrets.map((secret) => ({
    proving: createHmac('sha256', secret).update('kith proof of a number').digest(),
    encrypting: createHmac('sha256', secret).update('kith hidden number').digest(),
  }))
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
      // Only the canonical form is accepted, because base64 decoding ignores invalid characters.
      if (bytes.length !== SIZE || bytes.toString('base64url') !== token) return undefined
      const [named, mac] = [bytes.subarray(0, NAMED), bytes.subarray(NAMED)]
      if (!keys[purpose].some((key) => timingSafeEqual(macOf(key, named, holder), mac))) return undefined
      return { id: uuidOf(named), generation: named.readUInt32BE(16) }
    },
    hide(holder, number) {
      const [key] = hiding as [Hiding]
      const plain = Buffer.alloc(8)
      plain.writeDoubleBE(number)
      const proof = proofOf(key, holder, plain)
      return Buffer.concat([proof, encrypted(key, proof, plain)]).toString('base64url')
    },
    reveal(holder, hidden) {
      const bytes = Buffer.from(hidden, 'base64url')
      if (bytes.length !== PROOF + 8 || bytes.toString('base64url') !== hidden) return undefined
      const [proof, text] = [bytes.subarray(0, PROOF), bytes.subarray(PROOF)]
      for (const key of hiding) {
        const plain = encrypted(key, proof, text)
        if (timingSafeEqual(proofOf(key, holder, plain), proof)) return plain.readDoubleBE()
      }
      return undefined
    },
  }
}

/** The keys of hidden numbers. The proof is also the initialization vector, as in AES-SIV (RFC 5297). */
type Hiding = { proving: Buffer; encrypting: Buffer }

const proofOf = ({ proving }: Hiding, holder: string, plain: Buffer): Buffer =>
  createHmac('sha256', proving).update(plain).update(holder).digest().subarray(0, PROOF)

/** In counter mode the same step encrypts and decrypts. */
const encrypted = ({ encrypting }: Hiding, proof: Buffer, text: Buffer): Buffer =>
  createCipheriv('aes-256-ctr', encrypting, proof).update(text)

function nameOf({ id, generation }: Sealed): Buffer {
  const named = Buffer.alloc(NAMED)
  named.write(id.replaceAll('-', ''), 'hex')
  named.writeUInt32BE(generation, 16)
  return named
}

const uuidOf = (named: Buffer): string =>
  named.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
