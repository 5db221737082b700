-- Schemas and roles.
-- Roles survive a reset of the database, so each is created only if it is missing.
-- docs/decisions.md, Requests.

create schema if not exists app;
comment on schema app is
  'Tables, card views and app.uid(). Every table has row-level security. No API exposes the schema.';
create schema if not exists private;
comment on schema private is 'Helpers, definer functions and secrets. No API exposes the schema.';
create schema if not exists api;
comment on schema api is 'The operations. It is the only schema that PostgREST exposes.';

create extension if not exists pgcrypto with schema extensions;
create extension if not exists unaccent with schema extensions;
create extension if not exists pg_trgm with schema extensions;

-- no operation uses GraphQL, and its introspection would show the tables to everyone
do $$ begin
  drop extension if exists pg_graphql;
exception when insufficient_privilege then
  raise warning 'pg_graphql remains, because this role may not drop it';
end $$;

-- roles can run a function only with an explicit grant
alter default privileges revoke execute on functions from public;
alter default privileges in schema app grant select, insert, update, delete on tables to service_role;

do $$
declare
  v_role record;
begin
  -- the role in a token is a Postgres role. Two roles are never in a token: `gate`, which runs the operations for
  -- callers without a token, and `worker`, which runs the jobs
  for v_role in
    select * from (values ('user', 'A token of a person: the rights of authenticated.'),
                          ('moderator', 'A token of a moderator: the rights of authenticated.'),
                          ('admin', 'A token of an admin: the rights of authenticated.'),
                          ('gate', 'The facade: operations without a token, or after it has checked a password.'),
                          ('worker', 'The worker: jobs and their queues, but no table of Kith.')) as r (name, purpose)
  loop
    if not exists (select from pg_catalog.pg_roles where rolname = v_role.name) then
      execute format('create role %I nologin inherit', v_role.name);
    end if;
    execute format('grant %I to current_user with set true', v_role.name);
    execute format('comment on role %I is %L', v_role.name, v_role.purpose);
  end loop;
end $$;

grant authenticated to "user", moderator, admin with inherit true;
grant "user", moderator, admin to authenticator;

do $$
declare
  v_pool record;
begin
  -- each connection pool has its own login role, so that its sessions have exactly one role, even behind a transaction
  -- pooler
  for v_pool in
    select * from (values ('kith_anon', 'anon', '8s'), ('kith_gate', 'gate', '8s'),
                          ('kith_user', 'authenticated', '8s'), ('kith_service', 'service_role', '8s'),
                          ('kith_worker', 'worker', '5min')) as p (login, role, patience)
  loop
    if not exists (select from pg_catalog.pg_roles where rolname = v_pool.login) then
      execute format('create role %I login noinherit', v_pool.login);
    end if;
    execute format('comment on role %I is %L', v_pool.login,
                   'Login of a pool: its sessions are ' || v_pool.role || '.');
    execute format('grant %I to %I with inherit false, set true', v_pool.role, v_pool.login);
    execute format('alter role %I set role = %L', v_pool.login, v_pool.role);
    execute format('alter role %I set statement_timeout = %L', v_pool.login, v_pool.patience);
    execute format('alter role %I set lock_timeout = %L', v_pool.login, '4s');
    execute format('alter role %I set idle_in_transaction_session_timeout = %L', v_pool.login, '10s');
  end loop;
end $$;

grant usage on schema app, private, api to anon, authenticated, service_role, gate;
grant usage on schema extensions to gate;
grant usage on schema private to worker;
