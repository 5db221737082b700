// Reports of what is in a group or guild over HTTP. For the single rules see test/db/moderation/space_reports.sql.
import { describe, expect, test } from 'vitest'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish, reply } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, nobody, database, join } = await world()
const { owner } = database
const [mona, finn] = (await join('mona', 'finn')) as [Person, Person]
await owner`update app.users set role = 'moderator' where username = 'mona'`
const staff = await mona.login()
await owner`update app.users set role = 'admin' where username = 'alice'`
const founder = await alice.login()

type Case = { id: string; targetId: string; status: string; reports: { reason: string }[] }
const [interest] = await owner<{ id: string }[]>`select id from app.interests where level = 3 order by slug limit 1`
const list = async (person: Person, path: string) => (await person.get<Page<Case>>(path)).body.items
const queue = async (more = '') =>
  (await list(staff, `/admin/cases?status=open&limit=50${more}`)).map(({ targetId }) => targetId)
/** What the list of reports contains, by default without the reports that still belong to a space. */
const reports = async (more = '') =>
  (await list(staff, `/admin/reports?status=open&limit=50${more}`)).map(({ targetId }) => targetId)
const report = async (targetId: string, more: object = {}) =>
  expect(await carla.post('/reports', { targetType: 'post', targetId, reason: 'Rude', ...more })).toMatchObject({
    status: 201,
  })

/** A group or guild of alice with bob and carla in it: its path, and the field by which a post names it. */
async function space(kind: 'groups' | 'guilds') {
  const made = await founder.post<{ id: string }>(`/${kind}`, {
    ...{ name: 'Club', interestId: interest?.id, ...(kind === 'guilds' ? { charter: 'Be kind', minRep: 0 } : {}) },
  })
  expect(made).toMatchObject({ status: 201 })
  for (const { id } of [bob, carla])
    await owner`insert into app.space_members (space_id, user_id, made_at) values (${made.body.id}, ${id}, now())`
  const post = () => publish(bob, { [kind === 'groups' ? 'groupId' : 'guildId']: made.body.id })
  return { id: made.body.id, path: `/${kind}/${made.body.id}/reports`, post }
}

describe.each(['groups', 'guilds'] as const)('A thing that is reported in %s', (kind) => {
  test('can be listed and hidden by those who moderate it', async () => {
    const { path, post } = await space(kind)
    const target = await post()
    await report(target)
    const [one] = await list(founder, path)
    expect(one).toMatchObject({ targetId: target, reports: [{ reason: 'Rude' }] })
    expect(await queue()).not.toContain(target)
    expect(await queue('&waiting=true')).toContain(target)
    expect(await reports()).not.toContain(target)
    expect(await reports('&waiting=true')).toContain(target)
    expect(await reports(`&q=${target}`)).toEqual([])
    expect(await reports(`&q=${target}&waiting=true`)).toEqual([target])

    expect(await nobody.get(path)).toFailWith(401, 'token_missing')
    expect(await bob.get(path)).toFailWith(403, 'space_role')
    expect(await finn.get(path)).toFailWith(403, 'space_not_member')
    expect(await founder.get(`/${kind}/${UNKNOWN}/reports`)).toFailWith(404, 'space_unknown')
    expect((await founder.get(path)).text).not.toMatch(new RegExp(`carla|${carla.id}`))
    for (const action of ['hide', 'unhide', 'dismiss']) {
      const act = `${path}/${one?.id}/${action}`
      expect(await nobody.post(act)).toFailWith(401, 'token_missing')
      expect(await bob.post(act)).toFailWith(403, 'space_role')
      expect(await finn.post(act)).toFailWith(403, 'space_not_member')
      expect(await founder.post(`${path}/${UNKNOWN}/${action}`)).toFailWith(404, 'case_unknown')
      expect(await founder.post(`${path}/x/${action}`)).toFailWith(422, 'validation_failed')
    }
    expect(await founder.post(`${path}/${one?.id}/hide`, { reason: 'x'.repeat(1001) })).toFailWith(
      422,
      'validation_failed',
    )

    const hidden = await founder.post(`${path}/${one?.id}/hide`, { reason: 'Not here' })
    expect(hidden).toMatchObject({ status: 200, body: { hidden: true, status: 'closed', outcome: 'acted' } })
    expect(await carla.get(`/posts/${target}`)).toFailWith(404, 'post_unknown')
    expect(await list(founder, path)).toEqual([])
    const settled = await list(staff, '/admin/reports?status=reviewed&limit=50')
    expect(settled.map(({ targetId }) => targetId)).toContain(target)
    const { body: standing } = await bob.get<{ strikes: number; decisions: object[] }>('/me/standing')
    expect(standing.strikes).toBe(0)
    expect(standing.decisions[0]).toMatchObject({ action: 'hide', reason: 'Not here', appealable: true })
    expect((await carla.inbox('moderation.actioned'))[0]).toMatchObject({ actors: [], payload: { action: 'reviewed' } })
    expect((await staff.get(`/admin/cases/${one?.id}`)).text).toContain('"spaceId":')

    const shown = await founder.post(`${path}/${one?.id}/unhide`)
    expect(shown).toMatchObject({ status: 200, body: { hidden: false, status: 'closed' } })
    expect(await carla.get(`/posts/${target}`)).toMatchObject({ status: 200 })
  })

  test('can be dismissed before it goes to staff', async () => {
    const { path, post } = await space(kind)
    const [first, second] = [await post(), await post()]
    await report(first)
    await report(second)
    const cases = await list(founder, path)
    expect(cases.map(({ targetId }) => targetId)).toEqual([second, first])
    expect(await walk(founder, path, 1)).toEqual(cases.map(({ id }) => id))
    await owner`update app.cases set staff_from = now() where target_id = ${second}`
    expect(await queue()).toContain(second)
    const listed = await reports()
    expect(listed).toContain(second)
    expect(listed).not.toContain(first)
    expect(await founder.post(`${path}/${cases[0]?.id}/dismiss`)).toFailWith(409, 'case_with_staff')
    const dismissed = await founder.post(`${path}/${cases[1]?.id}/dismiss`)
    expect(dismissed).toMatchObject({ status: 200, body: { hidden: false, outcome: 'dismissed' } })
    expect(await founder.post(`${path}/${cases[1]?.id}/dismiss`)).toFailWith(409, 'case_closed')
  })
})

