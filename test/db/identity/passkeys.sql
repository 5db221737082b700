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
select throws_ok($$ select api.start_passkey(sha256('c1')) $$, 'PT403', 'proof_required', 'Adding a passkey needs a proof, also without a factor');
select lives_ok($$ select api.prove('no hash') $$, 'The password is a proof without a factor');
select is(json_array_length(api.start_passkey(sha256('c1')) -> 'known'), 0, 'Nothing is known before the first passkey');
select pg_temp.enter('bob');
select is(api.take_passkey_challenge(sha256('c1'), 'add', '\x01') ->> 'isOpen', 'false', 'The challenge of another person does not count');
select pg_temp.enter('alice');
select is(api.take_passkey_challenge(sha256('c1'), 'login', '\x01') ->> 'isOpen', 'false', 'A challenge does not count for another purpose');
select is(api.take_passkey_challenge(sha256('c1'), 'add', '\x01') ->> 'isOpen', 'true', 'A challenge counts');
select is(api.take_passkey_challenge(sha256('c1'), 'add', '\x01') ->> 'isOpen', 'false', 'It counts once');
insert into kept values ('added', api.add_passkey('\x01', '\x02', 5, '{usb}', 'Key', 900)::jsonb);
select is(jsonb_array_length(value -> 'recoveryCodes'), 10, 'The first factor comes with ten recovery codes') from kept where name = 'added';
select throws_ok(format('select private.enter(%L)', value), 'PT401', 'token_revoked', 'Earlier tokens end') from kept where name = 'alice';
update kept set value = (select value -> 'claims' from kept where name = 'added') where name = 'alice';

-- Policies, and people who may not
select test.act('authenticated', (select value from kept where name = 'alice'));
select throws_ok('select public_key from private.passkeys', '42501', null, 'Nobody reads passkeys');
select test.act('authenticated', (select value from kept where name = 'bob'));
select throws_ok(format('select api.rename_passkey(%L, %L)', value #>> '{passkey,id}', 'x'), 'PT404', 'factor_unknown', 'Nobody renames the passkey of another person') from kept where name = 'added';
select pg_temp.enter('bob');
select is((api.take_passkey_challenge(sha256('c2'), 'proof', '\x01') -> 'passkey')::text, 'null', 'Nobody proves themselves with the passkey of another person');

-- The only way to log in
select test.act_as_owner();
select lives_ok(format('select private.require_way_in(%L)', test.id('alice')), 'A password is a way to log in');
update private.credentials set password_hash = null where user_id = test.id('alice');
select lives_ok(format('select private.require_way_in(%L)', test.id('alice')), 'So is a passkey without a password');
select test.act('authenticated', (select value from kept where name = 'alice'));
select throws_ok(format('select api.remove_passkey(%L)', value #>> '{passkey,id}'), 'PT409', 'identity_needed', 'Nobody removes their only way to log in') from kept where name = 'added';
select test.act_as_owner();
update private.credentials set password_hash = 'no hash' where user_id = test.id('alice');

-- Counters
select test.act_as_gate();
select is(api.log_in_with_passkey((value #>> '{passkey,id}')::uuid, test.id('alice'), 6, 900) #>> '{user,username}', 'alice', 'A higher counter logs in') from kept where name = 'added';
select is(api.log_in_with_passkey((value #>> '{passkey,id}')::uuid, test.id('alice'), 6, 900) ->> 'message', 'passkey_wrong', 'The same counter is refused') from kept where name = 'added';
select throws_ok(format('select api.log_in_with_passkey(%L, %L, 7, 900)', value #>> '{passkey,id}', test.id('alice')), 'PT403', 'passkey_wrong', 'It ended the passkey') from kept where name = 'added';
select throws_ok($$ select api.log_in(test.id('alice'), 'no hash', 900) $$, 'PT403', 'factor_required', 'The recovery codes still count');

-- Challenges
select test.act_as_owner();
select lives_ok($$ select private.note_challenge(sha256(convert_to(n::text, 'UTF8')), null, 'login') from generate_series(1, 500) n $$, 'A challenge replaces another in its slot');

select * from finish();
rollback;
