-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

CREATE TABLE "app"."moderation_rules" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "name" text NOT NULL, "conditions" jsonb NOT NULL, "at_report" boolean NOT NULL, "applies_to" text[] NOT NULL, "action" text NOT NULL, "mode" text NOT NULL DEFAULT 'shadow'::text, "mode_since" timestamp with time zone NOT NULL DEFAULT now(), "replayed_at" timestamp with time zone, "created_at" timestamp with time zone NOT NULL DEFAULT now(), "category" text NOT NULL DEFAULT 'other'::text, CONSTRAINT "moderation_rules_pkey" PRIMARY KEY (id));

ALTER TABLE "app"."moderation_rules" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."moderation_rules" OWNER TO "postgres";

CREATE TABLE "app"."rule_hits" ("id" uuid NOT NULL DEFAULT gen_random_uuid(), "rule_id" uuid NOT NULL, "target_type" text NOT NULL, "target_id" uuid NOT NULL, "author_id" uuid NOT NULL, "mode" text NOT NULL, "action" text NOT NULL, "created_at" timestamp with time zone NOT NULL DEFAULT clock_timestamp(), "case_id" uuid, CONSTRAINT "rule_hits_pkey" PRIMARY KEY (id), CONSTRAINT "rule_hits_rule_id_target_id_key" UNIQUE (rule_id, target_id));

ALTER TABLE "app"."rule_hits" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "app"."rule_hits" OWNER TO "postgres";

CREATE TABLE "private"."rule_conditions" ("kind" text NOT NULL, "position" integer NOT NULL, "shape" jsonb NOT NULL, "judge" text NOT NULL, "moment" text NOT NULL DEFAULT 'creation'::text, CONSTRAINT "rule_conditions_judge_check" CHECK ((judge ~ '^private\.[a-z_]+$'::text)), CONSTRAINT "rule_conditions_kind_check" CHECK ((kind ~ '^[a-z]+(-[a-z]+)*$'::text)), CONSTRAINT "rule_conditions_moment_check" CHECK ((moment = ANY (ARRAY['creation'::text, 'report'::text]))), CONSTRAINT "rule_conditions_pkey" PRIMARY KEY (kind), CONSTRAINT "rule_conditions_position_check" CHECK ((("position" >= 100) AND ("position" <= 999))), CONSTRAINT "rule_conditions_position_key" UNIQUE ("position"));

ALTER TABLE "private"."rule_conditions" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."rule_conditions" OWNER TO "postgres";

ALTER TABLE "app"."moderation_rules" ADD COLUMN "judged" text GENERATED ALWAYS AS (
CASE
    WHEN (mode = 'off'::text) THEN NULL::text
    WHEN at_report THEN 'at a report'::text
    WHEN ((mode = 'live'::text) AND (action = 'hide'::text)) THEN 'at once'::text
    ELSE 'soon'::text
END) STORED;

CREATE TYPE "private"."condition" AS ("kind" text, "parameters" jsonb);

ALTER TABLE "app"."moderation_rules" ADD COLUMN "compiled" private.condition[] NOT NULL;

ALTER TYPE "private"."condition" OWNER TO "postgres";

CREATE TYPE "private"."judged" AS ("type" text, "id" uuid, "author_id" uuid, "at" timestamp with time zone, "texts" text[], "words" tsvector);

