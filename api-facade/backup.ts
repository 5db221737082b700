// npm run backup -- --to=<place> | --verify [--from=<place>]: takes a backup of the embedded instance, or checks a
// backup or a database. `--take --verify` does both in BACKUP_TO. docs/operation.md, Backup and restore.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Sql } from 'postgres'
import { backUp, historyOf, SCRATCH } from '../supabase/embedded/backup/base.ts'
import { openPlace } from '../supabase/embedded/backup/place.ts'
import { restore } from '../supabase/embedded/backup/restore.ts'
import { readInstance } from '../supabase/embedded/instance.ts'
import { isDataDir } from '../supabase/embedded/paths.ts'
import { folderOf } from '../supabase/embedded/processes.ts'
import { type Verified, verify, violationText } from '../supabase/embedded/verify.ts'
import { explained } from './boot.ts'
import { type Config, readConfig } from './lib/config.ts'
import { openOwner } from './lib/database.ts'
import { environment } from './lib/environment.ts'
import { primaryOf } from './lib/hosts.ts'
import { reachDatabase } from './reach.ts'

const usage = 'npm run backup -- --to=<folder or s3://bucket/prefix> | --verify [--from=<folder or s3://bucket/prefix>]'

const say = (line: string) => process.stdout.write(`${line}\n`)

/** Prints that every rule holds. @throws Error that names every broken rule */
function report({ violations, rows }: Verified): void {
  if (violations.length > 0) throw new Error(violations.map(violationText).join('\n'))
  const tables = ['app.users', 'app.posts', 'app.mana_entries', 'app.audit_log']
  say(`Every rule holds. ${tables.map((table) => `${table}: ${rows[table]}`).join(', ')}`)
}

/** Takes a backup of the running instance. */
async function take({ backup, dataDir: given }: Config): Promise<void> {
  if (!backup) throw new Error(usage)
  const dataDir = folderOf(given)
  const stack = readInstance(dataDir)?.stack
  if (!stack) throw new Error(`Nothing is running on ${dataDir}. Start Kith with npm start.`)
  const { to, s3, passphrase, days } = backup
  const place = openPlace(to, s3)
  const { folder, id, takenAt } = await backUp({
    databaseUrl: await primaryOf(stack.dbUrl),
    dataDir,
    place,
    passphrase,
    days,
  })
  say(`The backup ${folder}base/${id} in ${place.name} is complete. It contains everything up to ${takenAt}.`)
  if (!passphrase)
    say(
      'The backup does not contain the secrets of DATA_DIR, because BACKUP_PASSPHRASE is not set. Keep them elsewhere.',
    )
}

/** Also reads every index, and compares it with its table. */
async function checkIndexes(sql: Sql): Promise<void> {
  await sql`create extension if not exists amcheck`
  await sql`
    select bt_index_check(i.indexrelid, true)
    from pg_index i join pg_class c on c.oid = i.indexrelid join pg_am a on a.oid = c.relam
    where a.amname = 'btree' and c.relkind = 'i' and c.relpersistence = 'p' and i.indisvalid`
}

/** Restores the newest state of the backup into a scratch folder, and checks it there. */
async function verifyBackup({ backup, dataDir: given }: Config): Promise<void> {
  if (!backup) throw new Error(usage)
  const place = openPlace(backup.to, backup.s3)
  const dataDir = folderOf(given)
  // The scratch folder is beside the data, where there is most likely enough space.
  const scratch = mkdtempSync(join(isDataDir(dataDir) ? dataDir : tmpdir(), SCRATCH))
  try {
    const { passphrase } = backup
    const work = async (sql: Sql) => {
      await checkIndexes(sql)
      report(await verify(sql))
    }
    const restored = await restore({ place, dataDir: scratch, passphrase, withoutSecrets: !passphrase, work })
    say(`The backup in ${place.name} can be restored until ${restored.until.toISOString()}.`)
    const stack = readInstance(dataDir)?.stack
    if (stack && restored.base.folder === historyOf(dataDir)) await record(stack.dbUrl, restored.until)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Records until when the backup can be restored, for /metrics of the instance. */
async function record(databaseUrl: string, until: Date): Promise<void> {
  const sql = openOwner(databaseUrl)
  try {
    await sql`insert into private.verified_backups (reaches_until) values (${until})
              on conflict ((true)) do update set reaches_until = excluded.reaches_until`
  } finally {
    await sql.end()
  }
}

async function verifyDatabase(config: Config): Promise<void> {
  const { databaseUrl } = await reachDatabase(config)
  const sql = openOwner(databaseUrl)
  try {
    report(await verify(sql))
  } finally {
    await sql.end()
  }
}

async function main(): Promise<void> {
  const string = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const { values } = parseArgs({ options: { to: string, from: string, take: flag, verify: flag } })
  const place = values.to ?? values.from
  const { DATABASE_URL } = values.from ? {} : environment
  const config = readConfig(place ? { ...environment, DATABASE_URL, BACKUP_TO: place } : environment)
  if (!values.verify || values.take) await take(config)
  if (!values.verify) return
  if (place || values.take) await verifyBackup(config)
  else await verifyDatabase(config)
}

await main().catch((failure: unknown) => {
  const error = explained(failure)
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
