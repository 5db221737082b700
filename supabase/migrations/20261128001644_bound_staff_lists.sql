-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION api.act_on_invitees(p_id text, p_action text, p_people text[], p_reason text, p_category text DEFAULT NULL::text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_reason  text;
  v_inviter uuid;
  v_people  uuid[];
begin
  perform private.require_role('admin');
  v_reason := private.require_reason(p_reason);
  v_inviter := private.find_staff_person(p_id);
  if p_action is null or p_action not in ('limit', 'suspend', 'ban') then
    perform private.raise_error('invitees_action');
  elsif coalesce(cardinality(p_people), 0) not between 1 and 50 then
    perform private.raise_error('invitees_chosen');
  elsif (p_action = 'suspend') <> (p_until is not null) then
    perform private.raise_error('case_until');
  end if;
  perform private.check_until(p_until);
  perform private.require_category(coalesce(p_category, 'other'));
  v_people := array(select distinct private.require_any_person(p) from unnest(p_people) p order by 1);
  if cardinality(v_people) < cardinality(p_people) then
    perform private.raise_error('invitees_chosen');
  elsif cardinality(v_people) > (select count(*) from app.invite_tree
                                 where invitee_id = any (v_people) and inviter_id = v_inviter) then
    perform private.raise_error('invitee_unknown');
  end if;
  perform private.act_on_people(v_people, p_action, v_reason, coalesce(p_category, 'other'), p_until);
  return json_build_object('items', (select json_agg(private.staff_account(p) order by p) from unnest(v_people) p));
end $function$;

CREATE OR REPLACE FUNCTION private.check_actions(p_case app.cases, p_actions text[], p_until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
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
    -- The rows are ordered by the filter first, and = any is used for =: with =, the planner could walk the index of the
    -- whole list instead, and read all of it if the rows that match are at its end. A filter that is true or false has
    -- a partial index.
    select case when f.is_flag then format('l.%I = %L', f.name, f.value)
                else format('l.%I = any (%L)', f.name, array[f.value]) end,
           case when not f.is_flag then format('l.%I, ', f.name) end
    into v_walk, v_first
    from (select b.name, b.place, p_filters ->> b.name as value, json_typeof(p_filters -> b.name) = 'boolean' as is_flag
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

COMMENT ON FUNCTION "private"."act_in_case"(app.cases, text[], text, text, text, timestamp with time zone) IS 'Does these actions in a case whose work is locked, and returns the state of the case after them. Fails: private.set_post_hidden, private.set_reply_hidden, api.remove_post, private.set_content_removed, private.warn_person, api.limit_person, api.ban_person. Never: limit_oneself, ban_oneself, content_kind, reason_length, text_unfit.';

COMMENT ON FUNCTION "private"."act_on_people"(uuid[], text, text, text, timestamp with time zone) IS 'Does the same to several people. Fails: api.limit_person, api.ban_person.';

COMMENT ON FUNCTION "private"."check_actions"(app.cases, text[], timestamp with time zone) IS 'Checks that these actions can be done together in this case.';

update private.errors set "text" = 'A suspension needs a time at which it ends, and no other action takes one.'
where "code"::text = 'case_until'
  and "text"::text = 'A suspension needs a time in the future at which it ends, and no other action takes one.';
