// What holds for every route: methods, spellings, bodies, headers, errors; the probes, the documentation, and the end.
import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../api-facade/lib/config.ts'
import { startServer } from '../../api-facade/server.ts'
import { createDatabase } from '../support/database.ts'
import { Person } from '../support/person.ts'
import { ADMIN, environment } from '../support/settings.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const { alice, nobody, database, url } = await world({ people: ['alice'] })
const own = await world({
  people: [],
  env: { BODY_LIMIT: '2048', CORS_ORIGINS: 'https://app.example, http://localhost:3000' },
})
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const api = (path: string) => `${url}/api/v1${path}`

describe('methods', () => {
  test.each([
    ['GET', '/auth/login', 'POST, OPTIONS'],
    ['PROPFIND', '/auth/login', 'POST, OPTIONS'],
    ['DELETE', '/auth/register', 'POST, OPTIONS'],
    ['PUT', '/admin/invite-codes/generate', 'POST, OPTIONS'],
    ['POST', '//health', 'GET, HEAD, OPTIONS'],
    ['DELETE', '//openapi.json', 'GET, HEAD, OPTIONS'],
    ['POST', '//docs', 'GET, HEAD, OPTIONS'],
  ])('%s %s is 405, whoever asks', async (method, path, allow) => {
    for (const caller of [nobody, alice, nobody.withToken('no token')]) {
      const answer = await caller.request(method, path)
      expect(answer).toFailWith(405, 'method_not_allowed')
      expect(answer.headers.get('allow')).toBe(allow)
    }
  })

  test('Allow names every method of a path', async () => {
    const { headers } = await alice.request('PROPFIND', '/circles/me')
    expect(headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining(['GET', 'POST', 'HEAD', 'OPTIONS']))
  })

  test('HEAD is GET without the body', async () => {
    const authorization = `Bearer ${alice.token}`
    const answers = await Promise.all([
      fetch(`${url}/health`, { method: 'HEAD' }),
      fetch(api('/me'), { method: 'HEAD', headers: { authorization } }),
      fetch(api('/me'), { method: 'HEAD' }),
      fetch(api('/no/such/route'), { method: 'HEAD' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 404])
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['', '', '', ''])
    for (const { headers } of answers) expect(headers.get('x-request-id')).toMatch(UUID)
  })

  test('OPTIONS says what a path takes, without a token', async () => {
    const answer = await fetch(api('/auth/login'), { method: 'OPTIONS' })
    expect([answer.status, answer.headers.get('allow'), await answer.text()]).toEqual([204, 'POST, OPTIONS', ''])
    expect((await fetch(api('/no/such/route'), { method: 'OPTIONS' })).status).toBe(404)
  })
})

describe('paths', () => {
  test.each(['/me', '/me/', '/ME', '/Identity/Me/'])('%s is my profile', async (path) => {
    expect(await alice.get(path)).toMatchObject({ status: 200, body: { id: alice.id } })
  })

  test.each(['/API/V1/me', '/api/V1/ME/'])('%s is it too', async (path) => {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${alice.token}` } })
    expect([answer.status, await answer.json()]).toMatchObject([200, { id: alice.id }])
  })

  test.each(['//Health', '//health/', '//HEALTH/'])('%s is the probe', async (path) => {
    expect(await nobody.get(path)).toMatchObject({ status: 200 })
  })

  test.each([
    '/nothing',
    '/me/nothing',
    '/',
    '',
    '//',
    '//nothing',
    '//api',
    '//api/v2/me',
    '//me',
    '//health/deep',
    '/me//',
  ])('%s is unknown to everyone, in every method', async (path) => {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const body = method === 'POST' ? '{' : undefined
      expect(await nobody.request(method, path, body)).toFailWith(404, 'route_unknown')
      expect(await alice.request(method, path, body)).toFailWith(404, 'route_unknown')
    }
  })

  test.each(['%00', '%zz', '%', '%ff', '..%2f..%2fhealth', '%F0%9F%92%A9', "a'b", '1;select'])(
    'what names nobody is no more than that: %s',
    async (name) => {
      const { status } = await alice.get(`/reputation/${name}`)
      expect([404, 422]).toContain(status)
      expect(await alice.get(`/posts/${name}`)).toFailWith(422, 'validation_failed')
    },
  )
})

describe('bodies', () => {
  const path = '/auth/login'
  const typed = (type: string) => nobody.post(path, '{}', { 'content-type': type })

  test.each(['{', '{"email":}', 'email', '{"a":1}x', "{'email': 1}"])('%s is malformed', async (body) => {
    expect(await nobody.post(path, body)).toFailWith(400, 'malformed_json')
  })

  test.each([undefined, '', ' ', '{}', 'null', '5', '"text"', '[]', '[{}]'])('%s has not the form', async (body) => {
    expect(await nobody.post(path, body)).toFailWith(422, 'validation_failed')
  })

  test('an empty one is 422 with a sentence a field', async () => {
    const { body } = await nobody.post(path, '')
    expect(body).toEqual({
      statusCode: 422,
      error: 'Unprocessable Entity',
      message: [expect.stringMatching(/^email: /), expect.stringMatching(/^password: /)],
    })
  })

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/vnd.kith+json'])(
    'may be %s',
    async (type) => {
      expect(await typed(type)).toFailWith(422, 'validation_failed')
    },
  )

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp', ''])(
    'may not be %j',
    async (type) => {
      expect(await typed(type)).toFailWith(415, 'content_type_unsupported')
    },
  )

  test('may hold what no text of Postgres can, and is refused', async () => {
    expect(await nobody.post(path, { email: 'a\u0000b', password: 'x' })).toFailWith(422, 'value_invalid')
  })

  const sized = (bytes: number) => `{"email":"${'x'.repeat(bytes - 12)}"}`
  const streamed = (text: string) =>
    fetch(`${own.url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob([text]).stream(),
      duplex: 'half',
    } as RequestInit)

  test('end at BODY_LIMIT', async () => {
    expect(await own.nobody.post(path, sized(2048))).toFailWith(422, 'validation_failed')
    expect(await own.nobody.post(path, sized(2049))).toFailWith(413, 'body_too_large')
    expect(await own.nobody.post(path, 'x'.repeat(200_000))).toFailWith(413, 'body_too_large')
  })

  test('also where they do not say their length', async () => {
    const answers = await Promise.all([sized(2048), sized(2049), sized(200_000)].map(streamed))
    expect(answers.map(({ status }) => status)).toEqual([422, 413, 413])
    expect(await answers[1]?.json()).toMatchObject({ statusCode: 413, error: 'Payload Too Large' })
  })

  test('end at 1 MiB where nothing else is set', async () => {
    expect(await nobody.post(path, sized(1024 * 1024))).toFailWith(422, 'validation_failed')
    expect(await nobody.post(path, sized(1024 * 1024 + 1))).toFailWith(413, 'body_too_large')
  })
})

describe('headers', () => {
  const given = (id: string) => nobody.get('//health', { 'X-Request-Id': id })

  test('name the request', async () => {
    const [one, two] = [await nobody.get('//health'), await nobody.get('//health')]
    expect(one.headers.get('x-request-id')).toMatch(UUID)
    expect(one.headers.get('x-request-id')).not.toBe(two.headers.get('x-request-id'))
    expect((await given('trace-0123456789.abc')).headers.get('x-request-id')).toBe('trace-0123456789.abc')
  })

  test.each(['short', 'with a blank in it', 'x'.repeat(129), '<script>alert(1)</script>', '{"level":50}'])(
    'do not repeat %s',
    async (id) => {
      expect((await given(id)).headers.get('x-request-id')).toMatch(UUID)
    },
  )

  test.each([
    ['a success', () => alice.get('/me')],
    ['the probe', () => nobody.get('//health')],
    ['401', () => nobody.get('/me')],
    ['404', () => nobody.get('//nothing')],
    ['405', () => nobody.get('/auth/login')],
    ['422', () => nobody.post('/auth/login', {})],
  ])('protect %s', async (_what, ask) => {
    const { headers } = await ask()
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'strict-transport-security': expect.stringMatching(/^max-age=\d{7,}/),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-type': 'application/json',
    })
    expect(headers.get('x-powered-by')).toBeNull()
    expect(headers.get('server')).toBeNull()
  })
})

