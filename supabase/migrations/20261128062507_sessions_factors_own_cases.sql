-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

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

DROP VIEW "private"."staff_sessions";

DROP VIEW "private"."staff_spaces";

DROP VIEW "private"."staff_stuck_effects";

DROP VIEW "private"."staff_users";

DROP VIEW "private"."staff_wallets";

DROP VIEW "private"."written_heads";

DROP VIEW "app"."person_card";

ALTER TABLE "app"."sessions" DROP CONSTRAINT "sessions_rules";

DROP FUNCTION "api"."change_password"(text, text, integer, uuid, bytea, text);

DROP FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text);

DROP FUNCTION "api"."register"(uuid, text, text, text, text, date, text, text, integer, uuid, bytea, text, uuid, bytea);

DROP FUNCTION "private"."card_texts"(uuid[]);

DROP FUNCTION "private"."check_case_worker"(app.cases, boolean);

DROP FUNCTION "private"."post_engagement_fields"(uuid[]);

DROP FUNCTION "private"."sessions_rules"(integer, bytea, text);

DROP FUNCTION "private"."start_session"(uuid, json, bytea, text);

CREATE TABLE "private"."devices" ("user_id" uuid NOT NULL, "fingerprint" bytea NOT NULL, "credentials_version" integer NOT NULL, "seen_at" timestamp with time zone NOT NULL DEFAULT now(), CONSTRAINT "devices_fingerprint_check" CHECK ((length(fingerprint) = 32)), CONSTRAINT "devices_pkey" PRIMARY KEY (user_id, fingerprint));

ALTER TABLE "private"."devices" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."devices" OWNER TO "postgres";

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

ALTER TABLE "app"."sessions" ADD COLUMN "kind" text NOT NULL DEFAULT 'rotating'::text;

ALTER TABLE "app"."sessions" ADD COLUMN "device" text;

ALTER TABLE "app"."sessions" ADD COLUMN "network" cidr;

ALTER TABLE "app"."sessions" ADD COLUMN "last_seen_at" timestamp with time zone NOT NULL DEFAULT now();

-- by hand: before, a session was last seen at its last refresh
UPDATE app.sessions SET last_seen_at = last_used_at;

ALTER TABLE "app"."sessions" ADD COLUMN "alert_hash" bytea;

ALTER TABLE "private"."report_targets" ADD COLUMN "co_authors" text;

ALTER TABLE "app"."sessions" ALTER COLUMN "token_hash" DROP NOT NULL;

CREATE TYPE "app"."card_text" AS ("text" text, "quoted_id" uuid);

ALTER TYPE "app"."card_text" OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.add_import_rows(p_id uuid, p_section text, p_from integer, p_items jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_section private.import_sections;
  v_import  app.imports;
  v_errors  text[];
begin
  select * into strict v_section from private.import_sections where section = p_section;
  v_errors := private.check_import_rows(v_section, p_from, p_items);
  if v_errors = '{}' then
    perform private.check_lock_order('import', app.uid()::text);
    update app.imports
    set staged = staged + jsonb_array_length(p_items),
        total = total + case when v_section.importer is not null then jsonb_array_length(p_items) else 0 end
    where id = p_id and user_id = private.require_caller() and state = 'receiving'
    returning * into v_import;
    if not found then
      perform private.raise_error('import_running');   -- the person has begun another import meanwhile
    elsif v_import.staged > 100000 then
      perform private.raise_error('import_large');
    end if;
    insert into private.import_rows (import_id, section, place, position, sort_at, row_key, of_key, item)
    select p_id, p_section, p_from + i.place - 1, v_section.position,
           coalesce((i.item ->> v_section.sort_field)::timestamptz, '-infinity'),
           coalesce(i.item ->> v_section.key_field, ''), i.item ->> v_section.of_field, i.item
    from jsonb_array_elements(p_items) with ordinality as i (item, place);
  end if;
  return json_build_object('problems', to_json(v_errors));
end $function$;

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
  perform private.require_proof();
  perform private.replace_password(v_caller, p_new_hash);
  v_claims := private.issue_claims(v_caller, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address);
  return private.login_answer(v_caller, v_claims);
end $function$;

ALTER FUNCTION "api"."change_password"(text, text, integer, uuid, bytea, text, text, text) OWNER TO "postgres";

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
          || jsonb_build_object('recoveryCodes', private.renew_recovery_codes(v_caller)))::json;
end $function$;

