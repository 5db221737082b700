// Mail that a transaction requested. The job names a row, this file has the texts, and the function `deliver` sends
// them. If a worker or `deliver` crashes meanwhile, a mail may be sent twice, with the same Message-ID, so that it is
// shown once.
import type { PgBoss } from 'pg-boss'
import type { Mail, MailSender } from '../../edge-functions/deliver/messages.ts'
import { type Functions, failureOf } from '../lib/functions.ts'
import type { Purpose, Seals } from '../lib/seals.ts'
import type { Polling } from './polling.ts'
import { type Db, type Reports, takeEach } from './record.ts'

export const MAIL = 'mail'
type MailOptions = { seals: Seals; functions: Functions; publicUrl: string } & Reports

/** The data of a job, from `private.enqueue('mail', …)`. */
type MailJob =
  | { resetId: string }
  | { verificationId: string; letter: string }
  | { sessionId: string }
  | { noticeId: string; userId: string; letter: keyof typeof notices }
type Ended = { ended: true }
type Reset = { to: string; tokenHash: string; endsAt: string }
type Verification = { to: string; letter: keyof typeof letters; tokenHash?: string; endsAt?: string }
type Alert = { to: string; tokenHash: string; device: string | null; network: string | null; at: string }
type Message = { subject: string; text: string }
type Link = { url: string; token: string; until: string }

/**
 * Retries after about 10, 20, 40, … 320 seconds and then every 10 minutes, for 48 hours. The pause does not grow
 * further, because a link for a new password is valid for an hour only. A job that no worker takes is kept as long as
 * any link is valid, which is a week.
 */
const settings = {
  retryLimit: 293,
  retryDelay: 10,
  retryBackoff: true,
  retryDelayMax: 600,
  expireInSeconds: 60,
  retentionSeconds: 8 * 86_400,
}

/**
 * How many jobs are taken at once, without a pause while there are that many. Strangers can request mail to unknown
 * addresses, each of which is a job, and real mail must not wait for these jobs.
 */
const AT_ONCE = 20

/** Takes mail from its queue, which the schema creates. */
export async function takeMail(boss: PgBoss, options: MailOptions, more: { deadLetter: string; polling: Polling }) {
  await boss.updateQueue(MAIL, { ...settings, deadLetter: more.deadLetter, deleteAfterSeconds: 86_400 })
  const db = boss.getDb()
  const pace = { batchSize: AT_ONCE, burstWhenBatchFull: true }
  await more.polling.work<MailJob>(MAIL, pace, (jobs) =>
    takeEach(boss, options, jobs, (data) => send(db, data, options)),
  )
}

/**
 * @returns how many mails were sent: none if nobody has the address, its mailbox does not exist, or the link has ended
 */
async function send(db: Db, job: MailJob, options: MailOptions): Promise<number> {
  const mail = await find(db, job, options)
  if (!mail) return 0
  if ('ended' in mail) {
    options.log.warn({ job: MAIL, ...job }, 'a mail was dropped, because its link is no longer valid')
    return 0
  }
  return (await sendMail(db, mail, options.functions)) ? 1 : 0
}

function find(db: Db, job: MailJob, options: MailOptions): Promise<Mail | Ended | null> {
  if ('resetId' in job) return findReset(db, job.resetId, options)
  if ('sessionId' in job) return findAlert(db, job.sessionId, options)
  return 'noticeId' in job ? findNotice(db, job) : findVerification(db, job, options)
}

/** @returns whether it was accepted. A mailbox that does not exist is recorded and not retried. */
export async function sendMail(db: Db, mail: Mail, functions: Functions): Promise<boolean> {
  const answer = await functions.invoke('deliver/mail', mail)
  if (!answer.ok) throw await failureOf('deliver', answer)
  const { outcome } = (await answer.json()) as { outcome: Awaited<ReturnType<MailSender>> }
  if (outcome === 'gone') await db.executeSql('select private.note_bounce($1)', [mail.to])
  return outcome === 'sent'
}

async function findReset(db: Db, id: string, { seals, publicUrl }: MailOptions) {
  const { rows } = await db.executeSql('select private.find_reset_mail($1) as reset', [id])
  const [{ reset }] = rows as [{ reset: Reset | Ended | null }]
  if (!reset || 'ended' in reset) return reset
  const token = tokenOf(seals, 'reset', id, reset.tokenHash)
  const message = resetMessage(linkTo(`${publicUrl}/reset-password`, token, reset.endsAt))
  return { id: `${id}.reset`, to: reset.to, ...message }
}

async function findVerification(db: Db, job: { verificationId: string; letter: string }, options: MailOptions) {
  const { verificationId: id, letter } = job
  const { rows } = await db.executeSql('select private.find_verification_mail($1, $2) as mail', [id, letter])
  const [{ mail }] = rows as [{ mail: Verification | Ended | null }]
  if (!mail || 'ended' in mail) return mail
  const token = mail.tokenHash ? tokenOf(options.seals, 'email', id, mail.tokenHash) : ''
  const message = letters[mail.letter](linkTo(`${options.publicUrl}/verify-email`, token, mail.endsAt))
  return { id: `${id}.${mail.letter}`, to: mail.to, ...message }
}

async function findAlert(db: Db, id: string, { seals, publicUrl }: MailOptions) {
  const { rows } = await db.executeSql('select private.find_session_mail($1) as alert', [id])
  const [{ alert }] = rows as [{ alert: Alert | Ended }]
  if ('ended' in alert) return alert
  const link = linkTo(`${publicUrl}/end-session`, tokenOf(seals, 'alert', id, alert.tokenHash))
  return { id: `${id}.alert`, to: alert.to, ...alertMessage(link, alert) }
}

