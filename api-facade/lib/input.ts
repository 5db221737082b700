// What a request brings: path, query and body, read within the limit and checked by the row's schemas.
// docs/decisions.md, Requests; Errors.
import { getPath } from 'hono/utils/url'
import { z } from 'zod'
import { keyOf } from './client.ts'
import type { Context } from './context.ts'
import { ApiError } from './errors.ts'
import { setHeader } from './headers.ts'
import { describeIssue } from './issues.ts'

/** The checked fields of all three together, and the body by itself for a route that passes it on whole. */
export type Input = { fields: Record<string, unknown>; body: unknown }
type Schemas = { params?: z.ZodObject; query?: z.ZodObject; body?: z.ZodType; form?: z.ZodObject }

/** Makes the reader of a route; `path` is its full pattern. */
export function inputReader(path: string, { params, query, body, form }: Schemas): (c: Context) => Promise<Input> {
  const places = placesOf(path)

  return async (c) => {
    checkKey(c)
    const { bodyLimit } = c.get('services').config
    const fromForm = form && FORM.test(typeOf(c)) ? await readForm(c, bodyLimit) : undefined
    const text = body && !fromForm ? await readJsonText(c, bodyLimit) : undefined
    const found: string[] = []
    const fields = {
      ...check(params, params && pathFields(c, places), found),
      ...check(query, query && c.req.query(), found),
    }
    const checked = fromForm ? check(form, fromForm, found) : body && checkBody(body, text, found)
    if (found.length > 0) throw new ApiError('validation_failed', found)
    return { fields: isRecord(checked) ? { ...fields, ...checked } : fields, body: checked }
  }
}

/** Makes the reader of a path's parameters alone: undefined where one of them is not as it must be. */
export function pathReader(path: string, params = z.object({})): (c: Context) => Record<string, unknown> | undefined {
  const places = placesOf(path)
  return (c) => params.safeParse(pathFields(c, places)).data
}

type Places = readonly (readonly [string, number])[]
/** Where the parameters of a pattern stand. */
const placesOf = (path: string): Places =>
  path.split('/').flatMap((part, i) => (part.startsWith(':') ? [[part.slice(1), i] as const] : []))

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function check(schema: z.ZodObject | undefined, value: unknown, found: string[]): Record<string, unknown> {
  if (!schema) return {}
  const result = schema.safeParse(value, { error: describeIssue })
  if (!result.success) found.push(...messagesOf(result.error))
  return result.data ?? {}
}

/** An empty body is a body without fields, and never enough where one is required. */
function checkBody(schema: z.ZodType, text: string | undefined, found: string[]): unknown {
  const value = text?.trim() ? parseJson(text) : undefined
  if (value === undefined && schema.safeParse(undefined).success) return undefined
  const result = schema.safeParse(value === undefined ? {} : value, { error: describeIssue })
  if (!result.success) found.push(...messagesOf(result.error))
  else if (value === undefined) found.push('A JSON body is required.')
  return result.data
}

/** How many wrong fields an answer names. */
const NAMED = 100

/** One sentence a field that is wrong; never the value. */
const messagesOf = (error: z.ZodError): string[] =>
  error.issues.slice(0, NAMED).map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))

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

// The schemas and Postgres walk a value level by level on a stack that ends somewhere. No request needs a tenth of this.
const LEVELS = 32

/** Whether a value that JSON gave has more arrays and objects within each other than a body may have. */
export const isTooDeep = (value: unknown, levels = LEVELS): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1)))

// A schema looks at each value before it counts them: half a million wrong ones would hold up everybody for half a second.
// The longest list that a body may have is one of 1000 interests, which are 4000 values.
const VALUES = 5000

/** How many more items and fields a body could have; below zero where it has too many. */
function valuesLeft(value: unknown, left = VALUES): number {
  if (typeof value !== 'object' || value === null) return left
  const inner: unknown[] = Array.isArray(value) ? value : Object.values(value)
  let rest = left - inner.length
  for (let i = 0; i < inner.length && rest >= 0; i++) rest = valuesLeft(inner[i], rest)
  return rest
}

/** By position, out of the path as it was sent, in the client's own letter case: routing sees it in lower case (app.ts). */
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

function checkKey(c: Context): void {
  const key = keyOf(c)
  if (key === undefined || (key !== '' && [...key].length <= 200)) return
  throw new ApiError('validation_failed', ['Idempotency-Key: must have 1 to 200 characters'])
}

const typeOf = (c: Context): string => c.req.header('content-type') ?? ''
const JSON_BODY = /^application\/([\w.-]+\+)?json\s*(;|$)/i
const FORM = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i

/** @throws ApiError body_too_large, content_type_unsupported, request_malformed */
export async function readJsonText(c: Context, limit: number): Promise<string> {
  const text = await readText(c, limit)
  if (text !== '' && !JSON_BODY.test(typeOf(c))) throw new ApiError('content_type_unsupported')
  return text
}

/** Bytes of a form: the time to read one grows with the square of its fields, and those that we know are short. */
const FORM_LIMIT = 4096

/** The fields of a form, of those that come twice the last. @throws ApiError body_too_large, request_malformed */
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

/** A body that does not say its length is counted as it comes. */
async function readStream(c: Context, limit: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = c.req.raw.body?.getReader()
  for (;;) {
    const { value } = (await reader?.read().catch(unreadable)) ?? {}
    if (!value) return Buffer.concat(chunks).toString()
    size += value.length
    if (size > limit) {
      setHeader(c, 'Connection', 'close') // half of the body is still on its way: no next request behind it
      throw new ApiError('body_too_large')
    }
    chunks.push(value)
  }
}
