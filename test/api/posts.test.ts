// Publishing, the feed, replies and reactions over HTTP. Who sees what in every state: test/db/posts, test/model/visibility.
import { describe, expect, test } from 'vitest'
import type { Answer } from '../support/crawler.ts'
import type { Person } from '../support/person.ts'
import { world } from '../support/world.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const { alice, bob, carla, admin, nobody, database, join } = await world()
const catalog = await alice.get<{ items: { id: string }[] }>('/interests/catalog')
const interests = catalog.body.items.slice(0, 7).map(({ id }) => id)
const [primary = '', ...others] = interests

type Post = { id: string; authorId: string; body: string; interests: { id: string; isPrimary: boolean }[] }
type Page<Item> = { items: Item[]; nextCursor: string | null; hasMore: boolean }

async function publish(author: Person, more: object = {}): Promise<string> {
  const { status, body } = await author.post<Post>('/posts', { body: 'What I found', ...more })
  expect(status).toBe(201)
  return body.id
}

async function reply(author: Person, post: string, more: object = {}): Promise<string> {
  const { status, body } = await author.post<{ id: string }>(`/posts/${post}/replies`, { body: 'Indeed', ...more })
  expect(status).toBe(201)
  return body.id
}

/** Every item of a list, page by page. */
async function walk(person: Person, path: string, limit: number): Promise<string[]> {
  const ids: string[] = []
  let next: string | null = ''
  while (next !== null) {
    const page: Answer<Page<{ id: string }>> = await person.get(`${path}?limit=${limit}${next}`)
    expect([page.status, page.body.hasMore]).toEqual([200, page.body.nextCursor !== null])
    ids.push(...page.body.items.map(({ id }) => id))
    next = page.body.nextCursor && `&cursor=${page.body.nextCursor}`
  }
  return ids
}

const feed = async (person: Person) => walk(person, '/feed', 50)
const spark = { emotion: 'love', tier: 0 }

/** Everything that can be asked of a post, by whatever route. */
const about = (id: string): [string, string, object?][] => [
  ['GET', `/posts/${id}`],
  ['GET', `/posts/${id}/replies`],
  ['GET', `/posts/${id}/replies?kind=criticism&limit=1`],
  ['POST', `/posts/${id}/replies`, { body: 'Indeed' }],
  ['POST', `/posts/${id}/react`, { kind: 'heart' }],
  ['DELETE', `/posts/${id}/react`],
  ['DELETE', `/posts/${id}/react?kind=spark`],
  ['GET', `/economy/payments/${id}/breakdown`],
  ['GET', `/economy/posts/${id}/breakdown`],
  ['POST', '/economy/pay', { ...spark, postId: id }],
]
const routes: [string, string, object?][] = [['GET', '/feed'], ['POST', '/posts', { body: 'x' }], ...about(UNKNOWN)]

/** For this person the post is not there: every answer is what an unknown id gets, to the letter. */
async function expectUnknown(person: Person, id: string) {
  const unknown = about(UNKNOWN)
  for (const [at, [method, path, body]] of about(id).entries()) {
    const answer = await person.request(method, path, body)
    expect(answer, `${method} ${path}`).toFailWith(404, 'post_unknown')
    const [, otherPath = '', otherBody] = unknown[at] ?? []
    expect(answer.text).toBe((await person.request(method, otherPath, otherBody)).text)
  }
  expect(await feed(person)).not.toContain(id)
}

/** For this person it is there, by every route. */
async function expectThere(person: Person, id: string) {
  for (const [method, path, body] of about(id)) {
    const { status } = await person.request(method, path, body)
    expect([200, 201], `${method} ${path} → ${status}`).toContain(status)
  }
  expect(await feed(person)).toContain(id)
}

describe('every route', () => {
  test.each(routes)('%s %s without a token is 401', async (method, path, body) => {
    expect(await nobody.request(method, path, body)).toFailWith(401, 'token_missing')
    expect(await nobody.request(method, path.replace(UNKNOWN, 'x'), body && {})).toFailWith(401, 'token_missing')
  })

  test.each(about(UNKNOWN))('%s %s of no post is 404', async (method, path, body) => {
    expect(await alice.request(method, path, body)).toFailWith(404, 'post_unknown')
  })

  test.each(about('x'))('%s %s of no id is 422', async (method, path, body) => {
    expect(await alice.request(method, path, body)).toFailWith(422, 'validation_failed')
  })
})

