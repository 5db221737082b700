// Follows over HTTP. For the effect of blocks and bans on lists and counts in every state see
// test/db/social/follows.sql.
import { describe, expect, test } from 'vitest'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database, join } = await world()

type Page = { items: { id: string; username: string }[]; nextCursor: string | null; hasMore: boolean }
const follow = ['/circles/users/:id/follow', '/users/:id/follow'].map((path) => (id: string) => path.replace(':id', id))
const lists = ['followers', 'following'] as const
const stats = (caller: Person, of: Person) => caller.get(`/circles/users/${of.actorId}/follow-stats`)

async function names(caller: Person, of: Person, list: (typeof lists)[number]): Promise<string[]> {
  const { body } = await caller.get<Page>(`/circles/users/${of.actorId}/${list}`)
  return body.items.map(({ username }) => username).sort()
}

/** Every route of the feature, about this person. */
const routes = (id: string): [string, string][] => [
  ...follow.flatMap((path): [string, string][] => [
    ['POST', path(id)],
    ['DELETE', path(id)],
  ]),
  ...['follow-stats', ...lists].map((of): [string, string] => ['GET', `/circles/users/${id}/${of}`]),
]

test.each(routes('bob'))('%s %s requires a token', async (method, path) => {
  expect(await nobody.request(method, path)).toFailWith(401, 'token_missing')
})

test.each(routes('zoe'))('%s %s gives 404 for an unknown person and 422 for a malformed name', async (method, path) => {
  expect(await alice.request(method, path)).toFailWith(404, 'person_unknown')
  expect(await alice.request(method, path.replace('zoe', 'x'.repeat(321)))).toFailWith(422, 'validation_failed')
})

describe.each(follow)('Following a person', (path) => {
  test('works the same at both paths, and is idempotent', async () => {
    const [fan, star] = (await join(`fan_${path('x').length}`, `star_${path('x').length}`)) as [Person, Person]
    const followed = { status: 200, body: { followers: 1, following: 0, isFollowing: true } }

    expect(await fan.post(path(star.actorId))).toMatchObject(followed)
    expect(await fan.post(path(`@${star.username}`))).toMatchObject(followed)
    expect(await star.inbox('user.followed')).toMatchObject([{ count: 1, actors: [{ id: fan.actorId }] }])
    expect(await names(alice, star, 'followers')).toEqual([fan.username])
    expect(await names(alice, fan, 'following')).toEqual([star.username])
    expect(await stats(star, fan)).toMatchObject({ body: { followers: 0, following: 1, isFollowing: false } })

    expect(await fan.delete(path(star.username))).toMatchObject({ status: 204, body: null })
    expect(await fan.delete(path(star.username))).toMatchObject({ status: 204 })
    expect(await stats(fan, star)).toMatchObject({ body: { followers: 0, isFollowing: false } })
    expect(await fan.post(path(fan.actorId))).toFailWith(400, 'follow_oneself')
  })
})

test('Following emits social.user.followed once, with the specified payload', async () => {
  const [fan] = (await join('felix')) as [Person]
  await fan.post('/users/bob/follow')
  await fan.post('/users/bob/follow')
  const events = await database.owner`
    select payload from app.domain_events where name = 'social.user.followed' and payload ->> 'followerId' = ${fan.id}`
  expect(events).toMatchObject([{ payload: { followerId: fan.id, followingId: bob.id } }])
})

describe('The lists of followers and followed people', async () => {
  const [star, ...fans] = (await join('nova', 'f1', 'f2', 'f3', 'f4', 'f5')) as [Person, ...Person[]]
  for (const fan of fans) await fan.post(`/users/${star.actorId}/follow`)

  test.each([1, 2, 5, 50])('contain everyone once, newest first, in pages of %i', async (limit) => {
    const seen: string[] = []
    let next: string | null = ''
    while (next !== null) {
      const { body }: { body: Page } = await alice.get<Page>(`/circles/users/nova/followers?limit=${limit}${next}`)
      seen.push(...body.items.map(({ id }) => id))
      expect(body.hasMore).toBe(body.nextCursor !== null)
      next = body.nextCursor && `&cursor=${encodeURIComponent(body.nextCursor)}`
    }
    expect(seen).toEqual(fans.map(({ actorId }) => actorId).reverse())
  })

  test('continue after a follow that has ended', async () => {
    const { body } = await alice.get<Page>('/circles/users/nova/followers?limit=2')
    await fans[3]?.delete(`/users/${star.actorId}/follow`)
    const { body: next } = await alice.get<Page>(`/circles/users/nova/followers?cursor=${body.nextCursor}`)
    expect(body.nextCursor).toBe(fans[3]?.actorId)
    expect(next.items.map(({ id }) => id)).toEqual([fans[2], fans[1], fans[0]].map((fan) => fan?.actorId))
  })

  test.each(lists)('reject invalid cursors and limits: %s', async (list) => {
    const path = `/circles/users/nova/${list}`
    for (const cursor of ['x y', 'zoe', 'carla', ''])
      expect(await alice.get(`${path}?cursor=${cursor}`)).toFailWith(400, 'cursor_unknown')
    for (const limit of ['0', '51', 'x'])
      expect(await alice.get(`${path}?limit=${limit}`)).toFailWith(422, 'validation_failed')
  })
})

test('A block ends follows in both directions and hides both people in each other’s lists and counts', async () => {
  const [star] = (await join('sol')) as [Person]
  for (const one of [alice, bob, carla]) await one.post(`/users/${star.actorId}/follow`)
  await alice.post(`/users/${bob.actorId}/follow`)
  await bob.post(`/users/${alice.actorId}/follow`)
  await bob.post(`/users/${alice.actorId}/block`)

  for (const [caller, other] of [
    [alice, bob],
    [bob, alice],
  ] as const) {
    expect(await names(caller, star, 'followers')).toEqual([caller.username, carla.username].sort())
    expect(await stats(caller, star)).toMatchObject({ body: { followers: 2 } })
    expect(await names(caller, caller, 'followers')).not.toContain(other.username)
    for (const [method, path] of routes(other.actorId))
      expect(await caller.request(method, path)).toFailWith(404, 'person_unknown')
  }
  expect(await stats(carla, star)).toMatchObject({ body: { followers: 3 } })

  await bob.delete(`/users/${alice.actorId}/block`)
  expect(await stats(alice, star)).toMatchObject({ body: { followers: 3 } })
  expect(await names(alice, alice, 'following')).not.toContain('bob')
})

test('Concurrent follows are all counted, and repeated follows of one person count once', async () => {
  const [star] = (await join('vega')) as [Person]
  const crowd = await join(...Array.from({ length: 20 }, (_, n) => `crowd_${n}`))
  await Promise.all(crowd.map((one) => one.post('/users/vega/follow')))
  await Promise.all(crowd.map(() => alice.post('/users/vega/follow')))
  expect(await stats(alice, star)).toMatchObject({ body: { followers: 21, isFollowing: true } })
})

test('A concurrent follow and block leave no follow', async () => {
  for (let round = 0; round < 10; round++) {
    await Promise.all([carla.post('/users/bob/follow'), bob.post('/users/carla/block')])
    const rows = await database.owner`
      select from app.follows where follower_id = ${carla.id} and following_id = ${bob.id}`
    expect(rows).toHaveLength(0)
    await bob.delete('/users/carla/block')
  }
})
