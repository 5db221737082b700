// Rate limits as in production, exact to the request. Each client has its own address in X-Forwarded-For.
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../support/crawler.ts'
import { begin } from '../../support/sessions.ts'
import { world } from '../../support/world.ts'

const { alice, bob, nobody } = await world({
  people: ['alice', 'bob'],
  env: { RATE_LIMIT_SCALE: '1', TRUSTED_PROXY_HOPS: '1' },
})

let clients = 0
/** The header of a new client address. */
const newClient = () => ({ 'X-Forwarded-For': `198.51.100.${++clients}` })

function told({ headers }: Answer) {
  const number = (name: string) => Number(headers.get(name) ?? Number.NaN)
  return {
    limit: number('ratelimit-limit'),
    remaining: number('ratelimit-remaining'),
    policy: headers.get('ratelimit-policy'),
    reset: number('ratelimit-reset'),
  }
}

function expectRefused(answer: Answer, limit: number) {
  expect(answer).toFailWith(429, 'rate_limited')
  expect(told(answer)).toMatchObject({ limit, remaining: 0, policy: `${limit};w=60` })
  const wait = Number(answer.headers.get('retry-after'))
  expect(wait).toBe(told(answer).reset)
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(60)
}

/** Sends requests until the limit is reached, and one more. */
async function exhaust(limit: number, ask: (n: number) => Promise<Answer>, status: number) {
  for (let n = 1; n <= limit; n++) {
    const answer = await ask(n)
    expect([n, answer.status]).toEqual([n, status])
    expect(told(answer)).toMatchObject({ limit, remaining: limit - n, policy: `${limit};w=60` })
    expect(told(answer).reset).toBeGreaterThan(0)
    expect(answer.headers.get('retry-after')).toBeNull()
  }
  expectRefused(await ask(limit + 1), limit)
}

describe('The limit of 60 requests a minute per address', () => {
  test('is exact, and shared by all callers at the address', async () => {
    const client = newClient()
    await exhaust(60, (n) => (n % 2 ? alice : bob).get('/me', client), 200)
    expectRefused(await nobody.get('/me', client), 60)
    expect(await alice.get('/me', newClient())).toMatchObject({ status: 200 })
  })

  test('counts every request, whatever its status', async () => {
    const client = newClient()
    const asks = [
      () => nobody.get('/me', client),
      () => nobody.get('/no/such/route', client),
      () => nobody.get('//no/such/route', client),
      () => nobody.put('/me', {}, client),
      () => alice.post('/posts', '{', client),
      () => alice.post('/posts', {}, client),
    ]
    const statuses = []
    for (let n = 0; n < 60; n++) statuses.push((await asks[n % asks.length]?.())?.status)
    expect([...new Set(statuses)]).toEqual([401, 404, 405, 400, 422])
    for (const ask of asks) expectRefused(await ask(), 60)
  })

  test.each(['//health', '//Health/'])('does not count GET %s', async (path) => {
    const client = newClient()
    for (let n = 0; n < 70; n++) {
      const answer = await nobody.get(path, client)
      expect(answer.status).toBe(200)
      if (n % 30 === 0) expect(told(answer)).toMatchObject({ limit: 60, remaining: 60 })
    }
    for (let n = 0; n < 60; n++) await nobody.get('/me', client)
    expectRefused(await nobody.get('/me', client), 60)
    expect(await nobody.get(path, client)).toMatchObject({ status: 200 })
  })

  test('does not count the documentation, which has its own limit of 120', async () => {
    const client = newClient()
    const paths = ['//docs', '//docs/start.js', '//openapi.json', '//Docs/']
    // requests each path twice and then only the small script, because sending the large files again would prove
    // nothing more
    await exhaust(120, (n) => nobody.get(paths[n < 8 ? n % 4 : 1] ?? '', client), 200)
    for (const path of [...paths, '//docs/swagger-ui-bundle.js']) expectRefused(await nobody.get(path, client), 120)
    await exhaust(60, () => nobody.get('/me', client), 401)
    expect(await nobody.get('//docs', newClient())).toMatchObject({ status: 200 })
  })
})

describe('POST /auth/login allows 5 requests a minute', () => {
  // each test uses another account, because wrong passwords are also counted per account
  const wrongOf = (name: string) => ({ email: `${name}@example.org`, password: 'x' })

  test('per address', async () => {
    const client = newClient()
    const wrong = wrongOf('xia')
    await exhaust(5, () => nobody.post('/auth/login', wrong, client), 401)
    const { email, password } = alice
    expectRefused(await nobody.post('/auth/login', { email, password }, client), 5)
    expect(await nobody.post('/auth/login', { email, password }, newClient())).toMatchObject({ status: 200 })
    expect(await nobody.get('/me', client)).toFailWith(401, 'token_missing')
  })

  test('whatever token is sent', async () => {
    const client = newClient()
    const wrong = wrongOf('yan')
    const callers = [alice, bob, nobody, nobody.withToken(`${alice.token}x`)]
    await exhaust(5, (n) => (callers[n % callers.length] ?? nobody).post('/auth/login', wrong, client), 401)
    for (const caller of callers) expectRefused(await caller.post('/auth/login', wrong, client), 5)
    expect(await alice.post('/auth/login', wrong, newClient())).toFailWith(401, 'credentials_wrong')
  })

  test('across all spellings of the path, even if the body is invalid', async () => {
    const client = newClient()
    const paths = ['/auth/login', '/auth/login/', '/AUTH/Login', '/Auth/LOGIN/', '/auth/login?again=1']
    await exhaust(5, (n) => nobody.post(paths[n - 1] ?? '/auth/login', {}, client), 422)
  })
})

