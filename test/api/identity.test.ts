// Joining by invite, logging in and out, one's own profile.
import { describe, expect, test } from 'vitest'
import { claimsOf } from '../support/crawler.ts'
import { outward } from '../support/names.ts'
import { ADMIN } from '../support/settings.ts'
import { ownOnly } from '../support/target.ts'
import { applicant, world } from '../support/world.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const CANDIDATE = 'c56a4180-65aa-42ec-a945-5fd21dec0538'
const { alice, admin, nobody, database, join } = await world({ people: ['alice'] })

type Session = { accessToken: string; user: { id: string; username: string; email: string; role: string } }

/** A fresh code of the admin. */
async function newCode(): Promise<string> {
  const { body } = await admin.post<{ items: { code: string }[] }>('/admin/invite-codes/generate', { count: 1 })
  return body.items[0]?.code ?? ''
}

async function reserve(code: string): Promise<string> {
  return (await nobody.post<{ sessionId: string }>('/auth/reserve-invite', { code })).body.sessionId
}

const change = (code: string, columns: Record<string, unknown>) =>
  database.owner`update app.invite_codes set ${database.owner(columns)} where code = ${code}`

describe.each([
  ['/auth/reserve-invite', {}, 'sessionId', 'expiresAt'],
  ['/identity/invite-codes/reserve', { candidateSessionId: CANDIDATE }, 'inviteCodeId', 'reservedUntil'],
])('POST %s', (path, more, id, until) => {
  const ask = (code: unknown) => nobody.post<Record<string, string>>(path, { code, ...more })

  test('reserves a code for 30 minutes, and registers with it', async () => {
    const { status, body } = await ask(await newCode())
    expect([status, Object.keys(body).sort()]).toEqual([200, [id, until].sort()])
    expect(body[id]).toMatch(UUID)
    const minutes = (Date.parse(body[until] ?? '') - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(29)
    expect(minutes).toBeLessThan(31)
    const person = applicant(`by_${id.toLowerCase()}`)
    expect(await nobody.post('/auth/register', { sessionId: body[id], ...person })).toMatchObject({ status: 201 })
  })

  test('takes a code as people type it', async () => {
    expect(await ask(` ${(await newCode()).toLowerCase()} `)).toMatchObject({ status: 200 })
  })

  test('refuses a code that another has reserved', async () => {
    const code = await newCode()
    await reserve(code)
    expect(await ask(code)).toFailWith(409, 'invite_reserved')
  })

  test.each(['INV-ZZZZZZ', 'nonsense', ''])('does not know %s', async (code) => {
    expect(await ask(code)).toFailWith(404, 'invite_unknown')
  })

  test.each([
    ['expired', { status: 'expired' }],
    ['overdue', { expires_at: '2020-01-01' }],
    ['revoked', { status: 'revoked' }],
    ['used', { status: 'used', used_by: alice.id, used_at: '2026-01-01' }],
  ])('refuses a code that is %s', async (_what, columns) => {
    await database.owner`update app.invite_codes set status = 'revoked', used_by = null, used_at = null where used_by = ${alice.id}`
    const code = await newCode()
    await change(code, columns)
    expect(await ask(code)).toFailWith(410, 'invite_dead')
  })

  test.each([
    [{ ...more }],
    [{ ...more, code: 1 }],
    [{ ...more, code: null }],
    [{ ...more, code: 'x'.repeat(41) }],
    [[]],
  ])('refuses %j', async (body) => {
    expect(await nobody.post(path, body)).toFailWith(422, 'validation_failed')
  })
})

describe('POST /identity/invite-codes/reserve', () => {
  const path = '/identity/invite-codes/reserve'

  test('gives a candidate one reservation: the one before is free again', async () => {
    const [first, second] = [await newCode(), await newCode()]
    const candidate = { candidateSessionId: crypto.randomUUID() }
    const before = await nobody.post<{ inviteCodeId: string }>(path, { code: first, ...candidate })
    expect(await nobody.post(path, { code: second, ...candidate })).toMatchObject({ status: 200 })
    const person = { sessionId: before.body.inviteCodeId, ...applicant('hasty') }
    expect(await nobody.post('/auth/register', person)).toFailWith(410, 'reservation_over')
    expect(await nobody.post('/auth/reserve-invite', { code: first })).toMatchObject({ status: 200 })
  })

  test.each([undefined, 'x', 'c232ab00-9414-11ec-b3c8-9f6bdeced846', 1])(
    'takes no %s for a candidate session',
    async (candidateSessionId) => {
      const body = { code: await newCode(), candidateSessionId }
      expect(await nobody.post(path, body)).toFailWith(422, 'validation_failed')
    },
  )
})

describe('POST /auth/register', async () => {
  const sessionId = await reserve(await newCode())
  const { sessionId: _, ...form } = { sessionId, ...applicant('ada') }
  const whole = { sessionId, ...form }
  const birthday = (years: number, days: number) => {
    const date = new Date()
    date.setUTCFullYear(date.getUTCFullYear() - years, date.getUTCMonth(), date.getUTCDate() + days)
    return date.toISOString().slice(0, 10)
  }

  test.each(Object.keys(whole))('needs %s', async (field) => {
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
  ])('refuses the %s %j', async (field, value) => {
    const answer = await nobody.post('/auth/register', { ...whole, [field]: value })
    expect(answer).toFailWith(422, 'validation_failed')
    expect(answer.body).toMatchObject({ message: [expect.stringMatching(`^${field}: `)] })
  })

  test('names every field that is wrong', async () => {
    const { body } = await nobody.post<{ message: string[] }>('/auth/register', { ...whole, email: 'x', city: '' })
    expect(body.message.map((line) => line.split(':')[0])).toEqual(['email', 'city'])
  })

  test.each([birthday(18, 1), birthday(0, 0), birthday(-1, 0)])('refuses who was born on %s', async (dateOfBirth) => {
    expect(await nobody.post('/auth/register', { ...whole, dateOfBirth })).toFailWith(422, 'under_age')
  })

  test('refuses an address that is registered, in any letter case', async () => {
    for (const email of [alice.email, alice.email.toUpperCase()]) {
      expect(await nobody.post('/auth/register', { ...whole, email })).toFailWith(409, 'email_taken')
    }
    const [row] = await database.owner`select status from app.invite_codes where reservation_id = ${sessionId}`
    expect(row).toEqual({ status: 'reserved' })
  })

  test('lets in, after all those failures, who is 18 today; unknown fields change nothing', async () => {
    const more = { role: 'admin', username: 'root', bannedAt: '2020-01-01', id: CANDIDATE }
    const born = { dateOfBirth: birthday(18, 0) }
    const { status, body } = await nobody.post<Session>('/auth/register', { ...whole, ...more, ...born })
    expect([status, Object.keys(body).sort()]).toEqual([201, ['accessToken', 'user']])
    expect(body.user).toMatchObject({ email: whole.email, role: 'user', username: 'ada', country: 'DE', ...born })
    expect(body.user.id).not.toBe(CANDIDATE)
    const claims = claimsOf(body.accessToken) as Record<string, number>
    expect(Object.keys(claims).sort()).toEqual(['email', 'exp', 'iat', 'role', 'sub'])
    expect(claims).toMatchObject({ sub: body.user.id, email: outward(whole.email, nobody.suffix), role: 'user' })
    expect(Number(claims.exp) - Number(claims.iat)).toBe(7 * 86_400)
    expect((await nobody.withToken(body.accessToken).get('/me')).body).toEqual(body.user)
  })

  test('takes a reservation once', async () => {
    const again = { ...whole, email: 'second@example.org' }
    expect(await nobody.post('/auth/register', again)).toFailWith(410, 'reservation_over')
  })

  test('knows no other reservation', async () => {
    const unknown = { ...whole, sessionId: crypto.randomUUID(), email: 'second@example.org' }
    expect(await nobody.post('/auth/register', unknown)).toFailWith(410, 'reservation_over')
  })

  test('refuses a reservation whose half hour is over', async () => {
    const code = await newCode()
    const late = { ...form, sessionId: await reserve(code), email: 'late@example.org' }
    await change(code, { reserved_until: '2020-01-01' })
    expect(await nobody.post('/auth/register', late)).toFailWith(410, 'reservation_over')
    expect(await nobody.post('/auth/reserve-invite', { code })).toMatchObject({ status: 200 })
  })

  test('makes another username where one is taken', async () => {
    ownOnly('needs usernames that nobody has')
    const twin = { ...applicant('alice'), email: 'twin@example.org', sessionId: await reserve(await newCode()) }
    const { body } = await nobody.post<Session>('/auth/register', twin)
    expect(body.user.username).toMatch(/^alice_\d{1,4}$/)
  })

  test('keeps what people call themselves, in any script', async () => {
    ownOnly('needs usernames that nobody has')
    const names = { firstName: ' Zoë "Z" ', lastName: '例子\\{}', city: " L'Aquila " }
    const session = await reserve(await newCode())
    const { body } = await nobody.post<Session>('/auth/register', { ...applicant('zoe'), ...names, sessionId: session })
    expect(body.user).toMatchObject({ firstName: 'Zoë "Z"', lastName: '例子\\{}', city: "L'Aquila", username: 'zoe_z' })
  })
})

describe('POST /auth/login', async () => {
  const [bob] = await join('bob')
  const logIn = (email: unknown, password: unknown) => nobody.post<Session>('/auth/login', { email, password })

  test('gives a token and the person', async () => {
    const { status, body } = await logIn(alice.email, alice.password)
    expect([status, Object.keys(body).sort()]).toEqual([200, ['accessToken', 'user']])
    expect(body.user).toMatchObject({ id: alice.id, username: 'alice' })
    expect(await nobody.withToken(body.accessToken).get('/me')).toMatchObject({ status: 200, body: body.user })
  })

  test('takes the address in any letter case', async () => {
    expect(await logIn(` ${alice.email.toUpperCase()} `, alice.password)).toMatchObject({ status: 200 })
  })

  test('says the same of a wrong password and of an unknown address', async () => {
    const wrong = await logIn(alice.email, 'not her password')
    expect(wrong).toFailWith(401, 'credentials_wrong')
    for (const unknown of ['zoe@nowhere.example', '', 'no address', '%', "' or true --"]) {
      const answer = await logIn(unknown, alice.password)
      expect(answer).toFailWith(401, 'credentials_wrong')
      expect(answer.body).toEqual(wrong.body)
    }
    expect(await logIn(alice.email, alice.password.toUpperCase())).toFailWith(401, 'credentials_wrong')
    expect(await logIn(alice.email, '')).toFailWith(401, 'credentials_wrong')
  })

  test.each([[{}], [{ email: alice.email }], [{ password: 'x' }], [{ email: 1, password: 'x' }]])(
    'refuses %j',
    async (body) => {
      expect(await nobody.post('/auth/login', body)).toFailWith(422, 'validation_failed')
    },
  )

  test('tells the banned that they are, once the password is right', async () => {
    await database.owner`update app.users set banned_at = now() where id = ${bob?.id ?? ''}`
    expect(await logIn(bob?.email, bob?.password)).toFailWith(403, 'person_banned')
    expect(await logIn(bob?.email, 'not his password')).toFailWith(401, 'credentials_wrong')
  })

  test('knows no erased person', async () => {
    await database.owner`update app.users set banned_at = null, erased_at = now() where id = ${bob?.id ?? ''}`
    expect(await logIn(bob?.email, bob?.password)).toFailWith(401, 'credentials_wrong')
  })
})

describe('POST /auth/logout', () => {
  const path = '/auth/logout'

  test.each([undefined, {}, { scope: 'local' }])('ends this token with %j, and no other', async (body) => {
    const [one, other] = [await alice.login(), await alice.login()]
    expect(await one.post(path, body)).toMatchObject({ status: 204, text: '' })
    expect(await one.get('/me')).toFailWith(401, 'token_revoked')
    expect(await one.post(path)).toFailWith(401, 'token_revoked')
    expect(await other.get('/me')).toMatchObject({ status: 200 })
  })

  test('ends every token with scope global, and none that is issued then', async () => {
    const [bert] = await join('bert')
    const other = await bert?.login()
    expect(await bert?.post(path, { scope: 'global' })).toMatchObject({ status: 204 })
    expect(await bert?.get('/me')).toFailWith(401, 'token_revoked')
    expect(await other?.get('/me')).toFailWith(401, 'token_revoked')
    expect(await (await bert?.login())?.get('/me')).toMatchObject({ status: 200 })
  })

  test('takes no other scope, and no caller without a token', async () => {
    expect(await alice.post(path, { scope: 'everywhere' })).toFailWith(422, 'validation_failed')
    expect(await alice.get('/me')).toMatchObject({ status: 200 })
    expect(await nobody.post(path)).toFailWith(401, 'token_missing')
  })
})

describe.each(['/me', '/identity/me'])('GET %s', (path) => {
  test('is my profile', async () => {
    const { status, body } = await alice.get<Record<string, unknown>>(path)
    const { email, firstName, lastName, dateOfBirth, country, city } = applicant('alice')
    const said = { email, firstName, lastName, dateOfBirth, country, city }
    const time = expect.stringMatching(/^20\d\d-/)
    const rest = { phone: null, about: null, profilePicUrl: null, createdAt: time, lastSeenAt: time }
    const { id, actorId, username } = alice
    expect([status, body]).toEqual([200, { id, actorId, username, role: 'user', ...said, ...rest }])
  })

  test('needs a token', async () => {
    expect(await nobody.get(path)).toFailWith(401, 'token_missing')
  })
})

describe('the first admin', () => {
  test('is who the configuration names', async () => {
    const { body } = await admin.get('/me')
    expect(body).toMatchObject({
      email: ADMIN.email,
      username: 'admin',
      role: 'admin',
      dateOfBirth: null,
      country: null,
    })
  })

  test('has three codes from the beginning', async () => {
    const [row] = await database.owner`
      select count(*)::int as codes from app.invite_codes c join app.users u on u.id = c.generated_by
      where u.role = 'admin' and c.created_at <= u.created_at + interval '5 seconds' and c.status = 'active'`
    expect(row?.codes).toBeGreaterThanOrEqual(3)
  })
})
