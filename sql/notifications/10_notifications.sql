-- Notifications tell a person what happened. If the same thing happens several times, the items are rolled up into one
-- notification. Each feature defines which of its events notify whom. Features that are created before the
-- notifications have a file in this folder; later features have sql/<feature>/80_notifications.sql.

create table private.notification_kinds (
  kind              text primary key check (kind ~ '^[a-z]+(-[a-z]+)*\.[a-z]+(-[a-z]+)*$'),
  rolls_up          boolean not null default false,
  counts_each       boolean not null default false check (rolls_up or not counts_each),
  replaces_unread   boolean not null default false check (not (rolls_up and replaces_unread)),
  passes_muted_post boolean not null default false,
  outlives_actor    boolean not null default false,
  always_in_app     boolean not null default false,
  default_channels  text[] not null default '{inApp,push,email}' check (default_channels <@ '{inApp,push,email}'),
  path              text check (path ~ '^(/([a-z-]+|\{[A-Za-z]+\}))+$')
);
comment on table private.notification_kinds is
  'Registry: the kinds of notifications.';
comment on column private.notification_kinds.rolls_up is
  'Whether items within an hour of the first item join its notification, which then has a count and several actors.';
comment on column private.notification_kinds.counts_each is
  'Whether, for kinds that roll up, another item by an actor of the notification counts and makes it unread again.';
comment on column private.notification_kinds.replaces_unread is
  'Whether a group has at most one unread notification, which the latest item replaces. It is true for actions that '
  'somebody else can repeat at no cost. Notifications of such a kind are pushed at most once an hour for one actor '
  'or group (private.begin_push_hour).';
comment on column private.notification_kinds.passes_muted_post is
  'Whether notifications of this kind are sent even for a post that the person has muted.';
comment on column private.notification_kinds.outlives_actor is
  'Whether notifications of this kind remain, without a name, after the erasure of their only actor.';
comment on column private.notification_kinds.default_channels is
  'The channels that the kind uses unless the person chooses others.';
comment on column private.notification_kinds.always_in_app is
  'Whether notifications of this kind always appear in the inbox, so that people can''t turn them off there.';

comment on column private.notification_kinds.path is
  'Where clients show a single notification of this kind, if that is not the place of its target (private.links): a '
  'path with fields of the payload, such as {replyId}.';

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
create index notifications_updated_at_idx on app.notifications (user_id, in_app, updated_at, id);
comment on index app.notifications_updated_at_idx is
  'private.list_changed reads the changes in a person''s inbox by this index, and digests read all changes.';
create index notifications_group_key_idx on app.notifications (user_id, group_key desc, created_at desc);
create index notifications_unread_idx on app.notifications (user_id, created_at)
  where read_at is null and in_app;
create index notifications_unread_group_idx on app.notifications (user_id, group_key, created_at)
  where read_at is null and in_app;
comment on table app.notifications is
  'A person''s notifications. Clients get target and payload unchanged, so these have ids of posts, circles, '
  'payments and the like, and never the internal id of a person. created_at is the time of the event: of the first '
  'item in a roll-up, of the latest item in a kind that replaces the unread notification.';
comment on column app.notifications.round is
  'The number of times that the notification was new to the person. It increases when the notification becomes '
  'unread again or a later item replaces it.';
comment on column app.notifications.in_app is
  'Whether the notification is in the person''s inbox. If not, it exists only for push or a digest.';
comment on column app.notifications.read_at is
  'When the person marked the notification as read; null while it is unread, and again when an item joins it.';

create table app.notification_actors (
  notification_id uuid not null references app.notifications on delete cascade,
  actor_id        uuid not null references app.users on delete cascade,
  created_at      timestamptz not null default now(),
  primary key (notification_id, actor_id)
);
create index notification_actors_actor_id_idx on app.notification_actors (actor_id);
create index notification_actors_first_idx on app.notification_actors (notification_id, created_at, actor_id);
comment on column app.notifications.kind is
  'One of private.notification_kinds, because private.notify joins that table. The column has no foreign key, '
  'because then every insert would lock the same row of that table.';
comment on table app.notification_actors is
  'The actors of a notification: everybody who caused it, each once. All are stored, so that another actor can be '
  'shown if one becomes hidden.';

insert into private.errors (code, status, text) values
  ('read_selection', 422, 'Exactly one of ids (at most 100), groupKey and before must be given.');

create function private.notification_path(
  p_kind text, p_count integer, p_target_type text, p_target_id text, p_payload jsonb
) returns text
language plpgsql stable security definer   -- people may not read the registries
set search_path = ''
as $$
begin
  return coalesce(
    (select private.fill_path(k.path, p_payload) from private.notification_kinds k
     -- if there are several items, the payload names only the latest
     where k.kind = p_kind and (p_count = 1 or p_target_type is null)),
    (select private.fill_path(l.path, p_payload || jsonb_build_object('id', p_target_id)) from private.links l
     where l.type = p_target_type),
    '/notifications');
