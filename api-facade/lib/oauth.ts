// OAuth 2.1 for third-party apps: oidc-provider implements the protocol, and sql/apps stores its data. Requests pass
// the facade's limits, request ids and log. There are no sessions: for each authorization, the person logs in on a
// page of web/pages and agrees there. docs/decisions.md, Apps.
import type { Hono } from 'hono'
import type { Grant, Provider } from 'oidc-provider'
import { z } from 'zod'
import { callFor } from './call.ts'
import type { Context, Env, Oauth, Services, Waiting } from './context.ts'
import { ApiError } from './errors.ts'
import { send } from './headers.ts'
import { otherMethods } from './methods.ts'
import { incomingOf, outgoingOf, readForm } from './oauth-http.ts'

export const consentPage = '/oauth/consent'
export const devicePage = '/oauth/device'

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

const paths: ReadonlySet<string> = new Set(Object.keys(endpoints))
/** Whether the provider answers this path. These paths have separate limits. */
export const isOauth = (path: string): boolean => paths.has(path) || path.startsWith('/oauth/authorize/')

/** Headers that belong to one connection, or that the facade sets for every answer. */
const own = new Set(['content-length', 'connection', 'transfer-encoding', 'cache-control', 'set-cookie'])

const Scopes = z.object({ items: z.array(z.object({ scope: z.string(), description: z.string() })) })

/**
 * The answer to requests with response_mode=form_post. The library would answer them with a page that runs a script.
 */
const UNSUPPORTED = JSON.stringify({
  error: 'unsupported_response_mode',
  error_description: 'the only response_mode is query',
})

/** The cookie of the provider's sessions. The provider has no sessions, so the cookie is never sent. */
const SESSION_COOKIE = 'kith_oauth_none'

export function createOauth({ config, seals }: Pick<Services, 'config' | 'seals'>, secrets: readonly string[]): Oauth {
  const issuer = config.facadeUrl
  const address = new URL(issuer)
  let made: ReturnType<typeof make> | undefined

  async function make(c: Context) {
    const { createProvider, current, isOver } = await import('./oauth-provider.ts')
    const { items } = await callFor(c, 'list_scopes', {}, Scopes, 'gate')
    const scopes = items.map(({ scope }) => scope)
    const pages = { consent: consentPage, device: devicePage }
    return {
      provider: createProvider({ issuer, seals, scopes, pages, sessionCookie: SESSION_COOKIE, secrets }),
      says: new Map(items.map(({ scope, description }) => [scope, description])),
      current,
      isOver,
    }
  }
  /** Creates the provider at the first request, because the scopes are in the database. */
  const open = (c: Context) => {
    made ??= make(c)
    made.catch(() => {
      made = undefined
    })
    return made
  }
  const inRequest = async <T>(c: Context, work: () => Promise<T>): Promise<T> => (await open(c)).current.run(c, work)

  async function answer(c: Context): Promise<Response> {
    const { provider } = await open(c)
    const incoming = incomingOf(c, address, await readForm(c))
    const { outgoing, ended } = outgoingOf(incoming)
    const body = await inRequest(c, async () => {
      await provider.callback()(incoming, outgoing)
      return ended
    })
    if (outgoing.getHeader('content-type')?.toString().startsWith('text/html') && !outgoing.hasHeader('location'))
      return send(c, UNSUPPORTED, 400, { 'Content-Type': 'application/json; charset=utf-8' })
    const status = outgoing.statusCode
    // The library also writes a page with a link, which contains parts of the request.
    const leads = outgoing.hasHeader('location')
    const headers = Object.entries(outgoing.getHeaders()).filter(
      ([name]) => !own.has(name) && !(leads && name === 'content-type'),
    )
    const isDiscovery = c.req.path === '/.well-known/oauth-authorization-server'
    const text = isDiscovery && status === 200 ? withoutOpenId(body.toString()) : body.toString()
    const response = send(
      c,
      status === 204 || status === 304 || leads ? null : text,
      status,
      Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    )
    for (const cookie of [outgoing.getHeader('set-cookie') ?? []].flat())
      if (!String(cookie).startsWith(SESSION_COOKIE)) response.headers.append('set-cookie', String(cookie))
    return response
  }

  /** The request of an app that this browser's cookie identifies. */
  async function find(c: Context, id: string) {
    const { provider, says, isOver } = await open(c)
    const incoming = incomingOf(c, address, '')
    const { outgoing } = outgoingOf(incoming)
    const found = await provider.interactionDetails(incoming, outgoing).catch((error: unknown) => {
      if (isOver(error)) throw new ApiError('consent_over')
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

/** The metadata of the server, without fields that only OpenID Connect has. */
function withoutOpenId(text: string): string {
  const found = Object.entries(JSON.parse(text) as Record<string, unknown>)
  const of = /^(jwks_uri|id_token|subject_types|claim|userinfo|request_|require_request|acr_|end_session|backchannel_)/
  const kept = Object.fromEntries(found.filter(([name]) => !of.test(name)))
  const scopes = (kept.scopes_supported as string[]).filter((scope) => scope !== 'openid')
  return JSON.stringify({ ...kept, scopes_supported: scopes, response_modes_supported: ['query'] })
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
