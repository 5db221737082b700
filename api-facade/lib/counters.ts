// Counters of calls per time window. These are in memory; rates.ts stores them in the database.
import { createHmac, randomBytes } from 'node:crypto'

/** A window of one client: `limit` calls in `seconds`. */
export type Bucket = { key: string; limit: number; seconds: number }
/** The remaining calls; `reset` is the number of seconds until the window ends. */
export type Count = { limit: number; seconds: number; remaining: number; reset: number; over: boolean }

/** A store of counters. A store that several processes share can replace this one. */
export interface Counter {
  /** Takes `cost` calls from every bucket, or from none if one of them has too few left; -1 returns one. */
  hit(buckets: readonly Bucket[], cost: -1 | 0 | 1): Count[] | Promise<Count[]>
}

type Window = { used: number; endsAt: number }

/** How many windows new clients share while the store is full. */
const SHARED = 1024

/**
 * Fixed windows in memory, each starting with its first call, at most `capacity` per length. A window that has not
 * ended is never evicted; otherwise somebody with many addresses could reset another client's window. Beyond the
 * capacity new clients share windows.
 */
export function memoryCounter(now: () => number = Date.now, capacity = 100_000): Counter {
  // One map per length, so that hourly windows take no room from windows of a minute, and the oldest window of a map is
  // the first to end.
  const lengths = new Map<number, Map<string, Window>>()
  const shared = new Map<string, Window>()
  // The hash has a secret key, so that nobody can choose with which clients they share a window.
  const secret = randomBytes(16)

  const sharedKey = ({ key, limit, seconds }: Bucket): string =>
    `${limit} ${seconds} ${createHmac('sha256', secret).update(key).digest().readUInt16BE() % SHARED}`

  function windowOf(bucket: Bucket, time: number): Window {
    const { key, seconds } = bucket
    const windows = lengths.get(seconds) ?? new Map<string, Window>()
    lengths.set(seconds, windows)
    const known = windows.get(key)
    if (known && known.endsAt > time) return known
    windows.delete(key) // Deleting the key moves it to the end of the map.
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

/** Removes ended windows. Each is removed once, so the amortised cost per call is constant. */
function forgetEnded(windows: Map<string, Window>, time: number): void {
  for (const [key, { endsAt }] of windows) {
    if (endsAt > time) return
    windows.delete(key)
  }
}
