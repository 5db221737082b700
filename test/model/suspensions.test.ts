// Suspensions end once, and never before their time, even if a worker is killed while it ends a suspension. The tests
// kill its process (SIGKILL) at the tables that it writes, and an admin lifts other suspensions meanwhile.
import { expect, test } from 'vitest'
import { runs } from '../support/runs.ts'
import { until } from '../support/until.ts'
import { createWorkers } from '../support/workers.ts'
import { asStaff, createRaces, type Someone } from './races.ts'

const { admin, join, owner, run, database } = await createRaces()
const { start, killIn, secondsLater } = await createWorkers(database)

/** The tables that the end of a suspension writes, in this order. */
const tables = ['app.users', 'app.audit_log', 'app.audit_details', 'app.decisions']
/** The tables at which a worker is killed: the first and the last, but in the soak each table twelve times. */
const kills = runs(['app.users', 'app.decisions'], Array.from({ length: 12 }, () => tables).flat())

/** A person whose suspension by an admin ends in so many seconds. */
async function suspended(seconds: number): Promise<Someone> {
  const one = await join()
  expect(await run(asStaff(admin, `ban_person($3, 'Rest', now() + interval '1 day')`, one.username))).toBeNull()
  await owner`update app.users set banned_until = now() + make_interval(secs => ${seconds}) where id = ${one.id}`
  return one
}

/** How the suspension of somebody ended: by whom, how often, and whether its decision was lifted. */
async function endOf({ id }: Someone) {
  const [row] = await owner<{ banned: boolean; lifted: boolean; ends: string[] }[]>`
    select u.banned_at is not null as banned, d.lifted_at is not null as lifted,
           array(select coalesce(l.actor_id::text, 'the worker') from app.audit_log l
                 where l.action = 'user.unbanned' and l.target_id = u.id::text) as ends
    from app.users u join app.decisions d on d.person_id = u.id and d.action = 'suspend' where u.id = ${id}`
  return { ...row }
}
const over = (by: string) => ({ banned: false, lifted: true, ends: [by] })
const lasting = { banned: true, lifted: false, ends: [] }

test('The job looks for due suspensions every minute, and a killed worker is noticed within seconds', async () => {
  const [job] = await owner`
    select j.cron, j.repeats, q.heartbeat_seconds as heartbeat
    from private.jobs j join pgboss.queue q on q.name = j.name where j.name = 'end-suspensions'`
  expect({ ...job }).toEqual({ cron: '* * * * *', repeats: true, heartbeat: 10 })
})

test.each(kills)(
  'If a worker is killed while it writes to %s, each due suspension ends once, and no other ends early',
  async (table) => {
    const due = [await suspended(-3), await suspended(-2), await suspended(-1)]
    const [lifted, later] = [await suspended(3600), await suspended(3600)]
    await owner`select private.enqueue('end-suspensions', '{}')`
    await killIn(table)
    for (const one of due) expect(await endOf(one)).toEqual(lasting) // the worker was killed before its first commit
    expect(await run(asStaff(admin, 'unban_person($3)', lifted.username))).toBeNull()

    const next = await start()
    await next.send('end-suspensions') // the queue rejects this job until it notices that the killed worker is gone
    expect(await secondsLater()).toContainEqual({ name: 'end-suspensions' })
    await until(async () => (await Promise.all(due.map(endOf))).every(({ banned }) => banned === false))
    await next.stop()
    for (const one of due) expect(await endOf(one)).toEqual(over('the worker'))
    expect(await endOf(lifted)).toEqual(over(admin.id))
    expect(await endOf(later)).toEqual(lasting)
    await owner`select private.job_end_suspensions()`
    for (const one of due) expect(await endOf(one)).toEqual(over('the worker'))
  },
  60_000,
)
