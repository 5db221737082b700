-- The feed: tabs, filters, mutes and order.
-- docs/decisions.md, Feed.

insert into private.errors (code, status, text) values
  ('tab_unknown', 422, 'tab must be following, trending or circles.');

create type app.feed_choice as (
  tab text, interests uuid[], journalism boolean, format text, min_depth smallint,
  muted_people uuid[], muted_posts uuid[], muted_words app.muted_words,
  entries integer, characters integer, since timestamptz
);
comment on type app.feed_choice is
  'The filters of the request, the mutes of the caller, the number of index entries and text characters that one '
  'request may read, and the time after which posts must have been published, if any.';

create function private.feed_source(p_choice app.feed_choice, p_place app.place) returns app.feed_run
language plpgsql stable
set search_path = ''
as $$
begin
  -- choose the source that returns the fewest posts that other filters drop; private.feed_chosen applies these filters
  case
    when p_choice.tab = 'trending' then return private.trending_posts(p_place, p_choice.muted_people);
    when p_choice.tab = 'following' then return private.followed_posts(p_place, p_choice.muted_people);
    when p_choice.tab = 'circles' then return private.closer_posts(p_place, '-infinity', p_choice.muted_people);
    when p_choice.interests is not null then
      return private.posts_about(p_choice.interests, p_place, p_choice.muted_people);
    when p_choice.journalism or p_choice.format <> 'note' or p_choice.min_depth > 0 then
      return private.filtered_posts(p_choice.journalism, p_choice.format,
        array(select generate_series(p_choice.min_depth, 5))::smallint[], p_place, p_choice.muted_people);
    else return private.all_posts(p_place, p_choice.muted_people);
  end case;
end $$;
comment on function private.feed_source is
  'The next posts of a feed from a place, before private.feed_chosen applies the other filters.';

create function private.feed_chosen(p_choice app.feed_choice, p_ids uuid[], p_check boolean) returns uuid[]
language plpgsql stable security definer   -- checks visibility once per post: see private.visible_posts
set search_path = ''
as $$
declare
  v_words tsquery := (p_choice.muted_words).words;
begin
  if not p_check
     and p_choice.interests is null and not p_choice.journalism and p_choice.format is null and p_choice.min_depth = 0
     and p_choice.muted_people = '{}' and p_choice.muted_posts = '{}' and v_words is null
     and p_choice.since is null then
    return p_ids;
  end if;
  return array(
    select p.id
    from unnest(p_ids) with ordinality as w (id, place)
    join private.listed_posts p on p.id = w.id
    left join app.posts q on q.id = p.quoted_post_id
    where (p_choice.interests is null
           or (select true from app.post_interests i
               where i.post_id = p.id and i.interest_id = any (p_choice.interests) limit 1))
      and (not p_choice.journalism or p.is_journalism)
      and (p_choice.format is null or p.format = p_choice.format)
      and p.depth >= p_choice.min_depth
      and (p_choice.since is null or p.published_at > p_choice.since)
      and p.author_id <> all (p_choice.muted_people) and p.id <> all (p_choice.muted_posts)
      -- a repost of a muted post, or of a post by a muted person, is also muted
      and (p.format <> 'repost'
           or (q.author_id <> all (p_choice.muted_people) and q.id <> all (p_choice.muted_posts)))
      and (v_words is null
           or (p.keyword_words @@ v_words
               or q.keyword_words @@ v_words and private.post_visible_to(q.id, app.uid())) is not true)
    order by w.place);
end $$;
comment on function private.feed_chosen is
  'Keeps the posts that match the filters and are not muted. A post is muted if its author or the post itself is '
  'muted, if it reposts such a post, or if it or the post that it quotes contains a muted word. '
  'private.without_phrases checks the other muted keywords. If p_check is true, it drops posts that the caller may '
  'not see; otherwise the calling function must check that before or after.';

create type app.feed_sieve as (ids uuid[], stopped_at uuid, budget integer);
comment on type app.feed_sieve is
  'The posts that were kept; the post at which the budget had run out, null if it was enough; and the remaining '
  'budget, in characters.';

create function private.without_phrases(
  p_muted app.muted_words, p_ids uuid[], p_blocks integer[], p_budget integer
) returns app.feed_sieve
language plpgsql stable security definer   -- p_ids were checked before; quoted posts are checked here
set search_path = ''
as $$
declare
  v_sieve app.feed_sieve := ('{}', null, p_budget)::app.feed_sieve;
  v_block bigint;
  v_post  record;
