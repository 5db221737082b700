-- The ranking of For You. Fixed boundaries divide the posts, in time order, into blocks, and within a block posts are
-- ordered by score. The score doesn't depend on the current time, so paging through the feed returns every post once.
-- docs/decisions.md, Feed.

create table app.feed_blocks (
  starts_at timestamptz primary key
);
comment on table app.feed_blocks is
  'The boundaries of the blocks of the ranked feed, about 50 posts apart. They never change. A block goes from one '
  'boundary up to the next.';
comment on column app.feed_blocks.starts_at is 'The time of the first post of the block.';

create function private.add_feed_block(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_start timestamptz := coalesce((select max(starts_at) from app.feed_blocks), '-infinity');
  v_at    timestamptz := (select published_at from app.posts
                          where id = (p_event ->> 'postId')::uuid and within_id is null);
begin
  if (select count(*) from (
        (select from app.posts
         where required_level = 0 and closer_id is null and within_id is null and published_at >= v_start limit 51)
        union all (select from app.posts
                   where required_level <= 2 and closer_id is not null and within_id is null
                     and published_at >= v_start limit 51)) p) > 50
     and v_at > v_start   -- a slow transaction may publish with an earlier time, and existing blocks must not change
     -- only one of two concurrent calls adds the boundary
     and pg_try_advisory_xact_lock(hashtextextended('feed blocks', 0)) then
    insert into app.feed_blocks (starts_at) values (v_at) on conflict do nothing;
  end if;
end $$;
comment on function private.add_feed_block is
  'Listener: a post published after 50 others starts a new block of the ranked feed. Posts in spaces don''t count, '
  'because only members see them.';
insert into private.event_listeners (event, listener, position) values
  ('posts.post.published', 'private.add_feed_block', 200);

create function private.block_start(p_at timestamptz) returns timestamptz
language plpgsql stable security definer   -- callers may not read the boundaries
set search_path = ''
as $$
begin
  return coalesce((select max(starts_at) from app.feed_blocks where starts_at <= p_at), '-infinity');
end $$;
comment on function private.block_start is 'The start of the block that contains a time.';

create function private.block_end(p_at timestamptz) returns timestamptz
language plpgsql stable security definer   -- callers may not read the boundaries
set search_path = ''
as $$
begin
  return coalesce((select min(starts_at) from app.feed_blocks where starts_at > p_at), 'infinity');
end $$;
comment on function private.block_end is 'The end of the block that contains a time.';

create function private.split_feed_block(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post  uuid := p_event ->> 'postId';
  v_at    timestamptz;
  v_start timestamptz;
  v_end   timestamptz;
begin
  -- count the block for only one of 25 posts, chosen by its random id, because counting takes a millisecond
  if get_byte(uuid_send(v_post), 0) % 25 <> 0 then
    return;
  end if;
  select published_at into v_at from app.posts where id = v_post;
  v_start := private.block_start(v_at);
  v_end := private.block_end(v_at);
  if v_at > v_start and (select count(*) from (
        (select from app.posts
         where required_level = 0 and closer_id is null and within_id is null and published_at >= v_start
           and published_at < v_end limit 101)
        union all (select from app.posts
                   where required_level <= 2 and closer_id is not null and within_id is null
                     and published_at >= v_start and published_at < v_end limit 101)) p) > 100 then
    insert into app.feed_blocks (starts_at) values (v_at) on conflict do nothing;
  end if;
end $$;
comment on function private.split_feed_block is
  'Listener: an imported post begins a new block if its block already has 100 posts, so that no import makes a '
  'block long. Only one of 25 imported posts checks this. A client that reads the block at that time may get a post '
  'twice, or miss one.';
insert into private.event_listeners (event, listener, position) values
  ('posts.post.imported', 'private.split_feed_block', 200);

create function private.posts_within(p_spaces uuid[], p_before timestamptz, p_until timestamptz, p_muted uuid[])
returns app.feed_run
language plpgsql stable security definer   -- checks visibility once per post: see private.visible_posts
set search_path = ''
as $$
declare
  v_before timestamptz := p_before;   -- plain variables, so that the planner can use the index
  v_until  timestamptz := p_until;
  v_start  timestamptz := p_until;
  v_each   integer := 51 / greatest(cardinality(p_spaces), 1) + 2;
  v_from   timestamptz;
  v_ids    uuid[];
  v_times  timestamptz[];
  v_looked integer;
begin
  -- first read a few posts of each space, enough for 51, to find the time of the 51st; then read all posts since that
  -- time
  select c.published_at into v_from
  from unnest(p_spaces) s (id)
  cross join lateral (
    select published_at from app.posts
    where within_id = s.id and required_level <= 2 and published_at < v_before and published_at >= v_until
    order by published_at desc, id desc limit v_each) c
  order by c.published_at desc offset 50 limit 1;
  v_from := coalesce(v_from, v_until);
  select array_agg(w.id), array_agg(w.published_at) into v_ids, v_times
  from (select c.id, c.published_at
        from unnest(p_spaces) s (id)
        cross join lateral (
          select id, published_at from app.posts
          where within_id = s.id and required_level <= 2 and published_at < v_before and published_at >= v_from
          order by published_at desc, id desc limit 51) c
        order by c.published_at desc, c.id desc limit 51) w;
  v_looked := 2 * cardinality(p_spaces) + coalesce(cardinality(v_ids), 0);
  if cardinality(v_ids) = 51 then
    v_start := private.block_end(v_times[51]);
    if v_start > v_times[1] then   -- all 51 posts are in one block; show only the newest 50
      v_start := private.block_start(v_times[51]);
      v_ids := v_ids[:50];
      v_times := v_times[:50];
    end if;
  end if;
  select array_agg(w.id), array_agg(w.at) into v_ids, v_times
  from unnest(v_ids, v_times) as w (id, at) join private.listed_posts v on v.id = w.id
  where w.at >= v_start and v.required_level <= 2 and v.author_id <> all (p_muted);
  return (v_ids, v_times, (v_start, '00000000-0000-0000-0000-000000000000')::app.place, v_looked)::app.feed_run;
end $$;
comment on function private.posts_within is
  'The newest posts in these spaces that the caller may see, between two boundaries of blocks. It returns at most '
  '50 posts. It stops at p_until or, if there are more posts, at a later boundary. From a block with more than 50 '
  'posts in these spaces it returns only the newest 50. One call is therefore enough, however many posts a space '
  'has.';
call private.force_index_scans('private.posts_within');

create function private.feed_scores(p_ids uuid[])
returns table (id uuid, at timestamptz, is_listed boolean, score integer, weights integer[])
language plpgsql stable security definer   -- callers may not read scores; the function checks visibility itself
set search_path = ''
as $$
declare
  v_me uuid := app.uid();
begin
  return query
    select f.id, f.published_at, f.is_listed, s.plain + b.more,
           array[f.engagement, f.depth, f.interest, f.following, f.circle, b.more]
    from (
      select p.id, p.published_at,
             p.is_visible and not l.is_limited as is_listed,
             (ln(1::float8 + c.reactions + c.replies * 2 + c.shares * 3 + c.bookmarks * 2) * 10000)::integer
               as engagement,
             coalesce(10000 - 2000 * abs(coalesce(o.depth, p.depth) - i.depth), 0) as depth,
             case when i.depth is null then 0 else 10000 end as interest,
             case when f.following_id is null then 0 else 10000 end as following,
             case p.viewer_level when 1 then 5000 when 2 then 10000 else 0 end as circle,
             case when p.format <> 'repost' then c.boost else 0 end as multiplier
      from unnest(p_ids) as w (id)
      join private.posts_with_visibility p on p.id = w.id
      cross join lateral private.limited_post_for(p.author_id, p.format, p.quoted_post_id) l
      left join app.posts o on o.id = case p.format when 'repost' then p.quoted_post_id end
      join app.post_counters c on c.post_id = coalesce(o.id, p.id)
      left join app.user_interests i on i.user_id = v_me
        and i.interest_id = coalesce(o.interest_id, p.interest_id)   -- a repost has no interest
      left join app.follows f on f.follower_id = v_me and f.following_id = p.author_id) f
    cross join lateral (select f.engagement + f.depth + f.interest + f.following + f.circle as plain) s
    cross join lateral (select (s.plain * greatest(f.multiplier - 1, 0))::integer as more) b;
end $$;
comment on function private.feed_scores is
  'Returns whether the caller''s feed may have these posts, and their score for the caller, in ten-thousandths. The '
  'score is the sum of the weights, in this order: engagement, ln(1 + hearts + 2 replies + 3 reposts + 2 bookmarks); '
  'depth, 0 to 1, for the nearness of the post''s depth to the depth that the caller chose for its primary interest; '
  'interest, 1 if the caller has chosen that interest; following, 1 if the caller follows the author; circle, 0.5 or '
  '1 if the caller is in the author''s circle or inner circle; and boost, the amount that the boost''s multiplier '
  'adds to the sum of the others. A repost has the first three weights of its original, and no boost.';
call private.force_index_scans('private.feed_scores');