end $$;
comment on function private.notification_path is
  'Where clients show a notification, as a path below PUBLIC_URL: the place of its kind, or that of its target.';

create view app.notification_card with (security_invoker) as
select n.id,
       concat_ws(' ', n.target_type, n.target_id) as target,
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
         'path', private.notification_path(n.kind, n.count, n.target_type, n.target_id, n.payload),
         'payload', n.payload,
         'createdAt', private.utc(n.created_at),
         'updatedAt', private.utc(n.updated_at),
         'readAt', private.utc(n.read_at)) as card
from app.notifications n;
comment on view app.notification_card is
  'A notification: {id, kind, groupKey, count, actors, target, path, payload, createdAt, updatedAt, readAt}. Of the '
  'first 50 actors, the notification has the first three whom the caller can see.';

insert into private.lock_kinds (kind, position) values ('reads', 650);

create table private.notification_targets (
  type  text primary key check (type ~ '^[a-z]+(-[a-z]+)*$'),
  words text not null
);
comment on table private.notification_targets is
  'Registry: the types of targets of notifications that have words.';
comment on column private.notification_targets.words is
  'The query for (id, title, text) of the targets ($1) that the caller sees now. It runs with the caller''s rights '
  'and looks up each target by its key. Title and text may be null.';

create function private.find_words_query(p_type text) returns text
language plpgsql stable security definer   -- callers may not read the registry
set search_path = ''
as $$ begin return (select words from private.notification_targets where type = p_type); end $$;
comment on function private.find_words_query is
  'The query for the words of targets of this type; null if they have none.';

create function private.beginning(p_text text) returns text
language plpgsql immutable
set search_path = ''
as $$
declare
  c_read constant integer := 300;
  c_most constant integer := 200;
  v_line text := btrim(regexp_replace(left(p_text, c_read), '\s+', ' ', 'g'));
begin
  if length(v_line) > c_most or length(p_text) > c_read then
    return rtrim(left(v_line, c_most - 1)) || '…';
  end if;
  return nullif(v_line, '');
end $$;
comment on function private.beginning is
  'The beginning of a text as one line of up to 200 characters, with … if it goes on; null if it is empty. It reads '
  '300 characters.';

create function private.words_of_targets(p_notifications uuid[], out keys text[], out words text[])
language plpgsql stable   -- runs as the invoker: things that policies hide have no words
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
  v_type  text;
  v_ids   uuid[];
  v_query text;
begin
  keys := '{}';
  words := '{}';
  for v_type, v_ids in
    select n.target_type, array_agg(distinct n.target_id::uuid)
    from app.notifications n
    where n.id = any (p_notifications) and pg_input_is_valid(n.target_id, 'uuid')
    group by n.target_type
  loop
    v_query := private.find_words_query(v_type);
    continue when v_query is null;
    -- safe: the query comes from the registry
    execute format($q$ select $2 || array_agg(%L || w.id),
                              $3 || array_agg(',"title":' || coalesce(to_json(w.title)::text, 'null') || ',"excerpt":'
                                              || coalesce(to_json(private.beginning(w.text))::text, 'null') || '}')
                       from (%s) as w (id, title, text) $q$, v_type || ' ', v_query)
      into keys, words using v_ids, keys, words;
  end loop;
end $$;
comment on function private.words_of_targets is
  'The words of the targets of these notifications that the caller sees now: type and id of each target, and title '
  'and excerpt as the end of a JSON object. It reads each target once.';
call private.force_index_scans('private.words_of_targets');

create function private.notification_cards(p_ids uuid[]) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning the view takes ten times as long as running it
as $$
declare
  v_keys  text[];
  v_words text[];
begin
  select keys, words into v_keys, v_words from private.words_of_targets(p_ids);
  -- use text, which is parsed once
  return (
    select ('[' || string_agg(left(c.card::text, -1)
                              || coalesce(v_words[array_position(v_keys, c.target)], ',"title":null,"excerpt":null}'),
                              ',' order by i.place) || ']')::json
    from unnest(p_ids) with ordinality as i (id, place) join app.notification_card c on c.id = i.id);
end $$;
comment on function private.notification_cards is
  'The cards of these notifications, in order, without those that the caller can''t see, each with {title, excerpt} '
  'of its target as the caller sees it now.';
call private.force_index_scans('private.notification_cards');

create type private.notice as (
  user_id uuid, kind text, actor_id uuid, target_type text, target_id text, payload jsonb, group_key text,
  sees uuid[], caused_at timestamptz
);
comment on type private.notice is
  'A notification to be written: its kind, its actor (null if there is none), its target, and the time of the '
  'event. If group_key is null, the kind and the target make up the group. The field sees has the posts that the '
  'person must still be able to see.';

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
  for no key update;   -- lock, because an erasure of an actor may be deleting the row
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
  'Replaces the target, the payload and the actor of the unread notification of a group by those of a later item. '
  'Returns false if the group has no unread notification. An action that somebody repeats, such as sending and '
  'withdrawing an invitation, therefore leaves one notification.';

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
  'Deletes the latest notification of a group if its payload contains p_payload. The function is for notifications '
  'of things that no longer exist, such as a withdrawn invitation. The calling function must first call '
  'private.lock_effects.';

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
    for no key update;   -- lock, because an erasure of an actor may be deleting the row
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
      -- replace the payload, because the old one may name something that no longer exists
      update app.notifications set payload = v_joining[cardinality(v_joining)].payload
      where id = v_open.id and payload <> v_joining[cardinality(v_joining)].payload;
    end if;
  end loop;