begin
  if p_muted.pattern is null then
    return (p_ids, null, p_budget)::app.feed_sieve;
  end if;
  for v_post in
    select p.id, coalesce(w.block, w.place) as block,
           case when coalesce(p.keyword_words @@ p_muted.hint, true) then array[p.title, left(p.body, 5000)] end
             as texts,
           case when coalesce(q.keyword_words @@ p_muted.hint, q.id is not null)
                     and private.post_visible_to(q.id, app.uid())
                then array[q.title, left(q.body, 5000)] end as quoted
    from unnest(p_ids, p_blocks) with ordinality as w (id, block, place)
    join app.posts p on p.id = w.id
    left join app.posts q on q.id = p.quoted_post_id
    order by w.place
  loop
    if v_post.texts is not null or v_post.quoted is not null then
      if v_sieve.budget <= 0 and v_post.block is distinct from v_block then
        v_sieve.stopped_at := v_post.id;
        exit;
      end if;
      v_sieve.budget := v_sieve.budget - length(array_to_string(v_post.texts || v_post.quoted, ''));
      v_block := v_post.block;
      continue when private.has_phrase(v_post.texts, p_muted.pattern)
                 or private.has_phrase(v_post.quoted, p_muted.pattern);
    end if;
    v_block := v_post.block;
    v_sieve.ids := v_sieve.ids || v_post.id;
  end loop;
  return v_sieve;
end $$;
comment on function private.without_phrases is
  'Keeps the posts that contain no muted phrase, and whose quoted post contains none. Phrases are the muted '
  'keywords that must be searched for in the text: several words, a symbol, or a word of a script without spaces. '
  'When the budget of characters has run out, the function stops, but only before a post of another block.';

create type app.feed_page as (ids uuid[], parts text[], next text, opened text, size integer);
comment on type app.feed_page is
  'ids: the posts, up to one more than a page. parts: the fields score and why of each post. next: the cursor from '
  'which the next page continues if the search ended before the page was full. opened: the fingerprints '
  '(private.post_fingerprint) of the posts at the front of the block of the page''s last post, if any. size: the '
  'number of posts of the page.';

create function private.post_fingerprint(p_id uuid) returns text
language plpgsql immutable
set search_path = ''
as $$
begin
  return left(md5(p_id::text), 12);
end $$;
comment on function private.post_fingerprint is
  'Twelve digits that identify a post within its block, in a cursor.';

create type app.feed_cursor as (id uuid, at timestamptz, opened text);
comment on type app.feed_cursor is
  'A cursor of the feed: the id of a post, or a place if at is not null; and opened, the fingerprints of the posts at '
  'the front of its block, in order. With the fingerprints the next page continues in the same order even if the '
  'caller''s centroid has changed meanwhile.';

create function private.feed_list(p_tab text) returns text
language plpgsql immutable
set search_path = ''
as $$ begin return concat_ws(' ', 'feed', p_tab); end $$;
comment on function private.feed_list is 'The name of a tab in cursors; if p_tab is null, the name of For You.';

create function private.require_feed_cursor(p_tab text, p_cursor text) returns app.feed_cursor
language plpgsql stable
set search_path = ''
as $$
declare
  v_place  app.place;
  v_opened text;
begin
  if substr(p_cursor, 37) ~ '^\.([0-9a-f]{12}){1,20}$' then
    v_place.id := private.require_cursor(left(p_cursor, 36));
    v_opened := substr(p_cursor, 38);
  else
    v_place := private.require_place(private.feed_list(p_tab), p_cursor);
  end if;
  return (v_place.id, v_place.at, v_opened)::app.feed_cursor;
end $$;
comment on function private.require_feed_cursor is
  'Reads a cursor of a tab: a UUID, optionally followed by the fingerprints of up to 20 posts, or a place.';

create function private.feed_why(p_factors text[], p_weights bigint[]) returns text[]
language plpgsql immutable
set search_path = ''
as $$
begin
  return array(
    select ',"score":' || sum(w.weight) * 0.0001 || ',"why":['
           || coalesce(string_agg('{"factor":"' || p_factors[w.factor] || '","weight":' || w.weight * 0.0001 || '}',
                                  ',' order by w.factor) filter (where w.weight <> 0), '') || ']'
    from (select u.weight, (u.place - 1) / cardinality(p_factors) as post,
                 1 + (u.place - 1) % cardinality(p_factors) as factor
          from unnest(p_weights) with ordinality as u (weight, place)) w
    group by w.post order by w.post);
end $$;
comment on function private.feed_why is
  'The parts of the scores of a page, as JSON fields of the cards: score and why [{factor, weight}]. p_weights has '
  'one row per post, in ten-thousandths. Parts with weight 0 are left out.';

