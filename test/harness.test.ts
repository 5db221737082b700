// Proof that the test harness can fail: passing tests prove something only if the harness rejects violations.

import { afterAll, describe, expect, test } from 'vitest'
import type { TestModule } from 'vitest/node'
import { checkAgainst, type Operation, type Schema } from './support/contract.ts'
import { inspect, internalIds, parsed, type Question } from './support/crawler.ts'
import { createDatabase } from './support/database.ts'
import { openPgtap, runPgtap, verdicts } from './support/pgtap.ts'
import { tally } from './support/tally.ts'
import { until } from './support/until.ts'
import { world } from './support/world.ts'

const remembered = [...internalIds]

describe('The pgTAP runner', async () => {
  const { url, owner } = await createDatabase()
  const sql = await openPgtap(url)
  afterAll(() => sql.end())
  const failed = async (text: string) => (await runPgtap(sql, text)).filter(({ ok }) => !ok)

  test('returns every assertion of a valid file', async () => {
    const found = await runPgtap(
      sql,
      `select plan(2); select ok(true, 'one'); select is(1, 1, 'two'); select * from finish();`,
    )
    expect(found).toMatchObject([
      { name: 'one', ok: true },
      { name: 'two', ok: true },
    ])
  })

  test('reports a failed assertion with pgTAP’s message', async () => {
    expect(await failed(`select plan(1); select is(1, 2, 'equal');`)).toMatchObject([
      { name: 'equal', message: expect.stringMatching(/have: 1\s[\s\S]*want: 2/) },
    ])
  })

  test.each([
    ['fewer assertions than planned', `select plan(2); select ok(true, 'one'); select * from finish();`],
    ['more assertions than planned', `select plan(1); select ok(true, 'one'); select ok(true, 'two');`],
    ['no assertion', 'select 1;'],
    ['a plan of nothing', `select plan(0);`],
    ['no plan', `select * from no_plan(); select ok(true, 'one');`],
  ])('fails a file with %s', async (_what, text) => {
    expect(await failed(text)).toMatchObject([{ name: 'keeps its plan' }])
  })

  test.each([
    ['skipped', `select plan(1); select skip('later', 1);`],
    ['left to do', `select plan(1); select * from todo_start(); select ok(false, 'one'); select * from todo_end();`],
  ])('fails an assertion that is %s', async (message, text) => {
    expect(await failed(text)).toMatchObject([{ message }])
  })

  test('fails a file that raises an error, names the line, and keeps earlier results', async () => {
    const found = await runPgtap(sql, `select plan(2);\nselect ok(true, 'one');\nselect * from nowhere;`)
    expect(found).toMatchObject([
      { name: 'one', ok: true },
      {
        name: 'runs to its end',
        ok: false,
        message: expect.stringContaining('42P01: relation "nowhere" does not exist'),
      },
    ])
  })

  test('acts as people: role, claims, row-level security, and back', async () => {
    const text = `
      begin;
      select plan(7);
      select test.people('alice', 'bob');
      select test.act_as('alice');
      select is(current_user::text, 'authenticated', 'a person calls as authenticated');
      select is(app.uid(), test.id('alice'), 'with their own claims');
      select lives_ok('select private.check_caller()', 'which are good');
      select throws_ok('delete from app.accounts where user_id <> app.uid()', '42501', null, 'and no more rights');
      select set_eq($$ values ('a') $$, $$ values ('a') $$, 'temporary tables of pgTAP work');
      select test.act_as_anon();
      select is(app.uid(), null, 'nobody has no id');
      select test.act_as_owner();
      select is(current_user::text, 'postgres', 'the owner again');
      select * from finish();
      rollback;`
    expect(await failed(text)).toEqual([])
  })

  test('leaves nothing behind, whatever a file does', async () => {
    await runPgtap(sql, `select plan(1); select test.people('zoe'); select ok(true, 'one');`)
    expect(await owner`select from app.users where username = 'zoe'`).toHaveLength(0)
    expect(await failed(`select plan(1); select ok(true, 'one'); commit;`)).toMatchObject([{ name: 'never commits' }])
  })

  test('treats a bail-out as a failure', () => {
    expect(verdicts(['1..1', 'ok 1 - one', 'Bail out! no']).filter(({ ok }) => !ok)).toHaveLength(1)
  })
})

