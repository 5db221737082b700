// Mail by SMTP.
import nodemailer, { type SendMailOptions } from 'nodemailer'
import type { Mail, MailSender } from './messages.ts'

// Milliseconds: shorter than the caller waits.
const PATIENCE = { connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 15_000 }

function messageOf({ id, headers, ...mail }: Mail, from: string): SendMailOptions {
  const [, domain = 'localhost'] = /@([^\s>]+)/.exec(from) ?? []
  const messageId = `<${id}@${domain}>`
  // no answers from people who are away
  return { ...mail, from, messageId, headers: { 'Auto-Submitted': 'auto-generated', ...headers } }
}

/** As RFC 3463 says it: bad mailbox, bad host, bad syntax, moved, a host that takes no mail, mailbox disabled. */
const GONE = /^5\d\d[ -]5\.(1\.(1|2|3|6|10)|2\.1)\b/
/** 5.x.y of anything else, or words without it: of what is said, or of who says it, which many ask only at RCPT TO. */
const OTHER = /^5\d\d[ -]5\.\d+\.\d+|verif|helo|dns|spf|relay|denied|prohibit|block|listed|policy|spam|auth/i

/** Whether a server said that there is no such mailbox, and not that it is busy, or does not want this mail or sender. */
function isGone(failure: unknown): boolean {
  const { command, responseCode, response } = Object(failure)
  const said = String(response ?? '')
  if (command === 'MAIL FROM' || /sender/i.test(said)) return false // whoever it is for
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
