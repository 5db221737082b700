-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP VIEW "private"."staff_decision_appeals";

ALTER TABLE "private"."judged_types" ADD COLUMN "present" text NOT NULL DEFAULT 'deleted_at is null'::text;

ALTER TABLE "private"."judged_types" ALTER COLUMN "hidden_at" DROP NOT NULL;

ALTER TABLE "private"."judged_types" ALTER COLUMN "lock_kind" DROP NOT NULL;

ALTER TABLE "private"."judged_types" ALTER COLUMN "relation" DROP NOT NULL;

ALTER TABLE "private"."judged_types" ALTER COLUMN "verb" DROP NOT NULL;

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

CREATE OR REPLACE FUNCTION private.find_child_versions(p_type text, p_id uuid, p_since timestamp with time zone)
 RETURNS private.judged[]
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
  return (
    select array_agg((p_type, p_id, c.author_id, c.at, array[c.body],
                      private.keyword_words(private.keyword_text(array[c.body])))::private.judged)
    from (
      select a.author_id, a.created_at as at, a.body from app.debate_arguments a
      where p_type = 'argument' and a.id = p_id and a.deleted_at is null
      union all
      select s.author_id, coalesce(s.edited_at, s.created_at), s.body from app.problem_solutions s
      where p_type = 'solution' and s.id = p_id and s.deleted_at is null
      union all
      select r.author_id, r.created_at, r.body from app.offering_reviews r where p_type = 'review' and r.id = p_id
      union all
      select v.author_id, v.created_at, v.body from app.video_comments v
      where p_type = 'video-comment' and v.id = p_id) c
    where c.at >= p_since);
end $function$;

