// Registering with a reservation, at both paths.
import { describe, expect, test } from 'vitest'
import { newCode, reserve } from '../../support/codes.ts'
import { claimsOf } from '../../support/crawler.ts'
import { applicant } from '../../support/joining.ts'
import { outward } from '../../support/names.ts'
import type { Pair } from '../../support/sessions.ts'
import { ownOnly } from '../../support/target.ts'
import { world } from '../../support/world.ts'

const CANDIDATE = 'c56a4180-65aa-42ec-a945-5fd21dec0538'
const { alice, admin, nobody, database } = await world({ people: ['alice'] })

type Session = { accessToken: string; user: { id: string; username: string; email: string; role: string } }

const change = (code: string, columns: Record<string, unknown>) =>
  database.owner`update app.invite_codes set ${database.owner(columns)} where code = ${code}`

describe('POST /auth/register', async () => {
  const sessionId = await reserve(nobody, await newCode(admin))
  const { sessionId: _, ...form } = { sessionId, ...applicant('ada') }
  const whole = { sessionId, ...form }
  const birthday = (years: number, days: number) => {
    const date = new Date()
    date.setUTCFullYear(date.getUTCFullYear() - years, date.getUTCMonth(), date.getUTCDate() + days)
    return date.toISOString().slice(0, 10)
  }

  test.each(Object.keys(whole))('requires %s', async (field) => {
    const { status, headers, body } = await nobody.post('/auth/register', { ...whole, [field]: undefined })
    expect([status, headers.get('x-error-code')]).toEqual([422, 'validation_failed'])
    expect(body).toMatchObject({ error: 'Unprocessable Entity', message: [expect.stringMatching(`^${field}: `)] })
  })

  test.each([
    ['email', 'not-an-address'],
    ['email', ''],
    ['email', 'ada@nowhere'],
    ['email', `${'a'.repeat(250)}@b.example`],
    ['password', '7 chars'],
    ['password', 12345678],
    ['password', 'x'.repeat(1025)],
    ['firstName', ''],
    ['firstName', '   '],
    ['firstName', 'x'.repeat(81)],
    ['lastName', ''],
    ['lastName', 5],
    ['dateOfBirth', '31.01.1990'],
    ['dateOfBirth', '1990-02-30'],
    ['dateOfBirth', '1990-01-31T00:00:00Z'],
    ['dateOfBirth', ''],
    ['dateOfBirth', 631152000],
    ['country', 'DEU'],
    ['country', 'XK'],
    ['country', 'ZZ'],
    ['country', 'de'],
    ['country', ''],
    ['city', ''],
    ['city', '  '],
    ['city', 'x'.repeat(121)],
    ['sessionId', 'x'],
    ['sessionId', null],
  ])('rejects the %s %j with 422', async (field, value) => {
    const answer = await nobody.post('/auth/register', { ...whole, [field]: value })
    expect(answer).toFailWith(422, 'validation_failed')
    expect(answer.body).toMatchObject({ message: [expect.stringMatching(`^${field}: `)] })
  })

  test('names every invalid field', async () => {
    const { body } = await nobody.post<{ message: string[] }>('/auth/register', { ...whole, email: 'x', city: '' })
    expect(body.message.map((line) => line.split(':')[0])).toEqual(['email', 'city'])
  })

  test.each([birthday(18, 1), birthday(0, 0), birthday(-1, 0)])(
    'rejects the date of birth %s as under age',
    async (dateOfBirth) => {
      expect(await nobody.post('/auth/register', { ...whole, dateOfBirth })).toFailWith(422, 'under_age')
    },
  )

  test('answers 409 for a registered address, in any letter case, and keeps the reservation', async () => {
    for (const email of [alice.email, alice.email.toUpperCase()]) {
      expect(await nobody.post('/auth/register', { ...whole, email })).toFailWith(409, 'email_taken')
    }
    const [row] = await database.owner`select status from app.invite_codes where reservation_id = ${sessionId}`
    expect(row).toEqual({ status: 'reserved' })
  })

  test('registers a person who turned 18 today, after all those failures, and ignores unknown fields', async () => {
    const more = { role: 'admin', username: 'root', bannedAt: '2020-01-01', id: CANDIDATE }
    const born = { dateOfBirth: birthday(18, 0) }
    const { status, body } = await nobody.post<Session>('/auth/register', { ...whole, ...more, ...born })
    expect([status, Object.keys(body).sort()]).toEqual([201, ['accessToken', 'deviceToken', 'user']])
    expect(body.user).toMatchObject({ email: whole.email, role: 'user', username: 'ada', country: 'DE', ...born })
    expect(body.user.id).not.toBe(CANDIDATE)
    const claims = claimsOf(body.accessToken) as Record<string, number>
    expect(Object.keys(claims).sort()).toEqual(['email', 'exp', 'iat', 'role', 'sub'])
    expect(claims).toMatchObject({ sub: body.user.id, email: outward(whole.email, nobody.suffix), role: 'user' })
    expect(Number(claims.exp) - Number(claims.iat)).toBe(7 * 86_400)
    expect((await nobody.withToken(body.accessToken).get('/me')).body).toEqual(body.user)
  })

  test('accepts a reservation once', async () => {
    const again = { ...whole, email: 'second@example.org' }
    expect(await nobody.post('/auth/register', again)).toFailWith(410, 'reservation_over')
  })

  test('answers 410 for an unknown reservation', async () => {
    const unknown = { ...whole, sessionId: crypto.randomUUID(), email: 'second@example.org' }
    expect(await nobody.post('/auth/register', unknown)).toFailWith(410, 'reservation_over')
  })

  test('answers 410 for a reservation after its half hour', async () => {
    const code = await newCode(admin)
    const late = { ...form, sessionId: await reserve(nobody, code), email: 'late@example.org' }
    await change(code, { reserved_until: '2020-01-01' })
    expect(await nobody.post('/auth/register', late)).toFailWith(410, 'reservation_over')
    expect(await nobody.post('/auth/reserve-invite', { code })).toMatchObject({ status: 200 })
  })

  test('generates another username if the obvious one is taken', async () => {
    ownOnly('requires usernames that nobody has')
    const twin = {
      ...applicant('alice'),
      email: 'twin@example.org',
      sessionId: await reserve(nobody, await newCode(admin)),
    }
    const { body } = await nobody.post<Session>('/auth/register', twin)
    expect(body.user.username).toMatch(/^alice_\d{1,4}$/)
  })

  test('keeps names in any script as they were entered', async () => {
    ownOnly('requires usernames that nobody has')
    const names = { firstName: ' Zoë "Z" ', lastName: '例子\\{}', city: " L'Aquila " }
    const session = await reserve(nobody, await newCode(admin))
    const { body } = await nobody.post<Session>('/auth/register', { ...applicant('zoe'), ...names, sessionId: session })
    expect(body.user).toMatchObject({ firstName: 'Zoë "Z"', lastName: '例子\\{}', city: "L'Aquila", username: 'zoe_z' })
  })
})

