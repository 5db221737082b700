// Rotating sessions: refresh tokens, what spends and ends them; logins that fail, and secrets that are replaced.
import { hash } from '@node-rs/argon2'
import { describe, expect, test } from 'vitest'
import { createSeals, hashOf } from '../../api-facade/lib/seals.ts'
import { createTokens } from '../../api-facade/lib/tokens.ts'
import { claimsOf } from '../support/crawler.ts'
import type { Person } from '../support/person.ts'
import { JWT_SECRET } from '../support/settings.ts'
import { applicant, world } from '../support/world.ts'

type Pair = { accessToken: string; refreshToken: string; expiresIn: number }
type Session = { id: string; userAgent: string | null; createdAt: string; lastUsedAt: string; expiresAt: string }

const { alice, bob, nobody, admin, database, join } = await world({ people: ['alice', 'bob'] })
const { owner } = database

async function begin({ email, password }: Person, headers = {}): Promise<Pair> {
  const body = { email, password, session: 'rotating' }
  return (await nobody.post<Pair>('/auth/login', body, headers)).body
}
const refresh = (refreshToken: unknown) => nobody.post<Pair>('/identity/refresh', { refreshToken })
/** The session that a token belongs to, as the token itself says. */
const familyOf = (token: string) => createSeals([JWT_SECRET]).open('refresh', token)?.id ?? ''
async function stateOf(token: string) {
  const [row] = await owner`
    select generation, ended_at is not null as ended from app.sessions where id = ${familyOf(token)}`
  return row
}
/** As if the last refresh had been so long ago. */
const wait = (token: string, time: string) =>
  owner`update app.sessions set last_used_at = last_used_at - ${time}::interval where id = ${familyOf(token)}`
const sessionsOf = async (person: Person) => (await person.get<{ items: Session[] }>('/me/sessions')).body.items

describe('POST /auth/login with {"session": "rotating"}', () => {
  test('gives a token of 15 minutes, and one to refresh it', async () => {
    const { email, password } = alice
    const answer = await nobody.post<Pair>('/auth/login', { email, password, session: 'rotating' })
    expect([answer.status, Object.keys(answer.body).sort()]).toEqual([
      200,
      ['accessToken', 'expiresIn', 'refreshToken', 'user'],
    ])
    const { iat, exp, ...claims } = claimsOf(answer.body.accessToken) as Record<string, number>
    expect(Object.keys(claims).sort()).toEqual(['email', 'role', 'sub'])
    expect(Number(exp) - Number(iat) - answer.body.expiresIn).toBeLessThan(5)
    expect(answer.body.expiresIn).toBe(900)
    expect(await nobody.withToken(answer.body.accessToken).get('/me')).toMatchObject({ status: 200 })
  })

  test.each(['Rotating', '', null, true, 'seven days'])('knows no session %j', async (session) => {
    const { email, password } = alice
    expect(await nobody.post('/auth/login', { email, password, session })).toFailWith(422, 'validation_failed')
  })
})