ALTER TYPE "private"."judged" OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.create_rule(p_name text, p_conditions jsonb, p_applies_to text[], p_action text, p_category text DEFAULT 'other'::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_id   uuid := private.add_rule(p_name, p_conditions, p_applies_to, p_action, p_category);
  v_card json := private.staff_card('rules', v_id);
begin
  perform private.audit('rule.created', 'rule', v_id::text, v_card);
  return v_card;
end $function$;

ALTER FUNCTION "api"."create_rule"(text, jsonb, text[], text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.delete_rule(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if private.drop_rule(p_id) then
    perform private.audit('rule.deleted', 'rule', p_id::text);
  end if;
  return null;   -- null becomes a 204 response
end $function$;

ALTER FUNCTION "api"."delete_rule"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.get_rule(p_id uuid)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$ begin return private.staff_card('rules', (private.require_rule(p_id)).id); end $function$;

ALTER FUNCTION "api"."get_rule"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_rule_hits(p_id uuid, p_mode text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.staff_page(
    'rule_hits', json_build_object('rule_id', (private.require_rule(p_id)).id, 'mode', p_mode),
    array['rule_id'], p_q, p_from, p_to, p_limit, p_cursor);
end $function$;

ALTER FUNCTION "api"."list_rule_hits"(uuid, text, text, timestamp with time zone, timestamp with time zone, integer, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.list_rules(p_mode text DEFAULT NULL::text, p_q text DEFAULT NULL::text, p_from timestamp with time zone DEFAULT NULL::timestamp with time zone, p_to timestamp with time zone DEFAULT NULL::timestamp with time zone, p_limit integer DEFAULT 20, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return private.staff_page('rules', json_build_object('mode', p_mode), array['mode'], p_q, p_from, p_to, p_limit,
                            p_cursor);
end $function$;

ALTER FUNCTION "api"."list_rules"(text, text, timestamp with time zone, timestamp with time zone, integer, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.replay_draft(p_conditions jsonb, p_applies_to text[], p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin');
  return private.replay(private.read_conditions(p_conditions), private.read_applies_to(p_applies_to), p_cursor);
end $function$;

ALTER FUNCTION "api"."replay_draft"(jsonb, text[], text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.replay_rule(p_id uuid, p_cursor text DEFAULT NULL::text)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_rule   app.moderation_rules;
  v_answer json;
begin
  perform private.require_role('admin');
  v_rule := private.require_rule(p_id);
  v_answer := private.replay(v_rule.compiled, v_rule.applies_to, p_cursor);
  perform private.lock('rules');   -- after the replay, which may take seconds
  perform private.note_replay(p_id);
  return v_answer;
end $function$;

ALTER FUNCTION "api"."replay_rule"(uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.update_rule(p_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if private.change_rule(p_id, p_changes) then
    perform private.audit('rule.changed', 'rule', p_id::text, private.staff_card('rules', p_id));
  end if;
  return private.staff_card('rules', p_id);
end $function$;

ALTER FUNCTION "api"."update_rule"(uuid, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.add_rule(p_name text, p_conditions jsonb, p_applies_to text[], p_action text, p_category text)
 RETURNS uuid
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_compiled private.condition[];
  v_id       uuid;
begin
  perform private.require_role('admin');
  v_compiled := private.read_conditions(p_conditions);
  perform private.lock('rules');
  if (select count(*) from app.moderation_rules) >= 50 then
    perform private.raise_error('rules_exhausted');
  end if;
  insert into app.moderation_rules (name, conditions, compiled, at_report, applies_to, action, category)
  values (private.read_rule_name(p_name), p_conditions, v_compiled,
          exists (select from unnest(v_compiled) c join private.rule_conditions k on k.kind = c.kind
                  where k.moment = 'report'),
          private.read_applies_to(p_applies_to), p_action, (private.require_category(p_category)).category)
  returning id into v_id;
  return v_id;
end $function$;

ALTER FUNCTION "private"."add_rule"(text, jsonb, text[], text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.change_rule(p_id uuid, p_changes jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_rule app.moderation_rules;
  v_new  app.moderation_rules;
begin
  perform private.require_role('admin');
  perform private.lock('rules');
  v_rule := private.require_rule(p_id);
  v_new := v_rule;
  if p_changes ? 'name' then
    v_new.name := private.read_rule_name(p_changes ->> 'name');
  end if;
  v_new.action := coalesce(p_changes ->> 'action', v_rule.action);
  v_new.mode := coalesce(p_changes ->> 'mode', v_rule.mode);
  if v_new.mode = 'live' and v_rule.mode <> 'live' and v_rule.replayed_at is null
     and not (v_rule.mode = 'shadow' and v_rule.mode_since <= now() - interval '1 day') then
    perform private.raise_error('rule_untried');
  end if;
  update app.moderation_rules
  set name = v_new.name, action = v_new.action, mode = v_new.mode,
      mode_since = case when mode = v_new.mode then mode_since else now() end
  where id = p_id and (name, action, mode) is distinct from (v_new.name, v_new.action, v_new.mode);
  return found;
end $function$;

ALTER FUNCTION "private"."change_rule"(uuid, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.dispatch_event(p_event text, p_payload jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_event = 'events.event.changed' then
    perform private.fan_out_event(p_payload);
  elsif p_event = 'posts.poll.closed' then
    perform private.fan_out_poll_end(p_payload);
  elsif p_event = 'posts.post.edited' then
    perform private.note_edited_post(p_payload);
    perform private.embed_edited(p_payload);
    perform private.index_edited(p_payload);
  elsif p_event = 'posts.post.imported' then
    perform private.split_feed_block(p_payload);
  elsif p_event = 'posts.post.published' then
    perform private.add_feed_block(p_payload);
    perform private.extend_series(p_payload);
    perform private.mention_in_post(p_payload);
    perform private.announce_quote(p_payload);
    perform private.judge_post(p_payload);
  elsif p_event = 'posts.reply.created' then
    perform private.mention_in_reply(p_payload);
    perform private.judge_reply(p_payload);
  elsif p_event = 'posts.series.extended' then
    perform private.fan_out_series_item(p_payload);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.drop_rule(p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.require_role('admin');
  perform private.lock('rules');
  perform private.require_rule(p_id);
  delete from app.moderation_rules where id = p_id;
  return found;
end $function$;

ALTER FUNCTION "private"."drop_rule"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.find_judged(p_type text, p_id uuid)
 RETURNS private.judged
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_thing private.judged;
begin
  if p_type = 'post' then
    select 'post', p.id, p.author_id, p.published_at,
           case when v.post_id is null then array[p.title, p.body] else array[v.title, v.body] end,
           case when v.post_id is null then p.keyword_words
                else private.keyword_words(private.keyword_text(array[v.title, v.body])) end
    into v_thing
    from app.posts p left join app.post_versions v on v.post_id = p.id and v.version = 1
    where p.id = p_id and p.published_at is not null and p.imported_at is null;
  else
    select 'reply', r.id, r.author_id, r.created_at, array[r.body],
           private.keyword_words(private.keyword_text(array[r.body]))
    into v_thing
    from app.replies r where r.id = p_id;
  end if;
  return v_thing;
end $function$;

ALTER FUNCTION "private"."find_judged"(text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.fits_all(p_conditions private.condition[], p_thing private.judged)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_condition private.condition;
begin
  foreach v_condition in array p_conditions loop
    if private.judge_condition(v_condition, p_thing) is not true then
      return false;
    end if;
  end loop;
  return true;
end $function$;

ALTER FUNCTION "private"."fits_all"(private.condition[], private.judged) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.has_link(p_thing private.judged, p_parameters jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$ begin return array_to_string(p_thing.texts, ' ') ~* '(https?://|\mwww\.)\S'; end $function$;

ALTER FUNCTION "private"."has_link"(private.judged, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.has_words(p_thing private.judged, p_parameters jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  return p_thing.words @@ (p_parameters ->> 'words')::tsquery is true
      or (p_parameters ->> 'pattern' is not null
          and coalesce(p_thing.words @@ (p_parameters ->> 'hint')::tsquery, true)
          and private.has_phrase(p_thing.texts, p_parameters ->> 'pattern'));
end $function$;

ALTER FUNCTION "private"."has_words"(private.judged, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.hide_by_rule(p_type text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if p_type = 'post' then
    update app.posts set hidden_at = now() where id = p_id and hidden_at is null and deleted_at is null;
  else
    update app.replies set hidden_at = now() where id = p_id and hidden_at is null and deleted_at is null;
  end if;
  return found;
end $function$;

ALTER FUNCTION "private"."hide_by_rule"(text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.is_by_new_account(p_thing private.judged, p_parameters jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (select p_thing.at - u.created_at < (p_parameters ->> 'hours')::integer * interval '1 hour'
          from app.users u where u.id = p_thing.author_id);
end $function$;

ALTER FUNCTION "private"."is_by_new_account"(private.judged, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.is_near_ban(p_thing private.judged, p_parameters jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_reached uuid[] := array[p_thing.author_id];
  v_last    uuid[] := v_reached;
begin
  for v_step in 1 .. (p_parameters ->> 'steps')::integer loop
    v_last := array(
      select n.id
      from (select t.inviter_id as id from unnest(v_last) l (id) join app.invite_tree t on t.invitee_id = l.id
            union
            select i.invitee_id
            from unnest(v_last) l (id)
            cross join lateral (
              select t.invitee_id from app.invite_tree t
              where t.inviter_id = l.id and t.created_at <= p_thing.at
              order by t.created_at desc, t.code_id desc limit 20) i) n
      where n.id <> all (v_reached)
      order by n.id limit 200);
    if exists (select from app.users u where u.id = any (v_last) and u.banned_at <= p_thing.at) then
      return true;
    end if;
    v_reached := v_reached || v_last;
  end loop;
  return false;
end $function$;

ALTER FUNCTION "private"."is_near_ban"(private.judged, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.is_reported_by_trusted(p_thing private.judged, p_parameters jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (
    select from (
      select a.created_at as at from app.reports a
      where a.target_type = p_thing.type and a.target_id = p_thing.id
      order by a.created_at desc, a.id desc limit 50) moment
    where (
      select count(distinct r.reporter_id)
      from (select o.reporter_id from app.reports o
            where o.target_type = p_thing.type and o.target_id = p_thing.id
              and o.created_at <= moment.at and (o.reviewed_at is null or o.reviewed_at > moment.at)
            order by o.created_at desc, o.id desc limit 50) r
      where private.is_trusted_reporter(r.reporter_id, moment.at, (p_parameters ->> 'reputation')::integer)
    ) >= (p_parameters ->> 'people')::integer);
end $function$;

ALTER FUNCTION "private"."is_reported_by_trusted"(private.judged, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.is_too_frequent(p_thing private.judged, p_parameters jsonb)
 RETURNS boolean
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
  v_since timestamptz := p_thing.at - (p_parameters ->> 'minutes')::integer * interval '1 minute';
  v_most  integer := (p_parameters ->> 'moreThan')::integer;
begin
  return (
    select count(*) > v_most
    from (
      (select 1 from app.posts p
       where p.author_id = p_thing.author_id and p.published_at > v_since and p.published_at <= p_thing.at
         and p.imported_at is null
       order by p.published_at desc, p.id desc limit v_most + 1)
      union all
      (select 1 from app.replies r
       where r.author_id = p_thing.author_id and r.created_at > v_since and r.created_at <= p_thing.at
       order by r.created_at desc, r.id desc limit v_most + 1)
    ) w);
end $function$;

ALTER FUNCTION "private"."is_too_frequent"(private.judged, jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.is_trusted_reporter(p_person uuid, p_at timestamp with time zone, p_reputation integer)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select count(*) >= 3 and count(*) filter (where s.status = 'reviewed') * 2 > count(*)
    from (select r.status from app.reports r
          where r.reporter_id = p_person and r.created_at < p_at and r.reviewed_at <= p_at
          order by r.created_at desc limit 100) s)
    or (p_reputation is not null and coalesce(private.total_reputation(p_person), 0) >= p_reputation);
end $function$;

ALTER FUNCTION "private"."is_trusted_reporter"(uuid, timestamp with time zone, integer) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.judge(p_type text, p_id uuid, p_judged text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_thing  private.judged;
  v_rule   record;
  v_live   uuid[] := '{}';
  v_hides  boolean := false;
begin
  for v_rule in
    select r.id, r.compiled, r.mode, r.action from app.moderation_rules r
    where r.judged = p_judged and p_type = any (r.applies_to)
    order by r.id
  loop
    if v_thing.id is null then
      v_thing := private.find_judged(p_type, p_id);
      exit when v_thing.id is null;
    end if;
    continue when not private.fits_all(v_rule.compiled, v_thing);
    insert into app.rule_hits (rule_id, target_type, target_id, author_id, mode, action)
    values (v_rule.id, p_type, p_id, v_thing.author_id, v_rule.mode, v_rule.action)
    on conflict (rule_id, target_id) do nothing;
    if found and v_rule.mode = 'live' then
      v_live := v_live || v_rule.id;
      v_hides := v_hides or v_rule.action = 'hide';
    end if;
  end loop;
  if v_live <> '{}' then
    if v_hides and p_judged = 'at a report' then
      -- reports come later than the creation, so others may have it locked. ARCHITECTURE.md, Locks
      if p_type = 'reply' then
        perform private.lock_counters(array(select r.post_id from app.replies r where r.id = p_id));
      end if;
      perform private.check_lock_order('post', p_id::text);
    end if;
    perform private.emit('moderation.rule.hit', json_build_object(
      'targetType', p_type, 'targetId', p_id, 'authorId', v_thing.author_id,
      'hidden', v_hides and private.hide_by_rule(p_type, p_id)), array[v_thing.author_id]);
    perform private.enqueue('rule-cases', json_build_object(
      'targetType', p_type, 'targetId', p_id, 'ruleIds', to_json(v_live)));
  end if;
end $function$;

ALTER FUNCTION "private"."judge"(text, uuid, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.judge_condition(p_condition private.condition, p_thing private.judged)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_condition.kind = 'new-account' then
    return private.is_by_new_account(p_thing, p_condition.parameters);
  elsif p_condition.kind = 'words' then
    return private.has_words(p_thing, p_condition.parameters);
  elsif p_condition.kind = 'link' then
    return private.has_link(p_thing, p_condition.parameters);
  elsif p_condition.kind = 'rate' then
    return private.is_too_frequent(p_thing, p_condition.parameters);
  elsif p_condition.kind = 'near-ban' then
    return private.is_near_ban(p_thing, p_condition.parameters);
  elsif p_condition.kind = 'reports' then
    return private.is_reported_by_trusted(p_thing, p_condition.parameters);
  end if;
end $function$;

ALTER FUNCTION "private"."judge_condition"(private.condition, private.judged) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.judge_post(p_event jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$ begin perform private.judge('post', (p_event ->> 'postId')::uuid, 'at once'); end $function$;

ALTER FUNCTION "private"."judge_post"(jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.judge_published(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- a reply has effects for several people, and its author is always among them
  perform private.judge(w.type, w.id, 'soon')
  from (select case when e.payload ? 'replyId' then 'reply' else 'post' end as type,
               coalesce(e.payload ->> 'replyId', e.payload ->> 'postId')::uuid as id
        from unnest(p_effects) e
        where e.user_id = (e.payload ->> 'authorId')::uuid
        order by e.id) w;
end $function$;

ALTER FUNCTION "private"."judge_published"(private.effects[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.judge_reply(p_event jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$ begin perform private.judge('reply', (p_event ->> 'replyId')::uuid, 'at once'); end $function$;

ALTER FUNCTION "private"."judge_reply"(jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.judge_reported()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.judge(new.target_type, new.target_id, 'at a report');
  return null;
end $function$;

ALTER FUNCTION "private"."judge_reported"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.moderation_rules_rules(name text, applies_to text[], action text, mode text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if (action = ANY (ARRAY['case'::text, 'hide'::text])) is false then perform private.raise_check_violation('moderation_rules_action_check'); end if;
  if (((applies_to = '{post}'::text[]) OR (applies_to = '{reply}'::text[])) OR (applies_to = '{post,reply}'::text[])) is false then perform private.raise_check_violation('moderation_rules_applies_to_check'); end if;
  if (mode = ANY (ARRAY['shadow'::text, 'live'::text, 'off'::text])) is false then perform private.raise_check_violation('moderation_rules_mode_check'); end if;
  if ((length(name) >= 1) AND (length(name) <= 80)) is false then perform private.raise_check_violation('moderation_rules_name_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."moderation_rules_rules"(text, text[], text, text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.note_replay(p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$ begin update app.moderation_rules set replayed_at = now() where id = p_id; end $function$;

ALTER FUNCTION "private"."note_replay"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.notify_held(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.notify(array(
    select (e.user_id, 'moderation.actioned', null, e.payload ->> 'targetType', e.payload ->> 'targetId',
            jsonb_build_object('targetType', e.payload -> 'targetType', 'targetId', e.payload -> 'targetId',
                               'action', 'held'), null, null, e.caused_at)::private.notice
    from unnest(p_effects) e
    where (e.payload ->> 'hidden')::boolean));
end $function$;

ALTER FUNCTION "private"."notify_held"(private.effects[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.open_rule_cases(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
 RETURNS json
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_type   text := p_job ->> 'targetType';
  v_target uuid := (p_job ->> 'targetId')::uuid;
  v_hit    record;
  v_cases  integer := 0;
begin
  for v_hit in
    select h.id, r.name, r.category
    from app.rule_hits h join app.moderation_rules r on r.id = h.rule_id
    where h.target_id = v_target and h.case_id is null
      and h.rule_id in (select i::uuid from jsonb_array_elements_text(p_job -> 'ruleIds') i)
    order by r.id
  loop
    update app.rule_hits
    set case_id = private.open_case(v_type, v_target, v_hit.category, 'rule', v_hit.name)
    where id = v_hit.id and case_id is null;
    v_cases := v_cases + 1;
  end loop;
  return json_build_object('changed', v_cases, 'next', null);
end $function$;

ALTER FUNCTION "private"."open_rule_cases"(jsonb, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.read_applies_to(p_types text[])
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_types text[] := array(select distinct t from unnest(p_types) t order by t);
begin
  if (v_types in ('{post}', '{reply}', '{post,reply}')) is not true then
    perform private.raise_error('rule_applies_to');
  end if;
  return v_types;
end $function$;

ALTER FUNCTION "private"."read_applies_to"(text[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.read_condition(p_condition jsonb)
 RETURNS private.condition
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_kind  private.rule_conditions;
  v_names text[];
  v_name  text;
  v_shape jsonb;
  v_value jsonb;
  v_read  jsonb := '{}';
begin
  select * into v_kind from private.rule_conditions k
  where jsonb_typeof(p_condition) = 'object' and k.kind = p_condition ->> 'kind';
  if not found then
    perform private.raise_error('rule_conditions');
  end if;
  for v_name, v_shape in select * from jsonb_each(v_kind.shape) loop
    v_value := nullif(p_condition -> rtrim(v_name, '?'), 'null');
    v_names := v_names || rtrim(v_name, '?');
    continue when v_value is null and v_name like '%?';
    if v_shape = '"keywords"' then
      v_read := v_read || private.read_keywords(v_value);
    elsif (v_value::text ~ '^\d{1,9}$' and v_value::integer between (v_shape -> 0)::integer
                                                               and (v_shape -> 1)::integer) is true then
      v_read := v_read || jsonb_build_object(rtrim(v_name, '?'), v_value);
    else
      perform private.raise_error('rule_conditions');
    end if;
  end loop;
  if exists (select from jsonb_object_keys(p_condition - 'kind') f where f <> all (coalesce(v_names, '{}'))) then
    perform private.raise_error('rule_conditions');
  end if;
  return (v_kind.kind, v_read)::private.condition;
end $function$;

ALTER FUNCTION "private"."read_condition"(jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.read_conditions(p_conditions jsonb)
 RETURNS private.condition[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if (jsonb_typeof(p_conditions) = 'array' and jsonb_array_length(p_conditions) between 1 and 10) is not true then
    perform private.raise_error('rule_conditions');
  end if;
  return array(
    select (r.kind, r.parameters)::private.condition
    from jsonb_array_elements(p_conditions) with ordinality as c (condition, place)
    cross join lateral private.read_condition(c.condition) r
    join private.rule_conditions k on k.kind = r.kind
    order by k.position, c.place);
end $function$;

ALTER FUNCTION "private"."read_conditions"(jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.read_keywords(p_words jsonb)
 RETURNS jsonb
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_words text[];
begin
  if (jsonb_typeof(p_words) = 'array' and jsonb_array_length(p_words) between 1 and 100
      and not exists (select from jsonb_array_elements(p_words) w
                      where jsonb_typeof(w) <> 'string' or length(w #>> '{}') > 100)) is not true then
    perform private.raise_error('rule_conditions');
  end if;
  v_words := array(select distinct private.fold_keyword(w) from jsonb_array_elements_text(p_words) w order by 1);
  if '' = any (v_words) then
    perform private.raise_error('rule_conditions');
  end if;
  return to_jsonb(private.muted_words(v_words));
end $function$;

ALTER FUNCTION "private"."read_keywords"(jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.read_rule_name(p_name text)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_name text := private.require_name(p_name);
begin
  if (length(v_name) between 1 and 80) is not true then
    perform private.raise_error('rule_name');
  end if;
  return v_name;
end $function$;

ALTER FUNCTION "private"."read_rule_name"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.replay(p_conditions private.condition[], p_applies_to text[], p_cursor text)
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
  c_most constant integer := 20000;
  v_from    app.place := private.page_start('replay', p_cursor);
  v_at      timestamptz := v_from.at;   -- plain variables: an expression defeats the index
  v_id      uuid := v_from.id;
  v_oldest  timestamptz := now() - interval '30 days';
  v_types   text[];
  v_ids     uuid[];
  v_times   timestamptz[];
  v_looked  integer;
  v_hits    integer := 0;
  v_removed integer := 0;
  v_sample  integer[] := '{}';
begin
  perform private.require_role('admin');
  select array_agg(w.type order by w.at desc, w.id desc), array_agg(w.id order by w.at desc, w.id desc),
         array_agg(w.at order by w.at desc, w.id desc)
  into v_types, v_ids, v_times
  from (
    (select 'post' as type, p.id, p.created_at as at from app.posts p
     where 'post' = any (p_applies_to) and (p.created_at, p.id) < (v_at, v_id) and p.created_at >= v_oldest
     order by p.created_at desc, p.id desc limit c_most)
    union all
    (select 'reply', r.id, r.created_at from app.replies r
     where 'reply' = any (p_applies_to) and (r.created_at, r.id) < (v_at, v_id) and r.created_at >= v_oldest
     order by r.created_at desc, r.id desc limit c_most)
    order by at desc, id desc limit c_most) w;
  v_looked := coalesce(cardinality(v_ids), 0);
  for v_place in 1 .. v_looked loop
    if private.fits_all(p_conditions, private.find_judged(v_types[v_place], v_ids[v_place])) then
      v_hits := v_hits + 1;
      v_removed := v_removed + private.was_removed(v_types[v_place], v_ids[v_place])::integer;
      if v_hits <= 20 then
        v_sample := v_sample || v_place;
      end if;
    end if;
  end loop;
  return json_build_object(
    'looked', v_looked,
    'wouldHit', v_hits,
    'ofWhichStaffRemoved', v_removed,
    'sample', coalesce((
      select json_agg(json_build_object(
               'targetType', t.type,
               'targetId', t.id,
               'authorId', t.author_id,
               'author', author.card,
               'excerpt', left(array_to_string(t.texts, e'\n'), 200),
               'removed', private.was_removed(t.type, t.id),
               'createdAt', private.utc(v_times[s.place])) order by s.place)
      from unnest(v_sample) s (place)
      cross join lateral private.find_judged(v_types[s.place], v_ids[s.place]) t
      join app.person_card author on author.id = t.author_id), '[]'),
    'lookedUntil', private.utc(v_times[v_looked]),
    'nextCursor', case when v_looked = c_most
                       then private.place_cursor('replay', v_times[v_looked], v_ids[v_looked]) end);
end $function$;

ALTER FUNCTION "private"."replay"(private.condition[], text[], text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.require_rule(p_id uuid)
 RETURNS app.moderation_rules
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_rule app.moderation_rules;
begin
  perform private.require_role('moderator', 'admin');
  select * into v_rule from app.moderation_rules where id = p_id;
  if not found then
    perform private.raise_error('rule_unknown');
  end if;
  return v_rule;
end $function$;

ALTER FUNCTION "private"."require_rule"(uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.rule_hits_rules(mode text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if (mode = ANY (ARRAY['shadow'::text, 'live'::text])) is false then perform private.raise_check_violation('rule_hits_mode_check'); end if;
  return true;
end $function$;

ALTER FUNCTION "private"."rule_hits_rules"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.was_removed(p_type text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return exists (select from app.decisions d
                 where d.target_type = p_type and d.target_id = p_id and d.lifted_at is null
                   and d.action in ('hide', 'remove'))
    -- before there were decisions
    or case p_type
       when 'post' then exists (select from app.posts p where p.id = p_id and p.hidden_at is not null)
       else exists (select from app.replies r where r.id = p_id and r.hidden_at is not null) end
    -- what only a rule hid, staff has not decided yet
    and not exists (select from app.rule_hits h
                    where h.target_id = p_id and h.mode = 'live' and h.action = 'hide');
end $function$;

ALTER FUNCTION "private"."was_removed"(text, uuid) OWNER TO "postgres";

ALTER TABLE "app"."moderation_rules" ADD CONSTRAINT "moderation_rules_category_fkey" FOREIGN KEY (category) REFERENCES private.case_categories(category) ON DELETE RESTRICT;

ALTER TABLE "app"."rule_hits" ADD CONSTRAINT "rule_hits_author_id_fkey" FOREIGN KEY (author_id) REFERENCES app.users(id) ON DELETE CASCADE;

ALTER TABLE "app"."rule_hits" ADD CONSTRAINT "rule_hits_case_id_fkey" FOREIGN KEY (case_id) REFERENCES app.cases(id) ON DELETE SET NULL;

CREATE VIEW "private"."staff_rule_hits" WITH (security_invoker=true) AS  SELECT h.created_at AS at,
    h.id,
    h.rule_id,
    h.mode,
    (h.target_id)::text AS said,
    json_build_object('id', h.id, 'targetType', h.target_type, 'targetId', h.target_id, 'authorId', h.author_id, 'author', author.card, 'mode', h.mode, 'action', h.action, 'caseId', h.case_id, 'createdAt', private.utc(h.created_at)) AS card
   FROM (app.rule_hits h
     JOIN app.person_card author ON ((author.id = h.author_id)));

ALTER VIEW "private"."staff_rule_hits" OWNER TO "postgres";

CREATE VIEW "private"."staff_rules" WITH (security_invoker=true) AS  SELECT created_at AS at,
    id,
    mode,
    name AS said,
    json_build_object('id', id, 'name', name, 'conditions', conditions, 'appliesTo', to_json(applies_to), 'category', category, 'action', action, 'mode', mode, 'modeSince', private.utc(mode_since), 'replayedAt', private.utc(replayed_at), 'createdAt', private.utc(created_at)) AS card
   FROM app.moderation_rules r;

ALTER VIEW "private"."staff_rules" OWNER TO "postgres";

CREATE INDEX moderation_rules_category_idx ON app.moderation_rules USING btree (category);

CREATE INDEX moderation_rules_created_at_idx ON app.moderation_rules USING btree (created_at DESC, id DESC);

CREATE INDEX moderation_rules_mode_idx ON app.moderation_rules USING btree (mode, created_at DESC, id DESC);

CREATE INDEX rule_hits_author_id_idx ON app.rule_hits USING btree (author_id, created_at DESC);

CREATE INDEX rule_hits_case_id_idx ON app.rule_hits USING btree (case_id) WHERE (case_id IS NOT NULL);

CREATE INDEX rule_hits_created_at_idx ON app.rule_hits USING btree (created_at);

CREATE INDEX rule_hits_rule_id_idx ON app.rule_hits USING btree (rule_id, created_at DESC, id DESC);

CREATE INDEX rule_hits_target_id_idx ON app.rule_hits USING btree (target_id);

CREATE TRIGGER _110_judge_reported AFTER INSERT ON app.reports FOR EACH ROW WHEN ((new.target_type = ANY (ARRAY['post'::text, 'reply'::text]))) EXECUTE FUNCTION private.judge_reported();

COMMENT ON COLUMN "app"."moderation_rules"."action" IS 'case: opens a case. hide: also hides the thing from everyone but its author, until staff shows it again.';

COMMENT ON COLUMN "app"."moderation_rules"."applies_to" IS 'post, reply or both, in this order.';

COMMENT ON COLUMN "app"."moderation_rules"."at_report" IS 'Whether a condition needs a report: private.rule_conditions.moment.';

COMMENT ON COLUMN "app"."moderation_rules"."category" IS 'The category of the cases that it opens.';

COMMENT ON COLUMN "app"."moderation_rules"."compiled" IS 'The conditions in the form in which they are tried, cheapest first.';

COMMENT ON COLUMN "app"."moderation_rules"."conditions" IS 'The conditions as staff wrote them: [{kind, …}]. They never change, so that all hits of a rule are of the same conditions.';

COMMENT ON COLUMN "app"."moderation_rules"."judged" IS 'When things are judged by it. at once: before anybody else sees them, in the transaction that publishes them. soon: by the worker. at a report: in the transaction of each report. Null for never.';

COMMENT ON COLUMN "app"."moderation_rules"."mode" IS 'shadow: only notes what it would do. live: does it. off: is not tried.';

COMMENT ON COLUMN "app"."moderation_rules"."mode_since" IS 'When it got this mode.';

COMMENT ON COLUMN "app"."moderation_rules"."replayed_at" IS 'When it was last replayed; null if never.';

COMMENT ON COLUMN "app"."posts"."hidden_at" IS 'When staff, or a rule of theirs, hid it from everyone but its author; null if it is not hidden.';

COMMENT ON COLUMN "app"."replies"."hidden_at" IS 'When staff, or a rule of theirs, hid it from everyone but its author; null if it is not hidden.';

COMMENT ON COLUMN "app"."rule_hits"."action" IS 'What the rule did, or would have done in shadow: case or hide.';

COMMENT ON COLUMN "app"."rule_hits"."case_id" IS 'The case that the rule opened or joined; null in shadow.';

COMMENT ON COLUMN "app"."rule_hits"."mode" IS 'The mode of the rule at that time: in shadow it only noted the hit.';

COMMENT ON COLUMN "private"."rule_conditions"."judge" IS 'Function (private.judged, jsonb) returns boolean: whether the thing fits these parameters. It goes by how things were when the thing was published, so that it says the same then and 30 days later. `npm run gen` writes the function that calls it (sql/generated/30_conditions.sql).';

COMMENT ON COLUMN "private"."rule_conditions"."moment" IS 'When a rule with such a condition can begin to fit: at the creation of the thing, or at a report of it.';

COMMENT ON COLUMN "private"."rule_conditions"."position" IS 'The order in which the conditions of a rule are tried: the cheapest first.';

COMMENT ON COLUMN "private"."rule_conditions"."shape" IS 'The parameters: for a whole number its least and its greatest value, [1, 60], for words "keywords". All are required, except those whose name here ends with a question mark.';

COMMENT ON FUNCTION "api"."create_rule"(text, jsonb, text[], text, text) IS 'Makes a rule, which begins in shadow, and returns it as api.get_rule does. Leaves an audit entry. Fails: value_invalid.';

COMMENT ON FUNCTION "api"."delete_rule"(uuid) IS 'Deletes a rule. What it hid stays hidden, and its hits are deleted by their age. Leaves an audit entry.';

COMMENT ON FUNCTION "api"."get_rule"(uuid) IS 'A rule: {id, name, conditions, appliesTo, category, action, mode, modeSince, replayedAt, createdAt}.';

COMMENT ON FUNCTION "api"."list_rule_hits"(uuid, text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'The hits of a rule, newest first.';

COMMENT ON FUNCTION "api"."list_rules"(text, text, timestamp with time zone, timestamp with time zone, integer, text) IS 'Rules, newest first.';

COMMENT ON FUNCTION "api"."replay_draft"(jsonb, text[], text) IS 'Replays a rule that was not made yet: private.replay.';

COMMENT ON FUNCTION "api"."replay_rule"(uuid, text) IS 'Replays a rule: private.replay. Then it can go live.';

COMMENT ON FUNCTION "api"."update_rule"(uuid, jsonb) IS 'Changes a rule, {name, action, mode}, and returns it. Its conditions never change. It can go live only when it was in shadow for a day or was replayed. Repeating it changes nothing. Leaves an audit entry. Fails: value_invalid.';

COMMENT ON FUNCTION "private"."add_rule"(text, jsonb, text[], text, text) IS 'Adds a rule in shadow, and returns its id.';

COMMENT ON FUNCTION "private"."change_rule"(uuid, jsonb) IS 'Changes the name, the action or the mode of a rule. Returns false if nothing changed.';

COMMENT ON FUNCTION "private"."drop_rule"(uuid) IS 'Deletes a rule.';

COMMENT ON FUNCTION "private"."find_judged"(text, uuid) IS 'A published post or a reply as rules judge it; null if there is none, or it was imported.';

COMMENT ON FUNCTION "private"."fits_all"(private.condition[], private.judged) IS 'Whether a thing fits all of these conditions.';

COMMENT ON FUNCTION "private"."has_link"(private.judged, jsonb) IS 'Condition: a text has a link, which begins with http://, https:// or www. (also in Markdown).';

COMMENT ON FUNCTION "private"."has_words"(private.judged, jsonb) IS 'Condition: a text has one of these words or phrases, compared as muted keywords are (private.muted_words).';

COMMENT ON FUNCTION "private"."hide_by_rule"(text, uuid) IS 'Hides a post or a reply as private.set_post_hidden does, but without an audit entry, because nobody of the staff decided it. Returns false if it was hidden or deleted before.';

COMMENT ON FUNCTION "private"."is_by_new_account"(private.judged, jsonb) IS 'Condition: the author''s account was younger than so many hours.';

COMMENT ON FUNCTION "private"."is_near_ban"(private.judged, jsonb) IS 'Condition: somebody at most so many steps from the author in the invite tree was banned or suspended at the time, and still is. Of each person''s invitees it looks at the last 20, and at up to 200 people at each step.';

COMMENT ON FUNCTION "private"."is_reported_by_trusted"(private.judged, jsonb) IS 'Condition: at the time of one of its last 50 reports, reports of it by so many trusted people were open.';

COMMENT ON FUNCTION "private"."is_too_frequent"(private.judged, jsonb) IS 'Condition: with this thing, its author had published more than so many posts and replies within so many minutes.';

COMMENT ON FUNCTION "private"."is_trusted_reporter"(uuid, timestamp with time zone, integer) IS 'Whether by that time staff had settled at least three of the person''s reports and had reviewed, not dismissed, more than half of the last 100; or whether they have this much reputation now.';

COMMENT ON FUNCTION "private"."judge"(text, uuid, text) IS 'Judges a post or a reply by the rules that are tried at this time (app.moderation_rules.judged). Notes each hit once, and hides the thing if a live rule says so. The worker then opens a case for what fits live rules.';

COMMENT ON FUNCTION "private"."judge_condition"(private.condition, private.judged) IS 'Whether a thing fits a condition. `npm run gen` writes its body from private.rule_conditions (sql/generated/30_conditions.sql), because a call by a name from a table would be planned each time.';

COMMENT ON FUNCTION "private"."judge_post"(jsonb) IS 'Listener: judges a post by the live rules that hide, before anybody else sees it. It is the last listener, because hiding locks documents of the search (ARCHITECTURE.md, Locks); the others only leave effects, which find it hidden.';

COMMENT ON FUNCTION "private"."judge_published"(private.effects[]) IS 'Listener: judges posts and replies by the rules in shadow and those that only open a case.';

COMMENT ON FUNCTION "private"."judge_reply"(jsonb) IS 'Listener: as private.judge_post, for a reply.';

COMMENT ON FUNCTION "private"."judge_reported"() IS 'Trigger: judges a reported post or reply by the rules about reports.';

COMMENT ON FUNCTION "private"."moderation_rules_rules"(text, text[], text, text) IS 'The checks of app.moderation_rules. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."note_replay"(uuid) IS 'Notes that a rule was replayed, so that it can go live.';

COMMENT ON FUNCTION "private"."notify_held"(private.effects[]) IS 'Listener: tells a person that their post or reply is hidden until staff has seen it, but never which rule it fits.';

COMMENT ON FUNCTION "private"."open_rule_cases"(jsonb, uuid) IS 'For the worker alone: opens the case of what fitted live rules, or adds to it, {targetType, targetId, ruleIds}, each hit once. It is a job of its own, because the case is locked after what others lock for the same post.';

COMMENT ON FUNCTION "private"."read_applies_to"(text[]) IS 'The types to which a rule applies, each once, sorted.';

COMMENT ON FUNCTION "private"."read_condition"(jsonb) IS 'Reads a condition as staff writes it, {kind, …}, strictly by the shape of its kind.';

COMMENT ON FUNCTION "private"."read_conditions"(jsonb) IS 'Reads the conditions of a rule, and puts those first that are tried first.';

COMMENT ON FUNCTION "private"."read_keywords"(jsonb) IS 'Up to 100 words or phrases of up to 100 characters in the form in which they are compared: {words, hint, pattern}.';

COMMENT ON FUNCTION "private"."read_rule_name"(text) IS 'The name of a rule in the form in which it is stored.';

COMMENT ON FUNCTION "private"."replay"(private.condition[], text[], text) IS 'Judges the next 20,000 posts and replies of the last 30 days, newest first: {looked, wouldHit, ofWhichStaffRemoved, sample (the first 20 hits), lookedUntil, nextCursor}.';

COMMENT ON FUNCTION "private"."require_rule"(uuid) IS 'Returns the rule, for staff.';

COMMENT ON FUNCTION "private"."rule_hits_rules"(text) IS 'The checks of app.rule_hits. Raises the code of the one that a row breaks.';

COMMENT ON FUNCTION "private"."was_removed"(text, uuid) IS 'Whether staff has hidden or removed a post or a reply.';

COMMENT ON TABLE "app"."moderation_rules" IS 'Rules that open a case for a post or a reply, or also hide it until staff has seen it, if all their conditions hold. There are at most 50.';

COMMENT ON TABLE "app"."rule_hits" IS 'What fitted a rule, once for each rule and thing. rule_id has no foreign key, because a rule can have more hits than one transaction should delete; retention deletes them.';

COMMENT ON TABLE "private"."rule_conditions" IS 'Registry: the kinds of conditions of rules.';

COMMENT ON TYPE "private"."condition" IS 'A condition of a rule: its kind, of private.rule_conditions, and its parameters as private.read_condition made them.';

COMMENT ON TYPE "private"."judged" IS 'A post or a reply as rules judge it: with its texts as they were when it was published, the time of that, and the words of these texts (private.keyword_words).';

COMMENT ON VIEW "private"."staff_rule_hits" IS 'Hits of rules as staff sees them.';

COMMENT ON VIEW "private"."staff_rules" IS 'Rules as staff sees them.';

REVOKE ALL ON FUNCTION "api"."create_rule"(text, jsonb, text[], text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."create_rule"(text, jsonb, text[], text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."create_rule"(text, jsonb, text[], text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."create_rule"(text, jsonb, text[], text, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."delete_rule"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."delete_rule"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."delete_rule"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."delete_rule"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "api"."get_rule"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."get_rule"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."get_rule"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."get_rule"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "api"."list_rule_hits"(uuid, text, text, timestamp with time zone, timestamp with time zone, integer, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."list_rule_hits"(uuid, text, text, timestamp with time zone, timestamp with time zone, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_rule_hits"(uuid, text, text, timestamp with time zone, timestamp with time zone, integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_rule_hits"(uuid, text, text, timestamp with time zone, timestamp with time zone, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."list_rules"(text, text, timestamp with time zone, timestamp with time zone, integer, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."list_rules"(text, text, timestamp with time zone, timestamp with time zone, integer, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_rules"(text, text, timestamp with time zone, timestamp with time zone, integer, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."list_rules"(text, text, timestamp with time zone, timestamp with time zone, integer, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."replay_draft"(jsonb, text[], text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."replay_draft"(jsonb, text[], text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."replay_draft"(jsonb, text[], text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."replay_draft"(jsonb, text[], text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."replay_rule"(uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."replay_rule"(uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."replay_rule"(uuid, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."replay_rule"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "api"."update_rule"(uuid, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "api"."update_rule"(uuid, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "api"."update_rule"(uuid, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "api"."update_rule"(uuid, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."add_rule"(text, jsonb, text[], text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."add_rule"(text, jsonb, text[], text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_rule"(text, jsonb, text[], text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."add_rule"(text, jsonb, text[], text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."change_rule"(uuid, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."change_rule"(uuid, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."change_rule"(uuid, jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."change_rule"(uuid, jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."drop_rule"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."drop_rule"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."drop_rule"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."drop_rule"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."find_judged"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_judged"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_judged"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."fits_all"(private.condition[], private.judged) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."fits_all"(private.condition[], private.judged) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."fits_all"(private.condition[], private.judged) TO "postgres";

REVOKE ALL ON FUNCTION "private"."has_link"(private.judged, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_link"(private.judged, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."has_link"(private.judged, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."has_words"(private.judged, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."has_words"(private.judged, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."has_words"(private.judged, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."hide_by_rule"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."hide_by_rule"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."hide_by_rule"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_by_new_account"(private.judged, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_by_new_account"(private.judged, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_by_new_account"(private.judged, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_near_ban"(private.judged, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_near_ban"(private.judged, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_near_ban"(private.judged, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_reported_by_trusted"(private.judged, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_reported_by_trusted"(private.judged, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_reported_by_trusted"(private.judged, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_too_frequent"(private.judged, jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_too_frequent"(private.judged, jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_too_frequent"(private.judged, jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."is_trusted_reporter"(uuid, timestamp with time zone, integer) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."is_trusted_reporter"(uuid, timestamp with time zone, integer) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."is_trusted_reporter"(uuid, timestamp with time zone, integer) TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge"(text, uuid, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge"(text, uuid, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge"(text, uuid, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge_condition"(private.condition, private.judged) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_condition"(private.condition, private.judged) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge_condition"(private.condition, private.judged) TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge_post"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_post"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge_post"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge_published"(private.effects[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_published"(private.effects[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge_published"(private.effects[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge_reply"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_reply"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge_reply"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge_reported"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_reported"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge_reported"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."moderation_rules_rules"(text, text[], text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."moderation_rules_rules"(text, text[], text, text) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."moderation_rules_rules"(text, text[], text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."moderation_rules_rules"(text, text[], text, text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."moderation_rules_rules"(text, text[], text, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."note_replay"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."note_replay"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."note_replay"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."note_replay"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."notify_held"(private.effects[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."notify_held"(private.effects[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."notify_held"(private.effects[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."open_rule_cases"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."open_rule_cases"(jsonb, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."open_rule_cases"(jsonb, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."open_rule_cases"(jsonb, uuid) TO "worker";

REVOKE ALL ON FUNCTION "private"."read_applies_to"(text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."read_applies_to"(text[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."read_applies_to"(text[]) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."read_applies_to"(text[]) TO "service_role";

REVOKE ALL ON FUNCTION "private"."read_condition"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."read_condition"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."read_condition"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."read_conditions"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."read_conditions"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."read_conditions"(jsonb) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."read_conditions"(jsonb) TO "service_role";

REVOKE ALL ON FUNCTION "private"."read_keywords"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."read_keywords"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."read_keywords"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."read_rule_name"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."read_rule_name"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."read_rule_name"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."replay"(private.condition[], text[], text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."replay"(private.condition[], text[], text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."replay"(private.condition[], text[], text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."replay"(private.condition[], text[], text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."require_rule"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_rule"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_rule"(uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."require_rule"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."rule_hits_rules"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."rule_hits_rules"(text) TO "anon", "authenticated", "gate";

REVOKE ALL ON FUNCTION "private"."rule_hits_rules"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."rule_hits_rules"(text) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."rule_hits_rules"(text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."was_removed"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."was_removed"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."was_removed"(text, uuid) TO "postgres";

REVOKE ALL ON TABLE "app"."moderation_rules" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."moderation_rules" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."moderation_rules" TO "service_role";

REVOKE ALL ON TABLE "app"."rule_hits" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."rule_hits" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."rule_hits" TO "service_role";

ALTER TABLE "app"."moderation_rules" ADD CONSTRAINT "moderation_rules_rules" CHECK (private.moderation_rules_rules(name, applies_to, action, mode));

ALTER TABLE "app"."rule_hits" ADD CONSTRAINT "rule_hits_rules" CHECK (private.rule_hits_rules(mode));

insert into private.errors ("code", "status", "text")
values ('rule_applies_to', '422', 'A rule applies to posts, to replies, or to both.');

insert into private.errors ("code", "status", "text")
values ('rule_conditions', '422', 'A rule must have 1 to 10 conditions, each of a known kind, with exactly the parameters of that kind.');

insert into private.errors ("code", "status", "text")
values ('rule_name', '422', 'A rule must have a name of 1 to 80 characters.');

insert into private.errors ("code", "status", "text")
values ('rule_unknown', '404', 'There is no such rule.');

insert into private.errors ("code", "status", "text")
values ('rule_untried', '409', 'A rule can go live when it was in shadow for a day, or was replayed.');

insert into private.errors ("code", "status", "text")
values ('rules_exhausted', '409', 'There can be at most 50 rules. Delete one first.');

insert into private.lock_kinds ("kind", "position")
values ('rules', '599');

insert into private.event_types ("name", "payload", "happens")
values ('moderation.rule.hit', '{targetType,targetId,authorId,hidden}', 'a post or a reply fits a live rule; `hidden` says whether it was hidden');

insert into private.event_listeners ("event", "listener", "position", "timing")
values ('moderation.rule.hit', 'private.notify_held', '600', 'soon');

insert into private.event_listeners ("event", "listener", "position", "timing")
values ('posts.post.published', 'private.judge_post', '950', 'at once');

insert into private.event_listeners ("event", "listener", "position", "timing")
values ('posts.post.published', 'private.judge_published', '650', 'soon');

insert into private.event_listeners ("event", "listener", "position", "timing")
values ('posts.reply.created', 'private.judge_published', '650', 'soon');

insert into private.event_listeners ("event", "listener", "position", "timing")
values ('posts.reply.created', 'private.judge_reply', '950', 'at once');

insert into private.batch_queues ("queue", "batch")
values ('rule-cases', 'private.open_rule_cases');

insert into private.retention ("relation", "counts_from", "keep", "batch")
values ('app.rule_hits', 'created_at', '90 days', '5000');

insert into pgboss.queue ("name", "policy", "retry_limit", "retry_delay", "retry_backoff", "retry_delay_max", "expire_seconds", "retention_seconds", "deletion_seconds", "dead_letter", "partition", "table_name", "deferred_count", "queued_count", "ready_count", "warning_queued", "active_count", "failed_count", "total_count", "created_delta", "completed_delta", "failed_delta", "delta_on", "delta_seconds", "ready_history", "heartbeat_seconds", "notify", "singletons_active", "monitor_claim_on", "monitor_on", "maintain_on")
values ('rule-cases', 'standard', '2', '0', 'false', null, '900', '1209600', '604800', null, 'false', 'job_common', '0', '0', '0', '0', '0', '0', '0', '0', '0', '0', null, null, '{}', null, 'false', null, null, null, null);

insert into private.personal_data ("relation", "person_column", "section", "within", "whose", "omits", "adds", "across_blocks", "reason")
values ('app.rule_hits', 'author_id', null, null, null, '{}', null, 'false', 'Hints to staff, which are deleted after 90 days. What staff decides is exported.');

insert into private.rule_conditions ("kind", "position", "shape", "judge", "moment")
values ('link', '300', '{}', 'private.has_link', 'creation');

insert into private.rule_conditions ("kind", "position", "shape", "judge", "moment")
values ('near-ban', '500', '{"steps": [1, 3]}', 'private.is_near_ban', 'creation');

insert into private.rule_conditions ("kind", "position", "shape", "judge", "moment")
values ('new-account', '100', '{"hours": [1, 8760]}', 'private.is_by_new_account', 'creation');

insert into private.rule_conditions ("kind", "position", "shape", "judge", "moment")
values ('rate', '400', '{"minutes": [1, 1440], "moreThan": [1, 500]}', 'private.is_too_frequent', 'creation');

insert into private.rule_conditions ("kind", "position", "shape", "judge", "moment")
values ('reports', '600', '{"people": [1, 20], "reputation?": [1, 1000000]}', 'private.is_reported_by_trusted', 'report');

insert into private.rule_conditions ("kind", "position", "shape", "judge", "moment")
values ('words', '200', '{"words": "keywords"}', 'private.has_words', 'creation');
