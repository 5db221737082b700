// Work that is too much for the transaction that causes it: private.enqueue puts it on a queue of private.batch_queues, and
// here it is done in batches, each a transaction of its own. A batch may run twice. After some of them a job goes behind
// the others of its queue: somebody's million rows must not keep those of others waiting until all of them are done.
import type { PgBoss } from 'pg-boss'
import type { Log } from '../lib/log.ts'
import type { BatchQueue } from './jobs.ts'
import { HEARTBEAT, type Polling } from './polling.ts'
import { type Db, note, told } from './record.ts'

/** Again after about 5, 10, 20, 40 and 80 seconds: late is better than never, for a day. */
const settings = {
  retryLimit: 5,
  retryDelay: 5,
  retryBackoff: true,
  expireInSeconds: 600,
  retentionSeconds: 86_400,
  ...HEARTBEAT,
}

/** How many jobs of a queue are taken at once: as many as come in a second or so. */
const AT_ONCE = 100

/** How many batches a job does before the others have their turn. */
const TURN = 20

/** What a job is about; of one that goes on, the place behind which it does. */
type Data = { after?: string }

export type BatchOptions = { log: Log; deadLetter: string; polling: Polling }

/** Takes such work off its queues. */
export async function takeBatches(boss: PgBoss, queues: readonly BatchQueue[], options: BatchOptions): Promise<void> {
  const { log, deadLetter, polling } = options
  const db = boss.getDb()
  for (const { queue, batch } of queues) {
    await boss.updateQueue(queue, { ...settings, deadLetter, deleteAfterSeconds: 86_400 })
    await polling.work<Data>(queue, { batchSize: AT_ONCE }, async (jobs) => {
      for (const { id, data } of jobs) {
        const run = told(db, queue, log, async () => {
          const { changed, after } = await turn(db, batch, data)
          if (after) await boss.send(queue, { ...data, after })
          await boss.complete(queue, id) // now, since those taken together with it may take long
          return changed
        })
        // one that fails is tried again by itself, and holds up none of the others
        await run.then((changed) => note(db, queue, changed, false)).catch((error) => boss.fail(queue, id, error))
      }
    })
  }
}

/** @returns how many rows these batches changed, and where the next one begins; null at the end */
async function turn(db: Db, batch: string, job: Data): Promise<{ changed: number; after: string | null }> {
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
