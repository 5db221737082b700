// The market over HTTP: offerings, orders through all states, reviews. For each step of an order and who may take it
// see test/model/orders.test.ts, for the rules in SQL test/db/market.
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { type Page, UNKNOWN } from '../../support/lists.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, admin, database, join } = await world()
const { owner } = database
type Id = { id: string }
type Order = Id & { state: string; history: { state: string; by: string }[]; deadlineAt: string | null }
type Placed = { order: Order; senderBalance: number }
type Offering = Id & { status: string; stock: number | null; ratingAverage: number | null; ratingCount: number }

const asked = { title: 'A portrait', description: 'In ink.', priceMana: 5, deliveryDays: 7 }
const offer = async (who: typeof alice, more: object = {}) =>
  (await who.post<Offering>('/economy/market/offerings', { ...asked, ...more })).body.id
const place = (who: typeof alice, offering: string, more: object = {}, headers = {}) =>
  who.post<Placed>(`/economy/market/offerings/${offering}/orders`, { expectedPrice: 5, ...more }, headers)
const ordered = async (who: typeof alice, offering: string) => (await place(who, offering)).body.order.id
const step = (who: typeof alice, order: string, action: string, body?: object, headers = {}) =>
  who.post<Order>(`/economy/market/orders/${order}/${action}`, body, headers)
const balance = async (who: typeof alice) => (await who.get<{ balance: number }>('/economy/wallet')).body.balance
const told = async (who: typeof alice) => {
  await applyEffects(owner)
  const { body } = await who.get<Page<{ kind: string; payload: { orderId: string; state: string } }>>('/notifications')
  return body.items.filter(({ kind }) => kind === 'order.updated').map(({ payload }) => payload)
}

const bodies: Record<string, object> = {
  orders: { expectedPrice: 5 },
  deliver: { deliveryNote: 'Here.' },
  dispute: { reason: 'Not that.' },
  review: { stars: 5 },
}
const named: [string, string, string][] = [
  ['GET', '/economy/market/offerings/:id', 'offering_unknown'],
  ['PATCH', '/economy/market/offerings/:id', 'offering_unknown'],
  ['DELETE', '/economy/market/offerings/:id', 'offering_unknown'],
  ['GET', '/economy/market/offerings/:id/reviews', 'offering_unknown'],
  ['POST', '/economy/market/offerings/:id/orders', 'offering_unknown'],
  ['GET', '/economy/market/orders/:id', 'order_unknown'],
  ...['accept', 'decline', 'deliver', 'complete', 'cancel', 'dispute', 'review'].map(
    (action): [string, string, string] => ['POST', `/economy/market/orders/:id/${action}`, 'order_unknown'],
  ),
]
const mine = await ordered(alice, await offer(bob))

describe.each(named)('%s %s', (method, path, code) => {
  test('requires a token, a UUID, and a subject that exists and that the caller sees', async () => {
    const at = (id: string) => path.replace(':id', id)
    const body = method === 'PATCH' ? {} : bodies[path.split('/').at(-1) ?? '']
    expect(await nobody.request(method, at(UNKNOWN), body)).toFailWith(401, 'token_missing')
    expect(await alice.request(method, at('x'), body)).toFailWith(422, 'validation_failed')
    expect(await alice.request(method, at(UNKNOWN), body)).toFailWith(404, code)
    if (code === 'order_unknown') expect(await carla.request(method, at(mine), body)).toFailWith(404, code)
  })
})

test.each(['/economy/market/offerings', '/economy/market/orders'])(
  'GET %s requires a token and a valid page',
  async (path) => {
    expect(await nobody.get(path)).toFailWith(401, 'token_missing')
    expect(await alice.get(`${path}?limit=0`)).toFailWith(422, 'validation_failed')
    expect(await alice.get(`${path}?cursor=x`)).toFailWith(400, 'cursor_unknown')
  },
)

