// Route tables: what a row says, and what becomes of it: guard, limits, validation, one call, the answer.
// ARCHITECTURE.md, The path of a request. openapi.ts reads the same rows.
import type { Hono } from 'hono'
import { z } from 'zod'
import type { errors } from '../generated/errors.ts'
import {
  Answer,
  call,
  checkCaller,
  checkGate,
  type Gate,
  type Operation,
  type Parameter,
  type Parameters,
  parameterNames,
} from './call.ts'
import type { LimitName } from './config.ts'
import type { Context, Env } from './context.ts'
import { asksForCsv, sendCsv } from './csv.ts'
import type { PoolName } from './database.ts'
import { ApiError, toApiError } from './errors.ts'
import { send, sendJson, setHeader } from './headers.ts'
import { type Input, inputReader, pathReader } from './input.ts'
import { PageQuery } from './schemas.ts'
import type { Claims } from './tokens.ts'

export const API = '/api/v1'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** Method and path below /api/v1, as in `POST /users/:id/follow`. */
export type Spelling = `${Method} /${string}`
export type Access = 'public' | 'user' | 'moderator' | 'admin'
type Answers = { 200: z.ZodType } | { 201: z.ZodType } | { 202: z.ZodType } | { 204: null }

/** What an alias may have of its own. */
type Shape<O extends Operation> = {
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /** What is taken instead of the JSON body: a form, urlencoded or multipart, of programs that send nothing else. */
  form?: z.ZodObject
  /** A body for the documentation, where the one made of the schema would be refused. */
  example?: unknown
  /** Field → parameter where it is not the field's name in snake case after `p_`. */
  as?: Record<string, Parameter<O>>
  /** The parameter (jsonb) that takes the whole body, for PATCH: absent and null differ. */
  bodyAs?: Parameter<O>
  /** The one success; 204 has no body. */
  answers: Answers
  /** Of a create, in words: when the operation answers 200 instead, with what is there already. */
  exists?: string
  /** Other than application/json: the type that the handler answers. */
  contentType?: string
  /** What the handler may answer as server-sent events instead, in words. */
  streams?: string
  /** For the unusual route: gets all fields together; gives a Response, an Answer of `call`, or what becomes JSON. */
  handler?(c: Context, input: never): Promise<unknown>
  /** What a success leaves behind, with all fields together. Nobody waits for it, and it never fails. */
  after?(c: Context, input: never): void
}

export type Row<O extends Operation = Operation> = Shape<O> & {
  access: Access
  /** By default anon for public, user for user, and service for the staff's routes. */
  pool?: PoolName
  /** Who does not pass it is told so even when the input is wrong. Its codes are among those of the operation. */
  gate?: Gate
  /** A limit of its own beside the global one, shared by all spellings. */
  limit?: LimitName
  /** Whom a public route's limit counts, where a good body tells; otherwise the address, as without it. */
  limitBy?(c: Context, fields: never): string | undefined
  /** Those beside it that its handler counts: said in the documentation. */
  limits?: readonly LimitName[]
  also?: readonly (Spelling | ({ route: Spelling } & Partial<Shape<O>>))[]
  /** Only a route with a handler may go without. */
  operation?: O
  /** Parameters that this route sets itself. A request cannot change them. */
  constants?: { readonly [P in Parameter<O>]?: string | number | boolean }
  /** Its operationId in the API's description, where several routes share the operation. */
  id?: string
  /** limit and cursor → p_limit, p_cursor */
  page?: true
  /** Takes Idempotency-Key: said in the documentation, kept by the operation, and safe to repeat by it. */
  idempotent?: true
  /** Answers an ETag, and 304 to who has it: said in the documentation, decided by the operation. */
  etag?: true
  /** Of a route with a handler: the operations that it calls. */
  calls?: readonly Operation[]
  /** Codes that a handler answers of its own accord, beside those of its operations. */
  fails?: readonly (keyof typeof errors)[]
  /** Codes of its operations that this route's own checks refuse beforehand. */
  never?: readonly (keyof typeof errors)[]
  summary: string
  description?: string
}

export type Table = { feature: string; rows: Readonly<Record<string, Row>> }

/** The table of a feature, each row checked against the parameters of its operation. */
export const routes = <T extends Record<string, Operation>>(
  feature: string,
  rows: { [S in keyof T]: Row<T[S]> },
): Table => ({ feature, rows })

/** One spelling of a route; `canonical` is the row's own. `path` is below /api/v1. */
export type Route = { feature: string; canonical: string; method: string; path: string; alias: boolean; row: Row }

/** Every spelling of every table, in their order. */
export function spellings(tables: readonly Table[]): Route[] {
  return tables.flatMap(({ feature, rows }) =>
    Object.entries(rows).flatMap(([canonical, row]) => {
      const whole = row.page ? { ...row, query: PageQuery.extend(row.query?.shape ?? {}) } : row
      const own = routeOf(feature, canonical, canonical, whole)
      const others = (row.also ?? []).map((other) => {
        const { route, ...shape } = typeof other === 'string' ? { route: other } : other
        return routeOf(feature, canonical, route, { ...whole, ...shape })
      })
      return [own, ...others]
    }),
  )
}

function routeOf(feature: string, canonical: string, spelling: string, row: Row): Route {
  const [, method, path] = /^([A-Z]+) (\/.*)$/.exec(spelling) ?? []
  if (!method || !path) throw new Error(`${spelling} is not a method and a path`)
  return { feature, canonical, method, path, alias: spelling !== canonical, row }
}

