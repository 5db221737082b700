// The feed's tabs, filters and reasons over HTTP and by supabase-js. For the posts of each tab see
// test/db/feed/tabs.sql, for the order of many posts test/model/feed.test.ts.
import { createClient } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { world } from '../../support/world.ts'

type Item = { id: string; score: number; why: { factor: string; weight: number }[] }
type Page = { items: Item[]; nextCursor: string | null; hasMore: boolean }

const { alice, bob, carla, nobody, stack } = await world()
const catalog = await alice.get<{ items: { id: string; children: { id: string }[] }[] }>('/interests/catalog')
const [
  {
    id: above,
    children: [{ id: below } = { id: '' }],
  } = { id: '', children: [] },
] = catalog.body.items

const made: Record<string, string> = {}
for (const [name, author, body] of [
  ['open', bob, { interestId: below, depth: 4 }],
  ['thread', bob, { format: 'thread' }],
  ['closer', carla, { visibility: 'circles', depth: 5 }],
  ['plain', carla, {}],
] as const)
  made[name] = (await author.post<Item>('/posts', { body: name, ...body })).body.id
await alice.post(`/users/${bob.username}/follow`)
const { body: circle } = await carla.post<{ id: string }>('/circles/me', { name: 'Friends' })
await carla.post(`/circles/me/${circle.id}/members`, { memberId: alice.actorId })

const names = ({ items }: Page) =>
  items.map(({ id }) => Object.keys(made).find((name) => made[name] === id) ?? 'unknown')
const feed = async (query: string) => {
  const { status, body } = await alice.get<Page>(`/feed${query}`)
  expect(status).toBe(200)
  return names(body)
}

test('Each tab lists its own posts', async () => {
  expect((await feed('')).sort()).toEqual(['closer', 'open', 'plain', 'thread'])
  expect(await feed('?tab=following')).toEqual(['thread', 'open'])
  expect(await feed('?tab=circles')).toEqual(['closer'])
  expect(await feed('?tab=trending')).toEqual(['plain', 'thread', 'open'])
})

test('Filters apply to every tab', async () => {
  expect(await feed(`?interestId=${above}`)).toEqual(['open'])
  expect(await feed(`?interestId=${below}&tab=trending`)).toEqual(['open'])
  expect((await feed('?minDepth=4')).sort()).toEqual(['closer', 'open'])
  expect(await feed('?minDepth=5&tab=circles')).toEqual(['closer'])
  expect(await feed('?format=thread')).toEqual(['thread'])
  expect(await feed('?journalism=true')).toEqual([])
  expect((await feed('?journalism=false')).length).toBe(4)
})

test('Every item has reasons, and their weights add up to its score', async () => {
  for (const tab of ['', '?tab=following', '?tab=circles', '?tab=trending']) {
    const { body } = await alice.get<Page>(`/feed${tab}`)
    for (const { score, why } of body.items)
      expect(why.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(score, 4)
  }
  const { body } = await alice.get<Page>('/feed')
  const open = body.items.find(({ id }) => id === made.open)
  expect(open?.why).toEqual([{ factor: 'following', weight: 1 }])
})

test('Engagement moves a post up, and a page continues where the last one ended', async () => {
  await carla.post(`/posts/${made.open}/react`, { kind: 'heart' })
  expect(await feed('?tab=trending')).toEqual(['open', 'plain', 'thread'])
  expect((await feed('')).at(0)).toBe('open')
  const first = await alice.get<Page>('/feed?limit=2')
  expect(first.body).toMatchObject({ hasMore: true, nextCursor: first.body.items[1]?.id })
  const second = await alice.get<Page>(`/feed?limit=2&cursor=${first.body.nextCursor}`)
  expect(second.body).toMatchObject({ hasMore: false, nextCursor: null })
  expect([...names(first.body), ...names(second.body)].sort()).toEqual(['closer', 'open', 'plain', 'thread'])
})

test('An invalid tab, filter or cursor is rejected', async () => {
  const wrong = ['tab=foryou', 'minDepth=6', 'minDepth=x', 'interestId=x', 'format=poem', 'journalism=yes', 'limit=51']
  for (const query of wrong) expect(await alice.get(`/feed?${query}`), query).toFailWith(422, 'validation_failed')
  expect(await alice.get(`/feed?interestId=${made.open}`)).toFailWith(404, 'interest_unknown')
  for (const tab of ['', 'tab=following&', 'tab=circles&', 'tab=trending&']) {
    expect(await alice.get(`/feed?${tab}cursor=x`)).toFailWith(400, 'cursor_unknown')
    expect(await bob.get(`/feed?${tab}cursor=${made.closer}`)).toFailWith(400, 'cursor_unknown')
  }
  expect(await nobody.get('/feed?tab=trending')).toFailWith(401, 'token_missing')
})

test('supabase-js gets the same posts', async () => {
  const kith = createClient(stack.url, stack.anonKey, {
    db: { schema: 'api' },
    accessToken: async () => alice.token ?? '',
  })
  const { data, error } = await kith.rpc('list_feed', { p_tab: 'circles' })
  expect([error, names(data as Page)]).toEqual([null, ['closer']])
  const refused = await kith.rpc('list_feed', { p_tab: 'foryou' })
  expect(refused).toMatchObject({ status: 422, error: { message: 'tab_unknown' } })
})
