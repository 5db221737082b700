// Rules over HTTP: making, changing, replaying and deleting them, and what a live rule does. For the single conditions
// see test/db/moderation/rules.sql.
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import { type Post, publish, reply } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, admin, nobody, database, join } = await world({ people: ['alice', 'bob'] })
const { owner } = database
const [mona] = await join('mona')
await owner`update app.users set role = 'moderator' where username = 'mona'`
const moderator = (await mona?.login()) ?? nobody

type Rule = { id: string; mode: string; name: string }
type Replay = {
  looked: number
  wouldHit: number
  ofWhichStaffRemoved: number
  sample: object[]
  nextCursor: string | null
}
const casino = {
  name: 'Casinos',
  conditions: [{ kind: 'words', words: ['casino'] }, { kind: 'link' }],
  appliesTo: ['reply', 'post'],
  action: 'hide',
}
const spam = 'The casino at https://example.org'
const made = async (more: object = {}) => {
  const { status, body, text } = await admin.post<Rule>('/admin/rules', { ...casino, ...more })
  expect(status, text).toBe(201)
  return body.id
}
const entries = async () => {
  const [row] = await owner<{ said: string }[]>`
    select string_agg(action, ' ' order by id) as said from app.audit_log where target_type = 'rule'`
  return row?.said
}

test.each([
  ['GET', '/admin/rules'],
  ['POST', '/admin/rules'],
  ['POST', '/admin/rules/replay'],
  ['GET', `/admin/rules/${UNKNOWN}`],
  ['PATCH', `/admin/rules/${UNKNOWN}`],
  ['DELETE', `/admin/rules/${UNKNOWN}`],
  ['GET', `/admin/rules/${UNKNOWN}/hits`],
  ['POST', `/admin/rules/${UNKNOWN}/replay`],
])('%s %s requires a member of staff and an existing rule', async (method, path) => {
  expect(await nobody.request(method, path)).toFailWith(401, 'token_missing')
  expect(await alice.request(method, path)).toFailWith(403, 'role_required')
  const body = method === 'GET' || method === 'DELETE' ? undefined : {}
  if (method !== 'GET') expect(await moderator.request(method, path, body)).toFailWith(403, 'role_required')
  if (path.includes(UNKNOWN)) {
    expect(await admin.request(method, path, body)).toFailWith(404, 'rule_unknown')
    expect(await admin.request(method, path.replace(UNKNOWN, 'x'), body)).toFailWith(422, 'validation_failed')
  }
})

describe('A rule', () => {
  test('begins in shadow, is changed and deleted, and each of these leaves an audit entry', async () => {
    const answer = await admin.post<Rule>('/admin/rules', casino)
    expect(answer).toMatchObject({
      status: 201,
      body: { ...casino, appliesTo: ['post', 'reply'], mode: 'shadow', replayedAt: null },
    })
    const { id } = answer.body
    expect((await moderator.get(`/admin/rules/${id}`)).text).toBe(answer.text)
    expect(await moderator.get('/admin/rules?q=CASINOS&mode=shadow')).toMatchObject({ body: { items: [{ id }] } })
    expect(await moderator.get('/admin/rules?mode=live')).toMatchObject({ body: { items: [] } })
    const changes = { name: 'Gambling', mode: 'off', action: 'case' }
    for (const _ of [1, 2])
      expect(await admin.patch(`/admin/rules/${id}`, changes)).toMatchObject({ status: 200, body: changes })
    expect(await admin.delete(`/admin/rules/${id}`)).toMatchObject({ status: 204 })
    expect(await admin.delete(`/admin/rules/${id}`)).toFailWith(404, 'rule_unknown')
    expect(await entries()).toBe('rule.created rule.changed rule.deleted')
  })

  test.each([
    { conditions: [] },
    { conditions: [{ kind: 'link', hours: 1 }] },
    { conditions: [{ kind: 'new-account', hours: 0 }] },
    { conditions: Array.from({ length: 11 }, () => ({ kind: 'link' })) },
    { appliesTo: [] },
    { appliesTo: ['video'] },
    { action: 'ban' },
    { name: ' ' },
  ])('is refused with %j', async (more) => {
    expect(await admin.post('/admin/rules', { ...casino, ...more })).toFailWith(422, 'validation_failed')
  })

  test('is refused if a word has nothing that can be found', async () => {
    const conditions = [{ kind: 'words', words: ['\u064e'] }]
    expect(await admin.post('/admin/rules', { ...casino, conditions })).toFailWith(422, 'rule_conditions')
    expect(await admin.post('/admin/rules/replay', { conditions, appliesTo: ['post'] })).toFailWith(
      422,
      'rule_conditions',
    )
  })

  test('is refused with a category that does not exist', async () => {
    expect(await admin.post('/admin/rules', { ...casino, category: 'none' })).toFailWith(422, 'category_unknown')
  })

  test('goes live only after a day in shadow or a replay', async () => {
    const [waited, replayed] = [await made(), await made()]
    const live = (id: string) => admin.patch(`/admin/rules/${id}`, { mode: 'live' })
    expect(await live(waited)).toFailWith(409, 'rule_untried')
    await owner`update app.moderation_rules set mode_since = now() - interval '1 day' where id = ${waited}`
    expect(await live(waited)).toMatchObject({ status: 200, body: { mode: 'live' } })
    expect(await admin.post(`/admin/rules/${replayed}/replay`, {})).toMatchObject({ status: 200 })
    expect(await live(replayed)).toMatchObject({ status: 200, body: { mode: 'live' } })
    for (const id of [waited, replayed]) await admin.delete(`/admin/rules/${id}`)
  })

  test('is one of at most 50', async () => {
    const ids = []
    for (let n = 0; n < 50; n++) ids.push(await made())
    expect(await admin.post('/admin/rules', casino)).toFailWith(409, 'rules_exhausted')
    for (const id of ids) await admin.delete(`/admin/rules/${id}`)
  })
})

