-- The sources of a feed. Each source returns the next 101 posts that the caller may see, ordered by time or, for the
-- tab trending, by trending_at. It has one statement for each index that it reads. Only private.all_posts leaves the
-- visibility check to the calling function. One call of a source reads a limited number of index entries. If the
-- caller may see few of these posts, the source returns fewer than 101, and the place from which the next call
-- continues. docs/decisions.md, Feed.

-- none of these indexes has posts in spaces, which only members can see; posts_within_id_idx finds them
create index posts_public_idx on app.posts (published_at desc, id desc)
  where required_level = 0 and closer_id is null and within_id is null;
comment on index app.posts_public_idx is
  'Posts for everybody, newest first: private.all_posts, private.add_feed_block, and lists of discovery.';
create index posts_trending_idx on app.posts (trending_at desc, id desc)
  where required_level = 0 and closer_id is null and within_id is null;
comment on index app.posts_trending_idx is 'private.trending_posts.';
create index posts_closer_idx on app.posts (published_at desc, id desc)
  where required_level <= 2 and closer_id is not null and within_id is null;
comment on index app.posts_closer_idx is
  'Posts for circles by time: private.add_feed_block, and private.closer_posts if more than 100 people have the '
  'caller in a circle.';
create index posts_closer_id_idx on app.posts (closer_id, published_at desc, id desc)
  where required_level <= 2 and closer_id is not null and within_id is null;
comment on index app.posts_closer_id_idx is
  'Posts for circles by the person in whose circle a viewer must be: private.closer_posts.';
create index posts_journalism_idx on app.posts (published_at desc, id desc)
  where is_journalism and required_level <= 2 and within_id is null;
comment on index app.posts_journalism_idx is 'private.filtered_posts: the feed of journalism.';
create index posts_format_idx on app.posts (format, published_at desc, id desc)
  where required_level <= 2 and within_id is null and format <> 'note';
comment on index app.posts_format_idx is
  'private.filtered_posts: the feed of a format. It leaves out notes, because most posts are notes, and these have '
  'no such feed.';
create index posts_depth_idx on app.posts (depth, published_at desc, id desc)
  where required_level <= 2 and within_id is null and depth > 0;
comment on index app.posts_depth_idx is
  'private.filtered_posts: the feed of some depths. It leaves out posts without a depth, because most posts have '
  'none.';

create type app.feed_run as (ids uuid[], times timestamptz[], next app.place, looked integer);
comment on type app.feed_run is
  'A run of at most 101 posts of a feed, in the feed''s order. times has the time that determines the place of each '
  'post. next is the place after which the feed continues, null at its end. looked is the number of index entries '
  'that were read.';

create function private.run_of(p_ids uuid[], p_times timestamptz[], p_cut app.place, p_looked integer)
returns app.feed_run
language plpgsql immutable
set search_path = ''
as $$
begin
  -- the scan stopped after 101 posts, usually long before it had read p_looked entries
  if cardinality(p_ids) = 101 then
    return (p_ids, p_times, (p_times[101], p_ids[101])::app.place, least(p_looked, 101))::app.feed_run;
  end if;
  return (p_ids, p_times, p_cut, p_looked)::app.feed_run;
end $$;
comment on function private.run_of is
  'Makes a run of up to 101 posts. A full run continues after its last post, any other run from p_cut.';

create function private.merged_streams(
  p_ids uuid[], p_times timestamptz[], p_places integer[], p_most integer, p_until timestamptz, p_muted uuid[]
) returns app.feed_run
language plpgsql stable security definer   -- checks visibility once per post: see private.visible_posts
set search_path = ''
as $$
declare
  v_cut   app.place;
  v_ids   uuid[];
  v_times timestamptz[];
begin
  -- a stream that returned its maximum may have more posts after its last one, so the merged list ends at that post
  select r.at, r.id into v_cut
  from unnest(p_ids, p_times, p_places) as r (id, at, place)
  where r.place = p_most order by r.at desc, r.id desc limit 1;
  if v_cut.at is null and p_until > '-infinity' then
    v_cut := (p_until, '00000000-0000-0000-0000-000000000000');
  end if;
  select array_agg(c.id order by c.at desc, c.id desc), array_agg(c.at order by c.at desc, c.id desc)
  into v_ids, v_times
  from (select r.id, r.at
        from (select distinct u.at, u.id from unnest(p_ids, p_times) as u (id, at)
              where v_cut.at is null or (u.at, u.id) >= (v_cut.at, v_cut.id)
              order by u.at desc, u.id desc) r
        join private.listed_posts v on v.id = r.id
        where v.required_level <= 2 and v.author_id <> all (p_muted)
        order by r.at desc, r.id desc limit 101) c;
  return private.run_of(v_ids, v_times, v_cut, coalesce(cardinality(p_ids), 0));
