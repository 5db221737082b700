// A block closes the direct conversation of the two people, which stays readable. In a group the two people are hidden
// from each other. Received messages can still be reported. test/model/messaging.test.ts compares every read with a
// model.
import { expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import type { Page } from '../../support/lists.ts'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, admin, database, join } = await world()
const { owner } = database
const [dora, eve, finn] = (await join('dora', 'eve', 'finn')) as [Person, Person, Person]

type Id = { id: string }
type Message = Id & {
  sender: { username: string } | null
  body: string | null
  replyTo: { id: string } | null
  reactions: { emoji: string; count: number; mine: boolean }[]
}
type Conversation = Id & {
  members: { person: { username: string } }[]
  lastMessage: Message | null
  unreadCount: number
}

const circle = (await alice.post<Id>('/circles', { name: 'Friends' })).body.id
for (const memberId of ['bob', 'carla', 'dora', 'eve']) await alice.post(`/circles/me/${circle}/members`, { memberId })

const open = async (kind: 'direct' | 'group', ...memberIds: string[]) => {
  const title = kind === 'group' ? 'Hikers' : undefined
  return (await alice.post<Conversation>('/conversations', { kind, memberIds, title })).body.id
}
const send = (who: Person, id: string, body: string, more: object = {}) =>
  who.post<Message>(`/conversations/${id}/messages`, { body, clientId: crypto.randomUUID(), ...more })
const sent = async (who: Person, id: string, body: string, more: object = {}) =>
  (await send(who, id, body, more)).body.id
const heart = encodeURIComponent('❤️')
const said = async (who: Person, id: string, query = '') =>
  (await who.get<Page<Message>>(`/conversations/${id}/messages?limit=50${query}`)).body.items.map(({ body }) => body)
const look = async (who: Person, id: string) => (await who.get<Conversation>(`/conversations/${id}`)).body
const names = ({ members }: Conversation) => members.map(({ person }) => person.username).sort()
const report = (who: Person, targetId: string) =>
  who.post('/reports', { targetType: 'message', targetId, reason: 'Bad' })

test('After a block a direct conversation stays readable for both, and accepts nothing new', async () => {
  const id = await open('direct', 'dora')
  const first = await sent(dora, id, 'First')
  const theirs = await sent(dora, id, 'Theirs')
  const own = await sent(alice, id, 'Mine', { replyToId: first })
  await alice.put(`/messages/${theirs}/reactions/${heart}`)
  const unread = await alice.get<{ count: number }>('/conversations/unread-count')
  await dora.post('/users/alice/block')

  for (const who of [alice, dora]) {
    expect(await said(who, id)).toEqual(['Mine', 'Theirs', 'First'])
    expect(await said(who, id, `&after=${first}`)).toEqual(['Theirs', 'Mine'])
    expect((await said(who, id, '&changedSince=2026-01-01T00:00:00Z')).length).toBe(1)
    expect(await who.get(`/messages/${theirs}`)).toMatchObject({
      status: 200,
      body: {
        body: 'Theirs',
        sender: { username: 'dora' },
        reactions: [{ emoji: '❤️', count: 1, mine: who === alice }],
      },
    })
    expect(await who.get(`/messages/${own}`)).toMatchObject({ body: { replyTo: { id: first, excerpt: 'First' } } })
    const card = await look(who, id)
    expect(names(card)).toEqual(['alice', 'dora'])
    expect(card.lastMessage?.id).toBe(own)
    const listed = await who.get<Page<Conversation>>('/conversations?kind=direct')
    expect(listed.body.items).toContainEqual(card)
    const other = who === alice ? 'dora' : 'alice'
    expect((await who.get<Page<Id>>(`/conversations?q=${other}`)).body.items.map((one) => one.id)).toContain(id)

    expect(await send(who, id, 'x')).toFailWith(403, 'conversation_closed')
    for (const message of [theirs, own])
      expect(await who.put(`/messages/${message}/reactions/${heart}`)).toFailWith(403, 'conversation_closed')
    // requests about the other person give 404 as everywhere else
    expect(await who.get(`/users/${other}`)).toFailWith(404, 'person_unknown')
    expect(await who.get(`/conversations/availability/${other}`)).toFailWith(404, 'person_unknown')
    const opened = await who.post('/conversations', { kind: 'direct', memberIds: [other] })
    expect(opened).toFailWith(404, 'person_unknown')
  }
  expect(await alice.patch(`/messages/${own}`, { body: 'x' })).toFailWith(403, 'conversation_closed')
  expect(await alice.patch(`/messages/${theirs}`, { body: 'x' })).toFailWith(403, 'message_not_yours')

  // unread messages are no longer counted, and can still be marked as read
  expect(await look(alice, id)).toMatchObject({ unreadCount: 0 })
  const now = await alice.get<{ count: number }>('/conversations/unread-count')
  expect(now.body.count).toBe(unread.body.count - 1)
  expect((await alice.post(`/conversations/${id}/read`, { messageId: theirs })).status).toBe(200)

  // each can still withdraw their own messages and reactions
  for (let n = 0; n < 2; n++)
    expect(await alice.delete(`/messages/${theirs}/reactions/${heart}`)).toMatchObject({ status: 204, text: '' })
  expect((await dora.get<Message>(`/messages/${theirs}`)).body.reactions).toEqual([])
  expect((await alice.delete(`/messages/${own}`)).status).toBe(204)
  expect(await dora.get(`/messages/${own}`)).toMatchObject({ body: { body: null } })
  expect(await alice.put(`/messages/${own}/reactions/${heart}`)).toFailWith(403, 'conversation_closed')

  await dora.delete('/users/alice/block')
  expect((await send(alice, id, 'Again')).status).toBe(201)
})

