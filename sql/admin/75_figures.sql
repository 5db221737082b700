-- Figures of the instance for staff: counters and signals.
-- docs/decisions.md, Staff.

create table private.staff_metrics (
  counted_at timestamptz not null,
  figures    json not null
);
create unique index staff_metrics_one_row_idx on private.staff_metrics ((true));
comment on table private.staff_metrics is 'The latest counts, in one row, which all staff and facades share.';
comment on column private.staff_metrics.counted_at is 'When the figures were counted. They are valid for 30 seconds.';

create function private.count_metrics() returns json
language plpgsql volatile security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
declare
  v_kept private.staff_metrics;
begin
  select * into v_kept from private.staff_metrics;
  if v_kept.counted_at > now() - interval '30 seconds' then
    return v_kept.figures;
  end if;
  perform from private.staff_metrics for update skip locked;
  if not found and v_kept.counted_at is not null then
    return v_kept.figures;   -- another transaction is counting
  end if;
  insert into private.staff_metrics as m (counted_at, figures)
  select now(), json_build_object(
    'users', (select count(*) from app.users where erased_at is null),
    'postsTotal', (select count(*) from app.posts where deleted_at is null),
    'invitesActive', (select count(*) from app.invite_codes c where private.invite_status(c) = 'active'),
    'reportsOpen', (select count(*) from app.reports where status = 'open'),
    'postsHidden', (select count(*) from app.posts where hidden_at is not null and deleted_at is null),
    'repliesHidden', (select count(*) from app.replies where hidden_at is not null and deleted_at is null),
    'mauActive', (select count(*) from app.accounts a where a.last_seen_at > now() - interval '30 days'),
    'manaAudit', (select json_build_object('auditedAt', private.utc(r.last_ended_at), 'violations', r.last_changed)
                  from private.job_runs r where r.job = 'audit-mana' and r.last_ended_at is not null),
    'countedAt', private.utc(now()))
  on conflict ((true)) do update set counted_at = excluded.counted_at, figures = excluded.figures
  returning figures into v_kept.figures;
  return v_kept.figures;
end $$;
comment on function private.count_metrics is
  'Counts everything, at most once per 30 seconds in the whole instance; concurrent callers get the previous '
  'figures. It audits no ledgers: manaAudit is the latest result of the job audit-mana.';

create function api.get_metrics() returns json
language plpgsql volatile   -- stores the figures
set search_path = ''
as $$
begin
  perform private.require_role('moderator', 'admin');
  return private.count_metrics();
end $$;
comment on function api.get_metrics is
  'Counters of the instance, up to 30 seconds old: {users, postsTotal, invitesActive, reportsOpen, postsHidden, '
  'repliesHidden, mauActive, manaAudit: {auditedAt, violations}, countedAt}.';

create function private.signals_page(p_kind text, p_since timestamptz, p_limit integer, p_cursor text) returns json
language plpgsql stable security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
declare
  v_passed integer := 0;
  v_items  json[];
begin
  if p_cursor is not null then
    if p_cursor !~ '^[0-9]{1,4}$' then
      perform private.raise_error('cursor_unknown');
    end if;
    v_passed := p_cursor::integer;
  end if;
  v_items := array(
    select json_build_object(
      'kind', f.kind,
      'giverId', f.giver_id,
      'giver', giver.card,
      'receiverId', f.receiver_id,
      'receiver', receiver.card,
      'distance', f.distance,
      'youngerAgeDays', floor(extract(epoch from f.younger_age) / 86400)::integer,
      'flows', f.flows,
      'total', f.total,
      'givenShare', f.given_share,
      'neighbourShare', f.neighbour_share,
      'firstAt', private.utc(f.first_at),
      'lastAt', private.utc(f.last_at))
    from (select * from private.suspicious_flows(coalesce(p_since, now() - interval '30 days'), 1000) s
          where p_kind is null or s.kind = p_kind offset v_passed limit 51) f
    join app.person_card giver on giver.id = f.giver_id
    join app.person_card receiver on receiver.id = f.receiver_id);
  return private.page(
    (select json_agg(i.item order by i.place) from unnest(v_items[:p_limit]) with ordinality i (item, place)),
    array(select (v_passed + n)::text from generate_series(1, cardinality(v_items)) n), p_limit);
end $$;
comment on function private.signals_page is
  'A page of private.suspicious_flows. The cursor is the number of rows on the previous pages.';

create function api.list_signals(
  p_kind text default null, p_since timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_role('moderator', 'admin');
  return private.signals_page(p_kind, p_since, p_limit, p_cursor);
end $$;
comment on function api.list_signals is
  'Mana and votes that flow between neighbours of the invite tree, the largest sums of each kind first.';
