// Structured log: never tokens, bodies, query strings, names or addresses, and of people no more than an alias.
import { createHmac } from 'node:crypto'
import { type DestinationStream, pino } from 'pino'
import type { Config } from './config.ts'

export type Log = ReturnType<typeof createLog>

/** The fields of an error that hold no data of people: a database's `detail` quotes the row that offended. */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack } = error
  const code = 'code' in error ? error.code : undefined
  const where = 'where' in error ? error.where : undefined
  return { name, message, code, where, stack }
}

/** As much as a pipe takes in one piece, so that no line is torn; and how long a line waits at most, in milliseconds. */
const BATCH = 4096
const WAIT = 100

/**
 * Gathers lines, since a write of each took a tenth of a request. What still waits is written when the process ends:
 * by a signal that it takes, or by an error that nobody caught.
 */
function gathering(out: DestinationStream): DestinationStream {
  let lines = ''
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (lines !== '') out.write(lines)
    lines = ''
  }
  process.on('exit', flush)
  return {
    write(line) {
      if (lines.length + line.length > BATCH) flush()
      lines += line
      timer ??= setTimeout(flush, WAIT).unref()
    },
  }
}

const standardOutput = gathering(pino.destination({ sync: true }))

/** @param destination where the lines go, by default to the standard output */
export const createLog = (config: Config, destination: DestinationStream = standardOutput) =>
  pino({ level: config.logLevel, base: null, serializers: { failure: describeError } }, destination)

/** How many aliases are remembered: to make one takes a tenth of a request. */
const CAPACITY = 10_000

/** Makes what stands for a person in the log: the same in every line, and nobody's name without the secret. */
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
 * A path as the log may have it: ids and the words that lead to a route. Anything else may be somebody's name, and is
 * given by its name in the route's pattern, or as * where there is no such route.
 * @param words what may stand in the path of no route
 */
export function legible(path: string, pattern: string | undefined, words: ReadonlySet<string>): string {
  if (path === pattern) return path
  const shape = pattern?.split('/')
  const isTold = (part: string, at: number) => ID.test(part) || (shape ? shape[at] === part : words.has(part))
  const parts = path.split('/', 16) // no route has as many
  return parts.map((part, at) => (part === '' || isTold(part, at) ? part : (shape?.[at] ?? '*'))).join('/')
}

/** Where a database is, without who connects. */
export const placeOf = (databaseUrl: string): string => {
  const { host, pathname } = new URL(databaseUrl)
  return host + pathname
}
