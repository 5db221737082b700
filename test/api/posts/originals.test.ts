// A repost is a pointer to its original: what people do to it applies to the original. People can withdraw their
// reposts, reactions, bookmarks, mutes and votes even if they no longer see the original. For every rule
// see test/db/posts/{originals,taking-back}.sql.
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../support/crawler.ts'
import { applyEffects } from '../../support/database.ts'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish, reply } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, database } = await world()
const { owner } = database

type Card = {
  id: string
  counters: Record<string, number>
  quotedPost: Card | null
  replies: { items: { id: string }[] }
}
const open = async (person: Person, id: string) => (await person.get<Card>(`/posts/${id}`)).body
const repost = async (person: Person, id: string) => (await person.post<Card>(`/posts/${id}/repost`)).body.id
const poll = { options: ['tea', 'milk'] }

test('Hearts for a post and for its reposts by the same person count as one heart', async () => {
  const [interest] = await owner<[{ id: string }]>`select id from app.interests where slug = 'applied-ethics'`
  const id = await publish(alice, { interestId: interest.id })
  const ids = [id, await repost(bob, id)]
  const reputation = async ({ id }: Person) => {
    await applyEffects(owner)
    const [row] = await owner`select sum(direct_value)::float as total from app.reputation where user_id = ${id}`
    return row?.total ?? 0
  }
  const [alices, bobs] = [await reputation(alice), await reputation(bob)]
  const hearts = Array.from({ length: 20 }, (_, n) => carla.post(`/posts/${ids[n % 2]}/react`, { kind: 'heart' }))
  for (const answer of await Promise.all(hearts))
    expect(answer).toMatchObject({ status: 200, body: { viewer: { reactions: ['heart'] } } })
  for (const target of ids) await carla.post(`/posts/${target}/bookmark`)
  expect([await reputation(alice), await reputation(bob)]).toEqual([alices + 2, bobs])
  expect(await open(carla, ids[1] ?? '')).toMatchObject({
    counters: { reactions: 0, bookmarks: 0 },
    quotedPost: { counters: { reactions: 1, bookmarks: 1 }, viewer: { reactions: ['heart'], bookmarked: true } },
  })
  expect(await bob.inbox('post.reacted')).toEqual([])
})

test('Replies, votes and payments for a repost apply to the original', async () => {
  const id = await publish(alice, { poll })
  const pointer = await repost(bob, id)
  const said = await reply(carla, pointer)
  expect((await open(carla, id)).replies.items).toMatchObject([{ id: said, postId: id }])
  expect((await open(carla, pointer)).replies.items).toMatchObject([{ id: said, postId: id }])
  const { body } = await carla.get<{ poll: { options: { id: string }[] } }>(`/posts/${id}`)
  const option = body.poll.options[0]?.id
  expect(await carla.post(`/posts/${pointer}/poll/vote`, { optionId: option })).toMatchObject({
    status: 200,
    body: { totalVotes: 1, myOptionId: option },
  })
  const paid = await carla.post('/economy/pay', { emotion: 'awe', tier: 1, postId: pointer })
  expect(paid).toMatchObject({ status: 201, body: { payment: { receiverId: alice.actorId, postId: id, amount: 3 } } })
  expect((await carla.get(`/economy/payments/${pointer}/breakdown`)).body).toEqual({
    emojiBreakdown: { awe: { count: 1, total: 3 } },
  })
})

test('A repost has no depth and no interests', async () => {
  const id = await publish(alice)
  const [interest] = await owner<[{ id: string }]>`select id from app.interests limit 1`
  for (const own of [{ depth: 1 }, { interestId: interest.id }, { interestIds: [interest.id] }]) {
    expect(await bob.post(`/posts/${id}/repost`, own)).toFailWith(422, 'repost_bare')
    expect(await bob.post('/posts', { format: 'repost', quotedPostId: id, ...own })).toFailWith(422, 'repost_bare')
    expect(await bob.post(`/posts/${id}/repost`, { ...own, body: 'Look' })).toMatchObject({ status: 201 })
  }
})

