// What a search costs, and whom: the work of nobody's search depends on what others keep to themselves.
import { expect, test } from 'vitest'
import { looked } from '../../support/bounds.ts'
import { applyEffects } from '../../support/database.ts'
import type { Page } from '../../support/lists.ts'
import { publish } from '../../support/posts.ts'
import { world } from '../../support/world.ts'

const { alice, bob, mallory, database } = await world({ people: ['alice', 'bob', 'mallory'] })
const { owner, superuser, asCaller } = database
type Id = { id: string }
const WORDS = 'quince medlar "quince medlar"'
const MANY = 30
const times = <T>(make: (n: number) => Promise<T>) => Promise.all(Array.from({ length: MANY }, (_, n) => make(n)))

/** What alice is answered, and what that looked at. */
async function search() {
  await applyEffects(owner)
  // else the entries of rows that are gone would count until somebody has met them
  await superuser`vacuum private.search_words, private.search_documents, private.name_trigrams, app.users`
  const { text, body } = await alice.get<Page<Id>>(`/discovery/search?q=${encodeURIComponent(WORDS)}`)
  const work = await asCaller({ sub: alice.id, role: 'user' }, async (sql) => {
    const before = await looked(sql)
    await sql`select api.search(${WORDS})`
    return (await looked(sql)) - before
  })
  return { text, work, found: body.items.length }
}

const body = 'A quince medlar, and another medlar quince'
const group = (more = {}) => bob.post<Id>('/groups', { name: 'Quince medlar', ...more })
const course = { title: body, summary: body, depth: 1, priceMana: 0 }
const film = () => bob.post<Id>('/videos', { mediaUrl: 'https://example.org/a.mp4', caption: body })

const kept: [string, () => Promise<unknown>][] = [
  [
    'posts in a private group',
    async () => {
      const { id } = (await group({ visibility: 'private', joinPolicy: 'invite' })).body
      await times(() => publish(bob, { body, groupId: id }))
    },
  ],
  [
    'videos in a group',
    async () => {
      const { id } = (await bob.post<Id>('/groups', { name: 'Others' })).body
      for (let n = 0; n < 3; n++)
        await bob.post('/videos', { mediaUrl: 'https://example.org/a.mp4', caption: body, groupId: id })
    },
  ],
  ['posts for circles', () => times(() => publish(bob, { body, visibility: 'circles' }))],
  ['posts for the inner circle', () => times(() => publish(bob, { body, visibility: 'inner' }))],
  ['posts that wait for their time', () => times(() => publish(bob, { body, publishAt: '2100-01-01T00:00:00Z' }))],
  [
    'posts that staff hid',
    async () => {
      const ids = await times(() => publish(bob, { body }))
      await applyEffects(owner)
      await owner`update app.posts set hidden_at = now() where id = any (${ids}::uuid[])`
    },
  ],
  ['posts that are deleted', () => times(async () => bob.delete(`/posts/${await publish(bob, { body })}`))],
  ['drafts of courses', async () => expect(await bob.post('/courses', course)).toMatchObject({ status: 201 })],
  [
    'a video that staff removed',
    async () => owner`update app.contents set removed_at = now() where id = ${(await film()).body.id}`,
  ],
]

await publish(bob, { body: 'There is a quince medlar for everybody' })

test.each(kept)('%s take nothing of a stranger’s search', async (_, write) => {
  const before = await search()
  expect(before.found).toBe(1)
  await write()
  expect(await search()).toEqual(before)
})

test('posts of the banned take nothing of it once the worker has seen to them', async () => {
  const before = await search()
  await times(() => publish(mallory, { body }))
  await applyEffects(owner)
  await owner`update app.users set banned_at = now() where id = ${mallory.id}`
  let next: string | null = null
  do {
    const [row]: [{ done: { next: string | null } }] = await owner`
      select private.silence_documents(${JSON.stringify({ userId: mallory.id })}::text::jsonb, ${next}) as done`
    next = row.done.next
  } while (next)
  const after = await search()
  expect(after.text).toBe(before.text)
  expect(after.work).toBeLessThanOrEqual(before.work) // there is a person less
})

test('what was kept is found once it is for everybody', async () => {
  const before = await search()
  await owner`update app.posts set hidden_at = null where hidden_at is not null`
  await owner`update app.contents set removed_at = null, is_draft = false where removed_at is not null or is_draft`
  await owner`update app.spaces set visibility = 'public' where visibility = 'private'`
  expect((await search()).found).toBe(Math.min(20, before.found + MANY + 3))
})
