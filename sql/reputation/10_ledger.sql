-- The ledger of reputation has what each person earned in each interest, entry by entry, and the sums of the entries.
-- docs/decisions.md, Reputation.

create table app.reputation_entries (
  id            uuid primary key default gen_random_uuid(),
  position      bigint not null generated always as identity,
  user_id       uuid not null references app.users on delete restrict,
  interest_id   uuid not null,
  kind          text not null,
  delta         numeric(12, 2) not null check (delta <> 0),
  origin_id     uuid references app.reputation_entries on delete restrict,
  roll_up_level smallint not null default 0 check (roll_up_level >= 0),
  undoes_id     uuid references app.reputation_entries on delete restrict,
  source_id     uuid,
  earned_from   uuid references app.users on delete restrict,
  created_at    timestamptz not null default now(),
  check ((origin_id is null) = (roll_up_level = 0))
);
create index reputation_entries_user_id_idx on app.reputation_entries (user_id, position desc);
create index reputation_entries_origin_id_idx on app.reputation_entries (origin_id) where origin_id is not null;
create unique index reputation_entries_undoes_id_key on app.reputation_entries (undoes_id) where undoes_id is not null;
create index reputation_entries_earned_from_idx on app.reputation_entries (earned_from) where earned_from is not null;
create index reputation_entries_cause_idx on app.reputation_entries
  (user_id, source_id, coalesce(earned_from, user_id), kind, position desc) where roll_up_level = 0;
create unique index reputation_entries_onboarding_key on app.reputation_entries (user_id, interest_id)
  where kind = 'onboarding.bootstrap' and roll_up_level = 0;
comment on column app.reputation_entries.interest_id is
  'The id of a row of the table `interests`. The column has no foreign key, because app.reputation has one, and a '
  'row for each interest with entries.';
comment on column app.reputation_entries.kind is 'One of private.ledger_kinds.';
comment on table app.reputation_entries is
  'The ledger. It has only ids and numbers, and rows never change. To undo an entry, an opposite entry is added.';
comment on column app.reputation_entries.delta is
  'Points with two decimals, never 0: positive when earned, negative when taken.';
comment on column app.reputation_entries.position is
  'The order of a person''s entries, also within a transaction. It is assigned under the lock of '
  'private.lock_effects.';
comment on column app.reputation_entries.origin_id is 'For a roll-up, the direct entry from which it is derived.';
comment on column app.reputation_entries.roll_up_level is
  '0 for the direct entry, 1 for its share in the parent of the interest, 2 in the parent''s parent.';
comment on column app.reputation_entries.undoes_id is 'The entry that this entry undoes.';
comment on column app.reputation_entries.source_id is
  'The cause, by kind: the post, the reply, the invite code, the interest chosen, the vote, the appeal.';
comment on column app.reputation_entries.earned_from is
  'The person from whom the entry is earned: the person who reacted, the author of the post with the reply, or the '
  'person who used the code. Null if nobody else is involved.';
call private.make_append_only('app.reputation_entries');

-- No index has a column that each entry changes, and pages have free space, so that a new sum changes no index
create table app.reputation (
  user_id       uuid not null references app.users on delete restrict,
  interest_id   uuid not null references app.interests on delete restrict,
  value         numeric(12, 2) not null,
  direct_value  numeric(12, 2) not null,
  highest_level smallint not null default 0 check (highest_level between 0 and 5),
  band          smallint not null generated always as
                  (case when value > 0 then floor(ln(1 + value::float8) / ln(2::float8)) else -1 end) stored,
  primary key (user_id, interest_id)
) with (fillfactor = 80);
create index reputation_interest_id_idx on app.reputation (interest_id, band desc, user_id);
comment on table app.reputation is
  'The ledger summed by person and interest. A trigger on the ledger keeps it up to date.';
comment on column app.reputation.value is
  'The sum of the entries in the interest, roll-ups included, with two decimals.';
comment on column app.reputation.band is
  'The band of value: 0 below 1, 1 below 3, 2 below 7, and so on, one more with each doubling of value plus one; -1 '
  'if value is not above 0. It changes rarely, so an index can contain it.';
comment on column app.reputation.direct_value is
  'The value without roll-ups. The sum over all interests is the person''s total.';
comment on column app.reputation.highest_level is
  'The highest level that value ever reached (private.level_rank), so that nobody is notified of a level twice. A '
  'trigger keeps it up to date.';

create table app.reputation_kinds (
  user_id     uuid not null references app.users on delete restrict,
  interest_id uuid not null,
  kind        text not null,
  points      numeric(12, 2) not null,
  primary key (user_id, interest_id, kind)
) with (fillfactor = 80);
comment on table app.reputation_kinds is
  'The direct entries of the ledger summed by person, interest and kind. A trigger on the ledger keeps it up to '
  'date.';
comment on column app.reputation_kinds.interest_id is
  'The id of a row of the table `interests`. The column has no foreign key, because app.reputation has one, and a '
  'row for each person and interest here.';
