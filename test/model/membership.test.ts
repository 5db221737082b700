// Membership of groups and guilds: random joins, requests, approvals, invitations, removals, bans, changes of owner and
// archives. Sequential steps answer as a simple model does. After concurrent steps the state is one that some order of
// the steps would give. No membership is duplicate, each group has exactly one owner, counts equal the rows, and nobody
// sees too much or too little.
import fc from 'fast-check'
import type { Sql } from 'postgres'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { runs } from '../support/runs.ts'

const { owner, connect } = await createDatabase()
const lanes: Sql[] = Array.from({ length: 4 }, () => connect('kith_user'))

const people: string[] = []
for (const name of ['ann', 'ben', 'cyd', 'dan', 'eve']) {
  const [row] = await owner<{ id: string }[]>`
    select private.create_person(${`${name}@example.org`}, 'no hash', ${name}, 'Family', '1990-01-31', 'DE', 'Berlin') as id`
  people.push(row?.id ?? '')
}
await owner`update private.write_limits set per_hour = 1000000`
const names = ['ann_family', 'ben_family', 'cyd_family', 'dan_family', 'eve_family']
const now = Math.floor(Date.now() / 1000)
const claims = (who: number) => JSON.stringify({ sub: people[who], role: 'user', iat: now, exp: now + 3600 })

type Answer = { code: string | null; body: Record<string, unknown> | null }
let turn = 0
/** One statement, as the facade sends it. */
const say = (who: number, text: string, values: (string | boolean)[]): Promise<Answer> =>
  (lanes[turn++ % lanes.length] as Sql)
    .unsafe<{ body: Answer['body'] }[]>(`select api.${text} as body from private.enter($1)`, [claims(who), ...values])
    .then(
      ([row]) => ({ code: null, body: row?.body ?? null }),
      (error) => ({ code: error.message, body: null }),
    )

const call = (who: number, operation: string, ...values: (string | boolean)[]): Promise<Answer> =>
  say(who, `${operation}(${values.map((_, at) => `$${at + 2}`).join(', ')})`, values)

type Role = 'owner' | 'moderator' | 'member'
type Model = {
  policy: 'open' | 'request' | 'invite'
  private: boolean
  archived: boolean
  roles: Map<number, Role>
  asked: Set<number>
  /** Who is invited, and by whom. */
  invited: Map<number, number>
  banned: Set<number>
}
const verbs = [
  ...(['join', 'leave', 'approve', 'reject', 'withdraw', 'invite', 'accept', 'decline', 'revoke'] as const),
  ...(['remove', 'ban', 'unban', 'promote', 'demote', 'hand over', 'archive', 'restore', 'open', 'close'] as const),
]
type Step = { does: (typeof verbs)[number]; who: number; whom: number }

const someone = fc.nat(names.length - 1)
const step: fc.Arbitrary<Step> = fc.record({ does: fc.constantFrom(...verbs), who: someone, whom: someone })
const start = fc.record({
  policy: fc.constantFrom('open', 'request', 'invite') as fc.Arbitrary<Model['policy']>,
  private: fc.boolean(),
})

let groups = 0
async function newGroup({ policy, private: hidden }: { policy: string; private: boolean }): Promise<string> {
  groups += 1
  const [row] = await (lanes[0] as Sql).unsafe<{ id: string }[]>(
    `select api.create_group($2, p_visibility => $3, p_join_policy => $4) ->> 'id' as id from private.enter($1)`,
    [claims(0), `Group ${groups}`, hidden ? 'private' : 'public', policy],
  )
  return row?.id ?? ''
}
const clear = () => owner`delete from app.spaces`

/** The pending request or invitation of a person, or an unknown id. */
async function pending(table: 'space_requests' | 'space_invitations', group: string, whom: number): Promise<string> {
  const column = table === 'space_requests' ? 'user_id' : 'invitee_id'
  const [row] = await owner.unsafe<{ id: string }[]>(
    `select id from app.${table} where space_id = $1 and ${column} = $2 order by status = 'pending' desc, created_at desc limit 1`,
    [group, people[whom] ?? ''],
  )
  return row?.id ?? '00000000-0000-4000-8000-000000000000'
}

