// What must hold of mana whatever happens: random histories against a model of the rules, and many payments at once.
// A failing history prints its seed, and the shortest one that shows the fault.
import fc from 'fast-check'
import type { TransactionSql } from 'postgres'
import { expect, test } from 'vitest'
import type { Person } from '../support/person.ts'
import { world } from '../support/world.ts'

type Purse = { balance: number; earned: number; spent: number; hours: number }
type Model = { purses: Purse[] }
type Step =
  | { kind: 'pay'; from: number; to: number; tier: number }
  | { kind: 'support'; from: number; post: number; by: number; tier: number }
  | { kind: 'wait'; who: number; hours: number }
  | { kind: 'look'; who: number }

const prices = [1, 3, 10, 25, 50, 100]
const { alice, bob, carla, database, join } = await world()
const { owner, asCaller } = database
const people = [alice, bob, carla]
const ids = people.map(({ id }) => id)

// posts of several: who wrote each, and whose share of its payments is how many percent; and what everybody pays it by, its
// own id or that of somebody's repost
const posts = [
  { id: '', author: 0, shares: { 1: 33, 2: 57 }, ways: [''] },
  { id: '', author: 1, shares: { 2: 90 }, ways: [''] },
  { id: '', author: 2, shares: { 0: 1, 1: 50 }, ways: [''] },
]
for (const post of posts) {
  const author = people[post.author] as Person
  post.id = (await author.post<{ id: string }>('/posts', { body: 'Ours' })).body.id
  const others = people.filter((one) => one !== author)
  const reposts = others.map((one) => one.post<{ id: string }>(`/posts/${post.id}/repost`))
  post.ways = [post.id, ...(await Promise.all(reposts)).map(({ body }) => body.id)]
  for (const [who, splitShare] of Object.entries(post.shares)) {
    const coAuthor = people[Number(who)] as Person
    const path = `/posts/${post.id}/co-authors`
    const { body } = await author.post<{ id: string }>(path, { userId: coAuthor.username, splitShare })
    expect(await coAuthor.post(`${path}/${body.id}/respond`, { accept: true })).toMatchObject({ status: 200 })
  }
}

const person = fc.nat(people.length - 1)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pay' as const), from: person, to: person, tier: fc.nat(5) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('support' as const),
      from: person,
      post: fc.nat(posts.length - 1),
      by: fc.nat(2),
      tier: fc.nat(5),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), who: person, hours: fc.integer({ min: 1, max: 120 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('look' as const), who: person }) },
)

function settle(purse: Purse) {
  for (; purse.hours >= 24; purse.hours -= 24) {
    const more = Math.max(0, Math.min(5, 50 - purse.balance))
    purse.balance += more
    purse.earned += more
  }
}

/** Who gets what: co-authors their percentage rounded down, but for the one who pays, and the author what is left. */
function split(post: number, payer: number, amount: number): Map<number, number> {
  const { author, shares } = posts[post] as (typeof posts)[number]
  const parts = Object.entries(shares)
    .filter(([who]) => Number(who) !== payer)
    .map(([who, percent]): [number, number] => [Number(who), Math.floor((amount * percent) / 100)])
    .filter(([, part]) => part > 0)
  return new Map([...parts, [author, amount - parts.reduce((sum, [, part]) => sum + part, 0)]])
}

/** What the rules say: false when the payment is refused, and then nothing is settled either. */
function payInModel({ purses }: Model, from: number, gains: Map<number, number>): boolean {
  const after = new Map([from, ...gains.keys()].map((who) => [who, { ...(purses[who] as Purse) }]))
  for (const purse of after.values()) settle(purse)
  const payer = after.get(from) as Purse
  const amount = [...gains.values()].reduce((sum, gain) => sum + gain, 0)
  if (payer.balance < amount) return false
  payer.balance -= amount
  payer.spent += amount
  for (const [who, gain] of gains) {
    const purse = after.get(who) as Purse
    purse.balance += gain
    purse.earned += gain
  }
  for (const [who, purse] of after) purses[who] = purse
  return true
}

const as = <T>(who: number, work: (sql: TransactionSql) => Promise<T>) =>
  asCaller({ sub: ids[who] ?? '', role: 'user' }, work)

async function wait(who: number, hours: number, purse: Purse) {
  await owner`update app.wallets set last_regen_at = last_regen_at - ${hours} * interval '1 hour'
    where user_id = ${ids[who] ?? ''}`
  purse.hours += hours
}

async function look(who: number, purse: Purse) {
  settle(purse)
  const [row] = await as(who, (sql) => sql`select api.get_wallet() as wallet`)
  const { balance, earned, spent } = purse
  expect(row?.wallet).toMatchObject({ balance, lifetimeEarned: earned, lifetimeSpent: spent })
}

async function expectPaid(from: number, to: number, model: Model, gains: Map<number, number>, call: string) {
  const expected = from === to ? 'pay_oneself' : payInModel(model, from, gains) ? null : 'insufficient_mana'
  const refusal = await as(from, (sql) => sql.unsafe(`select ${call}`)).then(
    () => null,
    (error) => error.constraint_name ?? error.message,
  )
  expect(refusal).toBe(expected)
}

async function pay(from: number, to: number, tier: number, model: Model) {
  const call = `api.pay('love', ${tier}, p_receiver_id => '${people[to]?.username}')`
  await expectPaid(from, to, model, new Map([[to, prices[tier] ?? 0]]), call)
}

