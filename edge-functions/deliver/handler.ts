// What leaves for people: mail and pushes. It is handed messages and passes them on; what is said, to whom and when,
// others know. 401 for anyone but the service, 422, 503 where what is outside did not take it.
// POST /deliver/mail {id, to, subject, text} → 204
// POST /deliver/push {messages: up to 500} → 200 {results: [{outcome, receipt?}]}, in order
// POST /deliver/receipts {ids: up to 300} → 200 {gone: ids}
import { type Context, Hono } from 'hono'
import { verify } from 'hono/jwt'
import { z } from 'zod'
import { Push, type PushSender } from './push.ts'

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

const Pushes = z.object({ messages: z.array(Push).max(500) })
const Receipts = z.object({ ids: z.array(z.string().min(1).max(100)).max(300) })

export type DeliverEnvironment = {
  /** What may have signed the caller's token, HS256. */
  jwtSecrets: readonly string[]
  /** Hands a mail on. Throws when it was not taken. */
  sendMail(mail: Mail): Promise<void>
  push: PushSender
}

const texts = {
  401: ['Unauthorized', 'This is for the service alone.'],
  422: ['Unprocessable Entity', 'The message does not have the right form.'],
  503: ['Service Unavailable', 'It was not taken. Try again later.'],
} as const

export function createDeliver({ jwtSecrets, sendMail, push }: DeliverEnvironment): Hono {
  const app = new Hono().basePath('/deliver')

  /** A door that takes one form from the service, and does with it what may fail outside. */
  function door<T>(path: string, form: z.ZodType<T>, work: (c: Context, given: T) => Promise<Response>): void {
    app.post(path, async (c) => {
      const refuse = (status: keyof typeof texts) => {
        const [error, message] = texts[status]
        return c.json({ statusCode: status, error, message: [message] }, status)
      }
      if (!(await isService(c.req.header('authorization'), jwtSecrets))) return refuse(401)
      const given = form.safeParse(await c.req.json().catch(() => undefined))
      return given.success ? work(c, given.data).catch(() => refuse(503)) : refuse(422)
    })
  }

  door('/mail', Mail, async (c, mail) => {
    await sendMail(mail)
    return c.body(null, 204)
  })
  door('/push', Pushes, async (c, { messages }) => c.json({ results: await push.send(messages) }))
  door('/receipts', Receipts, async (c, { ids }) => c.json({ gone: await push.gone(ids) }))
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
