// Work that a transaction asked for and that is too much for it: it is done in batches, each a transaction
// of its own. What is done stands in SQL: `private.<function>(job, after)` answers {changed, next}, and
// `next` is where the next batch begins, null at the end. A batch may run twice.
import type { PgBoss } from 'pg-boss'
import type { Log } from '../lib/log.ts'
import { type Db, note, told } from './record.ts'

/** Queue → the function that does a batch of its jobs. `private.enqueue` fills the queues, the schema has them. */
const queues = {
  'series-notices': 'private.tell_series_followers',
  'forfeited-earnings': 'private.forfeit_earnings',
  'moved-reposts': 'private.place_reposts',
} as const

/** Again after about 5, 10, 20, 40 and 80 seconds: late is better than never, for a day. */
const settings = { retryLimit: 5, retryDelay: 5, retryBackoff: true, expireInSeconds: 600, retentionSeconds: 86_400 }

/** Takes such work off its queues. */
export async function takeBatches(boss: PgBoss, log: Log, more: { deadLetter: string; pollSeconds: number }) {
  const db = boss.getDb()
  for (const [queue, batch] of Object.entries(queues)) {
    await boss.updateQueue(queue, { ...settings, deadLetter: more.deadLetter, deleteAfterSeconds: 86_400 })
    await boss.work<object>(queue, { pollingIntervalSeconds: more.pollSeconds }, async ([job]) => {
      if (!job) return
      const changed = await told(db, queue, log, () => everyBatch(db, batch, job.data))
      await note(db, queue, changed, false)
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
