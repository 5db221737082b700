// Mail by SMTP.
import nodemailer, { type SendMailOptions } from 'nodemailer'
import type { Mail } from './messages.ts'

// Milliseconds: shorter than the caller waits.
const PATIENCE = { connectionTimeout: 5000, greetingTimeout: 5000, socketTimeout: 15_000 }

function messageOf({ id, headers, ...mail }: Mail, from: string): SendMailOptions {
  const [, domain = 'localhost'] = /@([^\s>]+)/.exec(from) ?? []
  const messageId = `<${id}@${domain}>`
  // no answers from people who are away
  return { ...mail, from, messageId, headers: { 'Auto-Submitted': 'auto-generated', ...headers } }
}

/**
 * @param url smtp(s)://user:secret@host:port
 * @param from an address, or `Name <address>`
 */
export function smtpSender(url: string, from: string): (mail: Mail) => Promise<void> {
  const transport = nodemailer.createTransport({ url, ...PATIENCE, disableFileAccess: true, disableUrlAccess: true })
  return async (mail) => {
    await transport.sendMail(messageOf(mail, from))
  }
}
