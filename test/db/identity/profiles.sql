-- Names that change, profiles as their owner and as others see them, and who may write them.
begin;
select plan(36);
select test.people('alice', 'bob', 'carla');

-- Acting as Alice
select test.act_as('alice');
select is(api.update_me('{"username": " ALICE_B ", "about": "  ", "phone": "+49 30 1"}') ->> 'username', 'alice_b', 'a name is written small');
select is(api.get_me() ->> 'about', null, 'blanks are nothing');
select is(api.get_me() ->> 'phone', '+49 30 1', 'a number stands in the account');
select is(api.update_me('{}') ->> 'username', 'alice_b', 'no change changes nothing');
select is(api.update_me('{"role": "admin", "bannedAt": "now", "email": "x@y.z"}') ->> 'role', 'user', 'nor do fields that are not the caller''s to change');
select throws_ok($$ select api.update_me('{"username": "bob"}') $$, 'PT409', 'username_taken', 'a name that another has is theirs');
select throws_ok($$ select api.update_me('{"username": "a b"}') $$, 'PT422', 'value_invalid', 'not everything is a name');
select throws_ok($$ select api.update_me('{"username": null}') $$, '23502', null, 'and nobody has none');
select throws_ok($$ select api.update_me('{"firstName": " "}') $$, 'PT422', 'value_invalid', 'a first name is something');
select throws_ok($$ select api.update_me('{"profilePicUrl": "javascript:alert(1)"}') $$, 'PT422', 'media_url', 'a picture is on the web');
select throws_ok($$ select api.update_me('{"phone": "call me"}') $$, 'PT422', 'value_invalid', 'and a number has digits');
select throws_ok($$ update app.users set erased_at = now() where id = app.uid() $$, '42501', null, 'nobody erases themselves past the password');
select throws_ok($$ update app.users set role = 'admin' where id = app.uid() $$, '42501', null, 'or gives themselves a role');
select is_empty($$ update app.users set about = 'Fool' where username = 'bob' returning 1 $$, 'or writes another''s profile');
select throws_ok('select * from app.usernames', '42501', null, 'who had which name is nobody''s to read');

-- Acting as Bob
select test.act_as('bob');
select is(private.require_person('alice'), private.require_person('alice_b'), 'both names lead to her');
select is(api.get_profile('acct:alice@localhost') ->> 'actorId', 'acct:alice_b@localhost', 'who is called by her present one');
select set_eq($$ select json_object_keys(api.get_profile('alice')) $$, array['id', 'actorId', 'username', 'firstName', 'lastName',
  'profilePicUrl', 'about', 'country', 'city', 'createdAt'], 'a public profile');
select throws_ok($$ select api.update_me('{"username": "alice"}') $$, 'PT409', 'username_taken', 'her old name is hers');
select throws_ok($$ select api.get_profile('zoe') $$, 'PT404', 'person_unknown', 'nobody has no profile');

-- Across a block
select api.block_person('alice_b');
select throws_ok($$ select api.get_profile('alice') $$, 'PT404', 'person_unknown', 'an old name is no way around a block');
select lives_ok($$ select api.unblock_person('alice') $$, 'though it lifts one');
select is(api.get_profile('alice') ->> 'username', 'alice_b', 'and all is as before');

-- As the owner: every name is known, by its hash
select test.act_as_owner();
select set_eq($$ select username from app.usernames where user_id = test.id('alice_b') $$, array['alice', 'alice_b'], 'both are kept');
select is(hash, sha256('alice'), 'under the hash') from app.usernames where username = 'alice';
select is(private.free_username('Alice', '例') ~ '^alice_\d+$', true, 'a name that somebody had is not made again');
select throws_ok($$ insert into app.users (username, first_name, last_name) values ('alice', 'A', 'B') $$, 'PT409', 'username_taken',
  'by no way at all');

-- Names of offices
select ok(private.is_reserved(n), format('%s is of an office', n)) from unnest(array['admin', 'kith', '_support_', 'ad_min']) n;
select ok(not private.is_reserved(n), format('%s is of none', n)) from unnest(array['admin_2', 'helpful']) n;
select throws_ok($$ update app.users set username = 'staff' where id = test.id('bob') $$, 'PT409', 'username_reserved', 'nobody takes one');
select matches(private.free_username('No', 'Reply'), '^no_reply_\d+$', 'none is made of a name');
insert into app.usernames (hash, username, user_id) values (private.username_hash('team'), 'team', test.id('bob'));
select lives_ok($$ update app.users set username = 'team' where id = test.id('bob') $$, 'and who had one keeps it');

select * from finish();
rollback;
