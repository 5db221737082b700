// Clients that are slow on purpose: each end of a connection that waits for the other costs this one memory and a place.
// docs/decisions.md, Limits.
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type Patience = {
  /** Until the headers of a request are there, and until all of it is. Milliseconds. */
  headers: number
  request: number
  /** Until what is ready is taken, beside the time that it takes at this rate. Milliseconds, bytes a second. */
  reading: number
  rate: number
  /** From one look at the connections to the next. Milliseconds. */
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

/** What node:http sees to itself: it answers 408 and closes. */
export const serverTimeouts = ({ headers, request, look }: Patience) => ({
  headersTimeout: headers,
  requestTimeout: request,
  connectionsCheckingInterval: look,
})

/** Ends connections whose clients do not read, and with `networkOf` those that a network has too many of. */
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

/** How much had been taken when it was looked at last, how much waited, and until when more must be taken. */
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
      if (!socket) continue // its turn comes behind another answer on the same connection
      // a write counts when all of it is taken, so the time for it goes by its size
      const taken = socket.bytesWritten - socket.writableLength
      if (taken !== known.taken || waiting > known.waiting || waiting === 0) {
        answers.set(response, { taken, waiting, until: now + reading + (waiting / rate) * 1000 })
      } else if (now > known.until) socket.destroy()
    }
  }, look).unref()
  server.once('close', () => clearInterval(timer))
}
