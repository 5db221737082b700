// Circles, members, invitations and blocks over HTTP. Who may do what in every state: test/db/social.
import { describe, expect, test } from 'vitest'
import type { Answer } from '../support/crawler.ts'
import type { Person } from '../support/person.ts'
import { world } from '../support/world.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const { alice, bob, carla, admin, nobody, database, join } = await world()

type Circle = { id: string; name: string; kind: string; accent: string | null; isOwner: boolean }
type Invitation = { id: string; status: string }
type Page<Item> = { items: Item[]; nextCursor: string | null; hasMore: boolean }

async function newCircle(owner: Person, more: object = {}): Promise<string> {
  const { status, body } = await owner.post<Circle>('/circles/me', { name: 'Friends', kind: 'custom', ...more })
  expect(status).toBe(201)
  return body.id
}

async function invite(owner: Person, circle: string, invitee: Person, more: object = {}): Promise<string> {
  const answer = await owner.post<Invitation>(`/circles/me/${circle}/invitations`, {
    inviteeId: invitee.actorId,
    ...more,
  })
  expect(answer).toMatchObject({ status: 201, body: { status: 'pending' } })
  return answer.body.id
}

/** Every item of a list, page by page. */
async function walk<Item extends { id: string }>(person: Person, path: string, limit: number): Promise<string[]> {
  const ids: string[] = []
  let next: string | null = ''
  while (next !== null) {
    const page: Answer<Page<Item>> = await person.get(`${path}?limit=${limit}${next}`)
    expect([page.status, page.body.hasMore]).toEqual([200, page.body.nextCursor !== null])
    ids.push(...page.body.items.map(({ id }) => id))
    next = page.body.nextCursor && `&cursor=${page.body.nextCursor}`
  }
  return ids
}

const names = async (person: Person) =>
  (await person.get<Page<Circle>>('/circles?limit=50')).body.items.map(({ name }) => name)

/** Every spelling of the feature, about this circle, member and invitation. */
const routes = (circle: string, member: string, invitation: string): [string, string, object?][] => [
  ['GET', '/circles/me'],
  ['GET', '/circles'],
  ['POST', '/circles/me', { name: 'Friends' }],
  ['POST', '/circles', { name: 'Friends' }],
  ['PATCH', `/circles/me/${circle}`, { name: 'Others' }],
  ['DELETE', `/circles/me/${circle}`],
  ['GET', `/circles/me/${circle}/members`],
  ['POST', `/circles/me/${circle}/members`, { memberId: member }],
  ['PATCH', `/circles/me/${circle}/members/${member}`, { bondLevel: 'inner-circle' }],
  ['DELETE', `/circles/me/${circle}/members/${member}`],
  ['POST', `/circles/me/${circle}/invitations`, { inviteeId: member }],
  ['POST', `/circles/${circle}/invite`, { inviteeId: member }],
  ['GET', `/circles/me/${circle}/invitations`],
  ['DELETE', `/circles/me/${circle}/invitations/${invitation}`],
  ['GET', '/circles/invitations/me'],
  ['POST', `/circles/invitations/${invitation}/accept`],
  ['POST', `/circles/invitations/${invitation}/decline`],
  ['POST', `/circles/invitations/${invitation}/respond`, { accept: true }],
  ['POST', `/users/${member}/block`],
  ['DELETE', `/users/${member}/block`],
]
const ofCircle = (path: string) => path.includes(UNKNOWN) && !path.startsWith('/circles/invitations')

describe('without a token', () => {
  test.each(routes(UNKNOWN, 'bob', UNKNOWN))('%s %s is 401', async (method, path, body) => {
    expect(await nobody.request(method, path, body)).toFailWith(401, 'token_missing')
    expect(await nobody.request(method, path.replaceAll(UNKNOWN, 'x'), body && {})).toFailWith(401, 'token_missing')
  })
})

