// Co-authors over HTTP: inviting, answering, sharing payments, and concurrent requests. For the single rules see
// test/db/posts/co-authors.sql and test/db/economy/splits.sql.
import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const names = ['bob', 'carla', 'dora', 'emil', 'fay'] as const
const people = await world({ people: ['alice', ...names] })
const { alice, bob, carla, nobody, database } = people
const { owner } = database
const others = names.map((name) => people[name])

type Invitation = { id: string; status: string }

const invite = (author: Person, post: string, person: Person, splitShare = 10) =>
  author.post<Invitation>(`/posts/${post}/co-authors`, { userId: person.actorId, splitShare })
const respond = (person: Person, post: string, invitation: string, accept = true) =>
  person.post<Invitation>(`/posts/${post}/co-authors/${invitation}/respond`, { accept })

async function write(author: Person, shares: [Person, number][]): Promise<string> {
  const post = await publish(author)
  for (const [person, share] of shares) {
    const { body } = await invite(author, post, person, share)
    expect(await respond(person, post, body.id)).toMatchObject({ status: 200 })
  }
  return post
}

const standing = (post: string) =>
  owner<{ status: string; share: number }[]>`
    select status, split_share::int as share from app.post_co_authors where post_id = ${post} order by status`

describe('Inviting a co-author', () => {
  const path = (id: string) => `/posts/${id}/co-authors`
  const body = { userId: 'bob', splitShare: 10 }

  test('returns the invitation and notifies the invited person', async () => {
    const post = await publish(alice)
    const answer = await invite(alice, post, bob, 40)
    const { id } = answer.body
    expect(answer).toMatchObject({
      status: 201,
      body: { id, postId: post, userId: bob.actorId, user: { id: bob.actorId }, splitShare: 40, status: 'pending' },
    })
    const [notice] = await bob.inbox('co-author.invited')
    expect(notice).toMatchObject({ payload: { inviteId: id, postId: post }, actors: [{ id: alice.actorId }] })

    const coAuthors = async (person: Person) =>
      (await person.get<{ coAuthors: unknown[] }>(`/posts/${post}`)).body.coAuthors
    const pending = { userId: bob.actorId, splitShare: 40, status: 'pending' }
    expect(await coAuthors(alice)).toMatchObject([pending])
    expect(await coAuthors(bob)).toMatchObject([pending])
    expect(await coAuthors(carla)).toEqual([])

    expect(await respond(bob, post, id)).toMatchObject({ status: 200, body: { ...answer.body, status: 'accepted' } })
    expect(await coAuthors(carla)).toMatchObject([{ ...pending, status: 'accepted' }])
    expect(await alice.inbox('co-author.accepted')).toMatchObject([
      { payload: { inviteId: id, postId: post }, actors: [{ id: bob.actorId }] },
    ])
    expect(await respond(bob, post, id)).toFailWith(409, 'co_author_resolved')
    expect(await invite(alice, post, bob)).toFailWith(409, 'co_author_already')
  })

  test('requires the author of a visible post', async () => {
    const post = await publish(alice)
    const hidden = await publish(alice, { visibility: 'circles' })
    expect(await nobody.post(path(post), body)).toFailWith(401, 'token_missing')
    expect(await carla.post(path(post), body)).toFailWith(403, 'post_not_yours')
    expect(await carla.post(path(UNKNOWN), body)).toFailWith(404, 'post_unknown')
    const answer = await carla.post(path(hidden), body)
    expect(answer).toFailWith(404, 'post_unknown')
    expect(answer.text).toBe((await carla.post(path(UNKNOWN), body)).text)
  })

  test.each([
    [{ splitShare: 10 }, 422, 'validation_failed'],
    [{ userId: 'bob' }, 422, 'validation_failed'],
    [{ userId: 'bob', splitShare: -1 }, 422, 'validation_failed'],
    [{ userId: 'bob', splitShare: 100.5 }, 422, 'validation_failed'],
    [{ userId: 'bob', splitShare: '10' }, 422, 'validation_failed'],
    [{ userId: 'bob', splitShare: 91 }, 422, 'split_share_exceeded'],
    [{ userId: 'zoe', splitShare: 10 }, 404, 'person_unknown'],
    [{ userId: 'alice', splitShare: 10 }, 400, 'co_author_oneself'],
  ])('with %j gives %i', async (wrong, status, code) => {
    expect(await alice.post(path(await publish(alice)), wrong)).toFailWith(status, code)
  })

  test('requires a person who sees the post, and a published post that is not a repost', async () => {
    expect(await invite(alice, await publish(alice, { visibility: 'circles' }), bob)).toFailWith(
      422,
      'co_author_outside',
    )
    const publishAt = new Date(Date.now() + 3_600_000).toISOString()
    expect(await invite(alice, await publish(alice, { publishAt }), bob)).toFailWith(422, 'post_not_out')
    const repost = await publish(alice, { format: 'repost', body: '', quotedPostId: await publish(carla) })
    expect(await invite(alice, repost, bob)).toFailWith(422, 'co_author_repost')
  })
})