describe('CORS', () => {
  const ask = (origin: string, more = {}) => own.nobody.get('//health', { origin, ...more })
  const preflight = (base: string, origin: string, path = '/me') =>
    fetch(`${base}/api/v1${path}`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' },
    })
  const allowed = ({ headers }: { headers: Headers }) => headers.get('access-control-allow-origin')

  test.each(['https://app.example', 'http://localhost:3000'])('lets %s read', async (origin) => {
    const answer = await ask(origin)
    expect(allowed(answer)).toBe(origin)
    expect(answer.headers.get('vary')).toMatch(/Origin/i)
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    for (const name of ['X-Error-Code', 'X-Request-Id', 'RateLimit-Remaining', 'Retry-After']) {
      expect(answer.headers.get('access-control-expose-headers')).toContain(name)
    }
    const error = await own.nobody.get('/me', { origin })
    expect(error).toFailWith(401, 'token_missing')
    expect(allowed(error)).toBe(origin)
  })

  test('answers its preflight', async () => {
    const answer = await preflight(own.url, 'https://app.example')
    expect([answer.status, await answer.text(), allowed(answer)]).toEqual([204, '', 'https://app.example'])
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(answer.headers.get('access-control-allow-methods')).toContain(method)
    }
    for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key']) {
      expect(answer.headers.get('access-control-allow-headers')).toContain(name)
    }
  })

  test.each(['https://evil.example', 'https://app.example.evil.example', 'http://app.example', 'null'])(
    'lets %s not',
    async (origin) => {
      expect(allowed(await ask(origin))).toBeNull()
      expect(allowed(await preflight(own.url, origin))).toBeNull()
    },
  )

  test('lets nobody where nothing is configured', async () => {
    expect(allowed(await nobody.get('//health', { origin: 'https://app.example' }))).toBeNull()
    expect(allowed(await preflight(url, 'https://app.example'))).toBeNull()
  })
})

