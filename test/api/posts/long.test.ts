// Pages of the longest possible texts: a page ends at half a megabyte, and pagination still lists each post once.
import { expect, test } from 'vitest'
import type { Answer } from '../../support/crawler.ts'
import type { Page } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, database } = await world()
const { owner } = database
const MANY = 7

type Id = { id: string }
const essay = async (fields: object = {}) => {
  const body = 'é'.repeat(100_000) // 200,000 bytes: three of them are more than half a megabyte
  const made = await alice.post<Id>('/posts', { format: 'essay', title: 'Long', body, ...fields })
  expect(made.status).toBe(201)
  return made.body.id
}
const ids: string[] = []
for (let n = 0; n < MANY; n++) ids.push(await essay())
for (let n = 0; n < MANY; n++) ids.push((await alice.post<Id>('/posts', { body: 'short' })).body.id)

const series = (await alice.post<Id>('/posts/series', { title: 'Long' })).body.id
for (const [n, id] of ids.entries()) {
  expect((await alice.post(`/posts/series/${series}/items`, { postId: id })).status, `${n}`).toBeLessThan(300)
  expect((await bob.post(`/posts/${id}/bookmark`)).status).toBeLessThan(300)
}

type Item = Partial<Id> & { post?: Id }
/** The ids on each page of up to 50 items, to the end. */
async function pages(person: Person, path: string): Promise<string[][]> {
  const all: string[][] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const { body }: Answer<Page<Item>> = await person.get(`${path}${path.includes('?') ? '&' : '?'}limit=50${cursor}`)
    expect(body.hasMore).toBe(body.nextCursor !== null)
    all.push(body.items.map(({ id, post }) => post?.id ?? id ?? ''))
    cursor = body.nextCursor && `&cursor=${body.nextCursor}`
  }
  return all
}

test.each([
  ['/feed?tab=trending', 'down'],
  ['/posts/by/alice', 'down'],
  ['/posts/bookmarks', 'down'],
  [`/series/${series}/items`, 'up'],
])('GET %s ends a page once its posts have half a megabyte', async (path, way) => {
  const found = await pages(bob, path)
  expect(found.map(({ length }) => length)).toEqual(way === 'up' ? [3, 3, 1 + MANY] : [MANY + 3, 3, 1])
  expect(found.flat()).toEqual(way === 'up' ? ids : ids.toReversed())
})

test('The tab For You also ends a page at that size, and its cursor continues after it', async () => {
  const found = await pages(bob, '/feed')
  expect(found).toHaveLength(3)
  expect(found.flat().sort()).toEqual(ids.toSorted())
})

test('A quote counts together with the post it quotes, and an even longer post fills a whole page', async () => {
  const quotes: string[] = []
  for (const id of ids.slice(0, 4)) {
    const quote = { format: 'quote', body: 'short', quotedPostId: id }
    quotes.push((await bob.post<Id>('/posts', quote)).body.id)
  }
  expect(await pages(alice, '/posts/by/bob')).toEqual([quotes.slice(1).reverse(), quotes.slice(0, 1)])
  await owner`update app.posts set body = repeat('😀', 100000) where id = any (${ids.slice(0, MANY)})`
  const found = await pages(bob, '/posts/by/alice')
  expect(found.map(({ length }) => length)).toEqual([MANY + 2, 2, 2, 1])
})
