// Webhooks and the event log, for admins. The rules: sql/webhooks, sql/base/86_event_log.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId } from '../../lib/schemas.ts'
import {
  DeliveriesQuery,
  DeliveryId,
  EventsQuery,
  LoggedEvents,
  NewWebhook,
  Webhook,
  WebhookChanges,
  WebhookDelivery,
  WebhookDeliveryPage,
  Webhooks,
  WebhookWithSecret,
} from './schemas.ts'

export const about = 'Webhooks and the log of events, for admins.'

export default routes('webhooks', {
  'GET /admin/webhooks': {
    summary: 'List webhooks, and the events that they can get',
    description: 'Lists all of them, at most 20, oldest first.',
    access: 'admin',
    operation: 'list_webhooks',
    answers: { 200: Webhooks },
    outcome: 'All webhooks, and the names of the events that they can ask for.',
  },
  'POST /admin/webhooks': {
    summary: 'Add a webhook',
    description:
      'Kith sends the chosen events that happen from now on, as POST requests with the body `{type, timestamp, sequence, subject, data}`. `data` has only ids, numbers and short codes; people are actor ids. The headers `webhook-id`, `webhook-timestamp` and `webhook-signature` are those of Standard Webhooks, so its libraries verify a request with `secret`. Answer with a status from 200 to 299 within 10 seconds. Redirects are not followed. Each event is sent at least once, with the same `webhook-id` each time, and the events of one subject in their order: a later one waits for the earlier one. After a failure Kith tries again after about 5 seconds, then after twice as long each time, up to 6 hours. Three days after the event was queued, it is given up, `failingSince` is set, and the next event of the subject follows. The address must lead to public IP addresses, with TLS. Writes an audit entry.',
    access: 'admin',
    operation: 'create_webhook',
    secret: true,
    body: NewWebhook,
    answers: { 201: WebhookWithSecret },
    outcome: 'The new webhook, with its secret for the only time.',
  },
  'GET /admin/webhooks/:id': {
    summary: 'Get a webhook',
    access: 'admin',
    operation: 'get_webhook',
    params: UuidId,
    answers: { 200: Webhook },
    outcome: 'The webhook without its secret.',
  },
  'PATCH /admin/webhooks/:id': {
    summary: 'Change a webhook',
    description:
      'Absent fields do not change. A webhook that is not active gets nothing; when it is active again, it gets what happened meanwhile, unless that is older than the 30 days of the event log. Pending deliveries go to the new address. Repeating it changes nothing. Writes an audit entry.',
    access: 'admin',
    operation: 'update_webhook',
    params: UuidId,
    body: WebhookChanges,
    bodyAs: 'p_changes',
    answers: { 200: Webhook },
    outcome: 'The webhook after the change.',
  },
  'DELETE /admin/webhooks/:id': {
    summary: 'Delete a webhook and its deliveries',
    description: 'An attempt that is running may still arrive. Writes an audit entry.',
    access: 'admin',
    operation: 'delete_webhook',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The webhook is deleted.',
  },
  'POST /admin/webhooks/:id/secret': {
    summary: 'Replace the secret of a webhook',
    description:
      'For 24 hours requests have two signatures: with the new secret and with the previous one. A secret that is older than these two ends immediately. Writes an audit entry.',
    access: 'admin',
    operation: 'rotate_webhook_secret',
    secret: true,
    params: UuidId,
    answers: { 200: WebhookWithSecret },
    outcome: 'The webhook, with its new secret for the only time.',
  },
  'POST /admin/webhooks/:id/test': {
    summary: 'Send a test to a webhook',
    description:
      'The event is `webhooks.webhook.tested`. The worker sends it within a second; the list of deliveries shows the result. If a test is still pending, it is sent now instead. Writes an audit entry.',
    access: 'admin',
    operation: 'test_webhook',
    params: UuidId,
    answers: { 202: WebhookDelivery },
    outcome: 'The delivery, which is sent in the background.',
  },
  'GET /admin/webhooks/:id/deliveries': {
    summary: 'List the deliveries of a webhook, newest first',
    description:
      'Lists the deliveries of the last 30 days. Deliveries of events that name an erased person are deleted.',
    access: 'admin',
    operation: 'list_webhook_deliveries',
    params: UuidId,
    query: DeliveriesQuery,
    page: true,
    answers: { 200: WebhookDeliveryPage },
    outcome: 'A page of deliveries with their attempts.',
  },
  'POST /admin/webhooks/:id/deliveries/:deliveryId/replay': {
    summary: 'Send a delivery again',
    description:
      'Works for a delivery that arrived or was given up; Kith tries it again for three days. A pending delivery becomes due immediately, but still waits for earlier deliveries of its subject. Writes an audit entry.',
    access: 'admin',
    operation: 'replay_webhook_delivery',
    params: DeliveryId,
    answers: { 202: WebhookDelivery },
    outcome: 'The delivery, which is sent again in the background.',
  },
  'GET /admin/events': {
    summary: 'Read the event log',
    description:
      'Lists the events of the last 30 days that webhooks can get, oldest first. Send `next` as `after` to continue: no event is ever skipped, because numbers become visible in their order. An event is in the log about a second after it happened. If `after` is less than `oldest` - 1, events in between were deleted by age or by an erasure. Numbers have gaps.',
    access: 'admin',
    operation: 'list_logged_events',
    query: EventsQuery,
    answers: { 200: LoggedEvents },
    outcome: 'Events in their order, and where to continue.',
  },
})
