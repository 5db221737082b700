-- Passwords: changing one's own, and setting a new one with what was mailed.
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

-- Who may do what
select is(has_function_privilege(r, f, 'execute'), r = 'gate', format('%s %s run %s', r, case when r = 'gate' then 'may' else 'may not' end, f::regproc))
from unnest(array['gate', 'anon', 'authenticated', 'service_role']) r,
     unnest(array['api.find_password', 'api.change_password', 'api.request_password_reset', 'api.check_password_reset', 'api.reset_password']::regproc[]) f;
select is(has_function_privilege(r, 'private.find_reset_mail'::regproc, 'execute'), r = 'worker', format('%s %s where mail goes', r, case when r = 'worker' then 'learns' else 'does not learn' end))
from unnest(array['worker', 'gate', 'authenticated']) r;

-- Changing one's own
insert into token values ('alice', test.claims('alice')), ('bob', test.claims('bob'));
select test.act_as_gate();
select throws_ok('select api.find_password()', 'PT401', 'token_missing', 'nobody has no password');
select test.act('gate', (select claims from token where name = 'alice'));
select is(api.find_password()::jsonb, jsonb_build_object('userId', test.id('alice'), 'passwordHash', 'no hash', 'credentialsVersion', 0), 'the caller''s hash is to be checked');
select throws_ok($$ select api.change_password('another hash', 'new hash', 900) $$, 'PT401', 'token_revoked', 'one that changed meanwhile is refused');
insert into answer values ('change', api.change_password('no hash', 'new hash', 900, pg_temp.reset_id('family'), pg_temp.hash('family'), 'Firefox'));
select is((select body #>> '{claims,sub}' from answer), test.id('alice')::text, 'else a fresh token comes back');
select is((select body #>> '{user,username}' from answer), 'alice', 'with the person');
select is((select body ->> 'credentialsVersion' from answer), '1', 'and what device tokens are bound to from now on');
select is(pg_temp.alive((select claims from token where name = 'alice')), 'PT401 token_revoked', 'every other is dead');
select is(pg_temp.alive((select (body ->> 'claims')::jsonb from answer)), 'true', 'the fresh one lives');
select is(pg_temp.alive((select claims from token where name = 'bob')), 'true', 'and so do those of others');
select test.act_as_owner();
select is((select password_hash from private.credentials where user_id = test.id('alice')), 'new hash', 'the hash is the new one');
select is((select count(*)::int from app.sessions where user_id = test.id('alice') and ended_at is null), 1, 'and a session began where one was asked for');

-- Asking for a mail
select test.act_as_gate();
select is(pg_temp.ask(' ALICE@example.org ', 'a'), '{"ok" : true}', 'a known address is asked for');
select is(pg_temp.ask('zoe@example.org', 'zoe'), '{"ok" : true}', 'and an unknown one');
select test.act_as_owner();
select results_eq($$ select user_id, token_hash, used_at, expires_at - created_at from private.password_resets order by user_id nulls last $$,
  $$ values (test.id('alice'), pg_temp.hash('a'), null::timestamptz, interval '1 hour'), (null, pg_temp.hash('zoe'), null, interval '1 hour') $$,
  'both leave the same traces, and an hour');
select results_eq($$ select data from pgboss.job where name = 'mail' order by data ->> 'resetId' $$,
  $$ select jsonb_build_object('resetId', pg_temp.reset_id(n)) from unnest(array['a', 'zoe']) n order by pg_temp.reset_id(n)::text $$,
  'and a job each, which says nothing');
select test.act('worker', null);
select is(private.find_reset_mail(pg_temp.reset_id('a'))::jsonb, jsonb_build_object('to', 'alice@example.org', 'tokenHash', encode(pg_temp.hash('a'), 'hex')),
  'the worker learns where to');
select is(private.find_reset_mail(pg_temp.reset_id('zoe'))::text, null, 'or that there is nobody');
select test.act_as_gate();
select throws_ok($$ select pg_temp.reset('zoe') $$, 'PT410', 'reset_over', 'what was mailed to nobody sets nobody''s password');

-- Five an hour
select pg_temp.ask('bob@example.org', 'bob ' || n) from generate_series(1, 7) n;
select test.act('worker', null);
select is((select count(private.find_reset_mail(pg_temp.reset_id('bob ' || n)))::int from generate_series(1, 7) n), 5, 'five are mailed to a person in an hour');
select test.act_as_gate();
select throws_ok($$ select pg_temp.reset('bob 6') $$, 'PT410', 'reset_over', 'and no more');

-- Setting a new one
select throws_ok($$ select api.reset_password(pg_temp.reset_id('a'), pg_temp.hash('b'), 'x') $$, 'PT410', 'reset_over', 'another token is no good');
select throws_ok($$ select api.reset_password(pg_temp.reset_id('b'), pg_temp.hash('a'), 'x') $$, 'PT410', 'reset_over', 'nor is it for another request');
select throws_ok($$ select api.check_password_reset(pg_temp.reset_id('a'), pg_temp.hash('b')) $$, 'PT410', 'reset_over', 'which can be asked beforehand');
select is(api.check_password_reset(pg_temp.reset_id('a'), pg_temp.hash('a'))::text, '{"ok" : true}', 'and spends nothing');
select pg_temp.ask('alice@example.org', 'a second');
select is(pg_temp.reset('a', 'reset hash')::jsonb, jsonb_build_object('userId', test.id('alice'), 'credentialsVersion', 2), 'what was mailed sets a password');
select throws_ok($$ select pg_temp.reset('a') $$, 'PT410', 'reset_over', 'once');
select throws_ok($$ select pg_temp.reset('a second') $$, 'PT410', 'reset_over', 'and spends what else was mailed');
select is(pg_temp.alive((select (body ->> 'claims')::jsonb from answer)), 'PT401 token_revoked', 'every token ends');
select test.act_as_owner();
select is((select password_hash from private.credentials where user_id = test.id('alice')), 'reset hash', 'the hash is the new one');
select isnt((select used_at from private.password_resets where id = pg_temp.reset_id('a')), null, 'when it was used is kept');
select is((select count(*)::int from app.sessions where ended_at is null), 0, 'every session is over');
select is((select password_hash from private.credentials where user_id = test.id('bob')), 'no hash', 'of one person');
select is((select credentials_version from app.users where id = test.id('bob')), 0, 'whose device tokens alone end');
select test.act('worker', null);
select is(private.find_reset_mail(pg_temp.reset_id('a'))::text, null, 'a spent one is not mailed again');

-- Time, and other ways to end it
select test.act_as_owner();
update private.password_resets set expires_at = now() - interval '1 second' where id = pg_temp.reset_id('bob 1');
select test.act_as_gate();
select throws_ok($$ select pg_temp.reset('bob 1') $$, 'PT410', 'reset_over', 'after an hour it is over');
select test.act('gate', (select claims from token where name = 'bob'));
select lives_ok($$ select api.change_password('no hash', 'another hash', 900) $$, 'who remembers');
select throws_ok($$ select pg_temp.reset('bob 2') $$, 'PT410', 'reset_over', 'needs no mail any more');
select test.act_as_owner();
update private.password_resets set created_at = now() - interval '25 hours' where id = pg_temp.reset_id('bob 1');
select test.act('worker', null);
select is(private.job_purge(), 1, 'the job forgets requests after a day');

select * from finish();
rollback;
