// Delivers mail, pushes and webhooks. Callers decide about texts, recipients and times. It answers 401 to anyone but
// the service, 422 to invalid input, and 503 if the external service did not accept a message.
// POST /deliver/mail {id, to, subject, text, html?, headers?} → 200 {outcome: sent | gone}, gone: no such mailbox
// POST /deliver/push {messages: up to 500} → 200 {results: [{outcome, receipt?}]}, in order
// POST /deliver/receipts {ids: up to 300} → 200 {gone: ids}
// POST /deliver/webhook {url, headers, body} → 200 {status?, failure?, excerpt?}
import type { Hono } from 'hono'
import { z } from 'zod'
import { openDoors } from '../shared/doors.ts'
import { Mail, type MailSender, MOST_PUSHES, Push, type PushSender } from './messages.ts'
import { Webhook, type WebhookSender } from './webhooks.ts'

const Pushes = z.object({ messages: z.array(Push).max(MOST_PUSHES) })
const Receipts = z.object({ ids: z.array(z.string().min(1).max(100)).max(300) })

type DeliverEnvironment = {
  /** The secrets that may have signed the caller's token, HS256. */
  jwtSecrets: readonly string[]
  /** Sends a mail. */
  sendMail: MailSender
  push: PushSender
  sendWebhook: WebhookSender
}

export function createDeliver({ jwtSecrets, sendMail, push, sendWebhook }: DeliverEnvironment): Hono {
  const { app, door } = openDoors('deliver', jwtSecrets)
  door('/mail', Mail, async (c, mail) => c.json({ outcome: await sendMail(mail) }))
  door('/push', Pushes, async (c, { messages }) => c.json({ results: await push.send(messages) }))
  door('/receipts', Receipts, async (c, { ids }) => c.json({ gone: await push.gone(ids) }))
  door('/webhook', Webhook, async (c, webhook) => c.json(await sendWebhook(webhook)))
  return app
}
