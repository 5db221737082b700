// Third-party apps, and the consents that people give them. The rules: sql/apps. The endpoints of OAuth:
// api-facade/lib/oauth.ts.
import { routesOfLogins } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import { decide, decideDevice, findDevice, findWaiting, renewSecret } from './handlers.ts'
import {
  AllowedAppPage,
  App,
  AppChanges,
  AppPage,
  AppWithSecret,
  Decision,
  Device,
  DeviceDecision,
  NewApp,
  Next,
  Waiting,
  WaitingQuery,
} from './schemas.ts'

export const about = 'Third-party apps that use the API in the name of people who allowed it (OAuth 2.1).'

export default routesOfLogins('apps', {
  'GET /apps': {
    summary: 'List the apps that you registered',
    description: 'All of them, at most 20, newest first.',
    access: 'user',
    operation: 'list_apps',
    answers: { 200: AppPage },
    outcome: 'Your apps, without their secrets.',
  },
  'POST /apps': {
    summary: 'Register an app',
    description:
      'Only admins can, unless the instance lets everyone (`REGISTER_APPS`). A person can have 20 apps. The `id` is the `client_id` of OAuth 2.1; `/.well-known/oauth-authorization-server` has the endpoints. PKCE with S256 is required. A confidential app also needs a secret: `POST /apps/:id/secret`.',
    access: 'user',
    operation: 'create_app',
    gate: { check: 'require_registration' },
    body: NewApp,
    answers: { 201: App },
    outcome: 'The new app.',
  },
  'PATCH /apps/:id': {
    summary: 'Change an app',
    description:
      'Absent fields do not change. Consents that people gave keep their scopes. New redirect URIs need a fresh proof if you have a second factor.',
    access: 'user',
    operation: 'update_app',
    params: UuidId,
    body: AppChanges,
    bodyAs: 'p_changes',
    answers: { 200: App },
    outcome: 'The app after the change.',
  },
  'DELETE /apps/:id': {
    summary: 'Delete an app',
    description:
      'It gets no new tokens, and its tokens and consents end: those of the first 500 consents immediately, the others soon after.',
    access: 'user',
    operation: 'delete_app',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The app is deleted.',
  },
  'POST /apps/:id/secret': {
    summary: 'Make or replace the secret of an app',
    description:
      'Only for a confidential app. The previous secret stops working immediately. You need a fresh proof if you have a second factor.',
    access: 'user',
    id: 'renewAppSecret',
    handler: renewSecret,
    calls: ['renew_app_secret'],
    secret: true,
    params: UuidId,
    answers: { 200: AppWithSecret },
    outcome: 'The app, with its new secret for the only time.',
  },
  'GET /me/apps': {
    summary: 'List the apps that you allowed',
    description: 'An app can have several consents of yours, such as one for each device. You have at most 50 in all.',
    access: 'user',
    operation: 'list_my_apps',
    answers: { 200: AllowedAppPage },
    outcome: 'The apps, newest first.',
  },
  'DELETE /me/apps/:id': {
    summary: 'Revoke the access of an app',
    description: 'All of its tokens for your account end immediately.',
    access: 'user',
    operation: 'revoke_my_app',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The app no longer has access.',
  },
  'GET /oauth/consent': {
    summary: 'Get the request of an app that waits in this browser',
    description:
      'For the page `/oauth/consent`. The cookie that `/oauth/authorize` set identifies the request, so nobody else can read it.',
    access: 'public',
    id: 'getAppRequest',
    pool: 'gate',
    query: WaitingQuery,
    handler: findWaiting,
    calls: ['find_oauth_record', 'find_app', 'list_scopes'],
    fails: ['consent_over'],
    answers: { 200: Waiting },
    outcome: 'The app, and the scopes for which it asks.',
  },
  'POST /oauth/consent': {
    summary: 'Allow or refuse the request of an app',
    description:
      'For the page `/oauth/consent`. It needs the cookie that `/oauth/authorize` set and the person’s access token, so no other website can send it. You need a fresh proof if you have a second factor. 403 `role_required` if the app asks for scopes that only staff can allow.',
    access: 'user',
    id: 'decideAppRequest',
    handler: decide,
    calls: ['find_oauth_record', 'find_app', 'list_scopes', 'give_consent', 'store_oauth_record'],
    fails: ['consent_over'],
    never: ['app_unknown', 'scope_unknown'],
    body: Decision,
    answers: { 200: Next },
    outcome: 'The address to which the browser goes next.',
  },
  'POST /oauth/device': {
    summary: 'Find the device that shows this code',
    description: 'For the page `/oauth/device`. Codes are valid for 15 minutes, and have 20^8 possible values.',
    access: 'user',
    id: 'findDevice',
    limit: 'device_code',
    handler: findDevice,
    calls: ['find_oauth_record', 'find_app', 'list_scopes'],
    fails: ['consent_over'],
    body: Device,
    answers: { 200: Waiting },
    outcome: 'The app on the device, and the scopes for which it asks.',
  },
  'POST /oauth/device/decision': {
    summary: 'Allow or refuse the app on a device',
    access: 'user',
    id: 'decideDevice',
    limit: 'device_code',
    handler: decideDevice,
    calls: ['find_oauth_record', 'find_app', 'list_scopes', 'give_consent', 'answer_device'],
    fails: ['consent_over'],
    never: ['app_unknown', 'scope_unknown'],
    body: DeviceDecision,
    answers: { 204: null },
    outcome: 'The device learns of it within seconds.',
  },
})
