import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

type Wallet = { balance: number; lifetimeEarned: number; lifetimeSpent: number; lastRegenAt: string }
type Paid = { payment: { id: string; receiverId: string | null; amount: number }; senderBalance: number }
type Payments = { items: Paid['payment'][]; nextCursor: string | null; hasMore: boolean }

const { alice, bob, carla, admin, nobody, database, join } = await world()

const wallet = async (person: Person) => (await person.get<Wallet>('/economy/wallet')).body
const pay = (person: Person, target: object, more: object = {}, headers = {}) =>
  person.post<Paid>('/economy/pay', { emotion: 'love', tier: 0, ...target, ...more }, headers)

describe('GET /economy/wallet', () => {
  test('returns 50 mana for every new person, including the first admin', async () => {
    const fresh = { balance: 50, lifetimeEarned: 50, lifetimeSpent: 0 }
    expect(await wallet(alice)).toMatchObject(fresh)
    expect(await wallet(admin)).toMatchObject(fresh)
    expect(await nobody.get('/economy/wallet')).toFailWith(401, 'token_missing')
  })

  test('regenerates 5 mana for each full day, up to 50, and concurrent reads add the mana only once', async () => {
    const [dora] = await join('dora')
    if (!dora) throw new Error('nobody joined')
    await pay(dora, { receiverId: 'alice' }, { tier: 3 })
    expect((await wallet(dora)).balance).toBe(25)
    await database.owner`update app.wallets set last_regen_at = now() - interval '50 hours' where user_id = ${dora.id}`
    const read = await Promise.all(Array.from({ length: 10 }, () => wallet(dora)))
    expect(read.map(({ balance }) => balance)).toEqual(Array(10).fill(35))
    expect(await wallet(dora)).toMatchObject({ balance: 35, lifetimeEarned: 60, lifetimeSpent: 25 })
    await database.owner`update app.wallets set last_regen_at = now() - interval '999 hours' where user_id = ${dora.id}`
    expect(await wallet(dora)).toMatchObject({ balance: 50, lifetimeEarned: 75, lifetimeSpent: 25 })
    expect(await database.owner`select * from private.audit_mana()`).toEqual([])
  })
})

