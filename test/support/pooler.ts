// A pooler between a facade and its database, like PgBouncer 1.18 in transaction mode: each transaction gets any free
// server connection, and prepared statements are unknown to it. Unlike PgBouncer it can be frozen.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export type Pooler = {
  /** The address of the database through the pooler. */
  url: string
  /** Freezes the pooler: it accepts connections and bytes, and forwards nothing. */
  freeze(): void
  thaw(): void
  /** Mixes up answers: sends the next long row to another client as well, in place of the following long row. */
  mixUp(): void
  /** Closes every connection and accepts no more. */
  kill(): Promise<void>
  /** Listens again on the same port. */
  restart(): Promise<void>
  close(): Promise<void>
}

const ROW = 'D'.charCodeAt(0)
/** Rows shorter than this are those of the facade's own queries, such as presence. Bytes. */
const LONG = 200
const [READY, IDLE] = ['Z'.charCodeAt(0), 'I'.charCodeAt(0)]
/** Messages whose answers end with ReadyForQuery: Sync and the simple query. */
const ENDS = ['S'.charCodeAt(0), 'Q'.charCodeAt(0)]
const TERMINATE = 'X'.charCodeAt(0)

/** Calls `take` for each complete message of a stream. The first message has no type byte if `startup` is set. */
function splitter(take: (message: Buffer) => void, startup = false): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  let typed = !startup
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = typed ? 1 : 0
      if (rest.length < head + 4) return
      const length = head + rest.readUInt32BE(head)
      if (rest.length < length) return
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      typed = true
      take(message)
    }
  }
}

/**
 * A server connection. `client` is the client whose transaction runs on the connection. `owed` is the number of
 * ReadyForQuery messages that are still to come.
 */
type Lane = { socket: Socket; login: string; client?: Client; owed: number }
type Client = { socket: Socket; login: string; lane?: Lane; waiting: Buffer[] }

export async function startPooler(databaseUrl: string, { size = 3 } = {}): Promise<Pooler> {
  const { hostname, port } = new URL(databaseUrl)
  const lanes = new Set<Lane>()
  const clients = new Set<Client>()
  const line: Client[] = []
  let frozen = false
  let mixed: Buffer | 'next' | undefined
  const ofLogin = (login: string) => [...lanes].filter((lane) => lane.login === login)

  function serve(client: Client): void {
    // Takes the connection that was used last, as PgBouncer does. A single client then always gets the same connection.
    const lane = ofLogin(client.login).findLast((one) => !one.client)
    if (!lane) {
      if (!line.includes(client)) line.push(client)
      return
    }
    lane.client = client
    client.lane = lane
    for (const message of client.waiting.splice(0)) pass(lane, message)
  }

  function pass(lane: Lane, message: Buffer): void {
    if (ENDS.includes(message[0] ?? 0)) lane.owed++
    lane.socket.write(message)
  }

  function release(lane: Lane): void {
    if (lane.client) lane.client.lane = undefined
    lane.client = undefined
    // moves the connection to the end of the set, where the last used connection is
    lanes.delete(lane)
    if (lane.socket.destroyed) return
    lanes.add(lane)
    const at = line.findIndex(({ login }) => login === lane.login)
    const [next] = at < 0 ? [] : line.splice(at, 1)
    if (next) serve(next)
  }

  function rowOf(message: Buffer): Buffer {
    if (message.length < LONG) return message
    const before = mixed
    mixed = before === 'next' ? message : undefined
    return before instanceof Buffer ? before : message
  }

  function answered(lane: Lane, message: Buffer): void {
    lane.client?.socket.write(message[0] === ROW ? rowOf(message) : message)
    if (message[0] !== READY) return
    lane.owed--
    if (lane.owed === 0 && message[5] === IDLE) release(lane)
  }

  /** A client logs in over its own server connection, which joins the others if there is room. */
  function admit(client: Client, startup: Buffer): void {
    client.login = startup.toString('latin1').replace(/application_name\0[^\0]*\0/, '')
    const socket = connect({ port: Number(port), host: hostname, noDelay: true })
    const lane: Lane = { socket, login: client.login, client, owed: 1 }
    client.lane = lane
    const lost = () => {
      lanes.delete(lane)
      socket.destroy()
      lane.client?.socket.destroy()
      // no server connection is left, so the waiting clients must log in again, and each login opens a connection
      if (ofLogin(lane.login).length === 0)
        for (const one of line.filter(({ login }) => login === lane.login)) one.socket.destroy()
    }
    socket.on('error', lost).on('close', lost)
    const take = splitter((message) => {
      answered(lane, message)
      const spare = !lane.client && ofLogin(lane.login).length > size
      if (spare) lost()
    })
    socket.on('data', (chunk: Buffer) => frozen || take(chunk))
    socket.write(startup)
  }

  function accept(socket: Socket): void {
    const client: Client = { socket, login: '', waiting: [] }
    clients.add(client)
    let first = true
    const take = splitter((message) => {
      if (first) admit(client, message)
      else if (message[0] === TERMINATE) socket.destroy()
      else if (client.lane) pass(client.lane, message)
      else {
        client.waiting.push(message)
        serve(client)
      }
      first = false
    }, true)
    const gone = () => {
      clients.delete(client)
      socket.destroy()
      const at = line.indexOf(client)
      if (at >= 0) line.splice(at, 1)
      if (client.lane) client.lane.socket.destroy() // the client was in the middle of a transaction
    }
    socket.on('error', gone).on('close', gone)
    socket.on('data', (chunk: Buffer) => frozen || take(chunk))
  }

  const listen = async (at: number): Promise<Server> => {
    const server = createServer({ noDelay: true }, accept).listen(at, '127.0.0.1')
    await once(server, 'listening')
    return server
  }
  let server = await listen(0)
  const own = (server.address() as AddressInfo).port
  const kill = async () => {
    const closed = once(server, 'close')
    server.close()
    for (const { socket } of [...clients, ...lanes]) socket.destroy()
    await closed
  }
  return {
    url: Object.assign(new URL(databaseUrl), { port: own }).href,
    freeze() {
      frozen = true
    },
    thaw() {
      frozen = false
      // what was sent meanwhile is lost, as after a stop that dropped the packets
      for (const { socket } of [...clients, ...lanes]) socket.destroy()
    },
    mixUp() {
      mixed = 'next'
    },
    kill,
    async restart() {
      server = await listen(own)
    },
    async close() {
      if (server.listening) await kill()
    },
  }
}