async function act(group: string, { does, who, whom }: Step): Promise<Answer> {
  const name = names[whom] ?? ''
  switch (does) {
    case 'join':
      return call(who, 'join_group', group)
    case 'leave':
      return call(who, 'leave_space', 'group', group)
    case 'approve':
      return call(who, 'settle_space_request', 'group', group, await pending('space_requests', group, whom), true)
    case 'reject':
      return call(who, 'settle_space_request', 'group', group, await pending('space_requests', group, whom), false)
    case 'withdraw':
      return call(who, 'withdraw_space_request', 'group', group, await pending('space_requests', group, who))
    case 'invite':
      return call(who, 'invite_to_group', group, name)
    case 'accept':
      return call(who, 'accept_group_invitation', await pending('space_invitations', group, who))
    case 'decline':
      return call(who, 'decline_group_invitation', await pending('space_invitations', group, who))
    case 'revoke':
      return call(who, 'revoke_group_invitation', group, await pending('space_invitations', group, whom))
    case 'remove':
      return call(who, 'remove_group_member', group, name)
    case 'ban':
      return call(who, 'remove_group_member', group, name, true)
    case 'unban':
      return call(who, 'lift_group_ban', group, name)
    case 'promote':
      return call(who, 'set_group_role', group, name, 'moderator')
    case 'demote':
      return call(who, 'set_group_role', group, name, 'member')
    case 'hand over':
      return call(who, 'set_group_role', group, name, 'owner')
    case 'archive':
      return call(who, 'archive_group', group)
    case 'restore':
      return call(who, 'restore_group', group)
    case 'open':
    case 'close':
      return say(who, `update_group($2, jsonb_build_object('joinPolicy', $3::text))`, [group, policyOf[does]])
  }
}

const policyOf = { open: 'open', close: 'invite' } as const
const mayInvite = ({ policy, roles }: Model, who: number) => {
  const role = roles.get(who)
  return role === 'owner' || role === 'moderator' || (policy === 'open' && role === 'member')
}

const sees = (model: Model, who: number) => !model.private || model.roles.has(who) || model.invited.has(who)

/**
 * Whether a step succeeds. A step that succeeds changes the model. An invitation ends when its inviter loses the right
 * to invite.
 */
function expected(model: Model, step: Step): boolean {
  const done = follows(model, step)
  for (const [whom, by] of model.invited) if (!mayInvite(model, by)) model.invited.delete(whom)
  return done
}

function follows(model: Model, { does, who, whom }: Step): boolean {
  const { roles, asked, invited, banned } = model
  const mine = roles.get(who)
  const theirs = roles.get(whom)
  const moderates = mine === 'owner' || mine === 'moderator'
  const letIn = (person: number) => {
    roles.set(person, 'member')
    asked.delete(person)
    invited.delete(person)
  }
  if (does === 'withdraw') return asked.delete(who)
  if (does === 'accept' || does === 'decline') {
    if (!invited.has(who) || (does === 'accept' && model.archived)) return false
    invited.delete(who)
    if (does === 'accept') letIn(who)
    return true
  }
  if (!sees(model, who)) return false
  switch (does) {
    case 'join':
      if (mine) return true
      if (model.archived || banned.has(who)) return false
      if (model.policy === 'open' || invited.has(who)) letIn(who)
      else if (model.policy === 'invite') return false
      else asked.add(who)
      return true
    case 'leave':
      if (mine === 'owner' && roles.size > 1) return false
      if (mine === 'owner') model.archived = true
      roles.delete(who)
      return true
    case 'approve':
      if (!moderates || !asked.has(whom) || model.archived) return false
      letIn(whom)
      return true
    case 'reject':
      return moderates && asked.delete(whom)
    case 'invite':
      if (!mayInvite(model, who) || model.archived) return false
      if (theirs || banned.has(whom) || invited.has(whom)) return false
      invited.set(whom, who)
      return true
    case 'revoke':
      return (moderates || invited.get(whom) === who) && invited.delete(whom)
    case 'remove':
    case 'ban':
      if (!moderates || theirs === 'owner' || theirs === mine || (does === 'remove' && !theirs)) return false
      roles.delete(whom)
      if (does === 'ban') {
        banned.add(whom)
        asked.delete(whom)
        invited.delete(whom)
      }
      return true
    case 'unban':
      if (!moderates) return false
      banned.delete(whom)
      return true
    case 'promote':
    case 'demote':
      if (mine !== 'owner' || !theirs || theirs === 'owner') return false
      roles.set(whom, does === 'promote' ? 'moderator' : 'member')
      return true
    case 'hand over':
      if (mine !== 'owner' || !theirs) return false
      if (who !== whom) roles.set(who, 'moderator').set(whom, 'owner')
      return true
    case 'archive':
    case 'restore':
      if (mine !== 'owner') return false
      model.archived = does === 'archive'
      return true
    case 'open':
    case 'close':
      if (mine !== 'owner') return false
      model.policy = policyOf[does]
      return true
  }
}