describe('An offering', () => {
  test('is created, changed and deleted by its seller', async () => {
    expect(await nobody.post('/economy/market/offerings', asked)).toFailWith(401, 'token_missing')
    const wrong = [{ title: '' }, { priceMana: 0 }, { deliveryDays: 61 }, { stock: -1 }, { description: '' }]
    for (const one of wrong)
      expect((await bob.post('/economy/market/offerings', { ...asked, ...one })).status).toBe(422)
    const { status, body } = await bob.post<Offering>('/economy/market/offerings', { ...asked, stock: 2 })
    expect([status, body]).toMatchObject([
      201,
      { ...asked, kind: 'offering', authorId: bob.actorId, stock: 2, status: 'active', ratingAverage: null },
    ])
    const path = `/economy/market/offerings/${body.id}`
    expect(await alice.get(path)).toMatchObject({ status: 200, body: { id: body.id, ratingCount: 0 } })
    expect(await alice.patch(path, { priceMana: 1 })).toFailWith(403, 'content_not_yours')
    const changed = await bob.patch(path, { priceMana: 6, stock: 0 })
    expect(changed).toMatchObject({ status: 200, body: { priceMana: 6, status: 'sold_out', editedAt: null } })
    expect((await bob.patch(path, { status: 'paused', stock: null, title: 'Two' })).body).toMatchObject({
      status: 'paused',
      stock: null,
      title: 'Two',
      editedAt: expect.any(String),
    })
    expect(await bob.patch(path, { status: 'sold_out' })).toFailWith(422, 'validation_failed')
    expect(await place(alice, body.id, { expectedPrice: 6 })).toFailWith(409, 'offering_paused')
    expect(await alice.delete(path)).toFailWith(403, 'content_not_yours')
    expect((await bob.delete(path)).status).toBe(204)
    expect(await bob.delete(path)).toFailWith(404, 'offering_unknown')
  })

  test('can be found by price, rating, words and seller', async () => {
    const [dora] = await join('dora')
    if (!dora) throw new Error('nobody joined')
    const cheap = await offer(dora, { priceMana: 3, title: 'Crêpes' })
    const dear = await offer(dora, { priceMana: 900 })
    const middle = await offer(dora, { priceMana: 40 })
    const found = async (query: string) =>
      (await alice.get<Page<Id>>(`/economy/market/offerings?sellerId=dora&${query}`)).body.items.map(({ id }) => id)
    expect(await found('')).toEqual([middle, dear, cheap])
    expect(await found('sort=price')).toEqual([cheap, middle, dear])
    expect(await found('sort=price&minPrice=40&maxPrice=40')).toEqual([middle])
    expect(await found('maxPrice=40')).toEqual([middle, cheap])
    expect(await found('q=crepes')).toEqual([cheap])
    expect(await alice.get('/economy/market/offerings?sort=best')).toFailWith(422, 'validation_failed')
    await owner`update app.offerings set rating_sum = 9, rating_count = 2 where id = ${dear}`
    await owner`update app.offerings set rating_sum = 4, rating_count = 1 where id = ${cheap}`
    expect(await found('sort=rating')).toEqual([dear, cheap, middle])
    const pages: string[] = []
    let cursor: string | null = ''
    for (const _ of [1, 2, 3]) {
      const more: string = cursor ? `&cursor=${cursor}` : ''
      const { body } = await alice.get<Page<Id>>(`/economy/market/offerings?sellerId=dora&sort=price&limit=1${more}`)
      pages.push(...body.items.map(({ id }) => id))
      cursor = body.nextCursor
    }
    expect([pages, cursor]).toEqual([[cheap, middle, dear], null])
  })
})

