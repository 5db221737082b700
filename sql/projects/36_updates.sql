-- Updates are news that the author of a project posts about it. docs/decisions.md, Lists; Projects.

create function private.find_project_updates(p_project uuid, p_cursor uuid) returns uuid[]
language plpgsql stable security definer   -- callers may not read details
set search_path = ''
as $$
declare
  v_from   timestamptz := 'infinity';   -- plain variables, so that the planner can use the index
  v_before uuid := p_project;   -- no row has this time, so any id works
begin
  if p_cursor is not null then
    select created_at, id into v_from, v_before from app.project_updates
    where id = p_cursor and project_id = p_project;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  return array(select id from app.project_updates
               where project_id = p_project and (created_at, id) < (v_from, v_before)
               order by created_at desc, id desc limit 51);
end $$;
comment on function private.find_project_updates is 'The next updates of a project.';
call private.force_index_scans('private.find_project_updates');

create function api.list_project_updates(p_id uuid, p_limit integer default 20, p_cursor text default null)
returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_ids uuid[];
begin
  perform private.require_content('project', p_id);
  v_ids := private.find_project_updates(p_id, private.require_cursor(p_cursor));
  return private.page(private.project_update_cards(v_ids[:p_limit]), v_ids::text[], p_limit);
end $$;
comment on function api.list_project_updates is 'The updates of a project, latest first.';

create function api.create_project_update(p_id uuid, p_body text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept   json := private.begin_idempotent('create_project_update', json_build_array(p_id, p_body));
  v_update uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  perform private.count_writes('projects');
  perform private.require_own_project(p_id);
  v_update := private.post_project_update(p_id, p_body);
  return private.finish_idempotent('create_project_update', private.project_update_cards(array[v_update]) -> 0);
end $$;
comment on function api.create_project_update is
  'Posts an update of the caller''s own project; its members are notified.';
