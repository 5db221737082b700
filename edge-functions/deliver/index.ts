// The function in Deno, as Supabase runs it. Environment: SMTP_URL, MAIL_FROM, JWT_SECRET, JWT_SECRET_PREVIOUS,
// VAPID_PRIVATE_KEY, EXPO_ACCESS_TOKEN, PUSH_ORIGINS.
import { createDeliver } from './handler.ts'
import { contactOf, EXPO_URL, PUSH_ORIGINS } from './providers.ts'
import { pushSender } from './push.ts'
import { smtpSender } from './smtp.ts'
import { vapidKeyOf, vapidKeys } from './vapid.ts'

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
  push: pushSender({
    expoUrl: EXPO_URL,
    expoAccessToken: Deno.env.get('EXPO_ACCESS_TOKEN'),
    webPushOrigins: Deno.env.get('PUSH_ORIGINS')?.split(',') ?? PUSH_ORIGINS,
    vapid: vapidKeys(Deno.env.get('VAPID_PRIVATE_KEY') ?? vapidKeyOf(needed('JWT_SECRET'))),
    contact: contactOf(needed('MAIL_FROM')),
  }),
})
Deno.serve(app.fetch)
