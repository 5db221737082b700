-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE TABLE "private"."identities" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "user_id" uuid NOT NULL, "issuer" text NOT NULL, "subject" text NOT NULL, "email" text NOT NULL, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "last_used_at" timestamp with time zone NOT NULL DEFAULT now(), CONSTRAINT "identities_email_check" CHECK (((length(email) >= 3) AND (length(email) <= 254))), CONSTRAINT "identities_issuer_check" CHECK (((length(issuer) >= 1) AND (length(issuer) <= 500))), CONSTRAINT "identities_pkey" PRIMARY KEY (id), CONSTRAINT "identities_subject_check" CHECK (((length(subject) >= 1) AND (length(subject) <= 255))), CONSTRAINT "identity_taken" UNIQUE (issuer, subject));

ALTER TABLE "private"."identities" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."identities" OWNER TO "postgres";

CREATE TABLE "private"."oidc_logins" ("id" uuid NOT NULL, "code_hash" bytea NOT NULL, "challenge" text NOT NULL, "issuer" text NOT NULL, "subject" text NOT NULL, "email" text NOT NULL, "is_fresh" boolean NOT NULL, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "used_at" timestamp with time zone, CONSTRAINT "oidc_logins_challenge_check" CHECK ((length(challenge) = 43)), CONSTRAINT "oidc_logins_code_hash_check" CHECK ((length(code_hash) = 32)), CONSTRAINT "oidc_logins_email_check" CHECK (((length(email) >= 3) AND (length(email) <= 254))), CONSTRAINT "oidc_logins_issuer_check" CHECK (((length(issuer) >= 1) AND (length(issuer) <= 500))), CONSTRAINT "oidc_logins_pkey" PRIMARY KEY (id), CONSTRAINT "oidc_logins_subject_check" CHECK (((length(subject) >= 1) AND (length(subject) <= 255))));

ALTER TABLE "private"."oidc_logins" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."oidc_logins" OWNER TO "postgres";

ALTER TABLE "private"."credentials" ALTER COLUMN "password_hash" DROP NOT NULL;

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

ALTER TABLE "private"."identities" ADD CONSTRAINT "identities_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

CREATE INDEX identities_user_id_idx ON private.identities USING btree (user_id, created_at);

CREATE INDEX oidc_logins_created_at_idx ON private.oidc_logins USING btree (created_at);

COMMENT ON COLUMN "private"."credentials"."password_hash" IS 'Null for a person who logs in with an OpenID provider only.';

COMMENT ON COLUMN "private"."identities"."email" IS 'The address of the account when it was linked. It is only shown.';

COMMENT ON COLUMN "private"."identities"."issuer" IS 'The address by which the provider names itself.';

COMMENT ON COLUMN "private"."identities"."last_used_at" IS 'When it was last used for a login or a proof, or linked.';

COMMENT ON COLUMN "private"."identities"."subject" IS 'The id of the account at the provider, which never changes.';

COMMENT ON COLUMN "private"."oidc_logins"."challenge" IS 'SHA-256 of the client''s verifier, in base64url.';

COMMENT ON COLUMN "private"."oidc_logins"."is_fresh" IS 'Whether the provider asked for the password, at most 5 minutes ago.';

COMMENT ON COLUMN "private"."oidc_logins"."used_at" IS 'When the one-time code was used; null until then.';

COMMENT ON FUNCTION "api"."check_password_reset"(uuid, bytea) IS 'For the facade alone: checks a token before the facade hashes a new password, {words}: the names and the address of the person.';

COMMENT ON FUNCTION "api"."find_identity"(uuid, bytea, text) IS 'For the facade alone: whose login this one-time code belongs to, {userId, credentialsVersion, email}.';

COMMENT ON FUNCTION "api"."find_login"(text) IS 'For the facade alone: the person with this address and the password hash to check at login, {userId, passwordHash, credentialsVersion}, or null if nobody has it. The hash is null if the person has no password.';

COMMENT ON FUNCTION "api"."find_password"() IS 'For the facade alone: the caller''s password hash, for operations that require the password, {userId, passwordHash, credentialsVersion, words (names and address)}.';

COMMENT ON FUNCTION "api"."finish_oidc"(uuid, bytea, text, text, text, text, boolean) IS 'For the facade alone, after it has checked the provider''s answer: records a login there, {ok}. Its one-time code can be used for 30 minutes. Each login can come back once.';

COMMENT ON FUNCTION "api"."link_identity"(uuid, bytea, text) IS 'For the facade alone: links a login at the provider to the caller, who has given a fresh proof. Returns what api.list_identities does. The addresses need not be the same.';

COMMENT ON FUNCTION "api"."list_identities"() IS 'The logins that the caller linked, oldest first: {items: [{id, issuer, email, createdAt, lastUsedAt}], hasPassword}.';

COMMENT ON FUNCTION "api"."log_in_elsewhere"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) IS 'For the facade alone: logs in the person who linked this login, like api.log_in, {claims, user, credentialsVersion}. A person with a second factor also gives p_code.';

COMMENT ON FUNCTION "api"."prove_elsewhere"(uuid, bytea, text) IS 'For the facade alone: records a fresh proof of this session by a login at the provider that asked for the password, {provedUntil}. People with a second factor prove that factor instead.';

COMMENT ON FUNCTION "api"."register_elsewhere"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) IS 'For the facade alone: like api.register, but with a login at the provider instead of a password. The address is the one that the provider verified.';

COMMENT ON FUNCTION "api"."unlink_identity"(uuid) IS 'Removes a linked login of the caller, who has given a fresh proof. Their only way to log in stays: identity_needed.';

