-- In the ledger, every movement of mana is a balanced double entry, and a wallet is the running sum of its entries.
-- docs/decisions.md, Mana.

create table private.mana_account_kinds (
  kind       text primary key,
  balance_in text not null check (balance_in in ('wallet', 'account', 'nowhere'))
);
comment on table private.mana_account_kinds is
  'Registry: the kinds of mana accounts.';
comment on column private.mana_account_kinds.balance_in is
  'Where the running balance is stored: in app.wallets, in the account itself, or nowhere. The system''s accounts '
  'store no balance, because otherwise every transaction would wait for the row of the mint. Their balance is the '
  'sum of their entries.';
insert into private.mana_account_kinds (kind, balance_in) values
  ('wallet', 'wallet'),
  ('mint', 'nowhere'),
  ('burn', 'nowhere');

create table app.mana_accounts (
  id         uuid primary key default gen_random_uuid(),
  kind       text not null references private.mana_account_kinds on delete restrict,
  balance    bigint check (balance >= 0),
  created_at timestamptz not null default now()
);
create index mana_accounts_kind_idx on app.mana_accounts (kind);
create unique index mana_accounts_system_key on app.mana_accounts (kind) where kind in ('mint', 'burn');
comment on table app.mana_accounts is
  'The accounts that hold mana, of the kinds in private.mana_account_kinds. Two accounts are the system''s. The '
  'mint is the source of all mana, so its balance is zero or less. The account burn receives the mana that nobody '
  'gets. A wallet''s account has the id of its person.';
comment on column app.mana_accounts.balance is
  'The balance in whole mana, never below 0, for the kinds that store it here; a trigger on the entries writes it. '
  'Null for all other kinds.';

insert into private.lock_kinds (kind, position) values ('mana account', 700);

create function private.open_account() returns trigger
language plpgsql security definer   -- callers may not read the registry
set search_path = ''
as $$
begin
  new.balance := (select 0 from private.mana_account_kinds k where k.kind = new.kind and k.balance_in = 'account');
  return new;
end $$;
comment on function private.open_account is 'Trigger: an account that stores its balance starts at 0.';
create trigger open_account before insert on app.mana_accounts
  for each row execute function private.open_account();

create table app.mana_transactions (
  id          uuid primary key default gen_random_uuid(),
  kind        text not null,
  reversal_of uuid references app.mana_transactions on delete restrict,
  created_at  timestamptz not null default now()
);
create index mana_transactions_reversal_of_idx on app.mana_transactions (reversal_of) where reversal_of is not null;
insert into private.ledger_kinds (ledger, kind) values ('mana', 'starter'), ('mana', 'regeneration');
comment on column app.mana_transactions.kind is 'One of private.ledger_kinds.';
comment on column app.mana_transactions.reversal_of is
  'The movement that this movement undoes. The mana that this movement takes counts as never earned, and the mana '
  'that it gives as never spent.';
comment on table app.mana_transactions is
  'The movements of mana. The entries of a movement say from which accounts the mana goes, and to which.';

create sequence app.mana_entries_seq;

create table app.mana_entries (
  transaction_id uuid not null references app.mana_transactions on delete restrict,
  account_id     uuid not null references app.mana_accounts on delete restrict,
  seq            bigint not null,
  amount         integer not null check (amount <> 0),
  balance_after  bigint,
  primary key (transaction_id, account_id)
);
create unique index mana_entries_account_key on app.mana_entries (account_id, seq);
comment on table app.mana_entries is
  'The mana that a movement adds to an account or takes from it. The entries of a movement add up to zero.';
comment on column app.mana_entries.seq is
  'The order of an account''s entries. A trigger assigns it while the account is locked, so later entries have '
  'higher numbers.';
comment on column app.mana_entries.amount is
  'Whole mana: positive is added to the account, negative is taken from it.';
comment on column app.mana_entries.balance_after is
  'The balance of the account after this entry; null for the system''s accounts, which have no running balance.';

create table app.wallets (
  user_id         uuid primary key references app.users on delete restrict,
  balance         bigint not null default 0,
  lifetime_earned bigint not null default 0 check (lifetime_earned >= 0),
  lifetime_spent  bigint not null default 0 check (lifetime_spent >= 0),
  last_regen_at   timestamptz not null default now(),
  constraint insufficient_mana check (balance >= 0),
  check (balance = lifetime_earned - lifetime_spent),
  foreign key (user_id) references app.mana_accounts on delete restrict
) with (fillfactor = 80);   -- free space on each page, so that a new balance changes no index
comment on table app.wallets is
  'A person''s balance in whole mana: the sum of their account''s entries. A trigger on the entries keeps it up to '
  'date. System accounts have no such row, because every transaction would then wait for the row of the mint.';
