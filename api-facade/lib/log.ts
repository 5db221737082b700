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

/** @param destination where the lines go, by default to the standard output */
export const createLog = (config: Config, destination?: DestinationStream) =>
  pino({ level: config.logLevel, base: null, serializers: { failure: describeError } }, destination)

/** Makes what stands for a person in the log: the same in every line, and nobody's name without the secret. */
export function createAlias(secret: string): (person: string) => string {
  const key = createHmac('sha256', secret).update('kith log alias').digest()
  return (person) => createHmac('sha256', key).update(person).digest('base64url').slice(0, 12)
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * A path as the log may have it: ids and the words that lead to a route. Anything else may be somebody's name, and is
 * given by its name in the route's pattern, or as * where there is no such route.
 * @param words what may stand in the path of no route
 */
export function legible(path: string, pattern: string | undefined, words: ReadonlySet<string>): string {
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