end $$;
comment on function private.merged_streams is
  'The newest 101 posts that the caller may see in several streams, for example the posts of each author. p_ids, '
  'p_times and p_places are the next entries of all streams: the post, its time, and its place in its stream, from '
  '1. Each stream has at most p_most entries, none before p_until. Posts by the people in p_muted are left out.';

create function private.closer_posts(p_place app.place, p_until timestamptz, p_muted uuid[]) returns app.feed_run
language plpgsql stable security definer   -- checks visibility once per post: see private.visible_posts
set search_path = ''
as $$
declare
  v_from    timestamptz := p_place.at;   -- plain variables, so that the planner can use the index
  v_before  uuid := p_place.id;
  v_until   timestamptz := p_until;
  v_authors uuid[] := array(select author_id from app.audience where viewer_id = app.uid() and level > 0 limit 101);
  v_each    integer;
  v_most    integer;
  v_cut     app.place;
  v_ids     uuid[];
  v_times   timestamptz[];
  v_places  integer[];
begin
  if cardinality(v_authors) = 101 then
    -- if there are many authors, read by time
    select array_agg(c.id order by c.published_at desc, c.id desc),
           array_agg(c.published_at order by c.published_at desc, c.id desc)
    into v_ids, v_times
    from (select w.id, w.published_at
          from (select id, published_at from app.posts
                where required_level <= 2 and closer_id is not null and within_id is null
                  and (published_at, id) < (v_from, v_before)
                  and published_at >= v_until
                order by published_at desc, id desc limit 400) w
          join private.listed_posts v on v.id = w.id
          where v.author_id <> all (p_muted)
          order by w.published_at desc, w.id desc limit 101) c;
    if coalesce(cardinality(v_ids), 0) < 101 then
      select published_at, id into v_cut from app.posts
      where required_level <= 2 and closer_id is not null and within_id is null
        and (published_at, id) < (v_from, v_before)
        and published_at >= v_until
      order by published_at desc, id desc offset 399 limit 1;
    end if;
    if v_cut.at is null then   -- all posts down to v_until were read
      return private.run_of(v_ids, v_times, case when v_until > '-infinity' then
        (v_until, '00000000-0000-0000-0000-000000000000')::app.place end, 400);
    end if;
    v_authors := array(select author_id from app.audience where viewer_id = app.uid() and level > 0 limit 1001);
    if cardinality(v_authors) = 1001 then
      return private.run_of(v_ids, v_times, v_cut, 400);
    end if;
  end if;

  -- Read by author. First read a few posts of each author, enough for a page, to find the time at which the page ends.
  -- Then read all posts of each author since that time.
  v_each := 101 / greatest(cardinality(v_authors), 1) + 2;
  v_most := least(101, 4000 / greatest(cardinality(v_authors), 1));
  if v_until = '-infinity' then
    select c.published_at into v_until
    from unnest(v_authors) a (author_id)
    cross join lateral (
      select published_at from app.posts
      where closer_id = a.author_id and required_level <= 2 and within_id is null
        and (published_at, id) < (v_from, v_before)
      order by published_at desc, id desc limit v_each) c
    order by c.published_at desc offset 100 limit 1;
    v_until := coalesce(v_until, '-infinity');
  end if;
  select array_agg(c.id), array_agg(c.published_at), array_agg(c.place) into v_ids, v_times, v_places
  from unnest(v_authors) a (author_id)
  cross join lateral (
    select id, published_at, row_number() over (order by published_at desc, id desc) as place from app.posts
    where closer_id = a.author_id and required_level <= 2 and within_id is null
      and (published_at, id) < (v_from, v_before) and published_at >= v_until
    order by published_at desc, id desc limit v_most) c;
  return private.merged_streams(v_ids, v_times, v_places, v_most, v_until, p_muted);
