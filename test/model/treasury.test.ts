// Tests treasuries with contributions, disbursements, distributions and proposals among bans, erasures, regeneration
// and killed connections. Sequential steps leave the same state as a simple model. After concurrent steps the state is
// one that some order of the steps would give. A separate model checks how an amount is divided.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { runs } from '../support/runs.ts'
import { createKills, type Kill } from './kills.ts'
import { asOnce, asStaff, type Outcome, type Request, statement } from './races.ts'

const database = await createDatabase()
const { owner } = database
const { send, died } = await createKills(database)
await owner`update private.write_limits set per_hour = 1000000`

let calls = 0
/** An operation with these values, as the facade sends it, with its own Idempotency-Key. */
const operation = (id: string, name: string, ...values: unknown[]): Request =>
  asOnce(`${calls++}`, { id, username: '' }, `${name}(${values.map((_, at) => `$${at + 3}`).join(', ')})`, ...values)

type Role = 'founder' | 'steward' | 'member' | null
type Purse = { balance: number; hours: number }
type Proposal = { status: string; amount: number; whom: number; votes: Map<number, 'yes' | 'no'>; closes: number }
type Model = {
  treasury: number
  /** How many transactions went in or out. */
  moved: number
  roles: Role[]
  purses: Purse[]
  scores: number[]
  banned: boolean[]
  erased: boolean[]
  /** Oldest first, and the hours that have passed. */
  proposals: Proposal[]
  now: number
}
type Step = { does: (typeof verbs)[number]; who: number; whom: number; amount: number; kill: Kill }
const verbs = [
  ...(['contribute', 'contribute', 'disburse', 'distribute', 'propose', 'vote', 'vote', 'vote'] as const),
  ...(['ban', 'unban', 'erase', 'wait'] as const),
]

// The founder, a steward, two members, and a non-member
const ROLES: Role[] = ['founder', 'steward', 'member', 'member', null]
const someone = fc.nat(ROLES.length - 1)
const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom(...verbs),
  who: someone,
  whom: someone,
  amount: fc.integer({ min: 1, max: 60 }),
  kill: fc.option(fc.nat(14), { freq: 2 }),
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
  const founder = asStaff(
    { id: ids[0] ?? '', username: '' },
    `create_guild('World', $3::uuid) ->> 'id'`,
    await interest(),
  )
  const [row] = (await founder.run(database.connect('kith_user'))) as [{ answer: string }]
  const guild = row.answer
  await owner`update app.users set role = 'user' where id = ${ids[0] ?? ''}`
  await owner`update app.space_members set created_at = now() - interval '1 minute' where space_id = ${guild}`
  for (const [at, role] of ROLES.entries()) {
    if (at === 0 || !role) continue
    await owner`insert into app.space_members (space_id, user_id, role, created_at)
      values (${guild}, ${ids[at] ?? ''}, ${role === 'steward' ? 'moderator' : 'member'}, now() - ${50 - at} * interval '1 second')`
    await owner`update app.spaces set member_count = member_count + 1 where id = ${guild}`
  }
  const none = ROLES.map(() => false)
  const purses = ROLES.map(() => ({ balance: 50, hours: 0 }))
  const model: Model = {
    ...{ treasury: 0, moved: 0, roles: [...ROLES], purses, scores: points },
    ...{ banned: [...none], erased: [...none], proposals: [], now: 0 },
  }
  return { guild, ids, names, model }
}
async function interest(): Promise<string> {
  const [row] = await owner<{ id: string }[]>`select id from app.interests where level = 1 order by slug limit 1`
  return row?.id ?? ''
}

const proposalsOf = async (guild: string) =>
  (
    await owner<{ id: string; status: string }[]>`
      select id, status from app.guild_proposals where guild_id = ${guild} order by created_at`
  ).slice()

/** The request of a step, if a person makes the step. A request with a key may be sent twice. */
async function requestOf({ guild, ids, names }: World, { does, who, whom, amount }: Step): Promise<Request | null> {
  const id = ids[who] ?? ''
  switch (does) {
    case 'contribute':
    case 'distribute':
      return operation(id, does, guild, amount)
    case 'disburse':
      return operation(id, 'disburse', guild, names[whom], amount, 'For you')
    case 'propose': {
      const payload = { recipientId: names[whom], amount }
      return operation(id, 'create_proposal', guild, 'disburse', 'For them', '', payload)
    }
    case 'vote': {
      const open = await proposalsOf(guild)
      const proposal = open[amount % Math.max(open.length, 1)]
      return proposal ? operation(id, 'vote_on_proposal', guild, proposal.id, voteOf(amount)) : null
    }
    case 'ban':
      return statement(
        'update app.users set banned_at = now() where id = $1 and banned_at is null and erased_at is null',
        ids[whom],
      )
    case 'unban':
      return statement('update app.users set banned_at = null where id = $1 and erased_at is null', ids[whom])
    case 'erase':
      return statement('select private.erase_person($1)', ids[whom])
    case 'wait':
      return null
  }
}
const voteOf = (amount: number) => (amount % 4 === 0 ? 'no' : 'yes')
const moves = ({ does }: Step) => does === 'contribute' || does === 'disburse' || does === 'distribute'

