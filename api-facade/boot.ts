// What a facade writes before it answers: the pools' passwords, the instance's domain, the scale of the limits, where
// media are, from where else they may come and how much of them a person may have, and the first admin.
// Repeating it changes nothing; several facades may boot at once.
import { createHmac, randomBytes } from 'node:crypto'
import postgres from 'postgres'
import { type Config, mediaPlace, secretsOf } from './lib/config.ts'
import { loginPassword, scramVerifier } from './lib/database.ts'
import { type Books, compare } from './lib/migrations.ts'
import { hashPassword } from './lib/passwords.ts'

/** The first admin that this boot made. `password` only where it was made up here: it is kept nowhere. */
export type FirstAdmin = { email: string; password: string | null; inviteCodes: string[] }
export type BootOptions = {
  config: Config
  /** Of the schema's owner. */
  databaseUrl: string
  /** What the pools' passwords come from; by default the configured one. */
  jwtSecret?: string
  /** Hears of the first admin when there was none yet: before they are kept, since nobody could log in untold. */
  tell?: (admin: FirstAdmin) => void
}

/** Answers what an operator should know. @throws Error that says what is wrong with the database or the settings */
export async function boot({ config, databaseUrl, tell, ...given }: BootOptions): Promise<string[]> {
  const secret = given.jwtSecret ?? config.jwtSecret
  if (!secret) throw new Error('A facade needs JWT_SECRET.')
  const sql = openOwner(config.databaseDirectUrl ?? databaseUrl)
  try {
    const warnings = await checkMigrations(sql)
    await takeDomain(sql, config.instanceDomain)
    await takeSetting(sql, 'rate_limit_scale', String(config.rateLimitScale))
    await takeSetting(sql, 'media_url', mediaPlace(config).url)
    await takeSetting(sql, 'media_bucket', mediaPlace(config).bucket)
    await takeSetting(sql, 'media_quota', String(config.mediaQuota * 1024 * 1024))
    await takeSetting(sql, 'media_hosts', config.mediaHosts.join(' '))
    await setPasswords(sql, secretsOf(config, secret))
    await ensureFirstAdmin(sql, config, tell)
    return warnings
  } catch (error) {
    throw explained(error)
  } finally {
    await sql.end()
  }
}

/** A connection as the schema's owner. Its statements have no names, which a transaction pooler would lose. */
export const openOwner = (databaseUrl: string): postgres.Sql =>
  postgres(databaseUrl, { max: 1, prepare: false, connect_timeout: 10, onnotice: () => {} })

const unreachable = /^(E[A-Z]+|CONNECT_TIMEOUT|CONNECTION_CLOSED)$/

/** What went wrong on the way to the database, with the variable to look at; anything else as it is. */
export function explained(cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (unreachable.test(code)) return new Error(`The database of DATABASE_URL cannot be reached (${code}).`, { cause })
  const refused = ['28P01', '28000', '3D000'].includes(code) // password, role, database
  if (refused && cause instanceof Error)
    return new Error(`The database of DATABASE_URL lets nobody in: ${cause.message}.`, { cause })
  return cause
}

/** Answers how the database is newer than this code. @throws Error where it is older: what is called is not there */
export async function checkMigrations(sql: postgres.Sql): Promise<string[]> {
  const { faults, warnings } = compare(await readBooks(sql))
  if (faults.length > 0) throw new Error(`The database does not fit this code.\n  ${faults.join('\n  ')}`)
  return warnings
}

/** Nothing is in them where there is no schema of ours, or nobody kept books. */
async function readBooks(sql: postgres.Sql): Promise<Books> {
  const [row] = await sql<{ readable: boolean }[]>`
    select to_regprocedure('private.readiness()') is not null
       and to_regclass('supabase_migrations.schema_migrations') is not null as readable`
  if (!row?.readable) return {}
  const [found] = await sql<{ books: Books }[]>`select private.readiness() -> 'migrations' as books`
  return found?.books ?? {}
}

