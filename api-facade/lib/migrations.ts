// Compares the migrations of this code with those of a database. docs/decisions.md, Jobs.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The migrations of a database, from private.readiness: the hash of each text, or null if it has none. */
export type Books = Record<string, string | null>

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

export function compare(found: Books): Difference {
  const faults = [...expected].flatMap(([version, hash]) => {
    const there = found[version]
    if (there === undefined)
      return `The migration ${version} has not been applied: this code is newer than the database. Run supabase db push.`
    return there === null || there === hash ? [] : `The migration ${version} was applied with another text.`
  })
  const warnings = Object.keys(found)
    .filter((version) => !expected.has(version))
    .map((version) => `The database has the migration ${version}, which this code is too old for. Deploy newer code.`)
  return { faults, warnings }
}
