-- Changes of names, profiles as their owner and as others see them, and who can write them.
begin;
select plan(41);
select test.people('alice', 'bob', 'carla');

-- Acting as Alice
select test.act_as('alice');
select is(api.update_me('{"username": " ALICE_B ", "about": "  ", "phone": "+49 30 1"}') ->> 'username', 'alice_b', 'A username is stored in lower case');
select is(api.get_me() ->> 'about', null, 'A blank text becomes null');
select is(api.get_me() ->> 'phone', '+49 30 1', 'The phone number is stored');
select is(api.update_me('{}') ->> 'username', 'alice_b', 'An empty change changes nothing');
select is(api.update_me('{"role": "admin", "bannedAt": "now", "email": "x@y.z"}') ->> 'role', 'user', 'Fields that the caller may not change are ignored');
select throws_ok($$ select api.update_me('{"username": "bob"}') $$, 'PT409', 'username_taken', 'A username of another person is refused');
select throws_ok($$ select api.update_me('{"username": "a b"}') $$, 'PT422', 'value_invalid', 'A username with a blank is refused');
select throws_ok($$ select api.update_me('{"username": null}') $$, '23502', null, 'A null username is refused');
select throws_ok($$ select api.update_me('{"firstName": " "}') $$, 'PT422', 'value_invalid', 'A blank first name is refused');
select throws_ok($$ select api.update_me('{"profilePicUrl": "javascript:alert(1)"}') $$, 'PT422', 'media_url', 'A picture must have a web address');
select throws_ok($$ select api.update_me('{"phone": "call me"}') $$, 'PT422', 'value_invalid', 'A phone number must have digits');
select throws_ok($$ update app.users set erased_at = now() where id = app.uid() $$, '42501', null, 'People can''t erase themselves without the password');
select throws_ok($$ update app.users set role = 'admin' where id = app.uid() $$, '42501', null, 'People can''t give themselves a role');
select is_empty($$ update app.users set about = 'Fool' where username = 'bob' returning 1 $$, 'People can''t change another person''s profile');
select throws_ok('select * from app.usernames', '42501', null, 'Nobody can read who had which username');

-- Acting as Bob
select test.act_as('bob');
select is(private.require_person('alice'), private.require_person('alice_b'), 'Both the old and the new username find the person');
select is(api.get_profile('acct:alice@localhost') ->> 'actorId', 'acct:alice_b@localhost', 'The profile has the current username');
select set_eq($$ select json_object_keys(api.get_profile('alice')) $$, array['id', 'actorId', 'personId', 'username', 'firstName', 'lastName',
  'profilePicUrl', 'about', 'country', 'city', 'createdAt', 'counters', 'viewer', 'isBot', 'owner'], 'A public profile has these fields');
select throws_ok($$ select api.update_me('{"username": "alice"}') $$, 'PT409', 'username_taken', 'Another person can''t take the old username');
select is(api.get_profile(person_id::text) ->> 'username', 'alice_b', 'The person id finds a person after a rename') from app.users where username = 'alice_b';
select is(api.get_profile('alice') ->> 'personId', (select person_id::text from app.users where username = 'alice_b'), 'The profile has the person id');
select throws_ok(format('select api.get_profile(%L)', id), 'PT404', 'person_unknown', 'The internal id finds nobody') from app.users where username = 'alice_b';
select throws_ok($$ update app.users set person_id = gen_random_uuid() where id = app.uid() $$, '42501', null, 'People can''t change their person id');
select throws_ok($$ select api.get_profile('zoe') $$, 'PT404', 'person_unknown', 'An unknown person has no profile');

-- Across a block
select api.block_person('alice_b');
select throws_ok($$ select api.get_profile('alice') $$, 'PT404', 'person_unknown', 'An old username doesn''t circumvent a block');
select test.act_as_owner();
select set_config('test.alice', person_id::text, true) from app.users where username = 'alice_b';
select test.act_as('bob');
select throws_ok($$ select api.get_profile(current_setting('test.alice')) $$, 'PT404', 'person_unknown', 'The person id doesn''t circumvent a block');
select lives_ok($$ select api.unblock_person('alice') $$, 'An old username can be used to lift a block');
select is(api.get_profile('alice') ->> 'username', 'alice_b', 'After the block the profile is visible again');

-- As the owner: every username is kept with its hash
select test.act_as_owner();
select set_eq($$ select username from app.usernames where user_id = test.id('alice_b') $$, array['alice', 'alice_b'], 'Both the old and the new username are kept');
select is(hash, sha256('alice'), 'A username is kept with its hash') from app.usernames where username = 'alice';
select is(private.free_username('Alice', '例') ~ '^alice_\d+$', true, 'A former username is not generated again');
select throws_ok($$ insert into app.users (username, first_name, last_name) values ('alice', 'A', 'B') $$, 'PT409', 'username_taken',
  'A former username can''t be inserted');

-- Reserved usernames
select ok(private.is_reserved(n), format('%s is reserved', n)) from unnest(array['admin', 'kith', '_support_', 'ad_min']) n;
select ok(not private.is_reserved(n), format('%s is not reserved', n)) from unnest(array['admin_2', 'helpful']) n;
select throws_ok($$ update app.users set username = 'staff' where id = test.id('bob') $$, 'PT409', 'username_reserved', 'A reserved username can''t be taken');
select matches(private.free_username('No', 'Reply'), '^no_reply_\d+$', 'A reserved username is not generated from a name');
insert into app.usernames (hash, username, user_id) values (private.username_hash('team'), 'team', test.id('bob'));
select lives_ok($$ update app.users set username = 'team' where id = test.id('bob') $$, 'A person who had a reserved username can take it back');

select * from finish();
rollback;
