// Second factors over HTTP: adding an authenticator app, logging in with it, recovery codes, fresh proofs, and roles
// that require a factor.
import { describe, expect, test } from 'vitest'
import type { Person } from '../../support/person.ts'
import { totp } from '../../support/totp.ts'
import { world } from '../../support/world.ts'

type Session = { accessToken: string; refreshToken: string }
type Confirmed = Session & { recoveryCodes: string[] }
type Guarded = { person: Person; secret: string; codes: string[] }

const { nobody, admin, database, join } = await world({ people: [] })
const { owner } = database
const invite = async (name: string) => (await join(name))[0] as Person

// To let tests use a code without waiting for the next half minute, this file resets the step that was used.
const forgetStep = ({ id }: Person) => owner`update private.totp set last_step = 0 where user_id = ${id}`
const forgetProofs = ({ id }: Person) =>
  owner`update private.proofs set proved_at = now() - interval '10 minutes' where user_id = ${id}`
const logIn = ({ email, password }: Person, more: object = {}) =>
  nobody.post<Session>('/auth/login', { email, password, ...more })
const prove = (person: Person, body: object) => person.post('/auth/proof', body)

/** Adds an authenticator app, and resets the step of its code. */
async function guard(one: Person): Promise<Guarded> {
  expect(await prove(one, { password: one.password })).toMatchObject({ status: 200 })
  const { secret } = (await one.post<{ secret: string }>('/me/factors/totp')).body
  const { status, body } = await one.post<Confirmed>('/me/factors/totp/confirm', { code: totp(secret) })
  expect(status).toBe(200)
  await forgetStep(one)
  return { person: one.withToken(body.accessToken), secret, codes: body.recoveryCodes }
}

describe('An authenticator app', () => {
  test('is added with the password and a code, which ends every other session', async () => {
    const ann = await invite('ann')
    expect(await ann.post('/me/factors/totp')).toFailWith(403, 'proof_required')
    expect(await prove(ann, { password: 'wrong' })).toFailWith(403, 'password_wrong')
    expect(await prove(ann, { code: '123456' })).toFailWith(403, 'code_wrong')
    expect(await ann.post('/me/factors/totp')).toFailWith(403, 'proof_required')
    expect(await prove(ann, { password: ann.password })).toMatchObject({ status: 200 })
    const other = await ann.login()
    expect(await other.post('/me/factors/totp')).toFailWith(403, 'proof_required')

    expect(await ann.post('/me/factors/totp/confirm', { code: '123456' })).toFailWith(404, 'factor_unknown')
    const begun = await ann.post<{ secret: string; url: string }>('/me/factors/totp')
    const { secret, url } = begun.body
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(new URL(url).searchParams.get('secret')).toBe(secret)
    const wrong = totp(secret, 10)
    expect(await ann.post('/me/factors/totp/confirm', { code: wrong })).toFailWith(403, 'code_wrong')
    expect(await logIn(ann)).toMatchObject({ status: 200 })
    const { body } = await ann.post<Confirmed>('/me/factors/totp/confirm', { code: totp(secret) })
    expect(new Set(body.recoveryCodes).size).toBe(10)
    for (const old of [ann, other]) expect(await old.get('/me')).toFailWith(401, 'token_revoked')
    const fresh = ann.withToken(body.accessToken)
    expect(await fresh.post('/me/factors/totp')).toFailWith(409, 'totp_already')
    const factors = await fresh.get('/me/factors')
    expect(factors.body).toMatchObject({ totp: {}, recoveryCodesLeft: 10, isRequired: false })
    expect(factors.text).not.toContain(secret)
  })

  test('is needed at each login, and each of its codes works once', async () => {
    const { person, secret } = await guard(await invite('ben'))
    expect(await logIn(person)).toFailWith(403, 'factor_required')
    expect(await logIn({ ...person, password: 'wrong' } as Person, { code: totp(secret) })).toFailWith(
      401,
      'credentials_wrong',
    )
    expect(await logIn(person, { code: totp(secret, 10) })).toFailWith(403, 'code_wrong')
    const code = totp(secret)
    expect(await logIn(person, { code })).toMatchObject({ status: 200 })
    expect(await logIn(person, { code })).toFailWith(403, 'code_wrong')
    expect(await prove(person, { code })).toFailWith(403, 'code_wrong')
    // the phone's clock is ahead by a step: later codes are still accepted, and earlier ones no longer
    expect(await logIn(person, { code: totp(secret, 1) })).toMatchObject({ status: 200 })
    expect(await logIn(person, { code: totp(secret) })).toFailWith(403, 'code_wrong')
    expect(await logIn(person, { code: totp(secret, 2) })).toFailWith(403, 'code_wrong')
  })

  test('accepts a code once, even in concurrent logins', async () => {
    const { person, secret } = await guard(await invite('cid'))
    const code = totp(secret)
    const answers = await Promise.all([1, 2, 3, 4].map(() => logIn(person, { code })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403])
  })

  test('is removed with a fresh proof, and a login then needs only the password', async () => {
    const { person, secret } = await guard(await invite('dan'))
    await forgetProofs(person)
    expect(await person.delete('/me/factors/totp')).toFailWith(403, 'proof_required')
    expect(await prove(person, { password: person.password })).toFailWith(403, 'factor_required')
    expect(await prove(person, { code: totp(secret) })).toMatchObject({ status: 200 })
    expect(await person.delete('/me/factors/totp')).toMatchObject({ status: 204 })
    expect(await person.delete('/me/factors/totp')).toFailWith(404, 'factor_unknown')
    expect(await logIn(person)).toMatchObject({ status: 200 })
    expect((await person.get('/me/factors')).body).toMatchObject({ totp: null, recoveryCodesLeft: 0 })
  })
})

