// Groups over HTTP. For sequences of steps see test/model/membership.test.ts, for who may do what test/db/groups.
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { type Page, UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database, join } = await world()

type Id = { id: string }
type Group = Id & { slug: string; memberCount: number; viewer: { role: string | null; status: string } }
type Member = { userId: string; role: string }

const newGroup = async (who: Person, more: object = {}) =>
  (await who.post<Group>('/groups', { name: 'Mushroom Hunters', ...more })).body
const card = async (who: Person, group: string) => (await who.get<Group>(`/groups/${group}`)).body
const members = async (who: Person, group: string) =>
  (await who.get<Page<Member>>(`/groups/${group}/members`)).body.items.map(({ userId, role }) => `${userId} ${role}`)
async function pages<T>(who: Person, path: string): Promise<T[]> {
  const found: T[] = []
  for (let next: string | null = ''; next !== null; ) {
    const { body }: { body: Page<T> } = await who.get<Page<T>>(path + next)
    found.push(...body.items)
    next = body.nextCursor && `&cursor=${body.nextCursor}`
  }
  return found
}
const noticesOf = async (who: Person, group: string) => {
  await applyEffects(database.owner)
  type Notice = { kind: string; payload: { event: string; groupId: string } }
  const { body } = await who.get<Page<Notice>>('/notifications')
  return body.items.filter(({ payload }) => payload.groupId === group).map(({ payload }) => payload.event)
}

const named: [string, string, object?][] = [
  ['GET', '/groups/:id'],
  ['PATCH', '/groups/:id', { about: 'All of them' }],
  ['DELETE', '/groups/:id'],
  ['POST', '/groups/:id/restore'],
  ['POST', '/groups/:id/join', {}],
  ['POST', '/groups/:id/leave'],
  ['GET', '/groups/:id/members'],
  ['PATCH', '/groups/:id/members/carla', { role: 'moderator' }],
  ['DELETE', '/groups/:id/members/carla'],
  ['GET', '/groups/:id/bans'],
  ['DELETE', '/groups/:id/bans/carla'],
  ['GET', '/groups/:id/join-requests'],
  [`POST`, `/groups/:id/join-requests/${UNKNOWN}/approve`],
  [`POST`, `/groups/:id/join-requests/${UNKNOWN}/reject`],
  ['POST', '/groups/:id/invitations', { inviteeId: 'carla' }],
  ['GET', '/groups/:id/invitations'],
  ['DELETE', `/groups/:id/invitations/${UNKNOWN}`],
]
const hidden = await newGroup(alice, { visibility: 'private', slug: 'hidden-ones' })
const open = await newGroup(alice, { slug: 'open-ones' })

describe.each(named)('%s %s', (method, path, body) => {
  test('requires a token, and gives the same answer for a private group as for an unknown one', async () => {
    const at = (id: string) => path.replace(':id', id)
    expect(await nobody.request(method, at(open.id), body)).toFailWith(401, 'token_missing')
    const unknown = await bob.request(method, at(UNKNOWN), body)
    expect(unknown).toFailWith(404, 'space_unknown')
    for (const id of [hidden.id, hidden.slug, 'no-such-group'])
      expect(await bob.request(method, at(id), body)).toMatchObject({ status: 404, text: unknown.text })
    expect(await bob.request(method, at('x'.repeat(61)), body)).toFailWith(422, 'validation_failed')
  })

  test('requires a member unless it is open to everyone', async () => {
    if (method === 'GET' && /:id$|members$/.test(path)) return
    if (/join$|leave$/.test(path)) return
    expect(await bob.request(method, path.replace(':id', open.id), body)).toFailWith(403, 'space_not_member')
  })
})

test.each([
  ['GET', '/groups'],
  ['POST', '/groups'],
  ['GET', '/groups/invitations/me'],
  ['POST', `/groups/invitations/${UNKNOWN}/accept`],
  ['POST', `/groups/invitations/${UNKNOWN}/decline`],
  ['POST', `/groups/${UNKNOWN}/join-requests/${UNKNOWN}/withdraw`],
])('%s %s requires a token', async (method, path) => {
  expect(await nobody.request(method, path)).toFailWith(401, 'token_missing')
  if (!path.includes(UNKNOWN)) return
  expect(await alice.request(method, path)).toMatchObject({ status: 404 })
  expect(await alice.request(method, path.replaceAll(UNKNOWN, 'x'))).toFailWith(422, 'validation_failed')
})

