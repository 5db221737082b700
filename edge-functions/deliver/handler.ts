// What leaves for people: mail. It is handed one message and passes it on; what is said, to whom and when, others know.
// POST /deliver/mail {id, to, subject, text} → 204; 401 for anyone but the service, 422, 503 where the mail was not taken.
import { Hono } from 'hono'
import { verify } from 'hono/jwt'
import { z } from 'zod'

const Mail = z.object({
  /** Of the message: one that is sent twice is shown once. */
  id: z.string().regex(/^[\w.-]{1,100}$/),
  // also of a host without a dot, as admin@localhost is
  to: z.email({ pattern: z.regexes.html5Email }).max(254),
  subject: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^\r\n]*$/),
  text: z.string().min(1).max(100_000),
})
export type Mail = z.infer<typeof Mail>

export type DeliverEnvironment = {
  /** What may have signed the caller's token, HS256. */
  jwtSecrets: readonly string[]
  /** Hands a mail on. Throws when it was not taken. */
  sendMail(mail: Mail): Promise<void>
}

const texts = {
  401: ['Unauthorized', 'This is for the service alone.'],
  422: ['Unprocessable Entity', 'The message does not have the right form.'],
  503: ['Service Unavailable', 'The mail was not taken. Try again later.'],
} as const

export function createDeliver({ jwtSecrets, sendMail }: DeliverEnvironment): Hono {
  const app = new Hono().basePath('/deliver')

  app.post('/mail', async (c) => {
    const refuse = (status: keyof typeof texts) => {
      const [error, message] = texts[status]
      return c.json({ statusCode: status, error, message: [message] }, status)
    }
    if (!(await isService(c.req.header('authorization'), jwtSecrets))) return refuse(401)
    const mail = Mail.safeParse(await c.req.json().catch(() => undefined))
    if (!mail.success) return refuse(422)
    const sent = await sendMail(mail.data).then(
      () => true,
      () => false,
    )
    return sent ? c.body(null, 204) : refuse(503)
  })
  return app
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
