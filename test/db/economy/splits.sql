-- The shares of co-authors in a payment for their post.
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
-- A payment as the caller sees it
create function pg_temp.card(p_name text) returns jsonb language sql stable as $$
  select private.payment_cards(array[pg_temp.id(p_name)])::jsonb -> 0 $$;
create function pg_temp.shares(p_name text) returns text language sql stable as $$
  select string_agg(coalesce(split_part(s ->> 'receiverId', '@', 1), 'somebody') || ' ' || (s ->> 'amount'), ', ' order by place)
  from jsonb_array_elements(pg_temp.card(p_name) -> 'splits') with ordinality l (s, place) $$;
create function pg_temp.told(p_name text) returns jsonb language sql stable as $$
  select payload from app.notifications where kind = 'payment.received' and payload ->> 'paymentId' = pg_temp.id(p_name)::text $$;
grant execute on all functions in schema pg_temp to public;

-- Alice wrote with Bob (33 %), Carla (57 %) and Dave (0 %). Erin is only invited. Everybody can pay
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
select is(pg_temp.pay('storm', 2) #>> '{payment,receiver,username}', 'alice', 'A payment for a post names its author as the receiver');
select is(pg_temp.splits('storm'), 'alice 2, bob 3, carla 5', 'Co-authors get their shares rounded down, and the author gets the rest');
select is(json_array_length(api.list_payments('sent') #> '{items,0,splits}'), 3, 'The sender sees all splits');
select is(api.list_payments('sent') #>> '{items,0,amount}', '10', 'The sender sees one payment');
select is(api.list_payments('sent') #>> '{items,0,splits,0}', '{"receiverId" : "acct:alice@localhost", "amount" : 2}', 'The author''s split comes first');
select lives_ok($$ select pg_temp.pay('spark', 0) $$, 'A payment too small to split is accepted');
select is(pg_temp.splits('spark'), 'alice 1', 'The author gets the whole of a payment too small to split');
select lives_ok($$ select pg_temp.pay('nova', 5) $$, 'A large payment is accepted');
select is(pg_temp.splits('nova'), 'alice 10, bob 33, carla 57', 'A large payment leaves the author a tenth');
select is((api.get_wallet() ->> 'balance')::int, 550 - 111, 'The sender pays the full amount');
select is((select string_agg(user_id::text, ',') from app.wallets w join app.post_co_authors c using (user_id)
           where c.post_id = pg_temp.id('post') and w.user_id <> app.uid()), null, 'The sender can''t see the co-authors'' wallets');
select is(api.get_breakdown(pg_temp.id('post'))::jsonb, '{"emojiBreakdown": {"love": {"count": 3, "total": 111}}}',
  'A post''s breakdown counts the full payments');

-- Acting as Carla
select test.act_as('carla');
select is((api.get_wallet() ->> 'balance')::int, 50 + 5 + 57, 'A co-author gets their share');
select is((select string_agg(i ->> 'amount' || ' of ' || (i ->> 'total'), ', ' order by (i ->> 'total')::int)
           from json_array_elements(api.list_payments('received') -> 'items') i), '5 of 10, 57 of 100', 'Co-authors see their share and the total in their received payments');
select is(api.list_payments('received') #> '{items,0,splits}' ->> 0,
  (select format('{"receiverId" : "acct:carla@localhost", "amount" : %s}', api.list_payments('received') #>> '{items,0,amount}')),
  'Co-authors don''t see the shares of the others');
select is((select count(*) from app.notifications where kind = 'payment.received' and payload ->> 'amount' in ('5', '57')),
  2::bigint, 'Co-authors are notified of their share');
select test.act_as('dave');
select is(json_array_length(api.list_payments('received') -> 'items'), 0, 'A co-author with a share of 0 receives nothing');

-- A co-author who pays, who is banned, who is erased
select test.act_as('bob');
select lives_ok($$ select pg_temp.pay('own', 5) $$, 'A co-author can pay for the post');
select is(pg_temp.splits('own'), 'alice 43, carla 57', 'A co-author who pays gets no share of the payment');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'carla';
select test.act_as('erin');
select pg_temp.pay('banned', 5);
select is(pg_temp.splits('banned'), 'alice 67, bob 33', 'A banned co-author''s share goes to the author');
select test.act_as_owner();
update app.users set banned_at = null where username = 'carla';
update app.users set erased_at = now() where username = 'bob';
select test.act_as('erin');
select pg_temp.pay('erased', 5);
select is(pg_temp.splits('erased'), 'alice 43, carla 57', 'An erased co-author''s share goes to the author');

-- A missing split must not reveal a person the caller can't see: their share is added to the author's
select is(pg_temp.shares('storm'), 'acct:alice 5, acct:carla 5', 'An erased co-author''s share is shown as the author''s');
select api.block_person('carla');
select is(pg_temp.shares('storm'), 'acct:alice 10', 'A blocked co-author''s share is shown as the author''s');
select is(pg_temp.card('storm') ->> 'amount', '10', 'The sender still sees the full amount of the payment');
select api.block_person('alice');
select is(pg_temp.shares('storm'), 'somebody 10', 'If the author is blocked too, the receiver is null');
select is(pg_temp.card('storm') ->> 'postId', null, 'The payment doesn''t name a post the caller can''t see');
select api.unblock_person('alice'), api.unblock_person('carla');
select is(pg_temp.card('storm') ->> 'postId', pg_temp.id('post')::text, 'Once the post is visible again, the payment names it');
select test.act_as('carla');
select api.block_person('alice'), api.block_person('erin');
select is(pg_temp.shares('storm'), 'acct:carla 5', 'Co-authors see their own share, even if they blocked the others');

-- A co-author who can't see the post any more is paid, but isn't told for which post
select is(pg_temp.card('storm') ->> 'postId', null, 'The payment doesn''t name the post to a co-author who blocked the author');
select api.unblock_person('erin');
select test.act_as('erin');
select pg_temp.pay('unseen', 5);
select is(pg_temp.card('unseen') ->> 'postId', pg_temp.id('post')::text, 'The payment names the post to the sender');
select test.act_as('carla');
select is(pg_temp.told('unseen') - 'paymentId', '{"emotion": "love", "tier": 5, "amount": 57, "postId": null, "replyId": null}', 'The notification of a co-author who can''t see the post doesn''t name it');
select ok(pg_temp.told('nova') ->> 'postId' is not null, 'The notification before the block names the post');
select test.act_as('alice');
select is(pg_temp.told('unseen') ->> 'postId', pg_temp.id('post')::text, 'The notification of the author names the post');
select is(pg_temp.card('unseen') ->> 'postId', pg_temp.id('post')::text, 'The payment names the post to the author');

-- When co-authors leave, their share goes to the author
select test.act_as('carla');
select is(api.respond_co_author(pg_temp.id('post'), c.id, false) ->> 'status', 'declined', 'A co-author can leave')
from app.post_co_authors c where c.user_id = app.uid();
select api.unblock_person('alice');
select test.act_as('erin');
select pg_temp.pay('left', 2);
select is(pg_temp.splits('left'), 'alice 10', 'A co-author who left gets no share of later payments');
select is(pg_temp.shares('unseen'), 'acct:alice 43, acct:carla 57', 'Earlier payments keep their splits');
select test.act_as_owner();
select is((select count(*) from app.payment_splits where payment_id = pg_temp.id('storm')), 3::bigint, 'The table of splits still has the splits of all receivers');
select test.act_as('erin');

-- Payments that aren't for the post itself
select is((api.pay('love', 2, p_reply_id => pg_temp.id('reply')) #>> '{payment,splits}')::jsonb,
  '[{"receiverId": "acct:alice@localhost", "amount": 10}]', 'A payment for a reply goes to the reply''s author alone');
select is((api.pay('love', 2, p_receiver_id => 'alice') #>> '{payment,splits}')::jsonb,
  '[{"receiverId": "acct:alice@localhost", "amount": 10}]', 'A payment to a person isn''t split');
select test.act_as_owner();
select is((select count(*) from app.payments p
           where p.amount <> (select sum(s.amount) from app.payment_splits s where s.payment_id = p.id)), 0::bigint,
  'Every payment is the sum of its splits');
set constraints all immediate;
select pass('The deferred checks of the ledger pass');

select * from finish();
rollback;
