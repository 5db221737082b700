// /ready: whether requests should come here. /health says only that the process answers.
// docs/decisions.md, Jobs.
import type { Log } from './log.ts'
import { type Books, compare, type Difference } from './migrations.ts'
import type { Pool } from './pool.ts'

type Found = { migrations: Books; worker: boolean; within: string }

/** How long the database may take to answer, and how long an answer holds: nothing limits who asks. Milliseconds. */
const PATIENCE = 2000
const HOLDS = 1000

/** Answers what is missing, a sentence each, and nothing when all is there; and what does not keep requests away. */
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
    log.warn({ failure }, 'the database does not say whether all is ready')
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
