-- Sessions: what a refresh token can do, what a used one does, and what ends a session.
begin;
select plan(88);
select test.people('alice', 'bob');

create function pg_temp.hash(p_name text) returns bytea language sql immutable as $$ select sha256(p_name::bytea) $$;
-- A token's family, generation and hash are derived from its name: 'a 0' is the first token of family a
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
-- Moves the session's times back, as if this much time had passed
create function pg_temp.wait(p_name text, p_time interval) returns void language sql volatile security definer as $$
  update app.sessions set created_at = created_at - p_time, last_used_at = last_used_at - p_time, expires_at = expires_at - p_time
  where id = pg_temp.family(p_name) $$;
grant execute on all functions in schema pg_temp to public;

-- Permissions
select is(has_function_privilege(r, f, 'execute'), r = 'gate', format('%s %s run %s', r, case when r = 'gate' then 'may' else 'may not' end, f::regproc))
from unnest(array['gate', 'anon', 'authenticated', 'service_role']) r, unnest(array['api.refresh_session', 'api.end_alerted_session']::regproc[]) f;
select is(has_function_privilege(r, f, 'execute'), r = 'authenticated', format('%s %s run %s', r, case when r = 'authenticated' then 'may' else 'may not' end, f::regproc))
from unnest(array['gate', 'anon', 'authenticated', 'service_role']) r, unnest(array['api.list_sessions', 'api.end_session', 'api.end_other_sessions']::regproc[]) f;
select ok(not has_function_privilege(r, 'private.start_session'::regproc, 'execute'), format('%s can''t start a session directly', r))
from unnest(array['gate', 'anon', 'authenticated', 'service_role']) r;

-- Acting as the gate: a session starts
select test.act_as_gate();
create temporary table answer as select pg_temp.begin('alice', 'a') as body;
grant select on answer to public;
select set_eq('select jsonb_object_keys(body) from answer', array['claims', 'user', 'credentialsVersion'], 'A login can start a session');
select pg_temp.begin('alice', 'b');
select is(pg_temp.state('a'), '0 open', 'A session starts at generation 0');
select lives_ok($$ select api.log_in(test.id('alice'), 'no hash', 900) $$, 'A login doesn''t have to start a rotating session');
select test.act_as_owner();
select results_eq($$ select kind, count(*)::int from app.sessions group by 1 order by 1 $$,
  $$ values ('fixed', 1), ('rotating', 2) $$, 'The other logins start fixed sessions');
