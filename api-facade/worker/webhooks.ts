// Webhooks: writes events into the log, queues their deliveries, and sends those that are due, by the function
// `deliver`. SQL decides which (sql/webhooks/20_deliveries.sql); here each request is signed. Any number of workers may
// run: a delivery belongs for a minute to the worker that took it. docs/decisions.md, Webhooks.
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import type { Functions } from '../lib/functions.ts'
import type { Log } from '../lib/log.ts'
import { type Db, note } from './record.ts'

export type WebhookLoop = {
  /** Stops sending. Resolves when the running requests have ended, or when the worker's time to stop is over. */
  stop(): Promise<void>
}
export type WebhookOptions = { functions: Functions; log: Log }

/** How many requests of one webhook run at once in this process, so that a slow one does not delay other webhooks. */
const AT_ONCE = 8
/** The interval of polling while there is nothing to do. Milliseconds. */
const LOOK = 500
/** The pause between two rounds while there is work: several outcomes are recorded together. Milliseconds. */
const REST = 20
/** The pause after a round that failed, for example without the database. Milliseconds. */
const FAILED = 1000
/** A delivery that waited longer than this is not sent, because its lease (a minute) may end. Milliseconds. */
const STALE = 20_000
/** The interval at which the counts of deliveries are written. Milliseconds. */
const RECORD = 10_000

type Delivery = {
  webhookId: string
  deliveryId: number
  claim: string
  url: string
  secrets: string[]
  id: string
  body: string
}
type Outcome = { status?: number; failure?: string; excerpt?: string }
type Noted = Outcome & Pick<Delivery, 'webhookId' | 'deliveryId' | 'claim'>

export function startWebhooks(db: Db, { functions, log }: WebhookOptions): WebhookLoop {
  const running = new Set<Promise<void>>()
  const busy = new Map<string, number>()
  let outcomes: Noted[] = []
  let awake = new AbortController()
  let stopped = false
  let sent = 0
  let failed = false
  let written = Date.now()

  const count = (webhookId: string, more: number) => busy.set(webhookId, (busy.get(webhookId) ?? 0) + more)

  const run = async (delivery: Delivery, taken: number) => {
    const { webhookId, deliveryId, claim } = delivery
    const outcome = await send(delivery, taken, functions).catch((failure: unknown): undefined => {
      log.warn({ job: 'webhooks', failure }, 'a webhook could not be sent')
    })
    count(webhookId, -1)
    if (outcome) outcomes.push({ webhookId, deliveryId, claim, ...outcome })
    awake.abort()
  }

  /**
   * Runs a round: logs events, queues deliveries, records outcomes, starts requests.
   * @returns whether it did something
   */
  const look = async (): Promise<boolean> => {
    const { rows: logged } = await db.executeSql('select private.log_events() as events')
    const { rows: queued } = await db.executeSql('select private.queue_webhooks() as webhooks')
    const noted = outcomes
    outcomes = []
    const taken = performance.now()
    const { rows } = await db
      .executeSql('select private.work_on_webhooks($1, $2, $3) as taken', [
        JSON.stringify(noted),
        JSON.stringify(Object.fromEntries(busy)),
        stopped ? 0 : AT_ONCE,
      ])
      .catch((error: unknown) => {
        outcomes = [...noted, ...outcomes]
        throw error
      })
    const [{ taken: deliveries }] = rows as [{ taken: Delivery[] }]
    for (const delivery of deliveries) {
      count(delivery.webhookId, 1)
      const work: Promise<void> = run(delivery, taken).finally(() => running.delete(work))
      running.add(work)
    }
    sent += noted.length
    failed ||= noted.some(({ status = 0 }) => status < 200 || status > 299)
    if (Date.now() - written > RECORD && (sent > 0 || failed)) await record()
    const [{ events }] = logged as [{ events: number }]
    const [{ webhooks }] = queued as [{ webhooks: number }]
    return events > 0 || webhooks > 0 || noted.length > 0 || deliveries.length > 0
  }
  const record = async () => {
    const [sum, any] = [sent, failed]
    sent = 0
    failed = false
    written = Date.now()
    await note(db, 'webhooks', sum, any)
  }

  const loop = async () => {
    while (!stopped) {
      const worked = await look().catch(async (failure: unknown) => {
        log.error({ job: 'webhooks', failure }, 'webhooks could not be processed')
        await sleep(FAILED)
        return false
      })
      await sleep(worked ? REST : LOOK, undefined, { signal: awake.signal }).catch(() => sleep(REST))
      awake = new AbortController()
    }
    await Promise.all(running)
    await look().catch(() => {}) // This records the last outcomes.
  }
  const end = loop()
  return {
    stop: () => {
      stopped = true
      awake.abort()
      return end
    },
  }
}

async function send(delivery: Delivery, taken: number, functions: Functions): Promise<Outcome | undefined> {
  if (performance.now() - taken > STALE) return undefined
  const { url, id, body, secrets } = delivery
  const now = new Date()
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, now, body)).join(' '),
  }
  const answer = await functions.invoke('deliver/webhook', { url, headers, body })
  if (answer.ok) return (await answer.json()) as Outcome
  await answer.body?.cancel()
  return { failure: 'unreachable' }
}
