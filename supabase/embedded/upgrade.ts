// npm run upgrade-postgres: moves the embedded database to the next major version of PostgreSQL. The npm packages contain
// neither pg_upgrade nor pg_dump, so a new cluster gets the schema from our own migrations, and every row by COPY.
// DATA_DIR selects the folder, as for npm start. docs/operation.md, Another version of PostgreSQL.
import { existsSync, rmSync, statfsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import postgres, { type Sql, type TransactionSql } from 'postgres'
import {
  CLUSTER,
  finishReplacement,
  makeCluster,
  makeServerFolder,
  NEW,
  ROWS,
  removeAttempt,
  replaceCluster,
  settle,
  standbysIn,
  stopOrphans,
} from './cluster.ts'
import { claimInstance, keptSecret, releaseInstance } from './instance.ts'
import { migrate, muteClientErrors, preparePlatform } from './migrate.ts'
import { isDataDir } from './paths.ts'
import { type Served, serve } from './postgres.ts'
import { folderOf } from './processes.ts'
import { binariesOf, clusterMajor, installTarget, TARGET_MAJOR } from './programs.ts'

type Reader = Pick<Sql, 'unsafe'>
type Table = { name: string; columns: string; bound: string | null; parent: string; owner: string }
type Sequence = { name: string; value: string; called: boolean }
/** `kind` is schema, table, column, sequence and so on. */
type Thing = { kind: string; name: string }

/** A text as a literal, because COPY takes no parameters. */
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

const say = (line: string) => process.stdout.write(`${line}\n`)

const ours = (namespace: string) =>
  `${namespace}.nspname not in ('pg_catalog', 'information_schema') and ${namespace}.nspname !~ '^pg_(toast|temp)'`

const notOfExtension = (catalog: string, oid: string) =>
  `not exists (select from pg_depend where classid = '${catalog}'::regclass and objid = ${oid} and deptype = 'e')`

/** Tables with rows. Generated columns are left out. */
const tables = `
  select format('%I.%I', n.nspname, c.relname) as name, pg_get_userbyid(c.relowner) as owner,
    (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    pg_get_expr(c.relpartbound, c.oid) as bound,
    (select i.inhparent::regclass::text from pg_inherits i where i.inhrelid = c.oid) as parent
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and ${ours('n')} and ${notOfExtension('pg_class', 'c.oid')}
  order by 1`

/** The things of the schema. Partitions are left out, because they are created as time passes. */
const things = `
  with relations as (
    select c.*, format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where not c.relispartition and ${ours('n')} and ${notOfExtension('pg_class', 'c.oid')}
  )
  select 'schema' as kind, n.nspname::text as name from pg_namespace n where ${ours('n')}
  union all select 'table', name from relations where relkind in ('r', 'p')
  union all select 'sequence', name from relations where relkind = 'S'
  union all select 'view', name from relations where relkind in ('v', 'm')
  union all select 'index', name from relations where relkind in ('i', 'I')
  union all select 'column', format('%s.%I %s', r.name, a.attname, format_type(a.atttypid, a.atttypmod))
    from relations r join pg_attribute a on a.attrelid = r.oid
    where r.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
  union all select 'constraint', format('%s of %s', k.conname, r.name)
    from relations r join pg_constraint k on k.conrelid = r.oid where k.contype <> 'n'
  union all select 'trigger', format('%s of %s', t.tgname, r.name)
    from relations r join pg_trigger t on t.tgrelid = r.oid where not t.tgisinternal
  union all select 'policy', format('%s of %s', p.polname, r.name) from relations r join pg_policy p on p.polrelid = r.oid
  union all select 'function', format('%s (%s)', p.oid::regprocedure, left(md5(p.prosrc), 8))
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where ${ours('n')} and ${notOfExtension('pg_proc', 'p.oid')}
  union all select 'extension', extname::text from pg_extension
  union all select 'role', rolname::text from pg_roles where rolname !~ '^pg_'
  union all select 'setting', format('%s of %s', setting, coalesce(r.rolname, 'the database'))
    from pg_db_role_setting s left join pg_roles r on r.oid = s.setrole, unnest(s.setconfig) setting`

/** The kinds of things in which a difference would lose rows. */
const withRows = new Set(['schema', 'table', 'column', 'sequence'])

const sequences = `
  select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'S' and ${ours('n')} and ${notOfExtension('pg_class', 'c.oid')} order by 1`

const listTables = (sql: Reader) => sql.unsafe<Table[]>(tables)

const without = (some: readonly Thing[], others: readonly Thing[]): string[] => {
  const known = new Set(others.map(({ kind, name }) => `${kind} ${name}`))
  return some.map(({ kind, name }) => `${kind} ${name}`).filter((line) => !known.has(line))
}

/**
 * @throws Error if rows would be lost. @returns the things that the new database will lack, because they are not Kith's
 */
async function compareSchemas(old: Reader, next: Reader): Promise<string[]> {
  const [before, after] = await Promise.all([old.unsafe<Thing[]>(things), next.unsafe<Thing[]>(things)])
  const essential = ({ kind }: Thing) => withRows.has(kind)
  const missing = without(before.filter(essential), after)
  const added = without(after.filter(essential), before)
  if (missing.length + added.length > 0) {
    const lines = [...missing.map((line) => `not in this release: ${line}`), ...added.map((line) => `missing: ${line}`)]
    throw new Error(
      'The database does not have the schema of this release. Start this release once (npm start), which applies its ' +
        `migrations, and move or remove what is not Kith's.\n  ${lines.slice(0, 20).join('\n  ')}`,
    )
  }
  return without(before, after)
}

/** Sequences with their positions. */
async function readSequences(sql: Reader): Promise<Sequence[]> {
  const found: Sequence[] = []
  for (const { name } of await sql.unsafe<{ name: string }[]>(sequences)) {
    const [row] = await sql.unsafe<{ value: string; called: boolean }[]>(
      `select last_value::text as value, is_called as called from ${name}`,
    )
    if (row) found.push({ name, ...row })
  }
  return found
}

/**
 * Copies every row and the positions of the sequences. The rows pass through a file, because both servers run on this
 * machine: COPY of postgres.js 3.4.9 hangs now and then.
 */
async function copyRows(old: TransactionSql, next: TransactionSql, file: string): Promise<void> {
  const from = await listTables(old)
  const known = new Set((await listTables(next)).map(({ name }) => name))
  for (const { name, parent, bound, owner } of from) {
    if (known.has(name) || !bound) continue
    await next.unsafe(`create table ${name} partition of ${parent} ${bound}`)
    await next.unsafe(`alter table ${name} owner to ${owner}`)
  }
  await next.unsafe('set local session_replication_role = replica') // no triggers, no foreign keys
  await next.unsafe(`truncate ${[...known].join(', ')}`)
  for (const { name, columns } of from) {
    await old.unsafe(`copy (select ${columns} from ${name}) to ${literal(file)}`)
    await next.unsafe(`copy ${name} (${columns}) from ${literal(file)}`)
    rmSync(file)
  }
  for (const { name, value, called } of await readSequences(old))
    await next.unsafe('select setval($1::regclass, $2::bigint, $3)', [name, value, called])
}

/** The number of rows of each table and the sum of their hashes, and the positions of the sequences. */
async function summarize(sql: Reader): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const { name } of await listTables(sql)) {
    const [row] = await sql.unsafe<{ summary: string }[]>(
      `select count(*) || ' rows, ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as summary from ${name} t`,
    )
    if (row && !row.summary.startsWith('0 ')) found.set(name, row.summary)
  }
  for (const { name, value, called } of await readSequences(sql)) found.set(name, `${value} ${called}`)
  return found
}