describe('of an unknown circle or invitation', () => {
  test.each(routes(UNKNOWN, 'bob', UNKNOWN).filter(([, path]) => path.includes(UNKNOWN)))(
    '%s %s is 404, and 422 where the id is none',
    async (method, path, body) => {
      const word = ofCircle(path) ? 'circle_unknown' : 'invitation_unknown'
      expect(await alice.request(method, path, body)).toFailWith(404, word)
      expect(await alice.request(method, path.replaceAll(UNKNOWN, 'x'), body)).toFailWith(422, 'validation_failed')
    },
  )
})

describe('of a circle that one is only a member of', async () => {
  const circle = await newCircle(alice)
  await alice.post(`/circles/me/${circle}/members`, { memberId: 'bob' })
  const about = routes(circle, 'carla', UNKNOWN).filter(([, path]) => path.includes(circle))

  test.each(about)('%s %s is 403, and 404 to a stranger', async (method, path, body) => {
    expect(await bob.request(method, path, body)).toFailWith(403, 'circle_not_yours')
    const unknown = await carla.request(method, path.replace(circle, UNKNOWN), body)
    expect(await carla.request(method, path, body)).toMatchObject({ status: 404, text: unknown.text })
  })
})

describe.each(['/circles/me', '/circles'])('POST and GET %s', (path) => {
  test('makes a circle and lists it', async () => {
    const [owner] = await join(`maker_${path.length}`)
    const made = await owner?.post<Circle>(path, { name: ' Kin ', kind: 'family', accent: 'sage' })
    const { actorId, username } = owner ?? alice
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'Kin', kind: 'family', accent: 'sage', isOwner: true, ownerId: actorId, owner: { username } },
    })
    expect(await owner?.get(path)).toMatchObject({
      status: 200,
      body: { items: [made?.body], nextCursor: null, hasMore: false },
    })
  })

  test.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['blanks', { name: ' \n ' }],
    ['61 characters', { name: 'x'.repeat(61) }],
    ['another kind', { name: 'Kin', kind: 'secret' }],
    ['an accent that is no token', { name: 'Kin', accent: '#88aa88' }],
    ['a number', { name: 7 }],
    ['no object', []],
  ])('refuses %s', async (_what, body) => {
    expect(await alice.post(path, body)).toFailWith(422, 'validation_failed')
  })

  test.each(['limit=0', 'limit=51', 'limit=x', 'limit='])('refuses a list with %s', async (query) => {
    expect(await alice.get(`${path}?${query}`)).toFailWith(422, 'validation_failed')
  })

  test.each([UNKNOWN, 'x', ''])('refuses the cursor "%s"', async (cursor) => {
    expect(await alice.get(`${path}?cursor=${cursor}`)).toFailWith(400, 'cursor_unknown')
  })
})

