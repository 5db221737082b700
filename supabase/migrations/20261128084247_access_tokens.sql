-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP TRIGGER "send_revoked_token" ON "private"."revoked_tokens";

DROP FUNCTION "private"."close_sessions"(uuid);

DROP FUNCTION "private"."end_tokens"(uuid);

DROP FUNCTION "private"."enter"(text, text);

CREATE TABLE "app"."access_tokens" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "user_id" uuid NOT NULL, "kind" text NOT NULL, "name" text NOT NULL, "token_hash" bytea NOT NULL, "scopes" text[] NOT NULL, "ends_with_password" boolean NOT NULL DEFAULT true, "issued_at" bigint NOT NULL, "expires_at" bigint NOT NULL, "live_tokens" jsonb NOT NULL DEFAULT '[]'::jsonb, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "last_used_at" timestamp with time zone, "ended_at" timestamp with time zone, "client_id" text, CONSTRAINT "access_tokens_pkey" PRIMARY KEY (id), CONSTRAINT "access_tokens_token_hash_key" UNIQUE (token_hash));

ALTER TABLE "app"."access_tokens" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."access_tokens" OWNER TO "postgres";

CREATE TABLE "private"."operation_scopes" ("operation" text NOT NULL, "scope" text, CONSTRAINT "operation_scopes_operation_scope_key" UNIQUE NULLS NOT DISTINCT (operation, scope));

ALTER TABLE "private"."operation_scopes" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."operation_scopes" OWNER TO "postgres";

CREATE TABLE "private"."scopes" ("scope" text NOT NULL, "position" smallint NOT NULL, "says" text NOT NULL, "staff" boolean NOT NULL, CONSTRAINT "scopes_pkey" PRIMARY KEY (scope), CONSTRAINT "scopes_position_key" UNIQUE ("position"), CONSTRAINT "scopes_scope_check" CHECK ((scope ~ '^[a-z]+:(read|write)$'::text)));

ALTER TABLE "private"."scopes" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."scopes" OWNER TO "postgres";

ALTER TABLE "private"."realtime_topics" ADD COLUMN "scopes" text[] NOT NULL DEFAULT '{}'::text[];

ALTER TABLE "private"."revoked_tokens" ADD COLUMN "scopes" text[];

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
  delete from private.password_resets where user_id = p_user.id;
  delete from private.email_verifications where user_id = p_user.id;
  -- comes last, because a transaction that writes the person's ledger also locks this row after all others
  update app.accounts set email = 'deleted-' || gen_random_uuid() || '@deleted.invalid',
                          email_verified_at = null, email_bounced_at = null, date_of_birth = null, phone = null,
                          last_seen_at = null
  where user_id = p_user.id;
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

ALTER TABLE "app"."access_tokens" ADD CONSTRAINT "access_tokens_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."operation_scopes" ADD CONSTRAINT "operation_scopes_scope_fkey" FOREIGN KEY (scope) REFERENCES private.scopes(scope) ON DELETE CASCADE;

CREATE INDEX access_tokens_over_idx ON app.access_tokens USING btree (LEAST(ended_at, to_timestamp((expires_at)::double precision)));

CREATE INDEX access_tokens_user_id_idx ON app.access_tokens USING btree (user_id, created_at DESC, id DESC);

CREATE INDEX operation_scopes_scope_idx ON private.operation_scopes USING btree (scope);

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

COMMENT ON COLUMN "private"."operation_scopes"."operation" IS 'The name of the operation. For a route that calls none, the operationId of the route.';

COMMENT ON COLUMN "private"."operation_scopes"."scope" IS 'Null if every token may do it.';

COMMENT ON COLUMN "private"."realtime_topics"."scopes" IS 'A token with scopes may listen to these channels if it has all of these scopes; it may not if there are none here.';

COMMENT ON COLUMN "private"."revoked_tokens"."scopes" IS 'What the token may still do, as private.scopes has it; null if it was revoked.';

COMMENT ON COLUMN "private"."scopes"."position" IS 'The order in which people see the scopes.';

COMMENT ON COLUMN "private"."scopes"."says" IS 'What a token with the scope may do, as a sentence for people.';

COMMENT ON COLUMN "private"."scopes"."staff" IS 'Whether only moderators and admins can have tokens with the scope.';

COMMENT ON FUNCTION "api"."create_access_token"(text, text[], bytea, text, timestamp with time zone, boolean) IS 'For the facade alone: makes an access token of the caller with this hash, as api.list_access_tokens returns it, with tokenHash (hex) and the nonce of which the facade made the token. Without p_expires_at it expires after 365 days. Fails: access_token_name.';

COMMENT ON FUNCTION "api"."end_access_token"(uuid) IS 'Ends a personal access token of the caller, with the short tokens for which it was exchanged. Repeating it changes nothing.';

