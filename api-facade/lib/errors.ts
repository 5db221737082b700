// Turns every error into `{statusCode, error, message, fields?}` and an X-Error-Code. docs/decisions.md, Errors.
import { STATUS_CODES } from 'node:http'
import { HTTPException } from 'hono/http-exception'
import postgres from 'postgres'
import { errors } from '../generated/errors.ts'
import { isLostConnection } from './pool.ts'

/** The facade's own codes; those of the database are generated. */
export const facadeErrors = {
  malformed_json: [400, 'The body is not valid JSON.'],
  request_malformed: [400, 'The request is malformed and could not be read.'],
  token_invalid: [401, 'This access token is not valid. Log in again.'],
  token_expired: [401, 'This access token has expired. Log in again or refresh it.'],
  not_permitted: [403, 'You are not allowed to do this.'],
  route_unknown: [404, 'There is no such route. The API is under /api/v1; /docs describes it.'],
  method_not_allowed: [405, 'This path does not support this method. The header Allow lists those that it supports.'],
  duplicate: [409, 'This already exists.'],
  changed_since: [
    412,
    'This has changed since you read it. Read it again, and repeat your change if it still applies.',
  ],
  body_too_large: [413, 'The body is too large.'],
  batch_large: [413, 'The previous answers of this batch are too large together. Send this request in another batch.'],
  content_type_unsupported: [415, 'The body must be application/json.'],
  validation_failed: [422, 'The request is not valid.'],
  batch_request: [422, 'A batch takes GET requests of paths under /api/v1 that answer with JSON, except exports.'],
  match_not_taken: [422, 'This route does not take If-Match. Send the request without this header.'],
  key_not_taken: [422, 'This route does not take an Idempotency-Key. Send the request without this header.'],
  rate_limited: [429, 'Too many requests. Try again later.'],
  internal_error: [500, 'Something went wrong on our side.'],
  service_unavailable: [503, 'This is not available at the moment. Try again shortly.'],
} as const satisfies Record<string, readonly [number, string]>

export type ErrorCode = keyof typeof errors | keyof typeof facadeErrors

/** Status and sentence of every code, of the database and of the facade. */
export const allErrors: Readonly<Record<ErrorCode, readonly [number, string]>> = { ...errors, ...facadeErrors }
const registry: Readonly<Record<string, readonly [number, string] | undefined>> = allErrors

/** Status and sentence of a registered code. */
export const lookUp = (code: ErrorCode): readonly [number, string] => registry[code] ?? facadeErrors.internal_error

/** An invalid field: its path, as in `media.0.alt`, and what is wrong with it (issues.ts, `codeOf`). */
export type InvalidField = { path: string; code: string }

/** An error answer: the code decides the status; `messages` replace its sentence. */
export class ApiError extends Error {
  readonly code: string
  readonly status: number
  readonly messages: string[]
  readonly headers: Record<string, string>
  readonly fields: InvalidField[] | undefined

  constructor(
    code: ErrorCode,
    messages?: string[],
    more: { status?: number; headers?: Record<string, string>; fields?: InvalidField[] } = {},
  ) {
    const [status, text] = lookUp(code)
    super(code)
    this.name = 'ApiError'
    this.code = code
    this.status = more.status ?? status
    this.messages = messages ?? [text]
    this.headers = more.headers ?? {}
    this.fields = more.fields
  }
}

/** An error that the database raised or returned, with its status and text: the registry here may be older. */
export const apiErrorOf = (code: string, status: number, text: string): ApiError =>
  new ApiError(code as ErrorCode, [text], { status })

// The codes of errors without a registered code, by SQLSTATE or by its class (two characters).
const foreign: Readonly<Record<string, ErrorCode | undefined>> = {
  '23505': 'duplicate',
  '23502': 'value_invalid',
  '23503': 'value_invalid',
  '23001': 'value_invalid', // PostgreSQL 18: other rows refer to the row.
  '23514': 'value_invalid',
  '22': 'value_invalid',
  '54001': 'value_invalid', // The value is nested too deeply for the stack.
  '42501': 'not_permitted',
  // A concurrent change or a changed schema, if the second attempt (call.ts) failed, too.
  '40001': 'service_unavailable',
  '40P01': 'service_unavailable',
  '0A000': 'service_unavailable',
  '26000': 'service_unavailable',
  '25006': 'service_unavailable', // The server takes no writes.
  '55000': 'service_unavailable', // The server takes no writes, and was asked for its WAL position.
  // There was no lock or no answer in time, or there are no resources, or no connection.
  '55P03': 'service_unavailable',
  '57014': 'service_unavailable',
  '57P01': 'service_unavailable',
  '57P02': 'service_unavailable',
  '57P03': 'service_unavailable',
  '53': 'service_unavailable',
  '08': 'service_unavailable',
  '28': 'service_unavailable', // The login was refused.
}

function fromDatabase(error: postgres.PostgresError): ApiError {
  const { code: state, message, detail, constraint_name: rule } = error
  const [, status] = /^PT([45]\d\d)$/.exec(state) ?? []
  if (state === 'PGRST') return withHeaders(message, detail)
  if (status && /^[a-z][a-z0-9_]*$/.test(message)) return apiErrorOf(message, Number(status), detail ?? message)
  if (state.startsWith('23') && rule && registry[rule]) return new ApiError(rule as ErrorCode)
  return new ApiError(foreign[state] ?? foreign[state.slice(0, 2)] ?? 'internal_error')
}

/** An error that was raised with response headers (private.raise_error), in the form that PostgREST expects. */
function withHeaders(message: string, detail = '{}'): ApiError {
  const { message: code, details } = JSON.parse(message) as { message: ErrorCode; details: string }
  const { status, headers } = JSON.parse(detail) as { status: number; headers: Record<string, string> }
  return new ApiError(code, [details], { status, headers })
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof postgres.PostgresError) return fromDatabase(error)
  if (isLostConnection(error)) return new ApiError('service_unavailable')
  if (error instanceof HTTPException && error.status < 500) return new ApiError('request_malformed')
  return new ApiError('internal_error')
}

/**
 * Whether to log the error as our fault. That includes faults whose answer has a status below 500, such as a missing
 * grant.
 */
export const isFault = (error: unknown, { status, code }: ApiError): boolean =>
  status >= 500 ||
  (error instanceof postgres.PostgresError && /^(23|42)/.test(error.code) && error.constraint_name !== code)

// The headers of answers with a status. Times are in seconds.
const always: Readonly<Record<number, Record<string, string> | undefined>> = {
  401: { 'WWW-Authenticate': 'Bearer' },
  429: { 'Retry-After': '60' },
  503: { 'Retry-After': '2' },
}

/** Body and headers of an error answer. */
export function errorAnswer(apiError: ApiError): { body: string; headers: Record<string, string> } {
  const { code, status, messages, fields } = apiError
  const headers = { ...always[status], ...apiError.headers, 'X-Error-Code': code, 'Content-Type': 'application/json' }
  return {
    body: JSON.stringify({ statusCode: status, error: STATUS_CODES[status], message: messages, fields }),
    headers,
  }
}