describe('Answering the invitation', () => {
  test('is possible only for the invited person', async () => {
    const post = await publish(alice)
    const { body } = await invite(alice, post, bob)
    expect(await respond(nobody, post, body.id)).toFailWith(401, 'token_missing')
    expect(await respond(alice, post, body.id)).toFailWith(403, 'invitation_not_yours')
    expect(await respond(carla, post, body.id)).toFailWith(404, 'co_author_invitation_unknown')
    expect(await respond(bob, post, UNKNOWN)).toFailWith(404, 'co_author_invitation_unknown')
    expect(await respond(bob, UNKNOWN, body.id)).toFailWith(404, 'post_unknown')
    expect(await respond(bob, post, 'x')).toFailWith(422, 'validation_failed')
    expect(await bob.post(`/posts/${post}/co-authors/${body.id}/respond`, {})).toFailWith(422, 'validation_failed')
  })

  test('with “no” deletes the invitation', async () => {
    const post = await publish(alice)
    const { body } = await invite(alice, post, bob)
    expect(await respond(bob, post, body.id, false)).toMatchObject({
      status: 200,
      body: { ...body, status: 'declined' },
    })
    expect(await respond(bob, post, body.id)).toFailWith(404, 'co_author_invitation_unknown')
    expect(await invite(alice, post, bob)).toMatchObject({ status: 201 })
  })

  test('with “no” after “yes” ends the co-authorship, even if the person no longer sees the post', async () => {
    for (const visibility of ['public', 'inner']) {
      const post = await publish(alice)
      const { body } = await invite(alice, post, bob)
      await respond(bob, post, body.id)
      await alice.patch(`/posts/${post}`, { visibility })
      const answer = await respond(bob, post, body.id, false)
      expect(answer).toMatchObject({ status: 200, body: { ...body, status: 'declined' } })
      expect((await alice.get(`/posts/${post}`)).body).toMatchObject({ coAuthors: [] })
      const code = visibility === 'public' ? 'co_author_invitation_unknown' : 'post_unknown'
      expect(await respond(bob, post, body.id, false)).toFailWith(404, code)
    }
  })

  test('gives 404 after a block', async () => {
    const post = await publish(alice)
    const { body } = await invite(alice, post, bob)
    await bob.post('/users/alice/block')
    expect(await respond(bob, post, body.id)).toFailWith(404, 'post_unknown')
    expect(await invite(alice, post, bob)).toFailWith(404, 'person_unknown')
    await bob.delete('/users/alice/block')
    expect(await respond(bob, post, body.id)).toFailWith(404, 'co_author_invitation_unknown')
  })

  test('gives 404 if the post is no longer visible to the person', async () => {
    const post = await publish(alice)
    const { body } = await invite(alice, post, bob)
    await alice.patch(`/posts/${post}`, { visibility: 'inner' })
    expect(await respond(bob, post, body.id)).toFailWith(404, 'post_unknown')
  })
})

