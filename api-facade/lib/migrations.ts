// Compares the migrations and functions of this code with those of a database. docs/decisions.md, Jobs.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { functions } from '../generated/functions.ts'

/** What private.readiness returns; empty if the database has no schema of Kith. */
export type Books = {
  /** The hash of each migration's text, or null if it has none. */
  migrations?: Record<string, string | null>
  /** The fingerprint of the database's functions. */
  functions?: string
}

/** Sentences for the operator: why this code cannot run on the database, and warnings. */
export type Difference = { faults: string[]; warnings: string[] }

const folder = join(import.meta.dirname, '../../supabase/migrations')

/** The version of every migration of this code, with the hash of its text. */
const expected = new Map(
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .map((name) => [name.split(/[_.]/)[0] ?? '', hashOf(readFileSync(join(folder, name), 'utf8'))]),
)

function hashOf(text: string): string {
  return createHash('sha256').update(text.trim().replace(/;$/, '')).digest('hex')
}

const CHANGED =
  'The migrations of the database are those of this code, but its functions are not: somebody changed them. ' +
  'Run npm run compare-schema -- <connection string> to see which, and change them back.'

export function compare({ migrations = {}, functions: found }: Books): Difference {
  const faults = [...expected].flatMap(([version, hash]) => {
    const there = migrations[version]
    if (there === undefined)
      return (
        `The migration ${version} has not been applied: this code is newer than the database. ` +
        'Run npm run prepare-database -- <connection string> --migrate, or supabase db push.'
      )
    return there === null || there === hash ? [] : `The migration ${version} was applied with another text.`
  })
  const newer = Object.keys(migrations).filter((version) => !expected.has(version))
  const isChanged = faults.length === 0 && newer.length === 0 && found !== functions
  const warnings = newer.map(
    (version) => `The database has the migration ${version}, which this code is too old for. Deploy newer code.`,
  )
  return { faults: isChanged ? [CHANGED] : faults, warnings }
}
