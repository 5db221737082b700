// The daily digest. The job names a row of private.digests; SQL selects the contents and the address, lib/lines.ts has
// the texts, and the function `deliver` sends. A worker claims the row before sending and records it afterwards, so
// only one sends it. If it crashes meanwhile, the digest is sent again with the same Message-ID, so that it is shown
// once.
import type { PgBoss } from 'pg-boss'
import type { Functions } from '../lib/functions.ts'
import { kindsWithLines, lineOf } from '../lib/lines.ts'
import type { Seals } from '../lib/seals.ts'
import { sendMail } from './mail.ts'
import type { Polling } from './polling.ts'
import { type Db, type Reports, takeEach } from './record.ts'

const DIGESTS = 'digests'
export type DigestOptions = {
  seals: Seals
  functions: Functions
  /** The URL of the client, to whose pages /notifications and /unsubscribe the mail links. */
  publicUrl: string
  /** The URL of the API for mail programs. */
  facadeUrl: string
} & Reports

/** The data of a job, from private.job_queue_digests. */
type DigestJob = { digestId: string }
type Digest = {
  to: string
  unsubscribeId: string
  timezone: string
  hour: number
  items: { kind: string; count: number }[]
  /** True if there are more notifications than were counted. */
  more: boolean
}
type Claim = Digest | { busy: true } | null

/** Retries after about 1, 2, 4, … 64 minutes and then every 2 hours, for 10 hours. The next digest has the rest. */
const settings = {
  retryLimit: 10,
  retryDelay: 60,
  retryBackoff: true,
  retryDelayMax: 7200,
  expireInSeconds: 90,
  retentionSeconds: 86_400,
}

/** How many digests are sent at once. */
const AT_ONCE = 20

/** Takes digests from their queue, which the schema creates. */
export async function takeDigests(
  boss: PgBoss,
  options: DigestOptions,
  more: { deadLetter: string; polling: Polling },
) {
  await boss.updateQueue(DIGESTS, { ...settings, deadLetter: more.deadLetter, deleteAfterSeconds: 86_400 })
  const db = boss.getDb()
  const pace = { batchSize: AT_ONCE, burstWhenBatchFull: true }
  await more.polling.work<DigestJob>(DIGESTS, pace, (jobs) =>
    takeEach(boss, options, jobs, ({ digestId }) => send(db, digestId, options)),
  )
}

/**
 * @returns how many mails were sent: none if there is nothing left to report, if the mailbox does not exist, or if
 *   another worker has sent the digest
 */
async function send(db: Db, id: string, options: DigestOptions): Promise<number> {
  const { rows } = await db.executeSql('select private.claim_digest($1) as claim', [id])
  const [{ claim }] = rows as [{ claim: Claim }]
  if (!claim) return 0
  if ('busy' in claim) throw new Error('another worker is sending it, or crashed meanwhile')
  const mail = { id: `${id}.digest`, to: claim.to, ...digestMail(claim, options) }
  const sent = sendMail(db, mail, options.functions)
  const isDone = await sent.then(
    () => true,
    () => false,
  )
  await db.executeSql('select private.note_digest($1, $2)', [id, isDone])
  return (await sent) ? 1 : 0
}

type Places = Pick<DigestOptions, 'seals' | 'publicUrl' | 'facadeUrl'>

/** Subject, text, page and headers. */
export function digestMail({ unsubscribeId, timezone, hour, items, more }: Digest, places: Places) {
  const token = places.seals.seal('unsubscribe', { id: unsubscribeId, generation: 0 })
  // The token is after a #, so that servers, logs and Referer headers never contain it, and link scanners do not
  // unsubscribe.
  const leave = `${places.publicUrl}/unsubscribe#token=${token}`
  const read = `${places.publicUrl}/notifications`
  const place = ({ kind }: { kind: string }) => kindsWithLines.indexOf(kind)
  const lines = items.toSorted((one, other) => place(one) - place(other)).map((item) => lineOf(item.kind, item.count))
  if (more) lines.push('And more.')
  const total = items.reduce((sum, { count }) => sum + count, 0)
  const subject = `Your day on Kith: ${total}${more ? ' and more' : ''} ${total === 1 ? 'notification' : 'notifications'}`
  const when = `once a day at ${hour}:00 (${timezone})`
  const oneClick = `${places.facadeUrl}/api/v1/notifications/unsubscribe?token=${token}`
  return {
    subject,
    text: textOf({ lines, read, leave, when }),
    html: pageOf({ subject, lines, read, leave, when }),
    headers: { 'List-Unsubscribe': `<${oneClick}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
  }
}

type Words = { lines: string[]; read: string; leave: string; when: string }

const textOf = ({ lines, read, leave, when }: Words): string => `Hello,

here is what is new for you on Kith:

${lines.map((line) => `- ${line}`).join('\n')}

Read it here:

${read}

You get this mail ${when}, if there is
something new. You can change this in your preferences.
To stop these mails, unsubscribe here:

${leave}
`

const pageOf = ({ subject, lines, read, leave, when }: Words & { subject: string }): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${safe(subject)}</title></head>
<body style="margin: 0 auto; max-width: 36em; padding: 1.5em; font-family: sans-serif; line-height: 1.5">
<p>Hello,</p>
<p>here is what is new for you on Kith:</p>
<ul>
${lines.map((line) => `<li>${safe(line)}</li>`).join('\n')}
</ul>
<p><a href="${safe(read)}">Read it on Kith</a></p>
<p style="margin-top: 2em; font-size: 0.85em; opacity: 0.8">You get this mail ${safe(when)}, if there is something new.
You can change this in your preferences. To stop these mails, <a href="${safe(leave)}">unsubscribe</a>.</p>
</body>
</html>
`

const signs: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** Escapes text for HTML. */
const safe = (text: string): string => text.replace(/[&<>"]/g, (sign) => signs[sign] ?? sign)
