// What leaves for people, as the function takes it, and what became of it.
import { z } from 'zod'

/** One line of what may stand in a header. */
const header = z.string().regex(/^[ -~]{1,1000}$/)

export const Mail = z.object({
  /** Of the message: one that is sent twice is shown once. */
  id: z.string().regex(/^[\w.-]{1,100}$/),
  // also of a host without a dot, as admin@localhost is
  to: z.email({ pattern: z.regexes.html5Email }).max(254),
  subject: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^\r\n]*$/),
  text: z.string().min(1).max(100_000),
  /** The same for mail programs that show it. */
  html: z.string().min(1).max(200_000).optional(),
  /** RFC 8058: how a mail program ends such mail. */
  headers: z.strictObject({ 'List-Unsubscribe': header, 'List-Unsubscribe-Post': header }).optional(),
})
export type Mail = z.infer<typeof Mail>
/** `gone`: there is no such mailbox. @throws Error when it was not taken, and may be another time */
export type MailSender = (mail: Mail) => Promise<'sent' | 'gone'>

const common = {
  /** What it is about; a message that comes twice replaces the first where the provider can do that. */
  tag: z.string().min(1).max(100),
  token: z.string().min(1).max(2100),
  title: z.string().min(1).max(100),
  body: z.string().min(1).max(500),
  data: z.record(z.string(), z.unknown()),
}
export const Push = z.discriminatedUnion('platform', [
  z.object({ ...common, platform: z.literal('expo') }),
  z.object({ ...common, platform: z.literal('web'), p256dh: z.string().max(100), auth: z.string().max(40) }),
])
export type Push = z.infer<typeof Push>
export type ExpoPush = Extract<Push, { platform: 'expo' }>
export type WebPush = Extract<Push, { platform: 'web' }>

/** `gone`: there is no such device any more. `refused`: not this message, ever. `failed`: try again later. */
export type Outcome = { outcome: 'sent' | 'gone' | 'refused' | 'failed'; receipt?: string }

/**
 * How many may come at once. Expo takes no more; for browsers they are a quarter of a second of the processor, of which the
 * edge runtime gives a function one, and ends it at the second one.
 */
export const MOST_PUSHES = 100

export type PushSender = {
  /** An outcome for each, in order. Never throws. */
  send(pushes: readonly Push[]): Promise<Outcome[]>
  /** Which of these receipts say that their device is gone. @throws Error when Expo cannot be asked */
  gone(receipts: readonly string[]): Promise<string[]>
}
