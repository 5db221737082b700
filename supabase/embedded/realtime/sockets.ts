// The sockets: who can open one, the order of its messages, and when it is closed.
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocket, WebSocketServer } from 'ws'
import type { Peer } from './channels.ts'
import type { Session } from './session.ts'
import { type Incoming, type Wire, wires } from './wire.ts'

export type Log = { warn(fields: { failure: unknown }, message: string): void }
export type SocketOptions = {
  server: Server
  log: Log
  /** Called with the number of open sockets when it changes. */
  gauge: { set(count: number): void }
  /** @throws Error for an unknown key */
  verify(apiKey: string): Promise<unknown>
  startSession(peer: Peer, apiKey: string, client: string): Session
  /** Milliseconds without a message after which a socket is closed. */
  idle: number
  /** Bytes that can wait for a slow socket. */
  backlog: number
  /** The key by which sockets are counted. */
  clientOf(request: IncomingMessage): string
  mostSockets: number
  mostSocketsOfClient: number
  /** Bytes that can arrive before the answer to an upgrade. */
  mostEarlyBytes: number
}
export type Sockets = {
  count(): number
  /** Ends every channel with phx_error; the sockets stay open. */
  endChannels(): void
  /** Closes the sockets, including new ones, at random moments of the second half of this time. Milliseconds. */
  leave(time: number): void
  close(): Promise<void>
}

const PATH = /^\/realtime\/v1\/websocket\/?$/
const LARGEST_MESSAGE = 256 * 1024
/** The close code that asks a client to reconnect: service restart. */
const RESTART = 1012
/** The time that clients have to close their side. Milliseconds. */
const GRACE = 1000
/**
 * The number of rounds without a message after which a socket is closed. Rounds stop while the process is suspended.
 * With clock time, the gateway would then close sockets whose messages it has not read yet.
 */
const ROUNDS = 4
/** The interval at which a gateway that is stopping closes some of its sockets. Milliseconds. */
const STEP = 50
/** Retry-After for a refused socket. Seconds. */
const RETRY_AFTER = 60

export function acceptSockets(options: SocketOptions): Sockets {
  const { server, log, gauge, verify, startSession, idle, backlog, clientOf, mostEarlyBytes } = options
  const acceptor = new WebSocketServer({ noServer: true, maxPayload: LARGEST_MESSAGE, perMessageDeflate: false })
  const sockets = new Map<WebSocket, { session: Session; silentRounds: number }>()
  const admit = limitSockets(options)
  let closing = false
  let leaving: NodeJS.Timeout | undefined

  async function onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    const address = URL.parse(request.url ?? '', 'http://localhost')
    if (!PATH.test(address?.pathname ?? '')) return refuse(socket, '404 Not Found', 'There is no WebSocket here')
    const wire = wires[address?.searchParams.get('vsn') ?? '1.0.0']
    if (!wire) return refuse(socket, '400 Bad Request', 'vsn must be 1.0.0 or 2.0.0')
    const apiKey = address?.searchParams.get('apikey') ?? request.headers.apikey
    if (typeof apiKey !== 'string') return refuse(socket, '401 Unauthorized', 'No API key found in request')
    const client = clientOf(request)
    if (!admit(socket, client)) return refuse(socket, '429 Too Many Requests', 'Too many connected users')
    const known = await verify(apiKey).catch(() => null)
    if (!known) return refuse(socket, '401 Unauthorized', 'Unauthorized')
    if (head.length + socket.readableLength > mostEarlyBytes)
      return refuse(socket, '400 Bad Request', 'Nothing may be sent before the answer')
    if (closing) socket.destroy()
    else acceptor.handleUpgrade(request, socket, head, (ws) => open(ws, socket, wire, apiKey, client))
  }

  function open(ws: WebSocket, socket: Duplex, wire: Wire, apiKey: string, client: string): void {
    const session = startSession(peerOf(ws, socket, wire, backlog), apiKey, client)
    const state = { session, silentRounds: 0 }
    sockets.set(ws, state)
    gauge.set(sockets.size)
    const hear = inTurn(ws, session, log)
    ws.on('message', (data: Buffer, binary: boolean) => {
      state.silentRounds = 0
      const message = decoded(wire, data, binary)
      if (message) hear(message)
      else ws.close(1002, 'Not a message of this protocol')
    })
    ws.on('error', () => ws.terminate())
    ws.on('close', () => {
      sockets.delete(ws)
      gauge.set(sockets.size)
      session.end()
    })
  }

  function bury(): void {
    for (const [ws, state] of sockets) if (++state.silentRounds > ROUNDS) ws.terminate()
  }

  const endChannels = () => {
    for (const { session } of sockets.values()) session.end('phx_error')
  }

  /**
   * Closes nothing in the first half of `time`, until the load balancer has noticed the stop. Clients that reconnected
   * earlier would come back to this gateway.
   */
  function leave(time: number): void {
    const end = performance.now() + time
    leaving = setInterval(() => {
      const left = end - performance.now()
      if (left > time / 2) return
      for (const ws of sockets.keys())
        if (ws.readyState === WebSocket.OPEN && Math.random() < STEP / Math.max(left, STEP)) void goodbye(ws)
    }, STEP)
  }

  const sweep = setInterval(bury, idle / ROUNDS)
  server.on('upgrade', onUpgrade)

  async function close(): Promise<void> {
    closing = true
    server.off('upgrade', onUpgrade)
    clearInterval(sweep)
    clearInterval(leaving)
    await Promise.all([...sockets.keys()].map(goodbye))
  }
  return { count: () => sockets.size, endChannels, leave, close }
}