describe('POST /groups', () => {
  test('creates a group, with a slug made from its name', async () => {
    const [maker] = await join('maker')
    const who = maker ?? alice
    const made = await who.post<Group>('/groups', { name: ' Blåbär & Söner ', about: ' Berries ', accent: 'sage' })
    expect(made).toMatchObject({
      status: 201,
      body: {
        slug: 'blabar-soner',
        name: 'Blåbär & Söner',
        about: 'Berries',
        interestId: null,
        accent: 'sage',
        visibility: 'public',
        joinPolicy: 'open',
        memberCount: 1,
        archivedAt: null,
        viewer: { role: 'owner', status: 'member', requestId: null },
      },
    })
    expect((await who.get(`/groups/${made.body.slug}`)).text).toBe(made.text)
    expect((await who.post<Group>('/groups', { name: 'blabar soner' })).body.slug).toMatch(/^blabar-soner-[0-9a-f]{8}$/)
    expect(await who.get<Page<Group>>('/groups?mine=true&q=berries')).toMatchObject({ body: { items: [made.body] } })
  })

  test.each([
    [{}, 'validation_failed'],
    [{ name: '' }, 'validation_failed'],
    [{ name: 'x', visibility: 'secret' }, 'validation_failed'],
    [{ name: 'x', slug: 'No' }, 'space_slug'],
    [{ name: 'x', slug: UNKNOWN }, 'space_slug'],
    [{ name: 'x', about: 'é'.repeat(2001) }, 'space_about'],
    [{ name: 'a\nb' }, 'text_unfit'],
  ])('rejects %j with 422', async (body, code) => {
    expect(await alice.post('/groups', body)).toFailWith(422, code)
  })

  test('accepts a slug only once, and requires an existing interest', async () => {
    expect(await bob.post('/groups', { name: 'x', slug: 'hidden-ones' })).toFailWith(409, 'space_slug_taken')
    expect(await bob.post('/groups', { name: 'x', interestId: UNKNOWN })).toFailWith(404, 'interest_unknown')
  })
})

test('Public groups are found by everyone, private ones only by their members, page by page', async () => {
  const [finder] = await join('finder')
  const who = finder ?? alice
  const mine = await newGroup(who, { name: 'Owls', visibility: 'private' })
  for (const joinPolicy of ['open', 'request']) await newGroup(carla, { name: `Owls ${joinPolicy}`, joinPolicy })
  const ids = async (person: Person, query: string) =>
    pages<Group>(person, `/groups?limit=1&${query}`).then((all) => all.map(({ slug }) => slug))
  expect(await ids(who, 'q=owls')).toEqual(['owls-request', 'owls-open', mine.slug])
  expect(await ids(bob, 'q=owls')).toEqual(['owls-request', 'owls-open'])
  expect(await ids(bob, 'q=owls&joinPolicy=request')).toEqual(['owls-request'])
  expect(await ids(who, 'mine=true')).toEqual([mine.slug])
  expect(await bob.get(`/groups?cursor=${mine.id}`)).toFailWith(400, 'cursor_unknown')
  expect(await bob.get('/groups?interestId=x')).toFailWith(422, 'validation_failed')
})

test('A person who joins an open group becomes a member, and can leave again', async () => {
  const group = await newGroup(alice, { name: 'Comers' })
  for (let i = 0; i < 2; i++)
    expect(await bob.post(`/groups/${group.id}/join`)).toMatchObject({ status: 200, body: { status: 'joined' } })
  expect(await members(carla, group.slug)).toEqual([`${alice.actorId} owner`, `${bob.actorId} member`])
  expect(await alice.post(`/groups/${group.id}/leave`)).toFailWith(409, 'last_owner')
  for (let i = 0; i < 2; i++)
    expect(await bob.post(`/groups/${group.id}/leave`)).toMatchObject({ status: 200, body: { status: 'left' } })
  expect(await alice.post(`/groups/${group.id}/leave`)).toMatchObject({ status: 200 })
  expect(await card(carla, group.id)).toMatchObject({ memberCount: 0, archivedAt: expect.any(String) })
  expect(await bob.post(`/groups/${group.id}/join`)).toFailWith(409, 'space_archived')
})

