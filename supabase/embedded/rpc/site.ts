// The services that `/rest/v1/rpc` needs from the process that mounts it: connections, limits and log.
import type { Context } from 'hono'
import type { Sql } from 'postgres'

export type PoolName = 'anon' | 'user' | 'service'

/** Runs work on a separate connection. */
export type Connections = { run<T>(work: (sql: Sql) => PromiseLike<T>): Promise<T> }

export type Site = {
  /** Pools with one role each: anon, authenticated, service_role. */
  pools: Readonly<Record<PoolName, Connections>>
  /** Sets the CORS headers. @returns whether the request is a preflight, which is answered then */
  cors(c: Context): boolean
  /** Counts a request of this client address. @returns the headers of the answer if the limit is exceeded */
  limit(c: Context): Promise<{ headers: Record<string, string> } | null>
  /** The claims of an access token with scopes, which is no JWT. @throws if it is not valid */
  claimsOf(token: string): Promise<{ sub: string; role: string }>
  clientAddress(c: Context): string
  /** The trace of the running request, as a traceparent. */
  traceparent(): string | undefined
  /** Sets a header of the answer. */
  setHeader(c: Context, name: string, value: string): void
  /** Answers, with the headers of every answer. */
  send(c: Context, body: string | null, status: number, headers?: Record<string, string>): Response
  /** The text of a JSON body. Pass its exceptions to `apiErrorOf`. */
  readBody(c: Context): Promise<string>
  /** Whether a body is nested too deeply. */
  isTooDeep(value: unknown): boolean
  /** The status of an error outside the database: 503 for a lost connection, 500 for an unknown error. */
  apiErrorOf(error: unknown): { status: number; messages: string[]; headers: Record<string, string> }
  /** Adds a field to the log line of the request. */
  note(c: Context, field: 'route' | 'caller' | 'code' | 'failure', value: unknown): void
}
