-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP TRIGGER "_110_judge_reported" ON "app"."reports";

DROP FUNCTION "private"."find_judged"(text, uuid);

DROP FUNCTION "private"."judge"(text, uuid, text);

CREATE TABLE "private"."judged_types" ("type" text NOT NULL, "finder" text NOT NULL, "relation" regclass NOT NULL, "hidden_at" name NOT NULL, "verb" text NOT NULL, "lock_kind" text NOT NULL, "counters" text, CONSTRAINT "judged_types_finder_check" CHECK ((finder ~ '^private\.[a-z_]+$'::text)), CONSTRAINT "judged_types_hidden_at_check" CHECK ((hidden_at = ANY (ARRAY['hidden_at'::name, 'removed_at'::name]))), CONSTRAINT "judged_types_pkey" PRIMARY KEY (type));

ALTER TABLE "private"."judged_types" ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."judged_types" OWNER TO "postgres";

CREATE OR REPLACE FUNCTION api.update_post(p_id uuid, p_changes jsonb)
 RETURNS json
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
declare
  v_post     app.posts;
  v_time     timestamptz := (p_changes ->> 'publishAt')::timestamptz;
  v_interest uuid;
  v_others   uuid[];
  v_more     uuid[];
  v_now      app.posts;
begin
  -- before the post is locked (ARCHITECTURE.md, Locks); authors may save a scheduled post as often as they like
  if exists (select from app.posts p
             where p.id = p_id and p.author_id = private.require_caller() and p.published_at is not null) then
    perform private.count_writes('edits');
  end if;
  v_post := private.lock_own_post(p_id);
  v_interest := v_post.interest_id;
  v_others := array(select interest_id from app.post_interests
                    where post_id = p_id and not is_primary order by interest_id);
  v_more := v_others;
  if p_changes ?| '{format,poll,quotedPostId,groupId,guildId}' then
    perform private.raise_error('post_fixed');
  end if;
  if v_post.format = 'repost'
     and p_changes ?| '{title,body,media,depth,interestId,interestIds,personaId,isJournalism,publishAt}' then
    perform private.raise_error('repost_bare');
  end if;
  if p_changes ? 'publishAt' then
    if v_post.published_at is not null then
      perform private.raise_error('post_is_published');
    end if;
    perform private.require_future(v_time);
  end if;
  if p_changes ? 'interestId' then
    v_interest := (p_changes ->> 'interestId')::uuid;
  end if;
  if p_changes ? 'interestIds' then
    v_more := array(select i::uuid from jsonb_array_elements_text(nullif(p_changes -> 'interestIds', 'null')) i);
  end if;
  if p_changes ?| '{interestId,interestIds}' then
    v_more := private.require_further_interests(v_interest, v_more);
  end if;

  update app.posts set
    title = case when p_changes ? 'title' then private.require_name(p_changes ->> 'title') else title end,
    body = case when p_changes ? 'body' then private.require_text(p_changes ->> 'body') else body end,
    media = case when p_changes ? 'media'
                 then private.require_media(nullif(p_changes -> 'media', 'null'), format) else media end,
    visibility = case when p_changes ? 'visibility' then p_changes ->> 'visibility' else visibility end,
    depth = case when p_changes ? 'depth' then (p_changes ->> 'depth')::smallint else depth end,
    interest_id = v_interest,
    persona_id = case when p_changes ->> 'personaId' is not null
                      then private.require_own_persona((p_changes ->> 'personaId')::uuid)
                      when p_changes ? 'personaId' then null else persona_id end,
    is_journalism = case when p_changes ? 'isJournalism' then (p_changes ->> 'isJournalism')::boolean
                         else is_journalism end,
    publish_at = coalesce(v_time, publish_at)
  where id = p_id
  returning * into v_now;
  if p_changes ?| '{interestId,interestIds}' then
    delete from app.post_interests where post_id = p_id and not is_primary and interest_id <> all (v_more);
    insert into app.post_interests (post_id, interest_id) select p_id, i from unnest(v_more) i on conflict do nothing;
  end if;
  if v_post.published_at is not null and (v_post, v_others) is distinct from (v_now, v_more) then
    perform private.emit('posts.post.edited', json_build_object('postId', p_id), array[v_post.author_id]);
  elsif p_changes -> 'publishAt' = 'null' then
    perform private.publish_now(p_id);
  end if;
  return private.post_card(p_id);
