// What waits on the queues is found by one look for all of them: pg-boss would ask for each queue by itself, again and
// again. Whatever becomes of a look, pg-boss looks once a minute. A look also finds jobs whose worker was killed, and has
// them go on at once: they no longer have a heartbeat. docs/decisions.md, Jobs.
import { setTimeout as sleep } from 'node:timers/promises'
import type { PgBoss, WorkHandler, WorkOptions } from 'pg-boss'
import type { Log } from '../lib/log.ts'

export type Polling = {
  /** As `work` of pg-boss, but the handler has what waits as soon as a look has found it. */
  work<T extends object>(queue: string, options: WorkOptions, handler: WorkHandler<T>): Promise<void>
  /** Ends once the look under way is done. */
  stop(): Promise<void>
}

/** How often pg-boss looks, and how often it says that a job still has its worker, on queues whose jobs say so. */
const pace = { pollingIntervalSeconds: 60, heartbeatRefreshSeconds: 3 }

/** For queues whose jobs may run twice: without a sign of life for so long, a job's worker counts as dead. */
export const HEARTBEAT = { heartbeatSeconds: 10 }

/** @param seconds from one look to the next */
export function startPolling(boss: PgBoss, seconds: number, log: Log): Polling {
  const ids = new Map<string, string>()
  const stopping = new AbortController()
  const { signal } = stopping

  const look = async () => {
    const { rows } = await boss.getDb().executeSql(
      `select q.name from unnest($1::text[]) as q (name)
       where exists (select from pgboss.job j
                     where j.name = q.name and j.state < 'active' and not j.blocked
                       and j.start_after <= pgboss.job_now())`,
      [[...ids.keys()]],
    )
    for (const { name } of rows as { name: string }[]) boss.notifyWorker(ids.get(name) ?? '')
  }
  /** pg-boss would come to them up to a minute later, and wait once more before the next try, as after a fault. */
  const revive = async () => {
    const db = boss.getDb()
    const { rows } = await db.executeSql(
      `select name, id, retry_count as "retryCount" from pgboss.job
       where state = 'active' and name = any ($1)
         and heartbeat_on + heartbeat_seconds * interval '1 second' < pgboss.job_now()`,
      [[...ids.keys()]],
    )
    for (const { name, ...attempt } of rows as { name: string; id: string; retryCount: number }[]) {
      log.warn({ job: name }, 'the worker of a job is gone: another one takes it')
      await boss.fail(name, attempt, new Error('its worker is gone'))
      await db.executeSql(
        `update pgboss.job set start_after = pgboss.job_now() where name = $1 and id = $2 and state = 'retry'`,
        [name, attempt.id],
      )
    }
  }
  const run = async () => {
    while (!signal.aborted) {
      await revive()
        .then(look)
        .catch((failure: unknown) => log.warn({ failure }, 'the worker cannot look for jobs'))
      await sleep(seconds * 1000, undefined, { signal }).catch(() => {})
    }
  }
  const running = run()
  return {
    work: async (queue, options, handler) => {
      ids.set(queue, await boss.work(queue, { ...options, ...pace }, handler))
    },
    stop: () => {
      stopping.abort()
      return running
    },
  }
}
