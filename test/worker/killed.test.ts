// If a worker is killed in the middle of its work, another one continues within seconds.
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'
import { createWorkers } from '../support/workers.ts'

const database = await createDatabase()
const { owner } = database
const { start, killIn, secondsLater } = await createWorkers(database)

test('A proposal whose worker was killed is executed by another worker', async () => {
  const [person] = await owner<{ id: string }[]>`
    insert into app.users (username, first_name, last_name) values ('somebody', 'Some', 'Body') returning id`
  const [space] = await owner<{ id: string }[]>`
    insert into app.spaces (kind, slug, name, member_count) values ('guild', 'the-guild', 'x', 1) returning id`
  const [guild, member] = [space?.id ?? '', person?.id ?? '']
  await owner`insert into app.guilds (space_id) values (${guild})`
  await owner`insert into app.space_members (space_id, user_id, role) values (${guild}, ${member}, 'owner')`
  await owner`insert into app.guild_proposals
    (guild_id, proposer_id, kind, title, body, payload, status, eligible, closes_at, decided_at, due_at)
    values (${guild}, ${member}, 'general', 'x', '', '{}', 'passed', 1, now(), now(), now())`
  await owner`select private.enqueue('settle-proposals', '{}')`
  await killIn('app.guild_proposals')
  const status = async () => (await owner`select status from app.guild_proposals`)[0]?.status
  expect(await status()).toBe('passed')

  const next = await start()
  await next.send('settle-proposals') // the queue rejects this job until it notices that the killed worker is gone
  expect(await secondsLater()).toContainEqual({ name: 'settle-proposals' })
  await until(async () => (await status()) === 'executed')
  await next.stop()
})

test('A suspension whose worker was killed is ended by another worker, once', async () => {
  const [person] = await owner<{ id: string }[]>`
    select private.create_person('away@example.org', 'no hash', 'A', 'Way', '1990-01-31', 'DE', 'Berlin') as id`
  const id = person?.id ?? ''
  await owner`update app.users set banned_at = now(), banned_until = now() + interval '1 day' where id = ${id}`
  await owner`update app.users set banned_until = now() where id = ${id}`
  await owner`select private.enqueue('end-suspensions', '{}')`
  await killIn('app.audit_log') // the last write
  const free = async () => (await owner`select from app.users where id = ${id} and banned_at is null`).length === 1
  expect(await free()).toBe(false)

  const next = await start()
  await next.send('end-suspensions') // as above
  expect(await secondsLater()).toContainEqual({ name: 'end-suspensions' })
  await until(free)
  await next.stop()
  const entries = await owner`
    select actor_id from app.audit_log where action = 'user.unbanned' and target_id = ${id}`
  expect(entries).toEqual([{ actor_id: null }])
})

test('Work in batches whose worker was killed is done by another worker', async () => {
  const [person] = await owner<{ id: string }[]>`
    insert into app.users (username, first_name, last_name, banned_at) values ('prolific', 'P', 'X', now()) returning id`
  await owner`select private.enqueue('hidden-contents', json_build_object('userId', ${person?.id ?? ''}::uuid))`
  await owner`alter table app.contents disable trigger _100_check_author`
  await owner`insert into app.contents (kind, author_id) values ('audio', ${person?.id ?? ''})`
  await killIn('app.contents')

  const next = await start()
  expect(await secondsLater()).toContainEqual({ name: 'hidden-contents' })
  await until(async () => (await owner`select from app.contents where not author_hidden`).length === 0)
  await next.stop()
})

test('Every job that may run twice sends heartbeats', async () => {
  const silent = await owner`
    select q.name from pgboss.queue q
    where q.name in (select name from private.jobs union all select queue from private.batch_queues)
      and q.heartbeat_seconds is distinct from 10`
  expect(silent).toEqual([])
  await owner`select private.enqueue('erasures', '{}')`
  const [job] = await owner`select heartbeat_seconds from pgboss.job where name = 'erasures'`
  expect(job?.heartbeat_seconds).toBe(10)
})

test('An import whose worker was killed is continued by another worker, and nothing is imported twice', async () => {
  const [person] = await owner<{ id: string }[]>`
    insert into app.users (username, first_name, last_name) values ('mover', 'M', 'X') returning id`
  const mover = person?.id ?? ''
  await owner`insert into app.personas (user_id, name, is_default) values (${mover}, 'Main', true)`
  const [made] = await owner<{ id: string }[]>`
    insert into app.imports (user_id, state, origin, signature, total) values (${mover}, 'waiting', 'x.example', 'none', 450)
    returning id`
  const id = made?.id ?? ''
  await owner`
    insert into private.import_rows (import_id, section, place, position, row_key, item)
    select ${id}::uuid, 'series', n, 310, n::text, json_build_object('id', n::text, 'title', 'Series ' || n,
                                                               'createdAt', '2020-01-31T12:00:00.000Z')
    from generate_series(1, 90) n
    union all
    select ${id}::uuid, 'posts', n, 300, n::text, json_build_object(
      'id', n::text, 'format', 'note', 'body', 'Post ' || n, 'media', '[]'::json, 'visibility', 'public', 'depth', 0,
      'isJournalism', false, 'publishedAt', '2020-01-31T12:00:00.000Z', 'createdAt', '2020-01-31T12:00:00.000Z')
    from generate_series(1, 360) n`
  await owner`select private.enqueue('imports', json_build_object('importId', ${id}::uuid))`
  await killIn('app.series')
  const progress = async () =>
    (await owner<{ state: string; done: number }[]>`select state, done from app.imports where id = ${id}`)[0]
  expect(await progress()).toEqual({ state: 'running', done: 360 })

  const next = await start()
  expect(await secondsLater()).toContainEqual({ name: 'imports' })
  await until(async () => (await progress())?.state === 'done')
  await next.stop()
  const [counts] = await owner`
    select (select count(*)::int from app.posts where author_id = ${mover}) as posts,
           (select count(*)::int from app.series where author_id = ${mover}) as series,
           (select count(*)::int from private.import_rows) as rows,
           (select done from app.imports where id = ${id})`
  expect(counts).toEqual({ posts: 360, series: 90, rows: 0, done: 450 })
})
