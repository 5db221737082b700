// OAuth 2.1 for apps of others: oidc-provider, which speaks the protocol, on the operations of sql/apps. It runs behind
// the facade's limits, request ids and log. It keeps no session: each authorization asks the person to log in on the
// page of web/pages and to agree there. docs/decisions.md, Apps.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHmac, generateKeyPairSync, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Hono } from 'hono'
import Provider, {
  type Adapter,
  type AdapterPayload,
  type Configuration,
  errors,
  type Grant,
  interactionPolicy,
} from 'oidc-provider'
import { z } from 'zod'
import { accessTokenOf } from './access-tokens.ts'
import { call, callFor } from './call.ts'
import type { Context, Env, Oauth, Services, Waiting } from './context.ts'
import { ApiError } from './errors.ts'
import { send } from './headers.ts'
import { bodyOf } from './input.ts'
import { otherMethods } from './routes.ts'
import { bytea, hashOf, type Seals } from './seals.ts'

/** How long an access token of an app is valid, and a refresh token that nobody uses. Seconds. */
const ACCESS = 15 * 60
const REFRESH = 60 * 86_400
/** How long a request of an app waits for the person, a code for the app, and a device for its code to be entered. */
const REQUEST = 15 * 60
const CODE = 60
const DEVICE = 15 * 60

/** The maximum bytes of a form. */
const FORM = 16_384

export const consentPage = '/oauth/consent'
export const devicePage = '/oauth/device'
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** The endpoints that the provider answers, with their methods. */
const endpoints = {
  '/.well-known/oauth-authorization-server': ['GET'],
  '/oauth/authorize': ['GET', 'POST'],
  '/oauth/authorize/:uid': ['GET'],
  '/oauth/token': ['POST'],
  '/oauth/revoke': ['POST'],
  '/oauth/introspect': ['POST'],
  '/oauth/device-code': ['POST'],
} as const

/** Whether a path is one of the provider's: their limits are counted apart from those of the API. */
export const isOauth = (path: string): boolean =>
  Object.keys(endpoints).some((one) => path === one) || path.startsWith('/oauth/authorize/')

const App = z
  .object({
    id: z.uuid(),
    name: z.string(),
    website: z.string().nullable(),
    redirectUris: z.array(z.string()),
    scopes: z.array(z.string()),
    isConfidential: z.boolean(),
    secretHash: z.string().nullable(),
  })
  .nullable()
const Consent = z
  .object({
    userId: z.uuid(),
    appId: z.uuid(),
    scopes: z.array(z.string()),
    generation: z.int(),
    refresh: z.record(z.string(), z.unknown()).nullable(),
    wasJustUsed: z.boolean(),
    iat: z.int(),
    exp: z.int(),
  })
  .nullable()
const Kept = z.record(z.string(), z.unknown()).nullable()
const Scopes = z.object({ items: z.array(z.object({ scope: z.string(), description: z.string() })) })

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const REFRESH_PREFIX = 'kith_ort_'

/** The request on behalf of which the provider works. */
const current = new AsyncLocalStorage<Context>()
const request = (): Context => {
  const c = current.getStore()
  if (!c) throw new Error('The provider works outside of a request')
  return c
}

/** What SQL refused because a code, a consent or the person is over, in the words of OAuth. */
async function inWordsOfOauth<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    const code = error instanceof ApiError ? error.code : (error as Error).message
    if (['consent_over', 'token_revoked', 'role_required', 'scope_unknown'].includes(code))
      throw new errors.InvalidGrant('the consent of the person is over')
    throw error
  })
}

const keyOf = (id: string): string => bytea(hashOf(id))

/** Codes and requests, by their hashes. */
class Records implements Adapter {
  readonly model: string

  constructor(model: string) {
    this.model = model
  }

