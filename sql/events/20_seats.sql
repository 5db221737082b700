-- Replies to events, and who has a seat. All changes hold the lock of the event's seats. A seat that is freed or added
-- goes, in the same transaction, to the person who has waited longest. docs/decisions.md, Events.

create function private.plan_reminder(p_event uuid) returns void
language plpgsql volatile security definer   -- callers may not write seats
set search_path = ''
as $$
begin
  update app.event_seats p set remind_at = n.at
  from (select case when e.cancelled_at is null and w.going > 0 then (
                 select min(d.due)
                 from unnest(array[e.starts_at - interval '24 hours', e.starts_at - interval '1 hour']) d (due)
                 -- reminders more than 15 minutes late are skipped
                 where d.due > greatest(w.reminded_for, now() - interval '15 minutes')) end as at
        from app.events e join app.event_seats w on w.event_id = e.id where e.id = p_event) n
  where p.event_id = p_event and p.remind_at is distinct from n.at;
end $$;
comment on function private.plan_reminder is
  'Recalculates when the guests of an event are next reminded. The calling function has locked the event''s seats.';

create function private.put_rsvp(p_event uuid, p_user uuid, p_status text) returns void
language plpgsql volatile security definer   -- callers may not write replies
set search_path = ''
as $$
declare
  v_old   text;
  v_since timestamptz;
  v_going integer;
begin
  select status into v_old from app.event_rsvps where event_id = p_event and user_id = p_user;
  -- the clock may show the same time as for the previous reply, or an earlier one
  v_since := greatest(clock_timestamp(), (
    select since from app.event_rsvps where event_id = p_event and status = p_status
    order by since desc limit 1) + interval '1 microsecond');
  if p_status is null then
    delete from app.event_rsvps where event_id = p_event and user_id = p_user;
  else
    insert into app.event_rsvps as r (event_id, user_id, host_id, space_id, status, since)
    select c.id, p_user, c.author_id, c.space_id, p_status, v_since from app.contents c where c.id = p_event
    on conflict (event_id, user_id) do update set status = excluded.status, since = excluded.since;
  end if;
  update app.event_seats
  set going = going + (p_status is not distinct from 'going')::integer
                    - (v_old is not distinct from 'going')::integer,
      interested = interested + (p_status is not distinct from 'interested')::integer
                              - (v_old is not distinct from 'interested')::integer,
      waitlisted = waitlisted + (p_status is not distinct from 'waitlisted')::integer
                              - (v_old is not distinct from 'waitlisted')::integer
  where event_id = p_event returning going into v_going;
  if v_going <= 1 then
    perform private.plan_reminder(p_event);   -- the first guest replied, or the last guest took their reply back
  end if;
end $$;
comment on function private.put_rsvp is
  'Sets a person''s reply to an event, or deletes it if p_status is null, and updates the counts. The calling '
  'function has locked the event''s seats.';

create function private.fill_seats(p_event uuid) returns void
language plpgsql volatile security definer   -- callers may not write replies
set search_path = ''
as $$
declare
  v_free  integer;
  v_users uuid[];
begin
  -- without a capacity everybody who waits gets a seat; at most 500 people wait
  select greatest(0, coalesce(e.capacity - p.going, 500)) into v_free
  from app.events e join app.event_seats p on p.event_id = e.id
  where e.id = p_event and e.cancelled_at is null and e.ends_at > now() and p.waitlisted > 0;
  if not found or v_free = 0 then
    return;
  end if;
  v_users := array(select r.user_id from app.event_rsvps r
                   where r.event_id = p_event and r.status = 'waitlisted'
                     -- the replies of hidden people are about to be deleted
                     and not exists (select from app.hidden_people s where s.user_id = r.user_id)
                   order by r.since limit v_free);
  perform private.put_rsvp(p_event, u.id, 'going')
  from (select id from unnest(v_users) with ordinality as w (id, place) order by place) u;
  if v_users <> '{}' then
    perform private.emit('events.place.given', json_build_object('eventId', p_event, 'event', 'promoted'), v_users);
  end if;
end $$;
comment on function private.fill_seats is
  'Gives the free seats of an event to the people who have waited longest, and emits events.place.given. The calling '
  'function has locked the event''s seats.';

create function private.rsvp(p_head app.contents, p_status text) returns void
language plpgsql volatile security definer   -- callers may not write replies
set search_path = ''
as $$
declare
  v_me     uuid := private.require_caller();
  v_id     uuid := p_head.id;
  v_event  app.events;
  v_seats app.event_seats;
  v_old    text;
begin
  select * into v_event from app.events where id = v_id;
  select * into v_seats from app.event_seats where event_id = v_id;
  if v_event.cancelled_at is not null then
    perform private.raise_error('event_cancelled');
  elsif v_event.ends_at <= now() then
    perform private.raise_error('event_over');
  end if;
  select status into v_old from app.event_rsvps where event_id = v_id and user_id = v_me;
  if v_old = p_status or (p_status = 'going' and v_old = 'waitlisted') then
    return;
  elsif p_status = 'going' and v_seats.going >= v_event.capacity then
    if v_seats.waitlisted >= 500 then
      perform private.raise_error('event_waitlist_full');
    end if;
    perform private.put_rsvp(v_id, v_me, 'waitlisted');
  else
    perform private.put_rsvp(v_id, v_me, p_status);
    perform private.fill_seats(v_id);
  end if;
