// Tests the positions in a series: random histories are compared with a list, and many people add, move and delete
// items at once. A failed test prints its seed and the shortest history that shows the fault.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../support/runs.ts'
import { until } from '../support/until.ts'
import { world } from '../support/world.ts'

const POSTS = 10
const { alice, bob, database, join } = await world({ people: ['alice', 'bob'], env: { POOL_USER: '4' } })
const { owner, asCaller } = database

type Id = { id: string }
/** The post with that number is added at or moved to a position (null is the end), or deleted. */
type Step = { kind: 'place'; post: number; position: number | null } | { kind: 'delete'; post: number }
type Entry = { id: string; gone: boolean }

const post = fc.nat(POSTS - 1)
const place = fc.record({
  kind: fc.constant('place' as const),
  post,
  position: fc.option(fc.integer({ min: 0, max: POSTS + 1 })),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: place },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), post }) },
)

async function newSeries(): Promise<string> {
  return (await alice.post<Id>('/posts/series', { title: 'Letters' })).body.id
}

async function newPosts(): Promise<string[]> {
  const rows = await owner<Id[]>`
    insert into app.posts (author_id, body) select ${alice.id}, 'x' || n from generate_series(1, ${POSTS}) n
    returning id`
  return rows.map(({ id }) => id)
}

const as = <T>(id: string, work: Parameters<typeof asCaller<T>>[1]) => asCaller({ sub: id, role: 'user' }, work)
const remove = (id: string) => as(alice.id, (sql) => sql`select api.delete_post(${id})`)

/** The code of the error, or null. */
async function put(series: string, id: string, position: number | null): Promise<string | null> {
  return as(alice.id, (sql) => sql`select api.add_series_item(${series}, ${id}, ${position})`).then(
    () => null,
    (error) => error.message,
  )
}

/** The ids after a cursor, as Bob sees them. */
async function listed(series: string, cursor: string | null): Promise<string[]> {
  const [row] = await as(bob.id, (sql) => sql`select api.list_series_items(${series}, 50, ${cursor}) as page`)
  return row?.page.items.map(({ post: { id } }: { post: Id }) => id)
}

async function places(series: string): Promise<number[]> {
  const rows = await owner<{ position: number }[]>`
    select position from app.series_items where series_id = ${series} order by position`
  return rows.map(({ position }) => position)
}

const oneToN = (n: number) => Array.from({ length: n }, (_, at) => at + 1)

/** The model: a list in which a deleted post keeps its position, so that cursors to it stay valid. */
function placeInModel(list: Entry[], id: string, position: number | null): boolean {
  const others = list.filter((entry) => !entry.gone && entry.id !== id)
  const at = position ?? others.length + 1
  if (at < 1 || at > others.length + 1) return false
  const from = list.findIndex((entry) => entry.id === id)
  if (from >= 0) list.splice(from, 1)
  const before = others[at - 1]
  list.splice(before ? list.indexOf(before) : list.length, 0, { id, gone: false })
  return true
}

test('After every history the items are at their positions, and every cursor is where it was', async () => {
  const history = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
    const [series, posts] = [await newSeries(), await newPosts()]
    const list: Entry[] = []
    const deleted = new Set<string>()
    for (const one of steps) {
      const id = posts[one.post] ?? ''
      if (deleted.has(id)) continue
      if (one.kind === 'place') {
        const taken = placeInModel(list, id, one.position)
        expect(await put(series, id, one.position)).toBe(taken ? null : 'series_position')
        continue
      }
      await remove(id)
      deleted.add(id)
      for (const entry of list) if (entry.id === id) entry.gone = true
    }
    const behind = (from: number) => list.slice(from).flatMap(({ id, gone }) => (gone ? [] : [id]))
    expect(await places(series)).toEqual(oneToN(behind(0).length))
    if (behind(0).length === 0) return // a series without items is unknown to others
    expect(await listed(series, null)).toEqual(behind(0))
    for (const [at, { id }] of list.entries()) expect(await listed(series, id)).toEqual(behind(at + 1))
  })
  await fc.assert(history, { numRuns: runs(8, 100) })
}, 60_000)

/**
 * Calls as the facade does, on one of 12 connections, but doesn't retry after a deadlock. @returns the message of the
 * error
 */
