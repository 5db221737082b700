-- Drafted by `npm run gen` from the difference between the migrations before it and the declared schema.

set local check_function_bodies = off;

DROP VIEW "app"."intent_card";

DROP VIEW "private"."staff_invite_codes";

DROP VIEW "private"."staff_posts";

DROP FUNCTION "private"."untagged"(text);

ALTER TABLE "app"."user_interests" ALTER COLUMN "updated_at" SET DEFAULT clock_timestamp();

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
    -- looks up once for all posts what only few of them have. A separate function reads each of these parts, because a
    -- statement prepares all of its joins, even those that it does not run
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
            -- an array, because the index returns its elements in order, and string_agg would sort
            || ',"emojiBreakdown":{' || array_to_string(array(
                 select '"' || e.emotion || '":{"count":' || e.payments || ',"total":' || e.mana || '}'
                 from app.post_emotions e where e.post_id = p.id and e.payments > 0 order by e.emotion), ',') || '}')
        || (',' || g.fields || ',"boostScore":' || g.boost
            || ',"boostExpiresAt":' || coalesce('"' || private.utc(g.boost_expires_at) || '"', 'null')
            || ',"scheduledEmittedAt":'
            || coalesce('"' || private.utc(p.scheduled_emitted_at) || '"', 'null')) as text
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

CREATE OR REPLACE FUNCTION private.excerpt(p_body text, p_highlight tsquery)
 RETURNS text
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_body    text := coalesce(left(p_body, 5000), '');
  v_from    integer := 1;
  v_part    text;
  v_excerpt text;
  v_first   text;
begin
  -- the time of ts_headline grows with the square of the text, so it gets one piece at a time until there is a hit
  loop
    v_part := private.parsable(substr(v_body, v_from, 600));
    if v_from > 1 then
      v_part := regexp_replace(v_part, '^\S+\s', '');
    end if;
    if v_from + 600 <= length(v_body) then
      v_part := regexp_replace(v_part, '\s\S+$', '');
    end if;
    -- hits are marked by characters that no text contains, because the text around them is not yet HTML
    v_excerpt := ts_headline('private.search', v_part, p_highlight,
      e'StartSel=\u0002, StopSel=\u0003, MaxFragments=2, MaxWords=30, MinWords=10, ShortWord=0, '
      'FragmentDelimiter=" … "');
    v_first := coalesce(v_first, v_excerpt);
    exit when strpos(v_excerpt, e'\u0002') > 0;
    v_excerpt := v_first;
    v_from := v_from + 500;   -- pieces overlap, because a phrase may cross a border
    exit when v_from + 100 > length(v_body);
  end loop;
  return replace(replace(replace(replace(replace(private.swap_punctuation(v_excerpt, true),
    '&', '&amp;'), e'\u0004', '&lt;'), e'\u0005', '&gt;'), e'\u0002', '<mark>'), e'\u0003', '</mark>');
end $function$;

CREATE OR REPLACE FUNCTION private.index_again(p_job jsonb, p_after uuid DEFAULT NULL::uuid)
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
  v_ids uuid[] := array(
    select id from private.search_documents
    where type = p_job ->> 'type' and id > coalesce(p_after, '00000000-0000-0000-0000-000000000000')
    order by id limit 50);
begin
  perform private.index_for_search(p_job ->> 'type', v_ids);
  return json_build_object('changed', cardinality(v_ids), 'next', v_ids[50]);
end $function$;

ALTER FUNCTION "private"."index_again"(jsonb, uuid) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.index_for_search(p_type text, p_ids uuid[])
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
  v_id       uuid;
  v_text     private.search_text;
  v_document private.search_documents;
  v_new      private.search_documents;
  v_kept     text[];
