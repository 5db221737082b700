// The Realtime server of the embedded instance, for supabase-js at /realtime/v1/websocket. Joining, authorization,
// delivery and expiry work as in supabase/realtime; docs/compatibility.md lists the differences.
import type { IncomingMessage, Server } from 'node:http'
import postgres from 'postgres'
import type { Dial } from '../replication.ts'
import { createVerifier, openAuthorization } from './authorization.ts'
import { createChannels } from './channels.ts'
import { startFeed } from './feed.ts'
import type { InsertedRow } from './pgoutput.ts'
import { createSession, type Services } from './session.ts'
import { acceptSockets, type Log, type SocketOptions, type Sockets } from './sockets.ts'
import { TOKENS, watchTokens } from './tokens.ts'

export type GatewayOptions = {
  /** The server of the WebSockets; it is neither started nor stopped here. */
  server: Server
  /** The connection string of the schema's owner, directly to the server. */
  databaseUrl: string
  /** Opens each connection to the database (an option of postgres.js). Default: the host of `databaseUrl`. */
  socket?: Dial
  /** The secrets that may have signed API keys and tokens. */
  jwtSecrets: readonly string[]
  log: Log
  gauge: SocketOptions['gauge']
  /** The number of idle milliseconds after which a socket is closed; clients send a heartbeat every 25 seconds. */
  idle?: number
  /**
   * The number of bytes that can wait for a slow socket before it is closed; the client then reconnects and reads what
   * it missed.
   */
  backlog?: number
  /** The key by which sockets of a client are counted; default: its address. */
  clientOf?: (request: IncomingMessage) => string
  /** Whether a client may join or refresh a token again; counted over all its sockets, including closed ones. */
  mayJoin?: (client: string) => Promise<boolean>
  /** The number of sockets that can be open, in total and per client. */
  mostSockets?: number
  mostSocketsOfClient?: number
  /** The number of bytes that a client can send before its upgrade is answered; it should send none. */
  mostEarlyBytes?: number
  /** The number of channels that a socket can join, and the number of joins and token refreshes per minute. */
  mostChannels?: number
  mostJoins?: number
}
export type Gateway = {
  /** The number of open sockets. */
  sockets(): number
  /** Closes the sockets one after another within this time, so that clients reconnect elsewhere. Milliseconds. */
  leave(time: number): void
  /** Closes every socket and every connection, and then resolves. */
  stop(): Promise<void>
}

const HOUR = 3_600_000

/** Resolves when channels can be joined. @throws Error if the database cannot be reached */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { server, databaseUrl, socket, jwtSecrets, log, gauge, idle = 60_000, backlog = 1024 * 1024 } = options
  const { clientOf = (request: IncomingMessage) => request.socket.remoteAddress ?? '' } = options
  const { mayJoin = async () => true } = options
  const { mostSockets = 10_000, mostSocketsOfClient = 200, mostEarlyBytes = 4096 } = options
  const { mostChannels = 100, mostJoins = 200 } = options // enough to rejoin all channels after a loss of the feed
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
    log.warn({ failure }, 'the feed of realtime.messages was lost')
    // missed messages are not sent again; clients read after they have joined again
    sockets?.endChannels()
  }
  const makePartitions = () =>
    rollPartitions(databaseUrl, socket).catch((failure: unknown) =>
      log.warn({ failure }, 'cannot create the next partitions'),
    )

  await makePartitions()
  const feed = await startFeed({ databaseUrl, socket, onRow, onLost })
  const authorization = openAuthorization(databaseUrl, socket)
  const verify = createVerifier(jwtSecrets)
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
  return { sockets: accepted.count, leave: accepted.leave, stop }
}

/** Does nothing while the next days have partitions. */
async function rollPartitions(databaseUrl: string, socket: Dial | undefined): Promise<void> {
  const sql = postgres(databaseUrl, {
    ...{ max: 1, connect_timeout: 10, fetch_types: false, onnotice: () => {} },
    ...(socket && { socket }),
  })
  try {
    await sql`select realtime.create_partitions()`
  } finally {
    await sql.end({ timeout: 1 })
  }
}