describe('POST /economy/pay', () => {
  test('pays for a post: moves the mana, notifies the author, and is counted on the post', async () => {
    const postId = await publish(bob)
    const before = await wallet(bob)
    const { status, body } = await pay(alice, { postId }, { tier: 1 })
    expect(status).toBe(201)
    expect(body.payment).toMatchObject({
      senderId: alice.actorId,
      receiverId: bob.actorId,
      emotion: 'love',
      tier: 1,
      amount: 3,
      total: 3,
      splits: [{ receiverId: bob.actorId, amount: 3 }],
      postId,
      replyId: null,
      reversed: false,
    })
    expect(body.senderBalance).toBe((await wallet(alice)).balance)
    expect((await wallet(bob)).balance).toBe(before.balance + 3)
    expect((await alice.get(`/posts/${postId}`)).body).toMatchObject({
      emojiBreakdown: { love: { count: 1, total: 3 } },
    })
    expect((await bob.inbox('payment.received'))[0]?.payload).toMatchObject({ paymentId: body.payment.id, amount: 3 })
    const events = await database.owner`select payload from app.domain_events where name = 'economy.payment.sent'`
    expect(events.map(({ payload }) => payload)).toContainEqual({ paymentId: body.payment.id, senderId: alice.id })
  })

  test('pays for a reply and for a person, by any spelling of the name', async () => {
    const postId = await publish(bob)
    const { body: reply } = await carla.post<{ id: string }>(`/posts/${postId}/replies`, { body: 'Indeed' })
    expect((await pay(alice, { replyId: reply.id })).body.payment).toMatchObject({
      receiverId: carla.actorId,
      replyId: reply.id,
    })
    for (const receiverId of ['carla', '@carla', carla.actorId]) {
      expect((await pay(alice, { receiverId })).body.payment).toMatchObject({ receiverId: carla.actorId, postId: null })
    }
  })

  test.each([
    [{}, 422, 'payment_target'],
    [{ receiverId: 'bob', postId: UNKNOWN }, 422, 'payment_target'],
    [{ receiverId: 'bob', tier: 6 }, 422, 'validation_failed'],
    [{ receiverId: 'bob', tier: 1.5 }, 422, 'validation_failed'],
    [{ receiverId: 'bob', emotion: 'envy' }, 422, 'validation_failed'],
    [{ postId: 'none' }, 422, 'validation_failed'],
    [{ receiverId: 'alice' }, 400, 'pay_oneself'],
    [{ receiverId: 'zoe' }, 404, 'person_unknown'],
    [{ postId: UNKNOWN }, 404, 'post_unknown'],
    [{ replyId: UNKNOWN }, 404, 'reply_unknown'],
    [{ receiverId: 'bob', tier: 5 }, 409, 'insufficient_mana'],
  ])('rejects %j and moves nothing', async (body, status, code) => {
    const before = await wallet(alice)
    expect(await pay(alice, body)).toFailWith(status, code)
    expect(await wallet(alice)).toEqual(before)
  })

  test('rejects a caller without a token, and everyone while the feature is switched off', async () => {
    expect(await pay(nobody, { receiverId: 'bob' })).toFailWith(401, 'token_missing')
    await database.owner`update app.feature_flags set enabled = false where key = 'emoji-pay'`
    expect(await pay(alice, { receiverId: 'bob' })).toFailWith(403, 'feature_disabled')
    await database.owner`update app.feature_flags set enabled = true where key = 'emoji-pay'`
  })

  test('gives the same answer for a hidden post as for an unknown one', async () => {
    const postId = await publish(bob, { visibility: 'inner' })
    const hidden = await pay(alice, { postId })
    expect(hidden).toFailWith(404, 'post_unknown')
    expect(hidden.text).toBe((await pay(alice, { postId: UNKNOWN })).text)
  })

  test('gives the same answer for blocked, banned and erased people as for unknown ones', async () => {
    const [eve, finn, gus, hal] = await join('eve', 'finn', 'gus', 'hal')
    if (!eve || !finn || !gus || !hal) throw new Error('nobody joined')
    const below = await publish(bob)
    const targets = []
    for (const other of [finn, gus, hal]) {
      const { body } = await other.post<{ id: string }>(`/posts/${below}/replies`, { body: 'Indeed' })
      targets.push({ other, receiverId: other.username, replyId: body.id, postId: await publish(other) })
    }
    expect((await finn.post('/users/eve/block')).status).toBe(200)
    await database.owner`update app.users set banned_at = now() where id = ${gus.id}`
    await database.owner`select private.erase_person(${hal.id})`
    const before = await wallet(eve)
    const unknown = { receiverId: 'person_unknown', replyId: 'reply_unknown', postId: 'post_unknown' }
    const text = async (target: object) => (await pay(eve, target)).text
    for (const target of targets) {
      for (const [field, code] of Object.entries(unknown)) {
        const aim = { [field]: target[field as keyof typeof unknown] }
        expect(await pay(eve, aim), `${target.other.username} by ${field}`).toFailWith(404, code)
        const none = field === 'receiverId' ? 'zoe' : UNKNOWN
        expect(await text(aim)).toBe(await text({ [field]: none }))
      }
    }
    expect(await wallet(eve)).toEqual(before)
    expect(await pay(finn, { receiverId: 'eve' })).toFailWith(404, 'person_unknown') // the blocker can't pay either
  })

  test('splits 10 mana between a co-author with 30 percent, who gets 3, and the author, who gets 7', async () => {
    const [jane] = await join('jane')
    if (!jane) throw new Error('nobody joined')
    const postId = await publish(bob)
    const { body } = await bob.post<{ id: string }>(`/posts/${postId}/co-authors`, { userId: 'carla', splitShare: 30 })
    await carla.post(`/posts/${postId}/co-authors/${body.id}/respond`, { accept: true })
    const before = [await wallet(bob), await wallet(carla)]
    expect((await pay(jane, { postId }, { tier: 2 })).body.payment).toMatchObject({ amount: 10, total: 10 })
    const after = [await wallet(bob), await wallet(carla)]
    expect(after.map(({ balance }, at) => balance - (before[at]?.balance ?? 0))).toEqual([7, 3])
    expect((await wallet(jane)).balance).toBe(40)
  })

  test.each(['postId', 'replyId'])('rejects paying oneself by %s', async (field) => {
    const postId = await publish(bob)
    const { body } = await bob.post<{ id: string }>(`/posts/${postId}/replies`, { body: 'Mine' })
    expect(await pay(bob, { [field]: field === 'postId' ? postId : body.id })).toFailWith(400, 'pay_oneself')
  })

  test('succeeds for exactly one of ten concurrent payments that would each use the last mana', async () => {
    const [ivan] = await join('ivan')
    if (!ivan) throw new Error('nobody joined')
    expect(await pay(ivan, { receiverId: 'bob' }, { tier: 3 })).toMatchObject({ status: 201 })
    const answers = await Promise.all(Array.from({ length: 10 }, () => pay(ivan, { receiverId: 'bob' }, { tier: 3 })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 201) expect(answer).toFailWith(409, 'insufficient_mana')
    expect(await wallet(ivan)).toMatchObject({ balance: 0, lifetimeEarned: 50, lifetimeSpent: 50 })
  })

  test('requires reputation in the primary interest of a post, and none for other payments', async () => {
    const [interest] = await database.owner`select id from app.interests where level = 1 order by slug limit 1`
    const [expert] = await join('expert')
    if (!expert) throw new Error('nobody joined')
    const postId = await publish(bob, { interestId: interest?.id })
    expect(await pay(expert, { postId }, { tier: 2 })).toFailWith(403, 'reputation_too_low')
    expect(await pay(expert, { postId }, { tier: 1 })).toMatchObject({ status: 201 })
    expect(await pay(expert, { receiverId: 'bob' }, { tier: 2 })).toMatchObject({ status: 201 })
    await database.owner`select private.add_reputation(${expert.id}, ${interest?.id}, 'admin.adjusted', 10)`
    expect(await pay(expert, { postId }, { tier: 2 })).toMatchObject({ status: 201 })
  })
})

describe('Idempotency-Key', () => {
  test('returns the first answer again and moves no mana twice', async () => {
    const key = { 'Idempotency-Key': 'once' }
    const first = await pay(carla, { receiverId: 'bob' }, {}, key)
    const after = await wallet(carla)
    const again = await pay(carla, { receiverId: 'bob' }, {}, key)
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.text).toBe(first.text)
    expect(first.headers.has('idempotency-replayed')).toBe(false)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await wallet(carla)).toEqual(after)
    expect(await pay(carla, { receiverId: 'alice' }, {}, key)).toFailWith(422, 'idempotency_key_reused')
    expect((await pay(alice, { receiverId: 'bob' }, {}, key)).headers.has('idempotency-replayed')).toBe(false)
  })

  test('lets only one of twenty concurrent requests pay, and all twenty get the same answer', async () => {
    const before = await wallet(carla)
    const all = await Promise.all(
      Array.from({ length: 20 }, () => pay(carla, { receiverId: 'bob' }, {}, { 'Idempotency-Key': 'twins' })),
    )
    expect(new Set(all.map(({ text }) => text)).size).toBe(1)
    expect(all.filter(({ headers }) => headers.has('idempotency-replayed'))).toHaveLength(19)
    expect((await wallet(carla)).balance).toBe(before.balance - 1)
  })

  test('stores no rejected request', async () => {
    const key = { 'Idempotency-Key': 'refused' }
    expect(await pay(carla, { receiverId: 'zoe' }, {}, key)).toFailWith(404, 'person_unknown')
    expect(await pay(carla, { receiverId: 'bob' }, {}, key)).toMatchObject({ status: 201 })
    expect(await pay(carla, { receiverId: 'bob' }, {}, { 'Idempotency-Key': 'x'.repeat(201) })).toFailWith(
      422,
      'validation_failed',
    )
  })
})

