// The one file that reads the environment. What it means is checked in config.ts.
import process from 'node:process'

/** Environment variables as they came; an empty one counts as absent, as compose files write it. */
export const environment: Record<string, string | undefined> = Object.fromEntries(
  Object.entries(process.env).filter(([, value]) => value !== ''),
)
