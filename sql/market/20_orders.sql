-- The price of an order is held until the order ends, and is then paid out exactly once, as the final state says.
-- private.order_transitions says who may take which action in which state. The code and test/model/orders.test.ts both
-- read this table. docs/decisions.md, Market.

create table private.order_transitions (
  state    text not null,
  action   text not null,
  actor    text not null check (actor in ('buyer', 'seller', 'worker', 'admin')),
  next     text not null,
  after    interval check (after is null or actor = 'worker'),
  late     boolean not null default false,
  settles  text check (settles in ('buyer', 'seller', 'both')),
  restocks boolean not null default false,
  primary key (state, action, actor)
);
create unique index order_transitions_after_idx on private.order_transitions (state) where after is not null;
comment on table private.order_transitions is
  'Every step of an order. In this state this actor may take this action, and the order is then in the next state. '
  'A state without steps is final, and every step to a final state settles the hold.';
comment on column private.order_transitions.after is
  'The time after which the worker takes the step, counted from when the order got into this state; null for all '
  'other steps.';
comment on column private.order_transitions.late is 'Whether the step is allowed only after the deadline.';
comment on column private.order_transitions.settles is
  'Who gets the held mana: the buyer, the seller, or both if an admin divides it. Null if it remains held.';
comment on column private.order_transitions.restocks is
  'Whether the step returns to the stock what the order took from it.';
insert into private.order_transitions (state, action, actor, next, after, late, settles, restocks) values
  ('held',      'accept',   'seller', 'accepted',  null,       false, null,     false),
  ('held',      'decline',  'seller', 'declined',  null,       false, 'buyer',  true),
  ('held',      'cancel',   'buyer',  'cancelled', null,       false, 'buyer',  true),
  ('held',      'expire',   'worker', 'expired',   '72 hours', false, 'buyer',  true),
  ('accepted',  'deliver',  'seller', 'delivered', null,       false, null,     false),
  ('accepted',  'cancel',   'seller', 'cancelled', null,       false, 'buyer',  true),
  ('accepted',  'cancel',   'buyer',  'cancelled', null,       true,  'buyer',  true),
  ('accepted',  'dispute',  'buyer',  'disputed',  null,       false, null,     false),
  ('delivered', 'complete', 'buyer',  'completed', null,       false, 'seller', false),
  ('delivered', 'complete', 'worker', 'completed', '7 days',   false, 'seller', false),
  ('delivered', 'dispute',  'buyer',  'disputed',  null,       false, null,     false),
  ('disputed',  'resolve',  'admin',  'resolved',  null,       false, 'both',   false),
  -- the steps that follow a ban or an erasure of the buyer or the seller
  ('held',      'decline',  'worker', 'declined',  null,       false, 'buyer',  true),
  ('held',      'cancel',   'worker', 'cancelled', null,       false, 'buyer',  true),
  ('accepted',  'dispute',  'worker', 'disputed',  null,       false, null,     false),
  ('delivered', 'dispute',  'worker', 'disputed',  null,       false, null,     false);

create table app.orders (
  id             uuid primary key default gen_random_uuid(),
  offering_id    uuid not null,
  buyer_id       uuid not null references app.users on delete restrict,
  seller_id      uuid not null references app.users on delete restrict,
  title          text not null,
  description    text not null,
  price_mana     integer not null check (price_mana > 0),
  delivery_days  smallint not null,
  took_stock     boolean not null,
  state          text not null default 'held' check (state in (
    'held', 'accepted', 'delivered', 'disputed', 'declined', 'cancelled', 'expired', 'completed', 'resolved')),
  note           text,
  delivery_note  text,
  asset_id       uuid references app.media_assets on delete set null,
  dispute_reason text,
  refund_mana    integer,
  deadline_at    timestamptz,
  due_at         timestamptz,
  created_at     timestamptz not null default now(),
  check (buyer_id <> seller_id),
  check (refund_mana between 0 and price_mana),
  constraint order_note check (length(note) <= 2000),
  constraint order_delivery_note check (length(delivery_note) between 1 and 2000),
  constraint order_reason check (length(dispute_reason) between 1 and 2000),
  -- checked at commit, because the hold locks wallets and is therefore written last (ARCHITECTURE.md, Locks)
  foreign key (id) references app.mana_holds on delete restrict deferrable initially deferred
);
create index orders_offering_id_idx on app.orders (offering_id, state);
create index orders_waiting_idx on app.orders (offering_id, buyer_id, created_at desc, id desc) where state = 'held';
create index orders_buyer_id_idx on app.orders (buyer_id, created_at desc, id desc);
create index orders_seller_id_idx on app.orders (seller_id, created_at desc, id desc);
create index orders_due_at_idx on app.orders (due_at) where due_at is not null;
create index orders_created_at_idx on app.orders (created_at desc, id desc);
create index orders_asset_id_idx on app.orders (asset_id) where asset_id is not null;
create index orders_running_buyer_idx on app.orders (buyer_id) where state in ('held', 'accepted', 'delivered');
create index orders_running_seller_idx on app.orders (seller_id) where state in ('held', 'accepted', 'delivered');
comment on table app.orders is
  'Orders, each with a copy of the offering at the time of the order. An order has the same id as its hold, which '
  'keeps the price until the order ends.';