describe('The crawler', () => {
  const id = 'c56a4180-65aa-42ec-a945-5fd21dec0538'
  internalIds.add(id)
  const error = { statusCode: 404, error: 'Not Found', message: ['There is no such person.'] }
  const asked: Question = { method: 'GET', path: '/posts', caller: undefined }
  const look =
    (status: number, body: unknown, headers: Record<string, string> = {}, question = asked) =>
    () => {
      const all = new Headers({ 'x-request-id': 'r', 'x-error-code': 'person_unknown', ...headers })
      inspect(question, { status, headers: all, text: JSON.stringify(body), body }, () => undefined)
    }

  test('accepts a valid error', () => {
    expect(look(404, error)).not.toThrow()
  })

  const own = { ...asked, path: '/me/invites' }
  const handle = { ...asked, path: '/identity/users/by-handle/alice', caller: id }

  test.each([
    ['another statusCode', 'statusCode 400', look(404, { ...error, statusCode: 400 })],
    ['a further key', 'the keys', look(404, { ...error, hint: 'no' })],
    ['a missing key', 'the keys', look(404, { statusCode: 404, message: [] })],
    ['a message that is no list', 'no list of texts', look(404, { ...error, message: 'no' })],
    ['an empty list of messages', 'no list of texts', look(404, { ...error, message: [] })],
    ['an error without a body', 'without a JSON body', look(500, null)],
    ['an error without a code', 'X-Error-Code', look(404, error, { 'x-error-code': '' })],
    ['an answer without a request id', 'X-Request-Id', look(404, error, { 'x-request-id': '' })],
    ['401 without a challenge', 'WWW-Authenticate', look(401, { ...error, statusCode: 401 })],
    ['a time with microseconds', 'the time', look(200, { createdAt: '2026-01-31T12:00:00.123456Z' })],
    ['a time of another zone', 'the time', look(200, { createdAt: '2026-01-31T12:00:00.123+00:00' })],
    ['a time as Postgres writes it', 'the time', look(200, { at: '2026-01-31 12:00:00+00' })],
    ['an internal id', 'internal id', look(200, { items: [{ authorId: id }] })],
    ['an internal id in capitals', 'internal id', look(200, { id: id.toUpperCase() })],
    ['an internal id in an error', 'internal id', look(404, { ...error, message: [`no person ${id}`] })],
    ['an internal id in a header', 'internal id', look(200, {}, { location: `/people/${id}` })],
    ["another's id in one's own objects", 'internal id', look(200, { id }, {}, own)],
    ["one's own id in a public object", 'internal id', look(200, { id }, {}, handle)],
    ['a password hash', 'passwordHash', look(200, { passwordHash: 'x' })],
    ['an argon2 hash', 'argon2', look(200, { text: '$argon2id$v=19' })],
  ] as const)('rejects %s', (_what, reason, act) => {
    expect(act).toThrow(reason)
  })

  test('rejects an answer that the description does not contain', () => {
    const answer = { status: 200, headers: new Headers({ 'x-request-id': 'r' }), text: '{}', body: {} }
    expect(() => inspect({ ...asked, path: '/nowhere/at/all' }, answer)).toThrow('openapi.json')
  })

  test('accepts one’s own id in one’s own objects, and any id under /admin', () => {
    expect(look(200, { id }, {}, { ...asked, path: '/me?full=1', caller: id })).not.toThrow()
    expect(look(200, { id }, {}, { ...asked, path: '/admin/users' })).not.toThrow()
  })

  test('rejects malformed JSON', () => {
    const json = new Headers({ 'content-type': 'application/json' })
    expect(() => parsed(200, json, '{')).toThrow()
    expect(() => parsed(200, json, '')).toThrow()
  })
})

describe('The contract check', () => {
  const Item = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
  const Page = {
    type: 'object',
    properties: { items: { type: 'array', items: { $ref: '#/components/schemas/Item' } } },
    required: ['items'],
  }
  const answers = (schema: Schema): Operation['responses'] => ({ 200: { content: { 'application/json': { schema } } } })
  const check = checkAgainst({
    components: {
      schemas: { Item },
      responses: { 429: { description: '`rate_limited`', headers: { 'Retry-After': { required: true } } } },
      headers: {
        ETag: { required: true },
        'Retry-After': {},
        'X-Request-Id': { required: true, 'x-every-answer': true },
      },
    },
    paths: {
      '/api/v1/tagged': { get: { responses: { 204: { headers: { ETag: { $ref: '#/components/headers/ETag' } } } } } },
      '/api/v1/things/{id}': { get: { responses: answers(Item) }, delete: { responses: { 204: {} } } },
      '/api/v1/things/latest': { get: { responses: answers(Page) } },
      '/api/v1/failing': {
        get: { responses: { 404: {}, default: { description: '429 `rate_limited`, 500 `internal_error`.' } } },
      },
    },
  })
  const tagged = (headers: Record<string, string>) =>
    check({ method: 'GET', path: '/api/v1/tagged', status: 204, body: null, headers: new Headers(headers) })
  const get = (path: string, body: unknown, status = 200) => check({ method: 'GET', path, status, body })

  const fail = (status: number, code: string, more: Record<string, string> = {}) => {
    const headers = new Headers({ 'x-request-id': '1', ...more })
    return check({ method: 'GET', path: '/api/v1/failing', status, body: {}, code, headers })
  }

  test('finds the operation: static segments first, ignoring letter case, query and trailing slash', () => {
    expect(get('/api/v1/things/1?x=1', { id: '1' })).toBeUndefined()
    expect(get('/API/v1/Things/latest/', { items: [{ id: '1' }] })).toBeUndefined()
    expect(check({ method: 'DELETE', path: '/api/v1/things/1', status: 204, body: null })).toBeUndefined()
    expect(get('/docs', 'a page')).toBeUndefined()
    expect(fail(500, 'internal_error')).toBeUndefined()
    expect(fail(429, 'rate_limited', { 'retry-after': '1' })).toBeUndefined()
    expect(tagged({ etag: '"1"', 'x-request-id': '1' })).toBeUndefined()
  })

  test.each([
    ['another type', get('/api/v1/things/1', { id: 1 })],
    ['a missing key', get('/api/v1/things/1', {})],
    ['an extra key', get('/api/v1/things/1', { id: '1', more: 1 })],
    ['an extra key behind a reference', get('/api/v1/things/latest', { items: [{ id: '1', more: 1 }] })],
    ['a missing header that is promised', tagged({ 'x-request-id': '1' })],
    ['a missing header that every answer has', tagged({ etag: '"1"' })],
    ['an undocumented header', tagged({ etag: '"1"', 'x-request-id': '1', 'retry-after': '1' })],
    ['a status that is not under default', fail(503, 'service_unavailable')],
    ['a code of another status under default', fail(429, 'internal_error', { 'retry-after': '1' })],
    ['a code under default of a status that is listed', fail(404, 'internal_error')],
    ['a missing header that the shared answer promises', fail(429, 'rate_limited')],
    ['another status', get('/api/v1/things/1', { id: '1' }, 201)],
    ['a body with 204', check({ method: 'DELETE', path: '/api/v1/things/1', status: 204, body: {} })],
    ['an unknown path', get('/api/v1/others', {})],
    ['an unknown method', check({ method: 'PUT', path: '/api/v1/things/1', status: 200, body: { id: '1' } })],
  ])('rejects %s', (_what, verdict) => {
    expect(verdict).toEqual(expect.any(String))
  })
})

