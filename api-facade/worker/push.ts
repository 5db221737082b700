// Pushes for notifications. The job names a notification; SQL selects the devices, lib/lines.ts has the text, and the
// function `deliver` sends. One row per device records what was sent, so a retry only sends the rest. After a crash a
// push may be sent twice, with the same collapse id, so that it is shown once. The payload is described in
// api-facade/features/notifications/push-schemas.ts.
import { createHash } from 'node:crypto'
import type { Job, PgBoss } from 'pg-boss'
import type { PushPayload } from '../features/notifications/push-schemas.ts'
import { type Functions, failureOf } from '../lib/functions.ts'
import { lineOf } from '../lib/lines.ts'
import type { Polling } from './polling.ts'
import { type Db, note, type Reports, told } from './record.ts'

const PUSH = 'push'
export type PushOptions = { functions: Functions } & Reports

/** The data of jobs, from the trigger on notifications and from private.job_ask_push_receipts. */
type Told = { notificationId: string; round: number }
type PushJob = Told | { receipts: string[] }
type Claimed = {
  messages: (Told & {
    tokenId: string
    platform: string
    token: string
    p256dh: string | null
    auth: string | null
    kind: PushPayload['data']['kind']
    count: number
    groupKey: string
    badge: number
    path: string
    target: { type: string; id: string } | null
  })[]
  busy: string[]
}
type Message = Claimed['messages'][number]
type Outcome = { outcome: string; receipt?: string; retryAfter?: number }

/** Retries eight times after about 15, 30, 60, … seconds, for an hour; later a push is outdated. */
const settings = { retryLimit: 8, retryDelay: 15, retryBackoff: true, expireInSeconds: 90, retentionSeconds: 7200 }
/** How many jobs are taken, and how many messages are passed on, at once. */
const AT_ONCE = 100

/** Takes pushes from their queue, which the schema creates. */
export async function takePushes(boss: PgBoss, options: PushOptions, more: { deadLetter: string; polling: Polling }) {
  await boss.updateQueue(PUSH, { ...settings, deadLetter: more.deadLetter, deleteAfterSeconds: 3600 })
  const db = boss.getDb()
  const pace = { batchSize: AT_ONCE, burstWhenBatchFull: true }
  await more.polling.work<PushJob>(PUSH, pace, async (jobs) => {
    const receipts = jobs.filter((job): job is Job<{ receipts: string[] }> => 'receipts' in job.data)
    const news = jobs.filter((job): job is Job<Told> => 'notificationId' in job.data)
    for (const { id, data } of receipts) await attempt(boss, [id], options, () => ask(db, data.receipts, options))
    const ids = news.map(({ id }) => id)
    if (ids.length > 0) await attempt(boss, ids, options, () => send(boss, news, options))
  })
}

/** Failed jobs are retried separately. */
async function attempt(boss: PgBoss, ids: string[], reports: Reports, work: () => Promise<number>): Promise<void> {
  const db = boss.getDb()
  await told(db, PUSH, reports, work)
    .then((changed) => note(db, PUSH, changed, false))
    .catch((error) => boss.fail(PUSH, ids, error))
}

/** @returns how many devices were removed */
async function ask(db: Db, receipts: string[], { functions }: PushOptions): Promise<number> {
  const answer = await functions.invoke('deliver/receipts', { ids: receipts })
  if (!answer.ok) throw await failureOf('deliver', answer)
  const { gone } = (await answer.json()) as { gone: string[] }
  const { rows } = await db.executeSql('select private.note_push_receipts($1) as changed', [gone])
  return (rows as { changed: number }[])[0]?.changed ?? 0
}

/** @returns how many messages were sent */
async function send(boss: PgBoss, jobs: Job<Told>[], options: PushOptions): Promise<number> {
  const db = boss.getDb()
  const asked = JSON.stringify(jobs.map(({ data }) => data))
  const { rows } = await db.executeSql('select private.claim_pushes($1) as claimed', [asked])
  const [{ claimed }] = rows as [{ claimed: Claimed }]
  const late = new Set(claimed.busy)
  let sent = 0
  for (let at = 0; at < claimed.messages.length; at += AT_ONCE) {
    const messages = claimed.messages.slice(at, at + AT_ONCE)
    const outcomes = await deliver(messages, options)
    const results = messages.map(({ notificationId, round, tokenId }, i) => ({
      notificationId,
      round,
      tokenId,
      ...(outcomes[i] ?? { outcome: 'failed' }),
    }))
    for (const { notificationId, outcome } of results) if (outcome === 'failed') late.add(notificationId)
    const { rows } = await db.executeSql('select private.note_pushes($1) as sent', [JSON.stringify(results)])
    sent += (rows as { sent: number }[])[0]?.sent ?? 0
  }
  const failed = jobs.filter(({ data }) => late.has(data.notificationId)).map(({ id }) => id)
  if (failed.length > 0) {
    options.log.warn({ job: PUSH, failed: failed.length }, 'pushes were not accepted and will be retried')
    await note(db, PUSH, 0, true)
    await boss.fail(PUSH, failed, { message: 'not taken' })
  }
  return sent
}

async function deliver(messages: Message[], { functions }: PushOptions): Promise<Outcome[]> {
  const body = messages.map(({ platform, token, p256dh, auth, ...message }) => ({
    platform,
    token,
    ...(platform === 'web' && { p256dh, auth }),
    ...payloadOf(message),
  }))
  const answer = await functions.invoke('deliver/push', { messages: body }).catch(() => undefined)
  if (!answer?.ok) return []
  const { results } = (await answer.json()) as { results: Outcome[] }
  return results
}

type Content = Pick<Message, 'notificationId' | 'kind' | 'count' | 'groupKey' | 'badge' | 'target' | 'path'>

/** What a device gets. */
function payloadOf({ notificationId: id, kind, count, groupKey, badge, target, path }: Content): PushPayload {
  const collapseId = createHash('sha256').update(groupKey).digest('base64url').slice(0, 32)
  return { title: 'Kith', body: lineOf(kind, count), badge, collapseId, data: { id, kind, target, path } }
}
