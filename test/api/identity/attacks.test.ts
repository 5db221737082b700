// Attacks by somebody who has a token with scopes, a bot, or a session without a fresh proof.
import { describe, expect, test } from 'vitest'
import { areas } from '../../../api-facade/lib/areas.ts'
import { loadTables } from '../../../api-facade/lib/features.ts'
import { spellings } from '../../../api-facade/lib/routes.ts'
import { scopeOf } from '../../../api-facade/lib/scopes.ts'
import { Authenticator } from '../../support/authenticator.ts'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { rest } from '../../support/rest.ts'
import { totp } from '../../support/totp.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const ORIGIN = 'https://kith.example.org'
const { alice, bob, carla, nobody, database, stack, url } = await world({
  env: { PUBLIC_URL: ORIGIN, RATE_LIMIT_SCALE: '1000000', POOL_GATE: '4' },
})
const { owner } = database
const { ask, bearer } = rest(stack, alice)
type Made = { token: string }
const scopes = Object.keys(areas)
  .filter((area) => area !== 'staff')
  .flatMap((area) => [`${area}:read`, `${area}:write`])
const bot = (await alice.post<{ personId: string }>('/me/bots', { username: 'weather', firstName: 'Weather' })).body
const holders = {
  'a token with all scopes': (await alice.post<Made>('/me/tokens', { name: 'x', scopes })).body.token,
  'a bot with all scopes': (await alice.post<Made>(`/me/bots/${bot.personId}/tokens`, { name: 'x', scopes })).body
    .token,
}
const forgetStep = ({ id }: Person) => owner`update private.totp set last_step = 0 where user_id = ${id}`

describe.each(Object.entries(holders))('With %s', (_who, token) => {
  const holder = alice.withToken(token)

  test('no route that needs a login can be used: factors, sessions, tokens, bots, apps, proofs, erasure', async () => {
    const routes = spellings(await loadTables()).filter((route) => route.row.access !== 'public' && !scopeOf(route))
    const forLogins = routes.filter((route) => scopeOf(route) === undefined)
    expect(forLogins.length).toBeGreaterThan(30)
    const wrong: string[] = []
    for (const { method, path } of forLogins) {
      const answer = await fetch(`${url}/api/v1${path.replace(/:[^/]+/g, UNKNOWN)}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: method === 'GET' ? null : '{}',
      })
      if (answer.headers.get('x-error-code') !== 'session_required') wrong.push(`${method} ${path}: ${answer.status}`)
    }
    expect(wrong).toEqual([])
  })

  test('.rpc() calls only operations with a scope, even with the JWT for which the token was exchanged', async () => {
    const { body } = await holder.post<{ accessToken: string }>('/auth/token')
    const operations = await owner<{ name: string }[]>`
      select distinct p.proname as name from pg_proc p
      where p.pronamespace = 'api'::regnamespace
        and not exists (select from private.operation_scopes o where o.operation = p.proname)`
    expect(operations.length).toBeGreaterThan(30)
    const wrong: string[] = []
    for (const { name } of operations)
      for (const one of [token, body.accessToken]) {
        const answer = await ask(`/rpc/${name}`, { body: '{}', ...withJson(one) })
        // PostgREST finds no function for these parameters before it asks who calls
        const isRefused = [answer.body.message, answer.body.code].some((said) =>
          ['session_required', 'PGRST202'].includes(said),
        )
        if (answer.status < 400 || !isRefused) wrong.push(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`)
      }
    expect(wrong).toEqual([])
  })

  test('no table can be read or written', async () => {
    for (const table of ['access_tokens', 'users', 'sessions', 'apps', 'app_consents'])
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
        const body = method === 'GET' ? null : '{}'
        expect([405, 404], `${method} ${table}`).toContain(
          (await ask(`/${table}`, { method, body, ...withJson(token) })).status,
        )
      }
    const profile = { ...bearer(token).headers, 'content-type': 'application/json', 'content-profile': 'app' }
    expect(await ask('/rpc/get_me', { headers: profile, body: '{}' })).toMatchObject({ status: 406 })
  })
})
const withJson = (token: string) => ({ headers: { ...bearer(token).headers, 'content-type': 'application/json' } })

