// What staff can look up over HTTP: explanations of access, the figures of each day, and the standing of a person. For
// access in random worlds see test/model/access.test.ts, for permissions test/api/admin/matrix.test.ts.
import { describe, expect, test } from 'vitest'
import { reasonCodes } from '../../../api-facade/features/oversight/schemas.ts'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish, reply } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, nobody, database, join } = await world()
const { owner } = database
const [mona, dan] = (await join('mona', 'dan')) as [Person, Person]
await admin.patch('/admin/users/mona/role', { role: 'moderator' })
const moderator = await mona.login()

type Id = { id: string }
type Reason = { code: string; effect: string; text: string; about: { targetType: string; targetId: string } | null }
type Access = { canSee: boolean; shown: boolean | null; authorId: string | null; targetId: string; reasons: Reason[] }

const made = async (who: Person, path: string, body: object = {}) => {
  const answer = await who.post<Id>(path, body)
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body.id
}
async function explain(who: Person, type: string, id: string): Promise<Access> {
  const query = new URLSearchParams({ personId: who.id, targetType: type, targetId: id })
  const { status, body, text } = await moderator.get<Access>(`/admin/access?${query}`)
  expect(status, text).toBe(200)
  return body
}
/** The explanation for staff: `yes` or `no`, and each reason. Compares it with what the person gets at `path`. */
async function said(who: Person, type: string, id: string, path?: string) {
  const { canSee, shown, reasons } = await explain(who, type, id)
  if (path) expect((await who.get(path)).status).toBe(canSee ? 200 : 404)
  const listed = shown === null ? [] : [shown ? 'shown' : 'not shown']
  return [canSee ? 'yes' : 'no', ...listed, ...reasons.map(({ code, effect }) => `${code} ${effect}`)].join(', ')
}
const ofPost = (who: Person, id: string) => said(who, 'post', id, `/posts/${id}`)

