// Votes for people and detailed reputation over HTTP. For the single rules see test/db/reputation.
import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database, join } = await world()
const catalog = (level: number) =>
  alice.get<{ items: { slug: string; id: string }[] }>(`/interests/catalog?level=${level}`)
const interests = (await Promise.all([1, 2, 3].map(catalog))).flatMap(({ body }) => body.items)
const id = (slug: string) => interests.find((interest) => interest.slug === slug)?.id ?? ''

type Vote = {
  userId: string
  interestId: string
  value: number
  comment: string | null
  weight: number
  impact: number
}
type Received = Vote & { id: string; voterId: string; slug: string }
type Page<Item> = { items: Item[]; nextCursor: string | null; hasMore: boolean }
type Item = { interestId: string; slug: string; value: number; byKind: Record<string, number> }
type Event = { id: string; interestId: string; kind: string; delta: number; rolledUp: boolean }
type Details = { total: number; contributionScore: number; interests: Item[]; events: Page<Event> }

const hold = (person: Person, slug: string) =>
  person.post('/me/interests', { interestId: id(slug), depth: 1, expertise: 1 })
const give = (person: Person, slug: string, points: number) =>
  database.owner`select private.add_reputation(${person.id}, ${id(slug)}, 'admin.adjusted', ${points})`
const vote = (voter: Person, userId: string, slug: string, value: number, more = {}) =>
  voter.post<Vote>('/reputation/vote', { userId, interestId: id(slug), value, ...more })
const received = async (person: Person) => (await person.get<Page<Received>>('/reputation/votes/mine')).body.items
const details = async (person: Person, query = '') =>
  (await person.get<Details>(`/reputation/me/detailed${query}`)).body
/** A person's reputation in these interests, as another person sees it. */
async function values(viewer: Person, name: string, ...slugs: string[]) {
  const { body } = await viewer.get<{ items: Item[] }>(`/reputation/${name}`)
  return slugs.map((slug) => body.items.find((item) => item.slug === slug)?.value ?? 0)
}
const line = ['applied-ethics', 'ethics', 'philosophy'] as const

await Promise.all([hold(bob, 'applied-ethics'), hold(carla, 'applied-ethics')])
await give(bob, 'applied-ethics', 40)

