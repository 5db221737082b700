// Staff lists over HTTP: every list with every filter, page by page, and with any text in `q`.
import { expect, test } from 'vitest'
import { loadTables } from '../../../api-facade/lib/features.ts'
import { spellings } from '../../../api-facade/lib/routes.ts'
import { applyEffects } from '../../support/database.ts'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish, reply } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, database, join } = await world()
const { owner } = database
const [mona, finn, gus] = (await join('mona', 'finn', 'gus')) as [Person, Person, Person]
await admin.patch('/admin/users/mona/role', { role: 'moderator' })
const moderator = await mona.login()

type Id = { id: string }
type Row = Record<string, unknown> & Id
const made = async (who: Person, path: string, body: object = {}) => {
  const answer = await who.post<Id>(path, body)
  expect(answer.status).toBeLessThan(300)
  return answer.body.id
}
const [interest] = await owner<
  { id: string; slug: string }[]
>`select id, slug from app.interests where level = 3 order by slug limit 1`
const circle = await made(alice, '/circles', { name: 'Bergfreunde', kind: 'custom' })
await alice.post(`/circles/me/${circle}/members`, { memberId: 'bob' })
const plain = await publish(alice, { body: 'Ein Weg über 100% der Berge' })
const essay = await publish(bob, { format: 'essay', title: 'On ink_and_paper', interestId: interest?.id })
const close = await publish(alice, { visibility: 'circles', body: 'For friends' })
const answer = await reply(bob, plain, { body: 'A "quoted" word' })
const veiled = await reply(carla, plain)
const parts = await made(alice, '/posts/series', { title: 'Gipfel', description: 'Of summits' })
await alice.post(`/posts/series/${parts}/items`, { postId: plain })
const report = await made(bob, '/reports', { targetType: 'post', targetId: plain, reason: 'It is spam' })
await made(carla, '/reports', { targetType: 'user', targetId: 'alice', reason: 'Rude' })
const session = (await alice.post<{ id: string }>('/ai/sessions', { topic: 'My secret plan' })).body.id
await carla.post(`/posts/${essay}/react`, { kind: 'heart' })
await owner`select private.add_reputation(${bob.id}, ${interest?.id ?? ''}, 'admin.adjusted', 20)`
await owner`insert into app.user_interests (user_id, interest_id, depth, expertise) values (${bob.id}, ${interest?.id ?? ''}, 1, 1)`
const voted = await bob.post('/reputation/vote', {
  userId: 'carla',
  interestId: interest?.id,
  value: 1,
  comment: 'Clear thinker',
})
expect(voted.status).toBeLessThan(300)
await owner`insert into app.media_assets (owner_id, kind, content_type, size, bucket, key, status, committed_at, mime_type, expires_at)
  values (${alice.id}, 'image', 'image/png', 10, 'local', 'alice/berg.png', 'committed', now(), 'image/png', null),
         (${alice.id}, 'image', 'image/png', 10, 'local', 'alice/sent.png', 'committed', now(), 'image/png', null),
         (${bob.id}, 'attachment', 'application/pdf', 10, 'local', 'bob/file.pdf', 'pending', null, null, now())`
await made(bob, `/wiki/${interest?.slug}/proposals`, { body: 'Ink is old.', summary: 'What ink is', baseVersion: 0 })
const appeal = await made(bob, '/reputation/appeals', { interestId: interest?.id, text: 'I wrote more than that' })
const paid = await alice.post<{ payment: Id }>('/economy/pay', { emotion: 'love', tier: 0, receiverId: 'carla' })
const payment = paid.body.payment.id
const group = await made(bob, '/groups', { name: 'Bergsteiger', visibility: 'private' })
await made(admin, '/guilds', { name: 'Inkers', interestId: interest?.id })
await made(admin, '/admin/rules', {
  name: 'Links',
  conditions: [{ kind: 'link' }],
  appliesTo: ['post'],
  action: 'case',
})
for (const name of ['Garden', 'Park'])
  await made(admin, '/apps', { name, redirectUris: ['https://garden.example/done'], scopes: ['posts:read'] })
