// If a thing becomes invisible between the check and the write, the answer is the same as for an unknown thing.
import { expect, test } from 'vitest'
import { publish } from '../support/posts.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const { alice, bob, database, join } = await world({ people: ['alice', 'bob'] })
const { owner } = database
type Id = { id: string }
const waits = () => owner`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
const film = async () => (await bob.post<Id>('/videos', { mediaUrl: 'https://example.org/a.mp4' })).body.id

const post = await publish(alice)
const circle = (await alice.post<Id>('/circles', { name: 'Friends' })).body.id

const writes: [string, string, string, (name: string) => Record<string, unknown>][] = [
  ['followed', 'app.follows', '/users/:id/follow', () => ({})],
  ['added to a circle', 'app.circle_members', `/circles/me/${circle}/members`, (memberId) => ({ memberId })],
  ['invited', 'app.circle_invitations', `/circles/me/${circle}/invitations`, (inviteeId) => ({ inviteeId })],
  ['made a co-author', 'app.post_co_authors', `/posts/${post}/co-authors`, (userId) => ({ userId, splitShare: 1 })],
]

test.each(writes)('A person who is banned while being %s is unknown', async (what, table, path, body) => {
  const name = `p_${what.replace(/\W/g, '_')}`
  const [person] = await join(name)
  const answer = await owner.begin(async (sql) => {
    await sql.unsafe(`lock table ${table} in exclusive mode`) // the lock lets the write wait after the check
    const asked = alice.post(path.replace(':id', name), body(name))
    await until(async () => (await waits()).length > 0)
    await sql`update app.users set banned_at = now() where id = ${person?.id ?? null}`
    return { asked }
  })
  expect(await answer.asked).toFailWith(404, 'person_unknown')
})

const answered: [string, string, () => Promise<string>, string, object?][] = [
  ['A reply to a post', '/posts/:id/replies', () => publish(bob), 'post_unknown', { body: 'Indeed.' }],
  ['A comment on a video', '/videos/:id/comments', film, 'video_unknown', { body: 'Indeed.' }],
  ['A like of a video', '/videos/:id/like', film, 'video_unknown'],
]

test.each(answered)(
  '%s that runs at the same time as a block is answered as unknown',
  async (_, path, make, code, body) => {
    const id = await make()
    const { asked } = await owner.begin(async (sql) => {
      await sql`select private.lock_counters(array[${id}::uuid]), private.lock_video_counters(array[${id}::uuid])`
      const asked = alice.post(path.replace(':id', id), body)
      await until(async () => (await waits()).length > 0)
      await sql`insert into app.blocks (blocker_id, blocked_id) values (${bob.id}, ${alice.id})`
      return { asked }
    })
    const answer = await asked.finally(() => owner`delete from app.blocks`)
    expect(answer).toFailWith(404, code)
  },
)
