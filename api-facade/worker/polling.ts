// One query polls all queues; pg-boss would poll each queue separately. As a fallback, pg-boss itself polls once a
// minute. The query also finds jobs without a heartbeat, whose worker was killed, and restarts them immediately.
// docs/decisions.md, Jobs.
import { setTimeout as sleep } from 'node:timers/promises'
import type { PgBoss, WorkHandler, WorkOptions } from 'pg-boss'
import type { Log } from '../lib/log.ts'

export type Polling = {
  /** Like `work` of pg-boss, but the handler gets waiting jobs as soon as a poll has found them. */
  work<T extends object>(queue: string, options: WorkOptions, handler: WorkHandler<T>): Promise<void>
  /** Resolves after the current poll. */
  stop(): Promise<void>
}

/** How often pg-boss polls, and how often it sends heartbeats, on queues whose jobs have them. */
const pace = { pollingIntervalSeconds: 60, heartbeatRefreshSeconds: 3 }

/** On queues whose jobs may run twice, a job's worker counts as dead after this time without a heartbeat. */
export const HEARTBEAT = { heartbeatSeconds: 10 }

/** @param seconds between two polls */
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
  /** pg-boss itself would find these jobs up to a minute later and delay the retry, as after a failure. */
  const revive = async () => {
    const db = boss.getDb()
    const { rows } = await db.executeSql(
      `select name, id, retry_count as "retryCount" from pgboss.job
       where state = 'active' and name = any ($1)
         and heartbeat_on + heartbeat_seconds * interval '1 second' < pgboss.job_now()`,
      [[...ids.keys()]],
    )
    for (const { name, ...attempt } of rows as { name: string; id: string; retryCount: number }[]) {
      log.warn({ job: name }, 'the worker of a job is gone: another one takes the job')
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
        .catch((failure: unknown) => log.warn({ failure }, 'the worker cannot poll for jobs'))
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
