// A request parses and normalizes only the query, once. It never does so with stored texts, which could have been
// normalized when they were written: a text may have a megabyte, and a list scans 400 rows.
import type { TransactionSql } from 'postgres'
import { expect, test } from 'vitest'
import { createDatabase } from '../../support/database.ts'

const ROWS = 400
const { superuser, asCaller } = await createDatabase()
const [at] = await superuser<{ name: string }[]>`select current_database() as name`
await superuser.unsafe(`alter database ${at?.name} set track_functions = 'all'`)

/** Writes rows without triggers, except the one under test. */
const put = (statement: string) =>
  superuser.begin(async (sql) => {
    await sql`set local session_replication_role = replica`
    return [...(await sql.unsafe<{ id: string }[]>(statement))]
  })

const person = '0c000000-0000-4000-8000-000000000001'
await put(`
  with made as (insert into app.users (id, username, first_name, last_name, role) values ('${person}', 'reader', 'x', 'x', 'admin')),
  named as (insert into app.usernames (hash, username, user_id) values (private.username_hash('reader'), 'reader', '${person}'))
  insert into app.audience (viewer_id, author_id, level) values ('${person}', '${person}', 3)`)
const contents = (kind: string) => `
  insert into app.contents (kind, author_id, title, created_at)
  select '${kind}', '${person}', 'x', now() - n * interval '1 minute' from generate_series(1, ${ROWS}) n returning id`

const foldings = async (sql: TransactionSql): Promise<number> => {
  const [row] = await sql<{ calls: number }[]>`
    select coalesce(sum(pg_stat_get_xact_function_calls(p.oid)), 0)::integer as calls
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'private' and p.proname = 'fold'`
  return row?.calls ?? 0
}

/** Calls an operation. @returns how many items it returns, and how often it normalizes a text */
function folded(operation: string, parameters: string, role = 'authenticated') {
  return asCaller({ sub: person, role: 'admin' }, async (sql) => {
    await sql`select set_config('role', ${role}, true)`
    const before = await foldings(sql)
    const [row] = await sql.unsafe<{ items: number }[]>(
      `select json_array_length(api.${operation}(${parameters}) -> 'items') as items`,
    )
    return { items: row?.items, foldings: (await foldings(sql)) - before }
  })
}

test('The city of a filter is normalized once for all events', async () => {
  await put(`
    with made as (${contents('event')}), kept as (insert into app.event_seats (event_id, host_id) select id, '${person}' from made)
    insert into app.events (id, body, starts_at, ends_at, timezone, location_kind, city, country)
    select id, 'x', now() + interval '1 day', now() + interval '2 days', 'UTC', 'place', 'Köln', 'Österreich' from made`)
  const { foldings } = await folded('list_events', `p_city => repeat('é', 5000), p_country => 'osterreich'`)
  expect(foldings).toBeLessThanOrEqual(2 * ROWS + 10)
  expect(await folded('list_events', `p_city => 'koln', p_country => 'osterreich'`)).toMatchObject({ items: 20 })
})

test('The name in a query is normalized once for all members', async () => {
  await put(`
    with people as (
      insert into app.users (username, first_name, last_name) select 'member' || n, 'Zoë', 'x' from generate_series(1, ${ROWS}) n returning id
    ), made as (insert into app.spaces (kind, slug, name) values ('group', 'readers', 'x') returning id)
    insert into app.space_members (space_id, user_id, made_at) select m.id, p.id, now() from made m, people p`)
  const { foldings } = await folded(
    'list_space_members',
    `p_kind => 'group', p_id => 'readers', p_q => repeat('é', 5000)`,
  )
  expect(foldings).toBeLessThanOrEqual(ROWS + 10)
  expect(await folded('list_space_members', `p_kind => 'group', p_id => 'readers', p_q => 'ZOE'`)).toMatchObject({
    items: 20,
  })
})

test('The role of a filter is normalized once for all projects, and the roles themselves are not', async () => {
  await put(`
    with made as (${contents('project')}), kept as (insert into app.projects (id, summary) select id, 'x' from made)
    insert into app.project_roles (project_id, name, words)
    select id, 'Erzähler', private.words_in(array['Erzähler ' || n]) from made, generate_series(1, 20) n`)
  const { foldings } = await folded('list_projects', `p_role => repeat('é ', 5000)`)
  expect(foldings).toBeLessThanOrEqual(10)
  expect(await folded('list_projects', `p_role => '7 ERZAHLER'`)).toMatchObject({ items: 20 })
  expect(await folded('list_projects', `p_role => '77 ERZAHLER'`)).toMatchObject({ items: 0 })
  expect(await folded('list_projects', `p_role => '?'`)).toMatchObject({ items: 0 })
})

test('Staff find solutions by words that were parsed when they were written', async () => {
  const [problem] = await put(contents('problem'))
  await put(`insert into app.problem_solutions (problem_id, author_id, body, words)
             select '${problem?.id}', '${person}', repeat('Über alles ', 9), private.words_in(array['Über alles']) from generate_series(1, ${ROWS})`)
  const found = await folded('list_contents', `p_kind => 'solutions', p_q => 'uber'`, 'service_role')
  expect(found.items).toBe(20)
  expect(found.foldings).toBeLessThanOrEqual(10)
})
