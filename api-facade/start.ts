// Runs all of Kith in one process. Without DATABASE_URL it starts its own Postgres. docs/configuration.md lists what it
// reads from the environment.
import { readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { boot, type FirstAdmin } from './boot.ts'
import { awaitEnd, run, wait } from './ending.ts'
import { type Config, nearMisses, readConfig, secretsOf } from './lib/config.ts'
import { environment } from './lib/environment.ts'
import { placeOf } from './lib/hosts.ts'
import { createLog, type Log } from './lib/log.ts'
import { heapLimit } from './lib/memory.ts'
import { version } from './lib/version.ts'
import { type ServerOptions, startServer } from './server.ts'
import type { Worker } from './worker/worker.ts'

/** The database, and how to stop it. */
type Database = {
  url: string
  jwtSecret: string
  /** Services of a Supabase stack that the embedded instance replaces. */
  beside?: ServerOptions['beside']
  gateway?: ServerOptions['gateway']
  replicaUrls?: ServerOptions['replicaUrls']
  announce(apiUrl: string): Promise<void>
  stop(): Promise<void>
  ended: Promise<void>
}

const projectRoot = resolve(import.meta.dirname, '..')
const never = new Promise<never>(() => {})

async function database(config: Config, log: Log): Promise<Database> {
  if (config.databaseUrl && config.jwtSecret) {
    const { databaseUrl: url, jwtSecret } = config
    const { enter } = await import('../supabase/embedded/processes.ts')
    const entered = enter({ dataDir: config.dataDir, kind: 'facade', database: placeOf(url), warn })
    const announce = async (apiUrl: string) => {
      entered(apiUrl)
      if (config.realtime === 'embedded') say(`The anonymous key for supabase-js: ${await anonKeyOf(jwtSecret)}`)
    }
    const own = config.realtime === 'embedded' ? await openGateways(config, jwtSecret) : {}
    return { url, jwtSecret, ...own, announce, stop: async () => {}, ended: never }
  }
  // Imported only here, because a deployment on a real stack may lack the binaries of the embedded Postgres.
  const { startPostgres } = await import('../supabase/embedded/postgres.ts')
  const { migrate, muteClientErrors, preparePlatform } = await import('../supabase/embedded/migrate.ts')
  const { apiKeys, embeddedSecret, writeInstance } = await import('../supabase/embedded/instance.ts')
  const { defaultDataDir } = await import('../supabase/embedded/paths.ts')
  const dataDir = config.dataDir ?? defaultDataDir(projectRoot)
  const server = await startPostgres({ dataDir, port: config.databasePort, settings: config.databaseSettings })
  try {
    await preparePlatform(server.superuserUrl())
    await migrate(server.url(), {
      applied: (file, took) => log.info({ file, took }, 'migrated'),
      waits: (why) => log.warn({ why }, 'the migration waits'),
    })
    await muteClientErrors(server.superuserUrl())
  } catch (error) {
    await server.stop()
    throw error
  }
  const jwtSecret = config.jwtSecret ?? embeddedSecret(dataDir)
  const announce = async (apiUrl: string) =>
    writeInstance(dataDir, { apiUrl, dbUrl: url, jwtSecret, ...(await apiKeys(jwtSecret)) })
  const { startReplicas } = await import('../supabase/embedded/replicas.ts')
  const options = { primary: server, dataDir, settings: config.databaseSettings, log }
  const replicas = await startReplicas({ ...options, ...config.replicas }).catch(async (error) => {
    await server.stop()
    throw error
  })
  const { url, primaryUrl, standbyUrls: replicaUrls, exited: ended } = replicas
  const archive = await startBackups(config, primaryUrl, dataDir, log)
  const stop = async () => {
    await archive?.stop()
    await replicas.stop()
  }
  const own = { ...(await openGateways(config, jwtSecret)), ...(config.replicas.count > 0 && { replicaUrls }) }
  return { url, jwtSecret, ...own, announce, stop, ended }
}

/** Archives the log if BACKUP_TO is set. */
async function startBackups({ backup }: Config, primaryUrl: () => string, dataDir: string, log: Log) {
  const { dropSlot, startArchive } = await import('../supabase/embedded/backup/archive.ts')
  if (!backup) return dropSlot(primaryUrl()).then(() => null)
  const { openPlace } = await import('../supabase/embedded/backup/place.ts')
  const { backUp, SCRATCH } = await import('../supabase/embedded/backup/base.ts')
  for (const name of readdirSync(dataDir)) // Remove the folders of verifications that were killed.
    if (name.startsWith(SCRATCH)) rmSync(join(dataDir, name), { recursive: true, force: true })
  const place = openPlace(backup.to, backup.s3)
  const options = { ...backup, dataDir, place }
  return startArchive({
    ...options,
    primaryUrl,
    onError: (failure) => log.error({ failure }, 'cannot back up'),
    onBegin: async () => {
      const { takenAt } = await backUp({ ...options, databaseUrl: primaryUrl() })
      log.info({ takenAt }, 'the first base backup is complete')
    },
  })
}

/** The services of a Supabase stack beside the API: `/rest/v1/rpc` and Realtime, on the facade's port. */
async function openGateways(config: Config, secret: string): Promise<Pick<Database, 'beside' | 'gateway'>> {
  const { mountRpc } = await import('../supabase/embedded/rpc.ts')
  const { startGateway } = await import('../supabase/embedded/realtime/gateway.ts')
  return { beside: (app, site) => mountRpc(app, secretsOf(config, secret), site), gateway: startGateway }
}

async function anonKeyOf(jwtSecret: string): Promise<string> {
  const { apiKeys } = await import('../supabase/embedded/instance.ts')
  return (await apiKeys(jwtSecret)).anonKey
}

const say = (line: string) => process.stdout.write(`${line}\n`)
const warn = (line: string) => process.stderr.write(`${line}\n`)

function introduce({ email, password, inviteCodes }: FirstAdmin): void {
  say(`The first admin is ${email}.`)
  if (password) say(`Their password, shown only once: ${password}`)
  say(`Their first invite codes: ${inviteCodes.join(' ')}`)
}

type Base = { config: Config; databaseUrl: string; jwtSecret: string; log: Log }

async function inlineWorker(base: Base): Promise<Worker | null> {
  if (base.config.worker === 'off') return null
  const { startWorker } = await import('./worker/worker.ts')
  return startWorker(base)
}

async function main(): Promise<void> {
  const ending = awaitEnd()
  const config = readConfig(environment)
  const log = createLog(config)
  for (const warning of nearMisses(environment)) warn(warning)
  const base = await database(config, log)
  try {
    const { url: databaseUrl, jwtSecret } = base
    const { beside, gateway, replicaUrls } = base
    // Called only after the port is bound, so that a start that fails to bind it creates and prints nothing.
    const prepare = async () => {
      for (const warning of await boot({ config, databaseUrl, jwtSecret, tell: introduce })) warn(warning)
    }
    let worker: Worker | null = null
    let starting: Promise<Worker | null> = Promise.resolve(null)
    const wrote = () => worker?.wake()
    const site = { beside, gateway, replicaUrls, prepare, wrote }
    const server = await startServer({ config, databaseUrl, jwtSecret, log, ...site })
    let drain = 0
    try {
      await base.announce(server.url)
      say(`Kith is at ${server.url}, its API at ${server.url}/api/v1, the documentation at ${server.url}/docs.`)
      const { port } = server
      const { host, worker: inline } = config
      log.info(
        { version, host, port, database: placeOf(databaseUrl), worker: inline, heapLimit: heapLimit() },
        'started',
      )
      // Neither callers nor a signal wait for the worker.
      starting = inlineWorker({ config, databaseUrl, jwtSecret, log })
      const failed = starting.then((started) => {
        worker = started
        return never
      })
      const signal = await Promise.race([ending.signal, base.ended.then(() => null), failed])
      log.info({ reason: signal ?? 'PostgreSQL has ended' }, 'stopping')
      if (signal) drain = config.drainSeconds * 1000
      else throw new Error('PostgreSQL has ended. Its log is in the data folder.')
    } finally {
      const stopWorker = async () => (await starting.catch(() => null))?.stop()
      server.leave(drain)
      await ending.delay(drain)
      await wait(databaseUrl, log, () => Promise.all([server.stop(), stopWorker()]))
    }
  } finally {
    await base.stop()
  }
  log.info('stopped')
}

await run(main)