const looking = await carla.put('/discovery/intent', { intent: 'mentor', note: 'Teach me' })
expect(looking.status).toBeLessThan(300)
await made(alice, '/groups', { name: 'Bergfreunde' })
await made(admin, '/guilds', { name: 'Kartographen', interestId: interest?.id })
const offering = await made(alice, '/economy/market/offerings', {
  title: 'A map',
  description: 'Of the hills',
  priceMana: 5,
  deliveryDays: 3,
})
await made(bob, `/economy/market/offerings/${offering}/orders`, { expectedPrice: 5 })
const talk = await made(alice, '/conversations', { kind: 'direct', memberIds: ['bob'] })
const [sent] = await owner<Id[]>`select id from app.media_assets where key = 'alice/sent.png'`
await made(alice, `/conversations/${talk}/messages`, { body: 'Look', assetId: sent?.id, clientId: crypto.randomUUID() })
await admin.post(`/admin/posts/${close}/hide`, { reason: 'Too close' })
await moderator.post(`/admin/replies/${veiled}/hide`)
await admin.post('/admin/users/finn/ban', { reason: 'Spam' })
await owner`update app.users set banned_at = now() where id = ${gus.id}`
await owner`select private.erase_person(${gus.id})`
const [decided] = await owner<Id[]>`select id from app.decisions where person_id = ${alice.id} and action = 'hide'`
const objected = await alice.post(`/me/standing/${decided?.id}/appeal`, { text: 'It is not too close' })
expect(objected.status).toBe(201)
await applyEffects(owner)
await owner`insert into pgboss.job (name, data, source_name, source_id, source_output, source_retry_count, source_created_on)
  select 'dead-letters', '{}', q, gen_random_uuid(), '{"message": "no"}', 3, now() from unnest('{mail,embeddings}'::text[]) q`
await owner`insert into private.stuck_effects (user_id, effect_id, event, attempts, retry_at, failed_at, message, context)
  select id, 1, 'posts.reply.created', 1, now() + interval '1 hour', now(), '22012 no', '' from app.users
  where id in (${alice.id}, ${bob.id})`

const ids = async (path: string, who = moderator) => (await who.get<Page<Row>>(path)).body.items.map(({ id }) => id)
const rows = async (path: string, who = moderator) => (await who.get<Page<Row>>(path)).body.items

// a list that belongs to one thing, such as the deliveries of a webhook, is tested together with that thing
const lists = spellings(await loadTables()).filter(({ path, row }) => /^\/admin\/[^:]*$/.test(path) && row.page)
const empty = ['/admin/content', '/admin/market/orders']
const hostile = [
  '%',
  '_',
  "'",
  '"',
  '\\',
  "'; drop table app.users; --",
  '$1',
  '%s %L',
  '%I',
  '(',
  '[a-z',
  '*',
  '🙂',
  'שלום',
  'é\u0301',
  '\u202e',
  'x'.repeat(200),
  UNKNOWN,
  '0',
  '-1',
  'null',
  '{}',
  'a@b',
  '@',
  '=1+1',
  '<b>',
]

test.each(lists.map(({ path, row }) => [path, row] as const))(
  'GET %s is paginated and accepts any text in q',
  async (path, row) => {
    const page = Object.values(row.answers)[0] as { parse(body: unknown): Page<Row> }
    const { body } = await admin.get<Page<Row>>(`${path}?limit=50`)
    if (!body.items) throw new Error(JSON.stringify(body))
    page.parse(body)
    if (path !== '/admin/signals') {
      const walked = await walk(admin, path, body.hasMore ? 50 : 1)
      expect(walked.slice(0, 50)).toEqual(body.items.map(({ id }) => id))
      expect(new Set(walked).size).toBe(walked.length)
      if (!empty.includes(path)) expect(walked.length).toBeGreaterThan(0)
      expect(await admin.get(`${path}?cursor=${UNKNOWN}`)).toFailWith(400, 'cursor_unknown')
    }
    expect(await admin.get(`${path}?cursor=x`)).toFailWith(400, 'cursor_unknown')
    for (const limit of ['0', '51', 'x'])
      expect(await admin.get(`${path}?limit=${limit}`)).toFailWith(422, 'validation_failed')
    const fields = Object.keys(row.query?.shape ?? {})
    if (!fields.includes('q')) return
    for (const q of hostile) {
      const found = await admin.get<Page<Row>>(`${path}?q=${encodeURIComponent(q)}`)
      expect([found.status, q]).toEqual([200, q])
      page.parse(found.body)
    }
    for (const q of ['', '%20', 'x'.repeat(201)])
      expect(await admin.get(`${path}?q=${q}`)).toFailWith(422, 'validation_failed')
    expect((await admin.get(`${path}?q=%00`)).status).toBe(422)
    const [first] = body.items
    if (first && path !== '/admin/audit-log') expect(await ids(`${path}?q=${first.id}`, admin)).toEqual([first.id])
    if (!fields.includes('from')) return
    expect(await ids(`${path}?to=2020-01-01T00:00:00Z`, admin)).toEqual([])
    expect(await ids(`${path}?from=2099-01-01T00:00:00Z`, admin)).toEqual([])
    expect(await ids(`${path}?from=2020-01-01T00:00:00Z&to=2099-01-01T00:00:00Z&limit=50`, admin)).toEqual(
      body.items.map(({ id }) => id),
    )
    expect(await admin.get(`${path}?from=yesterday`)).toFailWith(422, 'validation_failed')
  },
)

