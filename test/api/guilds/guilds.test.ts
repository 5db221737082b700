// Guilds over HTTP. For sequences of steps see test/model/membership.test.ts, for who may do what test/db/guilds.
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { type Page, UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, nobody, database, join } = await world()
const { owner } = database

type Id = { id: string }
type Guild = Id & { slug: string; memberCount: number; stewardCount: number; viewer: { role: string | null } }
type Member = { userId: string; role: string }

const catalog = await alice.get<Page<Id>>('/interests/catalog')
const interestId = catalog.body.items[0]?.id ?? ''
let made = 0
const found = (more: object = {}) => {
  made += 1
  return admin.post<Guild>('/guilds', { name: `Guild ${made}`, interestId, ...more })
}
const letIn = async (guild: string, ...people: Person[]) => {
  for (const who of people) {
    const { body } = await who.post<Id>(`/guilds/${guild}/applications`, {})
    expect(await admin.post(`/guilds/${guild}/applications/${body.id}/approve`)).toMatchObject({ status: 200 })
  }
}
const newGuild = async (...people: Person[]) => {
  const { body } = await found()
  await letIn(body.id, ...people)
  return body.id
}
const card = async (who: Person, guild: string) => (await who.get<Guild>(`/guilds/${guild}`)).body
const members = async (who: Person, guild: string) =>
  (await who.get<Page<Member>>(`/guilds/${guild}/members`)).body.items.map(({ userId, role }) => `${userId} ${role}`)
const noticesOf = async (who: Person, guild: string) => {
  await applyEffects(owner)
  type Notice = { kind: string; payload: { event: string; guildId: string; role: string | null } }
  const { body } = await who.get<Page<Notice>>('/notifications')
  return body.items
    .filter(({ payload }) => payload.guildId === guild)
    .map(({ payload }) => [payload.event, payload.role].filter(Boolean).join(' '))
}

const open = (await found({ slug: 'open-ones' })).body

const named: [string, string, object?][] = [
  ['GET', '/guilds/:id'],
  ['PATCH', '/guilds/:id', { about: 'All of them' }],
  ['GET', '/guilds/:id/charter/versions'],
  ['POST', '/guilds/:id/applications', {}],
  ['GET', '/guilds/:id/applications'],
  [`POST`, `/guilds/:id/applications/${UNKNOWN}/approve`],
  [`POST`, `/guilds/:id/applications/${UNKNOWN}/reject`],
  ['GET', '/guilds/:id/members'],
  ['PATCH', '/guilds/:id/members/carla', { role: 'founder' }],
  ['POST', '/guilds/:id/leave'],
]
describe.each(named)('%s %s', (method, path, body) => {
  test('requires a token, an existing guild, and a member unless it is open to everyone', async () => {
    const at = (id: string) => path.replace(':id', id)
    expect(await nobody.request(method, at(open.id), body)).toFailWith(401, 'token_missing')
    for (const id of [UNKNOWN, 'no-such-guild'])
      expect(await bob.request(method, at(id), body)).toFailWith(404, 'space_unknown')
    expect(await bob.request(method, at('x'.repeat(61)), body)).toFailWith(422, 'validation_failed')
    if (method === 'GET' && /:id$|members$|versions$/.test(path)) return
    if (/applications$|leave$/.test(path) && method === 'POST') return
    expect(await bob.request(method, at(open.slug), body)).toFailWith(403, 'space_not_member')
  })
})

test.each([
  ['GET', '/guilds'],
  ['POST', '/guilds'],
  ['GET', '/guilds/applications/me'],
  ['POST', `/guilds/${UNKNOWN}/applications/${UNKNOWN}/withdraw`],
])('%s %s requires a token', async (method, path) => {
  expect(await nobody.request(method, path)).toFailWith(401, 'token_missing')
  if (!path.includes(UNKNOWN)) return
  expect(await alice.request(method, path)).toFailWith(404, 'request_unknown')
  expect(await alice.request(method, path.replaceAll(UNKNOWN, 'x'))).toFailWith(422, 'validation_failed')
})

