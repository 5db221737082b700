-- Where a feed comes from: each source gives the next 101 posts that the caller may see, by time (trending by heat),
-- with one statement a driving index. Posts for circles that the caller is not in do not slow a page down, except when
-- an interest, a format or a depth was asked for: there they are skipped one by one.
-- docs/decisions.md, Feed.

create index posts_public_idx on app.posts (published_at desc, id desc) where required_level = 0 and closer_id is null;
create index posts_trending_idx on app.posts (trending_at desc, id desc)
  where required_level = 0 and closer_id is null;
create index posts_closer_idx on app.posts (published_at desc, id desc)
  where required_level <= 2 and closer_id is not null;
create index posts_closer_id_idx on app.posts (closer_id, published_at desc, id desc)
  where required_level <= 2 and closer_id is not null;
create index posts_journalism_idx on app.posts (published_at desc, id desc)
  where is_journalism and required_level <= 2;
create index posts_format_idx on app.posts (format, published_at desc, id desc) where required_level <= 2;
create index posts_depth_idx on app.posts (depth, published_at desc, id desc) where required_level <= 2;

create type app.feed_run as (ids uuid[], times timestamptz[]);
comment on type app.feed_run is 'At most 101 posts of a feed in its order, each with the time that places it.';

create type app.feed_place as (at timestamptz, id uuid);
comment on type app.feed_place is 'A place in a feed. The posts that come next are before it.';

create function private.closer_posts(p_place app.feed_place, p_until timestamptz, p_muted uuid[]) returns app.feed_run
language plpgsql stable security definer   -- checks each post once: see private.visible_posts
set search_path = ''
as $$
declare
  v_from    timestamptz := p_place.at;   -- plain variables: an expression makes no index condition
  v_before  uuid := p_place.id;
  v_until   timestamptz := p_until;
  v_authors uuid[] := array(select author_id from app.audience where viewer_id = app.uid() and level > 0 limit 101);
  v_each    integer;
  v_run     app.feed_run;
begin
  if cardinality(v_authors) = 101 then
    -- many authors: by time, but only 400 posts, since those that the caller may not see must not slow the page down
    select array_agg(c.id order by c.published_at desc, c.id desc),
           array_agg(c.published_at order by c.published_at desc, c.id desc)
    into v_run.ids, v_run.times
    from (select w.id, w.published_at
          from (select id, published_at from app.posts
                where required_level <= 2 and closer_id is not null and (published_at, id) < (v_from, v_before)
                  and published_at >= v_until and author_id <> all (p_muted)
                order by published_at desc, id desc limit 400) w
          join private.visible_posts v on v.id = w.id
          order by w.published_at desc, w.id desc limit 101) c;
    if cardinality(v_run.ids) = 101
       or (select count(*) from (select from app.posts
                                 where required_level <= 2 and closer_id is not null
                                   and (published_at, id) < (v_from, v_before)
                                   and published_at >= v_until and author_id <> all (p_muted) limit 400) w) < 400 then
      return v_run;
    end if;
    v_authors := array(select author_id from app.audience where viewer_id = app.uid() and level > 0);
  end if;

  if v_until = '-infinity' then
    -- by author: a few posts of each, enough for a page, tell how far back it goes; then it takes all up to there
    v_each := 101 / cardinality(v_authors) + 2;
    select c.published_at into v_until
    from unnest(v_authors) a (author_id)
    cross join lateral (
      select published_at, id from private.visible_posts
      where closer_id = a.author_id and required_level <= 2 and author_id <> all (p_muted)
        and (published_at, id) < (v_from, v_before)
      order by published_at desc, id desc limit v_each) c
    order by c.published_at desc offset 100 limit 1;
    v_until := coalesce(v_until, '-infinity');
  end if;
  select array_agg(c.id), array_agg(c.published_at) into v_run.ids, v_run.times
  from (
    select c.id, c.published_at
    from unnest(v_authors) a (author_id)
    cross join lateral (
      select id, published_at from private.visible_posts
      where closer_id = a.author_id and required_level <= 2 and author_id <> all (p_muted)
        and (published_at, id) < (v_from, v_before) and published_at >= v_until
      order by published_at desc, id desc limit 101) c
    order by c.published_at desc, c.id desc limit 101) c;
  return v_run;
end $$;
comment on function private.closer_posts is
  'Posts for circles that the caller may see, also the caller''s own, and reposts of such posts, down to a time.';

