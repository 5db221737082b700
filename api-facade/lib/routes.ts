// Route tables: the type of a row, and how it is served: access, limits, validation, one call, the answer.
// ARCHITECTURE.md, The path of a request. openapi.ts reads the same rows.
import type { Hono } from 'hono'
import { z } from 'zod'
import type { errors } from '../generated/errors.ts'
import type { Area } from './areas.ts'
import {
  Answer,
  call,
  callIfMatched,
  checkCaller,
  checkGate,
  type Gate,
  type Operation,
  type Parameter,
  type Parameters,
  parameterNames,
} from './call.ts'
import { compressed } from './compress.ts'
import type { LimitName } from './config.ts'
import type { Context, Env } from './context.ts'
import { asksForCsv, sendCsv } from './csv.ts'
import type { PoolName } from './database.ts'
import { ApiError, toApiError } from './errors.ts'
import { isStored, tagOf } from './etags.ts'
import { headerOf, send, sendJson, setHeader } from './headers.ts'
import { type Input, inputReader, pathReader } from './input.ts'
import { otherMethods } from './methods.ts'
import { PageQuery } from './schemas.ts'
import type { Claims } from './tokens.ts'

export const API = '/api/v1'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** Method and path below /api/v1, as in `POST /users/:id/follow`. */
type Spelling = `${Method} /${string}`
export type Access = 'public' | 'user' | 'moderator' | 'admin'
type Answers = { 200: z.ZodType } | { 201: z.ZodType } | { 202: z.ZodType } | { 204: null }

/** The part of a row that an alias can override. */
type Shape<O extends Operation> = {
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /**
   * A form (urlencoded or multipart) that is accepted instead of the JSON body, for programs that send nothing else.
   */
  form?: z.ZodObject
  /**
   * A JSON body of any length, which the handler reads as it arrives (bodyOf of input.ts). The schema is for the
   * documentation.
   */
  upload?: z.ZodType
  /** An example body for the documentation, if the one generated from the schema would be refused. */
  example?: unknown
  /** Maps a field to its parameter, if the parameter is not `p_` and the field's name in snake case. */
  as?: Record<string, Parameter<O>>
  /** The parameter (jsonb) that takes the whole body. It is used for PATCH, where an absent field differs from null. */
  bodyAs?: Parameter<O>
  /** The answer of a success; 204 has no body. */
  answers: Answers
  /** The success in a few words: what the answer is, or what is true afterwards. */
  outcome: string
  /** For a create: a sentence that says when it answers 200 with the existing thing instead. */
  exists?: string
  /** The content type of the handler's answer, if it is not application/json. */
  contentType?: string
  /** Streams an answer of any length, so it can't be part of a batch. */
  unbounded?: true
  /** A sentence about the server-sent events that the handler can answer instead. */
  streams?: string
  /** For unusual routes: gets all fields, and returns a Response, an Answer of `call`, or a value for JSON. */
  handler?(c: Context, input: never): Promise<unknown>
  /** Runs after a success, with all fields. It is not awaited and must not fail. */
  after?(c: Context, input: never): void
}

/**
 * Reads that must see everything that was acknowledged before: `money`; `access`, which says who can log in as the
 * person; `announced`, because an event of Realtime tells a client to read it at once; `decides`, because the handler
 * acts on it; `settled`, because it assumes by the clock that everything older is committed; `limited`, because the
 * database counts how many run at once.
 */
type Fresh = 'money' | 'access' | 'announced' | 'decides' | 'settled' | 'limited'

