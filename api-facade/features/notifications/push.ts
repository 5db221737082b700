// Push routes: a person's devices. What is sent to them is in sql/notifications/50_push.sql and the worker.
import { isPushEndpoint } from '../../../edge-functions/deliver/providers.ts'
import { call } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { ApiError } from '../../lib/errors.ts'
import { routes } from '../../lib/routes.ts'
import { PushKey, PushRegistration, PushRemoval, Registered, type Registration } from './push-schemas.ts'

async function register(c: Context, { token, platform, keys }: Registration) {
  if (platform === 'web' && !isPushEndpoint(token, c.get('services').config.webPushOrigins)) {
    throw new ApiError('push_token')
  }
  return call(c, 'add_push_token', {
    p_token: token,
    p_platform: platform,
    p_p256dh: keys?.p256dh ?? null,
    p_auth: keys?.auth ?? null,
  })
}

export default routes('notifications', {
  'GET /notifications/push-key': {
    summary: 'The key that a browser subscribes with',
    description: 'The instance’s VAPID key, in base64url: the `applicationServerKey` of `pushManager.subscribe`.',
    access: 'user',
    handler: async (c: Context) => ({ publicKey: c.get('services').pushKey }),
    calls: [],
    answers: { 200: PushKey },
  },
  'POST /me/push-token': {
    summary: 'Register this device for push',
    description:
      'At each start of the app, which stamps `lastSeenAt`. A device has one person, who registered it last; a person has 20, of which those not seen for longest go. A push says kind and target and has a line of text, never somebody’s words. It comes when a notification is new or unread again. A device goes when its provider says that it is gone, and when all tokens of the person end: by a new password, a logout everywhere, a ban, another role, an erasure. With `pushToken` a logout forgets its own.',
    access: 'user',
    body: PushRegistration,
    handler: register,
    calls: ['add_push_token'],
    answers: { 200: Registered },
  },
  'DELETE /me/push-token': {
    summary: 'Forget this device',
    description: 'Repeating it changes nothing, nor does a token that is not mine.',
    access: 'user',
    operation: 'remove_push_token',
    body: PushRemoval,
    answers: { 204: null },
  },
})
