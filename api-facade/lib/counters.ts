// Counts of calls in windows of time, and where they live: here in memory; rates.ts keeps them in the database.
import { createHmac, randomBytes } from 'node:crypto'

/** A window of one client: `limit` calls in `seconds`. */
export type Bucket = { key: string; limit: number; seconds: number }
/** What is left of it; `reset` in seconds until it is full again. */
export type Count = { limit: number; seconds: number; remaining: number; reset: number; over: boolean }

/** Where counts live. A store that several processes share takes this one's place. */
export interface Counter {
  /** Takes `cost` calls from every bucket, or from none when one of them has too few left; -1 puts one back. */
  hit(buckets: readonly Bucket[], cost: -1 | 0 | 1): Count[] | Promise<Count[]>
}

type Window = { used: number; endsAt: number }

/** Into how many windows newcomers are thrown together while there is no room for one of each. */
const SHARED = 1024

/**
 * Fixed windows in memory, each from its first call on, at most `capacity` of each length. A window that has not ended
 * is never forgotten, or whoever has many addresses could empty somebody's bucket: beyond the capacity newcomers share.
 */
export function memoryCounter(now: () => number = Date.now, capacity = 100_000): Counter {
  // By length, so that those who fill the windows of an hour leave room in those of a minute, and so that each map,
  // ordered by age, is ordered by end too.
  const lengths = new Map<number, Map<string, Window>>()
  const shared = new Map<string, Window>()
  const secret = randomBytes(16) // nobody chooses with whom a key shares

  const sharedKey = ({ key, limit, seconds }: Bucket): string =>
    `${limit} ${seconds} ${createHmac('sha256', secret).update(key).digest().readUInt16BE() % SHARED}`

  function windowOf(bucket: Bucket, time: number): Window {
    const { key, seconds } = bucket
    const windows = lengths.get(seconds) ?? new Map<string, Window>()
    lengths.set(seconds, windows)
    const known = windows.get(key)
    if (known && known.endsAt > time) return known
    windows.delete(key) // so that it moves to the end of the map
    forgetEnded(windows, time)
    const fresh = { used: 0, endsAt: time + seconds * 1000 }
    if (windows.size < capacity) {
      windows.set(key, fresh)
      return fresh
    }
    const place = sharedKey(bucket)
    const together = shared.get(place)
    if (together && together.endsAt > time) return together
    shared.set(place, fresh)
    return fresh
  }

  return {
    hit(buckets, cost) {
      const time = now()
      const open = buckets.map((bucket) => ({ ...bucket, window: windowOf(bucket, time) }))
      const full = open.some(({ limit, window }) => window.used + cost > limit)
      return open.map(({ limit, seconds, window }) => {
        const over = window.used + cost > limit
        if (!full) window.used = Math.max(0, window.used + cost)
        const reset = Math.ceil((window.endsAt - time) / 1000)
        return { limit, seconds, remaining: Math.max(0, limit - window.used), reset, over }
      })
    },
  }
}

/** Every window is forgotten once, so this costs a call no more than it adds. */
function forgetEnded(windows: Map<string, Window>, time: number): void {
  for (const [key, { endsAt }] of windows) {
    if (endsAt > time) return
    windows.delete(key)
  }
}
