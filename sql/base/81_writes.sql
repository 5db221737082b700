-- How much one person may write within an hour, from all addresses together. The transaction of the write counts,
-- because `.rpc()` callers bypass the facade, and because failed writes must not count. docs/decisions.md, Limits.

create table private.write_limits (
  kind      text primary key check (kind ~ '^[a-z]+$'),
  per_hour  integer not null check (per_hour > 0),
  lock_kind text not null default 'writes'
);
insert into private.lock_kinds (kind, position) values ('writes', 150);
comment on table private.write_limits is
  'Registry: how often one person may do something per hour. Operators may change the numbers. The setting '
  'rate_limit_scale multiplies these numbers.';
comment on column private.write_limits.lock_kind is
  'The kind of lock that counting takes. It is `writes`, which comes before all rows, unless the number of writes '
  'becomes known only later.';

create unlogged table private.write_counts (
  user_id uuid not null,
  kind    text not null,
  used    integer not null,
  ends_at timestamptz not null,
  primary key (user_id, kind)
) with (fillfactor = 50);   -- free space on each page, so that counting changes no index
create index write_counts_ends_at_idx on private.write_counts (ends_at);
comment on table private.write_counts is
  'The number of writes of a person in their current hour, or of a bot in its current 24 hours. The period begins '
  'with the first write. The table is unlogged and has no foreign keys, because every write waits for it. After a '
  'crash of the database, all counts start again.';
comment on column private.write_counts.ends_at is 'When the period ends; after that, its count is ignored.';
insert into private.retention (relation, counts_from, keep) values ('private.write_counts', 'ends_at', '0');

insert into private.errors (code, status, text) values
  ('writes_exceeded', 429, 'You have reached an hourly limit: for writing, uploading, reacting, voting, following, '
    'inviting, reporting, moving mana or mentioning people. For a bot the limit is for 24 hours. Try again after '
    'the number of seconds in Retry-After.');

create function private.count_writes(p_kind text, p_many integer default 1, p_user uuid default null) returns integer
language plpgsql volatile security definer   -- callers may not write the counts
set search_path = ''
as $$
declare
  v_user uuid := coalesce(p_user, private.require_caller());
  v_hour interval;
  v_most integer;
  v_lock text;
  v_used integer;
  v_ends timestamptz;
begin
  select greatest(1, least(2147483647, floor(l.per_hour * coalesce(s.value::float8, 1))))::integer, l.lock_kind,
         case when exists (select from app.users u where u.id = v_user and u.bot_owner_id is not null)
              then '24 hours' else '1 hour' end
  into v_most, v_lock, v_hour
  from private.write_limits l left join app.settings s on s.key = 'rate_limit_scale'
  where l.kind = p_kind;
  if not found then
    raise no_data_found using message = format('nobody has registered writes of the kind %s', p_kind);
  end if;
  perform private.check_lock_order(v_lock, v_user || p_kind);
  insert into private.write_counts as w (user_id, kind, used, ends_at)
  values (v_user, p_kind, p_many, now() + v_hour)
  on conflict (user_id, kind) do update
    set used = case when w.ends_at > now() then w.used + p_many else p_many end,
        ends_at = case when w.ends_at > now() then w.ends_at else excluded.ends_at end
  returning w.used, w.ends_at
  into v_used, v_ends;
  if v_used <= v_most then
    return p_many;
  elsif p_user is null then
    perform private.raise_error('writes_exceeded', json_build_object(
      'Retry-After', ceil(extract(epoch from v_ends - now()))::text,
      'RateLimit-Limit', v_most::text,
      'RateLimit-Remaining', '0',
      'RateLimit-Reset', ceil(extract(epoch from v_ends - now()))::text,
      'RateLimit-Policy', v_most || ';w=' || extract(epoch from v_hour)::integer));
  end if;
  return greatest(0, p_many - (v_used - v_most));
end $$;
comment on function private.count_writes is
  'Counts this many writes of the caller in their current hour. A bot may write as much in 24 hours as a person in '
  'one hour. If that exceeds the limit it raises an error, which rolls the count back. For another person (p_user) '
  'it raises no error: it counts all writes, and returns how many of them were within the limit. The row of the '
  'person is locked until the transaction ends: ARCHITECTURE.md, Locks.';
