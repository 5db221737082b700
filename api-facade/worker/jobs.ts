// The work of the worker, read from registries in the database: scheduled jobs, and queues of batched work. The jobs
// are SQL functions (`private.job_<name>`); sql/JOBS.md lists them all.
import type { Db } from './record.ts'

/** The connections of a worker: for effects, for webhooks, and for the queues at the same time. */
export const CONNECTIONS = 4

export type Job = {
  name: string
  /** In UTC. */
  cron: string
  /** The seconds after which a run counts as lost and the next can start; 10 seconds if its worker was killed. */
  expires: number
  /**
   * True if a call does one piece of the work. The worker then repeats the call until nothing is left, for at most half
   * of `expires`. A piece that returns less than 0 has failed: the others continue, and the run fails at its end.
   */
  repeats: boolean
  /** The message that is logged at error level if the job had to change anything, which also counts as a failure. */
  alarm: string | null
}

/** A queue whose jobs `batch` processes: a function of the job's data and the end of the previous batch. */
export type BatchQueue = {
  queue: string
  batch: string
}

export async function listWork(db: Db): Promise<{ jobs: Job[]; queues: BatchQueue[] }> {
  const { rows } = await db.executeSql('select private.list_work() as work')
  const [{ work }] = rows as [{ work: { jobs: Job[]; queues: BatchQueue[] } }]
  return work
}

/** The SQL function of a job. */
export const functionOf = (name: string): string => `private.job_${name.replaceAll('-', '_')}`