create function private.feed_in_time(p_choice app.feed_choice, p_cursor app.feed_cursor, p_limit integer)
returns app.feed_page
language plpgsql stable security definer   -- callers may not read trending_at of a post
set search_path = ''
as $$
declare
  v_trending boolean := p_choice.tab = 'trending';
  v_place    app.place := ('infinity', '00000000-0000-0000-0000-000000000000')::app.place;
  v_looked   integer := 0;
  v_run      app.feed_run;
  v_sieve    app.feed_sieve := ('{}', null, p_choice.characters)::app.feed_sieve;
  v_stopped  integer;
  v_page     app.feed_page := ('{}', '{}', null, null, null)::app.feed_page;
begin
  if p_cursor.id is not null then
    v_place := (p_cursor.at, p_cursor.id)::app.place;
    if v_place.at is null then
      select case when v_trending then private.trending_at(private.find_post_time(p.id), p.trending_boost)
                  else private.find_post_time(p.id) end,
             p.id
      into v_place.at, v_place.id
      from app.posts p where p.id = p_cursor.id;
    end if;
    if v_place.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  for v_look in 1 .. 40 loop
    v_run := private.feed_source(p_choice, v_place);
    v_place := v_run.next;
    v_looked := v_looked + v_run.looked;
    v_sieve := private.without_phrases(p_choice.muted_words, private.feed_chosen(p_choice, v_run.ids, false), null,
                                       v_sieve.budget);
    v_page.ids := v_page.ids || v_sieve.ids;
    if v_sieve.stopped_at is not null then   -- without_phrases never stops at the first post
      v_stopped := array_position(v_run.ids, v_sieve.stopped_at);
      v_place := (v_run.times[v_stopped - 1], v_run.ids[v_stopped - 1])::app.place;
    end if;
    if v_place.at <= p_choice.since then   -- all later places have earlier times, also for the tab trending
      v_place := null;
    end if;
    exit when v_place.at is null or cardinality(v_page.ids) > p_limit or v_looked > p_choice.entries
              or v_sieve.budget <= 0;
  end loop;
  p_limit := private.count_fitting_posts(v_page.ids, p_limit);
  v_page.size := p_limit;
  if v_place.at is not null and cardinality(v_page.ids) <= p_limit then
    v_page.next := private.place_cursor(private.feed_list(p_choice.tab), v_place.at, v_place.id);
  end if;
  v_page.parts := private.feed_why('{recency,engagement}', (
    select array_agg(array[round(extract(epoch from p.published_at) / 0.36),
                           case when v_trending then p.trending_boost * 40000 else 0 end]::bigint[] order by w.place)
    from unnest(v_page.ids[:p_limit]) with ordinality as w (id, place) join app.posts p on p.id = w.id));
  return v_page;
end $$;
comment on function private.feed_in_time is
  'A page of the feed by time, or by trending_at for the tab trending. The score is the place in hours since 1970. '
  'Its parts are recency and, for trending, engagement.';

create function private.feed_ranked(p_choice app.feed_choice, p_cursor app.feed_cursor, p_limit integer)
returns app.feed_page
language plpgsql stable security definer   -- callers may not read scores and boundaries
set search_path = ''
as $$
declare
  v_until  timestamptz := 'infinity';   -- blocks from here on have been read
  v_lowest timestamptz;
  v_start  timestamptz := 'infinity';   -- the start of the cursor's block, and the score of its post
  v_score  integer;
  v_at     timestamptz;
  v_looked integer := 0;
  v_bounds timestamptz[];
  v_run    app.feed_run;
  v_more   app.feed_run;
  v_whole  integer;
  v_sieve  app.feed_sieve := ('{}', null, p_choice.characters)::app.feed_sieve;
  v_found  uuid[];
  v_last   uuid;
  v_spaces uuid[] := array(select space_id from app.space_members where user_id = app.uid() limit 1000);
  v_within app.feed_run;
  v_moves  boolean := p_cursor.opened is not null or private.has_centroid();
  v_opened text[];      -- the fingerprints of the posts at the front of the cursor's block
  v_passed integer;     -- the place of the cursor's post among them
  v_front  uuid[];      -- the posts at the front of their blocks, their nearness, and their times
  v_near   integer[];
  v_times  timestamptz[];
  v_fronts uuid[] := '{}';
  v_outs   timestamptz[] := '{}';
  v_part   integer[];   -- one row of weights per post
  v_parts  integer[] := '{}';
  v_page   app.feed_page := ('{}', '{}', null, null, null)::app.feed_page;
