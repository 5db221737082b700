// Keeps how a job went, in a transaction of its own: what a failed job wrote is undone, and that it failed is not.
import type { Job, PgBoss } from 'pg-boss'
import type { Log } from '../lib/log.ts'

export type Db = ReturnType<PgBoss['getDb']>

export const note = (db: Db, job: string, changed: number, failed: boolean) =>
  db.executeSql('select private.note_job_run($1, $2, $3)', [job, changed, failed])

/** Does the work, and tells of its failure. @throws Error with the message alone, which pg-boss keeps with the job */
export function told<T>(db: Db, job: string, log: Log, work: () => Promise<T>): Promise<T> {
  return work().catch(async (failure: unknown) => {
    log.error({ job, failure }, 'a job failed')
    await note(db, job, 0, true)
    throw new Error(failure instanceof Error ? failure.message : 'unknown')
  })
}

/**
 * Does the jobs of a batch side by side, each by itself: one that is done counts as done at once, and one that fails is
 * tried again, whatever becomes of the others. A worker that dies over a slow one repeats that one alone.
 */
export async function takeEach<T>(boss: PgBoss, log: Log, jobs: Job<T>[], work: (data: T) => Promise<number>) {
  const db = boss.getDb()
  const take = async ({ id, name, data }: Job<T>) => {
    const count = await told(db, name, log, () => work(data)).catch((error) => boss.fail(name, id, error))
    if (typeof count !== 'number') return
    await boss.complete(name, id)
    await note(db, name, count, false)
  }
  // all of them, before pg-boss hears of one that could not be settled
  const ends = await Promise.allSettled(jobs.map(take))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}
