-- Preferences: the channels on which people want each kind of notifications, and the hour and the time zone of their
-- digest.

insert into private.errors (code, status, text) values
  ('in_app_required', 422, 'Notifications of this kind cannot be turned off in the inbox.'),
  ('digest_hour', 422, 'digestHour must be between 0 and 23, or null for no digest.'),
  ('timezone_unknown', 422, 'timezone must be the name of a time zone, such as Europe/Berlin.');

create table app.notification_settings (
  user_id        uuid primary key references app.users on delete cascade,
  timezone       text not null default 'UTC',
  digest_hour    smallint default 8 constraint digest_hour check (digest_hour between 0 and 23),
  next_digest_at timestamptz,
  unsubscribe_id uuid not null unique default gen_random_uuid()
);
create index notification_settings_due_idx on app.notification_settings (next_digest_at)
  where next_digest_at is not null;
comment on table app.notification_settings is
  'The times of people''s digests. Everybody has a row until their erasure.';
comment on column app.notification_settings.timezone is
  'The name of the person''s time zone, in a form that private.require_timezone accepts.';
comment on column app.notification_settings.digest_hour is
  'The hour, in the person''s time zone, at which the digest is mailed; null for no digest.';
comment on column app.notification_settings.next_digest_at is
  'When the next digest is due, computed by private.next_digest; null for no digest.';
comment on column app.notification_settings.unsubscribe_id is
  'A random id, used only in the unsubscribe tokens of digests, which the facade seals.';

create table app.notification_preferences (
  user_id uuid not null references app.users on delete cascade,
  kind    text not null,
  in_app  boolean,
  push    boolean,
  email   boolean,
  primary key (user_id, kind)
);
comment on table app.notification_preferences is
  'The channels that a person has chosen for a kind of private.notification_kinds. If a channel is null or there is '
  'no row, the default of the kind applies.';

create function private.make_notification_settings() returns trigger
language plpgsql security definer   -- people may not insert settings
set search_path = ''
as $$
begin
  insert into app.notification_settings (user_id) values (new.id);
  return null;
end $$;
comment on function private.make_notification_settings is 'Trigger: creates the settings of a new person.';
create trigger _190_make_notification_settings after insert on app.users
  for each row execute function private.make_notification_settings();

