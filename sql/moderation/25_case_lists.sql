-- How staff finds, reads and opens cases. docs/decisions.md, Staff; Lists.

create view private.staff_cases with (security_invoker) as
select c.opened_at as at, c.id, c.place, c.status, c.category, c.priority, c.target_type, c.target_id, c.person_id,
       c.source, concat_ws(' ', c.rule, u.username) as said,
       c.claimed_by, case when c.claimed_until > now() then c.claimed_by end is not null as claimed,
       c.status = 'open' and c.staff_from > now() as waiting,
       json_build_object(
         'id', c.id,
         'targetType', c.target_type,
         'targetId', c.target_id,
         'personId', c.person_id,
         'person', person.card,
         'category', c.category,
         'rule', c.rule,
         'priority', c.priority,
         'source', c.source,
         'status', c.status,
         'outcome', c.outcome,
         'reportCount', c.reports,
         'claimedById', case when c.claimed_until > now() then c.claimed_by end,
         'claimedBy', case when c.claimed_until > now() then claimer.card end,
         'claimedUntil', case when c.claimed_until > now() then private.utc(c.claimed_until) end,
         'closedById', c.closed_by,
         'closedAt', private.utc(c.closed_at),
         'spaceId', c.space_id,
         'staffFrom', private.utc(c.staff_from),
         'updatedAt', private.utc(c.updated_at),
         'createdAt', private.utc(c.opened_at)) as card,
       private.is_own_thing(c.target_type, c.target_id, c.person_id) as own
from app.cases c
left join app.users u on u.id = c.person_id
left join app.person_card person on person.id = c.person_id
left join app.person_card claimer on claimer.id = c.claimed_by;
comment on view private.staff_cases is
  'Cases as staff sees them. A claim that has ended is left out. own says whether a case is about the caller.';

create function api.list_cases(
  p_status text default null, p_category text default null, p_priority integer default null,
  p_claimed text default null, p_target_type text default null, p_person_id text default null, p_q text default null,
  p_from timestamptz default null, p_to timestamptz default null, p_limit integer default 20,
  p_cursor text default null, p_waiting boolean default false
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_person uuid := private.find_staff_person(p_person_id);
begin
  perform private.require_role('moderator', 'admin');
  return private.staff_page(
    'cases', json_build_object(
      'person_id', v_person,
      'claimed_by', case p_claimed when 'me' then app.uid() end,
      'claimed', case p_claimed when 'me' then true when 'nobody' then false end,
      'waiting', p_waiting,
      'status', p_status, 'category', p_category, 'priority', p_priority, 'target_type', p_target_type,
      'own', false),
    array['person_id', 'claimed_by', 'category', 'status'], p_q, p_from, p_to, p_limit, p_cursor, 'place');
end $$;
comment on function api.list_cases is
  'Cases, the most urgent first, then the oldest. Filters: state, category, priority, claimed by the caller or by '
  'nobody, type of the target, person, rule or username, a period, an id. With p_waiting it lists only cases that '
  'still belong to a group or guild, otherwise only the others. Nobody sees cases about themselves.';

create view private.staff_case_reports with (security_invoker) as
select r.*, r.status = 'open' and coalesce(c.status = 'open' and c.staff_from > now(), false) as waiting,
       private.is_own_thing(o.target_type, o.target_id, o.author_id) as own
from private.staff_reports r
join app.reports o on o.id = r.id
left join app.case_reports b on b.report_id = r.id
left join app.cases c on c.id = b.case_id;
comment on view private.staff_case_reports is
  'Reports as staff sees them. Two columns say whether a report still belongs to a group or guild, and whether it '
  'is about the caller.';

create function api.list_reports(
  p_status text default null, p_target_type text default null, p_reporter_id text default null,
  p_q text default null, p_from timestamptz default null, p_to timestamptz default null,
  p_limit integer default 20, p_cursor text default null, p_waiting boolean default false
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_target uuid;
begin
  perform private.require_role('moderator', 'admin');
  if pg_input_is_valid(p_q, 'uuid') then
    if not exists (select from app.reports where id = p_q::uuid) then
      v_target := p_q::uuid;
    end if;
  end if;
  return private.staff_page(
    'case_reports', json_build_object(
      'status', p_status, 'target_type', p_target_type, 'target_id', v_target,
      'reporter_id', private.find_staff_person(p_reporter_id), 'waiting', p_waiting, 'own', false),
    array['status'], case when v_target is null then p_q end, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_reports is
  'Reports, newest first. An id in p_q is the id of a report or of its target. With p_waiting it lists only open '
  'reports whose case still belongs to a group or guild, otherwise only the others. Nobody sees reports about '
  'themselves.';

create function private.case_history(p_case uuid) returns json
language plpgsql stable security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
             'kind', e.kind, 'actorId', e.actor_id, 'actor', actor.card, 'note', e.note, 'detail', e.detail,
             'createdAt', private.utc(e.at)) order by e.id desc), '[]')
    from (select * from app.case_events where case_id = any (array[p_case])   -- = any: see private.staff_page
          order by case_id desc, id desc limit 200) e
    left join app.person_card actor on actor.id = e.actor_id);
