// GET /posts?ids: several posts at once, as the caller sees them.
import { expect, test } from 'vitest'
import { UNKNOWN } from '../../support/lists.ts'
import { publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

type Posts = { items: { id: string; body: string }[]; remaining: string[] }
const { alice, bob, admin, nobody, join } = await world()

test('returns posts in the order asked, each once, without those that the caller cannot see', async () => {
  const open = await publish(alice)
  const circles = await publish(alice, { visibility: 'circles' })
  const own = await publish(bob)
  const hidden = await publish(alice)
  await admin.post(`/admin/posts/${hidden}/hide`, { reason: 'x' })
  const path = `/posts?ids=${[own, circles, UNKNOWN, hidden, open, own].join()}`
  const ids = async (who: typeof alice) => (await who.get<Posts>(path)).body.items.map(({ id }) => id)
  expect(await ids(bob)).toEqual([own, open])
  expect(await ids(alice)).toEqual([own, circles, hidden, open])
  await bob.post('/users/alice/block')
  expect(await ids(bob)).toEqual([own])
  expect(await ids(alice)).toEqual([circles, hidden, open])
  await bob.delete('/users/alice/block')
  const { replies: _, ...one } = (await bob.get<Record<string, unknown>>(`/posts/${open}`)).body
  expect((await bob.get<Posts>(`/posts?ids=${open}`)).body).toEqual({ items: [one], remaining: [] })
})

test('ends when the texts reach half a megabyte, and names the posts that remain', async () => {
  const [mia] = await join('mia')
  if (!mia) throw new Error('mia did not join')
  const ids: string[] = []
  for (let n = 0; n < 7; n++) {
    const essay = { format: 'essay', title: 'Long', body: 'x'.repeat(100_000) }
    ids.push((await mia.post<{ id: string }>('/posts', essay)).body.id)
  }
  const { items, remaining } = (await bob.get<Posts>(`/posts?ids=${ids.join()}`)).body
  expect([...items.map(({ id }) => id), ...remaining]).toEqual(ids)
  expect(remaining).toHaveLength(2)
})

test('accepts 1 to 50 UUIDs from a person with a token', async () => {
  for (const query of ['', '?ids=', '?ids=x', `?ids=${Array(51).fill(UNKNOWN).join()}`])
    expect(await bob.get(`/posts${query}`)).toFailWith(422, 'validation_failed')
  expect(await nobody.get(`/posts?ids=${UNKNOWN}`)).toFailWith(401, 'token_missing')
})
