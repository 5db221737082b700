// The routes of a function: only the service can call them, and each accepts one schema.
import { type Context, Hono } from 'hono'
import { verify } from 'hono/jwt'
import type { z } from 'zod'

const texts = {
  401: ['Unauthorized', 'Only the service can call this.'],
  422: ['Unprocessable Entity', 'The request is not valid.'],
  503: ['Service Unavailable', 'This is not available at the moment. Try again later.'],
} as const

/** Answers a valid POST. An exception becomes a 503 without its message, which may contain personal data. */
type Work<T> = (c: Context, given: T) => Promise<Response>

type Doors = {
  /** The function as a fetch handler. */
  app: Hono
  /** Adds a route at a path below the function's name. */
  door<T>(path: string, form: z.ZodType<T>, work: Work<T>): void
}

/** @param jwtSecrets the secrets that may have signed the caller's token, HS256 */
export function openDoors(name: string, jwtSecrets: readonly string[]): Doors {
  const app = new Hono().basePath(`/${name}`)
  return {
    app,
    door(path, form, work) {
      app.post(path, async (c) => {
        const refuse = (status: keyof typeof texts, failure?: string) => {
          const [error, message] = texts[status]
          return c.json({ statusCode: status, error, message: [message], ...(failure && { failure }) }, status)
        }
        if (!(await isService(c.req.header('authorization'), jwtSecrets))) return refuse(401)
        const given = form.safeParse(await c.req.json().catch(() => undefined))
        return given.success ? work(c, given.data).catch((error) => refuse(503, codesOf(error))) : refuse(422)
      })
    },
  }
}

/** The kind of failure, such as `Error EAUTH 535`, for the log, so that the operator sees a wrong password. */
function codesOf(error: unknown): string {
  const { name, code, responseCode, cause } = Object(error)
  const codes = [name, code, responseCode, Object(cause).code]
  return codes.filter((one) => /^[\w ]{1,40}$/.test(String(one ?? ''))).join(' ')
}

/** The anon key is also a valid token, and public, so the role must be that of the service. */
async function isService(authorization: string | undefined, secrets: readonly string[]): Promise<boolean> {
  const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  if (!token) return false
  for (const secret of secrets) {
    const claims = await verify(token, secret, 'HS256').catch(() => undefined)
    if (claims) return claims.role === 'service_role'
  }
  return false
}
