// The parts of answers in the OpenAPI document besides their bodies: the headers, and the errors of each route.
import { STATUS_CODES } from 'node:http'
import type { OpenAPIHono } from '@hono/zod-openapi'
import { failures } from '../generated/operations.ts'
import { allErrors, type ErrorCode, lookUp } from './errors.ts'
import type { Row, Whole } from './routes.ts'

/** A method of a path, as the generator of the document takes it. */
export type Path = Parameters<OpenAPIHono['openAPIRegistry']['registerPath']>[0]
export type Responses = Path['responses']

/** Every code with its status and sentence. Routes only name their codes. */
export const errorCodes = {
  type: 'string' as const,
  description: 'What went wrong. Codes are stable; messages may change.',
  oneOf: Object.entries(allErrors)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, [status, text]]) => ({ const: code, description: `${status}: ${text}` })),
}

/** Marks a header that every answer has. */
const always = { 'x-every-answer': true }

/** The headers of answers, each written once. */
export const headers = {
  'X-Request-Id': {
    ...always,
    description: 'The id of the request in the log: the id that the client sent, if any.',
    required: true,
    schema: { type: 'string' as const },
  },
  'RateLimit-Limit': {
    ...always,
    description: 'The number of requests that the tightest limit allows in its window.',
    schema: { type: 'integer' as const },
  },
  'RateLimit-Remaining': {
    ...always,
    description: 'How many of these requests are left.',
    schema: { type: 'integer' as const },
  },
  'RateLimit-Reset': {
    ...always,
    description: 'Seconds until the window ends.',
    schema: { type: 'integer' as const },
  },
  'RateLimit-Policy': {
    ...always,
    description: 'The limit and its window in seconds.',
    schema: { type: 'string' as const, examples: ['60;w=60'] },
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    required: true,
    schema: { type: 'integer' as const },
  },
  'WWW-Authenticate': { required: true, schema: { type: 'string' as const } },
  'Idempotency-Replayed': {
    description: '`true` if this is the stored answer of an earlier request; otherwise absent.',
    schema: { type: 'string' as const, enum: ['true'] },
  },
  Link: {
    description: 'The address of the next part, if the CSV does not contain the whole list: `<…>; rel="next"`.',
    schema: { type: 'string' as const },
  },
  Deprecation: {
    ...always,
    description: 'When the path became deprecated, if it is: `@` and the Unix time (RFC 9745).',
    schema: { type: 'string' as const, examples: ['@1795737600'] },
  },
  ETag: {
    description: 'The value for the request headers If-None-Match and If-Match.',
    required: true,
    schema: { type: 'string' as const },
  },
  'X-Error-Code': { required: true, schema: { $ref: '#/components/schemas/ErrorCode' } },
}
type HeaderName = keyof typeof headers

export const referTo = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
const onAll = referTo(
  ...(Object.entries(headers) as [HeaderName, object][]).flatMap(([name, header]) =>
    'x-every-answer' in header ? [name] : [],
  ),
)

export const unchanged = { description: 'The stored answer of the client is still valid.', headers: referTo('ETag') }

/** The codes that every route with the status can answer. */
const usual: Readonly<Record<number, readonly ErrorCode[]>> = {
  400: ['malformed_json'],
  401: ['token_missing', 'token_invalid', 'token_expired', 'token_revoked'],
  403: ['scope_missing'],
  412: ['changed_since'],
  413: ['body_too_large'],
  415: ['content_type_unsupported'],
  422: ['validation_failed', 'value_invalid', 'key_not_taken', 'match_not_taken'],
  429: ['rate_limited'],
  500: ['internal_error'],
  503: ['service_unavailable'],
}

/**
 * The statuses that a route does not list if they have only the usual codes, because the answer `default` covers them.
 * The key is the name of the shared answer: one for routes without a body, one for routes with a body.
 */
export const others = { default: [429, 500, 503], defaultWithBody: [413, 415, 429, 500, 503] }

const otherOf = ({ body }: Whole): keyof typeof others => (body ? 'defaultWithBody' : 'default')

