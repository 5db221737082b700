// Orders: every state, every action, everybody who could take it, as private.order_transitions has it and as a small
// model of our own has it too; many buyers of the last piece; and random histories with a clock that moves, in which each
// hold is settled once and the books balance at every step. A failing history prints the shortest one that shows it.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Person } from '../support/person.ts'
import { runs } from '../support/runs.ts'
import { world } from '../support/world.ts'
import { as, type Request } from './lanes.ts'

const { alice, bob, carla, admin, database, join } = await world()
const { owner } = database
const pool = database.connect('kith_user')
type Actor = 'buyer' | 'seller' | 'worker' | 'admin'

/** The rules once more: from where, by which action, by whom, to where, and whose the mana then is. */
const rules: Record<string, Record<string, Partial<Record<Actor, [next: string, whose?: 'buyer' | 'seller']>>>> = {
  held: {
    accept: { seller: ['accepted'] },
    decline: { seller: ['declined', 'buyer'] },
    cancel: { buyer: ['cancelled', 'buyer'] },
    expire: { worker: ['expired', 'buyer'] },
  },
  accepted: {
    deliver: { seller: ['delivered'] },
    cancel: { seller: ['cancelled', 'buyer'], buyer: ['cancelled', 'buyer'] },
    dispute: { buyer: ['disputed'] },
  },
  delivered: {
    complete: { buyer: ['completed', 'seller'], worker: ['completed', 'seller'] },
    dispute: { buyer: ['disputed'] },
  },
  disputed: { resolve: { admin: ['resolved'] } },
  declined: {},
  cancelled: {},
  expired: {},
  completed: {},
  resolved: {},
}
const states = Object.keys(rules)
const actions = ['accept', 'decline', 'deliver', 'complete', 'cancel', 'dispute'] as const
type Action = (typeof actions)[number]

