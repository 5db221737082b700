// A case with more reports than one transaction settles: the worker settles the rest soon after the case is closed.
import { expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { startWorker } from '../../api-facade/worker/worker.ts'
import { applyEffects } from '../support/database.ts'
import { publish } from '../support/posts.ts'
import { environment } from '../support/settings.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const REPORTERS = 1100
const { alice, admin, database } = await world({ people: ['alice'] })
const { owner } = database
await owner`
  insert into app.users (username, first_name, last_name)
  select 'reporter_' || n, 'R', 'R' from generate_series(1, ${REPORTERS}::int) n`

/** A post that all of them have reported, and its case. */
async function reported() {
  const post = await publish(alice)
  await owner`
    insert into app.reports (reporter_id, target_type, target_id, reason)
    select id, 'post', ${post}::uuid, 'Rude' from app.users where username like 'reporter\\_%'`
  const [{ id } = { id: '' }] = await owner<{ id: string }[]>`select id from app.cases where target_id = ${post}::uuid`
  return { post, id }
}
const act = (id: string, actions: string[]) => admin.post<object>(`/admin/cases/${id}/actions`, { actions })
async function reportsOf(post: string) {
  const rows = await owner<{ status: string; count: number }[]>`
    select status, count(*)::int as count from app.reports where target_id = ${post}::uuid group by status`
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}
/** How many of the reporters of a post were notified, and how often. */
async function notices(post: string) {
  await applyEffects(owner)
  const [row] = await owner<{ notices: number; people: number }[]>`
    select count(*)::int as notices, count(distinct n.user_id)::int as people
    from app.notifications n join app.reports r on r.reporter_id = n.user_id and n.target_id = r.id::text
    where n.kind = 'moderation.actioned' and n.target_type = 'report' and r.target_id = ${post}::uuid`
  return row
}

test('The worker settles the other reports of a closed case, and each reporter is notified once', async () => {
  const [hidden, dismissed] = [await reported(), await reported()]
  expect(await act(hidden.id, ['hide'])).toMatchObject({
    status: 200,
    body: { status: 'closed', reportCount: REPORTERS },
  })
  expect(await act(dismissed.id, ['dismiss'])).toMatchObject({ status: 200, body: { outcome: 'dismissed' } })
  expect(await reportsOf(hidden.post)).toEqual({ reviewed: 500, open: REPORTERS - 500 })
  expect(await reportsOf(dismissed.post)).toEqual({ dismissed: 500, open: REPORTERS - 500 })
  expect(await notices(hidden.post)).toEqual({ notices: 500, people: 500 })

  const config = readConfig(environment(database.url))
  const worker = await startWorker({ config, databaseUrl: database.url, pollSeconds: 0.1 })
  try {
    await until(async () => (await reportsOf(hidden.post)).reviewed === REPORTERS)
    await until(async () => (await reportsOf(dismissed.post)).dismissed === REPORTERS)
    // a second job finds nothing
    await owner`select private.enqueue('settled-reports', ${owner.json({ caseId: hidden.id })}::json)`
    await until(async () => {
      const done = await owner`select from pgboss.job where name = 'settled-reports' and state = 'completed'`
      const left = await owner`
        select from pgboss.job where name = 'settled-reports' and state in ('created', 'retry', 'active')`
      return done.length >= 3 && left.length === 0
    })
  } finally {
    await worker.stop()
  }
  for (const { post } of [hidden, dismissed])
    expect(await notices(post)).toEqual({ notices: REPORTERS, people: REPORTERS })
  const [closer] = await owner<{ people: number; closers: string[] }[]>`
    select count(*)::int as people, array_agg(distinct reviewed_by) as closers from app.reports where status <> 'open'`
  expect(closer).toEqual({ people: 2 * REPORTERS, closers: [admin.id] })
})
