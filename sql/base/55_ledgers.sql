-- What ledgers have in common: they are appended only, and each kind of entry is registered. A ledger has the verbs
-- earn_… (once for a cause), reverse_… (by opposite entries) and, for mana, move. Whoever writes reputation or
-- contribution holds the lock of the people whose it is (private.lock_effects).

create table private.ledger_kinds (
  ledger text not null check (ledger in ('reputation', 'contribution', 'mana')),
  kind   text not null,
  points numeric(12, 2),
  primary key (ledger, kind)
);
comment on table private.ledger_kinds is
  'Registry: the kinds of ledger entries.';
comment on column private.ledger_kinds.points is
  'What an entry of this kind is worth; null where its cause brings its own number. For mana it is always null.';

create function private.ledger_points(p_ledger text, p_kind text) returns numeric
language plpgsql stable security definer   -- reads the registry for callers who may not
set search_path = ''
as $$
declare
  v_points numeric;
begin
  select k.points into strict v_points from private.ledger_kinds k where k.ledger = p_ledger and k.kind = p_kind;
  return v_points;
end $$;
comment on function private.ledger_points is
  'The points of a kind of entry, or null. Raises no_data_found for a kind that nobody registered, which only a '
  'mistake in SQL can name.';

create type private.earning as (
  user_id uuid, interest_id uuid, kind text, source_id uuid, earned_from uuid, caused_at timestamptz
);
comment on type private.earning is
  'What a cause gives a person: a kind of private.ledger_kinds, the cause, from whom it is earned (null where nobody '
  'else is involved), and when. Only reputation has an interest.';
