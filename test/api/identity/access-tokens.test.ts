// Access tokens with scopes over HTTP and by .rpc(): what each scope allows, and what ends a token.
import { describe, expect, test } from 'vitest'
import { operations } from '../../../api-facade/generated/operations.ts'
import { accessTokenOf, isAccessToken } from '../../../api-facade/lib/access-tokens.ts'
import { areas } from '../../../api-facade/lib/areas.ts'
import { loadTables } from '../../../api-facade/lib/features.ts'
import { spellings } from '../../../api-facade/lib/routes.ts'
import { scopeOf } from '../../../api-facade/lib/scopes.ts'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { rest } from '../../support/rest.ts'
import { world } from '../../support/world.ts'

type Made = { id: string; token: string; scopes: string[] }
const { admin, nobody, alice, bob, database, stack, url } = await world({ people: ['alice', 'bob'] })
const { ask, bearer } = rest(stack, alice)
const all = Object.keys(areas).flatMap((area) => [`${area}:read`, `${area}:write`])

/** Makes an access token of a person. */
async function make(one: Person, scopes: string[], more: object = {}): Promise<Person & { made: Made }> {
  const { status, body } = await one.post<Made>('/me/tokens', { name: 'a program', scopes, ...more })
  expect(status).toBe(201)
  return Object.assign(one.withToken(body.token), { made: body })
}
const codeOf = ({ headers }: { headers: Headers }) => headers.get('x-error-code')
const refused = ['scope_missing', 'session_required']

describe('Every operation', async () => {
  const routes = spellings(await loadTables()).filter(({ row, alias }) => !alias && row.access !== 'public')

  test('requires its scope, over HTTP and by .rpc()', async () => {
    const whole = await make(admin, all)
    const only = new Map<string, Person>()
    const without = new Map<string, Person>()
    for (const scope of all) {
      only.set(scope, await make(scope.startsWith('staff:') ? admin : alice, [scope]))
      without.set(scope, await make(scope.startsWith('staff:') ? admin : bob, allBut(scope)))
    }
    const wrong: string[] = []
    for (const route of routes) {
      const scope = scopeOf(route)
      const path = route.path.replace(/:[^/]+/g, UNKNOWN)
      // don't use the crawler here, because it identifies people by JWTs
      const send = async (one: Person) =>
        codeOf(
          await fetch(`${url}/api/v1${path}`, {
            method: route.method,
            headers: { authorization: `Bearer ${one.token}`, 'content-type': 'application/json' },
            body: route.method === 'GET' ? null : '{}',
          }),
        )
      const note = (what: string) => wrong.push(`${route.method} ${route.path}: ${what}`)
      if (scope === undefined && (await send(whole)) !== 'session_required') note('a token is not refused')
      if (scope === null && refused.includes((await send(only.get('posts:read') as Person)) ?? ''))
        note('needs a scope')
      if (!scope) continue
      if (refused.includes((await send(only.get(scope) as Person)) ?? '')) note('refused with its scope')
      if ((await send(without.get(scope) as Person)) !== 'scope_missing') note('not refused without its scope')
      const { operation } = route.row
      if (!operation || route.row.access !== 'user' || route.row.pool) continue
      const body = JSON.stringify(Object.fromEntries(Object.keys(operations[operation]).map((name) => [name, null])))
      const call = async (one: Person) =>
        (
          await ask(`/rpc/${operation}`, {
            body,
            headers: { ...bearer(one.token ?? '').headers, 'content-type': 'application/json' },
          })
        ).body
      if (refused.includes((await call(only.get(scope) as Person))?.message)) note('refused with its scope by .rpc()')
      if ((await call(without.get(scope) as Person))?.message !== 'scope_missing') note('not refused by .rpc()')
    }
    expect(wrong).toEqual([])
  }, 240_000)
  const allBut = (scope: string) =>
    all.filter((other) => other !== scope && (scope.startsWith('staff:') || !other.startsWith('staff:')))
})

