-- The operations on applications for roles in projects. sql/projects/20_members.sql has the rules. docs/decisions.md,
-- Lists; Projects.

create function private.find_project_applications(p_project uuid, p_status text, p_cursor text) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden people
set search_path = ''
as $$
declare
  v_list   text := 'project applications ' || p_project;
  v_place  app.place := private.require_place(v_list, p_cursor);
  v_from   timestamptz := v_place.at;   -- plain variables, so that the planner can use the index
  v_before uuid := v_place.id;
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := 'infinity';
    v_before := p_project;   -- no row has this time, so any id works
  elsif v_from is null then
    select created_at, id into v_from, v_before from app.project_applications
    where id = v_place.id and project_id = p_project;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  with looked as materialized (
    -- exactly one of the two branches, with or without a status, returns rows
    select * from (
      (select created_at as at, id, user_id from app.project_applications
       where p_status is null and project_id = p_project and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, id, user_id from app.project_applications
       where p_status is not null and project_id = p_project and status = p_status
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)) w
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_people p on p.id = l.user_id
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(v_list, l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_project_applications is
  'The next applications to a project, optionally only those of a status, by people whom the caller may see, among '
  'the next 400.';
call private.force_index_scans('private.find_project_applications');

create function api.list_project_applications(
  p_id uuid, p_status text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.found;
begin
  perform private.require_own_project(p_id);
  v_found := private.find_project_applications(p_id, p_status, p_cursor);
  return private.page(private.project_application_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit,
                      v_found.next);
end $$;
comment on function api.list_project_applications is 'The applications to the caller''s own project, latest first.';

insert into private.operations_of_people (operation) values ('apply_to_project');

create function api.apply_to_project(p_id uuid, p_role_id uuid, p_message text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('apply_to_project', json_build_array(p_id, p_role_id, p_message));
  v_id   uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('projects');
  perform private.lock_open_content('project', p_id);
  v_id := private.apply_to_project(p_id, p_role_id, p_message);
  return private.finish_idempotent('apply_to_project', private.project_application_cards(array[v_id]) -> 0);
end $$;
comment on function api.apply_to_project is 'Applies for a role in a project.';

create function api.approve_project_application(p_id uuid, p_aid uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.count_writes('projects');
  perform private.require_own_project(p_id);
  perform private.decide_project_application(p_id, p_aid, true);
  return private.project_application_cards(array[p_aid]) -> 0;
end $$;
comment on function api.approve_project_application is 'Gives the applicant the role.';

create function api.reject_project_application(p_id uuid, p_aid uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.count_writes('projects');
  perform private.require_own_project(p_id);
  perform private.decide_project_application(p_id, p_aid, false);
  return private.project_application_cards(array[p_aid]) -> 0;
end $$;
comment on function api.reject_project_application is 'Rejects the application.';

create function api.withdraw_project_application(p_id uuid, p_aid uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.withdraw_project_application(p_id, p_aid);
  return private.project_application_cards(array[p_aid]) -> 0;
end $$;
comment on function api.withdraw_project_application is
  'Withdraws the caller''s own application, even if they can no longer see the project.';
