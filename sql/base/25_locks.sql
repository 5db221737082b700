-- Locks: the kinds of locks, the order in which a transaction takes them, and the function that takes them.
-- ARCHITECTURE.md, Locks.

create table private.lock_ranks (
  rank smallint primary key check (rank between 1 and 8),
  name text not null unique
);
comment on table private.lock_ranks is 'The order of locks. A transaction takes the locks of a lower rank first.';
insert into private.lock_ranks (rank, name) values
  (1, 'request'), (2, 'person'), (3, 'space'), (4, 'pair'), (5, 'thing'), (6, 'effects'), (7, 'mana'), (8, 'record');

create table private.lock_kinds (
  kind     text primary key,
  position smallint not null,
  rank     smallint generated always as (position / 100) stored references private.lock_ranks on delete restrict
);
create index lock_kinds_rank_idx on private.lock_kinds (rank);
comment on table private.lock_kinds is
  'Registry: the kinds of locks. private.lock takes them.';
comment on column private.lock_kinds.position is
  'The order of the kinds, 100 to 899. The hundreds are the rank. Two kinds have the same position only if '
  'transactions never wait for each other because of them.';

create function private.check_lock_order(p_kind text, variadic p_keys text[] default null) returns void
language plpgsql volatile security definer   -- callers may not read the registry
set search_path = ''
as $$
declare
  v_held     jsonb;
  v_position smallint;
begin
  if current_setting('kith.lock_order', true) is distinct from 'checked' or p_keys = '{}' then
    return;
  end if;
  v_held := coalesce(nullif(current_setting('kith.locks_held', true), ''), '{"last": 0, "keys": {}}')::jsonb;
  if v_held -> 'keys' -> p_kind ?& coalesce(p_keys, '{}') then
    return;
  end if;
  v_position := (select k.position from private.lock_kinds k where k.kind = p_kind);
  if v_position is null then
    raise exception 'there is no kind of locks %', p_kind;
  elsif v_position < (v_held -> 'last')::integer then
    raise exception 'the lock % (%) is taken after one of %', p_kind, v_position, v_held -> 'last';
  end if;
  perform set_config('kith.locks_held', jsonb_build_object(
    'last', v_position,
    'keys', (v_held -> 'keys') || jsonb_build_object(
      p_kind, coalesce(v_held -> 'keys' -> p_kind, '[]') || coalesce(to_jsonb(p_keys), '[]')))::text, true);
end $$;
comment on function private.check_lock_order is
  'For tests, whose sessions set kith.lock_order to "checked": raises an error if this transaction already holds a '
  'lock of a later kind, unless it already holds these locks. Every function that locks rows calls it first.';

create function private.lock(p_kind text, variadic p_keys text[] default null) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.check_lock_order(p_kind, variadic p_keys);
  if p_keys is null then
    perform pg_advisory_xact_lock(hashtextextended(p_kind, 0));
  else
    -- sort the keys, so that two transactions that take the same locks do not deadlock
    perform pg_advisory_xact_lock(k.key)
    from (select distinct hashtextextended(p_kind || ' ' || u.key, 0) as key from unnest(p_keys) u (key)
          order by key) k;
  end if;
end $$;
comment on function private.lock is
  'Takes the advisory locks of a kind with these keys until the transaction ends. Without keys it takes the only '
  'lock of the kind.';

create function private.restart_lock_order() returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  if current_setting('kith.lock_order', true) = 'checked' then
    perform set_config('kith.locks_held', (coalesce(nullif(current_setting('kith.locks_held', true), ''),
                                                    '{"keys": {}}')::jsonb || '{"last": 0}')::text, true);
  end if;
end $$;
comment on function private.restart_lock_order is
  'Begins the order of locks again, for operations that do several things in one transaction, each with all its '
  'locks. Such a transaction can deadlock; then the facade retries it. ARCHITECTURE.md, Locks.';
