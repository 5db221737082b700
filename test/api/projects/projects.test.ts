// Projects over HTTP. For sequences of steps see test/model/projects.test.ts, for permissions and visibility
// test/db/projects.
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, database, join } = await world()
const { owner } = database
const [dora, erin] = (await join('dora', 'erin')) as [Person, Person]

type Role = { id: string; name: string; slots: number; filled: number }
type Project = { id: string; roles: Role[]; memberCount: number; viewer: object; status: string }
type Application = { id: string; status: string; userId: string }
type Member = { userId: string; role: string | null }

const make = async (who: Person, more: object = {}) => {
  const made = await who.post<Project>('/projects', {
    title: 'Mosses',
    summary: 'A field guide.',
    roles: [{ name: 'Illustrator', slots: 2 }, { name: 'Writer of texts' }],
    ...more,
  })
  expect(made.status).toBe(201)
  return { ...made.body, drawing: made.body.roles[0]?.id ?? '', writing: made.body.roles[1]?.id ?? '' }
}
const apply = (who: Person, id: string, roleId: string) =>
  who.post<Application>(`/projects/${id}/applications`, { roleId, message: ' I would like to ' })
const decide = (id: string, aid: string, verb = 'approve') =>
  alice.post<Application>(`/projects/${id}/applications/${aid}/${verb}`)
const admit = async (who: Person, id: string, roleId: string) => {
  const { body } = await apply(who, id, roleId)
  expect(await decide(id, body.id)).toMatchObject({ status: 200, body: { status: 'approved', userId: who.actorId } })
}
const card = async (who: Person, id: string) => (await who.get<Project>(`/projects/${id}`)).body
const members = async (who: Person, id: string) =>
  (await who.get<Page<Member>>(`/projects/${id}/members`)).body.items.map(({ userId, role }) => [userId, role])
const places = async (id: string) => (await card(alice, id)).roles.map(({ filled }) => filled)

const mine = await make(alice)
const ended = await make(alice, { title: 'Done' })
await alice.put(`/projects/${ended.id}/status`, { status: 'completed' })

const routes: [string, string, object?][] = [
  ['GET', '/projects/ID'],
  ['PATCH', '/projects/ID', { title: 'Lichens' }],
  ['DELETE', '/projects/ID'],
  ['PUT', '/projects/ID/status', { status: 'active' }],
  ['POST', '/projects/ID/roles', { name: 'Editor' }],
  ['PATCH', '/projects/ID/roles/ROLE', { name: 'Editor' }],
  ['DELETE', '/projects/ID/roles/ROLE'],
  ['GET', '/projects/ID/applications'],
  ['POST', '/projects/ID/applications', { roleId: UNKNOWN }],
  ['POST', `/projects/ID/applications/${UNKNOWN}/approve`],
  ['POST', `/projects/ID/applications/${UNKNOWN}/reject`],
  ['POST', `/projects/ID/applications/${UNKNOWN}/withdraw`],
  ['GET', '/projects/ID/members'],
  ['DELETE', '/projects/ID/members/bob'],
  ['POST', '/projects/ID/leave'],
  ['GET', '/projects/ID/updates'],
  ['POST', '/projects/ID/updates', { body: 'News' }],
]
const forAuthors = (path: string) => !/ID$|withdraw|leave|updates$|members$/.test(path)
describe.each(routes)('%s %s', (method, path, body) => {
  const at = (id: string, role = UNKNOWN) => path.replace('ID', id).replace('ROLE', role)
  test('requires a token and an existing project', async () => {
    expect(await nobody.request(method, at(mine.id), body)).toFailWith(401, 'token_missing')
    const unknown = await bob.request(method, at(UNKNOWN), body)
    expect(unknown).toFailWith(404, path.includes('withdraw') ? 'project_application_unknown' : 'project_unknown')
    await dora.post('/users/alice/block')
    expect(await dora.request(method, at(mine.id), body)).toMatchObject({ status: 404, text: unknown.text })
    await dora.delete('/users/alice/block')
    expect(await bob.request(method, at('x'), body)).toFailWith(422, 'validation_failed')
  })
  test('requires the author if it changes or decides something', async () => {
    if (
      method === 'GET'
        ? !path.endsWith('applications')
        : !forAuthors(path) && !/^(PATCH|DELETE|POST.*updates)/.test(`${method} ${path}`)
    )
      return
    if (method === 'POST' && path.endsWith('/applications')) return
    expect(await bob.request(method, at(mine.id, mine.drawing), body)).toFailWith(403, 'content_not_yours')
  })
})

