// A ban, or an erasure, beside what the person is just doing: of whatever they publish nothing is seen afterwards, and
// no token works that they had or got meanwhile. In both orders, held where they meet; and left to chance.
import type { TransactionSql } from 'postgres'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../support/crawler.ts'
import { type Page, walk } from '../support/lists.ts'
import type { Person } from '../support/person.ts'
import { rest } from '../support/rest.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const ROUNDS = 20
const { alice, nobody, database, stack, join } = await world({ people: ['alice'] })
const { owner } = database
const { ask, bearer } = rest(stack, alice)

type Made = { id: string }
type Session = { accessToken: string; refreshToken: string }
type Reply = { authorId: string }

const found = (await alice.post<Made>('/posts', { body: 'What I found' })).body.id

/** What a person can publish, by the table that it goes to. */
const publishing: Record<string, (person: Person) => Promise<Answer<Made>>> = {
  posts: (person) => person.post('/posts', { body: crypto.randomUUID() }),
  replies: (person) => person.post(`/posts/${found}/replies`, { body: crypto.randomUUID() }),
  series: (person) => person.post('/posts/series', { title: crypto.randomUUID() }),
}
const ways = Object.keys(publishing)
const publish = (way: string, person: Person) => publishing[way]?.(person) as Promise<Answer<Made>>
const countOf = async (way: string, person: Person) =>
  (await owner`select from app.${owner(way)} where author_id = ${person.id}`).length

const logIn = ({ email, password }: Person) =>
  nobody.post<Session>('/auth/login', { email, password, session: 'rotating' })

const bannedAt = (sql: TransactionSql | typeof owner, { id }: Person) =>
  sql`update app.users set banned_at = now() where id = ${id}`
const erasedAt = (sql: TransactionSql | typeof owner, { id }: Person) =>
  sql`update app.users set erased_at = now() where id = ${id}`

/** Waits until a statement waits for a lock: one of the API, or of the test's own that begins so. */
const waits = (start: string) =>
  until(async () => {
    const rows = await owner`
      select from pg_stat_activity
      where datname = ${database.name} and wait_event_type = 'Lock' and strpos(query, ${start}) = 1`
    return rows.length > 0
  })

let names = 0
const someone = async () => (await join(`racer${++names}`))[0] as Person

/** Nothing that they published is there for others, on any way to it. */
async function expectSilence(person: Person, posts: string[]) {
  const { actorId, username } = person
  for (const id of posts) expect(await alice.get(`/posts/${id}`)).toFailWith(404, 'post_unknown')
  const feed = await walk(alice, '/feed', 50)
  expect(feed.filter((id) => posts.includes(id))).toEqual([])
  expect(await alice.get(`/posts/by/${username}`)).toFailWith(404, 'person_unknown')
  expect(await alice.get(`/users/${username}`)).toFailWith(404, 'person_unknown')
  const replies = await alice.get<Page<Reply>>(`/posts/${found}/replies?limit=50`)
  expect(replies.body.items.filter(({ authorId }) => authorId === actorId)).toEqual([])
  const { body } = await alice.get<{ counters: { replies: number } }>(`/posts/${found}`)
  const others = await owner`
    select from app.replies r join app.users u on u.id = r.author_id and u.banned_at is null where r.post_id = ${found}`
  expect(body.counters.replies).toBe(others.length)
  expect((await alice.get('/notifications?limit=50')).text).not.toContain(actorId)
  const loud = await owner`
    select id from app.posts where author_id = ${person.id} and not author_banned
    union all select id from app.replies where author_id = ${person.id} and not author_banned`
  expect(loud).toHaveLength(0)
}

/** No token of theirs opens any door. */
async function expectLockedOut(person: Person, sessions: Session[]) {
  for (const token of [person.token ?? '', ...sessions.map(({ accessToken }) => accessToken)]) {
    const holder = person.withToken(token)
    expect(await holder.get('/me')).toFailWith(401, 'token_revoked')
    expect(await publish('posts', holder)).toFailWith(401, 'token_revoked')
    expect(await ask('/rpc/get_me', bearer(token))).toMatchObject({ status: 401, body: { message: 'token_revoked' } })
  }
  for (const { refreshToken } of sessions) {
    expect(await nobody.post('/identity/refresh', { refreshToken })).toFailWith(401, 'refresh_token_invalid')
  }
}