begin
  perform private.check_lock_order('search document');
  for v_id in select distinct u.id from unnest(p_ids) u (id) order by u.id loop
    insert into private.search_documents (type, id) values (p_type, v_id) on conflict (type, id) do nothing;
    select * into v_document from private.search_documents where type = p_type and id = v_id for update;
    -- read after the lock, so that a call that waited sees the latest state. All columns are null if the thing does
    -- not exist
    execute format('select t.* from %s($1) t', (select t.texts from private.search_types t where t.type = p_type))
    into v_text using array[v_id];
    v_new := v_document;
    v_new.author_id := coalesce(v_text.author, v_document.author_id);
    v_new.scope := case when not v_document.hidden then v_text.scope end;
    v_new.words := private.search_vector(v_text.title, v_text.body);
    v_new.ranked := private.ranked_words(v_new.words);
    v_new.interests := coalesce(v_text.interests, '{}');
    v_new.gone_at := case when v_text.id is null then coalesce(v_document.gone_at, now()) end;
    continue when v_new is not distinct from v_document;
    update private.search_documents
    set author_id = v_new.author_id, scope = v_new.scope, words = v_new.words, ranked = v_new.ranked,
        interests = v_new.interests, gone_at = v_new.gone_at
    where number = v_document.number;
    v_kept := case when v_new.scope = v_document.scope
                   then array(select unnest(tsvector_to_array(v_document.words))
                              intersect select unnest(tsvector_to_array(v_new.words)))
                   else '{}' end;
    delete from private.search_words w
    where w.scope = v_document.scope and w.number = v_document.number
      and w.word = any (array(select unnest(tsvector_to_array(v_document.words)) except select unnest(v_kept)));
    insert into private.search_words (scope, word, number)
    select v_new.scope, l.word, v_document.number
    from (select unnest(tsvector_to_array(v_new.words)) as word except select unnest(v_kept)) l
    where v_new.scope is not null;
  end loop;
end $function$;

CREATE OR REPLACE FUNCTION private.log_events()
 RETURNS integer
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
  v_ids bigint[];
begin
  if not exists (select from private.unlogged_events)
     or not pg_try_advisory_xact_lock(hashtextextended('event log', 0)) then
    return 0;
  end if;
  -- The lowest ids that are visible: if an event depends on another, the other was committed before, with a lower id.
  v_ids := array(select u.event_id from private.unlogged_events u order by u.event_id limit 500);
  insert into private.event_log (event, subject, subject_key, payload, people, happened_at)
  select e.name,
         json_build_object('type', o.subject_type, 'id', p.payload -> o.subject_field),
         o.subject_type || ':' || (e.payload ->> o.subject_field),
         p.payload, w.people, e.created_at
  from app.domain_events e
  join private.outbound_events o on o.event = e.name
  cross join lateral (
    select array(select (e.payload ->> f.name)::uuid from unnest(o.people) f (name)
                 where e.payload ->> f.name is not null) as people
  ) w
  cross join lateral (
    select coalesce(json_object_agg(f.name, case
             when f.name = any (o.people) then to_json(private.actor_id(u.username, private.domain()))
             else (e.payload -> f.name)::json end order by f.place), '{}') as payload
    from unnest(o.fields || o.people) with ordinality f (name, place)
    -- the case keeps other fields, such as a level, from being read as ids
    left join app.users u on u.id = case when f.name = any (o.people) then (e.payload ->> f.name)::uuid end
  ) p
  where e.id = any (v_ids)
    -- nothing is written about an erased person
    and not exists (select from app.users u where u.id = any (w.people) and u.erased_at is not null)
  order by e.id;
  delete from private.unlogged_events u where u.event_id = any (v_ids);
  return cardinality(v_ids);
end $function$;

CREATE OR REPLACE PROCEDURE private.make_batch_queue(IN p_queue text, IN p_batch text)
 LANGUAGE plpgsql
 SET search_path TO ''
