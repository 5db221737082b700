-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE TABLE "private"."other_hiders" ("query" text NOT NULL, CONSTRAINT "other_hiders_pkey" PRIMARY KEY (query));

ALTER TABLE "private"."other_hiders" OWNER TO "postgres";

ALTER TABLE "private"."other_hiders" ENABLE ROW LEVEL SECURITY;

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
  if 'dismiss' = any (p_actions) then
    perform private.release_held((p_case).target_type, (p_case).target_id);
  end if;
  perform set_config('kith.case', '', true);
  return case when exists (select from private.case_transitions
                           where status = (p_case).status and action = any (p_actions) and next = 'closed')
              then 'closed' else 'open' end;
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
                   and d.lifted_at is null and d.action = 'hide' and d.space_id = p_space);
end $function$;

CREATE OR REPLACE FUNCTION private.mention_released(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_type    text := p_job ->> 'targetType';
  v_target  uuid := (p_job ->> 'targetId')::uuid;
  v_changed integer := 0;
begin
  if not private.is_hidden(v_type, v_target) then
    update app.rule_hits set held = false where target_id = v_target and held;
    get diagnostics v_changed = row_count;
  end if;
  if v_changed > 0 and v_type = 'post' then
    perform private.mention_in_post(jsonb_build_object('postId', v_target));
  elsif v_changed > 0 then
    perform private.emit('moderation.reply.released', json_build_object('replyId', v_target),
                         private.people_of_reply(v_target));
    perform private.mention_in_reply(jsonb_build_object('replyId', v_target));
  end if;
  return json_build_object('changed', v_changed, 'next', null);
end $function$;

CREATE OR REPLACE FUNCTION private.only_rules_hid(p_type text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (exists (select from app.rule_hits h where h.target_id = p_id and h.mode = 'live' and h.action = 'hide')
          or exists (select from app.decisions d
                     where d.target_type = p_type and d.target_id = p_id and d.lifted_at is null
                       and d.action in ('hide', 'remove') and d.decided_by is null))
    and not private.people_hid(p_type, p_id);
end $function$;

ALTER FUNCTION "private"."only_rules_hid"(text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.open_rule_cases(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_type     text := p_job ->> 'targetType';
  v_target   uuid := (p_job ->> 'targetId')::uuid;
  v_hidden   boolean := (p_job ->> 'hidden')::boolean and private.is_hidden(v_type, v_target)
                        and not private.people_hid(v_type, v_target);
  v_hit      record;
  v_case     uuid;
  v_category text;
  v_cases    integer := 0;
begin
  for v_hit in
    select h.id, r.name, coalesce(r.category, 'other') as category
    from app.rule_hits h left join app.moderation_rules r on r.id = h.rule_id
    where h.target_id = v_target and h.case_id is null
      and h.rule_id in (select i::uuid from jsonb_array_elements_text(p_job -> 'ruleIds') i)
    order by h.action desc, h.rule_id
    for update of h   -- a second run of the job waits here, and then finds none
  loop
    v_case := private.open_case(v_type, v_target, v_hit.category, 'rule', v_hit.name);
    update app.rule_hits set case_id = v_case where id = v_hit.id;
    v_category := coalesce(v_category, v_hit.category);   -- of a rule that hides, if there is one
    v_cases := v_cases + 1;
  end loop;
  if v_hidden and v_cases > 0 then
    perform private.record_hold(v_type, v_target, (p_job ->> 'authorId')::uuid, v_case, v_category);
  end if;
  return json_build_object('changed', v_cases, 'next', null);
end $function$;

CREATE OR REPLACE FUNCTION private.others_hid(p_type text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return nullif(current_setting('kith.case', true), '')::json ->> 'spaceId' is null
     and (private.only_rules_hid(p_type, p_id)
          or exists (select from app.decisions d
                     where d.target_type = p_type and d.target_id = p_id and d.lifted_at is null
                       and d.action = 'hide' and d.space_id is not null));
end $function$;

ALTER FUNCTION "private"."others_hid"(text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.people_hid(p_type text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from app.decisions d
                 where d.target_type = p_type and d.target_id = p_id and d.lifted_at is null
                   and d.action in ('hide', 'remove') and d.decided_by is not null);
end $function$;

ALTER FUNCTION "private"."people_hid"(text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.record_decision()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_entry  app.audit_log;
  v_kind   private.decision_kinds;
  v_work   json := nullif(current_setting('kith.case', true), '')::json;
  v_case   app.cases;
  v_action text;
  v_id     uuid;
begin
  select * into v_entry from app.audit_log where id = new.audit_id;
  select * into v_kind from private.decision_kinds where verb = split_part(v_entry.action, '.', 2);
  if not found then
    return null;
  end if;
  select * into v_case from app.cases
  where id = (v_work ->> 'caseId')::uuid
     or v_work is null and target_type = v_entry.target_type and target_id = v_entry.target_id::uuid
    and status = 'open';
  if v_kind.lifts then
    update app.decisions set lifted_at = now()
    where target_type = v_entry.target_type and target_id = v_entry.target_id::uuid and lifted_at is null
      and (action = v_kind.action or v_kind.action = 'ban' and action = 'suspend');
    v_action := 'un' || v_kind.action;
  else
    v_action := v_kind.action;
    if v_action in ('hide', 'remove') and v_entry.actor_id is not null and v_work ->> 'spaceId' is null then
      -- staff takes over what a rule or a space has hidden
      update app.decisions set lifted_at = now()
      where target_type = v_entry.target_type and target_id = v_entry.target_id::uuid and lifted_at is null
        and action in ('hide', 'remove') and (decided_by is null or space_id is not null);
    end if;
    insert into app.decisions (case_id, target_type, target_id, person_id, action, category, rule, reason, decided_by,
                               ends_at, audit_id, space_id)
    values (v_case.id, v_entry.target_type, v_entry.target_id::uuid, new.subject_id, v_action,
            coalesce(v_work ->> 'category', v_case.category, 'other'), coalesce(v_work ->> 'rule', v_case.rule),
            coalesce(new.detail ->> 'reason', ''), v_entry.actor_id,
            (new.detail ->> 'until')::timestamptz, v_entry.id, (v_work ->> 'spaceId')::uuid)
    returning id into v_id;
    if v_entry.target_type = 'user' then
      -- of what was hidden or removed, admin.content.moderated notifies the author
      perform private.emit('moderation.decided', json_build_object(
        'decisionId', v_id, 'personId', new.subject_id, 'action', v_action), array[new.subject_id]);
    end if;
  end if;
  if v_case.id is not null then
    perform private.add_case_event(v_case.id, v_action, null, json_build_object('decisionId', v_id));
  end if;
  return null;
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
  if v_type.type is null or not private.only_rules_hid(p_type, p_id) then
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

ALTER FUNCTION "private"."release_held"(text, uuid) OWNER TO "postgres";

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
begin
  if not exists (select from app.case_reports c join app.reports r on r.id = c.report_id
                 where c.case_id = p_case and r.status = 'open') then
    perform private.release_held(c.target_type, c.target_id) from app.cases c where c.id = p_case;
  end if;
end $function$;

ALTER FUNCTION "private"."release_settled"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.set_content_removed(p_kind text, p_id uuid, p_removed boolean, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_content app.contents;
  v_kind    text;
begin
  perform private.require_role('admin');
  v_kind := private.require_content_kind(p_kind);
  if private.is_child_kind(v_kind) then
    return private.set_child_removed(v_kind, p_id, p_removed, p_reason);
  end if;
  perform private.check_lock_order('content');
  select * into v_content from app.contents
  where id = p_id and kind = v_kind and deleted_at is null for no key update;
  if not found then
    perform private.raise_error('content_unknown');
  end if;
  if (v_content.removed_at is not null) <> p_removed then
    update app.contents set removed_at = case when p_removed then now() end
    where id = p_id
    returning removed_at into v_content.removed_at;
    perform private.record_moderation(v_kind, p_id, case when p_removed then 'removed' else 'restored' end,
                                      v_content.author_id, p_reason);
  elsif private.takes_over(v_kind, p_id, p_removed) then
    perform private.record_moderation(v_kind, p_id, 'removed', v_content.author_id, p_reason);
  end if;
  return json_build_object('id', p_id, 'kind', v_kind, 'removedAt', private.utc(v_content.removed_at));
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
  perform private.check_case_worker(c, true) from app.cases c where c.id = v_case;
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

CREATE OR REPLACE FUNCTION private.takes_over(p_type text, p_id uuid, p_hides boolean)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_query text;
  v_found boolean := false;
begin
  if p_hides then
    for v_query in select query from private.other_hiders order by query loop
      execute v_query into v_found using p_type, p_id;   -- safe: the query comes from the registry
      exit when v_found;
    end loop;
  end if;
  return v_found;
end $function$;

ALTER FUNCTION "private"."takes_over"(text, uuid, boolean) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.write_post_hidden(p_id uuid, p_hidden boolean, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_post app.posts;
begin
  perform private.check_lock_order('post');
  select * into v_post from app.posts where id = p_id and deleted_at is null for update;
  if not found then
    perform private.raise_error('post_unknown');
  end if;
  if (v_post.hidden_at is not null) <> p_hidden then
    update app.posts set hidden_at = case when p_hidden then now() end
    where id = p_id
    returning hidden_at into v_post.hidden_at;
    perform private.record_moderation('post', p_id, case when p_hidden then 'hidden' else 'unhidden' end,
                                      v_post.author_id, p_reason);
  elsif private.takes_over('post', p_id, p_hidden) then
    perform private.record_moderation('post', p_id, 'hidden', v_post.author_id, p_reason);
  end if;
  return json_build_object('id', p_id, 'hiddenAt', private.utc(v_post.hidden_at));
end $function$;

CREATE OR REPLACE FUNCTION private.write_reply_hidden(p_id uuid, p_hidden boolean, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_reply app.replies;
begin
  -- before the reply: ARCHITECTURE.md, Locks
  perform private.lock_counters(array(select post_id from app.replies where id = p_id));
  perform private.check_lock_order('post');
  select * into v_reply from app.replies where id = p_id and deleted_at is null for update;
  if not found then
    perform private.raise_error('reply_unknown');
  end if;
  if (v_reply.hidden_at is not null) <> p_hidden then
    update app.replies set hidden_at = case when p_hidden then now() end
    where id = p_id
    returning hidden_at into v_reply.hidden_at;
    perform private.record_moderation('reply', p_id, case when p_hidden then 'hidden' else 'unhidden' end,
                                      v_reply.author_id, p_reason);
  elsif private.takes_over('reply', p_id, p_hidden) then
    perform private.record_moderation('reply', p_id, 'hidden', v_reply.author_id, p_reason);
  end if;
  return json_build_object('id', p_id, 'hiddenAt', private.utc(v_reply.hidden_at));
end $function$;

COMMENT ON COLUMN "app"."decisions"."lifted_at" IS 'When staff or time ended what it did, such as a ban, or staff hid what a rule or a space had hidden; its strikes remain.';

COMMENT ON COLUMN "app"."moderation_rules"."action" IS 'case: opens a case. hide: also hides the thing from everyone but its author, until staff shows it again or dismisses its case.';

COMMENT ON COLUMN "app"."rule_hits"."held" IS 'Whether it was hidden before anybody else saw it and staff has not released it. Then those whom it mentions or answers are notified.';

COMMENT ON FUNCTION "api"."act_on_case"(uuid, text[], text, text, text, timestamp with time zone) IS 'Does one or several things in a case, all or none: dismiss, warn, hide, unhide, remove, restore, limit, unlimit, suspend, ban, unban. To dismiss it shows again what only a rule has hidden. Returns the case. The person concerned is notified and reads the reason at /me/standing. Leaves an audit entry for each.';

COMMENT ON FUNCTION "private"."is_hidden_by"(uuid, app.cases) IS 'Whether it was this space that hid the thing of a case. If staff hides it then, the decision of the space is lifted (private.record_decision).';

COMMENT ON FUNCTION "private"."mention_released"(jsonb, uuid) IS 'For the worker alone: emits the mentions of a post or a reply {targetType, targetId} that a rule had held back since its creation, and notifies those whom a reply answers, once. If staff has hidden it again, the next release does it.';

COMMENT ON FUNCTION "private"."note_released"(jsonb) IS 'Listener: has the worker notify those whom a held post or reply mentions, or a reply answers, because staff has locked documents of the search already (ARCHITECTURE.md, Locks).';

COMMENT ON FUNCTION "private"."only_rules_hid"(text, uuid) IS 'Whether it was a rule, and nobody else, that hid a hidden thing.';

COMMENT ON FUNCTION "private"."open_rule_cases"(jsonb, uuid) IS 'For the worker alone: opens the case of what fitted live rules, or adds to it, {targetType, targetId, authorId, ruleIds, hidden}, each hit once, and leaves the decision if they have hidden it and nobody has decided since. It is a job of its own, because the case and the audit log are locked after what others lock for the same post, and because in the author''s transaction the audit entry would be by the author.';

COMMENT ON FUNCTION "private"."others_hid"(text, uuid) IS 'Whether a hidden thing was hidden by a rule or by a space, and the caller works for neither.';

COMMENT ON FUNCTION "private"."people_hid"(text, uuid) IS 'Whether staff or a space hides a thing or has removed it.';

COMMENT ON FUNCTION "private"."record_decision"() IS 'Trigger: writes the decision of an audit entry that concerns a person, and adds it to the history of the case that is being worked on (setting kith.case: {caseId, category, rule, spaceId}), or of the open case of the thing. A decision of staff to hide or remove a thing lifts those of a rule or a space.';

COMMENT ON FUNCTION "private"."release_held"(text, uuid) IS 'Shows again what only a rule has hidden, as staff does, and thereby lifts the decision of the rule. Nothing happens to other things. Its callers check who may do it.';

COMMENT ON FUNCTION "private"."release_settled"(uuid) IS 'Shows again what only a rule has hidden, if all reports of the case are settled.';

COMMENT ON FUNCTION "private"."set_content_removed"(text, uuid, boolean, text) IS 'Removes a content for everyone except its author, or restores it: {id, kind, removedAt}. Repeating it changes nothing and leaves no audit entry, unless staff removes what a rule has removed (private.takes_over); a deleted content is unknown.';

COMMENT ON FUNCTION "private"."settle_report"(uuid, text) IS 'Settles an open report, and closes its case if no other report of it is open. To dismiss the last one shows again what only a rule has hidden. Its reporter is notified, but does not learn who settled it; the reported person is not notified. Who may not work on the case may not settle it.';

COMMENT ON FUNCTION "private"."takes_over"(text, uuid, boolean) IS 'Whether the caller, who hides a thing that is hidden, thereby takes over from who hid it: private.other_hiders.';

COMMENT ON FUNCTION "private"."write_post_hidden"(uuid, boolean, text) IS 'Hides a post or shows it again: {id, hiddenAt}. Repeating it changes nothing and leaves no audit entry, unless staff hides what others have hidden (private.takes_over); a deleted post is unknown. Its callers check who may do it.';

COMMENT ON TABLE "private"."other_hiders" IS 'Registry: queries that say whether a hidden thing (type $1, id $2) was hidden by somebody other than staff. If staff hides it then, it is a decision of staff, although the thing stays as it is.';

REVOKE ALL ON FUNCTION "private"."only_rules_hid"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."only_rules_hid"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."only_rules_hid"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."others_hid"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."others_hid"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."others_hid"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."people_hid"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."people_hid"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."people_hid"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."release_held"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."release_held"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."release_held"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."release_settled"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."release_settled"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."release_settled"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."release_settled"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."takes_over"(text, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."takes_over"(text, uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."takes_over"(text, uuid, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."takes_over"(text, uuid, boolean) TO "service_role";

insert into private.event_types ("name", "payload", "happens")
values ('moderation.reply.released', '{replyId}', 'staff has released a reply that a rule had held back since its creation');

insert into private.event_listeners ("event", "listener", "position", "timing")
values ('moderation.reply.released', 'private.notify_replied', '600', 'soon');

insert into private.other_hiders ("query")
values ('select private.others_hid($1, $2)');
