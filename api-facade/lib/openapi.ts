// The OpenAPI 3.1 document, out of the same rows that answer. The same tables always give the same text: `npm run gen`
// writes it, and the facade serves what is written.
import { STATUS_CODES } from 'node:http'
import { OpenAPIHono } from '@hono/zod-openapi'
import type { z } from 'zod'
import manifest from '../../package.json' with { type: 'json' }
import { channels } from '../generated/channels.ts'
import { failures } from '../generated/operations.ts'
import { defaultLimits, type LimitName } from './config.ts'
import { allErrors, type ErrorCode, lookUp } from './errors.ts'
import { arranged, textOf } from './openapi-text.ts'
import { API, hasCsv, type Route, type Row, spellings, type Table } from './routes.ts'
import { ErrorBody, PersonCard, shared, z as zod } from './schemas.ts'
import { version } from './version.ts'

/** A limit in words: 5 requests a minute. */
function said(limit: string): string {
  const units: Record<string, string> = { s: 'second', min: 'minute', h: 'hour', d: 'day' }
  const parts = limit.split(' ').map((window) => window.split('/'))
  return parts
    .map(([count, unit = '']) => `${count} requests ${unit === 'h' ? 'an' : 'a'} ${units[unit]}`)
    .join(' and ')
}

const about = `${manifest.description}

Every answer carries X-Request-Id and the RateLimit headers: a network may make ${said(defaultLimits.global)}, and what a
route allows beside that is said there (\`x-rate-limits\`, the defaults). An error is an Error body with a stable code in
X-Error-Code. Each route lists the codes that it can answer; the schema \`ErrorCode\` says what each means.
People are named by actor id, by \`@name\` or by username. Letter case of the path and a trailing slash make no difference.
Lists take \`limit\` (1..50, default 20) and \`cursor\` (the \`nextCursor\` of the page before). A page may be short, even empty, and
yet have \`hasMore\`: true: a request looks at a bounded number of rows, of which I may not see all, and a page of posts or of
proposals for the wiki ends where its texts have half a megabyte. Go on until \`nextCursor\` is null.
Lists of staff are CSV with \`Accept: text/csv\`: up to 20 pages in one, with a \`Link\` to the rest; no cell is a formula.
Unknown body fields are ignored; those that are said to be not supported yet are refused with 422, and so is a body with
more than 5000 items and fields or 32 levels of them. Of what is wrong with a body an error names at most 100 things.

Channels of Realtime, with the same token. All are private, nobody but the database sends, and what is sent are ids to read by.

| channel: event {payload} | who may listen |
| --- | --- |
${channels.map(([says, audience]) => `| ${says} | ${audience} |`).join('\n')}`

type Path = Parameters<OpenAPIHono['openAPIRegistry']['registerPath']>[0]
type Responses = Path['responses']

/** @returns the document as text, as api-facade/openapi.json has it */
export function openApiText(tables: readonly Table[]): string {
  const app = new OpenAPIHono()
  const registry = app.openAPIRegistry
  registry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
  registry.register('Error', ErrorBody)
  for (const [name, header] of Object.entries(headers)) registry.registerComponent('headers', name, header)
  registry.registerComponent('schemas', 'ErrorCode', errorCodes)
  for (const status of new Set(Object.values(allErrors).map(([status]) => status)))
    registry.registerComponent('responses', String(status), errorAnswer(status))
  registry.register('PersonCard', PersonCard) // before a place where it may be null, which would stand for all of them
  const named = new Set<string>()
  for (const route of spellings(tables)) registry.registerPath(pathOf(route, named))
  registry.registerPath(health)
  registry.registerPath(ready())
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: 'Kith', version, description: about, license: { name: 'MIT' } },
    servers: [{ url: '/' }],
    tags: [...tables.map(({ feature }) => feature), 'platform'].map((name) => ({ name })),
  })
  const whole: Document = arranged(JSON.parse(JSON.stringify(document, plainReference)))
  for (const { requestBody } of Object.values(whole.paths).flatMap((path) => Object.values(path))) {
    const content = requestBody?.content['application/json']
    if (content) content.example ??= sampleOf(content.schema, whole.components.schemas)
  }
  return textOf(whole)
}

