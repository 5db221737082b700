// Tokens that are no tokens, and tokens that have died: 401 each, at the very next request, whatever else is wrong.
import { generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import type { Person } from '../../support/person.ts'
import { JWT_SECRET } from '../../support/settings.ts'
import { world } from '../../support/world.ts'

const { alice, nobody, admin, database, join } = await world({ people: ['alice'] })
const key = (secret: string) => new TextEncoder().encode(secret)
const now = Math.floor(Date.now() / 1000)
const claims = { sub: alice.id, email: alice.email, role: 'user', iat: now, exp: now + 900 }
const sign = (payload: JWTPayload, alg = 'HS256', secret = JWT_SECRET) =>
  new SignJWT(payload).setProtectedHeader({ alg, typ: 'JWT' }).sign(key(secret))
const without = (claim: keyof typeof claims) => sign({ ...claims, [claim]: undefined })

/** Requests to every kind of route, each with what it answers to a token that is good. */
const requests: [string, string, unknown, number][] = [
  ['GET', '/me', undefined, 200],
  ['POST', '/posts', {}, 422],
  ['POST', '/posts', '{', 400],
  ['GET', '/posts/not-a-uuid', undefined, 422],
  ['GET', '/feed?limit=51', undefined, 422],
  ['POST', '/circles/me', { name: 5 }, 422],
  ['GET', '/reputation/nobody_of_this_name', undefined, 404],
  ['POST', '/auth/logout', { scope: 'everywhere' }, 422],
  ['POST', '/admin/invite-codes/generate', { count: 1 }, 403],
  ['POST', '/admin/invite-codes/generate', { count: 'many' }, 403],
  ['POST', '/admin/invite-codes/generate', '{', 403],
]

async function refused(person: Person, code: string) {
  for (const [method, path, body] of requests) {
    const answer = await person.request(method, path, body)
    expect(answer, `${method} ${path} ${JSON.stringify(body)}`).toFailWith(401, code)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(answer.body).toMatchObject({ statusCode: 401, error: 'Unauthorized' })
  }
}

describe('a good token', () => {
  test.each(requests)('passes: %s %s %j', async (method, path, body, status) => {
    const signed = alice.withToken(await sign(claims))
    expect((await alice.request(method, path, body)).status).toBe(status)
    expect((await signed.request(method, path, body)).status).toBe(status)
  })

  test('takes the scheme in any letter case', async () => {
    expect(await alice.get('/me', { authorization: `bearer  ${alice.token}` })).toMatchObject({ status: 200 })
  })
})

describe('refuses what is no token of ours', async () => {
  const rsa = await generateKeyPair('RS256')
  const rs256 = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'JWT' }).sign(rsa.privateKey)
  const [header, , signature] = (alice.token ?? '').split('.')
  const raised = Buffer.from(JSON.stringify({ ...claims, role: 'admin' })).toString('base64url')

  test.each<[string, string | Promise<string>]>([
    ['alg none', new UnsecuredJWT(claims).encode()],
    ['alg none with a signature', `${new UnsecuredJWT(claims).encode()}${signature}`],
    ['HS512', sign(claims, 'HS512')],
    ['HS384', sign(claims, 'HS384')],
    ['RS256', rs256],
    ['another key', sign(claims, 'HS256', `${JWT_SECRET}!`)],
    ['an empty signature', `${alice.token?.replace(/[^.]+$/, '')}`],
    ['another payload under the same signature', `${header}.${raised}.${signature}`],
    ['no JWT', 'nonsense'],
    ['a refresh token', Buffer.from(crypto.getRandomValues(new Uint8Array(48))).toString('base64url')],
    ['a claim more', sign({ ...claims, personaId: alice.id })],
    ['an audience', sign({ ...claims, aud: 'authenticated' })],
    ['a refresh token that is a JWT', sign({ ...claims, type: 'refresh' })],
    ['no sub', without('sub')],
    ['no email', without('email')],
    ['no role', without('role')],
    ['no iat', without('iat')],
    ['no exp', without('exp')],
    ['a sub that is no id', sign({ ...claims, sub: 'alice' })],
    ['an unknown role', sign({ ...claims, role: 'owner' })],
    ['the role of the service', sign({ ...claims, role: 'service_role' })],
    ['too long a token', sign({ ...claims, email: `${'a'.repeat(5000)}@b.example` })],
  ])('%s', async (_what, token) => {
    await refused(alice.withToken(await token), 'token_invalid')
  })

  test('an expired one', async () => {
    await refused(alice.withToken(await sign({ ...claims, iat: now - 900, exp: now - 1 })), 'token_expired')
    await refused(alice.withToken(await sign({ ...claims, iat: now - 900, exp: now })), 'token_expired')
  })

  test('none at all', async () => {
    await refused(nobody, 'token_missing')
  })

  test.each([
    'Bearer',
    'Bearer ',
    `Basic ${btoa('alice:password')}`,
    `Token ${alice.token}`,
    `${alice.token}`,
    'Bearer a b',
  ])('Authorization: %s', async (authorization) => {
    expect(await nobody.get('/me', { authorization })).toFailWith(401, 'token_invalid')
  })
})

