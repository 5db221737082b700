// Logging in and out, and one's own profile. For joining see reservations.test.ts and registration.test.ts.
import { describe, expect, test } from 'vitest'
import { applicant } from '../../support/joining.ts'
import { ADMIN } from '../../support/settings.ts'
import { world } from '../../support/world.ts'

const { alice, admin, nobody, database, join } = await world({ people: ['alice'] })

type Session = { accessToken: string; user: { id: string; username: string; email: string; role: string } }

describe('POST /auth/login', async () => {
  const [bob] = await join('bob')
  const logIn = (email: unknown, password: unknown) => nobody.post<Session>('/auth/login', { email, password })

  test('returns a token and the person', async () => {
    const { status, body } = await logIn(alice.email, alice.password)
    expect([status, Object.keys(body).sort()]).toEqual([200, ['accessToken', 'deviceToken', 'user']])
    expect(body.user).toMatchObject({ id: alice.id, username: 'alice' })
    expect(await nobody.withToken(body.accessToken).get('/me')).toMatchObject({ status: 200, body: body.user })
  })

  test('accepts the address in any letter case', async () => {
    expect(await logIn(` ${alice.email.toUpperCase()} `, alice.password)).toMatchObject({ status: 200 })
  })

  test('gives the same answer for a wrong password and for an unknown address', async () => {
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
    'rejects %j with 422',
    async (body) => {
      expect(await nobody.post('/auth/login', body)).toFailWith(422, 'validation_failed')
    },
  )

  test('tells banned people that they are banned, but only if the password is right', async () => {
    await database.owner`update app.users set banned_at = now() where id = ${bob?.id ?? ''}`
    expect(await logIn(bob?.email, bob?.password)).toFailWith(403, 'person_banned')
    expect(await logIn(bob?.email, 'not his password')).toFailWith(401, 'credentials_wrong')
  })

  test('answers 401 for an erased person', async () => {
    await database.owner`update app.users set banned_at = null, erased_at = now() where id = ${bob?.id ?? ''}`
    expect(await logIn(bob?.email, bob?.password)).toFailWith(401, 'credentials_wrong')
  })
})

describe('POST /auth/logout', () => {
  const path = '/auth/logout'

  test.each([undefined, {}, { scope: 'local' }])('with %j revokes this token and no other', async (body) => {
    const [one, other] = [await alice.login(), await alice.login()]
    expect(await one.post(path, body)).toMatchObject({ status: 204, text: '' })
    expect(await one.get('/me')).toFailWith(401, 'token_revoked')
    expect(await one.post(path)).toFailWith(401, 'token_revoked')
    expect(await other.get('/me')).toMatchObject({ status: 200 })
  })

  test('with the scope global revokes all existing tokens, but not later ones', async () => {
    const [bert] = await join('bert')
    const other = await bert?.login()
    expect(await bert?.post(path, { scope: 'global' })).toMatchObject({ status: 204 })
    expect(await bert?.get('/me')).toFailWith(401, 'token_revoked')
    expect(await other?.get('/me')).toFailWith(401, 'token_revoked')
    expect(await (await bert?.login())?.get('/me')).toMatchObject({ status: 200 })
  })

  test('rejects any other scope, and a caller without a token', async () => {
    expect(await alice.post(path, { scope: 'everywhere' })).toFailWith(422, 'validation_failed')
    expect(await alice.get('/me')).toMatchObject({ status: 200 })
    expect(await nobody.post(path)).toFailWith(401, 'token_missing')
  })
})

describe.each(['/me', '/identity/me'])('GET %s', (path) => {
  test('returns the caller’s profile', async () => {
    const { status, body } = await alice.get<Record<string, unknown>>(path)
    const { email, firstName, lastName, dateOfBirth, country, city } = applicant('alice')
    const said = { email, firstName, lastName, dateOfBirth, country, city }
    const time = expect.stringMatching(/^20\d\d-/)
    const rest = {
      emailVerifiedAt: null,
      emailBouncedAt: null,
      phone: null,
      hasPublicPage: true,
      about: null,
      profilePicUrl: null,
      isBot: false,
      createdAt: time,
      lastSeenAt: time,
    }
    const { id, actorId, username } = alice
    expect([status, body]).toEqual([
      200,
      { id, actorId, personId: expect.stringMatching(/^[0-9a-f-]{36}$/), username, role: 'user', ...said, ...rest },
    ])
  })

  test('requires a token', async () => {
    expect(await nobody.get(path)).toFailWith(401, 'token_missing')
  })
})

describe('The first admin', () => {
  test('is the person named in the configuration', async () => {
    const { body } = await admin.get('/me')
    expect(body).toMatchObject({
      email: ADMIN.email,
      username: 'admin',
      role: 'admin',
      dateOfBirth: null,
      country: null,
    })
  })

  test('has three invite codes from the start', async () => {
    const [row] = await database.owner`
      select count(*)::int as codes from app.invite_codes c join app.users u on u.id = c.generated_by
      where u.role = 'admin' and c.created_at <= u.created_at + interval '5 seconds' and c.status = 'active'`
    expect(row?.codes).toBeGreaterThanOrEqual(3)
  })
})
