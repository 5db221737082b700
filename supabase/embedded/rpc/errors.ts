// The error answers of PostgREST and of the gateway in front of it. PostgREST 16, references/errors.
import postgres from 'postgres'
import type { Site } from './site.ts'

/** The body of PostgREST's errors. `details` and `hint` can be null. */
type Body = { code: string; message: string; details: string | null; hint: string | null }

/** An error answer. An answer of the gateway (`code` null) has only a message in its body. */
export class RestError extends Error {
  readonly status: number
  readonly body: Body | { message: string }
  readonly headers: Record<string, string>

  constructor(
    status: number,
    code: string | null,
    message: string,
    more: { details?: string | null; hint?: string | null; headers?: Record<string, string> } = {},
  ) {
    super(message)
    const { details = null, hint = null, headers = {} } = more
    this.status = status
    this.body = code === null ? { message } : { code, message, details, hint }
    this.headers = headers
  }
}

// SQLSTATE → status: first by code, then by class, otherwise 400.
const codes: Readonly<Record<string, number | undefined>> = {
  '21000': 500,
  '23503': 409,
  '23505': 409,
  '25006': 405,
  '42883': 404,
  '42P01': 404,
  '42P17': 500,
  '53400': 500,
  '54001': 422, // PostgREST answers 500, although the caller is at fault for the deep nesting
  '57P01': 503,
  P0001: 400,
}
const classes: Readonly<Record<string, number | undefined>> = {
  '08': 503,
  '09': 500,
  '0L': 403,
  '0P': 403,
  '25': 500,
  '28': 403,
  '2D': 500,
  '38': 500,
  '39': 500,
  '3B': 500,
  '40': 500,
  '53': 503,
  '54': 500,
  '55': 500,
  '57': 500,
  '58': 500,
  F0: 500,
  HV: 500,
  P0: 500,
  XX: 500,
}

function statusOf(code: string, anonymous: boolean): number {
  const [, own] = /^PT(\d{3})$/.exec(code) ?? []
  if (own) return Number(own)
  if (code === '42501') return anonymous ? 401 : 403
  return codes[code] ?? classes[code.slice(0, 2)] ?? 400
}

/** An error with SQLSTATE PGRST has status, headers and body itself. */
function raisedWithHeaders(error: postgres.PostgresError): RestError {
  const { code, message, details, hint } = JSON.parse(error.message) as Body
  const { status, headers } = JSON.parse(error.detail ?? '') as { status: number; headers: Record<string, string> }
  return new RestError(status, code, message, { details, hint, headers })
}

/**
 * Any error in PostgREST's format. Errors of the database keep their detail and hint.
 * @param anonymous whether the request ran as anon: a missing permission is then 401 instead of 403
 */
export function toRestError(error: unknown, anonymous: boolean, { apiErrorOf }: Pick<Site, 'apiErrorOf'>): RestError {
  if (error instanceof RestError) return error
  if (error instanceof postgres.PostgresError) {
    if (error.code === 'PGRST') return raisedWithHeaders(error)
    const status = statusOf(error.code, anonymous)
    const headers: Record<string, string> = status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {}
    const { code, message, detail: details, hint } = error
    return new RestError(status, code, message, { details: details ?? null, hint: hint ?? null, headers })
  }
  const { status, messages, headers } = apiErrorOf(error)
  if (status < 500) return new RestError(status, null, messages.join(' '), { headers })
  if (status === 503) return new RestError(503, 'PGRST001', 'Database client error. Retrying the connection.')
  return new RestError(500, 'PGRSTX00', 'Internal error.')
}