COMMENT ON FUNCTION "api"."exchange_access_token"(integer) IS 'For the facade alone: the claims of a token that is valid for this many seconds and may do what the access token of this request may do, {sub, email, role, iat, exp}. It ends with the access token.';

COMMENT ON FUNCTION "api"."find_access_token"(bytea) IS 'For the facade alone: the claims of the access token with this hash, {sub, email, role, iat, exp}; null if there is none or it was ended. Its holder''s role is that of its issue, because another role ends all tokens.';

COMMENT ON FUNCTION "api"."list_access_tokens"() IS 'The caller''s personal access tokens that have not ended, newest first: {id, name, scopes, endsWithPassword, createdAt, lastUsedAt, expiresAt}. There are at most 50, so all are on one page.';

COMMENT ON FUNCTION "api"."list_scopes"() IS 'The scopes that an access token can have, {scope, description, isForStaff}, all on one page.';

COMMENT ON FUNCTION "api"."note_presence"() IS 'Records that the caller and the session of the token are active now, or only that an access token was used. It writes each at most once in five minutes, even if several facades call it.';

COMMENT ON FUNCTION "private"."access_token_card"(app.access_tokens) IS 'An access token as its person sees it: {id, name, scopes, endsWithPassword, createdAt, lastUsedAt, expiresAt}.';

COMMENT ON FUNCTION "private"."access_tokens_rules"(text, text, bytea, text) IS 'The checks of app.access_tokens. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."check_caller"() IS 'Returns true, or raises token_revoked if the token is not valid, scope_missing or session_required if it has scopes and the operation of the request needs another one. All entry points call it: private.enter and PostgREST''s db_pre_request; the Realtime policy calls private.check_token.';

COMMENT ON FUNCTION "private"."check_token"() IS 'Returns the scopes of the token, null if it has none and so may do everything that its holder may do. Raises token_revoked if the token''s holder was erased or banned or has another role, or if the token was ended.';

COMMENT ON FUNCTION "private"."close_sessions"(uuid, boolean) IS 'Locks a person, and ends their sessions and access tokens. Returns the value that tokens_valid_from must have to revoke every other token issued so far: the next whole second. With p_by_password, because the password has changed, it leaves the access tokens that do not end with it.';

COMMENT ON FUNCTION "private"."end_access_token"(uuid) IS 'Ends an access token, and the short tokens for which it was exchanged. Does nothing if it has ended.';

COMMENT ON FUNCTION "private"."end_own_access_token"(uuid) IS 'Ends an access token if it is the caller''s.';

COMMENT ON FUNCTION "private"."end_tokens"(uuid, boolean) IS 'Revokes every token issued so far, and ends the sessions. With p_by_password, because the password has changed, it leaves the access tokens that do not end with it.';

COMMENT ON FUNCTION "private"."enter"(text, text, text) IS 'The entry point of the facade: sets the caller''s claims and the request''s headers (both JSON texts or null) for this transaction, and the path that PostgREST would have for the operation. Then it checks the caller. It returns one row or raises an error.';

COMMENT ON FUNCTION "private"."erase_account"(app.users) IS 'Step: deletes an erased person''s addresses, birthday, phone number, sessions, access tokens, devices, factors and the texts of their personas, sets a hash that matches no password, and revokes all their invite codes.';

COMMENT ON FUNCTION "private"."issue_access_token"(uuid, text, text, bytea, text[], integer, text, boolean) IS 'Makes an access token of the kind personal or app (then p_client is the app), and returns its claims. p_token_hash is the SHA-256 of the token. A person can have 50 personal ones.';

COMMENT ON FUNCTION "private"."limit_to_scopes"(json, text[]) IS 'From now on a token with these claims may do only what the scopes allow.';

COMMENT ON FUNCTION "private"."list_own_access_tokens"() IS 'The caller''s access tokens, as api.list_access_tokens says.';

COMMENT ON FUNCTION "private"."note_access_token_used"() IS 'Records that the access token of this request is used now. Returns whether the request has one.';

COMMENT ON FUNCTION "private"."replace_password"(uuid, text) IS 'Sets a password, and ends everything that depended on the old one: tokens, except access tokens that do not end with it, sessions, device tokens, mailed links and a pending change of address.';

COMMENT ON FUNCTION "private"."require_scope"(text[], text) IS 'Passes if these scopes, those of the caller''s token, include one that the operation needs. Fails: scope_missing.';

COMMENT ON FUNCTION "private"."require_scopes"(uuid, text[]) IS 'Returns these scopes without duplicates and in their order, if they exist and the person may have them.';

COMMENT ON FUNCTION "private"."send_revoked_token"() IS 'Trigger: tells Realtime that a token was revoked.';

COMMENT ON POLICY "select_own" ON "app"."access_tokens" IS 'People see their own access tokens, without the hashes. Definer functions write access tokens.';