describe('POST /identity/register', async () => {
  const path = '/identity/register'
  async function form(name: string) {
    const { body } = await admin.post<{ items: { code: string }[] }>('/admin/invite-codes/generate', { count: 1 })
    const candidateSessionId = crypto.randomUUID()
    const reserved = await nobody.post<{ inviteCodeId: string }>('/identity/invite-codes/reserve', {
      code: body.items[0]?.code,
      candidateSessionId,
    })
    const { email, password, ...input } = applicant(name)
    return { inviteCodeId: reserved.body.inviteCodeId, email, password, input }
  }
  const whole = await form('ada')

  test.each(['inviteCodeId', 'email', 'password', 'input'])('needs %s', async (field) => {
    const { status, body } = await nobody.post(path, { ...whole, [field]: undefined })
    expect([status, body]).toMatchObject([422, { message: [expect.stringMatching(`^${field}: `)] }])
  })

  test.each(Object.keys(whole.input))('needs %s in input', async (field) => {
    const { status, body } = await nobody.post(path, { ...whole, input: { ...whole.input, [field]: undefined } })
    expect([status, body]).toMatchObject([422, { message: [expect.stringMatching(`^input.${field}: `)] }])
  })

  test('does not take the other form, nor the other this one', async () => {
    const { inviteCodeId, email, password, input } = whole
    const other = { sessionId: inviteCodeId, email, password, ...input }
    expect(await nobody.post(path, other)).toFailWith(422, 'validation_failed')
    expect(await nobody.post('/auth/register', whole)).toFailWith(422, 'validation_failed')
  })

  test('refuses as the other does', async () => {
    const young = { ...whole, input: { ...whole.input, dateOfBirth: new Date().toISOString().slice(0, 10) } }
    expect(await nobody.post(path, young)).toFailWith(422, 'under_age')
    expect(await nobody.post(path, { ...whole, email: alice.email })).toFailWith(409, 'email_taken')
    const unknown = { ...whole, inviteCodeId: crypto.randomUUID() }
    expect(await nobody.post(path, unknown)).toFailWith(410, 'reservation_over')
  })

  test('lets in, and begins a rotating session', async () => {
    const { status, body } = await nobody.post<Pair & { userId: string }>(path, whole)
    expect([status, Object.keys(body).sort()]).toEqual([201, ['accessToken', 'refreshToken', 'userId']])
    const claims = claimsOf(body.accessToken) as Record<string, number>
    expect(claims).toMatchObject({ sub: body.userId, email: whole.email, role: 'user' })
    expect(Number(claims.exp) - Number(claims.iat)).toBe(900)
    const me = await nobody.withToken(body.accessToken).get('/me')
    expect(me).toMatchObject({ status: 200, body: { id: body.userId, firstName: 'ada', city: 'Berlin' } })
    expect(await refresh(body.refreshToken)).toMatchObject({ status: 200 })
    const events = await owner`
      select name from app.domain_events where ${body.userId} in (payload ->> 'userId', payload ->> 'newUserId') order by id`
    expect(events.map(({ name }) => name)).toEqual(['identity.user_registered', 'identity.invite_code.used'])
    expect(await nobody.post(path, { ...whole, email: 'b@example.org' })).toFailWith(410, 'reservation_over')
  })
})

