-- Who hears of an order.

insert into private.notification_kinds (kind, replaces_unread) values ('order.updated', true);

create function private.notify_order(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- it names nobody: who has muted or blocked the other still has mana in the order
  perform private.tell(array(
    select (e.user_id, 'order.updated', null, 'order', e.payload ->> 'orderId',
            jsonb_build_object('orderId', e.payload -> 'orderId', 'state', e.payload -> 'state'),
            -- before the seller takes an order on, its buyer places and cancels as many as they like: those of one
            -- offering are one subject, which is named by a hash, since a buyer's internal id goes out to nobody
            case when e.user_id = o.seller_id and (e.payload ->> 'state' = 'held' or o.deadline_at is null)
                 then concat_ws(':', 'order.updated', o.offering_id,
                                md5(concat_ws(':', o.offering_id, o.buyer_id))) end,
            null, e.caused_at)::private.notice
    from unnest(p_effects) e join app.orders o on o.id = (e.payload ->> 'orderId')::uuid
    order by e.id));
end $$;
comment on function private.notify_order is
  'Listener: tells those who did not cause it that an order was placed, or came into another state. A seller has one '
  'unread notice for each buyer of an offering until they take an order on.';
insert into private.event_listeners (event, listener, position, timing) values
  ('market.order.changed', 'private.notify_order', 600, 'soon');