COMMENT ON TABLE "app"."access_tokens" IS 'Tokens with scopes, for programs: personal ones, and those of apps. Only the SHA-256 of a token is stored. A token keeps its row for a day after its end.';

COMMENT ON TABLE "private"."operation_scopes" IS 'Registry: the scopes of each operation, of which a token with scopes needs one. An operation without a row is refused to these tokens.';

COMMENT ON TABLE "private"."revoked_tokens" IS 'The denylist, keyed by a token''s (sub, iat, exp) in unix seconds, because PostgREST and Realtime see only claims. It also has the tokens with scopes: they may do only some of what their holder may do.';

COMMENT ON TABLE "private"."scopes" IS 'Registry: the scopes that a token can have.';

REVOKE ALL ON FUNCTION "api"."create_access_token"(text, text[], bytea, text, timestamp with time zone, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."create_access_token"(text, text[], bytea, text, timestamp with time zone, boolean) TO "gate";

REVOKE ALL ON FUNCTION "api"."create_access_token"(text, text[], bytea, text, timestamp with time zone, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."create_access_token"(text, text[], bytea, text, timestamp with time zone, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "api"."end_access_token"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."end_access_token"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."end_access_token"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."end_access_token"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."exchange_access_token"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."exchange_access_token"(integer) TO "gate";

REVOKE ALL ON FUNCTION "api"."exchange_access_token"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."exchange_access_token"(integer) TO "postgres";

REVOKE ALL ON FUNCTION "api"."find_access_token"(bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."find_access_token"(bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."find_access_token"(bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."find_access_token"(bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_access_tokens"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_access_tokens"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."list_access_tokens"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_access_tokens"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_scopes"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_scopes"() TO "gate";

REVOKE ALL ON FUNCTION "api"."list_scopes"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_scopes"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."access_token_card"(app.access_tokens) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."access_token_card"(app.access_tokens) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."access_token_card"(app.access_tokens) TO "postgres";

REVOKE ALL ON FUNCTION "private"."access_tokens_rules"(text, text, bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."access_tokens_rules"(text, text, bytea, text) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."access_tokens_rules"(text, text, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."access_tokens_rules"(text, text, bytea, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."access_tokens_rules"(text, text, bytea, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."check_token"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_token"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_token"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."close_sessions"(uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."close_sessions"(uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."close_sessions"(uuid, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."close_sessions"(uuid, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."end_access_token"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_access_token"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_access_token"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_own_access_token"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_own_access_token"(uuid) TO "authenticated";

GRANT EXECUTE ON FUNCTION "private"."list_own_access_tokens"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."end_own_access_token"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_own_access_token"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_tokens"(uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_tokens"(uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_tokens"(uuid, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."enter"(text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."enter"(text, text, text) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."enter"(text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."enter"(text, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."enter"(text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."issue_access_token"(uuid, text, text, bytea, text[], integer, text, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."issue_access_token"(uuid, text, text, bytea, text[], integer, text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."issue_access_token"(uuid, text, text, bytea, text[], integer, text, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."limit_to_scopes"(json, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."limit_to_scopes"(json, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."limit_to_scopes"(json, text[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_own_access_tokens"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."list_own_access_tokens"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_own_access_tokens"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_access_token_used"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_access_token_used"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."note_access_token_used"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."note_access_token_used"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_scope"(text[], text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_scope"(text[], text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_scope"(text[], text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_scopes"(uuid, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_scopes"(uuid, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_scopes"(uuid, text[]) TO "postgres";

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

ALTER TABLE "app"."access_tokens" ADD CONSTRAINT "access_tokens_rules" CHECK (private.access_tokens_rules(kind, name, token_hash, client_id));

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
values ('scope_missing', '403', 'This access token does not have the scope that this needs.');

insert into private.errors ("code", "status", "text")
values ('scope_unknown', '422', 'There is no such scope. GET /scopes lists them.');

insert into private.errors ("code", "status", "text")
values ('session_required', '403', 'No access token with scopes may do this. Log in instead.');

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

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('app.access_tokens', 'least(ended_at, to_timestamp((expires_at)::double precision))', '1 day', '5000');

update private.realtime_topics set "scopes" = '{messaging:read}'
where "prefix"::text = 'conversation';

update private.realtime_topics set "scopes" = '{posts:read}'
where "prefix"::text = 'feed';

update private.realtime_topics set "scopes" = '{notifications:read,messaging:read}'
where "prefix"::text = 'user';

insert into private.write_limits ("kind", "per_hour", "lock_kind")
values ('tokens', '60', 'writes');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.access_tokens', 'user_id', 'accessTokens', null, null, '{token_hash,live_tokens}', null, 'false', null);

update private.personal_data set "whose" = 't.scopes is null', "omits" = '{scopes}'
where "relation"::text = 'private.revoked_tokens' and "person_column"::text = 'user_id'
  and "whose" is null and "omits"::text = '{}';
