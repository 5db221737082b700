// The OpenID provider with which people can also log in (OIDC_ISSUER), asked by openid-client. Nothing is stored until
// the provider has sent the browser back: what belongs to a login is in its sealed state.
// docs/decisions.md, Logging in elsewhere.
import type { Hono } from 'hono'
import * as client from 'openid-client'
import type { Config } from './config.ts'
import type { Context, Env } from './context.ts'
import { ApiError, toApiError } from './errors.ts'
import { send } from './headers.ts'
import { otherMethods } from './routes.ts'
import { z } from './schemas.ts'
import { hashOf, type Seals } from './seals.ts'

/** Where the provider sends the browser. The operator registers this address of the facade there. */
export const CALLBACK = '/oidc/callback'

/** How long a login at the provider may take, and how old a fresh one may be. Seconds. */
const PATIENCE = 300
/** How long the provider may take to answer. Seconds. */
const TIMEOUT = 10

/** What a client wants when it begins. `challenge` is the SHA-256 of its verifier, in base64url. */
export type Begun = { challenge: string; returnTo: string; fresh: boolean }
type Answered = { subject: string; email: string }

export type Oidc = {
  /** How the provider is called; undefined if there is none. */
  name: string | undefined
  /** The address at the provider to which the browser goes. @throws ApiError oidc_off, oidc_address */
  begin(begun: Begun): Promise<{ url: string; expiresAt: string }>
  /** What belongs to a state that the provider sent back. @throws ApiError oidc_over */
  resume(state: string): Begun & { id: string }
  /** Checks the provider's answer and asks for the person. @throws ApiError oidc_unverified, or what went wrong */
  finish(login: Begun & { id: string }, answer: URLSearchParams): Promise<Answered>
  issuer: string
}

const now = () => Math.floor(Date.now() / 1000)
const Address = z.email().max(254)

export function createOidc(config: Config, seals: Seals): Oidc {
  const { oidc: settings, facadeUrl } = config
  let known: Promise<client.Configuration> | undefined
  const connect = async (): Promise<client.Configuration> => {
    if (!settings) throw new ApiError('oidc_off')
    known ??= configurationOf(settings)
    known.catch(() => {
      known = undefined // the provider may be back at the next login
    })
    return known
  }
  const allowed = ['/app', '/account', '/join', '/admin', ...(settings?.returns ?? [])]
  const holderOf = ({ challenge, returnTo, fresh }: Begun) => `${challenge} ${returnTo} ${fresh}`
  // derived from the id, so that they need not be stored; the browser can't derive them
  const secretOf = (id: string, use: string) => seals.seal('oidc', { id, generation: 0 }, use)
  const nonceOf = (id: string) => hashOf(secretOf(id, 'nonce'))

  return {
    name: settings?.name,
    issuer: settings?.issuer ?? '',

    async begin(begun) {
      const provider = await connect()
      if (!allowed.includes(begun.returnTo)) throw new ApiError('oidc_address')
      const id = crypto.randomUUID()
      const start = now()
      const sealed = seals.seal('oidc', { id, generation: start }, holderOf(begun))
      const rest = [begun.challenge, Buffer.from(begun.returnTo).toString('base64url'), String(Number(begun.fresh))]
      const url = client.buildAuthorizationUrl(provider, {
        redirect_uri: facadeUrl + CALLBACK,
        scope: 'openid email',
        code_challenge: await client.calculatePKCECodeChallenge(secretOf(id, 'verifier')),
        code_challenge_method: 'S256',
        state: [sealed, ...rest].join('.'),
        nonce: nonceOf(id),
        ...(begun.fresh && { prompt: 'login', max_age: String(PATIENCE) }),
      })
      return { url: url.href, expiresAt: new Date((start + PATIENCE) * 1000).toISOString() }
    },

    resume(state) {
      const [sealed = '', challenge = '', address = '', fresh = ''] = state.split('.')
      const begun = { challenge, returnTo: Buffer.from(address, 'base64url').toString(), fresh: fresh === '1' }
      const opened = seals.open('oidc', sealed, holderOf(begun))
      if (!opened || opened.generation + PATIENCE < now()) throw new ApiError('oidc_over')
      return { ...begun, id: opened.id }
    },

    async finish({ id, fresh }, answer) {
      const provider = await connect()
      const tokens = await client.authorizationCodeGrant(provider, new URL(`${facadeUrl}${CALLBACK}?${answer}`), {
        pkceCodeVerifier: secretOf(id, 'verifier'),
        expectedState: answer.get('state') ?? '',
        expectedNonce: nonceOf(id),
        ...(fresh && { maxAge: PATIENCE }),
      })
      const claims = tokens.claims()
      if (!claims) throw new ApiError('oidc_over')
      // many providers give the address only here
      const found =
        claims.email === undefined && provider.serverMetadata().userinfo_endpoint
          ? await client.fetchUserInfo(provider, tokens.access_token, claims.sub)
          : claims
      const email = Address.safeParse(found.email)
      if (found.email_verified !== true || !email.success) throw new ApiError('oidc_unverified')
      return { subject: claims.sub, email: email.data }
    },
  }
}

