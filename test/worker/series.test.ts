// More than 100 followers of a series are notified of a new item by the worker: each once, and only if they can see it.
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { applyEffects } from '../support/database.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const FOLLOWERS = 1100 // three batches
const { alice, bob, carla, database } = await world()
const { owner } = database
type Id = { id: string }

const id = async (answer: Promise<{ body: Id }>) => (await answer).body.id
const publish = (body: string, more: object = {}) => id(alice.post<Id>('/posts', { body, ...more }))
const series = await id(alice.post<Id>('/posts/series', { title: 'Letters' }))
const add = (postId: string) => alice.post(`/posts/series/${series}/items`, { postId })
await add(await publish('first'))
for (const person of [bob, carla]) await person.post(`/series/${series}/follow`)
await owner`
  with more as (insert into app.users (username, first_name, last_name)
    select 'many_' || n, 'M', 'M' from generate_series(1, ${FOLLOWERS - 2}) n returning id)
  insert into app.series_follows (series_id, user_id) select ${series}, id from more`

/** How many people were notified of a post, and how many notifications there are. */
async function told(post: string) {
  await applyEffects(owner)
  const [row] = await owner`
    select count(*)::int as notices, count(distinct user_id)::int as people from app.notifications
    where kind = 'series.updated' and target_id = ${post}`
  return row
}
const everybody = (n: number) => ({ notices: n, people: n })

describe('Many followers of a series', async () => {
  const logged: unknown[] = []
  const config = readConfig(environment(database.url))
  const log = Object.assign(createLog(config), { error: (line: object) => logged.push(line) })
  const second = await publish('second')
  await add(second)
  const toldByTheRequest = await told(second)
  // jobs queued before a worker starts wait for it
  const worker = await startWorker({ config, databaseUrl: database.url, log, pollSeconds: 0.1 })
  afterAll(() => worker.stop())
  const finished = (jobs: number) =>
    until(async () => {
      const done = await owner`select from pgboss.job where name = 'series-notices' and state = 'completed'`
      return done.length === jobs
    })

  test('are notified by the worker, once', async () => {
    expect(toldByTheRequest).toEqual(everybody(0))
    await finished(1)
    expect(await told(second)).toEqual(everybody(FOLLOWERS))
    expect(await bob.inbox('series.updated')).toMatchObject([{ payload: { seriesId: series, postId: second } }])
    const [run] =
      await owner`select runs::int, failures::int, changed::int from private.job_runs where job = 'series-notices'`
    expect(run).toEqual({ runs: 1, failures: 0, changed: FOLLOWERS })
  })

  test('are not notified again when the job runs again', async () => {
    await owner`select private.enqueue('series-notices', ${owner.json({ seriesId: series, postId: second })}::json)`
    await finished(2)
    expect(await told(second)).toEqual(everybody(FOLLOWERS))
  })

  test('are not notified if they cannot see the item or have muted its author', async () => {
    const circle = await id(alice.post<Id>('/circles', { name: 'Near' }))
    await alice.post(`/circles/me/${circle}/members`, { memberId: 'bob' })
    const near = await publish('near', { visibility: 'circles' })
    await carla.post('/users/alice/mute')
    const open = await publish('open')
    await add(near)
    await finished(3)
    expect(await told(near)).toEqual(everybody(1))
    await add(open)
    await finished(4)
    expect(await told(open)).toEqual(everybody(FOLLOWERS - 1))
    // of unread items the latest is shown
    expect(await bob.inbox('series.updated')).toMatchObject([{ payload: { postId: open } }])
    expect(await carla.inbox('series.updated')).toMatchObject([{ payload: { postId: second } }])
  })

  test('are notified when the first attempt fails', async () => {
    await owner`update pgboss.queue set retry_delay = 0, retry_backoff = false where name = 'series-notices'`
    await owner`alter function private.fan_out_series_item_batch rename to told_before`
    const post = await publish('late')
    await add(post).finally(() => until(() => logged.length > 0))
    await owner`alter function private.told_before rename to fan_out_series_item_batch`
    await finished(5)
    expect(await told(post)).toEqual(everybody(FOLLOWERS - 1))
    expect(logged).toContainEqual({ job: 'series-notices', failure: expect.objectContaining({ code: '42883' }) })
  })
})
