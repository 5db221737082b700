// Publishing over HTTP: formats and their fields, personas, journalism, retries. For single rules see test/db/posts.
import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import { feed, type Post, publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, database } = await world()
const catalog = await alice.get<{ items: { id: string }[] }>('/interests/catalog')
const interests = catalog.body.items.slice(0, 7).map(({ id }) => id)
const [primary = '', ...others] = interests
const picture = { url: 'https://example.org/cat.jpg', alt: 'A cat' }
const soon = () => new Date(Date.now() + 3_600_000).toISOString()
const theirs = await publish(bob, { body: 'Bob’s own' })
const mine = await publish(alice, { body: 'My own' })

describe('POST /posts', () => {
  test('publishes a note that is visible immediately', async () => {
    const answer = await alice.post<Post>('/posts', { body: ' What I found ', mood: 'kept out' })
    expect(answer).toMatchObject({
      status: 201,
      body: {
        authorId: alice.actorId,
        author: { id: alice.actorId, username: 'alice' },
        persona: { name: 'Main' },
        coAuthors: [],
        format: 'note',
        title: null,
        body: 'What I found',
        media: [],
        visibility: 'public',
        depth: 0,
        depthLabel: 'Surface',
        interestId: null,
        interests: [],
        isJournalism: false,
        counters: { reactions: 0, replies: 0, shares: 0, bookmarks: 0, views: 0 },
        viewer: { reactions: [], bookmarked: false, reposted: false, voted: false },
        poll: null,
        quotedPostId: null,
        quotedPost: null,
        series: [],
        emojiBreakdown: {},
        pinned: false,
        publishAt: null,
        publishedAt: expect.any(String),
        scheduledEmittedAt: null,
        editedAt: null,
        hiddenAt: null,
      },
    })
    expect(answer.body).not.toHaveProperty('mood')
    expect(await feed(bob)).toContain(answer.body.id)
    expect((await bob.get(`/posts/${answer.body.id}`)).body).toEqual({
      ...answer.body,
      replies: { items: [], nextCursor: null, hasMore: false },
    })
  })

  test.each([
    ['a body', { body: '\u2060\ufeff' }],
    ['a body', { body: 'all \u202edas\u202c well' }],
    ['a body', { body: 'bell\u0007' }],
    ['a title', { body: 'Words.', format: 'essay', title: 'two\nlines' }],
    ['an alt', { format: 'photo', media: [{ ...picture, alt: '\u2067cat' }] }],
    ['an option', { body: 'Which?', poll: { options: ['One', '\u3164'] } }],
  ])('rejects %s that is unfit to display: %j', async (_what, post) => {
    expect(await alice.post('/posts', post)).toFailWith(422, 'text_unfit')
  })

  test('stores texts in Unicode normalization form C', async () => {
    const sent = { format: 'essay', title: 'Cafe\u0301', body: 'One\n\tA\u030a ❤️ 🇩🇪' }
    expect(await alice.post('/posts', sent)).toMatchObject({
      status: 201,
      body: { title: 'Café', body: 'One\n\tÅ ❤️ 🇩🇪' },
    })
  })

  test('publishes an essay with depth and interests', async () => {
    const more = { format: 'essay', title: ' On it ', visibility: 'inner', depth: 5, interestId: primary }
    const { status, body } = await alice.post<Post>('/posts', {
      body: 'x'.repeat(6000),
      ...more,
      interestIds: [...others.slice(0, 4), primary],
    })
    expect([status, body]).toMatchObject([
      201,
      { title: 'On it', visibility: 'inner', depthLabel: 'Thesis', interestId: primary },
    ])
    expect(body.interests.map(({ id }) => id).sort()).toEqual(interests.slice(0, 5).sort())
    expect(body.interests.filter(({ isPrimary }) => isPrimary)).toMatchObject([{ id: primary }])
  })

  test.each<[string, object, object]>([
    ['a photo without words', { format: 'photo', media: [picture] }, { body: '', media: [picture] }],
    ['a video', { format: 'video', body: 'Look', media: [{ url: 'http://example.org/v' }] }, { body: 'Look' }],
    ['a thread', { format: 'thread', body: 'x'.repeat(20_000), media: [] }, { format: 'thread', media: [] }],
    ['a quote', { format: 'quote', body: 'So true', quotedPostId: theirs }, { quotedPost: { body: 'Bob’s own' } }],
    ['a repost', { format: 'repost', quotedPostId: theirs }, { body: '', quotedPostId: theirs }],
    ['a poll', { body: 'Which?', poll: { options: ['This', 'That'] } }, { poll: { options: [{ text: 'This' }, {}] } }],
    ['a scheduled post', { body: 'Later', publishAt: soon() }, { publishedAt: null, publishAt: expect.any(String) }],
    ['a post with null fields', { body: 'x', title: null, interestId: null, personaId: null, publishAt: null }, {}],
    ['media without alt', { body: 'x', media: [{ url: picture.url, alt: null }] }, { media: [{ alt: null }] }],
  ])('publishes %s', async (_what, body, shown) => {
    expect(await alice.post('/posts', body)).toMatchObject({ status: 201, body: shown })
  })

  test('publishes under one’s own persona only', async () => {
    const { body } = await alice.post<{ id: string }>('/me/personas', { name: 'Nightly', accent: 'gold' })
    const answer = await alice.post('/posts', { body: 'Late', personaId: body.id })
    expect(answer).toMatchObject({ status: 201, body: { personaId: body.id, persona: { name: 'Nightly' } } })
    const refused = await bob.post('/posts', { body: 'Late', personaId: body.id })
    expect(refused).toFailWith(404, 'persona_unknown')
    expect(refused.text).toBe((await bob.post('/posts', { body: 'Late', personaId: UNKNOWN })).text)
  })

  test.each<[string, object, string]>([
    ['no body', {}, 'post_body'],
    ['an empty body', { body: '' }, 'post_body'],
    ['blanks', { body: '   ' }, 'post_body'],
    ['empty lines', { body: '\n\n' }, 'post_body'],
    ['a null body', { body: null }, 'validation_failed'],
    ['a note of 5001 characters', { body: 'x'.repeat(5001) }, 'post_body'],
    ['an essay of 100001 characters', { format: 'essay', title: 'T', body: 'x'.repeat(100_001) }, 'post_body'],
    ['a thread of 20001 characters', { format: 'thread', body: 'x'.repeat(20_001) }, 'post_body'],
    ['a repost with a body', { format: 'repost', quotedPostId: theirs, body: 'x' }, 'post_body'],
    ['an essay without a title', { format: 'essay', body: 'x' }, 'post_title'],
    ['an essay with an empty title', { format: 'essay', title: ' ', body: 'x' }, 'post_title'],
    ['a title of 201 characters', { format: 'essay', title: 'x'.repeat(201), body: 'x' }, 'post_title'],
    ['a note with a title', { title: 'T', body: 'x' }, 'post_title'],
    ['a photo without media', { format: 'photo', body: 'x' }, 'post_media'],
    ['a photo post with 11 pictures', { format: 'photo', media: Array(11).fill(picture) }, 'post_media'],
    ['a video post with 2 videos', { format: 'video', media: [picture, picture] }, 'post_media'],
    ['media with an invalid address', { body: 'x', media: [{ url: 'javascript:alert(1)' }] }, 'post_media'],
    ['media without an address', { body: 'x', media: [{ alt: 'A cat' }] }, 'post_media'],
    ['an address and an asset', { body: 'x', media: [{ ...picture, assetId: UNKNOWN }] }, 'post_media'],
    ['a quote without a quoted post', { format: 'quote', body: 'x' }, 'post_quoted'],
    ['a repost without an original', { format: 'repost' }, 'post_quoted'],
    ['a note that quotes a post', { body: 'x', quotedPostId: theirs }, 'post_quoted'],
    ['a repost with a poll', { format: 'repost', quotedPostId: theirs, poll: { options: ['a', 'b'] } }, 'repost_bare'],
    ['a scheduled repost', { format: 'repost', quotedPostId: theirs, publishAt: soon() }, 'repost_bare'],
    ['a poll with one option', { body: 'x', poll: { options: ['a'] } }, 'poll_options'],
    ['a publication time in the past', { body: 'x', publishAt: '2020-01-01T00:00:00Z' }, 'publish_at_past'],
    ['an invalid publication time', { body: 'x', publishAt: 'tomorrow' }, 'validation_failed'],
    ['an unknown format', { format: 'poem', body: 'x' }, 'validation_failed'],
    ['an unknown visibility', { visibility: 'friends', body: 'x' }, 'validation_failed'],
    ['depth 6', { depth: 6, body: 'x' }, 'validation_failed'],
    ['depth 1.5', { depth: 1.5, body: 'x' }, 'validation_failed'],
    ['a malformed interest id', { interestId: 'art', body: 'x' }, 'validation_failed'],
    ['a malformed persona id', { personaId: 'main', body: 'x' }, 'validation_failed'],
    [
      'five further interests',
      { interestId: primary, interestIds: others.slice(0, 5), body: 'x' },
      'post_interests_exceeded',
    ],
  ])('rejects %s with 422', async (_what, body, code) => {
    const before = await feed(alice)
    expect(await alice.post('/posts', body)).toFailWith(422, code)
    expect(await feed(alice)).toEqual(before)
  })

  test('answers 404 for interests and posts that don’t exist or are not visible', async () => {
    const closed = await publish(bob, { visibility: 'inner' })
    expect(await alice.post('/posts', { body: 'x', interestId: UNKNOWN })).toFailWith(404, 'interest_unknown')
    expect(await alice.post('/posts', { body: 'x', interestIds: [UNKNOWN] })).toFailWith(404, 'interest_unknown')
    const of = (quotedPostId: string) => alice.post('/posts', { format: 'quote', body: 'x', quotedPostId })
    expect(await of(UNKNOWN)).toFailWith(404, 'post_unknown')
    expect((await of(closed)).text).toBe((await of(UNKNOWN)).text)
    expect(await of(mine)).toFailWith(400, 'repost_own')
    expect(await alice.post('/posts', { format: 'repost', quotedPostId: mine })).toFailWith(400, 'repost_own')
  })

  test('allows journalism only to people with the capability', async () => {
    const send = () => carla.post('/posts', { body: 'News', isJournalism: true })
    expect(await send()).toFailWith(403, 'journalism_not_allowed')
    await database.owner`select private.add_reputation(${carla.id}, ${primary}, 'admin.adjusted', 20)`
    expect(await carla.get('/access/me')).toMatchObject({ body: { canPostJournalism: true } })
    expect(await send()).toMatchObject({ status: 201, body: { isJournalism: true } })
    await database.owner`select private.add_reputation(${carla.id}, ${primary}, 'admin.adjusted', -1)`
    expect(await send()).toFailWith(403, 'journalism_not_allowed')
  })

  test('creates one repost of a post, however often and by whatever route it is requested', async () => {
    const { id } = (await carla.post<Post>('/posts', { format: 'repost', quotedPostId: theirs })).body
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => carla.post<Post>('/posts', { format: 'repost', quotedPostId: theirs })),
      ...Array.from({ length: 4 }, () => carla.post<Post>(`/posts/${theirs}/repost`, {})),
    ])
    expect(answers.map(({ status, body }) => [status, body.id])).toEqual(answers.map(() => [201, id]))
    const fresh = await publish(bob)
    const racing = await Promise.all(
      Array.from({ length: 8 }, () => carla.post<Post>('/posts', { format: 'repost', quotedPostId: fresh })),
    )
    expect(new Set(racing.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
    expect(await bob.get(`/posts/${fresh}`)).toMatchObject({ body: { counters: { shares: 1 } } })
  })

  test('publishes once per Idempotency-Key, even for concurrent requests', async () => {
    const send = (key: string, body = 'Once') => alice.post<Post>('/posts', { body }, { 'Idempotency-Key': key })
    const answers = await Promise.all(Array.from({ length: 8 }, () => send('one')))
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(7)
    expect((await feed(alice)).filter((id) => id === answers[0]?.body.id)).toHaveLength(1)
    expect(await send('one', 'Twice')).toFailWith(422, 'idempotency_key_reused')
    const refused = await send('two', '')
    expect([refused.status, (await send('two', 'Now')).status]).toEqual([422, 201])
    expect(await send('x'.repeat(201))).toFailWith(422, 'validation_failed')
    const other = await bob.post<Post>('/posts', { body: 'Once' }, { 'Idempotency-Key': 'one' })
    expect(other.body.authorId).toBe(bob.actorId)
  })

  test.each<[string, object]>([
    ['media', { media: [{ url: 'https://example.org/dog.jpg' }] }],
    ['a poll', { poll: { options: ['a', 'b'] } }],
    ['a time', { publishAt: '2099-01-01T00:00:00Z' }],
    ['a visibility', { visibility: 'circles' }],
  ])('treats %s as a different request under the same Idempotency-Key', async (what, more) => {
    const key = { 'Idempotency-Key': `differs in ${what}` }
    expect(await alice.post('/posts', { body: 'x' }, key)).toMatchObject({ status: 201 })
    expect(await alice.post('/posts', { body: 'x', ...more }, key)).toFailWith(422, 'idempotency_key_reused')
  })
})
