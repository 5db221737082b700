-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP FUNCTION "private"."hider"(text, uuid, timestamp with time zone);

DROP FUNCTION "private"."require_case_target"(text, text);

ALTER TABLE "app"."rule_hits" ADD COLUMN "hid" boolean NOT NULL DEFAULT false;

CREATE TYPE "private"."case_target" AS ("id" uuid, "person_id" uuid);

ALTER TYPE "private"."case_target" OWNER TO "postgres";

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
  if v_target.person_id = app.uid() then
    perform private.raise_error('case_own');
  end if;
  v_id := private.open_case(p_target_type, v_target.id, coalesce(p_category, 'other'), 'staff', v_note);
  perform private.audit('case.opened', 'case', v_id::text);
  return private.staff_card('cases', v_id);
end $function$;

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
  elsif private.is_claimed_by_another(v_case) then
    perform private.require_role('admin');
  end if;
  perform private.set_claim(p_id, false);
  return private.end_case_work(p_id, 'released');
end $function$;

CREATE OR REPLACE FUNCTION private.check_case_worker(p_case app.cases, p_heeds_claim boolean)
 RETURNS void
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if (p_case).person_id = app.uid() then
    perform private.raise_error('case_own');
  elsif p_heeds_claim and private.is_claimed_by_another(p_case) then
    perform private.raise_error('case_claimed');
  end if;
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
begin
  select * into v_rule from private.visibility((p_content).author_id, 0, (p_content).space_id, p_viewer => p_person);
  v_student := (p_content).is_draft and p_access.can_see and v_rule.level < 3;   -- private.visible_courses
  return array_remove(
    array[case when (p_content).deleted_at is not null then
            private.reason('deleted', 'denies') end]
    || private.author_reasons((p_content).author_id, p_person, v_rule.level, (p_content).author_hidden)
    || array[
      case when (p_content).removed_at is not null and v_rule.level < 3 then
        private.reason(private.hider((p_content).kind, (p_content).id, 'removed'), 'denies') end,
      case when v_student then private.reason('student', 'allows')
           when (p_content).is_draft and v_rule.level < 3 then private.reason('draft', 'denies') end,
      case when v_rule.level between 0 and 2 and (p_content).space_id is null and not (p_content).is_draft then
        private.reason('public', 'allows') end,
      case when (p_content).space_id is not null then
        private.reason_of_sight(v_rule.is_inside, 'space_member', 'space_private',
                                (select s.kind from app.spaces s where s.id = (p_content).space_id),
                                (p_content).space_id) end,
      case when p_access.can_see and not v_student and not p_access.is_listed then
        private.reason('limited_author', 'leaves_out') end], null);
end $function$;

