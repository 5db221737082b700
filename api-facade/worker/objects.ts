// Deletes objects without an asset. private.job_delete_objects lists them, and the function `media` deletes them. The
// database removes them from its list afterwards, so after a crash or a failure of the storage the job lists them
// again.
import type { PgBoss } from 'pg-boss'
import { type Functions, failureOf } from '../lib/functions.ts'
import type { Polling } from './polling.ts'
import { type Db, note, type Reports, told } from './record.ts'

const OBJECTS = 'objects'
type ObjectOptions = { functions: Functions } & Reports

type ObjectJob = { bucket: string; keys: string[]; uploads: string[]; uploadIds: Record<string, string> }

/** No retries, because the job lists the rest again. */
const settings = { retryLimit: 0, expireInSeconds: 120, retentionSeconds: 3600 }

/** How many jobs are taken at once, without a pause while there are that many: each may take half a minute. */
const AT_ONCE = 4

/** Takes objects from their queue, which the schema creates. */
export async function takeObjects(boss: PgBoss, options: ObjectOptions, polling: Polling): Promise<void> {
  await boss.updateQueue(OBJECTS, { ...settings, deleteAfterSeconds: 3600 })
  const db = boss.getDb()
  const pace = { batchSize: AT_ONCE, burstWhenBatchFull: true }
  await polling.work<ObjectJob>(OBJECTS, pace, async (jobs) => {
    // The jobs run one at a time, to limit the load of the storage.
    for (const { id, data } of jobs)
      await told(db, OBJECTS, options, () => remove(db, data, options.functions)).catch((error) =>
        boss.fail(OBJECTS, id, error),
      )
  })
}

/** @returns how many objects were deleted */
async function remove(db: Db, job: ObjectJob, functions: Functions): Promise<number> {
  const { bucket, keys, uploads } = job
  const answer = await functions.invoke('media/delete', job)
  if (!answer.ok) throw await failureOf('media', answer)
  const { left } = (await answer.json()) as { left: string[] }
  const gone = [keys, uploads].map((all) => all.filter((key) => !left.includes(key)))
  const { rows } = await db.executeSql('select private.note_deleted_objects($1, $2, $3) as changed', [bucket, ...gone])
  const changed = (rows as { changed: number }[])[0]?.changed ?? 0
  await note(db, OBJECTS, changed, false)
  if (left.length > 0) throw new Error(`the storage has not deleted ${left.length} objects`)
  return changed
}
