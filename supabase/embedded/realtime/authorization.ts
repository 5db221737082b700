// Whose token it is, and what it may hear and say on a channel. The database decides, by the policies on
// realtime.messages, and is asked exactly as the real server asks.
import { createSecretKey, randomUUID } from 'node:crypto'
import { errors, jwtVerify } from 'jose'
import postgres, { type TransactionSql } from 'postgres'
import { z } from 'zod'

/** Only roles that the authenticator may take: with another one, a token would be the key to more than an API. */
const Claims = z.looseObject({
  role: z.enum(['anon', 'authenticated', 'service_role', 'user', 'moderator', 'admin']),
  exp: z.int(),
  iat: z.int().optional(),
  sub: z.string().optional(),
})
/** The payload of a verified token; `exp` in seconds. */
export type Claims = z.infer<typeof Claims>

/** Why not: the real server's code and sentence. */
export class RealtimeError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }

  /** How the answer to a join says it. */
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

/** Checks signature and expiry. Whether its holder still stands is for the policies to say. @throws RealtimeError */
export function createVerifier(jwtSecret: string): (token: string) => Promise<Claims> {
  const key = createSecretKey(Buffer.from(jwtSecret))
  return async (token) => {
    const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'] }).catch((error: unknown) => {
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

/** What private.realtime_topics can name: a prefix, and something behind it. */
const TOPIC = /^[a-z-]+:./s
const LONGEST_TOPIC = 255
/** Whether to ask at all. No policy is for anon, and to ask is to insert: that must not be had without a person. */
const mayBeHeard = ({ role }: Claims, name: string): boolean =>
  role !== 'anon' && name.length <= LONGEST_TOPIC && TOPIC.test(name)

/** How many of them the gateway has to ask by. */
export const CONNECTIONS = 4

/** What may be heard on a channel. */
export type Rights = { broadcast: boolean; presence: boolean }

export type Authorization = {
  /** @throws RealtimeError when the database can't be asked, and when a policy raised: a dead token does that */
  mayRead(claims: Claims, name: string): Promise<Rights>
  /** Whether a client may broadcast. Never throws: what can't be asked is not allowed. */
  mayWrite(claims: Claims, name: string): Promise<boolean>
  close(): Promise<void>
}

/**
 * Opens its own few connections as the owner, who may insert the rows to be looked for and then become the token's role.
 * @param databaseUrl of the owner, straight to the server: behind a transaction pooler nobody may change roles
 */
export function openAuthorization(databaseUrl: string): Authorization {
  const sql = postgres(databaseUrl, {
    max: CONNECTIONS,
    connect_timeout: 10,
    fetch_types: false,
    // postgres.js mixes up the answers of statements sent together when it has to prepare one of them again
    prepare: false,
    onnotice: () => {},
    // no line in the server's log for whoever is refused a channel
    connection: { application_name: 'kith_realtime', statement_timeout: 5000, log_min_messages: 'log' },
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
        await tx`rollback and chain` // nothing of this is ever committed, and so nothing broadcast
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

/** Against a lost connection, a lack of resources or of a partition, an end of the server, a time-out. */
const raisedByPolicy = (error: unknown): boolean =>
  error instanceof postgres.PostgresError && !/^(08|53|57|23514)/.test(error.code)
