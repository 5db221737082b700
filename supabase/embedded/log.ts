// The server's log, `postgres.log` of the data folder: kept over restarts, and within bounds.
import { closeSync, copyFileSync, openSync, readSync, statSync, truncateSync } from 'node:fs'

/** What of it is kept: as much, and once more in `.old`. Bytes. */
export const KEPT = 8 * 1024 * 1024
const PERIOD = 60_000

export const sizeOf = (log: string): number => statSync(log, { throwIfNoEntry: false })?.size ?? 0

/** What was written from `start` on. */
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
 * Copies and empties a log that is full. The server holds the file open and appends, so it goes on at the top; a rename
 * would take the file along. Its own collector would bound a file, and not how many there are.
 */
export function turnOver(log: string): void {
  if (sizeOf(log) < KEPT) return
  copyFileSync(log, `${log}.old`)
  truncateSync(log)
}

/** Looks after the log while the server runs. @returns what ends that */
export function watchLog(log: string): () => void {
  const timer = setInterval(() => {
    try {
      turnOver(log)
    } catch {
      // a disk that is full or gone ends no server: the next look tries again
    }
  }, PERIOD).unref()
  return () => clearInterval(timer)
}
