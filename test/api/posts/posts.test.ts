// All routes about a post: they require a token and an existing post, and answer according to who can see it. For who
// sees what in every state see test/db/posts/visibility.sql and test/model/visibility.test.ts.
import { describe, expect, test } from 'vitest'
import { UNKNOWN, walk } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { feed, publish, reply } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, admin, nobody, database, join } = await world()
const spark = { emotion: 'love', tier: 0 }

/** What everyone who sees a post can request, by every route. */
const reading = (id: string): [string, string, object?][] => [
  ['GET', `/posts/${id}`],
  ['GET', `/posts/${id}/replies`],
  ['GET', `/posts/${id}/replies?kind=criticism&limit=1`],
  ['POST', `/posts/${id}/replies`, { body: 'Indeed' }],
  ['POST', `/posts/${id}/react`, { kind: 'heart' }],
  ['DELETE', `/posts/${id}/react`],
  ['DELETE', `/posts/${id}/react?kind=spark`],
  ['POST', `/posts/${id}/bookmark`],
  ['DELETE', `/posts/${id}/bookmark`],
  ['POST', `/posts/${id}/mute`],
  ['DELETE', `/posts/${id}/mute`],
  ['GET', `/economy/payments/${id}/breakdown`],
  ['GET', `/economy/posts/${id}/breakdown`],
  ['POST', '/economy/pay', { ...spark, postId: id }],
  ['POST', `/posts/${id}/repost`, {}],
]
/** What only its author can request. */
const writing = (id: string): [string, string, object?][] => [
  ['PATCH', `/posts/${id}`, { body: 'Mine now' }],
  ['DELETE', `/posts/${id}`],
  ['POST', `/posts/${id}/pin`],
  ['DELETE', `/posts/${id}/pin`],
  ['POST', `/posts/${id}/co-authors`, { userId: 'carla', splitShare: 10 }],
]
const about = (id: string) => [...reading(id), ...writing(id)]
const routes: [string, string, object?][] = [
  ['GET', '/feed'],
  ['POST', '/posts', { body: 'x' }],
  ['GET', '/posts/by/alice'],
  ['GET', '/me/posts/scheduled'],
  ...about(UNKNOWN),
]

/** Expects that the post does not exist for this person: every answer equals that for an unknown id, byte for byte. */
async function expectUnknown(person: Person, id: string) {
  const unknown = about(UNKNOWN)
  for (const [at, [method, path, body]] of about(id).entries()) {
    const answer = await person.request(method, path, body)
    expect(answer, `${method} ${path}`).toFailWith(404, 'post_unknown')
    const [, otherPath = '', otherBody] = unknown[at] ?? []
    expect(answer.text).toBe((await person.request(method, otherPath, otherBody)).text)
  }
  expect(await feed(person)).not.toContain(id)
}

/** Expects that the post exists for this person, who is not its author, by every route. */
async function expectThere(person: Person, id: string) {
  for (const [method, path, body] of reading(id)) {
    const { status } = await person.request(method, path, body)
    expect([200, 201, 204], `${method} ${path} → ${status}`).toContain(status)
  }
  for (const [method, path, body] of writing(id)) {
    expect(await person.request(method, path, body), `${method} ${path}`).toFailWith(403, 'post_not_yours')
  }
  expect(await feed(person)).toContain(id)
}

describe('Every route', () => {
  test.each(routes)('gives 401 for %s %s without a token', async (method, path, body) => {
    expect(await nobody.request(method, path, body)).toFailWith(401, 'token_missing')
    expect(await nobody.request(method, path.replace(UNKNOWN, 'x'), body && {})).toFailWith(401, 'token_missing')
  })

  test.each(about(UNKNOWN))('gives 404 for %s %s with an unknown post', async (method, path, body) => {
    expect(await alice.request(method, path, body)).toFailWith(404, 'post_unknown')
  })

  test.each(about('x'))('gives 422 for %s %s with a malformed id', async (method, path, body) => {
    expect(await alice.request(method, path, body)).toFailWith(422, 'validation_failed')
  })
})

