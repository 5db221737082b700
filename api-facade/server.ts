// A facade on a database: opens the pools, listens, and shuts down gracefully.
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { type AppOptions, createApp } from './app.ts'
import { createAccessTokens } from './lib/access-tokens.ts'
import { createAuditKey } from './lib/audit-key.ts'
import { network, plain, requestAddress } from './lib/client.ts'
import { type Config, secretsOf } from './lib/config.ts'
import { guardConnections, PATIENCE, type Patience, serverTimeouts } from './lib/connections.ts'
import { memoryCounter } from './lib/counters.ts'
import { openPools } from './lib/database.ts'
import { ApiError, errorAnswer } from './lib/errors.ts'
import { loadTables } from './lib/features.ts'
import { openFunctions, vapidOf } from './lib/functions.ts'
import { type Reach, reach } from './lib/hosts.ts'
import { createAllowance } from './lib/limits.ts'
import { createAlias, createLog, type Log, openTracing } from './lib/log.ts'
import { metrics } from './lib/metrics.ts'
import { createOauth } from './lib/oauth.ts'
import { createOidc } from './lib/oidc.ts'
import { createPreviews } from './lib/previews.ts'
import { createReplicas } from './lib/replicas.ts'
import type { Table } from './lib/routes.ts'
import { createSeals } from './lib/seals.ts'
import { createSigning } from './lib/signing.ts'
import { createSlots } from './lib/slots.ts'
import { createStorageWatch } from './lib/storage.ts'
import { accessTokenFinder, anonKeyOf, createTokens } from './lib/tokens.ts'
import { createViews } from './lib/views.ts'

export type ServerOptions = {
  config: Config
  databaseUrl: string
  /** The connection strings of the replicas, if the list can change; by default those of the configuration. */
  replicaUrls?: () => readonly string[]
  /** The secret that signs tokens and links; by default the configured one. */
  jwtSecret?: string
  tables?: readonly Table[]
  log?: Log
  beside?: AppOptions['beside']
  /** Called when a request may have written something, so that a worker in this process can apply effects. */
  wrote?: () => void
  /** Runs after the port is bound. Until it has ended, every request is answered with 503. */
  prepare?: () => Promise<void>
  /** How long clients may take. */
  patience?: Partial<Patience>
  /** The WebSocket gateway on the same port. It starts before the server answers and stops before the server closes. */
  gateway?: (site: GatewaySite) => Promise<Gateway>
}
type GatewaySite = {
  server: Server
  databaseUrl: string
  /** Opens each connection of the gateway to the database. */
  socket: Reach['socket']
  jwtSecrets: readonly [string, ...string[]]
  log: Log
  gauge: typeof metrics.sockets
  /** The key under which rate limits count a client. */
  clientOf: (request: IncomingMessage) => string
  /** Counts a join or a token refresh. @returns whether the client may do it */
  mayJoin: (client: string) => Promise<boolean>
}
type Gateway = {
  /** Asks every client to reconnect, spread over this time. Milliseconds. */
  leave(time: number): void
  stop(): Promise<void>
}
export type RunningServer = {
  url: string
  port: number
  /**
   * Still serves, but sends clients elsewhere: /ready answers 503, each connection ends with its next answer, and
   * WebSockets are closed within this time. Milliseconds.
   */
  leave(time: number): void
  stop(): Promise<void>
}

/** How long running requests may take after the shutdown has begun. Milliseconds. */
const GRACE = 10_000

/** How many exports can run, and how many imports can arrive, at once. */
const EXPORTS = 4
const IMPORTS = 4

