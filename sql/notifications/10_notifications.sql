-- Notifications: what happened to a person. The same event happening again and again is rolled up into one. Each
-- feature defines which of its events notify whom: features installed before this one have a file in this folder,
-- later ones have sql/<feature>/80_notifications.sql.

create table private.notification_kinds (
  kind              text primary key check (kind ~ '^[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*$'),
  rolls_up          boolean not null default false,
  counts_each       boolean not null default false check (rolls_up or not counts_each),
  replaces_unread   boolean not null default false check (not (rolls_up and replaces_unread)),
  passes_muted_post boolean not null default false,
  outlives_actor    boolean not null default false,
  always_in_app     boolean not null default false,
  default_channels  text[] not null default '{inApp,push,email}' check (default_channels <@ '{inApp,push,email}')
);
comment on table private.notification_kinds is
  'Registry: the kinds of notifications.';
comment on column private.notification_kinds.rolls_up is
  'Whether items within an hour of the first join it in one notification, with a count and several actors.';
comment on column private.notification_kinds.counts_each is
  'For a roll-up: whether another item by a person who is already in it counts and makes it unread again.';
comment on column private.notification_kinds.replaces_unread is
  'Whether a group has at most one unread notification, which is replaced by the latest item and takes its time; '
  'such a kind is pushed at most once an hour for one actor or group (private.begin_push_hour). For what somebody '
  'else can repeat at no cost.';
comment on column private.notification_kinds.passes_muted_post is
  'Whether it is sent even for a post that the person has muted.';
comment on column private.notification_kinds.outlives_actor is
  'Whether it remains, without a name, when the only person who caused it is erased.';
comment on column private.notification_kinds.default_channels is
  'The channels that it uses unless the person chooses others.';
comment on column private.notification_kinds.always_in_app is
  'Whether it always appears in the inbox: people can''t turn it off there.';

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
  updated_at  timestamptz not null default clock_timestamp(),
  read_at     timestamptz,
  in_app      boolean not null default true,
  round       integer not null default 1 check (round > 0),
  check ((target_type is null) = (target_id is null))
);
create index notifications_user_id_idx on app.notifications (user_id, created_at desc, id desc) where in_app;
create index notifications_updated_at_idx on app.notifications (user_id, updated_at, id) where in_app;
create index notifications_group_key_idx on app.notifications (user_id, group_key desc, created_at desc);
create index notifications_unread_idx on app.notifications (user_id, created_at)
  where read_at is null and in_app;
create index notifications_unread_group_idx on app.notifications (user_id, group_key, created_at)
  where read_at is null and in_app;
create index notifications_digest_idx on app.notifications (user_id, updated_at) where read_at is null;
comment on table app.notifications is
  'A person''s notifications. Clients get target and payload unchanged, so they hold ids of posts, circles, '
  'payments and the like, never the internal id of a person. created_at is when it happened: the time of the first '
  'item in a roll-up, of the latest item for a kind that replaces the unread one.';
comment on column app.notifications.round is
  'How many times it was new to the person: one more when it becomes unread again or is replaced by a later item.';
comment on column app.notifications.in_app is
  'Whether it is in the person''s inbox; if not, it exists only for push or a digest.';
comment on column app.notifications.read_at is
  'When the person marked it as read; null while it is unread, and again when an item joins it.';

create table app.notification_actors (
  notification_id uuid not null references app.notifications on delete cascade,
  actor_id        uuid not null references app.users on delete cascade,
  created_at      timestamptz not null default now(),
  primary key (notification_id, actor_id)
);
create index notification_actors_actor_id_idx on app.notification_actors (actor_id);
create index notification_actors_first_idx on app.notification_actors (notification_id, created_at, actor_id);
comment on column app.notifications.kind is
  'One of private.notification_kinds, as private.notify reads it. There is no foreign key because every insert '
  'would lock the same row of that table.';
comment on table app.notification_actors is
  'Everybody who caused a notification, each once. All are kept so that the next one is shown if an earlier one is '
  'hidden later.';

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
         'updatedAt', private.utc(n.updated_at),
         'readAt', private.utc(n.read_at)) as card
from app.notifications n;
comment on view app.notification_card is
  'A notification: {id, kind, groupKey, count, actors, target, payload, createdAt, updatedAt, readAt}. actors are '
  'the first three that the reader can see, among the first 50.';

insert into private.lock_kinds (kind, position) values ('reads', 650);

