// Series over HTTP: permissions, positions of items, pagination, following. For the single rules see
// test/db/posts/series.sql.
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../support/crawler.ts'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database, join } = await world()

type Series = { id: string; title: string; partCount: number; followed: boolean }
type Part = { position: number; post: { id: string; body: string } }
type Parts = { series: Series; items: Part[]; nextCursor: string | null; hasMore: boolean }
type Id = { id: string }

async function make(author: Person, title = 'Letters'): Promise<string> {
  const { status, body } = await author.post<Series>('/posts/series', { title })
  expect(status).toBe(201)
  return body.id
}

async function publish(author: Person, body: string, more: object = {}): Promise<string> {
  return (await author.post<Id>('/posts', { body, ...more })).body.id
}

const add = (author: Person, series: string, postId: string, position?: number) =>
  author.post<Part & { seriesId: string }>(`/posts/series/${series}/items`, { postId, position })

/** Creates a series by Alice with an item for each letter. */
async function filled(letters: string, more: object = {}) {
  const series = await make(alice)
  const parts: Record<string, string> = {}
  for (const letter of letters) {
    parts[letter] = await publish(alice, letter, more)
    expect(await add(alice, series, parts[letter])).toMatchObject({ status: 201 })
  }
  return { series, parts }
}

/** The items that a person sees, as in `1a 2b`. */
const shown = (items: Part[]) => items.map(({ position, post }) => `${position}${post.body}`).join(' ')
const look = async (person: Person, series: string) =>
  shown((await person.get<Parts>(`/series/${series}/items?limit=50`)).body.items)

async function walk(person: Person, series: string, limit: number): Promise<string> {
  const items: Part[] = []
  let next: string | null = ''
  while (next !== null) {
    const page: Answer<Parts> = await person.get(`/series/${series}/items?limit=${limit}${next}`)
    expect([page.status, page.body.hasMore]).toEqual([200, page.body.nextCursor !== null])
    items.push(...page.body.items)
    next = page.body.nextCursor && `&cursor=${page.body.nextCursor}`
  }
  return shown(items)
}

/** Everything that can be requested about a series, by every route. */
const about = (id: string): [string, string, object?][] => [
  ['POST', `/posts/series/${id}/items`, { postId: UNKNOWN }],
  ['GET', `/series/${id}/items`],
  ['POST', `/series/${id}/follow`],
  ['DELETE', `/series/${id}/follow`],
]

describe('Every route', () => {
  const routes: [string, string, object?][] = [
    ['GET', '/posts/series'],
    ['POST', '/posts/series', { title: 'x' }],
    ...about(UNKNOWN),
  ]
  test.each(routes)('gives 401 for %s %s without a token', async (method, path, body) => {
    expect(await nobody.request(method, path, body)).toFailWith(401, 'token_missing')
  })

  test.each(about(UNKNOWN))('gives 404 for %s %s with an unknown series', async (method, path, body) => {
    expect(await alice.request(method, path, body)).toFailWith(404, 'series_unknown')
  })

  test.each(about('x'))('gives 422 for %s %s with a malformed id', async (method, path, body) => {
    expect(await alice.request(method, path, body)).toFailWith(422, 'validation_failed')
  })

  test('gives the same answer for a series without visible items as for an unknown one, byte for byte', async () => {
    const { series } = await filled('a', { visibility: 'inner' })
    for (const [at, [method, path, body]] of about(series).entries()) {
      const [, otherPath = ''] = about(UNKNOWN)[at] ?? []
      const answer = await bob.request(method, path, body)
      expect(answer, path).toFailWith(404, 'series_unknown')
      expect(answer.text).toBe((await bob.request(method, otherPath, body)).text)
    }
  })
})

describe('A series', () => {
  test('is created and listed among the author’s own, newest first', async () => {
    const answer = await carla.post<Series>('/posts/series', {
      title: ' On tea ',
      description: ' Three cups. ',
      more: 1,
    })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      id: expect.any(String),
      authorId: carla.actorId,
      author: expect.objectContaining({ id: carla.actorId }),
      title: 'On tea',
      description: 'Three cups.',
      partCount: 0,
      followed: false,
      createdAt: expect.any(String),
    })
    const others = [await make(carla, 'B'), await make(carla, 'C')]
    const page = await carla.get<{ items: Series[]; nextCursor: string }>('/posts/series?limit=2')
    expect(page.body.items.map(({ id }) => id)).toEqual(others.reverse())
    const rest = await carla.get(`/posts/series?cursor=${page.body.nextCursor}`)
    expect(rest.body).toEqual({ items: [answer.body], nextCursor: null, hasMore: false })
    expect(await bob.get(`/posts/series?cursor=${answer.body.id}`)).toFailWith(400, 'cursor_unknown')
  })

  test('counts toward a limit of 100 per person, even if ten are created concurrently', async () => {
    const [dora] = (await join('dora')) as [Person]
    await database.owner`insert into app.series (author_id, title) select ${dora.id}, 'x' from generate_series(1, 99)`
    const answers = await Promise.all(Array.from({ length: 10 }, () => dora.post('/posts/series', { title: 'x' })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 201) expect(answer).toFailWith(409, 'series_exhausted')
  })

  test.each<[object, string]>([
    [{}, 'validation_failed'],
    [{ title: 7 }, 'validation_failed'],
    [{ title: ' ' }, 'series_title'],
    [{ title: 'x'.repeat(201) }, 'series_title'],
    [{ title: 'x', description: 'x'.repeat(2001) }, 'series_description'],
  ])('cannot be created with %o', async (body, code) => {
    expect(await alice.post('/posts/series', body)).toFailWith(422, code)
  })
})

