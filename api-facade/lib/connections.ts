// Protection against deliberately slow clients, which cost memory and connections.
// docs/decisions.md, Limits.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type Patience = {
  /** The time within which the headers of a request must arrive, and the time for the whole request. Milliseconds. */
  headers: number
  request: number
  /** How long a client can take to read, beyond the time needed at `rate`. Milliseconds, bytes per second. */
  reading: number
  rate: number
  /** The interval between two checks of the connections. Milliseconds. */
  look: number
  /** How many connections a network may have at once. */
  connections: number
}

export const PATIENCE: Patience = {
  headers: 10_000,
  request: 60_000,
  reading: 20_000,
  rate: 8192,
  look: 5000,
  connections: 500,
}

/** The limits that node:http enforces itself: it answers 408 and closes. */
export const serverTimeouts = ({ headers, request, look }: Patience) => ({
  headersTimeout: headers,
  requestTimeout: request,
  connectionsCheckingInterval: look,
})

/** Closes connections whose clients do not read and, with `networkOf`, those beyond a network's maximum. */
export function guardConnections(server: Server, patience: Patience, networkOf?: (socket: Socket) => string): void {
  if (networkOf) limitNetworks(server, patience.connections, networkOf)
  cutSlowReaders(server, patience)
}

function limitNetworks(server: Server, most: number, networkOf: (socket: Socket) => string): void {
  const counts = new Map<string, number>()
  server.on('connection', (socket: Socket) => {
    const network = networkOf(socket)
    const count = (counts.get(network) ?? 0) + 1
    if (count > most) return socket.destroy()
    counts.set(network, count)
    socket.once('close', () => {
      const left = (counts.get(network) ?? 1) - 1
      if (left > 0) counts.set(network, left)
      else counts.delete(network)
    })
  })
}

/**
 * How many bytes had been read and how many were waiting at the last check, and the time by which the client must read
 * more.
 */
type Reading = { taken: number; waiting: number; until: number }

function cutSlowReaders(server: Server, { reading, rate, look }: Patience): void {
  const answers = new Map<ServerResponse, Reading>()
  server.on('request', (_: IncomingMessage, response: ServerResponse) => {
    answers.set(response, { taken: -1, waiting: 0, until: 0 })
    response.once('close', () => answers.delete(response))
  })
  const timer = setInterval(() => {
    const now = performance.now()
    for (const [response, known] of answers) {
      const { socket, writableLength: waiting } = response
      if (!socket) continue // The answer waits for an earlier answer on the same connection.
      // A write counts as read only when all its bytes are read, so a larger write gets more time.
      const taken = socket.bytesWritten - socket.writableLength
      if (taken !== known.taken || waiting > known.waiting || waiting === 0) {
        answers.set(response, { taken, waiting, until: now + reading + (waiting / rate) * 1000 })
      } else if (now > known.until) socket.destroy()
    }
  }, look).unref()
  server.once('close', () => clearInterval(timer))
}
