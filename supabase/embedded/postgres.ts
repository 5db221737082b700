// Starts and stops the server of the embedded PostgreSQL. A data folder has: postgres/ (the cluster), postgres.log (its
// log; the previous part is in postgres.log.old), cluster-secret, jwt-secret, instance.json, lock; for backups
// backup-history (the name of its folder there) and backup.lock; and after an upgrade postgres-17/ (the former cluster)
// and postgresql-18/ (the programs).
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import {
  CLUSTER,
  finishReplacement,
  makeCluster,
  passwordOf,
  settle,
  standbysIn,
  stopOrphans,
  surroundings,
} from './cluster.ts'
import { claimInstance, keptSecret, releaseInstance } from './instance.ts'
import { readFrom, sizeOf, turnOver, watchLog } from './log.ts'
import { makeDataDir } from './paths.ts'
import { binariesFolder, binariesOf, clusterMajor } from './programs.ts'

interface PostgresOptions {
  /** The folder for all data of this instance. It is created if it is missing. */
  dataDir: string
  /** DB_PORT; by default a free port. The host is always 127.0.0.1. */
  port?: number | undefined
  /** DB_SETTINGS, which replace Kith's own settings. PostgreSQL refuses an unknown value, and says so in its log. */
  settings?: Record<string, string> | undefined
  /** The file of the server's log; default `<dataDir>/postgres.log`. */
  log?: string
  /** For tests. Writes are faster, but do not survive a crash of the machine. */
  ephemeral?: boolean
}

export interface Served {
  port: number
  /** A connection string. Only `postgres` (not a superuser) and `supabase_admin` have known passwords. */
  url(database?: string, user?: string): string
  superuserUrl(database?: string): string
  /** Resolves when the server has ended, for whatever reason. */
  exited: Promise<void>
  /** Shuts the server down and waits for it. The stop of an instance also releases the data folder. */
  stop(): Promise<void>
}

export interface Postgres extends Served {
  /** Whether this start created the cluster. */
  fresh: boolean
}

export const durable = { shared_buffers: '256MB' }
export const ephemeral = { shared_buffers: '128MB', fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  wal_level: 'logical', // the Realtime gateway reads messages as the real server does
  max_replication_slots: '10',
  max_wal_senders: '10',
  max_slot_wal_keep_size: '16GB', // a reader of the log that never returns must not fill the disk
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] %q%a ',
  log_lock_waits: 'on', // also logs deadlocks, whose errors are kept out of the log (migrate.ts, muteClientErrors)
  log_parameter_max_length: '0', // otherwise log_min_duration_statement would also log codes of second factors
  jit: 'off', // statements are short, so compiling them costs more than it saves
}

const running = new Set<string>()

/** A free port: the given one, or any. */
async function freePort(given = 0): Promise<number> {
  const server = createServer().listen(given, '127.0.0.1')
  await once(server, 'listening').catch((error: unknown) => {
    const why = error instanceof Error ? error.message : error
    throw new Error(`The embedded database cannot listen on DB_PORT ${given}: ${why}. Free it, or choose another.`)
  })
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (!address || typeof address === 'string') throw new Error('No free port found.')
  return address.port
}

export interface Server {
  process: ChildProcess
  exited: Promise<void>
  ended: boolean
  /** The text of its log since the start. */
  said(): string
}

