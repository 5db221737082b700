-- All ledgers are append-only, and every kind of entry is registered. The functions of a ledger are named earn_… (adds
-- an entry once per cause), reverse_… (adds opposite entries) and, for mana, move. A transaction that writes
-- reputation or contribution must hold the locks of the people who get it (private.lock_effects).

create table private.ledger_kinds (
  ledger text not null check (ledger in ('reputation', 'contribution', 'mana')),
  kind   text not null,
  points numeric(12, 2),
  primary key (ledger, kind)
);
comment on table private.ledger_kinds is
  'Registry: the kinds of ledger entries.';
comment on column private.ledger_kinds.points is
  'How many points an entry of this kind gives; null if the number depends on its cause. For mana it is always null.';

create function private.ledger_points(p_ledger text, p_kind text) returns numeric
language plpgsql stable security definer   -- callers may not read the registry
set search_path = ''
as $$
declare
  v_points numeric;
begin
  select k.points into strict v_points from private.ledger_kinds k where k.ledger = p_ledger and k.kind = p_kind;
  return v_points;
end $$;
comment on function private.ledger_points is
  'The points of a kind of entry, or null. Raises no_data_found for a kind that is not registered, which can only be '
  'a mistake in SQL.';

create type private.earning as (
  user_id uuid, interest_id uuid, kind text, source_id uuid, earned_from uuid, caused_at timestamptz
);
comment on type private.earning is
  'What a person earns from a cause: a kind of private.ledger_kinds, the cause, the person from whom it is earned '
  '(null if nobody else is involved), and the time. Only reputation has an interest.';
