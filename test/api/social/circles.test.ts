// Circles and their members over HTTP. For permissions in every state see test/db/social.
import { describe, expect, test } from 'vitest'
import { type Circle, circleNames, circleRoutes, invite, newCircle } from '../../support/circles.ts'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database, join } = await world()

const ofCircle = (path: string) => path.includes(UNKNOWN) && !path.startsWith('/circles/invitations')

describe('Without a token', () => {
  test.each(circleRoutes(UNKNOWN, 'bob', UNKNOWN))('%s %s gives 401', async (method, path, body) => {
    expect(await nobody.request(method, path, body)).toFailWith(401, 'token_missing')
    expect(await nobody.request(method, path.replaceAll(UNKNOWN, 'x'), body && {})).toFailWith(401, 'token_missing')
  })
})

describe('For an unknown circle or invitation', () => {
  test.each(circleRoutes(UNKNOWN, 'bob', UNKNOWN).filter(([, path]) => path.includes(UNKNOWN)))(
    '%s %s gives 404, and 422 if the id is malformed',
    async (method, path, body) => {
      const code = ofCircle(path) ? 'circle_unknown' : 'invitation_unknown'
      expect(await alice.request(method, path, body)).toFailWith(404, code)
      expect(await alice.request(method, path.replaceAll(UNKNOWN, 'x'), body)).toFailWith(422, 'validation_failed')
    },
  )
})

describe('For a circle of another person', async () => {
  const circle = await newCircle(alice)
  await alice.post(`/circles/me/${circle}/members`, { memberId: 'bob' })
  const about = circleRoutes(circle, 'carla', UNKNOWN).filter(([, path]) => path.includes(circle))

  test.each(about)('%s %s gives 403 to a member and 404 to a stranger', async (method, path, body) => {
    expect(await bob.request(method, path, body)).toFailWith(403, 'circle_not_yours')
    const unknown = await carla.request(method, path.replace(circle, UNKNOWN), body)
    expect(await carla.request(method, path, body)).toMatchObject({ status: 404, text: unknown.text })
  })
})

describe.each(['/circles/me', '/circles'])('POST and GET %s', (path) => {
  test('creates a circle and lists it', async () => {
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
  ])('rejects %s with 422', async (_what, body) => {
    expect(await alice.post(path, body)).toFailWith(422, 'validation_failed')
  })

  test.each(['\u200b', 'nik\u202e', 'two\nlines'])('rejects the name %j as text_unfit', async (name) => {
    expect(await alice.post(path, { name })).toFailWith(422, 'text_unfit')
  })

  test('stores a name in Unicode normalization form C', async () => {
    const [owner] = await join(`namer_${path.length}`)
    expect(await owner?.post(path, { name: 'Cafe\u0301' })).toMatchObject({ status: 201, body: { name: 'Café' } })
  })

  test.each(['limit=0', 'limit=51', 'limit=x', 'limit='])('rejects a list with %s', async (query) => {
    expect(await alice.get(`${path}?${query}`)).toFailWith(422, 'validation_failed')
  })

  test.each([UNKNOWN, 'x', ''])('rejects the cursor "%s" with 400', async (cursor) => {
    expect(await alice.get(`${path}?cursor=${cursor}`)).toFailWith(400, 'cursor_unknown')
  })
})

describe('Circles', async () => {
  const [owner, member] = (await join('olga', 'mia')) as [Person, Person]

  test('are limited to 10 of a kind, even if all are created concurrently', async () => {
    const answers = await Promise.all(
      Array.from({ length: 15 }, () => owner.post('/circles', { name: 'Work', kind: 'work' })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(answer).toFailWith(409, 'circles_exhausted')
    await newCircle(owner, { kind: 'inner' })
  })

  test('are listed once each, own and others’, even those of the same moment', async () => {
    const joined = await newCircle(alice)
    await alice.post(`/circles/me/${joined}/members`, { memberId: 'olga' })
    await database.owner`update app.circles set created_at = '2026-01-01' where owner_id = ${owner.id}`
    const whole = await walk(owner, '/circles/me', 50)
    expect(whole[0]).toBe(joined)
    expect(new Set(whole).size).toBe(12)
    for (const limit of [1, 4, 11, 12]) expect(await walk(owner, '/circles', limit)).toEqual(whole)
  })

  test('can be renamed, and their accent can be removed', async () => {
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

  test('are deleted with their members and invitations', async () => {
    const circle = await newCircle(owner)
    await owner.post(`/circles/me/${circle}/members`, { memberId: 'mia' })
    const invitation = await invite(owner, circle, bob)
    expect(await owner.delete(`/circles/me/${circle}`)).toMatchObject({ status: 204, text: '' })
    expect(await owner.delete(`/circles/me/${circle}`)).toFailWith(404, 'circle_unknown')
    expect(await circleNames(member)).toEqual([])
    expect(await bob.post(`/circles/invitations/${invitation}/accept`)).toFailWith(404, 'invitation_unknown')
  })
})

describe('Members of a circle', async () => {
  const circle = await newCircle(alice)
  const path = `/circles/me/${circle}/members`

  test('are added by actor id, handle or username, and notified', async () => {
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
  ])('cannot include %s, which gives %i', async (memberId, status, code) => {
    expect(await alice.post(path, { memberId })).toFailWith(status, code)
  })

  test.each([{}, { memberId: '' }, { memberId: 'carla', bondLevel: 'best' }])(
    'are rejected with 422 for %o',
    async (body) => {
      expect(await alice.post(path, body)).toFailWith(422, 'validation_failed')
    },
  )

  test('have a bond level, which only the owner sees and changes', async () => {
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

  test('can leave and be removed', async () => {
    expect(await bob.delete(`${path}/bob`)).toMatchObject({ status: 204 })
    expect(await bob.delete(`${path}/bob`)).toFailWith(404, 'circle_unknown')
    expect(await alice.delete(`${path}/${carla.actorId}`)).toMatchObject({ status: 204 })
    expect(await alice.delete(`${path}/carla`)).toFailWith(404, 'member_unknown')
    expect(await alice.delete(`${path}/zoe`)).toFailWith(404, 'person_unknown')
    expect(await alice.get(path)).toMatchObject({ body: { items: [] } })
  })

  test('are limited to 10, even if all are added concurrently', async () => {
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