describe('what goes wrong inside', async () => {
  const [kept] = await database.owner`select pg_get_functiondef('api.get_me'::regproc) as text`
  const become = (body: string) =>
    database.owner.unsafe(`create or replace function api.get_me() returns json language plpgsql volatile security definer
      set search_path = '' as $$ begin ${body} return '{}'; end $$`)
  afterEach(() => database.owner.unsafe(kept?.text))

  test.each([
    ['P0001', 500, 'internal_error'],
    ['XX000', 500, 'internal_error'],
    ['42P01', 500, 'internal_error'],
    ['PT999', 500, 'internal_error'],
    ['23505', 409, 'duplicate'],
    ['23503', 422, 'value_invalid'],
    ['23514', 422, 'value_invalid'],
    ['22P02', 422, 'value_invalid'],
    ['42501', 403, 'not_permitted'],
    ['40001', 503, 'service_unavailable'],
    ['40P01', 503, 'service_unavailable'],
    ['55P03', 503, 'service_unavailable'],
    ['57014', 503, 'service_unavailable'],
    ['53300', 503, 'service_unavailable'],
  ])('%s is %d %s, without inner detail', async (code, status, word) => {
    await become(
      `raise exception using errcode = '${code}', message = 'inner', detail = 'Inner detail.', hint = 'inner';`,
    )
    const answer = await alice.get('/me')
    expect(answer).toFailWith(status, word)
    expect(answer.text).not.toMatch(/inner/i)
    expect(answer.headers.get('retry-after')).toBe(status === 503 ? '2' : null)
    expect(answer.headers.get('x-request-id')).toMatch(UUID)
  })

  test.each(['40001', '40P01'])('%s is tried once more', async (code) => {
    await database.owner`create sequence app.attempts`
    await become(`if nextval('app.attempts') = 1 then raise exception using errcode = '${code}', message = 'inner'; end if;
      return private.own_profile(app.uid());`)
    expect(await alice.get('/me')).toMatchObject({ status: 200, body: { id: alice.id } })
    const [row] = await database.owner`select last_value::int as attempts from app.attempts`
    expect(row).toEqual({ attempts: 2 })
    await database.owner`drop sequence app.attempts`
  })

  test('a connection that is gone makes way for a new one', async () => {
    const gone = await database.superuser`
      select pg_terminate_backend(pid) from pg_stat_activity where datname = ${database.name} and application_name like 'kith_%'`
    expect(gone.length).toBeGreaterThan(0)
    expect(await alice.get('/me')).toMatchObject({ status: 200, body: { id: alice.id } })
  })
})

