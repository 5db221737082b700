// What a facade writes before it answers: the pools' passwords, the instance's domain, and the first admin.
// Repeating it changes nothing; several facades may boot at once.
import { randomBytes } from 'node:crypto'
import postgres from 'postgres'
import type { Config } from './lib/config.ts'
import { loginPassword, scramVerifier } from './lib/database.ts'
import { hashPassword } from './lib/passwords.ts'

/** The first admin that this boot made. `password` only where it was made up here: it is kept nowhere. */
export type FirstAdmin = { email: string; password: string | null; inviteCodes: string[] }
export type BootOptions = {
  config: Config
  /** Of the schema's owner. */
  databaseUrl: string
  /** What the pools' passwords come from; by default the configured one. */
  jwtSecret?: string
}

/** Answers the first admin when there was none yet. */
export async function boot({ config, databaseUrl, ...given }: BootOptions): Promise<FirstAdmin | null> {
  const secret = given.jwtSecret ?? config.jwtSecret
  if (!secret) throw new Error('A facade needs JWT_SECRET.')
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} })
  try {
    await setPasswords(sql, secret)
    await sql`insert into app.settings (key, value) values ('instance_domain', ${config.instanceDomain})
              on conflict (key) do update set value = excluded.value where settings.value <> excluded.value`
    return await ensureFirstAdmin(sql, config)
  } finally {
    await sql.end()
  }
}

/** Gives the login roles their passwords. A worker that runs alone does the same: it may be the first to start. */
export async function setPasswords(sql: postgres.Sql, secret: string): Promise<void> {
  await sql.begin(async (tx) => {
    // two who alter one role at once would fail with "tuple concurrently updated"
    await tx`select pg_advisory_xact_lock(hashtextextended('boot', 0))`
    for (const pool of ['anon', 'gate', 'user', 'service', 'worker'])
      await tx.unsafe(`alter role kith_${pool} password '${scramVerifier(loginPassword(secret, `kith_${pool}`))}'`)
  })
}

async function ensureFirstAdmin(sql: postgres.Sql, config: Config): Promise<FirstAdmin | null> {
  const [admin] = await sql`select from app.users where role = 'admin' limit 1`
  if (admin) return null
  const email = config.adminEmail ?? `admin@${config.instanceDomain.replace(/:\d+$/, '')}`
  const password = config.adminPassword ?? randomBytes(12).toString('base64url')
  const [made] = await sql<{ codes: string[] | null }[]>`
    select private.ensure_first_admin(${email}, ${await hashPassword(password)}) as codes`
  if (!made?.codes) return null
  return { email, password: config.adminPassword ? null : password, inviteCodes: made.codes }
}
