// Mutes, the block list, muted keywords, reports, and the routes about shared circles over HTTP. For the rules in every
// state see test/db/social, for where keywords are found test/model/muted-keywords.test.ts.
import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database, join } = await world()

type Page<Item = { id: string; username: string }> = { items: Item[]; nextCursor: string | null; hasMore: boolean }
const keyword = { keyword: 'spoiler' }
const report = { targetType: 'user', targetId: 'bob', reason: 'Spam' }

const routes: [string, string, object?][] = [
  ['POST', '/users/bob/mute'],
  ['DELETE', '/users/bob/mute'],
  ['GET', '/identity/me/mutes'],
  ['GET', '/identity/me/blocks'],
  ['GET', '/identity/me/muted-keywords'],
  ['POST', '/identity/me/muted-keywords', keyword],
  ['DELETE', `/identity/me/muted-keywords/${UNKNOWN}`],
  ['POST', '/reports', report],
  ['GET', '/circles/me/check/bob'],
  ['GET', '/circles/me/pending/bob'],
  ['GET', '/circles/memberships/me'],
]
const lists = routes.filter(([method, path]) => method === 'GET' && !path.endsWith('/bob')).map(([, path]) => path)
const aboutBob = routes.filter(([, path]) => path.includes('/bob')).map(([method, path]) => [method, path] as const)

const names = async (person: Person, path: string) =>
  (await person.get<Page>(path)).body.items.map(({ username }) => username)
const feed = async (person: Person) =>
  (await person.get<Page<{ body: string }>>('/feed?limit=50')).body.items.map(({ body }) => body)
const write = async (person: Person, body: string) => (await person.post<{ id: string }>('/posts', { body })).body.id

test.each(routes)('%s %s requires a token', async (method, path, body) => {
  expect(await nobody.request(method, path, body)).toFailWith(401, 'token_missing')
  expect(await nobody.request(method, path, body && {})).toFailWith(401, 'token_missing')
})

test.each(aboutBob)('%s %s gives 404 for an unknown person, and the same across a block', async (method, path) => {
  const [one, other] = (await join(
    `ida_${method}_${path.length}`.toLowerCase(),
    `ivo_${method}_${path.length}`.toLowerCase(),
  )) as [Person, Person]
  const unknown = await one.request(method, path.replace('bob', 'zoe'))
  expect(unknown).toFailWith(404, 'person_unknown')
  await other.post(`/users/${one.actorId}/block`)
  expect(await one.request(method, path.replace('bob', other.username))).toMatchObject({
    status: 404,
    text: unknown.text,
  })
  expect(await one.request(method, path.replace('bob', 'x'.repeat(321)))).toFailWith(422, 'validation_failed')
})

test.each(lists)('GET %s rejects invalid cursors and limits', async (path) => {
  for (const cursor of ['x y', UNKNOWN, ''])
    expect(await alice.get(`${path}?cursor=${cursor}`)).toFailWith(400, 'cursor_unknown')
  for (const limit of ['0', '51', 'x'])
    expect(await alice.get(`${path}?limit=${limit}`)).toFailWith(422, 'validation_failed')
})

describe('A mute', () => {
  test('removes a person from the feed and the notifications, and from nothing else', async () => {
    const [mia, max] = (await join('mia', 'max')) as [Person, Person]
    const post = await write(max, 'Max says')
    const own = await write(mia, 'Mia says')

    expect(await mia.post(`/users/${max.actorId}/mute`)).toMatchObject({ status: 200, body: { muted: true } })
    expect(await mia.post('/users/@max/mute')).toMatchObject({ status: 200, body: { muted: true } })
    expect(await feed(mia)).toEqual(['Mia says'])
    expect(await mia.get(`/posts/${post}`)).toMatchObject({ status: 200 })
    expect(await names(mia, '/identity/me/mutes')).toEqual(['max'])
    expect(await names(max, '/identity/me/mutes')).toEqual([])

    expect(await max.post('/users/mia/follow')).toMatchObject({ status: 200 })
    expect(await max.post(`/posts/${own}/replies`, { body: 'Max replies' })).toMatchObject({ status: 201 })
    expect(await mia.get('/notifications')).toMatchObject({ body: { items: [] } })

    expect(await mia.delete('/users/max/mute')).toMatchObject({ status: 204, body: null })
    expect(await mia.delete('/users/max/mute')).toMatchObject({ status: 204 })
    expect(await feed(mia)).toEqual(['Mia says', 'Max says'])
    expect(await mia.post('/users/mia/mute')).toFailWith(400, 'mute_oneself')
  })

  test('is listed by name, page by page, even if the last listed one is lifted meanwhile', async () => {
    const [una, ...others] = (await join('una', 'zac', 'zed', 'zig')) as [Person, ...Person[]]
    for (const other of others) await una.post(`/users/${other.actorId}/mute`)
    const first = await una.get<Page>('/identity/me/mutes?limit=2')
    expect(first.body).toMatchObject({ items: [{ username: 'zac' }, { username: 'zed' }], hasMore: true })
    await una.delete('/users/zed/mute')
    expect(await names(una, `/identity/me/mutes?limit=2&cursor=${first.body.nextCursor}`)).toEqual(['zig'])
  })
})

