-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP FUNCTION "private"."card_texts"(uuid[]);

DROP FUNCTION "private"."post_engagement_fields"(uuid[]);

CREATE TYPE "app"."card_text" AS ("text" text, "quoted_id" uuid);

ALTER TYPE "app"."card_text" OWNER TO "postgres";

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

CREATE INDEX post_interests_further_idx ON app.post_interests USING btree (post_id) WHERE (NOT is_primary);

COMMENT ON FUNCTION "private"."card_texts"(uuid[]) IS 'The cards of these posts, in order; null for a post that the caller does not see.';

COMMENT ON FUNCTION "private"."interest_list"(uuid) IS 'The interests of a post, the primary one first, as the text of JSON: [{id, slug, name, accentColor, isPrimary}]. Null if it has none.';

COMMENT ON FUNCTION "private"."person_rest"(uuid, text, text, text, text) IS 'The end of a person''s card: the fields that depend only on these columns, as JSON that begins with a comma. After changing this function, rewrite the column app.users.card_rest.';

COMMENT ON FUNCTION "private"."persona_text"(uuid, text, text, text) IS 'A persona as the cards of posts have it: {id, name, accent, profilePicUrl}, as the text of JSON. After changing this function, rewrite the column app.personas.card_text.';

COMMENT ON FUNCTION "private"."poll_text"(uuid) IS 'The poll of a post, as the text of its card; null if it has none.';

COMMENT ON FUNCTION "private"."series_list"(uuid) IS 'The series that contain a post, as the text of JSON: [{id, title}]. Null if there are none.';

COMMENT ON INDEX "app"."post_interests_further_idx" IS 'Which posts of a page have more than their primary interest: private.card_texts.';

COMMENT ON TYPE "app"."card_text" IS 'A card as JSON without quotedPostId, quotedPost and the closing brace; and what the post quotes.';

COMMENT ON VIEW "private"."engagement_fields" IS 'What changes with engagement in the cards of posts. fields has the fields counters and viewer of a JSON object. For definer functions that check whether the caller sees the post.';

REVOKE ALL ON FUNCTION "private"."card_texts"(uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."card_texts"(uuid[]) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."card_texts"(uuid[]) TO "postgres";

REVOKE ALL ON FUNCTION "private"."interest_list"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."interest_list"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."interest_list"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."person_rest"(uuid, text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."person_rest"(uuid, text, text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."person_rest"(uuid, text, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."person_rest"(uuid, text, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."persona_text"(uuid, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."persona_text"(uuid, text, text, text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."persona_text"(uuid, text, text, text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."persona_text"(uuid, text, text, text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."poll_text"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."poll_text"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."poll_text"(uuid) TO "postgres";

REVOKE ALL ON FUNCTION "private"."series_list"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."series_list"(uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."series_list"(uuid) TO "postgres";

ALTER TABLE "app"."personas" ADD COLUMN "card_text" text GENERATED ALWAYS AS (private.persona_text(id, name, accent, profile_pic_url)) STORED NOT NULL;

COMMENT ON COLUMN "app"."personas"."card_text" IS 'The persona in cards of posts. It is computed when the row changes, not at every read: private.persona_text.';

ALTER TABLE "app"."users" ADD COLUMN "card_rest" text GENERATED ALWAYS AS (private.person_rest(person_id, username, first_name, last_name, profile_pic_url)) STORED NOT NULL;

CREATE OR REPLACE VIEW "app"."person_card" WITH (security_invoker=true) AS  SELECT u.id,
    (c.text)::json AS card,
    c.text,
    n.actor_id
   FROM ((app.users u
     CROSS JOIN LATERAL ( SELECT private.actor_id(u.username, ( SELECT instance.domain
                   FROM private.instance)) AS actor_id
         OFFSET 0) n)
     CROSS JOIN LATERAL ( SELECT ((((('{"id":"'::text || n.actor_id) || '","actorId":"'::text) || n.actor_id) || '"'::text) || u.card_rest) AS text) c);

COMMENT ON COLUMN "app"."users"."card_rest" IS 'The end of the card. It is computed when the row changes, not at every read: private.person_rest.';

REVOKE ALL ("card_rest") ON TABLE "app"."users" FROM "authenticated";

GRANT SELECT ("card_rest") ON TABLE "app"."users" TO "authenticated";

update private.personal_data set "omits" = '{card_text}'
where "relation"::text = 'app.personas' and "person_column"::text = 'user_id'
  and "omits"::text = '{}';

update private.personal_data set "omits" = '{card_rest}'
where "relation"::text = 'app.users' and "person_column"::text = 'id'
  and "omits"::text = '{}';
