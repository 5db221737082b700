-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP FUNCTION "api"."list_reports"(text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text);

DROP FUNCTION "private"."standing"(uuid);

CREATE OR REPLACE FUNCTION api.appeal_by_password(p_user_id uuid, p_password_hash text, p_decision_id uuid, p_text text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_password(p_user_id, p_password_hash);
  perform private.add_decision_appeal(p_user_id, p_decision_id, p_text);
  return private.standing(p_user_id, true);
end $function$;

CREATE OR REPLACE FUNCTION api.find_standing(p_user_id uuid, p_password_hash text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_password(p_user_id, p_password_hash);
  return private.standing(p_user_id, true);
end $function$;

CREATE OR REPLACE FUNCTION api.find_statement(p_user_id uuid, p_password_hash text, p_decision_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_password(p_user_id, p_password_hash);
  return private.statement(p_user_id, p_decision_id, true);
end $function$;

ALTER FUNCTION "api"."find_statement"(uuid, text, uuid) OWNER TO "postgres";

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
      'reporter_id', private.find_staff_person(p_reporter_id), 'waiting', p_waiting),
    array['status'], case when v_target is null then p_q end, p_from, p_to, p_limit, p_cursor);
end $function$;

ALTER FUNCTION "api"."list_reports"(text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.appeal_path(p_decision app.decisions, p_by_password boolean)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if (p_decision).overturned_at is not null
     or exists (select from app.decision_appeals where decision_id = (p_decision).id) then
    return null;
  elsif p_by_password then
    return '/auth/appeal';
  end if;
  return format('/me/standing/%s/appeal', (p_decision).id);
end $function$;

ALTER FUNCTION "private"."appeal_path"(app.decisions, boolean) OWNER TO "postgres";

CREATE INDEX case_events_space_idx ON app.case_events USING btree (case_id) WHERE kind = 'space'::text;

CREATE OR REPLACE FUNCTION private.closed_by_space(p_case app.cases)
 RETURNS boolean
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
  return (p_case).space_id is not null and (p_case).closed_at < (p_case).staff_from
     and exists (select from app.case_events e
                 where e.case_id = (p_case).id and e.kind = 'space' and e.detail ->> 'action' <> 'unhide');
end $function$;

ALTER FUNCTION "private"."closed_by_space"(app.cases) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.decision_maker(p_decision app.decisions)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when (p_decision).decided_by is null then 'rule' when (p_decision).space_id is not null then 'space'
              else 'staff' end;
end $function$;

ALTER FUNCTION "private"."decision_maker"(app.decisions) OWNER TO "postgres";

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
    select c.opened_at as at, c.id, c.person_id is distinct from app.uid() as is_shown from app.cases c
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

ALTER FUNCTION "private"."find_space_cases"(uuid, app.place) OWNER TO "postgres";

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
         and not exists (select from app.case_events where case_id = (p_case).id and kind = 'acted')
         and not exists (select from app.cases c
                         where c.target_type = (p_case).target_type and c.target_id = (p_case).target_id
                           and c.number > (p_case).number and c.outcome = 'acted' and not private.closed_by_space(c));
end $function$;

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
    v_from.at := coalesce(v_from.at, (select opened_at from app.cases
                                      where id = v_from.id and space_id = v_space
                                        and person_id is distinct from app.uid()));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_space_cases(v_space, v_from);
  return private.page(private.space_report_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $function$;

CREATE OR REPLACE FUNCTION private.notify_decided(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- without an actor, so that nobody learns who of the staff did it
  perform private.notify(array(
    select (e.user_id, 'moderation.actioned', null, 'decision', e.payload ->> 'decisionId',
            jsonb_build_object('targetType', 'decision', 'targetId', e.payload ->> 'decisionId',
                               'action', e.payload ->> 'action', 'appealPath', private.appeal_path(d, false)),
            null, null, e.caused_at)::private.notice
    from unnest(p_effects) e join app.decisions d on d.id = (e.payload ->> 'decisionId')::uuid));
end $function$;

CREATE OR REPLACE FUNCTION private.own_standing()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ begin return private.standing(private.require_caller(), false); end $function$;

CREATE OR REPLACE FUNCTION private.own_statement(p_decision uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ begin return private.statement(private.require_caller(), p_decision, false); end $function$;

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
  select * into v_case from app.cases
  where id = p_case and space_id = p_space and person_id is distinct from app.uid();
  if not found then
    perform private.raise_error('case_unknown');
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

CREATE OR REPLACE FUNCTION private.standing(p_person uuid, p_by_password boolean)
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
                 'automated', d.decided_by is null,
                 'strikes', case when s.counts then c.strikes else 0 end,
                 'strikesUntil', case when s.counts and c.strikes > 0
                                      then private.utc(d.decided_at + (now() - v_since)) end,
                 'endsAt', private.utc(d.ends_at),
                 'liftedAt', private.utc(d.lifted_at),
                 'overturnedAt', private.utc(d.overturned_at),
                 'appealable', p.path is not null,
                 'appealPath', p.path,
                 'appeal', case when a.id is not null then json_build_object(
                   'text', a.text, 'status', a.status, 'undone', a.undone, 'answer', a.answer,
                   'createdAt', private.utc(a.created_at), 'resolvedAt', private.utc(a.resolved_at)) end,
                 'createdAt', private.utc(d.decided_at)) order by d.decided_at desc, d.id desc), '[]')
        from (select * from app.decisions where person_id = p_person order by decided_at desc, id desc limit 100) d
        join private.case_categories c on c.category = d.category
        cross join lateral (
          select private.counts_strikes(d) and d.decided_at > v_since as counts) s
        cross join lateral (select private.appeal_path(d, p_by_password) as path) p
        left join app.decision_appeals a on a.decision_id = d.id))
    from app.users u where u.id = p_person);