  async upsert(id: string, { jti: _, userCode, ...payload }: AdapterPayload, seconds: number) {
    const [, entered] = BY_USER_CODE.exec(id) ?? []
    if (entered) {
      await call(request(), 'answer_device', { p_user_code: keyOf(entered), p_payload: payload }, 'gate')
      return
    }
    const [p_key, p_user_code] = [keyOf(id), typeof userCode === 'string' ? keyOf(userCode) : undefined]
    const kept = { p_model: this.model, p_key, p_payload: payload, p_seconds: seconds, p_user_code }
    await call(request(), 'store_oauth_record', kept, 'gate')
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const kept = await callFor(request(), 'find_oauth_record', { p_model: this.model, p_key: keyOf(id) }, Kept, 'gate')
    return kept ? { ...kept, jti: id } : undefined
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    const by = { p_model: this.model, p_user_code: keyOf(userCode) }
    const kept = await callFor(request(), 'find_oauth_record', by, Kept, 'gate')
    return kept ? { ...kept, userCode, jti: `user code ${userCode}` } : undefined
  }

  async findByUid(): Promise<undefined> {
    return undefined
  }

  async consume(id: string) {
    await inWordsOfOauth(call(request(), 'consume_oauth_record', { p_model: this.model, p_key: keyOf(id) }, 'gate'))
  }

  async destroy(id: string) {
    await call(request(), 'delete_oauth_record', { p_model: this.model, p_key: keyOf(id) }, 'gate')
  }

  async revokeByGrantId(id: string) {
    await endConsent(id)
  }
}
/** The id of a device that was found by the code that a person entered. */
const BY_USER_CODE = /^user code (.+)$/

const endConsent = async (id: string): Promise<void> => {
  await call(request(), 'end_consent', { p_id: id }, 'gate')
}
const findConsent = (id: string) =>
  UUID.test(id) ? callFor(request(), 'find_consent', { p_id: id }, Consent, 'gate') : Promise.resolve(null)

/** Access tokens: they work in the API as personal ones do. */
class AccessTokens extends Records {
  override async upsert(id: string, { jti: _, ...payload }: AdapterPayload, seconds: number) {
    const c = request()
    const over = await c.get('services').limits.route(c, 'oauth_app', payload.clientId)
    if (over) throw over
    const token = {
      p_consent: payload.grantId,
      p_token_hash: keyOf(id),
      p_scopes: String(payload.scope ?? '').split(' '),
      p_payload: payload,
      p_seconds: seconds,
    }
    await inWordsOfOauth(call(c, 'issue_app_token', token, 'gate'))
  }
}

/** Consents, which the provider calls grants. */
class Consents extends Records {
  override async upsert(id: string, payload: AdapterPayload) {
    const { accountId, clientId } = payload
    const openid = payload.openid as { scope?: string } | undefined
    const given = { p_id: id, p_user: accountId, p_app: clientId, p_scopes: (openid?.scope ?? '').split(' ') }
    await call(request(), 'give_consent', given, 'gate')
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const found = await findConsent(id)
    if (!found) return undefined
    const { userId: accountId, appId: clientId, scopes, iat, exp } = found
    return { accountId, clientId, openid: { scope: scopes.join(' ') }, iat, exp, jti: id, kind: 'Grant' }
  }

  override async destroy(id: string) {
    await endConsent(id)
  }
}

/** Refresh tokens: one row for all generations, so that each one that comes again is known as used. */
class RefreshTokens extends Records {
  readonly open: (token: string) => { id: string; generation: number } | undefined

  constructor(seals: Seals) {
    super('RefreshToken')
    this.open = (token) =>
      token.startsWith(REFRESH_PREFIX) ? seals.open('app', token.slice(REFRESH_PREFIX.length)) : undefined
  }

  override async upsert(id: string, { jti: _, ...payload }: AdapterPayload) {
    const token = this.open(id)
    const kept = { p_id: token?.id, p_generation: token?.generation, p_payload: payload }
    await inWordsOfOauth(call(request(), 'store_refresh', kept, 'gate'))
  }

  override async find(id: string): Promise<AdapterPayload | undefined> {
    const token = this.open(id)
    const found = token && (await findConsent(token.id))
    if (!token || !found?.refresh || token.generation > found.generation) return undefined
    const { iat, exp, generation, refresh, wasJustUsed } = found
    const isCurrent = token.generation === generation || (token.generation === generation - 1 && wasJustUsed)
    const used = isCurrent ? undefined : Math.floor(Date.now() / 1000)
    return { ...refresh, iat, exp, jti: id, rotations: token.generation, ...(used && { consumed: used }) }
  }

