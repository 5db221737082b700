// Deleting one's account: every route, the password check, and concurrent requests. erasure-proof.test.ts proves that
// no data remains.
import { describe, expect, test } from 'vitest'
import { applicant } from '../../support/joining.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { bob, admin, nobody, database, join } = await world({ people: ['bob'], env: { POOL_USER: '4' } })
const { owner } = database

describe.each([
  ['POST', '/me/delete', 200, 'gone_one'],
  ['POST', '/identity/me/delete', 200, 'gone_two'],
  ['DELETE', '/me', 204, 'gone_three'],
])('%s %s', (method, path, status, name) => {
  test('rejects a wrong password, a missing one, and a caller without a token', async () => {
    expect(await bob.request(method, path, { password: 'not his' })).toFailWith(403, 'password_wrong')
    expect(await bob.request(method, path, { password: '' })).toFailWith(403, 'password_wrong')
    for (const body of [undefined, {}, { password: 1 }, { password: null }]) {
      expect(await bob.request(method, path, body)).toFailWith(422, 'validation_failed')
    }
    expect(await nobody.request(method, path, { password: bob.password })).toFailWith(401, 'token_missing')
    expect(await bob.get('/me')).toMatchObject({ status: 200 })
  })

  test('erases the account and revokes every token, and frees the address but not the username', async () => {
    const [person] = await join(name)
    const other = await person?.login()
    const answer = await person?.request(method, path, { password: person.password })
    expect([answer?.status, answer?.body]).toEqual([status, status === 200 ? { erased: true } : null])
    for (const token of [person, other]) {
      expect(await token?.get('/me')).toFailWith(401, 'token_revoked')
      expect(await token?.request(method, path, { password: person?.password })).toFailWith(401, 'token_revoked')
    }
    const login = { email: person?.email, password: person?.password }
    expect(await nobody.post('/auth/login', login)).toFailWith(401, 'credentials_wrong')
    expect(await bob.get(`/users/${name}`)).toFailWith(404, 'person_unknown')
    const { items } = (await admin.post<{ items: { code: string }[] }>('/admin/invite-codes/generate', { count: 1 }))
      .body
    const reserved = await nobody.post<{ sessionId: string }>('/auth/reserve-invite', { code: items[0]?.code })
    const form = { ...applicant(name), sessionId: reserved.body.sessionId }
    const again = await nobody.post<{ user: { username: string } }>('/auth/register', form)
    expect([again.status, again.body.user.username]).toEqual([201, expect.stringMatching(`^${name}_\\d{1,4}$`)])
  })
})

test('Nobody can register an address of the kind that erased accounts get', async () => {
  const form = { ...applicant('sneaky'), sessionId: crypto.randomUUID(), email: 'deleted-1@Deleted.invalid' }
  expect(await nobody.post('/auth/register', form)).toFailWith(422, 'validation_failed')
})

test('Of concurrent erasures of one account exactly one succeeds, and the others get 401', async () => {
  const [person] = await join('eager')
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => person?.post('/me/delete', { password: person.password })),
  )
  expect(answers.map((answer) => answer?.status).sort()).toEqual([200, 401, 401, 401])
})

test('Ten people who share circles, follow and block each other can be erased concurrently', async () => {
  const people = await join(...Array.from({ length: 10 }, (_, n) => `tied_${n}`))
  const each = async (work: (one: Person, other: Person) => Promise<unknown>) => {
    for (const one of people) await Promise.all(people.map((other) => other !== one && work(one, other)))
  }
  const circles = new Map<Person, string>()
  for (const one of people) circles.set(one, (await one.post<{ id: string }>('/circles', { name: 'All' })).body.id)
  await each((one, other) => one.post(`/circles/me/${circles.get(one)}/members`, { memberId: other.username }))
  await each((one, other) => one.post(`/circles/users/${other.username}/follow`))
  await people[0]?.post('/users/tied_1/block')

  const answers = await Promise.all(people.map((one) => one.post('/me/delete', { password: one.password })))
  expect(answers.map(({ status }) => status)).toEqual(people.map(() => 200))
  const ids = owner(people.map(({ id }) => id))
  const [row] = await owner`
    select (select count(*)::int from app.circle_members where member_id in ${ids}) as members,
           (select count(*)::int from app.follows where follower_id in ${ids}) as follows,
           (select count(*)::int from app.audience where viewer_id in ${ids} and level < 3) as audience,
           private.job_check_audience() as wrong`
  expect(row).toEqual({ members: 0, follows: 0, audience: 0, wrong: 0 })
})