test.each([
  [{}, 'validation_failed'],
  [{ title: 'x', summary: '' }, 'content_body'],
  [{ title: ' ', summary: 'x' }, 'content_title'],
  [{ title: 'x', summary: 'x', roles: [{ name: '' }] }, 'project_role_name'],
  [{ title: 'x', summary: 'x', roles: [{ name: 'a\nb' }] }, 'text_unfit'],
  [{ title: 'x', summary: 'x', roles: [{ name: 'é'.repeat(81) }] }, 'project_role_name'],
  [{ title: 'x', summary: 'x', roles: [{ name: 'x', slots: 0 }] }, 'project_role_slots'],
  [{ title: 'x', summary: 'x', roles: [{ name: 'x', slots: 51 }] }, 'project_role_slots'],
  [{ title: 'x', summary: 'x', roles: [{ name: 'x', about: 'é'.repeat(2001) }] }, 'project_role_about'],
  [{ title: 'x', summary: 'x', roles: Array(21).fill({ name: 'x' }) }, 'validation_failed'],
])('POST /projects rejects %j with 422', async (body, code) => {
  expect(await alice.post('/projects', body)).toFailWith(422, code)
})

test('A project is created, changed, filtered and deleted', async () => {
  expect(await nobody.get('/projects')).toFailWith(401, 'token_missing')
  expect(await nobody.post('/projects', {})).toFailWith(401, 'token_missing')
  expect(await nobody.get('/projects/mine')).toFailWith(401, 'token_missing')
  expect(await card(bob, mine.id)).toMatchObject({
    kind: 'project',
    authorId: alice.actorId,
    title: 'Mosses',
    summary: 'A field guide.',
    status: 'recruiting',
    roles: [
      { name: 'Illustrator', about: '', slots: 2, filled: 0 },
      { name: 'Writer of texts', slots: 1, filled: 0 },
    ],
    memberCount: 1,
    viewer: { role: null, status: 'none', applicationId: null },
  })
  const changed = await alice.patch(`/projects/${mine.id}`, { title: 'Mosses and ferns' })
  expect(changed).toMatchObject({ status: 200, body: { title: 'Mosses and ferns', summary: 'A field guide.' } })
  const ids = async (query: string) =>
    (await bob.get<Page<Project>>(`/projects?${query}`)).body.items.map(({ id }) => id)
  expect(await ids('q=ferns')).toEqual([mine.id])
  expect(await ids('status=completed')).toEqual([ended.id])
  expect(await ids('authorId=alice&role=texts')).toEqual([ended.id, mine.id])
  expect(await ids('role=text')).toEqual([])
  expect(await ids('role=%25')).toEqual([])
  expect(await bob.get('/projects?status=x')).toFailWith(422, 'validation_failed')
  const gone = await make(erin)
  expect(await erin.delete(`/projects/${gone.id}`)).toMatchObject({ status: 204 })
  expect(await erin.get(`/projects/${gone.id}`)).toFailWith(404, 'project_unknown')
  expect(await walk(erin, '/projects/mine', 1)).toEqual([])
})

