// Searches every column of the database for words. The proof of erasure and the tests of the export use it.
import type { Sql } from 'postgres'

type Column = { schema: string; table: string; column: string; type: string }

const schemas = ['app', 'private', 'pgboss', 'realtime']

/** Every column of every table in our schemas and the platform's, with partitions as their parent. */
export async function columns(sql: Sql): Promise<Column[]> {
  return sql<Column[]>`
    select n.nspname as schema, c.relname as table, a.attname as column, format_type(a.atttypid, null) as type
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid and c.relkind in ('r', 'p') and not c.relispartition
    join pg_namespace n on n.oid = c.relnamespace and n.nspname in ${sql(schemas)}
    where a.attnum > 0 and not a.attisdropped
    order by 1, 2, a.attnum`
}

/** Where one of these words is found, in any letter case and any type of column: `table.column: word`. */
export async function findWords(sql: Sql, words: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const { schema, table, column, type } of await columns(sql)) {
    const text =
      type === 'bytea' ? `encode(t.${JSON.stringify(column)}, 'escape')` : `t.${JSON.stringify(column)}::text`
    const rows = await sql.unsafe<{ word: string }[]>(
      `select distinct w.word from ${JSON.stringify(schema)}.${JSON.stringify(table)} t, unnest($1::text[]) as w (word)
       where strpos(lower(${text}), w.word) > 0`,
      [words.map((word) => word.toLowerCase())],
    )
    found.push(...rows.map(({ word }) => `${schema}.${table}.${column}: ${word}`))
  }
  return found
}