test('A join request is pending until it is decided, and the person is notified', async () => {
  const group = await newGroup(alice, { joinPolicy: 'request' })
  const at = `/groups/${group.id}/join-requests`
  const ask = async (message: string) =>
    (await bob.post<{ requestId: string }>(`/groups/${group.id}/join`, { message })).body.requestId
  const asked = await ask('Let me in')
  expect(await ask('Again')).toBe(asked)
  expect(await card(bob, group.id)).toMatchObject({ viewer: { status: 'pending', requestId: asked }, memberCount: 1 })
  expect(await alice.get(at)).toMatchObject({
    body: { items: [{ id: asked, groupId: group.id, userId: bob.actorId, message: 'Let me in', status: 'pending' }] },
  })
  expect(await bob.get(at)).toFailWith(403, 'space_not_member')
  expect(await carla.post(`${at}/${asked}/withdraw`)).toFailWith(404, 'request_unknown')
  expect(await alice.post(`${at}/${asked}/withdraw`)).toFailWith(403, 'request_not_yours')
  expect(await bob.post(`${at}/${asked}/withdraw`)).toMatchObject({ status: 200, body: { status: 'withdrawn' } })
  expect(await alice.post(`${at}/${asked}/approve`)).toFailWith(409, 'request_settled')
  expect(await alice.post(`${at}/${await ask('')}/reject`)).toMatchObject({ status: 200, body: { status: 'rejected' } })
  const last = await ask('')
  expect(await alice.post(`${at}/${last}/approve`)).toMatchObject({ status: 200, body: { status: 'approved' } })
  expect(await alice.post(`${at}/${last}/approve`)).toFailWith(409, 'request_settled')
  expect(await card(bob, group.id)).toMatchObject({ viewer: { role: 'member', status: 'member' }, memberCount: 2 })
  expect(await noticesOf(bob, group.id)).toEqual(['approved', 'rejected'])
  expect(await bob.post(`/groups/${group.id}/join`, { message: 'x'.repeat(501) })).toMatchObject({ status: 200 })
  expect(await carla.post(`/groups/${group.id}/join`, { message: 'x'.repeat(501) })).toFailWith(422, 'space_message')
  const open = await newGroup(alice)
  expect(await carla.post(`/groups/${open.id}/join`, { message: 'x'.repeat(501) })).toFailWith(422, 'space_message')
  expect(await carla.post(`/groups/${open.id}/join`, { message: 'x'.repeat(500) })).toMatchObject({ status: 200 })
})

test('An invitation lets the invited person see and join a private group', async () => {
  const group = await newGroup(alice, { visibility: 'private', joinPolicy: 'invite' })
  const at = `/groups/${group.id}/invitations`
  const invite = (who: Person, inviteeId: string) => who.post<Id>(at, { inviteeId })
  expect(await alice.post(at, {})).toFailWith(422, 'validation_failed')
  expect(await invite(alice, 'nobody_here')).toFailWith(404, 'person_unknown')
  expect(await invite(alice, 'alice')).toFailWith(400, 'invite_oneself')
  const made = await invite(alice, 'bob')
  expect(made).toMatchObject({
    status: 201,
    body: {
      groupId: group.id,
      group: { slug: group.slug },
      inviterId: alice.actorId,
      inviteeId: bob.actorId,
      status: 'pending',
    },
  })
  expect(await invite(alice, 'bob')).toFailWith(409, 'space_invitation_pending')
  expect(await alice.get(at)).toMatchObject({ body: { items: [made.body] } })
  expect(await bob.get('/groups/invitations/me')).toMatchObject({ body: { items: [made.body] } })
  expect(await card(bob, group.id)).toMatchObject({ viewer: { status: 'invited' } })
  expect(await noticesOf(bob, group.id)).toEqual(['invited'])
  expect(await carla.post(`/groups/invitations/${made.body.id}/accept`)).toFailWith(404, 'invitation_unknown')

  expect(await alice.request('DELETE', `${at}/${made.body.id}`)).toMatchObject({ status: 204 })
  expect(await alice.request('DELETE', `${at}/${made.body.id}`)).toFailWith(409, 'invitation_settled')
  expect(await bob.get(`/groups/${group.id}`)).toFailWith(404, 'space_unknown')
  const second = (await invite(alice, 'bob')).body.id
  expect(await bob.post(`/groups/invitations/${second}/decline`)).toMatchObject({ body: { status: 'declined' } })
  const third = (await invite(alice, 'bob')).body.id
  expect(await bob.post(`/groups/invitations/${third}/accept`)).toMatchObject({
    status: 200,
    body: { status: 'accepted' },
  })
  expect(await bob.post(`/groups/invitations/${third}/accept`)).toFailWith(409, 'invitation_settled')
  expect(await invite(alice, 'bob')).toFailWith(409, 'space_member_already')
  expect(await invite(bob, 'carla')).toFailWith(403, 'space_role')

  // across a block the invitation is invisible
  await invite(alice, 'carla')
  await carla.post('/users/alice/block')
  expect(await carla.get('/groups/invitations/me')).toMatchObject({ body: { items: [] } })
  expect(await carla.get(`/groups/${group.id}`)).toFailWith(404, 'space_unknown')
  await carla.request('DELETE', '/users/alice/block')
  const another = await newGroup(alice, { joinPolicy: 'invite' })
  expect(await carla.post(`/groups/${another.id}/join`)).toFailWith(403, 'invitation_required')
})

