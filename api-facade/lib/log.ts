// Structured log: never tokens, bodies, query strings, paths with names in them or addresses.
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
