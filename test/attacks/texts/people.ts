// The people in an attack by texts: a reader, a writer, and a crowd.
import type { Answer, Fresh, Someone } from '../../support/fresh.ts'

export type Ask = () => Promise<Answer>
export type People = { reader: Someone & { uuid: string }; writer: Someone & { uuid: string } }
export type Scene = { what: string; plant(fresh: Fresh, people: People): Promise<Ask> }

export const CROWD = 6000
/** One person of the crowd, as SQL. */
export const crowd = (n: string) => `('c0000000-0000-4000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`

/** The worst of each kind of text in a column: plain, with many escapes, four bytes per letter. */
export const letters = { plain: 'x', escaped: '"', wide: '😀' } as const

export async function plantPeople({ join, plant, sql }: Fresh): Promise<People> {
  const known = async (name: string) => {
    const one = await join(name)
    const [row] = await sql<{ id: string }[]>`select id from app.users where username = ${one.username}`
    return { ...one, uuid: row?.id ?? '' }
  }
  const people = { reader: await known('reader'), writer: await known('writer') }
  await plant.unsafe(`
    with made as (
      insert into app.users (id, username, first_name, last_name)
      select ${crowd('n')}, 'crowd' || n, 'crowd', 'x' from generate_series(1, ${CROWD}) n returning id, username
    ), named as (
      insert into app.usernames (hash, username, user_id) select private.username_hash(username), username, id from made
    )
    insert into app.audience (viewer_id, author_id, level) select id, id, 3 from made`)
  await plant.unsafe('update app.feature_flags set enabled = true')
  await plant.unsafe('analyze')
  return people
}
