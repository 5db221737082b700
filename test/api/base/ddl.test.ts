// A migration under traffic: plans and prepared statements become stale while 8 people read and write. Nobody may read
// or write as somebody else, acknowledged writes must be stored, and the worst answer is 503, after which the client
// retries.
import { describe, expect, test } from 'vitest'
import type { Person } from '../../support/person.ts'
import { world } from '../../support/world.ts'

const names = Array.from({ length: 8 }, (_, n) => `person${String.fromCharCode(97 + n)}`)
const { database, join } = await world({ people: [], env: { POOL_USER: '4' } })
const people: Person[] = []
for (let n = 0; n < names.length; n += 4) people.push(...(await join(...names.slice(n, n + 4))))

const { owner } = database

/** The schema changes. Each makes other plans stale, and each is undone so that it can be repeated. */
const changes: Record<string, [string, string]> = {
  'a column of the posts': ['alter table app.posts add column ddl text', 'alter table app.posts drop column ddl'],
  'a column of the people': [
    'alter table app.users add column ddl integer default 7',
    'alter table app.users drop column ddl',
  ],
  'a column of the counters of the posts': [
    'alter table app.post_counters add column ddl text',
    'alter table app.post_counters drop column ddl',
  ],
  'an index': ['create index ddl_idx on app.posts (created_at)', 'drop index app.ddl_idx'],
  'the type that /me answers with': [
    'alter function api.get_me rename to get_me_before; create function api.get_me() returns json language sql stable as $$ select api.get_me_before() $$; grant execute on function api.get_me to authenticated',
    'drop function api.get_me; alter function api.get_me_before rename to get_me',
  ],
  'a policy': ['alter policy select_reachable on app.users using (erased_at is null)', ''],
}

async function policyText(): Promise<string> {
  const [row] = await owner<{ qual: string }[]>`
    select qual from pg_policies where tablename = 'users' and policyname = 'select_reachable'`
  return row?.qual ?? ''
}

type Seen = { asked: number; strangers: string[]; statuses: Map<number, number>; acknowledged: Map<string, string> }

/** Reads the person's profile, writes a post, and reads the feed, repeatedly until `done`. */
async function live(person: Person, seen: Seen, done: () => boolean): Promise<void> {
  const note = (status: number) => seen.statuses.set(status, (seen.statuses.get(status) ?? 0) + 1)
  for (let n = 0; !done(); n++) {
    const me = await person.get<{ username: string; id: string }>('/me')
    note(me.status)
    if (me.status === 200 && me.body.id !== person.id) seen.strangers.push(`${person.username} saw ${me.body.username}`)
    const body = `${person.username} ${n}`
    const post = await person.post<{ id: string; authorId: string }>('/posts', { format: 'note', body })
    note(post.status)
    if (post.status === 201) seen.acknowledged.set(body, post.body.id)
    if (post.status === 201 && post.body.authorId !== person.actorId)
      seen.strangers.push(`${body} by ${post.body.authorId}`)
    note((await person.get('/feed')).status)
    seen.asked += 3
  }
}

describe('Schema changes under traffic', () => {
  test('leak no claims, lose no writes, and cause no worse answer than 503', { timeout: 60_000 }, async () => {
    const seen: Seen = { asked: 0, strangers: [], statuses: new Map(), acknowledged: new Map() }
    let over = false
    const living = Promise.all(people.map((person) => live(person, seen, () => over)))
    const policy = await policyText()
    changes['a policy'] = [
      changes['a policy']?.[0] ?? '',
      `alter policy select_reachable on app.users using (${policy})`,
    ]
    for (let round = 0; round < 3; round++) {
      for (const [there, back] of Object.values(changes)) {
        for (const statement of [there, back]) {
          const asked = seen.asked
          await owner.unsafe(statement).simple()
          await expect.poll(() => seen.asked).toBeGreaterThan(asked + 24) // each was served
        }
      }
    }
    over = true
    await living

    expect(seen.strangers).toEqual([])
    expect([...seen.statuses.keys()].filter((status) => ![200, 201, 503].includes(status))).toEqual([])
    expect(seen.acknowledged.size).toBeGreaterThan(100)
    const rows = await owner<{ id: string; body: string; author: string }[]>`
      select p.id, p.body, u.username as author from app.posts p join app.users u on u.id = p.author_id`
    const stored = new Map(rows.map(({ id, body }) => [body, id]))
    expect(rows.filter(({ body, author }) => body.split(' ')[0] !== author)).toEqual([]) // no wrong author
    expect(stored.size).toBe(rows.length) // none duplicated
    expect([...seen.acknowledged].filter(([body, id]) => stored.get(body) !== id)).toEqual([]) // none lost
    const unacknowledged = seen.statuses.get(503) ?? 0
    expect(rows.length - seen.acknowledged.size).toBeLessThanOrEqual(unacknowledged)
    expect(await policyText()).toBe(policy)
  })
})
