// Changing a password, and what cannot be used to set one. For resets by mail see test/worker/mail.test.ts.
import { describe, expect, test } from 'vitest'
import { createSeals } from '../../../api-facade/lib/seals.ts'
import { applicant } from '../../support/joining.ts'
import type { Person } from '../../support/person.ts'
import { JWT_SECRET } from '../../support/settings.ts'
import { world } from '../../support/world.ts'

type Session = { accessToken: string; refreshToken?: string; expiresIn?: number; user: { id: string } }

const { alice, nobody, join } = await world({ people: ['alice'] })
const logIn = (email: string, password: string) => nobody.post<Session>('/auth/login', { email, password })
const invite = async (name: string) => (await join(name))[0] as Person

const path = '/identity/me/password'

describe('PATCH /identity/me/password', () => {
  test('sets the password, revokes every token and session, and returns a fresh token', async () => {
    const bob = await invite('bob')
    const other = await bob.login()
    const { email, password } = bob
    const rotating = await nobody.post<Session>('/auth/login', { email, password, session: 'rotating' })
    const change = { currentPassword: password, newPassword: 'a better password' }
    const { status, body } = await bob.patch<Session>(path, change)
    expect([status, Object.keys(body).sort(), body.user.id]).toEqual([
      200,
      ['accessToken', 'deviceToken', 'user'],
      bob.id,
    ])
    for (const person of [bob, other]) expect(await person.get('/me')).toFailWith(401, 'token_revoked')
    const { refreshToken } = rotating.body
    expect(await nobody.post('/identity/refresh', { refreshToken })).toFailWith(401, 'refresh_token_invalid')
    expect(await bob.withToken(body.accessToken).get('/me')).toMatchObject({ status: 200 })
    expect(await logIn(email, password)).toFailWith(401, 'credentials_wrong')
    expect(await logIn(email, change.newPassword)).toMatchObject({ status: 200 })
  })

  test('can start a rotating session', async () => {
    const ben = await invite('ben')
    const change = { currentPassword: ben.password, newPassword: 'a better password', session: 'rotating' }
    const { body } = await ben.patch<Session>(path, change)
    expect(body).toMatchObject({ expiresIn: 900 })
    const next = await nobody.post<Session>('/identity/refresh', { refreshToken: body.refreshToken })
    expect(await ben.withToken(next.body.accessToken).get('/me')).toMatchObject({ status: 200 })
  })

  test('succeeds for exactly one of concurrent requests', async () => {
    const bea = await invite('bea')
    const change = (n: number) => bea.patch(path, { currentPassword: bea.password, newPassword: `password ${n}` })
    const answers = await Promise.all([1, 2, 3, 4].map(change))
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1)
    for (const { status } of answers) expect([200, 401, 403]).toContain(status)
  })

  test('answers 403 for a wrong current password and changes nothing', async () => {
    for (const currentPassword of ['wrong', '', alice.password.toUpperCase()]) {
      const answer = await alice.patch(path, { currentPassword, newPassword: 'a better password' })
      expect(answer).toFailWith(403, 'password_wrong')
    }
    expect(await alice.get('/me')).toMatchObject({ status: 200 })
    expect(await logIn(alice.email, alice.password)).toMatchObject({ status: 200 })
  })

  test.each([
    [undefined],
    [{}],
    [{ currentPassword: 'x' }],
    [{ newPassword: 'a better password' }],
    [{ currentPassword: 'x', newPassword: '7 chars' }],
    [{ currentPassword: 'x', newPassword: 'x'.repeat(1025) }],
    [{ currentPassword: 1, newPassword: 'a better password' }],
    [{ currentPassword: 'x', newPassword: 'a better password', session: 'long' }],
  ])('rejects %j with 422, and a caller without a token with 401', async (body) => {
    expect(await alice.patch(path, body)).toFailWith(422, 'validation_failed')
    expect(await nobody.patch(path, body)).toFailWith(401, 'token_missing')
  })
})

