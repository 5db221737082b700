// Shapes of events. Rules are in sql/events.
import { Moment, Page, PersonCard, Timestamp, z } from '../../lib/schemas.ts'
import { aboutContents, contentOf, interestId, markdown, space, title } from '../content/schemas.ts'

const rsvp = z.enum(['going', 'interested', 'waitlisted'])
const timezone = z.string().max(64).openapi({ description: 'The name of a time zone.', example: 'Europe/Berlin' })
const kind = z.enum(['online', 'place', 'hybrid'])
const location = z.object({
  kind,
  url: z.string().nullish().describe('An http(s) address of up to 2000 characters.'),
  city: z.string().nullish().describe('Up to 100 characters.'),
  country: z.string().nullish().describe('Up to 100 characters: a name or a code.'),
  address: z.string().nullish().describe('Up to 500 characters.'),
})
const capacity = z.int().min(1).max(100_000).nullable().describe('How many people can attend; null for no limit.')

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
    reason: z.string().nullish().describe('Up to 500 characters, shown to everyone who can see the event.'),
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
  status: z.enum(['scheduled', 'live', 'ended', 'cancelled']).describe('Derived from the current time.'),
  cancelledAt: Timestamp.nullable(),
  cancelReason: z.string().nullable(),
  goingCount: z
    .int()
    .min(0)
    .describe('The number of seats that are taken, including those of people whom you cannot see.'),
  interestedCount: z.int().min(0),
  waitlistCount: z.int().min(0),
  viewer: z.object({
    rsvp: rsvp.nullable(),
    waitlistPosition: z.int().min(1).nullable().describe('Starts at 1. Null if you are not waiting.'),
  }),
}).openapi('Event')
export const EventPage = Page(Event)
/** What get_event_calendar returns. */
export const EventCalendar = Event.extend({ sequence: z.int(), localStart: z.string(), localEnd: z.string() })

export const EventQuery = z.object({
  when: z.enum(['upcoming', 'past']).optional().describe('`upcoming`: not started and not cancelled. `past`: started.'),
  from: Moment.optional().describe('Only events that start at this time or later.'),
  to: Moment.optional().describe('Only events that start before this time.'),
  country: z.string().trim().min(1).max(100).optional().describe('Case and accents are ignored.'),
  city: z.string().trim().min(1).max(100).optional().describe('Case and accents are ignored.'),
  ...aboutContents,
})
export const MyEventsQuery = z.object({
  role: z.enum(['hosting', 'going']).optional().describe('Default: both.'),
})
export const AttendeeQuery = z.object({
  status: rsvp.optional().describe('Default: `going`.'),
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
