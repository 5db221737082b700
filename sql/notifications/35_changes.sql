-- To catch up, a client lists the notifications that are new or changed since its last request. It may miss a Realtime
-- message, but this list misses no row. docs/decisions.md, Notifications.

create function private.note_change() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.updated_at := clock_timestamp();
  if (old.read_at is not null and new.read_at is null) or new.created_at > old.created_at then
    new.round := old.round + 1;
  end if;
  return new;
end $$;
comment on function private.note_change is
  'Trigger: records when a notification changed, and counts its rounds (app.notifications.round).';
create trigger note_change before update on app.notifications
  for each row execute function private.note_change();

create function private.note_late_change() returns trigger
language plpgsql security definer   -- the caller may not write other people's notifications
set search_path = ''
as $$
begin
  if new.updated_at < clock_timestamp() - interval '1 second' then
    -- check again, because the row may have changed once more in the same transaction
    update app.notifications set updated_at = default
    where id = new.id and updated_at < clock_timestamp() - interval '1 second';
  end if;
  return null;
end $$;
comment on function private.note_late_change is
  'Trigger, at commit: if a row changed more than a second ago, sets its updated_at to the current time. Otherwise '
  'a client that has caught up meanwhile would never see the change, because its time would be before the last '
  'change that the client has seen.';
create constraint trigger note_late_change after insert or update on app.notifications
  deferrable initially deferred for each row execute function private.note_late_change();

create function private.list_changed(p_limit integer, p_cursor text, p_since timestamptz) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  -- a commit takes time, so a row with an earlier time may become visible after one with a later time
  v_at     timestamptz := p_since - interval '3 seconds';
  v_id     uuid := '00000000-0000-0000-0000-000000000000';
  v_place  app.place;
  v_ids    uuid[];
  v_places text[];
begin
  if p_cursor is not null then
    v_place := private.cursor_place('changed notifications', p_cursor);
    if v_place.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
    v_at := v_place.at;
    v_id := v_place.id;
  end if;
  select array_agg(n.id order by n.updated_at, n.id),
         coalesce(array_agg(private.place_cursor('changed notifications', n.updated_at, n.id)
                            order by n.updated_at, n.id), '{}')
  into v_ids, v_places
  from (select id, updated_at from app.notifications
        where user_id = v_caller and in_app and (updated_at, id) > (v_at, v_id)
        order by updated_at, id limit 51) n;
  return private.page(private.notification_cards(v_ids[:p_limit]), v_places, p_limit);
end $$;
comment on function private.list_changed is
  'The caller''s notifications that are new or changed since p_since, or up to 3 seconds before it, the oldest change '
  'first. A cursor is a place, because a row moves to the end of the list when it changes.';
