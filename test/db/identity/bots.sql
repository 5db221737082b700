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
          'A person creates a bot');
select is(api.list_my_invites() ->> 'remaining', '4', 'It uses up one of the allotment');
select is(api.get_profile('weather') #>> '{owner,username}', 'alice', 'Its profile names the owner');
select is(api.get_profile('weather') ->> 'isBot', 'true', 'and says that it is a bot');
select is(api.get_profile('bob')::jsonb #> '{owner}', 'null', 'People have no owner');
select is(api.get_profile('bob') ->> 'isBot', 'false', 'and are no bots');
select is(api.get_invite_tree() #>> '{items,0,person,username}', 'weather', 'It is below its owner in the invite tree');
create temporary table made as select api.create_invite() ->> 'code' as code;
select is(api.create_bot('news', 'News', 'Reader', p_invite_code => (select code from made)) ->> 'lastName', 'Reader', 'A code can be given');
select throws_ok(format('select api.create_bot(%L, %L, p_invite_code => %L)', 'more', 'More', code), 'PT410', 'invite_dead', 'A code counts once')
from made;
select is(api.list_my_invites() ->> 'remaining', '3', 'A given code is not counted twice');
select test.act_as('bob');
create temporary table of_bob as select api.create_invite() ->> 'code' as code;
grant select on of_bob to public;
select test.act_as('alice');
select throws_ok(format('select api.create_bot(%L, %L, p_invite_code => %L)', 'more', 'More', code), 'PT404', 'invite_unknown', 'A code of somebody else is unknown')
from of_bob;
select throws_ok($$ select api.create_bot('bob', 'Bob') $$, 'PT409', 'username_taken', 'Names are unique');
select lives_ok($$ select api.create_bot('bot_' || n, 'Bot') from generate_series(3, 5) n $$, 'Up to five');
select throws_ok($$ select api.create_bot('sixth', 'Bot') $$, 'PT409', 'bots_exhausted', 'A sixth one is refused');
select is(json_array_length(api.list_bots() -> 'items'), 5, 'The owner sees their bots');

-- Changing and deleting
select is(api.update_bot('news', '{"firstName": "Daily", "about": "Every day."}') ->> 'firstName', 'Daily', 'The owner changes a bot');
select throws_ok($$ select api.update_bot('bob', '{"firstName": "Mine"}') $$, 'PT404', 'bot_unknown', 'Somebody else is not a bot of the caller');
select lives_ok($$ select api.delete_bot('bot_5') $$, 'The owner deletes a bot');
select throws_ok($$ select api.delete_bot('bot_5') $$, 'PT404', 'bot_unknown', 'It is gone');
select test.act_as('bob');
select throws_ok($$ select api.update_bot('news', '{"firstName": "Mine"}') $$, 'PT404', 'bot_unknown', 'Others cannot change it');
select throws_ok($$ select api.delete_bot('news') $$, 'PT404', 'bot_unknown', 'nor delete it');

-- What bots lack
select test.act_as_owner();
select is((select password_hash from private.credentials where user_id = test.id('weather')), '!bot', 'A bot has no password');
select is((select count(*) from private.reachable_accounts where user_id = test.id('weather')), 0::bigint, 'Nothing is mailed to it');
update app.wallets set last_regen_at = now() - interval '3 days' where user_id = test.id('weather');
select test.act_as('weather');
select is(api.get_wallet() ->> 'balance', '0', 'It starts without mana, and its wallet does not regenerate');
select test.act_as('bob');
select throws_ok($$ select api.pay('joy', 0, p_receiver_id => 'weather') $$, 'PT409', 'pay_bot', 'It cannot be paid');
select test.act_as_owner();
select private.earn_contribution(array[(test.id('weather'), null, 'post_created', gen_random_uuid(), null, now())::private.earning,
                                       (test.id('bob'), null, 'post_created', gen_random_uuid(), null, now())::private.earning]);
select is((select array_agg(distinct user_id) from app.contribution_entries), array[test.id('bob')], 'It earns no contribution');
select throws_ok($$ select private.refuse_bots('react') from set_config('request.jwt.claims', json_build_object('sub', test.id('weather'))::text, true) $$,
                 'PT403', 'bot_refused', 'What only people can do is refused to it');
select lives_ok($$ select private.refuse_bots('create_post') $$, 'The rest is not');
select lives_ok($$ select private.refuse_bots('react') from set_config('request.jwt.claims', json_build_object('sub', test.id('bob'))::text, true) $$,
                'People can do it');
select is((select array_agg(o.operation) from private.operations_of_people o
           where not exists (select from pg_proc p where p.pronamespace = 'api'::regnamespace and p.proname = o.operation)), null,
          'Each of these operations exists');

-- Its limits count 24 hours
select test.act_as('weather');
select lives_ok($$ select private.count_writes('posts') $$, 'It writes');
select test.act_as_owner();
select is((select ends_at - now() from private.write_counts where user_id = test.id('weather') and kind = 'posts'), interval '24 hours',
          'What it writes counts for 24 hours');

-- Bans
select test.act_as_service('ada');
select throws_ok($$ select api.ban_person('bob', 'Spam', p_also_owner => true) $$, 'PT422', 'owner_unknown', 'A person has no owner');
select throws_ok($$ select api.set_role('news', 'moderator') $$, 'PT409', 'bot_role', 'A bot gets no role');
select lives_ok($$ select api.ban_person('bot_3', 'Spam') $$, 'A bot is banned alone');
select test.act_as_owner();
create function pg_temp.banned() returns text language sql as
  $$ select string_agg(username, ' ' order by username) from app.users where banned_at is not null $$;
select is(pg_temp.banned(), 'bot_3', 'and nobody with it');
update app.users set banned_at = now() - interval '1 hour' where username = 'bot_3';
select test.act_as_service('ada');
select lives_ok($$ select api.ban_person('weather', 'Spam', p_also_owner => true) $$, 'A bot is banned with its owner');
select test.act_as_owner();
select is(pg_temp.banned(), 'alice bot_3 bot_4 news weather', 'and with the owner''s other bots');
select test.act_as_service('ada');
select throws_ok($$ select api.unban_person('news') $$, 'PT409', 'owner_banned', 'A bot is not unbanned before its owner');
select lives_ok($$ select api.unban_person('alice') $$, 'The owner is unbanned');
select test.act_as_owner();
select is(pg_temp.banned(), 'bot_3', 'with the bots that were banned with them');

-- Erasure
select private.erase_person(test.id('alice'));
select is((select count(*) from app.users where bot_owner_id is not null and erased_at is null), 0::bigint, 'An erased person''s bots are erased');
select * from finish();
rollback;