  override async consume(id: string) {
    const token = this.open(id)
    await inWordsOfOauth(
      call(request(), 'consume_refresh', { p_id: token?.id, p_generation: token?.generation }, 'gate'),
    )
  }

  override async destroy(id: string) {
    const token = this.open(id)
    if (token) await endConsent(token.id)
  }
}

/** Apps, which the provider calls clients. */
class Apps extends Records {
  override async find(id: string): Promise<AdapterPayload | undefined> {
    if (!UUID.test(id)) return undefined
    const app = await callFor(request(), 'find_app', { p_id: id }, App, 'gate')
    if (!app || (app.isConfidential && !app.secretHash)) return undefined
    return {
      client_id: app.id,
      client_name: app.name,
      redirect_uris: app.redirectUris,
      scope: app.scopes.join(' '),
      application_type: app.isConfidential ? ('web' as const) : ('native' as const),
      grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT],
      response_types: ['code' as const],
      ...(app.website && { client_uri: app.website }),
      ...(app.isConfidential
        ? { token_endpoint_auth_method: 'client_secret_basic' as const, client_secret: app.secretHash ?? '' }
        : { token_endpoint_auth_method: 'none' as const }),
    }
  }
}

/** There are no sessions of the provider: what one kept would be a login without a password. */
class NoSessions extends Records {
  override async upsert() {}
  override async find(): Promise<undefined> {
    return undefined
  }
  override async destroy() {}
}

/** A request as the provider reads it. Its address is the issuer's, whatever the header Host says. */
function incomingOf(c: Context, issuer: URL, body: string): IncomingMessage {
  const { pathname, search } = new URL(c.req.url)
  const socket = new Socket()
  const incoming = new IncomingMessage(socket)
  const headers = { ...c.env.incoming?.headers }
  delete headers['content-length']
  delete headers['transfer-encoding']
  Object.assign(incoming, {
    method: c.req.method,
    url: pathname + search,
    headers: {
      ...headers,
      host: issuer.host,
      'x-forwarded-proto': issuer.protocol.slice(0, -1),
      'x-forwarded-host': issuer.host,
      ...(body && { 'content-length': String(Buffer.byteLength(body)) }),
    },
  })
  incoming.push(body || null)
  if (body) incoming.push(null)
  return incoming
}

async function readForm(c: Context): Promise<string> {
  if (c.req.method !== 'POST') return ''
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bodyOf(c)) {
    size += chunk.length
    if (size > FORM) throw new ApiError('body_too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** What the provider writes, kept until the facade sends it. */
function outgoingOf(incoming: IncomingMessage): { outgoing: ServerResponse; ended: Promise<Buffer> } {
  const outgoing = new ServerResponse(incoming)
  const chunks: Buffer[] = []
  const ended = new Promise<Buffer>((resolve) => {
    const add = (chunk: unknown) => {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as string))
    }
    outgoing.write = (chunk: unknown) => {
      add(chunk)
      return true
    }
    outgoing.end = (chunk?: unknown) => {
      add(chunk)
      resolve(Buffer.concat(chunks))
      return outgoing
    }
  })
  return { outgoing, ended }
}

/** Headers that belong to one connection, or that the facade sets for every answer. */
const own = new Set(['content-length', 'connection', 'transfer-encoding', 'cache-control', 'set-cookie'])

const SESSION_COOKIE = 'kith_oauth_none'

