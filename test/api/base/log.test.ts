// A log line: what operators find in it, and what it must not contain.
import { createClient } from '@supabase/supabase-js'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { createLog } from '../../../api-facade/lib/log.ts'
import { startServer } from '../../../api-facade/server.ts'
import { mountRpc } from '../../../supabase/embedded/rpc.ts'
import { Person } from '../../support/person.ts'
import { environment, JWT_SECRET } from '../../support/settings.ts'
import { ownOnly } from '../../support/target.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

ownOnly('reads the log of its own facade')
const { alice, bob, database, stack } = await world({ people: ['alice', 'bob'] })
const lines: string[] = []
const config = readConfig(environment(database.url, { LOG_LEVEL: 'info' }))
const log = createLog(config, { write: (line: string) => lines.push(line) })
const server = await startServer({
  config,
  databaseUrl: database.url,
  log,
  beside: (app, site) => mountRpc(app, [JWT_SECRET], site),
})
afterAll(() => server.stop())
const at = (person: Person) => new Person(server.url, person.token)

type Line = { route?: string; path: string; caller?: string; status: number }
/** The line that the request left in the log. */
async function lineOf(asked: Promise<{ headers: Headers }>): Promise<Line> {
  const id = (await asked).headers.get('x-request-id') ?? 'none'
  const line = await until(() => lines.find((one) => one.includes(id)))
  return JSON.parse(line ?? '')
}

test('A log line has the route, and the path with its ids', async () => {
  const id = crypto.randomUUID()
  expect(await lineOf(at(alice).get(`/posts/${id.toUpperCase()}/replies?limit=2&cursor=${id}`))).toMatchObject({
    route: 'GET /posts/:id/replies',
    path: `/api/v1/posts/${id}/replies`,
  })
})

test.each([
  ['/users/bob', '/api/v1/users/:usernameOrId'],
  ['/users/acct%3Abob@localhost', '/api/v1/users/:usernameOrId'],
  ['/users/bob/', '/api/v1/users/:usernameOrId'],
  ['/user/bob', '/api/v1/*/*'],
  ['/users/bob/posts/bob', '/api/v1/users/*/posts/*'],
  ['//bob/api/v1/me', '/*/api/v1/me'],
  ['//health', '/health'],
])('A log line never contains a name from the path: %s', async (path, told) => {
  expect((await lineOf(at(alice).get(path))).path).toBe(told)
})

test('A log line identifies the caller by the same hash on every interface, without revealing who it is', async () => {
  const { caller } = await lineOf(at(alice).get('/me'))
  expect(caller).toMatch(/^[\w-]{12}$/)
  expect((await lineOf(at(alice).get('/feed'))).caller).toBe(caller)
  expect((await lineOf(at(alice).post('/posts', { body: '' }))).caller).toBe(caller)
  expect((await lineOf(at(bob).get('/me'))).caller).not.toBe(caller)
  const client = createClient(server.url, stack.anonKey, {
    db: { schema: 'api' },
    accessToken: async () => alice.token ?? null,
  })
  await client.rpc('get_me')
  const line = await until(() => lines.find((one) => one.includes('/rest/v1/rpc/get_me')))
  expect(JSON.parse(line ?? '')).toMatchObject({ route: 'POST /rest/v1/rpc', caller })
  expect(lines.filter((one) => one.includes(alice.id))).toEqual([])
})

test('A log line has no caller if the request has no token', async () => {
  expect(await lineOf(new Person(server.url).get('/me'))).not.toHaveProperty('caller')
})
