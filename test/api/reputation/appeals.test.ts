// Appeals, from creation to resolution, and manual adjustments. For the rules see test/db/reputation and test/db/admin.
import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, nobody, database, join } = await world()
const catalog = await alice.get<{ items: { slug: string; id: string }[] }>('/interests/catalog?level=1')
const id = (slug: string) => catalog.body.items.find((interest) => interest.slug === slug)?.id ?? ''

type Appeal = { id: string; status: string; text: string; note: string | null; restoreDelta: number | null }
type Page = { items: Appeal[]; nextCursor: string | null; hasMore: boolean }
type Details = { events: { items: { id: string; kind: string; delta: number }[] } }

await database.owner`update app.users set role = 'moderator' where username = 'carla'`
const moderator = await carla.login()
await join('dan')
await database.owner`update app.users set role = 'admin' where username = 'dan'`
const other = await Object.assign(nobody.withToken(undefined), {
  email: 'dan@example.org',
  password: 'dan has a password',
}).login()

const appeal = (person: Person, slug: string, more = {}) =>
  person.post<Appeal>('/reputation/appeals', { interestId: id(slug), text: 'Far too little', ...more })
const resolve = (person: Person, appealId: string, body: object) =>
  person.post<Appeal>(`/admin/reputation/appeals/${appealId}/resolve`, body)
const adjust = (person: Person, body: object) =>
  person.post<{ id: string; value: number }>('/admin/reputation/adjust', {
    userId: 'bob',
    interestId: id('arts'),
    delta: 1,
    note: 'For the talk',
    ...body,
  })
const events = async (person: Person) => (await person.get<Details>('/reputation/me/detailed')).body.events.items

describe('An appeal', () => {
  test('is created, read by staff, resolved, and read with its answer', async () => {
    await adjust(admin, { userId: 'alice', interestId: id('music'), delta: -3 })
    const [event] = await events(alice)
    const { status, body } = await appeal(alice, 'music', { eventId: event?.id })
    expect([status, body]).toMatchObject([201, { slug: 'music', eventId: event?.id, status: 'pending', note: null }])
    expect(await appeal(alice, 'music')).toFailWith(409, 'appeal_open')
    expect((await moderator.get<Page>('/admin/reputation/appeals?status=pending')).body.items).toMatchObject([
      { id: body.id, userId: alice.id, user: { username: 'alice' }, text: 'Far too little' },
    ])
    const answer = await resolve(admin, body.id, { decision: 'accepted', restoreDelta: 3, note: 'Sorry.' })
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { status: 'accepted', restoreDelta: 3, user: { username: 'alice' } },
    ])
    expect((await alice.get<Page>('/reputation/appeals')).body.items).toMatchObject([
      { id: body.id, status: 'accepted', restoreDelta: 3, note: 'Sorry.', resolvedAt: expect.any(String) },
    ])
    expect(await events(alice)).toMatchObject([{ kind: 'appeal.restored', delta: 3 }, { delta: -3 }])
    expect(await alice.inbox('appeal.resolved')).toMatchObject([
      { payload: { appealId: body.id, interestId: id('music'), status: 'accepted' } },
    ])
    expect(await resolve(other, body.id, { decision: 'rejected' })).toFailWith(409, 'appeal_resolved')
    expect((await bob.get<Page>('/reputation/appeals')).body.items).toEqual([])
    expect((await appeal(alice, 'music', { text: 'Once more' })).status).toBe(201)
    expect((await alice.get<Page>('/reputation/appeals?limit=1')).body).toMatchObject({
      items: [{ text: 'Once more' }],
      hasMore: true,
    })
  })

  test('is resolved once even if two admins resolve it concurrently', async () => {
    for (let round = 0; round < 8; round++) {
      const { body } = await appeal(bob, 'history', { text: `Round ${round}` })
      const answers = await Promise.all([
        resolve(admin, body.id, { decision: 'accepted', restoreDelta: 1 }),
        resolve(other, body.id, { decision: 'accepted', restoreDelta: 1 }),
        resolve(other, body.id, { decision: 'rejected' }),
      ])
      const [won, ...lost] = answers.sort((a, b) => a.status - b.status)
      expect(won?.status).toBe(200)
      for (const answer of lost) expect(answer).toFailWith(409, 'appeal_resolved')
      const entries =
        await database.owner`select from app.reputation_entries where source_id = ${body.id} and roll_up_level = 0`
      expect(entries).toHaveLength(won?.body.status === 'accepted' ? 1 : 0)
      const audited = await database.owner`select from app.audit_log where target_id = ${body.id}`
      expect(audited).toHaveLength(1)
    }
  })

  test('is created once even if it is sent concurrently', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => appeal(bob, 'philosophy')))
    const [made, ...refused] = answers.sort((a, b) => a.status - b.status)
    expect(made?.status).toBe(201)
    for (const answer of refused) expect(answer).toFailWith(409, 'appeal_open')
  })

  test.each([
    ['with an empty text', { text: ' ' }, 422, 'validation_failed'],
    ['with too long a text', { text: 'x'.repeat(2001) }, 422, 'validation_failed'],
    ['in an unknown interest', { interestId: UNKNOWN }, 404, 'interest_unknown'],
    ['about an unknown event', { eventId: UNKNOWN }, 404, 'reputation_event_unknown'],
  ] as const)('is rejected %s', async (_what, more, status, code) => {
    expect(await appeal(bob, 'mathematics', more)).toFailWith(status, code)
  })

  test('is rejected about another person’s event', async () => {
    const [event] = await events(alice)
    expect(await appeal(bob, 'music', { eventId: event?.id })).toFailWith(404, 'reputation_event_unknown')
  })

  test.each([
    ['an unknown appeal', UNKNOWN, { decision: 'accepted' }, 404, 'appeal_unknown'],
    ['a malformed id', 'x', { decision: 'accepted' }, 422, 'validation_failed'],
    ['a missing decision', UNKNOWN, {}, 422, 'validation_failed'],
    ['an unknown decision', UNKNOWN, { decision: 'pending' }, 422, 'validation_failed'],
    ['points although rejected', UNKNOWN, { decision: 'rejected', restoreDelta: 1 }, 422, 'restore_delta_misplaced'],
    ['a negative number of points', UNKNOWN, { decision: 'accepted', restoreDelta: -1 }, 422, 'validation_failed'],
    ['thousandths of points', UNKNOWN, { decision: 'accepted', restoreDelta: 0.001 }, 422, 'validation_failed'],
  ] as const)('cannot be resolved with %s', async (_what, appealId, body, status, code) => {
    expect(await resolve(admin, appealId, body)).toFailWith(status, code)
  })
})

