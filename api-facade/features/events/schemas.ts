// Shapes of events. Rules are in sql/events.
import { Moment, Page, PersonCard, Timestamp, z } from '../../lib/schemas.ts'
import { aboutContents, contentOf, interestId, markdown, space, title } from '../content/schemas.ts'

const rsvp = z.enum(['going', 'interested', 'waitlisted'])
const timezone = z.string().max(64).openapi({ description: 'The name of a time zone.', example: 'Europe/Berlin' })
const kind = z.enum(['online', 'place', 'hybrid'])
const location = z.object({
  kind,
  url: z.string().nullish().openapi({ description: 'An http(s) address of up to 2000 characters.' }),
  city: z.string().nullish().openapi({ description: 'Up to 100 characters.' }),
  country: z.string().nullish().openapi({ description: 'Up to 100 characters: a name or a code, as the host likes.' }),
  address: z.string().nullish().openapi({ description: 'Up to 500 characters.' }),
})
const capacity = z
  .int()
  .min(1)
  .max(100_000)
  .nullable()
  .openapi({ description: 'How many may go; null for any number.' })

export const NewEvent = z
  .object({
    title,
    body: markdown,
    startsAt: Moment,
    endsAt: Moment.openapi({ example: '2099-01-31T14:00:00.000Z' }),
    timezone,
    location,
    capacity: capacity.optional(),
    interestId,
    ...space,
  })
  .openapi('NewEvent')
export const EventChanges = z
  .object({ title, body: markdown, startsAt: Moment, endsAt: Moment, timezone, location, capacity, interestId })
  .partial()
  .openapi('EventChanges')
export const Cancellation = z
  .object({
    reason: z.string().nullish().openapi({ description: 'Up to 500 characters, shown to who sees the event.' }),
  })
  .optional()
export const Rsvp = z.object({ status: z.enum(['going', 'interested']) })

export const Event = contentOf('event', z.string(), {
  body: z.string(),
  startsAt: Timestamp,
  endsAt: Timestamp,
  timezone: z.string(),
  location: z.object({
    kind,
    url: z.string().nullable(),
    city: z.string().nullable(),
    country: z.string().nullable(),
    address: z.string().nullable(),
  }),
  capacity: z.int().nullable(),
  status: z.enum(['scheduled', 'live', 'ended', 'cancelled']).openapi({ description: 'By the clock.' }),
  cancelledAt: Timestamp.nullable(),
  cancelReason: z.string().nullable(),
  goingCount: z.int().min(0).openapi({ description: 'Places that are taken, by whomever.' }),
  interestedCount: z.int().min(0),
  waitlistCount: z.int().min(0),
  viewer: z.object({
    rsvp: rsvp.nullable(),
    waitlistPosition: z.int().min(1).nullable().openapi({ description: 'From 1 on; null for who does not wait.' }),
  }),
}).openapi('Event')
export const EventPage = Page(Event)
/** What get_event_calendar answers. */
export const EventCalendar = Event.extend({ sequence: z.int(), localStart: z.string(), localEnd: z.string() })

export const EventQuery = z.object({
  when: z
    .enum(['upcoming', 'past'])
    .optional()
    .openapi({ description: 'What has not begun and is not cancelled; what has begun.' }),
  from: Moment.optional().openapi({ description: 'Those that begin then or later.' }),
  to: Moment.optional().openapi({ description: 'Those that begin before then.' }),
  country: z.string().trim().min(1).max(100).optional().openapi({ description: 'Case and accents are forgiven.' }),
  city: z.string().trim().min(1).max(100).optional().openapi({ description: 'Case and accents are forgiven.' }),
  ...aboutContents,
})
export const MyEventsQuery = z.object({
  role: z.enum(['hosting', 'going']).optional().openapi({ description: 'Both where absent.' }),
})
export const AttendeeQuery = z.object({
  status: rsvp.optional().openapi({ description: '`going` where absent.' }),
})
export const AttendeePage = Page(
  z
    .object({
      userId: z.string(),
      user: PersonCard,
      status: rsvp,
      since: Timestamp,
    })
    .openapi('EventAttendee'),
)