describe('An access token', () => {
  test('is shown once, and again if the request is repeated with its key', async () => {
    const one = alice
    const headers = { 'idempotency-key': 'make a token' }
    const body = { name: ' a calendar ', scopes: ['contents:read', 'posts:read'], expiresAt: '2026-12-31T00:00:00Z' }
    const first = await one.post<Made>('/me/tokens', body, headers)
    expect(first).toMatchObject({ status: 201, body: { name: 'a calendar', scopes: ['posts:read', 'contents:read'] } })
    expect(isAccessToken(first.body.token)).toBe(true)
    expect((await one.post<Made>('/me/tokens', body, headers)).body).toEqual(first.body)
    const { body: page } = await one.get<{ items: Made[] }>('/me/tokens')
    const { token: _, ...card } = first.body
    expect(page.items).toContainEqual(card)
    const [row] = await database.owner<{ text: string }[]>`
      select string_agg(t::text, '') || (select string_agg(k::text, '') from app.idempotency_keys k) as text
      from app.access_tokens t`
    expect(row?.text).not.toContain(first.body.token)
  })

  test('names the scope that is missing', async () => {
    const reader = await make(bob, ['posts:read'])
    const { status, headers, body } = await reader.post('/posts', { body: 'hello' })
    expect({ status, body }).toMatchObject({
      status: 403,
      body: { message: ['This needs the scope posts:write, which this access token does not have.'] },
    })
    expect(headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="posts:write"')
    const batch = await reader.post<{ responses: { status: number }[] }>('/batch', {
      requests: [
        { method: 'GET', path: '/api/v1/feed' },
        { method: 'GET', path: '/api/v1/conversations' },
      ],
    })
    expect(batch.body.responses.map(({ status }) => status)).toEqual([200, 403])
  })

  test('is not made with unknown scopes or an invalid expiry', async () => {
    const body = { name: 'x', scopes: ['posts:read'] }
    expect(await bob.post('/me/tokens', { ...body, scopes: ['posts:see'] })).toFailWith(422, 'scope_unknown')
    expect(await bob.post('/me/tokens', { ...body, scopes: ['staff:read'] })).toFailWith(403, 'role_required')
    for (const expiresAt of ['2020-01-01T00:00:00Z', '2099-01-01T00:00:00Z'])
      expect(await bob.post('/me/tokens', { ...body, expiresAt })).toFailWith(422, 'access_token_expiry')
  })

  test('can be exchanged for a JWT, and both end immediately', async () => {
    const program = await make(bob, ['posts:read'])
    const { body } = await program.post<{ accessToken: string; expiresIn: number }>('/auth/token')
    expect(body.expiresIn).toBeLessThanOrEqual(960)
    const short = bob.withToken(body.accessToken)
    expect(await short.get('/feed')).toMatchObject({ status: 200 })
    expect(await short.get('/conversations')).toFailWith(403, 'scope_missing')
    expect(await bob.post('/auth/token')).toFailWith(403, 'access_token_required')
    expect(await alice.delete(`/me/tokens/${program.made.id}`)).toFailWith(404, 'access_token_unknown')
    expect(await bob.delete(`/me/tokens/${program.made.id}`)).toMatchObject({ status: 204 })
    for (const one of [program, short]) expect(await one.get('/feed')).toFailWith(401, 'token_revoked')
  })

  test('that the facade did not issue is rejected', async () => {
    const stranger = accessTokenOf('kith_pat_', Buffer.alloc(32, 7))
    for (const token of [stranger, `${stranger.slice(0, -1)}x`, 'kith_pat_'])
      expect(await bob.withToken(token).get('/feed')).toFailWith(401, 'token_invalid')
    expect((await ask('/rpc/get_me', bearer(stranger))).status).toBe(401)
  })

  test('is not needed to read the scopes', async () => {
    const { body } = await nobody.get<{ items: { scope: string }[] }>('/scopes')
    expect(body.items.map(({ scope }) => scope)).toEqual(all)
  })
})
