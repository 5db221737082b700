// Headers of every answer: the request id, security headers, CORS.
import { describe, expect, test } from 'vitest'
import { world } from '../../support/world.ts'

const { alice, nobody, stack, url } = await world({ people: ['alice'] })

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('Response headers', () => {
  const given = (id: string) => nobody.get('//health', { 'X-Request-Id': id })

  test('contain the request id, which is the client’s if it is well-formed', async () => {
    const [one, two] = [await nobody.get('//health'), await nobody.get('//health')]
    expect(one.headers.get('x-request-id')).toMatch(UUID)
    expect(one.headers.get('x-request-id')).not.toBe(two.headers.get('x-request-id'))
    expect((await given('trace-0123456789.abc')).headers.get('x-request-id')).toBe('trace-0123456789.abc')
  })

  test.each(['short', 'with a blank in it', 'x'.repeat(129), '<script>alert(1)</script>', '{"level":50}'])(
    'do not repeat the malformed request id %s',
    async (id) => {
      expect((await given(id)).headers.get('x-request-id')).toMatch(UUID)
    },
  )

  test.each([
    ['a successful answer', () => alice.get('/me')],
    ['GET /health', () => nobody.get('//health')],
    ['401', () => nobody.get('/me')],
    ['404', () => nobody.get('//nothing')],
    ['405', () => nobody.get('/auth/login')],
    ['422', () => nobody.post('/auth/login', {})],
    ['a streamed answer', () => alice.get('/me/export')],
    ['an answer of /rest/v1/rpc', () => fetch(`${stack.url}/rest/v1/rpc/get_me`)],
  ])('include all security headers on %s', async (_what, ask) => {
    const { headers } = await ask()
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'strict-transport-security': expect.stringMatching(/^max-age=\d{7,}/),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-type': expect.stringMatching(/^application\/json\b/),
    })
    expect(headers.get('x-powered-by')).toBeNull()
    expect(headers.get('server')).toBeNull()
  })
})

describe('CORS', async () => {
  const own = await world({ people: [], env: { CORS_ORIGINS: 'https://app.example, http://localhost:3000' } })
  const ask = (origin: string, more = {}) => own.nobody.get('//health', { origin, ...more })
  const preflight = (base: string, origin: string, path = '/me') =>
    fetch(`${base}/api/v1${path}`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'PATCH', 'access-control-request-headers': 'authorization' },
    })
  const allowed = ({ headers }: { headers: Headers }) => headers.get('access-control-allow-origin')

  test.each(['https://app.example', 'http://localhost:3000'])(
    'allows %s to read answers and errors',
    async (origin) => {
      const answer = await ask(origin)
      expect(allowed(answer)).toBe(origin)
      expect(answer.headers.get('vary')).toMatch(/Origin/i)
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
      for (const name of ['ETag', 'X-Error-Code', 'X-Request-Id', 'RateLimit-Remaining', 'Retry-After']) {
        expect(answer.headers.get('access-control-expose-headers')).toContain(name)
      }
      const error = await own.nobody.get('/me', { origin })
      expect(error).toFailWith(401, 'token_missing')
      expect(allowed(error)).toBe(origin)
    },
  )

  test('answers the preflight of an allowed origin', async () => {
    const answer = await preflight(own.url, 'https://app.example')
    expect([answer.status, await answer.text(), allowed(answer)]).toEqual([204, '', 'https://app.example'])
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(answer.headers.get('access-control-allow-methods')).toContain(method)
    }
    for (const name of ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-None-Match']) {
      expect(answer.headers.get('access-control-allow-headers')).toContain(name)
    }
    const rest = await fetch(`${own.stack.url}/rest/v1/rpc/get_catalog`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    })
    expect([rest.status, allowed(rest)]).toEqual([204, 'https://app.example'])
    for (const name of ['Apikey', 'Idempotency-Key', 'If-None-Match']) {
      expect(rest.headers.get('access-control-allow-headers')).toContain(name)
    }
  })

  test.each(['https://evil.example', 'https://app.example.evil.example', 'http://app.example', 'null'])(
    'does not allow %s',
    async (origin) => {
      expect(allowed(await ask(origin))).toBeNull()
      expect(allowed(await preflight(own.url, origin))).toBeNull()
    },
  )

  test('allows no origin if none is configured', async () => {
    expect(allowed(await nobody.get('//health', { origin: 'https://app.example' }))).toBeNull()
    expect(allowed(await preflight(url, 'https://app.example'))).toBeNull()
  })
})