end $$;
comment on function private.closer_posts is
  'The posts for circles that the caller may see, including the caller''s own posts, and reposts of such posts, '
  'down to the time p_until. If the caller is in the circles of more than 1000 people, the function reads by time '
  'only.';

create function private.all_posts(p_place app.place, p_muted uuid[]) returns app.feed_run
language plpgsql stable security definer   -- the calling function checks visibility once per post
set search_path = ''
as $$
declare
  v_from   timestamptz := p_place.at;
  v_before uuid := p_place.id;
  v_open   app.feed_run;
  v_closer app.feed_run;
  v_cut    app.place;
  v_ids    uuid[];
  v_times  timestamptz[];
begin
  select array_agg(o.id), array_agg(o.published_at) into v_ids, v_times
  from (select id, published_at from app.posts
        where required_level = 0 and closer_id is null and within_id is null
          and (published_at, id) < (v_from, v_before)
        order by published_at desc, id desc limit 101) o;
  v_open := private.run_of(v_ids, v_times, null, 101);
  v_cut := v_open.next;
  -- the run ends at v_cut, so it needs no older posts
  v_closer := private.closer_posts(p_place, coalesce(v_cut.at, '-infinity'), p_muted);
  if (v_closer.next).at is not null and (v_cut.at is null
                                         or ((v_closer.next).at, (v_closer.next).id) > (v_cut.at, v_cut.id)) then
    v_cut := v_closer.next;
  elsif v_closer.ids is null then
    return v_open;
  end if;
  select array_agg(m.id), array_agg(m.at) into v_ids, v_times
  from (select u.id, u.at from unnest(v_open.ids || v_closer.ids, v_open.times || v_closer.times) as u (id, at)
        where v_cut.at is null or (u.at, u.id) >= (v_cut.at, v_cut.id)
        order by u.at desc, u.id desc limit 101) m;
  return private.run_of(v_ids, v_times, v_cut, v_open.looked + v_closer.looked);
end $$;
comment on function private.all_posts is
  'All posts that the caller may see, except those in spaces. It also returns public posts that the caller may not '
  'see because of their author or of the post that they repost. The calling function must check the visibility of '
  'the posts that it uses.';

create function private.posts_by(p_authors uuid[], p_place app.place, p_muted uuid[]) returns app.feed_run
language plpgsql stable security definer   -- the streams are checked in private.merged_streams
set search_path = ''
as $$
declare
  v_from   timestamptz := p_place.at;
  v_before uuid := p_place.id;
  v_each   integer := 101 / greatest(cardinality(p_authors), 1) + 2;
  v_most   integer := least(101, 4000 / greatest(cardinality(p_authors), 1));
  v_until  timestamptz;
  v_ids    uuid[];
  v_times  timestamptz[];
  v_places integer[];
begin
  -- first read a few posts of each author, enough for a page, to find the time at which the page ends; then read all
  -- posts since that time
  select c.published_at into v_until
  from unnest(p_authors) a (author_id)
  cross join lateral (
    select published_at from app.posts
    where author_id = a.author_id and (published_at, id) < (v_from, v_before)
    order by published_at desc, id desc limit v_each) c
  where a.author_id <> all (p_muted)
  order by c.published_at desc offset 100 limit 1;
  v_until := coalesce(v_until, '-infinity');
  select array_agg(c.id), array_agg(c.published_at), array_agg(c.place) into v_ids, v_times, v_places
  from unnest(p_authors) a (author_id)
  cross join lateral (
    select id, published_at, row_number() over (order by published_at desc, id desc) as place from app.posts
    where author_id = a.author_id and (published_at, id) < (v_from, v_before) and published_at >= v_until
    order by published_at desc, id desc limit v_most) c
  where a.author_id <> all (p_muted);
  return private.merged_streams(v_ids, v_times, v_places, v_most, v_until, p_muted);
end $$;
comment on function private.posts_by is 'Posts by these people, at most 2000.';

