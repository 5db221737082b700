// The function in Deno, as Supabase runs it. Environment: SMTP_URL, MAIL_FROM, JWT_SECRET, JWT_SECRET_PREVIOUS.
import { createDeliver } from './handler.ts'
import { smtpSender } from './smtp.ts'

declare const Deno: {
  env: { get(name: string): string | undefined }
  serve(handler: (request: Request) => Response | Promise<Response>): unknown
}

function needed(name: string): string {
  const value = Deno.env.get(name)
  if (!value) throw new Error(`deliver needs ${name}.`)
  return value
}

const previous = Deno.env.get('JWT_SECRET_PREVIOUS')
const app = createDeliver({
  jwtSecrets: [needed('JWT_SECRET'), ...(previous ? [previous] : [])],
  sendMail: smtpSender(needed('SMTP_URL'), needed('MAIL_FROM')),
})
Deno.serve(app.fetch)