describe('Under concurrency', () => {
  test('exactly four of five invitations succeed', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const post = await publish(alice)
      const answers = await Promise.all(others.map((person) => invite(alice, post, person)))
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 409])
      expect(await standing(post)).toHaveLength(4)
    }
  })

  test('one person is invited once', async () => {
    const post = await publish(alice)
    const answers = await Promise.all(Array.from({ length: 5 }, () => invite(alice, post, bob)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
  })

  test('accepted shares never exceed 90 percent in total', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const post = await publish(alice)
      const pending = await Promise.all(others.slice(0, 4).map((person) => invite(alice, post, person, 40)))
      const answers = await Promise.all(pending.map(({ body }, at) => respond(others[at] as Person, post, body.id)))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 422, 422])
      const accepted = (await standing(post)).filter(({ status }) => status === 'accepted')
      expect(accepted.map(({ share }) => share)).toEqual([40, 40])
    }
  })

  test('“yes” and “no” at once leave no co-authorship, whichever comes first', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const post = await publish(alice)
      const { body } = await invite(alice, post, bob)
      const [yes, no] = await Promise.all([true, false].map((accept) => respond(bob, post, body.id, accept)))
      expect(no).toMatchObject({ status: 200, body: { status: 'declined' } })
      if (yes?.status !== 200) expect(yes).toFailWith(404, 'co_author_invitation_unknown')
      expect(await standing(post)).toEqual([])
    }
  })

  test('exactly one of five requests to leave succeeds', async () => {
    const post = await write(alice, [[bob, 10]])
    const [row] = await owner<{ id: string }[]>`select id from app.post_co_authors where post_id = ${post}`
    const answers = await Promise.all(Array.from({ length: 5 }, () => respond(bob, post, row?.id ?? '', false)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404])
  })

  test('an invitation and a block leave no pending invitation', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const post = await publish(alice)
      await Promise.all([invite(alice, post, bob), bob.post('/users/alice/block')])
      await bob.delete('/users/alice/block')
      expect(await standing(post)).toEqual([])
    }
  })
})

test('A payment is shared, and each recipient sees only their own share', async () => {
  const post = await write(alice, [
    [bob, 33],
    [carla, 57],
  ])
  const payer = people.dora
  const answer = await payer.post<{ payment: { id: string } }>('/economy/pay', {
    emotion: 'awe',
    tier: 2,
    postId: post,
  })
  const { id } = answer.body.payment
  const splits = [
    { receiverId: alice.actorId, amount: 2 },
    { receiverId: bob.actorId, amount: 3 },
    { receiverId: carla.actorId, amount: 5 },
  ]
  expect(answer).toMatchObject({ status: 201, body: { payment: { amount: 10, total: 10, receiverId: alice.actorId } } })
  const received = async (person: Person) => {
    type Item = { id: string; splits: { receiverId: string; amount: number }[] }
    const { body } = await person.get<{ items: Item[] }>('/economy/payments?direction=received')
    return body.items.find((item) => item.id === id)
  }
  expect(answer.body.payment).toHaveProperty('splits', expect.arrayContaining(splits))
  for (const [at, person] of [alice, bob, carla].entries()) {
    const own = splits[at]
    expect(await received(person)).toMatchObject({ amount: own?.amount, total: 10, splits: [own] })
    const [notice] = await person.inbox('payment.received')
    expect(notice?.payload).toMatchObject({ paymentId: id, amount: own?.amount, postId: post })
  }
})

test('A payment does not reveal people or posts that its reader cannot see', async () => {
  const post = await write(alice, [[bob, 40]])
  type Listed = { items: { id: string; amount: number; postId: string | null; splits: object[] }[] }
  const latest = async (person: Person, direction: string) =>
    (await person.get<Listed>(`/economy/payments?direction=${direction}&limit=1`)).body.items[0]
  await people.fay.post('/users/bob/block')
  const paid = await people.fay.post<{ payment: object }>('/economy/pay', { emotion: 'joy', tier: 2, postId: post })
  const folded = { amount: 10, postId: post, splits: [{ receiverId: alice.actorId, amount: 10 }] }
  expect(paid).toMatchObject({ status: 201, body: { payment: folded } })
  expect(await latest(people.fay, 'sent')).toMatchObject(folded)
  const own = { amount: 4, splits: [{ receiverId: bob.actorId, amount: 4 }] }
  expect(await latest(bob, 'received')).toMatchObject({ ...own, postId: post })

  await alice.patch(`/posts/${post}`, { visibility: 'inner' })
  expect(await latest(bob, 'received')).toMatchObject({ ...own, postId: null })
  expect(await latest(people.fay, 'sent')).toMatchObject({ ...folded, postId: null })
  expect(await latest(alice, 'received')).toMatchObject({ amount: 6, postId: post })
})
