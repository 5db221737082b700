// Sends webhooks: one signed request to an address that an admin chose. The caller gets the status and the beginning of
// the body, and learns nothing else about the network.
import { z } from 'zod'
import { webAddress } from '../shared/addresses.ts'
import { NotPublic, type Open } from '../shared/open.ts'

export const Webhook = z.object({
  url: z.string().max(2048),
  headers: z.record(z.string(), z.string().max(2000)),
  body: z.string().max(100_000),
})
type Webhook = z.output<typeof Webhook>
export type WebhookOutcome = {
  /** The status of the response; absent if there was none. */
  status?: number
  /** Why there was no response. */
  failure?: 'not_public' | 'timeout' | 'unreachable'
  /** The beginning of the body, printable characters only. */
  excerpt?: string
}
export type WebhookSender = (webhook: Webhook) => Promise<WebhookOutcome>

/** The maximum number of bytes that are read of a response. */
const MOST = 1024
/** The maximum length of an excerpt, in characters. */
const EXCERPT = 200

/** @param patience the timeout of a request, including the body. Milliseconds */
export function webhookSender(open: Open, patience = 10_000): WebhookSender {
  return async ({ url, headers, body }) => {
    const address = webAddress(url)
    if (!address) return { failure: 'unreachable' }
    const end = new AbortController()
    const over = new Promise<WebhookOutcome>((settle) => {
      end.signal.addEventListener('abort', () => settle({ failure: 'timeout' }))
    })
    const clock = setTimeout(() => end.abort(), patience)
    try {
      return await Promise.race([post(open, address, { headers, body }, end.signal), over])
    } catch (error) {
      return { failure: error instanceof NotPublic ? 'not_public' : 'unreachable' }
    } finally {
      clearTimeout(clock)
      end.abort() // This closes bodies that were not read to the end.
    }
  }
}

async function post(
  open: Open,
  address: URL,
  { headers, body }: Pick<Webhook, 'headers' | 'body'>,
  signal: AbortSignal,
): Promise<WebhookOutcome> {
  const answer = await open(address, signal, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'user-agent': 'Kith (webhook)' },
    body,
  })
  return { status: answer.status, excerpt: await beginningOf(answer.body).catch(() => '') }
}

async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for await (const chunk of body) {
    const part = chunk.subarray(0, MOST - size)
    text += decoder.decode(part, { stream: true })
    size += part.length
    if (size === MOST) break
  }
  const line = text.replace(/[\p{C}\s]+/gu, ' ').trim()
  return [...line].slice(0, EXCERPT).join('')
}
