// What must hold of treasuries whatever happens: contributions, disbursements and distributions among bans, erasures and
// regeneration. One by one they leave what a plain model does, to the unit, and many at once what some order of them
// would. How an amount is divided is held against a model of its own.
import fc from 'fast-check'
import type { Sql } from 'postgres'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { runs } from '../support/runs.ts'

const { owner, connect } = await createDatabase()
const lanes: Sql[] = Array.from({ length: 4 }, () => connect('kith_user'))
await owner`update private.write_limits set per_hour = 1000000`

const now = Math.floor(Date.now() / 1000)
let turn = 0
/** One statement, as the facade sends it: null, or the word of the refusal. */
const call = (id: string, operation: string, ...values: unknown[]): Promise<string | null> =>
  (lanes[turn++ % lanes.length] as Sql)
    .unsafe(`select api.${operation}(${values.map((_, at) => `$${at + 2}`).join(', ')}) from private.enter($1)`, [
      JSON.stringify({ sub: id, role: 'user', iat: now, exp: now + 3600 }),
      ...values,
    ] as string[])
    .then(
      () => null,
      (error) => error.message,
    )

type Role = 'founder' | 'steward' | 'member' | null
type Purse = { balance: number; hours: number }
type Model = {
  treasury: number
  roles: Role[]
  purses: Purse[]
  scores: number[]
  banned: boolean[]
  erased: boolean[]
}
type Step = { does: (typeof verbs)[number]; who: number; whom: number; amount: number }
const verbs = [
  ...(['contribute', 'contribute', 'disburse', 'distribute'] as const),
  ...(['ban', 'unban', 'erase', 'wait'] as const),
]

// the founder, a steward, two members, and somebody who is none
const ROLES: Role[] = ['founder', 'steward', 'member', 'member', null]
const someone = fc.nat(ROLES.length - 1)
const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom(...verbs),
  who: someone,
  whom: someone,
  amount: fc.integer({ min: 1, max: 60 }),
})
const scores = fc.array(fc.integer({ min: -100, max: 5000 }), { minLength: 5, maxLength: 5 })

let worlds = 0
type World = { guild: string; ids: string[]; names: string[]; model: Model }
async function build(points: number[]): Promise<World> {
  worlds += 1
  const ids: string[] = []
  const names = ROLES.map((_, at) => `p${at}w${worlds}_x`)
  for (const [at] of ROLES.entries()) {
    const [row] = await owner<{ id: string }[]>`
      select private.create_person(${`p${at}w${worlds}@example.org`}, 'no hash', ${`p${at}w${worlds}`}, 'x', '1990-01-31', 'DE', 'Berlin') as id`
    ids.push(row?.id ?? '')
  }
  await owner`insert into app.contribution_scores (user_id, score)
    select * from unnest(${ids}::uuid[], ${points.map((one) => one / 100)}::numeric[])`
  await owner`update app.users set role = 'admin' where id = ${ids[0] ?? ''}`
  const claims = JSON.stringify({ sub: ids[0], role: 'admin', iat: now, exp: now + 3600 })
  const [row] = await (lanes[0] as Sql).unsafe<{ id: string }[]>(
    `select api.create_guild('World', $2::uuid) ->> 'id' as id from private.enter($1)`,
    [claims, await interest()],
  )
  const guild = row?.id ?? ''
  await owner`update app.users set role = 'user' where id = ${ids[0] ?? ''}`
  for (const [at, role] of ROLES.entries()) {
    if (at === 0 || !role) continue
    await owner`insert into app.space_members (space_id, user_id, role, created_at)
      values (${guild}, ${ids[at] ?? ''}, ${role === 'steward' ? 'moderator' : 'member'}, now() + ${at} * interval '1 second')`
    await owner`update app.spaces set member_count = member_count + 1 where id = ${guild}`
  }
  const none = ROLES.map(() => false)
  const purses = ROLES.map(() => ({ balance: 50, hours: 0 }))
  const model = { treasury: 0, roles: [...ROLES], purses, scores: points, banned: [...none], erased: [...none] }
  return { guild, ids, names, model }
}
async function interest(): Promise<string> {
  const [row] = await owner<{ id: string }[]>`select id from app.interests where level = 1 order by slug limit 1`
  return row?.id ?? ''
}