ALTER FUNCTION "api"."confirm_totp"(text, integer, uuid, bytea, text, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.create_case(p_target_type text, p_target_id text, p_category text DEFAULT NULL::text, p_note text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_note   text;
  v_target private.case_target;
  v_id     uuid;
begin
  perform private.require_role('moderator', 'admin');
  v_note := private.require_short(p_note, 2000, 'case_note');
  v_target := private.require_case_target(p_target_type, p_target_id);
  if private.is_own_thing(p_target_type, v_target.id, v_target.person_id) then
    perform private.raise_error('case_own');
  end if;
  v_id := private.open_case(p_target_type, v_target.id, coalesce(p_category, 'other'), 'staff', v_note);
  perform private.audit('case.opened', 'case', v_id::text);
  return private.staff_card('cases', v_id);
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

CREATE OR REPLACE FUNCTION api.get_case(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_case app.cases;
begin
  perform private.require_role('moderator', 'admin');
  select * into v_case from app.cases where id = p_id;
  if not found or private.is_own_thing(v_case.target_type, v_case.target_id, v_case.person_id) then
    perform private.raise_error('case_unknown');
  end if;
  return private.merge_objects(private.staff_card('cases', p_id), private.case_file(v_case));
end $function$;

CREATE OR REPLACE FUNCTION api.get_report(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_report app.reports;
begin
  perform private.require_role('moderator', 'admin');
  select * into v_report from app.reports where id = p_id;
  if not found or private.is_own_thing(v_report.target_type, v_report.target_id, v_report.author_id) then
    perform private.raise_error('report_unknown');
  end if;
  return private.merge_objects(private.staff_card('reports', p_id), private.report_file(v_report));
end $function$;

CREATE OR REPLACE FUNCTION api.list_cases(p_status text DEFAULT NULL::text, p_category text DEFAULT NULL::text, p_priority integer DEFAULT NULL::integer, p_claimed text DEFAULT NULL::text, p_target_type text DEFAULT NULL::text, p_person_id text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text, p_waiting boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_person uuid := private.find_staff_person(p_person_id);
begin
  perform private.require_role('moderator', 'admin');
  return private.staff_page(
    'cases', json_build_object(
      'person_id', v_person,
      'claimed_by', case p_claimed when 'me' then app.uid() end,
      'claimed', case p_claimed when 'me' then true when 'nobody' then false end,
      'waiting', p_waiting,
      'status', p_status, 'category', p_category, 'priority', p_priority, 'target_type', p_target_type,
      'own', false),
    array['person_id', 'claimed_by', 'category', 'status'], p_q, p_from, p_to, p_limit, p_cursor, 'place');
end $function$;

CREATE OR REPLACE FUNCTION api.list_decision_appeals(p_status text DEFAULT NULL::text, p_person_id text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.staff_page(
    'decision_appeals', json_build_object(
      'person_id', private.find_staff_person(p_person_id), 'status', p_status, 'own', false),
    array['person_id', 'status'], p_q, p_from, p_to, p_limit, p_cursor);
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

CREATE OR REPLACE FUNCTION api.list_reports(p_status text DEFAULT NULL::text, p_target_type text DEFAULT NULL::text, p_reporter_id text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text, p_waiting boolean DEFAULT false)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_target uuid;
begin
  perform private.require_role('moderator', 'admin');
  if pg_input_is_valid(p_q, 'uuid') then
    if not exists (select from app.reports where id = p_q::uuid) then
      v_target := p_q::uuid;
    end if;
  end if;
  return private.staff_page(
    'case_reports', json_build_object(
      'status', p_status, 'target_type', p_target_type, 'target_id', v_target,
      'reporter_id', private.find_staff_person(p_reporter_id), 'waiting', p_waiting, 'own', false),
    array['status'], case when v_target is null then p_q end, p_from, p_to, p_limit, p_cursor);
end $function$;

CREATE OR REPLACE FUNCTION api.list_rule_hits(p_id uuid, p_mode text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.staff_page(
    'rule_hits', json_build_object('rule_id', (private.require_rule(p_id)).id, 'mode', p_mode, 'own', false),
    array['rule_id'], p_q, p_from, p_to, p_limit, p_cursor);
end $function$;

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

CREATE OR REPLACE FUNCTION api.log_in(p_user_id uuid, p_password_hash text, p_seconds integer, p_new_hash text DEFAULT NULL::text, p_family uuid DEFAULT NULL::uuid, p_refresh_hash bytea DEFAULT NULL::bytea, p_user_agent text DEFAULT NULL::text, p_device text DEFAULT NULL::text, p_address text DEFAULT NULL::text, p_alert_hash bytea DEFAULT NULL::bytea, p_code text DEFAULT NULL::text)
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
  perform private.require_code(p_user_id, p_code);
  if p_new_hash is not null then
    update private.credentials set password_hash = p_new_hash where user_id = p_user_id;
  end if;
  v_claims := private.issue_claims(p_user_id, p_seconds);
  perform private.start_session(p_family, v_claims, p_refresh_hash, p_user_agent, p_device, p_address,
                                case when v_before then p_alert_hash end);
  if private.has_factor(p_user_id) then
    perform private.note_proof(v_claims::jsonb, p_family);
  end if;
  return private.login_answer(p_user_id, v_claims);
end $function$;

ALTER FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text, text, bytea, text) OWNER TO "postgres";

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

CREATE OR REPLACE FUNCTION api.preview_broadcast(p_title text, p_body text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_broadcast app.broadcasts;
begin
  perform private.require_role('admin');
  begin
    -- the row is written and undone, so that a preview rejects and changes texts in the same way as a broadcast
    v_broadcast := private.add_broadcast(p_title, p_body);
    raise exception using errcode = 'KP001';
  exception when sqlstate 'KP001' then
    null;
  end;
  return json_build_object('title', v_broadcast.title, 'body', v_broadcast.body,
                           'recipients', private.count_recipients('admin.broadcast'));
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

CREATE OR REPLACE FUNCTION private.act_for_space(p_kind text, p_id text, p_case uuid, p_action text, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_space     uuid := (private.require_space(p_kind, p_id)).id;
  v_reason    text := private.find_reason(p_reason);
  v_case      app.cases;
  v_statement text;
begin
  perform private.count_writes('decisions');
  perform private.require_space_case(v_space, p_case, p_action);
  perform private.lock('case work', p_case::text);
  perform private.lock_visible_space(p_kind, p_id);
  v_case := private.require_space_case(v_space, p_case, p_action);   -- again: it may have changed meanwhile
  if p_action is distinct from 'dismiss' then
    select by_space into v_statement from private.case_handlers
    where target_type = v_case.target_type and action = p_action;
    if v_statement is null then
      perform private.raise_error('case_action');
    end if;
    perform set_config('kith.case', json_build_object(
      'caseId', v_case.id, 'category', v_case.category, 'rule', v_case.rule, 'spaceId', v_space)::text, true);
    execute v_statement using v_case.target_id, v_reason;   -- safe: the statement comes from the registry
    perform set_config('kith.case', '', true);
    perform private.restart_lock_order();
  end if;
  perform private.check_lock_order('case', p_case::text);
  update app.cases set updated_at = clock_timestamp() where id = p_case;
  perform private.add_case_event(p_case, 'space', null, json_build_object('spaceId', v_space, 'action', p_action));
  if p_action <> 'unhide' and v_case.staff_from > now() then
    perform private.end_case(p_case, case p_action when 'dismiss' then 'dismissed' else 'acted' end);
  end if;
  perform private.audit('case.space-' || p_action, 'case', p_case::text, json_build_object('spaceId', v_space));
  return private.space_report_cards(array[p_case]) -> 0;
end $function$;

CREATE OR REPLACE FUNCTION private.act_in_case(p_case app.cases, p_actions text[], p_reason text, p_category text, p_rule text, p_until timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_handler private.case_handlers;
begin
  perform set_config('kith.case', json_build_object(
    'caseId', (p_case).id, 'category', coalesce(p_category, (p_case).category),
    'rule', coalesce(p_rule, (p_case).rule))::text, true);
  if exists (select from unnest(p_actions) a cross join lateral private.find_handler(p_case, a) h
             where h.target_type = 'user') then
    -- before the locks of the thing, in the same order as a ban and an erasure
    perform private.lock_account((p_case).person_id);
  end if;
  for v_handler in
    select h.* from unnest(p_actions) a cross join lateral private.find_handler(p_case, a) h
    where a <> 'dismiss' order by h.place, h.action
  loop
    perform private.restart_lock_order();
    -- safe: the statement comes from the registry
    execute v_handler.statement
    using case when v_handler.target_type = 'user' then (p_case).person_id else (p_case).target_id end,
          p_reason, p_until;
  end loop;
  if 'dismiss' = any (p_actions) then
    perform private.release_held((p_case).target_type, (p_case).target_id);
  end if;
  perform set_config('kith.case', '', true);
  return case when exists (select from private.case_transitions
                           where status = (p_case).status and action = any (p_actions) and next = 'closed')
              then 'closed' else 'open' end;
end $function$;

CREATE OR REPLACE FUNCTION private.add_webhook_test(p_webhook uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_subject  constant text := 'webhook:' || p_webhook;
  v_delivery private.webhook_deliveries;
begin
  -- at most one test waits: it is sent now
  select * into v_delivery from private.webhook_deliveries d
  where d.webhook_id = p_webhook and d.subject_key = v_subject and d.status = 'pending' order by d.id limit 1;
  if not found then
    insert into private.webhook_deliveries (webhook_id, event, event_id, subject_key)
    values (p_webhook, 'webhooks.webhook.tested', gen_random_uuid(), v_subject)
    returning * into v_delivery;
  end if;
  perform private.take_turn(p_webhook, v_subject);
  return private.delivery_card(v_delivery);
end $function$;

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

CREATE OR REPLACE FUNCTION private.audit_proof(p_entry bigint)
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
  v_entry      app.audit_log;
  v_detail     app.audit_details;
  v_checkpoint private.audit_checkpoints;
  v_after      bigint;
begin
  select * into v_entry from app.audit_log where id = p_entry;
  select * into v_detail from app.audit_details where audit_id = p_entry;
  select * into v_checkpoint from private.audit_checkpoints where entries >= p_entry order by entries limit 1;
  if not found or v_entry.detail_hash is null then   -- an entry that 1.0.0 wrote contains the id of the actor
    return null;
  end if;
  v_after := coalesce((select entries from private.audit_checkpoints where number = v_checkpoint.number - 1), 0);
  return json_build_object(
    'previous', encode(v_entry.previous, 'hex'),
    'content', private.audit_content(v_entry)::text,
    'detail', case when v_detail.detail_salt is not null then v_detail.detail::text end,
    'salt', encode(v_detail.detail_salt, 'hex'),
    'place', v_entry.id - v_after - 1,
    'size', v_checkpoint.entries - v_after,
    'path', array(
      select encode(p.node, 'hex')
      from unnest(private.merkle_path(private.merkle_leaves(v_after, v_checkpoint.entries), v_entry.id - v_after))
           with ordinality p (node, place) order by p.place),
    'checkpoint', private.checkpoint_card(v_checkpoint));
end $function$;

CREATE OR REPLACE FUNCTION private.audit_treasuries()
 RETURNS TABLE(rule text, subject uuid, expected bigint, found bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return query
    select 'the rows of a treasury add up to the entries of its account', coalesce(e.transaction_id, r.transaction_id),
           coalesce(e.amount, 0)::bigint, coalesce(r.total, 0)::bigint
    from (select x.* from app.mana_entries x join app.mana_accounts a on a.id = x.account_id
          where a.kind = 'treasury') e
    full join (select transaction_id, guild_id, sum(amount) as total from app.treasury_entries group by 1, 2) r
      on r.transaction_id = e.transaction_id and r.guild_id = e.account_id
    where e.amount is distinct from r.total
    union all
    select 'the balance after a row of a treasury is the sum of its rows', s.id, s.total::bigint, s.balance_after
    from (select id, balance_after, sum(amount) over (partition by guild_id order by seq) as total
          from app.treasury_entries) s
    where s.total <> s.balance_after;
end $function$;

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

CREATE OR REPLACE FUNCTION private.begin_case_work(p_case uuid, VARIADIC p_actions text[])
 RETURNS app.cases
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_case   app.cases;
  v_action text;
  v_step   private.case_transitions;
begin
  perform private.require_role('moderator', 'admin');
  if not exists (select from app.cases c
                 where c.id = p_case and not private.is_own_thing(c.target_type, c.target_id, c.person_id)) then
    perform private.raise_error('case_unknown');
  end if;
  perform private.lock_case_work(p_case);
  select * into v_case from app.cases where id = p_case;
  foreach v_action in array p_actions loop
    select * into v_step from private.case_transitions where status = v_case.status and action = v_action;
    if not found then
      if exists (select from private.case_transitions where action = v_action) then
        perform private.raise_error('case_closed');
      end if;
      perform private.raise_error('case_action');
    end if;
    perform private.require_role(variadic v_step.roles);
    if 'claim' = any (v_step.needs) and private.is_claimed_by_another(v_case) then
      perform private.raise_error('case_claimed');
    elsif 'person' = any (v_step.needs) and v_case.person_id is null then
      perform private.raise_error('case_person');
    end if;
  end loop;
  return v_case;
end $function$;

CREATE OR REPLACE FUNCTION private.begin_import()
 RETURNS uuid
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
  v_caller uuid := private.require_caller();
  v_last   app.imports;
  v_id     uuid;
begin
  perform private.count_writes('imports');
  perform private.lock('import', v_caller::text);   -- so that only one of several concurrent calls finishes it
  delete from app.imports where user_id = v_caller and state = 'receiving';
  select * into v_last from app.imports
  where user_id = v_caller and created_at > now() - interval '24 hours' order by created_at desc limit 1;
  if v_last.state in ('waiting', 'running') then
    perform private.raise_error('import_running');
  elsif found then
    perform private.raise_error('import_daily', json_build_object(
      'Retry-After', ceil(extract(epoch from v_last.created_at + interval '24 hours' - now()))::text));
  end if;
  insert into app.imports (user_id) values (v_caller) returning id into v_id;
  return v_id;
end $function$;

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
    -- looks up once for all posts what only few of them have; each is read by a function of its own, because a
    -- statement prepares all of its joins, also those that it does not run
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
            -- an array, which the index returns in order, because string_agg would sort
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

ALTER FUNCTION "private"."card_texts"(uuid[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.change_role(p_kind text, p_id text, p_person text, p_role text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_user  uuid := private.require_visible_person(p_person);
  v_space app.spaces;
begin
  perform private.count_writes('memberships');
  v_space := private.lock_visible_space(p_kind, p_id, array[v_user]);
  perform private.require_space_role(v_space.id, 'owner');
  perform private.require_visible_person(p_person);   -- again: the person may have been banned meanwhile
  perform private.set_space_role(v_space, v_user, p_role);
  return private.member_cards(v_space.id, array[v_user]) -> 0;
end $function$;

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
  v_effect := case when v_rule.level = 3 then 'leaves_out' else 'denies' end;   -- what nobody but the author sees
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

CREATE OR REPLACE FUNCTION private.count_recipients(p_kind text)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- people without a row get the default of the kind
  return (select count(*) from app.users u where u.banned_at is null and u.erased_at is null)
       - (select count(*)
          from app.notification_preferences p
          join app.users u on u.id = p.user_id and u.banned_at is null and u.erased_at is null
          where p.kind = p_kind and not private.is_wanted(p.user_id, p.kind));
end $function$;

CREATE OR REPLACE FUNCTION private.disburse(p_guild text, p_person text, p_amount integer, p_note text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_note  text := private.require_text(p_note);
  v_user  uuid := private.require_visible_person(p_person);
  v_space app.spaces;
  v_id    uuid;
begin
  perform private.count_writes('movements');
  perform private.require_amount(p_amount);
  if coalesce(v_note, '') = '' then
    perform private.raise_error('treasury_note_missing');
  end if;
  v_space := private.lock_treasury(p_guild, array[v_user], 'owner', 'moderator');
  if v_user = app.uid() then
    perform private.raise_error('disburse_oneself');
  end if;
  perform private.require_visible_person(p_person);   -- again: a ban may have happened meanwhile
  v_id := private.move_treasury(v_space.id, 'disbursement', app.uid(), array[v_user], array[-p_amount], v_note);
  return json_build_object(
    'entry', private.treasury_cards(array(select id from app.treasury_entries where transaction_id = v_id)) -> 0,
    'treasuryBalance', private.treasury_balance(v_space.id));
end $function$;

CREATE OR REPLACE FUNCTION private.end_case(p_case uuid, p_outcome text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.check_lock_order('case', p_case::text);
  update app.cases
  set status = 'closed', outcome = p_outcome, closed_by = app.uid(), closed_at = now(), claimed_by = null,
      claimed_until = null, updated_at = clock_timestamp()
  where id = p_case and status = 'open';
  if not found then
    return;
  end if;
  perform private.settle_case_proposal(p_case, null, 'declined');
  perform private.add_case_event(p_case, 'closed', null, json_build_object('outcome', p_outcome));
  -- after the row is locked: a report that was being added belongs now either to this case or to the next one
  if private.settle_case_reports(jsonb_build_object('caseId', p_case)) ->> 'next' is not null then
    perform private.enqueue('settled-reports', json_build_object('caseId', p_case));
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.end_case_without_reports(p_case uuid, p_outcome text)
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
begin
  perform private.check_lock_order('case', p_case::text);
  -- locks the row first, so that a report that is just being added counts
  perform from app.cases where id = p_case and status = 'open' for no key update;
  if found and not exists (select from app.case_reports c join app.reports r on r.id = c.report_id
                           where c.case_id = p_case and r.status = 'open') then
    perform private.end_case(p_case, p_outcome);
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

CREATE OR REPLACE FUNCTION private.find_access(p_type text, p_id uuid)
 RETURNS private.access
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_access private.access := (p_type, p_id, null, false, null, null, null)::private.access;
  v_choice app.feed_choice := (
    null, null, false, null, 0, private.muted_people(), private.muted_posts(), private.find_muted_words(), 1, 200000,
    null)::app.feed_choice;
begin
  if p_type = 'post' then
    v_access.can_see := exists (select from private.visible_posts where id = p_id);
    v_access.is_listed := exists (select from private.listed_posts where id = p_id);
    v_access.is_muted := v_access.is_listed and cardinality((private.without_phrases(
      v_choice.muted_words, private.feed_chosen(v_choice, array[p_id], true), null, v_choice.characters)).ids) = 0;
    -- no feed contains what only its author sees
    v_access.is_shown := v_access.is_listed and not v_access.is_muted
      and exists (select from app.posts where id = p_id and required_level <= 2);
  elsif p_type = 'reply' then
    v_access.can_see := exists (select from private.visible_replies where id = p_id);
  elsif p_type = 'content' then
    v_access.can_see := exists (select from private.visible_contents where id = p_id)
                     or exists (select from private.visible_courses where id = p_id);
    v_access.is_listed := exists (select from private.listed_contents where id = p_id);
    v_access.is_shown := v_access.is_listed
      and exists (select from app.contents where id = p_id and not is_draft and removed_at is null);
  elsif p_type = 'conversation' then
    v_access.can_see := exists (select from app.conversation_members
                                where conversation_id = p_id and user_id = app.uid());
  else
    v_access.can_see := (select v.is_inside from private.visibility(app.uid(), 0, p_id) v);
  end if;
  return v_access;
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

CREATE OR REPLACE FUNCTION private.find_changes(p_after text)
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
  v_from    app.place := private.page_start('changes', p_after);
  v_at      timestamptz := v_from.at;   -- plain variables: an expression defeats the index
  v_id      uuid := v_from.id;
  -- a change that was noted earlier may not be committed yet
  v_settled timestamptz := clock_timestamp() - interval '10 seconds';
  v_sources text[];
  v_ids     uuid[];
  v_levels  smallint[];
  v_times   timestamptz[];
  v_next    app.place;
  v_finder  record;
  v_some    app.change[];
  v_found   app.change[] := '{}';
begin
  if v_at < now() - interval '30 days' then
    perform private.raise_error('sync_too_old');
  end if;
  select array_agg(c.source), array_agg(c.thing_id), array_agg(c.level), array_agg(c.changed_at)
  into v_sources, v_ids, v_levels, v_times
  from (select source, thing_id, level, changed_at from private.changes
        where (changed_at, thing_id) > (v_at, v_id)
        order by changed_at, thing_id limit 400) c;
  v_next := case when v_times[400] < v_settled then (v_times[400], v_ids[400])::app.place
                 else greatest((v_settled, '00000000-0000-0000-0000-000000000000')::app.place, v_from) end;
  for v_finder in
    select s.finder, c.ids, c.levels
    from private.change_sources s
    cross join lateral (
      select array_agg(u.id order by u.place) as ids, array_agg(u.level order by u.place) as levels
      from unnest(v_sources, v_ids, v_levels) with ordinality as u (source, id, level, place)
      where u.source = s.source) c
    where c.ids is not null
    order by s.source
  loop
    execute format('select array_agg(f) from %s($1, $2) f', v_finder.finder) into v_some
      using v_finder.ids, v_finder.levels;
    v_found := v_found || v_some;
  end loop;
  return json_build_object(
    'items', coalesce((
      select json_agg(json_build_object('type', f.type, 'id', f.id, 'gone', f.gone) order by f.place)
      from (select u.type, u.id, u.gone, max(array_position(v_ids, u.id)) as place
            from unnest(v_found) u group by u.type, u.id, u.gone) f), '[]'),
    'nextCursor', private.place_cursor('changes', v_next.at, v_next.id),
    'hasMore', coalesce(v_times[400] < v_settled, false));
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

CREATE OR REPLACE FUNCTION private.find_space_cases(p_space uuid, p_from app.place)
 RETURNS app.found
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
  v_from   timestamptz := p_from.at;
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select c.opened_at as at, c.id, not private.is_own_thing(c.target_type, c.target_id, c.person_id) as is_shown
    from app.cases c
    where c.space_id = p_space and c.space_id is not null and c.status = 'open'
      and (c.opened_at, c.id) < (v_from, v_before)
    order by c.opened_at desc, c.id desc limit 400
  ), seen as materialized (
    select array(select id from looked where is_shown order by at desc, id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('space reports ' || p_space, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $function$;

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

CREATE OR REPLACE FUNCTION private.free_username(p_first_name text, p_last_name text)
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_name text := btrim(left(regexp_replace(
    lower(extensions.unaccent(p_first_name || '_' || p_last_name)), '[^a-z0-9]+', '_', 'g'), 24), '_');
begin
  if length(v_name) < 3 then
    v_name := btrim('member_' || v_name, '_');   -- nothing may remain of a name in another script
  end if;
  while private.is_reserved(v_name) or not private.is_free(v_name) loop
    v_name := regexp_replace(v_name, '_?\d*$', '') || '_' || (2 + floor(random() * 9998))::int;
  end loop;
  return v_name;
end $function$;

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

CREATE OR REPLACE FUNCTION private.import_batch(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
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
  v_id       uuid := (p_job ->> 'importId')::uuid;
  v_user     uuid := (select user_id from app.imports where id = v_id);
  v_import   app.imports;
  v_position smallint;
  v_importer text;
  v_rows     private.import_rows[];
  v_row      private.import_rows;
  v_problems jsonb := '[]';
  v_changed  integer;
begin
  perform private.check_lock_order('person', v_user::text);
  perform from app.users where id = v_user and banned_at is null and erased_at is null for share;
  if not found then
    update app.imports set state = 'stopped', ended_at = now() where id = v_id and ended_at is null;
    return json_build_object('changed', 0, 'next', null);
  end if;
  perform private.lock('import', v_user::text);   -- a second worker waits here, and then imports other rows
  select * into v_import from app.imports where id = v_id and state in ('waiting', 'running');
  if not found then
    return json_build_object('changed', 0, 'next', null);
  end if;

  select r.position into v_position from private.import_rows r
  where r.import_id = v_id and r.position is not null order by r.position limit 1;
  if v_position is null then
    -- the rows that are left belonged to other rows
    delete from private.import_rows where ctid = any (array(
      select ctid from private.import_rows where import_id = v_id limit 5000));
    get diagnostics v_changed = row_count;
    if v_changed < 5000 then
      update app.imports set state = 'done', ended_at = now() where id = v_id;
    end if;
    return json_build_object('changed', v_changed, 'next', case when v_changed = 5000 then v_id end);
  end if;

  -- the importers call functions of operations, which need to know the caller
  perform set_config('request.jwt.claims', json_build_object('sub', v_user)::text, true);
  select s.importer into strict v_importer from private.import_sections s where s.position = v_position;
  v_rows := array(
    select r from private.import_rows r
    where r.import_id = v_id and r.position = v_position order by r.sort_at, r.place limit 200);
  foreach v_row in array v_rows loop
    v_problems := v_problems || private.import_row(v_import, v_row, v_importer);
  end loop;
  delete from private.import_rows
  where import_id = v_id and section = v_rows[1].section
    and place = any (array(select (r).place from unnest(v_rows) r));
  update app.imports
  set state = 'running', done = done + cardinality(v_rows),
      problems = (select coalesce(jsonb_agg(p.problem order by p.place), '[]')
                  from jsonb_array_elements(problems || v_problems) with ordinality as p (problem, place)
                  where p.place <= 200),
      problem_count = problem_count + jsonb_array_length(v_problems)
  where id = v_id;
  return json_build_object('changed', cardinality(v_rows), 'next', v_id);
end $function$;

CREATE OR REPLACE FUNCTION private.import_row(p_import app.imports, p_row private.import_rows, p_importer text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_result private.import_result;
  v_state  text;
  v_name   text;
begin
  if exists (select from private.imported
             where user_id = p_import.user_id and origin = p_import.origin and section = p_row.section
               and row_key = p_row.row_key)
     or private.is_already_here(p_import, p_row.section, p_row.row_key) then
    return '[]';
  end if;
  execute format('select * from %s($1, $2)', p_importer) into v_result using p_import, p_row;
  insert into private.imported (user_id, origin, section, row_key, here)
  values (p_import.user_id, p_import.origin, p_row.section, p_row.row_key, v_result.here);
  return (select coalesce(jsonb_agg(private.import_problem(p_row, n.code, n.field)), '[]')
          from jsonb_to_recordset(coalesce(v_result.notes, '[]')) as n (field text, code text));
exception when others then
  get stacked diagnostics v_state = returned_sqlstate, v_name = constraint_name;
  if v_state !~ '^(PT|PGRST|22|23)' then
    raise;   -- such as a deadlock: the batch is retried
  end if;
  return jsonb_build_array(private.import_problem(
    p_row, case when v_state ~ '^(PT|PGRST)' then sqlerrm else nullif(v_name, '') end));
end $function$;

CREATE OR REPLACE FUNCTION private.import_series(p_import app.imports, p_row private.import_rows)
 RETURNS private.import_result
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_posts uuid[];
  v_id    uuid;
begin
  insert into app.series (author_id, title, description, created_at)
  values (p_import.user_id, private.require_name(p_row.item ->> 'title'),
          private.require_text(p_row.item ->> 'description'),
          private.import_time(p_row.item ->> 'createdAt'))
  returning id into v_id;
  v_posts := array(select private.find_imported(p_import, 'posts', d ->> 'postId')
                   from private.import_details(p_import, 'seriesItems', p_row.row_key) d
                   order by (d ->> 'position')::integer);
  -- locked outside the order of locks, because nobody who holds one of these rows waits for a lock of this transaction
  perform from app.posts where id = any (v_posts) order by id for share;
  insert into app.series_items (series_id, post_id, position)
  select v_id, p.id, row_number() over (order by min(w.place))
  from unnest(v_posts) with ordinality as w (id, place)
  join app.posts p on p.id = w.id and p.author_id = p_import.user_id and p.deleted_at is null
  where (select count(*) from app.series_items si where si.post_id = p.id) < 5
  group by p.id;
  return (v_id, null)::private.import_result;
end $function$;

CREATE OR REPLACE FUNCTION private.interest_list(p_post uuid)
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
begin
  return (
    select '[' || string_agg(i.card_start || ',"isPrimary":' || pi.is_primary || '}', ','
                             order by pi.is_primary desc, i.name) || ']'
    from app.post_interests pi join app.interests i on i.id = pi.interest_id where pi.post_id = p_post);
end $function$;

ALTER FUNCTION "private"."interest_list"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.is_hidden_by(p_space uuid, p_case app.cases)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from app.decisions d
                 where d.target_type = (p_case).target_type and d.target_id = (p_case).target_id
                   and d.lifted_at is null and d.action = 'hide' and d.space_id = p_space)
     and not exists (select from app.decisions d
                     where d.target_type = (p_case).target_type and d.target_id = (p_case).target_id
                       and d.lifted_at is null and d.action in ('hide', 'remove') and d.decided_by is null);
end $function$;

CREATE OR REPLACE FUNCTION private.is_own_thing(p_type text, p_id uuid, p_author uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_query text;
  v_wrote boolean := p_author is not null and p_author = app.uid();
begin
  if not v_wrote then
    v_query := (select co_authors from private.report_targets where type = p_type);
    if v_query is not null then
      -- safe: the query comes from the registry
      execute format('select coalesce(app.uid() = any (array(%s)), false)', v_query) into v_wrote using p_id;
    end if;
  end if;
  return v_wrote;
end $function$;

ALTER FUNCTION "private"."is_own_thing"(text, uuid, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.job_audit_mana()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_found integer;
begin
  delete from private.ledger_findings where ledger = 'mana';
  with found as materialized (
    select row_number() over () as place, f.* from private.audit_mana() f
  ), kept as (
    insert into private.ledger_findings (ledger, place, rule, subject, expected, found)
    select 'mana', f.place, f.rule, f.subject, f.expected, f.found from found f where f.place <= 100
    on conflict do nothing   -- another worker is doing the same
  )
  select count(*) into v_found from found;
  return v_found;
end $function$;

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
  where u.banned_until <= now() and u.erased_at is null
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

CREATE OR REPLACE FUNCTION private.judge(p_type text, p_id uuid, p_judged text[], p_since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_versions private.judged[];
  v_author   uuid;
  v_rule     record;
  v_live     uuid[] := '{}';
  v_hides    boolean := false;
  v_hidden   boolean;
begin
  for v_rule in
    select r.id, r.compiled, r.mode, r.action from app.moderation_rules r
    where r.judged = any (p_judged) and p_type = any (r.applies_to)
    order by r.id
  loop
    if v_author is null then
      v_versions := private.find_versions(p_type, p_id, p_since);
      exit when v_versions is null;
      v_author := v_versions[1].author_id;
    end if;
    continue when (private.find_fitting(v_rule.compiled, v_versions)).id is null;
    insert into app.rule_hits (rule_id, target_type, target_id, author_id, mode, action)
    values (v_rule.id, p_type, p_id, v_author, v_rule.mode, v_rule.action)
    on conflict (rule_id, target_id) do nothing;
    if found and v_rule.mode = 'live' then
      v_live := v_live || v_rule.id;
      v_hides := v_hides or v_rule.action = 'hide';
    end if;
  end loop;
  if v_live <> '{}' then
    if v_hides and p_judged = '{at a report}' then
      perform private.lock_judged(p_type, p_id);   -- it is older, so others may have locked it
    end if;
    v_hidden := v_hides and private.hide_by_rule(p_type, p_id);
    if v_hidden then
      update app.rule_hits set hid = true where target_id = p_id and rule_id = any (v_live) and action = 'hide';
    end if;
    perform private.emit('moderation.rule.hit', json_build_object(
      'targetType', p_type, 'targetId', p_id, 'authorId', v_author, 'hidden', v_hidden), array[v_author]);
    perform private.enqueue('rule-cases', json_build_object(
      'targetType', p_type, 'targetId', p_id, 'authorId', v_author, 'ruleIds', to_json(v_live), 'hidden', v_hidden));
  end if;
  return coalesce(v_hidden, false);
end $function$;

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

CREATE OR REPLACE FUNCTION private.list_space_reports(p_kind text, p_id text, p_limit integer, p_cursor text)
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
  v_space uuid := (private.require_space(p_kind, p_id)).id;
  v_from  app.place := ('infinity', v_space)::app.place;   -- any id works, because no case has this time
  v_found app.found;
begin
  perform private.require_space_role(v_space, 'owner', 'moderator');
  if p_cursor is not null then
    v_from := private.require_place('space reports ' || v_space, p_cursor);
    v_from.at := coalesce(v_from.at, (select c.opened_at from app.cases c
                                      where c.id = v_from.id and c.space_id = v_space
                                        and not private.is_own_thing(c.target_type, c.target_id, c.person_id)));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_space_cases(v_space, v_from);
  return private.page(private.space_report_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $function$;

CREATE OR REPLACE FUNCTION private.lock_held(p_type text, p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_type private.judged_types := (select t from private.judged_types t where t.type = p_type);
begin
  if v_type.type is not null and private.only_rules_hid(p_type, p_id) then
    perform private.lock_judged(p_type, p_id);
    -- safe: the name comes from the registry
    execute format('select from %s where id = $1 for no key update', v_type.relation) using p_id;
  end if;
end $function$;

ALTER FUNCTION "private"."lock_held"(text, uuid) OWNER TO "postgres";

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

CREATE OR REPLACE FUNCTION private.make_admin(p_email text, p_password_hash text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id     uuid;
  v_person app.users;
begin
  perform private.lock_roles();
  v_id := private.find_account(p_email);
  if v_id is null then
    v_id := private.create_person(p_email, p_password_hash, 'Admin', 'Admin', null, null, null, 'admin');
    update app.accounts set email_verified_at = now() where user_id = v_id;   -- the operator named it
    perform private.audit('user.role_changed', 'user', v_id::text, json_build_object('from', null, 'to', 'admin'));
    return json_build_object('result', 'created');
  end if;
  v_person := private.lock_account(v_id);
  if v_person.role = 'admin' then
    return json_build_object('result', 'unchanged');
  elsif v_person.banned_at is not null then
    return json_build_object('result', 'banned');
  elsif exists (select from app.accounts where user_id = v_id and email_verified_at is null) then
    return json_build_object('result', 'unverified');   -- the person who registered it may be somebody else
  end if;
  perform private.change_account(v_id, 'admin', null);
  perform private.audit('user.role_changed', 'user', v_id::text,
                        json_build_object('from', v_person.role, 'to', 'admin'));
  return json_build_object('result', 'appointed');
end $function$;

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

CREATE OR REPLACE FUNCTION private.note_changed_content()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- only its author knows a draft
  perform private.note_changed('content', new.id, case when old.is_draft then 3
                                                       else least(old.required_level, new.required_level) end);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.note_changed_post()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- Only its author knows a post until it is published. Publishing also clears publish_at.
  perform private.note_changed('post', new.id, case
    when old.published_at is null or old.publish_at is distinct from new.publish_at then 3
    else least(old.required_level, new.required_level) end);
  return null;
end $function$;

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

CREATE OR REPLACE FUNCTION private.notify_decided(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- without an actor, so that nobody learns which member of staff did it
  perform private.notify(array(
    select (e.user_id, 'moderation.actioned', null, 'decision', e.payload ->> 'decisionId',
            jsonb_build_object('targetType', 'decision', 'targetId', e.payload ->> 'decisionId',
                               'action', e.payload ->> 'action', 'appealPath', private.appeal_path(d, false)),
            null, null, e.caused_at)::private.notice
    from unnest(p_effects) e join app.decisions d on d.id = (e.payload ->> 'decisionId')::uuid));
end $function$;

CREATE OR REPLACE FUNCTION private.notify_moderated(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- without an actor, so that nobody learns which member of staff did it
  perform private.notify(array(
    select (e.user_id, 'moderation.actioned', null, e.payload ->> 'targetType', e.payload ->> 'targetId',
            e.payload - 'authorId', null, null, e.caused_at)::private.notice
    from unnest(p_effects) e));
end $function$;

CREATE OR REPLACE FUNCTION private.others_hid(p_type text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return private.only_rules_hid(p_type, p_id)
      or nullif(current_setting('kith.case', true), '')::json ->> 'spaceId' is null
         and exists (select from app.decisions d
                     where d.target_type = p_type and d.target_id = p_id and d.lifted_at is null
                       and d.action = 'hide' and d.space_id is not null);
end $function$;

CREATE OR REPLACE FUNCTION private.overturn(p_decision app.decisions)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_handler private.case_handlers;
  v_undo    text;
begin
  update app.decisions set overturned_at = now() where id = (p_decision).id;
  select u.* into v_handler
  from private.case_handlers h
  join private.case_handlers u on u.target_type = h.target_type and u.action = h.undo
  where h.target_type = (p_decision).target_type and h.action = (p_decision).action;
  if not found or (p_decision).lifted_at is not null or exists (
       -- another decision has the same effect, which therefore stays
       select from app.decisions d
       join private.case_handlers h on h.target_type = d.target_type and h.action = d.action
       where d.target_type = (p_decision).target_type and d.target_id = (p_decision).target_id
         and d.id <> (p_decision).id and d.lifted_at is null and d.overturned_at is null
         and h.undo = v_handler.action) then
    return false;
  end if;
  perform set_config('kith.case', json_build_object('caseId', (p_decision).case_id)::text, true);
  -- safe: the statement comes from the registry
  execute v_handler.statement using (p_decision).target_id, null::text, null::timestamptz;
  perform set_config('kith.case', '', true);
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.own_session()
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return (select s.id from app.sessions s
          where s.user_id = app.uid() and s.ended_at is null and s.live_tokens @> private.own_token());
end $function$;

ALTER FUNCTION "private"."own_session"() OWNER TO "postgres";

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

CREATE OR REPLACE FUNCTION private.person_rest(p_person_id uuid, p_username text, p_first_name text, p_last_name text, p_profile_pic_url text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return ',"personId":"' || p_person_id || '","username":"' || p_username
         || '","firstName":' || to_json(p_first_name)::text || ',"lastName":' || to_json(p_last_name)::text
         || ',"profilePicUrl":' || coalesce(to_json(p_profile_pic_url)::text, 'null') || '}';
end $function$;

ALTER FUNCTION "private"."person_rest"(uuid, text, text, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.persona_text(p_id uuid, p_name text, p_accent text, p_profile_pic_url text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return (
    select row_to_json(s)::text
    from (select p_id as id, p_name as name, p_accent as accent, p_profile_pic_url as "profilePicUrl") s);
end $function$;

ALTER FUNCTION "private"."persona_text"(uuid, text, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.poll_text(p_post uuid)
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
begin
  return (select l.card::text from app.poll_card l where l.post_id = p_post);
end $function$;

ALTER FUNCTION "private"."poll_text"(uuid) OWNER TO "postgres";

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
    -- ordered before, because string_agg would sort the texts
    from (select c.text
                 || coalesce(',"quotedPostId":"' || c.quoted_id || '","quotedPost":'
                             || (v_quoted[array_position(v_ids, c.quoted_id)]).text || '}',
                             ',"quotedPostId":null,"quotedPost":null')
                 || coalesce(p_more[c.place], '') || '}' as text
          from unnest(v_cards) with ordinality as c (text, quoted_id, place)
          where c.text is not null
          order by c.place) o);
end $function$;

CREATE OR REPLACE FUNCTION private.post_reasons(p_post app.posts, p_person uuid, p_access private.access)
 RETURNS private.access_reason[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_wanted smallint := private.visibility_level((p_post).visibility);
  v_rule   record;
  v_effect text;
begin
  select * into v_rule
  from private.visibility((p_post).author_id, v_wanted, (p_post).space_id, p_viewer => p_person);
  v_effect := case when v_rule.level = 3 then 'leaves_out' else 'denies' end;   -- what only the author sees
  return array_remove(
    array[case when (p_post).deleted_at is not null then private.reason('deleted', 'denies') end]
    || private.author_reasons((p_post).author_id, p_person, v_rule.level, (p_post).author_banned)
    || array[
      case when (p_post).hidden_at is not null then
        private.reason(private.hider('post', (p_post).id, 'hidden'), v_effect) end,
      case when (p_post).published_at is null then
        private.reason('scheduled', v_effect) end,
      case when v_rule.level between 0 and 2 and (v_wanted > 0 or (p_post).space_id is null) then
        private.reason(case v_wanted when 0 then 'public' when 1 then 'circle' else 'inner_circle' end,
                       case when v_rule.level >= v_wanted then 'allows' else 'denies' end) end,
      case when (p_post).space_id is not null then
        private.reason_of_sight(v_rule.is_inside, 'space_member', 'space_private',
                                (select s.kind from app.spaces s where s.id = (p_post).space_id),
                                (p_post).space_id) end,
      case when (p_post).format = 'repost'
                and private.post_visible_to((p_post).quoted_post_id, p_person) is not true then
        private.reason('original_unseen', 'denies', 'post', (p_post).quoted_post_id) end,
      case when p_access.can_see and not p_access.is_listed then private.reason('limited_author', 'leaves_out') end,
      case when p_access.is_muted then private.reason('muted', 'leaves_out') end], null);
end $function$;

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
  -- safe: the names come from the registry
  execute format('select author_id from %s where id = $1 and %I is not null and deleted_at is null for no key update',
                 v_type.relation, v_type.hidden_at) into v_author using p_id;
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
    perform private.restart_lock_order();   -- what hiding the thing locks is locked already
    perform private.release_held(v_case.target_type, v_case.target_id);
  end if;
end $function$;

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

CREATE OR REPLACE FUNCTION private.report_cards(p_ids uuid[])
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
  return (select coalesce(json_agg(r.card order by p.place), '[]')
          from unnest(p_ids) with ordinality as p (id, place)
          join private.staff_reports r on r.id = p.id
          join app.reports o on o.id = p.id
          where not private.is_own_thing(o.target_type, o.target_id, o.author_id));
end $function$;

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

CREATE OR REPLACE FUNCTION private.require_engagement_card(p_post uuid)
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
  perform from private.visible_posts where id = p_post;
  if not found then
    perform private.raise_error('post_unknown');   -- the post was hidden from the caller in the meantime
  end if;
  return (select ('{' || e.fields || '}')::json from private.engagement_fields e where e.post_id = p_post);
end $function$;

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

CREATE OR REPLACE FUNCTION private.require_space_case(p_space uuid, p_case uuid, p_action text)
 RETURNS app.cases
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_case app.cases;
begin
  perform private.require_space_role(p_space, 'owner', 'moderator');
  select * into v_case from app.cases c
  where c.id = p_case and c.space_id = p_space
    and not private.is_own_thing(c.target_type, c.target_id, c.person_id);
  if not found then
    perform private.raise_error('case_unknown');
  elsif p_action is distinct from 'unhide' and v_case.status = 'closed' then
    perform private.raise_error('case_closed');
  elsif p_action = 'dismiss' and v_case.staff_from <= now() then
    perform private.raise_error('case_with_staff');
  elsif private.is_claimed_by_another(v_case) then
    perform private.raise_error('case_claimed');
  elsif p_action = 'unhide' and (private.find_reported_place(v_case.target_type, v_case.target_id)).hidden
        and not private.is_hidden_by(p_space, v_case) then
    perform private.raise_error('hidden_by_staff');
  end if;
  return v_case;
end $function$;

CREATE OR REPLACE FUNCTION private.safe_message(p_message text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  -- a UUID is not treated as a token, because ids help to find the cause
  return left(
    regexp_replace(
      regexp_replace(left(p_message, 2000), '[^[:space:]<>"''(),;:]+@[^[:space:]<>"''(),;:]+', '…', 'g'),
      '\m(?![0-9a-f]{8}-[0-9a-f]{4}-)(?=[A-Za-z+/_=.-]*[0-9])[A-Za-z0-9+/_=.-]{32,}', '…', 'g'), 200);
end $function$;

CREATE OR REPLACE FUNCTION private.series_list(p_post uuid)
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
begin
  return (
    select json_agg(json_build_object('id', s.id, 'title', s.title) order by s.created_at, s.id)::text
    from app.series_items si join app.series s on s.id = si.series_id
    where si.post_id = p_post);
end $function$;

ALTER FUNCTION "private"."series_list"(uuid) OWNER TO "postgres";

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

CREATE OR REPLACE FUNCTION private.set_post_hidden(p_id uuid, p_hidden boolean, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('moderator', 'admin');
  if not p_hidden and exists (select from app.posts where id = p_id
                              and private.is_own_thing('post', id, author_id)) then
    perform private.require_role('admin');
  end if;
  return private.write_post_hidden(p_id, p_hidden, p_reason);
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
  select * into v_appeal from app.decision_appeals where id = p_id and person_id <> app.uid();
  if not found then
    perform private.raise_error('appeal_unknown');
  end if;
  select * into v_decision from app.decisions where id = v_appeal.decision_id;
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

CREATE OR REPLACE FUNCTION private.settle_report(p_id uuid, p_status text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_case     uuid;
  v_reporter uuid;
begin
  perform private.require_role('moderator', 'admin');
  if not exists (select from app.reports r
                 where r.id = p_id and not private.is_own_thing(r.target_type, r.target_id, r.author_id)) then
    perform private.raise_error('report_unknown');
  end if;
  v_case := (select case_id from app.case_reports where report_id = p_id);
  perform private.lock_case_work(v_case);
  if exists (select from app.cases c where c.id = v_case and private.is_claimed_by_another(c)) then
    perform private.raise_error('case_claimed');
  end if;
  update app.reports set status = p_status, reviewed_by = app.uid(), reviewed_at = now()
  where id = p_id and status = 'open'
  returning reporter_id into v_reporter;
  if not found then
    -- of two concurrent moderators, the second waits for the first and then fails here
    perform private.raise_error('report_settled');
  end if;
  perform private.emit_moderation('report', p_id, p_status, v_reporter);
  if p_status = 'dismissed' then
    perform private.restart_lock_order();
    perform private.release_settled(v_case);
    perform private.restart_lock_order();
  end if;
  perform private.end_case_without_reports(v_case, case p_status when 'dismissed' then 'dismissed' else 'acted' end);
  perform private.audit('report.' || p_status, 'report', p_id::text);
  return private.staff_card('reports', p_id);
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
        order by id = v_id desc, greatest(last_used_at, last_seen_at) desc, id
        offset case v_kind when 'fixed' then 1000 else 100 end) s;
  if private.note_device(v_person, p_device, v_network) then
    perform private.alert_of_session(v_id, v_person, p_alert_hash);
  end if;
end $function$;

ALTER FUNCTION "private"."start_session"(uuid, json, bytea, text, text, text, bytea) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.take_webhook_deliveries(p_webhook private.webhooks, p_most integer)
 RETURNS json
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
  c_lease constant interval := '1 minute';
  v_taken json;
begin
  -- deletes the row of a subject without pending deliveries; because of the lock of the webhook no new ones can appear
  -- meanwhile
  with due as materialized (
    select t.subject_key,
           (select d.id from private.webhook_deliveries d
            where d.webhook_id = p_webhook.id and d.subject_key = t.subject_key and d.status = 'pending'
              and (d.sequence is null or exists (select from private.event_log l where l.sequence = d.sequence))
            order by d.id limit 1) as delivery_id
    from private.webhook_turns t
    where t.webhook_id = p_webhook.id and t.due_at <= now()
    order by t.due_at limit p_most
  ), idle as (
    delete from private.webhook_turns t using due
    where t.webhook_id = p_webhook.id and t.subject_key = due.subject_key and due.delivery_id is null
  ), claimed as (
    update private.webhook_turns t set claim = gen_random_uuid(), due_at = now() + c_lease
    from due where t.webhook_id = p_webhook.id and t.subject_key = due.subject_key and due.delivery_id is not null
    returning t.claim, due.delivery_id
  ), attempted as (
    update private.webhook_deliveries d set attempts = d.attempts + 1, attempted_at = now()
    from claimed c where d.id = c.delivery_id
    returning d.*, c.claim
  )
  select json_agg(json_build_object(
           'webhookId', p_webhook.id,
           'deliveryId', a.id,
           'claim', a.claim,
           'url', p_webhook.url,
           'secrets', array[private.webhook_secret(p_webhook.secret)]
             || case when p_webhook.previous_until > now()
                     then array[private.webhook_secret(p_webhook.previous_secret)] else '{}'::text[] end,
           'id', a.event_id,
           'body', private.webhook_body(d)))
    into v_taken
  from attempted a join private.webhook_deliveries d on d.id = a.id;
  return coalesce(v_taken, '[]');
end $function$;

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

CREATE OR REPLACE FUNCTION private.was_removed(p_type text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from app.decisions d
                 where d.target_type = p_type and d.target_id = p_id and d.lifted_at is null
                   and d.action in ('hide', 'remove')
                   -- staff has decided about what only a rule hid if it has closed the case as acted
                   and (d.decided_by is not null
                        or exists (select from app.cases c where c.id = d.case_id and c.outcome = 'acted')))
    -- before there were decisions
    or coalesce((private.find_reported_place(p_type, p_id)).hidden, false)
    -- the condition above decides about what only a rule hid
    and not exists (select from app.rule_hits h
                    where h.target_id = p_id and h.mode = 'live' and h.action = 'hide');
end $function$;

CREATE OR REPLACE PROCEDURE private.force_index_scans(IN p_function regproc)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $procedure$
begin
  -- if a person has more rows than the planner expects, it would otherwise read and sort all of them
  execute format('alter function %s set enable_seqscan = off', p_function);
  execute format('alter function %s set enable_bitmapscan = off', p_function);
  execute format('alter function %s set enable_hashjoin = off', p_function);
  execute format('alter function %s set enable_mergejoin = off', p_function);
  execute format('alter function %s set enable_sort = off', p_function);
  execute format('alter function %s set enable_incremental_sort = off', p_function);
  -- otherwise the planner would, for the order of an aggregate, read a whole table that happens to be in that order
  execute format('alter function %s set enable_presorted_aggregate = off', p_function);
  -- with these settings only one plan is possible, and planning each call would take as long as running it
  execute format('alter function %s set plan_cache_mode = force_generic_plan', p_function);
end $procedure$;

ALTER TABLE "private"."devices" ADD CONSTRAINT "devices_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."people_with_factor" ADD CONSTRAINT "people_with_factor_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."proofs" ADD CONSTRAINT "proofs_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."recovery_codes" ADD CONSTRAINT "recovery_codes_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."totp" ADD CONSTRAINT "totp_user_id_fkey" FOREIGN KEY (user_id) REFERENCES app.users(id) ON DELETE CASCADE;

CREATE VIEW "private"."engagement_fields" WITH (security_invoker=true) AS  SELECT post_id,
    (((((((((((((((((('"counters":{"reactions":'::text || reactions) || ',"replies":'::text) || replies) || ',"shares":'::text) || shares) || ',"bookmarks":'::text) || bookmarks) || ',"views":'::text) || views) || '},"viewer":{"reactions":['::text) || array_to_string(ARRAY( SELECT (('"'::text || r.kind) || '"'::text)
           FROM app.reactions r
          WHERE ((r.post_id = c.post_id) AND (r.user_id = ( SELECT app.uid() AS uid)))
          ORDER BY r.kind), ','::text)) || '],"bookmarked":'::text) || ((bookmarks > 0) AND (( SELECT true
           FROM app.bookmarks b
          WHERE ((b.post_id = c.post_id) AND (b.user_id = ( SELECT app.uid() AS uid)))) IS TRUE))) || ',"reposted":'::text) || (( SELECT true
           FROM app.posts r
          WHERE ((r.author_id = ( SELECT app.uid() AS uid)) AND (r.quoted_post_id = c.post_id) AND (r.format = 'repost'::text) AND (r.deleted_at IS NULL))) IS TRUE)) || ',"voted":'::text) || (( SELECT true
           FROM (app.polls l
             JOIN app.poll_votes v ON ((v.poll_id = l.id)))
          WHERE ((l.post_id = c.post_id) AND (v.user_id = ( SELECT app.uid() AS uid)))) IS TRUE)) || '}'::text) AS fields,
    boost,
    boost_expires_at
   FROM app.post_counters c;

ALTER VIEW "private"."engagement_fields" OWNER TO "postgres";

CREATE VIEW "private"."staff_sessions" WITH (security_invoker=true) AS  SELECT created_at AS at,
    id,
    user_id,
    json_build_object('id', id, 'userAgent', user_agent, 'createdAt', private.utc(created_at), 'lastUsedAt', private.utc(last_used_at), 'expiresAt', private.utc(expires_at), 'kind', kind, 'device', device, 'network', network, 'lastSeenAt', private.utc(GREATEST(last_seen_at, last_used_at)), 'isCurrent', false) AS card
   FROM app.sessions s
  WHERE ((ended_at IS NULL) AND (expires_at > now()));

ALTER VIEW "private"."staff_sessions" OWNER TO "postgres";

CREATE INDEX post_interests_further_idx ON app.post_interests USING btree (post_id) WHERE (NOT is_primary);

CREATE INDEX devices_seen_at_idx ON private.devices USING btree (seen_at);

CREATE INDEX devices_user_id_idx ON private.devices USING btree (user_id, seen_at);

CREATE INDEX proofs_proved_at_idx ON private.proofs USING btree (proved_at);

COMMENT ON COLUMN "app"."audit_details"."detail_salt" IS 'The salt of audit_log.detail_hash. It is emptied together with the detail, because with the salt a text could be guessed from its hash.';

COMMENT ON COLUMN "app"."audit_details"."subject_id" IS 'The person whom the decision concerns: the author of what staff hid or deleted, or the person who was banned.';

COMMENT ON COLUMN "app"."audit_log"."actor_salt" IS 'The salt of the hash of actor_id. It is kept, because the actor is kept. It is secret, because with it the actor could be found by trial.';

COMMENT ON COLUMN "app"."audit_log"."detail_hash" IS 'private.salted_hash of the detail as text, empty if there is none. Null in an entry that 1.0.0 wrote, because its hash covers neither detail nor address; ip_hash and actor_salt are then null, too.';

COMMENT ON COLUMN "app"."audit_log"."ip_hash" IS 'The same for the address.';

COMMENT ON COLUMN "app"."case_events"."actor_id" IS 'The member of staff who did it; null for reports and rules.';

COMMENT ON COLUMN "app"."case_events"."detail" IS 'Ids, codes and numbers, and nothing that people wrote.';

COMMENT ON COLUMN "app"."cases"."claimed_by" IS 'Who works on it, until claimed_until. After that time the case counts as unclaimed, and this is only the last person who claimed it.';

COMMENT ON COLUMN "app"."cases"."claimed_until" IS 'When the claim ends: 30 minutes after the last work on the case. Null if unclaimed.';

COMMENT ON COLUMN "app"."cases"."rule" IS 'Which rule of the instance was broken, in the words of staff.';

COMMENT ON COLUMN "app"."cases"."staff_from" IS 'When an open case comes into the queue of staff. Before that it is in the queue of the space. Staff can list those cases with waiting=true, and may decide them.';

COMMENT ON COLUMN "app"."daily_figures"."active" IS 'People who were active, by the last count of that day; null for days before these figures existed. It can''t be counted later, because only the time of each person''s last activity is stored.';

COMMENT ON COLUMN "app"."daily_figures"."counted_at" IS 'When the figures were counted. They are final if that was after the end of the day.';

COMMENT ON COLUMN "app"."daily_figures"."posts" IS 'Posts that were written, including scheduled posts and reposts.';

COMMENT ON COLUMN "app"."decisions"."action" IS '`suspend` is a ban that ends by itself at ends_at.';

COMMENT ON COLUMN "app"."decisions"."lifted_at" IS 'When its effect ended: staff ended it, its time was over, or staff hid what a rule or a space had hidden. Its strikes remain.';

COMMENT ON COLUMN "app"."decisions"."overturned_at" IS 'When an appeal overturned it; null if none did. An overturned decision counts no strikes.';

COMMENT ON COLUMN "app"."decisions"."space_id" IS 'The group or guild whose owner or a moderator made the decision, which then counts no strikes; null if staff made it.';

COMMENT ON COLUMN "app"."decisions"."target_type" IS 'What the decision is about: the type of a thing of the person, or `user`.';

COMMENT ON COLUMN "app"."event_rsvps"."status" IS 'going: the person has a seat. waitlisted: they are waiting for one. interested: they don''t want one.';

COMMENT ON COLUMN "app"."imports"."done" IS 'How many of the `total` rows have been imported or left out so far.';

COMMENT ON COLUMN "app"."imports"."ended_at" IS 'When it was done or stopped; null before that.';

COMMENT ON COLUMN "app"."imports"."origin" IS 'The domain of the instance that wrote the dossier, from its actorId.';

COMMENT ON COLUMN "app"."moderation_rules"."at_report" IS 'Whether one of the conditions needs a report: private.rule_conditions.moment.';

COMMENT ON COLUMN "app"."moderation_rules"."conditions" IS 'The conditions as staff wrote them: [{kind, …}]. They never change, so that all hits of a rule have the same conditions.';

COMMENT ON COLUMN "app"."moderation_rules"."judged" IS 'When the rule judges things. at once: in the transaction that publishes them, before anybody else sees them. soon: in the worker. at a report: in the transaction of each report. Null for never.';

COMMENT ON COLUMN "app"."moderation_rules"."mode" IS 'shadow: the rule only records what it would do. live: it does it. off: it is not applied.';

COMMENT ON COLUMN "app"."posts"."hidden_at" IS 'When staff, a space or a rule hid it from everyone but its author; null if it is not hidden.';

COMMENT ON COLUMN "app"."replies"."hidden_at" IS 'When staff, a space or a rule hid it from everyone but its author; null if it is not hidden.';

COMMENT ON COLUMN "app"."reports"."author_id" IS 'The person who answered for the target when it was reported. A trigger writes it.';

COMMENT ON COLUMN "app"."rule_hits"."held" IS 'Whether the thing was hidden before anybody else saw it, and staff has not shown it since. When staff shows it, the people whom it mentions or answers are notified.';

COMMENT ON COLUMN "app"."rule_hits"."mode" IS 'The mode of the rule at that time: in shadow it only recorded the hit.';

COMMENT ON COLUMN "app"."sessions"."alert_hash" IS 'The SHA-256 of the token by which a mailed link ends the session; null if no mail reported the session.';

COMMENT ON COLUMN "app"."sessions"."device" IS 'What the client called the device, otherwise what its User-Agent says, such as Firefox on Windows. Without dots, slashes and colons, because a mail shows it, and must not show a link of a stranger.';

COMMENT ON COLUMN "app"."sessions"."expires_at" IS '60 days after the last refresh; in a fixed session when its token expires.';

COMMENT ON COLUMN "app"."sessions"."last_seen_at" IS 'When a token of the session was last used, accurate to five minutes: see api.note_presence.';

COMMENT ON COLUMN "app"."sessions"."network" IS 'From where the session began: the /24 of an IPv4 address, or the /48 of an IPv6 address.';

COMMENT ON COLUMN "private"."audit_checkpoints"."signature" IS 'The signature of private.checkpoint_text, in base64url.';

COMMENT ON COLUMN "private"."case_handlers"."by_space" IS 'The statement with which the owner and moderators of a group or guild do it to a thing there; null if only staff can.';

COMMENT ON COLUMN "private"."case_handlers"."undo" IS 'The action that undoes it; null if none does.';

COMMENT ON COLUMN "private"."case_transitions"."needs" IS 'What the action requires. claim: nobody else has a claim. reason: a reason. until: a time in the future, which no other action takes. person: somebody who answers for the thing.';

COMMENT ON COLUMN "private"."change_sources"."finder" IS 'finder(uuid[], smallint[]) returns setof app.change: it takes changed things of this source, each with the level of its change, and returns those of which the caller may learn.';

COMMENT ON COLUMN "private"."decision_kinds"."lifts" IS 'Whether it ends earlier decisions with this action, instead of being one.';

COMMENT ON COLUMN "private"."devices"."credentials_version" IS 'The version of the person''s credentials at that login. With another version the device counts as new.';

COMMENT ON COLUMN "private"."devices"."seen_at" IS 'The last login.';

COMMENT ON COLUMN "private"."event_log"."subject_key" IS 'The same as `subject`, with the internal id, which never changes.';

COMMENT ON COLUMN "private"."import_rows"."sort_at" IS 'The time that gives the order in which the rows of the section are imported.';

COMMENT ON COLUMN "private"."import_sections"."importer" IS 'A function (app.imports, private.import_rows) returns private.import_result. It imports one row for the person; while it runs, that person is the caller. It raises a code if the row cannot be imported, and may report what it left out of the row. The value is null if the rows of this section belong to rows of another section: the importer of that section then reads them (private.import_details).';

COMMENT ON COLUMN "private"."import_sections"."sort_field" IS 'The field with a time that gives the order in which the rows are imported; null for the order of the file.';

COMMENT ON COLUMN "private"."jobs"."expires" IS 'After this number of seconds a run counts as lost, and the next one may begin. If its worker was killed, this takes only 10 seconds.';

COMMENT ON COLUMN "private"."judged_types"."counters" IS 'The query for the posts whose counters change when the thing ($1) is hidden; null if there are none.';

COMMENT ON COLUMN "private"."judged_types"."hidden_at" IS 'The column of the table with the time since which only the author sees the thing.';

COMMENT ON COLUMN "private"."judged_types"."verb" IS 'The verb of the audit entry that a rule leaves when it hides such a thing: <type>.<verb>.';

COMMENT ON COLUMN "private"."ledger_findings"."ledger" IS 'Which ledger it is: mana or treasuries.';

COMMENT ON COLUMN "private"."order_transitions"."settles" IS 'Who gets the held mana: the buyer, the seller, or both if an admin divides it. Null if the mana remains held.';

COMMENT ON COLUMN "private"."proofs"."expires_at" IS 'exp of the token, in unix seconds.';

COMMENT ON COLUMN "private"."proofs"."issued_at" IS 'iat of the token, in unix seconds.';

COMMENT ON COLUMN "private"."proofs"."proved_at" IS 'When the session last proved who uses it.';

COMMENT ON COLUMN "private"."proofs"."session_id" IS 'The session that issued the token; all tokens of a session share the proof. Null if there is none.';

COMMENT ON COLUMN "private"."recovery_codes"."number" IS 'From 1 to 10.';

COMMENT ON COLUMN "private"."recovery_codes"."used_at" IS 'When the code was used up; null until then.';

COMMENT ON COLUMN "private"."report_targets"."co_authors" IS 'The query for the people who wrote a target ($1) with its author; null if nobody can. It has an index.';

COMMENT ON COLUMN "private"."rule_conditions"."judge" IS 'Function (private.judged, jsonb) returns boolean: whether the version fits these parameters. It judges by the state at the time of the version, so that it returns the same 30 days later. `npm run gen` writes the function that calls it (sql/generated/30_conditions.sql).';

COMMENT ON COLUMN "private"."rule_conditions"."moment" IS 'When a rule with such a condition can first hit a thing: when the thing is created, or when it is reported.';

COMMENT ON COLUMN "private"."rule_conditions"."shape" IS 'The parameters by name: for a whole number its least and its greatest value, such as [1, 60]; for words "keywords". A parameter is optional if its name here ends with a question mark.';

COMMENT ON COLUMN "private"."search_documents"."ranked" IS 'For ranking: its words with at most 16 positions each; null if no word has more than 16 positions. See private.ranked_words.';

COMMENT ON COLUMN "private"."totp"."confirmed_at" IS 'When the person proved that the app has the secret; null until then.';

COMMENT ON COLUMN "private"."totp"."last_step" IS 'The time step of the last code that was used: unix seconds / 30. Only codes of later steps are accepted.';

COMMENT ON COLUMN "private"."totp"."last_used_at" IS 'When a code of the app was last used; null if none was used yet.';

COMMENT ON COLUMN "private"."webhook_turns"."due_at" IS 'When the next attempt may begin. While an attempt runs, this is the end of its lease; after that another worker takes over.';

COMMENT ON COLUMN "private"."webhooks"."previous_secret" IS 'The previous secret, which still signs for a day after the change.';

COMMENT ON COLUMN "private"."webhooks"."previous_until" IS 'When the previous secret stops signing.';

COMMENT ON COLUMN "private"."webhooks"."queued_to" IS 'The number of the last event of the log for which deliveries were queued, if the webhook wants it. It does not change while the webhook is inactive. So after that the webhook gets the events of that time, as far as they are still in the log.';

COMMENT ON FUNCTION "api"."act_on_case"(uuid, text[], text, text, text, timestamp with time zone) IS 'Takes one or several actions in a case, all or none: dismiss, warn, hide, unhide, remove, restore, limit, unlimit, suspend, ban, unban. Dismissing the case shows the thing again if only a rule has hidden it. Returns the case. The person concerned is notified and reads the reason at /me/standing. Leaves an audit entry for each.';

COMMENT ON FUNCTION "api"."act_on_space_report"(text, text, uuid, text, text) IS 'For the owner and moderators of a group or guild: hides what was reported there (hide), shows it again (unhide), or closes its case without hiding it (dismiss). Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."add_import_rows"(uuid, text, integer, jsonb) IS 'For the facade alone: adds rows of a section to an import of the caller that is not finished. If a row is invalid, it adds none: {problems: ["path: what"]}. p_from is the place of the first row in its section.';

COMMENT ON FUNCTION "api"."change_password"(text, text, integer, uuid, bytea, text, text, text) IS 'For the facade alone, after it has checked the old password: sets the new one and returns {claims, user, credentialsVersion} for new tokens. It ends every token, session and device token of the caller, and the links that were mailed for a password or a change of address. p_family is the id of the new session; with p_refresh_hash it is a rotating one.';

COMMENT ON FUNCTION "api"."claim_case"(uuid) IS 'Claims an open case for 30 minutes; whenever the caller works on it, the 30 minutes begin again. Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."confirm_totp"(text, integer, uuid, bytea, text, text, text) IS 'For the facade alone: from now on the caller''s authenticator app counts. Ends all tokens and sessions, and returns {claims, user, credentialsVersion, recoveryCodes} for new tokens. p_family is the id of the new session; with p_refresh_hash it is a rotating one.';

COMMENT ON FUNCTION "api"."create_case"(text, text, text, text) IS 'Opens a case about a thing that nobody reported, or adds a note to its open case. Nobody opens one about themselves or what they wrote. Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."delete_rule"(uuid) IS 'Deletes a rule. What it hid stays hidden. A job deletes its hits when they are old. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."end_alerted_session"(uuid, bytea) IS 'For the facade alone: ends the session that a mail with this token reported, {ok}. Every device of the person, even one with a device token, then counts as new. The password stays the same.';

COMMENT ON FUNCTION "api"."end_other_sessions"() IS 'Ends all sessions of the caller except the one of this request, {ended}: how many. Its tokens remain valid.';

COMMENT ON FUNCTION "api"."end_session"(uuid) IS 'Ends a session of the caller: its refresh token and its access tokens are revoked at once. Repeating it changes nothing.';

COMMENT ON FUNCTION "api"."end_user_sessions"(text, text) IS 'Ends all tokens and sessions of a person, who can log in again: {ended} is the number of sessions. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."explain_access"(text, text, text) IS 'Whether a person sees a post, a reply, a content or a conversation, or what is in a group or guild, and why: {personId, person, targetType, targetId, authorId, author, canSee, shown, reasons: [{code, effect, text, about}]}.';

COMMENT ON FUNCTION "api"."finish_import"(uuid, text, text, text) IS 'For the facade alone: records that the dossier is complete and valid, so that the worker imports it. Returns the import.';

COMMENT ON FUNCTION "api"."get_case"(uuid) IS 'A case with the thing, its reports, earlier cases, proposals, history, and the decisions about the person. A case about the caller is unknown.';

COMMENT ON FUNCTION "api"."get_public_post"(uuid) IS 'A post for its public page, {id, title, body, media, publishedAt, editedAt, author, persona, quotedPostId}; null if there is no such post that everybody may see: private.listed_posts without a caller. A repost has no page. quotedPostId is null if not everybody may see the quoted post.';

COMMENT ON FUNCTION "api"."get_public_profile"(text) IS 'A person for their public page, {person, about, posts}; null if there is no such person whom everybody may see: private.listed_people without a caller. The posts are those of the newest 40 that have a page.';

COMMENT ON FUNCTION "api"."get_report"(uuid) IS 'A report with the reported thing, its author, the other reports of the thing and the author''s history. Reports about the caller are unknown.';

COMMENT ON FUNCTION "api"."get_statement"(uuid) IS 'The statement of reasons for a decision about the caller, without who decided: {id, action, targetType, targetId, category, categoryText, rule, reason, automated, endsAt, liftedAt, overturnedAt, createdAt, appealPath, proof}.';

COMMENT ON FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) IS 'Cases, the most urgent first, and the oldest first among those of the same priority. Filters: state, category, priority, claimed by the caller or by nobody, type of the target, person, rule or username, a period, an id. With p_waiting only those that still belong to a group or guild, otherwise only the others. Nobody sees cases about themselves.';

COMMENT ON FUNCTION "api"."list_changes"(text) IS 'Which of the things that the caller may hold have changed since a cursor of this list: {items [{type, id, gone}], nextCursor, hasMore}. Without a cursor it has no items, only the cursor to begin with.';

COMMENT ON FUNCTION "api"."list_decision_appeals"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'Appeals against decisions of staff, newest first, without those of the caller.';

COMMENT ON FUNCTION "api"."list_factors"() IS 'The caller''s second factors: {totp: {createdAt, lastUsedAt} or null, recoveryCodesLeft, isRequired (by the caller''s role), provedUntil (null if this session has no fresh proof)}.';

COMMENT ON FUNCTION "api"."list_invitees"(text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'The people whom a person invited; the newest members come first.';

COMMENT ON FUNCTION "api"."list_logged_events"(bigint, integer) IS 'The events of the last 30 days with a higher number than p_after, oldest first: {items, next, oldest}. `next` is p_after for the next call, even if there are no further events now.';

COMMENT ON FUNCTION "api"."list_media"(text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'Uploads, newest first, without those that were sent in messages and without their posters.';

COMMENT ON FUNCTION "api"."list_reports"(text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text, boolean) IS 'Reports, newest first. An id in p_q is the id of a report or of its target. With p_waiting only the open ones whose case still belongs to a group or guild, otherwise only the others. Nobody sees reports about themselves.';

COMMENT ON FUNCTION "api"."list_rule_hits"(uuid, text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'The hits of a rule, newest first, without those of what the caller wrote.';

COMMENT ON FUNCTION "api"."list_sessions"(integer, text) IS 'The caller''s sessions that are not over, newest first: {id, userAgent, createdAt, lastUsedAt, expiresAt, kind, device, network, lastSeenAt, isCurrent}.';

COMMENT ON FUNCTION "api"."list_space_reports"(text, text, integer, text) IS 'The open cases about things in a group or guild, newest first, for its owner and moderators. Nobody sees cases about what they wrote themselves.';

COMMENT ON FUNCTION "api"."list_user_sessions"(text, integer, text) IS 'The sessions of a person that have not ended, newest first: {id, userAgent, createdAt, lastUsedAt, expiresAt, kind, device, network, lastSeenAt, isCurrent}. isCurrent is always false, because none is the session of the reader.';

COMMENT ON FUNCTION "api"."list_users"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'People, the newest members first. An email address or actor id in p_q finds its person directly.';

COMMENT ON FUNCTION "api"."list_webhooks"() IS 'All webhooks, at most 20, and the events that they can get.';

COMMENT ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text, text, bytea, text) IS 'For the facade alone, after it has checked the password: logs the person in, {claims, user, credentialsVersion}. p_new_hash replaces a hash whose parameters have become too weak. p_family is the id of the session; with p_refresh_hash it is a rotating one. With p_alert_hash a login on a device on which the person never logged in is mailed to them, unless it is their first login. A person with a second factor also gives p_code, a code of the app or a recovery code, which is a fresh proof.';

COMMENT ON FUNCTION "api"."log_out"(text, uuid) IS 'Revokes the token of this request or, with scope global, every token of the caller. Ends the session of the token if it is a fixed one. With p_family it also ends that rotating session if it is the caller''s.';

COMMENT ON FUNCTION "api"."note_presence"() IS 'Records that the caller and the session of the token are active now. It writes each at most once in five minutes, even if several facades call it.';

COMMENT ON FUNCTION "api"."prove"(text, text) IS 'For the facade alone: records a fresh proof of this session, {provedUntil}. People with a second factor give a code. The others give their password, which the facade has checked.';

COMMENT ON FUNCTION "api"."register"(uuid, text, text, text, text, date, text, text, integer, uuid, bytea, text, uuid, bytea, text, text) IS 'For the facade alone: redeems a reservation and creates the person: {claims, user, credentialsVersion}. p_family is the id of the session; with p_refresh_hash it is a rotating one. With p_verification_id it mails a link that verifies the address. A failure does not change the reservation.';

COMMENT ON FUNCTION "api"."remove_totp"() IS 'Removes the caller''s authenticator app and the recovery codes, unless the caller''s role requires a factor.';

COMMENT ON FUNCTION "api"."renew_recovery_codes"() IS 'Replaces the caller''s recovery codes, and returns the ten new ones, {recoveryCodes}, which are shown only once.';

COMMENT ON FUNCTION "api"."replay_draft"(jsonb, text[], text) IS 'Replays a rule that does not exist yet: private.replay.';

COMMENT ON FUNCTION "api"."replay_rule"(uuid, text) IS 'Replays a rule: private.replay. After that the rule can go live.';

COMMENT ON FUNCTION "api"."replay_webhook_delivery"(uuid, bigint) IS 'Sends a delivery again, or sends a pending one now. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."resolve_decision_appeal"(uuid, text, text) IS 'Upholds or overturns a decision that a person appealed, with an answer that the person reads. Overturning undoes what was done, if that is possible, and cancels its strikes. The member of staff who made the decision can''t resolve the appeal while somebody else could. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."retry_failed_jobs"(text, timestamp with time zone) IS 'Puts up to 500 jobs of a queue that failed for good back on it, the oldest first, each once: {retried, more}. more says whether others are left. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."start_totp"() IS 'Begins adding an authenticator app: {secret (base32), url (otpauth:)}, which are shown only once. The app counts when a code of it is confirmed. Repeating it makes another secret.';

COMMENT ON FUNCTION "api"."update_rule"(uuid, jsonb) IS 'Changes a rule, {name, action, mode}, and returns it. Its conditions never change. It can go live only after a day in shadow or a replay. Repeating it changes nothing. Leaves an audit entry. Fails: value_invalid.';

COMMENT ON FUNCTION "private"."access_of"(uuid, text, uuid) IS 'For staff: private.find_access as if this person were the caller.';

COMMENT ON FUNCTION "private"."act_for_space"(text, text, uuid, text, text) IS 'Takes an action in a case for the owner or a moderator of its space. Dismissing and hiding close the case, unless staff already has it; then it stays open until staff decides. Fails: post_unknown, reply_unknown.';

COMMENT ON FUNCTION "private"."act_on_people"(uuid[], text, text, text, timestamp with time zone) IS 'Takes the same action against several people. Fails: api.limit_person, api.ban_person.';

COMMENT ON FUNCTION "private"."add_checkpoint"(json, text) IS 'For the worker alone: adds a signed checkpoint. Returns false if another worker was first.';

COMMENT ON FUNCTION "private"."add_report_to_case"() IS 'Trigger: adds a new report to the open case of its target.';

COMMENT ON FUNCTION "private"."add_webhook_test"(uuid) IS 'Queues a test for a webhook that the caller has locked, or makes a pending test due now.';

COMMENT ON FUNCTION "private"."alert_of_session"(uuid, uuid, bytea) IS 'Queues a mail that tells a person of a session on a new device, with a link that ends it; at most 5 in an hour. Does nothing without p_alert_hash.';

COMMENT ON FUNCTION "private"."appeal_path"(app.decisions, boolean) IS 'The route by which the person concerned appeals a decision: one for people who are logged in, another for those who give their password. Null if they have already appealed it, or if it was overturned. An appeal has no deadline.';

COMMENT ON FUNCTION "private"."appeal_roles"(app.decisions) IS 'The roles that may resolve an appeal against a decision: those that may make such a decision.';

COMMENT ON FUNCTION "private"."audit_proof"(bigint) IS 'The proof that an entry is in the audit log: {previous, content, detail, salt, place, size, path, checkpoint}. Null until a checkpoint covers it. `detail` and `salt` are null after an erasure.';

COMMENT ON FUNCTION "private"."author_reasons"(uuid, uuid, smallint, boolean) IS 'The reasons that depend on the author of a thing, and on the relation between the person and the author. They do not tell which of the two blocked the other.';

COMMENT ON FUNCTION "private"."base32"(bytea) IS 'A secret as apps take it (RFC 4648). The number of bits must divide by 5.';

COMMENT ON FUNCTION "private"."begin_case_work"(uuid, text[]) IS 'Locks the work on a case, and returns the case if its state, its claim and the caller''s role allow these actions. A case about the caller is unknown to the caller.';

COMMENT ON FUNCTION "private"."begin_import"() IS 'Begins an import of the caller, and returns its id. It ends an earlier import of theirs that was not finished.';

COMMENT ON FUNCTION "private"."card_texts"(uuid[]) IS 'The cards of these posts, in order; null for a post that the caller does not see.';

COMMENT ON FUNCTION "private"."change_webhook_secret"(uuid) IS 'Gives a webhook that the caller has locked another secret; for 24 hours the previous one signs, too.';

COMMENT ON FUNCTION "private"."check_lock_order"(text, text[]) IS 'For tests, whose sessions set kith.lock_order to "checked": raises an error if this transaction already holds a lock of a later kind, unless it already holds these locks, too. Every function that locks rows calls it first.';

COMMENT ON FUNCTION "private"."close_sessions"(uuid) IS 'Locks a person and ends their sessions. Returns the value that tokens_valid_from must have to revoke every token issued so far: the next whole second.';

COMMENT ON FUNCTION "private"."closed_by_space"(app.cases) IS 'Whether the owner or a moderator of a group or guild closed a case, by hiding or dismissing before staff got it.';

COMMENT ON FUNCTION "private"."count_day"(date) IS 'Counts a day, with indexes in the order of time. If the day is not over, it also reads all accounts to count the active people; if it is over, that figure stays as it is.';

COMMENT ON FUNCTION "private"."count_recipients"(text) IS 'How many people a notification of this kind, whose default is to notify, would reach if it went to everybody.';

COMMENT ON FUNCTION "private"."count_shared"(uuid[], uuid) IS 'How many of these interests the person has also chosen.';

COMMENT ON FUNCTION "private"."count_strikes"(uuid) IS 'The strikes of a person that have not lapsed. Each case counts the number of its category once, however many actions were taken in it (private.counts_strikes). They have no effect by themselves; staff sees them. Counts the newest 400 decisions.';

COMMENT ON FUNCTION "private"."delivery_card"(private.webhook_deliveries) IS 'A delivery as admins see it. nextAttemptAt is null if the delivery has ended, or waits for an earlier one of its subject.';

COMMENT ON FUNCTION "private"."end_case"(uuid, text) IS 'Closes an open case as acted or dismissed, and settles its open reports: 500 immediately; the worker settles the others.';

COMMENT ON FUNCTION "private"."end_case_work"(uuid, text, text, json, text) IS 'Ends a step of work on a case: writes its audit entry and its entry in the history, and extends a claim of the caller to 30 minutes from now. Returns the case.';

COMMENT ON FUNCTION "private"."end_other_own_sessions"() IS 'Ends the caller''s sessions except the one to which the token of this request belongs. Returns how many it ended.';

COMMENT ON FUNCTION "private"."end_session"(uuid, uuid) IS 'Ends a session of a person: its refresh token and the access tokens that it issued are revoked at once. Does nothing if it has ended.';

COMMENT ON FUNCTION "private"."end_sessions_of"(app.users, text) IS 'Ends all tokens and sessions of a person whose row private.lock_account locked, and returns how many sessions these were. Leaves an audit entry.';

COMMENT ON FUNCTION "private"."end_tokens"(uuid) IS 'Revokes every token issued so far, and ends the sessions.';

COMMENT ON FUNCTION "private"."erase_account"(app.users) IS 'Step: deletes an erased person''s addresses, birthday, phone number, sessions, devices, factors and the texts of their personas, sets a hash that matches no password, and revokes all their invite codes.';

COMMENT ON FUNCTION "private"."erase_debates"(uuid[]) IS 'Deletes the details of these debates when their author is erased.';

COMMENT ON FUNCTION "private"."erase_problems"(uuid[]) IS 'Deletes the details of these problems when their author is erased.';

COMMENT ON FUNCTION "private"."erase_rest"(uuid) IS 'For steps of an erasure that leave rows: lets the worker repeat all steps.';

COMMENT ON FUNCTION "private"."explain_access"(uuid, text, text) IS 'Whether a person sees a thing, and the reasons, in the order of the rule. It contains none of the thing''s text.';

COMMENT ON FUNCTION "private"."find_access"(text, uuid) IS 'Whether the caller sees this post, reply, content or conversation, or what is in this group or guild. It uses the same views and functions as the caller''s own requests.';

COMMENT ON FUNCTION "private"."find_alerted_session"(uuid, bytea) IS 'Returns the person of a session that has not ended, if a mail with this token reported it; otherwise null.';

COMMENT ON FUNCTION "private"."find_changed_contents"(uuid[], smallint[]) IS 'Those of these changed contents whose change the caller had the level to see, {id, type, gone}.';

COMMENT ON FUNCTION "private"."find_changed_posts"(uuid[], smallint[]) IS 'Those of these changed posts whose change the caller had the level to see, {id, type, gone}.';

COMMENT ON FUNCTION "private"."find_changes"(text) IS 'The next 400 changes after a cursor, the oldest first, except those of which the caller may not learn: {items [{type, id, gone}], nextCursor, hasMore}. Changes of the last ten seconds are listed again by the next call, because earlier ones may be committed after them.';

COMMENT ON FUNCTION "private"."find_content_versions"(text, uuid, timestamp with time zone) IS 'The current version of a content, with its title and its text; earlier ones are not kept. A draft has none.';

COMMENT ON FUNCTION "private"."find_imported"(app.imports, text, text) IS 'The id in this instance of the thing that the person imported under this key. If the dossier is of this instance, it can also be a thing that the person already has. Null if there is none.';

COMMENT ON FUNCTION "private"."find_notice_mail"(uuid) IS 'For the worker alone: the address of a person, {to}, or null if they were erased.';

COMMENT ON FUNCTION "private"."find_post_versions"(text, uuid, timestamp with time zone) IS 'The last 20 versions of a published post, without an imported one.';

COMMENT ON FUNCTION "private"."find_reported_place"(text, uuid) IS 'The place and the text of a reported thing.';

COMMENT ON FUNCTION "private"."find_session_mail"(uuid) IS 'For the worker alone: the mail about a session on a new device, {to, tokenHash (hex), device, network, at}; {ended: true} if the session is over or the address gets no mail.';

COMMENT ON FUNCTION "private"."find_space_cases"(uuid, app.place) IS 'The open cases that are not about the caller, among the next 400 of a space.';

COMMENT ON FUNCTION "private"."find_staff_person"(text) IS 'The id of the person by whom staff filters a list; null remains null.';

COMMENT ON FUNCTION "private"."find_thing"(text, text) IS 'The id and the author of a thing that staff names, whether or not anybody sees it.';

COMMENT ON FUNCTION "private"."find_webhooks"() IS 'All webhooks, oldest first, and the events that they can get.';

COMMENT ON FUNCTION "private"."forget_audit_salts"() IS 'Trigger: empties the salt of a detail or an address that is emptied. The audit log then still verifies.';

COMMENT ON FUNCTION "private"."forget_factors"(uuid) IS 'Deletes all factors of a person, with their recovery codes and proofs.';

COMMENT ON FUNCTION "private"."has_factor"(uuid) IS 'Whether a person has a second factor.';

COMMENT ON FUNCTION "private"."has_link"(private.judged, jsonb) IS 'Condition: a text has a link: something that begins with http://, https:// or www., also in Markdown.';

COMMENT ON FUNCTION "private"."has_needed_factor"() IS 'Whether the caller has a second factor, or a role that needs none. Everything that only staff may do asks it.';

COMMENT ON FUNCTION "private"."has_other_resolver"(app.decisions) IS 'Whether somebody other than the member of staff who decided may resolve an appeal, and was active in the last 30 days.';

COMMENT ON FUNCTION "private"."hider"(text, uuid, text) IS 'Returns held_by_rule if only a rule has hidden the thing, otherwise the given code.';

COMMENT ON FUNCTION "private"."import_circle"(app.imports, private.import_rows) IS 'Importer: adds a circle without its members.';

COMMENT ON FUNCTION "private"."import_keyword"(app.imports, private.import_rows) IS 'Importer: adds a muted keyword whose time has not ended, unless the person has already muted it.';

COMMENT ON FUNCTION "private"."import_media"(jsonb, text) IS 'For importers: the media of a post that can be used here, and the problems of the others.';

COMMENT ON FUNCTION "private"."import_picture"(text) IS 'For importers: the address of a picture. If this instance does not accept it, the result is null and a problem is reported.';

COMMENT ON FUNCTION "private"."import_post"(app.imports, private.import_rows) IS 'Importer: adds a published post with its date, its poll without votes, and its visibility. A quote becomes a note. Reposts, and posts that were scheduled, hidden by staff or in a space, are not imported.';

COMMENT ON FUNCTION "private"."import_preference"(app.imports, private.import_rows) IS 'Importer: sets the channels that the person chose for a kind.';

COMMENT ON FUNCTION "private"."import_profile"(app.imports, private.import_rows) IS 'Importer: replaces the name, country, city, about and picture of the person with those of the dossier.';

COMMENT ON FUNCTION "private"."import_series"(app.imports, private.import_rows) IS 'Importer: adds a series with those of its posts that were imported.';

COMMENT ON FUNCTION "private"."import_settings"(app.imports, private.import_rows) IS 'Importer: sets the time zone and the hour of the digest.';

COMMENT ON FUNCTION "private"."import_shape_error"(jsonb, text) IS 'The message that a value does not have a type of private.import_sections.shape; null if it has the type.';

COMMENT ON FUNCTION "private"."import_time"(text) IS 'For importers: a time of a dossier, but never a time in the future.';

COMMENT ON FUNCTION "private"."interest_list"(uuid) IS 'The interests of a post, the primary one first, as the text of JSON: [{id, slug, name, accentColor, isPrimary}]. Null if it has none.';

COMMENT ON FUNCTION "private"."is_already_here"(app.imports, text, text) IS 'Whether the thing in this row of a dossier of this instance belongs to the importing person and still exists.';

COMMENT ON FUNCTION "private"."is_audit_detail_changed"(app.audit_log, app.audit_details) IS 'Whether the detail or the address of an entry has changed since it was written. What an erasure emptied together with its salt doesn''t count. For an entry that 1.0.0 wrote this can''t be known.';

COMMENT ON FUNCTION "private"."is_by_new_account"(private.judged, jsonb) IS 'Condition: the author''s account was younger than this number of hours.';

COMMENT ON FUNCTION "private"."is_claimed_by_another"(app.cases) IS 'Whether somebody other than the caller has a claim of a case now.';

COMMENT ON FUNCTION "private"."is_hidden"(text, uuid) IS 'Whether a thing is hidden. Locks the thing until the transaction ends, so that nobody shows it meanwhile.';

COMMENT ON FUNCTION "private"."is_hidden_by"(uuid, app.cases) IS 'Whether this space alone hid the thing of a case. If staff hides the thing afterwards, the decision of the space is lifted (private.record_decision). If a rule hid the thing too, only staff can show it.';

COMMENT ON FUNCTION "private"."is_own_thing"(text, uuid, uuid) IS 'Whether the caller answers for a thing: as p_author, or as one of its co-authors. Staff do not work on their own things.';

COMMENT ON FUNCTION "private"."is_reported_by_trusted"(private.judged, jsonb) IS 'Condition: when one of the last 50 reports of the thing was made, it had open reports by at least `people` trusted people.';

COMMENT ON FUNCTION "private"."is_reserved"(text) IS 'Whether a name, without its underscores, would make people believe that its holder is staff.';

COMMENT ON FUNCTION "private"."is_too_frequent"(private.judged, jsonb) IS 'Condition: with this thing, its author had published more than `count` posts and replies within `minutes` minutes.';

COMMENT ON FUNCTION "private"."is_trusted_reporter"(uuid, timestamp with time zone, integer) IS 'Whether the person is a trusted reporter: by that time staff had settled at least three of their reports, and had dismissed fewer than half of the last 100; or they have this much reputation now.';

COMMENT ON FUNCTION "private"."job_back_up"() IS 'Job: queues a backup if BACKUP_TO is set. The worker takes it, restores it into a scratch folder, and verifies it there. May run twice: it adds none while a backup is queued or running.';

COMMENT ON FUNCTION "private"."job_checkpoint_audit"() IS 'Job: queues a checkpoint of the audit log if there are entries without one. The worker signs it. May run twice: it queues none while another one is queued or running.';

COMMENT ON FUNCTION "private"."job_count_days"() IS 'Job: counts the oldest of the last 366 days that has no final figures, and the current day if its last count is more than 5 minutes old, and returns 1. May run twice: it counts again and gets the same figures. The worker repeats it until it returns 0.';

COMMENT ON FUNCTION "private"."job_metrics"() IS 'For /metrics: {runs: [{job, runs, failures, changed, lastChanged, lastRun, lastFailure}], queues: [{queue, state, depth}], effects: {depth, lag, stuck}, verifiedBackup}; times in unix seconds. depth is how many effects wait, up to 100,000; lag is how many seconds ago the oldest of them was caused; stuck is how many people have effects that failed; verifiedBackup is the time of the newest data in the last verified backup, or null.';

COMMENT ON FUNCTION "private"."judge"(text, uuid, text[], timestamp with time zone) IS 'Judges the versions of a thing since a time by the rules that apply at these times (app.moderation_rules.judged). Records a hit once for each rule, and hides the thing if a live rule says so. The worker then opens a case for the hits of live rules. Returns whether it has hidden the thing.';

COMMENT ON FUNCTION "private"."judge_edited_post"(jsonb) IS 'Listener: judges a post after an edit, if the edit changed the text or the media; otherwise it made no new version. It also applies the rules about reports, because after an edit such a rule can hit a post that was reported earlier.';

COMMENT ON FUNCTION "private"."judge_post"(jsonb) IS 'Listener: judges a post by the live rules that hide, before anybody else sees it. Only the listener for mentions runs later, because hiding locks documents of the search (ARCHITECTURE.md, Locks). The listeners before it only leave effects, which will find the post hidden.';

COMMENT ON FUNCTION "private"."judge_published"(private.effects[]) IS 'Listener: judges posts and replies by the rules that are in shadow and by those that only open a case.';

COMMENT ON FUNCTION "private"."limited_for"(uuid, uuid) IS 'The one rule of limited people: whether this person is limited, and the viewer neither follows them nor is them. Feeds, searches and suggestions then leave out what the person wrote. Returns one row. For each person it probes a small table, and the follows only if it finds the person there. If p_viewer is null, the viewer is the caller; without a caller the viewer follows nobody.';

COMMENT ON FUNCTION "private"."list_checkpoints"(bigint) IS 'For the facade: 100 checkpoints from this number on, {checkpoints, next}; next is null at the end.';

COMMENT ON FUNCTION "private"."list_own_factors"() IS 'The caller''s factors, as api.list_factors returns them.';

COMMENT ON FUNCTION "private"."lock_held"(text, uuid) IS 'Locks what private.release_held locks, for callers who lock the case after it.';

COMMENT ON FUNCTION "private"."lock_judged"(text, uuid) IS 'Takes the locks that come before the lock of a thing when the thing is hidden. The caller locks the thing next: ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."lock_published"(app.users) IS 'Step: calls private.lock_written for the rows that a ban or an erasure changes in its own transaction.';

COMMENT ON FUNCTION "private"."mail_about_factor"(uuid, text) IS 'Queues a mail that tells a person of a change of their factors: factorAdded, factorRemoved, recoveryUsed or recoveryRenewed.';

COMMENT ON FUNCTION "private"."make_admin"(text, text) IS 'For npm run admin: makes the person with this address an admin. If nobody has the address, it creates a person with this password. {result}: created, appointed, unchanged (an admin already), banned or unverified (both are refused).';

COMMENT ON FUNCTION "private"."may_resolve"(app.decisions) IS 'Whether the caller may resolve an appeal against a decision. They may not resolve one against their own decision while somebody else could.';

COMMENT ON FUNCTION "private"."mention_released"(jsonb, uuid) IS 'For the worker alone: emits the mentions of a post or a reply {targetType, targetId} that a rule had hidden since its creation, and notifies those whom a reply answers, once. If staff has hidden it again meanwhile, this happens when staff shows it the next time.';

COMMENT ON FUNCTION "private"."name_reported_author"() IS 'Trigger: stores in a report the person who answers for its target.';

COMMENT ON FUNCTION "private"."needs_factor"(text) IS 'Whether this instance requires a second factor of people with this role: REQUIRE_FACTOR.';

COMMENT ON FUNCTION "private"."network_of"(text) IS 'The network of an IP address as people see it: the /24 of an IPv4 address, the /48 of an IPv6 address.';

COMMENT ON FUNCTION "private"."not_modified"(text) IS 'Sets the ETag of this version on the response. Returns true if If-None-Match has this version: the operation must then return null (304). An operation calls it before it makes the response.';

COMMENT ON FUNCTION "private"."note_device"(uuid, text, cidr) IS 'Notes a login on a device and returns whether it was the first one there since the person''s credentials changed. The calling function must have locked the person''s credentials.';

COMMENT ON FUNCTION "private"."note_proof"(jsonb, uuid) IS 'Records a fresh proof for the session of an access token.';

COMMENT ON FUNCTION "private"."note_released"(jsonb) IS 'Listener: queues the notifications of those whom a held post or reply mentions, and of those whom a held reply answers. The worker sends them, because staff''s transaction has already locked documents of the search (ARCHITECTURE.md, Locks).';

COMMENT ON FUNCTION "private"."note_replay"(uuid) IS 'Records that a rule was replayed, so that it can go live.';

COMMENT ON FUNCTION "private"."note_session_seen"() IS 'Records that the session of the token of this request is active now.';

COMMENT ON FUNCTION "private"."notify_held"(private.effects[]) IS 'Listener: notifies a person that something of theirs is hidden until staff has seen it, but never tells which rule hit it.';

COMMENT ON FUNCTION "private"."open_case"(text, uuid, text, text, text) IS 'Returns the open case of a target, and opens one if there is none. It adds to the history of the case that a report, a rule, a member of staff or a space (p_source) pointed to the target. The row is locked until the transaction ends, so call it late: ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."open_rule_cases"(jsonb, uuid) IS 'For the worker alone: adds the hits of live rules, {targetType, targetId, authorId, ruleIds, hidden}, to the open case of their target, each hit once, and opens a case if there is none. It writes the decision if the rules have hidden the thing and nobody has decided since. It is a job of its own for two reasons: the case and the audit log come late in the order of locks, and in the author''s transaction the audit entry would name the author as its actor.';

COMMENT ON FUNCTION "private"."others_hid"(text, uuid) IS 'Whether a rule hid a hidden thing or, if the caller does not act for a space, a space did. A space adds its decision to that of the rule; staff replaces both (private.record_decision).';

COMMENT ON FUNCTION "private"."overturn"(app.decisions) IS 'Undoes what a decision did, and cancels its strikes. Returns whether anything could be undone. Fails: private.set_post_hidden, private.set_reply_hidden, private.set_content_removed, api.unban_person. Never: content_kind.';

COMMENT ON FUNCTION "private"."own_session"() IS 'The session that issued the token of this request; null if the token is older than the list of sessions.';

COMMENT ON FUNCTION "private"."own_token"() IS 'The token of this request as app.sessions.live_tokens contains it: [[iat, exp]].';

COMMENT ON FUNCTION "private"."page_start"(text, text, boolean) IS 'Where a page of this list begins: after the place of its cursor; without a cursor, at the newest row, or at the oldest row with p_oldest.';

COMMENT ON FUNCTION "private"."person_rest"(uuid, text, text, text, text) IS 'The end of a person''s card: the fields that depend only on these columns, as JSON that begins with a comma. After changing this function, rewrite the column app.users.card_rest.';

COMMENT ON FUNCTION "private"."persona_text"(uuid, text, text, text) IS 'A persona as the cards of posts have it: {id, name, accent, profilePicUrl}, as the text of JSON. After changing this function, rewrite the column app.personas.card_text.';

COMMENT ON FUNCTION "private"."place_case"() IS 'Trigger: gives a case about a thing in a group or guild to its owner and moderators if a report opened it, and to staff three days later. Staff gets it immediately if the category says so, or if the owner or a moderator wrote the thing.';

COMMENT ON FUNCTION "private"."poll_text"(uuid) IS 'The poll of a post, as the text of its card; null if it has none.';

COMMENT ON FUNCTION "private"."proved_at"() IS 'When the session of this request last proved who uses it; null if never.';

COMMENT ON FUNCTION "private"."read_condition"(jsonb) IS 'Returns a condition from what staff wrote, {kind, …}; raises an error unless it has exactly the parameters of its kind.';

COMMENT ON FUNCTION "private"."read_conditions"(jsonb) IS 'Returns the conditions of a rule, in the order in which they are tried.';

COMMENT ON FUNCTION "private"."read_days"(date, date) IS 'The figures of the days between these two, both included. The current day is counted again if its last count is more than 30 seconds old; concurrent callers get the previous figures.';

COMMENT ON FUNCTION "private"."readiness"() IS 'For /ready and at a start: {migrations: {version: SHA-256 of its text without its last semicolon, or null}, functions: private.functions_fingerprint, worker: whether a worker was active lately, within: the period that counts as lately, such as 3 minutes}.';

COMMENT ON FUNCTION "private"."reason_of_sight"(boolean, text, text, text, uuid) IS 'Returns the reason with the first code if the person is allowed to see the thing, otherwise the reason with the second code.';

COMMENT ON FUNCTION "private"."record_decision"() IS 'Trigger: writes the decision of an audit entry that concerns a person, and adds it to the history of the case that is being worked on (setting kith.case: {caseId, category, rule, spaceId}), or of the open case of the thing. If staff decides to hide or remove a thing, that lifts the decisions of rules and spaces about it.';

COMMENT ON FUNCTION "private"."record_hold"(text, uuid, uuid, uuid, text) IS 'Writes the audit entry of a rule that has hidden a thing, and so the decision. The author reads that it was automatic, and its category, but never the rule.';

COMMENT ON FUNCTION "private"."release_bounties_later"(app.users) IS 'Step: queues the refund of the bounties of a banned or erased person.';

COMMENT ON FUNCTION "private"."release_held"(text, uuid) IS 'Shows a thing again that only a rule has hidden, in the same way as staff does, which lifts the decision of the rule. Does nothing with any other thing. Its callers check who may do it.';

COMMENT ON FUNCTION "private"."release_settled"(uuid) IS 'Shows the thing of a case again if only a rule has hidden it and all reports of the case are settled.';

COMMENT ON FUNCTION "private"."remove_factors"(text) IS 'For npm run admin: removes all second factors of the person with this address, ends their tokens and sessions, and tells them by mail. Returns false if nobody has the address, or if they have no factor.';

COMMENT ON FUNCTION "private"."remove_own_totp"() IS 'Removes the caller''s authenticator app, which is their only factor, with the recovery codes.';

COMMENT ON FUNCTION "private"."renew_own_recovery_codes"() IS 'Replaces the caller''s recovery codes: {recoveryCodes}.';

COMMENT ON FUNCTION "private"."renew_recovery_codes"(uuid) IS 'Replaces the recovery codes of a person, and returns the ten new ones. Only their hashes are stored.';

COMMENT ON FUNCTION "private"."replay"(private.condition[], text[], text) IS 'Judges the next 20,000 things of these types of the last 30 days, newest first: {looked, wouldHit, ofWhichStaffRemoved, sample (the first 20 hits), lookedUntil, nextCursor}. `looked` includes contents of other kinds. A content is judged by its current version.';

COMMENT ON FUNCTION "private"."report_cards"(uuid[]) IS 'These reports as staff sees them, in order, without those about the caller.';

COMMENT ON FUNCTION "private"."reported_thing"(text, uuid) IS 'A reported thing as staff sees it. Null for a message, which staff sees only as the copy in its report, and for a thing that no longer exists.';

COMMENT ON FUNCTION "private"."require_code"(uuid, text) IS 'Passes if the person has no second factor, or if this is a code of theirs, which is then used up.';

COMMENT ON FUNCTION "private"."require_guild_applicant"(text) IS 'Passes if the caller has the reputation that a guild requires of applicants.';

COMMENT ON FUNCTION "private"."require_guild_founder"() IS 'Passes for a caller who has canProposeGuild, or is an admin with the second factor that the role needs.';

COMMENT ON FUNCTION "private"."require_proof"(interval) IS 'Passes if the caller has no second factor, or if this session proved it within the time.';

COMMENT ON FUNCTION "private"."require_proof_of_all"() IS 'Like private.require_proof, but also for people without a second factor, who prove their password.';

COMMENT ON FUNCTION "private"."require_proof_of_payment"(integer) IS 'Passes if payments of this tier need no fresh proof (PROOF_TIER), or as private.require_proof does.';

COMMENT ON FUNCTION "private"."require_role"(text[]) IS 'Passes if the caller''s stored role is one of these, and the caller has the second factor that the role needs. Every staff operation calls it.';

COMMENT ON FUNCTION "private"."require_short"(text, integer, text) IS 'Returns a text in the form in which it is stored, or null if there is none; raises the code if the text is too long.';

COMMENT ON FUNCTION "private"."require_space_case"(uuid, uuid, text) IS 'Returns a case of a space if the caller may take this action in it: hide, unhide or dismiss.';

COMMENT ON FUNCTION "private"."require_webhook_events"(text[]) IS 'The events, sorted and without duplicates.';

COMMENT ON FUNCTION "private"."require_webhook_url"(text) IS 'The address, trimmed. Addresses in WEBHOOK_EXEMPT may have a port, and need no TLS. At each request the worker also checks that the name has only public addresses.';

COMMENT ON FUNCTION "private"."restart_lock_order"() IS 'For operations that do several things in one transaction, where each takes all the locks it needs: starts the order of locks from the beginning. Such a transaction can deadlock with another one; then the facade retries it. ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."retry_dead_letter"(pgboss.job) IS 'Retries a job that failed for good; returns false if its schedule already has another one. The caller must have locked the row and found that it was not retried.';

COMMENT ON FUNCTION "private"."retry_failed_job"(text, uuid) IS 'Retries one job that failed for good; returns false if it was retried before, or if its schedule already has another one.';

COMMENT ON FUNCTION "private"."send_live_tokens"() IS 'Trigger: tells Realtime which tokens of a person are still valid: those with this role (no token at all if the role is null) that were issued at `from` or later. private.check_caller has the same rule.';

COMMENT ON FUNCTION "private"."series_list"(uuid) IS 'The series that contain a post, as the text of JSON: [{id, title}]. Null if there are none.';

COMMENT ON FUNCTION "private"."sessions_rules"(integer, bytea, text, text, text, bytea) IS 'The checks of app.sessions. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."set_case"(uuid, text, text, integer) IS 'Sets category, rule and priority of a case; null leaves a value as it is. A new category also sets the priority to its own.';

COMMENT ON FUNCTION "private"."set_limited"(app.users, boolean, text) IS 'Limits a person whose row private.lock_account locked, or ends the limit, and leaves an audit entry. The person remains logged in.';

COMMENT ON FUNCTION "private"."set_reply_hidden"(uuid, boolean, text) IS 'For staff: private.write_reply_hidden. A moderator can''t show again what they wrote themselves.';

COMMENT ON FUNCTION "private"."settle_case_proposal"(uuid, uuid, text) IS 'Accepts or declines an open proposal of a case. Without an id it is the open one, if there is one.';

COMMENT ON FUNCTION "private"."settle_decision_appeal"(uuid, text, text) IS 'Upholds or overturns a decision that was appealed, once, and notifies the person. The person does not learn who resolved the appeal.';

COMMENT ON FUNCTION "private"."settle_report"(uuid, text) IS 'Settles an open report, and closes its case if no other report of it is open. Dismissing the last report shows the thing again if only a rule has hidden it. The reporter is notified, but does not learn who settled the report; the reported person is not notified. A report about the caller is unknown to the caller.';

COMMENT ON FUNCTION "private"."space_report_cards"(uuid[]) IS 'These cases in this order, as those who moderate the space see them: {id, targetType, targetId, author, title, excerpt, hidden, category, reportCount, reports [{category, reason}], withStaff, status, outcome, createdAt}. Its callers check who may see the cases. It never contains the reporter; the author is null if the caller can''t see that person.';

COMMENT ON FUNCTION "private"."staff_jobs"(text) IS 'The state of the worker: its jobs; the newest 50 jobs that failed permanently, in one queue or in all; the number of jobs in each queue, counted up to 1000; and the number of pending effects, counted up to 100,000.';

COMMENT ON FUNCTION "private"."staff_page"(text, json, text[], text, timestamp with time zone, timestamp with time zone, integer, text, text) IS 'A page of private.staff_<list>, a view with at, id, said (the text that p_q searches), card and a column for each filter. It reads the next 400 rows that match the first filter of p_by that is not null, which must have an index in the order of the list. It returns those that are between the two times, match all other filters that are not null, and contain p_q in their text. If p_q is a UUID, it looks only at the row with this id. p_key is the column that orders the list, if that is not the time. The cursor of a short page is the last row that was read, because nothing is hidden from staff.';

COMMENT ON FUNCTION "private"."standing"(uuid, boolean) IS 'The standing of a person as they read it: {state, suspendedUntil, strikes, decisions}, with the newest 100 decisions and never with who decided. Several decisions of one case count strikes once. With p_by_password the person is not logged in, so the result names another route for appeals.';

COMMENT ON FUNCTION "private"."start_own_totp"() IS 'Begins adding an authenticator app, as api.start_totp says.';

COMMENT ON FUNCTION "private"."start_session"(uuid, json, bytea, text, text, text, bytea) IS 'Starts a session with the claims of its first access token: a rotating one if there is a hash of a refresh token, otherwise a fixed one. Ends the least recently used session of its kind if there are more than 100 rotating or 1000 fixed ones. With p_alert_hash it mails the person if the device is new. The calling function must have locked the person''s credentials.';

COMMENT ON FUNCTION "private"."statement"(uuid, uuid, boolean) IS 'The statement of reasons for a decision about a person. It never says who decided. With p_by_password the person is not logged in, so it names another route for an appeal.';

COMMENT ON FUNCTION "private"."strikes_since"() IS 'Decisions before this time no longer count strikes. The setting strike_days is the number of days.';

COMMENT ON FUNCTION "private"."takes_over"(text, uuid, boolean) IS 'Whether staff takes over a hidden thing from a rule or a space by hiding it, too: private.other_hiders.';

COMMENT ON FUNCTION "private"."totp_code"(bytea, bigint) IS 'The code of a time step (RFC 6238, with the truncation of RFC 4226).';

COMMENT ON FUNCTION "private"."try_writing"() IS 'For /ready: writes a megabyte, which it does not keep, and returns the vital tables to which nobody can write because of a lock. Fails if nothing can be written, for example because the disk is full.';

COMMENT ON FUNCTION "private"."use_code"(uuid, text) IS 'Uses up a code of the app or a recovery code, with or without blanks and dashes. Returns false if it is wrong or was used before.';

COMMENT ON FUNCTION "private"."use_totp"(uuid, text) IS 'Uses up a code of the app, also of one that is not confirmed yet. The clock may differ by one step. Returns false if the code is wrong, or if its step or a later one was used before.';

COMMENT ON FUNCTION "private"."utc"(timestamp with time zone) IS 'A time in the form that all responses use: UTC with milliseconds and Z. Null for null and for infinity.';

COMMENT ON FUNCTION "private"."webhook_secret"(bytea) IS 'A new secret in the form that Standard Webhooks defines.';

COMMENT ON FUNCTION "private"."yield_turn"(regclass, name, uuid, text, text, name) IS 'For jobs that take one row per call, namely the one that has been due the longest. After a job has taken a row of a person, this function delays the person''s other due rows: the next 100 keep their place, and the 500 after them are put off by up to 50 s, one every 100 ms. So a person with thousands of due rows delays others for a moment at most. p_person names the column with the person, p_waits is the condition for waiting rows, and p_due is when a row is due: an expression of p_again, indexed after the person.';

COMMENT ON INDEX "app"."post_interests_further_idx" IS 'Which posts of a page have more than their primary interest: private.card_texts.';

COMMENT ON POLICY "select_own" ON "app"."sessions" IS 'People see their own sessions, without the columns against which their tokens are checked. Definer functions write sessions.';

COMMENT ON SCHEMA "app" IS 'Tables, card views and app.uid(). Every table has row-level security. No API exposes the schema.';

COMMENT ON SCHEMA "private" IS 'Helpers, definer functions and secrets. No API exposes the schema.';

COMMENT ON TABLE "app"."audit_log" IS 'Every write by staff, chained by hash to the one before it. It has only ids and numbers; texts and addresses are in app.audit_details. The hash of an entry covers salted hashes of the actor, the address and the detail, so that the entry can be shown without its actor.';

COMMENT ON TABLE "app"."case_reports" IS 'The reports of a case. Reports that were settled before the instance had cases belong to none.';

COMMENT ON TABLE "app"."decisions" IS 'What staff, or one of its rules, decided about a person. The person reads all of it except who decided. An erasure empties the texts.';

COMMENT ON TABLE "app"."events" IS 'The columns of an event that its head in app.contents does not have.';

COMMENT ON TABLE "app"."moderation_rules" IS 'Rules of the instance, at most 50. If all conditions of a rule hold for a thing, the rule opens a case; it can also hide the thing until staff has seen it.';

COMMENT ON TABLE "app"."offerings" IS 'The columns of an offering that its head in app.contents does not have.';

COMMENT ON TABLE "app"."problems" IS 'The columns of a problem that its head in app.contents does not have.';

COMMENT ON TABLE "app"."projects" IS 'The columns of a project that its head in app.contents does not have.';

COMMENT ON TABLE "app"."rule_hits" IS 'The things that a rule has hit, one row for each rule and thing. rule_id has no foreign key, because a rule can have more hits than one transaction should delete; a retention job deletes them.';

COMMENT ON TABLE "app"."sessions" IS 'What each login began. A rotating session is a family of refresh tokens: generation and token_hash are the current generation and the SHA-256 of its refresh token. A fixed session is one access token without a refresh token. An ended session keeps its row until it expires, so that it stays ended.';

COMMENT ON TABLE "app"."settings" IS 'Settings that SQL needs. Written at boot: instance_domain, rate_limit_scale, public_url, media_url, media_bucket, media_quota, media_hosts, webhook_exempt, backups (on or off), require_factor (roles, separated by commas), proof_tier. Written by the worker: embedding_model. Written by operators: searches_at_once. None is secret.';

COMMENT ON TABLE "private"."audit_head" IS 'One row, from the first entry on: the number of entries, and the hash of the last one. Without it nobody could notice that the last entry was deleted.';

COMMENT ON TABLE "private"."case_handlers" IS 'Registry: how an action is done to a thing of a type. Actions of the type `user` are done to the person who answers for a thing.';

COMMENT ON TABLE "private"."content_child_tables" IS 'Registry: tables of what people leave within contents. Their column author_hidden says whether the author is banned or erased. person and key are the columns that identify a person''s rows; an index covers both. An erasure empties the column words. If words is null, an erasure deletes the rows; but it keeps them if stays is true, because the feature erases them itself.';

COMMENT ON TABLE "private"."devices" IS 'The devices on which people have logged in, at most 50 for each person. A fingerprint is the SHA-256 of the person, the network and the name of the device.';

COMMENT ON TABLE "private"."import_rows" IS 'The rows of a dossier that are not imported yet. Each is deleted in the transaction that imports it, so that an import continues from there if a worker was killed.';

COMMENT ON TABLE "private"."other_hiders" IS 'Registry: queries that return whether somebody other than staff hid a thing (type $1, id $2) that is hidden. If staff then hides it, too, that is a decision of staff, although the thing does not change.';

COMMENT ON TABLE "private"."outbound_events" IS 'Registry: the domain events that are written into the event log and sent to webhooks. It does not contain events that are not public, such as a message or an invitation into a circle.';

COMMENT ON TABLE "private"."people_with_factor" IS 'People who have a second factor. sql/identity adds and removes them.';

COMMENT ON TABLE "private"."proofs" IS 'When a session last proved who uses it, keyed by the access token (iat, exp) with which it did.';

COMMENT ON TABLE "private"."recovery_codes" IS 'SHA-256 of recovery codes, each of which replaces a code of the app once. A code has 80 random bits, so a slow hash is not needed.';

COMMENT ON TABLE "private"."totp" IS 'The authenticator app of a person (RFC 6238: SHA-1, 6 digits, 30 seconds). It counts from confirmed_at on.';

COMMENT ON TABLE "private"."verified_backups" IS 'The last verified backup, for /metrics; no row before the first one.';

COMMENT ON TABLE "private"."webhook_deliveries" IS 'The deliveries to webhooks: one for each event of the log and each webhook that wants it, and those of tests.';

COMMENT ON TABLE "private"."webhook_turns" IS 'One row for each webhook and subject with pending deliveries. The first of these deliveries is sent when the row is due, and the others wait. Rows are written only under the lock of the webhook.';

COMMENT ON TYPE "app"."card_text" IS 'A card as JSON without quotedPostId, quotedPost and the closing brace; and what the post quotes.';

COMMENT ON TYPE "private"."access" IS 'What the rules say about a thing and a person: whether they see it, whether the limits on authors leave it in their feeds and searches, whether their mutes leave it out, and whether feeds and searches may show it to them after all. The last three are null for a thing that feeds and searches never contain.';

COMMENT ON TYPE "private"."access_reason" IS 'A row of private.access_reasons that applies, and the thing on which it depends, if that is a different thing.';

COMMENT ON TYPE "private"."case_target" IS 'A thing that a case can be about, and the person who answers for it.';

COMMENT ON TYPE "private"."condition" IS 'A condition of a rule: its kind (a row of private.rule_conditions), and its parameters in the form that private.read_condition returns.';

COMMENT ON TYPE "private"."judged" IS 'A version of a thing as rules judge it: its texts as they were when it was published or edited, when that was, and the words of these texts (private.keyword_words).';

COMMENT ON TYPE "private"."reported_place" IS 'The place and the text of a reported thing: private.report_targets.place. All fields are null if the thing is deleted, or of a type that can''t be in a group or guild.';

COMMENT ON VIEW "private"."engagement_fields" IS 'What changes with engagement in the cards of posts. fields has the fields counters and viewer of a JSON object. For definer functions that check whether the caller sees the post.';

COMMENT ON VIEW "private"."staff_sessions" IS 'Sessions that have not ended, as staff sees them: what the person sees of them, without tokens.';

REVOKE ALL ON FUNCTION "api"."change_password"(text, text, integer, uuid, bytea, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."change_password"(text, text, integer, uuid, bytea, text, text, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."change_password"(text, text, integer, uuid, bytea, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."change_password"(text, text, integer, uuid, bytea, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."confirm_totp"(text, integer, uuid, bytea, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."confirm_totp"(text, integer, uuid, bytea, text, text, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."confirm_totp"(text, integer, uuid, bytea, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."confirm_totp"(text, integer, uuid, bytea, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."end_alerted_session"(uuid, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."end_alerted_session"(uuid, bytea) TO "gate";

REVOKE ALL ON FUNCTION "api"."end_alerted_session"(uuid, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."end_alerted_session"(uuid, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "api"."end_other_sessions"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."end_other_sessions"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."end_other_sessions"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."end_other_sessions"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_factors"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_factors"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."list_factors"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_factors"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text, text, bytea, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text, text, bytea, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text, text, bytea, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."log_in"(uuid, text, integer, text, uuid, bytea, text, text, text, bytea, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."prove"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."prove"(text, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."prove"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."prove"(text, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."register"(uuid, text, text, text, text, date, text, text, integer, uuid, bytea, text, uuid, bytea, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."register"(uuid, text, text, text, text, date, text, text, integer, uuid, bytea, text, uuid, bytea, text, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."register"(uuid, text, text, text, text, date, text, text, integer, uuid, bytea, text, uuid, bytea, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."register"(uuid, text, text, text, text, date, text, text, integer, uuid, bytea, text, uuid, bytea, text, text) TO "postgres";

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

REVOKE ALL ON FUNCTION "private"."alert_of_session"(uuid, uuid, bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."alert_of_session"(uuid, uuid, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."alert_of_session"(uuid, uuid, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "private"."base32"(bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."base32"(bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."base32"(bytea) TO "postgres";

REVOKE ALL ON FUNCTION "private"."card_texts"(uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."card_texts"(uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."card_texts"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_other_own_sessions"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_other_own_sessions"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."end_other_own_sessions"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_other_own_sessions"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_alerted_session"(uuid, bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_alerted_session"(uuid, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_alerted_session"(uuid, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_notice_mail"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_notice_mail"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_notice_mail"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_notice_mail"(uuid) TO "worker";

REVOKE ALL ON FUNCTION "private"."find_session_mail"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_session_mail"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_session_mail"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_session_mail"(uuid) TO "worker";

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

REVOKE ALL ON FUNCTION "private"."interest_list"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."interest_list"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."interest_list"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_own_thing"(text, uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_own_thing"(text, uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_own_thing"(text, uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_own_thing"(text, uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."list_own_factors"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."list_own_factors"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."list_own_factors"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."list_own_factors"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_held"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_held"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_held"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."mail_about_factor"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mail_about_factor"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."mail_about_factor"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."needs_factor"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."needs_factor"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."needs_factor"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."network_of"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."network_of"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."network_of"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_device"(uuid, text, cidr) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_device"(uuid, text, cidr) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."note_device"(uuid, text, cidr) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_proof"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_proof"(jsonb, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."note_proof"(jsonb, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."note_session_seen"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_session_seen"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."note_session_seen"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."note_session_seen"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."own_session"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."own_session"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."own_session"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."own_token"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."own_token"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."own_token"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."own_token"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."person_rest"(uuid, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."person_rest"(uuid, text, text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."person_rest"(uuid, text, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."person_rest"(uuid, text, text, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."person_rest"(uuid, text, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."persona_text"(uuid, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."persona_text"(uuid, text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."persona_text"(uuid, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."persona_text"(uuid, text, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."persona_text"(uuid, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."poll_text"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."poll_text"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."poll_text"(uuid) TO "postgres";

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

REVOKE ALL ON FUNCTION "private"."series_list"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."series_list"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."series_list"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."sessions_rules"(integer, bytea, text, text, text, bytea) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."sessions_rules"(integer, bytea, text, text, text, bytea) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."sessions_rules"(integer, bytea, text, text, text, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."sessions_rules"(integer, bytea, text, text, text, bytea) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."sessions_rules"(integer, bytea, text, text, text, bytea) TO "service_role";

REVOKE ALL ON FUNCTION "private"."start_own_totp"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."start_own_totp"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."start_own_totp"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_own_totp"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."start_session"(uuid, json, bytea, text, text, text, bytea) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."start_session"(uuid, json, bytea, text, text, text, bytea) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."start_session"(uuid, json, bytea, text, text, text, bytea) TO "postgres";

REVOKE ALL ON FUNCTION "private"."totp_code"(bytea, bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."totp_code"(bytea, bigint) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."totp_code"(bytea, bigint) TO "postgres";

REVOKE ALL ON FUNCTION "private"."use_code"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."use_code"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."use_code"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."use_totp"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."use_totp"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."use_totp"(uuid, text) TO "postgres";

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

ALTER TABLE "app"."personas" ADD COLUMN "card_text" text GENERATED ALWAYS AS (private.persona_text(id, name, accent, profile_pic_url)) STORED NOT NULL;

COMMENT ON COLUMN "app"."personas"."card_text" IS 'The persona in cards of posts. It is computed when the row changes, not at every read: private.persona_text.';

ALTER TABLE "app"."users" ADD COLUMN "card_rest" text GENERATED ALWAYS AS (private.person_rest(person_id, username, first_name, last_name, profile_pic_url)) STORED NOT NULL;

CREATE VIEW "app"."person_card" WITH (security_invoker=true) AS  SELECT u.id,
    (c.text)::json AS card,
    c.text,
    n.actor_id
   FROM ((app.users u
     CROSS JOIN LATERAL ( SELECT private.actor_id(u.username, ( SELECT instance.domain
                   FROM private.instance)) AS actor_id
         OFFSET 0) n)
     CROSS JOIN LATERAL ( SELECT ((((('{"id":"'::text || n.actor_id) || '","actorId":"'::text) || n.actor_id) || '"'::text) || u.card_rest) AS text) c);

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
    private.merge_objects(c.card, json_build_object('about', u.about, 'country', u.country, 'city', u.city, 'createdAt', private.utc(u.created_at))) AS card
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
    (a.person_id = app.uid()) AS own
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

COMMENT ON COLUMN "app"."users"."card_rest" IS 'The end of the card. It is computed when the row changes, not at every read: private.person_rest.';

COMMENT ON VIEW "app"."circle_card" IS 'A circle as its owner and members see it: {id, ownerId, owner, kind, name, accent, isOwner, createdAt}. A member does not see it while there is a block between the member and the owner.';

COMMENT ON VIEW "app"."circle_invitation_card" IS 'An invitation as the inviter and the invitee see it: {id, circleId, circleName, inviterId, inviter, inviteeId, invitee, bondLevel, status, createdAt}.';

COMMENT ON VIEW "app"."circle_member_card" IS 'A membership: {circleId, memberId, member, bondLevel, createdAt}. It is not shown while there is a block between the member and the viewer.';

COMMENT ON VIEW "app"."invite_card" IS 'A person''s own invite code: {id, code, status, reservedUntil, usedBy, usedAt, expiresAt, createdAt}. usedBy is null if nobody has used the code, or if the person who did is hidden.';

COMMENT ON VIEW "app"."notification_card" IS 'A notification: {id, kind, groupKey, count, actors, target, path, payload, createdAt, updatedAt, readAt}. actors are the first three that the caller can see, among the first 50.';

COMMENT ON VIEW "app"."payment_card" IS 'A payment as its sender or a receiver sees it: amount is the mana that the caller paid or got, total the mana that was paid. The payment remains visible if the other person is hidden (by a block, a ban or an erasure), but that person is null. A hidden co-author''s split is added to the author''s. The post is null if the caller can''t see it.';

COMMENT ON VIEW "app"."person_card" IS 'How a person appears in every public response: {id, actorId, personId, username, firstName, lastName, profilePicUrl}, as json (card) and as its text (text); actor_id has the actor id alone.';

COMMENT ON VIEW "app"."profile_card" IS 'A public profile: the person''s card with {about, country, city, createdAt}. It never includes the address, phone, birthday, role or presence.';

COMMENT ON VIEW "app"."reply_card" IS 'A reply as its viewer sees it: {id, postId, parentId, authorId, author, kind, body, hiddenAt, createdAt}. Only private.reply_cards reads this view.';

COMMENT ON VIEW "app"."reputation_vote_card" IS 'A vote as its receiver sees it: {id, voterId, voter, interestId, slug, value, comment, impact, createdAt}. It is missing while its voter is hidden.';

COMMENT ON VIEW "app"."series_card" IS 'A series as its viewer sees it: {id, authorId, author, title, description, partCount, followed, createdAt}. partCount counts the items that the viewer sees.';

COMMENT ON VIEW "app"."staff_payment_card" IS 'A whole payment as staff sees it; ids of people are UUIDs. reversedBy is the payment that reversed it.';

COMMENT ON VIEW "app"."video_comment_card" IS 'A comment as the viewer sees it: {id, videoId, authorId, author, body, removedAt, createdAt}.';

COMMENT ON VIEW "app"."wiki_version_card" IS 'A version in the history, {id, version, summary, authorId, author, createdAt}; authorId and author are null if the reader can''t see the author.';

COMMENT ON VIEW "private"."content_heads" IS 'The heads of the contents that the caller may see, with which the card of every kind begins: {id, kind, authorId, author, interestId, interest, title, groupId, guildId, createdAt, editedAt, removedAt}. For definer functions.';

COMMENT ON VIEW "private"."message_heads" IS 'Messages as the caller reads them: {id, conversationId, sender, kind, body, replyTo, attachment, reactions, createdAt, editedAt, deletedAt}. For definer functions, which first check that the caller sees the message.';

COMMENT ON VIEW "private"."staff_ai_sessions" IS 'Reflections as staff sees them: their progress, but no topic, question or answer.';

COMMENT ON VIEW "private"."staff_appeals" IS 'Appeals as staff sees them, each with its author; userId is the author''s UUID.';

COMMENT ON VIEW "private"."staff_audit_log" IS 'Audit entries as admins see them; an erasure empties ip and detail.';

COMMENT ON VIEW "private"."staff_case_reports" IS 'Reports as staff sees them, whether they still belong to a group or guild, and whether they are about the caller.';

COMMENT ON VIEW "private"."staff_cases" IS 'Cases as staff sees them. A claim that has ended is left out. own says whether a case is about the caller.';

COMMENT ON VIEW "private"."staff_circles" IS 'Circles as staff sees them, without their members.';

COMMENT ON VIEW "private"."staff_decision_appeals" IS 'Appeals as staff sees them. mayResolve says whether the caller may resolve it, own whether it is theirs.';

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

REVOKE ALL ("card_rest") ON TABLE "app"."users" FROM "authenticated";

GRANT SELECT ("card_rest") ON TABLE "app"."users" TO "authenticated";

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

ALTER TABLE "app"."sessions" ADD CONSTRAINT "sessions_rules" CHECK (private.sessions_rules(generation, token_hash, user_agent, kind, device, alert_hash));

update private.errors set "text" = 'You cannot open a case about yourself or about what you wrote.'
where "code"::text = 'case_own'
  and "text"::text = 'You cannot work on a case about yourself.';

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

update private.errors set "text" = 'Staff or a rule of the instance hid this, so only staff can show it again.'
where "code"::text = 'hidden_by_staff'
  and "text"::text = 'Staff hid this, so only staff can show it again.';

update private.errors set "text" = 'The signature of this dossier is not valid: the dossier was changed or is not complete, or its instance no longer publishes the key. Nothing was imported.'
where "code"::text = 'import_changed'
  and "text"::text = 'This dossier is not as its instance signed it: it was changed, or it is not complete, or its instance no longer publishes the key. Nothing was imported.';

update private.errors set "text" = 'Staff of the instance that wrote the dossier hid this post, so it is not imported.'
where "code"::text = 'import_hidden'
  and "text"::text = 'Staff of its instance hid this post, so it is not imported.';

update private.errors set "text" = 'A post in a group or a guild is not imported, because this instance does not know the members.'
where "code"::text = 'import_of_space'
  and "text"::text = 'A post in a group or a guild is not imported, because its members are not known here.';

update private.errors set "text" = 'A post that was not published when the dossier was written is not imported.'
where "code"::text = 'import_scheduled'
  and "text"::text = 'A post that was not published yet is not imported.';

insert into private.errors ("code", "status", "text")
values ('proof_required', '403', 'Prove first that it is you: POST /auth/proof. A proof counts for 10 minutes.');

update private.errors set "text" = 'A rule can go live after a day in shadow, or after a replay.'
where "code"::text = 'rule_untried'
  and "text"::text = 'A rule can go live when it was in shadow for a day, or was replayed.';

insert into private.errors ("code", "status", "text")
values ('session_over', '410', 'This login has already ended.');

insert into private.errors ("code", "status", "text")
values ('totp_already', '409', 'You already have an authenticator app. Remove it first.');

insert into app.settings ("key", "value")
values ('proof_tier', '');

insert into app.settings ("key", "value")
values ('require_factor', '');

update private.event_types set "happens" = 'staff has shown a reply that a rule had hidden since its creation'
where "name"::text = 'moderation.reply.released'
  and "happens"::text = 'staff has released a reply that a rule had held back since its creation';

update private.jobs set "alarm" = 'the rows of treasuries differ from the ledger of mana'
where "name"::text = 'audit-treasuries'
  and "alarm"::text = 'the rows of treasuries are not what the ledger of mana has';

update private.jobs set "alarm" = 'app.audience differed from what circles and blocks require'
where "name"::text = 'check-audience'
  and "alarm"::text = 'the audience was not what circles and blocks make of it';

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('private.devices', 'seen_at', '1 year', '5000');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('private.proofs', 'proved_at', '1 day', '5000');

update private.personal_data set "reason" = 'Only the blocker may know whom they blocked.'
where "relation"::text = 'app.blocks' and "person_column"::text = 'blocked_id'
  and "reason"::text = 'Who blocked a person is known only to the blocker.';

update private.personal_data set "reason" = 'The section of the decision has its appeals, and names the person.'
where "relation"::text = 'app.decision_appeals' and "person_column"::text = 'person_id'
  and "reason"::text = 'The person of the decision, in whose section the appeals are.';

update private.personal_data set "reason" = 'The reply belongs to somebody else.'
where "relation"::text = 'app.event_rsvps' and "person_column"::text = 'host_id'
  and "reason"::text = 'The reply is somebody else''s.';

update private.personal_data set "reason" = 'The proposal belongs to somebody else.'
where "relation"::text = 'app.guild_proposals' and "person_column"::text = 'subject_id'
  and "reason"::text = 'The proposal is somebody else''s.';

update private.personal_data set "reason" = 'The code belongs to somebody else; invitedBy names the inviter.'
where "relation"::text = 'app.invite_codes' and "person_column"::text = 'used_by'
  and "reason"::text = 'The code is somebody else''s; invitedBy has the inviter.';

update private.personal_data set "reason" = 'Only the muter may know whom they muted.'
where "relation"::text = 'app.mutes' and "person_column"::text = 'muted_id'
  and "reason"::text = 'Who muted a person is known only to the muter.';

update private.personal_data set "reason" = 'The notification belongs to somebody else; what the person did for it has a section of its own.'
where "relation"::text = 'app.notification_actors' and "person_column"::text = 'actor_id'
  and "reason"::text = 'Another''s notification; what the person did for it has a section of its own.';

update private.personal_data set "omits" = '{card_text}'
where "relation"::text = 'app.personas' and "person_column"::text = 'user_id'
  and "omits"::text = '{}';

update private.personal_data set "reason" = 'The entry belongs to somebody else; what the person did for it is in reactions, replies and invitedBy.'
where "relation"::text = 'app.reputation_entries' and "person_column"::text = 'earned_from'
  and "reason"::text = 'The entry is another''s; what the person did for it is in reactions, replies and invitedBy.';

update private.personal_data set "omits" = '{token_hash,alert_hash}'
where "relation"::text = 'app.sessions' and "person_column"::text = 'user_id'
  and "omits"::text = '{token_hash}';

update private.personal_data set "omits" = '{card_rest}'
where "relation"::text = 'app.users' and "person_column"::text = 'id'
  and "omits"::text = '{}';

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.devices', 'user_id', null, null, null, '{}', null, 'false', 'Hashes by which a login recognizes a device; sessions has the devices.');

update private.personal_data set "reason" = 'The file that the person uploaded. It is kept until it is imported, for at most 7 days.'
where "relation"::text = 'private.import_rows' and "person_column"::text = 'import_id'
  and "reason"::text = 'The file that the person uploaded, until it is imported, at most for 7 days.';

update private.personal_data set "reason" = 'It says only which things were imported; the things themselves are in their own sections.'
where "relation"::text = 'private.imported' and "person_column"::text = 'user_id'
  and "reason"::text = 'Which things were imported; the sections have the things themselves.';

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.people_with_factor', 'user_id', null, null, null, '{}', null, 'false', 'Says only that the person has a factor, as authenticatorApp does.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.proofs', 'user_id', 'proofs', null, null, '{}', null, 'false', null);

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.recovery_codes', 'user_id', 'recoveryCodes', null, null, '{code_hash}', null, 'false', null);

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('private.totp', 'user_id', 'authenticatorApp', null, null, '{secret,last_step}', null, 'false', null);

update private.report_targets set "co_authors" = null
where "type"::text = 'argument';

update private.report_targets set "co_authors" = null
where "type"::text = 'audio';

update private.report_targets set "co_authors" = null
where "type"::text = 'course';

update private.report_targets set "co_authors" = null
where "type"::text = 'debate';

update private.report_targets set "co_authors" = null
where "type"::text = 'event';

update private.report_targets set "co_authors" = null
where "type"::text = 'group';

update private.report_targets set "co_authors" = null
where "type"::text = 'guild';

update private.report_targets set "co_authors" = null
where "type"::text = 'message';

update private.report_targets set "co_authors" = null
where "type"::text = 'offering';

update private.report_targets set "co_authors" = 'select user_id from app.post_co_authors where post_id = $1 and status = ''accepted'''
where "type"::text = 'post';

update private.report_targets set "co_authors" = null
where "type"::text = 'problem';

update private.report_targets set "co_authors" = null
where "type"::text = 'project';

update private.report_targets set "co_authors" = null
where "type"::text = 'reply';

update private.report_targets set "co_authors" = null
where "type"::text = 'review';

update private.report_targets set "co_authors" = null
where "type"::text = 'solution';

update private.report_targets set "co_authors" = null
where "type"::text = 'user';

update private.report_targets set "co_authors" = null
where "type"::text = 'video';

update private.report_targets set "co_authors" = null
where "type"::text = 'video-comment';

update private.access_reasons set "text" = 'The person is its author.'
where "code"::text = 'author' and "effect"::text = 'allows'
  and "text"::text = 'They are its author.';

update private.access_reasons set "text" = 'The person is in a circle of its author.'
where "code"::text = 'circle' and "effect"::text = 'allows'
  and "text"::text = 'They are in a circle of its author.';

update private.access_reasons set "text" = 'It is for the circles of its author, and the person is in none of them.'
where "code"::text = 'circle' and "effect"::text = 'denies'
  and "text"::text = 'It is for the circles of its author, and they are in none.';

insert into private.access_reasons ("code", "effect", "text")
values ('draft', 'leaves_out', 'It is a draft. Only its author sees it.');

update private.access_reasons set "text" = 'Staff, or those who moderate its space, hid it from everybody but its author.'
where "code"::text = 'hidden' and "effect"::text = 'denies'
  and "text"::text = 'Staff, or who moderates its space, hid it from everybody but its author.';

update private.access_reasons set "text" = 'Staff, or those who moderate its space, hid it. Its author still sees it.'
where "code"::text = 'hidden' and "effect"::text = 'leaves_out'
  and "text"::text = 'Staff, or who moderates its space, hid it. Its author still sees it.';

update private.access_reasons set "text" = 'The person takes part in the conversation.'
where "code"::text = 'in_conversation' and "effect"::text = 'allows'
  and "text"::text = 'They take part in the conversation.';

update private.access_reasons set "text" = 'The person is in the inner circle of its author.'
where "code"::text = 'inner_circle' and "effect"::text = 'allows'
  and "text"::text = 'They are in the inner circle of its author.';

update private.access_reasons set "text" = 'It is for the inner circle of its author, and the person is not in it.'
where "code"::text = 'inner_circle' and "effect"::text = 'denies'
  and "text"::text = 'It is for the inner circle of its author, and they are not in it.';

update private.access_reasons set "text" = 'Its author, or the author of the original, is limited, and the person does not follow that author.'
where "code"::text = 'limited_author' and "effect"::text = 'leaves_out'
  and "text"::text = 'Its author, or that of the original, is limited, and this person does not follow that author.';

update private.access_reasons set "text" = 'The person muted the author, the post or a word in it.'
where "code"::text = 'muted' and "effect"::text = 'leaves_out'
  and "text"::text = 'They muted the author, the post or a word in it.';

update private.access_reasons set "text" = 'The person does not take part in the conversation.'
where "code"::text = 'not_in_conversation' and "effect"::text = 'denies'
  and "text"::text = 'They do not take part in the conversation.';

update private.access_reasons set "text" = 'The person does not see the post that it reposts.'
where "code"::text = 'original_unseen' and "effect"::text = 'denies'
  and "text"::text = 'They do not see the post that it reposts.';

update private.access_reasons set "text" = 'The person sees the post that it answers.'
where "code"::text = 'post_seen' and "effect"::text = 'allows'
  and "text"::text = 'They see the post that it answers.';

update private.access_reasons set "text" = 'The person does not see the post that it answers.'
where "code"::text = 'post_unseen' and "effect"::text = 'denies'
  and "text"::text = 'They do not see the post that it answers.';

insert into private.access_reasons ("code", "effect", "text")
values ('removed', 'leaves_out', 'Staff removed it. Its author still sees it.');

update private.access_reasons set "text" = 'The person is a member of the group or guild.'
where "code"::text = 'space_member' and "effect"::text = 'allows'
  and "text"::text = 'They are a member of the group or guild.';

update private.access_reasons set "text" = 'The person is not a member of the group or guild, and only members see what is in it.'
where "code"::text = 'space_private' and "effect"::text = 'denies'
  and "text"::text = 'They are not a member of the group or guild, and only members see what is in it.';

update private.access_reasons set "text" = 'The person is a student of this course, which is archived.'
where "code"::text = 'student' and "effect"::text = 'allows'
  and "text"::text = 'They are a student of this course, which is archived.';
