-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP VIEW "private"."staff_cases";

DROP FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text);

ALTER TABLE "app"."cases" ADD COLUMN "space_id" uuid;

ALTER TABLE "app"."cases" ADD COLUMN "staff_from" timestamp with time zone NOT NULL DEFAULT now();

-- Written by hand: staff has the cases of before at once, because no space saw them.
update app.cases set staff_from = opened_at;

ALTER TABLE "app"."decisions" ADD COLUMN "space_id" uuid;

ALTER TABLE "private"."case_handlers" ADD COLUMN "by_space" text;

ALTER TABLE "private"."report_targets" ADD COLUMN "place" text;

CREATE TYPE "private"."reported_place" AS ("space_id" uuid, "title" text, "body" text, "hidden" boolean);

ALTER TYPE "private"."reported_place" OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.act_on_space_report(p_kind text, p_id text, p_case_id uuid, p_action text, p_reason text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.act_for_space(private.require_space_kind(p_kind), p_id, p_case_id, p_action, p_reason);
end $function$;

ALTER FUNCTION "api"."act_on_space_report"(text, text, uuid, text, text) OWNER TO "postgres";

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
      'status', p_status, 'category', p_category, 'priority', p_priority, 'target_type', p_target_type),
    array['person_id', 'claimed_by', 'category', 'status'], p_q, p_from, p_to, p_limit, p_cursor, 'place');
end $function$;

