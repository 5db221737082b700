// An action that another person can repeat at no cost produces at most one unread notification per subject, and one
// push per hour. Every kind of notification, also a new one, must state its rule here.
import { beforeEach, describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import type { Page } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, database } = await world({
  people: ['alice', 'bob', 'carla'],
  env: { RATE_LIMIT_SCALE: '100' },
})
const { owner } = database

type Rule = 'replaces' | 'rolls up' | 'rolls up, each counts' | 'each'
/** The rule of every kind. A kind that notifies of each item also has the reason why nobody can repeat it for free. */
const rules: Record<string, [Rule, why?: string]> = {
  'admin.broadcast': ['each', 'only staff sends it'],
  'appeal.resolved': ['each', 'staff resolves an appeal once'],
  'circle.accepted': ['each', 'an invitation of one’s own is accepted once'],
  'circle.added': ['replaces'],
  'circle.invited': ['replaces'],
  'co-author.accepted': ['each', 'an invitation of one’s own is accepted once'],
  'co-author.invited': ['replaces'],
  'event.reminder': ['replaces'],
  'invite.used': ['each', 'a code is used once'],
  'membership.decided': ['replaces'],
  'message.received': ['rolls up, each counts'],
  'moderation.actioned': ['each', 'only staff does it'],
  'order.updated': ['replaces'],
  'payment.received': ['each', 'it costs mana'],
  'poll.closed': ['each', 'a poll ends once'],
  'post.mentioned': ['rolls up, each counts'],
  'post.milestone': ['each', 'a milestone is reached once'],
  'post.quoted': ['rolls up, each counts'],
  'post.reacted': ['rolls up'],
  'post.replied': ['rolls up, each counts'],
  'post.reposted': ['rolls up'],
  'reputation.level-up': ['each', 'a level is reached once'],
  'reputation.voted': ['replaces'],
  'series.updated': ['replaces'],
  'user.followed': ['rolls up'],
  'wiki.resolved': ['each', 'a proposal of one’s own is resolved once'],
}

test('Every kind states how it limits repeated notifications', async () => {
  const kinds = await owner<{ kind: string; rule: string }[]>`
    select kind, case when replaces_unread then 'replaces' when counts_each then 'rolls up, each counts'
                      when rolls_up then 'rolls up' else 'each' end as rule
    from private.notification_kinds order by kind`
  expect(kinds.map(({ kind, rule }) => [kind, rule])).toEqual(
    Object.entries(rules).map(([kind, [rule]]) => [kind, rule]),
  )
  expect(Object.values(rules).filter(([rule, why]) => rule === 'each' && !why)).toEqual([])
})

type Told = { id: string; kind: string; createdAt: string; readAt: string | null; payload: Record<string, unknown> }
const told = async (who: Person, kind: string): Promise<Told[]> => {
  await applyEffects(owner)
  const { body } = await who.get<Page<Told>>('/notifications?limit=50')
  return body.items.filter((one) => one.kind === kind)
}
const made = async (who: Person, path: string, body?: object) => {
  const answer = await who.post<{ id: string }>(path, body)
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body.id
}
/** How many pushes to alice were queued. */
const pushes = async () => (await owner`select from pgboss.job where name = 'push'`).length
/** Moves alice's notifications and pushes an hour into the past. */
const pass = async () => {
  await owner`update app.notifications set created_at = created_at - interval '61 minutes' where user_id = ${alice.id}`
  await owner`update private.pushed_subjects set pushed_at = pushed_at - interval '61 minutes'`
}

await alice.post('/me/push-token', { token: 'ExponentPushToken[alice]', platform: 'expo' })
beforeEach(async () => {
  await applyEffects(owner)
  await owner`delete from app.notifications`
  await owner`truncate private.pushed_subjects`
  await owner`delete from pgboss.job where name = 'push'`
})

