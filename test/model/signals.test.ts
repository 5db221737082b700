// Compares private.suspicious_flows with a count in the test, for random invite trees, payments and votes. A failed
// test prints its seed and the smallest world that shows the fault.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { runs } from '../support/runs.ts'

type Person = { inviter: number; staff: boolean; age: number }
type Flow = { giver: number; receiver: number; hour: number }
type Mana = Flow & { amount: number; reversed: boolean }
type Vote = Flow & { value: number; impact: number; interest: number }
type World = { people: Person[]; payments: Mana[]; votes: Vote[]; reach: number; since: number }

const { superuser } = await createDatabase()
const interests = await superuser<{ id: string }[]>`select id from app.interests order by slug limit 3`
const now = Date.now()
const before = (hours: number) => new Date(now - hours * 3_600_000)
const uuid = (kind: number, place: number) =>
  `${String(kind).repeat(8)}-0000-4000-8000-${String(place).padStart(12, '0')}`

const number = (max: number) => fc.integer({ min: 0, max })
const flow = { giver: number(6), receiver: number(6), hour: fc.integer({ min: 1, max: 48 }) }
const worlds: fc.Arbitrary<World> = fc.record({
  // Everybody except the first person was invited by somebody before them
  people: fc.array(fc.record({ inviter: number(6), staff: fc.boolean(), age: number(60) }), {
    minLength: 7,
    maxLength: 7,
  }),
  payments: fc.array(fc.record({ ...flow, amount: fc.integer({ min: 1, max: 9 }), reversed: fc.boolean() }), {
    minLength: 4,
    maxLength: 8,
  }),
  votes: fc.array(fc.record({ ...flow, value: fc.constantFrom(-1, 0, 1), impact: number(3), interest: number(2) }), {
    minLength: 3,
    maxLength: 6,
  }),
  reach: fc.integer({ min: 1, max: 4 }),
  since: fc.constantFrom(12, 72),
})

const inviterOf = ({ people }: World, place: number): number | null =>
  place === 0 ? null : (people[place]?.inviter ?? 0) % place

/** The number of steps from one person to the other in the invite tree, on paths without staff in between. */
function steps(world: World, from: number, to: number): number {
  let reached = [from]
  const seen = new Set(reached)
  for (let count = 1; reached.length > 0; count++) {
    const open = reached.filter((place) => place === from || !world.people[place]?.staff)
    reached = world.people
      .map((_person, place) => place)
      .filter((place) => !seen.has(place))
      .filter((place) => open.some((one) => inviterOf(world, one) === place || inviterOf(world, place) === one))
    if (reached.includes(to)) return count
    for (const place of reached) seen.add(place)
  }
  return Number.POSITIVE_INFINITY
}

const sum = (list: number[]) => list.reduce((one, other) => one + other, 0)
const share = (part: number, whole: number) => (whole === 0 ? null : Number((part / whole).toFixed(3)))

function expected(world: World) {
  const inTime = ({ giver, receiver, hour }: Flow) => giver !== receiver && hour <= world.since
  const kinds = {
    mana: world.payments.filter((one) => inTime(one) && !one.reversed),
    votes: distinct(world.votes)
      .filter((one) => inTime(one) && one.value === 1)
      .map((vote) => ({ ...vote, amount: vote.impact })),
  }
  return Object.entries(kinds).flatMap(([kind, flows]) => {
    const near = ({ giver, receiver }: Flow) => steps(world, giver, receiver) <= world.reach
    const pairs = new Set(flows.filter(near).map(({ giver, receiver }) => `${giver} ${receiver}`))
    return [...pairs].map((pair) => {
      const [giver = 0, receiver = 0] = pair.split(' ').map(Number)
      const own = flows.filter((one) => one.giver === giver && one.receiver === receiver)
      const amounts = (list: { amount: number }[]) => sum(list.map(({ amount }) => amount))
      const got = flows.filter((one) => one.receiver === receiver)
      const first = Math.max(...own.map(({ hour }) => hour))
      return {
        kind,
        giver: uuid(1, giver),
        receiver: uuid(1, receiver),
        distance: steps(world, giver, receiver),
        hours: Math.min(world.people[giver]?.age ?? 0, world.people[receiver]?.age ?? 0) + 48 - first,
        flows: own.length,
        total: amounts(own),
        given: share(amounts(own), amounts(flows.filter((one) => one.giver === giver))),
        near: share(amounts(got.filter(near)), amounts(got)),
      }
    })
  })
}

