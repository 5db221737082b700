// A facade on a database: opens the pools, listens, and ends without cutting anyone off.
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createApp } from './app.ts'
import type { Config } from './lib/config.ts'
import { openPools } from './lib/database.ts'
import { errorAnswer, Refusal } from './lib/errors.ts'
import { loadTables } from './lib/features.ts'
import { createLog, type Log } from './lib/log.ts'
import type { Table } from './lib/routes.ts'
import { createTokens } from './lib/tokens.ts'

export type ServerOptions = {
  config: Config
  databaseUrl: string
  /** What signs the tokens and the pools' passwords; by default the configured one. */
  jwtSecret?: string
  tables?: readonly Table[]
  log?: Log
}
export type RunningServer = { url: string; port: number; stop(): Promise<void> }

/** How long requests in flight may take once the end has begun. Milliseconds. */
const GRACE = 10_000

/** @throws Error when the port is taken or there is no secret */
export async function startServer({ config, databaseUrl, ...given }: ServerOptions): Promise<RunningServer> {
  const secret = given.jwtSecret ?? config.jwtSecret
  if (!secret) throw new Error('A facade needs JWT_SECRET.')
  const tables = given.tables ?? (await loadTables())
  const tokens = await createTokens([secret])
  const pools = openPools(config, databaseUrl, secret)
  const app = createApp({ config, pools, tokens, log: given.log ?? createLog(config), tables })
  const server = createServer({ requestTimeout: 60_000 }, getRequestListener(app.fetch, { errorHandler: unreadable }))
  try {
    const port = await listen(server, config)
    const stop = async () => {
      await close(server)
      await pools.close()
    }
    return { url: `http://${reachable(config.host)}:${port}`, port, stop }
  } catch (error) {
    await pools.close()
    throw error
  }
}

function listen(server: Server, { host, port }: Config): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

const reachable = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

/** What never became a request, such as one with an impossible Host header, still gets an error of our shape. */
function unreadable(): Response {
  const { body, headers } = errorAnswer(new Refusal('request_malformed'))
  return new Response(body, { status: 400, headers: { ...headers, 'X-Request-Id': randomUUID() } })
}

/** Stops accepting, lets requests in flight finish within the grace, and closes connections as they fall idle. */
async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  const end = setTimeout(() => server.closeAllConnections(), GRACE)
  await closed
  clearInterval(sweep)
  clearTimeout(end)
}
