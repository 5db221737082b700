-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE OR REPLACE FUNCTION api.ban_person(p_id text, p_reason text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id     uuid;
  v_reason text;
  v_person app.users;
begin
  perform private.require_role('admin');
  v_reason := private.require_reason(p_reason);
  perform private.check_until(p_until);
  v_id := private.require_any_person(p_id);
  if v_id = app.uid() then
    perform private.raise_error('ban_oneself');
  end if;
  v_person := private.lock_account(v_id);
  if v_person.banned_at is null or v_person.banned_until is distinct from p_until then
    if v_person.role = 'admin' then
      perform private.raise_error('ban_admin');
    end if;
    perform private.set_banned(v_person, true, v_reason, p_until);
  end if;
  return private.staff_account(v_id);
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
  if ('until' = any (v_needs)) <> (p_until is not null)
     or p_until is not null and not private.is_ahead(p_until) then
    perform private.raise_error('case_until');
  end if;
  perform private.check_until(p_until);
end $function$;

CREATE OR REPLACE FUNCTION private.check_until(p_until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_until <= now() then
    perform private.raise_error('until_past');
  elsif p_until > now() + interval '366 days' then
    perform private.raise_error('until_far');
  end if;
end $function$;

ALTER FUNCTION "private"."check_until"(timestamp with time zone) OWNER TO "postgres";

COMMENT ON FUNCTION "private"."check_actions"(app.cases, text[], timestamp with time zone) IS 'Checks that these actions can be done together in this case. Never: until_past.';

COMMENT ON FUNCTION "private"."check_until"(timestamp with time zone) IS 'Passes if a suspension may end at this time: in the future, at most 366 days from now. Null passes.';

REVOKE ALL ON FUNCTION "private"."check_until"(timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_until"(timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_until"(timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_until"(timestamp with time zone) TO "service_role";
