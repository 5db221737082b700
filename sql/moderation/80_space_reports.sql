-- Reports of things in a group or guild. Its owner and moderators work on these cases before staff does.
-- docs/decisions.md, Staff.

insert into private.write_limits (kind, per_hour) values ('decisions', 300);

insert into private.errors (code, status, text) values
  ('case_with_staff', 409, 'Staff decides this case.'),
  ('hidden_by_staff', 409, 'Staff or a rule of the instance hid this, so only staff can show it again.');

create function private.space_report_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- moderators of a space see what was reported there
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', c.id, 'targetType', c.target_type, 'targetId', c.target_id,
             'author', (select p.card from private.visible_people v join app.person_card p on p.id = v.id
                        where v.id = c.person_id),
             'title', t.title, 'excerpt', left(t.body, 1000), 'hidden', coalesce(t.hidden, false),
             'category', c.category, 'reportCount', c.reports,
             'reports', (
               select coalesce(json_agg(json_build_object('category', r.category, 'reason', r.reason)
                                        order by r.created_at desc, r.id desc), '[]')
               from (select o.* from app.reports o
                     -- = any: see private.staff_page
                     where o.target_type = any (array[c.target_type]) and o.target_id = any (array[c.target_id])
                     order by o.target_type, o.target_id, o.created_at desc, o.id desc limit 20) r
               join app.case_reports b on b.report_id = r.id and b.case_id = c.id),
             'withStaff', c.staff_from <= now(), 'status', c.status, 'outcome', c.outcome,
             'createdAt', private.utc(c.opened_at)) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join app.cases c on c.id = i.id
    cross join lateral private.find_reported_place(c.target_type, c.target_id) t);
end $$;
comment on function private.space_report_cards is
  'These cases in this order, as the owner and moderators of the space see them: {id, targetType, targetId, author, '
  'title, excerpt, hidden, category, reportCount, reports [{category, reason}], withStaff, status, outcome, '
  'createdAt}. Calling functions check who may see the cases. A card never contains the reporter. The author is '
  'null if the caller can''t see that person.';
call private.force_index_scans('private.space_report_cards');

