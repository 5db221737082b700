// Treasuries over HTTP. For sequences of many steps see test/model/treasury.test.ts, for permissions test/db/treasury.
import { beforeAll, describe, expect, test } from 'vitest'
import { type Page, UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, nobody, database } = await world()
const { owner } = database

type Id = { id: string }
type Treasury = Page<{ amount: number; balanceAfter: number; kind: string }> & { balance: number }

const catalog = await alice.get<Page<Id>>('/interests/catalog')
const interestId = catalog.body.items[0]?.id
const founded = await admin.post<Id>('/guilds', { name: 'Lichen Keepers', interestId })
const guild = founded.body.id
const at = `/treasury/${guild}`
const balance = async (who: Person) => (await who.get<{ balance: number }>('/economy/wallet')).body.balance

beforeAll(async () => {
  for (const who of [alice, bob]) {
    const { body } = await who.post<Id>(`/guilds/${guild}/applications`)
    await admin.post(`/guilds/${guild}/applications/${body.id}/approve`)
  }
})

const routes: [string, string, object?][] = [
  ['GET', '/treasury/:id'],
  ['POST', '/treasury/:id/contribute', { amount: 1 }],
  ['POST', '/treasury/:id/disburse', { recipientId: 'carla', amount: 1, note: 'x' }],
  ['POST', '/treasury/:id/distribute-by-contribution', { amount: 1 }],
]
describe.each(routes)('%s %s', (method, path, body) => {
  test('requires a member of an existing guild, and a valid amount', async () => {
    const ask = (who: Person, id: string, sent: object | undefined = body) =>
      who.request(method, path.replace(':id', id), sent)
    expect(await ask(nobody, guild)).toFailWith(401, 'token_missing')
    expect(await ask(alice, UNKNOWN)).toFailWith(404, 'space_unknown')
    expect(await ask(carla, guild)).toFailWith(403, 'space_not_member')
    expect(await ask(alice, 'x'.repeat(61))).toFailWith(422, 'validation_failed')
    if (!body) return
    for (const amount of [0, -1, 1.5, 1_000_000_001, '5', null])
      expect(await ask(alice, guild, { ...body, amount })).toFailWith(422, 'validation_failed')
    if (!path.endsWith('contribute')) expect(await ask(bob, guild)).toFailWith(403, 'space_role')
  })
})

test('Members contribute, the founder disburses, and each entry has the balance after it', async () => {
  const before = await balance(alice)
  const given = await alice.post<{ entry: object }>(`${at}/contribute`, { amount: 10, note: ' For paint ' })
  expect(given).toMatchObject({
    status: 201,
    body: {
      entry: {
        ...{ kind: 'contribution', amount: 10, balanceAfter: 10, note: 'For paint' },
        ...{ actor: { actorId: alice.actorId }, counterpart: { actorId: alice.actorId } },
      },
      ...{ treasuryBalance: 10, senderBalance: before - 10 },
    },
  })
  expect(await alice.post(`${at}/contribute`, { amount: 1000 })).toFailWith(409, 'insufficient_mana')
  expect(await alice.post(`${at}/contribute`, { amount: 1, note: 'é'.repeat(501) })).toFailWith(422, 'treasury_note')

  const pay = (recipientId: string, amount: number, note = 'Brushes') =>
    admin.post(`${at}/disburse`, { recipientId, amount, note })
  expect(await pay('admin', 1)).toFailWith(400, 'disburse_oneself')
  expect(await pay('nobody_here', 1)).toFailWith(404, 'person_unknown')
  expect(await pay('carla', 11)).toFailWith(409, 'insufficient_mana')
  expect(await pay('carla', 1, ' ')).toFailWith(422, 'validation_failed')
  const hers = await balance(carla)
  expect(await pay('carla', 4)).toMatchObject({
    status: 201,
    body: {
      entry: {
        ...{ kind: 'disbursement', amount: -4, balanceAfter: 6, note: 'Brushes' },
        ...{ actor: { actorId: admin.actorId }, counterpart: { actorId: carla.actorId } },
      },
      treasuryBalance: 6,
    },
  })
  expect(await balance(carla)).toBe(hers + 4)
  expect(await bob.get(`/guilds/${guild}`)).toMatchObject({ body: { treasuryBalance: 6 } })
  expect(await carla.get(`/guilds/${guild}`)).toMatchObject({ body: { treasuryBalance: null } })

  const all = await bob.get<Treasury>(at)
  expect(all.body).toMatchObject({ balance: 6, items: [{ amount: -4 }, given.body.entry], hasMore: false })
  const first = await bob.get<Treasury>(`${at}?limit=1`)
  expect(await bob.get(`${at}?limit=1&cursor=${first.body.nextCursor}`)).toMatchObject({
    body: { items: [given.body.entry], nextCursor: null },
  })
  expect(await bob.get(`${at}?cursor=${UNKNOWN}`)).toFailWith(400, 'cursor_unknown')

  // a block hides the person and their note, but not the entry
  await bob.post('/users/alice/block')
  expect((await bob.get<Treasury>(at)).body.items[1]).toEqual({
    ...given.body.entry,
    ...{ actor: null, counterpart: null, note: null },
  })
  await bob.delete('/users/alice/block')
})

