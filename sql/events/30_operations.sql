-- Publishing, listing, opening, changing, cancelling and deleting events.
-- docs/decisions.md, Contents; Events; Lists.

create function private.event_with(p_event app.events, p_changes jsonb) returns app.events
language plpgsql stable
set search_path = ''
as $$
declare
  v_event    app.events := p_event;
  v_location jsonb := p_changes -> 'location';
begin
  if p_changes ? 'body' then
    v_event.body := private.require_body(p_changes ->> 'body');
  end if;
  if p_changes ? 'startsAt' then
    v_event.starts_at := p_changes ->> 'startsAt';
    if v_event.starts_at is distinct from p_event.starts_at and v_event.starts_at <= now() then
      perform private.raise_error('event_past');
    end if;
  end if;
  if p_changes ? 'endsAt' then
    v_event.ends_at := p_changes ->> 'endsAt';
  end if;
  if p_changes ? 'timezone' then
    v_event.timezone := private.require_timezone(p_changes ->> 'timezone');
  end if;
  if p_changes ? 'location' then
    if (v_location ->> 'kind' in ('online', 'place', 'hybrid')) is not true then
      perform private.raise_error('event_location');
    end if;
    v_event.location_kind := v_location ->> 'kind';
    v_event.url := nullif(private.require_text(v_location ->> 'url'), '');
    v_event.city := nullif(private.require_name(v_location ->> 'city'), '');
    v_event.country := nullif(private.require_name(v_location ->> 'country'), '');
    v_event.address := nullif(private.require_text(v_location ->> 'address'), '');
  end if;
  if p_changes ? 'capacity' then
    v_event.capacity := p_changes ->> 'capacity';
  end if;
  return v_event;
end $$;
comment on function private.event_with is
  'Returns an event with these changes applied, {body, startsAt, endsAt, timezone, location, capacity}; missing '
  'fields do not change.';

create function private.add_event(
  p_event app.events, p_title text, p_interest uuid, p_group_id text, p_guild_id text
) returns uuid
language plpgsql volatile security definer   -- callers may not write a detail
set search_path = ''
as $$
declare
  v_event app.events := p_event;
begin
  v_event.id := private.add_content('event', p_interest, p_title, array[v_event.body::text], p_group_id, p_guild_id);
  v_event.sequence := 0;
  insert into app.events select v_event.*;
  insert into app.event_seats (event_id, host_id) values (v_event.id, private.require_caller());
  return v_event.id;
end $$;
comment on function private.add_event is
  'Publishes an event of the caller. Fails: event_times, event_capacity, event_url, event_location.';

