// Previews of links. The edge function `link-preview` fetches pages; this file limits how often, and caches for an
// hour. The cache is shared by all people, so that a popular page is fetched once. It must not reveal earlier requests:
// a cached answer takes as long as the first one, and the limits count before the cache is read.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Preview } from '../../edge-functions/link-preview/page.ts'
import { webAddress } from '../../edge-functions/shared/addresses.ts'
import { ApiError } from './errors.ts'
import type { Functions } from './functions.ts'
import type { Log } from './log.ts'

/** Returns the preview of a page; null if nothing can be shown, for whatever reason. @throws ApiError rate_limited */
export type Previews = (person: string, url: string) => Promise<Preview | null>

/** How long an answer is cached. Milliseconds. */
const KEEP = 3_600_000
/** The size of the cache; the oldest entry is evicted first. */
const MOST = 1000
/** The function answers within 5 s. Milliseconds. */
const PATIENCE = 10_000
/** How many pages are fetched at once, how many requests a person can have at once, and how many of these run. */
const LOOKS = 32
const ASKS = 8
const TURNS = 2

const busy = () => new ApiError('rate_limited', undefined, { headers: { 'Retry-After': '5' } })

/** The number of a person's requests, and the functions that let the waiting ones continue. */
type Line = { asks: number; waiting: (() => void)[] }
type Look = { preview: Preview | null; took: number }
type Kept = { look: Promise<Look>; until: number }

export function createPreviews(functions: Functions, log: Log, now = () => performance.now()): Previews {
  const kept = new Map<string, Kept>()
  const lines = new Map<string, Line>()
  let looks = 0

  /** A failure of the function itself is also null, and is not cached. */
  async function look(url: string): Promise<Look> {
    const start = now()
    looks++
    try {
      const answer = await functions.invoke('link-preview', { url }, { signal: AbortSignal.timeout(PATIENCE) })
      if (!answer.ok) throw new Error(`link-preview answered ${answer.status}`)
      return { preview: (await answer.json()) as Preview | null, took: now() - start }
    } catch (failure) {
      log.warn({ failure }, 'cannot fetch a link preview')
      kept.delete(url)
      return { preview: null, took: now() - start }
    } finally {
      looks--
    }
  }

  function find(url: string): Promise<Look> {
    const known = kept.get(url)
    if (known && known.until > now()) return known.look
    kept.delete(url)
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size >= MOST) kept.delete(oldest)
    const made = look(url)
    kept.set(url, { look: made, until: now() + KEEP })
    return made
  }

  return async (person, text) => {
    const url = webAddress(text)?.href
    if (!url) return null
    const line = lines.get(person) ?? { asks: 0, waiting: [] }
    if (line.asks >= ASKS) throw busy()
    lines.set(person, line)
    line.asks++
    try {
      // Requests for cached answers wait, too, because an immediate answer would reveal an earlier request.
      if (line.asks - line.waiting.length > TURNS) await new Promise<void>((turn) => line.waiting.push(turn))
      if (looks >= LOOKS) throw busy()
      const start = now()
      const { preview, took } = await find(url)
      const left = start + took - now()
      if (left > 0) await sleep(left)
      return preview
    } finally {
      line.asks--
      if (line.asks === 0) lines.delete(person)
      line.waiting.shift()?.()
    }
  }
}