describe('A recovery code', () => {
  test('works once instead of a code of the app, with or without dashes', async () => {
    const { person, codes } = await guard(await invite('eva'))
    const [first = '', second = ''] = codes
    expect(await logIn(person, { code: first })).toMatchObject({ status: 200 })
    expect(await logIn(person, { code: first })).toFailWith(403, 'code_wrong')
    expect(await logIn(person, { code: second.replaceAll('-', '').toUpperCase() })).toMatchObject({ status: 200 })
    expect((await person.get('/me/factors')).body).toMatchObject({ recoveryCodesLeft: 8 })
  })

  test('lets only one of concurrent logins succeed', async () => {
    const { person, codes } = await guard(await invite('fay'))
    const answers = await Promise.all([1, 2, 3, 4].map(() => logIn(person, { code: codes[0] })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403])
  })

  test('of an earlier set no longer works', async () => {
    const { person, codes } = await guard(await invite('gil'))
    const { body } = await person.post<{ recoveryCodes: string[] }>('/me/factors/recovery-codes')
    expect(body.recoveryCodes).toHaveLength(10)
    expect(await logIn(person, { code: codes[3] })).toFailWith(403, 'code_wrong')
    expect(await logIn(person, { code: body.recoveryCodes[3] })).toMatchObject({ status: 200 })
    expect(await admin.post('/me/factors/recovery-codes')).toFailWith(404, 'factor_unknown')
  })
})

describe('A fresh proof', () => {
  const acts: [string, (person: Person) => Promise<unknown>][] = [
    ['the export', (person) => person.get('/me/export')],
    ['a change of the address', ({ password, ...person }) => asPerson(person).post('/me/email', mailTo(password))],
    [
      'a change of the password',
      ({ password, ...person }) => asPerson(person).patch('/identity/me/password', next(password)),
    ],
    ['the erasure', ({ password, ...person }) => asPerson(person).post('/me/delete', { password })],
  ]
  const asPerson = (one: object) => Object.assign(new (nobody.constructor as typeof Person)(nobody.base), one)
  const mailTo = (currentPassword: string) => ({ email: 'else@example.org', currentPassword })
  const next = (currentPassword: string) => ({ currentPassword, newPassword: 'a better password' })

  test.each(acts)('is needed for %s only by people with a factor', async (name, act) => {
    const plain = await invite(`p_${name.replace(/\W/g, '')}`.slice(0, 20))
    expect(await act(plain)).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) })
    const { person, secret } = await guard(await invite(`g_${name.replace(/\W/g, '')}`.slice(0, 20)))
    await forgetProofs(person)
    expect(await act(person)).toFailWith(403, 'proof_required')
    expect(await prove(person, { code: totp(secret) })).toMatchObject({ status: 200 })
    expect(await act(person)).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) })
  })

  test('is valid in its session alone, even after a refresh', async () => {
    const { person, secret, codes } = await guard(await invite('hal'))
    const { body } = await logIn(person, { code: totp(secret), session: 'rotating' })
    const rotating = person.withToken(body.accessToken)
    await forgetProofs(person)
    expect(await rotating.get('/me/export')).toFailWith(403, 'proof_required')
    expect(await prove(rotating, { code: codes[0] })).toMatchObject({ status: 200 })
    const refreshed = await nobody.post<Session>('/identity/refresh', { refreshToken: body.refreshToken })
    expect(await person.withToken(refreshed.body.accessToken).get('/me/export')).toMatchObject({ status: 200 })
    expect(await person.get('/me/export')).toFailWith(403, 'proof_required')
  })

  test('is needed for payments of the tiers that the instance chose', async () => {
    const { person } = await guard(await invite('ida'))
    await forgetProofs(person)
    await owner`update app.settings set value = '1' where key = 'proof_tier'`
    const pay = (tier: number) => person.post('/economy/pay', { emotion: 'joy', tier, receiverId: 'admin' })
    expect(await pay(1)).toFailWith(403, 'proof_required')
    expect(await pay(0)).toMatchObject({ status: 201 })
    await owner`update app.settings set value = '' where key = 'proof_tier'`
    expect(await pay(1)).toMatchObject({ status: 201 })
  })
})

