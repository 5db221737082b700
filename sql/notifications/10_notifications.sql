-- Notifications: what happened to a person, rolled up when the same happens again and again. Each feature says which
-- of its events notify whom: features before this one have a file in this folder, later ones have
-- sql/<feature>/80_notifications.sql.

create table private.notification_kinds (
  kind              text primary key check (kind ~ '^[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*$'),
  rolls_up          boolean not null default false,
  counts_each       boolean not null default false check (rolls_up or not counts_each),
  replaces_unread   boolean not null default false check (not (rolls_up and replaces_unread)),
  passes_muted_post boolean not null default false,
  outlives_actor    boolean not null default false,
  default_channels  text[] not null default '{inApp}' check (default_channels <@ '{inApp,push,email}')
);
comment on table private.notification_kinds is
  'Every kind of notification, with a row from the feature that tells it.';
comment on column private.notification_kinds.rolls_up is
  'Whether items that come within an hour of the first join it in one notification, with a count and several actors.';
comment on column private.notification_kinds.counts_each is
  'For a roll-up: whether another item by somebody who is already in it counts, and makes it unread again.';
comment on column private.notification_kinds.replaces_unread is
  'Whether a group has at most one unread notification, which then is about the latest item.';
comment on column private.notification_kinds.passes_muted_post is
  'Whether it is told of a post that the person has muted.';
comment on column private.notification_kinds.outlives_actor is
  'Whether it stays, without a name, when the only person who caused it is erased.';
comment on column private.notification_kinds.default_channels is
  'Where it goes unless the person chooses otherwise. So far only in-app notifications are sent.';

create table app.notifications (
  id          uuid primary key default gen_random_uuid(),
  user_id     uuid not null references app.users on delete cascade,
  kind        text not null,
  group_key   text not null,
  count       integer not null default 1 check (count > 0),
  target_type text,
  target_id   text,
  payload     jsonb not null default '{}',
  created_at  timestamptz not null default now(),
  read_at     timestamptz,
  check ((target_type is null) = (target_id is null))
);
create index notifications_user_id_idx on app.notifications (user_id, created_at desc, id desc);
create index notifications_group_key_idx on app.notifications (user_id, group_key, created_at desc);
create index notifications_unread_idx on app.notifications (user_id, created_at) where read_at is null;
create index notifications_unread_group_idx on app.notifications (user_id, group_key, created_at)
  where read_at is null;
comment on table app.notifications is
  'A person''s notifications. target and payload go out as they are: ids of posts, circles, payments and the like, '
  'never the internal id of a person. In a roll-up, created_at is the time of the first item.';
comment on column app.notifications.read_at is
  'When the person marked it read; null while unread, and again when an item joins it.';

create table app.notification_actors (
  notification_id uuid not null references app.notifications on delete cascade,
  actor_id        uuid not null references app.users on delete cascade,
  created_at      timestamptz not null default now(),
  primary key (notification_id, actor_id)
);
create index notification_actors_actor_id_idx on app.notification_actors (actor_id);
create index notification_actors_first_idx on app.notification_actors (notification_id, created_at, actor_id);
comment on column app.notifications.kind is
  'One of private.notification_kinds, as private.notify checks. There is no foreign key, since everybody would lock '
  'the same row for it.';
comment on table app.notification_actors is
  'Everybody who caused a notification, each once, so that the next one shows when an actor is hidden later.';

insert into private.errors (code, status, text) values
  ('read_selection', 422, 'Exactly one of ids (at most 100), groupKey and before must be given.');

create view app.notification_card with (security_invoker) as
select n.id,
       json_build_object(
         'id', n.id,
         'kind', n.kind,
         'groupKey', n.group_key,
         'count', n.count,
         'actors', coalesce((
           select json_agg(a.card order by a.created_at, a.id)
           from (select p.card, a.created_at, p.id
                 from (select actor_id, created_at from app.notification_actors
                       where notification_id = n.id
                       order by created_at, actor_id limit 50) a
                 join app.person_card p on p.id = a.actor_id
                 order by a.created_at, p.id limit 3) a), '[]'),
         'target', case when n.target_id is not null
                        then json_build_object('type', n.target_type, 'id', n.target_id) end,
         'payload', n.payload,
         'createdAt', private.utc(n.created_at),
         'readAt', private.utc(n.read_at)) as card