describe('POST /guilds', () => {
  test('creates a guild, with a slug made from its name, a charter and an empty treasury', async () => {
    const charter = '# We\n\nkeep lichens'
    const founded = await found({ name: 'Lichen Keepers', about: 'Slow', charter, minRep: 3, accent: 'sage' })
    const { id } = founded.body
    expect(founded).toMatchObject({
      status: 201,
      body: {
        ...{ slug: 'lichen-keepers', name: 'Lichen Keepers', about: 'Slow', charter, charterVersion: 1, interestId },
        ...{ minRep: 3, accent: 'sage', status: 'active', memberCount: 1, stewardCount: 0, treasuryBalance: 0 },
        ...{ archivedAt: null, viewer: { role: 'founder', status: 'member', applicationId: null } },
      },
    })
    expect((await admin.get('/guilds/lichen-keepers')).text).toBe(founded.text)
    expect(await card(bob, id)).toMatchObject({ charter, treasuryBalance: null, viewer: { role: null } })
    expect(await bob.get(`/guilds/${id}/charter/versions`)).toMatchObject({
      status: 200,
      body: { items: [{ version: 1, charter }], hasMore: false },
    })
    expect(await bob.get(`/guilds/${id}/charter/versions?cursor=${UNKNOWN}`)).toFailWith(400, 'cursor_unknown')
    for (const query of ['q=lichen', `interestId=${interestId}&q=keepers`])
      expect(await bob.get(`/guilds?${query}`)).toMatchObject({ body: { items: [{ id }], hasMore: false } })
    expect(await bob.get('/guilds?mine=true')).toMatchObject({ body: { items: [] } })
    const report = { targetType: 'guild', targetId: 'lichen-keepers', reason: 'Too slow' }
    expect(await bob.post('/reports', report)).toMatchObject({ status: 201, body: { targetType: 'guild' } })
  })

  test.each([
    [{ name: '' }, 422, 'validation_failed'],
    [{ interestId: null }, 422, 'validation_failed'],
    [{ interestId: UNKNOWN }, 404, 'interest_unknown'],
    [{ minRep: 1001 }, 422, 'validation_failed'],
    [{ charter: 'é'.repeat(20_001) }, 422, 'guild_charter'],
    [{ about: 'é'.repeat(2001) }, 422, 'space_about'],
    [{ slug: 'No' }, 422, 'space_slug'],
    [{ slug: 'open-ones' }, 409, 'space_slug_taken'],
  ])('rejects %j', async (body, status, code) => {
    expect(await found(body)).toFailWith(status, code)
  })

  test('requires the capability to create guilds', async () => {
    expect(await alice.get('/access/me')).toMatchObject({ body: { canProposeGuild: false } })
    expect(await alice.post('/guilds', { name: 'Mine', interestId })).toFailWith(403, 'guild_not_allowed')
  })
})

test('The founder can change a guild’s description, and no other fields', async () => {
  const guild = await newGuild(bob)
  const changes = { name: 'Ours', about: null, minRep: 7, accent: null, charter: 'x', visibility: 'private' }
  expect(await bob.request('PATCH', `/guilds/${guild}`, changes)).toFailWith(403, 'space_role')
  expect(await admin.request('PATCH', `/guilds/${guild}`, { minRep: -1 })).toFailWith(422, 'validation_failed')
  expect(await admin.request('PATCH', `/guilds/${guild}`, changes)).toMatchObject({
    status: 200,
    body: { name: 'Ours', about: '', minRep: 7, charter: '', charterVersion: 1 },
  })
  expect(await carla.get(`/guilds/${guild}`)).toMatchObject({ status: 200 })
})

test('An application is pending until it is decided, and the person is notified', async () => {
  const { id } = (await found()).body
  const at = `/guilds/${id}/applications`
  const asked = await bob.post<Id>(at, { message: 'Let me in' })
  expect(asked).toMatchObject({
    status: 201,
    body: { guildId: id, userId: bob.actorId, message: 'Let me in', status: 'pending', decidedAt: null },
  })
  expect(await bob.post(at, {})).toFailWith(409, 'application_pending')
  expect(await card(bob, id)).toMatchObject({ viewer: { status: 'pending', applicationId: asked.body.id } })
  expect(await admin.get(at)).toMatchObject({ body: { items: [asked.body] } })
  expect((await bob.get<Page<Id>>('/guilds/applications/me')).body.items[0]).toEqual(asked.body)
  expect(await carla.get('/guilds/applications/me')).toMatchObject({ body: { items: [] } })
  expect(await carla.post(`${at}/${asked.body.id}/withdraw`)).toFailWith(404, 'request_unknown')
  expect(await bob.post(`${at}/${asked.body.id}/withdraw`)).toMatchObject({
    status: 200,
    body: { status: 'withdrawn' },
  })
  expect(await admin.post(`${at}/${asked.body.id}/approve`)).toFailWith(409, 'request_settled')
  const second = (await bob.post<Id>(at)).body.id
  expect(await admin.post(`${at}/${second}/reject`)).toMatchObject({ status: 200, body: { status: 'rejected' } })
  const third = (await bob.post<Id>(at, {})).body.id
  expect(await admin.post(`${at}/${third}/approve`)).toMatchObject({ status: 200, body: { status: 'approved' } })
  expect(await bob.post(at, {})).toFailWith(409, 'space_member_already')
  expect(await card(bob, id)).toMatchObject({ treasuryBalance: 0, viewer: { role: 'member', status: 'member' } })
  expect(await noticesOf(bob, id)).toEqual(['approved', 'rejected'])
  const mine = await bob.get<Page<Id>>('/guilds/applications/me?limit=2')
  expect(mine.body.items.map((one) => one.id)).toEqual([third, second])
  expect(await bob.get(`/guilds/applications/me?limit=1&cursor=${mine.body.nextCursor}`)).toMatchObject({
    body: { items: [{ id: asked.body.id }] },
  })
  expect(await carla.post(at, { message: 'x'.repeat(501) })).toFailWith(422, 'space_message')
})

