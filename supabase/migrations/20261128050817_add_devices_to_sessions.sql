-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP VIEW "private"."staff_sessions";

ALTER TABLE "app"."sessions" DROP CONSTRAINT "sessions_rules";

DROP FUNCTION "api"."change_password"(text, text, integer, uuid, bytea, text);

DROP FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text);

DROP FUNCTION "api"."register"(uuid, text, text, text, text, date, text, text, integer, uuid, bytea, text, uuid, bytea);

DROP FUNCTION "private"."sessions_rules"(integer, bytea, text);

DROP FUNCTION "private"."start_session"(uuid, json, bytea, text);

CREATE TABLE "private"."devices" ("user_id" uuid NOT NULL, "fingerprint" bytea NOT NULL, "credentials_version" integer NOT NULL, "seen_at" timestamp with time zone NOT NULL DEFAULT now(), CONSTRAINT "devices_fingerprint_check" CHECK ((length(fingerprint) = 32)), CONSTRAINT "devices_pkey" PRIMARY KEY (user_id, fingerprint));

ALTER TABLE "private"."devices" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."devices" OWNER TO "postgres";

ALTER TABLE "app"."sessions" ADD COLUMN "kind" text NOT NULL DEFAULT 'rotating'::text;

ALTER TABLE "app"."sessions" ADD COLUMN "device" text;

ALTER TABLE "app"."sessions" ADD COLUMN "network" cidr;

ALTER TABLE "app"."sessions" ADD COLUMN "last_seen_at" timestamp with time zone NOT NULL DEFAULT now();

ALTER TABLE "app"."sessions" ADD COLUMN "alert_hash" bytea;

UPDATE app.sessions SET last_seen_at = last_used_at;

ALTER TABLE "app"."sessions" ALTER COLUMN "token_hash" DROP NOT NULL;

