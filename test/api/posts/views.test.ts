// Every facade counts views in the background, in batches. No view is lost when a facade stops.
import type { Sql } from 'postgres'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { createLog } from '../../../api-facade/lib/log.ts'
import { createViews } from '../../../api-facade/lib/views.ts'
import { startServer } from '../../../api-facade/server.ts'
import { Person } from '../../support/person.ts'
import { environment } from '../../support/settings.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database } = await world()
const { owner, superuser } = database
const config = readConfig(environment(database.url))

async function publish(): Promise<string> {
  return (await alice.post<{ id: string }>('/posts', { body: 'Look at me' })).body.id
}

async function views(id: string): Promise<number> {
  const [row] = await owner`select views::int from app.post_counters where post_id = ${id}`
  return row?.views
}

const open = async (person: Person, id: string) =>
  expect((await person.get<{ counters: { views: number } }>(`/posts/${id}`)).status).toBe(200)

async function facade() {
  const server = await startServer({ config, databaseUrl: database.url })
  let stopped = false
  const stop = async () => {
    if (!stopped) await server.stop()
    stopped = true
  }
  afterAll(stop)
  return { stop, as: (person: Person) => new Person(server.url, person.token) }
}

describe('A view', () => {
  test('is counted for every opening by somebody else, and for nothing else', async () => {
    const id = await publish()
    const { stop, as } = await facade()
    for (let n = 0; n < 3; n++) await open(as(bob), id)
    await open(as(carla), id.toUpperCase())
    await open(as(alice), id)
    const head = { method: 'HEAD', headers: { authorization: `Bearer ${bob.token}` } }
    expect((await fetch(`${as(bob).base}/api/v1/posts/${id}`, head)).status).toBe(200)
    await as(bob).get(`/posts/${id}/replies`)
    await as(bob).get('/feed')
    expect((await as(nobody).get(`/posts/${id}`)).status).toBe(401)
    expect((await as(bob).get(`/posts/${crypto.randomUUID()}`)).status).toBe(404)
    await stop()
    expect(await views(id)).toBe(4)
  })

  test('is visible after a moment', async () => {
    const id = await publish()
    await open(bob, id)
    await until(async () => (await views(id)) === 1)
    const { body } = await carla.get<{ counters: { views: number } }>(`/posts/${id}`)
    expect(body.counters.views).toBe(1)
  })

  test('is counted by each of several facades, and facades that stop lose none', async () => {
    const ids = [await publish(), await publish(), await publish()]
    const facades = [await facade(), await facade(), await facade()]
    const rounds = Array.from({ length: 30 }, (_, n) => n)
    await Promise.all(
      rounds.flatMap((n) => ids.map((id) => open(facades[n % 3]?.as(n % 2 ? bob : carla) as Person, id))),
    )
    await Promise.all(facades.map(({ stop }) => stop()))
    expect(await Promise.all(ids.map(views))).toEqual([30, 30, 30])
  })

  test('does not delay readers while it waits to be counted', async () => {
    const id = await publish()
    const { stop, as } = await facade()
    await owner.begin(async (sql) => {
      await sql`select from app.post_counters where post_id = ${id} for update`
      for (let n = 0; n < 3; n++) await open(as(bob), id)
      const waiting = () =>
        superuser`select from pg_stat_activity where query like '%count_views%' and wait_event_type = 'Lock' and datname = current_database()`
      await until(async () => (await waiting()).length > 0)
      for (let n = 0; n < 3; n++) await open(as(carla), id)
    })
    await stop()
    expect(await views(id)).toBe(6)
  })

  test('that cannot be counted fails no read, and later ones are counted', async () => {
    const id = await publish()
    const lines: string[] = []
    const log = createLog({ ...config, logLevel: 'warn' }, { write: (line: string) => lines.push(line) })
    const server = await startServer({ config, databaseUrl: database.url, log })
    const reader = new Person(server.url, bob.token)
    await owner`revoke execute on function api.count_views from gate`
    await open(reader, id)
    await until(() => lines.some((line) => line.includes('cannot count views')))
    await owner`grant execute on function api.count_views to gate`
    await open(reader, id)
    await server.stop()
    expect(await views(id)).toBe(1)
    expect(lines.filter((line) => line.includes(bob.id) || line.includes(id))).toEqual([])
  })
})

test('At most ten thousand views are buffered', async () => {
  const batches: string[][] = []
  const unsafe = async (_text: string, values: string[]) => {
    batches.push(values)
  }
  const run = <T>(work: (sql: Sql) => PromiseLike<T>) => Promise.resolve(work({ unsafe } as unknown as Sql))
  const counting = createViews({ run }, createLog(config))
  for (let n = 0; n < 10_050; n++) counting.note(crypto.randomUUID(), bob.id)
  await counting.close()
  expect(batches.map((values) => values.map((value) => value.split(',').length))).toEqual([[10_000, 10_000]])
})
