// Passkeys over HTTP: adding, logging in, fresh proofs, removal, and what must be rejected.
import { describe, expect, test } from 'vitest'
import { Authenticator } from '../../support/authenticator.ts'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { totp } from '../../support/totp.ts'
import { world } from '../../support/world.ts'

const ORIGIN = 'https://kith.example.org'
const { nobody, admin, database, join } = await world({
  people: [],
  env: { PUBLIC_URL: ORIGIN, RATE_LIMIT_SCALE: '1000000' },
})
const { owner } = database
const invite = async (name: string) => (await join(name))[0] as Person

type Options = { challenge: string; rpId: string; rp: { id: string }; excludeCredentials: unknown[] }
type Session = {
  accessToken: string
  refreshToken?: string
  expiresIn?: number
  deviceToken: string
  user: { username: string }
}
type Added = { passkey: { id: string; name: string }; session: Session | null; recoveryCodes: string[] | null }

const provePassword = (one: Person) => one.post('/auth/proof', { password: one.password })
const startAdding = async (one: Person) => (await one.post<Options>('/me/factors/passkeys/options')).body
const startLogin = async () => (await nobody.post<Options>('/auth/passkey/options')).body
const startProof = async (one: Person) => (await one.post<Options>('/auth/proof/options')).body
const logIn = (passkey: object, more: object = {}) => nobody.post<Session>('/auth/passkey', { passkey, ...more })
const forgetProofs = ({ id }: Person) =>
  owner`update private.proofs set proved_at = now() - interval '10 minutes' where user_id = ${id}`
const letters = async ({ id }: Person) =>
  (
    await owner<{ letter: string }[]>`
      select data ->> 'letter' as letter from pgboss.job
      where name = 'mail' and data ->> 'userId' = ${id} order by created_on`
  ).map(({ letter }) => letter)

/** Adds a passkey to somebody who has no factor. @returns the person with their new token */
async function guard(one: Person) {
  expect(await provePassword(one)).toMatchObject({ status: 200 })
  const key = new Authenticator(ORIGIN)
  const passkey = key.make(await startAdding(one))
  const { status, body } = await one.post<Added>('/me/factors/passkeys', { name: 'Phone', passkey })
  expect(status).toBe(200)
  return { person: one.withToken(body.session?.accessToken), key, id: body.passkey.id, codes: body.recoveryCodes ?? [] }
}