describe('After the original is no longer visible', () => {
  const unknown: Record<string, Answer<unknown>> = {}
  /** Expects the answer that an unknown id gives, byte for byte. */
  async function expectUnknown(way: string, answer: Answer<unknown>) {
    unknown[way] ??= await bob.delete(`/posts/${UNKNOWN}/${way}`)
    expect(answer).toFailWith(404, 'post_unknown')
    expect(answer.text).toBe(unknown[way].text)
  }

  const gone: Record<string, (id: string) => Promise<unknown>> = {
    narrowed: (id) => alice.patch(`/posts/${id}`, { visibility: 'inner' }),
    deleted: (id) => alice.delete(`/posts/${id}`),
    hidden: (id) => owner`update app.posts set hidden_at = now() where id = ${id}`,
  }

  test.each(Object.keys(gone))(
    'because it was %s, a repost can be deleted only by the person who made it',
    async (how) => {
      for (const way of ['post', 'by its own id', 'by that of the original']) {
        const id = await publish(alice)
        const [mine, other] = [await repost(bob, id), await repost(carla, id)]
        await gone[how]?.(id)
        const path = { post: mine, 'by its own id': `${mine}/repost` }[way] ?? `${id}/repost`
        await expectUnknown('repost', await bob.delete(`/posts/${other}/repost`))
        expect(await bob.delete(`/posts/${other}`)).toFailWith(404, 'post_unknown')
        expect((await bob.delete(`/posts/${path}`)).status).toBe(204)
        for (const again of [id, mine]) expect((await bob.delete(`/posts/${again}/repost`)).status).toBe(204)
        expect(await bob.delete(`/posts/${mine}`)).toFailWith(404, 'post_unknown')
        const [row] = await owner`select c.shares, p.deleted_at is not null as deleted
        from app.post_counters c, app.posts p where c.post_id = ${id} and p.id = ${mine}`
        expect(row).toEqual({ shares: 1, deleted: true })
      }
    },
  )

  test.each(Object.keys(gone))(
    'because it was %s, reactions, bookmarks, mutes and votes can be withdrawn without revealing it',
    async (how) => {
      const id = await publish(alice, { poll })
      const [option] = await owner`
      select o.id from app.poll_options o join app.polls l on l.id = o.poll_id where l.post_id = ${id} limit 1`
      await bob.post(`/posts/${id}/react`, { kind: 'heart' })
      await bob.post(`/posts/${id}/bookmark`)
      await bob.post(`/posts/${id}/mute`)
      await bob.post(`/posts/${id}/poll/vote`, { optionId: option?.id })
      await gone[how]?.(id)
      for (const way of ['react', 'poll/vote']) await expectUnknown(way, await bob.delete(`/posts/${id}/${way}`))
      for (const way of ['bookmark', 'mute']) expect((await bob.delete(`/posts/${id}/${way}`)).status).toBe(204)
      for (const way of ['react', 'poll/vote', 'bookmark', 'mute'])
        await expectUnknown(way, await bob.delete(`/posts/${id}/${way}`))
      const [left] = await owner`
      select (select count(*)::int from app.reactions where post_id = ${id}) + (select count(*)::int from app.bookmarks where post_id = ${id})
        + (select count(*)::int from app.post_mutes where post_id = ${id})
        + (select count(*)::int from app.poll_votes v join app.polls l on l.id = v.poll_id where l.post_id = ${id}) as engagement,
        c.reactions + c.bookmarks as counted from app.post_counters c where c.post_id = ${id}`
      expect(left).toEqual({ engagement: 0, counted: 0 })
    },
  )
})

test('A notification of a repost that was withdrawn and made again names the current repost', async () => {
  const id = await publish(alice)
  await repost(bob, id)
  await bob.delete(`/posts/${id}/repost`)
  const second = await repost(bob, id)
  const told = (await alice.inbox('post.reposted')).filter(({ payload }) => payload.postId === id)
  expect(told).toMatchObject([{ count: 1, payload: { repostId: second } }])
  expect((await open(alice, second)).id).toBe(second)
})
