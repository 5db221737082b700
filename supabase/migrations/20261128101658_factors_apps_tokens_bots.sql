-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP TRIGGER "send_revoked_token" ON "private"."revoked_tokens";

DROP INDEX "app"."notifications_digest_idx";

DROP INDEX "app"."notifications_updated_at_idx";

DROP INDEX "app"."reputation_entries_earned_from_idx";

DROP INDEX "app"."reputation_entries_interest_id_idx";

DROP INDEX "app"."reputation_interest_id_idx";

DROP INDEX "app"."reputation_kinds_interest_id_idx";

DROP VIEW "app"."circle_card";

DROP VIEW "app"."circle_invitation_card";

DROP VIEW "app"."circle_member_card";

DROP VIEW "app"."invite_card";

DROP VIEW "app"."notification_card";

DROP VIEW "app"."payment_card";

DROP VIEW "app"."profile_card";

DROP VIEW "app"."reply_card";

DROP VIEW "app"."reputation_vote_card";

DROP VIEW "app"."series_card";

DROP VIEW "app"."staff_payment_card";

DROP VIEW "app"."video_comment_card";

DROP VIEW "app"."wiki_version_card";

DROP VIEW "private"."content_heads";

DROP VIEW "private"."message_heads";

DROP VIEW "private"."own_profiles";

DROP VIEW "private"."reachable_accounts";

DROP VIEW "private"."staff_ai_sessions";

DROP VIEW "private"."staff_appeals";

DROP VIEW "private"."staff_audit_log";

DROP VIEW "private"."staff_case_reports";

DROP VIEW "private"."staff_cases";

DROP VIEW "private"."staff_circles";

DROP VIEW "private"."staff_decision_appeals";

DROP VIEW "private"."staff_intents";

DROP VIEW "private"."staff_invite_codes";

DROP VIEW "private"."staff_invitees";

DROP VIEW "private"."staff_media";

DROP VIEW "private"."staff_posts";

DROP VIEW "private"."staff_replies";

DROP VIEW "private"."staff_reports";

DROP VIEW "private"."staff_reputation_entries";

DROP VIEW "private"."staff_reputation_votes";

DROP VIEW "private"."staff_rule_hits";

DROP VIEW "private"."staff_series";

DROP VIEW "private"."staff_spaces";

DROP VIEW "private"."staff_stuck_effects";

DROP VIEW "private"."staff_users";

DROP VIEW "private"."staff_wallets";

DROP VIEW "private"."written_heads";

DROP VIEW "app"."person_card";

ALTER TABLE "app"."post_counters" DROP CONSTRAINT "post_counters_rules";

ALTER TABLE "app"."reputation_entries" DROP CONSTRAINT "reputation_entries_interest_id_fkey";

ALTER TABLE "app"."reputation_kinds" DROP CONSTRAINT "reputation_kinds_interest_id_fkey";

ALTER TABLE "app"."users" DROP CONSTRAINT "users_rules";

DROP FUNCTION "api"."ban_person"(text, text, timestamp with time zone);

DROP FUNCTION "private"."close_sessions"(uuid);

DROP FUNCTION "private"."end_tokens"(uuid);

DROP FUNCTION "private"."enter"(text, text);

DROP FUNCTION "private"."post_counters_rules"(integer, integer, integer, integer, bigint, numeric);

DROP FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone);

CREATE TABLE "app"."access_tokens" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "user_id" uuid NOT NULL, "kind" text NOT NULL, "name" text NOT NULL, "token_hash" bytea NOT NULL, "scopes" text[] NOT NULL, "ends_with_password" boolean NOT NULL DEFAULT true, "issued_at" bigint NOT NULL, "expires_at" bigint NOT NULL, "live_tokens" jsonb NOT NULL DEFAULT '[]'::jsonb, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "last_used_at" timestamp with time zone, "ended_at" timestamp with time zone, "client_id" text, CONSTRAINT "access_tokens_pkey" PRIMARY KEY (id), CONSTRAINT "access_tokens_token_hash_key" UNIQUE (token_hash));

ALTER TABLE "app"."access_tokens" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."access_tokens" OWNER TO "postgres";

CREATE TABLE "app"."app_consents" ("id" uuid NOT NULL, "user_id" uuid NOT NULL, "app_id" uuid NOT NULL, "scopes" text[] NOT NULL, "generation" integer NOT NULL DEFAULT 0, "refresh" jsonb, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "last_used_at" timestamp with time zone NOT NULL DEFAULT now(), "expires_at" timestamp with time zone NOT NULL DEFAULT (now() + '60 days'::interval), "ended_at" timestamp with time zone, CONSTRAINT "app_consents_pkey" PRIMARY KEY (id));

ALTER TABLE "app"."app_consents" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."app_consents" OWNER TO "postgres";

CREATE TABLE "app"."apps" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "owner_id" uuid NOT NULL, "name" text NOT NULL, "website" text, "redirect_uris" text[] NOT NULL, "scopes" text[] NOT NULL, "is_confidential" boolean NOT NULL DEFAULT false, "secret_hash" bytea, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "ended_at" timestamp with time zone, CONSTRAINT "apps_pkey" PRIMARY KEY (id));

ALTER TABLE "app"."apps" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."apps" OWNER TO "postgres";

ALTER TABLE "app"."reputation_kinds" SET (fillfactor=80);

ALTER TABLE "app"."reputation" SET (fillfactor=80);

CREATE TABLE "private"."identities" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "user_id" uuid NOT NULL, "issuer" text NOT NULL, "subject" text NOT NULL, "email" text NOT NULL, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "last_used_at" timestamp with time zone NOT NULL DEFAULT now(), CONSTRAINT "identities_email_check" CHECK (((length(email) >= 3) AND (length(email) <= 254))), CONSTRAINT "identities_issuer_check" CHECK (((length(issuer) >= 1) AND (length(issuer) <= 500))), CONSTRAINT "identities_pkey" PRIMARY KEY (id), CONSTRAINT "identities_subject_check" CHECK (((length(subject) >= 1) AND (length(subject) <= 255))), CONSTRAINT "identity_taken" UNIQUE (issuer, subject));

ALTER TABLE "private"."identities" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."identities" OWNER TO "postgres";

CREATE TABLE "private"."oauth_records" ("model" text NOT NULL, "key" bytea NOT NULL, "payload" jsonb NOT NULL, "user_code" bytea, "consent_id" uuid, "expires_at" timestamp with time zone NOT NULL, "consumed_at" timestamp with time zone, CONSTRAINT "oauth_records_key_check" CHECK ((length(key) = 32)), CONSTRAINT "oauth_records_model_check" CHECK ((model = ANY (ARRAY['AccessToken'::text, 'AuthorizationCode'::text, 'DeviceCode'::text, 'Interaction'::text]))), CONSTRAINT "oauth_records_payload_check" CHECK ((pg_column_size(payload) <= 65536)), CONSTRAINT "oauth_records_pkey" PRIMARY KEY (model, key), CONSTRAINT "oauth_records_user_code_check" CHECK ((length(user_code) = 32)));

ALTER TABLE "private"."oauth_records" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."oauth_records" OWNER TO "postgres";

CREATE TABLE "private"."oidc_logins" ("id" uuid NOT NULL, "code_hash" bytea NOT NULL, "challenge" text NOT NULL, "issuer" text NOT NULL, "subject" text NOT NULL, "email" text NOT NULL, "is_fresh" boolean NOT NULL, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "used_at" timestamp with time zone, CONSTRAINT "oidc_logins_challenge_check" CHECK ((length(challenge) = 43)), CONSTRAINT "oidc_logins_code_hash_check" CHECK ((length(code_hash) = 32)), CONSTRAINT "oidc_logins_email_check" CHECK (((length(email) >= 3) AND (length(email) <= 254))), CONSTRAINT "oidc_logins_issuer_check" CHECK (((length(issuer) >= 1) AND (length(issuer) <= 500))), CONSTRAINT "oidc_logins_pkey" PRIMARY KEY (id), CONSTRAINT "oidc_logins_subject_check" CHECK (((length(subject) >= 1) AND (length(subject) <= 255))));

ALTER TABLE "private"."oidc_logins" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."oidc_logins" OWNER TO "postgres";

CREATE TABLE "private"."operation_scopes" ("operation" text NOT NULL, "scope" text, CONSTRAINT "operation_scopes_operation_scope_key" UNIQUE NULLS NOT DISTINCT (operation, scope));

ALTER TABLE "private"."operation_scopes" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."operation_scopes" OWNER TO "postgres";

CREATE TABLE "private"."operations_of_people" ("operation" text NOT NULL, CONSTRAINT "operations_of_people_operation_check" CHECK ((operation ~ '^[a-z_]+$'::text)), CONSTRAINT "operations_of_people_pkey" PRIMARY KEY (operation));

ALTER TABLE "private"."operations_of_people" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."operations_of_people" OWNER TO "postgres";

CREATE TABLE "private"."passkey_challenges" ("slot" integer NOT NULL, "challenge_hash" bytea NOT NULL, "user_id" uuid, "purpose" text NOT NULL, "created_at" timestamp with time zone NOT NULL DEFAULT now(), CONSTRAINT "passkey_challenges_challenge_hash_check" CHECK ((length(challenge_hash) = 32)), CONSTRAINT "passkey_challenges_pkey" PRIMARY KEY (slot), CONSTRAINT "passkey_challenges_purpose_check" CHECK ((purpose = ANY (ARRAY['add'::text, 'login'::text, 'proof'::text]))), CONSTRAINT "passkey_challenges_slot_check" CHECK (((slot >= 0) AND (slot <= 65535))));

ALTER TABLE "private"."passkey_challenges" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."passkey_challenges" OWNER TO "postgres";

CREATE TABLE "private"."passkeys" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "user_id" uuid NOT NULL, "credential_id" bytea NOT NULL, "public_key" bytea NOT NULL, "counter" bigint NOT NULL, "transports" text[] NOT NULL DEFAULT '{}'::text[], "name" text NOT NULL, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "last_used_at" timestamp with time zone, CONSTRAINT "passkeys_counter_check" CHECK ((counter >= 0)), CONSTRAINT "passkeys_credential_id_check" CHECK (((length(credential_id) >= 1) AND (length(credential_id) <= 1023))), CONSTRAINT "passkeys_name_check" CHECK (((length(btrim(name)) > 0) AND (length(name) <= 60))), CONSTRAINT "passkeys_pkey" PRIMARY KEY (id), CONSTRAINT "passkeys_public_key_check" CHECK (((length(public_key) >= 1) AND (length(public_key) <= 4000))), CONSTRAINT "passkeys_transports_check" CHECK ((cardinality(transports) <= 10)));

ALTER TABLE "private"."passkeys" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."passkeys" OWNER TO "postgres";

CREATE TABLE "private"."scopes" ("scope" text NOT NULL, "position" smallint NOT NULL, "says" text NOT NULL, "staff" boolean NOT NULL, CONSTRAINT "scopes_pkey" PRIMARY KEY (scope), CONSTRAINT "scopes_position_key" UNIQUE ("position"), CONSTRAINT "scopes_scope_check" CHECK ((scope ~ '^[a-z]+:(read|write)$'::text)));

ALTER TABLE "private"."scopes" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."scopes" OWNER TO "postgres";

ALTER TABLE "app"."post_counters" ADD COLUMN "bot_replies" integer NOT NULL DEFAULT 0;

ALTER TABLE "app"."users" ADD COLUMN "bot_owner_id" uuid;

ALTER TABLE "private"."judged_types" ADD COLUMN "present" text NOT NULL DEFAULT 'deleted_at is null'::text;

ALTER TABLE "private"."realtime_topics" ADD COLUMN "scopes" text[] NOT NULL DEFAULT '{}'::text[];

ALTER TABLE "private"."revoked_tokens" ADD COLUMN "scopes" text[];

ALTER TABLE "private"."credentials" ALTER COLUMN "password_hash" DROP NOT NULL;

ALTER TABLE "private"."judged_types" ALTER COLUMN "hidden_at" DROP NOT NULL;

ALTER TABLE "private"."judged_types" ALTER COLUMN "lock_kind" DROP NOT NULL;

ALTER TABLE "private"."judged_types" ALTER COLUMN "relation" DROP NOT NULL;

ALTER TABLE "private"."judged_types" ALTER COLUMN "verb" DROP NOT NULL;

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
    perform private.raise_error('passkey_wrong');   -- the same as for any other fault: it may be somebody else's
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

