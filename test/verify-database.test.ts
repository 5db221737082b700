// supabase/embedded/verify.ts: it finds no fault in a database that people have used, and finds each broken rule.
import { expect, test } from 'vitest'
import { check, verify } from '../supabase/embedded/verify.ts'
import { createDatabase } from './support/database.ts'
import { world } from './support/world.ts'

const { admin, alice, bob, carla, database } = await world()
const { superuser } = database
type Made = { id: string }
const [interest] = await database.owner<Made[]>`select id from app.interests where slug = 'applied-ethics'`
const { body: post } = await alice.post<Made>('/posts', { body: 'Here', interestId: interest?.id })
await bob.post(`/posts/${post.id}/replies`, { body: 'moreover '.repeat(20), kind: 'contribution' })
await bob.post(`/posts/${post.id}/react`, { kind: 'heart' })
await carla.post(`/posts/${post.id}/bookmark`)
await carla.post(`/posts/${post.id}/repost`)
await bob.post('/economy/pay', { postId: post.id, emotion: 'joy', tier: 0 })
await carla.post('/users/bob/block')
await admin.post(`/admin/posts/${post.id}/hide`, { reason: 'Because.' })
await database.owner`select private.apply_effects()`

test('A database that people have used breaks no rule, and its rows are counted', async () => {
  const { violations, rows } = await verify(database.owner)
  expect(violations).toEqual([])
  const [counted] = await database.owner`select count(*)::int as users from app.users`
  expect(rows['app.users']).toBe(counted?.users)
  for (const table of ['post_counters', 'reactions', 'replies', 'bookmarks', 'payments', 'audit_log', 'audience'])
    expect(rows[`app.${table}`], table).toBeGreaterThan(0)
  for (const table of ['reputation', 'contribution_scores']) expect(rows[`app.${table}`], table).toBeGreaterThan(0)
})

test.each([
  ['the books of mana balance', 'update app.wallets set balance = balance + 1, lifetime_earned = lifetime_earned + 1'],
  ['the audience is the same as after a rebuild', 'delete from app.audience where level < 0'],
  ['reputation is the sum of its ledger', 'update app.reputation set value = value + 1'],
  ['reputation by kind is the sum of its ledger', 'delete from app.reputation_kinds'],
  ['contribution is the sum of its ledger', 'update app.contribution_scores set score = score - 1'],
  ['the counters of posts are the counts of their rows', 'update app.post_counters set replies = replies + 1'],
  ['the audit log is a chain', "update app.audit_log set action = 'post.shown'"],
  ['the audit log is a chain', 'delete from app.audit_log'],
  ['the audit log is a chain', `update app.audit_details set detail = '{"reason": "Not at all."}'`],
])('The verification finds this rule broken: %s, after: %s', async (rule, change) => {
  await superuser.begin(async (sql) => {
    await sql`set local session_replication_role = replica` // no trigger refuses the change
    await sql.unsafe(change)
    const { violations } = await check(sql)
    expect(violations.map((found) => found.rule)).toEqual([rule])
    expect(violations[0]?.count).toBeGreaterThan(0)
    await sql.unsafe('rollback; begin')
  })
})

test('Another database is refused', async () => {
  const { owner } = await createDatabase()
  await owner`drop function private.verify_audit`
  await expect(verify(owner)).rejects.toThrow('The database is not one of Kith.')
})
