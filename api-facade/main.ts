// npm start: the whole of Kith in one process. Without DATABASE_URL it brings its own Postgres.
// design.md, "Running it".
import { resolve } from 'node:path'
import { boot, type FirstAdmin } from './boot.ts'
import { type Config, readConfig } from './lib/config.ts'
import { environment } from './lib/environment.ts'
import { startServer } from './server.ts'

/** A database to run on, and how to end it. */
type Database = {
  url: string
  jwtSecret: string
  announce(apiUrl: string): Promise<void>
  stop(): Promise<void>
  ended: Promise<void>
}

const projectRoot = resolve(import.meta.dirname, '..')
const never = new Promise<void>(() => {})

async function database(config: Config): Promise<Database> {
  if (config.databaseUrl && config.jwtSecret) {
    const nothing = async () => {}
    return { url: config.databaseUrl, jwtSecret: config.jwtSecret, announce: nothing, stop: nothing, ended: never }
  }
  // loaded only here: a deployment on a real stack has no binaries of it
  const { startPostgres } = await import('../supabase/embedded/postgres.ts')
  const { migrate, preparePlatform } = await import('../supabase/embedded/migrate.ts')
  const { apiKeys, embeddedSecret, writeInstance } = await import('../supabase/embedded/instance.ts')
  const { defaultDataDir } = await import('../supabase/embedded/places.ts')
  const dataDir = config.dataDir ?? defaultDataDir(projectRoot)
  const server = await startPostgres({ dataDir })
  try {
    await preparePlatform(server.superuserUrl())
    await migrate(server.url())
  } catch (error) {
    await server.stop()
    throw error
  }
  const jwtSecret = config.jwtSecret ?? embeddedSecret(dataDir)
  const announce = async (apiUrl: string) =>
    writeInstance(dataDir, { apiUrl, dbUrl: server.url(), jwtSecret, ...(await apiKeys(jwtSecret)) })
  return { url: server.url(), jwtSecret, announce, stop: server.stop, ended: server.exited }
}

function welcome(url: string, admin: FirstAdmin | null): string {
  const lines = [`Kith is at ${url}, its API at ${url}/api/v1, the documentation at ${url}/docs.`]
  if (admin) {
    lines.push(`The first admin is ${admin.email}.`)
    if (admin.password) lines.push(`Their password, shown this once: ${admin.password}`)
    lines.push(`Their first invite codes: ${admin.inviteCodes.join(' ')}`)
  }
  return lines.join('\n')
}

async function main(): Promise<void> {
  const ending = new Promise<void>((end) => {
    process.once('SIGTERM', () => end()).once('SIGINT', () => end())
  })
  const config = readConfig(environment)
  const base = await database(config)
  try {
    const { url: databaseUrl, jwtSecret } = base
    const admin = await boot({ config, databaseUrl, jwtSecret })
    const server = await startServer({ config, databaseUrl, jwtSecret })
    await base.announce(server.url)
    process.stdout.write(`${welcome(server.url, admin)}\n`)
    const lost = await Promise.race([ending.then(() => false), base.ended.then(() => true)])
    await server.stop()
    if (lost) throw new Error('PostgreSQL has ended. Its log is postgres.log in the data folder.')
  } finally {
    await base.stop()
  }
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
