// Schemas of push tokens and pushes. SQL checks the form of a token.
import { Timestamp, Uuid, z } from '../../lib/schemas.ts'
import { kinds, Path } from './schemas.ts'

const Platform = z
  .enum(['expo', 'web', 'fcm', 'apns'])
  .describe(
    'Who delivers the push: Expo, the push service of a browser, Firebase Cloud Messaging, or the Apple Push Notification service.',
  )
const Token = z.string().min(1).max(2100).openapi({
  description:
    'The Expo push token, the `endpoint` of the web push subscription, the registration token of FCM, or the device token of APNs in lower-case hex.',
  example: 'ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]',
})

export const PushRegistration = z.object({
  token: Token,
  platform: Platform,
  keys: z
    .object({
      p256dh: z.string().max(100).describe('The public key of the subscription, base64url.'),
      auth: z.string().max(40).describe('The secret of the subscription, base64url.'),
    })
    .optional()
    .describe('The keys of a web push subscription, which requires them. Other devices have none.'),
})
export type Registration = z.output<typeof PushRegistration>
export const PushRemoval = z.object({ token: Token.optional() })
export const Registered = z.object({ platform: Platform, lastSeenAt: Timestamp }).openapi('PushDevice')
export const PushKey = z
  .object({ publicKey: z.string().describe('The `applicationServerKey`, in base64url.') })
  .openapi('PushKey')

/** The content of a push (api-facade/worker/push.ts). Providers have other names for some fields. */
export const PushPayload = z
  .object({
    title: z.string().openapi({ description: 'The name of the app.', example: 'Kith' }),
    body: z.string().openapi({
      description: 'A line of text: what happened, and how often. It never has names or what somebody wrote.',
      example: 'Somebody replied to you.',
    }),
    badge: z.int().min(0).max(1000).describe('The number of unread notifications in the inbox, counted up to 1000.'),
    collapseId: z.string().openapi({
      description: 'The same for all pushes of a `groupKey`: a later push replaces an earlier one that is still shown.',
      example: 'dGhpcyBpcyBhIGNvbGxhcHNlIGlkIQ',
    }),
    data: z
      .object({
        id: Uuid.describe('The id of the notification.'),
        kind: z.enum(kinds).describe('The kind of the notification.'),
        target: z
          .object({
            type: z.string().describe('The type of the thing.'),
            id: z.string().describe('The id of the thing.'),
          })
          .nullable()
          .describe('The thing that the notification is about; null if there is none.'),
        path: Path,
      })
      .describe('What the app needs to open the right page.'),
  })
  .describe(
    'What a device gets. A service worker gets it as JSON. Expo: the same, with `collapseId` in `data`. FCM: `notification.title` and `.body`, `android.notification.notification_count` and `.tag`, `android.collapse_key`, and the fields of `data` as strings, `target` as JSON. APNs: `aps.alert`, `aps.badge`, `aps.thread-id` and the header `apns-collapse-id`, and the fields of `data` beside `aps`.',
  )
export type PushPayload = z.output<typeof PushPayload>
