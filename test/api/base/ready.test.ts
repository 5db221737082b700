// GET /ready answers 200 only if the database answers, its schema fits, and a worker is alive.
import { expect, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { createLog } from '../../../api-facade/lib/log.ts'
import { startServer } from '../../../api-facade/server.ts'
import { Person } from '../../support/person.ts'
import { environment } from '../../support/settings.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const { nobody, alice, database } = await world({ people: ['alice'] })
const { owner, superuser } = database
const ready = () => nobody.get<{ status: string; message: string[] }>('//ready')

/** Waits until the answer matches: answers are cached for a moment, so the first ones may be outdated. */
const missing = (pattern: RegExp) => until(async () => pattern.test(JSON.stringify((await ready()).body)))
const worker = (sql: string) => owner.unsafe(`update pgboss.version set cron_on = ${sql}`)

test('GET /ready gives 503 without a live worker, and 200 with one', async () => {
  await worker('null')
  await missing(/No worker/)
  const answer = await ready()
  expect(answer).toFailWith(503, 'service_unavailable')
  expect(answer.body.message).toEqual(['No worker has been seen for 3 minutes.'])
  await worker('now()')
  await missing(/ready/)
  expect(await ready()).toMatchObject({ status: 200, body: { status: 'ready' } })
  await worker("now() - interval '4 minutes'")
  await missing(/No worker/)
  await owner`insert into private.job_runs (job, last_run_at) values ('a-job', now())`
  await missing(/"ready"/)
})

test('GET /ready names a migration that is missing or that was applied with another text', async () => {
  await worker('now()')
  await owner`create table public.books as select * from supabase_migrations.schema_migrations`
  await owner`update supabase_migrations.schema_migrations set statements = array[statements[1] || ' -- more']`
  await missing(/The migration \d+ was applied with another text/)
  await owner`update supabase_migrations.schema_migrations s
              set statements = array[rtrim(b.statements[1], E';\\n')] from public.books b
              where b.version = s.version`
  await missing(/"ready"/)
  await owner`update supabase_migrations.schema_migrations set statements = statements || array['select 1']`
  await missing(/"ready"/) // the Supabase CLI splits a migration into statements
  await owner`delete from supabase_migrations.schema_migrations`
  await missing(/The migration \d+ has not been applied/)
  await owner`insert into supabase_migrations.schema_migrations select * from public.books`
  await missing(/"ready"/)
})

test('GET /ready answers 200 with a warning if the database is newer than the code', async () => {
  await worker('now()')
  await owner`insert into supabase_migrations.schema_migrations (version) values ('29990101000000')`
  await missing(/"ready"/)
  const warning = 'The database has the migration 29990101000000, which this code is too old for. Deploy newer code.'
  await missing(/29990101000000/)
  expect(await ready()).toMatchObject({ status: 200, body: { status: 'ready', warnings: [warning] } })
  await owner`delete from supabase_migrations.schema_migrations where version = '29990101000000'`
  await until(async () => !JSON.stringify((await ready()).body).includes('warnings'))
})

test('GET /ready answers 503 if somebody changed a function, unless the database is newer than the code', async () => {
  await worker('now()')
  await owner`create function private.by_hand() returns integer language sql as 'select 1'`
  await missing(/its functions are not: .* Run npm run compare-schema/)
  expect((await ready()).status).toBe(503)
  await owner`insert into supabase_migrations.schema_migrations (version) values ('29990101000000')`
  await missing(/"ready"/)
  await owner`delete from supabase_migrations.schema_migrations where version = '29990101000000'`
  await missing(/its functions are not/)
  await owner`drop function private.by_hand()`
  await missing(/"ready"/)
})

test('GET /ready reports that the database does not answer', async () => {
  await owner`revoke execute on function private.readiness from gate`
  await missing(/The database does not answer/)
  await owner`grant execute on function private.readiness to gate`
  await missing(/"ready"/)
})

test('GET /ready gives 503 while a table that most requests need is locked', async () => {
  await worker('now()')
  await owner.begin(async (tx) => {
    await tx`lock table app.posts in access exclusive mode`
    await missing(/The table app\.posts is locked/)
    await tx`lock table app.users in share mode` // nobody can write
    await missing(/The table app\.posts is locked.*The table app\.users is locked/)
  })
  await missing(/"ready"/)
})

test('GET /ready gives 503 while a pool has no free connection', async () => {
  const waiting = await owner.begin(async (tx) => {
    await tx`lock table app.notifications in access exclusive mode`
    const asked = Array.from({ length: 4 }, () => alice.get('/notifications'))
    await missing(/There is no free connection in the pool user/)
    return { asked }
  })
  await Promise.all(waiting.asked)
  await missing(/"ready"/)
})

test('GET /ready gives 503 while the database has no space to write', async () => {
  const limit = async (size: string) => {
    await superuser.unsafe(`alter database ${database.name} set temp_file_limit = '${size}'`)
    await superuser`select pg_terminate_backend(pid) from pg_stat_activity
                    where datname = ${database.name} and usename = 'kith_gate'`
  }
  await limit('100kB')
  await missing(/The database has no space left to write \(53400\)/)
  await limit('-1')
  await missing(/"ready"/)
})

test('GET /ready names the logins that the database refuses, and requests get 503', async () => {
  const [row] = await owner<{ secret: string }[]>`select secret from private.login_secret`
  await owner`update private.login_secret set secret = ${'0'.repeat(64)}`
  const config = readConfig(environment(database.url, { DATABASE_PREPARE: 'on' })) // a check for a pooler needs a login
  const server = await startServer({ config, databaseUrl: database.url })
  try {
    const refuses = 'The database refuses the login kith_user.'
    await until(async () => JSON.stringify(await (await fetch(`${server.url}/ready`)).json()).includes(refuses))
    expect((await fetch(`${server.url}/ready`)).status).toBe(503)
    expect(await new Person(server.url, alice.token).get('/me')).toFailWith(503, 'service_unavailable')
  } finally {
    await server.stop()
    await owner`update private.login_secret set secret = ${row?.secret ?? ''}`
  }
})

test('GET /ready only warns without a worker if the workers are separate', async () => {
  await worker('null')
  await owner`delete from private.job_runs`
  const lines: string[] = []
  const config = readConfig(environment(database.url, { WORKER: 'off', LOG_LEVEL: 'info' }))
  const log = createLog(config, { write: (line: string) => lines.push(line) })
  const server = await startServer({ config, databaseUrl: database.url, log })
  try {
    const ask = async () =>
      await ((await fetch(`${server.url}/ready`)).json() as Promise<{ status?: string; statusCode?: number }>)
    await until(async () => (await ask()).status === 'ready')
    expect(await ask()).toEqual({ status: 'ready', warnings: ['No worker has been seen for 3 minutes.'] })
    await owner`delete from supabase_migrations.schema_migrations`
    await until(async () => (await ask()).statusCode === 503)
    expect((await ask()).statusCode).toBe(503)
    const logged = lines.map((line) => JSON.parse(line))
    const loud = logged.filter(({ level }) => level > 30).map(({ msg }) => msg)
    expect(new Set(loud)).toEqual(new Set(['not ready']))
    expect(logged.some(({ failure }) => failure)).toBe(false)
  } finally {
    await server.stop()
  }
})

test('GET /ready rejects other methods', async () => {
  expect(await nobody.post('//ready')).toFailWith(405, 'method_not_allowed')
})
