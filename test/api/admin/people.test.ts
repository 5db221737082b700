// Admins ban and unban people and change roles over HTTP. For the single rules see test/db/admin/people.sql.
import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { publish } from '../../support/posts.ts'
import { rest } from '../../support/rest.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, nobody, database, stack, join } = await world()
await database.owner`update app.users set role = 'moderator' where username = 'bob'`
const moderator = await bob.login()
const { ask, bearer } = rest(stack, alice)

type Account = { id: string; user: { username: string }; role: string; bannedAt: string | null }
type Session = { accessToken: string; refreshToken: string }

const one = async (name: string) => (await join(name))[0] as Person
const logIn = ({ email, password }: Person) =>
  nobody.post<Session>('/auth/login', { email, password, session: 'rotating' })
const ban = (path: string, by = admin) => by.post<Account>(`/admin/users/${path}/ban`, { reason: 'Spam' })
const unban = (path: string, by = admin) => by.post<Account>(`/admin/users/${path}/unban`)
const setRole = (path: string, role: string, by = admin) => by.patch<Account>(`/admin/users/${path}/role`, { role })
const entries = () => database.owner<{ action: string; target_id: string; ip: string; detail: unknown }[]>`
  select l.action, l.target_id, d.ip, d.detail
  from app.audit_log l join app.audit_details d on d.audit_id = l.id
  where l.actor_id = ${admin.id} and l.target_type = 'user' and l.action like 'user.%' order by l.id`

describe.each([
  ['POST', 'ban', { reason: 'Spam' }, [{}, { reason: '' }, { reason: 'x'.repeat(1001) }, { reason: 7 }]],
  ['POST', 'unban', { reason: 'A mistake' }, [{ reason: 'x'.repeat(1001) }, { reason: 7 }]],
  ['PATCH', 'role', { role: 'moderator' }, [{}, { role: 'owner' }, { role: null }, { role: 'ADMIN' }]],
] as const)('%s /admin/users/:id/%s', (method, what, right, wrong) => {
  const path = (id: string) => `/admin/users/${id}/${what}`

  test('requires an admin, which it checks before it reads the body', async () => {
    for (const body of [right, '{', undefined]) {
      expect(await nobody.request(method, path('carla'), body)).toFailWith(401, 'token_missing')
      for (const person of [alice, moderator])
        expect(await person.request(method, path('carla'), body)).toFailWith(403, 'role_required')
    }
    expect(await entries()).toEqual([])
  })

  test.each(wrong)('rejects the body %j with 422', async (body) => {
    expect(await admin.request(method, path('carla'), body)).toFailWith(422, 'validation_failed')
  })

  test.each([UNKNOWN, 'zoe', 'acct:carla@elsewhere.example'])('answers 404 for %s', async (id) => {
    expect(await admin.request(method, path(id), right)).toFailWith(404, 'person_unknown')
  })
})

test.each([
  ['ban', { reason: 'Spam \u202e' }],
  ['unban', { reason: '\u200b' }],
])('The reason of a %s must be visible text without direction overrides', async (what, body) => {
  expect(await admin.post(`/admin/users/carla/${what}`, body)).toFailWith(422, 'text_unfit')
})

describe('A ban', async () => {
  const dora = await one('dora')
  const session = (await logIn(dora)).body
  const post = await publish(dora)
  const { body: invite } = await dora.post<{ code: string }>('/me/invites')

  test('revokes the person’s tokens on every interface immediately, and hides what they published', async () => {
    const answer = await ban('dora')
    expect(answer).toMatchObject({
      status: 200,
      body: { id: dora.id, user: { username: 'dora' }, role: 'user', bannedAt: expect.any(String) },
    })
    for (const token of [dora.token ?? '', session.accessToken]) {
      expect(await dora.withToken(token).get('/me')).toFailWith(401, 'token_revoked')
      expect(await ask('/rpc/get_me', bearer(token))).toMatchObject({ status: 401, body: { message: 'token_revoked' } })
    }
    const { refreshToken } = session
    expect(await nobody.post('/identity/refresh', { refreshToken })).toFailWith(401, 'refresh_token_invalid')
    expect(await logIn(dora)).toFailWith(403, 'person_banned')
    expect(await alice.get(`/posts/${post}`)).toFailWith(404, 'post_unknown')
    expect(await alice.get('/users/dora')).toFailWith(404, 'person_unknown')
    expect((await nobody.post('/auth/reserve-invite', { code: invite.code })).status).toBe(410)
  })

  test('happens once, whatever the spelling of the name, and leaves one audit entry with reason and address', async () => {
    const [first] = await Promise.all(['@dora@localhost', dora.id, 'dora'].map((id) => ban(id)))
    expect(first?.status).toBe(200)
    const again = await admin.post<Account>('/admin/users/dora/ban', { reason: 'Twice' })
    expect(again.body).toEqual(first?.body)
    const detail = { reason: 'Spam' }
    expect(await entries()).toEqual([{ action: 'user.banned', target_id: dora.id, ip: '127.0.0.1', detail }])
  })

  test('can be lifted, and tokens from before it stay revoked', async () => {
    expect(await unban(dora.id)).toMatchObject({ status: 200, body: { id: dora.id, bannedAt: null } })
    expect(await unban('dora')).toMatchObject({ status: 200, body: { id: dora.id, bannedAt: null } })
    expect(await dora.get('/me')).toFailWith(401, 'token_revoked')
    const { refreshToken } = session
    expect(await nobody.post('/identity/refresh', { refreshToken })).toFailWith(401, 'refresh_token_invalid')
    expect(await (await dora.login()).get('/me')).toMatchObject({ status: 200 })
    expect(await alice.get(`/posts/${post}`)).toMatchObject({ status: 200 })
    expect((await entries()).map(({ action }) => action)).toEqual(['user.banned', 'user.unbanned'])
  })

  test('of oneself is rejected, and another admin can be banned only after losing the role', async () => {
    expect(await ban(admin.id)).toFailWith(400, 'ban_oneself')
    const eve = await one('eve')
    await setRole('eve', 'admin')
    expect(await ban('eve')).toFailWith(409, 'ban_admin')
    await setRole('eve', 'moderator')
    expect(await ban('eve')).toMatchObject({ status: 200, body: { id: eve.id, role: 'moderator' } })
    expect(await unban('eve')).toMatchObject({ body: { role: 'moderator', bannedAt: null } })
  })

  test.each(['before it', 'after it'])('invalidates the token of a concurrent login that runs %s', async (order) => {
    const person = await one(`racer${order.length}`)
    const [login] = await Promise.all(
      order === 'before it' ? [logIn(person), ban(person.id)] : [ban(person.id), logIn(person)].reverse(),
    )
    const { accessToken } = (login as Awaited<ReturnType<typeof logIn>>).body
    await unban(person.id)
    if (accessToken) expect(await person.withToken(accessToken).get('/me')).toFailWith(401, 'token_revoked')
    expect(await (await person.login()).get('/me')).toMatchObject({ status: 200 })
  })
})

