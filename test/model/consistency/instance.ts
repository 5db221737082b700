// An instance of several servers for tests: a primary, two standbys that a test slows down, stops and kills, and two
// facades in processes of their own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { afterAll } from 'vitest'
import { migrate, preparePlatform } from '../../../supabase/embedded/migrate.ts'
import { ephemeral, type Served, startPostgres } from '../../../supabase/embedded/postgres.ts'
import { startStandby } from '../../../supabase/embedded/standby.ts'
import { address, ended } from '../../support/process.ts'
import { environment } from '../../support/settings.ts'
import { until } from '../../support/until.ts'

export type Facades = {
  /** The addresses, in the order of the facades. */
  urls: string[]
  /** Kills a facade at once, and starts it again at another port. */
  kill(number: number): Promise<void>
  stop(): Promise<void>
}
export type Replica = {
  /** Applies each commit this many milliseconds late. */
  setDelay(milliseconds: number): Promise<void>
  /** Stops applying the log; it still answers reads. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Kills the server with all its processes, and starts it again. */
  kill(): Promise<void>
}
export type Instance = {
  /** A superuser of the primary. */
  superuser: Sql
  replicas: Replica[]
  /** Waits until the replicas have applied what the primary has written until now. */
  caughtUp(): Promise<void>
  /** Starts two facades. @param env settings that differ from test/support/settings.ts */
  startFacades(env?: Record<string, string>): Promise<Facades>
}

/** The lag that the facades allow a replica. Seconds. */
export const MAX_LAG = 1

const main = join(import.meta.dirname, '../../../api-facade/main.ts')
const connect = (url: string) => postgres(url, { max: 1, onnotice: () => {} })

/** Call it at the top of a file or of a describe: all of it is removed after the last test there. */
export async function startInstance(): Promise<Instance> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kith-consistency-'))
  chmodSync(dataDir, 0o711) // the account of the server has to reach it
  const ends: (() => Promise<unknown>)[] = [async () => rmSync(dataDir, { recursive: true, force: true })]
  afterAll(async () => {
    for (const end of ends.reverse()) await end()
  })
  // a commit waits for the log as in production: without that, a standby may not get it for half a second
  const primary = await startPostgres({ dataDir, ephemeral: true, settings: { synchronous_commit: 'on' } })
  ends.push(() => primary.stop())
  await preparePlatform(primary.superuserUrl())
  await migrate(primary.url(), { seed: true })
  const superuser = connect(primary.superuserUrl())
  ends.push(() => superuser.end())
  const standbys = await Promise.all(['standby1', 'standby2'].map((name) => runStandby(primary, dataDir, name)))
  ends.push(() => Promise.all(standbys.map(({ stop }) => stop())))

  const startFacades = async (env: Record<string, string> = {}): Promise<Facades> => {
    const facades = await runFacades({
      ...environment(primary.url()),
      DATABASE_REPLICA_URLS: standbys.map(({ url }) => url).join(),
      REPLICA_MAX_LAG: String(MAX_LAG),
      RATE_LIMIT_STORE: 'database',
      WORKER: 'off',
      POOL_USER: '4',
      PATH: process.env.PATH ?? '',
      ...env,
    })
    ends.push(() => facades.stop())
    return facades
  }
  const caughtUp = async () => {
    const [{ at }] = await superuser<[{ at: string }]>`select pg_current_wal_insert_lsn()::text as at`
    await until(async () => {
      const rows = await superuser`
        select from pg_stat_replication where application_name like 'standby%' and replay_lsn >= ${at}::pg_lsn`
      return rows.length === standbys.length
    })
  }
  return { superuser, replicas: standbys, caughtUp, startFacades }
}

async function runStandby(primary: Served, dataDir: string, name: string) {
  const options = { primary, dataDir, name, settings: ephemeral }
  let server = await startStandby(options)
  const { port } = server
  let sql = connect(server.superuserUrl())
  const replica: Replica = {
    async setDelay(milliseconds) {
      await sql.unsafe(`alter system set recovery_min_apply_delay = ${milliseconds}`)
      await sql`select pg_reload_conf()`
    },
    async pause() {
      await sql`select pg_wal_replay_pause()`
    },
    async resume() {
      await sql`select pg_wal_replay_resume()`
    },
    async kill() {
      const [postmaster] = readFileSync(join(dataDir, name, 'postmaster.pid'), 'utf8').split('\n')
      process.kill(-Number(postmaster), 'SIGKILL')
      await server.exited
      await sql.end({ timeout: 1 })
      server = await startStandby({ ...options, port })
      sql = connect(server.superuserUrl())
    },
  }
  const stop = async () => {
    await sql.end({ timeout: 1 })
    await server.stop()
  }
  return { ...replica, url: server.url(), stop }
}

async function runFacades(env: Record<string, string>): Promise<Facades> {
  const start = () => spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const processes: ChildProcess[] = [start(), start()]
  const stop = () => Promise.all(processes.map(ended)).then(() => {})
  try {
    const urls = await Promise.all(processes.map(address))
    const kill = async (number: number) => {
      const before = processes[number] as ChildProcess
      const exit = once(before, 'exit')
      before.kill('SIGKILL')
      await exit
      const now = start()
      processes[number] = now
      urls[number] = await address(now)
    }
    return { urls, kill, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
