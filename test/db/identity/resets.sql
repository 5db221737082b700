-- Passwords: changing one's own, and setting a new one with a mailed token.
begin;
select plan(61);
select test.people('alice', 'bob');

create function pg_temp.hash(p_name text) returns bytea language sql immutable as $$ select sha256(p_name::bytea) $$;
create function pg_temp.reset_id(p_name text) returns uuid language sql immutable as $$ select md5(p_name)::uuid $$;
create function pg_temp.ask(p_email text, p_name text) returns text language sql volatile security definer
  as $$ select api.request_password_reset(p_email, pg_temp.reset_id(p_name), pg_temp.hash(p_name))::text $$;
create function pg_temp.reset(p_name text, p_hash text default 'new hash') returns text language sql volatile security definer
  as $$ select api.reset_password(pg_temp.reset_id(p_name), pg_temp.hash(p_name), p_hash)::text $$;
create function pg_temp.alive(p_claims jsonb) returns text language plpgsql volatile as $$
begin
  return private.enter(p_claims::text);
exception when others then
  return sqlstate || ' ' || sqlerrm;
end $$;
create temporary table token (name text primary key, claims jsonb);
create temporary table answer (name text primary key, body json);
grant all on token, answer to public;
grant execute on all functions in schema pg_temp to public;

-- Permissions
select is(has_function_privilege(r, f, 'execute'), r = 'gate', format('%s %s run %s', r, case when r = 'gate' then 'may' else 'may not' end, f::regproc))
from unnest(array['gate', 'anon', 'authenticated', 'service_role']) r,
     unnest(array['api.find_password', 'api.change_password', 'api.request_password_reset', 'api.check_password_reset', 'api.reset_password']::regproc[]) f;
select is(has_function_privilege(r, 'private.find_reset_mail'::regproc, 'execute'), r = 'worker', format('%s %s find the address of a mail', r, case when r = 'worker' then 'can' else 'can''t' end))
from unnest(array['worker', 'gate', 'authenticated']) r;

-- Changing one's own password
insert into token values ('alice', test.claims('alice')), ('bob', test.claims('bob'));
select test.act_as_gate();
select throws_ok('select api.find_password()', 'PT401', 'token_missing', 'An anonymous caller can''t get a password hash');
select test.act('gate', (select claims from token where name = 'alice'));
select is(api.find_password()::jsonb, jsonb_build_object('userId', test.id('alice'), 'passwordHash', 'no hash', 'credentialsVersion', 0,
  'words', array['alice@example.org', 'alice', 'alice', '例']), 'The gate gets the caller''s password hash to check');
