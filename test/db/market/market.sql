-- The market: who sees what, also without the operations, and what a ban and an erasure do to orders and reviews.
begin;
select plan(45);
select test.people('alice', 'bob', 'carla');
create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.offer(p_name text, p_price integer, p_stock integer default null) returns void language sql as $$
  insert into made select p_name, (api.create_offering(p_name, 'Of mine', p_price, 3, p_stock) ->> 'id')::uuid $$;
create function pg_temp.place(p_name text, p_offering text, p_price integer) returns void language sql as $$
  insert into made select p_name, (api.place_order(pg_temp.id(p_offering), p_price, 'For me') #>> '{order,id}')::uuid $$;
create function pg_temp.state(p_name text) returns text language sql stable security definer as $$
  select state from app.orders where id = (select id from made where name = p_name) $$;
create function pg_temp.mana(p_person uuid) returns bigint language sql stable security definer as $$
  select balance from app.wallets where user_id = p_person $$;
create function pg_temp.work(p_user uuid) returns integer language plpgsql security definer as $$
declare v_done integer := 0;
begin
  while private.interrupt_orders(jsonb_build_object('userId', p_user)) ->> 'next' is not null loop
    v_done := v_done + 1;
  end loop;
  return v_done;
end $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Bob: the limits of an offering
select test.act_as('bob');
select throws_ok($$ select api.create_offering('It', 'Mine', 0, 3) $$, 'PT422', 'offering_price', 'A price of 0 is refused');
select throws_ok($$ select api.create_offering('It', 'Mine', 1000001, 3) $$, 'PT422', 'offering_price', 'A price above 1,000,000 is refused');
select throws_ok($$ select api.create_offering('It', 'Mine', 1, 3, -1) $$, 'PT422', 'offering_stock', 'A negative stock is refused');
select throws_ok($$ select api.create_offering('It', 'Mine', 1, 0) $$, 'PT422', 'offering_delivery', 'A delivery time of less than a day is refused');
select throws_ok($$ select api.create_offering('It', 'Mine', 1, 100000) $$, 'PT422', 'offering_delivery', 'A delivery time of 100,000 days is refused');
select throws_ok($$ select api.create_offering('It', ' ', 1, 3) $$, 'PT422', 'content_body', 'An offering needs a description');
select throws_ok($$ select api.list_offerings(p_sort => 'best') $$, 'PT422', 'offering_sort', 'An unknown sort order of offerings is refused');
select pg_temp.offer('one', 5, 3), pg_temp.offer('two', 6);
select throws_ok($$ update app.offerings set price_mana = 1 $$, '42501', null, 'Nobody can change the table of offerings directly');
select throws_ok($$ select api.list_orders(p_role => 'both') $$, 'PT422', 'order_role', 'An unknown role in the list of orders is refused');

-- Acting as Alice, who orders
select test.act_as('alice');
select pg_temp.place('held', 'one', 5), pg_temp.place('accepted', 'one', 5), pg_temp.place('delivered', 'two', 6);
select is(pg_temp.mana(app.uid()), 34::bigint, 'The price of the buyer''s orders is held');
select throws_ok($$ select api.place_order(pg_temp.id('one'), 5, repeat('x', 2001)) $$, 'PT422', 'order_note', 'A note of more than 2000 characters is refused');
select throws_ok($$ select api.place_order(pg_temp.id('one'), 4) $$, 'PT409', 'price_changed', 'An order with a price other than the current one is refused');
select throws_ok($$ select api.place_order(pg_temp.id('one'), null) $$, 'PT409', 'price_changed', 'An order without a price is refused');
select is((select count(*) from app.orders), 3::bigint, 'A buyer sees their orders');
select is((select count(*) from app.order_steps), 3::bigint, 'A buyer sees the history of their orders');
select throws_ok($$ update app.orders set state = 'completed' $$, '42501', null, 'A buyer can''t change the table of orders');
select throws_ok($$ select private.settle_hold(pg_temp.id('held')) $$, '42501', null, 'A buyer can''t settle a hold directly');
select throws_ok($$ select * from app.offering_reviews $$, '42501', null, 'Nobody can read the table of reviews');
select throws_ok($$ select api.accept_order(pg_temp.id('held')) $$, 'PT403', 'order_party', 'Only the seller can accept an order');

select test.act_as('bob');
select api.accept_order(pg_temp.id('accepted')), api.accept_order(pg_temp.id('delivered'));
select throws_ok($$ select api.deliver_order(pg_temp.id('accepted'), ' ') $$, 'PT422', 'order_delivery_note', 'A delivery needs a note');
select api.deliver_order(pg_temp.id('delivered'), 'Here');
select test.act_as('alice');
select throws_ok($$ select api.dispute_order(pg_temp.id('delivered'), '') $$, 'PT422', 'order_reason', 'A dispute needs a reason');
select throws_ok($$ select api.review_order(pg_temp.id('delivered'), 3) $$, 'PT409', 'order_state', 'An order can''t be reviewed before it is over');

-- Acting as Carla, who is not part of the orders
select test.act_as('carla');
select is((select count(*) from app.orders), 0::bigint, 'Other people see no orders');
select is((select count(*) from app.order_steps), 0::bigint, 'Other people see no order history');
select throws_ok($$ select api.get_order(pg_temp.id('held')) $$, 'PT404', 'order_unknown', 'Other people get order_unknown from get_order');
select throws_ok($$ select api.cancel_order(pg_temp.id('held')) $$, 'PT404', 'order_unknown', 'Other people can''t cancel an order');
select pg_temp.place('complete', 'one', 5);
select test.act_as('bob');
select api.accept_order(pg_temp.id('complete')), api.deliver_order(pg_temp.id('complete'), 'Here');
select test.act_as('carla');
select api.complete_order(pg_temp.id('complete'));
insert into made select 'review', (api.review_order(pg_temp.id('complete'), 2, 'Well.') ->> 'id')::uuid;
select throws_ok($$ select api.review_order(pg_temp.id('complete'), 9) $$, 'PT422', 'review_stars', 'A review of more than five stars is refused');
select throws_ok($$ select api.review_order(pg_temp.id('complete'), 2) $$, 'PT409', 'order_reviewed', 'An order can be reviewed only once');
select is(api.get_offering(pg_temp.id('one')) ->> 'ratingAverage', '2.00', 'The rating includes the review');
select throws_ok($$ select api.place_order(pg_temp.id('one'), 5) $$, 'PT409', 'sold_out', 'When the stock is used up, the offering is sold out');

-- Staff remove the review, and restore it
select test.act_as_owner();
update app.offering_reviews set removed_at = now();
select test.act_as('bob');
select is(api.get_offering(pg_temp.id('one')) ->> 'ratingCount', '0', 'A removed review is not counted');
select is(json_array_length(api.list_reviews(pg_temp.id('one')) -> 'items'), 0, 'A removed review is not listed');
select throws_ok($$ select api.report('review', pg_temp.id('review')::text, 'x') $$, 'PT404', 'review_unknown', 'A removed review can''t be reported');
select test.act_as('carla');
select is(api.list_reviews(pg_temp.id('one')) #>> '{items,0,text}', 'Well.', 'The author still sees the removed review');
select test.act_as_owner();
update app.offering_reviews set removed_at = null;

-- A ban of the seller
update app.users set banned_at = now() where username = 'bob';
select is((select count(*) from pgboss.job where name = 'interrupted-orders' and data ->> 'userId' = test.id('bob')::text), 1::bigint,
  'A ban queues a job for the worker');
select is(pg_temp.work(test.id('bob')), 3, 'The worker interrupts each running order');
select is(array[pg_temp.state('held'), pg_temp.state('accepted'), pg_temp.state('delivered')],
  '{declined,disputed,disputed}'::text[], 'A held order is declined, and an accepted or delivered one becomes a dispute for an admin');
select is((select string_agg(actor, ' ' order by position) from app.order_steps where order_id = pg_temp.id('held')), 'buyer worker',
  'The history names the worker');
update app.users set banned_at = null where username = 'bob';
update app.orders set state = 'delivered' where id = pg_temp.id('delivered');
select is(pg_temp.work(test.id('bob')), 0, 'If the ban has ended, no order is interrupted');

-- An erasure of a buyer
select test.act_as('bob');
select lives_ok($$ select api.update_offering(pg_temp.id('two'), '{"priceMana": 10}') $$, 'The seller can change a price');
select test.act_as('alice');
select pg_temp.place('last', 'two', 10);
select test.act_as_owner();
select private.erase_person(test.id('alice'));
insert into made select 'alice', buyer_id from app.orders where id = pg_temp.id('last');
select is(pg_temp.work(pg_temp.id('alice')), 2, 'An erasure interrupts the buyer''s orders');
select is(array[pg_temp.state('last'), pg_temp.state('delivered')], '{cancelled,disputed}'::text[], 'An erasure cancels a held order, and a delivered one becomes a dispute');
select is(pg_temp.mana(pg_temp.id('alice')), 39::bigint, 'The held mana returns to the wallet of the erased person');
select is((select count(*) from app.orders where buyer_id = pg_temp.id('alice') and note is not null), 0::bigint, 'The buyer''s notes are deleted');
select is_empty('select * from private.audit_mana()', 'The audit of mana finds nothing wrong');

select * from finish();
rollback;