ALTER FUNCTION "api"."add_passkey"(bytea, bytea, bigint, text[], text, integer, uuid, bytea, text, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.answer_device(p_user_code bytea, p_payload jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- a device is answered once
  update private.oauth_records set payload = p_payload, consent_id = (p_payload ->> 'grantId')::uuid
  where user_code = p_user_code and expires_at > clock_timestamp() and consumed_at is null
    and not payload ?| '{accountId,error}';
  if not found then
    perform private.raise_error('consent_over');
  end if;
  return null;
end $function$;

ALTER FUNCTION "api"."answer_device"(bytea, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.ban_person(p_id text, p_reason text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone, p_also_owner boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id     uuid;
  v_whom   uuid;
  v_reason text;
  v_person app.users;
begin
  perform private.require_role('admin');
  v_reason := private.require_reason(p_reason);
  perform private.check_until(p_until);
  v_id := private.require_any_person(p_id);
  v_whom := private.find_banned_with(v_id, p_also_owner);
  if v_whom = app.uid() then
    perform private.raise_error('ban_oneself');
  end if;
  v_person := private.lock_account(v_whom);
  if v_person.banned_at is null or v_person.banned_until is distinct from p_until then
    if v_person.role = 'admin' then
      perform private.raise_error('ban_admin');
    end if;
    perform private.set_banned(v_person, true, v_reason, p_until);
  end if;
  return private.staff_account(v_id);
end $function$;

ALTER FUNCTION "api"."ban_person"(text, text, timestamp with time zone, boolean) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.check_password_reset(p_id uuid, p_token_hash bytea)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_person uuid := private.find_running_reset(p_id, p_token_hash);
begin
  if v_person is null then
    perform private.raise_error('reset_over');
  end if;
  return json_build_object('words', private.words_of(v_person));
end $function$;

CREATE OR REPLACE FUNCTION api.consume_oauth_record(p_model text, p_key bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_consent uuid;
begin
  update private.oauth_records set consumed_at = clock_timestamp()
  where model = p_model and key = p_key and consumed_at is null and expires_at > clock_timestamp();
  if not found then
    select consent_id into v_consent from private.oauth_records where model = p_model and key = p_key;
    perform private.end_consent(v_consent);
    return private.error_response('consent_over');   -- raising an error would undo the end of the consent
  end if;
  return null;
end $function$;

ALTER FUNCTION "api"."consume_oauth_record"(text, bytea) OWNER TO "postgres";

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
    -- the answer was lost, or two requests raced: both get the same next token
    return null;
  else
    perform private.end_consent(p_id);
    return private.error_response('consent_over');   -- raising an error would undo the end of the consent
  end if;
  return null;
end $function$;

ALTER FUNCTION "api"."consume_refresh"(uuid, integer) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.create_access_token(p_name text, p_scopes text[], p_token_hash bytea, p_nonce text, p_expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, p_ends_with_password boolean DEFAULT true)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller  uuid := private.require_caller();
  v_request json := json_build_object('name', p_name, 'scopes', p_scopes, 'expiresAt', p_expires_at,
                                      'endsWithPassword', p_ends_with_password);
  v_kept    json := private.begin_idempotent('create_access_token', v_request);
  v_seconds numeric := coalesce(extract(epoch from p_expires_at - clock_timestamp()), 365 * 86400);
  v_answer  json;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('tokens');
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- checks again: the caller's role may have changed while this waited
  perform private.require_proof();
  if v_seconds not between 1 and 366 * 86400 then
    perform private.raise_error('access_token_expiry');
  end if;
  perform private.issue_access_token(v_caller, 'personal', btrim(p_name), p_token_hash, p_scopes,
                                     ceil(v_seconds)::integer, p_ends_with_password => p_ends_with_password);
  select (private.access_token_card(t)::jsonb
          || jsonb_build_object('nonce', p_nonce, 'tokenHash', encode(p_token_hash, 'hex')))::json
  into v_answer
  from app.access_tokens t where t.token_hash = p_token_hash;
  return private.finish_idempotent('create_access_token', v_answer);
end $function$;

ALTER FUNCTION "api"."create_access_token"(text, text[], bytea, text, timestamp with time zone, boolean) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.create_app(p_name text, p_redirect_uris text[], p_scopes text[], p_is_confidential boolean DEFAULT false, p_website text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_request json := json_build_object('name', p_name, 'redirectUris', p_redirect_uris, 'scopes', p_scopes,
                                      'isConfidential', p_is_confidential, 'website', p_website);
  v_kept    json := private.begin_idempotent('create_app', v_request);
begin
  if v_kept is not null then
    return v_kept;
  end if;
  return private.finish_idempotent(
    'create_app', private.create_own_app(p_name, p_redirect_uris, p_scopes, p_is_confidential, p_website));
end $function$;

ALTER FUNCTION "api"."create_app"(text, text[], text[], boolean, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.create_bot(p_username text, p_first_name text, p_last_name text DEFAULT 'Bot'::text, p_about text DEFAULT NULL::text, p_profile_pic_url text DEFAULT NULL::text, p_invite_code text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept json := private.begin_idempotent('create_bot', json_build_array(
    p_username, p_first_name, p_last_name, p_about, p_profile_pic_url, p_invite_code));
  v_bot  uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_bot := private.add_own_bot(p_username, p_first_name, p_last_name, p_about, p_profile_pic_url, p_invite_code);
  return private.finish_idempotent('create_bot', private.own_bot_card(v_bot));
end $function$;

ALTER FUNCTION "api"."create_bot"(text, text, text, text, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.create_bot_token(p_id text, p_name text, p_scopes text[], p_token_hash bytea, p_nonce text, p_expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller  uuid := private.require_caller();
  v_kept    json := private.begin_idempotent('create_bot_token', json_build_array(
    p_id, p_name, p_scopes, p_expires_at));
  v_seconds numeric := coalesce(extract(epoch from p_expires_at - clock_timestamp()), 365 * 86400);
  v_bot     uuid;
  v_answer  json;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('tokens');
  v_bot := private.require_own_bot(p_id);
  perform private.require_proof();
  if v_seconds not between 1 and 366 * 86400 then
    perform private.raise_error('access_token_expiry');
  end if;
  perform private.check_lock_order('credentials', v_caller::text, v_bot::text);
  perform from private.credentials where user_id in (v_caller, v_bot) order by user_id for update;
  perform private.check_caller();   -- checks again: the caller may have been banned while this waited
  perform private.issue_access_token(v_bot, 'personal', btrim(p_name), p_token_hash, p_scopes,
                                     ceil(v_seconds)::integer, p_ends_with_password => false);
  select (private.access_token_card(t)::jsonb
          || jsonb_build_object('nonce', p_nonce, 'tokenHash', encode(p_token_hash, 'hex')))::json
  into v_answer
  from app.access_tokens t where t.token_hash = p_token_hash;
  return private.finish_idempotent('create_bot_token', v_answer);
end $function$;

ALTER FUNCTION "api"."create_bot_token"(text, text, text[], bytea, text, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.delete_app(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.delete_own_app(p_id);
  return null;   -- the response is 204
end $function$;

ALTER FUNCTION "api"."delete_app"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.delete_bot(p_id text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.erase_own_bot(private.require_own_bot(p_id));
  return null;   -- the response is 204
end $function$;

ALTER FUNCTION "api"."delete_bot"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.delete_oauth_record(p_model text, p_key bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if p_model = 'AccessToken' then
    perform private.end_access_token(id) from app.access_tokens where token_hash = p_key;
  end if;
  delete from private.oauth_records where model = p_model and key = p_key;
  return null;
end $function$;

ALTER FUNCTION "api"."delete_oauth_record"(text, bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.end_access_token(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if not exists (select from app.access_tokens
                 where id = p_id and user_id = private.require_caller() and kind = 'personal') then
    perform private.raise_error('access_token_unknown');
  end if;
  perform private.end_own_access_token(p_id);
  return null;   -- the response is 204
end $function$;

ALTER FUNCTION "api"."end_access_token"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.end_bot_token(p_id text, p_token_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.end_bot_access_token(private.require_own_bot(p_id), p_token_id);
  return null;   -- the response is 204
end $function$;

ALTER FUNCTION "api"."end_bot_token"(text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.end_consent(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.end_consent(p_id);
  return null;
end $function$;

ALTER FUNCTION "api"."end_consent"(uuid) OWNER TO "postgres";

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
  return v_claims;
end $function$;

ALTER FUNCTION "api"."exchange_access_token"(integer) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.find_access_token(p_token_hash bytea)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select json_build_object('sub', u.id, 'email', a.email, 'role', u.role,
                                   'iat', t.issued_at, 'exp', t.expires_at)
          from app.access_tokens t
          join app.users u on u.id = t.user_id
          join app.accounts a on a.user_id = t.user_id
          where t.token_hash = p_token_hash and t.ended_at is null);
end $function$;

ALTER FUNCTION "api"."find_access_token"(bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.find_app(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select (private.app_card(a)::jsonb || jsonb_build_object('secretHash', encode(a.secret_hash, 'hex')))::json
          from app.apps a join app.users u on u.id = a.owner_id
          where a.id = p_id and a.ended_at is null and u.banned_at is null and u.erased_at is null);
end $function$;

ALTER FUNCTION "api"."find_app"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.find_consent(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select json_build_object('userId', c.user_id, 'appId', c.app_id, 'scopes', c.scopes,
                                   'generation', c.generation, 'refresh', c.refresh,
                                   'wasJustUsed', c.last_used_at > clock_timestamp() - interval '10 seconds',
                                   'iat', floor(extract(epoch from c.created_at)),
                                   'exp', floor(extract(epoch from c.expires_at)))
          from app.app_consents c where c.id = p_id and c.ended_at is null and c.expires_at > clock_timestamp());
end $function$;

ALTER FUNCTION "api"."find_consent"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.find_identity(p_id uuid, p_code_hash bytea, p_challenge text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_person uuid := (private.find_identity(private.find_oidc_login(p_id, p_code_hash, p_challenge))).user_id;
begin
  if v_person is null then
    perform private.raise_error('identity_unlinked');
  end if;
  return (select json_build_object('userId', u.id, 'credentialsVersion', u.credentials_version, 'email', a.email)
          from app.users u join app.accounts a on a.user_id = u.id where u.id = v_person);
end $function$;

ALTER FUNCTION "api"."find_identity"(uuid, bytea, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.find_oauth_record(p_model text, p_key bytea DEFAULT NULL::bytea, p_user_code bytea DEFAULT NULL::bytea)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select (r.payload || jsonb_strip_nulls(jsonb_build_object(
                    'consumed', floor(extract(epoch from r.consumed_at)))))::json
          from private.oauth_records r
          where r.model = p_model and r.expires_at > clock_timestamp()
            and (r.key = p_key or r.user_code = p_user_code));
end $function$;

ALTER FUNCTION "api"."find_oauth_record"(text, bytea, bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.find_password()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select json_build_object('userId', c.user_id, 'passwordHash', c.password_hash,
                                   'credentialsVersion', u.credentials_version, 'words', private.words_of(u.id))
          from private.credentials c join app.users u on u.id = c.user_id
          where c.user_id = private.require_caller());
end $function$;

CREATE OR REPLACE FUNCTION api.finish_oidc(p_id uuid, p_code_hash bytea, p_challenge text, p_issuer text, p_subject text, p_email text, p_is_fresh boolean)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.oidc_logins (id, code_hash, challenge, issuer, subject, email, is_fresh)
  values (p_id, p_code_hash, p_challenge, p_issuer, p_subject, p_email, p_is_fresh)
  on conflict (id) do nothing;
  if not found then
    perform private.raise_error('oidc_over');
  end if;
  return json_build_object('ok', true);
end $function$;

ALTER FUNCTION "api"."finish_oidc"(uuid, bytea, text, text, text, text, boolean) OWNER TO "postgres";

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

ALTER FUNCTION "api"."give_consent"(uuid, uuid, uuid, text[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.issue_app_token(p_consent uuid, p_token_hash bytea, p_scopes text[], p_payload jsonb, p_seconds integer)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_consent app.app_consents;
  v_name    text;
begin
  select c.* into v_consent from app.app_consents c where c.id = p_consent and c.ended_at is null;
  if not found or not (p_scopes <@ v_consent.scopes) then
    perform private.raise_error('consent_over');
  end if;
  select name into v_name from app.apps where id = v_consent.app_id;
  perform private.issue_access_token(v_consent.user_id, 'app', v_name, p_token_hash, p_scopes, p_seconds,
                                     v_consent.app_id::text);
  -- locked after the person: what ends consents locks in this order too
  update app.app_consents set last_used_at = clock_timestamp() where id = p_consent and ended_at is null;
  if not found then
    perform private.raise_error('consent_over');
  end if;
  insert into private.oauth_records (model, key, payload, consent_id, expires_at)
  values ('AccessToken', p_token_hash, p_payload, p_consent, clock_timestamp() + p_seconds * interval '1 second');
  perform private.end_access_token(t.id)
  from (select key from private.oauth_records
        where consent_id = p_consent and model = 'AccessToken' and expires_at > clock_timestamp()
        order by expires_at desc, key offset 10) old
  join app.access_tokens t on t.token_hash = old.key;
  return null;
end $function$;

ALTER FUNCTION "api"."issue_app_token"(uuid, bytea, text[], jsonb, integer) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.link_identity(p_id uuid, p_code_hash bytea, p_challenge text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_login  private.oidc_logins := private.use_oidc_login(p_id, p_code_hash, p_challenge);
  v_caller uuid := private.lock_own_credentials();
begin
  perform private.require_proof_of_all();
  if (select count(*) >= 5 from private.identities where user_id = v_caller) then
    perform private.raise_error('identities_exhausted');
  end if;
  perform private.add_identity(v_caller, v_login);
  perform private.mail_about_factor(v_caller, 'identityLinked');
  return private.list_own_identities();
end $function$;

ALTER FUNCTION "api"."link_identity"(uuid, bytea, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_access_tokens()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_own_access_tokens();
end $function$;

ALTER FUNCTION "api"."list_access_tokens"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_apps()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_own_apps();
end $function$;

ALTER FUNCTION "api"."list_apps"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_bot_tokens(p_id text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_bot_access_tokens(private.require_own_bot(p_id));
end $function$;

ALTER FUNCTION "api"."list_bot_tokens"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_bots()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object('items', coalesce(
    (select json_agg(private.own_bot_card(b.id) order by b.place)
     from unnest(private.find_own_bots()) with ordinality as b (id, place)), '[]'));
end $function$;

ALTER FUNCTION "api"."list_bots"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_identities()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_own_identities();
end $function$;

ALTER FUNCTION "api"."list_identities"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_my_apps()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_own_consents();
end $function$;

ALTER FUNCTION "api"."list_my_apps"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_scopes()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.page(
    (select json_agg(json_build_object('scope', scope, 'description', says, 'isForStaff', staff) order by position)
     from private.scopes),
    '{}', 50);
end $function$;

ALTER FUNCTION "api"."list_scopes"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.log_in(p_user_id uuid, p_password_hash text, p_seconds integer, p_new_hash text DEFAULT NULL::text, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text, p_alert_hash bytea DEFAULT NULL::bytea, p_code text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform from private.credentials
  where user_id = p_user_id and password_hash = p_password_hash
  for update;
  if not found then
    perform private.raise_error('credentials_wrong');   -- the password changed while it was being checked
  end if;
  if p_new_hash is not null then
    update private.credentials set password_hash = p_new_hash where user_id = p_user_id;
  end if;
  return private.open_login(p_user_id, p_seconds, p_family, p_refresh_hash, p_user_agent, p_device, p_address,
                            p_alert_hash, p_code);
end $function$;

CREATE OR REPLACE FUNCTION api.log_in_elsewhere(p_id uuid, p_code_hash bytea, p_challenge text, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text, p_alert_hash bytea DEFAULT NULL::bytea, p_code text DEFAULT NULL::text)
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
    perform private.raise_error('identity_unlinked');   -- also if it was unlinked while this waited
  end if;
  return v_answer;
end $function$;

ALTER FUNCTION "api"."log_in_elsewhere"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.log_in_with_passkey(p_passkey uuid, p_user_id uuid, p_counter bigint, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text, p_alert_hash bytea DEFAULT NULL::bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_claims json;
begin
  perform private.check_lock_order('credentials', p_user_id::text);
  perform from private.credentials where user_id = p_user_id for update;
  perform private.check_not_banned(p_user_id);
  if not private.use_passkey(p_passkey, p_user_id, p_counter) then
    return private.error_response('passkey_wrong');   -- raising an error would undo the end of the passkey
  end if;
  v_claims := private.issue_claims(p_user_id, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address, p_alert_hash);
  perform private.note_proof(v_claims::jsonb, p_family);
  return private.login_answer(p_user_id, v_claims);
end $function$;

ALTER FUNCTION "api"."log_in_with_passkey"(uuid, uuid, bigint, integer, uuid, bytea, text, text, text, bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.note_presence()
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if private.note_access_token_used() then
    return null;   -- a program is active, not the person
  end if;
  update app.accounts set last_seen_at = now()
  where user_id = private.require_caller() and coalesce(last_seen_at, '-infinity') < now() - interval '5 minutes';
  perform private.note_session_seen();
  return null;   -- the response is 204
end $function$;

CREATE OR REPLACE FUNCTION api.pay(p_emotion text, p_tier integer, p_post_id uuid DEFAULT NULL::uuid, p_reply_id uuid DEFAULT NULL::uuid, p_receiver_id text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept     json := private.begin_idempotent('pay', json_build_array(
    p_emotion, p_tier, p_post_id, p_reply_id, p_receiver_id));
  v_needed   integer := (private.payment_tier(p_tier)).reputation;
  v_emotion  app.emotion := p_emotion;
  v_post     app.posts;
  v_reply    app.replies;
  v_receiver uuid;
  v_payment  uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.require_flag('emoji-pay');
  if num_nonnulls(p_post_id, p_reply_id, p_receiver_id) <> 1 then
    perform private.raise_error('payment_target');
  elsif v_needed is null then
    perform private.raise_error('tier_unknown');
  end if;
  perform private.require_proof_of_payment(p_tier);

  if p_post_id is not null then
    v_post := private.require_original(p_post_id);
    v_receiver := v_post.author_id;
  elsif p_reply_id is not null then
    v_reply := private.require_reply(p_reply_id);
    v_receiver := v_reply.author_id;
  else
    v_receiver := private.require_person(p_receiver_id);
  end if;
  if v_receiver = private.require_caller() then
    perform private.raise_error('pay_oneself');
  elsif private.is_bot(v_receiver) then
    perform private.raise_error('pay_bot');
  end if;
  perform private.lock_open_post_space(coalesce(v_post.id, v_reply.post_id));
  perform private.require_reputation(v_post.interest_id, v_needed);   -- only a post has an interest

  v_payment := private.pay(v_receiver, v_emotion, p_tier, v_post.id, p_reply_id);
  return private.finish_idempotent('pay', json_build_object(
    'payment', private.payment_cards(array[v_payment]) -> 0,
    'senderBalance', (select balance from app.wallets where user_id = app.uid())));
end $function$;

CREATE OR REPLACE FUNCTION api.prove_elsewhere(p_id uuid, p_code_hash bytea, p_challenge text)
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

ALTER FUNCTION "api"."prove_elsewhere"(uuid, bytea, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.prove_with_passkey(p_passkey uuid, p_counter bigint)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- checks again: the token may have ended while this waited
  if not private.use_passkey(p_passkey, v_caller, p_counter) then
    return private.error_response('passkey_wrong');   -- raising an error would undo the end of the passkey
  end if;
  perform private.note_proof(current_setting('request.jwt.claims')::jsonb, private.own_session());
  return json_build_object('provedUntil', private.utc(now() + interval '10 minutes'));
end $function$;

ALTER FUNCTION "api"."prove_with_passkey"(uuid, bigint) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.register(p_session_id uuid, p_email text, p_password_hash text, p_first_name text, p_last_name text, p_date_of_birth date, p_country text, p_city text, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_verification_id uuid DEFAULT NULL::uuid, p_verification_hash bytea DEFAULT NULL::bytea, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_person uuid := private.redeem_invite(p_session_id, p_email, p_password_hash, p_first_name, p_last_name,
                                         p_date_of_birth, p_country, p_city);
  v_claims json;
begin
  if p_verification_id is not null then
    perform private.mail_verification(v_person, btrim(p_email), null, p_verification_id, p_verification_hash);
  end if;
  v_claims := private.issue_claims(v_person, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address);
  return private.login_answer(v_person, v_claims);
end $function$;

CREATE OR REPLACE FUNCTION api.register_elsewhere(p_id uuid, p_code_hash bytea, p_challenge text, p_session_id uuid, p_first_name text, p_last_name text, p_date_of_birth date, p_country text, p_city text, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text)
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

ALTER FUNCTION "api"."register_elsewhere"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.remove_passkey(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.remove_own_passkey(p_id);
  return null;   -- the response is 204
end $function$;

ALTER FUNCTION "api"."remove_passkey"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.rename_passkey(p_id uuid, p_name text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.rename_own_passkey(p_id, p_name);
end $function$;

ALTER FUNCTION "api"."rename_passkey"(uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.renew_app_secret(p_id uuid, p_secret_hash bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_app app.apps;
begin
  perform private.count_writes('apps');
  v_app := private.lock_own_app(p_id);
  if not v_app.is_confidential then
    perform private.raise_error('app_public');
  end if;
  update app.apps set secret_hash = p_secret_hash where id = p_id returning * into v_app;
  return private.app_card(v_app);
end $function$;

ALTER FUNCTION "api"."renew_app_secret"(uuid, bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.revoke_my_app(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if not private.end_own_consents(p_id) then
    perform private.raise_error('app_unknown');
  end if;
  return null;   -- the response is 204
end $function$;

ALTER FUNCTION "api"."revoke_my_app"(uuid) OWNER TO "postgres";

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
  perform private.require_proof();
  if p_role is null or p_role not in ('user', 'moderator', 'admin') then
    perform private.raise_error('role_unknown');
  end if;
  v_id := private.require_any_person(p_id);
  -- one change of roles at a time: if two admins demote each other concurrently, the second is no longer an admin
  perform private.lock_roles();
  perform private.check_caller();
  v_person := private.lock_account(v_id);
  if v_person.role <> p_role then
    if v_person.bot_owner_id is not null then
      perform private.raise_error('bot_role');
    end if;
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

CREATE OR REPLACE FUNCTION api.start_passkey(p_challenge_hash bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.require_proof_of_all();
  if (select count(*) >= 10 from private.passkeys where user_id = v_caller) then
    perform private.raise_error('passkeys_full');
  end if;
  perform private.note_challenge(p_challenge_hash, v_caller, 'add');
  return (select json_build_object('handle', encode(sha256(convert_to('passkey ' || id, 'UTF8')), 'hex'),
                                   'username', username, 'known', private.known_credentials(id))
          from app.users where id = v_caller);
end $function$;

ALTER FUNCTION "api"."start_passkey"(bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.start_passkey_login(p_challenge_hash bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.note_challenge(p_challenge_hash, null, 'login');
  return json_build_object('ok', true);
end $function$;

ALTER FUNCTION "api"."start_passkey_login"(bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.start_passkey_proof(p_challenge_hash bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.note_challenge(p_challenge_hash, v_caller, 'proof');
  return json_build_object('known', private.known_credentials(v_caller));
end $function$;

ALTER FUNCTION "api"."start_passkey_proof"(bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.store_oauth_record(p_model text, p_key bytea, p_payload jsonb, p_seconds integer, p_user_code bytea DEFAULT NULL::bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into private.oauth_records as r (model, key, payload, user_code, consent_id, expires_at)
  values (p_model, p_key, p_payload, p_user_code, (p_payload ->> 'grantId')::uuid,
          clock_timestamp() + p_seconds * interval '1 second')
  on conflict (model, key) do update
    set payload = excluded.payload, consent_id = excluded.consent_id, expires_at = excluded.expires_at;
  return null;
end $function$;

ALTER FUNCTION "api"."store_oauth_record"(text, bytea, jsonb, integer, bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.store_refresh(p_id uuid, p_generation integer, p_payload jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update app.app_consents set refresh = p_payload
  where id = p_id and ended_at is null and generation = p_generation;
  if not found then
    perform private.raise_error('consent_over');
  end if;
  return null;
end $function$;

ALTER FUNCTION "api"."store_refresh"(uuid, integer, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.take_passkey_challenge(p_challenge_hash bytea, p_purpose text, p_credential_id bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- the transaction ends before the signature is checked, so a challenge counts once also if the signature is wrong
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

ALTER FUNCTION "api"."take_passkey_challenge"(bytea, text, bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.unban_person(p_id text, p_reason text DEFAULT NULL::text)
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
  if v_person.banned_at is not null then
    if private.is_owner_banned(v_person) then
      perform private.raise_error('owner_banned');
    end if;
    perform private.set_banned(v_person, false, v_reason);
  end if;
  return private.staff_account(v_person.id);
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
  perform private.refuse_own('user', v_person.id, v_person.id);
  if v_person.limited_at is not null then
    perform private.set_limited(v_person, false, v_reason);
  end if;
  return private.staff_account(v_person.id);
end $function$;

CREATE OR REPLACE FUNCTION api.unlink_identity(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.unlink_own_identity(p_id);
  return null;   -- the response is 204
end $function$;

ALTER FUNCTION "api"."unlink_identity"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.update_app(p_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.change_own_app(p_id, p_changes);
end $function$;

ALTER FUNCTION "api"."update_app"(uuid, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.update_bot(p_id text, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_bot uuid := private.require_own_bot(p_id);
begin
  perform private.update_own_bot(v_bot, p_changes);
  return private.own_bot_card(v_bot);
end $function$;

ALTER FUNCTION "api"."update_bot"(text, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.vote_reputation(p_user_id text, p_interest_id uuid, p_value integer, p_comment text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_comment text := nullif(private.require_text(p_comment), '');
  v_user    uuid;
  v_cast    record;
begin
  if p_value is null or p_value not in (-1, 0, 1) then
    perform private.raise_error('vote_value');
  elsif length(v_comment) > 280 then
    perform private.raise_error('vote_comment');
  end if;
  v_user := private.require_person(p_user_id);
  if v_user = private.require_caller() then
    perform private.raise_error('vote_oneself');
  elsif private.is_bot(v_user) then
    perform private.raise_error('vote_bot');
  end if;
  perform private.require_interest(p_interest_id);
  if not exists (select from app.user_interests u where u.user_id = app.uid() and u.interest_id = p_interest_id) then
    perform private.raise_error('interest_not_held');
  end if;

  perform private.count_writes('votes');
  v_cast := private.cast_vote(v_user, p_interest_id, p_value, case when p_value <> 0 then v_comment end);
  return json_build_object(
    'userId', (select actor_id from app.person_card where id = v_user),
    'interestId', (v_cast.vote).interest_id,
    'value', (v_cast.vote).value,
    'comment', (v_cast.vote).comment,
    'weight', v_cast.weight,
    'impact', (v_cast.vote).impact,
    'createdAt', private.utc((v_cast.vote).created_at),
    'updatedAt', private.utc((v_cast.vote).updated_at));
end $function$;

CREATE OR REPLACE FUNCTION private.access_token_card(p_token app.access_tokens)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object(
    'id', p_token.id, 'name', p_token.name, 'scopes', p_token.scopes,
    'endsWithPassword', p_token.ends_with_password,
    'createdAt', private.utc(p_token.created_at), 'lastUsedAt', private.utc(p_token.last_used_at),
    'expiresAt', private.utc(to_timestamp(p_token.expires_at)));
end $function$;

ALTER FUNCTION "private"."access_token_card"(app.access_tokens) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.access_tokens_rules(kind text, name text, token_hash bytea, client_id text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if ((name = btrim(name)) AND ((length(name) >= 1) AND (length(name) <= 60))) is false then perform private.raise_check_violation('access_token_name'); end if;
  if ((kind = 'app'::text) = (client_id IS NOT NULL)) is false then perform private.raise_check_violation('access_tokens_check'); end if;
  if (kind = ANY (ARRAY['personal'::text, 'app'::text])) is false then perform private.raise_check_violation('access_tokens_kind_check'); end if;
  if (length(token_hash) = 32) is false then perform private.raise_check_violation('access_tokens_token_hash_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."access_tokens_rules"(text, text, bytea, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.add_identity(p_user uuid, p_login private.oidc_logins)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.identities (user_id, issuer, subject, email)
  values (p_user, p_login.issuer, p_login.subject, p_login.email);
end $function$;

ALTER FUNCTION "private"."add_identity"(uuid, private.oidc_logins) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.add_own_bot(p_username text, p_first_name text, p_last_name text, p_about text, p_profile_pic_url text, p_invite_code text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_id     uuid := gen_random_uuid();
  v_code   uuid;
begin
  if num_nulls(p_username, p_first_name, p_last_name) > 0 then
    perform private.raise_error('value_invalid');
  end if;
  if p_invite_code is not null then
    v_code := private.spend_invite(p_invite_code);   -- locked before the person: ARCHITECTURE.md, Locks
  end if;
  perform private.share_lock_person(v_caller);
  -- so that concurrent calls don't exceed the limit
  perform private.lock('bots', v_caller::text);
  if cardinality(private.find_own_bots()) >= 5 then
    perform private.raise_error('bots_exhausted');
  elsif not private.is_free(lower(btrim(p_username))) then
    perform private.raise_error('username_taken');
  end if;
  v_code := coalesce(v_code, private.spend_invite(null));

  insert into app.users (id, username, first_name, last_name, about, profile_pic_url, bot_owner_id)
  values (v_id, lower(btrim(p_username)), private.require_name(p_first_name), private.require_name(p_last_name),
          nullif(private.require_text(p_about), ''), private.use_picture(p_profile_pic_url), v_caller);
  -- .invalid is reserved (RFC 2606): nothing can be sent there
  insert into app.accounts (user_id, email) values (v_id, 'bot-' || v_id || '@bots.invalid');
  insert into private.credentials (user_id, password_hash) values (v_id, '!bot');
  insert into app.personas (user_id, name, is_default) values (v_id, 'Main', true);
  update app.invite_codes set status = 'used', used_by = v_id, used_at = now() where id = v_code;
  insert into app.invite_tree (invitee_id, inviter_id, code_id) values (v_id, v_caller, v_code);
  return v_id;
end $function$;

ALTER FUNCTION "private"."add_own_bot"(text, text, text, text, text, text) OWNER TO "postgres";

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

CREATE OR REPLACE FUNCTION private.app_card(p_app app.apps)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object(
    'id', p_app.id, 'name', p_app.name, 'website', p_app.website, 'redirectUris', p_app.redirect_uris,
    'scopes', p_app.scopes, 'isConfidential', p_app.is_confidential, 'hasSecret', p_app.secret_hash is not null,
    'createdAt', private.utc(p_app.created_at));
end $function$;

ALTER FUNCTION "private"."app_card"(app.apps) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.app_consents_rules(generation integer)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if (generation >= 0) is false then perform private.raise_check_violation('app_consents_generation_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."app_consents_rules"(integer) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.apps_rules(name text, website text, secret_hash bytea)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if ((name = btrim(name)) AND ((length(name) >= 1) AND (length(name) <= 60))) is false then perform private.raise_check_violation('app_name'); end if;
  if ((length(website) <= 300) AND (website ~ '^https://[^\s/?#@]+([/?#]\S*)?$'::text)) is false then perform private.raise_check_violation('app_website'); end if;
  if (length(secret_hash) = 32) is false then perform private.raise_check_violation('apps_secret_hash_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."apps_rules"(text, text, bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.change_own_app(p_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_app app.apps := private.lock_own_app(p_id);
begin
  update app.apps a set
    name = case when p_changes ? 'name' then btrim(p_changes ->> 'name') else a.name end,
    website = case when p_changes ? 'website' then p_changes ->> 'website' else a.website end,
    redirect_uris = case when p_changes ? 'redirectUris'
                         then private.require_redirects(
                           array(select jsonb_array_elements_text(p_changes -> 'redirectUris')), a.is_confidential)
                         else a.redirect_uris end,
    scopes = case when p_changes ? 'scopes'
                  then private.known_scopes(array(select jsonb_array_elements_text(p_changes -> 'scopes')))
                  else a.scopes end
  where a.id = p_id
  returning * into v_app;
  return private.app_card(v_app);
end $function$;

ALTER FUNCTION "private"."change_own_app"(uuid, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.check_caller()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_scopes text[] := private.check_token();
begin
  if v_scopes is not null then
    perform private.require_scope(v_scopes, substring(current_setting('request.path', true) from '^/rpc/(.+)$'));
    perform private.refuse_bots(substring(current_setting('request.path', true) from '^/rpc/(.+)$'));
  end if;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.check_token()
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_claims     jsonb := nullif(current_setting('request.jwt.claims', true), '')::jsonb;
  v_is_current boolean;
  v_is_denied  boolean;
  v_scopes     text[];
begin
  if v_claims ->> 'sub' is null then
    -- checks the role setting, because current_user is the owner inside a definer function
    if current_setting('role') in ('authenticated', 'user', 'moderator', 'admin') then
      perform private.raise_error('token_missing');
    end if;
    return null;
  end if;

  select u.tokens_valid_from <= (v_claims ->> 'iat')::bigint, r.user_id is not null, r.scopes
  into v_is_current, v_is_denied, v_scopes
  from app.users u
  left join private.revoked_tokens r on r.user_id = u.id
                                    and r.issued_at = (v_claims ->> 'iat')::bigint
                                    and r.expires_at = (v_claims ->> 'exp')::bigint
  where u.id = (v_claims ->> 'sub')::uuid
    and u.banned_at is null
    and u.erased_at is null
    and u.role = v_claims ->> 'role'
    and v_claims ->> 'exp' is not null;   -- without exp, the denylist could not identify the token
  -- what ends the tokens of a person ends those with scopes one by one, because some survive a new password
  if not found or (v_scopes is null and (v_is_denied or v_is_current is not true)) then
    perform private.raise_error('token_revoked');
  end if;
  return v_scopes;
end $function$;

ALTER FUNCTION "private"."check_token"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.close_sessions(p_user uuid, p_by_password boolean DEFAULT false)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- credentials, then the user, then sessions: ARCHITECTURE.md, Locks
  perform private.check_lock_order('credentials', p_user::text);
  perform from private.credentials where user_id = p_user for update;
  perform private.check_lock_order('person', p_user::text);
  perform from app.users where id = p_user for no key update;
  update app.sessions set ended_at = now(), user_agent = null, device = null, network = null
  where user_id = p_user and ended_at is null;
  perform private.end_access_token(id) from app.access_tokens
  where user_id = p_user and ended_at is null and (ends_with_password or not p_by_password);
  return greatest(
    floor(extract(epoch from clock_timestamp()))::bigint + 1,
    -- the last token may already have an iat in that next second, because iat is never before tokens_valid_from
    (select last_issued_at + 1 from private.credentials where user_id = p_user));
end $function$;

ALTER FUNCTION "private"."close_sessions"(uuid, boolean) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.count_replies()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_posts   uuid[];
  v_authors uuid[];
  v_ones    integer[];
  v_post    uuid;
  v_more    integer;
  v_bots    integer;
begin
  select array_agg(w.post_id), array_agg(w.author_id), array_agg(1) into v_posts, v_authors, v_ones
  from written w where w.required_level = 0;
  if tg_op = 'UPDATE' then
    select v_posts || array_agg(o.post_id), v_authors || array_agg(o.author_id), v_ones || array_agg(-1)
    into v_posts, v_authors, v_ones
    from overwritten o where o.required_level = 0;
  end if;
  -- each post once, because a ban or an erasure may change thousands of replies under the same post
  for v_post, v_more, v_bots in
    select c.post_id, sum(c.one), coalesce(sum(c.one) filter (where u.bot_owner_id is not null), 0)
    from unnest(v_posts, v_authors, v_ones) c (post_id, author_id, one)
    join app.users u on u.id = c.author_id
    group by c.post_id having sum(c.one) <> 0
    order by c.post_id
  loop
    update app.post_counters set replies = replies + v_more, bot_replies = bot_replies + v_bots where post_id = v_post;
  end loop;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.count_writes(p_kind text, p_many integer DEFAULT 1, p_user uuid DEFAULT NULL::uuid)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user uuid := coalesce(p_user, private.require_caller());
  v_hour interval := case when private.is_bot(v_user) then '24 hours' else '1 hour' end;
  v_most integer;
  v_lock text;
  v_used integer;
  v_ends timestamptz;
begin
  select greatest(1, least(2147483647, floor(l.per_hour * coalesce(s.value::float8, 1))))::integer, l.lock_kind
  into v_most, v_lock
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

CREATE OR REPLACE FUNCTION private.create_own_app(p_name text, p_redirect_uris text[], p_scopes text[], p_is_confidential boolean, p_website text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_app    app.apps;
begin
  perform private.require_registration();
  perform private.count_writes('apps');
  perform private.check_lock_order('person', v_caller::text);
  perform from app.users where id = v_caller for no key update;
  if (select count(*) >= 20 from app.apps where owner_id = v_caller and ended_at is null) then
    perform private.raise_error('apps_full');
  end if;
  insert into app.apps (owner_id, name, website, redirect_uris, scopes, is_confidential)
  values (v_caller, btrim(p_name), p_website, private.require_redirects(p_redirect_uris, p_is_confidential),
          private.known_scopes(p_scopes), p_is_confidential)
  returning * into v_app;
  return private.app_card(v_app);
end $function$;

ALTER FUNCTION "private"."create_own_app"(text, text[], text[], boolean, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.create_wallet()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into app.mana_accounts (id, kind) values (new.id, 'wallet');
  insert into app.wallets (user_id) values (new.id);
  if new.bot_owner_id is null then
    perform private.move('starter', array[private.mint(), new.id], array[-50, 50]);
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.delete_own_app(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.lock_own_app(p_id);
  perform private.end_app(p_id);
end $function$;

ALTER FUNCTION "private"."delete_own_app"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.earn_contribution(p_earnings private.earning[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  with given as (
    insert into app.contribution_entries (user_id, kind, delta, source_id, created_at)
    select e.user_id, e.kind, private.ledger_points('contribution', e.kind), e.source_id, min(e.caused_at)
    from unnest(p_earnings) with ordinality
           as e (user_id, interest_id, kind, source_id, earned_from, caused_at, place)
    where private.find_active_contribution(e.user_id, e.kind, e.source_id) is null
      and not private.is_bot(e.user_id)
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
begin
  perform private.write_reputation(array(
    select (gen_random_uuid(), e.user_id, e.interest_id, e.kind, e.points, 0, e.source_id, e.earned_from,
            e.caused_at)::private.reputation_change
    from (select distinct on (l.user_id, l.kind, l.source_id, l.earned_from)
                 l.*, private.ledger_points('reputation', l.kind) as points
          from unnest(p_earnings) with ordinality
                 as l (user_id, interest_id, kind, source_id, earned_from, caused_at, place)
          where l.interest_id is not null and l.earned_from is distinct from l.user_id
            and not private.is_bot(l.user_id) and not private.is_bot(l.earned_from)
          order by l.user_id, l.kind, l.source_id, l.earned_from, l.place) e
    where e.points <> 0
      and private.find_active_reputation(e.user_id, e.kind, e.source_id, e.earned_from) is null
    order by e.place));
end $function$;

CREATE OR REPLACE FUNCTION private.end_access_token(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_token app.access_tokens;
begin
  update app.access_tokens set ended_at = now()
  where id = p_id and ended_at is null
  returning * into v_token;
  update private.revoked_tokens r set scopes = null
  from (select v_token.issued_at, v_token.expires_at
        union all
        select (t ->> 0)::bigint, (t ->> 1)::bigint from jsonb_array_elements(v_token.live_tokens) as t) as dead
  where r.user_id = v_token.user_id and (r.issued_at, r.expires_at) = (dead.issued_at, dead.expires_at);
end $function$;

ALTER FUNCTION "private"."end_access_token"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.end_app(p_app uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update app.apps set ended_at = now(), secret_hash = null where id = p_app and ended_at is null;
  perform private.end_consent(id)
  from (select id from app.app_consents where app_id = p_app and ended_at is null order by id limit 500 for update) c;
  if exists (select from app.app_consents where app_id = p_app and ended_at is null) then
    perform private.enqueue('ended-apps', json_build_object('appId', p_app));
  end if;
end $function$;

ALTER FUNCTION "private"."end_app"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.end_bot_access_token(p_bot uuid, p_token uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform from app.access_tokens t join app.users u on u.id = t.user_id
  where t.id = p_token and t.user_id = p_bot and u.bot_owner_id = private.require_caller();
  if not found then
    perform private.raise_error('access_token_unknown');
  end if;
  perform private.end_access_token(p_token);
end $function$;

ALTER FUNCTION "private"."end_bot_access_token"(uuid, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.end_consent(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update app.app_consents set ended_at = now(), refresh = null where id = p_id and ended_at is null;
  perform private.end_access_token(t.id)
  from app.access_tokens t join private.oauth_records r on r.model = 'AccessToken' and r.key = t.token_hash
  where r.consent_id = p_id;
end $function$;

ALTER FUNCTION "private"."end_consent"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.end_consents_of(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.end_consent(id)
  from (select id from app.app_consents where user_id = p_user and ended_at is null order by id for update) c;
end $function$;

ALTER FUNCTION "private"."end_consents_of"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.end_consents_of_person(p_user app.users)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.end_consents_of(p_user.id);
  perform private.end_app(id)
  from (select id from app.apps where owner_id = p_user.id and ended_at is null order by id for update) a;
end $function$;

ALTER FUNCTION "private"."end_consents_of_person"(app.users) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.end_consents_with_tokens()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.end_consents_of(new.id);
  return null;
end $function$;

ALTER FUNCTION "private"."end_consents_with_tokens"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.end_factor(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if exists (select from private.totp where user_id = p_user and confirmed_at is not null)
     or exists (select from private.passkeys where user_id = p_user) then
    -- another session may have proved itself with what was removed
    delete from private.proofs where user_id = p_user and session_id is distinct from private.own_session();
  elsif private.needs_factor((select role from app.users where id = p_user)) then
    perform private.raise_error('factor_needed');
  else
    perform private.forget_factors(p_user);
  end if;
end $function$;

ALTER FUNCTION "private"."end_factor"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.end_more_consents(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_app uuid := (p_job ->> 'appId')::uuid;
  v_ids uuid[] := array(select id from app.app_consents
                        where app_id = v_app and ended_at is null order by id limit 500 for update);
begin
  perform private.end_consent(id) from unnest(v_ids) id;
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[500]);
end $function$;

ALTER FUNCTION "private"."end_more_consents"(jsonb, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.end_own_access_token(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.end_access_token(id) from app.access_tokens where id = p_id and user_id = private.require_caller();
end $function$;

ALTER FUNCTION "private"."end_own_access_token"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.end_own_consents(p_app uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_ids uuid[] := array(select id from app.app_consents
                        where user_id = private.require_caller() and app_id = p_app and ended_at is null
                        order by id for update);
begin
  perform private.end_consent(id) from unnest(v_ids) id;
  return v_ids <> '{}';
end $function$;

ALTER FUNCTION "private"."end_own_consents"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.end_tokens(p_user uuid, p_by_password boolean DEFAULT false)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_from bigint := private.close_sessions(p_user, p_by_password);
begin
  update app.users set tokens_valid_from = v_from where id = p_user;
end $function$;

ALTER FUNCTION "private"."end_tokens"(uuid, boolean) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.enter(p_caller text, p_headers text DEFAULT NULL::text, p_operation text DEFAULT NULL::text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform set_config('request.jwt.claims', coalesce(p_caller, ''), true),
          set_config('request.headers', coalesce(p_headers, ''), true),
          set_config('request.path', coalesce('/rpc/' || p_operation, ''), true);
  return private.check_caller();
end $function$;

ALTER FUNCTION "private"."enter"(text, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.erase_account(p_user app.users)
 RETURNS void
 LANGUAGE plpgsql
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
  update private.credentials set password_hash = '!erased' where user_id = p_user.id;
  -- the rows remain, because posts may refer to them
  update app.personas set name = id::text, about = null, accent = 'ink', profile_pic_url = null
  where user_id = p_user.id;
  update app.invite_codes set status = 'revoked', candidate_session_id = null where generated_by = p_user.id;
  delete from app.sessions where user_id = p_user.id;
  delete from app.access_tokens where user_id = p_user.id;
  delete from private.devices where user_id = p_user.id;
  perform private.forget_factors(p_user.id);
  delete from private.identities where user_id = p_user.id;
  delete from private.password_resets where user_id = p_user.id;
  delete from private.email_verifications where user_id = p_user.id;
  -- comes last, because a transaction that writes the person's ledger also locks this row after all others
  update app.accounts set email = 'deleted-' || gen_random_uuid() || '@deleted.invalid',
                          email_verified_at = null, email_bounced_at = null, date_of_birth = null, phone = null,
                          last_seen_at = null
  where user_id = p_user.id;
end $function$;

CREATE OR REPLACE FUNCTION private.erase_apps(p_user app.users)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.erase_rows(p_user.id, 'app.app_consents', 'user_id = $1');
  update app.apps set name = 'erased', website = null, redirect_uris = '{}'
  where owner_id = p_user.id and name <> 'erased';
end $function$;

ALTER FUNCTION "private"."erase_apps"(app.users) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.erase_own_bot(p_bot uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_proof();
  perform private.erase_person(id) from app.users where id = p_bot and bot_owner_id = private.require_caller();
end $function$;

ALTER FUNCTION "private"."erase_own_bot"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.erase_person(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_bot uuid;
begin
  perform private.end_tokens(p_user);   -- runs first, because it locks the credentials before the person
  update app.users set
    person_id = gen_random_uuid(),
    username = 'deleted_' || left(replace(gen_random_uuid()::text, '-', ''), 20),
    first_name = 'Deleted', last_name = 'Account',
    country = null, city = null, about = null, profile_pic_url = null,
    role = 'user', erased_at = now()
  where id = p_user and erased_at is null;
  for v_bot in select id from app.users where bot_owner_id = p_user and erased_at is null order by id loop
    perform private.restart_lock_order();
    perform private.erase_person(v_bot);
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION private.find_banned_with(p_user uuid, p_also_owner boolean)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_owner uuid := (select bot_owner_id from app.users where id = p_user);
begin
  if not coalesce(p_also_owner, false) then
    return p_user;
  elsif v_owner is null then
    perform private.raise_error('owner_unknown');
  end if;
  return v_owner;
end $function$;

ALTER FUNCTION "private"."find_banned_with"(uuid, boolean) OWNER TO "postgres";

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

CREATE OR REPLACE FUNCTION private.find_identity(p_login private.oidc_logins)
 RETURNS private.identities
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_identity private.identities;
begin
  select * into v_identity from private.identities
  where issuer = p_login.issuer and subject = p_login.subject;
  return v_identity;
end $function$;

ALTER FUNCTION "private"."find_identity"(private.oidc_logins) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.find_oidc_login(p_id uuid, p_code_hash bytea, p_challenge text)
 RETURNS private.oidc_logins
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_login private.oidc_logins;
begin
  select * into v_login from private.oidc_logins
  where id = p_id and code_hash = p_code_hash and challenge = p_challenge
    and used_at is null and created_at > clock_timestamp() - interval '30 minutes';
  if not found then
    perform private.raise_error('oidc_over');
  end if;
  return v_login;
end $function$;

ALTER FUNCTION "private"."find_oidc_login"(uuid, bytea, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.find_own_bots()
 RETURNS uuid[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return array(select u.id from app.users u
               where u.bot_owner_id = private.require_caller() and u.erased_at is null
               order by u.created_at, u.id);
end $function$;

ALTER FUNCTION "private"."find_own_bots"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.find_talent(p_interests uuid[], p_country text, p_city text, p_after uuid)
 RETURNS TABLE(id uuid, interest_id uuid, value numeric)
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
  v_me    uuid := app.uid();
  v_country text := upper(left(p_country, 3));   -- a country code has two letters
  v_city  text := private.fold_query(p_city);
  v_each  integer := greatest(20, 4000 / greatest(cardinality(p_interests), 1));
  v_value numeric := coalesce((select max(r.value) from app.reputation r
                               where r.user_id = p_after and r.interest_id = any (p_interests)), 'infinity');
begin
  return query
  select b.id, b.interest_id, b.value
  from (select t.id, max(t.value) as value,
               (array_agg(t.interest_id order by t.value desc, t.interest_id))[1] as interest_id
        from (select w.id, n.id as interest_id, w.value
              from unnest(p_interests) n (id)
              cross join lateral (
                select r.user_id as id, r.value from app.reputation r
                where r.interest_id = n.id and r.band >= 0
                order by r.band desc, r.user_id limit v_each) w) t
        where t.id <> v_me
        group by t.id) b
  join private.listed_people p on p.id = b.id
  cross join lateral (select o.* from app.users o where o.id = b.id offset 0) u   -- by id, without a scan
  where (v_country is null or u.country = v_country)
    and (v_city is null or private.fold(u.city) = v_city)
    and (p_after is null or (-b.value, b.id) > (-v_value, p_after))
  order by b.value desc, b.id limit 51;
end $function$;

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

CREATE OR REPLACE FUNCTION private.forget_factors(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from private.totp where user_id = p_user;
  delete from private.passkeys where user_id = p_user;
  delete from private.passkey_challenges where user_id = p_user;
  delete from private.recovery_codes where user_id = p_user;
  delete from private.proofs where user_id = p_user;
  delete from private.people_with_factor where user_id = p_user;
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

CREATE OR REPLACE FUNCTION private.is_bot(p_user uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from app.users where id = p_user and bot_owner_id is not null);
end $function$;

ALTER FUNCTION "private"."is_bot"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.is_own_thing(p_type text, p_id uuid, p_author uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ begin return private.answers_for(p_type, p_id, p_author, app.uid()); end $function$;

CREATE OR REPLACE FUNCTION private.is_owner_banned(p_bot app.users)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from app.users where id = p_bot.bot_owner_id and banned_at is not null);
end $function$;

ALTER FUNCTION "private"."is_owner_banned"(app.users) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.issue_access_token(p_user uuid, p_kind text, p_name text, p_token_hash bytea, p_scopes text[], p_seconds integer, p_client text DEFAULT NULL::text, p_ends_with_password boolean DEFAULT true)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_scopes text[];
  v_claims json;
begin
  -- waits for whatever ends all tokens of the person
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

ALTER FUNCTION "private"."issue_access_token"(uuid, text, text, bytea, text[], integer, text, boolean) OWNER TO "postgres";

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
  -- one person per transaction, because the end of a ban takes locks of many ranks. It locks the credentials too, as
  -- private.lock_account does first, so that it does not wait for a login while it holds the person
  select u.id into v_user
  from app.users u join private.credentials c on c.user_id = u.id
  where u.banned_until <= now() and u.erased_at is null and not private.is_owner_banned(u)
  order by u.banned_until limit 1
  for update of c skip locked;
  if not found then
    return 0;
  end if;
  v_person := private.lock_account(v_user);
  if v_person.banned_until is null or v_person.banned_until > now() then
    return 1;   -- an admin ended it first
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

CREATE OR REPLACE FUNCTION private.known_credentials(p_user uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce(
    (select json_agg(json_build_object('id', encode(credential_id, 'hex'), 'transports', transports) order by id)
     from private.passkeys where user_id = p_user), '[]');
end $function$;

ALTER FUNCTION "private"."known_credentials"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.known_scopes(p_scopes text[])
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_scopes text[] := array(select s.scope from private.scopes s where s.scope = any (p_scopes) order by s.position);
begin
  if cardinality(v_scopes) = 0 or not (p_scopes <@ v_scopes) then
    perform private.raise_error('scope_unknown');
  end if;
  return v_scopes;
end $function$;

ALTER FUNCTION "private"."known_scopes"(text[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.limit_to_scopes(p_claims json, p_scopes text[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.revoked_tokens (user_id, issued_at, expires_at, scopes)
  values ((p_claims ->> 'sub')::uuid, (p_claims ->> 'iat')::bigint, (p_claims ->> 'exp')::bigint, p_scopes);
end $function$;

ALTER FUNCTION "private"."limit_to_scopes"(json, text[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.list_bot_access_tokens(p_bot uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.page(
    (select json_agg(private.access_token_card(t) order by t.created_at desc, t.id desc)
     from app.access_tokens t join app.users u on u.id = t.user_id
     where t.user_id = p_bot and u.bot_owner_id = private.require_caller() and t.ended_at is null
       and t.expires_at > extract(epoch from now())),
    '{}', 50);
end $function$;

ALTER FUNCTION "private"."list_bot_access_tokens"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.list_own_access_tokens()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.page(
    (select json_agg(private.access_token_card(t) order by t.created_at desc, t.id desc)
     from app.access_tokens t
     where t.user_id = private.require_caller() and t.kind = 'personal' and t.ended_at is null
       and t.expires_at > extract(epoch from now())),
    '{}', 50);
end $function$;

ALTER FUNCTION "private"."list_own_access_tokens"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.list_own_apps()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.page(
    (select json_agg(private.app_card(a) order by a.created_at desc, a.id desc)
     from app.apps a where a.owner_id = private.require_caller() and a.ended_at is null),
    '{}', 50);
end $function$;

ALTER FUNCTION "private"."list_own_apps"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.list_own_consents()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.page(
    (select json_agg(json_build_object(
              'id', a.id, 'name', a.name, 'website', a.website, 'scopes', c.scopes,
              'since', private.utc(c.since), 'lastUsedAt', private.utc(c.used))
              order by c.since desc, a.id desc)
     from (select app_id, min(created_at) as since, max(last_used_at) as used,
                  (select array_agg(s.scope order by s.position) from private.scopes s
                   where exists (select from app.app_consents o
                                 where o.user_id = private.require_caller() and o.app_id = g.app_id
                                   and o.ended_at is null and o.expires_at > now() and s.scope = any (o.scopes)))
                  as scopes
           from app.app_consents g
           where user_id = private.require_caller() and ended_at is null and expires_at > now()
           group by app_id) c
     join app.apps a on a.id = c.app_id and a.ended_at is null),
    '{}', 50);
end $function$;

ALTER FUNCTION "private"."list_own_consents"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.list_own_factors()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
begin
  return (
    select json_build_object(
      'totp', (select json_build_object('createdAt', private.utc(t.confirmed_at),
                                        'lastUsedAt', private.utc(t.last_used_at))
               from private.totp t where t.user_id = v_caller and t.confirmed_at is not null),
      'passkeys', coalesce((select json_agg(private.passkey_card(p) order by p.created_at, p.id)
                            from private.passkeys p where p.user_id = v_caller), '[]'),
      'recoveryCodesLeft', (select count(*) from private.recovery_codes r
                            where r.user_id = v_caller and r.used_at is null),
      'isRequired', private.needs_factor(u.role),
      'provedUntil', (select private.utc(p + interval '10 minutes') from private.proved_at() p
                      where p > now() - interval '10 minutes'))
    from app.users u where u.id = v_caller);
end $function$;

CREATE OR REPLACE FUNCTION private.list_own_identities()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
begin
  return json_build_object(
    'items', coalesce((
      select json_agg(json_build_object(
               'id', i.id, 'issuer', i.issuer, 'email', i.email, 'createdAt', private.utc(i.created_at),
               'lastUsedAt', private.utc(i.last_used_at)) order by i.created_at, i.id)
      from private.identities i where i.user_id = v_caller), '[]'),
    'hasPassword', exists (select from private.credentials where user_id = v_caller and password_hash is not null));
end $function$;

ALTER FUNCTION "private"."list_own_identities"() OWNER TO "postgres";

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

CREATE OR REPLACE FUNCTION private.lock_own_app(p_id uuid)
 RETURNS app.apps
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_app app.apps;
begin
  perform private.check_lock_order('app', p_id::text);
  select * into v_app from app.apps
  where id = p_id and owner_id = private.require_caller() and ended_at is null for update;
  if not found then
    perform private.raise_error('app_unknown');
  end if;
  return v_app;
end $function$;

ALTER FUNCTION "private"."lock_own_app"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.lock_own_credentials()
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  perform private.check_caller();   -- checks again: the token may have ended while this waited
  return v_caller;
end $function$;

ALTER FUNCTION "private"."lock_own_credentials"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.may_listen(p_topic text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_scopes text[] := private.check_token();
  v_topic  private.realtime_topics;
  v_may    boolean;
begin
  select * into v_topic from private.realtime_topics where prefix = split_part(p_topic, ':', 1);
  if not found or not (v_scopes is null or (v_topic.scopes <> '{}' and v_topic.scopes <@ v_scopes)) then
    return false;
  end if;
  execute format('select %s($1)', v_topic.audience) into v_may using substr(p_topic, strpos(p_topic, ':') + 1);
  return coalesce(v_may, false);
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

CREATE OR REPLACE FUNCTION private.note_access_token_used()
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_token  jsonb := private.own_token();
begin
  if private.check_token() is null then
    return false;
  end if;
  update app.access_tokens set last_used_at = now()
  where user_id = v_caller and coalesce(last_used_at, '-infinity') < now() - interval '5 minutes'
    and (jsonb_build_array(jsonb_build_array(issued_at, expires_at)) = v_token or live_tokens @> v_token);
  return true;
end $function$;

ALTER FUNCTION "private"."note_access_token_used"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.note_challenge(p_challenge_hash bytea, p_user uuid, p_purpose text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.passkey_challenges (slot, challenge_hash, user_id, purpose)
  values (floor(random() * 65536), p_challenge_hash, p_user, p_purpose)
  on conflict (slot) do update
    set challenge_hash = excluded.challenge_hash, user_id = excluded.user_id, purpose = excluded.purpose,
        created_at = excluded.created_at;
end $function$;

ALTER FUNCTION "private"."note_challenge"(bytea, uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.open_login(p_user_id uuid, p_seconds integer, p_family uuid, p_refresh_hash bytea, p_user_agent text, p_device text, p_address text, p_alert_hash bytea, p_code text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_claims json;
  v_before boolean;
begin
  perform private.check_lock_order('credentials', p_user_id::text);
  select last_issued_at > 0 into v_before from private.credentials where user_id = p_user_id for update;
  perform private.check_not_banned(p_user_id);
  perform private.require_code(p_user_id, p_code);
  v_claims := private.issue_claims(p_user_id, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address,
                                case when v_before then p_alert_hash end);
  if private.has_factor(p_user_id) then
    perform private.note_proof(v_claims::jsonb, p_family);
  end if;
  return private.login_answer(p_user_id, v_claims);
end $function$;

ALTER FUNCTION "private"."open_login"(uuid, integer, uuid, bytea, text, text, text, bytea, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.own_bot_card(p_bot uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select private.merge_objects(b.card, json_build_object('bannedAt', private.utc(u.banned_at)))
          from app.bot_card b join app.users u on u.id = b.id
          where b.id = p_bot and b.owner_id = app.uid() and u.erased_at is null);
end $function$;

ALTER FUNCTION "private"."own_bot_card"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.passkey_card(p_passkey private.passkeys)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object('id', p_passkey.id, 'name', p_passkey.name,
                           'createdAt', private.utc(p_passkey.created_at),
                           'lastUsedAt', private.utc(p_passkey.last_used_at));
end $function$;

ALTER FUNCTION "private"."passkey_card"(private.passkeys) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.post_counters_rules(reactions integer, replies integer, shares integer, bookmarks integer, views bigint, boost numeric, bot_replies integer)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if (bookmarks >= 0) is false then perform private.raise_check_violation('post_counters_bookmarks_check'); end if;
  if (boost >= (0)::numeric) is false then perform private.raise_check_violation('post_counters_boost_check'); end if;
  if (bot_replies >= 0) is false then perform private.raise_check_violation('post_counters_bot_replies_check'); end if;
  if (reactions >= 0) is false then perform private.raise_check_violation('post_counters_reactions_check'); end if;
  if (replies >= 0) is false then perform private.raise_check_violation('post_counters_replies_check'); end if;
  if (shares >= 0) is false then perform private.raise_check_violation('post_counters_shares_check'); end if;
  if (views >= 0) is false then perform private.raise_check_violation('post_counters_views_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."post_counters_rules"(integer, integer, integer, integer, bigint, numeric, integer) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.raise_trending()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  -- counts only whole doublings, so that the row of the post and its indexes rarely change, not at every heart
  v_engagement integer := new.reactions + new.replies - new.bot_replies + new.shares + new.bookmarks;
  -- log(2, …) takes twenty times as long
  v_boost smallint := length(ltrim((1 + v_engagement)::bit(32)::text, '0')) - 1;
begin
  update app.posts set trending_boost = v_boost where id = new.post_id and trending_boost <> v_boost;
  return null;
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

CREATE OR REPLACE FUNCTION private.redeem_invite(p_session_id uuid, p_email text, p_password_hash text, p_first_name text, p_last_name text, p_date_of_birth date, p_country text, p_city text)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_code   app.invite_codes;
  v_person uuid;
begin
  if p_date_of_birth > current_date - interval '18 years' then
    perform private.raise_error('under_age');
  end if;

  perform private.check_lock_order('invite code');
  select * into v_code from app.invite_codes where reservation_id = p_session_id for update;
  if not found or v_code.status <> 'reserved' or v_code.reserved_until <= now()
     or exists (select from app.users u where u.id = v_code.generated_by
                and (u.banned_at is not null or u.erased_at is not null)) then
    perform private.raise_error('reservation_over');
  end if;

  v_person := private.create_person(p_email, p_password_hash, p_first_name, p_last_name,
                                    p_date_of_birth, p_country, p_city);
  update app.invite_codes set status = 'used', used_by = v_person, used_at = now() where id = v_code.id;
  insert into app.invite_tree (invitee_id, inviter_id, code_id) values (v_person, v_code.generated_by, v_code.id);
  perform private.emit('identity.user_registered', json_build_object(
    'userId', v_person, 'email', btrim(p_email), 'inviterUserId', v_code.generated_by));
  perform private.emit('identity.invite_code.used', json_build_object(
    'codeId', v_code.id, 'newUserId', v_person, 'inviterUserId', v_code.generated_by), array[v_code.generated_by]);
  return v_person;
end $function$;

ALTER FUNCTION "private"."redeem_invite"(uuid, text, text, text, text, date, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.refuse_bots(p_operation text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from private.operations_of_people where operation = p_operation) and private.is_bot(app.uid()) then
    perform private.raise_error('bot_refused');
  end if;
end $function$;

ALTER FUNCTION "private"."refuse_bots"(text) OWNER TO "postgres";

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
  perform private.end_factor(v_caller);
  perform private.mail_about_factor(v_caller, 'passkeyRemoved');
end $function$;

ALTER FUNCTION "private"."remove_own_passkey"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.remove_own_totp()
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
  delete from private.totp where user_id = v_caller and confirmed_at is not null;
  if not found then
    perform private.raise_error('factor_unknown');
  end if;
  perform private.end_factor(v_caller);
  perform private.mail_about_factor(v_caller, 'factorRemoved');
end $function$;

CREATE OR REPLACE FUNCTION private.rename_own_passkey(p_id uuid, p_name text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_passkey private.passkeys;
begin
  if p_name is null then
    perform private.raise_error('value_invalid');
  end if;
  update private.passkeys set name = private.require_name(p_name)
  where id = p_id and user_id = private.require_caller()
  returning * into v_passkey;
  if not found then
    perform private.raise_error('factor_unknown');
  end if;
  return private.passkey_card(v_passkey);
end $function$;

ALTER FUNCTION "private"."rename_own_passkey"(uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.replace_password(p_user uuid, p_new_hash text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update private.credentials set password_hash = p_new_hash where user_id = p_user;
  update private.password_resets set used_at = now() where user_id = p_user and used_at is null;
  perform private.end_email_changes(p_user);
  perform private.end_tokens(p_user, p_by_password => true);
  update app.users set credentials_version = credentials_version + 1 where id = p_user;
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

CREATE OR REPLACE FUNCTION private.reputation_band(p_value numeric)
 RETURNS smallint
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return case when p_value > 0 then floor(ln(1 + p_value::float8) / ln(2::float8)) else -1 end;
end $function$;

ALTER FUNCTION "private"."reputation_band"(numeric) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_own_bot(p_person text)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_bot uuid := private.find_person(p_person);
begin
  if v_bot is null or v_bot <> all (private.find_own_bots()) then
    perform private.raise_error('bot_unknown');
  end if;
  return v_bot;
end $function$;

ALTER FUNCTION "private"."require_own_bot"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_redirects(p_uris text[], p_is_confidential boolean)
 RETURNS text[]
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if (cardinality(p_uris) between 1 and 10
      and not exists (
        select from unnest(p_uris) u (uri)
        where (length(u.uri) <= 500 and u.uri ~ '^[!-~]+$' and u.uri !~ '[#\\*"<>^`{|}]'
               and (u.uri ~ '^https://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?(/\S*)?$'
                 or u.uri ~ '^http://(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?(/\S*)?$'
                 or (not p_is_confidential and u.uri ~ '^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:/[^/]\S*$'))) is not true)
     ) is not true then
    perform private.raise_error('app_redirect');
  end if;
  return p_uris;
end $function$;

ALTER FUNCTION "private"."require_redirects"(text[], boolean) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_registration()
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if (select value from app.settings where key = 'register_apps') <> 'everyone'
     and not exists (select from app.users where id = private.require_caller() and role = 'admin') then
    perform private.raise_error('apps_closed');
  end if;
end $function$;

ALTER FUNCTION "private"."require_registration"() OWNER TO "postgres";

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
    -- in the form in which PostgREST accepts headers (private.raise_error), with the header of RFC 6750
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

ALTER FUNCTION "private"."require_scope"(text[], text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_scopes(p_user uuid, p_scopes text[])
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_scopes text[] := array(select s.scope from private.scopes s where s.scope = any (p_scopes) order by s.position);
begin
  -- each name of p_scopes must have been found, and there must be at least one
  if cardinality(v_scopes) = 0 or not (p_scopes <@ v_scopes) then
    perform private.raise_error('scope_unknown');
  elsif exists (select from private.scopes where scope = any (v_scopes) and staff)
        and not exists (select from app.users where id = p_user and role in ('moderator', 'admin')) then
    perform private.raise_error('role_required');
  end if;
  return v_scopes;
end $function$;

ALTER FUNCTION "private"."require_scopes"(uuid, text[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.set_banned(p_person app.users, p_banned boolean, p_reason text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_bot uuid;
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
  for v_bot in
    select u.id from app.users u
    where u.bot_owner_id = p_person.id and u.erased_at is null
      and (p_banned and u.banned_at is null or u.banned_at = p_person.banned_at)
    order by u.id
  loop
    perform private.restart_lock_order();
    perform private.set_banned(private.lock_account(v_bot), p_banned, p_reason, p_until);
  end loop;
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

CREATE OR REPLACE FUNCTION private.settle(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_wallet  app.wallets;
  v_periods integer;
  v_mana    integer;
begin
  -- doesn't lock a wallet that has no whole period to settle
  select * into v_wallet from app.wallets
  where user_id = p_user and last_regen_at <= now() - interval '24 hours'
  for no key update;
  if not found or exists (select from app.users u where u.id = p_user
                               and (u.erased_at is not null or u.bot_owner_id is not null)) then
    return;
  end if;
  v_periods := floor(extract(epoch from now() - v_wallet.last_regen_at) / 86400);
  -- comes before private.move, whose trigger calls this function again: it must then find nothing to settle
  update app.wallets set last_regen_at = last_regen_at + v_periods * interval '24 hours' where user_id = p_user;

  v_mana := least(5 * v_periods, 50 - v_wallet.balance - private.held_of(p_user));
  if v_mana > 0 then
    perform private.move('regeneration', array[private.mint(), p_user], array[-v_mana, v_mana]);
  end if;
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

CREATE OR REPLACE FUNCTION private.spend_invite(p_code text)
 RETURNS uuid
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_code app.invite_codes;
begin
  if p_code is null then
    return private.make_own_invite();
  end if;
  perform private.check_lock_order('invite code');
  select * into v_code from app.invite_codes
  where code = upper(btrim(p_code)) and generated_by = app.uid() for update;
  if not found then
    perform private.raise_error('invite_unknown');
  elsif private.invite_status(v_code) <> 'active' then
    perform private.raise_error('invite_dead');
  end if;
  return v_code.id;
end $function$;

ALTER FUNCTION "private"."spend_invite"(text) OWNER TO "postgres";

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
      'owner', owner.card,
      'bots', coalesce((select json_agg(p.card order by b.created_at, b.id)
                        from app.users b join app.person_card p on p.id = b.id
                        where b.bot_owner_id = p_user and b.erased_at is null), '[]'),
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
    left join app.person_card owner on owner.id = u.bot_owner_id
    where u.id = p_user);
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
  elsif not exists (select from private.identities where user_id = v_caller)
    and not exists (select from private.credentials where user_id = v_caller and password_hash is not null) then
    perform private.raise_error('identity_needed');
  end if;
  perform private.mail_about_factor(v_caller, 'identityUnlinked');
end $function$;

ALTER FUNCTION "private"."unlink_own_identity"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.unread_between(p_user uuid, p_from timestamp with time zone, p_to timestamp with time zone)
 RETURNS SETOF app.notifications
 LANGUAGE plpgsql
 STABLE
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
  return query
    select n.* from app.notifications n
    where n.user_id = p_user and n.in_app = any ('{true,false}')   -- for notifications_updated_at_idx
      and n.read_at is null and n.updated_at > p_from and n.updated_at <= p_to
    order by n.updated_at desc limit 500;
end $function$;

CREATE OR REPLACE FUNCTION private.update_own_bot(p_bot uuid, p_changes jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if 'null' in (p_changes -> 'username', p_changes -> 'firstName', p_changes -> 'lastName') then
    perform private.raise_error('value_invalid');
  end if;
  perform private.check_lock_order('person', p_bot::text);
  update app.users set
    username = case when p_changes ? 'username' then lower(btrim(p_changes ->> 'username')) else username end,
    first_name = case when p_changes ? 'firstName' then private.require_name(p_changes ->> 'firstName')
                      else first_name end,
    last_name = case when p_changes ? 'lastName' then private.require_name(p_changes ->> 'lastName')
                     else last_name end,
    about = case when p_changes ? 'about' then nullif(private.require_text(p_changes ->> 'about'), '') else about end,
    profile_pic_url = case when p_changes ? 'profilePicUrl' then private.use_picture(p_changes ->> 'profilePicUrl')
                           else profile_pic_url end
  where id = p_bot and bot_owner_id = private.require_caller() and erased_at is null;
end $function$;

ALTER FUNCTION "private"."update_own_bot"(uuid, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.use_oidc_login(p_id uuid, p_code_hash bytea, p_challenge text)
 RETURNS private.oidc_logins
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_login private.oidc_logins := private.find_oidc_login(p_id, p_code_hash, p_challenge);
begin
  -- the update locks the row, so that of two concurrent requests with the same code only one succeeds
  update private.oidc_logins set used_at = now() where id = p_id and used_at is null;
  if not found then
    perform private.raise_error('oidc_over');
  end if;
  return v_login;
end $function$;

ALTER FUNCTION "private"."use_oidc_login"(uuid, bytea, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.use_passkey(p_id uuid, p_user uuid, p_counter bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_counter bigint;
begin
  select counter into v_counter from private.passkeys where id = p_id and user_id = p_user for update;
  if not found then
    perform private.raise_error('passkey_wrong');   -- it was removed meanwhile
  elsif (p_counter > 0 or v_counter > 0) and p_counter <= v_counter then
    -- somebody has a copy, and perhaps a session; the other factors and the recovery codes still count
    delete from private.passkeys where id = p_id;
    perform private.end_tokens(p_user);
    delete from private.proofs where user_id = p_user;
    perform private.mail_about_factor(p_user, 'passkeyEnded');
    return false;
  end if;
  update private.passkeys set counter = p_counter, last_used_at = now() where id = p_id;
  return true;
end $function$;

ALTER FUNCTION "private"."use_passkey"(uuid, uuid, bigint) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.users_rules(username text, role text, banned_at timestamp with time zone, first_name text, last_name text, country text, city text, about text, profile_pic_url text, banned_until timestamp with time zone, bot_owner_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if (length(about) <= 1000) is false then perform private.raise_check_violation('users_about_check'); end if;
  if ((bot_owner_id IS NULL) OR (role = 'user'::text)) is false then perform private.raise_check_violation('users_bot_role'); end if;
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

ALTER FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.words_of(p_user uuid)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select array[a.email, u.username, u.first_name, u.last_name]
          from app.users u join app.accounts a on a.user_id = u.id
          where u.id = p_user);
end $function$;

ALTER FUNCTION "private"."words_of"(uuid) OWNER TO "postgres";

ALTER TABLE "app"."access_tokens" ADD CONSTRAINT "access_tokens_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "app"."app_consents" ADD CONSTRAINT "app_consents_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "app"."apps" ADD CONSTRAINT "apps_owner_id_fkey" FOREIGN KEY (owner_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "app"."app_consents" ADD CONSTRAINT "app_consents_app_id_fkey" FOREIGN KEY (app_id) REFERENCES app.apps(id) ON DELETE CASCADE;

ALTER TABLE "app"."users" ADD CONSTRAINT "users_bot_owner_id_fkey" FOREIGN KEY (bot_owner_id) REFERENCES app.users(id) ON DELETE RESTRICT;

ALTER TABLE "private"."identities" ADD CONSTRAINT "identities_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."judged_types" ADD CONSTRAINT "judged_types_check" CHECK ((num_nulls(relation, hidden_at, verb, lock_kind) = ANY (ARRAY[0, 4])));

ALTER TABLE "private"."oauth_records" ADD CONSTRAINT "oauth_records_consent_id_fkey" FOREIGN KEY (consent_id) REFERENCES app.app_consents(id) ON DELETE CASCADE;

ALTER TABLE "private"."passkey_challenges" ADD CONSTRAINT "passkey_challenges_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."passkeys" ADD CONSTRAINT "passkeys_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."operation_scopes" ADD CONSTRAINT "operation_scopes_scope_fkey" FOREIGN KEY (scope) REFERENCES private.scopes(scope) ON DELETE CASCADE;

CREATE VIEW "app"."person_card" WITH (security_invoker=true) AS  SELECT u.id,
    (c.text)::json AS card,
    c.text,
    n.actor_id
   FROM ((app.users u
     CROSS JOIN LATERAL ( SELECT private.actor_id(u.username, ( SELECT instance.domain
                   FROM private.instance)) AS actor_id
         OFFSET 0) n)
     CROSS JOIN LATERAL ( SELECT (((((('{"id":"'::text || n.actor_id) || '","actorId":"'::text) || n.actor_id) || '","isBot":'::text) ||
                CASE
                    WHEN (u.bot_owner_id IS NULL) THEN 'false'::text
                    ELSE 'true'::text
                END) || u.card_rest) AS text) c);

CREATE VIEW "app"."bot_card" WITH (security_invoker=true) AS  SELECT u.id,
    u.bot_owner_id AS owner_id,
    u.created_at,
    private.merge_objects(c.card, json_build_object('about', u.about, 'createdAt', private.utc(u.created_at))) AS card
   FROM (app.users u
     JOIN app.person_card c ON ((c.id = u.id)))
  WHERE (u.bot_owner_id IS NOT NULL);

ALTER VIEW "app"."bot_card" OWNER TO "postgres";

CREATE VIEW "app"."circle_card" WITH (security_invoker=true) AS  SELECT c.id,
    c.owner_id,
    c.created_at,
    json_build_object('id', c.id, 'ownerId', o.actor_id, 'owner', o.card, 'kind', c.kind, 'name', c.name, 'accent', c.accent, 'isOwner', (c.owner_id = ( SELECT app.uid() AS uid)), 'createdAt', private.utc(c.created_at)) AS card
   FROM (app.circles c
     JOIN app.person_card o ON ((o.id = c.owner_id)));

ALTER VIEW "app"."circle_card" OWNER TO "postgres";

CREATE VIEW "app"."circle_invitation_card" WITH (security_invoker=true) AS  SELECT i.id,
    i.circle_id,
    i.inviter_id,
    i.invitee_id,
    i.status,
    i.created_at,
    json_build_object('id', i.id, 'circleId', i.circle_id, 'circleName', private.circle_name(i.circle_id), 'inviterId', inviter.actor_id, 'inviter', inviter.card, 'inviteeId', invitee.actor_id, 'invitee', invitee.card, 'bondLevel', i.bond_level, 'status', i.status, 'createdAt', private.utc(i.created_at)) AS card
   FROM ((app.circle_invitations i
     JOIN app.person_card inviter ON ((inviter.id = i.inviter_id)))
     JOIN app.person_card invitee ON ((invitee.id = i.invitee_id)));

ALTER VIEW "app"."circle_invitation_card" OWNER TO "postgres";

CREATE VIEW "app"."circle_member_card" WITH (security_invoker=true) AS  SELECT m.circle_id,
    m.member_id,
    m.created_at,
    json_build_object('circleId', m.circle_id, 'memberId', p.actor_id, 'member', p.card, 'bondLevel', m.bond_level, 'createdAt', private.utc(m.created_at)) AS card
   FROM (app.circle_members m
     JOIN app.person_card p ON ((p.id = m.member_id)));

ALTER VIEW "app"."circle_member_card" OWNER TO "postgres";

CREATE VIEW "app"."invite_card" WITH (security_invoker=true) AS  SELECT id,
    generated_by,
    created_at,
    json_build_object('id', id, 'code', code, 'status', private.invite_status(c.*), 'reservedUntil',
        CASE
            WHEN (private.invite_status(c.*) = 'reserved'::text) THEN private.utc(reserved_until)
            ELSE NULL::text
        END, 'usedBy', ( SELECT p.card
           FROM app.person_card p
          WHERE (p.id = c.used_by)), 'usedAt', private.utc(used_at), 'expiresAt', private.utc(expires_at), 'createdAt', private.utc(created_at)) AS card
   FROM app.invite_codes c;

ALTER VIEW "app"."invite_card" OWNER TO "postgres";

CREATE VIEW "app"."notification_card" WITH (security_invoker=true) AS  SELECT id,
    concat_ws(' '::text, target_type, target_id) AS target,
    json_build_object('id', id, 'kind', kind, 'groupKey', group_key, 'count', count, 'actors', COALESCE(( SELECT json_agg(a.card ORDER BY a.created_at, a.id) AS json_agg
           FROM ( SELECT p.card,
                    a_1.created_at,
                    p.id
                   FROM (( SELECT notification_actors.actor_id,
                            notification_actors.created_at
                           FROM app.notification_actors
                          WHERE (notification_actors.notification_id = n.id)
                          ORDER BY notification_actors.created_at, notification_actors.actor_id
                         LIMIT 50) a_1
                     JOIN app.person_card p ON ((p.id = a_1.actor_id)))
                  ORDER BY a_1.created_at, p.id
                 LIMIT 3) a), '[]'::json), 'target',
        CASE
            WHEN (target_id IS NOT NULL) THEN json_build_object('type', target_type, 'id', target_id)
            ELSE NULL::json
        END, 'path', private.notification_path(kind, count, target_type, target_id, payload), 'payload', payload, 'createdAt', private.utc(created_at), 'updatedAt', private.utc(updated_at), 'readAt', private.utc(read_at)) AS card
   FROM app.notifications n;

ALTER VIEW "app"."notification_card" OWNER TO "postgres";

CREATE VIEW "app"."payment_card" WITH (security_invoker=true) AS  SELECT p.id,
    json_build_object('id', p.id, 'senderId', sender.actor_id, 'sender', sender.card, 'receiverId', receiver.actor_id, 'receiver', receiver.card, 'emotion', p.emotion, 'tier', p.tier, 'amount',
        CASE
            WHEN (p.sender_id = ( SELECT app.uid() AS uid)) THEN p.amount
            ELSE ( SELECT s.amount
               FROM app.payment_splits s
              WHERE ((s.payment_id = p.id) AND (s.receiver_id = ( SELECT app.uid() AS uid))))
        END, 'total', p.amount, 'splits', ( SELECT json_agg(json_build_object('receiverId', r.name, 'amount', r.amount) ORDER BY (r.id <> p.receiver_id), r.id) AS json_agg
           FROM ( SELECT COALESCE(c.id, p.receiver_id) AS id,
                    max(c.actor_id) AS name,
                    sum(s.amount) AS amount
                   FROM (app.payment_splits s
                     LEFT JOIN app.person_card c ON ((c.id = s.receiver_id)))
                  WHERE (s.payment_id = p.id)
                  GROUP BY COALESCE(c.id, p.receiver_id)) r), 'postId', ( SELECT post.id
           FROM app.posts post
          WHERE (post.id = p.post_id)), 'replyId', p.reply_id, 'reversed', p.reversed, 'reversalOf', p.reversal_of, 'createdAt', private.utc(p.created_at)) AS card
   FROM ((app.payments p
     LEFT JOIN app.person_card sender ON ((sender.id = p.sender_id)))
     LEFT JOIN app.person_card receiver ON ((receiver.id = p.receiver_id)));

ALTER VIEW "app"."payment_card" OWNER TO "postgres";

ALTER VIEW "app"."person_card" OWNER TO "postgres";

CREATE VIEW "app"."profile_card" WITH (security_invoker=true) AS  SELECT u.id,
    private.merge_objects(c.card, json_build_object('about', u.about, 'country', u.country, 'city', u.city, 'createdAt', private.utc(u.created_at), 'owner', ( SELECT o.card
           FROM app.person_card o
          WHERE (o.id = u.bot_owner_id)))) AS card
   FROM (app.users u
     JOIN app.person_card c ON ((c.id = u.id)));

ALTER VIEW "app"."profile_card" OWNER TO "postgres";

CREATE VIEW "app"."reply_card" WITH (security_invoker=true) AS  SELECT r.id,
    row_to_json(c.*) AS card
   FROM ((private.visible_replies r
     JOIN app.person_card author ON ((author.id = r.author_id)))
     CROSS JOIN LATERAL ( SELECT r.id,
            r.post_id AS "postId",
            ( SELECT parent.id
                   FROM private.visible_replies parent
                  WHERE (parent.id = r.parent_id)) AS "parentId",
            author.actor_id AS "authorId",
            author.card AS author,
            r.kind,
            r.body,
            private.utc(r.hidden_at) AS "hiddenAt",
            private.utc(r.created_at) AS "createdAt") c);

ALTER VIEW "app"."reply_card" OWNER TO "postgres";

CREATE VIEW "app"."reputation_vote_card" WITH (security_invoker=true) AS  SELECT v.id,
    json_build_object('id', v.id, 'voterId', voter.actor_id, 'voter', voter.card, 'interestId', i.id, 'slug', i.slug, 'value', v.value, 'comment', v.comment, 'impact', v.impact, 'createdAt', private.utc(v.created_at)) AS card
   FROM ((app.reputation_votes v
     JOIN app.person_card voter ON ((voter.id = v.voter_id)))
     JOIN app.interests i ON ((i.id = v.interest_id)));

ALTER VIEW "app"."reputation_vote_card" OWNER TO "postgres";

CREATE VIEW "app"."series_card" WITH (security_invoker=true) AS  SELECT s.id,
    s.author_id,
    json_build_object('id', s.id, 'authorId', author.actor_id, 'author', author.card, 'title', s.title, 'description', s.description, 'partCount', ( SELECT count(*) AS count
           FROM app.series_items i
          WHERE (i.series_id = s.id)), 'followed', (( SELECT true
           FROM app.series_follows f
          WHERE ((f.series_id = s.id) AND (f.user_id = ( SELECT app.uid() AS uid)))) IS TRUE), 'createdAt', private.utc(s.created_at)) AS card
   FROM (app.series s
     JOIN app.person_card author ON ((author.id = s.author_id)));

ALTER VIEW "app"."series_card" OWNER TO "postgres";

CREATE VIEW "app"."staff_payment_card" WITH (security_invoker=true) AS  SELECT p.id,
    json_build_object('id', p.id, 'senderId', p.sender_id, 'sender', sender.card, 'receiverId', p.receiver_id, 'receiver', receiver.card, 'emotion', p.emotion, 'tier', p.tier, 'amount', p.amount, 'splits', ( SELECT json_agg(json_build_object('receiverId', s.receiver_id, 'amount', s.amount) ORDER BY (s.receiver_id <> p.receiver_id), s.receiver_id) AS json_agg
           FROM app.payment_splits s
          WHERE (s.payment_id = p.id)), 'postId', p.post_id, 'replyId', p.reply_id, 'reversed', p.reversed, 'reversalOf', p.reversal_of, 'reversedBy', ( SELECT r.id
           FROM app.payments r
          WHERE (r.reversal_of = p.id)), 'createdAt', private.utc(p.created_at)) AS card
   FROM ((app.payments p
     JOIN app.person_card sender ON ((sender.id = p.sender_id)))
     JOIN app.person_card receiver ON ((receiver.id = p.receiver_id)));

ALTER VIEW "app"."staff_payment_card" OWNER TO "postgres";

CREATE VIEW "app"."video_comment_card" WITH (security_invoker=true) AS  SELECT c.id,
    json_build_object('id', c.id, 'videoId', c.video_id, 'authorId', author.actor_id, 'author', author.card, 'body', c.body, 'removedAt', private.utc(c.removed_at), 'createdAt', private.utc(c.created_at)) AS card
   FROM (app.video_comments c
     JOIN app.person_card author ON ((author.id = c.author_id)));

ALTER VIEW "app"."video_comment_card" OWNER TO "postgres";

CREATE VIEW "app"."wiki_version_card" WITH (security_invoker=true) AS  SELECT v.id,
    v.interest_id,
    v.version,
    json_build_object('id', v.id, 'version', v.version, 'summary', v.summary, 'authorId', p.actor_id, 'author', p.card, 'createdAt', private.utc(v.created_at)) AS card
   FROM (app.wiki_versions v
     LEFT JOIN app.person_card p ON ((p.id = v.author_id)));

ALTER VIEW "app"."wiki_version_card" OWNER TO "postgres";

CREATE VIEW "private"."message_heads" WITH (security_invoker=true) AS  SELECT m.id,
    json_build_object('id', m.id, 'conversationId', m.conversation_id, 'sender',
        CASE
            WHEN (s.erased_at IS NULL) THEN sender.card
            ELSE NULL::json
        END, 'kind', m.kind, 'body',
        CASE
            WHEN (s.erased_at IS NULL) THEN m.body
            ELSE NULL::text
        END, 'replyTo', ( SELECT json_build_object('id', r.id, 'sender',
                CASE
                    WHEN (rs.erased_at IS NULL) THEN rp.card
                    ELSE NULL::json
                END, 'excerpt',
                CASE
                    WHEN (rs.erased_at IS NULL) THEN "left"(r.body, 140)
                    ELSE NULL::text
                END) AS json_build_object
           FROM ((private.find_message(m.reply_to_id) r(id, conversation_id, number, sender_id, kind, body, client_id, reply_to_id, asset_id, alt, edited_at, deleted_at, changed_at, created_at)
             JOIN app.users rs ON ((rs.id = r.sender_id)))
             JOIN app.person_card rp ON ((rp.id = r.sender_id)))
          WHERE ((m.deleted_at IS NULL) AND (s.erased_at IS NULL))), 'attachment', ( SELECT private.attachment_card(a.*, (m.alt)::text) AS attachment_card
           FROM app.media_assets a
          WHERE ((a.id = m.asset_id) AND (s.erased_at IS NULL))), 'reactions', COALESCE(( SELECT json_agg(json_build_object('emoji', e.emoji, 'count', e.count, 'mine', e.mine) ORDER BY e.first_at, e.emoji) AS json_agg
           FROM ( SELECT x.emoji,
                    count(*) AS count,
                    bool_or((x.user_id = ( SELECT app.uid() AS uid))) AS mine,
                    min(x.created_at) AS first_at
                   FROM (app.message_reactions x
                     JOIN ( SELECT r.user_id
                           FROM ( SELECT DISTINCT message_reactions.user_id
                                   FROM app.message_reactions
                                  WHERE (message_reactions.message_id = m.id)
                                 OFFSET 0) r
                          WHERE private.sees_in((c.kind = 'direct'::text), ( SELECT app.uid() AS uid), r.user_id)) seen ON ((seen.user_id = x.user_id)))
                  WHERE ((x.message_id = m.id) AND (m.deleted_at IS NULL) AND (s.erased_at IS NULL))
                  GROUP BY x.emoji) e), '[]'::json), 'createdAt', private.utc(m.created_at), 'editedAt', private.utc(m.edited_at), 'deletedAt', private.utc(COALESCE(m.deleted_at, s.erased_at))) AS card
   FROM (((app.messages m
     JOIN app.conversations c ON ((c.id = m.conversation_id)))
     JOIN app.users s ON ((s.id = m.sender_id)))
     JOIN app.person_card sender ON ((sender.id = m.sender_id)));

ALTER VIEW "private"."message_heads" OWNER TO "postgres";

CREATE VIEW "private"."own_profiles" WITH (security_invoker=true) AS  SELECT u.id,
    json_build_object('id', u.id, 'actorId', private.actor_id(u.username, ( SELECT instance.domain
           FROM private.instance)), 'personId', u.person_id, 'username', u.username, 'email', a.email, 'emailVerifiedAt', private.utc(a.email_verified_at), 'emailBouncedAt', private.utc(a.email_bounced_at), 'role', u.role, 'isBot', (u.bot_owner_id IS NOT NULL), 'firstName', u.first_name, 'lastName', u.last_name, 'dateOfBirth', a.date_of_birth, 'country', u.country, 'city', u.city, 'phone', a.phone, 'about', u.about, 'profilePicUrl', u.profile_pic_url, 'createdAt', private.utc(u.created_at), 'lastSeenAt', private.utc(a.last_seen_at)) AS card
   FROM (app.users u
     JOIN app.accounts a ON ((a.user_id = u.id)));

ALTER VIEW "private"."own_profiles" OWNER TO "postgres";

CREATE VIEW "private"."reachable_accounts" WITH (security_invoker=true) AS  SELECT a.user_id,
    a.email,
    a.email_bounced_at
   FROM (app.accounts a
     JOIN app.users u ON ((u.id = a.user_id)))
  WHERE ((u.erased_at IS NULL) AND (u.bot_owner_id IS NULL) AND ((a.email_verified_at IS NOT NULL) OR (u.created_at > (now() - '24:00:00'::interval))));

ALTER VIEW "private"."reachable_accounts" OWNER TO "postgres";

CREATE VIEW "private"."staff_ai_sessions" WITH (security_invoker=true) AS  SELECT s.created_at AS at,
    s.id,
    s.user_id,
    private.ai_status(s.*) AS status,
    u.username AS said,
    json_build_object('id', s.id, 'userId', s.user_id, 'user', person.card, 'status', private.ai_status(s.*), 'questionCount', t.questions, 'answerCount', t.answers, 'fallbackCount', t.fallbacks, 'answeredAt', private.utc(s.answered_at), 'completedAt', private.utc(s.completed_at), 'createdAt', private.utc(s.created_at)) AS card
   FROM (((app.ai_sessions s
     JOIN app.users u ON ((u.id = s.user_id)))
     JOIN app.person_card person ON ((person.id = s.user_id)))
     CROSS JOIN LATERAL ( SELECT count(*) AS questions,
            count(t_1.answered_at) AS answers,
            count(*) FILTER (WHERE t_1.fallback) AS fallbacks
           FROM app.ai_turns t_1
          WHERE (t_1.session_id = s.id)) t);

ALTER VIEW "private"."staff_ai_sessions" OWNER TO "postgres";

CREATE VIEW "private"."staff_appeals" WITH (security_invoker=true) AS  SELECT a.created_at AS at,
    a.id,
    a.status,
    a.user_id,
    a.interest_id,
    concat_ws(' '::text, u.username, i.slug, a.text, a.note) AS said,
    json_build_object('id', a.id, 'userId', a.user_id, 'user', person.card, 'interestId', i.id, 'slug', i.slug, 'eventId', a.entry_id, 'text', a.text, 'status', a.status, 'restoreDelta', a.restore_delta, 'note', a.note, 'resolvedAt', private.utc(a.resolved_at), 'createdAt', private.utc(a.created_at)) AS card
   FROM (((app.reputation_appeals a
     JOIN app.users u ON ((u.id = a.user_id)))
     JOIN app.interests i ON ((i.id = a.interest_id)))
     JOIN app.person_card person ON ((person.id = a.user_id)));

ALTER VIEW "private"."staff_appeals" OWNER TO "postgres";

CREATE VIEW "private"."staff_audit_log" WITH (security_invoker=true) AS  SELECT l.id,
    l.action,
    l.actor_id,
    l.target_type,
    l.target_id,
    l.created_at AS at,
    concat_ws(' '::text, l.action, actor.username, l.target_id, d.ip, d.detail) AS said,
    json_build_object('id', l.id, 'action', l.action, 'actorId', l.actor_id, 'actor', person.card, 'targetType', l.target_type, 'targetId', l.target_id, 'ip', d.ip, 'detail', d.detail, 'createdAt', private.utc(l.created_at)) AS card
   FROM (((app.audit_log l
     LEFT JOIN app.audit_details d ON ((d.audit_id = l.id)))
     LEFT JOIN app.users actor ON ((actor.id = l.actor_id)))
     LEFT JOIN app.person_card person ON ((person.id = l.actor_id)));

ALTER VIEW "private"."staff_audit_log" OWNER TO "postgres";

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
        END, 'closedById', c.closed_by, 'closedAt', private.utc(c.closed_at), 'spaceId', c.space_id, 'staffFrom', private.utc(c.staff_from), 'updatedAt', private.utc(c.updated_at), 'createdAt', private.utc(c.opened_at)) AS card,
    private.is_own_thing(c.target_type, c.target_id, c.person_id) AS own
   FROM (((app.cases c
     LEFT JOIN app.users u ON ((u.id = c.person_id)))
     LEFT JOIN app.person_card person ON ((person.id = c.person_id)))
     LEFT JOIN app.person_card claimer ON ((claimer.id = c.claimed_by)));

ALTER VIEW "private"."staff_cases" OWNER TO "postgres";

CREATE VIEW "private"."staff_circles" WITH (security_invoker=true) AS  SELECT c.created_at AS at,
    c.id,
    c.kind,
    c.owner_id,
    concat_ws(' '::text, c.name, u.username) AS said,
    json_build_object('id', c.id, 'name', c.name, 'kind', c.kind, 'accent', c.accent, 'ownerId', c.owner_id, 'owner', owner.card, 'memberCount', ( SELECT count(*) AS count
           FROM app.circle_members m
          WHERE (m.circle_id = c.id)), 'createdAt', private.utc(c.created_at)) AS card
   FROM ((app.circles c
     JOIN app.users u ON ((u.id = c.owner_id)))
     JOIN app.person_card owner ON ((owner.id = c.owner_id)));

ALTER VIEW "private"."staff_circles" OWNER TO "postgres";

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

CREATE VIEW "private"."staff_intents" WITH (security_invoker=true) AS  SELECT i.created_at AS at,
    i.user_id AS id,
    i.intent,
    i.is_active AS active,
    concat_ws(' '::text, u.username, i.note) AS said,
    json_build_object('id', i.user_id, 'user', person.card, 'intent', i.intent, 'note', i.note, 'isActive', i.is_active, 'createdAt', private.utc(i.created_at), 'updatedAt', private.utc(i.updated_at)) AS card
   FROM ((app.connection_intents i
     JOIN app.users u ON ((u.id = i.user_id)))
     JOIN app.person_card person ON ((person.id = i.user_id)));

ALTER VIEW "private"."staff_intents" OWNER TO "postgres";

CREATE VIEW "private"."staff_invite_codes" WITH (security_invoker=true) AS  SELECT c.created_at AS at,
    c.id,
    private.invite_status(c.*) AS status,
    c.generated_by,
    concat_ws(' '::text, c.code, u.username) AS said,
    json_build_object('id', c.id, 'code', c.code, 'status', private.invite_status(c.*), 'ownerId', c.generated_by, 'owner', owner.card, 'usedById', c.used_by, 'usedBy', redeemer.card, 'usedAt', private.utc(c.used_at), 'expiresAt', private.utc(c.expires_at), 'createdAt', private.utc(c.created_at)) AS card
   FROM (((app.invite_codes c
     JOIN app.users u ON ((u.id = c.generated_by)))
     JOIN app.person_card owner ON ((owner.id = c.generated_by)))
     LEFT JOIN app.person_card redeemer ON ((redeemer.id = c.used_by)));

ALTER VIEW "private"."staff_invite_codes" OWNER TO "postgres";

CREATE VIEW "private"."staff_media" WITH (security_invoker=true) AS  SELECT a.created_at AS at,
    a.id,
    a.kind,
    a.status,
    a.owner_id,
    ((a.kind = 'attachment'::text) OR (EXISTS ( SELECT
           FROM app.messages m
          WHERE (m.asset_id = a.id))) OR (EXISTS ( SELECT
           FROM (app.media_assets v
             JOIN app.messages m ON ((m.asset_id = v.id)))
          WHERE (v.poster_id = a.id)))) AS in_messages,
    concat_ws(' '::text, a.key, a.content_type, u.username) AS said,
    json_build_object('id', a.id, 'ownerId', a.owner_id, 'owner', owner.card, 'kind', a.kind, 'contentType', a.content_type, 'mimeType', a.mime_type, 'size', a.size, 'alt', a.alt, 'width', a.width, 'height', a.height, 'blurhash', a.blurhash, 'posterUrl', private.asset_url((a.poster_id)::text), 'status', a.status, 'url',
        CASE
            WHEN (a.status = 'committed'::text) THEN private.asset_url(a.key)
            ELSE NULL::text
        END, 'committedAt', private.utc(a.committed_at), 'createdAt', private.utc(a.created_at)) AS card
   FROM ((app.media_assets a
     JOIN app.users u ON ((u.id = a.owner_id)))
     JOIN app.person_card owner ON ((owner.id = a.owner_id)));

ALTER VIEW "private"."staff_media" OWNER TO "postgres";

CREATE VIEW "private"."staff_posts" WITH (security_invoker=true) AS  SELECT p.created_at AS at,
    p.id,
    p.author_id,
    p.format,
    p.interest_id,
    p.visibility,
    p.is_journalism AS journalism,
    (p.hidden_at IS NOT NULL) AS hidden,
    concat_ws(' '::text, p.title, "left"(p.body, 5000)) AS said,
    json_build_object('id', p.id, 'authorId', p.author_id, 'author', author.card, 'format', p.format, 'title', p.title, 'body', p.body, 'media', p.media, 'quotedPostId', p.quoted_post_id, 'visibility', p.visibility, 'depth', p.depth, 'interestId', p.interest_id, 'isJournalism', p.is_journalism, 'groupId',
        CASE space.kind
            WHEN 'group'::text THEN space.id
            ELSE NULL::uuid
        END, 'guildId',
        CASE space.kind
            WHEN 'guild'::text THEN space.id
            ELSE NULL::uuid
        END, 'publishAt', private.utc(p.publish_at), 'publishedAt', private.utc(p.published_at), 'editedAt', private.utc(p.edited_at), 'hiddenAt', private.utc(p.hidden_at), 'deletedAt', private.utc(p.deleted_at), 'createdAt', private.utc(p.created_at)) AS card
   FROM ((app.posts p
     JOIN app.person_card author ON ((author.id = p.author_id)))
     LEFT JOIN app.spaces space ON ((space.id = p.space_id)));

ALTER VIEW "private"."staff_posts" OWNER TO "postgres";

CREATE VIEW "private"."staff_replies" WITH (security_invoker=true) AS  SELECT r.created_at AS at,
    r.id,
    r.author_id,
    r.post_id,
    r.kind,
    (r.hidden_at IS NOT NULL) AS hidden,
    r.body AS said,
    json_build_object('id', r.id, 'postId', r.post_id, 'parentId', r.parent_id, 'authorId', r.author_id, 'author', author.card, 'kind', r.kind, 'body', r.body, 'hiddenAt', private.utc(r.hidden_at), 'deletedAt', private.utc(r.deleted_at), 'createdAt', private.utc(r.created_at)) AS card
   FROM (app.replies r
     JOIN app.person_card author ON ((author.id = r.author_id)));

ALTER VIEW "private"."staff_replies" OWNER TO "postgres";

CREATE VIEW "private"."staff_reports" WITH (security_invoker=true) AS  SELECT r.created_at AS at,
    r.id,
    r.status,
    r.target_type,
    r.target_id,
    r.reporter_id,
    r.reason AS said,
    json_build_object('id', r.id, 'reporterId', r.reporter_id, 'reporter', reporter.card, 'targetType', r.target_type, 'targetId', r.target_id, 'reason', r.reason, 'category', r.category, 'copy', r.copy, 'status', r.status, 'reviewedById', r.reviewed_by, 'reviewedAt', private.utc(r.reviewed_at), 'createdAt', private.utc(r.created_at)) AS card
   FROM (app.reports r
     JOIN app.person_card reporter ON ((reporter.id = r.reporter_id)));

CREATE VIEW "private"."staff_case_reports" WITH (security_invoker=true) AS  SELECT r.at,
    r.id,
    r.status,
    r.target_type,
    r.target_id,
    r.reporter_id,
    r.said,
    r.card,
    ((r.status = 'open'::text) AND COALESCE(((c.status = 'open'::text) AND (c.staff_from > now())), false)) AS waiting,
    private.is_own_thing(o.target_type, o.target_id, o.author_id) AS own
   FROM (((private.staff_reports r
     JOIN app.reports o ON ((o.id = r.id)))
     LEFT JOIN app.case_reports b ON ((b.report_id = r.id)))
     LEFT JOIN app.cases c ON ((c.id = b.case_id)));

ALTER VIEW "private"."staff_case_reports" OWNER TO "postgres";

ALTER VIEW "private"."staff_reports" OWNER TO "postgres";

CREATE VIEW "private"."staff_reputation_entries" WITH (security_invoker=true) AS  SELECT e.created_at AS at,
    e.id,
    e."position",
    e.user_id,
    e.interest_id,
    e.kind,
    (e.roll_up_level > 0) AS rolled_up,
    concat_ws(' '::text, u.username, i.slug, i.name) AS said,
    json_build_object('id', e.id, 'userId', e.user_id, 'user', person.card, 'interestId', e.interest_id, 'slug', i.slug, 'kind', e.kind, 'delta', e.delta, 'rollUpLevel', e.roll_up_level, 'originId', e.origin_id, 'undoesId', e.undoes_id, 'sourceId', e.source_id, 'earnedFromId', e.earned_from, 'createdAt', private.utc(e.created_at)) AS card
   FROM (((app.reputation_entries e
     JOIN app.users u ON ((u.id = e.user_id)))
     JOIN app.interests i ON ((i.id = e.interest_id)))
     JOIN app.person_card person ON ((person.id = e.user_id)));

ALTER VIEW "private"."staff_reputation_entries" OWNER TO "postgres";

CREATE VIEW "private"."staff_reputation_votes" WITH (security_invoker=true) AS  SELECT v.created_at AS at,
    v.id,
    v.user_id,
    v.voter_id,
    v.interest_id,
    v.value,
    concat_ws(' '::text, voter.username, u.username, v.comment) AS said,
    json_build_object('id', v.id, 'voterId', v.voter_id, 'voter', voter_card.card, 'userId', v.user_id, 'user', person.card, 'interestId', v.interest_id, 'value', v.value, 'comment', v.comment, 'impact', v.impact, 'createdAt', private.utc(v.created_at), 'updatedAt', private.utc(v.updated_at)) AS card
   FROM ((((app.reputation_votes v
     JOIN app.users voter ON ((voter.id = v.voter_id)))
     JOIN app.users u ON ((u.id = v.user_id)))
     JOIN app.person_card voter_card ON ((voter_card.id = v.voter_id)))
     JOIN app.person_card person ON ((person.id = v.user_id)));

ALTER VIEW "private"."staff_reputation_votes" OWNER TO "postgres";

CREATE VIEW "private"."staff_rule_hits" WITH (security_invoker=true) AS  SELECT h.created_at AS at,
    h.id,
    h.rule_id,
    h.mode,
    (h.target_id)::text AS said,
    json_build_object('id', h.id, 'targetType', h.target_type, 'targetId', h.target_id, 'authorId', h.author_id, 'author', author.card, 'mode', h.mode, 'action', h.action, 'caseId', h.case_id, 'createdAt', private.utc(h.created_at)) AS card,
    private.is_own_thing(h.target_type, h.target_id, h.author_id) AS own
   FROM (app.rule_hits h
     JOIN app.person_card author ON ((author.id = h.author_id)));

ALTER VIEW "private"."staff_rule_hits" OWNER TO "postgres";

CREATE VIEW "private"."staff_series" WITH (security_invoker=true) AS  SELECT s.created_at AS at,
    s.id,
    s.author_id,
    concat_ws(' '::text, s.title, s.description) AS said,
    json_build_object('id', s.id, 'authorId', s.author_id, 'author', author.card, 'title', s.title, 'description', s.description, 'partCount', ( SELECT count(*) AS count
           FROM app.series_items i
          WHERE (i.series_id = s.id)), 'createdAt', private.utc(s.created_at)) AS card
   FROM (app.series s
     JOIN app.person_card author ON ((author.id = s.author_id)));

ALTER VIEW "private"."staff_series" OWNER TO "postgres";

CREATE VIEW "private"."staff_spaces" WITH (security_invoker=true) AS  SELECT s.created_at AS at,
    s.id,
    s.kind,
    s.visibility,
        CASE
            WHEN (s.archived_at IS NULL) THEN 'active'::text
            ELSE 'archived'::text
        END AS status,
    concat_ws(' '::text, s.slug, s.name, s.about) AS said,
    private.merge_objects(json_build_object('id', s.id, 'slug', s.slug, 'name', s.name, 'about', s.about, 'interestId', s.interest_id, 'accent', s.accent, 'status',
        CASE
            WHEN (s.archived_at IS NULL) THEN 'active'::text
            ELSE 'archived'::text
        END, 'memberCount', s.member_count, 'archivedAt', private.utc(s.archived_at), 'createdAt', private.utc(s.created_at)),
        CASE
            WHEN (s.kind = 'group'::text) THEN json_build_object('visibility', s.visibility, 'joinPolicy', s.join_policy, 'ownerId', head.id, 'owner', head.card)
            ELSE json_build_object('minRep', g.min_rep, 'treasuryBalance', a.balance, 'founderId', head.id, 'founder', head.card, 'stewardCount', ( SELECT count(*) AS count
               FROM app.space_members m
              WHERE ((m.space_id = s.id) AND (m.role = 'moderator'::text))))
        END) AS card
   FROM ((((app.spaces s
     LEFT JOIN app.space_members owner ON (((owner.space_id = s.id) AND (owner.role = 'owner'::text))))
     LEFT JOIN app.person_card head ON ((head.id = owner.user_id)))
     LEFT JOIN app.guilds g ON ((g.space_id = s.id)))
     LEFT JOIN app.mana_accounts a ON ((a.id = g.space_id)));

ALTER VIEW "private"."staff_spaces" OWNER TO "postgres";

CREATE VIEW "private"."staff_stuck_effects" WITH (security_invoker=true) AS  SELECT s.failed_at AS at,
    s.user_id AS id,
    json_build_object('id', s.user_id, 'personId', s.user_id, 'person', p.card, 'event', s.event, 'eventId', s.event_id, 'listener', s.listener, 'attempts', s.attempts, 'code', "left"(s.message, 5), 'since', private.utc(e.caused_at), 'failedAt', private.utc(s.failed_at), 'retryAt', private.utc(s.retry_at)) AS card
   FROM ((private.stuck_effects s
     JOIN app.person_card p ON ((p.id = s.user_id)))
     LEFT JOIN private.effects e ON (((e.user_id = s.user_id) AND (e.id = s.effect_id))));

ALTER VIEW "private"."staff_stuck_effects" OWNER TO "postgres";

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

CREATE VIEW "private"."staff_invitees" WITH (security_invoker=true) AS  SELECT t.created_at AS at,
    t.invitee_id AS id,
    t.inviter_id,
    u.username AS said,
    private.merge_objects(s.card, json_build_object('joinedAt', private.utc(t.created_at), 'inviteeCount', ( SELECT count(*) AS count
           FROM ( SELECT
                   FROM app.invite_tree o_1
                  WHERE (o_1.inviter_id = t.invitee_id)
                 LIMIT 1000) o), 'strikes', private.count_strikes(t.invitee_id))) AS card
   FROM ((app.invite_tree t
     JOIN app.users u ON ((u.id = t.invitee_id)))
     JOIN private.staff_users s ON ((s.id = t.invitee_id)));

ALTER VIEW "private"."staff_invitees" OWNER TO "postgres";

ALTER VIEW "private"."staff_users" OWNER TO "postgres";

CREATE VIEW "private"."staff_wallets" WITH (security_invoker=true) AS  SELECT a.created_at AS at,
    a.id,
    concat_ws(' '::text, u.username, u.first_name, u.last_name) AS said,
    json_build_object('id', a.id, 'user', person.card, 'balance', w.balance, 'lifetimeEarned', w.lifetime_earned, 'lifetimeSpent', w.lifetime_spent, 'lastRegenAt', private.utc(w.last_regen_at), 'createdAt', private.utc(a.created_at)) AS card
   FROM (((app.mana_accounts a
     JOIN app.wallets w ON ((w.user_id = a.id)))
     JOIN app.users u ON ((u.id = a.id)))
     JOIN app.person_card person ON ((person.id = a.id)))
  WHERE (a.kind = 'wallet'::text);

ALTER VIEW "private"."staff_wallets" OWNER TO "postgres";

CREATE VIEW "private"."written_heads" WITH (security_invoker=true) AS  SELECT c.id,
    c.kind,
    json_build_object('id', c.id, 'kind', c.kind, 'authorId', author.actor_id, 'author', author.card, 'interestId', c.interest_id, 'interest', ( SELECT json_build_object('id', i.id, 'slug', i.slug, 'name', i.name, 'accentColor', i.accent_color) AS json_build_object
           FROM app.interests i
          WHERE (i.id = c.interest_id)), 'title', c.title, 'groupId', s.group_id, 'guildId', s.guild_id, 'createdAt', private.utc(c.created_at), 'editedAt', private.utc(c.edited_at), 'removedAt', private.utc(c.removed_at)) AS head
   FROM ((app.contents c
     JOIN app.person_card author ON ((author.id = c.author_id)))
     LEFT JOIN LATERAL ( SELECT
                CASE p.kind
                    WHEN 'group'::text THEN p.id
                    ELSE NULL::uuid
                END AS group_id,
                CASE p.kind
                    WHEN 'guild'::text THEN p.id
                    ELSE NULL::uuid
                END AS guild_id
           FROM app.spaces p
          WHERE (p.id = c.space_id)) s ON (true));

CREATE VIEW "private"."content_heads" WITH (security_invoker=true) AS  SELECT h.id,
    h.kind,
    h.head
   FROM (private.visible_contents c
     JOIN private.written_heads h ON ((h.id = c.id)));

ALTER VIEW "private"."content_heads" OWNER TO "postgres";

ALTER VIEW "private"."written_heads" OWNER TO "postgres";

CREATE INDEX access_tokens_over_idx ON app.access_tokens USING btree (LEAST(ended_at, to_timestamp((expires_at)::double precision)));

CREATE INDEX access_tokens_user_id_idx ON app.access_tokens USING btree (user_id, created_at DESC, id DESC);

CREATE INDEX app_consents_app_id_idx ON app.app_consents USING btree (app_id, id) WHERE (ended_at IS NULL);

CREATE INDEX app_consents_of_app_idx ON app.app_consents USING btree (app_id, id);

CREATE INDEX app_consents_over_idx ON app.app_consents USING btree (LEAST(ended_at, expires_at));

CREATE INDEX app_consents_user_id_idx ON app.app_consents USING btree (user_id, created_at);

CREATE INDEX apps_ended_at_idx ON app.apps USING btree (ended_at);

CREATE INDEX apps_owner_id_idx ON app.apps USING btree (owner_id, created_at DESC, id DESC);

CREATE INDEX notifications_updated_at_idx ON app.notifications USING btree (user_id, in_app, updated_at, id);

CREATE INDEX users_bot_owner_id_idx ON app.users USING btree (bot_owner_id, created_at, id);

CREATE INDEX video_comments_created_at_idx ON app.video_comments USING btree (created_at DESC, id DESC);

CREATE INDEX identities_user_id_idx ON private.identities USING btree (user_id, created_at);

CREATE INDEX oauth_records_consent_id_idx ON private.oauth_records USING btree (consent_id, expires_at);

CREATE INDEX oauth_records_expires_at_idx ON private.oauth_records USING btree (expires_at);

CREATE UNIQUE INDEX oauth_records_user_code_idx ON private.oauth_records USING btree (user_code);

CREATE INDEX oidc_logins_created_at_idx ON private.oidc_logins USING btree (created_at);

CREATE INDEX operation_scopes_scope_idx ON private.operation_scopes USING btree (scope);

CREATE INDEX passkey_challenges_challenge_hash_idx ON private.passkey_challenges USING btree (challenge_hash);

CREATE INDEX passkey_challenges_created_at_idx ON private.passkey_challenges USING btree (created_at);

CREATE INDEX passkey_challenges_user_id_idx ON private.passkey_challenges USING btree (user_id, created_at);

CREATE UNIQUE INDEX passkeys_credential_id_idx ON private.passkeys USING btree (credential_id);

CREATE INDEX passkeys_user_id_idx ON private.passkeys USING btree (user_id, created_at);

CREATE TRIGGER reject_null BEFORE INSERT OR UPDATE ON app.apps FOR EACH ROW WHEN (((new.id IS NULL) OR (new.owner_id IS NULL) OR (new.name IS NULL) OR (new.redirect_uris IS NULL) OR (new.scopes IS NULL) OR (new.is_confidential IS NULL) OR (new.created_at IS NULL))) EXECUTE FUNCTION private.reject_null();

CREATE CONSTRAINT TRIGGER _190_judge_edited AFTER UPDATE OF title, body ON app.course_lessons DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.title IS DISTINCT FROM old.title) OR ((new.body)::text IS DISTINCT FROM (old.body)::text))) EXECUTE FUNCTION private.judge_lesson();

CREATE CONSTRAINT TRIGGER _190_judge_new AFTER INSERT ON app.course_lessons DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.judge_lesson();

CREATE CONSTRAINT TRIGGER _190_judge_new AFTER INSERT ON app.debate_arguments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.judge_child('argument');

CREATE CONSTRAINT TRIGGER judge_new AFTER INSERT ON app.offering_reviews DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.judge_child('review');

CREATE CONSTRAINT TRIGGER _190_judge_edited AFTER UPDATE OF edited_at ON app.problem_solutions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.deleted_at IS NULL) AND (new.edited_at IS DISTINCT FROM old.edited_at))) EXECUTE FUNCTION private.judge_child('solution');

CREATE CONSTRAINT TRIGGER _190_judge_new AFTER INSERT ON app.problem_solutions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.judge_child('solution');

CREATE TRIGGER _070_end_consents_with_tokens AFTER UPDATE OF tokens_valid_from ON app.users FOR EACH ROW WHEN ((old.tokens_valid_from <> new.tokens_valid_from)) EXECUTE FUNCTION private.end_consents_with_tokens();

CREATE CONSTRAINT TRIGGER judge_new AFTER INSERT ON app.video_comments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.judge_child('video-comment');

CREATE TRIGGER send_revoked_token AFTER INSERT OR UPDATE OF scopes ON private.revoked_tokens FOR EACH ROW WHEN ((new.scopes IS NULL)) EXECUTE FUNCTION private.send_revoked_token();

CREATE POLICY "select_own" ON "app"."access_tokens" FOR SELECT TO "authenticated" USING ((user_id = ( SELECT app.uid() AS uid)));

COMMENT ON COLUMN "app"."access_tokens"."client_id" IS 'The app that has the token; null for a personal one.';

COMMENT ON COLUMN "app"."access_tokens"."ended_at" IS 'When it was ended before it expired; null otherwise.';

COMMENT ON COLUMN "app"."access_tokens"."ends_with_password" IS 'Whether a new password ends the token.';

COMMENT ON COLUMN "app"."access_tokens"."expires_at" IS 'exp of its claims, in unix seconds: when it ends by itself.';

COMMENT ON COLUMN "app"."access_tokens"."issued_at" IS 'iat of its claims, in unix seconds.';

COMMENT ON COLUMN "app"."access_tokens"."last_used_at" IS 'When it was last used, accurate to five minutes; null if it never was.';

COMMENT ON COLUMN "app"."access_tokens"."live_tokens" IS 'The short tokens for which it was exchanged and that have not expired: [[iat, exp], …] in unix seconds. They end with it.';

COMMENT ON COLUMN "app"."access_tokens"."name" IS 'What the person calls it, or the name of the app.';

COMMENT ON COLUMN "app"."access_tokens"."scopes" IS 'What the token may do.';

COMMENT ON COLUMN "app"."app_consents"."ended_at" IS 'When it was revoked; null otherwise.';

COMMENT ON COLUMN "app"."app_consents"."expires_at" IS '60 days after the last use of the refresh token.';

COMMENT ON COLUMN "app"."app_consents"."generation" IS 'The generation of the current refresh token: how often it was replaced.';

COMMENT ON COLUMN "app"."app_consents"."last_used_at" IS 'When the app last got an access token by this consent.';

COMMENT ON COLUMN "app"."app_consents"."refresh" IS 'What the facade keeps about the refresh token, which is not in it; null before the first one.';

COMMENT ON COLUMN "app"."app_consents"."scopes" IS 'What the person allowed.';

COMMENT ON COLUMN "app"."apps"."ended_at" IS 'When it was deleted; null before.';

COMMENT ON COLUMN "app"."apps"."is_confidential" IS 'Whether the app proves itself by a secret, because it runs on a server of its own.';

COMMENT ON COLUMN "app"."apps"."redirect_uris" IS 'Where an authorization may lead back to, compared exactly; only the port of a loopback address is free.';

COMMENT ON COLUMN "app"."apps"."scopes" IS 'What the app may ask for at most.';

COMMENT ON COLUMN "app"."apps"."secret_hash" IS 'SHA-256 of the secret, which has 256 random bits; null until the first one was made, and for other apps.';

COMMENT ON COLUMN "app"."apps"."website" IS 'A page about the app; null if there is none.';

COMMENT ON COLUMN "app"."decisions"."lifted_at" IS 'When its effect ended: staff ended it, its time was over, staff hid what a rule or a space had hidden, or another ban or suspension replaced it. Its strikes remain.';

COMMENT ON COLUMN "app"."post_counters"."bot_replies" IS 'How many of the replies are by bots. These do not count for trending.';

COMMENT ON COLUMN "app"."reputation_entries"."interest_id" IS 'The id of a row of the table `interests`. It has no foreign key, because app.reputation has one and a row for each interest with entries.';

COMMENT ON COLUMN "app"."reputation_kinds"."interest_id" IS 'The id of a row of the table `interests`. It has no foreign key, because app.reputation has one and a row for each person and interest here.';

COMMENT ON COLUMN "app"."users"."bot_owner_id" IS 'The person who runs this account and answers for it, if it is a bot: sql/identity/57_bots.sql. Null for people.';

COMMENT ON COLUMN "app"."users"."country" IS 'The ISO 3166-1 alpha-2 code. Only the first admin and bots have no country.';

COMMENT ON COLUMN "private"."credentials"."password_hash" IS 'Null for a person who logs in with an OpenID provider only.';

COMMENT ON COLUMN "private"."identities"."email" IS 'The address of the account when it was linked. It is only shown.';

COMMENT ON COLUMN "private"."identities"."issuer" IS 'The address by which the provider names itself.';

COMMENT ON COLUMN "private"."identities"."last_used_at" IS 'When it was last used for a login or a proof, or linked.';

COMMENT ON COLUMN "private"."identities"."subject" IS 'The id of the account at the provider, which never changes.';

COMMENT ON COLUMN "private"."judged_types"."present" IS 'The condition for rows of the table that were not deleted.';

COMMENT ON COLUMN "private"."oauth_records"."consumed_at" IS 'When a code was used; a code that comes again ends its consent.';

COMMENT ON COLUMN "private"."oauth_records"."expires_at" IS 'Until when it counts.';

COMMENT ON COLUMN "private"."oauth_records"."key" IS 'SHA-256 of the code or the token, or of the id of the request.';

COMMENT ON COLUMN "private"."oauth_records"."user_code" IS 'SHA-256 of the code that a person enters for a device.';

COMMENT ON COLUMN "private"."oidc_logins"."challenge" IS 'SHA-256 of the client''s verifier, in base64url.';

COMMENT ON COLUMN "private"."oidc_logins"."is_fresh" IS 'Whether the provider asked for the password, at most 5 minutes ago.';

COMMENT ON COLUMN "private"."oidc_logins"."used_at" IS 'When the one-time code was used; null until then.';

COMMENT ON COLUMN "private"."operation_scopes"."operation" IS 'The name of the operation. For a route that calls none, the operationId of the route.';

COMMENT ON COLUMN "private"."operation_scopes"."scope" IS 'Null if every token may do it.';

COMMENT ON COLUMN "private"."passkey_challenges"."slot" IS 'A number from 0 to 65535, chosen by chance.';

COMMENT ON COLUMN "private"."passkey_challenges"."user_id" IS 'Who asked for it; null for a login.';

COMMENT ON COLUMN "private"."passkeys"."counter" IS 'How often the device says that it has used the key; 0 if the device does not count. A lower number than before means that somebody has a copy of the key.';

COMMENT ON COLUMN "private"."passkeys"."credential_id" IS 'The id that the device gave the key.';

COMMENT ON COLUMN "private"."passkeys"."last_used_at" IS 'When it was last used; null if never.';

COMMENT ON COLUMN "private"."passkeys"."name" IS 'What the person calls it.';

COMMENT ON COLUMN "private"."passkeys"."public_key" IS 'The public key, as COSE (RFC 9052) writes it.';

COMMENT ON COLUMN "private"."passkeys"."transports" IS 'How browsers reach the device: usb, nfc, ble, internal, hybrid and others.';

COMMENT ON COLUMN "private"."realtime_topics"."scopes" IS 'A token with scopes may listen to these channels if it has all of these scopes; it may not if there are none here.';

COMMENT ON COLUMN "private"."revoked_tokens"."scopes" IS 'What the token may still do, as private.scopes has it; null if it was revoked.';

COMMENT ON COLUMN "private"."scopes"."position" IS 'The order in which people see the scopes.';

COMMENT ON COLUMN "private"."scopes"."says" IS 'What a token with the scope may do, as a sentence for people.';

COMMENT ON COLUMN "private"."scopes"."staff" IS 'Whether only moderators and admins can have tokens with the scope.';

COMMENT ON FUNCTION "api"."add_passkey"(bytea, bytea, bigint, text[], text, integer, uuid, bytea, text, text, text) IS 'For the facade alone, after it has checked the signature: adds a passkey, {passkey}. If it is the caller''s first factor, all tokens and sessions end, and the answer also has {claims, user, credentialsVersion, recoveryCodes} for new tokens. p_family is the id of the new session; with p_refresh_hash it is a rotating one.';

COMMENT ON FUNCTION "api"."answer_device"(bytea, jsonb) IS 'For the facade alone: keeps what a person answered to a device.';

COMMENT ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone, boolean) IS 'Bans a person: they are logged out immediately, and what they published is hidden from everyone until the ban ends. With p_until it ends by itself at that time, at most 366 days from now. Banning a banned person with another p_until, or without one, moves or removes the end; otherwise repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. The bots of a person are banned with them; with p_also_owner a bot''s owner is banned, with all their bots. Leaves an audit entry with the reason.';

COMMENT ON FUNCTION "api"."check_password_reset"(uuid, bytea) IS 'For the facade alone: checks a token before the facade hashes a new password, {words}: the names and the address of the person.';

COMMENT ON FUNCTION "api"."consume_oauth_record"(text, bytea) IS 'For the facade alone: uses up a code. If it was used before, its consent ends.';

COMMENT ON FUNCTION "api"."consume_refresh"(uuid, integer) IS 'For the facade alone: uses up the refresh token of a generation. One that comes again ends the consent, except the latest one within 10 seconds of its first use.';

COMMENT ON FUNCTION "api"."create_access_token"(text, text[], bytea, text, timestamp with time zone, boolean) IS 'For the facade alone: makes an access token of the caller with this hash, as api.list_access_tokens returns it, with tokenHash (hex) and the nonce of which the facade made the token. Without p_expires_at it expires after 365 days. Fails: access_token_name.';

COMMENT ON FUNCTION "api"."create_app"(text, text[], text[], boolean, text) IS 'Registers an app: {id, name, website, redirectUris, scopes, isConfidential, hasSecret, createdAt}. Only admins can, unless the instance lets everyone. A person can have 20. Fails: app_name, app_website.';

COMMENT ON FUNCTION "api"."create_bot"(text, text, text, text, text, text) IS 'Creates a bot of the caller, who answers for it: its card, as in api.list_bots. It spends the given active invite code of the caller, or one of their allotment. At most 5 a person. Fails: username_reserved.';

COMMENT ON FUNCTION "api"."create_bot_token"(text, text, text[], bytea, text, timestamp with time zone) IS 'For the facade alone: makes an access token of a bot of the caller, as api.create_access_token makes one of the caller. Fails: access_token_name.';

COMMENT ON FUNCTION "api"."delete_app"(uuid) IS 'Deletes an app of the caller, with all consents and tokens: it gets no new token, and those that it has end.';

COMMENT ON FUNCTION "api"."delete_bot"(text) IS 'Erases a bot of the caller for good, as api.erase_me erases a person. The invite is not given back.';

COMMENT ON FUNCTION "api"."delete_oauth_record"(text, bytea) IS 'For the facade alone: forgets a request or a code, and ends a token.';

COMMENT ON FUNCTION "api"."end_access_token"(uuid) IS 'Ends a personal access token of the caller, with the short tokens for which it was exchanged. Repeating it changes nothing.';

COMMENT ON FUNCTION "api"."end_bot_token"(text, uuid) IS 'Ends an access token of a bot of the caller. Repeating it changes nothing.';

COMMENT ON FUNCTION "api"."end_consent"(uuid) IS 'For the facade alone: ends a consent with its tokens.';

COMMENT ON FUNCTION "api"."exchange_access_token"(integer) IS 'For the facade alone: the claims of a token that is valid for this many seconds and may do what the access token of this request may do, {sub, email, role, iat, exp}. It ends with the access token.';

COMMENT ON FUNCTION "api"."find_access_token"(bytea) IS 'For the facade alone: the claims of the access token with this hash, {sub, email, role, iat, exp}; null if there is none or it was ended. Its holder''s role is that of its issue, because another role ends all tokens.';

COMMENT ON FUNCTION "api"."find_app"(uuid) IS 'For the facade alone: an app with the hash of its secret, or null if there is none.';

COMMENT ON FUNCTION "api"."find_consent"(uuid) IS 'For the facade alone: a consent that is valid, {userId, appId, scopes, generation, refresh, wasJustUsed, iat, exp}, or null.';

COMMENT ON FUNCTION "api"."find_identity"(uuid, bytea, text) IS 'For the facade alone: whose login this one-time code belongs to, {userId, credentialsVersion, email}.';

COMMENT ON FUNCTION "api"."find_login"(text) IS 'For the facade alone: the person with this address and the password hash to check at login, {userId, passwordHash, credentialsVersion}, or null if nobody has it. The hash is null if the person has no password.';

COMMENT ON FUNCTION "api"."find_oauth_record"(text, bytea, bytea) IS 'For the facade alone: what was kept under this key or user code, with the time at which it was used; or null.';

COMMENT ON FUNCTION "api"."find_password"() IS 'For the facade alone: the caller''s password hash, for operations that require the password, {userId, passwordHash, credentialsVersion, words (names and address)}.';

COMMENT ON FUNCTION "api"."finish_oidc"(uuid, bytea, text, text, text, text, boolean) IS 'For the facade alone, after it has checked the provider''s answer: records a login there, {ok}. Its one-time code can be used for 30 minutes. Each login can come back once.';

COMMENT ON FUNCTION "api"."give_consent"(uuid, uuid, uuid, text[]) IS 'For the facade alone: the caller allows an app these scopes. If the caller has more than 50 consents, the least recently used one ends.';

COMMENT ON FUNCTION "api"."issue_app_token"(uuid, bytea, text[], jsonb, integer) IS 'For the facade alone: an app gets an access token with this hash by a consent. Of one consent the newest 10 are valid.';

COMMENT ON FUNCTION "api"."link_identity"(uuid, bytea, text) IS 'For the facade alone: links a login at the provider to the caller, who has given a fresh proof. Returns what api.list_identities does. The addresses need not be the same.';

COMMENT ON FUNCTION "api"."list_access_tokens"() IS 'The caller''s personal access tokens that have not ended, newest first: {id, name, scopes, endsWithPassword, createdAt, lastUsedAt, expiresAt}. There are at most 50, so all are on one page.';

COMMENT ON FUNCTION "api"."list_apps"() IS 'The apps that the caller registered, newest first. There are at most 20, so all are on one page.';

COMMENT ON FUNCTION "api"."list_bot_tokens"(text) IS 'The access tokens of a bot of the caller that have not ended, newest first, as in api.list_access_tokens.';

COMMENT ON FUNCTION "api"."list_bots"() IS 'The caller''s bots, {items}, oldest first: cards of people with {about, createdAt, bannedAt}.';

COMMENT ON FUNCTION "api"."list_factors"() IS 'The caller''s second factors: {totp: {createdAt, lastUsedAt} or null, passkeys: [{id, name, createdAt, lastUsedAt}], recoveryCodesLeft, isRequired (by the caller''s role), provedUntil (null if this session has no fresh proof)}.';

COMMENT ON FUNCTION "api"."list_identities"() IS 'The logins that the caller linked, oldest first: {items: [{id, issuer, email, createdAt, lastUsedAt}], hasPassword}.';

COMMENT ON FUNCTION "api"."list_my_apps"() IS 'The apps that the caller allowed to use the API, {id, name, website, scopes, since, lastUsedAt}. A person has at most 50 consents, so all are on one page.';

COMMENT ON FUNCTION "api"."list_scopes"() IS 'The scopes that an access token can have, {scope, description, isForStaff}, all on one page.';

COMMENT ON FUNCTION "api"."log_in_elsewhere"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) IS 'For the facade alone: logs in the person who linked this login, like api.log_in, {claims, user, credentialsVersion}. A person with a second factor also gives p_code.';

COMMENT ON FUNCTION "api"."log_in_with_passkey"(uuid, uuid, bigint, integer, uuid, bytea, text, text, text, bytea) IS 'For the facade alone, after it has checked the signature: logs the person in, {claims, user, credentialsVersion}, as api.log_in does. A passkey is both factors, and a fresh proof.';

COMMENT ON FUNCTION "api"."note_presence"() IS 'Records that the caller and the session of the token are active now, or only that an access token was used. It writes each at most once in five minutes, even if several facades call it.';

COMMENT ON FUNCTION "api"."prove_elsewhere"(uuid, bytea, text) IS 'For the facade alone: records a fresh proof of this session by a login at the provider that asked for the password, {provedUntil}. People with a second factor prove that factor instead.';

COMMENT ON FUNCTION "api"."prove_with_passkey"(uuid, bigint) IS 'For the facade alone, after it has checked the signature: records a fresh proof of this session, {provedUntil}.';

COMMENT ON FUNCTION "api"."register_elsewhere"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) IS 'For the facade alone: like api.register, but with a login at the provider instead of a password. The address is the one that the provider verified.';

COMMENT ON FUNCTION "api"."remove_passkey"(uuid) IS 'Removes a passkey of the caller; with the last factor also the recovery codes, unless the caller''s role requires a factor.';

COMMENT ON FUNCTION "api"."remove_totp"() IS 'Removes the caller''s authenticator app; with the last factor also the recovery codes, unless the caller''s role requires a factor.';

COMMENT ON FUNCTION "api"."rename_passkey"(uuid, text) IS 'Renames a passkey of the caller: {id, name, createdAt, lastUsedAt}. The name has 1 to 60 characters.';

COMMENT ON FUNCTION "api"."renew_app_secret"(uuid, bytea) IS 'For the facade alone: gives a confidential app of the caller a new secret with this hash. The previous one ends at once.';

COMMENT ON FUNCTION "api"."revoke_my_app"(uuid) IS 'Ends what the caller allowed an app, and its tokens at once.';

COMMENT ON FUNCTION "api"."start_passkey"(bytea) IS 'For the facade alone: stores the challenge of a new passkey. {handle (how the device names the person, hex), username, known: the passkeys that the caller has}.';

COMMENT ON FUNCTION "api"."start_passkey_login"(bytea) IS 'For the facade alone: stores the challenge of a login, {ok}.';

COMMENT ON FUNCTION "api"."start_passkey_proof"(bytea) IS 'For the facade alone: stores the challenge of a fresh proof, {known: the passkeys that the caller has}.';

COMMENT ON FUNCTION "api"."store_oauth_record"(text, bytea, jsonb, integer, bytea) IS 'For the facade alone: keeps a request or a code for so many seconds.';

COMMENT ON FUNCTION "api"."store_refresh"(uuid, integer, jsonb) IS 'For the facade alone: keeps what belongs to the refresh token of this generation, if it is the current one.';

COMMENT ON FUNCTION "api"."take_passkey_challenge"(bytea, text, bytea) IS 'For the facade alone: uses up a challenge. {isOpen: whether it was one of this purpose and caller, passkey: {id, userId, publicKey (hex), credentialsVersion}, null if there is none that the caller may use}.';

COMMENT ON FUNCTION "api"."unlimit_person"(text, text) IS 'Ends a limit of another person. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."unlink_identity"(uuid) IS 'Removes a linked login of the caller, who has given a fresh proof. Their only way to log in stays: identity_needed.';

COMMENT ON FUNCTION "api"."update_app"(uuid, jsonb) IS 'Changes an app of the caller, {name, website, redirectUris, scopes}: absent fields do not change, and null clears website. Consents that people gave keep their scopes. Fails: app_name, app_website.';

COMMENT ON FUNCTION "api"."update_bot"(text, jsonb) IS 'Changes a bot of the caller, {username, firstName, lastName, about, profilePicUrl}: absent fields remain unchanged, null clears about and profilePicUrl. Fails: username_taken, username_reserved, usernames_exhausted.';

COMMENT ON FUNCTION "private"."access_token_card"(app.access_tokens) IS 'An access token as its person sees it: {id, name, scopes, endsWithPassword, createdAt, lastUsedAt, expiresAt}.';

COMMENT ON FUNCTION "private"."access_tokens_rules"(text, text, bytea, text) IS 'The checks of app.access_tokens. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."add_identity"(uuid, private.oidc_logins) IS 'Links a login at the provider to a person. Fails: identity_taken.';

COMMENT ON FUNCTION "private"."add_own_bot"(text, text, text, text, text, text) IS 'Creates a bot of the caller, who spends an invite on it, as api.create_bot says. Its hash matches no password.';

COMMENT ON FUNCTION "private"."answers_for"(text, uuid, uuid, uuid) IS 'Whether a person answers for a thing: as p_author, or as one of its co-authors.';

COMMENT ON FUNCTION "private"."app_card"(app.apps) IS 'An app as its owner sees it: {id, name, website, redirectUris, scopes, isConfidential, hasSecret, createdAt}.';

COMMENT ON FUNCTION "private"."app_consents_rules"(integer) IS 'The checks of app.app_consents. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."apps_rules"(text, text, bytea) IS 'The checks of app.apps. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."change_own_app"(uuid, jsonb) IS 'Changes an app of the caller, as api.update_app says.';

COMMENT ON FUNCTION "private"."check_caller"() IS 'Returns true, or raises token_revoked if the token is not valid, scope_missing or session_required if it has scopes and the operation of the request needs another one. All entry points call it: private.enter and PostgREST''s db_pre_request; the Realtime policy calls private.check_token.';

COMMENT ON FUNCTION "private"."check_token"() IS 'Returns the scopes of the token, null if it has none and so may do everything that its holder may do. Raises token_revoked if the token''s holder was erased or banned or has another role, or if the token was ended.';

COMMENT ON FUNCTION "private"."close_sessions"(uuid, boolean) IS 'Locks a person, and ends their sessions and access tokens. Returns the value that tokens_valid_from must have to revoke every other token issued so far: the next whole second. With p_by_password, because the password has changed, it leaves the access tokens that do not end with it.';

COMMENT ON FUNCTION "private"."count_replies"() IS 'Trigger: counts the replies that everyone can see, without those that are hidden, deleted or by banned people; those of bots are also counted apart.';

COMMENT ON FUNCTION "private"."count_writes"(text, integer, uuid) IS 'Counts this many writes of the caller in their hour; a bot may write in 24 hours as much as a person in one. If that exceeds the limit it raises an error, and nothing is counted, because the transaction is undone. For another person (p_user) it raises no error: it counts all writes, and returns how many of them were within the limit. The row of the person is locked until the transaction ends: ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."create_own_app"(text, text[], text[], boolean, text) IS 'Registers an app of the caller, as api.create_app says.';

COMMENT ON FUNCTION "private"."create_wallet"() IS 'Trigger: gives every new person a wallet with 50 mana, and every new bot an empty one.';

COMMENT ON FUNCTION "private"."delete_own_app"(uuid) IS 'Deletes an app of the caller.';

COMMENT ON FUNCTION "private"."earn_contribution"(private.earning[]) IS 'Adds the points of each kind once per cause, until they are undone, and later a share of them to the inviters. Bots get none. Lock first (private.lock_effects).';

COMMENT ON FUNCTION "private"."earn_reputation"(private.earning[]) IS 'Adds the points of each kind once per cause, until they are undone. It adds nothing without an interest, and nothing that people would earn from themselves, that bots would earn, or that people would earn from bots. Lock first (private.lock_effects).';

COMMENT ON FUNCTION "private"."end_access_token"(uuid) IS 'Ends an access token, and the short tokens for which it was exchanged. Does nothing if it has ended.';

COMMENT ON FUNCTION "private"."end_app"(uuid) IS 'Ends an app: it gets no more tokens. Ends the first 500 consents at once, and leaves the others to the worker.';

COMMENT ON FUNCTION "private"."end_bot_access_token"(uuid, uuid) IS 'Ends an access token of a bot of the caller.';

COMMENT ON FUNCTION "private"."end_consent"(uuid) IS 'Ends a consent, with its refresh token and its access tokens. At most 10 of these are valid at a time.';

COMMENT ON FUNCTION "private"."end_consents_of"(uuid) IS 'Ends all consents of a person, of whom at most 50 are valid.';

COMMENT ON FUNCTION "private"."end_consents_of_person"(app.users) IS 'Step: a ban or an erasure ends what the person allowed apps, and the apps that the person registered.';

COMMENT ON FUNCTION "private"."end_consents_with_tokens"() IS 'Trigger: what ends all tokens of a person, such as a new password, ends the consents too.';

COMMENT ON FUNCTION "private"."end_factor"(uuid) IS 'What follows when the caller''s app or passkey has just been deleted: the fresh proofs of other sessions end. With the last factor the recovery codes are deleted, too; this fails if the role requires a factor.';

COMMENT ON FUNCTION "private"."end_more_consents"(jsonb, uuid) IS 'For the worker alone: ends the next 500 consents of an app {appId} that was deleted. Returns {changed, next}.';

COMMENT ON FUNCTION "private"."end_own_access_token"(uuid) IS 'Ends an access token if it is the caller''s.';

COMMENT ON FUNCTION "private"."end_own_consents"(uuid) IS 'Ends the caller''s consents to an app. Returns whether there were any.';

COMMENT ON FUNCTION "private"."end_tokens"(uuid, boolean) IS 'Revokes every token issued so far, and ends the sessions. With p_by_password, because the password has changed, it leaves the access tokens that do not end with it.';

COMMENT ON FUNCTION "private"."enter"(text, text, text) IS 'The entry point of the facade: sets the caller''s claims and the request''s headers (both JSON texts or null) for this transaction, and the path that PostgREST would have for the operation. Then it checks the caller. It returns one row or raises an error.';

COMMENT ON FUNCTION "private"."erase_account"(app.users) IS 'Step: deletes an erased person''s addresses, birthday, phone number, sessions, access tokens, devices, factors, linked logins and the texts of their personas, sets a hash that matches no password, and revokes all their invite codes.';

COMMENT ON FUNCTION "private"."erase_apps"(app.users) IS 'Step: deletes what the erased person allowed apps, and empties the apps that they registered.';

COMMENT ON FUNCTION "private"."erase_own_bot"(uuid) IS 'Erases a bot of the caller.';

COMMENT ON FUNCTION "private"."erase_person"(uuid) IS 'Erases a person and their bots in this transaction; the steps in private.account_steps erase the rest of their data. Repeating it changes nothing. For definer functions and staff operations.';

COMMENT ON FUNCTION "private"."find_banned_with"(uuid, boolean) IS 'Whom a ban of this account is against: the account, or with p_also_owner the owner of the bot, whose bots are banned with them.';

COMMENT ON FUNCTION "private"."find_child_versions"(text, uuid, timestamp with time zone) IS 'The current version of an argument, a solution, a review or a comment; earlier ones are not kept.';

COMMENT ON FUNCTION "private"."find_course_versions"(text, uuid, timestamp with time zone) IS 'The current version of a course and, as further versions, its lessons (at most 200), whose times are not kept. A draft has none.';

COMMENT ON FUNCTION "private"."find_identity"(private.oidc_logins) IS 'The linked account of a login at the provider; null if nobody linked it.';

COMMENT ON FUNCTION "private"."find_oidc_login"(uuid, bytea, text) IS 'The login that this one-time code and this challenge belong to.';

COMMENT ON FUNCTION "private"."find_own_bots"() IS 'The caller''s bots, oldest first; at most 5.';

COMMENT ON FUNCTION "private"."find_talent"(uuid[], text, text, uuid) IS 'Returns the next people with reputation in one of these interests, highest first, each with the interest where their reputation is highest. For each interest it considers the people of the highest bands of reputation, about 4000 in total, but at least 20 per interest.';

COMMENT ON FUNCTION "private"."hide_by_rule"(text, uuid) IS 'Hides a thing from everyone but its author, as staff hides or removes it. The worker leaves the audit entry. Returns false if it was hidden or deleted before, or if rules can''t hide things of its type.';

COMMENT ON FUNCTION "private"."is_bot"(uuid) IS 'Whether an account is a bot: sql/identity/57_bots.sql.';

COMMENT ON FUNCTION "private"."is_own_thing"(text, uuid, uuid) IS 'Whether the caller answers for a thing. Staff do not work on their own things.';

COMMENT ON FUNCTION "private"."is_owner_banned"(app.users) IS 'Whether an account is a bot whose owner is banned.';

COMMENT ON FUNCTION "private"."issue_access_token"(uuid, text, text, bytea, text[], integer, text, boolean) IS 'Makes an access token of the kind personal or app (then p_client is the app), and returns its claims. p_token_hash is the SHA-256 of the token. A person can have 50 personal ones.';

COMMENT ON FUNCTION "private"."judge_at_commit"(text, uuid, uuid) IS 'Judges a thing that its author has published or edited.';

COMMENT ON FUNCTION "private"."judge_child"() IS 'Trigger: judges what somebody has written, or edited, within a content. Its argument is the type.';

COMMENT ON FUNCTION "private"."judge_lesson"() IS 'Trigger: judges the course of a lesson that its author has written.';

COMMENT ON FUNCTION "private"."judge_written"(private.effects[]) IS 'Listener: as private.judge_published, for contents and what is written within them.';

COMMENT ON FUNCTION "private"."known_credentials"(uuid) IS 'The ids of a person''s passkeys in hex, for a browser: [{id, transports}].';

COMMENT ON FUNCTION "private"."known_scopes"(text[]) IS 'These scopes without duplicates and in their order. An app may ask for scopes that its owner may not have.';

COMMENT ON FUNCTION "private"."limit_to_scopes"(json, text[]) IS 'From now on a token with these claims may do only what the scopes allow.';

COMMENT ON FUNCTION "private"."list_bot_access_tokens"(uuid) IS 'The access tokens of a bot of the caller, as api.list_bot_tokens says.';

COMMENT ON FUNCTION "private"."list_own_access_tokens"() IS 'The caller''s access tokens, as api.list_access_tokens says.';

COMMENT ON FUNCTION "private"."list_own_apps"() IS 'The apps of the caller, as api.list_apps says.';

COMMENT ON FUNCTION "private"."list_own_consents"() IS 'The apps that the caller allowed, as api.list_my_apps says.';

COMMENT ON FUNCTION "private"."list_own_identities"() IS 'The caller''s linked logins, as api.list_identities returns them.';

COMMENT ON FUNCTION "private"."lock_own_app"(uuid) IS 'Finds an app of the caller, and locks it.';

COMMENT ON FUNCTION "private"."lock_own_credentials"() IS 'Locks the caller''s credentials and checks the token again. Returns the caller.';

COMMENT ON FUNCTION "private"."mail_about_factor"(uuid, text) IS 'Queues a mail that tells a person of a change of their factors: factorAdded, factorRemoved, recoveryUsed, recoveryRenewed, passkeyAdded, passkeyRemoved or passkeyEnded.';

COMMENT ON FUNCTION "private"."note_access_token_used"() IS 'Records that the access token of this request is used now. Returns whether the request has one.';

COMMENT ON FUNCTION "private"."note_challenge"(bytea, uuid, text) IS 'Stores a challenge for five minutes.';

COMMENT ON FUNCTION "private"."open_login"(uuid, integer, uuid, bytea, text, text, text, bytea, text) IS 'Begins a session of a person who has proved who they are, except for a second factor, as api.log_in says.';

COMMENT ON FUNCTION "private"."own_bot_card"(uuid) IS 'A bot of the caller as they see it: the card of a person with {about, createdAt, bannedAt}; null if the caller has no such bot.';

COMMENT ON FUNCTION "private"."passkey_card"(private.passkeys) IS 'A passkey as its person sees it: {id, name, createdAt, lastUsedAt}.';

COMMENT ON FUNCTION "private"."post_counters_rules"(integer, integer, integer, integer, bigint, numeric, integer) IS 'The checks of app.post_counters. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."raise_trending"() IS 'Trigger: reactions, reposts, bookmarks, and replies by people move a post up in the trending order, by four hours for every doubling. The order does not depend on the current time, so it changes only when somebody does something.';

COMMENT ON FUNCTION "private"."record_decision"() IS 'Trigger: writes the decision of an audit entry that concerns a person, and adds it to the history of the case that is being worked on (setting kith.case: {caseId, category, rule, spaceId}), or of the open case of the thing. If staff decides to hide or remove a thing, that lifts the decisions of rules and spaces about it. A ban or a suspension lifts the one before it, whose end it replaces.';

COMMENT ON FUNCTION "private"."redeem_invite"(uuid, text, text, text, text, date, text, text) IS 'Redeems a reservation and creates the person, who has no password if p_password_hash is null. Returns the person. A failure does not change the reservation.';

COMMENT ON FUNCTION "private"."refuse_bots"(text) IS 'Passes unless the caller is a bot and the operation is for people only.';

COMMENT ON FUNCTION "private"."refuse_own"(text, uuid, uuid) IS 'Passes if the caller may undo what staff decided about a thing. Nobody may who answers for it, admins included.';

COMMENT ON FUNCTION "private"."remove_own_passkey"(uuid) IS 'Removes a passkey of the caller, as api.remove_passkey says.';

COMMENT ON FUNCTION "private"."remove_own_totp"() IS 'Removes the caller''s authenticator app, as api.remove_totp says.';

COMMENT ON FUNCTION "private"."rename_own_passkey"(uuid, text) IS 'Renames a passkey of the caller, as api.rename_passkey does.';

COMMENT ON FUNCTION "private"."replace_password"(uuid, text) IS 'Sets a password, and ends everything that depended on the old one: tokens, except access tokens that do not end with it, sessions, device tokens, mailed links and a pending change of address.';

COMMENT ON FUNCTION "private"."reputation_band"(numeric) IS 'The band of a value of reputation: 0 below 1, 1 below 3, 2 below 7, one more with each doubling of the value plus one, and -1 for a value that is not above 0.';

COMMENT ON FUNCTION "private"."require_own_bot"(text) IS 'Finds a bot of the caller by personId, actor id or username.';

COMMENT ON FUNCTION "private"."require_redirects"(text[], boolean) IS 'These redirect URIs, if an app may have them.';

COMMENT ON FUNCTION "private"."require_registration"() IS 'Passes if the caller may register apps: REGISTER_APPS.';

COMMENT ON FUNCTION "private"."require_scope"(text[], text) IS 'Passes if these scopes, those of the caller''s token, include one that the operation needs. Fails: scope_missing.';

COMMENT ON FUNCTION "private"."require_scopes"(uuid, text[]) IS 'Returns these scopes without duplicates and in their order, if they exist and the person may have them.';

COMMENT ON FUNCTION "private"."send_revoked_token"() IS 'Trigger: tells Realtime that a token was revoked.';

COMMENT ON FUNCTION "private"."set_banned"(app.users, boolean, text, timestamp with time zone) IS 'Bans a person whose row private.lock_account locked, or ends the ban, and leaves an audit entry. Their bots are banned with them, and the same bots come back: those with the same time of the ban. With p_until the ban ends by itself at that time: a suspension. A banned person gets this end, or none.';

COMMENT ON FUNCTION "private"."set_content_removed"(text, uuid, boolean, text) IS 'Removes a content for everyone except its author, or restores it: {id, kind, removedAt}. Repeating it changes nothing and leaves no audit entry, unless staff removes what a rule has removed (private.takes_over); a deleted content is unknown. Nobody can restore what they wrote themselves.';

COMMENT ON FUNCTION "private"."set_post_hidden"(uuid, boolean, text) IS 'For staff: private.write_post_hidden. Nobody can show again what they wrote themselves.';

COMMENT ON FUNCTION "private"."set_reply_hidden"(uuid, boolean, text) IS 'For staff: private.write_reply_hidden. Nobody can show again what they wrote themselves.';

COMMENT ON FUNCTION "private"."settle"(uuid) IS 'Regenerates a wallet: 5 mana for every whole 24 hours since last_regen_at, until the wallet and the person''s holds together have 50. At 50 or more, a period adds nothing. Holds count because their mana may come back. Otherwise, when a person puts 50 mana into a bounty, the wallet would regenerate 50 mana and then also get the refund. It runs before any change of a balance or a hold, so spending mana doesn''t make up for periods that added nothing. The wallets of erased people and of bots don''t regenerate. Never: insufficient_mana.';

COMMENT ON FUNCTION "private"."spend_invite"(text) IS 'An active invite code of the caller: this one, or a new one within their allotment.';

COMMENT ON FUNCTION "private"."staff_user_details"(uuid) IS 'The fields that the list of people leaves out: {about, country, city, invitedById, invitedBy, owner (of a bot), bots (of a person), reputation, contribution, balance, openReports}. Reports are counted up to 1000, and those about the caller are not counted.';

COMMENT ON FUNCTION "private"."unlink_own_identity"(uuid) IS 'Removes a linked login of the caller, unless it is the last way in.';

COMMENT ON FUNCTION "private"."update_own_bot"(uuid, jsonb) IS 'Changes a bot of the caller, as api.update_bot says.';

COMMENT ON FUNCTION "private"."use_oidc_login"(uuid, bytea, text) IS 'Uses up a one-time code. If the operation then fails, the code can be used again.';

COMMENT ON FUNCTION "private"."use_passkey"(uuid, uuid, bigint) IS 'Records that a passkey was used. If its counter went back, the passkey, the tokens and the sessions of the person end, and it returns false: then the calling function must return an error, and not raise it.';

COMMENT ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone, uuid) IS 'The checks of app.users. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."words_of"(uuid) IS 'The names and the address of a person, of which a new password of theirs may not consist.';

COMMENT ON INDEX "app"."notifications_updated_at_idx" IS 'What changed in a person''s inbox, for private.list_changed, and everything that changed, for digests.';

COMMENT ON POLICY "select_own" ON "app"."access_tokens" IS 'People see their own access tokens, without the hashes. Definer functions write access tokens.';

COMMENT ON TABLE "app"."access_tokens" IS 'Tokens with scopes, for programs: personal ones, and those of apps. Only the SHA-256 of a token is stored. A token keeps its row for a day after its end.';

COMMENT ON TABLE "app"."accounts" IS 'Private data of a person. Only the first admin and bots have no date_of_birth.';

COMMENT ON TABLE "app"."app_consents" IS 'What a person allowed an app to do, once for each time the app asked. It ends when its refresh token was not used for 60 days. One that has ended keeps its row for a day, so that a stolen token stays known.';

COMMENT ON TABLE "app"."apps" IS 'Registered apps. The id is the client_id of OAuth. An app that was deleted keeps its row for a day, in which the worker ends what is left of its consents.';

COMMENT ON TABLE "app"."settings" IS 'Settings that SQL needs. Written at boot: instance_domain, rate_limit_scale, public_url, media_url, media_bucket, media_quota, media_hosts, webhook_exempt, backups (on or off), register_apps (admins or everyone), require_factor (roles, separated by commas), proof_tier. Written by the worker: embedding_model. Written by operators: searches_at_once. None is secret.';

COMMENT ON TABLE "private"."identities" IS 'Accounts at OpenID providers with which people log in, at most 5 for each person.';

COMMENT ON TABLE "private"."judged_types" IS 'Registry: the types of things that rules judge. If relation, hidden_at, verb and lock_kind are null, a rule can only open a case about such a thing.';

COMMENT ON TABLE "private"."oauth_records" IS 'What the provider of OAuth keeps for some minutes: requests of apps, codes and access tokens.';

COMMENT ON TABLE "private"."oidc_logins" IS 'Logins at the provider that have come back, each once by its id, with the SHA-256 of their one-time code.';

COMMENT ON TABLE "private"."operation_scopes" IS 'Registry: the scopes of each operation, of which a token with scopes needs one. An operation without a row is refused to these tokens.';

COMMENT ON TABLE "private"."operations_of_people" IS 'Registry: the operations that bots may not call. They are those by which people judge, are elected, own or move mana, and invite.';

COMMENT ON TABLE "private"."passkey_challenges" IS 'SHA-256 of the challenges that wait for the signature of a passkey: each counts once, within five minutes. A new one takes a slot by chance, and replaces what was there, so strangers can''t fill the table.';

COMMENT ON TABLE "private"."passkeys" IS 'The passkeys of people, at most ten for each person.';

COMMENT ON TABLE "private"."revoked_tokens" IS 'The denylist, keyed by a token''s (sub, iat, exp) in unix seconds, because PostgREST and Realtime see only claims. It also has the tokens with scopes: they may do only some of what their holder may do.';

COMMENT ON TABLE "private"."scopes" IS 'Registry: the scopes that a token can have.';

COMMENT ON TABLE "private"."write_counts" IS 'How much a person has written in their current hour, or a bot in its 24 hours; they begin with the first write. Unlogged and without foreign keys, because every write waits for it: after a crash of the database all hours start again.';

COMMENT ON VIEW "app"."bot_card" IS 'A bot: the card of a person with {about, createdAt}.';

COMMENT ON VIEW "app"."circle_card" IS 'A circle as its owner and members see it: {id, ownerId, owner, kind, name, accent, isOwner, createdAt}. A member does not see it while there is a block between the member and the owner.';

COMMENT ON VIEW "app"."circle_invitation_card" IS 'An invitation as the inviter and the invitee see it: {id, circleId, circleName, inviterId, inviter, inviteeId, invitee, bondLevel, status, createdAt}.';

COMMENT ON VIEW "app"."circle_member_card" IS 'A membership: {circleId, memberId, member, bondLevel, createdAt}. It is not shown while there is a block between the member and the viewer.';

COMMENT ON VIEW "app"."invite_card" IS 'A person''s own invite code: {id, code, status, reservedUntil, usedBy, usedAt, expiresAt, createdAt}. usedBy is null if nobody has used the code, or if the person who did is hidden.';

COMMENT ON VIEW "app"."notification_card" IS 'A notification: {id, kind, groupKey, count, actors, target, path, payload, createdAt, updatedAt, readAt}. actors are the first three that the caller can see, among the first 50.';

COMMENT ON VIEW "app"."payment_card" IS 'A payment as its sender or a receiver sees it: amount is the mana that the caller paid or got, total the mana that was paid. The payment remains visible if the other person is hidden (by a block, a ban or an erasure), but that person is null. A hidden co-author''s split is added to the author''s. The post is null if the caller can''t see it.';

COMMENT ON VIEW "app"."person_card" IS 'How a person appears in every public response: {id, actorId, isBot, personId, username, firstName, lastName, profilePicUrl}, as json (card) and as its text (text); actor_id has the actor id alone.';

COMMENT ON VIEW "app"."profile_card" IS 'A public profile: the person''s card with {about, country, city, createdAt, owner}. owner is the person who runs a bot; null for people, and if the caller cannot see the owner. It never includes the address, phone, birthday, role or presence.';

COMMENT ON VIEW "app"."reply_card" IS 'A reply as its viewer sees it: {id, postId, parentId, authorId, author, kind, body, hiddenAt, createdAt}. Only private.reply_cards reads this view.';

COMMENT ON VIEW "app"."reputation_vote_card" IS 'A vote as its receiver sees it: {id, voterId, voter, interestId, slug, value, comment, impact, createdAt}. It is missing while its voter is hidden.';

COMMENT ON VIEW "app"."series_card" IS 'A series as its viewer sees it: {id, authorId, author, title, description, partCount, followed, createdAt}. partCount counts the items that the viewer sees.';

COMMENT ON VIEW "app"."staff_payment_card" IS 'A whole payment as staff sees it; ids of people are UUIDs. reversedBy is the payment that reversed it.';

COMMENT ON VIEW "app"."video_comment_card" IS 'A comment as the viewer sees it: {id, videoId, authorId, author, body, removedAt, createdAt}.';

COMMENT ON VIEW "app"."wiki_version_card" IS 'A version in the history, {id, version, summary, authorId, author, createdAt}; authorId and author are null if the reader can''t see the author.';

COMMENT ON VIEW "private"."content_heads" IS 'The heads of the contents that the caller may see, with which the card of every kind begins: {id, kind, authorId, author, interestId, interest, title, groupId, guildId, createdAt, editedAt, removedAt}. For definer functions.';

COMMENT ON VIEW "private"."message_heads" IS 'Messages as the caller reads them: {id, conversationId, sender, kind, body, replyTo, attachment, reactions, createdAt, editedAt, deletedAt}. For definer functions, which first check that the caller sees the message.';

COMMENT ON VIEW "private"."own_profiles" IS 'People as they see themselves. This is the only shape with the internal id. Only private.own_profile and private.login_answer read this view.';

COMMENT ON VIEW "private"."reachable_accounts" IS 'The accounts to which digests and links for a new password may be mailed. An address that is not verified within a day of the registration may belong to a stranger. Bots have no address of their own. The view includes addresses with email_bounced_at. These get no digests, but still the mail that somebody requests; otherwise their owners could never recover their accounts.';

COMMENT ON VIEW "private"."staff_ai_sessions" IS 'Reflections as staff sees them: their progress, but no topic, question or answer.';

COMMENT ON VIEW "private"."staff_appeals" IS 'Appeals as staff sees them, each with its author; userId is the author''s UUID.';

COMMENT ON VIEW "private"."staff_audit_log" IS 'Audit entries as admins see them; an erasure empties ip and detail.';

COMMENT ON VIEW "private"."staff_case_reports" IS 'Reports as staff sees them, whether they still belong to a group or guild, and whether they are about the caller.';

COMMENT ON VIEW "private"."staff_cases" IS 'Cases as staff sees them. A claim that has ended is left out. own says whether a case is about the caller.';

COMMENT ON VIEW "private"."staff_circles" IS 'Circles as staff sees them, without their members.';

COMMENT ON VIEW "private"."staff_decision_appeals" IS 'Appeals as staff sees them. mayResolve says whether the caller may resolve it, own whether it is theirs or about what they wrote with others.';

COMMENT ON VIEW "private"."staff_intents" IS 'Intents as staff sees them; id is the UUID of the person.';

COMMENT ON VIEW "private"."staff_invite_codes" IS 'Invite codes as staff sees them, with their owners and the people who used them.';

COMMENT ON VIEW "private"."staff_invitees" IS 'The people whom a person invited, as staff sees them, with how many people they invited (up to 1000) and their strikes.';

COMMENT ON VIEW "private"."staff_media" IS 'Uploads as staff sees them. in_messages: whether the upload, or a video whose poster it is, was sent in a message, or the upload is meant for one.';

COMMENT ON VIEW "private"."staff_posts" IS 'Posts as staff sees them, including hidden, scheduled and deleted ones.';

COMMENT ON VIEW "private"."staff_replies" IS 'Replies as staff sees them, including hidden and deleted ones.';

COMMENT ON VIEW "private"."staff_reports" IS 'Reports as staff sees them. Of a reported message, staff sees only the copy, as its reporter saw it.';

COMMENT ON VIEW "private"."staff_reputation_entries" IS 'The ledger of reputation as staff sees it.';

COMMENT ON VIEW "private"."staff_reputation_votes" IS 'Peer votes as staff sees them; a vote with value 0 was removed.';

COMMENT ON VIEW "private"."staff_rule_hits" IS 'Hits of rules as staff sees them. own says whether one is of what the caller wrote.';

COMMENT ON VIEW "private"."staff_series" IS 'Series as staff sees them; partCount includes hidden posts.';

COMMENT ON VIEW "private"."staff_spaces" IS 'All groups and guilds as staff sees them. Counts also include hidden members; ids of people are UUIDs.';

COMMENT ON VIEW "private"."staff_stuck_effects" IS 'The effects that fail, one for each person, as staff sees them: with only the SQLSTATE of the error, because its message could contain data.';

COMMENT ON VIEW "private"."staff_users" IS 'People as staff sees them, including banned and erased people.';

COMMENT ON VIEW "private"."staff_wallets" IS 'Wallets as staff sees them, each with its person; id is the person''s UUID. Balances are those last settled: reading a wallet regenerates no mana.';

COMMENT ON VIEW "private"."written_heads" IS 'The heads of contents, without a check of who may see them: for kinds whose contents some people may see even if they can''t see the head.';

REVOKE ALL ON FUNCTION "api"."add_passkey"(bytea, bytea, bigint, text[], text, integer, uuid, bytea, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."add_passkey"(bytea, bytea, bigint, text[], text, integer, uuid, bytea, text, text, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."add_passkey"(bytea, bytea, bigint, text[], text, integer, uuid, bytea, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."add_passkey"(bytea, bytea, bigint, text[], text, integer, uuid, bytea, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."answer_device"(bytea, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."answer_device"(bytea, jsonb) TO "gate";

REVOKE ALL ON FUNCTION "api"."answer_device"(bytea, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."answer_device"(bytea, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."ban_person"(text, text, timestamp with time zone, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "api"."consume_oauth_record"(text, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."consume_oauth_record"(text, bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."consume_oauth_record"(text, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."consume_oauth_record"(text, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."consume_refresh"(uuid, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."consume_refresh"(uuid, integer) TO "gate";

REVOKE ALL ON FUNCTION "api"."consume_refresh"(uuid, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."consume_refresh"(uuid, integer) TO "postgres";

REVOKE ALL ON FUNCTION "api"."create_access_token"(text, text[], bytea, text, timestamp with time zone, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."create_access_token"(text, text[], bytea, text, timestamp with time zone, boolean) TO "gate";

REVOKE ALL ON FUNCTION "api"."create_access_token"(text, text[], bytea, text, timestamp with time zone, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."create_access_token"(text, text[], bytea, text, timestamp with time zone, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "api"."create_app"(text, text[], text[], boolean, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."create_app"(text, text[], text[], boolean, text) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."create_app"(text, text[], text[], boolean, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."create_app"(text, text[], text[], boolean, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."create_bot"(text, text, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."create_bot"(text, text, text, text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."create_bot"(text, text, text, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."create_bot"(text, text, text, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."create_bot_token"(text, text, text[], bytea, text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."create_bot_token"(text, text, text[], bytea, text, timestamp with time zone) TO "gate";

REVOKE ALL ON FUNCTION "api"."create_bot_token"(text, text, text[], bytea, text, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."create_bot_token"(text, text, text[], bytea, text, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "api"."delete_app"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."delete_app"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."delete_app"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."delete_app"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."delete_bot"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."delete_bot"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."delete_bot"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."delete_bot"(text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."delete_oauth_record"(text, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."delete_oauth_record"(text, bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."delete_oauth_record"(text, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."delete_oauth_record"(text, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."end_access_token"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."end_access_token"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."end_access_token"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."end_access_token"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."end_bot_token"(text, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."end_bot_token"(text, uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."end_bot_token"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."end_bot_token"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."end_consent"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."end_consent"(uuid) TO "gate";

REVOKE ALL ON FUNCTION "api"."end_consent"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."end_consent"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."exchange_access_token"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."exchange_access_token"(integer) TO "gate";

REVOKE ALL ON FUNCTION "api"."exchange_access_token"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."exchange_access_token"(integer) TO "postgres";

REVOKE ALL ON FUNCTION "api"."find_access_token"(bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."find_access_token"(bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."find_access_token"(bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."find_access_token"(bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."find_app"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."find_app"(uuid) TO "gate";

REVOKE ALL ON FUNCTION "api"."find_app"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."find_app"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."find_consent"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."find_consent"(uuid) TO "gate";

REVOKE ALL ON FUNCTION "api"."find_consent"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."find_consent"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."find_identity"(uuid, bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."find_identity"(uuid, bytea, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."find_identity"(uuid, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."find_identity"(uuid, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."find_oauth_record"(text, bytea, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."find_oauth_record"(text, bytea, bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."find_oauth_record"(text, bytea, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."find_oauth_record"(text, bytea, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."finish_oidc"(uuid, bytea, text, text, text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."finish_oidc"(uuid, bytea, text, text, text, text, boolean) TO "gate";

REVOKE ALL ON FUNCTION "api"."finish_oidc"(uuid, bytea, text, text, text, text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."finish_oidc"(uuid, bytea, text, text, text, text, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "api"."give_consent"(uuid, uuid, uuid, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."give_consent"(uuid, uuid, uuid, text[]) TO "gate";

REVOKE ALL ON FUNCTION "api"."give_consent"(uuid, uuid, uuid, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."give_consent"(uuid, uuid, uuid, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "api"."issue_app_token"(uuid, bytea, text[], jsonb, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."issue_app_token"(uuid, bytea, text[], jsonb, integer) TO "gate";

REVOKE ALL ON FUNCTION "api"."issue_app_token"(uuid, bytea, text[], jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."issue_app_token"(uuid, bytea, text[], jsonb, integer) TO "postgres";

REVOKE ALL ON FUNCTION "api"."link_identity"(uuid, bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."link_identity"(uuid, bytea, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."link_identity"(uuid, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."link_identity"(uuid, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_access_tokens"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_access_tokens"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."list_access_tokens"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_access_tokens"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_apps"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_apps"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."list_apps"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_apps"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_bot_tokens"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_bot_tokens"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."list_bot_tokens"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_bot_tokens"(text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_bots"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_bots"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."list_bots"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_bots"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_identities"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_identities"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."list_identities"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_identities"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_my_apps"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_my_apps"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."list_my_apps"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_my_apps"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_scopes"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_scopes"() TO "gate";

REVOKE ALL ON FUNCTION "api"."list_scopes"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_scopes"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."log_in_elsewhere"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."log_in_elsewhere"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."log_in_elsewhere"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."log_in_elsewhere"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."log_in_with_passkey"(uuid, uuid, bigint, integer, uuid, bytea, text, text, text, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."log_in_with_passkey"(uuid, uuid, bigint, integer, uuid, bytea, text, text, text, bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."log_in_with_passkey"(uuid, uuid, bigint, integer, uuid, bytea, text, text, text, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."log_in_with_passkey"(uuid, uuid, bigint, integer, uuid, bytea, text, text, text, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."prove_elsewhere"(uuid, bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."prove_elsewhere"(uuid, bytea, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."prove_elsewhere"(uuid, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."prove_elsewhere"(uuid, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."prove_with_passkey"(uuid, bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."prove_with_passkey"(uuid, bigint) TO "gate";

REVOKE ALL ON FUNCTION "api"."prove_with_passkey"(uuid, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."prove_with_passkey"(uuid, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "api"."register_elsewhere"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."register_elsewhere"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."register_elsewhere"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."register_elsewhere"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."remove_passkey"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."remove_passkey"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."remove_passkey"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."remove_passkey"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."rename_passkey"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."rename_passkey"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."rename_passkey"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."rename_passkey"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."renew_app_secret"(uuid, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."renew_app_secret"(uuid, bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."renew_app_secret"(uuid, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."renew_app_secret"(uuid, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."revoke_my_app"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."revoke_my_app"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."revoke_my_app"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."revoke_my_app"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."start_passkey"(bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."start_passkey"(bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."start_passkey"(bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."start_passkey"(bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."start_passkey_login"(bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."start_passkey_login"(bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."start_passkey_login"(bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."start_passkey_login"(bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."start_passkey_proof"(bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."start_passkey_proof"(bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."start_passkey_proof"(bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."start_passkey_proof"(bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."store_oauth_record"(text, bytea, jsonb, integer, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."store_oauth_record"(text, bytea, jsonb, integer, bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."store_oauth_record"(text, bytea, jsonb, integer, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."store_oauth_record"(text, bytea, jsonb, integer, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."store_refresh"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."store_refresh"(uuid, integer, jsonb) TO "gate";

REVOKE ALL ON FUNCTION "api"."store_refresh"(uuid, integer, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."store_refresh"(uuid, integer, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "api"."take_passkey_challenge"(bytea, text, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."take_passkey_challenge"(bytea, text, bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."take_passkey_challenge"(bytea, text, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."take_passkey_challenge"(bytea, text, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."unlink_identity"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."unlink_identity"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."unlink_identity"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."unlink_identity"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."update_app"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."update_app"(uuid, jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."update_app"(uuid, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."update_app"(uuid, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "api"."update_bot"(text, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."update_bot"(text, jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."update_bot"(text, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."update_bot"(text, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."access_token_card"(app.access_tokens) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."access_token_card"(app.access_tokens) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."access_token_card"(app.access_tokens) TO "postgres";

REVOKE ALL ON FUNCTION "private"."access_tokens_rules"(text, text, bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."access_tokens_rules"(text, text, bytea, text) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."access_tokens_rules"(text, text, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."access_tokens_rules"(text, text, bytea, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."access_tokens_rules"(text, text, bytea, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."add_identity"(uuid, private.oidc_logins) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."add_identity"(uuid, private.oidc_logins) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_identity"(uuid, private.oidc_logins) TO "postgres";

REVOKE ALL ON FUNCTION "private"."add_own_bot"(text, text, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."add_own_bot"(text, text, text, text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."add_own_bot"(text, text, text, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_own_bot"(text, text, text, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."answers_for"(text, uuid, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."answers_for"(text, uuid, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."answers_for"(text, uuid, uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."app_card"(app.apps) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."app_card"(app.apps) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."app_card"(app.apps) TO "postgres";

REVOKE ALL ON FUNCTION "private"."app_consents_rules"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."app_consents_rules"(integer) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."app_consents_rules"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."app_consents_rules"(integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."app_consents_rules"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."apps_rules"(text, text, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."apps_rules"(text, text, bytea) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."apps_rules"(text, text, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."apps_rules"(text, text, bytea) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."apps_rules"(text, text, bytea) TO "service_role";

REVOKE ALL ON FUNCTION "private"."change_own_app"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."change_own_app"(uuid, jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."change_own_app"(uuid, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."change_own_app"(uuid, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_token"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_token"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_token"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."close_sessions"(uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."close_sessions"(uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."close_sessions"(uuid, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."close_sessions"(uuid, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."create_own_app"(text, text[], text[], boolean, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."create_own_app"(text, text[], text[], boolean, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."create_own_app"(text, text[], text[], boolean, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."create_own_app"(text, text[], text[], boolean, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_own_app"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."delete_own_app"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."delete_own_app"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_own_app"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_access_token"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_access_token"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_access_token"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_app"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_app"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_app"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_bot_access_token"(uuid, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_bot_access_token"(uuid, uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."end_bot_access_token"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_bot_access_token"(uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_consent"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_consent"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_consent"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_consents_of"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_consents_of"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_consents_of"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_consents_of_person"(app.users) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_consents_of_person"(app.users) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_consents_of_person"(app.users) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_consents_with_tokens"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_consents_with_tokens"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_consents_with_tokens"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_factor"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_factor"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_factor"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_more_consents"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_more_consents"(jsonb, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_more_consents"(jsonb, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_more_consents"(jsonb, uuid) TO "worker";

REVOKE ALL ON FUNCTION "private"."end_own_access_token"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_own_access_token"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."end_own_access_token"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_own_access_token"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_own_consents"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_own_consents"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."end_own_consents"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_own_consents"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_tokens"(uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_tokens"(uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_tokens"(uuid, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."enter"(text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."enter"(text, text, text) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."enter"(text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."enter"(text, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."enter"(text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."erase_apps"(app.users) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."erase_apps"(app.users) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."erase_apps"(app.users) TO "postgres";

REVOKE ALL ON FUNCTION "private"."erase_own_bot"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."erase_own_bot"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."erase_own_bot"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."erase_own_bot"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_banned_with"(uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_banned_with"(uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_banned_with"(uuid, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_banned_with"(uuid, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."find_child_versions"(text, uuid, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_child_versions"(text, uuid, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_child_versions"(text, uuid, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_course_versions"(text, uuid, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_course_versions"(text, uuid, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_course_versions"(text, uuid, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_identity"(private.oidc_logins) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_identity"(private.oidc_logins) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_identity"(private.oidc_logins) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_oidc_login"(uuid, bytea, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_oidc_login"(uuid, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_oidc_login"(uuid, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_own_bots"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."find_own_bots"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."find_own_bots"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_own_bots"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_bot"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."is_bot"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."is_bot"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_bot"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_owner_banned"(app.users) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_owner_banned"(app.users) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_owner_banned"(app.users) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_owner_banned"(app.users) TO "service_role";

REVOKE ALL ON FUNCTION "private"."issue_access_token"(uuid, text, text, bytea, text[], integer, text, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."issue_access_token"(uuid, text, text, bytea, text[], integer, text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."issue_access_token"(uuid, text, text, bytea, text[], integer, text, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge_at_commit"(text, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_at_commit"(text, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge_at_commit"(text, uuid, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge_child"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_child"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge_child"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge_lesson"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_lesson"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge_lesson"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."known_credentials"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."known_credentials"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."known_credentials"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."known_scopes"(text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."known_scopes"(text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."known_scopes"(text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."limit_to_scopes"(json, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."limit_to_scopes"(json, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_to_scopes"(json, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_bot_access_tokens"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_bot_access_tokens"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."list_bot_access_tokens"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_bot_access_tokens"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_own_access_tokens"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_own_access_tokens"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."list_own_access_tokens"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_own_access_tokens"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_own_apps"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_own_apps"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."list_own_apps"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_own_apps"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_own_consents"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_own_consents"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."list_own_consents"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_own_consents"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_own_identities"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_own_identities"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."list_own_identities"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_own_identities"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_own_app"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_own_app"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_own_app"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_own_credentials"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_own_credentials"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_own_credentials"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_access_token_used"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_access_token_used"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."note_access_token_used"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."note_access_token_used"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_challenge"(bytea, uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_challenge"(bytea, uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."note_challenge"(bytea, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."open_login"(uuid, integer, uuid, bytea, text, text, text, bytea, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."open_login"(uuid, integer, uuid, bytea, text, text, text, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."open_login"(uuid, integer, uuid, bytea, text, text, text, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."own_bot_card"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."own_bot_card"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."own_bot_card"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."own_bot_card"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."passkey_card"(private.passkeys) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."passkey_card"(private.passkeys) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."passkey_card"(private.passkeys) TO "postgres";

REVOKE ALL ON FUNCTION "private"."post_counters_rules"(integer, integer, integer, integer, bigint, numeric, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."post_counters_rules"(integer, integer, integer, integer, bigint, numeric, integer) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."post_counters_rules"(integer, integer, integer, integer, bigint, numeric, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."post_counters_rules"(integer, integer, integer, integer, bigint, numeric, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."post_counters_rules"(integer, integer, integer, integer, bigint, numeric, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."redeem_invite"(uuid, text, text, text, text, date, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."redeem_invite"(uuid, text, text, text, text, date, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."redeem_invite"(uuid, text, text, text, text, date, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_bots"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_bots"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_bots"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."refuse_own"(text, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."refuse_own"(text, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_own"(text, uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."refuse_own"(text, uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."remove_own_passkey"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remove_own_passkey"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."remove_own_passkey"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."remove_own_passkey"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."rename_own_passkey"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."rename_own_passkey"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."rename_own_passkey"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."rename_own_passkey"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reputation_band"(numeric) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reputation_band"(numeric) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reputation_band"(numeric) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_own_bot"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_own_bot"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."require_own_bot"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_own_bot"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_redirects"(text[], boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_redirects"(text[], boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_redirects"(text[], boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_registration"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_registration"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."require_registration"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_registration"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_scope"(text[], text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_scope"(text[], text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_scope"(text[], text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_scopes"(uuid, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_scopes"(uuid, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_scopes"(uuid, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."spend_invite"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."spend_invite"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."spend_invite"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."unlink_own_identity"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unlink_own_identity"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."unlink_own_identity"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."unlink_own_identity"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."update_own_bot"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."update_own_bot"(uuid, jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."update_own_bot"(uuid, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."update_own_bot"(uuid, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."use_oidc_login"(uuid, bytea, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."use_oidc_login"(uuid, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."use_oidc_login"(uuid, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."use_passkey"(uuid, uuid, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."use_passkey"(uuid, uuid, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."use_passkey"(uuid, uuid, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone, uuid) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."users_rules"(text, text, timestamp with time zone, text, text, text, text, text, text, timestamp with time zone, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."words_of"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."words_of"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."words_of"(uuid) TO "postgres";

GRANT SELECT ("client_id") ON TABLE "app"."access_tokens" TO "authenticated";

GRANT SELECT ("created_at") ON TABLE "app"."access_tokens" TO "authenticated";

GRANT SELECT ("ended_at") ON TABLE "app"."access_tokens" TO "authenticated";

GRANT SELECT ("ends_with_password") ON TABLE "app"."access_tokens" TO "authenticated";

GRANT SELECT ("expires_at") ON TABLE "app"."access_tokens" TO "authenticated";

GRANT SELECT ("id") ON TABLE "app"."access_tokens" TO "authenticated";

GRANT SELECT ("kind") ON TABLE "app"."access_tokens" TO "authenticated";

GRANT SELECT ("last_used_at") ON TABLE "app"."access_tokens" TO "authenticated";

GRANT SELECT ("name") ON TABLE "app"."access_tokens" TO "authenticated";

GRANT SELECT ("scopes") ON TABLE "app"."access_tokens" TO "authenticated";

GRANT SELECT ("user_id") ON TABLE "app"."access_tokens" TO "authenticated";

REVOKE ALL ON TABLE "app"."access_tokens" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."access_tokens" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."access_tokens" TO "service_role";

REVOKE ALL ON TABLE "app"."app_consents" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."app_consents" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."app_consents" TO "service_role";

REVOKE ALL ON TABLE "app"."apps" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."apps" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."apps" TO "service_role";

REVOKE ALL ("bot_owner_id") ON TABLE "app"."users" FROM "authenticated";

GRANT SELECT ("bot_owner_id") ON TABLE "app"."users" TO "authenticated";

GRANT SELECT ON TABLE "app"."bot_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."bot_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."bot_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."bot_card" TO "service_role";

GRANT SELECT ON TABLE "app"."circle_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."circle_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."circle_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."circle_card" TO "service_role";

GRANT SELECT ON TABLE "app"."circle_invitation_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."circle_invitation_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."circle_invitation_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."circle_invitation_card" TO "service_role";

GRANT SELECT ON TABLE "app"."circle_member_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."circle_member_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."circle_member_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."circle_member_card" TO "service_role";

GRANT SELECT ON TABLE "app"."invite_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."invite_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."invite_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."invite_card" TO "service_role";

GRANT SELECT ON TABLE "app"."notification_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."notification_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."notification_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."notification_card" TO "service_role";

GRANT SELECT ON TABLE "app"."payment_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."payment_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."payment_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."payment_card" TO "service_role";

GRANT SELECT ON TABLE "app"."person_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."person_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."person_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."person_card" TO "service_role";

GRANT SELECT ON TABLE "app"."profile_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."profile_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."profile_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."profile_card" TO "service_role";

REVOKE ALL ON TABLE "app"."reply_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."reply_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."reply_card" TO "service_role";

GRANT SELECT ON TABLE "app"."reputation_vote_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."reputation_vote_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."reputation_vote_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."reputation_vote_card" TO "service_role";

GRANT SELECT ON TABLE "app"."series_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."series_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."series_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."series_card" TO "service_role";

REVOKE ALL ON TABLE "app"."staff_payment_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."staff_payment_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."staff_payment_card" TO "service_role";

GRANT SELECT ON TABLE "app"."video_comment_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."video_comment_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."video_comment_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."video_comment_card" TO "service_role";

GRANT SELECT ON TABLE "app"."wiki_version_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."wiki_version_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."wiki_version_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."wiki_version_card" TO "service_role";

ALTER TABLE "app"."reputation" ADD COLUMN "band" smallint GENERATED ALWAYS AS (private.reputation_band(value)) STORED NOT NULL;

COMMENT ON COLUMN "app"."reputation"."band" IS 'private.reputation_band of value. It changes rarely, so that an index can have it.';

ALTER TABLE "app"."access_tokens" ADD CONSTRAINT "access_tokens_rules" CHECK (private.access_tokens_rules(kind, name, token_hash, client_id));

ALTER TABLE "app"."app_consents" ADD CONSTRAINT "app_consents_rules" CHECK (private.app_consents_rules(generation));

ALTER TABLE "app"."apps" ADD CONSTRAINT "apps_rules" CHECK (private.apps_rules(name, website, secret_hash));

ALTER TABLE "app"."post_counters" ADD CONSTRAINT "post_counters_rules" CHECK (private.post_counters_rules(reactions, replies, shares, bookmarks, views, boost, bot_replies));

ALTER TABLE "app"."users" ADD CONSTRAINT "users_rules" CHECK (private.users_rules(username, role, banned_at, first_name, last_name, country, city, about, profile_pic_url, banned_until, bot_owner_id));

CREATE INDEX reputation_interest_id_idx ON app.reputation USING btree (interest_id, band DESC, user_id);

insert into private.errors ("code", "status", "text")
values ('access_token_expiry', '422', 'An access token must expire in the future, within 366 days.');

insert into private.errors ("code", "status", "text")
values ('access_token_name', '422', 'A name must have 1 to 60 characters.');

insert into private.errors ("code", "status", "text")
values ('access_token_required', '403', 'Only an access token of POST /me/tokens or of an app can be exchanged.');

insert into private.errors ("code", "status", "text")
values ('access_token_unknown', '404', 'There is no such access token.');

insert into private.errors ("code", "status", "text")
values ('access_tokens_full', '409', 'You can have at most 50 access tokens. End one first.');

insert into private.errors ("code", "status", "text")
values ('app_name', '422', 'The name of an app must have 1 to 60 characters.');

insert into private.errors ("code", "status", "text")
values ('app_public', '409', 'This app has no secret, because it is not confidential.');

insert into private.errors ("code", "status", "text")
values ('app_redirect', '422', 'An app must have 1 to 10 redirect URIs, each of at most 500 characters and without a fragment: https:// with a host, http:// with localhost, 127.0.0.1 or [::1], or, for an app without a secret, a scheme of its own with a dot, such as org.example.app:/done.');

insert into private.errors ("code", "status", "text")
values ('app_unknown', '404', 'There is no such app.');

insert into private.errors ("code", "status", "text")
values ('app_website', '422', 'The website of an app must begin with https:// and have at most 300 characters.');

insert into private.errors ("code", "status", "text")
values ('apps_closed', '403', 'On this instance only admins register apps.');

insert into private.errors ("code", "status", "text")
values ('apps_full', '409', 'You can have at most 20 apps. Delete one first.');

insert into private.errors ("code", "status", "text")
values ('bot_refused', '403', 'A bot cannot do this, because only people can.');

insert into private.errors ("code", "status", "text")
values ('bot_role', '409', 'A bot can have no other role than user.');

insert into private.errors ("code", "status", "text")
values ('bot_unknown', '404', 'You have no such bot.');

insert into private.errors ("code", "status", "text")
values ('bots_exhausted', '409', 'You can have at most 5 bots. Delete one first.');

insert into private.errors ("code", "status", "text")
values ('consent_over', '410', 'This request of an app is over. Start again in the app.');

update private.errors set "text" = 'Your role requires a second factor. Add one first: POST /me/factors/totp or /me/factors/passkeys/options.'
where "code"::text = 'factor_missing'
  and "text"::text = 'Your role requires a second factor. Add an authenticator app first: POST /me/factors/totp.';

update private.errors set "text" = 'This account has a second factor. Send also the code of the app, or a recovery code, or log in with a passkey.'
where "code"::text = 'factor_required'
  and "text"::text = 'This account has a second factor. Send also the code of the app, or a recovery code.';

insert into private.errors ("code", "status", "text")
values ('identities_exhausted', '409', 'You have linked 5 logins, which is the most.');

insert into private.errors ("code", "status", "text")
values ('identity_needed', '409', 'This is your only way to log in. Set a password first: POST /auth/forgot-password.');

insert into private.errors ("code", "status", "text")
values ('identity_taken', '409', 'This login is already linked to an account.');

insert into private.errors ("code", "status", "text")
values ('identity_unknown', '404', 'You have no such linked login.');

insert into private.errors ("code", "status", "text")
values ('identity_unlinked', '404', 'Nobody has linked this login. Register with an invite code, or log in with your password and link it.');

insert into private.errors ("code", "status", "text")
values ('moderate_own', '403', 'This is about you or about what you wrote, so somebody else must decide it.');

insert into private.errors ("code", "status", "text")
values ('oidc_address', '422', 'This address of a client is not allowed: OIDC_RETURN lists those that are.');

insert into private.errors ("code", "status", "text")
values ('oidc_off', '404', 'On this instance people log in with a password only.');

insert into private.errors ("code", "status", "text")
values ('oidc_over', '410', 'This login has expired or was already used. Begin again.');

insert into private.errors ("code", "status", "text")
values ('oidc_unverified', '403', 'The provider has not verified your address. Verify it there first.');

insert into private.errors ("code", "status", "text")
values ('owner_banned', '409', 'The owner of this bot is banned. End that ban first.');

insert into private.errors ("code", "status", "text")
values ('owner_unknown', '422', 'alsoOwner is for bots: this account has no owner.');

insert into private.errors ("code", "status", "text")
values ('passkey_wrong', '403', 'The passkey is not accepted. Ask for a new challenge, and try again.');

insert into private.errors ("code", "status", "text")
values ('passkeys_full', '409', 'You have ten passkeys. Remove one first.');

insert into private.errors ("code", "status", "text")
values ('password_guessable', '422', 'This password is one of the most common ones, or easy to guess from your name or address. Choose another one, for example several words.');

insert into private.errors ("code", "status", "text")
values ('pay_bot', '409', 'Bots have no mana, so they cannot be paid.');

insert into private.errors ("code", "status", "text")
values ('scope_missing', '403', 'This access token does not have the scope that this needs.');

insert into private.errors ("code", "status", "text")
values ('scope_unknown', '422', 'There is no such scope. GET /scopes lists them.');

insert into private.errors ("code", "status", "text")
values ('session_required', '403', 'No access token with scopes may do this. Log in instead.');

insert into private.errors ("code", "status", "text")
values ('vote_bot', '409', 'Bots have no reputation, so nobody can vote on them.');

update private.errors set "text" = 'You have reached an hourly limit: for writing, uploading, reacting, voting, following, inviting, reporting, moving mana or mentioning people. For a bot it counts 24 hours. Try again after the number of seconds in Retry-After.'
where "code"::text = 'writes_exceeded'
  and "text"::text = 'You have reached an hourly limit: for writing, uploading, reacting, voting, following, inviting, reporting, moving mana or mentioning people. Try again after the number of seconds in Retry-After.';

insert into private.lock_kinds ("kind", "position")
values ('app', '296');

insert into private.lock_kinds ("kind", "position")
values ('bots', '250');

insert into app.settings ("key", "value")
values ('register_apps', 'admins');

insert into private.operations_of_people ("operation")
values ('add_bounty');

insert into private.operations_of_people ("operation")
values ('appeal_decision');

insert into private.operations_of_people ("operation")
values ('apply_to_guild');

insert into private.operations_of_people ("operation")
values ('apply_to_project');

insert into private.operations_of_people ("operation")
values ('begin_import');

insert into private.operations_of_people ("operation")
values ('bookmark');

insert into private.operations_of_people ("operation")
values ('boost_post');

insert into private.operations_of_people ("operation")
values ('contribute');

insert into private.operations_of_people ("operation")
values ('create_appeal');

insert into private.operations_of_people ("operation")
values ('create_course');

insert into private.operations_of_people ("operation")
values ('create_group');

insert into private.operations_of_people ("operation")
values ('create_guild');

insert into private.operations_of_people ("operation")
values ('create_invite');

insert into private.operations_of_people ("operation")
values ('create_offering');

insert into private.operations_of_people ("operation")
values ('create_proposal');

insert into private.operations_of_people ("operation")
values ('create_solution');

insert into private.operations_of_people ("operation")
values ('disburse');

insert into private.operations_of_people ("operation")
values ('distribute');

insert into private.operations_of_people ("operation")
values ('enrol_course');

insert into private.operations_of_people ("operation")
values ('invite_co_author');

insert into private.operations_of_people ("operation")
values ('like_video');

insert into private.operations_of_people ("operation")
values ('pay');

insert into private.operations_of_people ("operation")
values ('place_order');

insert into private.operations_of_people ("operation")
values ('react');

insert into private.operations_of_people ("operation")
values ('report');

insert into private.operations_of_people ("operation")
values ('repost');

insert into private.operations_of_people ("operation")
values ('repost_video');

insert into private.operations_of_people ("operation")
values ('respond_co_author');

insert into private.operations_of_people ("operation")
values ('rsvp_event');

insert into private.operations_of_people ("operation")
values ('set_intent');

insert into private.operations_of_people ("operation")
values ('start_ai_session');

insert into private.operations_of_people ("operation")
values ('take_position');

insert into private.operations_of_people ("operation")
values ('vote_argument');

insert into private.operations_of_people ("operation")
values ('vote_on_proposal');

insert into private.operations_of_people ("operation")
values ('vote_poll');

insert into private.operations_of_people ("operation")
values ('vote_reputation');

insert into private.operations_of_people ("operation")
values ('vote_solution');

insert into private.operations_of_people ("operation")
values ('vote_wiki_proposal');

insert into private.scopes ("scope", "position", "says", "staff")
values ('ai:read', '230', 'Read your sessions with the assistant.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('ai:write', '240', 'Use the assistant.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('contents:read', '130', 'Read videos, audio, courses, debates, events, problems, projects and the wiki.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('contents:write', '140', 'Publish and change videos, audio, courses, debates, events, problems, projects and the wiki, and take part.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('discovery:read', '210', 'Search, and read suggestions.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('discovery:write', '220', 'Change what you are looking for.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('economy:read', '170', 'Read your wallet, payments, offerings and orders.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('economy:write', '180', 'Pay with your mana, boost posts, sell and buy.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('media:read', '150', 'Read the state of your uploads.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('media:write', '160', 'Upload and delete files.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('messaging:read', '70', 'Read your conversations.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('messaging:write', '80', 'Send, edit and delete messages, and change conversations.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('notifications:read', '90', 'Read your notifications and their settings.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('notifications:write', '100', 'Mark notifications as read, change their settings, and register devices.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('posts:read', '50', 'Read posts, replies, series, bookmarks and feeds.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('posts:write', '60', 'Publish, edit and delete posts and replies, react, vote and bookmark.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('profile:read', '10', 'Read your profile, personas, interests, invite codes and standing, and the profiles of others.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('profile:write', '20', 'Change your profile, personas and interests, make invite codes, and appeal decisions.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('reputation:read', '190', 'Read reputations, votes and what you may do.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('reputation:write', '200', 'Vote on reputations, and appeal.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('social:read', '30', 'Read your circles, follows, blocks and mutes.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('social:write', '40', 'Change your circles, follow, block and mute people, and report.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('spaces:read', '110', 'Read groups and guilds: members, requests, proposals, treasuries and reports.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('spaces:write', '120', 'Create, change, join and leave groups and guilds, vote in them, and move the mana of treasuries.', 'false');

insert into private.scopes ("scope", "position", "says", "staff")
values ('staff:read', '250', 'Read what moderators and admins may read.', 'true');

insert into private.scopes ("scope", "position", "says", "staff")
values ('staff:write', '260', 'Do what moderators and admins may do.', 'true');

insert into private.operation_scopes ("operation", "scope")
values ('accept_case_proposal', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('accept_group_invitation', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('accept_invitation', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('accept_order', 'economy:write');

insert into private.operation_scopes ("operation", "scope")
values ('accept_solution', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('act_on_case', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('act_on_invitees', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('act_on_space_report', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('addPushToken', 'notifications:write');

insert into private.operation_scopes ("operation", "scope")
values ('add_bounty', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('add_case_note', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('add_circle_member', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('add_conversation_members', 'messaging:write');

insert into private.operation_scopes ("operation", "scope")
values ('add_push_token', 'notifications:write');

insert into private.operation_scopes ("operation", "scope")
values ('add_series_item', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('adjust_reputation', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('adminApproveWikiProposal', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('adminListWikiProposals', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('adminRejectWikiProposal', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('answerAiSession', 'ai:write');

insert into private.operation_scopes ("operation", "scope")
values ('answer_ai_session', 'ai:write');

insert into private.operation_scopes ("operation", "scope")
values ('appeal_decision', 'profile:write');

insert into private.operation_scopes ("operation", "scope")
values ('apply_ai_suggestions', 'ai:write');

insert into private.operation_scopes ("operation", "scope")
values ('apply_to_guild', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('apply_to_project', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('approve_project_application', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('approve_proposal', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('approve_wiki_proposal', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('archive_course', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('archive_group', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('ban_person', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('batch', null);

insert into private.operation_scopes ("operation", "scope")
values ('begin_ai_answer', 'ai:write');

insert into private.operation_scopes ("operation", "scope")
values ('block_person', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('bookmark', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('boost_post', 'economy:write');

insert into private.operation_scopes ("operation", "scope")
values ('broadcast', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('cancel_event', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('cancel_order', 'economy:write');

insert into private.operation_scopes ("operation", "scope")
values ('check_availability', 'messaging:read');

insert into private.operation_scopes ("operation", "scope")
values ('check_circles', 'social:read');

insert into private.operation_scopes ("operation", "scope")
values ('claim_case', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('close_debate', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('close_problem', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('commitAsset', 'media:write');

insert into private.operation_scopes ("operation", "scope")
values ('commit_asset', 'media:write');

insert into private.operation_scopes ("operation", "scope")
values ('complete_ai_session', 'ai:write');

insert into private.operation_scopes ("operation", "scope")
values ('complete_order', 'economy:write');

insert into private.operation_scopes ("operation", "scope")
values ('continue_upload', 'media:read');

insert into private.operation_scopes ("operation", "scope")
values ('continue_upload', 'media:write');

insert into private.operation_scopes ("operation", "scope")
values ('contribute', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('count_unread', 'notifications:read');

insert into private.operation_scopes ("operation", "scope")
values ('count_unread_conversations', 'messaging:read');

insert into private.operation_scopes ("operation", "scope")
values ('createAsset', 'media:write');

insert into private.operation_scopes ("operation", "scope")
values ('createAssetInParts', 'media:write');

insert into private.operation_scopes ("operation", "scope")
values ('createWikiProposal', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_appeal', 'reputation:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_argument', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_asset', 'media:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_audio', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_case', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_circle', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_conversation', 'messaging:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_course', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_course_lesson', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_debate', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_event', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_group', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_guild', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_interest', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_invite', 'profile:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_offering', 'economy:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_persona', 'profile:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_post', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_problem', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_project', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_project_role', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_project_update', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_proposal', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_reply', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_rule', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_series', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_solution', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_video', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_video_comment', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_webhook', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('create_wiki_proposal', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('decline_case_proposal', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('decline_group_invitation', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('decline_invitation', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('decline_order', 'economy:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_argument', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_asset', 'media:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_audio', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_circle', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_course', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_course_lesson', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_debate', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_event', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_message', 'messaging:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_offering', 'economy:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_persona', 'profile:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_post', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_problem', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_project', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_project_role', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_rule', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_solution', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_video', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_video_comment', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('delete_webhook', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('deliver_order', 'economy:write');

insert into private.operation_scopes ("operation", "scope")
values ('disburse', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('dismiss_report', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('dispute_order', 'economy:write');

insert into private.operation_scopes ("operation", "scope")
values ('distribute', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('drop_interest', 'profile:write');

insert into private.operation_scopes ("operation", "scope")
values ('edit_message', 'messaging:write');

insert into private.operation_scopes ("operation", "scope")
values ('enhancePost', 'ai:write');

insert into private.operation_scopes ("operation", "scope")
values ('enrol_course', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('exchangeAccessToken', null);

insert into private.operation_scopes ("operation", "scope")
values ('exchange_access_token', null);

insert into private.operation_scopes ("operation", "scope")
values ('expel_from_space', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('explain_access', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('find_ai_mapping', 'ai:write');

insert into private.operation_scopes ("operation", "scope")
values ('finish_ai_answer', 'ai:write');

insert into private.operation_scopes ("operation", "scope")
values ('follow_person', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('follow_series', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('follow_stats', 'social:read');

insert into private.operation_scopes ("operation", "scope")
values ('force_close_proposal', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('generateAvatar', 'media:write');

insert into private.operation_scopes ("operation", "scope")
values ('generate_invite_codes', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('getEventCalendar', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('getLinkPreview', 'posts:read');

insert into private.operation_scopes ("operation", "scope")
values ('getPushKey', 'notifications:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_any_space', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_asset', 'media:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_asset', 'media:write');

insert into private.operation_scopes ("operation", "scope")
values ('get_audio', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_books', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_breakdown', 'economy:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_case', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_catalog', 'profile:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_conversation', 'messaging:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_course', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_course_lesson', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_daily_figures', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_debate', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_event', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_event_calendar', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_intent', 'discovery:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_interest', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_invite_tree', 'profile:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_jobs', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_me', 'profile:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_message', 'messaging:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_metrics', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_my_capabilities', 'reputation:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_my_reputation', 'reputation:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_offering', 'economy:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_order', 'economy:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_people', 'profile:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_post', 'posts:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_posts', 'posts:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_preferences', 'notifications:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_problem', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_profile', 'profile:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_project', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_proposal', 'spaces:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_report', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_reputation', 'reputation:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_reputation_details', 'reputation:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_reputation_summary', 'reputation:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_rule', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_space', 'spaces:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_standing', 'profile:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_statement', 'profile:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_transparency', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_treasury', 'spaces:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_user', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_user_standing', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_video', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_wallet', 'economy:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_webhook', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_wiki_entry', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('get_wiki_version', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('hand_over_conversation', 'messaging:write');

insert into private.operation_scopes ("operation", "scope")
values ('hand_over_guild', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('hide_post', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('hide_reply', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('inviteToCircle', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('invite_co_author', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('invite_to_circle', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('invite_to_group', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('join_group', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('leave_conversation', 'messaging:write');

insert into private.operation_scopes ("operation", "scope")
values ('leave_position', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('leave_project', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('leave_space', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('lift_group_ban', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('like_video', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('limit_person', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('listAssetParts', 'media:read');

insert into private.operation_scopes ("operation", "scope")
values ('listWikiProposals', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_ai_sessions', 'ai:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_all_conversations', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_all_interests', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_all_orders', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_all_payments', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_all_posts', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_all_replies', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_all_series', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_all_spaces', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_all_wiki_proposals', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_appeals', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_arguments', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_assistant_sessions', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_audio', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_audio_by', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_audit_log', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_blocks', 'social:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_bookmarks', 'posts:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_candidates', 'discovery:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_cases', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_changes', 'posts:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_circle_invitations', 'social:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_circle_members', 'social:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_circles', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_contents', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_contributors', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_conversations', 'messaging:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_course_lessons', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_course_students', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_courses', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_debates', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_decision_appeals', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_event_attendees', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_events', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_failed_jobs', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_feature_flags', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_feed', 'posts:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_followers', 'social:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_following', 'social:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_group_bans', 'spaces:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_group_invitations', 'spaces:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_guild_charters', 'spaces:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_intents', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_invite_codes', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_invitees', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_links', 'notifications:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_logged_events', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_media', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_memberships', 'social:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_mentors', 'discovery:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_messages', 'messaging:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_muted_keywords', 'social:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_mutes', 'social:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_my_appeals', 'reputation:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_my_circles', 'social:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_my_courses', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_my_events', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_my_group_invitations', 'spaces:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_my_guild_applications', 'spaces:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_my_interests', 'profile:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_my_invitations', 'social:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_my_invites', 'profile:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_my_personas', 'profile:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_my_projects', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_my_series', 'posts:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_notifications', 'notifications:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_offerings', 'economy:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_orders', 'economy:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_payments', 'economy:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_pending_invitations', 'social:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_people', 'discovery:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_posts_by', 'posts:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_problems', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_project_applications', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_project_members', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_project_updates', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_projects', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_proposals', 'spaces:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_received_votes', 'reputation:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_replies', 'posts:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_report_categories', 'social:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_reports', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_reputation_entries', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_reputation_votes', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_reviews', 'economy:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_rule_hits', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_rules', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_scheduled_posts', 'posts:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_series_items', 'posts:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_signals', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_solutions', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_space_members', 'spaces:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_space_posts', 'spaces:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_space_reports', 'spaces:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_space_requests', 'spaces:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_spaces', 'spaces:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_stream', 'discovery:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_stuck_effects', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_suggested', 'discovery:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_talent', 'discovery:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_users', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_video_comments', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_videos', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_videos_by', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_wallets', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_webhook_deliveries', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_webhooks', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_wiki_proposals', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('list_wiki_versions', 'contents:read');

insert into private.operation_scopes ("operation", "scope")
values ('mapAiInterests', 'ai:write');

insert into private.operation_scopes ("operation", "scope")
values ('map_ai_interests', 'ai:write');

insert into private.operation_scopes ("operation", "scope")
values ('mark_read', 'notifications:write');

insert into private.operation_scopes ("operation", "scope")
values ('mute_conversation', 'messaging:write');

insert into private.operation_scopes ("operation", "scope")
values ('mute_keyword', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('mute_person', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('mute_post', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('note_presence', null);

insert into private.operation_scopes ("operation", "scope")
values ('order_course_lessons', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('pay', 'economy:write');

insert into private.operation_scopes ("operation", "scope")
values ('pin_post', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('place_order', 'economy:write');

insert into private.operation_scopes ("operation", "scope")
values ('previewBroadcast', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('preview_broadcast', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('propose_in_case', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('publish_course', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('react', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('react_to_message', 'messaging:write');

insert into private.operation_scopes ("operation", "scope")
values ('read_conversation', 'messaging:write');

insert into private.operation_scopes ("operation", "scope")
values ('reject_project_application', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('reject_proposal', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('reject_wiki_proposal', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('release_case', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('remove_circle', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('remove_circle_member', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('remove_content', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('remove_conversation_member', 'messaging:write');

insert into private.operation_scopes ("operation", "scope")
values ('remove_group_member', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('remove_post', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('remove_project_member', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('remove_push_token', 'notifications:write');

insert into private.operation_scopes ("operation", "scope")
values ('rename_conversation', 'messaging:write');

insert into private.operation_scopes ("operation", "scope")
values ('replay_draft', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('replay_rule', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('replay_webhook_delivery', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('report', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('repost', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('repost_video', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('reserve_ai_tokens', 'ai:write');

insert into private.operation_scopes ("operation", "scope")
values ('resolve_appeal', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('resolve_decision_appeal', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('resolve_order', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('respond_co_author', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('respond_invitation', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('restore_content', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('restore_group', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('retry_failed_job', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('retry_failed_jobs', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('retry_stuck_effects', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('reverse_payment', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('review_order', 'economy:write');

insert into private.operation_scopes ("operation", "scope")
values ('review_report', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('revoke_group_invitation', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('revoke_invitation', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('revoke_invite', 'profile:write');

insert into private.operation_scopes ("operation", "scope")
values ('revoke_invite_code', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('rotate_webhook_secret', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('rsvp_event', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('search', 'discovery:read');

insert into private.operation_scopes ("operation", "scope")
values ('select_interest', 'profile:write');

insert into private.operation_scopes ("operation", "scope")
values ('select_interests', 'profile:write');

insert into private.operation_scopes ("operation", "scope")
values ('send_message', 'messaging:write');

insert into private.operation_scopes ("operation", "scope")
values ('set_any_space_archived', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('set_any_space_role', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('set_bond_level', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('set_course_progress', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('set_default_persona', 'profile:write');

insert into private.operation_scopes ("operation", "scope")
values ('set_feature_flag', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('set_group_role', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('set_intent', 'discovery:write');

insert into private.operation_scopes ("operation", "scope")
values ('set_project_status', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('settle_ai_tokens', 'ai:write');

insert into private.operation_scopes ("operation", "scope")
values ('settle_any_space_request', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('settle_space_request', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('start_ai_session', 'ai:write');

insert into private.operation_scopes ("operation", "scope")
values ('take_position', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('test_webhook', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('unban_person', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('unblock_person', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('unbookmark', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('unfollow_person', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('unfollow_series', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('unhide_post', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('unhide_reply', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('unlike_video', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('unlimit_person', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('unmute_conversation', 'messaging:write');

insert into private.operation_scopes ("operation", "scope")
values ('unmute_keyword', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('unmute_person', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('unmute_post', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('unpin_post', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('unreact', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('unreact_to_message', 'messaging:write');

insert into private.operation_scopes ("operation", "scope")
values ('unrepost', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('unrepost_video', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('unrsvp_event', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('unvote_argument', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('unvote_poll', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('unvote_solution', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_case', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_circle', 'social:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_course', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_course_lesson', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_debate', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_event', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_group', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_guild', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_interest', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_me', 'profile:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_offering', 'economy:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_persona', 'profile:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_post', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_preferences', 'notifications:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_problem', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_project', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_project_role', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_rule', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_solution', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('update_webhook', 'staff:write');

insert into private.operation_scopes ("operation", "scope")
values ('verify_audit_log', 'staff:read');

insert into private.operation_scopes ("operation", "scope")
values ('voteWikiProposal', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('vote_argument', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('vote_on_proposal', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('vote_poll', 'posts:write');

insert into private.operation_scopes ("operation", "scope")
values ('vote_reputation', 'reputation:write');

insert into private.operation_scopes ("operation", "scope")
values ('vote_solution', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('vote_wiki_proposal', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('withdrawWikiProposal', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('withdraw_project_application', 'contents:write');

insert into private.operation_scopes ("operation", "scope")
values ('withdraw_proposal', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('withdraw_space_request', 'spaces:write');

insert into private.operation_scopes ("operation", "scope")
values ('withdraw_wiki_proposal', 'contents:write');

insert into private.account_steps ("step", "events", "position")
values ('private.end_consents_of_person', '{ban,erasure}', '62');

insert into private.account_steps ("step", "events", "position")
values ('private.erase_apps', '{erasure}', '63');

update private.event_types set "happens" = 'a content, or what somebody wrote within one, is published or edited and a rule judges its kind'
where "name"::text = 'moderation.content.written'
  and "happens"::text = 'a content is published or edited and a rule judges its kind';

insert into private.batch_queues ("queue", "batch")
values ('ended-apps', 'private.end_more_consents');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('app.access_tokens', 'LEAST(ended_at, to_timestamp((expires_at)::double precision))', '1 day', '5000');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('app.app_consents', 'LEAST(ended_at, expires_at)', '1 day', '5000');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('app.apps', 'ended_at', '1 day', '5000');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('private.oauth_records', 'expires_at', '00:00:00', '5000');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('private.oidc_logins', 'created_at', '01:00:00', '5000');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('private.passkey_challenges', 'created_at', '00:05:00', '5000');

update private.realtime_topics set "scopes" = '{messaging:read}'
where "prefix"::text = 'conversation';

update private.realtime_topics set "scopes" = '{posts:read}'
where "prefix"::text = 'feed';

update private.realtime_topics set "scopes" = '{notifications:read,messaging:read}'
where "prefix"::text = 'user';

insert into pgboss.queue ("name", "policy", "retry_limit", "retry_delay", "retry_backoff", "retry_delay_max", "expire_seconds", "retention_seconds", "deletion_seconds", "dead_letter", "partition", "table_name", "deferred_count", "queued_count", "ready_count", "warning_queued", "active_count", "failed_count", "total_count", "created_delta", "completed_delta", "failed_delta", "delta_on", "delta_seconds", "ready_history", "heartbeat_seconds", "notify", "singletons_active", "monitor_claim_on", "monitor_on", "maintain_on")
values ('ended-apps', 'standard', '2', '0', 'false', null, '900', '1209600', '604800', null, 'false', 'job_common', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', null, null, '{}', null, 'false', null, null, null, null);

insert into private.write_limits ("kind", "per_hour", "lock_kind")
values ('apps', '30', 'writes');

insert into private.write_limits ("kind", "per_hour", "lock_kind")
values ('tokens', '60', 'writes');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.access_tokens', 'user_id', 'accessTokens', null, null, '{token_hash,live_tokens}', null, 'false', null);

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.app_consents', 'user_id', 'appConsents', null, null, '{refresh}', null, 'false', null);

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.apps', 'owner_id', 'apps', null, null, '{secret_hash}', null, 'false', null);

update private.personal_data set "omits" = '{band}'
where "relation"::text = 'app.reputation' and "person_column"::text = 'user_id'
  and "omits"::text = '{}';

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.users', 'bot_owner_id', 'bots', null, null, '{card_rest}', null, 'false', null);

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.identities', 'user_id', 'linkedLogins', null, null, '{}', null, 'false', null);

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.oauth_records', 'consent_id', null, null, null, '{}', null, 'false', 'Requests and codes of apps, kept for some minutes.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.passkey_challenges', 'user_id', null, null, null, '{}', null, 'false', 'Hashes of random values, kept for five minutes.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.passkeys', 'user_id', 'passkeys', null, null, '{credential_id,public_key,counter}', null, 'false', null);

update private.personal_data set "reason" = 'Says only that the person has a factor.'
where "relation"::text = 'private.people_with_factor' and "person_column"::text = 'user_id'
  and "reason"::text = 'Says only that the person has a factor, as authenticatorApp does.';

update private.personal_data set "whose" = 't.scopes is null', "omits" = '{scopes}'
where "relation"::text = 'private.revoked_tokens' and "person_column"::text = 'user_id'
  and "whose" is null and "omits"::text = '{}';

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
