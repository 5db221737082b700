-- How staff lists, makes, changes and deletes rules.
-- docs/decisions.md, Staff.

create view private.staff_rules with (security_invoker) as
select r.created_at as at, r.id, r.mode, r.name as said,
       json_build_object(
         'id', r.id,
         'name', r.name,
         'conditions', r.conditions,
         'appliesTo', to_json(r.applies_to),
         'category', r.category,
         'action', r.action,
         'mode', r.mode,
         'modeSince', private.utc(r.mode_since),
         'replayedAt', private.utc(r.replayed_at),
         'createdAt', private.utc(r.created_at)) as card
from app.moderation_rules r;
comment on view private.staff_rules is 'Rules as staff sees them.';

create view private.staff_rule_hits with (security_invoker) as
select h.created_at as at, h.id, h.rule_id, h.mode, h.target_id::text as said,
       json_build_object(
         'id', h.id,
         'targetType', h.target_type,
         'targetId', h.target_id,
         'authorId', h.author_id,
         'author', author.card,
         'mode', h.mode,
         'action', h.action,
         'caseId', h.case_id,
         'createdAt', private.utc(h.created_at)) as card,
       private.is_own_thing(h.target_type, h.target_id, h.author_id) as own
from app.rule_hits h
join app.person_card author on author.id = h.author_id;
comment on view private.staff_rule_hits is
  'Hits of rules as staff sees them. own says whether the caller wrote the thing that was hit.';

create function private.require_rule(p_id uuid) returns app.moderation_rules
language plpgsql stable security definer   -- callers may not read rules, not even the service role
set search_path = ''
as $$
declare
  v_rule app.moderation_rules;
begin
  perform private.require_role('moderator', 'admin');
  select * into v_rule from app.moderation_rules where id = p_id;
  if not found then
    perform private.raise_error('rule_unknown');
  end if;
  return v_rule;
end $$;
comment on function private.require_rule is 'Returns the rule, for staff.';

create function api.list_rules(
  p_mode text default null, p_q text default null, p_from timestamptz default null, p_to timestamptz default null,
  p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page('rules', json_build_object('mode', p_mode), array['mode'], p_q, p_from, p_to, p_limit,
                            p_cursor);
end $$;
comment on function api.list_rules is 'Rules, newest first.';

create function api.get_rule(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.staff_card('rules', (private.require_rule(p_id)).id); end $$;
comment on function api.get_rule is
  'A rule: {id, name, conditions, appliesTo, category, action, mode, modeSince, replayedAt, createdAt}.';

create function api.list_rule_hits(
  p_id uuid, p_mode text default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page(
    'rule_hits', json_build_object('rule_id', (private.require_rule(p_id)).id, 'mode', p_mode, 'own', false),
    array['rule_id'], p_q, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_rule_hits is 'The hits of a rule, newest first, without those on what the caller wrote.';

create function private.add_rule(
  p_name text, p_conditions jsonb, p_applies_to text[], p_action text, p_category text
) returns uuid
language plpgsql volatile security definer   -- callers may not write rules, not even the service role
set search_path = ''
as $$
declare
  v_compiled private.condition[];
  v_id       uuid;
begin
  perform private.require_role('admin');
  v_compiled := private.read_conditions(p_conditions);
  perform private.lock('rules');
  if (select count(*) from app.moderation_rules) >= 50 then
    perform private.raise_error('rules_exhausted');
  end if;
  insert into app.moderation_rules (name, conditions, compiled, at_report, applies_to, action, category)
  values (private.read_rule_name(p_name), p_conditions, v_compiled,
          exists (select from unnest(v_compiled) c join private.rule_conditions k on k.kind = c.kind
                  where k.moment = 'report'),
          private.read_applies_to(p_applies_to), p_action, (private.require_category(p_category)).category)
  returning id into v_id;
  return v_id;
end $$;
comment on function private.add_rule is 'Adds a rule in shadow, and returns its id.';

create function api.create_rule(
  p_name text, p_conditions jsonb, p_applies_to text[], p_action text, p_category text default 'other'
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id   uuid := private.add_rule(p_name, p_conditions, p_applies_to, p_action, p_category);
  v_card json := private.staff_card('rules', v_id);
begin
  perform private.audit('rule.created', 'rule', v_id::text, v_card);
  return v_card;
end $$;
comment on function api.create_rule is
  'Makes a rule, which begins in shadow, and returns it as api.get_rule does. Leaves an audit entry. Fails: '
  'value_invalid.';

create function private.change_rule(p_id uuid, p_changes jsonb) returns boolean
language plpgsql volatile security definer   -- callers may not write rules, not even the service role
set search_path = ''
as $$
declare
  v_rule app.moderation_rules;
  v_new  app.moderation_rules;
begin
  perform private.require_role('admin');
  perform private.lock('rules');
  v_rule := private.require_rule(p_id);
  v_new := v_rule;
  if p_changes ? 'name' then
    v_new.name := private.read_rule_name(p_changes ->> 'name');
  end if;
  v_new.action := coalesce(p_changes ->> 'action', v_rule.action);
  v_new.mode := coalesce(p_changes ->> 'mode', v_rule.mode);
  if v_new.mode = 'live' and v_rule.mode <> 'live' and v_rule.replayed_at is null
     and not (v_rule.mode = 'shadow' and v_rule.mode_since <= now() - interval '1 day') then
    perform private.raise_error('rule_untried');
  end if;
  update app.moderation_rules
  set name = v_new.name, action = v_new.action, mode = v_new.mode,
      mode_since = case when mode = v_new.mode then mode_since else now() end
  where id = p_id and (name, action, mode) is distinct from (v_new.name, v_new.action, v_new.mode);
  return found;
end $$;
comment on function private.change_rule is
  'Changes the name, the action or the mode of a rule. Returns false if nothing changed.';

create function api.update_rule(p_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if private.change_rule(p_id, p_changes) then
    perform private.audit('rule.changed', 'rule', p_id::text, private.staff_card('rules', p_id));
  end if;
  return private.staff_card('rules', p_id);
end $$;
comment on function api.update_rule is
  'Changes a rule, {name, action, mode}, and returns it. Its conditions never change. A rule can go live only after '
  'a day in shadow or a replay. Repeating it changes nothing. Leaves an audit entry. Fails: value_invalid.';

create function private.drop_rule(p_id uuid) returns boolean
language plpgsql volatile security definer   -- callers may not write rules, not even the service role
set search_path = ''
as $$
begin
  perform private.require_role('admin');
  perform private.lock('rules');
  perform private.require_rule(p_id);
  delete from app.moderation_rules where id = p_id;
  return found;
end $$;
comment on function private.drop_rule is 'Deletes a rule.';

create function api.delete_rule(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if private.drop_rule(p_id) then
    perform private.audit('rule.deleted', 'rule', p_id::text);
  end if;
  return null;   -- null becomes a 204 response
end $$;
comment on function api.delete_rule is
  'Deletes a rule. Things that it hid stay hidden. A job deletes its hits when they are old. Leaves an audit entry.';