export type Row<O extends Operation = Operation> = Shape<O> & {
  access: Access
  /** Default: anon for public, user for user, and service for staff routes. */
  pool?: PoolName
  /** A check whose error comes before errors about the input. Its codes are among those of the operation. */
  gate?: Gate
  /** A limit in addition to the global one, shared by all aliases. */
  limit?: LimitName
  /** The client that the limit of a public route counts, taken from a valid body; otherwise the address. */
  limitBy?(c: Context, fields: never): string | undefined
  /** Further limits that the handler counts; for the documentation. */
  limits?: readonly LimitName[]
  also?: readonly (Spelling | ({ route: Spelling } & Partial<Shape<O>>))[]
  /** The operation of the route. Optional only for a route with a handler. */
  operation?: O
  /** Parameters that this route sets itself. A request cannot change them. */
  constants?: { readonly [P in Parameter<O>]?: string | number | boolean }
  /** The area of the route's scope, if it is not that of the feature: areas.ts. */
  scope?: Area | 'any' | 'none'
  /** The operationId of the route in the API's description, if it is not made from the operation's name. */
  id?: string
  /** Whether the answer is a list. If so, `limit` and `cursor` are passed as `p_limit` and `p_cursor`. */
  page?: true
  /** An answer with all its items at once, which staff can read as CSV. */
  csv?: boolean
  /**
   * Takes an Idempotency-Key, so it is safe to retry: the API documents it, the operation implements it. Always true
   * for a member's POST that answers 201. Other routes refuse the header.
   */
  idempotent?: true
  /**
   * Answers with an ETag, or with 304. Always true for a member's read of a path that also has a PATCH or a PUT. The
   * operation may set the tag itself.
   */
  etag?: true
  /** Why no replica may answer a read, although it writes nothing. */
  fresh?: Fresh
  /**
   * Whether the answer contains a secret, such as an invite code. Such an answer is never compressed: beside text from
   * others, the length would give the secret away (BREACH).
   */
  secret?: true
  /** For a route with a handler: the operations that it calls. */
  calls?: readonly Operation[]
  /** Codes that the handler itself answers, besides those of its operations. */
  fails?: readonly (keyof typeof errors)[]
  /** Codes of its operations that cannot occur, because this route's own checks refuse earlier. */
  never?: readonly (keyof typeof errors)[]
  /**
   * For the API description: what is sent later because of the request, to whom, and the body with the name of its
   * schema.
   */
  later?: Readonly<Record<string, { to: string; summary: string; schema: string; body: z.ZodType }>>
  summary: string
  description?: string
}

export type Table = { feature: string; rows: Readonly<Record<string, Row>> }

/** The table of a feature, each row checked against the parameters of its operation. */
export const routes = <T extends Record<string, Operation>>(
  feature: string,
  rows: { [S in keyof T]: Row<T[S]> },
): Table => ({ feature, rows })

/** Like `routes`, for operations that need a login: no access token with scopes may call them. */
export const routesOfLogins = <T extends Record<string, Operation>>(
  feature: string,
  rows: { [S in keyof T]: Row<T[S]> },
): Table => ({
  feature,
  rows: Object.fromEntries(Object.entries<Row>(rows).map(([name, row]) => [name, { ...row, scope: 'none' as const }])),
})

/** One path of a route, its own or an alias. `canonical` is its own path; `path` is below /api/v1. */
export type Route = { feature: string; canonical: string; method: string; path: string; alias: boolean; row: Whole }
/** A row; `original` is the row that reads what this row edits. A row with an original takes If-Match. */
export type Whole = Row & { original?: Row }

/** Every path of every table, in their order. */
export function spellings(tables: readonly Table[]): Route[] {
  return tables.flatMap(({ feature, rows }) =>
    Object.entries(rows).flatMap(([canonical, row]) => {
      const whole = {
        ...row,
        ...(row.page && { query: PageQuery.extend(row.query?.shape ?? {}) }),
        ...(isMemberCreate(canonical, row) && { idempotent: true as const }),
        ...editOf(canonical, row, rows),
      }
      const own = routeOf(feature, canonical, canonical, whole)
      const others = (row.also ?? []).map((other) => {
        const { route, ...shape } = typeof other === 'string' ? { route: other } : other
        return routeOf(feature, canonical, route, { ...whole, ...shape })
      })
      return [own, ...others]
    }),
  )
}