describe('circles', async () => {
  const [owner, member] = (await join('olga', 'mia')) as [Person, Person]

  test('are at most 10 of a kind, also when all are made at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => owner.post('/circles', { name: 'Work', kind: 'work' })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(answer).toFailWith(409, 'circles_exhausted')
    await newCircle(owner, { kind: 'inner' })
  })

  test('are listed each once, own and others’, also those of the same moment', async () => {
    const joined = await newCircle(alice)
    await alice.post(`/circles/me/${joined}/members`, { memberId: 'olga' })
    await database.owner`update app.circles set created_at = '2026-01-01' where owner_id = ${owner.id}`
    const whole = await walk(owner, '/circles/me', 50)
    expect(whole[0]).toBe(joined)
    expect(new Set(whole).size).toBe(12)
    for (const limit of [1, 4, 11, 12]) expect(await walk(owner, '/circles', limit)).toEqual(whole)
  })

  test('are renamed, and their accent cleared', async () => {
    const path = `/circles/me/${await newCircle(owner, { accent: 'gold' })}`
    expect(await owner.patch(path, { name: ' Old friends ' })).toMatchObject({
      status: 200,
      body: { name: 'Old friends', accent: 'gold' },
    })
    expect(await owner.patch(path, { accent: null, ownerId: 'mia' })).toMatchObject({
      status: 200,
      body: { accent: null, isOwner: true },
    })
    expect(await owner.patch(path, { name: null })).toFailWith(422, 'validation_failed')
    expect(await owner.patch(path, { name: ' ' })).toFailWith(422, 'validation_failed')
    expect(await owner.patch(path, { accent: 'X' })).toFailWith(422, 'validation_failed')
  })

  test('are deleted with what is in them', async () => {
    const circle = await newCircle(owner)
    await owner.post(`/circles/me/${circle}/members`, { memberId: 'mia' })
    const invitation = await invite(owner, circle, bob)
    expect(await owner.delete(`/circles/me/${circle}`)).toMatchObject({ status: 204, text: '' })
    expect(await owner.delete(`/circles/me/${circle}`)).toFailWith(404, 'circle_unknown')
    expect(await names(member)).toEqual([])
    expect(await bob.post(`/circles/invitations/${invitation}/accept`)).toFailWith(404, 'invitation_unknown')
  })
})

