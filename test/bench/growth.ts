// Measures how the cost of a request grows with ten times and a hundred times as many rows. The cost is its CPU, and
// the buffers that its statement touches, whose number does not depend on the machine's load. One database is used, and
// is filled further for each size.
import type { Case } from './case.ts'
import { overHttp } from './load.ts'
import { eachOf, figure, type Measured, measure, median, say } from './rounds.ts'
import type { Side } from './side.ts'

/** The factor by which a cost may grow while the rows become ten times as many. */
const MOST = 1.5
/** Requests in a round. It is the same at each size, because the rows that writes leave stay until the next vacuum. */
export const REQUESTS = 64
/** The distance between the request numbers at one size and those at the next. */
const APART = 100_000

/** The sizes: `first` rows, ten times as many, and so on up to `rows`. */
export function sizesTo(rows: number, first = 10_000): number[] {
  return first > rows ? [] : [first, ...sizesTo(rows, first * 10)]
}

/** Buffers that a statement of the facade touches, as the mean since the last reset. */
async function touched({ superuser }: Side): Promise<number> {
  const [row] = await superuser<{ buffers: number }[]>`
    select sum(shared_blks_hit + shared_blks_read)::float8 / sum(calls) as buffers
    from pg_stat_statements where query like '%private.enter(%'`
  return row?.buffers ?? Number.NaN
}

/**
 * Measures cases that grow, at each of the sizes. The data have the first size already.
 * @returns whether no case costs more than MOST times as much as at the size before
 */
export async function growth(measured: Measured, cases: Case[], sizes: number[], rounds: number): Promise<boolean> {
  const { side } = measured
  const before = new Map<string, { cpu: number; buffers: number }>()
  let isGood = true
  say('', '', 'CPU ms', '', '', '', 'a decade')
  say('', 'rows', 'backend', 'node', 'worker', 'buffers', 'CPU', 'buffers')
  for (const [at, size] of sizes.entries()) {
    const last = sizes[at - 1]
    if (last !== undefined) {
      for (const data of new Set(cases.map(({ grows = '' }) => grows))) await side.fill(data, last + 1, size)
      await side.superuser.unsafe('vacuum analyze')
      await side.superuser.unsafe('checkpoint')
    }
    await eachOf([measured], cases, async (one) => {
      const requests = one.requests ?? REQUESTS
      // What a connection looks up only once isn't part of a request's cost
      await overHttp(side.url, one, at * APART, requests)
      await side.superuser`select pg_stat_statements_reset()`
      const [seen] = await measure([measured], one, { rounds, seconds: 0, requests }, undefined, at * APART + requests)
      if (!seen) return
      const [backend, node] = (['backend', 'node'] as const).map((part) => median(seen.cpu.map((cpu) => cpu[part])))
      const cost = { cpu: (backend ?? Number.NaN) + (node ?? Number.NaN), buffers: await touched(side) }
      const smaller = before.get(one.name)
      const factors = smaller ? [cost.cpu / smaller.cpu, cost.buffers / smaller.buffers] : []
      const isTooMuch = factors.some((factor) => factor > MOST)
      say(
        one.name,
        `${size}`,
        ...[backend, node].map((ms) => figure(ms ?? Number.NaN, 3)),
        one.method !== 'GET' ? figure(seen.worker, 3) : '',
        figure(cost.buffers, 1),
        ...factors.map((factor) => figure(factor, 2)),
        ...(isTooMuch ? [`> ${MOST}`] : []),
      )
      if (isTooMuch) isGood = false
      before.set(one.name, cost)
    })
  }
  return isGood
}
