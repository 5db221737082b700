-- A space's posts, for its members.
-- docs/decisions.md, Spaces.

create function private.find_space_posts(p_space uuid, p_cursor text) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden posts
set search_path = ''
as $$
declare
  v_me     uuid := private.require_caller();
  v_list   text := 'space posts ' || p_space;
  v_place  app.place := ('infinity', p_space)::app.place;   -- no row has this time, so any id works
  v_from   timestamptz;
  v_before uuid;
  v_found  app.found;
begin
  if private.find_role(p_space, v_me) is null then
    perform private.raise_error('space_not_member');
  end if;
  if p_cursor is not null then
    v_place := private.require_place(v_list, p_cursor);
    v_place.at := coalesce(v_place.at, (select private.find_post_time(p.id) from app.posts p
                                        where p.id = v_place.id and p.space_id = p_space));
    if v_place.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_from := v_place.at;   -- plain variables, so that the planner can use the index
  v_before := v_place.id;
  with looked as materialized (
    select w.at, w.id from (
      (select p.published_at as at, p.id from app.posts p
       where p.space_id = p_space and p.space_id is not null and p.required_level = 0
         and (p.published_at, p.id) < (v_from, v_before)
       order by p.published_at desc, p.id desc limit 400)
      union all
      (select p.published_at, p.id from app.posts p
       where p.space_id = p_space and p.space_id is not null and p.author_id = v_me and p.required_level = 3
         and (p.published_at, p.id) < (v_from, v_before)
       order by p.published_at desc, p.id desc limit 400)) w
    order by w.at desc, w.id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_posts p on p.id = l.id
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(v_list, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_space_posts is
  'The next posts of a space that a member may see, among the next 400 posts that all members see or that are the '
  'caller''s own.';
call private.force_index_scans('private.find_space_posts');

create function api.list_space_posts(
  p_group_id text default null, p_guild_id text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_space uuid := private.find_named_space(p_group_id, p_guild_id);
  v_found app.found;
begin
  if v_space is null then
    perform private.raise_error('space_unknown');
  end if;
  v_found := private.find_space_posts(v_space, p_cursor);
  p_limit := private.count_fitting_posts(v_found.ids, p_limit);
  return private.page_of_texts(private.post_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_space_posts is 'The posts in a group or guild, newest first, for its members.';