CREATE OR REPLACE FUNCTION private.hider(p_type text, p_id uuid, p_otherwise text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return case when private.only_rules_hid(p_type, p_id) then 'held_by_rule' else p_otherwise end;
end $function$;

ALTER FUNCTION "private"."hider"(text, uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.is_claimed_by_another(p_case app.cases)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return coalesce((p_case).claimed_by <> app.uid() and (p_case).claimed_until > now(), false);
end $function$;

ALTER FUNCTION "private"."is_claimed_by_another"(app.cases) OWNER TO "postgres";

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
      perform private.lock_judged(p_type, p_id);   -- it is older, so others may have it locked
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

CREATE OR REPLACE FUNCTION private.only_rules_hid(p_type text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (exists (select from app.rule_hits h where h.target_id = p_id and h.hid)
          or exists (select from app.decisions d
                     where d.target_type = p_type and d.target_id = p_id and d.lifted_at is null
                       and d.action in ('hide', 'remove') and d.decided_by is null))
    and not private.people_hid(p_type, p_id);
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
  v_effect := case when v_rule.level = 3 then 'leaves_out' else 'denies' end;   -- what nobody but the author sees
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

CREATE OR REPLACE FUNCTION private.read_days(p_from date, p_to date)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_first date := ((select min(created_at) from app.users) at time zone 'UTC')::date;
  v_kept  timestamptz := (select counted_at from app.daily_figures where day = private.today());
begin
  if p_to >= private.today() and (v_kept is null or v_kept < now() - interval '30 seconds') then
    perform from app.daily_figures where day = private.today() for update skip locked;
    if found or v_kept is null then   -- otherwise another transaction is counting
      perform private.count_day(private.today());
    end if;
  end if;
  return json_build_object(
    'days', (
      select json_agg(json_build_object(
               'day', d.day::date,
               'joined', case when v.is_empty then 0 else f.joined end,
               'active', case when v.is_empty then 0 else f.active end,
               'posts', case when v.is_empty then 0 else f.posts end,
               'replies', case when v.is_empty then 0 else f.replies end,
               'payments', case when v.is_empty then 0 else f.payments end,
               'mana', case when v.is_empty then 0 else f.mana end,
               'reports', case when v.is_empty then 0 else f.reports end,
               'casesClosed', case when v.is_empty then 0 else f.cases_closed end) order by d.day)
      from generate_series(p_from::timestamp, p_to::timestamp, interval '1 day') d (day)
      left join app.daily_figures f on f.day = d.day::date
      cross join lateral (select d.day::date < v_first or d.day::date > private.today() as is_empty) v),
    'countedAt', private.utc((select counted_at from app.daily_figures where day = private.today())));
end $function$;

CREATE OR REPLACE FUNCTION private.reply_reasons(p_reply app.replies, p_person uuid)
 RETURNS private.access_reason[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_level smallint := coalesce(private.find_level(p_person, (p_reply).author_id), 0::smallint);
  v_post  boolean := private.post_visible_to((p_reply).post_id, p_person) is true;
begin
  return array_remove(
    array[case when (p_reply).deleted_at is not null then private.reason('deleted', 'denies') end]
    || private.author_reasons((p_reply).author_id, p_person, v_level, (p_reply).author_banned)
    || array[
      case when (p_reply).hidden_at is not null and v_level < 3 then
        private.reason(private.hider('reply', (p_reply).id, 'hidden'), 'denies') end,
      private.reason_of_sight(v_post, 'post_seen', 'post_unseen', 'post', (p_reply).post_id)], null);
end $function$;

CREATE OR REPLACE FUNCTION private.require_case_target(p_type text, p_target text)
 RETURNS private.case_target
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_target private.case_target;
begin
  perform private.require_report_finder(p_type);
  if p_type = 'user' then
    v_target.id := private.require_any_person(p_target);
    v_target.person_id := v_target.id;
    return v_target;
  elsif not pg_input_is_valid(p_target, 'uuid') then
    perform private.raise_error('case_target');
  end if;
  v_target.id := p_target::uuid;
  -- safe: the query comes from the registry
  execute (select author from private.report_targets where type = p_type) into v_target.person_id using v_target.id;
  if v_target.person_id is null then
    perform private.raise_error('case_target');
  end if;
  return v_target;
end $function$;

ALTER FUNCTION "private"."require_case_target"(text, text) OWNER TO "postgres";

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
  select * into v_case from app.cases
  where id = p_case and space_id = p_space and person_id is distinct from app.uid();
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

CREATE OR REPLACE FUNCTION private.set_post_hidden(p_id uuid, p_hidden boolean, p_reason text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('moderator', 'admin');
  if not p_hidden and exists (select from app.posts where id = p_id and author_id = app.uid()) then
    perform private.require_role('admin');
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
  if not p_hidden and exists (select from app.replies where id = p_id and author_id = app.uid()) then
    perform private.require_role('admin');
  end if;
  return private.write_reply_hidden(p_id, p_hidden, p_reason);
end $function$;

COMMENT ON COLUMN "app"."cases"."staff_from" IS 'From when on an open case is in the queue of staff. Before, it is in that of the space; staff finds it there with waiting=true, and may decide it.';

COMMENT ON COLUMN "app"."rule_hits"."hid" IS 'Whether the rule has hidden the thing; false if it was hidden already, or the rule only opens a case.';

COMMENT ON FUNCTION "api"."create_case"(text, text, text, text) IS 'Opens a case about a thing that nobody reported, or adds a note to its open case. Nobody opens one about themselves. Returns the case. Leaves an audit entry.';

COMMENT ON FUNCTION "private"."count_day"(date) IS 'Counts a day, by indexes in the order of time, and reads all accounts if the day is not over. Of a day that is over it keeps how many people were active.';

COMMENT ON FUNCTION "private"."hider"(text, uuid, text) IS 'held_by_rule if only a rule has hidden a thing; otherwise the given code.';

COMMENT ON FUNCTION "private"."is_claimed_by_another"(app.cases) IS 'Whether somebody else than the caller has claimed a case now.';

COMMENT ON FUNCTION "private"."job_count_days"() IS 'Job: counts the oldest day of the last 366 that has no final figures, and today if its last count is over 5 minutes old, and returns 1. May run twice: it counts again and gets the same. The worker repeats it until it returns 0.';

COMMENT ON FUNCTION "private"."read_days"(date, date) IS 'The figures of these days, both included. Today is counted again if that was more than 30 seconds ago; concurrent callers get the previous figures.';

COMMENT ON FUNCTION "private"."require_case_target"(text, text) IS 'The thing about which staff opens a case. A person is named by id, actor id or username.';

COMMENT ON FUNCTION "private"."set_post_hidden"(uuid, boolean, text) IS 'For staff: private.write_post_hidden. A moderator can''t show again what they wrote themselves.';

COMMENT ON FUNCTION "private"."set_reply_hidden"(uuid, boolean, text) IS 'For staff: private.write_reply_hidden, as private.set_post_hidden.';

COMMENT ON TYPE "private"."case_target" IS 'A thing about which a case can be, and the person who answers for it.';

REVOKE ALL ON FUNCTION "private"."hider"(text, uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hider"(text, uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."hider"(text, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_claimed_by_another"(app.cases) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_claimed_by_another"(app.cases) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_claimed_by_another"(app.cases) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_claimed_by_another"(app.cases) TO "service_role";

REVOKE ALL ON FUNCTION "private"."require_case_target"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_case_target"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_case_target"(text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_case_target"(text, text) TO "service_role";

update private.access_reasons set "text" = 'The person blocked the author, or the author blocked the person.'
where "code"::text = 'blocked' and "effect"::text = 'denies'
  and "text"::text = 'One of the two blocked the other.';

update private.access_reasons set "text" = 'The account of its author was erased, so nobody sees it.'
where "code"::text = 'erased_author' and "effect"::text = 'denies'
  and "text"::text = 'Its author was erased, so nobody sees it.';

update private.access_reasons set "text" = 'A moderation rule hid it from everybody but its author.'
where "code"::text = 'held_by_rule' and "effect"::text = 'denies'
  and "text"::text = 'A rule of staff hid it from everybody but its author.';

update private.access_reasons set "text" = 'A moderation rule hid it. Its author still sees it.'
where "code"::text = 'held_by_rule' and "effect"::text = 'leaves_out'
  and "text"::text = 'A rule of staff hid it. Its author still sees it.';

update private.access_reasons set "text" = 'Staff, or who moderates its space, hid it from everybody but its author.'
where "code"::text = 'hidden' and "effect"::text = 'denies'
  and "text"::text = 'Staff hid it from everybody but its author.';

update private.access_reasons set "text" = 'Staff, or who moderates its space, hid it. Its author still sees it.'
where "code"::text = 'hidden' and "effect"::text = 'leaves_out'
  and "text"::text = 'Staff hid it. Its author still sees it.';

update private.access_reasons set "text" = 'Its author, or that of the original, is limited, and this person does not follow that author.'
where "code"::text = 'limited_author' and "effect"::text = 'leaves_out'
  and "text"::text = 'Its author, or that of the original, is limited, and they do not follow them.';
