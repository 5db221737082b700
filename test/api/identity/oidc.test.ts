// Logging in with an OpenID provider: the whole flow over HTTP with a real provider, and attacks on it.
import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createSeals } from '../../../api-facade/lib/seals.ts'
import { newCode, reserve } from '../../support/codes.ts'
import { applicant } from '../../support/joining.ts'
import type { Person } from '../../support/person.ts'
import { CLIENT, startProvider } from '../../support/provider.ts'
import { JWT_SECRET } from '../../support/settings.ts'
import { totp } from '../../support/totp.ts'
import { world } from '../../support/world.ts'

const FACADE = 'https://kith.example'
const APP = 'https://app.example/signed-in'
const provider = await startProvider(FACADE)
const settings = {
  FACADE_URL: FACADE,
  OIDC_ISSUER: provider.issuer,
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
  OIDC_NAME: 'Example',
  OIDC_RETURN: APP,
}
const { admin, nobody, database, url, join } = await world({ people: [], env: settings })
const { owner } = database
const invite = async (name: string) => (await join(name))[0] as Person

type Session = { accessToken: string; refreshToken?: string; user: { username: string; email: string } }
type Identity = { id: string; issuer: string; email: string }
type Identities = { items: Identity[]; hasPassword: boolean }

/** What a client keeps secret until it uses the one-time code. */
const newVerifier = () => randomBytes(32).toString('base64url')
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url')

async function begin(verifier: string, more: Record<string, string> = {}): Promise<string> {
  const query = new URLSearchParams({ challenge: hashOf(verifier), returnTo: '/account', ...more })
  const { status, body } = await nobody.get<{ url: string }>(`/auth/oidc/start?${query}`)
  expect(status).toBe(200)
  return body.url
}

/**
 * Opens the address to which the provider sends a browser. @returns the address to which Kith redirects, and the
 * parameters in its fragment
 */
async function come(back: URL) {
  const answer = await fetch(url + back.pathname + back.search, { redirect: 'manual' })
  const location = answer.headers.get('location')
  const [to = '', behind = ''] = location?.split('#') ?? []
  const { oidc: code = '', error = '' } = Object.fromEntries(new URLSearchParams(behind))
  return { status: answer.status, refused: answer.headers.get('x-error-code'), to, code, error, location }
}

/** Logs in at the provider, which has this account with this address. */
async function visit(name: string, address: string, isVerified = true, more: Record<string, string> = {}) {
  provider.accounts[name] = { email: address, email_verified: isVerified }
  provider.account = name
  const verifier = newVerifier()
  const back = await provider.visit(await begin(verifier, more))
  return { verifier, ...(await come(back)), back }
}

const logIn = ({ code, verifier }: { code: string; verifier: string }, more: object = {}) =>
  nobody.post<Session>('/auth/oidc/login', { oidcCode: code, verifier, ...more })

async function register(name: string, { code, verifier }: { code: string; verifier: string }, more: object = {}) {
  const { email: _, password: __, ...form } = applicant(name)
  const sessionId = await reserve(nobody, await newCode(admin))
  return nobody.post<Session>('/auth/oidc/register', { ...form, sessionId, oidcCode: code, verifier, ...more })
}

const prove = (person: Person, body: object) => person.post('/auth/proof', body)
async function link(person: Person, account: string, address: string) {
  expect(await prove(person, { password: person.password })).toMatchObject({ status: 200 })
  const { code, verifier } = await visit(account, address)
  return person.post<Identities>('/me/identities', { oidcCode: code, verifier })
}

