// Listeners that are told soon: the worker tells them about a second after the event, and one that fails again later,
// without holding up the others.
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { createDatabase } from '../support/database.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'

const { owner, url } = await createDatabase()
await owner.unsafe(`
  create table private.heard (what jsonb);
  create function private.hear(p_event jsonb) returns void language sql as 'insert into private.heard values (p_event)';
  create function private.hear_badly(p_event jsonb) returns void language sql as 'select 1 / (p_event ->> ''n'')::integer';
  insert into private.events (name, payload, happens) values ('test.thing.done', '{n}', 'a test does a thing');
  insert into private.event_listeners (event, listener, position, timing) values
    ('test.thing.done', 'private.hear', 600, 'soon'), ('test.thing.done', 'private.hear_badly', 500, 'soon')`)

const emit = (n: number) => owner`select private.emit('test.thing.done', ${owner.json({ n })}::json)`
const heard = async () =>
  (await owner<{ n: number }[]>`select (what ->> 'n')::integer as n from private.heard order by 1`).map(({ n }) => n)
const record = async () =>
  (await owner`select failures::integer, changed::integer from private.job_runs where job = 'effects'`)[0]

test('they are told by the worker, each by itself', async () => {
  await emit(0) // before there is a worker
  expect(await heard()).toEqual([])

  const logged: object[] = []
  const config = readConfig(environment(url))
  const log = Object.assign(createLog(config), { error: (line: object) => logged.push(line) })
  const worker = await startWorker({ config, databaseUrl: url, log, pollSeconds: 0.5 })
  afterAll(() => worker.stop())
  await owner`update pgboss.queue set retry_delay = 0, retry_backoff = false where name = 'effects'`
  await emit(1)
  await emit(2)
  await until(async () => (await heard()).length === 3, { timeout: 15_000 })
  expect(await heard()).toEqual([0, 1, 2])

  // 1 / 0 fails, again and again; the others were told once each
  await until(async () => Number((await record())?.failures) > 1 && (await record())?.changed === 5, {
    timeout: 15_000,
  })
  expect(logged[0]).toMatchObject({ job: 'effects', failure: { code: '22012' } })
})

test('what an event that is undone would have told is told to nobody', async () => {
  await owner
    .begin(async (sql) => {
      await sql`select private.emit('test.thing.done', '{"n": 7}')`
      throw new Error('undone')
    })
    .catch(() => {})
  await emit(8)
  await until(async () => (await heard()).includes(8), { timeout: 15_000 })
  expect(await heard()).not.toContain(7)
})