describe('GET /economy/payments', async () => {
  const people = await world({ people: ['erik', 'fred', 'gina'] })
  const { erik, fred, gina } = people
  const made: string[] = []
  for (const [sender, receiverId] of [
    [erik, 'fred'],
    [fred, 'erik'],
    [gina, 'erik'],
    [erik, 'gina'],
    [fred, 'gina'],
  ] as const) {
    made.unshift((await pay(sender, { receiverId })).body.payment.id)
  }
  const list = async (query: string) => (await erik.get<Payments>(`/economy/payments${query}`)).body
  const ids = ({ items }: Payments) => items.map(({ id }) => id)

  test('lists payments that the caller sent, received, or both, newest first', async () => {
    expect(ids(await list(''))).toEqual([made[1], made[2], made[3], made[4]])
    expect(ids(await list('?direction=sent'))).toEqual([made[1], made[4]])
    expect(ids(await list('?direction=received'))).toEqual([made[2], made[3]])
  })

  test.each(['', 'direction=received&'])('is paginated without gaps (query: "%s")', async (direction) => {
    const whole = ids(await list(`?${direction}`))
    const walked: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list(`?${direction}limit=1${cursor && `&cursor=${cursor}`}`)
      walked.push(...ids(page))
      cursor = page.nextCursor
    }
    expect(walked).toEqual(whole)
  })

  test('rejects an invalid direction, limit or cursor, and a caller without a token', async () => {
    expect(await erik.get('/economy/payments?direction=both')).toFailWith(422, 'validation_failed')
    expect(await erik.get('/economy/payments?limit=51')).toFailWith(422, 'validation_failed')
    expect(await erik.get('/economy/payments?cursor=what')).toFailWith(400, 'cursor_unknown')
    expect(await erik.get(`/economy/payments?cursor=${made[0]}`)).toFailWith(400, 'cursor_unknown')
    expect(await people.nobody.get('/economy/payments')).toFailWith(401, 'token_missing')
  })

  test('keeps payments across a block, without naming the other person', async () => {
    expect((await gina.post('/users/erik/block')).status).toBe(200)
    const page = await list('')
    expect(page.items).toHaveLength(4)
    expect(page.items.filter((item) => JSON.stringify(item).includes('gina'))).toEqual([])
    expect(page.items.find(({ id }) => id === made[1])).toMatchObject({
      receiverId: null,
      receiver: null,
      splits: [{ receiverId: null }],
    })
    expect(await pay(erik, { receiverId: 'gina' })).toFailWith(404, 'person_unknown')
  })
})