async function compareRows(old: Reader, next: Reader): Promise<number> {
  const [before, after] = await Promise.all([summarize(old), summarize(next)])
  const names = new Set([...before.keys(), ...after.keys()])
  const different = [...names].filter((name) => before.get(name) !== after.get(name))
  if (different.length > 0) throw new Error(`The copies of ${different.join(', ')} are not equal.`)
  return names.size
}

/** @throws Error if the cluster has something that cannot be moved, or the disk has too little space */
async function check(old: Reader, dataDir: string): Promise<void> {
  const [found] = await old.unsafe<{ databases: string[]; objects: boolean; size: string }[]>(`
    select array(select datname::text from pg_database where not datistemplate and datname <> 'postgres') as databases,
      exists (select from pg_largeobject_metadata) as objects, pg_database_size('postgres') as size`)
  if (!found) return
  if (found.databases.length > 0)
    throw new Error(`Only the database postgres can be moved. Move or drop the others: ${found.databases.join(', ')}.`)
  if (found.objects) throw new Error('The database has large objects, which Kith does not use. Move or remove them.')
  const { bavail, bsize } = statfsSync(dataDir)
  const needed = 2 * Number(found.size) // the space for the rows as text and as tables, the indexes and the log
  if (bavail * bsize < needed)
    throw new Error(`The disk of ${dataDir} needs ${Math.ceil(needed / 1024 ** 2)} MiB of free space.`)
}

