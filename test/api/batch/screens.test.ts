// Each screen of a client needs at most two requests: a batch, and another one before it if an id must be found first.
import { expect, test } from 'vitest'
import type { Person } from '../../support/person.ts'
import { publish, reply } from '../../support/posts.ts'
import { oneOfEach } from '../../support/things.ts'
import { world } from '../../support/world.ts'

type Id = { id: string }
type Card = { id: string; author: object; counters: object; viewer: object; interests: object[] }
type Page<T> = { items: T[] }
type Part<T> = { status: number; body: T }

const { alice, bob, carla, admin, nobody, database, join } = await world({ people: ['alice', 'bob', 'carla'] })
const things = await oneOfEach(admin, [alice, bob], database)
const at = (path: string) => things[path] ?? ''
await database.owner`update app.users set role = 'moderator' where username = 'carla'`
const moderator = (await carla.login()) ?? nobody

/** A client that counts its requests. */
function counting(who: Person) {
  const client = {
    requests: 0,
    async get<T>(path: string): Promise<T> {
      client.requests += 1
      const { status, body, text } = await who.get<T>(path)
      expect(status, text).toBe(200)
      return body
    },
    /** Sends all reads of a screen in one batch. Each read must succeed. */
    async screen<const T extends readonly unknown[]>(...paths: { [K in keyof T]: string }): Promise<T> {
      client.requests += 1
      const requests = paths.map((path) => ({ method: 'GET', path: `/api/v1${path}` }))
      const { body, text } = await who.post<{ responses: Part<unknown>[] }>('/batch', { requests })
      expect(
        body.responses.map(({ status }) => status),
        text,
      ).toEqual(paths.map(() => 200))
      return body.responses.map((one) => one.body) as unknown as T
    },
  }
  return client
}

test('Home needs one request', async () => {
  const post = await publish(bob, { body: 'For home' })
  const mine = await publish(alice, { body: 'Mine' })
  await bob.post(`/posts/${mine}/react`, { kind: 'heart' })
  await alice.inbox('post.reacted')
  const client = counting(alice)
  type Notice = { kind: string; title: string | null; excerpt: string | null; actors: { username: string }[] }
  const [me, feed, notices, unread, talks] = await client.screen<
    [{ username: string }, Page<Card>, Page<Notice>, { count: number }, Page<{ members: object[] }>, unknown, unknown]
  >(
    '/me',
    '/feed?limit=20',
    '/notifications?limit=20',
    '/notifications/unread-count',
    '/conversations?limit=10',
    '/discovery/suggested?limit=5',
    '/me/interests',
  )
  expect(me.username).toBe('alice')
  // a card has all that is drawn, so no further request is needed for its author, its counts and the caller's reactions
  const card = feed.items.find(({ id }) => id === post)
  expect(card).toMatchObject({ author: { username: 'bob' }, counters: { replies: 0 }, viewer: { reactions: [] } })
  // a notification says what it is about
  const reacted = notices.items.find(({ excerpt }) => excerpt === 'Mine')
  expect(reacted).toMatchObject({ kind: 'post.reacted', title: null, actors: [{ username: 'bob' }] })
  expect(unread.count).toBeGreaterThan(0)
  expect(talks.items[0]?.members.length).toBeGreaterThan(1)
  expect(client.requests).toBe(1)
})

test('A profile needs one request', async () => {
  await alice.post('/users/bob/follow')
  const client = counting(alice)
  const [profile, posts] = await client.screen<
    [{ username: string; counters: object; viewer: object }, Page<Card>, unknown]
  >('/users/bob', '/posts/by/bob?limit=20', '/reputation/users/bob/public')
  expect(profile).toMatchObject({
    username: 'bob',
    counters: { followers: 1, following: expect.any(Number) },
    viewer: { follows: true, followedBy: false, muted: false },
  })
  expect(posts.items.length).toBeGreaterThan(0)
  expect(client.requests).toBe(1)
})

test('A guild needs one request', async () => {
  const guild = at('/guilds')
  await admin.post(`/guilds/${guild}/posts`, { body: 'To the guild' })
  const client = counting(admin)
  const [found, posts, members] = await client.screen<
    [{ name: string }, Page<Card & { spaceName: string }>, Page<{ user: object }>, unknown]
  >(`/guilds/${guild}`, `/guilds/${guild}/posts`, `/guilds/${guild}/members`, `/treasury/${guild}`)
  expect(found.name).toBe('Guild')
  expect(posts.items[0]).toMatchObject({ body: 'To the guild', spaceName: 'Guild' })
  expect(members.items.length).toBeGreaterThan(0)
  expect(client.requests).toBe(1)
})

test('A chat needs one request, or two if the conversation must be found first', async () => {
  const talk = (await alice.post<Id>('/conversations', { kind: 'direct', memberIds: ['bob'] })).body.id
  await bob.post(`/conversations/${talk}/messages`, { body: 'Hey', clientId: crypto.randomUUID() })
  const client = counting(alice)
  const found = await client.get<Page<Id & { lastMessage: { body: string } | null }>>('/conversations')
  const id = found.items.find(({ lastMessage }) => lastMessage?.body === 'Hey')?.id
  const [conversation, messages] = await client.screen<
    [{ members: { person: object }[] }, Page<{ body: string; sender: object }>]
  >(`/conversations/${id}`, `/conversations/${id}/messages`)
  expect(conversation.members).toHaveLength(2)
  expect(messages.items.map(({ body }) => body)).toContain('Hey')
  expect(client.requests).toBe(2)
})

test('A report needs one request, or two if it must be found first', async () => {
  const [dora] = await join('dora')
  if (!dora) throw new Error('dora did not join')
  const post = await publish(dora, { body: 'Buy' })
  await alice.post('/reports', { targetType: 'reply', targetId: await reply(dora, post), reason: 'Again' })
  await alice.post('/reports', { targetType: 'post', targetId: post, reason: 'Spam' })
  const client = counting(moderator)
  const { items } = await client.get<Page<Id & { reason: string }>>('/admin/reports?status=open')
  const report = items.find(({ reason }) => reason === 'Spam')
  type File = { target: object; author: object; history: { reports: object[] } }
  expect(await client.get<File>(`/admin/reports/${report?.id}`)).toMatchObject({
    target: { body: 'Buy' },
    author: { user: { username: 'dora' } },
    history: { reports: [{ reason: 'Again' }] },
  })
  expect(client.requests).toBe(2)
})
