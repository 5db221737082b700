// Device tokens: strangers who try passwords cannot lock out a device that has a token, and an attacker's own device
// token gives no advantage against other accounts.
import { describe, expect, test } from 'vitest'
import { createSeals, type Seals } from '../../../api-facade/lib/seals.ts'
import { newCode, reserve } from '../../support/codes.ts'
import { facades } from '../../support/facades.ts'
import { applicant } from '../../support/joining.ts'
import { Person } from '../../support/person.ts'
import { begin } from '../../support/sessions.ts'
import { ADMIN, JWT_SECRET } from '../../support/settings.ts'
import { world } from '../../support/world.ts'

type Session = { accessToken: string; deviceToken: string; refreshToken: string }
type Named = Pick<Person, 'email' | 'password'>

const OLD = 'the secret that signed before this one, and verifies for a while'
const limits = {
  global: '10000/min',
  login: '10000/min',
  register: '10000/min',
  forgot_password: '10000/min',
  login_account: '4/min',
  login_device: '3/min',
  password: '2/min',
}
const env = { RATE_LIMIT_SCALE: '1', RATE_LIMITS: JSON.stringify(limits) }
const { alice, bob, admin, nobody, database, join } = await world({
  people: ['alice', 'bob'],
  env: { ...env, JWT_SECRET_PREVIOUS: OLD },
})
const { owner } = database
const invite = async (name: string) => (await join(name))[0] as Person

const logIn = ({ email, password }: Named, deviceToken?: unknown) =>
  nobody.post<Session>('/auth/login', { email, password, deviceToken })
const guess = ({ email }: Named, deviceToken?: unknown) => logIn({ email, password: 'wrong' }, deviceToken)
const path = '/identity/me/password'
const today = () => Math.floor(Date.now() / 86_400_000)
/** A device token as a facade makes it, issued `age` days ago. */
const sealed = (seals: Seals, { id }: Person, { version = 0, age = 0 } = {}) =>
  seals.seal('device', { id: crypto.randomUUID(), generation: today() - age }, `${id} ${version}`)
const deviceOf = async (person: Named) => (await logIn(person)).body.deviceToken

/** Tries wrong passwords until the account accepts no more attempts from unknown devices. */
async function fill(person: Named, deviceToken?: string) {
  for (let n = 0; n < 4; n++) expect(await guess(person, deviceToken)).toFailWith(401, 'credentials_wrong')
  expect(await guess(person, deviceToken)).toFailWith(429, 'rate_limited')
}

/** Whether the token identifies a known device: attempts from unknown devices don't count against a known one. */
async function isKnown(person: Named, deviceToken: string) {
  await fill(person)
  return (await logIn(person, deviceToken)).status === 200
}

async function resetPassword({ id, email }: Person, newPassword: string) {
  await nobody.post('/auth/forgot-password', { email })
  const [asked] = await owner<{ id: string }[]>`
    select id from private.password_resets where user_id = ${id} order by created_at desc limit 1`
  const token = createSeals([JWT_SECRET]).seal('reset', { id: asked?.id ?? '', generation: 0 })
  return nobody.post<{ ok: boolean; deviceToken: string }>('/auth/reset-password', { token, newPassword })
}

