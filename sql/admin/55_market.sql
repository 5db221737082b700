-- Orders as staff sees them, and how an admin divides the mana of a disputed one.
-- docs/decisions.md, Staff; Market.

insert into private.errors (code, status, text) values
  ('order_refund', 422, 'refundMana must be a whole number from 0 to the price of the order.');

create function private.staff_orders(p_ids uuid[]) returns json
language plpgsql stable security definer   -- people see only their own orders
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', o.id,
             'offering', json_build_object(
               'id', (select c.id from app.contents c where c.id = o.offering_id),
               'title', o.title,
               'description', o.description,
               'priceMana', o.price_mana,
               'deliveryDays', o.delivery_days),
             'buyerId', o.buyer_id,
             'buyer', buyer.card,
             'sellerId', o.seller_id,
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
               from app.order_steps s where s.order_id = o.id)) order by p.place)
    from unnest(p_ids) with ordinality as p (id, place)
    join app.orders o on o.id = p.id
    join app.person_card buyer on buyer.id = o.buyer_id
    join app.person_card seller on seller.id = o.seller_id);
end $$;
comment on function private.staff_orders is
  'Orders as staff sees them, in order, like private.order_cards; ids of people are UUIDs.';

create function private.find_staff_orders(p_state text, p_from app.place) returns app.found
language plpgsql stable security definer   -- people see only their own orders
set search_path = ''
as $$
declare
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select o.created_at as at, o.id, o.state from app.orders o
    where (o.created_at, o.id) < (v_from, v_before)
    order by o.created_at desc, o.id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l where p_state is null or l.state = p_state
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('all orders', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_staff_orders is
  'The next orders among the next 400 rows, newest first, in one state or in any.';
call private.force_index_scans('private.find_staff_orders');

create function private.find_order_time(p_id uuid) returns timestamptz
language plpgsql stable security definer   -- people see only their own orders
set search_path = ''
as $$ begin return (select created_at from app.orders where id = p_id); end $$;
comment on function private.find_order_time is
  'Returns the time when an order was placed; null if there is no such order.';

create function api.list_all_orders(p_state text default null, p_limit integer default 20, p_cursor text default null)
returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_from   app.place := ('infinity', '00000000-0000-0000-0000-000000000000')::app.place;
  v_found  app.found;
begin
  perform private.require_role('moderator', 'admin');
  if p_cursor is not null then
    v_from := private.require_place('all orders', p_cursor);
    v_from.at := coalesce(v_from.at, private.find_order_time(v_from.id));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_staff_orders(p_state, v_from);
  return private.page(private.staff_orders(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_all_orders is 'Orders, newest first, in one state or in any.';

create function private.resolve_order(p_id uuid, p_refund integer) returns void
language plpgsql volatile security definer   -- callers may not write orders or the ledger, not even the service role
set search_path = ''
as $$
declare
  v_order app.orders;
begin
  perform private.check_lock_order('order');
  select * into v_order from app.orders where id = p_id for no key update;
  if not found then
    perform private.raise_error('order_unknown');
  elsif p_refund is null or p_refund not between 0 and v_order.price_mana then
    perform private.raise_error('order_refund');
  end if;
  v_order.refund_mana := p_refund;
  perform private.step_order(v_order, 'resolve', 'admin');
end $$;
comment on function private.resolve_order is
  'Divides the mana that a disputed order holds, once: p_refund goes back to the buyer, the rest goes to the seller.';

create function api.resolve_order(p_id uuid, p_refund_mana integer, p_note text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_note text;
  v_kept json;
begin
  perform private.require_role('admin');
  v_note := private.find_reason(p_note);
  if v_note is null then
    perform private.raise_error('reason_length');
  end if;
  v_kept := private.begin_idempotent('resolve_order', json_build_array(p_id, p_refund_mana, v_note));
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.resolve_order(p_id, p_refund_mana);
  perform private.audit('order.resolved', 'order', p_id::text,
                        json_build_object('reason', v_note, 'refundMana', p_refund_mana));
  return private.finish_idempotent('resolve_order', private.staff_orders(array[p_id]) -> 0);
end $$;
comment on function api.resolve_order is
  'Resolves a disputed order, once, and returns it. Takes an Idempotency-Key. Leaves an audit entry with the note.';
