// The doors of a function: they let the service in and nobody else, and take one form each.
import { type Context, Hono } from 'hono'
import { verify } from 'hono/jwt'
import type { z } from 'zod'

const texts = {
  401: ['Unauthorized', 'This is for the service alone.'],
  422: ['Unprocessable Entity', 'What was sent does not have the right form.'],
  503: ['Service Unavailable', 'It was not taken. Try again later.'],
} as const

/** Answers a POST with what has passed. What it throws is told as 503, and of it no words, which may name people. */
type Work<T> = (c: Context, given: T) => Promise<Response>

export type Doors = {
  /** The function, for whatever serves it. */
  app: Hono
  /** Opens a door at a path below the function's name. */
  door<T>(path: string, form: z.ZodType<T>, work: Work<T>): void
}

/** @param jwtSecrets what may have signed the caller's token, HS256 */
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

/** What sort of failure it was, such as `Error EAUTH 535`, for the log of the service: a wrong password is an operator's. */
function codesOf(error: unknown): string {
  const { name, code, responseCode, cause } = Object(error)
  const codes = [name, code, responseCode, Object(cause).code]
  return codes.filter((one) => /^[\w ]{1,40}$/.test(String(one ?? ''))).join(' ')
}

/** The anon key is a good token too, and everyone's: the role has to be the service's. */
async function isService(authorization: string | undefined, secrets: readonly string[]): Promise<boolean> {
  const [, token] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  if (!token) return false
  for (const secret of secrets) {
    const claims = await verify(token, secret, 'HS256').catch(() => undefined)
    if (claims) return claims.role === 'service_role'
  }
  return false
}
