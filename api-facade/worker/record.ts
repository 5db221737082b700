// Records the result of a job in a separate transaction, so that a failure is recorded although the job is rolled back.
import type { Job, PgBoss } from 'pg-boss'
import type { Tracing } from '../../edge-functions/shared/tracing.ts'
import type { Log } from '../lib/log.ts'

export type Db = ReturnType<PgBoss['getDb']>

export const note = (db: Db, job: string, changed: number, failed: boolean) =>
  db.executeSql('select private.note_job_run($1, $2, $3)', [job, changed, failed])

/** Where jobs report. */
export type Reports = { log: Log; tracing: Tracing }

/** What private.enqueue adds to the data of a job that a request queued. */
export type Queued = { traceparent?: string }

/**
 * Does the work as a part of the trace that queued it, if any, and logs a failure.
 * @param parent the traceparent in the job's data
 * @throws Error with only the message, which pg-boss stores with the job
 */
export function told<T>(
  db: Db,
  job: string,
  { log, tracing }: Reports,
  work: () => Promise<T>,
  parent?: string,
): Promise<T> {
  return tracing.run(`job ${job}`, { kind: 'consumer', parent }, () =>
    work().catch(async (failure: unknown) => {
      log.error({ job, failure }, 'a job failed')
      await note(db, job, 0, true)
      throw new Error(failure instanceof Error ? failure.message : 'unknown')
    }),
  )
}

/**
 * Does the jobs of a batch in parallel and settles each separately: a completed job is done immediately, and a failed
 * one is retried, regardless of the others. After a crash only unfinished jobs are repeated.
 */
export async function takeEach<T extends object>(
  boss: PgBoss,
  reports: Reports,
  jobs: Job<T>[],
  work: (data: T) => Promise<number>,
) {
  const db = boss.getDb()
  const take = async ({ id, name, data }: Job<T>) => {
    const { traceparent, ...own } = data as T & Queued
    const run = () => work(own as unknown as T)
    const count = await told(db, name, reports, run, traceparent).catch((error) => boss.fail(name, id, error))
    if (typeof count !== 'number') return
    await boss.complete(name, id)
    await note(db, name, count, false)
  }
  // Wait for all of them before pg-boss gets the error of one.
  const ends = await Promise.allSettled(jobs.map(take))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
