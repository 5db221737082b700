// Writes the draft of a migration from the schema of the migrations to the declared one. pg-delta compares the
// catalogs, but no rows, so this file compares the rows of the registries.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type Contents, contentsOf, type Row } from './catalog.ts'

const program = join(fileURLToPath(import.meta.resolve('@supabase/pg-delta')), '../cli/main.js')

/** Runs `pgdelta …args`. @returns its output @throws Error with its error output */
async function pgDelta(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((settle, fail) => child.once('error', fail).once('close', settle))
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  if (code !== 0) throw new Error(`pgdelta ${args[0]} failed (${code}):\n${err}${out}`)
  return out
}

/** The statements for everything but rows; none if nothing differs. */
async function structure(is: string, wanted: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'kith-draft-'))
  const [plan, script] = [join(folder, 'plan.json'), join(folder, 'draft.sql')]
  try {
    await pgDelta('plan', '--source', is, '--desired', wanted, '--out', plan)
    const rendered = JSON.parse(await pgDelta('render', '--plan', plan, '--allow-drops', '--out', script))
    return rendered.files.map(({ path }: { path: string }) => readFileSync(path, 'utf8').trim()).join('\n\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const name = (column: string) => `"${column.replaceAll('"', '""')}"`
const value = (text: string | null | undefined) => (text == null ? 'null' : `'${text.replaceAll("'", "''")}'`)
/** Compares columns as texts, because the rows were read as texts, and a regclass can't be compared with a name. */
const equals = (row: Row, columns: readonly string[]) =>
  columns
    .map((column) =>
      row[column] == null ? `${name(column)} is null` : `${name(column)}::text = ${value(row[column])}`,
    )
    .join(' and ')

/** Updates only values that are the same as in the former files, because an operator may have changed others. */
function updateOf(table: string, key: readonly string[], old: Row, row: Row): string | [] {
  const changed = Object.keys(row).filter((column) => row[column] !== old[column])
  if (changed.length === 0) return []
  const known = changed.filter((column) => column in old)
  const sets = changed.map((column) => `${name(column)} = ${value(row[column])}`)
  return `update ${table} set ${sets.join(', ')}\nwhere ${equals(row, key)}${known.length > 0 ? `\n  and ${equals(old, known)}` : ''};`
}

/** The statements for rows: deletes from the last table to the first, then the others from the first to the last. */
export function rowStatements(is: Contents, wanted: Contents): string[] {
  const deletes = [...is].reverse().flatMap(([table, { key, rows }]) => {
    const kept = wanted.get(table)?.rows // none if the table is deleted
    return [...rows].flatMap(([id, row]) =>
      !kept || kept.has(id) ? [] : `delete from ${table} where ${equals(row, key)};`,
    )
  })
  const writes = [...wanted].flatMap(([table, { key, columns, rows }]) =>
    [...rows].flatMap(([id, row]) => {
      const old = is.get(table)?.rows.get(id)
      if (old) return updateOf(table, key, old, row)
      const values = columns.map((column) => value(row[column])).join(', ')
      return `insert into ${table} (${columns.map(name).join(', ')})\nvalues (${values});`
    }),
  )
  return [...deletes, ...writes]
}

/** The text of the draft. */
export async function draft(is: string, wanted: string): Promise<string> {
  const parts = [await structure(is, wanted), ...rowStatements(await contentsOf(is), await contentsOf(wanted))]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}
