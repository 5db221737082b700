// Tests with the real supabase-js client what members of a conversation receive, and that a client that was away misses
// nothing. See docs/decisions.md, Messaging; Realtime.
import { expect, test } from 'vitest'
import type { Page } from '../support/lists.ts'
import type { Person } from '../support/person.ts'
import { type Listener, listen, realtimeWorld } from '../support/realtime.ts'
import { until } from '../support/until.ts'

const w = await realtimeWorld()
const { alice, bob, carla } = w
type Message = { id: string; body: string | null; reactions: unknown[] }

const as = (person: Person) => w.client(() => person.token ?? '')
const circle = (await alice.post<Message>('/circles', { name: 'Friends' })).body.id
for (const memberId of ['bob', 'carla']) await alice.post(`/circles/me/${circle}/members`, { memberId })
const group = async () =>
  (await alice.post<Message>('/conversations', { kind: 'group', memberIds: ['bob', 'carla'], title: 'Us' })).body.id
const send = async (who: Person, id: string, body: string) =>
  (await who.post<Message>(`/conversations/${id}/messages`, { body, clientId: crypto.randomUUID() })).body.id
const since = async (who: Person, id: string, after: string) => {
  const came: Message[] = []
  let next: string | null = ''
  while (next !== null) {
    const path = `/conversations/${id}/messages?limit=50&after=${after}${next && `&cursor=${next}`}`
    const page: { body: Page<Message> } = await who.get(path)
    came.push(...page.body.items)
    next = page.body.nextCursor
  }
  return came
}

test('A client that was away for 200 messages gets all of them in order, and receives further ones', async () => {
  const id = await group()
  const client = as(bob)
  const before = await listen(client, `conversation:${id}`)
  const first = await send(alice, id, 'first')
  await until(() => before.heard.length === 1)
  expect(before.heard).toEqual([{ event: 'message', payload: { id: first } }])
  const [edited, deleted, loved] = [await send(carla, id, 'x'), await send(alice, id, 'y'), await send(alice, id, 'z')]
  await until(() => before.heard.length === 4)
  const seen = before.heard.at(-1)?.payload.id as string
  const left = new Date().toISOString()
  await client.realtime.disconnect()

  const lanes = [alice, carla].map(async (who, lane) => {
    const ids: string[] = []
    for (let n = 0; n < 100; n++) ids.push(await send(who, id, `${lane} ${n}`))
    return ids
  })
  const sent = await Promise.all(lanes)
  await carla.patch(`/messages/${edited}`, { body: 'edited' })
  await alice.delete(`/messages/${deleted}`)
  await carla.put(`/messages/${loved}/reactions/${encodeURIComponent('👍')}`)

  const again = await listen(as(bob), `conversation:${id}`) // joins before reading, so that there is no gap
  const live = send(alice, id, 'live')
  const came = await since(bob, id, seen)
  const last = await live
  await until(() => again.heard.at(-1)?.payload.id === last)
  const all = new Map([...came, ...(await since(bob, id, came.at(-1)?.id ?? seen))].map((one) => [one.id, one.body]))
  expect([...all.values()]).toHaveLength(201)
  for (const [lane, ids] of sent.entries())
    expect(
      [...all.keys()].filter((one) => ids.includes(one)),
      `lane ${lane}`,
    ).toEqual(ids)
  expect([...all.values()].at(-1)).toBe('live')
  const changed = await bob.get<Page<Message>>(`/conversations/${id}/messages?changedSince=${left}`)
  expect(changed.body.items.map(({ id, body, reactions }) => [id, body, reactions.length])).toEqual([
    [edited, 'edited', 0],
    [deleted, null, 0],
    [loved, 'z', 1],
  ])
})

test('Changes are sent with ids only, and reading is sent only to the reader', async () => {
  const id = await group()
  const [hearer, own, others] = [
    await listen(as(bob), `conversation:${id}`),
    await listen(as(bob), `user:${bob.id}`),
    await listen(as(carla), `user:${carla.id}`),
  ]
  const message = await send(alice, id, 'x')
  await alice.patch(`/messages/${message}`, { body: 'y' })
  await bob.put(`/messages/${message}/reactions/${encodeURIComponent('👍')}`)
  await bob.delete(`/messages/${message}/reactions/${encodeURIComponent('👍')}`)
  await bob.post(`/conversations/${id}/read`, { messageId: message })
  await alice.delete(`/messages/${message}`)
  await until(() => hearer.heard.length === 5)
  const payload = { id: message }
  expect(hearer.heard).toEqual(
    ['message', 'message.changed', 'reaction', 'reaction', 'message.changed'].map((event) => ({ event, payload })),
  )
  const listed = (one: Listener) =>
    one.heard.filter(({ event, payload }) => event === 'conversation' && payload.id === id)
  await until(() => listed(others).length > 0)
  await until(() => listed(own).length > 0 && own.heard.some(({ event }) => event === 'read'))
  expect(own.heard).toContainEqual({ event: 'read', payload: { id } })
  expect(listed(own)).toHaveLength(1)
  expect(others.heard.filter(({ event }) => event === 'read')).toEqual([])
})

test('A member who is removed or leaves receives nothing from then on, until they are added back', async () => {
  const id = await group()
  const [removed, leaver, stays] = [
    await listen(as(bob), `conversation:${id}`),
    await listen(as(carla), `conversation:${id}`),
    await listen(as(alice), `conversation:${id}`),
  ]
  await alice.delete(`/conversations/${id}/members/bob`)
  await carla.post(`/conversations/${id}/leave`)
  const after = await send(alice, id, 'after')
  await until(() => stays.heard.some(({ payload }) => payload.id === after))
  for (const one of [removed, leaver]) {
    await until(() => one.statuses.includes('CLOSED'))
    expect(one.heard.map(({ payload }) => payload.id)).not.toContain(after)
  }
  await expect(listen(as(bob), `conversation:${id}`)).rejects.toThrow('Unauthorized')
  await alice.post(`/conversations/${id}/members`, { userIds: ['bob'] })
  const back = await until(() => listen(as(bob), `conversation:${id}`))
  const later = await send(alice, id, 'later')
  await until(() => back.heard.some(({ payload }) => payload.id === later))
})

test('A blocked person’s message is not sent to one’s own channel, and cannot be read by its id', async () => {
  const id = await group()
  await bob.post('/users/carla/block')
  const [own, hearer] = [await listen(as(bob), `user:${bob.id}`), await listen(as(bob), `conversation:${id}`)]
  const hidden = await send(carla, id, 'hidden')
  const shown = await send(alice, id, 'shown')
  const listed = () => own.heard.filter(({ event, payload }) => event === 'conversation' && payload.id === id)
  await until(() => hearer.heard.length === 2 && listed().length > 0)
  expect(listed()).toHaveLength(1)
  expect(hearer.heard.map(({ payload }) => payload.id)).toEqual([hidden, shown])
  expect(await bob.get(`/messages/${hidden}`)).toFailWith(404, 'message_unknown')
  await bob.delete('/users/carla/block')
})
