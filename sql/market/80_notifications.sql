-- Who hears of an order.

insert into private.notification_kinds (kind, replaces_unread) values ('order.updated', true);

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
  'The latest order of the same offering by the same buyer that its seller has not answered yet, or null.';
call private.force_index_scans('private.find_waiting_order');

create function private.notify_order(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- it names nobody: who has muted or blocked the other still has mana in the order
  perform private.notify(array(
    select (e.user_id, 'order.updated', null, 'order', n.id::text,
            jsonb_build_object('orderId', n.id, 'state', n.state),
            -- before the seller takes an order on, its buyer places and cancels as many as they like: those of one
            -- offering are one subject, which is named by a hash, since a buyer's internal id goes out to nobody
            case when u.untaken then concat_ws(':', 'order.updated', o.offering_id,
                                               md5(concat_ws(':', o.offering_id, o.buyer_id))) end,
            null, e.caused_at)::private.notice
    from unnest(p_effects) e
    join app.orders o on o.id = (e.payload ->> 'orderId')::uuid
    cross join lateral (
      select e.user_id = o.seller_id and (e.payload ->> 'state' = 'held' or o.deadline_at is null) as untaken) u
    -- the one notice of the subject must not tell of an order that ended while another waits for the seller
    cross join lateral (
      select case when u.untaken and e.payload ->> 'state' <> 'held' then private.find_waiting_order(o) end as id) w
    cross join lateral (
      select coalesce(w.id, o.id) as id, case when w.id is null then e.payload ->> 'state' else 'held' end as state) n
    order by e.id));
end $$;
comment on function private.notify_order is
  'Listener: tells those who did not cause it that an order was placed, or came into another state. A seller has one '
  'unread notice for each buyer of an offering until they take an order on; where one of these ends, it tells of the '
  'latest that still waits, if there is one.';
insert into private.event_listeners (event, listener, position, timing) values
  ('market.order.changed', 'private.notify_order', 600, 'soon');
