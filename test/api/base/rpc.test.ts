// `.rpc()` with the real supabase-js client: the same operations with the same token as over HTTP.
// PostgREST's documentation describes the answers: references/errors and references/transactions.
import { createClient } from '@supabase/supabase-js'
import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import { rest } from '../../support/rest.ts'
import { world } from '../../support/world.ts'

const { alice, bob, stack } = await world({ people: ['alice', 'bob'] })
const { client, ask } = rest(stack, alice)

const me = client(alice.token)

describe('A call by .rpc()', () => {
  test('returns the same JSON as the HTTP API', async () => {
    expect(await me.rpc('get_me')).toMatchObject({ status: 200, error: null, data: (await alice.get('/me')).body })
    const catalog = await me.rpc('get_catalog', { p_level: 1 })
    expect(catalog.data).toEqual((await alice.get('/interests/catalog?level=1')).body)
    expect(me.last.headers.get('content-type')).toMatch(/^application\/json/)
  })

  test('writes as the caller, with JSON of every kind as arguments', async () => {
    const { data } = await me.rpc('create_post', { p_body: '“quoted” \\ ; drop table', p_depth: 2, p_interest_ids: [] })
    expect((await bob.get(`/posts/${data?.id}`)).body).toMatchObject({
      authorId: alice.actorId,
      body: '“quoted” \\ ; drop table',
      depth: 2,
    })
  })

  test('can read over GET, but not write', async () => {
    const { data } = await me.rpc('get_catalog', { p_level: 1 }, { get: true })
    expect(data).toEqual((await me.rpc('get_catalog', { p_level: 1 })).data)
    expect(await me.rpc('get_me', undefined, { head: true })).toMatchObject({ status: 200, data: null })
    const write = await me.rpc('create_post', { p_body: 'by a link' }, { get: true })
    expect(write).toMatchObject({ status: 405, error: { code: '25006' } })
  })

  test('shows only the applied notifications over GET, and first applies pending effects over POST', async () => {
    const { data: post } = await me.rpc('create_post', { p_body: 'for a heart' })
    await client(bob.token).rpc('react', { p_id: post?.id ?? '', p_kind: 'heart' })
    const count = async (get: boolean) => (await me.rpc('count_unread', undefined, { get })).data?.count
    const before = await count(true)
    expect(await count(false)).toBe((before ?? 0) + 1)
  })

  test('that is rejected has the error code as message and its text as details', async () => {
    const { status, error } = await me.rpc('pay', { p_emotion: 'love', p_tier: 9, p_receiver_id: bob.username })
    const over = await alice.post('/economy/pay', { emotion: 'love', tier: 0, receiverId: 'nobody_has_this_name' })
    expect({ status, error }).toMatchObject({
      status: 422,
      error: { code: 'PT422', message: 'tier_unknown', hint: null },
    })
    const same = await me.rpc('pay', { p_emotion: 'love', p_tier: 0, p_receiver_id: 'nobody_has_this_name' })
    expect(same).toMatchObject({
      status: over.status,
      error: {
        code: `PT${over.status}`,
        message: over.headers.get('x-error-code'),
        details: (over.body as { message: string[] }).message[0],
      },
    })
  })

  test('is replayed for the same Idempotency-Key, with the header that says so', async () => {
    const pay = () =>
      me
        .rpc('pay', { p_emotion: 'love', p_tier: 0, p_receiver_id: bob.username })
        .setHeader('Idempotency-Key', 'paid once')
    const first = await pay()
    expect(first.error).toBeNull()
    expect(me.last.headers.get('idempotency-replayed')).toBeNull()
    expect(await pay()).toMatchObject({ status: first.status, data: first.data })
    expect(me.last.headers.get('idempotency-replayed')).toBe('true')
  })

  test('gives the same 404 for a hidden post as for an unknown one', async () => {
    const { body } = await bob.post<{ id: string }>('/posts', { body: 'for my circles', visibility: 'circles' })
    const hidden = await me.rpc('get_post', { p_id: body.id })
    expect(hidden).toMatchObject({ status: 404, error: { code: 'PT404', message: 'post_unknown' } })
    expect(await me.rpc('get_post', { p_id: UNKNOWN })).toEqual(hidden)
  })

  test('rejects an argument of the wrong type with 400', async () => {
    expect(await me.rpc('get_post', { p_id: 'no uuid' })).toMatchObject({ status: 400, error: { code: '22P02' } })
  })
})