test('these are all the ways to publish', async () => {
  const rows = await owner`
    select tgrelid::regclass::text as table from pg_trigger where tgfoid = 'private.check_author'::regproc order by 1`
  expect(rows.map(({ table }) => table)).toEqual(ways.map((way) => `app.${way}`))
})

describe.each([
  ['a ban', bannedAt],
  ['an erasure', erasedAt],
])('%s that is under way', (_what, end) => {
  test.each(ways)('is waited for by %s, and lets nothing through', async (way) => {
    const person = await someone()
    const { asked } = await owner.begin(async (sql) => {
      await end(sql, person)
      const asked = publish(way, person)
      await waits('select api.')
      return { asked } // not the promise itself: that would be awaited with the lock still held
    })
    expect(await asked).toFailWith(401, 'token_revoked')
    expect(await countOf(way, person)).toBe(0)
  })

  test.each(ways)('and comes to nothing is waited for by %s, and harms nothing', async (way) => {
    const person = await someone()
    const undone = new Error('undone')
    let asked: Promise<Answer<Made>> | undefined
    const ending = owner.begin(async (sql) => {
      await end(sql, person)
      asked = publish(way, person)
      await waits('select api.')
      throw undone
    })
    await expect(ending).rejects.toBe(undone)
    expect(await asked).toMatchObject({ status: 201 })
    expect(await countOf(way, person)).toBe(1)
  })
})

describe('a ban waits', () => {
  test.each(['posts', 'replies'])('for %s that are under way, and then covers them', async (way) => {
    const person = await someone()
    const { asked, ban } = await owner.begin(async (sql) => {
      await sql`lock table app.domain_events in share mode` // what is published is told at the end
      const asked = publish(way, person)
      await waits('select api.')
      const ban = bannedAt(owner, person).execute()
      await waits('update app.users')
      return { asked, ban }
    })
    const { status, body } = await asked
    expect(status).toBe(201)
    await ban
    await expectSilence(person, way === 'posts' ? [body.id] : [])
  })
})

test('a login that a ban overtakes gives tokens that are dead', async () => {
  const person = await someone()
  const { asked } = await owner.begin(async (sql) => {
    await sql`lock table app.sessions in share mode` // the session is opened after the look at bans
    const asked = logIn(person)
    await waits('select api.log_in(')
    await bannedAt(owner, person)
    return { asked }
  })
  const { status, body } = await asked
  expect(status).toBe(200)
  await expectLockedOut(person, [body])
  expect(await logIn(person)).toFailWith(403, 'person_banned')
})

test(`${ROUNDS} bans amid posts, replies and logins`, { timeout: 120_000 }, async () => {
  const people = await join(...Array.from({ length: ROUNDS }, (_, n) => `rounder${n}`))
  const seen = new Set<string>()
  for (const [round, person] of people.entries()) {
    const asked = [1, 2, 3, 4].flatMap((n) => [
      ...['posts', 'replies'].map((way) => () => publish(way, person)),
      ...(n % 2 ? [() => logIn(person)] : []),
    ])
    let answered = 0
    const answers = asked.map((ask) => ask().finally(() => answered++))
    await until(() => answered >= round % asked.length, { every: 1 }) // each time a little later
    await bannedAt(owner, person)
    const all = await Promise.all(answers)

    for (const answer of all) {
      seen.add(`${answer.status}`)
      if (answer.status >= 300)
        expect(answer).toFailWith(answer.status, answer.status === 403 ? 'person_banned' : 'token_revoked')
    }
    const posts = await owner<Made[]>`select id from app.posts where author_id = ${person.id}`
    await expectSilence(
      person,
      posts.map(({ id }) => id),
    )
    const sessions = all.map(({ body }) => body as unknown as Session).filter(({ accessToken }) => accessToken)
    await expectLockedOut(person, sessions)
    expect(await logIn(person)).toFailWith(403, 'person_banned')
  }
  expect([...seen].sort()).toEqual(['200', '201', '401', '403']) // some were in time, some were not
})
