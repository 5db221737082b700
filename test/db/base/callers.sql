-- Who is calling: entering with a token, revoked tokens, and the two ways to refuse a request.
begin;
select plan(42);
select test.people('alice', 'bob');
update app.users set role = 'admin' where username = 'alice';

create temporary table token as select test.claims('alice') as claims;
grant select on token to public;
create function pg_temp.claims(p_more jsonb default '{}') returns text language sql stable
  as $$ select (claims || p_more)::text from token $$;

-- Makes a change, checks Alice's earlier token, returns the result, and undoes the change.
create function pg_temp.after(p_change text, p_role text default 'authenticated') returns text
language plpgsql as $$
declare
  v_answer text;
begin
  execute p_change;
  perform test.act(p_role, (select claims from token));
  v_answer := private.check_caller()::text;
  raise exception using errcode = 'ZZ000';
exception
  when sqlstate 'ZZ000' then return v_answer;
  when others then return sqlstate || ' ' || sqlerrm;
end $$;
grant execute on all functions in schema pg_temp to public;

-- A token, and what revokes it
select is(pg_temp.after('select 1'), 'true', 'A valid token is accepted');
select is(pg_temp.after($$ update app.users set banned_at = now() where username = 'alice' $$),
  'PT401 token_revoked', 'A token is revoked when its holder is banned');
select is(pg_temp.after($$ update app.users set erased_at = now() where username = 'alice' $$),
  'PT401 token_revoked', 'A token is revoked when its holder is erased');
select is(pg_temp.after($$ update app.users set role = 'moderator' where username = 'alice' $$),
  'PT401 token_revoked', 'A token is revoked when its holder gets another role');
select is(pg_temp.after($$ update token set claims = claims || '{"role": "user"}' $$),
  'PT401 token_revoked', 'A token is revoked when its role is not the stored one');
select is(pg_temp.after($$ update app.users set tokens_valid_from = (select (claims ->> 'iat')::bigint + 1 from token)
  where username = 'alice' $$), 'PT401 token_revoked', 'A token issued before tokens_valid_from is revoked');
select is(pg_temp.after($$ update app.users set tokens_valid_from = (select (claims ->> 'iat')::bigint from token)
  where username = 'alice' $$), 'true', 'A token issued in the very second of tokens_valid_from is accepted');
select is(pg_temp.after($$ insert into private.revoked_tokens
  select test.id('alice'), (claims ->> 'iat')::bigint, (claims ->> 'exp')::bigint from token $$),
  'PT401 token_revoked', 'A token on the denylist is revoked');
select is(pg_temp.after($$ insert into private.revoked_tokens
  select test.id('alice'), (claims ->> 'iat')::bigint, (claims ->> 'exp')::bigint + 1 from token $$),
  'true', 'A denylisted token doesn''t revoke another token issued in the same second');
select is(pg_temp.after($$ insert into private.revoked_tokens
  select test.id('bob'), (claims ->> 'iat')::bigint, (claims ->> 'exp')::bigint from token $$),
  'true', 'A denylisted token doesn''t revoke another person''s token');
select is(pg_temp.after($$ update token set claims = claims || jsonb_build_object('sub', gen_random_uuid()) $$),
  'PT401 token_revoked', 'A token of an unknown person is revoked');
select is(pg_temp.after($$ update token set claims = claims - 'iat' $$), 'PT401 token_revoked', 'A token without its time of issue is revoked');
select is(pg_temp.after($$ update token set claims = claims - 'role' $$), 'PT401 token_revoked', 'A token without a role is revoked');
select is(pg_temp.after($$ update app.users set banned_at = now() where username = 'alice' $$, 'service_role'),
  'PT401 token_revoked', 'A revoked token is refused for the role service_role too');
select is(pg_temp.after($$ update app.users set banned_at = now() where username = 'alice' $$, 'anon'),
  'PT401 token_revoked', 'A revoked token is refused for the role anon too');
select is(pg_temp.after($$ update app.users set banned_at = now() where username = 'bob' $$), 'true',
  'Another person''s ban doesn''t revoke the token');

-- No token
select test.act('anon', null);
select ok(private.check_caller(), 'anon is accepted without a token');
select test.act('gate', null);
select ok(private.check_caller(), 'The gate is accepted without a token');
select test.act('service_role', '{"role": "service_role"}');
select ok(private.check_caller(), 'The service role is accepted without a person''s token');
select test.act('authenticated', null);
select throws_ok('select private.check_caller()', 'PT401', 'token_missing', 'authenticated needs a token');
select test.act('authenticated', '{"role": "authenticated"}');
select throws_ok('select private.check_caller()', 'PT401', 'token_missing', 'The token of authenticated needs a sub');
select test.act('user', null);
select throws_ok('select private.check_caller()', 'PT401', 'token_missing', 'The role user needs a token');
select test.act('moderator', null);
select throws_ok('select private.check_caller()', 'PT401', 'token_missing', 'The role moderator needs a token');
select test.act('admin', null);
select throws_ok('select private.check_caller()', 'PT401', 'token_missing', 'The role admin needs a token');
select test.act_as_owner();

-- private.enter
select test.act('authenticated', null);
select ok(private.enter(pg_temp.claims(), '{"x-test": "1"}'), 'A caller with a valid token may enter');
select is(app.uid(), test.id('alice'), 'The caller then has the id from the claims');
select is(current_setting('request.headers'), '{"x-test": "1"}', 'The request''s headers are set');
select is(private.require_caller(), app.uid(), 'require_caller returns the id of the caller');
select throws_ok($$ select private.enter(pg_temp.claims('{"role": "user"}')) $$, 'PT401', 'token_revoked',
  'A revoked token can''t enter');
select throws_ok($$ select private.enter(null) $$, 'PT401', 'token_missing', 'authenticated can''t enter without a token');
select test.act('anon', test.claims('alice'));
select ok(private.enter(null), 'anon may enter without a token');
select is(app.uid(), null, 'The claims of the previous caller are gone');
select is(current_setting('request.headers'), '', 'The headers of the previous request are gone');
select throws_ok('select private.require_caller()', 'PT401', 'token_missing', 'require_caller refuses an anonymous caller');
select set_config('request.jwt.claim.sub', test.id('bob')::text, true);
select is(app.uid(), test.id('bob'), 'Claims in the older settings count when the newer setting is empty');
select set_config('request.jwt.claim.sub', '', true);

-- Refusing a request
select throws_ok($$ select private.raise_error('append_only') $$, 'PT409', 'append_only', 'raise_error raises the status of the code');
select throws_ok($$ select private.raise_error('no_such_word') $$, 'P0002', null,
  'raise_error fails for an unregistered code');
select test.act_as('alice');
select is(private.error_response('token_revoked')::jsonb,
  '{"code": "PT401", "message": "token_revoked", "details": "This access token is no longer valid. Log in again.", "hint": null}',
  'error_response returns the same fields as an error');
select is(current_setting('response.status'), '401', 'error_response sets the response status');
select throws_ok($$ select private.error_response('no_such_word') $$, 'P0002', null,
  'error_response fails for an unregistered code');
select test.act_as_anon();
select throws_ok('select * from private.errors', '42501', null, 'Nobody can read the registry of errors');
select throws_ok('select * from private.revoked_tokens', '42501', null, 'Nobody can read the denylist');

select * from finish();
rollback;
