// Jobs whose retries all failed: they are kept for 30 days, and retried once, however many callers ask for it.
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { createDatabase } from '../support/database.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'

const { owner, superuser, url } = await createDatabase()
await owner.unsafe(`
  create table private.tried (n integer, fails boolean);
  create function private.try_once(p_job jsonb, p_after uuid default null) returns json
  language plpgsql security definer set search_path = '' as $$
  begin
    if (p_job ->> 'n')::integer > 0 and not exists (select from private.tried where not fails) then
      raise exception 'no luck';
    end if;
    insert into private.tried values ((p_job ->> 'n')::integer, false);
    return '{"changed": 1, "next": null}';
  end $$;
  grant execute on function private.try_once to worker;
  call private.make_batch_queue('tries', 'private.try_once')`)

const config = readConfig(environment(url))
const worker = await startWorker({
  config,
  databaseUrl: url,
  pollSeconds: 0.1,
  log: Object.assign(createLog(config), { error: () => {} }),
})
afterAll(() => worker.stop())

type Failed = { n: number; message: string; retries: number; retried: boolean }
const failed = () => owner<Failed[]>`
  select (data ->> 'n')::integer as n, message, retries, retried_at is not null as retried
  from private.failed_jobs where queue = 'tries' order by 1`
const retry = (since: Date, sql = owner) =>
  sql<{ sent: number }[]>`select private.retry_failed('tries', ${since}) as sent`.then(([row]) => row?.sent)
const waiting = () => owner`select from pgboss.job where name = 'tries' and state < 'completed'`

const before = new Date()
await owner`update pgboss.queue set retry_limit = 1, retry_delay = 0, retry_backoff = false where name = 'tries'`
for (const n of [1, 2, 3]) await owner`select private.enqueue('tries', ${owner.json({ n })}::json)`

test('a job that fails every time is kept with its data and message', async () => {
  await until(async () => (await failed()).length === 3)
  expect(await failed()).toEqual([1, 2, 3].map((n) => ({ n, message: 'no luck', retries: 1, retried: false })))
})

test('it is kept for 30 days, whether it was retried or not', async () => {
  const kept = await owner`
    select round(extract(epoch from keep_until - created_on) / 86400) as waiting, deletion_seconds / 86400 as sent
    from pgboss.job where name = 'dead-letters'`
  expect(kept.map((row) => [Number(row.waiting), row.sent])).toEqual(Array(3).fill([30, 30]))
})

test('only jobs of the given queue that failed since the given time are retried', async () => {
  expect(await retry(new Date(Date.now() + 60_000))).toBe(0)
  await expect(owner`select private.retry_failed('no-such-queue', now())`).rejects.toThrow('there is no queue')
  expect(await owner`select private.retry_failed('mail', ${before}) as sent`).toEqual([{ sent: 0 }])
})

test('concurrent callers retry each job once, and a later caller retries none', async () => {
  await owner`insert into private.tried values (0, false)` // the cause is fixed
  const waits = () =>
    superuser`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = owner.begin(async (tx) => {
    const sent = await retry(before, tx as unknown as typeof owner)
    await promise
    return sent
  })
  await until(
    async () =>
      (
        await owner`select from pg_locks where locktype = 'relation' and relation = 'pgboss.job_common'::regclass and mode = 'RowExclusiveLock'`
      ).length > 0,
  )
  const others = [retry(before), retry(before, superuser)]
  await until(async () => (await waits()).length === 2)
  resolve()
  expect([await first, ...(await Promise.all(others))]).toEqual([3, 0, 0])
  expect(await retry(before)).toBe(0)

  await until(async () => (await waiting()).length === 0)
  const tried = await owner<{ n: number }[]>`select n from private.tried where n > 0 order by n`
  expect(tried.map(({ n }) => n)).toEqual([1, 2, 3])
  expect((await failed()).every(({ retried }) => retried)).toBe(true)
})

test('a call that is rolled back retries nothing, and a later call can', async () => {
  await owner`delete from private.tried`
  await owner`select private.enqueue('tries', '{"n": 4}')`
  await until(async () => (await failed()).length === 4)
  await owner.begin(async (tx) => {
    expect(await retry(before, tx as unknown as typeof owner)).toBe(1)
    await tx.unsafe('rollback; begin')
  })
  expect(await waiting()).toHaveLength(0)
  expect(await retry(before)).toBe(1)
})

test('a retried job that fails again is a new failure, which can be retried once', async () => {
  await until(async () => (await failed()).filter(({ n }) => n === 4).length === 2)
  expect(
    (await failed())
      .filter(({ n }) => n === 4)
      .map(({ retried }) => retried)
      .sort(),
  ).toEqual([false, true])
  await owner`insert into private.tried values (0, false)`
  expect(await retry(before)).toBe(1)
  expect(await retry(before)).toBe(0)
  await until(async () => (await waiting()).length === 0)
  expect(await owner`select from private.tried where n = 4`).toHaveLength(1)
})

test('only the owner can retry jobs', async () => {
  for (const role of ['anon', 'authenticated', 'service_role', 'gate', 'worker'])
    await owner.begin(async (tx) => {
      await tx`select set_config('role', ${role}, true)`
      await expect(tx.savepoint((sp) => sp`select private.retry_failed('tries', now())`)).rejects.toMatchObject({
        code: '42501',
      })
    })
})
