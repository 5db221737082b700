// Counters that several facades share: in the database, one round trip per request (sql/base/80_rates.sql).
// docs/decisions.md, Limits.
import { type Bucket, type Count, type Counter, memoryCounter } from './counters.ts'
import { encode } from './encode.ts'
import type { Log } from './log.ts'
import type { Pool } from './pool.ts'

type Row = { used: number; reset_ms: number; over: boolean }
type Seen = { used: number; endsAt: number }

const CAPACITY = 100_000
/** How long this process counts alone after a failure of the database. Milliseconds. */
const ALONE = 5000
/** How long a request waits for its count. Milliseconds. */
const PATIENCE = 1000
const MOST = 2 ** 31 - 1

const statement =
  'select used, reset_ms, over from private.count_calls($1::text::text[], $2::text::int[], $3::text::int[])'

/**
 * A full window stays full until its end, so this is cached here, and a flood does not reach the database. Without the
 * database each process counts alone: the API may then refuse late, but it keeps refusing.
 */
export function databaseCounter(
  gate: Pick<Pool, 'run'>,
  log: Log,
  now: () => number = () => performance.now(),
): Counter {
  const known = new Map<string, Seen>()
  const own = memoryCounter(now)
  let aloneUntil = Number.NEGATIVE_INFINITY

  function remember(key: string, seen: Seen): void {
    known.delete(key) // Deleting the key moves it to the end of the map, which is ordered by age.
    const oldest = known.size >= CAPACITY ? known.keys().next().value : undefined
    if (oldest !== undefined) known.delete(oldest)
    known.set(key, seen)
  }

  function recall({ key, limit, seconds }: Bucket, time: number): Count {
    const seen = known.get(key)
    if (!seen || seen.endsAt <= time) return { limit, seconds, remaining: limit, reset: seconds, over: false }
    const remaining = Math.max(0, limit - seen.used)
    return { limit, seconds, remaining, reset: Math.ceil((seen.endsAt - time) / 1000), over: remaining === 0 }
  }

  async function ask(buckets: readonly Bucket[]): Promise<Count[]> {
    const parameters = parametersOf(buckets)
    const rows = await gate.run((sql) => sql.unsafe<Row[]>(statement, parameters, { prepare: true }), {
      patience: PATIENCE,
    })
    const time = now()
    return buckets.map(({ key, limit, seconds }, at) => {
      const { used, reset_ms, over } = rows[at] as Row
      remember(key, { used, endsAt: time + reset_ms })
      return { limit, seconds, remaining: Math.max(0, limit - used), reset: Math.ceil(reset_ms / 1000), over }
    })
  }

  async function putBack(buckets: readonly Bucket[]): Promise<Count[]> {
    const keys = buckets.map(({ key }) => key)
    for (const key of keys) known.delete(key)
    if (now() < aloneUntil) return own.hit(buckets, -1)
    const undo = 'select private.uncount_calls($1::text::text[])'
    await gate
      .run((sql) => sql.unsafe(undo, [encode(keys, 'text[]')], { prepare: true }))
      .catch((failure: unknown) => log.error({ failure }, 'cannot undo a count in the database'))
    return buckets.map((bucket) => recall(bucket, now()))
  }

  return {
    async hit(buckets, cost) {
      if (cost === -1) return putBack(buckets)
      const time = now()
      const recalled = buckets.map((bucket) => recall(bucket, time))
      // A probe must work without the database.
      if (cost === 0) return recalled.map((count) => ({ ...count, over: false }))
      if (recalled.some(({ over }) => over)) return recalled
      if (time < aloneUntil) return own.hit(buckets, cost)
      try {
        return await ask(buckets)
      } catch (failure) {
        aloneUntil = now() + ALONE
        log.error({ failure }, 'cannot count calls in the database: this process counts alone for a while')
        return own.hit(buckets, cost)
      }
    },
  }
}

const parametersOf = (buckets: readonly Bucket[]): (string | null)[] => [
  encode(
    buckets.map(({ key }) => key),
    'text[]',
  ),
  encode(
    buckets.map(({ limit }) => Math.min(limit, MOST)),
    'integer[]',
  ),
  encode(
    buckets.map(({ seconds }) => seconds),
    'integer[]',
  ),
]
