// Orders. The tests try every action in every state by everybody, and compare the result with private.order_transitions
// and with a small model. They let many people buy the last item. They run random histories of holds and payments with
// a moving clock, bans, erasures, and connections and workers that are killed. In these histories each hold is settled
// once, and the mana ledger balances at every step. If a history fails, the test prints the shortest failing history.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Person } from '../support/person.ts'
import { runs } from '../support/runs.ts'
import { world } from '../support/world.ts'
import { createKills, type Kill } from './kills.ts'
import { as, asOnce, asStaff, type Request, type Someone, statement } from './races.ts'

const { alice, bob, carla, admin, database, join } = await world({ env: { POOL_USER: '4' } })
const { owner } = database
const pool = database.connect('kith_user')
const kills = await createKills(database)
type Actor = 'buyer' | 'seller' | 'worker' | 'admin'

/** The rules, written a second time: from which state, by which action, by whom, to which state, and who then gets the mana. */
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

const words: Partial<Record<Action, string>> = { deliver: `, 'Here'`, dispute: `, 'Not that'` }
/** An action of a person, sent in the role of people, in which staff have no special rights. */
const askFor = (who: Person, order: string, action: Action): Request => {
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

const offer = async (seller: Someone, price: number, stock: number | null) => {
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
const balances = async (...people: Someone[]) => {
  const rows =
    await owner`select user_id, balance::int from app.wallets where user_id = any (${people.map(({ id }) => id)})`
  return people.map(({ id }) => rows.find((row) => row.user_id === id)?.balance as number)
}
const expectBalancedBooks = async () => expect([...(await owner`select * from private.audit_mana()`)]).toEqual([])

test('The table of transitions equals the rules here, and each action of a buyer or seller has an operation', async () => {
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
  // Every transition to a final state settles, and no other transition does. An interrupted order gets a state to which
  // the buyer or the seller could have moved it.
  const wrong = await owner`
    select * from private.order_transitions t
    where (t.settles is null) <> exists (select from private.order_transitions n where n.state = t.next)
       or (t.actor = 'worker' and t.after is null and not exists (
             select from private.order_transitions p
             where (p.state, p.action, p.next) = (t.state, t.action, t.next) and p.actor <> 'worker'))`
  expect([...wrong]).toEqual([])
})

describe('An order', async () => {
  const offering = await offer(bob, 1, null)
  await owner`select private.move('starter', array[private.mint(), ${alice.id}::uuid], array[-500, 500])`
  /** An order in any state, with its hold as it is in that state. */
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
    'in the state %s allows exactly the right actions to everybody',
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

  test('can be cancelled by the buyer after the deadline, and only the worker takes an overdue step', async () => {
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
      // The job runs twice concurrently and once more, and the order ends once
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

test('Of fifty concurrent orders for the last item one succeeds, and nobody else pays', async () => {
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

// --- Random histories

type Asked =
  | { kind: 'order'; who: number; offering: number }
  | { kind: 'act'; who: number; order: number; action: Action }
  | { kind: 'resolve'; order: number; refund: number }
  | { kind: 'pose'; who: number; bounty: number }
  | { kind: 'add'; who: number; problem: number; amount: number }
  | { kind: 'solve'; who: number; problem: number; solver: number }
  | { kind: 'close'; who: number; problem: number }
  | { kind: 'enrol'; who: number; course: number }
  | { kind: 'wait'; hours: number }
  | { kind: 'ban' | 'erase'; who: number }
type Step = Asked & { kill: Kill }
type Ordered = {
  id: string
  offering: number
  buyer: number
  state: string
  due: number | null
  deadline: number | null
}
type Posed = { id: string; author: number; bounty: number; open: boolean; solvers: number[] }

/** Each person sells a thing, of which there are two or any number, and teaches a course at the same price. */
const things = [0, 1, 2].map((seller) => ({ seller, price: 1 + seller, stock: seller === 0 ? null : 2 }))
const who = fc.nat(things.length - 1)
const any = fc.nat(9)
const is = <Kind extends Asked['kind']>(kind: Kind) => fc.constant(kind)
const asks: [weight: number, fc.Arbitrary<Asked>][] = [
  [4, fc.record({ kind: is('order'), who, offering: who })],
  [10, fc.record({ kind: is('act'), who, order: any, action: fc.constantFrom(...actions) })],
  [3, fc.record({ kind: is('resolve'), order: any, refund: fc.nat(3) })],
  [2, fc.record({ kind: is('pose'), who, bounty: fc.nat(20) })],
  [2, fc.record({ kind: is('add'), who, problem: any, amount: fc.integer({ min: 1, max: 20 }) })],
  [3, fc.record({ kind: is('solve'), who, problem: any, solver: who })],
  [1, fc.record({ kind: is('close'), who, problem: any })],
  [2, fc.record({ kind: is('enrol'), who, course: who })],
  [2, fc.record({ kind: is('wait'), hours: fc.constantFrom(1, 23, 49, 100) })],
  [2, fc.record({ kind: fc.constantFrom('ban', 'ban', 'ban', 'erase'), who })],
]
const step: fc.Arbitrary<Step> = fc
  .tuple(fc.oneof(...asks.map(([weight, arbitrary]) => ({ weight, arbitrary }))), fc.option(fc.nat(16), { freq: 2 }))
  .map(([asked, kill]) => ({ ...asked, kill }))

/** Runs a job by two workers at once, after one that is killed. Each worker continues until nothing is left. */
async function work(kill: Kill, text: string, ...values: unknown[]) {
  const request = statement(`select to_jsonb(${text}) as done`, ...values)
  if (kill !== null) await kills.send(request, kill)
  const drain = async () => {
    for (let done: unknown = true; done; ) {
      const [row] = (await request.run(owner)) as [{ done: number | { next: string | null } }]
      done = typeof row.done === 'number' ? row.done : row.done.next
    }
  }
  await Promise.all([drain(), drain()])
}

let worlds = 0
async function build() {
  worlds += 1
  const people: Someone[] = []
  for (const { seller } of things) {
    const name = `p${seller}w${worlds}`
    const [row] = await owner<[{ id: string }]>`
      select private.create_person(${`${name}@example.org`}, 'no hash', ${name}, 'x', '1990-01-31', 'DE', 'Berlin') as id`
    people.push({ id: row.id, username: `${name}_x` })
  }
  const offerings: string[] = []
  const courses: string[] = []
  for (const { seller, price, stock } of things) {
    const teacher = people[seller] as Someone
    offerings.push(await offer(teacher, price, stock))
    const course = as(teacher, `create_course('Baking', 'Bread', 1, $3::integer)`, price)
    const [row] = (await course.run(pool)) as [{ answer: { id: string } }]
    courses.push(row.answer.id)
    await as(teacher, `create_course_lesson($3::uuid, 'Dough', 'Flour')`, row.answer.id).run(pool)
    await as(teacher, 'publish_course($3::uuid)', row.answer.id).run(pool)
  }
  return { people, offerings, courses }
}

let keys = 0
async function play(story: Step[]) {
  const { people, offerings, courses } = await build()
  const ids = people.map(({ id }) => id)
  const stocks = things.map(({ stock }) => stock)
  const purses = await balances(...people)
  const orders: Ordered[] = []
  const problems: Posed[] = []
  const students = new Set<string>()
  const erased = new Set<number>()
  let [now, settled] = [0, 0]

  const idOf = (at: number) => ids[at] as string
  const thing = (at: number) => things[at] as (typeof things)[number]
  const purse = (at: number, more = 0) => {
    purses[at] = (purses[at] ?? 0) + more
    return purses[at] as number
  }
  const at = <Thing>(all: Thing[], n: number): Thing | undefined => all[n % Math.max(1, all.length)]
  const latest = async (table: 'orders' | 'contents', by: string, who: number) =>
    (
      await owner.unsafe(`select id from app.${table} where ${by} = $1 order by created_at desc limit 1`, [idOf(who)])
    )[0]?.id
  /** Sends a request, which must succeed once if the model says so. */
  const ask = async (kill: Kill, right: boolean, who: number, text: string, ...values: unknown[]) => {
    const request = asOnce(`${keys++}`, { id: idOf(who), username: '' }, text, ...values)
    const outcome = await kills.send(request, kill)
    const done = right && !erased.has(who)
    expect([text, outcome === null, outcome]).toEqual([text, done, outcome])
    return done
  }

  /** Moves an order to another state, with the consequences for stock and purses. */
  function move(order: Ordered, [next, whose]: [string, ('buyer' | 'seller')?]) {
    order.state = next
    order.due = next === 'delivered' ? now + 168 : null
    if (next === 'accepted') order.deadline = now + 24
    const { seller, price } = thing(order.offering)
    if (!whose) return
    settled += 1
    purse(whose === 'buyer' ? order.buyer : seller, price)
    const left = stocks[order.offering]
    if (whose === 'buyer' && typeof left === 'number') stocks[order.offering] = left + 1
  }
  /** Pays a bounty to a person. */
  function pay(problem: Posed, whom: number) {
    purse(whom, problem.bounty)
    if (problem.bounty > 0) settled += 1
    problem.bounty = 0
  }

  const take = async (one: Step) => {
    const { kill } = one
    switch (one.kind) {
      case 'order': {
        const { seller, price } = thing(one.offering)
        const right = ![one.who, ...erased].includes(seller) && stocks[one.offering] !== 0 && purse(one.who) >= price
        const text = 'place_order($3::uuid, $4::integer)'
        if (!(await ask(kill, right, one.who, text, offerings[one.offering], price))) return
        const id = await latest('orders', 'buyer_id', one.who)
        orders.push({ id, offering: one.offering, buyer: one.who, state: 'held', due: now + 72, deadline: null })
        purse(one.who, -price)
        const left = stocks[one.offering]
        if (typeof left === 'number') stocks[one.offering] = left - 1
        return
      }
      case 'act': {
        const order = at(orders, one.order)
        if (!order) return
        const actor = one.who === order.buyer ? 'buyer' : one.who === thing(order.offering).seller ? 'seller' : null
        const next = actor && rules[order.state]?.[one.action]?.[actor]
        const early =
          order.state === 'accepted' && actor === 'buyer' && one.action === 'cancel' && (order.deadline ?? 0) > now
        const text = `${one.action}_order($3::uuid${words[one.action] ?? ''})`
        if ((await ask(kill, Boolean(next) && !early, one.who, text, order.id)) && next) move(order, next)
        return
      }
      case 'resolve': {
        const order = at(orders, one.order)
        if (!order) return
        const { seller, price } = thing(order.offering)
        const refund = Math.min(one.refund, price)
        const done = await kills.send(asStaff(admin, `resolve_order($3::uuid, $4, 'So')`, order.id, refund), kill)
        expect(done).toBe(order.state === 'disputed' ? null : 'order_state')
        if (done !== null) return
        move(order, ['resolved'])
        settled += 1
        purse(order.buyer, refund)
        purse(seller, price - refund)
        return
      }
      case 'pose': {
        const text = `create_problem('Why?', 'I do not know', 0, $3::integer)`
        if (!(await ask(kill, purse(one.who) >= one.bounty, one.who, text, one.bounty || null))) return
        purse(one.who, -one.bounty)
        const id = await latest('contents', `kind = 'problem' and author_id`, one.who)
        const solvers = [...people.keys()].filter((solver) => !erased.has(solver))
        await owner`insert into app.problem_solutions (problem_id, author_id, body)
          select ${id}, u.id, repeat('Wait longer. ', 5) from unnest(${solvers.map(idOf)}::uuid[]) u (id)`
        problems.push({ id, author: one.who, bounty: one.bounty, open: true, solvers })
        return
      }
      case 'add': {
        const problem = at(problems, one.problem)
        if (!problem) return
        const right = problem.author === one.who && problem.open && purse(one.who) >= one.amount
        if (!(await ask(kill, right, one.who, 'add_bounty($3::uuid, $4::integer)', problem.id, one.amount))) return
        purse(one.who, -one.amount)
        problem.bounty += one.amount
        return
      }
      case 'solve': {
        const problem = at(problems, one.problem)
        if (!problem) return
        const right =
          problem.author === one.who && problem.open && problem.solvers.includes(one.solver) && !erased.has(one.solver)
        const [solution] = await owner`
          select id from app.problem_solutions where problem_id = ${problem.id} and author_id = ${idOf(one.solver)}`
        const text = 'accept_solution($3::uuid, $4::uuid)'
        if (!(await ask(kill, right, one.who, text, problem.id, solution?.id ?? problem.id))) return
        problem.open = false
        pay(problem, one.solver)
        return
      }
      case 'close': {
        const problem = at(problems, one.problem)
        if (!problem) return
        const right = problem.author === one.who && problem.open
        if (!(await ask(kill, right, one.who, 'close_problem($3::uuid)', problem.id))) return
        problem.open = false
        pay(problem, one.who)
        return
      }
      case 'enrol': {
        const { seller, price } = thing(one.course)
        const place = `${one.who} ${one.course}`
        const right = ![one.who, ...erased].includes(seller) && !students.has(place) && purse(one.who) >= price
        if (!(await ask(kill, right, one.who, 'enrol_course($3::uuid, $4)', courses[one.course], price))) return
        students.add(place)
        purse(one.who, -price)
        purse(seller, price)
        return
      }
      case 'wait': {
        now += one.hours
        const shift = owner`${one.hours} * interval '1 hour'`
        await owner`update app.orders set due_at = due_at - ${shift}, deadline_at = deadline_at - ${shift}
          where id = any (${orders.map(({ id }) => id)})`
        for (const order of orders) {
          if (order.due === null || order.due > now) continue
          move(order, order.state === 'held' ? ['expired', 'buyer'] : ['completed', 'seller'])
        }
        return work(kill, 'private.job_end_orders()')
      }
      default: {
        const end =
          one.kind === 'ban'
            ? 'update app.users set banned_at = now() where id = $1'
            : 'select private.erase_person($1)'
        if (erased.has(one.who)) return
        expect(await kills.send(statement(end, idOf(one.who)), kill)).toBe(null)
        for (const job of ['interrupt_orders', 'release_bounties'])
          await work(kill, `private.${job}($1::jsonb)`, { userId: idOf(one.who) })
        await owner`update app.users set banned_at = null where id = ${idOf(one.who)} and banned_at is not null`
        if (one.kind === 'erase') erased.add(one.who)
        for (const problem of problems) if (problem.author === one.who && problem.open) pay(problem, one.who)
        for (const order of orders) {
          if (![order.buyer, thing(order.offering).seller].includes(one.who)) continue
          if (order.state === 'held')
            move(order, order.buyer === one.who ? ['cancelled', 'buyer'] : ['declined', 'buyer'])
          else if (order.state === 'accepted' || order.state === 'delivered') move(order, ['disputed'])
        }
      }
    }
  }
  for (const one of story) {
    await take(one)
    await expectBalancedBooks()
    expect(await balances(...people)).toEqual(purses)
  }
  const left = await owner<{ at: number; stock: number | null }[]>`
    select array_position(${offerings}, id::text) - 1 as at, stock from app.offerings where id::text = any (${offerings})`
  for (const { at, stock } of left) expect(stock).toBe(stocks[at])
  expect(left).toHaveLength(things.length - erased.size)
  const placed = orders.map(({ id }) => id)
  expect(
    (await owner`select state from app.orders where id = any (${placed}) order by array_position(${placed}, id)`).map(
      ({ state }) => state,
    ),
  ).toEqual(orders.map(({ state }) => state))
  // Each settled hold is empty and was settled once, and no other hold is empty
  const holds = await owner`
    select h.id from app.mana_holds h join app.mana_accounts a on a.id = h.id
    where h.holder_id = any (${ids}) and h.settled_at is not null and a.balance = 0
      and not exists (select from app.mana_entries e join app.mana_transactions t on t.id = e.transaction_id
                      where e.account_id = h.id and e.amount < 0 group by t.kind having count(*) > 1)`
  expect(holds).toHaveLength(settled)
}

const numRuns = runs(5, 300)
test(
  'Every history settles each hold once, and the mana ledger balances at every step',
  async () => {
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), play), { numRuns })
    expect(kills.died()).toBeGreaterThan(0)
  },
  120_000 + 1000 * numRuns,
)
