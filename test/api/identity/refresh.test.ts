// Refresh tokens: what they are exchanged for, what invalidates them, and what happens when the secret is replaced.
import { describe, expect, test } from 'vitest'
import { createSeals, hashOf } from '../../../api-facade/lib/seals.ts'
import { createTokens } from '../../../api-facade/lib/tokens.ts'
import { claimsOf } from '../../support/crawler.ts'
import type { Person } from '../../support/person.ts'
import { begin, familyOf, type Pair } from '../../support/sessions.ts'
import { JWT_SECRET } from '../../support/settings.ts'
import { world } from '../../support/world.ts'

const { alice, nobody, database, join } = await world({ people: ['alice'] })
const { owner } = database

const refresh = (refreshToken: unknown) => nobody.post<Pair>('/identity/refresh', { refreshToken })
async function stateOf(token: string) {
  const [row] = await owner`
    select generation, ended_at is not null as ended from app.sessions where id = ${familyOf(token)}`
  return row
}
/** Moves the last refresh into the past by this interval. */
const wait = (token: string, time: string) =>
  owner`update app.sessions set last_used_at = last_used_at - ${time}::interval where id = ${familyOf(token)}`

describe('POST /identity/refresh', () => {
  test('exchanges a token for a fresh pair, repeatedly', async () => {
    let pair = await begin(alice)
    const seen = new Set([pair.refreshToken, pair.accessToken])
    for (let n = 1; n <= 5; n++) {
      const { status, body } = await refresh(pair.refreshToken)
      expect([status, Object.keys(body).sort()]).toEqual([200, ['accessToken', 'expiresIn', 'refreshToken']])
      expect(await nobody.withToken(body.accessToken).get('/me')).toMatchObject({ status: 200 })
      expect(seen).not.toContain(body.refreshToken)
      expect(seen).not.toContain(body.accessToken)
      for (const token of [body.refreshToken, body.accessToken]) seen.add(token)
      expect(await stateOf(body.refreshToken)).toEqual({ generation: n, ended: false })
      pair = body
    }
  })

  test('gives 20 concurrent requests the same successor in one session', async () => {
    const { refreshToken } = await begin(alice)
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(refreshToken)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    const successors = new Set(answers.map(({ body }) => body.refreshToken))
    expect(successors.size).toBe(1)
    expect(new Set(answers.map(({ body }) => body.accessToken)).size).toBe(20)
    const [successor = ''] = successors
    expect(await stateOf(successor)).toEqual({ generation: 1, ended: false })
    expect(await refresh(successor)).toMatchObject({ status: 200 })
  })

  test.each(['10 seconds', '1 hour'])('ends the session when a token is reused %s later', async (time) => {
    const stolen = await begin(alice)
    const other = await begin(alice)
    const { body: next } = await refresh(stolen.refreshToken)
    await wait(next.refreshToken, time)
    expect(await refresh(stolen.refreshToken)).toFailWith(401, 'refresh_token_reused')
    expect(await stateOf(next.refreshToken)).toEqual({ generation: 1, ended: true })
    for (const { refreshToken } of [next, stolen, next])
      expect(await refresh(refreshToken)).toFailWith(401, 'refresh_token_invalid')
    for (const { accessToken } of [next, stolen])
      expect(await nobody.withToken(accessToken).get('/me')).toFailWith(401, 'token_revoked')
    expect(await stateOf(next.refreshToken)).toEqual({ generation: 1, ended: true })
    expect(await refresh(other.refreshToken)).toMatchObject({ status: 200 })
  })

  test('returns the same successor when a token is reused within 10 seconds', async () => {
    const { refreshToken } = await begin(alice)
    const { body: first } = await refresh(refreshToken)
    await wait(first.refreshToken, '8 seconds')
    expect((await refresh(refreshToken)).body.refreshToken).toBe(first.refreshToken)
  })

  test.each(['', 'x', '.', 'a.b.c', 'A'.repeat(70), 'A'.repeat(1024)])(
    'answers 401 for the token %j',
    async (token) => {
      const answer = await refresh(token)
      expect(answer).toFailWith(401, 'refresh_token_invalid')
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    },
  )

  test('answers 401 for tokens that resemble a valid one', async () => {
    const { refreshToken, accessToken } = await begin(alice)
    const id = familyOf(refreshToken)
    const seals = createSeals([JWT_SECRET])
    const wrong = [
      accessToken,
      `${refreshToken}A`,
      `${refreshToken}=`,
      ` ${refreshToken}`,
      refreshToken.slice(0, -1),
      refreshToken.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      refreshToken.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')),
      seals.seal('refresh', { id, generation: 1 }),
      seals.seal('refresh', { id: crypto.randomUUID(), generation: 0 }),
      seals.seal('reset', { id, generation: 0 }),
      createSeals([`${JWT_SECRET}!`]).seal('refresh', { id, generation: 0 }),
    ]
    for (const token of wrong) expect(await refresh(token), token).toFailWith(401, 'refresh_token_invalid')
    expect(await refresh(refreshToken)).toMatchObject({ status: 200 })
  })

  test.each([undefined, {}, { refreshToken: 1 }, { refreshToken: null }, { refreshToken: 'A'.repeat(1025) }])(
    'rejects %j with 422',
    async (body) => {
      expect(await nobody.post('/identity/refresh', body)).toFailWith(422, 'validation_failed')
    },
  )

  test('returns refresh tokens that are not accepted as access tokens', async () => {
    const { refreshToken } = await begin(alice)
    expect(await nobody.withToken(refreshToken).get('/me')).toFailWith(401, 'token_invalid')
  })

  test('requires no access token and ignores a revoked one', async () => {
    const { refreshToken, accessToken } = await begin(alice)
    const dead = nobody.withToken(accessToken)
    await dead.post('/auth/logout')
    expect(await dead.post('/identity/refresh', { refreshToken })).toMatchObject({ status: 200 })
  })

  test('returns an access token with the person’s current role', async () => {
    const [climber] = (await join('climber')) as [Person]
    const { refreshToken } = await begin(climber)
    await owner`update app.users set role = 'moderator' where id = ${climber.id}`
    const { body } = await refresh(refreshToken)
    expect(claimsOf(body.accessToken)).toMatchObject({ role: 'moderator' })
  })

  test('stores only a hash of the token', async () => {
    const { refreshToken } = await begin(alice)
    const [row] = await owner`
      select to_json(s)::text as text, encode(token_hash, 'hex') as hash from app.sessions s where id = ${familyOf(refreshToken)}`
    expect(row?.hash).toBe(hashOf(refreshToken))
    expect(row?.text).not.toContain(refreshToken.slice(30))
  })
})

