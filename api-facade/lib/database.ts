// The facade's pools: one for each role, each with a login role of its own, so that no statement ever changes role.
// docs/decisions.md, Requests.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ISql, Notice } from 'postgres'
import type { Config } from './config.ts'
import type { Log } from './log.ts'
import { NoAnswer, Pool } from './pool.ts'

export type PoolName = 'anon' | 'gate' | 'user' | 'service'
export type Pools = Readonly<Record<PoolName, Pool>> & {
  /**
   * Finds out whether statements may be prepared by name, as DATABASE_PREPARE says or, with `auto`, unless a transaction
   * pooler stands before the database. Call it before the first request.
   */
  settlePrepare(): Promise<void>
  /** Ends every connection once its statement is done, after five seconds in any case. */
  close(): Promise<void>
}

/** The password of a login role: both sides derive it, so none is stored. Hex. */
export const loginPassword = (secret: string, role: string): string =>
  createHmac('sha256', secret).update(role).digest('hex')

/** What Postgres keeps of a password (RFC 5803). Sent in its place, since a server may log every statement. */
export function scramVerifier(password: string): string {
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, 4096, 32, 'sha256')
  const keyed = (label: string) => createHmac('sha256', salted).update(label).digest()
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64')
  return `SCRAM-SHA-256$4096:${salt.toString('base64')}$${storedKey}:${keyed('Server Key').toString('base64')}`
}

type Options = { config: Config; url: string; secret: string; log: Log }

/**
 * How long a connection without work stays open, in seconds. Behind it Postgres has a process that takes 18 MB once it
 * has met all kinds of requests; a new one costs 60 ms of CPU until it has met them too.
 */
const IDLE = 60

function poolOptions({ secret, log }: Options, name: PoolName) {
  const role = `kith_${name}`
  return {
    username: role,
    password: loginPassword(secret, role),
    connect_timeout: 5,
    idle_timeout: IDLE,
    backoff: () => 0.25, // before the next try to connect, in seconds
    fetch_types: false,
    onnotice: ({ severity, code, message }: Notice) => {
      if (severity === 'WARNING') log.warn({ pool: name, code, warning: message }, 'the database warns')
    },
    connection: { application_name: role },
  }
}

/** How long to look for a pooler. Milliseconds. */
const LOOK = 3000

/**
 * Whether a pooler gives each transaction another connection to the server, so that a prepared statement may not be
 * there the next time. Two clients take turns, and see which server process answers them: without such a pooler each
 * has one of its own.
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
    if (error instanceof NoAnswer) return true // the pooler has no second connection to give
    throw error
  } finally {
    await Promise.all([one.end(), other.end()])
  }
}

/** How long statements may take once the end has begun. Milliseconds. */
const PATIENCE = 5000

/** Opens the pools on the database at `url`; nothing connects before the first statement. */
export function openPools(options: Options): Pools {
  const open = (name: PoolName) => new Pool(options.url, poolOptions(options, name), options.config.poolSizes[name])
  const pools = { anon: open('anon'), gate: open('gate'), user: open('user'), service: open('service') }
  const all = Object.values(pools)
  const settlePrepare = async () => {
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
  return { ...pools, settlePrepare, close }
}
