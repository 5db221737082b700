import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import { world } from '../../support/world.ts'

type Node = { id: string; slug: string; level: number; parentId: string | null; userCount: number; children?: Node[] }
type Catalog = { items: Node[] }
type Times = { createdAt: string; updatedAt: string }
type Choices = { items: { interestId: string; slug: string; depth: number; expertise: number }[] }

const { alice, bob, carla, nobody, database } = await world()
const tree = (await alice.get<Catalog>('/interests/catalog')).body.items
const flat = (nodes: Node[]): Node[] => nodes.flatMap((node) => [node, ...flat(node.children ?? [])])
const bySlug = new Map(flat(tree).map((node) => [node.slug, node]))
const id = (slug: string) => bySlug.get(slug)?.id ?? ''
const choice = (slug: string, depth = 1, expertise = 1) => ({ interestId: id(slug), depth, expertise })

describe('GET /interests/catalog', () => {
  test('returns the whole tree, with each interest once and under its parent', async () => {
    const levels = [1, 2, 3].map((level) => flat(tree).filter((node) => node.level === level).length)
    expect(levels).toEqual([15, 99, 404])
    expect(bySlug.size).toBe(15 + 99 + 404)
    for (const node of flat(tree)) for (const child of node.children ?? []) expect(child.parentId).toBe(node.id)
  })

  test('has an ETag and answers 304 to a client that sends it, until a count changes', async () => {
    const path = '/interests/catalog?level=1'
    const first = await bob.get(path)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
    const again = await alice.get(path, { 'if-none-match': `W/"other", ${etag}` })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
    expect(again.headers.get('cache-control')).toBe('private, no-cache')
    await bob.post('/me/interests', { interestId: id('music'), depth: 1, expertise: 1 })
    expect(await alice.get(path, { 'if-none-match': etag })).toMatchObject({ status: 200 })
    await bob.delete(`/me/interests/${id('music')}`)
    expect(await alice.get(`/interests/catalog?parentId=${UNKNOWN}`, { 'if-none-match': etag })).toFailWith(
      404,
      'interest_unknown',
    )
  })

  test('filters by level, by parent, or by both, and then returns a flat list', async () => {
    const level = await alice.get<Catalog>('/interests/catalog?level=1')
    expect(level.body.items.map(({ id }) => id)).toEqual(tree.map(({ id }) => id))
    expect(level.body.items[0]).not.toHaveProperty('children')
    const parent = await alice.get<Catalog>(`/interests/catalog?parentId=${id('philosophy')}`)
    expect(parent.body.items.map(({ slug }) => slug)).toContain('ethics')
    const both = await alice.get<Catalog>(`/interests/catalog?level=3&parentId=${id('philosophy')}`)
    expect(both.body.items).toEqual([])
  })

  test('rejects an unknown level or parent, and a caller without a token', async () => {
    expect(await alice.get('/interests/catalog?level=4')).toFailWith(422, 'validation_failed')
    expect(await alice.get('/interests/catalog?parentId=philosophy')).toFailWith(422, 'validation_failed')
    expect(await alice.get(`/interests/catalog?parentId=${UNKNOWN}`)).toFailWith(404, 'interest_unknown')
    expect(await nobody.get('/interests/catalog')).toFailWith(401, 'token_missing')
  })
})

