// What each job does, called with the worker's role, which can do nothing else. A second run finds nothing to do.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { functionOf } from '../../api-facade/worker/jobs.ts'
import { pgBossPath, pgBossSql } from '../../supabase/tools/pgboss.ts'
import { world } from '../support/world.ts'

const { alice, bob, carla, database, join } = await world()
const { owner, superuser } = database
const worker = database.connect('kith_worker')

async function run(job: string): Promise<number> {
  const [row] = await worker.unsafe<{ changed: number }[]>(`select ${functionOf(job)}() as changed`)
  return row?.changed ?? -1
}

test('The committed schema of the queue is that of the installed pg-boss', () => {
  expect(readFileSync(pgBossPath, 'utf8') === pgBossSql(), 'run npm run db:build').toBe(true)
})

describe('The worker’s role', () => {
  test('can run jobs and the worker’s own functions, and nothing else', async () => {
    const offences = await owner`
      select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname in ('app', 'private', 'api') and has_function_privilege('worker', p.oid, 'execute')
        and p.proname !~ '^job_' and p.proname <> 'note_job_run'
        and obj_description(p.oid, 'pg_proc') !~ '^For the worker (alone|and )'
      union all select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('app', 'private', 'auth', 'realtime') and c.relkind in ('r', 'p', 'v')
        and has_table_privilege('worker', c.oid, 'select, insert, update, delete, truncate')`
    expect(offences).toEqual([])
    const jobs = await owner<{ name: string }[]>`
      select 'private.' || proname as name from pg_proc where has_function_privilege('worker', oid, 'execute')
        and pronamespace = 'private'::regnamespace and proname ~ '^job_'`
    const registered = await owner<{ name: string }[]>`select name from private.jobs`
    expect(jobs.map(({ name }) => name).sort()).toEqual(registered.map(({ name }) => functionOf(name)).sort())
  })

  test('is the only role with access to the queue, and cannot change its schema', async () => {
    const roles = await owner<{ role: string }[]>`
      select r as role from unnest(array['anon', 'authenticated', 'service_role', 'gate', 'user', 'worker']) r
      where has_schema_privilege(r, 'pgboss', 'usage')`
    expect(roles.map(({ role }) => role)).toEqual(['worker'])
    await expect(worker`create table pgboss.mine ()`).rejects.toMatchObject({ code: '42501' })
    await expect(worker`drop table pgboss.job`).rejects.toMatchObject({ code: '42501' })
    await expect(worker`set role postgres`).rejects.toMatchObject({ code: '42501' })
  })
})

