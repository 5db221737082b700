// Editing and deleting posts over HTTP, and a person's posts on their profile. For the single rules see test/db/posts.
import { describe, expect, test } from 'vitest'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { feed, type Post, publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, database } = await world()
const { owner } = database
const catalog = await alice.get<{ items: { id: string }[] }>('/interests/catalog')
const [first = '', second = '', third = ''] = catalog.body.items.map(({ id }) => id)
const edit = (person: Person, id: string, changes: object) => person.patch<Post>(`/posts/${id}`, changes)

describe('PATCH /posts/:id', () => {
  test('changes the given fields and ignores unknown ones, and everyone sees the result', async () => {
    const id = await publish(alice, { interestId: first, interestIds: [second] })
    const { body: persona } = await alice.post<{ id: string }>('/me/personas', { name: 'Nightly' })
    const shown = {
      body: ' Better ',
      media: [{ url: 'https://example.org/cat.jpg', alt: 'A cat' }],
      depth: 4,
      visibility: 'public',
      interestId: third,
      personaId: persona.id,
    }
    const beside = { interestIds: [first], mood: 'kept out', authorId: bob.actorId }
    const answer = await edit(alice, id, { ...shown, ...beside })
    expect(answer).toMatchObject({
      status: 200,
      body: {
        ...shown,
        body: 'Better',
        authorId: alice.actorId,
        depthLabel: 'Research',
        persona: { name: 'Nightly' },
        editedAt: expect.any(String),
      },
    })
    expect(answer.body.interests.map((one) => [one.id, one.isPrimary])).toEqual([
      [third, true],
      [first, false],
    ])
    expect((await bob.get<Post>(`/posts/${id}`)).body).toMatchObject(answer.body)
  })

  test.each<[string, object, object, string]>([
    ['an empty text', {}, { body: '' }, 'post_body'],
    ['a null text', {}, { body: null }, 'validation_failed'],
    ['a title for a note', {}, { title: 'T' }, 'post_title'],
    ['an essay without a title', { format: 'essay', title: 'T' }, { title: null }, 'post_title'],
    ['a photo without media', { format: 'photo', media: [{ url: 'https://x' }] }, { media: [] }, 'post_media'],
    ['an address and an asset', {}, { media: [{ url: 'https://x', assetId: UNKNOWN }] }, 'post_media'],
    ['another format', {}, { format: 'essay' }, 'post_fixed'],
    ['a poll', {}, { poll: { options: ['a', 'b'] } }, 'post_fixed'],
    ['another quoted post', {}, { quotedPostId: UNKNOWN }, 'post_fixed'],
    ['another publication time', {}, { publishAt: '2099-01-01T00:00:00Z' }, 'post_is_published'],
    [
      'five further interests',
      {},
      { interestIds: catalog.body.items.slice(0, 5).map(({ id }) => id) },
      'post_interests_exceeded',
    ],
    ['another visibility', {}, { visibility: 'friends' }, 'validation_failed'],
    ['depth 6', {}, { depth: 6 }, 'validation_failed'],
  ])('rejects %s and changes nothing', async (_what, more, changes, code) => {
    const id = await publish(alice, more)
    const before = (await alice.get(`/posts/${id}`)).text
    expect(await edit(alice, id, { depth: 3, ...changes })).toFailWith(422, code)
    expect((await alice.get(`/posts/${id}`)).text).toBe(before)
  })

  test('rejects unknown interests and personas, and journalism without the capability', async () => {
    const id = await publish(alice)
    expect(await edit(alice, id, { interestId: UNKNOWN })).toFailWith(404, 'interest_unknown')
    expect(await edit(alice, id, { personaId: UNKNOWN })).toFailWith(404, 'persona_unknown')
    expect(await edit(alice, id, { isJournalism: true })).toFailWith(403, 'journalism_not_allowed')
    expect(await alice.patch(`/posts/${id}`)).toFailWith(422, 'validation_failed')
    expect(await edit(alice, id, {})).toMatchObject({ status: 200, body: { editedAt: null } })
  })

  test('requires the author', async () => {
    const [open, closed] = [await publish(alice), await publish(alice, { visibility: 'inner' })]
    for (const changes of [{ body: 'Mine' }, { body: '' }, { format: 'essay' }]) {
      expect(await edit(bob, open, changes)).toFailWith(403, 'post_not_yours')
      expect(await edit(bob, closed, changes)).toFailWith(404, 'post_unknown')
    }
    expect((await edit(bob, closed, {})).text).toBe((await edit(bob, UNKNOWN, {})).text)
    expect(await edit(bob, 'x', {})).toFailWith(422, 'validation_failed')
  })

  test('hides a narrowed post immediately from people who may no longer see it', async () => {
    const id = await publish(alice, { body: 'For everyone' })
    expect(await feed(bob)).toContain(id)
    const quote = await publish(carla, { format: 'quote', body: 'See', quotedPostId: id })
    expect(await edit(alice, id, { visibility: 'inner' })).toMatchObject({ status: 200 })
    expect(await bob.get(`/posts/${id}`)).toFailWith(404, 'post_unknown')
    expect(await feed(bob)).not.toContain(id)
    expect(await bob.get(`/posts/${quote}`)).toMatchObject({ body: { quotedPost: null, quotedPostId: null } })
    expect(await edit(alice, id, { visibility: 'public' })).toMatchObject({ status: 200 })
    expect(await feed(bob)).toContain(id)
  })

  test('of a repost changes only its visibility', async () => {
    const original = await publish(bob)
    const id = await publish(alice, { body: '', format: 'repost', quotedPostId: original })
    expect(await edit(alice, id, { visibility: 'circles' })).toMatchObject({ body: { visibility: 'circles' } })
    for (const changes of [{ body: 'x' }, { depth: 1 }, { publishAt: null }, { interestIds: [] }])
      expect(await edit(alice, id, changes)).toFailWith(422, 'repost_bare')
  })

  test('loses none of several concurrent edits', async () => {
    const id = await publish(alice, { body: 'Version 0', interestId: first })
    const bodies = Array.from({ length: 12 }, (_, n) => `Version ${n + 1}`)
    const changes = [
      ...bodies.map((body) => ({ body })),
      { depth: 5 },
      { interestIds: [second] },
      { interestId: third },
    ]
    const answers = await Promise.all(changes.map((one) => edit(alice, id, one)))
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200))
    const { body } = await alice.get<Post>(`/posts/${id}`)
    expect(body).toMatchObject({ depth: 5, interestId: third })
    expect(body.interests.map((one) => one.id)).toEqual([third, second])
    const versions = await owner<{ version: number; body: string }[]>`
      select version, body from app.post_versions where post_id = ${id} order by version`
    expect(versions.map(({ version }) => version)).toEqual(bodies.map((_body, at) => at + 1))
    expect([...versions.map((one) => one.body), body.body].sort()).toEqual(['Version 0', ...bodies].sort())
  })

  test('notifies nobody', async () => {
    const id = await publish(alice, { body: 'Hello' })
    const before = await bob.get('/notifications')
    await edit(alice, id, { body: 'Hello @bob', visibility: 'circles' })
    await edit(alice, id, { visibility: 'public' })
    expect((await bob.get('/notifications')).text).toBe(before.text)
    const events = await owner<{ name: string }[]>`
      select name from app.domain_events where payload ->> 'postId' = ${id} order by id`
    const edited = 'posts.post.edited'
    expect(events.map(({ name }) => name)).toEqual(['posts.post.published', edited, edited])
  })
})

