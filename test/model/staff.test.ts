// Work on cases and appeals while the staff changes: somebody is demoted or banned while they wait for the lock of a
// case, and two resolve the same appeal. The tests hold that lock.
import { expect, test } from 'vitest'
import { advisory, as, asModerator, asStaff, createRaces, row, type Someone, statement } from './races.ts'

const { admin, answer, found, join, owner, publish, run, runHeld } = await createRaces()
const [author, reporter, decider] = [await join(), await join(), await join()]
await owner`update app.users set role = 'moderator' where id = ${decider.id}`

async function newModerator(): Promise<Someone> {
  const one = await join()
  await owner`update app.users set role = 'moderator' where id = ${one.id}`
  return one
}

/** A post that was hidden in a case, and the author's pending appeal. */
async function appealed() {
  const post = await publish(author)
  const { id } = await answer(asModerator(decider, `create_case('post', $3)`, post))
  await answer(asModerator(decider, `act_on_case($3::uuid, '{hide}', 'Rude')`, id))
  const decision = await found('select id from app.decisions where case_id = $1', id)
  await answer(as(author, `appeal_decision($3::uuid, 'It was a quote')`, decision.id))
  const appeal = await found('select id from app.decision_appeals where decision_id = $1', decision.id)
  return { post, appeal: appeal.id, work: advisory(`case work ${id}`) }
}
const resolve = (who: Someone, appeal: string, verdict = 'overturn') =>
  asModerator(who, `resolve_decision_appeal($3::uuid, $4, 'Read again')`, appeal, verdict)
const state = (appeal: string, post: string) =>
  found<{ status: string; hidden: boolean; entries: number }>(
    `select a.status, p.hidden_at is not null as hidden,
            (select count(*)::int from app.audit_log l
             where l.target_id = a.decision_id::text and l.action like 'appeal.%') as entries
     from app.decision_appeals a, app.posts p where a.id = $1 and p.id = $2`,
    appeal,
    post,
  )

const ends = [
  ['demoted', `set_role($3, 'user')`],
  ['banned', `ban_person($3, 'Trouble')`],
  ['suspended', `ban_person($3, 'Trouble', now() + interval '1 day')`],
] as const

test.each(ends)('A member of staff who is %s while they resolve an appeal does not resolve it', async (_what, end) => {
  const moderator = await newModerator()
  const { post, appeal, work } = await appealed()
  const look = async () => expect(await run(asStaff(admin, end, moderator.username))).toBeNull()
  expect(await runHeld(work, [resolve(moderator, appeal)], { look })).toEqual(['token_revoked'])
  expect(await state(appeal, post)).toEqual({ status: 'pending', hidden: true, entries: 0 })
  expect(await run(resolve(await newModerator(), appeal))).toBeNull()
  expect(await state(appeal, post)).toEqual({ status: 'overturned', hidden: false, entries: 1 })
})

test.each(ends)('A member of staff who is %s while they work on a case changes nothing', async (_what, end) => {
  const post = await publish(author)
  const report = await answer(as(reporter, `report('post', $3, 'Rude')`, post))
  const { id } = await found('select case_id as id from app.case_reports where report_id = $1', report.id)
  const work: [string, string][] = [
    [`act_on_case($3::uuid, '{hide}', 'Rude')`, id],
    ['claim_case($3::uuid)', id],
    [`add_case_note($3::uuid, 'Seen')`, id],
    ['dismiss_report($3::uuid)', report.id],
  ]
  for (const [text, on] of work) {
    const moderator = await newModerator()
    const look = async () => expect(await run(asStaff(admin, end, moderator.username))).toBeNull()
    const met = await runHeld(advisory(`case work ${id}`), [asModerator(moderator, text, on)], { look })
    expect(met, text).toEqual(['token_revoked'])
  }
  const after = await found(
    `select c.status, c.claimed_by, p.hidden_at, r.status as report, array(
       select e.kind from app.case_events e where e.case_id = c.id) as history
     from app.cases c, app.posts p, app.reports r where c.id = $1 and p.id = $2 and r.id = $3`,
    id,
    post,
    report.id,
  )
  expect(after).toEqual({ status: 'open', claimed_by: null, hidden_at: null, report: 'open', history: ['opened'] })
})

test('A post that a rule hid stays hidden if a report comes while the last report is dismissed', async () => {
  const post = await publish(author)
  const { id: report } = await answer(as(reporter, `report('post', $3, 'Rude')`, post))
  await owner`update app.posts set hidden_at = now() where id = ${post}`
  await owner`insert into app.rule_hits (rule_id, target_type, target_id, author_id, mode, action, hid)
              values (gen_random_uuid(), 'post', ${post}, ${author.id}, 'live', 'hide', true)`
  const moderator = await newModerator()
  const case_ = row('app.cases', `target_id = '${post}'`)
  const dismiss = asModerator(moderator, 'dismiss_report($3::uuid)', report)
  // a person who saw the post before reports it
  const another = statement(
    `insert into app.reports (reporter_id, target_type, target_id, reason) values ($1, 'post', $2, 'Rude')`,
    (await join()).id,
    post,
  )
  expect(await runHeld(case_, [another, dismiss])).toEqual([null, null])
  const state = () =>
    found(
      'select c.status, p.hidden_at is not null as hidden from app.cases c, app.posts p where c.target_id = p.id and p.id = $1',
      post,
    )
  expect(await state()).toEqual({ status: 'open', hidden: true })
  const { id: last } = await found(`select id from app.reports where target_id = $1 and status = 'open'`, post)
  expect(await run(asModerator(moderator, 'dismiss_report($3::uuid)', last))).toBeNull()
  expect(await state()).toEqual({ status: 'closed', hidden: false })
})

test.each([
  ['overturn', 'uphold', { status: 'overturned', hidden: false, entries: 1 }],
  ['uphold', 'overturn', { status: 'upheld', hidden: true, entries: 1 }],
])('Of two who %s and %s the same appeal, the first resolves it', async (one, other, after) => {
  const [first, second] = [await newModerator(), await newModerator()]
  const { post, appeal, work } = await appealed()
  const met = await runHeld(work, [resolve(first, appeal, one), resolve(second, appeal, other)])
  expect(met).toEqual([null, 'appeal_resolved'])
  expect(await state(appeal, post)).toEqual(after)
})

test('The member of staff who made a decision resolves its appeal only if the last other moderator was demoted', async () => {
  const { post, appeal, work } = await appealed()
  await owner`update app.users set role = 'user' where role <> 'user' and id not in (${admin.id}, ${decider.id})`
  await owner`update app.accounts set last_seen_at = now() - interval '31 days' where user_id = ${admin.id}`
  const last = await newModerator()
  expect(await run(resolve(decider, appeal))).toBe('appeal_own_decision')
  const look = async () => expect(await run(asStaff(admin, `set_role($3, 'user')`, last.username))).toBeNull()
  expect(await runHeld(work, [resolve(decider, appeal)], { look })).toEqual([null])
  expect(await state(appeal, post)).toEqual({ status: 'overturned', hidden: false, entries: 1 })
})
