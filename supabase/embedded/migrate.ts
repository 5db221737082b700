// Brings a database up to date: first the platform, then migrations, then seed files. It uses the tables of the
// Supabase CLI (supabase_migrations.*), so that each sees what the other has applied.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres, { type Sql, type TransactionSql } from 'postgres'
import { fingerprintOf, platformText } from './server.ts'

interface MigrateOptions {
  /** Whether seed files run; default true. */
  seed?: boolean
  /** The folder with `migrations/` and `seed/`; default: the project's `supabase/`. */
  folder?: string
  /** Called after each file, with the milliseconds that it took. */
  applied?: (file: string, took: number) => void
  /** Called with a sentence whenever the run has to wait. */
  waits?: (why: string) => void
  patience?: Patience
}

/** The time for which a migration waits for a lock, and the pauses before its next attempts. Milliseconds. */
type Patience = { lock: number; pauses: readonly number[] }

type Work = { sql: Sql } & Required<Pick<MigrateOptions, 'applied' | 'waits' | 'patience'>>

/** The names of the files that ran, in order. */
interface Migrated {
  migrations: string[]
  seeds: string[]
}

const supabaseFolder = join(import.meta.dirname, '..')

/**
 * A statement that waits for a table also blocks every later statement on the table. Therefore, it waits only briefly,
 * and the migration is retried for about four minutes in all.
 */
const PATIENCE: Patience = { lock: 3000, pauses: [1, 2, 4, 8, 15, 30, 60, 60].map((seconds) => seconds * 1000) }

/** The SQLSTATEs after which another attempt may succeed: no lock in time, deadlock, serialization failure. */
const passing = ['55P03', '40P01', '40001']

const connect = (url: string) =>
  postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: 'kith-migrate' } })

const sqlFiles = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.sql'))
        .sort()
    : []

/** Runs the text of a file; an error has the file and the line. */
export async function run(sql: Pick<TransactionSql, 'unsafe'>, file: string, text: string): Promise<void> {
  try {
    await sql.unsafe(text)
  } catch (error) {
    if (!(error instanceof postgres.PostgresError)) throw error
    const line = text.slice(0, Number(error.position ?? 0)).split('\n').length
    const more = [error.detail, error.hint, error.where].filter(Boolean).join('\n')
    throw new Error(`${file}:${line}: ${error.message} (${error.code})${more && `\n${more}`}`, { cause: error })
  }
}

/** Makes an empty database a Supabase database. Takes a superuser's connection string; repeating it changes nothing. */
export async function preparePlatform(superuserUrl: string): Promise<void> {
  const sql = connect(superuserUrl)
  try {
    const text = platformText()
    await sql.begin(async (tx) => {
      await run(tx, 'platform.sql', text)
      await tx.unsafe(`comment on schema realtime is '${fingerprintOf(text)}'`)
    })
  } finally {
    await sql.end()
  }
}

/**
 * Applies new files of `migrations/` and `seed/` as the owner of the connection string, each in a transaction. The next
 * run completes an interrupted run. Concurrent runs wait for each other. An error has the file and the line. Fails,
 * too, if a migration has changed since it was applied.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<Migrated> {
  const { folder = supabaseFolder, applied = () => {}, waits = () => {}, patience = PATIENCE } = options
  const sql = connect(url)
  try {
    await beAlone(sql, waits)
    await sql.unsafe(`
      create schema if not exists supabase_migrations;
      create table if not exists supabase_migrations.schema_migrations (
        version text primary key, statements text[], name text);
      create table if not exists supabase_migrations.seed_files (path text primary key, hash text not null)`)
    const work = { sql, applied, waits, patience }
    const migrations = await applyMigrations(work, join(folder, 'migrations'))
    const seeds = options.seed === false ? [] : await applySeeds(work, join(folder, 'seed'))
    return { migrations, seeds }
  } finally {
    await sql.end()
  }
}

/** Takes the lock of all runs, until the connection closes. */
async function beAlone(sql: Sql, waits: Work['waits']): Promise<void> {
  const key = sql`hashtext('supabase_migrations')`
  const [row] = await sql<{ taken: boolean }[]>`select pg_try_advisory_lock(${key}) as taken`
  if (row?.taken) return
  waits('Another process is migrating this database.')
  await sql`select pg_advisory_lock(${key})`
}

