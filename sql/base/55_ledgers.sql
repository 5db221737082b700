-- What ledgers have in common: they are appended only, one writer at a time writes for a person, and each kind of
-- entry is registered. A ledger has the verbs earn_… (once for a cause), reverse_… (by opposite entries) and, for
-- mana, move.

create table private.ledger_kinds (
  ledger text not null check (ledger in ('reputation', 'contribution', 'mana')),
  kind   text not null,
  points numeric(12, 2),
  primary key (ledger, kind)
);
comment on table private.ledger_kinds is
  'Every kind of entry of every ledger, with a row from the feature that writes it.';
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

create function private.lock_ledger(p_ledger text, p_users uuid[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  -- sorted, so that two who lock the same people do not wait for each other
  perform pg_advisory_xact_lock(k.key)
  from (select distinct hashtextextended(p_ledger || ' ' || u.id, 0) as key
        from unnest(p_users) as u (id)
        order by key) k;
end $$;
comment on function private.lock_ledger is
  'Lets one writer at a time write a ledger of these people. What a later statement reads of it is then final. '
  'ARCHITECTURE.md, Locks.';
