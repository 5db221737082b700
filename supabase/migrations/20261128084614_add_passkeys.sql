-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE TABLE "private"."passkey_challenges" ("slot" integer NOT NULL, "challenge_hash" bytea NOT NULL, "user_id" uuid, "purpose" text NOT NULL, "created_at" timestamp with time zone NOT NULL DEFAULT now(), CONSTRAINT "passkey_challenges_challenge_hash_check" CHECK ((length(challenge_hash) = 32)), CONSTRAINT "passkey_challenges_pkey" PRIMARY KEY (slot), CONSTRAINT "passkey_challenges_purpose_check" CHECK ((purpose = ANY (ARRAY['add'::text, 'login'::text, 'proof'::text]))), CONSTRAINT "passkey_challenges_slot_check" CHECK (((slot >= 0) AND (slot <= 65535))));

ALTER TABLE "private"."passkey_challenges" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."passkey_challenges" OWNER TO "postgres";

CREATE TABLE "private"."passkeys" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "user_id" uuid NOT NULL, "credential_id" bytea NOT NULL, "public_key" bytea NOT NULL, "counter" bigint NOT NULL, "transports" text[] NOT NULL DEFAULT '{}'::text[], "name" text NOT NULL, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "last_used_at" timestamp with time zone, CONSTRAINT "passkeys_counter_check" CHECK ((counter >= 0)), CONSTRAINT "passkeys_credential_id_check" CHECK (((length(credential_id) >= 1) AND (length(credential_id) <= 1023))), CONSTRAINT "passkeys_name_check" CHECK (((length(btrim(name)) > 0) AND (length(name) <= 60))), CONSTRAINT "passkeys_pkey" PRIMARY KEY (id), CONSTRAINT "passkeys_public_key_check" CHECK (((length(public_key) >= 1) AND (length(public_key) <= 4000))), CONSTRAINT "passkeys_transports_check" CHECK ((cardinality(transports) <= 10)));

ALTER TABLE "private"."passkeys" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."passkeys" OWNER TO "postgres";

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

ALTER TABLE "private"."passkey_challenges" ADD CONSTRAINT "passkey_challenges_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."passkeys" ADD CONSTRAINT "passkeys_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

CREATE INDEX passkey_challenges_challenge_hash_idx ON private.passkey_challenges USING btree (challenge_hash);

CREATE INDEX passkey_challenges_created_at_idx ON private.passkey_challenges USING btree (created_at);

CREATE INDEX passkey_challenges_user_id_idx ON private.passkey_challenges USING btree (user_id, created_at);

CREATE UNIQUE INDEX passkeys_credential_id_idx ON private.passkeys USING btree (credential_id);

CREATE INDEX passkeys_user_id_idx ON private.passkeys USING btree (user_id, created_at);

COMMENT ON COLUMN "private"."passkey_challenges"."slot" IS 'A number from 0 to 65535, chosen by chance.';

COMMENT ON COLUMN "private"."passkey_challenges"."user_id" IS 'Who asked for it; null for a login.';

COMMENT ON COLUMN "private"."passkeys"."counter" IS 'How often the device says that it has used the key; 0 if the device does not count. A lower number than before means that somebody has a copy of the key.';

COMMENT ON COLUMN "private"."passkeys"."credential_id" IS 'The id that the device gave the key.';

COMMENT ON COLUMN "private"."passkeys"."last_used_at" IS 'When it was last used; null if never.';

COMMENT ON COLUMN "private"."passkeys"."name" IS 'What the person calls it.';

COMMENT ON COLUMN "private"."passkeys"."public_key" IS 'The public key, as COSE (RFC 9052) writes it.';

COMMENT ON COLUMN "private"."passkeys"."transports" IS 'How browsers reach the device: usb, nfc, ble, internal, hybrid and others.';

COMMENT ON FUNCTION "api"."add_passkey"(bytea, bytea, bigint, text[], text, integer, uuid, bytea, text, text, text) IS 'For the facade alone, after it has checked the signature: adds a passkey, {passkey}. If it is the caller''s first factor, all tokens and sessions end, and the answer also has {claims, user, credentialsVersion, recoveryCodes} for new tokens. p_family is the id of the new session; with p_refresh_hash it is a rotating one.';

