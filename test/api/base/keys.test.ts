// Idempotency-Key: each POST of members that answers 201 can be repeated safely, and all other routes refuse the
// header. test/failures.test.ts compares the routes with the operations. The tests of each feature repeat the requests
// that publish something or move mana.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import type { Person } from '../../support/person.ts'
import { publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const DATA_DIR = mkdtempSync(join(tmpdir(), 'kith-keys-'))
afterAll(() => rmSync(DATA_DIR, { recursive: true }))
const { alice, bob, carla, admin, nobody, database } = await world({ env: { DATA_DIR } })
const { owner } = database
const later = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
const long = 'x'.repeat(50)

/** The number of rows of each of Kith's tables. */
const rowCounts = () => owner`
  select relname, (xpath('//n/text()', query_to_xml(format('select count(*) n from app.%I', relname), false, true, '')))[1]::text
  from pg_class where relnamespace = 'app'::regnamespace and relkind = 'r' order by relname`

/** Sends a create twice with one key. @returns the id of what it made */
async function twice(who: Person, path: string, body: object = {}): Promise<string> {
  const headers = { 'Idempotency-Key': 'the same key' }
  const once = await who.post<{ id: string }>(path, body, headers)
  expect(once.status, `${path} ${once.text}`).toBe(201)
  expect(once.headers.get('idempotency-replayed')).toBeNull()
  const before = await rowCounts()
  const again = await who.post(path, body, headers)
  expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true'])
  expect({ ...(again.body as object), ...signed }).toEqual({ ...once.body, ...signed })
  expect(await rowCounts()).toEqual(before)
  return once.body.id
}
/** The URL of an upload is signed at each request. */
const signed = { uploadUrl: '', expiresAt: '' }

test('A repeated create of any kind returns the first answer and creates nothing', async () => {
  const [music] = await owner<{ id: string }[]>`select id from app.interests where slug = 'music'`
  const interestId = music?.id ?? ''
  for (const { id } of [alice, bob, admin])
    await owner`select private.add_reputation(${id}, ${interestId}, 'admin.adjusted', 200)`
  const post = await publish(alice)

  await twice(alice, '/me/invites')
  await twice(alice, '/me/personas', { name: 'Ink' })
  await twice(alice, '/me/interests', { interestId, depth: 1, expertise: 1 })
  await twice(alice, '/identity/me/muted-keywords', { keyword: 'rain' })
  await twice(alice, '/media/presign', { kind: 'image', contentType: 'image/png', size: 100 })

  const circle = await twice(alice, '/circles/me', { name: 'Friends' })
  await twice(alice, `/circles/me/${circle}/members`, { memberId: 'bob' })
  await twice(alice, `/circles/me/${circle}/invitations`, { inviteeId: 'carla' })
  await twice(alice, `/posts/${post}/replies`, { body: 'Indeed' })
  await twice(alice, `/posts/${post}/co-authors`, { userId: 'bob', splitShare: 10 })
  const series = await twice(alice, '/posts/series', { title: 'Parts' })
  await twice(alice, `/posts/series/${series}/items`, { postId: post })
  await twice(bob, '/reports', { targetType: 'post', targetId: post, reason: 'Off topic' })
  await twice(bob, '/reputation/appeals', { interestId, text: 'I did more.' })
  await twice(alice, '/wiki/music/proposals', { body: 'x', summary: 'x', baseVersion: 0 })
  await twice(alice, '/ai/sessions', { topic: 'Rain' })

  const talk = await twice(alice, '/conversations', { kind: 'group', title: 'All', memberIds: ['bob'] })
  await alice.post(`/circles/me/${circle}/members`, { memberId: 'carla' })
  await twice(alice, `/conversations/${talk}/members`, { userIds: ['carla'] })

  const group = await twice(alice, '/groups', { name: 'Group' })
  await twice(alice, `/groups/${group}/invitations`, { inviteeId: 'carla' })
  const guild = await twice(admin, '/guilds', { name: 'Guild', interestId })
  await twice(bob, `/guilds/${guild}/applications`)
  await twice(admin, `/guilds/${guild}/proposals`, { kind: 'charter', title: 'x', payload: { charter: 'We sing' } })

  const course = await twice(alice, '/courses', { title: 'A course', summary: 'x', depth: 0 })
  await twice(alice, `/courses/${course}/lessons`, { title: 'A lesson', body: 'x' })
  const debate = await twice(alice, '/debates', { title: 'A debate', body: 'x', closesAt: later(1) })
  await alice.put(`/debates/${debate}/position`, { side: 'for' })
  await twice(alice, `/debates/${debate}/arguments`, { side: 'for', body: long })
  const place = { timezone: 'UTC', location: { kind: 'online', url: 'https://example.org' } }
  await twice(alice, '/events', { title: 'A walk', body: 'x', startsAt: later(1), endsAt: later(2), ...place })
  const problem = await twice(alice, '/problems', { title: 'A problem', body: 'How?' })
  await twice(bob, `/problems/${problem}/solutions`, { body: long })
  const project = await twice(alice, '/projects', { title: 'A project', summary: 'x' })
  const roleId = await twice(alice, `/projects/${project}/roles`, { name: 'Illustrator' })
  await twice(bob, `/projects/${project}/applications`, { roleId })
  await twice(alice, `/projects/${project}/updates`, { body: 'It grows.' })
  const clip = { mediaUrl: 'https://cdn.example.org/clip.mp4' }
  await twice(alice, '/audio', clip)
  const video = await twice(alice, '/videos', clip)
  await twice(bob, `/videos/${video}/comments`, { body: 'Well said.' })

  const offering = await twice(alice, '/economy/market/offerings', {
    ...{ title: 'A chair', description: 'x', priceMana: 1, deliveryDays: 7 },
  })
  const order = await bob.post<{ order: { id: string } }>(`/economy/market/offerings/${offering}/orders`, {
    expectedPrice: 1,
  })
  const at = `/economy/market/orders/${order.body.order.id}`
  await alice.post(`${at}/accept`)
  await alice.post(`${at}/deliver`, { deliveryNote: 'Here.' })
  await bob.post(`${at}/complete`)
  await twice(bob, `/economy/market/orders/${order.body.order.id}/review`, { stars: 5 })
  await applyEffects(owner)
})

describe('A key', () => {
  const key = { 'Idempotency-Key': 'k' }

  test.each([
    ['a read', () => alice.get('/me', key)],
    ['a list', () => alice.get('/feed', key)],
    ['an edit', () => alice.patch('/me', { displayName: 'Al' }, key)],
    ['a delete', () => alice.delete('/me/push-token', { token: 'x' }, key)],
    ['a login', () => nobody.post('/auth/login', { email: 'a@example.org', password: 'x' }, key)],
    ['an action that can be repeated anyway', () => alice.post('/users/bob/follow', {}, key)],
  ])('is refused with 422 by %s', async (_what, ask) => {
    expect(await ask()).toFailWith(422, 'key_not_taken')
  })

  test('is refused only after 401 and 403', async () => {
    expect(await nobody.get('/me', key)).toFailWith(401, 'token_missing')
    expect(await alice.get('/admin/users', key)).toFailWith(403, 'role_required')
  })

  test('belongs to its caller, its operation and its body', async () => {
    const make = (who: Person, name: string) => who.post<{ id: string }>('/circles/me', { name }, key)
    const one = await make(alice, 'One')
    expect((await make(bob, 'One')).body.id).not.toBe(one.body.id)
    expect(await make(alice, 'Two')).toFailWith(422, 'idempotency_key_reused')
    expect(await carla.post('/groups', { name: 'One' }, key)).toMatchObject({ status: 201 })
  })

  test('creates one thing for ten concurrent requests', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        alice.post<{ id: string }>('/groups', { name: 'One' }, { 'Idempotency-Key': 'ten' }),
      ),
    )
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
  })

  test('returns the first status again, even if it was not 201', async () => {
    const direct = () =>
      alice.post('/conversations', { kind: 'direct', memberIds: ['bob'] }, { 'Idempotency-Key': 'direct' })
    await alice.post('/conversations', { kind: 'direct', memberIds: ['bob'] })
    expect([(await direct()).status, (await direct()).status]).toEqual([200, 200])
  })
})
