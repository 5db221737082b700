// How the facade and the worker end: what asks them to, how long they wait for the database, and that no handle keeps
// the process alive.
import { setTimeout as sleep } from 'node:timers/promises'
import { explained } from './boot.ts'
import { answers } from './lib/database.ts'
import type { Log } from './lib/log.ts'

/**
 * The name of the first signal to end. Later ones are ignored, because Node would end at once and leave PostgreSQL
 * running: Ctrl-C comes twice, from the terminal and from npm.
 */
export const endSignal = (): Promise<string> =>
  new Promise((end) => {
    const hear = (signal: string) => {
      end(signal)
      setTimeout(giveUp, LONGEST).unref()
    }
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, hear)
  })

/** A start can hang, for example on a lock in the database, and then nothing waits for the signal. */
function giveUp(): void {
  process.stderr.write(`The process has not ended within ${LONGEST / 1000} s, and is cut off.\n`)
  process.exit(1) // stops an embedded PostgreSQL, too
}

/** Longer than everything that an end waits for. Milliseconds. */
const LONGEST = 30_000

/** How long a database has to answer, and after that, what does not need it. Together less than a second. Milliseconds. */
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
