// The cost of a search: its amount of work does not depend on what others keep private, and the number of concurrent
// searches is limited.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { looked } from '../../support/bounds.ts'
import { applyEffects } from '../../support/database.ts'
import type { Page } from '../../support/lists.ts'
import { publish } from '../../support/posts.ts'
import { rest } from '../../support/rest.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const { alice, bob, mallory, database, stack } = await world({ people: ['alice', 'bob', 'mallory'] })
const { owner, superuser, asCaller } = database
type Id = { id: string }
const WORDS = 'quince medlar "quince medlar"'
const MANY = 30
const times = <T>(make: (n: number) => Promise<T>) => Promise.all(Array.from({ length: MANY }, (_, n) => make(n)))

/** Alice's answer, and how many rows and index entries the search read. */
async function search() {
  await applyEffects(owner)
  // without a vacuum, the first search would also read the index entries of deleted rows
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

test.each(kept)('A stranger’s search reads nothing of %s', async (_, write) => {
  const before = await search()
  expect(before.found).toBe(1)
  await write()
  expect(await search()).toEqual(before)
})

test('A search reads nothing of a banned person’s posts once the worker has processed the ban', async () => {
  const before = await search()
  await times(() => publish(mallory, { body }))
  await applyEffects(owner)
  await owner`update app.users set banned_at = now() where id = ${mallory.id}`
  let next: string | null = null
  do {
    const [row]: [{ done: { next: string | null } }] = await owner`
      select private.hide_or_show_documents(${JSON.stringify({ userId: mallory.id })}::text::jsonb, ${next}) as done`
    next = row.done.next
  } while (next)
  // a vacuum keeps deleted rows as long as an older transaction could see them, and the search then reads their entries
  const after = await until(async () => {
    const found = await search()
    return found.work <= before.work ? found : undefined // one person fewer
  })
  expect(after.text).toBe(before.text)
})

test('Private things are found once they become public', async () => {
  const before = await search()
  await owner`update app.posts set hidden_at = null where hidden_at is not null`
  await owner`update app.contents set removed_at = null, is_draft = false where removed_at is not null or is_draft`
  await owner`update app.spaces set visibility = 'public' where visibility = 'private'`
  expect((await search()).found).toBe(Math.min(20, before.found + MANY + 3))
})

describe('Concurrent searches', async () => {
  /** Holds these slots, as other searches would, while `work` runs. */
  async function taken<T>(keys: string[], work: () => Promise<T>): Promise<T> {
    return owner
      .begin(async (sql) => {
        for (const key of keys) await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`
        return { done: await work() }
      })
      .then(({ done }) => done)
  }
  const all = ['searches 1', 'searches 2', 'searches 3', 'searches 4']
  const look = () => alice.get('/discovery/search?q=quince')

  test('are limited to two per person', async () => {
    expect(await taken([`search 1 ${alice.id}`], look)).toMatchObject({ status: 200 })
    const refused = await taken([`search 1 ${alice.id}`, `search 2 ${alice.id}`], look)
    expect(refused).toFailWith(429, 'searches_running')
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await taken([`search 1 ${bob.id}`, `search 2 ${bob.id}`], look)).toMatchObject({ status: 200 })
  })

  test('are limited to four per instance, and a fifth one waits and then gets 503', async () => {
    expect(await taken(all.slice(1), look)).toMatchObject({ status: 200 })
    const refused = await taken(all, look)
    expect(refused).toFailWith(503, 'search_busy')
    expect(refused.headers.get('retry-after')).toBe('2')
    expect(await taken(all, () => alice.get('/discovery/people'))).toMatchObject({ status: 200 })
  })

  test('that wait get the next free slot', async () => {
    const { asked } = await taken(all, async () => {
      const [{ now }] = await owner<[{ now: Date }]>`select clock_timestamp() as now`
      const asked = look()
      await until(async () => {
        const tried = await superuser`select from pg_stat_activity where datname = ${database.name}
          and usename = 'kith_user' and query like '%api.search%' and state = 'idle' and query_start > ${now}`
        return tried.length > 0
      })
      return { asked }
    })
    expect(await asked).toMatchObject({ status: 200 })
  })

  test('of one person cannot fill the queue of waiting searches', async () => {
    const looks: ReturnType<typeof look>[] = []
    const { asked } = await taken(all, async () => {
      // starts the searches one after the other, because the limit per person would reject concurrent searches
      for (;;) {
        const asked = look()
        looks.push(asked)
        const answer = await Promise.race([asked, sleep(20)])
        if (answer?.status === 503) break
      }
      const asked = bob.get('/discovery/search?q=quince')
      await Promise.race([asked, sleep(200)])
      return { asked }
    })
    expect(await asked).toMatchObject({ status: 200 })
    await Promise.all(looks) // none of these searches may run during the next test
  })

  test('by .rpc() are limited too', async () => {
    const ask = async () => rest(stack, alice).client(alice.token).rpc('search', { p_q: 'quince' })
    expect(await taken(all, ask)).toMatchObject({ status: 503, error: { message: 'search_busy' } })
    expect(await ask()).toMatchObject({ status: 200 })
  })

  test('can be limited differently by the operator', async () => {
    await owner`update app.settings set value = '5' where key = 'searches_at_once'`
    expect(await taken(all, look)).toMatchObject({ status: 200 })
    await owner`update app.settings set value = '4' where key = 'searches_at_once'`
  })
})
