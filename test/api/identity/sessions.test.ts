// Sessions: how a session begins and ends, and what people see of their own sessions. refresh.test.ts covers refreshing,
// new-devices.test.ts the mail about a login on a new device.
import { describe, expect, test } from 'vitest'
import { claimsOf } from '../../support/crawler.ts'
import type { Person } from '../../support/person.ts'
import { begin, familyOf, type Pair } from '../../support/sessions.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

type Session = Record<'id' | 'createdAt' | 'lastUsedAt' | 'expiresAt' | 'lastSeenAt' | 'kind', string> &
  Record<'userAgent' | 'device' | 'network', string | null> & { isCurrent: boolean }

const { alice, bob, nobody, database, join } = await world({ people: ['alice', 'bob'] })
const { owner } = database

const refresh = (refreshToken: unknown) => nobody.post<Pair>('/identity/refresh', { refreshToken })
const sessionsOf = async (person: Person) => (await person.get<{ items: Session[] }>('/me/sessions')).body.items

describe('POST /auth/login with {"session": "rotating"}', () => {
  test('returns an access token valid for 15 minutes and a refresh token', async () => {
    const { email, password } = alice
    const answer = await nobody.post<Pair>('/auth/login', { email, password, session: 'rotating' })
    expect([answer.status, Object.keys(answer.body).sort()]).toEqual([
      200,
      ['accessToken', 'deviceToken', 'expiresIn', 'refreshToken', 'user'],
    ])
    const { iat, exp, ...claims } = claimsOf(answer.body.accessToken) as Record<string, number>
    expect(Object.keys(claims).sort()).toEqual(['email', 'role', 'sub'])
    expect(Number(exp) - Number(iat) - answer.body.expiresIn).toBeLessThan(5)
    expect(answer.body.expiresIn).toBe(900)
    expect(await nobody.withToken(answer.body.accessToken).get('/me')).toMatchObject({ status: 200 })
  })

  test.each(['Rotating', '', null, true, 'seven days'])('rejects the session type %j with 422', async (session) => {
    const { email, password } = alice
    expect(await nobody.post('/auth/login', { email, password, session })).toFailWith(422, 'validation_failed')
  })
})