/** Runs a file and records it, in one transaction. Repeats the transaction if it doesn't get a lock. */
async function apply(work: Work, path: string, text: string, record: (tx: TransactionSql) => Promise<unknown>) {
  const { sql, patience, waits, applied } = work
  for (const pause of [...patience.pauses, null]) {
    const start = performance.now()
    try {
      await sql.begin(async (tx) => {
        await tx.unsafe(`set local lock_timeout = ${patience.lock}; set local statement_timeout = 0;
          set local client_connection_check_interval = 1000`) // otherwise the statement of a killed run would continue
        await run(tx, path, text)
        await tx`reset all` // settings of a file apply only to that file
        await record(tx)
      })
      return applied(path.split('/').at(-1) ?? path, Math.round(performance.now() - start))
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined
      if (pause === null || !(cause instanceof postgres.PostgresError) || !passing.includes(cause.code)) throw error
      waits(`${path} runs again in ${pause / 1000} s: ${cause.message}.`)
      await sleep(pause)
    }
  }
}

/**
 * Keeps errors of the facade's pools out of the server's log, because the server cannot distinguish them from faults,
 * quotes personal data, and logs every wrong password. The facade logs faults, with their SQLSTATE. Errors of jobs, of
 * the owner and of the server's own processes are still logged. A server that logs slow statements logs those of the
 * pools without their parameters, which can be codes. Takes a superuser's connection string.
 */
export async function muteClientErrors(superuserUrl: string): Promise<void> {
  const sql = connect(superuserUrl)
  try {
    for (const login of ['kith_anon', 'kith_gate', 'kith_user', 'kith_service']) {
      await sql.unsafe(`alter role ${login} set log_min_messages = 'log'`)
      await sql.unsafe(`alter role ${login} set log_parameter_max_length = 0`)
    }
  } finally {
    await sql.end()
  }
}

/** Whether the recorded text differs from the file. The CLI records split statements, which cannot be compared. */
function changed(statements: string[] | null, text: string): boolean {
  const bare = (sql: string) => sql.trim().replace(/;$/, '')
  return statements?.length === 1 && bare(statements[0] ?? '') !== bare(text)
}

async function applyMigrations(work: Work, folder: string): Promise<string[]> {
  const rows = await work.sql<{ version: string; statements: string[] | null }[]>`
    select version, statements from supabase_migrations.schema_migrations`
  const known = new Map(rows.map((row) => [row.version, row.statements]))
  const applied: string[] = []
  for (const file of sqlFiles(folder)) {
    const [, version, name] = /^(\d+)_?(.*)\.sql$/.exec(file) ?? []
    if (!version)
      throw new Error(`supabase/migrations/${file}: the name must begin with a version, such as 20260101000000_`)
    const text = readFileSync(join(folder, file), 'utf8')
    const statements = known.get(version)
    if (statements === undefined) {
      await apply(
        work,
        `supabase/migrations/${file}`,
        text,
        (tx) => tx`insert into supabase_migrations.schema_migrations (version, statements, name)
          values (${version}, ${[text]}, ${name ?? ''})`,
      )
      applied.push(file)
    } else if (changed(statements, text)) {
      throw new Error(
        `supabase/migrations/${file} has changed since this database was made from it. ` +
          'Start with a new data folder, or take the change back and write it as a further migration.',
      )
    }
  }
  return applied
}

/** A seed file runs again when its text has changed, so it must be idempotent. */
async function applySeeds(work: Work, folder: string): Promise<string[]> {
  const rows = await work.sql<{ path: string; hash: string }[]>`select path, hash from supabase_migrations.seed_files`
  const known = new Map(rows.map((row) => [row.path, row.hash]))
  const applied: string[] = []
  for (const file of sqlFiles(folder)) {
    const path = `supabase/seed/${file}`
    const text = readFileSync(join(folder, file), 'utf8')
    const hash = createHash('sha256').update(text).digest('hex')
    if (known.get(path) === hash) continue
    await apply(
      work,
      path,
      text,
      (tx) => tx`insert into supabase_migrations.seed_files (path, hash) values (${path}, ${hash})
        on conflict (path) do update set hash = excluded.hash`,
    )
    applied.push(file)
  }
  return applied
}
