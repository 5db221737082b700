-- The actions of staff in a case on the thing and on the person. Either all actions of a request succeed, or none.
-- docs/decisions.md, Staff.

insert into private.errors (code, status, text) values
  ('case_actions', 422, 'There must be 1 to 5 different actions. Dismiss must be the only action, and at most one '
    'action can change the state of the person.'),
  ('case_reason', 422, 'This action needs a reason, which the person reads.'),
  ('case_until', 422, 'A suspension needs a time at which it ends, and no other action takes one.');

create function private.find_handler(p_case app.cases, p_action text) returns private.case_handlers
language plpgsql stable security definer   -- staff may not read the registry
set search_path = ''
as $$
declare
  v_handler private.case_handlers;
begin
  select * into v_handler from private.case_handlers
  where action = p_action and target_type in ((p_case).target_type, 'user')
  order by target_type = 'user' limit 1;
  return v_handler;
end $$;
comment on function private.find_handler is
  'Returns the handler of an action in this case; null if the action is not possible.';

create function private.check_actions(p_case app.cases, p_actions text[], p_until timestamptz) returns void
language plpgsql stable security definer   -- staff may not read the registries
set search_path = ''
as $$
declare
  v_needs text[];
begin
  if exists (select from unnest(p_actions) a
             where a <> 'dismiss' and (private.find_handler(p_case, a)).action is null) then
    perform private.raise_error('case_action');
  elsif cardinality(p_actions) not between 1 and 5
     or cardinality(p_actions) > (select count(distinct a) from unnest(p_actions) a)
     or 'dismiss' = any (p_actions) and cardinality(p_actions) > 1
     or (select count(*) from unnest(p_actions) a where (private.find_handler(p_case, a)).place = 9) > 1 then
    perform private.raise_error('case_actions');
  end if;
  v_needs := array(select unnest(needs) from private.case_transitions
                   where status = (p_case).status and action = any (p_actions));
  if ('until' = any (v_needs)) <> (p_until is not null) then
    perform private.raise_error('case_until');
  end if;
  perform private.check_until(p_until);
end $$;
comment on function private.check_actions is
  'Checks that these actions can be taken together in this case.';

create function private.needs_reason(p_actions text[]) returns boolean
language plpgsql stable security definer   -- staff may not read the registry
set search_path = ''
as $$
begin
  return exists (select from private.case_transitions where action = any (p_actions) and 'reason' = any (needs));
end $$;
comment on function private.needs_reason is 'Returns whether one of these actions needs a reason.';

create function private.act_in_case(
  p_case app.cases, p_actions text[], p_reason text, p_category text, p_rule text, p_until timestamptz
) returns text
language plpgsql volatile security definer   -- the statements come from the registry; each checks the caller's role
set search_path = ''
as $$
declare
  v_handler private.case_handlers;
begin
  perform set_config('kith.case', json_build_object(
    'caseId', (p_case).id, 'category', coalesce(p_category, (p_case).category),
    'rule', coalesce(p_rule, (p_case).rule))::text, true);
  if exists (select from unnest(p_actions) a cross join lateral private.find_handler(p_case, a) h
             where h.target_type = 'user') then
    -- lock the person before the thing, in the same order as a ban and an erasure
    perform private.lock_account((p_case).person_id);
  end if;
  for v_handler in
    select h.* from unnest(p_actions) a cross join lateral private.find_handler(p_case, a) h
    where a <> 'dismiss' order by h.place, h.action
  loop
    perform private.restart_lock_order();
    -- safe: the statement comes from the registry
    execute v_handler.statement
    using case when v_handler.target_type = 'user' then (p_case).person_id else (p_case).target_id end,
          p_reason, p_until;
  end loop;
  if 'dismiss' = any (p_actions) then
    perform private.release_held((p_case).target_type, (p_case).target_id);
  end if;
  perform set_config('kith.case', '', true);
  return case when exists (select from private.case_transitions
                           where status = (p_case).status and action = any (p_actions) and next = 'closed')
              then 'closed' else 'open' end;
end $$;
comment on function private.act_in_case is
  'Takes these actions in a case whose work is locked, and returns the new state of the case. Fails: '
  'private.set_post_hidden, private.set_reply_hidden, api.remove_post, private.set_content_removed, '
  'private.warn_person, api.limit_person, api.ban_person. Never: limit_oneself, ban_oneself, content_kind, '
  'reason_length, text_unfit.';

create function api.act_on_case(
  p_id uuid, p_actions text[], p_reason text default null, p_category text default null, p_rule text default null,
  p_until timestamptz default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_reason text;
  v_rule   text;
  v_case   app.cases;
  v_next   text;
begin
  perform private.require_role('moderator', 'admin');
  v_reason := private.find_reason(p_reason);
  v_rule := private.require_short(p_rule, 300, 'case_rule');
  if p_category is not null then
    perform private.require_category(p_category);
  end if;
  v_case := private.begin_case_work(p_id, variadic coalesce(p_actions, '{}'));
  perform private.check_actions(v_case, coalesce(p_actions, '{}'), p_until);
  if v_reason is null and private.needs_reason(p_actions) then
    perform private.raise_error('case_reason');
  end if;
  v_next := private.act_in_case(v_case, p_actions, v_reason, p_category, v_rule, p_until);
  perform private.restart_lock_order();
  perform private.set_case(p_id, p_category, v_rule, null);
  return private.end_case_work(p_id, case p_actions when '{dismiss}' then 'dismissed' else 'acted' end, null,
                               json_build_object('actions', p_actions), v_next);
end $$;
comment on function api.act_on_case is
  'Takes one or several actions in a case, all or none: dismiss, warn, hide, unhide, remove, restore, limit, unlimit, '
  'suspend, ban, unban. Dismissing the case shows the thing again if only a rule has hidden it. Returns the case. The '
  'person concerned is notified and reads the reason at /me/standing. Leaves an audit entry for each.';
