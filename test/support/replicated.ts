// An instance on its own primary with standbys, for tests of reads on replicas.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres, { type Sql } from 'postgres'
import { afterAll } from 'vitest'
import { boot } from '../../api-facade/boot.ts'
import { readConfig } from '../../api-facade/lib/config.ts'
import { createLog } from '../../api-facade/lib/log.ts'
import { type ServerOptions, startServer } from '../../api-facade/server.ts'
import { migrate, preparePlatform } from '../../supabase/embedded/migrate.ts'
import { type Postgres, type Served, startPostgres } from '../../supabase/embedded/postgres.ts'
import { onServer, type Standby } from '../../supabase/embedded/standby.ts'
import { environment, JWT_SECRET } from './settings.ts'
import { standbysOf, urlAt } from './standbys.ts'
import { ownOnly } from './target.ts'

/** The log of a facade: its lines from the level `warn` on, as objects. */
export type Lines = { level: number; msg?: string; replica?: number; operation?: string }[]

export type Replicated = {
  owner: Sql
  standbys: Standby[]
  /** The owner's connection string of a standby. */
  urlOf(standby: Standby): string
  /** Starts a facade on the primary and, unless `more` says otherwise, both standbys. */
  facade(env?: Record<string, string>, more?: Partial<ServerOptions>): Promise<{ url: string; lines: Lines }>
}

/**
 * A primary with the schema and the first admin, in a data folder of its own. Call it at the top of a file: both are
 * removed after the last test there.
 * @param settings of PostgreSQL, which differ from those of an ephemeral server
 */
export async function ownPrimary(settings: Record<string, string> = {}): Promise<Postgres & { dataDir: string }> {
  ownOnly('needs a primary of its own')
  const dataDir = mkdtempSync(join(tmpdir(), 'kith-primary-'))
  chmodSync(dataDir, 0o711) // the account of the server has to reach it
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }))
  const primary = await startPostgres({ dataDir, ephemeral: true, settings })
  afterAll(() => primary.stop())
  const databaseUrl = primary.url()
  await preparePlatform(primary.superuserUrl())
  await migrate(databaseUrl, { seed: true })
  await boot({ databaseUrl, config: readConfig(environment(databaseUrl)), jwtSecret: JWT_SECRET })
  return { ...primary, dataDir }
}

/** Lets a standby apply each commit this much later than the primary. Milliseconds. */
export const delay = (standby: Pick<Served, 'superuserUrl'>, ms: number): Promise<void> =>
  onServer(standby, async (sql) => {
    await sql.unsafe(`alter system set recovery_min_apply_delay = ${ms}`)
    await sql`select pg_reload_conf()`
  })

/** Call it at the top of a file: all of it is removed after the last test there. */
export async function replicated(): Promise<Replicated> {
  const primary = await ownPrimary()
  const databaseUrl = primary.url()
  const owner = postgres(databaseUrl, { max: 2, onnotice: () => {} })
  afterAll(() => owner.end())
  const standbys = await standbysOf(primary, 2)
  const urlOf = (standby: Standby) => urlAt(databaseUrl, standby)
  return {
    owner,
    standbys,
    urlOf,
    async facade(env = {}, more = {}) {
      const all = { DATABASE_REPLICA_URLS: standbys.map(urlOf).join(), RATE_LIMIT_STORE: 'memory', ...env }
      const config = readConfig(environment(databaseUrl, { LOG_LEVEL: 'warn', ...all }))
      const lines: Lines = []
      const log = createLog(config, { write: (line: string) => lines.push(JSON.parse(line)) })
      const server = await startServer({ config, databaseUrl, log, ...more })
      afterAll(() => server.stop())
      return { url: server.url, lines }
    },
  }
}
