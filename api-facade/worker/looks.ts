// What waits on the queues is found by one look for all of them: pg-boss would ask for each queue by itself, again and
// again. Whatever becomes of a look, pg-boss looks once a minute. docs/decisions.md, Jobs.
import { setTimeout as sleep } from 'node:timers/promises'
import type { PgBoss, WorkHandler, WorkOptions } from 'pg-boss'
import type { Log } from '../lib/log.ts'

export type Looks = {
  /** As `work` of pg-boss, but the handler has what waits as soon as a look has found it. */
  work<T extends object>(queue: string, options: WorkOptions, handler: WorkHandler<T>): Promise<void>
  /** Ends once the look under way is done. */
  stop(): Promise<void>
}

/** How often pg-boss looks. */
const pace = { pollingIntervalSeconds: 60 }

/** @param seconds from one look to the next */
export function startLooks(boss: PgBoss, seconds: number, log: Log): Looks {
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
  const run = async () => {
    while (!signal.aborted) {
      await look().catch((failure: unknown) => log.warn({ failure }, 'the worker cannot look for jobs'))
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
