// The hosts of a connection string. It can name several hosts, as in libpq: `host1:5432,host2:5432`. One of them is the
// primary, which takes writes. Each new connection asks the servers which of them is the primary, so any tool can
// promote a standby. docs/operation.md, Standbys and failover.
import { connect, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ConnectionOptions, checkServerIdentity } from 'node:tls'
import postgres from 'postgres'
import { outsideTraces } from '../../edge-functions/shared/tracing.ts'

/** How long a connection waits for a primary. A failover takes less time. Milliseconds. */
const PATIENCE = 5000
/** The pause between two rounds of questions to all hosts, and how long a host has to answer. Milliseconds. */
const PAUSE = 250
const ANSWER = 2000

/** The argument of the option `socket` of postgres.js, which its types lack. */
export type Place = { host: string[]; port: number[]; path?: string | false }

/** A connection of node-postgres, with the options for TLS, which begins after the socket has connected. */
type Client = { ssl?: boolean | ConnectionOptions }

export type Reach = {
  /** The connection string of one host, from which clients take everything except the host. */
  url: string
  /** Opens a connection to the host or, if there are several hosts, to the primary. The option `socket` of postgres.js. */
  socket(place: Place): Promise<Socket>
  /** Makes a socket for node-postgres, which connects it itself. Undefined with one host. */
  stream: ((client: Client) => Socket) | undefined
}

/** The connection string of each host. @throws TypeError if one of them is not a URL */
export function hostsOf(url: string): [string, ...string[]] {
  const [, login = '', hosts = '', rest = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  const [first = '', ...others] = hosts.split(',')
  if (others.length === 0) return [url]
  const one = (host: string): string => {
    if (host === '') throw new TypeError('A host is missing.')
    const address = new URL(`${login}${host}${rest}`)
    address.searchParams.delete('target_session_attrs') // The host is always the primary.
    return address.href
  }
  return [one(first), ...others.map(one)]
}

/** The location of a database, without the credentials. */
export function placeOf(url: string): string {
  const places = hostsOf(url).map((one) => new URL(one))
  return places.map(({ host }) => host).join(',') + (places[0]?.pathname ?? '')
}

/** A socket that fails: postgres.js never again uses a connection for which it got no socket at all. */
function failing(error: Error): Socket {
  const socket = new Socket()
  process.nextTick(() => socket.destroy(error)) // In the next tick, when the caller listens for errors.
  return Object.assign(socket, { host: '' })
}

/** The connection string of the primary. @throws Error ECONNREFUSED if none is found in time */
export const primaryOf = (url: string): Promise<string> => finder(hostsOf(url))()

export function reach(url: string): Reach {
  const urls = hostsOf(url)
  const find = finder(urls)
  const many = urls.length > 1
  const place = async (): Promise<{ host: string; port: number }> => {
    const { hostname, port } = new URL(await find())
    return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || 5432) }
  }
  const socket = async ({ host: [first = 'localhost'], port: [port = 5432], path }: Place): Promise<Socket> => {
    if (many) return place().then(open, failing)
    return open(path ? { path, host: first } : { host: first, port })
  }
  return { url: urls[0], socket, stream: many ? (client) => new Late(place, client) : undefined }
}

/** Connects in the next turn of the event loop, so that the caller's listeners also get an immediate error. */
async function open(to: { host: string; port: number } | { host: string; path: string }): Promise<Socket> {
  await null
  const opened = outsideTraces(() => connect({ ...to, noDelay: true }))
  return Object.assign(opened, { host: to.host }) // postgres.js reads the expected name of the certificate from `host`.
}

/** A socket that finds its host only when it connects. */
class Late extends Socket {
  readonly #place: () => Promise<{ host: string; port: number }>
  readonly #ssl: Client['ssl']

  constructor(place: () => Promise<{ host: string; port: number }>, client: Client) {
    super()
    this.#place = place
    if (client.ssl === true) client.ssl = {} // node-postgres reads it later: both mean that certificates are checked
    this.#ssl = client.ssl
  }

  override connect(): this {
    this.#place().then(
      (place) => {
        // node-postgres would expect the first host's name in the certificate; a check of its own is that of sslmode
        if (typeof this.#ssl === 'object')
          this.#ssl.checkServerIdentity ??= (_, certificate) => checkServerIdentity(place.host, certificate)
        if (!this.destroyed) super.connect(place)
      },
      (error: Error) => this.destroy(error),
    )
    return this
  }
}

/** The newest timeline that this process has seen, by list of hosts. */
const timelines = new Map<string, number>()

/** Returns a function that finds the primary. Concurrent callers share one search. */
function finder(urls: [string, ...string[]]): () => Promise<string> {
  const name = urls.join()
  let asked: Promise<string> | undefined
  const find = async (): Promise<string> => {
    for (const deadline = performance.now() + PATIENCE; ; await sleep(PAUSE)) {
      const newest = timelines.get(name) ?? 0
      const answers = urls.map(async (url) => ({ url, timeline: await timelineOf(url, newest) }))
      const found = await Promise.any(answers).catch(() => null)
      if (found) {
        timelines.set(name, Math.max(found.timeline, timelines.get(name) ?? 0))
        return found.url
      }
      if (performance.now() > deadline)
        throw Object.assign(new Error('None of the hosts is a primary.'), { code: 'ECONNREFUSED' })
    }
  }
  return async () => {
    if (urls.length === 1) return urls[0]
    asked ??= find().finally(() => {
      asked = undefined
    })
    return asked
  }
}

/**
 * The timeline of a primary: each promotion begins a new one.
 * @throws Error if the server does not answer, is a standby, or has an older timeline, because it is then a former
 * primary
 */
async function timelineOf(url: string, newest: number): Promise<number> {
  let opened: Socket | undefined
  const socket = async ({ host: [host = 'localhost'], port: [port = 5432] }: Place): Promise<Socket> => {
    opened = await open({ host, port })
    return opened
  }
  const sql = postgres(url, {
    ...{ max: 1, prepare: false, fetch_types: false, connect_timeout: ANSWER / 1000, onnotice: () => {}, socket },
    connection: { application_name: 'kith_hosts' }, // A pooler refuses other settings.
  })
  try {
    const asked = sql<[{ file: string | null }]>`
      select case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as file`
    const [row] = await Promise.race([asked, sleep(ANSWER, [{ file: null }], { ref: false })])
    const timeline = Number.parseInt(row?.file?.slice(0, 8) ?? '', 16)
    if (!(timeline >= newest)) throw new Error('The server is a standby or a former primary.')
    return timeline
  } finally {
    // Close the socket here, because a server that hangs would never close it.
    void sql.end({ timeout: 0 }).finally(() => opened?.destroy())
  }
}
