// The OpenAPI 3.1 document, generated from the route tables. The same tables always give the same text: `npm run gen`
// writes it, and the facade serves the file.
import { getRefId } from '@asteasolutions/zod-to-openapi'
import { OpenAPIHono } from '@hono/zod-openapi'
import type { z } from 'zod'
import manifest from '../../package.json' with { type: 'json' }
import answerExamples from '../examples.json' with { type: 'json' }
import { channels } from '../generated/channels.ts'
import { defaultLimits, type LimitName } from './config.ts'
import type { Feature } from './features.ts'
import {
  errorAnswer,
  errorCodes,
  errorsOf,
  headers,
  listedErrors,
  otherError,
  others,
  type Path,
  type Responses,
  referTo,
  unchanged,
} from './openapi-answers.ts'
import { platformPaths } from './openapi-platform.ts'
import { arranged, textOf } from './openapi-text.ts'
import { API, camelCase, hasCsv, idOf, type Route, type Row, spellings, type Whole } from './routes.ts'
import { ErrorBody, shared, z as zod } from './schemas.ts'
import { scopeOf } from './scopes.ts'
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

Every answer has X-Request-Id and the RateLimit headers, and on a deprecated path Deprecation: the headers with
\`x-every-answer\`. Successes list only the headers of their own. A network can make ${said(defaultLimits.global)};
\`x-rate-limits\` of a route has its other limits (the defaults). An error has an Error body and a stable code in X-Error-Code. Each route
lists its codes by status, and under \`default\` those that every route can have; the schema \`ErrorCode\` explains them.
People are identified by \`personId\`, actor id, \`@name\` or username. The path ignores letter case and a trailing slash.
Lists take \`limit\` (1..50, default 20) and \`cursor\` (the \`nextCursor\` of the previous page). A page can be short, even empty,
and still have \`hasMore\`: true. Reasons: a request scans a bounded number of rows, some of which you may not be allowed to see,
and a page of posts or wiki proposals ends when its texts reach half a megabyte. Continue until \`nextCursor\` is null.
Lists for staff (those with \`x-csv\`) return CSV with \`Accept: text/csv\`: up to 20 pages in one answer, with a \`Link\` to the rest. Cells are written so that no spreadsheet reads them as formulas.
An answer can have X-Read-Position. Send it back with your next requests, also to another address of the instance: then
their answers have what you wrote, and nothing older than what you have read. After several requests at once send all of
their positions, separated by commas (at most 20), until the next answer replaces them. Without it nothing is wrong, only
slower. Reads can show the end of a token, a ban and a block by others a moment late: 2 seconds, or what the operator sets (REPLICA_MAX_LAG).
Unknown body fields are ignored; fields that are not supported yet are 422. A body with more than 5000 items and fields or
more than 32 levels is 422, too. An error lists at most 100 problems of a body.

Realtime channels use the same token. All channels are private; only the database sends on them. Events contain ids, with which you read the data.

| channel: event {payload} | who may listen |
| --- | --- |
${channels.map(([says, audience]) => `| ${says} | ${audience} |`).join('\n')}`

/** @returns the document as text, as api-facade/openapi.json has it */
export function openApiText(features: readonly Feature[]): string {
  const app = new OpenAPIHono()
  const registry = app.openAPIRegistry
  registry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'The token of a login, or an access token from `POST /me/tokens`, which may do only what its scopes allow. `x-scope` of a route names the scope that it needs; with `any`, every access token may call it. A route without `x-scope` accepts no access token.',
  })
  registry.register('Error', ErrorBody)
  for (const [name, header] of Object.entries(headers)) registry.registerComponent('headers', name, header)
  registry.registerComponent('schemas', 'ErrorCode', errorCodes)
  const routes = spellings(features)
  for (const [name, statuses] of Object.entries(others))
    registry.registerComponent('responses', name, otherError(statuses))
  for (const status of new Set(routes.flatMap(({ row }) => Object.keys(listedErrors(row)))))
    registry.registerComponent('responses', status, errorAnswer(Number(status)))
  registry.registerComponent('responses', '304', unchanged)
  const defined = new Map<string, z.ZodType>()
  for (const { row } of routes) for (const schema of schemasOf(row)) findNamed(schema, defined)
  // Schemas are registered before their first use. Otherwise that use would define them, for example as nullable.
  for (const [name, schema] of defined) registry.register(name, schema)
  const named = new Set<string>()
  for (const route of routes) {
    registry.registerPath(pathOf(route, named))
    // The generator does not find schemas in callbacks.
    if (!route.alias)
      for (const { schema, body } of Object.values(route.row.later ?? {})) registry.register(schema, body)
  }
  for (const path of platformPaths()) registry.registerPath(path)
  const document = app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Kith',
      version,
      description: about,
      contact: { name: 'The operator of this instance' },
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [
      ...features.map(({ feature, about }) => ({ name: feature, description: about })),
      { name: 'platform', description: 'Whether the instance is running and can take requests.' },
    ],
  })
  const whole: Document = arranged(JSON.parse(JSON.stringify(document, plainReference)))
  for (const { requestBody } of Object.values(whole.paths).flatMap((path) => Object.values(path))) {
    const content = requestBody?.content['application/json']
    if (content) dropDefaults(content.schema)
    if (content) content.example ??= sampleOf(content.schema, whole.components.schemas)
  }
  for (const schema of Object.values(whole.components.schemas)) dropDefaults(schema)
  addExamples(whole)
  dropUnused(whole)
  return textOf(whole)
}

