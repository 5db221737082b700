// Staff lists mana over HTTP, and an admin reverses payments. For the single rules see test/db/admin/economy.sql.
import { describe, expect, test } from 'vitest'
import { UNKNOWN, walk } from '../../support/lists.ts'
import { publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, nobody, database, join } = await world()
const [mona] = await join('mona')
await database.owner`update app.users set role = 'moderator' where username = 'mona'`
const moderator = (await mona?.login()) ?? nobody

type Paid = { payment: { id: string } }
type Staffs = { items: Record<string, unknown>[] }

const post = await publish(bob)
const { body: first } = await alice.post<Paid>('/economy/pay', { emotion: 'love', tier: 1, postId: post })
await carla.post<Paid>('/economy/pay', { emotion: 'joy', tier: 0, receiverId: 'bob' })

describe.each(['/admin/economy/wallets', '/admin/economy/payments'])('GET %s', (path) => {
  test('requires a member of staff', async () => {
    expect(await nobody.get(path)).toFailWith(401, 'token_missing')
    expect(await alice.get(path)).toFailWith(403, 'role_required')
    expect(await moderator.get(path)).toMatchObject({ status: 200 })
  })

  test('rejects an invalid limit, cursor or person', async () => {
    expect(await admin.get(`${path}?limit=51`)).toFailWith(422, 'validation_failed')
    expect(await admin.get(`${path}?cursor=${UNKNOWN}`)).toFailWith(400, 'cursor_unknown')
    expect(await admin.get(`${path}?userId=zoe`)).toFailWith(404, 'person_unknown')
  })

  test('returns each item on exactly one page', async () => {
    const [count] = await database.owner<{ wallets: number; payments: number }[]>`
      select (select count(*)::int from app.wallets) as wallets, (select count(*)::int from app.payments) as payments`
    const ids = await walk(admin, path, 1)
    expect(new Set(ids).size).toBe(path.endsWith('wallets') ? count?.wallets : count?.payments)
    expect(ids).toHaveLength(new Set(ids).size)
  })
})

test('A wallet is found by its owner, and shows the balance of its last settlement', async () => {
  await database.owner`update app.wallets set last_regen_at = now() - interval '25 hours' where user_id = ${alice.id}`
  for (const name of ['alice', alice.actorId, alice.id]) {
    const { body } = await admin.get<Staffs>(`/admin/economy/wallets?userId=${name}`)
    expect(body.items).toMatchObject([{ id: alice.id, user: { username: 'alice' }, balance: 47, lifetimeSpent: 3 }])
  }
})

test('A payment is shown completely, with internal UUIDs', async () => {
  const { body } = await moderator.get<Staffs>('/admin/economy/payments?userId=alice')
  expect(body.items).toMatchObject([
    {
      id: first.payment.id,
      senderId: alice.id,
      sender: { username: 'alice' },
      receiverId: bob.id,
      amount: 3,
      splits: [{ receiverId: bob.id, amount: 3 }],
      postId: post,
      reversed: false,
      reversedBy: null,
    },
  ])
})

