// What a request carries through the facade, and the services that handlers find in `c.get('services')`.
import type { HttpBindings } from '@hono/node-server'
import type { Context as HonoContext } from 'hono'
import type { Config } from './config.ts'
import type { PoolName, Pools } from './database.ts'
import type { Count, Limits } from './limits.ts'
import type { Log } from './log.ts'
import type { Seals } from './seals.ts'
import type { Claims, Tokens } from './tokens.ts'
import type { Views } from './views.ts'

export type Services = {
  config: Config
  pools: Pools
  tokens: Tokens
  seals: Seals
  log: Log
  limits: Limits
  views: Views
}

export type Env = {
  // absent when a test calls the application without a server
  Bindings: Partial<HttpBindings>
  Variables: {
    services: Services
    requestId: string
    /** The caller's claims; null on a public route, whatever token came with it. */
    claims: Claims | null
    /** The pool that the route's row names. */
    pool: PoolName
    /** Whether the route keeps its answers by Idempotency-Key. */
    idempotent: boolean
    /** Method and pattern of the route, for the log: a path may hold names. */
    route: string
    /** The tightest limit so far. */
    tightest: Count
    /** The error word of the answer, and for a 5xx what caused it, for the log. */
    word: string
    failure: unknown
  }
}
export type Context = HonoContext<Env>
