-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE TABLE "app"."app_consents" ("id" uuid NOT NULL, "user_id" uuid NOT NULL, "app_id" uuid NOT NULL, "scopes" text[] NOT NULL, "generation" integer NOT NULL DEFAULT 0, "refresh" jsonb, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "last_used_at" timestamp with time zone NOT NULL DEFAULT now(), "expires_at" timestamp with time zone NOT NULL DEFAULT (now() + '60 days'::interval), "ended_at" timestamp with time zone, CONSTRAINT "app_consents_pkey" PRIMARY KEY (id));

ALTER TABLE "app"."app_consents" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."app_consents" OWNER TO "postgres";

CREATE TABLE "app"."apps" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "owner_id" uuid NOT NULL, "name" text NOT NULL, "website" text, "redirect_uris" text[] NOT NULL, "scopes" text[] NOT NULL, "is_confidential" boolean NOT NULL DEFAULT false, "secret_hash" bytea, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "ended_at" timestamp with time zone, CONSTRAINT "apps_pkey" PRIMARY KEY (id));

ALTER TABLE "app"."apps" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."apps" OWNER TO "postgres";

CREATE TABLE "private"."oauth_records" ("model" text NOT NULL, "key" bytea NOT NULL, "payload" jsonb NOT NULL, "user_code" bytea, "consent_id" uuid, "expires_at" timestamp with time zone NOT NULL, "consumed_at" timestamp with time zone, CONSTRAINT "oauth_records_key_check" CHECK ((length(key) = 32)), CONSTRAINT "oauth_records_model_check" CHECK ((model = ANY (ARRAY['AccessToken'::text, 'AuthorizationCode'::text, 'DeviceCode'::text, 'Interaction'::text]))), CONSTRAINT "oauth_records_payload_check" CHECK ((pg_column_size(payload) <= 65536)), CONSTRAINT "oauth_records_pkey" PRIMARY KEY (model, key), CONSTRAINT "oauth_records_user_code_check" CHECK ((length(user_code) = 32)));

ALTER TABLE "private"."oauth_records" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."oauth_records" OWNER TO "postgres";

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

