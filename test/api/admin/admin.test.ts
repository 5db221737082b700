// Invite codes that staff generate.
import { describe, expect, test } from 'vitest'
import { world } from '../../support/world.ts'

describe('POST /admin/invite-codes/generate', async () => {
  const { alice, bob, admin, nobody, database } = await world({ people: ['alice', 'bob'] })
  await database.owner`update app.users set role = 'moderator' where username = 'bob'`
  const moderator = await bob.login()
  const path = '/admin/invite-codes/generate'
  type Codes = { items: { id: string; code: string; status: string; expiresAt: string }[] }

  test.each([1, 100])('generates %d codes for an admin', async (count) => {
    const { status, body } = await admin.post<Codes>(path, { count })
    expect([status, Object.keys(body)]).toEqual([201, ['items']])
    expect(new Set(body.items.map(({ code }) => code)).size).toBe(count)
    for (const item of body.items) {
      expect(item).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        code: expect.stringMatching(/^INV-[A-Z2-9]{6}$/),
        status: 'active',
        expiresAt: expect.any(String),
      })
      const days = (Date.parse(item.expiresAt) - Date.now()) / 86_400_000
      expect(days).toBeGreaterThan(29.9)
      expect(days).toBeLessThan(30.1)
    }
    const [{ code } = { code: '' }] = body.items
    const list = async (q: string) => (await admin.get<{ items: object[] }>(`/admin/invite-codes?q=${q}`)).body.items
    expect(await list(code)).toMatchObject([{ status: 'active', reservedUntil: null }])
    const reserved = await nobody.post<{ expiresAt: string }>('/auth/reserve-invite', { code })
    expect(reserved.status).toBe(200)
    expect(await list(code)).toMatchObject([{ status: 'reserved', reservedUntil: reserved.body.expiresAt }])
  })

  test('writes an audit entry with the address and without the codes', async () => {
    const before = await database.owner`select id from app.audit_log`
    await admin.post(path, { count: 7 }, { 'X-Forwarded-For': '203.0.113.9' })
    const [entry, ...others] = await database.owner`
      select l.id::int, l.action, l.actor_id, d.ip, d.detail
      from app.audit_log l join app.audit_details d on d.audit_id = l.id order by l.id desc`
    expect(others).toHaveLength(before.length)
    const rest = { actor_id: admin.id, ip: '127.0.0.1', detail: { count: 7 } }
    expect(entry).toEqual({ id: before.length + 1, action: 'invite_codes.generated', ...rest })
  })

  test.each([0, 101, -1, 1.5, '3', null, undefined])('rejects the count %j with 422', async (count) => {
    expect(await admin.post(path, { count })).toFailWith(422, 'validation_failed')
  })

  test.each([
    ['a user', alice, 403, 'role_required'],
    ['a moderator', moderator, 403, 'role_required'],
    ['nobody', nobody, 401, 'token_missing'],
  ] as const)('rejects %s before it reads the body', async (_who, person, status, code) => {
    for (const body of [{ count: 1 }, { count: 0 }, '{', undefined]) {
      expect(await person.post(path, body)).toFailWith(status, code)
    }
  })

  test('generates nothing for users and moderators', async () => {
    const codes = await database.owner`select from app.invite_codes where generated_by in (${alice.id}, ${bob.id})`
    const entries = await database.owner`select from app.audit_log where actor_id in (${alice.id}, ${bob.id})`
    expect([codes.length, entries.length]).toEqual([0, 0])
  })
})
