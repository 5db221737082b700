-- Passkeys: which challenges and counters count, who may change what, and what ends with a passkey.
begin;
select plan(20);
select test.people('alice', 'bob');

create function pg_temp.claims(p_name text) returns jsonb language sql volatile security definer
  as $$ select private.issue_claims(test.id(p_name), 900)::jsonb $$;
create temporary table kept (name text primary key, value jsonb);
grant all on kept to public;
grant execute on all functions in schema pg_temp to public;
create function pg_temp.enter(p_name text) returns void language plpgsql as $$
begin
  perform test.act_as_gate();
  perform set_config('request.jwt.claims', (select value::text from kept where name = p_name), true);
end $$;
grant execute on all functions in schema pg_temp to public;
insert into kept values ('alice', pg_temp.claims('alice')), ('bob', pg_temp.claims('bob'));

-- Adding
select pg_temp.enter('alice');
select throws_ok($$ select api.start_passkey(sha256('c1')) $$, 'PT403', 'proof_required', 'People without a factor need a fresh proof to add a passkey');
select lives_ok($$ select api.prove('no hash') $$, 'The password is a proof for a person without a factor');
select is(json_array_length(api.start_passkey(sha256('c1')) -> 'known'), 0, 'The list of passkeys is empty before the first one');
select pg_temp.enter('bob');
select is(api.take_passkey_challenge(sha256('c1'), 'add', '\x01') ->> 'isOpen', 'false', 'The challenge of another person is rejected');
select pg_temp.enter('alice');
select is(api.take_passkey_challenge(sha256('c1'), 'login', '\x01') ->> 'isOpen', 'false', 'A challenge is rejected for another purpose');
select is(api.take_passkey_challenge(sha256('c1'), 'add', '\x01') ->> 'isOpen', 'true', 'A challenge is accepted');
select is(api.take_passkey_challenge(sha256('c1'), 'add', '\x01') ->> 'isOpen', 'false', 'A challenge is accepted once');
insert into kept values ('added', api.add_passkey('\x01', '\x02', 5, '{usb}', 'Key', 900)::jsonb);
select is(jsonb_array_length(value -> 'recoveryCodes'), 10, 'With the first factor, a person gets ten recovery codes') from kept where name = 'added';
select throws_ok(format('select private.enter(%L)', value), 'PT401', 'token_revoked', 'The first factor ends earlier tokens') from kept where name = 'alice';
update kept set value = (select value -> 'claims' from kept where name = 'added') where name = 'alice';

-- Policies, and people who may not
select test.act('authenticated', (select value from kept where name = 'alice'));
select throws_ok('select public_key from private.passkeys', '42501', null, 'Nobody can read passkeys');
select test.act('authenticated', (select value from kept where name = 'bob'));
select throws_ok(format('select api.rename_passkey(%L, %L)', value #>> '{passkey,id}', 'x'), 'PT404', 'factor_unknown', 'Nobody can rename the passkey of another person') from kept where name = 'added';
select pg_temp.enter('bob');
select is((api.take_passkey_challenge(sha256('c2'), 'proof', '\x01') -> 'passkey')::text, 'null', 'Nobody can give a proof with the passkey of another person');

-- The only way to log in
select test.act_as_owner();
select lives_ok(format('select private.require_way_in(%L)', test.id('alice')), 'A password is a way to log in');
update private.credentials set password_hash = null where user_id = test.id('alice');
select lives_ok(format('select private.require_way_in(%L)', test.id('alice')), 'A passkey is a way to log in without a password');
select test.act('authenticated', (select value from kept where name = 'alice'));
select throws_ok(format('select api.remove_passkey(%L)', value #>> '{passkey,id}'), 'PT409', 'identity_needed', 'Nobody can remove their only way to log in') from kept where name = 'added';
select test.act_as_owner();
update private.credentials set password_hash = 'no hash' where user_id = test.id('alice');

-- Counters
select test.act_as_gate();
select is(api.log_in_with_passkey((value #>> '{passkey,id}')::uuid, test.id('alice'), 6, 900) #>> '{user,username}', 'alice', 'A login with a higher counter succeeds') from kept where name = 'added';
select is(api.log_in_with_passkey((value #>> '{passkey,id}')::uuid, test.id('alice'), 6, 900) ->> 'message', 'passkey_wrong', 'A login with the same counter fails') from kept where name = 'added';
select throws_ok(format('select api.log_in_with_passkey(%L, %L, 7, 900)', value #>> '{passkey,id}', test.id('alice')), 'PT403', 'passkey_wrong', 'The same counter has ended the passkey') from kept where name = 'added';
select throws_ok($$ select api.log_in(test.id('alice'), 'no hash', 900) $$, 'PT403', 'factor_required', 'The recovery codes are still valid after the passkey ended');

-- Challenges
select test.act_as_owner();
select lives_ok($$ select private.note_challenge(sha256(convert_to(n::text, 'UTF8')), null, 'login') from generate_series(1, 500) n $$, 'A challenge replaces another one in its slot');

select * from finish();
rollback;
