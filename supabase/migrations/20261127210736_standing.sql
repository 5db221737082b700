-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP VIEW "private"."staff_users";

ALTER TABLE "app"."users" DROP CONSTRAINT "users_rules";

DROP FUNCTION "api"."ban_person"(text, text);

DROP FUNCTION "private"."change_account"(uuid, text, timestamp with time zone);

DROP FUNCTION "private"."set_banned"(app.users, boolean, text);

DROP FUNCTION "private"."users_rules"(text, text, text, text, text, text, text, text);

CREATE TABLE "app"."limited_people" ("user_id" uuid NOT NULL, CONSTRAINT "limited_people_pkey" PRIMARY KEY (user_id));

ALTER TABLE "app"."limited_people" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."limited_people" OWNER TO "postgres";

ALTER TABLE "app"."users" ADD COLUMN "limited_at" timestamp with time zone;

ALTER TABLE "app"."users" ADD COLUMN "banned_until" timestamp with time zone;

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
  if p_until <= now() then
    perform private.raise_error('until_past');
  elsif p_until > now() + interval '366 days' then
    perform private.raise_error('until_far');
  end if;
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

ALTER FUNCTION "api"."ban_person"(text, text, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.limit_person(p_id text, p_reason text)
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
  v_id := private.require_any_person(p_id);
  if v_id = app.uid() then
    perform private.raise_error('limit_oneself');
  end if;
  v_person := private.lock_account(v_id);
  if v_person.limited_at is null then
    if v_person.role = 'admin' then
      perform private.raise_error('limit_admin');
    end if;
    perform private.set_limited(v_person, true, v_reason);
  end if;
  return private.staff_account(v_id);
end $function$;

ALTER FUNCTION "api"."limit_person"(text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_users(p_role text DEFAULT NULL::text, p_status text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('moderator', 'admin');
  return private.staff_page(
    'users', json_build_object('banned', case p_status when 'banned' then true when 'active' then false end,
                               'suspended', case when p_status = 'suspended' then true end,
                               'limited', case when p_status = 'limited' then true end,
                               'erased', case when p_status = 'erased' then true
                                              when p_status is not null then false end,
                               'role', p_role),
    array[case when p_status in ('banned', 'suspended', 'limited') then p_status end,
          case when p_role <> 'user' then 'role' end],
    case when strpos(p_q, '@') > 0 then coalesce(private.find_by_address(p_q)::text, p_q) else p_q end,
    p_from, p_to, p_limit, p_cursor);
end $function$;

CREATE OR REPLACE FUNCTION api.log_in(p_user_id uuid, p_password_hash text, p_seconds integer, p_new_hash text DEFAULT NULL::text, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_claims json;
begin
  perform from private.credentials c
  where c.user_id = p_user_id and c.password_hash = p_password_hash
  for update;
  if not found then
    perform private.raise_error('credentials_wrong');   -- the password changed while it was being checked
  end if;
  perform private.check_not_banned(p_user_id);
  if p_new_hash is not null then
    update private.credentials set password_hash = p_new_hash where user_id = p_user_id;
  end if;
  v_claims := private.issue_claims(p_user_id, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent);
  return private.login_answer(p_user_id, v_claims);
end $function$;

CREATE OR REPLACE FUNCTION api.set_role(p_id text, p_role text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id     uuid;
  v_person app.users;
begin
  perform private.require_role('admin');
  if p_role is null or p_role not in ('user', 'moderator', 'admin') then
    perform private.raise_error('role_unknown');
  end if;
  v_id := private.require_any_person(p_id);
  -- one change of roles at a time: if two admins demote each other concurrently, the second is no longer an admin
  perform private.lock_roles();
  perform private.check_caller();
  v_person := private.lock_account(v_id);
  if v_person.role <> p_role then
    if v_id = app.uid() then
      perform private.keep_an_admin(v_id);
      perform private.raise_error('role_own');
    end if;
    perform private.change_account(v_id, p_role, v_person.banned_at, v_person.banned_until);
    perform private.audit('user.role_changed', 'user', v_id::text,
                          json_build_object('from', v_person.role, 'to', p_role));
  end if;
  return private.staff_account(v_id);
end $function$;

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
  if v_person.limited_at is not null then
    perform private.set_limited(v_person, false, v_reason);
  end if;
  return private.staff_account(v_person.id);
end $function$;

ALTER FUNCTION "api"."unlimit_person"(text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.change_account(p_user uuid, p_role text, p_banned_at timestamp with time zone, p_banned_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_from bigint := private.close_sessions(p_user);   -- otherwise the sessions would work again once a ban ends
begin
  -- one update, because Realtime is notified of each change of the valid tokens
  update app.users
  set role = p_role, banned_at = p_banned_at, banned_until = p_banned_until, tokens_valid_from = v_from
  where id = p_user;
end $function$;

ALTER FUNCTION "private"."change_account"(uuid, text, timestamp with time zone, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.check_not_banned(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_person app.users;
begin
  select * into v_person from app.users where id = p_user;
  if v_person.banned_at is not null and v_person.banned_until is null then
    perform private.raise_error('person_banned');
  elsif v_person.banned_at is not null then
    perform private.raise_error('person_suspended');
  end if;
exception when sqlstate 'PT403' then
  if sqlerrm = 'person_suspended' then   -- the person should know when to come back
    raise exception using errcode = 'PT403', message = sqlerrm,
      detail = format('This account is suspended until %s.', private.utc(v_person.banned_until));
  end if;
  raise;
end $function$;

ALTER FUNCTION "private"."check_not_banned"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.job_end_suspensions()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user   uuid;
  v_person app.users;
begin
  -- one person per transaction, because the end of a ban takes locks of many ranks; and the credentials, which
  -- private.lock_account locks first, so that it waits for no login while it has the person
  select u.id into v_user
  from app.users u join private.credentials c on c.user_id = u.id
  where u.banned_until <= now() and u.erased_at is null
  order by u.banned_until limit 1
  for update of c skip locked;
  if not found then
    return 0;
  end if;
  v_person := private.lock_account(v_user);
  if v_person.banned_until is null or v_person.banned_until > now() then
    return 1;   -- an admin was faster
  end if;
  begin
    perform private.set_banned(v_person, false, null);
  exception when others or query_canceled then   -- "others" does not include a timeout
    raise warning 'the suspension of % did not end: % %', v_user, sqlstate, sqlerrm;
    update app.users set banned_until = clock_timestamp() + interval '5 seconds' where id = v_user;
    return -1;
  end;
  return 1;
end $function$;

ALTER FUNCTION "private"."job_end_suspensions"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.limited_for(p_author uuid, p_viewer uuid DEFAULT NULL::uuid)
 RETURNS TABLE(is_limited boolean)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 SELECT true
    FROM app.limited_people l
   WHERE ((l.user_id = limited_for.p_author) AND (l.user_id <> COALESCE(limited_for.p_viewer, ( SELECT app.uid() AS uid))) AND (NOT (EXISTS ( SELECT
            FROM app.follows f
           WHERE ((f.follower_id = COALESCE(limited_for.p_viewer, ( SELECT app.uid() AS uid))) AND (f.following_id = l.user_id))))));
END;

ALTER FUNCTION "private"."limited_for"(uuid, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.list_limited()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if new.limited_at is not null then
    insert into app.limited_people (user_id) values (new.id) on conflict do nothing;
  else
    delete from app.limited_people where user_id = new.id;
  end if;
  return null;
end $function$;

ALTER FUNCTION "private"."list_limited"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_reason(p_reason text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_reason text := private.find_reason(p_reason);
begin
  if v_reason is null then
    perform private.raise_error('reason_length');
  end if;
  return v_reason;
end $function$;

ALTER FUNCTION "private"."require_reason"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.set_banned(p_person app.users, p_banned boolean, p_reason text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.change_account(p_person.id, p_person.role,
                                 case when p_banned then coalesce(p_person.banned_at, now()) end,
                                 case when p_banned then p_until end);
  -- only app.audit_details keeps the reason; it belongs to this person there, so their erasure deletes it
  perform private.audit(
    case when not p_banned then 'user.unbanned' when p_until is null then 'user.banned' else 'user.suspended' end,
    'user', p_person.id::text,
    case when coalesce(p_reason, p_until::text) is not null then
      json_strip_nulls(json_build_object('reason', p_reason, 'until', private.utc(p_until))) end,
    p_person.id);
end $function$;

ALTER FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.set_limited(p_person app.users, p_limited boolean, p_reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update app.users set limited_at = case when p_limited then coalesce(limited_at, now()) end where id = p_person.id;
  perform private.audit(case when p_limited then 'user.limited' else 'user.unlimited' end, 'user', p_person.id::text,
                        case when p_reason is not null then json_build_object('reason', p_reason) end, p_person.id);
end $function$;

ALTER FUNCTION "private"."set_limited"(app.users, boolean, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.staff_account(p_user uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select json_build_object('id', u.id, 'user', p.card, 'role', u.role, 'bannedAt', private.utc(u.banned_at),
                                   'suspendedUntil', private.utc(u.banned_until),
                                   'limitedAt', private.utc(u.limited_at))
          from app.users u join app.person_card p on p.id = u.id where u.id = p_user);
end $function$;

CREATE OR REPLACE FUNCTION private.staff_decisions(p_person uuid, p_bans boolean)
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
  return (
    select coalesce(json_agg(json_build_object(
             'action', d.action, 'targetType', d.target_type, 'targetId', d.target_id,
             'createdAt', private.utc(d.created_at)) order by d.id desc), '[]')
    from (select l.*
          from (select audit_id from app.audit_details
                where subject_id = p_person order by audit_id desc limit 400) s
          join app.audit_log l on l.id = s.audit_id
          where (l.action in ('user.banned', 'user.suspended', 'user.unbanned', 'user.limited', 'user.unlimited'))
                = p_bans
          order by l.id desc limit 50) d);
end $function$;

CREATE OR REPLACE FUNCTION private.users_rules(username text, role text, banned_at timestamp with time zone, first_name text, last_name text, country text, city text, about text, profile_pic_url text, banned_until timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if (length(about) <= 1000) is false then perform private.raise_check_violation('users_about_check'); end if;
  if ((banned_until IS NULL) OR (banned_at IS NOT NULL)) is false then perform private.raise_check_violation('users_check'); end if;
  if ((length(city) >= 1) AND (length(city) <= 120)) is false then perform private.raise_check_violation('users_city_check'); end if;
  if (country ~ '^[A-Z]{2}$'::text) is false then perform private.raise_check_violation('users_country_check'); end if;
  if ((length(first_name) >= 1) AND (length(first_name) <= 80)) is false then perform private.raise_check_violation('users_first_name_check'); end if;
  if ((length(last_name) >= 1) AND (length(last_name) <= 80)) is false then perform private.raise_check_violation('users_last_name_check'); end if;
  if ((profile_pic_url ~* '^https?://'::text) AND (length(profile_pic_url) <= 2000)) is false then perform private.raise_check_violation('users_profile_pic_url_check'); end if;
  if (role = ANY (ARRAY['user'::text, 'moderator'::text, 'admin'::text])) is false then perform private.raise_check_violation('users_role_check'); end if;
  if (username ~ '^[a-z0-9_]{3,30}$'::text) is false then perform private.raise_check_violation('users_username_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone) OWNER TO "postgres";

ALTER TABLE "app"."limited_people" ADD CONSTRAINT "limited_people_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

CREATE VIEW "private"."staff_users" WITH (security_invoker=true) AS  SELECT u.created_at AS at,
    u.id,
    u.role,
    (u.banned_at IS NOT NULL) AS banned,
    (u.erased_at IS NOT NULL) AS erased,
    (u.banned_until IS NOT NULL) AS suspended,
    (u.limited_at IS NOT NULL) AS limited,
    concat_ws(' '::text, u.username, u.first_name, u.last_name, a.email) AS said,
    json_build_object('id', u.id, 'user', person.card, 'role', u.role, 'bannedAt', private.utc(u.banned_at), 'suspendedUntil', private.utc(u.banned_until), 'limitedAt', private.utc(u.limited_at), 'erasedAt', private.utc(u.erased_at), 'email', a.email, 'emailVerifiedAt', private.utc(a.email_verified_at), 'lastSeenAt', private.utc(a.last_seen_at), 'createdAt', private.utc(u.created_at)) AS card
   FROM ((app.users u
     LEFT JOIN app.accounts a ON ((a.user_id = u.id)))
     JOIN app.person_card person ON ((person.id = u.id)));

ALTER VIEW "private"."staff_users" OWNER TO "postgres";

CREATE INDEX users_banned_until_idx ON app.users USING btree (banned_until) WHERE (banned_until IS NOT NULL);

CREATE INDEX users_limited_joined_idx ON app.users USING btree (created_at DESC, id DESC) WHERE (limited_at IS NOT NULL);

CREATE INDEX users_suspended_joined_idx ON app.users USING btree (created_at DESC, id DESC) WHERE (banned_until IS NOT NULL);

CREATE TRIGGER _055_list_limited AFTER UPDATE OF limited_at ON app.users FOR EACH ROW EXECUTE FUNCTION private.list_limited();

CREATE POLICY "select_all" ON "app"."limited_people" FOR SELECT TO "authenticated" USING (true);

COMMENT ON COLUMN "app"."users"."banned_until" IS 'When the ban ends by itself: then it is a suspension. Null for a ban without an end, and for people who are not banned.';

COMMENT ON COLUMN "app"."users"."limited_at" IS 'When staff limited the person; null if they are not limited. A trigger keeps app.limited_people the same.';

COMMENT ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone) IS 'Bans a person: they are logged out immediately, and what they published is hidden from everyone until the ban ends. With p_until it ends by itself at that time, at most 366 days from now. Banning a banned person with another p_until, or without one, moves or removes the end; otherwise repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry with the reason.';

COMMENT ON FUNCTION "api"."limit_person"(text, text) IS 'Limits a person: only they and their followers find them and what they published in feeds, searches and suggestions. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry with the reason.';

COMMENT ON FUNCTION "api"."set_role"(text, text) IS 'Gives a person another role and ends their tokens and sessions, because a token contains the role. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry. Fails: token_revoked (if the caller is no longer an admin).';

COMMENT ON FUNCTION "api"."unban_person"(text, text) IS 'Ends a ban or a suspension: what the person published is visible again, and they can log in; older tokens remain invalid. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."unlimit_person"(text, text) IS 'Ends a limit. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry.';

COMMENT ON FUNCTION "private"."change_account"(uuid, text, timestamp with time zone, timestamp with time zone) IS 'Sets a person''s role and ban, and ends all earlier tokens and sessions.';

COMMENT ON FUNCTION "private"."check_not_banned"(uuid) IS 'Refuses a banned person with person_banned, and a suspended one with person_suspended, whose text says until when.';

COMMENT ON FUNCTION "private"."job_end_suspensions"() IS 'Job: ends the suspension that has been due the longest, as an unban does, with an audit entry that has no actor, and returns 1. If that fails, it returns -1, and tries again after the other due suspensions, in 5 seconds at the earliest. May run twice: it takes only due suspensions, each once, and skips locked people. The worker repeats it until it returns 0.';

COMMENT ON FUNCTION "private"."limited_for"(uuid, uuid) IS 'The one rule of limited people: a row if this person is limited and the viewer neither follows them nor is them. Feeds, searches and suggestions leave out what this person wrote if there is a row. One probe of a small table, and only for limited people one of the follows. If p_viewer is null the viewer is the caller.';

COMMENT ON FUNCTION "private"."list_limited"() IS 'Trigger: keeps app.limited_people the same as app.users.limited_at.';

COMMENT ON FUNCTION "private"."require_reason"(text) IS 'The normalized reason of staff, where one is required.';

COMMENT ON FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) IS 'Bans a person whose row private.lock_account locked, or ends the ban, and leaves an audit entry. With p_until the ban ends by itself at that time: a suspension. A banned person gets this end, or none.';

COMMENT ON FUNCTION "private"."set_limited"(app.users, boolean, text) IS 'Limits a person whose row private.lock_account locked, or ends the limit, and leaves an audit entry. The person stays logged in.';

COMMENT ON FUNCTION "private"."staff_account"(uuid) IS 'A person in the responses to bans, limits and changes of role: {id, user, role, bannedAt, suspendedUntil, limitedAt}.';

COMMENT ON FUNCTION "private"."staff_decisions"(uuid, boolean) IS 'What staff decided against a person, the newest first, up to 50 among the newest 400: bans, limits and their ends, or what staff hid, showed again, deleted, removed or restored: {action, targetType, targetId, createdAt}.';

COMMENT ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone) IS 'The checks of app.users. Raises the code of the one that a row breaks.';

COMMENT ON INDEX "app"."users_banned_until_idx" IS 'private.job_end_suspensions.';

COMMENT ON POLICY "select_all" ON "app"."limited_people" IS 'Lists that run with their caller''s rights read the table; it contains only internal ids.';

COMMENT ON TABLE "app"."limited_people" IS 'People whom staff limited: only they and their followers find them in feeds, searches and suggestions. A trigger maintains the table.';

COMMENT ON VIEW "private"."staff_users" IS 'People as staff sees them, including banned and erased people.';

REVOKE ALL ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "api"."limit_person"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."limit_person"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."limit_person"(text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."limit_person"(text, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."unlimit_person"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."unlimit_person"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."unlimit_person"(text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."unlimit_person"(text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."change_account"(uuid, text, timestamp with time zone, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."change_account"(uuid, text, timestamp with time zone, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."change_account"(uuid, text, timestamp with time zone, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."change_account"(uuid, text, timestamp with time zone, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."check_not_banned"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_not_banned"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_not_banned"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."job_end_suspensions"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."job_end_suspensions"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."job_end_suspensions"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."job_end_suspensions"() TO "worker";

REVOKE ALL ON FUNCTION "private"."limited_for"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."limited_for"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limited_for"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_limited"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."list_limited"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_limited"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_reason"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_reason"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_reason"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_reason"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."set_limited"(app.users, boolean, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."set_limited"(app.users, boolean, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_limited"(app.users, boolean, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_limited"(app.users, boolean, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone) TO "service_role";

GRANT SELECT ON TABLE "app"."limited_people" TO "authenticated";

REVOKE ALL ON TABLE "app"."limited_people" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."limited_people" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."limited_people" TO "service_role";

ALTER TABLE "app"."users" ADD CONSTRAINT "users_rules" CHECK (private.users_rules(username, role, banned_at, first_name, last_name, country, city, about, profile_pic_url, banned_until));

insert into private.errors ("code", "status", "text")
values ('limit_admin', '409', 'An admin cannot be limited. Remove the role first.');

insert into private.errors ("code", "status", "text")
values ('limit_oneself', '400', 'You cannot limit yourself.');

insert into private.errors ("code", "status", "text")
values ('person_suspended', '403', 'This account is suspended for a limited time.');

insert into private.errors ("code", "status", "text")
values ('until_far', '422', 'until must be at most 366 days from now.');

insert into private.errors ("code", "status", "text")
values ('until_past', '422', 'until must be in the future.');

insert into private.jobs ("name", "cron", "expires", "repeats", "alarm")
values ('end-suspensions', '* * * * *', '60', 'true', null);

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.limited_people', 'user_id', null, null, null, '{}', null, 'false', 'The profile has the time from which the person is limited.');
