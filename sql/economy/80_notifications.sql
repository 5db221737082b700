-- Notifications of received payments.

insert into private.notification_kinds (kind, outlives_actor) values ('payment.received', true);

create function private.notify_paid(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.notify(array(
    select (e.user_id, 'payment.received', p.sender_id, 'payment', p.id::text,
            jsonb_build_object('paymentId', p.id, 'emotion', p.emotion, 'tier', p.tier, 'amount', s.amount,
                               -- a co-author is paid even for a post that they can no longer see
                               'postId', case when private.post_visible_to(p.post_id, e.user_id) then p.post_id end,
                               'replyId', p.reply_id), null, null, e.caused_at)::private.notice
    from unnest(p_effects) e
    join app.payments p on p.id = (e.payload ->> 'paymentId')::uuid
    join app.payment_splits s on s.payment_id = p.id and s.receiver_id = e.user_id));
end $$;
comment on function private.notify_paid is 'Listener: notifies everybody who gets a split of a payment.';

insert into private.event_listeners (event, listener, position, timing) values
  ('economy.payment.sent', 'private.notify_paid', 600, 'soon');
