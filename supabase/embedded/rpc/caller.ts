// Who is calling: the gateway's look at the API key, then PostgREST's at the token.
import type { HonoRequest } from 'hono'
import { errors, type JWTPayload, jwtVerify } from 'jose'
import { RestError } from './errors.ts'
import type { PoolName } from './site.ts'

/** The token's claims, and the pool whose role has the rights of the token's. */
export type Caller = { claims: JWTPayload; pool: PoolName }
export type Door = (request: HonoRequest) => Promise<Caller>

// The roles that authenticator may take. The three of people have the rights of authenticated and no others.
const pools: Readonly<Record<string, PoolName | undefined>> = {
  anon: 'anon',
  authenticated: 'user',
  user: 'user',
  moderator: 'user',
  admin: 'user',
  service_role: 'service',
}

/** How far clocks may differ, in seconds. PostgREST's own. */
const SKEW = 30

const refused = (code: 'PGRST301' | 'PGRST303', message: string, details: string | null = null): RestError =>
  new RestError(401, code, message, {
    details,
    headers: { 'WWW-Authenticate': `Bearer error="invalid_token", error_description="${message}"` },
  })

function restErrorFor(error: unknown): RestError {
  if (error instanceof errors.JWTExpired) return refused('PGRST303', 'JWT expired')
  if (error instanceof errors.JWTClaimValidationFailed && error.claim === 'nbf')
    return refused('PGRST303', 'JWT not yet valid')
  if (error instanceof errors.JWTClaimValidationFailed) return refused('PGRST303', 'Parsing claims failed')
  if (error instanceof errors.JOSEAlgNotAllowed) return refused('PGRST301', 'Wrong or unsupported encoding algorithm')
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return refused('PGRST301', 'No suitable key or wrong key type', 'None of the keys was able to decode the JWT')
  return refused('PGRST301', "JWT couldn't be decoded")
}

/**
 * Makes the door: it finds who calls, or refuses as the gateway (no key, a key that is neither the anon nor the service
 * key) or as PostgREST would (a bad token). Whether the token's holder still stands is for private.check_caller.
 */
export function createDoor(secret: string): Door {
  const key = new TextEncoder().encode(secret)

  async function verify(token: string): Promise<JWTPayload> {
    const parts = token.split('.').length
    if (token === '') throw refused('PGRST301', 'Empty JWT is sent in Authorization header')
    if (parts !== 3) throw refused('PGRST301', `Expected 3 parts in JWT; got ${parts}`)
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], clockTolerance: SKEW }).catch((error) => {
      throw restErrorFor(error)
    })
    if ((payload.iat ?? 0) > Date.now() / 1000 + SKEW) throw refused('PGRST303', 'JWT issued at future')
    return payload
  }

  async function checkKey(apikey: string): Promise<void> {
    const { role } = await verify(apikey).catch((): JWTPayload => ({}))
    if (role === 'anon' || role === 'service_role') return
    throw new RestError(401, null, 'Invalid authentication credentials')
  }

  return async (request) => {
    const apikey = request.header('apikey')
    const [, bearer] = /^Bearer *(.*)$/i.exec(request.header('authorization') ?? '') ?? []
    if (apikey !== undefined) await checkKey(apikey)
    const token = bearer ?? apikey
    if (token === undefined) throw new RestError(401, null, 'No API key found in request')
    const claims = await verify(token.trim())
    const role = String(claims.role ?? 'anon')
    const pool = pools[role]
    if (!pool) throw new RestError(403, '42501', `permission denied to set role "${role}"`)
    return { claims, pool }
  }
}
