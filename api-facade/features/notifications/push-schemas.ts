// Shapes of push tokens. What a token looks like is checked in SQL.
import { Timestamp, z } from '../../lib/schemas.ts'

const Platform = z.enum(['expo', 'web'])
const Token = z.string().min(1).max(2100).openapi({
  description: 'The Expo push token, or the `endpoint` of the web push subscription.',
  example: 'ExponentPushToken[xxxxxxxxxxxxxxxxxxxxxx]',
})

export const PushRegistration = z.object({
  token: Token,
  platform: Platform,
  keys: z
    .object({ p256dh: z.string().max(100), auth: z.string().max(40) })
    .optional()
    .openapi({ description: 'Only for a web push subscription, which requires them.' }),
})
export type Registration = z.output<typeof PushRegistration>
export const PushRemoval = z.object({ token: Token.optional() })
export const Registered = z.object({ platform: Platform, lastSeenAt: Timestamp }).openapi('PushDevice')
export const PushKey = z.object({ publicKey: z.string() }).openapi('PushKey')
