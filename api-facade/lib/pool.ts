// A pool of connections to Postgres, all of one login role. docs/decisions.md, Requests.
//
// Each connection is a client of postgres.js with one connection, and runs one piece of work at a time. postgres.js can
// also send several statements over one connection without waiting. But version 3.4.9 mixes up their answers when it
// has to prepare one of them again, after a migration or behind a transaction pooler. One person would then get
// another's answer.
import type { Socket } from 'node:net'
import postgres, { type Sql } from 'postgres'
import { type Place, type Reach, reach } from './hosts.ts'

/**
 * How long a caller waits for an answer, in milliseconds: a second longer than the statement_timeout of these roles
 * (sql/base/10_schemas.sql), so a healthy Postgres answers first.
 */
export const DEADLINE = 9000

type Options = NonNullable<Parameters<typeof postgres>[1]>

/** The database did not answer in time, or answered another request. */
export class NoAnswer extends Error {}

const lostCodes = /^(CONNECTION_(CLOSED|ENDED|DESTROYED)|CONNECT_TIMEOUT|ECONN(REFUSED|RESET)|EPIPE|ETIMEDOUT|ENOENT)$/

/**
 * Whether the connection to the database failed, before or during a statement: it is unknown whether the statement ran.
 */
export function isLostConnection(error: unknown): boolean {
  if (error instanceof NoAnswer) return true
  if (error instanceof postgres.PostgresError) return /^(08|57P0)/.test(error.code)
  return error instanceof Error && 'code' in error && lostCodes.test(String(error.code))
}

/** Whether the server takes no writes: it is a standby, or was the primary until now. The statement changed nothing. */
export const isReadOnly = (error: unknown): boolean =>
  // 55000: a standby was asked for the position of a primary.
  error instanceof postgres.PostgresError && (error.code === '25006' || error.code === '55000')

/** Whether the database does not accept the role or its password. */
const isRefusedLogin = (error: unknown): boolean => error instanceof postgres.PostgresError && /^28/.test(error.code)

type Turn = (free: Connection) => void
type Wait = { patience?: number; who?: string }

export class Pool {
  /** Pieces of work that are running or waiting for a connection. */
  inFlight = 0
  /** Whether the database refused a login, and none has succeeded since (`admits`). */
  #refused = false
  /** Whether statements are prepared by name. Applies to connections that are opened later. */
  prepare = true
  readonly #connections: Connection[]
  readonly #idle: Connection[]
  /** Callers who are waiting for a connection, by name, in the order of their turns. */
  readonly #lines = new Map<string, Set<Turn>>()
  readonly #deadline: number
  readonly #open: () => Connection

  /** Opens no connection: each connection opens with its first work. */
  constructor(url: string, options: Options, size: number, deadline = DEADLINE) {
    const place = reach(url)
    this.#open = () => new Connection(place, () => ({ ...options, prepare: this.prepare }))
    this.#connections = Array.from({ length: size }, this.#open)
    this.#idle = [...this.#connections]
    this.#deadline = deadline
  }