describe('An item', () => {
  test('is added at the end or at a position, and can be moved', async () => {
    const { series, parts } = await filled('abc')
    const d = await publish(alice, 'd')
    expect(await add(alice, series, d, 2)).toMatchObject({
      status: 201,
      body: { seriesId: series, position: 2, post: { id: d, series: [{ id: series, title: 'Letters' }] } },
    })
    expect(await look(bob, series)).toBe('1a 2d 3b 4c')
    expect(await add(alice, series, parts.c ?? '', 1)).toMatchObject({ status: 201, body: { position: 1 } })
    expect(await add(alice, series, d)).toMatchObject({ status: 201, body: { position: 4 } })
    expect(await look(bob, series)).toBe('1c 2a 3b 4d')
    for (const position of [0, -1, 5]) expect(await add(alice, series, d, position)).toFailWith(422, 'series_position')
    for (const position of [1.5, 2 ** 31, 'x'])
      expect(await alice.post(`/posts/series/${series}/items`, { postId: d, position })).toFailWith(
        422,
        'validation_failed',
      )
    expect(await look(bob, series)).toBe('1c 2a 3b 4d')
  })

  test('must be the author’s own post in the author’s own series', async () => {
    const { series } = await filled('a')
    const [his, hers] = [await publish(bob, 'his'), await publish(alice, 'hers')]
    const own = await make(bob)
    expect(await add(bob, series, his)).toFailWith(403, 'series_not_yours')
    expect(await add(bob, own, hers)).toFailWith(403, 'post_not_yours')
    expect(await add(bob, own, UNKNOWN)).toFailWith(404, 'post_unknown')
    expect(await alice.post(`/posts/series/${series}/items`, {})).toFailWith(422, 'validation_failed')
  })

  test('can be in at most five series, even if three requests add it to a fifth one concurrently', async () => {
    const id = await publish(bob, 'x')
    const series = await Promise.all(Array.from({ length: 7 }, () => make(bob)))
    const four = [] as Awaited<ReturnType<typeof add>>[]
    for (const one of series.slice(0, 4)) four.push(await add(bob, one, id))
    const answers = [...four, ...(await Promise.all(series.slice(4).map((one) => add(bob, one, id))))]
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 409, 409])
    for (const [at, answer] of answers.entries()) {
      if (answer.status === 409) expect(answer).toFailWith(409, 'series_of_post_exceeded')
      else expect(await add(bob, series[at] ?? '', id, 1)).toMatchObject({ status: 201 })
    }
    expect((await bob.get<{ series: Id[] }>(`/posts/${id}`)).body.series).toHaveLength(5)
    expect((await bob.delete(`/posts/${id}`)).status).toBe(204)
  })

  test('that is hidden from the caller leaves no gap, and is rejected as a cursor', async () => {
    const { series, parts } = await filled('abcdefg')
    await database.owner`update app.posts set visibility = 'inner' where id in (${parts.b ?? ''}, ${parts.c ?? ''}, ${parts.f ?? ''})`
    expect(await look(bob, series)).toBe('1a 2d 3e 4g')
    expect(await look(alice, series)).toBe('1a 2b 3c 4d 5e 6f 7g')
    for (const limit of [1, 2, 3, 4]) expect(await walk(bob, series, limit)).toBe('1a 2d 3e 4g')
    expect(await bob.get(`/series/${series}/items`)).toMatchObject({ body: { series: { partCount: 4 } } })
    expect(await bob.get(`/series/${series}/items?cursor=${parts.b}`)).toFailWith(400, 'cursor_unknown')
    expect(await bob.get(`/series/${series}/items?cursor=x`)).toFailWith(400, 'cursor_unknown')
  })

  test('that is deleted disappears, and pagination continues after it', async () => {
    const { series, parts } = await filled('abcd')
    const { body } = await bob.get<Parts>(`/series/${series}/items?limit=2`)
    expect(body.nextCursor).toBe(parts.b)
    expect((await alice.delete(`/posts/${parts.b}`)).status).toBe(204)
    const rest = await bob.get<Parts>(`/series/${series}/items?limit=2&cursor=${body.nextCursor}`)
    expect(shown(rest.body.items)).toBe('2c 3d')
    expect(await look(bob, series)).toBe('1a 2c 3d')
    expect(await add(alice, series, parts.b ?? '')).toFailWith(404, 'post_unknown')
  })
})

describe('Following a series', () => {
  test('is shown on the card, is idempotent, and can be ended', async () => {
    const { series } = await filled('a')
    for (const _ of [1, 2])
      expect(await bob.post(`/series/${series}/follow`)).toMatchObject({ status: 200, body: { following: true } })
    expect(await bob.get(`/series/${series}/items`)).toMatchObject({ body: { series: { followed: true } } })
    expect(await carla.get(`/series/${series}/items`)).toMatchObject({ body: { series: { followed: false } } })
    expect(await alice.post(`/series/${series}/follow`)).toFailWith(400, 'series_follow_own')
    for (const _ of [1, 2]) expect((await bob.delete(`/series/${series}/follow`)).status).toBe(204)
    expect(await bob.get(`/series/${series}/items`)).toMatchObject({ body: { series: { followed: false } } })
  })

  test('notifies of new items once, and not of moved ones', async () => {
    const { series, parts } = await filled('a')
    await bob.post(`/series/${series}/follow`)
    const b = await publish(alice, 'b')
    await add(alice, series, b, 1)
    await add(alice, series, parts.a ?? '', 1)
    const told = (await bob.inbox('series.updated')).filter(({ payload }) => payload.seriesId === series)
    expect(told).toMatchObject([{ count: 1, payload: { seriesId: series, postId: b } }])
  })
})
