// Staff lists groups and guilds, archives them and decides about their members over HTTP. Both kinds have the same
// code and therefore the same tests. For permissions see matrix.test.ts.
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { type Page, UNKNOWN } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, database, join } = await world()
const { owner } = database
const [dora] = (await join('dora')) as [Person]
const [interest] = await owner<{ id: string }[]>`select id from app.interests where level = 2 order by slug limit 1`

type Space = { id: string; slug: string; status: string }
type Asked = { id: string; requestId: string }
type Details = Space & { members: Page<{ userId: string; role: string }> } & Record<string, { id: string }[]>
const kinds = {
  groups: {
    kind: 'group',
    make: (body: object) => alice.post<Space>('/groups', { ...body, visibility: 'private', joinPolicy: 'request' }),
    ask: async (who: Person, slug: string) => {
      await owner`update app.spaces set visibility = 'public' where slug = ${slug}`
      const asked = (await who.post<Asked>(`/groups/${slug}/join`, { message: 'Please' })).body.requestId
      await owner`update app.spaces set visibility = 'private' where slug = ${slug}`
      return asked
    },
    head: 'owner',
    deputy: 'moderator',
    requests: 'join-requests',
    pending: 'requests',
  },
  guilds: {
    kind: 'guild',
    make: async (body: object) => {
      const made = await admin.post<Space>('/guilds', { ...body, interestId: interest?.id })
      await owner`delete from app.space_members where space_id = ${made.body.id}`
      await owner`insert into app.space_members (space_id, user_id, role) values (${made.body.id}, ${alice.id}, 'owner')`
      return made
    },
    ask: async (who: Person, slug: string) =>
      (await who.post<Asked>(`/guilds/${slug}/applications`, { message: 'Please' })).body.id,
    head: 'founder',
    deputy: 'steward',
    requests: 'applications',
    pending: 'applications',
  },
}
const audited = async (target: string) =>
  (await owner<{ action: string }[]>`select action from app.audit_log where target_id = ${target} order by id`).map(
    ({ action }) => action,
  )
const heard = async (who: Person, target: string) => {
  await applyEffects(owner)
  type Notice = { kind: string; payload: { targetId?: string; action?: string } }
  const { body } = await who.get<Page<Notice>>('/notifications?limit=50')
  return body.items
    .filter(({ kind, payload }) => kind === 'moderation.actioned' && payload.targetId === target)
    .map(({ payload }) => payload.action)
    .reverse()
}

