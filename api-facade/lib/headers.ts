// The headers of a request, and an answer with its own: those that every one carries, and who may read it from a browser.
import { randomUUID } from 'node:crypto'
import type { Context } from './context.ts'

/** What an answer may be made of. */
type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null

// JSON for programs: never to be framed, sniffed, cached by anyone between, or run as a page. /docs has its own policy.
const security = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-site',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Begins the headers of an answer. They are a plain object all the way: made by way of Hono's they cost twice as much. */
export function beginHeaders(c: Context, id: string): void {
  c.set('headers', { ...security, 'x-request-id': id })
}

/**
 * A header of the request as Node has read it: Hono's way to it tests the name and the value at each look. Not for those
 * of which Node keeps the first of several where Hono joins them, such as authorization.
 */
export function headerOf(c: Context, name: RequestHeader): string | undefined {
  const incoming = c.env?.incoming
  return incoming ? (incoming.headers[name] as string | undefined) : c.req.header(name)
}
type RequestHeader = 'idempotency-key' | 'if-none-match' | 'origin' | 'x-forwarded-for' | 'x-request-id'

/** Puts a header on the answer, in place of another of that name. */
export function setHeader(c: Context, name: string, value: string): void {
  c.get('headers')[name.toLowerCase()] = value
}

/** The one way to answer: what Hono itself answers has none of these headers. */
export function send(c: Context, body: Body, status: number, headers: Readonly<Record<string, string>> = {}): Response {
  for (const name in headers) setHeader(c, name, headers[name] ?? '')
  return new Response(body, { status, headers: c.get('headers') })
}

/** The same for JSON text, with no other headers than there are. */
export function sendJson(c: Context, text: string, status: number): Response {
  const headers = c.get('headers')
  headers['content-type'] = 'application/json'
  return new Response(text, { status, headers })
}

/** The client's request id when it looks like one, else a new one: it goes to the log as it is. */
export function requestId(c: Context): string {
  const given = headerOf(c, 'x-request-id')
  return given && /^[\w.-]{8,128}$/.test(given) ? given : randomUUID()
}

const exposed = [
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-Error-Code',
  'X-Request-Id',
].join(', ')

const allowed = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id'

/** CORS for the configured origins. @returns whether this request is a preflight and thereby answered */
export function cors(c: Context, origins: readonly string[]): boolean {
  const origin = headerOf(c, 'origin')
  if (origins.length === 0 || !origin) return false
  setHeader(c, 'Vary', 'Origin')
  if (!origins.includes(origin) && !origins.includes('*')) return false
  setHeader(c, 'Access-Control-Allow-Origin', origin)
  setHeader(c, 'Access-Control-Expose-Headers', exposed)
  // no credentials: the token travels in Authorization, never in a cookie
  if (c.req.method !== 'OPTIONS' || !c.req.header('access-control-request-method')) return false
  setHeader(c, 'Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE')
  setHeader(c, 'Access-Control-Allow-Headers', allowed)
  setHeader(c, 'Access-Control-Max-Age', '600')
  return true
}
