-- Bots: who can create them, what they lack, how their owner answers for them, and what only people can do.
begin;
select plan(42);
select test.people('alice', 'bob', 'ada');
update app.users set role = 'admin' where username = 'ada';

-- Creating
select test.act_as('alice');
select is(api.create_bot('Weather', 'Weather', p_about => 'It rains.')::jsonb - '{createdAt,personId}'::text[],
          '{"id": "acct:weather@localhost", "actorId": "acct:weather@localhost", "isBot": true, "username": "weather",
            "firstName": "Weather", "lastName": "Bot", "profilePicUrl": null, "about": "It rains.", "bannedAt": null}',
          'A person can create a bot');
select is(api.list_my_invites() ->> 'remaining', '4', 'A new bot uses up an invite of the owner''s allotment');
select is(api.get_profile('weather') #>> '{owner,username}', 'alice', 'The profile of a bot names its owner');
select is(api.get_profile('weather') ->> 'isBot', 'true', 'The profile of a bot says that it is a bot');
select is(api.get_profile('bob')::jsonb #> '{owner}', 'null', 'The profile of a person names no owner');
select is(api.get_profile('bob') ->> 'isBot', 'false', 'The profile of a person says that they are no bot');
select is(api.get_invite_tree() #>> '{items,0,person,username}', 'weather', 'In the invite tree, a bot is below its owner');
create temporary table made as select api.create_invite() ->> 'code' as code;
select is(api.create_bot('news', 'News', 'Reader', p_invite_code => (select code from made)) ->> 'lastName', 'Reader', 'The owner can give an invite code');
select throws_ok(format('select api.create_bot(%L, %L, p_invite_code => %L)', 'more', 'More', code), 'PT410', 'invite_dead', 'An invite code can be used for only one bot')
from made;
select is(api.list_my_invites() ->> 'remaining', '3', 'A given code is not counted twice in the allotment');
select test.act_as('bob');
create temporary table of_bob as select api.create_invite() ->> 'code' as code;
grant select on of_bob to public;
select test.act_as('alice');
select throws_ok(format('select api.create_bot(%L, %L, p_invite_code => %L)', 'more', 'More', code), 'PT404', 'invite_unknown', 'A code of somebody else is unknown')
from of_bob;
select throws_ok($$ select api.create_bot('bob', 'Bob') $$, 'PT409', 'username_taken', 'A bot can''t have a username that is taken');
select lives_ok($$ select api.create_bot('bot_' || n, 'Bot') from generate_series(3, 5) n $$, 'A person can have five bots');
select throws_ok($$ select api.create_bot('sixth', 'Bot') $$, 'PT409', 'bots_exhausted', 'A sixth bot is refused');
select is(json_array_length(api.list_bots() -> 'items'), 5, 'Owners see their bots');

-- Changing and deleting
select is(api.update_bot('news', '{"firstName": "Daily", "about": "Every day."}') ->> 'firstName', 'Daily', 'Owners can change their bots');
select throws_ok($$ select api.update_bot('bob', '{"firstName": "Mine"}') $$, 'PT404', 'bot_unknown', 'A person is not found as a bot of the caller');
select lives_ok($$ select api.delete_bot('bot_5') $$, 'Owners can delete their bots');
select throws_ok($$ select api.delete_bot('bot_5') $$, 'PT404', 'bot_unknown', 'A deleted bot is unknown');
select test.act_as('bob');
select throws_ok($$ select api.update_bot('news', '{"firstName": "Mine"}') $$, 'PT404', 'bot_unknown', 'Others can''t change a bot');
select throws_ok($$ select api.delete_bot('news') $$, 'PT404', 'bot_unknown', 'Others can''t delete a bot');

-- What bots lack
select test.act_as_owner();
select is((select password_hash from private.credentials where user_id = test.id('weather')), '!bot', 'A bot has no password');
select is((select count(*) from private.reachable_accounts where user_id = test.id('weather')), 0::bigint, 'Nothing is mailed to a bot');
update app.wallets set last_regen_at = now() - interval '3 days' where user_id = test.id('weather');
select test.act_as('weather');
select is(api.get_wallet() ->> 'balance', '0', 'A bot starts without mana, and its wallet does not regenerate');
select test.act_as('bob');
select throws_ok($$ select api.pay('joy', 0, p_receiver_id => 'weather') $$, 'PT409', 'pay_bot', 'Nobody can pay a bot');
select test.act_as_owner();
select private.earn_contribution(array[(test.id('weather'), null, 'post_created', gen_random_uuid(), null, now())::private.earning,
                                       (test.id('bob'), null, 'post_created', gen_random_uuid(), null, now())::private.earning]);
select is((select array_agg(distinct user_id) from app.contribution_entries), array[test.id('bob')], 'A bot earns no contribution');
select throws_ok($$ select private.refuse_bots('react') from set_config('request.jwt.claims', json_build_object('sub', test.id('weather'))::text, true) $$,
                 'PT403', 'bot_refused', 'A bot can''t do what only people can do');
select lives_ok($$ select private.refuse_bots('create_post') $$, 'A bot can do everything else');
select lives_ok($$ select private.refuse_bots('react') from set_config('request.jwt.claims', json_build_object('sub', test.id('bob'))::text, true) $$,
                'People can do what bots can''t');
select is((select array_agg(o.operation) from private.operations_of_people o
           where not exists (select from pg_proc p where p.pronamespace = 'api'::regnamespace and p.proname = o.operation)), null,
          'Each of these operations exists');

-- The limits of a bot count 24 hours
select test.act_as('weather');
select lives_ok($$ select private.count_writes('posts') $$, 'A bot can write');
select test.act_as_owner();
select is((select ends_at - now() from private.write_counts where user_id = test.id('weather') and kind = 'posts'), interval '24 hours',
          'The writes of a bot are counted for 24 hours');

-- Bans
select test.act_as_service('ada');
select throws_ok($$ select api.ban_person('bob', 'Spam', p_also_owner => true) $$, 'PT422', 'owner_unknown', 'A person can''t be banned with an owner, because they have none');
select throws_ok($$ select api.set_role('news', 'moderator') $$, 'PT409', 'bot_role', 'A bot can''t get a role');
select lives_ok($$ select api.ban_person('bot_3', 'Spam') $$, 'A bot can be banned alone');
select test.act_as_owner();
create function pg_temp.banned() returns text language sql as
  $$ select string_agg(username, ' ' order by username) from app.users where banned_at is not null $$;
select is(pg_temp.banned(), 'bot_3', 'If a bot is banned alone, nobody else is banned');
update app.users set banned_at = now() - interval '1 hour' where username = 'bot_3';
select test.act_as_service('ada');
select lives_ok($$ select api.ban_person('weather', 'Spam', p_also_owner => true) $$, 'A bot can be banned with its owner');
select test.act_as_owner();
select is(pg_temp.banned(), 'alice bot_3 bot_4 news weather', 'A ban of a bot with its owner includes the owner''s other bots');
select test.act_as_service('ada');
select throws_ok($$ select api.unban_person('news') $$, 'PT409', 'owner_banned', 'A bot can''t be unbanned before its owner');
select lives_ok($$ select api.unban_person('alice') $$, 'The owner can be unbanned');
select test.act_as_owner();
select is(pg_temp.banned(), 'bot_3', 'The end of the owner''s ban includes only the bots that were banned with the owner');

-- Erasure
select private.erase_person(test.id('alice'));
select is((select count(*) from app.users where bot_owner_id is not null and erased_at is null), 0::bigint, 'An erased person''s bots are erased');
select * from finish();
rollback;
