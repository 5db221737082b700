-- Interests that a session suggests. They are found by the words of their names, and by a model. Only interests in the
-- catalog are returned. docs/decisions.md, AI.

-- this index has only the words of the names, so a change of user_count does not write to it. A migration that changes
-- what private.parsable returns builds the index again
create index interests_words_idx on app.interests
  using gin (to_tsvector('pg_catalog.english', private.parsable(name)));

create function private.match_interests(p_session uuid) returns table (interest_id uuid, confidence numeric)
language plpgsql stable   -- runs as the invoker, so that row-level security applies
set search_path = ''
as $$
declare
  v_words tsvector;
  v_said  jsonb;
  v_query tsquery;
begin
  -- a word of the topic counts twice; a tsvector has one position for each occurrence of a word
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
end $$;
comment on function private.match_interests is
  'Returns interests whose names share words with a session of the caller, each with a confidence from 0 to 1. The '
  'confidence depends on how many words of the name occur in the session, and how often. At most 300 words and 200 '
  'interests are considered.';

create function api.find_ai_mapping(p_session_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return (
    select json_build_object(
      'topic', s.topic,
      'answers', (select coalesce(json_agg(t.answer order by t.position) filter (where t.answer is not null), '[]')
                  from app.ai_turns t where t.session_id = s.id),
      'interests', (
        select json_agg(json_build_object('slug', c.slug, 'name', c.name))
        from (select i.slug, i.name
              from app.interests i
              left join private.match_interests(s.id) m on m.interest_id = i.id
              order by m.confidence desc nulls last, i.level, i.user_count desc, i.slug limit 150) c))
    from app.ai_sessions s where s.id = private.require_ai_session(p_session_id));
end $$;
comment on function api.find_ai_mapping is
  'What a model needs to map a session: {topic, answers, interests: [{slug, name}]}. interests has the 150 that match '
  'best by words, then by level and by how many people chose them.';

create function api.map_ai_interests(
  p_session_id uuid, p_found jsonb default null, p_fallback boolean default false
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_session uuid := private.require_ai_session(p_session_id);
begin
  return json_build_object(
    'backend', case when p_found is null then 'scripted' else 'llm' end,
    'fallback', p_fallback,
    'suggestions', (
    select coalesce(json_agg(json_build_object('id', i.id, 'slug', i.slug, 'name', i.name, 'confidence', c.confidence)
                             order by c.confidence desc, i.slug), '[]')
    from (select b.interest_id, max(b.confidence) as confidence
          from (select m.interest_id, m.confidence from private.match_interests(v_session) m
                union all
                select e.id, round(least(greatest(f.confidence, 0), 1), 2)
                from (select r.slug, r.confidence
                      from jsonb_to_recordset(p_found) as r (slug text, confidence numeric) limit 50) f
                join app.interests e on e.slug = f.slug) b
          where b.confidence >= 0.25
          group by b.interest_id
          order by max(b.confidence) desc, b.interest_id limit 10) c
    join app.interests i on i.id = c.interest_id));
end $$;
comment on function api.map_ai_interests is
  'Returns up to 10 interests that a session suggests, {backend, fallback, suggestions: [{id, slug, name, '
  'confidence}]}, highest confidence first. They are found by words and by a model (p_found: [{slug, confidence}]); '
  'slugs that are not in the catalog are ignored. p_fallback says whether a model was asked but failed.';

create function api.apply_ai_suggestions(p_session_id uuid, p_ids uuid[]) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_new jsonb;
begin
  perform private.require_ai_session(p_session_id);
  if cardinality(p_ids) > 50 then
    perform private.raise_error('value_invalid');
  end if;
  -- as in api.select_interests, interests that the caller has chosen meanwhile keep their depth
  perform private.lock('choices', app.uid()::text);
  v_new := (select jsonb_agg(jsonb_build_object('interestId', p.id, 'depth', 1, 'expertise', 1) order by p.place)
            from unnest(p_ids) with ordinality as p (id, place)
            where not exists (select from app.user_interests u where u.user_id = app.uid() and u.interest_id = p.id));
  if v_new is null then
    return api.list_my_interests();
  end if;
  return api.select_interests(v_new);
end $$;
comment on function api.apply_ai_suggestions is
  'Chooses interests with depth and expertise 1, as api.select_interests does. Interests that are already chosen do '
  'not change. Returns all interests that are then chosen, {items}. Fails: value_invalid (more than 50).';
