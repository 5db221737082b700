// The sizes of a database's tables, and how their rows change: figures of pg_class and of the statistics.
import type { Sql } from 'postgres'

export type Table = {
  name: string
  /** As of the last vacuum or analyze, or -1 if there was none. */
  rows: number
  /** Bytes, of which heap includes what is stored out of line. */
  heap: number
  indexes: number
  /** Rows that a transaction has replaced or deleted, and no vacuum has removed yet. */
  dead: number
  inserted: number
  updated: number
  deleted: number
  /** How many of the updates changed no index. */
  hot: number
  vacuums: number
}

/** All tables of Kith and of pg-boss. The counts begin at the last pg_stat_reset. */
export async function tablesOf(sql: Sql): Promise<Map<string, Table>> {
  const rows = await sql<Table[]>`
    select s.schemaname || '.' || s.relname as name, c.reltuples::float8 as rows, s.n_dead_tup::float8 as dead,
           pg_table_size(s.relid)::float8 as heap, pg_indexes_size(s.relid)::float8 as indexes,
           s.n_tup_ins::float8 as inserted, s.n_tup_upd::float8 as updated, s.n_tup_del::float8 as deleted,
           s.n_tup_hot_upd::float8 as hot, (s.vacuum_count + s.autovacuum_count)::float8 as vacuums
    from pg_stat_user_tables s join pg_class c on c.oid = s.relid where s.schemaname in ('app', 'private', 'pgboss')`
  return new Map(rows.map((row) => [row.name, row]))
}
