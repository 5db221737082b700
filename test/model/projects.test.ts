// Projects: random applications, decisions, withdrawals, leaves, removals, changes of slots and bans. Sequential steps
// answer as a simple model does. After concurrent steps no role has more people than slots, and the counts equal the
// rows.
import fc from 'fast-check'
import type { Sql } from 'postgres'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { runs } from '../support/runs.ts'

const { owner, connect } = await createDatabase()
const lanes: Sql[] = Array.from({ length: 4 }, () => connect('kith_user'))
await owner`update private.write_limits set per_hour = 1000000`
const people = ['ann', 'ben', 'cyd', 'dan']
const ids: string[] = []
for (const name of people) {
  const [row] = await owner<{ id: string }[]>`
    select private.create_person(${`${name}@example.org`}, 'no hash', ${name}, 'Family', '1990-01-31', 'DE', 'Berlin') as id`
  ids.push(row?.id ?? '')
}
const now = Math.floor(Date.now() / 1000)
const claims = (who: number) => JSON.stringify({ sub: ids[who], role: 'user', iat: now, exp: now + 3600 })

type Body = { id: string; roles: { id: string; filled: number }[]; memberCount: number; viewer: { status: string } }
let turn = 0
/** One statement, as the facade sends it. */
const call = (
  who: number,
  operation: string,
  ...values: string[]
): Promise<{ code: string | null; body: Body | null }> =>
  (lanes[turn++ % lanes.length] as Sql)
    .unsafe<{ body: Body }[]>(
      `select api.${operation}(${values.map((_, at) => `$${at + 2}`).join(', ')}) as body from private.enter($1)`,
      [claims(who), ...values],
    )
    .then(
      ([row]) => ({ code: null, body: row?.body ?? null }),
      (error) => ({ code: error.message, body: null }),
    )

/** ann is the author; the others apply. */
type Model = { slots: number[]; holds: Map<number, number>; asked: Set<string>; over: boolean }
const verbs = [
  'apply',
  'apply',
  'approve',
  'approve',
  'reject',
  'withdraw',
  'leave',
  'remove',
  'slots',
  'ban',
  'turn',
] as const
const step = fc.record({
  does: fc.constantFrom(...verbs),
  who: fc.integer({ min: 1, max: 3 }),
  role: fc.nat(1),
  slots: fc.integer({ min: 1, max: 2 }),
})
type Step = { does: (typeof verbs)[number]; who: number; role: number; slots: number }
type Project = { id: string; roles: string[] }

async function newProject(): Promise<Project> {
  await owner`delete from app.contents`
  const { body } = await call(0, 'create_project', 'Title', 'Summary')
  const id = body?.id ?? ''
  const roles = [await call(0, 'create_project_role', id, 'One'), await call(0, 'create_project_role', id, 'Two')]
  return { id, roles: roles.map((role) => role.body?.id ?? '') }
}

/** The latest application of a person for a role, or an unknown id. */
async function application({ roles }: Project, { who, role }: Step): Promise<string> {
  const [row] = await owner<{ id: string }[]>`
    select id from app.project_applications where user_id = ${ids[who] ?? ''} and role_id = ${roles[role] ?? ''}
    order by status = 'pending' desc, created_at desc, id limit 1`
  return row?.id ?? crypto.randomUUID()
}

async function act(project: Project, over: boolean, one: Step): Promise<string | null> {
  const { id, roles } = project
  const { who, role, slots } = one
  const name = `${people[who]}_family`
  const does: Record<Step['does'], () => Promise<{ code: string | null }>> = {
    apply: () => call(who, 'apply_to_project', id, roles[role] ?? ''),
    approve: async () => call(0, 'approve_project_application', id, await application(project, one)),
    reject: async () => call(0, 'reject_project_application', id, await application(project, one)),
    withdraw: async () => call(who, 'withdraw_project_application', id, await application(project, one)),
    leave: () => call(who, 'leave_project', id),
    remove: () => call(0, 'remove_project_member', id, name),
    slots: () => call(0, 'update_project_role', id, roles[role] ?? '', JSON.stringify({ slots })),
    // A short ban frees the slot, which stays free afterwards
    ban: async () => {
      await owner`update app.users set banned_at = now() where id = ${ids[who] ?? ''}`
      await owner`update app.users set banned_at = null where id = ${ids[who] ?? ''}`
      return { code: null }
    },
    turn: () => call(0, 'set_project_status', id, over ? 'active' : 'completed'),
  }
  return (await does[one.does]()).code
}

