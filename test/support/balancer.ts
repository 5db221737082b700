// A load balancer: passes each request to the next of its facades and stores nothing. Tests that pass through it use
// only state that the facades share.
import { type ClientRequest, createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'

export type Balancer = {
  url: string
  /** How many requests each facade got, in the order of the facades. */
  counts: number[]
  /** Which facades get requests. */
  isUp: boolean[]
  close(): Promise<void>
}

/** The header in which a test tells the balancer the client's address, because all tests have the same real address. */
export const CLIENT = 'x-test-client'

/** How often facades are checked. Milliseconds. */
const CHECK = 100

const isWebSocket = ({ headers }: IncomingMessage): boolean => headers.upgrade === 'websocket'

/** Sends a request. The body is sent only when there is a connection. */
function forward(target: string, named: boolean, incoming: IncomingMessage): ClientRequest {
  const { [CLIENT]: client, ...headers } = incoming.headers
  const seen = [headers['x-forwarded-for'], client ?? incoming.socket.remoteAddress].filter(Boolean).join(', ')
  const onwards = request(new URL(incoming.url ?? '/', target), {
    method: incoming.method,
    headers: { ...headers, ...(named && { 'x-forwarded-for': seen }) },
  })
  const sendBody = () => (isWebSocket(incoming) ? onwards.end() : incoming.pipe(onwards))
  return onwards.once('socket', (socket) => (socket.connecting ? socket.once('connect', sendBody) : sendBody()))
}

/** Passes on what both sides of a WebSocket send, and its end. */
function connect(near: Duplex, far: Duplex): void {
  near.pipe(far).pipe(near)
  near.once('close', () => far.destroy())
  far.once('close', () => near.destroy()).on('error', () => near.destroy())
}

const isReady = async (target: string): Promise<boolean> => {
  const answer = await fetch(`${target}/ready`).catch(() => null)
  await answer?.text()
  return answer?.status === 200
}

/**
 * @param named whether it appends the client to X-Forwarded-For, as a proxy does, or forwards the header unchanged
 * @param checked whether it does what docs/run/haproxy.cfg says: a facade gets requests while its /ready answers 200,
 * and a request whose connection is refused goes to the next facade. Only the last facade stays in any case, because
 * /ready can be too slow on a busy machine.
 */
export async function startBalancer(
  targets: readonly string[],
  { named = false, checked = false } = {},
): Promise<Balancer> {
  const counts = targets.map(() => 0)
  const isUp = targets.map(() => true)
  const tunnels = new Set<Duplex>()
  let turn = 0
  const next = (): number => {
    const order = targets.map((_, n) => (turn + n) % targets.length)
    const at = order.find((one) => isUp[one]) ?? 0
    turn = at + 1
    counts[at] = (counts[at] ?? 0) + 1
    return at
  }
  type Use = (onwards: ClientRequest) => void
  const pass = (incoming: IncomingMessage, use: Use, fail: () => void, attempts = checked ? targets.length : 1) => {
    const onwards = forward(targets[next()] ?? '', named, incoming)
    use(onwards)
    onwards.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'ECONNREFUSED' && attempts > 1) pass(incoming, use, fail, attempts - 1)
      else fail()
    })
  }
  const server = createServer({ shouldUpgradeCallback: isWebSocket }, (incoming, answer) => {
    const use: Use = (onwards) =>
      onwards.on('response', (response) => {
        answer.writeHead(response.statusCode ?? 502, response.rawHeaders)
        response.pipe(answer)
      })
    pass(incoming, use, () => answer.headersSent || answer.writeHead(502).end())
  })
  server.on('upgrade', (incoming: IncomingMessage, near: Duplex, head: Buffer) => {
    tunnels.add(near)
    near.once('close', () => tunnels.delete(near)).on('error', () => near.destroy())
    const heads = ({ statusCode, statusMessage, rawHeaders }: IncomingMessage) => {
      const lines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? `${name}: ${rawHeaders[at + 1]}` : []))
      return [`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines, '', ''].join('\r\n')
    }
    const use: Use = (onwards) =>
      onwards
        .on('upgrade', (response, far, early) => {
          near.write(heads(response))
          near.write(early)
          far.write(head)
          connect(near, far)
        })
        .on('response', (response) => {
          near.write(heads(response))
          response.pipe(near)
        })
    pass(incoming, use, () => near.destroy())
  })
  const check = async (target: string, at: number) => {
    isUp[at] = (await isReady(target)) || !isUp.some((up, other) => up && other !== at)
  }
  const checks = checked ? setInterval(() => targets.forEach(check), CHECK) : undefined
  await new Promise<void>((listening) => {
    server.listen(0, '127.0.0.1', listening)
  })
  const close = () =>
    new Promise<void>((closed) => {
      clearInterval(checks)
      server.close(() => closed())
      server.closeAllConnections()
      for (const tunnel of tunnels) tunnel.destroy()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, counts, isUp, close }
}
