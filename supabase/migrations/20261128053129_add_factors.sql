-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text);

CREATE TABLE "private"."people_with_factor" ("user_id" uuid NOT NULL, CONSTRAINT "people_with_factor_pkey" PRIMARY KEY (user_id));

ALTER TABLE "private"."people_with_factor" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."people_with_factor" OWNER TO "postgres";

CREATE TABLE "private"."proofs" ("user_id" uuid NOT NULL, "issued_at" bigint NOT NULL, "expires_at" bigint NOT NULL, "session_id" uuid, "proved_at" timestamp with time zone NOT NULL DEFAULT now(), CONSTRAINT "proofs_pkey" PRIMARY KEY (user_id, issued_at, expires_at));

ALTER TABLE "private"."proofs" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."proofs" OWNER TO "postgres";

CREATE TABLE "private"."recovery_codes" ("user_id" uuid NOT NULL, "number" smallint NOT NULL, "code_hash" bytea NOT NULL, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "used_at" timestamp with time zone, CONSTRAINT "recovery_codes_code_hash_check" CHECK ((length(code_hash) = 32)), CONSTRAINT "recovery_codes_number_check" CHECK (((number >= 1) AND (number <= 10))), CONSTRAINT "recovery_codes_pkey" PRIMARY KEY (user_id, number));

ALTER TABLE "private"."recovery_codes" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."recovery_codes" OWNER TO "postgres";

CREATE TABLE "private"."totp" ("user_id" uuid NOT NULL, "secret" bytea NOT NULL, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "confirmed_at" timestamp with time zone, "last_step" bigint NOT NULL DEFAULT 0, "last_used_at" timestamp with time zone, CONSTRAINT "totp_pkey" PRIMARY KEY (user_id), CONSTRAINT "totp_secret_check" CHECK ((length(secret) = 20)));

ALTER TABLE "private"."totp" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."totp" OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.change_password(p_password_hash text, p_new_hash text, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text)
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
  perform private.require_proof();
  perform private.replace_password(v_caller, p_new_hash);
  v_claims := private.issue_claims(v_caller, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent);
  return private.login_answer(v_caller, v_claims);
end $function$;

CREATE OR REPLACE FUNCTION api.confirm_totp(p_code text, p_seconds integer, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text)
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
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent);
  perform private.note_proof(v_claims::jsonb, p_family);
  return (private.login_answer(v_caller, v_claims)::jsonb
          || jsonb_build_object('recoveryCodes', private.renew_recovery_codes(v_caller)))::json;
end $function$;