from app.notifications n;
comment on view app.notification_card is
  'A notification: {id, kind, groupKey, count, actors, target, payload, createdAt, readAt}. actors are the first '
  'three whom the reader may still see, among the first 50.';

create function private.notification_cards(p_ids uuid[]) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning such a view takes ten times as long as running it
as $$
begin
  return (select json_agg(c.card order by i.place)
          from unnest(p_ids) with ordinality as i (id, place) join app.notification_card c on c.id = i.id);
end $$;
comment on function private.notification_cards is 'The cards of these notifications, in order, as far as the caller '
  'sees them.';
call private.make_walk('private.notification_cards');

create function private.roll_up(
  p_user uuid, p_kind private.notification_kinds, p_group_key text, p_actor uuid, p_payload jsonb
) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid;
begin
  -- so that two first items at once make one roll-up
  perform pg_advisory_xact_lock(hashtextextended('notification ' || p_user || p_group_key, 0));
  select id into v_id from app.notifications
  where user_id = p_user and group_key = p_group_key and created_at > now() - interval '1 hour'
  order by created_at desc limit 1
  for no key update;   -- an erasure of who caused it may be taking it away
  if not found then
    return false;
  end if;
  insert into app.notification_actors (notification_id, actor_id) values (v_id, p_actor) on conflict do nothing;
  -- a heart that is taken back and given again neither counts nor disturbs anybody twice
  if found or p_kind.counts_each then
    update app.notifications set count = count + 1, payload = p_payload, read_at = null where id = v_id;
  else
    -- what the payload named may be gone
    update app.notifications set payload = p_payload where id = v_id and payload <> p_payload;
  end if;
  return true;
end $$;
comment on function private.roll_up is
  'Adds an item to the notification of this group that is less than an hour old: it becomes unread and gets the '
  'latest payload. False when there is none.';

create function private.notify(
  p_user uuid, p_kind text, p_actor uuid, p_target_type text, p_target_id text,
  p_payload jsonb default '{}', p_group_key text default null
) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kind  private.notification_kinds;
  v_group text := coalesce(p_group_key, concat_ws(':', p_kind, p_target_id));
  v_id    uuid;
begin
  select * into strict v_kind from private.notification_kinds where kind = p_kind;
  if p_user = p_actor
     or private.find_level(p_user, p_actor) < 0
     or exists (select from app.mutes where muter_id = p_user and muted_id = p_actor)
     or exists (select from app.users where id = p_user and (banned_at is not null or erased_at is not null)) then
    return;
  end if;
  if p_target_type = 'post' and not v_kind.passes_muted_post
     and exists (select from app.post_mutes where user_id = p_user and post_id = p_target_id::uuid) then
    return;
  end if;
  if v_kind.rolls_up and private.roll_up(p_user, v_kind, v_group, p_actor, p_payload) then
    return;
  end if;
  if v_kind.replaces_unread then
    -- a person who is invited, removed and invited again has one unread notice, about the latest
    update app.notifications set target_id = p_target_id, payload = p_payload
    where user_id = p_user and group_key = v_group and read_at is null;
    if found then
      return;
    end if;
  end if;
  insert into app.notifications (user_id, kind, group_key, target_type, target_id, payload)
  values (p_user, p_kind, v_group, p_target_type, p_target_id, p_payload)
  returning id into v_id;
  if p_actor is not null then
    insert into app.notification_actors (notification_id, actor_id) values (v_id, p_actor);
  end if;
end $$;
comment on function private.notify is
  'Tells a person something, rolled up by kind and target unless a group key says otherwise. It tells nothing that '
  'they did themselves, nothing from muted people or across a block, nothing about a post that they have muted, and '
  'nothing to banned and erased people. Raises no_data_found for a kind that nobody registered.';