describe('refuses a token that says what is not so', () => {
  test.each([
    ['of nobody', { sub: crypto.randomUUID() }],
    ['of a higher role', { role: 'admin' }],
    ['of a role between', { role: 'moderator' }],
  ])('%s', async (_what, more) => {
    await refused(alice.withToken(await sign({ ...claims, ...more })), 'token_revoked')
  })
})

describe('a token dies', () => {
  const set = (columns: Record<string, unknown>) => async (person: Person) => {
    await database.owner`update app.users set ${database.owner(columns)} where id = ${person.id}`
  }
  const validFrom = async (person: Person) => {
    await database.owner`update app.users set tokens_valid_from = extract(epoch from now())::bigint + 1 where id = ${person.id}`
  }
  const logOut = (scope: string) => async (person: Person) => {
    expect(await person.post('/auth/logout', { scope })).toMatchObject({ status: 204 })
  }
  const deaths: [string, (person: Person) => Promise<void>][] = [
    ['banned', set({ banned_at: new Date() })],
    ['erased', set({ erased_at: new Date() })],
    ['older than tokensValidFrom', validFrom],
    ['logged out', logOut('local')],
    ['logged out everywhere', logOut('global')],
  ]

  test.each([...deaths, ['promoted', set({ role: 'moderator' })] as const])('with its holder %s', async (what, end) => {
    const [person] = await join(`u_${what.replace(/\W/g, '').toLowerCase()}`)
    if (!person) throw new Error('nobody came')
    expect(await person.get('/me')).toMatchObject({ status: 200 })
    await end(person)
    await refused(person, 'token_revoked')
  })

  test.each([
    ...deaths,
    ['demoted to user', set({ role: 'user' })] as const,
    ['demoted to moderator', set({ role: 'moderator' })] as const,
  ])('with an admin %s: 401 and not 403', async (what, end) => {
    const [person] = await join(`a_${what.replace(/\W/g, '').toLowerCase()}`)
    await database.owner`update app.users set role = 'admin' where id = ${person?.id ?? ''}`
    const staff = await person?.login()
    if (!staff) throw new Error('nobody came')
    expect(await staff.post('/admin/invite-codes/generate', { count: 1 })).toMatchObject({ status: 201 })
    await end(staff)
    await refused(staff, 'token_revoked')
    const codes = await database.owner`select from app.invite_codes where generated_by = ${staff.id}`
    expect(codes).toHaveLength(1)
  })

  test('and writes nothing', async () => {
    const [ghost] = await join('ghost')
    await set({ banned_at: new Date() })(ghost ?? nobody)
    expect(await ghost?.post('/circles/me', { name: 'Ghosts', kind: 'custom' })).toFailWith(401, 'token_revoked')
    expect(await database.owner`select from app.circles where owner_id = ${ghost?.id ?? ''}`).toHaveLength(0)
  })

  test('without a trace on public routes, which look at no token', async () => {
    const [gone] = await join('gone')
    await gone?.post('/auth/logout')
    expect(await gone?.post('/auth/reserve-invite', { code: 'INV-ZZZZZZ' })).toFailWith(404, 'invite_unknown')
    expect(await gone?.get('//health')).toMatchObject({ status: 200 })
    expect(await gone?.get('/no/such/route')).toFailWith(404, 'route_unknown')
  })

  test('and logging in again gives one in the new role', async () => {
    const [climber] = await join('climber')
    await set({ role: 'admin' })(climber ?? nobody)
    expect(await climber?.get('/me')).toFailWith(401, 'token_revoked')
    const again = await climber?.login()
    expect(await again?.get('/me')).toMatchObject({ status: 200, body: { role: 'admin' } })
    expect(await admin.get('/me')).toMatchObject({ status: 200 })
  })
})
