// Invitations into groups end when the inviter loses the right to invite: no list shows them, they admit nobody, and
// they stay invalid when the inviter regains the right. For sequences of steps see test/model/membership.test.ts.
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../api-facade/lib/config.ts'
import { startWorker } from '../../../api-facade/worker/worker.ts'
import type { Page } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { environment } from '../../support/settings.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, database, join } = await world()
const { owner } = database
const [dora, eve] = (await join('dora', 'eve')) as [Person, Person]

type Id = { id: string }
const newGroup = async (more: object = {}) =>
  (await alice.post<Id>('/groups', { name: 'Hunters', visibility: 'private', joinPolicy: 'open', ...more })).body.id
const invite = (who: Person, group: string, inviteeId: string) =>
  who.post<Id>(`/groups/${group}/invitations`, { inviteeId })
const invited = async (who: Person, group: string, inviteeId: string) => {
  const { status, text, body } = await invite(who, group, inviteeId)
  expect(status, text).toBe(201)
  return body.id
}
/** Makes a person a member, or a moderator if `role` says so. */
async function letIn(group: string, who: Person, role?: 'moderator') {
  const id = await invited(alice, group, who.username)
  expect((await who.post(`/groups/invitations/${id}/accept`)).status).toBe(200)
  if (role) expect((await alice.patch(`/groups/${group}/members/${who.username}`, { role })).status).toBe(200)
}
const change = async (group: string, changes: object) =>
  expect((await alice.patch(`/groups/${group}`, changes)).status).toBe(200)
const listed = async (who: Person, path: string) => (await who.get<Page<Id>>(path)).body.items.map(({ id }) => id)

const losses: [
  string,
  'moderator' | undefined,
  (group: string) => Promise<unknown>,
  (group: string) => Promise<unknown>,
][] = [
  [
    'a removed moderator',
    'moderator',
    (group) => alice.delete(`/groups/${group}/members/bob`),
    (group) => letIn(group, bob, 'moderator'),
  ],
  [
    'a banned moderator',
    'moderator',
    (group) => alice.delete(`/groups/${group}/members/bob?ban=true`),
    async (group) => {
      await alice.delete(`/groups/${group}/bans/bob`)
      await letIn(group, bob, 'moderator')
    },
  ],
  [
    'a moderator who leaves',
    'moderator',
    (group) => bob.post(`/groups/${group}/leave`),
    (group) => letIn(group, bob, 'moderator'),
  ],
  [
    'a moderator demoted in a group where only moderators invite',
    'moderator',
    async (group) => {
      await change(group, { joinPolicy: 'invite' })
      await alice.patch(`/groups/${group}/members/bob`, { role: 'member' })
    },
    (group) => alice.patch(`/groups/${group}/members/bob`, { role: 'moderator' }),
  ],
  [
    'a moderator removed by staff',
    'moderator',
    (group) => admin.delete(`/admin/groups/${group}/members/${bob.id}`),
    (group) => letIn(group, bob, 'moderator'),
  ],
  [
    'a member of a group that is no longer open',
    undefined,
    (group) => change(group, { joinPolicy: 'request' }),
    (group) => change(group, { joinPolicy: 'open' }),
  ],
]
describe.each(losses)('An invitation by %s', (_who, role, lose, regain) => {
  test('admits nobody, is in no list, and stays invalid when the inviter regains the right', async () => {
    const group = await newGroup()
    await letIn(group, bob, role)
    const [carlas, doras] = [await invited(bob, group, 'carla'), await invited(bob, group, 'dora')]
    const kept = await invited(alice, group, 'eve')
    await lose(group)

    const gone = async () => {
      for (const who of [carla, dora]) {
        expect(await who.get(`/groups/${group}`)).toFailWith(404, 'space_unknown')
        expect(await who.post(`/groups/${group}/join`)).toFailWith(404, 'space_unknown')
        expect(await listed(who, '/groups/invitations/me')).toEqual([])
      }
      expect(await carla.post(`/groups/invitations/${carlas}/accept`)).toFailWith(409, 'invitation_settled')
      expect(await dora.post(`/groups/invitations/${doras}/decline`)).toFailWith(409, 'invitation_settled')
      expect(await listed(alice, `/groups/${group}/invitations`)).toEqual([kept])
    }
    await gone()
    await regain(group)
    await gone()
    // the ended invitation does not prevent another one, and invitations by others remain valid
    const another = await invited(alice, group, 'carla')
    expect((await carla.post(`/groups/invitations/${another}/decline`)).status).toBe(200)
    expect((await eve.post(`/groups/invitations/${kept}/accept`)).status).toBe(200)
  })
})

test('An invitation remains valid if the inviter is demoted in an open group, or becomes the owner', async () => {
  const group = await newGroup()
  await letIn(group, bob, 'moderator')
  const carlas = await invited(bob, group, 'carla')
  await alice.patch(`/groups/${group}/members/bob`, { role: 'member' })
  expect((await carla.post(`/groups/invitations/${carlas}/accept`)).status).toBe(200)
  await alice.patch(`/groups/${group}/members/bob`, { role: 'moderator' })
  const doras = await invited(bob, group, 'dora')
  await alice.patch(`/groups/${group}/members/bob`, { role: 'owner' })
  expect((await dora.post(`/groups/invitations/${doras}/accept`)).status).toBe(200)
})

test('Accepting an invitation concurrently with the removal of its inviter either succeeds or gives 409', async () => {
  const group = await newGroup({ joinPolicy: 'invite' })
  await letIn(group, bob, 'moderator')
  for (let n = 0; n < 5; n++) {
    const id = await invited(bob, group, 'carla')
    const [accepted, removed] = await Promise.all([
      carla.post(`/groups/invitations/${id}/accept`),
      alice.delete(`/groups/${group}/members/bob`),
    ])
    expect(removed.status).toBe(204)
    if (accepted.status !== 200) expect(accepted).toFailWith(409, 'invitation_settled')
    expect((await carla.get(`/groups/${group}`)).status).toBe(accepted.status === 200 ? 200 : 404)
    if (accepted.status === 200) await carla.post(`/groups/${group}/leave`)
    await letIn(group, bob, 'moderator')
  }
})

test('Of very many invitations that end, even those that the worker still has to end admit nobody', async () => {
  const MANY = 1200
  const group = await newGroup()
  await letIn(group, bob)
  await owner`insert into app.users (username, first_name, last_name) select 'many_' || n, 'M', 'M' from generate_series(1, ${MANY}::int) n`
  await owner`
    insert into app.space_invitations (space_id, inviter_id, invitee_id)
    select ${group}, ${bob.id}, id from app.users where username like 'many\\_%'`
  await owner`analyze app.users, app.space_invitations`
  const pending = async () => {
    const [row] = await owner<{ count: number }[]>`
      select count(*)::int as count from app.space_invitations where space_id = ${group} and status = 'pending'`
    return row?.count
  }
  await change(group, { joinPolicy: 'request' })
  expect(await pending()).toBe(MANY - 500)
  expect(await listed(alice, `/groups/${group}/invitations`)).toEqual([])
  const worker = await startWorker({
    config: readConfig(environment(database.url)),
    databaseUrl: database.url,
    pollSeconds: 0.1,
  })
  await until(async () => (await pending()) === 0)
  await worker.stop()
})
