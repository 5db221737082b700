// Brings a database up to date: the platform, then migrations, then seed. Keeps the books of the Supabase CLI
// (supabase_migrations.*), so that the CLI sees what was applied here, and this what the CLI applied.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres, { type Sql, type TransactionSql } from 'postgres'
import { fingerprintOf, platformText } from './server.ts'

interface MigrateOptions {
  /** Whether seed files run too; they do unless this is false. */
  seed?: boolean
  /** The folder with `migrations/` and `seed/`; the project's `supabase/` where not given. */
  folder?: string
}

/** The names of the files that ran, in their order. */
interface Migrated {
  migrations: string[]
  seeds: string[]
}

const supabaseFolder = join(import.meta.dirname, '..')

const connect = (url: string) =>
  postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: 'kith-migrate' } })

const sqlFiles = (folder: string) =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.sql'))
        .sort()
    : []

/** Runs a file's text; an error says the file and the line. */
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

/** Makes a bare database a Supabase one. Takes a superuser's connection string; repeating it changes nothing. */
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
 * Applies what is new of `migrations/` and `seed/`, as the owner that the connection string names. Two calls at once
 * wait for each other. Fails with file and line, and when a file has changed since it was applied.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<Migrated> {
  const folder = options.folder ?? supabaseFolder
  const sql = connect(url)
  try {
    await sql`select pg_advisory_lock(hashtext('supabase_migrations'))` // until the connection ends
    await sql.unsafe(`
      create schema if not exists supabase_migrations;
      create table if not exists supabase_migrations.schema_migrations (
        version text primary key, statements text[], name text);
      create table if not exists supabase_migrations.seed_files (path text primary key, hash text not null)`)
    const migrations = await applyMigrations(sql, join(folder, 'migrations'))
    const seeds = options.seed === false ? [] : await applySeeds(sql, join(folder, 'seed'))
    return { migrations, seeds }
  } finally {
    await sql.end()
  }
}

/**
 * Keeps out of the server's log what people are refused: it cannot tell that from a fault, quotes what they wrote, and
 * has a line for every wrong password. Only for the logins of the facade's pools, whose faults the facade's log has with
 * their SQLSTATE; jobs, the owner and the server's own processes go on as they are. Takes a superuser's connection string.
 */
export async function muteClientErrors(superuserUrl: string): Promise<void> {
  const sql = connect(superuserUrl)
  try {
    for (const login of ['kith_anon', 'kith_gate', 'kith_user', 'kith_service'])
      await sql.unsafe(`alter role ${login} set log_min_messages = 'log'`)
  } finally {
    await sql.end()
  }
}

/** Whether the books hold another text than the file. The CLI splits what it applies: that is not comparable. */
function changed(statements: string[] | null, text: string): boolean {
  const bare = (sql: string) => sql.trim().replace(/;$/, '')
  return statements?.length === 1 && bare(statements[0] ?? '') !== bare(text)
}

async function applyMigrations(sql: Sql, folder: string): Promise<string[]> {
  const rows = await sql<{ version: string; statements: string[] | null }[]>`
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
      await sql.begin(async (tx) => {
        await run(tx, `supabase/migrations/${file}`, text)
        await tx`reset all` // what a file sets holds for that file
        await tx`insert into supabase_migrations.schema_migrations (version, statements, name)
          values (${version}, ${[text]}, ${name ?? ''})`
      })
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
async function applySeeds(sql: Sql, folder: string): Promise<string[]> {
  const rows = await sql<{ path: string; hash: string }[]>`select path, hash from supabase_migrations.seed_files`
  const known = new Map(rows.map((row) => [row.path, row.hash]))
  const applied: string[] = []
  for (const file of sqlFiles(folder)) {
    const path = `supabase/seed/${file}`
    const text = readFileSync(join(folder, file), 'utf8')
    const hash = createHash('sha256').update(text).digest('hex')
    if (known.get(path) === hash) continue
    await sql.begin(async (tx) => {
      await run(tx, path, text)
      await tx`reset all`
      await tx`insert into supabase_migrations.seed_files (path, hash) values (${path}, ${hash})
        on conflict (path) do update set hash = excluded.hash`
    })
    applied.push(file)
  }
  return applied
}
