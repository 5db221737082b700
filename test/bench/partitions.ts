// Compares growing tables with copies that are partitioned by day. Measures the insert of a row, the reads that people
// wait for, the deletion of a day, and the size. Both have the same rows of 31 days and the same indexes. Neither has
// triggers or foreign keys, which would cost the same on both.
import type { Sql } from 'postgres'
import { costOf, makePlain } from './copies.ts'
import { figure, say } from './rounds.ts'

const DAYS = 31
/** The number of rows that are inserted one by one, and the number of reads. */
const EACH = 20_000
/** As in private.retention. */
const BATCH = 5000
const kinds = ['plain', 'parted'] as const
type Kind = (typeof kinds)[number]

type Subject = {
  table: string
  columns: string
  /** The values of row v_n, of the day v_at, for a table with v_rows rows. */
  values: string
  /** What a request reads, as a statement of PL/pgSQL and in words. */
  read: string
  reads: string
}

const subjects: Subject[] = [
  {
    table: 'app.domain_events',
    columns: 'name, payload, created_at',
    values: `'posts.post.reacted', json_build_object('postId', gen_random_uuid(), 'userId', gen_random_uuid()), v_at`,
    read: `perform t.payload from TABLE t where t.id = 1 + (v_n::bigint * 7919) % v_rows`,
    reads: 'by its id',
  },
  {
    table: 'app.notifications',
    columns: 'user_id, kind, group_key, target_type, target_id, payload, created_at, updated_at',
    values: `md5((v_n % greatest(v_rows / 300, 1))::text)::uuid, 'post.replied', 'post.replied:' || v_n, 'post', v_n::text,
             '{}', v_at, v_at`,
    read: `perform t.id from TABLE t where t.user_id = md5((v_n % greatest(v_rows / 300, 1))::text)::uuid and t.in_app
           order by t.created_at desc, t.id desc limit 51`,
    reads: 'newest page',
  },
]

/** A plain copy of the table, and one with a partition for each day before today, and for today. */
async function make(sql: Sql, { table }: Subject): Promise<void> {
  await makePlain(sql, table)
  await sql.unsafe(`
    create table bench.parted (like ${table} including defaults including identity including storage)
      partition by range (created_at)`)
  for (let day = 0; day < DAYS; day++)
    await sql.unsafe(`create table bench.parted_${day} partition of bench.parted
      for values from (current_date - ${DAYS - 1 - day}) to (current_date - ${DAYS - 2 - day})`)
  // A unique index of a partitioned table must have the column by which the table is partitioned. The other indexes
  // lose uniqueness
  await sql.unsafe('alter table bench.parted add primary key (id, created_at)')
  const indexes = await sql<{ made: string }[]>`
    select pg_get_indexdef(indexrelid) as made from pg_index where indrelid = ${table}::regclass and not indisprimary`
  for (const { made } of indexes) await sql.unsafe(made.replace(/(UNIQUE )?INDEX \S+ ON \S+/, 'INDEX ON bench.parted'))
}

async function measureSubject(sql: Sql, subject: Subject, rows: number): Promise<void> {
  await make(sql, subject)
  for (const kind of kinds) {
    await sql.unsafe(`do $do$ declare v_rows bigint := ${rows}; begin
      insert into bench.${kind} (${subject.columns})
      select ${subject.values} from generate_series(1, v_rows) v_n, lateral (
        select current_date - ${DAYS - 1} + (v_n - 1) * interval '${DAYS - 1} days' / v_rows) t (v_at);
    end $do$`)
    await sql.unsafe(`vacuum analyze bench.${kind}`)
  }
  const loop = (statement: string) => `do $do$ declare v_rows bigint := ${rows}; v_at timestamptz := current_date; begin
    for v_n in 1..${EACH} loop ${statement}; end loop; end $do$`
  const on = (kind: Kind) => `bench.${kind}`
  for (const kind of kinds) {
    await sql.unsafe('checkpoint')
    const insert = await costOf(sql, () =>
      sql.unsafe(loop(`insert into ${on(kind)} (${subject.columns}) values (${subject.values})`)),
    )
    const read = await costOf(sql, () => sql.unsafe(loop(subject.read.replace('TABLE', on(kind)))))
    const [size] = await sql.unsafe<{ heap: number; indexes: number }[]>(`
      select sum(pg_table_size(oid))::float8 as heap, sum(pg_indexes_size(oid))::float8 as indexes
      from pg_class where relnamespace = 'bench'::regnamespace and relkind = 'r' and relname like '${kind}%'`)
    await sql.unsafe('checkpoint')
    const end = await costOf(sql, async () => {
      if (kind === 'parted') return sql.unsafe('drop table bench.parted_0')
      for (;;) {
        const { count } = await sql.unsafe(`delete from bench.plain where ctid in (select ctid from bench.plain
          where created_at < current_date - ${DAYS - 2} limit ${BATCH} for update skip locked)`)
        if (count === 0) break
      }
      return sql.unsafe('vacuum (parallel 0) bench.plain')
    })
    say(
      subject.table.padEnd(20),
      kind,
      ...[`${rows}`, figure((1000 * insert.cpu) / EACH, 1), figure(insert.wal / EACH, 0)],
      ...[figure((1000 * read.cpu) / EACH, 1), figure(end.cpu, 0), figure(end.wal / 2 ** 20, 1)],
      ...[figure((size?.heap ?? 0) / 2 ** 20, 0), figure((size?.indexes ?? 0) / 2 ** 20, 0)],
    )
  }
}

/** Prints a line for each table as it is, and a line for the table with partitions. */
export async function partitions(sql: Sql, rows: number): Promise<void> {
  say('', '', '', '', 'insert', '', 'read', 'end of a', 'day', 'heap', 'indexes')
  say(''.padEnd(20), '', 'rows', 'µs CPU', 'WAL bytes', 'µs CPU', 'ms CPU', 'WAL MB', 'MB', 'MB')
  for (const subject of subjects) await measureSubject(sql, subject, rows)
}
