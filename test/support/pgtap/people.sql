-- Helpers of the pgTAP files, which create people and call as one of them. They are loaded beside pgTAP, never into a
-- real database.

create schema test;

create function test.people(variadic p_names text[]) returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  v_name text;
  v_id   uuid;
begin
  foreach v_name in array p_names loop
    -- the username uses only Latin letters, so with this last name it is made from the first name alone
    v_id := private.create_person(v_name || '@example.org', 'no hash', v_name, '例', '1990-01-31', 'DE', 'Berlin');
    if v_id is distinct from test.id(v_name) then
      raise exception 'the name % is taken', v_name;
    end if;
    perform private.emit('identity.user_registered',
      json_build_object('userId', v_id, 'email', v_name || '@example.org', 'inviterUserId', null));
  end loop;
end $$;
comment on function test.people is
  'Creates people with these usernames, with everything that registration gives them.';

create function test.crowd(p_name text, p_many integer) returns void
language plpgsql
set search_path = ''
as $$
begin
  set constraints all immediate;   -- a table with pending triggers can't be altered
  set constraints all deferred;
  alter table app.users disable trigger _175_create_wallet, disable trigger _205_index_new_person_names,
    disable trigger _206_index_person;
  insert into app.users (username, first_name, last_name, country, city)
  select p_name || n, 'A', 'B', 'PT', 'Faro' from generate_series(1, p_many) n;
  alter table app.users enable trigger _175_create_wallet, enable trigger _205_index_new_person_names,
    enable trigger _206_index_person;
end $$;
comment on function test.crowd is 'Creates many people, <name>1 and so on, without wallets and search entries: '
  'those take longest to create.';

create function test.id(p_name text) returns uuid
language sql stable security definer
set search_path = ''
as $$ select id from app.users where username = p_name $$;
comment on function test.id is 'The internal id of a username, for every caller; null if there is none.';

create function test.claims(p_name text) returns jsonb
language plpgsql stable security definer
set search_path = ''
as $$
declare
  v_claims jsonb;
begin
  select jsonb_build_object('sub', u.id, 'email', a.email, 'role', u.role, 'iat', i.iat, 'exp', i.iat + 900)
  into v_claims
  from app.users u
  join app.accounts a on a.user_id = u.id
  cross join lateral (select greatest(floor(extract(epoch from clock_timestamp()))::bigint, u.tokens_valid_from)) as i (iat)
  where u.username = p_name;
  if v_claims is null then
    raise exception 'there is no %: select test.people(%)', p_name, quote_literal(p_name);
  end if;
  return v_claims;
end $$;
comment on function test.claims is 'The claims of a token issued to this person now.';

create function test.settle() returns void
language plpgsql security definer
set search_path = ''
as $$
declare
  v_done json;
begin
  loop
    v_done := private.apply_effects();
    if (v_done ->> 'failed')::integer > 0 then
      raise exception 'effects could not be applied: %', (select message from private.stuck_effects limit 1);
    end if;
    exit when v_done ->> 'applied' = '0';
  end loop;
end $$;
comment on function test.settle is 'Applies all pending effects, as the worker does within a second.';

create function test.act(p_role text, p_claims jsonb) returns void
language plpgsql   -- invoker: a definer function cannot set the role
set search_path = ''
as $$
begin
  perform test.settle();   -- applies the effects of what was done so far
  perform set_config('role', p_role, true),
          set_config('request.jwt.claims', coalesce(p_claims::text, ''), true),
          set_config('request.headers', '', true),
          set_config('response.status', '', true),
          set_config('response.headers', '', true);
end $$;
comment on function test.act is
  'Sets the role and the claims, like private.enter, but without checking that the claims are still valid.';

create function test.act_as(p_name text) returns void
language sql
as $$ select test.act('authenticated', test.claims(p_name)) $$;
comment on function test.act_as is 'From now on the caller is this person.';

create function test.act_as_anon() returns void
language sql
as $$ select test.act('anon', null) $$;
comment on function test.act_as_anon is 'From now on the caller has no token.';

create function test.act_as_gate() returns void
language sql
as $$ select test.act('gate', null) $$;
comment on function test.act_as_gate is 'From now on the caller is the facade, before there is a token.';

create function test.act_as_service(p_name text default null) returns void
language sql
as $$ select test.act('service_role', coalesce(case when p_name is not null then test.claims(p_name) end, '{"role": "service_role"}')) $$;
comment on function test.act_as_service is
  'From now on the caller is this staff member through the service pool, or without a name the service itself.';

create function test.act_as_owner() returns void
language sql
as $$ select test.act('none', null) $$;
comment on function test.act_as_owner is
  'From now on the caller is again the owner of the schemas, whom no policy restricts.';

create function test.notify(
  p_user uuid, p_kind text, p_actor uuid, p_target_type text, p_target_id text,
  p_payload jsonb default '{}', p_group_key text default null
) returns void
language sql volatile security definer
set search_path = ''
as $$
  select private.notify(array[(p_user, p_kind, p_actor, p_target_type, p_target_id, p_payload, p_group_key, null,
                             now())::private.notice])
$$;
comment on function test.notify is 'Notifies a person, as the listeners of events do.';

grant usage on schema tap, test to public;
grant execute on all functions in schema tap, test to public;
grant select on all tables in schema tap to public;
