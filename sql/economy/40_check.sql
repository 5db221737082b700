-- The books, checked: every rule that the ledger of mana keeps by triggers, worked out anew.
-- docs/decisions.md, Mana.

create function private.check_ledger() returns table (rule text, subject uuid, expected bigint, found bigint)
language plpgsql stable security definer   -- the worker may touch no table of ours
set search_path = ''
as $$
begin
  return query
    select 'entries of a transaction add up to zero', e.transaction_id, 0::bigint, sum(e.amount)
    from app.mana_entries e group by e.transaction_id having sum(e.amount) <> 0
    union all
    select 'a transaction has entries', t.id, 2::bigint, 0::bigint
    from app.mana_transactions t where not exists (select from app.mana_entries e where e.transaction_id = t.id)
    union all
    select 'a wallet is the sum of its entries', w.user_id, coalesce(e.total, 0), w.balance
    from app.wallets w
    left join (select account_id, sum(amount) as total from app.mana_entries group by account_id) e
      on e.account_id = w.user_id
    where w.balance <> coalesce(e.total, 0)
    union all
    select 'the splits of a payment add up to it', p.id, p.amount::bigint, coalesce(s.total, 0)
    from app.payments p
    left join (select payment_id, sum(amount) as total from app.payment_splits group by payment_id) s
      on s.payment_id = p.id
    where p.amount <> coalesce(s.total, 0);
end $$;
comment on function private.check_ledger is
  'Every violation of the ledger''s rules, {rule, subject, expected, found}: none, unless somebody changed rows past '
  'the '
  'triggers.';

create function private.job_check_ledger() returns integer
language plpgsql stable security definer   -- the worker may touch no table of ours
set search_path = ''
as $$ begin return (select count(*) from private.check_ledger()); end $$;
comment on function private.job_check_ledger is
  'Job: counts what private.check_ledger finds. Any is a fault: select * from private.check_ledger(). May run twice: '
  'it '
  'only reads.';
insert into private.jobs (name, cron, expires, alarm) values
  ('check-ledger', '50 3 * * *', 300, 'the ledger of mana is not what its entries make of it');
