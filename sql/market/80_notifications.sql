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
            jsonb_build_object('orderId', e.payload -> 'orderId', 'state', e.payload -> 'state'), null, null,
            e.caused_at)::private.notice
    from unnest(p_effects) e order by e.id));
end $$;
comment on function private.notify_order is
  'Listener: tells those who did not cause it that an order was placed, or came into another state.';
insert into private.event_listeners (event, listener, position, timing) values
  ('market.order.changed', 'private.notify_order', 600, 'soon');
