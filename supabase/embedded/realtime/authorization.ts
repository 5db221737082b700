// Authenticates tokens, and authorizes reading and writing on a channel. The policies on realtime.messages decide. They
// are queried exactly as by the real server.
import { randomUUID } from 'node:crypto'
import { errors } from 'jose'
import postgres, { type TransactionSql } from 'postgres'
import { z } from 'zod'
import { jwtVerifier } from '../jwt.ts'
import type { Dial } from '../replication.ts'

/** The roles that the authenticator can assume. With another role a token could do more than the API allows. */
const Claims = z.looseObject({
  role: z.enum(['anon', 'authenticated', 'service_role', 'user', 'moderator', 'admin']),
  exp: z.int(),
  iat: z.int().optional(),
  sub: z.string().optional(),
})
/** The payload of a verified token; `exp` in seconds. */
export type Claims = z.infer<typeof Claims>

/** An error with the real server's code and message. */
export class RealtimeError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }

  /** The message in the answer to a join. */
  get reason(): string {
    return `${this.code}: ${this.message}`
  }
}

const secondsAgo = (exp: unknown) => Math.max(0, Math.floor(Date.now() / 1000) - Number(exp))
export const expired = ({ exp }: { exp?: unknown }): RealtimeError =>
  new RealtimeError('InvalidJWTToken', `Token has expired ${secondsAgo(exp)} seconds ago`)
const unavailable = () =>
  new RealtimeError('UnableToSetPolicies', 'Realtime was unable to connect to the project database')
export const unreadable = (name: string): RealtimeError =>
  new RealtimeError('Unauthorized', `You do not have permissions to read from this Channel topic: ${name}`)

/** Checks signature and expiry. The policies check whether the token is still valid. @throws RealtimeError */
export function createVerifier(jwtSecrets: readonly string[]): (token: string) => Promise<Claims> {
  const verify = jwtVerifier(jwtSecrets)
  return async (token) => {
    const payload = await verify(token).catch((error: unknown) => {
      if (error instanceof errors.JWTExpired) throw expired(error.payload)
      if (error instanceof errors.JWSSignatureVerificationFailed)
        throw new RealtimeError('JwtSignatureError', 'Failed to validate JWT signature')
      throw new RealtimeError('MalformedJWT', 'The token provided is not a valid JWT')
    })
    const claims = Claims.safeParse(payload)
    if (!claims.success) throw new RealtimeError('InvalidJWTToken', 'Fields `role` and `exp` are required in JWT')
    return claims.data
  }
}

/** The topics of private.realtime_topics: a prefix and a suffix. */
const TOPIC = /^[a-z-]+:./s
const LONGEST_TOPIC = 255
/**
 * Whether to query the database. No policy is for anon, and the query inserts rows, which strangers must not cause.
 */
const mayBeHeard = ({ role }: Claims, name: string): boolean =>
  role !== 'anon' && name.length <= LONGEST_TOPIC && TOPIC.test(name)

/** The number of connections for these queries. */
export const CONNECTIONS = 4

/** The permissions on a channel. */
export type Rights = { broadcast: boolean; presence: boolean }

export type Authorization = {
  /** @throws RealtimeError if the database cannot be reached, or if a policy raises, as for a revoked token */
  mayRead(claims: Claims, name: string): Promise<Rights>
  /** Whether a client may broadcast. Never throws: if the database does not answer, the client may not. */
  mayWrite(claims: Claims, name: string): Promise<boolean>
  close(): Promise<void>
}

/**
 * Opens a few connections as the owner, who can insert the test rows and then assume the role of the token.
 * @param databaseUrl of the owner, directly to the server: a transaction pooler does not allow changing roles
 */
export function openAuthorization(databaseUrl: string, socket?: Dial): Authorization {
  const sql = postgres(databaseUrl, {
    max: CONNECTIONS,
    connect_timeout: 10,
    fetch_types: false,
    // postgres.js confuses the answers of pipelined statements when it has to prepare one of them again
    prepare: false,
    onnotice: () => {},
    // a refused channel writes no line to the server's log
    connection: { application_name: 'kith_realtime', statement_timeout: 5000, log_min_messages: 'log' },
    ...(socket && { socket }),
  })

  const become = (tx: TransactionSql, claims: Claims, name: string) => tx`
    select set_config('role', ${claims.role}, true), set_config('realtime.topic', ${name}, true),
           set_config('request.jwt.claims', ${JSON.stringify(claims)}, true),
           set_config('request.jwt.claim.sub', ${claims.sub ?? ''}, true),
           set_config('request.jwt.claim.role', ${claims.role}, true), set_config('request.headers', '{}', true)`

  async function mayRead(claims: Claims, name: string): Promise<Rights> {
    if (!mayBeHeard(claims, name)) return { broadcast: false, presence: false }
    const [broadcast, presence] = [randomUUID(), randomUUID()]
    const visible = await sql
      .begin(async (tx) => {
        const [, , rows] = await Promise.all([
          tx`insert into realtime.messages (id, topic, extension)
             values (${broadcast}, ${name}, 'broadcast'), (${presence}, ${name}, 'presence')`,
          become(tx, claims, name),
          tx<
            { id: string }[]
          >`select id from realtime.messages where topic = ${name} and id in (${broadcast}, ${presence})`,
        ])
        await tx`rollback and chain` // this transaction is rolled back, so nothing is broadcast
        return rows.map(({ id }) => id)
      })
      .catch((error: unknown) => {
        throw raisedByPolicy(error) ? unreadable(name) : unavailable()
      })
    return { broadcast: visible.includes(broadcast), presence: visible.includes(presence) }
  }

  const mayWrite = (claims: Claims, name: string): Promise<boolean> =>
    sql
      .begin(async (tx) => {
        await become(tx, claims, name)
        await tx`insert into realtime.messages (topic, extension) values (${name}, 'broadcast')`
        await tx`rollback and chain`
        return true
      })
      .catch(() => false)

  return { mayRead, mayWrite, close: () => sql.end({ timeout: 1 }) }
}

/** Lost connection, lack of resources or of a partition, shutdown of the server, timeout. */
const raisedByPolicy = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && !/^(08|53|57|23514)/.test(error.code)
