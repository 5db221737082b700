// Reserving an invite code, at both paths.
import { describe, expect, test } from 'vitest'
import { newCode, reserve } from '../../support/codes.ts'
import { applicant } from '../../support/joining.ts'
import { world } from '../../support/world.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const CANDIDATE = 'c56a4180-65aa-42ec-a945-5fd21dec0538'
const { alice, admin, nobody, database } = await world({ people: ['alice'] })

const change = (code: string, columns: Record<string, unknown>) =>
  database.owner`update app.invite_codes set ${database.owner(columns)} where code = ${code}`

describe.each([
  ['/auth/reserve-invite', {}, 'sessionId', 'expiresAt'],
  ['/identity/invite-codes/reserve', { candidateSessionId: CANDIDATE }, 'inviteCodeId', 'reservedUntil'],
])('POST %s', (path, more, id, until) => {
  const ask = (code: unknown) => nobody.post<Record<string, string>>(path, { code, ...more })

  test('reserves a code for 30 minutes, and the reservation can be used to register', async () => {
    const { status, body } = await ask(await newCode(admin))
    expect([status, Object.keys(body).sort()]).toEqual([200, [id, until].sort()])
    expect(body[id]).toMatch(UUID)
    const minutes = (Date.parse(body[until] ?? '') - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(29)
    expect(minutes).toBeLessThan(31)
    const person = applicant(`by_${id.toLowerCase()}`)
    expect(await nobody.post('/auth/register', { sessionId: body[id], ...person })).toMatchObject({ status: 201 })
  })

  test('accepts a code in lower case and with spaces around it', async () => {
    expect(await ask(` ${(await newCode(admin)).toLowerCase()} `)).toMatchObject({ status: 200 })
  })

  test('answers 409 for a code that somebody else has reserved', async () => {
    const code = await newCode(admin)
    await reserve(nobody, code)
    expect(await ask(code)).toFailWith(409, 'invite_reserved')
  })

  test.each(['INV-ZZZZZZ', 'nonsense', ''])('answers 404 for the unknown code "%s"', async (code) => {
    expect(await ask(code)).toFailWith(404, 'invite_unknown')
  })

  test.each([
    ['expired', { status: 'expired' }],
    ['overdue', { expires_at: '2020-01-01' }],
    ['revoked', { status: 'revoked' }],
    ['used', { status: 'used', used_by: alice.id, used_at: '2026-01-01' }],
  ])('answers 410 for a code that is %s', async (_what, columns) => {
    await database.owner`update app.invite_codes set status = 'revoked', used_by = null, used_at = null where used_by = ${alice.id}`
    const code = await newCode(admin)
    await change(code, columns)
    expect(await ask(code)).toFailWith(410, 'invite_dead')
  })

  test.each([
    [{ ...more }],
    [{ ...more, code: 1 }],
    [{ ...more, code: null }],
    [{ ...more, code: 'x'.repeat(41) }],
    [[]],
  ])('rejects %j with 422', async (body) => {
    expect(await nobody.post(path, body)).toFailWith(422, 'validation_failed')
  })
})

describe('POST /identity/invite-codes/reserve', () => {
  const path = '/identity/invite-codes/reserve'

  test('allows a candidate one reservation: a second one frees the first code', async () => {
    const [first, second] = [await newCode(admin), await newCode(admin)]
    const candidate = { candidateSessionId: crypto.randomUUID() }
    const before = await nobody.post<{ inviteCodeId: string }>(path, { code: first, ...candidate })
    expect(await nobody.post(path, { code: second, ...candidate })).toMatchObject({ status: 200 })
    const person = { sessionId: before.body.inviteCodeId, ...applicant('hasty') }
    expect(await nobody.post('/auth/register', person)).toFailWith(410, 'reservation_over')
    expect(await nobody.post('/auth/reserve-invite', { code: first })).toMatchObject({ status: 200 })
  })

  test.each([undefined, 'x', 'c232ab00-9414-11ec-b3c8-9f6bdeced846', 1])(
    'rejects %s as a candidate session',
    async (candidateSessionId) => {
      const body = { code: await newCode(admin), candidateSessionId }
      expect(await nobody.post(path, body)).toFailWith(422, 'validation_failed')
    },
  )
})
