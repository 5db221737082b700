// The Realtime server of the embedded instance: what supabase-js meets at /realtime/v1/websocket.
// It joins, authorises, delivers and expires as supabase/realtime does; docs/compatibility.md lists the differences.
import type { IncomingMessage, Server } from 'node:http'
import postgres from 'postgres'
import { createVerifier, openAuthorization } from './authorization.ts'
import { createChannels } from './channels.ts'
import { startFeed } from './feed.ts'
import type { InsertedRow } from './pgoutput.ts'
import { createSession, type Services } from './session.ts'
import { acceptSockets, type Log, type SocketOptions, type Sockets } from './sockets.ts'
import { TOKENS, watchTokens } from './tokens.ts'

export type GatewayOptions = {
  /** WebSockets are answered on it; it is neither started nor stopped here. */
  server: Server
  /** Of the schema's owner, straight to the server. */
  databaseUrl: string
  /** What signs the API keys and the tokens. */
  jwtSecret: string
  log: Log
  gauge: SocketOptions['gauge']
  /** After how many idle milliseconds a socket is dead; clients send a heartbeat every 25 seconds. */
  idle?: number
  /** How many bytes may wait for a slow socket before it is cut off: it comes again and reads what it missed. */
  backlog?: number
  /** Whose sockets count together, such as an address; by default the other end of the connection. */
  clientOf?: (request: IncomingMessage) => string
  /** Whether a client may join, or bring a newer token, once more: over all its sockets, also those that are closed. */
  mayJoin?: (client: string) => Promise<boolean>
  /** How many sockets may be open at once, and how many of one client. */
  mostSockets?: number
  mostSocketsOfClient?: number
  /** How many bytes a client may send before its upgrade is answered; it should send none. */
  mostEarlyBytes?: number
  /** How many channels a socket may have joined, and how often in a minute it may try or bring a newer token. */
  mostChannels?: number
  mostJoins?: number
}
export type Gateway = {
  /** How many sockets are open. */
  sockets(): number
  /** Closes every socket, and settles when all is released. */
  stop(): Promise<void>
}

const HOUR = 3_600_000

/** Settles when channels can be joined. @throws when the database can't be reached */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { server, databaseUrl, jwtSecret, log, gauge, idle = 60_000, backlog = 1024 * 1024 } = options
  const { clientOf = (request: IncomingMessage) => request.socket.remoteAddress ?? '' } = options
  const { mayJoin = async () => true } = options
  const { mostSockets = 10_000, mostSocketsOfClient = 200, mostEarlyBytes = 4096 } = options
  const { mostChannels = 100, mostJoins = 200 } = options // enough to join them all anew when the feed breaks
  const channels = createChannels()
  const tokens = watchTokens()
  let sockets: Sockets | undefined

  const onRow = (row: InsertedRow) => {
    const { topic, event, payload, id } = row
    if (row.private !== 't' || row.extension !== 'broadcast' || !topic || !event || !payload || !id) return
    if (topic === TOKENS) return tokens.hear(payload)
    channels.deliver(topic, { event, encoding: 'json', body: Buffer.from(payload), id })
  }
  const onLost = (failure: unknown) => {
    log.warn({ failure }, 'the feed of realtime.messages broke off')
    // what they miss will not come again: whoever joins anew reads first
    sockets?.endChannels()
  }
  const makePartitions = () =>
    rollPartitions(databaseUrl).catch((failure: unknown) => log.warn({ failure }, 'partitions could not be rolled'))

  await makePartitions()
  const feed = await startFeed({ databaseUrl, onRow, onLost })
  const authorization = openAuthorization(databaseUrl)
  const verify = createVerifier(jwtSecret)
  const services: Services = {
    verify,
    tokens,
    authorization,
    channels,
    isFed: feed.isUp,
    mostChannels,
    mostJoins,
    mayJoin,
  }
  const accepted = acceptSockets({
    server,
    log,
    gauge,
    idle,
    backlog,
    clientOf,
    mostSockets,
    mostSocketsOfClient,
    mostEarlyBytes,
    verify,
    startSession: (peer, apiKey, client) => createSession(services, peer, apiKey, client),
  })
  sockets = accepted
  const rolling = setInterval(makePartitions, HOUR)

  async function stop(): Promise<void> {
    clearInterval(rolling)
    await accepted.close()
    await Promise.all([feed.stop(), authorization.close()])
  }
  return { sockets: accepted.count, stop }
}

/** Does nothing while the days ahead have theirs. */
async function rollPartitions(databaseUrl: string): Promise<void> {
  const sql = postgres(databaseUrl, { max: 1, connect_timeout: 10, fetch_types: false, onnotice: () => {} })
  try {
    await sql`select realtime.create_partitions()`
  } finally {
    await sql.end({ timeout: 1 })
  }
}