describe('A post that a person may not see', async () => {
  const [author, member, inner, stranger] = (await join('ava', 'max', 'ina', 'sam')) as [Person, Person, Person, Person]
  const { id: circle } = (await author.post<{ id: string }>('/circles', { name: 'Friends' })).body
  await author.post(`/circles/me/${circle}/members`, { memberId: 'max' })
  await author.post(`/circles/me/${circle}/members`, { memberId: 'ina', bondLevel: 'inner-circle' })
  const posts = {
    public: await publish(author),
    circles: await publish(author, { visibility: 'circles' }),
    inner: await publish(author, { visibility: 'inner' }),
  }
  for (const id of Object.values(posts)) {
    await inner.post('/economy/pay', { ...spark, postId: id })
    await reply(inner, id)
  }

  test('gives the same answers as one that does not exist, by every route', async () => {
    await expectThere(stranger, posts.public)
    await expectUnknown(stranger, posts.circles)
    await expectUnknown(stranger, posts.inner)
    await expectThere(member, posts.circles)
    await expectUnknown(member, posts.inner)
    await expectThere(inner, posts.inner)
    expect(await stranger.get('/economy/payments')).toMatchObject({ body: { items: [{ postId: posts.public }] } })
  })

  test('receives no reaction, reply or mana from the rejected requests', async () => {
    const [row] = await database.owner`
      select (select count(*)::int from app.replies where author_id = ${stranger.id} and post_id <> ${posts.public}) as replies,
             (select count(*)::int from app.reactions where user_id = ${stranger.id} and post_id <> ${posts.public}) as reactions,
             (select balance::int from app.wallets where user_id = ${stranger.id}) as balance`
    expect(row).toEqual({ replies: 0, reactions: 0, balance: 49 })
  })

  test('cannot be reached through a reply to it', async () => {
    const hers = await reply(inner, posts.inner)
    const answer = await stranger.post('/economy/pay', { ...spark, replyId: hers })
    expect(answer).toFailWith(404, 'reply_unknown')
    expect(answer.text).toBe((await stranger.post('/economy/pay', { ...spark, replyId: UNKNOWN })).text)
    expect(await member.post('/economy/pay', { ...spark, replyId: hers })).toFailWith(404, 'reply_unknown')
  })

  test('is invisible to a person who was removed from the circle, and visible again to one in the inner circle', async () => {
    await member.delete(`/circles/me/${circle}/members/max`)
    await expectUnknown(member, posts.circles)
    await author.post(`/circles/me/${circle}/members`, { memberId: 'max', bondLevel: 'inner-circle' })
    await expectThere(member, posts.inner)
  })

  test('stays hidden in both directions during a block, and is visible again afterwards', async () => {
    const theirs = await publish(member)
    const comment = await reply(member, posts.circles)
    const ours = await publish(stranger)
    const remark = await reply(author, ours)
    const said = await reply(member, ours)
    await expectThere(author, theirs)

    for (const [blocker, blocked] of [
      [author, member],
      [member, author],
    ] as const) {
      await blocker.post(`/users/${blocked.actorId}/block`)
      for (const id of Object.values(posts)) await expectUnknown(member, id)
      await expectUnknown(author, theirs)
      expect(await walk(author, `/posts/${posts.circles}/replies`, 50)).not.toContain(comment)
      expect(await walk(author, `/posts/${ours}/replies`, 50)).toEqual([remark])
      expect(await walk(member, `/posts/${ours}/replies`, 50)).toEqual([said])
      for (const [self, replyId] of [
        [author, comment],
        [author, said],
        [member, remark],
      ] as const) {
        expect(await self.post('/economy/pay', { ...spark, replyId })).toFailWith(404, 'reply_unknown')
        expect(await self.get(`/posts/${ours}/replies?cursor=${replyId}`)).toFailWith(400, 'cursor_unknown')
      }
      expect(await author.get(`/feed?cursor=${theirs}`)).toFailWith(400, 'cursor_unknown')
      for (const [self, other] of [
        [author, member],
        [member, author],
      ] as const) {
        expect(await self.post('/economy/pay', { ...spark, receiverId: other.actorId })).toFailWith(
          404,
          'person_unknown',
        )
      }
      await expectThere(stranger, theirs)
      await expectThere(stranger, posts.public)

      await blocker.delete(`/users/${blocked.actorId}/block`)
      for (const id of Object.values(posts)) await expectThere(member, id)
      await expectThere(author, theirs)
      expect(await walk(author, `/posts/${ours}/replies`, 50)).toEqual([remark, said])
    }
  })

  test('is hidden by staff from all but its author, and from everyone by deletion or by a ban', async () => {
    await database.owner`update app.posts set hidden_at = now() where id = ${posts.public}`
    await expectUnknown(inner, posts.public)
    expect(await author.get(`/posts/${posts.public}`)).toMatchObject({
      status: 200,
      body: { hiddenAt: expect.any(String) },
    })
    await database.owner`update app.posts set hidden_at = null where id = ${posts.public}`
    await expectThere(inner, posts.public)

    await database.owner`update app.posts set deleted_at = now() where id = ${posts.public}`
    await expectUnknown(inner, posts.public)
    await expectUnknown(author, posts.public)

    await database.owner`update app.users set banned_at = now() where id = ${author.id}`
    await expectUnknown(inner, posts.inner)
    await expectUnknown(admin, posts.inner)
    await database.owner`update app.users set banned_at = null where id = ${author.id}`
    await expectThere(inner, posts.inner)
  })
})
