// The OAuth provider itself: oidc-provider, configured for third-party apps. oauth.ts imports this file at the first
// request of an app, because the library takes memory that most instances do not need. docs/decisions.md, Apps.
import { createHmac, generateKeyPairSync, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import Provider, { type Configuration, errors, interactionPolicy } from 'oidc-provider'
import { accessTokenOf } from './access-tokens.ts'
import { adapterOf, current, REFRESH_PREFIX, request } from './oauth-adapter.ts'
import { hashOf, type Seals } from './seals.ts'

/** How long an access token of an app is valid, and how long an unused refresh token is valid. Seconds. */
const ACCESS = 15 * 60
const REFRESH = 60 * 86_400
/**
 * How long a request waits for the person's answer, how long a code waits for the app, and how long a device waits
 * until somebody enters its code. Seconds.
 */
const REQUEST = 15 * 60
const CODE = 60
const DEVICE = 15 * 60

/** Whether the provider has no request for this browser, for example because it expired. */
export const isOver = (error: unknown): boolean => error instanceof errors.SessionNotFound

export { current }

export type Setup = {
  issuer: string
  seals: Seals
  scopes: string[]
  /** The page on which a person decides about a request, and the one where they enter the code of a device. */
  pages: { consent: string; device: string }
  /** The name of the provider's session cookie, which the facade never sends. */
  sessionCookie: string
  secrets: readonly string[]
}

export function createProvider({ issuer, seals, scopes, pages, sessionCookie, secrets }: Setup): Provider {
  const { Prompt, Check, base } = interactionPolicy
  const policy = base()
  policy.clear()
  // Every request asks the person, whatever they allowed before.
  policy.add(
    new Prompt(
      { name: 'consent', requestable: true },
      new Check('always', 'the person must allow it', 'interaction_required', (ctx) => !ctx.oidc.result?.consent),
    ),
  )
  const off = { enabled: false }
  const short = { httpOnly: true, sameSite: 'lax' as const, signed: true }
  const configuration: Configuration = {
    adapter: adapterOf(seals),
    scopes,
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clientBasedCORS: (_, origin, client) =>
      client.redirectUris?.some((uri) => URL.parse(uri)?.origin === origin) ?? false,
    cookies: {
      keys: secrets.map((secret) => createHmac('sha256', secret).update('kith oauth cookies').digest('base64url')),
      names: { session: sessionCookie, interaction: 'kith_oauth_request', resume: 'kith_oauth_resume' },
      // Only the API reads the cookie.
      short: { ...short, path: '/api/v1/oauth' },
      long: short,
    },
    expiresWithSession: () => false,
    features: {
      devInteractions: off,
      userinfo: off,
      rpInitiatedLogout: off,
      resourceIndicators: off,
      pushedAuthorizationRequests: off,
      dPoP: off,
      deviceFlow: { enabled: true, charset: 'base-20', mask: '****-****' },
      revocation: { enabled: true, allowedPolicy: async (_, client, token) => token.clientId === client.clientId },
      introspection: { enabled: true, allowedPolicy: async (_, client, token) => token.clientId === client.clientId },
    },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { policy, url: (_, { uid }) => `${pages.consent}?request=${uid}` },
    issueRefreshToken: async () => true,
    // There are no ID tokens, so nothing is signed with this key.
    jwks: { keys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })] } as never,
    loadExistingGrant: async ({ oidc }) => {
      const id = oidc.result?.consent?.grantId
      return id ? oidc.provider.Grant.find(id) : undefined
    },
    pkce: { required: () => true },
    renderError: (ctx, out) => {
      ctx.type = 'json'
      ctx.body = out
    },
    responseTypes: ['code'],
    revokeGrantPolicy: () => true,
    rotateRefreshToken: () => true,
    routes: {
      authorization: '/oauth/authorize',
      device_authorization: '/oauth/device-code',
      code_verification: pages.device,
      introspection: '/oauth/introspect',
      revocation: '/oauth/revoke',
      token: '/oauth/token',
    },
    ttl: {
      AccessToken: ACCESS,
      AuthorizationCode: CODE,
      DeviceCode: DEVICE,
      Grant: REFRESH,
      Interaction: REQUEST,
      RefreshToken: REFRESH,
      Session: REQUEST,
    },
  }
  const provider = new Provider(issuer, configuration)
  provider.proxy = true
  provider.on('server_error', (_, error) => request().set('failure', error))
  // Only the facade writes log lines. They contain nothing of a request's body.
  provider.silent = true
  nameBy(provider.Grant, () => randomUUID())
  nameBy(provider.AccessToken, (token) => {
    Object.assign(token, { format: 'opaque' }) // The function that this replaces also sets the format.
    return accessTokenOf('kith_app_', randomBytes(32))
  })
  nameBy(
    provider.RefreshToken,
    ({ grantId = '', rotations = 0 }) => REFRESH_PREFIX + seals.seal('app', { id: grantId, generation: rotations }),
  )
  // Only the hash of the secret is stored.
  Object.assign(provider.Client.prototype, {
    compareClientSecret(this: { clientSecret: string }, given: string): boolean {
      return timingSafeEqual(Buffer.from(hashOf(given)), Buffer.from(this.clientSecret))
    },
  })
  return provider
}

/** Sets how the ids of a model are made. These ids are the tokens that apps get. */
function nameBy<T>(model: { prototype: T }, make: (token: T) => string): void {
  Object.assign(model.prototype as object, {
    generateTokenId(this: T): string {
      return make(this)
    },
  })
}
