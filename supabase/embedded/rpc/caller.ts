// Identifies the caller. It checks the API key like the gateway, then the token like PostgREST.
import type { HonoRequest } from 'hono'
import { errors, type JWTPayload } from 'jose'
import { jwtVerifier } from '../jwt.ts'
import { RestError } from './errors.ts'
import type { PoolName, Site } from './site.ts'

/** The claims of the token, and the pool with the rights of its role. */
export type Caller = { claims: JWTPayload; pool: PoolName }
export type Door = (request: HonoRequest) => Promise<Caller>

// The roles that authenticator can assume. The three roles of people have exactly the rights of authenticated.
const pools: Readonly<Record<string, PoolName | undefined>> = {
  anon: 'anon',
  authenticated: 'user',
  user: 'user',
  moderator: 'user',
  admin: 'user',
  service_role: 'service',
}

/** The allowed clock skew in seconds, as in PostgREST. */
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
 * Makes a function that identifies the caller, or refuses like the gateway (no key, or neither the anon nor the service
 * key) or like PostgREST (an invalid token). private.check_caller checks whether the token is still valid.
 */
export function createDoor(secrets: readonly string[], claimsOf: Site['claimsOf']): Door {
  const payloadOf = jwtVerifier(secrets, { clockTolerance: SKEW })

  /** Verifies a JWT, or an access token with scopes. */
  async function verify(token: string): Promise<JWTPayload> {
    if (token.startsWith('kith_'))
      return claimsOf(token).catch(() => {
        throw refused('PGRST301', 'The access token is not valid')
      })
    const parts = token.split('.').length
    if (token === '') throw refused('PGRST301', 'Empty JWT is sent in Authorization header')
    if (parts !== 3) throw refused('PGRST301', `Expected 3 parts in JWT; got ${parts}`)
    const payload = await payloadOf(token).catch((error) => {
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