comment on column app.orders.offering_id is
  'The offering, which may have been deleted since. The column has no foreign key, because then the purge of '
  'deleted offerings would look up orders while it holds the lock of the offering. All other code locks an order '
  'before its offering.';
comment on column app.orders.price_mana is 'Whole mana that the buyer pays.';
comment on column app.orders.state is 'See private.order_transitions.';
comment on column app.orders.took_stock is 'Whether the order took a unit from a limited stock; some steps return it.';
comment on column app.orders.refund_mana is
  'Whole mana of a resolved order that went back to the buyer; the seller got the rest.';
comment on column app.orders.deadline_at is
  'When the seller should deliver at the latest; null before the order is accepted.';
comment on column app.orders.due_at is 'When the worker takes the next step; null if no step is automatic.';

create table app.order_steps (
  order_id uuid not null references app.orders on delete cascade,
  position smallint not null,
  state    text not null,
  actor    text not null,
  at       timestamptz not null default now(),
  primary key (order_id, position)
);
call private.make_append_only('app.order_steps');
comment on table app.order_steps is
  'The history of an order, append-only: each state that it got into, and which party caused it.';
comment on column app.order_steps.state is 'The state that the order got into, one of private.order_transitions.';

insert into private.write_limits (kind, per_hour) values ('orders', 300);

insert into private.errors (code, status, text) values
  ('order_unknown', 404, 'There is no such order.'),
  ('order_oneself', 400, 'You cannot order from yourself.'),
  ('offering_paused', 409, 'The seller does not accept orders for this offering at the moment.'),
  ('sold_out', 409, 'This offering is sold out.'),
  ('order_party', 403, 'Only the other party of the order can do this.'),
  ('order_state', 409, 'The state of the order does not allow this, or it is too early or too late for it.'),
  ('order_role', 422, 'role must be buyer or seller.'),
  ('order_note', 422, 'A note can have at most 2000 characters.'),
  ('order_delivery_note', 422, 'deliveryNote must have 1 to 2000 characters.'),
  ('order_reason', 422, 'A dispute needs a reason of 1 to 2000 characters.');

insert into private.event_types (name, payload, happens) values
  ('market.order.changed', '{orderId,state}',
   'an order is placed, or its state changes');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('market.order.changed', 'order', 'orderId', '{orderId,state}', '{}');

insert into private.lock_kinds (kind, position) values ('order', 520);

create function private.note_order(p_order app.orders, p_actor text) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into app.order_steps (order_id, position, state, actor)
  select p_order.id, count(*) + 1, p_order.state, p_actor from app.order_steps s where s.order_id = p_order.id;
  perform private.emit('market.order.changed', json_build_object('orderId', p_order.id, 'state', p_order.state),
    array_remove(array[p_order.buyer_id, p_order.seller_id],
                 case p_actor when 'buyer' then p_order.buyer_id when 'seller' then p_order.seller_id end));
end $$;
comment on function private.note_order is
  'Adds the state of an order to its history, and emits an event for the parties who did not cause it.';

create function private.step_order(p_order app.orders, p_action text, p_actor text) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_step private.order_transitions;
begin
  select * into v_step from private.order_transitions t
  where t.state = p_order.state and t.action = p_action and t.actor = p_actor;
  -- when the worker's step is due, no other step is possible, so a late worker makes no difference
  if not found or (v_step.late and p_order.deadline_at > now()) or (p_order.due_at <= now() and v_step.after is null)
  then
    perform private.raise_error('order_state');
  end if;
  p_order.state := v_step.next;
  update app.orders
  set state = p_order.state,
      delivery_note = p_order.delivery_note,
      asset_id = p_order.asset_id,
      dispute_reason = p_order.dispute_reason,
      refund_mana = p_order.refund_mana,
      deadline_at = case when p_order.state = 'accepted' then now() + delivery_days * interval '1 day'
                         else deadline_at end,
      due_at = (select now() + t.after from private.order_transitions t
                where t.state = p_order.state and t.after is not null)
  where id = p_order.id;
  if v_step.restocks and p_order.took_stock then
    -- stock remains null if the seller has removed the limit meanwhile
    update app.offerings set stock = stock + 1 where id = p_order.offering_id and stock < 1000000;
  end if;
  perform private.note_order(p_order, p_actor);
  if v_step.settles = 'buyer' then
    perform private.settle_hold(p_order.id);
  elsif v_step.settles is not null then
    perform private.settle_hold(p_order.id, array[p_order.seller_id],
                                array[p_order.price_mana - coalesce(p_order.refund_mana, 0)]);
  end if;
end $$;
comment on function private.step_order is
  'Takes a step of an order, and updates its history, the stock, the notifications and finally the hold. The '
  'calling function must have locked the order, and may set notes and the refund in p_order. Definer functions call '
  'it as their last step. Never: insufficient_mana (the hold has the mana).';

