// The rounds of a case: the same requests to each side in turn, in many short rounds, because a machine's speed
// drifts.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Case, PEOPLE } from './case.ts'
import { type Cpu, type Meter, minus, startMeter, type Wal, walPlace, walSince } from './cpu.ts'
import { CLIENTS, even, overHttp } from './load.ts'
import { Behind, caughtUp, type Side } from './side.ts'

/**
 * The maximum number of requests before the first round, about a second's worth: for caches, plans and compiled code.
 */
const WARM = 1000

/** CPU and WAL per request. */
export type Seen = {
  /** One value for each round. */
  rates: number[]
  cpu: Omit<Cpu, 'worker'>[]
  /** For writes: the mean over all rounds, because the worker applies them later. */
  worker: number
  wal: Wal
}

/** A round lasts `seconds`, or has `requests` requests. */
export type Plan = { rounds: number; seconds: number; requests?: number }
export type Measured = { side: Side; meter: Meter; idle: number }

/** Starts the meters, and measures how much of a core each idle worker takes, which isn't part of a request's cost. */
export async function startMeters(sides: Side[]): Promise<Measured[]> {
  const meters = sides.map(startMeter)
  const read = () => Promise.all(meters.map((meter) => meter.read()))
  const start = performance.now()
  const before = await read()
  await sleep(6000)
  const after = await read()
  const took = performance.now() - start
  return sides.flatMap((side, at) => {
    const [meter, first, last] = [meters[at], before[at], after[at]]
    return meter && first && last ? { side, meter, idle: minus(last, first).worker / took } : []
  })
}

/**
 * Measures each case, one after the other, once all workers have caught up. A case is reported and left out if a
 * worker doesn't catch up before or during it.
 */
export async function eachOf(all: Measured[], cases: Case[], row: (one: Case) => Promise<void>): Promise<void> {
  for (const one of cases) {
    try {
      await Promise.all(all.map(({ side }) => caughtUp(side)))
      await row(one)
    } catch (error) {
      if (!(error instanceof Behind)) throw error
      say(one.name, `  left out: ${error.message}`)
      process.exitCode = 1
    }
  }
}

const CAME = 3 * 60_000 // ms, because after five minutes the facade records again that a person is present
const came = new Map<Side, number>()

/**
 * Before the writes, each person sends a request, as real people would have. Otherwise each write of the first case,
 * which is by another person each time, would also verify a token and record that the person is present, while the
 * writes of the next case would not.
 */
async function bringEverybody(side: Side): Promise<void> {
  if (performance.now() - (came.get(side) ?? Number.NEGATIVE_INFINITY) < CAME) return
  const one: Case = { name: 'everybody', method: 'GET', hit: (n) => ({ caller: n + 1, path: '/me' }) }
  await overHttp(side.url, one, 0, PEOPLE)
  came.set(side, performance.now())
}

/**
 * Measures one case on each side. After a write's turn it waits for the worker. Otherwise the waiting work would grow
 * from round to round, and one side's worker would run during the other's turn.
 * @param beside sends other requests in each round, from the given number on, and returns how many it sent
 * @param from the number of the first request
 */
export async function measure(
  all: Measured[],
  one: Case,
  { rounds, seconds, requests: fixed }: Plan,
  beside?: (from: number) => Promise<number>,
  from = 0,
): Promise<Seen[]> {
  let next = from
  const writes = one.method !== 'GET' // reads leave the worker nothing to do
  const settled = async (side: Side) => {
    if (writes) await caughtUp(side)
  }
  if (writes) for (const { side } of all) await bringEverybody(side)
  const inTurn = async (amount: number) => {
    const rates = []
    for (const { side } of all) {
      rates.push(await overHttp(side.url, one, next, amount))
      await settled(side)
    }
    next += amount
    return Math.min(...rates)
  }
  const cold = await inTurn(even(2 * CLIENTS))
  const rate = await inTurn(even(fixed ?? Math.min(WARM, cold)))
  const amount = even(fixed ?? rate * seconds)

  const begun = performance.now()
  const starts = await Promise.all(
    all.map(async ({ side, meter }) => ({ cpu: await meter.read(), place: await walPlace(side) })),
  )
  const seen = all.map(() => ({ rates: [] as number[], cpu: [] as Cpu[] }))
  let requests = 0
  for (let round = 0; round < rounds; round++) {
    const order = [...all.entries()]
    for (const [at, { side, meter }] of round % 2 ? order.reverse() : order) {
      const before = await meter.read()
      seen[at]?.rates.push(await overHttp(side.url, one, next, amount))
      const { node, backend } = minus(await meter.read(), before)
      seen[at]?.cpu.push({ node: node / amount, backend: backend / amount, worker: 0 })
      await settled(side)
    }
    const more = (await beside?.(next + amount)) ?? 0
    next += amount + more
    requests += amount + more
  }
  await Promise.all(all.map(({ side }) => settled(side)))
  const took = performance.now() - begun
  return Promise.all(
    all.map(async ({ side, meter, idle }, at) => {
      const [start, { rates = [], cpu = [] } = {}] = [starts[at], seen[at]]
      if (!start || !writes) return { rates, cpu, worker: 0, wal: { records: 0, bytes: 0 } }
      const worker = (minus(await meter.read(), start.cpu).worker - idle * took) / requests
      const { records, bytes } = await walSince(side, start.place)
      return { rates, cpu, worker: Math.max(0, worker), wal: { records: records / requests, bytes: bytes / requests } }
    }),
  )
}

/** The value below which this share of the numbers lies, interpolated between neighbours. */
export function quantile(numbers: number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const [low = Number.NaN, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return low + (high - low) * (place % 1)
}

/** The lower quartile, the median and the upper quartile. */
export const quartiles = (numbers: number[]): [number, number, number] => [
  quantile(numbers, 0.25),
  quantile(numbers, 0.5),
  quantile(numbers, 0.75),
]
export const median = (numbers: number[]): number => quartiles(numbers)[1]

/** A line of a table: a name, and figures below their headings. */
export const say = (name: string, ...cells: string[]): void => {
  process.stdout.write(`${name.padEnd(18)}${cells.map((cell) => cell.padStart(10)).join('')}\n`)
}
/** The number with this many digits, or a dash if it is not finite. */
export const figure = (n: number, digits: number): string => (Number.isFinite(n) ? n.toFixed(digits) : '-')