describe('A device token', () => {
  test.each([
    ['POST /auth/register', '/auth/register'],
    ['POST /identity/register', '/identity/register'],
  ])('is returned by %s', async (_what, path) => {
    const form = applicant(`by${path.replace(/\W/g, '')}`)
    const reservation = await reserve(nobody, await newCode(admin))
    const { email, password, ...input } = form
    const body = path.startsWith('/identity')
      ? { inviteCodeId: reservation, email, password, input }
      : { sessionId: reservation, ...form }
    const answer = await nobody.post<Session>(path, body)
    expect(answer.status).toBe(201)
    expect(await isKnown(form, answer.body.deviceToken)).toBe(true)
  })

  test('lets its holder log in, however many passwords strangers try', async () => {
    const device = await deviceOf(alice)
    await fill(alice)
    expect(await logIn(alice)).toFailWith(429, 'rate_limited')
    for (let n = 0; n < 5; n++) expect(await logIn(alice, device)).toMatchObject({ status: 200 })
  })

  test('is replaced at login by a token of the same device, which shares its attempt limit', async () => {
    const cleo = await invite('cleo')
    const first = await deviceOf(cleo)
    const next = (await logIn(cleo, first)).body.deviceToken
    for (let n = 0; n < 3; n++) expect(await guess(cleo, n % 2 ? first : next)).toFailWith(401, 'credentials_wrong')
    for (const token of [first, next]) {
      const refused = await logIn(cleo, token)
      expect(refused).toFailWith(429, 'rate_limited')
      expect(refused.headers.get('ratelimit-policy')).toBe('3;w=60')
    }
    expect(await logIn(cleo), 'other devices are not affected').toMatchObject({ status: 200 })
  })

  test('of one account does not count as a known device for another account', async () => {
    const dora = await invite('dora')
    const own = await Promise.all([deviceOf(bob), deviceOf(bob), deviceOf(bob)])
    for (let n = 0; n < 4; n++) expect(await guess(dora, own[n % 3])).toFailWith(401, 'credentials_wrong')
    for (const token of own) expect(await guess(dora, token)).toFailWith(429, 'rate_limited')
  })

  test('that is invalid is ignored', async () => {
    const erin = await invite('erin')
    const device = await deviceOf(erin)
    const other = createSeals([`${JWT_SECRET}!`])
    await fill(erin)
    const wrong = [
      '',
      'x',
      erin.token,
      `${device}A`,
      device.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      device.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
      sealed(other, erin),
      sealed(createSeals([JWT_SECRET]), bob),
      sealed(createSeals([JWT_SECRET]), erin, { version: 1 }),
      sealed(createSeals([JWT_SECRET]), erin, { age: 365 }),
      (await begin(bob)).refreshToken,
    ]
    for (const token of wrong) expect(await logIn(erin, token), token).toFailWith(429, 'rate_limited')
    expect(await logIn(erin, device)).toMatchObject({ status: 200 })
  })

  test('is valid for a year, and still valid after the secret was replaced', async () => {
    const finn = await invite('finn')
    await fill(finn)
    const [now, before] = [createSeals([JWT_SECRET]), createSeals([OLD])]
    for (const token of [sealed(now, finn, { age: 364 }), sealed(before, finn)]) {
      const { status, body } = await logIn(finn, token)
      expect(status).toBe(200)
      const opened = now.open('device', body.deviceToken, `${finn.id} 0`)
      expect(opened, 'the next token has today’s date and the current secret').toMatchObject({ generation: today() })
    }
  })

  test('of another account gives no hint whether an address is registered', async () => {
    const device = await deviceOf(bob)
    await fill({ email: 'zoe@example.org', password: '' }, device)
    const gina = await invite('gina')
    await fill(gina, device)
  })

  test('does not reveal its holder', async () => {
    const device = await deviceOf(bob)
    const bytes = Buffer.from(device, 'base64url')
    expect(bytes).toHaveLength(52)
    expect(bytes.toString('hex')).not.toContain(bob.id.replaceAll('-', ''))
    expect(await deviceOf(bob), 'each device has its own token').not.toBe(device)
  })

  test.each([[1], [null], ['A'.repeat(1025)]])('is rejected with 422 if it is %j', async (token) => {
    expect(await logIn(bob, token)).toFailWith(422, 'validation_failed')
  })
})