create function private.all_posts(p_place app.feed_place, p_muted uuid[]) returns app.feed_run
language plpgsql stable security definer   -- checks each post once: see private.visible_posts
set search_path = ''
as $$
declare
  v_from   timestamptz := p_place.at;
  v_before uuid := p_place.id;
  v_open   app.feed_run;
  v_closer app.feed_run;
begin
  select array_agg(o.id), array_agg(o.published_at) into v_open.ids, v_open.times
  from (select id, published_at from private.visible_posts
        where required_level = 0 and closer_id is null and (published_at, id) < (v_from, v_before)
          and author_id <> all (p_muted)
        order by published_at desc, id desc limit 101) o;
  -- a post older than the last open one cannot be on the page
  v_closer := private.closer_posts(p_place, coalesce(v_open.times[101], '-infinity'), p_muted);
  if v_closer.ids is null then
    return v_open;
  end if;
  select array_agg(m.id), array_agg(m.at) into v_open.ids, v_open.times
  from (select id, at from unnest(v_open.ids || v_closer.ids, v_open.times || v_closer.times) as m (id, at)
        order by at desc, id desc limit 101) m;
  return v_open;
end $$;
comment on function private.all_posts is 'Every post that the caller may see.';

create function private.posts_by(p_authors uuid[], p_place app.feed_place, p_muted uuid[]) returns app.feed_run
language plpgsql stable security definer   -- checks each post once: see private.visible_posts
set search_path = ''
as $$
declare
  v_from   timestamptz := p_place.at;
  v_before uuid := p_place.id;
  v_each   integer := 101 / greatest(cardinality(p_authors), 1) + 2;
  v_until  timestamptz;
  v_run    app.feed_run;
begin
  -- a few posts of each, enough for a page, tell how far back it goes; then it takes all up to there
  select c.published_at into v_until
  from unnest(p_authors) a (author_id)
  cross join lateral (
    select published_at from private.visible_posts
    where author_id = a.author_id and required_level <= 2 and (published_at, id) < (v_from, v_before)
    order by published_at desc, id desc limit v_each) c
  where a.author_id <> all (p_muted)
  order by c.published_at desc offset 100 limit 1;
  v_until := coalesce(v_until, '-infinity');
  select array_agg(c.id), array_agg(c.published_at) into v_run.ids, v_run.times
  from (
    select c.id, c.published_at
    from unnest(p_authors) a (author_id)
    cross join lateral (
      select id, published_at from private.visible_posts
      where author_id = a.author_id and required_level <= 2
        and (published_at, id) < (v_from, v_before) and published_at >= v_until
      order by published_at desc, id desc limit 101) c
    where a.author_id <> all (p_muted)
    order by c.published_at desc, c.id desc limit 101) c;
  return v_run;
end $$;
comment on function private.posts_by is 'Posts by these people.';

create function private.followed_posts(p_place app.feed_place, p_muted uuid[]) returns app.feed_run
language plpgsql stable security definer   -- checks each post once: see private.visible_posts
set search_path = ''
as $$
declare
  v_me      uuid := app.uid();
  v_place   app.feed_place := p_place;
  v_authors uuid[] := array(select following_id from app.follows where follower_id = app.uid() limit 301);
  v_all     app.feed_run;
  v_run     app.feed_run;
begin
  if cardinality(v_authors) <= 300 then
    return private.posts_by(v_authors, p_place, p_muted);
  end if;
  -- many: their posts are among the next of all posts, unless they write little; then it goes by author
  for v_look in 1 .. 8 loop
    v_all := private.all_posts(v_place, p_muted);
    select v_run.ids || array_agg(f.id order by f.place), v_run.times || array_agg(f.at order by f.place)
    into v_run.ids, v_run.times
    from (select a.id, a.at, a.place
          from unnest(v_all.ids, v_all.times) with ordinality as a (id, at, place)
          join app.posts p on p.id = a.id
          where (select true from app.follows where follower_id = v_me and following_id = p.author_id)) f;
    if cardinality(v_run.ids) >= 101 or coalesce(cardinality(v_all.ids), 0) < 101 then
      return (v_run.ids[:101], v_run.times[:101])::app.feed_run;
    end if;
    v_place := (v_all.times[101], v_all.ids[101])::app.feed_place;
  end loop;
  return private.posts_by(array(select following_id from app.follows where follower_id = app.uid()), p_place, p_muted);