describe('POST /identity/refresh', () => {
  test('exchanges a token for a fresh pair, again and again', async () => {
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

  test('20 at once give one family with one successor', async () => {
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

  test.each(['10 seconds', '1 hour'])('a replay %s later kills the family, and it stays dead', async (time) => {
    const stolen = await begin(alice)
    const other = await begin(alice)
    const { body: next } = await refresh(stolen.refreshToken)
    await wait(next.refreshToken, time)
    expect(await refresh(stolen.refreshToken)).toFailWith(401, 'refresh_token_reused')
    expect(await stateOf(next.refreshToken)).toEqual({ generation: 1, ended: true })
    for (const { refreshToken } of [next, stolen, next])
      expect(await refresh(refreshToken)).toFailWith(401, 'refresh_token_invalid')
    expect(await stateOf(next.refreshToken)).toEqual({ generation: 1, ended: true })
    expect(await refresh(other.refreshToken)).toMatchObject({ status: 200 })
  })

  test('a replay within 10 seconds gives the same successor', async () => {
    const { refreshToken } = await begin(alice)
    const { body: first } = await refresh(refreshToken)
    await wait(first.refreshToken, '8 seconds')
    expect((await refresh(refreshToken)).body.refreshToken).toBe(first.refreshToken)
  })

  test.each(['', 'x', '.', 'a.b.c', 'A'.repeat(70), 'A'.repeat(1024)])('knows no token %j', async (token) => {
    const answer = await refresh(token)
    expect(answer).toFailWith(401, 'refresh_token_invalid')
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('knows no token that is like one of ours', async () => {
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
    'refuses %j',
    async (body) => {
      expect(await nobody.post('/identity/refresh', body)).toFailWith(422, 'validation_failed')
    },
  )

  test('and no refresh token is an access token', async () => {
    const { refreshToken } = await begin(alice)
    expect(await nobody.withToken(refreshToken).get('/me')).toFailWith(401, 'token_invalid')
  })

  test('needs no access token, and minds no dead one', async () => {
    const { refreshToken, accessToken } = await begin(alice)
    const dead = nobody.withToken(accessToken)
    await dead.post('/auth/logout')
    expect(await dead.post('/identity/refresh', { refreshToken })).toMatchObject({ status: 200 })
  })

  test('gives claims of now', async () => {
    const [climber] = (await join('climber')) as [Person]
    const { refreshToken } = await begin(climber)
    await owner`update app.users set role = 'moderator' where id = ${climber.id}`
    const { body } = await refresh(refreshToken)
    expect(claimsOf(body.accessToken)).toMatchObject({ role: 'moderator' })
  })

  test('keeps no token that could be read in the database', async () => {
    const { refreshToken } = await begin(alice)
    const [row] = await owner`
      select to_json(s)::text as text, encode(token_hash, 'hex') as hash from app.sessions s where id = ${familyOf(refreshToken)}`
    expect(row?.hash).toBe(hashOf(refreshToken))
    expect(row?.text).not.toContain(refreshToken.slice(30))
  })
})

describe('a session ends', () => {
  const ends: [string, (person: Person, pair: Pair) => Promise<unknown>][] = [
    ['with a logout that carries it', (person, { refreshToken }) => person.post('/auth/logout', { refreshToken })],
    ['with a logout everywhere', (person) => person.post('/auth/logout', { scope: 'global' })],
    ['with a ban', (person) => owner`update app.users set banned_at = now() where id = ${person.id}`],
    ['when all tokens end', (person) => owner`select private.end_tokens(${person.id})`],
    [
      'when tokensValidFrom moves',
      (person) => owner`
        update app.users set tokens_valid_from = extract(epoch from now())::bigint + 1 where id = ${person.id}`,
    ],
    ['after 60 days', (person) => owner`update app.sessions set expires_at = now() where user_id = ${person.id}`],
    [
      'by its id',
      async (person) => {
        for (const { id } of await sessionsOf(person))
          expect(await person.delete(`/me/sessions/${id}`)).toMatchObject({ status: 204, text: '' })
      },
    ],
  ]
  test.each(ends)('%s', async (what, end) => {
    const [person] = (await join(`s_${what.replace(/\W/g, '').slice(0, 20).toLowerCase()}`)) as [Person]
    const pair = await begin(person)
    await end(person, pair)
    expect(await refresh(pair.refreshToken)).toFailWith(401, 'refresh_token_invalid')
  })

  test('and no other one with it, nor anyone else', async () => {
    const [one, other] = [await begin(alice), await begin(alice)]
    const his = await begin(bob)
    const holder = nobody.withToken(one.accessToken)
    expect(await holder.post('/auth/logout', { refreshToken: one.refreshToken })).toMatchObject({ status: 204 })
    expect(await holder.get('/me')).toFailWith(401, 'token_revoked')
    expect(await refresh(one.refreshToken)).toFailWith(401, 'refresh_token_invalid')
    expect(await refresh(other.refreshToken)).toMatchObject({ status: 200 })
    const last = await alice.login()
    expect(await last.post('/auth/logout', { refreshToken: his.refreshToken })).toMatchObject({ status: 204 })
    expect(await refresh(his.refreshToken)).toMatchObject({ status: 200 })
  })

  test.each(['', 'x', 'A'.repeat(70)])('and a logout minds no token %j', async (refreshToken) => {
    const person = await alice.login()
    expect(await person.post('/auth/logout', { refreshToken })).toMatchObject({ status: 204 })
    expect(await person.get('/me')).toFailWith(401, 'token_revoked')
  })
})

describe('GET /me/sessions', async () => {
  const [dora] = (await join('dora')) as [Person]

  test('is empty for who has tokens of seven days', async () => {
    expect((await dora.get('/me/sessions')).body).toEqual({ items: [], nextCursor: null, hasMore: false })
  })

  test('lists what is mine and not over, the newest first', async () => {
    const pairs = []
    for (const agent of ['first', 'second', 'third']) pairs.push(await begin(dora, { 'user-agent': agent }))
    await begin(bob)
    const items = await sessionsOf(dora)
    expect(items.map(({ userAgent }) => userAgent)).toEqual(['third', 'second', 'first'])
    const [third] = items
    expect(Object.keys(third ?? {}).sort()).toEqual(['createdAt', 'expiresAt', 'id', 'lastUsedAt', 'userAgent'])
    const days = (Date.parse(third?.expiresAt ?? '') - Date.parse(third?.createdAt ?? '')) / 86_400_000
    expect(days).toBeCloseTo(60, 3)
    await refresh(pairs[0]?.refreshToken)
    const used = (await sessionsOf(dora)).at(-1)
    expect(Date.parse(used?.lastUsedAt ?? '')).toBeGreaterThan(Date.parse(used?.createdAt ?? ''))
  })

  test('in pages', async () => {
    type Page = { items: Session[]; nextCursor: string; hasMore: boolean }
    const { body: first } = await dora.get<Page>('/me/sessions?limit=2')
    expect([first.items.length, first.hasMore]).toEqual([2, true])
    const { body: rest } = await dora.get<Page>(`/me/sessions?limit=2&cursor=${first.nextCursor}`)
    expect([rest.items.length, rest.hasMore, rest.nextCursor]).toEqual([1, false, null])
    expect(await dora.get('/me/sessions?cursor=x')).toFailWith(400, 'cursor_unknown')
    expect(await bob.get(`/me/sessions?cursor=${first.nextCursor}`)).toFailWith(400, 'cursor_unknown')
    expect(await dora.get('/me/sessions?limit=0')).toFailWith(422, 'validation_failed')
  })

  test('a long client is cut, and none is none', async () => {
    const [eve] = (await join('eve')) as [Person]
    await begin(eve, { 'user-agent': 'x'.repeat(1000) })
    expect((await sessionsOf(eve))[0]?.userAgent).toBe('x'.repeat(300))
  })

  test('needs a token', async () => {
    expect(await nobody.get('/me/sessions')).toFailWith(401, 'token_missing')
  })
})

describe('DELETE /me/sessions/:id', () => {
  test('ends one, again and again', async () => {
    const [one, other] = [await begin(alice), await begin(alice)]
    const path = `/me/sessions/${familyOf(one.refreshToken)}`
    expect(await alice.delete(path)).toMatchObject({ status: 204, text: '' })
    expect(await alice.delete(path)).toMatchObject({ status: 204 })
    expect(await refresh(one.refreshToken)).toFailWith(401, 'refresh_token_invalid')
    expect(await refresh(other.refreshToken)).toMatchObject({ status: 200 })
    expect((await sessionsOf(alice)).map(({ id }) => id)).not.toContain(familyOf(one.refreshToken))
  })

  test("knows nobody else's", async () => {
    const { refreshToken } = await begin(bob)
    const path = `/me/sessions/${familyOf(refreshToken)}`
    const answer = await alice.delete(path)
    expect(answer).toFailWith(404, 'session_unknown')
    expect((await alice.delete(`/me/sessions/${crypto.randomUUID()}`)).body).toEqual(answer.body)
    expect(await alice.delete('/me/sessions/x')).toFailWith(422, 'validation_failed')
    expect(await nobody.delete(path)).toFailWith(401, 'token_missing')
    expect(await refresh(refreshToken)).toMatchObject({ status: 200 })
  })
})

describe('a password hash', () => {
  const stored = async ({ id }: Person) => {
    const [row] = await owner`select password_hash from private.credentials where user_id = ${id}`
    return String(row?.password_hash)
  }
  const store = (person: Person, text: string) =>
    owner`update private.credentials set password_hash = ${text} where user_id = ${person.id}`

  test.each([
    { memoryCost: 8192, timeCost: 2 },
    { memoryCost: 19_456, timeCost: 1 },
  ])('that is weaker than %j is made anew at login', async (parameters) => {
    const weak = await hash(bob.password, parameters)
    await store(bob, weak)
    const wrong = await nobody.post('/auth/login', { email: bob.email, password: 'not his password' })
    expect(wrong).toFailWith(401, 'credentials_wrong')
    expect(await stored(bob)).toBe(weak)
    await bob.login()
    const fresh = await stored(bob)
    expect(fresh).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(await bob.get('/me')).toMatchObject({ status: 200 })
    await bob.login()
    expect(await stored(bob)).toBe(fresh)
  })

  test('that is stronger stays', async () => {
    const strong = await hash(bob.password, { memoryCost: 32_768, timeCost: 3 })
    await store(bob, strong)
    await bob.login()
    expect(await stored(bob)).toBe(strong)
  })
})

describe('logins that fail', async () => {
  const limits = { global: '10000/min', login: '10000/min', login_account: '4/min' }
  const tight = await world({
    people: ['alice', 'bob'],
    env: { RATE_LIMIT_SCALE: '1', RATE_LIMITS: JSON.stringify(limits) },
  })
  const logIn = (email: string, password: string) => tight.nobody.post('/auth/login', { email, password })
  const forget = () => tight.database.owner`delete from private.rates`

  test.each([
    ['a person', 'alice@example.org'],
    ['nobody', 'zoe@example.org'],
  ])('are counted by account: %s', async (_who, email) => {
    const letters = [email, email.toUpperCase(), ` ${email}`, email]
    for (const one of letters) expect(await logIn(one, 'wrong')).toFailWith(401, 'credentials_wrong')
    const refused = await logIn(email, 'wrong')
    expect(refused).toFailWith(429, 'rate_limited')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(refused.headers.get('ratelimit-policy')).toBe('4;w=60')
    expect(await logIn(email, tight.alice.password)).toFailWith(429, 'rate_limited')
    expect(await logIn(tight.bob.email, tight.bob.password)).toMatchObject({ status: 200 })
  })

  test('are counted where all facades see it, and without the address', async () => {
    const rows = await tight.database.owner`select key, used from private.rates where key ~ '^login_account'`
    expect(rows.map(({ used }) => used).sort()).toEqual([0, 4, 4])
    expect(JSON.stringify(rows)).not.toMatch(/alice|zoe|bob/)
  })

  test('cannot be outrun', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => logIn('yan@example.org', 'wrong')))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(4)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(8)
  })

  test('and those that succeed are not', async () => {
    await forget()
    for (let n = 0; n < 6; n++) expect(await logIn(tight.bob.email, tight.bob.password)).toMatchObject({ status: 200 })
  })

  test('nor does an answer tell how many there were', async () => {
    const answers = [await logIn('una@example.org', 'wrong'), await logIn('una@example.org', 'wrong')]
    expect(answers.map(({ headers }) => headers.get('ratelimit-limit'))).toEqual(['10000', '10000'])
  })

  test('a password that is asked for again counts with them', async () => {
    await forget()
    const change = { currentPassword: 'wrong', newPassword: 'another password' }
    const ask = () => tight.bob.patch('/identity/me/password', change)
    for (let n = 0; n < 4; n++) expect(await ask()).toFailWith(403, 'password_wrong')
    expect(await ask()).toFailWith(429, 'rate_limited')
    expect(await logIn(tight.bob.email, tight.bob.password)).toFailWith(429, 'rate_limited')
  })
})

describe('a secret that is replaced', async () => {
  const OLD = 'the secret that signed before this one, and verifies for a while'
  const after = await world({ people: ['carla'], env: { JWT_SECRET_PREVIOUS: OLD } })
  const [before, now] = [createSeals([OLD]), createSeals([JWT_SECRET])]
  const seconds = Math.floor(Date.now() / 1000)
  const { carla } = after
  const claims = { sub: carla.id, email: carla.email, role: 'user', iat: seconds, exp: seconds + 900 } as const

  test('still verifies access tokens, and signs none', async () => {
    const old = await createTokens([OLD])
    expect(await carla.withToken(await old.sign(claims)).get('/me')).toMatchObject({ status: 200 })
    const fresh = (await carla.login()).token ?? ''
    await expect(old.verify(fresh)).rejects.toThrow('token_invalid')
    await expect((await createTokens([JWT_SECRET])).verify(fresh)).resolves.toMatchObject({ sub: carla.id })
    const other = await createTokens([`${OLD}!`])
    expect(await carla.withToken(await other.sign(claims)).get('/me')).toFailWith(401, 'token_invalid')
  })

  test('still opens refresh tokens, whose successors it does not make', async () => {
    const sealed = { id: crypto.randomUUID(), generation: 7 }
    const token = before.seal('refresh', sealed)
    await after.database.owner`
      insert into app.sessions (id, user_id, issued_at, generation, token_hash)
      values (${sealed.id}, ${carla.id}, ${seconds}, 7, decode(${hashOf(token)}, 'hex'))`
    const { status, body } = await after.nobody.post<Pair>('/identity/refresh', { refreshToken: token })
    expect([status, body.refreshToken]).toEqual([200, now.seal('refresh', { ...sealed, generation: 8 })])
  })

  test('is not asked for by a facade that does not have it', async () => {
    const token = before.seal('refresh', { id: crypto.randomUUID(), generation: 0 })
    expect(await refresh(token)).toFailWith(401, 'refresh_token_invalid')
    const old = await createTokens([OLD])
    expect(await alice.withToken(await old.sign({ ...claims, sub: alice.id })).get('/me')).toFailWith(
      401,
      'token_invalid',
    )
  })
})