describe('POST /admin/economy/payments/:id/reverse', () => {
  type Reversal = { payment: { id: string; reversalOf: string }; minted: number }
  type Wallet = { balance: number; lifetimeEarned: number; lifetimeSpent: number }
  const reverse = (id: string, body: object = { reason: 'By mistake' }, key?: string) =>
    admin.post<Reversal>(`/admin/economy/payments/${id}/reverse`, body, key ? { 'Idempotency-Key': key } : {})
  const wallet = async (person: typeof alice) => (await person.get<Wallet>('/economy/wallet')).body
  const newcomers = async (...names: [string, string]) => {
    const [one, other] = await join(...names)
    if (!one || !other) throw new Error('nobody joined')
    return [one, other] as const
  }
  const audited = async () => (await database.owner`select from app.audit_log where action = 'payment.reversed'`).length

  test('undoes everything that the payment changed, and is recorded as a payment of its own', async () => {
    const [payer, author] = await newcomers('payer', 'author')
    const postId = await publish(author)
    const before = [await wallet(payer), await wallet(author), await audited()] as const
    const { body } = await payer.post<Paid>('/economy/pay', { emotion: 'awe', tier: 2, postId })
    const answer = await reverse(body.payment.id)
    expect(answer).toMatchObject({
      status: 201,
      body: { payment: { senderId: payer.id, amount: 10, reversed: true, reversalOf: body.payment.id }, minted: 0 },
    })
    expect([await wallet(payer), await wallet(author), await audited()]).toEqual([before[0], before[1], before[2] + 1])
    for (const person of [payer, author]) {
      const { items } = (await person.get<Staffs>('/economy/payments')).body
      expect(items).toMatchObject([
        { id: answer.body.payment.id, reversed: true, reversalOf: body.payment.id, amount: 10 },
        { id: body.payment.id, reversed: false, reversalOf: null, amount: 10 },
      ])
    }
    expect((await payer.get(`/posts/${postId}`)).body).toMatchObject({ emojiBreakdown: {} })
    expect((await payer.get(`/economy/posts/${postId}/breakdown`)).body).toEqual({ emojiBreakdown: {} })
    expect((await payer.get('/reputation/me/detailed')).body).toMatchObject({ contributionScore: 0 })
    expect(await reverse(body.payment.id)).toFailWith(409, 'payment_reversed')
    expect(await database.owner`select * from private.audit_mana()`).toEqual([])
  })

  test('answers 409 if the mana is spent, unless the reversal is forced', async () => {
    const [payer, spender] = await newcomers('giver', 'spender')
    const { body } = await payer.post<Paid>('/economy/pay', { emotion: 'awe', tier: 3, receiverId: 'spender' })
    await spender.post('/economy/pay', { emotion: 'joy', tier: 4, receiverId: 'bob' })
    await spender.post('/economy/pay', { emotion: 'joy', tier: 2, receiverId: 'bob' })
    expect(await reverse(body.payment.id)).toFailWith(409, 'mana_gone')
    expect((await wallet(payer)).balance).toBe(25)
    expect((await reverse(body.payment.id, { reason: 'Fraud', force: true })).body.minted).toBe(10)
    expect([(await wallet(payer)).balance, (await wallet(spender)).balance]).toEqual([50, 0])
    expect(await database.owner`select * from private.audit_mana()`).toEqual([])
  })

  test('succeeds once for concurrent requests, and all with one Idempotency-Key get the same answer', async () => {
    const [payer] = await newcomers('hasty', 'idle')
    const pay = () => payer.post<Paid>('/economy/pay', { emotion: 'awe', tier: 1, receiverId: 'idle' })
    const [one, two] = [(await pay()).body.payment.id, (await pay()).body.payment.id]
    const answers = await Promise.all(Array.from({ length: 5 }, () => reverse(one)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    const same = await Promise.all(Array.from({ length: 5 }, () => reverse(two, { reason: 'Twice' }, 'key')))
    expect(new Set(same.map(({ status, text }) => `${status}${text}`)).size).toBe(1)
    expect(same.filter(({ headers }) => headers.has('idempotency-replayed'))).toHaveLength(4)
    expect(await reverse(two, { reason: 'Another' }, 'key')).toFailWith(422, 'idempotency_key_reused')
    expect((await wallet(payer)).balance).toBe(50)
  })

  test('requires an admin and a reason', async () => {
    const path = `/admin/economy/payments/${UNKNOWN}/reverse`
    expect(await nobody.post(path, {})).toFailWith(401, 'token_missing')
    expect(await alice.post(path, {})).toFailWith(403, 'role_required')
    expect(await moderator.post(path, { reason: 'x' })).toFailWith(403, 'role_required')
    for (const body of [{}, { reason: '' }, { reason: 'x'.repeat(1001) }, { reason: 'x', force: 'yes' }])
      expect(await reverse(UNKNOWN, body)).toFailWith(422, 'validation_failed')
    expect(await reverse('none')).toFailWith(422, 'validation_failed')
    expect(await reverse(UNKNOWN)).toFailWith(404, 'payment_unknown')
  })
})
