// /ready: whether requests should come here. /health says only that the process answers.
// docs/decisions.md, Jobs.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from 'postgres'
import type { Log } from './log.ts'

type Found = { migrations: Record<string, string | null>; worker: boolean }

const folder = join(import.meta.dirname, '../../supabase/migrations')
/** How long the database may take to answer, and how long an answer holds: nothing limits who asks. Milliseconds. */
const PATIENCE = 2000
const HOLDS = 1000

/** The version of every migration that this code was written for, with the hash of its text. */
const expected = readdirSync(folder)
  .filter((name) => name.endsWith('.sql'))
  .map((name) => ({ version: name.split(/[_.]/)[0] ?? '', hash: hashOf(readFileSync(join(folder, name), 'utf8')) }))

function hashOf(text: string): string {
  return createHash('sha256').update(text.trim().replace(/;$/, '')).digest('hex')
}

/** Answers what is missing, a sentence each; nothing when all is there. */
export function createReadiness(gate: Sql, log: Log): () => Promise<string[]> {
  let last: { at: number; missing: Promise<string[]> } | undefined
  return () => {
    if (!last || performance.now() - last.at > HOLDS) last = { at: performance.now(), missing: look(gate, log) }
    return last.missing
  }
}

async function look(gate: Sql, log: Log): Promise<string[]> {
  let patience: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    patience = setTimeout(() => reject(new Error('The database took too long.')), PATIENCE)
  })
  try {
    return missing(await Promise.race([read(gate), late]))
  } catch (failure) {
    log.warn({ failure }, 'the database does not say whether all is ready')
    return ['The database does not answer.']
  } finally {
    clearTimeout(patience)
  }
}

async function read(gate: Sql): Promise<Found> {
  const [row] = await gate<{ text: string }[]>`select private.readiness()::text as text`
  return JSON.parse(row?.text ?? '')
}

const missing = ({ migrations, worker }: Found): string[] => [
  ...expected.flatMap(({ version, hash }) => {
    const found = migrations[version]
    if (found === undefined) return `The migration ${version} has not been applied.`
    return found === null || found === hash ? [] : `The migration ${version} was applied with another text.`
  }),
  ...(worker ? [] : ['No worker has been seen for 3 minutes.']),
]
