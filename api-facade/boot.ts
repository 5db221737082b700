// Writes what a facade needs before it answers requests: the passwords of the pools, the domain, the scale of the
// limits, the media settings, and the first admin. Repeating it changes nothing; several facades may boot at once.
import { createHmac, randomBytes } from 'node:crypto'
import type postgres from 'postgres'
import { type Config, mediaPlace } from './lib/config.ts'
import { LOGINS, loginPassword, openOwner, readLoginSecret, scramVerifier } from './lib/database.ts'
import { isGuessable } from './lib/guessable.ts'
import { type Books, compare } from './lib/migrations.ts'
import { checkPassword, hashPassword } from './lib/passwords.ts'

/** The first admin that this boot created. `password` is null unless it was generated here; it is stored nowhere. */
export type FirstAdmin = { email: string; password: string | null; inviteCodes: string[] }
type BootOptions = {
  config: Config
  /** The connection string of the schema's owner. */
  databaseUrl: string
  /** The secret of the instance; by default the configured one. */
  jwtSecret?: string
  /** Called with a new first admin before the commit, to show the password. If it fails, the admin isn't created. */
  tell?: (admin: FirstAdmin) => void
}

/** @returns warnings for the operator. @throws Error that says what is wrong with the database or the settings */
export async function boot({ config, databaseUrl, tell, ...given }: BootOptions): Promise<string[]> {
  const secret = given.jwtSecret ?? config.jwtSecret
  if (!secret) throw new Error('A facade needs JWT_SECRET.')
  const sql = openOwner(config.databaseDirectUrl ?? databaseUrl)
  try {
    const warnings = await checkMigrations(sql)
    await takeDomain(sql, config.instanceDomain)
    await takeSetting(sql, 'rate_limit_scale', String(config.rateLimitScale))
    await takeSetting(sql, 'public_url', config.publicUrl)
    await takeSetting(sql, 'media_url', mediaPlace(config).url)
    await takeSetting(sql, 'media_bucket', mediaPlace(config).bucket)
    await takeSetting(sql, 'media_quota', String(config.mediaQuota * 1024 * 1024))
    await takeSetting(sql, 'media_hosts', config.mediaHosts.join(' '))
    await takeSetting(sql, 'webhook_exempt', config.webhookExempt.join(' '))
    await takeSetting(sql, 'register_apps', config.registerApps)
    await takeSetting(sql, 'require_factor', config.requireFactor.join(','))
    await takeSetting(sql, 'proof_tier', String(config.proofTier ?? ''))
    await takeSetting(sql, 'backups', config.backup ? 'on' : 'off')
    await takeSecret(sql, secret, config)
    await setPasswords(sql)
    return [...warnings, ...(await ensureFirstAdmin(sql, config, tell))]
  } catch (error) {
    throw explained(error)
  } finally {
    await sql.end()
  }
}

const unreachable = /^(E[A-Z]+|CONNECT_TIMEOUT|CONNECTION_CLOSED)$/

/** Names the variable to check if the database cannot be reached; returns any other error unchanged. */
export function explained(cause: unknown): unknown {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (unreachable.test(code)) return new Error(`The database of DATABASE_URL cannot be reached (${code}).`, { cause })
  const refused = ['28P01', '28000', '3D000'].includes(code) // password, role, database
  if (refused && cause instanceof Error)
    return new Error(`The database of DATABASE_URL refuses the connection: ${cause.message}.`, { cause })
  return cause
}

/** @returns how the database is newer than this code. @throws Error if it is older, because it lacks functions */
export async function checkMigrations(sql: postgres.Sql): Promise<string[]> {
  const books = await readBooks(sql)
  const { faults, warnings } = compare(books ?? {})
  if (!books) faults.push(await adviceFor(sql))
  if (faults.length > 0) throw new Error(`The database does not match this code.\n  ${faults.join('\n  ')}`)
  return warnings
}

/** Advice for a database without Kith's schema. */
async function adviceFor(sql: postgres.Sql): Promise<string> {
  const [server] = await sql<{ number: number; version: string }[]>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as version`
  if (server && server.number < 170000) return `The server is PostgreSQL ${server.version}, and Kith needs 17.`
  return 'Without Supabase, prepare the database first: npm run prepare-database -- <url> --migrate'
}

/** The migrations of the database; null if it has no schema of Kith, or no record of migrations. */
async function readBooks(sql: postgres.Sql): Promise<Books | null> {
  const [row] = await sql<{ readable: boolean }[]>`
    select to_regprocedure('private.readiness()') is not null
       and to_regclass('supabase_migrations.schema_migrations') is not null as readable`
  if (!row?.readable) return null
  const [found] = await sql<{ books: Books }[]>`select private.readiness() as books`
  return found?.books ?? {}
}

/** Allows one boot at a time: two that alter one role concurrently would fail with "tuple concurrently updated". */
async function alone(sql: postgres.Sql, work: (tx: postgres.TransactionSql) => Promise<void>): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(hashtextextended('boot', 0))`
    await work(tx)
  })
}

