// How often one client may call. The numbers are configuration (config.ts), a store counts them (counters.ts), and here
// it is told and refused.
// docs/decisions.md, Limits.
import { createHash } from 'node:crypto'
import { clientAddress, network } from './client.ts'
import type { Config, LimitName } from './config.ts'
import type { Context, Limits } from './context.ts'
import type { Bucket, Count, Counter } from './counters.ts'
import { Refusal } from './errors.ts'

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
