// A connection between a facade and its database that a test can interrupt, so that an answer of the database never
// arrives.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

type Cable = {
  /** The address of the database through the cable. */
  url: string
  /** Starts to hold back the answers of the database on open connections. */
  hold(): void
  /** Closes every open connection and drops what was held back. New connections work. */
  cut(): void
  close(): Promise<void>
}

export async function layCable(databaseUrl: string): Promise<Cable> {
  const { hostname, port } = new URL(databaseUrl)
  const connections = new Set<{ near: Socket; far: Socket }>()
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    const connection = { near, far }
    connections.add(connection)
    near.pipe(far)
    far.pipe(near)
    const lose = () => {
      connections.delete(connection)
      near.destroy()
      far.destroy()
    }
    for (const end of [near, far]) end.on('error', lose).on('close', lose)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = () => {
    for (const { near } of connections) near.destroy()
  }
  return {
    url: Object.assign(new URL(databaseUrl), { port: (server.address() as AddressInfo).port }).href,
    hold() {
      for (const { near, far } of connections) far.unpipe(near)
    },
    cut,
    async close() {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}