ALTER FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_space_reports(p_kind text, p_id text, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$ begin return private.list_space_reports(private.require_space_kind(p_kind), p_id, p_limit, p_cursor); end $function$;

ALTER FUNCTION "api"."list_space_reports"(text, text, integer, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.act_for_space(p_kind text, p_id text, p_case uuid, p_action text, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
  v_case := private.require_space_case(v_space, p_case, p_action);   -- again: all of it may have changed meanwhile
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
end $function$;

ALTER FUNCTION "private"."act_for_space"(text, text, uuid, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.count_strikes(p_person uuid)
 RETURNS integer
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
  return (select coalesce(sum(s.strikes), 0)
          from (select max(c.strikes) as strikes
                from (select * from app.decisions d
                      where d.person_id = p_person and d.decided_at > private.strikes_since()
                      order by d.decided_at desc limit 400) d
                join private.case_categories c on c.category = d.category
                where d.overturned_at is null and d.space_id is null
                group by coalesce(d.case_id, d.id)) s);
end $function$;

CREATE OR REPLACE FUNCTION private.find_reported_place(p_type text, p_id uuid)
 RETURNS private.reported_place
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_query text := (select place from private.report_targets where type = p_type);
  v_place private.reported_place;
begin
  if v_query is not null then
    execute v_query into v_place using p_id;   -- safe: the query comes from the registry
  end if;
  return v_place;
end $function$;

ALTER FUNCTION "private"."find_reported_place"(text, uuid) OWNER TO "postgres";

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
         and not exists (select from app.case_events where case_id = (p_case).id and kind = 'acted');
end $function$;

ALTER FUNCTION "private"."is_hidden_by"(uuid, app.cases) OWNER TO "postgres";

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
  v_space  uuid := (private.require_space(p_kind, p_id)).id;
  v_cursor uuid := private.require_cursor(p_cursor);
  v_at     timestamptz := 'infinity';
  v_ids    uuid[];
begin
  perform private.require_space_role(v_space, 'owner', 'moderator');
  if v_cursor is not null then
    select opened_at into v_at from app.cases where id = v_cursor and space_id = v_space;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_cursor := coalesce(v_cursor, v_space);   -- any id works: no case is at infinity
  v_ids := array(select c.id from app.cases c
                 where c.space_id = v_space and c.space_id is not null and c.status = 'open'
                   and (c.opened_at, c.id) < (v_at, v_cursor)
                 order by c.opened_at desc, c.id desc limit 51);
  return private.page(private.space_report_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
end $function$;

ALTER FUNCTION "private"."list_space_reports"(text, text, integer, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.open_case(p_target_type text, p_target_id uuid, p_category text, p_source text, p_note text DEFAULT NULL::text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_category private.case_categories := private.require_category(p_category);
  v_finder   text := private.require_report_finder(p_target_type);
  v_case     uuid;
  v_kind     text := 'added';
begin
  perform private.check_lock_order('case', p_target_id::text);
  loop
    update app.cases c
    set category = case when c.category = 'other' then v_category.category else c.category end,
        priority = least(c.priority, v_category.priority),
        staff_from = case when p_source = 'report' and not v_category.at_once then c.staff_from
                          else least(c.staff_from, now()) end,
        updated_at = clock_timestamp()
    where c.target_type = p_target_type and c.target_id = p_target_id and c.status = 'open'
    returning c.id into v_case;
    exit when found;
    insert into app.cases (target_type, target_id, category, priority, source)
    values (p_target_type, p_target_id, v_category.category, v_category.priority, p_source)
    on conflict (target_type, target_id) where status = 'open' do nothing
    returning id into v_case;
    if found then
      v_kind := 'opened';
      exit;
    end if;
  end loop;
  insert into app.case_events (case_id, kind, actor_id, note, detail)
  values (v_case, v_kind, case when p_source = 'staff' then app.uid() end, p_note,
          jsonb_build_object('source', p_source, 'category', p_category));
  return v_case;
end $function$;

CREATE OR REPLACE FUNCTION private.place_case()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.source = 'report' then
    new.space_id := (private.find_reported_place(new.target_type, new.target_id)).space_id;
  end if;
  if new.space_id is not null and not (private.require_category(new.category)).at_once
     and coalesce(private.find_role(new.space_id, new.person_id), 'member') = 'member' then
    new.staff_from := new.opened_at + interval '3 days';
  end if;
  return new;
end $function$;

ALTER FUNCTION "private"."place_case"() OWNER TO "postgres";

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
  select * into v_case from app.cases where id = p_case and space_id = p_space;
  if not found then
    perform private.raise_error('case_unknown');
  elsif v_case.person_id = app.uid() then
    perform private.raise_error('case_own');
  elsif p_action is distinct from 'unhide' and v_case.status = 'closed' then
    perform private.raise_error('case_closed');
  elsif p_action = 'dismiss' and v_case.staff_from <= now() then
    perform private.raise_error('case_with_staff');
  elsif v_case.claimed_by <> app.uid() and v_case.claimed_until > now() then
    perform private.raise_error('case_claimed');
  elsif p_action = 'unhide' and (private.find_reported_place(v_case.target_type, v_case.target_id)).hidden
        and not private.is_hidden_by(p_space, v_case) then
    perform private.raise_error('hidden_by_staff');
  end if;
  return v_case;
end $function$;

ALTER FUNCTION "private"."require_space_case"(uuid, uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.set_post_hidden(p_id uuid, p_hidden boolean, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('moderator', 'admin');
  return private.write_post_hidden(p_id, p_hidden, p_reason);
end $function$;

CREATE OR REPLACE FUNCTION private.set_reply_hidden(p_id uuid, p_hidden boolean, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('moderator', 'admin');
  return private.write_reply_hidden(p_id, p_hidden, p_reason);
end $function$;

CREATE OR REPLACE FUNCTION private.space_report_cards(p_ids uuid[])
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
                     where o.target_type = c.target_type and o.target_id = c.target_id
                     order by o.created_at desc, o.id desc limit 20) r
               join app.case_reports b on b.report_id = r.id and b.case_id = c.id),
             'withStaff', c.staff_from <= now(), 'status', c.status, 'outcome', c.outcome,
             'createdAt', private.utc(c.opened_at)) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join app.cases c on c.id = i.id
    cross join lateral private.find_reported_place(c.target_type, c.target_id) t);
end $function$;

ALTER FUNCTION "private"."space_report_cards"(uuid[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.standing(p_person uuid)
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
  v_since timestamptz := private.strikes_since();
begin
  return (
    select json_build_object(
      'state', case when u.banned_until is not null then 'suspended' when u.banned_at is not null then 'banned'
                    when u.limited_at is not null then 'limited' else 'active' end,
      'suspendedUntil', private.utc(u.banned_until),
      'strikes', private.count_strikes(p_person),
      'decisions', (
        select coalesce(json_agg(json_build_object(
                 'id', d.id,
                 'action', d.action,
                 'targetType', d.target_type,
                 'targetId', case when d.target_type <> 'user' then d.target_id end,
                 'category', d.category,
                 'rule', d.rule,
                 'reason', d.reason,
                 'strikes', case when s.counts then c.strikes else 0 end,
                 'strikesUntil', case when s.counts and c.strikes > 0
                                      then private.utc(d.decided_at + (now() - v_since)) end,
                 'endsAt', private.utc(d.ends_at),
                 'liftedAt', private.utc(d.lifted_at),
                 'overturnedAt', private.utc(d.overturned_at),
                 'appealable', a.id is null and d.overturned_at is null,
                 'appeal', case when a.id is not null then json_build_object(
                   'text', a.text, 'status', a.status, 'undone', a.undone, 'answer', a.answer,
                   'createdAt', private.utc(a.created_at), 'resolvedAt', private.utc(a.resolved_at)) end,
                 'createdAt', private.utc(d.decided_at)) order by d.decided_at desc, d.id desc), '[]')
        from (select * from app.decisions where person_id = p_person order by decided_at desc, id desc limit 100) d
        join private.case_categories c on c.category = d.category
        cross join lateral (
          select d.overturned_at is null and d.space_id is null and d.decided_at > v_since as counts) s
        left join app.decision_appeals a on a.decision_id = d.id))
    from app.users u where u.id = p_person);
end $function$;

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
  end if;
  return json_build_object('id', p_id, 'hiddenAt', private.utc(v_post.hidden_at));
end $function$;

ALTER FUNCTION "private"."write_post_hidden"(uuid, boolean, text) OWNER TO "postgres";

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
  end if;
  return json_build_object('id', p_id, 'hiddenAt', private.utc(v_reply.hidden_at));
end $function$;

ALTER FUNCTION "private"."write_reply_hidden"(uuid, boolean, text) OWNER TO "postgres";

ALTER TABLE "app"."cases" ADD CONSTRAINT "cases_space_id_fkey" FOREIGN KEY (space_id) REFERENCES app.spaces(id) ON DELETE RESTRICT;

ALTER TABLE "app"."decisions" ADD CONSTRAINT "decisions_space_id_fkey" FOREIGN KEY (space_id) REFERENCES app.spaces(id) ON DELETE RESTRICT;

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
        END, 'closedById', c.closed_by, 'closedAt', private.utc(c.closed_at), 'spaceId', c.space_id, 'staffFrom', private.utc(c.staff_from), 'updatedAt', private.utc(c.updated_at), 'createdAt', private.utc(c.opened_at)) AS card
   FROM (((app.cases c
     LEFT JOIN app.users u ON ((u.id = c.person_id)))
     LEFT JOIN app.person_card person ON ((person.id = c.person_id)))
     LEFT JOIN app.person_card claimer ON ((claimer.id = c.claimed_by)));

ALTER VIEW "private"."staff_cases" OWNER TO "postgres";

CREATE INDEX cases_space_id_idx ON app.cases USING btree (space_id, status, opened_at DESC, id DESC) WHERE (space_id IS NOT NULL);

CREATE INDEX decisions_space_id_idx ON app.decisions USING btree (space_id) WHERE (space_id IS NOT NULL);

CREATE TRIGGER _060_place BEFORE INSERT ON app.cases FOR EACH ROW EXECUTE FUNCTION private.place_case();

COMMENT ON COLUMN "app"."cases"."space_id" IS 'The group or guild that the reported thing is in, whose owner and moderators see the case; null if it is in none, or a rule or staff opened the case.';

COMMENT ON COLUMN "app"."cases"."staff_from" IS 'From when on staff decides and finds an open case in its queue. Before, only the space does.';

COMMENT ON COLUMN "app"."decisions"."space_id" IS 'The group or guild whose owner or moderator decided it, so that it counts no strikes; null if staff did.';

COMMENT ON COLUMN "private"."case_handlers"."by_space" IS 'The statement by which those who moderate a group or guild do it to a thing in there; null if only staff can.';

COMMENT ON COLUMN "private"."report_targets"."place" IS 'The query for (space, title, text, whether staff or the space hid it) of a target ($1), if it can be in a group or guild; otherwise null.';

COMMENT ON FUNCTION "api"."act_on_space_report"(text, text, uuid, text, text) IS 'Hides or shows again what was reported in a group or guild (hide, unhide), or settles its case without that (dismiss), for the owner and moderators. Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) IS 'Cases, the most urgent first, of the same priority the oldest first. Filters: state, category, priority, claimed by me or nobody, type of the target, person, rule or username, a period, an id. With p_waiting only those that still belong to a group or guild, otherwise only the others.';

COMMENT ON FUNCTION "api"."list_space_reports"(text, text, integer, text) IS 'The open cases about what is in a group or guild, newest first, for its owner and moderators.';

COMMENT ON FUNCTION "private"."act_for_space"(text, text, uuid, text, text) IS 'Does something in a case for the owner or a moderator of its space. Dismissing and hiding close it, unless staff already has it: then it stays open until staff decides. Fails: post_unknown, reply_unknown.';

COMMENT ON FUNCTION "private"."count_strikes"(uuid) IS 'The strikes of a person that have not lapsed: for each case the number of its category, once, however much was done in it. Decisions that were overturned, or are by a space, count nothing. They have no effect by themselves; staff sees them. Counts the newest 400 decisions.';

COMMENT ON FUNCTION "private"."find_reported_place"(text, uuid) IS 'Where a reported thing is and what it says.';

COMMENT ON FUNCTION "private"."is_hidden_by"(uuid, app.cases) IS 'Whether it was this space that hid the thing of a case, and staff has not acted in the case.';

COMMENT ON FUNCTION "private"."list_space_reports"(text, text, integer, text) IS 'The open cases of a space for its owner and moderators, newest first.';

COMMENT ON FUNCTION "private"."place_case"() IS 'Trigger: a case that a report opens about a thing in a group or guild is for its owner and moderators, and for staff after three days. Staff has it at once if the category says so, or if one of them wrote the thing.';

COMMENT ON FUNCTION "private"."record_decision"() IS 'Trigger: writes the decision of an audit entry that concerns a person, and adds it to the history of the case that is being worked on (setting kith.case: {caseId, category, rule, spaceId}), or of the open case of the thing.';

COMMENT ON FUNCTION "private"."require_space_case"(uuid, uuid, text) IS 'A case of a space in which the caller may do this: hide, unhide or dismiss.';

COMMENT ON FUNCTION "private"."set_post_hidden"(uuid, boolean, text) IS 'For staff: private.write_post_hidden.';

COMMENT ON FUNCTION "private"."set_reply_hidden"(uuid, boolean, text) IS 'For staff: private.write_reply_hidden.';

COMMENT ON FUNCTION "private"."space_report_cards"(uuid[]) IS 'These cases as those who moderate the space see them, in order: {id, targetType, targetId, author, title, excerpt, hidden, category, reportCount, reports [{category, reason}], withStaff, status, outcome, createdAt}. Its callers check who asks. It never says who reported; the author is null if the caller can''t see them.';

COMMENT ON FUNCTION "private"."write_post_hidden"(uuid, boolean, text) IS 'Hides a post or shows it again: {id, hiddenAt}. Repeating it changes nothing and leaves no audit entry; a deleted post is unknown. Its callers check who may do it.';

COMMENT ON FUNCTION "private"."write_reply_hidden"(uuid, boolean, text) IS 'Hides a reply or shows it again, as private.write_post_hidden does.';

COMMENT ON TYPE "private"."reported_place" IS 'Where a reported thing is and what it says: private.report_targets.place. All parts are null for a thing that can be in no group or guild, or that is deleted.';

COMMENT ON VIEW "private"."staff_cases" IS 'Cases as staff sees them. A claim that has ended counts as none.';

REVOKE ALL ON FUNCTION "api"."act_on_space_report"(text, text, uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."act_on_space_report"(text, text, uuid, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."act_on_space_report"(text, text, uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."act_on_space_report"(text, text, uuid, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "api"."list_space_reports"(text, text, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_space_reports"(text, text, integer, text) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."list_space_reports"(text, text, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_space_reports"(text, text, integer, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."act_for_space"(text, text, uuid, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."act_for_space"(text, text, uuid, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."act_for_space"(text, text, uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."act_for_space"(text, text, uuid, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_reported_place"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_reported_place"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_reported_place"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_hidden_by"(uuid, app.cases) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_hidden_by"(uuid, app.cases) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_hidden_by"(uuid, app.cases) TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_space_reports"(text, text, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_space_reports"(text, text, integer, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."list_space_reports"(text, text, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_space_reports"(text, text, integer, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."place_case"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."place_case"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."place_case"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_space_case"(uuid, uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_space_case"(uuid, uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_space_case"(uuid, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."space_report_cards"(uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."space_report_cards"(uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."space_report_cards"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."write_post_hidden"(uuid, boolean, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."write_post_hidden"(uuid, boolean, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."write_post_hidden"(uuid, boolean, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."write_post_hidden"(uuid, boolean, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."write_reply_hidden"(uuid, boolean, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."write_reply_hidden"(uuid, boolean, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."write_reply_hidden"(uuid, boolean, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."write_reply_hidden"(uuid, boolean, text) TO "service_role";

insert into private.errors ("code", "status", "text")
values ('case_with_staff', '409', 'Staff decides this case.');

insert into private.errors ("code", "status", "text")
values ('hidden_by_staff', '409', 'Staff hid this, so only staff can show it again.');

insert into private.write_limits ("kind", "per_hour", "lock_kind")
values ('decisions', '300', 'writes');

update private.report_targets set "place" = 'select c.space_id, null::text, a.body, a.removed_at is not null
    from app.debate_arguments a join app.contents c on c.id = a.debate_id where a.id = $1'
where "type"::text = 'argument';

update private.report_targets set "place" = 'select c.space_id, c.title, d.caption, c.removed_at is not null
    from app.contents c join app.audio d on d.id = c.id where c.id = $1'
where "type"::text = 'audio';

update private.report_targets set "place" = 'select c.space_id, c.title, d.summary, c.removed_at is not null
    from app.contents c join app.courses d on d.id = c.id where c.id = $1'
where "type"::text = 'course';

update private.report_targets set "place" = 'select c.space_id, c.title, d.body, c.removed_at is not null from app.contents c join app.debates d on d.id = c.id
    where c.id = $1'
where "type"::text = 'debate';

update private.report_targets set "place" = 'select c.space_id, c.title, d.body, c.removed_at is not null from app.contents c join app.events d on d.id = c.id
    where c.id = $1'
where "type"::text = 'event';

update private.report_targets set "place" = null
where "type"::text = 'group';

update private.report_targets set "place" = null
where "type"::text = 'guild';

update private.report_targets set "place" = null
where "type"::text = 'message';

update private.report_targets set "place" = 'select c.space_id, c.title, d.description, c.removed_at is not null
    from app.contents c join app.offerings d on d.id = c.id where c.id = $1'
where "type"::text = 'offering';

update private.report_targets set "place" = 'select space_id, title, body, hidden_at is not null from app.posts where id = $1 and deleted_at is null'
where "type"::text = 'post';

update private.report_targets set "place" = 'select c.space_id, c.title, d.body, c.removed_at is not null from app.contents c join app.problems d on d.id = c.id
    where c.id = $1'
where "type"::text = 'problem';

update private.report_targets set "place" = 'select c.space_id, c.title, d.summary, c.removed_at is not null
    from app.contents c join app.projects d on d.id = c.id where c.id = $1'
where "type"::text = 'project';

update private.report_targets set "place" = 'select p.space_id, null::text, r.body, r.hidden_at is not null
    from app.replies r join app.posts p on p.id = r.post_id where r.id = $1 and r.deleted_at is null'
where "type"::text = 'reply';

update private.report_targets set "place" = null
where "type"::text = 'review';

update private.report_targets set "place" = 'select c.space_id, null::text, s.body, s.removed_at is not null
    from app.problem_solutions s join app.contents c on c.id = s.problem_id where s.id = $1'
where "type"::text = 'solution';

update private.report_targets set "place" = null
where "type"::text = 'user';

update private.report_targets set "place" = 'select c.space_id, c.title, d.caption, c.removed_at is not null
    from app.contents c join app.videos d on d.id = c.id where c.id = $1'
where "type"::text = 'video';

update private.report_targets set "place" = 'select c.space_id, null::text, v.body, v.removed_at is not null
    from app.video_comments v join app.contents c on c.id = v.video_id where v.id = $1'
where "type"::text = 'video-comment';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'argument' and "action"::text = 'remove';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'argument' and "action"::text = 'restore';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'audio' and "action"::text = 'remove';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'audio' and "action"::text = 'restore';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'course' and "action"::text = 'remove';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'course' and "action"::text = 'restore';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'debate' and "action"::text = 'remove';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'debate' and "action"::text = 'restore';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'event' and "action"::text = 'remove';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'event' and "action"::text = 'restore';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'offering' and "action"::text = 'remove';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'offering' and "action"::text = 'restore';

update private.case_handlers set "by_space" = 'select private.write_post_hidden($1, true, $2)'
where "target_type"::text = 'post' and "action"::text = 'hide';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'post' and "action"::text = 'remove';

update private.case_handlers set "by_space" = 'select private.write_post_hidden($1, false, $2)'
where "target_type"::text = 'post' and "action"::text = 'unhide';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'problem' and "action"::text = 'remove';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'problem' and "action"::text = 'restore';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'project' and "action"::text = 'remove';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'project' and "action"::text = 'restore';

update private.case_handlers set "by_space" = 'select private.write_reply_hidden($1, true, $2)'
where "target_type"::text = 'reply' and "action"::text = 'hide';

update private.case_handlers set "by_space" = 'select private.write_reply_hidden($1, false, $2)'
where "target_type"::text = 'reply' and "action"::text = 'unhide';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'review' and "action"::text = 'remove';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'review' and "action"::text = 'restore';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'solution' and "action"::text = 'remove';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'solution' and "action"::text = 'restore';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'user' and "action"::text = 'ban';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'user' and "action"::text = 'limit';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'user' and "action"::text = 'suspend';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'user' and "action"::text = 'unban';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'user' and "action"::text = 'unlimit';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'user' and "action"::text = 'warn';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'video' and "action"::text = 'remove';

update private.case_handlers set "by_space" = null
where "target_type"::text = 'video' and "action"::text = 'restore';
