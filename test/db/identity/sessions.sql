-- Logging in and out: whose password is checked, what a token says, and which tokens end.
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
  'an address leads to a hash');
select is(api.find_login('  ALICE@example.ORG ') ->> 'userId', test.id('alice')::text, 'in any letter case, with blanks around it');
select is(api.find_login('zoe@example.org')::text, null, 'an unknown one to nothing');
select is(api.find_login('')::text, null, 'and so does none');
select set_eq($$ select json_object_keys(api.log_in(test.id('alice'), 'no hash', 900)) $$, array['claims', 'user', 'credentialsVersion'], 'who logs in gets claims and a profile');
select is(api.log_in(test.id('alice'), 'no hash', 900) #>> '{user,id}', test.id('alice')::text, 'of their own');
select is(api.log_in(test.id('alice'), 'no hash', 900) #>> '{claims,email}', 'Alice@Example.org', 'with the address as it was written');
select throws_ok($$ select api.log_in(test.id('alice'), 'another hash', 900) $$, 'PT401', 'credentials_wrong', 'a hash that changed meanwhile is refused');
select throws_ok($$ select api.log_in(gen_random_uuid(), 'no hash', 900) $$, 'PT401', 'credentials_wrong', 'and so is nobody');

-- What a token says
insert into token select format('alice %s', n), pg_temp.log_in('alice') from generate_series(1, 20) n;
select is((select count(distinct (claims ->> 'iat', claims ->> 'exp'))::int from token), 20, 'no two tokens of a person are the same');
select ok((select bool_and((claims ->> 'iat')::bigint <= extract(epoch from clock_timestamp())) from token), 'none is from the future');
select ok((select bool_and((claims ->> 'exp')::bigint - (claims ->> 'iat')::bigint between 900 and 960) from token), 'they live as long as asked for, give or take');
select results_eq($$ select distinct claims - 'iat' - 'exp' from token $$,
  $$ select jsonb_build_object('sub', test.id('alice'), 'email', 'Alice@Example.org', 'role', 'user') $$, 'and say the same of the person');
insert into token values ('bob', pg_temp.log_in('bob'));
select test.act_as_owner();
update app.users set role = 'moderator' where username = 'bob';
select test.act_as_gate();
select is(pg_temp.log_in('bob') ->> 'role', 'moderator', 'the role is the stored one');

-- Logging out of one
select test.act('authenticated', pg_temp.token('alice 1'));
select is(api.log_out()::text, null, 'logging out says nothing');
select is(pg_temp.alive(pg_temp.token('alice 1')), 'PT401 token_revoked', 'and ends the token');
select is(pg_temp.alive(pg_temp.token('alice 2')), 'true', 'others of the same second live on');
select test.act('authenticated', pg_temp.token('alice 2'));
select lives_ok($$ select api.log_out('local') $$, 'that is the scope local');
select is(pg_temp.alive(pg_temp.token('alice 2')), 'PT401 token_revoked', 'by its name');
select test.act('authenticated', pg_temp.token('alice 3'));
select lives_ok($$ select api.log_out(), api.log_out() $$, 'twice is no error');

-- Logging out of all
select test.act('authenticated', pg_temp.token('alice 4'));
select lives_ok($$ select api.log_out('global') $$, 'the scope global');
select is((select string_agg(distinct pg_temp.alive(claims), ',') from token where name like 'alice %'), 'PT401 token_revoked', 'ends every token');
select test.act_as_owner();
update app.users set role = 'user' where username = 'bob';
select test.act('authenticated', pg_temp.token('bob'));
select is(pg_temp.alive(pg_temp.token('bob')), 'true', 'of one person');
select test.act_as_gate();
insert into token select format('after %s', n), pg_temp.log_in('alice') from generate_series(1, 3) n;
select test.act('authenticated', pg_temp.token('after 1'));
select is((select string_agg(distinct pg_temp.alive(claims), ',') from token where name like 'after %'), 'true', 'a token issued within that second lives');
select test.act_as_owner();
select is((select min((claims ->> 'iat')::bigint) from token where name like 'after %'),
  (select tokens_valid_from from app.users where username = 'alice'), 'it is dated to the next whole second');
select is((select count(distinct (claims ->> 'iat', claims ->> 'exp'))::int from token where name like 'after %'), 3, 'and again no two are the same');

-- Who may not
update app.users set banned_at = now() where username = 'alice';
select test.act_as_gate();
select is(api.find_login('alice@example.org') ->> 'userId', test.id('alice')::text, 'a banned person''s password is checked');
select throws_ok($$ select api.log_in(test.id('alice'), 'no hash', 900) $$, 'PT403', 'person_banned', 'and then they are told');
select throws_ok($$ select api.log_in(test.id('alice'), 'another hash', 900) $$, 'PT401', 'credentials_wrong', 'not before');
select test.act_as_owner();
select is((select credentials_version from app.users where username = 'alice'), 1, 'a ban ends what devices hold');
update app.users set banned_at = now() where username = 'alice';
select is((select credentials_version from app.users where username = 'alice'), 1, 'once');
update app.users set banned_at = null where username = 'alice';
select is((select credentials_version from app.users where username = 'alice'), 1, 'and lifting it brings nothing back');
select is((select credentials_version from app.users where username = 'bob'), 0, 'of one person, and neither another role nor a logout');
select throws_ok($$ set local role authenticated; update app.users set credentials_version = 7 $$, '42501', null, 'nobody writes it themselves');
select test.act_as_owner();
update app.users set banned_at = null, erased_at = now() where username = 'alice';
select test.act_as_gate();
select is(api.find_login('alice@example.org')::text, null, 'an erased person is nobody');

-- Acting as somebody without a token
select test.act_as_anon();
select throws_ok('select api.log_out()', '42501', null, 'who has no token has nothing to end');
select test.act('authenticated', null);
select throws_ok('select api.log_out()', 'PT401', 'token_missing', 'whatever their role');
select throws_ok('select api.get_me()', 'PT401', 'token_missing', 'and nobody to be');
select test.act_as('bob');
select is(api.get_me() ->> 'email', 'bob@example.org', 'a person is themselves');

select * from finish();
rollback;
