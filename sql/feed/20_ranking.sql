-- How For You is ranked: posts in time order are cut into blocks at fixed boundaries, and within a block the score
-- decides. The score does not change with the clock, so that walking the feed to its end gives every post once.
-- docs/decisions.md, Feed.

create table app.feed_blocks (
  starts_at timestamptz primary key
);
comment on table app.feed_blocks is
  'The boundaries of the ranked feed, about 50 posts apart. They never move; a block goes from one up to the next.';
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
     and v_at > v_start   -- a slow transaction may come with an earlier time, and blocks that are cut stay as they are
     -- of two at the same time, one leaves it to the other
     and pg_try_advisory_xact_lock(hashtextextended('feed blocks', 0)) then
    insert into app.feed_blocks (starts_at) values (v_at) on conflict do nothing;
  end if;
end $$;
comment on function private.add_feed_block is 'Listener: a post that comes after 50 others begins a new block of the '
  'ranked feed. Those in spaces count for nothing, since others than their members have nothing of them.';
insert into private.event_listeners (event, listener, position) values
  ('posts.post.published', 'private.add_feed_block', 200);

create function private.block_start(p_at timestamptz) returns timestamptz
language plpgsql stable security definer   -- nobody may read the boundaries
set search_path = ''
as $$
begin
  return coalesce((select max(starts_at) from app.feed_blocks where starts_at <= p_at), '-infinity');
end $$;
comment on function private.block_start is 'The beginning of the block in which a moment lies.';

create function private.block_end(p_at timestamptz) returns timestamptz
language plpgsql stable security definer   -- nobody may read the boundaries
set search_path = ''
as $$
begin
  return coalesce((select min(starts_at) from app.feed_blocks where starts_at > p_at), 'infinity');
end $$;
comment on function private.block_end is 'The end of the block in which a moment lies.';

create function private.posts_within(p_spaces uuid[], p_before timestamptz, p_until timestamptz, p_muted uuid[])
returns app.feed_run
language plpgsql stable security definer   -- checks each post once: see private.visible_posts
set search_path = ''
as $$
declare
  v_before timestamptz := p_before;   -- plain variables: an expression makes no index condition
  v_until  timestamptz := p_until;
  v_start  timestamptz := p_until;
  v_each   integer := 51 / greatest(cardinality(p_spaces), 1) + 2;
  v_from   timestamptz;
  v_ids    uuid[];
  v_times  timestamptz[];
  v_looked integer;
begin
  -- a few posts of each, enough for 51, tell how far back those go; then it takes all up to there
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
    if v_start > v_times[1] then   -- all of one block, which shows the newest 50
      v_start := private.block_start(v_times[51]);
      v_ids := v_ids[:50];
      v_times := v_times[:50];
    end if;
  end if;
  select array_agg(w.id), array_agg(w.at) into v_ids, v_times
  from unnest(v_ids, v_times) as w (id, at) join private.visible_posts v on v.id = w.id
  where w.at >= v_start and v.required_level <= 2 and v.author_id <> all (p_muted);
  return (v_ids, v_times, (v_start, '00000000-0000-0000-0000-000000000000')::app.place, v_looked)::app.feed_run;
end $$;
comment on function private.posts_within is
  'What the caller may see of the newest posts in these spaces, of each block the newest 50, from one boundary of '
  'blocks down to another: that at p_until, or a later one where 50 posts end before. So a look needs no second one, '
  'however much is posted in a space.';
call private.force_index_scans('private.posts_within');

create function private.feed_scores(p_ids uuid[])
returns table (id uuid, at timestamptz, is_visible boolean, score integer, weights integer[])
language plpgsql stable security definer   -- nobody may read scores; says of each post whether the caller may see it
set search_path = ''
as $$
declare
  v_me uuid := app.uid();
begin
  return query
    select f.id, f.published_at, f.is_visible, s.plain + b.more,
           array[f.engagement, f.depth, f.interest, f.following, f.circle, b.more]
    from (
      select p.id, p.published_at, p.is_visible,
             (ln(1::float8 + c.reactions + c.replies * 2 + c.shares * 3 + c.bookmarks * 2) * 10000)::integer
               as engagement,
             coalesce(10000 - 2000 * abs(coalesce(o.depth, p.depth) - i.depth), 0) as depth,
             case when i.depth is null then 0 else 10000 end as interest,
             case when f.following_id is null then 0 else 10000 end as following,
             case p.viewer_level when 1 then 5000 when 2 then 10000 else 0 end as circle,
             case when p.format <> 'repost' then c.boost else 0 end as multiplier
      from unnest(p_ids) as w (id)
      join private.posts_with_visibility p on p.id = w.id
      left join app.posts o on o.id = case p.format when 'repost' then p.quoted_post_id end
      join app.post_counters c on c.post_id = coalesce(o.id, p.id)
      left join app.user_interests i on i.user_id = v_me
        and i.interest_id = coalesce(o.interest_id, p.interest_id)   -- a repost has none of its own
      left join app.follows f on f.follower_id = v_me and f.following_id = p.author_id) f
    cross join lateral (select f.engagement + f.depth + f.interest + f.following + f.circle as plain) s
    cross join lateral (select (s.plain * greatest(f.multiplier - 1, 0))::integer as more) b;
end $$;
comment on function private.feed_scores is
  'Whether the caller may see these posts, and what they are worth to the caller, in ten-thousandths: engagement '
  'ln(1 + hearts + 2 replies + 3 reposts + 2 bookmarks), depth 0..1 (how near the post''s depth is to the depth that '
  'the caller chose for its primary interest), interest 1 (the caller has chosen that), following 1, circle 0.5 or 1 '
  '(the caller is in the author''s circle or inner circle); and boost, which multiplies all that. These are the '
  'weights in this order, and score is their sum. A repost takes the first three from its original, and no boost.';
call private.force_index_scans('private.feed_scores');