create function api.list_notifications(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_from   app.notifications;
  v_ids    uuid[];
begin
  select * into v_from from app.notifications where id = private.require_cursor(p_cursor);
  if p_cursor is not null and not found then
    perform private.fail('cursor_unknown');
  end if;
  -- plain variables: an expression makes no index condition
  v_from.created_at := coalesce(v_from.created_at, 'infinity');
  v_from.id := coalesce(v_from.id, v_caller);
  v_ids := array(select id from app.notifications
                 where user_id = v_caller and (created_at, id) < (v_from.created_at, v_from.id)
                 order by created_at desc, id desc limit 51);
  return private.page(private.notification_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
end $$;
comment on function api.list_notifications is
  'The caller''s notifications, newest first by their first item. Fails: cursor_unknown, limit_out_of_range.';

create function api.count_unread() returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
begin
  return json_build_object('count', (select count(*)
                                     from (select from app.notifications
                                           where user_id = v_caller and read_at is null limit 1000) n));
end $$;
comment on function api.count_unread is
  'How many notifications the caller has not read, counted up to 1000: {count}. A roll-up counts once.';
call private.make_walk('api.count_unread');

create function private.mark_earlier_read(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker goes on for the person
set search_path = ''
as $$
declare
  v_user   uuid := (p_job ->> 'userId')::uuid;
  v_group  text := p_job ->> 'groupKey';
  v_before timestamptz := p_job ->> 'before';
  v_ids    uuid[];
begin
  -- passes over what is locked: what joins a notification now makes it unread again, and who tells may hold one and
  -- want another
  if v_group is null then
    v_ids := array(select id from app.notifications
                   where user_id = v_user and read_at is null and created_at < v_before
                   order by created_at desc limit 500 for no key update skip locked);
  else
    v_ids := array(select id from app.notifications
                   where user_id = v_user and read_at is null and group_key = v_group and created_at < v_before
                   order by created_at desc limit 500 for no key update skip locked);
  end if;
  update app.notifications set read_at = now() where id = any (v_ids);
  -- what is read is not found again, so the next batch begins at the front
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[500]);
end $$;
comment on function private.mark_earlier_read is
  'For the worker alone, and private.mark_own_read: marks the newest 500 of a person''s unread notifications before a '
  'moment read, {userId, groupKey, before}, all or those of a group. Answers {changed, next}; next is null at the '
  'end.';
call private.make_walk('private.mark_earlier_read');

call private.make_batch_queue('read-notifications', 'private.mark_earlier_read');

create function private.mark_own_read(p_group_key text, p_before timestamptz) returns void
language plpgsql volatile security definer   -- private.mark_earlier_read marks anybody's
set search_path = ''
as $$
declare
  v_job json := json_build_object('userId', private.require_caller(), 'groupKey', p_group_key, 'before', p_before);
begin
  if private.mark_earlier_read(v_job::jsonb) ->> 'next' is not null then
    perform private.enqueue('read-notifications', v_job);
  end if;
end $$;
comment on function private.mark_own_read is
  'Marks the caller''s notifications before a moment read, all or those of a group: the newest 500 at once, the '
  'others soon after.';

create function api.mark_read(
  p_ids uuid[] default null, p_group_key text default null, p_before timestamptz default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if num_nonnulls(p_ids, p_group_key, p_before) <> 1 or cardinality(p_ids) > 100 then
    perform private.fail('read_selection');
  end if;
  -- of two devices the second counts what the first has left
  perform pg_advisory_xact_lock(hashtextextended('reads ' || private.require_caller(), 0));
  if p_ids is null then
    perform private.mark_own_read(p_group_key, coalesce(p_before, clock_timestamp()));
  else
    update app.notifications set read_at = now() where id = any (array(
      select id from app.notifications
      where user_id = private.require_caller() and read_at is null and id = any (p_ids)
      for no key update skip locked));   -- as in private.mark_earlier_read
  end if;
  return api.count_unread();
end $$;
comment on function api.mark_read is
  'Marks the caller''s notifications read: up to 100 ids, a group, or all before a moment, beyond 500 soon after. '
  'Notifications of others are skipped. Answers how many are still unread, as api.count_unread. Fails: '
  'read_selection.';
