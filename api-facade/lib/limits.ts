// How often one client may call. The numbers are configuration (config.ts); here they are counted and told.
// Specification: Limits › Rate limits. Decisions: Rate limits.
import { clientAddress, network } from './client.ts'
import type { Config, LimitName } from './config.ts'
import type { Context } from './context.ts'
import { Refusal } from './errors.ts'

/** A window of one client: `limit` calls in `seconds`. */
export type Bucket = { key: string; limit: number; seconds: number }
/** What is left of it; `reset` in seconds until it is full again. */
export type Count = { limit: number; seconds: number; remaining: number; reset: number; over: boolean }

/** Where counts live. A store that several processes share takes this one's place. */
export interface Counter {
  /** Takes `cost` calls from every bucket, or from none when one of them has too few left. */
  hit(buckets: readonly Bucket[], cost: 0 | 1): Count[] | Promise<Count[]>
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
        if (!full) window.used += cost
        const reset = Math.ceil((window.endsAt - time) / 1000)
        return { limit, seconds, remaining: Math.max(0, limit - window.used), reset, over }
      })
    },
  }
}

export type Limits = {
  /** Counts a request of this client address. @returns what to throw when it is one too many */
  global(c: Context, cost: 0 | 1): Promise<Refusal | null>
  /** Counts a call of a limited route: by person where a valid token is present, else by address. */
  route(c: Context, name: LimitName, person: string | undefined): Promise<Refusal | null>
}

export function createLimits(config: Config, counter: Counter): Limits {
  const scaled = ({ limit, seconds }: { limit: number; seconds: number }) => ({
    limit: Math.max(1, Math.floor(limit * config.rateLimitScale)),
    seconds,
  })

  async function count(c: Context, name: LimitName, client: string, cost: 0 | 1): Promise<Refusal | null> {
    const buckets = config.rateLimits[name].map((window) => ({
      key: `${name} ${window.seconds} ${client}`,
      ...scaled(window),
    }))
    const counts = await counter.hit(buckets, cost)
    tell(c, counts)
    const waits = counts.filter((count) => count.over).map((count) => count.reset)
    if (waits.length === 0) return null
    return new Refusal('rate_limited', undefined, { headers: { 'Retry-After': String(Math.max(...waits)) } })
  }

  return {
    global: (c, cost) => count(c, 'global', network(clientAddress(c)), cost),
    route: (c, name, person) => count(c, name, person ?? network(clientAddress(c)), 1),
  }
}

/** Puts the tightest of all counts so far on the answer. */
function tell(c: Context, counts: readonly Count[]): void {
  for (const count of counts) {
    const before = c.get('tightest')
    if (!before || count.over || count.remaining < before.remaining) c.set('tightest', count)
  }
  const { limit, seconds, remaining, reset } = c.get('tightest')
  c.header('RateLimit-Limit', String(limit))
  c.header('RateLimit-Remaining', String(remaining))
  c.header('RateLimit-Reset', String(reset))
  c.header('RateLimit-Policy', `${limit};w=${seconds}`)
}
