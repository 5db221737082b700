// The structured log. It never has tokens, bodies, query strings, names or addresses; people appear as an alias.
import { createHmac } from 'node:crypto'
import { fstatSync, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type DestinationStream, pino } from 'pino'
import type { Config } from './config.ts'

export type Log = ReturnType<typeof createLog>

/** The fields of an error without personal data: the `detail` of a database error quotes the row. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack } = error
  const code = 'code' in error ? error.code : undefined
  const where = 'where' in error ? error.where : undefined
  return { name, message, code, where, stack }
}

/**
 * The largest number of bytes that a pipe writes atomically, so that no line is split; and how long a line waits at
 * most, in milliseconds.
 */
const BATCH = 4096
const WAIT = 100
/** How many characters are kept for a reader who does not read; the lines after them are lost. */
const KEPT = 4 * 1024 * 1024
/** How long the end of the process waits for a reader who reads nothing. Milliseconds. */
const PATIENCE = 250

/**
 * Buffers lines, because writing each one took a tenth of the time of a request, and never waits for the reader of a
 * pipe: a request must not hang because nobody reads the log. The rest is written when the process ends by a handled
 * signal or an uncaught error.
 */
function gathering(put: (text: string, done: () => void) => void) {
  let lines = ''
  let timer: NodeJS.Timeout | undefined
  let waiting: string[] = []
  let kept = 0
  let lost = 0
  let busy = false
  /** Counts the writes that the reader took. */
  let taken = 0

  const next = () => {
    const batch = waiting.shift()
    busy = batch !== undefined
    if (batch === undefined) return
    kept -= batch.length
    put(batch, () => {
      taken++
      next()
    })
  }
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (lines === '') return
    waiting.push(lines)
    kept += lines.length
    lines = ''
    if (!busy) next()
  }
  process.on('exit', () => {
    flush()
    for (const batch of waiting) put(batch, () => {})
    waiting = []
  })

  const reportLost = () => {
    if (lost === 0) return
    lines += `${JSON.stringify({ level: 40, time: Date.now(), lost, msg: 'nobody read the log, and lines were lost' })}\n`
    lost = 0
  }
  const write = (line: string) => {
    if (kept > KEPT) {
      lost++
      return
    }
    reportLost()
    if (lines.length + line.length > BATCH) flush()
    lines += line
    timer ??= setTimeout(flush, WAIT).unref()
  }
  /** Resolves when everything is written, or when nobody reads. */
  const drain = async () => {
    reportLost()
    flush()
    for (let before = -1; busy && taken !== before; ) {
      before = taken
      for (const end = Date.now() + PATIENCE; busy && taken === before && Date.now() < end; ) await sleep(5)
    }
  }
  return { write, drain }
}

/** Writes to the standard output. A file gets the text at once; without a reader or without space the text is lost. */
function openOutput() {
  const isFile = fstatSync(1, { throwIfNoEntry: false })?.isFile()
  if (!isFile) process.stdout.on('error', () => {}) // the reader is gone
  return (text: string, done: () => void) => {
    if (!isFile) return void process.stdout.write(text, done)
    try {
      writeSync(1, text)
    } catch {
      // the disk is full
    }
    done()
  }
}

const standardOutput = gathering(openOutput())

/** Resolves when the log is written, unless nobody reads it. */
export const drainOutput = standardOutput.drain

/** @param destination where lines are written, by default to the standard output */
export const createLog = (config: Config, destination: DestinationStream = standardOutput) =>
  pino({ level: config.logLevel, base: null, serializers: { failure: describeError } }, destination)

/** How many aliases are cached: computing one takes a tenth of the time of a request. */
const CAPACITY = 10_000

/** Makes the alias of a person in the log: the same in every line, and not reversible without the secret. */
export function createAlias(secret: string): (person: string) => string {
  const key = createHmac('sha256', secret).update('kith log alias').digest()
  const known = new Map<string, string>()
  return (person) => {
    const alias = known.get(person) ?? createHmac('sha256', key).update(person).digest('base64url').slice(0, 12)
    if (known.size >= CAPACITY) known.clear()
    return known.set(person, alias) && alias
  }
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * A path for the log: ids and the fixed words of routes. Everything else may be a name and is replaced by the name of
 * the parameter in the route's pattern, or by * if there is no such route.
 * @param words the words that are kept in a path without a route
 */
export function legible(path: string, pattern: string | undefined, words: ReadonlySet<string>): string {
  if (path === pattern) return path
  const shape = pattern?.split('/')
  const isTold = (part: string, at: number) => ID.test(part) || (shape ? shape[at] === part : words.has(part))
  const parts = path.split('/', 16) // no route has that many parts
  return parts.map((part, at) => (part === '' || isTold(part, at) ? part : (shape?.[at] ?? '*'))).join('/')
}

/** The location of a database, without the credentials. */
export const placeOf = (databaseUrl: string): string => {
  const { host, pathname } = new URL(databaseUrl)
  return host + pathname
}