COMMENT ON FUNCTION "private"."add_identity"(uuid, private.oidc_logins) IS 'Links a login at the provider to a person. Fails: identity_taken.';

COMMENT ON FUNCTION "private"."erase_account"(app.users) IS 'Step: deletes an erased person''s addresses, birthday, phone number, sessions, devices, factors, linked logins and the texts of their personas, sets a hash that matches no password, and revokes all their invite codes.';

COMMENT ON FUNCTION "private"."find_identity"(private.oidc_logins) IS 'The linked account of a login at the provider; null if nobody linked it.';

COMMENT ON FUNCTION "private"."find_oidc_login"(uuid, bytea, text) IS 'The login that this one-time code and this challenge belong to.';

COMMENT ON FUNCTION "private"."list_own_identities"() IS 'The caller''s linked logins, as api.list_identities returns them.';

COMMENT ON FUNCTION "private"."lock_own_credentials"() IS 'Locks the caller''s credentials and checks the token again. Returns the caller.';

COMMENT ON FUNCTION "private"."open_login"(uuid, integer, uuid, bytea, text, text, text, bytea, text) IS 'Begins a session of a person who has proved who they are, except for a second factor, as api.log_in says.';

COMMENT ON FUNCTION "private"."redeem_invite"(uuid, text, text, text, text, date, text, text) IS 'Redeems a reservation and creates the person, who has no password if p_password_hash is null. Returns the person. A failure does not change the reservation.';

COMMENT ON FUNCTION "private"."unlink_own_identity"(uuid) IS 'Removes a linked login of the caller, unless it is the last way in.';

COMMENT ON FUNCTION "private"."use_oidc_login"(uuid, bytea, text) IS 'Uses up a one-time code. If the operation then fails, the code can be used again.';

COMMENT ON FUNCTION "private"."words_of"(uuid) IS 'The names and the address of a person, of which a new password of theirs may not consist.';

COMMENT ON TABLE "private"."identities" IS 'Accounts at OpenID providers with which people log in, at most 5 for each person.';

COMMENT ON TABLE "private"."oidc_logins" IS 'Logins at the provider that have come back, each once by its id, with the SHA-256 of their one-time code.';

REVOKE ALL ON FUNCTION "api"."find_identity"(uuid, bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."find_identity"(uuid, bytea, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."find_identity"(uuid, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."find_identity"(uuid, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."finish_oidc"(uuid, bytea, text, text, text, text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."finish_oidc"(uuid, bytea, text, text, text, text, boolean) TO "gate";

REVOKE ALL ON FUNCTION "api"."finish_oidc"(uuid, bytea, text, text, text, text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."finish_oidc"(uuid, bytea, text, text, text, text, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "api"."link_identity"(uuid, bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."link_identity"(uuid, bytea, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."link_identity"(uuid, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."link_identity"(uuid, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_identities"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_identities"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."list_identities"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_identities"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."log_in_elsewhere"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."log_in_elsewhere"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."log_in_elsewhere"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."log_in_elsewhere"(uuid, bytea, text, integer, uuid, bytea, text, text, text, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."prove_elsewhere"(uuid, bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."prove_elsewhere"(uuid, bytea, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."prove_elsewhere"(uuid, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."prove_elsewhere"(uuid, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."register_elsewhere"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."register_elsewhere"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."register_elsewhere"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."register_elsewhere"(uuid, bytea, text, uuid, text, text, date, text, text, integer, uuid, bytea, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."unlink_identity"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."unlink_identity"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."unlink_identity"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."unlink_identity"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."add_identity"(uuid, private.oidc_logins) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."add_identity"(uuid, private.oidc_logins) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_identity"(uuid, private.oidc_logins) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_identity"(private.oidc_logins) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_identity"(private.oidc_logins) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_identity"(private.oidc_logins) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_oidc_login"(uuid, bytea, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_oidc_login"(uuid, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_oidc_login"(uuid, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."list_own_identities"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_own_identities"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."list_own_identities"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_own_identities"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_own_credentials"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_own_credentials"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_own_credentials"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."open_login"(uuid, integer, uuid, bytea, text, text, text, bytea, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."open_login"(uuid, integer, uuid, bytea, text, text, text, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."open_login"(uuid, integer, uuid, bytea, text, text, text, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."redeem_invite"(uuid, text, text, text, text, date, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."redeem_invite"(uuid, text, text, text, text, date, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."redeem_invite"(uuid, text, text, text, text, date, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."unlink_own_identity"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."unlink_own_identity"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."unlink_own_identity"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."unlink_own_identity"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."use_oidc_login"(uuid, bytea, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."use_oidc_login"(uuid, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."use_oidc_login"(uuid, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."words_of"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."words_of"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."words_of"(uuid) TO "postgres";

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
values ('oidc_address', '422', 'This address of a client is not allowed: OIDC_RETURN lists those that are.');

insert into private.errors ("code", "status", "text")
values ('oidc_off', '404', 'On this instance people log in with a password only.');

insert into private.errors ("code", "status", "text")
values ('oidc_over', '410', 'This login has expired or was already used. Begin again.');

insert into private.errors ("code", "status", "text")
values ('oidc_unverified', '403', 'The provider has not verified your address. Verify it there first.');

insert into private.errors ("code", "status", "text")
values ('password_guessable', '422', 'This password is one of the most common ones, or easy to guess from your name or address. Choose another one, for example several words.');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('private.oidc_logins', 'created_at', '01:00:00', '5000');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.identities', 'user_id', 'linkedLogins', null, null, '{}', null, 'false', null);
