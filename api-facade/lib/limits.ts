// Rate limits. The numbers are configuration (config.ts), a store counts (counters.ts), and this file sets the headers
// and refuses.
// docs/decisions.md, Limits.
import { clientAddress, network } from './client.ts'
import type { Config, LimitName } from './config.ts'
import type { Context, Limits, TakeBack } from './context.ts'
import type { Bucket, Count, Counter } from './counters.ts'
import { ApiError } from './errors.ts'

const bucketsOf = ({ rateLimits, rateLimitScale }: Config, name: LimitName, client: string): Bucket[] =>
  rateLimits[name].map(({ limit, seconds }) => ({
    key: `${name} ${seconds} ${client}`,
    limit: Math.max(1, Math.floor(limit * rateLimitScale)),
    seconds,
  }))

/** Counts an event that is not a request, such as a WebSocket message. @returns whether it is allowed */
export function createAllowance(config: Config, counter: Counter, name: LimitName) {
  return async (client: string): Promise<boolean> => {
    const counts = await counter.hit(bucketsOf(config, name, client), 1)
    return counts.every(({ over }) => !over)
  }
}

export function createLimits(config: Config, counter: Counter): Limits {
  async function count(c: Context, name: LimitName, client: string, cost: 0 | 1): Promise<ApiError | null> {
    const counts = await counter.hit(bucketsOf(config, name, client), cost)
    tell(c, counts)
    return apiErrorOf(counts)
  }

  /**
   * Counts a call in the first of these sets of buckets in which no bucket is full.
   * @throws ApiError if all are full
   */
  async function attempt(c: Context, ...choices: Bucket[][]): Promise<TakeBack> {
    let full: Count[] = []
    for (const buckets of choices) {
      const counts = await counter.hit(buckets, 1)
      if (!counts.some(({ over }) => over))
        return async () => {
          await counter.hit(buckets, -1)
        }
      if (full.length === 0 || waitOf(counts) < waitOf(full)) full = counts
    }
    tell(c, full)
    throw apiErrorOf(full)
  }

  /**
   * The first unknown codes of an address count in a separate budget of the instance. Someone who guesses soon uses up
   * the other budget. To exhaust the separate budget, and so keep out people who have a code, the guesser would
   * constantly need new addresses.
   */
  function guess(c: Context): Promise<TakeBack> {
    const first = [
      ...bucketsOf(config, 'unknown_invite', network(clientAddress(c))),
      ...bucketsOf(config, 'unknown_invites_first', 'instance'),
    ]
    return attempt(c, first, bucketsOf(config, 'unknown_invites', 'instance'))
  }

  function apiErrorOf(counts: readonly Count[]): ApiError | null {
    if (!counts.some(({ over }) => over)) return null
    return new ApiError('rate_limited', undefined, { headers: { 'Retry-After': String(waitOf(counts)) } })
  }

  return {
    global: (c, cost) => count(c, 'global', network(clientAddress(c)), cost),
    route: (c, name, client) => count(c, name, client ?? network(clientAddress(c)), 1),
    attempt: (c, name, client) => attempt(c, bucketsOf(config, name, client)),
    guess,
  }
}

/** The number of seconds until no bucket is full. */
const waitOf = (counts: readonly Count[]): number =>
  Math.max(...counts.filter(({ over }) => over).map(({ reset }) => reset))

/** Sets the headers of the tightest limit so far. */
function tell(c: Context, counts: readonly Count[]): void {
  for (const count of counts) {
    const before = c.get('tightest')
    if (!before || count.over || count.remaining < before.remaining) c.set('tightest', count)
  }
  const { limit, seconds, remaining, reset } = c.get('tightest')
  const headers = c.get('headers')
  headers['ratelimit-limit'] = String(limit)
  headers['ratelimit-remaining'] = String(remaining)
  headers['ratelimit-reset'] = String(reset)
  headers['ratelimit-policy'] = `${limit};w=${seconds}`
}
