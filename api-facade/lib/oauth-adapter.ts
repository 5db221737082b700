// The storage of the OAuth provider, on the operations of sql/apps: codes, requests, tokens, consents and apps.
// docs/decisions.md, Apps.
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import { z } from 'zod'
import { call, callFor } from './call.ts'
import type { Context } from './context.ts'
import { ApiError } from './errors.ts'
import { bytea, hashOf, type Seals } from './seals.ts'

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

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

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
export const REFRESH_PREFIX = 'kith_ort_'

/** The request that the provider is handling. */
export const current = new AsyncLocalStorage<Context>()
export const request = (): Context => {
  const c = current.getStore()
  if (!c) throw new Error('The OAuth provider was called outside a request')
  return c
}

/** Turns errors of SQL about a code, a consent or a person that is no longer valid into errors of OAuth. */
async function inWordsOfOauth<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    const code = error instanceof ApiError ? error.code : (error as Error).message
    if (['consent_over', 'token_revoked', 'role_required', 'scope_unknown'].includes(code))
      throw new errors.InvalidGrant('the consent of the person has ended')
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
/** The id of the device whose code a person entered. */
const BY_USER_CODE = /^user code (.+)$/

const endConsent = async (id: string): Promise<void> => {
  await call(request(), 'end_consent', { p_id: id }, 'gate')
}
const findConsent = (id: string) =>
  UUID.test(id) ? callFor(request(), 'find_consent', { p_id: id }, Consent, 'gate') : Promise.resolve(null)

/** Access tokens. In the API they work like personal ones. */
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

/** Refresh tokens. All generations of a token have one row, so that a token that is used again is recognized. */
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
      // Not form_post, whose answer is a page with a script.
      response_modes: ['query'],
      ...(app.website && { client_uri: app.website }),
      ...(app.isConfidential
        ? { token_endpoint_auth_method: 'client_secret_basic' as const, client_secret: app.secretHash ?? '' }
        : { token_endpoint_auth_method: 'none' as const }),
    }
  }
}

/** The provider has no sessions: a session would be a login without a password. */
class NoSessions extends Records {
  override async upsert() {}
  override async find(): Promise<undefined> {
    return undefined
  }
  override async destroy() {}
}

/** The storage of each model of the provider. */
export function adapterOf(seals: Seals): (model: string) => Adapter {
  const adapters: Record<string, Adapter> = {
    AccessToken: new AccessTokens('AccessToken'),
    Client: new Apps('Client'),
    Grant: new Consents('Grant'),
    RefreshToken: new RefreshTokens(seals),
    Session: new NoSessions('Session'),
  }
  return (model) => adapters[model] ?? new Records(model)
}