/** Puts every spelling on the application, and 405 with Allow behind each path for the methods that it does not take. */
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

/** A static part comes before a parameter at the same place, whichever feature is mounted first. */
function staticFirst(a: string, b: string): number {
  const [left, right] = [a.split('/'), b.split('/')]
  const i = left.findIndex((part, at) => part.startsWith(':') !== right[at]?.startsWith(':'))
  return i < 0 ? 0 : Number(left[i]?.startsWith(':')) - Number(right[i]?.startsWith(':') ?? false)
}

/** Answers the methods that a known path does not take. HEAD runs as GET before it comes here. */
export function otherMethods(taken: readonly string[]): (c: Context) => Response {
  const allow = [...taken, ...(taken.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  return (c) => {
    setHeader(c, 'Allow', allow)
    if (c.req.method !== 'OPTIONS') throw new ApiError('method_not_allowed')
    return send(c, null, 204)
  }
}

/** Whether a route answers CSV too: the lists of staff do. */
export const hasCsv = ({ page, access }: Row): boolean =>
  page === true && (access === 'moderator' || access === 'admin')

const ranks = { public: 0, user: 1, moderator: 2, admin: 3 } as const
const poolOf = { public: 'anon', user: 'user', moderator: 'service', admin: 'service' } as const

/** The way of a request through a row: 429, then 401, then 403, then the gate, then what is wrong with the input. */
function answerer({ method, path, row }: Route): (c: Context) => Promise<Response> {
  const read = inputReader(API + path, row)
  const run = row.handler ? handle(row.handler) : callOf(`${method} ${path}`, row)
  const status = Number(Object.keys(row.answers)[0])
  const passGate = gateOf(API + path, row)

  return async (c) => {
    c.set('route', `${method} ${path}`)
    c.set('pattern', API + path)
    c.set('pool', row.pool ?? poolOf[row.access])
    c.set('idempotent', row.idempotent === true)
    c.set('claims', null)
    await admit(c, row)
    // A dead token is 401 whatever else is wrong: what does not reach the operation asks at the door. A handler's
    // first step may be another than a call.
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
    // a HEAD runs as GET, and is not somebody who reads
    if (row.after && c.req.method === method) row.after(c, input.fields as never)
    return reply(c, status, result)
  }
}

/** What says of a request that its input is wrong: only who passes the gate hears it. */
const aboutInput = new Set([400, 413, 415, 422])

/** Makes what throws an error, or that of the row's gate where it comes first. */
function gateOf(path: string, { gate, params }: Row): (c: Context, apiError: unknown) => Promise<never> {
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
  // a token proves little at a public door, and each would bring tries of its own
  const holder = open ? null : await holderOf(c)
  const claims = holder instanceof ApiError ? null : holder
  if (claims) c.set('caller', claims.sub)
  if (!row.limitBy) await count(c, row, claims?.sub)
  if (open) return // runs as nobody: a token that came along, even a dead one, changes nothing
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
    // the handler names the type that its own row's schemas give
    handler(c, fields as never)

/** The call of a row without a handler. @throws Error at start where a field has no parameter */
function callOf(spelling: string, { operation, constants = {}, params, query, body, as = {}, bodyAs, page }: Row) {
  if (!operation) throw new Error(`${spelling} has neither an operation nor a handler`)
  const known = parameterNames(operation)
  const nameOf = (field: string): string => as[field] ?? `p_${field.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)}`
  const fields = [params, query, bodyAs ? undefined : body].flatMap((schema) => fieldsOf(schema))
  const names = new Map(fields.map((field) => [field, nameOf(field)]))
  const all = [...names.values(), ...Object.keys(constants), ...(bodyAs ? [bodyAs] : [])]
  const missing = all.filter((name) => !known.includes(name))
  if (missing.length > 0) throw new Error(`${spelling}: ${operation} has no ${missing.join(', ')}`)
  if (new Set(all).size < all.length) throw new Error(`${spelling}: two values for one parameter`)
  if (page && !known.includes('p_cursor')) throw new Error(`${spelling}: ${operation} has no p_cursor`)

  return (c: Context, input: Input): Promise<unknown> => {
    const parameters: Record<string, unknown> = { ...constants, ...(bodyAs && { [bodyAs]: input.body ?? {} }) }
    for (const [field, name] of names) parameters[name] = input.fields[field]
    return call(c, operation, parameters as Parameters<Operation>)
  }
}

/** @throws Error for a schema whose fields cannot be known beforehand, such as a union: that needs `bodyAs` or a handler */
function fieldsOf(schema: z.ZodType | undefined): string[] {
  if (!schema) return []
  if (schema instanceof z.ZodOptional) return fieldsOf(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  throw new Error('A body that becomes parameters must be an object schema')
}

/** What a handler has made itself goes out as an operation's answer does. */
const asAnswer = (result: unknown): Answer =>
  result instanceof Answer ? result : new Answer(JSON.stringify(result ?? null), null)

/** JSON text of an operation goes out as it came; a status that the operation chose comes before the row's. */
function reply(c: Context, status: number, result: unknown): Response {
  if (result instanceof Response) return result
  const answer = asAnswer(result)
  const code = answer.status ?? status
  if (code === 204 || code === 304) return send(c, null, code)
  return sendJson(c, answer.body ?? 'null', code)
}
