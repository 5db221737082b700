// Headers that every answer carries, and who may read it from a browser.
import { randomUUID } from 'node:crypto'
import type { Context } from './context.ts'

// JSON for programs: never to be framed, sniffed, cached by anyone between, or run as a page. /docs has its own policy.
const security = Object.entries({
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-site',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
})

export function securityHeaders(c: Context): void {
  for (const [name, value] of security) c.header(name, value)
}

/** The client's request id when it looks like one, else a new one: it goes to the log as it is. */
export function requestId(c: Context): string {
  const given = c.req.header('x-request-id')
  return given && /^[\w.-]{8,128}$/.test(given) ? given : randomUUID()
}

const exposed = [
  'ETag',
  'Idempotency-Replayed',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'X-Error-Code',
  'X-Request-Id',
].join(', ')

/** CORS for the configured origins. @returns whether this request is a preflight and thereby answered */
export function cors(c: Context, origins: readonly string[]): boolean {
  const origin = c.req.header('origin')
  if (origins.length === 0 || !origin) return false
  c.header('Vary', 'Origin')
  if (!origins.includes(origin) && !origins.includes('*')) return false
  c.header('Access-Control-Allow-Origin', origin)
  c.header('Access-Control-Expose-Headers', exposed)
  // no credentials: the token travels in Authorization, never in a cookie
  if (c.req.method !== 'OPTIONS' || !c.req.header('access-control-request-method')) return false
  c.header('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE')
  c.header('Access-Control-Allow-Headers', 'Authorization, Content-Type, Idempotency-Key, If-None-Match, X-Request-Id')
  c.header('Access-Control-Max-Age', '600')
  return true
}
