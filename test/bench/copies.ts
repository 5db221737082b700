// Copies of tables, in a database without other data, on which changes of the schema are tried.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { migrate, preparePlatform } from '../../supabase/embedded/migrate.ts'
import { startPostgres } from '../../supabase/embedded/postgres.ts'

/** Runs the work in a new database with Kith's tables, without autovacuum, and removes it. */
export async function inNewDatabase(work: (sql: Sql) => Promise<void>): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  const server = await startPostgres({ dataDir, settings: { autovacuum: 'off', max_wal_size: '8GB' } })
  try {
    await preparePlatform(server.superuserUrl())
    await migrate(server.url(), { seed: false })
    const sql = postgres(server.superuserUrl(), { max: 1, onnotice: () => {} })
    await work(sql)
    await sql.end()
  } finally {
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Makes bench.plain: an empty copy of the table with its indexes, without triggers and foreign keys. */
export async function makePlain(sql: Sql, table: string): Promise<void> {
  await sql.unsafe(`
    drop schema if exists bench cascade;
    create schema bench;
    create table bench.plain (like ${table} including all)`)
}

/** CPU milliseconds of the connection's process, and WAL bytes, that the work takes. */
export async function costOf(sql: Sql, work: () => Promise<unknown>): Promise<{ cpu: number; wal: number }> {
  const look = async () => {
    const [row] = await sql<{ pid: number; at: string }[]>`
      select pg_backend_pid() as pid, pg_current_wal_insert_lsn() - '0/0' as at`
    return {
      cpu: Number(readFileSync(`/proc/${row?.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6,
      wal: Number(row?.at),
    }
  }
  const before = await look()
  await work()
  const after = await look()
  return { cpu: after.cpu - before.cpu, wal: after.wal - before.wal }
}
