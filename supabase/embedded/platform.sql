-- What a Supabase database has before the first migration, for a bare PostgreSQL 17: roles, schemas, auth, realtime. A
-- superuser applies it in one transaction: supabase_admin of the embedded server at every start; on another server,
-- the superuser with whom it is prepared (npm run prepare-database). Repeating it changes nothing. It contains only
-- what our migrations, PostgREST's rules and the Realtime server's rules need. The sources are supabase/postgres
-- (migrations/db) and supabase/realtime (tenant migrations).

-- Roles belong to the cluster: two databases made at once would collide on them.
lock table pg_catalog.pg_authid in share row exclusive mode;

do $$
declare
  v_role record;
begin
  for v_role in
    select * from (values
      ('postgres',                'login createdb createrole replication bypassrls'),
      ('anon',                    'nologin'),
      ('authenticated',           'nologin'),
      ('service_role',            'nologin bypassrls'),
      ('authenticator',           'login noinherit'),
      ('supabase_auth_admin',     'login noinherit createrole'),
      ('supabase_storage_admin',  'login noinherit createrole'),
      ('supabase_realtime_admin', 'nologin noinherit'),
      ('dashboard_user',          'nologin createdb createrole replication')
    ) as wanted (name, attributes)
    where not exists (select from pg_catalog.pg_roles where rolname = wanted.name)
  loop
    execute format('create role %I %s', v_role.name, v_role.attributes);
  end loop;
end $$;

grant anon, authenticated, service_role to authenticator;
grant anon, authenticated, service_role, authenticator, pg_monitor, pg_read_all_data, pg_signal_backend
  to postgres with admin option;
-- replaces supautils, which lets postgres write policies on realtime.messages, and set these parameters
grant supabase_realtime_admin to postgres;
grant set on parameter "pgrst.db_schemas", "pgrst.db_pre_request", log_min_messages, log_parameter_max_length
  to postgres;

alter role postgres set search_path to "$user", public, extensions;

do $$ begin
  if exists (select from pg_catalog.pg_roles where rolname = 'supabase_admin') then   -- absent on a bare server
    alter role supabase_admin set search_path to "$user", public, auth, extensions;
  end if;
  execute format('alter database %I owner to postgres', current_database());
  execute format('alter database %I set timezone to %L', current_database(), 'UTC');   -- as the platform's servers have it
end $$;

-- Schemas. The platform's belong to the superuser, because a reset drops what postgres owns.
create schema if not exists extensions authorization postgres;
create schema if not exists auth;
create schema if not exists storage;
create schema if not exists realtime;

grant usage on schema public, extensions, auth, storage to postgres, anon, authenticated, service_role;
grant usage on schema realtime to postgres with grant option;
grant usage on schema realtime to anon, authenticated, service_role;
grant all on schema auth to supabase_auth_admin, dashboard_user;
grant all on schema storage to supabase_storage_admin, dashboard_user;
grant all on schema realtime to supabase_realtime_admin;
grant all on schema extensions to dashboard_user;

do $$
declare
  v_name name;
begin
  for v_name in
    select name from pg_catalog.pg_available_extensions
    where name in ('pgcrypto', 'citext', 'pg_trgm', 'ltree', 'btree_gist', 'unaccent', 'moddatetime', 'uuid-ossp')
      and installed_version is null
  loop
    execute format('create extension %I with schema extensions', v_name);
  end loop;
end $$;

-- Claims. PostgREST before version 10 makes one setting per claim, later versions one setting of all claims.
create or replace function auth.uid() returns uuid
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.sub', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'sub'
  )::uuid
$$;
comment on function auth.uid is 'The claim sub of the request.';

create or replace function auth.role() returns text
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.role', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'role'
  )
$$;
comment on function auth.role is 'The claim role of the request.';

create or replace function auth.email() returns text
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim.email', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')::jsonb ->> 'email'
  )
$$;
comment on function auth.email is 'The claim email of the request.';

create or replace function auth.jwt() returns jsonb
language sql stable
as $$
  select coalesce(
    nullif(current_setting('request.jwt.claim', true), ''),
    nullif(current_setting('request.jwt.claims', true), '')
  )::jsonb
$$;
comment on function auth.jwt is 'All claims of the request.';

alter function auth.uid() owner to supabase_auth_admin;
alter function auth.role() owner to supabase_auth_admin;
alter function auth.email() owner to supabase_auth_admin;
alter function auth.jwt() owner to supabase_auth_admin;

