// A broadcast reaches everybody once, even if the worker is killed halfway and two others continue.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as pathOf } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const PEOPLE = 2300
const { alice, bob, carla, admin, database } = await world()
const { owner } = database
await owner`
  insert into app.users (username, first_name, last_name, banned_at, erased_at)
  select 'many_' || n, 'M', 'M', case when n % 100 = 1 then now() end, case when n % 100 = 2 then now() end
  from generate_series(1, ${PEOPLE}) n`
await bob.patch('/notifications/preferences', { 'admin.broadcast': { inApp: false, push: false, email: false } })

const folder = mkdtempSync(pathOf(tmpdir(), 'kith-broadcast-'))
let child: ChildProcess | undefined
afterAll(() => {
  child?.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})
const news = { title: 'A pause', body: 'On Sunday at noon, for an hour.' }
const progress = async () =>
  (
    await owner<{ told: number; finished: boolean }[]>`
    select told, finished_at is not null as finished from app.broadcasts`
  )[0] ?? { told: 0, finished: false }
const notices = async () =>
  (
    await owner`select count(*)::int as all, count(distinct user_id)::int as people
                from app.notifications where kind = 'admin.broadcast'`
  )[0]

test('A broadcast reaches each person once, even if its worker is killed', async () => {
  expect((await admin.post('/admin/broadcast', news)).status).toBe(202)
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  // a locked person in the fourth batch delays the worker, so that it is killed halfway
  const holding = owner.begin(async (sql) => {
    await sql`select from app.users where id = (select id from app.users order by id offset 1700 limit 1) for update`
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const env = { ...process.env, ...environment(database.url, { DATA_DIR: folder }) }
  child = spawn(process.execPath, ['api-facade/worker/main.ts'], { env, stdio: 'ignore' })
  await until(async () => (await progress()).told === 1500)
  child.kill('SIGKILL')
  await until(() => child?.signalCode === 'SIGKILL')
  held.resolve()
  await holding
  expect((await progress()).finished).toBe(false)

  // When the job times out after ten minutes, pg-boss starts a second job while the first may still run. This does the
  // same.
  await owner`update pgboss.job set state = 'retry', start_after = now() where name = 'broadcasts' and state = 'active'`
  await owner`select private.enqueue('broadcasts', (select json_build_object('broadcastId', id) from app.broadcasts))`
  const config = readConfig(environment(database.url))
  const options = { config, databaseUrl: database.url, log: createLog(config), pollSeconds: 0.1 }
  const workers = [await startWorker(options), await startWorker(options)]
  await until(async () => (await progress()).finished)
  for (const worker of workers) await worker.stop()

  const [everybody] = await owner<{ count: number }[]>`
    select count(*)::int as count from app.users where banned_at is null and erased_at is null and id <> ${bob.id}`
  expect(await notices()).toEqual({ all: everybody?.count, people: everybody?.count })
  expect(everybody?.count).toBe(PEOPLE - 46 + 3) // alice, carla, the admin
  for (const person of [alice, carla, admin]) {
    expect(await person.inbox('admin.broadcast')).toMatchObject([{ payload: news, count: 1 }])
  }
  expect(await bob.inbox('admin.broadcast')).toEqual([])
}, 90_000)

test('People who join later are not notified, and a repeated job notifies nobody', async () => {
  const before = await notices()
  await owner`insert into app.users (username, first_name, last_name) values ('late', 'L', 'L')`
  const [row] = await owner<{ done: object }[]>`
    select private.deliver_broadcast((select jsonb_build_object('broadcastId', id) from app.broadcasts)) as done`
  expect(row?.done).toEqual({ changed: 0, next: null })
  expect(await notices()).toEqual(before)
})

test('After 25,000 people a job continues as another one', async () => {
  await owner`update app.broadcasts set told = 24500, told_to = null, finished_at = null`
  await owner`delete from app.notifications where kind = 'admin.broadcast'`
  await owner`delete from pgboss.job where name = 'broadcasts'`
  const [row] = await owner<{ done: object }[]>`
    select private.deliver_broadcast((select jsonb_build_object('broadcastId', id) from app.broadcasts)) as done`
  expect(row?.done).toEqual({ changed: 500, next: null })
  expect(await owner`select from pgboss.job where name = 'broadcasts'`).toHaveLength(1)
})