describe('A password that is easy to guess', async () => {
  const strict = await world({ people: [], env: { GUESSABLE_PASSWORDS: 'refuse' } })
  const invite = async (name: string) => (await strict.join(name))[0] as Person
  const guessable = [
    ...[
      'password',
      'Password123',
      '12345678',
      '87654321',
      'aaaaaaaa',
      'abcABCabc',
      'qwertyuiop',
      'iloveyou',
      'passwort',
    ],
    ...['Gail1990', 'gail.gail', 'gail@example.org', 'Example2026!', 'kith-gail'],
  ]

  test('is rejected for a new person and for a new password, each time with the same message', async () => {
    const gail = await invite('gail')
    for (const newPassword of guessable) {
      const answer = await gail.patch(path, { currentPassword: gail.password, newPassword })
      expect(answer, newPassword).toFailWith(422, 'password_guessable')
      expect(answer.body).toMatchObject({ message: [expect.stringContaining('several words')] })
    }
    const form = { ...applicant('gail'), sessionId: crypto.randomUUID() }
    for (const password of ['Password123', 'gail1990'])
      expect(await strict.nobody.post('/auth/register', { ...form, password })).toFailWith(422, 'password_guessable')
    expect(await gail.get('/me')).toMatchObject({ status: 200 })
  })

  test('differs from a password without capitals, digits or signs, which is accepted', async () => {
    const hugo = await invite('hugo')
    let [current, token] = [hugo.password, hugo.token]
    for (const newPassword of [
      'hugo likes tea',
      'alllowercase',
      'kcbudkzt',
      '8305174926',
      'Gail1990',
      '東京都千代田区一丁目',
    ]) {
      const change = { currentPassword: current, newPassword }
      const { status, body } = await hugo.withToken(token).patch<Session>(path, change)
      expect([newPassword, status]).toEqual([newPassword, 200])
      ;[current, token] = [newPassword, body.accessToken]
    }
  })

  test('is accepted by an instance that is not in production', async () => {
    const [ivy] = (await join('ivy')) as [Person]
    const change = { currentPassword: ivy.password, newPassword: '12345678' }
    expect(await ivy.patch(path, change)).toMatchObject({ status: 200 })
  })
})

const reset = (token: unknown, newPassword: unknown = 'what I chose now', path = '/auth/reset-password') =>
  nobody.post(path, { token, newPassword })
const credentials = ({ email, password }: Person) => ({ email, password })

describe.each(['/auth/forgot-password', '/forgot/request'])('POST %s', (path) => {
  test.each([
    undefined,
    {},
    { email: 1 },
    { email: '' },
    { email: 'nobody' },
    { email: `${'a'.repeat(250)}@b.example` },
  ])('rejects %j with 422', async (body) => {
    expect(await nobody.post(path, body)).toFailWith(422, 'validation_failed')
  })

  test('accepts admin@localhost, the default address of the first admin', async () => {
    expect(await nobody.post(path, { email: 'admin@localhost' })).toMatchObject({ status: 200, body: { ok: true } })
  })
})

describe.each(['/auth/reset-password', '/forgot/reset'])('POST %s', (path) => {
  test.each([{}, { token: 'x' }, { newPassword: 'long enough' }, { token: 1, newPassword: 'long enough' }])(
    'rejects %j with 422',
    async (body) => {
      expect(await nobody.post(path, body)).toFailWith(422, 'validation_failed')
    },
  )

  test.each(['', 'x', 'A'.repeat(70)])('answers 410 for the token %j', async (token) => {
    expect(await reset(token, 'long enough', path)).toFailWith(410, 'reset_over')
  })

  test('answers 410 for a token that was not sent by mail', async () => {
    const { body } = await nobody.post<Session>('/auth/login', { ...credentials(alice), session: 'rotating' })
    const made = createSeals([JWT_SECRET]).seal('reset', { id: crypto.randomUUID(), generation: 0 })
    for (const token of [made, body.refreshToken, body.accessToken])
      expect(await reset(token, 'long enough', path)).toFailWith(410, 'reset_over')
  })
})
