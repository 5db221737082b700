// Cases: random histories of three moderators and an admin, with a clock that moves and connections that are lost. The
// tests compare them with a small model of the transitions: which steps fail with which code, and the state, the claim
// and the decisions afterwards. If a history fails, the test prints the shortest failing history.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../support/runs.ts'
import { createKills, type Kill } from './kills.ts'
import { as, createRaces, type Request, type Someone } from './races.ts'

const { admin, answer, join, owner, publish, database } = await createRaces()
const kills = await createKills(database)
const [author, reporter] = [await join(), await join()]
const moderators = [await join(), await join(), await join()]
await owner`update app.users set role = 'moderator' where id = any (${moderators.map(({ id }) => id)})`
const staff = [...moderators, admin]
const ADMIN = 3

/** The rules, written a second time: who may do what with an open and with a closed case, and whether the action closes the case. */
const rules = {
  claim: { who: 'all', closed: false, closes: false },
  release: { who: 'all', closed: false, closes: false },
  note: { who: 'all', closed: true, closes: false },
  change: { who: 'all', closed: false, closes: false },
  dismiss: { who: 'all', closed: false, closes: true },
  warn: { who: 'all', closed: true, closes: true },
  hide: { who: 'all', closed: true, closes: true },
  unhide: { who: 'all', closed: true, closes: false },
  limit: { who: 'admin', closed: true, closes: true },
  unlimit: { who: 'admin', closed: true, closes: false },
} as const
type Action = keyof typeof rules
const actions = Object.keys(rules) as Action[]
/** Whether an action fails while another member of staff has a claim. Notes and releases do not. */
const guarded = (action: Action) => action !== 'note' && action !== 'release'
const calls: Partial<Record<Action, string>> = {
  claim: 'claim_case($3::uuid)',
  release: 'release_case($3::uuid)',
  note: `add_case_note($3::uuid, 'I know')`,
  change: `update_case($3::uuid, 'spam')`,
}

type Step = { who: number; action: Action; minutes: number; kill: Kill; reported: boolean }
type Model = { open: boolean; claim: number | null; left: number; hidden: boolean; limited: boolean; decided: string[] }

function request(who: Someone, role: string, text: string, id: string): Request {
  const iat = Math.floor(Date.now() / 1000)
  const claims = JSON.stringify({ sub: who.id, role, iat, exp: iat + 900 })
  const statement = `select api.${text} from private.enter($1::text, $2::text)`
  return { role: 'service', run: (sql) => sql.unsafe(statement, [claims, null as unknown as string, id]) }
}

/** What the model says: the code of the error, or null. */
function expected(model: Model, { who, action }: Step): string | null {
  const rule = rules[action]
  if (!model.open && !rule.closed) return 'case_closed'
  if (rule.who === 'admin' && who !== ADMIN) return 'role_required'
  const others = model.claim !== null && model.claim !== who && model.left > 0
  if (others && model.open && guarded(action)) return 'case_claimed'
  if (others && action === 'release' && who !== ADMIN) return 'role_required'
  return null
}

function change(model: Model, { who, action }: Step): void {
  if (action === 'claim') Object.assign(model, { claim: who, left: 30 })
  else if (action === 'release') model.claim = null
  else if (model.claim === who && model.left > 0) model.left = 30
  if (action === 'warn') model.decided.push('warn')
  if (action === 'hide' && !model.hidden) model.decided.push('hide')
  if (action === 'limit' && !model.limited) model.decided.push('limit')
  if (action === 'hide' || action === 'unhide') model.hidden = action === 'hide'
  if (action === 'limit' || action === 'unlimit') model.limited = action === 'limit'
  if (rules[action].closes && model.open) Object.assign(model, { open: false, claim: null })
}

