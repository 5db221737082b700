-- The audit checks again every rule of the mana ledger that triggers enforce. docs/decisions.md, Mana.

create function private.audit_mana() returns table (rule text, subject uuid, expected bigint, found bigint)
language plpgsql stable security definer   -- the worker has no access to Kith's tables
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
    select c.rule, s.account_id, c.expected, c.found
    from (select e.account_id, sum(e.amount) as total,
                 sum(e.amount) filter (where (e.amount > 0) <> (t.reversal_of is not null)) as came,
                 -sum(e.amount) filter (where (e.amount > 0) = (t.reversal_of is not null)) as went
          from app.mana_entries e join app.mana_transactions t on t.id = e.transaction_id
          group by e.account_id) s
    join app.mana_accounts a on a.id = s.account_id
    left join app.wallets w on w.user_id = a.id
    cross join lateral (values
      ('a wallet is the sum of its entries', s.total, w.balance),
      ('lifetime_earned is the mana that was received', coalesce(s.came, 0), w.lifetime_earned),
      ('lifetime_spent is the mana that was paid', coalesce(s.went, 0), w.lifetime_spent),
      ('a balance is the sum of its entries', s.total, a.balance),
      ('the mint is at zero or less', least(s.total, 0), case when a.kind = 'mint' then s.total end)
    ) c (rule, expected, found)
    where c.expected <> c.found
    union all
    select 'an account without entries has no mana', a.id, 0::bigint, b.balance
    from app.mana_accounts a left join app.wallets w on w.user_id = a.id
    cross join lateral (select coalesce(w.balance, a.balance) as balance) b
    where b.balance <> 0 and not exists (select from app.mana_entries e where e.account_id = a.id)
    union all
    select 'an entry has the balance after it', r.transaction_id, r.total, r.balance_after
    from (select e.transaction_id, e.balance_after,
                 sum(e.amount) over (partition by e.account_id order by e.seq) as total
          from app.mana_entries e where e.balance_after is not null) r
    where r.balance_after <> r.total
    union all
    select 'the splits of a payment add up to it', p.id, p.amount::bigint, coalesce(s.total, 0)
    from app.payments p
    left join (select payment_id, sum(amount) as total from app.payment_splits group by payment_id) s
      on s.payment_id = p.id
    where p.amount <> coalesce(s.total, 0)
    union all
    select 'a payment moves its amount', p.id, p.amount::bigint, coalesce(m.amount, 0)::bigint
    from app.payments p
    left join app.mana_entries e on e.transaction_id = p.id and e.account_id = p.sender_id
    cross join lateral (select case when p.reversed then e.amount else -e.amount end as amount) m
    where p.amount <> coalesce(m.amount, 0)
    union all
    select 'a boost burns its cost', b.id, b.cost::bigint, coalesce(e.amount, 0)::bigint
    from app.post_boosts b
    left join app.mana_entries e on e.transaction_id = b.id and e.account_id = private.burn()
    where b.cost <> coalesce(e.amount, 0)
    union all
    select 'a reversal equals its payment', r.id, p.amount::bigint, r.amount::bigint
    from app.payments r join app.payments p on p.id = r.reversal_of
    where (r.sender_id, r.receiver_id, r.amount) <> (p.sender_id, p.receiver_id, p.amount)
    union all
    select 'a hold has mana until it is settled', a.id, (h.settled_at is null)::integer::bigint, a.balance
    from app.mana_accounts a left join app.mana_holds h on h.id = a.id
    where a.kind = 'hold' and (h.id is null or (h.settled_at is null) <> (a.balance > 0));
end $$;
comment on function private.audit_mana is
  'Every violation of the ledger''s rules, {rule, subject, expected, found}. There are none unless somebody changed '
  'rows and bypassed the triggers.';

create table private.ledger_findings (
  ledger   text not null,
  place    integer not null check (place between 1 and 100),
  rule     text not null,
  subject  uuid,
  expected bigint,
  found    bigint,
  primary key (ledger, place)
);
comment on table private.ledger_findings is
  'The violations that the latest nightly audit of each ledger found, up to 100, so that staff sees more than a '
  'number.';
comment on column private.ledger_findings.ledger is 'The ledger: mana or treasuries.';
comment on column private.ledger_findings.subject is 'The transaction, account, payment or row that breaks the rule.';

create function private.job_audit_mana() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_found integer;
begin
  delete from private.ledger_findings where ledger = 'mana';
  with found as materialized (
    select row_number() over () as place, f.* from private.audit_mana() f
  ), kept as (
    insert into private.ledger_findings (ledger, place, rule, subject, expected, found)
    select 'mana', f.place, f.rule, f.subject, f.expected, f.found from found f where f.place <= 100
    on conflict do nothing   -- another worker stores the same findings
  )
  select count(*) into v_found from found;
  return v_found;
end $$;
comment on function private.job_audit_mana is
  'Job: counts the violations that private.audit_mana finds, and keeps the first 100 for staff. If the count is not '
  '0, look at them: select * from private.audit_mana(). May run twice: it replaces what it kept.';
insert into private.jobs (name, cron, expires, alarm) values
  ('audit-mana', '50 3 * * *', 300, 'the mana ledger breaks its rules: see private.audit_mana');
