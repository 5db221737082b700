// Many votes at once: the tallies equal the votes whatever the order in which they arrive, and there is no deadlock.
import type { Sql } from 'postgres'
import { expect, test } from 'vitest'
import { applyEffects, createDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const database = await createDatabase()
const { owner } = database
// Each voter has their own connection, as if from twenty facades
const connections: Sql[] = Array.from({ length: 5 }, () => database.connect('kith_user'))
const workers = [database.connect('kith_worker'), database.connect('kith_worker')]

async function person(name: string): Promise<string> {
  const [row] = await owner<{ id: string }[]>`
    select private.create_person(${`${name}@example.org`}, 'no hash', ${name}, 'Family', '1990-01-31', 'DE', 'Berlin') as id`
  return row?.id ?? ''
}
const author = await person('author')
const voters = await Promise.all(Array.from({ length: 19 }, (_, at) => person(`voter${at}`)))
const now = Math.floor(Date.now() / 1000)
const claims = (id: string) => JSON.stringify({ sub: id, role: 'user', iat: now, exp: now + 3600 })

type Poll = { post: string; id: string; options: string[] }

async function ask(by = author, count = 3): Promise<Poll> {
  const [row] = await database.asCaller({ sub: by, role: 'user' }, async (sql) => {
    const [made] = await sql<{ post: string }[]>`select api.create_post('Which?') ->> 'id' as post`
    const options = Array.from({ length: count }, (_, at) => `option ${at}`)
    await sql`select private.add_poll(${made?.post ?? ''}, ${JSON.stringify({ options })}::text::jsonb)`
    return sql<Poll[]>`
      select l.post_id as post, l.id, array_agg(o.id order by o.position) as options
      from app.polls l join app.poll_options o on o.poll_id = l.id where l.post_id = ${made?.post ?? ''} group by l.id`
  })
  return row as Poll
}

let turn = 0
const connection = () => connections[turn++ % connections.length] as Sql

/** One statement, as the facade sends it. Returns the code of its error, or null. */
function call(by: string, operation: string, ...parameters: string[]): Promise<string | null> {
  const names = parameters.map((_, at) => `$${at + 2}`).join(', ')
  return connection()
    .unsafe(`select ${operation}(${names}) from private.enter($1)`, [claims(by), ...parameters])
    .then(
      () => null,
      (error) => error.message,
    )
}
const vote = (by: string, { post, options }: Poll, at: number) => call(by, 'api.vote_poll', post, options[at] ?? '')
const unvote = (by: string, { post }: Poll) => call(by, 'api.unvote_poll', post)
const close = (poll: Poll) => owner`update app.polls set closes_at = clock_timestamp() where id = ${poll.id}`

/** Runs the job repeatedly, as the worker does. Returns how many polls it closed. */
async function run(worker: Sql | undefined): Promise<number> {
  let closed = 0
  for (;;) {
    const [row] = (await worker?.unsafe<{ changed: number }[]>('select private.job_close_polls() as changed')) ?? []
    if (!row?.changed) return closed
    closed += row.changed
  }
}

async function expectTrueTallies({ id }: Poll): Promise<number> {
  const rows = await owner<{ votes: number; rows: number }[]>`
    select o.votes, (select count(*)::int from app.poll_votes v where v.option_id = o.id) as rows
    from app.poll_options o where o.poll_id = ${id}`
  expect(rows.map(({ votes }) => votes)).toEqual(rows.map((row) => row.rows))
  return rows.reduce((sum, { votes }) => sum + votes, 0)
}

/** The number of connections that are waiting for a lock. */
const waiting = async () =>
  (await owner`select from pg_stat_activity where datname = ${database.name} and wait_event_type = 'Lock'`).length

test('After concurrent votes, changes and withdrawals the tallies equal the votes', { timeout: 60_000 }, async () => {
  const poll = await ask()
  for (let round = 0; round < 5; round++) {
    const votes = Array.from({ length: 100 }, (_, at) => {
      const by = voters[(at * 7) % voters.length] ?? ''
      return at % 9 === 8 ? unvote(by, poll) : vote(by, poll, (at + round) % 3)
    })
    expect((await Promise.all(votes)).filter(Boolean)).toEqual([])
    await expectTrueTallies(poll)
  }
  expect((await Promise.all(voters.map((by, at) => vote(by, poll, at % 3)))).filter(Boolean)).toEqual([])
  expect(await expectTrueTallies(poll)).toBe(voters.length)
})

test.each([0, 1])(
  'A change of a vote and the erasure of the author lock options in the same order, with option %i held',
  async (held) => {
    const gone = await person(`gone${held}`)
    const poll = await ask(gone, 2)
    const [first = ''] = voters
    const options = [...poll.options].sort()
    const move = (to: number) => vote(first, poll, poll.options.indexOf(options[to] ?? ''))
    expect(await move(0)).toBeNull()
    const both = await owner.begin(async (sql) => {
      await sql`select from app.poll_options where id = ${options[held] ?? ''} for no key update`
      const erasure = owner`update app.users set erased_at = now() where id = ${gone}`.then(() => null)
      await until(async () => (await waiting()) === 1)
      const moved = move(1)
      await until(async () => (await waiting()) === 2)
      return { codes: Promise.all([erasure, moved]) } // they are awaited later, because both wait for this transaction
    })
    expect(await both.codes).toEqual([null, 'post_unknown']) // the erasure was first
    expect(await expectTrueTallies(poll)).toBe(1)
  },
)

test('A poll that closes while a vote waits is closed for that vote', async () => {
  const poll = await ask()
  const [first = '', second = ''] = voters
  await owner`update app.polls set closes_at = clock_timestamp() + interval '1 second' where id = ${poll.id}`
  const late = await owner.begin(async (sql) => {
    await sql`select set_config('role', 'authenticated', true)`
    await sql`select api.vote_poll(${poll.post}, ${poll.options[0] ?? ''}) from private.enter(${claims(first)})`
    const answer = vote(second, poll, 1)
    await until(async () => (await waiting()) === 1)
    await until(
      async () => (await owner`select from app.polls where id = ${poll.id} and closes_at <= clock_timestamp()`).length,
    )
    return { answer }
  })
  expect(await late.answer).toBe('poll_closed')
  expect(await expectTrueTallies(poll)).toBe(1)
})

test('Closing waits for a vote in progress, and notifies the voter', async () => {
  await run(workers[0])
  const poll = await ask()
  const [first = ''] = voters
  const end = await owner.begin(async (sql) => {
    await sql`select set_config('role', 'authenticated', true)`
    await sql`select api.vote_poll(${poll.post}, ${poll.options[0] ?? ''}) from private.enter(${claims(first)})`
    await close(poll)
    const job = run(workers[0])
    await until(async () => (await waiting()) === 1)
    return { job }
  })
  expect(await end.job).toBe(1)
  await applyEffects(owner)
  const told = await owner`select from app.notifications
    where user_id = ${first} and kind = 'poll.closed' and target_id = ${poll.post}`
  expect(told).toHaveLength(1)
})

test('A poll is closed once, even by two workers', async () => {
  const polls: Poll[] = []
  for (let at = 0; at < 30; at++) polls.push(await ask())
  await Promise.all(polls.flatMap((poll) => voters.slice(0, 5).map((by) => vote(by, poll, 0))))
  await Promise.all(polls.map(close))
  const runs = await Promise.all([...workers, ...workers].map(run))
  expect(runs.reduce((sum, closed) => sum + closed, 0)).toBe(polls.length)
  const posts = polls.map(({ post }) => post)
  await applyEffects(owner)
  const [counts] = await owner`
    select (select count(*)::int from app.domain_events
            where name = 'posts.poll.closed' and payload ->> 'postId' = any (${posts})) as events,
           (select count(*)::int from app.notifications where kind = 'poll.closed' and target_id = any (${posts})) as notices,
           (select sum(count)::int from app.notifications where kind = 'poll.closed' and target_id = any (${posts})) as items`
  expect(counts).toEqual({ events: 30, notices: 30 * 6, items: 30 * 6 })
})

test('A worker skips a poll that another worker is closing', async () => {
  const poll = await ask()
  await close(poll)
  await owner.begin(async (sql) => {
    await sql`select from app.polls where id = ${poll.id} for no key update`
    expect(await run(workers[0])).toBe(0)
  })
  expect(await run(workers[0])).toBe(1)
})
