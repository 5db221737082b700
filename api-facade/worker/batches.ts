// Work that is too much for the transaction that causes it: private.enqueue puts it on a queue of private.batch_queues, and
// here it is done in batches, each a transaction of its own. A batch may run twice.
import type { PgBoss } from 'pg-boss'
import type { Log } from '../lib/log.ts'
import type { BatchQueue } from './jobs.ts'
import type { Looks } from './looks.ts'
import { type Db, note, told } from './record.ts'

/** Again after about 5, 10, 20, 40 and 80 seconds: late is better than never, for a day. */
const settings = { retryLimit: 5, retryDelay: 5, retryBackoff: true, expireInSeconds: 600, retentionSeconds: 86_400 }

/** How many jobs of a queue are taken at once: as many as come in a second or so. */
const AT_ONCE = 100

export type BatchOptions = { log: Log; deadLetter: string; looks: Looks }

/** Takes such work off its queues. */
export async function takeBatches(boss: PgBoss, queues: readonly BatchQueue[], options: BatchOptions): Promise<void> {
  const { log, deadLetter, looks } = options
  const db = boss.getDb()
  for (const { queue, batch } of queues) {
    await boss.updateQueue(queue, { ...settings, deadLetter, deleteAfterSeconds: 86_400 })
    await looks.work<object>(queue, { batchSize: AT_ONCE }, async (jobs) => {
      for (const { id, data } of jobs) {
        const run = told(db, queue, log, () => everyBatch(db, batch, data))
        // one that fails is tried again by itself, and holds up none of the others
        await run.then((changed) => note(db, queue, changed, false)).catch((error) => boss.fail(queue, id, error))
      }
    })
  }
}

/** @returns how many rows all of the batches changed */
async function everyBatch(db: Db, batch: string, job: object): Promise<number> {
  let changed = 0
  let after: string | null = null
  do {
    const { rows } = await db.executeSql(`select ${batch}($1, $2) as done`, [JSON.stringify(job), after])
    const [{ done }] = rows as [{ done: { changed: number; next: string | null } }]
    changed += done.changed
    after = done.next
  } while (after)
  return changed
}