create function private.act_on_order(
  p_id uuid, p_action text, p_delivery_note text default null, p_asset uuid default null, p_reason text default null
) returns void
language plpgsql volatile security definer   -- callers may not write orders or the ledger
set search_path = ''
as $$
declare
  v_me    uuid := private.require_caller();
  v_order app.orders;
  v_actor text;
begin
  perform private.count_writes('orders');
  perform private.check_lock_order('order');
  select * into v_order from app.orders where id = p_id and v_me in (buyer_id, seller_id) for no key update;
  if not found then
    perform private.raise_error('order_unknown');
  end if;
  v_actor := case v_me when v_order.buyer_id then 'buyer' else 'seller' end;
  if not exists (select from private.order_transitions t where t.action = p_action and t.actor = v_actor) then
    perform private.raise_error('order_party');
  end if;
  v_order.delivery_note := coalesce(p_delivery_note, v_order.delivery_note);
  v_order.asset_id := coalesce(p_asset, v_order.asset_id);
  v_order.dispute_reason := coalesce(p_reason, v_order.dispute_reason);
  perform private.step_order(v_order, p_action, v_actor);
end $$;
comment on function private.act_on_order is 'Takes a step of an order for the caller, who is its buyer or its seller.';

create function private.lock_order_parties(p_seller uuid) returns void
language plpgsql volatile security definer   -- people may not read bans and erasures
set search_path = ''
as $$
begin
  -- a concurrent ban or erasure of one of the two waits for this lock, or this call fails; otherwise it would miss the
  -- new order
  perform private.check_lock_order('person', private.require_caller()::text, p_seller::text);
  perform from app.users u where u.id in (private.require_caller(), p_seller) order by u.id for share;
  if exists (select from app.users u where u.id in (app.uid(), p_seller)
             and (u.banned_at is not null or u.erased_at is not null)) then
    perform private.raise_error('offering_unknown');
  end if;
end $$;
comment on function private.lock_order_parties is
  'Share-locks the caller and a seller, so that neither is banned or erased until the transaction ends.';

create function private.place_order(p_offering app.contents, p_note text, p_expected integer) returns uuid
language plpgsql volatile security definer   -- callers may not write orders or the ledger
set search_path = ''
as $$
declare
  v_me       uuid := private.require_caller();
  v_order    app.orders;
  v_offering app.offerings;
begin
  select o.* into v_offering from app.offerings o where o.id = p_offering.id for no key update;
  if not found then
    perform private.raise_error('offering_unknown');   -- the offering was deleted while this call waited
  elsif v_offering.paused then
    perform private.raise_error('offering_paused');
  end if;
  perform private.require_price(v_offering.price_mana, p_expected);
  if v_offering.stock = 0 then
    perform private.raise_error('sold_out');
  end if;
  update app.offerings set stock = stock - 1 where id = v_offering.id;
  insert into app.orders (offering_id, buyer_id, seller_id, title, description, price_mana, delivery_days, took_stock,
                          note, due_at)
  values (v_offering.id, v_me, p_offering.author_id, p_offering.title, v_offering.description, v_offering.price_mana,
          v_offering.delivery_days, v_offering.stock is not null, p_note,
          (select now() + t.after from private.order_transitions t where t.state = 'held' and t.after is not null))
  returning * into v_order;
  perform private.note_order(v_order, 'buyer');
  perform private.open_hold(v_order.id, 'order', v_me, v_order.price_mana);
  return v_order.id;
end $$;
comment on function private.place_order is
  'Orders an offering for the caller: takes a unit from its stock and holds the price. The calling function must '
  'have taken the locks that api.place_order takes. Fails: order_note.';

create function private.job_end_orders() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_order app.orders;
begin
  -- one order per transaction, so that it locks no more than a step by a person
  select * into v_order from app.orders where due_at <= now() order by due_at limit 1 for no key update skip locked;
  if not found then
    return 0;
  end if;
  begin
    perform private.step_order(v_order, t.action, 'worker')
    from private.order_transitions t where t.state = v_order.state and t.after is not null;
  exception when others or query_canceled then   -- "others" does not include a timeout
    raise warning 'the order % did not end: % %', v_order.id, sqlstate, sqlerrm;
    update app.orders set due_at = clock_timestamp() + interval '5 seconds' where id = v_order.id;
    return -1;
  end;
  return 1;
end $$;
comment on function private.job_end_orders is
  'Job: takes the automatic step of the order that has been due the longest, because the seller or the buyer did not '
  'act in time, and returns 1. If the step fails, it returns -1, and tries the order again after the other due '
  'orders, in 5 seconds at the earliest. May run twice: it takes only due orders, each once, and skips locked ones. '
  'The worker repeats it until it returns 0.';
insert into private.jobs (name, cron, expires, repeats) values ('end-orders', '* * * * *', 60, true);

insert into private.links (type, path) values ('order', '/market/orders/{id}');
