-- A message to everybody. The worker notifies 500 people at a time, and each person exactly once, even if the worker
-- is killed.
-- docs/decisions.md, Notifications.

insert into private.errors (code, status, text) values
  ('broadcast_title', 422, 'A broadcast must have a title of 1 to 100 characters.'),
  ('broadcast_body', 422, 'A broadcast must have a body of 1 to 1000 characters.');
insert into private.event_types (name, payload, happens) values
  ('admin.broadcast.sent', '{broadcastId}', 'an admin sends a message to everybody');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('admin.broadcast.sent', 'broadcast', 'broadcastId', '{broadcastId}', '{}');
insert into private.notification_kinds (kind) values ('admin.broadcast');

create table app.broadcasts (
  id          uuid primary key default gen_random_uuid(),
  actor_id    uuid not null references app.users on delete restrict,
  title       text not null constraint broadcast_title check (length(title) between 1 and 100),
  body        text not null constraint broadcast_body check (length(body) between 1 and 1000),
  created_at  timestamptz not null default now(),
  told        integer not null default 0,
  told_to     uuid,
  finished_at timestamptz
);
create index broadcasts_actor_id_idx on app.broadcasts (actor_id, id);
comment on table app.broadcasts is
  'Messages of admins to everybody. The instance is the sender, so the messages remain when the admin is erased.';
comment on column app.broadcasts.told is 'The number of people handled so far, in the order of their ids.';
comment on column app.broadcasts.told_to is 'The last person who was handled.';
comment on column app.broadcasts.finished_at is 'When everybody had been notified; null until then.';
insert into private.personal_data (relation, person_column, section, omits) values
  ('app.broadcasts', 'actor_id', 'broadcasts', '{told_to}');

-- the row of the broadcast says who is next; in addition, this index prevents a second notification
create unique index notifications_broadcast_key on app.notifications (user_id, group_key)
  where kind = 'admin.broadcast';