describe('An order', () => {
  test('holds the price, and pays the seller when it is completed', async () => {
    const offering = await offer(carla, { stock: 1 })
    const before = await balance(alice)
    const key = { 'Idempotency-Key': 'once' }
    const { status, body } = await place(alice, offering, { note: 'For two.' }, key)
    const { order } = body
    expect([status, body]).toMatchObject([
      201,
      { senderBalance: before - 5, order: { state: 'held', sellerId: carla.actorId, note: 'For two.', quantity: 1 } },
    ])
    expect((await place(alice, offering, { note: 'For two.' }, key)).body).toEqual(body)
    expect(await place(bob, offering)).toFailWith(409, 'sold_out')
    expect(await place(carla, offering)).toFailWith(400, 'order_oneself')
    expect(await told(carla)).toEqual([{ orderId: order.id, state: 'held' }])
    expect(await carla.delete(`/economy/market/offerings/${offering}`)).toFailWith(409, 'offering_ordered')

    expect(await step(alice, order.id, 'accept')).toFailWith(403, 'order_party')
    expect(await step(alice, order.id, 'complete')).toFailWith(409, 'order_state')
    expect((await step(carla, order.id, 'accept')).body.deadlineAt).toEqual(expect.any(String))
    expect(await step(alice, order.id, 'cancel')).toFailWith(409, 'order_state')
    expect(await step(carla, order.id, 'deliver', { deliveryNote: ' ' })).toFailWith(422, 'order_delivery_note')
    expect(await step(carla, order.id, 'deliver', { deliveryNote: 'x', assetId: UNKNOWN })).toFailWith(
      404,
      'asset_unknown',
    )
    expect((await step(carla, order.id, 'deliver', { deliveryNote: 'By mail.' })).body.state).toBe('delivered')
    const mana = await balance(carla)
    const done = { 'Idempotency-Key': 'done' }
    const completed = await step(alice, order.id, 'complete', undefined, done)
    expect(completed.body.history.map(({ state, by }) => `${state} ${by}`)).toEqual([
      'held buyer',
      'accepted seller',
      'delivered seller',
      'completed buyer',
    ])
    expect(await balance(carla)).toBe(mana + 5)
    expect((await step(alice, order.id, 'complete', undefined, done)).body).toEqual(completed.body)
    expect(await step(alice, order.id, 'complete')).toFailWith(409, 'order_state')
    // one unread notification per order, with its latest state
    expect(await told(alice)).toEqual([{ orderId: order.id, state: 'delivered' }])

    expect(await step(carla, order.id, 'review', { stars: 5 })).toFailWith(403, 'order_party')
    expect(await step(alice, order.id, 'review', { stars: 6 })).toFailWith(422, 'validation_failed')
    expect(await step(alice, order.id, 'review', { stars: 4, text: 'Good.' })).toMatchObject({
      status: 201,
      body: { stars: 4, text: 'Good.', orderId: order.id },
    })
    expect(await step(alice, order.id, 'review', { stars: 1 })).toFailWith(409, 'order_reviewed')
    const reviews = await bob.get<Page<{ orderId: null }>>(`/economy/market/offerings/${offering}/reviews`)
    expect(reviews.body.items).toMatchObject([{ stars: 4, authorId: alice.actorId, orderId: null }])
    expect((await bob.get<Offering>(`/economy/market/offerings/${offering}`)).body).toMatchObject({
      ratingAverage: 4,
      ratingCount: 1,
      status: 'sold_out',
    })
    const reported = (await bob.get<Page<Id>>(`/economy/market/offerings/${offering}/reviews`)).body.items[0]?.id
    expect(await bob.post('/reports', { targetType: 'review', targetId: reported, reason: 'x' })).toMatchObject({
      status: 201,
    })

    // the order keeps a copy of what was offered
    expect((await carla.delete(`/economy/market/offerings/${offering}`)).status).toBe(204)
    expect((await alice.get(`/economy/market/orders/${order.id}`)).body).toMatchObject({
      offering: { id: null, title: 'A portrait', priceMana: 5 },
    })
    // staff can still see and remove the review, even after the offering was purged
    await owner`update app.contents set deleted_at = now() - interval '25 hours' where id = ${offering}`
    await owner`select private.job_purge()`
    expect((await admin.get(`/admin/content?kind=reviews&q=${reported}`)).body).toMatchObject({
      items: [{ id: reported, interestId: null, detail: { offeringId: offering, body: 'Good.' } }],
    })
    expect((await admin.post(`/admin/content/reviews/${reported}/remove`)).status).toBe(200)
  })

  test('refunds the buyer completely and restores the stock if it is declined or cancelled', async () => {
    const offering = await offer(carla, { stock: 1 })
    for (const [who, action, state] of [
      [carla, 'decline', 'declined'],
      [alice, 'cancel', 'cancelled'],
    ] as const) {
      const before = await balance(alice)
      const order = await ordered(alice, offering)
      expect(await balance(alice)).toBe(before - 5)
      expect((await step(who, order, action)).body.state).toBe(state)
      expect(await balance(alice)).toBe(before)
    }
    expect((await alice.get<Offering>(`/economy/market/offerings/${offering}`)).body.stock).toBe(1)
    expect(await place(alice, offering, { expectedPrice: 4 })).toFailWith(409, 'price_changed')
    await carla.patch(`/economy/market/offerings/${offering}`, { priceMana: 9999 })
    expect(await place(alice, offering, { expectedPrice: 9999 })).toFailWith(409, 'insufficient_mana')
    expect((await alice.get<Offering>(`/economy/market/offerings/${offering}`)).body.stock).toBe(1)
  })

  test('that ends does not change unlimited stock', async () => {
    const offering = await offer(carla, { stock: 2 })
    const order = await ordered(alice, offering)
    await carla.patch(`/economy/market/offerings/${offering}`, { stock: null })
    await step(alice, order, 'cancel')
    expect((await alice.get<Offering>(`/economy/market/offerings/${offering}`)).body.stock).toBeNull()
  })

  test('continues across a block, while a new order gives 404', async () => {
    const offering = await offer(carla)
    const order = await ordered(bob, offering)
    await bob.post('/users/carla/block')
    try {
      expect(await place(bob, offering)).toFailWith(404, 'offering_unknown')
      expect((await step(carla, order, 'accept')).body).toMatchObject({ state: 'accepted', buyer: null, buyerId: null })
      expect(await told(bob)).toContainEqual({ orderId: order, state: 'accepted' })
      await step(carla, order, 'deliver', { deliveryNote: 'There.' })
      expect((await step(bob, order, 'complete')).status).toBe(200)
    } finally {
      await bob.delete('/users/carla/block') // ends the block even if the rest of the test is skipped, as with --target
    }
  })

  test('is listed for buyer and seller, by role and state', async () => {
    const [eve, finn] = await join('eve', 'finn')
    if (!eve || !finn) throw new Error('nobody joined')
    const bought = await ordered(eve, await offer(finn))
    const sold = await ordered(finn, await offer(eve))
    await step(eve, sold, 'decline')
    const list = async (query: string) =>
      (await eve.get<Page<Id>>(`/economy/market/orders${query}`)).body.items.map(({ id }) => id)
    expect(await list('')).toEqual([sold, bought])
    expect(await list('?role=buyer')).toEqual([bought])
    expect(await list('?role=seller')).toEqual([sold])
    expect(await list('?state=held')).toEqual([bought])
    expect(await list(`?cursor=${sold}`)).toEqual([bought])
    expect(await eve.get('/economy/market/orders?role=both')).toFailWith(422, 'validation_failed')
    expect(await eve.get(`/economy/market/orders?cursor=${mine}`)).toFailWith(400, 'cursor_unknown')
  })
})

