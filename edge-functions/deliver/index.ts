// The function in Deno. Environment: SMTP_URL, MAIL_FROM, JWT_SECRET, JWT_SECRET_NEXT, JWT_SECRET_PREVIOUS, VAPID_PRIVATE_KEY, EXPO_URL,
// EXPO_ACCESS_TOKEN, PUSH_ORIGINS, FCM_SERVICE_ACCOUNT, FCM_URL, APNS_KEY, APNS_KEY_ID, APNS_TEAM_ID, APNS_TOPIC,
// APNS_URL, WEBHOOK_EXEMPT; docs/configuration.md, Mail, push and webhooks.
import { jwtSecrets, list, needed, optional, serve } from '../shared/deno.ts'
import { outside } from '../shared/outside.ts'
import { createDeliver } from './handler.ts'
import { apnsOf, contactOf, EXPO_URL, fcmOf, PUSH_ORIGINS } from './providers.ts'
import { pushSender } from './push.ts'
import { smtpSender } from './smtp.ts'
import { vapidKeyOf, vapidKeys } from './vapid.ts'
import { webhookSender } from './webhooks.ts'

const app = createDeliver({
  jwtSecrets: jwtSecrets(),
  sendMail: smtpSender(needed('SMTP_URL'), needed('MAIL_FROM')),
  push: pushSender({
    expoUrl: optional('EXPO_URL')?.replace(/\/$/, '') ?? EXPO_URL,
    expoAccessToken: optional('EXPO_ACCESS_TOKEN'),
    webPushOrigins: list('PUSH_ORIGINS') ?? PUSH_ORIGINS,
    vapid: vapidKeys(optional('VAPID_PRIVATE_KEY') ?? vapidKeyOf(needed('JWT_SECRET'))),
    contact: contactOf(needed('MAIL_FROM')),
    fcm: fcmOf(optional('FCM_SERVICE_ACCOUNT'), optional('FCM_URL')),
    apns: apnsOf({
      key: optional('APNS_KEY'),
      keyId: optional('APNS_KEY_ID'),
      teamId: optional('APNS_TEAM_ID'),
      topic: optional('APNS_TOPIC'),
      url: optional('APNS_URL'),
    }),
  }),
  sendWebhook: webhookSender(outside({ ports: [443], withoutTls: false, exempt: list('WEBHOOK_EXEMPT') ?? [] })),
})
serve(app)
