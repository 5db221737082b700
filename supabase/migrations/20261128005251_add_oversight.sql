-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE TABLE "app"."daily_figures" ("day" date NOT NULL, "joined" integer NOT NULL, "active" integer, "posts" integer NOT NULL, "replies" integer NOT NULL, "payments" integer NOT NULL, "mana" bigint NOT NULL, "reports" integer NOT NULL, "cases_closed" integer NOT NULL, "counted_at" timestamp with time zone NOT NULL, CONSTRAINT "daily_figures_pkey" PRIMARY KEY (day));

ALTER TABLE "app"."daily_figures" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."daily_figures" OWNER TO "postgres";

CREATE TABLE "private"."access_reasons" ("code" text NOT NULL, "effect" text NOT NULL, "text" text NOT NULL, CONSTRAINT "access_reasons_code_check" CHECK ((code ~ '^[a-z]+(_[a-z]+)*$'::text)), CONSTRAINT "access_reasons_effect_check" CHECK ((effect = ANY (ARRAY['allows'::text, 'denies'::text, 'leaves_out'::text]))), CONSTRAINT "access_reasons_pkey" PRIMARY KEY (code, effect), CONSTRAINT "access_reasons_text_check" CHECK (((length(text) >= 1) AND (length(text) <= 200))));

ALTER TABLE "private"."access_reasons" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."access_reasons" OWNER TO "postgres";

CREATE TYPE "private"."access_reason" AS ("code" text, "effect" text, "about_type" text, "about_id" uuid);

ALTER TYPE "private"."access_reason" OWNER TO "postgres";

CREATE TYPE "private"."access" AS ("type" text, "id" uuid, "author_id" uuid, "can_see" boolean, "is_listed" boolean, "is_muted" boolean, "is_shown" boolean);

