// npm run status: prints the running processes, and the addresses and keys of the instance in the format of `supabase
// status -o env`. Exits with 1 if nothing is running. DATA_DIR selects the folder, as for npm start, and PORT one
// facade.
import { findOrphan } from './cluster.ts'
import { readInstance } from './instance.ts'
import { chosen, folderOf, listRunning, nameOf } from './processes.ts'

const { DATA_DIR, PORT } = process.env
const dataDir = folderOf(DATA_DIR)
const all = listRunning(dataDir)
const running = chosen(all, PORT)
const stack = running.some(({ kind }) => kind === 'instance') ? readInstance(dataDir)?.stack : undefined
const [facade, ...others] = running.filter(({ kind, url }) => kind === 'facade' && url)

for (const one of running) if (one.kind !== 'instance') console.log(`# ${nameOf(one)}`)

if (stack) {
  const { apiUrl, dbUrl, anonKey, serviceRoleKey, jwtSecret } = stack
  const values = {
    API_URL: apiUrl,
    DB_URL: dbUrl,
    ANON_KEY: anonKey,
    SERVICE_ROLE_KEY: serviceRoleKey,
    JWT_SECRET: jwtSecret,
  }
  for (const [name, value] of Object.entries(values)) console.log(`${name}="${value}"`)
} else if (facade && others.length === 0) {
  console.log(`API_URL="${facade.url}"`)
} else if (running.length === 0) {
  const elsewhere = all.map((one) => `\nThis process runs: ${nameOf(one)}.`).join('')
  const orphan = all.length > 0 ? null : findOrphan(dataDir)
  const at = all.length > 0 ? ` at PORT ${PORT}` : ''
  console.error(`Nothing is running on ${dataDir}${at}. Start Kith with: npm start${elsewhere}`)
  if (orphan) console.error(`A killed instance left its database (pid ${orphan}). npm start and npm run stop end it.`)
  process.exitCode = 1
}

for (const { kind, url, pid } of running) {
  if (kind !== 'instance' || url) continue
  console.error(`An instance is starting on ${dataDir} (pid ${pid}).`)
  process.exitCode = 1
}
