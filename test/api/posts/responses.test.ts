// Replies and reactions over HTTP. For threads see replies.test.ts, for the single rules test/db/posts.
import { describe, expect, test } from 'vitest'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import { publish, reply } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, database, join } = await world()

describe('Replies', async () => {
  const post = await publish(alice)
  const path = `/posts/${post}/replies`

  test.each([
    ['reply', 1, 5000, 'reply_body'],
    ['reaction', 1, 280, 'reply_body'],
    ['criticism', 50, 300, 'criticism_length'],
    ['contribution', 100, 5000, 'contribution_length'],
  ])('of the kind %s can have %d to %d characters', async (kind, least, most, code) => {
    const send = (length: number) => bob.post(path, { kind, body: 'é'.repeat(length) })
    for (const length of [least, most])
      expect(await send(length)).toMatchObject({ status: 201, body: { kind, authorId: bob.actorId, postId: post } })
    expect(await send(least - 1)).toFailWith(422, code)
    expect(await send(most + 1)).toFailWith(422, kind === 'contribution' ? 'reply_body' : code)
    expect((await bob.get<Page<{ kind: string }>>(`${path}?kind=${kind}`)).body.items.map((item) => item.kind)).toEqual(
      [kind, kind],
    )
  })

  test('are counted, and the author is notified', async () => {
    expect(await alice.get(`/posts/${post}`)).toMatchObject({
      body: { counters: { replies: 8 }, replies: { items: { length: 8 } } },
    })
    expect(await alice.inbox('post.replied')).toContainEqual(
      expect.objectContaining({ payload: expect.objectContaining({ postId: post }) }),
    )
  })

  test.each([{}, { body: 7 }, { body: 'x', kind: 'joke' }])('reject %o with 422', async (body) => {
    expect(await bob.post(path, body)).toFailWith(422, 'validation_failed')
  })

  test.each(['kind=joke', 'limit=0', 'limit=51'])('reject the query %s with 422', async (query) => {
    expect(await bob.get(`${path}?${query}`)).toFailWith(422, 'validation_failed')
  })

  test('are listed each once, oldest first, with any page size, even those of the same moment', async () => {
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

describe('Reactions', async () => {
  const post = await publish(alice)
  const path = `/posts/${post}/react`
  const shows = (reactions: number, ...viewer: string[]) => ({
    status: 200,
    body: { counters: { reactions, replies: 0 }, viewer: { reactions: viewer } },
  })

  test('are added and removed idempotently', async () => {
    expect(await bob.post(path, { kind: 'heart' })).toMatchObject(shows(1, 'heart'))
    expect(await bob.post(path, { kind: 'heart' })).toMatchObject(shows(1, 'heart'))
    expect(await bob.post(path, { kind: 'spark' })).toMatchObject(shows(1, 'heart', 'spark'))
    expect(await carla.post(path, { kind: 'heart' })).toMatchObject(shows(2, 'heart'))
    expect(await bob.get(`/posts/${post}`)).toMatchObject({
      body: { counters: { reactions: 2 }, viewer: { reactions: ['heart', 'spark'] } },
    })
    expect(await bob.delete(`${path}?kind=heart`)).toMatchObject(shows(1, 'spark'))
    expect(await bob.post(path, { kind: 'heart' })).toMatchObject(shows(2, 'heart', 'spark'))
    expect(await bob.delete(path, { kind: 'heart' })).toMatchObject(shows(1, 'spark'))
    expect(await bob.delete(path, { kind: 'laugh' })).toFailWith(422, 'validation_failed')
    expect(await bob.delete(path)).toMatchObject(shows(1))
    expect(await bob.delete(path)).toMatchObject(shows(1))
    expect((await alice.inbox('post.reacted')).filter(({ payload }) => payload.postId === post)).toHaveLength(1)
  })

  test('added concurrently are all counted', async () => {
    const crowd = await join(...Array.from({ length: 10 }, (_, n) => `fan${n}`))
    await Promise.all(crowd.flatMap((fan) => [fan.post(path, { kind: 'heart' }), fan.post(path, { kind: 'heart' })]))
    expect(await alice.get(`/posts/${post}`)).toMatchObject({ body: { counters: { reactions: 11 } } })
    await Promise.all(crowd.flatMap((fan) => [fan.delete(path), fan.delete(path)]))
    expect(await alice.get(`/posts/${post}`)).toMatchObject({ body: { counters: { reactions: 1 } } })
  })

  test.each([{}, { kind: 'laugh' }, { kind: null }])('reject %o with 422', async (body) => {
    expect(await bob.post(path, body)).toFailWith(422, 'validation_failed')
  })

  test('reject the removal of an unknown kind', async () => {
    expect(await bob.delete(`${path}?kind=laugh`)).toFailWith(422, 'validation_failed')
  })
})
