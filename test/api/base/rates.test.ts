// Rate limits counted in the database: two counters on one database stand for two facades.
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import type { Bucket } from '../../../api-facade/lib/counters.ts'
import { createLog } from '../../../api-facade/lib/log.ts'
import { Pool } from '../../../api-facade/lib/pool.ts'
import { databaseCounter } from '../../../api-facade/lib/rates.ts'
import { createDatabase, poolUrl } from '../../support/database.ts'
import { environment } from '../../support/settings.ts'

const { owner, url } = await createDatabase()
const gate = new Pool(poolUrl(url, 'kith_gate'), {}, 4)
afterAll(() => gate.end())
const logged: object[] = []
const log = Object.assign(createLog(readConfig(environment(url))), { error: (line: object) => logged.push(line) })

let time = 0
const counterOf = () => databaseCounter(gate, log, () => time)
const bucket = (key: string, limit: number, seconds = 60): Bucket => ({ key, limit, seconds })
const used = async (key: string) => (await owner`select used from private.rates where key = ${key}`)[0]?.used

afterEach(() => {
  logged.length = 0
})

describe('Two facades with counts in the database', () => {
  test('together admit exactly as many requests as the limit, even concurrently', async () => {
    const [one, other] = [counterOf(), counterOf()]
    const hits = Array.from({ length: 40 }, (_, n) => (n % 2 ? one : other).hit([bucket('a', 25)], 1))
    const counts = (await Promise.all(hits)).flat()
    expect(counts.filter(({ over }) => !over)).toHaveLength(25)
    expect(new Set(counts.filter(({ over }) => !over).map(({ remaining }) => remaining)).size).toBe(25)
    expect(await used('a')).toBe(25)
  })

  test('count a hit in all of its windows or in none, in whatever order they name the windows', async () => {
    const [one, other] = [counterOf(), counterOf()]
    const [minute, hour] = [bucket('b 60', 3), bucket('b 3600', 5, 3600)]
    const hits = Array.from({ length: 16 }, (_, n) =>
      n % 2 ? one.hit([minute, hour], 1) : other.hit([hour, minute], 1),
    )
    const passed = (await Promise.all(hits)).filter((counts) => counts.every(({ over }) => !over))
    expect(passed).toHaveLength(3)
    expect([await used('b 60'), await used('b 3600')]).toEqual([3, 3])
    expect(logged).toEqual([])
  })

  test('start a new window when the old one is over', async () => {
    const counter = counterOf()
    const first = await counter.hit([bucket('c', 1)], 1)
    expect(first).toEqual([{ limit: 1, seconds: 60, remaining: 0, reset: 60, over: false }])
    await owner`update private.rates set ends_at = now() where key = 'c'`
    expect(await counterOf().hit([bucket('c', 1)], 1)).toMatchObject([{ remaining: 0, reset: 60, over: false }])
  })
})

describe('The database', () => {
  test('is not asked again about a full window until the window ends', async () => {
    const counter = counterOf()
    await counter.hit([bucket('d', 2)], 1)
    await counter.hit([bucket('d', 2)], 1)
    await owner`update private.rates set used = 0 where key = 'd'` // the database would admit a hit now
    for (let n = 0; n < 3; n++)
      expect(await counter.hit([bucket('d', 2)], 1)).toEqual([
        { limit: 2, seconds: 60, remaining: 0, reset: 60, over: true },
      ])
    expect(await used('d')).toBe(0)
    time += 60_001
    expect(await counter.hit([bucket('d', 2)], 1)).toMatchObject([{ over: false }])
    expect(await used('d')).toBe(1)
  })

  test('is not asked about a hit that costs nothing', async () => {
    expect(await counterOf().hit([bucket('e', 2)], 0)).toMatchObject([{ remaining: 2, over: false }])
    expect(await used('e')).toBeUndefined()
  })

  test('can fail, and a facade then counts in memory for a while and logs the failure once', async () => {
    const counter = counterOf()
    await owner`revoke execute on function private.count_calls from gate`
    const hits = []
    for (let n = 0; n < 4; n++) hits.push(...(await counter.hit([bucket('f', 3)], 1)))
    expect(hits.map(({ over }) => over)).toEqual([false, false, false, true])
    expect(logged).toMatchObject([{ failure: { code: '42501' } }])
    await owner`grant execute on function private.count_calls to gate`
    time += 5001
    await counter.hit([bucket('g', 3)], 1)
    expect(await used('g')).toBe(1)
  })
})
