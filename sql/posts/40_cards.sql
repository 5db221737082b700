-- The cards of posts. Cards are concatenated as text, because Postgres would parse json again at each step, which
-- costs as much as building it.

create view private.engagement_fields with (security_invoker) as
select c.post_id,
       '"counters":{"reactions":' || c.reactions || ',"replies":' || c.replies || ',"shares":' || c.shares
       || ',"bookmarks":' || c.bookmarks || ',"views":' || c.views
       || '},"viewer":{"reactions":['
       || array_to_string(array(
            select '"' || r.kind || '"' from app.reactions r
            where r.post_id = c.post_id and r.user_id = (select app.uid()) order by r.kind), ',')
       || '],"bookmarked":' || (c.bookmarks > 0 and (
            select true from app.bookmarks b where b.post_id = c.post_id and b.user_id = (select app.uid())) is true)
       || ',"reposted":' || ((
            select true from app.posts r
            where r.author_id = (select app.uid()) and r.quoted_post_id = c.post_id
              and r.format = 'repost' and r.deleted_at is null) is true)
       || ',"voted":' || ((
            select true from app.polls l join app.poll_votes v on v.poll_id = l.id
            where l.post_id = c.post_id and v.user_id = (select app.uid())) is true) || '}' as fields,
       c.boost, c.boost_expires_at
from app.post_counters c;
comment on view private.engagement_fields is
  'The parts of a post''s card that engagement changes. fields has the fields counters and viewer of a JSON object. '
  'The view is for definer functions, which must check that the caller sees the post.';

create function private.require_engagement_card(p_post uuid) returns json
language plpgsql stable security definer   -- checks only once whether the post is visible
set search_path = ''
as $$
begin
  perform from private.visible_posts where id = p_post;
  if not found then
    perform private.raise_error('post_unknown');   -- the post was hidden from the caller in the meantime
  end if;
  return (select ('{' || e.fields || '}')::json from private.engagement_fields e where e.post_id = p_post);
end $$;
comment on function private.require_engagement_card is
  'The parts of a post''s card that engagement changes: {counters, viewer}.';
call private.force_index_scans('private.require_engagement_card');

create function private.count_fitting_posts(p_ids uuid[], p_limit integer) returns integer
language plpgsql stable security definer   -- calling functions pass only posts that the caller sees
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
  'The number of these posts that fit on a page of p_limit, including quoted posts (private.count_fitting).';
call private.force_index_scans('private.count_fitting_posts');

create function private.interest_list(p_post uuid) returns text
language plpgsql stable security definer   -- its callers check whether the caller sees the post
set search_path = ''
as $$
begin
  return (
    select '[' || string_agg(i.card_start || ',"isPrimary":' || pi.is_primary || '}', ','
                             order by pi.is_primary desc, i.name) || ']'
    from app.post_interests pi join app.interests i on i.id = pi.interest_id where pi.post_id = p_post);
end $$;
comment on function private.interest_list is
  'The interests of a post, the primary one first, as the text of JSON: [{id, slug, name, accentColor, isPrimary}]. '
  'Null if it has none.';
call private.force_index_scans('private.interest_list');

create function private.series_list(p_post uuid) returns text
language plpgsql stable security definer   -- its callers check whether the caller sees the post
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object('id', s.id, 'title', s.title) order by s.created_at, s.id)::text
    from app.series_items si join app.series s on s.id = si.series_id
    where si.post_id = p_post);
end $$;
comment on function private.series_list is
  'The series that contain a post, as the text of JSON: [{id, title}]. Null if there are none.';
call private.force_index_scans('private.series_list');

create function private.poll_text(p_post uuid) returns text
language plpgsql stable security definer   -- its callers check whether the caller sees the post
set search_path = ''
as $$
begin
  return (select l.card::text from app.poll_card l where l.post_id = p_post);
end $$;
comment on function private.poll_text is 'The poll of a post, as the text of its card; null if the post has none.';
call private.force_index_scans('private.poll_text');

create type app.card_text as (text text, quoted_id uuid);
comment on type app.card_text is
  'text is a card as JSON without quotedPostId, quotedPost and the closing brace; quoted_id is the post that it '
  'quotes.';

create function private.card_texts(p_ids uuid[]) returns app.card_text[]
language plpgsql stable security definer   -- checks the visibility of each post only once
set search_path = ''
as $$
begin
  return array(
    -- look up the rare parts once for all posts. A separate function reads each of these parts, because a statement
    -- prepares all of its joins, even joins that it does not run
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
            -- use an array, because the index returns its elements in order, and string_agg would sort
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
end $$;
comment on function private.card_texts is
  'The cards of these posts, in order; null for a post that the caller does not see.';
call private.force_index_scans('private.card_texts');

create function private.post_cards(p_ids uuid[], p_more text[] default null) returns text
language plpgsql stable security definer   -- finds the quoted posts regardless of who may see them
set search_path = ''
as $$
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
    -- order here, because string_agg would sort the texts
    from (select c.text
                 || coalesce(',"quotedPostId":"' || c.quoted_id || '","quotedPost":'
                             || (v_quoted[array_position(v_ids, c.quoted_id)]).text || '}',
                             ',"quotedPostId":null,"quotedPost":null')
                 || coalesce(p_more[c.place], '') || '}' as text
          from unnest(v_cards) with ordinality as c (text, quoted_id, place)
          where c.text is not null
          order by c.place) o);
end $$;
comment on function private.post_cards is
  'The cards of these posts that the caller sees, in order, as the text of a JSON array. Each card contains the '
  'quoted post as {quotedPostId, quotedPost}, null if the caller may not see it. p_more has further fields for each '
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
  'The card of one post (private.post_cards); null if the caller does not see the post.';