test('A reply in a group can be hidden, and staff can show it again', async () => {
  const { path, post } = await space('groups')
  const answer = await reply(bob, await post())
  await report(answer, { targetType: 'reply' })
  const [one] = await list(founder, path)
  expect(await founder.post(`${path}/${one?.id}/hide`)).toMatchObject({ status: 200, body: { hidden: true } })
  // staff hides the post too, in its own case, so that the group can't show it any more
  const opened = await staff.post<Case>('/admin/cases', { targetType: 'reply', targetId: answer })
  const acted = await staff.post(`/admin/cases/${opened.body.id}/actions`, { actions: ['hide'], reason: 'A threat' })
  expect(acted).toMatchObject({ status: 200, body: { status: 'closed' } })
  const standing = await bob.get<{ decisions: { targetId: string }[] }>('/me/standing')
  expect(standing.body.decisions.filter(({ targetId }) => targetId === answer)).toMatchObject([
    { reason: 'A threat', liftedAt: null },
    { reason: '', liftedAt: expect.any(String) },
  ])
  expect(await founder.post(`${path}/${one?.id}/unhide`)).toFailWith(409, 'hidden_by_staff')
  const undone = await staff.post(`/admin/cases/${one?.id}/actions`, { actions: ['unhide'] })
  expect(undone).toMatchObject({ status: 200 })
  expect(await admin.get(`/admin/cases/${one?.id}`)).toMatchObject({ body: { target: { hiddenAt: null } } })
})

test('An urgent report goes to staff immediately, and so do its case and the other reports in it', async () => {
  const { post } = await space('groups')
  const [urgent, both] = [await post(), await post()]
  await report(urgent, { category: 'minors' })
  await report(both)
  expect(await reports()).not.toContain(both)
  const second = { targetType: 'post', targetId: both, reason: 'A threat', category: 'violence' }
  expect(await founder.post('/reports', second)).toMatchObject({ status: 201 })
  expect(await queue()).toEqual(expect.arrayContaining([urgent, both]))
  const listed = await reports()
  expect(listed).toContain(urgent)
  expect(listed.filter((one) => one === both)).toHaveLength(2)
  expect(await reports('&waiting=true')).not.toContain(both)
})

test('A report of what an owner wrote goes to staff immediately, and the owner sees neither the case nor its reports', async () => {
  const { id, path, post } = await space('groups')
  await report(await post())
  const own = await publish(founder, { groupId: id })
  await report(own)
  expect(await queue()).toContain(own)
  expect(await reports()).toContain(own)
  expect((await founder.get(path)).text).not.toContain(own)
  expect(await walk(founder, path, 1)).toHaveLength(1)
  const [row] = await owner<{ id: string }[]>`select id from app.cases where target_id = ${own}`
  for (const action of ['hide', 'unhide', 'dismiss'])
    expect(await founder.post(`${path}/${row?.id}/${action}`)).toFailWith(404, 'case_unknown')
  const asked = await founder.get(`${path}?cursor=${row?.id}`)
  expect(asked).toFailWith(400, 'cursor_unknown')
})
