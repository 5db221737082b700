// Headers of requests and answers: the headers that every answer has, and CORS.
import { randomUUID } from 'node:crypto'
import type { Context } from './context.ts'

/** The possible bodies of an answer. */
type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null

// Answers are JSON for programs: browsers must not frame, sniff or run them, and proxies must not cache them. /docs has
// its own policy.
const security = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-site',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Starts the headers of an answer. They are a plain object, because Hono's headers cost twice as much. */
export function beginHeaders(c: Context, id: string): void {
  c.set('headers', { ...security, 'x-request-id': id })
}

/**
 * A request header as Node has read it, because Hono validates name and value at each access. Do not use it for headers
 * that Hono joins if there are several while Node keeps only the first, such as authorization.
 */
export function headerOf(c: Context, name: RequestHeader): string | undefined {
  const incoming = c.env?.incoming
  return incoming ? (incoming.headers[name] as string | undefined) : c.req.header(name)
}
type RequestHeader =
  | 'accept-encoding'
  | 'idempotency-key'
  | 'if-match'
  | 'if-none-match'
  | 'origin'
  | 'traceparent'
  | 'x-forwarded-for'
  | 'x-read-from'
  | 'x-read-position'
  | 'x-request-id'

/** Sets a header of the answer, replacing one of the same name. */
export function setHeader(c: Context, name: string, value: string): void {
  c.get('headers')[name.toLowerCase()] = value
}

/** Adds the name of a request header on which the answer depends. */
export function addVary(c: Context, name: string): void {
  const { vary } = c.get('headers')
  setHeader(c, 'Vary', vary ? `${vary}, ${name}` : name)
}

/** Makes an answer. Use nothing else: answers that Hono makes itself lack these headers. */
export function send(c: Context, body: Body, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  for (const name in headers) setHeader(c, name, headers[name] ?? '')
  return new Response(body, { status, headers: c.get('headers') })
}

/** Like `send`, for JSON without further headers: as text, or as bytes if it is compressed. */
export function sendJson(c: Context, body: string | Uint8Array<ArrayBuffer>, status: number): Response {
  const headers = c.get('headers')
  headers['content-type'] = 'application/json'
  return new Response(body, { status, headers })
}

/** The client's request id if it has a valid form, otherwise a new one. It is logged unchanged. */
export function requestId(c: Context): string {
  const given = headerOf(c, 'x-request-id')
  return given && /^[\w.-]{8,128}$/.test(given) ? given : randomUUID()
}

const exposed = [
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-Error-Code',
  'X-Read-Position',
  'X-Request-Id',
].join(', ')

const allowed =
  'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Traceparent, X-Read-Position, X-Request-Id'

/**
 * CORS for the configured origins.
 * @returns whether this request is a preflight, for which these headers are the answer
 */
export function cors(c: Context, origins: readonly string[]): boolean {
  const origin = headerOf(c, 'origin')
  if (origins.length === 0 || !origin) return false
  addVary(c, 'Origin')
  if (!origins.includes(origin) && !origins.includes('*')) return false
  setHeader(c, 'Access-Control-Allow-Origin', origin)
  setHeader(c, 'Access-Control-Expose-Headers', exposed)
  // No credentials are allowed: the token is sent in Authorization, never in a cookie.
  if (c.req.method !== 'OPTIONS' || !c.req.header('access-control-request-method')) return false
  setHeader(c, 'Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE')
  setHeader(c, 'Access-Control-Allow-Headers', allowed)
  setHeader(c, 'Access-Control-Max-Age', '600')
  return true
}
