-- Notifications of orders.

insert into private.notification_kinds (kind, replaces_unread) values ('order.updated', true);
insert into private.notification_targets (type, words) values
  ('order', 'select id, title, description from app.orders where id = any ($1)');

create function private.find_waiting_order(p_order app.orders) returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
  return (select w.id from app.orders w
          where w.offering_id = p_order.offering_id and w.buyer_id = p_order.buyer_id and w.state = 'held'
          order by w.created_at desc, w.id desc limit 1);
end $$;
comment on function private.find_waiting_order is
  'Returns the latest order for the same offering by the same buyer that the seller has neither accepted nor '
  'declined, or null.';
call private.force_index_scans('private.find_waiting_order');

create function private.notify_order(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- the notification has no actor, because it is about the mana of both parties, and a mute or a block must not drop
  -- it
  perform private.notify(array(
    select (e.user_id, 'order.updated', null, 'order', n.id::text,
            jsonb_build_object('orderId', n.id, 'state', n.state),
            -- a buyer can place and cancel any number of orders before the seller accepts one, so all orders for one
            -- offering share a group key. The key has a hash, because nobody may see the internal id of the buyer
            case when u.untaken then concat_ws(':', 'order.updated', o.offering_id,
                                               md5(concat_ws(':', o.offering_id, o.buyer_id))) end,
            null, e.caused_at)::private.notice
    from unnest(p_effects) e
    join app.orders o on o.id = (e.payload ->> 'orderId')::uuid
    cross join lateral (
      select e.user_id = o.seller_id and (e.payload ->> 'state' = 'held' or o.deadline_at is null) as untaken) u
    -- the shared notification must not be about an ended order while another order waits for the seller
    cross join lateral (
      select case when u.untaken and e.payload ->> 'state' <> 'held' then private.find_waiting_order(o) end as id) w
    cross join lateral (
      select coalesce(w.id, o.id) as id, case when w.id is null then e.payload ->> 'state' else 'held' end as state) n
    order by e.id));
end $$;
comment on function private.notify_order is
  'Listener: notifies the parties of an order that another party placed it or changed its state. For orders that '
  'the seller has not accepted, the seller has one unread notification for each offering and buyer. When one of '
  'these orders ends, the notification is about the latest order that still waits, if there is one.';
insert into private.event_listeners (event, listener, position, timing) values
  ('market.order.changed', 'private.notify_order', 600, 'soon');
