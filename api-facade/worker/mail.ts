// Mail that a transaction asked for. The job names a row; the words stand here, and the function `deliver` sends them.
// A mail may go out twice, when a worker or `deliver` dies over it: with the same Message-ID, so that it is shown once.
import type { PgBoss } from 'pg-boss'
import type { Mail, MailSender } from '../../edge-functions/deliver/messages.ts'
import { type Functions, failureOf } from '../lib/functions.ts'
import type { Log } from '../lib/log.ts'
import type { Purpose, Seals } from '../lib/seals.ts'
import type { Polling } from './polling.ts'
import { type Db, takeEach } from './record.ts'

export const MAIL = 'mail'
export type MailOptions = { seals: Seals; functions: Functions; publicUrl: string; log: Log }

/** What `private.enqueue('mail', …)` puts into a job. */
type MailJob = { resetId: string } | { verificationId: string; letter: string }
type Reset = { to: string; tokenHash: string } | null
type Verification = { to: string; letter: keyof typeof letters; tokenHash?: string } | null
type Message = { subject: string; text: string }

/** Again after about 10, 20, 40, 80 and 160 seconds: a link is good for an hour. */
const settings = { retryLimit: 5, retryDelay: 10, retryBackoff: true, expireInSeconds: 60, retentionSeconds: 3600 }

/**
 * How many are taken at once, and while there are as many again without a pause: strangers ask for mail that goes to
 * nobody, each of which is a job, and nobody's link may wait for those.
 */
const AT_ONCE = 20

/** Takes mail off its queue, which the schema has from the beginning. */
export async function takeMail(boss: PgBoss, options: MailOptions, more: { deadLetter: string; polling: Polling }) {
  await boss.updateQueue(MAIL, { ...settings, deadLetter: more.deadLetter, deleteAfterSeconds: 86_400 })
  const db = boss.getDb()
  const pace = { batchSize: AT_ONCE, burstWhenBatchFull: true }
  await more.polling.work<MailJob>(MAIL, pace, (jobs) =>
    takeEach(boss, options.log, jobs, (data) => send(db, data, options)),
  )
}

/** @returns how many mails went out: none where nobody has the address, it does not exist, or the request is over */
async function send(db: Db, job: MailJob, options: MailOptions): Promise<number> {
  const mail = 'resetId' in job ? await findReset(db, job.resetId, options) : await findVerification(db, job, options)
  if (!mail) return 0
  return (await sendMail(db, mail, options.functions)) ? 1 : 0
}

/** @returns whether it was taken: it is not where there is no such mailbox, which is noted, and nothing is tried again */
export async function sendMail(db: Db, mail: Mail, functions: Functions): Promise<boolean> {
  const answer = await functions.invoke('deliver/mail', mail)
  if (!answer.ok) throw await failureOf('deliver', answer)
  const { outcome } = (await answer.json()) as { outcome: Awaited<ReturnType<MailSender>> }
  if (outcome === 'gone') await db.executeSql('select private.note_bounce($1)', [mail.to])
  return outcome === 'sent'
}

async function findReset(db: Db, id: string, { seals, publicUrl }: MailOptions) {
  const { rows } = await db.executeSql('select private.find_reset_mail($1) as reset', [id])
  const reset = (rows as { reset: Reset }[])[0]?.reset
  if (!reset) return null
  const token = tokenOf(seals, 'reset', id, reset.tokenHash)
  return { id: `${id}.reset`, to: reset.to, ...resetMessage(linkTo(`${publicUrl}/reset-password`, token), token) }
}

async function findVerification(db: Db, job: { verificationId: string; letter: string }, options: MailOptions) {
  const { verificationId: id, letter } = job
  const { rows } = await db.executeSql('select private.find_verification_mail($1, $2) as mail', [id, letter])
  const mail = (rows as { mail: Verification }[])[0]?.mail
  if (!mail) return null
  const token = mail.tokenHash ? tokenOf(options.seals, 'email', id, mail.tokenHash) : ''
  const message = letters[mail.letter](linkTo(`${options.publicUrl}/verify-email`, token), token)
  return { id: `${id}.${mail.letter}`, to: mail.to, ...message }
}

function tokenOf(seals: Seals, purpose: Purpose, id: string, hash: string): string {
  const token = seals.find(purpose, { id, generation: 0 }, hash)
  if (!token) throw new Error('the secret that made this token is not configured any more')
  return token
}

/** Behind a #, so that no server on the way, no log and no Referer sees it. */
const linkTo = (page: string, token: string) => `${page}#token=${token}`

const resetMessage = (link: string, token: string): Message => ({
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

/** Those of private.find_verification_mail. */
const letters = {
  verify: (link: string, token: string): Message => ({
    subject: 'Your email address for Kith',
    text: `Hello,

somebody, hopefully you, joined Kith with this address.
Confirm within a week that it is yours:

${link}

or give the app this code:

${token}

It works once. If it was not you, somebody mistyped their address:
there is nothing to do.
`,
  }),
  change: (link: string, token: string): Message => ({
    subject: 'Your new email address for Kith',
    text: `Hello,

somebody, hopefully you, wants to use this address for their account.
Confirm within a day that it is yours:

${link}

or give the app this code:

${token}

It works once. If it was not you, there is nothing to do: without
your confirmation nothing changes.
`,
  }),
  taken: (): Message => ({
    subject: 'Your email address for Kith',
    text: `Hello,

somebody, hopefully you, wants to use this address for their account.
But there is an account with this address already, and it can have
one only: log in to that one, or choose another address.

If it was not you, there is nothing to do: nothing changes.
`,
  }),
  asked: (): Message => ({
    subject: 'Another email address for your account at Kith',
    text: `Hello,

somebody, hopefully you, asked to replace this address of your account
by another one. It is replaced as soon as the other one is confirmed.

If it was not you, somebody knows your password: choose a new one now,
which also stops the change.
`,
  }),
  changed: (): Message => ({
    subject: 'Your email address for Kith has changed',
    text: `Hello,

your account has a new address now, and no more mail of it comes here.

If it was not you, write to those who run this instance.
`,
  }),
}
