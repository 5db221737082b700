// The feed as a list over HTTP. For its tabs, filters and order see test/db/feed.
import { describe, expect, test } from 'vitest'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import { feed, type Post, publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, database } = await world()

describe('GET /feed', () => {
  test('lists every post once and in the same order with any page size, even posts of the same moment', async () => {
    for (let n = 0; n < 12; n++) await publish(n % 2 ? alice : bob)
    const [row] = await database.owner`
      update app.posts set published_at = now() - interval '1 day'
      where id in (select id from app.posts order by published_at desc limit 9)
      returning (select count(*)::int from app.posts where required_level = 0) as count`
    const whole = await feed(carla)
    expect(whole).toHaveLength(row?.count)
    expect(new Set(whole).size).toBe(whole.length)
    for (const limit of [1, 2, 5, whole.length - 1, whole.length]) {
      expect(await walk(carla, '/feed', limit)).toEqual(whole)
    }
  })

  test('continues after a post that was deleted meanwhile, and rejects a hidden post as cursor', async () => {
    const [deleted = '', ...others] = await feed(bob)
    const closed = await publish(alice, { visibility: 'inner' })
    await database.owner`update app.posts set deleted_at = now() where id = ${deleted}`
    const { body } = await bob.get<Page<Post>>(`/feed?limit=50&cursor=${deleted}`)
    expect(body.items.map(({ id }) => id)).toEqual(others)
    expect(await bob.get(`/feed?cursor=${closed}`)).toFailWith(400, 'cursor_unknown')
  })

  test.each([UNKNOWN, 'x', ''])('rejects the cursor "%s" with 400', async (cursor) => {
    expect(await alice.get(`/feed?cursor=${cursor}`)).toFailWith(400, 'cursor_unknown')
  })

  test.each([
    'limit=0',
    'limit=51',
    'limit=x',
    'tab=friends',
    'journalism=yes',
    'minDepth=6',
    'interestId=art',
    'format=poem',
  ])('rejects %s with 422', async (query) => {
    expect(await alice.get(`/feed?${query}`)).toFailWith(422, 'validation_failed')
  })
})
