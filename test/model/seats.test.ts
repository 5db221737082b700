// Tests the capacity of events with random RSVPs, changes of capacity, blocks and bans. Sequential steps answer as a
// simple model does. Concurrent steps never exceed the capacity, and leave no seat free while somebody waits for one.
import fc from 'fast-check'
import postgres, { type Sql } from 'postgres'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { runs } from '../support/runs.ts'

const { owner, connect, url } = await createDatabase()
const lanes: Sql[] = Array.from({ length: 4 }, () => connect('kith_user'))
const GUESTS = 6
await owner`update private.write_limits set per_hour = 1000000`
const people = (
  await owner<{ id: string }[]>`
    insert into app.users (username, first_name, last_name)
    select 'guest_' || n, 'Guest', n::text from generate_series(0, 50) n returning id`
).map(({ id }) => id)
const now = Math.floor(Date.now() / 1000)
const claims = (who: number) => JSON.stringify({ sub: people[who], role: 'user', iat: now, exp: now + 3600 })

let turn = 0
/** One statement, as the facade sends it. The host is the first of the people. */
const call = (who: number, operation: string, ...values: (string | object)[]): Promise<string> =>
  (lanes[turn++ % lanes.length] as Sql)
    .unsafe(`select api.${operation}(${values.map((_, at) => `$${at + 2}`).join(', ')}) from private.enter($1)`, [
      claims(who),
      ...values,
    ] as never[])
    .then(
      () => 'done',
      (error) => error.message,
    )

const create = async (capacity: number | null) => {
  const [row] = await (lanes[0] as Sql).unsafe<{ id: string }[]>(
    `select api.create_event('x', 'x', now() + interval '2 days', now() + interval '3 days', 'UTC', '{"kind": "online"}', $2) ->> 'id' as id
     from private.enter($1)`,
    [claims(0), capacity],
  )
  return row?.id ?? ''
}

type Step =
  | { does: 'going' | 'interested' | 'drop' | 'block' | 'unblock' | 'ban' | 'unban'; who: number }
  | { does: 'capacity'; to: number | null }
const who = fc.integer({ min: 1, max: GUESTS })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('going' as const), who }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constantFrom('interested' as const, 'drop' as const), who }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constantFrom('block' as const, 'unblock' as const, 'ban' as const, 'unban' as const),
      who,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('capacity' as const), to: fc.constantFrom(null, 1, 2, 3, 5) }),
  },
)

type Model = {
  capacity: number | null
  going: number[]
  waiting: number[]
  interested: number[]
  blocked: Set<number>
  banned: Set<number>
}

/** The answer to a step, and its effect on the model. */
function expected(model: Model, one: Step): string {
  const leave = (who: number) => {
    for (const list of [model.going, model.waiting, model.interested]) {
      const at = list.indexOf(who)
      if (at >= 0) list.splice(at, 1)
    }
  }
  const fill = () => {
    while (model.waiting.length > 0 && (model.capacity === null || model.going.length < model.capacity))
      model.going.push(model.waiting.shift() as number)
  }
  if (one.does === 'capacity') {
    model.capacity = one.to
    fill()
    return 'done'
  }
  const { does, who } = one
  if (does === 'ban') model.banned.add(who)
  if (does === 'unban') model.banned.delete(who)
  if (does === 'block' && !model.banned.has(who)) model.blocked.add(who)
  if (does === 'unblock' && !model.banned.has(who)) model.blocked.delete(who)
  if (['ban', 'block'].includes(does) && (does === 'ban' || !model.banned.has(who))) {
    leave(who)
    fill()
  }
  if (['ban', 'unban'].includes(does)) return 'done'
  if (['block', 'unblock'].includes(does)) return model.banned.has(who) ? 'person_unknown' : 'done'
  if (model.banned.has(who)) return 'token_revoked'
  if (model.blocked.has(who)) return 'event_unknown'
  if (does === 'going') {
    if (model.going.includes(who) || model.waiting.includes(who)) return 'done'
    leave(who)
    const list = model.capacity !== null && model.going.length >= model.capacity ? model.waiting : model.going
    list.push(who)
    return 'done'
  }
  if (does === 'interested' && model.interested.includes(who)) return 'done'
  leave(who)
  if (does === 'interested') model.interested.push(who)
  fill()
  return 'done'
}

async function act(event: string, one: Step): Promise<string> {
  if (one.does === 'capacity') return call(0, 'update_event', event, { capacity: one.to })
  const { does, who } = one
  const person = `guest_${who}`
  if (does === 'going' || does === 'interested') return call(who, 'rsvp_event', event, does)
  if (does === 'drop') return call(who, 'unrsvp_event', event)
  if (does === 'block') return call(0, 'block_person', person)
  if (does === 'unblock') return call(0, 'unblock_person', person)
  const since = does === 'ban' ? owner`now()` : owner`null`
  await owner`update app.users set banned_at = ${since} where id = ${people[who] ?? ''}`
  return 'done'
}