/** If members can both read and edit a path, the read has an ETag, and each edit takes If-Match. */
function editOf(spelling: string, row: Row, rows: Table['rows']): Pick<Whole, 'etag' | 'original'> {
  const [method = '', path = ''] = spelling.split(' ')
  const read = rows[`GET ${path}`]
  const edits = [rows[`PATCH ${path}`], rows[`PUT ${path}`]].filter((edit) => edit?.operation)
  if (!read?.operation || read.access !== 'user' || row.access !== 'user' || edits.length === 0) return {}
  if (method === 'GET') return { etag: true }
  if (!edits.includes(row)) return {}
  return { original: read }
}

const isMemberCreate = (spelling: string, { access, answers }: Row): boolean =>
  spelling.startsWith('POST ') && access === 'user' && 201 in answers

function routeOf(feature: string, canonical: string, spelling: string, row: Whole): Route {
  const [, method, path] = /^([A-Z]+) (\/.*)$/.exec(spelling) ?? []
  if (!method || !path) throw new Error(`${spelling} is not a method and a path`)
  return { feature, canonical, method, path, alias: spelling !== canonical, row }
}

/**
 * The id of the row if it has one, otherwise the name of its operation in camel case, for staff with the prefix
 * `admin`.
 * @throws Error if a row has no name
 */
export function idOf({ row, method, path }: Pick<Route, 'row' | 'method' | 'path'>): string {
  const staff = path.startsWith('/admin/') ? 'admin_' : ''
  const id = row.id ?? (row.operation && camelCase(staff + row.operation.replace(/_(all|any)_/, '_')))
  if (!id) throw new Error(`${method} ${path}: the row needs an id`)
  return id
}

export const camelCase = (name: string): string =>
  name.replace(/[^a-zA-Z0-9]+(\w?)/g, (_, letter) => letter.toUpperCase())

/** Mounts every path, and 405 with Allow for its other methods. */
export function mount(app: Hono<Env>, tables: readonly Table[]): void {
  const all = spellings(tables).sort((a, b) => staticFirst(a.path, b.path))
  const methods = new Map<string, string[]>()
  for (const route of all) {
    const shape = API + route.path.replace(/:[^/]+/g, ':x')
    const taken = methods.get(shape) ?? []
    if (taken.includes(route.method)) throw new Error(`${route.method} ${route.path} stands in two rows`)
    methods.set(shape, [...taken, route.method])
    app.on(route.method, API + route.path, answerer(route))
  }
  for (const [path, taken] of methods) app.all(path, otherMethods(taken))
}

/** A static part comes before a parameter at the same position, regardless of the order of features. */
function staticFirst(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')]
  const i = left.findIndex((part, at) => part.startsWith(':') !== right[at]?.startsWith(':'))
  return i < 0 ? 0 : Number(left[i]?.startsWith(':')) - Number(right[i]?.startsWith(':') ?? false)
}

/** Whether a route can answer with CSV: staff lists can. */
export const hasCsv = (row: Row): boolean => (row.page === true || row.csv === true) && isOfStaff(row)

/** Since when aliases are deprecated (the day of 1.0.0), in the form of RFC 9745. */
const DEPRECATED = `@${Date.UTC(2026, 10, 27) / 1000}`

const ranks = { public: 0, user: 1, moderator: 2, admin: 3 } as const
const poolOf = { public: 'anon', user: 'user', moderator: 'service', admin: 'service' } as const