test('Roles are added, changed and deleted, but never below the number of people who hold them', async () => {
  const { id, drawing } = await make(alice)
  const added = await alice.post<Role>(`/projects/${id}/roles`, { name: 'Editor', about: ' Reads ', slots: 3 })
  expect(added).toMatchObject({ status: 201, body: { name: 'Editor', about: 'Reads', slots: 3, filled: 0 } })
  await admit(bob, id, drawing)
  await admit(carla, id, drawing)
  const path = `/projects/${id}/roles/${drawing}`
  expect(await alice.patch(path, { slots: 1 })).toFailWith(409, 'project_role_held')
  expect(await alice.patch(path, { slots: 51 })).toFailWith(422, 'project_role_slots')
  expect(await alice.patch(path, { slots: 4, name: 'Painter' })).toMatchObject({
    body: { slots: 4, name: 'Painter', filled: 2 },
  })
  expect(await alice.delete(path)).toFailWith(409, 'project_role_held')
  const { body } = await apply(dora, id, added.body.id)
  expect(await alice.delete(`/projects/${id}/roles/${added.body.id}`)).toMatchObject({ status: 204 })
  expect(await alice.delete(`/projects/${id}/roles/${added.body.id}`)).toFailWith(404, 'project_role_unknown')
  expect(await decide(id, body.id)).toFailWith(409, 'project_application_settled')
  for (let n = 2; n < 20; n++) await alice.post(`/projects/${id}/roles`, { name: `Role ${n}` })
  expect(await alice.post(`/projects/${id}/roles`, { name: 'One more' })).toFailWith(409, 'project_roles_exhausted')
  expect(await alice.delete(`/projects/${id}`)).toFailWith(409, 'project_has_applications')
})

test('An application is approved, rejected or withdrawn, once', async () => {
  const { id, drawing, writing } = await make(alice)
  expect(await apply(alice, id, drawing)).toFailWith(400, 'project_own')
  expect(await apply(bob, id, UNKNOWN)).toFailWith(404, 'project_role_unknown')
  const long = { roleId: drawing, message: 'é'.repeat(2001) }
  expect(await bob.post(`/projects/${id}/applications`, long)).toFailWith(422, 'project_message')
  const first = await apply(bob, id, drawing)
  expect(first).toMatchObject({
    status: 201,
    body: {
      projectId: id,
      roleId: drawing,
      role: 'Illustrator',
      userId: bob.actorId,
      message: 'I would like to',
      status: 'pending',
    },
  })
  expect(await apply(bob, id, drawing)).toFailWith(409, 'project_applied')
  const other = await apply(bob, id, writing)
  expect((await card(bob, id)).viewer).toEqual({ role: null, status: 'pending', applicationId: other.body.id })
  expect(await walk(alice, `/projects/${id}/applications`, 1)).toEqual([other.body.id, first.body.id])
  expect(await decide(id, first.body.id, 'withdraw')).toFailWith(403, 'project_application_not_yours')
  expect(await decide(mine.id, first.body.id)).toFailWith(404, 'project_application_unknown')
  expect(await decide(id, first.body.id)).toMatchObject({ status: 200, body: { status: 'approved' } })
  for (const verb of ['approve', 'reject'])
    for (const aid of [first.body.id, other.body.id])
      expect(await decide(id, aid, verb)).toFailWith(409, 'project_application_settled')
  const statuses = await alice.get<Page<Application>>(`/projects/${id}/applications?status=ended`)
  expect(statuses.body.items).toMatchObject([{ id: other.body.id }])
  expect(await apply(bob, id, writing)).toFailWith(409, 'project_member_already')
  expect(await card(bob, id)).toMatchObject({ memberCount: 2, viewer: { role: 'Illustrator', status: 'member' } })
  expect(await walk(bob, '/projects/mine', 1)).toContain(id)

  const asked = (await apply(carla, id, writing)).body.id
  expect(await carla.post(`/projects/${id}/applications/${asked}/withdraw`)).toMatchObject({
    body: { status: 'withdrawn' },
  })
  expect(await carla.post(`/projects/${id}/applications/${asked}/withdraw`)).toFailWith(
    409,
    'project_application_settled',
  )
  const again = (await apply(carla, id, writing)).body.id
  const last = (await apply(carla, id, drawing)).body.id
  await owner`update app.contents set removed_at = now() where id = ${id}`
  expect(await carla.post(`/projects/${id}/applications/${last}/withdraw`)).toMatchObject({
    body: { status: 'withdrawn', roleId: null, role: null },
  })
  await owner`update app.contents set removed_at = null where id = ${id}`
  expect(await decide(id, again, 'reject')).toMatchObject({ body: { status: 'rejected' } })
  await applyEffects(owner)
  expect((await bob.inbox('membership.decided'))[0]?.payload).toMatchObject({ event: 'approved' })
  expect((await carla.inbox('membership.decided'))[0]?.payload).toMatchObject({ event: 'rejected' })
})

