// The audience table under concurrency: steps that change the relation of two people run two at a time and all at once.
// Afterwards the table equals a full rebuild, and nobody gets a deadlock.
import type { Sql } from 'postgres'
import { describe, expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import type { Person } from '../support/person.ts'
import { runs } from '../support/runs.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

/** Ann's circles, named after what happens to them. Ben and Cyd are members of each, or become members. */
type Scene = { ann: string; ben: string; circles: Record<string, string>; invitation: string }
type Step = { text: string; values: (scene: Scene) => (string | undefined)[]; by?: 'ann' | 'ben' }
type Steps = Record<string, Step>

const operations: Steps = {
  accept: { by: 'ben', text: 'select api.accept_invitation($1)', values: ({ invitation }) => [invitation] },
  add: { by: 'ann', text: `select api.add_circle_member($1, 'ben')`, values: ({ circles }) => [circles.add] },
  invite: { by: 'ann', text: `select api.invite_to_circle($1, 'ben')`, values: ({ circles }) => [circles.add] },
  leave: { by: 'ben', text: `select api.remove_circle_member($1, 'ben')`, values: ({ circles }) => [circles.leave] },
  remove: { by: 'ann', text: `select api.remove_circle_member($1, 'ben')`, values: ({ circles }) => [circles.remove] },
  closer: {
    by: 'ann',
    text: `select api.set_bond_level($1, 'ben', 'inner-circle')`,
    values: ({ circles }) => [circles.closer],
  },
  looser: {
    by: 'ann',
    text: `select api.set_bond_level($1, 'ben', 'acquaintance')`,
    values: ({ circles }) => [circles.looser],
  },
  delete: { by: 'ann', text: 'select api.delete_circle($1)', values: ({ circles }) => [circles.delete] },
  desert: { by: 'ben', text: `select api.remove_circle_member($1, 'ben')`, values: ({ circles }) => [circles.delete] },
  block: { by: 'ann', text: `select api.block_person('ben')`, values: () => [] },
  'block back': { by: 'ben', text: `select api.block_person('ann')`, values: () => [] },
  unblock: { by: 'ann', text: `select api.unblock_person('ben')`, values: () => [] },
}

// Direct statements by the owner of the tables, as a later feature's definer functions would send them: only the
// triggers act here.
const byHand: Steps = {
  join: {
    text: 'insert into app.circle_members (owner_id, member_id, circle_id) values ($1, $2, $3) on conflict do nothing',
    values: ({ ann, ben, circles }) => [ann, ben, circles.add],
  },
  leave: { text: 'delete from app.circle_members where circle_id = $1', values: ({ circles }) => [circles.leave] },
  remove: { text: 'delete from app.circle_members where circle_id = $1', values: ({ circles }) => [circles.remove] },
  closer: {
    text: `update app.circle_members set bond_level = 'inner-circle' where circle_id = $1`,
    values: ({ circles }) => [circles.closer],
  },
  looser: {
    text: `update app.circle_members set bond_level = 'acquaintance' where circle_id = $1`,
    values: ({ circles }) => [circles.looser],
  },
  delete: { text: 'delete from app.circles where id = $1', values: ({ circles }) => [circles.delete] },
  block: {
    text: 'insert into app.blocks (blocker_id, blocked_id) values ($1, $2) on conflict do nothing',
    values: ({ ann, ben }) => [ann, ben],
  },
  'block back': {
    text: 'insert into app.blocks (blocker_id, blocked_id) values ($1, $2) on conflict do nothing',
    values: ({ ann, ben }) => [ben, ann],
  },
  unblock: { text: 'delete from app.blocks where blocker_id = $1', values: ({ ann }) => [ann] },
}

async function findPeople(owner: Sql): Promise<{ ann: string; ben: string }> {
  const [row] = await owner<{ ann: string; ben: string }[]>`
    select (select id from app.users where username = 'ann') as ann, (select id from app.users where username = 'ben') as ben`
  if (!row) throw new Error('nobody is there')
  return row
}

/**
 * Restores the state in which these steps start. People are only in the circles that the steps are about, because
 * another circle would keep their level whatever the steps do.
 */
async function setScene(owner: Sql, blocked: boolean, steps: string[]): Promise<Scene> {
  const about = steps.map((name) => (name === 'desert' ? 'delete' : name))
  const { ann, ben } = await findPeople(owner)
  return owner.begin(async (sql) => {
    await sql`delete from app.circles`
    await sql`delete from app.blocks`
    const rows = await sql<{ id: string; name: string }[]>`
      insert into app.circles (owner_id, name) select ${ann}, n
      from unnest(${['accept', 'add', 'leave', 'remove', 'closer', 'looser', 'delete']}::text[]) n returning id, name`
    const circles = Object.fromEntries(rows.map(({ id, name }) => [name, id]))
    await sql`
      insert into app.circle_members (circle_id, owner_id, member_id, bond_level)
      select c.id, c.owner_id, u.id, case when c.name in ('remove', 'looser', 'delete') then 'inner-circle' else 'acquaintance' end
      from app.circles c, app.users u where c.name = any (${about}::text[]) and c.name not in ('accept', 'add') and u.username in ('ben', 'cyd')`
    const [invitation] = await sql<{ id: string }[]>`
      insert into app.circle_invitations (circle_id, inviter_id, invitee_id, bond_level)
      values (${circles.accept ?? ''}, ${ann}, ${ben}, 'inner-circle') returning id`
    if (blocked) await sql`insert into app.blocks (blocker_id, blocked_id) values (${ann}, ${ben})`
    return { ann, ben, circles, invitation: invitation?.id ?? '' }
  })
}

/** The differences between the table and a rebuild of it, and rows that a block should have ended. */
async function faults(owner: Sql): Promise<string[]> {
  const rows = await owner<{ fault: string }[]>`
    select 'kept ' || a as fault
    from (table app.audience except select viewer_id, author_id, level from private.audience_rebuilt) a
    union all
    select 'missing ' || a
    from (select viewer_id, author_id, level from private.audience_rebuilt except table app.audience) a
    union all
    select 'pending across a block ' || i.id
    from app.circle_invitations i join app.blocks b on i.invitee_id in (b.blocker_id, b.blocked_id)
    where i.status = 'pending' and i.inviter_id in (b.blocker_id, b.blocked_id)`
  return rows.map(({ fault }) => fault)
}

/**
 * Runs two steps in two transactions: the first one is done and holds its locks, then the second one starts, then both
 * commit.
 */
async function race(owner: Sql, pool: Sql, scene: Scene, [first, second]: [Step, Step]): Promise<{ waited: boolean }> {
  const [one, two] = [await pool.reserve(), await pool.reserve()]
  const run = async (sql: typeof one, { by, text, values }: Step) => {
    const now = Math.floor(Date.now() / 1000)
    const claims = by && JSON.stringify({ sub: scene[by], role: 'user', iat: now, exp: now + 900 })
    await sql`begin`
    if (claims) await sql`select private.enter(${claims}::text)`
    await sql.unsafe(
      text,
      values(scene).map((value) => value ?? null),
    )
  }
  const end = (sql: typeof one) => sql`commit` // a failed transaction is rolled back
  try {
    const [{ pid } = { pid: 0 }] = await two<{ pid: number }[]>`select pg_backend_pid() as pid`
    await run(one, first).catch(expectError)
    let done = false
    const running = run(two, second)
      .catch(expectError)
      .finally(() => {
        done = true
      })
    const waits = async () => {
      const [row] = await owner`select wait_event_type as event from pg_stat_activity where pid = ${pid}`
      return row?.event === 'Lock'
    }
    const state = await until(async () => (done ? 'done' : (await waits()) && 'waits'), { every: 1 })
    await end(one)
    await running
    await end(two)
    return { waited: state === 'waits' }
  } finally {
    await Promise.all([one`rollback`, two`rollback`]) // nothing to roll back, unless something went wrong above
    one.release()
    two.release()
  }
}

/** A step may be refused because another step came first. Any other error is a failure. */
function expectError(error: unknown) {
  const { code, constraint_name: rule } = error as { code?: string; constraint_name?: string }
  if (!/^PT4/.test(code ?? '') && rule !== 'invitation_pending') throw error
}

/** Races every step against every other, in both orders, or alternating between the orders. */
async function raceAll(owner: Sql, pool: Sql, steps: Steps, blocked: boolean, both = true) {
  const wrong: string[] = []
  let overlapped = 0
  for (const [row, [name, first]] of Object.entries(steps).entries()) {
    for (const [column, [other, second]] of Object.entries(steps).entries()) {
      if (!both && (row + column) % 2 === Number(row < column)) continue
      const scene = await setScene(owner, blocked, [name, other])
      const { waited } = await race(owner, pool, scene, [first, second])
      if (waited) overlapped++
      const found = await faults(owner)
      if (found.length > 0) wrong.push(`${name}, then ${other}: ${found}`)
    }
  }
  return { wrong, overlapped }
}

async function databaseOfThree() {
  const database = await createDatabase()
  for (const name of ['ann', 'ben', 'cyd']) {
    await database.owner`
      select private.create_person(${`${name}@example.org`}, 'no hash', ${name}, '例', '1990-01-31', 'DE', 'Berlin')`
  }
  return { owner: database.owner, user: database.connect('kith_user') }
}

describe('Two concurrent steps leave the audience as a rebuild gives it:', async () => {
  const { owner, user } = await databaseOfThree()

  test.each([
    ['operations', operations, false, 80],
    ['operations during a block', operations, true, 2],
    ['direct statements', byHand, false, 60],
    ['direct statements during a block', byHand, true, 25],
  ] as const)('%s', async (_what, steps, blocked, least) => {
    const both = runs(!blocked, true)
    const { wrong, overlapped } = await raceAll(owner, steps === byHand ? owner : user, steps, blocked, both)
    expect(wrong).toEqual([])
    expect(overlapped).toBeGreaterThanOrEqual(least) // the second step met a lock of the first
  })
})

test('Without the pair locks the same races leave a wrong audience', async () => {
  const { owner } = await databaseOfThree()
  await owner`create or replace function private.lock_pairs(p_ones uuid[], p_others uuid[]) returns void language sql as 'select'`
  const { leave, remove, block, unblock } = byHand as Record<string, Step>
  const { wrong } = await raceAll(owner, owner, { leave, remove, block, unblock } as Steps, false)
  expect(wrong.map((line) => line.replace(/:.*/, ''))).toEqual(
    expect.arrayContaining(['leave, then remove', 'block, then leave']),
  )
})

describe('Requests over HTTP leave the audience as a rebuild gives it:', async () => {
  const { ann, ben, cyd, database } = await world({ people: ['ann', 'ben', 'cyd'], env: { POOL_USER: '4' } })
  const { owner } = database
  const requests: Record<string, (scene: Scene) => ReturnType<Person['request']>> = {
    accept: ({ invitation }) => ben.post(`/circles/invitations/${invitation}/accept`),
    invite: ({ circles }) => ann.post(`/circles/${circles.add}/invite`, { inviteeId: 'ben' }),
    revoke: ({ circles, invitation }) => ann.delete(`/circles/me/${circles.accept}/invitations/${invitation}`),
    add: ({ circles }) => ann.post(`/circles/me/${circles.add}/members`, { memberId: 'ben' }),
    leave: ({ circles }) => ben.delete(`/circles/me/${circles.leave}/members/ben`),
    remove: ({ circles }) => ann.delete(`/circles/me/${circles.remove}/members/ben`),
    closer: ({ circles }) => ann.patch(`/circles/me/${circles.closer}/members/ben`, { bondLevel: 'inner-circle' }),
    looser: ({ circles }) => ann.patch(`/circles/me/${circles.looser}/members/ben`, { bondLevel: 'acquaintance' }),
    delete: ({ circles }) => ann.delete(`/circles/me/${circles.delete}`),
    desert: ({ circles }) => ben.delete(`/circles/me/${circles.delete}/members/ben`),
    block: () => ann.post('/users/ben/block'),
    'block back': () => ben.post('/users/ann/block'),
    unblock: () => ann.delete('/users/ben/block'),
  }
  const more: typeof requests = {
    'desert too': ({ circles }) => cyd.delete(`/circles/me/${circles.delete}/members/cyd`),
    'let in the deleted': ({ circles }) => ann.post(`/circles/me/${circles.delete}/members`, { memberId: 'cyd' }),
    'delete the joined': ({ circles }) => ann.delete(`/circles/me/${circles.accept}`),
    'block another': () => cyd.post('/users/ann/block'),
  }

  /** Sends all requests at once. Each may be refused because another came first, but there is no deadlock. */
  async function expectTrueAfter(blocked: boolean, sent: typeof requests) {
    const scene = await setScene(owner, blocked, Object.keys(sent))
    const answers = await Promise.all(Object.values(sent).map((send) => send(scene)))
    const names = Object.keys(sent)
    expect(answers.map(({ status, text }, at) => (status < 500 ? 'fine' : `${names[at]}: ${text}`))).toEqual(
      names.map(() => 'fine'),
    )
    expect(await faults(owner), names.join(', ')).toEqual([])
  }

  test.each([false, true])('any two at once, with a block before: %o', async (blocked) => {
    const all = Object.entries(requests)
    for (const one of all) {
      for (const other of all.filter(([name]) => name > one[0])) {
        await expectTrueAfter(blocked, Object.fromEntries(Math.random() < 0.5 ? [one, other] : [other, one]))
      }
    }
  })

  test('all at once, repeatedly', async () => {
    for (let round = 0; round < runs(16, 200); round++) {
      const all = Object.entries({ ...requests, ...more }).sort(() => Math.random() - 0.5)
      await expectTrueAfter(round % 4 === 0, Object.fromEntries(all))
    }
    const [row] = await owner`select deadlocks::int from pg_stat_database where datname = current_database()`
    expect(row).toEqual({ deadlocks: 0 })
  })
})
