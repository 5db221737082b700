-- The operations of projects, and their lists.
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
  v_filters jsonb := nullif(jsonb_strip_nulls(jsonb_build_object('status', p_status, 'role', p_role)), '{}');
  v_found   app.listing := private.search_contents('project', p_interest_id, p_author_id, p_q, p_group_id,
                                                   p_guild_id, p_cursor, v_filters);
begin
  return private.page(private.project_cards(v_found.ids[:p_limit]), v_found.cursors, p_limit, v_found.next);
end $$;
comment on function api.list_projects is
  'Projects, newest first, also those of a status or with a role of these words: private.search_contents. Fails: '
  'private.search_contents, limit_out_of_range.';

create function private.find_my_projects(p_cursor uuid) returns app.found
language plpgsql stable security definer   -- under a policy it would pass over hidden projects without end
set search_path = ''
as $$
declare
  v_me     uuid := private.require_caller();
  v_place  app.place := private.cursor_place(p_cursor);
  v_from   timestamptz := v_place.at;   -- plain variables: an expression makes no index condition
  v_before uuid := v_place.id;
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := 'infinity';
    v_before := v_me;   -- any id will do beside infinity
  elsif v_from is null then
    v_place := private.content_place(p_cursor, 'project');
    v_from := v_place.at;
    v_before := v_place.id;
    if v_from is null then
      perform private.fail('cursor_unknown');
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
                     then (select private.place_cursor(l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_my_projects is
  'The next projects that the caller made or has a role in, as far as they see them, among the next 400. Fails: '
  'cursor_unknown.';
call private.make_walk('private.find_my_projects');

create function api.list_my_projects(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.found := private.find_my_projects(private.require_cursor(p_cursor));
begin
  return private.page(private.project_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_my_projects is
  'Projects that the caller made or has a role in, newest first. Fails: cursor_unknown, limit_out_of_range.';

create function api.create_project(
  p_title text, p_summary text, p_interest_id uuid default null, p_roles jsonb default '[]',
  p_group_id text default null, p_guild_id text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_summary text := private.require_body(p_summary);
  v_id      uuid := private.add_content('project', p_interest_id, p_title, array[v_summary], p_group_id, p_guild_id);
begin
  perform private.add_project(v_id, v_summary, p_roles);
  return private.project_cards(array[v_id]) -> 0;
end $$;
comment on function api.create_project is
  'Makes a project, perhaps with roles [{name, about?, slots?}]. Fails: private.require_body, private.add_content, '
  'private.add_project.';

create function api.get_project(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_project_card(p_id); end $$;
comment on function api.get_project is 'The card of a project. Fails: project_unknown.';

create function api.update_project(p_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.change_project(p_id, p_changes);
  return private.require_project_card(p_id);
end $$;
comment on function api.update_project is
  'Changes the caller''s own project {title?, summary?, interestId?}. Fails: private.change_project.';

create function api.delete_project(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.remove_project(p_id);
  return null;   -- answered as 204
end $$;
comment on function api.delete_project is
  'Deletes the caller''s own project for good, where nobody has applied. Fails: private.remove_project.';

create function api.set_project_status(p_id uuid, p_status text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.place_project(p_id, p_status);
  return private.require_project_card(p_id);
end $$;
comment on function api.set_project_status is
  'Gives the caller''s own project another status, whichever. Fails: private.place_project.';

create function api.create_project_role(
  p_id uuid, p_name text, p_about text default '', p_slots integer default 1
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_role uuid;
begin
  perform private.count_writes('projects');
  perform private.require_own_project(p_id);
  v_role := private.add_own_project_role(p_id, jsonb_build_object('name', p_name, 'about', p_about, 'slots', p_slots));
  return private.project_role_card(v_role);
end $$;
comment on function api.create_project_role is
  'Adds a role to the caller''s own project. Fails: writes_exceeded, private.require_own_project, '
  'private.add_own_project_role.';

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
comment on function api.update_project_role is
  'Changes a role of the caller''s own project {name?, about?, slots?}. Fails: writes_exceeded, '
  'private.require_own_project, private.change_project_role.';

create function api.delete_project_role(p_id uuid, p_role_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.count_writes('projects');
  perform private.require_own_project(p_id);
  perform private.remove_project_role(p_id, p_role_id);
  return null;   -- answered as 204
end $$;
comment on function api.delete_project_role is
  'Deletes a role that nobody holds. Fails: writes_exceeded, private.require_own_project, '
  'private.remove_project_role.';

create function private.find_project_applications(p_project uuid, p_status text, p_cursor uuid) returns app.found
language plpgsql stable security definer   -- under a policy it would pass over hidden people without end
set search_path = ''
as $$
declare
  v_place  app.place := private.cursor_place(p_cursor);
  v_from   timestamptz := v_place.at;   -- plain variables: an expression makes no index condition
  v_before uuid := v_place.id;
  v_found  app.found;
begin
  if p_cursor is null then
    v_from := 'infinity';
    v_before := p_project;   -- any id will do beside infinity
  elsif v_from is null then
    select created_at, id into v_from, v_before from app.project_applications
    where id = p_cursor and project_id = p_project;
    if not found then
      perform private.fail('cursor_unknown');
    end if;
  end if;
  with looked as materialized (
    select created_at as at, id, user_id, status from app.project_applications
    where project_id = p_project and (created_at, id) < (v_from, v_before)
    order by created_at desc, id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_people p on p.id = l.user_id
                 where p_status is null or l.status = p_status
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor(l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_project_applications is
  'The next applications to a project, all or those of a status, by people whom the caller sees, among the next 400. '
  'Fails: cursor_unknown.';
call private.make_walk('private.find_project_applications');

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
  v_found := private.find_project_applications(p_id, p_status, private.require_cursor(p_cursor));
  return private.page(private.project_application_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit,
                      v_found.next);
end $$;
comment on function api.list_project_applications is
  'The applications to the caller''s own project, latest first. Fails: private.require_own_project, cursor_unknown, '
  'limit_out_of_range.';

create function api.apply_to_project(p_id uuid, p_role_id uuid, p_message text default null) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_id uuid;
begin
  perform private.count_writes('projects');
  perform private.enter_content('project', p_id);
  v_id := private.apply_to_project(p_id, p_role_id, p_message);
  return private.project_application_cards(array[v_id]) -> 0;
end $$;
comment on function api.apply_to_project is
  'The caller asks for a role in a project. Fails: writes_exceeded, project_unknown, space_not_member, '
  'space_archived, private.apply_to_project.';

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
comment on function api.approve_project_application is
  'Gives who applied the role. Fails: writes_exceeded, private.require_own_project, '
  'private.decide_project_application.';

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
comment on function api.reject_project_application is
  'Turns down who applied. Fails: writes_exceeded, private.require_own_project, '
  'private.decide_project_application.';

create function api.withdraw_project_application(p_id uuid, p_aid uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.withdraw_project_application(p_id, p_aid);
  return private.project_application_cards(array[p_aid]) -> 0;
end $$;
comment on function api.withdraw_project_application is
  'The caller takes their application back, whatever they see of the project. Fails: '
  'private.withdraw_project_application.';

create function private.find_project_members(p_project uuid, p_cursor uuid) returns app.found
language plpgsql stable security definer   -- under a policy it would pass over hidden people without end
set search_path = ''
as $$
declare
  v_place app.place := private.cursor_place(p_cursor, true);
  v_from  timestamptz := coalesce(v_place.at, '-infinity');
  v_after uuid := coalesce(v_place.id, '00000000-0000-0000-0000-000000000000');
  v_found app.found;
begin
  if p_cursor is not null and v_place.at is null then
    perform private.fail('cursor_unknown');
  end if;
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
                     then (select private.place_cursor(l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_project_members is
  'The next members of a project whom the caller sees, its author first, among the next 400. Fails: cursor_unknown.';
call private.make_walk('private.find_project_members');

create function private.project_member_page(p_project uuid, p_found app.found, p_limit integer) returns json
language plpgsql stable security definer   -- its callers look at who sees the project
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
    array(select private.place_cursor(coalesce(m.created_at, 'epoch'), i.id)::text
          from unnest(p_found.ids) with ordinality as i (id, place)
          left join app.project_members m on m.project_id = p_project and m.user_id = i.id order by i.place),
    p_limit, p_found.next);
end $$;
comment on function private.project_member_page is
  'A page of members: {userId, user, roleId, role (its name, null for the author), joinedAt}. Fails: '
  'limit_out_of_range.';
call private.make_walk('private.project_member_page');

create function api.list_project_members(p_id uuid, p_limit integer default 20, p_cursor text default null)
returns json
language plpgsql stable
set search_path = ''
as $$
begin
  perform private.require_content('project', p_id);
  return private.project_member_page(p_id, private.find_project_members(p_id, private.require_cursor(p_cursor)),
                                     p_limit);
end $$;
comment on function api.list_project_members is
  'The members of a project: its author, then by when they joined. Fails: project_unknown, cursor_unknown, '
  'limit_out_of_range.';

create function api.remove_project_member(p_id uuid, p_user_id text) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.count_writes('projects');
  perform private.remove_project_member(p_id, p_user_id);
  return null;   -- answered as 204
end $$;
comment on function api.remove_project_member is
  'Takes a role in the caller''s own project from a person. Fails: writes_exceeded, private.remove_project_member.';

create function api.leave_project(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.leave_project(p_id);
  return json_build_object('status', 'left');
end $$;
comment on function api.leave_project is
  'The caller gives their role in a project back: {status: left}. Fails: private.leave_project.';

create function private.find_project_updates(p_project uuid, p_cursor uuid) returns uuid[]
language plpgsql stable security definer   -- nobody may read details
set search_path = ''
as $$
declare
  v_from   timestamptz := 'infinity';   -- plain variables: an expression makes no index condition
  v_before uuid := p_project;   -- any id will do beside infinity
begin
  if p_cursor is not null then
    select created_at, id into v_from, v_before from app.project_updates
    where id = p_cursor and project_id = p_project;
    if not found then
      perform private.fail('cursor_unknown');
    end if;
  end if;
  return array(select id from app.project_updates
               where project_id = p_project and (created_at, id) < (v_from, v_before)
               order by created_at desc, id desc limit 51);
end $$;
comment on function private.find_project_updates is 'The next updates of a project. Fails: cursor_unknown.';
call private.make_walk('private.find_project_updates');

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
comment on function api.list_project_updates is
  'What the author of a project has told of it, latest first. Fails: project_unknown, cursor_unknown, '
  'limit_out_of_range.';

create function api.create_project_update(p_id uuid, p_body text) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_update uuid;
begin
  perform private.count_writes('projects');
  perform private.require_own_project(p_id);
  v_update := private.post_project_update(p_id, p_body);
  return private.project_update_cards(array[v_update]) -> 0;
end $$;
comment on function api.create_project_update is
  'Tells of the caller''s own project; its members are told. Fails: writes_exceeded, private.require_own_project, '
  'private.post_project_update.';
