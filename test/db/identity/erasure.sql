-- Who can erase and export whom, and what is left after the triggers of an erasure.
begin;
select plan(24);
select test.people('alice', 'bob', 'carla');
select is(has_function_privilege(r, 'api.erase_me(text)', 'execute'), r = 'gate', format('%s %s run erase_me', r, case when r = 'gate' then 'may' else 'may not' end))
from unnest(array['gate', 'anon', 'authenticated', 'service_role']) r;
select ok(not has_function_privilege(r, f, 'execute'), format('%s may not run %s', r, f::regproc))
from unnest(array['anon', 'authenticated', 'gate']) r,
     unnest(array['private.erase_person', 'private.export_page', 'private.export_head']::regproc[]) f;

-- Acting as the gate, for Alice
select test.act('gate', test.claims('alice'));
select throws_ok($$ select api.erase_me('another hash') $$, 'PT401', 'token_revoked', 'Erasing needs the password hash that was checked');
select test.act('gate', null);
select throws_ok($$ select api.erase_me('no hash') $$, 'PT401', 'token_missing', 'An anonymous caller can''t erase anybody');
select test.act_as_owner();
create temporary table her as select test.id('alice') as id;
grant select on her to gate, authenticated;
insert into app.invite_codes (code, generated_by, status, used_by, used_at)
values ('INV-AAAAAA', test.id('alice'), 'used', test.id('bob'), now()), ('INV-BBBBBB', test.id('alice'), 'active', null, null);
update app.users set role = 'admin' where username = 'alice';
select test.act('gate', test.claims('alice'));
select is(api.erase_me('no hash')::text, '{"erased" : true}', 'With the right hash the person is erased');
select test.act_as_owner();
select is((select array[role, first_name, erased_at::text] from app.users where id = (select id from her)),
  array['user', 'Deleted', now()::text], 'The erased person has no name and is no admin');
select is((select password_hash from private.credentials where user_id = (select id from her)), '!erased', 'The erased person has no password any more');
select set_eq($$ select status from app.invite_codes where generated_by = (select id from her) $$, array['revoked'], 'Every invite code of the person is revoked');
select is((select used_by from app.invite_codes where code = 'INV-AAAAAA'), test.id('bob'), 'A used code still names who used it');
create temporary table name as select username from app.users where id = (select id from her);
select private.erase_person((select id from her));
select is((select username from app.users where id = (select id from her)), (select username from name), 'Erasing again changes nothing');
select lives_ok($$ select private.create_person('alice@example.org', 'h', 'New', 'Person', null, null, null) $$, 'The address can be used for a new account');

-- Acting as Bob
select test.act_as('bob');
select throws_ok($$ select private.export_own('nonsense', null) $$, 'PT404', 'section_unknown', 'An unknown section of the export is refused');
select is(api.export_me('profile') #>> '{items,0,id}', test.id('bob')::text, 'People can export only their own data');

select * from finish();
rollback;
