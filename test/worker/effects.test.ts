// Effects of an event are applied soon by the worker: it is woken by writes in its own process, and otherwise polls. An
// effect that fails delays nobody else, and is reported.
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { createDatabase } from '../support/database.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'

const { owner, url } = await createDatabase()
const [ann, ben] = await owner<{ id: string }[]>`
  insert into app.users (username, first_name, last_name) values ('ann', 'A', 'A'), ('ben', 'B', 'B') returning id`
await owner.unsafe(`
  create table private.heard (who uuid, n integer);
  create function private.hear(p_effects private.effects[]) returns void language sql
    as 'insert into private.heard select e.user_id, 6 / (e.payload ->> ''n'')::integer from unnest(p_effects) e';
  insert into private.event_types (name, payload, happens) values ('test.thing.done', '{n}', 'a test does a thing');
  insert into private.event_listeners (event, listener, position, timing) values
    ('test.thing.done', 'private.hear', 600, 'soon')`)

const emit = (n: number, ...people: ({ id: string } | undefined)[]) =>
  owner`select private.emit('test.thing.done', ${owner.json({ n })}::json, ${people.map((one) => one?.id ?? '')}::uuid[])`
const heard = (who: { id: string } | undefined) => owner`select from private.heard where who = ${who?.id ?? ''}`
const stuck = () => owner<{ user_id: string; attempts: number; message: string }[]>`
  select user_id, attempts, message from private.stuck_effects`

const config = readConfig(environment(url))
const logged: object[] = []
const log = Object.assign(createLog(config), { error: (line: object) => logged.push(line) })
await emit(1, ann, ben) // there is no worker yet
const worker = await startWorker({ config, databaseUrl: url, log })
afterAll(() => worker.stop())

test('Effects from before and after the start of a worker are applied', async () => {
  await until(async () => (await heard(ann)).length === 1 && (await heard(ben)).length === 1)
  await emit(2, ann)
  worker.wake()
  await until(async () => (await heard(ann)).length === 2)
  await emit(3, ben) // another process emits the event and does not wake the worker
  await until(async () => (await heard(ben)).length === 2)
  expect(await owner`select from private.effects`).toHaveLength(0)
})

test('An event that is rolled back has no effects', async () => {
  await owner
    .begin(async (sql) => {
      await sql`select private.emit('test.thing.done', '{"n": 1}', ${[ann?.id ?? '']}::uuid[])`
      throw new Error('undone')
    })
    .catch(() => {})
  await emit(1, ann)
  await until(async () => (await heard(ann)).length > 2)
  expect(await heard(ann)).toHaveLength(3)
})

test('A person with a failing effect has to wait, and nobody else does', async () => {
  const before = (await heard(ann)).length
  const traceId = 'a1'.repeat(16)
  await owner.begin(async (sql) => {
    const headers = JSON.stringify({ traceparent: `00-${traceId}-${'b2'.repeat(8)}-01` })
    await sql`select set_config('request.headers', ${headers}, true)`
    await sql`select private.emit('test.thing.done', '{"n": 0}', array[${ben?.id ?? ''}]::uuid[])` // 6 / 0
  })
  await emit(1, ann, ben)
  await until(async () => (await stuck()).length === 1)
  await until(async () => (await heard(ann)).length === before + 1)
  expect(await stuck()).toMatchObject([{ user_id: ben?.id, attempts: 1, message: '22012 division by zero' }])
  expect(await owner`select from private.effects where user_id = ${ben?.id ?? ''}`).toHaveLength(2)
  await until(async () => logged.length > 0)

  // it fails again, and is not logged again
  for (const attempts of [2, 3]) {
    await owner`update private.stuck_effects set retry_at = now()`
    await until(async () => (await stuck())[0]?.attempts === attempts)
  }
  const [kept] = await owner<{ event_id: string; effect_id: string; context: string }[]>`
    select event_id, effect_id, context from private.stuck_effects`
  expect(kept?.context).toMatch(/^SQL function "hear" statement 1\nPL\/pgSQL function private.apply_one_by_one/)
  expect(await owner`select name, payload from app.domain_events where id = ${kept?.event_id ?? ''}`).toEqual([
    { name: 'test.thing.done', payload: { n: 0 } },
  ])
  expect(logged).toEqual([
    {
      job: 'effects',
      person: ben?.id,
      event: 'test.thing.done',
      eventId: Number(kept?.event_id),
      effectId: Number(kept?.effect_id),
      listener: 'private.hear',
      sqlstate: '22012',
      context: kept?.context,
      trace_id: traceId,
    },
  ])

  // the fault is fixed: the pending effects are applied in order
  await owner`update private.effects set payload = '{"n": 6}' where payload = '{"n": 0}'`
  await owner`update private.stuck_effects set retry_at = now()`
  await until(async () => (await heard(ben)).length === 4)
  await until(async () => (await stuck()).length === 0)
  const order = await owner<{ n: number }[]>`select n from private.heard where who = ${ben?.id ?? ''} order by ctid`
  expect(order.map(({ n }) => n).slice(2)).toEqual([1, 6])
})
