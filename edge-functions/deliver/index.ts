// The function in Deno. Environment: SMTP_URL, MAIL_FROM, JWT_SECRET, JWT_SECRET_PREVIOUS, VAPID_PRIVATE_KEY, EXPO_URL,
// EXPO_ACCESS_TOKEN, PUSH_ORIGINS; docs/configuration.md, Mail and push.
import { jwtSecrets, list, needed, optional, serve } from '../shared/deno.ts'
import { createDeliver } from './handler.ts'
import { contactOf, EXPO_URL, PUSH_ORIGINS } from './providers.ts'
import { pushSender } from './push.ts'
import { smtpSender } from './smtp.ts'
import { vapidKeyOf, vapidKeys } from './vapid.ts'

const app = createDeliver({
  jwtSecrets: jwtSecrets(),
  sendMail: smtpSender(needed('SMTP_URL'), needed('MAIL_FROM')),
  push: pushSender({
    expoUrl: optional('EXPO_URL')?.replace(/\/$/, '') ?? EXPO_URL,
    expoAccessToken: optional('EXPO_ACCESS_TOKEN'),
    webPushOrigins: list('PUSH_ORIGINS') ?? PUSH_ORIGINS,
    vapid: vapidKeys(optional('VAPID_PRIVATE_KEY') ?? vapidKeyOf(needed('JWT_SECRET'))),
    contact: contactOf(needed('MAIL_FROM')),
  }),
})
serve(app)
