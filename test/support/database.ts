// A database for one test file, copied from the template and dropped at the end of the file.
import { randomBytes } from 'node:crypto'
import postgres, { type Sql, type TransactionSql } from 'postgres'
import { afterAll, inject } from 'vitest'
import { loginPassword } from '../../api-facade/lib/database.ts'
import { TEMPLATE, target } from './settings.ts'
import { missing } from './target.ts'
import { until } from './until.ts'

/** The claims of a token; `role` may also be service_role. Null is a caller without a token. */
export type Claims = { sub?: string; email?: string; role: string; iat?: number; exp?: number } | null

/** The login roles of the facade's pools. */
export type Pool = 'kith_anon' | 'kith_gate' | 'kith_user' | 'kith_service' | 'kith_worker'

export type Database = {
  name: string
  /** The facade's DATABASE_URL: the owner of schemas and tables, not a superuser, bypassing row-level security. */
  url: string
  owner: Sql
  superuser: Sql
  /** Connects as one pool of the facade does. The connection is closed with the database. */
  connect(pool: Pool): Sql
  /** Runs `work` in a transaction with a caller's role and claims, entered as the facade does. */
  asCaller<T>(claims: Claims, work: (sql: TransactionSql) => Promise<T>): Promise<T>
}

const quiet = { onnotice: () => {}, max: 4 }

function withName(url: string, name: string) {
  const address = new URL(url)
  address.pathname = name
  return address.href
}

/** The connection string of the database `url` for one pool of the facade. */
export function poolUrl(url: string, pool: Pool): string {
  const address = new URL(url)
  address.username = pool
  address.password = loginPassword(inject('postgres').loginSecret, pool)
  return address.href
}

function sqlRole(claims: Claims) {
  if (claims === null) return 'anon'
  return claims.role === 'service_role' ? 'service_role' : 'authenticated'
}

/** A token's claims as the facade would pass them. Fills in the claims that the test leaves out. */
function filled(claims: Claims) {
  if (claims === null) return null
  const now = Math.floor(Date.now() / 1000)
  return JSON.stringify({ iat: now, exp: now + 900, ...claims })
}

/** Copies a template. Call it at the top of a file or of a describe: the copy is dropped after the last test there. */
export async function createDatabase(from = TEMPLATE): Promise<Database> {
  if (target) return missing("needs the connection of the database's owner")
  const template = inject('postgres')
  const name = `test_${randomBytes(6).toString('hex')}`
  const server = postgres(withName(template.superuserUrl, 'postgres'), { ...quiet, max: 1 })
  // file by file: the other strategy also writes each page into the WAL, which takes twice as long
  await server.unsafe(`create database ${name} template ${from} owner postgres strategy file_copy`)

  const url = withName(template.ownerUrl, name)
  const owner = postgres(url, quiet)
  const superuser = postgres(withName(template.superuserUrl, name), quiet)
  const connections = [owner, superuser]

  afterAll(async () => {
    await Promise.all(connections.map((sql) => sql.end({ timeout: 1 })))
    // a Realtime gateway's slot stays active until the server notices that the gateway is gone
    await until(
      async () => (await server`select from pg_replication_slots where database = ${name} and active`).length === 0,
    )
    await server.unsafe(`drop database ${name} with (force)`)
    await server.end()
  })

  return {
    name,
    url,
    owner,
    superuser,
    connect(pool) {
      const sql = postgres(poolUrl(url, pool), quiet)
      connections.push(sql)
      return sql
    },
    async asCaller(claims, work) {
      const result = await owner.begin(async (sql) => {
        await sql`select set_config('role', ${sqlRole(claims)}, true)`
        await sql`select private.enter(${filled(claims)}::text)`
        return { value: await work(sql) }
      })
      return result.value
    },
  }
}

/** Applies all effects that wait, as the worker does within a second. @throws Error if one of them fails */
export async function applyEffects(sql: Pick<Sql, 'unsafe'>): Promise<void> {
  for (;;) {
    const [row] = await sql.unsafe<[{ round: { applied: number; failed: number } }]>(
      'select private.apply_effects() as round',
    )
    if (row.round.failed > 0) throw new Error('effects could not be applied: private.stuck_effects says why')
    if (row.round.applied > 0) continue
    const [left] = await sql.unsafe<[{ waits: boolean }]>('select exists (select from private.effects) as waits')
    if (!left.waits) return
  }
}
