-- Operations to create series, to arrange their items, and to follow them.
-- docs/decisions.md, Posts.

create function private.require_series(p_series uuid) returns app.series
language plpgsql stable   -- runs as the invoker: rows that policies hide count as unknown
set search_path = ''
as $$
declare
  v_series app.series;
begin
  select * into v_series from app.series where id = p_series;
  if not found then
    perform private.raise_error('series_unknown');
  end if;
  return v_series;
end $$;
comment on function private.require_series is 'Returns the series if the caller may see it.';

create function api.create_series(p_title text, p_description text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('create_series', json_build_array(p_title, p_description));
  v_id   uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  insert into app.series (author_id, title, description)
  values (private.require_caller(), private.require_name(p_title),
          nullif(private.require_text(p_description), ''))
  returning id into v_id;
  return private.finish_idempotent('create_series', private.series_cards(array[v_id]) -> 0);
end $$;
comment on function api.create_series is
  'Creates a series for the caller, without items. Fails: series_title, series_description, series_exhausted.';

create function api.list_my_series(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_caller uuid := private.require_caller();
  v_from   app.series;
  v_ids    uuid[];
begin
  select * into v_from from app.series where id = private.require_cursor(p_cursor) and author_id = v_caller;
  if p_cursor is not null and not found then
    perform private.raise_error('cursor_unknown');
  end if;
  -- plain variables, so that the planner can use the index
  v_from.created_at := coalesce(v_from.created_at, 'infinity');
  v_from.id := coalesce(v_from.id, v_caller);
  v_ids := array(select id from app.series
                 where author_id = v_caller and (created_at, id) < (v_from.created_at, v_from.id)
                 order by created_at desc, id desc limit 51);
  return private.page(private.series_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
end $$;
comment on function api.list_my_series is 'The caller''s series, newest first.';

create function api.add_series_item(p_id uuid, p_post_id uuid, p_position integer default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept   json := private.begin_idempotent('add_series_item', json_build_array(p_id, p_post_id, p_position));
  v_series app.series;
  v_post   app.posts;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_series := private.require_series(p_id);
  perform private.count_writes('edits');
  if v_series.author_id <> private.require_caller() then
    perform private.raise_error('series_not_yours');
  end if;
  v_post := private.lock_own_post(p_post_id);   -- while the post is locked, it cannot be deleted or published
  if v_post.format = 'repost' then
    perform private.raise_error('series_repost');
  end if;
  if private.place_item(p_id, p_post_id, p_position) and v_post.published_at is not null then
    perform private.emit('posts.series.extended', json_build_object('seriesId', p_id, 'postId', p_post_id));
  end if;
  return private.finish_idempotent('add_series_item', (
    select json_build_object('seriesId', i.series_id, 'position', i.position, 'post', private.post_card(p_post_id))
    from app.series_items i where i.series_id = p_id and i.post_id = p_post_id));
end $$;
comment on function api.add_series_item is
  'Makes the caller''s post an item of their series, or moves it if it already is an item: {seriesId, position, '
  'post}.';

create function private.extend_series(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.emit('posts.series.extended', json_build_object('seriesId', i.series_id, 'postId', i.post_id))
  from app.series_items i where i.post_id = (p_event ->> 'postId')::uuid;
end $$;
comment on function private.extend_series is
  'Listener: when a post is published, emits an event for each series of which it is an item. A scheduled post can '
  'be an item before it is published.';
insert into private.event_listeners (event, listener, position) values
  ('posts.post.published', 'private.extend_series', 500);

create function private.find_item_place(p_series uuid, p_post uuid) returns integer
language plpgsql stable security definer   -- a cursor stays valid when its post is deleted or hidden
set search_path = ''
as $$
begin
  -- private.find_post_time alone would not find a scheduled item, which its author can see
  if private.post_visible_to(p_post, app.uid()) or private.find_post_time(p_post) is not null then
    return coalesce(
      (select position from app.series_items where series_id = p_series and post_id = p_post),
      (select position - 1 from private.deleted_series_items where series_id = p_series and post_id = p_post));
  end if;
  return null;
end $$;
comment on function private.find_item_place is
  'The position of a cursor''s post, after which the list continues, even if the post is deleted. Null if the caller '
  'is not in the post''s audience.';

create function api.list_series_items(p_series_id uuid, p_limit integer default 20, p_cursor text default null)
returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_cursor uuid := private.require_cursor(p_cursor);
  v_place  integer := coalesce(private.find_item_place(p_series_id, v_cursor), 0);
  v_before integer;
  v_ids    uuid[];
begin
  perform private.require_series(p_series_id);
  if v_cursor is not null and private.find_item_place(p_series_id, v_cursor) is null then
    perform private.raise_error('cursor_unknown');
  end if;
  -- all items that the caller sees, at most 200. position counts only these items, so that it reveals nothing about
  -- others
  select array_agg(post_id order by position) filter (where position > v_place),
         count(*) filter (where position <= v_place)
  into v_ids, v_before
  from app.series_items where series_id = p_series_id;
  p_limit := private.count_fitting_posts(v_ids, p_limit);
  return private.merge_objects(
    json_build_object('series', private.series_cards(array[p_series_id]) -> 0),
    private.page(
      (select json_agg(json_build_object('position', v_before + c.place, 'post', c.card) order by c.place)
       from json_array_elements(private.post_cards(v_ids[:p_limit])::json) with ordinality as c (card, place)),
      coalesce(v_ids::text[], '{}'), p_limit));
end $$;
comment on function api.list_series_items is
  'The items of a series that the caller sees, in order: {series, items: [{position, post}], nextCursor, hasMore}. '
  'position counts only these items.';

create function api.follow_series(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_series app.series := private.require_series(p_id);
begin
  perform private.count_writes('follows');
  if v_series.author_id = private.require_caller() then
    perform private.raise_error('series_follow_own');
  end if;
  -- read and write in one statement, so that a concurrent block can cause no error but series_unknown
  insert into app.series_follows (series_id, user_id) select s.id, app.uid() from app.series s where s.id = p_id
  on conflict do nothing;
  return json_build_object('following', true);
end $$;
comment on function api.follow_series is
  'Follows a series, so that the caller is notified of its new items. Repeating it changes nothing. Returns '
  '{following}.';

create function api.unfollow_series(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from app.series_follows where series_id = p_id and user_id = private.require_caller();
  if not found then
    perform private.require_series(p_id);
  end if;
  return null;   -- null becomes a 204 response
end $$;
comment on function api.unfollow_series is
  'Ends the caller''s follow of a series, even of one that they can no longer see; repeating it changes nothing.';