begin
  if p_cursor.id is not null then
    v_until := p_cursor.at;
    if v_until is null then
      v_at := private.find_post_time(p_cursor.id);
      if v_at is null then
        perform private.raise_error('cursor_unknown');
      end if;
      v_start := private.block_start(v_at);
      v_until := private.block_end(v_at);
      select s.score into v_score from private.feed_scores(array[p_cursor.id]) s;
      v_opened := array(select m[1] from regexp_matches(p_cursor.opened, '.{12}', 'g') m);
      v_passed := array_position(v_opened, private.post_fingerprint(p_cursor.id));
    end if;
  end if;
  for v_look in 1 .. 40 loop
    v_run := private.feed_source(p_choice, (v_until, '00000000-0000-0000-0000-000000000000')::app.place);
    v_looked := v_looked + v_run.looked;
    v_lowest := '-infinity';
    v_more := v_run;
    while (v_more.next).at is not null loop
      -- use only whole blocks: if all these posts are in one block, continue to its end
      v_lowest := private.block_end((v_more.next).at);
      exit when v_lowest < v_until;
      v_lowest := '-infinity';
      v_more := private.feed_source(p_choice, v_more.next);
      v_looked := v_looked + v_more.looked;
      v_run := (v_run.ids || v_more.ids, v_run.times || v_more.times, null, 0)::app.feed_run;
    end loop;
    if v_spaces <> '{}' then
      v_within := private.posts_within(v_spaces, v_until, v_lowest, p_choice.muted_people);
      v_looked := v_looked + v_within.looked;
      v_lowest := (v_within.next).at;
      select array_agg(m.id order by m.at desc, m.id desc), array_agg(m.at order by m.at desc, m.id desc)
      into v_run.ids, v_run.times
      from unnest(v_run.ids || v_within.ids, v_run.times || v_within.times) as m (id, at);
    end if;
    v_bounds := array(select starts_at from app.feed_blocks
                      where starts_at > v_lowest and starts_at < v_until order by starts_at);
    v_whole := (select count(*) from unnest(v_run.times) t where t >= v_lowest);
    -- feed_scores checks visibility, but texts and nearness may be read only for posts whose visibility was checked
    -- before
    v_found := private.feed_chosen(
      p_choice, v_run.ids[:v_whole], v_moves or (p_choice.muted_words).pattern is not null);
    if (p_choice.muted_words).pattern is not null then
      v_sieve := private.without_phrases(
        p_choice.muted_words, v_found,
        array(select width_bucket(w.at, v_bounds) from unnest(v_found) with ordinality as f (id, place)
              join unnest(v_run.ids, v_run.times) as w (id, at) on w.id = f.id order by f.place),
        v_sieve.budget);
      v_found := v_sieve.ids;
      if v_sieve.stopped_at is not null then
        v_lowest := private.block_end(v_run.times[array_position(v_run.ids, v_sieve.stopped_at)]);
      end if;
    end if;
    -- the page usually ends in the block of this post; older posts get a score only if the page is not full at its end
    v_last := v_found[p_limit + 1 + (select count(*) from unnest(v_run.times) t where t >= v_start)];
    if v_last is not null then
      v_at := v_run.times[array_position(v_run.ids, v_last)];
      v_at := coalesce(v_bounds[width_bucket(v_at, v_bounds)], v_lowest);
      v_lowest := v_at;
      v_found := array(select f.id from unnest(v_found) f (id)
                       join unnest(v_run.ids, v_run.times) as w (id, at) on w.id = f.id
                       where w.at >= v_at);
    end if;

    if not v_moves then
      select array_agg(f.id), array_agg(f.weights) into v_found, v_part
      from (select s.id, s.weights
            from private.feed_scores(v_found) s
            where s.is_listed
              and (v_score is null or s.at < v_start or (s.score, s.id) < (v_score, p_cursor.id))
            order by width_bucket(s.at, v_bounds) desc, s.score desc, s.id desc
            limit p_limit + 1) f;
    else
      select array_agg(n.id order by n.place), array_agg(n.nearness order by n.place), array_agg(n.at order by n.place)
      into v_front, v_near, v_times
      from (select r.id, r.nearness, w.at,
                   row_number() over (partition by width_bucket(w.at, v_bounds)
                                      order by r.nearness desc, r.id desc) as place
            from private.nearness(v_found) r
            join unnest(v_run.ids, v_run.times) as w (id, at) on w.id = r.id) n
      where case when n.at < v_start then n.place <= ceil(p_limit * 0.4)
                 else private.post_fingerprint(n.id) = any (v_opened) end;
      select array_agg(f.id), array_agg(f.weights) into v_found, v_part
      from (select s.id, s.weights || coalesce(n.nearness, 0) as weights
            from private.feed_scores(v_found) s
            left join unnest(v_front, v_near) with ordinality as n (id, nearness, place) on n.id = s.id
            left join lateral (select array_position(v_opened, private.post_fingerprint(s.id)) as place
                               where s.at >= v_start and v_opened <> '{}') o on true
            where v_score is null or s.at < v_start
               or case when o.place is not null then o.place > v_passed
                       else v_passed is not null or (s.score, s.id) < (v_score, p_cursor.id) end
            order by width_bucket(s.at, v_bounds) desc, o.place, n.place, s.score desc, s.id desc
            limit p_limit + 1) f;
      v_fronts := v_fronts || v_front;
      v_outs := v_outs || v_times;
    end if;
    v_page.ids := v_page.ids || v_found;
    v_parts := v_parts || v_part;
    if v_lowest <= p_choice.since then
      v_lowest := '-infinity';
    end if;
    exit when v_lowest = '-infinity' or cardinality(v_page.ids) > p_limit or v_looked > p_choice.entries
              or v_sieve.budget <= 0;
    v_until := v_lowest;
  end loop;
  p_limit := private.count_fitting_posts(v_page.ids, p_limit);
  v_page.size := p_limit;
  if v_lowest > '-infinity' and cardinality(v_page.ids) <= p_limit then
    v_page.next := private.place_cursor(private.feed_list(null), v_lowest,
                                        '00000000-0000-0000-0000-000000000000');
  end if;
  if v_moves and cardinality(v_page.ids) > p_limit then
    v_at := private.find_post_time(v_page.ids[p_limit]);
    v_lowest := private.block_start(v_at);
    v_until := private.block_end(v_at);
    v_page.opened := case when v_lowest = v_start then p_cursor.opened else (
      select string_agg(private.post_fingerprint(u.id), '' order by u.place)
      from unnest(v_fronts, v_outs) with ordinality as u (id, at, place)
      where u.at >= v_lowest and u.at < v_until) end;
  end if;
  v_page.parts := private.feed_why(
    case when v_moves then '{engagement,depth,interest,following,circle,boost,semantic}'
         else '{engagement,depth,interest,following,circle,boost}' end::text[],
    v_parts[:p_limit][:]);
  return v_page;