test('GET /admin/users filters people by role, status, name, email address and id', async () => {
  expect(await ids('/admin/users?role=moderator')).toEqual([mona.id])
  expect(await ids('/admin/users?role=admin')).toEqual([admin.id])
  expect(await ids('/admin/users?status=banned')).toEqual([finn.id])
  expect(await ids('/admin/users?status=erased')).toEqual([gus.id])
  expect(new Set(await ids('/admin/users?status=active'))).toEqual(
    new Set([mona.id, carla.id, bob.id, alice.id, admin.id]),
  )
  for (const q of ['aLiCe', alice.email, alice.actorId, alice.id])
    expect(await ids(`/admin/users?q=${encodeURIComponent(q)}`)).toEqual([alice.id])
  expect(await moderator.get('/admin/users?role=boss')).toFailWith(422, 'validation_failed')
  const { status, body } = await moderator.get<Row>('/admin/users/alice')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    id: alice.id,
    role: 'user',
    email: alice.email,
    bannedAt: null,
    invitedById: admin.id,
    invitedBy: { username: 'admin' },
    openReports: 1,
  })
  expect((await moderator.get(`/admin/users/${finn.id}`)).body).toMatchObject({
    id: finn.id,
    bannedAt: expect.any(String),
  })
  for (const who of ['zoe', UNKNOWN, gus.id])
    expect(await moderator.get(`/admin/users/${who}`)).toFailWith(404, 'person_unknown')
})

test('The lists of posts, replies and series contain those of every audience, and can be filtered', async () => {
  expect(await ids('/admin/posts')).toEqual([close, essay, plain])
  expect(await ids('/admin/posts?format=essay')).toEqual([essay])
  expect(await ids('/admin/posts?visibility=circles')).toEqual([close])
  expect(await ids('/admin/posts?hidden=true')).toEqual([close])
  expect(await ids('/admin/posts?hidden=false&authorId=alice')).toEqual([plain])
  expect(await ids('/admin/posts?journalism=true')).toEqual([])
  expect(await ids(`/admin/posts?interestId=${interest?.id}`)).toEqual([essay])
  expect(await ids('/admin/posts?q=100%25')).toEqual([plain])
  expect(await ids('/admin/posts?q=INK_')).toEqual([essay])
  expect(await ids('/admin/posts?q=inkxand')).toEqual([])
  expect(await moderator.get('/admin/posts?hidden=yes')).toFailWith(422, 'validation_failed')
  expect(await moderator.get('/admin/posts?authorId=zoe')).toFailWith(404, 'person_unknown')
  expect(await ids('/admin/replies?hidden=true')).toEqual([veiled])
  expect(await ids('/admin/replies?authorId=bob')).toEqual([answer])
  expect(await ids('/admin/replies?kind=criticism')).toEqual([])
  expect(await ids('/admin/replies?q=%22quoted%22')).toEqual([answer])
  expect(await rows('/admin/series?authorId=alice')).toMatchObject([{ id: parts, title: 'Gipfel', partCount: 1 }])
})

test('The lists of appeals, payments, wallets, conversations and groups can be filtered', async () => {
  expect(await rows('/admin/reputation/appeals?status=pending&userId=bob&q=MORE')).toMatchObject([
    { id: appeal, userId: bob.id, slug: interest?.slug },
  ])
  for (const query of ['status=accepted', 'userId=alice', 'q=less', `interestId=${UNKNOWN}`])
    expect([query, await ids(`/admin/reputation/appeals?${query}`)]).toEqual([query, []])
  for (const query of ['userId=alice', 'userId=carla', 'q=LOVE', 'q=aLic', `userId=carla&q=${payment}`])
    expect([query, await ids(`/admin/economy/payments?${query}`)]).toEqual([query, [payment]])
  for (const query of ['userId=bob', 'q=joy', `userId=bob&q=${payment}`, `q=${payment}&to=2020-01-01T00:00:00Z`])
    expect([query, await ids(`/admin/economy/payments?${query}`)]).toEqual([query, []])
  for (const query of ['userId=bob', 'q=bob', `q=${bob.id}`, `userId=bob&q=${bob.id}`])
    expect([query, await ids(`/admin/economy/wallets?${query}`)]).toEqual([query, [bob.id]])
  expect(await ids(`/admin/economy/wallets?userId=alice&q=${bob.id}`)).toEqual([])
  expect(await ids(`/admin/conversations?kind=direct&q=${talk}`)).toEqual([talk])
  for (const query of [`kind=group&q=${talk}`, 'q=alice', 'q=Look', `q=${talk}&from=2099-01-01T00:00:00Z`])
    expect([query, await ids(`/admin/conversations?${query}`)]).toEqual([query, []])
  expect(await ids('/admin/groups?visibility=private&q=BERG')).toEqual([group])
})

