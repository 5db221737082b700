// Runs only the worker, on the database of DATABASE_URL or on that of the instance in DATA_DIR. Facades then run with
// WORKER=off.
import manifest from '../../package.json' with { type: 'json' }
import { checkMigrations, setPasswords, takeSecret } from '../boot.ts'
import { awaitEnd, run, wait } from '../ending.ts'
import { nearMisses, readConfig } from '../lib/config.ts'
import { openOwner } from '../lib/database.ts'
import { environment } from '../lib/environment.ts'
import { placeOf } from '../lib/hosts.ts'
import { createLog } from '../lib/log.ts'
import { heapLimit } from '../lib/memory.ts'
import { reachDatabase } from '../reach.ts'
import { startWorker } from './worker.ts'

const warn = (line: string) => process.stderr.write(`${line}\n`)

async function main(): Promise<void> {
  const { signal } = awaitEnd()
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
    await takeSecret(owner, base.jwtSecret, config)
    await setPasswords(owner)
  } finally {
    await owner.end()
  }
  const starting = startWorker({ config, ...base, log })
  const failed = starting.then(() => {
    process.stdout.write('The worker runs.\n')
    log.info({ version: manifest.version, database: place, heapLimit: heapLimit() }, 'the worker has started')
    return new Promise<never>(() => {})
  })
  log.info({ reason: await Promise.race([signal, failed]) }, 'the worker is stopping')
  await wait(base.databaseUrl, log, async () => (await starting).stop())
  log.info('the worker has stopped')
}

await run(main)
