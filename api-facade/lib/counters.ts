// Counts of calls in windows of time, and where they live: here in memory; rates.ts keeps them in the database.

/** A window of one client: `limit` calls in `seconds`. */
export type Bucket = { key: string; limit: number; seconds: number }
/** What is left of it; `reset` in seconds until it is full again. */
export type Count = { limit: number; seconds: number; remaining: number; reset: number; over: boolean }

/** Where counts live. A store that several processes share takes this one's place. */
export interface Counter {
  /** Takes `cost` calls from every bucket, or from none when one of them has too few left; -1 puts one back. */
  hit(buckets: readonly Bucket[], cost: -1 | 0 | 1): Count[] | Promise<Count[]>
}

/** Fixed windows in memory, each from its first call on; the oldest are forgotten beyond `capacity`. */
export function memoryCounter(now: () => number = Date.now, capacity = 100_000): Counter {
  const windows = new Map<string, { used: number; endsAt: number }>()

  function windowOf({ key, seconds }: Bucket, time: number): { used: number; endsAt: number } {
    const known = windows.get(key)
    if (known && known.endsAt > time) return known
    windows.delete(key) // so that it moves to the end of the map, which is ordered by age
    const oldest = windows.size >= capacity ? windows.keys().next().value : undefined
    if (oldest !== undefined) windows.delete(oldest)
    const fresh = { used: 0, endsAt: time + seconds * 1000 }
    windows.set(key, fresh)
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