describe('members', async () => {
  const circle = await newCircle(alice)
  const path = `/circles/me/${circle}/members`

  test('come in by actor id, handle or name, and are told', async () => {
    expect(await alice.post(path, { memberId: bob.actorId })).toMatchObject({
      status: 201,
      body: {
        circleId: circle,
        memberId: bob.actorId,
        member: { id: bob.actorId, username: 'bob' },
        bondLevel: 'acquaintance',
      },
    })
    expect(await alice.post(path, { memberId: '@carla', bondLevel: 'inner-circle' })).toMatchObject({
      status: 201,
      body: { bondLevel: 'inner-circle' },
    })
    expect(await bob.inbox('circle.added')).toContainEqual(expect.objectContaining({ payload: { circleId: circle } }))
  })

  test.each([
    ['bob', 409, 'member_already'],
    ['alice', 400, 'member_oneself'],
    ['zoe', 404, 'person_unknown'],
    ['acct:bob@elsewhere.example', 404, 'person_unknown'],
  ])('refuses %s', async (memberId, status, word) => {
    expect(await alice.post(path, { memberId })).toFailWith(status, word)
  })

  test.each([{}, { memberId: '' }, { memberId: 'carla', bondLevel: 'best' }])('refuses %o', async (body) => {
    expect(await alice.post(path, body)).toFailWith(422, 'validation_failed')
  })

  test('have a bond, which only the owner sees and changes', async () => {
    expect(await alice.patch(`${path}/bob`, { bondLevel: 'inner-circle' })).toMatchObject({
      status: 200,
      body: { bondLevel: 'inner-circle' },
    })
    expect(await alice.get<Page<{ memberId: string }>>(path)).toMatchObject({
      status: 200,
      body: { items: [{ memberId: bob.actorId }, { memberId: carla.actorId }], nextCursor: null, hasMore: false },
    })
    expect(await alice.patch(`${path}/admin`, { bondLevel: 'inner-circle' })).toFailWith(404, 'member_unknown')
    expect(await alice.patch(`${path}/zoe`, { bondLevel: 'inner-circle' })).toFailWith(404, 'person_unknown')
    expect(await alice.patch(`${path}/bob`, {})).toFailWith(422, 'validation_failed')
    expect(await alice.patch(`${path}/bob`, { bondLevel: 'best' })).toFailWith(422, 'validation_failed')
  })

  test('leave, and are removed', async () => {
    expect(await bob.delete(`${path}/bob`)).toMatchObject({ status: 204 })
    expect(await bob.delete(`${path}/bob`)).toFailWith(404, 'circle_unknown')
    expect(await alice.delete(`${path}/${carla.actorId}`)).toMatchObject({ status: 204 })
    expect(await alice.delete(`${path}/carla`)).toMatchObject({ status: 204 })
    expect(await alice.delete(`${path}/zoe`)).toFailWith(404, 'person_unknown')
    expect(await alice.get(path)).toMatchObject({ body: { items: [] } })
  })

  test('are at most 10, also when all are added at once', async () => {
    const crowd = Array.from({ length: 13 }, (_, n) => `crowd${n}`)
    await join(...crowd)
    const answers = await Promise.all(crowd.map((memberId) => alice.post(path, { memberId })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
    for (const answer of answers.filter(({ status }) => status !== 201)) expect(answer).toFailWith(409, 'circle_full')
    expect(await alice.post(path, { memberId: 'bob' })).toFailWith(409, 'circle_full')
    const invitation = await invite(alice, circle, bob)
    expect(await bob.post(`/circles/invitations/${invitation}/accept`)).toFailWith(409, 'circle_full')
    expect(await bob.get('/circles/invitations/me')).toMatchObject({
      body: { items: [{ id: invitation, status: 'pending' }] },
    })
    await alice.delete(`/circles/me/${circle}`)
  })
})

describe.each(['/circles/me/:id/invitations', '/circles/:id/invite'])('POST %s', (spelling) => {
  test.each(['inviteeId', 'invitee'])('invites by %s, and tells', async (field) => {
    const circle = await newCircle(alice)
    const path = spelling.replace(':id', circle)
    const answer = await alice.post<Invitation>(path, { [field]: 'bob', bondLevel: 'inner-circle' })
    expect(answer).toMatchObject({
      status: 201,
      body: {
        circleId: circle,
        circleName: 'Friends',
        inviterId: alice.actorId,
        inviteeId: bob.actorId,
        bondLevel: 'inner-circle',
        status: 'pending',
      },
    })
    const [told] = await bob.inbox('circle.invited')
    expect(told?.payload).toMatchObject({ invitationId: answer.body.id, circleId: circle })
    expect(await alice.post(path, { [field]: 'bob' })).toFailWith(409, 'invitation_pending')
    await bob.post(`/circles/invitations/${answer.body.id}/accept`)
    expect(await alice.post(path, { [field]: 'bob' })).toFailWith(409, 'member_already')
    expect(await alice.post(path, { [field]: 'alice' })).toFailWith(400, 'invite_oneself')
    expect(await alice.post(path, { [field]: 'zoe' })).toFailWith(404, 'person_unknown')
    expect(await alice.post(path, { [field]: 'carla', bondLevel: 'best' })).toFailWith(422, 'validation_failed')
    expect(await alice.post(path, {})).toFailWith(422, 'validation_failed')
    await alice.delete(`/circles/me/${circle}`)
  })
})

describe('invitations', async () => {
  const circle = await newCircle(alice)

  test.each([
    ['accept', undefined, 'accepted'],
    ['decline', undefined, 'declined'],
    ['respond', { accept: true }, 'accepted'],
    ['respond', { accept: false }, 'declined'],
  ])('are settled once by %s %o', async (action, body, status) => {
    const id = await invite(alice, circle, bob)
    const path = `/circles/invitations/${id}`
    for (const person of [alice, carla])
      expect(await person.post(`${path}/${action}`, body)).toFailWith(404, 'invitation_unknown')
    expect(await bob.post(`${path}/${action}`, body)).toMatchObject({ status: 200, body: { id, status } })
    const told = (await alice.inbox('circle.accepted')).filter(({ payload }) => payload.invitationId === id)
    expect(told).toHaveLength(status === 'accepted' ? 1 : 0)
    for (const other of ['accept', 'decline'])
      expect(await bob.post(`${path}/${other}`)).toFailWith(409, 'invitation_settled')
    expect(await bob.post(`${path}/respond`, { accept: true })).toFailWith(409, 'invitation_settled')
    expect(await alice.delete(`/circles/me/${circle}/invitations/${id}`)).toFailWith(409, 'invitation_settled')
    await alice.delete(`/circles/me/${circle}/members/bob`)
  })

  test('are accepted once when many accept at once', async () => {
    const id = await invite(alice, circle, bob)
    const answers = await Promise.all(Array.from({ length: 10 }, () => bob.post(`/circles/invitations/${id}/accept`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)])
    await alice.delete(`/circles/me/${circle}/members/bob`)
  })

  test('are taken back by the inviter alone', async () => {
    const id = await invite(alice, circle, bob)
    const path = `/circles/me/${circle}/invitations/${id}`
    expect(await bob.delete(path)).toFailWith(404, 'circle_unknown')
    const another = await newCircle(alice)
    expect(await alice.delete(path.replace(circle, another))).toFailWith(404, 'invitation_unknown')
    expect(await alice.delete(path)).toMatchObject({ status: 204 })
    expect(await alice.delete(path)).toFailWith(409, 'invitation_settled')
    expect(await bob.post(`/circles/invitations/${id}/accept`)).toFailWith(409, 'invitation_settled')
    await alice.delete(`/circles/me/${another}`)
  })

  test.each([{}, { accept: 'yes' }, { accept: null }])('refuse the answer %o', async (body) => {
    const id = await invite(alice, await newCircle(alice), bob)
    expect(await bob.post(`/circles/invitations/${id}/respond`, body)).toFailWith(422, 'validation_failed')
  })

  test('are listed each once to inviter and invitee, also those of the same moment, and settled ones not', async () => {
    const people = await join('ida', 'ian', 'ivo', 'ines')
    const [invitee] = people as [Person]
    const sent = await Promise.all(people.map((person) => invite(alice, circle, person)))
    const got = [sent[0] ?? '']
    for (let n = 0; n < 4; n++) got.push(await invite(carla, await newCircle(carla), invitee))
    await database.owner`update app.circle_invitations set created_at = '2026-01-01' where status = 'pending'`
    const gone = await invite(alice, circle, bob)
    await bob.post(`/circles/invitations/${gone}/decline`)

    for (const [person, path, ids] of [
      [alice, `/circles/me/${circle}/invitations`, sent],
      [invitee, '/circles/invitations/me', got],
    ] as const) {
      const whole = await walk(person, path, 50)
      expect([...whole].sort()).toEqual([...ids].sort())
      for (const limit of [1, 2, 3]) expect(await walk(person, path, limit)).toEqual(whole)
      expect(await person.get(`${path}?cursor=${UNKNOWN}`)).toFailWith(400, 'cursor_unknown')
      expect(await person.get(`${path}?cursor=x`)).toFailWith(400, 'cursor_unknown')
      expect(await person.get(`${path}?limit=0`)).toFailWith(422, 'validation_failed')
    }
    const next = await alice.get<Page<Invitation>>(`/circles/me/${circle}/invitations?cursor=${gone}`)
    expect(next.body.items).toHaveLength(4)
  })
})

describe('a block', async () => {
  const [ann, ben] = (await join('ann', 'ben')) as [Person, Person]
  const circles = { ann: await newCircle(ann, { name: 'Ann’s' }), ben: await newCircle(ben, { name: 'Ben’s' }) }
  await ann.post(`/circles/me/${circles.ann}/members`, { memberId: 'ben' })
  await ben.post(`/circles/me/${circles.ben}/members`, { memberId: 'ann' })
  const second = { ann: await newCircle(ann, { name: 'Second' }), ben: await newCircle(ben, { name: 'Second' }) }
  const sent = { ann: await invite(ann, second.ann, ben), ben: await invite(ben, second.ben, ann) }

  test('is made once, by any name', async () => {
    expect(await ann.post(`/users/${ben.actorId}/block`)).toMatchObject({ status: 200, body: { blocked: true } })
    expect(await ann.post('/users/@ben/block')).toMatchObject({ status: 200, body: { blocked: true } })
    expect(await ann.post('/users/ann/block')).toFailWith(400, 'block_oneself')
    expect(await ann.post('/users/zoe/block')).toFailWith(404, 'person_unknown')
    expect(await ann.delete('/users/zoe/block')).toFailWith(404, 'person_unknown')
  })

  describe.each([
    ['who blocked', ann, ben, circles.ann, circles.ben, sent.ben],
    ['who was blocked', ben, ann, circles.ben, circles.ann, sent.ann],
  ])('makes the other nobody for %s', (_who, self, other, own, theirs, invitation) => {
    const about = routes(own, other.username, UNKNOWN).filter(([, path, body]) =>
      `${path} ${JSON.stringify(body)}`.includes(other.username),
    )

    test.each(about.filter(([, path]) => !path.startsWith('/users')))('%s %s', async (method, path, body) => {
      const answer = await self.request(method, path, body)
      const unknown = JSON.parse(JSON.stringify({ path, body }).replaceAll(other.username, 'zoe'))
      expect(answer).toFailWith(404, 'person_unknown')
      expect(answer.text).toBe((await self.request(method, unknown.path, unknown.body)).text)
    })

    test.each(routes(theirs, 'carla', UNKNOWN).filter(([, path]) => path.includes(theirs)))(
      '%s %s',
      async (method, path, body) => {
        const answer = await self.request(method, path, body)
        expect(answer).toFailWith(404, 'circle_unknown')
        expect(answer.text).toBe((await self.request(method, path.replace(theirs, UNKNOWN), body)).text)
      },
    )

    test('with the invitation that was under way', async () => {
      for (const action of ['accept', 'decline']) {
        expect(await self.post(`/circles/invitations/${invitation}/${action}`)).toFailWith(404, 'invitation_unknown')
      }
      expect(await self.get('/circles/invitations/me')).toMatchObject({ body: { items: [] } })
      expect(await self.get(`/circles/me/${own}/members`)).toMatchObject({ body: { items: [] } })
      expect(await names(self)).toEqual(['Second', self === ann ? 'Ann’s' : 'Ben’s'])
    })
  })

  test('is not seen or lifted by who is blocked', async () => {
    expect(await ben.delete('/users/ann/block')).toFailWith(404, 'person_unknown')
    expect(await ben.post('/users/ann/block')).toFailWith(404, 'person_unknown')
  })

  test('gives everything back when it is lifted, but what it ended', async () => {
    expect(await ann.delete('/users/ben/block')).toMatchObject({ status: 204, text: '' })
    expect(await ann.delete('/users/ben/block')).toMatchObject({ status: 204 })
    expect(await names(ann)).toEqual(['Second', 'Ben’s', 'Ann’s'])
    expect(await names(ben)).toEqual(['Second', 'Ben’s', 'Ann’s'])
    expect(await ann.get(`/circles/me/${circles.ann}/members`)).toMatchObject({
      body: { items: [{ memberId: ben.actorId }] },
    })
    expect(await ben.post(`/circles/invitations/${sent.ann}/accept`)).toFailWith(409, 'invitation_settled')
    await invite(ann, second.ann, ben)
  })
})

test('a banned person is nobody', async () => {
  const [gone] = (await join('gone')) as [Person]
  const circle = await newCircle(admin)
  await admin.post(`/circles/me/${circle}/members`, { memberId: 'gone' })
  await database.owner`update app.users set banned_at = now() where id = ${gone.id}`
  expect(await admin.get(`/circles/me/${circle}/members`)).toMatchObject({ body: { items: [] } })
  expect(await admin.post(`/circles/me/${circle}/invitations`, { inviteeId: 'gone' })).toFailWith(404, 'person_unknown')
  expect(await admin.post('/users/gone/block')).toFailWith(404, 'person_unknown')
  expect(await gone.get('/circles')).toFailWith(401, 'token_revoked')
})