COMMENT ON FUNCTION "api"."list_factors"() IS 'The caller''s second factors: {totp: {createdAt, lastUsedAt} or null, passkeys: [{id, name, createdAt, lastUsedAt}], recoveryCodesLeft, isRequired (by the caller''s role), provedUntil (null if this session has no fresh proof)}.';

COMMENT ON FUNCTION "api"."log_in_with_passkey"(uuid, uuid, bigint, integer, uuid, bytea, text, text, text, bytea) IS 'For the facade alone, after it has checked the signature: logs the person in, {claims, user, credentialsVersion}, as api.log_in does. A passkey is both factors, and a fresh proof.';

COMMENT ON FUNCTION "api"."prove_with_passkey"(uuid, bigint) IS 'For the facade alone, after it has checked the signature: records a fresh proof of this session, {provedUntil}.';

COMMENT ON FUNCTION "api"."remove_passkey"(uuid) IS 'Removes a passkey of the caller; with the last factor also the recovery codes, unless the caller''s role requires a factor.';

COMMENT ON FUNCTION "api"."remove_totp"() IS 'Removes the caller''s authenticator app; with the last factor also the recovery codes, unless the caller''s role requires a factor.';

COMMENT ON FUNCTION "api"."rename_passkey"(uuid, text) IS 'Renames a passkey of the caller: {id, name, createdAt, lastUsedAt}. The name has 1 to 60 characters.';

COMMENT ON FUNCTION "api"."start_passkey"(bytea) IS 'For the facade alone: stores the challenge of a new passkey. {handle (how the device names the person, base64), username, known: the passkeys that the caller has}.';

COMMENT ON FUNCTION "api"."start_passkey_login"(bytea) IS 'For the facade alone: stores the challenge of a login, {ok}.';

COMMENT ON FUNCTION "api"."start_passkey_proof"(bytea) IS 'For the facade alone: stores the challenge of a fresh proof, {known: the passkeys that the caller has}.';

COMMENT ON FUNCTION "api"."take_passkey_challenge"(bytea, text, bytea) IS 'For the facade alone: uses up a challenge. {isOpen: whether it was one of this purpose and caller, passkey: {id, userId, publicKey (base64), credentialsVersion}, null if there is none that the caller may use}.';

COMMENT ON FUNCTION "private"."end_factor"(uuid) IS 'What follows when the caller''s app or passkey has just been deleted: the fresh proofs of other sessions end. With the last factor the recovery codes are deleted, too; this fails if the role requires a factor.';

COMMENT ON FUNCTION "private"."known_credentials"(uuid) IS 'The ids of a person''s passkeys in base64, for a browser: [{id, transports}].';

COMMENT ON FUNCTION "private"."mail_about_factor"(uuid, text) IS 'Queues a mail that tells a person of a change of their factors: factorAdded, factorRemoved, recoveryUsed, recoveryRenewed, passkeyAdded, passkeyRemoved or passkeyEnded.';

COMMENT ON FUNCTION "private"."note_challenge"(bytea, uuid, text) IS 'Stores a challenge for five minutes.';

COMMENT ON FUNCTION "private"."passkey_card"(private.passkeys) IS 'A passkey as its person sees it: {id, name, createdAt, lastUsedAt}.';

COMMENT ON FUNCTION "private"."remove_own_passkey"(uuid) IS 'Removes a passkey of the caller, as api.remove_passkey says.';

COMMENT ON FUNCTION "private"."remove_own_totp"() IS 'Removes the caller''s authenticator app, as api.remove_totp says.';

COMMENT ON FUNCTION "private"."rename_own_passkey"(uuid, text) IS 'Renames a passkey of the caller, as api.rename_passkey does.';

COMMENT ON FUNCTION "private"."use_passkey"(uuid, uuid, bigint) IS 'Records that a passkey was used. If its counter went back, the passkey, the tokens and the sessions of the person end, and it returns false: then the calling function must return an error, and not raise it.';

