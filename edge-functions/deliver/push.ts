// Pushes by Expo and by the push services of browsers.
import { createHash } from 'node:crypto'
import webpush from 'web-push'
import { z } from 'zod'
import { isPublicKey } from './curve.ts'
import type { ExpoPush, Outcome, Push, PushSender, WebPush } from './messages.ts'
import { isPushEndpoint } from './providers.ts'
import type { VapidKeys } from './vapid.ts'

export type PushOptions = {
  /** The URL of Expo's API. */
  expoUrl: string
  expoAccessToken: string | undefined
  /** The origins of push services; `*` stands for one or more labels of a host. */
  webPushOrigins: readonly string[]
  vapid: VapidKeys
  /** The contact for push services, mailto: or https: */
  contact: string
}

/** The timeout in milliseconds: shorter than that of the caller. */
const PATIENCE = 10_000
/** How long a push service keeps an undelivered push, in seconds. */
const TTL = 86_400

const failed: Outcome = { outcome: 'failed' }
const refused: Outcome = { outcome: 'refused' }
const gone: Outcome = { outcome: 'gone' }

export function pushSender(options: PushOptions): PushSender {
  return {
    async send(pushes) {
      const outcomes = new Map<Push, Outcome>()
      const expo = pushes.filter((push) => push.platform === 'expo')
      const byExpo = async () => {
        const results = await sendByExpo(expo, options)
        for (const [at, push] of expo.entries()) outcomes.set(push, results[at] ?? failed)
      }
      await Promise.all([
        expo.length > 0 && byExpo(),
        ...pushes.map(async (push) => {
          if (push.platform === 'web') outcomes.set(push, await sendByWeb(push, options))
        }),
      ])
      return pushes.map((push) => outcomes.get(push) ?? failed)
    },
    gone: (receipts) => askExpo(receipts, options),
  }
}

const Ticket = z.object({
  status: z.string(),
  id: z.string().optional(),
  details: z.object({ error: z.string().optional() }).nullish(),
})
const Tickets = z.object({ data: z.array(Ticket) })
const Receipts = z.object({ data: z.record(z.string(), Ticket) })

function callExpo(path: string, body: unknown, { expoUrl, expoAccessToken }: PushOptions): Promise<Response> {
  return fetch(`${expoUrl}/--/api/v2/push/${path}`, {
    method: 'POST',
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      ...(expoAccessToken && { Authorization: `Bearer ${expoAccessToken}` }),
    },
    body: JSON.stringify(body),
    redirect: 'manual',
    signal: AbortSignal.timeout(PATIENCE),
  })
}

async function sendByExpo(pushes: readonly ExpoPush[], options: PushOptions): Promise<Outcome[]> {
  const messages = pushes.map(({ token: to, title, body, data }) => ({ to, title, body, data, ttl: TTL }))
  const answer = await callExpo('send', messages, options).catch(() => undefined)
  if (answer?.status === 400) {
    // one invalid message, or messages of two projects, make Expo reject all: retry to find out which
    if (pushes.length <= 1) return pushes.map(() => refused)
    const middle = Math.ceil(pushes.length / 2)
    const halves = [pushes.slice(0, middle), pushes.slice(middle)]
    return (await Promise.all(halves.map((half) => sendByExpo(half, options)))).flat()
  }
  const tickets = answer?.ok ? Tickets.safeParse(await answer.json().catch(() => undefined)) : undefined
  if (!tickets?.success) return pushes.map(() => failed)
  return pushes.map((_, at) => outcomeOf(tickets.data.data[at]))
}

function outcomeOf(ticket: z.infer<typeof Ticket> | undefined): Outcome {
  if (ticket?.status === 'ok') return { outcome: 'sent', ...(ticket.id && { receipt: ticket.id }) }
  const error = ticket?.details?.error
  if (error === 'DeviceNotRegistered') return gone
  return error === 'MessageTooBig' || error === 'MismatchSenderId' || error === 'InvalidCredentials' ? refused : failed
}

async function askExpo(ids: readonly string[], options: PushOptions): Promise<string[]> {
  const answer = await callExpo('getReceipts', { ids }, options)
  if (!answer.ok) throw new Error(`Expo answered ${answer.status}`)
  const { data } = Receipts.parse(await answer.json())
  return ids.filter((id) => data[id]?.details?.error === 'DeviceNotRegistered')
}

async function sendByWeb(push: WebPush, { webPushOrigins, vapid, contact }: PushOptions): Promise<Outcome> {
  // clients choose the endpoint: it must not lead to internal addresses that this process can reach
  if (!isPushEndpoint(push.token, webPushOrigins)) return refused
  const { token: endpoint, p256dh, auth, tag, title, body, data } = push
  const request = encrypted({ endpoint, p256dh, auth }, JSON.stringify({ title, body, tag, data }), {
    TTL,
    vapidDetails: { subject: contact, ...vapid },
    topic: createHash('sha256').update(tag).digest('base64url').slice(0, 32),
  })
  if (!request) return gone
  const signal = AbortSignal.timeout(PATIENCE)
  const answer = await fetch(endpoint, { ...request, redirect: 'manual', signal }).catch(() => undefined)
  if (answer?.ok) return { outcome: 'sent' }
  if (answer?.status === 404 || answer?.status === 410) return gone
  return !answer || answer.status === 429 || answer.status >= 500 ? failed : refused
}

type Subscription = { endpoint: string; p256dh: string; auth: string }

/** Undefined for invalid keys. */
function encrypted({ endpoint, p256dh, auth }: Subscription, payload: string, options: webpush.RequestOptions) {
  if (!isPublicKey(p256dh)) return undefined
  try {
    const made = webpush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, payload, options)
    const { 'Content-Length': _, ...headers } = made.headers as Record<string, string>
    const bytes = made.body ? new Uint8Array(made.body) : null
    return { method: made.method, headers: strings(headers), body: bytes }
  } catch {
    return undefined
  }
}

const strings = (headers: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
