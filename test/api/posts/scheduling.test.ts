// Scheduled posts over HTTP, from the draft to the notifications. For the rules see test/db/posts/scheduling.sql, for
// the workers test/worker.
import { describe, expect, test } from 'vitest'
import { UNKNOWN, walk } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { feed, type Post, publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, database } = await world()
const { owner } = database
const worker = database.connect('kith_worker')
const hours = (n: number) => new Date(Date.now() + n * 3_600_000).toISOString()
const schedule = (person: Person, more: object = {}) => publish(person, { publishAt: hours(1), ...more })
const scheduled = (person: Person) => walk(person, '/me/posts/scheduled', 50)

/** Moves the posts' time into the past and runs the worker's job. @returns how many posts it published */
async function due(...ids: string[]) {
  await owner`update app.posts set publish_at = now() - interval '1 second' where id in ${owner(ids)}`
  let done = 0
  for (;;) {
    const [row] = await worker<{ changed: number }[]>`select private.job_publish_scheduled() as changed`
    if (!row?.changed) return done
    done += row.changed
  }
}

describe('A scheduled post', () => {
  test('is visible only to its author until it is published', async () => {
    const id = await schedule(alice, { body: 'For later, @bob' })
    expect(await alice.get(`/posts/${id}`)).toMatchObject({ status: 200, body: { publishedAt: null } })
    expect(await scheduled(alice)).toContain(id)
    for (const route of [`/posts/${id}`, `/posts/${id}/replies`]) {
      const answer = await bob.get(route)
      expect(answer).toFailWith(404, 'post_unknown')
      expect(answer.text).toBe((await bob.get(route.replace(id, UNKNOWN))).text)
    }
    expect(await scheduled(bob)).toEqual([])
    expect([...(await feed(bob)), ...(await feed(alice))]).not.toContain(id)
    expect(await bob.inbox('post.mentioned')).toEqual([])

    expect(await due(id)).toBe(1)
    const { body } = await bob.get<Post>(`/posts/${id}`)
    expect(Date.parse(body.publishedAt ?? '')).toBeGreaterThan(Date.now() - 60_000)
    expect(await feed(bob)).toContain(id)
    expect(await walk(bob, '/posts/by/alice', 50)).toContain(id)
    expect(await scheduled(alice)).not.toContain(id)
    expect(await bob.inbox('post.mentioned')).toHaveLength(1)
    expect(await due(id)).toBe(0)
  })

  test('accepts no reactions, replies or reposts before it is published, not even from its author', async () => {
    const id = await schedule(alice)
    expect(await alice.post(`/posts/${id}/react`, { kind: 'heart' })).toFailWith(422, 'post_not_out')
    expect(await alice.post(`/posts/${id}/replies`, { body: 'First' })).toFailWith(422, 'post_not_out')
    expect(await alice.post(`/posts/${id}/repost`, {})).toFailWith(400, 'repost_own')
  })

  test('can be edited, rescheduled and published manually', async () => {
    const id = await schedule(alice)
    const at = hours(5)
    const edited = await alice.patch<Post>(`/posts/${id}`, { body: 'Rather this', publishAt: at })
    expect(edited).toMatchObject({
      status: 200,
      body: { body: 'Rather this', editedAt: null, publishedAt: null, scheduledEmittedAt: null },
    })
    expect(Date.parse(edited.body.publishAt ?? '')).toBe(Date.parse(at))
    for (const publishAt of ['2020-01-01T00:00:00Z', new Date().toISOString()])
      expect(await alice.patch(`/posts/${id}`, { publishAt })).toFailWith(422, 'publish_at_past')
    expect(await bob.patch(`/posts/${id}`, { publishAt: null })).toFailWith(404, 'post_unknown')

    const before = await bob.inbox('post.quoted')
    const now = await alice.patch<Post>(`/posts/${id}`, { publishAt: null })
    expect(now).toMatchObject({
      status: 200,
      body: { publishAt: null, publishedAt: expect.any(String), editedAt: null },
    })
    expect(now.body).toMatchObject({ scheduledEmittedAt: now.body.publishedAt })
    expect(await feed(bob)).toContain(id)
    expect(await bob.inbox('post.quoted')).toEqual(before)
    expect(await alice.patch(`/posts/${id}`, { publishAt: hours(1) })).toFailWith(422, 'post_is_published')
    expect(await due(id)).toBe(0)
  })

  test('cannot be scheduled after its poll closes', async () => {
    const poll = { options: ['This', 'That'], closesAt: hours(2) }
    const id = await schedule(alice, { poll })
    expect(await alice.patch(`/posts/${id}`, { publishAt: hours(3) })).toFailWith(422, 'poll_closes_at')
    expect(await alice.post('/posts', { body: 'x', poll, publishAt: hours(3) })).toFailWith(422, 'poll_closes_at')
  })

  test('that is a quote notifies the quoted author when it is published', async () => {
    const original = await publish(bob)
    const id = await schedule(alice, { format: 'quote', quotedPostId: original })
    const told = async () =>
      (await bob.inbox('post.quoted')).filter(({ payload }) => payload.postId === original).length
    expect(await told()).toBe(0)
    await due(id)
    expect(await told()).toBe(1)
  })

  test('that is published manually and by the worker concurrently is published once', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => schedule(carla)))
    const answers = await Promise.all([
      due(...ids),
      ...ids.map((id) => carla.patch(`/posts/${id}`, { publishAt: null })),
    ])
    for (const answer of answers.slice(1)) expect([200, 422]).toContain((answer as { status: number }).status)
    await due(...ids)
    const events = await owner`select payload from app.domain_events
      where name = 'posts.post.published' and payload ->> 'postId' in ${owner(ids)}`
    expect(events).toHaveLength(ids.length)
  })

  test('can be deleted before it is published', async () => {
    const id = await schedule(carla)
    expect(await carla.delete(`/posts/${id}`)).toMatchObject({ status: 204 })
    expect(await scheduled(carla)).not.toContain(id)
    expect(await due(id)).toBe(0)
  })
})

test('GET /me/posts/scheduled lists each post once, the soonest first, with any page size', async () => {
  const [person] = [bob]
  const ids = await Promise.all([3, 1, 2, 5, 4].map((n) => schedule(person, { publishAt: hours(n) })))
  await owner`update app.posts set publish_at = now() + interval '1 hour' where id in (${ids[1] ?? ''}, ${ids[2] ?? ''})`
  const whole = await scheduled(person)
  expect(whole.slice(2)).toEqual([ids[0], ids[4], ids[3]])
  for (const limit of [1, 2, 3, 5]) expect(await walk(person, '/me/posts/scheduled', limit)).toEqual(whole)
  await due(whole[1] ?? '')
  await person.delete(`/posts/${whole[2]}`)
  for (const cursor of [whole[1], whole[2]]) {
    const { body } = await person.get<{ items: Post[] }>(`/me/posts/scheduled?cursor=${cursor}`)
    expect(body.items.map(({ id }) => id).filter((id) => id !== whole[0])).toEqual(whole.slice(3))
  }
})