type Row = { who: string; role: Role }
async function look(group: string) {
  const members = await owner<Row[]>`
    select u.username as who, m.role from app.space_members m join app.users u on u.id = m.user_id where m.space_id = ${group}`
  const [space] = await owner<{ archived: boolean; count: number }[]>`
    select archived_at is not null as archived, member_count as count from app.spaces where id = ${group}`
  const [wrong] = await owner<{ count: number }[]>`
    select count(*)::int as count from app.space_members m
    where m.space_id = ${group} and (
      exists (select from app.space_bans b where b.space_id = m.space_id and b.user_id = m.user_id)
      or exists (select from app.space_requests r where r.space_id = m.space_id and r.user_id = m.user_id and r.status = 'pending')
      or exists (select from app.space_invitations i where i.space_id = m.space_id and i.invitee_id = m.user_id and i.status = 'pending'))`
  const [dead] = await owner<{ count: number }[]>`
    select count(*)::int as count from app.space_invitations i
    where i.space_id = ${group} and i.status = 'pending' and not private.may_invite(i.space_id, i.inviter_id)`
  return { members, archived: space?.archived, count: space?.count, wrong: (wrong?.count ?? 0) + (dead?.count ?? 0) }
}

const numRuns = runs(12, 200)

test('One by one, each step answers as the model does, and everybody sees what they should', async () => {
  await fc.assert(
    fc.asyncProperty(start, fc.array(step, { minLength: 12, maxLength: 40 }), async (begin, steps) => {
      await clear()
      const group = await newGroup(begin)
      const model: Model = {
        ...begin,
        archived: false,
        roles: new Map([[0, 'owner']]),
        asked: new Set(),
        invited: new Map(),
        banned: new Set(),
      }
      for (const one of steps) {
        const done = expected(model, one)
        const { code } = await act(group, one)
        expect([one, code === null, code], `${names[one.who]} ${one.does} ${names[one.whom]}`).toEqual([
          one,
          done,
          code,
        ])
      }
      const found = await look(group)
      const roles = [...model.roles].map(([who, role]) => ({ who: names[who], role }))
      expect(new Set(found.members.map((row) => `${row.who} ${row.role}`))).toEqual(
        new Set(roles.map((row) => `${row.who} ${row.role}`)),
      )
      expect(found).toMatchObject({ archived: model.archived, count: roles.length, wrong: 0 })
      for (const who of names.keys()) {
        const { code, body } = await call(who, 'get_space', 'group', group)
        expect(code).toBe(sees(model, who) ? null : 'space_unknown')
        if (!body) continue
        const status = model.roles.has(who)
          ? 'member'
          : model.banned.has(who)
            ? 'banned'
            : model.invited.has(who)
              ? 'invited'
              : model.asked.has(who)
                ? 'pending'
                : 'none'
        expect(body.viewer).toMatchObject({ role: model.roles.get(who) ?? null, status })
        expect(body.memberCount).toBe(model.roles.size)
      }
    }),
    { numRuns },
  )
})

