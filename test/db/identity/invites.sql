-- Invite codes: their format, each of their states, and who holds a reservation.
begin;
select plan(40);
select test.people('alice', 'bob');

insert into app.invite_codes (code, generated_by)
select c, test.id('alice') from unnest(array['INV-AAAAAA', 'INV-BBBBBB', 'INV-CCCCCC', 'INV-DDDDDD', 'INV-EEEEEE']) c;

create function pg_temp.code(p_code text) returns app.invite_codes language sql stable security definer
  as $$ select * from app.invite_codes where code = p_code $$;
create function pg_temp.change(p_code text, p_change text) returns void language plpgsql volatile security definer
  as $$ begin execute format('update app.invite_codes set %s where code = %L', p_change, p_code); end $$;
create function pg_temp.reserve(p_code text, p_candidate uuid default null) returns uuid language sql volatile
  as $$ select (api.reserve_invite(p_code, p_candidate) ->> 'sessionId')::uuid $$;
create function pg_temp.candidate(p_number integer) returns uuid language sql immutable
  as $$ select format('6f1c2a1e-0000-4000-8000-%s', lpad(p_number::text, 12, '0'))::uuid $$;
grant execute on all functions in schema pg_temp to public;

-- Codes
select ok((select bool_and(c ~ '^INV-[A-Z2-9]{6}$') and count(distinct c) > 495
           from (select private.random_code() as c from generate_series(1, 500)) r), 'A code is INV- and six characters of A-Z and 2-9');
select is((select count(distinct letter)::int from (
  select regexp_split_to_table(substr(private.random_code(), 5), '') as letter from generate_series(1, 500)) r),
  34, 'All 34 characters are used');
select is((private.make_invite_code(test.id('bob'))).status, 'active', 'A new code is active');
select is(expires_at, now() + interval '30 days', 'A new code is valid for 30 days') from app.invite_codes where generated_by = test.id('bob');
select throws_ok(format('update app.invite_codes set code = %L where code = %L', c, 'INV-EEEEEE'), 'PT422', 'value_invalid',
  format('%s is not a valid code', c)) from unnest(array['INV-AAAAA0', 'INV-AAAAA1', 'INV-aaaaaa', 'INV-AAAAAAA', 'AAAAAA']) c;

-- active → reserved, acting as the gate
select test.act_as_gate();
create temporary table answer as select api.reserve_invite('INV-AAAAAA')::jsonb as given;
select is(given, jsonb_build_object('sessionId', (pg_temp.code('INV-AAAAAA')).reservation_id, 'expiresAt', private.utc(now() + interval '30 minutes')),
  'An active code is reserved for 30 minutes') from answer;
select is((pg_temp.code('INV-AAAAAA')).status, 'reserved', 'The code is then reserved');
select isnt((pg_temp.code('INV-AAAAAA')).reservation_id, (pg_temp.code('INV-AAAAAA')).id, 'The session id isn''t the id of the code');
select throws_ok($$ select api.reserve_invite('INV-AAAAAA') $$, 'PT409', 'invite_reserved', 'A reserved code can''t be reserved again');
select throws_ok($$ select api.reserve_invite('INV-AAAAAA', pg_temp.candidate(1)) $$, 'PT409', 'invite_reserved', 'A reserved code can''t be reserved by a candidate');
select isnt(pg_temp.reserve('  inv-bbbbbb '), null, 'Letter case and blanks are ignored');

-- Candidates
select set_eq($$ select json_object_keys(api.reserve_invite_code('INV-CCCCCC', pg_temp.candidate(1))) $$,
  array['inviteCodeId', 'reservedUntil'], 'reserve_invite_code returns these fields');
create temporary table held as select (pg_temp.code('INV-CCCCCC')).*;
select is(candidate_session_id, pg_temp.candidate(1), 'The candidate''s session is stored') from held;
select throws_ok($$ select api.reserve_invite_code('INV-CCCCCC', pg_temp.candidate(2)) $$, 'PT409', 'invite_reserved',
  'Another candidate can''t reserve the code');