/** One vote for each voter, person and interest. */
const distinct = (votes: Vote[]) =>
  votes.filter(
    (vote, at) =>
      votes.findIndex(
        (one) => one.giver === vote.giver && one.receiver === vote.receiver && one.interest === vote.interest,
      ) === at,
  )

async function found(world: World) {
  let rows: object[] = []
  const undone = new Error('undone')
  const build = superuser.begin(async (sql) => {
    // Without triggers and foreign keys: only what the function reads
    await sql`set local session_replication_role = replica`
    const insert = async (table: string, list: object[]) => {
      if (list.length > 0) await sql`insert into ${sql(`app.${table}`)} ${sql(list as Record<string, never>[])}`
    }
    const all = world.people.map((person, place) => ({ ...person, place }))
    await insert(
      'users',
      all.map(({ place, staff, age }) => ({
        id: uuid(1, place),
        username: `person${place}`,
        first_name: 'P',
        last_name: 'P',
        role: staff ? 'moderator' : 'user',
        created_at: before(48 + age),
      })),
    )
    await insert(
      'invite_tree',
      all.slice(1).map(({ place }) => ({
        invitee_id: uuid(1, place),
        inviter_id: uuid(1, inviterOf(world, place) ?? 0),
        code_id: uuid(2, place),
      })),
    )
    for (const [place, { giver, receiver, hour, amount, reversed }] of world.payments.entries()) {
      if (giver === receiver) continue
      const ways = reversed
        ? [[giver, receiver, null] as const, [receiver, giver, uuid(3, place)] as const]
        : [[giver, receiver, null] as const]
      for (const [at, [from, to, of]] of ways.entries()) {
        const payment = { id: uuid(3 + at, place), sender_id: uuid(1, from), receiver_id: uuid(1, to) }
        await insert('payments', [{ ...payment, emotion: 'joy', tier: 0, amount, reversal_of: of }])
        const { id, ...ends } = payment
        await insert('payment_splits', [{ payment_id: id, ...ends, amount, created_at: before(hour) }])
      }
    }
    for (const { giver, receiver, hour, value, impact, interest } of distinct(world.votes)) {
      if (giver === receiver) continue
      const ends = { voter_id: uuid(1, giver), user_id: uuid(1, receiver), interest_id: interests[interest]?.id }
      await insert('reputation_votes', [{ ...ends, value, impact: value * impact, updated_at: before(hour) }])
    }
    rows = await sql`
      select kind, giver_id as giver, receiver_id as receiver, distance,
             round(extract(epoch from younger_age) / 3600)::integer as hours, flows::integer, total::float8 as total,
             given_share::float8 as given, neighbour_share::float8 as near
      from private.suspicious_flows(${before(world.since)}, 1000, ${world.reach})`
    throw undone
  })
  await build.catch((error: unknown) => {
    if (error !== undone) throw error
  })
  return rows
}

const sorted = (rows: object[]) => rows.map((row) => JSON.stringify(row, Object.keys(row).sort())).sort()

test('The flows between neighbours are those that a count in the test finds', async () => {
  let shown = 0
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      const rows = await found(world)
      shown += rows.length
      expect(sorted(rows)).toEqual(sorted(expected(world)))
    }),
    { numRuns: runs(20, 200) },
  )
  expect(shown).toBeGreaterThan(0) // the property must compare some rows, and usually compares about 100
})