/** Admits sockets up to the limits, and counts them until they are closed, including those that are refused later. */
function limitSockets({
  mostSockets,
  mostSocketsOfClient,
}: SocketOptions): (socket: Duplex, client: string) => boolean {
  const inside = new Map<string, number>()
  let all = 0
  return (socket, client) => {
    const others = inside.get(client) ?? 0
    if (all >= mostSockets || others >= mostSocketsOfClient) return false
    all++
    inside.set(client, others + 1)
    socket.once('close', () => {
      all--
      const left = (inside.get(client) ?? 0) - 1
      if (left > 0) inside.set(client, left)
      else inside.delete(client)
    })
    return true
  }
}

/** Passes messages on one at a time, and reads at most one chunk ahead. */
function inTurn(ws: WebSocket, session: Session, log: Log): (message: Incoming) => void {
  let turn = Promise.resolve()
  let waiting = 0
  return (message) => {
    waiting++
    ws.pause()
    turn = turn
      .then(() => session.receive(message))
      .catch((failure: unknown) => {
        log.warn({ failure }, 'cannot handle a message')
        ws.close(1011)
      })
      .finally(() => {
        if (--waiting === 0) ws.resume()
      })
  }
}

function decoded(wire: Wire, data: Buffer, binary: boolean): Incoming | null {
  try {
    return wire.decode(data, binary)
  } catch {
    return null
  }
}

/** Writes encoded frames directly: `ws` would encode a header per socket, a seventh of the CPU of a broadcast. */
function peerOf(ws: WebSocket, socket: Duplex, wire: Wire, backlog: number): Peer {
  return {
    wire,
    send(frame) {
      if (ws.readyState !== ws.OPEN) return
      socket.write(frame)
      if (socket.writableLength > backlog) ws.terminate() // a slow reader must not use up the memory
    },
  }
}

/** Answers an upgrade with an error, like the API gateway of the real server, and closes the socket. */
function refuse(socket: Duplex, status: string, message: string): void {
  const body = JSON.stringify({ message })
  const headers = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close']
  if (status.startsWith('429')) headers.push(`Retry-After: ${RETRY_AFTER}`)
  const cut = setTimeout(() => socket.destroy(), GRACE) // otherwise the socket stays open as long as the client's side
  socket.once('close', () => clearTimeout(cut))
  socket.resume() // unread data would cause a reset, and the answer would be lost
  socket.end([`HTTP/1.1 ${status}`, ...headers, '', body].join('\r\n'))
}

function goodbye(ws: WebSocket): Promise<void> {
  return new Promise((settle) => {
    const cut = setTimeout(() => ws.terminate(), GRACE)
    ws.once('close', () => {
      clearTimeout(cut)
      settle()
    })
    ws.resume()
    ws.close(RESTART, 'Realtime is restarting')
  })
}