const lanes = [1, 2, 3].map(() => database.connect('kith_user'))
async function atOnce(
  lane: number,
  series: string,
  { kind, ...more }: Step,
  id: string,
  sub = alice.id,
): Promise<string | null> {
  const sql = lanes[lane % lanes.length] ?? owner
  const now = Math.floor(Date.now() / 1000)
  const caller = JSON.stringify({ sub, role: 'user', iat: now, exp: now + 900 })
  const position = 'position' in more ? more.position : null
  const called =
    kind === 'delete'
      ? sql`select api.delete_post(${id}) from private.enter(${caller})`
      : sql`select api.add_series_item(${series}, ${id}, ${position}) from private.enter(${caller})`
  return called.then(
    () => null,
    (error) => error.message,
  )
}

test('Concurrent additions, moves and deletions leave no gap and no duplicate, and cause no deadlock', async () => {
  const steps = fc.array(fc.tuple(step, fc.nat(1)), { minLength: 30, maxLength: 60 })
  const run = fc.asyncProperty(steps, async (steps) => {
    const [series, posts] = [[await newSeries(), await newSeries()], await newPosts()]
    const answers = await Promise.all(
      steps.map(async ([one, which], lane) => {
        const id = posts[one.post] ?? ''
        return { ...one, which, id, code: await atOnce(lane, series[which] ?? '', one, id) }
      }),
    )
    for (const { code } of answers) expect([null, 'post_unknown', 'series_position']).toContain(code)

    const done = answers.filter(({ code }) => code === null)
    const gone = done.filter(({ kind }) => kind === 'delete').map(({ id }) => id)
    for (const [at, one] of series.entries()) {
      const added = done.filter(({ kind, which }) => kind === 'place' && which === at).map(({ id }) => id)
      const left = [...new Set(added)].filter((id) => !gone.includes(id))
      expect(await places(one)).toEqual(oneToN(left.length))
      const parts = await owner<Id[]>`select post_id as id from app.series_items where series_id = ${one}`
      expect(parts.map(({ id }) => id).sort()).toEqual(left.sort())
    }
  })
  await fc.assert(run, { numRuns: runs(8, 100) })
}, 60_000)

test('A post is in at most five series, however many add it at once, and none meets a deadlock', async () => {
  for (let turn = 0; turn < 5; turn++) {
    const [author] = await join(`author_${turn}`)
    const rows = await owner<Id[]>`
      insert into app.series (author_id, title) select ${author?.id ?? ''}, 'x' from generate_series(1, 12) returning id`
    const posts = await owner<Id[]>`
      insert into app.posts (author_id, body) select ${author?.id ?? ''}, 'x' from generate_series(1, 2) returning id`
    const codes = await Promise.all(
      // one post is added to the series in their order, the other in reverse order
      posts.flatMap(({ id }, turned) =>
        (turned ? rows.toReversed() : rows).map((series, lane) =>
          atOnce(lane, series.id, { kind: 'place', post: 0, position: 1 }, id, author?.id),
        ),
      ),
    )
    expect(codes.filter((code) => code === null)).toHaveLength(10)
    expect(codes.filter((code) => code === 'series_of_post_exceeded')).toHaveLength(14)
    const gone = await Promise.all(
      posts.map(({ id }, lane) => atOnce(lane, '', { kind: 'delete', post: 0 }, id, author?.id)),
    )
    expect(gone).toEqual([null, null])
  }
})

test('A second request at the limit of series waits for the first, and is refused', async () => {
  const [author] = await join('zealot')
  const id = author?.id ?? ''
  await owner`insert into app.series (author_id, title) select ${id}, 'x' from generate_series(1, 99)`
  const make = () => as(id, (sql) => sql`select api.create_series('x')`)
  const waiting = () => owner`
    select from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`
  let second: Promise<string> | undefined
  await as(id, async (sql) => {
    await sql`select api.create_series('x')`
    second = make().then(String, (error) => error.message)
    await until(async () => (await waiting()).length === 1)
  })
  expect(await second).toBe('series_exhausted')
})

test('A scheduled post that is published while it is added emits the event of its series once', async () => {
  const series = await newSeries()
  const rows = await owner<Id[]>`
    insert into app.posts (author_id, body, publish_at, published_at)
    select ${alice.id}, 'x' || n, now(), null from generate_series(1, 20) n returning id`
  const codes = await Promise.all(
    rows.flatMap(({ id }, lane) => [
      atOnce(lane, series, { kind: 'place', post: 0, position: 1 }, id),
      owner`select private.publish_post(${id})`.then(() => null),
    ]),
  )
  expect(new Set(codes)).toEqual(new Set([null]))
  const events = await owner<Id[]>`
    select payload ->> 'postId' as id from app.domain_events
    where name = 'posts.series.extended' and payload ->> 'seriesId' = ${series}`
  expect(events.map(({ id }) => id).sort()).toEqual(rows.map(({ id }) => id).sort())
  expect(await places(series)).toEqual(oneToN(20))
})