/** Gives each success with a body the example of its schema or, without a named one, of its operation. */
function addExamples(whole: Document): void {
  const examples: Readonly<Record<string, unknown>> = answerExamples
  const used = new Set<string>()
  const add = ({ content }: Answer, own?: string): void => {
    const json = content?.['application/json']
    const name = json?.schema.$ref?.split('/').at(-1) ?? own
    if (!json || name === undefined || !(name in examples)) return
    used.add(name)
    json.examples = { real: { $ref: `#/components/examples/${name}` } }
  }
  for (const { operationId, responses } of Object.values(whole.paths).flatMap((path) => Object.values(path)))
    for (const answer of Object.values(responses)) add(answer, operationId)
  whole.components.examples = Object.fromEntries([...used].sort().map((name) => [name, { value: examples[name] }]))
}

/** Drops unused schemas: if a union is part of another one, the generator copies it instead of referring to it. */
function dropUnused(whole: Document): void {
  const { schemas } = whole.components
  const used = new Set(JSON.stringify(whole).match(/(?<=#\/components\/schemas\/)\w+/g))
  for (const name of Object.keys(schemas)) if (!used.has(name)) delete schemas[name]
}

/** Drops defaults, because generated clients make a field with a default required. The description states it. */
function dropDefaults(schema: Schema): void {
  for (const field of Object.values(schema.properties ?? {})) {
    delete field.default
    dropDefaults(field)
  }
}

const schemasOf = ({ params, query, body, form, answers }: Row): z.ZodType[] =>
  [params, query, body, form, ...Object.values<z.ZodType | null>(answers)].filter((schema) => schema != null)

/**
 * Collects the named schemas, parts before the whole, without the wrappers that make them nullable or optional.
 */
function findNamed(schema: z.ZodType, defined: Map<string, z.ZodType>): void {
  const { def } = schema
  const name = 'innerType' in def ? undefined : getRefId(schema)
  if (name !== undefined && defined.has(name)) return
  const inner = Object.values(def).flatMap((part) => (part instanceof zod.ZodType ? [part] : partsOf(part)))
  for (const part of inner) findNamed(part, defined)
  if (name !== undefined) defined.set(name, originOf(schema, name))
}

/** The schema to which the name was given. Where the schema is used, it can have another description. */
function originOf(schema: z.ZodType, name: string): z.ZodType {
  const parent = schema._zod.parent as z.ZodType | undefined
  return parent && getRefId(parent) === name ? originOf(parent, name) : schema
}

/** The schemas in a shape, or in the list of a union. */
const partsOf = (part: unknown): z.ZodType[] =>
  typeof part === 'object' && part !== null ? Object.values(part).filter((one) => one instanceof zod.ZodType) : []

type Schema = {
  $ref?: string
  description?: string
  type?: string | string[]
  format?: string
  default?: unknown
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
type Content = Record<string, { schema: Schema; example?: unknown; examples?: Record<string, { $ref: string }> }>
type Answer = { content?: Content }
type Described = { operationId: string; requestBody?: { content: Content }; responses: Record<string, Answer> }
type Document = {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer>; examples?: Record<string, object> }
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

/** An example that the route accepts: the required fields, and the fields that have an example. */
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
 * The generator writes a reference with a description, and a nullable reference, as `allOf`. This replaces it by the
 * reference with the description beside it, or by a union with null.
 */
function plainReference(_key: string, value: unknown): unknown {
  const [named, own, ...others] = (value as { allOf?: Schema[] } | null)?.allOf ?? []
  if (!named?.$ref || !own || own.properties || others.length > 0) return value
  const { type, description } = own
  const isNullable = Array.isArray(type) && type.includes('null')
  return { ...(isNullable ? { anyOf: [named, { type: 'null' }] } : named), description }
}

function pathOf(route: Route, named: Set<string>): Path {
  const { row, feature, alias, canonical } = route
  const also = alias ? `Deprecated: use \`${canonical}\`.` : undefined
  const limits = limitsOf(row)
  return {
    method: route.method.toLowerCase() as Path['method'],
    path: API + route.path.replace(/:([^/]+)/g, '{$1}'),
    operationId: uniqueIdOf(route, named),
    ...(alias && { deprecated: true }),
    tags: [feature],
    summary: row.summary,
    description:
      [row.description, accessNote[row.access], limitNote(limits), also].filter(Boolean).join('\n\n') || undefined,
    ...(Object.keys(limits).length > 0 && { 'x-rate-limits': limits }),
    // CSV is not listed as a content type, because generated clients would then give each answer the type list or text.
    ...(hasCsv(row) && {
      'x-csv': 'With `Accept: text/csv` the answer is CSV: up to 20 pages, and a Link to the rest.',
    }),
    ...scopeNote(route),
    ...(row.access === 'public' && { security: [] }),
    request: requestOf(row),
    responses: {
      ...successOf(row),
      ...(row.etag && { 304: { $ref: '#/components/responses/304' } }),
      ...errorsOf(row),
    },
    ...(row.later && !alias && { callbacks: callbacksOf(row.later) }),
  }
}

/**
 * The scope that an access token needs; nothing if the route accepts no access token with scopes, or needs no token.
 */
function scopeNote(route: Route): { 'x-scope'?: string } {
  const scope = scopeOf(route)
  return scope === undefined ? {} : { 'x-scope': scope ?? 'any' }
}

const callbacksOf = (later: NonNullable<Row['later']>) =>
  Object.fromEntries(
    Object.entries(later).map(([name, { to, summary, schema }]) => [
      name,
      {
        [to]: {
          post: {
            summary,
            requestBody: {
              content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
            },
            security: [], // The push provider decides how Kith authenticates.
            responses: {
              200: { description: 'The push was accepted.' },
              410: { description: 'The device no longer exists, and is unregistered.' },
            },
          },
        },
      },
    ]),
  )

/** The limits that count a request of the route besides the global one, by name, with their default values. */
function limitsOf({ limit, limits = [] }: Row): Partial<Record<LimitName, string>> {
  const names: LimitName[] = [...(limit ? [limit] : []), ...limits]
  return Object.fromEntries(names.map((name) => [name, defaultLimits[name]]))
}

const limitNote = (limits: Partial<Record<LimitName, string>>): string =>
  Object.entries(limits)
    .map(([name, limit]) => `Limit \`${name}\`: ${said(limit)}.`)
    .join(' ')

const accessNote = {
  public: '',
  user: '',
  moderator: 'For moderators and admins.',
  admin: 'For admins.',
} as const

/** The id of the route; an alias gets its method and path as a name. @throws Error if two rows have the same */
function uniqueIdOf(route: Route, named: Set<string>): string {
  const { alias, method, path } = route
  const id = alias ? camelCase(method.toLowerCase() + path) : idOf(route)
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
      description: 'A repeated request with the same key within 24 hours returns the first answer again.',
      ...shared('Idempotency-Key'),
    }),
})

const IfNoneMatch = zod.object({
  'If-None-Match': zod
    .string()
    .optional()
    .openapi({ description: 'The ETag of the answer that the client has stored.', ...shared('If-None-Match') }),
})
const IfMatch = zod.object({
  'If-Match': zod
    .string()
    .optional()
    .openapi({
      description:
        'The ETag of the answer that the edit is based on. If the thing has been edited since, the answer is 412 `changed_since`. Counters and what the caller does with the thing make no difference.',
      ...shared('If-Match'),
    }),
})
function requestOf(row: Whole): Path['request'] {
  const { params, query, body = row.upload, form, example, idempotent, etag, original } = row
  const forms = form && {
    'application/x-www-form-urlencoded': { schema: form },
    'multipart/form-data': { schema: form },
  }
  const content = body && { 'application/json': { schema: body, example }, ...forms }
  return {
    params,
    query,
    headers: idempotent ? IdempotencyKey : original ? IfMatch : etag ? IfNoneMatch : undefined,
    body: content && { content, required: !body.safeParse(undefined).success },
  }
}

function successOf(row: Row): Responses {
  const [[status, schema] = ['500', null]] = Object.entries<z.ZodType | null>(row.answers)
  const own = {
    ...(row.idempotent && referTo('Idempotency-Replayed')),
    ...(row.etag && referTo('ETag')),
    ...(hasCsv(row) && referTo('Link')),
  }
  const headers = Object.keys(own).length > 0 && { headers: own }
  if (!schema) return { [status]: { description: row.outcome, ...headers } }
  const events = row.streams && { 'text/event-stream': { schema: zod.string().describe(row.streams) } }
  const content = { [row.contentType ?? 'application/json']: { schema }, ...events }
  return {
    ...(row.exists && { 200: { description: row.exists, ...headers, content } }),
    [status]: { description: row.outcome, ...headers, content },
  }
}
