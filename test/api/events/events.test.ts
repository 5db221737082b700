// Events over HTTP. For the single rules see test/db/events, for concurrent replies test/model/seats.test.ts, for
// visibility test/model/contents.test.ts.
import ICAL from 'ical.js'
import { describe, expect, test } from 'vitest'
import { applyEffects } from '../../support/database.ts'
import { type Page, UNKNOWN, walk } from '../../support/lists.ts'
import type { Notification } from '../../support/person.ts'
import { until } from '../../support/until.ts'
import { world } from '../../support/world.ts'

const { alice, bob, carla, nobody, admin, database, join } = await world()
const { owner } = database
const worker = database.connect('kith_worker')
const DAY = 86_400_000
const at = (days: number) => new Date(Date.now() + days * DAY).toISOString()
type Event = { id: string; goingCount: number; status: string; viewer: { rsvp: string | null } }

const fields = () => ({
  title: 'Mushrooms',
  body: 'We look for mushrooms.',
  startsAt: at(10),
  endsAt: at(10.1),
  timezone: 'Europe/Berlin',
  location: { kind: 'place', city: 'Köln', country: 'DE', address: 'Platz 1; am Wald', url: null },
})
const publish = async (who: typeof alice, more: object = {}) =>
  (await who.post<Event>('/events', { ...fields(), ...more })).body.id
const told = async (who: typeof alice) => {
  await applyEffects(owner)
  const { body } = await who.get<Page<Notification>>('/notifications?limit=50')
  return body.items.filter(({ kind }) => kind === 'event.reminder').map(({ payload }) => payload)
}
const events = async (who: typeof alice, event: string) =>
  (await told(who)).filter(({ eventId }) => eventId === event).map((payload) => payload.event)

const named: [string, string, object?][] = [
  ['GET', '/events/:id'],
  ['PATCH', '/events/:id', { title: 'Other' }],
  ['DELETE', '/events/:id'],
  ['POST', '/events/:id/cancel', {}],
  ['PUT', '/events/:id/rsvp', { status: 'going' }],
  ['DELETE', '/events/:id/rsvp'],
  ['GET', '/events/:id/attendees'],
  ['GET', '/events/:id/calendar.ics'],
]

describe.each(named)('%s %s', (method, path, body) => {
  test('requires a token, a UUID and an existing event', async () => {
    const of = (id: string) => path.replace(':id', id)
    expect(await nobody.request(method, of(UNKNOWN), body)).toFailWith(401, 'token_missing')
    expect(await alice.request(method, of('x'), body)).toFailWith(422, 'validation_failed')
    expect(await alice.request(method, of(UNKNOWN), body)).toFailWith(404, 'event_unknown')
  })
})

test('An event is published, opened, changed, cancelled and deleted', async () => {
  const { body: catalog } = await alice.get<{ items: { id: string }[] }>('/interests/catalog')
  const interestId = catalog.items[0]?.id
  const made = await alice.post<Event>('/events', { ...fields(), interestId, capacity: 2 })
  expect(made).toMatchObject({
    status: 201,
    body: {
      kind: 'event',
      authorId: alice.actorId,
      interestId,
      title: 'Mushrooms',
      status: 'scheduled',
      capacity: 2,
      location: fields().location,
      viewer: { rsvp: null, waitlistPosition: null },
    },
  })
  const { id } = made.body
  expect((await bob.get(`/events/${id}`)).text).toBe(made.text)
  for (const wrong of [
    {},
    { ...fields(), startsAt: 'soon' },
    { ...fields(), location: { kind: 'moon' } },
    { ...fields(), capacity: 0 },
  ])
    expect(await alice.post('/events', wrong)).toFailWith(422, 'validation_failed')
  expect(await nobody.post('/events', fields())).toFailWith(401, 'token_missing')
  expect(await alice.post('/events', { ...fields(), startsAt: at(-1) })).toFailWith(422, 'event_past')
  expect(await alice.post('/events', { ...fields(), endsAt: at(9) })).toFailWith(422, 'event_times')
  expect(await alice.post('/events', { ...fields(), timezone: 'Mars/Base' })).toFailWith(422, 'timezone_unknown')
  expect(await alice.post('/events', { ...fields(), interestId: UNKNOWN })).toFailWith(404, 'interest_unknown')

  for (const body of [{ startsAt: null }, { capacity: -1 }, { location: {} }])
    expect(await alice.patch(`/events/${id}`, body)).toFailWith(422, 'validation_failed')
  for (const who of [bob, carla])
    expect(await who.patch(`/events/${id}`, { title: 'Mine' })).toFailWith(403, 'content_not_yours')
  const changed = await alice.patch<Event>(`/events/${id}`, { title: 'Chanterelles', capacity: null })
  expect(changed).toMatchObject({ status: 200, body: { title: 'Chanterelles', capacity: null, interestId } })
  expect(changed.body).toHaveProperty('editedAt', expect.any(String))

  expect(await bob.post(`/events/${id}/cancel`)).toFailWith(403, 'content_not_yours')
  expect(await alice.post(`/events/${id}/cancel`, { reason: 'Rain' })).toMatchObject({
    status: 200,
    body: { status: 'cancelled', cancelReason: 'Rain' },
  })
  expect(await alice.post(`/events/${id}/cancel`)).toFailWith(409, 'event_cancelled')
  expect(await alice.patch(`/events/${id}`, { title: 'x' })).toFailWith(409, 'event_cancelled')
  expect(await bob.put(`/events/${id}/rsvp`, { status: 'going' })).toFailWith(409, 'event_cancelled')
  expect(await bob.delete(`/events/${id}`)).toFailWith(403, 'content_not_yours')
  expect(await alice.delete(`/events/${id}`)).toMatchObject({ status: 204, text: '' })
  for (const who of [alice, bob]) expect(await who.delete(`/events/${id}`)).toFailWith(404, 'event_unknown')
})

