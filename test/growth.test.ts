// How tables grow: counting changes no index, and the figures that the bench prints about tables are right.
import { expect, test } from 'vitest'
import { tablesOf } from './bench/tables.ts'
import { createDatabase } from './support/database.ts'
import { until } from './support/until.ts'

const { owner, superuser } = await createDatabase()

/** Tables with a row for each thing or person, and their columns that change each time something is counted. */
const counted: Record<string, string[]> = {
  'app.post_counters': ['reactions', 'replies', 'shares', 'bookmarks', 'views', 'bot_replies', 'milestone'],
  'app.accounts': ['last_seen_at', 'total_reputation'],
  'app.wallets': ['balance', 'lifetime_earned', 'lifetime_spent'],
  'app.conversations': ['last_number', 'last_message_at'],
  'app.conversation_members': ['last_read_number', 'last_read_at'],
  'app.reputation': ['value', 'direct_value'],
  'app.reputation_kinds': ['points'],
  'private.write_counts': ['used'],
  'private.rates': ['used'],
}

/** What prevents an update of these columns from leaving the indexes as they are. */
async function hindrances(): Promise<string[]> {
  const found: string[] = []
  for (const [table, columns] of Object.entries(counted)) {
    const [row] = await owner<{ full: boolean; known: string[] }[]>`
      select coalesce(substring(array_to_string(c.reloptions, ',') from 'fillfactor=([0-9]+)')::integer, 100) > 90 as full,
             array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0) as known
      from pg_class c where c.oid = ${table}::regclass`
    if (row?.full) found.push(`${table} leaves no space on its pages`)
    for (const column of columns) {
      if (!row?.known.includes(column)) found.push(`${table} has no column ${column}`)
      // Postgres counts the columns of an index's expressions and of its predicate too
      const indexes = await owner<{ name: string }[]>`
        select d.objid::regclass::text as name from pg_depend d join pg_index i on i.indexrelid = d.objid
        join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
        where d.classid = 'pg_class'::regclass and d.refobjid = ${table}::regclass and a.attname = ${column}`
      for (const { name } of indexes) found.push(`${name} has ${column}`)
    }
  }
  return found
}

test('counting changes no index, because no index has a counted column and the pages have space', async () => {
  expect(await hindrances()).toEqual([])
})

test('an index on a counted column, or on rows chosen by it, is found, as is a table without space', async () => {
  await owner.unsafe('create index a_column on app.wallets (balance)')
  await owner.unsafe('create index a_predicate on app.post_counters (post_id) where replies > 5')
  await owner.unsafe('create index an_expression on app.accounts ((total_reputation + 1))')
  await owner.unsafe('alter table app.conversations reset (fillfactor)')
  expect((await hindrances()).sort()).toEqual([
    'app.a_column has balance',
    'app.a_predicate has replies',
    'app.an_expression has total_reputation',
    'app.conversations leaves no space on its pages',
  ])
  await owner.unsafe('drop index app.a_column, app.a_predicate, app.an_expression')
  await owner.unsafe('alter table app.conversations set (fillfactor = 80)')
})

test('the figures of a table are its rows, its changes, its dead rows and its bytes', async () => {
  await owner.unsafe('create table private.grown (id integer primary key, n integer) with (autovacuum_enabled = off)')
  await owner.unsafe('insert into private.grown select n, 0 from generate_series(1, 1000) n')
  await owner.unsafe('update private.grown set id = -id where id <= 100')
  await owner.unsafe('delete from private.grown where id > 900')
  await owner.unsafe('analyze private.grown') // counts the rows, and leaves the dead ones
  const table = await until(async () => {
    await owner`select pg_stat_force_next_flush()`
    const found = (await tablesOf(superuser)).get('private.grown')
    return found?.deleted === 100 ? found : undefined
  })
  const [size] = await owner<{ heap: number; indexes: number }[]>`
    select pg_table_size('private.grown')::float8 as heap, pg_indexes_size('private.grown')::float8 as indexes`
  expect(table).toEqual({
    name: 'private.grown',
    ...{ rows: 900, dead: 200, inserted: 1000, updated: 100, deleted: 100, hot: 0, vacuums: 0 },
    ...size,
  })
})
