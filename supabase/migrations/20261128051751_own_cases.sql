-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP VIEW "private"."staff_case_reports";

DROP VIEW "private"."staff_cases";

DROP VIEW "private"."staff_decision_appeals";

DROP VIEW "private"."staff_rule_hits";

DROP FUNCTION "private"."check_case_worker"(app.cases, boolean);

ALTER TABLE "private"."report_targets" ADD COLUMN "co_authors" text;

CREATE OR REPLACE FUNCTION api.create_case(p_target_type text, p_target_id text, p_category text DEFAULT NULL::text, p_note text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION api.get_case(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_case app.cases;
begin
  perform private.require_role('moderator', 'admin');
  select * into v_case from app.cases where id = p_id;
  if not found or private.is_own_thing(v_case.target_type, v_case.target_id, v_case.person_id) then
    perform private.raise_error('case_unknown');
  end if;
  return private.merge_objects(private.staff_card('cases', p_id), private.case_file(v_case));
end $function$;

CREATE OR REPLACE FUNCTION api.get_report(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_report app.reports;
begin
  perform private.require_role('moderator', 'admin');
  select * into v_report from app.reports where id = p_id;
  if not found or private.is_own_thing(v_report.target_type, v_report.target_id, v_report.author_id) then
    perform private.raise_error('report_unknown');
  end if;
  return private.merge_objects(private.staff_card('reports', p_id), private.report_file(v_report));
end $function$;

CREATE OR REPLACE FUNCTION api.list_cases(p_status text DEFAULT NULL::text, p_category text DEFAULT NULL::text, p_priority integer DEFAULT NULL::integer, p_claimed text DEFAULT NULL::text, p_target_type text DEFAULT NULL::text, p_person_id text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text, p_waiting boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION api.list_decision_appeals(p_status text DEFAULT NULL::text, p_person_id text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.staff_page(
    'decision_appeals', json_build_object(
      'person_id', private.find_staff_person(p_person_id), 'status', p_status, 'own', false),
    array['person_id', 'status'], p_q, p_from, p_to, p_limit, p_cursor);
end $function$;

CREATE OR REPLACE FUNCTION api.list_reports(p_status text DEFAULT NULL::text, p_target_type text DEFAULT NULL::text, p_reporter_id text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text, p_waiting boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION api.list_rule_hits(p_id uuid, p_mode text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.staff_page(
    'rule_hits', json_build_object('rule_id', (private.require_rule(p_id)).id, 'mode', p_mode, 'own', false),
    array['rule_id'], p_q, p_from, p_to, p_limit, p_cursor);
end $function$;

CREATE OR REPLACE FUNCTION private.begin_case_work(p_case uuid, VARIADIC p_actions text[])
 RETURNS app.cases
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION private.content_reasons(p_content app.contents, p_person uuid, p_access private.access)
 RETURNS private.access_reason[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_rule    record;
  v_student boolean;
  v_effect  text;
begin
  select * into v_rule from private.visibility((p_content).author_id, 0, (p_content).space_id, p_viewer => p_person);
  v_student := (p_content).is_draft and p_access.can_see and v_rule.level < 3;   -- private.visible_courses
  v_effect := case when v_rule.level = 3 then 'leaves_out' else 'denies' end;   -- what nobody but the author sees
  return array_remove(
    array[case when (p_content).deleted_at is not null then
            private.reason('deleted', 'denies') end]
    || private.author_reasons((p_content).author_id, p_person, v_rule.level, (p_content).author_hidden)
    || array[
      case when (p_content).removed_at is not null then
        private.reason(private.hider((p_content).kind, (p_content).id, 'removed'), v_effect) end,
      case when v_student then private.reason('student', 'allows')
           when (p_content).is_draft then private.reason('draft', v_effect) end,
      case when v_rule.level between 0 and 2 and (p_content).space_id is null and not (p_content).is_draft then
        private.reason('public', 'allows') end,
      case when (p_content).space_id is not null then
        private.reason_of_sight(v_rule.is_inside, 'space_member', 'space_private',
                                (select s.kind from app.spaces s where s.id = (p_content).space_id),
                                (p_content).space_id) end,
      case when p_access.can_see and not v_student and not p_access.is_listed then
        private.reason('limited_author', 'leaves_out') end], null);
end $function$;

CREATE OR REPLACE FUNCTION private.find_access(p_type text, p_id uuid)
 RETURNS private.access
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_access private.access := (p_type, p_id, null, false, null, null, null)::private.access;
  v_choice app.feed_choice := (
    null, null, false, null, 0, private.muted_people(), private.muted_posts(), private.find_muted_words(), 1, 200000,
    null)::app.feed_choice;
begin
  if p_type = 'post' then
    v_access.can_see := exists (select from private.visible_posts where id = p_id);
    v_access.is_listed := exists (select from private.listed_posts where id = p_id);
    v_access.is_muted := v_access.is_listed and cardinality((private.without_phrases(
      v_choice.muted_words, private.feed_chosen(v_choice, array[p_id], true), null, v_choice.characters)).ids) = 0;
    -- no feed has what only its author sees
    v_access.is_shown := v_access.is_listed and not v_access.is_muted
      and exists (select from app.posts where id = p_id and required_level <= 2);
  elsif p_type = 'reply' then
    v_access.can_see := exists (select from private.visible_replies where id = p_id);
  elsif p_type = 'content' then
    v_access.can_see := exists (select from private.visible_contents where id = p_id)
                     or exists (select from private.visible_courses where id = p_id);
    v_access.is_listed := exists (select from private.listed_contents where id = p_id);
    v_access.is_shown := v_access.is_listed
      and exists (select from app.contents where id = p_id and not is_draft and removed_at is null);
  elsif p_type = 'conversation' then
    v_access.can_see := exists (select from app.conversation_members
                                where conversation_id = p_id and user_id = app.uid());
  else
    v_access.can_see := (select v.is_inside from private.visibility(app.uid(), 0, p_id) v);
  end if;
  return v_access;
end $function$;

CREATE OR REPLACE FUNCTION private.find_space_cases(p_space uuid, p_from app.place)
 RETURNS app.found
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION private.is_hidden_by(p_space uuid, p_case app.cases)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from app.decisions d
                 where d.target_type = (p_case).target_type and d.target_id = (p_case).target_id
                   and d.lifted_at is null and d.action = 'hide' and d.space_id = p_space)
     and not exists (select from app.decisions d
                     where d.target_type = (p_case).target_type and d.target_id = (p_case).target_id
                       and d.lifted_at is null and d.action in ('hide', 'remove') and d.decided_by is null);
end $function$;

CREATE OR REPLACE FUNCTION private.is_own_thing(p_type text, p_id uuid, p_author uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_query text;
  v_wrote boolean := p_author is not null and p_author = app.uid();
begin
  if not v_wrote then
    v_query := (select co_authors from private.report_targets where type = p_type);
    if v_query is not null then
      -- safe: the query comes from the registry
      execute format('select coalesce(app.uid() = any (array(%s)), false)', v_query) into v_wrote using p_id;
    end if;
  end if;
  return v_wrote;
end $function$;

ALTER FUNCTION "private"."is_own_thing"(text, uuid, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.list_space_reports(p_kind text, p_id text, p_limit integer, p_cursor text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_space uuid := (private.require_space(p_kind, p_id)).id;
  v_from  app.place := ('infinity', v_space)::app.place;   -- any id works: no case is at infinity
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
end $function$;

CREATE OR REPLACE FUNCTION private.lock_held(p_type text, p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_type private.judged_types := (select t from private.judged_types t where t.type = p_type);
begin
  if v_type.type is not null and private.only_rules_hid(p_type, p_id) then
    perform private.lock_judged(p_type, p_id);
    -- safe: the name comes from the registry
    execute format('select from %s where id = $1 for no key update', v_type.relation) using p_id;
  end if;
end $function$;

ALTER FUNCTION "private"."lock_held"(text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.others_hid(p_type text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.only_rules_hid(p_type, p_id)
      or nullif(current_setting('kith.case', true), '')::json ->> 'spaceId' is null
         and exists (select from app.decisions d
                     where d.target_type = p_type and d.target_id = p_id and d.lifted_at is null
                       and d.action = 'hide' and d.space_id is not null);
end $function$;

CREATE OR REPLACE FUNCTION private.release_held(p_type text, p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_type   private.judged_types := (select t from private.judged_types t where t.type = p_type);
  v_author uuid;
begin
  if v_type.type is null then
    return;
  elsif not private.only_rules_hid(p_type, p_id) then
    -- what a space hides as well stays hidden, by the decision of the space alone
    update app.decisions set lifted_at = now()
    where target_type = p_type and target_id = p_id and lifted_at is null and action in ('hide', 'remove')
      and decided_by is null;
    return;
  end if;
  perform private.lock_judged(p_type, p_id);
  -- safe: the names come from the registry
  execute format('select author_id from %s where id = $1 and %I is not null and deleted_at is null for no key update',
                 v_type.relation, v_type.hidden_at) into v_author using p_id;
  if v_author is null or not private.only_rules_hid(p_type, p_id) then
    return;   -- staff has decided while we waited
  end if;
  execute format('update %s set %I = null where id = $1', v_type.relation, v_type.hidden_at) using p_id;
  perform private.record_moderation(
    p_type, p_id,
    (select l.verb from private.decision_kinds k join private.decision_kinds l on l.action = k.action and l.lifts
     where k.verb = v_type.verb), v_author, null);
end $function$;

CREATE OR REPLACE FUNCTION private.release_settled(p_case uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
declare
  v_case app.cases;
begin
  select * into v_case from app.cases where id = p_case;
  perform private.lock_held(v_case.target_type, v_case.target_id);
  perform private.check_lock_order('case', p_case::text);
  -- locks the row before it looks, so that a report that is being added counts
  perform from app.cases where id = p_case for no key update;
  if not exists (select from app.case_reports c join app.reports r on r.id = c.report_id
                 where c.case_id = p_case and r.status = 'open') then
    perform private.restart_lock_order();   -- what hiding the thing locks is locked already
    perform private.release_held(v_case.target_type, v_case.target_id);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.report_cards(p_ids uuid[])
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
 SET enable_incremental_sort TO 'off'
 SET enable_presorted_aggregate TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
AS $function$
begin
  perform private.require_role('moderator', 'admin');
  return (select coalesce(json_agg(r.card order by p.place), '[]')
          from unnest(p_ids) with ordinality as p (id, place)
          join private.staff_reports r on r.id = p.id
          join app.reports o on o.id = p.id
          where not private.is_own_thing(o.target_type, o.target_id, o.author_id));
end $function$;

CREATE OR REPLACE FUNCTION private.require_space_case(p_space uuid, p_case uuid, p_action text)
 RETURNS app.cases
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION private.set_post_hidden(p_id uuid, p_hidden boolean, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('moderator', 'admin');
  if not p_hidden and exists (select from app.posts where id = p_id
                              and private.is_own_thing('post', id, author_id)) then
    perform private.require_role('admin');
  end if;
  return private.write_post_hidden(p_id, p_hidden, p_reason);
end $function$;

CREATE OR REPLACE FUNCTION private.settle_decision_appeal(p_id uuid, p_verdict text, p_answer text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_status   text := case p_verdict when 'uphold' then 'upheld' else 'overturned' end;
  v_appeal   app.decision_appeals;
  v_decision app.decisions;
  v_undone   boolean;
begin
  select * into v_appeal from app.decision_appeals where id = p_id and person_id <> app.uid();
  if not found then
    perform private.raise_error('appeal_unknown');
  end if;
  select * into v_decision from app.decisions where id = v_appeal.decision_id;
  perform private.lock_case_work(coalesce(v_decision.case_id, v_decision.id));
  select * into v_decision from app.decisions where id = v_appeal.decision_id;
  perform private.require_role(variadic private.appeal_roles(v_decision));
  if not private.may_resolve(v_decision) then
    perform private.raise_error('appeal_own_decision');
  elsif not exists (select from app.decision_appeals where id = p_id and status = 'pending') then
    -- of two members of staff, the second waits for the first and then fails here
    perform private.raise_error('appeal_resolved');
  end if;
  if v_status = 'overturned' then
    v_undone := private.overturn(v_decision);
    perform private.restart_lock_order();
  end if;
  update app.decision_appeals
  set status = v_status, undone = v_undone, answer = p_answer, resolved_by = app.uid(), resolved_at = now()
  where id = p_id;
  perform private.emit('moderation.appeal.resolved', json_build_object(
    'decisionId', v_decision.id, 'personId', v_decision.person_id, 'action', v_status), array[v_decision.person_id]);
  if v_decision.case_id is not null then
    perform private.add_case_event(v_decision.case_id, v_status, null, json_build_object(
      'decisionId', v_decision.id, 'appealId', p_id, 'undone', v_undone));
  end if;
  perform private.audit('appeal.' || v_status, 'decision', v_decision.id::text);
end $function$;

CREATE OR REPLACE FUNCTION private.settle_report(p_id uuid, p_status text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_case     uuid;
  v_reporter uuid;
begin
  perform private.require_role('moderator', 'admin');
  if not exists (select from app.reports r
                 where r.id = p_id and not private.is_own_thing(r.target_type, r.target_id, r.author_id)) then
    perform private.raise_error('report_unknown');
  end if;
  v_case := (select case_id from app.case_reports where report_id = p_id);
  perform private.lock_case_work(v_case);
  if exists (select from app.cases c where c.id = v_case and private.is_claimed_by_another(c)) then
    perform private.raise_error('case_claimed');
  end if;
  update app.reports set status = p_status, reviewed_by = app.uid(), reviewed_at = now()
  where id = p_id and status = 'open'
  returning reporter_id into v_reporter;
  if not found then
    -- of two concurrent moderators, the second waits for the first and then fails here
    perform private.raise_error('report_settled');
  end if;
  perform private.emit_moderation('report', p_id, p_status, v_reporter);
  if p_status = 'dismissed' then
    perform private.restart_lock_order();
    perform private.release_settled(v_case);
    perform private.restart_lock_order();
  end if;
  perform private.end_case_without_reports(v_case, case p_status when 'dismissed' then 'dismissed' else 'acted' end);
  perform private.audit('report.' || p_status, 'report', p_id::text);
  return private.staff_card('reports', p_id);
end $function$;

CREATE VIEW "private"."staff_case_reports" WITH (security_invoker=true) AS  SELECT r.at,
    r.id,
    r.status,
    r.target_type,
    r.target_id,
    r.reporter_id,
    r.said,
    r.card,
    ((r.status = 'open'::text) AND COALESCE(((c.status = 'open'::text) AND (c.staff_from > now())), false)) AS waiting,
    private.is_own_thing(o.target_type, o.target_id, o.author_id) AS own
   FROM (((private.staff_reports r
     JOIN app.reports o ON ((o.id = r.id)))
     LEFT JOIN app.case_reports b ON ((b.report_id = r.id)))
     LEFT JOIN app.cases c ON ((c.id = b.case_id)));

ALTER VIEW "private"."staff_case_reports" OWNER TO "postgres";

CREATE VIEW "private"."staff_cases" WITH (security_invoker=true) AS  SELECT c.opened_at AS at,
    c.id,
    c.place,
    c.status,
    c.category,
    c.priority,
    c.target_type,
    c.target_id,
    c.person_id,
    c.source,
    concat_ws(' '::text, c.rule, u.username) AS said,
    c.claimed_by,
    (
        CASE
            WHEN (c.claimed_until > now()) THEN c.claimed_by
            ELSE NULL::uuid
        END IS NOT NULL) AS claimed,
    ((c.status = 'open'::text) AND (c.staff_from > now())) AS waiting,
    json_build_object('id', c.id, 'targetType', c.target_type, 'targetId', c.target_id, 'personId', c.person_id, 'person', person.card, 'category', c.category, 'rule', c.rule, 'priority', c.priority, 'source', c.source, 'status', c.status, 'outcome', c.outcome, 'reportCount', c.reports, 'claimedById',
        CASE
            WHEN (c.claimed_until > now()) THEN c.claimed_by
            ELSE NULL::uuid
        END, 'claimedBy',
        CASE
            WHEN (c.claimed_until > now()) THEN claimer.card
            ELSE NULL::json
        END, 'claimedUntil',
        CASE
            WHEN (c.claimed_until > now()) THEN private.utc(c.claimed_until)
            ELSE NULL::text
        END, 'closedById', c.closed_by, 'closedAt', private.utc(c.closed_at), 'spaceId', c.space_id, 'staffFrom', private.utc(c.staff_from), 'updatedAt', private.utc(c.updated_at), 'createdAt', private.utc(c.opened_at)) AS card,
    private.is_own_thing(c.target_type, c.target_id, c.person_id) AS own
   FROM (((app.cases c
     LEFT JOIN app.users u ON ((u.id = c.person_id)))
     LEFT JOIN app.person_card person ON ((person.id = c.person_id)))
     LEFT JOIN app.person_card claimer ON ((claimer.id = c.claimed_by)));

ALTER VIEW "private"."staff_cases" OWNER TO "postgres";

CREATE VIEW "private"."staff_decision_appeals" WITH (security_invoker=true) AS  SELECT a.created_at AS at,
    a.id,
    a.status,
    a.person_id,
    concat_ws(' '::text, u.username, a.text, a.answer) AS said,
    json_build_object('id', a.id, 'personId', a.person_id, 'person', person.card, 'text', a.text, 'status', a.status, 'undone', a.undone, 'answer', a.answer, 'mayResolve', ((a.status = 'pending'::text) AND private.may_resolve(d.*)), 'resolvedById', a.resolved_by, 'resolvedAt', private.utc(a.resolved_at), 'createdAt', private.utc(a.created_at), 'decision', private.decision_card(d.*)) AS card,
    (a.person_id = app.uid()) AS own
   FROM (((app.decision_appeals a
     JOIN app.decisions d ON ((d.id = a.decision_id)))
     JOIN app.users u ON ((u.id = a.person_id)))
     JOIN app.person_card person ON ((person.id = a.person_id)));

ALTER VIEW "private"."staff_decision_appeals" OWNER TO "postgres";

CREATE VIEW "private"."staff_rule_hits" WITH (security_invoker=true) AS  SELECT h.created_at AS at,
    h.id,
    h.rule_id,
    h.mode,
    (h.target_id)::text AS said,
    json_build_object('id', h.id, 'targetType', h.target_type, 'targetId', h.target_id, 'authorId', h.author_id, 'author', author.card, 'mode', h.mode, 'action', h.action, 'caseId', h.case_id, 'createdAt', private.utc(h.created_at)) AS card,
    private.is_own_thing(h.target_type, h.target_id, h.author_id) AS own
   FROM (app.rule_hits h
     JOIN app.person_card author ON ((author.id = h.author_id)));

ALTER VIEW "private"."staff_rule_hits" OWNER TO "postgres";

COMMENT ON COLUMN "private"."report_targets"."co_authors" IS 'The query for the people who wrote a target ($1) with its author; null if nobody can. It has an index.';

COMMENT ON FUNCTION "api"."create_case"(text, text, text, text) IS 'Opens a case about a thing that nobody reported, or adds a note to its open case. Nobody opens one about themselves or what they wrote. Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."get_case"(uuid) IS 'A case with the thing, its reports, earlier cases, proposals, history, and the decisions about the person. A case about the caller is unknown.';

COMMENT ON FUNCTION "api"."get_report"(uuid) IS 'A report with the reported thing, its author, the other reports of the thing and the author''s history. Reports about the caller are unknown.';

COMMENT ON FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) IS 'Cases, the most urgent first, of the same priority the oldest first. Filters: state, category, priority, claimed by me or nobody, type of the target, person, rule or username, a period, an id. With p_waiting only those that still belong to a group or guild, otherwise only the others. Nobody sees cases about themselves.';

COMMENT ON FUNCTION "api"."list_decision_appeals"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'Appeals against decisions of staff, newest first, without those of the caller.';

COMMENT ON FUNCTION "api"."list_reports"(text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) IS 'Reports, newest first. An id in p_q is the id of a report or of its target. With p_waiting only the open ones whose case still belongs to a group or guild, otherwise only the others. Nobody sees reports about themselves.';

COMMENT ON FUNCTION "api"."list_rule_hits"(uuid, text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'The hits of a rule, newest first, without those of what the caller wrote.';

COMMENT ON FUNCTION "api"."retry_failed_jobs"(text, timestamp with time zone) IS 'Puts up to 500 jobs of a queue that failed for good back on it, the oldest first, each once: {retried, more}. more says whether others are left. Leaves an audit entry.';

COMMENT ON FUNCTION "private"."begin_case_work"(uuid, text[]) IS 'Locks the work on a case and returns it, if its state, its claim and the caller''s role allow these actions. A case about the caller is unknown.';

COMMENT ON FUNCTION "private"."is_hidden_by"(uuid, app.cases) IS 'Whether it was this space alone that hid the thing of a case. If staff hides it then, the decision of the space is lifted (private.record_decision). If a rule hid it as well, only staff can show it.';

COMMENT ON FUNCTION "private"."is_own_thing"(text, uuid, uuid) IS 'Whether the caller answers for a thing: as p_author, or as one of its co-authors. Such things are no work of theirs.';

COMMENT ON FUNCTION "private"."lock_held"(text, uuid) IS 'Locks what private.release_held locks, for callers who lock the case after it.';

COMMENT ON FUNCTION "private"."others_hid"(text, uuid) IS 'Whether a hidden thing was hidden by a rule or, if the caller works for none, by a space. A space adds its decision to that of the rule, and staff replaces them (private.record_decision).';

COMMENT ON FUNCTION "private"."report_cards"(uuid[]) IS 'These reports as staff sees them, in order, without those about the caller.';

COMMENT ON FUNCTION "private"."settle_report"(uuid, text) IS 'Settles an open report, and closes its case if no other report of it is open. To dismiss the last one shows again what only a rule has hidden. Its reporter is notified, but does not learn who settled it; the reported person is not notified. A report about the caller is unknown.';

COMMENT ON FUNCTION "private"."staff_jobs"(text) IS 'The state of the worker: its jobs, the newest 50 that failed for good, of one queue or of all, the queues, each counted up to 1000, and the pending effects, counted up to 100,000.';

COMMENT ON VIEW "private"."staff_case_reports" IS 'Reports as staff sees them, whether they still belong to a group or guild, and whether they are about the caller.';

COMMENT ON VIEW "private"."staff_cases" IS 'Cases as staff sees them. A claim that has ended counts as none. own says whether one is about the caller.';

COMMENT ON VIEW "private"."staff_decision_appeals" IS 'Appeals as staff sees them. mayResolve says whether the caller may resolve it, own whether it is theirs.';

COMMENT ON VIEW "private"."staff_rule_hits" IS 'Hits of rules as staff sees them. own says whether one is of what the caller wrote.';

REVOKE ALL ON FUNCTION "private"."is_own_thing"(text, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_own_thing"(text, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_own_thing"(text, uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_own_thing"(text, uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."lock_held"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_held"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_held"(text, uuid) TO "postgres";

update private.errors set "text" = 'You cannot open a case about yourself or about what you wrote.'
where "code"::text = 'case_own'
  and "text"::text = 'You cannot work on a case about yourself.';

update private.errors set "text" = 'Staff or a rule of the instance hid this, so only staff can show it again.'
where "code"::text = 'hidden_by_staff'
  and "text"::text = 'Staff hid this, so only staff can show it again.';

update private.report_targets set "co_authors" = 'select user_id from app.post_co_authors where post_id = $1 and status = ''accepted'''
where "type"::text = 'post';

insert into private.access_reasons ("code", "effect", "text")
values ('draft', 'leaves_out', 'It is a draft. Only its author sees it.');

insert into private.access_reasons ("code", "effect", "text")
values ('removed', 'leaves_out', 'Staff removed it. Its author still sees it.');
