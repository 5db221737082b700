-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP TRIGGER "_190_judge_edited" ON "app"."course_lessons";

DROP TRIGGER "reject_null" ON "app"."spaces";

DROP INDEX "app"."reputation_interest_id_idx";

DROP VIEW "private"."own_profiles";

ALTER TABLE "app"."media_assets" DROP CONSTRAINT "media_assets_rules";

DROP FUNCTION "api"."appeal_by_password"(uuid, text, uuid, text);

DROP FUNCTION "api"."commit_asset"(uuid, text, integer, integer);

DROP FUNCTION "api"."find_standing"(uuid, text);

DROP FUNCTION "api"."find_statement"(uuid, text, uuid);

DROP FUNCTION "api"."list_audit_log"(text, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text);

DROP FUNCTION "api"."log_in_elsewhere"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text);

DROP FUNCTION "api"."prove_elsewhere"(uuid, bytea, text);

DROP FUNCTION "api"."register_elsewhere"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text);

DROP FUNCTION "private"."has_needed_factor"();

DROP FUNCTION "private"."media_assets_rules"(text, text, bigint, integer, text, text, integer, integer, app.blurhash, uuid, text, timestamp with time zone, timestamp with time zone);

DROP FUNCTION "private"."set_archived"(app.spaces, boolean);

ALTER TABLE "app"."reputation" DROP COLUMN "band";

DROP FUNCTION "private"."reputation_band"(numeric);

ALTER TABLE "private"."credentials" DROP COLUMN "issued_in_second";

ALTER TABLE "app"."accounts" ADD COLUMN "has_public_page" boolean NOT NULL DEFAULT true;

ALTER TABLE "app"."decisions" ADD COLUMN "continues" uuid;

ALTER TABLE "app"."media_assets" ADD COLUMN "sha256" bytea;

ALTER TABLE "app"."reputation" ADD COLUMN "band" smallint GENERATED ALWAYS AS (
CASE
    WHEN (value > (0)::numeric) THEN floor((ln(((1)::double precision + (value)::double precision)) / ln((2)::double precision)))
    ELSE ('-1'::integer)::double precision
END) STORED NOT NULL;

ALTER TABLE "app"."spaces" ADD COLUMN "archived_by_staff" boolean NOT NULL DEFAULT false;

ALTER TABLE "private"."credentials" ADD COLUMN "expiries" bigint[] NOT NULL DEFAULT '{}'::bigint[];

CREATE TYPE "private"."hashed_medium" AS ("url" text, "sha256" text);

ALTER TYPE "private"."hashed_medium" OWNER TO "postgres";

ALTER TYPE "private"."judged" ADD ATTRIBUTE "media" text[] CASCADE;

