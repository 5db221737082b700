-- The event log has the domain events of which other programs may learn, with public ids only. private.emit notes
-- such an event, and the worker writes it into the log a moment later (private.log_events). Only one transaction at a
-- time assigns numbers, so a reader who continues after the last number never misses an event.
-- docs/decisions.md, Webhooks.

create table private.outbound_events (
  event         text primary key references private.event_types on delete cascade,
  subject_type  text not null check (subject_type ~ '^[a-z]+(-[a-z]+)*$'),
  subject_field text not null,
  fields        text[] not null default '{}',
  people        text[] not null default '{}',
  check (subject_field = any (fields || people)),
  check (not fields && people)
);
comment on table private.outbound_events is
  'Registry: the domain events that are written into the event log and sent to webhooks. It contains only public '
  'events, so it leaves out messages and invitations into circles.';
comment on column private.outbound_events.subject_field is
  'The field of the payload with the id of the thing that the event is about. Events of one subject keep their order.';
comment on column private.outbound_events.fields is
  'The fields of the payload that are sent unchanged: public ids, numbers and short codes.';
comment on column private.outbound_events.people is
  'The fields of the payload with internal ids of people. Their actor ids are sent instead.';

create table private.unlogged_events (
  event_id bigint primary key
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);   -- each row exists for a moment only
comment on table private.unlogged_events is
  'Events of app.domain_events that are not in the log yet. There is no foreign key, because it would lock the '
  'event.';

create table private.event_log (
  sequence    bigint generated always as identity primary key,
  id          uuid not null default gen_random_uuid(),
  event       text not null,
  subject     json not null,
  subject_key text not null,
  payload     json not null,
  people      uuid[] not null,
  happened_at timestamptz not null,
  logged_at   timestamptz not null default now()
);
create index event_log_logged_at_idx on private.event_log (logged_at);
create index event_log_people_idx on private.event_log using gin (people) with (fastupdate = off);
comment on table private.event_log is
  'The event log, in the order of its numbers: if one event depends on another, such as an edit on the publication, '
  'it has the higher number.';
comment on column private.event_log.id is
  'Identifies the event permanently. A number can''t, because numbers are assigned again after a backup was restored.';
comment on column private.event_log.subject is 'What the event is about, {type, id}; the id is public.';
comment on column private.event_log.subject_key is 'The same as `subject`, with the internal id, which never changes.';
comment on column private.event_log.people is
  'The people whom the event names. An erasure uses this column to find the event.';
comment on column private.event_log.happened_at is 'When the transaction that caused the event began.';
comment on column private.event_log.logged_at is 'When the event was written into the log.';
insert into private.retention (relation, counts_from, keep, batch) values
  ('private.event_log', 'logged_at', '30 days', 1000);

create function private.log_events() returns integer
language plpgsql volatile security definer   -- only for the worker, which has no access to Kith's tables
set search_path = ''
as $$
declare
  v_ids bigint[];
begin
  if not exists (select from private.unlogged_events)
     or not pg_try_advisory_xact_lock(hashtextextended('event log', 0)) then
    return 0;
  end if;
  -- Read the lowest ids that are visible: if an event depends on another, the other was committed before, with a lower
  -- id.
  v_ids := array(select u.event_id from private.unlogged_events u order by u.event_id limit 500);
  insert into private.event_log (event, subject, subject_key, payload, people, happened_at)
  select e.name,
         json_build_object('type', o.subject_type, 'id', p.payload -> o.subject_field),
         o.subject_type || ':' || (e.payload ->> o.subject_field),
         p.payload, w.people, e.created_at
  from app.domain_events e
  join private.outbound_events o on o.event = e.name
  cross join lateral (
    select array(select (e.payload ->> f.name)::uuid from unnest(o.people) f (name)
                 where e.payload ->> f.name is not null) as people
  ) w
  cross join lateral (
    select coalesce(json_object_agg(f.name, case
             when f.name = any (o.people) then to_json(private.actor_id(u.username, private.domain()))
             else (e.payload -> f.name)::json end order by f.place), '{}') as payload
    from unnest(o.fields || o.people) with ordinality f (name, place)
    -- the case keeps other fields, such as a level, from being read as ids
    left join app.users u on u.id = case when f.name = any (o.people) then (e.payload ->> f.name)::uuid end
  ) p
  where e.id = any (v_ids)
    -- nothing is written about an erased person
    and not exists (select from app.users u where u.id = any (w.people) and u.erased_at is not null)
  order by e.id;
  delete from private.unlogged_events u where u.event_id = any (v_ids);
  return cardinality(v_ids);
end $$;
comment on function private.log_events is
  'For the worker alone: writes up to 500 events into the log and returns how many it read. Only one transaction at '
  'a time does this, because no number may become visible after a higher one; a concurrent call returns 0.';
call private.force_index_scans('private.log_events');

insert into private.personal_data (relation, person_column, reason) values
  ('private.event_log', 'people', 'Names events of other sections by their ids, for 30 days.');