type Schema = {
  $ref?: string
  description?: string
  type?: string | string[]
  format?: string
  example?: unknown
  const?: unknown
  enum?: unknown[]
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  minItems?: number
  minimum?: number
  properties?: Record<string, Schema>
  required?: string[]
}
type Document = {
  paths: Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> } }>
  >
  components: { schemas: Record<string, Schema> }
}

const samples: Readonly<Record<string, unknown>> = {
  uuid: '3f1c8e52-7a0b-4d6e-9c1f-2b5a8d7e6f10',
  email: 'ada@example.org',
  date: '1990-01-31',
  uri: 'https://example.org/picture.png',
  'date-time': '2099-01-31T12:00:00.000Z',
  string: 'Some text.',
  integer: 1,
  number: 1,
  boolean: true,
  null: null,
}

/** A body that its route takes: of an object what it must have, and what has an example of its own. */
function sampleOf(schema: Schema, named: Record<string, Schema>): unknown {
  const { $ref, example, enum: words, allOf, anyOf, oneOf, items, properties = {}, required = [] } = schema
  if (example !== undefined) return example
  if ($ref) return sampleOf(named[$ref.split('/').at(-1) ?? ''] ?? {}, named)
  if ('const' in schema) return schema.const
  if (words) return words[0]
  const part = allOf?.[0] ?? anyOf?.[0] ?? oneOf?.[0]
  if (part) return sampleOf(part, named)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'array')
    return Array.from({ length: Math.max(1, schema.minItems ?? 1) }, () => sampleOf(items ?? {}, named))
  if (type !== 'object') return samples[schema.format ?? ''] ?? schema.minimum ?? samples[type ?? 'null']
  const shown = Object.entries(properties).filter(
    ([name, field]) => required.includes(name) || field.example !== undefined,
  )
  return Object.fromEntries(shown.map(([name, field]) => [name, sampleOf(field, named)]))
}

/**
 * A named schema with a description, or one that may be null, comes out as one of what must hold all at once: here it is
 * the reference with the description beside it, or a choice.
 */
function plainReference(_key: string, value: unknown): unknown {
  const [named, own, ...others] = (value as { allOf?: Schema[] } | null)?.allOf ?? []
  if (!named?.$ref || !own || own.properties || others.length > 0) return value
  const { type, description } = own
  const isNullable = Array.isArray(type) && type.includes('null')
  return { ...(isNullable ? { anyOf: [named, { type: 'null' }] } : named), description }
}

/** Every code with its status and sentence. Routes only name their codes. */
const errorCodes = {
  type: 'string' as const,
  description: 'What went wrong. Stable, unlike the sentence.',
  oneOf: Object.entries(allErrors)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, [status, text]]) => ({ const: code, description: `${status}: ${text}` })),
}

/** What answers carry beside their body, each written once. */
const headers = {
  'X-Request-Id': {
    description: 'The request, as the log names it: the client’s own id where it sent one.',
    required: true,
    schema: { type: 'string' as const },
  },
  'RateLimit-Limit': {
    description: 'Of the tightest limit that counted this request: how many it allows in its window.',
    schema: { type: 'integer' as const },
  },
  'RateLimit-Remaining': { description: 'How many of them are left.', schema: { type: 'integer' as const } },
  'RateLimit-Reset': { description: 'Seconds until the window ends.', schema: { type: 'integer' as const } },
  'RateLimit-Policy': {
    description: 'The limit and its window in seconds.',
    schema: { type: 'string' as const, examples: ['60;w=60'] },
  },
  'Retry-After': {
    description: 'Seconds to wait.',
    required: true,
    schema: { type: 'integer' as const },
  },
  'WWW-Authenticate': { required: true, schema: { type: 'string' as const } },
  'Idempotency-Replayed': {
    description: '`true` where this is the answer that was given before; else it is absent.',
    schema: { type: 'string' as const, enum: ['true'] },
  },
  Link: {
    description: 'Of a CSV that has not all of the list: `<…>; rel="next"`, where it goes on.',
    schema: { type: 'string' as const },
  },
  ETag: { description: 'For If-None-Match.', required: true, schema: { type: 'string' as const } },
  'X-Error-Code': { required: true, schema: { $ref: '#/components/schemas/ErrorCode' } },
}
type HeaderName = keyof typeof headers