const days = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString()
const event = {
  title: 'Walk',
  body: 'In the wood.',
  startsAt: days(10),
  endsAt: days(11),
  timezone: 'UTC',
  location: { kind: 'place', city: 'Ulm' },
}
const post = await made(alice, '/posts', { body: 'Mine' })
const offering = await made(alice, '/economy/market/offerings', {
  title: 'Bread',
  description: 'A loaf',
  priceMana: 5,
  deliveryDays: 2,
})
const circle = await made(bob, '/circles/me', { name: 'Kin', kind: 'family' })
const club = await made(bob, '/groups', { name: 'Club', joinPolicy: 'invite' })
const open = await made(bob, '/groups', { name: 'Open' })
await alice.post(`/groups/${open}/join`)
const walk = await made(bob, '/events', event)
await alice.put(`/events/${walk}/rsvp`, { status: 'going' })
const series = await made(bob, '/posts/series', { title: 'Letters' })
await made(bob, `/posts/series/${series}/items`, { postId: await made(bob, '/posts', { body: 'First' }) })
await alice.post(`/series/${series}/follow`)
const [interest] = await owner<{ id: string }[]>`select id from app.interests where level = 2 limit 1`
for (const { id } of [alice, bob]) {
  await owner`insert into app.user_interests (user_id, interest_id, depth, expertise) values (${id}, ${interest?.id ?? ''}, 1, 1)`
  await owner`select private.add_reputation(${id}, ${interest?.id ?? ''}, 'admin.adjusted', 20)`
}
const project = await made(bob, '/projects', { title: 'Barn', summary: 'We build.', roles: [{ name: 'Carpenter' }] })
{
  const [role] = await owner<{ id: string }[]>`select id from app.project_roles where project_id = ${project}`
  const application = await made(alice, `/projects/${project}/applications`, { roleId: role?.id, message: 'Me' })
  await bob.post(`/projects/${project}/applications/${application}/approve`)
}
const order = async () => {
  const path = `/economy/market/offerings/${offering}/orders`
  const { body } = await bob.post<{ order: { id: string } }>(path, { expectedPrice: 5 })
  return body.order.id
}