AS $procedure$
begin
  -- retries after about 5, 10, 20, 40 and 80 seconds; a waiting job is kept for a day, and a done one too. The worker
  -- sends heartbeats (api-facade/worker/polling.ts)
  perform pgboss.create_queue(p_queue, '{"policy": "standard", "deadLetter": "dead-letters", "retryLimit": 5,
    "retryDelay": 5, "retryBackoff": true, "expireInSeconds": 600, "retentionSeconds": 86400,
    "deleteAfterSeconds": 86400, "heartbeatSeconds": 10}');
  insert into private.batch_queues (queue, batch) values (p_queue, p_batch);
end $procedure$;

CREATE OR REPLACE FUNCTION private.match_interests(p_session uuid)
 RETURNS TABLE(interest_id uuid, confidence numeric)
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_words tsvector;
  v_said  jsonb;
  v_query tsquery;
begin
  -- a word of the topic counts as if said twice; a tsvector has one position of a word for each time it was said
  v_words := (select to_tsvector('pg_catalog.english', private.parsable(s.topic || ' ' || s.topic))
                     || to_tsvector('pg_catalog.english', private.parsable(
                          (select string_agg(t.answer, ' ') from app.ai_turns t where t.session_id = s.id)))
              from app.ai_sessions s where s.id = p_session);
  v_query := (select string_agg(quote_literal(w.lexeme), ' | ')
              from (select u.lexeme from unnest(v_words) u
                    order by cardinality(u.positions) desc, u.lexeme limit 300) w);
  -- a lookup by key in an object is faster than a join, which would compare every pair of words
  v_said := (select jsonb_object_agg(u.lexeme, 1 - 0.5 ^ cardinality(u.positions)) from unnest(v_words) u);
  return query
    select m.id, round(avg(coalesce((v_said -> n.lexeme)::numeric, 0)), 2)
    from (select i.id, to_tsvector('pg_catalog.english', private.parsable(i.name)) as words from app.interests i
          where to_tsvector('pg_catalog.english', private.parsable(i.name)) @@ v_query limit 200) m
    cross join lateral unnest(m.words) n (lexeme)
    group by m.id;
end $function$;