create function private.notification_cards(p_ids uuid[]) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning this view takes ten times as long as running it
as $$
begin
  return (select json_agg(c.card order by i.place)
          from unnest(p_ids) with ordinality as i (id, place) join app.notification_card c on c.id = i.id);
end $$;
comment on function private.notification_cards is 'The cards of these notifications, in order, without those '
  'that the caller can''t see.';
call private.force_index_scans('private.notification_cards');

create type private.notice as (
  user_id uuid, kind text, actor_id uuid, target_type text, target_id text, payload jsonb, group_key text,
  sees uuid[], caused_at timestamptz
);
comment on type private.notice is
  'A notification to be written: its kind, who caused it (null for nobody), what it is about, and when it happened. '
  'If group_key is null, the kind and the target make up the group. sees lists the posts that the person must still '
  'be able to see.';

create function private.add_notifications(p_notices private.notice[]) returns uuid[]
language plpgsql volatile
set search_path = ''
as $$
declare
  v_ids uuid[];
begin
  with news as materialized (
    select gen_random_uuid() as id, n.* from unnest(p_notices) n
  ), written as (
    insert into app.notifications (id, user_id, kind, group_key, target_type, target_id, payload, created_at)
    select n.id, n.user_id, n.kind, n.group_key, n.target_type, n.target_id, n.payload, n.caused_at from news n
  ), actors as (
    insert into app.notification_actors (notification_id, actor_id, created_at)
    select n.id, n.actor_id, n.caused_at from news n where n.actor_id is not null
  )
  select array_agg(n.id) into v_ids from news n;
  return v_ids;
end $$;
comment on function private.add_notifications is
  'Writes a notification, with its actor, for each of these notices and returns their ids.';

create function private.replace_unread(p_notice private.notice) returns boolean
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid;
begin
  select n.id into v_id from app.notifications n
  where n.user_id = p_notice.user_id and n.group_key = p_notice.group_key and n.read_at is null
  order by n.created_at desc limit 1
  for no key update;   -- the erasure of an actor may be deleting it
  if not found then
    return false;
  end if;
  delete from app.notification_actors where notification_id = v_id and actor_id is distinct from p_notice.actor_id;
  insert into app.notification_actors (notification_id, actor_id, created_at)
  select v_id, p_notice.actor_id, p_notice.caused_at where p_notice.actor_id is not null
  on conflict do nothing;
  update app.notifications
  set target_type = p_notice.target_type, target_id = p_notice.target_id, payload = p_notice.payload,
      created_at = greatest(created_at, p_notice.caused_at)
  where id = v_id;
  return true;
end $$;
comment on function private.replace_unread is
  'Points the unread notification of a group at a later item and its actor; returns false if there is none. So an '
  'action that somebody repeats, such as sending and withdrawing an invitation, leaves one notification.';