CREATE OR REPLACE FUNCTION api.update_app(p_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.change_own_app(p_id, p_changes);
end $function$;

ALTER FUNCTION "api"."update_app"(uuid, jsonb) OWNER TO "postgres";

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

ALTER TABLE "app"."app_consents" ADD CONSTRAINT "app_consents_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "app"."apps" ADD CONSTRAINT "apps_owner_id_fkey" FOREIGN KEY (owner_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "app"."app_consents" ADD CONSTRAINT "app_consents_app_id_fkey" FOREIGN KEY (app_id) REFERENCES app.apps(id) ON DELETE CASCADE;

ALTER TABLE "private"."oauth_records" ADD CONSTRAINT "oauth_records_consent_id_fkey" FOREIGN KEY (consent_id) REFERENCES app.app_consents(id) ON DELETE CASCADE;

CREATE INDEX app_consents_app_id_idx ON app.app_consents USING btree (app_id, id) WHERE (ended_at IS NULL);

CREATE INDEX app_consents_of_app_idx ON app.app_consents USING btree (app_id, id);

CREATE INDEX app_consents_over_idx ON app.app_consents USING btree (LEAST(ended_at, expires_at));

CREATE INDEX app_consents_user_id_idx ON app.app_consents USING btree (user_id, created_at);

CREATE INDEX apps_ended_at_idx ON app.apps USING btree (ended_at);

CREATE INDEX apps_owner_id_idx ON app.apps USING btree (owner_id, created_at DESC, id DESC);

CREATE INDEX oauth_records_consent_id_idx ON private.oauth_records USING btree (consent_id, expires_at);

CREATE INDEX oauth_records_expires_at_idx ON private.oauth_records USING btree (expires_at);

CREATE UNIQUE INDEX oauth_records_user_code_idx ON private.oauth_records USING btree (user_code);

CREATE TRIGGER reject_null BEFORE INSERT OR UPDATE ON app.apps FOR EACH ROW WHEN (((new.id IS NULL) OR (new.owner_id IS NULL) OR (new.name IS NULL) OR (new.redirect_uris IS NULL) OR (new.scopes IS NULL) OR (new.is_confidential IS NULL) OR (new.created_at IS NULL))) EXECUTE FUNCTION private.reject_null();

CREATE TRIGGER _070_end_consents_with_tokens AFTER UPDATE OF tokens_valid_from ON app.users FOR EACH ROW WHEN ((old.tokens_valid_from <> new.tokens_valid_from)) EXECUTE FUNCTION private.end_consents_with_tokens();

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

COMMENT ON COLUMN "private"."oauth_records"."consumed_at" IS 'When a code was used; a code that comes again ends its consent.';

COMMENT ON COLUMN "private"."oauth_records"."key" IS 'SHA-256 of the code or the token, or of the id of the request.';

COMMENT ON COLUMN "private"."oauth_records"."user_code" IS 'SHA-256 of the code that a person enters for a device.';

COMMENT ON FUNCTION "api"."answer_device"(bytea, jsonb) IS 'For the facade alone: keeps what a person answered to a device.';

COMMENT ON FUNCTION "api"."consume_oauth_record"(text, bytea) IS 'For the facade alone: uses up a code. If it was used before, its consent ends.';

COMMENT ON FUNCTION "api"."consume_refresh"(uuid, integer) IS 'For the facade alone: uses up the refresh token of a generation. One that comes again ends the consent, except the latest one within 10 seconds of its first use.';

COMMENT ON FUNCTION "api"."create_app"(text, text[], text[], boolean, text) IS 'Registers an app: {id, name, website, redirectUris, scopes, isConfidential, hasSecret, createdAt}. Only admins can, unless the instance lets everyone. A person can have 20. Fails: app_name, app_website.';

COMMENT ON FUNCTION "api"."delete_app"(uuid) IS 'Deletes an app of the caller, with all consents and tokens: it gets no new token, and those that it has end.';

COMMENT ON FUNCTION "api"."delete_oauth_record"(text, bytea) IS 'For the facade alone: forgets a request or a code, and ends a token.';

COMMENT ON FUNCTION "api"."end_consent"(uuid) IS 'For the facade alone: ends a consent with its tokens.';

COMMENT ON FUNCTION "api"."find_app"(uuid) IS 'For the facade alone: an app with the hash of its secret, or null if there is none.';

COMMENT ON FUNCTION "api"."find_consent"(uuid) IS 'For the facade alone: a consent that is valid, {userId, appId, scopes, generation, refresh, wasJustUsed, iat, exp}, or null.';

COMMENT ON FUNCTION "api"."find_oauth_record"(text, bytea, bytea) IS 'For the facade alone: what was kept under this key or user code, with the time at which it was used; or null.';

COMMENT ON FUNCTION "api"."give_consent"(uuid, uuid, uuid, text[]) IS 'For the facade alone: the caller allows an app these scopes. If the caller has more than 50 consents, the least recently used one ends.';

COMMENT ON FUNCTION "api"."issue_app_token"(uuid, bytea, text[], jsonb, integer) IS 'For the facade alone: an app gets an access token with this hash by a consent. Of one consent the newest 10 are valid.';

COMMENT ON FUNCTION "api"."list_apps"() IS 'The apps that the caller registered, newest first. There are at most 20, so all are on one page.';

COMMENT ON FUNCTION "api"."list_my_apps"() IS 'The apps that the caller allowed to use the API, {id, name, website, scopes, since, lastUsedAt}. A person has at most 50 consents, so all are on one page.';

COMMENT ON FUNCTION "api"."renew_app_secret"(uuid, bytea) IS 'For the facade alone: gives a confidential app of the caller a new secret with this hash. The previous one ends at once.';

COMMENT ON FUNCTION "api"."revoke_my_app"(uuid) IS 'Ends what the caller allowed an app, and its tokens at once.';

COMMENT ON FUNCTION "api"."store_oauth_record"(text, bytea, jsonb, integer, bytea) IS 'For the facade alone: keeps a request or a code for so many seconds.';

COMMENT ON FUNCTION "api"."store_refresh"(uuid, integer, jsonb) IS 'For the facade alone: keeps what belongs to the refresh token of this generation, if it is the current one.';

COMMENT ON FUNCTION "api"."update_app"(uuid, jsonb) IS 'Changes an app of the caller, {name, website, redirectUris, scopes}: absent fields do not change, and null clears website. Consents that people gave keep their scopes. Fails: app_name, app_website.';

COMMENT ON FUNCTION "private"."app_card"(app.apps) IS 'An app as its owner sees it: {id, name, website, redirectUris, scopes, isConfidential, hasSecret, createdAt}.';

COMMENT ON FUNCTION "private"."app_consents_rules"(integer) IS 'The checks of app.app_consents. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."apps_rules"(text, text, bytea) IS 'The checks of app.apps. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."change_own_app"(uuid, jsonb) IS 'Changes an app of the caller, as api.update_app says.';

COMMENT ON FUNCTION "private"."create_own_app"(text, text[], text[], boolean, text) IS 'Registers an app of the caller, as api.create_app says.';

COMMENT ON FUNCTION "private"."delete_own_app"(uuid) IS 'Deletes an app of the caller.';

COMMENT ON FUNCTION "private"."end_app"(uuid) IS 'Ends an app: it gets no more tokens. Ends the first 500 consents at once, and leaves the others to the worker.';

COMMENT ON FUNCTION "private"."end_consent"(uuid) IS 'Ends a consent, with its refresh token and its access tokens. At most 10 of these are valid at a time.';

COMMENT ON FUNCTION "private"."end_consents_of"(uuid) IS 'Ends all consents of a person, of whom at most 50 are valid.';

COMMENT ON FUNCTION "private"."end_consents_of_person"(app.users) IS 'Step: a ban or an erasure ends what the person allowed apps, and the apps that the person registered.';

COMMENT ON FUNCTION "private"."end_consents_with_tokens"() IS 'Trigger: what ends all tokens of a person, such as a new password, ends the consents too.';

COMMENT ON FUNCTION "private"."end_more_consents"(jsonb, uuid) IS 'For the worker alone: ends the next 500 consents of an app {appId} that was deleted. Returns {changed, next}.';

COMMENT ON FUNCTION "private"."end_own_consents"(uuid) IS 'Ends the caller''s consents to an app. Returns whether there were any.';

COMMENT ON FUNCTION "private"."erase_apps"(app.users) IS 'Step: deletes what the erased person allowed apps, and empties the apps that they registered.';

COMMENT ON FUNCTION "private"."known_scopes"(text[]) IS 'These scopes without duplicates and in their order. An app may ask for scopes that its owner may not have.';

COMMENT ON FUNCTION "private"."list_own_apps"() IS 'The apps of the caller, as api.list_apps says.';

COMMENT ON FUNCTION "private"."list_own_consents"() IS 'The apps that the caller allowed, as api.list_my_apps says.';

COMMENT ON FUNCTION "private"."lock_own_app"(uuid) IS 'Finds an app of the caller, and locks it.';

COMMENT ON FUNCTION "private"."require_redirects"(text[], boolean) IS 'These redirect URIs, if an app may have them.';

COMMENT ON FUNCTION "private"."require_registration"() IS 'Passes if the caller may register apps: REGISTER_APPS.';

COMMENT ON TABLE "app"."app_consents" IS 'What a person allowed an app to do, once for each time the app asked. It ends when its refresh token was not used for 60 days. One that has ended keeps its row for a day, so that a stolen token stays known.';

COMMENT ON TABLE "app"."apps" IS 'Registered apps. The id is the client_id of OAuth. An app that was deleted keeps its row for a day, in which the worker ends what is left of its consents.';

COMMENT ON TABLE "app"."settings" IS 'Settings that SQL needs. Written at boot: instance_domain, rate_limit_scale, public_url, media_url, media_bucket, media_quota, media_hosts, webhook_exempt, backups (on or off), register_apps (admins or everyone), require_factor (roles, separated by commas), proof_tier. Written by the worker: embedding_model. Written by operators: searches_at_once. None is secret.';

COMMENT ON TABLE "private"."oauth_records" IS 'What the provider of OAuth keeps for some minutes: requests of apps, codes and access tokens.';

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

REVOKE ALL ON FUNCTION "api"."end_consent"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."end_consent"(uuid) TO "gate";

REVOKE ALL ON FUNCTION "api"."end_consent"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."end_consent"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."find_app"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."find_app"(uuid) TO "gate";

REVOKE ALL ON FUNCTION "api"."find_app"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."find_app"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."find_consent"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."find_consent"(uuid) TO "gate";

REVOKE ALL ON FUNCTION "api"."find_consent"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."find_consent"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."find_oauth_record"(text, bytea, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."find_oauth_record"(text, bytea, bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."find_oauth_record"(text, bytea, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."find_oauth_record"(text, bytea, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."give_consent"(uuid, uuid, uuid, text[]) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."give_consent"(uuid, uuid, uuid, text[]) TO "gate";

REVOKE ALL ON FUNCTION "api"."give_consent"(uuid, uuid, uuid, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."give_consent"(uuid, uuid, uuid, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "api"."issue_app_token"(uuid, bytea, text[], jsonb, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."issue_app_token"(uuid, bytea, text[], jsonb, integer) TO "gate";

REVOKE ALL ON FUNCTION "api"."issue_app_token"(uuid, bytea, text[], jsonb, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."issue_app_token"(uuid, bytea, text[], jsonb, integer) TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_apps"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_apps"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."list_apps"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_apps"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_my_apps"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_my_apps"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."list_my_apps"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_my_apps"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."renew_app_secret"(uuid, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."renew_app_secret"(uuid, bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."renew_app_secret"(uuid, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."renew_app_secret"(uuid, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."revoke_my_app"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."revoke_my_app"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."revoke_my_app"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."revoke_my_app"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."store_oauth_record"(text, bytea, jsonb, integer, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."store_oauth_record"(text, bytea, jsonb, integer, bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."store_oauth_record"(text, bytea, jsonb, integer, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."store_oauth_record"(text, bytea, jsonb, integer, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."store_refresh"(uuid, integer, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."store_refresh"(uuid, integer, jsonb) TO "gate";

REVOKE ALL ON FUNCTION "api"."store_refresh"(uuid, integer, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."store_refresh"(uuid, integer, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "api"."update_app"(uuid, jsonb) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."update_app"(uuid, jsonb) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."update_app"(uuid, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."update_app"(uuid, jsonb) TO "postgres";

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

REVOKE ALL ON FUNCTION "private"."create_own_app"(text, text[], text[], boolean, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."create_own_app"(text, text[], text[], boolean, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."create_own_app"(text, text[], text[], boolean, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."create_own_app"(text, text[], text[], boolean, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."delete_own_app"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."delete_own_app"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."delete_own_app"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."delete_own_app"(uuid) TO "postgres";

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

REVOKE ALL ON FUNCTION "private"."end_more_consents"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_more_consents"(jsonb, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_more_consents"(jsonb, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_more_consents"(jsonb, uuid) TO "worker";

REVOKE ALL ON FUNCTION "private"."end_own_consents"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_own_consents"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."end_own_consents"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_own_consents"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."erase_apps"(app.users) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."erase_apps"(app.users) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."erase_apps"(app.users) TO "postgres";

REVOKE ALL ON FUNCTION "private"."known_scopes"(text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."known_scopes"(text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."known_scopes"(text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_own_apps"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_own_apps"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."list_own_apps"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_own_apps"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_own_consents"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_own_consents"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."list_own_consents"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_own_consents"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_own_app"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_own_app"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_own_app"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_redirects"(text[], boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_redirects"(text[], boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_redirects"(text[], boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_registration"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_registration"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."require_registration"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_registration"() TO "postgres";

REVOKE ALL ON TABLE "app"."app_consents" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."app_consents" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."app_consents" TO "service_role";

REVOKE ALL ON TABLE "app"."apps" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."apps" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."apps" TO "service_role";

ALTER TABLE "app"."app_consents" ADD CONSTRAINT "app_consents_rules" CHECK (private.app_consents_rules(generation));

ALTER TABLE "app"."apps" ADD CONSTRAINT "apps_rules" CHECK (private.apps_rules(name, website, secret_hash));

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

insert into private.lock_kinds ("kind", "position")
values ('app', '296');

insert into app.settings ("key", "value")
values ('register_apps', 'admins');

insert into private.account_steps ("step", "events", "position")
values ('private.end_consents_of_person', '{ban,erasure}', '62');

insert into private.account_steps ("step", "events", "position")
values ('private.erase_apps', '{erasure}', '63');

insert into private.batch_queues ("queue", "batch")
values ('ended-apps', 'private.end_more_consents');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('app.app_consents', 'least(ended_at, expires_at)', '1 day', '5000');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('app.apps', 'ended_at', '1 day', '5000');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('private.oauth_records', 'expires_at', '00:00:00', '5000');

insert into pgboss.queue ("name", "policy", "retry_limit", "retry_delay", "retry_backoff", "retry_delay_max", "expire_seconds", "retention_seconds", "deletion_seconds", "dead_letter", "partition", "table_name", "deferred_count", "queued_count", "ready_count", "warning_queued", "active_count", "failed_count", "total_count", "created_delta", "completed_delta", "failed_delta", "delta_on", "delta_seconds", "ready_history", "heartbeat_seconds", "notify", "singletons_active", "monitor_claim_on", "monitor_on", "maintain_on")
values ('ended-apps', 'standard', '2', '0', 'false', null, '900', '1209600', '604800', null, 'false', 'job_common', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', null, null, '{}', null, 'false', null, null, null, null);

insert into private.write_limits ("kind", "per_hour", "lock_kind")
values ('apps', '30', 'writes');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.app_consents', 'user_id', 'appConsents', null, null, '{refresh}', null, 'false', null);

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.apps', 'owner_id', 'apps', null, null, '{secret_hash}', null, 'false', null);
