// Supabase itself, as far as possible without Docker: the real CLI applies this project to a bare Postgres that has
// only the platform's shim.
import { randomBytes } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import postgres from 'postgres'
import { parse } from 'smol-toml'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { boot } from '../api-facade/boot.ts'
import { readConfig } from '../api-facade/lib/config.ts'
import { startServer } from '../api-facade/server.ts'
import { migrate, preparePlatform } from '../supabase/embedded/migrate.ts'
import { cli, cliOutput, databaseTypes, typesPath } from '../supabase/tools/cli.ts'
import { generated } from '../supabase/tools/generate.ts'
import { Person } from './support/person.ts'
import { ADMIN, environment } from './support/settings.ts'

const { ownerUrl, superuserUrl, loginSecret } = inject('postgres')
const name = `bare_${randomBytes(6).toString('hex')}`
const at = (url: string) => Object.assign(new URL(url), { pathname: name }).href
const url = at(ownerUrl)
const server = postgres(superuserUrl, { max: 1, database: 'postgres', onnotice: () => {} })
const onTarget = (...args: string[]) => cliOutput(...args, `--remote=${url}`)

beforeAll(async () => {
  await server.unsafe(`create database ${name} owner postgres`)
  await preparePlatform(at(superuserUrl))
  await onTarget('db', 'push', '--include-seed', '--yes')
})

afterAll(async () => {
  await server.unsafe(`drop database ${name} with (force)`)
  await server.end()
})

// The names in these functions were resolved when the functions were created. With a search_path, Postgres would call
// them instead of inlining them.
const known = ['limited_for', 'limited_post_for', 'visibility'].map(
  (name) => `Function \`private.${name}\` has a role mutable search_path`,
)

async function advice(): Promise<string[]> {
  const { stdout } = await cli('db', 'advisors', '--level', 'warn', '--output-format', 'json', `--remote=${url}`)
  const details = JSON.parse(stdout).results.map(({ detail }: { detail: string }) => detail)
  return details.sort()
}

describe('The Supabase CLI', { timeout: 60_000 }, () => {
  test('has pushed every migration and finds none to push', async () => {
    const { migrations } = JSON.parse(await onTarget('migration', 'list', '--output-format', 'json'))
    const versions = globSync('supabase/migrations/*.sql').map((file) => /(\d+)_/.exec(file)?.[1])
    expect(migrations.map(({ local, remote }: { local: string; remote: string }) => [local, remote])).toEqual(
      versions.sort().map((version) => [version, version]),
    )
    expect(await onTarget('db', 'push', '--dry-run')).toContain('up to date')
  })

  test('creates the same schema and seed as the embedded instance, which finds nothing to add', async () => {
    for (const [path, text] of Object.entries(await generated(url))) {
      expect(readFileSync(path, 'utf8') === text, path).toBe(true)
    }
    expect(await migrate(url)).toEqual({ migrations: [], seeds: [] })
  })

  test('generates the committed types', async () => {
    expect(readFileSync(typesPath, 'utf8') === (await databaseTypes(url)), 'run npm run gen').toBe(true)
  })

  test('gives only the expected advice of level warning or error', async () => {
    expect(await advice()).toEqual(known)
  })

  test('gives advice for a violation, which proves that the check works', async () => {
    const sql = postgres(url, { max: 1 })
    await sql`create function app.offence() returns int language sql as 'select 1'`
    const found = await advice()
    await sql`drop function app.offence()`
    await sql.end()
    expect(found).toEqual(['Function `app.offence` has a role mutable search_path', ...known])
  })

  test('leaves a database that a facade can run on', async () => {
    const config = readConfig(environment(url))
    const owner = postgres(url, { max: 1 })
    // the logins are those of all databases of this server
    await owner`insert into private.login_secret values (${loginSecret})`.finally(() => owner.end())
    await boot({ config, databaseUrl: url })
    const facade = await startServer({ config, databaseUrl: url })
    try {
      const admin = await Object.assign(new Person(facade.url), ADMIN).login()
      expect(await admin.get('/me')).toMatchObject({ status: 200, body: { email: ADMIN.email } })
    } finally {
      await facade.stop()
    }
  })
})

describe('PostgREST', () => {
  /** What PostgREST does before a request, as the role that it connects as. */
  const asAuthenticator = (role: string, claims: object) => {
    const sql = postgres(at(superuserUrl), { max: 1 })
    return sql
      .begin(async (tx) => {
        await tx`set session authorization authenticator`
        await tx`select set_config('role', ${role}, true), set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`
        const [row] = await tx`select private.check_caller() as passed`
        return row?.passed
      })
      .finally(() => sql.end())
  }

  test('reads from the database which schema to expose and which function to call before each request', async () => {
    const [setting] = await server`
      select setconfig from pg_db_role_setting where setrole = 'authenticator'::regrole and setdatabase = 0`
    expect(setting?.setconfig).toEqual(
      expect.arrayContaining(['pgrst.db_schemas=api', 'pgrst.db_pre_request=private.check_caller']),
    )
  })

  test.each(['anon', 'service_role'])('can act as %s', async (role) => {
    expect(await asAuthenticator(role, { role })).toBe(true)
  })

  test.each(['user', 'moderator', 'admin'])('is rejected for a %s who does not exist', async (role) => {
    const claims = { sub: '00000000-0000-4000-8000-000000000000', role, iat: 1, exp: 2 ** 31 }
    await expect(asAuthenticator(role, claims)).rejects.toMatchObject({ code: 'PT401', message: 'token_revoked' })
  })

  test.each(['gate', 'worker'])('cannot act as %s, whatever a token says', async (role) => {
    await expect(asAuthenticator(role, { role })).rejects.toMatchObject({ code: '42501' })
  })
})

describe('config.toml', () => {
  type Service = { enabled?: boolean }
  const config = parse(readFileSync('supabase/config.toml', 'utf8')) as unknown as {
    api: Service & { schemas: string[] }
    db: { major_version: number; migrations: Service; seed: Service & { sql_paths: string[] } }
    functions?: Record<string, { entrypoint: string }>
  } & Record<'auth' | 'realtime' | 'studio' | 'storage' | 'local_smtp' | 'edge_runtime' | 'analytics', Service>

  test('exposes the operations and nothing else', () => {
    expect(config.api).toMatchObject({ enabled: true, schemas: ['api'] })
  })

  test('has what `supabase start` needs: PostgreSQL 17, migrations, seed', () => {
    expect(config.db).toMatchObject({ major_version: 17, migrations: { enabled: true }, seed: { enabled: true } })
    expect(globSync('supabase/migrations/*.sql')).not.toEqual([])
    const seeds = config.db.seed.sql_paths.flatMap((pattern) => globSync(pattern, { cwd: 'supabase' }))
    expect(seeds.length).toBe(globSync('supabase/seed/*.sql').length)
  })

  test('starts exactly the services that Kith uses', () => {
    const services = ['realtime', 'auth', 'studio', 'storage', 'local_smtp', 'edge_runtime', 'analytics'] as const
    const functions = Object.values(config.functions ?? {})
    expect(Object.fromEntries(services.map((service) => [service, config[service].enabled]))).toEqual({
      realtime: true,
      auth: true, // the start of this service creates the schema auth
      studio: false,
      storage: false,
      local_smtp: false,
      edge_runtime: functions.length > 0,
      analytics: false,
    })
    expect(functions.filter(({ entrypoint }) => !existsSync(`supabase/${entrypoint}`))).toEqual([])
  })
})
