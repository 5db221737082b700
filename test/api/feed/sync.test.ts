// Catching up over HTTP: GET /sync and GET /feed?since=. For which changes each person gets see
// test/db/feed/changes.sql and test/model/catching-up.test.ts.
import { expect, test } from 'vitest'
import type { Page } from '../../support/lists.ts'
import { type Post, publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

type Change = { type: string; id: string; gone: boolean }
type Sync = { items: Change[]; nextCursor: string; hasMore: boolean }

const { alice, bob, carla, nobody, database } = await world()
const start = async (who = bob) => (await who.get<Sync>('/sync')).body.nextCursor
const since = async (after: string, who = bob) => (await who.get<Sync>(`/sync?after=${after}`)).body
/** A cursor that Bob got an hour ago. */
const anHourAgo = () =>
  database.owner.begin(async (sql) => {
    const claims = JSON.stringify({ sub: bob.id, role: 'user' })
    await sql`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${claims}, true)`
    const [row] = await sql<{ cursor: string }[]>`
      select private.place_cursor('changes', now() - interval '1 hour', ${bob.id}) as cursor`
    return row?.cursor ?? ''
  })

test('Without a cursor GET /sync returns a new cursor and nothing else', async () => {
  const { status, body } = await bob.get<Sync>('/sync')
  expect([status, body]).toEqual([200, { items: [], nextCursor: expect.any(String), hasMore: false }])
})

test('Edits and deletions are listed with their type and id, the oldest change first', async () => {
  const [edited, deleted] = [await publish(alice), await publish(alice)]
  const { body: video } = await alice.post<{ id: string }>('/videos', { mediaUrl: 'https://example.org/a.mp4' })
  const { body: reply } = await carla.post<{ id: string }>(`/posts/${edited}/replies`, { body: 'So?' })
  const after = await start()
  await database.owner`delete from private.changes`
  await alice.patch(`/posts/${edited}`, { body: 'Again' })
  await alice.delete(`/posts/${deleted}`)
  await database.owner`update app.replies set hidden_at = now() where id = ${reply.id}`
  await alice.delete(`/videos/${video.id}`)
  const { body: me } = await alice.patch<{ personId: string }>('/me', { about: 'New' })
  expect(await since(after)).toEqual({
    items: [
      { type: 'post', id: edited, gone: false },
      { type: 'post', id: deleted, gone: true },
      { type: 'reply', id: reply.id, gone: true },
      { type: 'video', id: video.id, gone: true },
      { type: 'person', id: me.personId, gone: false },
    ],
    nextCursor: expect.any(String),
    hasMore: false,
  })
})

test('The next call lists changes of the last ten seconds again, and no older ones', async () => {
  const [old, recent] = [await publish(alice), await publish(alice)]
  const after = await start()
  await database.owner`delete from private.changes`
  for (const id of [old, recent]) await alice.delete(`/posts/${id}`)
  await database.owner`update private.changes set changed_at = now() - interval '11 seconds' where thing_id = ${old}`
  const early = await anHourAgo()
  const first = await since(early)
  expect(first.items.map(({ id }) => id)).toEqual([old, recent])
  expect((await since(first.nextCursor)).items.map(({ id }) => id)).toEqual([recent])
  expect((await since(after)).items.map(({ id }) => id)).toEqual([recent])
})

test('A page ends after 400 changes, and the next pages have the others', async () => {
  await database.owner`delete from private.changes`
  await database.owner`
    with made as (insert into app.posts (author_id, body, published_at)
                  select ${alice.id}, 'x', now() - interval '2 days' from generate_series(1, 900) returning id)
    insert into private.changes select 'post', id, 0, now() - random() * interval '30 minutes' - interval '1 minute' from made`
  const seen: string[] = []
  const sizes: number[] = []
  let page: Pick<Sync, 'nextCursor' | 'hasMore'> = { nextCursor: await anHourAgo(), hasMore: true }
  while (page.hasMore) {
    const next = await since(page.nextCursor)
    sizes.push(next.items.length)
    seen.push(...next.items.map(({ id }) => id))
    page = next
  }
  expect([sizes, new Set(seen).size]).toEqual([[400, 400, 100], 900])
})

test('A cursor is only valid for its caller, and for 30 days', async () => {
  const after = await start()
  expect(await carla.get(`/sync?after=${after}`)).toFailWith(400, 'cursor_unknown')
  for (const wrong of ['', 'x', after.slice(1)])
    expect(await bob.get(`/sync?after=${wrong}`)).toFailWith(400, 'cursor_unknown')
  expect(await nobody.get('/sync')).toFailWith(401, 'token_missing')
})

test.each(['', 'following', 'trending'])('GET /feed?since= ends before older posts, tab "%s"', async (tab) => {
  await alice.post(`/users/${bob.username}/follow`)
  const old = await publish(bob)
  await database.owner`update app.posts set published_at = now() - interval '1 day' where id = ${old}`
  const time = new Date(Date.now() - 3_600_000).toISOString()
  const recent = [await publish(bob), await publish(bob)]
  const query = `${tab && `tab=${tab}&`}since=${time}`
  const { body } = await alice.get<Page<Post>>(`/feed?limit=50&${query}`)
  const ids = body.items.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining(recent))
  expect([ids.includes(old), body.nextCursor]).toEqual([false, null])
  const walked: string[] = []
  for (let next: string | null = ''; next !== null; ) {
    const page: { body: Page<Post> } = await alice.get(`/feed?limit=1&${query}${next && `&cursor=${next}`}`)
    walked.push(...page.body.items.map(({ id }) => id))
    next = page.body.nextCursor
  }
  expect(walked).toEqual(ids)
})

test('GET /feed?since= rejects what is not a time with 422', async () => {
  expect(await alice.get('/feed?since=yesterday')).toFailWith(422, 'validation_failed')
})