create function private.take_back_notice(p_user uuid, p_group_key text, p_payload jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from app.notifications
  where id = (select n.id from app.notifications n
              where n.user_id = p_user and n.group_key = p_group_key
              order by n.created_at desc limit 1)
    and payload @> p_payload;
end $$;
comment on function private.take_back_notice is
  'Deletes the latest notification of a group if its payload contains this one, because what it was about, such as '
  'an invitation, no longer exists. Lock first (private.lock_effects).';

create function private.roll_up(p_notices private.notice[], p_counts_each boolean) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  c_hour    constant interval := '1 hour';
  c_day     constant interval := '1 day';
  v_rest    private.notice[] := array(
    -- a reaction that is removed and added again an hour later doesn't notify again
    select n from unnest(p_notices) n
    where p_counts_each or not exists (
      select from (select o.id from app.notifications o
                   where o.user_id = n.user_id and o.group_key = n.group_key
                     and o.created_at <= n.caused_at - c_hour and o.created_at > n.caused_at - c_day
                   order by o.created_at desc limit 24) o
      join app.notification_actors a on a.notification_id = o.id and a.actor_id = n.actor_id));
  v_open    app.notifications;
  v_joining private.notice[];
  v_more    integer;
begin
  while v_rest <> '{}' loop
    select * into v_open from app.notifications n
    where n.user_id = v_rest[1].user_id and n.group_key = v_rest[1].group_key
      and n.created_at > v_rest[1].caused_at - c_hour and n.created_at < v_rest[1].caused_at + c_hour
    order by n.created_at desc limit 1
    for no key update;   -- the erasure of an actor may be deleting it
    if not found then
      v_open.id := (private.add_notifications(v_rest[:1]))[1];
      v_open.created_at := v_rest[1].caused_at;
      v_rest := v_rest[2:];
    end if;
    v_joining := array(select n from unnest(v_rest) n where n.caused_at < v_open.created_at + c_hour);
    v_rest := array(select n from unnest(v_rest) n where n.caused_at >= v_open.created_at + c_hour);
    continue when v_joining = '{}';
    insert into app.notification_actors (notification_id, actor_id, created_at)
    select v_open.id, n.actor_id, min(n.caused_at) from unnest(v_joining) n group by n.actor_id
    on conflict do nothing;
    get diagnostics v_more = row_count;
    -- a reaction that is removed and added again neither counts nor notifies twice
    if p_counts_each or v_more > 0 then
      update app.notifications
      set count = count + case when p_counts_each then cardinality(v_joining) else v_more end,
          payload = v_joining[cardinality(v_joining)].payload, read_at = null
      where id = v_open.id;
    else
      -- the old payload may name something that no longer exists
      update app.notifications set payload = v_joining[cardinality(v_joining)].payload
      where id = v_open.id and payload <> v_joining[cardinality(v_joining)].payload;
    end if;
  end loop;
end $$;
comment on function private.roll_up is
  'Writes items of one group: each joins the notification whose first item is less than an hour older, which '
  'becomes unread and takes the latest payload; if there is none, it starts a new one. Unless each item counts, an '
  'actor who is in an earlier notification of the last day doesn''t start a new one.';

create function private.notify(p_notices private.notice[]) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_group record;
  v_last  private.notice;
  v_new   private.notice[] := '{}';
begin
  for v_group in
    select k.rolls_up, k.counts_each, k.replaces_unread,
           array_agg((n.user_id, n.kind, n.actor_id, n.target_type, n.target_id, n.payload, g.key, n.sees,
                      n.caused_at)::private.notice order by n.place) as notices,
           -- the first item of a group has nothing to join, whatever times private.roll_up would compare
           k.rolls_up and (count(*) > 1 or exists (
             select from app.notifications o where o.user_id = n.user_id and o.group_key = g.key)) as may_join
    from unnest(p_notices) with ordinality
           as n (user_id, kind, actor_id, target_type, target_id, payload, group_key, sees, caused_at, place)
    cross join lateral (select coalesce(n.group_key, concat_ws(':', n.kind, n.target_id)) as key) g
    join private.notification_kinds k on k.kind = n.kind
    join app.users u on u.id = n.user_id and u.banned_at is null and u.erased_at is null
    left join app.users a on a.id = n.actor_id
    where n.user_id is distinct from n.actor_id
      and (k.outlives_actor or (a.banned_at is null and a.erased_at is null))
      and private.may_meet((select l.level from app.audience l
                            where l.viewer_id = n.user_id and l.author_id = n.actor_id))
      and not exists (select from app.mutes m where m.muter_id = n.user_id and m.muted_id = n.actor_id)
      and (k.passes_muted_post or not exists (
            select from app.post_mutes m
            where m.user_id = n.user_id
              and m.post_id = case when n.target_type = 'post' then n.target_id::uuid end))
      and not exists (select from unnest(n.sees) as s (id)
                      where private.post_visible_to(s.id, n.user_id) is not true)
      and private.is_wanted(n.user_id, n.kind)
    group by k.kind, n.user_id, g.key
    order by min(n.place)
  loop
    v_last := v_group.notices[cardinality(v_group.notices)];
    if v_group.may_join then
      perform private.roll_up(v_group.notices, v_group.counts_each);
    elsif v_group.replaces_unread then
      if not private.replace_unread(v_last) then
        v_new := v_new || v_last;
      end if;
    else
      v_new := v_new || v_group.notices;
    end if;
  end loop;
  if v_new <> '{}' then
    perform private.add_notifications(v_new);
  end if;
end $$;
comment on function private.notify is
  'Writes notifications, each group in order, rolled up by kind and target unless they have a group key. It checks '
  'again and skips: what people did themselves; anything from people whom they muted or across a block; anything '
  'from banned or erased people (unless the kind outlives its actor); anything about a post that they muted or '
  'can''t see; kinds for which they turned off every channel; and banned or erased recipients. Lock first '
  '(private.lock_effects).';

create function api.list_notifications(
  p_limit integer default 20, p_cursor text default null, p_since timestamptz default null
) returns json
language plpgsql volatile   -- applies the caller's waiting effects first
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_from   app.notifications;
  v_ids    uuid[];
begin
  perform private.catch_up(v_caller);
  if p_since is not null then
    return private.list_changed(p_limit, p_cursor, p_since);
  end if;
  select * into v_from from app.notifications where id = private.require_cursor(p_cursor);
  if p_cursor is not null and not found then
    perform private.raise_error('cursor_unknown');
  end if;
  -- plain variables: an expression defeats the index
  v_from.created_at := coalesce(v_from.created_at, 'infinity');
  v_from.id := coalesce(v_from.id, v_caller);
  v_ids := array(select id from app.notifications
                 where user_id = v_caller and in_app and (created_at, id) < (v_from.created_at, v_from.id)
                 order by created_at desc, id desc limit 51);
  return private.page(private.notification_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
end $$;
comment on function api.list_notifications is
  'The caller''s notifications, newest first by their first item; with p_since, those that are new or changed since '
  'then, as in private.list_changed.';

create function private.unread_count() returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();   -- evaluated once, and usable as an index condition
begin
  return json_build_object('count', (select count(*)
                                     from (select from app.notifications
                                           where user_id = v_caller and read_at is null and in_app
                                           limit 1000) n));
end $$;
comment on function private.unread_count is
  'The number of unread notifications in the caller''s inbox, counted up to 1000: {count}.';
call private.force_index_scans('private.unread_count');

create function api.count_unread() returns json
language plpgsql volatile   -- applies the caller's waiting effects first
set search_path = ''
as $$
begin
  perform private.catch_up(private.require_caller());
  return private.unread_count();
end $$;
comment on function api.count_unread is
  'The number of notifications that the caller has not read, counted up to 1000: {count}. A roll-up counts once.';

create function private.mark_earlier_read(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- the worker continues on the person's behalf
set search_path = ''
as $$
declare
  v_user   uuid := (p_job ->> 'userId')::uuid;
  v_group  text := p_job ->> 'groupKey';
  v_before timestamptz := p_job ->> 'before';
  v_ids    uuid[];
begin
  -- Skips locked rows to prevent deadlocks: the transaction that adds an item may hold one row and wait for another.
  -- An item that joins a notification now makes it unread again anyway.
  if v_group is null then
    v_ids := array(select id from app.notifications
                   where user_id = v_user and read_at is null and in_app and created_at < v_before
                   order by created_at desc limit 500 for no key update skip locked);
  else
    v_ids := array(select id from app.notifications
                   where user_id = v_user and read_at is null and in_app and group_key = v_group
                     and created_at < v_before
                   order by created_at desc limit 500 for no key update skip locked);
  end if;
  update app.notifications set read_at = now() where id = any (v_ids);
  -- rows marked as read are not found again, so the next batch starts from the beginning
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[500]);
end $$;
comment on function private.mark_earlier_read is
  'For the worker alone, and private.mark_own_read: marks as read the newest 500 of a person''s unread '
  'notifications from before a given time, {userId, groupKey, before}: all of them, or those of one group. Returns '
  '{changed, next}; next is null at the end.';
call private.force_index_scans('private.mark_earlier_read');

call private.make_batch_queue('read-notifications', 'private.mark_earlier_read');

create function private.mark_own_read(p_group_key text, p_before timestamptz) returns void
language plpgsql volatile security definer   -- private.mark_earlier_read can mark anybody's
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
  'Marks as read the caller''s notifications from before a given time, all or those of one group: the newest 500 at '
  'once, the others soon after.';

create function api.mark_read(
  p_ids uuid[] default null, p_group_key text default null, p_before timestamptz default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if num_nonnulls(p_ids, p_group_key, p_before) <> 1 or cardinality(p_ids) > 100 then
    perform private.raise_error('read_selection');
  end if;
  perform private.catch_up(private.require_caller());
  -- if two devices do this at once, the second returns the count after the first
  perform private.lock('reads', private.require_caller()::text);
  if p_ids is null then
    perform private.mark_own_read(p_group_key, coalesce(p_before, clock_timestamp()));
  else
    update app.notifications set read_at = now() where id = any (array(
      select id from app.notifications
      where user_id = private.require_caller() and read_at is null and in_app and id = any (p_ids)
      for no key update skip locked));   -- as in private.mark_earlier_read
  end if;
  return private.unread_count();   -- catching up again could wait for whoever adds to the rows locked here
end $$;
comment on function api.mark_read is
  'Marks the caller''s notifications as read: up to 100 ids, a group, or all before a given time; those beyond 500 '
  'soon after. Skips other people''s notifications. Returns how many are still unread, as api.count_unread.';
