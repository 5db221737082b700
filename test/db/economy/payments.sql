-- Emoji payments: for what, by whom, and what each side sees of them.
begin;
select plan(48);
select test.people('alice', 'bob', 'carla', 'dave');

create temporary table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql as $$ select id from made where name = p_name $$;
grant execute on function pg_temp.id to public;

select test.act_as_owner();
insert into app.interests (slug, name, level, accent_color) values ('tap-tests', 'Tap tests', 1, 'ink');
insert into made select 'interest', id from app.interests where slug = 'tap-tests';

-- Bob publishes
select test.act_as('bob');
insert into made select 'post', (api.create_post('Hello') ->> 'id')::uuid;
insert into made select 'expert', (api.create_post('Deep', p_interest_id => pg_temp.id('interest')) ->> 'id')::uuid;
insert into made select 'closed', (api.create_post('For my circles', p_visibility => 'circles') ->> 'id')::uuid;
select test.act_as('carla');
insert into made select 'reply', (api.create_reply(pg_temp.id('post'), 'Hello back') ->> 'id')::uuid;

-- Acting as Alice
select test.act_as('alice');
insert into made select 'payment', (api.pay('love', 2, p_post_id => pg_temp.id('post')) #>> '{payment,id}')::uuid;
select is((api.get_wallet() ->> 'balance')::int, 40, 'a Storm costs 10');
select is((api.list_payments('sent') #>> '{items,0,receiver,username}'), 'bob', 'and goes to the post''s author');
select is(api.pay('love', 0, p_reply_id => pg_temp.id('reply')) #>> '{payment,receiver,username}', 'carla',
  'for a reply to the reply''s author');
select is((api.pay('awe', 1, p_receiver_id => 'carla') ->> 'senderBalance')::int, 36, 'and to a person: a Wave costs 3');
select is((api.pay('joy', 0, p_receiver_id => 'bob') #>> '{payment,splits,0,amount}')::int, 1, 'all of it');

select throws_ok($$ select api.pay('love', 0) $$, 'PT422', 'payment_target', 'a payment has a target');
select throws_ok($$ select api.pay('love', 0, pg_temp.id('post'), null, 'bob') $$, 'PT422', 'payment_target', 'and one alone');
select throws_ok($$ select api.pay('love', 6, p_receiver_id => 'bob') $$, 'PT422', 'tier_unknown', 'there are six tiers');
select throws_ok($$ select api.pay('love', null, p_receiver_id => 'bob') $$, 'PT422', 'tier_unknown', 'none is no tier');
select throws_ok($$ select api.pay('envy', 0, p_receiver_id => 'bob') $$, 'PT422', 'emotion_unknown', 'and eight emotions');
select throws_ok($$ select api.pay('love', 0, p_receiver_id => 'alice') $$, 'PT400', 'pay_oneself', 'nobody pays themselves');
select throws_ok($$ select api.pay('love', 0, p_receiver_id => 'zoe') $$, 'PT404', 'person_unknown', 'or nobody');
select throws_ok($$ select api.pay('love', 0, gen_random_uuid()) $$, 'PT404', 'post_unknown', 'an unknown post is unknown');
select throws_ok($$ select api.pay('love', 0, pg_temp.id('closed')) $$, 'PT404', 'post_unknown', 'and so is a hidden one');
select throws_ok($$ select api.pay('love', 0, null, gen_random_uuid()) $$, 'PT404', 'reply_unknown', 'an unknown reply too');
select throws_ok($$ select api.pay('love', 5, p_receiver_id => 'bob') $$, 'PT409', 'insufficient_mana', 'nobody spends what they lack');
select is((api.get_wallet() ->> 'balance')::int, 35, 'and what is refused costs nothing');
select throws_ok($$ select private.pay(test.id('bob'), 'love', 9, null, null) $$, '23502', null, 'no payment is free');

-- Reputation counts for posts with an interest
select throws_ok($$ select api.pay('love', 2, pg_temp.id('expert')) $$, 'PT403', 'reputation_too_low',
  'a high tier asks for reputation in the post''s interest');
select lives_ok($$ select api.pay('love', 1, pg_temp.id('expert')) $$, 'a low one does not');
select lives_ok($$ select api.pay('love', 2, pg_temp.id('post')) $$, 'and nor does a post without an interest');
select test.act_as_owner();
insert into app.reputation (user_id, interest_id, value, direct_value)
values (test.id('alice'), pg_temp.id('interest'), 9.99, 9.99)
on conflict (user_id, interest_id) do update set value = 9.99;
select test.act_as('alice');
select throws_ok($$ select api.pay('love', 2, pg_temp.id('expert')) $$, 'PT403', 'reputation_too_low', '9.99 is less than 10');
select test.act_as_owner();
update app.reputation set value = 10 where user_id = test.id('alice') and interest_id = pg_temp.id('interest');
select test.act_as('alice');
select lives_ok($$ select api.pay('insight', 2, pg_temp.id('expert')) $$, '10 is enough');
select test.act_as('bob');
select throws_ok($$ select api.pay('love', 5, pg_temp.id('expert')) $$, 'PT400', 'pay_oneself', 'oneself comes before that');

-- The totals of a post
select is(api.get_breakdown(pg_temp.id('post'))::jsonb, '{"emojiBreakdown": {"love": {"count": 2, "total": 20}}}',
  'a post counts its payments by emotion');
select is(api.get_breakdown(pg_temp.id('closed'))::jsonb, '{"emojiBreakdown": {}}', 'or has none');
select is((api.get_post(pg_temp.id('post')) -> 'emojiBreakdown')::jsonb, '{"love": {"count": 2, "total": 20}}', 'the same as in the post');
select test.act_as('dave');
select throws_ok($$ select api.get_breakdown(pg_temp.id('closed')) $$, 'PT404', 'post_unknown', 'for who sees the post');

-- Who sees which payments
select is(json_array_length(api.list_payments() -> 'items'), 0, 'others see nothing of it');
select is((select count(*) from app.payments) + (select count(*) from app.payment_splits), 0::bigint, 'in no table');
select throws_ok(format('select api.list_payments(p_cursor => %L)', pg_temp.id('payment')), 'PT400', 'cursor_unknown', 'and by no cursor');
select throws_ok($$ select api.list_payments('both') $$, 'PT422', 'direction_unknown', 'a direction is sent or received');
select throws_ok($$ insert into app.payments (sender_id, receiver_id, emotion, tier, amount)
                    values (app.uid(), test.id('bob'), 'love', 0, 1) $$, '42501', null, 'nobody writes payments');
select test.act_as('bob');
select is(json_array_length(api.list_payments('received') -> 'items'), 5, 'who was paid sees it');
select is(json_array_length(api.list_payments('sent') -> 'items'), 0, 'as received');
select lives_ok($$ select api.pay('calm', 0, p_receiver_id => 'alice') $$, 'Bob thanks');
select is(json_array_length(api.list_payments() -> 'items'), 6, 'without a direction both are listed');
select results_eq(
  $$ with recursive pages as (
       select api.list_payments(p_limit => 1) as page
       union all
       select api.list_payments(p_limit => 1, p_cursor => page ->> 'nextCursor') from pages where (page ->> 'hasMore')::boolean)
     select count(*), count(distinct page #>> '{items,0,id}') from pages $$,
  $$ values (6::bigint, 6::bigint) $$, 'and walked page by page each comes once');

-- A block hides the person and not the money
select api.block_person('alice');
select is(
  (select jsonb_agg(distinct jsonb_build_array(i -> 'senderId', i -> 'sender', i -> 'receiverId'))
   from jsonb_array_elements(api.list_payments('received')::jsonb -> 'items') i),
  '[[null, null, "acct:bob@localhost"]]', 'across a block the payer is nobody');
select test.act_as('alice');
select is(
  (select jsonb_agg(distinct i -> 'receiverId') from jsonb_array_elements(api.list_payments('sent')::jsonb -> 'items') i),
  '[null, "acct:carla@localhost"]', 'and the paid too');
select is(json_array_length(api.list_payments('sent') -> 'items'), 7, 'while one''s own money stays listed');
select throws_ok($$ select api.pay('love', 0, p_receiver_id => 'bob') $$, 'PT404', 'person_unknown', 'across a block nobody pays');
select throws_ok($$ select api.pay('love', 0, pg_temp.id('post')) $$, 'PT404', 'post_unknown', 'neither for a post');

-- The switch
select test.act_as_owner();
select throws_ok($$ update app.payments set amount = 1 $$, 'PT409', 'append_only', 'no payment changes');
select throws_ok($$ delete from app.payment_splits $$, 'PT409', 'append_only', 'or goes');
update app.feature_flags set enabled = false where key = 'emoji-pay';
select test.act_as('alice');
select throws_ok($$ select api.pay('love', 0, p_receiver_id => 'carla') $$, 'PT403', 'feature_disabled', 'payments can be switched off');
select test.act_as_anon();
select throws_ok($$ select api.pay('love', 0, p_receiver_id => 'carla') $$, '42501', null, 'and need a token');
set constraints all immediate;
select pass('and all of it was balanced');

select * from finish();
rollback;
