-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

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
    perform private.check_case_worker(v_case, 'claim' = any (v_step.needs));
    if 'person' = any (v_step.needs) and v_case.person_id is null then
      perform private.raise_error('case_person');
    end if;
  end loop;
  return v_case;
end $function$;

CREATE OR REPLACE FUNCTION private.case_file(p_case app.cases)
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
  v_person uuid := (p_case).person_id;
begin
  perform private.require_role('moderator', 'admin');
  return json_build_object(
    'target', private.reported_thing((p_case).target_type, (p_case).target_id),
    'reports', private.report_cards(array(
      select c.report_id from app.case_reports c join app.reports r on r.id = c.report_id
      where c.case_id = (p_case).id order by r.created_at desc, r.id desc limit 50)),
    'earlierCases', (
      select coalesce(json_agg(e.card order by e.place), '[]')
      from (select s.card, s.place from app.cases o join private.staff_cases s on s.id = o.id
            -- = any: see private.staff_page
            where o.target_type = any (array[(p_case).target_type]) and o.target_id = any (array[(p_case).target_id])
              and o.number < (p_case).number
            order by o.target_type desc, o.target_id desc, o.number desc limit 20) e),
    'proposals', private.case_proposals((p_case).id),
    'history', private.case_history((p_case).id),
    'strikes', case when v_person is not null then private.count_strikes(v_person) end,
    'decisions', case when v_person is not null then private.staff_decision_cards(v_person) end);
end $function$;

CREATE OR REPLACE FUNCTION private.case_history(p_case uuid)
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
    select coalesce(json_agg(json_build_object(
             'kind', e.kind, 'actorId', e.actor_id, 'actor', actor.card, 'note', e.note, 'detail', e.detail,
             'createdAt', private.utc(e.at)) order by e.id desc), '[]')
    from (select * from app.case_events where case_id = any (array[p_case])   -- = any: see private.staff_page
          order by case_id desc, id desc limit 200) e
    left join app.person_card actor on actor.id = e.actor_id);
end $function$;

CREATE OR REPLACE FUNCTION private.check_case_worker(p_case app.cases, p_heeds_claim boolean)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if (p_case).person_id = app.uid() then
    perform private.raise_error('case_own');
  elsif p_heeds_claim and (p_case).claimed_by <> app.uid() and (p_case).claimed_until > now() then
    perform private.raise_error('case_claimed');
  end if;
end $function$;

ALTER FUNCTION "private"."check_case_worker"(app.cases, boolean) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.report_file(p_report app.reports)
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
  v_type   text := (p_report).target_type;
  v_target uuid := (p_report).target_id;
  v_author uuid := (p_report).author_id;
begin
  perform private.require_role('moderator', 'admin');
  return json_build_object(
    'target', private.reported_thing(v_type, v_target),
    'author', case when v_author is not null then
                private.merge_objects(private.staff_card('users', v_author),
                                      private.staff_user_details(v_author)) end,
    'reportsOfTarget', private.report_cards(array(
      select id from app.reports
      -- = any: see private.staff_page
      where target_type = any (array[v_type]) and target_id = any (array[v_target]) and id <> (p_report).id
      order by target_type, target_id, created_at desc, id desc limit 50)),
    'history', case when v_author is not null then json_build_object(
      'reports', private.report_cards(array(
        select r.id from (select id, target_type, target_id, created_at from app.reports
                          where author_id = any (array[v_author])
                          order by author_id, created_at desc, id desc limit 400) r
        where (r.target_type, r.target_id) <> (v_type, v_target)
        order by r.created_at desc, r.id desc limit 50)),
      'decisions', private.staff_decisions(v_author, false),
      'bans', private.staff_decisions(v_author, true)) end);
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
  perform private.end_case_without_reports(v_case, case p_status when 'dismissed' then 'dismissed' else 'acted' end);
  perform private.audit('report.' || p_status, 'report', p_id::text);
  return private.staff_card('reports', p_id);
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
                     -- = any: see private.staff_page
                     where o.target_type = any (array[c.target_type]) and o.target_id = any (array[c.target_id])
                     order by o.target_type, o.target_id, o.created_at desc, o.id desc limit 20) r
               join app.case_reports b on b.report_id = r.id and b.case_id = c.id),
             'withStaff', c.staff_from <= now(), 'status', c.status, 'outcome', c.outcome,
             'createdAt', private.utc(c.opened_at)) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join app.cases c on c.id = i.id
    cross join lateral private.find_reported_place(c.target_type, c.target_id) t);