const referTo = (...names: HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
const onAll = referTo('X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', 'RateLimit-Policy')

const health: Path = {
  method: 'get',
  path: '/health',
  operationId: 'health',
  tags: ['platform'],
  summary: 'Whether the process answers',
  security: [],
  responses: {
    200: {
      description: 'It does.',
      headers: onAll,
      content: {
        'application/json': {
          schema: zod.object({ status: zod.literal('ok'), uptime: zod.number(), version: zod.string() }),
        },
      },
    },
  },
}

const ready = (): Path => ({
  method: 'get',
  path: '/ready',
  operationId: 'ready',
  tags: ['platform'],
  summary: 'Whether requests should come here',
  description: 'The database answers, has the migrations of this release, and a worker runs somewhere.',
  security: [],
  responses: {
    200: {
      description:
        'They should; `warnings` says where the database is newer than this code, and what is not right with the storage of media.',
      headers: onAll,
      content: {
        'application/json': {
          schema: zod.object({ status: zod.literal('ready'), warnings: zod.array(zod.string()).optional() }),
        },
      },
    },
    503: errorOf(503, '`service_unavailable`; the message says what is missing.'),
  },
})

function pathOf(route: Route, named: Set<string>): Path {
  const { row, feature, alias, canonical } = route
  const also = alias ? `Another spelling of \`${canonical}\`.` : undefined
  const limits = limitsOf(row)
  return {
    method: route.method.toLowerCase() as Path['method'],
    path: API + route.path.replace(/:([^/]+)/g, '{$1}'),
    operationId: idOf(route, named),
    tags: [feature],
    summary: row.summary,
    description:
      [row.description, accessNote[row.access], limitNote(limits), also].filter(Boolean).join('\n\n') || undefined,
    'x-rate-limits': limits,
    security: row.access === 'public' ? [] : [{ bearer: [] }],
    request: requestOf(row),
    responses: { ...successOf(row), ...(row.etag && unchanged), ...errorsOf(row) },
  }
}

/** The limits that count a request of the route, by name, as they are where nothing is configured. */
function limitsOf({ limit, limits = [] }: Row): Partial<Record<LimitName, string>> {
  const names: LimitName[] = ['global', ...(limit ? [limit] : []), ...limits]
  return Object.fromEntries(names.map((name) => [name, defaultLimits[name]]))
}

const limitNote = ({ global: _, ...own }: Partial<Record<LimitName, string>>): string =>
  Object.entries(own)
    .map(([name, limit]) => `Limit \`${name}\`: ${said(limit)}.`)
    .join(' ')

const accessNote = {
  public: '',
  user: '',
  moderator: 'For moderators and admins.',
  admin: 'For admins.',
} as const

/**
 * The row's own id; else the operation's name where it is the first row to use it; else one made of the spelling.
 * @throws Error where two rows have one id
 */
function idOf({ row, alias, method, path }: Route, named: Set<string>): string {
  const own = alias ? undefined : (row.id ?? row.operation)
  const id = own && (row.id || !named.has(own)) ? own : `${method.toLowerCase()}${path.replace(/[^a-zA-Z0-9]+/g, '_')}`
  if (named.has(id)) throw new Error(`${method} ${path}: another route has the operationId ${id}`)
  named.add(id)
  return id
}

const IdempotencyKey = zod.object({
  'Idempotency-Key': zod
    .string()
    .min(1)
    .max(200)
    .optional()
    .openapi({
      description: 'A repeat with the same key within 24 hours gives the first answer again.',
      ...shared('Idempotency-Key'),
    }),
})

const IfNoneMatch = zod.object({
  'If-None-Match': zod
    .string()
    .optional()
    .openapi({ description: 'The ETag of the answer that the client has.', ...shared('If-None-Match') }),
})
const unchanged: Responses = {
  304: { description: 'The answer that the client has still holds.', headers: { ...onAll, ...referTo('ETag') } },
}

function requestOf({ params, query, body, form, example, idempotent, etag }: Row): Path['request'] {
  const forms = form && {
    'application/x-www-form-urlencoded': { schema: form },
    'multipart/form-data': { schema: form },
  }
  const content = body && { 'application/json': { schema: body, example }, ...forms }
  return {
    params,
    query,
    headers: idempotent ? IdempotencyKey : etag ? IfNoneMatch : undefined,
    body: content && { content, required: !body.safeParse(undefined).success },
  }
}

function successOf(row: Row): Responses {
  const [[status, schema] = ['500', null]] = Object.entries<z.ZodType | null>(row.answers)
  const headers = {
    ...onAll,
    ...(row.idempotent && referTo('Idempotency-Replayed')),
    ...(row.etag && referTo('ETag')),
    ...(hasCsv(row) && referTo('Link')),
  }
  if (!schema) return { [status]: { description: 'Done.', headers } }
  const events = row.streams && { 'text/event-stream': { schema: zod.string().openapi({ description: row.streams }) } }
  const table = hasCsv(row) && {
    'text/csv': {
      schema: zod.string().openapi({ description: 'Up to 20 pages in one, as `Accept: text/csv` asks for.' }),
    },
  }
  const content = { [row.contentType ?? 'application/json']: { schema }, ...events, ...table }
  return {
    ...(row.exists && { 200: { description: row.exists, headers, content } }),
    [status]: { description: 'Done.', headers, content },
  }
}

/** What every route that has the status can answer with it. */
const usual: Readonly<Record<number, readonly ErrorCode[]>> = {
  400: ['malformed_json'],
  401: ['token_missing', 'token_invalid', 'token_expired', 'token_revoked'],
  403: ['role_required'],
  413: ['body_too_large'],
  415: ['content_type_unsupported'],
  422: ['validation_failed', 'value_invalid'],
  429: ['rate_limited'],
  500: ['internal_error'],
  503: ['service_unavailable'],
}

/** By status, the answer that all routes share; with the codes where this route has others than the usual ones. */
function errorsOf(row: Row): Responses {
  const all = byStatus([...generalCodes(row), ...ownCodes(row).sort()])
  return Object.fromEntries([...all].map(([status, codes]) => [status, errorOf(status, listed(codes))]))
}

const errorOf = (status: number, description: string) => ({
  $ref: `#/components/responses/${status}`,
  ...(description !== errorAnswer(status).description && { description }),
})

const listed = (codes: readonly ErrorCode[]): string => codes.map((code) => `\`${code}\``).join(', ')

/** The answer of a status. The description that a route gives it lists the codes, and so does its own where it has usual ones. */
const errorAnswer = (status: number) => ({
  description: listed(usual[status] ?? []) || `${STATUS_CODES[status]}`,
  headers: { ...onAll, ...(promised[status] && referTo(promised[status])), ...referTo('X-Error-Code') },
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

/** The headers that a status promises: errorAnswer of errors.ts. */
const promised: Readonly<Record<number, HeaderName>> = {
  401: 'WWW-Authenticate',
  429: 'Retry-After',
  503: 'Retry-After',
}

/** What `.rpc()` callers alone can meet: every route checks these before its operation does. */
const refusedBefore: readonly ErrorCode[] = ['limit_out_of_range', 'idempotency_key_invalid']

/** What the route's operations may raise and its handler may answer, without what is refused before it comes to that. */
export function ownCodes({ operation, calls = [], fails = [], never = [] }: Row): ErrorCode[] {
  const raised = [...calls, ...(operation ? [operation] : [])].flatMap((name): readonly ErrorCode[] => failures[name])
  return [...raised, ...fails].filter((code) => ![...refusedBefore, ...never].includes(code))
}

/** In ascending order of the status; the codes of each as they are given. */
function byStatus(codes: readonly ErrorCode[]): Map<number, ErrorCode[]> {
  const found = [...new Set(codes)].map((code) => [code, lookUp(code)[0]] as const).sort(([, a], [, b]) => a - b)
  const groups = new Map<number, ErrorCode[]>()
  for (const [code, status] of found) groups.set(status, [...(groups.get(status) ?? []), code])
  return groups
}

/** What the facade itself may answer on such a route. */
function generalCodes({ access, params, query, body, idempotent }: Row): ErrorCode[] {
  const codes: ErrorCode[] = ['rate_limited', 'internal_error', 'service_unavailable']
  if (access !== 'public') codes.push('token_missing', 'token_invalid', 'token_expired', 'token_revoked')
  if (access === 'moderator' || access === 'admin') codes.push('role_required')
  if (body) codes.push('malformed_json', 'body_too_large', 'content_type_unsupported')
  if (params || query || body || idempotent) codes.push('validation_failed', 'value_invalid')
  return codes
}