describe('GET /admin/access', () => {
  test('requires a moderator, a person, a thing and its type', async () => {
    const post = await publish(alice)
    const path = (more: object) =>
      `/admin/access?${new URLSearchParams({ personId: 'bob', targetType: 'post', targetId: post, ...more })}`
    expect(await nobody.get(path({}))).toFailWith(401, 'token_missing')
    expect(await alice.get(path({}))).toFailWith(403, 'role_required')
    for (const who of [moderator, admin]) expect(await who.get(path({}))).toMatchObject({ status: 200 })
    for (const personId of ['zoe', UNKNOWN])
      expect(await moderator.get(path({ personId }))).toFailWith(404, 'person_unknown')
    for (const targetType of ['post', 'reply', 'content', 'conversation'])
      for (const targetId of [UNKNOWN, 'x'])
        expect(await moderator.get(path({ targetType, targetId }))).toFailWith(404, 'thing_unknown')
    for (const targetType of ['group', 'guild'])
      expect(await moderator.get(path({ targetType, targetId: 'none' }))).toFailWith(404, 'space_unknown')
    expect(await moderator.get(path({ targetType: 'circle' }))).toFailWith(422, 'validation_failed')
    expect(await moderator.get(path({ targetId: '' }))).toFailWith(422, 'validation_failed')
    expect(await moderator.get('/admin/access?personId=bob&targetType=post')).toFailWith(422, 'validation_failed')
  })

  test('explains posts by circles, blocks, mutes and what staff did', async () => {
    const open = await publish(alice, { body: 'Open words' })
    expect(await explain(bob, 'post', open)).toEqual({
      personId: bob.id,
      person: expect.objectContaining({ username: 'bob' }),
      targetType: 'post',
      targetId: open,
      authorId: alice.id,
      author: expect.objectContaining({ username: 'alice' }),
      canSee: true,
      shown: true,
      reasons: [{ code: 'public', effect: 'allows', text: 'Everybody sees it.', about: null }],
    })
    expect(await ofPost(alice, open)).toBe('yes, shown, author allows')
    const near = await publish(alice, { visibility: 'circles' })
    const inner = await publish(alice, { visibility: 'inner' })
    expect(await ofPost(bob, near)).toBe('no, not shown, circle denies')
    const circle = await made(alice, '/circles', { name: 'Friends' })
    await alice.post(`/circles/me/${circle}/members`, { memberId: 'bob' })
    expect(await ofPost(bob, near)).toBe('yes, shown, circle allows')
    expect(await ofPost(bob, inner)).toBe('no, not shown, inner_circle denies')

    await bob.post(`/posts/${open}/mute`)
    expect(await ofPost(bob, open)).toBe('yes, not shown, public allows, muted leaves_out')
    await carla.post('/users/alice/block')
    const blocked = await explain(alice, 'post', await publish(carla))
    // staff reads the same, whichever of the two blocked the other
    expect(blocked.reasons).toEqual((await explain(carla, 'post', open)).reasons)
    expect(await ofPost(carla, open)).toBe('no, not shown, blocked denies')

    const hidden = await publish(alice)
    await moderator.post(`/admin/posts/${hidden}/hide`, { reason: 'Rude' })
    expect(await ofPost(bob, hidden)).toBe('no, not shown, hidden denies, public allows')
    expect(await ofPost(alice, hidden)).toBe('yes, not shown, author allows, hidden leaves_out')
    const later = await publish(alice, { publishAt: new Date(Date.now() + 3_600_000).toISOString() })
    expect(await ofPost(bob, later)).toBe('no, not shown, scheduled denies, public allows')
    await alice.delete(`/posts/${hidden}`)
    expect(await ofPost(bob, hidden)).toMatch(/^no, not shown, deleted denies/)
  })

  test('says that a rule hid something', async () => {
    const rule = await admin.post<Id>('/admin/rules', {
      name: 'Casinos',
      conditions: [{ kind: 'words', words: ['casino'] }],
      appliesTo: ['reply', 'post'],
      action: 'hide',
    })
    await owner`update app.moderation_rules set mode_since = now() - interval '1 day'`
    expect(await admin.patch(`/admin/rules/${rule.body.id}`, { mode: 'live' })).toMatchObject({ status: 200 })
    const held = await publish(dan, { body: 'Come to the casino' })
    expect(await ofPost(bob, held)).toBe('no, not shown, held_by_rule denies, public allows')
    const answer = await reply(dan, await publish(bob), { body: 'The casino again' })
    expect(await said(bob, 'reply', answer)).toBe('no, held_by_rule denies, post_seen allows')
  })

  test('explains a repost by its original, and a reply by its post', async () => {
    const [erin] = (await join('erin')) as [Person]
    const circle = await made(alice, '/circles', { name: 'Close' })
    await alice.post(`/circles/me/${circle}/members`, { memberId: 'erin' })
    const close = await publish(alice, { visibility: 'circles' })
    const repost = await made(erin, `/posts/${close}/repost`)
    const { reasons } = await explain(dan, 'post', repost)
    expect(reasons).toMatchObject([
      { code: 'public' },
      { code: 'original_unseen', effect: 'denies', about: { targetType: 'post', targetId: close } },
    ])
    const answer = await reply(erin, close)
    expect((await explain(dan, 'reply', answer)).reasons).toMatchObject([
      { code: 'post_unseen', effect: 'denies', about: { targetType: 'post', targetId: close } },
    ])
    expect(await said(alice, 'reply', answer)).toBe('yes, post_seen allows')
  })

  test('explains contents, including those in a group and an archived course', async () => {
    const fields = { title: 'Mushrooms', summary: 'How to know them.', depth: 2 }
    const course = await made(alice, '/courses', fields)
    const of = (who: Person) => said(who, 'content', course, `/courses/${course}`)
    expect(await of(bob)).toBe('no, not shown, draft denies')
    expect(await of(alice)).toBe('yes, not shown, author allows, draft leaves_out')
    await alice.post(`/courses/${course}/lessons`, { title: 'Caps', body: 'Round.' })
    await alice.post(`/courses/${course}/publish`)
    expect(await of(bob)).toBe('yes, shown, public allows')
    await bob.post(`/courses/${course}/enroll`)
    await alice.post(`/courses/${course}/archive`)
    expect(await of(bob)).toBe('yes, not shown, student allows')
    expect(await of(dan)).toBe('no, not shown, draft denies')
    await admin.post(`/admin/content/courses/${course}/remove`, { reason: 'Wrong' })
    expect(await of(bob)).toBe('no, not shown, removed denies, draft denies')
    expect(await of(alice)).toBe('yes, not shown, author allows, removed leaves_out, draft leaves_out')

    const group = await made(alice, '/groups', { name: 'Foragers', visibility: 'private' })
    const inside = await made(alice, '/courses', { ...fields, groupId: group })
    await alice.post(`/courses/${inside}/lessons`, { title: 'Caps', body: 'Round.' })
    await alice.post(`/courses/${inside}/publish`)
    expect(await said(bob, 'content', inside, `/courses/${inside}`)).toBe('no, not shown, space_private denies')
    expect((await explain(bob, 'content', inside)).reasons).toMatchObject([
      { about: { targetType: 'group', targetId: group } },
    ])
    expect(await said(bob, 'group', group)).toBe('no, space_private denies')
    expect(await said(alice, 'group', 'foragers')).toBe('yes, space_member allows')
  })

  test('says of a conversation only whether the person takes part, and whom a limit or a ban hides', async () => {
    const talk = await made(alice, '/conversations', { kind: 'direct', memberIds: ['bob'] })
    await made(alice, `/conversations/${talk}/messages`, { body: 'A secret', clientId: crypto.randomUUID() })
    expect(await said(bob, 'conversation', talk, `/conversations/${talk}`)).toBe('yes, in_conversation allows')
    expect(await said(dan, 'conversation', talk, `/conversations/${talk}`)).toBe('no, not_in_conversation denies')
    expect(JSON.stringify(await explain(bob, 'conversation', talk))).not.toMatch(/secret|alice/)

    const [finn] = (await join('finn')) as [Person]
    const post = await publish(finn)
    await admin.post('/admin/users/finn/limit', { reason: 'Spam' })
    expect(await ofPost(bob, post)).toBe('yes, not shown, public allows, limited_author leaves_out')
    await admin.post('/admin/users/finn/ban', { reason: 'Spam' })
    expect(await ofPost(bob, post)).toBe('no, not shown, banned_author denies, public allows')
    expect(await said(finn, 'post', await publish(bob))).toBe('no, not shown, banned_person denies, public allows')
  })

  test('gives only reasons that are in the registry', async () => {
    const rows = await owner<{ code: string }[]>`select distinct code from private.access_reasons`
    expect(rows.map(({ code }) => code).sort()).toEqual([...reasonCodes].sort())
  })
})

