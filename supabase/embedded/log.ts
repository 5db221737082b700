// The server's log, `postgres.log` in the data folder, which has a limited size and survives restarts.
import { closeSync, copyFileSync, openSync, readSync, statSync, truncateSync } from 'node:fs'

/** The maximum size of the log, and of `.old`. Bytes. */
export const KEPT = 8 * 1024 * 1024
const PERIOD = 60_000

export const sizeOf = (log: string): number => statSync(log, { throwIfNoEntry: false })?.size ?? 0

/** The text from `start` on. */
export function readFrom(log: string, start: number): string {
  const file = openSync(log, 'r')
  try {
    const bytes = Buffer.alloc(Math.max(0, Math.min(sizeOf(log) - start, KEPT)))
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, start))
  } finally {
    closeSync(file)
  }
}

/**
 * Copies and truncates a full log. The server keeps the file open and appends, so it continues at the beginning; a
 * rename would not work. The server's own log collector limits the size of a file, but not the number of files.
 */
export function turnOver(log: string): void {
  if (sizeOf(log) < KEPT) return
  copyFileSync(log, `${log}.old`)
  truncateSync(log)
}

/** Rotates the log while the server runs. @returns a function that stops this */
export function watchLog(log: string): () => void {
  const timer = setInterval(() => {
    try {
      turnOver(log)
    } catch {
      // a full or missing disk must not stop the server: the next check tries again
    }
  }, PERIOD).unref()
  return () => clearInterval(timer)
}