test('The block list contains the names of people whom the caller blocked, and not who blocked the caller', async () => {
  const [kim] = (await join('kim')) as [Person]
  await kim.post(`/users/${bob.actorId}/block`)
  await kim.post(`/users/${alice.actorId}/block`)
  await carla.post(`/users/${kim.actorId}/block`)
  const { actorId, username } = alice

  const first = await kim.get<Page>('/identity/me/blocks?limit=1')
  expect(first.body.items).toEqual([
    { id: actorId, actorId, personId: expect.any(String), username, createdAt: expect.any(String) },
  ])
  expect(await names(kim, `/identity/me/blocks?cursor=${first.body.nextCursor}`)).toEqual(['bob'])
  await kim.delete(`/users/${first.body.items[0]?.id}/block`)
  expect(await names(kim, '/identity/me/blocks')).toEqual(['bob'])
  expect(await names(carla, '/identity/me/blocks')).toEqual(['kim'])
})

describe('Muted keywords', () => {
  type Keyword = { id: string; keyword: string; until: string | null }
  const soon = new Date(Date.now() + 3_600_000).toISOString()

  test('remove posts from the feed until they expire or are deleted', async () => {
    const [leo] = (await join('leo')) as [Person]
    await write(leo, 'Nothing here')
    await write(leo, 'A SPOILER, careful')
    const all = await feed(leo)

    const made = await leo.post<Keyword>('/identity/me/muted-keywords', { keyword: ' spoiler ', until: soon })
    expect(made).toMatchObject({ status: 201, body: { keyword: 'spoiler' } })
    expect(Date.parse(made.body.until ?? '')).toBe(Date.parse(soon))
    expect(await feed(leo)).toEqual(all.filter((body) => !body.includes('SPOILER')))
    expect(await feed(alice)).toContain('A SPOILER, careful')

    const again = await leo.post<Keyword>('/identity/me/muted-keywords', { keyword: 'Spoiler' })
    expect(again).toMatchObject({ status: 201, body: { id: made.body.id, until: null } })
    expect(await leo.get('/identity/me/muted-keywords')).toMatchObject({
      body: { items: [again.body], hasMore: false },
    })
    expect(await alice.get('/identity/me/muted-keywords')).toMatchObject({ body: { items: [] } })

    expect(await alice.delete(`/identity/me/muted-keywords/${made.body.id}`)).toMatchObject({ status: 204 })
    expect(await leo.get('/identity/me/muted-keywords')).toMatchObject({ body: { items: [again.body] } })
    expect(await leo.delete(`/identity/me/muted-keywords/${made.body.id}`)).toMatchObject({ status: 204, body: null })
    expect(await leo.delete(`/identity/me/muted-keywords/${made.body.id}`)).toMatchObject({ status: 204 })
    expect(await feed(leo)).toEqual(all)
  })

  test('are limited to 100, even if they are added concurrently', async () => {
    const [tom] = (await join('tom')) as [Person]
    const answers = await Promise.all(
      Array.from({ length: 104 }, (_, n) => tom.post('/identity/me/muted-keywords', { keyword: `word ${n}` })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(100)
    for (const refused of answers.filter(({ status }) => status !== 201))
      expect(refused).toFailWith(409, 'keywords_exhausted')
    const pages = [await tom.get<Page>('/identity/me/muted-keywords?limit=50')]
    pages.push(await tom.get<Page>(`/identity/me/muted-keywords?limit=50&cursor=${pages[0]?.body.nextCursor}`))
    expect(new Set(pages.flatMap(({ body }) => body.items.map(({ id }) => id))).size).toBe(100)
    expect(pages[1]?.body.nextCursor).toBeNull()
  })

  test.each([
    ['no keyword', {}, 'validation_failed'],
    ['blanks', { keyword: ' \t' }, 'validation_failed'],
    ['101 characters', { keyword: 'x'.repeat(101) }, 'validation_failed'],
    ['a number', { keyword: 7 }, 'validation_failed'],
    ['an invalid end', { keyword: 'x', until: 'tomorrow' }, 'validation_failed'],
    ['an end in the past', { keyword: 'x', until: '2020-01-01T00:00:00Z' }, 'keyword_until'],
    ['a keyword without letters', { keyword: '\u0640' }, 'keyword_empty'],
  ])('reject %s', async (_what, body, code) => {
    expect(await alice.post('/identity/me/muted-keywords', body)).toFailWith(422, code)
  })

  test('are deleted by a UUID', async () => {
    expect(await alice.delete('/identity/me/muted-keywords/x')).toFailWith(422, 'validation_failed')
  })
})

describe('POST /reports', () => {
  test('reports a person, a post and a reply, each once while the report is open', async () => {
    const post = await write(bob, 'Buy this')
    const { body: reply } = await bob.post<{ id: string }>(`/posts/${post}/replies`, { body: 'And this' })
    for (const [targetType, targetId, id] of [
      ['user', '@bob', bob.actorId],
      ['post', post, post],
      ['reply', reply.id, reply.id],
    ]) {
      const body = { targetType, targetId, reason: ' Spam ' }
      expect(await alice.post('/reports', body)).toMatchObject({
        status: 201,
        body: { targetType, targetId: id, reason: 'Spam', status: 'open' },
      })
      expect(await alice.post('/reports', body)).toFailWith(409, 'report_open')
    }
    expect(await carla.post('/reports', { ...report, targetType: 'post', targetId: post })).toMatchObject({
      status: 201,
    })
    expect(await bob.get('/notifications')).toMatchObject({ body: { items: [] } })
  })

  test('answers 404 for things that the caller cannot see', async () => {
    const { body: inner } = await bob.post<{ id: string }>('/posts', { body: 'Inner', visibility: 'inner' })
    const { body: reply } = await bob.post<{ id: string }>(`/posts/${inner.id}/replies`, { body: 'Inner' })
    const of = (targetType: string, targetId: string) => alice.post('/reports', { ...report, targetType, targetId })
    expect(await of('post', inner.id)).toFailWith(404, 'post_unknown')
    expect(await of('post', UNKNOWN)).toFailWith(404, 'post_unknown')
    expect(await of('post', 'x')).toFailWith(404, 'post_unknown')
    expect(await of('reply', reply.id)).toFailWith(404, 'reply_unknown')
    expect(await of('user', 'zoe')).toFailWith(404, 'person_unknown')
    expect(await of('user', 'alice')).toFailWith(400, 'report_oneself')
    expect(await of('planet', UNKNOWN)).toFailWith(422, 'report_target')
    expect(await database.owner`select from app.reports where target_id in (${inner.id}, ${reply.id})`).toEqual([])
  })

  test.each(['targetType', 'targetId', 'reason'])('requires %s, neither empty nor too long', async (field) => {
    expect(await alice.post('/reports', { ...report, [field]: undefined })).toFailWith(422, 'validation_failed')
    expect(await alice.post('/reports', { ...report, [field]: ' ' })).toFailWith(422, 'validation_failed')
    expect(await alice.post('/reports', { ...report, [field]: 'x'.repeat(1001) })).toFailWith(422, 'validation_failed')
  })
})

test('Two people can check whether they share circles, and which invitations are pending', async () => {
  const [ann, ben, cyd] = (await join('ann', 'ben', 'cyd')) as [Person, Person, Person]
  const { body: circle } = await ann.post<{ id: string }>('/circles', { name: 'Friends' })
  for (const member of [ben, cyd]) await ann.post(`/circles/me/${circle.id}/members`, { memberId: member.actorId })
  const check = async (one: Person, other: Person) => (await one.get(`/circles/me/check/${other.actorId}`)).body

  expect(await check(ann, ben)).toEqual({ sharesCircle: true, inMyCircle: true, inTheirCircle: false })
  expect(await check(ben, ann)).toEqual({ sharesCircle: true, inMyCircle: false, inTheirCircle: true })
  expect(await check(ben, cyd)).toEqual({ sharesCircle: true, inMyCircle: false, inTheirCircle: false })
  expect(await check(ben, alice)).toEqual({ sharesCircle: false, inMyCircle: false, inTheirCircle: false })

  expect(await ben.get('/circles/memberships/me')).toMatchObject({
    body: { items: [{ id: circle.id, isOwner: false }] },
  })
  expect(await ann.get('/circles/memberships/me')).toMatchObject({ body: { items: [] } })

  expect(await ann.get('/circles/me/pending/alice')).toMatchObject({ body: { items: [] } })
  const { body: invitation } = await ann.post<{ id: string }>(`/circles/${circle.id}/invite`, { inviteeId: 'alice' })
  expect(await ann.get('/circles/me/pending/alice')).toMatchObject({
    status: 200,
    body: { items: [{ id: invitation.id, status: 'pending' }], nextCursor: null, hasMore: false },
  })
  expect(await alice.get(`/circles/me/pending/${ann.actorId}`)).toMatchObject({ body: { items: [] } })
})