describe('An adjustment', () => {
  test('changes the reputation that everyone sees, and is in the audit log', async () => {
    const { status, body } = await adjust(admin, { delta: 12.34 })
    expect([status, body]).toMatchObject([
      201,
      {
        userId: bob.id,
        user: { username: 'bob' },
        interestId: id('arts'),
        delta: 12.34,
        value: 12.34,
        level: 'Reader',
      },
    ])
    expect((await alice.get('/reputation/bob')).body).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ slug: 'arts', value: 12.34 })]),
    })
    expect((await adjust(admin, { userId: bob.id, delta: -2.34 })).body.value).toBe(10)
    const [entry] = await database.owner`
      select l.action, l.actor_id, l.target_id, d.detail from app.audit_log l join app.audit_details d on d.audit_id = l.id
      order by l.id desc limit 1`
    const detail = { interestId: id('arts'), delta: -2.34, note: 'For the talk' }
    expect(entry).toEqual({ action: 'reputation.adjusted', actor_id: admin.id, target_id: bob.id, detail })
  })

  test.each([
    ['of zero', { delta: 0 }, 422, 'validation_failed'],
    ['of too much', { delta: 1000.01 }, 422, 'validation_failed'],
    ['of too little', { delta: -1000.01 }, 422, 'validation_failed'],
    ['of thousandths', { delta: 0.001 }, 422, 'validation_failed'],
    ['without a note', { note: '' }, 422, 'validation_failed'],
    ['for an unknown person', { userId: 'zoe' }, 404, 'person_unknown'],
    ['for an unknown id', { userId: UNKNOWN }, 404, 'person_unknown'],
    ['in an unknown interest', { interestId: UNKNOWN }, 404, 'interest_unknown'],
  ] as const)('is rejected %s', async (_what, body, status, code) => {
    expect(await adjust(admin, body)).toFailWith(status, code)
  })
})

describe('Permission checks', () => {
  test.each([
    ['a user', alice, 403, 'role_required'],
    ['nobody', nobody, 401, 'token_missing'],
  ] as const)(
    'keep %s from reading and resolving appeals and from adjusting reputation',
    async (_who, person, status, code) => {
      expect(await person.get('/admin/reputation/appeals')).toFailWith(status, code)
      expect(await resolve(person, UNKNOWN, {})).toFailWith(status, code)
      expect(await adjust(person, { delta: 0 })).toFailWith(status, code)
    },
  )

  test('let a moderator read appeals and do nothing else', async () => {
    expect((await moderator.get('/admin/reputation/appeals')).status).toBe(200)
    expect(await moderator.get('/admin/reputation/appeals?status=open')).toFailWith(422, 'validation_failed')
    expect(await moderator.get('/admin/reputation/appeals?cursor=x')).toFailWith(400, 'cursor_unknown')
    expect(await resolve(moderator, UNKNOWN, {})).toFailWith(403, 'role_required')
    expect(await adjust(moderator, {})).toFailWith(403, 'role_required')
  })

  test('require a token for one’s own appeals', async () => {
    expect(await nobody.get('/reputation/appeals')).toFailWith(401, 'token_missing')
    expect(await nobody.post('/reputation/appeals', {})).toFailWith(401, 'token_missing')
    expect(await alice.get('/reputation/appeals?cursor=x')).toFailWith(400, 'cursor_unknown')
  })
})
