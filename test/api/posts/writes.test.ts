// The hourly limits on what one person may write, which are the same from any address and on any interface.
import { beforeEach, describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import type { Person } from '../../support/person.ts'
import { publish } from '../../support/posts.ts'
import { rest } from '../../support/rest.ts'
import { ownOnly } from '../../support/target.ts'
import { world } from '../../support/world.ts'

ownOnly('changes the limits')
const { alice, bob, carla, database, stack } = await world()
const { owner } = database
const { client } = rest(stack, alice)

const inMinutes = (count: number) => new Date(Date.now() + count * 60_000).toISOString()
const limit = (kind: string, perHour: number) =>
  owner`update private.write_limits set per_hour = ${perHour} where kind = ${kind}`
const used = async (person: Person, kind: string) =>
  (await owner`select used from private.write_counts where user_id = ${person.id} and kind = ${kind}`)[0]?.used
async function people(post: string): Promise<number> {
  await applyEffects(owner)
  return (await owner`select user_id from app.notifications where target_id = ${post} and kind = 'post.mentioned'`)
    .length
}

beforeEach(async () => {
  await owner`update app.settings set value = '1' where key = 'rate_limit_scale'`
  await owner`update private.write_limits set per_hour = 1000`
  await owner`truncate private.write_counts`
})

const kinds: Record<string, (person: Person, post: string, own: string) => ReturnType<Person['post']>> = {
  posts: (person) => person.post('/posts', { body: 'Again' }),
  replies: (person, post) => person.post(`/posts/${post}/replies`, { body: 'Again' }),
  bookmarks: (person, post) => person.post(`/posts/${post}/bookmark`),
  reactions: (person, post) => person.post(`/posts/${post}/react`, { kind: 'heart' }),
  reports: async (person) => {
    const targetId = await publish(carla)
    return person.post('/reports', { targetType: 'post', targetId, reason: 'Rude' })
  },
  follows: (person) => person.post('/users/carla/follow'),
  invitations: async (person) => {
    const circle = (await person.post<{ id: string }>('/circles', { name: 'Another' })).body.id
    return person.post(`/circles/me/${circle}/invitations`, { inviteeId: 'carla' })
  },
  edits: (person, _post, own) => person.patch(`/posts/${own}`, { body: `Again ${Math.random()}` }),
}

describe('The hourly limit for', () => {
  test.each(Object.entries(kinds))(
    '%s applies per person, and further requests give 429 until the hour is over',
    async (kind, write) => {
      const [post, own, others] = [await publish(carla), await publish(alice), await publish(bob)]
      await limit(kind, 2)
      await owner`truncate private.write_counts`
      const ofAlice = () => write(alice, post, own)
      for (const _ of [1, 2]) expect((await ofAlice()).status).toBeLessThan(300)
      const over = await ofAlice()
      expect(over).toFailWith(429, 'writes_exceeded')
      const header = (name: string) => over.headers.get(name)
      expect(['limit', 'remaining', 'policy'].map((name) => header(`ratelimit-${name}`))).toEqual([
        '2',
        '0',
        '2;w=3600',
      ])
      expect(Number(header('retry-after'))).toBeGreaterThan(3500)
      expect(header('ratelimit-reset')).toBe(header('retry-after'))

      const again = await write(await alice.login(), post, own) // another token of the same person
      expect(again).toFailWith(429, 'writes_exceeded')
      expect(await used(alice, kind)).toBe(2)
      expect((await write(bob, post, others)).status).toBeLessThan(300)
      await owner`update private.write_counts set ends_at = now() where user_id = ${alice.id}`
      expect((await ofAlice()).status).toBeLessThan(300)
    },
  )
})

test('Votes for a person are limited too', async () => {
  const [interest] = await owner`select id from app.interests where level = 2 limit 1`
  await alice.post('/me/interests', { interestId: interest?.id, depth: 1, expertise: 1 })
  await limit('votes', 2)
  const vote = (value: number) => alice.post('/reputation/vote', { userId: 'bob', interestId: interest?.id, value })
  for (const value of [1, -1]) expect((await vote(value)).status).toBe(200)
  expect(await vote(1)).toFailWith(429, 'writes_exceeded')
})

test('Invitations of co-authors and of circle members share one limit', async () => {
  const post = await publish(alice)
  await alice.post(`/posts/${post}/co-authors`, { userId: 'bob', splitShare: 1 })
  await limit('invitations', 1)
  const another = { userId: 'carla', splitShare: 1 }
  expect(await alice.post(`/posts/${post}/co-authors`, another)).toFailWith(429, 'writes_exceeded')
  const circle = (await alice.post<{ id: string }>('/circles', { name: 'Friends' })).body.id
  expect(await alice.post(`/circles/me/${circle}/invitations`, { inviteeId: 'bob' })).toFailWith(429, 'writes_exceeded')
})

test('Calls by .rpc() count toward the same limits and get the same error', async () => {
  const post = await publish(carla)
  await limit('replies', 1)
  const kith = client(alice.token)
  const call = () => kith.rpc('create_reply', { p_id: post, p_body: 'By the other door' })
  expect((await call()).error).toBeNull()
  const { status, error } = await call()
  expect({ status, error }).toMatchObject({ status: 429, error: { code: 'PT429', message: 'writes_exceeded' } })
  expect(Number(kith.last.headers.get('retry-after'))).toBeGreaterThan(3500)
  expect(await alice.post(`/posts/${post}/replies`, { body: 'x' })).toFailWith(429, 'writes_exceeded')
})

test('Concurrent requests stay within the limit', async () => {
  const post = await publish(carla)
  await limit('replies', 5)
  const asked = Array.from({ length: 12 }, () => alice.post(`/posts/${post}/replies`, { body: 'At once' }))
  const statuses = (await Promise.all(asked)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 201)).toHaveLength(5)
  expect(statuses.filter((status) => status === 429)).toHaveLength(7)
})