create function private.find_space_cases(p_space uuid, p_from app.place) returns app.found
language plpgsql stable security definer   -- callers may not read cases
set search_path = ''
as $$
declare
  v_from   timestamptz := p_from.at;
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select c.opened_at as at, c.id, not private.is_own_thing(c.target_type, c.target_id, c.person_id) as is_shown
    from app.cases c
    where c.space_id = p_space and c.space_id is not null and c.status = 'open'
      and (c.opened_at, c.id) < (v_from, v_before)
    order by c.opened_at desc, c.id desc limit 400
  ), seen as materialized (
    select array(select id from looked where is_shown order by at desc, id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('space reports ' || p_space, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_space_cases is
  'The open cases that are not about the caller, among the next 400 of a space.';
call private.force_index_scans('private.find_space_cases');

create function private.list_space_reports(p_kind text, p_id text, p_limit integer, p_cursor text) returns json
language plpgsql stable security definer   -- callers may not read cases
set search_path = ''
as $$
declare
  v_space uuid := (private.require_space(p_kind, p_id)).id;
  v_from  app.place := ('infinity', v_space)::app.place;   -- no row has this time, so any id works
  v_found app.found;
begin
  perform private.require_space_role(v_space, 'owner', 'moderator');
  if p_cursor is not null then
    v_from := private.require_place('space reports ' || v_space, p_cursor);
    v_from.at := coalesce(v_from.at, (select c.opened_at from app.cases c
                                      where c.id = v_from.id and c.space_id = v_space
                                        and not private.is_own_thing(c.target_type, c.target_id, c.person_id)));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_space_cases(v_space, v_from);
  return private.page(private.space_report_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function private.list_space_reports is
  'The open cases of a space for its owner and moderators, newest first, without those about the caller.';
call private.force_index_scans('private.list_space_reports');

create function api.list_space_reports(
  p_kind text, p_id text, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.list_space_reports(private.require_space_kind(p_kind), p_id, p_limit, p_cursor); end $$;
comment on function api.list_space_reports is
  'The open cases about things in a group or guild, newest first, for its owner and moderators. Nobody sees cases '
  'about what they wrote themselves.';

create function private.require_space_case(p_space uuid, p_case uuid, p_action text) returns app.cases
language plpgsql stable security definer   -- callers may not read cases
set search_path = ''
as $$
declare
  v_case app.cases;
begin
  perform private.require_space_role(p_space, 'owner', 'moderator');
  select * into v_case from app.cases c
  where c.id = p_case and c.space_id = p_space
    and not private.is_own_thing(c.target_type, c.target_id, c.person_id);
  if not found then
    perform private.raise_error('case_unknown');
  elsif p_action is distinct from 'unhide' and v_case.status = 'closed' then
    perform private.raise_error('case_closed');
  elsif p_action = 'dismiss' and v_case.staff_from <= now() then
    perform private.raise_error('case_with_staff');
  elsif private.is_claimed_by_another(v_case) then
    perform private.raise_error('case_claimed');
  elsif p_action = 'unhide' and (private.find_reported_place(v_case.target_type, v_case.target_id)).hidden
        and not private.is_hidden_by(p_space, v_case) then
    perform private.raise_error('hidden_by_staff');
  end if;
  return v_case;
end $$;
comment on function private.require_space_case is
  'Returns a case of a space if the caller may take this action in it: hide, unhide or dismiss.';

create function private.is_hidden_by(p_space uuid, p_case app.cases) returns boolean
language plpgsql stable security definer   -- callers may not read decisions
set search_path = ''
as $$
begin
  return exists (select from app.decisions d
                 where d.target_type = (p_case).target_type and d.target_id = (p_case).target_id
                   and d.lifted_at is null and d.action = 'hide' and d.space_id = p_space)
     and not exists (select from app.decisions d
                     where d.target_type = (p_case).target_type and d.target_id = (p_case).target_id
                       and d.lifted_at is null and d.action in ('hide', 'remove') and d.decided_by is null);
end $$;
comment on function private.is_hidden_by is
  'Returns whether only this space hid the thing of a case. If staff hides the thing afterwards, the decision of the '
  'space is lifted (private.record_decision). If a rule also hid the thing, only staff can show it.';

create function private.act_for_space(p_kind text, p_id text, p_case uuid, p_action text, p_reason text) returns json
language plpgsql volatile security definer   -- moderators of a space may not write posts and cases
set search_path = ''
as $$
declare
  v_space     uuid := (private.require_space(p_kind, p_id)).id;
  v_reason    text := private.find_reason(p_reason);
  v_case      app.cases;
  v_statement text;
begin
  perform private.count_writes('decisions');
  perform private.require_space_case(v_space, p_case, p_action);
  perform private.lock('case work', p_case::text);
  perform private.lock_visible_space(p_kind, p_id);
  -- check again, because the case may have changed meanwhile
  v_case := private.require_space_case(v_space, p_case, p_action);
  if p_action is distinct from 'dismiss' then
    select by_space into v_statement from private.case_handlers
    where target_type = v_case.target_type and action = p_action;
    if v_statement is null then
      perform private.raise_error('case_action');
    end if;
    perform set_config('kith.case', json_build_object(
      'caseId', v_case.id, 'category', v_case.category, 'rule', v_case.rule, 'spaceId', v_space)::text, true);
    execute v_statement using v_case.target_id, v_reason;   -- safe: the statement comes from the registry
    perform set_config('kith.case', '', true);
    perform private.restart_lock_order();
  end if;
  perform private.check_lock_order('case', p_case::text);
  update app.cases set updated_at = clock_timestamp() where id = p_case;
  perform private.add_case_event(p_case, 'space', null, json_build_object('spaceId', v_space, 'action', p_action));
  if p_action <> 'unhide' and v_case.staff_from > now() then
    perform private.end_case(p_case, case p_action when 'dismiss' then 'dismissed' else 'acted' end);
  end if;
  perform private.audit('case.space-' || p_action, 'case', p_case::text, json_build_object('spaceId', v_space));
  return private.space_report_cards(array[p_case]) -> 0;
end $$;
comment on function private.act_for_space is
  'Takes an action in a case for the owner or a moderator of its space. Dismissing and hiding close the case. If '
  'staff already has the case, the case stays open until staff decides. Fails: post_unknown, reply_unknown.';

create function api.act_on_space_report(
  p_kind text, p_id text, p_case_id uuid, p_action text, p_reason text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  return private.act_for_space(private.require_space_kind(p_kind), p_id, p_case_id, p_action, p_reason);
end $$;
comment on function api.act_on_space_report is
  'For the owner and moderators of a group or guild: hides a reported thing (hide), shows it again (unhide), or '
  'closes its case without hiding it (dismiss). Returns the case. Leaves an audit entry.';
