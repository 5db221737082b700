// Access tokens: HS256, payload exactly {sub, email, role, iat, exp}. SQL decides whether the holder is still valid.
// docs/decisions.md, Tokens and sessions.
import { webcrypto } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { z } from 'zod'
import { isAccessToken } from './access-tokens.ts'
import { ApiError } from './errors.ts'
import type { Pool } from './pool.ts'
import { bytea, hashOf } from './seals.ts'

export const Claims = z.strictObject({
  sub: z.uuid(),
  email: z.string().min(1),
  role: z.enum(['user', 'moderator', 'admin']),
  iat: z.int(),
  exp: z.int(),
})
/** The payload of a token; `iat` and `exp` in seconds. */
export type Claims = z.infer<typeof Claims>

const Header = z.strictObject({ alg: z.literal('HS256'), typ: z.literal('JWT').optional() })

export type Tokens = {
  sign(claims: Claims): Promise<string>
  /** @throws ApiError token_expired, or token_invalid for any other problem */
  verify(token: string): Promise<Claims>
}

const CACHE_SIZE = 10_000
const TOKEN_LENGTH = 4096

/**
 * Keys are imported once, which halves the cost of a verification. The first secret signs and all of them verify, so
 * that a secret can be replaced while tokens of the old one are still valid.
 * @param find finds the claims of an access token with scopes, which is not a JWT; without `find` no such token is
 * accepted
 */
export async function createTokens(
  secrets: readonly [string, ...string[]],
  find: (token: string) => Promise<Claims | null> = async () => null,
): Promise<Tokens> {
  const [first, ...others] = secrets
  const signing = await importKey(first)
  const keys = [signing, ...(await Promise.all(others.map(importKey)))]
  // The key is the whole token, because another token with the same claims is not verified yet.
  const known = new Map<string, Claims>()

  async function verify(token: string): Promise<Claims> {
    const claims = known.get(token) ?? (await read(token))
    if (claims.exp <= Date.now() / 1000) {
      known.delete(token)
      throw new ApiError('token_expired')
    }
    if (!known.has(token)) remember(token, claims)
    return claims
  }

  async function read(token: string): Promise<Claims> {
    if (!token.startsWith('kith_')) return check(token, keys)
    const claims = isAccessToken(token) ? await find(token) : null
    if (!claims) throw new ApiError('token_invalid')
    return claims
  }

  function remember(token: string, claims: Claims): void {
    const oldest = known.size >= CACHE_SIZE ? known.keys().next().value : undefined
    if (oldest !== undefined) known.delete(oldest)
    known.set(token, claims)
  }

  const sign = ({ sub, email, role, iat, exp }: Claims): Promise<string> =>
    new SignJWT({ sub, email, role, iat, exp }).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(signing)

  return { sign, verify }
}

/** The anonymous key of Supabase's gateway. Clients of Realtime send it before they have a token. */
export const anonKeyOf = (secret: string): Promise<string> =>
  new SignJWT({ role: 'anon' })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer('kith')
    .setIssuedAt()
    .setExpirationTime('10y')
    .sign(new TextEncoder().encode(secret))

const importKey = (secret: string): Promise<webcrypto.CryptoKey> =>
  webcrypto.subtle.importKey('raw', Buffer.from(secret), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])

async function check(token: string, keys: readonly webcrypto.CryptoKey[]): Promise<Claims> {
  if (token.length > TOKEN_LENGTH) throw new ApiError('token_invalid')
  for (const key of keys) {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, key, { algorithms: ['HS256'] })
      const claims = Claims.safeParse(payload)
      if (!claims.success || !Header.safeParse(protectedHeader).success) break
      return claims.data
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw new ApiError('token_expired')
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) break
    }
  }
  throw new ApiError('token_invalid')
}

/** Makes a function that finds the claims of an access token; null if there is no such token. */
export const accessTokenFinder =
  (gate: Pick<Pool, 'run'>) =>
  async (token: string): Promise<Claims | null> => {
    const statement = 'select api.find_access_token($1::text::bytea)::text as claims'
    const [row] = await gate.run((sql) =>
      sql.unsafe<{ claims: string | null }[]>(statement, [bytea(hashOf(token))], { prepare: true }),
    )
    return row?.claims ? Claims.parse(JSON.parse(row.claims)) : null
  }