/** Through whosever repost it comes, a payment is that of the original. */
async function support({ from, post: at, by, tier }: Step & { kind: 'support' }, model: Model) {
  const { ways, author } = posts[at] as (typeof posts)[number]
  const call = `api.pay('love', ${tier}, p_post_id => '${ways[by]}')`
  await expectPaid(from, author, model, split(at, from, prices[tier] ?? 0), call)
}

async function take(step: Step, model: Model) {
  if (step.kind === 'pay') return pay(step.from, step.to, step.tier, model)
  if (step.kind === 'support') return support(step, model)
  const purse = model.purses[step.who] as Purse
  return step.kind === 'wait' ? wait(step.who, step.hours, purse) : look(step.who, purse)
}

/** Every movement adds up to zero, every wallet to its entries, and all of it together to nothing. */
async function expectBalancedBooks() {
  const [books] = await owner`select
    (select sum(amount)::int from app.mana_entries) as total,
    (select count(*)::int from (select from app.mana_entries group by transaction_id having sum(amount) <> 0) t) as unbalanced,
    (select count(*)::int from app.wallets where balance < 0 or balance <> lifetime_earned - lifetime_spent) as wrong,
    (select count(*)::int from app.wallets w where balance is distinct from
      (select sum(e.amount) from app.mana_entries e where e.account_id = w.user_id)) as unfounded`
  expect(books).toEqual({ total: 0, unbalanced: 0, wrong: 0, unfounded: 0 })
}

/** The wallets are as the model has them. */
async function check({ purses }: Model) {
  const rows = await owner`select balance::int, lifetime_earned::int as earned, lifetime_spent::int as spent
    from app.wallets where user_id = any (${ids}) order by array_position(${ids}, user_id)`
  expect([...rows]).toEqual(purses.map(({ balance, earned, spent }) => ({ balance, earned, spent })))
}

async function begin(): Promise<Model> {
  const rows = await owner`update app.wallets set last_regen_at = now() where user_id = any (${ids})
    returning user_id, balance::int, lifetime_earned::int as earned, lifetime_spent::int as spent`
  return { purses: ids.map((id) => ({ ...(rows.find((row) => row.user_id === id) as unknown as Purse), hours: 0 })) }
}

test('every history leaves the books as the rules say', async () => {
  const history = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
    const model = await begin()
    for (const one of steps) await take(one, model)
    await check(model)
    await expectBalancedBooks()
  })
  await fc.assert(history, { numRuns: 40 })
}, 60_000)

type Paid = { payment: { id: string } }
const send = (person: Person, target: object) =>
  person.post<Paid>('/economy/pay', { emotion: 'love', tier: 0, ...target })

async function two(...names: [string, string]): Promise<[Person, Person]> {
  const [one, other] = await join(...names)
  if (!one || !other) throw new Error('nobody joined')
  return [one, other]
}

/** What was answered 201 is in the books, and nothing else of these people is. */
async function expectKept(senders: Person[], answers: { status: number; body: Paid }[]) {
  const kept = await owner`select id from app.payments where sender_id = any (${senders.map(({ id }) => id)})`
  const acknowledged = answers.filter(({ status }) => status === 201).map(({ body }) => body.payment.id)
  expect(kept.map(({ id }) => id).sort()).toEqual(acknowledged.sort())
  await expectBalancedBooks()
}

test('of a hundred payments at once out of a balance of 50 exactly fifty go', async () => {
  const [henry, ines] = await two('henry', 'ines')
  const answers = await Promise.all(Array.from({ length: 100 }, () => send(henry, { receiverId: 'ines' })))
  const refused = answers.filter(({ status }) => status !== 201)
  expect(refused).toHaveLength(50)
  for (const answer of refused) expect(answer).toFailWith(409, 'insufficient_mana')
  const rows =
    await owner`select balance::int from app.wallets where user_id in (${henry.id}, ${ines.id}) order by balance`
  expect(rows.map(({ balance }) => balance)).toEqual([0, 100])
  await expectKept([henry], answers)
})

test('of a thousand crossed payments none meets a deadlock', async () => {
  const pair = await two('jack', 'kate')
  const written = await Promise.all(pair.map((author) => author.post<{ id: string }>('/posts', { body: 'Pay me' })))
  // 45 % of each post are the other's, and 45 % a third's: three wallets a payment
  await owner`insert into app.post_co_authors (post_id, user_id, split_share, status)
    select p.id, u.id, 45, 'accepted' from app.posts p cross join app.users u
    where p.id = any (${written.map(({ body }) => body.id)}) and u.id <> p.author_id
      and u.id = any (${[...pair.map(({ id }) => id), alice.id]})`
  const targets = pair.map(({ username }, at) => [{ receiverId: username }, { postId: written[at]?.body.id }])
  await owner`update app.wallets set last_regen_at = now() - interval '25 hours' where user_id = any (${pair.map(({ id }) => id)})`

  const answers: Awaited<ReturnType<typeof send>>[] = []
  await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      for (let turn = 0; turn < 50; turn++) {
        answers.push(await send(pair[at % 2] as Person, targets[1 - (at % 2)]?.[turn % 2] ?? {}))
      }
    }),
  )
  expect(answers).toHaveLength(1000)
  for (const answer of answers) if (answer.status !== 201) expect(answer).toFailWith(409, 'insufficient_mana')
  await expectKept(pair, answers)
}, 60_000)
