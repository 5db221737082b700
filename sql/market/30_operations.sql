-- The operations of buyers and sellers on orders.
-- docs/decisions.md, Market.

create function private.order_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- checks whether the other party is visible
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning the query takes longer than running it
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', o.id,
             'offering', json_build_object(
               'id', (select c.id from private.visible_contents c where c.id = o.offering_id),
               'title', o.title,
               'description', o.description,
               'priceMana', o.price_mana,
               'deliveryDays', o.delivery_days),
             'buyerId', buyer.actor_id,
             'buyer', buyer.card,
             'sellerId', seller.actor_id,
             'seller', seller.card,
             'quantity', 1,
             'priceMana', o.price_mana,
             'state', o.state,
             'note', o.note,
             'deliveryNote', o.delivery_note,
             'attachment', (
               select private.attachment_card(a, a.alt)
               from app.media_assets a where a.id = o.asset_id),
             'disputeReason', o.dispute_reason,
             'refundMana', o.refund_mana,
             'deadlineAt', private.utc(o.deadline_at),
             'createdAt', private.utc(o.created_at),
             'history', (
               select json_agg(json_build_object('state', s.state, 'by', s.actor, 'at', private.utc(s.at))
                               order by s.position)
               from app.order_steps s where s.order_id = o.id)) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join app.orders o on o.id = i.id and app.uid() in (o.buyer_id, o.seller_id)
    left join lateral (select c.* from app.person_card c join private.visible_people v on v.id = c.id
                       where c.id = o.buyer_id) buyer on true
    left join lateral (select c.* from app.person_card c join private.visible_people v on v.id = c.id
                       where c.id = o.seller_id) seller on true);
end $$;
comment on function private.order_cards is
  'The cards of the caller''s orders among these, in order: {id, offering {id, title, description, priceMana, '
  'deliveryDays}, buyerId, buyer, sellerId, seller, quantity, priceMana, state, note, deliveryNote, attachment, '
  'disputeReason, refundMana, deadlineAt, createdAt, history [{state, by, at}]}. A hidden party is null, and so is '
  'the id of an offering that the caller can no longer see.';
call private.force_index_scans('private.order_cards');

create function private.require_order_card(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_card('order_unknown', private.order_cards(array[p_id]) -> 0); end $$;
comment on function private.require_order_card is 'Returns the card of an order of the caller.';

create function private.find_orders(p_role text, p_state text, p_from app.place) returns app.found
language plpgsql stable   -- runs as the invoker, because the policy returns exactly the caller's own orders
set search_path = ''
as $$
declare
  v_me     uuid := app.uid();
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select l.at, l.id, l.state
    from ((select created_at as at, id, state from app.orders
           where buyer_id = v_me and p_role is distinct from 'seller' and (created_at, id) < (v_from, v_before)
           order by created_at desc, id desc limit 400)
          union all
          (select created_at, id, state from app.orders
           where seller_id = v_me and p_role is distinct from 'buyer' and (created_at, id) < (v_from, v_before)
           order by created_at desc, id desc limit 400)) l
    order by l.at desc, l.id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l where p_state is null or l.state = p_state
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('orders', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_orders is
  'The next orders of the caller as buyer, as seller or both, among the next 400; if p_state is given, only those '
  'in this state.';
call private.force_index_scans('private.find_orders');

create function api.list_orders(
  p_role text default null, p_state text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_from  app.place := ('infinity', private.require_caller())::app.place;   -- no row has this time, so any id works
  v_found app.found;
begin
  if p_role not in ('buyer', 'seller') then
    perform private.raise_error('order_role');
  end if;
  if p_cursor is not null then
    v_from := private.require_place('orders', p_cursor);
    v_from.at := coalesce(v_from.at, (select o.created_at from app.orders o where o.id = v_from.id));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_orders(p_role, p_state, v_from);
  return private.page(private.order_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_orders is 'The orders that the caller placed or received, newest first.';

create function api.get_order(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_order_card(p_id); end $$;
comment on function api.get_order is 'An order, for its buyer or its seller.';

insert into private.operations_of_people (operation) values ('place_order');

create function api.place_order(p_id uuid, p_expected_price integer, p_note text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept     json := private.begin_idempotent('place_order', json_build_array(p_id, p_expected_price, p_note));
  v_offering app.contents;
  v_order    uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('orders');
  v_offering := private.require_content('offering', p_id);
  if v_offering.author_id = private.require_caller() then
    perform private.raise_error('order_oneself');
  end if;
  -- lock in this order: people, the space, the pair of people, the offering
  perform private.lock_order_parties(v_offering.author_id);
  perform private.write_in_space(v_offering.space_id);
  perform private.lock_pairs(array[private.require_caller()], array[v_offering.author_id]);
  v_offering := private.lock_open_content('offering', p_id);
  v_order := private.place_order(v_offering, nullif(private.require_text(p_note), ''), p_expected_price);
  return private.finish_idempotent('place_order', json_build_object(
    'order', private.order_cards(array[v_order]) -> 0,
    'senderBalance', (select balance from app.wallets where user_id = app.uid())));
end $$;
comment on function api.place_order is
  'Orders an offering of somebody else: {order, senderBalance}. Takes an Idempotency-Key.';

create function private.take_order_step(
  p_id uuid, p_action text, p_delivery_note text default null, p_asset uuid default null, p_reason text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent(p_action || '_order', json_build_array(
    p_id, p_delivery_note, p_asset, p_reason));
begin
  if v_kept is not null then
    return v_kept;
  end if;
  if p_asset is not null then   -- a repeated request does not check the asset again
    perform private.use_asset(p_asset, array['image', 'video', 'audio', 'attachment']);
  end if;
  perform private.act_on_order(p_id, p_action, p_delivery_note, p_asset, p_reason);
  return private.finish_idempotent(p_action || '_order', private.require_order_card(p_id));
end $$;
comment on function private.take_order_step is
  'Takes a step of an order of the caller, once per Idempotency-Key, and returns its card.';

create function api.accept_order(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.take_order_step(p_id, 'accept'); end $$;
comment on function api.accept_order is 'The seller accepts an order. The days until the delivery count from then on.';

create function api.decline_order(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.take_order_step(p_id, 'decline'); end $$;
comment on function api.decline_order is 'The seller declines an order. All of its mana goes back to the buyer.';

create function api.deliver_order(p_id uuid, p_delivery_note text, p_asset_id uuid default null) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.take_order_step(p_id, 'deliver', coalesce(private.require_text(p_delivery_note), ''), p_asset_id);
end $$;
comment on function api.deliver_order is
  'The seller delivers, with a text and optionally one of their assets. Fails: order_delivery_note.';

create function api.complete_order(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.take_order_step(p_id, 'complete'); end $$;
comment on function api.complete_order is 'The buyer confirms the delivery. The seller gets the held mana.';

create function api.cancel_order(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$ begin return private.take_order_step(p_id, 'cancel'); end $$;
comment on function api.cancel_order is
  'Cancels an order before it is delivered. All of its mana goes back to the buyer.';

create function api.dispute_order(p_id uuid, p_reason text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.take_order_step(p_id, 'dispute', p_reason => coalesce(private.require_text(p_reason), ''));
end $$;
comment on function api.dispute_order is 'The buyer disputes an order. An admin then decides. Fails: order_reason.';
