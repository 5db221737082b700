-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP TRIGGER "send_revoked_token" ON "private"."revoked_tokens";

DROP VIEW "private"."staff_decision_appeals";

DROP FUNCTION "private"."close_sessions"(uuid);

DROP FUNCTION "private"."end_tokens"(uuid);

DROP FUNCTION "private"."enter"(text, text);

CREATE TABLE "app"."access_tokens" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "user_id" uuid NOT NULL, "kind" text NOT NULL, "name" text NOT NULL, "token_hash" bytea NOT NULL, "scopes" text[] NOT NULL, "ends_with_password" boolean NOT NULL DEFAULT true, "issued_at" bigint NOT NULL, "expires_at" bigint NOT NULL, "live_tokens" jsonb NOT NULL DEFAULT '[]'::jsonb, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "last_used_at" timestamp with time zone, "ended_at" timestamp with time zone, "client_id" text, CONSTRAINT "access_tokens_pkey" PRIMARY KEY (id), CONSTRAINT "access_tokens_token_hash_key" UNIQUE (token_hash));

ALTER TABLE "app"."access_tokens" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."access_tokens" OWNER TO "postgres";

CREATE TABLE "app"."app_consents" ("id" uuid NOT NULL, "user_id" uuid NOT NULL, "app_id" uuid NOT NULL, "scopes" text[] NOT NULL, "generation" integer NOT NULL DEFAULT 0, "refresh" jsonb, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "last_used_at" timestamp with time zone NOT NULL DEFAULT now(), "expires_at" timestamp with time zone NOT NULL DEFAULT (now() + '60 days'::interval), "ended_at" timestamp with time zone, CONSTRAINT "app_consents_pkey" PRIMARY KEY (id));

ALTER TABLE "app"."app_consents" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."app_consents" OWNER TO "postgres";

CREATE TABLE "app"."apps" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "owner_id" uuid NOT NULL, "name" text NOT NULL, "website" text, "redirect_uris" text[] NOT NULL, "scopes" text[] NOT NULL, "is_confidential" boolean NOT NULL DEFAULT false, "secret_hash" bytea, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "ended_at" timestamp with time zone, CONSTRAINT "apps_pkey" PRIMARY KEY (id));

ALTER TABLE "app"."apps" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."apps" OWNER TO "postgres";

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

CREATE TABLE "private"."passkey_challenges" ("slot" integer NOT NULL, "challenge_hash" bytea NOT NULL, "user_id" uuid, "purpose" text NOT NULL, "created_at" timestamp with time zone NOT NULL DEFAULT now(), CONSTRAINT "passkey_challenges_challenge_hash_check" CHECK ((length(challenge_hash) = 32)), CONSTRAINT "passkey_challenges_pkey" PRIMARY KEY (slot), CONSTRAINT "passkey_challenges_purpose_check" CHECK ((purpose = ANY (ARRAY['add'::text, 'login'::text, 'proof'::text]))), CONSTRAINT "passkey_challenges_slot_check" CHECK (((slot >= 0) AND (slot <= 65535))));

ALTER TABLE "private"."passkey_challenges" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."passkey_challenges" OWNER TO "postgres";

CREATE TABLE "private"."passkeys" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "user_id" uuid NOT NULL, "credential_id" bytea NOT NULL, "public_key" bytea NOT NULL, "counter" bigint NOT NULL, "transports" text[] NOT NULL DEFAULT '{}'::text[], "name" text NOT NULL, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "last_used_at" timestamp with time zone, CONSTRAINT "passkeys_counter_check" CHECK ((counter >= 0)), CONSTRAINT "passkeys_credential_id_check" CHECK (((length(credential_id) >= 1) AND (length(credential_id) <= 1023))), CONSTRAINT "passkeys_name_check" CHECK (((length(btrim(name)) > 0) AND (length(name) <= 60))), CONSTRAINT "passkeys_pkey" PRIMARY KEY (id), CONSTRAINT "passkeys_public_key_check" CHECK (((length(public_key) >= 1) AND (length(public_key) <= 4000))), CONSTRAINT "passkeys_transports_check" CHECK ((cardinality(transports) <= 10)));

