-- The unified stream has posts and contents of every kind in one list, newest first. docs/decisions.md, Discovery.

create function private.find_stream(
  p_choice app.feed_choice, p_type text, p_country text, p_city text, p_trending boolean, p_from app.place
) returns app.found
language plpgsql stable security definer   -- checks visibility once per post and content: see private.visible_posts
set search_path = ''
as $$
declare
  v_from   timestamptz := p_from.at;   -- plain variables, so that the planner can use the index
  v_before uuid := p_from.id;
  v_country text := upper(left(p_country, 3));   -- a code has two letters
  v_city   text := private.fold_query(p_city);
  v_posts  uuid[] := '{}';
  v_outs   timestamptz[];
  v_others uuid[] := '{}';
  v_ats    timestamptz[];
  v_cut    app.place;
  v_ids    uuid[];
  v_times  timestamptz[];
  v_sieve  app.feed_sieve;
  v_stop   integer;
begin
  if coalesce(p_type, 'post') = 'post' then
    select array_agg(l.id), array_agg(l.at) into v_posts, v_outs
    from (select id, published_at as at from app.posts
          where required_level = 0 and closer_id is null and within_id is null
            and (published_at, id) < (v_from, v_before)
          order by published_at desc, id desc limit 400) l;
    v_cut := (v_outs[400], v_posts[400])::app.place;
  end if;
  if p_type is null then
    select array_agg(l.id), array_agg(l.at) into v_others, v_ats
    from (select id, created_at as at from app.contents
          where required_level = 0 and space_id is null and (created_at, id) < (v_from, v_before)
          order by created_at desc, id desc limit 400) l;
  elsif p_type <> 'post' then
    select array_agg(l.id), array_agg(l.at) into v_others, v_ats
    from (select id, created_at as at from app.contents
          where kind = p_type and required_level = 0 and space_id is null and (created_at, id) < (v_from, v_before)
          order by created_at desc, id desc limit 400) l;
  end if;
  -- if a list was cut off at 400, the page must not go past the last entry of this list, because later entries may be
  -- missing
  if v_ats[400] is not null and (v_cut.at is null or (v_ats[400], v_others[400]) > (v_cut.at, v_cut.id)) then
    v_cut := (v_ats[400], v_others[400])::app.place;
  end if;

  v_posts := private.feed_chosen(p_choice, array(
    select v.id from unnest(v_posts, v_outs) as l (id, at) join private.listed_posts v on v.id = l.id
    where (not p_trending or v.trending_boost > 0)
      and (v_cut.at is null or (l.at, l.id) >= (v_cut.at, v_cut.id))
    order by l.at desc, l.id desc), false);
  select array_agg(m.id), array_agg(m.at) into v_ids, v_times
  from (
    select f.id, f.at
    from (select p.id, p.published_at as at, p.author_id from unnest(v_posts) w (id) join app.posts p on p.id = w.id
          union all
          select c.id, c.created_at, c.author_id
          from unnest(v_others, v_ats) as l (id, at) join private.listed_contents c on c.id = l.id
          where c.required_level = 0 and c.space_id is null and c.author_id <> all (p_choice.muted_people)
            and (p_choice.interests is null or c.interest_id = any (p_choice.interests))
            and (not p_trending or (select n.likes + n.reposts + n.comments > 0 from app.video_counters n
                                    where n.video_id = c.id))
            and (v_cut.at is null or (l.at, l.id) >= (v_cut.at, v_cut.id))) f
    where p_country is null and v_city is null
       or (select (v_country is null or u.country = v_country)
              and (v_city is null or private.fold(u.city) = v_city)
           from app.users u where u.id = f.author_id)
    order by f.at desc, f.id desc limit 51) m;

  v_sieve := private.without_phrases(p_choice.muted_words, array(
    select u.id from unnest(v_ids) with ordinality as u (id, place) where u.id = any (v_posts) order by u.place),
    null, p_choice.characters);
  if v_sieve.stopped_at is not null then   -- without_phrases never stops at the first post
    v_stop := array_position(v_ids, v_sieve.stopped_at);
    v_ids := v_ids[:v_stop - 1];
    v_cut := (v_times[v_stop - 1], v_ids[v_stop - 1])::app.place;
  elsif cardinality(v_ids) = 51 then
    v_cut := (v_times[51], v_ids[51])::app.place;
  end if;
  v_ids := array(
    select u.id from unnest(v_ids) with ordinality as u (id, place)
    where u.id <> all (v_posts) or u.id = any (v_sieve.ids) order by u.place);
  return (v_ids, case when cardinality(v_ids) < 51 and v_cut.at is not null
                      then private.place_cursor('stream', v_cut.at, v_cut.id) end)::app.found;
end $$;
comment on function private.find_stream is
  'Returns the next posts and contents that are for everybody, that the caller may see and that p_choice selects. '
  'p_type, p_country and p_city, if given, filter them by type and by where the author lives; if p_trending is true, '
  'only those with engagement remain. It considers the next 400 posts and the next 400 contents.';
call private.force_index_scans('private.find_stream');

create function private.require_stream_place(p_cursor text) returns app.place
language plpgsql stable security definer   -- a cursor stays valid when its post or content is deleted
set search_path = ''
as $$
declare
  v_place app.place := private.require_place('stream', p_cursor);