/** One boot at a time: two who alter one role at once would fail with "tuple concurrently updated". */
async function alone(sql: postgres.Sql, work: (tx: postgres.TransactionSql) => Promise<void>): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('boot', 0))`
    await work(tx)
  })
}

/** Writes the domain while there is at most the first admin. @throws Error where another one would rename people */
export function takeDomain(sql: postgres.Sql, domain: string): Promise<void> {
  return alone(sql, async (tx) => {
    const [row] = await tx<{ value: string }[]>`select value from app.settings where key = 'instance_domain'`
    if (row && row.value !== domain && (await tx`select from app.users limit 2`).length > 1) {
      throw new Error(
        `INSTANCE_DOMAIN is ${domain}, but the people of this instance are named …@${row.value}. ` +
          `Start with INSTANCE_DOMAIN=${row.value}. docs/operation.md, Another domain, says how to rename everyone.`,
      )
    }
    await takeSetting(tx, 'instance_domain', domain)
  })
}

type Setting = 'instance_domain' | 'rate_limit_scale' | `media_${'url' | 'bucket' | 'quota' | 'hosts'}`

/** What SQL itself needs, such as to count a person's writes (sql/base/81_writes.sql): of several facades the last one's holds. */
export async function takeSetting(sql: postgres.ISql, key: Setting, value: string): Promise<void> {
  await sql`insert into app.settings (key, value) values (${key}, ${value})
            on conflict (key) do update set value = excluded.value where app.settings.value <> excluded.value`
}

/**
 * Gives the login roles their passwords, which come from the first secret. A worker that runs alone does the same: it
 * may be the first to start. @throws Error when neither that secret nor the one before it is the instance's
 */
export function setPasswords(sql: postgres.Sql, secrets: readonly [string, ...string[]]): Promise<void> {
  return alone(sql, async (tx) => {
    await takeSecret(tx, secrets)
    for (const pool of ['anon', 'gate', 'user', 'service', 'worker'])
      await tx.unsafe(`alter role kith_${pool} password '${scramVerifier(loginPassword(secrets[0], `kith_${pool}`))}'`)
  })
}

const fingerprintOf = (secret: string): string => createHmac('sha256', secret).update('kith fingerprint').digest('hex')

/** With another secret every token, key and link of the instance would end, and facades that run lose their pools. */
export async function takeSecret(tx: postgres.ISql, secrets: readonly [string, ...string[]]): Promise<void> {
  const [row] = await tx<{ fingerprint: string }[]>`select fingerprint from private.jwt_fingerprint`
  const [own, ...previous] = secrets.map(fingerprintOf)
  if (row?.fingerprint === own) return
  if (row && !previous.includes(row.fingerprint)) {
    throw new Error(
      'JWT_SECRET is not the one of this instance. Start with that one, or, to change it, give that one as ' +
        'JWT_SECRET_PREVIOUS. docs/operation.md, Another secret, says what to do if it is lost.',
    )
  }
  await tx`delete from private.jwt_fingerprint`
  await tx`insert into private.jwt_fingerprint values (${own ?? ''})`
}

export async function ensureFirstAdmin(sql: postgres.Sql, config: Config, tell?: BootOptions['tell']): Promise<void> {
  const [admin] = await sql`select from app.users where role = 'admin' limit 1`
  if (admin) return
  const email = config.adminEmail ?? `admin@${config.instanceDomain.replace(/:\d+$/, '')}`
  const password = config.adminPassword ?? randomBytes(12).toString('base64url')
  const hash = await hashPassword(password)
  await sql.begin(async (tx) => {
    const [made] = await tx<{ codes: string[] | null }[]>`select private.ensure_first_admin(${email}, ${hash}) as codes`
    if (!made?.codes) return
    tell?.({ email, password: config.adminPassword ? null : password, inviteCodes: made.codes })
  })
}