describe('A new person', () => {
  test('registers with a login at the provider and an invite code, and logs in again', async () => {
    const first = await visit('nora', 'nora@example.org')
    expect(first).toMatchObject({ status: 303, to: '/account', error: '' })
    expect(first.location).not.toContain(first.verifier)
    expect(await logIn(first)).toFailWith(404, 'identity_unlinked')
    expect(await register('nora', first, { sessionId: crypto.randomUUID() })).toFailWith(410, 'reservation_over')
    const { status, body } = await register('nora', first)
    expect([status, body.user.username, body.user.email]).toEqual([201, 'nora', 'nora@example.org'])
    expect(body.user).toMatchObject({ emailVerifiedAt: expect.any(String) })
    expect(await logIn(first)).toFailWith(410, 'oidc_over')

    const again = await visit('nora', 'nora.moved@example.org')
    const session = await logIn(again, { session: 'rotating', deviceName: 'A lamp' })
    expect(session).toMatchObject({ status: 200, body: { expiresIn: 900, user: { email: 'nora@example.org' } } })
    expect(await logIn(again)).toFailWith(410, 'oidc_over')
    const nora = nobody.withToken(session.body.accessToken)
    const sessions = await nora.get<{ items: { device: string }[] }>('/me/sessions')
    expect(sessions.body.items.map(({ device }) => device)).toContain('A lamp')
    const { body: own } = await nora.get<Identities>('/me/identities')
    expect(own).toMatchObject({ hasPassword: false, items: [{ issuer: provider.issuer, email: 'nora@example.org' }] })
    const exported = await nora.get<{ linkedLogins: object[] }>('/me/export')
    expect(exported.body.linkedLogins).toMatchObject([{ subject: 'nora', email: 'nora@example.org' }])
  })

  test('has no password, so every password is wrong, and cannot unlink the only way to log in', async () => {
    const { body } = await register('noel', await visit('noel', 'noel@example.org'))
    const noel = nobody.withToken(body.accessToken)
    for (const password of ['', 'null', 'a better password'])
      expect(await nobody.post('/auth/login', { email: 'noel@example.org', password })).toFailWith(
        401,
        'credentials_wrong',
      )
    expect(await prove(noel, { password: 'a better password' })).toFailWith(403, 'password_wrong')
    const { items } = (await noel.get<Identities>('/me/identities')).body
    const path = `/me/identities/${items[0]?.id}`
    expect(await noel.delete(path)).toFailWith(403, 'proof_required')

    // an old login at the provider is no proof, and neither is a login of somebody else
    const old = await visit('noel', 'noel@example.org')
    expect(await prove(noel, { oidcCode: old.code, verifier: old.verifier })).toFailWith(410, 'oidc_over')
    const other = await visit('somebody', 'somebody@example.org', true, { fresh: 'true' })
    expect(await prove(noel, { oidcCode: other.code, verifier: other.verifier })).toFailWith(404, 'identity_unknown')
    const fresh = await visit('noel', 'noel@example.org', true, { fresh: 'true' })
    expect(await prove(noel, { oidcCode: fresh.code, verifier: fresh.verifier })).toMatchObject({ status: 200 })
    expect(await noel.delete(path)).toFailWith(409, 'identity_needed')
    expect((await noel.get<Identities>('/me/identities')).body.items).toHaveLength(1)
  })

  test('is rejected if somebody has the address, or if the provider has not verified it', async () => {
    const una = await invite('una')
    const same = await visit('una-elsewhere', una.email)
    expect(await logIn(same)).toFailWith(404, 'identity_unlinked')
    expect(await register('una', same)).toFailWith(409, 'email_taken')
    const unverified = await visit('ulf', 'ulf@example.org', false)
    expect(unverified).toMatchObject({ status: 303, to: '/account', code: '', error: 'oidc_unverified' })
  })
})

