-- What co-authors get of what a post is paid.
begin;
select plan(42);
select test.people('alice', 'bob', 'carla', 'dave', 'erin');

create temporary table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.pay(p_name text, p_tier integer) returns json language plpgsql as $$
declare
  v_answer json := api.pay('love', p_tier, p_post_id => pg_temp.id('post'));
begin
  insert into made values (p_name, (v_answer #>> '{payment,id}')::uuid);
  return v_answer;
end $$;
create function pg_temp.splits(p_name text) returns text language sql stable security definer as $$
  select string_agg(u.username || ' ' || s.amount, ', ' order by u.username)
  from app.payment_splits s join app.users u on u.id = s.receiver_id where s.payment_id = pg_temp.id(p_name) $$;
-- a payment as the caller has it
create function pg_temp.card(p_name text) returns jsonb language sql stable as $$
  select private.payment_cards(array[pg_temp.id(p_name)])::jsonb -> 0 $$;
create function pg_temp.shares(p_name text) returns text language sql stable as $$
  select string_agg(coalesce(split_part(s ->> 'receiverId', '@', 1), 'somebody') || ' ' || (s ->> 'amount'), ', ' order by place)
  from jsonb_array_elements(pg_temp.card(p_name) -> 'splits') with ordinality l (s, place) $$;
create function pg_temp.told(p_name text) returns jsonb language sql stable as $$
  select payload from app.notifications where kind = 'payment.received' and payload ->> 'paymentId' = pg_temp.id(p_name)::text $$;
grant execute on all functions in schema pg_temp to public;

-- Alice wrote with Bob (33 %), Carla (57 %) and Dave (0 %); Erin is only invited. Everybody can pay
select test.act_as('alice');
insert into made select 'post', (api.create_post('Ours') ->> 'id')::uuid;
insert into made select 'reply', (api.create_reply(pg_temp.id('post'), 'Mine alone') ->> 'id')::uuid;
select test.act_as_owner();
insert into app.post_co_authors (post_id, user_id, split_share, status) values
  (pg_temp.id('post'), test.id('bob'), 33, 'accepted'), (pg_temp.id('post'), test.id('carla'), 57, 'accepted'),
  (pg_temp.id('post'), test.id('dave'), 0, 'accepted'), (pg_temp.id('post'), test.id('erin'), 10, 'pending');
select private.move('starter', array[private.mint(), id], array[-500, 500]) from app.users where username in ('bob', 'erin');

-- Acting as Erin
select test.act_as('erin');
select is(pg_temp.pay('storm', 2) #>> '{payment,receiver,username}', 'alice', 'a post''s payment goes to its author');
select is(pg_temp.splits('storm'), 'alice 2, bob 3, carla 5', 'and its co-authors, shares rounded down, the rest the author''s');
select is(json_array_length(api.list_payments('sent') #> '{items,0,splits}'), 3, 'who pays sees all of it');
select is(api.list_payments('sent') #>> '{items,0,amount}', '10', 'as one payment');
select is(api.list_payments('sent') #>> '{items,0,splits,0}', '{"receiverId" : "acct:alice@localhost", "amount" : 2}', 'the author first');
select lives_ok($$ select pg_temp.pay('spark', 0) $$, 'a payment too small to share');
select is(pg_temp.splits('spark'), 'alice 1', 'is the author''s');
select lives_ok($$ select pg_temp.pay('nova', 5) $$, 'a great one');
select is(pg_temp.splits('nova'), 'alice 10, bob 33, carla 57', 'leaves the author a tenth');
select is((api.get_wallet() ->> 'balance')::int, 550 - 111, 'who pays pays all of it');
select is((select string_agg(user_id::text, ',') from app.wallets w join app.post_co_authors c using (user_id)
           where c.post_id = pg_temp.id('post') and w.user_id <> app.uid()), null, 'and sees nobody''s wallet');
select is(api.get_breakdown(pg_temp.id('post'))::jsonb, '{"emojiBreakdown": {"love": {"count": 3, "total": 111}}}',
  'a post counts what was paid and not the shares');

-- Acting as Carla
select test.act_as('carla');
select is((api.get_wallet() ->> 'balance')::int, 50 + 5 + 57, 'a co-author gets their share');
select is((select string_agg(i ->> 'amount' || ' of ' || (i ->> 'total'), ', ' order by (i ->> 'total')::int)
           from json_array_elements(api.list_payments('received') -> 'items') i), '5 of 10, 57 of 100', 'among what they received');
select is(api.list_payments('received') #> '{items,0,splits}' ->> 0,
  (select format('{"receiverId" : "acct:carla@localhost", "amount" : %s}', api.list_payments('received') #>> '{items,0,amount}')),
  'without the shares of the others');
select is((select count(*) from app.notifications where kind = 'payment.received' and payload ->> 'amount' in ('5', '57')),
  2::bigint, 'and hears of it');
select test.act_as('dave');
select is(json_array_length(api.list_payments('received') -> 'items'), 0, 'who has no share receives nothing');

-- A co-author who pays, who is banned, who is gone
select test.act_as('bob');
select lives_ok($$ select pg_temp.pay('own', 5) $$, 'a co-author pays the post');
select is(pg_temp.splits('own'), 'alice 43, carla 57', 'and keeps no share of it');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'carla';
select test.act_as('erin');
select pg_temp.pay('banned', 5);
select is(pg_temp.splits('banned'), 'alice 67, bob 33', 'the share of the banned is the author''s');
select test.act_as_owner();
update app.users set banned_at = null where username = 'carla';
update app.users set erased_at = now() where username = 'bob';
select test.act_as('erin');
select pg_temp.pay('erased', 5);
select is(pg_temp.splits('erased'), 'alice 43, carla 57', 'and that of the erased');

-- Whom one may not see is not told by what is missing: their share is within the author's
select is(pg_temp.shares('storm'), 'acct:alice 5, acct:carla 5', 'the share of an erased co-author shows within the author''s');
select api.block_person('carla');
select is(pg_temp.shares('storm'), 'acct:alice 10', 'and that of one across a block');
select is(pg_temp.card('storm') ->> 'amount', '10', 'what was paid stays');
select api.block_person('alice');
select is(pg_temp.shares('storm'), 'somebody 10', 'as it does when the author is nobody too');
select is(pg_temp.card('storm') ->> 'postId', null, 'of a post that one does not see the payment does not tell');
select api.unblock_person('alice'), api.unblock_person('carla');
select is(pg_temp.card('storm') ->> 'postId', pg_temp.id('post')::text, 'until one does');
select test.act_as('carla');
select api.block_person('alice'), api.block_person('erin');
select is(pg_temp.shares('storm'), 'acct:carla 5', 'one''s own share stays one''s own, whomever one blocked');

-- A co-author who does not see the post any more is paid, and not told for which post
select is(pg_temp.card('storm') ->> 'postId', null, 'a co-author across a block from the author does not see the post');
select api.unblock_person('erin');
select test.act_as('erin');
select pg_temp.pay('unseen', 5);
select is(pg_temp.card('unseen') ->> 'postId', pg_temp.id('post')::text, 'who pays for it sees it');
select test.act_as('carla');
select is(pg_temp.told('unseen') - 'paymentId', '{"emotion": "love", "tier": 5, "amount": 57, "postId": null, "replyId": null}', 'and is paid for something');
select ok(pg_temp.told('nova') ->> 'postId' is not null, 'unlike before');
select test.act_as('alice');
select is(pg_temp.told('unseen') ->> 'postId', pg_temp.id('post')::text, 'the author hears for what');
select is(pg_temp.card('unseen') ->> 'postId', pg_temp.id('post')::text, 'and sees it');

-- A co-author who leaves leaves their share to the author
select test.act_as('carla');
select is(api.respond_co_author(pg_temp.id('post'), c.id, false) ->> 'status', 'declined', 'a co-author leaves')
from app.post_co_authors c where c.user_id = app.uid();
select api.unblock_person('alice');
select test.act_as('erin');
select pg_temp.pay('left', 2);
select is(pg_temp.splits('left'), 'alice 10', 'and has no share from then on');
select is(pg_temp.shares('unseen'), 'acct:alice 43, acct:carla 57', 'while what was paid was paid');
select test.act_as_owner();
select is((select count(*) from app.payment_splits where payment_id = pg_temp.id('storm')), 3::bigint, 'and every share is on record');
select test.act_as('erin');

-- What is not the post's own
select is((api.pay('love', 2, p_reply_id => pg_temp.id('reply')) #>> '{payment,splits}')::jsonb,
  '[{"receiverId": "acct:alice@localhost", "amount": 10}]', 'a reply is its author''s alone');
select is((api.pay('love', 2, p_receiver_id => 'alice') #>> '{payment,splits}')::jsonb,
  '[{"receiverId": "acct:alice@localhost", "amount": 10}]', 'and a person gets all of what is theirs');
select test.act_as_owner();
select is((select count(*) from app.payments p
           where p.amount <> (select sum(s.amount) from app.payment_splits s where s.payment_id = p.id)), 0::bigint,
  'every payment is the sum of its shares');
set constraints all immediate;
select pass('and all of it was balanced');

select * from finish();
rollback;
