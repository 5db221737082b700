-- The yearly figures about moderation, in the form of a transparency report of the EU's Digital Services Act.
-- docs/decisions.md, Staff.

create index decisions_decided_at_idx on app.decisions (decided_at);
create index cases_closed_at_idx on app.cases (closed_at) where closed_at is not null;
create index case_events_space_idx on app.case_events (case_id) where kind = 'space';

insert into private.errors (code, status, text) values
  ('year_out_of_range', 422, 'The year must be between 2000 and 2999.');

create function private.decision_maker(p_decision app.decisions) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return case when (p_decision).decided_by is null then 'rule' when (p_decision).space_id is not null then 'space'
              else 'staff' end;
end $$;
comment on function private.decision_maker is
  'Who made a decision: a rule, the owner or a moderator of a group or guild (space), or staff.';

create function private.closed_by_space(p_case app.cases) returns boolean
language plpgsql stable security definer   -- callers may not read the history of cases
set search_path = ''
as $$
begin
  return (p_case).space_id is not null and (p_case).closed_at < (p_case).staff_from
     and exists (select from app.case_events e
                 where e.case_id = (p_case).id and e.kind = 'space' and e.detail ->> 'action' <> 'unhide');
end $$;
comment on function private.closed_by_space is
  'Returns whether the owner or a moderator of a group or guild closed a case, by hiding the thing or dismissing the '
  'case before staff got it.';
call private.force_index_scans('private.closed_by_space');

create function private.transparency(p_year integer) returns json
language plpgsql stable security definer   -- staff may not read the tables directly
set search_path = ''
as $$
declare
  c_most  constant integer := 100000;
  v_since timestamptz := make_timestamptz(p_year, 1, 1, 0, 0, 0, 'UTC');
  v_until timestamptz := make_timestamptz(p_year + 1, 1, 1, 0, 0, 0, 'UTC');
begin
  return (
    with notices as materialized (
      select r.category from app.reports r where r.created_at >= v_since and r.created_at < v_until limit c_most
    ), decided as materialized (
      select d.category, d.action, d.decided_by is null as automated, private.decision_maker(d) as maker
      from app.decisions d where d.decided_at >= v_since and d.decided_at < v_until limit c_most
    ), appealed as materialized (
      select d.category, d.action, d.decided_by is null as automated, private.decision_maker(d) as maker, a.status
      from app.decision_appeals a join app.decisions d on d.id = a.decision_id
      where a.created_at >= v_since and a.created_at < v_until limit c_most
    ), closed as materialized (
      select extract(epoch from c.closed_at - c.opened_at) / 3600 as hours,
             case when private.closed_by_space(c) then 'space' else 'staff' end as maker
      from app.cases c where c.closed_at >= v_since and c.closed_at < v_until limit c_most
    ), figures (place, indicator, category, action, maker, automated, value) as (
      select 1, 'notices', n.category, null, null, null::boolean, count(*)::numeric from notices n group by n.category
      union all
      select 2, 'decisions', d.category, d.action, d.maker, d.automated, count(*) from decided d
      group by d.category, d.action, d.maker, d.automated
      union all
      select 3, 'appeals_' || a.status, a.category, a.action, a.maker, a.automated, count(*) from appealed a
      group by a.status, a.category, a.action, a.maker, a.automated
      union all
      select 4, 'median_hours', null, null, c.maker, null,
             round((percentile_cont(0.5) within group (order by c.hours))::numeric, 1)
      from closed c group by c.maker
    )
    select json_build_object(
      'year', p_year,
      'isComplete', greatest((select count(*) from notices), (select count(*) from decided),
                             (select count(*) from appealed), (select count(*) from closed)) < c_most,
      'items', coalesce(json_agg(json_build_object(
        'indicator', f.indicator, 'category', f.category, 'action', f.action, 'decidedBy', f.maker,
        'automated', f.automated, 'value', f.value)
        order by f.place, f.indicator, f.category, f.action, f.maker, f.automated), '[]'))
    from figures f);
end $$;
comment on function private.transparency is
  'The figures of a year: {year, isComplete, items: [{indicator, category, action, decidedBy, automated, value}]}. It '
  'counts up to 100,000 notices, decisions, appeals and closed cases; isComplete says whether these are all.';
call private.force_index_scans('private.transparency');

create function api.get_transparency(p_year integer) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_role('admin');
  if p_year is null or p_year not between 2000 and 2999 then
    perform private.raise_error('year_out_of_range');
  end if;
  return private.transparency(p_year);
end $$;
comment on function api.get_transparency is
  'The figures of a year: {year, isComplete, items: [{indicator, category, action, decidedBy, automated, value}]}.';