ALTER TABLE "private"."passkeys" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."passkeys" OWNER TO "postgres";

CREATE TABLE "private"."scopes" ("scope" text NOT NULL, "position" smallint NOT NULL, "says" text NOT NULL, "staff" boolean NOT NULL, CONSTRAINT "scopes_pkey" PRIMARY KEY (scope), CONSTRAINT "scopes_position_key" UNIQUE ("position"), CONSTRAINT "scopes_scope_check" CHECK ((scope ~ '^[a-z]+:(read|write)$'::text)));

ALTER TABLE "private"."scopes" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."scopes" OWNER TO "postgres";

ALTER TABLE "private"."realtime_topics" ADD COLUMN "scopes" text[] NOT NULL DEFAULT '{}'::text[];

ALTER TABLE "private"."revoked_tokens" ADD COLUMN "scopes" text[];

ALTER TABLE "private"."credentials" ALTER COLUMN "password_hash" DROP NOT NULL;

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
  v_app app.apps := private.lock_own_app(p_id);
begin
  perform private.count_writes('apps');
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
  return (select json_build_object('handle', encode(sha256(convert_to('passkey ' || id, 'UTF8')), 'base64'),
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
                                           'publicKey', encode(p.public_key, 'base64'),
                                           'credentialsVersion', u.credentials_version)
                  from private.passkeys p join app.users u on u.id = p.user_id
                  where p.credential_id = p_credential_id and p_purpose <> 'add'
                    and (app.uid() is null or p.user_id = app.uid()))));
end $function$;

ALTER FUNCTION "api"."take_passkey_challenge"(bytea, text, bytea) OWNER TO "postgres";

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