/** Serves a row. The order of errors is 429, 401, 403, the gate, then those of the input. */
function answerer({ method, path, row, alias }: Route): (c: Context) => Promise<Response> {
  const operation = row.operation ?? idOf({ row, method, path })
  const read = inputReader(API + path, row)
  const run = row.handler ? handle(row.handler) : callOf(`${method} ${path}`, row)
  const status = Number(Object.keys(row.answers)[0])
  const passGate = gateOf(API + path, row)

  return async (c) => {
    if (alias) setHeader(c, 'Deprecation', DEPRECATED)
    c.set('route', `${method} ${path}`)
    c.set('pattern', API + path)
    c.set('pool', row.pool ?? poolOf[row.access])
    c.set('operation', operation)
    c.set('fresh', row.fresh !== undefined)
    c.set('idempotent', row.idempotent === true)
    c.set('claims', null)
    joinBatch(c, row)
    await admit(c, row)
    // A revoked token is 401 before any other error. The operation checks this. It is checked here for requests that do
    // not reach the operation, and for handlers, whose first step may not be a call.
    if (row.handler) await checkCaller(c)
    const input = await entitled(c, row)
      .then(() => read(c))
      .catch(async (apiError: unknown) => {
        if (row.limitBy) await count(c, row)
        if (!row.handler) await checkCaller(c)
        return passGate(c, apiError)
      })
    if (row.limitBy) await count(c, row, row.limitBy(c, input.fields as never))
    const running = hasCsv(row) && asksForCsv(c) ? csvOf(c, row, run, input) : run(c, input)
    const result = await running.catch((apiError: unknown) => passGate(c, apiError))
    // A HEAD runs as GET, but does not count as reading.
    if (row.after && c.req.method === method) row.after(c, input.fields as never)
    return reply(c, status, result, row, method === 'GET')
  }
}

/** @throws ApiError batch_request for an answer that is not JSON or has no maximum length */
function joinBatch(c: Context, { contentType, unbounded, secret }: Row): void {
  const batch = c.env?.batch
  if (!batch) return
  if (contentType || unbounded) throw new ApiError('batch_request')
  if (secret) batch.hasSecret = true
}

/** The statuses of errors about the input. They are only revealed to callers who pass the gate. */
const aboutInput = new Set([400, 413, 415, 422])

/** Staff need the second factor that their role needs. private.require_role checks it in the operation. */
const STAFF: Gate = { check: 'require_factor' }
const isOfStaff = ({ access }: Row): boolean => access === 'moderator' || access === 'admin'

/** Makes a function that throws the error, or that of the row's gate if it comes first. */
function gateOf(path: string, row: Row): (c: Context, apiError: unknown) => Promise<never> {
  const { gate = isOfStaff(row) ? STAFF : undefined, params } = row
  const read = pathReader(path, params)
  return async (c, apiError) => {
    if (gate && aboutInput.has(toApiError(apiError).status)) {
      const path = read(c)
      if (path || !gate.param) await checkGate(c, gate, path ?? {})
    }
    throw apiError
  }
}

function csvOf(c: Context, row: Row, run: (c: Context, input: Input) => Promise<unknown>, input: Input) {
  const [schema] = Object.values(row.answers) as [z.ZodType]
  return sendCsv(c, schema, input.fields.cursor as string | undefined, async (cursor) => {
    const page = await run(c, { ...input, fields: { ...input.fields, cursor } })
    return asAnswer(page).body ?? ''
  })
}

async function admit(c: Context, row: Row): Promise<void> {
  const open = row.access === 'public'
  // The limits of public routes ignore the token, because otherwise each token would have its own attempts.
  const holder = open ? null : await holderOf(c)
  const claims = holder instanceof ApiError ? null : holder
  if (claims) c.set('caller', claims.sub)
  if (!row.limitBy) await count(c, row, claims?.sub)
  if (open) return // The route runs as anonymous. A token, valid or not, changes nothing.
  if (holder instanceof ApiError) throw holder
  c.set('claims', claims)
}

/** Counts a call of a route that has a limit. @throws ApiError rate_limited */
async function count(c: Context, { limit }: Row, client?: string): Promise<void> {
  const over = limit && (await c.get('services').limits.route(c, limit, client))
  if (over) throw over
}

