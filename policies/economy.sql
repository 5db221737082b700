-- Who may see and change wallets, the ledger and payments. This file belongs to sql/economy/. Only private.move may
-- move mana, so the service role loses its right to write to these tables.

-- mana_account_kinds: for definer functions and staff operations
alter table private.mana_account_kinds enable row level security;

-- ledger_findings: only for definer functions
alter table private.ledger_findings enable row level security;

-- mana_accounts: for definer functions and staff operations
alter table app.mana_accounts enable row level security;
revoke insert, update, delete on app.mana_accounts from service_role;

-- mana_transactions: for definer functions and staff operations
alter table app.mana_transactions enable row level security;
revoke insert, update, delete on app.mana_transactions from service_role;

-- mana_entries: for definer functions and staff operations
alter table app.mana_entries enable row level security;
revoke insert, update, delete on app.mana_entries from service_role;

-- mana_holds: for definer functions and staff operations
alter table app.mana_holds enable row level security;
revoke insert, update, delete on app.mana_holds from service_role;

-- wallets
alter table app.wallets enable row level security;
revoke insert, update, delete on app.wallets from service_role;
grant select on app.wallets to authenticated;
create policy select_own on app.wallets for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.wallets is 'People see their own wallet. A trigger on the ledger writes it.';

-- payments
alter table app.payments enable row level security;
revoke insert, update, delete on app.payments from service_role;
grant select on app.payments to authenticated;
grant select on app.payment_card to authenticated;
create policy select_concerned on app.payments for select to authenticated
  using (sender_id = (select app.uid())
      or coalesce((select true from app.payment_splits s
                   where s.payment_id = payments.id and s.receiver_id = (select app.uid())), false));
comment on policy select_concerned on app.payments is
  'The sender and everybody who got a share see a payment. Only private.pay and private.reverse_payment add rows, and '
  'rows are never changed.';

-- post_boosts: for definer functions and staff operations
alter table app.post_boosts enable row level security;
revoke insert, update, delete on app.post_boosts from service_role;

-- payment_splits
alter table app.payment_splits enable row level security;
revoke insert, update, delete on app.payment_splits from service_role;
grant select on app.payment_splits to authenticated;
create policy select_concerned on app.payment_splits for select to authenticated
  using (receiver_id = (select app.uid()) or sender_id = (select app.uid()));
comment on policy select_concerned on app.payment_splits is
  'The sender sees all shares, a receiver only their own. A block hides the person, but not the share.';

-- helpers
grant execute on function
  private.boost,
  private.boost_tier,
  private.pay,
  private.payment_cards,
  private.payment_tier,
  private.require_proof_of_payment,
  private.settle_own
  to authenticated;
grant execute on function
  private.find_payment_place,
  private.find_payments
  to authenticated, service_role;

-- operations
grant execute on function
  api.boost_post,
  api.get_breakdown,
  api.get_wallet,
  api.list_payments,
  api.pay
  to authenticated;

-- jobs
grant execute on function
  private.job_audit_mana,
  private.job_expire_boosts
  to worker;
