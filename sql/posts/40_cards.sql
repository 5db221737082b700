-- The cards of posts. Cards are concatenated as text, because Postgres would parse json again at each step, which
-- costs as much as building it.

create function private.post_engagement_fields(p_ids uuid[]) returns text[]
language plpgsql stable security definer   -- its callers check which of these posts the caller sees
set search_path = ''
as $$
declare
  v_me uuid := app.uid();
begin
  return array(
    -- looks up once for all posts what only few of them have
    with mine as materialized (
      select array(select r.post_id from app.reactions r
                   where r.post_id = any (p_ids) and r.user_id = v_me and r.kind = 'heart') as hearts,
             array(select r.post_id from app.reactions r
                   where r.post_id = any (p_ids) and r.user_id = v_me and r.kind = 'spark') as sparks,
             array(select b.post_id from app.bookmarks b
                   where b.post_id = any (p_ids) and b.user_id = v_me) as bookmarked,
             array(select r.quoted_post_id from app.posts r
                   where r.author_id = v_me and r.quoted_post_id = any (p_ids)
                     and r.format = 'repost' and r.deleted_at is null) as reposted,
             -- a subquery, because with a join the planner could start with every vote of the caller
             array(select l.post_id from app.polls l
                   where l.post_id = any (p_ids)
                     and (select true from app.poll_votes v
                          where v.poll_id = l.id and v.user_id = v_me limit 1)) as voted
    )
    select '"counters":{"reactions":' || c.reactions || ',"replies":' || c.replies || ',"shares":' || c.shares
           || ',"bookmarks":' || c.bookmarks || ',"views":' || c.views
           || '},"viewer":{"reactions":['
           || concat_ws(',', case when w.id = any (m.hearts) then '"heart"' end,
                             case when w.id = any (m.sparks) then '"spark"' end)
           || '],"bookmarked":' || (w.id = any (m.bookmarked))
           || ',"reposted":' || (w.id = any (m.reposted))
           || ',"voted":' || (w.id = any (m.voted)) || '}'
    from mine m
    cross join unnest(p_ids) with ordinality as w (id, place)
    left join app.post_counters c on c.post_id = w.id
    order by w.place);
end $$;
comment on function private.post_engagement_fields is
  'The parts of these posts'' cards that change with engagement, in order: for each post the fields counters and '
  'viewer of a JSON object; null if a post does not exist.';
call private.force_index_scans('private.post_engagement_fields');

create function private.require_engagement_card(p_post uuid) returns json
language plpgsql stable security definer   -- checks once whether the post is visible
set search_path = ''
as $$
begin
  perform from private.visible_posts where id = p_post;
  if not found then
    perform private.raise_error('post_unknown');   -- the post was hidden from the caller in the meantime
  end if;
  return ('{' || (private.post_engagement_fields(array[p_post]))[1] || '}')::json;
end $$;
comment on function private.require_engagement_card is
  'The parts of a post''s card that engagement changes: {counters, viewer}.';
call private.force_index_scans('private.require_engagement_card');

create function private.count_fitting_posts(p_ids uuid[], p_limit integer) returns integer
language plpgsql stable security definer   -- its callers pass posts that the caller sees
set search_path = ''
as $$
begin
  return private.count_fitting(array(
    select coalesce(octet_length(p.body), 0) + coalesce(octet_length(q.body), 0)
    from unnest(p_ids) with ordinality as i (id, place)
    left join app.posts p on p.id = i.id
    left join app.posts q on q.id = p.quoted_post_id
    order by i.place), p_limit);
end $$;
comment on function private.count_fitting_posts is
  'How many of these posts fit on a page of p_limit, including what they quote: private.count_fitting.';
call private.force_index_scans('private.count_fitting_posts');

create function private.card_texts(p_ids uuid[]) returns text[]
language plpgsql stable security definer   -- checks once whether a post is visible, not once for each part of its card
set search_path = ''
as $$
declare
  v_engagement text[] := private.post_engagement_fields(p_ids);