describe('POST /identity/register', async () => {
  const path = '/identity/register'
  async function form(name: string) {
    const candidate = { code: await newCode(admin), candidateSessionId: crypto.randomUUID() }
    const reserved = await nobody.post<{ inviteCodeId: string }>('/identity/invite-codes/reserve', candidate)
    const { email, password, ...input } = applicant(name)
    return { inviteCodeId: reserved.body.inviteCodeId, email, password, input }
  }
  const whole = await form('ida')

  test.each(['inviteCodeId', 'email', 'password', 'input'])('requires %s', async (field) => {
    const { status, body } = await nobody.post(path, { ...whole, [field]: undefined })
    expect([status, body]).toMatchObject([422, { message: [expect.stringMatching(`^${field}: `)] }])
  })

  test.each(Object.keys(whole.input))('requires %s in input', async (field) => {
    const { status, body } = await nobody.post(path, { ...whole, input: { ...whole.input, [field]: undefined } })
    expect([status, body]).toMatchObject([422, { message: [expect.stringMatching(`^input.${field}: `)] }])
  })

  test('rejects a body for /auth/register, which rejects a body for this path', async () => {
    const { inviteCodeId, email, password, input } = whole
    const other = { sessionId: inviteCodeId, email, password, ...input }
    expect(await nobody.post(path, other)).toFailWith(422, 'validation_failed')
    expect(await nobody.post('/auth/register', whole)).toFailWith(422, 'validation_failed')
  })

  test('rejects the same inputs as /auth/register', async () => {
    const young = { ...whole, input: { ...whole.input, dateOfBirth: new Date().toISOString().slice(0, 10) } }
    expect(await nobody.post(path, young)).toFailWith(422, 'under_age')
    expect(await nobody.post(path, { ...whole, email: alice.email })).toFailWith(409, 'email_taken')
    const unknown = { ...whole, inviteCodeId: crypto.randomUUID() }
    expect(await nobody.post(path, unknown)).toFailWith(410, 'reservation_over')
  })

  test('registers the person and starts a rotating session', async () => {
    const { status, body } = await nobody.post<Pair & { userId: string }>(path, whole)
    expect([status, Object.keys(body).sort()]).toEqual([201, ['accessToken', 'deviceToken', 'refreshToken', 'userId']])
    const claims = claimsOf(body.accessToken) as Record<string, number>
    expect(claims).toMatchObject({ sub: body.userId, email: outward(whole.email, nobody.suffix), role: 'user' })
    expect(Number(claims.exp) - Number(claims.iat)).toBe(900)
    const me = await nobody.withToken(body.accessToken).get('/me')
    expect(me).toMatchObject({ status: 200, body: { id: body.userId, firstName: 'ida', city: 'Berlin' } })
    expect(await nobody.post('/identity/refresh', { refreshToken: body.refreshToken })).toMatchObject({ status: 200 })
    const events = await database.owner`
      select name from app.domain_events where ${body.userId} in (payload ->> 'userId', payload ->> 'newUserId') order by id`
    expect(events.map(({ name }) => name)).toEqual(['identity.user_registered', 'identity.invite_code.used'])
    expect(await nobody.post(path, { ...whole, email: 'b@example.org' })).toFailWith(410, 'reservation_over')
  })
})
