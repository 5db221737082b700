// Rules over HTTP: making, changing, replaying and deleting them, and what a live rule does. For the single conditions
// see test/db/moderation/rules.sql.
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import { type Post, publish, reply } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, admin, nobody, database, join } = await world({ people: ['alice', 'bob'] })
const { owner } = database
const worker = database.connect('kith_worker')
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
/** Makes a rule that is live. */
const live = async (more: object = {}) => {
  const id = await made(more)
  await admin.post(`/admin/rules/${id}/replay`, {})
  expect(await admin.patch(`/admin/rules/${id}`, { mode: 'live' })).toMatchObject({ status: 200 })
  return id
}
/** Runs the jobs that a hit or a release has queued, as the worker does. */
async function work(): Promise<void> {
  for (const [queue, batch] of Object.entries({
    'rule-cases': 'private.open_rule_cases',
    'released-holds': 'private.mention_released',
  }))
    for (const { data } of await owner`select data from pgboss.job where name = ${queue} order by created_on`)
      await worker`select ${worker.unsafe(batch)}(${JSON.stringify(data)}::text::jsonb)`
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
    { appliesTo: ['message'] },
    { action: 'ban' },
    { name: ' ' },
  ])('is refused with %j', async (more) => {
    expect(await admin.post('/admin/rules', { ...casino, ...more })).toFailWith(422, 'validation_failed')
  })

  test('is rejected if a word contains no letter or digit', async () => {
    const conditions = [{ kind: 'words', words: ['\u064e'] }]
    expect(await admin.post('/admin/rules', { ...casino, conditions })).toFailWith(422, 'rule_conditions')
    expect(await admin.post('/admin/rules/replay', { conditions, appliesTo: ['post'] })).toFailWith(
      422,
      'rule_conditions',
    )
  })

  test('is rejected with a category that does not exist', async () => {
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

test('A rule in shadow notes what it would hit, and a replay finds the same hits and how many of them staff removed', async () => {
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

test('A live rule hides a post and a reply before others see them, their author is notified, and staff shows them again', async () => {
  const id = await live({ category: 'spam' })
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
  for (const _ of [1, 2]) await work()
  const cases = await owner`
    select c.target_id, c.category, c.source, count(e.id)::int as events, min(e.note) as note
    from app.cases c join app.case_events e on e.case_id = c.id group by c.id order by c.target_type`
  expect(cases).toMatchObject(
    [post, answer].map((target_id) => ({ target_id, category: 'spam', source: 'rule', events: 2, note: casino.name })),
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
  expect(await admin.delete(`/admin/rules/${id}`)).toMatchObject({ status: 204 })
})

describe('A thing that a live rule hides', () => {
  type Decision = { id: string; targetId: string; liftedAt: string | null; strikes: number }
  type Standing = { strikes: number; decisions: Decision[] }
  const decisionOf = async (target: string) =>
    (await alice.get<Standing>('/me/standing')).body.decisions.find(({ targetId }) => targetId === target)

  test('has a decision that its author can read and appeal, and that the log and the figures show as automated', async () => {
    const id = await live({ category: 'spam' })
    const { strikes } = (await alice.get<Standing>('/me/standing')).body
    const post = await publish(alice, { body: spam })
    for (const _ of [1, 2]) await work()
    const decision = await decisionOf(post)
    expect(decision).toMatchObject({
      action: 'hide',
      category: 'spam',
      rule: null,
      reason: 'Hidden automatically, by a rule of the instance, until staff has seen it.',
      automated: true,
      strikes: 0,
      appealable: true,
    })
    expect((await alice.get<Standing>('/me/standing')).body.strikes).toBe(strikes)
    const statement = await alice.get(`/me/standing/${decision?.id}/statement`)
    expect(statement).toMatchObject({ status: 200, body: { automated: true, action: 'hide', category: 'spam' } })
    for (const word of [casino.name, 'casino', id]) expect(statement.text).not.toContain(word)
    const log = await admin.get<Page<object>>('/admin/audit-log')
    expect(log.body.items[0]).toMatchObject({ action: 'post.hidden', targetId: post, actorId: null })
    expect(await admin.get('/admin/audit-log/verify')).toMatchObject({ body: { ok: true } })
    const { items } = (
      await admin.get<{ items: { automated: boolean; action: string }[] }>(
        `/admin/transparency/${new Date().getUTCFullYear()}`,
      )
    ).body
    expect(items.find(({ automated, action }) => automated && action === 'hide')).toMatchObject({ category: 'spam' })

    expect(await alice.post(`/me/standing/${decision?.id}/appeal`, { text: 'A song.' })).toMatchObject({
      status: 201,
    })
    const appeals = await moderator.get<Page<{ id: string; mayResolve: boolean }>>('/admin/appeals?status=pending')
    expect(appeals.body.items[0]).toMatchObject({ mayResolve: true, decision: { decidedById: null } })
    expect(
      await moderator.post(`/admin/appeals/${appeals.body.items[0]?.id}/resolve`, {
        verdict: 'overturn',
        answer: 'Yes.',
      }),
    ).toMatchObject({ status: 200, body: { undone: true } })
    expect(await bob.get(`/posts/${post}`)).toMatchObject({ status: 200 })
    expect(await decisionOf(post)).toMatchObject({ liftedAt: expect.any(String), overturnedAt: expect.any(String) })
    await admin.delete(`/admin/rules/${id}`)
  })

  test('gets no decision if staff shows it before the worker runs, and keeps its case if the rule is deleted', async () => {
    const id = await live({ category: 'spam' })
    const [shown, kept] = [await publish(alice, { body: spam }), await publish(alice, { body: spam })]
    expect(await moderator.post(`/admin/posts/${shown}/unhide`, {})).toMatchObject({ status: 200 })
    await admin.delete(`/admin/rules/${id}`)
    await work()
    expect([await decisionOf(shown), await decisionOf(kept)]).toEqual([
      undefined,
      expect.objectContaining({ category: 'other' }),
    ])
    const cases = await owner`select source from app.cases where target_id in (${shown}, ${kept})`
    expect(cases).toEqual([{ source: 'rule' }, { source: 'rule' }])
  })

  test('notifies the people it mentions only once, when staff shows it for the first time', async () => {
    const id = await live()
    const mentions = async () => {
      for (const _ of [1, 2]) await work()
      await applyEffects(owner)
      return (await bob.inbox('post.mentioned')).map(({ payload }) => payload)
    }
    const before = await mentions()
    const post = await publish(alice, { body: `@bob ${spam}` })
    const plain = await publish(alice, { body: 'Plain' })
    const answer = await reply(alice, plain, { body: `@bob ${spam}` })
    expect(await mentions()).toEqual(before)
    await moderator.post(`/admin/posts/${post}/unhide`, {})
    expect(await mentions()).toEqual([{ postId: post, replyId: null }, ...before])
    await moderator.post(`/admin/replies/${answer}/unhide`, {})
    const after = [{ postId: plain, replyId: answer }, { postId: post, replyId: null }, ...before]
    expect(await mentions()).toEqual(after)
    for (const path of [`/admin/posts/${post}`, `/admin/replies/${answer}`])
      for (const verb of ['hide', 'unhide']) await moderator.post(`${path}/${verb}`, {})
    expect(await mentions()).toEqual(after)
    expect(await bob.inbox('post.mentioned')).toMatchObject(after.map(() => ({ count: 1 })))
    await admin.delete(`/admin/rules/${id}`)
  })

  const caseOf = async (target: string) => {
    const [row] = await owner<{ id: string }[]>`
      select id from app.cases where target_id = ${target} and status = 'open'`
    return row?.id
  }
  const act = async (target: string, actions: string[], more: object = {}) =>
    expect(await moderator.post(`/admin/cases/${await caseOf(target)}/actions`, { actions, ...more })).toMatchObject({
      status: 200,
      body: { status: 'closed' },
    })

  test('is shown again when staff dismisses its case, which lifts the decision', async () => {
    const id = await live({
      appliesTo: ['post', 'debate'],
      conditions: [{ kind: 'words', words: ['roulette'] }],
    })
    const post = await publish(alice, { body: '@bob Roulette' })
    const kept = await publish(alice, { body: '@bob Roulette' })
    const debate = await alice.post<{ id: string }>('/debates', {
      title: 'Roulette',
      body: 'Which?',
      closesAt: new Date(Date.now() + 86_400_000).toISOString(),
    })
    await work()
    const mentioned = async () =>
      (await bob.inbox('post.mentioned')).filter(({ payload }) => payload.postId === post || payload.postId === kept)
    expect(await decisionOf(post)).toMatchObject({ liftedAt: null })
    for (const target of [post, debate.body.id]) await act(target, ['dismiss'])
    for (const _ of [1, 2]) await work()
    await applyEffects(owner)
    expect(await bob.get(`/posts/${post}`)).toMatchObject({ status: 200, body: { hiddenAt: null } })
    expect(await bob.get(`/debates/${debate.body.id}`)).toMatchObject({ status: 200, body: { removedAt: null } })
    expect(await mentioned()).toMatchObject([{ count: 1, payload: { postId: post } }])
    for (const target of [post, debate.body.id])
      expect(await decisionOf(target)).toMatchObject({ automated: true, liftedAt: expect.any(String) })
    const history = await owner`select e.kind from app.case_events e join app.cases c on c.id = e.case_id
      where c.target_id = ${post} order by e.id`
    expect(history.map(({ kind }) => kind)).toEqual(['opened', 'hide', 'unhide', 'dismissed', 'closed'])
    expect(await bob.get(`/posts/${kept}`)).toFailWith(404, 'post_unknown')
    expect(await decisionOf(kept)).toMatchObject({ liftedAt: null })

    // the last report that is dismissed closes the case
    const [report] = await owner<{ id: string }[]>`
      with made as (
        insert into app.reports (reporter_id, target_type, target_id, reason)
        values (${bob.id}, 'post', ${kept}, 'Ads') returning id)
      select id from made`
    expect(await moderator.post(`/admin/reports/${report?.id}/dismiss`)).toMatchObject({ status: 200 })
    expect(await bob.get(`/posts/${kept}`)).toMatchObject({ status: 200, body: { hiddenAt: null } })
    expect(await decisionOf(kept)).toMatchObject({ liftedAt: expect.any(String) })
    await admin.delete(`/admin/rules/${id}`)
  })

  test('is hidden by a decision of staff once staff hides it too, and a dismissal does not undo that', async () => {
    const id = await live({ category: 'spam', appliesTo: ['post', 'reply', 'debate'] })
    const plain = await publish(bob, { body: 'Plain' })
    const [inCase, directly] = [await publish(alice, { body: spam }), await publish(alice, { body: spam })]
    const early = await reply(alice, plain, { body: spam })
    expect(await moderator.post(`/admin/replies/${early}/hide`, { reason: 'No ads' })).toMatchObject({ status: 200 })
    await work()
    await act(inCase, ['hide'], { reason: 'No ads' })
    for (const _ of [1, 2]) await moderator.post(`/admin/posts/${directly}/hide`, { reason: 'No ads' })
    const { decisions } = (await alice.get<Standing & { decisions: { automated: boolean }[] }>('/me/standing')).body
    const about = (target: string) => decisions.filter(({ targetId }) => targetId === target)
    const byStaff = { action: 'hide', reason: 'No ads', automated: false, liftedAt: null }
    for (const target of [inCase, directly]) {
      expect(about(target)).toMatchObject([byStaff, { automated: true, liftedAt: expect.any(String) }])
      expect(await bob.get(`/posts/${target}`)).toFailWith(404, 'post_unknown')
    }
    expect(about(early)).toMatchObject([byStaff])
    for (const target of [directly, early]) await act(target, ['dismiss'])
    expect(await bob.get(`/posts/${directly}`)).toFailWith(404, 'post_unknown')
    expect(await bob.get(`/posts/${plain}`)).toMatchObject({ body: { replies: { items: [] } } })
    await admin.delete(`/admin/rules/${id}`)
  })

  test('stays hidden after a dismissal of the case if staff had hidden it before', async () => {
    const post = await publish(alice, { body: 'Plain' })
    await owner`update app.posts set hidden_at = now() where id = ${post}` // release 1.0.0 hid posts without a decision
    const id = await live()
    expect(await alice.patch(`/posts/${post}`, { body: spam })).toMatchObject({ status: 200 })
    await work()
    await act(post, ['dismiss'])
    expect(await bob.get(`/posts/${post}`)).toFailWith(404, 'post_unknown')
    await admin.delete(`/admin/rules/${id}`)
  })

  test('notifies the people it answers only once, when staff shows it for the first time', async () => {
    const id = await live()
    const plain = await publish(bob, { body: 'Plain' })
    const answer = await reply(alice, plain, { body: spam })
    const told = async () => {
      for (const _ of [1, 2]) await work()
      await applyEffects(owner)
      return (await bob.inbox('post.replied')).filter(({ payload }) => payload.replyId === answer)
    }
    expect(await told()).toEqual([])
    for (const verb of ['unhide', 'hide', 'unhide']) {
      await moderator.post(`/admin/replies/${answer}/${verb}`, {})
      expect(await told()).toMatchObject([{ count: 1, actors: [{ username: 'alice' }] }])
    }
    await admin.delete(`/admin/rules/${id}`)
  })
})

describe('Edits and contents', () => {
  const hits = async (rule: string) => {
    await applyEffects(owner)
    const { body } = await moderator.get<Page<{ targetId: string }>>(`/admin/rules/${rule}/hits`)
    return body.items.map(({ targetId }) => targetId)
  }
  const appliesTo = ['post', 'reply', 'debate', 'problem']
  const debate = (title: string, body: string) =>
    alice.post<{ id: string; removedAt: string | null }>('/debates', {
      title,
      body,
      closesAt: new Date(Date.now() + 86_400_000).toISOString(),
    })

  test('A post is judged again when its words change, and only then', async () => {
    const [old, post, noted] = [await publish(alice, { body: spam }), await publish(alice), await publish(alice)]
    await applyEffects(owner)
    const id = await live()
    const shadow = await made()
    expect(await alice.patch(`/posts/${old}`, { depth: 1 })).toMatchObject({ status: 200, body: { hiddenAt: null } })
    expect(await alice.patch(`/posts/${post}`, { body: 'Fine' })).toMatchObject({ body: { hiddenAt: null } })
    expect(await alice.patch(`/posts/${post}`, { body: spam })).toMatchObject({
      body: { hiddenAt: expect.any(String) },
    })
    expect(await bob.get(`/posts/${post}`)).toFailWith(404, 'post_unknown')
    expect(await hits(id)).toEqual([post])
    expect(await hits(shadow)).toEqual([post])
    await admin.patch(`/admin/rules/${id}`, { mode: 'off' })
    await alice.patch(`/posts/${noted}`, { body: spam })
    await alice.patch(`/posts/${noted}`, { body: 'Fine again' })
    expect(await hits(shadow)).toEqual([noted, post])
    // the sample has the newest version that the rule hits
    const replay = await admin.post<Replay>(`/admin/rules/${shadow}/replay`, {})
    expect(replay.body.sample[0]).toMatchObject({ targetId: noted, excerpt: spam })
    for (const rule of [id, shadow]) await admin.delete(`/admin/rules/${rule}`)
  })

  test('After an edit, the rules about reports judge a post that was reported before', async () => {
    await owner`insert into app.reports (reporter_id, target_type, target_id, reason, status, reviewed_at, created_at)
      select id, 'video', gen_random_uuid(), 'x', 'reviewed', now(), now() - interval '1 day'
      from app.users, generate_series(1, 3) where username = 'bob'`
    const post = await publish(alice)
    const id = await live({
      conditions: [
        { kind: 'words', words: ['casino'] },
        { kind: 'reports', people: 1 },
      ],
    })
    await bob.post('/reports', { targetType: 'post', targetId: post, reason: 'Ads' })
    expect(await hits(id)).toEqual([])
    expect(await alice.patch(`/posts/${post}`, { body: spam })).toMatchObject({
      body: { hiddenAt: expect.any(String) },
    })
    expect(await hits(id)).toEqual([post])
    await admin.delete(`/admin/rules/${id}`)
  })

  test('A content is judged when it is created and when it is edited, and an admin can restore it', async () => {
    const id = await live({ appliesTo, category: 'spam' })
    const shadow = await made({ appliesTo })
    const [held, fine] = [(await debate('Casino', `See ${spam}`)).body, (await debate('Songs', 'Which?')).body]
    expect(await alice.get(`/debates/${held.id}`)).toMatchObject({ body: { removedAt: expect.any(String) } })
    expect(await bob.get(`/debates/${held.id}`)).toFailWith(404, 'debate_unknown')
    expect(await bob.get(`/debates/${fine.id}`)).toMatchObject({ status: 200, body: { removedAt: null } })
    await alice.patch(`/debates/${fine.id}`, { title: spam })
    expect(await bob.get(`/debates/${fine.id}`)).toFailWith(404, 'debate_unknown')
    expect(await hits(id)).toEqual([fine.id, held.id])
    expect(await hits(shadow)).toEqual([fine.id, held.id])
    expect((await alice.inbox('moderation.actioned'))[0]).toMatchObject({
      payload: { targetType: 'debate', targetId: fine.id, action: 'held' },
    })
    await work()
    const { decisions } = (await alice.get<{ decisions: object[] }>('/me/standing')).body
    expect(decisions[0]).toMatchObject({ action: 'remove', targetType: 'debate', category: 'spam', automated: true })
    const replay = await admin.post<Replay>(`/admin/rules/${shadow}/replay`, {})
    const found = replay.body.sample.filter((one) => 'targetType' in one && one.targetType === 'debate')
    expect(found).toMatchObject([
      { targetId: fine.id, removed: false },
      { targetId: held.id, removed: false, excerpt: `Casino\nSee ${spam}` },
    ])
    expect(await admin.post(`/admin/content/debates/${held.id}/restore`, {})).toMatchObject({ status: 200 })
    expect(await bob.get(`/debates/${held.id}`)).toMatchObject({ status: 200 })
    for (const rule of [id, shadow]) await admin.delete(`/admin/rules/${rule}`)
  })

  test('A rule that does not name a kind does not judge it, and a draft is judged when it is published', async () => {
    const id = await live()
    const shown = (await debate('Casino', spam)).body
    expect(await bob.get(`/debates/${shown.id}`)).toMatchObject({ status: 200 })
    const courses = await live({ appliesTo: ['course'] })
    const made = await admin.post<{ id: string }>('/courses', { title: 'Casino', summary: spam, depth: 1 })
    const course = made.body.id
    await admin.post(`/courses/${course}/lessons`, { title: 'One', body: 'x' })
    expect(await hits(courses)).toEqual([])
    expect(await admin.post(`/courses/${course}/publish`, {})).toMatchObject({ status: 200 })
    expect(await hits(courses)).toEqual([course])
    for (const rule of [id, courses]) await admin.delete(`/admin/rules/${rule}`)
  })

  test('A report can make a rule hide a content, and the bounty of a hidden problem is refunded', async () => {
    const id = await live({ appliesTo, conditions: [{ kind: 'reports', people: 1 }] })
    const shown = (await debate('Quiet', 'x')).body
    expect(await bob.post('/reports', { targetType: 'debate', targetId: shown.id, reason: 'Ads' })).toMatchObject({
      status: 201,
    })
    expect(await hits(id)).toEqual([shown.id])
    await admin.delete(`/admin/rules/${id}`)
    const problems = await live({ appliesTo: ['problem'] })
    const balance = async () => (await alice.get<{ balance: number }>('/economy/wallet')).body.balance
    const before = await balance()
    const problem = await alice.post<{ id: string }>('/problems', { title: 'Casino', body: spam, bounty: 3 })
    expect(problem).toMatchObject({ status: 201 })
    expect(await bob.get(`/problems/${problem.body.id}`)).toFailWith(404, 'problem_unknown')
    expect(await balance()).toBe(before)
    await admin.delete(`/admin/rules/${problems}`)
  })
})