-- Realtime: broadcasts are rows, and policies on them say who may join a private channel.
create table if not exists realtime.messages (
  topic          text not null,
  extension      text not null,
  payload        jsonb,
  event          text,
  private        boolean default false,
  updated_at     timestamp not null default now(),
  inserted_at    timestamp not null default now(),
  id             uuid not null default gen_random_uuid(),
  binary_payload bytea,
  primary key (id, inserted_at)
) partition by range (inserted_at);
comment on table realtime.messages is 'Broadcasts, in daily partitions (UTC). Its row-level security authorises channels.';
create index if not exists messages_inserted_at_topic_index on realtime.messages (inserted_at desc, topic)
  where extension = 'broadcast' and private is true;
alter table realtime.messages owner to supabase_realtime_admin;
alter table realtime.messages enable row level security;
grant all on realtime.messages to postgres, dashboard_user;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;

create or replace function realtime.topic() returns text
language sql stable
as $$
  select nullif(current_setting('realtime.topic', true), '')::text
$$;
comment on function realtime.topic is 'The channel that somebody is joining or sending to; null otherwise.';

create or replace function realtime.send(
  payload jsonb, event text, topic text, private boolean default true
) returns void
language plpgsql
as $$
declare
  v_id uuid := gen_random_uuid();
begin
  perform set_config('realtime.topic', topic, true);
  insert into realtime.messages (id, payload, event, topic, private, extension)
  values (
    v_id,
    case when payload ? 'id' then payload else jsonb_set(payload, '{id}', to_jsonb(v_id)) end,
    event, topic, private, 'broadcast');
exception when others then
  raise warning 'ErrorSendingBroadcastMessage: %', sqlerrm;
end $$;
comment on function realtime.send is
  'Broadcasts a JSON object on a channel, when the transaction commits. Adds an id to the object if it has none. Runs '
  'with the rights of the caller. Never fails: an error is a warning, and the message is lost.';

create or replace function realtime.broadcast_changes(
  topic_name text, event_name text, operation text, table_name text, table_schema text,
  new record, old record, level text default 'ROW'
) returns void
language plpgsql
as $$
begin
  if level = 'STATEMENT' then
    raise exception 'function can only be triggered for each row, not for each statement';
  end if;
  if operation not in ('INSERT', 'UPDATE', 'DELETE') then
    raise exception 'Unexpected operation type: %', operation;
  end if;
  perform realtime.send(
    jsonb_build_object(
      'old_record', old, 'record', new, 'operation', operation, 'table', table_name, 'schema', table_schema),
    event_name, topic_name);
exception when others then
  raise exception 'Failed to process the row: %', sqlerrm;
end $$;
comment on function realtime.broadcast_changes is 'For row triggers: broadcasts a change with the row before and after.';

create or replace function realtime.create_partitions() returns void
language plpgsql security definer
set search_path = ''
set lock_timeout = '5s'   -- while this waits for the table, every sender waits behind it; the next call tries again
as $$
declare
  v_today date := (now() at time zone 'utc')::date;
  v_day date;
  v_partition name;
begin
  for v_day in select v_today + n from generate_series(-1, 3) as n loop
    v_partition := to_char(v_day, '"messages_"YYYY_MM_DD');
    if to_regclass('realtime.' || v_partition) is null then
      execute format('create table realtime.%I partition of realtime.messages for values from (%L) to (%L)',
        v_partition, v_day, v_day + 1);
    end if;
  end loop;

  for v_partition in
    select relname from pg_catalog.pg_class
    where oid in (select inhrelid from pg_catalog.pg_inherits where inhparent = 'realtime.messages'::regclass)
      and relname < to_char(v_today - 3, '"messages_"YYYY_MM_DD')
  loop
    execute format('drop table realtime.%I', v_partition);
  end loop;
end $$;
comment on function realtime.create_partitions is
  'Makes the partitions from yesterday to three days ahead and drops those older than 72 hours. Call it at every '
  'start and then at least daily; the real platform does this by itself. Definer: partitions belong to the table''s '
  'owner.';
alter function realtime.create_partitions() owner to supabase_realtime_admin;
revoke execute on function realtime.create_partitions() from public;
grant execute on function realtime.create_partitions() to postgres;
select realtime.create_partitions();

do $$ begin
  if not exists (select from pg_catalog.pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
    alter publication supabase_realtime owner to postgres;
  end if;
  if not exists (select from pg_catalog.pg_publication where pubname = 'supabase_realtime_messages_publication') then
    create publication supabase_realtime_messages_publication
      for table realtime.messages with (publish_via_partition_root = true);
  end if;
end $$;
