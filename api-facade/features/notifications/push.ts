// Push routes: a person's devices. The content of pushes is in sql/notifications/50_push.sql and in the worker.
import { isPushEndpoint } from '../../../edge-functions/deliver/providers.ts'
import { call } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { ApiError } from '../../lib/errors.ts'
import { routes } from '../../lib/routes.ts'
import { PushKey, PushPayload, PushRegistration, PushRemoval, Registered, type Registration } from './push-schemas.ts'

async function register(c: Context, { token, platform, keys }: Registration) {
  const { config } = c.get('services')
  if ((platform === 'fcm' || platform === 'apns') && !config[platform]) throw new ApiError('push_platform')
  if (platform === 'web' && !isPushEndpoint(token, config.webPushOrigins)) throw new ApiError('push_token')
  return call(c, 'add_push_token', {
    p_token: token,
    p_platform: platform,
    p_p256dh: keys?.p256dh ?? null,
    p_auth: keys?.auth ?? null,
  })
}

export default routes('notifications', {
  'GET /notifications/push-key': {
    summary: 'Get the key with which a browser subscribes to pushes',
    description:
      'The VAPID public key of the instance in base64url: the `applicationServerKey` of `pushManager.subscribe`.',
    access: 'user',
    id: 'getPushKey',
    handler: async (c: Context) => ({ publicKey: c.get('services').pushKey }),
    calls: [],
    answers: { 200: PushKey },
    outcome: 'The public VAPID key of the instance.',
  },
  'POST /me/push-token': {
    summary: 'Register a device for push',
    description:
      'Call it at each start of the app: it updates `lastSeenAt`. A device belongs to the person who registered it last. A person has at most 20; the least recently used devices are removed. `fcm` and `apns` need keys of the operator; without them the answer is 422 `push_platform`. The schema `PushPayload` of the callback `push` below says what a push contains: a line of text, the number for the icon, and the kind, the target and the path of what to open. It never contains what somebody wrote. A push is sent when a notification is new or becomes unread again. A device is removed when its provider reports that it no longer exists, and when all tokens of the person end: by a new password, a global logout, a ban, a new role or an erasure. A logout with `pushToken` removes that device.',
    access: 'user',
    id: 'addPushToken',
    body: PushRegistration,
    handler: register,
    calls: ['add_push_token'],
    fails: ['push_platform'],
    later: {
      push: {
        to: '{$request.body#/token}',
        summary: 'Receive a push through the provider of the device',
        schema: 'PushPayload',
        body: PushPayload,
      },
    },
    answers: { 200: Registered },
    outcome: 'The device is registered.',
  },
  'DELETE /me/push-token': {
    summary: 'Unregister a device',
    description:
      'The token can be in the query or in a body. Without one, all your devices are unregistered. Repeating it changes nothing, and neither does a token that is not yours.',
    access: 'user',
    operation: 'remove_push_token',
    query: PushRemoval,
    body: PushRemoval.optional(),
    answers: { 204: null },
    outcome: 'The device gets no more pushes.',
  },
})
