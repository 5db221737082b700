// What the stand-in needs of the process that it is mounted in, which has the connections, the limits and the log.
import type { Context } from 'hono'
import type { Sql } from 'postgres'

export type PoolName = 'anon' | 'user' | 'service'

/** Does work on a connection that nobody else uses meanwhile. */
export type Connections = { run<T>(work: (sql: Sql) => PromiseLike<T>): Promise<T> }

export type Site = {
  /** Connections whose sessions hold one role each: anon, authenticated, service_role. */
  pools: Readonly<Record<PoolName, Connections>>
  /** Puts the CORS headers on the answer. @returns whether the request is a preflight, and thereby answered */
  cors(c: Context): boolean
  /** Counts a request of this client address. @returns what the answer has to say when it is one too many */
  limit(c: Context): Promise<{ headers: Record<string, string> } | null>
  clientAddress(c: Context): string
  /** Puts a header on the answer. */
  setHeader(c: Context, name: string, value: string): void
  /** Answers, with what every answer carries. */
  send(c: Context, body: string | null, status: number, headers?: Record<string, string>): Response
  /** The text of a JSON body. What it throws is for `apiErrorOf`. */
  readBody(c: Context): Promise<string>
  /** Whether the value of a body is nested more deeply than any may be. */
  isTooDeep(value: unknown): boolean
  /** What to make of an error that is not the database's: 503 of a lost connection, 500 of what nobody knows. */
  apiErrorOf(error: unknown): { status: number; messages: string[]; headers: Record<string, string> }
  /** Keeps a field for the log line of the request. */
  note(c: Context, field: 'route' | 'caller' | 'code' | 'failure', value: unknown): void
}
