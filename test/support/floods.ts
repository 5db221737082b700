// Floods: hundreds of rows that a stranger cannot see, hidden in every possible way, newer than one visible row (or
// before it in the order of the list). The first page must contain the visible row, whatever others keep hidden.
// test/model/floods/ has the lists by feature. floods.test.ts requests all of them and finds a missing list.
import type { Database } from './database.ts'

/** The number of hidden rows: one more than a page scans. */
export const MANY = 401

type Flooded = {
  /** The parameters of the operation, as SQL, for each way to call it. */
  asked: string[]
  /** What the first page must contain: an id in its answer. */
  honest: string
  /** The caller, if not the stranger. */
  viewer?: string
}
export type Flood = {
  operation: string
  /** The name of the hidden rows, for the title of the test. There are more of them than a page scans. */
  against: string
  /** Writes the visible row and the flood. */
  scene(ground: Ground): Promise<Flooded>
}
export type Ground = Awaited<ReturnType<typeof openGround>>

/** People, and functions that write rows as operations would, with all triggers except those of the search. */
export async function openGround({ owner, asCaller }: Database) {
  // nothing here uses the search, whose indexing takes longer than all the rest
  await owner`alter table app.contents disable trigger _200_index_content`
  let made = 0

  async function rows<Row extends object>(statement: string, ...values: unknown[]): Promise<Row[]> {
    return [...(await owner.unsafe<Row[]>(statement, values as string[]))]
  }
  const ids = async (statement: string, ...values: unknown[]) =>
    (await rows<{ id: string }>(statement, ...values)).map(({ id }) => id)
  const one = async (statement: string, ...values: unknown[]) => (await ids(statement, ...values))[0] ?? ''

  const someone = () =>
    one(
      `insert into app.users (username, first_name, last_name) values ($1, 'Some', 'One') returning id`,
      `someone${++made}`,
    )
  const nameOf = async (id: string) =>
    (await rows<{ name: string }>('select username as name from app.users where id = $1', id))[0]?.name ?? ''

  /** A private group of these people. */
  async function group(...members: string[]): Promise<string> {
    const space = await one(
      `insert into app.spaces (kind, slug, name, visibility, member_count)
       values ('group', $1, 'x', 'private', 100) returning id`,
      `space-${++made}`,
    )
    for (const member of members)
      await owner`insert into app.space_members (space_id, user_id, role) values (${space}, ${member}, 'member')`
    return space
  }

  /** Bans a person, and runs the worker's batches that hide what they wrote. */
  async function ban(person: string): Promise<void> {
    await owner`update app.users set banned_at = now() where id = ${person}`
    for (;;) {
      const [job] = await owner<{ id: string; name: string; data: object }[]>`
        select id, name, data from pgboss.job where data ->> 'userId' = ${person} limit 1`
      if (!job) return
      const [queue] = await owner<{ batch: string }[]>`select batch from private.batch_queues where queue = ${job.name}`
      let after: string | null = null
      do {
        const done: { next: string | null }[] = await owner.unsafe(
          `select ${queue?.batch ?? ''}($1::text::jsonb, $2) ->> 'next' as next`,
          [JSON.stringify(job.data), after],
        )
        after = done[0]?.next ?? null
      } while (after)
      await owner`delete from pgboss.job where id = ${job.id}`
    }
  }

  /** The first page, as text. */
  async function ask(viewer: string, operation: string, parameters: string): Promise<string> {
    return asCaller({ sub: viewer, role: 'user' }, async (sql) => {
      const [row] = await sql.unsafe<{ answer: string }[]>(`select api.${operation}(${parameters})::text as answer`)
      return row?.answer ?? ''
    })
  }

  const interest = () =>
    one(
      `insert into app.interests (slug, name, level, accent_color) values ($1, 'x', 1, 'ink') returning id`,
      `interest-${++made}`,
    )

  const stranger = await someone()
  return { rows, ids, one, someone, nameOf, group, ban, ask, interest, stranger }
}
