// Effects are applied exactly once and in order, however often a worker is killed in between: ledgers, sums, counters
// and notifications equal a plain count. `npm run soak` applies ten thousand effects. For how effects wait see
// test/worker/effects.test.ts.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { runs } from '../support/runs.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'

const AUTHORS = 10
const POSTS = runs(6, 20) // of each author
const FANS = 25 // each reacts to all posts
const KILLS = runs(2, 3)

const { owner, superuser, url } = await createDatabase()
const waiting = async () => (await owner<[{ n: number }]>`select count(*)::int as n from private.effects`)[0].n

/** A worker in its own process. */
const start = (): ChildProcess =>
  spawn(process.execPath, [join(import.meta.dirname, '../../api-facade/worker/main.ts')], {
    env: { ...environment(url), PATH: process.env.PATH },
    stdio: ['ignore', 'ignore', 'inherit'],
  })

test(`${AUTHORS * POSTS * FANS * 2} effects are applied once each, despite ${KILLS} kills`, {
  timeout: 120_000,
}, async () => {
  await owner.unsafe(`
    insert into app.users (username, first_name, last_name)
    select kind || n, 'M', 'M' from (values ('author', ${AUTHORS}), ('fan', ${FANS})) k (kind, many), generate_series(1, many) n;
    insert into app.accounts (user_id, email, date_of_birth)
    select id, username || '@example.org', '1990-01-31' from app.users where username ~ '^(author|fan)';
    insert into app.posts (author_id, body, interest_id)
    select u.id, 'Here', (select id from app.interests where slug = 'applied-ethics')
    from app.users u, generate_series(1, ${POSTS}) where u.username ~ '^author';
    insert into app.reactions (post_id, user_id, kind)
    select p.id, u.id, 'heart' from app.users u, app.posts p where u.username ~ '^fan' order by u.id, p.id;
    -- the last fan removes half of their reactions
    delete from app.reactions r using app.users u, app.posts p
    where u.id = r.user_id and u.username = 'fan${FANS}' and p.id = r.post_id and left(p.id::text, 1) < '8'`)
  expect(await waiting()).toBeGreaterThan(AUTHORS * POSTS * FANS)

  for (let kill = 0; kill < KILLS; kill++) {
    const before = await waiting()
    // Two workers run at a time, and one of them is killed in the middle
    const both = [start(), start()]
    await until(async () => (await waiting()) < before)
    for (const worker of both) {
      const exit = once(worker, 'exit')
      worker.kill('SIGKILL')
      await exit
    }
    await superuser`select pg_terminate_backend(pid) from pg_stat_activity
      where usename = 'kith_worker' and datname = current_database()`
  }
  const last = start()
  await until(async () => (await waiting()) === 0, { timeout: 60_000 })
  const exit = once(last, 'exit')
  last.kill('SIGTERM')
  await exit

  const wrong = await owner`
    with liked as (select p.author_id, p.id as post_id, r.user_id from app.posts p join app.reactions r on r.post_id = p.id),
    made (what, who, thing, n) as (
      select 'reputation', author_id, null::uuid, count(*)::numeric from liked group by author_id
      union all select 'ledger of reputation', author_id, null, count(*) from liked group by author_id
      union all select 'contribution', user_id, null, count(*) from liked group by user_id
      union all select 'counter', author_id, post_id, count(*) from liked group by author_id, post_id
      union all select 'notice', author_id, post_id, 1 from liked group by author_id, post_id
    ), found (what, who, thing, n) as (
      select 'reputation', r.user_id, null::uuid, r.direct_value
      from app.reputation r join app.interests i on i.id = r.interest_id where i.slug = 'applied-ethics'
      union all
      select 'ledger of reputation', user_id, null, sum(delta) from app.reputation_entries where roll_up_level = 0 group by user_id
      union all
      select 'contribution', user_id, null, sum(delta) from app.contribution_entries where level = 0 group by user_id
      union all
      select 'counter', p.author_id, c.post_id, c.reactions from app.post_counters c join app.posts p on p.id = c.post_id
      union all
      select 'notice', user_id, target_id::uuid, count(*) from app.notifications where kind = 'post.reacted' group by 2, 3
    )
    (select 'missing' as how, * from made except select 'missing', * from found)
    union all (select 'too much', * from found except select 'too much', * from made)`
  expect(wrong).toEqual([])
  const [told] = await owner`
    select sum(count)::int as items, (select count(*)::int from app.notification_actors) as actors, max(count)::int as most
    from app.notifications where kind = 'post.reacted'`
  // The fan who removed reactions is in the notification or not, depending on which effects were applied together
  expect(told?.most).toBe(FANS)
  expect(told?.items).toBe(told?.actors)
})
