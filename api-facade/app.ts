// The application: handles every request, and mounts the routes of the features, the documentation and the probes.
import { Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import { type Span, traceparent } from '../edge-functions/shared/tracing.ts'
import { operations } from './generated/operations.ts'
import { mountAppLinks } from './lib/app-links.ts'
import { mountAudit } from './lib/audit.ts'
import { clientAddress } from './lib/client.ts'
import type { LimitName } from './lib/config.ts'
import type { Context, Env, Services } from './lib/context.ts'
import { memoryCounter } from './lib/counters.ts'
import { mountDocs } from './lib/docs.ts'
import { ApiError, errorAnswer, isFault, toApiError } from './lib/errors.ts'
import { beginHeaders, cors, headerOf, requestId, send, sendJson, setHeader } from './lib/headers.ts'
import { isTooDeep, readJsonText } from './lib/input.ts'
import { mountInstance } from './lib/instance.ts'
import { createLimits } from './lib/limits.ts'
import { legible } from './lib/log.ts'
import { otherMethods } from './lib/methods.ts'
import { metrics, mountMetrics } from './lib/metrics.ts'
import { isOauth, mountOauth } from './lib/oauth.ts'
import { mountOidc } from './lib/oidc-callback.ts'
import { createPresence } from './lib/presence.ts'
import { isPublicPage, mountPublicPages } from './lib/public-pages.ts'
import { databaseCounter } from './lib/rates.ts'
import { createReadiness } from './lib/ready.ts'
import { API, mount, spellings, type Table } from './lib/routes.ts'
import { version } from './lib/version.ts'
import { isWeb, mountWeb } from './lib/web.ts'

// Probes, documentation and pages do not count towards the global limit. Documentation and pages have many files, and
// separate limits.
const probe = /^\/(health|ready|metrics)$/
const documentation = /^\/((openapi|asyncapi)\.json|docs(\/.*)?)$/
// A page of a client loads many pictures, so the routes of pictures have their own limit.
const picture = /^\/api\/v1\/media\/(avatar\/[^/]+|local)\/[^/]+$/

const isFree = ({ req }: Context): boolean =>
  probe.test(req.path) || (picture.test(req.path) && (req.method === 'GET' || req.method === 'HEAD'))

/**
 * The path in lower case and without a trailing slash, for routing only (api-facade/lib/input.ts uses the original).
 */
const routingPath = (request: Request): string => {
  const path = getPath(request).toLowerCase()
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

type ReadArguments = Parameters<Services['read']> extends [Context, ...infer Others] ? Others : never

export type AppOptions = Omit<Services, 'limits' | 'read'> & {
  tables: readonly Table[]
  limits?: Services['limits']
  /** Called when a request may have written something. */
  wrote?: (() => void) | undefined
  /** Mounts a service beside the API that has its own limits and errors, such as /rest/v1 of the embedded instance. */
  beside?: ((app: Hono<Env>, site: ReturnType<typeof siteOf>) => void) | undefined
}

export function createApp({ tables, beside, wrote, ...given }: AppOptions): Hono<Env> {
  const { config } = given
  const shared = config.rateLimitStore === 'database'
  const counter = shared ? databaseCounter(given.pools.gate, given.log) : memoryCounter()
  const limits = given.limits ?? createLimits(config, counter)
  const services: Services = { ...given, limits, read: (c, ...part) => readPart(app, c, ...part) }
  const notePresence = createPresence()
  const ownLimits: [LimitName, (path: string) => boolean][] = [
    ['docs', (path) => documentation.test(path)],
    ['oauth', isOauth],
    ['web', isWeb],
    ['public_pages', (path) => isPublicPage(path, config)],
  ]
  const words = wordsOf(tables)
  const app = new Hono<Env>({ getPath: routingPath })
  app.onError(answerError)
  app.notFound((c) => answerError(new ApiError(c.env?.batch ? 'batch_request' : 'route_unknown'), c))

  app.use((c, next) =>
    given.tracing.run(c.req.method, { kind: 'server', parent: headerOf(c, 'traceparent') }, async (span) => {
      const start = performance.now()
      const id = requestId(c)
      c.set('services', services)
      c.set('requestId', id)
      beginHeaders(c, id)
      await next()
      const ms = performance.now() - start
      logRequest(c, ms, words)
      describeRequest(c, span)
      metrics.observe(c, ms)
      notePresence(c)
      if (c.req.method !== 'GET' && c.res.status < 400) wrote?.()
    }),
  )

  beside?.(app, siteOf(services))

  app.use(async (c, next) => {
    if (c.env?.batch) return next() // The batch itself was counted.
    const [own] = ownLimits.find(([, covers]) => covers(c.req.path)) ?? []
    const over = own
      ? await services.limits.route(c, own, undefined)
      : await services.limits.global(c, isFree(c) ? 0 : 1)
    if (cors(c, config.corsOrigins)) return send(c, null, 204)
    if (over) throw over
    await next()
  })

  app.get('/health', (c) =>
    sendJson(c, JSON.stringify({ status: 'ok', uptime: Math.floor(process.uptime()), version }), 200),
  )
  app.all('/health', otherMethods(['GET']))
  const readiness = createReadiness(given)
  app.get('/ready', async (c) => {
    const { faults, ...found } = await readiness()
    const warnings = [...found.warnings, ...services.storage.warnings()]
    // The error is not thrown: readiness has logged it once, and a probe asks again every few seconds.
    if (faults.length > 0) return sendError(new ApiError('service_unavailable', [...faults, ...warnings]), c)
    return sendJson(c, JSON.stringify({ status: 'ready', ...(warnings.length > 0 && { warnings }) }), 200)
  })
  app.all('/ready', otherMethods(['GET']))
  mountInstance(app)
  mountOidc(app)
  mountAudit(app)
  mountAppLinks(app, config)
  mountOauth(app, services.oauth)
  mountDocs(app)
  mountPublicPages(app, config, mountWeb(app, config, given.anonKey))
  mountMetrics(app, readiness)
  mount(app, tables)
  return app
}

/** Runs a read of a batch like a separate request: with access check, limits of the route, validation and log line. */
async function readPart(app: Hono<Env>, c: Context, ...[path, more, batch]: ReadArguments): Promise<Response> {
  const position = headerOf(c, 'x-read-position')
  const headers = {
    ...more,
    ...(position !== undefined && { 'x-read-position': position }),
    authorization: c.req.header('authorization') ?? '',
    'x-request-id': c.get('requestId'),
  }
  const { socket, headers: given } = c.env.incoming ?? {}
  const incoming = { socket, headers: { ...headers, 'x-forwarded-for': given?.['x-forwarded-for'] } }
  const request = new Request(new URL(path, c.req.url), { headers })
  return app.fetch(request, { ...c.env, incoming, batch })
}

/** What the API shares with the services beside it. */
const siteOf = ({ config, pools, limits, tokens }: Services) => ({
  pools,
  cors: (c: Context) => cors(c, config.corsOrigins),
  limit: (c: Context) => limits.global(c, 1),
  readBody: (c: Context) => readJsonText(c, config.bodyLimit),
  isTooDeep,
  claimsOf: (token: string) => tokens.verify(token),
  clientAddress,
  traceparent,
  apiErrorOf: toApiError,
  setHeader,
  send,
  note: (c: Context, field: 'route' | 'caller' | 'code' | 'failure', value: unknown) => c.set(field, value),
})

function answerError(error: unknown, c: Context): Response {
  const apiError = toApiError(error)
  if (isFault(error, apiError)) c.set('failure', error)
  return sendError(apiError, c)
}

function sendError(apiError: ApiError, c: Context): Response {
  c.set('code', apiError.code)
  const { body, headers } = errorAnswer(apiError)
  return send(c, body, apiError.status, headers)
}

/**
 * Words that can be logged from a path because they identify nobody: parts of the served paths, and names of
 * operations.
 */
const wordsOf = (tables: readonly Table[]): ReadonlySet<string> =>
  new Set([
    ...spellings(tables).flatMap(({ path }) => (API + path).split('/').filter((part) => !part.startsWith(':'))),
    ...[
      'health',
      'ready',
      'metrics',
      'docs',
      'admin',
      'web',
      'openapi.json',
      'asyncapi.json',
      'rest',
      'rpc',
      'realtime',
      'websocket',
    ],
    ...['oidc', 'callback'],
    ...['.well-known', 'kith', 'audit', 'assetlinks.json', 'apple-app-site-association', 'oauth-authorization-server'],
    ...['oauth', 'authorize', 'token', 'revoke', 'introspect', 'device-code', 'consent', 'device'],
    ...Object.keys(operations),
  ])

/** Describes a request in a span. It says nothing about people, and omits the path, because paths may contain names. */
function describeRequest(c: Context, span: Span): void {
  span.name = c.get('route') ?? c.req.method
  span.failed = c.res.status >= 500
  span.ignored = probe.test(c.req.path)
  span.attributes = {
    'http.request.method': c.req.method,
    'http.route': c.get('pattern'),
    'http.response.status_code': c.res.status,
    'error.type': c.get('code'),
    'kith.request_id': c.get('requestId'),
  }
}

/** Logs one line per request, with the cause of a failure. */
function logRequest(c: Context, ms: number, words: ReadonlySet<string>): void {
  const { log, aliasOf } = c.get('services')
  const { status } = c.res
  const failure = c.get('failure')
  const level = !failure ? 'info' : status >= 500 ? 'error' : 'warn'
  if (!log.isLevelEnabled(level)) return
  const caller = c.get('caller')
  log[level]({
    id: c.get('requestId'),
    method: c.req.method,
    route: c.get('route'),
    path: legible(c.req.path, c.get('pattern'), words),
    status,
    ms: Math.round(ms * 10) / 10,
    caller: caller && aliasOf(caller),
    code: c.get('code'),
    failure,
  })
}
