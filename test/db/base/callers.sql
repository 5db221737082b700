-- Who is calling: the door, tokens that are dead, and the two ways to refuse.
begin;
select plan(42);
select test.people('alice', 'bob');
update app.users set role = 'admin' where username = 'alice';

create temporary table token as select test.claims('alice') as claims;
grant select on token to public;
create function pg_temp.claims(p_more jsonb default '{}') returns text language sql stable
  as $$ select (claims || p_more)::text from token $$;

-- What the token of Alice, issued before the change, is answered after it. The change is undone.
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

-- A token and what becomes of it
select is(pg_temp.after('select 1'), 'true', 'a good token passes');
select is(pg_temp.after($$ update app.users set banned_at = now() where username = 'alice' $$),
  'PT401 token_revoked', 'not when its holder is banned');
select is(pg_temp.after($$ update app.users set erased_at = now() where username = 'alice' $$),
  'PT401 token_revoked', 'nor erased');
select is(pg_temp.after($$ update app.users set role = 'moderator' where username = 'alice' $$),
  'PT401 token_revoked', 'nor demoted');
select is(pg_temp.after($$ update token set claims = claims || '{"role": "user"}' $$),
  'PT401 token_revoked', 'nor promoted since');
select is(pg_temp.after($$ update app.users set tokens_valid_from = (select (claims ->> 'iat')::bigint + 1 from token)
  where username = 'alice' $$), 'PT401 token_revoked', 'nor when it is older than tokens_valid_from');
select is(pg_temp.after($$ update app.users set tokens_valid_from = (select (claims ->> 'iat')::bigint from token)
  where username = 'alice' $$), 'true', 'one of that very second passes');
select is(pg_temp.after($$ insert into private.revoked_tokens
  select test.id('alice'), (claims ->> 'iat')::bigint, (claims ->> 'exp')::bigint from token $$),
  'PT401 token_revoked', 'nor when it is on the denylist');
select is(pg_temp.after($$ insert into private.revoked_tokens
  select test.id('alice'), (claims ->> 'iat')::bigint, (claims ->> 'exp')::bigint + 1 from token $$),
  'true', 'another token of the same second on it is another token');
select is(pg_temp.after($$ insert into private.revoked_tokens
  select test.id('bob'), (claims ->> 'iat')::bigint, (claims ->> 'exp')::bigint from token $$),
  'true', 'and so is that of another person');
select is(pg_temp.after($$ update token set claims = claims || jsonb_build_object('sub', gen_random_uuid()) $$),
  'PT401 token_revoked', 'nobody is nobody''s holder');
select is(pg_temp.after($$ update token set claims = claims - 'iat' $$), 'PT401 token_revoked', 'a token says when it was issued');
select is(pg_temp.after($$ update token set claims = claims - 'role' $$), 'PT401 token_revoked', 'and in which role');
select is(pg_temp.after($$ update app.users set banned_at = now() where username = 'alice' $$, 'service_role'),
  'PT401 token_revoked', 'the service pool refuses a dead token too');
select is(pg_temp.after($$ update app.users set banned_at = now() where username = 'alice' $$, 'anon'),
  'PT401 token_revoked', 'and so does every other');
select is(pg_temp.after($$ update app.users set banned_at = now() where username = 'bob' $$), 'true',
  'what happens to others changes nothing');

-- No token
select test.act('anon', null);
select ok(private.check_caller(), 'without a token anon passes');
select test.act('gate', null);
select ok(private.check_caller(), 'and the gate');
select test.act('service_role', '{"role": "service_role"}');
select ok(private.check_caller(), 'and the service');
select test.act('authenticated', null);
select throws_ok('select private.check_caller()', 'PT401', 'token_missing', 'authenticated needs one');
select test.act('authenticated', '{"role": "authenticated"}');
select throws_ok('select private.check_caller()', 'PT401', 'token_missing', 'and one with a sub');
select test.act('user', null);
select throws_ok('select private.check_caller()', 'PT401', 'token_missing', 'the role user needs one');
select test.act('moderator', null);
select throws_ok('select private.check_caller()', 'PT401', 'token_missing', 'and moderator');
select test.act('admin', null);
select throws_ok('select private.check_caller()', 'PT401', 'token_missing', 'and admin');
select test.act_as_owner();

-- The door
select test.act('authenticated', null);
select ok(private.enter(pg_temp.claims(), '{"x-test": "1"}'), 'the door lets a good token in');
select is(app.uid(), test.id('alice'), 'with its claims');
select is(current_setting('request.headers'), '{"x-test": "1"}', 'and its headers');
select is(private.require_caller(), app.uid(), 'there is a caller');
select throws_ok($$ select private.enter(pg_temp.claims('{"role": "user"}')) $$, 'PT401', 'token_revoked',
  'the door refuses a dead token');
select throws_ok($$ select private.enter(null) $$, 'PT401', 'token_missing', 'and authenticated without any');
select test.act('anon', test.claims('alice'));
select ok(private.enter(null), 'nobody enters as nobody');
select is(app.uid(), null, 'whoever called before');
select is(current_setting('request.headers'), '', 'without the headers of before');
select throws_ok('select private.require_caller()', 'PT401', 'token_missing', 'and is no caller');
select set_config('request.jwt.claim.sub', test.id('bob')::text, true);
select is(app.uid(), test.id('bob'), 'the older style of claims counts where the newer says nothing');
select set_config('request.jwt.claim.sub', '', true);

-- Refusing
select throws_ok($$ select private.raise_error('append_only') $$, 'PT409', 'append_only', 'a word becomes its status');
select throws_ok($$ select private.raise_error('no_such_word') $$, 'P0002', null, 'a word that nobody registered is a mistake');
select is(private.error_response('token_revoked')::jsonb,
  '{"code": "PT401", "message": "token_revoked", "details": "This access token is no longer valid. Log in again.", "hint": null}',
  'an error response says what an error says');
select is(current_setting('response.status'), '401', 'and sets the status');
select throws_ok($$ select private.error_response('no_such_word') $$, 'P0002', null, 'it knows the same words');
select throws_ok('select * from private.errors', '42501', null, 'nobody reads the registry');
select throws_ok('select * from private.revoked_tokens', '42501', null, 'or the denylist');

select * from finish();
rollback;