describe('A session', () => {
  const ends: [string, (person: Person, pair: Pair) => Promise<unknown>][] = [
    ['by a logout with its token', (person, { refreshToken }) => person.post('/auth/logout', { refreshToken })],
    ['by a global logout', (person) => person.post('/auth/logout', { scope: 'global' })],
    ['by a ban', (person) => owner`update app.users set banned_at = now() where id = ${person.id}`],
    ['when all tokens are revoked', (person) => owner`select private.end_tokens(${person.id})`],
    [
      'with a later tokensValidFrom',
      (person) => owner`
        update app.users set tokens_valid_from = extract(epoch from now())::bigint + 1 where id = ${person.id}`,
    ],
    ['after 60 days', (person) => owner`update app.sessions set expires_at = now() where user_id = ${person.id}`],
    [
      'by a deletion with its id',
      async (person) => {
        for (const { id } of await sessionsOf(person))
          expect(await person.delete(`/me/sessions/${id}`)).toMatchObject({ status: 204, text: '' })
      },
    ],
  ]
  test.each(ends)('ends %s', async (what, end) => {
    const [person] = (await join(`s_${what.replace(/\W/g, '').slice(0, 20).toLowerCase()}`)) as [Person]
    const pair = await begin(person)
    await end(person, pair)
    expect(await refresh(pair.refreshToken)).toFailWith(401, 'refresh_token_invalid')
  })

  test('ends alone: the person’s other sessions and those of other people continue', async () => {
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

  test.each(['', 'x', 'A'.repeat(70)])(
    'need not exist for a logout with the refresh token %j to end the access token',
    async (refreshToken) => {
      const person = await alice.login()
      expect(await person.post('/auth/logout', { refreshToken })).toMatchObject({ status: 204 })
      expect(await person.get('/me')).toFailWith(401, 'token_revoked')
    },
  )
})

test('Starting a rotating session beyond 100 ends the least recently used one', async () => {
  const [person] = (await join('many')) as [Person]
  const [oldest, used] = [await begin(person), await begin(person)]
  await owner`update app.sessions set last_used_at = now() - interval '1 day' where user_id = ${person.id}`
  await owner`insert into app.sessions (id, user_id, issued_at, token_hash, last_used_at)
    select gen_random_uuid(), ${person.id}, extract(epoch from now()), sha256('x'), now() - interval '1 hour'
    from generate_series(1, 98)`
  const { body } = await refresh(used.refreshToken)
  await begin(person)
  expect(await refresh(oldest.refreshToken)).toFailWith(401, 'refresh_token_invalid')
  expect(await nobody.withToken(oldest.accessToken).get('/me')).toFailWith(401, 'token_revoked')
  expect(await refresh(body.refreshToken)).toMatchObject({ status: 200 })
  const [{ open } = {}] = await owner`
    select count(*)::int as open from app.sessions where user_id = ${person.id} and kind = 'rotating' and ended_at is null`
  expect(open).toBe(100)
})

describe('GET /me/sessions', async () => {
  const [dora] = (await join('dora')) as [Person]

  test('lists a token that is valid for seven days, and says which session is that of the request', async () => {
    const { email, password } = dora
    const log = async (more: object, headers = {}) =>
      (await nobody.post<Pair>('/auth/login', { email, password, ...more }, headers)).body.accessToken
    const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'
    const fixed = await log({}, { 'user-agent': firefox })
    const rotating = await log({ session: 'rotating', deviceName: 'Dora’s phone (old)' }, { 'user-agent': firefox })
    const seenBy = async (token: string) => {
      const { body } = await nobody.withToken(token).get<{ items: Session[] }>('/me/sessions')
      return body.items.slice(0, 2).map(({ kind, device, isCurrent }) => [kind, device, isCurrent])
    }
    expect(await seenBy(fixed)).toEqual([
      ['rotating', 'Dora’s phone (old)', false],
      ['fixed', 'Firefox on Windows', true],
    ])
    expect((await seenBy(rotating)).map(([, , isCurrent]) => isCurrent)).toEqual([true, false])
    const [, one] = await sessionsOf(dora)
    expect(one?.network).toMatch(/^(127\.0\.0\.0\/24|::\/48)$/)
    const { exp } = claimsOf(fixed) as { exp: number }
    expect(Date.parse(one?.expiresAt ?? '')).toBe(exp * 1000)
  })

  test.each(['', '   ', 'x'.repeat(81), 'evil.example', 'http://x', 'a\u202eb', 7])(
    'a login with the device name %j is rejected with 422',
    async (deviceName) => {
      const { email, password } = dora
      expect(await nobody.post('/auth/login', { email, password, deviceName })).toFailWith(422, 'validation_failed')
    },
  )

  test('says when a session was last seen', async () => {
    const [sue] = (await join('sue')) as [Person]
    const { accessToken } = await begin(sue)
    const holder = nobody.withToken(accessToken)
    await owner`update app.sessions set last_seen_at = now() - interval '1 hour', last_used_at = now() - interval '1 hour'
      where user_id = ${sue.id}`
    await holder.get('/me')
    const ages = async () =>
      (await sessionsOf(sue)).map(({ lastSeenAt }) => Date.now() - Date.parse(lastSeenAt) < 60_000)
    await until(async () => (await ages())[0])
    expect((await ages()).length).toBeGreaterThan(0)
  })

  test('lists the caller’s open sessions, newest first', async () => {
    await dora.delete('/me/sessions')
    const pairs = []
    for (const agent of ['first', 'second', 'third']) pairs.push(await begin(dora, { 'user-agent': agent }))
    await begin(bob)
    const items = await sessionsOf(dora)
    expect(items.slice(0, 3).map(({ userAgent }) => userAgent)).toEqual(['third', 'second', 'first'])
    const [third] = items
    expect(Object.keys(third ?? {}).sort()).toEqual([
      'createdAt',
      'device',
      'expiresAt',
      'id',
      'isCurrent',
      'kind',
      'lastSeenAt',
      'lastUsedAt',
      'network',
      'userAgent',
    ])
    const days = (Date.parse(third?.expiresAt ?? '') - Date.parse(third?.createdAt ?? '')) / 86_400_000
    expect(days).toBeCloseTo(60, 3)
    await refresh(pairs[0]?.refreshToken)
    const used = (await sessionsOf(dora)).find(({ userAgent }) => userAgent === 'first')
    expect(Date.parse(used?.lastUsedAt ?? '')).toBeGreaterThan(Date.parse(used?.createdAt ?? ''))
  })

  test('is paginated, and rejects a foreign or malformed cursor', async () => {
    type Page = { items: Session[]; nextCursor: string; hasMore: boolean }
    const { body: first } = await dora.get<Page>('/me/sessions?limit=2')
    expect([first.items.length, first.hasMore]).toEqual([2, true])
    const { body: rest } = await dora.get<Page>(`/me/sessions?limit=2&cursor=${first.nextCursor}`)
    expect([rest.items.length, rest.hasMore, rest.nextCursor]).toEqual([2, false, null])
    expect(await dora.get('/me/sessions?cursor=x')).toFailWith(400, 'cursor_unknown')
    expect(await bob.get(`/me/sessions?cursor=${first.nextCursor}`)).toFailWith(400, 'cursor_unknown')
    expect(await dora.get('/me/sessions?limit=0')).toFailWith(422, 'validation_failed')
  })

  test('cuts a long user agent to 300 characters', async () => {
    const [eve] = (await join('eve')) as [Person]
    await begin(eve, { 'user-agent': 'x'.repeat(1000) })
    expect((await sessionsOf(eve))[0]?.userAgent).toBe('x'.repeat(300))
  })

  test('requires a token', async () => {
    expect(await nobody.get('/me/sessions')).toFailWith(401, 'token_missing')
  })
})

describe('DELETE /me/sessions/:id', () => {
  test('ends the session and none of the others, and is idempotent', async () => {
    const [one, other] = [await begin(alice), await begin(alice)]
    const path = `/me/sessions/${familyOf(one.refreshToken)}`
    expect(await alice.delete(path)).toMatchObject({ status: 204, text: '' })
    expect(await alice.delete(path)).toMatchObject({ status: 204 })
    expect(await refresh(one.refreshToken)).toFailWith(401, 'refresh_token_invalid')
    expect(await refresh(other.refreshToken)).toMatchObject({ status: 200 })
    expect(await nobody.withToken(other.accessToken).get('/me')).toMatchObject({ status: 200 })
    expect((await sessionsOf(alice)).map(({ id }) => id)).not.toContain(familyOf(one.refreshToken))
  })

  test('revokes every access token of the session, including those issued concurrently', async () => {
    const first = await begin(alice)
    const second = (await refresh(first.refreshToken)).body
    const path = `/me/sessions/${familyOf(first.refreshToken)}`
    const racing = Array.from({ length: 4 }, () => refresh(second.refreshToken))
    const [ended, ...more] = await Promise.all([alice.delete(path), ...racing])
    expect(ended.status).toBe(204)
    const tokens = [first, second, ...more.map(({ body }) => body)].flatMap(({ accessToken }) => accessToken ?? [])
    for (const token of tokens) expect(await nobody.withToken(token).get('/me')).toFailWith(401, 'token_revoked')
  })

  test('answers 404 for another person’s session, exactly as for an unknown one', async () => {
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

describe('A fixed session', () => {
  test('ends when it is deleted: its token is rejected immediately, and no other token is', async () => {
    const [one, other] = [await bob.login(), await bob.login()]
    const { body } = await one.get<{ items: Session[] }>('/me/sessions')
    const { id, kind } = body.items.find(({ isCurrent }) => isCurrent) ?? {}
    expect(kind).toBe('fixed')
    expect(await other.delete(`/me/sessions/${id}`)).toMatchObject({ status: 204 })
    expect(await one.get('/me')).toFailWith(401, 'token_revoked')
    expect(await other.get('/me')).toMatchObject({ status: 200 })
    expect(await other.delete(`/me/sessions/${id}`)).toMatchObject({ status: 204 })
  })

  test('ends with a logout', async () => {
    const one = await bob.login()
    const { body } = await one.get<{ items: Session[] }>('/me/sessions')
    const { id } = body.items.find(({ isCurrent }) => isCurrent) ?? {}
    await one.post('/auth/logout')
    expect((await sessionsOf(bob)).map((session) => session.id)).not.toContain(id)
  })
})

describe('DELETE /me/sessions', () => {
  test('ends all other sessions, and a concurrent login is either ended too or begins afterwards', async () => {
    const [fay] = (await join('fay')) as [Person]
    const [mine, fixed, rotating] = [await fay.login(), await fay.login(), await begin(fay)]
    const [ended, ...racing] = await Promise.all([
      mine.delete<{ ended: number }>('/me/sessions'),
      begin(fay),
      begin(fay),
    ])
    expect(ended.status).toBe(200)
    expect(await mine.get('/me')).toMatchObject({ status: 200 })
    expect(await fixed.get('/me')).toFailWith(401, 'token_revoked')
    expect(await refresh(rotating.refreshToken)).toFailWith(401, 'refresh_token_invalid')
    const { body } = await mine.get<{ items: Session[] }>('/me/sessions')
    const listed = body.items.map(({ id }) => id)
    for (const { refreshToken, accessToken } of racing) {
      const { status } = await nobody.withToken(accessToken).get('/me')
      expect(status).toBe(listed.includes(familyOf(refreshToken)) ? 200 : 401)
    }
    expect((await mine.delete('/me/sessions')).body).toEqual({ ended: listed.length - 1 })
    expect((await mine.delete('/me/sessions')).body).toEqual({ ended: 0 })
  })

  test('requires a token', async () => {
    expect(await nobody.delete('/me/sessions')).toFailWith(401, 'token_missing')
  })
})
