// What staff sees of mana over HTTP. Each rule by itself: test/db/admin/economy.sql.
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
  test('is for staff', async () => {
    expect(await nobody.get(path)).toFailWith(401, 'token_missing')
    expect(await alice.get(path)).toFailWith(403, 'role_required')
    expect(await moderator.get(path)).toMatchObject({ status: 200 })
  })

  test('refuses a wrong limit, cursor or person', async () => {
    expect(await admin.get(`${path}?limit=51`)).toFailWith(422, 'validation_failed')
    expect(await admin.get(`${path}?cursor=${UNKNOWN}`)).toFailWith(400, 'cursor_unknown')
    expect(await admin.get(`${path}?userId=zoe`)).toFailWith(404, 'person_unknown')
  })

  test('gives each once, page by page', async () => {
    const [count] = await database.owner<{ wallets: number; payments: number }[]>`
      select (select count(*)::int from app.wallets) as wallets, (select count(*)::int from app.payments) as payments`
    const ids = await walk(admin, path, 1)
    expect(new Set(ids).size).toBe(path.endsWith('wallets') ? count?.wallets : count?.payments)
    expect(ids).toHaveLength(new Set(ids).size)
  })
})

test('a wallet is found by its person, as it was last settled', async () => {
  await database.owner`update app.wallets set last_regen_at = now() - interval '25 hours' where user_id = ${alice.id}`
  for (const name of ['alice', alice.actorId, alice.id]) {
    const { body } = await admin.get<Staffs>(`/admin/economy/wallets?userId=${name}`)
    expect(body.items).toMatchObject([{ id: alice.id, user: { username: 'alice' }, balance: 47, lifetimeSpent: 3 }])
  }
})

test('a payment shows whole, with UUIDs', async () => {
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