CREATE OR REPLACE FUNCTION private.is_own_thing(p_type text, p_id uuid, p_author uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ begin return private.answers_for(p_type, p_id, p_author, app.uid()); end $function$;

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

CREATE OR REPLACE FUNCTION private.known_credentials(p_user uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce(
    (select json_agg(json_build_object('id', encode(credential_id, 'base64'), 'transports', transports) order by id)
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

ALTER TABLE "private"."identities" ADD CONSTRAINT "identities_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."oauth_records" ADD CONSTRAINT "oauth_records_consent_id_fkey" FOREIGN KEY (consent_id) REFERENCES app.app_consents(id) ON DELETE CASCADE;

ALTER TABLE "private"."passkey_challenges" ADD CONSTRAINT "passkey_challenges_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."passkeys" ADD CONSTRAINT "passkeys_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."operation_scopes" ADD CONSTRAINT "operation_scopes_scope_fkey" FOREIGN KEY (scope) REFERENCES private.scopes(scope) ON DELETE CASCADE;

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

CREATE INDEX access_tokens_over_idx ON app.access_tokens USING btree (LEAST(ended_at, to_timestamp((expires_at)::double precision)));

CREATE INDEX access_tokens_user_id_idx ON app.access_tokens USING btree (user_id, created_at DESC, id DESC);

CREATE INDEX app_consents_app_id_idx ON app.app_consents USING btree (app_id, id) WHERE (ended_at IS NULL);

CREATE INDEX app_consents_of_app_idx ON app.app_consents USING btree (app_id, id);

CREATE INDEX app_consents_over_idx ON app.app_consents USING btree (LEAST(ended_at, expires_at));

CREATE INDEX app_consents_user_id_idx ON app.app_consents USING btree (user_id, created_at);

CREATE INDEX apps_ended_at_idx ON app.apps USING btree (ended_at);

CREATE INDEX apps_owner_id_idx ON app.apps USING btree (owner_id, created_at DESC, id DESC);

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

CREATE TRIGGER _070_end_consents_with_tokens AFTER UPDATE OF tokens_valid_from ON app.users FOR EACH ROW WHEN ((old.tokens_valid_from <> new.tokens_valid_from)) EXECUTE FUNCTION private.end_consents_with_tokens();

CREATE TRIGGER send_revoked_token AFTER INSERT OR UPDATE OF scopes ON private.revoked_tokens FOR EACH ROW WHEN ((new.scopes IS NULL)) EXECUTE FUNCTION private.send_revoked_token();

CREATE POLICY "select_own" ON "app"."access_tokens" FOR SELECT TO "authenticated" USING ((user_id = ( SELECT app.uid() AS uid)));

COMMENT ON COLUMN "app"."access_tokens"."client_id" IS 'The app that has the token; null for a personal one.';

COMMENT ON COLUMN "app"."access_tokens"."ended_at" IS 'When it was ended before it expired; null otherwise.';

COMMENT ON COLUMN "app"."access_tokens"."ends_with_password" IS 'Whether a new password ends the token.';

COMMENT ON COLUMN "app"."access_tokens"."expires_at" IS 'exp of its claims, in unix seconds: when it ends by itself.';

COMMENT ON COLUMN "app"."access_tokens"."issued_at" IS 'iat of its claims, in unix seconds.';

COMMENT ON COLUMN "app"."access_tokens"."last_used_at" IS 'When it was last used, accurate to five minutes: see api.note_presence. Null if it never was.';

COMMENT ON COLUMN "app"."access_tokens"."live_tokens" IS 'The short tokens for which it was exchanged and that have not expired: [[iat, exp], …] in unix seconds. They end with it.';

COMMENT ON COLUMN "app"."access_tokens"."name" IS 'What the person calls it, or the name of the app.';

COMMENT ON COLUMN "app"."app_consents"."ended_at" IS 'When it was revoked; null otherwise.';

COMMENT ON COLUMN "app"."app_consents"."expires_at" IS '60 days after the last use of the refresh token.';

COMMENT ON COLUMN "app"."app_consents"."generation" IS 'The generation of the current refresh token: how often it was replaced.';

COMMENT ON COLUMN "app"."app_consents"."last_used_at" IS 'When the app last got an access token by this consent.';

COMMENT ON COLUMN "app"."app_consents"."refresh" IS 'What the facade keeps about the refresh token, which is not in it; null before the first one.';

COMMENT ON COLUMN "app"."apps"."ended_at" IS 'When it was deleted; null before.';

COMMENT ON COLUMN "app"."apps"."is_confidential" IS 'Whether the app proves itself by a secret, because it runs on a server of its own.';

COMMENT ON COLUMN "app"."apps"."redirect_uris" IS 'Where an authorization may lead back to, compared exactly; only the port of a loopback address is free.';

COMMENT ON COLUMN "app"."apps"."scopes" IS 'What the app may ask for at most.';

COMMENT ON COLUMN "app"."apps"."secret_hash" IS 'SHA-256 of the secret, which has 256 random bits; null until the first one was made, and for other apps.';

COMMENT ON COLUMN "app"."decisions"."lifted_at" IS 'When its effect ended: staff ended it, its time was over, staff hid what a rule or a space had hidden, or another ban or suspension replaced it. Its strikes remain.';

COMMENT ON COLUMN "private"."credentials"."password_hash" IS 'Null for a person who logs in with an OpenID provider only.';

COMMENT ON COLUMN "private"."identities"."email" IS 'The address of the account when it was linked. It is only shown.';

COMMENT ON COLUMN "private"."identities"."issuer" IS 'The address by which the provider names itself.';

COMMENT ON COLUMN "private"."identities"."last_used_at" IS 'When it was last used for a login or a proof, or linked.';

COMMENT ON COLUMN "private"."identities"."subject" IS 'The id of the account at the provider, which never changes.';

COMMENT ON COLUMN "private"."oauth_records"."consumed_at" IS 'When a code was used; a code that comes again ends its consent.';

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

COMMENT ON FUNCTION "api"."check_password_reset"(uuid, bytea) IS 'For the facade alone: checks a token before the facade hashes a new password, {words}: the names and the address of the person.';

COMMENT ON FUNCTION "api"."consume_oauth_record"(text, bytea) IS 'For the facade alone: uses up a code. If it was used before, its consent ends.';

COMMENT ON FUNCTION "api"."consume_refresh"(uuid, integer) IS 'For the facade alone: uses up the refresh token of a generation. One that comes again ends the consent, except the latest one within 10 seconds of its first use.';

COMMENT ON FUNCTION "api"."create_access_token"(text, text[], bytea, text, timestamp with time zone, boolean) IS 'For the facade alone: makes an access token of the caller with this hash, as api.list_access_tokens returns it, with tokenHash (hex) and the nonce of which the facade made the token. Without p_expires_at it expires after 365 days. Fails: access_token_name.';

COMMENT ON FUNCTION "api"."create_app"(text, text[], text[], boolean, text) IS 'Registers an app: {id, name, website, redirectUris, scopes, isConfidential, hasSecret, createdAt}. Only admins can, unless the instance lets everyone. A person can have 20. Fails: app_name, app_website.';

COMMENT ON FUNCTION "api"."delete_app"(uuid) IS 'Deletes an app of the caller, with all consents and tokens: it gets no new token, and those that it has end.';

COMMENT ON FUNCTION "api"."delete_oauth_record"(text, bytea) IS 'For the facade alone: forgets a request or a code, and ends a token.';

COMMENT ON FUNCTION "api"."end_access_token"(uuid) IS 'Ends a personal access token of the caller, with the short tokens for which it was exchanged. Repeating it changes nothing.';

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

COMMENT ON FUNCTION "api"."start_passkey"(bytea) IS 'For the facade alone: stores the challenge of a new passkey. {handle (how the device names the person, base64), username, known: the passkeys that the caller has}.';

COMMENT ON FUNCTION "api"."start_passkey_login"(bytea) IS 'For the facade alone: stores the challenge of a login, {ok}.';

COMMENT ON FUNCTION "api"."start_passkey_proof"(bytea) IS 'For the facade alone: stores the challenge of a fresh proof, {known: the passkeys that the caller has}.';

COMMENT ON FUNCTION "api"."store_oauth_record"(text, bytea, jsonb, integer, bytea) IS 'For the facade alone: keeps a request or a code for so many seconds.';

COMMENT ON FUNCTION "api"."store_refresh"(uuid, integer, jsonb) IS 'For the facade alone: keeps what belongs to the refresh token of this generation, if it is the current one.';

COMMENT ON FUNCTION "api"."take_passkey_challenge"(bytea, text, bytea) IS 'For the facade alone: uses up a challenge. {isOpen: whether it was one of this purpose and caller, passkey: {id, userId, publicKey (base64), credentialsVersion}, null if there is none that the caller may use}.';

COMMENT ON FUNCTION "api"."unlimit_person"(text, text) IS 'Ends a limit of another person. Repeating it changes nothing. {id, user, role, bannedAt, suspendedUntil, limitedAt}. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."unlink_identity"(uuid) IS 'Removes a linked login of the caller, who has given a fresh proof. Their only way to log in stays: identity_needed.';

COMMENT ON FUNCTION "api"."update_app"(uuid, jsonb) IS 'Changes an app of the caller, {name, website, redirectUris, scopes}: absent fields do not change, and null clears website. Consents that people gave keep their scopes. Fails: app_name, app_website.';

COMMENT ON FUNCTION "private"."access_token_card"(app.access_tokens) IS 'An access token as its person sees it: {id, name, scopes, endsWithPassword, createdAt, lastUsedAt, expiresAt}.';

COMMENT ON FUNCTION "private"."access_tokens_rules"(text, text, bytea, text) IS 'The checks of app.access_tokens. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."add_identity"(uuid, private.oidc_logins) IS 'Links a login at the provider to a person. Fails: identity_taken.';

COMMENT ON FUNCTION "private"."answers_for"(text, uuid, uuid, uuid) IS 'Whether a person answers for a thing: as p_author, or as one of its co-authors.';

COMMENT ON FUNCTION "private"."app_card"(app.apps) IS 'An app as its owner sees it: {id, name, website, redirectUris, scopes, isConfidential, hasSecret, createdAt}.';

COMMENT ON FUNCTION "private"."app_consents_rules"(integer) IS 'The checks of app.app_consents. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."apps_rules"(text, text, bytea) IS 'The checks of app.apps. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."change_own_app"(uuid, jsonb) IS 'Changes an app of the caller, as api.update_app says.';

COMMENT ON FUNCTION "private"."check_caller"() IS 'Returns true, or raises token_revoked if the token is not valid, scope_missing or session_required if it has scopes and the operation of the request needs another one. All entry points call it: private.enter and PostgREST''s db_pre_request; the Realtime policy calls private.check_token.';

COMMENT ON FUNCTION "private"."check_token"() IS 'Returns the scopes of the token, null if it has none and so may do everything that its holder may do. Raises token_revoked if the token''s holder was erased or banned or has another role, or if the token was ended.';

COMMENT ON FUNCTION "private"."close_sessions"(uuid, boolean) IS 'Locks a person, and ends their sessions and access tokens. Returns the value that tokens_valid_from must have to revoke every other token issued so far: the next whole second. With p_by_password, because the password has changed, it leaves the access tokens that do not end with it.';

COMMENT ON FUNCTION "private"."create_own_app"(text, text[], text[], boolean, text) IS 'Registers an app of the caller, as api.create_app says.';

COMMENT ON FUNCTION "private"."delete_own_app"(uuid) IS 'Deletes an app of the caller.';

COMMENT ON FUNCTION "private"."end_access_token"(uuid) IS 'Ends an access token, and the short tokens for which it was exchanged. Does nothing if it has ended.';

COMMENT ON FUNCTION "private"."end_app"(uuid) IS 'Ends an app: it gets no more tokens. Ends the first 500 consents at once, and leaves the others to the worker.';

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

COMMENT ON FUNCTION "private"."find_identity"(private.oidc_logins) IS 'The linked account of a login at the provider; null if nobody linked it.';

COMMENT ON FUNCTION "private"."find_oidc_login"(uuid, bytea, text) IS 'The login that this one-time code and this challenge belong to.';

COMMENT ON FUNCTION "private"."is_own_thing"(text, uuid, uuid) IS 'Whether the caller answers for a thing. Staff do not work on their own things.';

COMMENT ON FUNCTION "private"."issue_access_token"(uuid, text, text, bytea, text[], integer, text, boolean) IS 'Makes an access token of the kind personal or app (then p_client is the app), and returns its claims. p_token_hash is the SHA-256 of the token. A person can have 50 personal ones.';

COMMENT ON FUNCTION "private"."known_credentials"(uuid) IS 'The ids of a person''s passkeys in base64, for a browser: [{id, transports}].';

COMMENT ON FUNCTION "private"."known_scopes"(text[]) IS 'These scopes without duplicates and in their order. An app may ask for scopes that its owner may not have.';

COMMENT ON FUNCTION "private"."limit_to_scopes"(json, text[]) IS 'From now on a token with these claims may do only what the scopes allow.';

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

COMMENT ON FUNCTION "private"."passkey_card"(private.passkeys) IS 'A passkey as its person sees it: {id, name, createdAt, lastUsedAt}.';

COMMENT ON FUNCTION "private"."record_decision"() IS 'Trigger: writes the decision of an audit entry that concerns a person, and adds it to the history of the case that is being worked on (setting kith.case: {caseId, category, rule, spaceId}), or of the open case of the thing. If staff decides to hide or remove a thing, that lifts the decisions of rules and spaces about it. A ban or a suspension lifts the one before it, whose end it replaces.';

COMMENT ON FUNCTION "private"."redeem_invite"(uuid, text, text, text, text, date, text, text) IS 'Redeems a reservation and creates the person, who has no password if p_password_hash is null. Returns the person. A failure does not change the reservation.';

COMMENT ON FUNCTION "private"."refuse_own"(text, uuid, uuid) IS 'Passes if the caller may undo what staff decided about a thing. Nobody may who answers for it, admins included.';

COMMENT ON FUNCTION "private"."remove_own_passkey"(uuid) IS 'Removes a passkey of the caller, as api.remove_passkey says.';

COMMENT ON FUNCTION "private"."remove_own_totp"() IS 'Removes the caller''s authenticator app, as api.remove_totp says.';

COMMENT ON FUNCTION "private"."rename_own_passkey"(uuid, text) IS 'Renames a passkey of the caller, as api.rename_passkey does.';

COMMENT ON FUNCTION "private"."replace_password"(uuid, text) IS 'Sets a password, and ends everything that depended on the old one: tokens, except access tokens that do not end with it, sessions, device tokens, mailed links and a pending change of address.';

COMMENT ON FUNCTION "private"."require_redirects"(text[], boolean) IS 'These redirect URIs, if an app may have them.';

COMMENT ON FUNCTION "private"."require_registration"() IS 'Passes if the caller may register apps: REGISTER_APPS.';

COMMENT ON FUNCTION "private"."require_scope"(text[], text) IS 'Passes if these scopes, those of the caller''s token, include one that the operation needs. Fails: scope_missing.';

COMMENT ON FUNCTION "private"."require_scopes"(uuid, text[]) IS 'Returns these scopes without duplicates and in their order, if they exist and the person may have them.';

COMMENT ON FUNCTION "private"."send_revoked_token"() IS 'Trigger: tells Realtime that a token was revoked.';

COMMENT ON FUNCTION "private"."set_content_removed"(text, uuid, boolean, text) IS 'Removes a content for everyone except its author, or restores it: {id, kind, removedAt}. Repeating it changes nothing and leaves no audit entry, unless staff removes what a rule has removed (private.takes_over); a deleted content is unknown. Nobody can restore what they wrote themselves.';

COMMENT ON FUNCTION "private"."set_post_hidden"(uuid, boolean, text) IS 'For staff: private.write_post_hidden. Nobody can show again what they wrote themselves.';

COMMENT ON FUNCTION "private"."set_reply_hidden"(uuid, boolean, text) IS 'For staff: private.write_reply_hidden. Nobody can show again what they wrote themselves.';

COMMENT ON FUNCTION "private"."staff_user_details"(uuid) IS 'The fields that the list of people leaves out: {about, country, city, invitedById, invitedBy, reputation, contribution, balance, openReports}. Reports are counted up to 1000, and those about the caller are not counted.';

COMMENT ON FUNCTION "private"."unlink_own_identity"(uuid) IS 'Removes a linked login of the caller, unless it is the last way in.';

COMMENT ON FUNCTION "private"."use_oidc_login"(uuid, bytea, text) IS 'Uses up a one-time code. If the operation then fails, the code can be used again.';

COMMENT ON FUNCTION "private"."use_passkey"(uuid, uuid, bigint) IS 'Records that a passkey was used. If its counter went back, the passkey, the tokens and the sessions of the person end, and it returns false: then the calling function must return an error, and not raise it.';

COMMENT ON FUNCTION "private"."words_of"(uuid) IS 'The names and the address of a person, of which a new password of theirs may not consist.';

COMMENT ON POLICY "select_own" ON "app"."access_tokens" IS 'People see their own access tokens, without the hashes. Definer functions write access tokens.';

COMMENT ON TABLE "app"."access_tokens" IS 'Tokens with scopes, for programs: personal ones, and those of apps. Only the SHA-256 of a token is stored. A token keeps its row for a day after its end.';

COMMENT ON TABLE "app"."app_consents" IS 'What a person allowed an app to do, once for each time the app asked. It ends when its refresh token was not used for 60 days. One that has ended keeps its row for a day, so that a stolen token stays known.';

COMMENT ON TABLE "app"."apps" IS 'Registered apps. The id is the client_id of OAuth. An app that was deleted keeps its row for a day, in which the worker ends what is left of its consents.';

COMMENT ON TABLE "app"."settings" IS 'Settings that SQL needs. Written at boot: instance_domain, rate_limit_scale, public_url, media_url, media_bucket, media_quota, media_hosts, webhook_exempt, backups (on or off), register_apps (admins or everyone), require_factor (roles, separated by commas), proof_tier. Written by the worker: embedding_model. Written by operators: searches_at_once. None is secret.';

COMMENT ON TABLE "private"."identities" IS 'Accounts at OpenID providers with which people log in, at most 5 for each person.';

COMMENT ON TABLE "private"."oauth_records" IS 'What the provider of OAuth keeps for some minutes: requests of apps, codes and access tokens.';

COMMENT ON TABLE "private"."oidc_logins" IS 'Logins at the provider that have come back, each once by its id, with the SHA-256 of their one-time code.';

COMMENT ON TABLE "private"."operation_scopes" IS 'Registry: the scopes of each operation, of which a token with scopes needs one. An operation without a row is refused to these tokens.';

COMMENT ON TABLE "private"."passkey_challenges" IS 'SHA-256 of the challenges that wait for the signature of a passkey: each counts once, within five minutes. A new one takes a slot by chance, and replaces what was there, so strangers can''t fill the table.';

COMMENT ON TABLE "private"."passkeys" IS 'The passkeys of people, at most ten for each person.';

COMMENT ON TABLE "private"."revoked_tokens" IS 'The denylist, keyed by a token''s (sub, iat, exp) in unix seconds, because PostgREST and Realtime see only claims. It also has the tokens with scopes: they may do only some of what their holder may do.';

COMMENT ON TABLE "private"."scopes" IS 'Registry: the scopes that a token can have.';

COMMENT ON VIEW "private"."staff_decision_appeals" IS 'Appeals as staff sees them. mayResolve says whether the caller may resolve it, own whether it is theirs or about what they wrote with others.';

REVOKE ALL ON FUNCTION "api"."add_passkey"(bytea, bytea, bigint, text[], text, integer, uuid, bytea, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."add_passkey"(bytea, bytea, bigint, text[], text, integer, uuid, bytea, text, text, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."add_passkey"(bytea, bytea, bigint, text[], text, integer, uuid, bytea, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."add_passkey"(bytea, bytea, bigint, text[], text, integer, uuid, bytea, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."answer_device"(bytea, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."answer_device"(bytea, jsonb) TO "gate";

REVOKE ALL ON FUNCTION "api"."answer_device"(bytea, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."answer_device"(bytea, jsonb) TO "postgres";

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

REVOKE ALL ON FUNCTION "api"."delete_app"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."delete_app"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."delete_app"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."delete_app"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."delete_oauth_record"(text, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."delete_oauth_record"(text, bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."delete_oauth_record"(text, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."delete_oauth_record"(text, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."end_access_token"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."end_access_token"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."end_access_token"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."end_access_token"(uuid) TO "postgres";

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

REVOKE ALL ON FUNCTION "private"."find_identity"(private.oidc_logins) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_identity"(private.oidc_logins) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_identity"(private.oidc_logins) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_oidc_login"(uuid, bytea, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_oidc_login"(uuid, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_oidc_login"(uuid, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."issue_access_token"(uuid, text, text, bytea, text[], integer, text, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."issue_access_token"(uuid, text, text, bytea, text[], integer, text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."issue_access_token"(uuid, text, text, bytea, text[], integer, text, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."known_credentials"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."known_credentials"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."known_credentials"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."known_scopes"(text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."known_scopes"(text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."known_scopes"(text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."limit_to_scopes"(json, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."limit_to_scopes"(json, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_to_scopes"(json, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_own_access_tokens"() FROM PUBLIC;

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

REVOKE ALL ON FUNCTION "private"."passkey_card"(private.passkeys) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."passkey_card"(private.passkeys) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."passkey_card"(private.passkeys) TO "postgres";

REVOKE ALL ON FUNCTION "private"."redeem_invite"(uuid, text, text, text, text, date, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."redeem_invite"(uuid, text, text, text, text, date, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."redeem_invite"(uuid, text, text, text, text, date, text, text) TO "postgres";

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

REVOKE ALL ON FUNCTION "private"."unlink_own_identity"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unlink_own_identity"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."unlink_own_identity"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."unlink_own_identity"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."use_oidc_login"(uuid, bytea, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."use_oidc_login"(uuid, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."use_oidc_login"(uuid, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."use_passkey"(uuid, uuid, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."use_passkey"(uuid, uuid, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."use_passkey"(uuid, uuid, bigint) TO "postgres";

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

ALTER TABLE "app"."access_tokens" ADD CONSTRAINT "access_tokens_rules" CHECK (private.access_tokens_rules(kind, name, token_hash, client_id));

ALTER TABLE "app"."app_consents" ADD CONSTRAINT "app_consents_rules" CHECK (private.app_consents_rules(generation));

ALTER TABLE "app"."apps" ADD CONSTRAINT "apps_rules" CHECK (private.apps_rules(name, website, secret_hash));

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
values ('consent_over', '410', 'This request of an app is over. Start again in the app.');

update private.errors set "text" = 'Your role requires a second factor. Add an authenticator app or a passkey first, at /account.'
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
values ('passkey_wrong', '403', 'The passkey is not accepted. Ask for a new challenge, and try again.');

insert into private.errors ("code", "status", "text")
values ('passkeys_full', '409', 'You have ten passkeys. Remove one first.');

insert into private.errors ("code", "status", "text")
values ('password_guessable', '422', 'This password is one of the most common ones, or easy to guess from your name or address. Choose another one, for example several words.');

insert into private.errors ("code", "status", "text")
values ('scope_missing', '403', 'This access token does not have the scope that this needs.');

insert into private.errors ("code", "status", "text")
values ('scope_unknown', '422', 'There is no such scope. GET /scopes lists them.');

insert into private.errors ("code", "status", "text")
values ('session_required', '403', 'No access token with scopes may do this. Log in instead.');

insert into private.lock_kinds ("kind", "position")
values ('app', '296');

insert into app.settings ("key", "value")
values ('register_apps', 'admins');

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

insert into private.batch_queues ("queue", "batch")
values ('ended-apps', 'private.end_more_consents');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('app.access_tokens', 'least(ended_at, to_timestamp((expires_at)::double precision))', '1 day', '5000');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('app.app_consents', 'least(ended_at, expires_at)', '1 day', '5000');

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

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.identities', 'user_id', 'linkedLogins', null, null, '{}', null, 'false', null);

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.passkey_challenges', 'user_id', null, null, null, '{}', null, 'false', 'Hashes of random values, kept for five minutes.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.passkeys', 'user_id', 'passkeys', null, null, '{credential_id,public_key,counter}', null, 'false', null);

update private.personal_data set "reason" = 'Says only that the person has a factor, as authenticatorApp and passkeys do.'
where "relation"::text = 'private.people_with_factor' and "person_column"::text = 'user_id'
  and "reason"::text = 'Says only that the person has a factor, as authenticatorApp does.';

update private.personal_data set "whose" = 't.scopes is null', "omits" = '{scopes}'
where "relation"::text = 'private.revoked_tokens' and "person_column"::text = 'user_id'
  and "whose" is null and "omits"::text = '{}';
