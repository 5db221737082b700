// Mail by SMTP.
import nodemailer, { type SendMailOptions } from 'nodemailer'
import type { Mail, MailSender } from './messages.ts'

// SMTP timeouts in milliseconds. Each is shorter than the caller's timeout.
const PATIENCE = { connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 15_000 }

function messageOf({ id, headers, ...mail }: Mail, from: string): SendMailOptions {
  const [, domain = 'localhost'] = /@([^\s>]+)/.exec(from) ?? []
  const messageId = `<${id}@${domain}>`
  // `Auto-Submitted` prevents out-of-office replies.
  return { ...mail, from, messageId, headers: { 'Auto-Submitted': 'auto-generated', ...headers } }
}

/** RFC 3463: bad mailbox, bad host, bad syntax, moved, a host that accepts no mail, mailbox disabled. */
const GONE = /^5\d\d[ -]5\.(1\.(1|2|3|6|10)|2\.1)\b/
/**
 * Other 5.x.y codes, or texts, which reject the content or the sender; many servers check the sender only at RCPT TO.
 */
const OTHER = /^5\d\d[ -]5\.\d+\.\d+|verif|helo|dns|spf|relay|denied|prohibit|block|listed|policy|spam|auth/i

/** Whether a server says that the mailbox does not exist, not that it is busy or rejects this mail or sender. */
function isGone(failure: unknown): boolean {
  const { command, responseCode, response } = Object(failure)
  const said = String(response ?? '')
  if (command === 'MAIL FROM' || /sender/i.test(said)) return false // for every recipient
  return GONE.test(said) || (command === 'RCPT TO' && [550, 551, 553].includes(responseCode) && !OTHER.test(said))
}

/**
 * @param url smtp(s)://user:secret@host:port
 * @param from an address, or `Name <address>`
 */
export function smtpSender(url: string, from: string): MailSender {
  const transport = nodemailer.createTransport({ url, ...PATIENCE, disableFileAccess: true, disableUrlAccess: true })
  return async (mail) => {
    const failure = await transport.sendMail(messageOf(mail, from)).then(
      () => undefined,
      (error: unknown) => error ?? new Error('unknown'),
    )
    if (failure && !isGone(failure)) throw failure
    return failure ? 'gone' : 'sent'
  }
}
