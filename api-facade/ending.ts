// How the facade and the worker end: what asks them to, how long they wait for the database, and that no handle keeps
// the process alive.
import { setTimeout as sleep } from 'node:timers/promises'
import { explained } from './boot.ts'
import { answers } from './lib/database.ts'
import type { Log } from './lib/log.ts'

export type Ending = {
  /** The name of the first signal to end. */
  signal: Promise<string>
  /** Waits this long, or until the next signal. The process may take that much longer to end. Milliseconds. */
  delay(time: number): Promise<void>
}

/**
 * Listens for signals to end. Node itself would end at the first one, and leave PostgreSQL running. Ctrl-C comes twice,
 * from the terminal and from npm: signals within a second are one.
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

/** A start can hang, for example on a lock in the database, and then nothing waits for the signal. */
function giveUp(time: number): void {
  process.stderr.write(`The process has not ended within ${time / 1000} s, and is cut off.\n`)
  process.exit(1) // stops an embedded PostgreSQL, too
}

/** When the process ends in any case: longer than everything that it waits for. Milliseconds. */
const LONGEST = 30_000

/** How long after the first signal others count as the same. Milliseconds. */
const ONE_SIGNAL = 1000

/**
 * How long the program waits for an answer of the database and, if there is none, for work that needs no database.
 * Together less than a second. Milliseconds.
 */
const PATIENCE = 500
const REST = 250

/** Waits for what is running. Without a database that could take forever, so then it hardly waits. */
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
