// How often one client may call. The numbers are configuration (config.ts); here they are counted and told.
// Specification: Limits › Rate limits. Decisions: Rate limits.
import { createHash } from 'node:crypto'
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

export type Limits = {
  /** Counts a request of this client address. @returns what to throw when it is one too many */
  global(c: Context, cost: 0 | 1): Promise<Refusal | null>
  /** Counts a call of a limited route: by person where a valid token is present, else by address. */
  route(c: Context, name: LimitName, person: string | undefined): Promise<Refusal | null>
  /**
   * Counts an attempt at an account's password before it is made, so that many at once are no way around it. Whether the
   * account exists makes no difference, and what is left of the limit is told to nobody.
   * @returns what takes the attempt back, for those that were right
   * @throws Refusal rate_limited
   */
  attempt(c: Context, email: string): Promise<() => Promise<void>>
}

export function createLimits(config: Config, counter: Counter): Limits {
  const scaled = ({ limit, seconds }: { limit: number; seconds: number }) => ({
    limit: Math.max(1, Math.floor(limit * config.rateLimitScale)),
    seconds,
  })

  const bucketsOf = (name: LimitName, client: string): Bucket[] =>
    config.rateLimits[name].map((window) => ({ key: `${name} ${window.seconds} ${client}`, ...scaled(window) }))

  async function count(c: Context, name: LimitName, client: string, cost: 0 | 1): Promise<Refusal | null> {
    const counts = await counter.hit(bucketsOf(name, client), cost)
    tell(c, counts)
    return refusalOf(counts)
  }

  async function attempt(c: Context, email: string): Promise<() => Promise<void>> {
    // an address is nothing that counters should hold
    const account = createHash('sha256').update(email.trim().toLowerCase()).digest('base64url')
    const buckets = bucketsOf('login_account', account)
    const counts = await counter.hit(buckets, 1)
    const over = refusalOf(counts)
    if (over) {
      tell(c, counts)
      throw over
    }
    return async () => {
      await counter.hit(buckets, -1)
    }
  }

  function refusalOf(counts: readonly Count[]): Refusal | null {
    const waits = counts.filter((count) => count.over).map((count) => count.reset)
    if (waits.length === 0) return null
    return new Refusal('rate_limited', undefined, { headers: { 'Retry-After': String(Math.max(...waits)) } })
  }

  return {
    global: (c, cost) => count(c, 'global', network(clientAddress(c)), cost),
    route: (c, name, person) => count(c, name, person ?? network(clientAddress(c)), 1),
    attempt,
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