/** @throws Error if the port is taken or there is no secret */
export async function startServer({ config, databaseUrl, ...given }: ServerOptions): Promise<RunningServer> {
  const secret = given.jwtSecret ?? config.jwtSecret
  if (!secret) throw new Error('A facade needs JWT_SECRET.')
  const tables = given.tables ?? (await loadTables())
  const secrets = secretsOf(config, secret)
  const anonKey = await anonKeyOf(secrets[0])
  const seals = createSeals(secrets)
  const oauth = createOauth({ config, seals }, secrets)
  const log = given.log ?? createLog(config)
  const pools = openPools({ config, url: databaseUrl, log })
  const { replicaUrls } = config
  const urls = given.replicaUrls ?? (replicaUrls && (() => replicaUrls))
  const replicas = urls && createReplicas({ config, databaseUrl, pools, seals, log, urls })
  const tokens = await createTokens(secrets, accessTokenFinder(pools.gate))
  const accessTokens = createAccessTokens(secrets)
  const views = createViews(pools.gate, log)
  const aliasOf = createAlias(secret)
  const pushKey = vapidOf(config, secret).publicKey
  const tracing = openTracing(config, log)
  const functions = openFunctions({ config, jwtSecret: secret, log, tracing })
  const { beside, wrote } = given
  const previews = createPreviews(functions, log)
  const storage = createStorageWatch(config, functions, log)
  const exports = createSlots(EXPORTS)
  const imports = createSlots(IMPORTS)
  const signing = await createSigning(config, secret)
  const auditKey = createAuditKey(config, secret)
  const [departure, end] = [new AbortController(), new AbortController()]
  const leaving = departure.signal
  const stopping = end.signal
  const services = {
    config,
    pools,
    replicas,
    tokens,
    accessTokens,
    seals,
    oidc: createOidc(config, seals),
    oauth,
    pushKey,
    anonKey,
    functions,
    previews,
    storage,
    exports,
    imports,
    signing,
    auditKey,
    leaving,
    stopping,
    log,
    tracing,
    aliasOf,
    views,
  }
  const app = createApp({ ...services, tables, beside, wrote })
  let answer: RequestListener = getRequestListener(starting)
  let gateway: Gateway | undefined
  const shouldUpgradeCallback = (request: IncomingMessage) => Boolean(gateway) && isWebSocket(request)
  const patience = { ...PATIENCE, ...given.patience }
  const settings = { ...serverTimeouts(patience), shouldUpgradeCallback }
  const server = createServer(settings, (request, response) => {
    // Otherwise a proxy would send its next request on a connection that is about to end.
    if (leaving.aborted) response.setHeader('Connection', 'close')
    answer(request, response)
  })
  // Behind a proxy all connections come from the proxy, which has its own limits.
  const networkOf = ({ remoteAddress = '' }: Socket) => network(plain(remoteAddress))
  guardConnections(server, patience, config.trustedProxyHops === 0 ? networkOf : undefined)
  const clientOf = (request: IncomingMessage) => network(requestAddress(request, config.trustedProxyHops))
  // The joins are always counted in memory, because the gateway's connections belong to this process.
  const mayJoin = createAllowance(config, memoryCounter(), 'realtime_join')
  const gauge = metrics.sockets
  // The gateway does not use a pooler, because it changes roles and uses replication.
  const { url, socket } = reach(config.databaseDirectUrl ?? databaseUrl)
  const site: GatewaySite = { server, databaseUrl: url, socket, jwtSecrets: secrets, log, gauge, clientOf, mayJoin }
  try {
    const port = await listen(server, config)
    await given.prepare?.()
    await pools.settle()
    replicas?.start()
    gateway = await given.gateway?.(site)
    answer = getRequestListener(app.fetch, { errorHandler: unreadable })
    storage.warnings() // This logs the warnings at the start.
    const leave = (time: number) => {
      departure.abort()
      gateway?.leave(time)
    }
    const stop = async () => {
      departure.abort()
      end.abort()
      await gateway?.stop() // Open WebSockets would delay the shutdown.
      await close(server)
      await views.close()
      await replicas?.stop()
      await pools.close()
      await tracing.flush()
    }
    return { url: `http://${reachable(config.host)}:${port}`, port, leave, stop }
  } catch (error) {
    await gateway?.stop()
    await close(server)
    await views.close()
    await replicas?.stop()
    await pools.close()
    throw error
  }
}

/** A request that offers another upgrade, such as HTTP/2, is an ordinary request. */
const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === 'websocket'

/** What the operator can do if the system refuses to listen. */
const remedies: Readonly<Record<string, string | undefined>> = {
  EADDRINUSE: 'Free it, or choose another.',
  EADDRNOTAVAIL: 'HOST must be an address of this machine.',
  ENOTFOUND: 'HOST must be an address of this machine, or a name that leads to one.',
  EAI_AGAIN: 'HOST must be an address of this machine, or a name that leads to one.',
  EACCES: 'This account may not use the port. Choose one above 1023.',
}

function listen(server: Server, { host, port }: Config): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const remedy = remedies[cause.code ?? ''] ?? 'Choose another HOST or PORT.'
      const text = `The facade cannot listen on HOST ${host}, PORT ${port}: ${cause.message}. ${remedy}`
      reject(new Error(text, { cause }))
    })
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

const reachable = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** The answer before the facade is ready, for example to a load balancer's probe. */
function starting(): Response {
  const { body, headers } = errorAnswer(new ApiError('service_unavailable'))
  return new Response(body, { status: 503, headers: { ...headers, 'Retry-After': '1', 'X-Request-Id': randomUUID() } })
}

/** The answer to input that is not a valid request, for example because of its Host header, in our format. */
function unreadable(): Response {
  const { body, headers } = errorAnswer(new ApiError('request_malformed'))
  return new Response(body, { status: 400, headers: { ...headers, 'X-Request-Id': randomUUID() } })
}

/** Stops accepting, lets running requests finish within the grace period, and closes idle connections. */
async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  const end = setTimeout(() => server.closeAllConnections(), GRACE)
  await closed
  clearInterval(sweep)
  clearTimeout(end)
}