end $$;
comment on function private.case_history is 'The newest 200 entries of the history of a case, the newest first.';
call private.force_index_scans('private.case_history');

create function private.case_proposals(p_case uuid) returns json
language plpgsql stable security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(json_build_object(
             'id', p.id, 'actions', p.actions, 'reason', p.reason, 'until', private.utc(p.until), 'status', p.status,
             'proposedById', p.proposed_by, 'settledById', p.settled_by, 'settledAt', private.utc(p.settled_at),
             'createdAt', private.utc(p.proposed_at)) order by p.proposed_at desc), '[]')
    from (select * from app.case_proposals where case_id = p_case order by proposed_at desc limit 50) p);
end $$;
comment on function private.case_proposals is 'The newest 50 proposals in a case, the newest first.';
call private.force_index_scans('private.case_proposals');

create function private.case_file(p_case app.cases) returns json
language plpgsql stable security definer   -- staff sees more than any policy allows
set search_path = ''
as $$
declare
  v_person uuid := (p_case).person_id;
begin
  perform private.require_role('moderator', 'admin');
  return json_build_object(
    'target', private.reported_thing((p_case).target_type, (p_case).target_id),
    'media', private.case_media((p_case).target_type, (p_case).target_id),
    'reports', private.report_cards(array(
      select c.report_id from app.case_reports c join app.reports r on r.id = c.report_id
      where c.case_id = (p_case).id order by r.created_at desc, r.id desc limit 50)),
    'earlierCases', (
      select coalesce(json_agg(e.card order by e.place), '[]')
      from (select s.card, s.place from app.cases o join private.staff_cases s on s.id = o.id
            -- = any: see private.staff_page
            where o.target_type = any (array[(p_case).target_type]) and o.target_id = any (array[(p_case).target_id])
              and o.number < (p_case).number
            order by o.target_type desc, o.target_id desc, o.number desc limit 20) e),
    'proposals', private.case_proposals((p_case).id),
    'history', private.case_history((p_case).id),
    'strikes', case when v_person is not null then private.count_strikes(v_person) end,
    'decisions', case when v_person is not null then private.staff_decision_cards(v_person) end);
end $$;
comment on function private.case_file is
  'The details of a case: {target, media, reports, earlierCases, proposals, history, strikes, decisions}. strikes '
  'and decisions are those of the person who is responsible for the thing, and null if there is none.';
call private.force_index_scans('private.case_file');

create function api.get_case(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_case app.cases;
begin
  perform private.require_role('moderator', 'admin');
  select * into v_case from app.cases where id = p_id;
  if not found or private.is_own_thing(v_case.target_type, v_case.target_id, v_case.person_id) then
    perform private.raise_error('case_unknown');
  end if;
  return private.merge_objects(private.staff_card('cases', p_id), private.case_file(v_case));
end $$;
comment on function api.get_case is
  'A case with the thing, its reports, earlier cases, proposals, history, and the decisions about the person. A case '
  'about the caller is unknown to the caller.';

create type private.case_target as (id uuid, person_id uuid);
comment on type private.case_target is 'A thing that a case can be about, and the person who is responsible for it.';

create function private.require_case_target(p_type text, p_target text) returns private.case_target
language plpgsql stable security definer   -- staff can open a case about what they can't see as members
set search_path = ''
as $$
declare
  v_target private.case_target;
begin
  perform private.require_report_finder(p_type);
  if p_type = 'user' then
    v_target.id := private.require_any_person(p_target);
    v_target.person_id := v_target.id;
    return v_target;
  elsif not pg_input_is_valid(p_target, 'uuid') then
    perform private.raise_error('case_target');
  end if;
  v_target.id := p_target::uuid;
  -- safe: the query comes from the registry
  execute (select author from private.report_targets where type = p_type) into v_target.person_id using v_target.id;
  if v_target.person_id is null then
    perform private.raise_error('case_target');
  end if;
  return v_target;
end $$;
comment on function private.require_case_target is
  'The thing about which staff opens a case. A person is named by id, actor id or username.';

create function api.create_case(
  p_target_type text, p_target_id text, p_category text default null, p_note text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_note   text;
  v_target private.case_target;
  v_id     uuid;
begin
  perform private.require_role('moderator', 'admin');
  v_note := private.require_short(p_note, 2000, 'case_note');
  v_target := private.require_case_target(p_target_type, p_target_id);
  if private.is_own_thing(p_target_type, v_target.id, v_target.person_id) then
    perform private.raise_error('case_own');
  end if;
  v_id := private.open_case(p_target_type, v_target.id, coalesce(p_category, 'other'), 'staff', v_note);
  perform private.audit('case.opened', 'case', v_id::text);
  return private.staff_card('cases', v_id);
end $$;
comment on function api.create_case is
  'Opens a case about a thing that nobody reported, or adds a note to its open case. Nobody can open a case about '
  'themselves or what they wrote. Returns the case. Leaves an audit entry.';
