// An instance of several servers for tests: a primary with two standbys, which Kith keeps as with REPLICAS=2 and which a
// test slows down, stops and kills, and two facades in processes of their own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import { afterAll } from 'vitest'
import { openOwner } from '../../../api-facade/lib/database.ts'
import { hostsOf } from '../../../api-facade/lib/hosts.ts'
import { ephemeral } from '../../../supabase/embedded/postgres.ts'
import { startReplicas } from '../../../supabase/embedded/replicas.ts'
import { onServer } from '../../../supabase/embedded/standby.ts'
import { complete, cutOff, primaryIn, serverOf, standbysOf, streaming, strike } from '../../failover/drill.ts'
import { address, ended } from '../../support/process.ts'
import { delay, ownPrimary } from '../../support/replicated.ts'
import { environment } from '../../support/settings.ts'
import { until } from '../../support/until.ts'

export type Facades = {
  /** The addresses, in the order of the facades. */
  urls: string[]
  /** Kills a facade at once, and starts it again at another port. */
  kill(number: number): Promise<void>
  stop(): Promise<void>
}
/** A standby as it is now: after a failover another server may have its place. */
export type Replica = {
  /** Applies each commit this many milliseconds late. */
  setDelay(milliseconds: number): Promise<void>
  /** Stops applying the log. The server still answers reads. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Kills the server, and waits until Kith has started it again. */
  kill(): Promise<void>
  /** Lets it miss everything from now on. */
  cutOff(): Promise<void>
}
export type Instance = {
  /** A superuser of the primary. */
  superuser: Sql
  replicas: [Replica, Replica]
  /** Waits until the replicas have applied what the primary has written until now. */
  caughtUp(): Promise<void>
  /**
   * Kills the primary, and waits until a standby has taken its place and there are two standbys again.
   * @param isWrong whether the new primary lacks what the other standby has, which then can't follow
   */
  failOver(isWrong?: boolean): Promise<void>
  /** Starts two facades. @param env settings that differ from test/support/settings.ts */
  startFacades(env?: Record<string, string>): Promise<Facades>
}

/** The lag that the facades allow a replica. Seconds. */
export const MAX_LAG = 1

const main = join(import.meta.dirname, '../../../api-facade/main.ts')

/** Call it at the top of a file: all of it is removed after the last test there. */
export async function startInstance(): Promise<Instance> {
  // a commit waits for the log as in production
  const settings = { ...ephemeral, synchronous_commit: 'on' }
  const primary = await ownPrimary(settings)
  const { dataDir } = primary
  const log = { info: () => {}, error: () => {} }
  const servers = await startReplicas({ primary, dataDir, count: 2, synchronous: true, settings, log })
  afterAll(() => servers.stop())
  const hosts = /(?<=@)[^/]+/
  const superuser = openOwner(primary.superuserUrl().replace(hosts, hosts.exec(servers.url)?.[0] ?? ''))
  afterAll(() => superuser.end())

  const startFacades = async (env: Record<string, string> = {}): Promise<Facades> => {
    const facades = await runFacades({
      ...environment(servers.url),
      // every server: the facades pass over the one that is the primary
      DATABASE_REPLICA_URLS: hostsOf(servers.url).join(),
      REPLICA_MAX_LAG: String(MAX_LAG),
      RATE_LIMIT_STORE: 'database',
      WORKER: 'off',
      POOL_USER: '4',
      PATH: process.env.PATH ?? '',
      ...env,
    })
    afterAll(() => facades.stop())
    return facades
  }
  const caughtUp = async () => {
    await complete({ sql: superuser })
    const [{ at }] = await superuser<[{ at: string }]>`select pg_current_wal_insert_lsn()::text as at`
    await until(async () => {
      const rows = await superuser`
        select from pg_stat_replication where application_name like 'standby%' and replay_lsn >= ${at}::pg_lsn`
      return rows.length === replicas.length
    })
  }
  const replica = (number: number): Replica => {
    const name = () => standbysOf(dataDir)[number] ?? ''
    const tell = (command: string) => onServer(serverOf(dataDir, name()), (sql) => sql.unsafe(command)).then(() => {})
    return {
      setDelay: (milliseconds) => delay(serverOf(dataDir, name()), milliseconds),
      pause: () => tell('select pg_wal_replay_pause()'),
      resume: () => tell('select pg_wal_replay_resume()'),
      async kill() {
        strike(dataDir, name(), 'SIGKILL')
        await until(async () => (await streaming(superuser)) < replicas.length)
        await complete({ sql: superuser })
      },
      cutOff: () => cutOff(dataDir, name()),
    }
  }
  const replicas: Instance['replicas'] = [replica(0), replica(1)]
  const failOver = async (isWrong = false) => {
    // one that is paused does not even look for its new primary
    for (const { resume } of replicas) await resume()
    const former = primaryIn(dataDir) ?? ''
    strike(dataDir, former, 'SIGKILL')
    const promoted = await until(() => {
      const name = primaryIn(dataDir)
      return name !== former && name
    })
    if (isWrong) {
      const other = standbysOf(dataDir).find((name) => name !== promoted) ?? ''
      strike(dataDir, other, 'SIGKILL')
      rmSync(join(dataDir, other), { recursive: true }) // it is made anew
    }
    await complete({ sql: superuser })
  }
  return { superuser, replicas, caughtUp, failOver, startFacades }
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
