// A ban or an erasure while the person is doing something. Afterwards nothing that they published is visible, and no
// token works that they had before or got meanwhile. The tests stop the transactions where they conflict, in both
// orders, and run many rounds in random order. A person who wrote more than one batch is hidden immediately too. Bans,
// unbans and batches may overlap in any order.
import type { Sql, TransactionSql } from 'postgres'
import { describe, expect, test } from 'vitest'
import type { Answer } from '../support/crawler.ts'
import { type Page, walk } from '../support/lists.ts'
import type { Person } from '../support/person.ts'
import { rest } from '../support/rest.ts'
import { runs } from '../support/runs.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const ROUNDS = runs(6, 50)
const { alice, nobody, database, stack, join } = await world({ people: ['alice'], env: { POOL_USER: '4' } })
const { owner } = database
const { ask, bearer } = rest(stack, alice)

type Made = { id: string }
type Session = { accessToken: string; refreshToken: string }
type Reply = { authorId: string }

const found = (await alice.post<Made>('/posts', { body: 'What I found' })).body.id
const mediaUrl = 'https://example.org/clip.mp4'
const clip = (await alice.post<Made>('/videos', { mediaUrl })).body.id
const soon = new Date(Date.now() + 86_400_000).toISOString()
const motion = (await alice.post<Made>('/debates', { title: 'x', body: 'x', closesAt: soon })).body.id
const puzzle = (await alice.post<Made>('/problems', { title: 'x', body: 'x' })).body.id
const long = () => `${crypto.randomUUID()} ${crypto.randomUUID()}`
const [topic] = await owner<{ id: string; slug: string }[]>`select id, slug from app.interests where level = 1 limit 1`