end $$;
comment on function private.rsvp is
  'Sets the caller''s reply to an event to going or interested. If they want to go and no seat is free, they get a '
  'place on the waiting list. The calling function has locked the event''s seats and its head '
  '(private.lock_open_content). Repeating it changes nothing.';

create function private.drop_rsvp(p_id uuid) returns boolean
language plpgsql volatile security definer   -- callers may not write replies
set search_path = ''
as $$
begin
  perform private.lock_events(array[p_id]);
  perform from app.event_rsvps where event_id = p_id and user_id = private.require_caller();
  if not found then
    return false;
  end if;
  perform private.put_rsvp(p_id, app.uid(), null);
  perform private.fill_seats(p_id);
  return true;
end $$;
comment on function private.drop_rsvp is
  'Takes the caller''s reply to an event back, even if they can''t see the event, and gives the seat to the person '
  'who has waited longest. Returns false if there is no reply.';

insert into private.operations_of_people (operation) values ('rsvp_event');

create function api.rsvp_event(p_id uuid, p_status text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_head app.contents;
begin
  if (p_status in ('going', 'interested')) is not true then
    perform private.raise_error('event_rsvp');
  end if;
  perform private.count_writes('rsvps');
  v_head := private.require_content('event', p_id);
  -- locks in the order of ARCHITECTURE.md, Locks. A concurrent ban or block either waits for this call and deletes the
  -- reply, or this call sees it
  perform private.share_lock_person(private.require_caller());
  perform private.write_in_space(v_head.space_id);
  perform private.lock_pairs(array[v_head.author_id], array[app.uid()]);
  perform private.lock_events(array[p_id]);
  perform private.rsvp(private.lock_open_content('event', p_id), p_status);
  return private.require_event_card(p_id);
end $$;
comment on function api.rsvp_event is
  'Records that the caller goes to an event, or is interested; repeating it changes nothing. If they want to go and '
  'no seat is free, they get a place on the waiting list of up to 500 people. Returns the card.';

create function api.unrsvp_event(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_dropped boolean := private.drop_rsvp(p_id);
begin
  if exists (select from app.contents where id = p_id and kind = 'event') then
    return null;   -- the response is 204
  elsif v_dropped then
    return private.error_response('event_unknown');   -- the reply is taken back, but the event is not shown
  end if;
  perform private.raise_error('event_unknown');
  return null;
end $$;
comment on function api.unrsvp_event is
  'Takes the caller''s reply back; repeating it changes nothing. The seat goes to the person who has waited '
  'longest. It also works on an event that the caller can no longer see, but then the response is the same as for '
  'an event that does not exist.';

create function private.find_attendees(p_event uuid, p_status text, p_cursor text) returns app.found
language plpgsql stable security definer   -- shows who replied, except people hidden from the caller
set search_path = ''
as $$
declare
  v_list   text := concat_ws(' ', 'attendees', p_event, p_status);
  v_place  app.place := private.page_start(v_list, p_cursor, true);
  v_from   timestamptz := v_place.at;   -- plain variables, so that the planner can use the index
  v_after  uuid := v_place.id;
  v_found  app.found;
begin
  with looked as materialized (
    select since as at, user_id as id from app.event_rsvps
    where event_id = p_event and status = p_status and (since, user_id) > (v_from, v_after)
    order by since, user_id limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_people v on v.id = l.id
                 order by l.at, l.id limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(v_list, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_attendees is
  'The next people with this reply to an event whom the caller sees, among the next 400.';
call private.force_index_scans('private.find_attendees');

create function private.list_attendees(p_event uuid, p_status text, p_limit integer, p_cursor text) returns json
language plpgsql stable security definer   -- see private.find_attendees
set search_path = ''
as $$
declare
  v_found app.found := private.find_attendees(p_event, p_status, p_cursor);
begin
  return (
    select private.page(
      json_agg(json_build_object('userId', p.actor_id, 'user', p.card, 'status', r.status,
                                 'since', private.utc(r.since)) order by i.place)
        filter (where i.place <= p_limit),
      coalesce(array_agg(private.place_cursor(concat_ws(' ', 'attendees', p_event, p_status), r.since, r.user_id)
                         order by i.place), '{}'), p_limit,
      v_found.next)
    from unnest(v_found.ids) with ordinality as i (id, place)
    cross join lateral (select * from app.event_rsvps
                        -- look up by key, to avoid a scan of all replies
                        where event_id = p_event and user_id = i.id offset 0) r
    join app.person_card p on p.id = i.id);
end $$;
comment on function private.list_attendees is 'A page of private.find_attendees: {userId, user, status, since}.';
call private.force_index_scans('private.list_attendees');

create function api.list_event_attendees(
  p_id uuid, p_status text default 'going', p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.list_attendees((private.require_content('event', p_id)).id, p_status, p_limit, p_cursor);
end $$;
comment on function api.list_event_attendees is
  'The people with this reply to an event (going, interested or waitlisted), earliest first.';
