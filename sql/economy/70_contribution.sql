-- What an emoji payment adds to the contribution score of its sender. sql/reputation/70_contribution.sql adds the
-- other contributions. docs/decisions.md, Mana.

insert into private.ledger_kinds (ledger, kind, points) values ('contribution', 'emoji_pay_sent', 2);

create function private.settle_contribution_of_payments(p_effects private.effects[]) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_earned private.earning[];
  v_undone uuid[];
begin
  select array_agg((f.sender_id, null, 'emoji_pay_sent', f.id, null, f.caused_at)::private.earning)
           filter (where f.stands and f.entry_id is null),
         array_agg(f.entry_id) filter (where not f.stands and f.entry_id is not null)
  into v_earned, v_undone
  from (select p.id, p.sender_id, min(e.caused_at) as caused_at,
               not exists (select from app.payments r where r.reversal_of = p.id) as stands,
               private.find_active_contribution(p.sender_id, 'emoji_pay_sent', p.id) as entry_id
        from unnest(p_effects) e
        join app.payments p on p.id = coalesce(e.payload ->> 'reversalOf', e.payload ->> 'paymentId')::uuid
        where e.user_id = p.sender_id
        group by p.id) f;
  perform private.reverse_contribution(v_undone);
  perform private.earn_contribution(v_earned);
end $$;
comment on function private.settle_contribution_of_payments is
  'Listener: a payment is a contribution of its sender until it is reversed.';
insert into private.event_listeners (event, listener, position, timing) values
  ('economy.payment.sent', 'private.settle_contribution_of_payments', 400, 'soon'),
  ('economy.payment.reversed', 'private.settle_contribution_of_payments', 400, 'soon');