async function act({ guild, ids, names }: World, { does, who, whom, amount }: Step): Promise<string | null> {
  const id = ids[who] ?? ''
  switch (does) {
    case 'contribute':
      return call(id, 'contribute', guild, amount)
    case 'disburse':
      return call(id, 'disburse', guild, names[whom], amount, 'For you')
    case 'distribute':
      return call(id, 'distribute', guild, amount)
    case 'ban':
      await owner`update app.users set banned_at = now() where id = ${ids[whom] ?? ''} and banned_at is null and erased_at is null`
      return null
    case 'unban':
      await owner`update app.users set banned_at = null where id = ${ids[whom] ?? ''} and erased_at is null`
      return null
    case 'erase':
      await owner`select private.erase_person(${ids[whom] ?? ''})`
      return null
    case 'wait':
      await owner`update app.wallets set last_regen_at = last_regen_at - ${amount} * interval '1 hour' where user_id = any (${ids})`
      return null
  }
}

/** Divides as one would by hand: each their part rounded down, then one each by the largest remainder, first come first. */
function divide(amount: number, points: number[]): number[] {
  const total = points.reduce((sum, one) => sum + Math.max(one, 0), 0)
  const parts = points.map((one, at) => {
    const exact = BigInt(amount) * BigInt(Math.max(one, 0))
    return { at, whole: Number(exact / BigInt(total)), rest: exact % BigInt(total) }
  })
  let left = amount - parts.reduce((sum, { whole }) => sum + whole, 0)
  for (const part of parts.toSorted((a, b) => (a.rest === b.rest ? a.at - b.at : a.rest > b.rest ? -1 : 1)))
    if (left-- > 0) part.whole += 1
  return parts.map(({ whole }) => whole)
}

function settle(purse: Purse) {
  for (; purse.hours >= 24; purse.hours -= 24) purse.balance += Math.max(0, Math.min(5, 50 - purse.balance))
}

/** Whether a step is done; then it changes the model. */
function expected(model: Model, { does, who, whom, amount }: Step): boolean {
  const { roles, purses, banned, erased } = model
  const gone = (at: number) => banned[at] || erased[at]
  const runs = !gone(who) && (roles[who] === 'founder' || roles[who] === 'steward')
  const gain = (at: number, more: number) => {
    const purse = purses[at] as Purse
    if (!erased[at]) settle(purse)
    purse.balance += more
  }
  switch (does) {
    case 'contribute': {
      const purse = { ...(purses[who] as Purse) }
      settle(purse)
      if (gone(who) || !roles[who] || purse.balance < amount) return false
      gain(who, -amount)
      model.treasury += amount
      return true
    }
    case 'disburse':
      if (!runs || who === whom || gone(whom) || model.treasury < amount) return false
      gain(whom, amount)
      model.treasury -= amount
      return true
    case 'distribute': {
      if (!runs || model.treasury < amount) return false
      const points = model.scores.map((one, at) => (roles[at] && !gone(at) ? one : 0))
      if (points.every((one) => one <= 0)) return false
      for (const [at, share] of divide(amount, points).entries()) if (share > 0) gain(at, share)
      model.treasury -= amount
      return true
    }
    case 'ban':
    case 'unban':
      if (!erased[whom]) banned[whom] = does === 'ban'
      return true
    case 'erase': {
      if (erased[whom]) return true
      erased[whom] = true
      const role = roles[whom]
      roles[whom] = null
      if (role !== 'founder') return true
      const heir = [...roles.keys()]
        .filter((at) => roles[at] && !gone(at))
        .toSorted((a, b) => Number(roles[a] !== 'steward') - Number(roles[b] !== 'steward') || a - b)[0]
      if (heir === undefined)
        roles.fill(null) // archived: nobody gives or takes
      else roles[heir] = 'founder'
      return true
    }
    case 'wait':
      for (const purse of purses) purse.hours += amount
      return true
  }
}