end $$;
comment on function private.roll_up is
  'Writes items of one group. Each item joins the notification whose first item is less than an hour older; that '
  'notification becomes unread and takes the latest payload. If there is none, the item starts a new notification. '
  'Unless each item counts, the function skips items whose actor is in an earlier notification of the group from '
  'the last day.';

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
           -- a single item of a new group has no notification to join, so private.roll_up need not run
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
  'Writes notifications, each group in order. Notifications without a group key are grouped by kind and target. It '
  'skips notifications whose recipient is the actor, has muted the actor, or is separated from the actor by a '
  'block; whose actor is banned or erased (unless the kind outlives its actor); about a post that the recipient '
  'muted or can''t see; of a kind for which the recipient turned off every channel; and for banned or erased '
  'recipients. The calling function must first call private.lock_effects.';

create function api.list_notifications(
  p_limit integer default 20, p_cursor text default null, p_since timestamptz default null
) returns json
language plpgsql volatile   -- applies the caller's pending effects first
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
  -- plain variables, so that the planner can use the index
  v_from.created_at := coalesce(v_from.created_at, 'infinity');
  v_from.id := coalesce(v_from.id, v_caller);
  v_ids := array(select id from app.notifications
                 where user_id = v_caller and in_app and (created_at, id) < (v_from.created_at, v_from.id)
                 order by created_at desc, id desc limit 51);
  return private.page(private.notification_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
end $$;
comment on function api.list_notifications is
  'The caller''s notifications, by the time of their event, newest first. With p_since it lists notifications that '
  'are new or changed since that time, as private.list_changed does.';

create function private.count_unread_of(p_user uuid) returns integer
language plpgsql stable
set search_path = ''
as $$
begin
  return (select count(*)
          from (select from app.notifications where user_id = p_user and read_at is null and in_app limit 1000) n);
end $$;
comment on function private.count_unread_of is
  'The number of unread notifications in a person''s inbox, counted up to 1000.';
call private.force_index_scans('private.count_unread_of');

create function private.unread_count() returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return json_build_object('count', private.count_unread_of(private.require_caller()));
end $$;
comment on function private.unread_count is
  'The number of unread notifications in the caller''s inbox, counted up to 1000: {count}.';

create function api.count_unread() returns json
language plpgsql volatile   -- applies the caller's pending effects first
set search_path = ''
as $$
begin
  perform private.catch_up(private.require_caller());
  return private.unread_count();
end $$;
comment on function api.count_unread is
  'The number of notifications that the caller has not read, counted up to 1000: {count}. A rolled-up notification '
  'counts once.';

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
  -- Skip locked rows to prevent deadlocks: the transaction that adds an item may hold one row and wait for another. A
  -- notification that an item is just joining becomes unread again anyway.
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
  -- rows that were marked as read are not found again, so each batch starts from the beginning and needs no p_after
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[500]);
end $$;
comment on function private.mark_earlier_read is
  'For the worker and private.mark_own_read: marks as read the newest 500 of a person''s unread notifications from '
  'before a time. p_job is {userId, groupKey, before}. If groupKey is not null, the function marks only '
  'notifications of this group. Returns {changed, next}; next is null at the end.';
call private.force_index_scans('private.mark_earlier_read');

call private.make_batch_queue('read-notifications', 'private.mark_earlier_read');

create function private.mark_own_read(p_group_key text, p_before timestamptz) returns void
language plpgsql volatile security definer   -- private.mark_earlier_read can mark the notifications of anybody
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
  'Marks as read the caller''s notifications from before a time or, if p_group_key is given, only those of this '
  'group. It marks the newest 500 at once, and the others soon after.';

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
  -- lock, so that of two concurrent calls the second returns the count after the first
  perform private.lock('reads', private.require_caller()::text);
  if p_ids is null then
    perform private.mark_own_read(p_group_key, coalesce(p_before, clock_timestamp()));
  else
    update app.notifications set read_at = now() where id = any (array(
      select id from app.notifications
      where user_id = private.require_caller() and read_at is null and in_app and id = any (p_ids)
      for no key update skip locked));   -- see private.mark_earlier_read
  end if;
  return private.unread_count();   -- don't catch up again, because this could cause a deadlock
end $$;
comment on function api.mark_read is
  'Marks the caller''s notifications as read: up to 100 ids, a group, or all before a time. It marks the newest 500 '
  'at once, and the others soon after. It skips other people''s notifications. Returns the number of unread '
  'notifications, as api.count_unread does.';