CREATE OR REPLACE FUNCTION api.change_password(p_password_hash text, p_new_hash text, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_claims json;
begin
  perform from private.credentials where user_id = v_caller and password_hash = p_password_hash for update;
  if not found then
    -- the password changed while it was being checked, which ended this token
    perform private.raise_error('token_revoked');
  end if;
  perform private.replace_password(v_caller, p_new_hash);
  v_claims := private.issue_claims(v_caller, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address);
  return private.login_answer(v_caller, v_claims);
end $function$;

ALTER FUNCTION "api"."change_password"(text, text, integer, uuid, bytea, text, text, text) OWNER TO "postgres";

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
  -- the stranger also has a device token, with which the next login would count as one on a known device
  update app.users set credentials_version = credentials_version + 1 where id = v_person;
  perform private.end_session(v_person, p_id);
  return json_build_object('ok', true);
end $function$;

ALTER FUNCTION "api"."end_alerted_session"(uuid, bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.end_other_sessions()
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return json_build_object('ended', private.end_other_own_sessions());
end $function$;

ALTER FUNCTION "api"."end_other_sessions"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_sessions(p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
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
declare
  v_caller uuid := private.require_caller();
  v_before timestamptz := 'infinity';
  v_id     uuid := private.require_cursor(p_cursor);
  v_ids    uuid[];
  v_items  json;
begin
  if p_cursor is not null then
    select created_at into v_before from app.sessions where id = v_id and user_id = v_caller;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_id := coalesce(v_id, v_caller);   -- any id works with infinity
  v_ids := array(select id from app.sessions
                 where user_id = v_caller and ended_at is null and expires_at > now()
                   and (created_at, id) < (v_before, v_id)
                 order by created_at desc, id desc limit 51);
  select json_agg(json_build_object(
           'id', s.id, 'userAgent', s.user_agent, 'createdAt', private.utc(s.created_at),
           'lastUsedAt', private.utc(s.last_used_at), 'expiresAt', private.utc(s.expires_at),
           'kind', s.kind, 'device', s.device, 'network', s.network,
           'lastSeenAt', private.utc(greatest(s.last_seen_at, s.last_used_at)),
           'isCurrent', s.live_tokens @> private.own_token())
           order by s.created_at desc, s.id desc)
  into v_items
  from app.sessions s where s.id = any (v_ids[:p_limit]);
  return private.page(v_items, v_ids::text[], p_limit);
end $function$;

CREATE OR REPLACE FUNCTION api.log_in(p_user_id uuid, p_password_hash text, p_seconds integer, p_new_hash text DEFAULT NULL::text, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text, p_alert_hash bytea DEFAULT NULL::bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_claims json;
  v_before boolean;
begin
  select c.last_issued_at > 0 into v_before
  from private.credentials c
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
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address,
                                case when v_before then p_alert_hash end);
  return private.login_answer(p_user_id, v_claims);
end $function$;

ALTER FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text, text, bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.note_presence()
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  update app.accounts set last_seen_at = now()
  where user_id = private.require_caller() and coalesce(last_seen_at, '-infinity') < now() - interval '5 minutes';
  perform private.note_session_seen();
  return null;   -- the response is 204
end $function$;

CREATE OR REPLACE FUNCTION api.register(p_session_id uuid, p_email text, p_password_hash text, p_first_name text, p_last_name text, p_date_of_birth date, p_country text, p_city text, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_verification_id uuid DEFAULT NULL::uuid, p_verification_hash bytea DEFAULT NULL::bytea, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_code   app.invite_codes;
  v_person uuid;
  v_claims json;
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

  if p_verification_id is not null then
    perform private.mail_verification(v_person, btrim(p_email), null, p_verification_id, p_verification_hash);
  end if;
  perform private.emit('identity.user_registered', json_build_object(
    'userId', v_person, 'email', btrim(p_email), 'inviterUserId', v_code.generated_by));
  perform private.emit('identity.invite_code.used', json_build_object(
    'codeId', v_code.id, 'newUserId', v_person, 'inviterUserId', v_code.generated_by), array[v_code.generated_by]);

  v_claims := private.issue_claims(v_person, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address);
  return private.login_answer(v_person, v_claims);
end $function$;

ALTER FUNCTION "api"."register"(uuid, text, text, text, text, date, text, text, integer, uuid, bytea, text, uuid, bytea, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.alert_of_session(p_id uuid, p_user uuid, p_alert_hash bytea)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- limits the mails, so that somebody who knows the password can't flood the mailbox
  if p_alert_hash is null
     or (select count(*) >= 5 from app.sessions
         where user_id = p_user and created_at > now() - interval '1 hour' and alert_hash is not null) then
    return;
  end if;
  update app.sessions set alert_hash = p_alert_hash where id = p_id;
  perform private.enqueue('mail', json_build_object('sessionId', p_id));
end $function$;

ALTER FUNCTION "private"."alert_of_session"(uuid, uuid, bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.close_sessions(p_user uuid)
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
  return greatest(
    floor(extract(epoch from clock_timestamp()))::bigint + 1,
    -- the last token may already have an iat in that next second, because iat is never before tokens_valid_from
    (select last_issued_at + 1 from private.credentials where user_id = p_user));
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
  -- credentials before sessions: no login of the caller begins a session meanwhile
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials where user_id = v_caller for update;
  v_ids := array(select id from app.sessions
                 where user_id = v_caller and ended_at is null and expires_at > now()
                   and not live_tokens @> private.own_token()
                 order by id);
  perform private.end_session(v_caller, id) from unnest(v_ids) id;
  return cardinality(v_ids);
end $function$;

ALTER FUNCTION "private"."end_other_own_sessions"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.end_own_token(p_everywhere boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_claims jsonb := current_setting('request.jwt.claims')::jsonb;
begin
  if p_everywhere then
    perform private.end_tokens(app.uid());
  else
    perform private.end_session(app.uid(), s.id)
    from app.sessions s
    where s.user_id = app.uid() and s.ended_at is null and s.kind = 'fixed' and s.live_tokens @> private.own_token();
    insert into private.revoked_tokens (user_id, issued_at, expires_at)
    values (app.uid(), (v_claims ->> 'iat')::bigint, (v_claims ->> 'exp')::bigint)
    on conflict do nothing;
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.end_session(p_user uuid, p_family uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_tokens jsonb;
begin
  update app.sessions set ended_at = now(), user_agent = null, device = null, network = null
  where id = p_family and user_id = p_user and ended_at is null
  returning live_tokens into v_tokens;
  insert into private.revoked_tokens (user_id, issued_at, expires_at)
  select p_user, (t ->> 0)::bigint, (t ->> 1)::bigint from jsonb_array_elements(v_tokens) as t
  on conflict do nothing;
end $function$;

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
  delete from private.devices where user_id = p_user.id;
  delete from private.password_resets where user_id = p_user.id;
  delete from private.email_verifications where user_id = p_user.id;
  -- comes last, because a transaction that writes the person's ledger also locks this row after all others
  update app.accounts set email = 'deleted-' || gen_random_uuid() || '@deleted.invalid',
                          email_verified_at = null, email_bounced_at = null, date_of_birth = null, phone = null,
                          last_seen_at = null
  where user_id = p_user.id;
end $function$;

CREATE OR REPLACE FUNCTION private.find_alerted_session(p_id uuid, p_alert_hash bytea)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select user_id from app.sessions
          where id = p_id and alert_hash = p_alert_hash and ended_at is null and expires_at > clock_timestamp());
end $function$;

ALTER FUNCTION "private"."find_alerted_session"(uuid, bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.find_session_mail(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return coalesce(
    (select case when a.email_bounced_at is null then
              json_build_object('to', a.email, 'tokenHash', encode(s.alert_hash, 'hex'), 'device', s.device,
                                'network', s.network, 'at', private.utc(s.created_at)) end
     from app.sessions s
     join private.reachable_accounts a on a.user_id = s.user_id
     where s.id = p_id and s.ended_at is null and s.expires_at > clock_timestamp()),
    '{"ended": true}');
end $function$;

ALTER FUNCTION "private"."find_session_mail"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.network_of(p_address text)
 RETURNS cidr
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_address inet := p_address;
begin
  return network(set_masklen(v_address, case family(v_address) when 4 then 24 else 48 end));
end $function$;

ALTER FUNCTION "private"."network_of"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.note_device(p_user uuid, p_device text, p_network cidr)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_fingerprint bytea := sha256(convert_to(concat_ws(E'\n', p_user, p_network, p_device), 'utf8'));
  v_version     integer := (select credentials_version from app.users where id = p_user);
  v_is_new      boolean;
begin
  v_is_new := not exists (
    select from private.devices
    where user_id = p_user and fingerprint = v_fingerprint and credentials_version = v_version);
  insert into private.devices (user_id, fingerprint, credentials_version) values (p_user, v_fingerprint, v_version)
  on conflict (user_id, fingerprint) do update
    set credentials_version = excluded.credentials_version, seen_at = excluded.seen_at;
  delete from private.devices d
  using (select fingerprint from private.devices where user_id = p_user
         order by fingerprint = v_fingerprint desc, seen_at desc, fingerprint offset 50) old
  where d.user_id = p_user and d.fingerprint = old.fingerprint;
  return v_is_new;
end $function$;

ALTER FUNCTION "private"."note_device"(uuid, text, cidr) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.note_session_seen()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  update app.sessions set last_seen_at = now()
  where user_id = private.require_caller() and ended_at is null and live_tokens @> private.own_token()
    and last_seen_at < now() - interval '5 minutes';
end $function$;

ALTER FUNCTION "private"."note_session_seen"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.own_token()
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_claims jsonb := current_setting('request.jwt.claims')::jsonb;
begin
  return jsonb_build_array(jsonb_build_array(v_claims -> 'iat', v_claims -> 'exp'));
end $function$;

ALTER FUNCTION "private"."own_token"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.sessions_rules(generation integer, token_hash bytea, user_agent text, kind text, device text, alert_hash bytea)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if (length(alert_hash) = 32) is false then perform private.raise_check_violation('sessions_alert_hash_check'); end if;
  if ((kind = 'rotating'::text) = (token_hash IS NOT NULL)) is false then perform private.raise_check_violation('sessions_check'); end if;
  if (device ~ '^[^./:]{1,80}$'::text) is false then perform private.raise_check_violation('sessions_device_check'); end if;
  if (generation >= 0) is false then perform private.raise_check_violation('sessions_generation_check'); end if;
  if (kind = ANY (ARRAY['rotating'::text, 'fixed'::text])) is false then perform private.raise_check_violation('sessions_kind_check'); end if;
  if (length(token_hash) = 32) is false then perform private.raise_check_violation('sessions_token_hash_check'); end if;
  if (length(user_agent) <= 300) is false then perform private.raise_check_violation('sessions_user_agent_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."sessions_rules"(integer, bytea, text, text, text, bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.start_session(p_id uuid, p_claims json, p_refresh_hash bytea, p_user_agent text, p_device text, p_address text, p_alert_hash bytea DEFAULT NULL::bytea)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id      uuid := coalesce(p_id, gen_random_uuid());   -- the facade of 1.0.0 gives no id to a fixed session
  v_person  uuid := p_claims ->> 'sub';
  v_kind    text := case when p_refresh_hash is null then 'fixed' else 'rotating' end;
  v_network cidr := private.network_of(p_address);
begin
  insert into app.sessions (id, user_id, issued_at, token_hash, kind, user_agent, device, network, expires_at)
  values (v_id, v_person, (p_claims ->> 'iat')::bigint, p_refresh_hash, v_kind, p_user_agent, p_device, v_network,
          case v_kind when 'fixed' then to_timestamp((p_claims ->> 'exp')::double precision)
                      else now() + interval '60 days' end);
  perform private.note_token(v_id, p_claims);
  perform private.end_session(v_person, s.id)
  from (select id from app.sessions
        where user_id = v_person and ended_at is null and kind = v_kind and expires_at > now()
        order by id = v_id desc, greatest(last_used_at, last_seen_at) desc, id offset 100) s;
  if private.note_device(v_person, p_device, v_network) then
    perform private.alert_of_session(v_id, v_person, p_alert_hash);
  end if;
end $function$;

ALTER FUNCTION "private"."start_session"(uuid, json, bytea, text, text, text, bytea) OWNER TO "postgres";

ALTER TABLE "private"."devices" ADD CONSTRAINT "devices_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

CREATE VIEW "private"."staff_sessions" WITH (security_invoker=true) AS  SELECT created_at AS at,
    id,
    user_id,
    json_build_object('id', id, 'userAgent', user_agent, 'createdAt', private.utc(created_at), 'lastUsedAt', private.utc(last_used_at), 'expiresAt', private.utc(expires_at), 'kind', kind, 'device', device, 'network', network, 'lastSeenAt', private.utc(GREATEST(last_seen_at, last_used_at)), 'isCurrent', false) AS card
   FROM app.sessions s
  WHERE ((ended_at IS NULL) AND (expires_at > now()));

ALTER VIEW "private"."staff_sessions" OWNER TO "postgres";

CREATE INDEX devices_seen_at_idx ON private.devices USING btree (seen_at);

CREATE INDEX devices_user_id_idx ON private.devices USING btree (user_id, seen_at);

COMMENT ON COLUMN "app"."sessions"."alert_hash" IS 'The SHA-256 of the token by which a mailed link ends the session; null if no mail told of the session.';

COMMENT ON COLUMN "app"."sessions"."device" IS 'What the client called the device, otherwise what its User-Agent says, such as Firefox on Windows. Without dots, slashes and colons, because a mail shows it, and must not show a link of a stranger.';

COMMENT ON COLUMN "app"."sessions"."expires_at" IS '60 days after the last refresh; in a fixed session when its token expires.';

COMMENT ON COLUMN "app"."sessions"."last_seen_at" IS 'When a token of the session was last used, accurate to five minutes: see api.note_presence.';

COMMENT ON COLUMN "app"."sessions"."network" IS 'From where the session began: the /24 of an IPv4 address, or the /48 of an IPv6 address.';

COMMENT ON COLUMN "private"."devices"."credentials_version" IS 'The version of the person''s credentials at that login. With another version the device counts as new.';

COMMENT ON COLUMN "private"."devices"."seen_at" IS 'The last login.';

COMMENT ON FUNCTION "api"."change_password"(text, text, integer, uuid, bytea, text, text, text) IS 'For the facade alone, after it has checked the old password: sets the new one and returns {claims, user, credentialsVersion} for new tokens. It ends every token, session and device token of the caller, and the links that were mailed for a password or a change of address. p_family is the id of the new session; with p_refresh_hash it is a rotating one.';

COMMENT ON FUNCTION "api"."end_alerted_session"(uuid, bytea) IS 'For the facade alone: ends the session of which a mail with this token told, {ok}. Every device of the person, also one with a device token, then counts as new. The password stays the same.';

COMMENT ON FUNCTION "api"."end_other_sessions"() IS 'Ends all sessions of the caller except the one of this request, {ended}: how many. Its tokens remain valid.';

COMMENT ON FUNCTION "api"."end_session"(uuid) IS 'Ends a session of the caller: its refresh token and its access tokens are revoked at once. Repeating it changes nothing.';

COMMENT ON FUNCTION "api"."end_user_sessions"(text, text) IS 'Ends all tokens and sessions of a person, who can log in again: {ended} is the number of sessions. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."list_sessions"(integer, text) IS 'The caller''s sessions that are not over, newest first: {id, userAgent, createdAt, lastUsedAt, expiresAt, kind, device, network, lastSeenAt, isCurrent}.';

COMMENT ON FUNCTION "api"."list_user_sessions"(text, integer, text) IS 'The sessions of a person that are not over, newest first: {id, userAgent, createdAt, lastUsedAt, expiresAt, kind, device, network, lastSeenAt, isCurrent}. isCurrent is always false, because none is the session of the reader.';

COMMENT ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text, text, bytea) IS 'For the facade alone, after it has checked the password: logs the person in, {claims, user, credentialsVersion}. p_new_hash replaces a hash whose parameters have become too weak. p_family is the id of the session; with p_refresh_hash it is a rotating one. With p_alert_hash a login on a device on which the person never logged in is mailed to them, unless it is their first login.';

COMMENT ON FUNCTION "api"."log_out"(text, uuid) IS 'Revokes the token of this request or, with scope global, every token of the caller. Ends the session of the token if it is a fixed one. With p_family it also ends that rotating session if it is the caller''s.';

COMMENT ON FUNCTION "api"."note_presence"() IS 'Records that the caller and the session of the token are active now. It writes each at most once in five minutes, even if several facades call it.';

COMMENT ON FUNCTION "api"."register"(uuid, text, text, text, text, date, text, text, integer, uuid, bytea, text, uuid, bytea, text, text) IS 'For the facade alone: redeems a reservation and creates the person: {claims, user, credentialsVersion}. p_family is the id of the session; with p_refresh_hash it is a rotating one. With p_verification_id it mails a link that verifies the address. A failure does not change the reservation.';

COMMENT ON FUNCTION "private"."alert_of_session"(uuid, uuid, bytea) IS 'Queues a mail that tells a person of a session on a new device, with a link that ends it; at most 5 in an hour. Does nothing without p_alert_hash.';

COMMENT ON FUNCTION "private"."close_sessions"(uuid) IS 'Locks a person and ends their sessions. Returns the value that tokens_valid_from must have to revoke every token issued so far: the next whole second.';

COMMENT ON FUNCTION "private"."end_other_own_sessions"() IS 'Ends the caller''s sessions, at most 200, except the one to which the token of this request belongs. Returns how many.';

COMMENT ON FUNCTION "private"."end_session"(uuid, uuid) IS 'Ends a session of a person: its refresh token and the access tokens that it issued are revoked at once. Does nothing if it has ended.';

COMMENT ON FUNCTION "private"."end_sessions_of"(app.users, text) IS 'Ends all tokens and sessions of a person whose row private.lock_account locked, and returns how many sessions these were. Leaves an audit entry.';

COMMENT ON FUNCTION "private"."end_tokens"(uuid) IS 'Revokes every token issued so far, and ends the sessions.';

COMMENT ON FUNCTION "private"."erase_account"(app.users) IS 'Step: deletes an erased person''s addresses, birthday, phone number, sessions, devices and the texts of their personas, sets a hash that matches no password, and revokes all their invite codes.';

COMMENT ON FUNCTION "private"."find_alerted_session"(uuid, bytea) IS 'Returns the person of a session that is not over, if a mail with this token told of it; otherwise null.';

COMMENT ON FUNCTION "private"."find_session_mail"(uuid) IS 'For the worker alone: the mail about a session on a new device, {to, tokenHash (hex), device, network, at}; {ended: true} if the session is over or the address gets no mail.';

COMMENT ON FUNCTION "private"."network_of"(text) IS 'The network of an IP address as people see it: the /24 of an IPv4 address, the /48 of an IPv6 address.';

COMMENT ON FUNCTION "private"."note_device"(uuid, text, cidr) IS 'Notes a login on a device and returns whether it was the first one there since the person''s credentials changed. The calling function must have locked the person''s credentials.';

COMMENT ON FUNCTION "private"."note_session_seen"() IS 'Records that the session of the token of this request is active now.';

COMMENT ON FUNCTION "private"."own_token"() IS 'The token of this request as app.sessions.live_tokens contains it: [[iat, exp]].';

COMMENT ON FUNCTION "private"."sessions_rules"(integer, bytea, text, text, text, bytea) IS 'The checks of app.sessions. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."start_session"(uuid, json, bytea, text, text, text, bytea) IS 'Starts a session with the claims of its first access token: a rotating one if there is a hash of a refresh token, otherwise a fixed one. Ends the least recently used session of its kind if there are more than 100. With p_alert_hash it mails the person if the device is new. The calling function must have locked the person''s credentials.';

COMMENT ON POLICY "select_own" ON "app"."sessions" IS 'People see their own sessions, without the columns against which their tokens are checked. Definer functions write sessions.';

COMMENT ON TABLE "app"."sessions" IS 'What each login began. A rotating session is a family of refresh tokens: generation and token_hash are the current generation and the SHA-256 of its refresh token. A fixed session is one access token without a refresh token. An ended session keeps its row until it expires, so that it stays ended.';

COMMENT ON TABLE "private"."devices" IS 'On which devices a person has logged in, at most 50 a person: the SHA-256 of person, network and name of the device.';

COMMENT ON VIEW "private"."staff_sessions" IS 'Sessions that are not over as staff sees them: what the person sees of them, without tokens.';

REVOKE ALL ON FUNCTION "api"."change_password"(text, text, integer, uuid, bytea, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."change_password"(text, text, integer, uuid, bytea, text, text, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."change_password"(text, text, integer, uuid, bytea, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."change_password"(text, text, integer, uuid, bytea, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."end_alerted_session"(uuid, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."end_alerted_session"(uuid, bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."end_alerted_session"(uuid, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."end_alerted_session"(uuid, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."end_other_sessions"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."end_other_sessions"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."end_other_sessions"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."end_other_sessions"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text, text, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text, text, bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text, text, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text, text, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."register"(uuid, text, text, text, text, date, text, text, integer, uuid, bytea, text, uuid, bytea, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."register"(uuid, text, text, text, text, date, text, text, integer, uuid, bytea, text, uuid, bytea, text, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."register"(uuid, text, text, text, text, date, text, text, integer, uuid, bytea, text, uuid, bytea, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."register"(uuid, text, text, text, text, date, text, text, integer, uuid, bytea, text, uuid, bytea, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."alert_of_session"(uuid, uuid, bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."alert_of_session"(uuid, uuid, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."alert_of_session"(uuid, uuid, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_other_own_sessions"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_other_own_sessions"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."end_other_own_sessions"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_other_own_sessions"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_alerted_session"(uuid, bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_alerted_session"(uuid, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_alerted_session"(uuid, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_session_mail"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_session_mail"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_session_mail"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_session_mail"(uuid) TO "worker";

REVOKE ALL ON FUNCTION "private"."network_of"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."network_of"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."network_of"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_device"(uuid, text, cidr) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_device"(uuid, text, cidr) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."note_device"(uuid, text, cidr) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_session_seen"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_session_seen"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."note_session_seen"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."note_session_seen"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."own_token"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."own_token"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."own_token"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."own_token"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."sessions_rules"(integer, bytea, text, text, text, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."sessions_rules"(integer, bytea, text, text, text, bytea) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."sessions_rules"(integer, bytea, text, text, text, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."sessions_rules"(integer, bytea, text, text, text, bytea) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."sessions_rules"(integer, bytea, text, text, text, bytea) TO "service_role";

REVOKE ALL ON FUNCTION "private"."start_session"(uuid, json, bytea, text, text, text, bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."start_session"(uuid, json, bytea, text, text, text, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_session"(uuid, json, bytea, text, text, text, bytea) TO "postgres";

REVOKE ALL ("device") ON TABLE "app"."sessions" FROM "authenticated";

GRANT SELECT ("device") ON TABLE "app"."sessions" TO "authenticated";

REVOKE ALL ("kind") ON TABLE "app"."sessions" FROM "authenticated";

GRANT SELECT ("kind") ON TABLE "app"."sessions" TO "authenticated";

REVOKE ALL ("last_seen_at") ON TABLE "app"."sessions" FROM "authenticated";

GRANT SELECT ("last_seen_at") ON TABLE "app"."sessions" TO "authenticated";

REVOKE ALL ("live_tokens") ON TABLE "app"."sessions" FROM "authenticated";

GRANT SELECT ("live_tokens") ON TABLE "app"."sessions" TO "authenticated";

REVOKE ALL ("network") ON TABLE "app"."sessions" FROM "authenticated";

GRANT SELECT ("network") ON TABLE "app"."sessions" TO "authenticated";

ALTER TABLE "app"."sessions" ADD CONSTRAINT "sessions_rules" CHECK (private.sessions_rules(generation, token_hash, user_agent, kind, device, alert_hash));

insert into private.errors ("code", "status", "text")
values ('session_over', '410', 'This login has already ended.');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('private.devices', 'seen_at', '1 year', '5000');

update private.personal_data set "omits" = '{token_hash,alert_hash}'
where "relation"::text = 'app.sessions' and "person_column"::text = 'user_id'
  and "omits"::text = '{token_hash}';

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.devices', 'user_id', null, null, null, '{}', null, 'false', 'Hashes by which a login recognizes a device; sessions has the devices.');