describe('A person', () => {
  test('can link a login after a fresh proof, log in with this login, and unlink it', async () => {
    const lea = await invite('lea')
    const { code, verifier } = await visit('lea', 'lea.elsewhere@example.org')
    const body = { oidcCode: code, verifier }
    expect(await nobody.post('/me/identities', body)).toFailWith(401, 'token_missing')
    expect(await lea.post('/me/identities', body)).toFailWith(403, 'proof_required')
    expect(await prove(lea, { password: lea.password })).toMatchObject({ status: 200 })
    const linked = await lea.post<Identities>('/me/identities', body)
    expect(linked).toMatchObject({ status: 200, body: { hasPassword: true } })
    const session = await logIn(await visit('lea', 'lea.elsewhere@example.org'))
    expect(session).toMatchObject({ status: 200, body: { user: { email: lea.email } } })

    const max = await invite('max')
    expect(await link(max, 'lea', 'lea.elsewhere@example.org')).toFailWith(409, 'identity_taken')
    const path = `/me/identities/${linked.body.items[0]?.id}`
    expect(await max.delete(path)).toFailWith(404, 'identity_unknown')
    expect(await lea.delete(path)).toMatchObject({ status: 204 })
    expect(await logIn(await visit('lea', 'lea.elsewhere@example.org'))).toFailWith(404, 'identity_unlinked')
    const letters = await owner<{ letter: string }[]>`
      select data ->> 'letter' as letter from pgboss.job
      where name = 'mail' and data ->> 'userId' = ${lea.id} and data ? 'noticeId' order by created_on`
    expect(letters.map(({ letter }) => letter)).toEqual(['identityLinked', 'identityUnlinked'])
  })

  test('can link at most five', async () => {
    const zoe = await invite('zoe')
    for (const n of [1, 2, 3, 4, 5])
      expect(await link(zoe, `zoe ${n}`, 'zoe@example.org')).toMatchObject({ status: 200 })
    expect(await link(zoe, 'zoe 6', 'zoe@example.org')).toFailWith(409, 'identities_exhausted')
  })

  test('with a second factor also gives a code of it', async () => {
    const kai = await invite('kai')
    expect(await link(kai, 'kai', kai.email)).toMatchObject({ status: 200 })
    const { secret } = (await kai.post<{ secret: string }>('/me/factors/totp')).body
    const { body } = await kai.post<Session>('/me/factors/totp/confirm', { code: totp(secret) })
    await owner`update private.totp set last_step = 0 where user_id = ${kai.id}`
    const login = await visit('kai', kai.email, true, { fresh: 'true' })
    expect(await logIn(login)).toFailWith(403, 'factor_required')
    expect(await logIn(login, { code: totp(secret, 10) })).toFailWith(403, 'code_wrong')
    const proof = { oidcCode: login.code, verifier: login.verifier }
    expect(await prove(kai.withToken(body.accessToken), proof)).toFailWith(403, 'factor_required')
    expect(await logIn(login, { code: totp(secret) })).toMatchObject({ status: 200 })
  })

  test('who is banned gets the error of a login, and one who was erased is unknown', async () => {
    const eve = await invite('eve')
    expect(await link(eve, 'eve', eve.email)).toMatchObject({ status: 200 })
    expect(await admin.post(`/admin/users/${eve.id}/ban`, { reason: 'x' })).toMatchObject({ status: 200 })
    expect(await logIn(await visit('eve', eve.email))).toFailWith(403, 'person_banned')
    expect(await admin.post(`/admin/users/${eve.id}/unban`, { reason: 'x' })).toMatchObject({ status: 200 })
    const back = await eve.login()
    const logins = () => owner`select from private.oidc_logins where subject = 'eve'`
    expect(await logins()).not.toHaveLength(0)
    expect(await back.post('/me/delete', { password: eve.password })).toMatchObject({ status: 200 })
    expect(await logins()).toHaveLength(0)
    expect(await logIn(await visit('eve', eve.email))).toFailWith(404, 'identity_unlinked')
    expect(await owner`select from private.identities where subject = 'eve'`).toHaveLength(0)
  })
})

