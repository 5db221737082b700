// /ready: whether the instance can take requests. /health only says that the process is running.
// docs/decisions.md, Jobs.
import type { Log } from './log.ts'
import { type Books, compare, type Difference } from './migrations.ts'
import type { Pool } from './pool.ts'

type Found = { migrations: Books; worker: boolean; within: string }

/** The timeout of the database, and how long a result is cached, because /ready has no limit. Milliseconds. */
const PATIENCE = 2000
const HOLDS = 1000

/** @returns one sentence per fault, none if ready; and warnings, with which it is still ready */
export function createReadiness(gate: Pool, log: Log): () => Promise<Difference> {
  let last: { at: number; found: Promise<Difference> } | undefined
  return () => {
    if (!last || performance.now() - last.at > HOLDS) last = { at: performance.now(), found: look(gate, log) }
    return last.found
  }
}

async function look(gate: Pool, log: Log): Promise<Difference> {
  try {
    return judge(await read(gate))
  } catch (failure) {
    log.warn({ failure }, 'the database does not answer whether it is ready')
    return { faults: ['The database does not answer.'], warnings: [] }
  }
}

async function read(gate: Pool): Promise<Found> {
  const [row] = await gate.run((sql) => sql<{ text: string }[]>`select private.readiness()::text as text`, {
    patience: PATIENCE,
  })
  return JSON.parse(row?.text ?? '')
}

function judge({ migrations, worker, within }: Found): Difference {
  const { faults, warnings } = compare(migrations)
  return { faults: worker ? faults : [...faults, `No worker has been seen for ${within}.`], warnings }
}
