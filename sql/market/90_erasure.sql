-- How bans and erasures change orders, and where the market has personal data. Reviews are children of contents. See
-- sql/base/90_erasure.sql for how an erasure runs. docs/decisions.md, Market; Erasure and export.

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.orders', 'buyer_id', 'ordersPlaced', '{due_at,took_stock}'),
  ('app.orders', 'seller_id', 'ordersReceived', '{due_at,took_stock}'),
  ('app.offering_reviews', 'author_id', 'offeringReviews', '{author_hidden,words}');
insert into private.personal_data (relation, person_column, section, within) values
  ('app.order_steps', 'order_id', 'orderSteps', '{ordersPlaced,ordersReceived}');

create function private.interrupt_orders(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- a ban or an erasure changes the person's orders
set search_path = ''
as $$
declare
  v_user  uuid := (p_job ->> 'userId')::uuid;
  v_order app.orders;
begin
  -- a concurrent end of the ban waits for this transaction, or this statement sees the end
  perform from app.users where id = v_user and (banned_at is not null or erased_at is not null) for share;
  if not found then
    return json_build_object('changed', 0, 'next', null);
  end if;
  -- one order per batch, so that it locks no more than a step by a person
  select * into v_order from app.orders o
  where o.state in ('held', 'accepted', 'delivered') and (o.buyer_id = v_user or o.seller_id = v_user)
    and (o.due_at <= now()) is not true
  limit 1 for no key update;
  if not found then
    return json_build_object('changed', 0, 'next', null);
  end if;
  perform private.step_order(v_order, case when v_order.state <> 'held' then 'dispute'
                                           when v_order.seller_id = v_user then 'decline' else 'cancel' end, 'worker');
  return json_build_object('changed', 1, 'next', v_order.id);
end $$;
comment on function private.interrupt_orders is
  'For the worker alone: ends the next running order of a banned or erased person {userId}, or leaves the decision '
  'to an admin. A held order is cancelled or declined, and the mana goes back to the buyer; an accepted or '
  'delivered order becomes disputed. Due orders are left to the job end-orders. Returns {changed, next}; next is '
  'null if there are no more.';
call private.make_batch_queue('interrupted-orders', 'private.interrupt_orders');

create function private.erase_orders(p_user uuid) returns void
language plpgsql volatile security definer   -- no role has the right to change these rows
set search_path = ''
as $$
declare
  v_bought integer;
  v_sold   integer;
begin
  update app.orders set note = null, dispute_reason = null
  where id in (select o.id from app.orders o
               where o.buyer_id = p_user and (o.note is not null or o.dispute_reason is not null)
               limit 500);
  get diagnostics v_bought = row_count;
  update app.orders set title = '', description = '', delivery_note = null, asset_id = null
  where id in (select o.id from app.orders o
               where o.seller_id = p_user
                 and (o.title <> '' or o.description <> '' or o.delivery_note is not null or o.asset_id is not null)
               limit 500);
  get diagnostics v_sold = row_count;
  if greatest(v_bought, v_sold) = 500 then
    perform private.erase_rest(p_user);
  end if;
end $$;
comment on function private.erase_orders is
  'Deletes an erased person''s texts from up to 500 orders that they placed, and up to 500 that they received.';
call private.force_index_scans('private.erase_orders');

create function private.interrupt_person(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if p_user.erased_at is not null then
    perform private.erase_orders(p_user.id);
  end if;
  if exists (select from app.orders where p_user.id = buyer_id and state in ('held', 'accepted', 'delivered'))
     or exists (select from app.orders where p_user.id = seller_id and state in ('held', 'accepted', 'delivered')) then
    perform private.enqueue('interrupted-orders', json_build_object('userId', p_user.id));
  end if;
end $$;
comment on function private.interrupt_person is
  'Step: makes the worker end the running orders of a banned or erased person. At an erasure, it also deletes the '
  'person''s texts from all orders. It runs before private.hide_contents, because orders are locked before their '
  'offerings.';
insert into private.account_steps (step, events, position) values
  ('private.interrupt_person', '{ban,erasure}', 155);
