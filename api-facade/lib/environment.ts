// The only file that reads the environment. config.ts validates it.
import process from 'node:process'

/** The environment variables. An empty one counts as absent, because compose files write it like that. */
export const environment: Record<string, string | undefined> = Object.fromEntries(
  Object.entries(process.env).filter(([, value]) => value !== ''),
)