select throws_ok($$ select api.change_password('another hash', 'new hash', 900) $$, 'PT401', 'token_revoked', 'A hash that changed meanwhile is refused');
insert into answer values ('change', api.change_password('no hash', 'new hash', 900, pg_temp.reset_id('family'), pg_temp.hash('family'), 'Firefox'));
select is((select body #>> '{claims,sub}' from answer), test.id('alice')::text, 'A change returns a new token');
select is((select body #>> '{user,username}' from answer), 'alice', 'A change returns the profile');
select is((select body ->> 'credentialsVersion' from answer), '1', 'A change returns the new credentials version, to which device tokens are bound');
select is(pg_temp.alive((select claims from token where name = 'alice')), 'PT401 token_revoked', 'All earlier tokens are revoked');
select is(pg_temp.alive((select (body ->> 'claims')::jsonb from answer)), 'true', 'The new token is valid');
select is(pg_temp.alive((select claims from token where name = 'bob')), 'true', 'Other people''s tokens stay valid');
select test.act_as_owner();
select is((select password_hash from private.credentials where user_id = test.id('alice')), 'new hash', 'The new hash is stored');
select is((select count(*)::int from app.sessions where user_id = test.id('alice') and ended_at is null), 1, 'A session is started if one was requested');

-- Requesting a reset mail
select test.act_as_gate();
select is(pg_temp.ask(' ALICE@example.org ', 'a'), '{"ok" : true}', 'A reset can be requested for a known address');
select is(pg_temp.ask('zoe@example.org', 'zoe'), '{"ok" : true}', 'A reset for an unknown address gets the same answer');
select test.act_as_owner();
select results_eq($$ select user_id, token_hash, used_at, expires_at - created_at from private.password_resets order by user_id nulls last $$,
  $$ values (test.id('alice'), pg_temp.hash('a'), null::timestamptz, interval '1 hour'), (null, pg_temp.hash('zoe'), null, interval '1 hour') $$,
  'Both requests are stored alike, for an hour');
select results_eq($$ select data from pgboss.job where name = 'mail' order by data ->> 'resetId' $$,
  $$ select jsonb_build_object('resetId', pg_temp.reset_id(n)) from unnest(array['a', 'zoe']) n order by pg_temp.reset_id(n)::text $$,
  'Both requests queue a job without an address');
select test.act('worker', null);
select is(private.find_reset_mail(pg_temp.reset_id('a'))::jsonb - 'endsAt', jsonb_build_object('to', 'alice@example.org', 'tokenHash', encode(pg_temp.hash('a'), 'hex')),
  'The worker gets the address of a known person');
select is(private.find_reset_mail(pg_temp.reset_id('zoe'))::text, null, 'The worker gets null for an unknown address');
select test.act_as_gate();
select throws_ok($$ select pg_temp.reset('zoe') $$, 'PT410', 'reset_over', 'A token for an unknown address resets no password');

-- At most five resets an hour
select pg_temp.ask('bob@example.org', 'bob ' || n) from generate_series(1, 7) n;
select test.act('worker', null);
select is((select count(private.find_reset_mail(pg_temp.reset_id('bob ' || n)))::int from generate_series(1, 7) n), 5, 'At most five resets an hour are mailed to a person');
select test.act_as_gate();
select throws_ok($$ select pg_temp.reset('bob 6') $$, 'PT410', 'reset_over', 'The sixth token can''t be used');

-- Setting a new password
select throws_ok($$ select api.reset_password(pg_temp.reset_id('a'), pg_temp.hash('b'), 'x') $$, 'PT410', 'reset_over', 'A wrong token is refused');
select throws_ok($$ select api.reset_password(pg_temp.reset_id('b'), pg_temp.hash('a'), 'x') $$, 'PT410', 'reset_over', 'A token for another request is refused');
select throws_ok($$ select api.check_password_reset(pg_temp.reset_id('a'), pg_temp.hash('b')) $$, 'PT410', 'reset_over', 'A wrong token fails the check');
select is(api.check_password_reset(pg_temp.reset_id('a'), pg_temp.hash('a'))::jsonb,
  '{"words": ["alice@example.org", "alice", "alice", "例"]}', 'The right token passes the check');
select pg_temp.ask('alice@example.org', 'a second');
select is(pg_temp.reset('a', 'reset hash')::jsonb, jsonb_build_object('userId', test.id('alice'), 'credentialsVersion', 2), 'The right token sets the password, even after a check');
select throws_ok($$ select pg_temp.reset('a') $$, 'PT410', 'reset_over', 'A token can be used only once');
select throws_ok($$ select pg_temp.reset('a second') $$, 'PT410', 'reset_over', 'A reset ends the other mailed tokens');
select is(pg_temp.alive((select (body ->> 'claims')::jsonb from answer)), 'PT401 token_revoked', 'A reset revokes every access token');
select test.act_as_owner();
select is((select password_hash from private.credentials where user_id = test.id('alice')), 'reset hash', 'The second new hash is stored');
select isnt((select used_at from private.password_resets where id = pg_temp.reset_id('a')), null, 'The time of use is stored');
select is((select count(*)::int from app.sessions where ended_at is null), 0, 'A reset ends every session');
select is((select password_hash from private.credentials where user_id = test.id('bob')), 'no hash', 'Another person''s password is unchanged');
select is((select credentials_version from app.users where id = test.id('bob')), 0, 'Another person''s credentials version is unchanged');
select test.act('worker', null);
select is(private.find_reset_mail(pg_temp.reset_id('a'))::text, '{"ended": true}', 'A used reset isn''t mailed again');

-- Time, and other ways to end a reset
select test.act_as_owner();
update private.password_resets set expires_at = now() - interval '1 second' where id = pg_temp.reset_id('bob 1');
select test.act_as_gate();
select throws_ok($$ select pg_temp.reset('bob 1') $$, 'PT410', 'reset_over', 'After an hour a token is refused');
select test.act('gate', (select claims from token where name = 'bob'));
select lives_ok($$ select api.change_password('no hash', 'another hash', 900) $$, 'A person can change the password while a reset is open');
select throws_ok($$ select pg_temp.reset('bob 2') $$, 'PT410', 'reset_over', 'A changed password invalidates the mailed tokens');
select test.act_as_owner();
update private.password_resets set created_at = now() - interval '25 hours' where id = pg_temp.reset_id('bob 1');
select test.act('worker', null);
select is(private.job_purge(), 1, 'The job deletes requests after a day');

select * from finish();
rollback;
