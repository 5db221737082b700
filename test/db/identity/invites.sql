-- Invite codes: what they look like, every state of one, and who holds a reservation.
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
           from (select private.random_code() as c from generate_series(1, 500)) r), 'a code is INV- and six of A-Z and 2-9');
select is((select count(distinct letter)::int from (
  select regexp_split_to_table(substr(private.random_code(), 5), '') as letter from generate_series(1, 500)) r),
  34, 'any of the 34');
select is((private.make_invite_code(test.id('bob'))).status, 'active', 'a new code is active');
select is(expires_at, now() + interval '30 days', 'for 30 days') from app.invite_codes where generated_by = test.id('bob');
select throws_ok(format('update app.invite_codes set code = %L where code = %L', c, 'INV-EEEEEE'), 'PT422', 'value_invalid',
  format('%s is no code', c)) from unnest(array['INV-AAAAA0', 'INV-AAAAA1', 'INV-aaaaaa', 'INV-AAAAAAA', 'AAAAAA']) c;

-- active → reserved, as the gate
select test.act_as_gate();
create temporary table answer as select api.reserve_invite('INV-AAAAAA')::jsonb as given;
select is(given, jsonb_build_object('sessionId', (pg_temp.code('INV-AAAAAA')).reservation_id, 'expiresAt', private.utc(now() + interval '30 minutes')),
  'an active code is reserved for 30 minutes') from answer;
select is((pg_temp.code('INV-AAAAAA')).status, 'reserved', 'and is reserved then');
select isnt((pg_temp.code('INV-AAAAAA')).reservation_id, (pg_temp.code('INV-AAAAAA')).id, 'its session is not the id of its row');
select throws_ok($$ select api.reserve_invite('INV-AAAAAA') $$, 'PT409', 'invite_reserved', 'by nobody else');
select throws_ok($$ select api.reserve_invite('INV-AAAAAA', pg_temp.candidate(1)) $$, 'PT409', 'invite_reserved', 'by no candidate either');
select isnt(pg_temp.reserve('  inv-bbbbbb '), null, 'letter case and blanks do not matter');

-- Candidates
select set_eq($$ select json_object_keys(api.reserve_invite_code('INV-CCCCCC', pg_temp.candidate(1))) $$,
  array['inviteCodeId', 'reservedUntil'], 'the other spelling has other names');
create temporary table held as select (pg_temp.code('INV-CCCCCC')).*;
select is(candidate_session_id, pg_temp.candidate(1), 'the candidate is known') from held;
select throws_ok($$ select api.reserve_invite_code('INV-CCCCCC', pg_temp.candidate(2)) $$, 'PT409', 'invite_reserved',
  'another candidate cannot have it');
update answer set given = api.reserve_invite_code('INV-CCCCCC', pg_temp.candidate(1));
select is(given ->> 'inviteCodeId', (pg_temp.code('INV-CCCCCC')).reservation_id::text, 'the same one can reserve it again') from answer;
select isnt((pg_temp.code('INV-CCCCCC')).reservation_id, reservation_id, 'and gets a new reservation') from held;
select isnt(pg_temp.reserve('INV-DDDDDD', pg_temp.candidate(1)), null, 'a candidate who reserves another code');
select row_eq($$ select status, reservation_id, candidate_session_id, reserved_until from pg_temp.code('INV-CCCCCC') $$,
  row('active'::text, null::uuid, null::uuid, null::timestamptz), 'gives up the first');
select isnt(pg_temp.reserve('INV-CCCCCC', pg_temp.candidate(2)), null, 'which is free for others then');
select throws_ok($$ select api.reserve_invite('INV-CCCCCC', pg_temp.candidate(1)) $$, 'PT409', 'invite_reserved',
  'who is refused another code');
select is((pg_temp.code('INV-DDDDDD')).candidate_session_id, pg_temp.candidate(1), 'keeps what they hold');

-- reserved → active, after half an hour
select pg_temp.change('INV-AAAAAA', $$ reserved_until = now() + interval '1 second' $$);
select throws_ok($$ select api.reserve_invite('INV-AAAAAA') $$, 'PT409', 'invite_reserved', 'a reservation lasts to its last second');
select pg_temp.change('INV-AAAAAA', 'reserved_until = now()');
select pg_temp.change('INV-BBBBBB', 'reserved_until = now(), expires_at = now()');
select isnt(pg_temp.reserve('INV-EEEEEE'), null, 'whoever reserves a code');
select row_eq($$ select status, reservation_id from pg_temp.code('INV-AAAAAA') $$, row('active'::text, null::uuid),
  'releases what is overdue');
select is((pg_temp.code('INV-BBBBBB')).status, 'expired', 'or expires it');
select pg_temp.change('INV-EEEEEE', 'reserved_until = now()');
select isnt(pg_temp.reserve('INV-EEEEEE'), null, 'an overdue code itself can be reserved again');

-- Dead codes
select throws_ok($$ select api.reserve_invite('INV-ZZZZZZ') $$, 'PT404', 'invite_unknown', 'an unknown code');
select throws_ok($$ select api.reserve_invite('') $$, 'PT404', 'invite_unknown', 'no code');
select throws_ok($$ select api.reserve_invite('INV-BBBBBB') $$, 'PT410', 'invite_dead', 'an expired code');
select pg_temp.change('INV-AAAAAA', $$ expires_at = now() $$);
select throws_ok($$ select api.reserve_invite('INV-AAAAAA') $$, 'PT410', 'invite_dead', 'one that nobody has marked as expired yet');
select pg_temp.change('INV-AAAAAA', $$ expires_at = now() + interval '1 day', status = 'revoked' $$);
select throws_ok($$ select api.reserve_invite('INV-AAAAAA') $$, 'PT410', 'invite_dead', 'a revoked code');
select pg_temp.change('INV-AAAAAA', $$ status = 'used', used_by = test.id('bob'), used_at = now() $$);
select throws_ok($$ select api.reserve_invite('INV-AAAAAA') $$, 'PT410', 'invite_dead', 'a used code');
select pg_temp.change('INV-AAAAAA', $$ status = 'active', used_by = null, used_at = null $$);
select test.act_as_owner();
update app.users set banned_at = now() where username = 'alice';
select test.act_as_gate();
select throws_ok($$ select api.reserve_invite('INV-AAAAAA') $$, 'PT410', 'invite_dead', 'the code of a banned person');
select test.act_as_owner();
update app.users set banned_at = null, erased_at = now() where username = 'alice';
select test.act_as_gate();
select throws_ok($$ select api.reserve_invite('INV-AAAAAA') $$, 'PT410', 'invite_dead', 'the code of an erased person');

-- As the owner
select test.act_as_owner();
select throws_ok($$ update app.invite_codes set status = 'used' where code = 'INV-AAAAAA' $$, 'PT422', 'value_invalid',
  'a used code names who used it');
select throws_ok($$ update app.invite_codes set status = 'reserved' where code = 'INV-AAAAAA' $$, 'PT422', 'value_invalid',
  'and a reserved one its reservation');

select * from finish();
rollback;
