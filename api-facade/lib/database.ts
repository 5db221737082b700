// Connections to Postgres: one pool a role, each behind its own login role, so that no statement ever changes role.
// docs/decisions.md, Requests.
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import type { Config } from './config.ts'
import type { Log } from './log.ts'

export type PoolName = 'anon' | 'gate' | 'user' | 'service'
export type Pools = Record<PoolName, Sql> & {
  /** Ends every connection once its statement is done, after five seconds in any case. */
  close(): Promise<void>
}

/** Statements that run or wait for a connection, for /metrics: a plain number a pool, since every request counts here. */
export const inFlight: Record<PoolName, number> = { anon: 0, gate: 0, user: 0, service: 0 }

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

function open({ config, url, secret, log }: Options, name: PoolName): Sql {
  const role = `kith_${name}`
  return postgres(url, {
    username: role,
    password: loginPassword(secret, role),
    max: config.poolSizes[name],
    connect_timeout: 10,
    fetch_types: false,
    onnotice({ severity, code, message }) {
      if (severity === 'WARNING') log.warn({ pool: name, code, warning: message }, 'the database warns')
    },
    connection: { application_name: role },
  })
}

/** How long statements may take once the end has begun. Milliseconds. */
const PATIENCE = 5000

/** Opens the pools on the database at `url`; nothing connects before the first statement. */
export function openPools(options: Options): Pools {
  const pools = {
    anon: open(options, 'anon'),
    gate: open(options, 'gate'),
    user: open(options, 'user'),
    service: open(options, 'service'),
  }
  const close = async () => {
    const deadline = Date.now() + PATIENCE
    while (Object.values(inFlight).some((count) => count > 0) && Date.now() < deadline) await sleep(10)
    // not longer: postgres.js 3.4.9 waits for the statement that a lost connection had, and it never ends
    await Promise.all(Object.values(pools).map((pool) => pool.end({ timeout: 0.2 })))
  }
  return { ...pools, close }
}