/** Everything that a person can publish, by table. Reviews need an order, and are in test/model/orders.test.ts. */
const publishing: Record<string, (person: Person) => Promise<Answer<Made>>> = {
  contents: (person) => person.post('/videos', { mediaUrl }),
  debate_arguments: (person) => person.post(`/debates/${motion}/arguments`, { side: 'for', body: long() }),
  debate_positions: (person) => person.put(`/debates/${motion}/position`, { side: 'for' }),
  posts: (person) => person.post('/posts', { body: crypto.randomUUID() }),
  problem_solutions: (person) => person.post(`/problems/${puzzle}/solutions`, { body: long() }),
  replies: (person) => person.post(`/posts/${found}/replies`, { body: crypto.randomUUID() }),
  series: (person) => person.post('/posts/series', { title: crypto.randomUUID() }),
  video_comments: (person) => person.post(`/videos/${clip}/comments`, { body: crypto.randomUUID() }),
  wiki_proposals: (person) =>
    person.post(`/wiki/${topic?.slug}/proposals`, { body: crypto.randomUUID(), summary: 'x', baseVersion: 0 }),
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

/** Waits until a statement that starts with this text, by the API or by the test, waits for a lock. */
const waits = (start: string) =>
  until(async () => {
    const rows = await owner`
      select from pg_stat_activity
      where datname = ${database.name} and wait_event_type = 'Lock' and strpos(query, ${start}) = 1`
    return rows.length > 0
  })

let names = 0
/** A new person with enough reputation to propose changes of the wiki. */
async function someone(): Promise<Person> {
  const [person] = (await join(`racer${++names}`)) as [Person]
  await owner`select private.add_reputation(${person.id}, ${topic?.id ?? ''}, 'admin.adjusted', 20)`
  return person
}

/** Checks that others see nothing the person published, by any operation. */
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

/** Checks that none of the person's tokens works, by HTTP or PostgREST. */
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

test('The tests cover every table that checks its author', async () => {
  const rows = await owner`
    select tgrelid::regclass::text as table from pg_trigger where tgfoid = 'private.check_author'::regproc order by 1`
  expect(rows.map(({ table }) => table)).toEqual([...ways, 'offering_reviews'].map((way) => `app.${way}`).sort())
})

describe.each([
  ['a ban', bannedAt],
  ['an erasure', erasedAt],
])('While %s is running,', (_what, end) => {
  test.each(ways)('publishing in %s waits for it and is then refused', async (way) => {
    const person = await someone()
    const { asked } = await owner.begin(async (sql) => {
      await end(sql, person)
      const asked = publish(way, person)
      await waits('select api.')
      return { asked } // begin() would await a bare promise while it holds the lock
    })
    expect(await asked).toFailWith(401, 'token_revoked')
    expect(await countOf(way, person)).toBe(0)
  })

  test.each(ways)('publishing in %s waits for it and succeeds if it is rolled back', async (way) => {
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
    expect((await asked)?.status).toBe(way === 'debate_positions' ? 200 : 201)
    expect(await countOf(way, person)).toBe(1)
  })
})

describe('A ban waits', () => {
  test.each(['posts', 'replies'])('for %s that are being published, and then hides them', async (way) => {
    const person = await someone()
    const { asked, ban } = await owner.begin(async (sql) => {
      await sql`lock table app.domain_events in share mode` // a published row emits its event at the end
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

test('A login during a ban gives only revoked tokens', async () => {
  const person = await someone()
  const { asked } = await owner.begin(async (sql) => {
    await sql`lock table app.sessions in share mode` // the session starts after the check for bans
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

test('Bans among posts, replies and logins leave nothing visible and no valid token', {
  timeout: 120_000,
}, async () => {
  const seen = new Set<string>()
  // some requests must be answered before the ban, and some after it
  const isEnough = () => ['200', '201', '401', '403'].every((status) => seen.has(status))
  for (let round = 0; round < ROUNDS || (round < 60 && !isEnough()); round++) {
    const person = await someone()
    const asked = [1, 2, 3, 4].flatMap((n) => [
      ...['posts', 'replies'].map((way) => () => publish(way, person)),
      ...(n % 2 ? [() => logIn(person)] : []),
    ])
    let answered = 0
    const answers = asked.map((ask) => ask().finally(() => answered++))
    await until(() => answered >= round % asked.length, { every: 1 }) // the ban comes later in each round
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
  expect([...seen].sort()).toEqual(['200', '201', '401', '403'])
})

const MANY = 1200 // three batches

/** Writes a year of posts and replies, without the triggers, which would take minutes. */
async function wrote(person: Person, many: number): Promise<string[]> {
  const made = await database.superuser.begin(async (sql) => {
    await sql`set local session_replication_role = replica`
    const posts = await sql<Made[]>`
      insert into app.posts (author_id, body, published_at)
      select ${person.id}::uuid, 'one of many', now() - n * interval '1 hour' from generate_series(1, ${many}::int) n
      returning id`
    await sql`insert into app.post_counters (post_id) select id from app.posts where author_id = ${person.id}`
    await sql`
      insert into app.replies (post_id, author_id, body, created_at)
      select ${found}::uuid, ${person.id}::uuid, 'one of many', now() - n * interval '1 hour'
      from generate_series(1, ${many}::int) n`
    return { ids: posts.map(({ id }) => id) }
  })
  await owner`
    update app.post_counters set replies = (select count(*) from app.replies where post_id = ${found} and required_level = 0)
    where post_id = ${found}`
  return made.ids
}

/** How many of a person's posts and replies are flagged as banned, and how many aren't. */
async function writtenAs({ id }: Person) {
  const [row] = await owner<{ yes: number; no: number }[]>`
    select count(*) filter (where author_banned)::int as yes, count(*) filter (where not author_banned)::int as no
    from (select author_banned from app.posts where author_id = ${id}
          union all select author_banned from app.replies where author_id = ${id}) w`
  return row
}

/** A job of the worker: all of its batches, each in its own transaction. */
async function work(sql: Sql, batch: string, { id }: Person): Promise<void> {
  let after: string | null = null
  do {
    const rows: { done: { next: string | null } }[] = await sql.unsafe(
      `select private.${batch}($1::text::jsonb, $2) as done`,
      [JSON.stringify({ userId: id }), after],
    )
    after = rows[0]?.done.next ?? null
  } while (after)
}

const unbanned = (sql: Sql, { id }: Person) => sql`update app.users set banned_at = null where id = ${id}`
const suspendedAt = (sql: Sql, { id }: Person) =>
  sql`update app.users set banned_at = now(), banned_until = now() where id = ${id}`
const released = (sql: Sql) => sql`select private.job_end_suspensions()`

test('If a person wrote more than one batch, everything is hidden before the worker runs', {
  timeout: 60_000,
}, async () => {
  const person = await someone()
  const posts = await wrote(person, MANY)
  const [oldest = '', before = ''] = [posts.at(-1), posts.at(-2)]
  const cursor = await owner<Made[]>`
    select id from app.replies where author_id = ${person.id} order by created_at desc offset ${MANY - 20} limit 1`
  expect(await alice.get(`/posts/${oldest}`)).toMatchObject({ status: 200 })

  await bannedAt(owner, person)
  expect(await writtenAs(person)).toEqual({ yes: 1000, no: 2 * (MANY - 500) })
  for (const post of [oldest, before]) {
    expect(await alice.get(`/posts/${post}`)).toFailWith(404, 'post_unknown')
    expect(await alice.post(`/posts/${post}/react`, { kind: 'heart' })).toFailWith(404, 'post_unknown')
    expect(await alice.post(`/posts/${post}/replies`, { body: 'Hm.' })).toFailWith(404, 'post_unknown')
  }
  expect(await alice.post('/reports', { targetType: 'reply', targetId: cursor[0]?.id, reason: 'x' })).toFailWith(
    404,
    'reply_unknown',
  )
  expect((await walk(alice, '/feed', 50)).filter((id) => posts.includes(id))).toEqual([])
  const replies = await walk(alice, `/posts/${found}/replies`, 50)
  const others = await owner<Made[]>`
    select r.id from app.replies r join app.users u on u.id = r.author_id and u.banned_at is null
    where r.post_id = ${found} order by r.created_at, r.id`
  expect(replies).toEqual(others.map(({ id }) => id))

  // The newest posts are visible again immediately. Posts that no worker had hidden yet never disappeared.
  await unbanned(owner, person)
  expect(await writtenAs(person)).toEqual({ yes: 0, no: 2 * MANY })
  expect(await alice.get(`/posts/${oldest}`)).toMatchObject({ status: 200 })
  await bannedAt(owner, person)
  for (const batch of ['hide_or_show_posts', 'hide_or_show_replies']) await work(owner, batch, person)
  expect(await writtenAs(person)).toEqual({ yes: 2 * MANY, no: 0 })
})

test.each([
  ['a ban', 'banned', 9, bannedAt, unbanned],
  ['a ban', 'free', 10, bannedAt, unbanned],
  ['a suspension', 'free', 4, suspendedAt, released],
] as const)(
  'Concurrent batches, posts and changes of %s leave the person %s',
  {
    timeout: 120_000,
  },
  async (_what, end, changes, begin, finish) => {
    const person = await someone()
    await wrote(person, MANY)
    const workers = Array.from({ length: 3 }, () => database.connect('kith_worker'))
    const jobs: Promise<void>[] = []
    let over = false
    let published = 0
    let refused = 0
    /** The person keeps writing as long as they may, and others keep reacting to what the person wrote. */
    const writing = ['posts', 'replies'].map(async (table) => {
      while (!over) {
        const made =
          table === 'posts'
            ? owner`insert into app.posts (author_id, body) values (${person.id}, 'meanwhile')`
            : owner`insert into app.replies (post_id, author_id, body) values (${found}, ${person.id}, 'meanwhile')`
        await made.then(
          () => published++,
          (error) => {
            expect(error.message).toBe('token_revoked')
            refused++
          },
        )
      }
    })
    for (let change = 1; change <= changes; change++) {
      const [was, not] = [published, refused]
      if (change % 2) await begin(owner, person)
      else await finish(owner, person)
      for (const [at, batch] of ['hide_or_show_posts', 'hide_or_show_replies', 'hide_or_show_posts'].entries())
        jobs.push(work(workers[(change + at) % workers.length] as Sql, batch, person))
      // Some batches run before the next change, and a write is rejected or published in between
      await until(() => (change % 2 ? refused > not : published > was), { every: 1 })
    }
    over = true
    await Promise.all([...writing, ...jobs])
    await Promise.all(workers.map((sql) => sql.end()))
    const { yes = 0, no = 0 } = (await writtenAs(person)) ?? {}
    expect(end === 'banned' ? no : yes).toBe(0)
    expect(yes + no).toBe(2 * MANY + published)
    const [counted] = await owner`
    select c.replies = (select count(*) from app.replies r where r.post_id = c.post_id and r.required_level = 0) as right
    from app.post_counters c where c.post_id = ${found}`
    expect(counted).toEqual({ right: true })
  },
)

/** What the database has about a person and what they wrote, without ids and times. */
async function stateOf({ id, username }: Person) {
  const rows = await owner`
    select u.banned_at, u.banned_until, u.erased_at, u.role, u.credentials_version,
           exists (select from app.hidden_people h where h.user_id = u.id) as hidden,
           (select count(*)::int from private.name_trigrams t where t.user_id = u.id) > 0 as named,
           (select array_agg(i.hidden) from app.connection_intents i where i.user_id = u.id) as intents,
           (select array_agg(d.gone_at is null) from private.search_documents d where d.id = u.id) as found,
           (select json_agg(json_build_object('kind', 'post', 'level', p.required_level, 'banned', p.author_banned))
            from app.posts p where p.author_id = u.id) as posts,
           (select json_agg(json_build_object('level', r.required_level, 'banned', r.author_banned))
            from app.replies r where r.author_id = u.id) as replies,
           (select json_agg(json_build_object('kind', c.kind, 'level', c.required_level, 'hidden', c.author_hidden))
            from app.contents c where c.author_id = u.id) as contents,
           (select json_agg(c.author_hidden) from app.video_comments c where c.author_id = u.id) as comments,
           (select json_agg(a.author_hidden) from app.debate_arguments a where a.author_id = u.id) as arguments,
           (select json_agg(s.author_hidden) from app.problem_solutions s where s.author_id = u.id) as solutions,
           (select json_agg(l.action order by l.id) from app.audit_log l where l.target_id = u.id::text) as entries
    from app.users u where u.id = ${id}`
  const feed = await walk(alice, `/posts/by/${username}`, 50)
  return { ...rows[0], profile: feed.length }
}

test('A suspension that the job ends leaves the same state as an unban', async () => {
  const [one, other] = [await someone(), await someone()]
  for (const person of [one, other]) for (const way of ways) await publish(way, person)
  await owner`select private.set_banned(private.lock_account(${one.id}), true, 'Spam')`
  await owner`select private.set_banned(private.lock_account(${other.id}), true, 'Spam', now() + interval '1 day')`
  await owner`update app.users set banned_until = now() where id = ${other.id}`
  for (const person of [one, other]) await expectSilence(person, [])
  await owner`select private.set_banned(private.lock_account(${one.id}), false, null)`
  await released(owner)
  const [unban, job] = [await stateOf(one), await stateOf(other)]
  expect(unban).toMatchObject({ banned_at: null, hidden: false, named: true, profile: 1 })
  expect(job).toEqual({ ...unban, entries: ['user.suspended', 'user.unbanned'] })
  for (const person of [one, other]) expect((await logIn(person)).status).toBe(200)
})