test('All at once, every group stays consistent, and nobody gets a deadlock', async () => {
  await fc.assert(
    fc.asyncProperty(start, fc.array(step, { minLength: 16, maxLength: 32 }), async (begin, steps) => {
      await clear()
      const group = await newGroup({ ...begin, private: false })
      const answers = await Promise.all(steps.map((one) => act(group, one)))
      for (const { code } of answers) expect(code ?? '').toMatch(/^[a-z_]*$/)
      const { members, archived, count, wrong } = await look(group)
      expect(new Set(members.map(({ who }) => who)).size).toBe(members.length)
      expect(count).toBe(members.length)
      expect(wrong).toBe(0)
      const owners = members.filter(({ role }) => role === 'owner').length
      expect(owners).toBe(archived && members.length === 0 ? 0 : 1)
    }),
    { numRuns },
  )
})

const guildVerbs = ['join', 'leave', 'approve', 'reject', 'withdraw', 'hand over'] as const
const guildStep: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom(...guildVerbs),
  who: someone,
  whom: someone,
})
const asked: Model['policy'] = 'request'

/** A guild, whose founder is an admin at that moment. */
async function newGuild(): Promise<string> {
  groups += 1
  const founder = people[0] ?? ''
  await owner`update app.users set role = 'admin' where id = ${founder}`
  const [row] = await (lanes[0] as Sql).unsafe<{ id: string }[]>(
    `select api.create_guild($2, i.id) ->> 'id' as id from private.enter($1)
     cross join (select id from app.interests order by id limit 1) i`,
    [JSON.stringify({ ...JSON.parse(claims(0)), role: 'admin' }), `Guild ${groups}`],
  )
  await owner`update app.users set role = 'user' where id = ${founder}`
  return row?.id ?? ''
}

async function actInGuild(guild: string, { does, who, whom }: Step): Promise<Answer> {
  const request = (of: number) => pending('space_requests', guild, of)
  switch (does) {
    case 'join':
      return call(who, 'apply_to_guild', guild)
    case 'approve':
    case 'reject':
      return call(who, 'settle_space_request', 'guild', guild, await request(whom), does === 'approve')
    case 'withdraw':
      return call(who, 'withdraw_space_request', 'guild', guild, await request(who))
    case 'hand over':
      return call(who, 'hand_over_guild', guild, names[whom] ?? '', 'founder')
    default:
      return call(who, 'leave_space', 'guild', guild)
  }
}

test('Guilds follow the same model, and keep one founder after concurrent steps', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(guildStep, { minLength: 12, maxLength: 40 }), async (steps) => {
      await clear()
      const guild = await newGuild()
      const model: Model = {
        ...{ policy: asked, private: false, archived: false, roles: new Map([[0, 'owner']]) },
        ...{ asked: new Set(), invited: new Map(), banned: new Set() },
      }
      for (const one of steps) {
        // A member, or a person who has applied, can't apply again
        const done =
          (one.does !== 'join' || !(model.roles.has(one.who) || model.asked.has(one.who))) && expected(model, one)
        const { code } = await actInGuild(guild, one)
        expect([one, code === null, code]).toEqual([one, done, code])
      }
      const found = await look(guild)
      const roles = [...model.roles].map(([who, role]) => `${names[who]} ${role}`)
      expect(found.members.map((row) => `${row.who} ${row.role}`).sort()).toEqual(roles.sort())
      expect(found).toMatchObject({ archived: model.archived, count: roles.length, wrong: 0 })

      const other = await newGuild()
      const answers = await Promise.all(steps.map((one) => actInGuild(other, one)))
      for (const { code } of answers) expect(code ?? '').toMatch(/^[a-z_]*$/)
      const { members, archived, count, wrong } = await look(other)
      expect([count, wrong]).toEqual([members.length, 0])
      const founders = members.filter(({ role }) => role === 'owner').length
      expect(founders).toBe(archived && members.length === 0 ? 0 : 1)
    }),
    { numRuns },
  )
})
