// Banned people prove who they are without a session: POST /auth/standing, /auth/statement and /auth/appeal require
// what a login requires, including the second factor.
import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { Authenticator } from '../../support/authenticator.ts'
import { newCode, reserve } from '../../support/codes.ts'
import { applicant } from '../../support/joining.ts'
import type { Person } from '../../support/person.ts'
import { CLIENT, startProvider } from '../../support/provider.ts'
import { totp } from '../../support/totp.ts'
import { world } from '../../support/world.ts'

const ORIGIN = 'https://kith.example.org'
const provider = await startProvider(ORIGIN)
const limits = { global: '10000/min', login: '10000/min', login_account: '10000/min', login_factor: '4/min' }
const env = {
  PUBLIC_URL: ORIGIN,
  FACADE_URL: ORIGIN,
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
  RATE_LIMIT_SCALE: '1',
  RATE_LIMITS: JSON.stringify(limits),
}
const { admin, nobody, database, url, join } = await world({ people: [], env })
const { owner } = database
const invite = async (name: string) => (await join(name))[0] as Person

type Standing = { state: string; decisions: { id: string }[] }
type Options = { challenge: string; rpId: string; rp: { id: string } }
type Session = { accessToken: string }

const forgetStep = ({ id }: Person) => owner`update private.totp set last_step = 0 where user_id = ${id}`
async function addApp(person: Person): Promise<string> {
  await person.post('/auth/proof', { password: person.password })
  const { secret } = (await person.post<{ secret: string }>('/me/factors/totp')).body
  expect(await person.post('/me/factors/totp/confirm', { code: totp(secret) })).toMatchObject({ status: 200 })
  await forgetStep(person)
  return secret
}

/** Bans somebody. @returns the requests that they can make without logging in */
async function ban({ id }: Person) {
  expect(await admin.post(`/admin/users/${id}/ban`, { reason: 'A reason.' })).toMatchObject({ status: 200 })
  const [row] = await owner<{ id: string }[]>`select id from app.decisions where person_id = ${id}`
  const decisionId = row?.id ?? ''
  return {
    read: (who: object) => nobody.post<Standing>('/auth/standing', who),
    explain: (who: object) => nobody.post<{ id: string }>('/auth/statement', { ...who, decisionId }),
    appeal: (who: object) => nobody.post<Standing>('/auth/appeal', { ...who, decisionId, text: 'It was right.' }),
  }
}

test('If a person has a second factor, the password alone permits neither reading nor an appeal', async () => {
  const ann = await invite('ann')
  const secret = await addApp(ann)
  const { read, explain, appeal } = await ban(ann)
  const { email, password } = ann
  for (const ask of [read, explain, appeal]) {
    expect(await ask({ email, password })).toFailWith(403, 'factor_required')
    expect(await ask({ email, password: 'wrong', code: totp(secret) })).toFailWith(401, 'credentials_wrong')
    expect(await ask({ email, password, code: totp(secret, 10) })).toFailWith(403, 'code_wrong')
    const code = totp(secret)
    expect(await ask({ email, password, code })).toMatchObject({
      status: expect.toSatisfy((status: number) => status < 300),
    })
    expect(await ask({ email, password, code })).toFailWith(403, 'code_wrong')
    await forgetStep(ann)
    await owner`delete from private.rates`
  }
  expect(await read({ email, password, code: totp(secret) })).toMatchObject({
    body: { state: 'banned', decisions: [{ appeal: { text: 'It was right.' } }] },
  })
})

test('Wrong codes are counted as they are at a login', async () => {
  const ben = await invite('ben')
  const secret = await addApp(ben)
  const { read } = await ban(ben)
  const { email, password } = ben
  for (const n of [10, 11, 12])
    expect(await read({ email, password, code: totp(secret, n) })).toFailWith(403, 'code_wrong')
  expect(await nobody.post('/auth/login', { email, password, code: totp(secret, 13) })).toFailWith(403, 'person_banned')
  expect(await read({ email, password, code: totp(secret) })).toFailWith(429, 'rate_limited')
})

test('A passkey proves who the person is, without a password or a code', async () => {
  const cid = await invite('cid')
  await cid.post('/auth/proof', { password: cid.password })
  const key = new Authenticator(ORIGIN)
  const made = key.make((await cid.post<Options>('/me/factors/passkeys/options')).body)
  expect(await cid.post('/me/factors/passkeys', { name: 'Phone', passkey: made })).toMatchObject({ status: 200 })
  const { read, explain, appeal } = await ban(cid)
  const sign = async () => key.sign((await nobody.post<Options>('/auth/passkey/options')).body)
  const first = await sign()
  expect(await read({ passkey: first })).toMatchObject({ status: 200, body: { state: 'banned' } })
  expect(await read({ passkey: first })).toFailWith(403, 'passkey_wrong')
  expect(await explain({ passkey: await sign() })).toMatchObject({ status: 200 })
  expect(await appeal({ passkey: await sign() })).toMatchObject({ status: 201 })

  // a copied key is detected here too, and ends the passkey
  key.counter = 0
  expect(await read({ passkey: await sign() })).toFailWith(403, 'passkey_wrong')
  expect(await owner`select from private.passkeys where user_id = ${cid.id}`).toHaveLength(0)
})

/** Logs in at the provider. */
async function visit(name: string) {
  provider.accounts[name] = { email: `${name}@example.org`, email_verified: true }
  provider.account = name
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const query = new URLSearchParams({ challenge, returnTo: '/account' })
  const { body } = await nobody.get<{ url: string }>(`/auth/oidc/start?${query}`)
  const back = await provider.visit(body.url)
  const answer = await fetch(url + back.pathname + back.search, { redirect: 'manual' })
  const [, behind] = answer.headers.get('location')?.split('#') ?? []
  return { oidcCode: new URLSearchParams(behind).get('oidc') ?? '', verifier }
}

test('Somebody without a password can read and appeal after one login at the provider', async () => {
  const { email: _, password: __, ...form } = applicant('dan')
  const sessionId = await reserve(nobody, await newCode(admin))
  const { body } = await nobody.post<Session>('/auth/oidc/register', { ...form, sessionId, ...(await visit('dan')) })
  const dan = nobody.withToken(body.accessToken)
  const { read, explain, appeal } = await ban(dan)
  const login = await visit('dan')
  expect(await nobody.post('/auth/oidc/login', login)).toFailWith(403, 'person_banned')
  expect(await read({ ...login, verifier: 'x'.repeat(43) })).toFailWith(410, 'oidc_over')
  expect(await read(await visit('somebody'))).toFailWith(404, 'identity_unlinked')
  expect(await read(login)).toMatchObject({ status: 200, body: { state: 'banned' } })
  expect(await explain(login)).toMatchObject({ status: 200 })
  expect(await appeal(login)).toMatchObject({ status: 201 })
  await owner`update private.oidc_logins set created_at = created_at - interval '30 minutes'`
  expect(await read(login)).toFailWith(410, 'oidc_over')
})

test('A request without a proof, or with two kinds of proof, is rejected', async () => {
  const password = 'long enough for all'
  for (const who of [
    {},
    { email: 'a@example.org' },
    { password },
    { email: 'a@example.org', password, oidcCode: 'x', verifier: 'x'.repeat(43) },
    { oidcCode: 'x' },
    { email: 'a@example.org', oidcCode: 'x', verifier: 'x'.repeat(43) },
  ])
    expect(await nobody.post('/auth/standing', who), JSON.stringify(who)).toFailWith(422, 'validation_failed')
})
