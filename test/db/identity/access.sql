-- Permissions: nobody can read another person's account, codes or password hash, and only the gate can call the
-- operations that need no token.
begin;
select plan(69);
select test.people('alice', 'bob', 'carla');
insert into app.invite_codes (code, generated_by, status, used_by, used_at) values
  ('INV-AAAAAA', test.id('alice'), 'used', test.id('carla'), now()), ('INV-BBBBBB', test.id('bob'), 'active', null, null);
insert into app.invite_tree (invitee_id, inviter_id, code_id)
select test.id('carla'), test.id('alice'), id from app.invite_codes where code = 'INV-AAAAAA';

-- Operations and their helpers, by role
select is(has_function_privilege(r, f, 'execute'), r = 'gate', format('%s %s run %s', r, case when r = 'gate' then 'may' else 'may not' end, f::regproc))
from unnest(array['gate', 'anon', 'authenticated', 'service_role']) r,
     unnest(array['api.find_login', 'api.log_in', 'api.reserve_invite', 'api.reserve_invite_code', 'api.register']::regproc[]) f;
select is(has_function_privilege(r, f, 'execute'), r = 'authenticated',
  format('%s %s run %s', r, case when r = 'authenticated' then 'may' else 'may not' end, f::regproc))
from unnest(array['gate', 'anon', 'authenticated']) r, unnest(array['api.get_me', 'api.log_out']::regproc[]) f;
select ok(not has_function_privilege(r, f, 'execute'), format('%s may not run %s', r, f::regproc))
from unnest(array['anon', 'authenticated']) r,
     unnest(array['private.issue_claims', 'private.end_tokens', 'private.create_person', 'private.make_invite_code',
                  'private.ensure_first_admin', 'private.release_reservations']::regproc[]) f;

-- Acting as the gate
select test.act_as_gate();
select throws_ok(format('select * from %s', t), '42501', null, format('The gate can''t read %s', t))
from unnest(array['app.users', 'app.accounts', 'private.credentials', 'app.invite_codes']) t;

-- Acting as Bob
select test.act_as('bob');
select results_eq('select user_id from app.accounts', $$ values (test.id('bob')) $$, 'People see only their own account');
select results_eq('select code from app.invite_codes', $$ values ('INV-BBBBBB') $$, 'People see only their own invite codes');
select is((select count(*)::int from app.invite_tree), 0, 'People don''t see other people''s invite tree');
select throws_ok('select * from private.credentials', '42501', null, 'Nobody can read the password hashes');
select throws_ok('select * from private.own_profiles', '42501', null, 'Nobody can read the view of people''s own profiles');
select is(api.get_me() ->> 'id', test.id('bob')::text, 'get_me returns the caller''s profile');
select set_eq('select json_object_keys(api.get_me())', array['id', 'actorId', 'personId', 'username', 'email', 'emailVerifiedAt', 'emailBouncedAt', 'role', 'firstName', 'lastName',
  'dateOfBirth', 'country', 'city', 'phone', 'hasPublicPage', 'about', 'profilePicUrl', 'createdAt', 'lastSeenAt', 'isBot'], 'A person''s own profile has these fields');
select is((select card::jsonb - 'personId' from app.person_card where id = test.id('alice')),
  '{"id": "acct:alice@localhost", "actorId": "acct:alice@localhost", "username": "alice", "firstName": "alice", "lastName": "例", "profilePicUrl": null, "isBot": false}',
  'Other people are visible as a card');
select throws_ok('select banned_at from app.users', '42501', null, 'Nobody can read who is banned');
select throws_ok('select tokens_valid_from from app.users', '42501', null, 'Nobody can read when tokens were revoked');
select is((select count(*)::int from app.personas where user_id = test.id('alice')), 1, 'Personas are public');
select throws_ok($$ update app.users set role = 'admin' $$, '42501', null, 'People can''t make themselves an admin');
select throws_ok($$ update app.accounts set email = 'bob@example.com' $$, '42501', null, 'People can''t change the table of accounts');
select throws_ok($$ insert into app.invite_codes (code, generated_by) values ('INV-CCCCCC', test.id('bob')) $$, '42501', null, 'People can''t insert invite codes');
select throws_ok($$ delete from app.invite_codes $$, '42501', null, 'People can''t delete invite codes');
select throws_ok($$ insert into app.personas (user_id, name) values (test.id('alice'), 'Fake') $$, '42501', null, 'People can''t insert personas for others');

-- Acting as Alice, and as Carla, whom she invited
select test.act_as('alice');
select is((select count(*)::int from app.invite_tree), 1, 'Inviters see the people they invited');
select test.act_as('carla');
select results_eq('select inviter_id from app.invite_tree', $$ values (test.id('alice')) $$, 'Invited people see their inviter');
select is((select count(*)::int from app.invite_codes), 0, 'Invited people don''t see the inviter''s code');

-- Acting as Alice, whom Bob blocked
select test.act_as_owner();
insert into app.audience (viewer_id, author_id, level)
values (test.id('alice'), test.id('bob'), -1), (test.id('bob'), test.id('alice'), -1);
select test.act_as('alice');
select is((select count(*)::int from app.person_card where id = test.id('bob')), 0, 'Across a block a person has no card');
select is((select count(*)::int from app.personas where user_id = test.id('bob')), 0, 'Across a block a person has no visible persona');

-- Acting as an anonymous caller
select test.act_as_anon();
select throws_ok(format('select * from %s', t), '42501', null, format('An anonymous caller can''t read %s', t))
from unnest(array['app.users', 'app.accounts', 'app.personas', 'app.invite_codes', 'app.invite_tree', 'app.person_card']) t;

select * from finish();
rollback;