comment on column app.wallets.lifetime_spent is 'Whole mana ever spent and not refunded.';
comment on column app.wallets.lifetime_earned is
  'Whole mana ever received and not taken back, starter and regeneration included.';
comment on column app.wallets.last_regen_at is
  'The time up to which regeneration is settled, in whole periods of 24 hours.';
comment on column app.wallets.balance is 'Whole mana, never below 0: earned less spent.';

insert into private.errors (code, status, text) values
  ('insufficient_mana', 409, 'You do not have enough mana for this.'),
  ('price_changed', 409, 'The price has changed. Check the new price before you pay.');

call private.make_append_only('app.mana_transactions');
call private.make_append_only('app.mana_entries');

create function private.mint() returns uuid
language plpgsql immutable
set search_path = ''
as $$
begin
  return '00000000-0000-0000-0000-00000000000a'::uuid;
end $$;
comment on function private.mint is 'The account that new mana comes from: starters and regeneration.';
create function private.burn() returns uuid
language plpgsql immutable
set search_path = ''
as $$
begin
  return '00000000-0000-0000-0000-00000000000b'::uuid;
end $$;
comment on function private.burn is 'The account that receives burnt mana, which nobody gets.';
insert into app.mana_accounts (id, kind) values (private.mint(), 'mint'), (private.burn(), 'burn');

create function private.check_balanced() returns trigger
language plpgsql security definer   -- sees all entries of the movement
set search_path = ''
as $$
declare
  v_id uuid := (select transaction_id from added group by transaction_id having sum(amount) <> 0 limit 1);
begin
  if v_id is not null then
    raise exception using
      errcode = 'integrity_constraint_violation',
      message = 'the entries of a movement do not add up to zero',
      detail = 'transaction ' || v_id;
  end if;
  return null;
end $$;
comment on function private.check_balanced is
  'Trigger: the entries that a statement adds to a movement must add up to zero, so one statement must insert all '
  'entries of a movement. It runs once per statement; a check per entry would sum a movement with 5000 entries 5000 '
  'times. It raises no error code because only a bug in SQL can cause this.';
create trigger check_balanced after insert on app.mana_entries
  referencing new table as added for each statement execute function private.check_balanced();

create function private.move(
  p_kind text, p_accounts uuid[], p_amounts integer[], p_id uuid default gen_random_uuid(),
  p_reversal_of uuid default null
) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.check_lock_order('mana account');
  perform private.ledger_points('mana', p_kind);
  insert into app.mana_transactions (id, kind, reversal_of) values (p_id, p_kind, p_reversal_of);
  -- sort the entries, because the trigger locks the wallets in this order: ARCHITECTURE.md, Locks
  insert into app.mana_entries (transaction_id, account_id, amount)
  select p_id, m.account, m.amount
  from unnest(p_accounts, p_amounts) as m (account, amount)
  order by m.account;
end $$;
comment on function private.move is
  'Moves mana between accounts. p_amounts are as in app.mana_entries; p_reversal_of is the movement that the new '
  'movement undoes, if any. An operation calls this function last, because it locks wallets (ARCHITECTURE.md, '
  'Locks). Raises no_data_found for a kind that is not registered. Fails: insufficient_mana.';

create function private.require_price(p_price integer, p_expected integer) returns void
language plpgsql immutable
set search_path = ''
as $$
begin
  if p_price is distinct from p_expected then
    perform private.raise_error('price_changed');
  end if;
end $$;
comment on function private.require_price is
  'Passes if a price that somebody else sets is the one that the payer expects. A function that takes mana for such '
  'a price first locks the row with the price, and then calls this function.';

