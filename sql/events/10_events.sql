-- Events are a kind of content that has a time and a location, and that people attend. The columns that all kinds have
-- are in app.contents. docs/decisions.md, Contents; Events.

create table app.events (
  id            uuid primary key references app.contents on delete cascade,
  body          app.markdown not null,
  starts_at     timestamptz not null,
  ends_at       timestamptz not null,
  timezone      text not null,
  location_kind text not null check (location_kind in ('online', 'place', 'hybrid')),
  url           text,
  city          text,
  country       text,
  address       text,
  capacity      integer,
  sequence      integer not null default 0,
  cancelled_at  timestamptz,
  cancel_reason text,
  constraint event_times check (starts_at < ends_at and ends_at < private.calendar_end()),
  constraint event_capacity check (capacity between 1 and 100000),
  constraint event_url check (url ~* '^https?://[^[:space:]]+$' and length(url) <= 2000),
  constraint event_location check (length(city) <= 100 and length(country) <= 100 and length(address) <= 500),
  constraint event_reason check (length(cancel_reason) <= 500)
);
comment on table app.events is 'The columns of an event that its head in app.contents does not have.';
call private.make_nulls_raise_codes('app.events');
comment on column app.events.starts_at is
  'When the event starts, as an instant; timezone says which local time the host and the guests use.';
comment on column app.events.ends_at is
  'When the event ends. From then on nobody can reply to the event or change it.';
comment on column app.events.capacity is
  'The number of seats; null for any number. People who have a seat keep it when the capacity is lowered.';
comment on column app.events.sequence is
  'The number of changes of the event. Calendars recognize the latest version by this number (RFC 5545).';
comment on column app.events.cancelled_at is 'When the host cancelled the event, which is final; null otherwise.';

create table app.event_seats (
  event_id     uuid primary key references app.events on delete cascade,
  host_id      uuid not null references app.users on delete cascade,
  going        integer not null default 0 check (going >= 0),
  interested   integer not null default 0 check (interested >= 0),
  waitlisted   integer not null default 0 check (waitlisted >= 0),
  reminded_for timestamptz,
  remind_at    timestamptz
);
create index event_seats_remind_at_idx on app.event_seats (remind_at) where remind_at is not null;
create index event_seats_host_id_idx on app.event_seats (host_id, remind_at);
comment on table app.event_seats is
  'The number of people who replied to an event, including those whom a viewer cannot see. Seats are given and '
  'freed only under the lock of this row.';
comment on column app.event_seats.host_id is
  'The host of the event, who never changes. The job that reminds guests takes turns between hosts.';
comment on column app.event_seats.reminded_for is
  'The due time of the latest reminder that was sent to everybody who goes; null before the first.';
comment on column app.event_seats.remind_at is
  'When the worker next reminds the guests; null if nobody goes, if the event is cancelled, and after the last '
  'reminder.';

create table app.event_rsvps (
  event_id     uuid not null references app.contents on delete cascade,
  user_id      uuid not null references app.users on delete cascade,
  host_id      uuid not null references app.users on delete cascade,
  space_id     uuid references app.spaces on delete cascade,
  status       text not null check (status in ('going', 'interested', 'waitlisted')),
  since        timestamptz not null,
  reminded_for timestamptz,
  primary key (event_id, user_id)
);
create unique index event_rsvps_since_key on app.event_rsvps (event_id, status, since, user_id);
create index event_rsvps_user_id_idx on app.event_rsvps (user_id, event_id);
create index event_rsvps_going_idx on app.event_rsvps (user_id, since desc, event_id desc) where status = 'going';
create index event_rsvps_host_id_idx on app.event_rsvps (host_id, user_id, event_id);
create index event_rsvps_space_id_idx on app.event_rsvps (space_id, user_id, event_id) where space_id is not null;
comment on table app.event_rsvps is
  'The replies of people to events. host_id and space_id are copies from the event and never change. With them, the '
  'triggers of a block and of leaving a space find the replies that they delete.';
comment on column app.event_rsvps.status is
  'going: the person has a seat. waitlisted: the person waits for a seat. interested: the person wants no seat.';