describe('GET /admin/metrics/days', () => {
  type Figures = { day: string; posts: number | null; active: number | null } & Record<string, unknown>
  const days = async (query = '') => {
    const { status, body, text } = await moderator.get<{ days: Figures[]; countedAt: string }>(
      `/admin/metrics/days${query}`,
    )
    expect(status, text).toBe(200)
    return body.days
  }
  const recount = () => owner`update app.daily_figures set counted_at = now() - interval '1 minute'`
  const count = async () => (await database.connect('kith_worker')`select private.job_count_days() as n`)[0]?.n
  const dayOf = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)

  test('counts today at most every 30 seconds', async () => {
    const today = async () => (await days()).at(-1) as Figures
    const before = await today()
    expect(before.day).toBe(dayOf(0))
    await publish(alice)
    expect(await today()).toEqual(before)
    await recount()
    expect(await today()).toEqual({ ...before, posts: Number(before.posts) + 1 })
    await reply(bob, await publish(alice))
    await bob.post('/economy/pay', { emotion: 'love', tier: 0, receiverId: 'mona' })
    await bob.post('/reports', { targetType: 'user', targetId: 'mona', reason: 'Rude' })
    await join('fred')
    await recount()
    const after = await today()
    const [paid] = await owner<{ sum: number }[]>`select sum(amount)::int as sum from app.payments`
    expect(after).toMatchObject({
      joined: Number(before.joined) + 1,
      posts: Number(before.posts) + 2,
      replies: Number(before.replies) + 1,
      payments: 1,
      mana: paid?.sum,
      reports: Number(before.reports) + 1,
    })
    expect(after.active).toBeGreaterThan(0)
  })

  test('has what the job counted for each day of the range, and zeros before the instance existed', async () => {
    await owner`update app.users set created_at = now() - interval '3 days' where username = 'admin'`
    await owner`delete from app.daily_figures`
    await owner`update app.posts set created_at = now() - interval '2 days' where author_id = ${alice.id}`
    expect((await days(`?from=${dayOf(2)}&to=${dayOf(1)}`)).map(({ posts }) => posts)).toEqual([null, null])
    for (const counted of [1, 1, 1, 1, 0]) expect(await count()).toBe(counted)
    const [row] = await owner<{ n: number }[]>`select count(*)::int as n from app.posts where author_id = ${alice.id}`
    const figures = await days(`?from=${dayOf(4)}&to=${dayOf(1)}`)
    expect(figures.map(({ day, posts, joined, active }) => [day, posts, joined, active])).toEqual([
      [dayOf(4), 0, 0, 0],
      [dayOf(3), 0, 1, null],
      [dayOf(2), row?.n, 0, null],
      [dayOf(1), 0, 0, null],
    ])
    // A day that was counted before its end is counted again, but the number of active people stays. After that the day
    // is not counted again.
    const then = () => days(`?from=${dayOf(2)}&to=${dayOf(2)}`)
    await owner`update app.daily_figures set active = 5, posts = 0, counted_at = day + interval '1 hour'
      where day = ${dayOf(2)}`
    expect(await count()).toBe(1)
    expect(await then()).toMatchObject([{ active: 5, posts: row?.n }])
    await owner`update app.posts set created_at = now() where author_id = ${alice.id}`
    expect(await count()).toBe(0)
    expect(await then()).toMatchObject([{ active: 5, posts: row?.n }])
  })

  test('requires a moderator and a range of at most 366 days', async () => {
    expect(await nobody.get('/admin/metrics/days')).toFailWith(401, 'token_missing')
    expect(await alice.get('/admin/metrics/days')).toFailWith(403, 'role_required')
    expect(await days('?from=2024-01-01&to=2024-12-31')).toHaveLength(366)
    for (const query of ['?from=2024-01-01&to=2025-01-01', '?from=2024-01-02&to=2024-01-01'])
      expect(await moderator.get(`/admin/metrics/days${query}`)).toFailWith(422, 'days_range')
    for (const query of ['?from=yesterday', '?to=2024-02-30'])
      expect(await moderator.get(`/admin/metrics/days${query}`)).toFailWith(422, 'validation_failed')
  })
})

test('Staff reads the same standing of a person as that person', async () => {
  const post = await publish(carla)
  await moderator.post(`/admin/posts/${post}/hide`, { reason: 'Rude words' })
  const own = (await carla.get<{ decisions: object[] }>('/me/standing')).body
  expect(own.decisions).toMatchObject([{ action: 'hide', targetId: post, reason: 'Rude words' }])
  for (const who of ['carla', carla.id]) {
    const { status, body } = await moderator.get(`/admin/users/${who}/standing`)
    expect([status, body]).toEqual([200, own])
  }
  await admin.post('/admin/users/carla/ban', { reason: 'Spam' })
  expect((await moderator.get('/admin/users/carla/standing')).body).toMatchObject({ state: 'banned' })
  expect(await moderator.get('/admin/users/zoe/standing')).toFailWith(404, 'person_unknown')
  expect(await nobody.get('/admin/users/carla/standing')).toFailWith(401, 'token_missing')
  expect(await alice.get('/admin/users/carla/standing')).toFailWith(403, 'role_required')
})