create function private.known_timezone(p_name text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  perform now() at time zone p_name;
  return p_name;
exception when invalid_parameter_value then
  return 'UTC';
end $$;
comment on function private.known_timezone is
  'Returns the time zone, or UTC if the server doesn''t have it, for example because the person chose it when the '
  'server had another release of the time zones.';

create function private.next_digest(p_timezone text, p_hour integer, p_after timestamptz) returns timestamptz
language plpgsql stable
set search_path = ''
as $$
declare
  v_zone text := private.known_timezone(p_timezone);
  v_day  date := (p_after at time zone v_zone)::date;
  v_next timestamptz := (v_day + make_time(p_hour, 0, 0)) at time zone v_zone;
begin
  if v_next <= p_after then
    v_next := (v_day + 1 + make_time(p_hour, 0, 0)) at time zone v_zone;
  end if;
  return v_next;
end $$;
comment on function private.next_digest is
  'Returns the first time after p_after at which it is p_hour in a time zone, once a day. If the clocks skip that '
  'hour, returns the moment when they go forward. If the hour occurs twice, returns the second time. Null if p_hour '
  'is null.';

create function private.schedule_digest() returns trigger
language plpgsql security definer   -- people may set the hour but not call private.next_digest
set search_path = ''
as $$
begin
  new.next_digest_at := private.next_digest(new.timezone, new.digest_hour, now());
  return new;
end $$;
comment on function private.schedule_digest is 'Trigger: sets when the next digest is due.';
create trigger schedule_digest before insert or update of timezone, digest_hour on app.notification_settings
  for each row execute function private.schedule_digest();

create function private.wanted_channels(p_user uuid, p_kind text) returns text[]
language plpgsql stable
set search_path = ''
as $$
begin
  return (select array_remove(array[
                   case when k.always_in_app or coalesce(p.in_app, 'inApp' = any (k.default_channels))
                        then 'inApp' end,
                   case when coalesce(p.push, 'push' = any (k.default_channels)) then 'push' end,
                   case when coalesce(p.email, 'email' = any (k.default_channels)) then 'email' end], null)
          from private.notification_kinds k
          left join app.notification_preferences p on p.user_id = p_user and p.kind = k.kind
          where k.kind = p_kind);
end $$;
comment on function private.wanted_channels is
  'The channels on which a person wants notifications of a kind: some of inApp, push and email. Null for a kind '
  'that is not registered.';

create function private.is_wanted(p_user uuid, p_kind text) returns boolean
language plpgsql stable
set search_path = ''
as $$ begin return private.wanted_channels(p_user, p_kind) <> '{}'; end $$;
comment on function private.is_wanted is 'Returns whether a person wants notifications of a kind on any channel.';

create function private.place_notification() returns trigger
language plpgsql security definer   -- the caller may not read other people's preferences
set search_path = ''
as $$
begin
  new.in_app := coalesce('inApp' = any (private.wanted_channels(new.user_id, new.kind)), true);
  return new;
end $$;
comment on function private.place_notification is
  'Trigger: puts a notification into the inbox if the person wants notifications of its kind there. It checks this '
  'again when an item joins or replaces the notification.';
create trigger place_notification before insert or update of count, created_at on app.notifications
  for each row execute function private.place_notification();

create function private.require_timezone(p_name text) returns text
language plpgsql stable
set search_path = ''
as $$
begin
  -- excludes other names of zones that POSIX allows, such as X-25
  if (p_name ~ '^([A-Z][A-Za-z]+(/[A-Z][A-Za-z_-]+){1,2}|Etc/GMT([+-]\d|\+1[0-2]|-1[0-4])|GMT|UTC)$') is not true then
    perform private.raise_error('timezone_unknown');
  end if;
  perform now() at time zone p_name;
  return p_name;
exception when invalid_parameter_value then
  perform private.raise_error('timezone_unknown');
end $$;
comment on function private.require_timezone is
  'Returns p_name if it is the name of a time zone, otherwise raises timezone_unknown.';

create function private.list_own_channels() returns table (kind text, channels text[], always_in_app boolean)
language plpgsql stable security definer   -- people may not read private.notification_kinds
set search_path = ''
as $$
begin
  return query
    select k.kind, private.wanted_channels(private.require_caller(), k.kind), k.always_in_app
    from private.notification_kinds k;
end $$;
comment on function private.list_own_channels is
  'Every kind, with the channels on which the caller wants it and whether it always appears in the inbox.';

create function api.get_preferences() returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
begin
  return (select json_object_agg(w.key, w.value order by w.key collate "C")
          from (select k.kind as key, json_build_object('inApp', 'inApp' = any (k.channels),
                                                        'push', 'push' = any (k.channels),
                                                        'email', 'email' = any (k.channels)) as value
                from private.list_own_channels() k
                union all
                select o.key, o.value
                from app.notification_settings s
                cross join json_each(json_build_object('timezone', s.timezone, 'digestHour', s.digest_hour)) o
                where s.user_id = v_caller) w);
end $$;
comment on function api.get_preferences is
  'The caller''s preferences: {kind: {inApp, push, email}} for every kind, timezone, digestHour.';

create function api.update_preferences(p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
begin
  if exists (select from private.list_own_channels() k
             where k.always_in_app and not (p_changes -> k.kind ->> 'inApp')::boolean) then
    perform private.raise_error('in_app_required');
  end if;
  insert into app.notification_preferences as p (user_id, kind, in_app, push, email)
  select v_caller, k.kind, (c.choice ->> 'inApp')::boolean, (c.choice ->> 'push')::boolean,
         (c.choice ->> 'email')::boolean
  from private.list_own_channels() k
  cross join lateral (select p_changes -> k.kind) as c (choice)
  where p_changes ? k.kind
  order by k.kind
  on conflict (user_id, kind) do update
    set in_app = coalesce(excluded.in_app, p.in_app),
        push = coalesce(excluded.push, p.push),
        email = coalesce(excluded.email, p.email);
  if p_changes ?| '{timezone,digestHour}' then
    update app.notification_settings
    set timezone = case when p_changes ? 'timezone' then private.require_timezone(p_changes ->> 'timezone')
                        else timezone end,
        digest_hour = case when p_changes ? 'digestHour' then (p_changes ->> 'digestHour')::smallint
                           else digest_hour end
    where user_id = v_caller;
  end if;
  return api.get_preferences();
end $$;
comment on function api.update_preferences is
  'Changes the caller''s preferences: the kinds and channels in p_changes, timezone and digestHour (null for no '
  'digest). Preferences that p_changes doesn''t name remain unchanged; unknown keys are ignored. Returns all '
  'preferences, as api.get_preferences does. Fails: digest_hour.';
