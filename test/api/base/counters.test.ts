// Rate-limit windows in memory, and which clients are admitted when there is no room for more windows. If a random
// sequence of requests fails, the test prints its seed and the shortest sequence that shows the fault.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Bucket, type Count, memoryCounter } from '../../../api-facade/lib/counters.ts'

const LIMIT = 4
const bucket = (key: string, seconds = 60): Bucket => ({ key, limit: LIMIT, seconds })

/** A counter with its own clock, which starts at 0. */
function clocked(capacity: number) {
  let time = 0
  const counter = memoryCounter(() => time, capacity)
  return {
    wait: (ms: number) => {
      time += ms
    },
    hit: (one: Bucket, cost: -1 | 0 | 1 = 1): Count => (counter.hit([one], cost) as Count[])[0] as Count,
  }
}

const regulars = ['ann', 'ben', 'cyd']
const step = fc.oneof(
  fc.record({
    key: fc.constantFrom(...regulars),
    cost: fc.constantFrom(1 as const, 1 as const, 0 as const, -1 as const),
  }),
  fc.record({ key: fc.nat(40).map((n) => `newcomer ${n}`), cost: fc.constant(1 as const) }),
)

test('A client that has a window keeps it until the window ends, however many others arrive', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), fc.nat(300), (steps, ms) => {
      const [small, endless] = [clocked(regulars.length), clocked(Number.POSITIVE_INFINITY)]
      for (const key of regulars) expect(small.hit(bucket(key))).toEqual(endless.hit(bucket(key)))
      const passed = new Map<string, number>()
      for (const { key, cost } of steps) {
        for (const one of [small, endless]) one.wait(ms)
        const [count, honest] = [small.hit(bucket(key), cost), endless.hit(bucket(key), cost)]
        if (regulars.includes(key)) expect(count).toEqual(honest)
        else if (!count.over) passed.set(key, (passed.get(key) ?? 0) + 1)
      }
      // 150 steps of at most 300 ms finish before the first window ends
      expect(Math.max(0, ...passed.values())).toBeLessThanOrEqual(LIMIT)
    }),
    { numRuns: 300 },
  )
})

test('New clients for which there is no window share windows, and are not all rejected', () => {
  const counter = clocked(1)
  counter.hit(bucket('ann'))
  const first = Array.from({ length: 200 }, (_, n) => counter.hit(bucket(`newcomer ${n}`)))
  expect(first.filter(({ over }) => !over).length).toBeGreaterThan(150)
  const flood = Array.from({ length: 20_000 }, (_, n) => counter.hit(bucket(`more ${n}`)))
  expect(flood.filter(({ over }) => !over).length).toBeLessThanOrEqual(1024 * LIMIT)
  expect(counter.hit(bucket('ann'))).toMatchObject({ remaining: LIMIT - 2, over: false })
})

test('Windows that have ended make room for new ones', () => {
  const counter = clocked(2)
  for (const key of ['ann', 'ben']) for (let n = 0; n < LIMIT; n++) counter.hit(bucket(key))
  counter.wait(60_000)
  for (const key of ['cyd', 'dee']) expect(counter.hit(bucket(key))).toMatchObject({ remaining: LIMIT - 1 })
  for (let n = 0; n < 20_000; n++) counter.hit(bucket(`newcomer ${n}`))
  for (const key of ['cyd', 'dee']) expect(counter.hit(bucket(key))).toMatchObject({ remaining: LIMIT - 2 })
})

test('Clients that fill the hourly windows leave room in the windows of a minute', () => {
  const counter = clocked(2)
  for (let n = 0; n < 20_000; n++) counter.hit(bucket(`newcomer ${n}`, 3600))
  for (const key of ['ann', 'ben']) {
    for (let n = 1; n <= LIMIT; n++) expect(counter.hit(bucket(key))).toMatchObject({ remaining: LIMIT - n })
    expect(counter.hit(bucket(key))).toMatchObject({ over: true })
  }
})
