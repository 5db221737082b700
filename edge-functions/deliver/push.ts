// Pushes by Expo, FCM, APNs and the push services of browsers.
import webpush from 'web-push'
import { z } from 'zod'
import { type ApnsOptions, apnsSender } from './apns.ts'
import { isPublicKey } from './curve.ts'
import { type FcmAccount, fcmSender } from './fcm.ts'
import {
  type ExpoPush,
  failed,
  gone,
  type Outcome,
  PATIENCE,
  type Push,
  type PushSender,
  refused,
  sent,
  TTL,
  type WebPush,
  waitOf,
} from './messages.ts'
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
  /** The settings of FCM and of APNs; each is undefined if that service is off. */
  fcm: { account: FcmAccount; url: string } | undefined
  apns: ApnsOptions | undefined
}

/** Sends the pushes of one platform. Never throws. */
type Send<P extends Push> = (pushes: readonly P[]) => Promise<Outcome[]>
/** Refuses the pushes of a platform that is off. Its devices were registered while it was on. */
const refuseAll: Send<Push> = async (pushes) => pushes.map(() => refused)

export function pushSender(options: PushOptions): PushSender {
  const { fcm, apns } = options
  const platforms: { [P in Push['platform']]: Send<Extract<Push, { platform: P }>> } = {
    expo: (pushes) => sendByExpo(pushes, options),
    web: (pushes) => Promise.all(pushes.map((push) => sendByWeb(push, options))),
    fcm: fcm ? fcmSender(fcm.account, fcm.url) : refuseAll,
    apns: apns ? apnsSender(apns) : refuseAll,
  }
  return {
    async send(pushes) {
      const outcomes = new Map<Push, Outcome>()
      const sendTo = async (platform: Push['platform']) => {
        const some = pushes.filter((push) => push.platform === platform)
        if (some.length === 0) return
        const results = await (platforms[platform] as Send<Push>)(some)
        for (const [at, push] of some.entries()) outcomes.set(push, results[at] ?? failed)
      }
      await Promise.all((Object.keys(platforms) as Push['platform'][]).map(sendTo))
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
  const messages = pushes.map(({ token: to, title, body, badge, data, collapseId }) => {
    return { to, title, body, badge, data: { ...data, collapseId }, ttl: TTL }
  })
  const answer = await callExpo('send', messages, options).catch(() => undefined)
  if (answer?.status === 400) {
    // One invalid message, or messages of two projects, make Expo reject all of them. A retry finds out which.
    if (pushes.length <= 1) return pushes.map(() => refused)
    const middle = Math.ceil(pushes.length / 2)
    const halves = [pushes.slice(0, middle), pushes.slice(middle)]
    return (await Promise.all(halves.map((half) => sendByExpo(half, options)))).flat()
  }
  if (answer?.status === 429 || Number(answer?.status) >= 500) {
    const wait = answer ? waitOf(answer.headers) : failed
    return pushes.map(() => wait)
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
  // Clients choose the endpoint, so it must not lead to internal addresses that this process can reach.
  if (!isPushEndpoint(push.token, webPushOrigins)) return refused
  const { token: endpoint, p256dh, auth, collapseId, title, body, badge, data } = push
  const request = encrypted({ endpoint, p256dh, auth }, JSON.stringify({ title, body, badge, collapseId, data }), {
    TTL,
    vapidDetails: { subject: contact, ...vapid },
    topic: collapseId,
  })
  if (!request) return gone
  const signal = AbortSignal.timeout(PATIENCE)
  const answer = await fetch(endpoint, { ...request, redirect: 'manual', signal }).catch(() => undefined)
  if (answer?.ok) return sent
  if (answer?.status === 404 || answer?.status === 410) return gone
  if (!answer) return failed
  return answer.status === 429 || answer.status >= 500 ? waitOf(answer.headers) : refused
}

type Subscription = { endpoint: string; p256dh: string; auth: string }

/** The encrypted request; undefined if the keys are invalid. */
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
