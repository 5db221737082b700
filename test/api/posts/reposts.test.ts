// Reposts and quotes over HTTP. For their visibility in every state see test/db/posts/reposts.sql and visibility.sql.
import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database, join } = await world()

type Post = {
  id: string
  format: string
  body: string
  quotedPostId: string | null
  quotedPost: Post | null
  counters: { shares: number }
  viewer: { reposted: boolean }
}

async function repost(person: Person, id: string, body?: object): Promise<Post> {
  const answer = await person.post<Post>(`/posts/${id}/repost`, body)
  expect(answer.status).toBe(201)
  return answer.body
}

const open = async (person: Person, id: string) => (await person.get<Post>(`/posts/${id}`)).body

describe.each([
  ['POST', 'repost'],
  ['POST', 'repost', { body: 'Look at this' }],
  ['DELETE', 'repost'],
])('%s /posts/:id/%s %j', (method, action, body?: object) => {
  const ask = (person: Person, id: string) => person.request(method, `/posts/${id}/${action}`, body)

  test('requires a token, a UUID and an existing post', async () => {
    expect(await ask(nobody, UNKNOWN)).toFailWith(401, 'token_missing')
    expect(await ask(bob, 'x')).toFailWith(422, 'validation_failed')
    expect(await ask(bob, UNKNOWN)).toFailWith(404, 'post_unknown')
  })

  test('gives the same answer for an invisible post as for an unknown one, byte for byte', async () => {
    const hidden = [
      await publish(alice, { visibility: 'circles' }),
      await publish(alice, { publishAt: new Date(Date.now() + 3_600_000).toISOString() }),
      await publish(alice),
    ]
    await alice.delete(`/posts/${hidden[2]}`)
    const { text } = await ask(bob, UNKNOWN)
    for (const id of hidden) {
      const answer = await ask(bob, id)
      expect(answer).toFailWith(404, 'post_unknown')
      expect(answer.text).toBe(text)
    }
  })
})

describe('A repost', () => {
  test('is returned together with its original', async () => {
    const id = await publish(alice)
    const made = await repost(bob, id)
    expect(made).toMatchObject({
      format: 'repost',
      body: '',
      authorId: bob.actorId,
      quotedPostId: id,
      quotedPost: { id, authorId: alice.actorId, counters: { shares: 1 }, viewer: { reposted: true } },
    })
    expect(await open(carla, id)).toMatchObject({ counters: { shares: 1 }, viewer: { reposted: false } })
    expect((await open(carla, made.id)).quotedPost?.id).toBe(id)
  })

  test('exists once, however often and by whatever route it is requested', async () => {
    const id = await publish(alice)
    const { id: first } = await repost(bob, id)
    const bodies = [undefined, {}, { body: null }, { body: ' ' }, { visibility: 'inner' }]
    for (const body of bodies) expect((await repost(bob, id, body)).id).toBe(first)
    expect((await repost(bob, first)).id).toBe(first)
    expect((await bob.post<Post>('/posts', { format: 'repost', quotedPostId: id })).body.id).toBe(first)
    expect((await open(bob, id)).counters.shares).toBe(1)
  })

  test('exists once even after 40 concurrent requests', async () => {
    const id = await publish(alice)
    const made = await Promise.all(Array.from({ length: 40 }, () => repost(bob, id)))
    expect(new Set(made.map((one) => one.id)).size).toBe(1)
    expect((await open(bob, id)).counters.shares).toBe(1)
  })

  test('of a repost points to the original', async () => {
    const id = await publish(alice)
    const { id: first } = await repost(bob, id)
    expect(await repost(carla, first)).toMatchObject({ format: 'repost', quotedPostId: id })
    expect(await repost(carla, first, { body: 'Look' })).toMatchObject({ format: 'quote', quotedPostId: id })
    expect((await open(carla, id)).counters.shares).toBe(2)
  })

  test('or quote of one’s own post gives 400, even by way of another person’s repost', async () => {
    const id = await publish(alice)
    const { id: bobs } = await repost(bob, id)
    for (const [target, body] of [[id], [id, { body: 'Look' }], [bobs], [bobs, { body: 'Look' }]] as const) {
      const answer = await alice.post<{ message: string[] }>(`/posts/${target}/repost`, body)
      expect(answer).toFailWith(400, 'repost_own')
      expect(answer.body.message).toEqual(['You cannot repost your own post.'])
    }
  })

  test('disappears for people who can no longer see the original', async () => {
    const id = await publish(alice)
    const { id: bobs } = await repost(bob, id)
    const [dan] = (await join('dan')) as [Person]
    expect((await open(dan, bobs)).id).toBe(bobs)
    await alice.post('/users/dan/block')
    expect(await dan.get(`/posts/${bobs}`)).toFailWith(404, 'post_unknown')
    expect(await dan.post(`/posts/${bobs}/repost`)).toFailWith(404, 'post_unknown')
    await alice.delete(`/posts/${id}`)
    expect(await bob.get(`/posts/${bobs}`)).toFailWith(404, 'post_unknown')
  })

  test('notifies the author in one roll-up, except authors who muted the post or cannot see the repost', async () => {
    const [erin] = (await join('erin')) as [Person]
    const [id, quiet] = [await publish(erin), await publish(erin)]
    const { id: bobs } = await repost(bob, id)
    await repost(carla, id, { visibility: 'circles' })
    await repost(alice, id)
    const told = await erin.inbox('post.reposted')
    expect(told).toMatchObject([{ count: 2, payload: { postId: id } }])
    expect((await open(erin, bobs)).quotedPostId).toBe(id)
    const { id: quote } = await repost(bob, id, { body: 'Look' })
    expect(await erin.inbox('post.quoted')).toMatchObject([{ count: 1, payload: { postId: id, quoteId: quote } }])
    await erin.post(`/posts/${quiet}/mute`)
    await repost(bob, quiet)
    await repost(bob, quiet, { body: 'Look' })
    expect((await erin.inbox('post.reposted')).length + (await erin.inbox('post.quoted')).length).toBe(2)
  })
})