describe('A replaced secret', async () => {
  const OLD = 'the secret that signed before this one, and verifies for a while'
  const after = await world({ people: ['carla'], env: { JWT_SECRET_PREVIOUS: OLD } })
  const [before, now] = [createSeals([OLD]), createSeals([JWT_SECRET])]
  const seconds = Math.floor(Date.now() / 1000)
  const { carla } = after
  const claims = { sub: carla.id, email: carla.email, role: 'user', iat: seconds, exp: seconds + 900 } as const

  test('still verifies access tokens, but no longer signs any', async () => {
    const old = await createTokens([OLD])
    expect(await carla.withToken(await old.sign(claims)).get('/me')).toMatchObject({ status: 200 })
    const fresh = (await carla.login()).token ?? ''
    await expect(old.verify(fresh)).rejects.toThrow('token_invalid')
    await expect((await createTokens([JWT_SECRET])).verify(fresh)).resolves.toMatchObject({ sub: carla.id })
    const other = await createTokens([`${OLD}!`])
    expect(await carla.withToken(await other.sign(claims)).get('/me')).toFailWith(401, 'token_invalid')
  })

  test('still opens refresh tokens, but their successors use the new secret', async () => {
    const sealed = { id: crypto.randomUUID(), generation: 7 }
    const token = before.seal('refresh', sealed)
    await after.database.owner`
      insert into app.sessions (id, user_id, issued_at, generation, token_hash)
      values (${sealed.id}, ${carla.id}, ${seconds}, 7, decode(${hashOf(token)}, 'hex'))`
    const { status, body } = await after.nobody.post<Pair>('/identity/refresh', { refreshToken: token })
    expect([status, body.refreshToken]).toEqual([200, now.seal('refresh', { ...sealed, generation: 8 })])
  })

  test('is not accepted by a facade whose settings lack it', async () => {
    const token = before.seal('refresh', { id: crypto.randomUUID(), generation: 0 })
    expect(await refresh(token)).toFailWith(401, 'refresh_token_invalid')
    const old = await createTokens([OLD])
    expect(await alice.withToken(await old.sign({ ...claims, sub: alice.id })).get('/me')).toFailWith(
      401,
      'token_invalid',
    )
  })
})
