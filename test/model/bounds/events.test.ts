// Tests the worst-case row counts of requests about events. See test/support/bounds.ts.
import { crowd, friend, friendly, id, ids, isShown, minutes, openBounds } from '../../support/bounds.ts'

const { checkBounds, placeContents, put } = await openBounds()

/** Events of the crowd, and of friends among them, the soonest first. */
async function events(size: number) {
  // deletes the rows of earlier scenes, which would be in everybody's lists
  await put('delete from app.contents where true')
  await put('delete from private.content_places where true')
  const made = await put<{ id: string; shown: boolean }>(
    `with heads as (
       insert into app.contents (kind, author_id, title, created_at)
       select 'event', case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, n, ${minutes('n')}
       from generate_series(1, ${size}) n returning id, author_id, title
     ), details as (
       insert into app.events (id, body, starts_at, ends_at, timezone, location_kind)
       select id, 'x', now() + title::integer * interval '1 minute', now() + interval '1 year', 'UTC', 'online' from heads
       returning id
     ), places as (insert into app.event_seats (event_id, host_id) select id, author_id from details join heads using (id))
     select id, author_id >= ${friend('0')} as shown from heads order by title::integer`,
  )
  for (const sort of ['start', 'upcoming']) await placeContents(ids(made), sort, `now() + o.n * interval '1 minute'`)
  return { all: ids(made), shown: ids(made.filter(({ shown }) => shown)) }
}

/** An event of the host with `size` RSVPs of the crowd, and of friends among them. */
async function visited(host: string, size: number, status = 'going') {
  const event = id(
    await put<{ id: string }>(
      `insert into app.contents (kind, author_id, title) values ('event', $1::text::uuid, 'x') returning id`,
      host,
    ),
  )
  await put(
    `insert into app.events (id, body, starts_at, ends_at, timezone, location_kind, capacity)
     values ($1::text::uuid, 'x', now() + interval '2 days', now() + interval '3 days', 'UTC', 'online', 100000)`,
    event,
  )
  await put(
    `insert into app.event_rsvps (event_id, user_id, host_id, status, since)
     select $1::text::uuid, case when ${isShown(size)} then ${friend(friendly(size))} else ${crowd('n')} end, $2::text::uuid, $3, ${minutes('n')}
     from generate_series(1, ${size}) n`,
    event,
    host,
    status,
  )
  await put(
    `insert into app.event_seats (event_id, host_id, ${status}) values ($1::text::uuid, $2::text::uuid, ${size})`,
    event,
    host,
  )
  return event
}
const parameters = (event: string) => ({ parameters: `p_id => '${event}'` })

checkBounds([
  {
    operation: 'list_events',
    against: 'events of blocked people, ordered by start',
    most: 3500,
    scene: async (_, size) => ({ parameters: `p_when => 'upcoming'`, shown: (await events(size)).shown }),
  },
  {
    operation: 'list_events',
    against: 'events of blocked people',
    most: 4500,
    scene: async (_, size) => ({ parameters: '', shown: (await events(size)).shown.reverse() }),
  },
  {
    operation: 'list_my_events',
    against: 'events of blocked people that the viewer goes to',
    most: 3500,
    async scene(viewer, size) {
      const { all, shown } = await events(size)
      await put(
        `insert into app.event_rsvps (event_id, user_id, host_id, status, since)
         select c.id, $1::text::uuid, c.author_id, 'going', ${minutes('e.n')}
         from unnest($2::text::uuid[]) with ordinality as e (id, n) join app.contents c on c.id = e.id`,
        viewer,
        `{${all.join()}}`,
      )
      return { parameters: '', shown: shown.reverse() }
    },
  },
  {
    operation: 'list_event_attendees',
    against: 'blocked guests',
    most: 2500,
    key: ({ userId }) => String(userId),
    async scene(_, size) {
      const event = await visited(id(await put<{ id: string }>(`select ${friend('1')} as id`)), size)
      const names = await put<{ id: string }>(
        `select 'acct:' || u.username || '@localhost' as id from app.event_rsvps r join app.users u on u.id = r.user_id
         where r.event_id = $1::text::uuid and u.id >= ${friend('0')} order by r.since`,
        event,
      )
      return { ...parameters(event), shown: ids(names) }
    },
  },
  {
    operation: 'cancel_event',
    against: 'guests',
    most: 1500,
    scene: async (viewer, size) => parameters(await visited(viewer, size)),
  },
  {
    operation: 'update_event',
    against: 'a full waiting list of people who all get a seat',
    most: 9000,
    sizes: [500],
    async scene(viewer, size) {
      const event = await visited(viewer, size, 'waitlisted')
      return { parameters: `p_id => '${event}', p_changes => '{"capacity": 50000}'` }
    },
  },
  {
    operation: 'rsvp_event',
    against: 'guests',
    most: 500,
    async scene(viewer, size) {
      const event = await visited(viewer, size)
      return { parameters: `p_id => '${event}', p_status => 'going'` }
    },
  },
  {
    operation: 'delete_event',
    against: 'guests',
    most: 4000,
    scene: async (viewer, size) => parameters(await visited(viewer, size)),
  },
])
