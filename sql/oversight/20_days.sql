-- Figures of each day, for plots. A day that is over is counted once, and its figures are kept. The current day is
-- counted when somebody requests it. docs/decisions.md, Staff.

insert into private.errors (code, status, text) values
  ('days_range', 422, 'from must not be after to, and there can be at most 366 days.');

create table app.daily_figures (
  day          date primary key,
  joined       integer not null,
  active       integer,
  posts        integer not null,
  replies      integer not null,
  payments     integer not null,
  mana         bigint not null,
  reports      integer not null,
  cases_closed integer not null,
  counted_at   timestamptz not null
);
comment on table app.daily_figures is 'The figures of each day, in UTC.';
comment on column app.daily_figures.joined is 'People who joined.';
comment on column app.daily_figures.active is
  'People who were active, by the last count of that day; null for days before these figures existed. The number '
  'can''t be computed later, because only the time of each person''s last activity is stored.';
comment on column app.daily_figures.posts is 'Posts that were written, including scheduled posts and reposts.';
comment on column app.daily_figures.replies is 'Replies that were written.';
comment on column app.daily_figures.payments is 'Payments, without reversals.';
comment on column app.daily_figures.mana is 'Whole mana that the payments of the day moved.';
comment on column app.daily_figures.reports is 'Reports by people.';
comment on column app.daily_figures.cases_closed is 'Cases that staff or a space decided.';
comment on column app.daily_figures.counted_at is
  'When the figures were counted. They are final if this time is after the end of the day.';

create function private.count_day(p_day date) returns void
language plpgsql volatile security definer   -- counts everybody's rows
set search_path = ''
as $$
declare
  v_from timestamptz := p_day::timestamp at time zone 'UTC';
  v_to   timestamptz := (p_day + 1)::timestamp at time zone 'UTC';
begin
  insert into app.daily_figures as d
    (day, joined, active, posts, replies, payments, mana, reports, cases_closed, counted_at)
  select p_day,
         (select count(*) from app.users where created_at >= v_from and created_at < v_to),
         case when now() < v_to then (select count(*) from app.accounts where last_seen_at >= v_from) end,
         (select count(*) from app.posts where created_at >= v_from and created_at < v_to),
         (select count(*) from app.replies where created_at >= v_from and created_at < v_to),
         p.payments, p.mana,
         (select count(*) from app.reports where created_at >= v_from and created_at < v_to),
         (select count(*) from app.cases where closed_at >= v_from and closed_at < v_to),
         now()
  from (select count(*) as payments, coalesce(sum(amount), 0) as mana from app.payments
        where created_at >= v_from and created_at < v_to and not reversed) p
  on conflict (day) do update
    set joined = excluded.joined, active = coalesce(excluded.active, d.active), posts = excluded.posts,
        replies = excluded.replies, payments = excluded.payments, mana = excluded.mana, reports = excluded.reports,
        cases_closed = excluded.cases_closed, counted_at = excluded.counted_at;
end $$;
comment on function private.count_day is
  'Counts a day, with indexes in the order of time. If the day is not over, it also reads all accounts to count the '
  'active people; if it is over, that figure stays as it is.';

create function private.today() returns date
language plpgsql stable
set search_path = ''
as $$ begin return (now() at time zone 'UTC')::date; end $$;
comment on function private.today is 'The day in UTC.';

create function private.job_count_days() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  v_day date;
begin
  select d.day::date into v_day
  from generate_series(
    greatest(private.today() - 366, ((select min(created_at) from app.users) at time zone 'UTC')::date)::timestamp,
    private.today()::timestamp, interval '1 day') d (day)
  left join app.daily_figures f on f.day = d.day::date
  where f.day is null
     or f.day < private.today() and f.counted_at < (f.day + 1)::timestamp at time zone 'UTC'
     or f.day = private.today() and f.counted_at < now() - interval '5 minutes'
  order by d.day limit 1;
  if v_day is null then
    return 0;
  end if;
  perform private.count_day(v_day);
  return 1;
end $$;
comment on function private.job_count_days is
  'Job: counts the oldest of the last 366 days that has no final figures, and the current day if its last count is '
  'more than 5 minutes old, and returns 1. May run twice: it counts again and gets the same figures. The worker '
  'repeats it until it returns 0.';
insert into private.jobs (name, cron, expires, repeats) values ('count-days', '*/10 * * * *', 300, true);

create function private.read_days(p_from date, p_to date) returns json
language plpgsql volatile security definer   -- callers may not read or count the figures
set search_path = ''
as $$
declare
  v_first date := ((select min(created_at) from app.users) at time zone 'UTC')::date;
  v_kept  timestamptz := (select counted_at from app.daily_figures where day = private.today());
begin
  if p_to >= private.today() and (v_kept is null or v_kept < now() - interval '30 seconds') then
    perform from app.daily_figures where day = private.today() for update skip locked;
    if found or v_kept is null then   -- otherwise another transaction is counting
      perform private.count_day(private.today());
    end if;
  end if;
  return json_build_object(
    'days', (
      select json_agg(json_build_object(
               'day', d.day::date,
               'joined', case when v.is_empty then 0 else f.joined end,
               'active', case when v.is_empty then 0 else f.active end,
               'posts', case when v.is_empty then 0 else f.posts end,
               'replies', case when v.is_empty then 0 else f.replies end,
               'payments', case when v.is_empty then 0 else f.payments end,
               'mana', case when v.is_empty then 0 else f.mana end,
               'reports', case when v.is_empty then 0 else f.reports end,
               'casesClosed', case when v.is_empty then 0 else f.cases_closed end) order by d.day)
      from generate_series(p_from::timestamp, p_to::timestamp, interval '1 day') d (day)
      left join app.daily_figures f on f.day = d.day::date
      cross join lateral (select d.day::date < v_first or d.day::date > private.today() as is_empty) v),
    'countedAt', private.utc((select counted_at from app.daily_figures where day = private.today())));
end $$;
comment on function private.read_days is
  'The figures of the days from p_from to p_to, both included. The current day is counted again if its last count '
  'is more than 30 seconds old; concurrent callers get the previous figures.';

create function api.get_daily_figures(p_from date default null, p_to date default null) returns json
language plpgsql volatile   -- stores the figures of today
set search_path = ''
as $$
declare
  v_to   date := coalesce(p_to, private.today());
  v_from date := coalesce(p_from, v_to - 29);
begin
  perform private.require_role('moderator', 'admin');
  if v_from > v_to or v_to - v_from > 365 then
    perform private.raise_error('days_range');
  end if;
  return private.read_days(v_from, v_to);
end $$;
comment on function api.get_daily_figures is
  'The figures of at most 366 days, in UTC: {days: [{day, joined, active, posts, replies, payments, mana, reports, '
  'casesClosed}], countedAt}. Figures that have not been counted yet are null.';
