// GET /admin/reports/:id: a report with all that a moderator needs to decide about it.
import { describe, expect, test } from 'vitest'
import { reportTargets } from '../../../api-facade/generated/report-targets.ts'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish, reply } from '../../support/posts.ts'
import { oneOfEach } from '../../support/things.ts'
import { world } from '../../support/world.ts'

type Id = { id: string }
type Short = { id: string; targetId: string; reason: string }
type Decided = { action: string; targetType: string; targetId: string }
type File = Short & {
  target: Record<string, unknown> | null
  author: { id: string } | null
  reportsOfTarget: Short[]
  history: { reports: Short[]; decisions: Decided[]; bans: Decided[] } | null
}

const { alice, bob, carla, admin, nobody, database, join } = await world({ people: ['alice', 'bob', 'carla'] })
await database.owner`update app.users set role = 'moderator' where username = 'carla'`
const moderator = (await carla.login()) ?? nobody
async function report(who: Person, targetType: string, targetId: string, reason = 'Spam'): Promise<string> {
  const { status, body, text } = await who.post<Id>('/reports', { targetType, targetId, reason })
  expect(status, text).toBe(201)
  return body.id
}
const file = async (id: string, who = moderator) => {
  const { status, body, text } = await who.get<File>(`/admin/reports/${id}`)
  expect(status, text).toBe(200)
  return body
}

test('GET /admin/reports/:id is for staff, and for reports that exist', async () => {
  const id = await report(bob, 'post', await publish(alice))
  expect(await nobody.get(`/admin/reports/${id}`)).toFailWith(401, 'token_missing')
  expect(await alice.get(`/admin/reports/${id}`)).toFailWith(403, 'role_required')
  expect(await moderator.get('/admin/reports/x')).toFailWith(422, 'validation_failed')
  expect(await moderator.get(`/admin/reports/${UNKNOWN}`)).toFailWith(404, 'report_unknown')
})

test('A report has the reported thing, its author, the other reports of the thing and the author’s history', async () => {
  const [dora, emil] = await join('dora', 'emil')
  if (!dora || !emil) throw new Error('they did not join')
  const post = await publish(dora, { body: 'Buy this' })
  const comment = await reply(dora, post, { body: 'And that' })
  const earlier = await report(bob, 'reply', comment, 'Advertising')
  const about = await report(emil, 'user', 'dora', 'A robot')
  const other = await report(alice, 'post', post, 'Again')
  const unrelated = await report(bob, 'post', await publish(alice))
  await moderator.post(`/admin/replies/${comment}/hide`, { reason: 'A secret reason' })
  await admin.post('/admin/users/dora/ban', { reason: 'Too much' })
  await admin.post('/admin/users/dora/unban')
  const id = await report(bob, 'post', post)

  const found = await file(id)
  expect(found).toMatchObject({
    id,
    reason: 'Spam',
    status: 'open',
    target: { id: post, body: 'Buy this', authorId: dora.id },
    author: { id: dora.id, user: { username: 'dora' }, openReports: 1 },
  })
  expect(found.reportsOfTarget.map((one) => one.id)).toEqual([other])
  expect(found.history?.reports.map((one) => one.id)).toEqual([about, earlier])
  expect(found.history?.decisions).toMatchObject([{ action: 'reply.hidden', targetType: 'reply', targetId: comment }])
  expect(found.history?.bans.map(({ action }) => action)).toEqual(['user.unbanned', 'user.banned'])
  // who decided and why is for admins, in the audit log
  const text = JSON.stringify(found.history)
  expect(text).not.toMatch(/secret reason|Too much/)
  expect(text).not.toContain(admin.id)
  expect(text).not.toContain(unrelated)
  expect(await file(id, admin)).toEqual(found)
})

test('Each list has the newest 50', async () => {
  const [finn] = await join('finn')
  if (!finn) throw new Error('finn did not join')
  const post = await publish(finn)
  const id = await report(bob, 'post', post)
  await database.owner`
    insert into app.reports (reporter_id, target_type, target_id, reason, status, reviewed_at, created_at)
    select ${bob.id}, 'post', ${post}, n::text, 'reviewed', now(), now() + n * interval '1 second' from generate_series(1, 60) n`
  await database.owner`
    insert into app.reports (reporter_id, target_type, target_id, reason, status, reviewed_at, created_at)
    select ${bob.id}, 'user', ${finn.id}, n::text, 'reviewed', now(), now() + n * interval '1 second' from generate_series(1, 60) n`
  const found = await file(id)
  const newest = Array.from({ length: 50 }, (_, i) => String(60 - i))
  expect(found.reportsOfTarget.map(({ reason }) => reason)).toEqual(newest)
  expect(found.history?.reports.map(({ reason }) => reason)).toEqual(newest)
})

describe('The reported thing and its author', async () => {
  const things = await oneOfEach(admin, [alice, bob], database)
  const at = (path: string) => things[path] ?? ''
  const first = async (path: string) => (await alice.get<{ items: Id[] }>(path)).body.items[0]?.id ?? ''
  const talk = (await alice.post<Id>('/conversations', { kind: 'direct', memberIds: ['bob'] })).body.id
  await admin.post(`/courses/${at('/courses')}/publish`)
  const targets: Record<string, string> = {
    user: 'alice',
    post: at('/posts'),
    reply: await first(`/posts/${at('/posts')}/replies`),
    video: at('/videos'),
    'video-comment': (await bob.post<Id>(`/videos/${at('/videos')}/comments`, { body: 'Bad' })).body.id,
    event: at('/events'),
    debate: at('/debates'),
    argument: await first(`/debates/${at('/debates')}/arguments`),
    problem: at('/problems'),
    solution: at('/problems/solutions'),
    course: at('/courses'),
    project: at('/projects'),
    offering: at('/economy/market/offerings'),
    group: at('/groups'),
    guild: at('/guilds'),
  }
  const [gus] = await join('gus')
  const without = ['audio', 'review', 'message'] // these types are created differently, or have no thing to show

  test('are known for every type', () => {
    expect([...Object.keys(targets), ...without].sort()).toEqual([...reportTargets].sort())
  })

  test.each(Object.entries(targets))('are shown for a report of type %s', async (type, target) => {
    const found = await file(await report(gus ?? nobody, type, target))
    expect(found.target).toMatchObject({ id: type === 'user' ? alice.id : target })
    const author = found.target?.authorId ?? found.target?.ownerId ?? found.target?.founderId ?? found.target?.id
    expect(found.author?.id).toBe(author)
  })

  test.each(without)('can be requested for type %s', async (type) => {
    const { owner } = database
    const [target] = await owner<{ author: string }[]>`select author from private.report_targets where type = ${type}`
    expect(await owner.unsafe(target?.author ?? '', [UNKNOWN])).toEqual([])
  })

  test('are a copy and its sender for a message', async () => {
    const sent = await alice.post<Id>(`/conversations/${talk}/messages`, { body: 'Hey', clientId: crypto.randomUUID() })
    expect(sent.status, sent.text).toBe(201)
    const id = await report(bob, 'message', sent.body.id)
    expect(await file(id)).toMatchObject({ target: null, copy: { body: 'Hey' }, author: { id: alice.id } })
  })
})
