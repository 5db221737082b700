// The record of a release: the rows of a database of its time, and what its operations answered there. A later schema
// must give the same answers, because the release's code still runs during an upgrade: test/upgrade.test.ts.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import type { Sql } from 'postgres'
import { operations } from '../../api-facade/generated/operations.ts'
import { encode } from '../../api-facade/lib/encode.ts'
import type { Database, Pool } from './database.ts'

type Given = Record<string, unknown>

/** A call as the facade sends it. */
export type Call = { operation: string; pool: Pool; who: string | null; role: string; given: Given }

/** How it ended: the shape of its answer, or the code of its error. */
export type Outcome = { shape: Shape } | { code: string }

/**
 * What clients rely on in an answer. For a text this is its type, or the text itself if it seems to be one of a fixed
 * set. For a list it is the shape of its first item.
 */
export type Shape = string | null | Shape[] | { [name: string]: Shape }

/** The columns of each table, its rows in the text format of COPY, and the last value of each sequence. */
type Rows = { tables: Record<string, { columns: string; rows: string }>; sequences: Record<string, number> }

export type Release = Rows & {
  /** The versions of its migrations. */
  migrations: string[]
  /** When its rows were written, as an ISO time. */
  at: string
  people: { email: string; password: string }[]
  calls: (Call & { outcome: Outcome })[]
}

const pathOf = (version: string) => join(import.meta.dirname, '../releases', `${version}.br`)
export const writeRelease = (version: string, release: Release): void =>
  writeFileSync(pathOf(version), brotliCompressSync(JSON.stringify(release)))
export const readRelease = (version: string): Release =>
  JSON.parse(brotliDecompressSync(readFileSync(pathOf(version))).toString())

/**
 * All rows of Kith's tables, and where its sequences are. Without the secret of the logins, because the logins belong to
 * the server.
 */
export async function copyOut(sql: Sql): Promise<Rows> {
  const tables = await sql<{ name: string; columns: string }[]>`
    select c.oid::regclass::text as name,
           (select string_agg(quote_ident(a.attname), ', ' order by a.attnum) from pg_attribute a
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
    from pg_class c
    where c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace in ('app'::regnamespace, 'private'::regnamespace, 'pgboss'::regnamespace)
      and c.oid <> 'private.login_secret'::regclass
    order by 1`
  const found: Rows['tables'] = {}
  for (const { name, columns } of tables) {
    const rows = await text(await sql.unsafe(`copy (select ${columns} from ${name}) to stdout`).readable())
    found[name] = { columns, rows }
  }
  const sequences = await sql<{ name: string; value: number }[]>`
    select format('%I.%I', schemaname, sequencename) as name, last_value::float8 as value
    from pg_sequences where schemaname in ('app', 'private', 'pgboss') and last_value is not null`
  return { tables: found, sequences: Object.fromEntries(sequences.map(({ name, value }) => [name, value])) }
}

/** Replaces all rows of Kith's tables. Takes a superuser's connection, so that no trigger or foreign key takes part. */
export async function copyIn(superuser: Sql, { tables, sequences }: Rows): Promise<void> {
  await superuser.begin(async (sql) => {
    await sql`set local session_replication_role = replica`
    await sql.unsafe(`truncate ${Object.keys(tables).join(', ')}`)
    for (const [name, { columns, rows }] of Object.entries(tables))
      await pipeline(Readable.from([rows]), await sql.unsafe(`copy ${name} (${columns}) from stdin`).writable())
    for (const [name, value] of Object.entries(sequences)) await sql`select setval(${name}, ${value})`
  })
}

/**
 * Moves all times forward except those in the audit log, whose hashes include times. So answers that depend on the age
 * of rows stay the same.
 */
export async function moveTimes(superuser: Sql, since: string): Promise<void> {
  const tables = await superuser<{ name: string; changes: string }[]>`
    select c.oid::regclass::text as name,
           string_agg(format('%1$I = %1$I + $1::interval', a.attname), ', ') as changes
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = '' and a.atttypid in ('timestamptz'::regtype, 'date'::regtype)
    where c.relkind in ('r', 'p') and not c.relispartition
      and c.relnamespace in ('app'::regnamespace, 'private'::regnamespace, 'pgboss'::regnamespace)
      and c.oid <> 'app.audit_log'::regclass
    group by c.oid`
  const age = `${Math.round((Date.now() - Date.parse(since)) / 1000)} s`
  await superuser.begin(async (sql) => {
    await sql`set local session_replication_role = replica`
    for (const { name, changes } of tables) await sql.unsafe(`update ${name} set ${changes}`, [age])
  })
}

/** The arguments of a call, with their ISO times as much later as `moveTimes` makes the rows. */
export function moveArguments(given: Given, since: string): Given {
  const age = Date.now() - Date.parse(since)
  const isTime = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)
  return JSON.parse(JSON.stringify(given), (_, value) =>
    isTime(value) ? new Date(Date.parse(value) + age).toISOString() : value,
  )
}

export function shapeOf(value: unknown): Shape {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]))
  if (typeof value === 'string') return /^[a-z]+([._-][a-z]+)*$/.test(value) ? value : 'text'
  return value === null ? null : typeof value
}

/** The place where a new shape lacks something of the old one, or undefined. More fields are no difference. */
export function lackOf(old: Shape, now: Shape | undefined, path = '$'): string | undefined {
  if (typeof old !== 'object' || typeof now !== 'object' || old === null || now === null)
    return old === now ? undefined : `${path} was ${JSON.stringify(old)} and is ${JSON.stringify(now)}`
  if (Array.isArray(old) !== Array.isArray(now)) return `${path} was a list, or is one now`
  const inside = now as { [name: string]: Shape }
  for (const [name, inner] of Object.entries(old)) {
    const lack = lackOf(inner, inside[name], `${path}.${name}`)
    if (lack) return lack
  }
  return undefined
}

/** Makes calls on a database as the facade does, and rolls each call back. */
export function createCaller(database: Pick<Database, 'connect'>) {
  const connections = new Map<Pool, Sql>()
  const connectionOf = (pool: Pool): Sql => {
    const known = connections.get(pool) ?? database.connect(pool)
    connections.set(pool, known)
    return known
  }
  return async ({ operation, pool, who, role, given }: Call): Promise<Outcome> => {
    const types: Record<string, string> = (operations as Record<string, Record<string, string>>)[operation] ?? {}
    const names = Object.keys(given)
    const list = names.map((name, at) => `${name} => $${at + 3}::text::${types[name] ?? 'text'}`)
    const iat = Math.floor(Date.now() / 1000)
    const claims = who && JSON.stringify({ sub: who, role, iat, exp: iat + 900 })
    const undone = new Error('undone')
    let outcome: Outcome = { code: '' }
    await connectionOf(pool)
      .begin(async (sql) => {
        const [row] = await sql.unsafe<{ answer: unknown }[]>(
          `select to_jsonb(api.${operation}(${list.join(', ')})) as answer from private.enter($1::text, $2::text)`,
          [claims, null, ...names.map((name) => encode(given[name], types[name] ?? ''))] as string[],
        )
        outcome = { shape: shapeOf(row?.answer) }
        throw undone
      })
      .catch((error: { code?: string; message: string }) => {
        if (error !== (undone as unknown))
          outcome = { code: error.code?.startsWith('PT') ? error.message : (error.code ?? error.message) }
      })
    return outcome
  }
}
