-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP VIEW "private"."staff_reports";

DROP FUNCTION "api"."report"(text, text, text);

CREATE TABLE "app"."case_events" ("id" bigint GENERATED ALWAYS AS IDENTITY NOT NULL, "case_id" uuid NOT NULL, "kind" text NOT NULL, "actor_id" uuid, "note" text, "detail" jsonb NOT NULL DEFAULT '{}'::jsonb, "at" timestamp with time zone NOT NULL DEFAULT clock_timestamp(), CONSTRAINT "case_events_pkey" PRIMARY KEY (id));

ALTER TABLE "app"."case_events" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."case_events" OWNER TO "postgres";

CREATE TABLE "app"."case_proposals" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "case_id" uuid NOT NULL, "actions" text[] NOT NULL, "reason" text NOT NULL, "until" timestamp with time zone, "proposed_by" uuid, "proposed_at" timestamp with time zone NOT NULL DEFAULT now(), "status" text NOT NULL DEFAULT 'open'::text, "settled_by" uuid, "settled_at" timestamp with time zone, CONSTRAINT "case_proposals_pkey" PRIMARY KEY (id));

ALTER TABLE "app"."case_proposals" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."case_proposals" OWNER TO "postgres";

CREATE TABLE "app"."case_reports" ("case_id" uuid NOT NULL, "report_id" uuid NOT NULL, CONSTRAINT "case_reports_pkey" PRIMARY KEY (case_id, report_id));

ALTER TABLE "app"."case_reports" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."case_reports" OWNER TO "postgres";

CREATE TABLE "app"."cases" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "number" bigint GENERATED ALWAYS AS IDENTITY NOT NULL, "target_type" text NOT NULL, "target_id" uuid NOT NULL, "person_id" uuid, "category" text NOT NULL, "rule" text, "priority" smallint NOT NULL, "source" text NOT NULL, "status" text NOT NULL DEFAULT 'open'::text, "outcome" text, "reports" integer NOT NULL DEFAULT 0, "claimed_by" uuid, "claimed_until" timestamp with time zone, "opened_at" timestamp with time zone NOT NULL DEFAULT now(), "updated_at" timestamp with time zone NOT NULL DEFAULT clock_timestamp(), "closed_by" uuid, "closed_at" timestamp with time zone, CONSTRAINT "cases_pkey" PRIMARY KEY (id));

ALTER TABLE "app"."cases" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."cases" OWNER TO "postgres";

CREATE TABLE "app"."decision_appeals" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "decision_id" uuid NOT NULL, "person_id" uuid NOT NULL, "text" text NOT NULL, "status" text NOT NULL DEFAULT 'pending'::text, "undone" boolean, "answer" text, "resolved_by" uuid, "resolved_at" timestamp with time zone, "created_at" timestamp with time zone NOT NULL DEFAULT now(), CONSTRAINT "decision_appeals_pkey" PRIMARY KEY (id));

ALTER TABLE "app"."decision_appeals" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."decision_appeals" OWNER TO "postgres";

CREATE TABLE "app"."decisions" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "case_id" uuid, "target_type" text NOT NULL, "target_id" uuid NOT NULL, "person_id" uuid NOT NULL, "action" text NOT NULL, "category" text NOT NULL DEFAULT 'other'::text, "rule" text, "reason" text NOT NULL DEFAULT ''::text, "decided_by" uuid, "decided_at" timestamp with time zone NOT NULL DEFAULT clock_timestamp(), "ends_at" timestamp with time zone, "audit_id" bigint NOT NULL, "lifted_at" timestamp with time zone, "overturned_at" timestamp with time zone, CONSTRAINT "decisions_pkey" PRIMARY KEY (id));

ALTER TABLE "app"."decisions" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."decisions" OWNER TO "postgres";

CREATE TABLE "private"."case_categories" ("category" text NOT NULL, "text" text NOT NULL, "priority" smallint NOT NULL, "strikes" smallint NOT NULL DEFAULT 1, "at_once" boolean NOT NULL DEFAULT false, CONSTRAINT "case_categories_category_check" CHECK ((category ~ '^[a-z][a-z-]{1,29}$'::text)), CONSTRAINT "case_categories_pkey" PRIMARY KEY (category), CONSTRAINT "case_categories_priority_check" CHECK (((priority >= 1) AND (priority <= 4))), CONSTRAINT "case_categories_strikes_check" CHECK (((strikes >= 0) AND (strikes <= 10))));

ALTER TABLE "private"."case_categories" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."case_categories" OWNER TO "postgres";

CREATE TABLE "private"."case_handlers" ("target_type" text NOT NULL, "action" text NOT NULL, "statement" text NOT NULL, "undo" text, "place" smallint NOT NULL, CONSTRAINT "case_handlers_action_check" CHECK ((action ~ '^[a-z]+$'::text)), CONSTRAINT "case_handlers_pkey" PRIMARY KEY (target_type, action), CONSTRAINT "case_handlers_place_check" CHECK (((place >= 1) AND (place <= 9))));

ALTER TABLE "private"."case_handlers" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."case_handlers" OWNER TO "postgres";

CREATE TABLE "private"."case_transitions" ("status" text NOT NULL, "action" text NOT NULL, "next" text NOT NULL, "roles" text[] NOT NULL, "needs" text[] NOT NULL DEFAULT '{}'::text[], CONSTRAINT "case_transitions_action_check" CHECK ((action ~ '^[a-z]+$'::text)), CONSTRAINT "case_transitions_needs_check" CHECK ((needs <@ '{claim,reason,until,person}'::text[])), CONSTRAINT "case_transitions_next_check" CHECK ((next = ANY (ARRAY['open'::text, 'closed'::text]))), CONSTRAINT "case_transitions_pkey" PRIMARY KEY (status, action), CONSTRAINT "case_transitions_roles_check" CHECK (((roles <> '{}'::text[]) AND (roles <@ '{moderator,admin}'::text[]))), CONSTRAINT "case_transitions_status_check" CHECK ((status = ANY (ARRAY['open'::text, 'closed'::text]))));

ALTER TABLE "private"."case_transitions" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."case_transitions" OWNER TO "postgres";

CREATE TABLE "private"."decision_kinds" ("verb" text NOT NULL, "action" text NOT NULL, "lifts" boolean NOT NULL DEFAULT false, CONSTRAINT "decision_kinds_action_check" CHECK ((action = ANY (ARRAY['warn'::text, 'hide'::text, 'remove'::text, 'limit'::text, 'suspend'::text, 'ban'::text]))), CONSTRAINT "decision_kinds_pkey" PRIMARY KEY (verb), CONSTRAINT "decision_kinds_verb_check" CHECK ((verb ~ '^[a-z]+$'::text)));

ALTER TABLE "private"."decision_kinds" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."decision_kinds" OWNER TO "postgres";

ALTER TABLE "app"."cases" ADD COLUMN "place" bigint GENERATED ALWAYS AS (((((5 - priority))::bigint << 48) - number)) STORED NOT NULL;

ALTER TABLE "app"."reports" ADD COLUMN "category" text NOT NULL DEFAULT 'other'::text;