/** An action of a person, by the door of people, where staff are anybody. */
const askFor = (who: Person, order: string, action: Action): Request => {
  const words = { deliver: `, 'Here'`, dispute: `, 'Not that'` } as Partial<Record<Action, string>>
  const iat = Math.floor(Date.now() / 1000)
  const claims = JSON.stringify({ sub: who.id, role: who === admin ? 'admin' : 'user', iat, exp: iat + 900 })
  const text = `select api.${action}_order($2::uuid${words[action] ?? ''}) from private.enter($1::text)`
  return { run: (sql) => sql.unsafe(text, [claims, order]) }
}
async function send({ run }: Request): Promise<string | null> {
  try {
    await run(pool)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

const offer = async (seller: Person, price: number, stock: number | null) => {
  const [row] = (await as(seller, `create_offering('It', 'Of mine', $3::integer, 1, $4::integer)`, price, stock).run(
    pool,
  )) as [{ answer: { id: string } }]
  return row.answer.id
}
const placed = async (buyer: Person, offering: string, price: number): Promise<string> => {
  const [row] = (await as(buyer, 'place_order($3::uuid, $4::integer)', offering, price).run(pool)) as [
    { answer: { order: { id: string } } },
  ]
  return row.answer.order.id
}
const stateOf = async (order: string) => (await owner`select state from app.orders where id = ${order}`)[0]?.state
const balances = async (...people: Person[]) => {
  const rows =
    await owner`select user_id, balance::int from app.wallets where user_id = any (${people.map(({ id }) => id)})`
  return people.map(({ id }) => rows.find((row) => row.user_id === id)?.balance as number)
}
const expectBalancedBooks = async () => expect([...(await owner`select * from private.audit_mana()`)]).toEqual([])

test('the table of transitions is what is said here, and all that is for parties has an operation', async () => {
  const rows = await owner<{ state: string; action: string; actor: Actor; next: string; settles: string | null }[]>`
    select state, action, actor, next, settles from private.order_transitions
    where actor <> 'worker' or after is not null`
  const said = Object.entries(rules).flatMap(([state, by]) =>
    Object.entries(by).flatMap(([action, actors]) =>
      Object.entries(actors).map(([actor, [next, whose]]) => ({
        state,
        action,
        actor,
        next,
        settles: next === 'resolved' ? 'both' : (whose ?? null),
      })),
    ),
  )
  const sorted = (all: { state: string; action: string; actor: string }[]) =>
    all.map((one) => JSON.stringify(Object.entries(one).sort())).sort()
  expect(sorted([...rows])).toEqual(sorted(said))
  // every step to an end settles, and no other does; who is interrupted goes where the parties could have gone
  const wrong = await owner`
    select * from private.order_transitions t
    where (t.settles is null) <> exists (select from private.order_transitions n where n.state = t.next)
       or (t.actor = 'worker' and t.after is null and not exists (
             select from private.order_transitions p
             where (p.state, p.action, p.next) = (t.state, t.action, t.next) and p.actor <> 'worker'))`
  expect([...wrong]).toEqual([])
})

describe('who may do what in which state', async () => {
  const offering = await offer(bob, 1, null)
  await owner`select private.move('starter', array[private.mint(), ${alice.id}::uuid], array[-500, 500])`
  /** An order in any state, with its hold as it is then. */
  async function orderIn(state: string) {
    const order = await placed(alice, offering, 1)
    if (state !== 'held')
      await owner`update app.orders set state = ${state}, due_at = null, deadline_at = now() + interval '1 day' where id = ${order}`
    if (Object.keys(rules[state] ?? {}).length === 0) await owner`select private.settle_hold(${order})`
    return order
  }
  const everybody: [string, Person, Actor | null][] = [
    ['buyer', alice, 'buyer'],
    ['seller', bob, 'seller'],
    ['other', carla, null],
    ['admin', admin, null],
  ]
  const has = (actor: Actor, action: string) => states.some((state) => rules[state]?.[action]?.[actor])

  test.each(states)(
    '%s',
    async (state) => {
      const answered: Record<string, string | null> = {}
      const expected: Record<string, string | null> = {}
      for (const action of actions) {
        for (const [name, who, actor] of everybody) {
          const order = await orderIn(state)
          const case_ = `${action} by ${name}`
          answered[case_] = (await send(askFor(who, order, action))) ?? (await stateOf(order)) ?? null
          const step = actor && rules[state]?.[action]?.[actor]
          const early = state === 'accepted' && action === 'cancel' && actor === 'buyer'
          if (!actor) expected[case_] = 'order_unknown'
          else if (!has(actor, action)) expected[case_] = 'order_party'
          else expected[case_] = step && !early ? step[0] : 'order_state'
        }
      }
      expect(answered).toEqual(expected)
      await expectBalancedBooks()
    },
    30_000,
  )

  test('a buyer cancels past the deadline, and nobody but the worker takes a step that is overdue', async () => {
    const late = await orderIn('accepted')
    await owner`update app.orders set deadline_at = now() - interval '1 second' where id = ${late}`
    expect(await send(askFor(alice, late, 'cancel'))).toBe(null)
    for (const [state, steps, end] of [
      ['held', { accept: bob, decline: bob, cancel: alice }, 'expired'],
      ['delivered', { complete: alice, dispute: alice }, 'completed'],
    ] as const) {
      const order = await orderIn(state)
      await owner`update app.orders set due_at = now() where id = ${order}`
      for (const [action, who] of Object.entries(steps))
        expect(await send(askFor(who as Person, order, action as Action))).toBe('order_state')
      // two workers at once, and each again: it ends once
      await Promise.all([owner`select private.job_end_orders()`, owner`select private.job_end_orders()`])
      await owner`select private.job_end_orders()`
      expect(await stateOf(order)).toBe(end)
      expect(
        await owner`select count(*)::int as times from app.order_steps where order_id = ${order} and state = ${end}`,
      ).toEqual([{ times: 1 }])
    }
    await expectBalancedBooks()
  })
})

test('of fifty who order the last piece at once one gets it, and nobody else pays', async () => {
  const buyers = await join(
    ...Array.from({ length: 50 }, (_, n) => `buyer${'abcdefghij'[n % 10]}${'abcde'[Math.floor(n / 10)]}`),
  )
  const offering = await offer(bob, 7, 1)
  const before = await balances(...buyers, bob)
  const answers = await Promise.all(
    buyers.map((buyer) => buyer.post(`/economy/market/offerings/${offering}/orders`, { expectedPrice: 7 })),
  )
  const won = answers.findIndex(({ status }) => status === 201)
  for (const [n, answer] of answers.entries()) if (n !== won) expect(answer).toFailWith(409, 'sold_out')
  expect(await balances(...buyers, bob)).toEqual(before.map((mana, n) => (n === won ? mana - 7 : mana)))
  expect(await owner`select stock from app.offerings where id = ${offering}`).toEqual([{ stock: 0 }])
  await expectBalancedBooks()
})

// --- random histories

type Step =
  | { kind: 'order'; buyer: number; offering: number }
  | { kind: 'act'; who: number; order: number; action: Action }
  | { kind: 'wait'; hours: number }
  | { kind: 'ban'; who: number }
type Modelled = {
  id: string
  offering: number
  buyer: number
  state: string
  due: number | null
  deadline: number | null
}

const people = await join('gina', 'hugo', 'iris')
/** Each sells one thing, of which there are two, or any number. */
const things = people.map((seller, n) => ({ seller: n, person: seller, price: 1 + n, stock: n === 0 ? null : 2 }))
const who = fc.nat(people.length - 1)
const steps: fc.Arbitrary<Step>[] = [
  fc.record({ kind: fc.constant('order' as const), buyer: who, offering: who }),
  fc.record({ kind: fc.constant('act' as const), who, order: fc.nat(9), action: fc.constantFrom(...actions) }),
  fc.record({ kind: fc.constant('wait' as const), hours: fc.constantFrom(1, 23, 49, 100) }),
  fc.record({ kind: fc.constant('ban' as const), who }),
]
const step = fc.oneof(...steps.map((arbitrary, n) => ({ weight: [4, 12, 2, 1][n] ?? 1, arbitrary })))

/** A ban, and its end when the worker has come to what it interrupts. */
async function banned({ id }: Person) {
  await owner`update app.users set banned_at = now() where id = ${id}`
  const job = owner.json({ userId: id })
  while ((await owner`select private.interrupt_orders(${job}) as done`)[0]?.done.next !== null);
  await owner`update app.users set banned_at = null where id = ${id}`
}

async function play(story: Step[]) {
  for (const one of people) await banned(one) // what an earlier history left
  const offerings = await Promise.all(things.map(({ person, price, stock }) => offer(person, price, stock)))
  const stocks = things.map(({ stock }) => stock)
  const purses = await balances(...people)
  const orders: Modelled[] = []
  let [now, settled] = [0, 0]

  /** An order comes into another state, and what that means for stock and purses. */
  function move(order: Modelled, [next, whose]: [string, ('buyer' | 'seller')?]) {
    order.state = next
    order.due = next === 'delivered' ? now + 168 : null
    if (next === 'accepted') order.deadline = now + 24
    const { seller, price } = things[order.offering] as (typeof things)[number]
    if (!whose) return
    settled += 1
    const winner = whose === 'buyer' ? order.buyer : seller
    purses[winner] = (purses[winner] ?? 0) + price
    const left = stocks[order.offering]
    if (whose === 'buyer' && typeof left === 'number') stocks[order.offering] = left + 1
  }
  const take = async (one: Step) => {
    if (one.kind === 'order') {
      const { seller, price } = things[one.offering] as (typeof things)[number]
      const buyer = people[one.buyer] as Person
      const refusal =
        seller === one.buyer
          ? 'order_oneself'
          : stocks[one.offering] === 0
            ? 'sold_out'
            : (purses[one.buyer] ?? 0) < price
              ? 'insufficient_mana'
              : null
      try {
        const id = await placed(buyer, offerings[one.offering] as string, price)
        expect(refusal).toBe(null)
        orders.push({ id, offering: one.offering, buyer: one.buyer, state: 'held', due: now + 72, deadline: null })
        purses[one.buyer] = (purses[one.buyer] ?? 0) - price
        const left = stocks[one.offering]
        if (typeof left === 'number') stocks[one.offering] = left - 1
      } catch (error) {
        expect((error as Error).message).toBe(refusal)
      }
    } else if (one.kind === 'act') {
      const order = orders[one.order % Math.max(1, orders.length)]
      if (!order) return
      const actor = one.who === order.buyer ? 'buyer' : one.who === things[order.offering]?.seller ? 'seller' : null
      const next = actor && rules[order.state]?.[one.action]?.[actor]
      const early =
        order.state === 'accepted' && actor === 'buyer' && one.action === 'cancel' && (order.deadline ?? 0) > now
      const done = (await send(askFor(people[one.who] as Person, order.id, one.action))) === null
      expect(done).toBe(Boolean(next) && !early)
      if (next && done) move(order, next)
    } else if (one.kind === 'wait') {
      now += one.hours
      const shift = owner`${one.hours} * interval '1 hour'`
      await owner`update app.orders set due_at = due_at - ${shift}, deadline_at = deadline_at - ${shift}
        where id = any (${orders.map(({ id }) => id)})`
      for (const order of orders) {
        if (order.due === null || order.due > now) continue
        move(order, order.state === 'held' ? ['expired', 'buyer'] : ['completed', 'seller'])
      }
      // two workers; each goes on until nothing is due
      const work = async () => {
        while ((await owner`select private.job_end_orders() as done`)[0]?.done !== 0);
      }
      await Promise.all([work(), work()])
    } else {
      await banned(people[one.who] as Person)
      for (const order of orders) {
        if (![order.buyer, things[order.offering]?.seller].includes(one.who)) continue
        if (order.state === 'held')
          move(order, order.buyer === one.who ? ['cancelled', 'buyer'] : ['declined', 'buyer'])
        else if (order.state === 'accepted' || order.state === 'delivered') move(order, ['disputed'])
      }
    }
  }
  for (const one of story) {
    await take(one)
    await expectBalancedBooks()
  }
  expect(await balances(...people)).toEqual(purses)
  expect(
    (
      await owner`select stock from app.offerings where id = any (${offerings})
    order by array_position(${offerings}, id)`
    ).map((row) => row.stock),
  ).toEqual(stocks)
  const ids = orders.map(({ id }) => id)
  expect(
    (await owner`select state from app.orders where id = any (${ids}) order by array_position(${ids}, id)`).map(
      ({ state }) => state,
    ),
  ).toEqual(orders.map(({ state }) => state))
  // each hold that is settled gave all of it, once
  const gone = await owner`select count(*)::int as many from app.mana_holds h
    where h.id = any (${ids}) and h.settled_at is not null
      and 2 = (select count(*) from app.mana_entries e where e.account_id = h.id)`
  expect(gone).toEqual([{ many: settled }])
}

test(
  'every history settles each hold once, and the books balance all the while',
  async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), play), {
      numRuns: runs(8, 300),
    })
  },
  120_000 + 1000 * runs(0, 300),
)