create function private.settle(p_user uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_wallet  app.wallets;
  v_periods integer;
  v_mana    integer;
begin
  -- don't lock a wallet that has no whole period to settle
  select * into v_wallet from app.wallets
  where user_id = p_user and last_regen_at <= now() - interval '24 hours'
  for no key update;
  if not found or exists (select from app.users u where u.id = p_user
                               and (u.erased_at is not null or u.bot_owner_id is not null)) then
    return;
  end if;
  v_periods := floor(extract(epoch from now() - v_wallet.last_regen_at) / 86400);
  -- update before private.move, because its trigger calls this function again, which must then find nothing to settle
  update app.wallets set last_regen_at = last_regen_at + v_periods * interval '24 hours' where user_id = p_user;

  v_mana := least(5 * v_periods, 50 - v_wallet.balance - private.held_of(p_user));
  if v_mana > 0 then
    perform private.move('regeneration', array[private.mint(), p_user], array[-v_mana, v_mana]);
  end if;
end $$;
comment on function private.settle is
  'Regenerates a wallet: 5 mana for every whole 24 hours since last_regen_at, until the wallet and the person''s '
  'holds together have 50. At 50 or more, a period adds nothing. Holds count, because a person could otherwise put '
  '50 mana into a bounty, regenerate 50 mana, and then get the refund, too. The function runs before any change of '
  'a balance or a hold, so that periods that added nothing stay lost when the person spends mana later. The wallets '
  'of erased people and of bots don''t regenerate. Never: insufficient_mana.';

create function private.book_entry() returns trigger
language plpgsql security definer   -- only this trigger may write wallets and balances
set search_path = ''
as $$
declare
  v_back boolean := exists (select from app.mana_transactions t
                            where t.id = new.transaction_id and t.reversal_of is not null);
begin
  perform private.settle(new.account_id);
  update app.wallets
  set balance = balance + new.amount,
      lifetime_earned = lifetime_earned + case when (new.amount > 0) <> v_back then new.amount else 0 end,
      lifetime_spent = lifetime_spent - case when (new.amount > 0) = v_back then new.amount else 0 end
  where user_id = new.account_id and balance + new.amount >= 0
  returning balance into new.balance_after;
  if not found then
    update app.mana_accounts set balance = balance + new.amount
    where id = new.account_id and balance + new.amount >= 0
    returning balance into new.balance_after;
  end if;
  if not found and exists (select from app.mana_accounts a join private.mana_account_kinds k using (kind)
                           where a.id = new.account_id and k.balance_in <> 'nowhere') then
    perform private.raise_error('insufficient_mana');   -- the constraint's message would quote the row
  end if;
  new.seq := nextval('app.mana_entries_seq');
  return new;
end $$;
comment on function private.book_entry is
  'Trigger: updates wallets and balances for each new entry, and writes the new balance into the entry.';
create trigger book_entry before insert on app.mana_entries
  for each row execute function private.book_entry();

create function private.lock_wallets(p_accounts uuid[]) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_account uuid;
begin
  perform private.check_lock_order('mana account');
  for v_account in select distinct a.id from unnest(p_accounts) as a (id) order by a.id loop
    perform from app.wallets where user_id = v_account for no key update;
    if found then
      perform private.settle(v_account);
    else
      perform from app.mana_accounts where id = v_account and balance is not null for no key update;
    end if;
  end loop;
end $$;
comment on function private.lock_wallets is
  'Locks these wallets and other accounts with a balance, in order, and regenerates the wallets. The function is '
  'for callers that must know the balances before they call private.move: ARCHITECTURE.md, Locks.';

create function private.create_wallet() returns trigger
language plpgsql security definer   -- new people may not write the ledger
set search_path = ''
as $$
begin
  insert into app.mana_accounts (id, kind) values (new.id, 'wallet');
  insert into app.wallets (user_id) values (new.id);
  if new.bot_owner_id is null then
    perform private.move('starter', array[private.mint(), new.id], array[-50, 50]);
  end if;
  return null;
end $$;
comment on function private.create_wallet is
  'Trigger: gives every new person a wallet with 50 mana, and every new bot an empty one.';
create trigger _175_create_wallet after insert on app.users
  for each row execute function private.create_wallet();

create function private.settle_own() returns void
language plpgsql volatile security definer   -- regeneration writes the ledger
set search_path = ''
as $$
begin
  perform private.settle(private.require_caller());
end $$;
comment on function private.settle_own is 'Regenerates the caller''s wallet.';

create function api.get_wallet() returns json
language plpgsql volatile   -- regenerates the wallet first
set search_path = ''
as $$
begin
  perform private.settle_own();
  return (select json_build_object(
            'balance', balance,
            'lifetimeEarned', lifetime_earned,
            'lifetimeSpent', lifetime_spent,
            'lastRegenAt', private.utc(last_regen_at))
          from app.wallets where user_id = app.uid());
end $$;
comment on function api.get_wallet is
  'The caller''s wallet, regenerated up to now: {balance, lifetimeEarned, lifetimeSpent, lastRegenAt}.';
