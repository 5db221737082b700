// The messages that the function accepts, and their outcomes.
import { z } from 'zod'

/** One line that is valid in a header. */
const header = z.string().regex(/^[ -~]{1,1000}$/)

export const Mail = z.object({
  /** The id of the message, by which a message that is sent twice is shown once. */
  id: z.string().regex(/^[\w.-]{1,100}$/),
  // This also allows a host without a dot, as in admin@localhost.
  to: z.email({ pattern: z.regexes.html5Email }).max(254),
  subject: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^\r\n]*$/),
  text: z.string().min(1).max(100_000),
  /** The HTML version. */
  html: z.string().min(1).max(200_000).optional(),
  /** RFC 8058: how a mail program unsubscribes. */
  headers: z.strictObject({ 'List-Unsubscribe': header, 'List-Unsubscribe-Post': header }).optional(),
})
export type Mail = z.infer<typeof Mail>
/** `gone`: the mailbox does not exist. @throws Error if it was not accepted and can be retried */
export type MailSender = (mail: Mail) => Promise<'sent' | 'gone'>

const common = {
  /** A later message with the same id replaces an earlier one that is still shown or not delivered yet. */
  collapseId: z.string().regex(/^[\w-]{1,32}$/),
  /** The number that the app's icon shows. */
  badge: z.int().min(0).max(1000),
  token: z.string().min(1).max(2100),
  title: z.string().min(1).max(100),
  body: z.string().min(1).max(500),
  data: z.record(z.string(), z.unknown()),
}
export const Push = z.discriminatedUnion('platform', [
  z.object({ ...common, platform: z.literal('expo') }),
  z.object({ ...common, platform: z.literal('web'), p256dh: z.string().max(100), auth: z.string().max(40) }),
  z.object({ ...common, platform: z.literal('fcm') }),
  z.object({ ...common, platform: z.literal('apns'), token: z.string().regex(/^[0-9a-f]{64,200}$/) }),
])
export type Push = z.infer<typeof Push>
export type ExpoPush = Extract<Push, { platform: 'expo' }>
export type WebPush = Extract<Push, { platform: 'web' }>
export type FcmPush = Extract<Push, { platform: 'fcm' }>
export type ApnsPush = Extract<Push, { platform: 'apns' }>

/**
 * `gone`: the device no longer exists. `refused`: never retry this message. `failed`: retry later, but not before
 * `retryAfter` seconds.
 */
export type Outcome = { outcome: 'sent' | 'gone' | 'refused' | 'failed'; receipt?: string; retryAfter?: number }
export const sent: Outcome = { outcome: 'sent' }
export const failed: Outcome = { outcome: 'failed' }
export const refused: Outcome = { outcome: 'refused' }
export const gone: Outcome = { outcome: 'gone' }

/** The timeout of a request in milliseconds: shorter than that of the caller. */
export const PATIENCE = 10_000
/** How long a provider keeps an undelivered push, in seconds. */
export const TTL = 86_400
/** The longest time that a provider can make us wait, in seconds. A push is outdated after an hour. */
const LONGEST_WAIT = 1800

/** @param given the value of Retry-After: seconds, or a time */
export function waitAfter(given: string | null | undefined): Outcome {
  if (!given) return failed
  const seconds = /^\d+$/.test(given) ? Number(given) : Math.ceil((Date.parse(given) - Date.now()) / 1000)
  return seconds > 0 ? { outcome: 'failed', retryAfter: Math.min(seconds, LONGEST_WAIT) } : failed
}
export const waitOf = (headers: Headers): Outcome => waitAfter(headers.get('retry-after'))

/**
 * The maximum number of messages per request. Expo accepts no more. That many messages to browsers take a quarter of a
 * second of CPU time; the edge runtime gives a function no more requests after one second, and ends it after two.
 */
export const MOST_PUSHES = 100

export type PushSender = {
  /** Returns an outcome for each message, in order. Never throws. */
  send(pushes: readonly Push[]): Promise<Outcome[]>
  /** Returns the receipts whose device no longer exists. @throws Error if Expo cannot be reached */
  gone(receipts: readonly string[]): Promise<string[]>
}
