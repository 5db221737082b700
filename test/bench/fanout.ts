// The fan-out of one write: how long until everybody is notified, and what it costs the worker.
import { person, post } from './case.ts'
import { minus } from './cpu.ts'
import { tokenOf } from './load.ts'
import type { Measured } from './rounds.ts'
import { admin, caughtUp, type Side } from './side.ts'

const FOLLOWERS = 5000
/** Milliseconds: a broadcast to everybody may take minutes. */
const PATIENCE = 900_000

/** `worker`: milliseconds of a core for each person notified. */
type Fanout = { name: string; people: number; seconds: number; worker: number }

/** @param people the number of people that a broadcast notifies: those of data.sql, and others that are added */
export async function fanouts(measured: Measured, posts: number, people: number): Promise<Fanout[]> {
  const { side } = measured
  const own = posts - 50_000 // a public post, by data.sql
  const author = 1 + ((own * 7919) % 10_000)
  const series = await prepare(side, author, people)
  const token = await adminToken(side)
  return [
    await timed(measured, 'series part', 'series.updated', () =>
      write(side, `/posts/series/${series}/items`, { postId: post(own) }, tokenOf(author)),
    ),
    await timed(measured, 'broadcast', 'admin.broadcast', () =>
      write(side, '/admin/broadcast', { title: 'News', body: 'There is a bench.' }, token),
    ),
  ]
}

/** Adds people up to that number, and a series of the author that many follow. Without triggers, like data.sql. */
async function prepare({ superuser }: Side, author: number, people: number): Promise<string> {
  return superuser.begin(async (sql) => {
    await sql`set local session_replication_role = replica`
    await sql`insert into app.users (id, username, first_name, last_name, country, city)
      select bench.person(n), 'p' || lpad(n::text, 6, '0'), 'Person', n::text, 'PT', 'Lisbon'
      from generate_series(10001, ${people}::int) n`
    const [row] = await sql<{ id: string }[]>`
      insert into app.series (author_id, title) values (${person(author)}, 'Parts') returning id`
    await sql`insert into app.series_follows (series_id, user_id)
      select ${row?.id ?? ''}, bench.person(n) from generate_series(1, ${FOLLOWERS + 1}::int) n where n <> ${author} limit ${FOLLOWERS}`
    return row?.id ?? ''
  })
}

async function adminToken({ url }: Side): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body: JSON.stringify(admin) })
  return ((await answer.json()) as { accessToken: string }).accessToken
}

async function write({ url }: Side, path: string, body: object, token: string | Promise<string>): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${await token}` }
  const answer = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
}

async function timed(
  { side, meter, idle }: Measured,
  name: string,
  kind: string,
  work: () => Promise<void>,
): Promise<Fanout> {
  const before = await meter.read()
  const start = performance.now()
  await work()
  await caughtUp(side, PATIENCE)
  const took = performance.now() - start
  const worker = minus(await meter.read(), before).worker - idle * took
  const [told] = await side.superuser<{ people: number }[]>`
    select count(*)::int as people from app.notifications where kind = ${kind}`
  const many = told?.people ?? 0
  return { name, people: many, seconds: took / 1000, worker: worker / many }
}
