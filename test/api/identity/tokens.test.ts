// Invalid and revoked tokens: 401 from the next request on, whatever else is wrong with the request.
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

/** Requests to every kind of route, each with the status that it returns for a valid token. */
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

describe('A valid token', () => {
  test.each(requests)('is accepted by %s %s %j', async (method, path, body, status) => {
    const signed = alice.withToken(await sign(claims))
    expect((await alice.request(method, path, body)).status).toBe(status)
    expect((await signed.request(method, path, body)).status).toBe(status)
  })

  test('is accepted with the scheme in any letter case', async () => {
    expect(await alice.get('/me', { authorization: `bearer  ${alice.token}` })).toMatchObject({ status: 200 })
  })
})

describe('A request is rejected with 401 when the token', async () => {
  const rsa = await generateKeyPair('RS256')
  const rs256 = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', typ: 'JWT' }).sign(rsa.privateKey)
  const [header, , signature] = (alice.token ?? '').split('.')
  const raised = Buffer.from(JSON.stringify({ ...claims, role: 'admin' })).toString('base64url')

  test.each<[string, string | Promise<string>]>([
    ['has alg none', new UnsecuredJWT(claims).encode()],
    ['has alg none and a signature', `${new UnsecuredJWT(claims).encode()}${signature}`],
    ['is signed with HS512', sign(claims, 'HS512')],
    ['is signed with HS384', sign(claims, 'HS384')],
    ['is signed with RS256', rs256],
    ['is signed with another key', sign(claims, 'HS256', `${JWT_SECRET}!`)],
    ['has an empty signature', `${alice.token?.replace(/[^.]+$/, '')}`],
    ['has a changed payload under the same signature', `${header}.${raised}.${signature}`],
    ['is no JWT', 'nonsense'],
    ['is a refresh token', Buffer.from(crypto.getRandomValues(new Uint8Array(48))).toString('base64url')],
    ['has an extra claim', sign({ ...claims, personaId: alice.id })],
    ['has an audience', sign({ ...claims, aud: 'authenticated' })],
    ['is a JWT of type refresh', sign({ ...claims, type: 'refresh' })],
    ['has no sub', without('sub')],
    ['has no email', without('email')],
    ['has no role', without('role')],
    ['has no iat', without('iat')],
    ['has no exp', without('exp')],
    ['has a sub that is not an id', sign({ ...claims, sub: 'alice' })],
    ['has an unknown role', sign({ ...claims, role: 'owner' })],
    ['has the role service_role', sign({ ...claims, role: 'service_role' })],
    ['is too long', sign({ ...claims, email: `${'a'.repeat(5000)}@b.example` })],
  ])('%s', async (_what, token) => {
    await refused(alice.withToken(await token), 'token_invalid')
  })

  test('has expired', async () => {
    await refused(alice.withToken(await sign({ ...claims, iat: now - 900, exp: now - 1 })), 'token_expired')
    await refused(alice.withToken(await sign({ ...claims, iat: now - 900, exp: now })), 'token_expired')
  })

  test('is missing', async () => {
    await refused(nobody, 'token_missing')
  })

  test.each([
    'Bearer',
    'Bearer ',
    `Basic ${btoa('alice:password')}`,
    `Token ${alice.token}`,
    `${alice.token}`,
    'Bearer a b',
  ])('is in a malformed header, Authorization: %s', async (authorization) => {
    expect(await nobody.get('/me', { authorization })).toFailWith(401, 'token_invalid')
  })
})

describe('A correctly signed token is rejected as revoked when it names', () => {
  test.each([
    ['a person who does not exist', { sub: crypto.randomUUID() }],
    ['a higher role than the person has', { role: 'admin' }],
    ['a role between the person’s and admin', { role: 'moderator' }],
  ])('%s', async (_what, more) => {
    await refused(alice.withToken(await sign({ ...claims, ...more })), 'token_revoked')
  })
})

describe('A token', () => {
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

  test.each([...deaths, ['promoted', set({ role: 'moderator' })] as const])(
    'is revoked when its holder is %s',
    async (what, end) => {
      const [person] = await join(`u_${what.replace(/\W/g, '').toLowerCase()}`)
      if (!person) throw new Error('nobody joined')
      expect(await person.get('/me')).toMatchObject({ status: 200 })
      await end(person)
      await refused(person, 'token_revoked')
    },
  )

  test.each([
    ...deaths,
    ['demoted to user', set({ role: 'user' })] as const,
    ['demoted to moderator', set({ role: 'moderator' })] as const,
  ])('of an admin is revoked when the admin is %s, with 401 rather than 403', async (what, end) => {
    const [person] = await join(`a_${what.replace(/\W/g, '').toLowerCase()}`)
    await database.owner`update app.users set role = 'admin' where id = ${person?.id ?? ''}`
    const staff = await person?.login()
    if (!staff) throw new Error('nobody joined')
    expect(await staff.post('/admin/invite-codes/generate', { count: 1 })).toMatchObject({ status: 201 })
    await end(staff)
    await refused(staff, 'token_revoked')
    const codes = await database.owner`select from app.invite_codes where generated_by = ${staff.id}`
    expect(codes).toHaveLength(1)
  })

  test('that is revoked writes nothing', async () => {
    const [ghost] = await join('ghost')
    await set({ banned_at: new Date() })(ghost ?? nobody)
    expect(await ghost?.post('/circles/me', { name: 'Ghosts', kind: 'custom' })).toFailWith(401, 'token_revoked')
    expect(await database.owner`select from app.circles where owner_id = ${ghost?.id ?? ''}`).toHaveLength(0)
  })

  test('that is revoked does not matter on public routes, which ignore tokens', async () => {
    const [gone] = await join('gone')
    await gone?.post('/auth/logout')
    expect(await gone?.post('/auth/reserve-invite', { code: 'INV-ZZZZZZ' })).toFailWith(404, 'invite_unknown')
    expect(await gone?.get('//health')).toMatchObject({ status: 200 })
    expect(await gone?.get('/no/such/route')).toFailWith(404, 'route_unknown')
  })

  test('in the new role is issued at the next login after a promotion', async () => {
    const [climber] = await join('climber')
    await set({ role: 'admin' })(climber ?? nobody)
    expect(await climber?.get('/me')).toFailWith(401, 'token_revoked')
    const again = await climber?.login()
    expect(await again?.get('/me')).toMatchObject({ status: 200, body: { role: 'admin' } })
    expect(await admin.get('/me')).toMatchObject({ status: 200 })
  })
})
