-- Rotating sessions: what a refresh token is good for, what a spent one does, and what ends a session.
begin;
select plan(79);
select test.people('alice', 'bob');

create function pg_temp.hash(p_name text) returns bytea language sql immutable as $$ select sha256(p_name::bytea) $$;
-- the family, generation and hash of a token are made of its name: 'a 0' is the first of family a
create function pg_temp.family(p_name text) returns uuid language sql immutable as $$ select md5(p_name)::uuid $$;
create function pg_temp.begin(p_person text, p_name text) returns jsonb language sql volatile security definer
  as $$ select api.log_in(test.id(p_person), 'no hash', 900, null, pg_temp.family(p_name), pg_temp.hash(p_name || ' 0'), 'Firefox on ' || p_name)::jsonb $$;
create function pg_temp.refresh(p_name text, p_generation integer) returns text language plpgsql volatile security definer as $$
declare
  v_answer json;
begin
  perform set_config('response.status', '', true);
  v_answer := api.refresh_session(pg_temp.family(p_name), p_generation, pg_temp.hash(p_name || ' ' || p_generation),
                                  pg_temp.hash(p_name || ' ' || p_generation + 1), 900);
  return coalesce(v_answer ->> 'message', v_answer #>> '{claims,sub}');
exception when others then
  return sqlerrm;
end $$;
create function pg_temp.state(p_name text) returns text language sql volatile security definer
  as $$ select generation || case when ended_at is null then ' open' else ' ended' end from app.sessions where id = pg_temp.family(p_name) $$;
-- as if so much time had passed since
create function pg_temp.wait(p_name text, p_time interval) returns void language sql volatile security definer as $$
  update app.sessions set created_at = created_at - p_time, last_used_at = last_used_at - p_time, expires_at = expires_at - p_time
  where id = pg_temp.family(p_name) $$;
grant execute on all functions in schema pg_temp to public;

-- Who may do what
select is(has_function_privilege(r, f, 'execute'), r = 'gate', format('%s %s run %s', r, case when r = 'gate' then 'may' else 'may not' end, f::regproc))
from unnest(array['gate', 'anon', 'authenticated', 'service_role']) r, unnest(array['api.refresh_session']::regproc[]) f;
select is(has_function_privilege(r, f, 'execute'), r = 'authenticated', format('%s %s run %s', r, case when r = 'authenticated' then 'may' else 'may not' end, f::regproc))
from unnest(array['gate', 'anon', 'authenticated', 'service_role']) r, unnest(array['api.list_sessions', 'api.end_session']::regproc[]) f;
select ok(not has_function_privilege(r, 'private.start_session'::regproc, 'execute'), format('%s opens no session by itself', r))
from unnest(array['gate', 'anon', 'authenticated', 'service_role']) r;

-- Acting as the gate: a session begins
select test.act_as_gate();
create temporary table answer as select pg_temp.begin('alice', 'a') as body;
grant select on answer to public;
select set_eq('select jsonb_object_keys(body) from answer', array['claims', 'user', 'credentialsVersion'], 'logging in may begin a session');
select pg_temp.begin('alice', 'b');
select is(pg_temp.state('a'), '0 open', 'at generation 0');
select lives_ok($$ select api.log_in(test.id('alice'), 'no hash', 900) $$, 'or not');
select test.act_as_owner();
select is((select count(*)::int from app.sessions), 2, 'and then there is none');
select results_eq($$ select user_id, issued_at, user_agent, expires_at - created_at from app.sessions where id = pg_temp.family('a') $$,
  $$ select test.id('alice'), (body #>> '{claims,iat}')::bigint, 'Firefox on a', interval '60 days' from answer $$,
  'it knows whose it is, the iat of its first token, the client and its end');
select test.act_as_gate();

-- Rotation
select is(pg_temp.refresh('a', 0), test.id('alice')::text, 'the first token is exchanged');
select is(pg_temp.state('a'), '1 open', 'for its successor');
select is(pg_temp.refresh('a', 1), test.id('alice')::text, 'which is exchanged in turn');
select is(pg_temp.state('a'), '2 open', 'for the next');
select is(pg_temp.state('b'), '0 open', 'another session stays as it was');

-- Within the grace
select is(pg_temp.refresh('a', 1), test.id('alice')::text, 'the last one is taken again at once');
select is(pg_temp.refresh('a', 1), test.id('alice')::text, 'and again');
select is(pg_temp.state('a'), '2 open', 'for the same successor');
select pg_temp.wait('a', '9 seconds');
select is(pg_temp.refresh('a', 1), test.id('alice')::text, 'for ten seconds');
select throws_ok($$ select api.refresh_session(pg_temp.family('a'), 1, pg_temp.hash('a 1'), pg_temp.hash('made with another key'), 900) $$,
  'PT401', 'refresh_token_invalid', 'but not for another successor');
select is(pg_temp.state('a'), '2 open', 'which is no theft');

-- Reuse
select pg_temp.wait('a', '1 second');
select is(api.refresh_session(pg_temp.family('a'), 1, pg_temp.hash('a 1'), pg_temp.hash('a 2'), 900)::jsonb,
  '{"code": "PT401", "message": "refresh_token_reused", "details": "This refresh token was used before, so its session has been ended. Log in again.", "hint": null}',
  'after that it was stolen');
select is(current_setting('response.status'), '401', 'which is an answer, and no error that would undo what follows');
select is(pg_temp.state('a'), '2 ended', 'the session ends');
select is(pg_temp.refresh('a', n), 'refresh_token_invalid', format('generation %s is no good any more', n)) from unnest(array[0, 1, 2, 3]) n;
select is(pg_temp.state('a'), '2 ended', 'and it stays ended');
select test.act_as_owner();
select is((select user_agent from app.sessions where id = pg_temp.family('a')), null, 'what is ended knows no client');
select test.act_as_gate();
select pg_temp.begin('alice', 'c');
select pg_temp.refresh('c', 0), pg_temp.refresh('c', 1);
select is(pg_temp.refresh('c', 0), 'refresh_token_reused', 'there is no grace for one before the last');
select is(pg_temp.state('c'), '2 ended', 'it ends its session too');
select pg_temp.begin('alice', 'd');
select is(api.refresh_session(pg_temp.family('d'), 0, pg_temp.hash('forged'), pg_temp.hash('d 1'), 900) ->> 'message',
  'refresh_token_reused', 'another token of this generation ends the session');
select is(pg_temp.state('d'), '0 ended', 'since somebody has the key');

-- No good
select is(pg_temp.refresh('unknown', 0), 'refresh_token_invalid', 'there is no such session');
select is(pg_temp.refresh('b', 1), 'refresh_token_invalid', 'a generation that is still to come is no good');
select is(pg_temp.state('b'), '0 open', 'and changes nothing');
select pg_temp.wait('b', '60 days');
select is(pg_temp.refresh('b', 0), 'refresh_token_invalid', 'after 60 days a token is over');
select pg_temp.wait('b', '-1 minute');
select is(pg_temp.refresh('b', 0), test.id('alice')::text, 'a minute before it is not');
select pg_temp.wait('b', '59 days');
select is(pg_temp.refresh('b', 1), test.id('alice')::text, 'and each use begins the 60 days anew');

-- What ends it from outside
select pg_temp.begin('bob', 'e');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'bob';
select test.act_as_gate();
select is(pg_temp.refresh('e', 0), 'refresh_token_invalid', 'a banned person''s session is no good');
select test.act_as_owner();
update app.users set banned_at = null where username = 'bob';
update app.users set tokens_valid_from = (select issued_at + 1 from app.sessions where id = pg_temp.family('e')) where username = 'bob';
select test.act_as_gate();
select is(pg_temp.refresh('e', 0), 'refresh_token_invalid', 'nor is one older than tokensValidFrom');
select pg_temp.begin('bob', 'f');
select is(pg_temp.refresh('f', 0), test.id('bob')::text, 'one that began since is');
select test.act_as_owner();
update app.users set role = 'admin' where username = 'bob';
select test.act_as_gate();
select is(api.refresh_session(pg_temp.family('f'), 1, pg_temp.hash('f 1'), pg_temp.hash('f 2'), 900) #>> '{claims,role}',
  'admin', 'claims are those of now');
select test.act_as_owner();
select private.end_tokens(test.id('bob'));
select is(pg_temp.state('f'), '2 ended', 'ending all tokens ends sessions');
select test.act_as_gate();
select pg_temp.begin('bob', 'g');
select test.act_as_owner();
select private.end_tokens(test.id('bob'));
select test.act_as_gate();
select is(pg_temp.refresh('g', 0), 'refresh_token_invalid', 'also one that began in the same second, after tokensValidFrom had moved');
select pg_temp.begin('bob', 'h');
select is(pg_temp.refresh('h', 0), test.id('bob')::text, 'and a fresh one lives');

-- Acting as Alice
select test.act_as_owner();
delete from app.sessions;
select test.act_as_gate();
select pg_temp.begin('alice', n), pg_temp.wait(n, '3 minutes') from unnest(array['x']) n;
select pg_temp.begin('alice', n), pg_temp.wait(n, '2 minutes') from unnest(array['y']) n;
select pg_temp.begin('alice', n), pg_temp.wait(n, '1 minute') from unnest(array['z']) n;
select pg_temp.begin('bob', 'bob');
select test.act_as('alice');
select is((select array_agg(s ->> 'userAgent') from json_array_elements(api.list_sessions() -> 'items') s),
  array['Firefox on z', 'Firefox on y', 'Firefox on x'], 'one sees one''s own sessions, the newest first');
select set_eq($$ select json_object_keys(api.list_sessions() -> 'items' -> 0) $$,
  array['id', 'userAgent', 'createdAt', 'lastUsedAt', 'expiresAt'], 'and of each what a person can make use of');
select is(api.list_sessions(2) ->> 'nextCursor', pg_temp.family('y')::text, 'in pages');
select is((select array_agg(s ->> 'userAgent') from json_array_elements(api.list_sessions(2, pg_temp.family('y')::text) -> 'items') s),
  array['Firefox on x'], 'to the end');
select throws_ok($$ select api.list_sessions(20, pg_temp.family('bob')::text) $$, 'PT400', 'cursor_unknown', 'another''s session is no cursor');
select throws_ok($$ select api.list_sessions(51) $$, 'PT422', 'limit_out_of_range', 'no page is longer than 50');
select throws_ok($$ select api.list_sessions(20, 'x') $$, 'PT400', 'cursor_unknown', 'nor is anything else one');
select throws_ok($$ select api.end_session(pg_temp.family('bob')) $$, 'PT404', 'session_unknown', 'nobody ends another''s session');
select is(api.end_session(pg_temp.family('z'))::text, null, 'one''s own one ends');
select is(api.end_session(pg_temp.family('z'))::text, null, 'twice is no error');
select is((select array_agg(s ->> 'userAgent') from json_array_elements(api.list_sessions(20, pg_temp.family('z')::text) -> 'items') s),
  array['Firefox on y', 'Firefox on x'], 'it is still a place in the list');
select is(json_array_length(api.list_sessions() -> 'items'), 2, 'and not in it');
select throws_ok($$ update app.sessions set ended_at = null where id = pg_temp.family('z') $$, '42501', null, 'nothing begins it again');
select throws_ok($$ select token_hash from app.sessions $$, '42501', null, 'hashes are nobody''s');
select is(api.log_out('local', pg_temp.family('bob'))::text, null, 'logging out with another''s session says nothing');
select is(pg_temp.state('bob'), '0 open', 'and does nothing to it');
select is(api.log_out('local', pg_temp.family('y'))::text, null, 'with one''s own');
select is(pg_temp.state('y') || ', ' || pg_temp.state('x'), '0 ended, 0 open', 'it ends that one');
select test.act_as('alice');
select api.log_out('global');
select is(pg_temp.state('x'), '0 ended', 'everywhere ends all');

-- Time
select test.act_as_owner();
update app.sessions set expires_at = now() - interval '1 second' where id in (pg_temp.family('x'), pg_temp.family('bob'));
select test.act('worker', null);
select is(private.job_purge(), 2, 'the job forgets what is over, ended or not');
select is(private.job_purge(), 0, 'once');

select * from finish();
rollback;