describe('A role that requires a factor', async () => {
  const [mona, chief] = (await join('mona', 'chief')) as [Person, Person]
  await admin.patch('/admin/users/mona/role', { role: 'moderator' })
  await admin.patch('/admin/users/chief/role', { role: 'admin' })
  const without = { admin: await chief.login() }
  const require = (roles: string) => owner`update app.settings set value = ${roles} where key = 'require_factor'`

  test('lets the first admin add a factor, but not remove the last one', async () => {
    await require('moderator,admin')
    expect(await without.admin.get('/admin/metrics')).toFailWith(403, 'factor_missing')
    const { person, secret } = await guard(without.admin)
    expect(await person.get('/admin/metrics')).toMatchObject({ status: 200 })
    expect(await person.delete('/me/factors/totp')).toFailWith(409, 'factor_needed')
    const path = `/admin/users/${mona.id}`
    expect(await person.post(`${path}/ban`, { reason: 'x' })).toMatchObject({ status: 200 })
    await forgetProofs(person)
    expect(await person.patch('/admin/users/mona/role', { role: 'user' })).toFailWith(403, 'proof_required')
    expect(await person.post(`${path}/export`)).toFailWith(403, 'proof_required')
    expect(await person.post(`${path}/erase`)).toFailWith(403, 'proof_required')
    expect(await prove(person, { code: totp(secret) })).toMatchObject({ status: 200 })
    expect(await person.post(`${path}/export`)).toMatchObject({ status: 200 })
    expect(await person.post(`${path}/erase`)).toMatchObject({ status: 200 })
    await require('')
    const [row] = await owner`select private.remove_factors(${person.email}) as found`
    expect(row?.found).toBe(true)
    expect(await person.get('/me')).toFailWith(401, 'token_revoked')
    expect(await logIn(person)).toMatchObject({ status: 200 })
  })
})

describe('Guesses', async () => {
  const limits = { global: '10000/min', login: '10000/min', login_factor: '3/min' }
  const tight = await world({
    people: ['kim', 'lea'],
    env: { RATE_LIMIT_SCALE: '1', RATE_LIMITS: JSON.stringify(limits) },
  })

  test('at codes are limited from unknown devices, while a known device can still log in', async () => {
    const { kim } = tight
    const credentials = { email: kim.email, password: kim.password }
    const known = await tight.nobody.post<{ deviceToken: string }>('/auth/login', credentials)
    await kim.post('/auth/proof', { password: kim.password })
    const { secret } = (await kim.post<{ secret: string }>('/me/factors/totp')).body
    await kim.post('/me/factors/totp/confirm', { code: totp(secret) })
    await tight.database.owner`update private.totp set last_step = 0`
    const guess = (more: object) => tight.nobody.post('/auth/login', { ...credentials, ...more })
    for (const n of [10, 11, 12]) expect(await guess({ code: totp(secret, n) })).toFailWith(403, 'code_wrong')
    expect(await guess({ code: totp(secret) })).toFailWith(429, 'rate_limited')
    const { deviceToken } = known.body
    expect(await guess({ code: totp(secret), deviceToken })).toMatchObject({ status: 200 })
  })
})