comment on column app.event_rsvps.since is
  'When the reply got this status. The times of replies to one event with the same status all differ, so they give '
  'the order in which people wait.';
comment on column app.event_rsvps.reminded_for is
  'The due time of the latest reminder that the person got; null before the first.';

insert into private.lock_kinds (kind, position) values ('event seats', 540);

create function private.place_event() returns trigger
language plpgsql security definer   -- callers may not write places
set search_path = ''
as $$
begin
  if tg_op = 'DELETE' then
    delete from private.content_places where content_id = old.id;
    return null;
  end if;
  perform private.place_content(new.id, 'start', new.starts_at);
  perform private.place_content(new.id, 'upcoming', case when new.cancelled_at is null then new.starts_at end);
  return null;
end $$;
comment on function private.place_event is
  'Trigger: gives an event its place in the list by start and, unless it is cancelled, in the list of upcoming '
  'events.';
create trigger place_event after insert or update of starts_at, cancelled_at or delete on app.events
  for each row execute function private.place_event();

insert into private.write_limits (kind, per_hour) values ('rsvps', 600);

insert into private.personal_data (relation, person_column, section, within, omits) values
  ('app.events', 'id', 'events', '{contents}', '{}'),
  ('app.event_seats', 'event_id', 'eventPlaces', '{contents}', '{host_id,remind_at}');
insert into private.personal_data (relation, person_column, section, omits) values
  ('app.event_rsvps', 'user_id', 'eventReplies', '{host_id,reminded_for}');
insert into private.personal_data (relation, person_column, reason) values
  ('app.event_rsvps', 'host_id', 'The reply belongs to somebody else.'),
  ('app.event_seats', 'host_id', 'A copy of data in contents.');

insert into private.errors (code, status, text) values
  ('event_unknown', 404, 'There is no such event.'),
  ('event_times', 422, 'An event must start before it ends, and end before 9999-12-31.'),
  ('event_past', 422, 'An event must start in the future.'),
  ('event_capacity', 422, 'capacity must be between 1 and 100,000, or null for any number.'),
  ('event_url', 422, 'url must be an http(s) address of up to 2000 characters.'),
  ('event_location', 422, 'A location has a kind (online, place or hybrid), a city and a country of up to 100 '
   'characters, and an address of up to 500.'),
  ('event_reason', 422, 'The reason can have up to 500 characters.'),
  ('event_when', 422, 'when must be upcoming or past.'),
  ('event_role', 422, 'role must be hosting or going.'),
  ('event_rsvp', 422, 'status must be going or interested.'),
  ('event_cancelled', 409, 'This event is cancelled.'),
  ('event_over', 409, 'This event is over.'),
  ('event_waitlist_full', 409, 'The waiting list is full: at most 500 people can wait for a seat.');

insert into private.event_types (name, payload, happens) values
  ('events.event.changed', '{eventId,event,sequence}',
   'the time or the location of an event changes, or its host cancels it'),
  ('events.place.given', '{eventId,event}', 'somebody on a waiting list gets a seat'),
  ('events.event.reminded', '{eventId,event,startsAt}', 'an event is about to begin');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('events.event.changed', 'event', 'eventId', '{eventId,event,sequence}', '{}');

create view private.event_details with (security_invoker) as
select e.id,
       json_build_object(
         'body', e.body,
         'startsAt', private.utc(e.starts_at),
         'endsAt', private.utc(e.ends_at),
         'timezone', e.timezone,
         'location', json_build_object('kind', e.location_kind, 'url', e.url, 'city', e.city, 'country', e.country,
                                       'address', e.address),
         'capacity', e.capacity,
         'status', case when e.cancelled_at is not null then 'cancelled'
                        when e.starts_at > now() then 'scheduled'
                        when e.ends_at > now() then 'live' else 'ended' end,
         'cancelledAt', private.utc(e.cancelled_at),
         'cancelReason', e.cancel_reason) as detail
from app.events e;
comment on view private.event_details is
  'The part of an event''s card that other contents do not have: {body, startsAt, endsAt, timezone, location, '
  'capacity, status, cancelledAt, cancelReason}. status depends on the current time.';