async function findNotice(db: Db, { noticeId, userId, letter }: Extract<MailJob, { noticeId: string }>) {
  const { rows } = await db.executeSql('select private.find_notice_mail($1) as mail', [userId])
  const [{ mail }] = rows as [{ mail: { to: string } | null }]
  return mail && { id: `${noticeId}.${letter}`, to: mail.to, ...notices[letter] }
}

function tokenOf(seals: Seals, purpose: Purpose, id: string, hash: string): string {
  const token = seals.find(purpose, { id, generation: 0 }, hash)
  if (!token) throw new Error('the secret of this token is no longer configured')
  return token
}

/**
 * The token is after a #, so that servers, logs and Referer headers never contain it. The mail may have waited, so it
 * says until when the link is valid, and not for how long.
 */
const linkTo = (page: string, token: string, endsAt = ''): Link => ({
  url: `${page}#token=${token}`,
  token,
  until: timeText(endsAt),
})

const timeText = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`

const resetMessage = ({ url, token, until }: Link): Message => ({
  subject: 'A new password for Kith',
  text: `Hello,

somebody (we hope it was you) requested a new password for your
account. Choose it here until ${until}:

${url}

or enter this code in the app:

${token}

It can be used once. If it was not you, ignore this mail: your
password does not change.
`,
})

const alertMessage = ({ url, token }: Link, { device, network, at }: Alert): Message => ({
  subject: 'A login to Kith on a new device',
  text: `Hello,

somebody (we hope it was you) logged in to your account on a device
that we did not know:

${device ?? 'a device without a name'}
${network ? `network ${network}` : 'an unknown network'}
${timeText(at)}

If it was you, ignore this mail.

If it was not you, somebody knows your password. End that login here:

${url}

or enter this code in the app:

${token}

Then set a new password.
`,
})

/** The letters of private.find_verification_mail. */
const letters = {
  verify: ({ url, token, until }: Link): Message => ({
    subject: 'Your email address for Kith',
    text: `Hello,

somebody (we hope it was you) joined Kith with this address.
Confirm until ${until} that it is yours:

${url}

or enter this code in the app:

${token}

It can be used once. If it was not you, somebody mistyped their
address: ignore this mail.
`,
  }),
  change: ({ url, token, until }: Link): Message => ({
    subject: 'Your new email address for Kith',
    text: `Hello,

somebody (we hope it was you) wants to use this address for their
account. Confirm until ${until} that it is yours:

${url}

or enter this code in the app:

${token}

It can be used once. If it was not you, ignore this mail: without
your confirmation nothing changes.
`,
  }),
  taken: (): Message => ({
    subject: 'Your email address for Kith',
    text: `Hello,

somebody (we hope it was you) wants to use this address for their
account, but another account already has it. Log in to that account,
or choose another address.

If it was not you, ignore this mail: nothing changes.
`,
  }),
  asked: (): Message => ({
    subject: 'Another email address for your account at Kith',
    text: `Hello,

somebody (we hope it was you) requested to replace the address of
your account. The new address replaces this one when it is confirmed.

If it was not you, somebody knows your password. Set a new one now,
which also cancels the change.
`,
  }),
  changed: (): Message => ({
    subject: 'Your email address for Kith has changed',
    text: `Hello,

your account has a new address now. This address gets no more mail
from it.

If it was not you, contact the operator of this instance.
`,
  }),
}

const unlessYou = `If it was not you, somebody can use your account. Set a new password
now, and contact the operator of this instance.
`

/** Mails that report a change and need no link. */
const notices = {
  factorAdded: {
    subject: 'A second factor for your account at Kith',
    text: `Hello,

your account has an authenticator app now. Each login asks for a code from it. All other devices were logged out. Keep the recovery codes in
a safe place.

${unlessYou}`,
  },
  identityLinked: {
    subject: 'Another way to log in to your account at Kith',
    text: `Hello, a login at another provider was linked to your account. It can be used to log in without your password.

${unlessYou}`,
  },
  identityUnlinked: {
    subject: 'A way to log in to your account at Kith was removed',
    text: `Hello, a login at another provider was unlinked from your account. It can no longer be used to log in.

${unlessYou}`,
  },
  factorRemoved: {
    subject: 'The second factor of your account at Kith was removed',
    text: `Hello,

the authenticator app of your account was removed. If you have no passkey, the recovery codes were deleted too, and a login needs only the password now.

${unlessYou}`,
  },
  recoveryUsed: {
    subject: 'A recovery code of your account at Kith was used',
    text: `Hello,

a recovery code of your account was used instead of the authenticator
app. It can't be used again.

${unlessYou}`,
  },
  recoveryRenewed: {
    subject: 'New recovery codes for your account at Kith',
    text: `Hello,

your account has ten new recovery codes. The earlier ones can't be used
any more.

${unlessYou}`,
  },
  passkeyAdded: {
    subject: 'A passkey for your account at Kith',
    text: `Hello,

your account has a new passkey, which logs in without the password.
If it is the first factor of your account, all other devices were logged out; keep the recovery codes in a safe place.

${unlessYou}`,
  },
  passkeyRemoved: {
    subject: 'A passkey of your account at Kith was removed',
    text: `Hello,

a passkey of your account was removed, and can't be used any more.

${unlessYou}`,
  },
  passkeyEnded: {
    subject: 'A passkey of your account at Kith may have been copied',
    text: `Hello, somebody may have a copy of a passkey of your account: its counter went back. We removed the passkey and logged out all devices. Log in with another passkey, or with your password and a code of
the app or a recovery code, and add a new passkey.

If you know no reason for this, contact the operator of this instance.
`,
  },
} satisfies Record<string, Message>
