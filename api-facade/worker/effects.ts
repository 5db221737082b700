// Applies the pending effects (private.effects) in rounds, each for many people. A facade in this process wakes the
// loop after a write; the loop finds the writes of other processes by polling. Any number of workers may run.
// docs/decisions.md, Effects.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import { type Db, note } from './record.ts'

export type EffectLoop = {
  /** Tells the loop that effects may be pending. */
  wake(): void
  /** Stops the loop. Resolves when the running round has ended. */
  stop(): Promise<void>
}

/** The interval of polling while nobody wakes the loop. Milliseconds. */
const LOOK = 250

/** The longest pause between two rounds: effects that arrive meanwhile are applied together. Milliseconds. */
const REST = 40

/** The pause after a round that failed as a whole, for example without the database. Milliseconds. */
const FAILED = 1000

/** The interval at which the counts of applied effects are written. Milliseconds. */
const RECORD = 10_000

/** An effect that failed for the first time. private.stuck_effects keeps it, with the message of its error. */
type Stuck = {
  person: string
  event: string
  eventId: number | null
  effectId: number
  listener: string | null
  /** The trace of the request that caused it. */
  trace_id: string | null
  sqlstate: string
  context: string
}

/**
 * `failed` counts people, including those whose effect had failed before; `failure` is the error of the whole round.
 */
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
      // After a round that failed as a whole, the next one begins with other people, so that everybody gets a turn.
      after = round.failure ? randomUUID() : round.next
      await record
        .add(round)
        .catch((failure: unknown) => log.warn({ failure }, 'the record of effects was not written'))
      if (round.next) continue
      await pause(Math.min(REST, 4 * took), undefined) // Few effects arrive during a short round.
      // Polling takes long if applied rows can't be vacuumed, so the pause is proportional to it.
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

/** Collects the counts of several rounds and writes them together. */
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
