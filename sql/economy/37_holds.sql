-- A hold is mana that has left a wallet for a purpose, such as an order, and has no owner until the purpose ends. A
-- hold is an account of the ledger. A hold is opened once, may get more mana, and is settled exactly once.
--
-- A definer function of a feature opens a hold as its last step. The row that the mana is for, such as the order,
-- stores the hold's id or has the same id. When the purpose ends, the feature settles the hold in the same
-- transaction:
--
--   perform private.open_hold(v_order.id, 'order', v_buyer, 20);
--   perform private.settle_hold(v_order.id, array[v_seller], array[15]);   -- 5 go back to the buyer
--
-- docs/decisions.md, Mana.

insert into private.mana_account_kinds (kind, balance_in) values ('hold', 'account');
insert into private.ledger_kinds (ledger, kind) values ('mana', 'hold'), ('mana', 'settlement'), ('mana', 'refund');

create table app.mana_holds (
  id         uuid primary key references app.mana_accounts on delete restrict,
  holder_id  uuid not null references app.users on delete restrict,
  purpose    text not null check (purpose ~ '^[a-z]{1,20}$'),
  created_at timestamptz not null default now(),
  settled_at timestamptz
);
create index mana_holds_holder_id_idx on app.mana_holds (holder_id, id);
create index mana_holds_open_idx on app.mana_holds (holder_id) where settled_at is null;
comment on table app.mana_holds is
  'A person''s held mana, and its purpose. A hold, its account, which has the mana, and the movement that opened it '
  'have the same id.';
comment on column app.mana_holds.settled_at is
  'When all mana of the hold was paid out or refunded; null while it is held.';

create function private.held_of(p_user uuid) returns bigint
language plpgsql stable
set search_path = ''
as $$
begin
  return (select coalesce(sum(h.balance), 0)
          from (select a.balance
                from app.mana_holds m join app.mana_accounts a on a.id = m.id
                where m.holder_id = p_user and m.settled_at is null and a.balance > 0
                limit 50) h);
end $$;
comment on function private.held_of is
  'The mana of a person in open holds, which may come back to them: the exact sum if it is below 50, otherwise some '
  'number from 50 up. Callers need to know only whether the sum reaches 50. The function reads at most 50 holds, '
  'because each open hold has at least 1 mana. The caller must lock the holder''s wallet first, as every function '
  'does that opens, raises or settles a hold.';
call private.force_index_scans('private.held_of');

create function private.open_hold(p_id uuid, p_purpose text, p_holder uuid, p_amount integer) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  insert into app.mana_accounts (id, kind) values (p_id, 'hold');
  insert into app.mana_holds (id, holder_id, purpose) values (p_id, p_holder, p_purpose);
  perform private.lock_wallets(array[p_holder]);   -- regenerate the wallet before the hold has a balance
  perform private.move('hold', array[p_holder, p_id], array[-p_amount, p_amount], p_id);
end $$;
comment on function private.open_hold is
  'Takes mana from a person''s wallet into a new hold with the id p_id. Definer functions call it as their last '
  'step, like private.move.';

create function private.add_to_hold(p_id uuid, p_amount integer) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_holder uuid := (select h.holder_id from app.mana_holds h where h.id = p_id);
begin
  perform private.lock_wallets(array[p_id, v_holder]);
  if not exists (select from app.mana_holds h where h.id = p_id and h.settled_at is null) then
    raise exception using
      errcode = 'object_not_in_prerequisite_state', message = 'there is no open hold', detail = 'hold ' || p_id;
  end if;
  perform private.move('hold', array[v_holder, p_id], array[-p_amount, p_amount]);
end $$;
comment on function private.add_to_hold is
  'Takes more mana from the same wallet into an open hold. The feature must check under its own lock that the hold '
  'is open. A settled hold raises object_not_in_prerequisite_state, which only a bug in SQL can cause.';

create function private.settle_hold(p_id uuid, p_receivers uuid[] default '{}', p_amounts integer[] default '{}')
returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_holder  uuid := (select h.holder_id from app.mana_holds h where h.id = p_id);
  v_paid    uuid[];
  v_amounts integer[];
  v_refund  integer;
begin
  select coalesce(array_agg(r.id), '{}'), coalesce(array_agg(r.amount), '{}')
  into v_paid, v_amounts
  from (select t.id, sum(t.amount)::integer as amount
        from unnest(p_receivers, p_amounts) as t (id, amount)
        where t.id <> v_holder and t.amount <> 0
        group by t.id) r;
  -- lock before reading, so that the second of two concurrent calls finds the hold settled
  perform private.lock_wallets(v_paid || p_id || v_holder);
  update app.mana_holds set settled_at = now() where id = p_id and settled_at is null;
  if not found then
    raise exception using
      errcode = 'object_not_in_prerequisite_state', message = 'there is no open hold', detail = 'hold ' || p_id;
  end if;
  select a.balance - coalesce((select sum(m.amount) from unnest(v_amounts) as m (amount)), 0)
  into v_refund
  from app.mana_accounts a where a.id = p_id;
  if v_paid <> '{}' then
    perform private.move('settlement', v_paid || p_id,
                         v_amounts || (select -sum(m.amount)::integer from unnest(v_amounts) as m (amount)));
  end if;
  if v_refund <> 0 then
    perform private.move('refund', array[p_id, v_holder], array[-v_refund, v_refund], p_reversal_of => p_id);
  end if;
end $$;
comment on function private.settle_hold is
  'Pays the held mana to these receivers and refunds the remaining mana to the holder, even if one of these people '
  'is erased or banned. Without receivers it refunds everything. A refund counts as never spent. Definer functions '
  'call it as their last step. To settle several holds in one transaction, first lock all their accounts with '
  'private.lock_wallets. The feature must check under its own lock that the hold is open. The function raises '
  'object_not_in_prerequisite_state if the hold is settled already, and fails with insufficient_mana if the hold '
  'has too little mana.';