export function createOauth({ config, seals }: Pick<Services, 'config' | 'seals'>, secrets: readonly string[]): Oauth {
  const issuer = config.facadeUrl
  const address = new URL(issuer)
  let made: Promise<{ provider: Provider; says: Map<string, string> }> | undefined

  /** The provider is made at the first request, because the scopes are in the database. */
  const open = (c: Context) => {
    made ??= callFor(c, 'list_scopes', {}, Scopes, 'gate').then(({ items }) => ({
      provider: createProvider(
        issuer,
        seals,
        items.map(({ scope }) => scope),
        secrets,
      ),
      says: new Map(items.map(({ scope, description }) => [scope, description])),
    }))
    made.catch(() => {
      made = undefined
    })
    return made
  }
  const inRequest = <T>(c: Context, work: () => Promise<T>): Promise<T> => current.run(c, work)

  async function answer(c: Context): Promise<Response> {
    const { provider } = await open(c)
    const incoming = incomingOf(c, address, await readForm(c))
    const { outgoing, ended } = outgoingOf(incoming)
    const body = await inRequest(c, async () => {
      await provider.callback()(incoming, outgoing)
      return ended
    })
    const headers = Object.entries(outgoing.getHeaders()).filter(([name]) => !own.has(name))
    const status = outgoing.statusCode
    const isDiscovery = c.req.path === '/.well-known/oauth-authorization-server'
    const text = isDiscovery && status === 200 ? withoutOpenId(body.toString()) : body.toString()
    const response = send(
      c,
      status === 204 || status === 304 ? null : text,
      status,
      Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    )
    for (const cookie of [outgoing.getHeader('set-cookie') ?? []].flat())
      if (!String(cookie).startsWith(SESSION_COOKIE)) response.headers.append('set-cookie', String(cookie))
    return response
  }

  /** The request of an app that the cookie of this browser names. */
  async function find(c: Context, id: string) {
    const { provider, says } = await open(c)
    const incoming = incomingOf(c, address, '')
    const { outgoing } = outgoingOf(incoming)
    const found = await provider.interactionDetails(incoming, outgoing).catch((error: unknown) => {
      if (error instanceof errors.SessionNotFound) throw new ApiError('consent_over')
      throw error
    })
    if (found.uid !== id || found.result) throw new ApiError('consent_over')
    const client = await provider.Client.find(String(found.params.client_id))
    if (!client) throw new ApiError('consent_over')
    return { provider, says, found, client, incoming, outgoing }
  }

  const waitingOf = (
    client: { clientName?: string; clientUri?: string },
    scope: unknown,
    says: Map<string, string>,
    redirectHost: string | null,
  ): Waiting => ({
    app: { name: client.clientName ?? '', website: client.clientUri ?? null, redirectHost },
    scopes: scopesOf(scope).flatMap((one) => {
      const description = says.get(one)
      return description ? { scope: one, description } : []
    }),
  })

  const consent = async (c: Context, provider: Provider, clientId: string, scope: unknown): Promise<string> => {
    const accountId = c.get('claims')?.sub ?? ''
    const grant: Grant = new provider.Grant({ accountId, clientId })
    grant.addOIDCScope(scopesOf(scope).join(' '))
    return grant.save()
  }

  async function findDevice(c: Context, userCode: string) {
    const { provider, says } = await open(c)
    const code = await provider.DeviceCode.findByUserCode(userCode.toUpperCase().replace(/[^A-Z]/g, ''))
    const client = code?.clientId && (await provider.Client.find(code.clientId))
    if (!code || !client || code.accountId || code.error) throw new ApiError('consent_over')
    return { provider, says, code, client }
  }

  return {
    answer,
    waiting: (c, id) =>
      inRequest(c, async () => {
        const { says, found, client } = await find(c, id)
        const { protocol, host } = new URL(String(found.params.redirect_uri))
        return waitingOf(client, found.params.scope, says, /^https?:$/.test(protocol) ? host : protocol.slice(0, -1))
      }),
    decide: (c, id, allows) =>
      inRequest(c, async () => {
        const { provider, found, incoming, outgoing } = await find(c, id)
        const { client_id: clientId, scope } = found.params
        if (!allows) return provider.interactionResult(incoming, outgoing, { error: 'access_denied' })
        const grantId = await consent(c, provider, String(clientId), scope)
        const login = { accountId: c.get('claims')?.sub ?? '', remember: false }
        return provider.interactionResult(incoming, outgoing, { login, consent: { grantId } })
      }),
    waitingDevice: (c, userCode) =>
      inRequest(c, async () => {
        const { says, code, client } = await findDevice(c, userCode)
        return waitingOf(client, code.params?.scope, says, null)
      }),
    decideDevice: (c, userCode, allows) =>
      inRequest(c, async () => {
        const { provider, code } = await findDevice(c, userCode)
        if (allows) {
          const scope = scopesOf(code.params?.scope).join(' ')
          const grantId = await consent(c, provider, String(code.clientId), scope)
          Object.assign(code, { accountId: c.get('claims')?.sub, grantId, scope, expiresWithSession: false })
        } else Object.assign(code, { error: 'access_denied', errorDescription: 'the person refused' })
        await code.save()
      }),
  }
}

