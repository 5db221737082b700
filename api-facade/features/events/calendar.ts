// An event as an iCalendar file (RFC 5545), which calendars import and update by its UID and SEQUENCE.
import ical, { ICalEventStatus } from 'ical-generator'
import { tzlib_get_ical_block as zoneBlock } from 'timezones-ical-library'
import type { z } from 'zod'
import { callFor } from '../../lib/call.ts'
import type { Context } from '../../lib/context.ts'
import { send } from '../../lib/headers.ts'
import type { UuidId } from '../../lib/schemas.ts'
import { EventCalendar } from './schemas.ts'

/** The VTIMEZONE of a zone, under the name that the event uses, because the library may use an alias. */
function zoneOf(name: string): string | null {
  const [block] = zoneBlock(name)
  return block?.startsWith('BEGIN:VTIMEZONE') ? block.replace(/^TZID:.*$/m, `TZID:${name}`) : null
}

function placeOf({ address, city, country, url }: z.output<typeof EventCalendar>['location']): string | null {
  return [address, city, country].filter(Boolean).join(', ') || url
}

/** A URL as a URI value, without the escaping that the generator applies to texts. */
const uriOf = (url: string): string =>
  url.replace(/[,;\\]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

function calendarOf(event: z.output<typeof EventCalendar>, domain: string): string {
  const { timezone, location } = event
  // If the library does not have the zone, the file has only absolute times.
  const known = zoneOf(timezone) !== null
  const calendar = ical({ prodId: { company: 'Kith', product: 'Kith', language: 'EN' } })
  if (known) calendar.timezone({ name: null, generator: zoneOf })
  calendar.createEvent({
    id: `${event.id}@${domain}`,
    sequence: event.sequence,
    stamp: event.cancelledAt ?? event.editedAt ?? event.createdAt,
    created: event.createdAt,
    // Texts in the event's local time. For a Date, the generator would write the local time of this machine.
    start: known ? event.localStart : event.startsAt,
    end: known ? event.localEnd : event.endsAt,
    timezone: known ? timezone : null,
    summary: event.title,
    description: event.body,
    location: placeOf(location),
    url: location.url && uriOf(location.url),
    status: event.status === 'cancelled' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
  })
  return `${calendar}\r\n` // Every line ends with CRLF, including the last one.
}

export async function showCalendar(c: Context, { id }: z.output<typeof UuidId>): Promise<Response> {
  const event = await callFor(c, 'get_event_calendar', { p_id: id }, EventCalendar)
  return send(c, calendarOf(event, c.get('services').config.instanceDomain), 200, {
    'content-disposition': 'attachment; filename="event.ics"',
    'content-type': 'text/calendar; charset=utf-8',
  })
}
