// The context of a request, and the services that handlers get by `c.get('services')`.
import type { HttpBindings } from '@hono/node-server'
import type { Context as HonoContext } from 'hono'
import type { Tracing } from '../../edge-functions/shared/tracing.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { AuditKey } from './audit-key.ts'
import type { Config, LimitName } from './config.ts'
import type { Count } from './counters.ts'
import type { PoolName, Pools } from './database.ts'
import type { ApiError } from './errors.ts'
import type { Functions } from './functions.ts'
import type { Log } from './log.ts'
import type { Oidc } from './oidc.ts'
import type { Previews } from './previews.ts'
import type { Replicas } from './replicas.ts'
import type { Seals } from './seals.ts'
import type { Signing } from './signing.ts'
import type { Slots } from './slots.ts'
import type { StorageWatch } from './storage.ts'
import type { Claims, Tokens } from './tokens.ts'
import type { Views } from './views.ts'

export type Services = {
  config: Config
  pools: Pools
  /** The read replicas of the database; undefined if there are none. */
  replicas: Replicas | undefined
  tokens: Tokens
  accessTokens: AccessTokens
  seals: Seals
  oauth: Oauth
  oidc: Oidc
  /** The public key by which push services identify the instance. */
  pushKey: string
  /** The anonymous key of Supabase's gateway, which belongs to no person. */
  anonKey: string
  functions: Functions
  previews: Previews
  storage: StorageWatch
  /** Counts running exports. */
  exports: Slots
  /** Counts imports whose file is arriving. */
  imports: Slots
  signing: Signing
  auditKey: AuditKey
  /** Aborted when the facade is about to stop: /ready answers 503 then. */
  leaving: AbortSignal
  /** Aborted when the facade begins to stop: long waits end then. */
  stopping: AbortSignal
  log: Log
  tracing: Tracing
  /** Returns the alias of a person for the log. */
  aliasOf: (person: string) => string
  limits: Limits
  views: Views
  /** Runs a GET as a part of a batch, with these headers, for the caller and the client of the batch. */
  read(c: Context, path: string, headers: Readonly<Record<string, string>>, batch: Batch): Promise<Response>
}

/** What the reads of a batch record about it: whether one of their answers contains a secret (routes.ts). */
export type Batch = { hasSecret: boolean }

export type Env = {
  // The fields are absent when a test calls the application without a server.
  Bindings: Partial<HttpBindings> & {
    /** The batch that this request is a part of. */
    batch?: Batch
  }
  Variables: {
    services: Services
    requestId: string
    /** The headers of the answer so far, by name in lower case: setHeader and send of headers.ts. */
    headers: Record<string, string>
    /** The caller's claims; null on a public route, even with a token. */
    claims: Claims | null
    /** The pool of the route. */
    pool: PoolName
    /**
     * The operation of the route; the route's own operationId if it has a handler. With it, SQL checks what a token
     * may do.
     */
    operation: string
    /** Whether only the primary may answer. */
    fresh: boolean
    /** Whether the route supports Idempotency-Key. */
    idempotent: boolean
    /** Method and pattern of the route, for the log. */
    route: string
    /** The full pattern of the route's path. It tells the log which parts of a path may be names of people. */
    pattern: string
    /** The caller's id; the log shows only its alias. */
    caller: string
    /** The tightest limit that counted this request so far. */
    tightest: Count
    /** For the log: the error code of the answer, and the cause of a 5xx. */
    code: string
    failure: unknown
  }
}
export type Context = HonoContext<Env>

export type TakeBack = () => Promise<void>

/** The limits of limits.ts. The type is declared here because limits read the context of the request. */
export type Limits = {
  /** Counts a request of this client address. @returns the error to throw if the limit is exceeded */
  global(c: Context, cost: 0 | 1): Promise<ApiError | null>
  /** Counts a call of a limited route: by `client` if given, otherwise by address. */
  route(c: Context, name: LimitName, client: string | undefined): Promise<ApiError | null>
  /**
   * Counts an attempt at a password before it is checked, so that parallel attempts cannot bypass the limit. The
   * remaining number is not revealed.
   * @returns a function that undoes the count, for correct passwords
   * @throws ApiError rate_limited
   */
  attempt(
    c: Context,
    name: 'login_account' | 'login_device' | 'login_factor' | 'password',
    client: string,
  ): Promise<TakeBack>
  /** Like `attempt`, for an invite code. Unknown codes count for the whole instance. @throws ApiError rate_limited */
  guess(c: Context): Promise<TakeBack>
}

/** The OAuth provider (oauth.ts). It is declared here because it reads the context of the request. */
export type Oauth = {
  /** Lets the provider answer a request. */
  answer(c: Context): Promise<Response>
  /** The request that waits for the consent of the person in this browser. @throws ApiError consent_over */
  waiting(c: Context, id: string): Promise<Waiting>
  /** Allows or refuses the waiting request. @returns the address to which the browser goes next */
  decide(c: Context, id: string, allows: boolean): Promise<string>
  /** The device that waits until somebody enters its code. @throws ApiError consent_over */
  waitingDevice(c: Context, userCode: string): Promise<Waiting>
  decideDevice(c: Context, userCode: string, allows: boolean): Promise<void>
}
export type Waiting = {
  app: { name: string; website: string | null; redirectHost: string | null }
  scopes: { scope: string; description: string }[]
}