insert into private.notification_targets (type, words) values
  ('broadcast', 'select target_id::uuid, payload ->> ''title'', payload ->> ''body'' from app.notifications
                 where user_id = (select app.uid()) and kind = ''admin.broadcast''
                   and group_key = any (array(select ''admin.broadcast:'' || id from unnest($1) as i (id)))');

create function private.deliver_broadcast(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- notifies people other than the caller
set search_path = ''
as $$
declare
  v_broadcast app.broadcasts;
  v_ids       uuid[];
  v_next      uuid;
begin
  -- if two workers run the same job, the second continues where the first ended
  select * into v_broadcast from app.broadcasts where id = (p_job ->> 'broadcastId')::uuid for update;
  if v_broadcast.finished_at is not null or not found then
    return json_build_object('changed', 0, 'next', null);
  end if;
  v_broadcast.told_to := coalesce(v_broadcast.told_to, '00000000-0000-0000-0000-000000000000');
  v_ids := array(select id from app.users
                 where id > v_broadcast.told_to and created_at <= v_broadcast.created_at order by id limit 500);
  -- these notifications are never rolled up, so they need no lock of effects
  perform private.notify(array(
    select (u.id, 'admin.broadcast', null, 'broadcast', v_broadcast.id::text,
            jsonb_build_object('title', v_broadcast.title, 'body', v_broadcast.body), null, null,
            v_broadcast.created_at)::private.notice
    from unnest(v_ids) as u (id)));
  v_next := v_ids[500];
  update app.broadcasts
  set told = told + cardinality(v_ids), told_to = v_ids[cardinality(v_ids)],
      finished_at = case when v_next is null then now() end
  where id = v_broadcast.id
  returning told into v_broadcast.told;
  if v_next is not null and v_broadcast.told % 25000 = 0 then
    -- begin a new job, so that no job exceeds its time limit, and the queue soon notices a killed job
    perform private.enqueue('broadcasts', p_job::json);
    v_next := null;
  end if;
  return json_build_object('changed', cardinality(v_ids), 'next', v_next);
end $$;
comment on function private.deliver_broadcast is
  'For the worker alone: notifies the next 500 people of the broadcast {broadcastId}. It uses the broadcast''s own '
  'row and not p_after, so that each person is notified once. Returns {changed, next}; next is null at the end, and '
  'after 25,000 people, when another job continues.';
call private.make_batch_queue('broadcasts', 'private.deliver_broadcast');

create function private.add_broadcast(p_title text, p_body text) returns app.broadcasts
language plpgsql volatile security definer   -- callers may not write broadcasts
set search_path = ''
as $$
declare
  v_broadcast app.broadcasts;
begin
  insert into app.broadcasts (actor_id, title, body)
  values (private.require_caller(), private.require_name(p_title), private.require_text(p_body))
  returning * into v_broadcast;
  return v_broadcast;
end $$;
comment on function private.add_broadcast is
  'Stores a message to everybody, but does not send it yet. Fails: broadcast_title, broadcast_body.';

create function private.begin_broadcast(p_title text, p_body text) returns app.broadcasts
language plpgsql volatile security definer   -- callers may not use the queues
set search_path = ''
as $$
declare
  v_broadcast app.broadcasts := private.add_broadcast(p_title, p_body);
begin
  perform private.enqueue('broadcasts', json_build_object('broadcastId', v_broadcast.id));
  perform private.emit('admin.broadcast.sent', json_build_object('broadcastId', v_broadcast.id));
  return v_broadcast;
end $$;
comment on function private.begin_broadcast is
  'Queues a message to everybody who is registered now. Fails: broadcast_title, broadcast_body.';

create function private.count_recipients(p_kind text) returns bigint
language plpgsql stable security definer   -- callers may not read the preferences of others
set search_path = ''
as $$
begin
  -- people without a row get the default of the kind
  return (select count(*) from app.users u where u.banned_at is null and u.erased_at is null)
       - (select count(*)
          from app.notification_preferences p
          join app.users u on u.id = p.user_id and u.banned_at is null and u.erased_at is null
          where p.kind = p_kind and not private.is_wanted(p.user_id, p.kind));
end $$;
comment on function private.count_recipients is
  'The number of people who would get a notification of this kind that goes to everybody. People get it unless they '
  'turned the kind off.';

create function api.preview_broadcast(p_title text, p_body text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_broadcast app.broadcasts;
begin
  perform private.require_role('admin');
  begin
    -- write the row and roll it back, so that a preview rejects and changes texts in the same way as a broadcast
    v_broadcast := private.add_broadcast(p_title, p_body);
    raise exception using errcode = 'KP001';
  exception when sqlstate 'KP001' then
    null;
  end;
  return json_build_object('title', v_broadcast.title, 'body', v_broadcast.body,
                           'recipients', private.count_recipients('admin.broadcast'));
end $$;
comment on function api.preview_broadcast is
  'Shows what a broadcast would be: {title, body, recipients}. It sends and stores nothing.';

create function api.broadcast(p_title text, p_body text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_broadcast app.broadcasts;
  v_kept      json;
begin
  perform private.require_role('admin');
  v_kept := private.begin_idempotent('broadcast', json_build_array(p_title, p_body));
  if v_kept is not null then
    return v_kept;
  end if;
  v_broadcast := private.begin_broadcast(p_title, p_body);
  perform private.audit('broadcast.sent', 'broadcast', v_broadcast.id::text);
  return private.finish_idempotent('broadcast', json_build_object(
    'id', v_broadcast.id, 'title', v_broadcast.title, 'body', v_broadcast.body,
    'createdAt', private.utc(v_broadcast.created_at)));
end $$;
comment on function api.broadcast is
  'Queues a message to everybody who is neither banned nor erased: {id, title, body, createdAt}. Leaves an audit '
  'entry. Takes an Idempotency-Key.';

insert into private.links (type, path) values ('broadcast', '/notifications');