end $function$;

CREATE OR REPLACE FUNCTION private.dispatch_event(p_event text, p_payload jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  if p_event = 'admin.content.moderated' then
    perform private.note_released(p_payload);
  elsif p_event = 'events.event.changed' then
    perform private.fan_out_event(p_payload);
  elsif p_event = 'posts.poll.closed' then
    perform private.fan_out_poll_end(p_payload);
  elsif p_event = 'posts.post.edited' then
    perform private.note_edited_post(p_payload);
    perform private.embed_edited(p_payload);
    perform private.index_edited(p_payload);
    perform private.judge_edited_post(p_payload);
  elsif p_event = 'posts.post.imported' then
    perform private.split_feed_block(p_payload);
  elsif p_event = 'posts.post.published' then
    perform private.add_feed_block(p_payload);
    perform private.extend_series(p_payload);
    perform private.announce_quote(p_payload);
    perform private.judge_post(p_payload);
    perform private.mention_in_post(p_payload);
  elsif p_event = 'posts.reply.created' then
    perform private.judge_reply(p_payload);
    perform private.mention_in_reply(p_payload);
  elsif p_event = 'posts.series.extended' then
    perform private.fan_out_series_item(p_payload);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION private.find_content_versions(p_type text, p_id uuid, p_since timestamp with time zone)
 RETURNS private.judged[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select array[(p_type, c.id, c.author_id, w.at, array[t.title, t.body],
                  private.keyword_words(private.keyword_text(array[t.title, t.body])))::private.judged]
    from app.contents c
    cross join lateral (select coalesce(c.edited_at, c.created_at) as at) w
    cross join lateral private.find_reported_place(p_type, p_id) t
    where c.id = p_id and c.kind = p_type and not c.is_draft and c.deleted_at is null and w.at >= p_since);
end $function$;

ALTER FUNCTION "private"."find_content_versions"(text, uuid, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.find_fitting(p_conditions private.condition[], p_versions private.judged[])
 RETURNS private.judged
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_version private.judged;
begin
  foreach v_version in array p_versions loop
    if private.fits_all(p_conditions, v_version) then
      return v_version;
    end if;
  end loop;
  return null;
end $function$;

ALTER FUNCTION "private"."find_fitting"(private.condition[], private.judged[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.find_post_versions(p_type text, p_id uuid, p_since timestamp with time zone)
 RETURNS private.judged[]
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
    select array_agg((p_type, p.id, p.author_id, w.at, array[w.title, w.body],
                      coalesce(w.words, private.keyword_words(private.keyword_text(array[w.title, w.body])))
                     )::private.judged order by w.at desc, w.version desc nulls first)
    from app.posts p
    cross join lateral (
      select null::integer as version, p.title, p.body, p.keyword_words as words,
             coalesce(l.created_at, p.published_at) as at, l.created_at is null as is_first
      from (values (1)) one left join lateral (
        select v.created_at from app.post_versions v where v.post_id = p.id order by v.version desc limit 1) l on true
      union all
      (select v.version, v.title, v.body, null, coalesce(b.created_at, p.published_at), v.version = 1
       from app.post_versions v
       left join app.post_versions b on b.post_id = v.post_id and b.version = v.version - 1
       where v.post_id = p.id order by v.version desc limit 19)) w
    where p.id = p_id and p.published_at is not null and w.at >= p_since
      and not (p.imported_at is not null and w.is_first));
end $function$;

ALTER FUNCTION "private"."find_post_versions"(text, uuid, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.find_reply_versions(p_type text, p_id uuid, p_since timestamp with time zone)
 RETURNS private.judged[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  return (
    select array[(p_type, r.id, r.author_id, r.created_at, array[r.body],
                  private.keyword_words(private.keyword_text(array[r.body])))::private.judged]
    from app.replies r where r.id = p_id and r.created_at >= p_since);
end $function$;

ALTER FUNCTION "private"."find_reply_versions"(text, uuid, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.find_versions(p_type text, p_id uuid, p_since timestamp with time zone DEFAULT '-infinity'::timestamp with time zone)
 RETURNS private.judged[]
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
begin
  if p_type = 'audio' then
    return private.find_content_versions(p_type, p_id, p_since);
  elsif p_type = 'course' then
    return private.find_content_versions(p_type, p_id, p_since);
  elsif p_type = 'debate' then
    return private.find_content_versions(p_type, p_id, p_since);
  elsif p_type = 'event' then
    return private.find_content_versions(p_type, p_id, p_since);
  elsif p_type = 'offering' then
    return private.find_content_versions(p_type, p_id, p_since);
  elsif p_type = 'post' then
    return private.find_post_versions(p_type, p_id, p_since);
  elsif p_type = 'problem' then
    return private.find_content_versions(p_type, p_id, p_since);
  elsif p_type = 'project' then
    return private.find_content_versions(p_type, p_id, p_since);
  elsif p_type = 'reply' then
    return private.find_reply_versions(p_type, p_id, p_since);
  elsif p_type = 'video' then
    return private.find_content_versions(p_type, p_id, p_since);
  end if;
  return null;
end $function$;

ALTER FUNCTION "private"."find_versions"(text, uuid, timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.hide_by_rule(p_type text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_type   private.judged_types := (select t from private.judged_types t where t.type = p_type);
  v_hidden uuid;
begin
  -- safe: the names come from the registry
  execute format('update %1$s set %2$I = now() where id = $1 and %2$I is null and deleted_at is null returning id',
                 v_type.relation, v_type.hidden_at) into v_hidden using p_id;
  return v_hidden is not null;
end $function$;

CREATE OR REPLACE FUNCTION private.is_hidden(p_type text, p_id uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_type   private.judged_types := (select t from private.judged_types t where t.type = p_type);
  v_hidden boolean;
begin
  perform private.check_lock_order(v_type.lock_kind, p_id::text);
  -- safe: the names come from the registry
  execute format('select %I is not null from %s where id = $1 for share', v_type.hidden_at, v_type.relation)
    into v_hidden using p_id;
  return v_hidden;
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
      perform private.lock_judged(p_type, p_id);   -- it is older, so others may have it locked
    end if;
    v_hidden := v_hides and private.hide_by_rule(p_type, p_id);
    perform private.emit('moderation.rule.hit', json_build_object(
      'targetType', p_type, 'targetId', p_id, 'authorId', v_author, 'hidden', v_hidden), array[v_author]);
    perform private.enqueue('rule-cases', json_build_object(
      'targetType', p_type, 'targetId', p_id, 'authorId', v_author, 'ruleIds', to_json(v_live), 'hidden', v_hidden));
  end if;
  return coalesce(v_hidden, false);
end $function$;

ALTER FUNCTION "private"."judge"(text, uuid, text[], timestamp with time zone) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.judge_content()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.judge(new.kind, new.id, '{at once,at a report}');
  if exists (select from app.moderation_rules r where r.judged = 'soon' and new.kind = any (r.applies_to)) then
    perform private.emit('moderation.content.written', json_build_object(
      'contentId', new.id, 'kind', new.kind, 'authorId', new.author_id), array[new.author_id]);
  end if;
  return null;
end $function$;

ALTER FUNCTION "private"."judge_content"() OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.judge_edited(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.judge('post', (e.payload ->> 'postId')::uuid, '{soon}', e.caused_at)
  from (select * from unnest(p_effects) order by id) e;
end $function$;

ALTER FUNCTION "private"."judge_edited"(private.effects[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.judge_edited_post(p_event jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$ begin perform private.judge('post', (p_event ->> 'postId')::uuid, '{at once,at a report}', now()); end $function$;

ALTER FUNCTION "private"."judge_edited_post"(jsonb) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.judge_new(p_type text, p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  if private.judge(p_type, p_id, '{at once}') then
    update app.rule_hits set held = true where target_id = p_id;
  end if;
end $function$;

ALTER FUNCTION "private"."judge_new"(text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.judge_post(p_event jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$ begin perform private.judge_new('post', (p_event ->> 'postId')::uuid); end $function$;

CREATE OR REPLACE FUNCTION private.judge_published(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  -- a reply has effects for several people, and its author is always among them
  perform private.judge(w.type, w.id, '{soon}')
  from (select case when e.payload ? 'replyId' then 'reply' else 'post' end as type,
               coalesce(e.payload ->> 'replyId', e.payload ->> 'postId')::uuid as id
        from unnest(p_effects) e
        where e.user_id = (e.payload ->> 'authorId')::uuid
        order by e.id) w;
end $function$;

CREATE OR REPLACE FUNCTION private.judge_reply(p_event jsonb)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$ begin perform private.judge_new('reply', (p_event ->> 'replyId')::uuid); end $function$;

CREATE OR REPLACE FUNCTION private.judge_reported()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform private.judge(new.target_type, new.target_id, '{at a report}');
  return null;
end $function$;

CREATE OR REPLACE FUNCTION private.judge_written(p_effects private.effects[])
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO ''
AS $function$
begin
  perform private.judge(e.payload ->> 'kind', (e.payload ->> 'contentId')::uuid, '{soon}')
  from (select * from unnest(p_effects) order by id) e;
end $function$;

ALTER FUNCTION "private"."judge_written"(private.effects[]) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.lock_judged(p_type text, p_id uuid)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_type  private.judged_types := (select t from private.judged_types t where t.type = p_type);
  v_posts uuid[];
begin
  if v_type.counters is not null then
    -- safe: the query comes from the registry
    execute format('select array(%s)', v_type.counters) into v_posts using p_id;
    perform private.lock_counters(v_posts);
  end if;
  perform private.check_lock_order(v_type.lock_kind, p_id::text);
end $function$;

ALTER FUNCTION "private"."lock_judged"(text, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.moderation_rules_rules(name text, applies_to text[], action text, mode text)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  if (action = ANY (ARRAY['case'::text, 'hide'::text])) is false then perform private.raise_check_violation('moderation_rules_action_check'); end if;
  if (applies_to <> '{}'::text[]) is false then perform private.raise_check_violation('moderation_rules_applies_to_check'); end if;
  if (mode = ANY (ARRAY['shadow'::text, 'live'::text, 'off'::text])) is false then perform private.raise_check_violation('moderation_rules_mode_check'); end if;
  if ((length(name) >= 1) AND (length(name) <= 80)) is false then perform private.raise_check_violation('moderation_rules_name_check'); end if;
  return true;
end $function$;

CREATE OR REPLACE FUNCTION private.read_applies_to(p_types text[])
 RETURNS text[]
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO ''
AS $function$
declare
  v_types text[] := array(select distinct t from unnest(p_types) t order by t);
begin
  if v_types = '{}' or exists (select from unnest(v_types) t
                               where not exists (select from private.judged_types j where j.type = t)) then
    perform private.raise_error('rule_applies_to');
  end if;
  return v_types;
end $function$;

CREATE OR REPLACE FUNCTION private.record_hold(p_type text, p_id uuid, p_author uuid, p_case uuid, p_category text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO ''
AS $function$
begin
  perform set_config('kith.case', json_build_object('caseId', p_case, 'category', p_category)::text, true);
  perform private.audit(
    p_type || '.' || (select verb from private.judged_types where type = p_type), p_type, p_id::text,
    json_build_object('reason', 'Hidden automatically, by a rule of the instance, until staff has seen it.'),
    p_author);
  perform set_config('kith.case', '', true);
end $function$;

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
  v_from     app.place := private.page_start('replay', p_cursor);
  v_at       timestamptz := v_from.at;   -- plain variables: an expression defeats the index
  v_id       uuid := v_from.id;
  v_oldest   timestamptz := now() - interval '30 days';
  v_types    text[];
  v_ids      uuid[];
  v_times    timestamptz[];
  v_looked   integer;
  v_hits     integer := 0;
  v_removed  boolean;
  v_removals integer := 0;
  v_fits     private.judged;
  v_sample   json[] := '{}';
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
    union all
    (select c.kind, c.id, c.created_at from app.contents c
     where p_applies_to && array(select kind from private.content_kinds)
       and (c.created_at, c.id) < (v_at, v_id) and c.created_at >= v_oldest and c.deleted_at is null
     order by c.created_at desc, c.id desc limit c_most)
    order by at desc, id desc limit c_most) w;
  v_looked := coalesce(cardinality(v_ids), 0);
  for v_place in 1 .. v_looked loop
    continue when v_types[v_place] <> all (p_applies_to);   -- a content of another kind
    v_fits := private.find_fitting(p_conditions, private.find_versions(v_types[v_place], v_ids[v_place]));
    continue when v_fits.id is null;
    v_removed := private.was_removed(v_fits.type, v_fits.id);
    v_hits := v_hits + 1;
    v_removals := v_removals + v_removed::integer;
    if v_hits <= 20 then
      v_sample := v_sample || json_build_object(
        'targetType', v_fits.type,
        'targetId', v_fits.id,
        'authorId', v_fits.author_id,
        'author', (select author.card from app.person_card author where author.id = v_fits.author_id),
        'excerpt', left(array_to_string(v_fits.texts, e'\n'), 200),
        'removed', v_removed,
        'createdAt', private.utc(v_times[v_place]));
    end if;
  end loop;
  return json_build_object(
    'looked', v_looked,
    'wouldHit', v_hits,
    'ofWhichStaffRemoved', v_removals,
    'sample', to_json(v_sample),
    'lookedUntil', private.utc(v_times[v_looked]),
    'nextCursor', case when v_looked = c_most
                       then private.place_cursor('replay', v_times[v_looked], v_ids[v_looked]) end);
end $function$;

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
                   -- what only a rule hid, staff has decided when it has closed the case as acted
                   and (d.decided_by is not null
                        or exists (select from app.cases c where c.id = d.case_id and c.outcome = 'acted')))
    -- before there were decisions
    or coalesce((private.find_reported_place(p_type, p_id)).hidden, false)
    -- what only a rule hid is decided above
    and not exists (select from app.rule_hits h
                    where h.target_id = p_id and h.mode = 'live' and h.action = 'hide');
end $function$;

ALTER TABLE "private"."judged_types" ADD CONSTRAINT "judged_types_lock_kind_fkey" FOREIGN KEY (lock_kind) REFERENCES private.lock_kinds(kind) ON DELETE RESTRICT;

ALTER TABLE "private"."judged_types" ADD CONSTRAINT "judged_types_type_fkey" FOREIGN KEY (type) REFERENCES private.report_targets(type) ON DELETE RESTRICT;

ALTER TABLE "private"."judged_types" ADD CONSTRAINT "judged_types_verb_fkey" FOREIGN KEY (verb) REFERENCES private.decision_kinds(verb) ON DELETE RESTRICT;

CREATE INDEX judged_types_lock_kind_idx ON private.judged_types USING btree (lock_kind);

CREATE INDEX judged_types_verb_idx ON private.judged_types USING btree (verb);

CREATE CONSTRAINT TRIGGER _190_judge_edited_content AFTER UPDATE OF edited_at, is_draft ON app.contents DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.deleted_at IS NULL) AND ((new.edited_at IS DISTINCT FROM old.edited_at) OR (new.is_draft <> old.is_draft)))) EXECUTE FUNCTION private.judge_content();

CREATE CONSTRAINT TRIGGER _190_judge_new_content AFTER INSERT ON app.contents DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION private.judge_content();

CREATE TRIGGER _110_judge_reported AFTER INSERT ON app.reports FOR EACH ROW EXECUTE FUNCTION private.judge_reported();

COMMENT ON COLUMN "app"."moderation_rules"."applies_to" IS 'Types of things (private.judged_types), sorted.';

COMMENT ON COLUMN "private"."judged_types"."counters" IS 'The query for the posts of a thing ($1) whose counters hiding it changes; null if there are none.';

COMMENT ON COLUMN "private"."judged_types"."finder" IS 'Function (text, uuid, timestamptz) returns private.judged[]: the versions of a thing since a time, the newest first; null if there is none. `npm run gen` writes the function that calls it (sql/generated/30_conditions.sql).';

COMMENT ON COLUMN "private"."judged_types"."hidden_at" IS 'The column of the relation that says since when only the author sees the thing.';

COMMENT ON COLUMN "private"."judged_types"."lock_kind" IS 'The kind of the lock of the thing.';

COMMENT ON COLUMN "private"."judged_types"."verb" IS 'The audit entry of a rule that hides it is <type>.<verb>.';

COMMENT ON COLUMN "private"."rule_conditions"."judge" IS 'Function (private.judged, jsonb) returns boolean: whether the version fits these parameters. It goes by how things were at its time, so that it says the same then and 30 days later. `npm run gen` writes the function that calls it (sql/generated/30_conditions.sql).';

COMMENT ON FUNCTION "private"."find_content_versions"(text, uuid, timestamp with time zone) IS 'The present version of a content, with its title and its text: earlier ones are not kept. None of a draft.';

COMMENT ON FUNCTION "private"."find_fitting"(private.condition[], private.judged[]) IS 'The newest of these versions that fits all conditions; null if none does.';

COMMENT ON FUNCTION "private"."find_post_versions"(text, uuid, timestamp with time zone) IS 'The last 20 versions of a published post, without the one that was imported.';

COMMENT ON FUNCTION "private"."find_reply_versions"(text, uuid, timestamp with time zone) IS 'The only version of a reply: replies can''t be edited.';

COMMENT ON FUNCTION "private"."find_versions"(text, uuid, timestamp with time zone) IS 'The versions of a thing since a time, the newest first; null if there is none. `npm run gen` writes its body from private.judged_types (sql/generated/30_conditions.sql).';

COMMENT ON FUNCTION "private"."fits_all"(private.condition[], private.judged) IS 'Whether a version of a thing fits all of these conditions.';

COMMENT ON FUNCTION "private"."hide_by_rule"(text, uuid) IS 'Hides a thing from everyone but its author, as staff hides or removes it. The worker leaves the audit entry. Returns false if it was hidden or deleted before.';

COMMENT ON FUNCTION "private"."is_hidden"(text, uuid) IS 'Whether a thing is hidden. Locks it until the transaction ends, so that nobody shows it meanwhile.';

COMMENT ON FUNCTION "private"."judge"(text, uuid, text[], timestamp with time zone) IS 'Judges the versions of a thing since a time by the rules that are tried at these times (app.moderation_rules.judged). Notes each rule that it fits once, and hides it if a live rule says so. The worker then opens a case for what fits live rules. Returns whether it has hidden the thing.';

COMMENT ON FUNCTION "private"."judge_content"() IS 'Trigger: judges a content that its author has published or edited.';

COMMENT ON FUNCTION "private"."judge_edited"(private.effects[]) IS 'Listener: as private.judge_published, for edits of posts.';

COMMENT ON FUNCTION "private"."judge_edited_post"(jsonb) IS 'Listener: judges what an edit has made of a post, if it changed the text or the media: otherwise there is no version since the edit. Rules about reports too, because an edit can make an old report fit.';

COMMENT ON FUNCTION "private"."judge_new"(text, uuid) IS 'Judges a thing that nobody else has seen by the live rules that hide.';

COMMENT ON FUNCTION "private"."judge_post"(jsonb) IS 'Listener: judges a post by the live rules that hide, before anybody else sees it. It is the last listener but for mentions, because hiding locks documents of the search (ARCHITECTURE.md, Locks); the others only leave effects, which find it hidden.';

COMMENT ON FUNCTION "private"."judge_reported"() IS 'Trigger: judges a reported thing by the rules about reports.';

COMMENT ON FUNCTION "private"."judge_written"(private.effects[]) IS 'Listener: as private.judge_published, for contents.';

COMMENT ON FUNCTION "private"."lock_judged"(text, uuid) IS 'Locks what hiding a thing locks before the thing itself, which the caller locks next: ARCHITECTURE.md, Locks.';

COMMENT ON FUNCTION "private"."notify_held"(private.effects[]) IS 'Listener: tells a person that something of theirs is hidden until staff has seen it, but never which rule it fits.';

COMMENT ON FUNCTION "private"."replay"(private.condition[], text[], text) IS 'Judges the next 20,000 things of these types of the last 30 days, newest first: {looked, wouldHit, ofWhichStaffRemoved, sample (the first 20 hits), lookedUntil, nextCursor}. Of contents, those of other kinds are counted as looked at; each is judged by its present version.';

COMMENT ON FUNCTION "private"."was_removed"(text, uuid) IS 'Whether staff has hidden or removed a thing.';

COMMENT ON TABLE "app"."moderation_rules" IS 'Rules that open a case for a thing, or also hide it until staff has seen it, if all their conditions hold. There are at most 50.';

COMMENT ON TABLE "private"."judged_types" IS 'Registry: the types of things that rules judge.';

COMMENT ON TYPE "private"."judged" IS 'A version of a thing as rules judge it: its texts as they were when it was published or edited, the time of that, and the words of these texts (private.keyword_words).';

REVOKE ALL ON FUNCTION "private"."find_content_versions"(text, uuid, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_content_versions"(text, uuid, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_content_versions"(text, uuid, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_fitting"(private.condition[], private.judged[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_fitting"(private.condition[], private.judged[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_fitting"(private.condition[], private.judged[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_post_versions"(text, uuid, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_post_versions"(text, uuid, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_post_versions"(text, uuid, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_reply_versions"(text, uuid, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_reply_versions"(text, uuid, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_reply_versions"(text, uuid, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."find_versions"(text, uuid, timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."find_versions"(text, uuid, timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."find_versions"(text, uuid, timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge"(text, uuid, text[], timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge"(text, uuid, text[], timestamp with time zone) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge"(text, uuid, text[], timestamp with time zone) TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge_content"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_content"() FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge_content"() TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge_edited"(private.effects[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_edited"(private.effects[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge_edited"(private.effects[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge_edited_post"(jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_edited_post"(jsonb) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge_edited_post"(jsonb) TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge_new"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_new"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge_new"(text, uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."judge_written"(private.effects[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."judge_written"(private.effects[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."judge_written"(private.effects[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."lock_judged"(text, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."lock_judged"(text, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."lock_judged"(text, uuid) TO "postgres";

update private.errors set "text" = 'A rule must apply to at least one type of things that rules judge.'
where "code"::text = 'rule_applies_to'
  and "text"::text = 'A rule applies to posts, to replies, or to both.';

insert into private.event_types ("name", "payload", "happens")
values ('moderation.content.written', '{contentId,kind,authorId}', 'a content is published or edited and a rule judges its kind');

update private.event_types set "happens" = 'a thing fits a live rule; `hidden` says whether it was hidden'
where "name"::text = 'moderation.rule.hit'
  and "happens"::text = 'a post or a reply fits a live rule; `hidden` says whether it was hidden';

insert into private.event_listeners ("event", "listener", "position", "timing")
values ('moderation.content.written', 'private.judge_written', '650', 'soon');

insert into private.event_listeners ("event", "listener", "position", "timing")
values ('posts.post.edited', 'private.judge_edited', '650', 'soon');

insert into private.event_listeners ("event", "listener", "position", "timing")
values ('posts.post.edited', 'private.judge_edited_post', '950', 'at once');

insert into private.judged_types ("type", "finder", "relation", "hidden_at", "verb", "lock_kind", "counters")
values ('audio', 'private.find_content_versions', 'app.contents', 'removed_at', 'removed', 'content', null);

insert into private.judged_types ("type", "finder", "relation", "hidden_at", "verb", "lock_kind", "counters")
values ('course', 'private.find_content_versions', 'app.contents', 'removed_at', 'removed', 'content', null);

insert into private.judged_types ("type", "finder", "relation", "hidden_at", "verb", "lock_kind", "counters")
values ('debate', 'private.find_content_versions', 'app.contents', 'removed_at', 'removed', 'content', null);

insert into private.judged_types ("type", "finder", "relation", "hidden_at", "verb", "lock_kind", "counters")
values ('event', 'private.find_content_versions', 'app.contents', 'removed_at', 'removed', 'content', null);

insert into private.judged_types ("type", "finder", "relation", "hidden_at", "verb", "lock_kind", "counters")
values ('offering', 'private.find_content_versions', 'app.contents', 'removed_at', 'removed', 'content', null);

insert into private.judged_types ("type", "finder", "relation", "hidden_at", "verb", "lock_kind", "counters")
values ('post', 'private.find_post_versions', 'app.posts', 'hidden_at', 'hidden', 'post', null);

insert into private.judged_types ("type", "finder", "relation", "hidden_at", "verb", "lock_kind", "counters")
values ('problem', 'private.find_content_versions', 'app.contents', 'removed_at', 'removed', 'content', null);

insert into private.judged_types ("type", "finder", "relation", "hidden_at", "verb", "lock_kind", "counters")
values ('project', 'private.find_content_versions', 'app.contents', 'removed_at', 'removed', 'content', null);

insert into private.judged_types ("type", "finder", "relation", "hidden_at", "verb", "lock_kind", "counters")
values ('reply', 'private.find_reply_versions', 'app.replies', 'hidden_at', 'hidden', 'post', 'select post_id from app.replies where id = $1');

insert into private.judged_types ("type", "finder", "relation", "hidden_at", "verb", "lock_kind", "counters")
values ('video', 'private.find_content_versions', 'app.contents', 'removed_at', 'removed', 'content', null);
