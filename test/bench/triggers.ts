// The cost of keeping the audience: the same membership and block with and without its triggers.
import type { Sql } from 'postgres'
import { person } from './case.ts'

const RUNS = 400

/** Milliseconds for one write, with the audience's triggers and without them. */
export type Cost = { name: string; kept: number; unkept: number }

async function timed(sql: Sql, table: string, insert: string, remove: string): Promise<number> {
  const start = performance.now()
  for (let n = 0; n < RUNS; n++) {
    const pair = [person(20 + n), person(5020 + n)]
    await sql.unsafe(insert, pair, { prepare: true })
    await sql.unsafe(remove, pair, { prepare: true })
  }
  await sql.unsafe(`analyze ${table}`)
  return (performance.now() - start) / RUNS / 2
}

const writes = [
  {
    name: 'membership',
    table: 'app.circle_members',
    triggers: ['audience_added', 'audience_removed'],
    insert: `insert into app.circle_members (circle_id, owner_id, member_id)
             select id, owner_id, $2::uuid from app.circles where owner_id = $1::uuid and name = 'Empty'`,
    remove: `delete from app.circle_members where owner_id = $1::uuid and member_id = $2::uuid
             and circle_id in (select id from app.circles where owner_id = $1::uuid and name = 'Empty')`,
  },
  {
    name: 'block',
    table: 'app.blocks',
    triggers: ['_100_audience_blocked', '_100_audience_unblocked'],
    insert: 'insert into app.blocks (blocker_id, blocked_id) values ($1::uuid, $2::uuid) on conflict do nothing',
    remove: 'delete from app.blocks where blocker_id = $1::uuid and blocked_id = $2::uuid',
  },
]

/** @param sql a connection of the owner. At the end the triggers are enabled. */
export async function triggerCosts(sql: Sql): Promise<Cost[]> {
  const costs: Cost[] = []
  // Circles with room, because those of the data have more members than a circle may have
  await sql`insert into app.circles (owner_id, kind, name)
            select bench.person(n), 'work', 'Empty' from generate_series(20, ${20 + RUNS}::int) n`
  for (const { name, table, triggers, insert, remove } of writes) {
    const turn = async (state: 'enable' | 'disable') => {
      for (const trigger of triggers) await sql.unsafe(`alter table ${table} ${state} trigger ${trigger}`)
    }
    await timed(sql, table, insert, remove) // the first run only fills the caches
    await turn('disable')
    const unkept = await timed(sql, table, insert, remove)
    await turn('enable')
    costs.push({ name, unkept, kept: await timed(sql, table, insert, remove) })
  }
  return costs
}
