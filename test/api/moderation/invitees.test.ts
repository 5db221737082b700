// The people whom one person invited, and one action against many of them at once. For the single rules see
// test/db/moderation.
import { describe, expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, nobody, database, join } = await world()
const { owner } = database
await owner`update app.users set role = 'moderator' where username = 'carla'`
const moderator = await carla.login()

type Account = { id: string; bannedAt: string | null; suspendedUntil: string | null; limitedAt: string | null }
type Standing = { state: string; strikes: number; decisions: { action: string; reason: string; category: string }[] }

/** New people whom `inviter` invited. */
async function puppets(inviter: Person, ...names: string[]): Promise<Person[]> {
  const people = await join(...names)
  const ids = people.map(({ id }) => id)
  await owner`update app.invite_tree set inviter_id = ${inviter.id} where invitee_id = any (${ids})`
  return people
}

const path = (whose: string) => `/admin/users/${whose}/invitees/actions`
const act = (whose: string, people: (Person | string)[], more: object = {}, by = admin) =>
  by.post<{ items: Account[] }>(path(whose), {
    action: 'ban',
    people: people.map((one) => (typeof one === 'string' ? one : one.id)),
    reason: 'Puppets',
    ...more,
  })
const logIn = ({ email, password }: Person) => nobody.post('/auth/login', { email, password })
const standingOf = async ({ email, password }: Person) =>
  (await nobody.post<Standing>('/auth/standing', { email, password })).body
/** The audit entries and the decisions about these people. */
async function traces(people: Person[]) {
  const ids = people.map(({ id }) => id)
  const entries = await owner<{ action: string; target_id: string; actor_id: string; reason: string }[]>`
    select l.action, l.target_id, l.actor_id, d.detail ->> 'reason' as reason
    from app.audit_log l join app.audit_details d on d.audit_id = l.id
    where l.target_type = 'user' and l.target_id = any (${ids}) order by l.target_id`
  const decided = await owner<{ action: string }[]>`select action from app.decisions where person_id = any (${ids})`
  return { entries: [...entries], decided: decided.map(({ action }) => action) }
}

describe('GET /admin/users/:id/invitees', () => {
  test('lists the people whom a person invited, newest first, with their strikes', async () => {
    const [ada] = (await puppets(alice, 'ada')) as [Person]
    const [ben] = (await puppets(alice, 'ben')) as [Person]
    await puppets(ben, 'cleo')
    expect(await act('alice', [ada], { action: 'limit', category: 'spam' })).toMatchObject({ status: 200 })
    for (const who of ['alice', alice.id, alice.actorId]) {
      const list = await moderator.get<{ items: object[] }>(`/admin/users/${who}/invitees`)
      expect(list).toMatchObject({
        status: 200,
        body: {
          items: [
            { id: ben.id, user: { username: 'ben' }, inviteeCount: 1, strikes: 0, limitedAt: null },
            { id: ada.id, user: { username: 'ada' }, inviteeCount: 0, strikes: 1, limitedAt: expect.any(String) },
          ],
        },
      })
      expect(list.body.items).toHaveLength(2)
    }
    const found = await moderator.get<{ items: object[] }>('/admin/users/alice/invitees?q=ada')
    expect(found.body.items).toMatchObject([{ id: ada.id }])
  })

  test('is for staff, and answers 404 for a person who does not exist', async () => {
    expect(await nobody.get('/admin/users/alice/invitees')).toFailWith(401, 'token_missing')
    expect(await alice.get('/admin/users/alice/invitees')).toFailWith(403, 'role_required')
    for (const id of [UNKNOWN, 'zoe', 'acct:alice@elsewhere.example'])
      expect(await moderator.get(`/admin/users/${id}/invitees`)).toFailWith(404, 'person_unknown')
    expect(await moderator.get('/admin/users/alice/invitees?limit=0')).toFailWith(422, 'validation_failed')
  })
})

