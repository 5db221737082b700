-- The feed: tabs, filters, what is muted, and the order.
-- docs/decisions.md, Feed.

insert into private.errors (code, status, text) values
  ('tab_unknown', 422, 'tab must be following, trending or circles.');

create type app.feed_choice as (
  tab text, interests uuid[], journalism boolean, format text, min_depth smallint,
  muted_people uuid[], muted_posts uuid[], muted_keywords text
);
comment on type app.feed_choice is 'What a feed is asked for, and what its reader has muted.';

create function private.feed_source(p_choice app.feed_choice, p_place app.feed_place) returns app.feed_run
language plpgsql stable
set search_path = ''
as $$
begin
  -- takes the narrowest source; private.feed_chosen then applies the rest of the choice
  case
    when p_choice.tab = 'trending' then return private.trending_posts(p_place, p_choice.muted_people);
    when p_choice.tab = 'following' then return private.followed_posts(p_place, p_choice.muted_people);
    when p_choice.tab = 'circles' then return private.closer_posts(p_place, '-infinity', p_choice.muted_people);
    when p_choice.interests is not null then
      return private.posts_about(p_choice.interests, p_place, p_choice.muted_people);
    when p_choice.journalism or p_choice.format is not null or p_choice.min_depth > 0 then
      return private.filtered_posts(p_choice.journalism, p_choice.format,
        array(select generate_series(p_choice.min_depth, 5))::smallint[], p_place, p_choice.muted_people);
    else return private.all_posts(p_place, p_choice.muted_people);
  end case;
end $$;
comment on function private.feed_source is
  'The next posts of a feed from a place on, before private.feed_chosen applies the rest of the choice.';

create function private.feed_chosen(p_choice app.feed_choice, p_ids uuid[]) returns uuid[]
language plpgsql stable security definer   -- checks each post once: see private.visible_posts
set search_path = ''
as $$
begin
  if p_choice.interests is null and not p_choice.journalism and p_choice.format is null and p_choice.min_depth = 0
     and p_choice.muted_people = '{}' and p_choice.muted_posts = '{}' and p_choice.muted_keywords is null then
    return p_ids;
  end if;
  return array(
    select p.id
    from unnest(p_ids) with ordinality as w (id, place)
    join app.posts p on p.id = w.id
    left join app.posts q on q.id = p.quoted_post_id
    where (p_choice.interests is null
           or (select true from app.post_interests i
               where i.post_id = p.id and i.interest_id = any (p_choice.interests) limit 1))
      and (not p_choice.journalism or p.is_journalism)
      and (p_choice.format is null or p.format = p_choice.format)
      and p.depth >= p_choice.min_depth
      and p.author_id <> all (p_choice.muted_people) and p.id <> all (p_choice.muted_posts)
      -- a muted person or post stays muted when others repost it
      and (p.format <> 'repost'
           or (q.author_id <> all (p_choice.muted_people) and q.id <> all (p_choice.muted_posts)))
      and (p_choice.muted_keywords is null
           or not (private.has_keyword(p.keyword_text, p_choice.muted_keywords)
                   or q.keyword_text is not null and private.post_visible_to(q.id, app.uid())
                      and private.has_keyword(q.keyword_text, p_choice.muted_keywords)))
    order by w.place);
end $$;
comment on function private.feed_chosen is
  'Keeps of these posts those that were asked for and are not muted: by their author, by themselves (also as a '
  'repost), or by a keyword in them or in what they quote.';

create type app.feed_page as (ids uuid[], parts json[], next uuid);
comment on type app.feed_page is
  'Up to one post more than a page, {score, why} of each, and the post to go on from when the search ended before the '
  'page was full.';

create function private.feed_why(p_factors text[], p_weights numeric[]) returns json
language plpgsql immutable
set search_path = ''
as $$
begin
  return (
    select json_build_object('score', coalesce(sum(w.weight), 0),
                             'why', coalesce(json_agg(json_build_object('factor', w.factor, 'weight', w.weight)),
                                             '[]'))
    from unnest(p_factors, p_weights) as w (factor, weight) where w.weight <> 0);
end $$;
comment on function private.feed_why is
  'The parts of a score as {score, why: [{factor, weight}]}. Parts without weight are left out.';

create function private.feed_in_time(p_choice app.feed_choice, p_cursor uuid, p_limit integer) returns app.feed_page
language plpgsql stable security definer   -- nobody may read the heat of a post
set search_path = ''
as $$
declare
  v_trending boolean := p_choice.tab = 'trending';
  v_place    app.feed_place := ('infinity', '00000000-0000-0000-0000-000000000000')::app.feed_place;
  v_run      app.feed_run;
  v_page     app.feed_page := ('{}', '{}', null)::app.feed_page;
begin
  if p_cursor is not null then
    select case when v_trending then private.trending_at(private.find_post_time(p.id), p.trending_boost)
                else private.find_post_time(p.id) end,
           p.id
    into v_place.at, v_place.id
    from app.posts p where p.id = p_cursor;
    if v_place.at is null then
      perform private.fail('cursor_unknown');
    end if;
  end if;
  for v_look in 1 .. 40 loop
    v_run := private.feed_source(p_choice, v_place);
    v_page.ids := v_page.ids || private.feed_chosen(p_choice, v_run.ids);
    v_page.next := v_run.ids[101];
    exit when v_page.next is null or cardinality(v_page.ids) > p_limit;
    v_place := (v_run.times[101], v_run.ids[101])::app.feed_place;
  end loop;
  v_page.parts := array(
    select private.feed_why('{recency,engagement}', array[round(extract(epoch from p.published_at) / 3600, 4),
                                                          case when v_trending then p.trending_boost * 4 else 0 end])
    from unnest(v_page.ids[:p_limit]) with ordinality as w (id, place) join app.posts p on p.id = w.id
    order by w.place);
  return v_page;