create function private.followed_posts(p_place app.place, p_muted uuid[]) returns app.feed_run
language plpgsql stable security definer   -- checks visibility once per post: see private.visible_posts
set search_path = ''
as $$
declare
  v_me      uuid := app.uid();
  v_place   app.place := p_place;
  -- private.all_posts leaves out the posts in the caller's spaces
  v_by_all  boolean := not exists (select from app.space_members where user_id = app.uid());
  v_authors uuid[] := array(select following_id from app.follows where follower_id = app.uid() limit 301);
  v_looked  integer := 0;
  v_all     app.feed_run;
  v_ids     uuid[];
  v_times   timestamptz[];
begin
  if cardinality(v_authors) <= 300 then
    return private.posts_by(v_authors, p_place, p_muted);
  elsif not v_by_all then
    v_authors := array(select following_id from app.follows where follower_id = app.uid() limit 2001);
    if cardinality(v_authors) <= 2000 then
      return private.posts_by(v_authors, p_place, p_muted);
    end if;
  end if;
  -- if there are many authors, first look for their posts among all posts; if there are too few, because the authors
  -- write little, read by author
  for v_look in 1 .. 8 loop
    v_all := private.all_posts(v_place, p_muted);
    v_looked := v_looked + v_all.looked;
    select v_ids || array_agg(f.id order by f.place), v_times || array_agg(f.at order by f.place)
    into v_ids, v_times
    from (select a.id, a.at, a.place
          from unnest(v_all.ids, v_all.times) with ordinality as a (id, at, place)
          join private.listed_posts p on p.id = a.id
          where (select true from app.follows where follower_id = v_me and following_id = p.author_id)
            and p.author_id <> all (p_muted)) f;
    v_place := v_all.next;
    if cardinality(v_ids) >= 101 or v_place.at is null then
      return private.run_of(v_ids[:101], v_times[:101], v_place, v_looked);
    end if;
  end loop;
  v_authors := array(select following_id from app.follows where follower_id = app.uid() limit 2001);
  if cardinality(v_authors) = 2001 then
    return private.run_of(v_ids, v_times, v_place, v_looked);
  end if;
  return private.posts_by(v_authors, p_place, p_muted);
end $$;
comment on function private.followed_posts is
  'Posts by the people whom the caller follows. If the caller follows more than 2000 people, the function reads by '
  'time only, and leaves out posts in spaces.';

create function private.trending_posts(p_place app.place, p_muted uuid[]) returns app.feed_run
language plpgsql stable security definer   -- checks visibility once per post: see private.visible_posts
set search_path = ''
as $$
declare
  v_from   timestamptz := p_place.at;
  v_before uuid := p_place.id;
  v_cut    app.place;
  v_ids    uuid[];
  v_times  timestamptz[];
begin
  select array_agg(o.id), array_agg(o.trending_at) into v_ids, v_times
  from (select w.id, w.trending_at
        from (select id, trending_at from app.posts
              where required_level = 0 and closer_id is null and within_id is null
                and (trending_at, id) < (v_from, v_before)
              order by trending_at desc, id desc limit 400) w
        join private.listed_posts v on v.id = w.id
        where v.author_id <> all (p_muted)
        order by w.trending_at desc, w.id desc limit 101) o;
  if coalesce(cardinality(v_ids), 0) < 101 then
    select trending_at, id into v_cut from app.posts
    where required_level = 0 and closer_id is null and within_id is null and (trending_at, id) < (v_from, v_before)
    order by trending_at desc, id desc offset 399 limit 1;
  end if;
  return private.run_of(v_ids, v_times, v_cut, 400);
end $$;
comment on function private.trending_posts is
  'Posts for everybody, by trending_at. Posts for circles don''t trend, and neither do reposts of them.';

create function private.posts_about(p_interests uuid[], p_place app.place, p_muted uuid[]) returns app.feed_run
language plpgsql stable security definer   -- the streams are checked in private.merged_streams
set search_path = ''
as $$
declare
  v_from   timestamptz := p_place.at;
  v_before uuid := p_place.id;
  v_each   integer := 101 / greatest(cardinality(p_interests), 1) + 2;
  v_most   integer := greatest(4, least(101, 4000 / greatest(cardinality(p_interests), 1)));
  v_until  timestamptz;
  v_ids    uuid[];
  v_times  timestamptz[];
  v_places integer[];