select is((select expires_at from app.sessions where kind = 'fixed'),
  (select to_timestamp((live_tokens #>> '{0,1}')::bigint) from app.sessions where kind = 'fixed'),
  'A fixed session ends with its only token');
select results_eq($$ select user_id, issued_at, user_agent, expires_at - created_at from app.sessions where id = pg_temp.family('a') $$,
  $$ select test.id('alice'), (body #>> '{claims,iat}')::bigint, 'Firefox on a', interval '60 days' from answer $$,
  'A session has its person, the iat of its first token, the client and its expiry');
select test.act_as_gate();

-- Rotation
select is(pg_temp.refresh('a', 0), test.id('alice')::text, 'The first token can be exchanged');
select is(pg_temp.state('a'), '1 open', 'The exchange raises the generation');
select is(pg_temp.refresh('a', 1), test.id('alice')::text, 'The second token can be exchanged');
select is(pg_temp.state('a'), '2 open', 'The second exchange raises the generation again');
select is(pg_temp.state('b'), '0 open', 'Another session is unchanged');

-- Within the grace period
select is(pg_temp.refresh('a', 1), test.id('alice')::text, 'The previous token is accepted again');
select is(pg_temp.refresh('a', 1), test.id('alice')::text, 'The previous token is accepted a third time');
select is(pg_temp.state('a'), '2 open', 'The generation stays the same');
select pg_temp.wait('a', '9 seconds');
select is(pg_temp.refresh('a', 1), test.id('alice')::text, 'The previous token is accepted for ten seconds');
select throws_ok($$ select api.refresh_session(pg_temp.family('a'), 1, pg_temp.hash('a 1'), pg_temp.hash('made with another key'), 900) $$,
  'PT401', 'refresh_token_invalid', 'Within the grace period another successor is refused');
select is(pg_temp.state('a'), '2 open', 'A refused successor doesn''t end the session');

-- Reuse
select pg_temp.wait('a', '1 second');
select is(api.refresh_session(pg_temp.family('a'), 1, pg_temp.hash('a 1'), pg_temp.hash('a 2'), 900)::jsonb,
  '{"code": "PT401", "message": "refresh_token_reused", "details": "This refresh token was already used, so its session was ended. Log in again.", "hint": null}',
  'After the grace period, a used token counts as stolen');
select is(current_setting('response.status'), '401', 'The error is returned, because raising it would roll back the end of the session');
select is(pg_temp.state('a'), '2 ended', 'The session is ended');
select is(pg_temp.refresh('a', n), 'refresh_token_invalid', format('A token of generation %s is invalid afterwards', n)) from unnest(array[0, 1, 2, 3]) n;
select is(pg_temp.state('a'), '2 ended', 'The session is still ended');
select test.act_as_owner();
select is((select user_agent from app.sessions where id = pg_temp.family('a')), null, 'An ended session has no user agent');
select test.act_as_gate();
select pg_temp.begin('alice', 'c');
select pg_temp.refresh('c', 0), pg_temp.refresh('c', 1);
select is(pg_temp.refresh('c', 0), 'refresh_token_reused', 'The token before the previous one has no grace period');
select is(pg_temp.state('c'), '2 ended', 'Using the token before the previous one ends the session');
select pg_temp.begin('alice', 'd');
select is(api.refresh_session(pg_temp.family('d'), 0, pg_temp.hash('forged'), pg_temp.hash('d 1'), 900) ->> 'message',
  'refresh_token_reused', 'Another token of the current generation counts as reused');
select is(pg_temp.state('d'), '0 ended', 'Another token of the current generation ends the session, because somebody else may know the signing key');

-- Invalid tokens
select is(pg_temp.refresh('unknown', 0), 'refresh_token_invalid', 'A token of an unknown session is invalid');
select is(pg_temp.refresh('b', 1), 'refresh_token_invalid', 'A token of a later generation is invalid');
select is(pg_temp.state('b'), '0 open', 'A token of a later generation changes nothing');
select pg_temp.wait('b', '60 days');
select is(pg_temp.refresh('b', 0), 'refresh_token_invalid', 'After 60 days a token is invalid');
select pg_temp.wait('b', '-1 minute');
select is(pg_temp.refresh('b', 0), test.id('alice')::text, 'A minute before the 60 days are over, the token is valid');
select pg_temp.wait('b', '59 days');
select is(pg_temp.refresh('b', 1), test.id('alice')::text, 'Each use restarts the 60 days');

-- Other ways to end a session
select pg_temp.begin('bob', 'e');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'bob';
select test.act_as_gate();
select is(pg_temp.refresh('e', 0), 'refresh_token_invalid', 'A banned person''s session is invalid');
select test.act_as_owner();
update app.users set banned_at = null where username = 'bob';
update app.users set tokens_valid_from = (select issued_at + 1 from app.sessions where id = pg_temp.family('e')) where username = 'bob';
select test.act_as_gate();
select is(pg_temp.refresh('e', 0), 'refresh_token_invalid', 'A session older than tokens_valid_from is invalid');
select pg_temp.begin('bob', 'f');
select is(pg_temp.refresh('f', 0), test.id('bob')::text, 'A session started afterwards is valid');
select test.act_as_owner();
update app.users set role = 'admin' where username = 'bob';
select test.act_as_gate();
select is(api.refresh_session(pg_temp.family('f'), 1, pg_temp.hash('f 1'), pg_temp.hash('f 2'), 900) #>> '{claims,role}',
  'admin', 'The claims have the current role');
select test.act_as_owner();
select private.end_tokens(test.id('bob'));
select is(pg_temp.state('f'), '2 ended', 'Ending all tokens ends the sessions');
select test.act_as_gate();
select pg_temp.begin('bob', 'g');
select test.act_as_owner();
select private.end_tokens(test.id('bob'));
select test.act_as_gate();
select is(pg_temp.refresh('g', 0), 'refresh_token_invalid', 'A session of the same second, started after tokens_valid_from had moved, is ended too');
select pg_temp.begin('bob', 'h');
select is(pg_temp.refresh('h', 0), test.id('bob')::text, 'A new session is valid');

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
  array['Firefox on z', 'Firefox on y', 'Firefox on x'], 'People see their own sessions, newest first');
select set_eq($$ select json_object_keys(api.list_sessions() -> 'items' -> 0) $$,
  array['id', 'userAgent', 'createdAt', 'lastUsedAt', 'expiresAt', 'kind', 'device', 'network', 'lastSeenAt', 'isCurrent'],
  'A session has these fields');
select is(api.list_sessions(2) ->> 'nextCursor', pg_temp.family('y')::text, 'A page ends with a cursor');
select is((select array_agg(s ->> 'userAgent') from json_array_elements(api.list_sessions(2, pg_temp.family('y')::text) -> 'items') s),
  array['Firefox on x'], 'The cursor leads to the next page');
select throws_ok($$ select api.list_sessions(20, pg_temp.family('bob')::text) $$, 'PT400', 'cursor_unknown', 'Another person''s session is no cursor');
select throws_ok($$ select api.list_sessions(51) $$, 'PT422', 'limit_out_of_range', 'A page has at most 50 sessions');
select throws_ok($$ select api.list_sessions(20, 'x') $$, 'PT400', 'cursor_unknown', 'A malformed cursor is refused');
select throws_ok($$ select api.end_session(pg_temp.family('bob')) $$, 'PT404', 'session_unknown', 'Another person''s session can''t be ended');
select is(api.end_session(pg_temp.family('z'))::text, null, 'People can end their own session');
select is(api.end_session(pg_temp.family('z'))::text, null, 'Ending a session twice is not an error');
select is((select array_agg(s ->> 'userAgent') from json_array_elements(api.list_sessions(20, pg_temp.family('z')::text) -> 'items') s),
  array['Firefox on y', 'Firefox on x'], 'An ended session stays valid as a cursor');
select is(json_array_length(api.list_sessions() -> 'items'), 2, 'An ended session isn''t listed');
select throws_ok($$ update app.sessions set ended_at = null where id = pg_temp.family('z') $$, '42501', null, 'People can''t reopen a session in the table');
select throws_ok($$ select token_hash from app.sessions $$, '42501', null, 'Nobody can read the token hashes');
select is(api.log_out('local', pg_temp.family('bob'))::text, null, 'Logging out with another person''s session returns the same as usual');
select is(pg_temp.state('bob'), '0 open', 'The other person''s session stays open');
select is(api.log_out('local', pg_temp.family('y'))::text, null, 'People can log out with their own session');
select is(pg_temp.state('y') || ', ' || pg_temp.state('x'), '0 ended, 0 open', 'Logging out ends only that session');
select test.act_as('alice');
select api.log_out('global');
select is(pg_temp.state('x'), '0 ended', 'Logging out globally ends all sessions');

-- Time
select test.act_as_owner();
update app.sessions set expires_at = now() - interval '1 second' where id in (pg_temp.family('x'), pg_temp.family('bob'));
select test.act('worker', null);
select is(private.job_purge(), 2, 'The job deletes expired sessions, ended or not');
select is(private.job_purge(), 0, 'Running the job again deletes nothing');

select * from finish();
rollback;