ALTER FUNCTION "api"."confirm_totp"(text, integer, uuid, bytea, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.erase_me(p_password_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if exists (select from app.users where id = private.require_caller() and role = 'admin') then
    perform private.lock_roles();
  end if;
  perform private.check_lock_order('credentials', app.uid()::text);
  perform from private.credentials where user_id = app.uid() and password_hash = p_password_hash for update;
  if not found then
    -- the password changed while it was being checked, which ended this token
    perform private.raise_error('token_revoked');
  end if;
  perform private.check_caller();   -- checks again: the caller may have become an admin
  perform private.require_proof();
  perform private.keep_an_admin(app.uid());
  perform private.erase_person(app.uid());
  return json_build_object('erased', true);
end $function$;

CREATE OR REPLACE FUNCTION api.list_factors()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.list_own_factors();
end $function$;

ALTER FUNCTION "api"."list_factors"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.log_in(p_user_id uuid, p_password_hash text, p_seconds integer, p_new_hash text DEFAULT NULL::text, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_code text DEFAULT NULL::text)
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
  perform private.require_code(p_user_id, p_code);
  if p_new_hash is not null then
    update private.credentials set password_hash = p_new_hash where user_id = p_user_id;
  end if;
  v_claims := private.issue_claims(p_user_id, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent);
  if private.has_factor(p_user_id) then
    perform private.note_proof(v_claims::jsonb, p_family);
  end if;
  return private.login_answer(p_user_id, v_claims);
end $function$;

ALTER FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text) OWNER TO "postgres";

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
  end if;
  perform private.lock_open_post_space(coalesce(v_post.id, v_reply.post_id));
  perform private.require_reputation(v_post.interest_id, v_needed);   -- only a post has an interest

  v_payment := private.pay(v_receiver, v_emotion, p_tier, v_post.id, p_reply_id);
  return private.finish_idempotent('pay', json_build_object(
    'payment', private.payment_cards(array[v_payment]) -> 0,
    'senderBalance', (select balance from app.wallets where user_id = app.uid())));
end $function$;

CREATE OR REPLACE FUNCTION api.prove(p_password_hash text DEFAULT NULL::text, p_code text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
begin
  perform private.check_lock_order('credentials', v_caller::text);
  perform from private.credentials
  where user_id = v_caller and (p_password_hash is null or password_hash = p_password_hash)
  for update;
  if not found then
    -- the password changed while it was being checked, which ended this token
    perform private.raise_error('token_revoked');
  end if;
  perform private.check_caller();   -- checks again: the token may have ended while this waited
  perform private.require_code(v_caller, p_code);
  if not private.has_factor(v_caller) and p_password_hash is null then
    perform private.raise_error('code_wrong');
  end if;
  perform private.note_proof(current_setting('request.jwt.claims')::jsonb, private.own_session());
  return json_build_object('provedUntil', private.utc(now() + interval '10 minutes'));
end $function$;

ALTER FUNCTION "api"."prove"(text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.remove_totp()
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.remove_own_totp();
  return null;   -- the response is 204
end $function$;

ALTER FUNCTION "api"."remove_totp"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.renew_recovery_codes()
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.renew_own_recovery_codes();
end $function$;

ALTER FUNCTION "api"."renew_recovery_codes"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.request_email_change(p_password_hash text, p_email text, p_id uuid, p_token_hash bytea)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_email  text := btrim(p_email);
  v_own    text;
begin
  perform from private.credentials where user_id = v_caller and password_hash = p_password_hash for update;
  if not found then
    -- the password changed while it was being checked, which ended this token
    perform private.raise_error('token_revoked');
  end if;
  perform private.require_proof();
  select a.email into v_own from app.accounts a where a.user_id = v_caller;
  perform private.end_email_changes(v_caller);
  -- does not check whether somebody has the address, so neither the response nor its time reveals it
  if v_email <> v_own then
    perform private.require_link_left(v_caller);
    perform private.mail_verification(v_caller, v_email, v_own, p_id, p_token_hash);
    perform private.enqueue('mail', json_build_object('verificationId', p_id, 'letter', 'asked'));
  end if;
  return json_build_object('ok', true);
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

CREATE OR REPLACE FUNCTION api.start_totp()
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  return private.start_own_totp();
end $function$;

ALTER FUNCTION "api"."start_totp"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.base32(p_secret bytea)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_bits text := (select string_agg(get_byte(p_secret, n)::bit(8)::text, '' order by n)
                  from generate_series(0, length(p_secret) - 1) n);
begin
  return (select string_agg(substr('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567', substr(v_bits, n, 5)::bit(5)::integer + 1, 1),
                            '' order by n)
          from generate_series(1, length(v_bits), 5) n);
end $function$;

ALTER FUNCTION "private"."base32"(bytea) OWNER TO "postgres";

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
  perform private.forget_factors(p_user.id);
  delete from private.password_resets where user_id = p_user.id;
  delete from private.email_verifications where user_id = p_user.id;
  -- comes last, because a transaction that writes the person's ledger also locks this row after all others
  update app.accounts set email = 'deleted-' || gen_random_uuid() || '@deleted.invalid',
                          email_verified_at = null, email_bounced_at = null, date_of_birth = null, phone = null,
                          last_seen_at = null
  where user_id = p_user.id;
end $function$;

CREATE OR REPLACE FUNCTION private.export_own(p_section text, p_after text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if p_section is null then
    perform private.require_proof();
    perform private.catch_up(private.require_caller());
    return private.export_head(private.require_caller());
  end if;
  perform private.require_proof('30 minutes');   -- an export may take 15 minutes after its first page
  return private.export_page(private.require_caller(), p_section, p_after);
end $function$;

CREATE OR REPLACE FUNCTION private.find_notice_mail(p_user uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select json_build_object('to', a.email)
          from app.accounts a join app.users u on u.id = a.user_id and u.erased_at is null
          where a.user_id = p_user);
end $function$;

ALTER FUNCTION "private"."find_notice_mail"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.forget_factors(p_user uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  delete from private.totp where user_id = p_user;
  delete from private.recovery_codes where user_id = p_user;
  delete from private.proofs where user_id = p_user;
  delete from private.people_with_factor where user_id = p_user;
end $function$;

ALTER FUNCTION "private"."forget_factors"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.has_factor(p_user uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return exists (select from private.people_with_factor where user_id = p_user);
end $function$;

ALTER FUNCTION "private"."has_factor"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.has_needed_factor()
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return not exists (select from app.users where id = app.uid() and private.needs_factor(role))
      or exists (select from private.people_with_factor where user_id = app.uid());
end $function$;

ALTER FUNCTION "private"."has_needed_factor"() OWNER TO "postgres";

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
      'recoveryCodesLeft', (select count(*) from private.recovery_codes r
                            where r.user_id = v_caller and r.used_at is null),
      'isRequired', private.needs_factor(u.role),
      'provedUntil', (select private.utc(p + interval '10 minutes') from private.proved_at() p
                      where p > now() - interval '10 minutes'))
    from app.users u where u.id = v_caller);
end $function$;

ALTER FUNCTION "private"."list_own_factors"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.mail_about_factor(p_user uuid, p_letter text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.enqueue('mail', json_build_object(
    'noticeId', gen_random_uuid(), 'userId', p_user, 'letter', p_letter));
end $function$;

ALTER FUNCTION "private"."mail_about_factor"(uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.needs_factor(p_role text)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_role = any (string_to_array((select value from app.settings where key = 'require_factor'), ','));
end $function$;

ALTER FUNCTION "private"."needs_factor"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.note_proof(p_claims jsonb, p_session uuid)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  insert into private.proofs (user_id, issued_at, expires_at, session_id)
  values ((p_claims ->> 'sub')::uuid, (p_claims ->> 'iat')::bigint, (p_claims ->> 'exp')::bigint, p_session)
  on conflict (user_id, issued_at, expires_at) do update set proved_at = now();
end $function$;

ALTER FUNCTION "private"."note_proof"(jsonb, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.own_session()
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_claims jsonb := current_setting('request.jwt.claims')::jsonb;
begin
  return (select s.id from app.sessions s
          where s.user_id = app.uid() and s.ended_at is null
            and s.live_tokens @> jsonb_build_array(jsonb_build_array(v_claims -> 'iat', v_claims -> 'exp')));
end $function$;

ALTER FUNCTION "private"."own_session"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.proved_at()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_claims  jsonb := current_setting('request.jwt.claims')::jsonb;
  v_session uuid := private.own_session();
begin
  return (select max(p.proved_at) from private.proofs p
          where p.user_id = private.require_caller()
            and (p.session_id = v_session
                 or (p.issued_at, p.expires_at) = ((v_claims ->> 'iat')::bigint, (v_claims ->> 'exp')::bigint)));
end $function$;

ALTER FUNCTION "private"."proved_at"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.remove_factors(p_email text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id uuid := private.find_account(p_email);
begin
  if v_id is null or not private.has_factor(v_id) then
    return false;
  end if;
  perform private.lock_account(v_id);
  perform private.end_tokens(v_id);
  perform private.forget_factors(v_id);
  perform private.mail_about_factor(v_id, 'factorRemoved');
  perform private.audit('user.factors_removed', 'user', v_id::text);
  return true;
end $function$;

ALTER FUNCTION "private"."remove_factors"(text) OWNER TO "postgres";

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
  if not exists (select from private.totp where user_id = v_caller and confirmed_at is not null) then
    perform private.raise_error('factor_unknown');
  elsif private.needs_factor((select role from app.users where id = v_caller)) then
    perform private.raise_error('factor_needed');
  end if;
  perform private.forget_factors(v_caller);
  perform private.mail_about_factor(v_caller, 'factorRemoved');
end $function$;

ALTER FUNCTION "private"."remove_own_totp"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.renew_own_recovery_codes()
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
  if not private.has_factor(v_caller) then
    perform private.raise_error('factor_unknown');
  end if;
  perform private.require_proof();
  perform private.mail_about_factor(v_caller, 'recoveryRenewed');
  return json_build_object('recoveryCodes', private.renew_recovery_codes(v_caller));
end $function$;

ALTER FUNCTION "private"."renew_own_recovery_codes"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.renew_recovery_codes(p_user uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_codes text[] := array(select encode(extensions.gen_random_bytes(10), 'hex') from generate_series(1, 10));
begin
  insert into private.recovery_codes (user_id, number, code_hash)
  select p_user, n, sha256(convert_to(c, 'UTF8')) from unnest(v_codes) with ordinality as t (c, n)
  on conflict (user_id, number) do update
    set code_hash = excluded.code_hash, created_at = now(), used_at = null;
  return (select json_agg(regexp_replace(c, '(.{5})(?=.)', '\1-', 'g') order by n)
          from unnest(v_codes) with ordinality as t (c, n));
end $function$;

ALTER FUNCTION "private"."renew_recovery_codes"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_code(p_user uuid, p_code text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if not private.has_factor(p_user) then
    return;
  elsif p_code is null then
    perform private.raise_error('factor_required');
  elsif not private.use_code(p_user, p_code) then
    perform private.raise_error('code_wrong');
  end if;
end $function$;

ALTER FUNCTION "private"."require_code"(uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_guild_founder()
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if not private.may_propose_guild()
     and not exists (select from app.users where id = private.require_caller() and role = 'admin'
                     and private.has_needed_factor()) then
    perform private.raise_error('guild_not_allowed');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.require_proof(p_within interval DEFAULT '00:10:00'::interval)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.has_factor(private.require_caller())
     and (private.proved_at() > now() - p_within) is not true then
    perform private.raise_error('proof_required');
  end if;
end $function$;

ALTER FUNCTION "private"."require_proof"(interval) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_proof_of_all()
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if (private.proved_at() > now() - interval '10 minutes') is not true then
    perform private.raise_error('proof_required');
  end if;
end $function$;

ALTER FUNCTION "private"."require_proof_of_all"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_proof_of_payment(p_tier integer)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_tier >= (select nullif(value, '')::integer from app.settings where key = 'proof_tier') then
    perform private.require_proof();
  end if;
end $function$;

ALTER FUNCTION "private"."require_proof_of_payment"(integer) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_role(VARIADIC p_roles text[])
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not exists (select from app.users where id = app.uid() and role = any (p_roles)) then
    perform private.raise_error('role_required');
  elsif not private.has_needed_factor() then
    perform private.raise_error('factor_missing');
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.start_own_totp()
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller uuid := private.require_caller();
  v_secret text;
  v_name   text;
begin
  perform private.require_proof_of_all();
  insert into private.totp as t (user_id, secret) values (v_caller, extensions.gen_random_bytes(20))
  on conflict (user_id) do update set secret = excluded.secret, created_at = now()
    where t.confirmed_at is null
  returning private.base32(secret) into v_secret;
  if v_secret is null then
    perform private.raise_error('totp_already');
  end if;
  select u.username || '@' || i.domain into v_name
  from app.users u cross join private.instance i where u.id = v_caller;
  return json_build_object(
    'secret', v_secret,
    'url', format('otpauth://totp/Kith:%s?secret=%s&issuer=Kith&algorithm=SHA1&digits=6&period=30',
                  replace(v_name, '@', '%40'), v_secret));
end $function$;

ALTER FUNCTION "private"."start_own_totp"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.totp_code(p_secret bytea, p_step bigint)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_hash  bytea := extensions.hmac(int8send(p_step), p_secret, 'sha1');
  v_start integer := get_byte(v_hash, 19) & 15;
begin
  return lpad(((((get_byte(v_hash, v_start) & 127) << 24) | (get_byte(v_hash, v_start + 1) << 16)
                | (get_byte(v_hash, v_start + 2) << 8) | get_byte(v_hash, v_start + 3)) % 1000000)::text, 6, '0');
end $function$;

ALTER FUNCTION "private"."totp_code"(bytea, bigint) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.use_code(p_user uuid, p_code text)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_code text := lower(regexp_replace(p_code, '[\s-]', '', 'g'));
begin
  if v_code ~ '^\d{6}$' then
    return exists (select from private.totp where user_id = p_user and confirmed_at is not null)
      and private.use_totp(p_user, v_code);
  end if;
  -- the update locks the row, so that of two concurrent requests with the same code only one succeeds
  update private.recovery_codes set used_at = now()
  where user_id = p_user and used_at is null and code_hash = sha256(convert_to(v_code, 'UTF8'));
  if not found then
    return false;
  end if;
  perform private.mail_about_factor(p_user, 'recoveryUsed');
  return true;
end $function$;

ALTER FUNCTION "private"."use_code"(uuid, text) OWNER TO "postgres";

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
  where s > v_totp.last_step and private.totp_code(v_totp.secret, s) = p_code
  order by s limit 1;
  update private.totp set last_step = v_step, last_used_at = now() where user_id = p_user and v_step is not null;
  return v_step is not null;
end $function$;

ALTER FUNCTION "private"."use_totp"(uuid, text) OWNER TO "postgres";

ALTER TABLE "private"."people_with_factor" ADD CONSTRAINT "people_with_factor_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."proofs" ADD CONSTRAINT "proofs_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."totp" ADD CONSTRAINT "totp_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

CREATE INDEX proofs_proved_at_idx ON private.proofs USING btree (proved_at);

COMMENT ON COLUMN "private"."proofs"."expires_at" IS 'exp of the token, in unix seconds.';

COMMENT ON COLUMN "private"."proofs"."issued_at" IS 'iat of the token, in unix seconds.';

COMMENT ON COLUMN "private"."proofs"."proved_at" IS 'When the session last proved who uses it.';

COMMENT ON COLUMN "private"."proofs"."session_id" IS 'The rotating session that issued the token, whose other tokens share the proof; null if there is none.';

COMMENT ON COLUMN "private"."recovery_codes"."number" IS 'From 1 to 10.';

COMMENT ON COLUMN "private"."recovery_codes"."used_at" IS 'When the code was used up; null until then.';

COMMENT ON COLUMN "private"."totp"."confirmed_at" IS 'When the person proved that the app has the secret; null until then.';

COMMENT ON COLUMN "private"."totp"."last_step" IS 'The time step of the last code that was used: unix seconds / 30. Only codes of later steps are accepted.';

COMMENT ON COLUMN "private"."totp"."last_used_at" IS 'When a code of the app was last used; null if none was used yet.';

COMMENT ON FUNCTION "api"."confirm_totp"(text, integer, uuid, bytea, text) IS 'For the facade alone: from now on the caller''s authenticator app counts. Ends all tokens and sessions, and returns {claims, user, credentialsVersion, recoveryCodes} for new tokens. With p_family it starts a rotating session.';

COMMENT ON FUNCTION "api"."list_factors"() IS 'The caller''s second factors: {totp: {createdAt, lastUsedAt} or null, recoveryCodesLeft, isRequired (by the caller''s role), provedUntil (null if this session has no fresh proof)}.';

COMMENT ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text) IS 'For the facade alone, after it has checked the password: logs the person in, {claims, user, credentialsVersion}. p_new_hash replaces a hash whose parameters have become too weak. With p_family it starts a rotating session. A person with a second factor also gives p_code, a code of the app or a recovery code, which is a fresh proof.';

COMMENT ON FUNCTION "api"."prove"(text, text) IS 'For the facade alone: records a fresh proof of this session, {provedUntil}. People with a second factor give a code. The others give their password, which the facade has checked.';

COMMENT ON FUNCTION "api"."remove_totp"() IS 'Removes the caller''s authenticator app and the recovery codes. Fails: factor_needed if the caller''s role requires a factor.';

COMMENT ON FUNCTION "api"."renew_recovery_codes"() IS 'Replaces the caller''s recovery codes, and returns the ten new ones, {recoveryCodes}, which are shown only once.';

COMMENT ON FUNCTION "api"."start_totp"() IS 'Begins adding an authenticator app: {secret (base32), url (otpauth:)}, which are shown only once. The app counts when a code of it is confirmed. Repeating it makes another secret.';

COMMENT ON FUNCTION "private"."base32"(bytea) IS 'A secret as apps take it (RFC 4648). The number of bits must divide by 5.';

COMMENT ON FUNCTION "private"."erase_account"(app.users) IS 'Step: deletes an erased person''s addresses, birthday, phone number, sessions, factors and the texts of their personas, sets a hash that matches no password, and revokes all their invite codes.';

COMMENT ON FUNCTION "private"."find_notice_mail"(uuid) IS 'For the worker alone: the address of a person, {to}, or null if they were erased.';

COMMENT ON FUNCTION "private"."forget_factors"(uuid) IS 'Deletes all factors of a person, with their recovery codes and proofs.';

COMMENT ON FUNCTION "private"."has_factor"(uuid) IS 'Whether a person has a second factor.';

COMMENT ON FUNCTION "private"."has_needed_factor"() IS 'Whether the caller has a second factor, or a role that needs none. Everything that only staff may do asks it.';

COMMENT ON FUNCTION "private"."list_own_factors"() IS 'The caller''s factors, as api.list_factors returns them.';

COMMENT ON FUNCTION "private"."mail_about_factor"(uuid, text) IS 'Queues a mail that tells a person of a change of their factors: factorAdded, factorRemoved, recoveryUsed or recoveryRenewed.';

COMMENT ON FUNCTION "private"."needs_factor"(text) IS 'Whether this instance requires a second factor of people with this role: REQUIRE_FACTOR.';

COMMENT ON FUNCTION "private"."note_proof"(jsonb, uuid) IS 'Records a fresh proof for the session of an access token.';

COMMENT ON FUNCTION "private"."own_session"() IS 'The rotating session that issued the token of this request, or null if the token is valid for seven days.';

COMMENT ON FUNCTION "private"."proved_at"() IS 'When the session of this request last proved who uses it; null if never.';

COMMENT ON FUNCTION "private"."remove_factors"(text) IS 'For npm run admin: removes all second factors of the person with this address, ends their tokens and sessions, and tells them by mail. Returns false if nobody has the address, or if they have no factor.';

COMMENT ON FUNCTION "private"."remove_own_totp"() IS 'Removes the caller''s authenticator app, which is their only factor, with the recovery codes.';

COMMENT ON FUNCTION "private"."renew_own_recovery_codes"() IS 'Replaces the caller''s recovery codes: {recoveryCodes}.';

COMMENT ON FUNCTION "private"."renew_recovery_codes"(uuid) IS 'Replaces the recovery codes of a person, and returns the ten new ones. Only their hashes are stored.';

COMMENT ON FUNCTION "private"."require_code"(uuid, text) IS 'Passes if the person has no second factor, or if this is a code of theirs, which is then used up. Fails: factor_required, code_wrong.';

COMMENT ON FUNCTION "private"."require_guild_founder"() IS 'Passes for a caller who has canProposeGuild, or is an admin with the second factor that the role needs.';

COMMENT ON FUNCTION "private"."require_proof"(interval) IS 'Passes if the caller has no second factor, or if this session proved it within the time. Fails: proof_required.';

COMMENT ON FUNCTION "private"."require_proof_of_all"() IS 'Like private.require_proof, but also for people without a second factor, who prove their password.';

COMMENT ON FUNCTION "private"."require_proof_of_payment"(integer) IS 'Passes if payments of this tier need no fresh proof (PROOF_TIER), or as private.require_proof does.';

COMMENT ON FUNCTION "private"."require_role"(text[]) IS 'Passes if the caller''s stored role is one of these, and the caller has the second factor that the role needs. Every staff operation calls it.';

COMMENT ON FUNCTION "private"."start_own_totp"() IS 'Begins adding an authenticator app, as api.start_totp says.';

COMMENT ON FUNCTION "private"."totp_code"(bytea, bigint) IS 'The code of a time step (RFC 6238, with the truncation of RFC 4226).';

COMMENT ON FUNCTION "private"."use_code"(uuid, text) IS 'Uses up a code of the app or a recovery code, with or without blanks and dashes. Returns false if it is wrong or was used before.';

COMMENT ON FUNCTION "private"."use_totp"(uuid, text) IS 'Uses up a code of the app, also of one that is not confirmed yet. The clock may differ by one step. Returns false if the code is wrong, or if its step or a later one was used before.';

COMMENT ON TABLE "app"."settings" IS 'Settings that SQL needs. Written at boot: instance_domain, rate_limit_scale, public_url, media_url, media_bucket, media_quota, media_hosts, webhook_exempt, backups (on or off), require_factor (roles, separated by commas), proof_tier. Written by the worker: embedding_model. Written by operators: searches_at_once. None is secret.';

COMMENT ON TABLE "private"."people_with_factor" IS 'People who have a second factor. sql/identity adds and removes them.';

COMMENT ON TABLE "private"."proofs" IS 'When a session last proved who uses it, keyed by the access token (iat, exp) with which it did.';

COMMENT ON TABLE "private"."recovery_codes" IS 'SHA-256 of recovery codes, each of which replaces a code of the app once. A code has 80 random bits, so a slow hash is not needed.';

COMMENT ON TABLE "private"."totp" IS 'The authenticator app of a person (RFC 6238: SHA-1, 6 digits, 30 seconds). It counts from confirmed_at on.';

REVOKE ALL ON FUNCTION "api"."confirm_totp"(text, integer, uuid, bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."confirm_totp"(text, integer, uuid, bytea, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."confirm_totp"(text, integer, uuid, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."confirm_totp"(text, integer, uuid, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_factors"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_factors"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."list_factors"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_factors"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."prove"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."prove"(text, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."prove"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."prove"(text, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."remove_totp"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."remove_totp"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."remove_totp"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."remove_totp"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."renew_recovery_codes"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."renew_recovery_codes"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."renew_recovery_codes"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."renew_recovery_codes"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."start_totp"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."start_totp"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."start_totp"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."start_totp"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."base32"(bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."base32"(bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."base32"(bytea) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_notice_mail"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_notice_mail"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_notice_mail"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_notice_mail"(uuid) TO "worker";

REVOKE ALL ON FUNCTION "private"."forget_factors"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."forget_factors"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."forget_factors"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."has_factor"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_factor"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."has_factor"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."has_needed_factor"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_needed_factor"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."has_needed_factor"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."has_needed_factor"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."list_own_factors"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_own_factors"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."list_own_factors"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_own_factors"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."mail_about_factor"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_about_factor"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_about_factor"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."needs_factor"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."needs_factor"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."needs_factor"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_proof"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_proof"(jsonb, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."note_proof"(jsonb, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."own_session"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."own_session"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."own_session"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."proved_at"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."proved_at"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."proved_at"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."remove_factors"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."remove_factors"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."remove_factors"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."remove_own_totp"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."remove_own_totp"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."remove_own_totp"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."remove_own_totp"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."renew_own_recovery_codes"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."renew_own_recovery_codes"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."renew_own_recovery_codes"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."renew_own_recovery_codes"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."renew_recovery_codes"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."renew_recovery_codes"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."renew_recovery_codes"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_code"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_code"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_code"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_proof"(interval) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_proof"(interval) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."require_proof"(interval) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_proof"(interval) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_proof"(interval) TO "service_role";

REVOKE ALL ON FUNCTION "private"."require_proof_of_all"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_proof_of_all"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_proof_of_all"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_proof_of_payment"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_proof_of_payment"(integer) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."require_proof_of_payment"(integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_proof_of_payment"(integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."start_own_totp"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."start_own_totp"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."start_own_totp"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_own_totp"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."totp_code"(bytea, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."totp_code"(bytea, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."totp_code"(bytea, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."use_code"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."use_code"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."use_code"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."use_totp"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."use_totp"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."use_totp"(uuid, text) TO "postgres";

insert into private.errors ("code", "status", "text")
values ('code_wrong', '403', 'The code is wrong, or it was already used.');

insert into private.errors ("code", "status", "text")
values ('factor_missing', '403', 'Your role requires a second factor. Add an authenticator app first: POST /me/factors/totp.');

insert into private.errors ("code", "status", "text")
values ('factor_needed', '409', 'Your role requires a second factor, and this is the last one.');

insert into private.errors ("code", "status", "text")
values ('factor_required', '403', 'This account has a second factor. Send also the code of the app, or a recovery code.');

insert into private.errors ("code", "status", "text")
values ('factor_unknown', '404', 'You have no such factor.');

insert into private.errors ("code", "status", "text")
values ('proof_required', '403', 'Prove first that it is you: POST /auth/proof. A proof counts for 10 minutes.');

insert into private.errors ("code", "status", "text")
values ('totp_already', '409', 'You already have an authenticator app. Remove it first.');

insert into app.settings ("key", "value")
values ('proof_tier', '');

insert into app.settings ("key", "value")
values ('require_factor', '');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('private.proofs', 'proved_at', '1 day', '5000');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.people_with_factor', 'user_id', null, null, null, '{}', null, 'false', 'Says only that the person has a factor, as authenticatorApp does.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.proofs', 'user_id', 'proofs', null, null, '{}', null, 'false', null);

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.recovery_codes', 'user_id', 'recoveryCodes', null, null, '{code_hash}', null, 'false', null);

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.totp', 'user_id', 'authenticatorApp', null, null, '{secret,last_step}', null, 'false', null);