describe('An attacker', () => {
  const withAnswer = (back: URL, changes: Record<string, string | null>) => {
    const changed = new URL(back)
    for (const [name, value] of Object.entries(changes)) {
      if (value === null) changed.searchParams.delete(name)
      else changed.searchParams.set(name, value)
    }
    return changed
  }
  const account = { email: 'ida@example.org', email_verified: true }
  async function answerOf(verifier = newVerifier(), edit: (url: URL) => void = () => {}): Promise<URL> {
    provider.accounts.ida = account
    provider.account = 'ida'
    const there = new URL(await begin(verifier))
    edit(there)
    return provider.visit(there.href)
  }

  test('cannot use a one-time code without the verifier of the browser that began', async () => {
    const { code, verifier } = await visit('ida', 'ida@example.org')
    expect(await logIn({ code, verifier: newVerifier() })).toFailWith(410, 'oidc_over')
    expect(await register('ida', { code, verifier: newVerifier() })).toFailWith(410, 'oidc_over')
    const made = createSeals(['another secret']).seal('oidc', { id: crypto.randomUUID(), generation: 0 }, 'code')
    for (const forged of ['', 'x', made, `${code}x`])
      expect(await logIn({ code: forged, verifier })).toFailWith(410, 'oidc_over')
    expect(await logIn({ code, verifier })).toFailWith(404, 'identity_unlinked')
    await owner`update private.oidc_logins set created_at = created_at - interval '30 minutes'`
    expect(await logIn({ code, verifier })).toFailWith(410, 'oidc_over')
  })

  test('cannot use a code of the provider in another login', async () => {
    const [mine, theirs] = [await answerOf(), await answerOf()]
    const injected = withAnswer(mine, { code: theirs.searchParams.get('code') })
    expect(await come(injected)).toMatchObject({ status: 303, code: '', error: 'oidc_refused' })
  })

  test('cannot replay a state, change it, or use one that is too old', async () => {
    const verifier = newVerifier()
    const there = await begin(verifier)
    provider.account = 'ida'
    const first = await come(await provider.visit(there))
    expect(first.code).not.toBe('')
    // the same state, with a new code of the provider
    expect(await come(await provider.visit(there))).toMatchObject({ code: '', error: 'oidc_over' })

    const back = await answerOf()
    const [sealed, challenge, returnTo, fresh] = (back.searchParams.get('state') ?? '').split('.')
    const evil = Buffer.from('https://evil.example').toString('base64url')
    const id = createSeals([JWT_SECRET]).open('oidc', sealed ?? '', `${challenge} /account false`)?.id ?? ''
    const old = createSeals([JWT_SECRET]).seal(
      'oidc',
      { id, generation: Math.floor(Date.now() / 1000) - 301 },
      `${challenge} /account false`,
    )
    for (const state of [
      '',
      'x',
      [sealed, hashOf('another'), returnTo, fresh].join('.'),
      [sealed, challenge, evil, fresh].join('.'),
      [sealed, challenge, returnTo, '1'].join('.'),
      [old, challenge, returnTo, fresh].join('.'),
    ])
      expect(await come(withAnswer(back, { state }))).toMatchObject({
        status: 410,
        refused: 'oidc_over',
        location: null,
      })
    expect((await come(back)).code).not.toBe('')
  })

  test('cannot use an ID token of another request, or the answer of another provider', async () => {
    const wrongNonce = await answerOf(newVerifier(), (there) => there.searchParams.set('nonce', 'of another request'))
    expect(await come(wrongNonce)).toMatchObject({ code: '', error: 'oidc_refused' })
    const back = await answerOf()
    for (const iss of ['https://evil.example', null])
      expect(await come(withAnswer(back, { iss }))).toMatchObject({ code: '', error: 'oidc_refused' })
    expect((await come(back)).code).not.toBe('')
  })

  test('cannot redirect the browser to their own address', async () => {
    for (const returnTo of ['https://evil.example/account', '//evil.example', '/account?x', '/settings', `${APP}/x`]) {
      const query = new URLSearchParams({ challenge: hashOf('x'), returnTo })
      expect(await nobody.get(`/auth/oidc/start?${query}`)).toFailWith(422, 'oidc_address')
    }
    const { to, code } = await visit('ida', 'ida@example.org', true, { returnTo: APP })
    expect([to, code === '']).toEqual([APP, false])
  })

  test('is not told why the provider refused', async () => {
    provider.account = undefined
    const back = await provider.visit(await begin(newVerifier()))
    expect(back.searchParams.get('error')).toBe('access_denied')
    expect(await come(back)).toMatchObject({ status: 303, code: '', error: 'oidc_refused' })
  })
})

test('A provider without discovery works with the addresses of its parts', async () => {
  const known = await fetch(`${provider.issuer}/.well-known/openid-configuration`)
  const metadata = (await known.json()) as Record<string, string>
  const there = await world({
    people: [],
    env: {
      ...settings,
      OIDC_AUTHORIZATION_URL: metadata.authorization_endpoint ?? '',
      OIDC_TOKEN_URL: metadata.token_endpoint ?? '',
      OIDC_JWKS_URL: metadata.jwks_uri ?? '',
      OIDC_USERINFO_URL: metadata.userinfo_endpoint ?? '',
    },
  })
  const verifier = newVerifier()
  const query = new URLSearchParams({ challenge: hashOf(verifier), returnTo: '/join' })
  const { body } = await there.nobody.get<{ url: string }>(`/auth/oidc/start?${query}`)
  provider.account = 'ida'
  const back = await provider.visit(body.url)
  const answer = await fetch(there.url + back.pathname + back.search, { redirect: 'manual' })
  expect(answer.headers.get('location')).toContain('/join#oidc=')
})

test('Without a configured provider, no login at a provider can begin', async () => {
  const plain = await world({ people: [] })
  const query = new URLSearchParams({ challenge: hashOf('x'), returnTo: '/account' })
  expect(await plain.nobody.get(`/auth/oidc/start?${query}`)).toFailWith(404, 'oidc_off')
  const known = await plain.nobody.get<{ oidc: unknown }>('//.well-known/kith')
  expect(known.body.oidc).toBe(null)
})