async function act(world: World, step: Step, repeats: boolean): Promise<Outcome> {
  const request = await requestOf(world, step)
  return request ? send(request, step.kill, repeats && moves(step)) : null
}

/** Moves the clock, for wallets and for proposals. */
async function pass({ guild, ids }: World, hours: number) {
  const shift = owner`${hours} * interval '1 hour'`
  await owner`update app.wallets set last_regen_at = last_regen_at - ${shift} where user_id = any (${ids})`
  await owner`update app.guild_proposals set closes_at = closes_at - ${shift}, due_at = due_at - ${shift}
    where guild_id = ${guild} and status = 'open'`
}

/** Makes the open proposals due, as private.recount_proposals does after a ban. */
const recount = ({ guild }: World) => owner`
  update app.guild_proposals set due_at = least(due_at, clock_timestamp()) where guild_id = ${guild} and status = 'open'`

/** A worker that is killed in between, and two that continue until nothing is due. */
async function work(kill: Kill) {
  if (kill !== null) await send(statement('select private.job_settle_proposals()'), kill)
  const drain = async () => {
    for (let done = 1; done !== 0; ) {
      done = (await owner<[{ done: number }]>`select private.job_settle_proposals() as done`)[0].done
      expect(done).toBeGreaterThanOrEqual(0)
    }
  }
  await Promise.all([drain(), drain()])
}

/** Divides an amount: each part is rounded down, and then the parts with the largest remainders get one more unit. */
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

const isGone = ({ banned, erased }: Model, who: number) => Boolean(banned[who] || erased[who])
const members = (model: Model) => [...model.roles.keys()].filter((at) => model.roles[at] && !isGone(model, at))
function gain({ purses, erased }: Model, who: number, more: number) {
  const purse = purses[who] as Purse
  if (!erased[who]) settle(purse)
  purse.balance += more
}

/** The decision about a proposal, by the votes of current members, at its close or before. Null while it is open. */
function decided(model: Model, { votes, closes }: Proposal): string | null {
  const eligible = members(model)
  const [yes, no] = (['yes', 'no'] as const).map((value) => eligible.filter((who) => votes.get(who) === value).length)
  if (closes > model.now) return (yes ?? 0) * 2 > eligible.length ? 'passed' : null
  if ((yes ?? 0) + (no ?? 0) < Math.max(1, Math.ceil(eligible.length / 4))) return 'expired'
  return (yes ?? 0) > (no ?? 0) ? 'passed' : 'failed'
}
/** A passed proposal is paid, if it still can be. */
function execute(model: Model, proposal: Proposal) {
  const { amount, whom } = proposal
  proposal.status = 'execution_failed'
  if (isGone(model, whom) || model.treasury < amount) return
  proposal.status = 'executed'
  gain(model, whom, amount)
  model.treasury -= amount
  model.moved += 1
}

/** What the worker then does, in the order in which it handled the proposals. */
async function follow({ model, guild }: World, does: Step['does'], archived: boolean) {
  const open = model.proposals.filter(({ status }) => status === 'open')
  for (const proposal of open) {
    if (archived) proposal.status = 'force_closed'
    else if (proposal.closes <= model.now || does !== 'wait') proposal.status = decided(model, proposal) ?? 'open'
  }
  const order = await owner<{ at: number }[]>`
    select row_number() over (order by created_at)::int - 1 as at from app.guild_proposals
    where guild_id = ${guild} order by executed_at, created_at`
  for (const { at } of order) {
    const proposal = model.proposals[at]
    if (proposal?.status === 'passed') execute(model, proposal)
  }
  expect((await proposalsOf(guild)).map(({ status }) => status)).toEqual(model.proposals.map(({ status }) => status))
}