comment on column app.reputation_kinds.points is 'The sum of the direct entries of the kind, with two decimals.';

create function private.sum_reputation() returns trigger
language plpgsql security definer   -- writes the sums of people other than the caller
set search_path = ''
as $$
begin
  -- sort, to prevent deadlocks between two writers of the same sums: ARCHITECTURE.md, Locks
  insert into app.reputation as r (user_id, interest_id, value, direct_value)
  select w.user_id, w.interest_id, sum(w.delta), coalesce(sum(w.delta) filter (where w.roll_up_level = 0), 0)
  from written w
  group by w.user_id, w.interest_id
  order by w.user_id, w.interest_id
  on conflict (user_id, interest_id) do update
    set value = r.value + excluded.value, direct_value = r.direct_value + excluded.direct_value;
  insert into app.reputation_kinds as k (user_id, interest_id, kind, points)
  select w.user_id, w.interest_id, w.kind, sum(w.delta)
  from written w
  where w.roll_up_level = 0
  group by w.user_id, w.interest_id, w.kind
  order by w.user_id, w.interest_id, w.kind
  on conflict (user_id, interest_id, kind) do update set points = k.points + excluded.points;
  -- every writer of these people's entries holds private.lock_effects, so two writers can't conflict here
  update app.accounts a set total_reputation = a.total_reputation + w.earned
  from (select user_id, sum(delta) as earned from written where roll_up_level = 0 group by user_id) w
  where a.user_id = w.user_id;
  return null;
end $$;
comment on function private.sum_reputation is
  'Trigger: updates app.reputation, app.reputation_kinds, and app.accounts.total_reputation, the sum of direct '
  'entries.';
create trigger sum_reputation after insert on app.reputation_entries
  referencing new table as written for each statement execute function private.sum_reputation();

create function private.roll_up_fraction(p_level integer) returns numeric
language plpgsql immutable   -- costs a tenth of a SQL function with a search_path
set search_path = ''
as $$
begin
  return (array[1, 0.50, 0.25, 0.12])[least(p_level, 3) + 1] / power(2::numeric, greatest(p_level - 3, 0));
end $$;
comment on function private.roll_up_fraction is
  'The share of an entry that goes to the interest p_level levels up: 100 % at 0, then 50, 25 and 12 %, and half of '
  'the previous share for each further level.';

create type private.reputation_change as (
  id uuid, user_id uuid, interest_id uuid, kind text, points numeric, before numeric, source_id uuid,
  earned_from uuid, caused_at timestamptz
);
comment on type private.reputation_change is
  'A direct entry to write, with its roll-ups. points are its points, before the points that the same cause gave '
  'earlier.';

create function private.write_reputation(p_changes private.reputation_change[]) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  with recursive line as (
    select i.id as leaf, i.id, i.parent_id, 0 as level from app.interests i
    where i.id in (select c.interest_id from unnest(p_changes) c)
    union all
    select l.leaf, i.id, i.parent_id, l.level + 1 from line l join app.interests i on i.id = l.parent_id
  ), share as (
    -- round the points before and after for each level, because rounded differences would not add up to zero again
    select c.*, l.id as shared_id, l.level,
           round(c.points * private.roll_up_fraction(l.level), 2)
             - round(c.before * private.roll_up_fraction(l.level), 2) as delta
    from unnest(p_changes) with ordinality
           as c (id, user_id, interest_id, kind, points, before, source_id, earned_from, caused_at, place)
    join line l on l.leaf = c.interest_id
  )
  insert into app.reputation_entries
    (id, user_id, interest_id, kind, delta, origin_id, roll_up_level, source_id, earned_from, created_at)
  select case s.level when 0 then s.id else gen_random_uuid() end, s.user_id, s.shared_id, s.kind, s.delta,
         case when s.level > 0 then s.id end, s.level, s.source_id, s.earned_from, s.caused_at
  from share s
  where s.delta <> 0
  order by s.place, s.level;
end $$;
comment on function private.write_reputation is
  'Writes these entries with their roll-ups, in order, without checking for existing entries. A change of 0 writes '
  'nothing. Call private.lock_effects first.';

create function private.add_reputation(
  p_user uuid, p_interest uuid, p_kind text, p_points numeric, p_source uuid default null, p_from uuid default null,
  p_before numeric default 0
) returns uuid
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid := gen_random_uuid();
begin
  perform private.ledger_points('reputation', p_kind);
  perform private.lock_effects(p_user);
  perform private.write_reputation(array[
    (v_id, p_user, p_interest, p_kind, p_points, p_before, p_source, p_from, now())::private.reputation_change]);
  return v_id;
end $$;
comment on function private.add_reputation is
  'Writes an entry for a decision, such as a vote, and returns the id of the direct entry. With p_before, the '
  'points that the same cause gave before, it writes only the differences. The function is for definer functions. '
  '20_earning.sql has what people earn by their actions.';