/** A connection as superuser. In the text of rows, names of types and functions have their schemas. */
const connect = (server: Served): Sql =>
  postgres(server.superuserUrl(), { max: 1, onnotice: () => {}, connection: { search_path: '' } })

async function copyCluster(source: Served, target: Served, dataDir: string): Promise<void> {
  const [old, next] = [connect(source), connect(target)]
  try {
    await check(old, dataDir)
    await preparePlatform(target.superuserUrl())
    await migrate(target.url())
    await muteClientErrors(target.superuserUrl())
    const lacking = await compareSchemas(old, next)
    say('Copying the rows.')
    const folder = makeServerFolder(dataDir, ROWS)
    const file = join(folder, 'rows')
    const count = await old.begin('isolation level repeatable read read only', async (from) => {
      await next.begin((to) => copyRows(from, to, file))
      rmSync(folder, { recursive: true })
      say('Comparing them.')
      return compareRows(from, next)
    })
    say(`${count} tables and sequences are equal.`)
    await next.unsafe('vacuum (analyze)')
    if (lacking.length > 0)
      say(`The new database lacks these, because they are not Kith's. Make them again:\n  ${lacking.join('\n  ')}`)
  } finally {
    await Promise.all([old.end(), next.end()])
  }
}

/** Prevents writes to the old cluster. */
const readOnly = { default_transaction_read_only: 'on', autovacuum: 'off' }
/**
 * Commits need not wait for the disk: only a complete copy is used, and the server writes it to the disk when it stops.
 */
const copying = { synchronous_commit: 'off', autovacuum: 'off', max_wal_size: '4GB', maintenance_work_mem: '256MB' }

async function upgrade(dataDir: string): Promise<void> {
  await stopOrphans(dataDir)
  finishReplacement(dataDir)
  settle(dataDir)
  if (!existsSync(join(dataDir, CLUSTER))) throw new Error(`There is no database in ${dataDir}.`)
  const major = clusterMajor(join(dataDir, CLUSTER))
  installTarget(dataDir, say)
  await removeAttempt(dataDir)
  if (major >= TARGET_MAJOR) {
    say(`The database is already of PostgreSQL ${major}.`)
    return
  }
  const former = `${CLUSTER}-${major}`
  if (existsSync(join(dataDir, former)))
    throw new Error(`${join(dataDir, former)} is the database of a former upgrade. Move or delete it first.`)
  const log = join(dataDir, 'postgres.log')
  const source = await serve({ dataDir, cluster: CLUSTER, log, settings: readOnly })
  try {
    say(`Making a cluster of PostgreSQL ${TARGET_MAJOR}.`)
    const bin = binariesOf(dataDir, TARGET_MAJOR)
    await makeCluster({ bin, dataDir, secret: keptSecret(dataDir, 'cluster-secret'), sync: true, name: NEW })
    const target = await serve({ dataDir, cluster: NEW, log, settings: copying })
    try {
      await copyCluster(source, target, dataDir)
    } catch (error) {
      await target.stop()
      await removeAttempt(dataDir)
      throw error
    }
    await target.stop()
  } finally {
    await source.stop()
  }
  replaceCluster(dataDir, former)
  // the next start creates new standbys
  for (const name of standbysIn(dataDir)) rmSync(join(dataDir, name), { recursive: true })
  say(`The database is now of PostgreSQL ${TARGET_MAJOR}. Start Kith with npm start.`)
  say(`The old database is ${join(dataDir, former)}. Delete it when you no longer need it.`)
}

async function main(): Promise<void> {
  const dataDir = resolve(folderOf(process.env.DATA_DIR))
  if (!isDataDir(dataDir)) throw new Error(`There is no instance in ${dataDir}.`)
  claimInstance(dataDir)
  // the servers end with this process
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
  await upgrade(dataDir).finally(() => releaseInstance(dataDir))
}

await main().catch((failure: unknown) => {
  process.stderr.write(`${failure instanceof Error ? failure.message : String(failure)}\n`)
  process.stderr.write('The database was not changed.\n')
  process.exitCode = 1
})