describe('DELETE /posts/:id', () => {
  test('removes a post for everyone, once', async () => {
    const id = await publish(alice)
    await alice.post(`/posts/${id}/pin`)
    await bob.post(`/posts/${id}/bookmark`)
    await bob.post(`/posts/${id}/repost`, {})
    expect(await bob.delete(`/posts/${id}`)).toFailWith(403, 'post_not_yours')
    expect(await alice.delete(`/posts/${id}`)).toMatchObject({ status: 204, text: '' })
    for (const person of [alice, bob]) {
      expect(await person.get(`/posts/${id}`)).toFailWith(404, 'post_unknown')
      expect(await person.delete(`/posts/${id}`)).toFailWith(404, 'post_unknown')
      expect(await feed(person)).not.toContain(id)
    }
    expect(await walk(carla, '/posts/by/alice', 50)).not.toContain(id)
    expect(await walk(bob, '/posts/bookmarks', 50)).not.toContain(id)
    const reposted = await owner`select id from app.posts where quoted_post_id = ${id}`
    expect(await walk(carla, '/posts/by/bob', 50)).not.toContain(reposted[0]?.id)
  })

  test('succeeds for exactly one of concurrent requests', async () => {
    const id = await publish(alice)
    const answers = await Promise.all(Array.from({ length: 6 }, () => alice.delete(`/posts/${id}`)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404, 404])
    const events = await owner`select from app.domain_events
      where name = 'posts.post.deleted' and payload ->> 'postId' = ${id}`
    expect(events).toHaveLength(1)
  })
})