CREATE OR REPLACE FUNCTION private.parsable(p_text text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  return translate(case when octet_length(p_text) = length(p_text) then p_text
                        else private.swap_punctuation(coalesce(p_text, ''), false) end,
                   e'<>\u00a0\u202f\u2010\u2011', e'\u0004\u0005  --');
end $function$;

ALTER FUNCTION "private"."parsable"(text) OWNER TO "postgres";

CREATE OR REPLACE FUNCTION private.read_query(p_q text, p_interests uuid[])
 RETURNS private.search_query
 LANGUAGE plpgsql
 STABLE
 SET search_path TO ''
AS $function$
declare
  v_query private.search_query;
  v_part  text[];
  v_text  text;
  v_one   tsquery;
  v_many  integer;
  v_all   integer := 0;
  v_highlight integer := 0;
begin
  v_query.interests := p_interests;
  for v_part in select regexp_matches(left(p_q, 200), '(-?)(?:"([^"]*)"|(\S+))', 'g') loop
    v_text := coalesce(v_part[2], v_part[3]);
    v_one := phraseto_tsquery('private.search', private.parsable(v_text));
    v_many := (numnode(v_one) + 1) / 2;   -- numnode also counts the operators, one between every two words
    continue when v_many = 0;
    v_all := v_all + v_many;
    if v_part[1] = '-' then
      v_query.without := case when v_query.without is null then v_one else v_query.without || v_one end;
    else
      v_query.query := case when v_query.query is null then v_one else v_query.query && v_one end;
      v_query.words := v_query.words || tsvector_to_array(to_tsvector('private.search', private.parsable(v_text)));
      v_query.said := concat_ws(' ', v_query.said, v_text);
      if v_highlight + v_many <= 8 then
        v_highlight := v_highlight + v_many;
        v_query.highlight := case when v_query.highlight is null then v_one else v_query.highlight || v_one end;
      end if;
    end if;
  end loop;
  if v_all > 32 then
    perform private.raise_error('search_words');
  end if;
  -- the longest words are usually the rarest
  v_query.words := array(select w.word from (select distinct unnest(v_query.words) as word) w
                         order by length(w.word) desc, w.word limit 4);
  v_query.ranking := (select string_agg(private.quoted_word(w), ' & ') from unnest(v_query.words) w)::tsquery;
  v_query.highlight := coalesce(v_query.highlight, v_query.ranking);
  return v_query;
end $function$;

CREATE OR REPLACE FUNCTION private.searchable(p_text text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
begin
  -- a word in a tsvector can have at most 2046 bytes, and unaccent makes up to 5 bytes of one character ("½" becomes
  -- " 1/2"). Postgres does not check the result: reading a word that is too long crashes the server
  return regexp_replace(private.parsable(p_text), '(\S{200})', '\1 ', 'g');
end $function$;

CREATE OR REPLACE FUNCTION private.swap_punctuation(p_text text, p_back boolean)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
 SET search_path TO ''
AS $function$
declare
  v_signs  constant text := e'\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb\u2039\u203a\u2013\u2014\u2015\u2026'
    '\u00b7\u2022\u00a1\u00bf\u060c\u061f\u061b\u3001\u3002';
  v_instead constant text := e'\u0001\u0006\u0007\u0008\u000e\u000f\u0010\u0011\u0012\u0013\u0014\u0015\u0016\u0017'
    '\u0018\u0019\u001a\u001b\u001c\u001d\u001e\u001f\u007f';
begin
  return case when p_back then translate(p_text, v_instead, v_signs) else translate(p_text, v_signs, v_instead) end;
end $function$;

ALTER FUNCTION "private"."swap_punctuation"(text, boolean) OWNER TO "postgres";

drop index app.interests_words_idx;
create index interests_words_idx on app.interests
  using gin (to_tsvector('pg_catalog.english', private.parsable(name)));

CREATE VIEW "app"."intent_card" WITH (security_invoker=true) AS  SELECT i.user_id,
    json_build_object('userId', person.actor_id, 'intent', i.intent, 'note', i.note, 'isActive', i.is_active, 'createdAt', private.utc(i.created_at), 'updatedAt', private.utc(i.updated_at)) AS card
   FROM (app.connection_intents i
     JOIN app.person_card person ON ((person.id = i.user_id)));

ALTER VIEW "app"."intent_card" OWNER TO "postgres";

CREATE VIEW "private"."staff_invite_codes" WITH (security_invoker=true) AS  SELECT c.created_at AS at,
    c.id,
    private.invite_status(c.*) AS status,
    c.generated_by,
    concat_ws(' '::text, c.code, u.username) AS said,
    json_build_object('id', c.id, 'code', c.code, 'status', private.invite_status(c.*), 'ownerId', c.generated_by, 'owner', owner.card, 'reservedUntil',
        CASE
            WHEN (private.invite_status(c.*) = 'reserved'::text) THEN private.utc(c.reserved_until)
            ELSE NULL::text
        END, 'usedById', c.used_by, 'usedBy', redeemer.card, 'usedAt', private.utc(c.used_at), 'expiresAt', private.utc(c.expires_at), 'createdAt', private.utc(c.created_at)) AS card
   FROM (((app.invite_codes c
     JOIN app.users u ON ((u.id = c.generated_by)))
     JOIN app.person_card owner ON ((owner.id = c.generated_by)))
     LEFT JOIN app.person_card redeemer ON ((redeemer.id = c.used_by)));

ALTER VIEW "private"."staff_invite_codes" OWNER TO "postgres";

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
        END, 'publishAt', private.utc(p.publish_at), 'publishedAt', private.utc(p.published_at), 'scheduledEmittedAt', private.utc(p.scheduled_emitted_at), 'editedAt', private.utc(p.edited_at), 'hiddenAt', private.utc(p.hidden_at), 'deletedAt', private.utc(p.deleted_at), 'createdAt', private.utc(p.created_at)) AS card
   FROM ((app.posts p
     JOIN app.person_card author ON ((author.id = p.author_id)))
     LEFT JOIN app.spaces space ON ((space.id = p.space_id)));

ALTER VIEW "private"."staff_posts" OWNER TO "postgres";

COMMENT ON FUNCTION "private"."index_again"(jsonb, uuid) IS 'For the worker alone: indexes the next 50 documents of a {type} after p_after again. A migration that changes how texts are split into words queues this for each type. Returns {changed, next}; next is null at the end.';

COMMENT ON FUNCTION "private"."parsable"(text) IS 'A text in which the parser finds every word. It skips everything that looks like a tag, and in a database whose ctype is C it takes all characters beyond ASCII for letters, also typographic quotes. So < and > and the usual punctuation beyond ASCII is replaced by characters that no text contains, and such spaces and hyphens by those of ASCII. Each is replaced by one character.';

COMMENT ON FUNCTION "private"."searchable"(text) IS 'Prepares a text for the parser of words: see private.parsable. Words of more than 200 characters are cut into pieces.';

COMMENT ON FUNCTION "private"."swap_punctuation"(text, boolean) IS 'Replaces quotes, dashes and other punctuation beyond ASCII by characters that no text contains, or back.';

COMMENT ON VIEW "app"."intent_card" IS 'An intent as its owner sees it: {userId, intent, note, isActive, createdAt, updatedAt}. userId is the actor id.';

COMMENT ON VIEW "private"."staff_invite_codes" IS 'Invite codes as staff sees them, with their owners and the people who used them.';

COMMENT ON VIEW "private"."staff_posts" IS 'Posts as staff sees them, including hidden, scheduled and deleted ones.';

REVOKE ALL ON FUNCTION "private"."index_again"(jsonb, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."index_again"(jsonb, uuid) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."index_again"(jsonb, uuid) TO "postgres";

GRANT EXECUTE ON FUNCTION "private"."index_again"(jsonb, uuid) TO "worker";

REVOKE ALL ON FUNCTION "private"."parsable"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."parsable"(text) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."parsable"(text) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."parsable"(text) TO "postgres";

REVOKE ALL ON FUNCTION "private"."swap_punctuation"(text, boolean) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."swap_punctuation"(text, boolean) TO "authenticated";

REVOKE ALL ON FUNCTION "private"."swap_punctuation"(text, boolean) FROM "postgres";

GRANT EXECUTE ON FUNCTION "private"."swap_punctuation"(text, boolean) TO "postgres";

GRANT SELECT ON TABLE "app"."intent_card" TO "authenticated";

REVOKE ALL ON TABLE "app"."intent_card" FROM "postgres";

GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON TABLE "app"."intent_card" TO "postgres";

GRANT DELETE, INSERT, SELECT, UPDATE ON TABLE "app"."intent_card" TO "service_role";

call private.make_batch_queue('documents-again', 'private.index_again');

-- Workers of the previous release set these when they started. Those of this release leave them to make_batch_queue.
update pgboss.queue q
set dead_letter = n.dead_letter, retry_limit = n.retry_limit, retry_delay = n.retry_delay,
    retry_backoff = n.retry_backoff, expire_seconds = n.expire_seconds, retention_seconds = n.retention_seconds,
    deletion_seconds = n.deletion_seconds, heartbeat_seconds = n.heartbeat_seconds
from pgboss.queue n
where n.name = 'documents-again' and q.name in (select b.queue from private.batch_queues b);

-- Texts were split into other words before: private.parsable.
select private.enqueue('documents-again', json_build_object('type', t.type))
from private.search_types t
where exists (select from private.search_documents d where d.type = t.type);
