// Somebody who is banned between the look at them and the write that names them: the answer is that of nobody.
import { expect, test } from 'vitest'
import { publish } from '../support/posts.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const { alice, database, join } = await world({ people: ['alice'] })
const { owner } = database
type Id = { id: string }

const post = await publish(alice)
const circle = (await alice.post<Id>('/circles', { name: 'Friends' })).body.id

const writes: [string, string, string, (name: string) => Record<string, unknown>][] = [
  ['followed', 'app.follows', '/users/:id/follow', () => ({})],
  ['let into a circle', 'app.circle_members', `/circles/me/${circle}/members`, (memberId) => ({ memberId })],
  ['invited', 'app.circle_invitations', `/circles/me/${circle}/invitations`, (inviteeId) => ({ inviteeId })],
  ['made co-author', 'app.post_co_authors', `/posts/${post}/co-authors`, (userId) => ({ userId, splitShare: 1 })],
]

test.each(writes)('who is banned while they are %s is nobody', async (what, table, path, body) => {
  const name = `p_${what.replace(/\W/g, '_')}`
  const [person] = await join(name)
  const waits = () =>
    owner`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  const answer = await owner.begin(async (sql) => {
    await sql.unsafe(`lock table ${table} in exclusive mode`) // so that the write waits after the look
    const asked = alice.post(path.replace(':id', name), body(name))
    await until(async () => (await waits()).length > 0)
    await sql`update app.users set banned_at = now() where id = ${person?.id ?? null}`
    return { asked }
  })
  expect(await answer.asked).toFailWith(404, 'person_unknown')
})
