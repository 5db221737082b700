import { describe, expect, test } from 'vitest'
import type { Person } from '../../support/person.ts'
import { ownOnly } from '../../support/target.ts'
import { world } from '../../support/world.ts'

type Reputation = { total: number; items: { interestId: string; slug: string; value: number; level: string }[] }

const { alice, bob, carla, admin, nobody, database, join } = await world()
const catalog = (level: number) =>
  alice.get<{ items: { slug: string; id: string }[] }>(`/interests/catalog?level=${level}`)
const interests = (await Promise.all([1, 2, 3].map(catalog))).flatMap(({ body }) => body.items)
const id = (slug: string) => interests.find((interest) => interest.slug === slug)?.id ?? ''

const reputation = async (person: Person) => (await person.get<Reputation>('/reputation/me')).body
const value = async (person: Person, slug: string) =>
  (await reputation(person)).items.find((item) => item.slug === slug)?.value ?? 0

async function publish(author: Person, slug: string, more = {}) {
  const { status, body } = await author.post<{ id: string }>('/posts', {
    body: 'What I found',
    interestId: id(slug),
    ...more,
  })
  expect(status).toBe(201)
  return body.id
}

/** Adds reputation as a staff adjustment does. */
const give = (person: Person, slug: string, points: number) =>
  database.owner`select private.add_reputation(${person.id}, ${id(slug)}, 'admin.adjusted', ${points})`

describe('Reputation is earned', () => {
  test('by a post, with 3 points in its primary interest and shares in its parents, visible to all', async () => {
    await publish(alice, 'applied-ethics', { interestIds: [id('music')] })
    const { body } = await bob.get<Reputation>('/reputation/alice')
    expect(body).toMatchObject({
      total: 3,
      items: [
        { slug: 'applied-ethics', value: 3, level: 'Curious' },
        { slug: 'ethics', value: 1.5 },
        { slug: 'philosophy', value: 0.75 },
      ],
    })
    expect((await bob.get(`/reputation/${alice.actorId}`)).body).toEqual(body)
    expect(await reputation(alice)).toEqual(body)
  })

  test('by replies to other people’s posts, depending on their kind', async () => {
    const post = await publish(alice, 'hiking')
    const before = (await reputation(alice)).total
    for (const [kind, body, sum] of [
      ['reply', 'Well said', 1],
      ['reaction', 'Oh!', 1],
      ['criticism', 'not so '.repeat(10), 3],
      ['contribution', 'moreover '.repeat(20), 8],
    ] as const) {
      expect(await bob.post(`/posts/${post}/replies`, { kind, body })).toMatchObject({ status: 201 })
      expect(await value(bob, 'hiking')).toBe(sum)
    }
    await alice.post(`/posts/${post}/replies`, { kind: 'contribution', body: 'on my own '.repeat(20) })
    expect((await reputation(alice)).total).toBe(before)
  })

  test('by inviting a person, in the interest that the inviter chose first', async () => {
    ownOnly('needs an admin without interests')
    await join('dan')
    expect(await reputation(admin)).toEqual({ total: 0, items: [] })
    const interests = ['sailing', 'caving'].map((slug) => ({ interestId: id(slug), depth: 1, expertise: 1 }))
    await admin.post('/interests/me/bulk', { interests })
    await join('eve')
    expect(await value(admin, 'sailing')).toBe(3)
  })
})

