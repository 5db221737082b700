// Clients that are slow on purpose, on real sockets: the server closes their connections and keeps serving others.
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { guardConnections, PATIENCE, type Patience } from '../../../api-facade/lib/connections.ts'
import { type RunningServer, startServer } from '../../../api-facade/server.ts'
import { createDatabase } from '../../support/database.ts'
import { environment } from '../../support/settings.ts'
import { ownOnly } from '../../support/target.ts'
import { until } from '../../support/until.ts'

ownOnly('starts its own facades')
const { url: databaseUrl } = await createDatabase()

const servers: RunningServer[] = []
afterAll(() => Promise.all(servers.map((server) => server.stop())))
async function start(patience: Partial<Patience>, env = {}): Promise<RunningServer> {
  const config = readConfig(environment(databaseUrl, env))
  const server = await startServer({ config, databaseUrl, patience: { look: 20, ...patience } })
  servers.push(server)
  return server
}

type Client = { socket: Socket; closed: boolean; text: string }
function open({ port }: { port: number }): Client {
  const socket = connect(port, '127.0.0.1')
  const client = { socket, closed: false, text: '' }
  socket.on('error', () => {}) // the server may close the connection, which is an error event here
  socket.on('close', () => {
    client.closed = true
  })
  return client
}
const read = (client: Client) =>
  client.socket.setEncoding('latin1').on('data', (part) => {
    client.text += part
  })
const isServed = async ({ url }: RunningServer) =>
  (await fetch(`${url}/health`, { headers: { connection: 'close' } })).status

/** Sends a byte every 10 ms for as long as the connection is open. */
function trickle({ socket }: Client): void {
  const timer = setInterval(() => socket.write('a'), 10)
  socket.once('close', () => clearInterval(timer))
}

test('Connections whose headers never end are closed with 408, and others are served meanwhile', async () => {
  const server = await start({ headers: 300 })
  const clients = Array.from({ length: 50 }, () => open(server))
  for (const client of clients) {
    read(client)
    client.socket.write('GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    trickle(client)
  }
  expect(await isServed(server)).toBe(200)
  await until(() => clients.every(({ closed }) => closed))
  for (const { text } of clients) expect(text).toMatch(/^HTTP\/1\.1 408 /)
})

test('A connection on which nothing is sent is closed', async () => {
  const server = await start({ headers: 300 })
  const client = open(server)
  read(client)
  await until(() => client.closed)
})

test('Connections whose body never ends are closed, and others are served meanwhile', async () => {
  const server = await start({ headers: 200, request: 300 })
  const clients = Array.from({ length: 50 }, () => open(server))
  for (const client of clients) {
    read(client)
    client.socket.write(
      'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n',
    )
    trickle(client)
  }
  expect(await isServed(server)).toBe(200)
  await until(() => clients.every(({ closed }) => closed))
})

// the answer is larger than the buffers of both ends
const long = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(8)

test('Connections whose answer is never read are closed, and others are served meanwhile', async () => {
  const server = await start({ reading: 300, rate: 2 ** 30 })
  const clients = Array.from({ length: 5 }, () => open(server))
  for (const client of clients) client.socket.pause().write(long)
  expect(await isServed(server)).toBe(200)
  // a paused socket does not notice that it was closed
  await until(() => clients.every(({ socket }) => socket.resume() && socket.destroyed))
})

test('A connection whose answer is read too slowly is closed', async () => {
  const answers: ServerResponse[] = []
  const server = createServer((_, response) => {
    answers.push(response)
    response.end(Buffer.alloc(64_000_000))
  })
  guardConnections(server, { ...PATIENCE, look: 20, reading: 300, rate: 1_000_000_000 })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const client = open(server.address() as AddressInfo)
  client.socket.on('readable', () => {}).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await until(() => {
    client.socket.read(1000)
    return answers.some(({ destroyed }) => destroyed)
  })
  expect(answers.map(({ writableFinished }) => writableFinished)).toEqual([false])
  client.socket.destroy()
  await new Promise((closed) => server.close(closed))
})

test('A client that reads slowly, but fast enough, gets the whole answer', async () => {
  const server = await start({ reading: 300, rate: 50_000 })
  const whole = (await (await fetch(`${server.url}/openapi.json`)).text()).length
  const client = open(server)
  client.socket.setEncoding('latin1').on('readable', () => {})
  client.socket.write(long.replace(/\r\n\r\n$/, '\r\nConnection: close\r\n\r\n'))
  const pump = setInterval(() => {
    client.text += client.socket.read() ?? ''
  }, 5)
  await until(() => client.closed)
  clearInterval(pump)
  expect(client.text.length).toBeGreaterThan(8 * whole)
})

test('A connection beyond the limit of one network is closed, until another one ends', async () => {
  const server = await start({ connections: 5 })
  const clients = Array.from({ length: 5 }, () => open(server))
  await until(() => clients.every(({ socket }) => socket.readyState === 'open'))
  const sixth = open(server)
  await until(() => sixth.closed)
  expect(clients.some(({ closed }) => closed)).toBe(false)
  clients.pop()?.socket.destroy()
  await until(() =>
    isServed(server).then(
      (status) => status === 200,
      () => false,
    ),
  )
})

test('Connections from a trusted proxy are not limited', async () => {
  const server = await start({ connections: 5 }, { TRUSTED_PROXY_HOPS: '1' })
  const clients = Array.from({ length: 20 }, () => open(server))
  await until(() => clients.every(({ socket }) => socket.readyState === 'open'))
  expect(await isServed(server)).toBe(200)
  expect(clients.some(({ closed }) => closed)).toBe(false)
  for (const { socket } of clients) socket.destroy()
})