test('An Idempotency-Key moves mana once', async () => {
  const key = { 'idempotency-key': crypto.randomUUID() }
  const once = () => alice.post<{ treasuryBalance: number }>(`${at}/contribute`, { amount: 3 }, key)
  const answers = await Promise.all([once(), once(), once()])
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(answers[0]).toMatchObject({ status: 201, body: { treasuryBalance: 9 } })
  expect((await bob.get<Treasury>(at)).body.balance).toBe(9)
  expect(await alice.post(`${at}/contribute`, { amount: 4 }, key)).toFailWith(422, 'idempotency_key_reused')
})

test('A distribution is proportional to contribution, exact to the unit', async () => {
  const spread = (amount: number) => admin.post(`${at}/distribute-by-contribution`, { amount, note: 'Thanks' })
  await owner`delete from app.contribution_scores`
  expect(await spread(1)).toFailWith(409, 'nothing_to_weigh')
  await owner`insert into app.contribution_scores (user_id, score) values (${alice.id}, 2), (${bob.id}, 1), (${carla.id}, 9)`
  expect(await spread(100)).toFailWith(409, 'insufficient_mana')
  const { balance: before, items } = (await bob.get<Treasury>(at)).body
  const done = await spread(8)
  expect(done).toMatchObject({
    status: 201,
    body: {
      shares: [
        { recipientId: alice.actorId, score: 2, amount: 5 },
        { recipientId: bob.actorId, score: 1, amount: 3 },
      ],
      treasuryBalance: before - 8,
    },
  })
  const after = (await bob.get<Treasury>(at)).body
  expect(after.items.slice(0, 2).map(({ kind, amount, balanceAfter }) => [kind, amount, balanceAfter])).toEqual([
    ['distribution', -3, before - 8],
    ['distribution', -5, before - 5],
  ])
  expect(after.items).toHaveLength(items.length + 2)
  expect([
    ...(await owner`select * from private.audit_mana() union all select * from private.audit_treasuries()`),
  ]).toEqual([])
})

test('Movements count toward the hourly limit of the person who makes them', async () => {
  const scale = (by: string) => owner`update app.settings set value = ${by} where key = 'rate_limit_scale'`
  const perHour = (number: number) =>
    owner`update private.write_limits set per_hour = ${number} where kind = 'movements'`
  const [was] = await owner<{ value: string }[]>`select value from app.settings where key = 'rate_limit_scale'`
  await scale('1')
  const [used] = await owner<{ used: number }[]>`
    select used from private.write_counts where user_id = ${admin.id} and kind = 'movements'`
  await perHour((used?.used ?? 0) + 3)
  const entries = async () => (await owner`select from app.treasury_entries where guild_id = ${guild}`).length
  const before = await entries()
  const moves = routes.slice(1)
  for (const [method, path, body] of moves)
    expect((await admin.request(method, path.replace(':id', guild), body)).status).toBe(201)
  const done = await entries()
  expect(done - before).toBeGreaterThanOrEqual(moves.length)
  for (const [method, path, body] of moves)
    expect(await admin.request(method, path.replace(':id', guild), body)).toFailWith(429, 'writes_exceeded')
  expect((await alice.post(`${at}/contribute`, { amount: 1 })).status).toBe(201)
  expect(await entries()).toBe(done + 1)
  await perHour(300)
  await scale(was?.value ?? '1')
})

test('An archived guild’s treasury accepts and pays nothing, and its members can still read it', async () => {
  await owner`update app.spaces set archived_at = now() where id = ${guild}`
  for (const [method, path, body] of routes.slice(1))
    expect(await admin.request(method, path.replace(':id', guild), body)).toFailWith(409, 'space_archived')
  expect(await bob.get(at)).toMatchObject({ status: 200 })
})