/**
 * Sets the domain.
 * @throws Error if it is a new one and people besides the first admin exist, whose names would change
 */
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

type Setting =
  | 'public_url'
  | 'instance_domain'
  | 'rate_limit_scale'
  | `media_${'url' | 'bucket' | 'quota' | 'hosts'}`
  | 'webhook_exempt'
  | 'register_apps'
  | 'require_factor'
  | 'proof_tier'
  | 'backups'

/**
 * Writes a setting that SQL needs (for example sql/base/81_writes.sql). If facades differ, the last one to start
 * decides.
 */
export async function takeSetting(sql: postgres.ISql, key: Setting, value: string): Promise<void> {
  await sql`insert into app.settings (key, value) values (${key}, ${value})
            on conflict (key) do update set value = excluded.value where app.settings.value <> excluded.value`
}

/** Gives the login roles their passwords. A worker that runs alone does the same, because it may start first. */
export function setPasswords(sql: postgres.Sql): Promise<void> {
  return alone(sql, async (tx) => {
    await tx`insert into private.login_secret select where not exists (select from private.login_secret)`
    const secret = await readLoginSecret(tx)
    for (const role of LOGINS)
      await tx.unsafe(`alter role ${role} password '${scramVerifier(loginPassword(secret, role))}'`)
  })
}

const fingerprintOf = (secret: string): string => createHmac('sha256', secret).update('kith fingerprint').digest('hex')

type OtherSecrets = Pick<Config, 'jwtSecretNext' | 'jwtSecretPrevious'>

/**
 * Refuses a secret that is not the instance's, because all tokens, keys and links would become invalid. While the
 * secret is being changed, a process that still has the old one may start again, and changes nothing.
 */
export function takeSecret(sql: postgres.Sql, secret: string, others: OtherSecrets): Promise<void> {
  return alone(sql, async (tx) => {
    const [row] = await tx<{ fingerprint: string }[]>`select fingerprint from private.jwt_fingerprint`
    const is = (one: string | undefined) => one !== undefined && row?.fingerprint === fingerprintOf(one)
    if (is(secret) || is(others.jwtSecretNext)) return
    if (row && !is(others.jwtSecretPrevious)) {
      throw new Error(
        'JWT_SECRET is not the secret of this instance. Start with the instance’s secret. To change it, set ' +
          'JWT_SECRET_PREVIOUS to the old secret. docs/operation.md, Another secret, says what to do if it is lost.',
      )
    }
    await tx`delete from private.jwt_fingerprint`
    await tx`insert into private.jwt_fingerprint values (${fingerprintOf(secret)})`
  })
}

/** A random password, which is shown once. */
export const newPassword = (): string => randomBytes(12).toString('base64url')

/**
 * @returns a warning if an admin exists and can't log in with the configured address and password, or if the password
 * of the first admin is easy to guess
 * @throws Error in production if that password is easy to guess
 */
export async function ensureFirstAdmin(
  sql: postgres.Sql,
  config: Config,
  tell?: BootOptions['tell'],
): Promise<string[]> {
  const email = config.adminEmail ?? `admin@${config.instanceDomain}`
  const [admin] = await sql`select from app.users where role = 'admin' limit 1`
  if (admin) return (await areOfAnAdmin(sql, config, email)) ? [] : [IGNORED]
  const password = config.adminPassword ?? newPassword()
  const isWeak = await isGuessable(password, [email, 'admin', config.instanceDomain])
  if (isWeak && config.refusesGuessable) throw new Error(`ADMIN_PASSWORD ${GUESSABLE}`)
  const hash = await hashPassword(password)
  await sql.begin(async (tx) => {
    const [made] = await tx<{ codes: string[] | null }[]>`select private.ensure_first_admin(${email}, ${hash}) as codes`
    if (!made?.codes) return
    tell?.({ email, password: config.adminPassword ? null : password, inviteCodes: made.codes })
  })
  return isWeak ? [`ADMIN_PASSWORD ${GUESSABLE}`] : []
}

const GUESSABLE =
  'is one of the most common passwords, or easy to guess. Choose another one, for example several words.'

const IGNORED =
  'ADMIN_EMAIL and ADMIN_PASSWORD are ignored, because they only create the first admin, and there is an admin. ' +
  'npm run admin -- --email=<address> makes another one; with --reset it sets a password.'

/** Whether an admin has the configured address, and the configured password, if they are set. */
async function areOfAnAdmin(sql: postgres.Sql, config: Config, email: string): Promise<boolean> {
  const { adminEmail, adminPassword } = config
  if (!adminEmail && !adminPassword) return true
  const [found] = await sql<{ hash: string | null }[]>`
    select c.password_hash as hash
    from app.accounts a join app.users u on u.id = a.user_id join private.credentials c on c.user_id = a.user_id
    where u.role = 'admin' and lower(a.email) = lower(${email})`
  return found !== undefined && (!adminPassword || checkPassword(found.hash ?? undefined, adminPassword, 'known'))
}
