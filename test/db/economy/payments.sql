-- Emoji payments: who can pay for what, and what sender and receiver see of a payment.
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
select is((api.get_wallet() ->> 'balance')::int, 40, 'A Storm costs 10 mana');
select is((api.list_payments('sent') #>> '{items,0,receiver,username}'), 'bob', 'A payment for a post goes to its author');
select is(api.pay('love', 0, p_reply_id => pg_temp.id('reply')) #>> '{payment,receiver,username}', 'carla',
  'A payment for a reply goes to the reply''s author');
select is((api.pay('awe', 1, p_receiver_id => 'carla') ->> 'senderBalance')::int, 36, 'A payment can go to a person, and a Wave costs 3 mana');
select is((api.pay('joy', 0, p_receiver_id => 'bob') #>> '{payment,splits,0,amount}')::int, 1, 'A paid person gets the full amount');

select throws_ok($$ select api.pay('love', 0) $$, 'PT422', 'payment_target', 'A payment needs a target');
select throws_ok($$ select api.pay('love', 0, pg_temp.id('post'), null, 'bob') $$, 'PT422', 'payment_target', 'A payment can''t have two targets');
select throws_ok($$ select api.pay('love', 6, p_receiver_id => 'bob') $$, 'PT422', 'tier_unknown', 'A tier above 5 is refused');
select throws_ok($$ select api.pay('love', null, p_receiver_id => 'bob') $$, 'PT422', 'tier_unknown', 'A null tier is refused');
select throws_ok($$ select api.pay('envy', 0, p_receiver_id => 'bob') $$, 'PT422', 'emotion_unknown', 'An unknown emotion is refused');
select throws_ok($$ select api.pay('love', 0, p_receiver_id => 'alice') $$, 'PT400', 'pay_oneself', 'People can''t pay themselves');
select throws_ok($$ select api.pay('love', 0, p_receiver_id => 'zoe') $$, 'PT404', 'person_unknown', 'An unknown person can''t be paid');
select throws_ok($$ select api.pay('love', 0, gen_random_uuid()) $$, 'PT404', 'post_unknown', 'A payment for an unknown post is refused');
select throws_ok($$ select api.pay('love', 0, pg_temp.id('closed')) $$, 'PT404', 'post_unknown', 'A payment for a post the caller can''t see is refused');
select throws_ok($$ select api.pay('love', 0, null, gen_random_uuid()) $$, 'PT404', 'reply_unknown', 'A payment for an unknown reply is refused');
select throws_ok($$ select api.pay('love', 5, p_receiver_id => 'bob') $$, 'PT409', 'insufficient_mana', 'A payment the sender can''t afford is refused');
select is((api.get_wallet() ->> 'balance')::int, 35, 'A refused payment costs nothing');
select throws_ok($$ select private.pay(test.id('bob'), 'love', 9, null, null) $$, '23502', null, 'A payment without an amount is refused');

-- Posts with an interest need reputation
select throws_ok($$ select api.pay('love', 2, pg_temp.id('expert')) $$, 'PT403', 'reputation_too_low',
  'A high tier needs reputation in the post''s interest');
select lives_ok($$ select api.pay('love', 1, pg_temp.id('expert')) $$, 'A low tier needs no reputation');
select lives_ok($$ select api.pay('love', 2, pg_temp.id('post')) $$, 'A post without an interest needs no reputation');
select test.act_as_owner();
insert into app.reputation (user_id, interest_id, value, direct_value)
values (test.id('alice'), pg_temp.id('interest'), 9.99, 9.99)
on conflict (user_id, interest_id) do update set value = 9.99;
select test.act_as('alice');
select throws_ok($$ select api.pay('love', 2, pg_temp.id('expert')) $$, 'PT403', 'reputation_too_low', 'A reputation of 9.99 is too low');
select test.act_as_owner();
update app.reputation set value = 10 where user_id = test.id('alice') and interest_id = pg_temp.id('interest');
select test.act_as('alice');
select lives_ok($$ select api.pay('insight', 2, pg_temp.id('expert')) $$, 'A reputation of 10 is enough');
select test.act_as('bob');
select throws_ok($$ select api.pay('love', 5, pg_temp.id('expert')) $$, 'PT400', 'pay_oneself', 'Paying oneself is refused before the reputation is checked');

-- A post's totals
select is(api.get_breakdown(pg_temp.id('post'))::jsonb, '{"emojiBreakdown": {"love": {"count": 2, "total": 20}}}',
  'A post''s breakdown counts its payments by emotion');
select is(api.get_breakdown(pg_temp.id('closed'))::jsonb, '{"emojiBreakdown": {}}', 'A post without payments has an empty breakdown');
select is((api.get_post(pg_temp.id('post')) -> 'emojiBreakdown')::jsonb, '{"love": {"count": 2, "total": 20}}', 'The post''s card has the same breakdown');
select test.act_as('dave');
select throws_ok($$ select api.get_breakdown(pg_temp.id('closed')) $$, 'PT404', 'post_unknown', 'A post the caller can''t see has no breakdown');

-- Who sees which payments
select is(json_array_length(api.list_payments() -> 'items'), 0, 'Other people''s lists don''t have the payments');
select is((select count(*) from app.payments) + (select count(*) from app.payment_splits), 0::bigint, 'Other people see no rows in the tables');
select throws_ok(format('select api.list_payments(p_cursor => %L)', pg_temp.id('payment')), 'PT400', 'cursor_unknown', 'Another person''s payment is refused as a cursor');
select throws_ok($$ select api.list_payments('both') $$, 'PT422', 'direction_unknown', 'An unknown direction is refused');
select throws_ok($$ insert into app.payments (sender_id, receiver_id, emotion, tier, amount)
                    values (app.uid(), test.id('bob'), 'love', 0, 1) $$, '42501', null, 'Nobody can insert payments directly');
select test.act_as('bob');
select is(json_array_length(api.list_payments('received') -> 'items'), 5, 'The receiver sees the payments');
select is(json_array_length(api.list_payments('sent') -> 'items'), 0, 'Received payments are not listed as sent');
select lives_ok($$ select api.pay('calm', 0, p_receiver_id => 'alice') $$, 'The receiver can pay back');
select is(json_array_length(api.list_payments() -> 'items'), 6, 'Without a direction both sent and received payments are listed');
select results_eq(
  $$ with recursive pages as (
       select api.list_payments(p_limit => 1) as page
       union all
       select api.list_payments(p_limit => 1, p_cursor => page ->> 'nextCursor') from pages where (page ->> 'hasMore')::boolean)
     select count(*), count(distinct page #>> '{items,0,id}') from pages $$,
  $$ values (6::bigint, 6::bigint) $$, 'The pages together have each payment once');

-- After a block a payment stays listed, without the person
select api.block_person('alice');
select is(
  (select jsonb_agg(distinct jsonb_build_array(i -> 'senderId', i -> 'sender', i -> 'receiverId'))
   from jsonb_array_elements(api.list_payments('received')::jsonb -> 'items') i),
  '[[null, null, "acct:bob@localhost"]]', 'After a block the sender is null');
select test.act_as('alice');
select is(
  (select jsonb_agg(distinct i -> 'receiverId') from jsonb_array_elements(api.list_payments('sent')::jsonb -> 'items') i),
  '[null, "acct:carla@localhost"]', 'After a block the receiver is null');
select is(json_array_length(api.list_payments('sent') -> 'items'), 7, 'After a block people''s own payments stay listed');
select throws_ok($$ select api.pay('love', 0, p_receiver_id => 'bob') $$, 'PT404', 'person_unknown', 'Nobody can pay a person across a block');
select throws_ok($$ select api.pay('love', 0, pg_temp.id('post')) $$, 'PT404', 'post_unknown', 'Nobody can pay a post across a block');

-- The feature flag
select test.act_as_owner();
select throws_ok($$ update app.payments set amount = 1 $$, 'PT409', 'append_only', 'A payment can''t be changed');
select throws_ok($$ delete from app.payment_splits $$, 'PT409', 'append_only', 'A split can''t be deleted');
update app.feature_flags set enabled = false where key = 'emoji-pay';
select test.act_as('alice');
select throws_ok($$ select api.pay('love', 0, p_receiver_id => 'carla') $$, 'PT403', 'feature_disabled', 'With the flag off, payments are refused');
select test.act_as_anon();
select throws_ok($$ select api.pay('love', 0, p_receiver_id => 'carla') $$, '42501', null, 'Payments need a signed-in caller');
set constraints all immediate;
select pass('The deferred checks of the ledger pass');

select * from finish();
rollback;