test('Rejected requests and requests replayed by an Idempotency-Key do not count', async () => {
  await limit('posts', 1)
  expect(await alice.post('/posts', { body: 'x', interestId: alice.id })).toFailWith(404, 'interest_unknown')
  const once = { 'Idempotency-Key': 'one' }
  const [first, repeat] = [
    await alice.post('/posts', { body: 'x' }, once),
    await alice.post('/posts', { body: 'x' }, once),
  ]
  expect(repeat.body).toEqual(first.body)
  const other = { 'Idempotency-Key': 'two' }
  expect(await alice.post('/posts', { body: 'x' }, other)).toFailWith(429, 'writes_exceeded')
  await limit('posts', 2)
  // the rejected request did not use up its key
  expect(await alice.post('/posts', { body: 'y' }, other)).toMatchObject({ status: 201 })
})

test('A scheduled post can be edited without limit', async () => {
  await limit('edits', 1)
  const post = await publish(alice, { publishAt: inMinutes(60) })
  for (const body of ['One', 'Two', 'Three']) expect((await alice.patch(`/posts/${post}`, { body })).status).toBe(200)
})

describe('Mentions', () => {
  test('are counted per mentioned person in posts and replies, and a text over the limit is refused', async () => {
    await limit('mentions', 3)
    const post = await publish(alice, { body: '@bob @carla' })
    const refused = await alice.post(`/posts/${post}/replies`, { body: '@bob @carla' })
    expect(refused).toFailWith(429, 'writes_exceeded')
    expect(await owner`select from app.replies where post_id = ${post}`).toHaveLength(0)
    expect(await used(alice, 'replies')).toBeUndefined()
    expect((await alice.post(`/posts/${post}/replies`, { body: '@bob' })).status).toBe(201)
    expect((await alice.post(`/posts/${post}/replies`, { body: 'and nobody' })).status).toBe(201)
    expect(await alice.post('/posts', { body: '@bob' })).toFailWith(429, 'writes_exceeded')
  })

  test('do not reveal who exists or blocks: every name in the text counts', async () => {
    await bob.post(`/users/${alice.actorId}/block`)
    for (const name of ['bob', 'carla', 'nobody_here', 'alice']) {
      await owner`truncate private.write_counts`
      await publish(alice, { body: `@${name} and @${name}` })
      expect(await used(alice, 'mentions'), name).toBe(1)
    }
    await bob.delete(`/users/${alice.actorId}/block`)
  })

  test('in a scheduled post notify up to the limit, and the post is published anyway', async () => {
    await limit('mentions', 3)
    const post = await publish(alice, { body: '@bob @carla', publishAt: inMinutes(60) })
    expect(await used(alice, 'mentions')).toBeUndefined()
    await publish(alice, { body: '@bob @carla' })
    await owner`update app.posts set publish_at = now() where id = ${post}`
    await owner`select private.job_publish_scheduled()`
    expect((await bob.get(`/posts/${post}`)).status).toBe(200)
    expect(await people(post)).toBe(1)
  })

  test('in a scheduled post that its author publishes manually are limited like those of any other post', async () => {
    await limit('mentions', 1)
    const post = await publish(alice, { body: '@bob @carla', publishAt: inMinutes(60) })
    expect(await alice.patch(`/posts/${post}`, { publishAt: null })).toFailWith(429, 'writes_exceeded')
    expect(await bob.get(`/posts/${post}`)).toFailWith(404, 'post_unknown')
  })
})