test('Members get roles, are removed and banned, and ownership is transferred', async () => {
  const group = await newGroup(alice)
  const [dora] = await join('dora')
  for (const who of [bob, carla, dora ?? bob]) await who.post(`/groups/${group.id}/join`)
  const role = (who: Person, whom: string, to: string) =>
    who.request('PATCH', `/groups/${group.id}/members/${whom}`, { role: to })
  const remove = (who: Person, whom: string, query = '') =>
    who.request('DELETE', `/groups/${group.id}/members/${whom}${query}`)

  expect(await role(alice, 'bob', 'king')).toFailWith(422, 'validation_failed')
  expect(await role(bob, 'carla', 'moderator')).toFailWith(403, 'space_role')
  expect(await role(alice, 'bob', 'moderator')).toMatchObject({
    status: 200,
    body: { userId: bob.actorId, role: 'moderator' },
  })
  expect(await role(alice, 'alice', 'member')).toFailWith(409, 'last_owner')
  expect(await bob.request('PATCH', `/groups/${group.id}`, { visibility: 'private' })).toFailWith(403, 'space_role')
  expect(await bob.request('PATCH', `/groups/${group.id}`, { about: 'Fungi', accent: null })).toMatchObject({
    status: 200,
    body: { about: 'Fungi', accent: null, viewer: { role: 'moderator' } },
  })
  expect(await alice.request('PATCH', `/groups/${group.id}`, { name: '' })).toFailWith(422, 'validation_failed')
  expect(await remove(bob, 'alice')).toFailWith(403, 'space_role')
  for (let i = 0; i < 2; i++) expect(await remove(bob, 'carla', '?ban=true')).toMatchObject({ status: 204 })
  expect(await carla.post(`/groups/${group.id}/join`)).toFailWith(403, 'space_banned')
  expect(await card(carla, group.id)).toMatchObject({ viewer: { status: 'banned' } })
  expect(await alice.get(`/groups/${group.id}/bans`)).toMatchObject({ body: { items: [{ userId: carla.actorId }] } })
  expect(await alice.post(`/groups/${group.id}/invitations`, { inviteeId: 'carla' })).toFailWith(
    409,
    'space_invitee_banned',
  )
  for (let i = 0; i < 2; i++)
    expect(await alice.request('DELETE', `/groups/${group.id}/bans/carla`)).toMatchObject({ status: 204 })
  await carla.post(`/groups/${group.id}/join`)
  expect(await role(alice, 'carla', 'owner')).toMatchObject({ status: 200, body: { role: 'owner' } })
  expect(await members(bob, group.id)).toEqual([
    `${carla.actorId} owner`,
    `${alice.actorId} moderator`,
    `${bob.actorId} moderator`,
    `${dora?.actorId} member`,
  ])
  expect((await pages<Member>(bob, `/groups/${group.id}/members?limit=1`)).map(({ role }) => role)).toEqual([
    'owner',
    'moderator',
    'moderator',
    'member',
  ])
  expect(await bob.get(`/groups/${group.id}/members?q=CARL`)).toMatchObject({
    body: { items: [{ userId: carla.actorId }] },
  })
  expect(await bob.get(`/groups/${group.id}/members?cursor=${UNKNOWN}`)).toFailWith(400, 'cursor_unknown')
  expect(await noticesOf(bob, group.id)).toEqual(['role_changed'])
  expect(await noticesOf(carla, group.id)).toEqual(['role_changed', 'removed'])

  // the count matches the list that the caller sees
  await bob.post('/users/dora/block')
  expect([(await card(bob, group.id)).memberCount, (await members(bob, group.id)).length]).toEqual([3, 3])
  expect(await remove(bob, 'dora')).toFailWith(404, 'person_unknown')
})

test('An archived group accepts no members, and its owner can restore it', async () => {
  const group = await newGroup(alice)
  for (let i = 0; i < 2; i++)
    expect(await alice.request('DELETE', `/groups/${group.id}`)).toMatchObject({ status: 204 })
  expect(await alice.post(`/groups/${group.id}/invitations`, { inviteeId: 'bob' })).toFailWith(409, 'space_archived')
  expect(await bob.post(`/groups/${group.id}/restore`)).toFailWith(403, 'space_not_member')
  expect(await alice.post(`/groups/${group.id}/restore`)).toMatchObject({ status: 200, body: { archivedAt: null } })
  expect(await bob.post(`/groups/${group.id}/join`)).toMatchObject({ status: 200 })
  const report = { targetType: 'group', targetId: group.id, reason: 'Too many mushrooms' }
  expect(await bob.post('/reports', report)).toMatchObject({
    status: 201,
    body: { targetType: 'group', targetId: group.id },
  })
  expect(await bob.post('/reports', { ...report, targetId: hidden.id })).toFailWith(404, 'space_unknown')
})