describe.each(Object.entries(kinds))(
  '/admin/%s',
  async (path, { kind, make, ask, head, deputy, requests, pending }) => {
    const made = await make({ name: `Heron Watch ${kind}`, slug: `herons-${kind}`, about: 'Grey ones' })
    const { id, slug } = made.body
    const at = `/admin/${path}/${id}`
    const list = async (query: string) =>
      (await admin.get<Page<Space>>(`/admin/${path}?${query}`)).body.items.map((item) => item.id)
    const details = async (query = '') => (await admin.get<Details>(`${at}${query}`)).body
    const settle = (request: string, verb: string) => admin.post(`${at}/${requests}/${request}/${verb}`)
    const role = (who: Person, to: string) => admin.patch(`${at}/members/${who.id}`, { role: to })

    test('lists spaces of every visibility, and counts all their members', async () => {
      expect(await admin.get(`/admin/${path}?q=herons`)).toMatchObject({
        status: 200,
        body: { items: [{ id, slug, status: 'active', memberCount: 1, [`${head}Id`]: alice.id }] },
      })
      expect(await list('q=grey%20ONES')).toContain(id)
      expect(await list(`q=${id}`)).toEqual([id])
      expect(await list('q=herons&status=archived')).toEqual([])
      expect(await list('q=herons&to=2026-01-01T00:00:00Z')).toEqual([])
      expect(await list('q=herons&from=2026-01-01T00:00:00Z')).toEqual([id])
      if (kind === 'group') expect(await list('q=herons&visibility=public')).toEqual([])
      for (const query of ['status=x', 'from=today', 'limit=51'])
        expect(await admin.get(`/admin/${path}?${query}`)).toFailWith(422, 'validation_failed')
      expect(await admin.get(`/admin/${path}?cursor=${UNKNOWN}`)).toFailWith(400, 'cursor_unknown')
      expect(await admin.get(`/admin/${path}/${UNKNOWN}`)).toFailWith(404, 'space_unknown')
      const other = kind === 'group' ? 'guilds' : 'groups'
      expect(await admin.get(`/admin/${other}/${id}`)).toFailWith(404, 'space_unknown')
    })

    test('settles each request once and notifies the person', async () => {
      const [first, second] = [await ask(bob, slug), await ask(carla, slug)]
      expect((await details())[pending]?.map((request) => request.id).toSorted()).toEqual([first, second].toSorted())
      expect(await settle(first, 'approve')).toMatchObject({
        status: 200,
        body: { id: first, userId: bob.id, message: 'Please', status: 'approved' },
      })
      expect(await settle(first, 'reject')).toFailWith(409, 'request_settled')
      expect(await settle(second, 'reject')).toMatchObject({ status: 200, body: { status: 'rejected' } })
      expect(await settle(UNKNOWN, 'approve')).toFailWith(404, 'request_unknown')
      expect(await settle(await ask(dora, slug), 'approve')).toMatchObject({ status: 200 })
      expect(await heard(bob, id)).toEqual(['approved'])
      expect(await heard(carla, id)).toEqual(['rejected'])
    })

    test('lists members by role, page by page', async () => {
      const first = await details('?limit=2')
      expect(first.members.items).toMatchObject([
        { userId: alice.id, role: head },
        { userId: bob.id, role: 'member' },
      ])
      const next = (await details(`?limit=2&cursor=${first.members.nextCursor}`)).members
      expect(next).toMatchObject({ items: [{ userId: dora.id }], nextCursor: null, hasMore: false })
      expect(await admin.get(`${at}?cursor=${UNKNOWN}`)).toFailWith(400, 'cursor_unknown')
    })

    test('changes roles, and gives the top role only by a transfer', async () => {
      expect(await role(bob, 'king')).toFailWith(422, 'validation_failed')
      expect(await role(alice, 'member')).toFailWith(409, 'last_owner')
      expect(await role(carla, deputy)).toFailWith(404, 'space_member_unknown')
      for (let i = 0; i < 2; i++)
        expect(await role(bob, deputy)).toMatchObject({ status: 200, body: { userId: bob.id, role: deputy } })
      expect(await role(bob, head)).toMatchObject({ status: 200, body: { role: head } })
      expect((await details()).members.items.slice(0, 2)).toMatchObject([
        { userId: bob.id, role: head },
        { userId: alice.id, role: deputy },
      ])
      expect(await heard(bob, id)).toEqual(['approved', 'role_changed', 'role_changed'])
    })

    test('expels a member, but not the one with the top role', async () => {
      const expel = (who: string) => admin.delete(`${at}/members/${who}`)
      expect(await expel(bob.id)).toFailWith(409, 'last_owner')
      expect(await expel('nobody_here')).toFailWith(404, 'person_unknown')
      expect(await expel('dora')).toMatchObject({ status: 204 })
      expect(await expel(dora.id)).toFailWith(404, 'space_member_unknown')
      expect(await heard(dora, id)).toEqual(['approved', 'expelled'])
    })

    test('archives and restores a space, with an audit entry for each', async () => {
      expect(await admin.post(`${at}/archive`, { reason: 'x'.repeat(1001) })).toFailWith(422, 'validation_failed')
      for (let i = 0; i < 2; i++)
        expect(await admin.post(`${at}/archive`, { reason: 'Spam' })).toMatchObject({
          status: 200,
          body: { id, status: 'archived', archivedAt: expect.any(String) },
        })
      expect(await list('q=herons&status=archived')).toEqual([id])
      expect(await admin.post(`${at}/restore`)).toMatchObject({
        status: 200,
        body: { status: 'active', archivedAt: null },
      })
      expect((await heard(bob, id)).slice(-2)).toEqual(['archived', 'restored'])
      expect((await audited(id)).map((action) => action.replace(`${kind}.`, ''))).toEqual([
        ...['approved', 'rejected', 'approved', 'role_changed', 'role_changed', 'expelled', 'archived', 'restored'],
      ])
    })
  },
)

test('An admin gives a guild without members a founder, who can spend its treasury', async () => {
  const { body: guild } = await admin.post<Space>('/guilds', { name: 'Left', interestId: interest?.id })
  const at = `/admin/guilds/${guild.id}`
  await admin.post(`/treasury/${guild.id}/contribute`, { amount: 9 })
  await owner`insert into app.space_members (space_id, user_id) values (${guild.id}, ${dora.id})`
  await owner`update app.spaces set member_count = member_count + 1 where id = ${guild.id}`
  await owner`update app.users set banned_at = now() where id = ${dora.id}`
  await admin.post(`/guilds/${guild.id}/leave`)
  expect(await admin.post(`${at}/restore`)).toFailWith(409, 'space_ownerless')
  const role = (who: Person, role: string) => admin.patch(`${at}/members/${who.id}`, { role })
  // a banned person cannot become the founder, and a guild with a founder cannot be given another one
  expect(await role(dora, 'founder')).toFailWith(404, 'person_unknown')
  expect(await role(bob, 'steward')).toFailWith(404, 'space_member_unknown')
  for (let i = 0; i < 2; i++)
    expect(await role(bob, 'founder')).toMatchObject({ status: 200, body: { userId: bob.id, role: 'founder' } })
  expect(await role(carla, 'founder')).toFailWith(404, 'space_member_unknown')
  expect(await admin.post(`${at}/restore`)).toMatchObject({ status: 200, body: { status: 'active', memberCount: 2 } })
  const paid = await bob.post(`/treasury/${guild.id}/disburse`, { recipientId: 'carla', amount: 9, note: 'All of it' })
  expect(paid).toMatchObject({ status: 201, body: { treasuryBalance: 0 } })
  expect(await audited(guild.id)).toEqual(['guild.role_changed', 'guild.restored'])
})
