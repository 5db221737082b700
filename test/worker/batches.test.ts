// What is too much for one transaction: a post that very many liked is deleted, one that very many reposted is closed, as
// fast as any, and the rest follows soon after. Followers of a series: series.test.ts.
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { startWorker, type Worker } from '../../api-facade/worker/worker.ts'
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

let worker: Promise<Worker> | undefined
/** From the first test that asks for it on: what is asked for before waits for it. */
const work = () => {
  worker ??= startWorker({ config: readConfig(environment(database.url)), databaseUrl: database.url, pollSeconds: 0.5 })
  return worker
}
afterAll(async () => (await worker)?.stop())

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

  await work()
  await until(async () => (await total()) === 3 + 1)
  expect(await undone()).toHaveLength(LIKES + 1)
})

test('the feed finds the reposts of a post that was closed where it is', async () => {
  const { body: post } = await alice.post<{ id: string }>('/posts', { body: 'widely repeated' })
  await owner`
    insert into app.posts (author_id, body, format, quoted_post_id)
    select id, '', 'repost', ${post.id}::uuid from app.users where username like 'many\\_%'`
  const closed = () => owner`select id from app.posts where quoted_post_id = ${post.id}::uuid and closer_id is not null`
  expect((await alice.request('PATCH', `/posts/${post.id}`, { visibility: 'circles' })).status).toBe(200)
  await work()
  await until(async () => (await closed()).length === LIKES)

  // one that somebody holds is left to the worker, and nobody waits
  await owner.begin(async (sql) => {
    await sql`select id from app.posts where quoted_post_id = ${post.id}::uuid order by id limit 1 for update`
    expect((await alice.request('PATCH', `/posts/${post.id}`, { visibility: 'public' })).status).toBe(200)
  })
  await until(async () => (await closed()).length === 0)
})
