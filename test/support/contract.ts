// Compares answers with an OpenAPI document: the body of a success, the code of an error. The facade forwards the JSON
// that SQL produced, so this check is what finds a shape that differs from its documented schema.
import { z } from 'zod'
import { codesOf, resolved } from './openapi.ts'

export type Schema = { [key: string]: unknown }
type Header = { required?: boolean; 'x-every-answer'?: boolean }
type Response = {
  $ref?: string
  description?: string
  headers?: Record<string, Header & { $ref?: string }>
  content?: Record<string, { schema?: Schema }>
}
export type Operation = { responses: Record<string, Response>; 'x-csv'?: string }

/** The parts of an OpenAPI 3.1 document that are read. */
type Contract = {
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Schema; responses?: Record<string, Response>; headers?: Record<string, Header> }
}

export type Exchange = {
  method: string
  path: string
  status: number
  body: unknown
  code?: string | null
  headers?: Headers
}

/** Makes references local, and closes every object that does not mention further keys. All keys must be documented. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed)
  if (typeof node !== 'object' || node === null) return node
  const copy: Schema = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]))
  if (typeof copy.$ref === 'string') copy.$ref = copy.$ref.replace('#/components/schemas/', '#/$defs/')
  if (copy.type === 'object' && copy.properties && !('additionalProperties' in copy)) copy.additionalProperties = false
  return copy
}

/** The definitions that a schema refers to, directly or indirectly: converting all others each time would be slow. */
function reachable(schema: unknown, definitions: Schema, found: Schema = {}): Schema {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
    if (name in found) continue
    found[name] = definitions[name]
    reachable(definitions[name], definitions, found)
  }
  return found
}

const segmentsOf = (path: string) => path.replace(/\?.*$/, '').replace(/\/$/, '').toLowerCase().split('/')
const isParameter = (part: string) => /^\{.*\}$/.test(part)

/** Finds the documented path of a request: same number of segments, equal static segments, fewest parameters. */
export function finderOf(paths: string[]): (path: string) => string | undefined {
  const templates = paths
    .map((template) => ({ template, parts: segmentsOf(template) }))
    .map(({ template, parts }) => ({ template, parts, parameters: parts.filter(isParameter).length }))
    .sort((one, other) => one.parameters - other.parameters)
  return (path) => {
    const segments = segmentsOf(path)
    const fits = (parts: string[]) =>
      parts.length === segments.length && parts.every((part, at) => part === segments[at] || isParameter(part))
    return templates.find(({ parts }) => fits(parts))?.template
  }
}

/**
 * Makes a check from a document. It returns what the document does not allow about an exchange, or undefined.
 * `path` is complete, with its query. Paths outside /api/v1 need no entry.
 */
export function checkAgainst(document: Contract): (exchange: Exchange) => string | undefined {
  const contract = resolved(document)
  const definitions = closed(contract.components?.schemas ?? {}) as Schema
  const templateOf = finderOf(Object.keys(contract.paths))
  const compiled = new Map<Schema, z.ZodType>()

  const typeOf = (schema: Schema) => {
    const known = compiled.get(schema)
    if (known) return known
    const own = closed(schema) as Schema
    const whole = { ...own, $defs: reachable(own, definitions) }
    const made = z.fromJSONSchema(whole as Parameters<typeof z.fromJSONSchema>[0])
    compiled.set(schema, made)
    return made
  }

  /** Codes that no route lists: unknown paths and methods, malformed requests, and our own faults. */
  const unlisted = [
    'route_unknown',
    'method_not_allowed',
    'request_malformed',
    'duplicate',
    'not_permitted',
    'value_invalid',
  ]

  /**
   * The documented answer of this status. If it is an error that only `default` names, it has the codes beside the status
   * there, and the headers that the shared answer of the status promises, if there is one.
   */
  function answerOf({ responses }: Operation, status: number): Response | undefined {
    const { description = '', headers } = responses.default ?? {}
    const [named] = new RegExp(`(?<!\\d)${status}(,? \`\\w+\`)+`).exec(description) ?? []
    const shared = contract.components?.responses?.[status]
    return responses[status] ?? (named ? { description: named, headers: shared?.headers ?? headers ?? {} } : undefined)
  }

  function checkCode(operation: Operation | undefined, status: number, code: string): string | undefined {
    if (!operation || unlisted.includes(code)) return undefined
    const codes = codesOf(answerOf(operation, status) ?? {})
    return codes.includes(code) ? undefined : `openapi.json does not have ${code} here`
  }

  /** A documented header that the answer lacks, or an undocumented one that it has. */
  function checkHeaders(operation: Operation | undefined, status: number, given: Headers): string | undefined {
    const response = operation && answerOf(operation, status)
    if (!response) return undefined
    const all = contract.components?.headers ?? {}
    const always = Object.entries(all).filter(([, header]) => header['x-every-answer'])
    const said: NonNullable<Response['headers']> = { ...Object.fromEntries(always), ...response.headers }
    const missing = Object.entries(said).find(
      ([name, header]) => (header.$ref ? all[name] : header)?.required && !given.has(name),
    )
    if (missing) return `no ${missing[0]}, which openapi.json promises`
    const further = Object.keys(all).find((name) => given.has(name) && !said[name])
    return further && `openapi.json does not have the header ${further} here`
  }

  return ({ method, path, status, body, code, headers }) => {
    const template = templateOf(path)
    const operation = template ? contract.paths[template]?.[method.toLowerCase()] : undefined
    const odd = headers && checkHeaders(operation, status, headers)
    if (odd) return odd
    if (code) return checkCode(operation, status, code)
    if (!operation) return path.startsWith('/api/v1/') ? 'openapi.json does not have this operation' : undefined
    const response = operation.responses[status]
    if (!response) return 'openapi.json does not have this status here'
    const [type = ''] = headers?.get('content-type')?.split(';') ?? []
    if (type === 'text/csv') return operation['x-csv'] ? undefined : 'CSV where openapi.json has none'
    const schema = (response.content?.[type] ?? response.content?.['application/json'])?.schema
    if (!schema) return body === null ? undefined : 'a body where openapi.json has none'
    const verdict = typeOf(schema).safeParse(body)
    return verdict.success ? undefined : `not as openapi.json says: ${z.prettifyError(verdict.error)}`
  }
}
