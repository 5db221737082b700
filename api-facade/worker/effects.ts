// Effects: what waits in private.effects is applied round by round, many people at once. A facade in this process wakes the
// loop when it has written; what others write is found by looking. Any number of workers may run. docs/decisions.md, Effects.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { type Db, note } from './record.ts'

export type EffectLoop = {
  /** Says that something may wait. */
  wake(): void
  /** Ends once the round under way is done. */
  stop(): Promise<void>
}

/** How often it looks when nobody wakes it. Milliseconds. */
const LOOK = 250

/** At most from one round to the next, so that what comes in the meantime is applied together. Milliseconds. */
const REST = 40

/** Before the next try, when a whole round failed, as without the database. Milliseconds. */
const FAILED = 1000

/** How often the record of what was applied is written. Milliseconds. */
const RECORD = 10_000

/** An effect that failed for the first time: private.stuck_effects keeps it, and its error's message. */
type Stuck = {
  person: string
  event: string
  eventId: number | null
  effectId: number
  listener: string | null
  sqlstate: string
  context: string
}

/** `failed` counts people, also those whose effect had failed before; `failure` is one of the whole round. */
type Round = { applied: number; failed: number; next: string | null; stuck: Stuck[]; failure?: unknown }

export function startEffects(db: Db, log: Log): EffectLoop {
  let awake = new AbortController()
  let stopped = false
  const wake = () => awake.abort()

  const apply = async (after: string | null): Promise<Round> => {
    const { rows } = await db.executeSql('select private.apply_effects($1) as round', [after])
    return (rows as [{ round: Round }])[0].round
  }

  const record = createRecord(db)
  const run = async () => {
    let after: string | null = null
    while (!stopped) {
      const start = performance.now()
      const round: Round = await apply(after).catch(
        (failure: unknown): Round => ({ applied: 0, failed: 1, next: null, stuck: [], failure }),
      )
      const took = performance.now() - start
      for (const stuck of round.stuck) log.error({ job: 'effects', ...stuck }, 'an effect is stuck')
      if (round.failure) {
        log.error({ job: 'effects', failure: round.failure }, 'effects could not be applied')
        await pause(FAILED, awake.signal)
      }
      // a round that fails as a whole, for whatever reason, must not keep those behind it from their turn
      after = round.failure ? randomUUID() : round.next
      await record
        .add(round)
        .catch((failure: unknown) => log.warn({ failure }, 'the record of effects was not written'))
      if (round.next) continue
      await pause(Math.min(REST, 4 * took), undefined) // few events come while a short round runs
      // a look can take long while something keeps applied rows from being vacuumed
      if (round.applied === 0) await pause(Math.max(LOOK - REST, 4 * (performance.now() - start)), awake.signal)
      if (awake.signal.aborted) awake = new AbortController()
    }
    await record.write().catch(() => {})
  }
  const running = run()
  return {
    wake,
    stop: () => {
      stopped = true
      wake()
      return running
    },
  }
}

const pause = (ms: number, signal: AbortSignal | undefined) =>
  sleep(ms, undefined, signal && { signal }).catch(() => {})

/** Sums up rounds, so that the record is not a second write for each. */
function createRecord(db: Db) {
  let changed = 0
  let failed = false
  let written = Date.now()
  const write = async () => {
    if (changed === 0 && !failed) return
    const [sum, any] = [changed, failed]
    changed = 0
    failed = false
    written = Date.now()
    await note(db, 'effects', sum, any)
  }
  const add = async (round: Round) => {
    changed += round.applied
    failed ||= round.failed > 0
    if (failed || Date.now() - written > RECORD) await write()
  }
  return { add, write }
}
