// The input of a request: path, query and body, read up to the limit and validated by the schemas of the route.
// docs/decisions.md, Requests; Errors.
import { getPath } from 'hono/utils/url'
import { z } from 'zod'
import { keyOf } from './client.ts'
import type { Context } from './context.ts'
import { ApiError } from './errors.ts'
import { headerOf, setHeader } from './headers.ts'
import { codeOf, describeIssue } from './issues.ts'

/** The validated fields of path, query and body, and the whole body for a route that passes it on. */
export type Input = { fields: Record<string, unknown>; body: unknown }
type Schemas = {
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  form?: z.ZodObject
  /** Whether the route takes an Idempotency-Key. */
  idempotent?: true
  /** The row that reads what the route edits; present if the route takes If-Match. */
  original?: unknown
}

/** Makes the reader of a route; `path` is its full pattern. */
export function inputReader(
  path: string,
  { params, query, body, form, idempotent, original }: Schemas,
): (c: Context) => Promise<Input> {
  const places = placesOf(path)

  return async (c) => {
    checkKey(c, idempotent)
    if (!original && headerOf(c, 'if-match') !== undefined) throw new ApiError('match_not_taken')
    const { bodyLimit } = c.get('services').config
    const fromForm = form && FORM.test(typeOf(c)) ? await readForm(c, bodyLimit) : undefined
    const text = body && !fromForm ? await readJsonText(c, bodyLimit) : undefined
    const found: z.core.$ZodIssue[] = []
    const fields = {
      ...check(params, params && pathFields(c, places), found),
      ...check(query, query && c.req.query(), found),
    }
    const checked = fromForm ? check(form, fromForm, found) : body && checkBody(body, text, found)
    if (found.length > 0) throw invalid(found)
    return { fields: isRecord(checked) ? { ...fields, ...checked } : fields, body: checked }
  }
}

/** Makes a function that reads only the path parameters. It returns undefined if one of them is invalid. */
export function pathReader(path: string, params = z.object({})): (c: Context) => Record<string, unknown> | undefined {
  const places = placesOf(path)
  return (c) => params.safeParse(pathFields(c, places)).data
}

type Places = readonly (readonly [string, number])[]
/** The positions of the parameters in a pattern. */
const placesOf = (path: string): Places =>
  path.split('/').flatMap((part, i) => (part.startsWith(':') ? [[part.slice(1), i] as const] : []))

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function check(schema: z.ZodObject | undefined, value: unknown, found: z.core.$ZodIssue[]): Record<string, unknown> {
  if (!schema) return {}
  const result = schema.safeParse(value, { error: describeIssue })
  if (!result.success) found.push(...result.error.issues)
  return result.data ?? {}
}

/** Validates a body. An empty body counts as a body without fields, and is invalid if a body is required. */
function checkBody(schema: z.ZodType, text: string | undefined, found: z.core.$ZodIssue[]): unknown {
  const value = text?.trim() ? parseJson(text) : undefined
  if (value === undefined && schema.safeParse(undefined).success) return undefined
  const result = schema.safeParse(value === undefined ? {} : value, { error: describeIssue })
  if (!result.success) found.push(...result.error.issues)
  else if (value === undefined)
    found.push({ code: 'custom', path: [], message: 'A JSON body is required.', input: value })
  return result.data
}

/** How many invalid fields an answer lists. */
const NAMED = 100

/** Describes each invalid field: in a sentence without its value and, for programs, by its path and a code. */
function invalid(issues: z.core.$ZodIssue[]): ApiError {
  const named = issues.slice(0, NAMED).map((issue) => ({ path: issue.path.join('.'), code: codeOf(issue), issue }))
  const messages = named.map(({ path, issue: { message } }) => (path ? `${path}: ${message}` : message))
  const fields = named.filter(({ path }) => path).map(({ path, code }) => ({ path, code }))
  return new ApiError('validation_failed', messages, { fields })
}

function parseJson(text: string): unknown {
  const value = parsed(text)
  if (isTooDeep(value)) throw new ApiError('validation_failed', [`The body is nested more than ${LEVELS} levels deep.`])
  if (valuesLeft(value) < 0) throw new ApiError('validation_failed', [`The body has more than ${VALUES} values.`])
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError('malformed_json')
  }
}