describe('Staff', () => {
  test('can list all orders, and an admin can divide the price of a disputed one', async () => {
    const [judy, kim, mod] = await join('judy', 'kim', 'mod')
    if (!judy || !kim || !mod) throw new Error('nobody joined')
    await admin.patch(`/admin/users/${mod.id}/role`, { role: 'moderator' })
    const moderator = await mod.login()
    const order = await ordered(judy, await offer(kim))
    const path = `/admin/market/orders/${order}/resolve`
    const half = { refundMana: 2, note: 'Half of it came.' }
    expect(await nobody.get('/admin/market/orders')).toFailWith(401, 'token_missing')
    expect(await judy.get('/admin/market/orders')).toFailWith(403, 'role_required')
    expect(await moderator.post(path, half)).toFailWith(403, 'role_required')
    expect(await admin.post(path, half)).toFailWith(409, 'order_state')
    await step(kim, order, 'accept')
    expect((await step(judy, order, 'dispute', { reason: 'Half is missing.' })).body.state).toBe('disputed')
    for (const who of [judy, kim]) expect((await step(who, order, 'cancel')).status).toBe(409)
    const { body } = await moderator.get<Page<Id>>('/admin/market/orders?state=disputed')
    expect(body.items).toMatchObject([
      { id: order, buyerId: judy.id, sellerId: kim.id, disputeReason: 'Half is missing.' },
    ])

    expect(await admin.post(`/admin/market/orders/${UNKNOWN}/resolve`, half)).toFailWith(404, 'order_unknown')
    expect(await admin.post(path, { ...half, refundMana: 6 })).toFailWith(422, 'order_refund')
    expect(await admin.post(path, { refundMana: 2 })).toFailWith(422, 'validation_failed')
    const purses = async () => [await balance(judy), await balance(kim)]
    const [buyer = 0, seller = 0] = await purses()
    const once = { 'Idempotency-Key': 'resolved' }
    expect(await admin.post(path, half, once)).toMatchObject({
      status: 200,
      body: { state: 'resolved', refundMana: 2 },
    })
    expect((await admin.post(path, half, once)).status).toBe(200)
    expect(await admin.post(path, half)).toFailWith(409, 'order_state')
    expect(await purses()).toEqual([buyer + 2, seller + 3])
    for (const who of [judy, kim]) expect(await told(who)).toContainEqual({ orderId: order, state: 'resolved' })
    const entries = await owner`select d.detail from app.audit_log l join app.audit_details d on d.audit_id = l.id
      where l.action = 'order.resolved' and l.target_id = ${order}`
    expect(entries).toEqual([{ detail: { reason: 'Half of it came.', refundMana: 2 } }])
    await owner`select private.erase_person(${judy.id})`
    expect((await owner`select note, dispute_reason from app.orders where id = ${order}`)[0]).toEqual({
      note: null,
      dispute_reason: null,
    })
    expect(
      await owner`select from app.audit_log l join app.audit_details d on d.audit_id = l.id
        where l.target_id = ${order} and d.detail is not null`,
    ).toHaveLength(0)
  })

  test('can remove an offering and a review', async () => {
    const offering = await offer(bob)
    const order = await ordered(alice, offering)
    await step(bob, order, 'accept')
    await step(bob, order, 'deliver', { deliveryNote: 'Here.' })
    await step(alice, order, 'complete')
    const review = (await step(alice, order, 'review', { stars: 1 })).body.id
    const rating = async () => (await carla.get<Offering>(`/economy/market/offerings/${offering}`)).body.ratingCount
    expect(await rating()).toBe(1)
    expect((await admin.get<Page<Id>>('/admin/content?kind=reviews')).body.items).toContainEqual(
      expect.objectContaining({ id: review, kind: 'review' }),
    )
    expect((await admin.post(`/admin/content/reviews/${review}/remove`)).status).toBe(200)
    expect(await rating()).toBe(0)
    expect((await admin.post(`/admin/content/reviews/${review}/restore`)).status).toBe(200)
    expect(await rating()).toBe(1)
    expect((await admin.post(`/admin/content/offerings/${offering}/remove`)).status).toBe(200)
    expect(await place(carla, offering)).toFailWith(404, 'offering_unknown')
    expect(await carla.get(`/economy/market/offerings/${offering}/reviews`)).toFailWith(404, 'offering_unknown')
    await applyEffects(owner)
    const { body } = await bob.get<Page<{ kind: string; payload: object }>>('/notifications')
    expect(body.items).toContainEqual(
      expect.objectContaining({
        kind: 'moderation.actioned',
        payload: { targetType: 'offering', targetId: offering, action: 'removed' },
      }),
    )
  })
})