create function private.erase_events(p_ids uuid[]) returns void
language plpgsql volatile security definer   -- no role has the right to change these rows
set search_path = ''
as $$
begin
  perform private.lock_events(p_ids);   -- the seats are deleted with the events
  -- locks heads before details and seats: ARCHITECTURE.md, Locks
  perform from app.contents where id = any (p_ids) and kind = 'event' order by id for no key update;
  delete from app.events where id = any (p_ids);
end $$;
comment on function private.erase_events is
  'Deletes the details and seats of these events when their author is erased. Replies remain, but nobody sees them.';

create function private.lock_events(p_ids uuid[]) returns void
language plpgsql volatile security definer   -- callers may not write seats
set search_path = ''
as $$
begin
  perform private.check_lock_order('event seats', variadic p_ids::text[]);
  perform from app.event_seats where event_id = any (p_ids) order by event_id for no key update;
end $$;
comment on function private.lock_events is
  'Locks the seats of these events, in order of id, so that nobody else gives or frees one: ARCHITECTURE.md, Locks.';

create function private.matches_event_filter(p_id uuid, p_filters jsonb) returns boolean
language plpgsql stable security definer   -- called by private.find_contents, which checks visibility
set search_path = ''
as $$
begin
  return exists (
    select from app.events e
    where e.id = p_id
      and e.starts_at >= coalesce((p_filters ->> 'from')::timestamptz, '-infinity')
      and e.starts_at < coalesce((p_filters ->> 'to')::timestamptz, 'infinity')
      and (p_filters ->> 'country' is null or private.fold(e.country) = p_filters ->> 'country')
      and (p_filters ->> 'city' is null or private.fold(e.city) = p_filters ->> 'city'));
end $$;
comment on function private.matches_event_filter is
  'Returns whether an event begins within {from, to}, and is in this {country} and {city}, which private.fold_query '
  'has folded.';

insert into private.content_kinds (kind, plural, relation, details, eraser, filter) values
  ('event', 'events', 'app.events', 'private.event_details', 'private.erase_events', 'private.matches_event_filter');
insert into private.content_cascades (relation, kind, whose) values ('app.event_rsvps', 'event', 'event_id = $1');

insert into private.report_targets (type, finder, author, place) values
  ('event', 'private.require_reported_content', 'select author_id from app.contents where id = $1',
   'select c.space_id, c.title, d.body, c.removed_at is not null from app.contents c join app.events d on d.id = c.id
    where c.id = $1');
insert into private.notification_targets (type, words) values
  ('event', 'select c.id, c.title, d.body from app.contents c join app.events d on d.id = c.id
           where c.id = any ($1)');

create function private.event_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- checks the visibility of each event once, and not for each of its parts
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning the views takes longer than running them
as $$
begin
  return (
    select json_agg(
             private.merge_objects(private.merge_objects(h.head, d.detail), json_build_object(
               'goingCount', p.going,
               'interestedCount', p.interested,
               'waitlistCount', p.waitlisted,
               'viewer', (
                 select json_build_object(
                   'rsvp', r.status,
                   'waitlistPosition', case when r.status = 'waitlisted' then (
                     select count(*) from app.event_rsvps w
                     where w.event_id = h.id and w.status = 'waitlisted' and w.since <= r.since) end)
                 from (select true) one
                 left join app.event_rsvps r on r.event_id = h.id and r.user_id = (select app.uid()))))
             order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join private.content_heads h on h.id = i.id
    join private.event_details d on d.id = h.id
    join app.event_seats p on p.event_id = h.id);
end $$;
comment on function private.event_cards is
  'The cards of the given events that the caller sees, in order: the head, the detail, {goingCount, interestedCount, '
  'waitlistCount, viewer: {rsvp, waitlistPosition}}.';
call private.force_index_scans('private.event_cards');

create function private.require_event_card(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_card('event_unknown', private.event_cards(array[p_id]) -> 0); end $$;
comment on function private.require_event_card is 'Returns the card of an event that the caller may see.';

insert into private.links (type, path) values ('event', '/events/{id}');