/** In a separate session, because Ctrl-C must first end the users of the database. */
export function launch(bin: string, cluster: string, port: number, log: string, mode: Record<string, string>): Server {
  turnOver(log)
  const start = sizeOf(log)
  const output = openSync(log, 'a', 0o600)
  const options = Object.entries({ ...settings, ...mode, port }).map(([name, value]) => `--${name}=${value}`)
  const child = spawn(join(bin, 'postgres'), ['-D', cluster, ...options], {
    ...surroundings(dirname(cluster)),
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  child.unref() // a failed start must not wait for its server
  const server: Server = { process: child, ended: false, exited: Promise.resolve(), said: () => readFrom(log, start) }
  server.exited = new Promise((settle) => {
    const end = () => {
      server.ended = true
      settle()
    }
    child.once('exit', end).once('error', end)
  })
  return server
}

/** The errors of a connection while the server is starting. */
export const notYet = ['ECONNREFUSED', 'ECONNRESET', 'CONNECTION_CLOSED', 'CONNECT_TIMEOUT', '57P03']

/** Resolves when the server answers; fails if it ends or takes longer than a minute (a long recovery). */
async function ready(server: Server, url: string, password: string, log: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; ; await sleep(20)) {
    const sql = postgres(url, { max: 1, connect_timeout: 5, fetch_types: false, onnotice: () => {} })
    try {
      const [row] = await sql`
        select pg_is_in_recovery() or exists (select from pg_roles where rolname = 'postgres') as found`
      if (!row?.found) {
        await sql.unsafe(`create role postgres login createdb createrole replication bypassrls password '${password}'`)
      }
      return
    } catch (error) {
      if (server.ended) throw new Error(`PostgreSQL did not start. Its log, ${log}, says:\n${server.said()}`)
      const code = error instanceof Error && 'code' in error ? error.code : ''
      if (!notYet.includes(String(code)) || Date.now() > deadline) throw error
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
}

/** Shuts down fast, and after ten seconds immediately. In that case the next start runs a recovery. */
export async function end(server: Server): Promise<void> {
  if (server.ended) return
  server.process.ref()
  server.process.kill('SIGINT')
  const patience = setTimeout(() => server.process.kill('SIGQUIT'), 10_000)
  await server.exited
  clearTimeout(patience)
}

/** Whether a retry may help: the port was taken meanwhile, or processes of a killed server are still ending. */
const passing = (error: unknown, portGiven: boolean) =>
  error instanceof Error &&
  (/pre-existing shared memory block/.test(error.message) || (!portGiven && /could not bind/.test(error.message)))

/** Starts the server on the data folder. Fails if an instance already runs there, or the folder cannot be used. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  const dataDir = makeDataDir(options.dataDir)
  if (running.has(dataDir)) throw new Error(`This process already runs PostgreSQL on ${dataDir}.`)
  claimInstance(dataDir)
  running.add(dataDir)
  try {
    return await start(dataDir, options)
  } catch (error) {
    running.delete(dataDir)
    releaseInstance(dataDir)
    throw error
  }
}

async function start(dataDir: string, options: PostgresOptions): Promise<Postgres> {
  const secret = keptSecret(dataDir, 'cluster-secret')
  const log = options.log ?? join(dataDir, 'postgres.log')
  await stopOrphans(dataDir)
  finishReplacement(dataDir)
  settle(dataDir)
  const fresh = !existsSync(join(dataDir, CLUSTER))
  const [standby] = fresh ? standbysIn(dataDir) : []
  if (standby)
    throw new Error(
      `${dataDir} has a standby but no primary. To make ${standby} the primary, delete the file standby.signal in it.`,
    )
  if (fresh) await makeCluster({ bin: binariesFolder(), dataDir, secret, sync: !options.ephemeral })
  const { port, settings } = options
  const server = await serve({
    ...{ dataDir, cluster: CLUSTER, log, port },
    settings: { ...(options.ephemeral ? ephemeral : durable), ...settings },
  })
  const unwatch = watchLog(log)
  const stop = async () => {
    await server.stop()
    unwatch()
    running.delete(dataDir)
    releaseInstance(dataDir)
  }
  return { ...server, fresh, stop }
}

interface ServeOptions {
  dataDir: string
  /** The name of the cluster in the data folder. */
  cluster: string
  log: string
  port?: number | undefined
  settings: Record<string, string>
  /** The server whose passwords this server has; by default passwords come from the secret of the data folder. */
  copyOf?: Pick<Served, 'url' | 'superuserUrl'>
}

const atPort = (url: string, port: number): string => Object.assign(new URL(url), { port: String(port) }).href

/** The connection strings of the cluster that was made in this data folder, without the port. */
function loginsOf(dataDir: string): Pick<Served, 'url' | 'superuserUrl'> {
  const secret = keptSecret(dataDir, 'cluster-secret')
  const url = (database = 'postgres', user = 'postgres') =>
    `postgresql://${user}:${passwordOf(secret, user)}@127.0.0.1/${database}`
  return { url, superuserUrl: (database) => url(database, 'supabase_admin') }
}

/** Runs a server on a cluster of a data folder that the caller has claimed. */
export async function serve({ dataDir, cluster, log, settings, ...given }: ServeOptions): Promise<Served> {
  const bin = binariesOf(dataDir, clusterMajor(join(dataDir, cluster)))
  const { url: urlOf, superuserUrl: superuserUrlOf } = given.copyOf ?? loginsOf(dataDir)
  for (const deadline = Date.now() + 30_000; ; await sleep(100)) {
    const port = await freePort(given.port) // otherwise we would connect to the process that has the port
    const url: Served['url'] = (...names) => atPort(urlOf(...names), port)
    const superuserUrl: Served['superuserUrl'] = (...names) => atPort(superuserUrlOf(...names), port)
    const server = launch(bin, join(dataDir, cluster), port, log, settings)
    const onExit = () => {
      server.process.kill('SIGINT')
    }
    process.once('exit', onExit)
    void server.exited.then(() => process.off('exit', onExit))
    try {
      await ready(server, superuserUrl(), decodeURIComponent(new URL(url()).password), log)
    } catch (error) {
      await end(server)
      if (!passing(error, given.port !== undefined) || Date.now() > deadline) throw error
      continue
    }
    return { port, url, superuserUrl, exited: server.exited, stop: () => end(server) }
  }
}
