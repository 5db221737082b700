// npm run status: what the running instance offers, in the form and under the names of `supabase status -o env`.
// Exits with 1 when none runs. DATA_DIR says which, as it does for npm start.
import { join } from 'node:path'
import { readInstance } from './instance.ts'
import { defaultDataDir } from './places.ts'

const dataDir = process.env.DATA_DIR || defaultDataDir(join(import.meta.dirname, '..', '..'))
const instance = readInstance(dataDir)

if (instance?.stack) {
  const { apiUrl, dbUrl, anonKey, serviceRoleKey, jwtSecret } = instance.stack
  const values = {
    API_URL: apiUrl,
    DB_URL: dbUrl,
    ANON_KEY: anonKey,
    SERVICE_ROLE_KEY: serviceRoleKey,
    JWT_SECRET: jwtSecret,
  }
  for (const [name, value] of Object.entries(values)) console.log(`${name}="${value}"`)
} else {
  console.error(
    instance
      ? `An instance is starting on ${dataDir} (pid ${instance.pid}).`
      : `Nothing is running on ${dataDir}. Start it with: npm start`,
  )
  process.exitCode = 1
}
