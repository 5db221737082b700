// Workers in their own process, which a test kills in the middle of their work.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import type { Database } from './database.ts'
import { environment } from './settings.ts'
import { until } from './until.ts'

/** Call it once for each database, at the top of a file: it also makes the queues. */
export async function createWorkers({ owner, superuser, url }: Database) {
  const config = readConfig(environment(url))
  /** Starts a worker in this process. */
  const start = () => startWorker({ config, databaseUrl: url, log: createLog(config), pollSeconds: 0.1 })
  // the first worker creates the queues, and sets which of them need heartbeats
  await (await start()).stop()
  const backends = () => superuser<{ pid: number; waits: boolean }[]>`
    select pid, wait_event = 'relation' as waits from pg_stat_activity
    where usename = 'kith_worker' and datname = current_database() and application_name = 'kith_worker'`

  /** Starts a worker in its own process, and kills it once its job waits for a lock on this table. */
  async function killIn(table: string): Promise<void> {
    await owner.begin(async (sql) => {
      await sql.unsafe(`lock table ${table} in share mode`)
      const victim = spawn(process.execPath, [join(import.meta.dirname, '../../api-facade/worker/main.ts')], {
        env: { ...environment(url), PATH: process.env.PATH },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      const exit = once(victim, 'exit')
      afterAll(() => victim.kill('SIGKILL'))
      await until(async () => (await backends()).some(({ waits }) => waits))
      victim.kill('SIGKILL')
      await exit
      // the server does this once it notices that the client is gone
      for (const { pid } of await backends()) await superuser`select pg_terminate_backend(${pid})`
      await until(async () => (await backends()).length === 0)
    })
  }

  /** Moves the last heartbeat of running jobs past their limit. */
  const secondsLater = () =>
    owner`update pgboss.job set heartbeat_on = heartbeat_on - heartbeat_seconds * interval '1 second'
          where state = 'active' returning name`

  return { start, killIn, secondsLater }
}