describe('An existing device token', () => {
  test('stays valid after logouts, even a global one', async () => {
    const hugo = await invite('hugo')
    const { body } = await logIn(hugo)
    await nobody.withToken(body.accessToken).post('/auth/logout')
    await hugo.post('/auth/logout', { scope: 'global' })
    expect(await isKnown(hugo, body.deviceToken)).toBe(true)
  })

  test('is invalidated by a new password, which returns a fresh token and resets the attempt counts', async () => {
    const ines = await invite('ines')
    const device = await deviceOf(ines)
    await fill(ines)
    for (let n = 0; n < 2; n++) await ines.patch(path, { currentPassword: 'wrong', newPassword: 'another password' })
    const again = await ines.patch(path, { currentPassword: ines.password, newPassword: 'another password' })
    expect(again).toFailWith(429, 'rate_limited')
    const { body: reset } = await resetPassword(ines, 'a better password')
    expect(Object.keys(reset).sort()).toEqual(['deviceToken', 'ok'])
    const back = await logIn({ email: ines.email, password: 'a better password' })
    expect(back, 'from an unknown device').toMatchObject({ status: 200 })

    const change = { currentPassword: 'a better password', newPassword: 'the best password' }
    await fill(ines)
    const changed = await nobody.withToken(back.body.accessToken).patch<Session>(path, change)
    expect(changed, 'the count of wrong passwords inside the session is reset too').toMatchObject({ status: 200 })
    const now = { email: ines.email, password: 'the best password' }
    expect(await logIn(now)).toMatchObject({ status: 200 })
    await fill(ines)
    for (const dead of [device, reset.deviceToken, back.body.deviceToken])
      expect(await logIn(now, dead)).toFailWith(429, 'rate_limited')
    expect(await logIn(now, changed.body.deviceToken)).toMatchObject({ status: 200 })
  })

  test('is invalidated by a ban, even after the ban is lifted', async () => {
    const jan = await invite('jan')
    const device = await deviceOf(jan)
    await owner`update app.users set banned_at = now() where id = ${jan.id}`
    expect(await logIn(jan, device)).toFailWith(403, 'person_banned')
    await owner`update app.users set banned_at = null where id = ${jan.id}`
    expect(await isKnown(jan, device)).toBe(false)
  })

  test('is invalidated by an erasure, even if somebody registers the same address afterwards', async () => {
    const kim = await invite('kim')
    const device = await deviceOf(kim)
    await kim.post('/me/delete', { password: kim.password })
    const next = await invite('kim')
    expect(next.id).not.toBe(kim.id)
    expect(await isKnown(next, device)).toBe(false)
  })
})

describe('Wrong passwords inside a session', () => {
  test('are counted per person across all routes, and separately from those at login', async () => {
    const [lea, max] = [await invite('lea'), await invite('max')]
    await fill(lea)
    expect(await lea.patch(path, { currentPassword: 'wrong', newPassword: 'x'.repeat(9) })).toFailWith(
      403,
      'password_wrong',
    )
    expect(await lea.post('/me/delete', { password: 'wrong' })).toFailWith(403, 'password_wrong')
    expect(await lea.post('/me/delete', { password: lea.password })).toFailWith(429, 'rate_limited')
    const change = { currentPassword: lea.password, newPassword: 'a better password' }
    expect(await lea.patch(path, change)).toFailWith(429, 'rate_limited')
    expect(await max.post('/me/delete', { password: 'wrong' })).toFailWith(403, 'password_wrong')
    for (let n = 0; n < 4; n++) expect(await max.login()).toBeDefined()
  })
})

describe.each(['memory', 'database'])('Two facades with counts in the store "%s"', async (store) => {
  const { urls } = await facades({ ...env, RATE_LIMIT_STORE: store })
  const [one, other] = urls.map((url) => new Person(url)) as [Person, Person]
  const ask = (at: Person, password: string, deviceToken?: string) =>
    at.post<Session>('/auth/login', { email: ADMIN.email, password, deviceToken })

  test('accept each other’s device tokens, and both reset their counts after a new password', async () => {
    const { body } = await ask(one, ADMIN.password)
    for (const at of [one, other]) {
      for (let n = 0; n < 5; n++) await ask(at, 'wrong')
      expect(await ask(at, ADMIN.password)).toFailWith(429, 'rate_limited')
      expect(await ask(at, ADMIN.password, body.deviceToken)).toMatchObject({ status: 200 })
    }
    const change = { currentPassword: ADMIN.password, newPassword: 'a better password' }
    expect(await one.withToken(body.accessToken).patch(path, change)).toMatchObject({ status: 200 })
    for (const at of [one, other]) {
      expect(await ask(at, 'wrong', body.deviceToken)).toFailWith(401, 'credentials_wrong')
      expect(await ask(at, change.newPassword)).toMatchObject({ status: 200 })
    }
  })
})
