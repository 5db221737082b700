// HTTP behaviour of all routes: methods, spellings of paths, bodies.
import { describe, expect, test } from 'vitest'
import { world } from '../../support/world.ts'

const { alice, nobody, url } = await world({ people: ['alice'] })

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const api = (path: string) => `${url}/api/v1${path}`

describe('HTTP methods', () => {
  test.each([
    ['GET', '/auth/login', 'POST, OPTIONS'],
    ['PROPFIND', '/auth/login', 'POST, OPTIONS'],
    ['DELETE', '/auth/register', 'POST, OPTIONS'],
    ['PUT', '/admin/invite-codes/generate', 'POST, OPTIONS'],
    ['POST', '//health', 'GET, HEAD, OPTIONS'],
    ['DELETE', '//openapi.json', 'GET, HEAD, OPTIONS'],
    ['POST', '//docs', 'GET, HEAD, OPTIONS'],
  ])('%s %s gives 405 to every caller', async (method, path, allow) => {
    for (const caller of [nobody, alice, nobody.withToken('no token')]) {
      const answer = await caller.request(method, path)
      expect(answer).toFailWith(405, 'method_not_allowed')
      expect(answer.headers.get('allow')).toBe(allow)
    }
  })

  test('Allow lists every method of a path', async () => {
    const { headers } = await alice.request('PROPFIND', '/circles/me')
    expect(headers.get('allow')?.split(', ')).toEqual(expect.arrayContaining(['GET', 'POST', 'HEAD', 'OPTIONS']))
  })

  test('HEAD answers like GET, without the body', async () => {
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

  test('OPTIONS lists the methods of a path, without a token', async () => {
    const answer = await fetch(api('/auth/login'), { method: 'OPTIONS' })
    expect([answer.status, answer.headers.get('allow'), await answer.text()]).toEqual([204, 'POST, OPTIONS', ''])
    expect((await fetch(api('/no/such/route'), { method: 'OPTIONS' })).status).toBe(404)
  })
})

describe('Paths', () => {
  test.each(['/me', '/me/', '/ME', '/Identity/Me/'])('%s reaches the caller’s profile', async (path) => {
    expect(await alice.get(path)).toMatchObject({ status: 200, body: { id: alice.id } })
  })

  test.each(['/API/V1/me', '/api/V1/ME/'])('%s reaches the caller’s profile too', async (path) => {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${alice.token}` } })
    expect([answer.status, await answer.json()]).toMatchObject([200, { id: alice.id }])
  })

  test.each(['//Health', '//health/', '//HEALTH/'])('%s reaches the health check', async (path) => {
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
  ])('%s gives 404 to every caller and with every method', async (path) => {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      const body = method === 'POST' ? '{' : undefined
      expect(await nobody.request(method, path, body)).toFailWith(404, 'route_unknown')
      expect(await alice.request(method, path, body)).toFailWith(404, 'route_unknown')
    }
  })

  test.each(['%00', '%zz', '%', '%ff', '..%2f..%2fhealth', '%F0%9F%92%A9', "a'b", '1;select'])(
    'a strange name in the path is treated as an unknown name: %s',
    async (name) => {
      const { status } = await alice.get(`/reputation/${name}`)
      expect([404, 422]).toContain(status)
      expect(await alice.get(`/posts/${name}`)).toFailWith(422, 'validation_failed')
    },
  )
})

describe('Request bodies', async () => {
  const own = await world({ people: [], env: { BODY_LIMIT: '2048' } })
  const path = '/auth/login'
  const typed = (type: string) => nobody.post(path, '{}', { 'content-type': type })

  test.each(['{', '{"email":}', 'email', '{"a":1}x', "{'email': 1}"])(
    'that are malformed give 400: %s',
    async (body) => {
      expect(await nobody.post(path, body)).toFailWith(400, 'malformed_json')
    },
  )

  test.each([undefined, '', ' ', '{}', 'null', '5', '"text"', '[]', '[{}]'])(
    'that do not have the right form give 422: %s',
    async (body) => {
      expect(await nobody.post(path, body)).toFailWith(422, 'validation_failed')
    },
  )

  test('that are empty give 422, with one message for each required field', async () => {
    const { body } = await nobody.post(path, '')
    expect(body).toEqual({
      statusCode: 422,
      error: 'Unprocessable Entity',
      message: ['email: is required', 'password: is required'],
      fields: [
        { path: 'email', code: 'required' },
        { path: 'password', code: 'required' },
      ],
    })
  })

  test.each([
    ['PATCH', '/me', { firstName: ' ' }, 'firstName: must not be empty', 'too_small'],
    ['PATCH', '/me', { firstName: 'a'.repeat(81) }, 'firstName: must have at most 80 characters', 'too_big'],
    ['POST', '/posts', { body: 5 }, 'body: must be a string', 'type'],
    ['POST', '/posts', { visibility: 'friends' }, 'visibility: must be one of "public", "circles", "inner"', 'value'],
    ['POST', '/posts', { depth: 1.5 }, 'depth: must be a whole number', 'type'],
    ['POST', '/posts', { depth: 6 }, 'depth: must be at most 5', 'too_big'],
    ['POST', '/posts', { isJournalism: 1 }, 'isJournalism: must be true or false', 'type'],
    ['POST', '/posts', { interestIds: {} }, 'interestIds: must be an array', 'type'],
    ['POST', '/posts', { interestId: 'x' }, 'interestId: must be a UUID', 'format'],
    [
      'POST',
      '/posts',
      { publishAt: 'soon' },
      'publishAt: must be a time with its zone such as 2026-01-31T12:00:00Z',
      'format',
    ],
    ['POST', '/posts', { poll: 'a' }, 'poll: must be an object', 'type'],
    ['POST', '/posts', { poll: {} }, 'poll.options: is required', 'required'],
    ['POST', '/interests/me/bulk', { interests: [] }, 'interests: must not be empty', 'too_small'],
    ['GET', '/feed?limit=0', undefined, 'limit: must be at least 1', 'too_small'],
  ])('get a plain message and a code for the field: %s %s %j', async (method, path, sent, message, code) => {
    const { body } = await alice.request(method, path, sent)
    const fields = [{ path: message.split(':')[0], code }]
    expect(body).toEqual({ statusCode: 422, error: 'Unprocessable Entity', message: [message], fields })
  })

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/vnd.kith+json'])(
    'are accepted with the content type %s',
    async (type) => {
      expect(await typed(type)).toFailWith(422, 'validation_failed')
    },
  )

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/jsonp', ''])(
    'are rejected with the content type %j',
    async (type) => {
      expect(await typed(type)).toFailWith(415, 'content_type_unsupported')
    },
  )

  test('with a NUL character are rejected with 422', async () => {
    expect(await nobody.post(path, { email: 'a\u0000b', password: 'x' })).toFailWith(422, 'value_invalid')
  })

  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

  test('can be nested at most 32 levels deep', async () => {
    const { body } = await alice.post<{ id: string }>('/posts', { body: 'flat' })
    const changed = (levels: number) => alice.patch(`/posts/${body.id}`, `{"unknown":${nested(levels)}}`)
    expect(await changed(31)).toMatchObject({ status: 200 })
    expect(await changed(32)).toFailWith(422, 'validation_failed')
    for (const field of ['media', 'poll', 'unknown']) {
      for (const levels of [10_000, 500_000]) {
        const deep = `{"body":"deep","${field}":${nested(levels)}}`
        expect(await alice.patch(`/posts/${body.id}`, deep)).toFailWith(422, 'validation_failed')
        expect(await alice.post('/posts', deep)).toFailWith(422, 'validation_failed')
      }
    }
  })

  test('can have at most 5000 values, and at most 100 errors are listed', async () => {
    const { body } = await alice.post<{ id: string }>('/posts', { body: 'flat' })
    const changed = (unknown: unknown) => alice.patch(`/posts/${body.id}`, { unknown })
    const most = Array(4999).fill(1) // the array itself counts as a value too
    expect(await changed(most)).toMatchObject({ status: 200 })
    for (const more of [[...most, 1], [most], Object.fromEntries([...most, 1].map((one, n) => [`k${n}`, one]))])
      expect(await changed(more)).toFailWith(422, 'validation_failed')
    const published = (interestIds: unknown[]) =>
      alice.post<{ message: string[] }>('/posts', { body: 'wrong', interestIds })
    expect((await published(Array(4000).fill(1))).body.message).toHaveLength(100)
    const many = await published(Array(300_000).fill(1))
    expect(many).toFailWith(422, 'validation_failed')
    expect(many.body.message).toEqual(['The body has more than 5000 values.'])
  })

  const sized = (bytes: number) => `{"email":"${'x'.repeat(bytes - 12)}"}`
  const streamed = (text: string) =>
    fetch(`${own.url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Blob([text]).stream(),
      duplex: 'half',
    } as RequestInit)

  test('can have at most BODY_LIMIT bytes', async () => {
    expect(await own.nobody.post(path, sized(2048))).toFailWith(422, 'validation_failed')
    expect(await own.nobody.post(path, sized(2049))).toFailWith(413, 'body_too_large')
    expect(await own.nobody.post(path, 'x'.repeat(200_000))).toFailWith(413, 'body_too_large')
  })

  test('are limited even if the request does not state its length', async () => {
    const answers = await Promise.all([sized(2048), sized(2049), sized(200_000)].map(streamed))
    expect(answers.map(({ status }) => status)).toEqual([422, 413, 413])
    expect(await answers[1]?.json()).toMatchObject({ statusCode: 413, error: 'Payload Too Large' })
  })

  test('can have at most 1 MiB by default', async () => {
    expect(await nobody.post(path, sized(1024 * 1024))).toFailWith(422, 'validation_failed')
    expect(await nobody.post(path, sized(1024 * 1024 + 1))).toFailWith(413, 'body_too_large')
  })
})