/** Holds a lock on the person's credentials, starts requests that wait for it, runs `before`, and releases the lock. */
async function waiting<T>(one: Person, before: () => Promise<unknown>, start: () => Promise<T>): Promise<T> {
  const { asked } = await owner.begin(async (sql) => {
    await sql`select from private.credentials where user_id = ${one.id} for update`
    const asked = start()
    await until(async () => {
      const rows = await owner`
        select from pg_stat_activity where datname = ${database.name} and wait_event_type = 'Lock'`
      return rows.length > 0
    })
    await before()
    return { asked } // begin() would await a bare promise while it holds the lock
  })
  return asked
}

describe('A second factor', async () => {
  await bob.post('/auth/proof', { password: bob.password })
  const { secret } = (await bob.post<{ secret: string }>('/me/factors/totp')).body
  type Confirmed = { accessToken: string; recoveryCodes: string[] }
  const { body } = await bob.post<Confirmed>('/me/factors/totp/confirm', { code: totp(secret) })
  const one = bob.withToken(body.accessToken)
  const { email, password } = bob
  const logIn = (more: object) => nobody.post<{ accessToken: string }>('/auth/login', { email, password, ...more })

  test('a code of the app and a recovery code are accepted once each, even by concurrent requests', async () => {
    for (const code of [totp(secret), body.recoveryCodes[0]]) {
      await forgetStep(bob)
      const answers = await Promise.all([
        logIn({ code }),
        one.post('/auth/proof', { code }),
        logIn({ code }),
        one.post('/auth/proof', { code }),
      ])
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 403)).toHaveLength(3)
    }
  })

  test('a code that was used is no proof in another session', async () => {
    await forgetStep(bob)
    const other = bob.withToken((await logIn({ code: body.recoveryCodes[1] })).body.accessToken)
    await owner`update private.proofs set proved_at = now() - interval '10 minutes' where user_id = ${bob.id}`
    const code = totp(secret)
    expect(await one.post('/auth/proof', { code })).toMatchObject({ status: 200 })
    expect(await other.post('/auth/proof', { code })).toFailWith(403, 'code_wrong')
    expect(await other.get('/me/export')).toFailWith(403, 'proof_required')
  })

  test('a code of the app is no proof in a request that waits while the app is removed', async () => {
    const key = new Authenticator(ORIGIN)
    await forgetStep(bob)
    await one.post('/auth/proof', { code: totp(secret) })
    const options = (await one.post<never>('/me/factors/passkeys/options')).body
    expect(await one.post('/me/factors/passkeys', { name: 'Phone', passkey: key.make(options) })).toMatchObject({
      status: 200,
    })
    const other = bob.withToken((await logIn({ code: body.recoveryCodes[2] })).body.accessToken)
    expect(await other.get('/me/export')).toMatchObject({ status: 200 })
    await forgetStep(bob)
    const code = totp(secret)
    const remove = () => owner`delete from private.totp where user_id = ${bob.id}`
    expect(await waiting(bob, remove, () => logIn({ code }))).toFailWith(403, 'code_wrong')
    expect(await other.post('/auth/proof', { code })).toFailWith(403, 'code_wrong')

    // a proof of one session is sent again in another session, which has its own challenge
    const asked = (await one.post<never>('/auth/proof/options')).body
    const signed = key.sign(asked)
    await other.post('/auth/proof/options')
    await owner`update private.proofs set proved_at = now() - interval '10 minutes' where user_id = ${bob.id}`
    expect(await one.post('/auth/proof', { passkey: signed })).toMatchObject({ status: 200 })
    expect(await other.post('/auth/proof', { passkey: signed })).toFailWith(403, 'passkey_wrong')
    expect(await other.get('/me/export')).toFailWith(403, 'proof_required')
  })
})

test('A token with scopes that is made while all tokens end is ended too', async () => {
  const end = () => owner`select private.end_tokens(${carla.id})`
  const made = carla.post<Made>('/me/tokens', { name: 'x', scopes: ['posts:read'] })
  await Promise.all([made, end()])
  const { body } = await made
  const alive = await owner`select from app.access_tokens where user_id = ${carla.id} and ended_at is null`
  // either the token was made first and then ended, or the session had ended and could not make a token
  expect(alive).toHaveLength(0)
  if (body.token) expect(await carla.withToken(body.token).get('/feed')).toFailWith(401, 'token_revoked')
})
