// Only the worker, on the database of DATABASE_URL or on that of the instance in DATA_DIR. Facades then run with
// WORKER=off.
import manifest from '../../package.json' with { type: 'json' }
import { checkMigrations, explained, openOwner, setPasswords } from '../boot.ts'
import { nearMisses, readConfig, secretsOf } from '../lib/config.ts'
import { environment } from '../lib/environment.ts'
import { createLog, placeOf } from '../lib/log.ts'
import { heapLimit } from '../lib/memory.ts'
import { reachDatabase } from '../reach.ts'
import { startWorker } from './worker.ts'

const warn = (line: string) => process.stderr.write(`${line}\n`)

async function main(): Promise<void> {
  const ending = new Promise<string>((end) => {
    process.once('SIGTERM', end).once('SIGINT', end) // gets the name of the signal
  })
  const config = readConfig(environment)
  const log = createLog(config)
  for (const warning of nearMisses(environment)) warn(warning)
  const base = await reachDatabase(config)
  const { enter } = await import('../../supabase/embedded/processes.ts')
  const place = placeOf(base.databaseUrl)
  enter({ dataDir: config.dataDir, kind: 'worker', database: place, warn })
  const owner = openOwner(config.databaseDirectUrl ?? base.databaseUrl)
  try {
    for (const warning of await checkMigrations(owner)) warn(warning)
    await setPasswords(owner, secretsOf(config, base.jwtSecret))
  } finally {
    await owner.end()
  }
  const worker = await startWorker({ config, ...base, log })
  process.stdout.write('The worker runs.\n')
  log.info({ version: manifest.version, database: place, heapLimit: heapLimit() }, 'the worker has started')
  log.info({ reason: await ending }, 'the worker is stopping')
  await worker.stop()
  log.info('the worker has stopped')
}

await main().catch((failure: unknown) => {
  const error = explained(failure)
  warn(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
})
