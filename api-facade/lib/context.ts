// What a request carries through the facade, and the services that handlers find in `c.get('services')`.
import type { HttpBindings } from '@hono/node-server'
import type { Context as HonoContext } from 'hono'
import type { Config, LimitName } from './config.ts'
import type { Count } from './counters.ts'
import type { PoolName, Pools } from './database.ts'
import type { ApiError } from './errors.ts'
import type { Functions } from './functions.ts'
import type { Log } from './log.ts'
import type { Previews } from './previews.ts'
import type { Seals } from './seals.ts'
import type { Slots } from './slots.ts'
import type { StorageWatch } from './storage.ts'
import type { Claims, Tokens } from './tokens.ts'
import type { Views } from './views.ts'

export type Services = {
  config: Config
  pools: Pools
  tokens: Tokens
  seals: Seals
  /** The public half of the key by which push services know the instance. */
  pushKey: string
  functions: Functions
  previews: Previews
  storage: StorageWatch
  /** Exports that are being written. */
  exports: Slots
  /** Aborted when the facade begins to stop: what would be waited for long is then done without. */
  stopping: AbortSignal
  log: Log
  /** What stands for a person in the log. */
  aliasOf: (person: string) => string
  limits: Limits
  views: Views
}

export type Env = {
  // absent when a test calls the application without a server
  Bindings: Partial<HttpBindings>
  Variables: {
    services: Services
    requestId: string
    /** The headers of the answer so far, by name in lower case: setHeader and send of headers.ts. */
    headers: Record<string, string>
    /** The caller's claims; null on a public route, whatever token came with it. */
    claims: Claims | null
    /** The pool that the route's row names. */
    pool: PoolName
    /** Whether the route keeps its answers by Idempotency-Key. */
    idempotent: boolean
    /** Method and pattern of the route, for the log. */
    route: string
    /** The whole pattern of the route's path, by which the log knows what in a path may be a name. */
    pattern: string
    /** Who calls, for the log: the person's id, of which it has the alias. */
    caller: string
    /** The tightest limit so far. */
    tightest: Count
    /** The error code of the answer, and for a 5xx what caused it, for the log. */
    code: string
    failure: unknown
  }
}
export type Context = HonoContext<Env>

export type TakeBack = () => Promise<void>

/** The limits of limits.ts. They stand here since they look at the request that carries them. */
export type Limits = {
  /** Counts a request of this client address. @returns what to throw when it is one too many */
  global(c: Context, cost: 0 | 1): Promise<ApiError | null>
  /** Counts a call of a limited route: by `client` where one is named, else by address. */
  route(c: Context, name: LimitName, client: string | undefined): Promise<ApiError | null>
  /**
   * Counts an attempt at a password before it is made, so that many at once are no way around it. What is left of the
   * limit is told to nobody.
   * @returns what takes the attempt back, for those that were right
   * @throws ApiError rate_limited
   */
  attempt(c: Context, name: 'login_account' | 'login_device' | 'password', client: string): Promise<TakeBack>
  /** The same for an invite code, whose unknown ones count over the whole instance. @throws ApiError rate_limited */
  guess(c: Context): Promise<TakeBack>
}