begin
  -- the same as in private.posts_by; a post that is about several of these interests counts once
  select c.published_at into v_until
  from (select distinct c.published_at, c.post_id
        from unnest(p_interests) n (interest_id)
        cross join lateral (
          select published_at, post_id from app.post_interests
          where interest_id = n.interest_id and (published_at, post_id) < (v_from, v_before)
          order by published_at desc, post_id desc limit v_each) c) c
  order by c.published_at desc offset 100 limit 1;
  v_until := coalesce(v_until, '-infinity');
  select array_agg(c.post_id), array_agg(c.published_at), array_agg(c.place) into v_ids, v_times, v_places
  from unnest(p_interests) n (interest_id)
  cross join lateral (
    select post_id, published_at, row_number() over (order by published_at desc, post_id desc) as place
    from app.post_interests
    where interest_id = n.interest_id and (published_at, post_id) < (v_from, v_before) and published_at >= v_until
    order by published_at desc, post_id desc limit v_most) c;
  return private.merged_streams(v_ids, v_times, v_places, v_most, v_until, p_muted);
end $$;
comment on function private.posts_about is 'Posts about these interests.';

create function private.filtered_posts(
  p_journalism boolean, p_format text, p_depths smallint[], p_place app.place, p_muted uuid[]
) returns app.feed_run
language plpgsql stable security definer   -- checks visibility once per post: see private.visible_posts
set search_path = ''
as $$
declare
  v_from   timestamptz := p_place.at;
  v_before uuid := p_place.id;
  v_cut    app.place;
  v_ids    uuid[];
  v_times  timestamptz[];
  v_places integer[];
begin
  if p_journalism then
    select array_agg(o.id), array_agg(o.published_at) into v_ids, v_times
    from (select w.id, w.published_at
          from (select id, published_at from app.posts
                where is_journalism and required_level <= 2 and within_id is null
                  and (published_at, id) < (v_from, v_before)
                order by published_at desc, id desc limit 400) w
          join private.listed_posts v on v.id = w.id
          where v.author_id <> all (p_muted)
          order by w.published_at desc, w.id desc limit 101) o;
    if coalesce(cardinality(v_ids), 0) < 101 then
      select published_at, id into v_cut from app.posts
      where is_journalism and required_level <= 2 and within_id is null and (published_at, id) < (v_from, v_before)
      order by published_at desc, id desc offset 399 limit 1;
    end if;
    return private.run_of(v_ids, v_times, v_cut, 400);
  elsif p_format <> 'note' then
    select array_agg(o.id), array_agg(o.published_at) into v_ids, v_times
    from (select w.id, w.published_at
          from (select id, published_at from app.posts
                where format = p_format and format <> 'note' and required_level <= 2 and within_id is null
                  and (published_at, id) < (v_from, v_before)
                order by published_at desc, id desc limit 400) w
          join private.listed_posts v on v.id = w.id
          where v.author_id <> all (p_muted)
          order by w.published_at desc, w.id desc limit 101) o;
    if coalesce(cardinality(v_ids), 0) < 101 then
      select published_at, id into v_cut from app.posts
      where format = p_format and format <> 'note' and required_level <= 2 and within_id is null
        and (published_at, id) < (v_from, v_before)
      order by published_at desc, id desc offset 399 limit 1;
    end if;
    return private.run_of(v_ids, v_times, v_cut, 400);
  end if;
  select array_agg(o.id), array_agg(o.published_at), array_agg(o.place) into v_ids, v_times, v_places
  from unnest(p_depths) d (depth)
  cross join lateral (
    select id, published_at, row_number() over (order by published_at desc, id desc) as place from app.posts p
    where p.depth = d.depth and p.depth > 0 and required_level <= 2 and within_id is null
      and (published_at, id) < (v_from, v_before)
    order by published_at desc, id desc limit 101) o;
  return private.merged_streams(v_ids, v_times, v_places, 101, '-infinity', p_muted);
end $$;
comment on function private.filtered_posts is
  'The newest posts that pass one filter: journalism if p_journalism is true, otherwise the format p_format if it is '
  'not note, otherwise the depths in p_depths.';

do $$
declare
  v_source regproc;
begin
  foreach v_source in array array[
    'private.merged_streams', 'private.closer_posts', 'private.all_posts', 'private.posts_by',
    'private.trending_posts', 'private.posts_about', 'private.filtered_posts']::regproc[]
  loop
    call private.force_index_scans(v_source);
  end loop;
end $$;