describe('the probe and the documentation', () => {
  test('GET /health', async () => {
    const { body } = await nobody.get<Record<string, unknown>>('//health')
    const version = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
    expect(body).toEqual({ status: 'ok', uptime: expect.any(Number), version })
  })

  test('GET /openapi.json is what is committed', async () => {
    const { text } = await nobody.get('//openapi.json')
    expect(text).toBe(readFileSync(new URL('../../api-facade/openapi.json', import.meta.url), 'utf8'))
  })

  test('GET /docs is served from here, with all that it loads', async () => {
    const page = await nobody.get('//docs')
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    expect(page.text).not.toMatch(/https?:|"\/\//)
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/https?:|\*|unsafe-eval|script-src[^;]*unsafe-inline/)
    const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '')
    expect(parts.length).toBeGreaterThan(2)
    for (const path of parts) {
      const part = await fetch(url + path)
      expect([path, part.status]).toEqual([path, 200])
      expect(part.headers.get('content-type')).toMatch(/^(text\/(css|javascript)|image\/png)/)
      expect((await part.text()).length).toBeGreaterThan(0)
    }
    expect((await nobody.get('//docs/start.js')).text).toContain('/openapi.json')
  })
})

describe('the end of a server', async () => {
  const { url: databaseUrl, owner, name } = await createDatabase()

  test('finishes what is in flight, and takes nothing new', async () => {
    const server = await startServer({ config: readConfig(environment(databaseUrl)), databaseUrl })
    const admin = await Object.assign(new Person(server.url), ADMIN).login()
    let stopped: Promise<void> | undefined

    const answer = await owner.begin(async (sql) => {
      await sql`lock table app.accounts in access exclusive mode`
      const asked = admin.get('/me')
      await until(async () => {
        const waiting = await owner`select from pg_stat_activity where datname = ${name} and wait_event_type = 'Lock'`
        return waiting.length === 1
      })
      stopped = server.stop()
      await until(() =>
        fetch(`${server.url}/health`).then(
          () => false,
          () => true,
        ),
      )
      return { asked } // not the promise itself: that would be awaited with the lock still held
    })
    expect(await answer.asked).toMatchObject({ status: 200, body: { email: ADMIN.email } })
    await stopped
    const open = await owner`select from pg_stat_activity where datname = ${name} and application_name like 'kith_%'`
    expect(open).toHaveLength(0)
  })

  test('leaves the port to the next', async () => {
    const first = await startServer({ config: readConfig(environment(databaseUrl)), databaseUrl })
    const config = readConfig(environment(databaseUrl, { PORT: String(first.port) }))
    await expect(startServer({ config, databaseUrl })).rejects.toThrow('EADDRINUSE')
    await first.stop()
    const second = await startServer({ config, databaseUrl })
    expect(await new Person(second.url).get('//health')).toMatchObject({ status: 200 })
    await second.stop()
  })
})
