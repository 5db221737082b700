// A post that very many liked is deleted as fast as any: what it earned beyond 500 entries goes soon after.
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const LIKES = 1200
const { alice, database } = await world({ people: ['alice'] })
const { owner } = database
const catalog = await alice.get<{ items: { id: string }[] }>('/interests/catalog')
const interestId = catalog.body.items[0]?.id

async function total(): Promise<number> {
  return (await alice.get<{ total: number }>('/reputation/me')).body.total
}

test('what it earned is taken back in batches, exactly', async () => {
  const { body: kept } = await alice.post<{ id: string }>('/posts', { body: 'kept', interestId })
  const { body: post } = await alice.post<{ id: string }>('/posts', { body: 'loved', interestId })
  await owner`insert into app.users (username, first_name, last_name) select 'many_' || n, 'M', 'M' from generate_series(1, ${LIKES}::int) n`
  await owner`
    insert into app.reactions (post_id, user_id, kind)
    select p.id, u.id, 'heart' from app.users u, (values (${post.id}::uuid), (${kept.id}::uuid)) p (id)
    where u.username like 'many\\_%' and (p.id = ${post.id}::uuid or u.username = 'many_1')`
  expect(await total()).toBe(3 + 3 + LIKES + 1)

  expect((await alice.request('DELETE', `/posts/${post.id}`)).status).toBe(204)
  const undone = () => owner`
    select id from app.reputation_entries where source_id = ${post.id}::uuid and undoes_id is not null and roll_up_level = 0`
  expect(await undone()).toHaveLength(500)

  const config = readConfig(environment(database.url))
  const worker = await startWorker({ config, databaseUrl: database.url, pollSeconds: 0.5 })
  afterAll(() => worker.stop())
  await until(async () => (await total()) === 3 + 1)
  expect(await undone()).toHaveLength(LIKES + 1)
})