end $$;
comment on function private.followed_posts is 'Posts by the people whom the caller follows.';

create function private.trending_posts(p_place app.feed_place, p_muted uuid[]) returns app.feed_run
language plpgsql stable security definer   -- checks each post once: see private.visible_posts
set search_path = ''
as $$
declare
  v_from   timestamptz := p_place.at;
  v_before uuid := p_place.id;
  v_run    app.feed_run;
begin
  select array_agg(o.id), array_agg(o.trending_at) into v_run.ids, v_run.times
  from (select id, trending_at from private.visible_posts
        where required_level = 0 and closer_id is null and (trending_at, id) < (v_from, v_before)
          and author_id <> all (p_muted)
        order by trending_at desc, id desc limit 101) o;
  return v_run;
end $$;
comment on function private.trending_posts is
  'Posts that anyone may see, by heat. Posts for circles do not trend, and neither do reposts of them.';

create function private.posts_about(p_interests uuid[], p_place app.feed_place, p_muted uuid[]) returns app.feed_run
language plpgsql stable security definer   -- checks each post once: see private.visible_posts
set search_path = ''
as $$
declare
  v_from   timestamptz := p_place.at;
  v_before uuid := p_place.id;
  v_each   integer := 101 / greatest(cardinality(p_interests), 1) + 2;
  v_until  timestamptz;
  v_run    app.feed_run;
begin
  -- as in private.posts_by; a post of several of these interests counts once
  select c.published_at into v_until
  from (select distinct c.published_at, c.id
        from unnest(p_interests) n (interest_id)
        cross join lateral (
          select i.published_at, v.id
          from app.post_interests i join private.visible_posts v on v.id = i.post_id
          where i.interest_id = n.interest_id and (i.published_at, i.post_id) < (v_from, v_before)
            and v.required_level <= 2 and v.author_id <> all (p_muted)
          order by i.published_at desc, i.post_id desc limit v_each) c) c
  order by c.published_at desc offset 100 limit 1;
  v_until := coalesce(v_until, '-infinity');
  select array_agg(c.id), array_agg(c.published_at) into v_run.ids, v_run.times
  from (
    select distinct c.published_at, c.id
    from unnest(p_interests) n (interest_id)
    cross join lateral (
      select i.published_at, v.id
      from app.post_interests i join private.visible_posts v on v.id = i.post_id
      where i.interest_id = n.interest_id and (i.published_at, i.post_id) < (v_from, v_before)
        and i.published_at >= v_until and v.required_level <= 2 and v.author_id <> all (p_muted)
      order by i.published_at desc, i.post_id desc limit 101) c
    order by c.published_at desc, c.id desc limit 101) c;
  return v_run;
end $$;
comment on function private.posts_about is 'Posts about these interests.';

create function private.filtered_posts(
  p_journalism boolean, p_format text, p_depths smallint[], p_place app.feed_place, p_muted uuid[]
) returns app.feed_run
language plpgsql stable security definer   -- checks each post once: see private.visible_posts
set search_path = ''
as $$
declare
  v_from   timestamptz := p_place.at;
  v_before uuid := p_place.id;
  v_run    app.feed_run;
begin
  if p_journalism then
    select array_agg(o.id), array_agg(o.published_at) into v_run.ids, v_run.times
    from (select id, published_at from private.visible_posts
          where is_journalism and required_level <= 2 and (published_at, id) < (v_from, v_before)
            and author_id <> all (p_muted)
          order by published_at desc, id desc limit 101) o;
  elsif p_format is not null then
    select array_agg(o.id), array_agg(o.published_at) into v_run.ids, v_run.times
    from (select id, published_at from private.visible_posts
          where format = p_format and required_level <= 2 and (published_at, id) < (v_from, v_before)
            and author_id <> all (p_muted)
          order by published_at desc, id desc limit 101) o;
  else
    select array_agg(o.id), array_agg(o.published_at) into v_run.ids, v_run.times
    from (select o.id, o.published_at
          from unnest(p_depths) d (depth)
          cross join lateral (
            select id, published_at from private.visible_posts v
            where v.depth = d.depth and required_level <= 2 and (published_at, id) < (v_from, v_before)
              and author_id <> all (p_muted)
            order by published_at desc, id desc limit 101) o
          order by o.published_at desc, o.id desc limit 101) o;
  end if;
  return v_run;
end $$;
comment on function private.filtered_posts is
  'Posts of journalism, or else those with a format, or else those with one of these depths.';