describe('GET /posts/by/:username', () => {
  test('lists pinned posts first and then the newest, with any page size', async () => {
    const ids: string[] = []
    for (let n = 0; n < 7; n++) ids.unshift(await publish(carla))
    for (const at of [5, 2]) await carla.post(`/posts/${ids[at]}/pin`)
    const expected = [ids[2], ids[5], ...ids.filter((_id, at) => at !== 2 && at !== 5)]
    const listed = (await walk(bob, '/posts/by/carla', 50)).filter((id) => ids.includes(id))
    expect(listed).toEqual(expected)
    const whole = await walk(bob, '/posts/by/carla', 50)
    for (const limit of [1, 2, 3, whole.length])
      expect(await walk(bob, `/posts/by/${carla.actorId}`, limit)).toEqual(whole)
    const { body } = await bob.get<Page<{ id: string; pinned: boolean }>>('/posts/by/carla?limit=3')
    expect(body.items.map(({ pinned }) => pinned)).toEqual([true, true, false])
  })

  test('skips nothing after a pinned post that is deleted during pagination', async () => {
    const ids: string[] = []
    for (let n = 0; n < 4; n++) ids.unshift(await publish(carla))
    const earlier = await carla.get<Page<{ id: string; pinned: boolean }>>('/posts/by/carla?limit=50')
    for (const { id, pinned } of earlier.body.items) if (pinned) await carla.delete(`/posts/${id}/pin`)
    for (const at of [3, 2]) await carla.post(`/posts/${ids[at]}/pin`)
    const first = await bob.get<Page<Post>>('/posts/by/carla?limit=1')
    expect(first.body).toMatchObject({ items: [{ id: ids[2] }], nextCursor: ids[2] })
    await carla.delete(`/posts/${ids[2]}`)
    const rest = await bob.get<Page<Post>>(`/posts/by/carla?limit=4&cursor=${first.body.nextCursor}`)
    expect(rest.body.items.map(({ id }) => id).slice(0, 3)).toEqual([ids[3], ids[0], ids[1]])
  })

  test('shows authors their hidden posts, and scheduled ones in a separate list', async () => {
    const hidden = await publish(alice)
    const later = await publish(alice, { publishAt: new Date(Date.now() + 3_600_000).toISOString() })
    await owner`update app.posts set hidden_at = now() where id = ${hidden}`
    expect((await alice.get<Page<Post>>('/posts/by/alice?limit=1')).body.items).toMatchObject([
      { id: hidden, hiddenAt: expect.any(String) },
    ])
    expect(await walk(bob, '/posts/by/alice', 50)).not.toContain(hidden)
    expect(await walk(alice, '/posts/by/alice', 50)).not.toContain(later)
    expect(await walk(alice, '/me/posts/scheduled', 50)).toContain(later)
  })

  test.each(['zoe', 'acct:alice@elsewhere'])('answers 404 for %s', async (name) => {
    expect(await bob.get(`/posts/by/${name}`)).toFailWith(404, 'person_unknown')
  })

  test.each([UNKNOWN, 'x', ''])('rejects the cursor "%s" with 400', async (cursor) => {
    expect(await alice.get(`/posts/by/bob?cursor=${cursor}`)).toFailWith(400, 'cursor_unknown')
    expect(await alice.get(`/me/posts/scheduled?cursor=${cursor}`)).toFailWith(400, 'cursor_unknown')
  })

  test('answers 404 across a block, exactly as for an unknown person', async () => {
    await carla.post('/users/bob/block')
    const answer = await bob.get('/posts/by/carla')
    expect(answer).toFailWith(404, 'person_unknown')
    expect(answer.text).toBe((await bob.get('/posts/by/zoe')).text)
    expect(await carla.get('/posts/by/bob')).toFailWith(404, 'person_unknown')
    await carla.delete('/users/bob/block')
    expect(await bob.get('/posts/by/carla')).toMatchObject({ status: 200 })
  })
})
