// Schemas of events. Rules are in sql/events.
import { ActorId } from '../../lib/fields.ts'
import { Moment, Page, PersonCard, Timestamp, z } from '../../lib/schemas.ts'
import { aboutContents, contentOf, interestId, markdown, space, title } from '../content/schemas.ts'

const rsvp = z
  .enum(['going', 'interested', 'waitlisted'])
  .describe('`waitlisted`: the person gets the next free seat. `interested`: they want none.')
const timezone = z.string().max(64).openapi({ description: 'The name of a time zone.', example: 'Europe/Berlin' })
const kind = z.enum(['online', 'place', 'hybrid']).describe('`hybrid`: both at a place and online.')
const location = z
  .object({
    kind,
    url: z.string().nullish().describe('An http(s) address of up to 2000 characters.'),
    city: z.string().nullish().describe('Up to 100 characters.'),
    country: z.string().nullish().describe('Up to 100 characters: a name or a code.'),
    address: z.string().nullish().describe('Up to 500 characters.'),
  })
  .describe('Where the event takes place.')
const capacity = z.int().min(1).max(100_000).nullable().describe('How many people can have a seat; null for no limit.')

export const NewEvent = z
  .object({
    title,
    body: markdown,
    startsAt: Moment.describe('When the event starts, in the future.'),
    endsAt: Moment.openapi({ example: '2099-01-31T14:00:00.000Z' }).describe('After `startsAt`.'),
    timezone,
    location,
    capacity: capacity.optional(),
    interestId,
    ...space,
  })
  .openapi('NewEvent')
export const EventChanges = z
  .object({
    title,
    body: markdown,
    startsAt: Moment.describe('When the event starts: in the future, unless it stays the same.'),
    endsAt: Moment.describe('After `startsAt`.'),
    timezone,
    location,
    capacity,
    interestId,
  })
  .partial()
  .openapi('EventChanges')
export const Cancellation = z
  .object({
    reason: z.string().nullish().describe('Up to 500 characters, shown to everyone who can see the event.'),
  })
  .optional()
export const Rsvp = z.object({
  status: z
    .enum(['going', 'interested'])
    .describe('`going` takes a seat, or a place on the waiting list if all are taken.'),
})

export const Event = contentOf('event', z.string(), {
  body: z.string().describe('Markdown as its host wrote it.'),
  startsAt: Timestamp,
  endsAt: Timestamp,
  timezone: z.string().describe('The name of the time zone in which host and guests read the times.'),
  location: z
    .object({
      kind,
      url: z.string().nullable().describe('Where to join online; null if there is no such address.'),
      city: z.string().nullable().describe('The city, as the host wrote it; null if they did not.'),
      country: z
        .string()
        .nullable()
        .describe('The country: a name or a code, as the host wrote it; null if they did not.'),
      address: z.string().nullable().describe('The address, as the host wrote it; null if they did not.'),
    })
    .describe('Where the event takes place.'),
  capacity: z.int().nullable().describe('How many people can have a seat; null for no limit.'),
  status: z
    .enum(['scheduled', 'live', 'ended', 'cancelled'])
    .describe('`cancelled`, or derived from the current time.'),
  cancelledAt: Timestamp.nullable().describe('When its host cancelled it, which is permanent; null if they did not.'),
  cancelReason: z.string().nullable().describe('What the host said about the cancellation; null if nothing.'),
  goingCount: z
    .int()
    .min(0)
    .describe('The number of seats that are taken, including those of people whom you cannot see.'),
  interestedCount: z.int().min(0).describe('People who are interested and want no seat.'),
  waitlistCount: z.int().min(0).describe('People who wait for a seat.'),
  viewer: z
    .object({
      rsvp: rsvp.nullable().describe('Your reply; null if you gave none.'),
      waitlistPosition: z
        .int()
        .min(1)
        .nullable()
        .describe('Your position on the waiting list, from 1; null if you are not on it.'),
    })
    .describe('How you are connected to the event.'),
}).openapi('Event')
export const EventPage = Page(Event)
/** What get_event_calendar returns. */
export const EventCalendar = Event.extend({ sequence: z.int(), localStart: z.string(), localEnd: z.string() })

export const EventQuery = z.object({
  when: z
    .enum(['upcoming', 'past'])
    .optional()
    .describe('`upcoming`: not started and not cancelled. `past`: started. Default: all.'),
  from: Moment.optional().describe('Only events that start at this time or later.'),
  to: Moment.optional().describe('Only events that start before this time.'),
  country: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('Only events in this country, as their hosts wrote it. Case and accents are ignored.'),
  city: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('Only events in this city. Case and accents are ignored.'),
  ...aboutContents,
})
export const MyEventsQuery = z.object({
  role: z
    .enum(['hosting', 'going'])
    .optional()
    .describe('Only events that you host, or only those where you have a seat. Default: both.'),
})
export const AttendeeQuery = z.object({
  status: rsvp.optional().describe('Only people with this reply. Default: `going`.'),
})
export const AttendeePage = Page(
  z
    .object({
      userId: ActorId,
      user: PersonCard,
      status: rsvp,
      since: Timestamp.describe('When the reply got this status.'),
    })
    .openapi('EventAttendee'),
)
