// Finds the database for a program beside the facade: the database of DATABASE_URL, or that of the instance in
// DATA_DIR.
import { resolve } from 'node:path'
import type { Config } from './lib/config.ts'

export type Base = { databaseUrl: string; jwtSecret: string }

/** @throws Error if there is no DATABASE_URL and nothing is running from DATA_DIR */
export async function reachDatabase({ databaseUrl, jwtSecret, ...config }: Config): Promise<Base> {
  if (databaseUrl && jwtSecret) return { databaseUrl, jwtSecret }
  const { readInstance } = await import('../supabase/embedded/instance.ts')
  const { defaultDataDir } = await import('../supabase/embedded/paths.ts')
  const dataDir = config.dataDir ?? defaultDataDir(resolve(import.meta.dirname, '..'))
  const stack = readInstance(dataDir)?.stack
  if (!stack) throw new Error(`Nothing is running on ${dataDir}. Start Kith with npm start, or set DATABASE_URL.`)
  return { databaseUrl: stack.dbUrl, jwtSecret: stack.jwtSecret }
}