begin
  if p_cursor is null then
    return ('infinity', private.require_caller())::app.place;   -- no row has this time, so any id works
  end if;
  v_place.at := coalesce(v_place.at, private.find_post_time(v_place.id));
  if v_place.at is null then
    select (private.content_place(c.id, c.kind)).* into v_place from app.contents c where c.id = v_place.id;
  end if;
  if v_place.at is null then
    perform private.raise_error('cursor_unknown');
  end if;
  return v_place;
end $$;
comment on function private.require_stream_place is
  'Returns the place of the cursor''s post or content in the stream.';

create function private.content_fields(p_ids uuid[]) returns table (id uuid, detail json)
language plpgsql stable security definer   -- the calling function has checked that the contents are visible
set search_path = ''
as $$
declare
  v_details regclass;
begin
  for v_details in
    select distinct k.details from app.contents c join private.content_kinds k on k.kind = c.kind
    where c.id = any (p_ids)
  loop
    return query execute format('select d.id, d.detail from %s d where d.id = any ($1)', v_details) using p_ids;
  end loop;
end $$;
comment on function private.content_fields is
  'Returns the details of these contents, each from the relation that private.content_kinds.details names for its '
  'kind.';
call private.force_index_scans('private.content_fields');

create function private.stream_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- checks visibility once per post and content
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning the views takes longer than running them
as $$
begin
  return (
    select json_agg(s.card order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join (
      select p.id, json_build_object(
               'type', 'post',
               'id', p.id,
               'actorId', author.actor_id,
               'actor', author.card,
               'interestId', p.interest_id,
               'interest', (interest.card_start || '}')::json,
               'spaceName', space.name,
               'title', p.title,
               'text', private.beginning(p.body),
               'subBadge', case when p.is_journalism then 'journalism' else p.format end,
               'mediaUrl', p.media #>> '{0,url}',
               'engagement', json_build_object(
                 'reactCount', n.reactions,
                 'commentCount', n.replies,
                 'repostCount', n.shares,
                 'viewerHasReacted', (select true from app.reactions r
                                      where r.post_id = p.id and r.user_id = (select app.uid()) limit 1) is true,
                 'viewerHasReposted', (select true from app.posts r
                                       where r.author_id = (select app.uid()) and r.quoted_post_id = p.id
                                         and r.format = 'repost' and r.deleted_at is null) is true),
               'createdAt', private.utc(p.published_at)) as card
      from private.visible_posts p
      join app.post_counters n on n.post_id = p.id
      join app.person_card author on author.id = p.author_id
      left join app.interests interest on interest.id = p.interest_id
      left join app.spaces space on space.id = p.space_id
      where p.id = any (p_ids)
      union all
      select c.id, json_build_object(
               'type', c.kind,
               'id', c.id,
               'actorId', author.actor_id,
               'actor', author.card,
               'interestId', c.interest_id,
               'interest', (interest.card_start || '}')::json,
               'spaceName', space.name,
               'title', c.title,
               'text', private.beginning(coalesce(d.detail ->> 'body', d.detail ->> 'summary',
                                                  d.detail ->> 'description', d.detail ->> 'caption')),
               'subBadge', coalesce(d.detail ->> 'status', c.kind),
               'mediaUrl', d.detail ->> 'mediaUrl',
               'engagement', case when n.video_id is not null then json_build_object(
                 'reactCount', n.likes,
                 'commentCount', n.comments,
                 'repostCount', n.reposts,
                 'viewerHasReacted', (select true from app.video_likes l
                                      where l.video_id = c.id and l.user_id = (select app.uid())) is true,
                 'viewerHasReposted', (select true from app.video_reposts r
                                       where r.video_id = c.id and r.user_id = (select app.uid())) is true) end,
               'createdAt', private.utc(c.created_at))
      from private.visible_contents c
      -- always join from the content to its author, even if there are few people
      cross join lateral (select a.actor_id, a.card from app.person_card a where a.id = c.author_id offset 0) author
      left join private.content_fields(p_ids) d on d.id = c.id
      left join app.video_counters n on n.video_id = c.id
      left join app.interests interest on interest.id = c.interest_id
      left join app.spaces space on space.id = c.space_id
      where c.id = any (p_ids)) s on s.id = i.id);
end $$;
comment on function private.stream_cards is
  'Returns posts and contents as cards of the stream, in order: {type, id, actorId, actor, interestId, '
  'interest, spaceName, title, text, subBadge, mediaUrl, engagement, createdAt}.';
call private.force_index_scans('private.stream_cards');

create function api.list_stream(
  p_type text default null, p_interest_id uuid default null, p_country text default null, p_city text default null,
  p_trending boolean default false, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.found := private.find_stream(
    (null, private.interest_subtree(p_interest_id), false, null, 0, private.muted_people(), private.muted_posts(),
     private.find_muted_words(), 0, 200000, null)::app.feed_choice,
    p_type, p_country, p_city, coalesce(p_trending, false), private.require_stream_place(p_cursor));
begin
  return private.page(private.stream_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_stream is 'Posts and contents for everybody, newest first.';
