import { expect, test } from 'vitest'
import { world } from '../../support/world.ts'

const { alice, bob, admin, nobody, database } = await world()
const { owner } = database
await owner`update app.users set role = 'moderator' where username = 'bob'`
const moderator = await bob.login()
const PATH = '/admin/broadcast'
const news = { title: 'A pause', body: 'On Sunday at noon, for an hour.' }
const traces = async () => {
  const [row] = await owner`
    select (select count(*)::int from app.broadcasts) as broadcasts,
           (select count(*)::int from pgboss.job where name = 'broadcasts') as jobs,
           (select count(*)::int from app.domain_events where name = 'admin.broadcast.sent') as events,
           (select count(*)::int from app.audit_log where action = 'broadcast.sent' and actor_id = ${admin.id}) as audited`
  return row
}

test('POST /admin/broadcast requires an admin, which it checks before it reads the body', async () => {
  for (const body of [news, '{', undefined]) {
    expect(await nobody.post(PATH, body)).toFailWith(401, 'token_missing')
    for (const person of [alice, moderator]) expect(await person.post(PATH, body)).toFailWith(403, 'role_required')
  }
})

test.each([
  [{}, 'validation_failed'],
  [{ ...news, title: ' ' }, 'validation_failed'],
  [{ ...news, title: 'x'.repeat(101) }, 'validation_failed'],
  [{ ...news, body: 'x'.repeat(1001) }, 'validation_failed'],
  [{ ...news, title: 'two\nlines' }, 'text_unfit'],
  [{ ...news, title: '\u200b' }, 'text_unfit'],
])('POST /admin/broadcast rejects %j with 422', async (body, code) => {
  expect(await admin.post(PATH, body)).toFailWith(422, code)
  expect(await traces()).toEqual({ broadcasts: 0, jobs: 0, events: 0, audited: 0 })
})

test('POST /admin/broadcast queues the message once per Idempotency-Key', async () => {
  for (const replayed of [null, 'true']) {
    const { status, body, headers } = await admin.post(PATH, news, { 'Idempotency-Key': 'pause' })
    expect([status, body]).toEqual([202, { ...news, id: expect.any(String), createdAt: expect.any(String) }])
    expect(headers.get('idempotency-replayed')).toBe(replayed)
  }
  expect(await traces()).toEqual({ broadcasts: 1, jobs: 1, events: 1, audited: 1 })
})
