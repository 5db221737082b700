// Bookmarks, mutes and pins over HTTP. For the rules in every state see test/db/posts/{bookmarks,post-mutes,pins}.sql.
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../support/crawler.ts'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, join } = await world()

type Post = { id: string; pinned: boolean; counters: { bookmarks: number }; viewer: { bookmarked: boolean } }
type Page = { items: Post[]; nextCursor: string | null; hasMore: boolean }

const publishMany = async (author: Person, count: number) => {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await publish(author))
  return ids
}
const open = async (person: Person, id: string) => (await person.get<Post>(`/posts/${id}`)).body
const later = () => new Date(Date.now() + 3_600_000).toISOString()

/** The ids of all items in a list, fetched page by page. */
async function walk(person: Person, path: string, limit: number): Promise<string[]> {
  const ids: string[] = []
  let next: string | null = ''
  while (next !== null) {
    const page: Answer<Page> = await person.get(`${path}?limit=${limit}${next}`)
    expect([page.status, page.body.hasMore]).toEqual([200, page.body.nextCursor !== null])
    if (page.body.hasMore) expect(page.body.items).toHaveLength(limit)
    ids.push(...page.body.items.map(({ id }) => id))
    next = page.body.nextCursor && `&cursor=${page.body.nextCursor}`
  }
  return ids
}

describe.each([
  ['POST', 'bookmark'],
  ['DELETE', 'bookmark'],
  ['POST', 'mute'],
  ['DELETE', 'mute'],
  ['POST', 'pin'],
  ['DELETE', 'pin'],
])('%s /posts/:id/%s', (method, action) => {
  const ask = (person: Person, id: string) => person.request(method, `/posts/${id}/${action}`)

  test('requires a token, a UUID and an existing post', async () => {
    expect(await ask(nobody, UNKNOWN)).toFailWith(401, 'token_missing')
    expect(await ask(bob, 'x')).toFailWith(422, 'validation_failed')
    expect(await ask(bob, UNKNOWN)).toFailWith(404, 'post_unknown')
  })

  test('gives the same answer for an invisible post as for an unknown one, byte for byte', async () => {
    const gone = await publish(alice)
    await alice.delete(`/posts/${gone}`)
    const hidden = [gone, await publish(alice, { visibility: 'inner' }), await publish(alice, { publishAt: later() })]
    const { text } = await ask(bob, UNKNOWN)
    for (const id of hidden) {
      const answer = await ask(bob, id)
      expect(answer).toFailWith(404, 'post_unknown')
      expect(answer.text).toBe(text)
    }
  })

  test('rejects the author’s own scheduled post', async () => {
    if (method === 'POST')
      expect(await ask(alice, await publish(alice, { publishAt: later() }))).toFailWith(422, 'post_not_out')
  })
})

describe('Bookmarks', () => {
  test('are set and removed idempotently', async () => {
    const id = await publish(alice)
    for (let n = 0; n < 2; n++)
      expect(await bob.post(`/posts/${id}/bookmark`)).toMatchObject({
        status: 200,
        body: { counters: { bookmarks: 1 }, viewer: { bookmarked: true } },
      })
    expect((await carla.post<Post>(`/posts/${id}/bookmark`)).body.counters.bookmarks).toBe(2)
    for (let n = 0; n < 2; n++) expect((await bob.delete(`/posts/${id}/bookmark`)).status).toBe(204)
    expect(await open(bob, id)).toMatchObject({ counters: { bookmarks: 1 }, viewer: { bookmarked: false } })
  })

  test('are listed as whole posts, newest first, each once with any page size', async () => {
    const [dan] = (await join('dan')) as [Person]
    expect((await dan.get<Page>('/posts/bookmarks')).body).toEqual({ items: [], nextCursor: null, hasMore: false })
    const ids = await publishMany(alice, 7)
    for (const id of ids) await dan.post(`/posts/${id}/bookmark`)
    const newest = ids.toReversed()
    for (const limit of [1, 3, 7, 50]) expect(await walk(dan, '/posts/bookmarks', limit)).toEqual(newest)
    expect((await dan.get<Page>('/posts/bookmarks')).body.items[0]).toEqual(await open(dan, newest[0] ?? '').then(card))
    expect(await walk(carla, '/posts/bookmarks', 50)).not.toContain(ids[1])

    // deleted posts leave no gap
    await alice.delete(`/posts/${newest[1]}`)
    await alice.delete(`/posts/${newest[4]}`)
    for (const limit of [1, 2, 5])
      expect(await walk(dan, '/posts/bookmarks', limit)).toEqual(newest.filter((_, n) => n !== 1 && n !== 4))
  })

  /** The card without its first page of replies, which only an opened post has. */
  const card = ({ replies: _, ...post }: Post & { replies?: unknown }) => post

  test('have cursors that stay valid after the bookmark is removed, but only for their owner', async () => {
    const [eva] = (await join('eva')) as [Person]
    const ids = await publishMany(alice, 4)
    for (const id of ids) await eva.post(`/posts/${id}/bookmark`)
    const [newest, second, ...rest] = ids.toReversed()
    const { nextCursor } = (await eva.get<Page>('/posts/bookmarks?limit=2')).body
    expect(nextCursor).toBe(second)
    await eva.delete(`/posts/${second}/bookmark`)
    const next = (await eva.get<Page>(`/posts/bookmarks?limit=2&cursor=${nextCursor}`)).body
    expect(next.items.map(({ id }) => id)).toEqual(rest)
    expect(await walk(eva, '/posts/bookmarks', 2)).toEqual([newest, ...rest])
    expect(await carla.get(`/posts/bookmarks?cursor=${nextCursor}`)).toFailWith(400, 'cursor_unknown')
  })

  test.each(['x', UNKNOWN, ''])('give 400 for the cursor %j', async (cursor) => {
    expect(await bob.get(`/posts/bookmarks?cursor=${cursor}`)).toFailWith(400, 'cursor_unknown')
  })

  test.each(['0', '51', 'x'])('give 422 for the limit %s', async (limit) => {
    expect(await bob.get(`/posts/bookmarks?limit=${limit}`)).toFailWith(422, 'validation_failed')
  })

  test('require a token', async () => {
    expect(await nobody.get('/posts/bookmarks')).toFailWith(401, 'token_missing')
  })
})