describe('Reactions', () => {
  const react = (person: Person, post: string, kind: string) => person.post(`/posts/${post}/react`, { kind })
  const unreact = (person: Person, post: string, kind = '') =>
    person.delete(`/posts/${post}/react${kind && `?kind=${kind}`}`)

  test('earn reputation once per person and post, lose it with the last reaction, and earn it again', async () => {
    const post = await publish(alice, 'wine')
    const steps = [
      [() => react(bob, post, 'heart'), 4],
      [() => react(bob, post, 'spark'), 4],
      [() => unreact(bob, post, 'heart'), 4],
      [() => unreact(bob, post, 'spark'), 3],
      [() => unreact(bob, post), 3],
      [() => react(bob, post, 'spark'), 4],
      [() => react(alice, post, 'heart'), 4],
      [() => react(carla, post, 'heart'), 5],
    ] as const
    for (const [step, sum] of steps) {
      expect((await step()).status).toBe(200)
      expect(await value(alice, 'wine')).toBe(sum)
    }
    expect(await value(alice, 'drinks')).toBe(2.5)
  })

  test('give the exact reputation even when they are concurrent', async () => {
    const post = await publish(alice, 'tea')
    for (let round = 0; round < 15; round++) {
      await Promise.all([react(bob, post, 'heart'), react(bob, post, 'spark'), react(carla, post, 'heart')])
      expect(await value(alice, 'tea')).toBe(5)
      await Promise.all([unreact(bob, post, 'heart'), unreact(bob, post, 'spark'), unreact(carla, post, 'heart')])
      expect(await value(alice, 'tea')).toBe(3)
    }
  })

  test('give the exact reputation even when two people react to each other’s posts concurrently', async () => {
    const theirs = await Promise.all([publish(alice, 'coffee'), publish(bob, 'coffee')])
    const storm = Array.from({ length: 20 }, (_, i) => {
      const [person, post] = i % 2 ? ([alice, theirs[1]] as const) : ([bob, theirs[0]] as const)
      return i % 4 < 2 ? react(person, post, 'heart') : unreact(person, post, 'heart')
    })
    expect((await Promise.all(storm)).map(({ status }) => status)).toEqual(storm.map(() => 200))
    await Promise.all([react(alice, theirs[1], 'heart'), react(bob, theirs[0], 'heart')])
    expect([await value(alice, 'coffee'), await value(bob, 'coffee')]).toEqual([4, 4])
    const [sums] = await database.owner`
      select count(*)::int as wrong from app.reputation r
      where value <> (select sum(delta) from app.reputation_entries e
                      where e.user_id = r.user_id and e.interest_id = r.interest_id)`
    expect(sums?.wrong).toBe(0)
  })
})

describe('GET /reputation/:userId', () => {
  test('gives 404 for an unknown person and across a block', async () => {
    expect(await alice.get('/reputation/zoe')).toFailWith(404, 'person_unknown')
    await carla.post('/users/bob/block')
    expect(await bob.get('/reputation/carla')).toFailWith(404, 'person_unknown')
    expect(await carla.get('/reputation/bob')).toFailWith(404, 'person_unknown')
  })

  test('requires a token', async () => {
    expect(await nobody.get('/reputation/alice')).toFailWith(401, 'token_missing')
    expect(await nobody.get('/reputation/me')).toFailWith(401, 'token_missing')
  })
})

describe('GET /access/me', async () => {
  const [fay] = (await join('fay')) as [Person]
  const may = async (person: Person) => (await person.get('/access/me')).body
  const nothing = {
    canVoteWiki: false,
    canMentor: false,
    canModerate: false,
    canProposeGuild: false,
    canPostJournalism: false,
  }

  test('grants capabilities depending on reputation', async () => {
    expect(await may(fay)).toEqual(nothing)
    await give(fay, 'tea', 5)
    expect(await may(fay)).toEqual({ ...nothing, canVoteWiki: true })
    await give(fay, 'tea', 15)
    expect(await may(fay)).toEqual({ ...nothing, canVoteWiki: true, canPostJournalism: true })
    await give(fay, 'tea', 10)
    expect(await may(fay)).toEqual({ ...nothing, canVoteWiki: true, canPostJournalism: true, canMentor: true })
  })

  test('grants capabilities depending on the role, and requires a token', async () => {
    expect(await may(admin)).toMatchObject({ canModerate: true, canProposeGuild: false })
    expect(await nobody.get('/access/me')).toFailWith(401, 'token_missing')
  })
})