describe('POST /posts', () => {
  test('publishes a note, seen at once', async () => {
    const answer = await alice.post<Post>('/posts', { body: ' What I found ', mood: 'kept out' })
    expect(answer).toMatchObject({
      status: 201,
      body: {
        authorId: alice.actorId,
        author: { id: alice.actorId, username: 'alice' },
        format: 'note',
        title: null,
        body: 'What I found',
        visibility: 'public',
        depth: 0,
        depthLabel: 'Surface',
        interestId: null,
        interests: [],
        counters: { reactions: 0, replies: 0 },
        viewer: { reactions: [] },
        emojiBreakdown: {},
        hiddenAt: null,
      },
    })
    expect(answer.body).not.toHaveProperty('mood')
    expect((await bob.get<Page<Post>>('/feed?limit=1')).body.items).toEqual([answer.body])
    expect((await bob.get(`/posts/${answer.body.id}`)).body).toEqual({
      ...answer.body,
      replies: { items: [], nextCursor: null, hasMore: false },
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

  test.each<[string, object, string]>([
    ['no body', {}, 'validation_failed'],
    ['an empty body', { body: '' }, 'post_body'],
    ['blanks', { body: '   ' }, 'post_body'],
    ['empty lines', { body: '\n\n' }, 'post_body'],
    ['a note of 5001', { body: 'x'.repeat(5001) }, 'post_body'],
    ['an essay of 100001', { format: 'essay', title: 'T', body: 'x'.repeat(100_001) }, 'post_body'],
    ['an essay without a title', { format: 'essay', body: 'x' }, 'post_title'],
    ['an essay with an empty title', { format: 'essay', title: ' ', body: 'x' }, 'post_title'],
    ['a title of 201', { format: 'essay', title: 'x'.repeat(201), body: 'x' }, 'post_title'],
    ['a note with a title', { title: 'T', body: 'x' }, 'post_title'],
    ['another format', { format: 'poem', body: 'x' }, 'validation_failed'],
    ['another visibility', { visibility: 'friends', body: 'x' }, 'validation_failed'],
    ['depth 6', { depth: 6, body: 'x' }, 'validation_failed'],
    ['depth 1.5', { depth: 1.5, body: 'x' }, 'validation_failed'],
    ['an interest that is no id', { interestId: 'art', body: 'x' }, 'validation_failed'],
    [
      'five further interests',
      { interestId: primary, interestIds: others.slice(0, 5), body: 'x' },
      'post_interests_exceeded',
    ],
    ...Object.entries({
      personaId: UNKNOWN,
      media: [],
      poll: { options: ['a', 'b'] },
      quotedPostId: UNKNOWN,
      publishAt: '2030-01-01T00:00:00Z',
      isJournalism: false,
    }).map(([field, value]): [string, object, string] => [
      `${field}, which is not there yet`,
      { body: 'x', [field]: value },
      'validation_failed',
    ]),
  ])('refuses %s', async (_what, body, word) => {
    const before = await feed(alice)
    expect(await alice.post('/posts', body)).toFailWith(422, word)
    expect(await feed(alice)).toEqual(before)
  })

  test('does not know an interest that does not exist', async () => {
    expect(await alice.post('/posts', { body: 'x', interestId: UNKNOWN })).toFailWith(404, 'interest_unknown')
    expect(await alice.post('/posts', { body: 'x', interestIds: [UNKNOWN] })).toFailWith(404, 'interest_unknown')
  })

  test('with an Idempotency-Key publishes once, also when sent many times at once', async () => {
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
})

describe('GET /feed', () => {
  test('walked to its end gives every post once, newest first, also those of the same moment', async () => {
    for (let n = 0; n < 12; n++) await publish(n % 2 ? alice : bob)
    const [row] = await database.owner`
      update app.posts set created_at = '2026-01-01' where id in (select id from app.posts order by created_at desc limit 9)
      returning (select count(*)::int from app.posts where required_level = 0) as count`
    const whole = await feed(carla)
    expect(whole).toHaveLength(row?.count)
    expect(new Set(whole).size).toBe(whole.length)
    for (const limit of [1, 2, 5, whole.length - 1, whole.length].filter((n) => n <= 50)) {
      expect(await walk(carla, '/feed', limit)).toEqual(whole)
    }
    const posts = await database.owner<{ id: string }[]>`
      select id from app.posts where required_level = 0 order by created_at desc, id desc`
    expect(whole).toEqual(posts.map(({ id }) => id))
  })

  test('goes on from a post that was deleted since, and from no other’s', async () => {
    const [older, deleted, closed] = [
      await publish(alice),
      await publish(alice),
      await publish(alice, { visibility: 'inner' }),
    ]
    await database.owner`update app.posts set deleted_at = now() where id = ${deleted}`
    expect((await bob.get<Page<Post>>(`/feed?cursor=${deleted}`)).body.items[0]?.id).toBe(older)
    expect(await bob.get(`/feed?cursor=${closed}`)).toFailWith(400, 'cursor_unknown')
  })

  test.each([UNKNOWN, 'x', ''])('refuses the cursor "%s"', async (cursor) => {
    expect(await alice.get(`/feed?cursor=${cursor}`)).toFailWith(400, 'cursor_unknown')
  })

  test.each([
    'limit=0',
    'limit=51',
    'limit=x',
    'tab=following',
    'journalism=true',
    'minDepth=1',
    `interestId=${UNKNOWN}`,
    'format=note',
  ])('refuses %s', async (query) => {
    expect(await alice.get(`/feed?${query}`)).toFailWith(422, 'validation_failed')
  })
})

describe('replies', async () => {
  const post = await publish(alice)
  const path = `/posts/${post}/replies`

  test.each([
    ['reply', 1, 5000, 'reply_body'],
    ['reaction', 1, 280, 'reply_body'],
    ['criticism', 50, 300, 'criticism_length'],
    ['contribution', 100, 5000, 'contribution_length'],
  ])('of kind %s have %d to %d characters', async (kind, least, most, word) => {
    const send = (length: number) => bob.post(path, { kind, body: 'é'.repeat(length) })
    for (const length of [least, most])
      expect(await send(length)).toMatchObject({ status: 201, body: { kind, authorId: bob.actorId, postId: post } })
    expect(await send(least - 1)).toFailWith(422, word)
    expect(await send(most + 1)).toFailWith(422, kind === 'contribution' ? 'reply_body' : word)
    expect((await bob.get<Page<{ kind: string }>>(`${path}?kind=${kind}`)).body.items.map((item) => item.kind)).toEqual(
      [kind, kind],
    )
  })

  test('are counted and told', async () => {
    expect(await alice.get(`/posts/${post}`)).toMatchObject({
      body: { counters: { replies: 8 }, replies: { items: { length: 8 } } },
    })
    expect(await alice.inbox('post.replied')).toContainEqual(
      expect.objectContaining({ payload: expect.objectContaining({ postId: post }) }),
    )
  })

  test.each([{}, { body: 7 }, { body: 'x', kind: 'joke' }])('refuse %o', async (body) => {
    expect(await bob.post(path, body)).toFailWith(422, 'validation_failed')
  })

  test.each(['kind=joke', 'limit=0', 'limit=51'])('refuse %s', async (query) => {
    expect(await bob.get(`${path}?${query}`)).toFailWith(422, 'validation_failed')
  })

  test('walked to their end come each once, oldest first, also those of the same moment', async () => {
    const busy = await publish(alice)
    for (let n = 0; n < 23; n++) await reply(n % 2 ? alice : bob, busy, n % 3 ? {} : { kind: 'reaction' })
    await database.owner`update app.replies set created_at = '2026-01-01' where post_id = ${busy} and kind = 'reply'`
    const list = `/posts/${busy}/replies`
    const whole = await walk(carla, list, 50)
    const rows = await database.owner<
      { id: string }[]
    >`select id from app.replies where post_id = ${busy} order by created_at, id`
    expect(whole).toEqual(rows.map(({ id }) => id))
    for (const limit of [1, 7, 22, 23]) expect(await walk(carla, list, limit)).toEqual(whole)
    const { body } = await carla.get<{ replies: Page<{ id: string }> }>(`/posts/${busy}`)
    expect(body.replies.items.map(({ id }) => id)).toEqual(whole.slice(0, 20))
    expect([body.replies.nextCursor, body.replies.hasMore]).toEqual([whole[19], true])

    await database.owner`update app.replies set deleted_at = now() where id = ${whole[4] ?? ''}`
    expect((await carla.get<Page<{ id: string }>>(`${list}?cursor=${whole[4]}`)).body.items[0]?.id).toBe(whole[5])
    for (const cursor of [UNKNOWN, 'x', '', busy])
      expect(await carla.get(`${list}?cursor=${cursor}`)).toFailWith(400, 'cursor_unknown')
    expect(await carla.get(`${path}?cursor=${whole[0]}`)).toFailWith(400, 'cursor_unknown')
  })
})

describe('reactions', async () => {
  const post = await publish(alice)
  const path = `/posts/${post}/react`
  const shows = (reactions: number, ...viewer: string[]) => ({
    status: 200,
    body: { counters: { reactions, replies: 0 }, viewer: { reactions: viewer } },
  })

  test('are given and taken back, each as often as one likes', async () => {
    expect(await bob.post(path, { kind: 'heart' })).toMatchObject(shows(1, 'heart'))
    expect(await bob.post(path, { kind: 'heart' })).toMatchObject(shows(1, 'heart'))
    expect(await bob.post(path, { kind: 'spark' })).toMatchObject(shows(1, 'heart', 'spark'))
    expect(await carla.post(path, { kind: 'heart' })).toMatchObject(shows(2, 'heart'))
    expect(await bob.get(`/posts/${post}`)).toMatchObject({
      body: { counters: { reactions: 2 }, viewer: { reactions: ['heart', 'spark'] } },
    })
    expect(await bob.delete(`${path}?kind=heart`)).toMatchObject(shows(1, 'spark'))
    expect(await bob.delete(path)).toMatchObject(shows(1))
    expect(await bob.delete(path)).toMatchObject(shows(1))
    expect((await alice.inbox('post.reacted')).filter(({ payload }) => payload.postId === post)).toHaveLength(1)
  })

  test('given by many at once are all counted', async () => {
    const crowd = await join(...Array.from({ length: 10 }, (_, n) => `fan${n}`))
    await Promise.all(crowd.flatMap((fan) => [fan.post(path, { kind: 'heart' }), fan.post(path, { kind: 'heart' })]))
    expect(await alice.get(`/posts/${post}`)).toMatchObject({ body: { counters: { reactions: 11 } } })
    await Promise.all(crowd.flatMap((fan) => [fan.delete(path), fan.delete(path)]))
    expect(await alice.get(`/posts/${post}`)).toMatchObject({ body: { counters: { reactions: 1 } } })
  })

  test.each([{}, { kind: 'laugh' }, { kind: null }])('refuse %o', async (body) => {
    expect(await bob.post(path, body)).toFailWith(422, 'validation_failed')
  })

  test('refuse to take back what there is not', async () => {
    expect(await bob.delete(`${path}?kind=laugh`)).toFailWith(422, 'validation_failed')
  })
})

describe('a post that one may not see', async () => {
  const [author, member, inner, stranger] = (await join('ava', 'max', 'ina', 'sam')) as [Person, Person, Person, Person]
  const { id: circle } = (await author.post<{ id: string }>('/circles', { name: 'Friends' })).body
  await author.post(`/circles/me/${circle}/members`, { memberId: 'max' })
  await author.post(`/circles/me/${circle}/members`, { memberId: 'ina', bondLevel: 'inner-circle' })
  const posts = {
    public: await publish(author),
    circles: await publish(author, { visibility: 'circles' }),
    inner: await publish(author, { visibility: 'inner' }),
  }
  for (const id of Object.values(posts)) {
    await inner.post('/economy/pay', { ...spark, postId: id })
    await reply(inner, id)
  }

  test('is, by every route, as one that does not exist', async () => {
    await expectThere(stranger, posts.public)
    await expectUnknown(stranger, posts.circles)
    await expectUnknown(stranger, posts.inner)
    await expectThere(member, posts.circles)
    await expectUnknown(member, posts.inner)
    await expectThere(inner, posts.inner)
    expect(await stranger.get('/economy/payments')).toMatchObject({ body: { items: [{ postId: posts.public }] } })
  })

  test('takes neither a reaction, a reply nor mana on the way', async () => {
    const [row] = await database.owner`
      select (select count(*)::int from app.replies where author_id = ${stranger.id} and post_id <> ${posts.public}) as replies,
             (select count(*)::int from app.reactions where user_id = ${stranger.id} and post_id <> ${posts.public}) as reactions,
             (select balance::int from app.wallets where user_id = ${stranger.id}) as balance`
    expect(row).toEqual({ replies: 0, reactions: 0, balance: 49 })
  })

  test('is nobody’s through a reply on it', async () => {
    const hers = await reply(inner, posts.inner)
    const answer = await stranger.post('/economy/pay', { ...spark, replyId: hers })
    expect(answer).toFailWith(404, 'reply_unknown')
    expect(answer.text).toBe((await stranger.post('/economy/pay', { ...spark, replyId: UNKNOWN })).text)
    expect(await member.post('/economy/pay', { ...spark, replyId: hers })).toFailWith(404, 'reply_unknown')
  })

  test('goes when one leaves, and comes when one is let closer', async () => {
    await member.delete(`/circles/me/${circle}/members/max`)
    await expectUnknown(member, posts.circles)
    await author.post(`/circles/me/${circle}/members`, { memberId: 'max', bondLevel: 'inner-circle' })
    await expectThere(member, posts.inner)
  })

  test('falls silent both ways with a block, and comes back with its end', async () => {
    const theirs = await publish(member)
    const comment = await reply(member, posts.circles)
    const ours = await publish(stranger)
    const remark = await reply(author, ours)
    const said = await reply(member, ours)
    await expectThere(author, theirs)

    for (const [blocker, blocked] of [
      [author, member],
      [member, author],
    ] as const) {
      await blocker.post(`/users/${blocked.actorId}/block`)
      for (const id of Object.values(posts)) await expectUnknown(member, id)
      await expectUnknown(author, theirs)
      expect(await walk(author, `/posts/${posts.circles}/replies`, 50)).not.toContain(comment)
      expect(await walk(author, `/posts/${ours}/replies`, 50)).toEqual([remark])
      expect(await walk(member, `/posts/${ours}/replies`, 50)).toEqual([said])
      for (const [self, replyId] of [
        [author, comment],
        [author, said],
        [member, remark],
      ] as const) {
        expect(await self.post('/economy/pay', { ...spark, replyId })).toFailWith(404, 'reply_unknown')
        expect(await self.get(`/posts/${ours}/replies?cursor=${replyId}`)).toFailWith(400, 'cursor_unknown')
      }
      expect(await author.get(`/feed?cursor=${theirs}`)).toFailWith(400, 'cursor_unknown')
      for (const [self, other] of [
        [author, member],
        [member, author],
      ] as const) {
        expect(await self.post('/economy/pay', { ...spark, receiverId: other.actorId })).toFailWith(
          404,
          'person_unknown',
        )
      }
      await expectThere(stranger, theirs)
      await expectThere(stranger, posts.public)

      await blocker.delete(`/users/${blocked.actorId}/block`)
      for (const id of Object.values(posts)) await expectThere(member, id)
      await expectThere(author, theirs)
      expect(await walk(author, `/posts/${ours}/replies`, 50)).toEqual([remark, said])
    }
  })

  test('is hidden from all but its author, deleted for everyone, and gone with a ban', async () => {
    await database.owner`update app.posts set hidden_at = now() where id = ${posts.public}`
    await expectUnknown(inner, posts.public)
    expect(await author.get(`/posts/${posts.public}`)).toMatchObject({
      status: 200,
      body: { hiddenAt: expect.any(String) },
    })
    await database.owner`update app.posts set hidden_at = null where id = ${posts.public}`
    await expectThere(inner, posts.public)

    await database.owner`update app.posts set deleted_at = now() where id = ${posts.public}`
    await expectUnknown(inner, posts.public)
    await expectUnknown(author, posts.public)

    await database.owner`update app.users set banned_at = now() where id = ${author.id}`
    await expectUnknown(inner, posts.inner)
    await expectUnknown(admin, posts.inner)
    await database.owner`update app.users set banned_at = null where id = ${author.id}`
    await expectThere(inner, posts.inner)
  })
})
