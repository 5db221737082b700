// The OpenID provider with which people can also log in (OIDC_ISSUER), called with openid-client. Nothing is stored
// until the provider has sent the browser back: until then, the sealed state contains everything about a login.
// docs/decisions.md, Logins at an OpenID provider.
import type { Configuration } from 'openid-client'
import { z } from 'zod'
import type { Config } from './config.ts'
import { ApiError } from './errors.ts'
import { hashOf, type Seals } from './seals.ts'

/**
 * The path to which the provider sends the browser. The operator registers this address of the facade at the provider.
 */
export const CALLBACK = '/oidc/callback'

/** How long a login at the provider may take, and how old a fresh login may be. Seconds. */
const PATIENCE = 300
/** How long the provider may take to answer. Seconds. */
const TIMEOUT = 10

/** What a client sends when a login begins. `challenge` is the SHA-256 of its verifier, in base64url. */
export type Begun = { challenge: string; returnTo: string; fresh: boolean }
type Answered = { subject: string; email: string }

export type Oidc = {
  /** The name of the provider; undefined if there is none. */
  name: string | undefined
  /** The address at the provider to which the browser goes. @throws ApiError oidc_off, oidc_address */
  begin(begun: Begun): Promise<{ url: string; expiresAt: string }>
  /** The contents of a state that the provider sent back. @throws ApiError oidc_over */
  resume(state: string): Begun & { id: string }
  /**
   * Checks the provider's answer and returns the person.
   * @throws ApiError oidc_unverified, or the error of openid-client
   */
  finish(login: Begun & { id: string }, answer: URLSearchParams): Promise<Answered>
  issuer: string
}

/** The library is read at the first use, because most instances have no provider. */
const openid = () => import('openid-client')
const now = () => Math.floor(Date.now() / 1000)
const Address = z.email().max(254)

export function createOidc(config: Config, seals: Seals): Oidc {
  const { oidc: settings, facadeUrl } = config
  let known: Promise<Configuration> | undefined
  const connect = async (): Promise<Configuration> => {
    if (!settings) throw new ApiError('oidc_off')
    known ??= configurationOf(settings)
    known.catch(() => {
      known = undefined // The provider may be available at the next login.
    })
    return known
  }
  const allowed = ['/app', '/account', '/join', '/admin', ...(settings?.returns ?? [])]
  const holderOf = ({ challenge, returnTo, fresh }: Begun) => `${challenge} ${returnTo} ${fresh}`
  // The secrets of a login are derived from its id, so they need not be stored. The browser can't derive them.
  const secretOf = (id: string, use: string) => seals.seal('oidc', { id, generation: 0 }, use)
  const nonceOf = (id: string) => hashOf(secretOf(id, 'nonce'))

  return {
    name: settings?.name,
    issuer: settings?.issuer ?? '',

    async begin(begun) {
      const provider = await connect()
      const client = await openid()
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
      const client = await openid()
      const tokens = await client.authorizationCodeGrant(provider, new URL(`${facadeUrl}${CALLBACK}?${answer}`), {
        pkceCodeVerifier: secretOf(id, 'verifier'),
        expectedState: answer.get('state') ?? '',
        expectedNonce: nonceOf(id),
        ...(fresh && { maxAge: PATIENCE }),
      })
      const claims = tokens.claims()
      if (!claims) throw new ApiError('oidc_over')
      // Many providers return the email address only here.
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
}: NonNullable<Config['oidc']>): Promise<Configuration> {
  const client = await openid()
  const auth = clientSecret ? client.ClientSecretBasic(clientSecret) : client.None()
  const isLocal = new URL(issuer).protocol === 'http:' // config.ts allows HTTP only on the same machine.
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
