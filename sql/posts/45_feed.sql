-- The home feed: every post that the caller may see, newest first.
-- Specification: Posts and feed. Decisions: Lists; Visibility.

-- one index for what anyone may see, two for what is for somebody closer: nobody's page waits for what is not for them
create index posts_open_idx on app.posts (created_at desc, id desc) where required_level = 0;
create index posts_closer_idx on app.posts (created_at desc, id desc) where required_level in (1, 2);
create index posts_closer_author_idx on app.posts (author_id, created_at desc, id desc) where required_level in (1, 2);

create function private.feed_ids(p_from timestamptz, p_before uuid, p_muted uuid[]) returns uuid[]
language plpgsql stable   -- invoker: row-level security has the last word on each
set search_path = ''
as $$
declare
  v_ids    uuid[];
  v_times  timestamptz[];
  v_until  timestamptz := '-infinity';
  v_closer uuid[];
begin
  select array_agg(o.id), array_agg(o.created_at) into v_ids, v_times
  from (select id, created_at from app.posts
        where required_level = 0 and (created_at, id) < (p_from, p_before) and author_id <> all (p_muted)
        order by created_at desc, id desc limit 51) o;
  if cardinality(v_ids) = 51 then
    v_until := v_times[51];   -- what is older than the last open post cannot be on the page
  end if;

  v_closer := array(select author_id from app.audience where viewer_id = app.uid() and level > 0 limit 101);
  if cardinality(v_closer) <= 100 then
    -- by author: however much others keep among themselves, it is not looked at
    select v_ids || array_agg(c.id), v_times || array_agg(c.created_at) into v_ids, v_times
    from unnest(v_closer) a (author_id)
    cross join lateral (
      select id, created_at from app.posts
      where author_id = a.author_id and required_level in (1, 2)
        and (created_at, id) < (p_from, p_before) and created_at >= v_until
      order by created_at desc, id desc limit 51) c
    where a.author_id <> all (p_muted);
  else
    select v_ids || array_agg(c.id), v_times || array_agg(c.created_at) into v_ids, v_times
    from (select id, created_at from app.posts
          where required_level in (1, 2) and (created_at, id) < (p_from, p_before) and created_at >= v_until
            and author_id <> all (p_muted)
          order by created_at desc, id desc limit 51) c;
  end if;
  return array(select m.id from unnest(v_ids, v_times) as m (id, created_at)
               order by m.created_at desc, m.id desc limit 51);
end $$;
comment on function private.feed_ids is
  'The ids of the next 51 posts of the feed before a moment and an id. Open posts come by time; those for circles by the authors who let the caller closer, or by time where these are many.';

create function api.list_feed(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_before  uuid := private.cursor_uuid(p_cursor);
  v_from    timestamptz := private.post_time(v_before);
  v_muted   uuid[] := private.muted_people();
  v_pattern text := private.muted_pattern();
  v_seen    uuid[];
  v_ids     uuid[] := '{}';
begin
  if v_before is not null and v_from is null then
    perform private.fail('cursor_unknown');
  end if;
  v_from := coalesce(v_from, 'infinity');
  v_before := coalesce(v_before, app.uid());
  if v_pattern is null then
    v_ids := private.feed_ids(v_from, v_before, v_muted);
    return private.page(private.post_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
  end if;

  -- with muted words one look after the other until the page is full, at most 40: a word that everybody uses must not
  -- read all there is
  for v_look in 1 .. 40 loop
    v_seen := private.feed_ids(v_from, v_before, v_muted);
    v_ids := v_ids || array(
      select p.id from unnest(v_seen[:50]) with ordinality as s (id, place) join app.posts p on p.id = s.id
      where not private.mentions(array[p.title, p.body], v_pattern)
      order by s.place);
    exit when cardinality(v_seen) < 51 or cardinality(v_ids) > p_limit;
    v_before := v_seen[50];
    v_from := private.post_time(v_before);
  end loop;
  if cardinality(v_ids) > p_limit or cardinality(v_seen) < 51 then
    return private.page(private.post_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
  end if;
  -- a short page, which goes on behind the last post that was looked at
  return json_build_object('items', coalesce(private.post_cards(v_ids), '[]'::json), 'nextCursor', v_before, 'hasMore', true);
end $$;
comment on function api.list_feed is
  'Every post that the caller may see, newest first, without those of people and with words that the caller has muted. Fails: cursor_unknown, limit_out_of_range.';
