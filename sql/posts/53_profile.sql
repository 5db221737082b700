-- A person's posts on their profile: the pinned posts first, then the newest. docs/decisions.md, Posts.

create function private.require_profile_place(
  p_cursor text, p_author uuid, out post_id uuid, out pinned_at timestamptz, out published_at timestamptz
)
language plpgsql stable security definer   -- a cursor stays valid when its post is deleted or hidden
set search_path = ''
as $$
begin
  select at, id into published_at, post_id from private.require_place('posts by ' || p_author, p_cursor);
  if published_at is not null then
    return;
  end if;
  if private.find_post_time(post_id) is not null then
    select p.pinned_at, p.published_at into pinned_at, published_at
    from app.posts p where p.id = require_profile_place.post_id and p.author_id = p_author;
  end if;
  if p_cursor is not null and published_at is null then
    perform private.raise_error('cursor_unknown');
  end if;
end $$;
comment on function private.require_profile_place is
  'The place of a cursor''s post on its author''s profile: among the pinned posts if pinned_at is set (a deleted '
  'post keeps this value), otherwise by time. A cursor can also contain a time instead of a post. Fails with '
  'cursor_unknown if the post is not by this author, or if the caller is not in its audience.';

create function private.find_posts_by(p_author uuid, p_from app.place) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden posts
set search_path = ''
as $$
declare
  v_me     uuid := private.require_caller();
  v_near   boolean := exists (select from app.audience where viewer_id = v_me and author_id = p_author and level > 0)
    -- includes spaces that the author has left
    or exists (select from app.space_members m
               cross join lateral (select from app.posts p
                                   where p.space_id = m.space_id and p.author_id = p_author
                                     and p.required_level = 0 and p.space_id is not null limit 1) o
               where m.user_id = v_me);
  v_from   timestamptz := p_from.at;
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  -- exactly one of these two branches applies. The branch for strangers need not scan posts that are for circles, in
  -- groups, hidden or deleted, so that these never make a profile look empty
  with looked as materialized (
    select * from (
      (select p.published_at as at, p.id
       from app.posts p
       where v_near and p.author_id = p_author and (p.published_at, p.id) < (v_from, v_before)
       order by p.published_at desc, p.id desc limit 400)
      union all
      (select p.published_at, p.id
       from app.posts p
       where not v_near and p.author_id = p_author and p.required_level = 0 and p.space_id is null
         and (p.published_at, p.id) < (v_from, v_before)
       order by p.published_at desc, p.id desc limit 400)) w
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_posts p on p.id = l.id
                 where p.pinned_at is null
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('posts by ' || p_author, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_posts_by is
  'The next posts of a person that the caller may see, without pinned posts. It reads the next 400 posts that are '
  'for everyone, or the next 400 of all kinds if the caller is in one of the person''s circles or in a space where '
  'the person has posted.';
call private.force_index_scans('private.find_posts_by');

create function api.list_posts_by(p_username text, p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_author uuid := private.require_person(p_username);
  v_before uuid;
  v_pinned timestamptz;
  v_from   timestamptz;
  v_pins   uuid[];
  v_found  app.found;
begin
  select post_id, pinned_at, published_at into v_before, v_pinned, v_from
  from private.require_profile_place(p_cursor, v_author);
  if v_before is null then
    v_before := v_author;   -- no row has this time, so any id works
    v_pinned := 'infinity';
  end if;
  if v_pinned is not null then
    -- there are at most 50 pinned posts, of which their author sees three: private.pin
    v_pins := array(select id from app.posts
                    where author_id = v_author and pinned_at is not null and deleted_at is null
                      and published_at is not null
                      and (pinned_at, id) < (v_pinned, v_before)
                    order by pinned_at desc, id desc);
    v_from := 'infinity';
  end if;
  v_found := private.find_posts_by(v_author, (v_from, v_before)::app.place);
  v_found.ids := v_pins || v_found.ids;
  p_limit := private.count_fitting_posts(v_found.ids, p_limit);
  return private.page_of_texts(private.post_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_posts_by is
  'A person''s posts that the caller sees, the pinned posts first, then the newest. Only the author sees hidden '
  'posts. The list has no scheduled posts.';