const scopesOf = (scope: unknown): string[] =>
  String(scope ?? '')
    .split(' ')
    .filter(Boolean)

/** The description of the server without what only OpenID Connect has. */
function withoutOpenId(text: string): string {
  const found = Object.entries(JSON.parse(text) as Record<string, unknown>)
  const of = /^(jwks_uri|id_token|subject_types|claim|userinfo|request_|require_request|acr_|end_session|backchannel_)/
  const kept = Object.fromEntries(found.filter(([name]) => !of.test(name)))
  const scopes = (kept.scopes_supported as string[]).filter((scope) => scope !== 'openid')
  return JSON.stringify({ ...kept, scopes_supported: scopes })
}

function createProvider(issuer: string, seals: Seals, scopes: string[], secrets: readonly string[]): Provider {
  const { Prompt, Check, base } = interactionPolicy
  const policy = base()
  policy.clear()
  // every request asks the person, whatever they allowed before
  policy.add(
    new Prompt(
      { name: 'consent', requestable: true },
      new Check('always', 'the person must agree', 'interaction_required', (ctx) => !ctx.oidc.result?.consent),
    ),
  )
  const adapters: Record<string, Adapter> = {
    AccessToken: new AccessTokens('AccessToken'),
    Client: new Apps('Client'),
    Grant: new Consents('Grant'),
    RefreshToken: new RefreshTokens(seals),
    Session: new NoSessions('Session'),
  }
  const off = { enabled: false }
  const short = { httpOnly: true, sameSite: 'lax' as const, signed: true }
  const configuration: Configuration = {
    adapter: (model: string) => adapters[model] ?? new Records(model),
    scopes,
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clientBasedCORS: (_, origin, client) =>
      client.redirectUris?.some((uri) => URL.parse(uri)?.origin === origin) ?? false,
    cookies: {
      keys: secrets.map((secret) => createHmac('sha256', secret).update('kith oauth cookies').digest('base64url')),
      names: { session: SESSION_COOKIE, interaction: 'kith_oauth_request', resume: 'kith_oauth_resume' },
      // the API reads the request of the browser, and nothing else does
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
    interactions: { policy, url: (_, { uid }) => `${consentPage}?request=${uid}` },
    issueRefreshToken: async () => true,
    // nothing is signed: there are no ID tokens
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
      code_verification: devicePage,
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
  // the log has the facade's lines, and no parts of requests
  provider.silent = true
  nameBy(provider.Grant, () => randomUUID())
  nameBy(provider.AccessToken, (token) => {
    Object.assign(token, { format: 'opaque' }) // the provider's own function also sets it
    return accessTokenOf('kith_app_', randomBytes(32))
  })
  nameBy(
    provider.RefreshToken,
    ({ grantId = '', rotations = 0 }) => REFRESH_PREFIX + seals.seal('app', { id: grantId, generation: rotations }),
  )
  // the secret itself is stored nowhere
  Object.assign(provider.Client.prototype, {
    compareClientSecret(this: { clientSecret: string }, given: string): boolean {
      return timingSafeEqual(Buffer.from(hashOf(given)), Buffer.from(this.clientSecret))
    },
  })
  return provider
}

/** Sets how the ids of a model are made: the tokens that apps get. */
function nameBy<T>(model: { prototype: T }, make: (token: T) => string): void {
  Object.assign(model.prototype as object, {
    generateTokenId(this: T): string {
      return make(this)
    },
  })
}

/** Mounts the endpoints of the provider. */
export function mountOauth(app: Hono<Env>, oauth: Oauth): void {
  for (const [path, methods] of Object.entries(endpoints)) {
    app.on([...methods, 'OPTIONS'], path, (c) => {
      c.set('route', `${c.req.method} ${path}`)
      c.set('pattern', path)
      c.set('pool', 'gate')
      c.set('claims', null)
      return oauth.answer(c)
    })
    app.all(path, otherMethods(methods))
  }
}
