// npm run prepare-database -- <connection string> [--migrate]: prepares a PostgreSQL server for Kith. On
// a Supabase stack everything already exists. docs/operation.md, PostgreSQL without Supabase.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import postgres, { type Sql } from 'postgres'
import { migrate, muteClientErrors, preparePlatform } from '../supabase/embedded/migrate.ts'
import { CONNECTIONS as REALTIME } from '../supabase/embedded/realtime/authorization.ts'
import { faultsOf, lookAt, type Server, stateOf } from '../supabase/embedded/server.ts'
import { explained } from './boot.ts'
import { type Config, readConfig } from './lib/config.ts'
import { scramVerifier } from './lib/database.ts'
import { environment } from './lib/environment.ts'
import { placeOf } from './lib/hosts.ts'
import { CONNECTIONS as WORKER } from './worker/jobs.ts'

const usage = 'npm run prepare-database -- postgresql://superuser:secret@host:5432/database [--migrate]'

/**
 * The number of connections besides the pools: the owner's at a start and once an hour, a migration, a backup, and a
 * DBA.
 */
const RESERVE = 6

/** The number of connections of a facade with its worker. */
const connectionsOf = ({ poolSizes }: Config): number =>
  Object.values(poolSizes).reduce((sum, size) => sum + size, 0) + WORKER + REALTIME + RESERVE

const say = (line: string) => process.stdout.write(`${line}\n`)

const found = {
  bare: 'The roles and schemas of a Supabase platform have been created.',
  behind: 'The platform was incomplete, or that of an older release. It is up to date now.',
  prepared: 'The platform already exists. Nothing was changed.',
  stack: 'This is a Supabase stack, and it has everything that Kith needs. Nothing was changed.',
}

/** Warnings for the operator about a server on which Kith can run. */
const warningsOf = ({ version, release, ownerIsSuperuser }: Server): string[] => [
  ...(version >= 180000 ? [`The server is PostgreSQL ${release}. Kith is tested on 17.`] : []),
  ...(ownerIsSuperuser
    ? [
        'The role postgres is a superuser here. It owns the functions of Kith, which run with its rights. A cluster whose ' +
          'superuser has another name is safer (initdb --username, POSTGRES_USER of the Docker image).',
      ]
    : []),
]

/** Sets a password for the new role. @returns the password */
async function letOwnerIn(sql: Sql): Promise<string> {
  const password = randomBytes(24).toString('base64url')
  await sql.unsafe(`alter role postgres password '${scramVerifier(password)}'`)
  return password
}

/** The value for DATABASE_URL. A password that is unknown here is left out. */
function ownerUrl(url: string, password: string | null): string {
  const address = new URL(url)
  address.username = 'postgres'
  address.password = password ?? ''
  return password ? address.href : address.href.replace('//postgres@', '//postgres:…@')
}

/**
 * A connection string whose session has the owner's rights, whatever its login, so that the owner owns what it creates.
 */
function asOwner(url: string, server: Server): string {
  if (server.role === 'postgres') return url
  const address = new URL(url)
  address.searchParams.set('role', 'postgres')
  return address.href
}

async function bringUp(url: string, server: Server): Promise<void> {
  const applied = (file: string, took: number) => say(`Applied ${file} in ${(took / 1000).toFixed(1)} s.`)
  const { migrations, seeds } = await migrate(asOwner(url, server), { applied, waits: say })
  if (migrations.length + seeds.length === 0) say('Migrations and seed have already been applied.')
  if (stateOf(server) !== 'stack') await muteClientErrors(url)
}

async function prepare(sql: Sql, url: string, migrations: boolean): Promise<void> {
  const server = await lookAt(sql)
  const faults = faultsOf(server, connectionsOf(readConfig(environment)))
  if (faults.length > 0) throw new Error(`Kith cannot run on ${placeOf(url)}.\n  ${faults.join('\n  ')}`)
  const state = stateOf(server)
  if (state === 'bare' || state === 'behind') await preparePlatform(url)
  say(found[state])
  for (const warning of warningsOf(server)) say(warning)
  const password = server.ownerIsSuperuser === null ? await letOwnerIn(sql) : null
  if (password) say('The role postgres was created with the password below, which is shown only once.')
  if (migrations) await bringUp(url, server)
  else
    say(
      'Apply the migrations next: run this again with --migrate, or use supabase db push (docs/operation.md, Upgrades).',
    )
  const realtime = state === 'stack' ? '' : ' REALTIME=embedded'
  say(`Start Kith with\n  DATABASE_URL=${ownerUrl(url, password)} JWT_SECRET=…${realtime} npm start`)
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({ options: { migrate: { type: 'boolean' } }, allowPositionals: true })
  const [url, ...more] = positionals
  if (!url || more.length > 0 || !/^postgres(ql)?:/.test(url) || !URL.canParse(url)) throw new Error(usage)
  const sql = postgres(url, { max: 1, connect_timeout: 10, onnotice: () => {} })
  try {
    await prepare(sql, url, values.migrate ?? false)
  } finally {
    await sql.end()
  }
}

await main().catch((failure: unknown) => {
  const error = explained(failure)
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
