-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP VIEW "private"."staff_decision_appeals";

CREATE OR REPLACE FUNCTION api.unlimit_person(p_id text, p_reason text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_reason text;
  v_person app.users;
begin
  perform private.require_role('admin');
  v_reason := private.find_reason(p_reason);
  v_person := private.lock_account(private.require_any_person(p_id));
  perform private.refuse_own('user', v_person.id, v_person.id);
  if v_person.limited_at is not null then
    perform private.set_limited(v_person, false, v_reason);
  end if;
  return private.staff_account(v_person.id);
end $function$;

CREATE OR REPLACE FUNCTION private.answers_for(p_type text, p_id uuid, p_author uuid, p_person uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_query text;
  v_wrote boolean := coalesce(p_author = p_person, false);
begin
  if not v_wrote then
    v_query := (select co_authors from private.report_targets where type = p_type);
    if v_query is not null then
      -- safe: the query comes from the registry
      execute format('select coalesce($2 = any (array(%s)), false)', v_query) into v_wrote using p_id, p_person;
    end if;
  end if;
  return v_wrote;
end $function$;

ALTER FUNCTION "private"."answers_for"(text, uuid, uuid, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.has_other_resolver(p_decision app.decisions)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from app.users u join app.accounts a on a.user_id = u.id
    where u.role <> 'user' and u.role = any (private.appeal_roles(p_decision))
      and u.id is distinct from (p_decision).decided_by
      and not private.answers_for((p_decision).target_type, (p_decision).target_id, (p_decision).person_id, u.id)
      and u.banned_at is null and u.erased_at is null
      and coalesce(a.last_seen_at, u.created_at) > now() - interval '30 days');
end $function$;

CREATE OR REPLACE FUNCTION private.is_own_thing(p_type text, p_id uuid, p_author uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ begin return private.answers_for(p_type, p_id, p_author, app.uid()); end $function$;

CREATE OR REPLACE FUNCTION private.may_resolve(p_decision app.decisions)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from app.users where id = app.uid() and role = any (private.appeal_roles(p_decision)))
     and not private.is_own_thing((p_decision).target_type, (p_decision).target_id, (p_decision).person_id)
     and ((p_decision).decided_by is distinct from app.uid() or not private.has_other_resolver(p_decision));
end $function$;

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
    elsif v_action in ('ban', 'suspend') then
      -- a ban has one end, that of the newest decision
      update app.decisions set lifted_at = now()
      where target_type = 'user' and target_id = v_entry.target_id::uuid and lifted_at is null
        and action in ('ban', 'suspend');
    end if;
    insert into app.decisions (case_id, target_type, target_id, person_id, action, category, rule, reason, decided_by,
                               ends_at, audit_id, space_id)
    values (v_case.id, v_entry.target_type, v_entry.target_id::uuid, new.subject_id, v_action,
            coalesce(v_work ->> 'category', v_case.category, 'other'), coalesce(v_work ->> 'rule', v_case.rule),
            coalesce(new.detail ->> 'reason', ''), v_entry.actor_id,
            (new.detail ->> 'until')::timestamptz, v_entry.id, (v_work ->> 'spaceId')::uuid)
    returning id into v_id;
    if v_entry.target_type = 'user' then
      -- the event admin.content.moderated notifies the author of what was hidden or removed
      perform private.emit('moderation.decided', json_build_object(
        'decisionId', v_id, 'personId', new.subject_id, 'action', v_action), array[new.subject_id]);
    end if;
  end if;
  if v_case.id is not null then
    perform private.add_case_event(v_case.id, v_action, null, json_build_object('decisionId', v_id));
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.refuse_own(p_type text, p_id uuid, p_author uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if private.is_own_thing(p_type, p_id, p_author) then
    perform private.raise_error('moderate_own');
  end if;
end $function$;

ALTER FUNCTION "private"."refuse_own"(text, uuid, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.set_child_removed(p_kind text, p_id uuid, p_removed boolean, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_child   private.content_child_kinds;
  v_author  uuid;
  v_removed timestamptz;
begin
  select * into v_child from private.content_child_kinds where kind = p_kind;
  execute format('select author_id, removed_at from %s where id = $1 for no key update', v_child.relation)
    into v_author, v_removed using p_id;
  if (private.find_staff_child(p_kind, p_id)).id is null then
    perform private.raise_error('content_unknown');
  end if;
  if not p_removed then
    perform private.refuse_own(p_kind, p_id, v_author);
  end if;
  if (v_removed is not null) <> p_removed then
    v_removed := case when p_removed then now() end;
    execute format('update %s set removed_at = $2 where id = $1', v_child.relation) using p_id, v_removed;
    perform private.record_moderation(p_kind, p_id, case when p_removed then 'removed' else 'restored' end, v_author,
                                      p_reason);
  end if;
  return json_build_object('id', p_id, 'kind', p_kind, 'removedAt', private.utc(v_removed));
end $function$;

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
  if not p_removed then
    perform private.refuse_own(v_kind, p_id, v_content.author_id);
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

CREATE OR REPLACE FUNCTION private.set_post_hidden(p_id uuid, p_hidden boolean, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('moderator', 'admin');
  if not p_hidden then
    perform private.refuse_own('post', p_id, (select author_id from app.posts where id = p_id));
  end if;
  return private.write_post_hidden(p_id, p_hidden, p_reason);
end $function$;

CREATE OR REPLACE FUNCTION private.set_reply_hidden(p_id uuid, p_hidden boolean, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('moderator', 'admin');
  if not p_hidden then
    perform private.refuse_own('reply', p_id, (select author_id from app.replies where id = p_id));
  end if;
  return private.write_reply_hidden(p_id, p_hidden, p_reason);
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
  select * into v_appeal from app.decision_appeals where id = p_id;
  select * into v_decision from app.decisions where id = v_appeal.decision_id;
  if not found or private.is_own_thing(v_decision.target_type, v_decision.target_id, v_decision.person_id) then
    perform private.raise_error('appeal_unknown');
  end if;
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

CREATE OR REPLACE FUNCTION private.staff_user_details(p_user uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object(
      'about', u.about,
      'country', u.country,
      'city', u.city,
      'invitedById', t.inviter_id,
      'invitedBy', inviter.card,
      'reputation', a.total_reputation,
      'contribution', coalesce((select score from app.contribution_scores where user_id = p_user), 0),
      'balance', coalesce((select balance from app.wallets where user_id = p_user), 0),
      'openReports', (select count(*) from (select from app.reports r
                                            where r.target_type = 'user' and r.target_id = p_user and r.status = 'open'
                                              and p_user is distinct from app.uid()
                                            limit 1000) o))
    from app.users u
    join app.accounts a on a.user_id = u.id
    left join app.invite_tree t on t.invitee_id = u.id
    left join app.person_card inviter on inviter.id = t.inviter_id
    where u.id = p_user);
end $function$;

CREATE VIEW "private"."staff_decision_appeals" WITH (security_invoker=true) AS  SELECT a.created_at AS at,
    a.id,
    a.status,
    a.person_id,
    concat_ws(' '::text, u.username, a.text, a.answer) AS said,
    json_build_object('id', a.id, 'personId', a.person_id, 'person', person.card, 'text', a.text, 'status', a.status, 'undone', a.undone, 'answer', a.answer, 'mayResolve', ((a.status = 'pending'::text) AND private.may_resolve(d.*)), 'resolvedById', a.resolved_by, 'resolvedAt', private.utc(a.resolved_at), 'createdAt', private.utc(a.created_at), 'decision', private.decision_card(d.*)) AS card,
    private.is_own_thing(d.target_type, d.target_id, d.person_id) AS own
   FROM (((app.decision_appeals a
     JOIN app.decisions d ON ((d.id = a.decision_id)))
     JOIN app.users u ON ((u.id = a.person_id)))
     JOIN app.person_card person ON ((person.id = a.person_id)));

ALTER VIEW "private"."staff_decision_appeals" OWNER TO "postgres";

COMMENT ON COLUMN "app"."decisions"."lifted_at" IS 'When its effect ended: staff ended it, its time was over, staff hid what a rule or a space had hidden, or another ban or suspension replaced it. Its strikes remain.';

COMMENT ON FUNCTION "api"."unlimit_person"(text, text) IS 'Ends a limit of another person. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry.';

COMMENT ON FUNCTION "private"."answers_for"(text, uuid, uuid, uuid) IS 'Whether a person answers for a thing: as p_author, or as one of its co-authors.';

COMMENT ON FUNCTION "private"."is_own_thing"(text, uuid, uuid) IS 'Whether the caller answers for a thing. Staff do not work on their own things.';

COMMENT ON FUNCTION "private"."record_decision"() IS 'Trigger: writes the decision of an audit entry that concerns a person, and adds it to the history of the case that is being worked on (setting kith.case: {caseId, category, rule, spaceId}), or of the open case of the thing. If staff decides to hide or remove a thing, that lifts the decisions of rules and spaces about it. A ban or a suspension lifts the one before it, whose end it replaces.';

COMMENT ON FUNCTION "private"."refuse_own"(text, uuid, uuid) IS 'Passes if the caller may undo what staff decided about a thing. Nobody may who answers for it, admins included.';

COMMENT ON FUNCTION "private"."set_content_removed"(text, uuid, boolean, text) IS 'Removes a content for everyone except its author, or restores it: {id, kind, removedAt}. Repeating it changes nothing and leaves no audit entry, unless staff removes what a rule has removed (private.takes_over); a deleted content is unknown. Nobody can restore what they wrote themselves.';

COMMENT ON FUNCTION "private"."set_post_hidden"(uuid, boolean, text) IS 'For staff: private.write_post_hidden. Nobody can show again what they wrote themselves.';

COMMENT ON FUNCTION "private"."set_reply_hidden"(uuid, boolean, text) IS 'For staff: private.write_reply_hidden. Nobody can show again what they wrote themselves.';

COMMENT ON FUNCTION "private"."staff_user_details"(uuid) IS 'The fields that the list of people leaves out: {about, country, city, invitedById, invitedBy, reputation, contribution, balance, openReports}. Reports are counted up to 1000, and those about the caller are not counted.';

COMMENT ON VIEW "private"."staff_decision_appeals" IS 'Appeals as staff sees them. mayResolve says whether the caller may resolve it, own whether it is theirs or about what they wrote with others.';

REVOKE ALL ON FUNCTION "private"."answers_for"(text, uuid, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."answers_for"(text, uuid, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."answers_for"(text, uuid, uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_own"(text, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_own"(text, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_own"(text, uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_own"(text, uuid, uuid) TO "service_role";

insert into private.errors ("code", "status", "text")
values ('moderate_own', '403', 'This is about you or about what you wrote, so somebody else must decide it.');