/** Whether a step succeeds. A step that succeeds changes the model. */
function expected(model: Model, { does, who, whom, amount }: Step): boolean {
  const { roles, purses, banned, erased } = model
  const gone = (at: number) => isGone(model, at)
  const runs = !gone(who) && (roles[who] === 'founder' || roles[who] === 'steward')
  switch (does) {
    case 'contribute': {
      const purse = { ...(purses[who] as Purse) }
      settle(purse)
      if (gone(who) || !roles[who] || purse.balance < amount) return false
      gain(model, who, -amount)
      model.treasury += amount
      return true
    }
    case 'disburse':
      if (!runs || who === whom || gone(whom) || model.treasury < amount) return false
      gain(model, whom, amount)
      model.treasury -= amount
      return true
    case 'distribute': {
      if (!runs || model.treasury < amount) return false
      const points = model.scores.map((one, at) => (roles[at] && !gone(at) ? one : 0))
      if (points.every((one) => one <= 0)) return false
      for (const [at, share] of divide(amount, points).entries()) if (share > 0) gain(model, at, share)
      model.treasury -= amount
      return true
    }
    case 'propose':
      if (gone(who) || gone(whom) || !roles[who]) return false
      model.proposals.push({ status: 'open', amount, whom, votes: new Map(), closes: model.now + 72 })
      return true
    case 'vote': {
      const proposal = model.proposals[amount % Math.max(model.proposals.length, 1)]
      if (!proposal) return true
      if (proposal.status !== 'open' || gone(who) || !roles[who]) return false
      proposal.votes.set(who, voteOf(amount))
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
        roles.fill(null) // archived: nobody can contribute or spend
      else roles[heir] = 'founder'
      return true
    }
    case 'wait':
      for (const purse of purses) purse.hours += amount
      model.now += amount
      return true
  }
}

async function look({ guild, ids }: World) {
  const [row] = await owner<{ treasury: number; balances: number[]; moved: number }[]>`
    select a.balance::int as treasury,
           (select array_agg(w.balance::int order by array_position(${ids}, w.user_id)) from app.wallets w where w.user_id = any (${ids})) as balances,
           (select count(distinct transaction_id)::int from app.treasury_entries where guild_id = a.id) as moved
    from app.mana_accounts a where a.id = ${guild}`
  expect([
    ...(await owner`select * from private.audit_mana() union all select * from private.audit_treasuries()`),
  ]).toEqual([])
  return row ?? { treasury: 0, balances: [], moved: 0 }
}

const numRuns = runs(3, 200)

test('One by one, each step answers as the model does, and leaves the same balances', async () => {
  const history = fc.asyncProperty(scores, fc.array(step, { minLength: 10, maxLength: 40 }), async (points, steps) => {
    const world = await build(points)
    const { model } = world
    for (const one of steps) {
      const done = expected(model, one)
      if (one.does === 'wait') await pass(world, one.amount)
      const code = await act(world, one, true)
      expect([one, code === null, code]).toEqual([one, done, code])
      if (done && moves(one)) model.moved += 1
      if (model.proposals.length > 0 && done && ['vote', 'erase', 'ban', 'wait'].includes(one.does)) {
        if (one.does !== 'wait') await recount(world)
        await work(one.kill)
        await follow(
          world,
          one.does,
          model.roles.every((role) => role === null),
        )
      }
      const { treasury, purses, moved } = model
      expect(await look(world)).toEqual({ treasury, balances: purses.map(({ balance }) => balance), moved })
    }
  })
  await fc.assert(history, { numRuns })
  expect(died()).toBeGreaterThan(0)
}, 120_000)

test('All at once, everything answered is in the ledger, no mana appears or disappears, and nobody gets a deadlock', async () => {
  const history = fc.asyncProperty(scores, fc.array(step, { minLength: 16, maxLength: 32 }), async (points, steps) => {
    const world = await build(points)
    const asked = steps.filter(({ does }) => does !== 'wait')
    const first = { does: 'contribute', who: 0, whom: 0, amount: 50, kill: null } as const
    await act(world, first, false)
    // erases people one after the other, because the heir of a guild may be erased too
    let erased: Promise<unknown> = Promise.resolve()
    const codes = await Promise.all(
      asked.map((one) => {
        if (one.does !== 'erase') return act(world, one, false)
        const next = erased.then(() => act(world, one, false))
        erased = next
        return next
      }),
    )
    for (const code of codes) expect(code ?? '').toMatch(/^[a-z_]*$/)
    await work(null)
    const { treasury, balances, moved } = await look(world)
    expect(treasury + balances.reduce((sum, one) => sum + one, 0)).toBe(250)
    const done = asked.filter((one, at) => !codes[at] && moves(one))
    const executed = (await proposalsOf(world.guild)).filter(({ status }) => status === 'executed')
    expect(moved).toBe(1 + done.length + executed.length)
  })
  await fc.assert(history, { numRuns, endOnFailure: true })
}, 120_000)

test('An amount is divided by largest remainders, and nothing is left', async () => {
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
