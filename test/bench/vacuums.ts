// The gain and cost of vacuuming a table sooner: its size after a month in which rows are added, changed and deleted as
// in production, and the CPU of its vacuums. The rule by which autovacuum decides is applied after each day.
import type { Sql } from 'postgres'
import { costOf, makePlain } from './copies.ts'
import { figure, say } from './rounds.ts'

const DAYS = 30
/** Shares of a table's rows that may be dead before its vacuum: the default of Postgres, and less. */
const SHARES = [0.2, 0.05, 0.01]
/** The other parts of autovacuum's rule: Postgres's defaults. */
const DEAD = 50
const INSERTED = { base: 1000, share: 0.2 }
/** As in private.retention. */
const BATCH = 5000

type Subject = {
  table: string
  columns: string
  /** The values of row v_n, which is written at v_at. */
  values: string
  /** The number of rows that the table has at first, as days of new rows. */
  days: number
  /** Whether rows older than `days` are deleted. */
  ends: boolean
  /** How often in a day each row of the last two days changes, and how. */
  changes: number
  assignments: string
}

const subjects: Subject[] = [
  {
    table: 'app.domain_events',
    columns: 'name, payload, created_at',
    values: `'posts.post.reacted', json_build_object('postId', gen_random_uuid(), 'userId', gen_random_uuid()), v_at`,
    ...{ days: 30, ends: true, changes: 0, assignments: '' },
  },
  {
    table: 'app.notifications',
    columns: 'user_id, kind, group_key, target_type, target_id, payload, created_at, updated_at',
    values: `md5((v_n % 3000)::text)::uuid, 'post.replied', 'post.replied:' || v_n, 'post', v_n::text, '{}', v_at, v_at`,
    ...{ days: 60, ends: false, changes: 2, assignments: 'count = count + 1, updated_at = clock_timestamp()' },
  },
]

/** Prints for each table and share the size after the month, and what its vacuums cost in it. */
export async function vacuums(sql: Sql, rows: number): Promise<void> {
  say('', '', 'rows at', 'rows at', 'vacuums', 'CPU s', 'MB at', 'full')
  say(''.padEnd(20), 'share', 'first', 'the end', '', '', 'the end', 'MB')
  for (const subject of subjects) {
    for (const share of SHARES) {
      const { table, days, ends, changes, assignments } = subject
      await makePlain(sql, table)
      const add = (from: number, to: number) =>
        sql.unsafe(`insert into bench.plain (${subject.columns})
          select ${subject.values} from generate_series(${from}::bigint, ${to}::bigint) v_n,
          lateral (select '2026-01-01'::timestamptz + v_n * interval '1 day' * ${days} / ${rows}) t (v_at)`)
      await add(1, rows)
      await sql.unsafe('vacuum analyze bench.plain')
      const each = Math.round(rows / days)
      let [live, dead, inserted, runs, cpu] = [rows, 0, 0, 0, 0]
      for (let day = 0; day < DAYS; day++) {
        await add(rows + day * each + 1, rows + (day + 1) * each)
        live += each
        inserted += each
        for (let time = 0; time < changes; time++) {
          const changed = await sql.unsafe(`update bench.plain t set ${assignments}
            from (select id from bench.plain order by created_at desc limit ${2 * each}) n where t.id = n.id`)
          dead += changed.count
        }
        for (let count = ends ? BATCH : 0; count === BATCH; ) {
          ;({ count } = await sql.unsafe(`delete from bench.plain where ctid in (select ctid from bench.plain
            where created_at < '2026-01-01'::timestamptz + interval '${day + 1} days' limit ${BATCH}
            for update skip locked)`))
          live -= count
          dead += count
        }
        if (dead <= DEAD + share * live && inserted <= INSERTED.base + INSERTED.share * live) continue
        cpu += (await costOf(sql, () => sql.unsafe('vacuum (parallel 0) bench.plain'))).cpu
        runs++
        ;[dead, inserted] = [0, 0]
      }
      const size = async () => {
        const [row] = await sql<{ bytes: number }[]>`select pg_total_relation_size('bench.plain')::float8 as bytes`
        return (row?.bytes ?? 0) / 2 ** 20
      }
      const end = await size()
      await sql.unsafe('vacuum full bench.plain')
      say(
        table.padEnd(20),
        ...[`${share}`, `${rows}`, `${live}`, `${runs}`, figure(cpu / 1000, 1)],
        ...[figure(end, 0), figure(await size(), 0)],
      )
    }
  }
}