describe('A passkey', () => {
  test('that is the first factor is added with the password, and ends every other session', async () => {
    const ann = await invite('ann')
    expect(await ann.post('/me/factors/passkeys/options')).toFailWith(403, 'proof_required')
    const other = await ann.login()
    const { person, id, codes } = await guard(ann)
    expect(new Set(codes).size).toBe(10)
    for (const old of [ann, other]) expect(await old.get('/me')).toFailWith(401, 'token_revoked')
    expect((await person.get('/me/factors')).body).toMatchObject({
      totp: null,
      passkeys: [{ id, name: 'Phone', lastUsedAt: null }],
      recoveryCodesLeft: 10,
    })
    expect(await letters(ann)).toEqual(['passkeyAdded'])
    const credentials = { email: ann.email, password: ann.password }
    expect(await nobody.post('/auth/login', credentials)).toFailWith(403, 'factor_required')
    expect(await nobody.post('/auth/login', { ...credentials, code: codes[0] })).toMatchObject({ status: 200 })
  })

  test('brings recovery codes, which stay when an app is added', async () => {
    const { person, codes } = await guard(await invite('amy'))
    const { secret } = (await person.post<{ secret: string }>('/me/factors/totp')).body
    const confirmed = await person.post('/me/factors/totp/confirm', { code: totp(secret) })
    expect(confirmed).toMatchObject({ status: 200, body: { recoveryCodes: null } })
    const credentials = { email: person.email, password: person.password }
    expect(await nobody.post('/auth/login', { ...credentials, code: codes[0] })).toMatchObject({ status: 200 })
  })

  test('logs in without a name or a code, as a login with the password does', async () => {
    const { person, key } = await guard(await invite('ben'))
    const { status, body } = await logIn(key.sign(await startLogin()), {
      session: 'rotating',
      deviceName: 'Bens phone',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ expiresIn: 900, user: { username: person.username } })
    const fresh = person.withToken(body.accessToken)
    expect((await fresh.get('/me/sessions')).body).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ device: 'Bens phone', isCurrent: true })]),
    })
    expect(await fresh.get('/me/export')).toMatchObject({ status: 200 })
    expect((await fresh.get('/me/factors')).body).toMatchObject({ passkeys: [{ lastUsedAt: expect.any(String) }] })
    const fixed = await logIn(key.sign(await startLogin()), { deviceToken: body.deviceToken })
    expect(fixed.body).not.toHaveProperty('refreshToken')
    const [mails] = await owner`
      select count(*)::int as count from app.sessions where user_id = ${person.id} and alert_hash is not null`
    expect(mails?.count).toBe(1)
  })

  test('is a fresh proof', async () => {
    const { person, key } = await guard(await invite('cid'))
    await forgetProofs(person)
    expect(await person.get('/me/export')).toFailWith(403, 'proof_required')
    expect(await person.post('/auth/proof', { password: person.password })).toFailWith(403, 'factor_required')
    const passkey = key.sign(await startProof(person))
    expect(await person.post('/auth/proof', { passkey })).toMatchObject({ status: 200 })
    expect(await person.get('/me/export')).toMatchObject({ status: 200 })
    expect(await person.post('/auth/proof', { passkey })).toFailWith(403, 'passkey_wrong')
    expect(await person.post('/auth/proof', { passkey, code: '123456' })).toFailWith(422, 'validation_failed')
  })

  test('has a name that its person can change', async () => {
    const { person, id } = await guard(await invite('dan'))
    const path = `/me/factors/passkeys/${id}`
    expect(await person.patch(path, { name: 'Laptop' })).toMatchObject({ status: 200, body: { name: 'Laptop' } })
    expect(await person.patch(path, { name: ' ' })).toFailWith(422, 'validation_failed')
    expect(await admin.patch(path, { name: 'Mine' })).toFailWith(404, 'factor_unknown')
    expect(await person.patch(`/me/factors/passkeys/${UNKNOWN}`, { name: 'x' })).toFailWith(404, 'factor_unknown')
  })

  test('is one of at most ten, and the device is told which of them it already has', async () => {
    const { person } = await guard(await invite('eva'))
    for (let n = 2; n <= 10; n++) {
      const passkey = new Authenticator(ORIGIN).make(await startAdding(person))
      const { body } = await person.post<Added>('/me/factors/passkeys', { name: `Key ${n}`, passkey })
      expect(body).toMatchObject({ session: null, recoveryCodes: null })
      if (n === 3) expect((await startAdding(person)).excludeCredentials).toHaveLength(3)
    }
    expect(await person.post('/me/factors/passkeys/options')).toFailWith(409, 'passkeys_full')
  })

  test('is removed with a fresh proof, and a login needs only the password once no factor is left', async () => {
    const { person, key, id } = await guard(await invite('fay'))
    const path = `/me/factors/passkeys/${id}`
    await forgetProofs(person)
    expect(await person.delete(path)).toFailWith(403, 'proof_required')
    expect(await person.post('/auth/proof', { passkey: key.sign(await startProof(person)) })).toMatchObject({
      status: 200,
    })
    expect(await admin.delete(path)).toFailWith(404, 'factor_unknown')
    await owner`update app.settings set value = 'user' where key = 'require_factor'`
    expect(await person.delete(path)).toFailWith(409, 'factor_needed')
    await owner`update app.settings set value = '' where key = 'require_factor'`
    expect(await person.delete(path)).toMatchObject({ status: 204 })
    expect((await person.get('/me/factors')).body).toMatchObject({ passkeys: [], recoveryCodesLeft: 0 })
    expect(await logIn(key.sign(await startLogin()))).toFailWith(403, 'passkey_wrong')
    const { email, password } = person
    expect(await nobody.post('/auth/login', { email, password })).toMatchObject({ status: 200 })
    expect(await letters(person)).toEqual(['passkeyAdded', 'passkeyRemoved'])
  })

  test('ends the proofs and the challenges of other sessions when it is removed, and the app remains', async () => {
    const { person, key, id } = await guard(await invite('gil'))
    const { secret } = (await person.post<{ secret: string }>('/me/factors/totp')).body
    const confirmed = await person.post<Session>('/me/factors/totp/confirm', { code: totp(secret) })
    const one = person.withToken(confirmed.body.accessToken)
    const other = person.withToken((await logIn(key.sign(await startLogin()))).body.accessToken)
    expect(await other.get('/me/export')).toMatchObject({ status: 200 })
    const [login, proof] = [key.sign(await startLogin()), key.sign(await startProof(other))]
    expect(await one.delete(`/me/factors/passkeys/${id}`)).toMatchObject({ status: 204 })
    expect(await other.post('/auth/proof', { passkey: proof })).toFailWith(403, 'passkey_wrong')
    expect(await logIn(login)).toFailWith(403, 'passkey_wrong')
    expect(await other.get('/me/export')).toFailWith(403, 'proof_required')
    expect((await one.get('/me/factors')).body).toMatchObject({ totp: {}, passkeys: [], recoveryCodesLeft: 10 })
  })

  test('of a banned person does not log in, and an erased person has none', async () => {
    const { person, key } = await guard(await invite('hal'))
    expect(await admin.post(`/admin/users/${person.username}/ban`, { reason: 'x' })).toMatchObject({ status: 200 })
    expect(await logIn(key.sign(await startLogin()))).toFailWith(403, 'person_banned')
    await owner`select private.erase_person(${person.id})`
    expect(await owner`select from private.passkeys where user_id = ${person.id}`).toHaveLength(0)
    expect(await logIn(key.sign(await startLogin()))).toFailWith(403, 'passkey_wrong')
  })
})