/** What bob repeats, the kind of notification that alice gets, and how many of these are unread at the end. */
const repeated: Record<string, { kind: string; open: number; round(n: number): Promise<unknown> }> = {
  'An invitation into a circle that is withdrawn': {
    kind: 'circle.invited',
    open: 0,
    async round() {
      const id = await made(bob, `/circles/me/${circle}/invitations`, { inviteeId: alice.username })
      await applyEffects(owner)
      expect((await bob.delete(`/circles/me/${circle}/invitations/${id}`)).status).toBe(204)
    },
  },
  'An invitation into a circle that is deleted': {
    kind: 'circle.invited',
    open: 0,
    async round() {
      const id = await made(bob, '/circles/me', { name: 'Brief', kind: 'general' })
      await made(bob, `/circles/me/${id}/invitations`, { inviteeId: alice.username })
      await applyEffects(owner)
      expect((await bob.delete(`/circles/me/${id}`)).status).toBe(204)
    },
  },
  'An invitation into a circle that she declines': {
    kind: 'circle.invited',
    open: 1,
    async round() {
      const id = await made(bob, `/circles/me/${circle}/invitations`, { inviteeId: alice.username })
      await applyEffects(owner)
      expect((await alice.post(`/circles/invitations/${id}/decline`)).status).toBe(200)
    },
  },
  'A membership in a circle that is removed': {
    kind: 'circle.added',
    open: 0,
    async round() {
      await bob.post(`/circles/me/${circle}/members`, { memberId: alice.username })
      await applyEffects(owner)
      expect((await bob.delete(`/circles/me/${circle}/members/${alice.username}`)).status).toBe(204)
    },
  },
  'A membership in a circle that is then deleted': {
    kind: 'circle.added',
    open: 0,
    async round() {
      const id = await made(bob, '/circles/me', { name: 'Brief', kind: 'general' })
      await bob.post(`/circles/me/${id}/members`, { memberId: alice.username })
      await applyEffects(owner)
      expect((await bob.delete(`/circles/me/${id}`)).status).toBe(204)
    },
  },
  'A withdrawn invitation to a group': {
    kind: 'membership.decided',
    open: 0,
    async round() {
      const id = await made(bob, `/groups/${club}/invitations`, { inviteeId: alice.username })
      await applyEffects(owner)
      expect((await bob.delete(`/groups/${club}/invitations/${id}`)).status).toBe(204)
    },
  },
  'Another role in a group': {
    kind: 'membership.decided',
    open: 1,
    async round(n) {
      const role = n % 2 ? 'member' : 'moderator'
      expect((await bob.patch(`/groups/${open}/members/${alice.username}`, { role })).status).toBe(200)
    },
  },
  'Another place for an event': {
    kind: 'event.reminder',
    open: 1,
    round: (n) => bob.patch(`/events/${walk}`, { location: { kind: 'place', city: `Ulm ${n}` } }),
  },
  'An order that is cancelled': {
    kind: 'order.updated',
    open: 1,
    async round() {
      const id = await order()
      await applyEffects(owner)
      expect((await bob.post(`/economy/market/orders/${id}/cancel`)).status).toBe(200)
    },
  },
  'A new post in a series': {
    kind: 'series.updated',
    open: 1,
    round: async (n) =>
      bob.post(`/posts/series/${series}/items`, { postId: await made(bob, '/posts', { body: `Part ${n}` }) }),
  },
  'An update of a project': {
    kind: 'series.updated',
    open: 1,
    round: (n) => made(bob, `/projects/${project}/updates`, { body: `Update ${n}` }),
  },
  'A vote that is changed': {
    kind: 'reputation.voted',
    open: 1,
    round: (n) =>
      bob.post('/reputation/vote', { userId: alice.username, interestId: interest?.id, value: n % 2 ? 1 : -1 }),
  },
  'A follow that is withdrawn': {
    kind: 'user.followed',
    open: 1,
    async round() {
      await pass()
      expect((await bob.post('/users/alice/follow')).status).toBeLessThan(300)
      await applyEffects(owner)
      expect((await bob.delete('/users/alice/follow')).status).toBeLessThan(300)
    },
  },
  'A heart that is withdrawn': {
    kind: 'post.reacted',
    open: 1,
    async round() {
      await pass()
      expect((await bob.post(`/posts/${post}/react`, { kind: 'heart' })).status).toBeLessThan(300)
      await applyEffects(owner)
      expect((await bob.delete(`/posts/${post}/react?kind=heart`)).status).toBeLessThan(300)
    },
  },
  'A repost that is withdrawn': {
    kind: 'post.reposted',
    open: 1,
    async round() {
      await pass()
      await made(bob, `/posts/${post}/repost`)
      await applyEffects(owner)
      expect((await bob.delete(`/posts/${post}/repost`)).status).toBeLessThan(300)
    },
  },
}

describe.each(Object.entries(repeated))('%s', (what, { kind, open: left, round }) => {
  const ROUNDS = 5
  test('causes at most one unread notification and push when repeated', async () => {
    for (let n = 0; n < ROUNDS; n++) {
      await round(n)
      await applyEffects(owner)
    }
    expect(await told(alice, kind)).toHaveLength(left)
    // an order that is placed and cancelled has two states
    expect(await pushes()).toBeLessThanOrEqual(kind === 'order.updated' ? 2 : 1)
    expect(await pushes()).toBeGreaterThan(0)
  })

  test('leaves no unread notifications, and causes no more pushes, if each one is read immediately', async () => {
    for (let n = 0; n < ROUNDS; n++) {
      await round(n)
      await applyEffects(owner)
      await alice.post('/notifications/read', { before: days(1) })
    }
    expect((await told(alice, kind)).filter(({ readAt }) => readAt === null)).toEqual([])
    expect(await pushes(), what).toBeLessThanOrEqual(kind === 'order.updated' ? 2 : 1)
  })
})