COMMENT ON TABLE "private"."passkey_challenges" IS 'SHA-256 of the challenges that wait for the signature of a passkey: each counts once, within five minutes. A new one takes a slot by chance, and replaces what was there, so strangers can''t fill the table.';

COMMENT ON TABLE "private"."passkeys" IS 'The passkeys of people, at most ten for each person.';

REVOKE ALL ON FUNCTION "api"."add_passkey"(bytea, bytea, bigint, text[], text, integer, uuid, bytea, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."add_passkey"(bytea, bytea, bigint, text[], text, integer, uuid, bytea, text, text, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."add_passkey"(bytea, bytea, bigint, text[], text, integer, uuid, bytea, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."add_passkey"(bytea, bytea, bigint, text[], text, integer, uuid, bytea, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."log_in_with_passkey"(uuid, uuid, bigint, integer, uuid, bytea, text, text, text, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."log_in_with_passkey"(uuid, uuid, bigint, integer, uuid, bytea, text, text, text, bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."log_in_with_passkey"(uuid, uuid, bigint, integer, uuid, bytea, text, text, text, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."log_in_with_passkey"(uuid, uuid, bigint, integer, uuid, bytea, text, text, text, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."prove_with_passkey"(uuid, bigint) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."prove_with_passkey"(uuid, bigint) TO "gate";

REVOKE ALL ON FUNCTION "api"."prove_with_passkey"(uuid, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."prove_with_passkey"(uuid, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "api"."remove_passkey"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."remove_passkey"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."remove_passkey"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."remove_passkey"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "api"."rename_passkey"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."rename_passkey"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."rename_passkey"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."rename_passkey"(uuid, text) TO "postgres";

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

REVOKE ALL ON FUNCTION "api"."take_passkey_challenge"(bytea, text, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."take_passkey_challenge"(bytea, text, bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."take_passkey_challenge"(bytea, text, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."take_passkey_challenge"(bytea, text, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_factor"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_factor"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_factor"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."known_credentials"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."known_credentials"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."known_credentials"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_challenge"(bytea, uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_challenge"(bytea, uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."note_challenge"(bytea, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."passkey_card"(private.passkeys) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."passkey_card"(private.passkeys) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."passkey_card"(private.passkeys) TO "postgres";

REVOKE ALL ON FUNCTION "private"."remove_own_passkey"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remove_own_passkey"(uuid) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."remove_own_passkey"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."remove_own_passkey"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."rename_own_passkey"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."rename_own_passkey"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."rename_own_passkey"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."rename_own_passkey"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."use_passkey"(uuid, uuid, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."use_passkey"(uuid, uuid, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."use_passkey"(uuid, uuid, bigint) TO "postgres";

update private.errors set "text" = 'Your role requires a second factor. Add an authenticator app or a passkey first, at /account.'
where "code"::text = 'factor_missing'
  and "text"::text = 'Your role requires a second factor. Add an authenticator app first: POST /me/factors/totp.';

update private.errors set "text" = 'This account has a second factor. Send also the code of the app, or a recovery code, or log in with a passkey.'
where "code"::text = 'factor_required'
  and "text"::text = 'This account has a second factor. Send also the code of the app, or a recovery code.';

insert into private.errors ("code", "status", "text")
values ('passkey_wrong', '403', 'The passkey is not accepted. Ask for a new challenge, and try again.');

insert into private.errors ("code", "status", "text")
values ('passkeys_full', '409', 'You have ten passkeys. Remove one first.');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('private.passkey_challenges', 'created_at', '00:05:00', '5000');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.passkey_challenges', 'user_id', null, null, null, '{}', null, 'false', 'Hashes of random values, kept for five minutes.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.passkeys', 'user_id', 'passkeys', null, null, '{credential_id,public_key,counter}', null, 'false', null);

update private.personal_data set "reason" = 'Says only that the person has a factor, as authenticatorApp and passkeys do.'
where "relation"::text = 'private.people_with_factor' and "person_column"::text = 'user_id'
  and "reason"::text = 'Says only that the person has a factor, as authenticatorApp does.';