async function standing(event: string) {
  const rows = await owner<{ user_id: string; status: string }[]>`
    select user_id, status from app.event_rsvps where event_id = ${event} order by since, user_id`
  const of = (status: string) => rows.filter((row) => row.status === status).map((row) => people.indexOf(row.user_id))
  const [places] = await owner`select going, waitlisted, interested from app.event_seats where event_id = ${event}`
  expect(places).toEqual({
    going: of('going').length,
    waitlisted: of('waitlisted').length,
    interested: of('interested').length,
  })
  return { going: of('going'), waiting: of('waitlisted'), interested: of('interested') }
}
const clear = async () => {
  await owner`delete from app.contents`
  await owner`delete from app.blocks`
  await owner`update app.users set banned_at = null where banned_at is not null`
}

const start = fc.constantFrom(null, 1, 2, 3)
const worlds = { numRuns: runs(15, 200), seed: 20_261_122 }

test('One by one, each step answers as the model says', async () => {
  await fc.assert(
    fc.asyncProperty(start, fc.array(step, { minLength: 5, maxLength: 25 }), async (capacity, steps) => {
      await clear()
      const event = await create(capacity)
      const model: Model = { capacity, going: [], waiting: [], interested: [], blocked: new Set(), banned: new Set() }
      for (const one of steps) {
        expect([one, await act(event, one)]).toEqual([one, expected(model, one)])
        const { going, waiting, interested } = model
        expect(await standing(event)).toEqual({ going, waiting, interested })
      }
    }),
    worlds,
  )
})

test('Concurrent steps never exceed the capacity, and leave no seat free while somebody waits', async () => {
  await fc.assert(
    fc.asyncProperty(start, fc.array(step, { minLength: 10, maxLength: 30 }), async (capacity, steps) => {
      await clear()
      const event = await create(capacity)
      const answers = await Promise.all(steps.map((one) => act(event, one)))
      const known = ['done', 'person_unknown', 'token_revoked', 'event_unknown']
      expect(answers.filter((answer) => !known.includes(answer))).toEqual([])
      const { going, waiting } = await standing(event)
      const [row] = await owner<{ capacity: number | null }[]>`select capacity from app.events where id = ${event}`
      if (waiting.length > 0) expect(going.length).toBeGreaterThanOrEqual(row?.capacity ?? Number.POSITIVE_INFINITY)
      const capacities = steps.flatMap((one) => (one.does === 'capacity' ? [one.to] : []))
      const widest = Math.max(...[capacity, ...capacities].map((one) => one ?? Number.POSITIVE_INFINITY))
      expect(going.length).toBeLessThanOrEqual(widest)
      const [gone] = await owner`
        select count(*)::int from app.event_rsvps r where r.event_id = ${event}
          and (exists (select from app.hidden_people s where s.user_id = r.user_id)
               or exists (select from app.blocks b where r.user_id in (b.blocker_id, b.blocked_id)))`
      expect(gone).toEqual({ count: 0 })
    }),
    worlds,
  )
})

test('Of fifty concurrent RSVPs for the last seat one gets it, and 49 have consecutive positions on the waiting list', async () => {
  await clear()
  const event = await create(1)
  const address = new URL(url)
  const many = postgres(address.href, { max: 50, onnotice: () => {} })
  const asked = Array.from({ length: 50 }, (_, n) => n + 1)
  // Each person has their own connection, opened before the first request
  const doors = await Promise.all(asked.map(() => many.reserve()))
  await Promise.all(doors.map((sql) => sql`set role authenticated`))
  await Promise.all(
    doors.map((sql, n) =>
      sql.unsafe(`select api.rsvp_event($2::uuid, 'going') from private.enter($1)`, [
        claims(asked[n] as number),
        event,
      ]),
    ),
  )
  for (const sql of doors) sql.release()
  await many.end()
  const { going, waiting } = await standing(event)
  expect([going.length, waiting.length]).toEqual([1, 49])
  const positions = await Promise.all(
    asked.map(async (who) => {
      const [row] = await (lanes[who % 4] as Sql).unsafe<{ place: number | null }[]>(
        `select (api.get_event($2::uuid) #>> '{viewer,waitlistPosition}')::int as place from private.enter($1)`,
        [claims(who), event],
      )
      return row?.place ?? 0
    }),
  )
  expect(positions.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, n) => n))
})
