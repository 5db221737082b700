// POST /batch: several reads in one request.
import { describe, expect, test } from 'vitest'
import { publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

type Part = { status: number; headers: Record<string, string>; body: unknown }
type Answer = { responses: Part[] }
type Sent = { method?: string; path: string; ifNoneMatch?: string }

const { alice, bob, admin, nobody, url } = await world({ people: ['alice', 'bob'] })
const batch = (who: typeof alice, ...requests: Sent[]) =>
  who.post<Answer>('/batch', { requests: requests.map((request) => ({ method: 'GET', ...request })) })
const parts = async (...requests: Sent[]) => {
  const { status, text, body } = await batch(alice, ...requests)
  expect(status, text).toBe(200)
  return body.responses
}
const codes = (answers: Part[]) => answers.map(({ status, headers }) => [status, headers['X-Error-Code']])

test('A batch answers each read as a request of its own, in order', async () => {
  const post = await publish(bob, { body: 'Moss' })
  const paths = [
    '/me',
    '/feed?limit=5',
    `/posts/${post}`,
    '/notifications',
    '/interests/catalog',
    '/users/bob',
    '/posts/x',
  ]
  const alone = await Promise.all(paths.map((path) => alice.get(path)))
  const together = await parts(...paths.map((path) => ({ path: `/api/v1${path}` })))
  expect(together.map(({ status, body }) => [status, body])).toEqual(alone.map(({ status, body }) => [status, body]))
  expect(together[4]?.headers).toEqual({ ETag: alone[4]?.headers.get('etag'), 'Cache-Control': 'private, no-cache' })
  expect(together[6]?.headers['X-Error-Code']).toBe('validation_failed')
})

test('A path may leave out /api/v1', async () => {
  const answers = await parts({ path: '/me' }, { path: '/feed?limit=900' }, { path: '/users/bob?x=1' })
  expect(answers[0]?.body).toMatchObject({ username: 'alice' })
  expect(codes(answers)).toEqual([
    [200, undefined],
    [422, 'validation_failed'],
    [200, undefined],
  ])
})

test('An ETag that is still valid makes the answer 304 without a body', async () => {
  const [catalog] = await parts({ path: '/api/v1/interests/catalog' })
  const [again, other] = await parts(
    { path: '/api/v1/interests/catalog', ifNoneMatch: catalog?.headers.ETag ?? '' },
    { path: '/api/v1/interests/catalog', ifNoneMatch: '"x"' },
  )
  expect([again?.status, again?.body, other?.status]).toEqual([304, null, 200])
})

test.each([
  ['another method', { method: 'DELETE', path: '/api/v1/me/push-token' }],
  ['the method of a write of the same path', { path: '/api/v1/auth/login' }],
  ['a path outside the API', { path: '/health' }],
  ['another host', { path: 'https://example.org/api/v1/me' }],
  ['another host without a scheme', { path: '//example.org/api/v1/me' }],
  ['a path that leaves the API', { path: '/api/v1/../../rest/v1/rpc/get_me' }],
  ['an unknown path', { path: '/api/v1/nothing' }],
  ['an export', { path: '/api/v1/me/export' }],
  ['a picture', { path: '/api/v1/media/avatar/shapes' }],
  ['a calendar', { path: '/api/v1/events/3f1c8e52-7a0b-4d6e-9c1f-2b5a8d7e6f10/calendar.ics' }],
  ['a batch', { path: '/api/v1/batch' }],
])('%s is 422 for that read, and the others are answered', async (_what, wrong) => {
  expect(codes(await parts({ path: '/api/v1/me' }, wrong, { path: '/api/v1/feed' }))).toEqual([
    [200, undefined],
    [422, 'batch_request'],
    [200, undefined],
  ])
})

test('A read that fails has its error, and the others are answered', async () => {
  const unknown = '/api/v1/posts/3f1c8e52-7a0b-4d6e-9c1f-2b5a8d7e6f10'
  const answers = await parts({ path: unknown }, { path: '/api/v1/admin/users' }, { path: '/api/v1/feed?limit=900' })
  expect(codes(answers)).toEqual([
    [404, 'post_unknown'],
    [403, 'role_required'],
    [422, 'validation_failed'],
  ])
  expect(answers[0]?.body).toMatchObject({ statusCode: 404, error: 'Not Found' })
})

test.each([
  ['no request', { requests: [] }],
  ['21 requests', { requests: Array(21).fill({ method: 'GET', path: '/api/v1/me' }) }],
  ['a request without a path', { requests: [{ method: 'GET' }] }],
  ['no list', {}],
])('A batch with %s is 422', async (_what, body) => {
  expect(await alice.post('/batch', body)).toFailWith(422, 'validation_failed')
})

test('A batch needs a token, and its reads return what the caller may see', async () => {
  expect(await nobody.post('/batch', { requests: [{ method: 'GET', path: '/api/v1/me' }] })).toFailWith(
    401,
    'token_missing',
  )
  const asked = { path: '/api/v1/admin/users' }
  expect(codes((await batch(admin, asked)).body.responses)).toEqual([[200, undefined]])
})

test('When the answers exceed 4 million characters, the remaining reads are 413', async () => {
  for (let n = 0; n < 20; n++) await publish(bob, { format: 'essay', title: 'Long', body: 'x'.repeat(90_000) })
  const answers = await parts(...Array.from({ length: 20 }, () => ({ path: '/api/v1/feed?limit=20' })))
  const sizes = answers.map(({ status, headers }) => [status, headers['X-Error-Code']])
  const first = sizes.findIndex(([status]) => status === 413)
  expect(first).toBeGreaterThan(5)
  expect(sizes.slice(first)).toEqual(Array(20 - first).fill([413, 'batch_large']))
})

describe('Limits', async () => {
  const limits = JSON.stringify({ global: '5/min', search: '2/min' })
  const own = await world({ people: ['cora', 'dora'], env: { RATE_LIMITS: limits, RATE_LIMIT_SCALE: '1' } })
  const ask = (who: typeof alice, path: string, count: number) =>
    who.post<Answer>('/batch', { requests: Array(count).fill({ method: 'GET', path }) })

  test('count a batch as one request of the network, and each of its reads for its route', async () => {
    expect(codes((await ask(own.cora, '/api/v1/me', 20)).body.responses)).toEqual(Array(20).fill([200, undefined]))
    const searches = (await ask(own.cora, '/api/v1/discovery/search?q=moss', 3)).body.responses
    expect(codes(searches)).toEqual([
      [200, undefined],
      [200, undefined],
      [429, 'rate_limited'],
    ])
    expect(Number(searches[2]?.headers['Retry-After'])).toBeGreaterThan(0)
    for (let n = 0; n < 3; n++) expect(await ask(own.dora, '/api/v1/me', 1)).toMatchObject({ status: 200 })
    expect(await ask(own.dora, '/api/v1/me', 1)).toFailWith(429, 'rate_limited')
  })
})

describe('Compression', () => {
  const raw = (requests: Sent[], encoding: string) =>
    fetch(`${url}/api/v1/batch`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${alice.token}`,
        'content-type': 'application/json',
        'accept-encoding': encoding,
      },
      body: JSON.stringify({ requests: requests.map((request) => ({ method: 'GET', ...request })) }),
    })

  const me = { path: '/api/v1/me' }

  test('applies to the answer of a batch, unless a part contains a secret', async () => {
    const open = await raw(Array(5).fill(me), 'br')
    expect(open.headers.get('content-encoding')).toBe('br')
    expect(await open.json()).toMatchObject({ responses: Array(5).fill({ status: 200 }) })
    const secret = await raw([...Array(5).fill(me), { path: '/api/v1/me/invites' }], 'br')
    expect(secret.headers.get('content-encoding')).toBeNull()
  })
})