ALTER TYPE "private"."access" OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.explain_access(p_person_id text, p_target_type text, p_target_id text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('moderator', 'admin');
  return private.explain_access(private.require_any_person(p_person_id), p_target_type, p_target_id);
end $function$;

ALTER FUNCTION "api"."explain_access"(text, text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.get_daily_figures(p_from date DEFAULT NULL::date, p_to date DEFAULT NULL::date)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_to   date := coalesce(p_to, private.today());
  v_from date := coalesce(p_from, v_to - 29);
begin
  perform private.require_role('moderator', 'admin');
  if v_from > v_to or v_to - v_from > 365 then
    perform private.raise_error('days_range');
  end if;
  return private.read_days(v_from, v_to);
end $function$;

ALTER FUNCTION "api"."get_daily_figures"(date, date) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.get_user_standing(p_id text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$ begin return private.standing(private.find_staff_person(p_id), false); end $function$;

ALTER FUNCTION "api"."get_user_standing"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.access_of(p_person uuid, p_type text, p_id uuid)
 RETURNS private.access
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_caller text := current_setting('request.jwt.claims', true);
  v_access private.access;
begin
  perform set_config('request.jwt.claims', json_build_object('sub', p_person)::text, true);
  v_access := private.find_access(p_type, p_id);
  perform set_config('request.jwt.claims', coalesce(v_caller, ''), true);
  -- whoever is banned has no token
  if exists (select from app.hidden_people where user_id = p_person) then
    v_access.can_see := false;
    v_access.is_shown := case when v_access.is_shown is not null then false end;
  end if;
  return v_access;
end $function$;

ALTER FUNCTION "private"."access_of"(uuid, text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.author_reasons(p_author uuid, p_person uuid, p_level smallint, p_catching_up boolean)
 RETURNS private.access_reason[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_author app.users;
begin
  select * into v_author from app.users where id = p_author;
  return array_remove(array[
    case when v_author.erased_at is not null then private.reason('erased_author', 'denies')
         when v_author.banned_at is not null then private.reason('banned_author', 'denies')
         when p_catching_up then private.reason('returning', 'denies') end,
    case when p_level < 0 then private.reason('blocked', 'denies')
         when p_level = 3 then private.reason('author', 'allows') end], null);
end $function$;

ALTER FUNCTION "private"."author_reasons"(uuid, uuid, smallint, boolean) OWNER TO "postgres";

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
      case when (p_content).removed_at is not null and v_rule.level < 3 then private.reason('removed', 'denies') end,
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

ALTER FUNCTION "private"."content_reasons"(app.contents, uuid, private.access) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.count_day(p_day date)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_from timestamptz := p_day::timestamp at time zone 'UTC';
  v_to   timestamptz := (p_day + 1)::timestamp at time zone 'UTC';
begin
  insert into app.daily_figures as d
    (day, joined, active, posts, replies, payments, mana, reports, cases_closed, counted_at)
  select p_day,
         (select count(*) from app.users where created_at >= v_from and created_at < v_to),
         case when now() < v_to then (select count(*) from app.accounts where last_seen_at >= v_from) end,
         (select count(*) from app.posts where created_at >= v_from and created_at < v_to),
         (select count(*) from app.replies where created_at >= v_from and created_at < v_to),
         p.payments, p.mana,
         (select count(*) from app.reports where created_at >= v_from and created_at < v_to),
         (select count(*) from app.cases where closed_at >= v_from and closed_at < v_to),
         now()
  from (select count(*) as payments, coalesce(sum(amount), 0) as mana from app.payments
        where created_at >= v_from and created_at < v_to and not reversed) p
  on conflict (day) do update
    set joined = excluded.joined, active = coalesce(excluded.active, d.active), posts = excluded.posts,
        replies = excluded.replies, payments = excluded.payments, mana = excluded.mana, reports = excluded.reports,
        cases_closed = excluded.cases_closed, counted_at = excluded.counted_at;
end $function$;

ALTER FUNCTION "private"."count_day"(date) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.explain_access(p_person uuid, p_type text, p_target text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_thing   private.access := private.find_thing(p_type, p_target);
  v_access  private.access := private.access_of(p_person, p_type, v_thing.id);
  v_reasons private.access_reason[];
begin
  if exists (select from app.hidden_people where user_id = p_person) then
    v_reasons := array[private.reason('banned_person', 'denies')];
  end if;
  v_reasons := v_reasons || case p_type
    when 'post' then (select private.post_reasons(p, p_person, v_access) from app.posts p where p.id = v_thing.id)
    when 'reply' then (select private.reply_reasons(r, p_person) from app.replies r where r.id = v_thing.id)
    when 'content' then
      (select private.content_reasons(c, p_person, v_access) from app.contents c where c.id = v_thing.id)
    when 'conversation' then
      array[private.reason_of_sight(
        exists (select from app.conversation_members where conversation_id = v_thing.id and user_id = p_person),
        'in_conversation', 'not_in_conversation')]
    else
      (select array[private.reason_of_sight(v.is_inside, 'space_member', 'space_private')]
       from private.visibility(p_person, 0, v_thing.id, p_viewer => p_person) v)
    end;
  return json_build_object(
    'personId', p_person,
    'person', (select card from app.person_card where id = p_person),
    'targetType', p_type,
    'targetId', v_thing.id,
    'authorId', v_thing.author_id,
    'author', (select card from app.person_card where id = v_thing.author_id),
    'canSee', v_access.can_see,
    'shown', v_access.is_shown,
    'reasons', (
      select coalesce(json_agg(json_build_object(
               'code', r.code, 'effect', r.effect, 'text', t.text,
               'about', case when r.about_id is not null then
                          json_build_object('targetType', r.about_type, 'targetId', r.about_id) end)
             order by r.place), '[]')
      from unnest(v_reasons) with ordinality as r (code, effect, about_type, about_id, place)
      join private.access_reasons t on t.code = r.code and t.effect = r.effect));
end $function$;

ALTER FUNCTION "private"."explain_access"(uuid, text, text) OWNER TO "postgres";

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
    -- no feed has what only its author sees
    v_access.is_shown := v_access.is_listed and not v_access.is_muted
      and exists (select from app.posts where id = p_id and required_level <= 2);
  elsif p_type = 'reply' then
    v_access.can_see := exists (select from private.visible_replies where id = p_id);
  elsif p_type = 'content' then
    v_access.can_see := exists (select from private.visible_contents where id = p_id)
                     or exists (select from private.visible_courses where id = p_id);
    v_access.is_listed := exists (select from private.listed_contents where id = p_id);
    v_access.is_shown := v_access.is_listed;
  elsif p_type = 'conversation' then
    v_access.can_see := exists (select from app.conversation_members
                                where conversation_id = p_id and user_id = app.uid());
  else
    v_access.can_see := (select v.is_inside from private.visibility(app.uid(), 0, p_id) v);
  end if;
  return v_access;
end $function$;

ALTER FUNCTION "private"."find_access"(text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.find_thing(p_type text, p_id text)
 RETURNS private.access
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_id     uuid := case when pg_input_is_valid(p_id, 'uuid') then p_id::uuid end;
  v_author uuid;
  v_found  boolean;
begin
  if p_type in ('group', 'guild') then
    v_id := (private.find_any_space(p_type, p_id)).id;
    v_found := true;
  elsif p_type = 'post' then
    select author_id into v_author from app.posts where id = v_id;
  elsif p_type = 'reply' then
    select author_id into v_author from app.replies where id = v_id;
  elsif p_type = 'content' then
    select author_id into v_author from app.contents where id = v_id;
  elsif p_type = 'conversation' then
    v_found := exists (select from app.conversations where id = v_id);
  end if;
  if coalesce(v_found, v_author is not null) is not true then
    perform private.raise_error('thing_unknown');
  end if;
  return (p_type, v_id, v_author, null, null, null, null)::private.access;
end $function$;

ALTER FUNCTION "private"."find_thing"(text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.hider(p_type text, p_id uuid, p_hidden_at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  -- a rule notes its hit in the transaction in which it hides
  return case when exists (select from app.rule_hits h
                           where h.target_id = p_id and h.target_type = p_type and h.mode = 'live'
                             and h.action = 'hide'
                             and h.created_at between p_hidden_at and p_hidden_at + interval '5 minutes')
              then 'held_by_rule' else 'hidden' end;
end $function$;

ALTER FUNCTION "private"."hider"(text, uuid, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.job_count_days()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_day date;
begin
  select d.day::date into v_day
  from generate_series(
    greatest(private.today() - 366, ((select min(created_at) from app.users) at time zone 'UTC')::date)::timestamp,
    private.today()::timestamp, interval '1 day') d (day)
  left join app.daily_figures f on f.day = d.day::date
  where f.day is null
     or f.day < private.today() and f.counted_at < (f.day + 1)::timestamp at time zone 'UTC'
     or f.day = private.today() and f.counted_at < now() - interval '5 minutes'
  order by d.day limit 1;
  if v_day is null then
    return 0;
  end if;
  perform private.count_day(v_day);
  return 1;
end $function$;

ALTER FUNCTION "private"."job_count_days"() OWNER TO "postgres";

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
        private.reason(private.hider('post', (p_post).id, (p_post).hidden_at), v_effect) end,
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

ALTER FUNCTION "private"."post_reasons"(app.posts, uuid, private.access) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.read_days(p_from date, p_to date)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_first date := ((select min(created_at) from app.users) at time zone 'UTC')::date;
begin
  if p_to >= private.today() and not exists (
    select from app.daily_figures where day = private.today() and counted_at > now() - interval '30 seconds') then
    perform private.count_day(private.today());
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

ALTER FUNCTION "private"."read_days"(date, date) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.reason(p_code text, p_effect text, p_about_type text DEFAULT NULL::text, p_about_id uuid DEFAULT NULL::uuid)
 RETURNS private.access_reason
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$ begin return (p_code, p_effect, p_about_type, p_about_id)::private.access_reason; end $function$;

ALTER FUNCTION "private"."reason"(text, text, text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.reason_of_sight(p_sees boolean, p_allows text, p_denies text, p_about_type text DEFAULT NULL::text, p_about_id uuid DEFAULT NULL::uuid)
 RETURNS private.access_reason
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return private.reason(case when p_sees then p_allows else p_denies end,
                        case when p_sees then 'allows' else 'denies' end, p_about_type, p_about_id);
end $function$;

ALTER FUNCTION "private"."reason_of_sight"(boolean, text, text, text, uuid) OWNER TO "postgres";

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
        private.reason(private.hider('reply', (p_reply).id, (p_reply).hidden_at), 'denies') end,
      private.reason_of_sight(v_post, 'post_seen', 'post_unseen', 'post', (p_reply).post_id)], null);
end $function$;

ALTER FUNCTION "private"."reply_reasons"(app.replies, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.today()
 RETURNS date
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$ begin return (now() at time zone 'UTC')::date; end $function$;

ALTER FUNCTION "private"."today"() OWNER TO "postgres";

COMMENT ON COLUMN "app"."daily_figures"."active" IS 'People who were here, as counted last on that day; null for days before there were these figures. Who was here is stored only for the latest time, so it can''t be counted later.';

COMMENT ON COLUMN "app"."daily_figures"."cases_closed" IS 'Cases that staff or a space decided.';

COMMENT ON COLUMN "app"."daily_figures"."counted_at" IS 'When they were counted. A day that was counted after its end is final.';

COMMENT ON COLUMN "app"."daily_figures"."joined" IS 'People who joined.';

COMMENT ON COLUMN "app"."daily_figures"."mana" IS 'Whole mana that these payments moved.';

COMMENT ON COLUMN "app"."daily_figures"."payments" IS 'Payments, without reversals.';

COMMENT ON COLUMN "app"."daily_figures"."posts" IS 'Posts that were written, scheduled ones and reposts too.';

COMMENT ON COLUMN "app"."daily_figures"."replies" IS 'Replies that were written.';

COMMENT ON COLUMN "app"."daily_figures"."reports" IS 'Reports by people.';

COMMENT ON COLUMN "private"."access_reasons"."effect" IS 'allows and denies: whether the person sees the thing. leaves_out: they see it, but feeds and searches do not show it to them.';

COMMENT ON FUNCTION "api"."explain_access"(text, text, text) IS 'Whether a person sees a post, a reply, a content, what is in a group or guild, or a conversation, and why: {personId, person, targetType, targetId, authorId, author, canSee, shown, reasons: [{code, effect, text, about}]}.';

COMMENT ON FUNCTION "api"."get_daily_figures"(date, date) IS 'What happened on each of at most 366 days, in UTC: {days: [{day, joined, active, posts, replies, payments, mana, reports, casesClosed}], countedAt}. Figures that have not been counted yet are null.';

COMMENT ON FUNCTION "api"."get_user_standing"(text) IS 'The standing of a person as they read it: {state, suspendedUntil, strikes, decisions}. Nobody learns who decided.';

COMMENT ON FUNCTION "private"."access_of"(uuid, text, uuid) IS 'private.find_access for any person, for staff: the rules are asked as if this person were the caller.';

COMMENT ON FUNCTION "private"."author_reasons"(uuid, uuid, smallint, boolean) IS 'The reasons that lie in the author of a thing and in what the person is to them. Which of the two blocked the other is not told.';

COMMENT ON FUNCTION "private"."content_reasons"(app.contents, uuid, private.access) IS 'Why a person sees a content or does not, in the order of the rule, as for posts but without circles.';

COMMENT ON FUNCTION "private"."count_day"(date) IS 'Counts a day, by indexes in the order of time. Of a day that is over it keeps how many people were active.';

COMMENT ON FUNCTION "private"."explain_access"(uuid, text, text) IS 'Whether a person sees a thing, and the reasons, in the order of the rule. It has none of the thing''s words.';

COMMENT ON FUNCTION "private"."find_access"(text, uuid) IS 'Whether the caller sees this post, reply or content, what is in this group or guild, or this conversation, by the same views and functions that their own requests use.';

COMMENT ON FUNCTION "private"."find_thing"(text, text) IS 'The id and the author of a thing that staff names, whoever sees it.';

COMMENT ON FUNCTION "private"."hider"(text, uuid, timestamp with time zone) IS 'Whether a rule hid a post or a reply, or a member of staff did.';

COMMENT ON FUNCTION "private"."job_count_days"() IS 'Job: counts the oldest day of the last 366 that has no final figures, and today if that was 5 minutes ago, and returns 1. May run twice: it counts again and gets the same. The worker repeats it until it returns 0.';

COMMENT ON FUNCTION "private"."post_reasons"(app.posts, uuid, private.access) IS 'Why a person sees a post or does not, in the order of the rule: private.visibility with the states of a post that app.posts.required_level combines.';

COMMENT ON FUNCTION "private"."read_days"(date, date) IS 'The figures of these days, both included. Today is counted again if that was more than 30 seconds ago.';

COMMENT ON FUNCTION "private"."reason"(text, text, text, uuid) IS 'Makes a private.access_reason.';

COMMENT ON FUNCTION "private"."reason_of_sight"(boolean, text, text, text, uuid) IS 'The reason with the first code, which allows, or the one with the second, which denies.';

COMMENT ON FUNCTION "private"."reply_reasons"(app.replies, uuid) IS 'Why a person sees a reply or does not: by its author, by what staff did, and by its post.';

COMMENT ON FUNCTION "private"."today"() IS 'The day in UTC.';

COMMENT ON TABLE "app"."daily_figures" IS 'What happened on each day, in UTC.';

COMMENT ON TABLE "private"."access_reasons" IS 'Registry: the reasons why a person sees a thing or does not, with the sentences that staff reads.';

COMMENT ON TYPE "private"."access" IS 'What the rules say about a thing and a person: whether they see it, whether no limit of its author keeps it out of their feeds and searches, whether their mutes do, and whether these may show it. The last three are null for what is never listed.';

COMMENT ON TYPE "private"."access_reason" IS 'A row of private.access_reasons that applies, and the thing on which it depends, if that is another one.';

REVOKE ALL ON FUNCTION "api"."explain_access"(text, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."explain_access"(text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."explain_access"(text, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."explain_access"(text, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."get_daily_figures"(date, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."get_daily_figures"(date, date) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."get_daily_figures"(date, date) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."get_daily_figures"(date, date) TO "service_role";

REVOKE ALL ON FUNCTION "api"."get_user_standing"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."get_user_standing"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."get_user_standing"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."get_user_standing"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."access_of"(uuid, text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."access_of"(uuid, text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."access_of"(uuid, text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."author_reasons"(uuid, uuid, smallint, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."author_reasons"(uuid, uuid, smallint, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."author_reasons"(uuid, uuid, smallint, boolean) TO "postgres";

REVOKE ALL ON FUNCTION "private"."content_reasons"(app.contents, uuid, private.access) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."content_reasons"(app.contents, uuid, private.access) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."content_reasons"(app.contents, uuid, private.access) TO "postgres";

REVOKE ALL ON FUNCTION "private"."count_day"(date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."count_day"(date) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."count_day"(date) TO "postgres";

REVOKE ALL ON FUNCTION "private"."explain_access"(uuid, text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."explain_access"(uuid, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."explain_access"(uuid, text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."explain_access"(uuid, text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."find_access"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_access"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_access"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_thing"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_thing"(text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_thing"(text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."hider"(text, uuid, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hider"(text, uuid, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."hider"(text, uuid, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."job_count_days"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."job_count_days"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."job_count_days"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."job_count_days"() TO "worker";

REVOKE ALL ON FUNCTION "private"."post_reasons"(app.posts, uuid, private.access) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."post_reasons"(app.posts, uuid, private.access) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."post_reasons"(app.posts, uuid, private.access) TO "postgres";

REVOKE ALL ON FUNCTION "private"."read_days"(date, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."read_days"(date, date) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."read_days"(date, date) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."read_days"(date, date) TO "service_role";

REVOKE ALL ON FUNCTION "private"."reason"(text, text, text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reason"(text, text, text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reason"(text, text, text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reason_of_sight"(boolean, text, text, text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reason_of_sight"(boolean, text, text, text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reason_of_sight"(boolean, text, text, text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."reply_reasons"(app.replies, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."reply_reasons"(app.replies, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."reply_reasons"(app.replies, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."standing"(uuid, boolean) FROM "service_role";

GRANT EXECUTE ON FUNCTION "private"."standing"(uuid, boolean) TO "service_role";

REVOKE ALL ON FUNCTION "private"."today"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."today"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."today"() TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."today"() TO "service_role";

REVOKE ALL ON TABLE "app"."daily_figures" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."daily_figures" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."daily_figures" TO "service_role";

insert into private.errors ("code", "status", "text")
values ('days_range', '422', 'from must not be after to, and there can be at most 366 days.');

insert into private.errors ("code", "status", "text")
values ('thing_unknown', '404', 'There is no such thing.');

insert into private.jobs ("name", "cron", "expires", "repeats", "alarm")
values ('count-days', '*/10 * * * *', '300', 'true', null);

insert into private.access_reasons ("code", "effect", "text")
values ('author', 'allows', 'They are its author.');

insert into private.access_reasons ("code", "effect", "text")
values ('banned_author', 'denies', 'Its author is banned, so nobody sees it.');

insert into private.access_reasons ("code", "effect", "text")
values ('banned_person', 'denies', 'This person is banned and cannot log in.');

insert into private.access_reasons ("code", "effect", "text")
values ('blocked', 'denies', 'One of the two blocked the other.');

insert into private.access_reasons ("code", "effect", "text")
values ('circle', 'allows', 'They are in a circle of its author.');

insert into private.access_reasons ("code", "effect", "text")
values ('circle', 'denies', 'It is for the circles of its author, and they are in none.');

insert into private.access_reasons ("code", "effect", "text")
values ('deleted', 'denies', 'It was deleted, so nobody sees it.');

insert into private.access_reasons ("code", "effect", "text")
values ('draft', 'denies', 'It is a draft. Only its author sees it.');

insert into private.access_reasons ("code", "effect", "text")
values ('erased_author', 'denies', 'Its author was erased, so nobody sees it.');

insert into private.access_reasons ("code", "effect", "text")
values ('held_by_rule', 'denies', 'A rule of staff hid it from everybody but its author.');

insert into private.access_reasons ("code", "effect", "text")
values ('held_by_rule', 'leaves_out', 'A rule of staff hid it. Its author still sees it.');

insert into private.access_reasons ("code", "effect", "text")
values ('hidden', 'denies', 'Staff hid it from everybody but its author.');

insert into private.access_reasons ("code", "effect", "text")
values ('hidden', 'leaves_out', 'Staff hid it. Its author still sees it.');

insert into private.access_reasons ("code", "effect", "text")
values ('in_conversation', 'allows', 'They take part in the conversation.');

insert into private.access_reasons ("code", "effect", "text")
values ('inner_circle', 'allows', 'They are in the inner circle of its author.');

insert into private.access_reasons ("code", "effect", "text")
values ('inner_circle', 'denies', 'It is for the inner circle of its author, and they are not in it.');

insert into private.access_reasons ("code", "effect", "text")
values ('limited_author', 'leaves_out', 'Its author, or that of the original, is limited, and they do not follow them.');

insert into private.access_reasons ("code", "effect", "text")
values ('muted', 'leaves_out', 'They muted the author, the post or a word in it.');

insert into private.access_reasons ("code", "effect", "text")
values ('not_in_conversation', 'denies', 'They do not take part in the conversation.');

insert into private.access_reasons ("code", "effect", "text")
values ('original_unseen', 'denies', 'They do not see the post that it reposts.');

insert into private.access_reasons ("code", "effect", "text")
values ('post_seen', 'allows', 'They see the post that it answers.');

insert into private.access_reasons ("code", "effect", "text")
values ('post_unseen', 'denies', 'They do not see the post that it answers.');

insert into private.access_reasons ("code", "effect", "text")
values ('public', 'allows', 'Everybody sees it.');

insert into private.access_reasons ("code", "effect", "text")
values ('removed', 'denies', 'Staff removed it. Only its author sees it.');

insert into private.access_reasons ("code", "effect", "text")
values ('returning', 'denies', 'The ban of its author has ended. It comes back within seconds.');

insert into private.access_reasons ("code", "effect", "text")
values ('scheduled', 'denies', 'It is not published yet. Only its author sees it.');

insert into private.access_reasons ("code", "effect", "text")
values ('scheduled', 'leaves_out', 'It is not published yet. Its author already sees it.');

insert into private.access_reasons ("code", "effect", "text")
values ('space_member', 'allows', 'They are a member of the group or guild.');

insert into private.access_reasons ("code", "effect", "text")
values ('space_private', 'denies', 'They are not a member of the group or guild, and only members see what is in it.');

insert into private.access_reasons ("code", "effect", "text")
values ('student', 'allows', 'They are a student of this course, which is archived.');
