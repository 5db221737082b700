// Vectors of posts. Publishing or editing a post puts a job on the queue `embeddings`, and so does the job that finds
// posts without a vector. SQL selects the posts that still need one, and their texts, so a job may run twice.
import type { PgBoss } from 'pg-boss'
import type { Embedder } from './embedders.ts'
import type { Polling } from './polling.ts'
import { type Db, note, type Queued, type Reports, told } from './record.ts'

export const EMBEDDINGS = 'embeddings'
type EmbeddingOptions = { embedder: Embedder | undefined } & Reports

type Unembedded = { id: string; text: string; digest: string }

/** Retries after about 10, 20, 40, … seconds, for most of an hour. */
const settings = { retryLimit: 8, retryDelay: 10, retryBackoff: true, expireInSeconds: 300, retentionSeconds: 86_400 }
/** How many texts the model gets at once. Its memory grows with this number. */
const AT_ONCE = 4

/** Registers the model, and takes posts from the queue, which the schema creates. */
export async function takeEmbeddings(
  boss: PgBoss,
  { embedder, ...reports }: EmbeddingOptions,
  more: { deadLetter: string; polling: Polling },
): Promise<void> {
  const db = boss.getDb()
  await db.executeSql('select private.use_embedding_model($1)', [embedder?.model ?? null])
  await boss.updateQueue(EMBEDDINGS, { ...settings, deadLetter: more.deadLetter, deleteAfterSeconds: 3600 })
  if (!embedder) return
  const pace = { batchSize: 4, burstWhenBatchFull: true }
  await more.polling.work<Queued & { postIds: string[] }>(EMBEDDINGS, pace, async (jobs) => {
    for (const { id, data } of jobs) {
      const run = told(db, EMBEDDINGS, reports, () => embed(db, data.postIds, embedder), data.traceparent)
      // A failed job is retried alone and does not delay the others.
      await run.then((made) => note(db, EMBEDDINGS, made, false)).catch((error) => boss.fail(EMBEDDINGS, id, error))
    }
  })
}

/** @returns how many vectors were stored */
async function embed(db: Db, ids: string[], { model, embed }: Embedder): Promise<number> {
  const { rows } = await db.executeSql('select private.take_unembedded($1, $2) as posts', [model, ids])
  const [{ posts }] = rows as [{ posts: Unembedded[] | null }]
  if (!posts) throw new Error(`another worker has another model than ${model}`)
  let made = 0
  for (let at = 0; at < posts.length; at += AT_ONCE) {
    const some = posts.slice(at, at + AT_ONCE)
    const vectors = await embed(some.map(({ text }) => text))
    const kept = some.map(({ id, digest }, i) => ({ id, digest, vector: vectors[i]?.map(rounded) }))
    const answer = await db.executeSql('select private.store_embeddings($1, $2) as made', [model, JSON.stringify(kept)])
    made += (answer.rows as { made: number }[])[0]?.made ?? 0
  }
  return made
}

/** Rounds to the significant digits of a vector. */
const rounded = (x: number): number => Math.round(x * 1e6) / 1e6