CREATE OR REPLACE FUNCTION api.add_passkey(p_credential_id bytea, p_public_key bytea, p_counter bigint, p_transports text[], p_name text, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller  uuid := private.require_caller();
  v_first   boolean;
  v_passkey private.passkeys;
  v_claims  json;
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- checks again: the token may have ended while this waited
  perform private.require_proof_of_all();
  if (select count(*) >= 10 from private.passkeys where user_id = v_caller) then
    perform private.raise_error('passkeys_full');
  end if;
  insert into private.passkeys (user_id, credential_id, public_key, counter, transports, name)
  values (v_caller, p_credential_id, p_public_key, p_counter, p_transports, private.require_name(p_name))
  on conflict (credential_id) do nothing
  returning * into v_passkey;
  if v_passkey.id is null then
    perform private.raise_error('passkey_wrong');   -- the same error as for every other fault
  end if;
  insert into private.people_with_factor (user_id) values (v_caller) on conflict do nothing;
  v_first := found;
  perform private.mail_about_factor(v_caller, 'passkeyAdded');
  if not v_first then
    return json_build_object('passkey', private.passkey_card(v_passkey));
  end if;
  -- other sessions have proved only the password
  perform private.end_tokens(v_caller);
  v_claims := private.issue_claims(v_caller, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address);
  perform private.note_proof(v_claims::jsonb, p_family);
  return (private.login_answer(v_caller, v_claims)::jsonb
          || jsonb_build_object('passkey', private.passkey_card(v_passkey),
                                'recoveryCodes', private.renew_recovery_codes(v_caller)))::json;
end $function$;

CREATE OR REPLACE FUNCTION api.answer_device(p_user_code bytea, p_payload jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- only the first answer to a device is accepted
  update private.oauth_records set payload = p_payload, consent_id = (p_payload ->> 'grantId')::uuid
  where user_code = p_user_code and expires_at > clock_timestamp() and consumed_at is null
    and not payload ?| '{accountId,error}';
  if not found then
    perform private.raise_error('consent_over');
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION api.appeal_by_password(p_user_id uuid, p_password_hash text, p_decision_id uuid, p_text text, p_code text DEFAULT NULL::text, p_passkey uuid DEFAULT NULL::uuid, p_counter bigint DEFAULT NULL::bigint, p_oidc_login uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not private.identify(p_user_id, p_password_hash, p_code, p_passkey, p_counter, p_oidc_login) then
    return private.error_response('passkey_wrong');   -- raising an error would undo the end of the passkey
  end if;
  perform private.add_decision_appeal(p_user_id, p_decision_id, p_text);
  return private.standing(p_user_id, true);
end $function$;

ALTER FUNCTION "api"."appeal_by_password"(uuid, text, uuid, text, text, uuid, bigint, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.close_problem(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept json := private.begin_idempotent('close_problem', json_build_array(p_id));
  v_card json;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.end_problem(p_id);
  v_card := private.problem_cards(array[p_id]) -> 0;
  if v_card is null then   -- the caller has left its space: it has changed, but is not shown
    return private.error_response('problem_unknown');
  end if;
  return private.finish_idempotent('close_problem', v_card);
end $function$;

CREATE OR REPLACE FUNCTION api.commit_asset(p_asset_id uuid, p_mime_type text, p_width integer DEFAULT NULL::integer, p_height integer DEFAULT NULL::integer, p_sha256 text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_sha256 bytea := decode(p_sha256, 'hex');
begin
  update app.media_assets
  set status = 'committed', committed_at = now(), mime_type = p_mime_type, expires_at = null,
      width = coalesce(p_width, width), height = coalesce(p_height, height), sha256 = v_sha256
  where id = p_asset_id and owner_id = private.require_caller() and status = 'pending';
  if not found then
    -- two commits have published two files, and nobody knows which of them the storage serves
    delete from app.media_assets where id = p_asset_id and owner_id = private.require_caller() and sha256 <> v_sha256;
    if found then
      return private.error_response('asset_unfit');
    end if;
  end if;
  return api.get_asset(p_asset_id);   -- a second commit returns the same as the first
end $function$;

ALTER FUNCTION "api"."commit_asset"(uuid, text, integer, integer, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.confirm_totp(p_code text, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_claims json;
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- checks again: the token may have ended while this waited
  perform private.require_proof_of_all();
  perform from private.totp where user_id = v_caller and confirmed_at is null for update;
  if not found then
    perform private.raise_error('factor_unknown');
  elsif not private.use_totp(v_caller, p_code) then
    perform private.raise_error('code_wrong');
  end if;
  update private.totp set confirmed_at = now() where user_id = v_caller;
  insert into private.people_with_factor (user_id) values (v_caller) on conflict do nothing;
  -- other sessions have proved only the password
  perform private.end_tokens(v_caller);
  perform private.mail_about_factor(v_caller, 'factorAdded');
  v_claims := private.issue_claims(v_caller, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address);
  perform private.note_proof(v_claims::jsonb, p_family);
  return (private.login_answer(v_caller, v_claims)::jsonb
          || jsonb_build_object('recoveryCodes', private.first_recovery_codes(v_caller)))::json;
end $function$;

CREATE OR REPLACE FUNCTION api.consume_refresh(p_id uuid, p_generation integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_consent app.app_consents;
begin
  select * into v_consent from app.app_consents where id = p_id and ended_at is null for update;
  if not found then
    perform private.raise_error('consent_over');
  elsif v_consent.generation = p_generation then
    update app.app_consents
    set generation = generation + 1, last_used_at = clock_timestamp(),
        expires_at = clock_timestamp() + interval '60 days'
    where id = p_id;
  elsif v_consent.generation = p_generation + 1
        and v_consent.last_used_at > clock_timestamp() - interval '10 seconds' then
    -- the answer was lost, or two requests raced, so both get the same next token
    return null;
  else
    perform private.end_consent(p_id);
    return private.error_response('consent_over');   -- raising an error would undo the end of the consent
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION api.end_alerted_session(p_id uuid, p_alert_hash bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_person uuid := private.find_alerted_session(p_id, p_alert_hash);
begin
  -- locks the person and checks again, so that of two concurrent calls with the same link only one succeeds
  perform private.check_lock_order('credentials', v_person::text);
  perform from private.credentials where user_id = v_person for update;
  v_person := private.find_alerted_session(p_id, p_alert_hash);
  if v_person is null then
    perform private.raise_error('session_over');
  end if;
  perform private.check_lock_order('person', v_person::text);
  -- the stranger also has a device token, with which their next login would be one on a known device
  update app.users set credentials_version = credentials_version + 1 where id = v_person;
  perform private.end_session(v_person, p_id);
  return json_build_object('ok', true);
end $function$;

CREATE OR REPLACE FUNCTION api.erase_user(p_id text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_person app.users;
begin
  perform private.require_role('admin');
  perform private.require_proof();
  v_person := private.lock_account(private.require_banned(p_id));
  if v_person.banned_at is null then
    perform private.raise_error('person_free');   -- unbanned meanwhile
  end if;
  perform private.erase_banned(v_person.id);
  perform private.audit('user.erased', 'user', v_person.id::text);
  return json_build_object('erased', true);
end $function$;

CREATE OR REPLACE FUNCTION api.exchange_access_token(p_seconds integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_token  jsonb := private.own_token();
  v_found  app.access_tokens;
  v_claims json;
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  select * into v_found from app.access_tokens
  where user_id = v_caller and ended_at is null
    and jsonb_build_array(jsonb_build_array(issued_at, expires_at)) = v_token
  for update;
  if not found then
    perform private.check_caller();   -- the token may have ended while this waited
    perform private.raise_error('access_token_required');
  end if;
  v_claims := private.issue_claims(
    v_caller, least(p_seconds, v_found.expires_at - extract(epoch from clock_timestamp()))::integer);
  perform private.limit_to_scopes(v_claims, v_found.scopes);
  update app.access_tokens
  set live_tokens = (select coalesce(jsonb_agg(t), '[]') from jsonb_array_elements(live_tokens) as t
                     where (t ->> 1)::bigint > extract(epoch from clock_timestamp()))
                    || jsonb_build_array(json_build_array(v_claims -> 'iat', v_claims -> 'exp'))
  where id = v_found.id;
  if not 'profile:read' = any (v_found.scopes) then
    -- anybody can read what a JWT contains, and only this scope shows the address; .invalid is reserved (RFC 2606)
    v_claims := (v_claims::jsonb || jsonb_build_object('email', 'hidden@people.invalid'))::json;
  end if;
  return v_claims;
end $function$;

CREATE OR REPLACE FUNCTION api.export_user(p_id text, p_section text DEFAULT NULL::text, p_after text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id   uuid;
  v_part json;
begin
  perform private.require_role('admin');
  -- as for one's own export, which may take 15 minutes after its first page
  perform private.require_proof(case when p_section is null then interval '10 minutes' else '30 minutes' end);
  v_id := private.require_banned(p_id);
  v_part := private.export_banned(v_id, p_section, p_after);
  if p_section is null then
    perform private.audit('user.exported', 'user', v_id::text);
  end if;
  return v_part;
end $function$;

CREATE OR REPLACE FUNCTION api.find_standing(p_user_id uuid, p_password_hash text, p_code text DEFAULT NULL::text, p_passkey uuid DEFAULT NULL::uuid, p_counter bigint DEFAULT NULL::bigint, p_oidc_login uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not private.identify(p_user_id, p_password_hash, p_code, p_passkey, p_counter, p_oidc_login) then
    return private.error_response('passkey_wrong');   -- raising an error would undo the end of the passkey
  end if;
  return private.standing(p_user_id, true);
end $function$;

ALTER FUNCTION "api"."find_standing"(uuid, text, text, uuid, bigint, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.find_statement(p_user_id uuid, p_password_hash text, p_decision_id uuid, p_code text DEFAULT NULL::text, p_passkey uuid DEFAULT NULL::uuid, p_counter bigint DEFAULT NULL::bigint, p_oidc_login uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not private.identify(p_user_id, p_password_hash, p_code, p_passkey, p_counter, p_oidc_login) then
    return private.error_response('passkey_wrong');   -- raising an error would undo the end of the passkey
  end if;
  return private.statement(p_user_id, p_decision_id, true);
end $function$;

ALTER FUNCTION "api"."find_statement"(uuid, text, uuid, text, uuid, bigint, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.get_public_post(p_post uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object(
      'id', p.id, 'title', p.title, 'body', p.body, 'media', p.media,
      'publishedAt', private.utc(p.published_at), 'editedAt', private.utc(p.edited_at),
      'author', private.public_author(p.author_id),
      'persona', (select s.name from app.personas s where s.id = p.persona_id),
      'quotedPostId', (select q.id from private.posts_with_page q where q.id = p.quoted_post_id))
    from private.posts_with_page p
    where p.id = p_post);
end $function$;

CREATE OR REPLACE FUNCTION api.get_public_profile(p_username text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select json_build_object(
      'person', private.public_author(l.id),
      'about', u.about,
      'posts', (
        select coalesce(json_agg(json_build_object(
                 'id', v.id, 'title', v.title, 'excerpt', left(v.body, 200),
                 'publishedAt', private.utc(v.published_at)) order by w.published_at desc, w.id desc), '[]')
        from (select p.id, p.published_at from app.posts p
              where p.author_id = l.id and p.required_level = 0 and p.space_id is null
              order by p.published_at desc, p.id desc limit 40) w
        join private.posts_with_page v on v.id = w.id))
    from private.people_with_page l join app.users u on u.id = l.id
    where l.id = private.find_person(p_username));
end $function$;

CREATE OR REPLACE FUNCTION api.give_consent(p_id uuid, p_user uuid, p_app uuid, p_scopes text[])
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
begin
  if p_user <> v_caller then
    perform private.raise_error('role_required');
  end if;
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- checks again: the token may have ended while this waited
  perform private.require_proof();
  perform private.check_lock_order('app', p_app::text);
  perform from app.apps where id = p_app and ended_at is null for share;
  if not found then
    perform private.raise_error('app_unknown');
  end if;
  insert into app.app_consents (id, user_id, app_id, scopes)
  values (p_id, v_caller, p_app, private.require_scopes(v_caller, p_scopes));
  perform private.end_consent(c.id)
  from (select id from app.app_consents where user_id = v_caller and ended_at is null and expires_at > now()
        order by id = p_id desc, last_used_at desc, id offset 50) c;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION api.issue_app_token(p_consent uuid, p_token_hash bytea, p_scopes text[], p_payload jsonb, p_seconds integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_consent app.app_consents;
  v_name    text;
  v_old     bytea[];
begin
  select c.* into v_consent from app.app_consents c where c.id = p_consent and c.ended_at is null;
  if not found or not (p_scopes <@ v_consent.scopes) then
    perform private.raise_error('consent_over');
  end if;
  select name into v_name from app.apps where id = v_consent.app_id;
  perform private.issue_access_token(v_consent.user_id, 'app', v_name, p_token_hash, p_scopes, p_seconds,
                                     v_consent.app_id::text);
  -- locked after the person, because whatever ends consents locks in this order, too
  update app.app_consents set last_used_at = clock_timestamp() where id = p_consent and ended_at is null;
  if not found then
    perform private.raise_error('consent_over');
  end if;
  insert into private.oauth_records (model, key, payload, consent_id, expires_at)
  values ('AccessToken', p_token_hash, p_payload, p_consent, clock_timestamp() + p_seconds * interval '1 second');
  with old as (
    delete from private.oauth_records
    where model = 'AccessToken'
      and key in (select key from private.oauth_records
                  where consent_id = p_consent and model = 'AccessToken'
                  order by expires_at desc, key = p_token_hash desc, key offset 10)
    returning key)
  select array_agg(key) into v_old from old;
  perform private.end_access_token(id) from app.access_tokens where token_hash = any (v_old);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION api.list_all_apps(p_owner_id text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.staff_page('apps', json_build_object('owner_id', private.find_staff_person(p_owner_id)),
                            array['owner_id'], p_q, p_from, p_to, p_limit, p_cursor);
end $function$;

ALTER FUNCTION "api"."list_all_apps"(text, text, timestamp with time zone, timestamp with time zone, integer, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_audit_log(p_action text DEFAULT NULL::text, p_actor_id text DEFAULT NULL::text, p_target_type text DEFAULT NULL::text, p_target_id text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text, p_actor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_actor text := coalesce(p_actor_id, p_actor);
begin
  perform private.require_role('admin');
  return private.audit_page(
    json_build_object('action', p_action, 'actor_id', private.find_staff_person(v_actor),
                      'target_type', p_target_type, 'target_id', p_target_id),
    case when v_actor is not null then 'actor_id' when p_action is not null then 'action' end,
    p_q, p_from, p_to, p_limit, p_cursor);
end $function$;

ALTER FUNCTION "api"."list_audit_log"(text, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_my_interests()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object('items', coalesce(
    (select json_agg(c.card order by c.created_at, c.interest_id)
     from app.user_interest_card c where c.user_id = private.require_caller()), '[]'::json),
    'nextCursor', null, 'hasMore', false);
end $function$;

CREATE OR REPLACE FUNCTION api.log_in_with_oidc(p_id uuid, p_code_hash bytea, p_challenge text, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text, p_alert_hash bytea DEFAULT NULL::bytea, p_code text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_login    private.oidc_logins := private.use_oidc_login(p_id, p_code_hash, p_challenge);
  v_identity private.identities := private.find_identity(v_login);
  v_answer   json;
begin
  v_answer := private.open_login(v_identity.user_id, p_seconds, p_family, p_refresh_hash, p_user_agent, p_device,
                                 p_address, p_alert_hash, p_code);
  update private.identities set last_used_at = now() where id = v_identity.id;
  if not found then
    perform private.raise_error('identity_unlinked');   -- the login may have been unlinked while this waited
  end if;
  return v_answer;
end $function$;

ALTER FUNCTION "api"."log_in_with_oidc"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.note_presence()
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if private.note_access_token_used() then
    return null;   -- the program is active, not the person
  end if;
  update app.accounts set last_seen_at = now()
  where user_id = private.require_caller() and coalesce(last_seen_at, '-infinity') < now() - interval '5 minutes';
  perform private.note_session_seen();
  return null;   -- the response is 204
end $function$;

CREATE OR REPLACE FUNCTION api.prove_with_oidc(p_id uuid, p_code_hash bytea, p_challenge text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_login  private.oidc_logins := private.use_oidc_login(p_id, p_code_hash, p_challenge);
  v_caller uuid := private.lock_own_credentials();
begin
  perform private.require_code(v_caller, null);
  if not v_login.is_fresh or v_login.created_at < now() - interval '5 minutes' then
    perform private.raise_error('oidc_over');
  elsif (private.find_identity(v_login)).user_id is distinct from v_caller then
    perform private.raise_error('identity_unknown');
  end if;
  update private.identities set last_used_at = now() where issuer = v_login.issuer and subject = v_login.subject;
  perform private.note_proof(current_setting('request.jwt.claims')::jsonb, private.own_session());
  return json_build_object('provedUntil', private.utc(now() + interval '10 minutes'));
end $function$;

ALTER FUNCTION "api"."prove_with_oidc"(uuid, bytea, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.register_with_oidc(p_id uuid, p_code_hash bytea, p_challenge text, p_session_id uuid, p_first_name text, p_last_name text, p_date_of_birth date, p_country text, p_city text, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_login  private.oidc_logins := private.use_oidc_login(p_id, p_code_hash, p_challenge);
  v_person uuid;
  v_claims json;
begin
  v_person := private.redeem_invite(p_session_id, v_login.email, null, p_first_name, p_last_name,
                                    p_date_of_birth, p_country, p_city);
  update app.accounts set email_verified_at = now() where user_id = v_person;   -- the provider verified it
  perform private.add_identity(v_person, v_login);
  v_claims := private.issue_claims(v_person, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address);
  return private.login_answer(v_person, v_claims);
end $function$;

ALTER FUNCTION "api"."register_with_oidc"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.remove_app(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_owner uuid;
begin
  perform private.require_role('admin');
  v_owner := private.end_any_app(p_id);
  perform private.emit_moderation('app', p_id, 'deleted', v_owner);
  perform private.audit('app.deleted', 'app', p_id::text);
  return null;   -- the response is 204
end $function$;

ALTER FUNCTION "api"."remove_app"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.revoke_invitation(p_circle_id uuid, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if exists (select from app.circle_invitation_card
             where id = p_id and circle_id = p_circle_id and invitee_id = app.uid()) then
    perform private.raise_error('circle_not_yours');   -- the invitee sees it, but does not see the circle
  end if;
  perform private.require_own_circle(p_circle_id);
  if not exists (select from app.circle_invitations
                 where id = p_id and circle_id = p_circle_id and inviter_id = app.uid()) then
    perform private.raise_error('invitation_unknown');
  end if;
  perform private.settle_invitation(p_id, 'revoked');
  return null;   -- null becomes a 204 response
end $function$;

CREATE OR REPLACE FUNCTION api.take_passkey_challenge(p_challenge_hash bytea, p_purpose text, p_credential_id bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- the transaction ends before the signature is checked, so a wrong signature uses up the challenge, too
  delete from private.passkey_challenges
  where challenge_hash = p_challenge_hash and purpose = p_purpose and user_id is not distinct from app.uid()
    and created_at > now() - interval '5 minutes';
  return (
    select json_build_object(
      'isOpen', found,
      'passkey', (select json_build_object('id', p.id, 'userId', p.user_id,
                                           'publicKey', encode(p.public_key, 'hex'),
                                           'credentialsVersion', u.credentials_version)
                  from private.passkeys p join app.users u on u.id = p.user_id
                  where p.credential_id = p_credential_id and p_purpose <> 'add'
                    and (app.uid() is null or p.user_id = app.uid()))));
end $function$;

CREATE OR REPLACE FUNCTION api.update_me(p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update app.users set
    username = case when p_changes ? 'username' then lower(btrim(p_changes ->> 'username')) else username end,
    first_name = case when p_changes ? 'firstName' then private.require_name(p_changes ->> 'firstName')
                      else first_name end,
    last_name = case when p_changes ? 'lastName' then private.require_name(p_changes ->> 'lastName')
                     else last_name end,
    country = case when p_changes ? 'country' then p_changes ->> 'country' else country end,
    city = case when p_changes ? 'city' then private.require_name(p_changes ->> 'city') else city end,
    about = case when p_changes ? 'about' then nullif(private.require_text(p_changes ->> 'about'), '') else about end,
    profile_pic_url = case when p_changes ? 'profilePicUrl' then private.use_picture(p_changes ->> 'profilePicUrl')
                           else profile_pic_url end
  where id = private.require_caller();
  if p_changes ?| array['phone', 'hasPublicPage'] then
    update app.accounts set
      phone = case when p_changes ? 'phone' then btrim(p_changes ->> 'phone') else phone end,
      has_public_page = case when p_changes ? 'hasPublicPage' then (p_changes ->> 'hasPublicPage')::boolean
                             else has_public_page end
    where user_id = app.uid();
  end if;
  return private.own_profile();
end $function$;

CREATE OR REPLACE FUNCTION private.alert_of_session(p_id uuid, p_user uuid, p_alert_hash bytea)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- a limit, so that somebody who knows the password can't flood the mailbox with mails
  if p_alert_hash is null
     or (select count(*) >= 5 from app.sessions
         where user_id = p_user and created_at > now() - interval '1 hour' and alert_hash is not null) then
    return;
  end if;
  update app.sessions set alert_hash = p_alert_hash where id = p_id;
  perform private.enqueue('mail', json_build_object('sessionId', p_id));
end $function$;

CREATE OR REPLACE FUNCTION private.archive_space(p_kind text, p_id text, p_archived boolean)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_space app.spaces := private.lock_visible_space(p_kind, p_id);
begin
  perform private.require_space_role(v_space.id, 'owner');
  if not p_archived and v_space.archived_by_staff then
    perform private.raise_error('space_archived_by_staff');
  end if;
  perform private.set_archived(v_space, p_archived);
  return v_space.id;
end $function$;

CREATE OR REPLACE FUNCTION private.bots_among(p_people uuid[])
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return array(select id from app.users where id = any (p_people) and bot_owner_id is not null);
end $function$;

ALTER FUNCTION "private"."bots_among"(uuid[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.card_texts(p_ids uuid[])
 RETURNS app.card_text[]
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
  return array(
    -- looks up once for all posts what only few of them have. A separate function reads each of these parts, because a
    -- statement prepares all of its joins, even those that it does not run
    with rare as materialized (
      select array(select l.post_id from app.polls l where l.post_id = any (p_ids)) as poll,
             array(select i.post_id from app.post_interests i where i.post_id = any (p_ids) and not i.is_primary)
               as interests,
             array(select si.post_id from app.series_items si where si.post_id = any (p_ids)) as series,
             array(select ca.post_id from app.post_co_authors ca where ca.post_id = any (p_ids)) as co_authors
    )
    select (t.text, t.quoted_post_id)::app.card_text
    from rare
    cross join unnest(p_ids) with ordinality as w (id, place)
    left join lateral (
      select p.quoted_post_id,
        (p.card_start || ',"body":' || to_json(p.body)::text
         || ',"groupId":' || coalesce(case when space.kind = 'group' then '"' || space.id || '"' end, 'null')
         || ',"guildId":' || coalesce(case when space.kind = 'guild' then '"' || space.id || '"' end, 'null')
         || ',"spaceName":' || coalesce(to_json(space.name)::text, 'null'))
        || (',"authorId":"' || author.actor_id || '","author":' || author.text
            || ',"personaId":' || coalesce('"' || persona.id || '"', 'null') || ',"persona":'
            || coalesce(persona.card_text, '{"id":null,"name":null,"accent":null,"profilePicUrl":null}')
            || ',"coAuthors":' || case when p.id = any (rare.co_authors)
                 then private.co_author_list(p.id)::text else '[]' end)
        || (',"interests":' || coalesce(case when p.id = any (rare.interests) then private.interest_list(p.id)
                 else '[' || interest.card_start || ',"isPrimary":true}]' end, '[]')
            || ',"series":' || coalesce(case when p.id = any (rare.series) then private.series_list(p.id) end, '[]')
            || ',"poll":' || coalesce(case when p.id = any (rare.poll) then private.poll_text(p.id) end, 'null')
            -- an array, because the index returns its elements in order, and string_agg would sort
            || ',"emojiBreakdown":{' || array_to_string(array(
                 select '"' || e.emotion || '":{"count":' || e.payments || ',"total":' || e.mana || '}'
                 from app.post_emotions e where e.post_id = p.id and e.payments > 0 order by e.emotion), ',') || '}')
        || (',' || g.fields || ',"boostScore":' || g.boost
            || ',"boostExpiresAt":' || coalesce('"' || private.utc(g.boost_expires_at) || '"', 'null')) as text
      from private.visible_posts p
      join private.engagement_fields g on g.post_id = p.id
      join app.person_card author on author.id = p.author_id
      left join app.interests interest on interest.id = p.interest_id
      left join app.spaces space on space.id = p.space_id
      left join app.personas persona on persona.user_id = p.author_id
        and case when p.persona_id is null then persona.is_default else persona.id = p.persona_id end
      where p.id = w.id) t on true
  order by w.place);
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
    'media', private.case_media((p_case).target_type, (p_case).target_id),
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

CREATE OR REPLACE FUNCTION private.case_media(p_type text, p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('moderator', 'admin');
  return (
    select coalesce(json_agg(json_build_object('url', m.url, 'sha256', m.sha256) order by m.url), '[]')
    from (select h.url, h.sha256
          from private.hashed_media(array(
            select a from unnest(private.find_versions(p_type, p_id)) v cross join lateral unnest(v.media) a)) h
          order by h.url limit 50) m);
end $function$;

ALTER FUNCTION "private"."case_media"(text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.check_caller()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_scopes text[] := private.check_token();
begin
  if v_scopes is not null then
    perform private.check_scopes(v_scopes);
  end if;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.check_scopes(p_scopes text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_operation text := substring(current_setting('request.path', true) from '^/rpc/(.+)$');
begin
  perform private.require_scope(p_scopes, v_operation);
  perform private.refuse_bots(v_operation);   -- bots have no other tokens
end $function$;

ALTER FUNCTION "private"."check_scopes"(text[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.check_token()
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_claims jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
  v_scopes text[];
begin
  if v_claims ->> 'sub' is null then
    -- checks the role setting, because current_user is the owner inside a definer function
    if current_setting('role') in ('authenticated', 'user', 'moderator', 'admin') then
      perform private.raise_error('token_missing');
    end if;
    return null;
  end if;

  select r.scopes into v_scopes
  from app.users u
  left join private.revoked_tokens r on r.user_id = u.id
                                    and r.issued_at = (v_claims ->> 'iat')::bigint
                                    and r.expires_at = (v_claims ->> 'exp')::bigint
  where u.id = (v_claims ->> 'sub')::uuid
    and u.banned_at is null
    and u.erased_at is null
    and u.role = v_claims ->> 'role'
    and v_claims ->> 'exp' is not null   -- without exp, the denylist could not identify the token
    -- whatever ends all tokens of a person ends those with scopes one by one, because some survive a new password
    and (r.scopes is not null or r.user_id is null and u.tokens_valid_from <= (v_claims ->> 'iat')::bigint);
  if not found then
    perform private.raise_error('token_revoked');
  end if;
  return v_scopes;
end $function$;

CREATE OR REPLACE FUNCTION private.content_reasons(p_content app.contents, p_person uuid, p_access private.access)
 RETURNS private.access_reason[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_rule    record;
  v_student boolean;
  v_effect  text;
begin
  select * into v_rule from private.visibility((p_content).author_id, 0, (p_content).space_id, p_viewer => p_person);
  v_student := (p_content).is_draft and p_access.can_see and v_rule.level < 3;   -- private.visible_courses
  v_effect := case when v_rule.level = 3 then 'leaves_out' else 'denies' end;   -- what only the author sees
  return array_remove(
    array[case when (p_content).deleted_at is not null then
            private.reason('deleted', 'denies') end]
    || private.author_reasons((p_content).author_id, p_person, v_rule.level, (p_content).author_hidden)
    || array[
      case when (p_content).removed_at is not null then
        private.reason(private.hider((p_content).kind, (p_content).id, 'removed'), v_effect) end,
      case when v_student then private.reason('student', 'allows')
           when (p_content).is_draft then private.reason('draft', v_effect) end,
      case when v_rule.level between 0 and 2 and (p_content).space_id is null and not (p_content).is_draft then
        private.reason('public', 'allows') end,
      case when (p_content).space_id is not null then
        private.reason_of_sight(v_rule.is_inside, 'space_member', 'space_private',
                                (select s.kind from app.spaces s where s.id = (p_content).space_id),
                                (p_content).space_id) end,
      case when p_access.can_see and not v_student and not p_access.is_listed then
        private.reason('limited_author', 'leaves_out') end], null);
end $function$;

CREATE OR REPLACE FUNCTION private.count_replies()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_posts    uuid[];
  v_authors  uuid[];
  v_ones     integer[];
  v_machines uuid[];
  v_post     uuid;
  v_more     integer;
  v_bots     integer;
begin
  select array_agg(w.post_id), array_agg(w.author_id), array_agg(1) into v_posts, v_authors, v_ones
  from written w where w.required_level = 0;
  if tg_op = 'UPDATE' then
    select v_posts || array_agg(o.post_id), v_authors || array_agg(o.author_id), v_ones || array_agg(-1)
    into v_posts, v_authors, v_ones
    from overwritten o where o.required_level = 0;
  end if;
  v_machines := private.bots_among(v_authors);
  -- each post once, because a ban or an erasure may change thousands of replies under the same post
  for v_post, v_more, v_bots in
    select c.post_id, sum(c.one), sum(case when c.author_id = any (v_machines) then c.one else 0 end)
    from unnest(v_posts, v_authors, v_ones) c (post_id, author_id, one)
    group by c.post_id
    order by c.post_id
  loop
    if v_more <> 0 or v_bots <> 0 then
      update app.post_counters set replies = replies + v_more, bot_replies = bot_replies + v_bots
      where post_id = v_post;
    end if;
  end loop;
  return null;
end $function$;

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
                left join app.decisions f on f.id = d.continues
                where private.counts_strikes(d)
                group by coalesce(d.case_id, f.case_id, f.id, d.id)) s);
end $function$;

CREATE OR REPLACE FUNCTION private.count_writes(p_kind text, p_many integer DEFAULT 1, p_user uuid DEFAULT NULL::uuid)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user uuid := coalesce(p_user, private.require_caller());
  v_hour interval;
  v_most integer;
  v_lock text;
  v_used integer;
  v_ends timestamptz;
begin
  select greatest(1, least(2147483647, floor(l.per_hour * coalesce(s.value::float8, 1))))::integer, l.lock_kind,
         case when exists (select from app.users u where u.id = v_user and u.bot_owner_id is not null)
              then '24 hours' else '1 hour' end
  into v_most, v_lock, v_hour
  from private.write_limits l left join app.settings s on s.key = 'rate_limit_scale'
  where l.kind = p_kind;
  if not found then
    raise no_data_found using message = format('nobody has registered writes of the kind %s', p_kind);
  end if;
  perform private.check_lock_order(v_lock, v_user || p_kind);
  insert into private.write_counts as w (user_id, kind, used, ends_at)
  values (v_user, p_kind, p_many, now() + v_hour)
  on conflict (user_id, kind) do update
    set used = case when w.ends_at > now() then w.used + p_many else p_many end,
        ends_at = case when w.ends_at > now() then w.ends_at else excluded.ends_at end
  returning w.used, w.ends_at
  into v_used, v_ends;
  if v_used <= v_most then
    return p_many;
  elsif p_user is null then
    perform private.raise_error('writes_exceeded', json_build_object(
      'Retry-After', ceil(extract(epoch from v_ends - now()))::text,
      'RateLimit-Limit', v_most::text,
      'RateLimit-Remaining', '0',
      'RateLimit-Reset', ceil(extract(epoch from v_ends - now()))::text,
      'RateLimit-Policy', v_most || ';w=' || extract(epoch from v_hour)::integer));
  end if;
  return greatest(0, p_many - (v_used - v_most));
end $function$;

CREATE OR REPLACE FUNCTION private.earn_contribution(p_earnings private.earning[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_bots uuid[] := private.bots_among(array(select e.user_id from unnest(p_earnings) as e));
begin
  with given as (
    insert into app.contribution_entries (user_id, kind, delta, source_id, created_at)
    select e.user_id, e.kind, private.ledger_points('contribution', e.kind), e.source_id, min(e.caused_at)
    from unnest(p_earnings) with ordinality
           as e (user_id, interest_id, kind, source_id, earned_from, caused_at, place)
    where private.find_active_contribution(e.user_id, e.kind, e.source_id) is null
      and e.user_id <> all (v_bots)
    group by e.user_id, e.kind, e.source_id
    order by min(e.place)
    returning id
  )
  insert into private.contribution_inheritance (entry_id) select id from given;
end $function$;

CREATE OR REPLACE FUNCTION private.earn_reputation(p_earnings private.earning[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_bots uuid[] := private.bots_among(array(select unnest(array[e.user_id, e.earned_from])
                                            from unnest(p_earnings) as e));
begin
  perform private.write_reputation(array(
    select (gen_random_uuid(), e.user_id, e.interest_id, e.kind, e.points, 0, e.source_id, e.earned_from,
            e.caused_at)::private.reputation_change
    from (select distinct on (l.user_id, l.kind, l.source_id, l.earned_from)
                 l.*, private.ledger_points('reputation', l.kind) as points
          from unnest(p_earnings) with ordinality
                 as l (user_id, interest_id, kind, source_id, earned_from, caused_at, place)
          where l.interest_id is not null and l.earned_from is distinct from l.user_id
            and l.user_id <> all (v_bots) and (l.earned_from is null or l.earned_from <> all (v_bots))
          order by l.user_id, l.kind, l.source_id, l.earned_from, l.place) e
    where e.points <> 0
      and private.find_active_reputation(e.user_id, e.kind, e.source_id, e.earned_from) is null
    order by e.place));
end $function$;

CREATE OR REPLACE FUNCTION private.end_any_app(p_id uuid)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_owner uuid;
begin
  perform private.check_lock_order('app', p_id::text);
  select owner_id into v_owner from app.apps where id = p_id and ended_at is null for update;
  if not found then
    perform private.raise_error('app_unknown');
  end if;
  perform private.end_app(p_id);
  return v_owner;
end $function$;

ALTER FUNCTION "private"."end_any_app"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.end_factor(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if exists (select from private.totp where user_id = p_user and confirmed_at is not null)
     or exists (select from private.passkeys where user_id = p_user) then
    -- another session may have given its proof with the factor that was removed
    delete from private.proofs where user_id = p_user and session_id is distinct from private.own_session();
  elsif private.needs_factor((select role from app.users where id = p_user)) then
    perform private.raise_error('factor_needed');
  else
    perform private.forget_factors(p_user);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.end_other_own_sessions()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_ids    uuid[];
begin
  -- locks the credentials before the sessions, so that no login of the caller begins a session meanwhile
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  v_ids := array(select id from app.sessions
                 where user_id = v_caller and ended_at is null and expires_at > now()
                   and not live_tokens @> private.own_token()
                 order by id);
  perform private.end_session(v_caller, id) from unnest(v_ids) id;
  return cardinality(v_ids);
end $function$;

CREATE OR REPLACE FUNCTION private.enter(p_caller text, p_headers text DEFAULT NULL::text, p_operation text DEFAULT NULL::text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_scopes text[];
begin
  perform set_config('request.jwt.claims', coalesce(p_caller, ''), true),
          set_config('request.headers', coalesce(p_headers, ''), true);
  -- the same as private.check_caller, without another call in each request
  v_scopes := private.check_token();
  if v_scopes is not null then
    perform set_config('request.path', coalesce('/rpc/' || p_operation, ''), true);
    perform private.check_scopes(v_scopes);
  end if;
  return true;
end $function$;

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
                      private.keyword_words(private.keyword_text(array[c.body])), null)::private.judged)
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

CREATE OR REPLACE FUNCTION private.find_content_versions(p_type text, p_id uuid, p_since timestamp with time zone)
 RETURNS private.judged[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select array[(p_type, c.id, c.author_id, w.at, array[t.title, t.body],
                  private.keyword_words(private.keyword_text(array[t.title, t.body])),
                  case p_type
                    when 'video' then (select array[v.media_url, v.thumbnail_url] from app.videos v where v.id = p_id)
                    when 'audio' then (select array[a.media_url] from app.audio a where a.id = p_id)
                  end)::private.judged]
    from app.contents c
    cross join lateral (select coalesce(c.edited_at, c.created_at) as at) w
    cross join lateral private.find_reported_place(p_type, p_id) t
    where c.id = p_id and c.kind = p_type and not c.is_draft and c.deleted_at is null and w.at >= p_since);
end $function$;

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
                                  private.keyword_words(private.keyword_text(array[l.title, l.body])),
                                  array[private.asset_url(l.asset_id::text)])::private.judged
                                 order by l.position)
    from app.course_lessons l where l.course_id = p_id and v_course is not null);
end $function$;

CREATE OR REPLACE FUNCTION private.find_post_versions(p_type text, p_id uuid, p_since timestamp with time zone)
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
    select array_agg((p_type, p.id, p.author_id, w.at, array[w.title, w.body],
                      coalesce(w.words, private.keyword_words(private.keyword_text(array[w.title, w.body]))),
                      private.media_addresses(w.media))::private.judged
                     order by w.at desc, w.version desc nulls first)
    from app.posts p
    cross join lateral (
      select null::integer as version, p.title, p.body, p.media, p.keyword_words as words,
             coalesce(l.created_at, p.published_at) as at, l.created_at is null as is_first
      from (values (1)) one left join lateral (
        select v.created_at from app.post_versions v where v.post_id = p.id order by v.version desc limit 1) l on true
      union all
      (select v.version, v.title, v.body, v.media, null, coalesce(b.created_at, p.published_at), v.version = 1
       from app.post_versions v
       left join app.post_versions b on b.post_id = v.post_id and b.version = v.version - 1
       where v.post_id = p.id order by v.version desc limit 19)) w
    where p.id = p_id and p.published_at is not null and w.at >= p_since
      and not (p.imported_at is not null and w.is_first));
end $function$;

CREATE OR REPLACE FUNCTION private.find_reply_versions(p_type text, p_id uuid, p_since timestamp with time zone)
 RETURNS private.judged[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select array[(p_type, r.id, r.author_id, r.created_at, array[r.body],
                  private.keyword_words(private.keyword_text(array[r.body])), null)::private.judged]
    from app.replies r where r.id = p_id and r.created_at >= p_since);
end $function$;

CREATE OR REPLACE FUNCTION private.first_recovery_codes(p_user uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if exists (select from private.recovery_codes where user_id = p_user and used_at is null) then
    return null;
  end if;
  return private.renew_recovery_codes(p_user);
end $function$;

ALTER FUNCTION "private"."first_recovery_codes"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.has_media(p_thing private.judged, p_parameters jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return coalesce(cardinality(p_thing.media), 0) > 0 and exists (
    select from private.hashed_media(p_thing.media) m where p_parameters -> 'hashes' ? m.sha256);
end $function$;

ALTER FUNCTION "private"."has_media"(private.judged, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.has_needed_factor(p_user uuid DEFAULT app.uid())
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return not exists (select from app.users where id = p_user and private.needs_factor(role))
      or exists (select from private.people_with_factor where user_id = p_user);
end $function$;

ALTER FUNCTION "private"."has_needed_factor"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.hashed_media(p_urls text[])
 RETURNS SETOF private.hashed_medium
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_before text := private.asset_url('');
begin
  return query
    select u.url, encode(a.sha256, 'hex')
    from (select distinct w.url, substr(w.url, length(v_before) + 1) as key
          from unnest(p_urls) w (url) where starts_with(w.url, v_before)) u
    join app.media_assets a on a.id = case when pg_input_is_valid(u.key, 'uuid') then u.key::uuid end
    where a.sha256 is not null;
end $function$;

ALTER FUNCTION "private"."hashed_media"(text[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.identify(p_user_id uuid, p_password_hash text, p_code text, p_passkey uuid, p_counter bigint, p_oidc_login uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.check_lock_order('credentials', p_user_id::text);
  perform from private.credentials where user_id = p_user_id for update;
  if p_passkey is not null then
    return private.use_passkey(p_passkey, p_user_id, p_counter);
  elsif p_oidc_login is not null then
    perform private.require_oidc_login(p_user_id, p_oidc_login);
  else
    perform private.require_password(p_user_id, p_password_hash);
  end if;
  perform private.require_code(p_user_id, p_code);
  return true;
end $function$;

ALTER FUNCTION "private"."identify"(uuid, text, text, uuid, bigint, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.is_reported_by_trusted(p_thing private.judged, p_parameters jsonb)
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
  return exists (
    with trusted as materialized (
      select r.*
      from (select o.reporter_id, o.created_at, o.reviewed_at from app.reports o
            where o.target_type = p_thing.type and o.target_id = p_thing.id
            order by o.created_at desc, o.id desc limit 50) r
      where private.is_trusted_reporter(r.reporter_id, r.created_at, (p_parameters ->> 'reputation')::integer))
    select from trusted moment
    where (p_parameters ->> 'people')::integer <= (
      select count(distinct o.reporter_id) from trusted o
      where o.created_at <= moment.created_at
        and (o.reviewed_at is null or o.reviewed_at > moment.created_at)));
end $function$;

CREATE OR REPLACE FUNCTION private.is_trusted_reporter(p_person uuid, p_at timestamp with time zone, p_reputation integer)
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
  return (
    select count(*) >= 3 and count(*) filter (where s.status = 'reviewed') * 2 > count(*)
    from (select r.status from app.reports r
          where r.reporter_id = p_person and r.reviewed_at <= p_at
          order by r.reviewed_at desc, r.id desc limit 100) s)
    or (p_reputation is not null and coalesce(private.total_reputation(p_person), 0) >= p_reputation);
end $function$;

CREATE OR REPLACE FUNCTION private.issue_access_token(p_user uuid, p_kind text, p_name text, p_token_hash bytea, p_scopes text[], p_seconds integer, p_client text DEFAULT NULL::text, p_ends_with_password boolean DEFAULT true)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_scopes text[];
  v_claims json;
begin
  -- waits for a transaction that ends all tokens of the person
  perform private.check_lock_order('credentials', p_user::text);
  perform from private.credentials c join app.users u on u.id = c.user_id
  where c.user_id = p_user and u.banned_at is null and u.erased_at is null for update of c;
  if not found then
    perform private.raise_error('token_revoked');
  end if;
  v_scopes := private.require_scopes(p_user, p_scopes);
  if p_kind = 'personal'
     and (select count(*) >= 50 from app.access_tokens
          where user_id = p_user and kind = 'personal' and ended_at is null
            and expires_at > extract(epoch from clock_timestamp())) then
    perform private.raise_error('access_tokens_full');
  end if;
  v_claims := private.issue_claims(p_user, p_seconds);
  insert into app.access_tokens
    (user_id, kind, name, token_hash, scopes, ends_with_password, issued_at, expires_at, client_id)
  values (p_user, p_kind, p_name, p_token_hash, v_scopes, p_ends_with_password,
          (v_claims ->> 'iat')::bigint, (v_claims ->> 'exp')::bigint, p_client);
  perform private.limit_to_scopes(v_claims, v_scopes);
  return v_claims;
end $function$;

CREATE OR REPLACE FUNCTION private.issue_claims(p_user uuid, p_seconds integer)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now     bigint := floor(extract(epoch from clock_timestamp()));
  v_issued  bigint;
  v_others  bigint[];
  v_expires bigint;
begin
  -- under the row lock iat never decreases, and tokens with the same iat differ in exp, so (sub, iat, exp) is unique
  select greatest(v_now, u.tokens_valid_from, c.last_issued_at),
         case when c.last_issued_at >= greatest(v_now, u.tokens_valid_from) then c.expiries else '{}' end
  into strict v_issued, v_others
  from private.credentials c join app.users u on u.id = c.user_id
  where c.user_id = p_user for no key update of c;
  v_expires := v_issued + p_seconds;
  while v_expires = any (v_others) loop
    v_expires := v_expires + 1;
  end loop;
  update private.credentials set last_issued_at = v_issued, expiries = v_others || v_expires where user_id = p_user;

  return (select json_build_object('sub', u.id, 'email', a.email, 'role', u.role, 'iat', v_issued, 'exp', v_expires)
          from app.users u join app.accounts a on a.user_id = u.id
          where u.id = p_user);
end $function$;

CREATE OR REPLACE FUNCTION private.join_or_ask(p_space app.spaces, p_message text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_me      uuid := private.require_caller();
  v_request uuid;
begin
  perform private.require_open(p_space);
  if exists (select from app.space_bans where space_id = p_space.id and user_id = v_me) then
    perform private.raise_error('space_banned');
  end if;
  if p_space.join_policy = 'open' or private.is_invited(p_space.id, v_me) then
    if length(p_message) > 500 then   -- the check of app.space_requests: nothing is stored here
      perform private.raise_error('space_message');
    end if;
    perform private.add_member(p_space, v_me);
    return null;
  elsif p_space.join_policy = 'invite' then
    perform private.raise_error('invitation_required');
  end if;
  v_request := private.find_own_request(p_space.id);
  if v_request is null then
    insert into app.space_requests (space_id, user_id, message) values (p_space.id, v_me, p_message)
    returning id into v_request;
  end if;
  return v_request;
end $function$;

CREATE OR REPLACE FUNCTION private.judge_condition(p_condition private.condition, p_thing private.judged)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_condition.kind = 'new-account' then
    return private.is_by_new_account(p_thing, p_condition.parameters);
  elsif p_condition.kind = 'words' then
    return private.has_words(p_thing, p_condition.parameters);
  elsif p_condition.kind = 'link' then
    return private.has_link(p_thing, p_condition.parameters);
  elsif p_condition.kind = 'media' then
    return private.has_media(p_thing, p_condition.parameters);
  elsif p_condition.kind = 'rate' then
    return private.is_too_frequent(p_thing, p_condition.parameters);
  elsif p_condition.kind = 'near-ban' then
    return private.is_near_ban(p_thing, p_condition.parameters);
  elsif p_condition.kind = 'reports' then
    return private.is_reported_by_trusted(p_thing, p_condition.parameters);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.may_post_journalism(p_user uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.has_journalism_reputation(p_user)
      or exists (select from app.users u where u.id = p_user and u.role = 'admin' and private.has_needed_factor(u.id));
end $function$;

CREATE OR REPLACE FUNCTION private.media_addresses(p_media jsonb)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when p_media <> '[]' then array(
    select a from jsonb_array_elements(p_media) m
    cross join lateral unnest(array[m ->> 'url', m ->> 'posterUrl']) a
    where a is not null) end;
end $function$;

ALTER FUNCTION "private"."media_addresses"(jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.media_assets_rules(kind text, content_type text, size bigint, part_size integer, upload_id text, mime_type text, width integer, height integer, blurhash app.blurhash, poster_id uuid, status text, expires_at timestamp with time zone, committed_at timestamp with time zone, sha256 bytea)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if ((num_nulls(width, height) <> 1) AND ((COALESCE(width, 1) >= 1) AND (COALESCE(width, 1) <= 65535)) AND ((COALESCE(height, 1) >= 1) AND (COALESCE(height, 1) <= 65535)) AND ((num_nonnulls(width, blurhash) = 0) OR (content_type ~ '^(image|video)/'::text))) is false then perform private.raise_check_violation('asset_dimensions'); end if;
  if ((poster_id IS NULL) OR (kind = 'video'::text)) is false then perform private.raise_check_violation('asset_poster'); end if;
  if ((status = 'committed'::text) = ((committed_at IS NOT NULL) AND (mime_type IS NOT NULL) AND (expires_at IS NULL))) is false then perform private.raise_check_violation('media_assets_check'); end if;
  if (part_size > 0) is false then perform private.raise_check_violation('media_assets_part_size_check'); end if;
  if (octet_length(sha256) = 32) is false then perform private.raise_check_violation('media_assets_sha256_check'); end if;
  if (size > 0) is false then perform private.raise_check_violation('media_assets_size_check'); end if;
  if (status = ANY (ARRAY['pending'::text, 'committed'::text])) is false then perform private.raise_check_violation('media_assets_status_check'); end if;
  if ((length(upload_id) >= 1) AND (length(upload_id) <= 1000)) is false then perform private.raise_check_violation('media_assets_upload_id_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."media_assets_rules"(text, text, bigint, integer, text, text, integer, integer, app.blurhash, uuid, text, timestamp with time zone, timestamp with time zone, bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.post_cards(p_ids uuid[], p_more text[] DEFAULT NULL::text[])
 RETURNS text
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
  v_cards  app.card_text[] := private.card_texts(p_ids);
  v_ids    uuid[] := array(select c.quoted_id from unnest(v_cards) c where c.quoted_id is not null);
  v_quoted app.card_text[];
begin
  if v_ids <> '{}' then
    v_quoted := private.card_texts(v_ids);
  end if;
  return (
    select coalesce('[' || string_agg(o.text, ',') || ']', '[]')
    -- ordered here, because string_agg would sort the texts
    from (select c.text
                 || coalesce(',"quotedPostId":"' || c.quoted_id || '","quotedPost":'
                             || (v_quoted[array_position(v_ids, c.quoted_id)]).text || '}',
                             ',"quotedPostId":null,"quotedPost":null')
                 || coalesce(p_more[c.place], '') || '}' as text
          from unnest(v_cards) with ordinality as c (text, quoted_id, place)
          where c.text is not null
          order by c.place) o);
end $function$;

CREATE OR REPLACE FUNCTION private.read_condition(p_condition jsonb)
 RETURNS private.condition
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind  private.rule_conditions;
  v_names text[];
  v_name  text;
  v_shape jsonb;
  v_value jsonb;
  v_read  jsonb := '{}';
begin
  select * into v_kind from private.rule_conditions k
  where jsonb_typeof(p_condition) = 'object' and k.kind = p_condition ->> 'kind';
  if not found then
    perform private.raise_error('rule_conditions');
  end if;
  for v_name, v_shape in select * from jsonb_each(v_kind.shape) loop
    v_value := nullif(p_condition -> rtrim(v_name, '?'), 'null');
    v_names := v_names || rtrim(v_name, '?');
    continue when v_value is null and v_name like '%?';
    if v_shape = '"keywords"' then
      v_read := v_read || private.read_keywords(v_value);
    elsif v_shape = '"hashes"' then
      v_read := v_read || private.read_hashes(v_value);
    elsif (v_value::text ~ '^\d{1,9}$' and v_value::integer between (v_shape -> 0)::integer
                                                               and (v_shape -> 1)::integer) is true then
      v_read := v_read || jsonb_build_object(rtrim(v_name, '?'), v_value);
    else
      perform private.raise_error('rule_conditions');
    end if;
  end loop;
  if exists (select from jsonb_object_keys(p_condition - 'kind') f where f <> all (coalesce(v_names, '{}'))) then
    perform private.raise_error('rule_conditions');
  end if;
  return (v_kind.kind, v_read)::private.condition;
end $function$;

CREATE OR REPLACE FUNCTION private.read_hashes(p_hashes jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if (jsonb_typeof(p_hashes) = 'array' and jsonb_array_length(p_hashes) between 1 and 100
      and not exists (select from jsonb_array_elements(p_hashes) h
                      where jsonb_typeof(h) <> 'string' or h #>> '{}' !~* '^[0-9a-f]{64}$')) is not true then
    perform private.raise_error('rule_conditions');
  end if;
  return (select jsonb_build_object('hashes', jsonb_agg(distinct lower(h)))
          from jsonb_array_elements_text(p_hashes) h);
end $function$;

ALTER FUNCTION "private"."read_hashes"(jsonb) OWNER TO "postgres";

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
  v_first  uuid;
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
      if v_action = 'suspend' and v_case.id is null then
        select coalesce(d.continues, d.id) into v_first from app.decisions d
        where d.target_type = 'user' and d.target_id = v_entry.target_id::uuid and d.lifted_at is null
          and d.action = 'suspend'
        order by d.decided_at desc limit 1;
      end if;
      -- a ban has one end, that of the newest decision
      update app.decisions set lifted_at = now()
      where target_type = 'user' and target_id = v_entry.target_id::uuid and lifted_at is null
        and action in ('ban', 'suspend');
    end if;
    insert into app.decisions (case_id, target_type, target_id, person_id, action, category, rule, reason, decided_by,
                               ends_at, audit_id, space_id, continues)
    values (v_case.id, v_entry.target_type, v_entry.target_id::uuid, new.subject_id, v_action,
            coalesce(v_work ->> 'category', v_case.category, 'other'), coalesce(v_work ->> 'rule', v_case.rule),
            coalesce(new.detail ->> 'reason', ''), v_entry.actor_id,
            (new.detail ->> 'until')::timestamptz, v_entry.id, (v_work ->> 'spaceId')::uuid, v_first)
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
    -- what a space hid as well stays hidden, now only by the decision of the space
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
declare
  v_case app.cases;
begin
  select * into v_case from app.cases where id = p_case;
  perform private.lock_held(v_case.target_type, v_case.target_id);
  perform private.check_lock_order('case', p_case::text);
  -- locks the row before it looks, so that a report that is being added counts
  perform from app.cases where id = p_case for no key update;
  if not exists (select from app.case_reports c join app.reports r on r.id = c.report_id
                 where c.case_id = p_case and r.status = 'open') then
    perform private.restart_lock_order();   -- the locks that hiding the thing takes are already held
    perform private.release_held(v_case.target_type, v_case.target_id);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.remove_own_passkey(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- checks again: the caller's role may have changed while this waited
  perform private.require_proof();
  delete from private.passkeys where id = p_id and user_id = v_caller;
  if not found then
    perform private.raise_error('factor_unknown');
  end if;
  perform private.require_way_in(v_caller);
  perform private.end_factor(v_caller);
  perform private.mail_about_factor(v_caller, 'passkeyRemoved');
end $function$;

CREATE OR REPLACE FUNCTION private.require_factor()
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not private.has_needed_factor() then
    perform private.raise_error('factor_missing');
  end if;
end $function$;

ALTER FUNCTION "private"."require_factor"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_oidc_login(p_user_id uuid, p_login uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not exists (select from private.oidc_logins l
                 join private.identities i on i.issuer = l.issuer and i.subject = l.subject
                 where l.id = p_login and i.user_id = p_user_id and l.used_at is null
                   and l.created_at > clock_timestamp() - interval '30 minutes') then
    perform private.raise_error('oidc_over');
  end if;
end $function$;

ALTER FUNCTION "private"."require_oidc_login"(uuid, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_registration()
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if (select value from app.settings where key = 'register_apps') <> 'everyone'
     and not exists (select from app.users where id = private.require_caller() and role = 'admin'
                     and private.has_needed_factor()) then
    perform private.raise_error('apps_closed');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.require_role(VARIADIC p_roles text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not exists (select from app.users where id = app.uid() and role = any (p_roles)) then
    perform private.raise_error('role_required');
  end if;
  perform private.require_factor();
end $function$;

CREATE OR REPLACE FUNCTION private.require_scope(p_scopes text[], p_operation text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_needed text[] := array(select scope from private.operation_scopes where operation = p_operation order by scope);
begin
  if cardinality(v_needed) = 0 then
    perform private.raise_error('session_required');
  elsif not (v_needed && p_scopes or array_position(v_needed, null) is not null) then
    -- the form in which PostgREST accepts headers (private.raise_error); the header is that of RFC 6750
    raise exception using
      errcode = 'PGRST',
      message = json_build_object(
        'code', 'PT403', 'message', 'scope_missing', 'hint', null,
        'details', format('This needs the scope %s, which this access token does not have.',
                          array_to_string(v_needed, ' or '))),
      detail = json_build_object(
        'status', 403,
        'headers', json_build_object('WWW-Authenticate',
                                     format('Bearer error="insufficient_scope", scope="%s"', v_needed[1])));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.require_scopes(p_user uuid, p_scopes text[])
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_scopes text[] := array(select s.scope from private.scopes s where s.scope = any (p_scopes) order by s.position);
begin
  -- at least one name, and every name was found
  if cardinality(v_scopes) = 0 or not (p_scopes <@ v_scopes) then
    perform private.raise_error('scope_unknown');
  elsif exists (select from private.scopes where scope = any (v_scopes) and staff)
        and not exists (select from app.users where id = p_user and role in ('moderator', 'admin')) then
    perform private.raise_error('role_required');
  end if;
  return v_scopes;
end $function$;

CREATE OR REPLACE FUNCTION private.require_way_in(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not exists (select from private.credentials where user_id = p_user and password_hash is not null)
     and not exists (select from private.identities where user_id = p_user)
     and not exists (select from private.passkeys where user_id = p_user) then
    perform private.raise_error('identity_needed');
  end if;
end $function$;

ALTER FUNCTION "private"."require_way_in"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.set_any_space_archived(p_kind text, p_id text, p_archived boolean, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_reason text;
  v_space  app.spaces;
  v_owner  uuid;
begin
  perform private.require_role('admin');
  v_reason := private.find_reason(p_reason);
  v_space := private.find_any_space(p_kind, p_id);
  select user_id into v_owner from app.space_members where space_id = v_space.id and role = 'owner';
  v_space := private.lock_any_space(p_kind, p_id, array[v_owner]);
  select user_id into v_owner from app.space_members where space_id = v_space.id and role = 'owner';
  if not p_archived and v_space.archived_by_staff then
    perform private.refuse_own(v_space.kind, v_space.id, v_owner);
  end if;
  if private.set_archived(v_space, p_archived, not private.is_own_thing(v_space.kind, v_space.id, v_owner)) then
    perform private.record_about_space(
      v_space, case when p_archived then 'archived' else 'restored' end, v_owner,
      case when v_reason is not null then json_build_object('reason', v_reason) end);
  end if;
  return private.staff_card('spaces', v_space.id);
end $function$;

CREATE OR REPLACE FUNCTION private.set_archived(p_space app.spaces, p_archived boolean, p_by_staff boolean DEFAULT false)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_owner uuid;
begin
  if (p_space.archived_at is not null) = p_archived
     and not (p_archived and p_by_staff and not p_space.archived_by_staff) then
    return false;
  end if;
  if not p_archived then
    select user_id into v_owner from app.space_members where space_id = p_space.id and role = 'owner';
    if not found then
      perform private.raise_error('space_ownerless');
    end if;
    perform private.limit_owned(p_space.kind, v_owner);
  end if;
  update app.spaces
  set archived_at = case when p_archived then coalesce(archived_at, now()) end,
      archived_by_staff = p_archived and p_by_staff
  where id = p_space.id;
  return true;
end $function$;

ALTER FUNCTION "private"."set_archived"(app.spaces, boolean, boolean) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.set_banned(p_person app.users, p_banned boolean, p_reason text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id  uuid;
  v_bot app.users;
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
  for v_id in
    select u.id from app.users u where u.bot_owner_id = p_person.id and u.erased_at is null order by u.id
  loop
    perform private.restart_lock_order();
    v_bot := private.lock_account(v_id);
    -- decided under the lock, because a ban of the bot alone may have ended meanwhile
    if p_banned and v_bot.banned_at is null or v_bot.banned_at = p_person.banned_at then
      perform private.set_banned(v_bot, p_banned, p_reason, p_until);
    end if;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION private.unlink_own_identity(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.lock_own_credentials();
begin
  perform private.require_proof_of_all();
  delete from private.identities where id = p_id and user_id = v_caller;
  if not found then
    perform private.raise_error('identity_unknown');
  end if;
  perform private.require_way_in(v_caller);
  perform private.mail_about_factor(v_caller, 'identityUnlinked');
end $function$;

CREATE OR REPLACE FUNCTION private.use_totp(p_user uuid, p_code text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_now  bigint := floor(extract(epoch from clock_timestamp()) / 30);
  v_totp private.totp;
  v_step bigint;
begin
  -- locks the row, so that of two concurrent requests with the same code only one succeeds
  select * into v_totp from private.totp where user_id = p_user for update;
  select s into v_step from generate_series(v_now - 1, v_now + 1) s
  -- compares keyed hashes, so that the time it takes says nothing about the code
  where s > v_totp.last_step
    and extensions.hmac(convert_to(private.totp_code(v_totp.secret, s), 'UTF8'), v_totp.secret, 'sha256')
      = extensions.hmac(convert_to(p_code, 'UTF8'), v_totp.secret, 'sha256')
  order by s limit 1;
  update private.totp set last_step = v_step, last_used_at = now() where user_id = p_user and v_step is not null;
  return v_step is not null;
end $function$;

ALTER TABLE "app"."decisions" ADD CONSTRAINT "decisions_continues_fkey" FOREIGN KEY (continues) REFERENCES app.decisions(id) ON DELETE RESTRICT;

CREATE VIEW "private"."own_profiles" WITH (security_invoker=true) AS  SELECT u.id,
    json_build_object('id', u.id, 'actorId', private.actor_id(u.username, ( SELECT instance.domain
           FROM private.instance)), 'personId', u.person_id, 'username', u.username, 'email', a.email, 'emailVerifiedAt', private.utc(a.email_verified_at), 'emailBouncedAt', private.utc(a.email_bounced_at), 'role', u.role, 'isBot', (u.bot_owner_id IS NOT NULL), 'firstName', u.first_name, 'lastName', u.last_name, 'dateOfBirth', a.date_of_birth, 'country', u.country, 'city', u.city, 'phone', a.phone, 'hasPublicPage', a.has_public_page, 'about', u.about, 'profilePicUrl', u.profile_pic_url, 'createdAt', private.utc(u.created_at), 'lastSeenAt', private.utc(a.last_seen_at)) AS card
   FROM (app.users u
     JOIN app.accounts a ON ((a.user_id = u.id)));

ALTER VIEW "private"."own_profiles" OWNER TO "postgres";

CREATE VIEW "private"."people_with_page" WITH (security_invoker=true) AS  SELECT l.id,
    l.username
   FROM (private.listed_people l
     JOIN app.accounts a ON (((a.user_id = l.id) AND a.has_public_page)));

ALTER VIEW "private"."people_with_page" OWNER TO "postgres";

CREATE VIEW "private"."posts_with_page" WITH (security_invoker=true) AS  SELECT p.id,
    p.author_id,
    p.persona_id,
    p.format,
    p.title,
    p.body,
    p.media,
    p.quoted_post_id,
    p.original_author_id,
    p.original_space_id,
    p.visibility,
    p.depth,
    p.interest_id,
    p.space_id,
    p.is_journalism,
    p.publish_at,
    p.publish_again_at,
    p.published_at,
    p.scheduled_emitted_at,
    p.pinned_at,
    p.edited_at,
    p.hidden_at,
    p.deleted_at,
    p.author_banned,
    p.keyword_words,
    p.trending_boost,
    p.created_at,
    p.imported_at,
    p.closer_id,
    p.within_id,
    p.trending_at,
    p.required_level,
    p.card_start,
    p.viewer_level,
    p.is_visible
   FROM (private.listed_posts p
     JOIN private.people_with_page l ON ((l.id = p.author_id)))
  WHERE (p.format <> 'repost'::text);

ALTER VIEW "private"."posts_with_page" OWNER TO "postgres";

CREATE VIEW "private"."staff_apps" WITH (security_invoker=true) AS  SELECT a.created_at AS at,
    a.id,
    a.owner_id,
    concat_ws(' '::text, a.name, a.website, u.username) AS said,
    private.merge_objects(private.app_card(a.*), json_build_object('ownerId', a.owner_id, 'owner', owner.card)) AS card
   FROM ((app.apps a
     JOIN app.users u ON ((u.id = a.owner_id)))
     JOIN app.person_card owner ON ((owner.id = a.owner_id)))
  WHERE (a.ended_at IS NULL);

ALTER VIEW "private"."staff_apps" OWNER TO "postgres";

CREATE INDEX apps_created_at_idx ON app.apps USING btree (created_at DESC, id DESC) WHERE (ended_at IS NULL);

CREATE INDEX decisions_continues_idx ON app.decisions USING btree (continues) WHERE (continues IS NOT NULL);

CREATE INDEX reports_reviewed_at_idx ON app.reports USING btree (reporter_id, reviewed_at DESC, id DESC) WHERE (reviewed_at IS NOT NULL);

CREATE INDEX reputation_entries_earned_from_idx ON app.reputation_entries USING btree (earned_from) WHERE (earned_from IS NOT NULL);

CREATE INDEX reputation_interest_id_idx ON app.reputation USING btree (interest_id, band DESC, user_id);

CREATE CONSTRAINT TRIGGER _190_judge_edited AFTER UPDATE OF title, body, asset_id ON app.course_lessons DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((((new.title IS DISTINCT FROM old.title) OR ((new.body)::text IS DISTINCT FROM (old.body)::text)) OR ((new.asset_id IS NOT NULL) AND (new.asset_id IS DISTINCT FROM old.asset_id)))) EXECUTE FUNCTION private.judge_lesson();

CREATE TRIGGER reject_null BEFORE INSERT OR UPDATE ON app.spaces FOR EACH ROW WHEN (((new.id IS NULL) OR (new.kind IS NULL) OR (new.slug IS NULL) OR (new.name IS NULL) OR (new.about IS NULL) OR (new.visibility IS NULL) OR (new.join_policy IS NULL) OR (new.member_count IS NULL) OR (new.words IS NULL) OR (new.created_at IS NULL) OR (new.archived_by_staff IS NULL))) EXECUTE FUNCTION private.reject_null();

COMMENT ON COLUMN "app"."access_tokens"."expires_at" IS 'The claim exp, in unix seconds: when it expires.';

COMMENT ON COLUMN "app"."access_tokens"."issued_at" IS 'The claim iat, in unix seconds.';

COMMENT ON COLUMN "app"."access_tokens"."live_tokens" IS 'The JWTs for which it was exchanged and that have not expired: [[iat, exp], …] in unix seconds. They end with it.';

COMMENT ON COLUMN "app"."access_tokens"."name" IS 'The name that the person gave it, or the name of the app.';

COMMENT ON COLUMN "app"."accounts"."has_public_page" IS 'Whether the person and their public posts have public pages, if the instance has such pages: sql/posts/56_public_pages.sql.';

COMMENT ON COLUMN "app"."app_consents"."last_used_at" IS 'When the app last got an access token with this consent.';

COMMENT ON COLUMN "app"."app_consents"."refresh" IS 'What the facade stores about the refresh token, because the token does not contain it; null before the first one.';

COMMENT ON COLUMN "app"."app_consents"."scopes" IS 'The scopes that the person allowed.';

COMMENT ON COLUMN "app"."apps"."ended_at" IS 'When it was deleted; null if it was not.';

COMMENT ON COLUMN "app"."apps"."is_confidential" IS 'Whether the app authenticates with a secret, because it runs on its own server.';

COMMENT ON COLUMN "app"."apps"."redirect_uris" IS 'The addresses to which an authorization may return. They are compared exactly, except for the port of a loopback address.';

COMMENT ON COLUMN "app"."apps"."scopes" IS 'The scopes for which the app may ask.';

COMMENT ON COLUMN "app"."apps"."secret_hash" IS 'SHA-256 of the secret, which has 256 random bits. Null until the first one was made, and for apps that are not confidential.';

COMMENT ON COLUMN "app"."contents"."author_hidden" IS 'Whether the author is banned or erased: set immediately for the newest 500 contents, for the others soon after (private.hide_or_show_contents). Until then app.hidden_people hides them.';

COMMENT ON COLUMN "app"."contents"."deleted_at" IS 'When its author deleted it for good. Its detail is deleted immediately, and the head 31 days later, so that cursors stay valid and clients learn of it (private.changes).';

COMMENT ON COLUMN "app"."decisions"."continues" IS 'The suspension whose end this one, without a case, has moved: the first one if the end was moved several times. Null for any other decision.';

COMMENT ON COLUMN "app"."decisions"."lifted_at" IS 'When its effect ended: staff ended it, it expired, staff hid what a rule or a space had hidden, or another ban or suspension replaced it. Its strikes remain.';

COMMENT ON COLUMN "app"."media_assets"."sha256" IS 'The hash of the file, for the rules of staff; nobody else sees it. Null while the asset is pending, for a file above 25 MiB, and for an asset that was committed before hashes were kept.';

COMMENT ON COLUMN "app"."posts"."author_banned" IS 'Whether the author is banned. The newest 500 posts are updated immediately, the others soon after (private.hide_or_show_posts); until then app.hidden_people hides them.';

COMMENT ON COLUMN "app"."posts"."publish_at" IS 'When a scheduled post is due; null means that it was published immediately.';

COMMENT ON COLUMN "app"."reputation"."band" IS 'The band of value: 0 below 1, 1 below 3, 2 below 7, and so on: one more with each doubling of value plus one. It is -1 if value is not above 0. It changes rarely, so an index can contain it.';

COMMENT ON COLUMN "app"."sessions"."device" IS 'The name that the client gave the device, otherwise a name from its User-Agent, such as Firefox on Windows. It has no dots, slashes or colons, because a mail shows it and must not contain a link of a stranger.';

COMMENT ON COLUMN "app"."sessions"."expires_at" IS 'When the session expires: 60 days after the last refresh. A fixed session expires with its token.';

COMMENT ON COLUMN "app"."sessions"."network" IS 'The network from which the session began: the /24 of an IPv4 address, or the /48 of an IPv6 address.';

COMMENT ON COLUMN "app"."spaces"."archived_by_staff" IS 'Whether staff has archived it, so that only staff can restore it.';

COMMENT ON COLUMN "app"."video_comments"."author_hidden" IS 'Whether the author is banned or erased: set immediately for the newest 500 comments, for the others soon after (private.hide_or_show_comments). Until then app.hidden_people hides them.';

COMMENT ON COLUMN "private"."case_categories"."at_once" IS 'Whether staff sees it immediately, even if a space has its own moderators.';

COMMENT ON COLUMN "private"."credentials"."expiries" IS 'exp of each token with this iat, in unix seconds.';

COMMENT ON COLUMN "private"."devices"."seen_at" IS 'When the last login on the device was.';

COMMENT ON COLUMN "private"."identities"."email" IS 'The email address of the account when it was linked. It is only shown to the person.';

COMMENT ON COLUMN "private"."identities"."issuer" IS 'The issuer: the address that identifies the provider.';

COMMENT ON COLUMN "private"."oauth_records"."consumed_at" IS 'When the code was used. If it is used again, its consent ends.';

COMMENT ON COLUMN "private"."oauth_records"."expires_at" IS 'When it expires.';

COMMENT ON COLUMN "private"."oidc_logins"."is_fresh" IS 'Whether the provider asked for the password again, at most 5 minutes before.';

COMMENT ON COLUMN "private"."operation_scopes"."scope" IS 'Null if every token may call the operation.';

COMMENT ON COLUMN "private"."passkey_challenges"."slot" IS 'A random number from 0 to 65535.';

COMMENT ON COLUMN "private"."passkeys"."counter" IS 'How often the device has used the key, as it says; 0 if it does not count. If the number does not rise, somebody may have a copy of the key.';

COMMENT ON COLUMN "private"."passkeys"."name" IS 'The name that the person gave it.';

COMMENT ON COLUMN "private"."passkeys"."public_key" IS 'The public key, encoded as COSE (RFC 9052).';

COMMENT ON COLUMN "private"."proofs"."session_id" IS 'The session that issued the token, because all tokens of a session share the proof. Null if there is none.';

COMMENT ON COLUMN "private"."pushed_subjects"."subject" IS 'What the push is about: the kind, the actor (or the group if there is no actor), and the event or state in the payload.';

COMMENT ON COLUMN "private"."realtime_topics"."scopes" IS 'The scopes that a token with scopes needs to listen to these channels; it needs all of them. Without a value, no such token may listen.';

COMMENT ON COLUMN "private"."recovery_codes"."used_at" IS 'When the code was used; null until then.';

COMMENT ON COLUMN "private"."revoked_tokens"."scopes" IS 'The scopes of the token, by private.scopes; null if the token was revoked.';

COMMENT ON COLUMN "private"."rule_conditions"."shape" IS 'The parameters by name: for a whole number its least and its greatest value, such as [1, 60]; for words "keywords"; for hashes of files "hashes". A parameter is optional if its name here ends with a question mark.';

COMMENT ON FUNCTION "api"."answer_device"(bytea, jsonb) IS 'For the facade alone: stores a person''s answer to a device.';

COMMENT ON FUNCTION "api"."appeal_by_password"(uuid, text, uuid, text, text, uuid, bigint, uuid) IS 'For the facade alone, after it has checked who it is as for api.find_standing: appeals a decision about a person who may be banned. Returns the standing.';

COMMENT ON FUNCTION "api"."block_person"(text) IS 'Blocks a person: the two are hidden from each other immediately. Repeating it changes nothing. Fails: person_unknown (also when they block the caller), block_oneself, blocks_exhausted.';

COMMENT ON FUNCTION "api"."check_password_reset"(uuid, bytea) IS 'For the facade alone: checks a token before the facade hashes a new password. {words}: the names and the address of the person.';

COMMENT ON FUNCTION "api"."close_problem"(uuid) IS 'Closes the caller''s own problem without a solution, and gives its bounty back. Takes an Idempotency-Key.';

COMMENT ON FUNCTION "api"."commit_asset"(uuid, text, integer, integer, text) IS 'For the facade alone, after it has found that the storage has the file as announced: commits the caller''s asset. p_width and p_height are what the file says, or null. p_sha256 is its hash in hex, or null. If another commit found another file meanwhile, the asset is deleted (asset_unfit). Returns the same as api.get_asset. Fails: asset_unknown (also if it is another person''s).';

COMMENT ON FUNCTION "api"."confirm_totp"(text, integer, uuid, bytea, text, text, text) IS 'For the facade alone: the caller''s authenticator app becomes a second factor. Ends all tokens and sessions, and returns {claims, user, credentialsVersion, recoveryCodes} for new tokens. recoveryCodes is null if the caller has unused ones. p_family is the id of the new session; with p_refresh_hash it is a rotating one.';

COMMENT ON FUNCTION "api"."consume_refresh"(uuid, integer) IS 'For the facade alone: uses up the refresh token of a generation. If it was used before, the consent ends, except for the latest used one within 10 seconds of its first use.';

COMMENT ON FUNCTION "api"."create_access_token"(text, text[], bytea, text, timestamp with time zone, boolean) IS 'For the facade alone: makes an access token of the caller with this hash, as api.list_access_tokens returns it, with tokenHash (hex) and the nonce from which the facade made the token. Without p_expires_at it expires after 365 days. Fails: access_token_name.';

COMMENT ON FUNCTION "api"."create_app"(text, text[], text[], boolean, text) IS 'Registers an app: {id, name, website, redirectUris, scopes, isConfidential, hasSecret, createdAt}. Only admins can register apps, unless the instance lets everybody. A person can have 20. Fails: app_name, app_website.';

COMMENT ON FUNCTION "api"."create_bot"(text, text, text, text, text, text) IS 'Creates a bot of the caller, who answers for it: its card, as in api.list_bots. It uses up the given active invite code of the caller, or one of their allotment. A person can have 5. Fails: username_reserved.';

COMMENT ON FUNCTION "api"."create_bot_token"(text, text, text[], bytea, text, timestamp with time zone) IS 'For the facade alone: makes an access token of a bot of the caller, as api.create_access_token makes one for the caller. Fails: access_token_name.';

COMMENT ON FUNCTION "api"."delete_app"(uuid) IS 'Deletes an app of the caller, with all consents and tokens. The app gets no new token, and its existing tokens end.';

COMMENT ON FUNCTION "api"."delete_oauth_record"(text, bytea) IS 'For the facade alone: deletes a request or a code, or ends a token.';

COMMENT ON FUNCTION "api"."end_access_token"(uuid) IS 'Ends a personal access token of the caller, with the JWTs for which it was exchanged. Repeating it changes nothing.';

COMMENT ON FUNCTION "api"."end_alerted_session"(uuid, bytea) IS 'For the facade alone: ends the session that a mail with this token reported, {ok}. Every device of the person, even one with a device token, then counts as new. The password does not change.';

COMMENT ON FUNCTION "api"."end_other_sessions"() IS 'Ends all sessions of the caller except the one of this request, whose tokens remain valid: {ended}, the number of sessions.';

COMMENT ON FUNCTION "api"."end_session"(uuid) IS 'Ends a session of the caller: its refresh token and its access tokens are revoked immediately. Repeating it changes nothing.';

COMMENT ON FUNCTION "api"."end_user_sessions"(text, text) IS 'Ends all tokens and sessions of a person: {ended}, the number of sessions. The person can log in again. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."exchange_access_token"(integer) IS 'For the facade alone: the claims of a JWT with the scopes of this request''s access token, valid for this many seconds, {sub, email, role, iat, exp}. It ends with the access token. Without the scope profile:read the email is not the person''s.';

COMMENT ON FUNCTION "api"."find_access_token"(bytea) IS 'For the facade alone: the claims of the access token with this hash, {sub, email, role, iat, exp}; null if there is none or it was ended. The role is the one that the holder had when the token was made, because another role ends all tokens.';

COMMENT ON FUNCTION "api"."find_identity"(uuid, bytea, text) IS 'For the facade alone: the person whose linked login this one-time code belongs to, {userId, credentialsVersion, email}.';

COMMENT ON FUNCTION "api"."find_oauth_record"(text, bytea, bytea) IS 'For the facade alone: what is stored under this key or user code, with the time at which it was used; or null.';

COMMENT ON FUNCTION "api"."find_standing"(uuid, text, text, uuid, bigint, uuid) IS 'For the facade alone, after it has checked the password, the signature of the passkey or the login at the OpenID provider: the standing of a person who may be banned. p_code is a code of the second factor, if they have one and give no passkey.';

COMMENT ON FUNCTION "api"."find_statement"(uuid, text, uuid, text, uuid, bigint, uuid) IS 'For the facade alone, after it has checked who it is as for api.find_standing: the statement of reasons for a decision about a person who may be banned.';

COMMENT ON FUNCTION "api"."get_case"(uuid) IS 'A case with the thing, its reports, earlier cases, proposals, history, and the decisions about the person. A case about the caller is unknown to the caller.';

COMMENT ON FUNCTION "api"."get_public_post"(uuid) IS 'A post for its public page, {id, title, body, media, publishedAt, editedAt, author, persona, quotedPostId}; null if there is no such post: private.posts_with_page without a caller. quotedPostId is null if the quoted post has no page.';

COMMENT ON FUNCTION "api"."get_public_profile"(text) IS 'A person for their public page, {person, about, posts}; null if there is no such person: private.people_with_page without a caller. The posts are those of the newest 40 that have a page.';

COMMENT ON FUNCTION "api"."get_report"(uuid) IS 'A report with the reported thing, its author, the other reports of the thing and the author''s history. A report about the caller is unknown to the caller.';

COMMENT ON FUNCTION "api"."give_consent"(uuid, uuid, uuid, text[]) IS 'For the facade alone: the caller allows an app these scopes, with a fresh proof as for a token. If the caller has more than 50 consents, the least recently used one ends.';

COMMENT ON FUNCTION "api"."issue_app_token"(uuid, bytea, text[], jsonb, integer) IS 'For the facade alone: gives an app an access token with this hash for a consent. The newest 10 tokens of a consent are valid.';

COMMENT ON FUNCTION "api"."link_identity"(uuid, bytea, text) IS 'For the facade alone: links a login at the provider to the caller, who has given a fresh proof. Returns what api.list_identities returns. The two addresses may differ.';

COMMENT ON FUNCTION "api"."list_all_apps"(text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'Everybody''s registered apps, newest first.';

COMMENT ON FUNCTION "api"."list_audit_log"(text, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, text) IS 'The audit log, newest first. p_actor is another name for p_actor_id.';

COMMENT ON FUNCTION "api"."list_my_interests"() IS 'All interests that the caller chose, in the order in which they chose them, as one page: {items, nextCursor, hasMore}.';

COMMENT ON FUNCTION "api"."list_rule_hits"(uuid, text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'The hits of a rule, newest first, without those on what the caller wrote.';

COMMENT ON FUNCTION "api"."list_sessions"(integer, text) IS 'The caller''s sessions that have not ended, newest first: {id, userAgent, createdAt, lastUsedAt, expiresAt, kind, device, network, lastSeenAt, isCurrent}.';

COMMENT ON FUNCTION "api"."list_user_sessions"(text, integer, text) IS 'The sessions of a person that have not ended, newest first: {id, userAgent, createdAt, lastUsedAt, expiresAt, kind, device, network, lastSeenAt, isCurrent}. isCurrent is always false, because none of them is the session of this request.';

COMMENT ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text, text, bytea, text) IS 'For the facade alone, after it has checked the password: logs the person in, {claims, user, credentialsVersion}. p_new_hash replaces a hash whose parameters have become too weak. p_family is the id of the session; with p_refresh_hash it is a rotating one. With p_alert_hash, a login on a device on which the person never logged in is mailed to them, unless it is their first login. For a person with a second factor, p_code is a code of the app or a recovery code, and counts as a fresh proof.';

COMMENT ON FUNCTION "api"."log_in_with_oidc"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) IS 'For the facade alone: logs in the person who linked this login, like api.log_in, {claims, user, credentialsVersion}. A person with a second factor also gives p_code.';

COMMENT ON FUNCTION "api"."note_presence"() IS 'Records that the caller and the session of the token are active now. For an access token, it records only that the token was used. It writes each record at most once in five minutes, even if several facades call it.';

COMMENT ON FUNCTION "api"."prove_with_oidc"(uuid, bytea, text) IS 'For the facade alone: records a fresh proof of this session by a login at the provider that asked for the password, {provedUntil}. People with a second factor prove that factor instead.';

COMMENT ON FUNCTION "api"."register_with_oidc"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) IS 'For the facade alone: like api.register, but with a login at the provider instead of a password. The address is the one that the provider verified.';

COMMENT ON FUNCTION "api"."remove_app"(uuid) IS 'Deletes anybody''s app, with all consents and tokens, and notifies its owner. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."renew_app_secret"(uuid, bytea) IS 'For the facade alone: gives a confidential app of the caller a new secret with this hash. The previous secret stops working immediately.';

COMMENT ON FUNCTION "api"."retry_failed_jobs"(text, timestamp with time zone) IS 'Puts up to 500 jobs that failed for good back on their queue, the oldest first, each of them once: {retried, more}. more says whether others are left. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."revoke_my_app"(uuid) IS 'Ends what the caller allowed an app. The app''s tokens end immediately.';

COMMENT ON FUNCTION "api"."start_passkey"(bytea) IS 'For the facade alone: stores the challenge of a new passkey. {handle (the user handle for the device, hex), username, known: the passkeys that the caller has}.';

COMMENT ON FUNCTION "api"."start_totp"() IS 'Begins adding an authenticator app: {secret (base32), url (otpauth:)}, which are shown only once. The app becomes a second factor when a code of it is confirmed. Repeating it makes another secret.';

COMMENT ON FUNCTION "api"."store_oauth_record"(text, bytea, jsonb, integer, bytea) IS 'For the facade alone: stores a request or a code for this many seconds.';

COMMENT ON FUNCTION "api"."store_refresh"(uuid, integer, jsonb) IS 'For the facade alone: stores what belongs to the refresh token of this generation, if it is the current one.';

COMMENT ON FUNCTION "api"."take_passkey_challenge"(bytea, text, bytea) IS 'For the facade alone: uses up a challenge. {isOpen: whether it was valid for this purpose and caller, passkey: {id, userId, publicKey (hex), credentialsVersion}, null if there is none that the caller may use}.';

COMMENT ON FUNCTION "api"."unlink_identity"(uuid) IS 'Removes a linked login of the caller, who has given a fresh proof. If it is their only way to log in, it stays, and the error is identity_needed.';

COMMENT ON FUNCTION "api"."update_bot"(text, jsonb) IS 'Changes a bot of the caller, {username, firstName, lastName, about, profilePicUrl}: absent fields do not change, and null clears about and profilePicUrl. Fails: username_taken, username_reserved, usernames_exhausted.';

COMMENT ON FUNCTION "api"."update_me"(jsonb) IS 'Changes the caller''s profile, {firstName, lastName, username, city, country, phone, hasPublicPage, about, profilePicUrl}: absent fields remain unchanged, null clears phone, about and profilePicUrl. A former username still finds the caller. Fails: username_taken, username_reserved, usernames_exhausted.';

COMMENT ON FUNCTION "private"."add_own_bot"(text, text, text, text, text, text) IS 'Creates a bot of the caller, which uses up an invite, as api.create_bot says. Its password hash matches no password.';

COMMENT ON FUNCTION "private"."answers_for"(text, uuid, uuid, uuid) IS 'Whether a person answers for a thing, because they are p_author or one of its co-authors.';

COMMENT ON FUNCTION "private"."archive_space"(text, text, boolean) IS 'Archives a space or restores it, for its owner, who can''t restore what staff has archived. Repeating it changes nothing.';

COMMENT ON FUNCTION "private"."base32"(bytea) IS 'A secret in base32 (RFC 4648), as apps read it. The number of bits must be a multiple of 5.';

COMMENT ON FUNCTION "private"."begin_push_hour"(app.notifications) IS 'Returns true, and starts a new hour, if nothing with the same subject was pushed within the last hour. So an action that somebody repeats is pushed once an hour, even if its notification was read or withdrawn meanwhile. A cancellation has another subject than a change, so it is pushed immediately.';

COMMENT ON FUNCTION "private"."bots_among"(uuid[]) IS 'Returns those of these accounts that are bots. Lists use it because it is one look-up; private.is_bot would need one for each account.';

COMMENT ON FUNCTION "private"."case_file"(app.cases) IS 'What belongs to a case: {target, media, reports, earlierCases, proposals, history, strikes, decisions}. strikes and decisions are those of the person who answers for the thing, and null if there is none.';

COMMENT ON FUNCTION "private"."case_media"(text, uuid) IS 'The files of a thing with their hashes, of all its versions that rules judge, at most 50: [{url, sha256}].';

COMMENT ON FUNCTION "private"."check_caller"() IS 'Returns true, or raises token_revoked if the token is not valid, or scope_missing or session_required if it has scopes that do not include what the operation of the request needs. PostgREST calls it before each request (db_pre_request); private.enter does the same, and the Realtime policy calls private.check_token.';

COMMENT ON FUNCTION "private"."check_scopes"(text[]) IS 'Passes if a token with these scopes may call the operation of the request.';

COMMENT ON FUNCTION "private"."check_token"() IS 'Returns the scopes of the token. Null if it has none, so that it may do everything that its holder may do. Raises token_revoked if the token''s holder was erased or banned or has another role, or if the token was ended.';

COMMENT ON FUNCTION "private"."count_replies"() IS 'Trigger: counts the replies that everyone can see, without those that are hidden, deleted or by banned people. Also counts the replies of bots apart.';

COMMENT ON FUNCTION "private"."count_strikes"(uuid) IS 'The strikes of a person that have not lapsed. Each case counts the number of its category once, however many actions were taken in it (private.counts_strikes), and so does a suspension, however often its end was moved. They have no effect by themselves; staff sees them. Counts the newest 400 decisions.';

COMMENT ON FUNCTION "private"."count_writes"(text, integer, uuid) IS 'Counts this many writes of the caller in their hour. A bot may write as much in 24 hours as a person in one hour. If that exceeds the limit it raises an error, and nothing is counted, because the transaction is undone. For another person (p_user) it raises no error: it counts all writes, and returns how many of them were within the limit. The row of the person is locked until the transaction ends: ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."earn_reputation"(private.earning[]) IS 'Adds the points of each kind once per cause, until they are undone. It adds nothing without an interest. Nobody earns from themselves, bots do not earn, and nobody earns from bots. Lock first (private.lock_effects).';

COMMENT ON FUNCTION "private"."end_access_token"(uuid) IS 'Ends an access token, and the JWTs for which it was exchanged. Does nothing if it has ended.';

COMMENT ON FUNCTION "private"."end_any_app"(uuid) IS 'Ends anybody''s app. Returns its owner.';

COMMENT ON FUNCTION "private"."end_app"(uuid) IS 'Ends an app, which then gets no new tokens. Ends the first 500 consents immediately, and leaves the others to the worker.';

COMMENT ON FUNCTION "private"."end_consents_of"(uuid) IS 'Ends all consents of a person. At most 50 of them are valid.';

COMMENT ON FUNCTION "private"."end_consents_of_person"(app.users) IS 'Step: a ban or an erasure ends the person''s consents to apps, and the apps that the person registered.';

COMMENT ON FUNCTION "private"."end_consents_with_tokens"() IS 'Trigger: whatever ends all tokens of a person, such as a new password, also ends the consents.';

COMMENT ON FUNCTION "private"."end_factor"(uuid) IS 'Completes the removal of the caller''s app or passkey: ends the fresh proofs of other sessions. With the last factor it also deletes the recovery codes, and fails if the role requires a factor.';

COMMENT ON FUNCTION "private"."end_more_consents"(jsonb, uuid) IS 'For the worker alone: ends the next 500 consents of a deleted app {appId}. Returns {changed, next}.';

COMMENT ON FUNCTION "private"."end_session"(uuid, uuid) IS 'Ends a session of a person: its refresh token and the access tokens that it issued are revoked immediately. Does nothing if it has ended.';

COMMENT ON FUNCTION "private"."end_sessions_of"(app.users, text) IS 'Ends all tokens and sessions of a person whose row private.lock_account locked, and returns how many sessions it ended. Leaves an audit entry.';

COMMENT ON FUNCTION "private"."enter"(text, text, text) IS 'The entry point of the facade: sets the caller''s claims and the request''s headers (both JSON texts or null) for this transaction. For a token with scopes it also sets the path that a request of the operation has in PostgREST. Then it checks the caller. It returns one row or raises an error.';

COMMENT ON FUNCTION "private"."erase_apps"(app.users) IS 'Step: deletes the consents of the erased person, and empties the apps that they registered.';

COMMENT ON FUNCTION "private"."erase_posts"(app.users) IS 'Step: deletes an erased person''s posts and replies, and permanently deletes their words, including those of earlier versions, polls and series: the newest 500 of each immediately. It removes their name from what they wrote with others. Their reactions, bookmarks and votes remain in the counts: nobody sees whose they are, and others keep what they earned from them.';

COMMENT ON FUNCTION "private"."find_banned_with"(uuid, boolean) IS 'The account that a ban bans: the given one, or with p_also_owner the owner of the bot, whose bots are banned with them.';

COMMENT ON FUNCTION "private"."find_child_versions"(text, uuid, timestamp with time zone) IS 'The current version of an argument, a solution, a review or a comment; earlier versions are not stored.';

COMMENT ON FUNCTION "private"."find_content_versions"(text, uuid, timestamp with time zone) IS 'The current version of a content, with its title, its text and the files of a video or an audio; earlier ones are not kept. A draft has none.';

COMMENT ON FUNCTION "private"."find_course_versions"(text, uuid, timestamp with time zone) IS 'The current version of a course and, as further versions, its lessons (at most 200), whose times are not stored. A draft has no version.';

COMMENT ON FUNCTION "private"."find_oidc_login"(uuid, bytea, text) IS 'The login at the provider to which this one-time code and this challenge belong.';

COMMENT ON FUNCTION "private"."find_session_mail"(uuid) IS 'For the worker alone: the mail about a session on a new device, {to, tokenHash (hex), device, network, at}; {ended: true} if the session has ended or the address gets no mail.';

COMMENT ON FUNCTION "private"."find_talent"(uuid[], text, text, uuid) IS 'Returns the next people with reputation in one of these interests, highest first, each with the interest where their reputation is highest. For each interest it considers the people in the highest bands of reputation: about 4000 in total, but at least 20 per interest.';

COMMENT ON FUNCTION "private"."first_recovery_codes"(uuid) IS 'The recovery codes of a person who adds a factor, or null if they have some that were not used: these stay.';

COMMENT ON FUNCTION "private"."has_media"(private.judged, jsonb) IS 'Condition: one of its media, or the poster of one, is a file with one of these hashes. A file without a hash and a file at another host never fit.';

COMMENT ON FUNCTION "private"."has_needed_factor"(uuid) IS 'Whether a person, by default the caller, has a second factor, or a role that needs none. Every check for staff calls it.';

COMMENT ON FUNCTION "private"."hashed_media"(text[]) IS 'Those of these addresses that are the present ones of assets with a known hash, each once.';

COMMENT ON FUNCTION "private"."identify"(uuid, text, text, uuid, bigint, uuid) IS 'Passes for a password or a login at the OpenID provider, with a code if the person has a second factor, or for a passkey. The facade has checked which it is. Returns false if the counter of the passkey went back: then the calling function must return passkey_wrong, and not raise it.';

COMMENT ON FUNCTION "private"."is_hidden_by"(uuid, app.cases) IS 'Whether only this space hid the thing of a case. If staff hides the thing afterwards, the decision of the space is lifted (private.record_decision). If a rule hid the thing too, only staff can show it.';

COMMENT ON FUNCTION "private"."is_own_thing"(text, uuid, uuid) IS 'Whether the caller answers for a thing. Members of staff do not work on cases about their own things.';

COMMENT ON FUNCTION "private"."is_reported_by_trusted"(private.judged, jsonb) IS 'Condition: of its last 50 reports, those by at least `people` trusted people were open when one of them was made. Whether somebody is trusted is judged at the time of their report.';

COMMENT ON FUNCTION "private"."is_trusted_reporter"(uuid, timestamp with time zone, integer) IS 'Whether the person is a trusted reporter: by that time staff had settled at least three of their reports, and had dismissed fewer than half of the last 100 that it settled; or they have this much reputation now.';

COMMENT ON FUNCTION "private"."join_or_ask"(app.spaces, text) IS 'Makes the caller a member of a locked space, or returns the id of their request: the pending one, or a new one.';

COMMENT ON FUNCTION "private"."known_scopes"(text[]) IS 'Returns these scopes without duplicates, in the order of private.scopes. An app may ask for scopes that its owner may not have.';

COMMENT ON FUNCTION "private"."limit_to_scopes"(json, text[]) IS 'Gives the token with these claims its scopes: from now on it may do only what they allow.';

COMMENT ON FUNCTION "private"."lock_held"(text, uuid) IS 'Takes the locks of private.release_held, for callers that lock the case afterwards.';

COMMENT ON FUNCTION "private"."mail_about_factor"(uuid, text) IS 'Queues a mail that tells a person about a change of their factors: factorAdded, factorRemoved, recoveryUsed, recoveryRenewed, passkeyAdded, passkeyRemoved or passkeyEnded.';

COMMENT ON FUNCTION "private"."may_post_journalism"(uuid) IS 'Whether a person''s posts may be journalism: because of their reputation, or because they are an admin, even if their canPostJournalism is false. An admin needs the second factor that the role needs.';

COMMENT ON FUNCTION "private"."media_addresses"(jsonb) IS 'The addresses in the media of a post; null if it has none.';

COMMENT ON FUNCTION "private"."media_assets_rules"(text, text, bigint, integer, text, text, integer, integer, app.blurhash, uuid, text, timestamp with time zone, timestamp with time zone, bytea) IS 'The checks of app.media_assets. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."network_of"(text) IS 'The network of an IP address, as people see it: the /24 of an IPv4 address, or the /48 of an IPv6 address.';

COMMENT ON FUNCTION "private"."note_access_token_used"() IS 'Records that the access token of this request is used now. Returns whether the request has an access token.';

COMMENT ON FUNCTION "private"."note_device"(uuid, text, cidr) IS 'Records a login on a device, and returns whether it was the first one there since the person''s credentials changed. The calling function must have locked the person''s credentials.';

COMMENT ON FUNCTION "private"."open_login"(uuid, integer, uuid, bytea, text, text, text, bytea, text) IS 'Begins a session of a person who has proved who they are, as api.log_in says. Checks the second factor.';

COMMENT ON FUNCTION "private"."others_hid"(text, uuid) IS 'Whether a hidden thing was hidden by a rule, or by a space if the caller does not act for a space. The decision of a space is added to that of the rule; the decision of staff replaces both (private.record_decision).';

COMMENT ON FUNCTION "private"."own_session"() IS 'The session that issued the token of this request; null if no session lists the token, because it is older than the list of sessions.';

COMMENT ON FUNCTION "private"."own_token"() IS 'The token of this request, in the form of app.sessions.live_tokens: [[iat, exp]].';

COMMENT ON FUNCTION "private"."read_hashes"(jsonb) IS 'Up to 100 SHA-256 hashes in hex, in the form in which they are compared: {hashes}.';

COMMENT ON FUNCTION "private"."record_decision"() IS 'Trigger: writes the decision of an audit entry that concerns a person, and adds it to the history of the case that is being worked on (setting kith.case: {caseId, category, rule, spaceId}), or of the open case of the thing. If staff hides or removes a thing, the decisions of rules and spaces about it are lifted. A ban or a suspension lifts the one before it and replaces its end.';

COMMENT ON FUNCTION "private"."refuse_own"(text, uuid, uuid) IS 'Passes if the caller may undo what staff decided about a thing. Nobody who answers for the thing may, admins included.';

COMMENT ON FUNCTION "private"."remove_project_role"(uuid, uuid) IS 'Deletes a role that nobody holds. The first 500 applications for it end immediately, the others soon after.';

COMMENT ON FUNCTION "private"."replace_password"(uuid, text) IS 'Sets a password, and ends everything that depended on the old one: sessions, tokens (except access tokens that do not end with it), device tokens, mailed links and a pending change of address.';

COMMENT ON FUNCTION "private"."require_factor"() IS 'Passes if the caller has the second factor that their role needs. For staff, the facade calls it before it says what is wrong with their input.';

COMMENT ON FUNCTION "private"."require_future"(timestamp with time zone) IS 'Fails if a time is not in the future. Null passes, because it means immediately.';

COMMENT ON FUNCTION "private"."require_oidc_login"(uuid, uuid) IS 'Passes if this login at the provider is of the person and was not used up. It can be used again: until it expires somebody can read several decisions and appeal them.';

COMMENT ON FUNCTION "private"."require_proof"(interval) IS 'Passes if the caller has no second factor, or if this session gave a fresh proof within this time.';

COMMENT ON FUNCTION "private"."require_proof_of_all"() IS 'Like private.require_proof, but also requires a proof of people without a second factor, who give their password.';

COMMENT ON FUNCTION "private"."require_redirects"(text[], boolean) IS 'Returns these redirect URIs, if an app may have them.';

COMMENT ON FUNCTION "private"."require_registration"() IS 'Passes if the caller may register apps: REGISTER_APPS. An admin needs the second factor that the role needs.';

COMMENT ON FUNCTION "private"."require_scopes"(uuid, text[]) IS 'Returns these scopes without duplicates, in the order of private.scopes, if they exist and the person may have them.';

COMMENT ON FUNCTION "private"."require_way_in"(uuid) IS 'Passes if a person has a way to log in: a password, a linked login or a passkey.';

COMMENT ON FUNCTION "private"."set_any_space_archived"(text, text, boolean, text) IS 'Archives a space or restores it, for an admin. Nobody can restore their own space that others on the staff have archived. Repeating it changes nothing and leaves no audit entry.';

COMMENT ON FUNCTION "private"."set_any_space_role"(text, text, text, text) IS 'For admins: gives a member of a space another role. If it is the role of the owner, the previous owner becomes a moderator; a banned person cannot get this role. Anybody can become the founder of an archived guild that has none. Repeating it changes nothing and leaves no audit entry.';

COMMENT ON FUNCTION "private"."set_archived"(app.spaces, boolean, boolean) IS 'Archives a locked space, for its owner or for staff, or restores it; false if nothing changes. Staff takes over what the owner has archived.';

COMMENT ON FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) IS 'Bans a person whose row private.lock_account locked, or ends the ban, and leaves an audit entry. Their bots are banned with them. The end of the ban includes these bots, which have the same time of the ban. With p_until the ban is a suspension and ends by itself at that time. If the person is already banned, p_until replaces the end of the ban.';

COMMENT ON FUNCTION "private"."set_post_hidden"(uuid, boolean, text) IS 'For staff: private.write_post_hidden. Nobody can unhide what they wrote themselves.';

COMMENT ON FUNCTION "private"."set_reply_hidden"(uuid, boolean, text) IS 'For staff: private.write_reply_hidden. Nobody can unhide what they wrote themselves.';

COMMENT ON FUNCTION "private"."settle_report"(uuid, text) IS 'Settles an open report, and closes its case if no other report of it is open. If the last report is dismissed, a thing that only a rule has hidden is shown again. The reporter is notified, but does not learn who settled the report; the reported person is not notified. A report about the caller is unknown to the caller.';

COMMENT ON FUNCTION "private"."spend_invite"(text) IS 'Returns an active invite code of the caller: the given one, or a new one within their allotment.';

COMMENT ON FUNCTION "private"."unlink_own_identity"(uuid) IS 'Removes a linked login of the caller, unless it is their only way to log in.';

COMMENT ON FUNCTION "private"."use_passkey"(uuid, uuid, bigint) IS 'Records that a passkey was used. If its counter did not rise, the passkey and all tokens and sessions of the person end, and the function returns false. The calling function must then return an error and not raise it.';

COMMENT ON FUNCTION "private"."use_totp"(uuid, text) IS 'Uses up a code of the app, even if the app is not confirmed yet. The clock may differ by one step. Returns false if the code is wrong, or if a code of its step or of a later one was used before.';

COMMENT ON FUNCTION "private"."words_of"(uuid) IS 'The names and the address of a person. A new password of the person may not consist of them.';

COMMENT ON INDEX "app"."notifications_updated_at_idx" IS 'private.list_changed reads with it what changed in a person''s inbox, and digests read all changes.';

COMMENT ON INDEX "app"."post_interests_further_idx" IS 'Finds the posts of a page that have more interests than the primary one: private.card_texts.';

COMMENT ON POLICY "update_own" ON "app"."accounts" IS 'People change their own phone number, whether they have a public page, and the time when they were last seen; definer functions write the rest of an account.';

COMMENT ON TABLE "app"."access_tokens" IS 'Tokens with scopes, for programs: personal ones, and those of apps. Only the SHA-256 of a token is stored. A token keeps its row for a day after it has ended.';

COMMENT ON TABLE "app"."app_consents" IS 'Consents: what a person allowed an app to do. There is a row for each time that the app asked. A consent ends when its refresh token was not used for 60 days. It keeps its row for a day after its end, so that a stolen token is still recognized.';

COMMENT ON TABLE "app"."apps" IS 'Registered apps. The id is the client_id of OAuth. A deleted app keeps its row for two days. Within the first, the worker ends its remaining consents; then it deletes them in batches, and the app last.';

COMMENT ON TABLE "app"."sessions" IS 'The sessions that logins began. A rotating session is a family of refresh tokens: generation and token_hash are the current generation and the SHA-256 of its refresh token. A fixed session is one access token without a refresh token. An ended session keeps its row until it expires, so that it stays ended.';

COMMENT ON TABLE "private"."credentials" IS 'Password hashes (argon2id). The other columns have the iat of the person''s last token, and the exp of all tokens that were issued with this iat. With these (sub, iat, exp) stays unique.';

COMMENT ON TABLE "private"."oauth_records" IS 'What the OAuth provider stores for some minutes: requests of apps, codes and access tokens.';

COMMENT ON TABLE "private"."oidc_logins" IS 'Logins from which the provider has sent the browser back, by their id, so that each can come back only once. code_hash is the SHA-256 of the one-time code.';

COMMENT ON TABLE "private"."operation_scopes" IS 'Registry: the scopes of each operation. A token with scopes needs one of them. It may not call an operation without a row.';

COMMENT ON TABLE "private"."operations_of_people" IS 'Registry: the operations that bots may not call. With them people judge, stand for election, own or move mana, and invite.';

COMMENT ON TABLE "private"."passkey_challenges" IS 'SHA-256 of the challenges that wait for the signature of a passkey. Each can be used once, within five minutes. A new one takes a random slot and replaces what was there, so that strangers can''t fill the table.';

COMMENT ON TABLE "private"."proofs" IS 'Fresh proofs: when a session last proved who uses it. The key is the access token (iat, exp) of that request.';

COMMENT ON TABLE "private"."recovery_codes" IS 'SHA-256 of recovery codes. Each can be used once instead of a code of the app. A code has 80 random bits, so a slow hash is not needed.';

COMMENT ON TABLE "private"."revoked_tokens" IS 'The denylist, keyed by a token''s (sub, iat, exp) in unix seconds, because PostgREST and Realtime see only claims. It also contains the tokens with scopes, which may do only some of what their holder may do.';

COMMENT ON TABLE "private"."totp" IS 'The authenticator app of a person (RFC 6238: SHA-1, 6 digits, 30 seconds). It is a second factor from confirmed_at on.';

COMMENT ON TABLE "private"."write_counts" IS 'How much a person has written in their current hour, or a bot in its current 24 hours. The time begins with the first write. The table is unlogged and has no foreign keys, because every write waits for it. So after a crash of the database, all counts start again.';

COMMENT ON TYPE "app"."card_text" IS 'text is a card as JSON without quotedPostId, quotedPost and the closing brace; quoted_id is the post that it quotes.';

COMMENT ON TYPE "private"."hashed_medium" IS 'The address of an asset and the hash of its file in hex.';

COMMENT ON TYPE "private"."judged" IS 'A version of a thing as rules judge it: its texts as they were when it was published or edited, when that was, the words of these texts (private.keyword_words), and the addresses of its media; null or empty without media.';

COMMENT ON VIEW "private"."engagement_fields" IS 'The parts of a post''s card that engagement changes. fields has the fields counters and viewer of a JSON object. For definer functions that check whether the caller sees the post.';

COMMENT ON VIEW "private"."own_profiles" IS 'People as they see themselves. This is the only shape with the internal id. Only private.own_profile and private.login_answer read this view.';

COMMENT ON VIEW "private"."people_with_page" IS 'The people who have a public page: private.listed_people without those who turned it off. For definer functions.';

COMMENT ON VIEW "private"."posts_with_page" IS 'The posts that have a public page: private.listed_posts without reposts, of people who have one. For definer functions.';

COMMENT ON VIEW "private"."staff_apps" IS 'Registered apps as staff sees them, with their owners.';

COMMENT ON VIEW "private"."staff_rule_hits" IS 'Hits of rules as staff sees them. own says whether the caller wrote the thing that was hit.';

COMMENT ON VIEW "private"."staff_sessions" IS 'Sessions that have not ended, as staff sees them: the same fields that the person sees, without tokens.';

REVOKE ALL ON FUNCTION "api"."appeal_by_password"(uuid, text, uuid, text, text, uuid, bigint, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."appeal_by_password"(uuid, text, uuid, text, text, uuid, bigint, uuid) TO "gate";

REVOKE ALL ON FUNCTION "api"."appeal_by_password"(uuid, text, uuid, text, text, uuid, bigint, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."appeal_by_password"(uuid, text, uuid, text, text, uuid, bigint, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."commit_asset"(uuid, text, integer, integer, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."commit_asset"(uuid, text, integer, integer, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."commit_asset"(uuid, text, integer, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."commit_asset"(uuid, text, integer, integer, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."find_standing"(uuid, text, text, uuid, bigint, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."find_standing"(uuid, text, text, uuid, bigint, uuid) TO "gate";

REVOKE ALL ON FUNCTION "api"."find_standing"(uuid, text, text, uuid, bigint, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."find_standing"(uuid, text, text, uuid, bigint, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."find_statement"(uuid, text, uuid, text, uuid, bigint, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."find_statement"(uuid, text, uuid, text, uuid, bigint, uuid) TO "gate";

REVOKE ALL ON FUNCTION "api"."find_statement"(uuid, text, uuid, text, uuid, bigint, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."find_statement"(uuid, text, uuid, text, uuid, bigint, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_all_apps"(text, text, timestamp with time zone, timestamp with time zone, integer, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."list_all_apps"(text, text, timestamp with time zone, timestamp with time zone, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_all_apps"(text, text, timestamp with time zone, timestamp with time zone, integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_all_apps"(text, text, timestamp with time zone, timestamp with time zone, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."list_audit_log"(text, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."list_audit_log"(text, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_audit_log"(text, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_audit_log"(text, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."log_in_with_oidc"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."log_in_with_oidc"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."log_in_with_oidc"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."log_in_with_oidc"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."prove_with_oidc"(uuid, bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."prove_with_oidc"(uuid, bytea, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."prove_with_oidc"(uuid, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."prove_with_oidc"(uuid, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."register_with_oidc"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."register_with_oidc"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."register_with_oidc"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."register_with_oidc"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."remove_app"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."remove_app"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."remove_app"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."remove_app"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."bots_among"(uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."bots_among"(uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."bots_among"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."case_media"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."case_media"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."case_media"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_scopes"(text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."check_scopes"(text[]) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."check_scopes"(text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_scopes"(text[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_scopes"(text[]) TO "service_role";

REVOKE ALL ON FUNCTION "private"."check_token"() FROM "anon";

GRANT EXECUTE ON FUNCTION "private"."check_token"() TO "anon";

REVOKE ALL ON FUNCTION "private"."check_token"() FROM "authenticated";

GRANT EXECUTE ON FUNCTION "private"."check_token"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."check_token"() FROM "gate";

GRANT EXECUTE ON FUNCTION "private"."check_token"() TO "gate";

REVOKE ALL ON FUNCTION "private"."check_token"() FROM "service_role";

GRANT EXECUTE ON FUNCTION "private"."check_token"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."end_any_app"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_any_app"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_any_app"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_any_app"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."first_recovery_codes"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."first_recovery_codes"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."first_recovery_codes"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."has_media"(private.judged, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_media"(private.judged, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."has_media"(private.judged, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."has_needed_factor"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_needed_factor"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."has_needed_factor"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."has_needed_factor"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."hashed_media"(text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hashed_media"(text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."hashed_media"(text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."identify"(uuid, text, text, uuid, bigint, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."identify"(uuid, text, text, uuid, bigint, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."identify"(uuid, text, text, uuid, bigint, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."media_addresses"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."media_addresses"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."media_addresses"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."media_assets_rules"(text, text, bigint, integer, text, text, integer, integer, app.blurhash, uuid, text, timestamp with time zone, timestamp with time zone, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."media_assets_rules"(text, text, bigint, integer, text, text, integer, integer, app.blurhash, uuid, text, timestamp with time zone, timestamp with time zone, bytea) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."media_assets_rules"(text, text, bigint, integer, text, text, integer, integer, app.blurhash, uuid, text, timestamp with time zone, timestamp with time zone, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."media_assets_rules"(text, text, bigint, integer, text, text, integer, integer, app.blurhash, uuid, text, timestamp with time zone, timestamp with time zone, bytea) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."media_assets_rules"(text, text, bigint, integer, text, text, integer, integer, app.blurhash, uuid, text, timestamp with time zone, timestamp with time zone, bytea) TO "service_role";

REVOKE ALL ON FUNCTION "private"."read_hashes"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."read_hashes"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."read_hashes"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_factor"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_factor"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_factor"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_factor"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."require_oidc_login"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_oidc_login"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_oidc_login"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_way_in"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_way_in"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_way_in"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."set_archived"(app.spaces, boolean, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."set_archived"(app.spaces, boolean, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_archived"(app.spaces, boolean, boolean) TO "postgres";

REVOKE ALL ("has_public_page") ON TABLE "app"."accounts" FROM "authenticated";

GRANT UPDATE ("has_public_page") ON TABLE "app"."accounts" TO "authenticated";

ALTER TABLE "app"."media_assets" ADD CONSTRAINT "media_assets_rules" CHECK (private.media_assets_rules(kind, content_type, size, part_size, upload_id, mime_type, width, height, blurhash, poster_id, status, expires_at, committed_at, sha256));

update private.errors set "text" = 'An access token must expire within the next 366 days.'
where "code"::text = 'access_token_expiry'
  and "text"::text = 'An access token must expire in the future, within 366 days.';

update private.errors set "text" = 'Only an access token from POST /me/tokens or of an app can be exchanged.'
where "code"::text = 'access_token_required'
  and "text"::text = 'Only an access token of POST /me/tokens or of an app can be exchanged.';

update private.errors set "text" = 'Bots cannot do this. Only people can.'
where "code"::text = 'bot_refused'
  and "text"::text = 'A bot cannot do this, because only people can.';

update private.errors set "text" = 'This request of an app has ended. Start again in the app.'
where "code"::text = 'consent_over'
  and "text"::text = 'This request of an app is over. Start again in the app.';

update private.errors set "text" = 'Your role requires a second factor, and this is your last one.'
where "code"::text = 'factor_needed'
  and "text"::text = 'Your role requires a second factor, and this is the last one.';

update private.errors set "text" = 'This account has a second factor. Also send the code of the app or a recovery code, or log in with a passkey.'
where "code"::text = 'factor_required'
  and "text"::text = 'This account has a second factor. Send also the code of the app, or a recovery code, or log in with a passkey.';

update private.errors set "text" = 'This return address is not allowed. OIDC_RETURN lists those that are.'
where "code"::text = 'oidc_address'
  and "text"::text = 'This address of a client is not allowed: OIDC_RETURN lists those that are.';

update private.errors set "text" = 'alsoOwner is for bots. This account has no owner.'
where "code"::text = 'owner_unknown'
  and "text"::text = 'alsoOwner is for bots: this account has no owner.';

update private.errors set "text" = 'Prove first that it is you: POST /auth/proof. A proof is valid for 10 minutes.'
where "code"::text = 'proof_required'
  and "text"::text = 'Prove first that it is you: POST /auth/proof. A proof counts for 10 minutes.';

update private.errors set "text" = 'This needs a scope that this access token does not have.'
where "code"::text = 'scope_missing'
  and "text"::text = 'This access token does not have the scope that this needs.';

insert into private.errors ("code", "status", "text")
values ('space_archived_by_staff', '409', 'Staff archived this group or guild, so only staff can restore it.');

update private.scopes set "says" = 'Publish and change videos, audio, courses, debates, events, problems, projects and the wiki, and take part in them.'
where "scope"::text = 'contents:write'
  and "says"::text = 'Publish and change videos, audio, courses, debates, events, problems, projects and the wiki, and take part.';

insert into private.operation_scopes ("operation", "scope")
values ('list_all_apps', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('remove_app', 'staff:write');

insert into private.links ("type", "path")
values ('app', '/apps');

update private.retention set "keep" = '2 days'
where "relation"::text = 'app.apps'
  and "keep"::text = '1 day';

update private.personal_data set "omits" = '{case_id,target_id,decided_by,audit_id,continues}'
where "relation"::text = 'app.decisions' and "person_column"::text = 'person_id'
  and "omits"::text = '{case_id,target_id,decided_by,audit_id}';

update private.personal_data set "omits" = '{part_size,upload_id,sha256}'
where "relation"::text = 'app.media_assets' and "person_column"::text = 'owner_id'
  and "omits"::text = '{part_size,upload_id}';

update private.personal_data set "reason" = 'Requests and codes of apps, stored for some minutes.'
where "relation"::text = 'private.oauth_records' and "person_column"::text = 'consent_id'
  and "reason"::text = 'Requests and codes of apps, kept for some minutes.';

update private.personal_data set "reason" = 'It says only that the person has a factor.'
where "relation"::text = 'private.people_with_factor' and "person_column"::text = 'user_id'
  and "reason"::text = 'Says only that the person has a factor.';

insert into private.rule_conditions ("kind", "position", "shape", "judge", "moment")
values ('media', '350', '{"hashes": "hashes"}', 'private.has_media', 'creation');

-- Written by hand: a changed file of a lesson is judged, too.
drop trigger _190_judge_edited on app.course_lessons;
create constraint trigger _190_judge_edited after update of title, body, asset_id on app.course_lessons
  deferrable initially deferred for each row
  when ((new.title, new.body) is distinct from (old.title, old.body)
        or (new.asset_id is not null and new.asset_id is distinct from old.asset_id)) execute function private.judge_lesson();

-- Written by hand: spaces that staff has archived last.
update app.spaces s set archived_by_staff = true
from (select distinct on (l.target_id) l.target_id, l.action, l.created_at
      from app.audit_log l
      where l.target_type in ('group', 'guild') and split_part(l.action, '.', 2) in ('archived', 'restored')
      order by l.target_id, l.id desc) last
where s.id::text = last.target_id and last.action like '%.archived' and last.created_at >= s.archived_at;