describe('What a device signed', () => {
  test('is accepted only for this origin and this domain, and if the device checked the person', async () => {
    const { person, key } = await guard(await invite('ida'))
    const faults = [{ origin: 'https://evil.example' }, { domain: 'evil.example' }, { isVerified: false }]
    for (const fault of faults) {
      expect(await logIn(key.sign(await startLogin(), fault))).toFailWith(403, 'passkey_wrong')
      const passkey = new Authenticator(ORIGIN).make(await startAdding(person), fault)
      expect(await person.post('/me/factors/passkeys', { name: 'x', passkey })).toFailWith(403, 'passkey_wrong')
    }
    expect(await logIn(key.sign(await startLogin()))).toMatchObject({ status: 200 })
  })

  test('is accepted once, within five minutes, and only for the purpose of the challenge', async () => {
    const { person, key } = await guard(await invite('jan'))
    const used = key.sign(await startLogin())
    expect(await logIn(used)).toMatchObject({ status: 200 })
    expect(await logIn(used)).toFailWith(403, 'passkey_wrong')
    const late = key.sign(await startLogin())
    await owner`update private.passkey_challenges set created_at = now() - interval '5 minutes'`
    expect(await logIn(late)).toFailWith(403, 'passkey_wrong')
    expect(await logIn(key.sign(await startProof(person)))).toFailWith(403, 'passkey_wrong')
    expect(await person.post('/auth/proof', { passkey: key.sign(await startLogin()) })).toFailWith(403, 'passkey_wrong')
    const twice = new Authenticator(ORIGIN).make(await startAdding(person))
    expect(await person.post('/me/factors/passkeys', { name: 'x', passkey: twice })).toMatchObject({ status: 200 })
    expect(await person.post('/me/factors/passkeys', { name: 'x', passkey: twice })).toFailWith(403, 'passkey_wrong')
  })

  test('is accepted once in concurrent logins', async () => {
    const { key } = await guard(await invite('kim'))
    const signed = key.sign(await startLogin())
    const answers = await Promise.all([1, 2, 3, 4].map(() => logIn(signed)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403])
  })

  test('is rejected for another person, and so is a challenge of another person', async () => {
    const [lea, max] = [await guard(await invite('lea')), await guard(await invite('max'))]
    const signed = lea.key.sign(await startProof(max.person))
    expect(await max.person.post('/auth/proof', { passkey: signed })).toFailWith(403, 'passkey_wrong')
    const own = lea.key.sign(await startProof(max.person))
    expect(await lea.person.post('/auth/proof', { passkey: own })).toFailWith(403, 'passkey_wrong')
    const made = new Authenticator(ORIGIN).make(await startAdding(max.person))
    expect(await lea.person.post('/me/factors/passkeys', { name: 'x', passkey: made })).toFailWith(403, 'passkey_wrong')
    const taken = lea.key.make(await startAdding(max.person))
    expect(await max.person.post('/me/factors/passkeys', { name: 'x', passkey: taken })).toFailWith(
      403,
      'passkey_wrong',
    )
  })

  test('is rejected in the same way if nobody has the passkey', async () => {
    const { key } = await guard(await invite('nia'))
    const unknown = await logIn(new Authenticator(ORIGIN).sign(await startLogin()))
    const wrong = await logIn(key.sign(await startLogin(), { origin: 'https://evil.example' }))
    expect(unknown).toFailWith(403, 'passkey_wrong')
    expect({ ...(unknown.body as object), requestId: '' }).toEqual({ ...(wrong.body as object), requestId: '' })
  })

  test('with a copied key ends the passkey, the tokens and the sessions, and is mailed', async () => {
    const { person, key, codes } = await guard(await invite('ole'))
    const { body } = await logIn(key.sign(await startLogin()))
    key.counter = 0
    expect(await logIn(key.sign(await startLogin()))).toFailWith(403, 'passkey_wrong')
    for (const token of [body.accessToken, person.token])
      expect(await person.withToken(token).get('/me')).toFailWith(401, 'token_revoked')
    key.counter = 10
    expect(await logIn(key.sign(await startLogin()))).toFailWith(403, 'passkey_wrong')
    expect(await letters(person)).toEqual(['passkeyAdded', 'passkeyEnded'])
    const { email, password } = person
    expect(await nobody.post('/auth/login', { email, password })).toFailWith(403, 'factor_required')
    expect(await nobody.post('/auth/login', { email, password, code: codes[0] })).toMatchObject({ status: 200 })
  })
})