// The maximum depth of a body: schemas and Postgres recurse into a value on a limited stack. No request needs a tenth
// of it.
const LEVELS = 32

/** Whether arrays and objects in a parsed body are nested too deeply. */
export const isTooDeep = (value: unknown, levels = LEVELS): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1)))

// The maximum number of values in a body. A schema validates each value before it counts them, so half a million
// invalid values would block the process for half a second. The longest valid list has 1000 interests, which are 4000
// values.
const VALUES = 5000

/** How many more items and fields a body may have; negative if it has too many. */
function valuesLeft(value: unknown, left = VALUES): number {
  if (typeof value !== 'object' || value === null) return left
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value)
  let rest = left - inner.length
  for (let i = 0; i < inner.length && rest >= 0; i++) rest = valuesLeft(inner[i], rest)
  return rest
}

/** Reads the parameters by position from the path as it was sent, because routing uses lower case (app.ts). */
function pathFields(c: Context, places: Places): Record<string, string> {
  const parts = getPath(c.req.raw).split('/')
  return Object.fromEntries(places.map(([name, i]) => [name, decode(parts[i] ?? '')]))
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Refuses a key that would be ignored, because its client would believe that a retry is safe. */
function checkKey(c: Context, isTaken = false): void {
  const key = keyOf(c)
  if (key === undefined) return
  if (!isTaken) throw new ApiError('key_not_taken')
  if (key !== '' && [...key].length <= 200) return
  throw new ApiError('validation_failed', ['Idempotency-Key: must have 1 to 200 characters'])
}

const typeOf = (c: Context): string => c.req.header('content-type') ?? ''
const JSON_BODY = /^application\/([\w.-]+\+)?json\s*(;|$)/i
const FORM = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i

/** @throws ApiError content_type_unsupported */
export function requireJson(c: Context): void {
  if (!JSON_BODY.test(typeOf(c))) throw new ApiError('content_type_unsupported')
}

/** The bytes of a body, as they arrive. @throws ApiError request_malformed if the client stops sending */
export async function* bodyOf(c: Context): AsyncGenerator<Uint8Array> {
  const reader = c.req.raw.body?.getReader()
  try {
    for (;;) {
      const { value } = (await reader?.read().catch(unreadable)) ?? {}
      if (!value) return
      yield value
    }
  } finally {
    reader?.releaseLock()
  }
}

/**
 * Reads the rest of a body that is refused, because many clients read an answer only when they have sent everything.
 * After `most` bytes the connection is closed.
 */
export async function discardBody(c: Context, most: number): Promise<void> {
  let size = 0
  try {
    for await (const chunk of bodyOf(c)) {
      size += chunk.length
      if (size > most) return setHeader(c, 'Connection', 'close')
    }
  } catch {
    setHeader(c, 'Connection', 'close')
  }
}

/** @throws ApiError body_too_large, content_type_unsupported, request_malformed */
export async function readJsonText(c: Context, limit: number): Promise<string> {
  const text = await readText(c, limit)
  if (text !== '' && !JSON_BODY.test(typeOf(c))) throw new ApiError('content_type_unsupported')
  return text
}

/** The maximum bytes of a form: parsing is quadratic in the number of fields, and real forms are short. */
const FORM_LIMIT = 4096

/** The fields of a form; of a repeated field the last value. @throws ApiError body_too_large, request_malformed */
async function readForm(c: Context, limit: number): Promise<Record<string, unknown>> {
  const text = await readText(c, Math.min(limit, FORM_LIMIT))
  const form = await new Response(text, { headers: { 'content-type': typeOf(c) } }).formData().catch(unreadable)
  return Object.fromEntries(form)
}

async function readText(c: Context, limit: number): Promise<string> {
  const length = c.req.header('content-length')
  if (Number(length ?? 0) > limit) throw new ApiError('body_too_large')
  return length === undefined ? readStream(c, limit) : c.req.text().catch(unreadable)
}

const unreadable = (): never => {
  throw new ApiError('request_malformed')
}

/** Counts the bytes of a body without Content-Length while reading it. */
async function readStream(c: Context, limit: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of bodyOf(c)) {
    size += chunk.length
    if (size > limit) {
      setHeader(c, 'Connection', 'close') // The rest of the body is still arriving, so the connection cannot be reused.
      throw new ApiError('body_too_large')
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
