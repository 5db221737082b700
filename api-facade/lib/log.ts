// Structured log, one line a request: never tokens, bodies, query strings, paths with names in them or addresses.
import { type DestinationStream, pino } from 'pino'
import type { Config } from './config.ts'
import type { Context } from './context.ts'

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

/** Logs the answer of a request that took `ms`; what went wrong inside only with a 5xx. */
export function logRequest(c: Context, ms: number): void {
  const { log } = c.get('services')
  const { status } = c.res
  const line = {
    id: c.get('requestId'),
    method: c.req.method,
    route: c.get('route'),
    status,
    ms: Math.round(ms * 10) / 10,
    word: c.get('word'),
    failure: c.get('failure'),
  }
  if (status >= 500) log.error(line)
  else log.info(line)
}