describe('POST /admin/users/:id/invitees/actions', async () => {
  const people = (await puppets(bob, 'dan', 'eli')) as [Person, Person]

  test('is for admins', async () => {
    for (const body of [{ action: 'ban', people: ['dan'], reason: 'x' }, undefined]) {
      expect(await nobody.post(path('bob'), body)).toFailWith(401, 'token_missing')
      expect(await alice.post(path('bob'), body)).toFailWith(403, 'role_required')
      expect(await moderator.post(path('bob'), body)).toFailWith(403, 'role_required')
    }
  })

  test('answers 422 for an invalid body', async () => {
    const until = new Date(Date.now() + 86_400_000).toISOString()
    for (const wrong of [
      { action: 'warn' },
      { action: undefined },
      { people: [] },
      { people: 'dan' },
      { people: Array.from({ length: 51 }, (_, n) => `dan${n}`) },
      { reason: ' ' },
      { reason: 'x'.repeat(1001) },
      { action: 'suspend', until: 'soon' },
    ])
      expect(await act('bob', people, wrong)).toFailWith(422, 'validation_failed')
    expect(await act('bob', ['dan', people[0]])).toFailWith(422, 'invitees_chosen')
    expect(await act('bob', people, { action: 'suspend' })).toFailWith(422, 'case_until')
    expect(await act('bob', people, { until })).toFailWith(422, 'case_until')
    const past = new Date(Date.now() - 1000).toISOString()
    expect(await act('bob', people, { action: 'suspend', until: past })).toFailWith(422, 'until_past')
    expect(await act('bob', people, { category: 'bad' })).toFailWith(422, 'category_unknown')
  })

  test('does nothing if one of them cannot be acted on', async () => {
    const [other] = (await puppets(alice, 'finn')) as [Person]
    const [chief] = (await puppets(bob, 'gail')) as [Person]
    await owner`update app.users set role = 'admin' where id = ${chief.id}`
    expect(await act(UNKNOWN, people)).toFailWith(404, 'person_unknown')
    expect(await act('bob', [...people, UNKNOWN])).toFailWith(404, 'person_unknown')
    expect(await act('bob', [...people, other])).toFailWith(404, 'invitee_unknown')
    expect(await act('alice', people)).toFailWith(404, 'invitee_unknown')
    expect(await act('bob', [...people, chief])).toFailWith(409, 'ban_admin')
    expect(await act('bob', [...people, chief], { action: 'limit' })).toFailWith(409, 'limit_admin')
    expect(await traces([...people, other, chief])).toEqual({ entries: [], decided: [] })
    for (const person of people) {
      expect(await person.get('/me')).toMatchObject({ status: 200 })
      expect(await standingOf(person)).toMatchObject({ state: 'active', decisions: [] })
    }
  })

  test('suspends all of them, and each reads the reason', async () => {
    const until = new Date(Date.now() + 86_400_000).toISOString()
    const acted = await act('bob', people, { action: 'suspend', until, category: 'spam' })
    const suspended = people.map(({ id }) => ({ id, suspendedUntil: until })).sort((a, b) => (a.id < b.id ? -1 : 1))
    expect(acted).toMatchObject({ status: 200, body: { items: suspended } })
    for (const person of people) {
      expect(await person.get('/me')).toFailWith(401, 'token_revoked')
      expect(await logIn(person)).toFailWith(403, 'person_suspended')
      const decision = { action: 'suspend', reason: 'Puppets', category: 'spam', endsAt: until }
      expect(await standingOf(person)).toMatchObject({ state: 'suspended', strikes: 1, decisions: [decision] })
    }
    expect(await traces(people)).toEqual({
      entries: suspended.map(({ id }) => ({
        action: 'user.suspended',
        target_id: id,
        actor_id: admin.id,
        reason: 'Puppets',
      })),
      decided: ['suspend', 'suspend'],
    })
  })

  test('bans each person once if two admins ban overlapping lists of people at the same time', async () => {
    const crowd = await puppets(bob, 'hal', 'ida', 'jon', 'kim', 'lea', 'max')
    await owner`update app.users set role = 'admin' where id = ${alice.id}`
    const second = await alice.login()
    const [here, there] = [crowd.slice(0, 4), crowd.slice(2).reverse()]
    const answers = await Promise.all([act('bob', here), act('bob', there, {}, second)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    for (const person of crowd) {
      expect(await logIn(person)).toFailWith(403, 'person_banned')
      expect(await standingOf(person)).toMatchObject({ state: 'banned', decisions: [{ action: 'ban' }] })
    }
    const { entries, decided } = await traces(crowd)
    expect(entries.map(({ target_id }) => target_id)).toEqual(crowd.map(({ id }) => id).sort())
    expect(decided).toHaveLength(crowd.length)
    const [row] = await owner`select deadlocks::int from pg_stat_database where datname = current_database()`
    expect(row).toEqual({ deadlocks: 0 })
  })
})