async function holderOf(c: Context): Promise<Claims | ApiError> {
  const given = c.req.header('authorization')
  const [, token] = /^Bearer +(\S+) *$/i.exec(given ?? '') ?? []
  if (!token) return new ApiError(given ? 'token_invalid' : 'token_missing')
  return c
    .get('services')
    .tokens.verify(token)
    .catch((error: unknown) => {
      if (error instanceof ApiError) return error
      throw error
    })
}

async function entitled(c: Context, row: Row): Promise<void> {
  if (ranks[c.get('claims')?.role ?? 'public'] < ranks[row.access]) throw new ApiError('role_required')
}

const handle =
  (handler: NonNullable<Row['handler']>) =>
  (c: Context, { fields }: Input): Promise<unknown> =>
    // The handler declares the type that the schemas of its row produce.
    handler(c, fields as never)

/** Makes the call of a row without a handler. @throws Error at start if a field has no parameter */
function callOf(spelling: string, row: Whole) {
  const { operation, constants = {}, params, query, body, bodyAs, page, original } = row
  if (!operation) throw new Error(`${spelling} has neither an operation nor a handler`)
  const known = parameterNames(operation)
  const fields = [params, query, bodyAs ? undefined : body].flatMap((schema) => fieldsOf(schema))
  const names = new Map(fields.map((field) => [field, parameterOf(row, field)]))
  const all = [...names.values(), ...Object.keys(constants), ...(bodyAs ? [bodyAs] : [])]
  const missing = all.filter((name) => !known.includes(name))
  if (missing.length > 0) throw new Error(`${spelling}: ${operation} has no ${missing.join(', ')}`)
  if (new Set(all).size < all.length) throw new Error(`${spelling}: two values for one parameter`)
  if (page && !known.includes('p_cursor')) throw new Error(`${spelling}: ${operation} has no p_cursor`)

  return (c: Context, input: Input): Promise<unknown> => {
    const parameters: Record<string, unknown> = { ...constants, ...(bodyAs && { [bodyAs]: input.body ?? {} }) }
    for (const [field, name] of names) parameters[name] = input.fields[field]
    return original?.operation && headerOf(c, 'if-match') !== undefined
      ? callIfMatched(c, operation, parameters, original.operation, pathParameters(original, input))
      : call(c, operation, parameters as Parameters<Operation>)
  }
}

/** The parameter that takes a field. */
const parameterOf = ({ as = {} }: Row, field: string): string =>
  (as as Record<string, string>)[field] ?? `p_${field.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)}`

const pathParameters = (row: Row, { fields }: Input): Record<string, unknown> => ({
  ...row.constants,
  ...Object.fromEntries(fieldsOf(row.params).map((field) => [parameterOf(row, field), fields[field]])),
})

/**
 * @throws Error for a schema whose fields are not known in advance, such as a union. Such a route needs `bodyAs` or a
 * handler
 */
function fieldsOf(schema: z.ZodType | undefined): string[] {
  if (!schema) return []
  if (schema instanceof z.ZodOptional) return fieldsOf(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  throw new Error('A body that becomes parameters must be an object schema')
}

/** Turns the result of a handler into an answer like that of an operation. */
const asAnswer = (result: unknown): Answer =>
  result instanceof Answer ? result : new Answer(JSON.stringify(result ?? null), null)

/** Sends the JSON text of an operation unparsed. A status that the operation chose overrides the row's. */
function reply(c: Context, status: number, result: unknown, { etag, secret }: Row, isRead: boolean): Response {
  if (result instanceof Response) return result
  const answer = asAnswer(result)
  const code = answer.status ?? status
  if (code === 204 || code === 304) return send(c, null, code)
  const body = answer.body ?? 'null'
  if (etag && !c.get('headers').etag) {
    const tag = tagOf(body)
    setHeader(c, 'ETag', tag)
    if (isStored(c, tag)) return send(c, null, 304)
  }
  return sendJson(c, isRead && !secret ? compressed(c, body) : body, code)
}