end $$;
comment on function private.feed_ranked is
  'A page of For You: by block, score and id, including posts in the caller''s spaces. In each block, the posts '
  'nearest to what the caller likes come first, up to two fifths of a page.';

create function api.list_feed(
  p_tab text default null, p_journalism boolean default false, p_min_depth integer default 0,
  p_interest_id uuid default null, p_format text default null, p_limit integer default 20, p_cursor text default null,
  p_since timestamptz default null
) returns json
language plpgsql stable
set search_path = ''
set plan_cache_mode = force_generic_plan   -- also for called functions, because planning takes longer than running
as $$
declare
  v_cursor  app.feed_cursor := private.require_feed_cursor(p_tab, p_cursor);
  v_cursors text[];
  v_choice  app.feed_choice := (
    p_tab, private.interest_subtree(p_interest_id), coalesce(p_journalism, false), p_format, coalesce(p_min_depth, 0),
    private.muted_people(), private.muted_posts(), private.find_muted_words(), 4000, 200000, p_since
  )::app.feed_choice;
  v_page    app.feed_page;
begin
  perform private.require_limit(p_limit);   -- reject a wrong limit before reading posts
  if p_tab is null then
    v_page := private.feed_ranked(v_choice, v_cursor, p_limit);
  elsif p_tab in ('following', 'trending', 'circles') then
    v_page := private.feed_in_time(v_choice, v_cursor, p_limit);
  else
    perform private.raise_error('tab_unknown');
  end if;
  p_limit := v_page.size;
  v_cursors := v_page.ids::text[];
  if v_page.opened is not null then
    v_cursors[p_limit] := v_cursors[p_limit] || '.' || v_page.opened;
  end if;
  return private.page_of_texts(
    private.post_cards(v_page.ids[:p_limit], v_page.parts), v_cursors, p_limit, v_page.next);
end $$;
comment on function api.list_feed is
  'The caller''s feed: For You (ranked), or the tab following, trending or circles; each post has its score and why '
  '[{factor, weight}]. p_since leaves out posts that were published at that time or before.';
