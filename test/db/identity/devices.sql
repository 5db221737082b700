-- Devices: which logins are mailed to the person, what ends them, and when a session was last seen.
begin;
select plan(31);
select test.people('alice', 'bob');

create function pg_temp.hash(p_name text) returns bytea language sql immutable as $$ select sha256(p_name::bytea) $$;
create function pg_temp.family(p_name text) returns uuid language sql immutable as $$ select md5(p_name)::uuid $$;
-- Logs Alice in as a fixed session of this name
create function pg_temp.log_in(p_name text, p_device text, p_address text, p_alerts boolean default true) returns jsonb
language sql volatile security definer as $$
  select api.log_in(test.id('alice'), 'no hash', 900, null, pg_temp.family(p_name), null, null, p_device, p_address,
                    case when p_alerts then pg_temp.hash(p_name) end)::jsonb -> 'claims' $$;
create function pg_temp.is_alerted(p_name text) returns boolean language sql stable security definer as $$
  select alert_hash is not null
         and exists (select from pgboss.job where name = 'mail' and data ->> 'sessionId' = pg_temp.family(p_name)::text)
  from app.sessions where id = pg_temp.family(p_name) $$;
create function pg_temp.is_open(p_name text) returns boolean language sql stable security definer as $$
  select ended_at is null from app.sessions where id = pg_temp.family(p_name) $$;
grant execute on all functions in schema pg_temp to public;

-- Networks
select is(private.network_of(address)::text, network, format('%s is shown as %s', address, network))
from (values ('203.0.113.77', '203.0.113.0/24'), ('2001:db8:1:2::3', '2001:db8:1::/48')) a(address, network);
select is(private.network_of(null), null, 'An unknown address has no network');

-- Which logins are mailed
update private.credentials set last_issued_at = 0 where user_id = test.id('alice');
select pg_temp.log_in('first', 'Firefox', '203.0.113.1');
select ok(not pg_temp.is_alerted('first'), 'The first login of a person is not mailed');
select pg_temp.log_in('same', 'Firefox', '203.0.113.200');
select ok(not pg_temp.is_alerted('same'), 'A second login on the same device and network is not mailed');
select pg_temp.log_in('elsewhere', 'Firefox', '198.51.100.1');
select ok(pg_temp.is_alerted('elsewhere'), 'A login from another network is mailed');
select pg_temp.log_in('other', 'Safari', '203.0.113.1');
select ok(pg_temp.is_alerted('other'), 'A login on another device is mailed');
select pg_temp.log_in('known', 'Opera', '203.0.113.1', false);
select ok(not pg_temp.is_alerted('known'), 'A login with a device token is not mailed');
select pg_temp.log_in('again', 'Opera', '203.0.113.1');
select ok(not pg_temp.is_alerted('again'), 'A device is known after a login with a device token');
select pg_temp.log_in('more ' || n, 'Device ' || n, '203.0.113.1') from generate_series(1, 5) n;
select is((select count(*)::int from app.sessions where alert_hash is not null), 5, 'At most five mails an hour are sent');

-- What the mail contains
select test.act('worker', null);
select is(private.find_session_mail(pg_temp.family('other'))::jsonb ->> 'device', 'Safari', 'The mail names the device');
select test.act_as_owner();
update app.accounts set email_bounced_at = now() where user_id = test.id('alice');
select is(private.find_session_mail(pg_temp.family('other'))::jsonb, '{"ended": true}', 'An address whose mailbox does not exist gets no mail');
update app.accounts set email_bounced_at = null where user_id = test.id('alice');
select is(private.find_session_mail(gen_random_uuid())::jsonb, '{"ended": true}', 'For an unknown session, there is no mail');

-- The link
select test.act_as_gate();
select throws_ok($$ select api.end_alerted_session(pg_temp.family('other'), pg_temp.hash('elsewhere')) $$, 'PT410', 'session_over',
  'The token of another mail doesn''t end the session');
select throws_ok($$ select api.end_alerted_session(pg_temp.family('known'), null) $$, 'PT410', 'session_over',
  'A session without a mail can''t be ended by a link');
select is(api.end_alerted_session(pg_temp.family('other'), pg_temp.hash('other'))::text, '{"ok" : true}', 'The link ends the session');
select ok(not pg_temp.is_open('other') and pg_temp.is_open('elsewhere'), 'The link ends no other session');
select throws_ok($$ select api.end_alerted_session(pg_temp.family('other'), pg_temp.hash('other')) $$, 'PT410', 'session_over',
  'The link can be used once');
select test.act_as_owner();
select is((select row(user_agent, device, network)::text from app.sessions where id = pg_temp.family('other')), '(,,)',
  'An ended session says nothing about the device');
select is(private.find_session_mail(pg_temp.family('other'))::jsonb, '{"ended": true}', 'No mail reports an ended session');
update app.sessions set created_at = now() - interval '2 hours' where user_id = test.id('alice');
select pg_temp.log_in('first again', 'Firefox', '203.0.113.1');
select ok(pg_temp.is_alerted('first again'), 'After the link was used, every device is new');

-- This session and the others
create temporary table mine as select pg_temp.log_in('mine', 'Opera', '203.0.113.1') as claims;
grant select on mine to public;
update app.sessions set last_seen_at = now() - interval '1 hour', last_used_at = now() - interval '1 hour';
select test.act('authenticated', (select claims from mine));
select is((select count(*)::int from json_array_elements(api.list_sessions(50) -> 'items') s where (s ->> 'isCurrent')::boolean),
  1, 'One session is marked as that of the token');
select lives_ok('select api.note_presence()', 'A person can record that they are active');
select is((select array_agg(s ->> 'id') from json_array_elements(api.list_sessions(50) -> 'items') s
           where (s ->> 'lastSeenAt')::timestamptz > now() - interval '1 minute'),
  array[pg_temp.family('mine')::text], 'Only the session of the token is recorded as active');
select throws_ok('select alert_hash from app.sessions', '42501', null, 'Nobody can read the hashes of mailed tokens');
select ok((api.end_other_sessions() ->> 'ended')::int > 5, 'A person can end all other sessions');
select is((select array_agg(s ->> 'id') from json_array_elements(api.list_sessions(50) -> 'items') s),
  array[pg_temp.family('mine')::text], 'The session of the token remains');
select is(api.end_other_sessions() ->> 'ended', '0', 'Afterwards there is no other session to end');
select is(api.log_out()::text, null, 'A person with a fixed session can log out');
select ok(not pg_temp.is_open('mine'), 'A logout ends the fixed session of the token');

-- Bounds
select test.act_as_owner();
select pg_temp.log_in('many ' || n, 'Many ' || n, '203.0.113.1', false) from generate_series(1, 1001) n;
select is((select count(*) || ' ' || (select count(*) from app.sessions where user_id = test.id('alice') and ended_at is null)
           from private.devices where user_id = test.id('alice')), '50 1000', 'A person has at most 50 known devices and 1000 fixed sessions');

select * from finish();
rollback;
