-- How staff works on a case. The steps are claims, notes, and changes of category, priority and rule. Each step locks
-- the case, checks its state, its claim and the caller's role, and adds an entry to its history. docs/decisions.md,
-- Staff.

insert into private.errors (code, status, text) values
  ('case_unknown', 404, 'There is no such case.'),
  ('case_closed', 409, 'The case is closed. This is only possible in an open case.'),
  ('case_claimed', 409, 'Somebody else is working on this case.'),
  ('case_own', 403, 'You cannot open a case about yourself or about what you wrote.'),
  ('case_action', 422, 'There is no such action for a thing of this type.'),
  ('case_person', 409, 'Nobody is responsible for this thing any more.'),
  ('case_target', 404, 'There is no such thing.'),
  ('case_note', 422, 'A note must have 1 to 2000 characters.'),
  ('case_priority', 422, 'A priority is 1 (first) to 4.'),
  ('case_rule', 422, 'A rule can have at most 300 characters.');

create function private.begin_case_work(p_case uuid, variadic p_actions text[]) returns app.cases
language plpgsql volatile security definer   -- staff may not read the registries
set search_path = ''
as $$
declare
  v_case   app.cases;
  v_action text;
  v_step   private.case_transitions;
begin
  perform private.require_role('moderator', 'admin');
  if not exists (select from app.cases c
                 where c.id = p_case and not private.is_own_thing(c.target_type, c.target_id, c.person_id)) then
    perform private.raise_error('case_unknown');
  end if;
  perform private.lock_case_work(p_case);
  select * into v_case from app.cases where id = p_case;
  foreach v_action in array p_actions loop
    select * into v_step from private.case_transitions where status = v_case.status and action = v_action;
    if not found then
      if exists (select from private.case_transitions where action = v_action) then
        perform private.raise_error('case_closed');
      end if;
      perform private.raise_error('case_action');
    end if;
    perform private.require_role(variadic v_step.roles);
    if 'claim' = any (v_step.needs) and private.is_claimed_by_another(v_case) then
      perform private.raise_error('case_claimed');
    elsif 'person' = any (v_step.needs) and v_case.person_id is null then
      perform private.raise_error('case_person');
    end if;
  end loop;
  return v_case;
end $$;
comment on function private.begin_case_work is
  'Locks the work on a case, and returns the case if its state, its claim and the caller''s role allow these actions. '
  'A case about the caller is unknown to the caller.';

create function private.end_case_work(
  p_case uuid, p_kind text, p_note text default null, p_detail json default '{}', p_next text default 'open'
) returns json
language plpgsql volatile security definer   -- staff may not write cases directly
set search_path = ''
as $$
begin
  perform private.check_lock_order('case', p_case::text);
  update app.cases
  set updated_at = clock_timestamp(),
      claimed_until = case when claimed_by = app.uid() and claimed_until > now() then now() + interval '30 minutes'
                           else claimed_until end
  where id = p_case;
  perform private.add_case_event(p_case, p_kind, p_note, p_detail);
  if p_next = 'closed' then
    perform private.end_case(p_case, case p_kind when 'dismissed' then 'dismissed' else 'acted' end);
  end if;
  perform private.audit('case.' || p_kind, 'case', p_case::text);
  return private.staff_card('cases', p_case);
end $$;
comment on function private.end_case_work is
  'Ends a step of work on a case: writes an audit entry and an entry in the history, and extends a claim of the '
  'caller to 30 minutes from now. Returns the case.';

create function private.require_short(p_text text, p_most integer, p_code text) returns text
language plpgsql stable
set search_path = ''
as $$
declare
  v_text text := nullif(private.require_text(p_text), '');
begin
  if length(v_text) > p_most then
    perform private.raise_error(p_code);
  end if;
  return v_text;
end $$;
comment on function private.require_short is
  'Returns a text in the form in which it is stored, or null if there is none; raises the code if the text is too '
  'long.';

create function private.set_case(p_case uuid, p_category text, p_rule text, p_priority integer) returns void
language plpgsql volatile security definer   -- staff may not write cases directly
set search_path = ''
as $$
begin
  perform private.check_lock_order('case', p_case::text);
  update app.cases
  set category = coalesce(p_category, category), rule = coalesce(p_rule, rule),
      priority = coalesce(p_priority, (select priority from private.case_categories
                                       where category = p_category), priority)
  where id = p_case;
end $$;
comment on function private.set_case is
  'Sets category, rule and priority of a case; null leaves a value as it is. A new category also sets its priority.';

create function api.claim_case(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.begin_case_work(p_id, 'claim');
  perform private.set_claim(p_id, true);
  return private.end_case_work(p_id, 'claimed');
end $$;
comment on function api.claim_case is
  'Claims an open case for 30 minutes. Whenever the caller works on the case, the 30 minutes begin again. Returns '
  'the case. Leaves an audit entry.';

create function private.set_claim(p_case uuid, p_claimed boolean) returns void
language plpgsql volatile security definer   -- staff may not write cases directly
set search_path = ''
as $$
begin
  perform private.check_lock_order('case', p_case::text);
  update app.cases
  set claimed_by = case when p_claimed then app.uid() end,
      claimed_until = case when p_claimed then now() + interval '30 minutes' end
  where id = p_case;
end $$;
comment on function private.set_claim is 'Claims a case for the caller, or ends any claim.';

create function api.release_case(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_case app.cases := private.begin_case_work(p_id, 'release');
begin
  if v_case.claimed_by is null then
    return private.staff_card('cases', p_id);
  elsif private.is_claimed_by_another(v_case) then
    perform private.require_role('admin');
  end if;
  perform private.set_claim(p_id, false);
  return private.end_case_work(p_id, 'released');
end $$;
comment on function api.release_case is
  'Ends the caller''s claim of a case; an admin can end anybody''s. Returns the case. Repeating it changes nothing. '
  'Leaves an audit entry.';

create function api.add_case_note(p_id uuid, p_text text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_text text;
begin
  perform private.require_role('moderator', 'admin');
  v_text := private.require_short(p_text, 2000, 'case_note');
  if v_text is null then
    perform private.raise_error('case_note');
  end if;
  perform private.begin_case_work(p_id, 'note');
  return private.end_case_work(p_id, 'note', v_text);
end $$;
comment on function api.add_case_note is 'Adds a note for staff to a case. Returns the case. Leaves an audit entry.';

create function api.update_case(
  p_id uuid, p_category text default null, p_priority integer default null, p_rule text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_rule text;
begin
  perform private.require_role('moderator', 'admin');
  v_rule := private.require_short(p_rule, 300, 'case_rule');
  if p_category is not null then
    perform private.require_category(p_category);
  end if;
  if p_priority not between 1 and 4 then
    perform private.raise_error('case_priority');
  end if;
  perform private.begin_case_work(p_id, 'change');
  perform private.set_case(p_id, p_category, v_rule, p_priority);
  return private.end_case_work(p_id, 'changed', null,
                               json_build_object('category', p_category, 'priority', p_priority));
end $$;
comment on function api.update_case is
  'Changes category, priority and rule of an open case. Returns the case. Leaves an audit entry.';
