// Events: what happens somewhere at some time. Rules are in sql/events, visibility in policies/content.sql.
import { routes } from '../../lib/routes.ts'
import { UuidId, z } from '../../lib/schemas.ts'
import { listing } from '../content/schemas.ts'
import { showCalendar } from './calendar.ts'
import {
  AttendeePage,
  AttendeeQuery,
  Cancellation,
  Event,
  EventChanges,
  EventPage,
  EventQuery,
  MyEventsQuery,
  NewEvent,
  Rsvp,
} from './schemas.ts'

const hosts = 'For its author; others are 403 when they see it, otherwise 404.'

export default routes('events', {
  'GET /events': {
    summary: 'Events',
    description: `${listing} Newest first; with \`when\`, \`from\` or \`to\` by their start, the soonest first, and \`when=past\` the latest first. An event that has begun is past, also while it runs.`,
    access: 'user',
    operation: 'list_events',
    query: EventQuery,
    page: true,
    answers: { 200: EventPage },
  },
  'POST /events': {
    summary: 'Publish an event',
    description:
      'I host it. It begins in the future, and ends later. `timezone` is the one by whose clock it is announced; the times are instants. Nobody is told of it. At most 300 contents of all kinds an hour and person, unless an operator sets another number: 429 `writes_exceeded`.',
    access: 'user',
    operation: 'create_event',
    body: NewEvent,
    answers: { 201: Event },
  },
  'GET /events/mine': {
    summary: 'Events that I host or go to',
    description:
      'The latest first, by when I published it or got my place. An event that I no longer see is not among them, and one that I wait for or am interested in neither. A page looks at 400 and may be short.',
    access: 'user',
    operation: 'list_my_events',
    query: MyEventsQuery,
    page: true,
    answers: { 200: EventPage },
  },
  'GET /events/:id': {
    summary: 'An event',
    description: 'One that staff removed its author alone still sees, with `removedAt`.',
    access: 'user',
    operation: 'get_event',
    params: UuidId,
    answers: { 200: Event },
  },
  'PATCH /events/:id': {
    summary: 'Change my event',
    description: `${hosts} What is cancelled or over changes no more: 409. A new start lies in the future. Places that are added go to who waits longest, at once; when \`capacity\` falls nobody loses theirs. Who goes or waits is told when time or place change.`,
    access: 'user',
    operation: 'update_event',
    params: UuidId,
    body: EventChanges,
    bodyAs: 'p_changes',
    answers: { 200: Event },
  },
  'DELETE /events/:id': {
    summary: 'Delete my event',
    description: `For everyone, for good, with all replies; also a removed one, or one that is over. Nobody is told: who should hear of it cancels first. A second time it is 404. ${hosts}`,
    access: 'user',
    operation: 'delete_event',
    params: UuidId,
    answers: { 204: null },
  },
  'POST /events/:id/cancel': {
    summary: 'Cancel my event',
    description: `For good: it stays, with status \`cancelled\`, and who goes or waits is told. ${hosts} Repeating it is 409.`,
    access: 'user',
    operation: 'cancel_event',
    params: UuidId,
    body: Cancellation,
    answers: { 200: Event },
  },
  'PUT /events/:id/rsvp': {
    summary: 'Go to an event, or be interested',
    description:
      'Where all places are taken, `going` becomes `waitlisted`: a place that is freed or added goes to who waits longest, in the same moment, and they are told. At most 500 people wait: 409 `event_waitlist_full`. Repeating it changes nothing. A block between host and guest, a ban, and leaving the group or guild take the reply back. Reminders come 24 hours and 1 hour before the start to who goes; what could not be sent within 15 minutes is left out, and so is what was due before I said so. At most 600 replies an hour and person, unless an operator sets another number: 429 `writes_exceeded`.',
    access: 'user',
    operation: 'rsvp_event',
    params: UuidId,
    body: Rsvp,
    never: ['event_rsvp'],
    answers: { 200: Event },
  },
  'DELETE /events/:id/rsvp': {
    summary: 'Take my reply back',
    description:
      'My place goes to who waits longest. Repeating it changes nothing. It also works on an event that I no longer see, which is answered with 404 all the same.',
    access: 'user',
    operation: 'unrsvp_event',
    params: UuidId,
    answers: { 204: null },
  },
  'GET /events/:id/attendees': {
    summary: 'Who goes to an event, is interested, or waits',
    description:
      'For who sees the event, the first one first, without people whom I do not see, who still count. A page looks at 400 and may be short.',
    access: 'user',
    operation: 'list_event_attendees',
    params: UuidId,
    query: AttendeeQuery,
    page: true,
    answers: { 200: AttendeePage },
  },
  'GET /events/:id/calendar.ics': {
    summary: 'An event for calendars',
    description:
      'An iCalendar (RFC 5545) with the event, for who sees it: with its time zone, its address as the card has it, the status `CANCELLED` of a cancelled one, and a `SEQUENCE` that grows with every change.',
    access: 'user',
    params: UuidId,
    handler: showCalendar,
    calls: ['get_event_calendar'],
    contentType: 'text/calendar',
    answers: { 200: z.string() },
  },
})
