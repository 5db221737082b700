-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.act_in_case(p_case app.cases, p_actions text[], p_reason text, p_category text, p_rule text, p_until timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_handler private.case_handlers;
begin
  perform set_config('kith.case', json_build_object(
    'caseId', (p_case).id, 'category', coalesce(p_category, (p_case).category),
    'rule', coalesce(p_rule, (p_case).rule))::text, true);
  if exists (select from unnest(p_actions) a cross join lateral private.find_handler(p_case, a) h
             where h.target_type = 'user') then
    -- before the locks of the thing, as a ban and an erasure take them
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
  perform set_config('kith.case', '', true);
  return case when exists (select from private.case_transitions
                           where status = (p_case).status and action = any (p_actions) and next = 'closed')
              then 'closed' else 'open' end;
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
  if not exists (select from app.cases where id = p_case) then
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
    if v_case.person_id = app.uid() then
      perform private.raise_error('case_own');
    elsif 'claim' = any (v_step.needs) and v_case.claimed_by <> app.uid() and v_case.claimed_until > now() then
      perform private.raise_error('case_claimed');
    elsif 'person' = any (v_step.needs) and v_case.person_id is null then
      perform private.raise_error('case_person');
    end if;
  end loop;
  return v_case;
end $function$;

CREATE OR REPLACE FUNCTION private.lock_case_work(p_case uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.lock('case work', p_case::text);
  perform private.check_caller();   -- checks again: the caller may have been banned or demoted while they waited
end $function$;

ALTER FUNCTION "private"."lock_case_work"(uuid) OWNER TO "postgres";

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
  select * into v_appeal from app.decision_appeals where id = p_id;
  if not found then
    perform private.raise_error('appeal_unknown');
  end if;
  select * into v_decision from app.decisions where id = v_appeal.decision_id;
  perform private.lock_case_work(coalesce(v_decision.case_id, v_decision.id));
  select * into v_decision from app.decisions where id = v_appeal.decision_id;
  perform private.require_role(variadic private.appeal_roles(v_decision));
  if v_decision.person_id = app.uid() then
    perform private.raise_error('case_own');
  elsif not private.may_resolve(v_decision) then
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
  if not exists (select from app.reports where id = p_id) then
    perform private.raise_error('report_unknown');
  end if;
  v_case := (select case_id from app.case_reports where report_id = p_id);
  perform private.lock_case_work(v_case);
  update app.reports set status = p_status, reviewed_by = app.uid(), reviewed_at = now()
  where id = p_id and status = 'open'
  returning reporter_id into v_reporter;
  if not found then
    -- of two concurrent moderators, the second waits for the first and then fails here
    perform private.raise_error('report_settled');
  end if;
  perform private.emit_moderation('report', p_id, p_status, v_reporter);
  perform private.end_case_without_reports(v_case, case p_status when 'dismissed' then 'dismissed' else 'acted' end);
  perform private.audit('report.' || p_status, 'report', p_id::text);
  return private.staff_card('reports', p_id);
end $function$;

CREATE INDEX invite_tree_invitees_idx ON app.invite_tree USING btree (inviter_id, created_at DESC, invitee_id DESC);

COMMENT ON FUNCTION "private"."act_in_case"(app.cases, text[], text, text, text, timestamp with time zone) IS 'Does these actions in a case whose work is locked, and returns the state of the case after them. Fails: private.set_post_hidden, private.set_reply_hidden, api.remove_post, private.set_content_removed, private.warn_person, api.limit_person, api.ban_person. Never: until_past, limit_oneself, ban_oneself, content_kind, reason_length, text_unfit.';

COMMENT ON FUNCTION "private"."act_on_people"(uuid[], text, text, text, timestamp with time zone) IS 'Does the same to several people. Fails: api.limit_person, api.ban_person. Never: until_past.';

COMMENT ON FUNCTION "private"."lock_case_work"(uuid) IS 'Locks the work on a case, or on a decision without a case (its id), until the transaction ends.';

COMMENT ON FUNCTION "private"."overturn"(app.decisions) IS 'Takes back what a decision did, and its strikes. Returns whether anything could be taken back. Fails: private.set_post_hidden, private.set_reply_hidden, private.set_content_removed, api.unban_person. Never: content_kind.';

REVOKE ALL ON FUNCTION "private"."lock_case_work"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_case_work"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_case_work"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_case_work"(uuid) TO "service_role";