begin
  return array(
    -- looks up once for all posts what only few of them have
    with rare as materialized (
      select array(select l.post_id from app.polls l where l.post_id = any (p_ids)) as poll,
             array(select i.post_id from app.post_interests i where i.post_id = any (p_ids) and not i.is_primary)
               as interests,
             array(select e.post_id from app.post_emotions e where e.post_id = any (p_ids)) as emotions,
             array(select si.post_id from app.series_items si where si.post_id = any (p_ids)) as series,
             array(select ca.post_id from app.post_co_authors ca where ca.post_id = any (p_ids)) as co_authors
    )
    select t.text
    from rare
    cross join unnest(p_ids) with ordinality as w (id, place)
    left join lateral (
      select
        (p.card_start || ',"body":' || to_json(p.body)::text
         || ',"groupId":' || coalesce(case when space.kind = 'group' then '"' || space.id || '"' end, 'null')
         || ',"guildId":' || coalesce(case when space.kind = 'guild' then '"' || space.id || '"' end, 'null')
         || ',"spaceName":' || coalesce(to_json(space.name)::text, 'null'))
        || (',"authorId":"' || author.actor_id || '","author":' || author.text
            || ',"personaId":' || coalesce('"' || persona.id || '"', 'null') || ',"persona":' || row_to_json(s)::text
            || ',"coAuthors":' || case when p.id = any (rare.co_authors)
                 then private.co_author_list(p.id)::text else '[]' end)
        || (',"interests":' || case when p.id = any (rare.interests) then (
                 select '[' || string_agg(i.card_start || ',"isPrimary":' || pi.is_primary || '}', ','
                                          order by pi.is_primary desc, i.name) || ']'
                 from app.post_interests pi join app.interests i on i.id = pi.interest_id where pi.post_id = p.id)
               else coalesce('[' || interest.card_start || ',"isPrimary":true}]', '[]') end
            || ',"series":' || coalesce(case when p.id = any (rare.series) then (
                 select json_agg(json_build_object('id', s.id, 'title', s.title) order by s.created_at, s.id)::text
                 from app.series_items si join app.series s on s.id = si.series_id
                 where si.post_id = p.id) end, '[]')
            || ',"poll":' || coalesce(case when p.id = any (rare.poll) then (
                 select l.card::text from app.poll_card l where l.post_id = p.id) end, 'null')
            || ',"emojiBreakdown":' || coalesce(case when p.id = any (rare.emotions) then (
                 select '{' || string_agg('"' || e.emotion || '":{"count":' || e.payments || ',"total":' || e.mana
                                          || '}', ',' order by e.emotion) || '}'
                 from app.post_emotions e where e.post_id = p.id and e.payments > 0) end, '{}'))
        || (',' || v_engagement[w.place] || ',"boostScore":' || c.boost
            || ',"boostExpiresAt":' || coalesce('"' || private.utc(c.boost_expires_at) || '"', 'null')) as text
      from private.visible_posts p
      join app.post_counters c on c.post_id = p.id
      join app.person_card author on author.id = p.author_id
      left join app.interests interest on interest.id = p.interest_id
      left join app.spaces space on space.id = p.space_id
      left join app.personas persona on persona.user_id = p.author_id
        and case when p.persona_id is null then persona.is_default else persona.id = p.persona_id end
      cross join lateral (
        select persona.id, persona.name, persona.accent, persona.profile_pic_url as "profilePicUrl") s
      where p.id = w.id) t on true
    order by w.place);
end $$;
comment on function private.card_texts is
  'The cards of these posts without what they quote, in order: each as JSON without the closing brace; null if the '
  'caller does not see the post.';
call private.force_index_scans('private.card_texts');

create function private.post_cards(p_ids uuid[], p_more text[] default null) returns text
language plpgsql stable security definer   -- finds the quoted posts regardless of who may see them
set search_path = ''
as $$
declare
  v_quoted uuid[] := array(
    select p.quoted_post_id from unnest(p_ids) with ordinality as w (id, place) left join app.posts p on p.id = w.id
    order by w.place);
  v_texts  text[];
begin
  if array_remove(v_quoted, null) = '{}' then
    v_texts := private.card_texts(p_ids);
  else
    v_texts := private.card_texts(p_ids || v_quoted);
  end if;
  return (
    select coalesce('[' || string_agg(
             w.text || coalesce(',"quotedPostId":"' || q.id || '","quotedPost":' || q.text || '}',
                                ',"quotedPostId":null,"quotedPost":null')
                    || coalesce(p_more[w.place], '') || '}', ',' order by w.place) || ']', '[]')
    from unnest(v_texts[:cardinality(p_ids)]) with ordinality as w (text, place)
    left join lateral (
      select v_quoted[w.place] as id, v_texts[cardinality(p_ids) + w.place] as text
      where v_quoted[w.place] is not null) q on true
    where w.text is not null);
end $$;
comment on function private.post_cards is
  'The cards of these posts that the caller sees, in order, as the text of a JSON array. Each card contains what the '
  'post quotes as {quotedPostId, quotedPost}, null if the caller may not see it. p_more has further fields for each '
  'post, as text that begins with a comma.';
call private.force_index_scans('private.post_cards');

create function private.post_card(p_id uuid, p_more text default null) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return nullif(left(substr(private.post_cards(array[p_id], array[p_more]), 2), -1), '')::json;
end $$;
comment on function private.post_card is
  'The card of one post; null if the caller does not see it: private.post_cards.';