/** The model's answer to a step: the code of the error, or null. */
function expected(model: Model, ever: Set<string>, { does, who, role, slots }: Step): string | null {
  const key = `${who} ${role}`
  const taken = (of: number) => [...model.holds.values()].filter((held) => held === of).length
  const settle = (mine: boolean) => {
    if (!ever.has(key)) return 'project_application_unknown'
    if (!mine && does === 'approve' && model.over) return 'project_over'
    return model.asked.has(key) ? null : 'project_application_settled'
  }
  switch (does) {
    case 'apply': {
      if (model.over) return 'project_over'
      if (model.holds.has(who)) return 'project_member_already'
      if (model.asked.has(key)) return 'project_applied'
      model.asked.add(key)
      ever.add(key)
      return null
    }
    case 'approve': {
      const refused = settle(false)
      if (refused) return refused
      if (taken(role) >= (model.slots[role] ?? 0)) return 'project_role_full'
      model.holds.set(who, role)
      for (const other of [0, 1]) model.asked.delete(`${who} ${other}`)
      return null
    }
    case 'reject':
    case 'withdraw': {
      const refused = settle(does === 'withdraw')
      if (!refused) model.asked.delete(key)
      return refused
    }
    case 'leave':
      model.holds.delete(who)
      return null
    case 'remove':
      return model.holds.delete(who) ? null : 'project_member_unknown'
    case 'slots':
      if (model.over) return 'project_over'
      if (slots < taken(role)) return 'project_role_held'
      model.slots[role] = slots
      return null
    case 'ban':
      model.holds.delete(who)
      return null
    case 'turn':
      model.over = !model.over
      return null
  }
}

const numRuns = runs(12, 200)

test('One by one, each step answers as the model does', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24 }), async (steps) => {
      const project = await newProject()
      const model: Model = { slots: [1, 1], holds: new Map(), asked: new Set(), over: false }
      const ever = new Set<string>()
      for (const one of steps) {
        const { over } = model
        expect(await act(project, over, one), JSON.stringify(one)).toBe(expected(model, ever, one))
      }
      for (const who of people.keys()) {
        const { body } = await call(who, 'get_project', project.id)
        const filled = [0, 1].map((role) => [...model.holds.values()].filter((held) => held === role).length)
        expect(body?.roles.map((role) => role.filled)).toEqual(filled)
        expect(body?.memberCount).toBe(1 + model.holds.size)
        const asks = [0, 1].some((role) => model.asked.has(`${who} ${role}`))
        const status = who === 0 ? 'author' : model.holds.has(who) ? 'member' : asks ? 'pending' : 'none'
        expect(body?.viewer.status).toBe(status)
      }
    }),
    { numRuns },
  )
})

test('All at once, no role has more people than slots, and nobody gets a deadlock', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 16, maxLength: 32 }), async (steps) => {
      const project = await newProject()
      for (const who of [1, 2, 3]) await call(who, 'apply_to_project', project.id, project.roles[who % 2] ?? '')
      const codes = await Promise.all(steps.map((one) => act(project, false, one)))
      // A step may fail with a code of the API, for example during a ban, but not with an SQLSTATE such as a deadlock's
      for (const code of codes) expect(code ?? '').toMatch(/^[a-z_]*$/)
      const wrong = await owner`
        select r.id from app.project_roles r left join app.project_members m on m.role_id = r.id
        group by r.id having r.filled <> count(m.user_id) or r.filled > r.slots`
      expect(wrong).toEqual([])
    }),
    { numRuns },
  )
})
