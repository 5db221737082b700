// Schemas of webhooks, their deliveries, and the event log.
import { Page, queryInteger, Timestamp, Uuid, UuidId, z } from '../../lib/schemas.ts'

const Url = z
  .string()
  .trim()
  .min(1)
  .max(2000)
  .openapi({ example: 'https://example.org/kith', description: 'Begins with `https://` and has the name of a host.' })
const EventNames = z
  .array(z.string().min(1).max(100))
  .min(1)
  .max(100)
  .openapi({ example: ['posts.post.published'], description: 'Names from `availableEvents`.' })
const Description = z
  .string()
  .trim()
  .max(200)
  .describe('A description for staff of what receives the events, up to 200 characters.')

export const NewWebhook = z
  .object({
    url: Url,
    events: EventNames,
    description: Description.optional(),
    active: z.boolean().optional().describe('Default: true.'),
  })
  .openapi('NewWebhook')
export const WebhookChanges = z
  .object({
    url: Url.optional(),
    events: EventNames.optional(),
    description: Description.optional(),
    active: z
      .boolean()
      .optional()
      .describe(
        'While false, nothing is sent. The events of that time are sent later, unless the log no longer has them.',
      ),
  })
  .openapi('WebhookChanges')

export const Webhook = z
  .object({
    id: Uuid,
    url: z.string().describe('The address to which the events are sent.'),
    description: z.string().describe('A description for staff of what receives the events; can be empty.'),
    events: z.array(z.string()).describe('The names of the events that are sent.'),
    active: z.boolean().describe('Whether events are sent.'),
    failingSince: Timestamp.nullable().describe(
      'When a delivery was given up after three days. It becomes null when the next delivery arrives, and when the address changes.',
    ),
    previousSecretUntil: Timestamp.nullable().describe(
      'Until when requests are also signed with the previous secret; null if there is none.',
    ),
    createdAt: Timestamp,
  })
  .openapi('Webhook')
export const WebhookWithSecret = z
  .object({
    webhook: Webhook.describe('The webhook as it is now.'),
    secret: z.string().openapi({
      example: 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
      description: 'The secret, which is not shown again.',
    }),
  })
  .openapi('WebhookWithSecret')
export const Webhooks = z
  .object({
    items: z.array(Webhook).describe('All webhooks, the oldest first.'),
    availableEvents: z
      .array(
        z.object({
          event: z.string().describe('The name for `events`.'),
          subjectType: z.string().describe('The type of the thing that the event is about.'),
          fields: z.array(z.string()).describe('The fields of `data`.'),
          happens: z.string().describe('What has happened when the event is sent.'),
        }),
      )
      .describe('The events that a webhook can ask for.'),
  })
  .openapi('Webhooks')

export const DeliveriesQuery = z.object({
  status: z.enum(['pending', 'delivered', 'failed']).optional().describe('Only deliveries in this state.'),
})
export const WebhookDelivery = z
  .object({
    id: z.int().describe('The number of the delivery.'),
    event: z.string().describe('The name of the event.'),
    eventId: Uuid.describe('The header `webhook-id`, the same in each attempt.'),
    sequence: z.int().nullable().describe('The number of the event in the log; null for a test.'),
    status: z.enum(['pending', 'delivered', 'failed']).describe('`failed`: given up after three days.'),
    attempts: z.int().describe('How many attempts were begun.'),
    nextAttemptAt: Timestamp.nullable().describe(
      'When the delivery is tried next. Null if it has ended, or waits for an earlier delivery of its subject.',
    ),
    attemptedAt: Timestamp.nullable().describe('When the delivery was last tried; null before the first attempt.'),
    endedAt: Timestamp.nullable().describe('When the delivery arrived or was given up; null before that.'),
    responseStatus: z
      .int()
      .nullable()
      .describe('The HTTP status of the last attempt; null if nothing answered, and before the first.'),
    failure: z
      .enum(['not_public', 'timeout', 'unreachable'])
      .nullable()
      .describe(
        'Why nothing answered: the address is not public, it took 10 seconds, or there was no connection. Null if something answered, and before the first attempt.',
      ),
    excerpt: z
      .string()
      .nullable()
      .describe('The first 200 characters of the last response, if it was an error; otherwise null.'),
    createdAt: Timestamp,
  })
  .openapi('WebhookDelivery')
export const WebhookDeliveryPage = Page(WebhookDelivery)
export const DeliveryId = UuidId.extend({
  deliveryId: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be the id of a delivery')
    .transform(Number)
    .openapi({ type: 'integer', minimum: 1, example: 1 })
    .describe('The `id` of a delivery of this webhook.'),
})

export const EventsQuery = z.object({
  after: queryInteger(0, 999_999_999_999_999).default(0).openapi({
    type: 'integer',
    minimum: 0,
    default: 0,
    description: 'The `next` of the previous answer.',
  }),
  limit: queryInteger(1, 50)
    .default(50)
    .openapi({ type: 'integer', minimum: 1, maximum: 50, default: 50 })
    .describe('How many events.'),
})
export const LoggedEvents = z
  .object({
    items: z
      .array(
        z
          .object({
            sequence: z.int().describe('The number of the event. It increases, with gaps.'),
            id: Uuid,
            type: z.string().describe('The name of the event.'),
            timestamp: Timestamp.describe('When it happened.'),
            subject: z
              .object({
                type: z.string().describe('The type of the thing.'),
                id: z.string().describe('The id of the thing; for a person the actor id.'),
              })
              .describe('The thing that the event is about.'),
            data: z.record(z.string(), z.unknown()).describe('The fields of the event, which `availableEvents` lists.'),
          })
          .openapi('LoggedEvent'),
      )
      .describe('The events, in the order of their numbers.'),
    next: z.int().describe('The `after` of the next request, also at the end.'),
    oldest: z.int().nullable().describe('The oldest number in the log; null if the log is empty.'),
  })
  .openapi('LoggedEvents')
