// Work that is too much for one transaction: deleting a post with thousands of likes, narrowing the audience of a post
// with thousands of reposts, erasing a person with thousands of posts, closing a poll with thousands of votes. The
// request is fast and the worker does the rest soon after. For followers of a series see series.test.ts.
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { startWorker, type Worker } from '../../api-facade/worker/worker.ts'
import { applyEffects } from '../support/database.ts'
import type { Person } from '../support/person.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const LIKES = 1200
const { alice, database, join } = await world({ people: ['alice'] })
const { owner } = database
const catalog = await alice.get<{ items: { id: string }[] }>('/interests/catalog')
const interestId = catalog.body.items[0]?.id

async function total(): Promise<number> {
  return (await alice.get<{ total: number }>('/reputation/me')).body.total
}

let worker: Promise<Worker> | undefined
/** Starts the worker if it doesn't run. Jobs that were queued before wait for the worker. */
const work = () => {
  worker ??= startWorker({ config: readConfig(environment(database.url)), databaseUrl: database.url, pollSeconds: 0.1 })
  return worker
}
const stopWork = async () => {
  await (await worker)?.stop()
  worker = undefined
}
afterAll(stopWork)

test('A long job does not keep others in its queue waiting', { timeout: 30_000 }, async () => {
  await owner.unsafe(`
    create table private.counted (name text primary key, batches integer not null default 0);
    create function private.count_batches(p_job jsonb, p_after uuid default null) returns json
    language plpgsql security definer set search_path = '' as $$
    declare v_batches integer;
    begin
      perform pg_sleep(0.05);
      insert into private.counted as c values (p_job ->> 'name', 1)
      on conflict (name) do update set batches = c.batches + 1 returning batches into v_batches;
      return json_build_object('changed', 1, 'next', case when v_batches < (p_job ->> 'most')::integer then gen_random_uuid() end);
    end $$;
    grant execute on function private.count_batches to worker;
    call private.make_batch_queue('counted', 'private.count_batches')`)
  await owner`select private.enqueue('counted', '{"name":"much","most":80}'), private.enqueue('counted', '{"name":"little","most":3}')`
  const batches = async (name: string) =>
    (await owner<{ batches: number }[]>`select batches from private.counted where name = ${name}`)[0]?.batches ?? 0
  await work()
  await until(async () => (await batches('little')) === 3)
  expect(await batches('much')).toBeLessThan(80)
  await until(async () => (await batches('much')) === 80)
})

test('The reputation that a deleted post earned is reversed in batches, exactly', async () => {
  const { body: kept } = await alice.post<{ id: string }>('/posts', { body: 'kept', interestId })
  const { body: post } = await alice.post<{ id: string }>('/posts', { body: 'loved', interestId })
  await owner`insert into app.users (username, first_name, last_name) select 'many_' || n, 'M', 'M' from generate_series(1, ${LIKES}::int) n`
  await owner`
    insert into app.reactions (post_id, user_id, kind)
    select p.id, u.id, 'heart' from app.users u, (values (${post.id}::uuid), (${kept.id}::uuid)) p (id)
    where u.username like 'many\\_%' and (p.id = ${post.id}::uuid or u.username = 'many_1')`
  await applyEffects(owner)
  expect(await total()).toBe(3 + 3 + LIKES + 1)

  expect((await alice.request('DELETE', `/posts/${post.id}`)).status).toBe(204)
  const undone = () => owner`
    select id from app.reputation_entries where source_id = ${post.id}::uuid and undoes_id is not null and roll_up_level = 0`
  await applyEffects(owner)
  expect(await undone()).toHaveLength(500)

  await work()
  await until(async () => (await total()) === 3 + 1)
  expect(await undone()).toHaveLength(LIKES + 1)
})

test('Reposts of a post are re-indexed for the feed when the post is narrowed or widened', async () => {
  const { body: post } = await alice.post<{ id: string }>('/posts', { body: 'widely repeated' })
  await owner`
    insert into app.posts (author_id, body, format, quoted_post_id)
    select id, '', 'repost', ${post.id}::uuid from app.users where username like 'many\\_%'`
  const closed = () => owner`select id from app.posts where quoted_post_id = ${post.id}::uuid and closer_id is not null`
  expect((await alice.request('PATCH', `/posts/${post.id}`, { visibility: 'circles' })).status).toBe(200)
  await work()
  await until(async () => (await closed()).length === LIKES)

  // a repost that somebody has locked is left to the worker, and nobody waits
  await owner.begin(async (sql) => {
    await sql`select id from app.posts where quoted_post_id = ${post.id}::uuid order by id limit 1 for update`
    expect((await alice.request('PATCH', `/posts/${post.id}`, { visibility: 'public' })).status).toBe(200)
  })
  await until(async () => (await closed()).length === 0)
})

test('An edit waits for the batch in progress, and batches skip deleted reposts', async () => {
  const { body: post } = await alice.post<{ id: string }>('/posts', {
    body: 'repeated once more',
    visibility: 'public',
  })
  await owner`
    insert into app.posts (author_id, body, format, quoted_post_id, deleted_at)
    select id, '', 'repost', ${post.id}::uuid, case username when 'many_1' then now() end
    from app.users where username in ('many_1', 'many_2', 'many_3')`
  const closed = () =>
    owner`select id from app.posts where quoted_post_id = ${post.id}::uuid and closer_id is not null and deleted_at is null`
  await alice.request('PATCH', `/posts/${post.id}`, { visibility: 'circles' })
  expect(await closed()).toHaveLength(2)

  const edit = await owner.begin(async (sql) => {
    const [row] = await sql`select private.sync_repost_audience_batch(${sql.json({ postId: post.id })}) as done`
    expect(row?.done).toEqual({ changed: 2, next: null })
    const edited = alice.request('PATCH', `/posts/${post.id}`, { visibility: 'public' })
    await until(async () => {
      const waiting = await owner`
        select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%update_post%'`
      return waiting.length === 1
    })
    return { edited } // begin() would await a bare promise before it commits
  })
  expect((await edit.edited).status).toBe(200)
  expect(await closed()).toHaveLength(0)
})

