// A missed Realtime message is never a lost notification: a client that was away can fetch what has changed since then.
// See docs/decisions.md, Notifications.
import { expect, test } from 'vitest'
import { applyEffects } from '../support/database.ts'
import { publish } from '../support/posts.ts'
import { listen, realtimeWorld } from '../support/realtime.ts'
import { until } from '../support/until.ts'

type Item = { id: string; kind: string; count: number; updatedAt: string; readAt: string | null }
type Page = { items: Item[]; nextCursor: string | null }

const w = await realtimeWorld()
const { alice, bob, carla } = w
const topic = `user:${alice.id}`
const client = () => w.client(() => alice.token ?? '')

/** Fetches what has changed since a time, as a client does that was away. */
async function catchUp(since: string, limit = 2): Promise<Item[]> {
  const items: Item[] = []
  let more = ''
  do {
    const { body } = await alice.get<Page>(`/notifications?since=${since}&limit=${limit}${more}`)
    items.push(...body.items)
    more = body.nextCursor ? `&cursor=${body.nextCursor}` : ''
  } while (more)
  return items
}

test('A client that reconnects receives no missed messages, but can fetch all missed notifications', async () => {
  const post = await publish(alice)
  const first = client()
  const before = await listen(first, topic)
  const witness = await listen(client(), topic) // another device, which stays connected
  await bob.post(`/posts/${post}/replies`, { body: 'One' })
  await until(() => before.heard.length === 1)
  const [known] = (await alice.get<Page>('/notifications')).body.items

  await first.realtime.disconnect()
  await until(() => !first.realtime.isConnected())
  await bob.post(`/posts/${post}/react`, { kind: 'heart' })
  await carla.post(`/posts/${post}/react`, { kind: 'heart' })
  await carla.post(`/posts/${post}/replies`, { body: 'Two' }) // increases the count of the known notification
  await carla.post('/users/alice/follow')
  await applyEffects(w.database.owner)
  const told = (kind: string) => witness.heard.filter(({ payload }) => payload.kind === kind).length
  await until(() => told('user.followed') > 0 && told('post.reacted') > 0 && told('post.replied') > 1)

  const again = await listen(client(), topic)
  const missed = await catchUp(known?.updatedAt ?? '')
  await bob.post('/users/alice/follow')
  await until(() => again.heard.length === 1) // missed messages are not sent later
  expect(before.heard).toHaveLength(1)
  // events at about the same time are notified in any order
  expect(missed.map(({ kind, count }) => [kind, count]).sort()).toEqual([
    ['post.reacted', 2],
    ['post.replied', 2],
    ['user.followed', 1],
  ])
  expect(missed.find(({ kind }) => kind === 'post.replied')?.id).toBe(known?.id)
  const after = await catchUp(missed.at(-1)?.updatedAt ?? '', 50)
  expect(after.find(({ id }) => id === again.heard[0]?.payload.id)).toMatchObject({ kind: 'user.followed', count: 2 })
})

test('Notifications that another device marked as read are returned too', async () => {
  const since = new Date().toISOString()
  const [item] = (await alice.get<Page>('/notifications')).body.items
  await alice.post('/notifications/read', { ids: [item?.id] })
  expect((await catchUp(since)).at(-1)).toMatchObject({ id: item?.id, readAt: expect.any(String) })
})