create function api.create_event(
  p_title text, p_body text, p_starts_at timestamptz, p_ends_at timestamptz, p_timezone text, p_location jsonb,
  p_capacity integer default null, p_interest_id uuid default null, p_group_id text default null,
  p_guild_id text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept  json := private.begin_idempotent('create_event', json_build_array(
    p_title, p_body, p_starts_at, p_ends_at, p_timezone, p_location, p_capacity, p_interest_id, p_group_id,
    p_guild_id));
  v_event app.events;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_event := private.event_with(null, jsonb_build_object(
    'body', p_body, 'startsAt', p_starts_at, 'endsAt', p_ends_at, 'timezone', p_timezone, 'location', p_location,
    'capacity', p_capacity));
  v_event.id := private.add_event(v_event, p_title, p_interest_id, p_group_id, p_guild_id);
  return private.finish_idempotent('create_event', private.event_cards(array[v_event.id]) -> 0);
end $$;
comment on function api.create_event is 'Publishes an event, optionally in a group or guild.';

create function api.list_events(
  p_when text default null, p_from timestamptz default null, p_to timestamptz default null,
  p_country text default null, p_city text default null, p_interest_id uuid default null,
  p_author_id text default null, p_q text default null, p_group_id text default null,
  p_guild_id text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_past   boolean := p_when is not distinct from 'past';
  v_timed  boolean := p_when is not null or p_from is not null or p_to is not null;
  v_from   timestamptz := case p_when when 'upcoming' then greatest(p_from, now()) else p_from end;
  v_to     timestamptz := case when v_past then least(p_to, now()) else p_to end;
  v_wanted jsonb := jsonb_strip_nulls(jsonb_build_object(
    'from', v_from, 'to', v_to, 'country', private.fold_query(p_country), 'city', private.fold_query(p_city)));
  v_found  app.listing;
begin
  if p_when not in ('upcoming', 'past') then
    perform private.raise_error('event_when');
  end if;
  v_found := private.search_contents(
    'event', p_interest_id, p_author_id, p_q, p_group_id, p_guild_id, p_cursor, v_wanted,
    case when p_when = 'upcoming' then 'upcoming' when v_timed then 'start' end, v_timed and not v_past,
    case when v_past then v_to when v_timed then v_from end,
    p_end => case when v_past then v_from else v_to end);
  return private.page(private.event_cards(v_found.ids[:p_limit]), v_found.cursors, p_limit, v_found.next);
end $$;
comment on function api.list_events is
  'Events, newest first. With `when` or dates, events are ordered by start: the soonest first, or with `when` = '
  'past the latest first. `upcoming` events have not begun and are not cancelled; `past` events have begun.';

create function api.get_event(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_event_card(p_id); end $$;
comment on function api.get_event is 'The card of an event.';

create function api.get_event_calendar(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.merge_objects(private.require_event_card(p_id), (
    select json_build_object(
      'sequence', e.sequence,
      'localStart', to_char(e.starts_at at time zone private.known_timezone(e.timezone), 'YYYY-MM-DD"T"HH24:MI:SS'),
      'localEnd', to_char(e.ends_at at time zone private.known_timezone(e.timezone), 'YYYY-MM-DD"T"HH24:MI:SS'))
    from app.events e where e.id = p_id));
end $$;
comment on function api.get_event_calendar is
  'An event for a calendar: its card with {sequence, localStart, localEnd}; the last two are local times in the '
  'event''s time zone.';

create function private.find_my_events(p_role text, p_cursor text) returns app.listing
language plpgsql stable security definer   -- reads replies; private.visible_contents checks the events
set search_path = ''
as $$
declare
  v_me     uuid := private.require_caller();
  v_place  app.place := private.page_start('my events', p_cursor);
  v_from   timestamptz := v_place.at;   -- plain variables, so that the planner can use the index
  v_before uuid := v_place.id;
  v_found  app.listing;
begin
  with looked as materialized (
    select w.at, w.id from (
      (select created_at as at, id from app.contents
       where p_role is distinct from 'going' and author_id = v_me and kind = 'event'
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select since, event_id from app.event_rsvps
       where p_role is distinct from 'hosting' and user_id = v_me and status = 'going'
         and (p_role = 'going' or host_id <> v_me) and (since, event_id) < (v_from, v_before)
       order by since desc, event_id desc limit 400)) w
    order by w.at desc, w.id desc limit 400
  ), seen as materialized (
    select l.at, l.id from looked l join private.visible_contents c on c.id = l.id
    order by l.at desc, l.id desc limit 51
  )
  select array(select id from seen order by at desc, id desc),
         array(select private.place_cursor('my events', at, id) from seen order by at desc, id desc),
         case when (select count(*) from seen) < 51
              then (select private.place_cursor('my events', l.at, l.id)
                    from (select * from looked offset 399 limit 1) l) end
  into v_found;
  return v_found;
end $$;
comment on function private.find_my_events is
  'The next events that the caller hosts or goes to, among the next 400. They are ordered by the time at which the '
  'caller published the event or got a seat.';
call private.force_index_scans('private.find_my_events');

create function api.list_my_events(p_role text default null, p_limit integer default 20, p_cursor text default null)
returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.listing;
begin
  if p_role not in ('hosting', 'going') then
    perform private.raise_error('event_role');
  end if;
  v_found := private.find_my_events(p_role, p_cursor);
  return private.page(private.event_cards(v_found.ids[:p_limit]), v_found.cursors, p_limit, v_found.next);
end $$;
comment on function api.list_my_events is
  'The events that the caller hosts, goes to, or both. They are ordered by the time at which the caller published '
  'the event or got a seat, latest first.';

create function private.lock_own_event(p_id uuid) returns app.contents
language plpgsql volatile security definer   -- callers may not write events
set search_path = ''
as $$
declare
  v_head  app.contents;
  v_event app.events;
begin
  perform private.count_writes('edits');
  perform private.lock_events(array[p_id]);   -- lock the seats before the head: ARCHITECTURE.md, Locks
  v_head := private.lock_own_content('event', p_id, false);
  perform from private.visible_contents where id = p_id;
  if not found then
    perform private.raise_error('event_unknown');
  end if;
  select * into v_event from app.events where id = p_id;
  if v_event.cancelled_at is not null then
    perform private.raise_error('event_cancelled');
  elsif v_event.ends_at <= now() then
    perform private.raise_error('event_over');
  end if;
  return v_head;
end $$;
comment on function private.lock_own_event is
  'Locks the seats and the head of the caller''s own event, and returns the head. The event must be neither cancelled '
  'nor over.';

create function private.change_event(p_id uuid, p_changes jsonb) returns void
language plpgsql volatile security definer   -- callers may not write events
set search_path = ''
as $$
declare
  v_head  app.contents := private.lock_own_event(p_id);
  v_old   app.events;
  v_event app.events;
begin
  select * into v_old from app.events where id = p_id;
  v_event := private.event_with(v_old, p_changes);
  perform private.edit_content(v_head, p_changes, array[v_event.body::text]);
  update app.events
  set body = v_event.body, starts_at = v_event.starts_at, ends_at = v_event.ends_at, timezone = v_event.timezone,
      location_kind = v_event.location_kind, url = v_event.url, city = v_event.city, country = v_event.country,
      address = v_event.address, capacity = v_event.capacity, sequence = sequence + 1
  where id = p_id;
  perform private.fill_seats(p_id);
  if (v_event.starts_at, v_event.ends_at, v_event.timezone, v_event.location_kind, v_event.url, v_event.city,
      v_event.country, v_event.address)
     is distinct from (v_old.starts_at, v_old.ends_at, v_old.timezone, v_old.location_kind, v_old.url, v_old.city,
                       v_old.country, v_old.address) then
    perform private.emit('events.event.changed', json_build_object(
      'eventId', p_id, 'event', 'changed', 'sequence', v_old.sequence + 1));
  end if;
end $$;
comment on function private.change_event is
  'Changes the caller''s own event, gives added seats to the people who have waited longest, and emits '
  'events.event.changed if the time or the location changes. Fails: event_times, event_capacity, event_url.';

create function api.update_event(p_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.change_event(p_id, p_changes);
  return private.require_event_card(p_id);
end $$;
comment on function api.update_event is
  'Changes the caller''s own event, {title, body, interestId, startsAt, endsAt, timezone, location, capacity}. '
  'Returns the card.';

create function private.cancel_event(p_id uuid, p_reason text) returns void
language plpgsql volatile security definer   -- callers may not write events
set search_path = ''
as $$
declare
  v_sequence integer;
begin
  perform private.lock_own_event(p_id);
  update app.events
  set cancelled_at = now(), cancel_reason = nullif(private.require_text(p_reason), ''), sequence = sequence + 1
  where id = p_id returning sequence into v_sequence;
  perform private.emit('events.event.changed', json_build_object(
    'eventId', p_id, 'event', 'cancelled', 'sequence', v_sequence));
end $$;
comment on function private.cancel_event is
  'Cancels the caller''s own event, and emits events.event.changed. Fails: event_reason.';

create function api.cancel_event(p_id uuid, p_reason text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.cancel_event(p_id, p_reason);
  return private.require_event_card(p_id);
end $$;
comment on function api.cancel_event is 'Cancels the caller''s own event permanently. Returns the card.';

create function private.delete_event(p_id uuid) returns boolean
language plpgsql volatile security definer   -- callers may not delete the replies of others
set search_path = ''
as $$
begin
  perform private.lock_events(array[p_id]);   -- lock the seats before the head: ARCHITECTURE.md, Locks
  return private.delete_content('event', p_id);
end $$;
comment on function private.delete_event is 'Deletes the caller''s own event; returns false if there is none.';

create function api.delete_event(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if not private.delete_event(p_id) then
    perform private.require_content('event', p_id);
    perform private.raise_error('content_not_yours');
  end if;
  return null;   -- the response is 204
end $$;
comment on function api.delete_event is 'Deletes the caller''s event permanently, including the replies to it.';
