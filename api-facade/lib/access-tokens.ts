// Access tokens with scopes: their form, and how the facade makes them. Rules are in
// sql/identity/58_access_tokens.sql. docs/decisions.md, Access tokens.
import { createHmac, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { hashOf } from './seals.ts'

/** The prefix of personal tokens, and the prefix of the tokens of apps. */
export type Prefix = 'kith_pat_' | 'kith_app_'

const shape = /^(kith_(?:pat|app)_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A number in base 62, with this many digits. */
const inBase62 = (number: bigint, digits: number): string =>
  Array.from({ length: digits }, (_, at) => DIGITS[Number((number / 62n ** BigInt(digits - 1 - at)) % 62n)]).join('')

const checksumOf = (text: string): string => inBase62(BigInt(crc32(text)), 6)

/** A token of 32 secret bytes: a prefix, 43 digits in base 62, and a checksum by which secret scanners recognize it. */
export function accessTokenOf(prefix: Prefix, bytes: Buffer): string {
  const text = prefix + inBase62(BigInt(`0x${bytes.toString('hex')}`), 43)
  return text + checksumOf(text)
}

/** Whether a bearer token has the form of an access token with scopes, including the right checksum. */
export function isAccessToken(token: string): boolean {
  const [, text, sum] = shape.exec(token) ?? []
  return text !== undefined && checksumOf(text) === sum
}

export type AccessTokens = {
  /** A new personal token, and the nonce from which it is made. */
  make(): { nonce: string; token: string }
  /** The token that is made from this nonce and has this hash (hex); undefined if none of our keys gives this hash. */
  find(nonce: string, hash: string): string | undefined
}

/**
 * A personal token is the HMAC of a random nonce. The nonce is stored with the answer to a request with an
 * Idempotency-Key, so that the request can be repeated although the token is stored nowhere.
 */
export function createAccessTokens(secrets: readonly [string, ...string[]]): AccessTokens {
  const keys = secrets.map((secret) => createHmac('sha256', secret).update('kith access token').digest())
  const tokensOf = (nonce: string) =>
    keys.map((key) => accessTokenOf('kith_pat_', createHmac('sha256', key).update(nonce).digest()))
  return {
    make() {
      const nonce = randomBytes(32).toString('base64url')
      return { nonce, token: tokensOf(nonce)[0] as string }
    },
    find: (nonce, hash) => tokensOf(nonce).find((token) => hashOf(token) === hash),
  }
}
