// The worker itself: the schedule starts jobs, two workers run each job once, a failed job is retried, reported and
// moved to the dead letters, and a stop waits for running
// jobs. Queues are polled every 0.1 s here, so that no test waits for a minute.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { DEAD_LETTERS, startWorker } from '../../api-facade/worker/worker.ts'
import { createDatabase } from '../support/database.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'

const { owner, url } = await createDatabase()
const config = readConfig(environment(url))
const logged: object[] = []
const log = Object.assign(createLog(config), { error: (line: object) => logged.push(line) })

/** Starts a worker with only the jobs of every minute, so that no other job runs but those that a test sends. */
async function start() {
  const worker = await startWorker({ config, databaseUrl: url, log, pollSeconds: 0.1 })
  await owner`delete from pgboss.schedule where cron <> '* * * * *'`
  return worker
}
const first = await start()
// The schedule is checked every half minute. Resetting the time makes the second worker check it immediately.
await owner`update pgboss.version set cron_on = null`
const workers = [first, await start()] as const
afterAll(() => Promise.all(workers.map((worker) => worker.stop())))

type Record = { runs: number; failures: number }
async function recorded(job: string): Promise<Record> {
  const [row] = await owner<Record[]>`
    select runs::integer, failures::integer from private.job_runs where job = ${job}`
  return row ?? { runs: 0, failures: 0 }
}

/** Replaces a job's function until the end of `work`. */
async function instead(job: string, body: string, work: () => Promise<void>): Promise<void> {
  const [before] = await owner<{ text: string }[]>`select pg_get_functiondef(${`private.${job}`}::regproc) as text`
  await owner.unsafe(`create or replace function private.${job}() returns integer language plpgsql
    security definer set search_path = '' as $$ begin ${body} end $$`)
  await work().finally(() => owner.unsafe(before?.text ?? ''))
}

test('The schedule starts the jobs of every minute, once for two workers', async () => {
  await until(async () => (await recorded('release-reservations')).runs > 0)
  await until(async () => (await recorded('purge')).runs > 0)
  const [sent] = await owner`
    select count(*)::integer as jobs, count(distinct date_trunc('minute', created_on))::integer as minutes
    from pgboss.job where name = 'release-reservations'`
  expect(sent?.jobs).toBe(sent?.minutes)
})

test('A job that waits or runs is not queued again', async () => {
  await instead('job_expire_invites', 'perform pg_advisory_xact_lock(4711); return 0;', async () => {
    await owner.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(4711)`
      for (const worker of [...workers, ...workers]) await worker.send('expire-invites')
      const active = () => owner`select id from pgboss.job where name = 'expire-invites' and state = 'active'`
      await until(async () => (await active()).length === 1)
      for (const worker of workers) await worker.send('expire-invites')
      expect(await owner`select id from pgboss.job where name = 'expire-invites'`).toHaveLength(1)
    })
    await until(async () => (await recorded('expire-invites')).runs === 1)
  })
})

test('A failing job is retried, reported without its data, and finally moved to the dead letters', async () => {
  await owner`update pgboss.queue set retry_limit = 1, retry_delay = 0 where name = 'finish-erasures'`
  const body = `insert into app.settings (key, value) values ('half', 'done');
    raise exception 'no luck' using detail = 'the secret of alice'; return 0;`
  await instead('job_finish_erasures', body, async () => {
    await workers[0].send('finish-erasures')
    const dead = () => owner<{ output: unknown }[]>`select output from pgboss.job where name = ${DEAD_LETTERS}`
    await until(async () => (await dead()).length === 1)
    expect(await recorded('finish-erasures')).toEqual({ runs: 2, failures: 2 })
    const kept = await owner`select output::text from pgboss.job where name in (${DEAD_LETTERS}, 'finish-erasures')`
    expect(JSON.stringify(kept)).toContain('no luck')
    expect(JSON.stringify(kept)).not.toContain('secret')
    expect(await owner`select from app.settings where key = 'half'`).toHaveLength(0)
    expect(logged).toContainEqual({ job: 'finish-erasures', failure: expect.objectContaining({ code: 'P0001' }) })
  })
  await workers[0].send('finish-erasures')
  await until(async () => (await recorded('finish-erasures')).runs === 3)
  expect((await recorded('finish-erasures')).failures).toBe(2)
})

test('A repair of the audience is reported as a failure', async () => {
  await owner`delete from app.audience where viewer_id in (select id from app.users limit 1)`
  await workers[1].send('check-audience')
  await until(async () => (await recorded('check-audience')).runs === 1)
  expect(await recorded('check-audience')).toEqual({ runs: 1, failures: 1 })
  expect(logged).toContainEqual({ job: 'check-audience', changed: 1 })
  const [rest] = await owner`select private.job_check_audience() as changed`
  expect(rest?.changed).toBe(0)
})

test('A stopping worker waits for the job that runs', async () => {
  const third = await start()
  await Promise.all(workers.map((worker) => worker.stop())) // only the third one is left to take the job
  await instead('job_expire_invites', 'perform pg_advisory_xact_lock(4712); return 0;', async () => {
    let ending: Promise<void> | undefined
    let ended = false
    const before = (await recorded('expire-invites')).runs
    await owner.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(4712)`
      await third.send('expire-invites')
      await until(
        // counts only locks of this database, because other test files wait for other locks
        async () =>
          (
            await owner`select from pg_locks l join pg_database d on d.oid = l.database
          where d.datname = current_database() and l.locktype = 'advisory' and l.objid = 4712 and not l.granted`
          ).length > 0,
      )
      ending = third.stop().then(() => {
        ended = true
      })
    })
    expect(ended).toBe(false)
    await ending
    expect(await recorded('expire-invites')).toMatchObject({ runs: before + 1, failures: 0 })
    const [job] =
      await owner`select state from pgboss.job where name = 'expire-invites' order by created_on desc limit 1`
    expect(job?.state).toBe('completed')
  })
})

test('npm run worker runs a worker on its own, which ends properly on SIGTERM', async () => {
  const alone = spawn(process.execPath, [join(import.meta.dirname, '../../api-facade/worker/main.ts')], {
    env: { ...environment(url), PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(alone, 'exit')
  const [line] = await once(alone.stdout, 'data')
  expect(String(line)).toBe('The worker runs.\n')
  const [connected] = await owner`select count(*)::integer as n from pg_stat_activity
    where usename = 'kith_worker' and datname = current_database()`
  expect(connected?.n).toBeGreaterThan(0)
  alone.kill('SIGTERM')
  expect(await exit).toEqual([0, null])
})
