-- Rate limits of clients, counted for all facades together. The limits are in the facade's configuration.
-- docs/decisions.md, Limits.

create unlogged table private.rates (
  key     text primary key,
  used    integer not null,
  ends_at timestamptz not null
) with (fillfactor = 50);   -- free space on each page, so that counting changes no index
comment on table private.rates is
  'The number of calls that a client made in the current window of a limit; the key names limit, window and client. '
  'The table is unlogged: after a crash of the database all windows start again.';
comment on column private.rates.ends_at is 'When the window ends; after that, its count is ignored.';
insert into private.retention (relation, counts_from, keep) values ('private.rates', 'ends_at', '0');

create function private.count_calls(p_keys text[], p_limits integer[], p_seconds integer[])
returns table (used integer, reset_ms integer, over boolean)
language plpgsql volatile security definer   -- only for gate: without a token the caller owns no rows
set search_path = ''
as $$
declare
  v_now   timestamptz := clock_timestamp();
  v_used  integer[];
  v_reset integer[];
  v_over  boolean[];
begin
  -- sort the buckets, so that two calls with the same buckets do not deadlock: ARCHITECTURE.md, Locks
  with counted as (
    insert into private.rates as r (key, used, ends_at)
    select b.key, 1, v_now + b.seconds * interval '1 second'
    from unnest(p_keys, p_seconds) as b (key, seconds)
    order by b.key
    on conflict (key) do update
      set used = case when r.ends_at > v_now then r.used + 1 else 1 end,
          ends_at = case when r.ends_at > v_now then r.ends_at else excluded.ends_at end
    returning r.key, r.used, r.ends_at
  )
  select array_agg(c.used order by b.place),
         array_agg(greatest(1, ceil(extract(epoch from c.ends_at - v_now) * 1000)::integer) order by b.place),
         array_agg(c.used > b.most order by b.place)
  into v_used, v_reset, v_over
  from unnest(p_keys, p_limits) with ordinality as b (key, most, place)
  join counted c on c.key = b.key;

  if true = any (v_over) then
    -- a rejected call counts in no bucket. No other call has read the higher counts, because the rows are locked until
    -- the end
    update private.rates r set used = r.used - 1 where r.key = any (p_keys);
    v_used := array(select u - 1 from unnest(v_used) with ordinality as n (u, place) order by place);
  end if;
  return query select * from unnest(v_used, v_reset, v_over);
end $$;
comment on function private.count_calls is
  'Counts a call in every bucket, or in none if one of them is full. Returns a row per bucket, in the given order: '
  'the number of counted calls, the milliseconds until the window ends, and whether the bucket was full.';

create function private.uncount_calls(p_keys text[]) returns void
language plpgsql volatile security definer   -- only for gate: without a token the caller owns no rows
set search_path = ''
as $$
begin
  -- sort them as private.count_calls does: ARCHITECTURE.md, Locks
  update private.rates r set used = r.used - 1
  from (select key from private.rates where key = any (p_keys) and used > 0 and ends_at > clock_timestamp()
        order by key for update) as b
  where r.key = b.key;
end $$;
comment on function private.uncount_calls is
  'Removes a call from the count, for limits that count only failures: every attempt counts until it has succeeded.';
