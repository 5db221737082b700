// Runs pgTAP files: every assertion becomes one verdict, and a file that breaks its plan gets a failed verdict.
import { readFileSync } from 'node:fs'
import postgres, { type Sql } from 'postgres'
import { Parser } from 'tap-parser'

/** The result of one assertion. `message` says why it failed. */
type Verdict = { name: string; ok: boolean; message: string }

const quiet = { max: 1, onnotice: () => {}, fetch_types: false }
const source = (file: string) => readFileSync(new URL(`./pgtap/${file}`, import.meta.url), 'utf8')

/** A connection on which files run, to a database that has pgTAP. */
export const connectPgtap = (url: string): Sql =>
  postgres(url, { ...quiet, connection: { search_path: 'tap, public, extensions' } })

/**
 * Loads pgTAP (schema tap) and our helpers (schema test) into a database, as its owner. @returns the connection on
 * which files then run, one after another.
 */
export async function openPgtap(url: string): Promise<Sql> {
  const sql = connectPgtap(url)
  await sql.unsafe(`create schema tap; set search_path = tap; ${source('vendor/pgtap.sql')}`).simple()
  await sql.unsafe(`set search_path = public; ${source('people.sql')}; reset search_path`).simple()
  return sql
}

function raised(error: unknown, text: string): Verdict {
  const name = 'runs to its end'
  if (!(error instanceof postgres.PostgresError)) return { name, ok: false, message: String(error) }
  const line = error.position && `line ${text.slice(0, Number(error.position)).split('\n').length}`
  const parts = [`${error.code}: ${error.message}`, line, error.detail, error.where]
  return { name, ok: false, message: parts.filter(Boolean).join('\n') }
}

/** Parses TAP, one entry per row of pgTAP: the plan, an assertion with its diagnosis, or something else. */
export function verdicts(rows: readonly string[]): Verdict[] {
  const found: Verdict[] = []
  const broken: string[] = []
  const parser = new Parser({ name: 'pgTAP' })
  parser.on('assert', ({ id, ok, name, skip, todo }) => {
    const row = rows.find((one) => new RegExp(`^(not )?ok ${id}\\b`).test(one)) ?? ''
    // a skipped or todo assertion fails: no assertion may pass without being made
    const left = (skip && 'skipped') || (todo && 'left to do')
    found.push({ name: name || `assertion ${id}`, ok: ok && !left, message: left || row })
  })
  parser.on('complete', ({ failures, bailout, count, plan }) => {
    for (const failure of failures)
      if ('tapError' in failure && failure.tapError)
        broken.push(`${failure.tapError} (planned ${plan.end ?? 0}, made ${count})`)
    if (bailout) broken.push(`bailed out: ${bailout}`)
    if (count === 0) broken.push('no assertion')
  })
  parser.end(`${rows.join('\n')}\n`)
  return broken.length === 0 ? found : [...found, { name: 'keeps its plan', ok: false, message: broken.join('\n') }]
}

/** Runs the text of one file in its own transaction, which must not commit: the next file must find the same state. */
export async function runPgtap(sql: Sql, text: string): Promise<Verdict[]> {
  const rows: string[] = []
  const found: Verdict[] = []
  await sql.unsafe('begin').simple()
  const [begun] = await sql`select pg_current_xact_id()::text as id`
  try {
    // row by row: assertions before an error still count
    const query = sql.unsafe(text).simple()
    await query.forEach((row) => {
      rows.push(Object.values(row).map(String).join('\t'))
    })
    found.push(...verdicts(rows))
  } catch (error) {
    found.push(...verdicts(rows).filter(({ name }) => name !== 'keeps its plan'), raised(error, text))
  }
  await sql.unsafe('rollback').simple()
  const [ended] = await sql`select pg_xact_status(${begun?.id}::xid8) as status`
  if (ended?.status !== 'aborted') found.push({ name: 'never commits', ok: false, message: String(ended?.status) })
  await sql.unsafe('discard sequences; discard temp; reset all; select pg_advisory_unlock_all()').simple()
  return found
}