test('An applicant needs the reputation that the guild requires', async () => {
  const { id } = (await found({ minRep: 5 })).body
  const at = `/guilds/${id}/applications`
  expect(await carla.post(at, {})).toFailWith(403, 'reputation_too_low')
  expect(await card(carla, id)).toMatchObject({ viewer: { status: 'none' } })
  expect(await admin.request('PATCH', `/guilds/${id}`, { minRep: 0 })).toMatchObject({ status: 200 })
  expect(await carla.post(at, {})).toMatchObject({ status: 201 })
})

test('The founder can transfer the role and then leave', async () => {
  const [dora] = await join('dora')
  const guild = await newGuild(alice, bob, dora ?? bob)
  const hand = (who: Person, whom: string, role = 'founder') =>
    who.request('PATCH', `/guilds/${guild}/members/${whom}`, { role })
  expect(await admin.post(`/guilds/${guild}/leave`)).toFailWith(409, 'last_owner')
  for (const role of ['steward', 'member', 'owner'])
    expect(await hand(admin, 'alice', role)).toFailWith(422, 'validation_failed')
  expect(await hand(bob, 'alice')).toFailWith(403, 'space_role')
  expect(await hand(admin, 'carla')).toFailWith(404, 'space_member_unknown')
  expect(await hand(admin, 'alice')).toMatchObject({ status: 200, body: { userId: alice.actorId, role: 'founder' } })
  expect(await members(carla, guild)).toEqual([
    `${alice.actorId} founder`,
    `${admin.actorId} steward`,
    `${bob.actorId} member`,
    `${dora?.actorId} member`,
  ])
  expect(await card(carla, guild)).toMatchObject({ memberCount: 4, stewardCount: 1 })
  expect(await noticesOf(alice, guild)).toEqual(['role_changed founder', 'approved'])
  expect(await bob.get(`/guilds/${guild}/members?q=ALIC`)).toMatchObject({
    body: { items: [{ userId: alice.actorId }] },
  })
  // the count matches the list that the caller sees
  await dora?.post('/users/bob/block')
  expect([(await card(bob, guild)).memberCount, (await members(bob, guild)).length]).toEqual([3, 3])

  for (const who of [bob, dora ?? bob, admin])
    for (let i = 0; i < 2; i++)
      expect(await who.post(`/guilds/${guild}/leave`)).toMatchObject({ status: 200, body: { status: 'left' } })
  expect(await card(bob, guild)).toMatchObject({ treasuryBalance: null, viewer: { status: 'none' } })
  expect(await alice.post(`/guilds/${guild}/leave`)).toMatchObject({ status: 200 })
  expect(await card(bob, guild)).toMatchObject({ status: 'archived', memberCount: 0, archivedAt: expect.any(String) })
  expect(await bob.post(`/guilds/${guild}/applications`, {})).toFailWith(409, 'space_archived')
})

test('Posts in a guild are visible only to its members, as in groups', async () => {
  const guild = await newGuild(alice)
  const at = `/guilds/${guild}/posts`
  for (const body of [undefined, { body: 'x' }]) {
    const ask = (who: Person, path = at) => who.request(body ? 'POST' : 'GET', path, body)
    expect(await ask(nobody)).toFailWith(401, 'token_missing')
    expect(await ask(alice, `/guilds/${UNKNOWN}/posts`)).toFailWith(404, 'space_unknown')
    expect(await ask(alice, `/guilds/${'x'.repeat(61)}/posts`)).toFailWith(422, 'validation_failed')
  }
  const said = await alice.post<Id>(at, { body: 'Slowly' })
  expect(said).toMatchObject({ status: 201, body: { guildId: guild, groupId: null, visibility: 'public' } })
  expect(await bob.post(at, { body: 'Me too' })).toFailWith(403, 'space_not_member')
  expect(await alice.post(at, { body: 'x', groupId: guild })).toFailWith(422, 'content_space')
  expect(await admin.get(at)).toMatchObject({ status: 200, body: { items: [{ id: said.body.id }] } })
  expect(await bob.get(at)).toFailWith(403, 'space_not_member')
  expect(await bob.get(`/posts/${said.body.id}`)).toFailWith(404, 'post_unknown')
  await owner`update app.spaces set archived_at = now() where id = ${guild}`
  expect(await alice.post(at, { body: 'x' })).toFailWith(409, 'space_archived')
})