describe('A quote', () => {
  test('is a post of its own', async () => {
    const id = await publish(alice)
    const body = { body: ' Look at this ', visibility: 'circles', depth: 2, media: 'unknown here' }
    const made = await repost(bob, id, body)
    expect(made).toMatchObject({ format: 'quote', body: 'Look at this', visibility: 'circles', depth: 2 })
    expect(made.quotedPost?.id).toBe(id)
    expect((await repost(bob, id, body)).id).not.toBe(made.id)
    expect((await open(alice, id)).counters.shares).toBe(0)
    expect(await alice.get(`/posts/${made.id}`)).toFailWith(404, 'post_unknown')
  })

  test('is created once per Idempotency-Key', async () => {
    const id = await publish(alice)
    const key = { 'Idempotency-Key': crypto.randomUUID() }
    const ask = (body: string) => bob.post<Post>(`/posts/${id}/repost`, { body }, key)
    const [first, second] = [await ask('Look'), await ask('Look')]
    expect(second.body.id).toBe(first.body.id)
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(await ask('Look there')).toFailWith(422, 'idempotency_key_reused')
  })

  test.each([
    [{ body: 'x'.repeat(5001) }, 422, 'post_body'],
    [{ body: 'Look', depth: 6 }, 422, 'validation_failed'],
    [{ body: 'Look', visibility: 'all' }, 422, 'validation_failed'],
    [{ body: 7 }, 422, 'validation_failed'],
    [{ body: 'Look', interestId: UNKNOWN }, 404, 'interest_unknown'],
    [{ body: 'Look', personaId: UNKNOWN }, 404, 'persona_unknown'],
  ])('with %j gives %i', async (body, status, code) => {
    expect(await bob.post(`/posts/${await publish(alice)}/repost`, body)).toFailWith(status, code)
  })
})

describe('Withdrawing a repost', () => {
  test('works by either id and is idempotent', async () => {
    const id = await publish(alice)
    for (const by of ['original', 'repost']) {
      const { id: made } = await repost(bob, id)
      const target = by === 'original' ? id : made
      for (let n = 0; n < 2; n++) expect((await bob.delete(`/posts/${target}/repost`)).status).toBe(204)
      expect((await bob.delete(`/posts/${made}/repost`)).status).toBe(204)
      expect(await bob.get(`/posts/${made}`)).toFailWith(404, 'post_unknown')
      expect(await open(bob, id)).toMatchObject({ counters: { shares: 0 }, viewer: { reposted: false } })
    }
  })

  test('affects neither another person’s repost nor one’s own quotes', async () => {
    const id = await publish(alice)
    const [carlas, quote] = [await repost(carla, id), await repost(bob, id, { body: 'Look' })]
    expect((await bob.delete(`/posts/${carlas.id}/repost`)).status).toBe(204)
    expect((await open(bob, quote.id)).id).toBe(quote.id)
    expect((await open(bob, id)).counters.shares).toBe(1)
    expect(await carla.delete(`/posts/${(await repost(bob, id)).id}/repost`)).toMatchObject({ status: 204 })
    expect((await open(bob, id)).counters.shares).toBe(1)
  })

  test('happens once even if it is concurrently deleted as a post', async () => {
    const id = await publish(alice)
    const made = await repost(bob, id)
    const ways = [`${id}/repost`, `${made.id}/repost`, made.id]
    const asked = Array.from({ length: 30 }, (_, n) => bob.delete(`/posts/${ways[n % 3]}`))
    const statuses = (await Promise.all(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => ![204, 404].includes(status))).toEqual([])
    const [row] = await database.owner`
      select (select shares from app.post_counters where post_id = ${id}) as shares,
             (select count(*)::int from app.domain_events
              where name = 'posts.post.deleted' and payload ->> 'postId' = ${made.id}) as told`
    expect(row).toEqual({ shares: 0, told: 1 })
  })
})