describe('POST and DELETE /me/interests', () => {
  test('add and change a choice, list it at both paths, and update the user count', async () => {
    const before = bySlug.get('ethics')?.userCount ?? 0
    const first = await alice.post<Times>('/me/interests', choice('ethics', 3, 2))
    expect(first).toMatchObject({
      status: 201,
      body: { slug: 'ethics', level: 2, parentId: id('philosophy'), depth: 3, expertise: 2 },
    })
    expect(Date.parse(first.body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(first.body.createdAt))
    expect(await alice.post('/me/interests', choice('ethics', 5, 4))).toMatchObject({ status: 201, body: { depth: 5 } })
    const mine = await alice.get<Choices>('/me/interests')
    expect(mine.body.items).toMatchObject([{ interestId: id('ethics'), depth: 5, expertise: 4 }])
    expect(mine.body).toMatchObject({ nextCursor: null, hasMore: false })
    expect((await alice.get('/interests/me')).body).toEqual(mine.body)
    const siblings = await bob.get<Catalog>(`/interests/catalog?parentId=${id('philosophy')}`)
    expect(siblings.body.items.find(({ slug }) => slug === 'ethics')?.userCount).toBe(before + 1)
  })

  test('remove a choice, and repeating the request changes nothing', async () => {
    expect(await alice.delete(`/me/interests/${id('ethics')}`)).toMatchObject({ status: 204, text: '' })
    expect(await alice.delete(`/me/interests/${id('ethics')}`)).toMatchObject({ status: 204 })
    expect((await alice.get<Choices>('/me/interests')).body.items).toEqual([])
  })

  test('give no reputation for a choice', async () => {
    await carla.post('/me/interests', choice('arts'))
    expect((await carla.get('/reputation/me')).body).toEqual({ total: 0, items: [] })
  })

  test.each([
    ['an empty body', {}],
    ['a depth of 0', { depth: 0 }],
    ['a depth of 6', { depth: 6 }],
    ['half an expertise', { expertise: 1.5 }],
    ['a name instead of an id', { interestId: 'ethics' }],
  ])('reject %s with 422', async (_, wrong) => {
    const body = Object.keys(wrong).length === 0 ? wrong : { ...choice('ethics'), ...wrong }
    expect(await bob.post('/me/interests', body)).toFailWith(422, 'validation_failed')
  })

  test('reject an unknown interest with 404 and a caller without a token with 401', async () => {
    expect(await bob.post('/me/interests', { ...choice('ethics'), interestId: UNKNOWN })).toFailWith(
      404,
      'interest_unknown',
    )
    expect(await bob.delete(`/me/interests/${UNKNOWN}`)).toFailWith(404, 'interest_unknown')
    expect(await bob.delete('/me/interests/ethics')).toFailWith(422, 'validation_failed')
    expect(await nobody.get('/me/interests')).toFailWith(401, 'token_missing')
    expect(await nobody.post('/me/interests', choice('ethics'))).toFailWith(401, 'token_missing')
    expect(await nobody.delete(`/me/interests/${id('ethics')}`)).toFailWith(401, 'token_missing')
  })
})

describe('POST /interests/me/bulk', () => {
  test('merges with earlier choices, emits an event, and seeds reputation in top-level interests', async () => {
    await bob.post('/me/interests', choice('logic-foundations', 2, 2))
    const answer = await bob.post<Choices>('/interests/me/bulk', {
      interests: [choice('music', 4, 4), choice('logic-foundations', 3, 3), choice('ethics')],
    })
    expect(answer.status).toBe(200)
    expect(answer.body.items.map(({ slug, depth }) => [slug, depth])).toEqual([
      ['logic-foundations', 3],
      ['music', 4],
      ['ethics', 1],
    ])
    expect(
      await database.owner`
      select payload from app.domain_events where name = 'interests.user_selected' and payload ->> 'userId' = ${bob.id}
    `,
    ).toMatchObject([{ payload: { interestIds: expect.arrayContaining([id('music'), id('ethics')]) } }])
    expect((await bob.get('/reputation/me')).body).toMatchObject({ total: 5, items: [{ slug: 'music', value: 5 }] })
  })

  test('saves nothing if one interest is invalid', async () => {
    const before = (await bob.get('/me/interests')).body
    const interests = [choice('history'), { ...choice('arts'), interestId: UNKNOWN }]
    expect(await bob.post('/interests/me/bulk', { interests })).toFailWith(404, 'interest_unknown')
    expect(await bob.post('/interests/me/bulk', { interests: [choice('history'), choice('arts', 6)] })).toFailWith(
      422,
      'validation_failed',
    )
    expect((await bob.get('/me/interests')).body).toEqual(before)
  })

  test('counts and seeds once when the same choices arrive concurrently', async () => {
    const [once, again] = [
      ['history', 'computing', 'arts'],
      ['arts', 'history', 'computing'],
    ].map((slugs) => ({ interests: slugs.map((slug) => choice(slug)) }))
    const answers = await Promise.all(
      [alice, bob].flatMap((person) => [once, again].map((body) => person.post('/interests/me/bulk', body))),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await alice.get('/reputation/me')).body).toMatchObject({ total: 15 })
    expect((await bob.get('/reputation/me')).body).toMatchObject({ total: 20 })
    const [counts] = await database.owner`
      select count(*)::int as wrong from app.interests i
      where user_count <> (select count(*) from app.user_interests u where u.interest_id = i.id)`
    expect(counts?.wrong).toBe(0)
  })

  test('rejects a missing list, an empty list, and a caller without a token', async () => {
    expect(await alice.post('/interests/me/bulk', {})).toFailWith(422, 'validation_failed')
    expect(await alice.post('/interests/me/bulk', { interests: [] })).toFailWith(422, 'validation_failed')
    expect(await nobody.post('/interests/me/bulk', { interests: [choice('arts')] })).toFailWith(401, 'token_missing')
  })
})