test('When an erasure needs more than one transaction, the person is invisible immediately, and the data are gone soon after', {
  timeout: 60_000,
}, async () => {
  const { body: found } = await alice.post<{ id: string }>('/posts', { body: 'Who answers?' })
  const [prolific] = (await join('prolific')) as [Person]
  const { id } = prolific
  const [{ oldest, answer } = { oldest: '', answer: '' }] = await owner<{ oldest: string; answer: string }[]>`
    with posts as (
      insert into app.posts (author_id, body, published_at)
      select ${id}::uuid, 'written much', now() - n * interval '1 hour' from generate_series(1, ${LIKES}::int) n
      returning id, published_at
    ), waiting as (
      insert into app.posts (author_id, body, publish_at, published_at)
      select ${id}::uuid, 'written much', now() + interval '1 day', null from generate_series(1, 600) n
    ), replies as (
      insert into app.replies (post_id, author_id, body, created_at)
      select ${found.id}::uuid, ${id}::uuid, 'written much', now() - n * interval '1 hour'
      from generate_series(1, ${LIKES}::int) n returning id, created_at
    ), series as (
      insert into app.series (author_id, title) select ${id}::uuid, 'written much' from generate_series(1, 25) n
    )
    select (select id from posts order by published_at limit 1) as oldest,
           (select id from replies order by created_at limit 1) as answer`
  await owner`insert into app.blocks (blocker_id, blocked_id) select id, ${id}::uuid from app.users
              where username like 'many\\_%' limit 1100`
  await owner`insert into app.mutes (muter_id, muted_id) select id, ${id}::uuid from app.users where username like 'many\\_%'`
  await owner`insert into app.notifications (user_id, kind, group_key)
              select ${id}::uuid, 'post.milestone', n from generate_series(1, 1100) n`
  const left = async () => {
    const [row] = await owner<{ count: number }[]>`
      select ((select count(*) from app.posts where author_id = ${id} and (body <> '' or deleted_at is null))
            + (select count(*) from app.replies where author_id = ${id} and (body <> '' or deleted_at is null))
            + (select count(*) from app.series where author_id = ${id})
            + (select count(*) from app.blocks where blocked_id = ${id})
            + (select count(*) from app.audience where author_id = ${id} and viewer_id <> ${id})
            + (select count(*) from app.mutes where muted_id = ${id})
            + (select count(*) from app.notifications where user_id = ${id}))::int as count`
    return row?.count ?? 0
  }
  expect(await left()).toBe(2 * LIKES + 600 + 25 + 2 * 1100 + LIKES + 1100)
  expect(await alice.get(`/posts/${oldest}`)).toMatchObject({ status: 200 })
  await stopWork()

  expect(await prolific.post('/me/delete', { password: prolific.password })).toMatchObject({ status: 200 })
  expect(await left()).toBeGreaterThan(3000)
  expect(await alice.get(`/posts/${oldest}`)).toFailWith(404, 'post_unknown')
  expect(await alice.post('/reports', { targetType: 'reply', targetId: answer, reason: 'x' })).toFailWith(
    404,
    'reply_unknown',
  )
  expect((await alice.get<{ items: object[] }>(`/posts/${found.id}/replies`)).body.items).toEqual([])

  await work()
  await until(async () => (await left()) === 0)
  const counters = await alice.get<{ counters: { replies: number } }>(`/posts/${found.id}`)
  expect(counters.body.counters.replies).toBe(0)
})

test('All voters are notified once of a poll’s end, except those who cannot see it', async () => {
  const poll = { options: ['yes', 'no'] }
  const { body: post } = await alice.post<{ id: string }>('/posts', { body: 'Who comes?', poll })
  await owner`
    insert into app.poll_votes (poll_id, user_id, option_id)
    select o.poll_id, u.id, o.id from app.users u, app.poll_options o join app.polls l on l.id = o.poll_id
    where l.post_id = ${post.id}::uuid and o.position = 1 and u.username like 'many\\_%'`
  await owner`
    insert into app.blocks (blocker_id, blocked_id)
    select u.id, ${alice.id}::uuid from app.users u where u.username = 'many_7'`
  await owner`update app.polls set closes_at = now() where post_id = ${post.id}::uuid`
  const notices = async () => {
    await applyEffects(owner)
    const [row] = await owner`
      select count(*)::int as notices, count(distinct user_id)::int as people from app.notifications
      where kind = 'poll.closed' and target_id = ${post.id}`
    return row
  }
  await stopWork()
  await owner`select private.job_close_polls()`
  expect(await notices()).toEqual({ notices: 0, people: 0 })
  await work()
  const everybody = LIKES - 1 + 1 // the author is notified too, but not the person who blocked the author
  await until(async () => (await notices())?.people === everybody)
  const [{ id } = { id: '' }] = await owner<{ id: string }[]>`select id from app.polls where post_id = ${post.id}::uuid`
  await owner`select private.enqueue('poll-notices', ${owner.json({ pollId: id, postId: post.id })}::json)`
  await until(async () => {
    const done = await owner`select from pgboss.job where name = 'poll-notices' and state = 'completed'`
    return done.length === 2
  })
  expect(await notices()).toEqual({ notices: everybody, people: everybody })
})