describe('.rpc() rejects', () => {
  test.each([
    ['find_login', { p_email: 'admin@example.org' }],
    ['log_in', { p_user_id: UNKNOWN, p_password_hash: 'x', p_seconds: 1 }],
    [
      'register',
      {
        p_session_id: UNKNOWN,
        p_email: 'x',
        p_password_hash: 'x',
        p_first_name: 'x',
        p_last_name: 'x',
        p_date_of_birth: '1990-01-01',
        p_country: 'DE',
        p_city: 'x',
        p_seconds: 1,
      },
    ],
  ] as const)('%s, which only the gate’s role can call', async (operation, given) => {
    const denied = { code: '42501', message: `permission denied for function ${operation}` }
    const tried = [client(), me, client(undefined, stack.serviceRoleKey)].map((who) =>
      who.rpc(operation as 'get_me', given as never),
    )
    const [anon, person, service] = await Promise.all(tried)
    expect(anon).toMatchObject({ status: 401, error: denied })
    expect(person).toMatchObject({ status: 403, error: denied })
    expect(service).toMatchObject({ status: 403, error: denied })
  })

  test('staff operations, for ordinary people and for the service key without a person', async () => {
    const generate = (who: ReturnType<typeof client>) => who.rpc('generate_invite_codes', { p_count: 1 })
    expect(await generate(me)).toMatchObject({ status: 403, error: { code: '42501' } })
    const service = await generate(client(undefined, stack.serviceRoleKey))
    expect(service).toMatchObject({ status: 403, error: { code: 'PT403', message: 'role_required' } })
  })

  test('every call without a token', async () => {
    expect(await client().rpc('list_feed')).toMatchObject({ status: 401, error: { code: '42501' } })
  })

  test.each([
    ['an unknown name', 'get_nothing', {}, ' without parameters'],
    ['an extra argument', 'get_me', { p_x: 1 }, '(p_x)'],
    ['a missing argument', 'get_post', {}, ' without parameters'],
    ['a helper in another schema', 'private.check_caller', {}, ' without parameters'],
    ['a name that is SQL', 'get_me() from pg_sleep(9); select api.get_me', {}, ' without parameters'],
    ['an argument that is SQL', 'get_post', { 'p_id => null); select (1': 1 }, '(p_id => null); select (1)'],
    ['another letter case', 'GET_ME', {}, ' without parameters'],
  ])('%s, as a function that does not exist', async (_what, operation, given, how) => {
    expect(await me.rpc(operation as 'get_me', given as never)).toMatchObject({
      status: 404,
      error: { code: 'PGRST202', message: `Could not find the function api.${operation}${how} in the schema cache` },
    })
  })

  test('other schemas, tables, and other methods', async () => {
    const other = createClient(stack.url, stack.anonKey, { accessToken: async () => alice.token ?? '' })
    expect(await other.rpc('get_me')).toMatchObject({
      status: 406,
      error: { code: 'PGRST106', message: 'Invalid schema: public' },
    })
    expect(await other.schema('app').rpc('uid')).toMatchObject({ status: 406, error: { code: 'PGRST106' } })
    expect((await me.from('users' as never).select()).status).toBe(404)
    const put = await ask('/rpc/get_me', { method: 'PUT', body: '{}' })
    expect(put).toMatchObject({ status: 405, body: { code: 'PGRST101' } })
  })

  test('a body that is not a JSON object, and a request for another format', async () => {
    for (const body of ['{', '[]x', ''])
      expect(await ask('/rpc/get_post', { body }), body).toMatchObject(
        body ? { status: 400, body: { code: 'PGRST102' } } : { status: 404 },
      )
    const text = { apikey: stack.anonKey, authorization: `Bearer ${alice.token}`, 'content-type': 'image/png' }
    expect(await ask('/rpc/get_me', { headers: text, body: 'x' })).toMatchObject({
      status: 400,
      body: { code: 'PGRST102' },
    })
    const csv = { ...text, 'content-type': 'application/json', accept: 'image/png' }
    expect(await ask('/rpc/get_me', { headers: csv, body: '{}' })).toMatchObject({
      status: 406,
      body: { code: 'PGRST107' },
    })
  })
})