async function play(steps: Step[]): Promise<void> {
  await owner`update app.users set limited_at = null where id = ${author.id}`
  const post = await publish(author)
  const report = () => answer(as(reporter, `report('post', $3, 'Rude')`, post))
  await report()
  const newest = async () => {
    const [row] = await owner<{ id: string }[]>`
      select id from app.cases where target_id = ${post} order by number desc limit 1`
    return row?.id ?? ''
  }
  let id = await newest()
  const model: Model = { open: true, claim: null, left: 0, hidden: false, limited: false, decided: [] }
  for (const step of steps) {
    if (step.reported && !model.open && !model.hidden) {
      await report()
      expect(await newest()).not.toBe(id)
      id = await newest()
      Object.assign(model, { open: true, claim: null, left: 0, decided: [] })
    }
    if (step.minutes > 0) {
      await owner`update app.cases set claimed_until = claimed_until - make_interval(mins => ${step.minutes}) where id = ${id}`
      model.left -= step.minutes
    }
    const role = step.who === ADMIN ? 'admin' : 'moderator'
    const text = calls[step.action] ?? `act_on_case($3::uuid, '{${step.action}}', 'Reason')`
    const who = staff[step.who] as Someone
    const code = expected(model, step)
    expect(await kills.send(request(who, role, text, id), step.kill), JSON.stringify(step)).toBe(code)
    if (code === null) change(model, step)
    const [row] = await owner<
      { status: string; claimer: string | null; decided: string[]; hidden: boolean; open: number }[]
    >`
      select c.status, case when c.claimed_until > now() then c.claimed_by end as claimer,
             array(select d.action from app.decisions d where d.case_id = c.id order by d.audit_id) as decided,
             (select hidden_at is not null from app.posts where id = c.target_id) as hidden,
             (select count(*)::int from app.case_reports r join app.reports o on o.id = r.report_id
              where r.case_id = c.id and o.status = 'open') as open
      from app.cases c where c.id = ${id}`
    const claimer = model.claim === null || model.left <= 0 ? null : staff[model.claim]?.id
    expect({ ...row }, JSON.stringify(step)).toEqual({
      status: model.open ? 'open' : 'closed',
      claimer,
      decided: model.decided,
      hidden: model.hidden,
      open: model.open ? 1 : 0,
    })
  }
}

const step: fc.Arbitrary<Step> = fc.record({
  who: fc.integer({ min: 0, max: ADMIN }),
  action: fc.constantFrom(...actions),
  minutes: fc.constantFrom(0, 0, 0, 1, 29, 31),
  kill: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.integer({ min: 0, max: 6 }) }),
  reported: fc.boolean(),
})

test('Random histories of cases equal the model', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), play), {
    numRuns: runs(12, 1000),
    ...(process.env.SOAK ? {} : { seed: 7 }),
  })
  expect(kills.died()).toBeGreaterThan(0)
  const [row] = await owner`select deadlocks::int from pg_stat_database where datname = current_database()`
  expect(row).toEqual({ deadlocks: 0 })
})

test('The table of transitions has the rules of this model', async () => {
  const rows = await owner<{ action: string; who: string; closed: boolean; closes: boolean }[]>`
    select o.action, case when 'moderator' = any (o.roles) then 'all' else 'admin' end as who,
           exists (select from private.case_transitions c where c.status = 'closed' and c.action = o.action) as closed,
           o.next = 'closed' as closes
    from private.case_transitions o where o.status = 'open'`
  const table = Object.fromEntries(rows.map(({ action, ...rule }) => [action, rule]))
  expect(table).toMatchObject(rules)
})

test('Two moderators who claim a case at once have one winner', async () => {
  for (let round = 0; round < 20; round++) {
    const post = await publish(author)
    await answer(as(reporter, `report('post', $3, 'Rude')`, post))
    const [row] = await owner<{ id: string }[]>`select id from app.cases where target_id = ${post}`
    const met = await Promise.all(
      moderators.map((who) => kills.send(request(who, 'moderator', 'claim_case($3::uuid)', row?.id ?? ''))),
    )
    expect(met.toSorted()).toEqual(['case_claimed', 'case_claimed', null])
  }
})
