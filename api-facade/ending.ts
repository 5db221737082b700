// How the facade and the worker end: which signals end them, how long they wait for the database, and when the process
// exits in any case.
import { setTimeout as sleep } from 'node:timers/promises'
import { explained } from './boot.ts'
import { answers } from './lib/database.ts'
import type { Log } from './lib/log.ts'

export type Ending = {
  /** The name of the first signal to end. */
  signal: Promise<string>
  /** Waits this long, or until the next signal. The time limit of the process grows by the same time. Milliseconds. */
  delay(time: number): Promise<void>
}

/**
 * Listens for signals to end. Node itself would end at the first one, and leave PostgreSQL running. Ctrl-C arrives
 * twice, from the terminal and from npm, so signals within a second count as one.
 */
export function awaitEnd(): Ending {
  const again = new AbortController()
  let first: number | undefined
  let limit: NodeJS.Timeout | undefined
  const endWithin = (time: number) => {
    clearTimeout(limit)
    limit = setTimeout(giveUp, time, time).unref()
  }
  const signal = new Promise<string>((end) => {
    const hear = (name: string) => {
      if (first === undefined) {
        first = performance.now()
        endWithin(LONGEST)
        end(name)
      } else if (performance.now() - first > ONE_SIGNAL) again.abort()
    }
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, hear)
  })
  const delay = async (time: number) => {
    endWithin(time + LONGEST)
    await sleep(time, undefined, { signal: again.signal }).catch(() => {})
  }
  return { signal, delay }
}

/**
 * Ends the process when its time is over. A start can hang, for example on a lock in the database, and then does not
 * react to the signal.
 */
function giveUp(time: number): void {
  process.stderr.write(`The process has not ended within ${time / 1000} s, and is cut off.\n`)
  process.exit(1) // This also stops an embedded PostgreSQL.
}

/** The time after which the process exits in any case. It is longer than all other waits. Milliseconds. */
const LONGEST = 30_000

/** Further signals within this time count as the first one. Milliseconds. */
const ONE_SIGNAL = 1000

/**
 * How long the program waits for an answer of the database and, without an answer, for work that needs no database.
 * Milliseconds; together less than a second.
 */
const PATIENCE = 500
const REST = 250

/** Waits for running work to end. Without a database this could take forever, so then the wait is short. */
export async function wait(databaseUrl: string, log: Log, stop: () => Promise<unknown>): Promise<void> {
  const stopping = stop()
  if (await Promise.race([stopping.then(() => true), answers(databaseUrl, PATIENCE)])) {
    await stopping
    return
  }
  log.warn('the database does not answer, so what is running is cut off')
  await Promise.race([stopping, sleep(REST)])
}

/** Runs a program until its end, and ends the process. */
export async function run(program: () => Promise<void>): Promise<never> {
  await program().catch((failure: unknown) => {
    const error = explained(failure)
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  })
  process.exit()
}