update answer set given = api.reserve_invite_code('INV-CCCCCC', pg_temp.candidate(1));
select is(given ->> 'inviteCodeId', (pg_temp.code('INV-CCCCCC')).reservation_id::text, 'The same candidate can reserve the code again') from answer;
select isnt((pg_temp.code('INV-CCCCCC')).reservation_id, reservation_id, 'The candidate gets a new reservation') from held;
select isnt(pg_temp.reserve('INV-DDDDDD', pg_temp.candidate(1)), null, 'A candidate can reserve another code');
select row_eq($$ select status, reservation_id, candidate_session_id, reserved_until from pg_temp.code('INV-CCCCCC') $$,
  row('active'::text, null::uuid, null::uuid, null::timestamptz), 'Reserving another code releases the first');
select isnt(pg_temp.reserve('INV-CCCCCC', pg_temp.candidate(2)), null, 'The released code can be reserved by somebody else');
select throws_ok($$ select api.reserve_invite('INV-CCCCCC', pg_temp.candidate(1)) $$, 'PT409', 'invite_reserved',
  'A candidate can''t reserve a code that is taken');
select is((pg_temp.code('INV-DDDDDD')).candidate_session_id, pg_temp.candidate(1), 'The candidate keeps the earlier reservation');

-- reserved → active, after half an hour
select pg_temp.change('INV-AAAAAA', $$ reserved_until = now() + interval '1 second' $$);
select throws_ok($$ select api.reserve_invite('INV-AAAAAA') $$, 'PT409', 'invite_reserved', 'A reservation lasts its full 30 minutes');
select pg_temp.change('INV-AAAAAA', 'reserved_until = now()');
select pg_temp.change('INV-BBBBBB', 'reserved_until = now(), expires_at = now()');
select isnt(pg_temp.reserve('INV-EEEEEE'), null, 'A code can be reserved');
select row_eq($$ select status, reservation_id from pg_temp.code('INV-AAAAAA') $$, row('active'::text, null::uuid),
  'Reserving a code releases overdue reservations');
select is((pg_temp.code('INV-BBBBBB')).status, 'expired', 'An expired code whose reservation is overdue gets the status expired');
select pg_temp.change('INV-EEEEEE', 'reserved_until = now()');
select isnt(pg_temp.reserve('INV-EEEEEE'), null, 'A code with an overdue reservation can be reserved');

-- Invalid codes
select throws_ok($$ select api.reserve_invite('INV-ZZZZZZ') $$, 'PT404', 'invite_unknown', 'An unknown code is refused');
select throws_ok($$ select api.reserve_invite('') $$, 'PT404', 'invite_unknown', 'An empty code is refused');
select throws_ok($$ select api.reserve_invite('INV-BBBBBB') $$, 'PT410', 'invite_dead', 'An expired code is refused');
select pg_temp.change('INV-AAAAAA', $$ expires_at = now() $$);
select throws_ok($$ select api.reserve_invite('INV-AAAAAA') $$, 'PT410', 'invite_dead', 'An expired code is refused even before a job has recorded that it expired');
select pg_temp.change('INV-AAAAAA', $$ expires_at = now() + interval '1 day', status = 'revoked' $$);
select throws_ok($$ select api.reserve_invite('INV-AAAAAA') $$, 'PT410', 'invite_dead', 'A revoked code is refused');
select pg_temp.change('INV-AAAAAA', $$ status = 'used', used_by = test.id('bob'), used_at = now() $$);
select throws_ok($$ select api.reserve_invite('INV-AAAAAA') $$, 'PT410', 'invite_dead', 'A used code is refused');
select pg_temp.change('INV-AAAAAA', $$ status = 'active', used_by = null, used_at = null $$);
select test.act_as_owner();
update app.users set banned_at = now() where username = 'alice';
select test.act_as_gate();
select throws_ok($$ select api.reserve_invite('INV-AAAAAA') $$, 'PT410', 'invite_dead', 'The code of a banned person is refused');
select test.act_as_owner();
update app.users set banned_at = null, erased_at = now() where username = 'alice';
select test.act_as_gate();
select throws_ok($$ select api.reserve_invite('INV-AAAAAA') $$, 'PT410', 'invite_dead', 'The code of an erased person is refused');

-- As the owner
select test.act_as_owner();
select throws_ok($$ update app.invite_codes set status = 'used' where code = 'INV-AAAAAA' $$, 'PT422', 'value_invalid',
  'A used code must name who used it');
select throws_ok($$ update app.invite_codes set status = 'reserved' where code = 'INV-AAAAAA' $$, 'PT422', 'value_invalid',
  'A reserved code must have a reservation');

select * from finish();
rollback;
