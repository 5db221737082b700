// The facade's pools: one per role, each with its own login role, so that no statement changes the role.
// docs/decisions.md, Requests.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres, { type ISql, type Notice, type Sql } from 'postgres'
import type { Config } from './config.ts'
import { reach } from './hosts.ts'
import type { Log } from './log.ts'
import { isLostConnection, NoAnswer, Pool } from './pool.ts'

export type PoolName = 'anon' | 'gate' | 'user' | 'service'
export type Pools = Readonly<Record<PoolName, Pool>> & {
  /**
   * Reads the secret of the passwords, and decides whether statements are prepared by name: as DATABASE_PREPARE says
   * or, with `auto`, unless there is a transaction pooler. Call it before the first request.
   */
  settle(): Promise<void>
  /**
   * Opens a pool with the login of `user` on another server that has the same logins, such as a replica. Call it after
   * `settle`. The caller closes the pool.
   * @param deadline how long a caller waits, in milliseconds
   */
  open(url: string, size: number, deadline?: number): Pool
  /** Closes every connection when its statement has ended, at the latest after five seconds. */
  close(): Promise<void>
}

/** The login roles of the pools and of the worker. */
export const LOGINS = ['anon', 'gate', 'user', 'service', 'worker'].map((name) => `kith_${name}`)

/** The password of a login role, in hex, derived from the secret that only the schema's owner can read. */
export const loginPassword = (secret: string, role: string): string =>
  createHmac('sha256', secret).update(role).digest('hex')

/**
 * A connection as the schema's owner. Its statements are unnamed, because a transaction pooler would lose the names.
 */
export const openOwner = (databaseUrl: string): Sql => openOne(databaseUrl, { connect_timeout: 10 })

function openOne(databaseUrl: string, options: Record<string, unknown>): Sql {
  const { url, socket } = reach(databaseUrl)
  return postgres(url, { max: 1, prepare: false, onnotice: () => {}, ...options, ...{ socket } })
}

/** @throws Error if nothing has booted on this database yet */
export async function readLoginSecret(owner: ISql): Promise<string> {
  const [row] = await owner<{ secret: string }[]>`select secret from private.login_secret`
  if (!row) throw new Error('The login roles have no passwords yet: boot sets them.')
  return row.secret
}

/** Reads the login secret on a new connection, and closes the connection. */
export async function loginSecretOf(config: Config, databaseUrl: string): Promise<string> {
  const owner = openOwner(config.databaseDirectUrl ?? databaseUrl)
  return readLoginSecret(owner).finally(() => owner.end())
}

/**
 * The verifier that Postgres stores for a password (RFC 5803). Kith sends the verifier instead of the password, because
 * a server may log statements.
 */
export function scramVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, 4096, 32, 'sha256')
  const keyed = (label: string) => createHmac('sha256', salted).update(label).digest()
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64')
  return `SCRAM-SHA-256$4096:${salt.toString('base64')}$${storedKey}:${keyed('Server Key').toString('base64')}`
}

/** `passwordOf` is called when a connection opens. */
type Options = { config: Config; url: string; log: Log; passwordOf: (role: string) => string }

/**
 * How long an idle connection stays open, in seconds. Its Postgres process takes 18 MB once it has handled all kinds of
 * requests; a new one costs 60 ms of CPU until it has.
 */
const IDLE = 60

function poolOptions({ passwordOf, log }: Options, name: PoolName) {
  const role = `kith_${name}`
  return {
    username: role,
    password: () => passwordOf(role),
    connect_timeout: 5,
    idle_timeout: IDLE,
    backoff: () => 0.25, // The pause before the next attempt to connect, in seconds.
    fetch_types: false,
    onnotice: ({ severity, code, message }: Notice) => {
      if (severity === 'WARNING') log.warn({ pool: name, code, warning: message }, 'the database warns')
    },
    connection: { application_name: role },
  }
}

/** How long to test for a pooler. Milliseconds. */
const LOOK = 3000

/**
 * Whether a pooler gives each transaction another server connection, where a prepared statement may not exist. Two
 * clients take turns and check which server process answers: without such a pooler each always has its own.
 */
async function sharesConnections(options: Options): Promise<boolean> {
  const open = () => new Pool(options.url, poolOptions(options, 'anon'), 1, LOOK)
  const [one, other] = [open(), open()]
  for (const pool of [one, other]) pool.prepare = false
  const processOf = async (sql: ISql<Record<never, never>>) =>
    (await sql<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid
  try {
    const own = await one.run(processOf)
    for (let turn = 0; turn < 4; turn++) {
      const shared = await other.run((sql) =>
        sql.begin(async (tx) => (await processOf(tx)) === own || (await one.run(processOf)) !== own),
      )
      if (shared) return true
    }
    return false
  } catch (error) {
    if (error instanceof NoAnswer) return true // The pooler has no second connection.
    throw error
  } finally {
    await Promise.all([one.end(), other.end()])
  }
}

/**
 * Whether a database answers a new connection within `patience` milliseconds. An error of the server is an answer, too.
 */
export async function answers(url: string, patience: number): Promise<boolean> {
  const sql = openOne(url, { fetch_types: false })
  const asked = sql`select`.then(
    () => true,
    (error: unknown) => error instanceof postgres.PostgresError && !isLostConnection(error),
  )
  const answered = await Promise.race([asked, sleep(patience, false)])
  void sql.end({ timeout: 0 })
  return answered
}

/** How long statements may still run after the shutdown has begun. Milliseconds. */
const PATIENCE = 5000

/** Opens the pools on the database at `url`. They connect with the first statement. */
export function openPools(given: Omit<Options, 'passwordOf'>): Pools {
  let secret = ''
  const options = { ...given, passwordOf: (role: string) => loginPassword(secret, role) }
  const open = (name: PoolName) => new Pool(options.url, poolOptions(options, name), options.config.poolSizes[name])
  const pools = { anon: open('anon'), gate: open('gate'), user: open('user'), service: open('service') }
  const all = Object.values(pools)
  const settle = async () => {
    secret = await loginSecretOf(options.config, options.url)
    const { databasePrepare } = options.config
    const prepare = databasePrepare === 'auto' ? !(await sharesConnections(options)) : databasePrepare === 'on'
    for (const pool of all) pool.prepare = prepare
    if (!prepare) options.log.info('statements are not prepared by name')
  }
  const close = async () => {
    const deadline = Date.now() + PATIENCE
    while (all.some(({ inFlight }) => inFlight > 0) && Date.now() < deadline) await sleep(10)
    await Promise.all(all.map((pool) => pool.end()))
  }
  const openElsewhere = (url: string, size: number, deadline?: number) => {
    const pool = new Pool(url, poolOptions(options, 'user'), size, deadline)
    pool.prepare = pools.user.prepare
    return pool
  }
  return { ...pools, settle, open: openElsewhere, close }
}