test('Members leave or are removed, and their slots become free', async () => {
  const { id, drawing, writing } = await make(alice)
  await admit(bob, id, drawing)
  await admit(carla, id, writing)
  expect(await members(dora, id)).toEqual([
    [alice.actorId, null],
    [bob.actorId, 'Illustrator'],
    [carla.actorId, 'Writer of texts'],
  ])
  const first = await dora.get<Page<Member>>(`/projects/${id}/members?limit=1`)
  const next = await dora.get<Page<Member>>(`/projects/${id}/members?limit=1&cursor=${first.body.nextCursor}`)
  expect(next.body.items).toMatchObject([{ userId: bob.actorId }])
  const refused = await decide(id, (await apply(dora, id, writing)).body.id)
  expect(refused).toFailWith(409, 'project_role_full')
  expect(await alice.post(`/projects/${id}/leave`)).toFailWith(409, 'project_author_stays')
  expect(await alice.delete(`/projects/${id}/members/alice`)).toFailWith(409, 'project_author_stays')
  expect(await dora.post(`/projects/${id}/leave`)).toMatchObject({ status: 200, body: { status: 'left' } })
  expect(await alice.delete(`/projects/${id}/members/dora`)).toFailWith(404, 'project_member_unknown')
  expect(await bob.post(`/projects/${id}/leave`)).toMatchObject({ status: 200, body: { status: 'left' } })
  expect(await alice.delete(`/projects/${id}/members/carla`)).toMatchObject({ status: 204 })
  expect(await places(id)).toEqual([0, 0])
  await applyEffects(owner)
  expect((await carla.inbox('membership.decided'))[0]?.payload).toMatchObject({ event: 'removed' })
})

test('Members are notified of updates', async () => {
  const { id, drawing } = await make(alice)
  await admit(erin, id, drawing)
  const posted = await alice.post<{ id: string }>(`/projects/${id}/updates`, { body: ' First *news* ' })
  expect(posted).toMatchObject({ status: 201, body: { projectId: id, body: ' First *news* ' } })
  const later = await alice.post<{ id: string }>(`/projects/${id}/updates`, { body: 'More' })
  expect(await walk(dora, `/projects/${id}/updates`, 1)).toEqual([later.body.id, posted.body.id])
  expect(await alice.post(`/projects/${id}/updates`, { body: ' ' })).toFailWith(422, 'content_body')
  await applyEffects(owner)
  const heard = async () => (await erin.inbox('series.updated')).map(({ payload }) => payload)
  expect(await heard()).toEqual([{ projectId: id, updateId: later.body.id }])
  await erin.post('/notifications/read', { groupKey: `series.updated:${id}` })
  const last = await alice.post<{ id: string }>(`/projects/${id}/updates`, { body: 'And more' })
  await applyEffects(owner)
  expect((await heard()).map(({ updateId }) => updateId)).toEqual([last.body.id, later.body.id])
  expect(await dora.inbox('series.updated')).toEqual([])
})