test('Lists of events are paginated and can be filtered', async () => {
  for (const path of ['/events', '/events/mine']) expect(await nobody.get(path)).toFailWith(401, 'token_missing')
  const [dora] = await join('dora')
  if (!dora) throw new Error('dora did not come')
  const ids: string[] = []
  for (const n of [3, 1, 2]) ids.push(await publish(dora, { title: `Walk ${n}`, startsAt: at(n), endsAt: at(n + 0.1) }))
  const [third, first, second] = ids
  const asked = async (query: string) =>
    (await bob.get<Page<Event>>(`/events?authorId=dora&${query}`)).body.items.map(({ id }) => id)
  expect(await asked('')).toEqual([second, first, third])
  expect(await asked('when=upcoming')).toEqual([first, second, third])
  expect(await asked(`from=${at(1.5)}&to=${at(2.5)}`)).toEqual([second])
  expect(await asked('when=upcoming&city=koln&country=de')).toEqual([first, second, third])
  expect(await asked('city=Bonn')).toEqual([])
  expect(await asked('q=walk')).toEqual([second, first, third])
  expect((await walk(bob, '/events', 2)).slice(0, 3)).toEqual([second, first, third])
  for (const query of ['when=never', 'from=x', 'limit=51'])
    expect(await bob.get(`/events?${query}`)).toFailWith(422, 'validation_failed')
  for (const path of ['/events?cursor=x', '/events/mine?cursor=x', `/events/${first}/attendees?cursor=x`])
    expect(await bob.get(path)).toFailWith(400, 'cursor_unknown')
  await bob.put(`/events/${third}/rsvp`, { status: 'going' })
  await bob.put(`/events/${first}/rsvp`, { status: 'interested' })
  expect((await walk(bob, '/events/mine', 1)).slice(0, 1)).toEqual([third])
  expect(await walk(dora, '/events/mine', 2)).toEqual([second, first, third])
  expect(await dora.get('/events/mine?role=going')).toMatchObject({ body: { items: [] } })
  expect(await bob.get('/events/mine?role=none')).toFailWith(422, 'validation_failed')
})

