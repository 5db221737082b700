-- Publishing, listing, changing and deleting projects and their roles.
-- docs/decisions.md, Lists; Projects.

create function api.list_projects(
  p_interest_id uuid default null, p_author_id text default null, p_q text default null, p_group_id text default null,
  p_guild_id text default null, p_status text default null, p_role text default null, p_limit integer default 20,
  p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_filters jsonb := nullif(jsonb_strip_nulls(jsonb_build_object(
    'status', p_status,
    'role', case when p_role is not null
                 then tsvector_to_array(private.words_in(array[left(p_role, 1000)])) end)), '{}');
  v_found   app.listing := private.search_contents('project', p_interest_id, p_author_id, p_q, p_group_id,
                                                   p_guild_id, p_cursor, v_filters);
begin
  return private.page(private.project_cards(v_found.ids[:p_limit]), v_found.cursors, p_limit, v_found.next);
end $$;
comment on function api.list_projects is
  'Projects, newest first, optionally only those with a status or with a role whose name has these words, as '
  'private.search_contents finds them.';

create function private.find_my_projects(p_cursor text) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden projects
set search_path = ''
as $$
declare
  v_me     uuid := private.require_caller();
  v_place  app.place := private.require_place('my projects', p_cursor);
  v_from   timestamptz := v_place.at;   -- plain variables, so that the planner can use the index
  v_before uuid := v_place.id;
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := 'infinity';
    v_before := v_me;   -- no row has this time, so any id works
  elsif v_from is null then
    v_place := private.content_place(v_place.id, 'project');
    v_from := v_place.at;
    v_before := v_place.id;
    if v_from is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  with looked as materialized (
    select w.at, w.id from (
      (select created_at as at, id from app.contents
       where author_id = v_me and kind = 'project' and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select made_at, project_id from app.project_members
       where user_id = v_me and (made_at, project_id) < (v_from, v_before)
       order by made_at desc, project_id desc limit 400)) w
    order by w.at desc, w.id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l
                 cross join lateral (select * from private.visible_contents v where v.id = l.id offset 0) c
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('my projects', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_my_projects is
  'The next projects that the caller created or has a role in and may see, among the next 400.';
call private.force_index_scans('private.find_my_projects');

create function api.list_my_projects(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.found := private.find_my_projects(p_cursor);
begin
  return private.page(private.project_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_my_projects is 'Projects that the caller created or has a role in, newest first.';

create function api.create_project(
  p_title text, p_summary text, p_interest_id uuid default null, p_roles jsonb default '[]',
  p_group_id text default null, p_guild_id text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept    json := private.begin_idempotent('create_project', json_build_array(
    p_title, p_summary, p_interest_id, p_roles, p_group_id, p_guild_id));
  v_summary text;
  v_id      uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_summary := private.require_body(p_summary);
  v_id := private.add_content('project', p_interest_id, p_title, array[v_summary], p_group_id, p_guild_id);
  perform private.add_project(v_id, v_summary, p_roles);
  return private.finish_idempotent('create_project', private.project_cards(array[v_id]) -> 0);
end $$;
comment on function api.create_project is 'Creates a project, optionally with roles [{name, about?, slots?}].';

create function api.get_project(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_project_card(p_id); end $$;
comment on function api.get_project is 'The card of a project.';

create function api.update_project(p_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.change_project(p_id, p_changes);
  return private.require_project_card(p_id);
end $$;
comment on function api.update_project is 'Changes the caller''s own project: {title?, summary?, interestId?}.';

create function api.delete_project(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.remove_project(p_id);
  return null;   -- null becomes a 204 response
end $$;
comment on function api.delete_project is
  'Deletes the caller''s own project permanently, if nobody has applied to it.';

create function api.set_project_status(p_id uuid, p_status text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.change_project_status(p_id, p_status);
  return private.require_project_card(p_id);
end $$;
comment on function api.set_project_status is
  'Changes the status of the caller''s own project; every change is allowed.';

create function api.create_project_role(
  p_id uuid, p_name text, p_about text default '', p_slots integer default 1
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('create_project_role', json_build_array(p_id, p_name, p_about, p_slots));
  v_role uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('projects');
  perform private.require_own_project(p_id);
  v_role := private.add_own_project_role(p_id, jsonb_build_object('name', p_name, 'about', p_about, 'slots', p_slots));
  return private.finish_idempotent('create_project_role', private.project_role_card(v_role));
end $$;
comment on function api.create_project_role is 'Adds a role to the caller''s own project.';

create function api.update_project_role(p_id uuid, p_role_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.count_writes('projects');
  perform private.require_own_project(p_id);
  perform private.change_project_role(p_id, p_role_id, p_changes);
  return private.project_role_card(p_role_id);
end $$;
comment on function api.update_project_role is 'Changes a role of the caller''s own project. p_changes is {name?, '
  'about?, slots?}.';

create function api.delete_project_role(p_id uuid, p_role_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.count_writes('projects');
  perform private.require_own_project(p_id);
  perform private.remove_project_role(p_id, p_role_id);
  return null;   -- null becomes a 204 response
end $$;
comment on function api.delete_project_role is 'Deletes a role that nobody holds.';