test.each(['completed', 'archived'])('A project that is %s accepts nothing new, and can be resumed', async (status) => {
  const { id, drawing, writing } = await make(alice)
  const asked = (await apply(bob, id, drawing)).body.id
  await admit(carla, id, drawing)
  expect(await alice.put(`/projects/${id}/status`, { status: 'done' })).toFailWith(422, 'validation_failed')
  expect(await alice.put(`/projects/${id}/status`, { status })).toMatchObject({ status: 200, body: { status } })
  for (const answer of [
    alice.patch(`/projects/${id}`, { title: 'x' }),
    alice.post(`/projects/${id}/roles`, { name: 'x' }),
    alice.patch(`/projects/${id}/roles/${writing}`, { name: 'x' }),
    alice.delete(`/projects/${id}/roles/${writing}`),
    alice.post(`/projects/${id}/updates`, { body: 'x' }),
    apply(dora, id, writing),
    decide(id, asked),
  ])
    expect(await answer).toFailWith(409, 'project_over')
  expect(await carla.post(`/projects/${id}/leave`)).toMatchObject({ status: 200 })
  expect(await alice.put(`/projects/${id}/status`, { status: 'active' })).toMatchObject({ status: 200 })
  expect(await decide(id, asked)).toMatchObject({ status: 200 })
})

test('Of fifty concurrent approvals for the last slot exactly one succeeds', async () => {
  const { id, writing } = await make(alice)
  const made = await owner<{ id: string }[]>`
    with people as (
      insert into app.users (username, first_name, last_name) select 'asker_' || n, 'Asks', 'Person' from generate_series(1, 50) n
      returning id)
    insert into app.project_applications (project_id, role_id, user_id) select ${id}, ${writing}, id from people returning id`
  const answers = await Promise.all(made.map((one) => decide(id, one.id)))
  const codes = answers.map(({ status, headers }) => headers.get('x-error-code') ?? String(status))
  expect(codes.filter((code) => code === '200')).toHaveLength(1)
  expect(codes.filter((code) => code === 'project_role_full')).toHaveLength(49)
  expect(await places(id)).toEqual([0, 1])
  const [row] = await owner`select count(*)::int as members from app.project_members where project_id = ${id}`
  expect(row).toEqual({ members: 1 })
})

test('A ban, an erasure and a block between author and member free the member’s slot', async () => {
  const { id, drawing } = await make(alice, { roles: [{ name: 'Illustrator', slots: 9 }] })
  const people = (await join('gus', 'hal', 'ida')) as [Person, Person, Person]
  for (const who of people) await admit(who, id, drawing)
  const [gus, hal, ida] = people
  expect(await places(id)).toEqual([3])
  await owner`update app.users set banned_at = now() where id = ${gus.id}`
  expect(await places(id)).toEqual([2])
  await owner`update app.users set banned_at = null where id = ${gus.id}`
  expect((await card(gus, id)).viewer).toMatchObject({ role: null })
  expect(await hal.post('/me/delete', { password: hal.password })).toMatchObject({ status: 200 })
  expect(await places(id)).toEqual([1])
  expect(await owner`select 1 from app.project_applications where user_id = ${hal.id}`).toEqual([])
  await ida.post('/users/alice/block')
  expect(await places(id)).toEqual([0])
  expect(await ida.get(`/projects/${id}`)).toFailWith(404, 'project_unknown')
})

test('A project in a group is visible only to its members', async () => {
  const group = (await alice.post<{ id: string }>('/groups', { name: 'Botanists' })).body.id
  await bob.post(`/groups/${group}/join`)
  const { id, drawing } = await make(alice, { groupId: group })
  expect(await card(bob, id)).toMatchObject({ groupId: group })
  expect(await carla.get(`/projects/${id}`)).toFailWith(404, 'project_unknown')
  expect(await apply(carla, id, drawing)).toFailWith(404, 'project_unknown')
  const asked = (await apply(bob, id, drawing)).body.id
  await bob.post(`/groups/${group}/leave`)
  expect(await decide(id, asked)).toFailWith(404, 'project_application_unknown')
  expect((await bob.get<Page<Project>>('/projects?q=field')).body.items.map((item) => item.id)).not.toContain(id)
})
