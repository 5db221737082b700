-- Who may see and touch wallets, the ledger and payments. Twin of sql/economy/.

-- the staff's service neither: mana moves by private.move alone
revoke insert, update, delete
  on app.mana_accounts, app.mana_transactions, app.mana_entries, app.wallets, app.payments, app.payment_splits
  from service_role;

-- mana_accounts, mana_transactions, mana_entries: for definer functions and staff operations
alter table app.mana_accounts enable row level security;
alter table app.mana_transactions enable row level security;
alter table app.mana_entries enable row level security;

-- wallets
alter table app.wallets enable row level security;
grant select on app.wallets to authenticated;
create policy select_own on app.wallets for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.wallets is 'One''s own wallet. A trigger on the ledger writes it.';

-- payment_splits
alter table app.payment_splits enable row level security;
grant select on app.payment_splits to authenticated;
create policy select_concerned on app.payment_splits for select to authenticated
  using (receiver_id = (select app.uid()) or sender_id = (select app.uid()));
comment on policy select_concerned on app.payment_splits is
  'Who paid sees all shares, who was paid their own. A block hides the person and not the money.';

-- payments
alter table app.payments enable row level security;
grant select on app.payments to authenticated;
grant select on app.payment_card to authenticated;
create policy select_concerned on app.payments for select to authenticated
  using (sender_id = (select app.uid())
      or coalesce((select true from app.payment_splits s
                   where s.payment_id = payments.id and s.receiver_id = (select app.uid())), false));
comment on policy select_concerned on app.payments is
  'Who paid, and everybody who got a share. Nobody writes here: private.pay does, and nothing is ever changed.';

grant execute on function private.payment_tier, private.payment_cards, private.settle_own, private.pay to authenticated;
grant execute on function api.get_wallet, api.pay, api.list_payments, api.get_breakdown to authenticated;
