-- Who may see and change offerings, orders and reviews. This file belongs to sql/market/. The head's policies are in
-- policies/content.sql.

-- offerings
alter table app.offerings enable row level security;
grant select on app.offerings to authenticated;
create policy select_with_content on app.offerings for select to authenticated
  using ((select true from app.contents c where c.id = offerings.id));
comment on policy select_with_content on app.offerings is 'Everybody who sees the head sees the offering.';

-- order_transitions: a registry, only for definer functions
alter table private.order_transitions enable row level security;

-- orders
alter table app.orders enable row level security;
revoke insert, update, delete on app.orders from service_role;
grant select on app.orders to authenticated;
create policy select_party on app.orders for select to authenticated
  using (buyer_id = (select app.uid()) or seller_id = (select app.uid()));
comment on policy select_party on app.orders is
  'The buyer and the seller see their order, even if one has blocked the other, because it moves mana between them. '
  'Definer functions write orders.';

-- order_steps
alter table app.order_steps enable row level security;
revoke insert, update, delete on app.order_steps from service_role;
grant select on app.order_steps to authenticated;
create policy select_with_order on app.order_steps for select to authenticated
  using ((select true from app.orders o where o.id = order_id));
comment on policy select_with_order on app.order_steps is 'Everybody who sees the order sees its history.';

-- offering_reviews: only definer functions read them, by the rule in private.visible_reviews
alter table app.offering_reviews enable row level security;

-- helpers
grant execute on function
  private.act_on_order,
  private.add_review,
  private.change_offering,
  private.delete_offering,
  private.find_orders,
  private.find_reviews,
  private.lock_order_parties,
  private.offering_cards,
  private.order_cards,
  private.own_review_words,
  private.place_order,
  private.require_offering_card,
  private.require_order_card,
  private.require_reported_review,
  private.review_cards,
  private.find_review_time,
  private.take_order_step,
  private.write_offering
  to authenticated;

-- operations
grant execute on function
  api.accept_order,
  api.cancel_order,
  api.complete_order,
  api.create_offering,
  api.decline_order,
  api.delete_offering,
  api.deliver_order,
  api.dispute_order,
  api.get_offering,
  api.get_order,
  api.list_offerings,
  api.list_orders,
  api.list_reviews,
  api.place_order,
  api.review_order,
  api.update_offering
  to authenticated;

-- jobs and batches that the worker runs
grant execute on function
  private.interrupt_orders,
  private.job_end_orders
  to worker;
