// Work that is too large for the transaction that causes it: private.enqueue puts it on a queue of
// private.batch_queues, and this file does it in batches, each in a separate transaction. A batch may run twice. After
// some batches a job moves to the end of its queue, so that one job with a million rows does not delay the others.
// private.make_batch_queue sets the retries.
import type { PgBoss } from 'pg-boss'
import type { BatchQueue } from './jobs.ts'
import type { Polling } from './polling.ts'
import { type Db, note, type Queued, type Reports, told } from './record.ts'

/** How many jobs of a queue are taken at once: about as many as arrive in a second. */
const AT_ONCE = 100

/** How many batches a job does before it moves to the end of the queue. */
const TURN = 20

/** The data of a continued job also has the position after which it continues. */
type Job = { after?: string }

type BatchOptions = Reports & { polling: Polling }

/** Takes jobs from these queues and does their batches. */
export async function takeBatches(boss: PgBoss, queues: readonly BatchQueue[], options: BatchOptions): Promise<void> {
  const { polling } = options
  const db = boss.getDb()
  for (const { queue, batch } of queues) {
    await polling.work<Queued & Job>(queue, { batchSize: AT_ONCE }, async (jobs) => {
      for (const { id, data } of jobs) {
        const { traceparent, ...job } = data
        const work = async () => {
          const { changed, after } = await turn(db, batch, job)
          if (after) await boss.send(queue, { ...data, after })
          await boss.complete(queue, id) // Complete it now, because the jobs that were taken with it may take long.
          return changed
        }
        const run = told(db, queue, options, work, traceparent)
        // A failed job is retried alone and does not delay the others.
        await run.then((changed) => note(db, queue, changed, false)).catch((error) => boss.fail(queue, id, error))
      }
    })
  }
}

/** @returns how many rows these batches changed, and where the next one starts; null at the end */
async function turn(db: Db, batch: string, job: Job): Promise<{ changed: number; after: string | null }> {
  let changed = 0
  let after = job.after ?? null
  for (let n = 0; n < TURN && (n === 0 || after); n++) {
    const { rows } = await db.executeSql(`select ${batch}($1, $2) as done`, [JSON.stringify(job), after])
    const [{ done }] = rows as [{ done: { changed: number; next: string | null } }]
    changed += done.changed
    after = done.next
  }
  return { changed, after }
}