end $$;
comment on function private.feed_in_time is
  'A page by time, or by heat for the tab trending. The score is the place in hours since 1970: recency, and for '
  'trending also engagement. Fails: cursor_unknown.';

create function private.feed_ranked(p_choice app.feed_choice, p_cursor uuid, p_limit integer) returns app.feed_page
language plpgsql stable security definer   -- nobody may read scores and boundaries
set search_path = ''
as $$
declare
  v_until  timestamptz := 'infinity';   -- blocks from here on have been looked at
  v_lowest timestamptz;
  v_start  timestamptz := 'infinity';   -- the start of the cursor's block, and the score of its post
  v_score  integer;
  v_at     timestamptz;
  v_bounds timestamptz[];
  v_run    app.feed_run;
  v_more   app.feed_run;
  v_whole  uuid[];
  v_found  uuid[];
  v_parts  json[];
  v_page   app.feed_page := ('{}', '{}', null)::app.feed_page;
begin
  if p_cursor is not null then
    v_at := private.find_post_time(p_cursor);
    if v_at is null then
      perform private.fail('cursor_unknown');
    end if;
    v_start := private.block_start(v_at);
    v_until := private.block_end(v_at);
    select s.score into v_score from private.feed_scores(array[p_cursor]) s;
  end if;
  for v_look in 1 .. 40 loop
    v_run := private.feed_source(p_choice, (v_until, '00000000-0000-0000-0000-000000000000')::app.feed_place);
    v_lowest := '-infinity';
    v_more := v_run;
    while v_more.ids[101] is not null loop
      -- only whole blocks: when all these posts are in one, read on until its end
      v_lowest := private.block_end(v_more.times[101]);
      exit when v_lowest < v_until;
      v_lowest := '-infinity';
      v_more := private.feed_source(p_choice, (v_more.times[101], v_more.ids[101])::app.feed_place);
      v_run := (v_run.ids || v_more.ids, v_run.times || v_more.times)::app.feed_run;
    end loop;
    v_whole := array(select w.id from unnest(v_run.ids, v_run.times) as w (id, at) where w.at >= v_lowest);
    v_bounds := array(select starts_at from app.feed_blocks
                      where starts_at > v_lowest and starts_at < v_until order by starts_at);

    select array_agg(f.id order by f.block desc, f.score desc, f.id desc),
           array_agg(json_build_array(f.engagement, f.depth, f.interest, f.following, f.circle)
                     order by f.block desc, f.score desc, f.id desc)
    into v_found, v_parts
    from (select s.*, width_bucket(s.at, v_bounds) as block
          from private.feed_scores(private.feed_chosen(p_choice, v_whole)) s
          where p_cursor is null or s.at < v_start or (s.score, s.id) < (v_score, p_cursor)) f;
    v_page.ids := v_page.ids || v_found;
    v_page.parts := v_page.parts || v_parts;
    exit when v_lowest = '-infinity' or cardinality(v_page.ids) > p_limit;
    v_until := v_lowest;
  end loop;
  if v_lowest > '-infinity' and cardinality(v_page.ids) <= p_limit then
    v_page.next := (select s.id from private.feed_scores(v_whole) s
                    order by private.block_start(s.at), s.score, s.id limit 1);
  end if;
  v_page.parts := array(
    select private.feed_why('{engagement,depth,interest,following,circle}',
                            array(select e.n::numeric / 10000 from json_array_elements_text(w.part) as e (n)))
    from unnest(v_page.parts[:p_limit]) with ordinality as w (part, place) order by w.place);
  return v_page;
end $$;
comment on function private.feed_ranked is 'A page of For You: by block, score and id. Fails: cursor_unknown.';

create function api.list_feed(
  p_tab text default null, p_journalism boolean default false, p_min_depth integer default 0,
  p_interest_id uuid default null, p_format text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_cursor uuid := private.require_cursor(p_cursor);
  v_choice app.feed_choice := (
    p_tab, private.interest_subtree(p_interest_id), coalesce(p_journalism, false), p_format, coalesce(p_min_depth, 0),
    private.muted_people(), private.muted_posts(), private.find_muted_pattern())::app.feed_choice;
  v_page   app.feed_page;
begin
  perform private.page(null, '{}', p_limit);   -- refuses a wrong limit before it looks for posts
  if p_tab is null then
    v_page := private.feed_ranked(v_choice, v_cursor, p_limit);
  elsif p_tab in ('following', 'trending', 'circles') then
    v_page := private.feed_in_time(v_choice, v_cursor, p_limit);
  else
    perform private.fail('tab_unknown');
  end if;
  if cardinality(v_page.ids) > p_limit or v_page.next is null then
    return private.page(private.post_cards(v_page.ids[:p_limit], v_page.parts), v_page.ids::text[], p_limit);
  end if;
  -- a short page: the next one goes on behind the last post that was looked at
  return json_build_object('items', coalesce(private.post_cards(v_page.ids, v_page.parts), '[]'::json),
                           'nextCursor', v_page.next, 'hasMore', true);
end $$;
comment on function api.list_feed is
  'The caller''s feed: For You (ranked), or the tab following, trending or circles; each post with its score and why '
  '[{factor, weight}]. Fails: tab_unknown, interest_unknown, cursor_unknown, limit_out_of_range.';