describe('The job', () => {
  const codes = () =>
    owner<{ status: string; held: boolean }[]>`
      select status, reservation_id is not null as held from app.invite_codes
      where code in ('INV-JOB222', 'INV-JOB333', 'INV-JOB444') order by code`

  test('abandon-ai-sessions ends sessions without an answer for 24 hours', async () => {
    const [stale, fresh] = await Promise.all(
      ['Stale', 'Fresh'].map(async (topic) => (await bob.post<{ id: string }>('/ai/sessions', { topic })).body.id),
    )
    await owner`update app.ai_sessions set answered_at = now() - interval '24 hours' where id = ${stale ?? ''}`
    expect(await run('abandon-ai-sessions')).toBe(1)
    const ended = await owner`select id from app.ai_sessions where id in ${owner([stale ?? '', fresh ?? ''])}
                              and abandoned_at is not null`
    expect(ended).toEqual([{ id: stale }])
    expect(await run('abandon-ai-sessions')).toBe(0)
  })

  test('release-reservations releases codes whose half hour is over', async () => {
    await owner`
      insert into app.invite_codes (code, generated_by, status, reservation_id, reserved_until, expires_at)
      select code, ${alice.id}, 'reserved', gen_random_uuid(), now() + held, now() + lives
      from (values ('INV-JOB222', interval '-1 second', interval '1 day'),
                   ('INV-JOB333', interval '-1 second', interval '-1 second'),
                   ('INV-JOB444', interval '1 minute', interval '1 day')) as c (code, held, lives)`
    expect(await run('release-reservations')).toBe(2)
    expect(await codes()).toEqual([
      { status: 'active', held: false },
      { status: 'expired', held: false },
      { status: 'reserved', held: true },
    ])
    expect(await run('release-reservations')).toBe(0)
  })

  test('expire-invites expires active codes past their time', async () => {
    await owner`update app.invite_codes set expires_at = now() - interval '1 second' where code like 'INV-JOB%'`
    expect(await run('expire-invites')).toBe(1)
    expect((await codes()).map(({ status }) => status)).toEqual(['expired', 'expired', 'reserved'])
    expect(await run('expire-invites')).toBe(0)
  })

  test('expire-boosts ends boosts that are over, and skips a locked post', async () => {
    const ids = await Promise.all(
      ['One', 'Two', 'Three'].map(async (body) => (await alice.post<{ id: string }>('/posts', { body })).body.id),
    )
    for (const id of ids) expect(await alice.post(`/posts/${id}/boost`, { tier: 1 })).toMatchObject({ status: 201 })
    await owner`update app.post_counters set boost_expires_at = now() where post_id in (${ids[0] ?? ''}, ${ids[1] ?? ''})`
    await owner.begin(async (sql) => {
      await sql`select from app.post_counters where post_id = ${ids[0] ?? ''} for no key update`
      expect(await run('expire-boosts')).toBe(1)
    })
    expect(await run('expire-boosts')).toBe(1)
    expect(await run('expire-boosts')).toBe(0)
    const rows = await owner`select boost::text from app.post_counters where post_id = any (${ids})
      order by array_position(${ids}, post_id)`
    expect(rows.map(({ boost }) => boost)).toEqual(['0.0', '0.0', '1.5'])
  })

  test('publish-scheduled publishes one post at a time, the longest due first', async () => {
    const ids = await Promise.all(
      ['one', 'two', 'three'].map(async (body) => {
        const publishAt = new Date(Date.now() + 3_600_000).toISOString()
        return (await alice.post<{ id: string }>('/posts', { body, publishAt })).body.id
      }),
    )
    for (const [at, id] of ids.slice(0, 2).entries())
      await owner`update app.posts set publish_at = now() - ${`${at + 1} minutes`}::interval where id = ${id}`
    const out = () => owner`select id from app.posts where published_at is not null and id in ${owner(ids)}`
    expect(await run('publish-scheduled')).toBe(1)
    expect(await out()).toEqual([{ id: ids[1] }])
    expect(await run('publish-scheduled')).toBe(1)
    expect(await run('publish-scheduled')).toBe(0)
    expect(await out()).toHaveLength(2)
  })

  test('back-up queues a backup if backups are on, and none while another one is queued', async () => {
    expect(await run('back-up')).toBe(0)
    await owner`update app.settings set value = 'on' where key = 'backups'`
    expect([await run('back-up'), await run('back-up')]).toEqual([1, 0])
    await superuser`delete from pgboss.job where name = 'backups'`
    await owner`update app.settings set value = 'off' where key = 'backups'`
  })

  test('roll-realtime-partitions creates the partitions of the days ahead and drops old ones', async () => {
    expect(await run('roll-realtime-partitions')).toBe(0)
    const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
    const partition = (offset: number) => `realtime.messages_${day(offset).replaceAll('-', '_')}`
    await superuser.unsafe(`drop table ${partition(3)};
      create table ${partition(-9)} partition of realtime.messages for values from ('${day(-9)}') to ('${day(-8)}');
      alter table ${partition(-9)} owner to supabase_realtime_admin`)
    expect(await run('roll-realtime-partitions')).toBe(2)
    const [found] = await owner`
      select to_regclass(${partition(3)}) is not null as ahead, to_regclass(${partition(-9)}) is null as old_gone`
    expect(found).toEqual({ ahead: true, old_gone: true })
    expect(await run('roll-realtime-partitions')).toBe(0)
  })

  describe('purge', () => {
    /** Purges until nothing is left to delete. */
    const clear = async () => {
      while ((await run('purge')) > 0);
    }

    test('deletes idempotency keys after 24 hours', async () => {
      await clear()
      await owner`insert into app.idempotency_keys (user_id, operation, key, request, created_at)
        values (${alice.id}, 'pay', 'old', '', now() - interval '25 hours'), (${alice.id}, 'pay', 'new', '', now())`
      expect(await run('purge')).toBe(1)
      expect(await owner`select key from app.idempotency_keys`).toEqual([{ key: 'new' }])
      expect(await run('purge')).toBe(0)
    })

    test('keeps revoked tokens until they would have expired', async () => {
      const now = Math.floor(Date.now() / 1000)
      await owner`insert into private.revoked_tokens (user_id, issued_at, expires_at)
        values (${bob.id}, 1, ${now - 7200}), (${bob.id}, 1, ${now + 60})`
      expect(await run('purge')).toBe(1)
      expect(await owner`select expires_at::integer as at from private.revoked_tokens`).toEqual([{ at: now + 60 }])
      expect(await run('purge')).toBe(0)
    })

    test('deletes domain events older than 30 days', async () => {
      await owner`insert into app.domain_events (name, payload, created_at)
        select 'posts.post.edited', jsonb_build_object('postId', days), now() - days * interval '1 day'
        from unnest(array[31, 29]) as days`
      expect(await run('purge')).toBe(1)
      const kept = await owner`select payload from app.domain_events where payload ->> 'postId' in ('31', '29')`
      expect(kept).toEqual([{ payload: { postId: 29 } }])
      expect(await run('purge')).toBe(0)
    })

    test('deletes rate windows that have ended, and skips locked ones', async () => {
      await owner`delete from private.rates`
      await owner`insert into private.rates (key, used, ends_at) values
        ('over', 1, now() - interval '1 second'), ('counted', 1, now() - interval '1 second'), ('open', 1, now() + interval '1 minute')`
      await owner.begin(async (sql) => {
        await sql`select from private.rates where key = 'counted' for update`
        expect(await run('purge')).toBe(1)
      })
      expect(await owner`select key from private.rates order by key`).toEqual([{ key: 'counted' }, { key: 'open' }])
      expect(await run('purge')).toBe(1)
      expect(await run('purge')).toBe(0)
    })

    test('deletes at most one batch of a table per run', async () => {
      await owner`update private.retention set batch = 2 where relation = 'app.domain_events'::regclass`
      await owner`insert into app.domain_events (name, payload, created_at)
        select 'posts.post.edited', '{"postId": null}', now() - interval '31 days' from generate_series(1, 5)`
      expect([await run('purge'), await run('purge'), await run('purge'), await run('purge')]).toEqual([2, 2, 1, 0])
    })

    test('finds the rows of every table by an index on the time', async () => {
      const unindexed = await owner`
        select r.relation::text as name from private.retention r
        where r.relation <> 'private.rates'::regclass   -- unlogged, small, and counted without touching an index
          and not exists (select from pg_index i where i.indrelid = r.relation
                          and pg_get_indexdef(i.indexrelid, 1, false) = r.counts_from)`
      expect(unindexed).toEqual([])
    })
  })

  test('finish-erasures erases recently erased people again, and nobody else', async () => {
    const [late, early] = await join('late', 'early')
    await late?.post('/me/delete', { password: late.password })
    await early?.post('/me/delete', { password: early.password })
    await owner`update app.users set erased_at = now() - interval '4 hours' where id = ${early?.id ?? ''}`
    const ids = [late?.id ?? '', early?.id ?? '']
    const chosen = () => owner`select user_id from app.user_interests where user_id in ${owner(ids)}`
    await owner`insert into app.user_interests (user_id, interest_id, depth, expertise)
      select u.id, i.id, 1, 1 from unnest(${ids}::uuid[]) as u (id), (select id from app.interests limit 1) i`
    expect(await run('finish-erasures')).toBe(1)
    expect(await chosen()).toEqual([{ user_id: early?.id }])
    expect(await run('finish-erasures')).toBe(1)
  })

  test('check-audience repairs missing, wrong and surplus rows', async () => {
    expect(await run('check-audience')).toBe(0)
    await alice.post(`/users/${bob.username}/block`)
    await owner`insert into app.audience (viewer_id, author_id, level) values (${carla.id}, ${alice.id}, 2)`
    await owner`delete from app.audience where viewer_id = ${bob.id} and author_id = ${alice.id}`
    await owner`update app.audience set level = 1 where viewer_id = ${alice.id} and author_id = ${bob.id}`
    expect(await run('check-audience')).toBe(3)
    const levels = await owner`
      select level from app.audience where viewer_id <> author_id and author_id in (${alice.id}, ${bob.id})`
    expect(levels).toEqual([{ level: -1 }, { level: -1 }])
    expect(await run('check-audience')).toBe(0)
  })
})