test('In shadow a rule notes what it would do; a replay finds the same, and how much of it staff removed', async () => {
  const id = await made()
  const removed = await publish(alice, { body: spam })
  const posts = [removed, await publish(bob, { body: spam })]
  const answer = await reply(alice, posts[1] ?? '', { body: spam })
  await publish(alice, { body: 'Nothing to see' })
  await applyEffects(owner)
  expect(await bob.get(`/posts/${removed}`)).toMatchObject({ status: 200, body: { hiddenAt: null } })
  await moderator.post(`/admin/posts/${removed}/hide`, {})
  const hits = await moderator.get<Page<{ targetId: string }>>(`/admin/rules/${id}/hits?mode=shadow`)
  expect(hits.body.items.map(({ targetId }) => targetId)).toEqual([answer, ...posts.toReversed()])
  expect(hits.body.items[0]).toMatchObject({
    targetType: 'reply',
    mode: 'shadow',
    action: 'hide',
    author: { username: 'alice' },
  })
  expect(await walk(moderator, `/admin/rules/${id}/hits`, 2)).toHaveLength(3)
  const { appliesTo, conditions } = casino
  for (const replay of [
    await admin.post<Replay>(`/admin/rules/${id}/replay`, {}),
    await admin.post<Replay>('/admin/rules/replay', { appliesTo, conditions }),
  ]) {
    expect(replay.body).toMatchObject({
      wouldHit: 3,
      ofWhichStaffRemoved: 1,
      nextCursor: null,
      lookedUntil: expect.any(String),
    })
    expect(replay.body.sample).toMatchObject([
      { targetType: 'reply', targetId: answer, excerpt: spam, removed: false, author: { username: 'alice' } },
      { targetId: posts[1], removed: false },
      { targetId: removed, removed: true },
    ])
  }
  expect(await admin.post(`/admin/rules/${id}/replay`, { cursor: 'x' })).toFailWith(400, 'cursor_unknown')
  await admin.delete(`/admin/rules/${id}`)
})

test('A live rule hides a post and a reply before others see them, their author learns it, and staff releases them', async () => {
  const id = await made({ category: 'spam' })
  await admin.post(`/admin/rules/${id}/replay`, {})
  await admin.patch(`/admin/rules/${id}`, { mode: 'live' })
  const plain = await publish(bob, { body: 'Plain' })
  const created = await alice.post<Post>('/posts', { body: `@bob ${spam}` })
  expect(created).toMatchObject({ status: 201, body: { hiddenAt: expect.any(String) } })
  const post = created.body.id
  const answer = await reply(alice, plain, { body: spam })
  expect(await bob.get(`/posts/${post}`)).toFailWith(404, 'post_unknown')
  expect(await bob.get(`/posts/${plain}`)).toMatchObject({ body: { replies: { items: [] }, counters: { replies: 0 } } })
  expect(await bob.inbox('post.mentioned')).toEqual([])
  expect(JSON.stringify(await bob.inbox('post.replied'))).not.toContain(answer)
  const notices = await alice.inbox('moderation.actioned')
  expect(notices.slice(0, 2)).toMatchObject([
    {
      target: { type: 'reply', id: answer },
      actors: [],
      payload: { targetType: 'reply', targetId: answer, action: 'held' },
    },
    { target: { type: 'post', id: post }, actors: [], payload: { targetType: 'post', targetId: post, action: 'held' } },
  ])
  expect(JSON.stringify(notices)).not.toContain(id)
  // the worker may run a job twice
  for (const _ of [1, 2]) await owner`select private.open_rule_cases(data) from pgboss.job where name = 'rule-cases'`
  const cases = await owner`
    select c.target_id, c.category, c.source, count(e.id)::int as events, min(e.note) as note
    from app.cases c join app.case_events e on e.case_id = c.id group by c.id order by c.target_type`
  expect(cases).toMatchObject(
    [post, answer].map((target_id) => ({ target_id, category: 'spam', source: 'rule', events: 1, note: casino.name })),
  )
  const { body } = await moderator.get<Page<object>>(`/admin/rules/${id}/hits`)
  expect(body.items).toMatchObject([answer, post].map((targetId) => ({ targetId, caseId: expect.any(String) })))
  // nobody has decided yet, so staff has removed nothing
  expect((await admin.post<Replay>(`/admin/rules/${id}/replay`, {})).body.sample[0]).toMatchObject({ removed: false })
  expect(await moderator.post(`/admin/posts/${post}/unhide`, {})).toMatchObject({
    status: 200,
    body: { hiddenAt: null },
  })
  expect(await moderator.post(`/admin/replies/${answer}/unhide`, {})).toMatchObject({ status: 200 })
  expect(await bob.get(`/posts/${post}`)).toMatchObject({ status: 200, body: { hiddenAt: null } })
  expect(await bob.get(`/posts/${plain}`)).toMatchObject({ body: { replies: { items: [{ id: answer }] } } })
})
