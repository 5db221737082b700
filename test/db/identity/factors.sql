-- Second factors: the codes of RFC 6238, which codes count, what ends with a factor, and what an erasure deletes.
begin;
select plan(29);
select test.people('alice', 'bob');

create function pg_temp.step() returns bigint language sql stable as $$ select floor(extract(epoch from clock_timestamp()) / 30)::bigint $$;
create function pg_temp.code(p_name text, p_steps integer) returns text language sql volatile security definer
  as $$ select private.totp_code(secret, pg_temp.step() + p_steps) from private.totp where user_id = test.id(p_name) $$;
create function pg_temp.claims(p_name text) returns jsonb language sql volatile security definer
  as $$ select private.issue_claims(test.id(p_name), 900)::jsonb $$;
create temporary table kept (name text primary key, value jsonb);
grant all on kept to public;
grant execute on all functions in schema pg_temp to public;

-- RFC 6238, appendix B (the last six of eight digits), and RFC 4648, section 10
select is(private.totp_code(convert_to('12345678901234567890', 'UTF8'), t / 30), code,
  format('The code of second %s is right', t))
from (values (59::bigint, '287082'), (1111111109, '081804'), (1111111111, '050471'), (1234567890, '005924'),
             (2000000000, '279037'), (20000000000, '353130')) v (t, code);
select is(private.base32('fooba'), 'MZXW6YTB', 'A secret is shown in base32');

-- Adding an app
insert into kept values ('alice', pg_temp.claims('alice'));
select test.act('authenticated', (select value from kept where name = 'alice'));
select throws_ok('select api.start_totp()', 'PT403', 'proof_required', 'People without a factor need a fresh proof to add one');
select test.act_as_gate();
select set_config('request.jwt.claims', (select value::text from kept where name = 'alice'), true);
select throws_ok($$ select api.prove('another hash') $$, 'PT401', 'token_revoked', 'A password hash that has changed meanwhile is no proof');
select throws_ok($$ select api.prove(null, '123456') $$, 'PT403', 'code_wrong', 'A code is no proof for a person without a factor');
select lives_ok($$ select api.prove('no hash') $$, 'The password is a proof for a person without a factor');
select test.act('authenticated', (select value from kept where name = 'alice'));
select matches(api.start_totp() ->> 'secret', '^[A-Z2-7]{32}$', 'A secret of 160 bits is shown');
select throws_ok('select secret from private.totp', '42501', null, 'Nobody can read secrets');
select test.act_as_gate();
select set_config('request.jwt.claims', (select value::text from kept where name = 'alice'), true);
select is(api.log_in(test.id('alice'), 'no hash', 900) #>> '{user,username}', 'alice', 'A login needs no code of an app that is not confirmed');
insert into kept values ('confirmed', api.confirm_totp(pg_temp.code('alice', 0), 900)::jsonb);
select is(jsonb_array_length(value -> 'recoveryCodes'), 10, 'Confirming the app returns ten recovery codes') from kept where name = 'confirmed';
select throws_ok(format('select private.enter(%L)', value), 'PT401', 'token_revoked', 'Confirming the app ends earlier tokens') from kept where name = 'alice';

-- Which codes count
select test.act_as_gate();
select throws_ok($$ select api.log_in(test.id('alice'), 'no hash', 900) $$, 'PT403', 'factor_required', 'A login needs a code');
select throws_ok($$ select api.log_in(test.id('alice'), 'no hash', 900, p_code => pg_temp.code('alice', 0)) $$, 'PT403', 'code_wrong', 'The code that confirmed the app can''t be used again');
select lives_ok($$ select api.log_in(test.id('alice'), 'no hash', 900, p_code => pg_temp.code('alice', 1)) $$, 'The code of the next step is accepted');
select throws_ok($$ select api.log_in(test.id('alice'), 'no hash', 900, p_code => pg_temp.code('alice', 1)) $$, 'PT403', 'code_wrong', 'A code of the app is accepted once');
select throws_ok($$ select api.log_in(test.id('alice'), 'no hash', 900, p_code => '') $$, 'PT403', 'code_wrong', 'An empty code is wrong');
select lives_ok(format('select api.log_in(test.id(%L), %L, 900, p_code => %L)', 'alice', 'no hash', value -> 'recoveryCodes' ->> 0), 'A recovery code is accepted') from kept where name = 'confirmed';
select throws_ok(format('select api.log_in(test.id(%L), %L, 900, p_code => %L)', 'alice', 'no hash', value -> 'recoveryCodes' ->> 0), 'PT403', 'code_wrong', 'A recovery code is accepted once') from kept where name = 'confirmed';
select lives_ok($$ select api.log_in(test.id('bob'), 'no hash', 900, p_code => '123456') $$, 'A code of a person without a factor is ignored');

-- Roles that require a factor
select test.act_as_owner();
update app.settings set value = 'moderator' where key = 'require_factor';
update app.users set role = 'moderator' where username in ('alice', 'bob');
select test.act_as_service('bob');
select throws_ok($$ select private.require_role('moderator') $$, 'PT403', 'factor_missing', 'A moderator without a factor may do nothing that needs the role');
select test.act_as_service('alice');
select lives_ok($$ select private.require_role('moderator') $$, 'A moderator with a factor may do what needs the role');

-- Erasure
select test.act_as_owner();
select private.erase_person(test.id('alice'));
select is((select count(*)::int from private.totp where user_id = test.id('alice')), 0, 'An erasure deletes the app');
select is((select count(*)::int from private.recovery_codes), 0, 'An erasure deletes the recovery codes');
select is(private.find_notice_mail((select id from app.users where erased_at is not null))::text, null, 'An erased person gets no mail');

select * from finish();
rollback;