test('A reply is given and withdrawn, and a freed seat goes to the next person on the waiting list', async () => {
  const id = await publish(alice, { capacity: 1 })
  const going = { status: 'going' }
  for (const body of [{}, { status: 'waitlisted' }])
    expect(await bob.put(`/events/${id}/rsvp`, body)).toFailWith(422, 'validation_failed')
  for (let n = 0; n < 2; n++)
    expect(await bob.put(`/events/${id}/rsvp`, going)).toMatchObject({
      status: 200,
      body: { goingCount: 1, viewer: { rsvp: 'going', waitlistPosition: null } },
    })
  expect(await carla.put(`/events/${id}/rsvp`, going)).toMatchObject({
    body: { goingCount: 1, waitlistCount: 1, viewer: { rsvp: 'waitlisted', waitlistPosition: 1 } },
  })
  expect(await bob.get(`/events/${id}/attendees`)).toMatchObject({
    status: 200,
    body: { items: [{ userId: bob.actorId, user: { username: bob.username }, status: 'going' }], hasMore: false },
  })
  expect(await bob.get(`/events/${id}/attendees?status=waitlisted`)).toMatchObject({
    body: { items: [{ userId: carla.actorId }] },
  })
  expect(await bob.get(`/events/${id}/attendees?status=x`)).toFailWith(422, 'validation_failed')
  for (let n = 0; n < 2; n++) expect(await bob.delete(`/events/${id}/rsvp`)).toMatchObject({ status: 204, text: '' })
  expect(await carla.get(`/events/${id}`)).toMatchObject({
    body: { goingCount: 1, waitlistCount: 0, viewer: { rsvp: 'going' } },
  })
  expect(await events(carla, id)).toEqual(['promoted'])
})

test('People who attend or wait are notified of a new time or place and of the cancellation', async () => {
  const id = await publish(alice, { capacity: 1 })
  for (const who of [bob, carla, alice]) await who.put(`/events/${id}/rsvp`, { status: 'going' })
  await alice.patch(`/events/${id}`, { body: 'Other words' })
  expect(await events(bob, id)).toEqual([])
  await alice.patch(`/events/${id}`, { location: { kind: 'online', url: 'https://example.org/room' } })
  await alice.patch(`/events/${id}`, { startsAt: at(11), endsAt: at(12) })
  await alice.post(`/events/${id}/cancel`)
  // of several unread notifications about changes only the latest remains
  expect([await events(bob, id), await events(carla, id), await events(alice, id)]).toEqual([
    ['cancelled'],
    ['cancelled'],
    [],
  ])
})

test('More than a hundred guests are notified by the worker, each once', async () => {
  const id = await publish(alice)
  await owner`insert into app.users (username, first_name, last_name) select 'guest_' || n, 'G', 'N' from generate_series(1, 120) n`
  await owner`insert into app.event_rsvps (event_id, user_id, host_id, status, since)
    select ${id}, id, ${alice.id}, 'going', now() + row_number() over () * interval '1 microsecond' from app.users where username like 'guest\\_%'`
  await owner`update app.event_seats set going = 120 where event_id = ${id}`
  await alice.post(`/events/${id}/cancel`)
  const [job] = await owner<{ data: object }[]>`select data from pgboss.job where name = 'event-notices'`
  for (let n = 0; n < 2; n++) {
    await worker`select private.fan_out_event_batch(${worker.json(job?.data as never)}::jsonb)`
    await applyEffects(owner)
  }
  const [row] = await owner`select count(*)::int, count(distinct user_id)::int as people from app.notifications
    where kind = 'event.reminder' and payload ->> 'eventId' = ${id}`
  expect(row).toEqual({ count: 120, people: 120 })
})

