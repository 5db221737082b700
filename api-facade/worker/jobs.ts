// What there is to do, as the database's registries say it: jobs by the clock, and queues of work that comes in batches.
// What a job does stands in SQL (`private.job_<name>`); sql/JOBS.md lists them all.
import type { Db } from './record.ts'

/** How many connections a worker has: for effects, and what the queues do meanwhile. */
export const CONNECTIONS = 4

export type Job = {
  name: string
  /** In UTC. */
  cron: string
  /** After so many seconds a run counts as lost, and the next may begin; after 10 when its worker was killed. */
  expires: number
  /** A run does one piece of the work: the worker calls again until there is none left, for half of `expires`. A piece that
   * answers less than 0 has failed: the others go on, and the run fails at its end. */
  repeats: boolean
  /** Said at error level, and counted as a failure, when the job had to change anything. */
  alarm: string | null
}

/** Work for `batch`, a function of the job's data and of where the batch before it ended. */
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