ALTER FUNCTION "private"."find_child_versions"(text, uuid, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.find_course_versions(p_type text, p_id uuid, p_since timestamp with time zone)
 RETURNS private.judged[]
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
  v_course private.judged[] := private.find_content_versions(p_type, p_id, p_since);
begin
  return (
    select v_course || array_agg((p_type, p_id, v_course[1].author_id, v_course[1].at, array[l.title, l.body],
                                  private.keyword_words(private.keyword_text(array[l.title, l.body])))::private.judged
                                 order by l.position)
    from app.course_lessons l where l.course_id = p_id and v_course is not null);
end $function$;

ALTER FUNCTION "private"."find_course_versions"(text, uuid, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.find_versions(p_type text, p_id uuid, p_since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone)
 RETURNS private.judged[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_type = 'argument' then
    return private.find_child_versions(p_type, p_id, p_since);
  elsif p_type = 'audio' then
    return private.find_content_versions(p_type, p_id, p_since);
  elsif p_type = 'course' then
    return private.find_course_versions(p_type, p_id, p_since);
  elsif p_type = 'debate' then
    return private.find_content_versions(p_type, p_id, p_since);
  elsif p_type = 'event' then
    return private.find_content_versions(p_type, p_id, p_since);
  elsif p_type = 'offering' then
    return private.find_content_versions(p_type, p_id, p_since);
  elsif p_type = 'post' then
    return private.find_post_versions(p_type, p_id, p_since);
  elsif p_type = 'problem' then
    return private.find_content_versions(p_type, p_id, p_since);
  elsif p_type = 'project' then
    return private.find_content_versions(p_type, p_id, p_since);
  elsif p_type = 'reply' then
    return private.find_reply_versions(p_type, p_id, p_since);
  elsif p_type = 'review' then
    return private.find_child_versions(p_type, p_id, p_since);
  elsif p_type = 'solution' then
    return private.find_child_versions(p_type, p_id, p_since);
  elsif p_type = 'video' then
    return private.find_content_versions(p_type, p_id, p_since);
  elsif p_type = 'video-comment' then
    return private.find_child_versions(p_type, p_id, p_since);
  end if;
  return null;
end $function$;

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

CREATE OR REPLACE FUNCTION private.hide_by_rule(p_type text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_type   private.judged_types := (select t from private.judged_types t where t.type = p_type);
  v_hidden uuid;
begin
  if v_type.relation is null then
    return false;
  end if;
  -- safe: the names and the condition come from the registry
  execute format('update %1$s set %2$I = now() where id = $1 and %2$I is null and %3$s returning id',
                 v_type.relation, v_type.hidden_at, v_type.present) into v_hidden using p_id;
  return v_hidden is not null;
end $function$;

CREATE OR REPLACE FUNCTION private.is_own_thing(p_type text, p_id uuid, p_author uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ begin return private.answers_for(p_type, p_id, p_author, app.uid()); end $function$;

CREATE OR REPLACE FUNCTION private.judge_at_commit(p_type text, p_id uuid, p_author uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.judge(p_type, p_id, '{at once,at a report}');
  if exists (select from app.moderation_rules r where r.judged = 'soon' and p_type = any (r.applies_to)) then
    perform private.emit('moderation.content.written', json_build_object(
      'contentId', p_id, 'kind', p_type, 'authorId', p_author), array[p_author]);
  end if;
end $function$;

ALTER FUNCTION "private"."judge_at_commit"(text, uuid, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.judge_child()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.judge_at_commit(tg_argv[0], new.id, new.author_id);
  return null;
end $function$;

ALTER FUNCTION "private"."judge_child"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.judge_content()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.judge_at_commit(new.kind, new.id, new.author_id);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.judge_lesson()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.judge_at_commit('course', new.course_id,
                                  (select author_id from app.contents where id = new.course_id));
  return null;
end $function$;

ALTER FUNCTION "private"."judge_lesson"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.lock_judged(p_type text, p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_type  private.judged_types := (select t from private.judged_types t where t.type = p_type);
  v_posts uuid[];
begin
  if v_type.relation is null then
    return;
  end if;
  if v_type.counters is not null then
    -- safe: the query comes from the registry
    execute format('select array(%s)', v_type.counters) into v_posts using p_id;
    perform private.lock_counters(v_posts);
  end if;
  perform private.check_lock_order(v_type.lock_kind, p_id::text);
end $function$;

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
  -- safe: the names and the condition come from the registry
  execute format('select author_id from %s where id = $1 and %I is not null and %s for no key update',
                 v_type.relation, v_type.hidden_at, v_type.present) into v_author using p_id;
  if v_author is null or not private.only_rules_hid(p_type, p_id) then
    return;   -- staff has decided while we waited
  end if;
  execute format('update %s set %I = null where id = $1', v_type.relation, v_type.hidden_at) using p_id;
  perform private.record_moderation(
    p_type, p_id,
    (select l.verb from private.decision_kinds k join private.decision_kinds l on l.action = k.action and l.lifts
     where k.verb = v_type.verb), v_author, null);
end $function$;

CREATE OR REPLACE FUNCTION private.replay(p_conditions private.condition[], p_applies_to text[], p_cursor text)
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
  c_most constant integer := 20000;
  v_from     app.place := private.page_start('replay', p_cursor);
  v_at       timestamptz := v_from.at;   -- plain variables: an expression defeats the index
  v_id       uuid := v_from.id;
  v_oldest   timestamptz := now() - interval '30 days';
  v_types    text[];
  v_ids      uuid[];
  v_times    timestamptz[];
  v_looked   integer;
  v_hits     integer := 0;
  v_removed  boolean;
  v_removals integer := 0;
  v_fits     private.judged;
  v_sample   json[] := '{}';
begin
  perform private.require_role('admin');
  select array_agg(w.type order by w.at desc, w.id desc), array_agg(w.id order by w.at desc, w.id desc),
         array_agg(w.at order by w.at desc, w.id desc)
  into v_types, v_ids, v_times
  from (
    (select 'post' as type, p.id, p.created_at as at from app.posts p
     where 'post' = any (p_applies_to) and (p.created_at, p.id) < (v_at, v_id) and p.created_at >= v_oldest
     order by p.created_at desc, p.id desc limit c_most)
    union all
    (select 'reply', r.id, r.created_at from app.replies r
     where 'reply' = any (p_applies_to) and (r.created_at, r.id) < (v_at, v_id) and r.created_at >= v_oldest
     order by r.created_at desc, r.id desc limit c_most)
    union all
    (select c.kind, c.id, c.created_at from app.contents c
     where p_applies_to && array(select kind from private.content_kinds)
       and (c.created_at, c.id) < (v_at, v_id) and c.created_at >= v_oldest and c.deleted_at is null
     order by c.created_at desc, c.id desc limit c_most)
    union all
    (select 'argument', c.id, c.created_at from app.debate_arguments c
     where 'argument' = any (p_applies_to) and (c.created_at, c.id) < (v_at, v_id) and c.created_at >= v_oldest
       and c.deleted_at is null
     order by c.created_at desc, c.id desc limit c_most)
    union all
    (select 'solution', c.id, c.created_at from app.problem_solutions c
     where 'solution' = any (p_applies_to) and (c.created_at, c.id) < (v_at, v_id) and c.created_at >= v_oldest
       and c.deleted_at is null
     order by c.created_at desc, c.id desc limit c_most)
    union all
    (select 'review', c.id, c.created_at from app.offering_reviews c
     where 'review' = any (p_applies_to) and (c.created_at, c.id) < (v_at, v_id) and c.created_at >= v_oldest
     order by c.created_at desc, c.id desc limit c_most)
    union all
    (select 'video-comment', c.id, c.created_at from app.video_comments c
     where 'video-comment' = any (p_applies_to) and (c.created_at, c.id) < (v_at, v_id) and c.created_at >= v_oldest
     order by c.created_at desc, c.id desc limit c_most)
    order by at desc, id desc limit c_most) w;
  v_looked := coalesce(cardinality(v_ids), 0);
  for v_place in 1 .. v_looked loop
    continue when v_types[v_place] <> all (p_applies_to);   -- a content of another kind
    v_fits := private.find_fitting(p_conditions, private.find_versions(v_types[v_place], v_ids[v_place]));
    continue when v_fits.id is null;
    v_removed := private.was_removed(v_fits.type, v_fits.id);
    v_hits := v_hits + 1;
    v_removals := v_removals + v_removed::integer;
    if v_hits <= 20 then
      v_sample := v_sample || json_build_object(
        'targetType', v_fits.type,
        'targetId', v_fits.id,
        'authorId', v_fits.author_id,
        'author', (select author.card from app.person_card author where author.id = v_fits.author_id),
        'excerpt', left(array_to_string(v_fits.texts, e'\n'), 200),
        'removed', v_removed,
        'createdAt', private.utc(v_times[v_place]));
    end if;
  end loop;
  return json_build_object(
    'looked', v_looked,
    'wouldHit', v_hits,
    'ofWhichStaffRemoved', v_removals,
    'sample', to_json(v_sample),
    'lookedUntil', private.utc(v_times[v_looked]),
    'nextCursor', case when v_looked = c_most
                       then private.place_cursor('replay', v_times[v_looked], v_ids[v_looked]) end);
end $function$;

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
  elsif private.takes_over(p_kind, p_id, p_removed) then
    perform private.record_moderation(p_kind, p_id, 'removed', v_author, p_reason);
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

ALTER TABLE "private"."judged_types" ADD CONSTRAINT "judged_types_check" CHECK ((num_nulls(relation, hidden_at, verb, lock_kind) = ANY (ARRAY[0, 4])));

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

CREATE INDEX video_comments_created_at_idx ON app.video_comments USING btree (created_at DESC, id DESC);

CREATE CONSTRAINT TRIGGER _190_judge_edited AFTER UPDATE OF title, body ON app.course_lessons DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.title IS DISTINCT FROM old.title) OR ((new.body)::text IS DISTINCT FROM (old.body)::text))) EXECUTE FUNCTION private.judge_lesson();

CREATE CONSTRAINT TRIGGER _190_judge_new AFTER INSERT ON app.course_lessons DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.judge_lesson();

CREATE CONSTRAINT TRIGGER _190_judge_new AFTER INSERT ON app.debate_arguments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.judge_child('argument');

CREATE CONSTRAINT TRIGGER _190_judge_new AFTER INSERT ON app.offering_reviews DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.judge_child('review');

CREATE CONSTRAINT TRIGGER _190_judge_edited AFTER UPDATE OF edited_at ON app.problem_solutions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.deleted_at IS NULL) AND (new.edited_at IS DISTINCT FROM old.edited_at))) EXECUTE FUNCTION private.judge_child('solution');

CREATE CONSTRAINT TRIGGER _190_judge_new AFTER INSERT ON app.problem_solutions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.judge_child('solution');

CREATE CONSTRAINT TRIGGER _190_judge_new AFTER INSERT ON app.video_comments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.judge_child('video-comment');

COMMENT ON COLUMN "app"."decisions"."lifted_at" IS 'When its effect ended: staff ended it, its time was over, staff hid what a rule or a space had hidden, or another ban or suspension replaced it. Its strikes remain.';

COMMENT ON COLUMN "private"."judged_types"."present" IS 'The condition for rows of the table that were not deleted.';

COMMENT ON FUNCTION "api"."unlimit_person"(text, text) IS 'Ends a limit of another person. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry.';

COMMENT ON FUNCTION "private"."answers_for"(text, uuid, uuid, uuid) IS 'Whether a person answers for a thing: as p_author, or as one of its co-authors.';

COMMENT ON FUNCTION "private"."find_child_versions"(text, uuid, timestamp with time zone) IS 'The current version of an argument, a solution, a review or a comment; earlier ones are not kept.';

COMMENT ON FUNCTION "private"."find_course_versions"(text, uuid, timestamp with time zone) IS 'The current version of a course and, as further versions, its lessons (at most 200), whose times are not kept. A draft has none.';

COMMENT ON FUNCTION "private"."hide_by_rule"(text, uuid) IS 'Hides a thing from everyone but its author, as staff hides or removes it. The worker leaves the audit entry. Returns false if it was hidden or deleted before, or if rules can''t hide things of its type.';

COMMENT ON FUNCTION "private"."is_own_thing"(text, uuid, uuid) IS 'Whether the caller answers for a thing. Staff do not work on their own things.';

COMMENT ON FUNCTION "private"."judge_at_commit"(text, uuid, uuid) IS 'Judges a thing that its author has published or edited.';

COMMENT ON FUNCTION "private"."judge_child"() IS 'Trigger: judges what somebody has written, or edited, within a content. Its argument is the type.';

COMMENT ON FUNCTION "private"."judge_lesson"() IS 'Trigger: judges the course of a lesson that its author has written.';

COMMENT ON FUNCTION "private"."judge_written"(private.effects[]) IS 'Listener: as private.judge_published, for contents and what is written within them.';

COMMENT ON FUNCTION "private"."record_decision"() IS 'Trigger: writes the decision of an audit entry that concerns a person, and adds it to the history of the case that is being worked on (setting kith.case: {caseId, category, rule, spaceId}), or of the open case of the thing. If staff decides to hide or remove a thing, that lifts the decisions of rules and spaces about it. A ban or a suspension lifts the one before it, whose end it replaces.';

COMMENT ON FUNCTION "private"."refuse_own"(text, uuid, uuid) IS 'Passes if the caller may undo what staff decided about a thing. Nobody may who answers for it, admins included.';

COMMENT ON FUNCTION "private"."set_content_removed"(text, uuid, boolean, text) IS 'Removes a content for everyone except its author, or restores it: {id, kind, removedAt}. Repeating it changes nothing and leaves no audit entry, unless staff removes what a rule has removed (private.takes_over); a deleted content is unknown. Nobody can restore what they wrote themselves.';

COMMENT ON FUNCTION "private"."set_post_hidden"(uuid, boolean, text) IS 'For staff: private.write_post_hidden. Nobody can show again what they wrote themselves.';

COMMENT ON FUNCTION "private"."set_reply_hidden"(uuid, boolean, text) IS 'For staff: private.write_reply_hidden. Nobody can show again what they wrote themselves.';

COMMENT ON FUNCTION "private"."staff_user_details"(uuid) IS 'The fields that the list of people leaves out: {about, country, city, invitedById, invitedBy, reputation, contribution, balance, openReports}. Reports are counted up to 1000, and those about the caller are not counted.';

COMMENT ON TABLE "private"."judged_types" IS 'Registry: the types of things that rules judge. If relation, hidden_at, verb and lock_kind are null, a rule can only open a case about such a thing.';

COMMENT ON VIEW "private"."staff_decision_appeals" IS 'Appeals as staff sees them. mayResolve says whether the caller may resolve it, own whether it is theirs or about what they wrote with others.';

REVOKE ALL ON FUNCTION "private"."answers_for"(text, uuid, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."answers_for"(text, uuid, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."answers_for"(text, uuid, uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_child_versions"(text, uuid, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_child_versions"(text, uuid, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_child_versions"(text, uuid, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_course_versions"(text, uuid, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_course_versions"(text, uuid, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_course_versions"(text, uuid, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge_at_commit"(text, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_at_commit"(text, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge_at_commit"(text, uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge_child"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_child"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge_child"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge_lesson"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_lesson"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge_lesson"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_own"(text, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_own"(text, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_own"(text, uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_own"(text, uuid, uuid) TO "service_role";

insert into private.errors ("code", "status", "text")
values ('moderate_own', '403', 'This is about you or about what you wrote, so somebody else must decide it.');

update private.event_types set "happens" = 'a content, or what somebody wrote within one, is published or edited and a rule judges its kind'
where "name"::text = 'moderation.content.written'
  and "happens"::text = 'a content is published or edited and a rule judges its kind';

insert into private.judged_types ("type", "finder", "relation", "hidden_at", "verb", "lock_kind", "counters", "present")
values ('argument', 'private.find_child_versions', 'app.debate_arguments', 'removed_at', 'removed', 'content', null, 'deleted_at is null');

update private.judged_types set "present" = 'deleted_at is null'
where "type"::text = 'audio';

update private.judged_types set "finder" = 'private.find_course_versions', "present" = 'deleted_at is null'
where "type"::text = 'course'
  and "finder"::text = 'private.find_content_versions';

update private.judged_types set "present" = 'deleted_at is null'
where "type"::text = 'debate';

update private.judged_types set "present" = 'deleted_at is null'
where "type"::text = 'event';

update private.judged_types set "present" = 'deleted_at is null'
where "type"::text = 'offering';

update private.judged_types set "present" = 'deleted_at is null'
where "type"::text = 'post';

update private.judged_types set "present" = 'deleted_at is null'
where "type"::text = 'problem';

update private.judged_types set "present" = 'deleted_at is null'
where "type"::text = 'project';

update private.judged_types set "present" = 'deleted_at is null'
where "type"::text = 'reply';

insert into private.judged_types ("type", "finder", "relation", "hidden_at", "verb", "lock_kind", "counters", "present")
values ('review', 'private.find_child_versions', 'app.offering_reviews', 'removed_at', 'removed', 'content', null, 'true');

insert into private.judged_types ("type", "finder", "relation", "hidden_at", "verb", "lock_kind", "counters", "present")
values ('solution', 'private.find_child_versions', 'app.problem_solutions', 'removed_at', 'removed', 'content', null, 'deleted_at is null');

update private.judged_types set "present" = 'deleted_at is null'
where "type"::text = 'video';

insert into private.judged_types ("type", "finder", "relation", "hidden_at", "verb", "lock_kind", "counters", "present")
values ('video-comment', 'private.find_child_versions', null, null, null, null, null, 'deleted_at is null');

-- Written by hand: of several bans of a person only the newest is in force.
update app.decisions d set lifted_at = n.decided_at
from app.decisions n
where d.target_type = 'user' and d.action in ('ban', 'suspend') and d.lifted_at is null
  and n.target_type = 'user' and n.target_id = d.target_id and n.action in ('ban', 'suspend')
  and n.decided_at = (select min(o.decided_at) from app.decisions o
                      where o.target_type = 'user' and o.target_id = d.target_id and o.action in ('ban', 'suspend')
                        and o.decided_at > d.decided_at);
