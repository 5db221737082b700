-- Notifies the guests of an event when it is about to begin, is changed or cancelled, and when they get a seat. The
-- transaction that changes the event adds an effect for each guest. If there are more than 100 guests, the worker adds
-- the effects. docs/decisions.md, Events; Notifications.

insert into private.notification_kinds (kind, replaces_unread) values ('event.reminder', true);

create function private.fan_out_event_batch(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- people may not read the replies of others
set search_path = ''
as $$
declare
  v_event uuid := (p_job ->> 'eventId')::uuid;
  v_after uuid := coalesce(p_after, '00000000-0000-0000-0000-000000000000');
  v_ids   uuid[] := array(select user_id from app.event_rsvps
                          where event_id = v_event and user_id > v_after
                          order by user_id limit 500);
begin
  perform private.add_effects('events.event.changed', p_job, v_ids);
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[500]);
end $$;
comment on function private.fan_out_event_batch is
  'For the worker and private.fan_out_event: adds an effect for each of the next 500 people who replied to an '
  'event. p_job is {eventId, event, sequence}. Returns {changed, next}; next is null at the end.';
call private.force_index_scans('private.fan_out_event_batch');
call private.make_batch_queue('event-notices', 'private.fan_out_event_batch');

create function private.fan_out_event(p_event jsonb) returns void
language plpgsql volatile security definer   -- see private.fan_out_event_batch
set search_path = ''
as $$
begin
  if (select going + interested + waitlisted from app.event_seats
      where event_id = (p_event ->> 'eventId')::uuid) > 100 then
    perform private.enqueue('event-notices', p_event::json);
  else
    perform private.fan_out_event_batch(p_event);
  end if;
end $$;
comment on function private.fan_out_event is
  'Listener: adds an effect for each person who replied to an event. If there are more than 100 people, the worker '
  'adds the effects.';

create function private.notify_event_guests(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'event.reminder', null, 'event', v.id::text, n.payload, n.key, null,
            e.caused_at)::private.notice
    from unnest(p_effects) e
    join app.contents c on c.id = (e.payload ->> 'eventId')::uuid and c.required_level = 0
    join app.events v on v.id = c.id
    join app.event_rsvps r on r.event_id = c.id and r.user_id = e.user_id
    cross join lateral (
      select jsonb_strip_nulls(jsonb_build_object(
               'eventId', v.id, 'event', e.payload -> 'event', 'startsAt', private.utc(v.starts_at),
               'sequence', e.payload -> 'sequence')) as payload,
             -- each given seat has its own key, so that no notification of a seat replaces another
             concat_ws(':', 'event.reminder', v.id, e.payload ->> 'event',
                       case when e.event = 'events.place.given' then e.id end) as key) n
    cross join lateral private.visibility(c.author_id, c.required_level, c.space_id, p_viewer => e.user_id) seen
    where r.status in ('going', case when e.event = 'events.event.changed' then 'waitlisted' end)
      and (e.event <> 'events.event.changed' or c.author_id <> e.user_id)
      and (v.cancelled_at is not null) = (e.payload ->> 'event' = 'cancelled')
      and (e.event <> 'events.event.reminded' or private.utc(v.starts_at) = e.payload ->> 'startsAt')
      and seen.is_visible
      -- a batch may run twice, so skip a change of which the person has already been notified
      and not exists (select from (select o.payload from app.notifications o
                                   where o.user_id = e.user_id and o.group_key = n.key
                                   order by o.created_at desc limit 1) o
                      where (o.payload ->> 'sequence')::integer >= (e.payload ->> 'sequence')::integer)
    order by e.id));
end $$;
comment on function private.notify_event_guests is
  'Listener: notifies people who go to an event, or wait for a seat, of what happened to it, if they still go or '
  'wait and can see it. After several changes there is one unread notification, about the latest. Notifications '
  'have no actor, so that muting a host does not hide a cancellation. The host is not notified of their own changes.';

insert into private.event_listeners (event, listener, position, timing) values
  ('events.event.changed', 'private.fan_out_event', 550, 'at once'),
  ('events.event.changed', 'private.notify_event_guests', 600, 'soon'),
  ('events.place.given', 'private.notify_event_guests', 600, 'soon'),
  ('events.event.reminded', 'private.notify_event_guests', 600, 'soon');

create function private.plan_moved_reminder() returns trigger
language plpgsql security definer   -- callers may not write seats
set search_path = ''
as $$
begin
  perform private.plan_reminder(new.id);
  return null;
end $$;
comment on function private.plan_moved_reminder is
  'Trigger: recalculates the next reminder of an event when its start changes or it is cancelled. The operation has '
  'locked the event''s seats.';
create trigger plan_moved_reminder after update of starts_at, cancelled_at on app.events
  for each row execute function private.plan_moved_reminder();

create function private.job_remind_events() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_place  app.event_seats;
  v_starts timestamptz;
  v_due    timestamptz;
  v_name   text;
  v_users  uuid[];
begin
  select * into v_place from app.event_seats
  where remind_at <= now() order by remind_at limit 1 for no key update skip locked;
  if not found then
    return 0;
  end if;
  select e.starts_at, e.starts_at - b.before, b.name into v_starts, v_due, v_name
  from app.events e
  cross join (values (interval '24 hours', 'starts_in_a_day'),
                     (interval '1 hour', 'starts_in_an_hour')) b (before, name)
  where e.id = v_place.event_id and e.starts_at - b.before <= now()
    and e.starts_at - b.before > greatest(v_place.reminded_for, now() - interval '15 minutes')
  order by b.before limit 1;
  if v_due is not null then
    with reminded as (
      update app.event_rsvps r set reminded_for = v_due
      from (select user_id from app.event_rsvps
            where event_id = v_place.event_id and status = 'going' and since <= v_due
              and coalesce(reminded_for, '-infinity') < v_due
            order by since limit 500) n
      where r.event_id = v_place.event_id and r.user_id = n.user_id
      returning r.user_id
    )
    select array_agg(user_id) into v_users from reminded;
  end if;
  if cardinality(v_users) = 500 then
    -- other events get their turn before the next 500
    update app.event_seats set remind_at = clock_timestamp() where event_id = v_place.event_id;
  else
    update app.event_seats set reminded_for = greatest(reminded_for, v_due) where event_id = v_place.event_id;
    perform private.plan_reminder(v_place.event_id);
  end if;
  perform private.yield_turn('app.event_seats', 'host_id', v_place.host_id, 'true', 'remind_at', 'remind_at');
  if v_users is not null then
    perform private.emit('events.event.reminded', json_build_object(
      'eventId', v_place.event_id, 'event', v_name, 'startsAt', private.utc(v_starts)), v_users);
  end if;
  return 1;
end $$;
comment on function private.job_remind_events is
  'Job: reminds up to 500 people who go to an event, a day and an hour before it begins. It takes the event that has '
  'been due the longest. Other events of the same host then wait for those of other hosts. May run twice or '
  'concurrently: it records each person, under the lock of the seats, in the transaction that adds the effect. It '
  'skips reminders that are more than 15 minutes late, and people who replied after the reminder was due. The worker '
  'repeats it until it returns 0.';
insert into private.jobs (name, cron, expires, repeats) values ('remind-events', '* * * * *', 300, true);
