-- What co-authors get of what a post is paid.
begin;
select plan(25);
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