describe('Reminders', () => {
  /** Changes the start of the event, because the test cannot change the clock. */
  const begins = (id: string, before: string) =>
    owner`update app.events set starts_at = now() + ${before}::interval, ends_at = now() + ${before}::interval + '1 hour' where id = ${id}`
  const remind = async () => {
    for (let n = 0; n < 20; n++) {
      const [row] = await worker<{ changed: number }[]>`select private.job_remind_events() as changed`
      if (row?.changed === 0) return
    }
  }
  const early = (id: string) =>
    owner`update app.event_rsvps set since = since - interval '3 days' where event_id = ${id}`

  test('are sent a day before and an hour before, once each, to people who attend', async () => {
    const id = await publish(alice)
    await bob.put(`/events/${id}/rsvp`, { status: 'going' })
    await carla.put(`/events/${id}/rsvp`, { status: 'interested' })
    await early(id)
    await begins(id, '24 hours 1 minute')
    await remind()
    expect(await events(bob, id)).toEqual([])
    await begins(id, '23 hours 59 minutes')
    for (let n = 0; n < 2; n++) await remind()
    expect(await events(bob, id)).toEqual(['starts_in_a_day'])
    await begins(id, '59 minutes')
    for (let n = 0; n < 2; n++) await remind()
    expect((await events(bob, id)).sort()).toEqual(['starts_in_a_day', 'starts_in_an_hour'])
    expect(await events(carla, id)).toEqual([])
  })

  test('are not sent late, nor to people who replied later, nor for cancelled events', async () => {
    const [late, after, left, off] = await Promise.all([1, 2, 3, 4].map(() => publish(alice)))
    for (const id of [late, after, left, off]) await bob.put(`/events/${id}/rsvp`, { status: 'going' })
    for (const id of [late, left, off]) await early(id ?? '')
    await begins(late ?? '', '44 minutes')
    for (const id of [after, left, off]) await begins(id ?? '', '55 minutes')
    await bob.delete(`/events/${left}/rsvp`)
    await alice.post(`/events/${off}/cancel`)
    await remind()
    for (const id of [late, after, left]) expect(await events(bob, id ?? '')).toEqual([])
    expect(await events(bob, off ?? '')).toEqual(['cancelled'])
  })

  test('are sent once although two workers send them and one is killed in between', async () => {
    const [one, two] = [await publish(alice), await publish(alice)]
    for (const id of [one, two]) {
      for (const who of [bob, carla]) await who.put(`/events/${id}/rsvp`, { status: 'going' })
      await early(id)
      await begins(id, '58 minutes')
    }
    const victim = database.connect('kith_worker')
    const killed = victim`select private.job_remind_events(), pg_sleep(60)`.catch((error: Error) => error)
    const pid = await until(async () => {
      const [found] = await database.superuser<{ pid: number }[]>`
        select pid from pg_stat_activity where datname = ${database.name} and wait_event = 'PgSleep'`
      return found?.pid
    })
    await Promise.all([remind(), remind()]) // both calls skip the rows that the first worker has locked
    await database.superuser`select pg_terminate_backend(${pid ?? 0}, 5000)`
    expect(await killed).toBeInstanceOf(Error)
    await Promise.all([remind(), remind()])
    for (const who of [bob, carla])
      for (const id of [one, two]) expect(await events(who, id)).toEqual(['starts_in_an_hour'])
  })
})

describe('GET /events/:id/calendar.ics', () => {
  const read = async (id: string) => {
    const { status, text, headers } = await bob.get(`/events/${id}/calendar.ics`)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/calendar; charset=utf-8'])
    expect(text).toMatch(/[^\n]\r\nEND:VCALENDAR\r\n$/)
    expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    for (const line of text.split('\r\n')) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
    const calendar = new ICAL.Component(ICAL.parse(text))
    const zone = calendar.getFirstSubcomponent('vtimezone')
    if (zone) ICAL.TimezoneService.register(zone)
    return new ICAL.Event(calendar.getFirstSubcomponent('vevent') as InstanceType<typeof ICAL.Component>)
  }
  const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Calcutta', 'UTC', 'Etc/GMT+3', 'Australia/Lord_Howe']

  test.each(zones)('has the right instants for an event in %s', async (timezone) => {
    for (const [startsAt, endsAt] of [
      ['2027-01-15T18:30:00.000Z', '2027-01-15T20:00:00.000Z'],
      ['2027-07-15T18:30:00.000Z', '2027-07-16T20:00:00.000Z'],
    ]) {
      const event = await read(await publish(alice, { timezone, startsAt, endsAt }))
      const instants = [event.startDate, event.endDate].map((time) => new Date(time.toUnixTime() * 1000).toISOString())
      expect(instants).toEqual([startsAt, endsAt])
    }
  })

  test('keeps every character, and shows each change and the cancellation', async () => {
    const title = 'Pilze, \\ Wald; “Öl” & 🍄'
    const body = `${'Eine lange Zeile mit Umlauten äöü, '.repeat(10)}\nund\r\neine: zweite\n\nBEGIN:VEVENT`
    const location = {
      kind: 'hybrid',
      city: 'Köln',
      country: 'DE',
      address: 'Platz 1, 2; 3',
      url: 'https://example.org/?a=b,c',
    }
    const id = await publish(alice, { title, body, location })
    const first = await read(id)
    expect(first).toMatchObject({ summary: title, sequence: 0, location: 'Platz 1, 2; 3, Köln, DE' })
    expect(first.description.replace(/\r/g, '')).toBe(body.replace(/\r/g, ''))
    expect(first.component.getFirstPropertyValue('url')).toBe(location.url.replace(',', '%2C'))
    await alice.patch(`/events/${id}`, { title: 'Other' })
    const second = await read(id)
    expect([second.uid, second.sequence, second.summary]).toEqual([first.uid, 1, 'Other'])
    expect(second.component.getFirstPropertyValue('status')).toBe('CONFIRMED')
    await alice.post(`/events/${id}/cancel`)
    const last = await read(id)
    expect([last.uid, last.sequence, last.component.getFirstPropertyValue('status')]).toEqual([
      first.uid,
      2,
      'CANCELLED',
    ])
  })
})