end $function$;

ALTER FUNCTION "private"."standing"(uuid, boolean) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.statement(p_person uuid, p_decision uuid, p_by_password boolean)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_statement json;
begin
  select json_build_object(
    'id', d.id,
    'action', d.action,
    'targetType', d.target_type,
    'targetId', case when d.target_type <> 'user' then d.target_id end,
    'category', d.category,
    'categoryText', c.text,
    'rule', d.rule,
    'reason', d.reason,
    'automated', d.decided_by is null,
    'endsAt', private.utc(d.ends_at),
    'liftedAt', private.utc(d.lifted_at),
    'overturnedAt', private.utc(d.overturned_at),
    'createdAt', private.utc(d.decided_at),
    'appealPath', private.appeal_path(d, p_by_password),
    'proof', private.audit_proof(d.audit_id)) into v_statement
  from app.decisions d join private.case_categories c on c.category = d.category
  where d.id = p_decision and d.person_id = p_person;
  if not found then
    perform private.raise_error('statement_unknown');
  end if;
  return v_statement;
end $function$;

ALTER FUNCTION "private"."statement"(uuid, uuid, boolean) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.transparency(p_year integer)
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
  c_most  constant integer := 100000;
  v_since timestamptz := make_timestamptz(p_year, 1, 1, 0, 0, 0, 'UTC');
  v_until timestamptz := make_timestamptz(p_year + 1, 1, 1, 0, 0, 0, 'UTC');
begin
  return (
    with notices as materialized (
      select r.category from app.reports r where r.created_at >= v_since and r.created_at < v_until limit c_most
    ), decided as materialized (
      select d.category, d.action, d.decided_by is null as automated, private.decision_maker(d) as maker
      from app.decisions d where d.decided_at >= v_since and d.decided_at < v_until limit c_most
    ), appealed as materialized (
      select d.category, d.action, d.decided_by is null as automated, private.decision_maker(d) as maker, a.status
      from app.decision_appeals a join app.decisions d on d.id = a.decision_id
      where a.created_at >= v_since and a.created_at < v_until limit c_most
    ), closed as materialized (
      select extract(epoch from c.closed_at - c.opened_at) / 3600 as hours,
             case when private.closed_by_space(c) then 'space' else 'staff' end as maker
      from app.cases c where c.closed_at >= v_since and c.closed_at < v_until limit c_most
    ), figures (place, indicator, category, action, maker, automated, value) as (
      select 1, 'notices', n.category, null, null, null::boolean, count(*)::numeric from notices n group by n.category
      union all
      select 2, 'decisions', d.category, d.action, d.maker, d.automated, count(*) from decided d
      group by d.category, d.action, d.maker, d.automated
      union all
      select 3, 'appeals_' || a.status, a.category, a.action, a.maker, a.automated, count(*) from appealed a
      group by a.status, a.category, a.action, a.maker, a.automated
      union all
      select 4, 'median_hours', null, null, c.maker, null,
             round((percentile_cont(0.5) within group (order by c.hours))::numeric, 1)
      from closed c group by c.maker
    )
    select json_build_object(
      'year', p_year,
      'isComplete', greatest((select count(*) from notices), (select count(*) from decided),
                             (select count(*) from appealed), (select count(*) from closed)) < c_most,
      'items', coalesce(json_agg(json_build_object(
        'indicator', f.indicator, 'category', f.category, 'action', f.action, 'decidedBy', f.maker,
        'automated', f.automated, 'value', f.value)
        order by f.place, f.indicator, f.category, f.action, f.maker, f.automated), '[]'))
    from figures f);
end $function$;

