// Tests the worst-case row counts of docs/limits.md: each operation must skip very many rows that its caller does not
// see. The soak repeats this with a third as many rows. The tests count index entries and scanned rows, and never
// measure time. A list with hidden rows is also paginated to its end, by pages that may be short. It must return each
// visible item once, in order, and reveal nothing about the others.  The files of test/model/bounds/ have one feature
// each. This file has what they share: a database for each file, people whom a viewer sees or does not see, and rows by
// the thousand.
import type { TransactionSql } from 'postgres'
import { describe, expect, test } from 'vitest'
import { createDatabase } from './database.ts'
import type { Page } from './lists.ts'
import { runs } from './runs.ts'

export const SIZES = [1000, 3000] as const
/**
 * An operation that stays within its bound among many rows does so among fewer, so only the soak tests smaller sizes.
 */
const usual = runs<readonly number[]>([3000], SIZES)
export const SHOWN = 5

type Item = Record<string, unknown>
type Scene = {
  /** The parameters of the operation, as SQL. */
  parameters: string
  /** For a list: the `key` of each item that the viewer must get, in order. */
  shown?: string[]
}
export type Bound = {
  operation: string
  /** The name of the many rows, for the title of the test. There are more of them than the operation may read. */
  against: string
  /** The most index entries and rows that one call may read. */
  most: number
  /** The sizes to test, if not the usual ones. */
  sizes?: readonly number[]
  /**
   * The role that calls the operation, if not a person's: staff's, the facade's, or the worker's, with schema private.
   */
  role?: 'service_role' | 'gate' | 'worker'
  /** Writes `size` such rows for the viewer, and among them those that must be shown. */
  scene(viewer: string, size: number): Promise<Scene>
  /** The field that identifies an item, by default its id. */
  key?(item: Item): string
}

const person = (kind: string, n: string) => `('${kind}0000000-0000-4000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
/** One of thousands of people whom a viewer does not see. */
export const crowd = (n: string) => person('c', n)
/** One of the few people whom every viewer sees. */
export const friend = (n: string) => person('f', n)
export const id = (made: { id: string }[]): string => made[0]?.id ?? ''
export const ids = (made: { id: string }[]): string[] => made.map((row) => row.id)

/** Every n-th row must be shown, so that the shown rows are as far apart as possible. */
export const isShown = (size: number) => `n % ${size / SHOWN} = 0`
export const friendly = (size: number) => `(n / ${size / SHOWN})`
export const minutes = (n: string) => `now() - interval '1 year' + ${n} * interval '1 minute'`

/** Posts by the crowd, a few of them by friends. */
export const postsOfMany = (size: number) => `
  insert into app.posts (author_id, body, published_at)
  select case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, 'x', ${minutes('n')}
  from generate_series(1, ${size}) n returning id, author_id, published_at`

/** A cursor of private.seal_cursor. */
const sealed = /^[\w-]{88}$/

/** How many index entries and scanned rows this transaction has read so far. */
export async function looked(sql: TransactionSql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select coalesce(sum(pg_stat_get_xact_tuples_returned(c.oid)), 0)::integer as count
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'i', 'm') and n.nspname in ('app', 'private', 'pgboss')`
  return row?.count ?? 0
}