describe('GET /economy/payments/:postId/breakdown', () => {
  test('sums up the payments by emotion, at both paths', async () => {
    const postId = await publish(carla)
    await pay(bob, { postId }, { tier: 1 })
    await pay(bob, { postId })
    await pay(bob, { postId }, { emotion: 'awe' })
    const emojiBreakdown = { awe: { count: 1, total: 1 }, love: { count: 2, total: 4 } }
    expect((await alice.get(`/economy/payments/${postId}/breakdown`)).body).toEqual({ emojiBreakdown })
    expect((await alice.get(`/economy/posts/${postId}/breakdown`)).body).toEqual({ emojiBreakdown })
  })

  test('requires that the caller sees the post', async () => {
    const postId = await publish(carla, { visibility: 'circles' })
    expect((await carla.get(`/economy/payments/${postId}/breakdown`)).body).toEqual({ emojiBreakdown: {} })
    expect(await alice.get(`/economy/payments/${postId}/breakdown`)).toFailWith(404, 'post_unknown')
    expect(await alice.get(`/economy/posts/${UNKNOWN}/breakdown`)).toFailWith(404, 'post_unknown')
    expect(await alice.get('/economy/payments/none/breakdown')).toFailWith(422, 'validation_failed')
    expect(await nobody.get(`/economy/payments/${postId}/breakdown`)).toFailWith(401, 'token_missing')
  })
})