CREATE OR REPLACE FUNCTION api.accept_case_proposal(p_id uuid, p_proposal_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_case     app.cases := private.begin_case_work(p_id, 'accept');
  v_proposal app.case_proposals := private.settle_case_proposal(p_id, p_proposal_id, 'accepted');
  v_next     text;
begin
  perform private.begin_case_work(p_id, variadic v_proposal.actions);
  perform private.check_actions(v_case, v_proposal.actions, v_proposal.until);
  v_next := private.act_in_case(v_case, v_proposal.actions, v_proposal.reason, null, null, v_proposal.until);
  perform private.restart_lock_order();
  return private.end_case_work(p_id, 'accepted', null, json_build_object(
    'proposalId', p_proposal_id, 'actions', v_proposal.actions), v_next);
end $function$;

ALTER FUNCTION "api"."accept_case_proposal"(uuid, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.act_on_case(p_id uuid, p_actions text[], p_reason text DEFAULT NULL::text, p_category text DEFAULT NULL::text, p_rule text DEFAULT NULL::text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_reason text;
  v_rule   text;
  v_case   app.cases;
  v_next   text;
begin
  perform private.require_role('moderator', 'admin');
  v_reason := private.find_reason(p_reason);
  v_rule := private.require_short(p_rule, 300, 'case_rule');
  if p_category is not null then
    perform private.require_category(p_category);
  end if;
  v_case := private.begin_case_work(p_id, variadic coalesce(p_actions, '{}'));
  perform private.check_actions(v_case, coalesce(p_actions, '{}'), p_until);
  if v_reason is null and private.needs_reason(p_actions) then
    perform private.raise_error('case_reason');
  end if;
  v_next := private.act_in_case(v_case, p_actions, v_reason, p_category, v_rule, p_until);
  perform private.restart_lock_order();
  perform private.set_case(p_id, p_category, v_rule, null);
  return private.end_case_work(p_id, case p_actions when '{dismiss}' then 'dismissed' else 'acted' end, null,
                               json_build_object('actions', p_actions), v_next);
end $function$;

ALTER FUNCTION "api"."act_on_case"(uuid, text[], text, text, text, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.act_on_invitees(p_id text, p_action text, p_people text[], p_reason text, p_category text DEFAULT NULL::text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_reason  text;
  v_inviter uuid;
  v_people  uuid[];
begin
  perform private.require_role('admin');
  v_reason := private.require_reason(p_reason);
  v_inviter := private.find_staff_person(p_id);
  if p_action is null or p_action not in ('limit', 'suspend', 'ban') then
    perform private.raise_error('invitees_action');
  elsif coalesce(cardinality(p_people), 0) not between 1 and 50 then
    perform private.raise_error('invitees_chosen');
  elsif (p_action = 'suspend') <> (p_until is not null) or p_until is not null and not private.is_ahead(p_until) then
    perform private.raise_error('case_until');
  end if;
  perform private.require_category(coalesce(p_category, 'other'));
  v_people := array(select distinct private.require_any_person(p) from unnest(p_people) p order by 1);
  if cardinality(v_people) < cardinality(p_people) then
    perform private.raise_error('invitees_chosen');
  elsif cardinality(v_people) > (select count(*) from app.invite_tree
                                 where invitee_id = any (v_people) and inviter_id = v_inviter) then
    perform private.raise_error('invitee_unknown');
  end if;
  perform private.act_on_people(v_people, p_action, v_reason, coalesce(p_category, 'other'), p_until);
  return json_build_object('items', (select json_agg(private.staff_account(p) order by p) from unnest(v_people) p));
end $function$;

ALTER FUNCTION "api"."act_on_invitees"(text, text, text[], text, text, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.add_case_note(p_id uuid, p_text text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_text text;
begin
  perform private.require_role('moderator', 'admin');
  v_text := private.require_short(p_text, 2000, 'case_note');
  if v_text is null then
    perform private.raise_error('case_note');
  end if;
  perform private.begin_case_work(p_id, 'note');
  return private.end_case_work(p_id, 'note', v_text);
end $function$;

ALTER FUNCTION "api"."add_case_note"(uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.appeal_by_password(p_user_id uuid, p_password_hash text, p_decision_id uuid, p_text text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_password(p_user_id, p_password_hash);
  perform private.add_decision_appeal(p_user_id, p_decision_id, p_text);
  return private.standing(p_user_id);
end $function$;

ALTER FUNCTION "api"."appeal_by_password"(uuid, text, uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.appeal_decision(p_id uuid, p_text text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept json := private.begin_idempotent('appeal_decision', json_build_array(p_id, p_text));
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.appeal_own_decision(p_id, p_text);
  return private.finish_idempotent('appeal_decision', private.own_standing());
end $function$;

ALTER FUNCTION "api"."appeal_decision"(uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.claim_case(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_case_work(p_id, 'claim');
  perform private.set_claim(p_id, true);
  return private.end_case_work(p_id, 'claimed');
end $function$;

ALTER FUNCTION "api"."claim_case"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.create_case(p_target_type text, p_target_id text, p_category text DEFAULT NULL::text, p_note text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_note text;
  v_id   uuid;
begin
  perform private.require_role('moderator', 'admin');
  v_note := private.require_short(p_note, 2000, 'case_note');
  v_id := private.open_case(p_target_type, private.require_case_target(p_target_type, p_target_id),
                            coalesce(p_category, 'other'), 'staff', v_note);
  perform private.audit('case.opened', 'case', v_id::text);
  return private.staff_card('cases', v_id);
end $function$;

ALTER FUNCTION "api"."create_case"(text, text, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.decline_case_proposal(p_id uuid, p_proposal_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.begin_case_work(p_id, 'decline');
  perform private.settle_case_proposal(p_id, p_proposal_id, 'declined');
  return private.end_case_work(p_id, 'declined', null, json_build_object('proposalId', p_proposal_id));
end $function$;

ALTER FUNCTION "api"."decline_case_proposal"(uuid, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.find_standing(p_user_id uuid, p_password_hash text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_password(p_user_id, p_password_hash);
  return private.standing(p_user_id);
end $function$;

ALTER FUNCTION "api"."find_standing"(uuid, text) OWNER TO "postgres";

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
  if not found then
    perform private.raise_error('case_unknown');
  end if;
  return private.merge_objects(private.staff_card('cases', p_id), private.case_file(v_case));
end $function$;

ALTER FUNCTION "api"."get_case"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.get_standing()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$ begin return private.own_standing(); end $function$;

ALTER FUNCTION "api"."get_standing"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_cases(p_status text DEFAULT NULL::text, p_category text DEFAULT NULL::text, p_priority integer DEFAULT NULL::integer, p_claimed text DEFAULT NULL::text, p_target_type text DEFAULT NULL::text, p_person_id text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
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
      'status', p_status, 'category', p_category, 'priority', p_priority, 'target_type', p_target_type),
    array['person_id', 'claimed_by', 'category', 'status'], p_q, p_from, p_to, p_limit, p_cursor, 'place');
end $function$;

ALTER FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_decision_appeals(p_status text DEFAULT NULL::text, p_person_id text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.staff_page(
    'decision_appeals', json_build_object('person_id', private.find_staff_person(p_person_id), 'status', p_status),
    array['person_id', 'status'], p_q, p_from, p_to, p_limit, p_cursor);
end $function$;

ALTER FUNCTION "api"."list_decision_appeals"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_invitees(p_id text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.staff_page(
    'invitees', json_build_object('inviter_id', private.find_staff_person(p_id)), array['inviter_id'], p_q, p_from,
    p_to, p_limit, p_cursor);
end $function$;

ALTER FUNCTION "api"."list_invitees"(text, text, timestamp with time zone, timestamp with time zone, integer, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_report_categories()
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$ begin return json_build_object('items', private.category_cards()); end $function$;

ALTER FUNCTION "api"."list_report_categories"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.propose_in_case(p_id uuid, p_actions text[], p_reason text, p_until timestamp with time zone DEFAULT NULL::timestamp with time zone)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_reason text;
  v_case   app.cases;
begin
  perform private.require_role('moderator', 'admin');
  v_reason := private.find_reason(p_reason);
  if v_reason is null then
    perform private.raise_error('case_reason');
  end if;
  v_case := private.begin_case_work(p_id, 'propose');
  perform private.check_actions(v_case, coalesce(p_actions, '{}'), p_until);
  return private.end_case_work(p_id, 'proposed', null, json_build_object(
    'proposalId', private.add_case_proposal(p_id, p_actions, v_reason, p_until), 'actions', p_actions));
end $function$;

ALTER FUNCTION "api"."propose_in_case"(uuid, text[], text, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.release_case(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_case app.cases := private.begin_case_work(p_id, 'release');
begin
  if v_case.claimed_by is null then
    return private.staff_card('cases', p_id);
  elsif v_case.claimed_by <> app.uid() and v_case.claimed_until > now() then
    perform private.require_role('admin');
  end if;
  perform private.set_claim(p_id, false);
  return private.end_case_work(p_id, 'released');
end $function$;

ALTER FUNCTION "api"."release_case"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.report(p_target_type text, p_target_id text, p_reason text, p_category text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_kept   json := private.begin_idempotent(
    'report', case when p_category is null then json_build_array(p_target_type, p_target_id, p_reason)
                   else json_build_array(p_target_type, p_target_id, p_reason, p_category) end);
  v_target uuid;
  v_report app.reports;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('reports');
  perform private.require_category(coalesce(p_category, 'other'));
  -- safe: the function name comes from the registry, never from the caller
  execute format('select %s($1, $2)', private.require_report_finder(p_target_type))
    into v_target using p_target_type, p_target_id;
  insert into app.reports (reporter_id, target_type, target_id, reason, category)
  values (private.require_caller(), p_target_type, v_target, private.require_text(p_reason),
          coalesce(p_category, 'other'))
  on conflict (reporter_id, target_type, target_id) where status = 'open' do nothing
  returning * into v_report;
  if not found then
    perform private.raise_error('report_open');
  end if;
  return private.finish_idempotent('report', json_build_object(
    'id', v_report.id,
    'targetType', p_target_type,
    'targetId', case p_target_type when 'user' then (select actor_id from app.person_card where id = v_target)
                else v_target::text end,
    'reason', v_report.reason,
    'category', v_report.category,
    'status', v_report.status,
    'createdAt', private.utc(v_report.created_at)));
end $function$;

ALTER FUNCTION "api"."report"(text, text, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.resolve_decision_appeal(p_id uuid, p_verdict text, p_answer text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_answer text;
begin
  perform private.require_role('moderator', 'admin');
  if p_verdict is null or p_verdict not in ('uphold', 'overturn') then
    perform private.raise_error('appeal_verdict');
  end if;
  v_answer := private.find_reason(p_answer);
  if v_answer is null then
    perform private.raise_error('case_reason');
  end if;
  perform private.settle_decision_appeal(p_id, p_verdict, v_answer);
  return private.staff_card('decision_appeals', p_id);
end $function$;

ALTER FUNCTION "api"."resolve_decision_appeal"(uuid, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.update_case(p_id uuid, p_category text DEFAULT NULL::text, p_priority integer DEFAULT NULL::integer, p_rule text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_rule text;
begin
  perform private.require_role('moderator', 'admin');
  v_rule := private.require_short(p_rule, 300, 'case_rule');
  if p_category is not null then
    perform private.require_category(p_category);
  end if;
  if p_priority not between 1 and 4 then
    perform private.raise_error('case_priority');
  end if;
  perform private.begin_case_work(p_id, 'change');
  perform private.set_case(p_id, p_category, v_rule, p_priority);
  return private.end_case_work(p_id, 'changed', null,
                               json_build_object('category', p_category, 'priority', p_priority));
end $function$;

ALTER FUNCTION "api"."update_case"(uuid, text, integer, text) OWNER TO "postgres";

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
  perform set_config('kith.case', '', true);
  return case when exists (select from private.case_transitions
                           where status = (p_case).status and action = any (p_actions) and next = 'closed')
              then 'closed' else 'open' end;
end $function$;

ALTER FUNCTION "private"."act_in_case"(app.cases, text[], text, text, text, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.act_on_people(p_people uuid[], p_action text, p_reason text, p_category text, p_until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_person  uuid;
  v_handler private.case_handlers;
begin
  select * into v_handler from private.case_handlers where target_type = 'user' and action = p_action;
  perform private.lock_accounts(p_people);
  perform set_config('kith.case', json_build_object('category', p_category)::text, true);
  foreach v_person in array p_people loop
    perform private.restart_lock_order();
    -- safe: the statement comes from the registry
    execute v_handler.statement using v_person, p_reason, p_until;
  end loop;
  perform set_config('kith.case', '', true);
end $function$;

ALTER FUNCTION "private"."act_on_people"(uuid[], text, text, text, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.add_case_event(p_case uuid, p_kind text, p_note text DEFAULT NULL::text, p_detail json DEFAULT '{}'::json)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  insert into app.case_events (case_id, kind, actor_id, note, detail)
  values (p_case, p_kind, app.uid(), p_note, p_detail::jsonb);
end $function$;

ALTER FUNCTION "private"."add_case_event"(uuid, text, text, json) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.add_case_proposal(p_case uuid, p_actions text[], p_reason text, p_until timestamp with time zone)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_id uuid;
begin
  if exists (select from private.case_transitions t
             where t.status = 'open' and t.action = any (p_actions) and 'moderator' = any (t.roles)) then
    perform private.raise_error('proposal_actions');
  end if;
  insert into app.case_proposals (case_id, actions, reason, until, proposed_by)
  values (p_case, p_actions, p_reason, p_until, app.uid())
  on conflict (case_id) where status = 'open' do nothing
  returning id into v_id;
  if v_id is null then
    perform private.raise_error('case_proposal_open');
  end if;
  return v_id;
end $function$;

ALTER FUNCTION "private"."add_case_proposal"(uuid, text[], text, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.add_decision_appeal(p_person uuid, p_decision uuid, p_text text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_text     text := private.require_text(p_text);
  v_decision app.decisions;
  v_id       uuid;
begin
  if v_text is null or length(v_text) not between 1 and 2000 then
    perform private.raise_error('appeal_text');
  end if;
  select * into v_decision from app.decisions where id = p_decision and person_id = p_person;
  if not found then
    perform private.raise_error('decision_unknown');
  elsif v_decision.overturned_at is not null then
    perform private.raise_error('decision_overturned');
  end if;
  insert into app.decision_appeals (decision_id, person_id, text) values (p_decision, p_person, v_text)
  on conflict (decision_id) do nothing
  returning id into v_id;
  if v_id is null then
    perform private.raise_error('decision_appealed');
  end if;
  if v_decision.case_id is not null then
    insert into app.case_events (case_id, kind, detail)
    values (v_decision.case_id, 'appealed', jsonb_build_object('decisionId', p_decision, 'appealId', v_id));
  end if;
end $function$;

ALTER FUNCTION "private"."add_decision_appeal"(uuid, uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.add_report_to_case()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_case uuid := private.open_case(new.target_type, new.target_id, new.category, 'report');
begin
  insert into app.case_reports (case_id, report_id) values (v_case, new.id);
  update app.cases set reports = reports + 1 where id = v_case;
  return null;
end $function$;

ALTER FUNCTION "private"."add_report_to_case"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.appeal_own_decision(p_decision uuid, p_text text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$ begin perform private.add_decision_appeal(private.require_caller(), p_decision, p_text); end $function$;

ALTER FUNCTION "private"."appeal_own_decision"(uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.appeal_roles(p_decision app.decisions)
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select roles from private.case_transitions where status = 'closed' and action = (p_decision).action);
end $function$;

ALTER FUNCTION "private"."appeal_roles"(app.decisions) OWNER TO "postgres";

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
  if not exists (select from app.cases where id = p_case) then
    perform private.raise_error('case_unknown');
  end if;
  perform private.lock('case work', p_case::text);
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
    if v_case.person_id = app.uid() then
      perform private.raise_error('case_own');
    elsif 'claim' = any (v_step.needs) and v_case.claimed_by <> app.uid() and v_case.claimed_until > now() then
      perform private.raise_error('case_claimed');
    elsif 'person' = any (v_step.needs) and v_case.person_id is null then
      perform private.raise_error('case_person');
    end if;
  end loop;
  return v_case;
end $function$;

ALTER FUNCTION "private"."begin_case_work"(uuid, text[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.case_events_rules(kind text, note text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if (kind ~ '^[a-z]+(-[a-z]+)*$'::text) is false then perform private.raise_check_violation('case_events_kind_check'); end if;
  if ((length(note) >= 1) AND (length(note) <= 2000)) is false then perform private.raise_check_violation('case_events_note_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."case_events_rules"(text, text) OWNER TO "postgres";

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
    'reports', private.report_cards(array(
      select c.report_id from app.case_reports c join app.reports r on r.id = c.report_id
      where c.case_id = (p_case).id order by r.created_at desc, r.id desc limit 50)),
    'earlierCases', (
      select coalesce(json_agg(e.card order by e.place), '[]')
      from (select s.card, s.place from app.cases o join private.staff_cases s on s.id = o.id
            where o.target_type = (p_case).target_type and o.target_id = (p_case).target_id
              and o.number < (p_case).number
            order by o.number desc limit 20) e),
    'proposals', private.case_proposals((p_case).id),
    'history', private.case_history((p_case).id),
    'strikes', case when v_person is not null then private.count_strikes(v_person) end,
    'decisions', case when v_person is not null then private.staff_decision_cards(v_person) end);
end $function$;

ALTER FUNCTION "private"."case_file"(app.cases) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.case_history(p_case uuid)
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
  return (
    select coalesce(json_agg(json_build_object(
             'kind', e.kind, 'actorId', e.actor_id, 'actor', actor.card, 'note', e.note, 'detail', e.detail,
             'createdAt', private.utc(e.at)) order by e.id desc), '[]')
    from (select * from app.case_events where case_id = p_case order by id desc limit 200) e
    left join app.person_card actor on actor.id = e.actor_id);
end $function$;

ALTER FUNCTION "private"."case_history"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.case_proposals(p_case uuid)
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
  return (
    select coalesce(json_agg(json_build_object(
             'id', p.id, 'actions', p.actions, 'reason', p.reason, 'until', private.utc(p.until), 'status', p.status,
             'proposedById', p.proposed_by, 'settledById', p.settled_by, 'settledAt', private.utc(p.settled_at),
             'createdAt', private.utc(p.proposed_at)) order by p.proposed_at desc), '[]')
    from (select * from app.case_proposals where case_id = p_case order by proposed_at desc limit 50) p);
end $function$;

ALTER FUNCTION "private"."case_proposals"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.case_proposals_rules(actions text[], reason text, status text, settled_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if ((cardinality(actions) >= 1) AND (cardinality(actions) <= 5)) is false then perform private.raise_check_violation('case_proposals_actions_check'); end if;
  if ((status = 'open'::text) = (settled_at IS NULL)) is false then perform private.raise_check_violation('case_proposals_check'); end if;
  if (length(reason) <= 1000) is false then perform private.raise_check_violation('case_proposals_reason_check'); end if;
  if (status = ANY (ARRAY['open'::text, 'accepted'::text, 'declined'::text])) is false then perform private.raise_check_violation('case_proposals_status_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."case_proposals_rules"(text[], text, text, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.cases_rules(rule text, priority smallint, source text, status text, outcome text, reports integer, closed_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if ((status = 'closed'::text) = (closed_at IS NOT NULL)) is false then perform private.raise_check_violation('cases_check'); end if;
  if ((status = 'closed'::text) = (outcome IS NOT NULL)) is false then perform private.raise_check_violation('cases_check1'); end if;
  if (outcome = ANY (ARRAY['acted'::text, 'dismissed'::text])) is false then perform private.raise_check_violation('cases_outcome_check'); end if;
  if ((priority >= 1) AND (priority <= 4)) is false then perform private.raise_check_violation('cases_priority_check'); end if;
  if (reports >= 0) is false then perform private.raise_check_violation('cases_reports_check'); end if;
  if (length(rule) <= 300) is false then perform private.raise_check_violation('cases_rule_check'); end if;
  if (source = ANY (ARRAY['report'::text, 'rule'::text, 'staff'::text, 'space'::text])) is false then perform private.raise_check_violation('cases_source_check'); end if;
  if (status = ANY (ARRAY['open'::text, 'closed'::text])) is false then perform private.raise_check_violation('cases_status_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."cases_rules"(text, smallint, text, text, text, integer, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.category_cards()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select json_agg(json_build_object('category', category, 'text', text) order by priority, category)
          from private.case_categories);
end $function$;

ALTER FUNCTION "private"."category_cards"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.check_actions(p_case app.cases, p_actions text[], p_until timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_needs text[];
begin
  if exists (select from unnest(p_actions) a
             where a <> 'dismiss' and (private.find_handler(p_case, a)).action is null) then
    perform private.raise_error('case_action');
  elsif cardinality(p_actions) not between 1 and 5
     or cardinality(p_actions) > (select count(distinct a) from unnest(p_actions) a)
     or 'dismiss' = any (p_actions) and cardinality(p_actions) > 1
     or (select count(*) from unnest(p_actions) a where (private.find_handler(p_case, a)).place = 9) > 1 then
    perform private.raise_error('case_actions');
  end if;
  v_needs := array(select unnest(needs) from private.case_transitions
                   where status = (p_case).status and action = any (p_actions));
  if ('until' = any (v_needs)) <> (p_until is not null)
     or p_until is not null and not private.is_ahead(p_until) then
    perform private.raise_error('case_until');
  end if;
end $function$;

ALTER FUNCTION "private"."check_actions"(app.cases, text[], timestamp with time zone) OWNER TO "postgres";

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
                where d.overturned_at is null
                group by coalesce(d.case_id, d.id)) s);
end $function$;

ALTER FUNCTION "private"."count_strikes"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.decision_appeals_rules(text text, status text, answer text, resolved_at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if ((length(answer) >= 1) AND (length(answer) <= 1000)) is false then perform private.raise_check_violation('decision_appeals_answer_check'); end if;
  if ((status = 'pending'::text) = (resolved_at IS NULL)) is false then perform private.raise_check_violation('decision_appeals_check'); end if;
  if (status = ANY (ARRAY['pending'::text, 'upheld'::text, 'overturned'::text])) is false then perform private.raise_check_violation('decision_appeals_status_check'); end if;
  if (length(text) <= 2000) is false then perform private.raise_check_violation('decision_appeals_text_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."decision_appeals_rules"(text, text, text, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.decision_card(p_decision app.decisions)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return json_build_object(
    'id', (p_decision).id, 'caseId', (p_decision).case_id, 'targetType', (p_decision).target_type,
    'targetId', (p_decision).target_id, 'action', (p_decision).action, 'category', (p_decision).category,
    'rule', (p_decision).rule, 'reason', (p_decision).reason, 'decidedById', (p_decision).decided_by,
    'endsAt', private.utc((p_decision).ends_at), 'liftedAt', private.utc((p_decision).lifted_at),
    'overturnedAt', private.utc((p_decision).overturned_at), 'createdAt', private.utc((p_decision).decided_at));
end $function$;

ALTER FUNCTION "private"."decision_card"(app.decisions) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.decisions_rules(action text, rule text, reason text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if (action = ANY (ARRAY['warn'::text, 'hide'::text, 'remove'::text, 'limit'::text, 'suspend'::text, 'ban'::text])) is false then perform private.raise_check_violation('decisions_action_check'); end if;
  if (length(reason) <= 1000) is false then perform private.raise_check_violation('decisions_reason_check'); end if;
  if (length(rule) <= 300) is false then perform private.raise_check_violation('decisions_rule_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."decisions_rules"(text, text, text) OWNER TO "postgres";

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
  -- after the lock of the row: a report that was being added is now either part of this case or of the next
  if private.settle_case_reports(jsonb_build_object('caseId', p_case)) ->> 'next' is not null then
    perform private.enqueue('settled-reports', json_build_object('caseId', p_case));
  end if;
end $function$;

ALTER FUNCTION "private"."end_case"(uuid, text) OWNER TO "postgres";

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
  -- locks the row first, so that a report that is being added counts
  perform from app.cases where id = p_case and status = 'open' for no key update;
  if found and not exists (select from app.case_reports c join app.reports r on r.id = c.report_id
                           where c.case_id = p_case and r.status = 'open') then
    perform private.end_case(p_case, p_outcome);
  end if;
end $function$;

ALTER FUNCTION "private"."end_case_without_reports"(uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.end_case_work(p_case uuid, p_kind text, p_note text DEFAULT NULL::text, p_detail json DEFAULT '{}'::json, p_next text DEFAULT 'open'::text)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.check_lock_order('case', p_case::text);
  update app.cases
  set updated_at = clock_timestamp(),
      claimed_until = case when claimed_by = app.uid() and claimed_until > now() then now() + interval '30 minutes'
                           else claimed_until end
  where id = p_case;
  perform private.add_case_event(p_case, p_kind, p_note, p_detail);
  if p_next = 'closed' then
    perform private.end_case(p_case, case p_kind when 'dismissed' then 'dismissed' else 'acted' end);
  end if;
  perform private.audit('case.' || p_kind, 'case', p_case::text);
  return private.staff_card('cases', p_case);
end $function$;

ALTER FUNCTION "private"."end_case_work"(uuid, text, text, json, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.erase_cases(p_user app.users)
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
declare
  v_changed integer;
  v_is_rest boolean;
begin
  update app.case_events set note = null where id in (
    select e.id from app.cases c join app.case_events e on e.case_id = c.id
    where c.person_id = p_user.id and e.note is not null limit 500);
  get diagnostics v_changed = row_count;
  v_is_rest := v_changed = 500;
  update app.cases set rule = null where id in (
    select id from app.cases where person_id = p_user.id and rule is not null limit 500);
  get diagnostics v_changed = row_count;
  v_is_rest := v_is_rest or v_changed = 500;
  update app.case_proposals set reason = '' where id in (
    select p.id from app.cases c join app.case_proposals p on p.case_id = c.id
    where c.person_id = p_user.id and p.reason <> '' limit 500);
  get diagnostics v_changed = row_count;
  v_is_rest := v_is_rest or v_changed = 500;
  update app.decision_appeals set text = '', answer = null where id in (
    select id from app.decision_appeals where person_id = p_user.id and (text <> '' or answer is not null) limit 500);
  get diagnostics v_changed = row_count;
  v_is_rest := v_is_rest or v_changed = 500;
  update app.decisions set reason = '', rule = null where id in (
    select id from app.decisions where person_id = p_user.id and (reason <> '' or rule is not null) limit 500);
  get diagnostics v_changed = row_count;
  if v_is_rest or v_changed = 500 then
    perform private.erase_rest(p_user.id);
  end if;
end $function$;

ALTER FUNCTION "private"."erase_cases"(app.users) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.find_handler(p_case app.cases, p_action text)
 RETURNS private.case_handlers
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_handler private.case_handlers;
begin
  select * into v_handler from private.case_handlers
  where action = p_action and target_type in ((p_case).target_type, 'user')
  order by target_type = 'user' limit 1;
  return v_handler;
end $function$;

ALTER FUNCTION "private"."find_handler"(app.cases, text) OWNER TO "postgres";

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
      and u.id not in ((p_decision).person_id, (p_decision).decided_by)
      and u.banned_at is null and u.erased_at is null
      and coalesce(a.last_seen_at, u.created_at) > now() - interval '30 days');
end $function$;

ALTER FUNCTION "private"."has_other_resolver"(app.decisions) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.lock_accounts(p_people uuid[])
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- all credentials first, then all people, each by id: ARCHITECTURE.md, Locks
  perform private.check_lock_order('credentials', variadic p_people::text[]);
  perform from private.credentials where user_id = any (p_people) order by user_id for update;
  perform private.check_lock_order('person', variadic p_people::text[]);
  perform from app.users where id = any (p_people) order by id for no key update;
end $function$;

ALTER FUNCTION "private"."lock_accounts"(uuid[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.may_resolve(p_decision app.decisions)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from app.users where id = app.uid() and role = any (private.appeal_roles(p_decision)))
     and (p_decision).person_id <> app.uid()
     and ((p_decision).decided_by is distinct from app.uid() or not private.has_other_resolver(p_decision));
end $function$;

ALTER FUNCTION "private"."may_resolve"(app.decisions) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.name_case_person()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- safe: the query comes from the registry
  execute (select author from private.report_targets where type = new.target_type) into new.person_id
  using new.target_id;
  return new;
end $function$;

ALTER FUNCTION "private"."name_case_person"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.needs_reason(p_actions text[])
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from private.case_transitions where action = any (p_actions) and 'reason' = any (needs));
end $function$;

ALTER FUNCTION "private"."needs_reason"(text[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.notify_decided(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- without an actor, so that nobody learns who of the staff did it
  perform private.notify(array(
    select (e.user_id, 'moderation.actioned', null, 'decision', e.payload ->> 'decisionId',
            jsonb_build_object('targetType', 'decision', 'targetId', e.payload ->> 'decisionId',
                               'action', e.payload ->> 'action'), null, null, e.caused_at)::private.notice
    from unnest(p_effects) e));
end $function$;

ALTER FUNCTION "private"."notify_decided"(private.effects[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.open_case(p_target_type text, p_target_id uuid, p_category text, p_source text, p_note text DEFAULT NULL::text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_category private.case_categories := private.require_category(p_category);
  v_finder   text := private.require_report_finder(p_target_type);
  v_case     uuid;
  v_kind     text := 'added';
begin
  perform private.check_lock_order('case', p_target_id::text);
  loop
    update app.cases c
    set category = case when c.category = 'other' then v_category.category else c.category end,
        priority = least(c.priority, v_category.priority),
        updated_at = clock_timestamp()
    where c.target_type = p_target_type and c.target_id = p_target_id and c.status = 'open'
    returning c.id into v_case;
    exit when found;
    insert into app.cases (target_type, target_id, category, priority, source)
    values (p_target_type, p_target_id, v_category.category, v_category.priority, p_source)
    on conflict (target_type, target_id) where status = 'open' do nothing
    returning id into v_case;
    if found then
      v_kind := 'opened';
      exit;
    end if;
  end loop;
  insert into app.case_events (case_id, kind, actor_id, note, detail)
  values (v_case, v_kind, case when p_source = 'staff' then app.uid() end, p_note,
          jsonb_build_object('source', p_source, 'category', p_category));
  return v_case;
end $function$;

ALTER FUNCTION "private"."open_case"(text, uuid, text, text, text) OWNER TO "postgres";

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
       -- another decision holds it in place
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

ALTER FUNCTION "private"."overturn"(app.decisions) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.own_standing()
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$ begin return private.standing(private.require_caller()); end $function$;

ALTER FUNCTION "private"."own_standing"() OWNER TO "postgres";

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
    insert into app.decisions (case_id, target_type, target_id, person_id, action, category, rule, reason, decided_by,
                               ends_at, audit_id)
    values (v_case.id, v_entry.target_type, v_entry.target_id::uuid, new.subject_id, v_action,
            coalesce(v_work ->> 'category', v_case.category, 'other'), coalesce(v_work ->> 'rule', v_case.rule),
            coalesce(new.detail ->> 'reason', ''), v_entry.actor_id,
            (new.detail ->> 'until')::timestamptz, v_entry.id)
    returning id into v_id;
    if v_entry.target_type = 'user' then
      -- of what was hidden or removed, admin.content.moderated notifies the author
      perform private.emit('moderation.decided', json_build_object(
        'decisionId', v_id, 'personId', new.subject_id, 'action', v_action), array[new.subject_id]);
    end if;
  end if;
  if v_case.id is not null then
    perform private.add_case_event(v_case.id, v_action, null, json_build_object('decisionId', v_id));
  end if;
  return null;
end $function$;

ALTER FUNCTION "private"."record_decision"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_case_target(p_type text, p_target text)
 RETURNS uuid
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_id     uuid;
  v_person uuid;
begin
  perform private.require_report_finder(p_type);
  if p_type = 'user' then
    return private.require_any_person(p_target);
  elsif not pg_input_is_valid(p_target, 'uuid') then
    perform private.raise_error('case_target');
  end if;
  v_id := p_target::uuid;
  -- safe: the query comes from the registry
  execute (select author from private.report_targets where type = p_type) into v_person using v_id;
  if v_person is null then
    perform private.raise_error('case_target');
  end if;
  return v_id;
end $function$;

ALTER FUNCTION "private"."require_case_target"(text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_category(p_category text)
 RETURNS private.case_categories
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_category private.case_categories;
begin
  select * into v_category from private.case_categories where category = p_category;
  if not found then
    perform private.raise_error('category_unknown');
  end if;
  return v_category;
end $function$;

ALTER FUNCTION "private"."require_category"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_password(p_user_id uuid, p_password_hash text)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if not exists (select from private.credentials
                 where user_id = p_user_id and password_hash = p_password_hash) then
    perform private.raise_error('credentials_wrong');   -- the password changed while it was being checked
  end if;
end $function$;

ALTER FUNCTION "private"."require_password"(uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_short(p_text text, p_most integer, p_code text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_text text := nullif(private.require_text(p_text), '');
begin
  if length(v_text) > p_most then
    perform private.raise_error(p_code);
  end if;
  return v_text;
end $function$;

ALTER FUNCTION "private"."require_short"(text, integer, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.restart_lock_order()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if current_setting('kith.lock_order', true) = 'checked' then
    perform set_config('kith.locks_held', (coalesce(nullif(current_setting('kith.locks_held', true), ''),
                                                    '{"keys": {}}')::jsonb || '{"last": 0}')::text, true);
  end if;
end $function$;

ALTER FUNCTION "private"."restart_lock_order"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.set_case(p_case uuid, p_category text, p_rule text, p_priority integer)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.check_lock_order('case', p_case::text);
  update app.cases
  set category = coalesce(p_category, category), rule = coalesce(p_rule, rule),
      priority = coalesce(p_priority, (select priority from private.case_categories
                                       where category = p_category), priority)
  where id = p_case;
end $function$;

ALTER FUNCTION "private"."set_case"(uuid, text, text, integer) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.set_claim(p_case uuid, p_claimed boolean)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.check_lock_order('case', p_case::text);
  update app.cases
  set claimed_by = case when p_claimed then app.uid() end,
      claimed_until = case when p_claimed then now() + interval '30 minutes' end
  where id = p_case;
end $function$;

ALTER FUNCTION "private"."set_claim"(uuid, boolean) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.settle_case_proposal(p_case uuid, p_id uuid, p_status text)
 RETURNS app.case_proposals
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_proposal app.case_proposals;
begin
  update app.case_proposals set status = p_status, settled_by = app.uid(), settled_at = now()
  where case_id = p_case and (p_id is null or id = p_id) and status = 'open'
  returning * into v_proposal;
  if p_id is not null and v_proposal.id is null then
    perform private.raise_error('case_proposal_unknown');
  end if;
  return v_proposal;
end $function$;

ALTER FUNCTION "private"."settle_case_proposal"(uuid, uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.settle_case_reports(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
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
  v_case    app.cases;
  v_status  text;
  v_settled json[];
  v_one     json;
begin
  select * into v_case from app.cases where id = (p_job ->> 'caseId')::uuid and status = 'closed';
  v_status := case v_case.outcome when 'dismissed' then 'dismissed' else 'reviewed' end;
  with settled as (
    update app.reports r set status = v_status, reviewed_by = v_case.closed_by, reviewed_at = v_case.closed_at
    where r.status = 'open' and r.id in (
      select o.id from app.reports o
      join app.case_reports c on c.case_id = v_case.id and c.report_id = o.id
      where o.target_type = v_case.target_type and o.target_id = v_case.target_id and o.status = 'open'
      order by o.id limit 500)
    returning r.id, r.reporter_id)
  select coalesce(array_agg(json_build_object('id', s.id, 'reporter', s.reporter_id) order by s.id), '{}')
  into v_settled from settled s;
  foreach v_one in array v_settled loop
    perform private.emit_moderation('report', (v_one ->> 'id')::uuid, v_status, (v_one ->> 'reporter')::uuid);
  end loop;
  return json_build_object('changed', cardinality(v_settled), 'next', v_settled[500] ->> 'id');
end $function$;

ALTER FUNCTION "private"."settle_case_reports"(jsonb, uuid) OWNER TO "postgres";

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
  if not found then
    perform private.raise_error('appeal_unknown');
  end if;
  select * into v_decision from app.decisions where id = v_appeal.decision_id;
  perform private.lock('case work', coalesce(v_decision.case_id, v_decision.id)::text);
  select * into v_decision from app.decisions where id = v_appeal.decision_id;
  perform private.require_role(variadic private.appeal_roles(v_decision));
  if v_decision.person_id = app.uid() then
    perform private.raise_error('case_own');
  elsif not private.may_resolve(v_decision) then
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

ALTER FUNCTION "private"."settle_decision_appeal"(uuid, text, text) OWNER TO "postgres";

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
  if not exists (select from app.reports where id = p_id) then
    perform private.raise_error('report_unknown');
  end if;
  v_case := (select case_id from app.case_reports where report_id = p_id);
  perform private.lock('case work', v_case::text);
  update app.reports set status = p_status, reviewed_by = app.uid(), reviewed_at = now()
  where id = p_id and status = 'open'
  returning reporter_id into v_reporter;
  if not found then
    -- of two concurrent moderators, the second waits for the first and then fails here
    perform private.raise_error('report_settled');
  end if;
  perform private.emit_moderation('report', p_id, p_status, v_reporter);
  perform private.end_case_without_reports(v_case, case p_status when 'dismissed' then 'dismissed' else 'acted' end);
  perform private.audit('report.' || p_status, 'report', p_id::text);
  return private.staff_card('reports', p_id);
end $function$;

CREATE OR REPLACE FUNCTION private.staff_decision_cards(p_person uuid)
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
  return (
    select coalesce(json_agg(private.decision_card(d) order by d.decided_at desc, d.id desc), '[]')
    from (select * from app.decisions where person_id = p_person order by decided_at desc, id desc limit 50) d);
end $function$;

ALTER FUNCTION "private"."staff_decision_cards"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.standing(p_person uuid)
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
  v_since timestamptz := private.strikes_since();
begin
  return (
    select json_build_object(
      'state', case when u.banned_until is not null then 'suspended' when u.banned_at is not null then 'banned'
                    when u.limited_at is not null then 'limited' else 'active' end,
      'suspendedUntil', private.utc(u.banned_until),
      'strikes', private.count_strikes(p_person),
      'decisions', (
        select coalesce(json_agg(json_build_object(
                 'id', d.id,
                 'action', d.action,
                 'targetType', d.target_type,
                 'targetId', case when d.target_type <> 'user' then d.target_id end,
                 'category', d.category,
                 'rule', d.rule,
                 'reason', d.reason,
                 'strikes', case when d.overturned_at is null and d.decided_at > v_since then c.strikes else 0 end,
                 'strikesUntil', case when d.overturned_at is null and d.decided_at > v_since and c.strikes > 0
                                      then private.utc(d.decided_at + (now() - v_since)) end,
                 'endsAt', private.utc(d.ends_at),
                 'liftedAt', private.utc(d.lifted_at),
                 'overturnedAt', private.utc(d.overturned_at),
                 'appealable', a.id is null and d.overturned_at is null,
                 'appeal', case when a.id is not null then json_build_object(
                   'text', a.text, 'status', a.status, 'undone', a.undone, 'answer', a.answer,
                   'createdAt', private.utc(a.created_at), 'resolvedAt', private.utc(a.resolved_at)) end,
                 'createdAt', private.utc(d.decided_at)) order by d.decided_at desc, d.id desc), '[]')
        from (select * from app.decisions where person_id = p_person order by decided_at desc, id desc limit 100) d
        join private.case_categories c on c.category = d.category
        left join app.decision_appeals a on a.decision_id = d.id))
    from app.users u where u.id = p_person);
end $function$;

ALTER FUNCTION "private"."standing"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.strikes_since()
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return now() - (select value::integer from app.settings where key = 'strike_days') * interval '1 day';
end $function$;

ALTER FUNCTION "private"."strikes_since"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.warn_person(p_person uuid, p_reason text)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.lock_account(p_person);
  perform private.audit('user.warned', 'user', p_person::text, json_build_object('reason', p_reason), p_person);
end $function$;

ALTER FUNCTION "private"."warn_person"(uuid, text) OWNER TO "postgres";

ALTER TABLE "app"."case_events" ADD CONSTRAINT "case_events_actor_id_fkey" FOREIGN KEY (actor_id) REFERENCES app.users(id) ON DELETE SET NULL;

ALTER TABLE "app"."case_proposals" ADD CONSTRAINT "case_proposals_proposed_by_fkey" FOREIGN KEY (proposed_by) REFERENCES app.users(id) ON DELETE SET NULL;

ALTER TABLE "app"."case_proposals" ADD CONSTRAINT "case_proposals_settled_by_fkey" FOREIGN KEY (settled_by) REFERENCES app.users(id) ON DELETE SET NULL;

ALTER TABLE "app"."case_reports" ADD CONSTRAINT "case_reports_report_id_fkey" FOREIGN KEY (report_id) REFERENCES app.reports(id) ON DELETE CASCADE;

ALTER TABLE "app"."cases" ADD CONSTRAINT "cases_claimed_by_fkey" FOREIGN KEY (claimed_by) REFERENCES app.users(id) ON DELETE SET NULL;

ALTER TABLE "app"."cases" ADD CONSTRAINT "cases_closed_by_fkey" FOREIGN KEY (closed_by) REFERENCES app.users(id) ON DELETE SET NULL;

ALTER TABLE "app"."cases" ADD CONSTRAINT "cases_person_id_fkey" FOREIGN KEY (person_id) REFERENCES app.users(id) ON DELETE SET NULL;

ALTER TABLE "app"."case_events" ADD CONSTRAINT "case_events_case_id_fkey" FOREIGN KEY (case_id) REFERENCES app.cases(id) ON DELETE CASCADE;

ALTER TABLE "app"."case_proposals" ADD CONSTRAINT "case_proposals_case_id_fkey" FOREIGN KEY (case_id) REFERENCES app.cases(id) ON DELETE CASCADE;

ALTER TABLE "app"."case_reports" ADD CONSTRAINT "case_reports_case_id_fkey" FOREIGN KEY (case_id) REFERENCES app.cases(id) ON DELETE CASCADE;

ALTER TABLE "app"."cases" ADD CONSTRAINT "cases_target_type_fkey" FOREIGN KEY (target_type) REFERENCES private.report_targets(type) ON DELETE RESTRICT;

ALTER TABLE "app"."decision_appeals" ADD CONSTRAINT "decision_appeals_person_id_fkey" FOREIGN KEY (person_id) REFERENCES app.users(id) ON DELETE RESTRICT;

ALTER TABLE "app"."decision_appeals" ADD CONSTRAINT "decision_appeals_resolved_by_fkey" FOREIGN KEY (resolved_by) REFERENCES app.users(id) ON DELETE RESTRICT;

ALTER TABLE "app"."decisions" ADD CONSTRAINT "decisions_audit_id_fkey" FOREIGN KEY (audit_id) REFERENCES app.audit_log(id) ON DELETE RESTRICT;

ALTER TABLE "app"."decisions" ADD CONSTRAINT "decisions_case_id_fkey" FOREIGN KEY (case_id) REFERENCES app.cases(id) ON DELETE RESTRICT;

ALTER TABLE "app"."decisions" ADD CONSTRAINT "decisions_decided_by_fkey" FOREIGN KEY (decided_by) REFERENCES app.users(id) ON DELETE RESTRICT;

ALTER TABLE "app"."decisions" ADD CONSTRAINT "decisions_person_id_fkey" FOREIGN KEY (person_id) REFERENCES app.users(id) ON DELETE RESTRICT;

ALTER TABLE "app"."decision_appeals" ADD CONSTRAINT "decision_appeals_decision_id_fkey" FOREIGN KEY (decision_id) REFERENCES app.decisions(id) ON DELETE RESTRICT;

ALTER TABLE "app"."cases" ADD CONSTRAINT "cases_category_fkey" FOREIGN KEY (category) REFERENCES private.case_categories(category) ON DELETE RESTRICT;

ALTER TABLE "app"."decisions" ADD CONSTRAINT "decisions_category_fkey" FOREIGN KEY (category) REFERENCES private.case_categories(category) ON DELETE RESTRICT;

ALTER TABLE "private"."case_handlers" ADD CONSTRAINT "case_handlers_target_type_fkey" FOREIGN KEY (target_type) REFERENCES private.report_targets(type) ON DELETE RESTRICT;

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
        END, 'closedById', c.closed_by, 'closedAt', private.utc(c.closed_at), 'updatedAt', private.utc(c.updated_at), 'createdAt', private.utc(c.opened_at)) AS card
   FROM (((app.cases c
     LEFT JOIN app.users u ON ((u.id = c.person_id)))
     LEFT JOIN app.person_card person ON ((person.id = c.person_id)))
     LEFT JOIN app.person_card claimer ON ((claimer.id = c.claimed_by)));

ALTER VIEW "private"."staff_cases" OWNER TO "postgres";

CREATE VIEW "private"."staff_decision_appeals" WITH (security_invoker=true) AS  SELECT a.created_at AS at,
    a.id,
    a.status,
    a.person_id,
    concat_ws(' '::text, u.username, a.text, a.answer) AS said,
    json_build_object('id', a.id, 'personId', a.person_id, 'person', person.card, 'text', a.text, 'status', a.status, 'undone', a.undone, 'answer', a.answer, 'mayResolve', ((a.status = 'pending'::text) AND private.may_resolve(d.*)), 'resolvedById', a.resolved_by, 'resolvedAt', private.utc(a.resolved_at), 'createdAt', private.utc(a.created_at), 'decision', private.decision_card(d.*)) AS card
   FROM (((app.decision_appeals a
     JOIN app.decisions d ON ((d.id = a.decision_id)))
     JOIN app.users u ON ((u.id = a.person_id)))
     JOIN app.person_card person ON ((person.id = a.person_id)));

ALTER VIEW "private"."staff_decision_appeals" OWNER TO "postgres";

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

ALTER VIEW "private"."staff_reports" OWNER TO "postgres";

CREATE INDEX case_events_actor_id_idx ON app.case_events USING btree (actor_id, id);

CREATE INDEX case_events_case_id_idx ON app.case_events USING btree (case_id, id);

CREATE INDEX case_proposals_case_id_idx ON app.case_proposals USING btree (case_id, proposed_at);

CREATE UNIQUE INDEX case_proposals_open_idx ON app.case_proposals USING btree (case_id) WHERE (status = 'open'::text);

CREATE INDEX case_proposals_proposed_by_idx ON app.case_proposals USING btree (proposed_by, proposed_at);

CREATE INDEX case_proposals_settled_by_idx ON app.case_proposals USING btree (settled_by);

CREATE UNIQUE INDEX case_reports_report_id_idx ON app.case_reports USING btree (report_id);

CREATE INDEX cases_category_idx ON app.cases USING btree (category, place DESC);

CREATE INDEX cases_claimed_by_idx ON app.cases USING btree (claimed_by, place DESC) WHERE (claimed_by IS NOT NULL);

CREATE INDEX cases_closed_by_idx ON app.cases USING btree (closed_by);

CREATE UNIQUE INDEX cases_number_idx ON app.cases USING btree (number);

CREATE UNIQUE INDEX cases_open_idx ON app.cases USING btree (target_type, target_id) WHERE (status = 'open'::text);

CREATE INDEX cases_person_id_idx ON app.cases USING btree (person_id, place DESC);

CREATE INDEX cases_place_idx ON app.cases USING btree (place DESC);

CREATE INDEX cases_status_idx ON app.cases USING btree (status, place DESC);

CREATE INDEX cases_target_idx ON app.cases USING btree (target_type, target_id, number);

CREATE INDEX decision_appeals_created_at_idx ON app.decision_appeals USING btree (created_at DESC, id DESC);

CREATE UNIQUE INDEX decision_appeals_decision_id_idx ON app.decision_appeals USING btree (decision_id);

CREATE INDEX decision_appeals_person_id_idx ON app.decision_appeals USING btree (person_id, created_at DESC, id DESC);

CREATE INDEX decision_appeals_resolved_by_idx ON app.decision_appeals USING btree (resolved_by, created_at);

CREATE INDEX decision_appeals_status_idx ON app.decision_appeals USING btree (status, created_at DESC, id DESC);

CREATE UNIQUE INDEX decisions_audit_id_idx ON app.decisions USING btree (audit_id);

CREATE INDEX decisions_case_id_idx ON app.decisions USING btree (case_id, decided_at);

CREATE INDEX decisions_category_idx ON app.decisions USING btree (category);

CREATE INDEX decisions_decided_by_idx ON app.decisions USING btree (decided_by, decided_at);

CREATE INDEX decisions_person_id_idx ON app.decisions USING btree (person_id, decided_at DESC, id DESC);

CREATE INDEX decisions_target_idx ON app.decisions USING btree (target_type, target_id) WHERE (lifted_at IS NULL);

CREATE INDEX reports_category_idx ON app.reports USING btree (category);

CREATE INDEX reports_open_target_idx ON app.reports USING btree (target_type, target_id, id) WHERE (status = 'open'::text);

CREATE TRIGGER _100_record_decision AFTER INSERT ON app.audit_details FOR EACH ROW WHEN ((new.subject_id IS NOT NULL)) EXECUTE FUNCTION private.record_decision();

CREATE TRIGGER _050_name_person BEFORE INSERT ON app.cases FOR EACH ROW EXECUTE FUNCTION private.name_case_person();

CREATE TRIGGER _200_add_to_case AFTER INSERT ON app.reports FOR EACH ROW EXECUTE FUNCTION private.add_report_to_case();

COMMENT ON COLUMN "app"."case_events"."actor_id" IS 'Who of the staff did it; null for reports and rules.';

COMMENT ON COLUMN "app"."case_events"."detail" IS 'Ids, codes and numbers; no words of people.';

COMMENT ON COLUMN "app"."case_events"."kind" IS 'opened, added (another report or hint), claimed, released, note, changed, proposed, accepted, declined, an action such as hide, closed, appealed, or upheld and overturned.';

COMMENT ON COLUMN "app"."case_proposals"."proposed_at" IS 'When it was proposed.';

COMMENT ON COLUMN "app"."case_proposals"."settled_at" IS 'When it was accepted or declined; null while it is open.';

COMMENT ON COLUMN "app"."case_proposals"."status" IS 'open, then accepted or declined by an admin; closing the case declines it, too.';

COMMENT ON COLUMN "app"."case_proposals"."until" IS 'When a proposed suspension ends; null for other actions.';

COMMENT ON COLUMN "app"."cases"."claimed_by" IS 'Who works on it, until claimed_until. After that time it counts as unclaimed, and the name says only who was last.';

COMMENT ON COLUMN "app"."cases"."claimed_until" IS 'When the claim ends, 30 minutes after the last work; null if unclaimed.';

COMMENT ON COLUMN "app"."cases"."closed_at" IS 'When it was closed; null while it is open.';

COMMENT ON COLUMN "app"."cases"."opened_at" IS 'When it was opened.';

COMMENT ON COLUMN "app"."cases"."person_id" IS 'Who answers for the thing: its author, or the owner of a space.';

COMMENT ON COLUMN "app"."cases"."place" IS 'The place in the queue, from the highest to the lowest: urgent first, then oldest.';

COMMENT ON COLUMN "app"."cases"."priority" IS 'How urgent it is: 1 (first) to 4. A report of a more urgent category makes a case more urgent, and never less.';

COMMENT ON COLUMN "app"."cases"."reports" IS 'How many reports belong to it.';

COMMENT ON COLUMN "app"."cases"."rule" IS 'Which rule of the instance was broken, in words of staff.';

COMMENT ON COLUMN "app"."cases"."source" IS 'What opened it: a report, a rule, a member of staff, or a space that passed it on.';

COMMENT ON COLUMN "app"."cases"."status" IS 'open, then closed for good, with an outcome.';

COMMENT ON COLUMN "app"."cases"."target_id" IS 'The thing. It has no foreign key, because targets are in many tables.';

COMMENT ON COLUMN "app"."decision_appeals"."answer" IS 'The answer of staff, which the person reads.';

COMMENT ON COLUMN "app"."decision_appeals"."resolved_at" IS 'When staff resolved it; null while it is pending.';

COMMENT ON COLUMN "app"."decision_appeals"."resolved_by" IS 'The member of staff. The person never learns it.';

COMMENT ON COLUMN "app"."decision_appeals"."status" IS 'pending, then upheld (the decision stands) or overturned, once.';

COMMENT ON COLUMN "app"."decision_appeals"."undone" IS 'Whether overturning it took back what was done. A deleted post, for example, stays deleted. Null if it was not overturned.';

COMMENT ON COLUMN "app"."decisions"."action" IS 'A suspend is a ban that ends by itself at ends_at.';

COMMENT ON COLUMN "app"."decisions"."audit_id" IS 'The entry of the audit log.';

COMMENT ON COLUMN "app"."decisions"."decided_at" IS 'When it was decided. Its strikes count from then on.';

COMMENT ON COLUMN "app"."decisions"."decided_by" IS 'The member of staff; null for a rule. The person never learns it.';

COMMENT ON COLUMN "app"."decisions"."ends_at" IS 'When it ends by itself; null if it does not.';

COMMENT ON COLUMN "app"."decisions"."lifted_at" IS 'When staff or time ended what it did, such as a ban; its strikes remain.';

COMMENT ON COLUMN "app"."decisions"."overturned_at" IS 'When an appeal overturned it, so that it counts no strikes; null if none did.';

COMMENT ON COLUMN "app"."decisions"."target_type" IS 'What it was decided about: a thing of the person, or user.';

COMMENT ON COLUMN "private"."case_categories"."at_once" IS 'Whether staff sees it at once, even if a space has moderators of its own.';

COMMENT ON COLUMN "private"."case_categories"."priority" IS 'How urgent it is: 1 (first) to 4.';

COMMENT ON COLUMN "private"."case_categories"."strikes" IS 'How many strikes a decision for this reason counts.';

COMMENT ON COLUMN "private"."case_handlers"."place" IS 'The order of several actions: what is done to the thing comes before what is done to the person.';

COMMENT ON COLUMN "private"."case_handlers"."statement" IS 'The statement, where $1 is the id of the thing or of the person, $2 the reason and $3 the end. It leaves the audit entry.';

COMMENT ON COLUMN "private"."case_handlers"."undo" IS 'The action that takes it back; null if nothing does.';

COMMENT ON COLUMN "private"."case_transitions"."needs" IS 'claim: nobody else has a claim; reason: a reason; until: a time in the future, which no other action takes; person: somebody who answers for the thing.';

COMMENT ON COLUMN "private"."case_transitions"."status" IS 'The state of the case before it.';

COMMENT ON COLUMN "private"."decision_kinds"."lifts" IS 'Whether it ends earlier decisions of this action.';

COMMENT ON FUNCTION "api"."accept_case_proposal"(uuid, uuid) IS 'Does what was proposed in a case, with the reason of the proposal. Returns the case. Leaves an audit entry for each action.';

COMMENT ON FUNCTION "api"."act_on_case"(uuid, text[], text, text, text, timestamp with time zone) IS 'Does one or several things in a case, all or none: dismiss, warn, hide, unhide, remove, restore, limit, unlimit, suspend, ban, unban. Returns the case. The person concerned is notified and reads the reason at /me/standing. Leaves an audit entry for each.';

COMMENT ON FUNCTION "api"."act_on_invitees"(text, text, text[], text, text, timestamp with time zone) IS 'Limits, suspends or bans up to 50 people whom one person invited, all or none: {items: [{id, user, role, bannedAt, suspendedUntil, limitedAt}]}. Each gets a decision of their own. Leaves an audit entry for each.';

COMMENT ON FUNCTION "api"."add_case_note"(uuid, text) IS 'Adds a note for staff to a case. Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."appeal_by_password"(uuid, text, uuid, text) IS 'For the facade alone, after it has checked the password: appeals a decision about a person who may be banned. Returns the standing.';

COMMENT ON FUNCTION "api"."appeal_decision"(uuid, text) IS 'Appeals a decision about the caller, once for each decision. Returns the standing.';

COMMENT ON FUNCTION "api"."claim_case"(uuid) IS 'Claims an open case for 30 minutes; each work on it by the caller begins them anew. Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."create_case"(text, text, text, text) IS 'Opens a case about a thing that nobody reported, or adds a note to its open case. Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."decline_case_proposal"(uuid, uuid) IS 'Declines a proposal in a case. Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."find_standing"(uuid, text) IS 'For the facade alone, after it has checked the password: the standing of a person who may be banned.';

COMMENT ON FUNCTION "api"."get_case"(uuid) IS 'A case with the thing, its reports, earlier cases, proposals, history, and the decisions about the person.';

COMMENT ON FUNCTION "api"."get_standing"() IS 'The caller''s standing: {state, suspendedUntil, strikes, decisions}. Nobody learns who decided.';

COMMENT ON FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'Cases, the most urgent first, of the same priority the oldest first. Filters: state, category, priority, claimed by me or nobody, type of the target, person, rule or username, a period, an id.';

COMMENT ON FUNCTION "api"."list_decision_appeals"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'Appeals against decisions of staff, newest first.';

COMMENT ON FUNCTION "api"."list_invitees"(text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'The people whom a person invited; those who joined last come first.';

COMMENT ON FUNCTION "api"."list_report_categories"() IS 'The categories that a report may name: {items: [{category, text}]}.';

COMMENT ON FUNCTION "api"."propose_in_case"(uuid, text[], text, timestamp with time zone) IS 'Proposes in a case what only an admin may do. Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."release_case"(uuid) IS 'Ends the caller''s claim of a case; an admin can end anybody''s. Returns the case. Repeating it changes nothing. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."report"(text, text, text, text) IS 'Reports something that the caller sees to the staff: {id, targetType, targetId, reason, category, status, createdAt}. Without a category it is other. Fails: report_oneself, private.report_targets.';

COMMENT ON FUNCTION "api"."resolve_decision_appeal"(uuid, text, text) IS 'Upholds or overturns a decision that a person appealed, with an answer that the person reads. Overturning takes back what was done, if that is possible, and its strikes. Who made the decision can''t resolve the appeal as long as somebody else could. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."update_case"(uuid, text, integer, text) IS 'Changes category, priority and rule of an open case. Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "private"."act_in_case"(app.cases, text[], text, text, text, timestamp with time zone) IS 'Does these actions in a case whose work is locked, and returns the state of the case after them.';

COMMENT ON FUNCTION "private"."act_on_people"(uuid[], text, text, text, timestamp with time zone) IS 'Does the same to several people.';

COMMENT ON FUNCTION "private"."add_case_event"(uuid, text, text, json) IS 'Adds an entry of the caller to the history of a case.';

COMMENT ON FUNCTION "private"."add_case_proposal"(uuid, text[], text, timestamp with time zone) IS 'Adds a proposal of the caller to a case.';

COMMENT ON FUNCTION "private"."add_decision_appeal"(uuid, uuid, text) IS 'Adds a person''s appeal against a decision about them.';

COMMENT ON FUNCTION "private"."add_report_to_case"() IS 'Trigger: a new report belongs to the open case of its target.';

COMMENT ON FUNCTION "private"."appeal_own_decision"(uuid, text) IS 'Adds an appeal of the caller.';

COMMENT ON FUNCTION "private"."appeal_roles"(app.decisions) IS 'The roles that may resolve an appeal against a decision: those that may make it.';

COMMENT ON FUNCTION "private"."begin_case_work"(uuid, text[]) IS 'Locks the work on a case and returns it, if its state, its claim and the caller''s role allow these actions.';

COMMENT ON FUNCTION "private"."case_events_rules"(text, text) IS 'The checks of app.case_events. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."case_file"(app.cases) IS 'What belongs to a case: {target, reports, earlierCases, proposals, history, strikes, decisions}. strikes and decisions are those of the person who answers for the thing, and null if there is none.';

COMMENT ON FUNCTION "private"."case_history"(uuid) IS 'The newest 200 entries of the history of a case, the newest first.';

COMMENT ON FUNCTION "private"."case_proposals"(uuid) IS 'The newest 50 proposals in a case, the newest first.';

COMMENT ON FUNCTION "private"."case_proposals_rules"(text[], text, text, timestamp with time zone) IS 'The checks of app.case_proposals. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."cases_rules"(text, smallint, text, text, text, integer, timestamp with time zone) IS 'The checks of app.cases. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."category_cards"() IS 'The categories that a report may name: [{category, text}].';

COMMENT ON FUNCTION "private"."check_actions"(app.cases, text[], timestamp with time zone) IS 'Checks that these actions can be done together in this case.';

COMMENT ON FUNCTION "private"."count_strikes"(uuid) IS 'The strikes of a person that have not lapsed: for each case the number of its category, once, however much was done in it. Overturned decisions count nothing. They have no effect by themselves; staff sees them. Counts the newest 400 decisions.';

COMMENT ON FUNCTION "private"."decision_appeals_rules"(text, text, text, timestamp with time zone) IS 'The checks of app.decision_appeals. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."decision_card"(app.decisions) IS 'A decision as staff sees it.';

COMMENT ON FUNCTION "private"."decisions_rules"(text, text, text) IS 'The checks of app.decisions. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."end_case"(uuid, text) IS 'Closes a case, if it is open, as acted or dismissed, and settles its open reports: 500 at once, the others by the worker.';

COMMENT ON FUNCTION "private"."end_case_without_reports"(uuid, text) IS 'Closes an open case if all of its reports are settled.';

COMMENT ON FUNCTION "private"."end_case_work"(uuid, text, text, json, text) IS 'Ends a piece of work on a case: its audit entry and its history, and 30 more minutes for a claim of the caller. Returns the case.';

COMMENT ON FUNCTION "private"."erase_cases"(app.users) IS 'Step: deletes what staff wrote about an erased person in notes, rules, proposals and reasons, and what the person wrote in appeals. The cases and decisions remain.';

COMMENT ON FUNCTION "private"."find_handler"(app.cases, text) IS 'How an action is done in this case; null if it can''t be.';

COMMENT ON FUNCTION "private"."has_other_resolver"(app.decisions) IS 'Whether somebody else than who decided may resolve an appeal and was here in the last 30 days.';

COMMENT ON FUNCTION "private"."lock_accounts"(uuid[]) IS 'Locks several people as private.lock_account locks one.';

COMMENT ON FUNCTION "private"."may_resolve"(app.decisions) IS 'Whether the caller may resolve an appeal against a decision: not against their own, as long as somebody else could.';

COMMENT ON FUNCTION "private"."name_case_person"() IS 'Trigger: stores in a case who answers for its target.';

COMMENT ON FUNCTION "private"."needs_reason"(text[]) IS 'Whether one of these actions needs a reason.';

COMMENT ON FUNCTION "private"."notify_decided"(private.effects[]) IS 'Listener: notifies a person that they were warned, limited, suspended or banned. They read the reason at /me/standing.';

COMMENT ON FUNCTION "private"."open_case"(text, uuid, text, text, text) IS 'Returns the open case of a target, which it opens if there is none, and adds to its history what was found by a report, a rule, a member of staff or a space (p_source). The row is locked until the transaction ends, so call it late: ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."overturn"(app.decisions) IS 'Takes back what a decision did, and its strikes. Returns whether anything could be taken back.';

COMMENT ON FUNCTION "private"."own_standing"() IS 'The standing of the caller.';

COMMENT ON FUNCTION "private"."record_decision"() IS 'Trigger: writes the decision of an audit entry that concerns a person, and adds it to the history of the case that is being worked on (setting kith.case: {caseId, category, rule}), or of the open case of the thing.';

COMMENT ON FUNCTION "private"."require_case_target"(text, text) IS 'The id of a thing about which staff opens a case. A person is named by id, actor id or username.';

COMMENT ON FUNCTION "private"."require_category"(text) IS 'Returns a category, or fails if there is none of this name.';

COMMENT ON FUNCTION "private"."require_password"(uuid, text) IS 'Passes if this is still the hash of the person''s password.';

COMMENT ON FUNCTION "private"."require_short"(text, integer, text) IS 'Returns a text in the form in which it is stored, null if there is none; raises the code if it is longer.';

COMMENT ON FUNCTION "private"."restart_lock_order"() IS 'For operations that do several things in one transaction, each with all the locks it needs: the order of locks begins again. Such a transaction can deadlock with another; the facade repeats it. ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."set_case"(uuid, text, text, integer) IS 'Sets category, rule and priority of a case; null keeps one. A new category brings its priority.';

COMMENT ON FUNCTION "private"."set_claim"(uuid, boolean) IS 'Claims a case for the caller, or ends any claim.';

COMMENT ON FUNCTION "private"."settle_case_proposal"(uuid, uuid, text) IS 'Accepts or declines an open proposal of a case; without an id the one that there may be.';

COMMENT ON FUNCTION "private"."settle_case_reports"(jsonb, uuid) IS 'For the worker alone, and private.end_case: settles the next 500 open reports of a closed case {caseId} and notifies their reporters. Returns {changed, next}; next is null at the end.';

COMMENT ON FUNCTION "private"."settle_decision_appeal"(uuid, text, text) IS 'Upholds or overturns a decision that was appealed, once, and notifies the person, who does not learn by whom.';

COMMENT ON FUNCTION "private"."settle_report"(uuid, text) IS 'Settles an open report, and closes its case if no other report of it is open. Its reporter is notified, but does not learn who settled it; the reported person is not notified.';

COMMENT ON FUNCTION "private"."staff_decision_cards"(uuid) IS 'The newest 50 decisions about a person as staff sees them.';

COMMENT ON FUNCTION "private"."standing"(uuid) IS 'The standing of a person as they read it: {state, suspendedUntil, strikes, decisions}, with the newest 100 decisions and never with who decided. Decisions of one case count their strikes once.';

COMMENT ON FUNCTION "private"."strikes_since"() IS 'Decisions before this time count no strikes any more. The setting strike_days says after how many days.';

COMMENT ON FUNCTION "private"."warn_person"(uuid, text) IS 'Warns a person: they read the reason at /me/standing. Leaves an audit entry.';

COMMENT ON TABLE "app"."case_events" IS 'The history of a case: what happened, who did it, and notes. An erasure of the person concerned empties the notes.';

COMMENT ON TABLE "app"."case_proposals" IS 'What a moderator proposes in a case because only an admin may do it, at most one open proposal in each case. The reason is what the person will read. An erasure of the person concerned empties it.';

COMMENT ON TABLE "app"."case_reports" IS 'The reports of a case. Reports that were settled before there were cases have none.';

COMMENT ON TABLE "app"."cases" IS 'What staff has to decide, one open case for each thing. A thing that is reported again after its case was closed gets a new case.';

COMMENT ON TABLE "app"."decision_appeals" IS 'Appeals against decisions, one for each decision. Text and answer of an erased person''s appeals are empty.';

COMMENT ON TABLE "app"."decisions" IS 'What staff decided about a person, as the person reads it, but for who decided. An erasure empties the words.';

COMMENT ON TABLE "private"."case_categories" IS 'Registry: what may be wrong with a thing. A report and a case have one of these. Operators may add rows and change the numbers.';

COMMENT ON TABLE "private"."case_handlers" IS 'Registry: how an action is done to a thing of a type. The rows of user are done to the person who answers for a thing.';

COMMENT ON TABLE "private"."case_transitions" IS 'Registry: what staff may do with a case in each state, and its state afterwards.';

COMMENT ON TABLE "private"."decision_kinds" IS 'Registry: which audit entries about a person (action = <type>.<verb>) are decisions, and which end them.';

COMMENT ON VIEW "private"."staff_cases" IS 'Cases as staff sees them. A claim that has ended counts as none.';

COMMENT ON VIEW "private"."staff_decision_appeals" IS 'Appeals as staff sees them. mayResolve says whether the caller may resolve it.';

COMMENT ON VIEW "private"."staff_invitees" IS 'The people whom a person invited, as staff sees them, with how many people they invited (up to 1000) and their strikes.';

COMMENT ON VIEW "private"."staff_reports" IS 'Reports as staff sees them. Of a reported message, staff sees only the copy, as its reporter saw it.';

REVOKE ALL ON FUNCTION "api"."accept_case_proposal"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."accept_case_proposal"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."accept_case_proposal"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."accept_case_proposal"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "api"."act_on_case"(uuid, text[], text, text, text, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."act_on_case"(uuid, text[], text, text, text, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."act_on_case"(uuid, text[], text, text, text, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."act_on_case"(uuid, text[], text, text, text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "api"."act_on_invitees"(text, text, text[], text, text, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."act_on_invitees"(text, text, text[], text, text, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."act_on_invitees"(text, text, text[], text, text, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."act_on_invitees"(text, text, text[], text, text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "api"."add_case_note"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."add_case_note"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."add_case_note"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."add_case_note"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."appeal_by_password"(uuid, text, uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."appeal_by_password"(uuid, text, uuid, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."appeal_by_password"(uuid, text, uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."appeal_by_password"(uuid, text, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."appeal_decision"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."appeal_decision"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."appeal_decision"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."appeal_decision"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."claim_case"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."claim_case"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."claim_case"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."claim_case"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "api"."create_case"(text, text, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."create_case"(text, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."create_case"(text, text, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."create_case"(text, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."decline_case_proposal"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."decline_case_proposal"(uuid, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."decline_case_proposal"(uuid, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."decline_case_proposal"(uuid, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "api"."find_standing"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."find_standing"(uuid, text) TO "gate";

REVOKE ALL ON FUNCTION "api"."find_standing"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."find_standing"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."get_case"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."get_case"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."get_case"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."get_case"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "api"."get_standing"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."get_standing"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."get_standing"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."get_standing"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_cases"(text, text, integer, text, text, text, text, timestamp with time zone, timestamp with time zone, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."list_decision_appeals"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."list_decision_appeals"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_decision_appeals"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_decision_appeals"(text, text, text, timestamp with time zone, timestamp with time zone, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."list_invitees"(text, text, timestamp with time zone, timestamp with time zone, integer, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."list_invitees"(text, text, timestamp with time zone, timestamp with time zone, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_invitees"(text, text, timestamp with time zone, timestamp with time zone, integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_invitees"(text, text, timestamp with time zone, timestamp with time zone, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."list_report_categories"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."list_report_categories"() TO "authenticated";

REVOKE ALL ON FUNCTION "api"."list_report_categories"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_report_categories"() TO "postgres";

REVOKE ALL ON FUNCTION "api"."propose_in_case"(uuid, text[], text, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."propose_in_case"(uuid, text[], text, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."propose_in_case"(uuid, text[], text, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."propose_in_case"(uuid, text[], text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "api"."release_case"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."release_case"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."release_case"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."release_case"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "api"."report"(text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "api"."report"(text, text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "api"."report"(text, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."report"(text, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "api"."resolve_decision_appeal"(uuid, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."resolve_decision_appeal"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."resolve_decision_appeal"(uuid, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."resolve_decision_appeal"(uuid, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."update_case"(uuid, text, integer, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."update_case"(uuid, text, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."update_case"(uuid, text, integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."update_case"(uuid, text, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."act_in_case"(app.cases, text[], text, text, text, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."act_in_case"(app.cases, text[], text, text, text, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."act_in_case"(app.cases, text[], text, text, text, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."act_in_case"(app.cases, text[], text, text, text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."act_on_people"(uuid[], text, text, text, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."act_on_people"(uuid[], text, text, text, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."act_on_people"(uuid[], text, text, text, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."act_on_people"(uuid[], text, text, text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."add_case_event"(uuid, text, text, json) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."add_case_event"(uuid, text, text, json) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_case_event"(uuid, text, text, json) TO "postgres";

REVOKE ALL ON FUNCTION "private"."add_case_proposal"(uuid, text[], text, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."add_case_proposal"(uuid, text[], text, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_case_proposal"(uuid, text[], text, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_case_proposal"(uuid, text[], text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."add_decision_appeal"(uuid, uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."add_decision_appeal"(uuid, uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_decision_appeal"(uuid, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."add_report_to_case"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."add_report_to_case"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_report_to_case"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."appeal_own_decision"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."appeal_own_decision"(uuid, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."appeal_own_decision"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."appeal_own_decision"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."appeal_roles"(app.decisions) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."appeal_roles"(app.decisions) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."appeal_roles"(app.decisions) TO "postgres";

REVOKE ALL ON FUNCTION "private"."begin_case_work"(uuid, text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."begin_case_work"(uuid, text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."begin_case_work"(uuid, text[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."begin_case_work"(uuid, text[]) TO "service_role";

REVOKE ALL ON FUNCTION "private"."case_events_rules"(text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."case_events_rules"(text, text) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."case_events_rules"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."case_events_rules"(text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."case_events_rules"(text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."case_file"(app.cases) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."case_file"(app.cases) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."case_file"(app.cases) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."case_file"(app.cases) TO "service_role";

REVOKE ALL ON FUNCTION "private"."case_history"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."case_history"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."case_history"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."case_proposals"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."case_proposals"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."case_proposals"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."case_proposals_rules"(text[], text, text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."case_proposals_rules"(text[], text, text, timestamp with time zone) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."case_proposals_rules"(text[], text, text, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."case_proposals_rules"(text[], text, text, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."case_proposals_rules"(text[], text, text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."cases_rules"(text, smallint, text, text, text, integer, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."cases_rules"(text, smallint, text, text, text, integer, timestamp with time zone) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."cases_rules"(text, smallint, text, text, text, integer, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."cases_rules"(text, smallint, text, text, text, integer, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."cases_rules"(text, smallint, text, text, text, integer, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."category_cards"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."category_cards"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."category_cards"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."category_cards"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."check_actions"(app.cases, text[], timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."check_actions"(app.cases, text[], timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_actions"(app.cases, text[], timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."check_actions"(app.cases, text[], timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."count_strikes"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_strikes"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."count_strikes"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."decision_appeals_rules"(text, text, text, timestamp with time zone) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."decision_appeals_rules"(text, text, text, timestamp with time zone) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."decision_appeals_rules"(text, text, text, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."decision_appeals_rules"(text, text, text, timestamp with time zone) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."decision_appeals_rules"(text, text, text, timestamp with time zone) TO "service_role";

REVOKE ALL ON FUNCTION "private"."decision_card"(app.decisions) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."decision_card"(app.decisions) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."decision_card"(app.decisions) TO "postgres";

REVOKE ALL ON FUNCTION "private"."decisions_rules"(text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."decisions_rules"(text, text, text) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."decisions_rules"(text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."decisions_rules"(text, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."decisions_rules"(text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."end_case"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_case"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_case"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."end_case_without_reports"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_case_without_reports"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_case_without_reports"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_case_without_reports"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."end_case_work"(uuid, text, text, json, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."end_case_work"(uuid, text, text, json, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_case_work"(uuid, text, text, json, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."end_case_work"(uuid, text, text, json, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."erase_cases"(app.users) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."erase_cases"(app.users) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."erase_cases"(app.users) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_handler"(app.cases, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_handler"(app.cases, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_handler"(app.cases, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."has_other_resolver"(app.decisions) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_other_resolver"(app.decisions) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."has_other_resolver"(app.decisions) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_accounts"(uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_accounts"(uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_accounts"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."may_resolve"(app.decisions) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."may_resolve"(app.decisions) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."may_resolve"(app.decisions) TO "postgres";

REVOKE ALL ON FUNCTION "private"."name_case_person"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."name_case_person"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."name_case_person"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."needs_reason"(text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."needs_reason"(text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."needs_reason"(text[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."needs_reason"(text[]) TO "service_role";

REVOKE ALL ON FUNCTION "private"."notify_decided"(private.effects[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."notify_decided"(private.effects[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."notify_decided"(private.effects[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."open_case"(text, uuid, text, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."open_case"(text, uuid, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."open_case"(text, uuid, text, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."open_case"(text, uuid, text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."overturn"(app.decisions) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."overturn"(app.decisions) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."overturn"(app.decisions) TO "postgres";

REVOKE ALL ON FUNCTION "private"."own_standing"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."own_standing"() TO "authenticated";

REVOKE ALL ON FUNCTION "private"."own_standing"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."own_standing"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."record_decision"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."record_decision"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."record_decision"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_case_target"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_case_target"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_case_target"(text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_case_target"(text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."require_category"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."require_category"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."require_category"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_category"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_category"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."require_password"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_password"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_password"(uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."require_short"(text, integer, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_short"(text, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_short"(text, integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_short"(text, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."restart_lock_order"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."restart_lock_order"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."restart_lock_order"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."restart_lock_order"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."set_case"(uuid, text, text, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."set_case"(uuid, text, text, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_case"(uuid, text, text, integer) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_case"(uuid, text, text, integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."set_claim"(uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."set_claim"(uuid, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_claim"(uuid, boolean) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."set_claim"(uuid, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."settle_case_proposal"(uuid, uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."settle_case_proposal"(uuid, uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."settle_case_proposal"(uuid, uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."settle_case_proposal"(uuid, uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."settle_case_reports"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."settle_case_reports"(jsonb, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."settle_case_reports"(jsonb, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."settle_case_reports"(jsonb, uuid) TO "worker";

REVOKE ALL ON FUNCTION "private"."settle_decision_appeal"(uuid, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."settle_decision_appeal"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."settle_decision_appeal"(uuid, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."settle_decision_appeal"(uuid, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."staff_decision_cards"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."staff_decision_cards"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."staff_decision_cards"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."standing"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."standing"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."standing"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."strikes_since"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."strikes_since"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."strikes_since"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."warn_person"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."warn_person"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."warn_person"(uuid, text) TO "postgres";

REVOKE ALL ON TABLE "app"."case_events" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."case_events" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."case_events" TO "service_role";

REVOKE ALL ON TABLE "app"."case_proposals" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."case_proposals" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."case_proposals" TO "service_role";

REVOKE ALL ON TABLE "app"."case_reports" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."case_reports" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."case_reports" TO "service_role";

REVOKE ALL ON TABLE "app"."cases" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."cases" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."cases" TO "service_role";

REVOKE ALL ON TABLE "app"."decision_appeals" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."decision_appeals" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."decision_appeals" TO "service_role";

REVOKE ALL ON TABLE "app"."decisions" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."decisions" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."decisions" TO "service_role";

REVOKE ALL ("category") ON TABLE "app"."reports" FROM "authenticated";

GRANT INSERT ("category") ON TABLE "app"."reports" TO "authenticated";

ALTER TABLE "app"."case_events" ADD CONSTRAINT "case_events_rules" CHECK (private.case_events_rules(kind, note));

ALTER TABLE "app"."case_proposals" ADD CONSTRAINT "case_proposals_rules" CHECK (private.case_proposals_rules(actions, reason, status, settled_at));

ALTER TABLE "app"."cases" ADD CONSTRAINT "cases_rules" CHECK (private.cases_rules(rule, priority, source, status, outcome, reports, closed_at));

ALTER TABLE "app"."decision_appeals" ADD CONSTRAINT "decision_appeals_rules" CHECK (private.decision_appeals_rules(text, status, answer, resolved_at));

ALTER TABLE "app"."decisions" ADD CONSTRAINT "decisions_rules" CHECK (private.decisions_rules(action, rule, reason));

insert into private.errors ("code", "status", "text")
values ('appeal_own_decision', '409', 'You made this decision, so somebody else must resolve the appeal.');

insert into private.errors ("code", "status", "text")
values ('appeal_verdict', '422', 'verdict must be uphold or overturn.');

insert into private.errors ("code", "status", "text")
values ('case_action', '422', 'There is no such action for a thing of this type.');

insert into private.errors ("code", "status", "text")
values ('case_actions', '422', 'There must be 1 to 5 different actions. Dismiss stands alone, and at most one changes the state of the person.');

insert into private.errors ("code", "status", "text")
values ('case_claimed', '409', 'Somebody else is working on this case.');

insert into private.errors ("code", "status", "text")
values ('case_closed', '409', 'The case is closed, and this can be done in an open case only.');

insert into private.errors ("code", "status", "text")
values ('case_note', '422', 'A note must have 1 to 2000 characters.');

insert into private.errors ("code", "status", "text")
values ('case_own', '403', 'You cannot work on a case about yourself.');

insert into private.errors ("code", "status", "text")
values ('case_person', '409', 'Nobody answers for this thing any more.');

insert into private.errors ("code", "status", "text")
values ('case_priority', '422', 'A priority is 1 (first) to 4.');

insert into private.errors ("code", "status", "text")
values ('case_proposal_open', '409', 'This case already has an open proposal.');

insert into private.errors ("code", "status", "text")
values ('case_proposal_unknown', '404', 'This case has no such open proposal.');

insert into private.errors ("code", "status", "text")
values ('case_reason', '422', 'This action needs a reason, which the person reads.');

insert into private.errors ("code", "status", "text")
values ('case_rule', '422', 'A rule can have at most 300 characters.');

insert into private.errors ("code", "status", "text")
values ('case_target', '404', 'There is no such thing.');

insert into private.errors ("code", "status", "text")
values ('case_unknown', '404', 'There is no such case.');

insert into private.errors ("code", "status", "text")
values ('case_until', '422', 'A suspension needs a time in the future at which it ends, and no other action takes one.');

insert into private.errors ("code", "status", "text")
values ('category_unknown', '422', 'There is no such category. GET /reports/categories lists them.');

insert into private.errors ("code", "status", "text")
values ('decision_appealed', '409', 'You have already appealed this decision.');

insert into private.errors ("code", "status", "text")
values ('decision_overturned', '409', 'This decision was already overturned.');

insert into private.errors ("code", "status", "text")
values ('decision_unknown', '404', 'There is no such decision about you.');

insert into private.errors ("code", "status", "text")
values ('invitee_unknown', '404', 'One of these people was not invited by this person.');

insert into private.errors ("code", "status", "text")
values ('invitees_action', '422', 'The action must be limit, suspend or ban.');

insert into private.errors ("code", "status", "text")
values ('invitees_chosen', '422', 'Name 1 to 50 different people.');

insert into private.errors ("code", "status", "text")
values ('proposal_actions', '422', 'Propose only what needs an admin. Do the rest yourself.');

insert into private.lock_kinds ("kind", "position")
values ('case', '690');

insert into private.lock_kinds ("kind", "position")
values ('case work', '205');

insert into app.settings ("key", "value")
values ('strike_days', '90');

insert into private.account_steps ("step", "events", "position")
values ('private.erase_cases', '{erasure}', '193');

insert into private.event_types ("name", "payload", "happens")
values ('moderation.appeal.resolved', '{decisionId,personId,action}', 'staff has upheld or overturned a decision');

insert into private.event_types ("name", "payload", "happens")
values ('moderation.decided', '{decisionId,personId,action}', 'staff has warned, limited, suspended or banned a person');

insert into private.event_listeners ("event", "listener", "position", "timing")
values ('moderation.appeal.resolved', 'private.notify_decided', '600', 'soon');

insert into private.event_listeners ("event", "listener", "position", "timing")
values ('moderation.decided', 'private.notify_decided', '600', 'soon');

insert into private.links ("type", "path")
values ('decision', '/me/standing');

insert into private.batch_queues ("queue", "batch")
values ('settled-reports', 'private.settle_case_reports');

insert into pgboss.queue ("name", "policy", "retry_limit", "retry_delay", "retry_backoff", "retry_delay_max", "expire_seconds", "retention_seconds", "deletion_seconds", "dead_letter", "partition", "table_name", "deferred_count", "queued_count", "ready_count", "warning_queued", "active_count", "failed_count", "total_count", "created_delta", "completed_delta", "failed_delta", "delta_on", "delta_seconds", "ready_history", "heartbeat_seconds", "notify", "singletons_active", "monitor_claim_on", "monitor_on", "maintain_on")
values ('settled-reports', 'standard', '2', '0', 'false', null, '900', '1209600', '604800', null, 'false', 'job_common', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', null, null, '{}', null, 'false', null, null, null, null);

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.case_events', 'actor_id', null, null, null, '{}', null, 'false', 'The work of staff, which the audit log contains.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.case_reports', 'report_id', null, null, null, '{}', null, 'false', 'Which case a report belongs to is the work of staff.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.case_proposals', 'proposed_by', null, null, null, '{}', null, 'false', 'The work of staff, which the audit log contains.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.case_proposals', 'settled_by', null, null, null, '{}', null, 'false', 'The work of staff, which the audit log contains.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.cases', 'claimed_by', null, null, null, '{}', null, 'false', 'The work of staff, which the audit log contains.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.cases', 'closed_by', null, null, null, '{}', null, 'false', 'The work of staff, which the audit log contains.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.cases', 'person_id', null, null, null, '{}', null, 'false', 'The work of staff; what was decided is in the section decisions.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.cases', 'target_id', null, null, null, '{}', null, 'false', 'The work of staff; what was decided is in the section decisions.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.decision_appeals', 'decision_id', 'decisionAppeals', '{decisions}', null, '{person_id,resolved_by}', null, 'false', null);

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.decision_appeals', 'person_id', null, null, null, '{}', null, 'false', 'The person of the decision, in whose section the appeals are.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.decision_appeals', 'resolved_by', null, null, null, '{}', null, 'false', 'The work of staff, which the audit log contains.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.decisions', 'decided_by', null, null, null, '{}', null, 'false', 'The work of staff, which the audit log contains.');

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.decisions', 'person_id', 'decisions', null, null, '{case_id,target_id,decided_by,audit_id}', null, 'false', null);

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.decisions', 'target_id', null, null, null, '{}', null, 'false', 'A decision about a person is in the section decisions.');

insert into private.case_categories ("category", "text", "priority", "strikes", "at_once")
values ('falsehood', 'False and harmful', '3', '1', 'false');

insert into private.case_categories ("category", "text", "priority", "strikes", "at_once")
values ('harassment', 'Harasses somebody', '2', '2', 'false');

insert into private.case_categories ("category", "text", "priority", "strikes", "at_once")
values ('hate', 'Hate against people for what they are', '2', '2', 'false');

insert into private.case_categories ("category", "text", "priority", "strikes", "at_once")
values ('impersonation', 'Pretends to be somebody else', '3', '1', 'false');

insert into private.case_categories ("category", "text", "priority", "strikes", "at_once")
values ('minors', 'Puts minors at risk', '1', '5', 'true');

insert into private.case_categories ("category", "text", "priority", "strikes", "at_once")
values ('other', 'Something else', '4', '1', 'false');

insert into private.case_categories ("category", "text", "priority", "strikes", "at_once")
values ('privacy', 'Publishes private facts', '2', '2', 'false');

insert into private.case_categories ("category", "text", "priority", "strikes", "at_once")
values ('self-harm', 'Somebody may hurt themselves', '1', '0', 'true');

insert into private.case_categories ("category", "text", "priority", "strikes", "at_once")
values ('sexual', 'Sexual content', '3', '1', 'false');

insert into private.case_categories ("category", "text", "priority", "strikes", "at_once")
values ('spam', 'Spam', '3', '1', 'false');

insert into private.case_categories ("category", "text", "priority", "strikes", "at_once")
values ('unlawful', 'Unlawful in another way', '2', '2', 'true');

insert into private.case_categories ("category", "text", "priority", "strikes", "at_once")
values ('violence', 'Threatens or praises violence', '1', '3', 'true');

insert into private.decision_kinds ("verb", "action", "lifts")
values ('banned', 'ban', 'false');

insert into private.decision_kinds ("verb", "action", "lifts")
values ('deleted', 'remove', 'false');

insert into private.decision_kinds ("verb", "action", "lifts")
values ('hidden', 'hide', 'false');

insert into private.decision_kinds ("verb", "action", "lifts")
values ('limited', 'limit', 'false');

insert into private.decision_kinds ("verb", "action", "lifts")
values ('removed', 'remove', 'false');

insert into private.decision_kinds ("verb", "action", "lifts")
values ('restored', 'remove', 'true');

insert into private.decision_kinds ("verb", "action", "lifts")
values ('suspended', 'suspend', 'false');

insert into private.decision_kinds ("verb", "action", "lifts")
values ('unbanned', 'ban', 'true');

insert into private.decision_kinds ("verb", "action", "lifts")
values ('unhidden', 'hide', 'true');

insert into private.decision_kinds ("verb", "action", "lifts")
values ('unlimited', 'limit', 'true');

insert into private.decision_kinds ("verb", "action", "lifts")
values ('warned', 'warn', 'false');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('closed', 'ban', 'closed', '{admin}', '{claim,reason,person}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('closed', 'hide', 'closed', '{moderator,admin}', '{claim}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('closed', 'limit', 'closed', '{admin}', '{claim,reason,person}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('closed', 'note', 'closed', '{moderator,admin}', '{}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('closed', 'remove', 'closed', '{admin}', '{claim}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('closed', 'restore', 'closed', '{admin}', '{claim}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('closed', 'suspend', 'closed', '{admin}', '{claim,reason,person,until}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('closed', 'unban', 'closed', '{admin}', '{claim,person}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('closed', 'unhide', 'closed', '{moderator,admin}', '{claim}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('closed', 'unlimit', 'closed', '{admin}', '{claim,person}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('closed', 'warn', 'closed', '{moderator,admin}', '{claim,reason,person}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'accept', 'open', '{admin}', '{claim}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'ban', 'closed', '{admin}', '{claim,reason,person}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'change', 'open', '{moderator,admin}', '{claim}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'claim', 'open', '{moderator,admin}', '{claim}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'decline', 'open', '{admin}', '{claim}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'dismiss', 'closed', '{moderator,admin}', '{claim}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'hide', 'closed', '{moderator,admin}', '{claim}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'limit', 'closed', '{admin}', '{claim,reason,person}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'note', 'open', '{moderator,admin}', '{}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'propose', 'open', '{moderator,admin}', '{reason}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'release', 'open', '{moderator,admin}', '{}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'remove', 'closed', '{admin}', '{claim}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'restore', 'open', '{admin}', '{claim}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'suspend', 'closed', '{admin}', '{claim,reason,person,until}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'unban', 'open', '{admin}', '{claim,person}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'unhide', 'open', '{moderator,admin}', '{claim}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'unlimit', 'open', '{admin}', '{claim,person}');

insert into private.case_transitions ("status", "action", "next", "roles", "needs")
values ('open', 'warn', 'closed', '{moderator,admin}', '{claim,reason,person}');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('argument', 'remove', 'select private.set_content_removed(''arguments'', $1, true, $2)', 'restore', '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('argument', 'restore', 'select private.set_content_removed(''arguments'', $1, false, $2)', null, '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('audio', 'remove', 'select private.set_content_removed(''audio'', $1, true, $2)', 'restore', '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('audio', 'restore', 'select private.set_content_removed(''audio'', $1, false, $2)', null, '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('course', 'remove', 'select private.set_content_removed(''courses'', $1, true, $2)', 'restore', '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('course', 'restore', 'select private.set_content_removed(''courses'', $1, false, $2)', null, '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('debate', 'remove', 'select private.set_content_removed(''debates'', $1, true, $2)', 'restore', '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('debate', 'restore', 'select private.set_content_removed(''debates'', $1, false, $2)', null, '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('event', 'remove', 'select private.set_content_removed(''events'', $1, true, $2)', 'restore', '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('event', 'restore', 'select private.set_content_removed(''events'', $1, false, $2)', null, '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('offering', 'remove', 'select private.set_content_removed(''offerings'', $1, true, $2)', 'restore', '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('offering', 'restore', 'select private.set_content_removed(''offerings'', $1, false, $2)', null, '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('post', 'hide', 'select private.set_post_hidden($1, true, $2)', 'unhide', '1');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('post', 'remove', 'select api.remove_post($1, $2)', null, '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('post', 'unhide', 'select private.set_post_hidden($1, false, $2)', null, '1');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('problem', 'remove', 'select private.set_content_removed(''problems'', $1, true, $2)', 'restore', '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('problem', 'restore', 'select private.set_content_removed(''problems'', $1, false, $2)', null, '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('project', 'remove', 'select private.set_content_removed(''projects'', $1, true, $2)', 'restore', '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('project', 'restore', 'select private.set_content_removed(''projects'', $1, false, $2)', null, '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('reply', 'hide', 'select private.set_reply_hidden($1, true, $2)', 'unhide', '1');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('reply', 'unhide', 'select private.set_reply_hidden($1, false, $2)', null, '1');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('review', 'remove', 'select private.set_content_removed(''reviews'', $1, true, $2)', 'restore', '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('review', 'restore', 'select private.set_content_removed(''reviews'', $1, false, $2)', null, '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('solution', 'remove', 'select private.set_content_removed(''solutions'', $1, true, $2)', 'restore', '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('solution', 'restore', 'select private.set_content_removed(''solutions'', $1, false, $2)', null, '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('user', 'ban', 'select api.ban_person($1::text, $2)', 'unban', '9');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('user', 'limit', 'select api.limit_person($1::text, $2)', 'unlimit', '9');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('user', 'suspend', 'select api.ban_person($1::text, $2, $3)', 'unban', '9');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('user', 'unban', 'select api.unban_person($1::text, $2)', null, '9');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('user', 'unlimit', 'select api.unlimit_person($1::text, $2)', null, '9');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('user', 'warn', 'select private.warn_person($1, $2)', null, '8');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('video', 'remove', 'select private.set_content_removed(''videos'', $1, true, $2)', 'restore', '2');

insert into private.case_handlers ("target_type", "action", "statement", "undo", "place")
values ('video', 'restore', 'select private.set_content_removed(''videos'', $1, false, $2)', null, '2');

-- Moved by hand behind the rows of the registry, to which existing reports refer.
ALTER TABLE "app"."reports" ADD CONSTRAINT "reports_category_fkey" FOREIGN KEY (category) REFERENCES private.case_categories(category) ON DELETE RESTRICT;

-- Written by hand: the open reports get their cases. Settled reports stay as they are.
with opened as (
  insert into app.cases (target_type, target_id, category, priority, source, reports, opened_at)
  select target_type, target_id, 'other', 4, 'report', count(*), min(created_at)
  from app.reports where status = 'open'
  group by target_type, target_id
  order by min(created_at)
  returning id, target_type, target_id, opened_at
), noted as (
  insert into app.case_events (case_id, kind, detail, at)
  select id, 'opened', '{"source": "report", "category": "other"}', opened_at from opened
)
insert into app.case_reports (case_id, report_id)
select o.id, r.id from opened o
join app.reports r on r.target_type = o.target_type and r.target_id = o.target_id and r.status = 'open';
