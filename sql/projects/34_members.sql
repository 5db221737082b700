-- The members of a project: their list, leaving and removal.
-- docs/decisions.md, Lists; Projects.

create function private.find_project_members(p_project uuid, p_cursor text) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden people
set search_path = ''
as $$
declare
  v_list  text := 'project members ' || p_project;
  v_place app.place := private.page_start(v_list, p_cursor, true);
  v_from  timestamptz := v_place.at;
  v_after uuid := v_place.id;
  v_found app.found;
begin
  with looked as materialized (
    select * from (
      (select timestamptz 'epoch' as at, author_id as id from app.contents
       where id = p_project and (timestamptz 'epoch', author_id) > (v_from, v_after))
      union all
      (select created_at, user_id from app.project_members
       where project_id = p_project and (created_at, user_id) > (v_from, v_after)
       order by created_at, user_id limit 400)) w
    order by w.at, w.id limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_people v on v.id = l.id
                 order by l.at, l.id limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(v_list, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_project_members is
  'The next members of a project whom the caller may see, among the next 400; the author comes first.';
call private.force_index_scans('private.find_project_members');

create function private.project_member_page(p_project uuid, p_found app.found, p_limit integer) returns json
language plpgsql stable security definer   -- its callers check who may see the project
set search_path = ''
as $$
begin
  return private.page(
    (select json_agg(json_build_object('userId', p.actor_id, 'user', p.card, 'roleId', r.id, 'role', r.name,
                                       'joinedAt', private.utc(coalesce(m.created_at, c.created_at)))
                     order by i.place)
     from unnest(p_found.ids[:p_limit]) with ordinality as i (id, place)
     join app.contents c on c.id = p_project
     join app.person_card p on p.id = i.id
     left join app.project_members m on m.project_id = p_project and m.user_id = i.id
     left join app.project_roles r on r.id = m.role_id),
    array(select private.place_cursor('project members ' || p_project, coalesce(m.created_at, 'epoch'), i.id)
          from unnest(p_found.ids) with ordinality as i (id, place)
          left join app.project_members m on m.project_id = p_project and m.user_id = i.id order by i.place),
    p_limit, p_found.next);
end $$;
comment on function private.project_member_page is
  'A page of members: {userId, user, roleId, role (its name, null for the author), joinedAt}.';
call private.force_index_scans('private.project_member_page');

create function api.list_project_members(p_id uuid, p_limit integer default 20, p_cursor text default null)
returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_content('project', p_id);
  return private.project_member_page(p_id, private.find_project_members(p_id, p_cursor), p_limit);
end $$;
comment on function api.list_project_members is
  'The members of a project: its author first, then the others by the time of joining.';

create function api.remove_project_member(p_id uuid, p_user_id text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.count_writes('projects');
  perform private.remove_project_member(p_id, p_user_id);
  return null;   -- null becomes a 204 response
end $$;
comment on function api.remove_project_member is 'Takes a role in the caller''s own project from a person.';

create function api.leave_project(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.leave_project(p_id);
  return json_build_object('status', 'left');
end $$;
comment on function api.leave_project is 'Takes the caller''s role in a project from them: {status: left}.';