test('A repeated notification moves to the top with its latest actor, and is pushed again after an hour', async () => {
  const [first, second] = [bob, carla]
  await owner`insert into app.space_members (space_id, user_id, role, made_at) values (${club}, ${carla.id}, 'moderator', now())`
  const invite = (who: Person) => made(who, `/groups/${club}/invitations`, { inviteeId: alice.username })
  const id = await invite(first)
  const [before] = await told(alice, 'membership.decided')
  expect(await pushes()).toBe(1)
  await pass()
  await alice.post(`/groups/invitations/${id}/decline`)
  await bob.post('/users/alice/follow')
  await applyEffects(owner)
  const latest = await invite(second)
  await applyEffects(owner)
  const { body } = await alice.get<Page<Told & { actors: { id: string }[] }>>('/notifications')
  expect(body.items.map(({ kind }) => kind)).toEqual(['membership.decided', 'user.followed'])
  expect(body.items[0]).toMatchObject({
    id: before?.id,
    payload: { event: 'invited', invitationId: latest },
    actors: [{ id: carla.actorId }],
  })
  expect(await pushes()).toBe(3)
  await carla.delete(`/groups/${club}/invitations/${latest}`)
  expect(await told(alice, 'membership.decided')).toEqual([])
})

test('A cancellation is pushed immediately, even right after a change', async () => {
  const id = await made(bob, '/events', event)
  await alice.put(`/events/${id}/rsvp`, { status: 'going' })
  for (const city of ['Bonn', 'Köln']) {
    await bob.patch(`/events/${id}`, { location: { kind: 'place', city } })
    await applyEffects(owner)
  }
  expect(await pushes()).toBe(1)
  await bob.post(`/events/${id}/cancel`)
  expect(await told(alice, 'event.reminder')).toMatchObject([
    { payload: { event: 'cancelled', eventId: id } },
    { payload: { event: 'changed', eventId: id } },
  ])
  expect(await pushes()).toBe(2)
})

test('Orders of several buyers, and an accepted order, are notified separately', async () => {
  await bob.delete('/users/alice/follow')
  const one = await order()
  const path = `/economy/market/offerings/${offering}/orders`
  const other = (await carla.post<{ order: { id: string } }>(path, { expectedPrice: 5 })).body.order.id
  await alice.post(`/economy/market/orders/${one}/accept`)
  const third = await order()
  const orders = (await told(alice, 'order.updated')).map(({ payload }) => payload.orderId)
  expect(orders.sort()).toEqual([other, third].sort())
  await owner`update app.orders set deadline_at = now() - interval '1 hour' where id = ${one}`
  await bob.post(`/economy/market/orders/${one}/cancel`)
  expect((await told(alice, 'order.updated')).map(({ payload }) => payload.orderId).sort()).toEqual(
    [one, other, third].sort(),
  )
  const keys = await owner<
    { key: string }[]
  >`select group_key as key from app.notifications where user_id = ${alice.id}`
  for (const { key } of keys) for (const who of [alice, bob, carla]) expect(key).not.toContain(who.id)
})

test('The end of an order keeps the seller’s notification of another pending order', async () => {
  await owner`update app.orders set state = 'cancelled', due_at = null where state = 'held'`
  const [first, second] = [await order(), await order()]
  expect((await bob.post(`/economy/market/orders/${first}/cancel`)).status).toBe(200)
  expect((await told(alice, 'order.updated')).map(({ payload }) => payload)).toEqual([
    { orderId: second, state: 'held' },
  ])
  const third = await order()
  await told(alice, 'order.updated')
  expect((await bob.post(`/economy/market/orders/${third}/cancel`)).status).toBe(200)
  expect((await told(alice, 'order.updated')).map(({ payload }) => payload)).toEqual([
    { orderId: second, state: 'held' },
  ])
  expect((await bob.post(`/economy/market/orders/${second}/cancel`)).status).toBe(200)
  expect((await told(alice, 'order.updated')).map(({ payload }) => payload)).toEqual([
    { orderId: second, state: 'cancelled' },
  ])
})