describe('A role', () => {
  test('can be given and taken, which revokes the tokens with the old role', async () => {
    const given = await setRole('carla', 'moderator')
    expect(given).toMatchObject({ status: 200, body: { id: carla.id, role: 'moderator', bannedAt: null } })
    expect(await carla.get('/me')).toFailWith(401, 'token_revoked')
    const staff = await carla.login()
    expect((await staff.get('/admin/reputation/appeals')).status).toBe(200)
    const before = await entries()
    expect((await setRole(carla.id, 'moderator')).body).toEqual(given.body)
    expect((await staff.get('/me')).status).toBe(200) // giving the same role again revokes nothing
    expect(await entries()).toEqual(before)

    await setRole('carla', 'user')
    expect(await staff.get('/admin/reputation/appeals')).toFailWith(401, 'token_revoked')
    // the person again has the role that the token names
    expect(await carla.get('/me')).toFailWith(401, 'token_revoked')
    const plain = await carla.login()
    expect(await plain.get('/admin/reputation/appeals')).toFailWith(403, 'role_required')
    const target = { target_id: carla.id, ip: '127.0.0.1', action: 'user.role_changed' }
    expect((await entries()).slice(-2)).toEqual([
      { ...target, detail: { from: 'user', to: 'moderator' } },
      { ...target, detail: { from: 'moderator', to: 'user' } },
    ])
  })

  test('cannot be changed by oneself, nor taken from the last admin', async () => {
    for (const role of ['user', 'moderator']) expect(await setRole(admin.id, role)).toFailWith(409, 'last_admin')
    expect(await setRole(admin.id, 'admin')).toMatchObject({ status: 200 })
    const frank = await one('frank')
    await setRole('frank', 'admin')
    expect(await setRole(admin.id, 'user')).toFailWith(400, 'role_own')
    await setRole('frank', 'user')
    expect(await setRole(admin.id, 'user')).toFailWith(409, 'last_admin')
    expect(await frank.get('/me')).toFailWith(401, 'token_revoked')
  })

  test('of admin stays with one of two admins who take it from each other concurrently', async () => {
    const [gina, hans] = [await one('gina'), await one('hans')]
    for (let round = 0; round < 5; round++) {
      await database.owner`update app.users set role = 'admin' where id in (${gina.id}, ${hans.id})`
      const [first, second] = [await gina.login(), await hans.login()]
      const answers = await Promise.all([setRole(hans.id, 'user', first), setRole(gina.id, 'user', second)])
      // 403 if the role was taken between the token check and the operation
      expect(answers.map(({ status }) => status).sort()).toEqual([200, expect.toBeOneOf([401, 403])])
      const left = await database.owner`select from app.users where id in (${gina.id}, ${hans.id}) and role = 'admin'`
      expect(left).toHaveLength(1)
    }
  })
})

test('If the last two admins erase themselves concurrently, one of them remains and cannot be erased', async () => {
  const { admin: first, join } = await world({ people: [] })
  const [frank] = (await join('frank')) as [Person]
  await first.patch('/admin/users/frank/role', { role: 'admin' })
  const admins = [first, await frank.login()]
  const go = (person: Person) => person.post('/me/delete', { password: person.password })
  const answers = await Promise.all(admins.map(go))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  const last = admins[answers.findIndex(({ status }) => status === 409)] as Person
  expect(await go(last)).toFailWith(409, 'last_admin')
  expect(await last.get('/me')).toMatchObject({ status: 200, body: { role: 'admin' } })
})
