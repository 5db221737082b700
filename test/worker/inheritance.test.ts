// Contributions are inherited exactly once: with two workers and other clients running the job while people continue,
// and with a worker killed in the middle of a transaction. For who inherits how much see
// test/db/reputation/inheritance.sql.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const { admin, alice, bob, carla, database } = await world()
const { owner, superuser, url } = database
const config = readConfig(environment(url))
const log = createLog(config)
const start = () => startWorker({ config, databaseUrl: url, log, pollSeconds: 0.1 })
// Carla was invited by Bob, Bob by Alice, Alice by the first admin
await owner`
  update app.invite_tree t set inviter_id = v.inviter
  from (values (${bob.id}::uuid, ${alice.id}::uuid), (${carla.id}, ${bob.id})) v (invitee, inviter)
  where t.invitee_id = v.invitee`

await owner.unsafe(`
  create function public.keep_bookmark(p_person uuid, p_post uuid) returns void language plpgsql as $$ begin
    perform private.lock_effects(p_person);
    perform private.earn_contribution(array[(p_person, null, 'bookmark_given', p_post, null, now())::private.earning]);
  end $$;
  create function public.drop_bookmark(p_person uuid, p_post uuid) returns void language plpgsql as $$ begin
    perform private.lock_effects(p_person);
    perform private.reverse_contribution(array[private.find_active_contribution(p_person, 'bookmark_given', p_post)]);
  end $$`)

/** Creates this many bookmarks by Carla, each of another post, and removes every odd one. Each step is committed. */
async function contribute(from: number, count: number) {
  await owner.unsafe(`do $$ begin
    for n in ${from}..${from + count - 1} loop
      perform public.keep_bookmark('${carla.id}', md5(n::text)::uuid);
      commit;
      if n % 2 = 1 then
        perform public.drop_bookmark('${carla.id}', md5(n::text)::uuid);
        commit;
      end if;
    end loop;
  end $$`)
}

/** The scores, and how many entries were not inherited exactly once by each of the three above. */
async function outcome() {
  const rows = await owner<
    { user_id: string; score: number }[]
  >`select user_id, score::float8 from app.contribution_scores`
  const wrong = await owner`
    select e.id from app.contribution_entries e
    left join app.contribution_entries s on s.origin_id = e.id
    where e.level = 0
    group by e.id
    having array_agg(s.level || ' ' || s.delta order by s.level) is distinct from
           array['1 ' || round(e.delta * 0.50, 2), '2 ' || round(e.delta * 0.25, 2), '3 ' || round(e.delta * 0.10, 2)]`
  const score = (id: string) => rows.find((row) => row.user_id === id)?.score ?? 0
  return { wrong: wrong.length, scores: [admin, alice, bob, carla].map(({ id }) => score(id)) }
}
const of = (stands: number) => ({ wrong: 0, scores: [stands / 10, stands / 4, stands / 2, stands] })
const unsend = () => owner`delete from pgboss.job where name = 'inherit-contributions'`
const waiting = async () => (await owner`select from private.contribution_inheritance limit 1`).length > 0

test('Contributions are inherited once while people contribute and 2 workers and 4 clients run the job', async () => {
  const workers = [await start(), await start()]
  const pool = database.connect('kith_worker')
  let busy = true
  const others = [1, 2, 3, 4].map(async () => {
    while (busy) await pool`select private.job_inherit_contributions()`
  })
  await contribute(0, 400)
  for (const worker of workers) await worker.send('inherit-contributions')
  await contribute(400, 400)
  for (const worker of workers) await worker.send('inherit-contributions')
  await until(async () => !(await waiting()))
  busy = false
  await Promise.all(others)
  expect(await outcome()).toEqual(of(400))
  await Promise.all(workers.map((worker) => worker.stop()))
})

test('One run processes everything that is pending, however much it is', async () => {
  await contribute(800, 1200) // 1800 steps, of which it takes 1000 at a time
  const worker = await start()
  await worker.send('inherit-contributions')
  await until(async () => !(await waiting()))
  await worker.stop()
  expect(await outcome()).toEqual(of(1000))
  const [run] = await owner<{ failures: number }[]>`
    select failures::int from private.job_runs where job = 'inherit-contributions'`
  expect(run?.failures).toBe(0)
})

test('Each contribution is inherited once if a worker is killed in the middle and the next one continues', async () => {
  await contribute(2000, 200)
  const backends = () => superuser<{ pid: number; waits: boolean }[]>`
    select pid, wait_event_type = 'Lock' as waits from pg_stat_activity
    where usename = 'kith_worker' and datname = current_database() and application_name = 'kith_worker'`
  await owner.begin(async (sql) => {
    // when the worker waits here, the shares are in the ledger, but not committed
    await sql`select from app.contribution_scores where user_id = ${alice.id} for update`
    await unsend() // this deletes also the jobs that the schedule has queued
    await owner`select private.enqueue('inherit-contributions', '{}')`
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
  expect((await outcome()).scores.slice(0, 3)).toEqual(of(1000).scores.slice(0, 3))

  // the queue does this after the timeout of the killed run
  await unsend()
  const next = await start()
  await next.send('inherit-contributions')
  await until(async () => !(await waiting()))
  await next.stop()
  expect(await outcome()).toEqual(of(1100))
})

test('A person’s action waits neither for inviters nor for a transaction that locks them', async () => {
  await owner.begin(async (sql) => {
    await sql`select public.keep_bookmark(${bob.id}, gen_random_uuid())`
    await sql`select public.keep_bookmark(${alice.id}, gen_random_uuid())`
    await contribute(2200, 2)
  })
  expect((await outcome()).scores[3]).toBe(1101)
})
