// The structured log. It never has tokens, bodies, query strings, names or addresses; people appear as an alias.
import { createHmac } from 'node:crypto'
import { writeSync } from 'node:fs'
import { type DestinationStream, pino } from 'pino'
import { createTracing, currentTrace, type Tracing } from '../../edge-functions/shared/tracing.ts'
import type { Config } from './config.ts'

export type Log = ReturnType<typeof createLog>

/**
 * The fields of an error without personal data. Leaves out the `detail` of a database error, because it quotes the row.
 */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack } = error
  const code = 'code' in error ? error.code : undefined
  const where = 'where' in error ? error.where : undefined
  return { name, message, code, where, stack }
}

/**
 * The largest number of bytes that a pipe writes atomically, and the longest time that a line waits, in milliseconds.
 */
const BATCH = 4096
const WAIT = 100
/** How many characters are kept while nobody reads the pipe; the lines after them are lost. */
const KEPT = 4 * 1024 * 1024
/**
 * How long after a full pipe the next write is tried, and how long the end of the process waits for a reader.
 * Milliseconds.
 */
const PAUSE = 10
const PATIENCE = 250

/**
 * Buffers lines, because writing each one took a tenth of the time of a request. It never waits for the reader of a
 * pipe, because a request must not hang when nobody reads the log. The remaining lines are written when the process
 * ends by a handled signal or an uncaught error.
 * @param put writes as much as it can without waiting, and returns how many bytes that was
 */
function gathering(put: (bytes: Buffer) => number): DestinationStream {
  let lines = ''
  let timer: NodeJS.Timeout | undefined
  const waiting: Buffer[] = []
  let kept = 0
  let lost = 0

  /** Writes the waiting lines. @returns false if the pipe is full */
  const empty = (): boolean => {
    for (let [first] = waiting; first; [first] = waiting) {
      const written = put(first)
      kept -= written
      if (written < first.length) waiting[0] = first.subarray(written)
      else waiting.shift()
      if (written < first.length) return false
    }
    return true
  }
  const flush = (): void => {
    clearTimeout(timer)
    if (lost > 0)
      lines += `${JSON.stringify({ level: 40, time: Date.now(), lost, msg: 'nobody read the log, and lines were lost' })}\n`
    lost = 0
    if (lines !== '') {
      const bytes = Buffer.from(lines)
      kept += bytes.length
      waiting.push(bytes)
    }
    lines = ''
    timer = empty() ? undefined : setTimeout(flush, PAUSE).unref()
  }
  process.on('exit', () => {
    flush()
    const clock = new Int32Array(new SharedArrayBuffer(4))
    for (let before = -1, until = 0; waiting.length > 0 && (kept !== before || Date.now() < until); empty()) {
      if (kept !== before) until = Date.now() + PATIENCE
      before = kept
      Atomics.wait(clock, 0, 0, PAUSE)
    }
  })
  return {
    write(line) {
      if (kept > KEPT) {
        lost++
        return
      }
      if (lines.length + line.length > BATCH) flush()
      lines += line
      timer ??= setTimeout(flush, WAIT).unref()
    },
  }
}

/** Writes to the standard output without waiting. Without a reader, or on a full disk, the text is lost. */
function writeOutput(bytes: Buffer): number {
  try {
    return writeSync(1, bytes)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : bytes.length
  }
}

function openOutput(): DestinationStream {
  // Reading `process.stdout` opens it. A full pipe then returns EAGAIN instead of waiting.
  process.stdout.on('error', () => {})
  return gathering(writeOutput)
}

const standardOutput = openOutput()

/** @param destination where lines are written, by default to the standard output */
export const createLog = (config: Config, destination: DestinationStream = standardOutput) =>
  pino({ level: config.logLevel, base: null, serializers: { failure: describeError }, mixin: traceFields }, destination)

/** Every line of a trace has its id, under the name that OpenTelemetry gives it. */
const traceFields = () => {
  const trace = currentTrace()
  return trace ? { trace_id: trace.traceId } : {}
}

/** The traces of a process, which are exported if the configuration says so. */
export const openTracing = (config: Config, log: Log): Tracing =>
  createTracing(config.tracing, (failure, lost) => log.warn({ failure, lost }, 'spans could not be exported'))

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
  const parts = path.split('/', 16) // No route has more parts.
  return parts.map((part, at) => (part === '' || isTold(part, at) ? part : (shape?.[at] ?? '*'))).join('/')
}