describe('A world', async () => {
  const { alice, bob, admin, nobody, database, join } = await world({ people: ['alice', 'bob'] })

  test('has people with the given names, and an admin', async () => {
    expect([alice.username, bob.username, admin.username]).toEqual(['alice', 'bob', 'admin'])
    expect(bob.actorId).toBe('acct:bob@localhost')
    expect(await alice.get('/me')).toMatchObject({ status: 200, body: { id: alice.id, email: alice.email } })
    expect(await alice.login()).toMatchObject({ id: alice.id, username: 'alice' })
    expect((await join('zoe')).map(({ username }) => username)).toEqual(['zoe'])
  })

  test('has a client without a token', async () => {
    expect(await nobody.get('/me')).toFailWith(401, 'token_missing')
    expect(await nobody.get('//health')).toMatchObject({ status: 200, body: { status: 'ok' } })
  })

  test('has the roles of the pools, and can act as a caller', async () => {
    const [pool] = await database.connect('kith_user')`select current_user as name, session_user as login`
    expect(pool).toEqual({ name: 'authenticated', login: 'kith_user' })
    const claims = { sub: alice.id, role: 'user' }
    const [caller] = await database.asCaller(claims, (sql) => sql`select current_user as name, app.uid() as id`)
    expect(caller).toEqual({ name: 'authenticated', id: alice.id })
    expect(await database.asCaller(null, async (sql) => (await sql`select app.uid() as id`)[0]?.id)).toBeNull()
  })

  test('tells the crawler its people’s internal ids', () => {
    expect([alice.id, bob.id, admin.id].every((id) => internalIds.has(id))).toBe(true)
  })

  test('starts without the people of files that ran before in this process', () => {
    expect(remembered).toEqual([])
  })
})

describe('The reporter', () => {
  const module = (own: string, ...states: string[]) => {
    const tests = states.map((state) => ({ result: () => ({ state }) }))
    return { state: () => own, children: { allTests: () => tests } } as unknown as TestModule
  }

  test.each([
    ['passed tests', [module('passed', 'passed', 'passed')], 0, { passed: 2, failed: 0 }],
    ['a failed test once', [module('failed', 'failed', 'passed')], 0, { passed: 1, failed: 1 }],
    ['skipped and unfinished tests as failed', [module('passed', 'skipped', 'pending')], 0, { passed: 0, failed: 2 }],
    ['a file that does not load as failed', [module('failed')], 0, { passed: 0, failed: 1 }],
    ['a hook that failed after its tests', [module('failed', 'passed')], 0, { passed: 1, failed: 1 }],
    ['an uncaught error', [module('passed', 'passed')], 1, { passed: 1, failed: 1 }],
    ['a run without tests as failed', [], 0, { passed: 0, failed: 1 }],
  ])('counts %s', (_what, modules, uncaught, expected) => {
    expect(tally(modules, uncaught)).toEqual(expected)
  })
})

describe('until()', () => {
  test('waits until the condition is true, and returns its value', async () => {
    let asked = 0
    expect(await until(() => ++asked === 3 && 'yes')).toBe('yes')
  })

  test('gives up with the last error', async () => {
    const never = until(() => Promise.reject(new Error('not yet')), { timeout: 30 })
    await expect(never).rejects.toMatchObject({ cause: { message: 'not yet' } })
  })
})
