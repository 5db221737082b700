// npm run status: what runs, and what the instance offers, in the form and under the names of `supabase status -o env`.
// Exits with 1 when nothing does. DATA_DIR says where to look, as it does for npm start, and PORT narrows it.
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
  const elsewhere = all.map((one) => `\nThere is ${nameOf(one)}.`).join('')
  const at = all.length > 0 ? ` at PORT ${PORT}` : ''
  console.error(`Nothing is running on ${dataDir}${at}. Start it with: npm start${elsewhere}`)
  process.exitCode = 1
}

for (const { kind, url, pid } of running) {
  if (kind !== 'instance' || url) continue
  console.error(`An instance is starting on ${dataDir} (pid ${pid}).`)
  process.exitCode = 1
}