async function configurationOf({
  issuer,
  clientId,
  clientSecret,
  endpoints,
}: NonNullable<Config['oidc']>): Promise<client.Configuration> {
  const auth = clientSecret ? client.ClientSecretBasic(clientSecret) : client.None()
  const isLocal = new URL(issuer).protocol === 'http:' // configuration allows it only on this machine
  const options = { timeout: TIMEOUT, ...(isLocal && { execute: [client.allowInsecureRequests] }) }
  if (!endpoints) return client.discovery(new URL(issuer), clientId, undefined, auth, options)
  const provider = new client.Configuration(
    {
      issuer,
      authorization_endpoint: endpoints.authorization,
      token_endpoint: endpoints.token,
      jwks_uri: endpoints.keys,
      ...(endpoints.userinfo && { userinfo_endpoint: endpoints.userinfo }),
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA', 'PS256'],
    },
    clientId,
    undefined,
    auth,
  )
  provider.timeout = TIMEOUT
  if (isLocal) client.allowInsecureRequests(provider)
  return provider
}

const FINISH = `
  select api.finish_oidc($1::uuid, decode($2::text, 'hex'), $3::text, $4::text, $5::text, $6::text, $7::boolean)`

/**
 * Serves the address to which the provider sends the browser. It goes on to the client with a one-time code behind the
 * #, or with the code of an error; never with a token.
 */
export function mountOidc(app: Hono<Env>): void {
  app.get(CALLBACK, async (c) => {
    const { oidc, limits } = c.get('services')
    const over = await limits.route(c, 'oidc', undefined)
    if (over) throw over
    const answer = new URL(c.req.url).searchParams
    const login = oidc.resume(answer.get('state') ?? '')
    const behind = await finish(c, login, answer)
    return send(c, null, 303, { Location: `${login.returnTo}#${new URLSearchParams(behind)}` })
  })
  app.all(CALLBACK, otherMethods(['GET']))
}

/** Asks the provider for the person, and records the login. @returns the one-time code, or the code of an error */
async function finish(
  c: Context,
  login: Begun & { id: string },
  answer: URLSearchParams,
): Promise<Record<string, string>> {
  const { oidc, seals, pools, log } = c.get('services')
  const found = await oidc.finish(login, answer).catch((error: unknown) => {
    if (error instanceof ApiError) return error.code
    log.warn({ cause: causeOf(error) }, 'a login at the OpenID provider failed')
    return 'oidc_refused'
  })
  if (typeof found === 'string') return { error: found }
  const { id, challenge, fresh } = login
  const code = seals.seal('oidc', { id, generation: 0 }, 'code')
  const given = [id, hashOf(code), challenge, oidc.issuer, found.subject, found.email, fresh]
  try {
    await pools.gate.run((sql) => sql.unsafe(FINISH, given))
  } catch (error) {
    const { code: refused } = toApiError(error)
    if (refused !== 'oidc_over') throw error
    return { error: refused }
  }
  return { oidc: code }
}

/** Why a login failed, for the log: openid-client's code, and the provider's. Never an answer, which may have secrets. */
function causeOf(error: unknown): string {
  const { code, error: said } = (error ?? {}) as { code?: unknown; error?: unknown }
  return [code, said].filter((one) => typeof one === 'string').join(' ') || 'unknown'
}
