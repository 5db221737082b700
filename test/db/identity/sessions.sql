-- Logging in and out: whose password is checked, what a token contains, and which tokens end.
begin;
select plan(39);
select test.people('alice', 'bob');
update app.accounts set email = 'Alice@Example.org' where user_id = test.id('alice');

create function pg_temp.log_in(p_name text) returns jsonb language sql volatile security definer
  as $$ select (api.log_in(test.id(p_name), 'no hash', 900) -> 'claims')::jsonb $$;
create function pg_temp.alive(p_claims jsonb) returns text language plpgsql volatile as $$
begin
  return private.enter(p_claims::text);
exception when others then
  return sqlstate || ' ' || sqlerrm;
end $$;
create temporary table token (name text primary key, claims jsonb);
grant all on token to public;
create function pg_temp.token(p_name text) returns jsonb language sql stable as $$ select claims from token where name = p_name $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as the gate
select test.act_as_gate();
select is(api.find_login('alice@example.org')::jsonb, jsonb_build_object('userId', test.id('alice'), 'passwordHash', 'no hash', 'credentialsVersion', 0),
  'The operation returns the password hash of the person with this email address');
select is(api.find_login('  ALICE@example.ORG ') ->> 'userId', test.id('alice')::text, 'Letter case and surrounding blanks are ignored');
select is(api.find_login('zoe@example.org')::text, null, 'An unknown address finds nothing');
select is(api.find_login('')::text, null, 'An empty address finds nothing');
select set_eq($$ select json_object_keys(api.log_in(test.id('alice'), 'no hash', 900)) $$, array['claims', 'user', 'credentialsVersion'], 'Logging in returns claims and a profile');
select is(api.log_in(test.id('alice'), 'no hash', 900) #>> '{user,id}', test.id('alice')::text, 'The profile is the person''s own');
select is(api.log_in(test.id('alice'), 'no hash', 900) #>> '{claims,email}', 'Alice@Example.org', 'The claims have the address as it was written');
select throws_ok($$ select api.log_in(test.id('alice'), 'another hash', 900) $$, 'PT401', 'credentials_wrong', 'A hash that changed meanwhile is refused');
select throws_ok($$ select api.log_in(gen_random_uuid(), 'no hash', 900) $$, 'PT401', 'credentials_wrong', 'An unknown person can''t log in');

-- What a token contains
insert into token select format('alice %s', n), pg_temp.log_in('alice') from generate_series(1, 20) n;
select is((select count(distinct (claims ->> 'iat', claims ->> 'exp'))::int from token), 20, 'No two tokens of a person are the same');
select ok((select bool_and((claims ->> 'iat')::bigint <= extract(epoch from clock_timestamp())) from token), 'No token is issued in the future');
select ok((select bool_and((claims ->> 'exp')::bigint - (claims ->> 'iat')::bigint between 900 and 960) from token),
  'Tokens are valid as long as requested, plus up to a minute');
select results_eq($$ select distinct claims - 'iat' - 'exp' from token $$,
  $$ select jsonb_build_object('sub', test.id('alice'), 'email', 'Alice@Example.org', 'role', 'user') $$, 'All tokens have the same claims about the person');
insert into token values ('bob', pg_temp.log_in('bob'));
select test.act_as_owner();
update app.users set role = 'moderator' where username = 'bob';
select test.act_as_gate();
select is(pg_temp.log_in('bob') ->> 'role', 'moderator', 'The role is the stored one');

-- Logging out of one session
select test.act('authenticated', pg_temp.token('alice 1'));
select is(api.log_out()::text, null, 'Logging out returns nothing');
select is(pg_temp.alive(pg_temp.token('alice 1')), 'PT401 token_revoked', 'Logging out revokes the token');
select is(pg_temp.alive(pg_temp.token('alice 2')), 'true', 'Other tokens of the same second stay valid');
select test.act('authenticated', pg_temp.token('alice 2'));
select lives_ok($$ select api.log_out('local') $$, 'The scope local is accepted');
select is(pg_temp.alive(pg_temp.token('alice 2')), 'PT401 token_revoked', 'The scope local revokes the token');
select test.act('authenticated', pg_temp.token('alice 3'));
select lives_ok($$ select api.log_out(), api.log_out() $$, 'Logging out twice is not an error');

-- Logging out of all sessions
select test.act('authenticated', pg_temp.token('alice 4'));
select lives_ok($$ select api.log_out('global') $$, 'The scope global is accepted');
select is((select string_agg(distinct pg_temp.alive(claims), ',') from token where name like 'alice %'), 'PT401 token_revoked', 'The scope global revokes every token of the person');
select test.act_as_owner();
update app.users set role = 'user' where username = 'bob';
select test.act('authenticated', pg_temp.token('bob'));
select is(pg_temp.alive(pg_temp.token('bob')), 'true', 'Another person''s token stays valid');
select test.act_as_gate();
insert into token select format('after %s', n), pg_temp.log_in('alice') from generate_series(1, 3) n;
select test.act('authenticated', pg_temp.token('after 1'));
select is((select string_agg(distinct pg_temp.alive(claims), ',') from token where name like 'after %'), 'true', 'A token issued right after a global logout is valid');
select test.act_as_owner();
select is((select min((claims ->> 'iat')::bigint) from token where name like 'after %'),
  (select tokens_valid_from from app.users where username = 'alice'), 'The iat of such a token is the next whole second');
select is((select count(distinct (claims ->> 'iat', claims ->> 'exp'))::int from token where name like 'after %'), 3, 'No two of these tokens are the same');

-- Who can't log in
update app.users set banned_at = now() where username = 'alice';
select test.act_as_gate();
select is(api.find_login('alice@example.org') ->> 'userId', test.id('alice')::text, 'A banned person''s password is still checked');
select throws_ok($$ select api.log_in(test.id('alice'), 'no hash', 900) $$, 'PT403', 'person_banned', 'A banned person with the right password gets the error person_banned');
select throws_ok($$ select api.log_in(test.id('alice'), 'another hash', 900) $$, 'PT401', 'credentials_wrong', 'A banned person with a wrong password gets the error credentials_wrong');
select test.act_as_owner();
select is((select credentials_version from app.users where username = 'alice'), 1, 'A ban raises the credentials version');
update app.users set banned_at = now() where username = 'alice';
select is((select credentials_version from app.users where username = 'alice'), 1, 'A repeated ban doesn''t raise the version again');
update app.users set banned_at = null where username = 'alice';
select is((select credentials_version from app.users where username = 'alice'), 1, 'The end of a ban doesn''t restore the version');
select is((select credentials_version from app.users where username = 'bob'), 0, 'A new role and a logout don''t change another person''s version');
select throws_ok($$ set local role authenticated; update app.users set credentials_version = 7 $$, '42501', null, 'People can''t write the credentials version');
select test.act_as_owner();
update app.users set banned_at = null, erased_at = now() where username = 'alice';
select test.act_as_gate();
select is(api.find_login('alice@example.org')::text, null, 'An erased person can''t be found');

-- Acting as an anonymous caller
select test.act_as_anon();
select throws_ok('select api.log_out()', '42501', null, 'An anonymous caller can''t log out');
select test.act('authenticated', null);
select throws_ok('select api.log_out()', 'PT401', 'token_missing', 'The role authenticated can''t log out without a token');
select throws_ok('select api.get_me()', 'PT401', 'token_missing', 'The role authenticated has no profile without a token');
select test.act_as('bob');
select is(api.get_me() ->> 'email', 'bob@example.org', 'A person gets their own profile');

select * from finish();
rollback;