end $function$;

CREATE OR REPLACE FUNCTION private.staff_page(p_list text, p_filters json, p_by text[], p_q text, p_since timestamp with time zone, p_until timestamp with time zone, p_limit integer, p_cursor text, p_key text DEFAULT NULL::text)
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
  v_view   text := format('private.%I', 'staff_' || p_list);   -- so p_list can name no other relation
  v_cursor uuid := private.require_cursor(p_cursor);
  v_times  text := format('l.at < %L and l.at >= %L', coalesce(p_until, 'infinity'), coalesce(p_since, '-infinity'));
  v_behind text := 'true';
  v_walk   text;
  v_first  text;
  v_fits   text;
  v_ids    uuid[];
  v_next   uuid;
  v_items  json;
begin
  perform private.require_role('moderator', 'admin');
  -- literals and not parameters, so that the planner can use a partial index
  if v_cursor is not null then
    if p_key is null then
      execute format($q$ select format('(l.at, l.id) < (%%L, %%L)', l.at, l.id) from %s l where l.id = %L $q$,
                     v_view, v_cursor) into v_behind;
    else
      execute format($q$ select format('l.%%I < %%L', %2$L, l.%2$I) from %1$s l where l.id = %3$L $q$,
                     v_view, p_key, v_cursor) into v_behind;
    end if;
    if v_behind is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  select coalesce(string_agg(format('l.%I = %L', f.key, f.value), ' and '), 'true') into v_fits
  from json_each_text(p_filters) f where f.value is not null;

  if pg_input_is_valid(p_q, 'uuid') then
    execute format('select array(select l.id from %s l where l.id = %L and %s and %s and %s)',
                   v_view, p_q, v_behind, v_times, v_fits)
      into v_ids;
  else
    -- The rows are ordered by the filter first, and = any is used for =: with =, the planner could walk the index of
    -- the whole list instead, and read all of it if the rows that match are at its end. A filter that is true or false
    -- has a partial index.
    select case when f.is_flag then format('l.%I = %L', f.name, f.value)
                else format('l.%I = any (%L)', f.name, array[f.value]) end,
           case when not f.is_flag then format('l.%I, ', f.name) end
    into v_walk, v_first
    from (select b.name, b.place, p_filters ->> b.name as value,
                 json_typeof(p_filters -> b.name) = 'boolean' as is_flag
          from unnest(p_by) with ordinality b (name, place)) f
    where f.value is not null order by f.place limit 1;
    v_walk := coalesce(v_walk, 'true');
    if p_key is null then
      v_walk := v_walk || ' and ' || v_times;
    else
      v_fits := v_fits || ' and ' || v_times;   -- in another order, no index has the rows between these times together
    end if;
    if p_q is not null then
      v_fits := v_fits || format(' and strpos(lower(l.said), lower(%L)) > 0', p_q);
    end if;
    execute format($q$
      with looked as materialized (
        select l.id, %s as fits from %s l where %s and %s order by %s limit 400
      ), seen as materialized (
        select array(select id from looked where fits limit 51) as ids
      )
      select ids, case when cardinality(ids) < 51 then (select id from looked offset 399 limit 1) end from seen
      $q$, v_fits, v_view, v_behind, v_walk,
                   concat(v_first, case when p_key is null then 'l.at desc, l.id desc'
                                        else format('l.%I desc', p_key) end))
      into v_ids, v_next;
  end if;
  execute format('select json_agg(l.card order by p.place) from unnest($1) with ordinality p (id, place)
                  join %s l on l.id = p.id', v_view)
    into v_items using v_ids[:p_limit];
  return private.page(v_items, v_ids::text[], p_limit, v_next::text);
end $function$;

COMMENT ON FUNCTION "private"."check_case_worker"(app.cases, boolean) IS 'Passes if the caller may work on a case: nobody works on one about themselves or, where the work heeds claims, on one that somebody else has claimed.';

COMMENT ON FUNCTION "private"."settle_report"(uuid, text) IS 'Settles an open report, and closes its case if no other report of it is open. Its reporter is notified, but does not learn who settled it; the reported person is not notified. Who may not work on the case may not settle it.';

REVOKE ALL ON FUNCTION "private"."check_case_worker"(app.cases, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_case_worker"(app.cases, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_case_worker"(app.cases, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_case_worker"(app.cases, boolean) TO "service_role";