test('POST /auth/register allows 3 requests a minute', async () => {
  const client = newClient()
  await exhaust(3, () => nobody.post('/auth/register', {}, client), 422)
  expect(await nobody.post('/auth/login', {}, client)).toFailWith(422, 'validation_failed')
})

describe('POST /identity/refresh allows 10 requests a minute', () => {
  const ask = (refreshToken: unknown, client: ReturnType<typeof newClient>, caller = nobody) =>
    caller.post('/identity/refresh', { refreshToken }, client)

  test('per address for invalid refresh tokens, whatever access token is sent', async () => {
    const client = newClient()
    const callers = [nobody, alice, bob]
    const bogus = ['x', '', alice.token, 1]
    const statuses = []
    for (let n = 0; n < 10; n++) statuses.push((await ask(bogus[n % 4], client, callers[n % 3])).status)
    expect(statuses).toEqual([401, 401, 401, 422, 401, 401, 401, 422, 401, 401])
    for (const caller of callers) for (const token of bogus) expectRefused(await ask(token, client, caller), 10)
    expect(await ask('x', newClient())).toFailWith(401, 'refresh_token_invalid')
  })

  test('per session for valid ones, so that people at the same address don’t block each other', async () => {
    const client = newClient()
    const [hers, his] = [await begin(alice, newClient()), await begin(bob, newClient())]
    for (let n = 0; n < 11; n++) await ask('x', client)
    expectRefused(await ask('x', client), 10)
    await exhaust(10, (n) => ask(hers.refreshToken, n % 2 ? client : newClient()), 200)
    expectRefused(await ask(hers.refreshToken, newClient()), 10)
    expect(await ask(his.refreshToken, client)).toMatchObject({ status: 200 })
  })
})

test('POST /auth/forgot-password and its alias together allow 5 requests a minute', async () => {
  const client = newClient()
  const paths = ['/auth/forgot-password', '/forgot/request']
  await exhaust(5, (n) => nobody.post(paths[n % 2] ?? '', { email: 'zoe@example.org' }, client), 200)
})

test('POST /me/verify-email and POST /me/email together allow 3 requests a minute per person', async () => {
  const change = { email: 'new@example.org', currentPassword: 'wrong' }
  expect(await bob.post('/me/email', change, newClient())).toFailWith(403, 'password_wrong')
  for (let n = 0; n < 2; n++)
    expect(await bob.post('/me/verify-email', undefined, newClient())).toMatchObject({ status: 200 })
  for (const path of ['/me/verify-email', '/me/email']) expectRefused(await bob.post(path, change, newClient()), 3)
  await exhaust(3, () => alice.post('/me/verify-email', undefined, newClient()), 200)
})

test('POST /videos allows 5 requests a minute per person', async () => {
  await exhaust(5, () => alice.post('/videos', {}, newClient()), 422)
  expect(await bob.post('/videos', {}, newClient())).toFailWith(422, 'validation_failed')
})

test('GET /discovery/search allows 30 requests a minute per person', async () => {
  await exhaust(30, () => alice.get('/discovery/search', newClient()), 422)
  expect(await bob.get('/discovery/search?q=roses', newClient())).toMatchObject({ status: 200 })
})

test('POST /auth/reserve-invite and its alias together allow 10 requests a minute', async () => {
  const client = newClient()
  const body = { code: 'INV-ZZZZZZ', candidateSessionId: crypto.randomUUID() }
  const paths = [
    '/auth/reserve-invite',
    '/identity/invite-codes/reserve',
    '/Auth/Reserve-Invite/',
    '/IDENTITY/invite-codes/reserve',
  ]
  const ask = (n: number, caller = nobody) => caller.post(paths[n % paths.length] ?? '', body, client)
  await exhaust(10, ask, 404)
  for (let n = 0; n < paths.length; n++) expectRefused(await ask(n), 10)
  const dead = await alice.login()
  await dead.post('/auth/logout')
  for (const caller of [alice, bob, dead]) expectRefused(await ask(0, caller), 10)
})

describe('The client’s address', () => {
  test('is the one that the trusted proxy added, not the one that the client claims', async () => {
    const client = newClient()['X-Forwarded-For']
    await exhaust(60, (n) => nobody.get('/me', { 'X-Forwarded-For': `192.0.2.${n}, 10.0.0.${n}, ${client}` }), 401)
  })

  test('is counted as its /64 network for IPv6', async () => {
    const from = (address: string) => nobody.post('/auth/login', {}, { 'X-Forwarded-For': address })
    await exhaust(5, (n) => from(`2001:db8:0:1:${n}::${n}`), 422)
    expect(await from('2001:db8:0:2::1')).toFailWith(422, 'validation_failed')
  })

  test('is that of the connection if no proxy is trusted', async () => {
    const direct = await world({ people: [], env: { RATE_LIMIT_SCALE: '1' } })
    await exhaust(60, () => direct.nobody.get('/me', newClient()), 401)
    expectRefused(await direct.nobody.get('/me'), 60)
  })
})