CREATE VIEW "private"."staff_case_reports" WITH (security_invoker=true) AS  SELECT r.at,
    r.id,
    r.status,
    r.target_type,
    r.target_id,
    r.reporter_id,
    r.said,
    r.card,
    ((r.status = 'open'::text) AND COALESCE(((c.status = 'open'::text) AND (c.staff_from > now())), false)) AS waiting
   FROM ((private.staff_reports r
     LEFT JOIN app.case_reports b ON ((b.report_id = r.id)))
     LEFT JOIN app.cases c ON ((c.id = b.case_id)));

ALTER VIEW "private"."staff_case_reports" OWNER TO "postgres";

COMMENT ON FUNCTION "api"."find_statement"(uuid, text, uuid) IS 'For the facade alone, after it has checked the password: the statement of reasons for a decision about a person who may be banned.';

COMMENT ON FUNCTION "api"."get_statement"(uuid) IS 'The statement of reasons for a decision about the caller, never with who decided: {id, action, targetType, targetId, category, categoryText, rule, reason, automated, endsAt, liftedAt, overturnedAt, createdAt, appealPath, proof}.';

COMMENT ON FUNCTION "api"."get_transparency"(integer) IS 'The figures of a year: {year, isComplete, items: [{indicator, category, action, decidedBy, automated, value}]}.';

COMMENT ON FUNCTION "api"."list_reports"(text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) IS 'Reports, newest first. An id in p_q is the id of a report or of its target. With p_waiting only the open ones whose case still belongs to a group or guild, otherwise only the others.';

COMMENT ON FUNCTION "api"."list_space_reports"(text, text, integer, text) IS 'The open cases about what is in a group or guild, newest first, for its owner and moderators. Nobody sees those about what they wrote themselves.';

COMMENT ON FUNCTION "private"."appeal_path"(app.decisions, boolean) IS 'The route by which the person concerned appeals a decision, logged in or by their password; null if they have appealed it already, or it was overturned. An appeal has no deadline.';

COMMENT ON FUNCTION "private"."closed_by_space"(app.cases) IS 'Whether those who moderate a group or guild closed a case: they do so before staff has it, by hiding or dismissing.';

COMMENT ON FUNCTION "private"."decision_maker"(app.decisions) IS 'Who made a decision: a rule, those who moderate a group or guild (space), or staff.';

COMMENT ON FUNCTION "private"."find_space_cases"(uuid, app.place) IS 'The next open cases of a space that are not about the caller, among its next 400.';

COMMENT ON FUNCTION "private"."is_hidden_by"(uuid, app.cases) IS 'Whether it was this space that hid the thing of a case, and staff has not acted in this or a later case of the thing: to hide it again changes nothing, so no decision of staff would say so.';

COMMENT ON FUNCTION "private"."list_space_reports"(text, text, integer, text) IS 'The open cases of a space for its owner and moderators, newest first, without those about the caller.';

COMMENT ON FUNCTION "private"."standing"(uuid, boolean) IS 'The standing of a person as they read it: {state, suspendedUntil, strikes, decisions}, with the newest 100 decisions and never with who decided. Decisions of one case count their strikes once. With p_by_password the person is not logged in, so they appeal by another route.';

COMMENT ON FUNCTION "private"."statement"(uuid, uuid, boolean) IS 'The statement of reasons for a decision about a person, never with who decided. With p_by_password the person is not logged in, so they appeal by another route.';

COMMENT ON FUNCTION "private"."transparency"(integer) IS 'The figures of a year: {year, isComplete, items: [{indicator, category, action, decidedBy, automated, value}]}. It counts up to 100,000 notices, decisions, appeals and closed cases; isComplete says whether these are all.';

COMMENT ON VIEW "private"."staff_case_reports" IS 'Reports as staff sees them, and whether they still belong to a group or guild.';

REVOKE ALL ON FUNCTION "api"."find_statement"(uuid, text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."find_statement"(uuid, text, uuid) TO "gate";

REVOKE ALL ON FUNCTION "api"."find_statement"(uuid, text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."find_statement"(uuid, text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_reports"(text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."list_reports"(text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_reports"(text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_reports"(text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."appeal_path"(app.decisions, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."appeal_path"(app.decisions, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."appeal_path"(app.decisions, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."closed_by_space"(app.cases) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."closed_by_space"(app.cases) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."closed_by_space"(app.cases) TO "postgres";

REVOKE ALL ON FUNCTION "private"."decision_maker"(app.decisions) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."decision_maker"(app.decisions) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."decision_maker"(app.decisions) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_space_cases"(uuid, app.place) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_space_cases"(uuid, app.place) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_space_cases"(uuid, app.place) TO "postgres";

REVOKE ALL ON FUNCTION "private"."standing"(uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."standing"(uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."standing"(uuid, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."statement"(uuid, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."statement"(uuid, uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."statement"(uuid, uuid, boolean) TO "postgres";