test('In a direct conversation a banned person is hidden for as long as the ban lasts', async () => {
  const id = await open('direct', 'eve')
  const theirs = await sent(eve, id, 'Theirs')
  await eve.post('/users/alice/block')
  expect((await admin.post(`/admin/users/${eve.id}/ban`, { reason: 'x' })).status).toBe(200)
  expect(await said(alice, id)).toEqual([])
  expect(names(await look(alice, id))).toEqual(['alice'])
  expect(await alice.get(`/messages/${theirs}`)).toFailWith(404, 'message_unknown')
  expect(await report(alice, theirs)).toMatchObject({ status: 201 })
  expect((await admin.post(`/admin/users/${eve.id}/unban`, {})).status).toBe(200)
  expect(await said(alice, id)).toEqual(['Theirs'])
})

test('In a group two people are hidden from each other after a block', async () => {
  const id = await open('group', 'bob', 'carla')
  const theirs = await sent(carla, id, 'Theirs')
  await bob.post('/users/carla/block')
  expect(await said(bob, id)).toEqual([])
  expect(await said(alice, id)).toEqual(['Theirs'])
  expect(names(await look(bob, id))).toEqual(['alice', 'bob'])
  expect(await bob.get(`/messages/${theirs}`)).toFailWith(404, 'message_unknown')
  expect(await bob.put(`/messages/${theirs}/reactions/${heart}`)).toFailWith(404, 'message_unknown')
  await bob.delete('/users/carla/block')
})

test('A recipient can report a message even after a block or removal', async () => {
  const talk = await open('direct', 'bob')
  const id = await open('group', 'bob', 'carla')
  const before = await sent(bob, id, 'Before')
  await carla.post(`/conversations/${id}/leave`)
  const away = await sent(bob, id, 'Away')
  await alice.post(`/conversations/${id}/members`, { userIds: ['carla'] })
  const theirs = await sent(bob, id, 'To all')
  const direct = await sent(bob, talk, 'To Alice')
  await alice.post('/users/bob/block')
  await bob.post('/users/carla/block')
  const hidden = await sent(bob, id, 'Hidden')

  expect(await report(alice, direct)).toMatchObject({ status: 201, body: { targetId: direct } })
  expect(await report(alice, theirs)).toMatchObject({ status: 201, body: { targetId: theirs } })
  expect(await report(alice, theirs)).toFailWith(409, 'report_open')
  expect(await report(carla, theirs)).toMatchObject({ status: 201 })
  const copies = await owner<{ copy: object }[]>`select copy from app.reports where target_id = ${theirs}`
  expect(copies).toHaveLength(2)
  for (const { copy } of copies) expect(copy).toMatchObject({ senderId: bob.id, body: 'To all' })
  // a removed member had received it
  await alice.delete(`/conversations/${id}/members/carla`)
  expect(await report(carla, before)).toMatchObject({ status: 201 })
  // people who did not receive a message get 404
  for (const [who, message] of [
    [carla, away],
    [carla, hidden],
    [alice, hidden],
    [finn, theirs],
  ] as const)
    expect(await report(who, message)).toFailWith(404, 'message_unknown')

  await bob.delete(`/messages/${before}`)
  expect(await report(carla, before)).toFailWith(409, 'message_deleted')
  await applyEffects(owner)
  expect((await bob.post('/me/delete', { password: bob.password })).status).toBe(200)
  expect(await report(finn, direct)).toFailWith(404, 'message_unknown')
  expect(await report(carla, theirs)).toFailWith(409, 'message_deleted')
})
