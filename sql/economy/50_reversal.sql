-- A reversal of a payment by staff adds new rows and never changes old ones. docs/decisions.md, Mana.

insert into private.ledger_kinds (ledger, kind) values ('mana', 'reversal'), ('mana', 'recredit');

insert into private.errors (code, status, text) values
  ('payment_unknown', 404, 'There is no such payment.'),
  ('payment_reversed', 409, 'This payment has already been reversed, or is itself a reversal.'),
  ('mana_gone', 409, 'The recipients of this payment no longer have the mana. With force, the missing mana is newly '
   'created.');

create function private.reverse_payment(p_id uuid, p_force boolean, out reversal uuid, out minted integer)
returns record
language plpgsql volatile security definer   -- callers may not write the ledger, not even the staff service
set search_path = ''
as $$
declare
  v_paid  app.payments;
  v_back  app.payments;
  v_users uuid[];
  v_taken integer[];
  v_sum   integer;
begin
  select * into v_paid from app.payments where id = p_id;
  if not found then
    perform private.raise_error('payment_unknown');
  end if;
  -- waits for a concurrent reversal of the same payment
  insert into app.payments (sender_id, receiver_id, emotion, tier, amount, post_id, reply_id, reversal_of)
  select v_paid.sender_id, v_paid.receiver_id, v_paid.emotion, v_paid.tier, v_paid.amount, v_paid.post_id,
         v_paid.reply_id, v_paid.id
  where not v_paid.reversed
  on conflict (reversal_of) do nothing
  returning * into v_back;
  if not found then
    perform private.raise_error('payment_reversed');
  end if;
  insert into app.payment_splits (payment_id, receiver_id, sender_id, amount, created_at)
  select v_back.id, s.receiver_id, s.sender_id, s.amount, v_back.created_at
  from app.payment_splits s where s.payment_id = p_id;

  select array_agg(s.receiver_id) into v_users from app.payment_splits s where s.payment_id = p_id;
  perform private.lock_wallets(v_users || v_paid.sender_id);
  select array_agg(t.user_id), array_agg(-t.taken), coalesce(sum(t.taken), 0)
  into v_users, v_taken, v_sum
  from (select w.user_id, least(s.amount, w.balance)::integer as taken
        from app.payment_splits s join app.wallets w on w.user_id = s.receiver_id
        where s.payment_id = p_id) t
  where t.taken > 0;
  minted := v_paid.amount - v_sum;
  if minted > 0 and not p_force then
    perform private.raise_error('mana_gone');
  end if;
  if v_sum > 0 then
    perform private.move('reversal', v_users || private.mint(), v_taken || v_sum, p_reversal_of => p_id);
  end if;
  perform private.move('recredit', array[private.mint(), v_paid.sender_id], array[-v_paid.amount, v_paid.amount],
                       v_back.id, p_id);
  reversal := v_back.id;
end $$;
comment on function private.reverse_payment is
  'Reverses a payment, once. The receivers give back to the mint what they still have of the mana, and the mint '
  'pays the full amount back to the sender. If receivers no longer have all of it, p_force is required, and the '
  'missing mana is newly minted. The calling operation checks whether the caller may do this. Never: '
  'insufficient_mana.';
