// Scheduled posts are published exactly once: with two workers and other clients running the job, and with a worker
// killed in the middle of a transaction. For what is published when see test/db/posts/scheduling.sql.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { applyEffects } from '../support/database.ts'
import { publish } from '../support/posts.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const { alice, bob, database } = await world()
const { owner, superuser, url } = database
const config = readConfig(environment(url))
const log = createLog(config)
const { body: catalog } = await alice.get<{ items: { id: string }[] }>('/interests/catalog')
const interestId = catalog.items[0]?.id

const start = () => startWorker({ config, databaseUrl: url, log, pollSeconds: 0.1 })

/** Posts by two people, all due. */
async function waiting(count: number): Promise<string[]> {
  const publishAt = new Date(Date.now() + 3_600_000).toISOString()
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await publish(n % 2 ? alice : bob, { publishAt, interestId }))
  await owner`update app.posts set publish_at = now() - interval '1 second' where id in ${owner(ids)}`
  return ids
}

/** How many of them are published, and how often each consequence happened. */
async function outcome(ids: string[]) {
  await applyEffects(owner)
  const [row] = await owner`
    select (select count(*)::int from app.posts where id in ${owner(ids)} and published_at = scheduled_emitted_at) as out,
           (select count(*)::int from app.domain_events
            where name = 'posts.post.published' and payload ->> 'postId' in ${owner(ids)}) as events,
           (select count(*)::int from app.reputation_entries
            where source_id in ${owner(ids)} and kind = 'post.contributed' and roll_up_level = 0) as earned,
           (select count(*)::int from realtime.messages
            where topic = 'feed:public' and payload ->> 'id' in ${owner(ids)}) as announced`
  return row
}
const each = (n: number) => ({ out: n, events: n, earned: n, announced: n })

test('Each post is published once while two workers and four other clients run the job concurrently', async () => {
  const ids = await waiting(30)
  expect(await outcome(ids)).toEqual(each(0))
  const workers = [await start(), await start()]
  const pool = database.connect('kith_worker')
  const alone = async () => {
    let done = 0
    while ((await pool<{ changed: number }[]>`select private.job_publish_scheduled() as changed`)[0]?.changed) done++
    return done
  }
  const others = Promise.all([alone(), alone(), alone(), alone()])
  for (const worker of workers) await worker.send('publish-scheduled')
  await others
  await until(async () => (await outcome(ids))?.out === ids.length)
  expect(await outcome(ids)).toEqual(each(ids.length))
  await Promise.all(workers.map((worker) => worker.stop()))
})

test('One run publishes everything that is due, however much it is', async () => {
  const ids = await waiting(40)
  const worker = await start()
  await worker.send('publish-scheduled')
  await until(async () => (await outcome(ids))?.out === ids.length)
  await worker.stop()
  expect(await outcome(ids)).toEqual(each(ids.length))
  const [run] = await owner<{ changed: number; failures: number }[]>`
    select changed::int, failures::int from private.job_runs where job = 'publish-scheduled'`
  expect(run?.failures).toBe(0)
  expect(run?.changed).toBeGreaterThanOrEqual(ids.length)
})

test('Each post is published once if a worker is killed in the middle and the next one continues', async () => {
  const ids = await waiting(6)
  const backends = () => superuser<{ pid: number; waits: boolean }[]>`
    select pid, wait_event = 'relation' as waits from pg_stat_activity
    where usename = 'kith_worker' and datname = current_database() and application_name = 'kith_worker'`
  await owner.begin(async (sql) => {
    // when the worker waits here, a post is published except for its event, and nothing is committed
    await sql`lock table app.domain_events in share mode`
    await owner`select private.enqueue('publish-scheduled', '{}')`
    const victim = spawn(process.execPath, [join(import.meta.dirname, '../../api-facade/worker/main.ts')], {
      env: { ...environment(url), PATH: process.env.PATH },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const exit = once(victim, 'exit')
    await until(async () => (await backends()).some(({ waits }) => waits))
    victim.kill('SIGKILL')
    await exit
    // the server does this once it notices that the client is gone
    for (const { pid } of await backends()) await superuser`select pg_terminate_backend(${pid})`
    await until(async () => (await backends()).length === 0)
  })
  expect(await outcome(ids)).toEqual(each(0))

  // the queue does this after the timeout of the killed run
  await owner`delete from pgboss.job where name = 'publish-scheduled' and state = 'active'`
  const next = await start()
  await next.send('publish-scheduled')
  await until(async () => (await outcome(ids))?.out === ids.length)
  await next.stop()
  expect(await outcome(ids)).toEqual(each(ids.length))
})

test('A post that always fails delays no others, and is reported', async () => {
  const [stuck = '', ...ids] = await waiting(12)
  // this post is due before the others, so it would be first in a sequence
  await owner`update app.posts set publish_at = now() - interval '1 hour' where id = ${stuck}`
  await owner.unsafe(`
    create function private.refuse() returns trigger language plpgsql as $$ begin raise exception 'no luck'; end $$;
    create trigger refuse before insert on app.domain_events for each row
      when (new.name = 'posts.post.published' and new.payload ->> 'postId' = '${stuck}') execute function private.refuse()`)
  const failures = async () => {
    const [run] = await owner<{ failures: number }[]>`
      select failures::int from private.job_runs where job = 'publish-scheduled'`
    return run?.failures ?? 0
  }
  const before = await failures()
  const workers = [await start(), await start()]
  for (const worker of workers) await worker.send('publish-scheduled')
  await until(async () => (await outcome(ids))?.out === ids.length)
  expect(await outcome(ids)).toEqual(each(ids.length))
  await until(async () => (await failures()) > before)
  expect(await outcome([stuck])).toEqual(each(0))

  await owner.unsafe('drop trigger refuse on app.domain_events; drop function private.refuse()')
  await until(async () => {
    await workers[0]?.send('publish-scheduled')
    return (await outcome([stuck]))?.out === 1
  })
  await Promise.all(workers.map((worker) => worker.stop()))
  expect(await outcome([stuck])).toEqual(each(1))
  expect(await outcome(ids)).toEqual(each(ids.length))
})
