-- Releases seats after a block between host and guest, after somebody leaves the space, and after a ban or an erasure.
-- The transaction takes the first 500 replies back, and the worker the others. docs/decisions.md, Events; Erasure and
-- export.

create function private.release_seats(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- callers may not write the replies of others
set search_path = ''
as $$
declare
  v_user   uuid := (p_job ->> 'userId')::uuid;
  v_host   uuid := (p_job ->> 'hostId')::uuid;
  v_space  uuid := (p_job ->> 'spaceId')::uuid;
  v_after  uuid := coalesce(p_after, '00000000-0000-0000-0000-000000000000');
  v_erased boolean := exists (select from app.users where id = v_user and erased_at is not null);
  v_ids    uuid[];
  v_id     uuid;
begin
  -- check the reason again, because a block, for example, may have ended before the batch runs
  if v_host is not null then
    if not private.may_meet(private.find_level(v_user, v_host)) then
      v_ids := array(select event_id from app.event_rsvps
                     where host_id = v_host and user_id = v_user and event_id > v_after order by event_id limit 500);
    end if;
  elsif v_space is not null then
    if private.find_role(v_space, v_user) is null then
      v_ids := array(select event_id from app.event_rsvps
                     where space_id = v_space and user_id = v_user and event_id > v_after order by event_id limit 500);
    end if;
  elsif exists (select from app.hidden_people where user_id = v_user) then
    v_ids := array(select event_id from app.event_rsvps
                   where user_id = v_user and event_id > v_after order by event_id limit 500);
  end if;
  if v_ids is null then
    return json_build_object('changed', 0, 'next', null);
  end if;
  perform private.lock_events(v_ids);
  for v_id in
    select i.id from unnest(v_ids) i (id)
    where v_erased or exists (select from app.events e where e.id = i.id and e.ends_at > now())
    order by i.id
  loop
    perform private.put_rsvp(v_id, v_user, null);
    perform private.fill_seats(v_id);
  end loop;
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[500]);
end $$;
comment on function private.release_seats is
  'For the worker and triggers: takes back the next 500 replies of a person {userId}: all of them, or those to '
  'events of a host {hostId} or in a space {spaceId}. Replies to events that are over remain, unless the person is '
  'erased. Seats go to the people who have waited longest. Returns {changed, next}; next is null at the end.';
call private.force_index_scans('private.release_seats');
call private.make_batch_queue('released-seats', 'private.release_seats');

create function private.release_seats_soon(p_job json) returns void
language plpgsql volatile security definer   -- see private.release_seats
set search_path = ''
as $$
begin
  if private.release_seats(p_job::jsonb) ->> 'next' is not null then
    perform private.enqueue('released-seats', p_job);
  end if;
end $$;
comment on function private.release_seats_soon is
  'Runs private.release_seats once, and leaves the other batches to the worker.';

create function private.release_blocked_seats() returns trigger
language plpgsql security definer   -- a block releases the seats of both people
set search_path = ''
as $$
begin
  perform private.release_seats_soon(json_build_object('userId', w.guest, 'hostId', w.host))
  from changed c
  cross join lateral (values (c.blocker_id, c.blocked_id), (c.blocked_id, c.blocker_id)) w (guest, host);
  return null;
end $$;
comment on function private.release_blocked_seats is
  'Trigger: after a block, takes back the replies of each of the two people to the other''s events that are not over.';
create trigger _220_release_blocked_seats after insert on app.blocks
  referencing new table as changed for each statement execute function private.release_blocked_seats();

create function private.release_left_seats() returns trigger
language plpgsql security definer   -- another person may have removed the member
set search_path = ''
as $$
begin
  -- an erasure releases all seats later: ARCHITECTURE.md, Locks
  if not exists (select from app.users where id = old.user_id and erased_at is not null) then
    perform private.release_seats_soon(json_build_object('userId', old.user_id, 'spaceId', old.space_id));
  end if;
  return null;
end $$;
comment on function private.release_left_seats is
  'Trigger: when a person leaves a space or is removed from it, takes back their replies to its events that are not '
  'over.';
create trigger _100_release_left_seats after delete on app.space_members
  for each row execute function private.release_left_seats();

create function private.release_hidden_seats(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_job json := json_build_object('userId', p_user.id);
begin
  -- an erasure releases these seats later, together with those of the person's own events, which it deletes
  perform private.lock_events(array(select event_id from app.event_rsvps where user_id = p_user.id
                                    order by event_id limit 500)
                              || case when p_user.erased_at is not null
                                      then private.next_contents(p_user.id, null) end);
  if private.release_seats(v_job::jsonb) ->> 'next' is null then
    return;
  elsif p_user.erased_at is not null then
    perform private.erase_later('released-seats', v_job);
  else
    perform private.enqueue('released-seats', v_job);
  end if;
end $$;
comment on function private.release_hidden_seats is
  'Step: takes back a banned person''s replies to events that are not over, and all replies of an erased person.';
insert into private.account_steps (step, events, position) values
  ('private.release_hidden_seats', '{ban,erasure}', 159);