describe('POST /reputation/vote', () => {
  test('adds reputation to the person, who is notified and sees the vote', async () => {
    const comment = 'She knows.'
    const { status, body } = await vote(bob, 'alice', 'applied-ethics', 1, { comment })
    expect([status, body]).toEqual([
      200,
      {
        userId: alice.actorId,
        interestId: id('applied-ethics'),
        value: 1,
        comment,
        weight: 2,
        impact: 2,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ])
    expect(await values(bob, 'alice', ...line)).toEqual([2, 1, 0.5])
    const [seen, ...others] = await received(alice)
    const rest = { interestId: id('applied-ethics'), slug: 'applied-ethics', value: 1, comment, impact: 2 }
    expect(seen).toMatchObject({ voterId: bob.actorId, voter: { username: 'bob' }, ...rest })
    expect(others).toEqual([])
    expect(await alice.inbox('reputation.voted')).toMatchObject([
      { payload: { interestId: id('applied-ethics'), value: 1 }, actors: [{ username: 'bob' }] },
    ])
    expect(await received(bob)).toEqual([])
  })

  test('replaces the vote, so that the reputation equals that of the latest vote alone', async () => {
    for (const [points, value] of [
      [3.3, -1],
      [1.7, 1],
      [0, 1],
      [44, -1],
      [60, 1],
      [-100, -1],
      [-13, 1],
    ] as const) {
      await give(bob, 'applied-ethics', points)
      const { body } = await vote(bob, alice.actorId, 'applied-ethics', value)
      const half = (share: number) => Math.round(body.impact * share * 100 + Math.sign(body.impact) * 1e-6) / 100
      expect(await values(carla, 'alice', ...line)).toEqual([1, 0.5, 0.25].map(half))
    }
    expect(await vote(bob, '@alice', 'applied-ethics', 0)).toMatchObject({
      status: 200,
      body: { impact: 0, comment: null },
    })
    expect(await values(carla, 'alice', ...line)).toEqual([0, 0, 0])
    expect(await received(alice)).toEqual([])
  })

  test('gives the exact reputation even for concurrent votes of one voter', async () => {
    await Promise.all(Array.from({ length: 24 }, (_, at) => vote(bob, 'carla', 'applied-ethics', (at % 3) - 1)))
    const [row] = await database.owner`
      select v.impact::float as impact, count(*)::int as votes,
        (select coalesce(sum(e.delta), 0)::float from app.reputation_entries e
         where e.source_id = v.id and e.roll_up_level = 0) as direct,
        (select coalesce(sum(e.delta), 0)::float from app.reputation_entries e
         where e.source_id = v.id and e.roll_up_level = 1) as parent
      from app.reputation_votes v where v.voter_id = ${bob.id} and v.user_id = ${carla.id} group by v.id`
    expect(row).toMatchObject({ votes: 1, direct: row?.impact })
    await vote(bob, 'carla', 'applied-ethics', 0)
    expect(await values(alice, 'carla', ...line)).toEqual([0, 0, 0])
  })

  test.each([
    ['for oneself', { userId: 'bob' }, 400, 'vote_oneself'],
    ['for an unknown person', { userId: 'zoe' }, 404, 'person_unknown'],
    ['in an unknown interest', { interestId: UNKNOWN }, 404, 'interest_unknown'],
    ['in an interest that the voter has not chosen', { interestId: id('music') }, 403, 'interest_not_held'],
    ['with the value 2', { value: 2 }, 422, 'validation_failed'],
    ['with half a point', { value: 0.5 }, 422, 'validation_failed'],
    ['without a value', { value: undefined }, 422, 'validation_failed'],
    ['with a comment of 281 characters', { comment: 'x'.repeat(281) }, 422, 'validation_failed'],
    ['with a malformed interest id', { interestId: 'music' }, 422, 'validation_failed'],
  ] as const)('rejects a vote %s', async (_what, more, status, code) => {
    const before = await values(carla, 'alice', ...line)
    const body = { userId: 'alice', interestId: id('applied-ethics'), value: 1, ...more }
    expect(await bob.post('/reputation/vote', body)).toFailWith(status, code)
    expect(await values(carla, 'alice', ...line)).toEqual(before)
  })

  test('answers 404 across a block, and hides votes from a blocked person', async () => {
    const [dora] = (await join('dora')) as [Person]
    await hold(dora, 'ethics')
    await give(dora, 'ethics', 10)
    await vote(dora, 'carla', 'ethics', 1)
    expect(await received(carla)).toMatchObject([{ voterId: dora.actorId }])
    await carla.post('/users/dora/block')
    expect(await vote(dora, 'carla', 'ethics', 0)).toFailWith(404, 'person_unknown')
    expect(await vote(carla, 'dora', 'applied-ethics', 1)).toFailWith(404, 'person_unknown')
    expect(await received(carla)).toEqual([])
    expect(await values(alice, 'carla', 'ethics')).toEqual([1])
  })

  test('requires a token, as does the list of votes', async () => {
    expect(await nobody.post('/reputation/vote', {})).toFailWith(401, 'token_missing')
    expect(await nobody.get('/reputation/votes/mine')).toFailWith(401, 'token_missing')
    expect(await alice.get('/reputation/votes/mine?cursor=x')).toFailWith(400, 'cursor_unknown')
    expect(await alice.get('/reputation/votes/mine?limit=51')).toFailWith(422, 'validation_failed')
  })
})

describe('GET /reputation/me/detailed', () => {
  test('returns the sums and the ledger behind them, page by page', async () => {
    const [erin] = (await join('erin')) as [Person]
    expect(await details(erin)).toEqual({
      total: 0,
      contributionScore: 0,
      interests: [],
      events: { items: [], nextCursor: null, hasMore: false },
    })
    const post = await erin.post<{ id: string }>('/posts', { body: 'What I found', interestId: id('applied-ethics') })
    await alice.post(`/posts/${post.body.id}/react`, { kind: 'heart' })
    const all = await details(erin)
    expect(all).toMatchObject({ total: 4, contributionScore: 10 })
    expect(all.interests[0]).toEqual({
      interestId: id('applied-ethics'),
      slug: 'applied-ethics',
      name: 'Applied Ethics',
      value: 4,
      directValue: 4,
      rolledUpValue: 0,
      level: 'Curious',
      nextLevel: { level: 'Reader', minValue: 10 },
      byKind: { 'post.contributed': 3, 'reaction.received': 1 },
    })
    expect(all.interests[1]).toMatchObject({ slug: 'ethics', value: 2, directValue: 0, rolledUpValue: 2, byKind: {} })
    expect(all.events.items).toHaveLength(6)
    const first = await details(erin, '?limit=4')
    const second = await details(erin, `?limit=4&cursor=${first.events.nextCursor}`)
    expect([...first.events.items, ...second.events.items]).toEqual(all.events.items)
    expect(second.events).toMatchObject({ nextCursor: null, hasMore: false })
    expect(await alice.get(`/reputation/me/detailed?cursor=${first.events.nextCursor}`)).toFailWith(
      400,
      'cursor_unknown',
    )
    expect(await erin.get('/reputation/me/detailed?limit=0')).toFailWith(422, 'validation_failed')
    expect(await nobody.get('/reputation/me/detailed')).toFailWith(401, 'token_missing')
  })

  test('reports each new level in one notification only', async () => {
    const [fay] = (await join('fay')) as [Person]
    for (const points of [35, -30, 30]) await give(fay, 'music', points)
    expect(await fay.inbox('reputation.level-up')).toMatchObject([
      { payload: { interestId: id('music'), level: 'Practitioner' } },
    ])
  })

  test('includes contribution, and the shares that inviters inherit', async () => {
    const [gus, hal] = (await join('gus', 'hal')) as [Person, Person]
    const inherit = () => database.owner`select private.job_inherit_contributions() as changed`
    await database.owner`update app.invite_tree set inviter_id = ${gus.id} where invitee_id = ${hal.id}`
    const post = await hal.post<{ id: string }>('/posts', { body: 'What I found' })
    await hal.post(`/posts/${(await gus.post<{ id: string }>('/posts', { body: 'Mine' })).body.id}/replies`, {
      body: 'So',
    })
    await hal.post('/economy/pay', { emotion: 'love', tier: 0, receiverId: 'alice' })
    for (let turn = 0; turn < 3; turn++) {
      await gus.post(`/posts/${post.body.id}/react`, { kind: 'heart' })
      await gus.delete(`/posts/${post.body.id}/react`)
    }
    expect((await details(hal)).contributionScore).toBe(10 + 3 + 2)
    expect((await details(gus)).contributionScore).toBe(10)
    while ((await inherit())[0]?.changed) {} // the worker does this every minute
    expect((await details(gus)).contributionScore).toBe(10 + 15 / 2)
    await gus.post(`/posts/${post.body.id}/react`, { kind: 'spark' })
    expect((await details(gus)).contributionScore).toBe(10 + 15 / 2 + 1)
  })
})

describe('GET /reputation/users/:id/public', () => {
  test('returns a person’s summary', async () => {
    const { status, body } = await alice.get(`/reputation/users/${bob.actorId}/public`)
    expect([status, body]).toMatchObject([
      200,
      { userId: bob.actorId, topInterests: [{ slug: 'applied-ethics' }, {}, {}] },
    ])
    expect((await bob.get('/reputation/users/bob/public')).body).toEqual(body)
  })

  test('gives 404 for an unknown person, and requires a token', async () => {
    expect(await alice.get('/reputation/users/zoe/public')).toFailWith(404, 'person_unknown')
    expect(await carla.get('/reputation/users/dora/public')).toFailWith(404, 'person_unknown')
    expect(await nobody.get('/reputation/users/alice/public')).toFailWith(401, 'token_missing')
  })
})