async function look({ guild, ids }: World) {
  const [row] = await owner<{ treasury: number; balances: number[]; moved: number }[]>`
    select a.balance::int as treasury,
           (select array_agg(w.balance::int order by array_position(${ids}, w.user_id)) from app.wallets w where w.user_id = any (${ids})) as balances,
           (select count(distinct transaction_id)::int from app.treasury_entries where guild_id = a.id) as moved
    from app.mana_accounts a where a.id = ${guild}`
  expect([...(await owner`select * from private.audit_mana()`)]).toEqual([])
  return row ?? { treasury: 0, balances: [], moved: 0 }
}

const numRuns = runs(8, 200)

test('one after the other, each step answers as the model does, and leaves its balances', async () => {
  const history = fc.asyncProperty(scores, fc.array(step, { minLength: 10, maxLength: 40 }), async (points, steps) => {
    const world = await build(points)
    let moved = 0
    for (const one of steps) {
      const done = expected(world.model, one)
      const code = await act(world, one)
      expect([one, code === null, code]).toEqual([one, done, code])
      if (done && ['contribute', 'disburse', 'distribute'].includes(one.does)) moved += 1
    }
    const { treasury, purses } = world.model
    expect(await look(world)).toEqual({ treasury, balances: purses.map(({ balance }) => balance), moved })
  })
  await fc.assert(history, { numRuns })
}, 60_000)

test('all at once, what is answered is booked and nothing is made or lost, and nobody is sent a deadlock', async () => {
  const history = fc.asyncProperty(scores, fc.array(step, { minLength: 16, maxLength: 32 }), async (points, steps) => {
    const world = await build(points)
    const asked = steps.filter(({ does }) => does !== 'wait')
    await call(world.ids[0] ?? '', 'contribute', world.guild, 50)
    let erased: Promise<unknown> = Promise.resolve() // one after the other: who inherits a guild may be erasing too
    const codes = await Promise.all(
      asked.map((one) => {
        if (one.does !== 'erase') return act(world, one)
        const next = erased.then(() => act(world, one))
        erased = next
        return next
      }),
    )
    for (const code of codes) expect(code ?? '').toMatch(/^[a-z_]*$/)
    const { treasury, balances, moved } = await look(world)
    expect(treasury + balances.reduce((sum, one) => sum + one, 0)).toBe(250)
    const done = asked.filter(({ does }, at) => !codes[at] && ['contribute', 'disburse', 'distribute'].includes(does))
    expect(moved).toBe(done.length + 1)
  })
  await fc.assert(history, { numRuns, endOnFailure: true })
}, 60_000)

test('an amount is divided as by hand, to the unit', async () => {
  const amounts = fc.integer({ min: 1, max: 1_000_000_000 })
  const points = fc.array(fc.integer({ min: -1000, max: 1_000_000 }), { minLength: 1, maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(amounts, points, async (amount, given) => {
      if (given.every((one) => one <= 0)) return
      const rows = await owner<{ at: number; amount: number }[]>`
        select array_position(p.people, w.user_id) - 1 as at, w.amount
        from (select array_agg(lpad(n::text, 32, '0')::uuid order by n) as people from generate_series(1, ${given.length}::int) n) p
        cross join lateral private.weigh_shares(${amount}, p.people, ${given.map((one) => one / 100)}::numeric[]) w`
      const shares = given.map((_, at) => rows.find((row) => row.at === at)?.amount ?? 0)
      expect(shares).toEqual(divide(amount, given))
      expect(shares.reduce((sum, one) => sum + one, 0)).toBe(amount)
    }),
    { numRuns: 200 },
  )
})
