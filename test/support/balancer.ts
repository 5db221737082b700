// A simple load balancer: passes each request to the next of its facades and stores nothing. What works through it must
// be state that the facades share.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Balancer = {
  url: string
  /** How many requests each facade got, in the order of the facades. */
  counts: number[]
  close(): Promise<void>
}

/** The header in which a test tells the balancer the client's address, because all tests have the same real address. */
export const CLIENT = 'x-test-client'

function forward(target: string, named: boolean, incoming: IncomingMessage, answer: ServerResponse): void {
  const { [CLIENT]: client, ...headers } = incoming.headers
  const seen = [headers['x-forwarded-for'], client ?? incoming.socket.remoteAddress].filter(Boolean).join(', ')
  const onwards = request(
    new URL(incoming.url ?? '/', target),
    { method: incoming.method, headers: { ...headers, ...(named && { 'x-forwarded-for': seen }) } },
    (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders)
      response.pipe(answer)
    },
  )
  onwards.on('error', () => answer.headersSent || answer.writeHead(502).end())
  incoming.pipe(onwards)
}

/** @param named whether it appends the client to X-Forwarded-For, as a proxy does, or forwards the header unchanged */
export async function startBalancer(targets: readonly string[], { named = false } = {}): Promise<Balancer> {
  const counts = targets.map(() => 0)
  let turn = 0
  const server = createServer((incoming, answer) => {
    const at = turn++ % targets.length
    counts[at] = (counts[at] ?? 0) + 1
    forward(targets[at] ?? '', named, incoming, answer)
  })
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, counts, close }
}