test('The lists of reports, circles and invite codes can be filtered, and don’t name a circle’s members', async () => {
  expect(await rows('/admin/reports?targetType=post&status=open')).toMatchObject([
    { id: report, reporterId: bob.id, targetId: plain, reason: 'It is spam', copy: null, reviewedById: null },
  ])
  expect(await ids(`/admin/reports?reporterId=bob&q=SPAM`)).toEqual([report])
  expect(await ids(`/admin/reports?q=${plain}`)).toEqual([report])
  expect(await ids(`/admin/reports?q=${plain}&targetType=reply`)).toEqual([])
  expect(await ids('/admin/reports?status=dismissed')).toEqual([])
  expect(await rows('/admin/circles?ownerId=alice&kind=custom')).toMatchObject([
    { id: circle, name: 'Bergfreunde', memberCount: 1 },
  ])
  expect(JSON.stringify(await rows('/admin/circles'))).not.toContain('bob')
  expect(await rows('/admin/invite-codes?status=used&q=admin&limit=1')).toMatchObject([
    { ownerId: admin.id, usedBy: expect.anything() },
  ])
  expect(await ids('/admin/invite-codes?ownerId=bob')).toEqual([])
})

test('The lists of ledger entries and votes can be filtered, and contribution is sorted by score', async () => {
  expect(await rows('/admin/reputation/events?userId=bob&rollUps=false&kind=admin.adjusted')).toMatchObject([
    { userId: bob.id, delta: 20, rollUpLevel: 0, slug: interest?.slug },
  ])
  expect(await rows('/admin/reputation/votes?userId=carla')).toMatchObject([
    { voterId: bob.id, value: 1, comment: 'Clear thinker' },
  ])
  expect(await ids('/admin/reputation/votes?voterId=alice')).toEqual([])
  const scores = (await rows('/admin/contribution?limit=50')).map(({ score }) => score as number)
  expect(scores).toEqual([...scores].sort((one, other) => other - one))
})

test('The list of uploads omits files sent in messages, and the list of AI sessions omits their texts', async () => {
  expect(await rows('/admin/media')).toMatchObject([
    { ownerId: alice.id, kind: 'image', status: 'committed', url: expect.stringContaining('berg.png') },
  ])
  expect(await ids('/admin/media?status=pending')).toEqual([])
  expect(await ids('/admin/media?ownerId=alice&q=sent')).toEqual([])
  const { text } = await moderator.get('/admin/assistant-sessions?userId=alice&status=in_progress')
  expect(JSON.parse(text).items).toMatchObject([{ id: session, questionCount: 1, answerCount: 0 }])
  expect(text).not.toContain('secret')
})

test('The list of intents can be filtered by kind, activity and note', async () => {
  expect(await rows('/admin/intents')).toMatchObject([
    { id: carla.id, intent: 'mentor', note: 'Teach me', isActive: true },
  ])
  expect(await ids('/admin/intents?active=false')).toEqual([])
  expect(await ids('/admin/intents?intent=mentor&active=true&q=TEACH')).toEqual([carla.id])
})

test('The audit log can be filtered by action, actor, target and text', async () => {
  const actions = async (query: string) => (await rows(`/admin/audit-log?${query}`, admin)).map(({ action }) => action)
  expect(await actions('actorId=mona')).toEqual(['reply.hidden'])
  expect(await actions('actor=mona')).toEqual(['reply.hidden'])
  expect(await actions('actor=admin&actorId=mona')).toEqual(['reply.hidden'])
  expect(await actions(`action=user.banned&targetId=${finn.id}`)).toEqual(['user.banned'])
  expect(await actions('q=Too close')).toEqual(['post.hidden'])
  expect(await actions('targetType=post')).toEqual(['post.hidden'])
  const [entry] = await rows('/admin/audit-log?action=user.banned', admin)
  expect(entry).toMatchObject({
    actorId: admin.id,
    actor: { username: 'admin' },
    targetType: 'user',
    ip: expect.any(String),
    detail: { reason: 'Spam' },
  })
  expect((await admin.get('/admin/audit-log/verify')).body).toMatchObject({ ok: true, firstBroken: null, next: null })
})
