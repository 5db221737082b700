// Mail that a transaction asked for. The job names a row; the words stand here, and the function `deliver` sends them.
// A mail may go out twice, when a worker dies over it: with the same Message-ID, so that it is shown once.
import type { PgBoss } from 'pg-boss'
import type { Functions } from '../lib/functions.ts'
import type { Log } from '../lib/log.ts'
import type { Seals } from '../lib/seals.ts'
import { type Db, note, told } from './record.ts'

export const MAIL = 'mail'
export type MailOptions = { seals: Seals; functions: Functions; publicUrl: string; log: Log }

/** What `private.enqueue('mail', …)` puts into a job. */
type MailJob = { resetId: string }
type Reset = { to: string; tokenHash: string } | null

/** Again after about 10, 20, 40, 80 and 160 seconds: a link is good for an hour. */
const settings = { retryLimit: 5, retryDelay: 10, retryBackoff: true, expireInSeconds: 60, retentionSeconds: 3600 }

/** Takes mail off its queue, which the schema has from the beginning. */
export async function takeMail(boss: PgBoss, options: MailOptions, more: { deadLetter: string; pollSeconds: number }) {
  await boss.updateQueue(MAIL, { ...settings, deadLetter: more.deadLetter, deleteAfterSeconds: 86_400 })
  const db = boss.getDb()
  await boss.work<MailJob>(MAIL, { pollingIntervalSeconds: more.pollSeconds }, async ([job]) => {
    if (!job) return
    const sent = await told(db, MAIL, options.log, () => sendReset(db, job.data.resetId, options))
    await note(db, MAIL, sent, false)
  })
}

/** @returns how many mails went out: none where nobody has the address, or the request is over */
async function sendReset(db: Db, id: string, { seals, functions, publicUrl }: MailOptions): Promise<number> {
  const { rows } = await db.executeSql('select private.find_reset_mail($1) as reset', [id])
  const reset = (rows as { reset: Reset }[])[0]?.reset
  if (!reset) return 0
  const token = seals.find('reset', { id, generation: 0 }, reset.tokenHash)
  if (!token) throw new Error('the secret that made this token is not configured any more')
  // behind a #, so that no server on the way, no log and no Referer sees it
  const message = resetMessage(`${publicUrl}/reset-password#token=${token}`, token)
  const { ok, status } = await functions.invoke('deliver/mail', { id, to: reset.to, ...message })
  if (!ok) throw new Error(`deliver answered ${status}`)
  return 1
}

const resetMessage = (link: string, token: string) => ({
  subject: 'A new password for Kith',
  text: `Hello,

somebody, hopefully you, asked for a new password for your account.
Choose it here within an hour:

${link}

or give the app this code:

${token}

It works once. If it was not you, there is nothing to do: your
password stays as it is.
`,
})
