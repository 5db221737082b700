// Keeps how a job went, in a transaction of its own: what a failed job wrote is undone, and that it failed is not.
import type { PgBoss } from 'pg-boss'
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