  /**
   * Runs `work` on a connection that nobody else uses meanwhile. If several are free, it takes the last used one.
   * @param more.patience how long the caller waits for a connection, in milliseconds; the statement can run until the
   *   deadline
   * @param more.who the caller: waiting callers take turns, so that nobody waits for all requests of another caller
   * @throws NoAnswer if there is no connection or no answer in time
   */
  async run<T>(work: (sql: Sql) => PromiseLike<T>, more: Wait = {}): Promise<T> {
    const { patience = this.#deadline, who = '' } = more
    this.inFlight++
    const end = performance.now() + patience
    try {
      const free = this.#idle.pop() ?? (await this.#wait(patience, who))
      return await this.#use(free, work, end)
    } finally {
      this.inFlight--
    }
  }

  /**
   * Whether the database accepts new connections of this login. If it has refused a login, this tries another one. Open
   * connections continue to work, so they don't show a rejected login.
   */
  async admits(): Promise<boolean> {
    if (!this.#refused) return true
    const fresh = this.#open()
    try {
      await fresh.sql`select`
      this.#refused = false
    } catch {
      // still refused
    } finally {
      await fresh.end()
    }
    return !this.#refused
  }

  /** Closes every connection. Running work fails. */
  async end(): Promise<void> {
    // This does not wait for the work, because postgres.js 3.4.9 waits forever for a statement whose connection was
    // lost.
    await Promise.all(this.#connections.map((connection) => connection.end()))
  }

  #wait(patience: number, who: string): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const turn = (free: Connection) => {
        clearTimeout(timer)
        resolve(free)
      }
      const line = this.#lines.get(who) ?? new Set()
      const timer = setTimeout(() => {
        line.delete(turn)
        if (line.size === 0) this.#lines.delete(who)
        reject(new NoAnswer('there was no free connection to the database in time'))
      }, patience)
      this.#lines.set(who, line.add(turn))
    })
  }

  #use<T>(connection: Connection, work: (sql: Sql) => PromiseLike<T>, end: number): Promise<T> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout
      let used = true
      const free = (refused = false) => {
        clearTimeout(timer)
        if (used) this.#give(connection, refused)
        used = false
      }
      const done = (value: T) => {
        free()
        resolve(value)
      }
      const failed = (error: unknown) => {
        if (used && (isLostConnection(error) || isReadOnly(error))) connection.drop()
        const refused = isRefusedLogin(error)
        if (refused) this.#refused = true
        free(refused)
        reject(error)
      }
      const dropped = () => {
        connection.drop()
        free()
      }
      // Callers in the queue give up before the timeout of a statement.
      const begun = performance.now()
      const late = () => {
        reject(new NoAnswer('the database did not answer in time'))
        timer = setTimeout(dropped, Math.max(0, begun + this.#deadline - performance.now()))
      }
      timer = setTimeout(late, Math.max(0, end - begun))
      try {
        work(connection.sql).then(done, failed)
      } catch (error) {
        failed(error)
      }
    })
  }

  /**
   * Returns a connection to the pool. A connection whose login was refused is taken last, because open connections
   * still work.
   */
  #give(connection: Connection, refused: boolean): void {
    const [next] = this.#lines
    if (!next) {
      if (refused) this.#idle.unshift(connection)
      else this.#idle.push(connection)
      return
    }
    const [who, line] = next
    const [turn] = line
    this.#lines.delete(who)
    if (turn) line.delete(turn)
    if (line.size > 0) this.#lines.set(who, line) // The caller's other requests go to the end of the queue.
    turn?.(connection)
  }
}

type Client = { sql: Sql; socket?: Socket }

/** One connection, which is replaced after it was dropped. */
class Connection {
  readonly #place: Reach
  readonly #options: () => Options
  #client: Client | undefined

  constructor(place: Reach, options: () => Options) {
    this.#place = place
    this.#options = options
  }

  get sql(): Sql {
    this.#client ??= this.#open()
    return this.#client.sql
  }

  #open(): Client {
    const socket = async (place: Place): Promise<Socket> => {
      const opened = await this.#place.socket(place)
      if (this.#client !== client) opened.destroy() // The connection was dropped meanwhile.
      client.socket = opened
      return opened
    }
    const client: Client = { sql: postgres(this.#place.url, { ...this.#options(), ...{ max: 1, socket } }) }
    return client
  }

  /** Drops the connection, even if the other end hangs. Its statement fails; the next work opens a new one. */
  drop(): void {
    const dropped = this.#client
    this.#client = undefined
    void dropped?.sql.end({ timeout: 0 }).finally(() => dropped.socket?.destroy())
  }

  async end(): Promise<void> {
    await this.#client?.sql.end({ timeout: 0.2 })
    this.#client?.socket?.destroy()
  }
}
