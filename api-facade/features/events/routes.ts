// Events: meetings at a place, online, or both. Rules are in sql/events, visibility in policies/content.sql.
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

const hosts = 'Only the host can do this. Others get 403 if they can see the event, otherwise 404.'

/** What the feature offers, for the API's description. */
export const about = 'Events: place, time, replies to the invitation, and the calendar.'

export default routes('events', {
  'GET /events': {
    summary: 'List events',
    description: `${listing} The newest come first. With \`when\`, \`from\` or \`to\`, events are ordered by start: the soonest first, but with \`when=past\` the latest first. An event that has started is past, even while it is running.`,
    access: 'user',
    operation: 'list_events',
    query: EventQuery,
    page: true,
    answers: { 200: EventPage },
    outcome: 'A page of events.',
  },
  'POST /events': {
    summary: 'Publish an event',
    description:
      'You become the host. The start must be in the future, and the end after it. `timezone` is the zone in which the event is announced; the times are absolute. Nobody is notified. Limit: 300 new contents of all kinds per person and hour, unless the operator sets another one (429 `writes_exceeded`).',
    access: 'user',
    operation: 'create_event',
    body: NewEvent,
    answers: { 201: Event },
    outcome: 'The new event.',
  },
  'GET /events/mine': {
    summary: 'List events that you host or attend',
    description:
      'Lists the latest first, by the time at which you published the event or got a seat. Leaves out events that you can no longer see, events whose waiting list you are on, and events that you are only interested in. A page scans at most 400 rows, so it may be shorter than `limit` and still have a next page.',
    access: 'user',
    operation: 'list_my_events',
    query: MyEventsQuery,
    page: true,
    answers: { 200: EventPage },
    outcome: 'A page of the events that you host or have replied to.',
  },
  'GET /events/:id': {
    summary: 'Get an event',
    description: 'Only the host sees an event that staff removed; it has `removedAt`.',
    access: 'user',
    operation: 'get_event',
    params: UuidId,
    answers: { 200: Event },
    outcome: 'The event with its seats and your reply.',
  },
  'PATCH /events/:id': {
    summary: 'Change an event',
    description: `${hosts} An event that is cancelled or over cannot be changed: 409. A new start must be in the future. New seats go immediately to those who have waited longest; a lower \`capacity\` takes no seat from anybody. Everyone who attends or waits is notified if the time or the place changes.`,
    access: 'user',
    operation: 'update_event',
    params: UuidId,
    body: EventChanges,
    bodyAs: 'p_changes',
    answers: { 200: Event },
    outcome: 'The event after the change.',
  },
  'DELETE /events/:id': {
    summary: 'Delete an event',
    description:
      `Deletes the event for everyone and permanently, with all replies. Also works for a removed or ` +
      `past event. Nobody is notified: to notify the guests, cancel it first. Deleting it again is 404. ${hosts}`,
    access: 'user',
    operation: 'delete_event',
    params: UuidId,
    answers: { 204: null },
    outcome: 'The event is deleted.',
  },
  'POST /events/:id/cancel': {
    summary: 'Cancel an event',
    description: `The cancellation is permanent. The event stays visible, with status \`cancelled\`, and everyone who attends or waits is notified. ${hosts} Repeating it is 409.`,
    access: 'user',
    operation: 'cancel_event',
    params: UuidId,
    body: Cancellation,
    answers: { 200: Event },
    outcome: 'The cancelled event.',
  },
  'PUT /events/:id/rsvp': {
    summary: 'Attend an event, or be interested in it',
    description:
      'If all seats are taken, `going` becomes `waitlisted`. A seat that becomes free goes immediately to the person who has waited longest, and this person is notified. At most 500 people can wait: 409 `event_waitlist_full`. Repeating it changes nothing. Your reply ends if there is a block between you and the host, if you are banned, and when you leave the group or guild. Everyone who is going is reminded 24 hours and 1 hour before the start. A reminder that cannot be sent within 15 minutes is skipped, and so is one that was due before your reply. Limit: 600 replies per person and hour, unless the operator sets another one (429 `writes_exceeded`).',
    access: 'user',
    operation: 'rsvp_event',
    params: UuidId,
    body: Rsvp,
    never: ['event_rsvp'],
    answers: { 200: Event },
    outcome: 'The event with your reply: `waitlisted` if all seats are taken.',
  },
  'DELETE /events/:id/rsvp': {
    summary: 'Withdraw your reply',
    description:
      'Your seat goes to the person who has waited longest. Repeating it changes nothing. If you can no longer see the event, the reply is withdrawn, but the answer is 404.',
    access: 'user',
    operation: 'unrsvp_event',
    params: UuidId,
    answers: { 204: null },
    outcome: 'Your reply is withdrawn.',
  },
  'GET /events/:id/attendees': {
    summary: 'List the people who attend an event, are interested in it, or wait for a seat',
    description:
      'Everyone who can see the event can read this list. The earliest reply comes first. Leaves out people whom ' +
      'you cannot see, although they count. A page scans at most 400 rows, so it may be shorter than `limit` and ' +
      'still have a next page.',
    access: 'user',
    operation: 'list_event_attendees',
    params: UuidId,
    query: AttendeeQuery,
    page: true,
    answers: { 200: AttendeePage },
    outcome: 'A page of people whose reply is `status`.',
  },
  'GET /events/:id/calendar.ics': {
    summary: 'Get an event as a calendar file',
    description:
      'Returns an iCalendar file (RFC 5545) with the event and its time zone. Everyone who can see the event can get it. The file has the same place as the card. A cancelled event has the status `CANCELLED`, and `SEQUENCE` grows with every change.',
    access: 'user',
    id: 'getEventCalendar',
    params: UuidId,
    handler: showCalendar,
    calls: ['get_event_calendar'],
    contentType: 'text/calendar',
    answers: { 200: z.string() },
    outcome: 'An iCalendar file with this one event.',
  },
})
