// Jobs that process the item that has been due longest: a person with hundreds of due items delays nobody else, and all
// items are done in the
// end. Each test calls the job as the worker does, and counts the calls and the rows that they read.
import { beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { functionOf } from '../../api-facade/worker/jobs.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { createDatabase } from '../support/database.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'

const { owner, superuser, url } = await createDatabase()

/** The number of one person's items that are due before an item of another person. */
const MANY = 700

const someone = async (name: string) => {
  const [row] = await owner<{ id: string }[]>`
    insert into app.users (username, first_name, last_name) values (${name}, 'Some', 'One') returning id`
  return row?.id ?? ''
}
const flooder = await someone('flooder')
const honest = await someone('honest')
const guest = await someone('guest')

/** Events by `host` that begin after the interval `begins`, with a guest who replied in time. */
async function events(host: string, count: number, begins: string, going = true): Promise<string[]> {
  const made = await owner<{ id: string }[]>`
    with heads as (insert into app.contents (kind, author_id, title) select 'event', ${host}, 'x' from generate_series(1, ${count}) returning id),
         details as (insert into app.events (id, body, starts_at, ends_at, timezone, location_kind)
                     select id, 'x', now() + ${begins}::interval, now() + interval '9 days', 'UTC', 'online' from heads returning id)
    insert into app.event_seats (event_id, host_id) select id, ${host} from details returning event_id as id`
  const ids = made.map(({ id }) => id)
  if (going) {
    await owner`select private.put_rsvp(id, ${guest}, 'going') from unnest(${ids}::uuid[]) e (id)`
    await owner`update app.event_rsvps set since = now() - interval '3 days' where event_id = any (${ids}::uuid[])`
  }
  return ids
}
const posts = async (author: string, count: number, due: string) => {
  const made = await owner<{ id: string }[]>`
    insert into app.posts (author_id, body, publish_at, published_at) select ${author}, 'x', now() - ${due}::interval, null
    from generate_series(1, ${count}) returning id`
  return made.map(({ id }) => id)
}
const polls = async (author: string, count: number, due: string) => {
  const made = await owner<{ id: string }[]>`
    with asked as (insert into app.posts (author_id, body) select ${author}, 'x' from generate_series(1, ${count}) returning id)
    insert into app.polls (post_id, author_id, closes_at) select id, ${author}, now() - ${due}::interval from asked returning id`
  return made.map(({ id }) => id)
}

type Work = {
  job: string
  /** Creates items of a person that have been due for the interval `due`. */
  make(who: string, count: number, due: string): Promise<string[]>
  /** How many of these are done. */
  done(ids: string[]): Promise<{ n: number }[]>
  /** How many of these are due within the next minute. */
  waiting(ids: string[]): Promise<{ n: number }[]>
}
const works: Work[] = [
  {
    job: 'remind-events',
    make: (who, count, due) => events(who, count, `24 hours -${due}`),
    done: (ids) => owner`
      select count(*)::int as n from app.event_seats where reminded_for is not null and event_id = any (${ids}::uuid[])`,
    waiting: (ids) => owner`
      select count(*)::int as n from app.event_seats
      where remind_at < now() + interval '1 minute' and event_id = any (${ids}::uuid[])`,
  },
  {
    job: 'publish-scheduled',
    make: posts,
    done: (ids) =>
      owner`select count(*)::int as n from app.posts where published_at is not null and id = any (${ids}::uuid[])`,
    waiting: (ids) => owner`
      select count(*)::int as n from app.posts
      where published_at is null and greatest(publish_at, publish_again_at) < now() + interval '1 minute'
        and id = any (${ids}::uuid[])`,
  },
  {
    job: 'close-polls',
    make: polls,
    done: (ids) =>
      owner`select count(*)::int as n from app.polls where closed_emitted_at is not null and id = any (${ids}::uuid[])`,
    waiting: (ids) => owner`
      select count(*)::int as n from app.polls
      where closed_emitted_at is null and greatest(closes_at, close_again_at) < now() + interval '1 minute'
        and id = any (${ids}::uuid[])`,
  },
]

/** What one call changed, and how many index entries and rows it read. */
async function call(job: string) {
  return superuser.begin(async (sql) => {
    const looked = async () => {
      const [row] = await sql<{ count: number }[]>`
        select coalesce(sum(pg_stat_get_xact_tuples_returned(c.oid)), 0)::integer as count
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'i') and n.nspname in ('app', 'private')`
      return row?.count ?? 0
    }
    const before = await looked()
    const [row] = await sql.unsafe<{ changed: number }[]>(`select ${functionOf(job)}() as changed`)
    return { changed: row?.changed ?? 0, looked: (await looked()) - before }
  })
}
const isDone = async ({ done }: Work, ids: string[]) => (await done(ids))[0]?.n === ids.length

// no item of an earlier test is due any more
beforeEach(async () => {
  await owner`update app.event_seats set remind_at = null, reminded_for = null`
  await owner`update app.posts set deleted_at = now() where published_at is null`
  await owner`update app.polls set closed_emitted_at = now() where closed_emitted_at is null`
  await owner`update app.event_rsvps set reminded_for = null`
})

describe.each(works)('The job $job', (work) => {
  test('processes another person’s item after only a few items of a person who has many', async () => {
    const many = await work.make(flooder, MANY, '2 minutes')
    const one = await work.make(honest, 1, '1 minute')
    let calls = 0
    let most = 0
    while (!(await isDone(work, one))) {
      const { changed, looked } = await call(work.job)
      expect(changed).toBe(1)
      most = Math.max(most, looked)
      calls++
    }
    // all but 100 were postponed, which took two calls, each with a bounded number of reads
    expect(calls).toBeLessThanOrEqual(110)
    expect(most).toBeLessThan(4000)

    // none of the items is lost
    const [[did], [waits]] = [await work.done(many), await work.waiting(many)]
    expect((did?.n ?? 0) + (waits?.n ?? 0)).toBe(MANY)
  }, 60_000)

  test('processes up to a hundred items of one person in a row', async () => {
    const many = await work.make(flooder, 100, '2 minutes')
    while ((await call(work.job)).changed > 0);
    expect(await isDone(work, many)).toBe(true)
  })
})

describe('The job remind-events', () => {
  test('skips events without attendees, cancelled events, and events whose attendees were all reminded', async () => {
    await events(flooder, MANY, '24 hours -2 minutes', false)
    const off = await events(flooder, 10, '24 hours -2 minutes')
    await owner`update app.events set cancelled_at = now() where id = any (${off}::uuid[])`
    const [told = ''] = await events(honest, 1, '24 hours -1 minute')
    expect((await call('remind-events')).changed).toBe(1)
    expect((await call('remind-events')).changed).toBe(0)
    const rows = await owner`select event_id as id from app.event_seats where reminded_for is not null`
    expect(rows).toEqual([{ id: told }])
  })

  test('continues with an event of more than 500 guests after the events of other people', async () => {
    const [large = ''] = await events(flooder, 1, '24 hours -2 minutes')
    await owner`
      with many as (insert into app.users (username, first_name, last_name)
                    select 'many_' || n, 'M', 'M' from generate_series(1, 600) n returning id)
      insert into app.event_rsvps (event_id, user_id, host_id, status, since)
      select ${large}, id, ${flooder}, 'going', now() - interval '3 days' from many`
    const [small = ''] = await events(honest, 1, '24 hours -1 minute')
    const reminded = async () =>
      (await owner<{ n: number }[]>`select count(*)::int as n from app.event_rsvps where reminded_for is not null`)[0]
        ?.n
    const told = () => owner`select event_id as id from app.event_seats where reminded_for is not null`
    expect((await call('remind-events')).changed).toBe(1)
    expect([await reminded(), await told()]).toEqual([500, []])
    expect((await call('remind-events')).changed).toBe(1)
    expect([await reminded(), await told()]).toEqual([501, [{ id: small }]])
    expect((await call('remind-events')).changed).toBe(1)
    expect([await reminded(), (await told()).length]).toEqual([602, 2])
    expect((await call('remind-events')).changed).toBe(0)
  })
})

test('publish-scheduled immediately postpones posts that may not be published in a space', async () => {
  const [space] = await owner<{ id: string }[]>`
    insert into app.spaces (kind, slug, name, member_count) values ('group', 'left', 'x', 1) returning id`
  await owner`insert into app.posts (author_id, body, space_id, publish_at, published_at)
    select ${flooder}, 'x', ${space?.id ?? ''}, now() - interval '2 minutes', null from generate_series(1, ${MANY})`
  const [post = ''] = await posts(honest, 1, '1 minute')
  let calls = 0
  do calls++
  while ((await call('publish-scheduled')).changed > 0)
  expect(calls).toBeLessThanOrEqual(5)
  expect(
    await owner`select id from app.posts where published_at is not null and author_id = ${honest} and deleted_at is null order by published_at desc limit 1`,
  ).toEqual([{ id: post }])
})

test('A job in batches alternates with others in its queue', async () => {
  await owner.unsafe(`
    create table private.done (who text, n integer generated always as identity);
    create function private.do_next(p_job jsonb, p_after uuid default null) returns json language plpgsql as $$
    begin
      insert into private.done (who) values (p_job ->> 'who');
      return json_build_object('changed', 1, 'next', case
        when (select count(*) from private.done where who = p_job ->> 'who') < (p_job ->> 'batches')::integer
        then gen_random_uuid() end);
    end $$;
    grant all on private.done to worker;
    grant execute on function private.do_next to worker;
    call private.make_batch_queue('long-work', 'private.do_next')`)
  await owner`select private.enqueue('long-work', '{"who": "large", "batches": 200}')`
  const config = readConfig(environment(url))
  const worker = await startWorker({ config, databaseUrl: url, log: createLog(config), pollSeconds: 0.1 })
  const done = () => owner<{ who: string; batches: number; last: number }[]>`
    select who, count(*)::int as batches, max(n) as last from private.done group by who order by last`
  await until(async () => (await done()).length > 0)
  await owner`select private.enqueue('long-work', '{"who": "small", "batches": 2}')`
  await until(async () => (await done()).reduce((sum, { batches }) => sum + batches, 0) === 202)
  await worker.stop()
  expect((await done()).map(({ who, batches }) => [who, batches])).toEqual([
    ['small', 2],
    ['large', 200],
  ])
})