test('An event in a group is visible only to its members, and a member who leaves no longer attends', async () => {
  const { body: group } = await alice.post<{ id: string }>('/groups', { name: 'Foragers' })
  for (const who of [bob, carla]) await who.post(`/groups/${group.id}/join`)
  const id = await publish(alice, { groupId: group.id, capacity: 1 })
  const [dora] = await join('dorothea')
  if (!dora) throw new Error('dorothea did not join')
  expect(await dora.post('/events', { ...fields(), groupId: group.id })).toFailWith(403, 'space_not_member')
  for (const [method, path, body] of named)
    expect(await dora.request(method, path.replace(':id', id), body)).toFailWith(404, 'event_unknown')
  const listed = async (who: typeof alice, query: string) =>
    (await who.get<Page<Event>>(`/events?${query}`)).body.items.some((one) => one.id === id)
  expect(await listed(bob, `groupId=${group.id}`)).toBe(true)
  expect(await listed(bob, `groupId=${group.id}&when=upcoming`)).toBe(true)
  expect(await listed(bob, 'when=upcoming')).toBe(false)
  expect(await listed(dora, `groupId=${group.id}&when=upcoming`)).toBe(false)
  for (const who of [bob, carla]) await who.put(`/events/${id}/rsvp`, { status: 'going' })
  await bob.post(`/groups/${group.id}/leave`)
  expect(await bob.get(`/events/${id}`)).toFailWith(404, 'event_unknown')
  expect(await carla.get(`/events/${id}`)).toMatchObject({
    body: { groupId: group.id, goingCount: 1, waitlistCount: 0, viewer: { rsvp: 'going' } },
  })
  await alice.delete(`/groups/${group.id}`)
  expect(await alice.put(`/events/${id}/rsvp`, { status: 'going' })).toFailWith(409, 'space_archived')
  expect(await carla.delete(`/events/${id}/rsvp`)).toMatchObject({ status: 204 })
})

describe('An event', async () => {
  const [eve, finn, gus] = await join('eve', 'finn', 'gus')
  if (!eve || !finn || !gus) throw new Error('somebody did not come')
  const hidden: Record<string, string> = {
    'by a blocked person': await publish(eve),
    'by a banned person': await publish(finn),
    'by an erased person': await publish(gus),
    'removed by staff': await publish(alice),
  }
  const going = await publish(eve)
  await bob.put(`/events/${going}/rsvp`, { status: 'interested' })
  await admin.post(`/admin/content/events/${hidden['removed by staff']}/remove`)
  await bob.post('/users/eve/block')
  await owner`update app.users set banned_at = now() where id = ${finn.id}`
  await owner`select private.erase_person(${gus.id})`

  test.each(Object.entries(hidden))('that is %s gives the same answer as an unknown one', async (_which, id) => {
    for (const [method, path, body] of named) {
      const [answer, unknown] = [
        await bob.request(method, path.replace(':id', id), body),
        await bob.request(method, path.replace(':id', UNKNOWN), body),
      ]
      expect([answer.status, answer.text]).toEqual([unknown.status, unknown.text])
    }
    expect(await bob.post('/reports', { targetType: 'event', targetId: id, reason: 'x' })).toFailWith(
      404,
      'event_unknown',
    )
  })

  test('removed by staff is visible to its author and accepts no replies, and others can be reported', async () => {
    const id = hidden['removed by staff']
    expect(await alice.get(`/events/${id}`)).toMatchObject({ status: 200, body: { removedAt: expect.any(String) } })
    expect(await alice.put(`/events/${id}/rsvp`, { status: 'going' })).toFailWith(404, 'event_unknown')
    const seen = await publish(alice)
    expect(await bob.post('/reports', { targetType: 'event', targetId: seen, reason: 'Spam' })).toMatchObject({
      status: 201,
    })
  })
})