/** For each status a reference to the shared answer, with a list of codes if they differ from the usual codes. */
export function listedErrors(row: Whole): Responses {
  const all = [...byStatus([...generalCodes(row), ...ownCodes(row).sort()])]
    .map(([status, codes]) => [status, errorOf(status, listed(codes))] as const)
    .filter(([status, answer]) => !others[otherOf(row)].includes(status) || answer.description)
  return Object.fromEntries(all)
}

export const errorsOf = (row: Whole): Responses => ({
  ...listedErrors(row),
  default: { $ref: `#/components/responses/${otherOf(row)}` },
})

export const errorOf = (status: number, description: string): { $ref: string; description?: string } => ({
  $ref: `#/components/responses/${status}`,
  ...(description !== errorAnswer(status).description && { description }),
})

const listed = (codes: readonly ErrorCode[]): string => codes.map((code) => `\`${code}\``).join(', ')

/** The shared answer of a status. Its description lists the usual codes; a route overrides it with its own list. */
export const errorAnswer = (status: number) => ({
  description: listed(usual[status] ?? []) || `${STATUS_CODES[status]}`,
  headers: {
    ...onAll,
    ...(promised[status] && referTo(promised[status])),
    ...(status === 403 && challenge),
    ...referTo('X-Error-Code'),
  },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

/** The shared answer of several statuses, each named with its usual codes. */
export const otherError = (statuses: number[]) => ({
  ...errorAnswer(500),
  description: `Any other error: ${statuses.map((status) => `${status} ${listed(usual[status] ?? [])}`).join(', ')}.`,
  headers: {
    ...errorAnswer(500).headers,
    'Retry-After': { description: headers['Retry-After'].description, schema: { type: 'integer' as const } },
  },
})

/** Headers that only some answers with 403 have. */
const challenge = {
  'WWW-Authenticate': {
    description: 'With `scope_missing`: the scope that the access token needs (RFC 6750).',
    schema: { type: 'string' as const },
  },
}

/** The headers that a status promises: errorAnswer of errors.ts. */
const promised: Readonly<Record<number, HeaderName>> = {
  401: 'WWW-Authenticate',
  429: 'Retry-After',
  503: 'Retry-After',
}

/** Codes that only `.rpc()` callers can get: every route checks these before it calls the operation. */
const refusedBefore: readonly ErrorCode[] = ['limit_out_of_range', 'idempotency_key_invalid']

/** The codes of the route's operations and of its handler, without those that are refused earlier. */
export function ownCodes({ operation, calls = [], fails = [], never = [] }: Row): ErrorCode[] {
  const raised = [...calls, ...(operation ? [operation] : [])].flatMap((name): readonly ErrorCode[] => failures[name])
  return [...raised, ...fails].filter((code) => ![...refusedBefore, ...never].includes(code))
}

/** Groups codes by status, in ascending order of the status. The order of the codes is kept. */
function byStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const found = [...new Set(codes)].map((code) => [code, lookUp(code)[0]] as const).sort(([, a], [, b]) => a - b)
  const groups = new Map<number, ErrorCode[]>()
  for (const [code, status] of found) groups.set(status, [...(groups.get(status) ?? []), code])
  return groups
}

/** The codes that the facade itself can answer on such a route. */
function generalCodes({ access, scope, params, query, body, upload, idempotent, original }: Whole): ErrorCode[] {
  const codes: ErrorCode[] = ['rate_limited', 'internal_error', 'service_unavailable']
  if (access !== 'public') codes.push('token_missing', 'token_invalid', 'token_expired', 'token_revoked')
  if (access === 'moderator' || access === 'admin') codes.push('role_required')
  if (access !== 'public' && scope !== 'any') codes.push(scope === 'none' ? 'session_required' : 'scope_missing')
  if (body) codes.push('malformed_json', 'body_too_large', 'content_type_unsupported')
  if (upload) codes.push('malformed_json', 'content_type_unsupported')
  if (params || query || body || idempotent) codes.push('validation_failed', 'value_invalid')
  if (!idempotent) codes.push('key_not_taken')
  codes.push(original ? 'changed_since' : 'match_not_taken')
  return codes
}
