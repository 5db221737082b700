// Roles with and without a second factor, where the instance requires one of staff: every route, every operation by
// .rpc(), and every channel of Realtime. New routes, operations and channels are tested automatically.
import { beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../../api-facade/generated/operations.ts'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { loadTables } from '../../../api-facade/lib/features.ts'
import { type Route, spellings } from '../../../api-facade/lib/routes.ts'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { rest } from '../../support/rest.ts'
import { environment } from '../../support/settings.ts'
import { totp } from '../../support/totp.ts'
import { world } from '../../support/world.ts'

type Role = 'user' | 'moderator' | 'admin'
type One = { role: Role; hasFactor: boolean; person: Person }

const roles: Role[] = ['user', 'moderator', 'admin']
const names = roles.flatMap((role) => [`${role}_with`, `${role}_without`])
const { admin, alice, database, join, stack, url } = await world({ people: ['alice'] })
const { owner } = database
const { ask, bearer } = rest(stack, alice)
const all: One[] = []

beforeAll(async () => {
  const people = await join(...names)
  for (const [n, person] of people.entries()) {
    const role = roles[Math.floor(n / 2)] as Role
    const hasFactor = n % 2 === 0
    if (role !== 'user') await admin.patch(`/admin/users/${names[n]}/role`, { role })
    const session = await person.login()
    all.push({ role, hasFactor, person: hasFactor ? await guarded(session) : session })
  }
  await owner`update app.settings set value = 'admin,moderator' where key = 'require_factor'`
  await owner`delete from private.proofs`
})

async function guarded(person: Person): Promise<Person> {
  await person.post('/auth/proof', { password: person.password })
  const { secret } = (await person.post<{ secret: string }>('/me/factors/totp')).body
  const { body } = await person.post<{ accessToken: string }>('/me/factors/totp/confirm', { code: totp(secret) })
  return person.withToken(body.accessToken)
}

const ranks = { user: 1, moderator: 2, admin: 3 }
/** The error that this person gets from a route with this access: its code, or undefined for none. */
const expectedOf = ({ role, hasFactor }: One, access: Role): string | undefined => {
  if (access === 'user') return
  if (ranks[role] < ranks[access]) return 'role_required'
  return hasFactor ? undefined : 'factor_missing'
}
const codes = ['role_required', 'factor_missing']
const nameOf = ({ role, hasFactor }: One) => `${role} ${hasFactor ? 'with' : 'without'} a factor`

const routes = spellings(await loadTables()).filter(({ row }) => row.access !== 'public')
const endsToken = ['/auth/logout', 'log_out']

/** Sends a request without the crawler, whose checks take half of the time. The role is checked before the body. */
async function codeOf({ person }: One, { method, path }: Route, body: string): Promise<string> {
  const at = path.replace(':kind', 'videos').replace(':key', 'none').replace(/:\w+/g, UNKNOWN)
  const answer = await fetch(`${url}/api/v1${at}`, {
    method,
    headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
    body: method === 'GET' ? null : body,
  })
  await answer.arrayBuffer()
  return answer.headers.get('x-error-code') ?? ''
}

test.each<[object, Role[]]>([
  [{}, []],
  [{ NODE_ENV: 'production' }, ['admin', 'moderator']],
  [{ NODE_ENV: 'production', REQUIRE_FACTOR: '' }, []],
  [{ NODE_ENV: 'production', REQUIRE_FACTOR: 'admin' }, ['admin']],
  [{ REQUIRE_FACTOR: 'moderator, user' }, ['moderator', 'user']],
])('With %j the roles that need a factor are %j', (env, required) => {
  expect(readConfig(environment(database.url, { ...env })).requireFactor).toEqual(required)
})

describe('Where staff need a second factor', () => {
  test('every route rejects staff without a second factor before it reads the input', async () => {
    const wrong: string[] = []
    for (const route of routes.filter(({ path }) => !endsToken.includes(path))) {
      await Promise.all(
        all.map(async (one) => {
          for (const body of route.row.access === 'user' ? ['{}'] : ['{}', '[', '{"reason": 1, "role": 2}']) {
            const code = await codeOf(one, route, body)
            const refused = codes.includes(code) ? code : undefined
            if (code === 'token_revoked' || refused !== expectedOf(one, route.row.access as Role))
              wrong.push(`${route.method} ${route.path} ${body}, ${nameOf(one)}: ${code}`)
          }
        }),
      )
    }
    expect(wrong).toEqual([])
  }, 300_000)

  test('no operation of staff runs by .rpc(), and operations of people run for staff without a factor', async () => {
    const ofStaff = new Set<string | undefined>(
      routes.flatMap(({ row }) => (row.access === 'user' ? [] : [row.operation, ...(row.calls ?? [])])),
    )
    const ofPeople = new Set(
      routes.flatMap(({ row }) => (row.access === 'user' && !row.pool && row.operation ? [row.operation] : [])),
    )
    expect(ofStaff.size).toBeGreaterThan(100)
    const wrong: string[] = []
    for (const operation of Object.keys(operations).filter((name) => !endsToken.includes(name))) {
      const parameters = Object.keys(operations[operation as keyof typeof operations])
      const body = JSON.stringify(Object.fromEntries(parameters.map((name) => [name, null])))
      await Promise.all(
        all.map(async (one) => {
          const headers = { ...bearer(one.person.token ?? '').headers, 'content-type': 'application/json' }
          const answer = await ask(`/rpc/${operation}`, { body, headers })
          const { code, message } = (answer.body || {}) as { code?: string; message?: string }
          const isDenied = code === '42501' && message?.startsWith('permission denied')
          const isWrong = ofStaff.has(operation)
            ? !isDenied && !codes.includes(message ?? '')
            : codes.includes(message ?? '') || (ofPeople.has(operation as never) && isDenied)
          if (isWrong || message === 'token_revoked') wrong.push(`${operation}, ${nameOf(one)}: ${code} ${message}`)
        }),
      )
    }
    expect(wrong).toEqual([])
  }, 300_000)

  test('no channel of Realtime is only for staff', async () => {
    const topics = await owner<{ prefix: string }[]>`select prefix from private.realtime_topics order by prefix`
    // the audience of a channel for staff must call private.has_needed_factor, and a line here must show it
    expect(topics.map(({ prefix }) => prefix)).toEqual(['conversation', 'feed', 'user'])
    const heard = async ({ person }: One, topic: string) => {
      const [, payload = ''] = (person.token ?? '').split('.')
      const claims = Buffer.from(payload, 'base64url').toString()
      const [row] = await owner.begin(async (sql) => {
        await sql`select set_config('request.jwt.claims', ${claims}, true)`
        return sql<{ may: boolean }[]>`select private.may_listen(${topic}) as may`
      })
      return row?.may
    }
    for (const one of all) {
      expect(await heard(one, `user:${one.person.id}`), nameOf(one)).toBe(true)
      for (const topic of [`user:${alice.id}`, `conversation:${UNKNOWN}`, 'staff:cases'])
        expect(await heard(one, topic), `${nameOf(one)}, ${topic}`).toBe(false)
    }
  })

  test('staff without a second factor can log in, add one, and continue', async () => {
    const { person } = all.find(({ role, hasFactor }) => role === 'admin' && !hasFactor) as One
    const again = await person.login()
    expect(await again.get('/me')).toMatchObject({ status: 200 })
    expect(await again.get('/me/factors')).toMatchObject({ status: 200, body: { isRequired: true } })
    expect(await again.post('/posts', { body: 'as anybody' })).toMatchObject({ status: 201 })
    expect(await again.get('/admin/metrics')).toFailWith(403, 'factor_missing')
    const able = await guarded(again)
    expect(await able.get('/admin/metrics')).toMatchObject({ status: 200 })
    expect(await able.delete('/me/factors/totp')).toFailWith(409, 'factor_needed')
  })
})