describe('A muted post', () => {
  test('is absent from the feed with its reposts, and causes no notifications until it is unmuted', async () => {
    const id = await publish(alice)
    const { id: repost } = (await bob.post<Post>(`/posts/${id}/repost`)).body
    const feed = async (person: Person) =>
      (await person.get<Page>('/feed?limit=50')).body.items
        .map((item) => item.id)
        .filter((one) => [id, repost].includes(one))
    expect(await feed(carla)).toHaveLength(2)
    for (let n = 0; n < 2; n++)
      expect(await carla.post(`/posts/${id}/mute`)).toMatchObject({ status: 200, body: { muted: true } })
    expect(await feed(carla)).toEqual([])
    expect(await feed(bob)).toHaveLength(2)

    await alice.post(`/posts/${id}/mute`)
    const before = (await alice.inbox('post.reacted')).length
    await bob.post(`/posts/${id}/react`, { kind: 'heart' })
    expect(await alice.inbox('post.reacted')).toHaveLength(before)
    for (let n = 0; n < 2; n++) expect((await alice.delete(`/posts/${id}/mute`)).status).toBe(204)
    await carla.post(`/posts/${id}/react`, { kind: 'heart' })
    expect(await alice.inbox('post.reacted')).toHaveLength(before + 1)

    expect((await carla.delete(`/posts/${id}/mute`)).status).toBe(204)
    expect(await feed(carla)).toHaveLength(2)
  })
})

describe('Pins', () => {
  test('are set and removed only by the author', async () => {
    const id = await publish(alice)
    expect(await bob.post(`/posts/${id}/pin`)).toFailWith(403, 'post_not_yours')
    expect(await bob.delete(`/posts/${id}/pin`)).toFailWith(403, 'post_not_yours')
    for (let n = 0; n < 2; n++)
      expect(await alice.post(`/posts/${id}/pin`)).toMatchObject({ status: 200, body: { id, pinned: true } })
    expect((await open(bob, id)).pinned).toBe(true)
    for (let n = 0; n < 2; n++) expect((await alice.delete(`/posts/${id}/pin`)).status).toBe(204)
    expect((await open(bob, id)).pinned).toBe(false)
  })

  test('are at most three, even if ten are set concurrently', async () => {
    const [frida] = (await join('frida')) as [Person]
    const ids = await publishMany(frida, 10)
    const answers = await Promise.all(ids.map((id) => frida.post<Post>(`/posts/${id}/pin`)))
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toHaveLength(7)
    for (const answer of refused) expect(answer).toFailWith(409, 'pins_exhausted')
    const pinned = (await frida.get<Page>('/posts/by/frida?limit=50')).body.items.filter((post) => post.pinned)
    expect(pinned).toHaveLength(3)

    await frida.delete(`/posts/${pinned[0]?.id}`)
    const free = ids.find((id) => !pinned.some((post) => post.id === id))
    expect((await frida.post(`/posts/${free}/pin`)).status).toBe(200)
    const list = (await frida.get<Page>('/posts/by/frida')).body.items.map((post) => post.id)
    expect(list[0]).toBe(free)
  })
})