describe('POST /posts/:id/boost', () => {
  type Boosted = { boost: { id: string; expiresAt: string }; senderBalance: number }
  const boost = (person: Person, id: string, tier: unknown = 1, headers = {}, path = '/posts') =>
    person.post<Boosted>(`${path}/${id}/boost`, { tier }, headers)
  const newcomer = async (name: string) => {
    const [person] = await join(name)
    if (!person) throw new Error('nobody joined')
    return person
  }

  test('boosts one’s own post for mana, which is burnt, and raises its score until it expires', async () => {
    const kim = await newcomer('kim')
    const id = await publish(kim)
    await alice.post(`/posts/${id}/react`, { kind: 'heart' })
    const scored = async () => {
      const { items } = (await alice.get<{ items: { id: string; score: number }[] }>('/feed')).body
      return items.find((item) => item.id === id)
    }
    const plain = (await scored())?.score ?? 0
    const answer = await boost(kim, id, 2)
    expect(answer).toMatchObject({
      status: 201,
      body: { boost: { postId: id, tier: 2, cost: 25, multiplier: 2 }, senderBalance: 25 },
    })
    const { expiresAt } = answer.body.boost
    expect((await alice.get(`/posts/${id}`)).body).toMatchObject({ boostScore: 2, boostExpiresAt: expiresAt })
    expect((await scored())?.score).toBeCloseTo(2 * plain, 4)
    expect(await scored()).toMatchObject({ why: expect.arrayContaining([{ factor: 'boost', weight: plain }]) })
    expect(await wallet(kim)).toMatchObject({ balance: 25, lifetimeSpent: 25 })
    await database.owner`update app.post_counters set boost_expires_at = now() where post_id = ${id}`
    await database.owner`select private.job_expire_boosts()`
    expect((await alice.get(`/posts/${id}`)).body).toMatchObject({ boostScore: 0, boostExpiresAt: null })
    expect((await scored())?.score).toBe(plain)
    expect((await boost(kim, id, 1, {}, '/economy/posts')).status).toBe(201)
    expect(await database.owner`select * from private.audit_mana()`).toEqual([])
  })

  test('succeeds once for ten concurrent requests, and ten with one Idempotency-Key get the same answer', async () => {
    const lena = await newcomer('lena')
    const [one, two] = [await publish(lena), await publish(lena)]
    const answers = await Promise.all(Array.from({ length: 10 }, () => boost(lena, one)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 201) expect(answer).toFailWith(409, 'boost_active')
    const key = { 'Idempotency-Key': 'boost' }
    const same = await Promise.all(Array.from({ length: 10 }, () => boost(lena, two, 1, key)))
    expect(new Set(same.map(({ status, text }) => `${status}${text}`)).size).toBe(1)
    expect(same.filter(({ headers }) => headers.has('idempotency-replayed'))).toHaveLength(9)
    expect(await boost(lena, one, 1, key)).toFailWith(422, 'idempotency_key_reused')
    expect(await wallet(lena)).toMatchObject({ balance: 30, lifetimeSpent: 20 })
  })

  test('rejects other people, too little mana, and everyone while the feature is switched off', async () => {
    const mia = await newcomer('mia')
    const id = await publish(mia)
    const closed = await publish(mia, { visibility: 'circles' })
    expect(await boost(nobody, id)).toFailWith(401, 'token_missing')
    expect(await boost(alice, id)).toFailWith(403, 'post_not_yours')
    expect(await boost(alice, closed)).toFailWith(404, 'post_unknown')
    expect(await boost(mia, UNKNOWN)).toFailWith(404, 'post_unknown')
    expect(await boost(mia, 'none')).toFailWith(422, 'validation_failed')
    for (const tier of [0, 3, 1.5, '1', null]) expect(await boost(mia, id, tier)).toFailWith(422, 'validation_failed')
    const publishAt = new Date(Date.now() + 3_600_000).toISOString()
    expect(await boost(mia, await publish(mia, { publishAt }))).toFailWith(422, 'post_not_out')
    await admin.post(`/admin/posts/${closed}/hide`)
    expect(await boost(mia, closed)).toFailWith(409, 'boost_hidden')
    await pay(mia, { receiverId: 'bob' }, { tier: 4 })
    expect(await boost(mia, id)).toFailWith(409, 'insufficient_mana')
    expect((await alice.get(`/posts/${id}`)).body).toMatchObject({ boostScore: 0 })
    await database.owner`update app.feature_flags set enabled = false where key = 'emoji-pay'`
    expect(await boost(mia, id)).toFailWith(403, 'feature_disabled')
    await database.owner`update app.feature_flags set enabled = true where key = 'emoji-pay'`
  })
})
