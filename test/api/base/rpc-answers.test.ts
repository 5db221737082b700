// `.rpc()`: which tokens it accepts, and how it turns the results of operations into answers.
import { describe, expect, test } from 'vitest'
import { rest, signed } from '../../support/rest.ts'
import { JWT_SECRET } from '../../support/settings.ts'
import { world } from '../../support/world.ts'

const { alice, carla, database, stack, join } = await world({ people: ['alice', 'carla'] })
const { client, ask, bearer } = rest(stack, alice)
const me = client(alice.token)

describe('A token sent to .rpc()', () => {
  test('is rejected if it was revoked over HTTP', async () => {
    const [dora] = await join('dora')
    await dora?.post('/auth/logout')
    const dead = await client(dora?.token).rpc('get_me')
    expect(dead).toMatchObject({ status: 401, error: { code: 'PT401', message: 'token_revoked' } })
  })

  test('is rejected before anything else if it is invalid', async () => {
    const now = Math.floor(Date.now() / 1000)
    const claims = { sub: carla.id, email: carla.email, role: 'user', iat: now - 100, exp: now + 100 }
    const cases = [
      ['abc', 'PGRST301', 'Expected 3 parts in JWT; got 1'],
      [await signed(claims, `${JWT_SECRET}!`), 'PGRST301', 'No suitable key or wrong key type'],
      [await signed({ ...claims, exp: now - 60 }), 'PGRST303', 'JWT expired'],
      [await signed({ ...claims, iat: now + 90 }), 'PGRST303', 'JWT issued at future'],
    ] as const
    for (const [token, code, message] of cases) {
      const refused = await ask('/rpc/get_nothing', bearer(token))
      expect(refused).toMatchObject({ status: 401, body: { code, message, hint: null } })
      expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token"/)
    }
  })

  test('cannot claim a role that tokens don’t have', async () => {
    const exp = Math.floor(Date.now() / 1000) + 100
    const gate = await ask('/rpc/get_me', bearer(await signed({ role: 'gate', exp })))
    expect(gate).toMatchObject({
      status: 403,
      body: { code: '42501', message: 'permission denied to set role "gate"' },
    })
    const nobody = await ask('/rpc/get_me', bearer(await signed({ role: 'authenticated', exp })))
    expect(nobody).toMatchObject({ status: 401, body: { code: 'PT401', message: 'token_missing' } })
    const stale = await ask('/rpc/get_me', bearer(await signed({ sub: carla.id, role: 'admin', iat: exp - 100, exp })))
    expect(stale).toMatchObject({ status: 401, body: { code: 'PT401', message: 'token_revoked' } })
  })

  test('does not replace a valid apikey', async () => {
    const authorization = `Bearer ${alice.token}`
    const refused = await ask('/rpc/get_me', { headers: { apikey: alice.token ?? '', authorization } })
    expect(refused.status).toBe(401)
    expect(refused.body).toEqual({ message: expect.any(String) })
    expect((await ask('/rpc/get_me', { headers: {} })).status).toBe(401)
  })
})

describe('An operation called by .rpc()', async () => {
  const { owner } = database
  const make = (name: string, body: string) =>
    owner.unsafe(`create or replace function api.${name}(p_text text default null) returns json language plpgsql as $$
      begin ${body} end $$; grant execute on function api.${name} to authenticated;`)
  const run = (name: string, given: object = {}) => ask(`/rpc/${name}`, { body: JSON.stringify(given) })

  test('can return null', async () => {
    await make('test_null', 'return null;')
    expect(await me.rpc('test_null' as 'get_me')).toMatchObject({ status: 200, data: null, error: null })
    expect((await run('test_null')).body).toBeNull()
  })

  test('can set status and headers, and its writes are kept even if it rejects the request', async () => {
    await make(
      'test_refuse',
      `insert into app.settings values ('kept', 'yes') on conflict do nothing;
       perform set_config('response.headers', '[{"Retry-After": "7"}, {"X-Other": "b"}]', true);
       return private.error_response('insufficient_mana');`,
    )
    await owner`grant insert on app.settings to authenticated`
    await owner`create policy test on app.settings for insert to authenticated with check (true)`
    const refused = await run('test_refuse')
    expect(refused).toMatchObject({ status: 409, body: { code: 'PT409', message: 'insufficient_mana', hint: null } })
    expect([refused.headers.get('retry-after'), refused.headers.get('x-other')]).toEqual(['7', 'b'])
    expect(await owner`select value from app.settings where key = 'kept'`).toHaveLength(1)
    expect((await run('test_null')).status).toBe(200)
  })

  test.each([
    ['23505', 409],
    ['23503', 409],
    ['23514', 400],
    ['23502', 400],
    ['22003', 400],
    ['P0001', 400],
    ['P0002', 500],
    ['PT418', 418],
    ['40001', 500],
    ['42883', 404],
    ['42P01', 404],
    ['53300', 503],
    ['54001', 422],
    ['57014', 500],
    ['XX000', 500],
  ])('that raises %s answers %i', async (code, status) => {
    await make('test_raise', `raise exception using errcode = p_text, message = 'said', detail = 'more', hint = 'try';`)
    const body = { code, message: 'said', details: 'more', hint: 'try' }
    expect(await run('test_raise', { p_text: code })).toMatchObject({ status, body })
  })

  test('that is declared stable cannot write, whatever functions it calls', async () => {
    await make('test_stable', `perform private.emit('test.happened', '{}'); return null;`)
    await owner`alter function api.test_stable stable`
    expect(await run('test_stable')).toMatchObject({ status: 405, body: { code: '25006' } })
  })
})

test('A body nested more than 32 levels deep is rejected, whatever operation it is for', async () => {
  const nested = (levels: number) => `{"p_tab":${'['.repeat(levels)}${']'.repeat(levels)}}`
  for (const levels of [32, 10_000, 500_000]) {
    const refused = await ask('/rpc/list_feed', { body: nested(levels) })
    expect(refused).toMatchObject({ status: 422, body: { code: '54001', details: null, hint: null } })
  }
  expect(await ask('/rpc/list_feed', { body: nested(31) })).not.toMatchObject({ status: 422, body: { code: '54001' } })
})

describe('The rate limit per address', async () => {
  const few = await world({ people: ['eve'], env: { RATE_LIMITS: '{"global": "3/min"}', RATE_LIMIT_SCALE: '1' } })

  test('also counts calls to .rpc()', async () => {
    const call = () => fetch(`${few.stack.url}/rest/v1/rpc/get_me`, { method: 'POST', ...bearer(few.eve.token ?? '') })
    const answers = [await call(), await call(), await call(), await call()]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429])
    expect(answers[3]?.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(await answers[3]?.json()).toEqual({ message: 'API rate limit exceeded' })
  })
})