/** A database with people, and functions that write rows into it and count what is read. */
export async function openBounds() {
  const { owner, superuser, asCaller } = await createDatabase()

  /** Writes rows without triggers, with which thousands would take minutes. */
  async function put<Row extends object>(statement: string, ...values: string[]): Promise<Row[]> {
    const { rows } = await superuser.begin(async (sql) => {
      await sql`set local session_replication_role = replica`
      await sql`set local default_statistics_target = 10` // a tenth of the rows: enough to know what is rare
      const rows = await sql.unsafe(statement, values)
      for (const [, table] of statement.matchAll(/insert into ([a-z_.]+)/g)) await sql.unsafe(`analyze ${table}`)
      return { rows: [...rows] as unknown as Row[] }
    })
    return rows
  }

  const people = (kind: string, name: string, count: number) => `
    with made as (
      insert into app.users (id, username, first_name, last_name)
      select ${person(kind, 'n')}, '${name}' || n, '${name}', 'x' from generate_series(1, ${count}) n returning id, username
    ), named as (
      insert into app.usernames (hash, username, user_id) select private.username_hash(username), username, id from made
    )
    insert into app.audience (viewer_id, author_id, level) select id, id, 3 from made`
  await put(people('c', 'crowd', Math.max(...SIZES)))
  await put(people('f', 'friend', 10))
  await put(people('e', 'viewer', 200))

  let viewers = 0
  /** A person whom this many people of the crowd have blocked. */
  async function newViewer(blockers: number): Promise<string> {
    viewers += 1
    const [viewer] = await put<{ id: string }>(`select ${person('e', String(viewers))} as id`)
    await put(
      `insert into app.audience (viewer_id, author_id, level)
       select $1::uuid, ${crowd('n')}, -1 from generate_series(1, ${blockers}) n`,
      viewer?.id ?? '',
    )
    return viewer?.id ?? ''
  }

  async function nameOf(who: string): Promise<string> {
    const [row] = await owner<{ name: string }[]>`select username as name from app.users where id = ${who}`
    return row?.name ?? ''
  }

  const newPost = async (author: string, visibility = 'public') =>
    id(
      await put<{ id: string }>(
        `insert into app.posts (author_id, body, visibility) values (${author}, 'x', $1) returning id`,
        visibility,
      ),
    )

  let groups = 0
  /** A group with these members. */
  async function newGroup(members: string[]): Promise<string> {
    groups += 1
    return id(
      await put<{ id: string }>(
        `with made as (insert into app.spaces (kind, slug, name) values ('group', $1, 'x') returning id),
         joined as (insert into app.space_members (space_id, user_id, made_at)
                    select id, unnest($2::text[])::uuid, now() from made)
         select id from made`,
        `one-${groups}`,
        `{${members.join()}}`,
      ),
    )
  }

  /** Gives contents that were written without triggers their places in an order, at these times. */
  const placeContents = (all: string[], sort: string, at: string) =>
    put(
      `insert into private.content_places (content_id, sort, at, author_id, space_id, required_level)
       select c.id, $2, ${at}, c.author_id, c.space_id, c.required_level
       from unnest($1::text::uuid[]) with ordinality o (id, n) join app.contents c on c.id = o.id`,
      `{${all.join()}}`,
      sort,
    )

  /** Contents by the crowd, or by one author with some of them removed. A few of them are visible. */
  async function contents(size: number, kind: string, { author = '', interests = [null] as (string | null)[] } = {}) {
    const made = await put<{ id: string; shown: boolean }>(
      `insert into app.contents (kind, author_id, interest_id, removed_at, created_at)
       select $1, case when $2 <> '' then $2::uuid when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end,
              ($3::text::uuid[])[n % ${interests.length} + 1], case when $2 <> '' and not ${isShown(size)} then now() end, ${minutes('n')}
       from generate_series(1, ${size}) n
       returning id, case when $2 <> '' then removed_at is null else author_id >= ${friend('0')} end as shown`,
      kind,
      author,
      `{${interests.map((one) => one ?? 'null').join()}}`,
    )
    const all = `{${ids(made).join()}}`
    const table = kind === 'video' ? 'videos' : kind
    await put(`insert into app.${table} (id, media_url) select unnest($1::text::uuid[]), 'https://example.org'`, all)
    if (kind === 'video') await put('insert into app.video_counters (video_id) select unnest($1::text::uuid[])', all)
    return { all: ids(made), shown: ids(made.filter(({ shown }) => shown)).reverse() }
  }

  /** Creates this many videos by one author, with a comment on each. */
  async function record(author: string, size: number) {
    const { all } = await contents(size, 'video', { author })
    await put(
      `with counted as (update app.video_counters set comments = 1 from unnest($1::text::uuid[]) v where video_id = v)
       insert into app.video_comments (video_id, author_id, body, created_at)
       select v.id, $2::text::uuid, 'x', ${minutes('v.n')} from unnest($1::text::uuid[]) with ordinality as v (id, n)`,
      `{${all.join()}}`,
      author,
    )
  }

  /** Creates group conversations. Each has the viewer and one person of the crowd, who has sent a message. */
  const talks = (viewer: string, size: number) =>
    put(
      `with made as (
         insert into app.conversations (kind, title, last_number) select 'group', 'x' || n, 1 from generate_series(1, ${size}) n
         returning id, title
       ), numbered as (select id, substr(title, 2)::integer as n from made
       ), members as (
         insert into app.conversation_members (conversation_id, user_id, latest_at)
         select id, u, ${minutes('n')} from numbered, unnest(array[$1::uuid, ${crowd('n')}]) u
       ), spans as (
         insert into app.conversation_spans (conversation_id, user_id, first_number) select id, $1::uuid, 1 from numbered)
       insert into app.messages (conversation_id, number, sender_id, body) select id, 1, ${crowd('n')}, 'x' from numbered`,
      viewer,
    )

  /** Calls the operation as this person. @returns the answer as text, and how much it read */
  async function call(viewer: string, operation: string, parameters: string, role?: Bound['role']) {
    return asCaller({ sub: viewer, role: role === 'service_role' ? 'admin' : 'user' }, async (sql) => {
      if (role) await sql`select set_config('role', ${role}, true)`
      const before = await looked(sql)
      const schema = role === 'worker' ? 'private' : 'api'
      const [row] = await sql.unsafe<{ answer: string }[]>(
        `select ${schema}.${operation}(${parameters})::text as answer`,
      )
      await sql`set constraints all immediate` // deferred checks are part of the work of the operation
      return { answer: row?.answer ?? '', work: (await looked(sql)) - before }
    })
  }

  /** Paginates through a list to its end, with pages of 50. */
  async function walk(bound: Bound, viewer: string, { parameters }: Scene) {
    const { operation, role, key = (item) => String(item.id) } = bound
    const shown: string[] = []
    const texts: string[] = []
    let most = 0
    let next: string | null = null
    do {
      const more: string = [parameters, 'p_limit => 50', next && `p_cursor => '${next}'`].filter(Boolean).join(', ')
      const { answer, work } = await call(viewer, operation, more, role)
      const page: Page<Item> = JSON.parse(answer)
      expect(page.hasMore).toBe(page.nextCursor !== null)
      shown.push(...page.items.map(key))
      texts.push(answer)
      most = Math.max(most, work)
      next = page.nextCursor
      // A cursor names a shown item or a count, or it is sealed. Nothing is hidden from staff.
      if (next !== null && !role && !shown.includes(next) && !/^\d+$/.test(next)) expect(next).toMatch(sealed)
    } while (next !== null)
    return { shown, text: texts.join(), most }
  }

  /** Declares the tests of these operations, in the file of their feature. */
  function checkBounds(bounds: Bound[], sizes = usual): void {
    describe.each(bounds)('$operation stays within its bound against $against', (bound) => {
      test.each(bound.sizes ?? sizes)('with %i of them', async (size) => {
        const viewer = await newViewer(size)
        const scene = await bound.scene(viewer, size)
        // put() runs no triggers, and every post needs counters
        await put('insert into app.post_counters (post_id) select id from app.posts on conflict do nothing')
        if (!scene.shown) {
          expect((await call(viewer, bound.operation, scene.parameters, bound.role)).work).toBeLessThanOrEqual(
            bound.most,
          )
          return
        }
        const { shown, text, most } = await walk(bound, viewer, scene)
        expect(shown).toEqual(scene.shown)
        if (!bound.role) expect(text).not.toContain('crowd')
        expect(most).toBeLessThanOrEqual(bound.most)
      })
    })
  }

  return { put, placeContents, newViewer, nameOf, newPost, newGroup, contents, record, talks, checkBounds }
}
