-- Members of projects: applications for roles, decisions, removal and leaving. Code that gives or takes a role locks
-- the row of the role first, so that a role never has more people than slots. docs/decisions.md, Projects.

insert into private.lock_kinds (kind, position) values ('project role', 570), ('project slots', 575);

create function private.project_application_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- its callers check who may see them
set search_path = ''
as $$
begin
  return (
    select json_agg(json_build_object(
             'id', a.id, 'projectId', a.project_id, 'roleId', r.id, 'role', r.name,
             'userId', p.actor_id, 'user', p.card, 'message', a.message, 'status', a.status,
             'createdAt', private.utc(a.created_at), 'decidedAt', private.utc(a.decided_at)) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join app.project_applications a on a.id = i.id
    join app.person_card p on p.id = a.user_id
    left join app.project_roles r
      on r.id = a.role_id and exists (select from private.visible_contents c where c.id = a.project_id));
end $$;
comment on function private.project_application_cards is
  'These applications, in order: {id, projectId, roleId, role (its name), userId, user, message, status, createdAt, '
  'decidedAt}. The role is null if the caller can''t see the project.';
call private.force_index_scans('private.project_application_cards');

create function private.apply_to_project(p_project uuid, p_role uuid, p_message text) returns uuid
language plpgsql volatile security definer   -- callers may not write applications
set search_path = ''
as $$
declare
  v_me      uuid := private.require_caller();
  v_message text := coalesce(private.require_text(p_message), '');
  v_id      uuid;
begin
  if exists (select from app.contents where id = p_project and author_id = v_me) then
    perform private.raise_error('project_own');
  end if;
  perform private.require_running_project(p_project);
  perform from app.project_roles where id = p_role and project_id = p_project for key share;
  if not found then
    perform private.raise_error('project_role_unknown');
  elsif exists (select from app.project_members where project_id = p_project and user_id = v_me) then
    perform private.raise_error('project_member_already');
  end if;
  insert into app.project_applications (project_id, role_id, user_id, message)
  values (p_project, p_role, v_me, v_message)
  on conflict (role_id, user_id) where status = 'pending' do nothing returning id into v_id;
  if not found then
    perform private.raise_error('project_applied');
  end if;
  return v_id;
end $$;
comment on function private.apply_to_project is
  'Applies for a role in a project for the caller. private.lock_open_content must have locked the project first. '
  'Fails: project_message.';

create function private.limit_project_slots(p_user uuid) returns void
language plpgsql volatile security definer   -- counts the roles of people other than the caller
set search_path = ''
as $$
begin
  -- lock, so that two concurrent calls can't both pass the limit
  perform private.lock('project slots', p_user::text);
  if (select count(*) from app.project_members where user_id = p_user) > 500 then
    perform private.raise_error('project_places_exhausted');
  end if;
end $$;
comment on function private.limit_project_slots is
  'Passes if a person who has just got a role holds roles in at most 500 projects.';

create function private.add_project_member(p_application app.project_applications) returns void
language plpgsql volatile security definer   -- callers may not write members
set search_path = ''
as $$
begin
  update app.project_roles set filled = filled + 1 where id = p_application.role_id and filled < slots;
  if not found then
    perform private.raise_error('project_role_full');
  end if;
  insert into app.project_members (project_id, user_id, role_id, made_at)
  select p_application.project_id, p_application.user_id, p_application.role_id, c.created_at
  from app.contents c where c.id = p_application.project_id
  on conflict do nothing;
  if not found then
    perform private.raise_error('project_member_already');
  end if;
  perform private.limit_project_slots(p_application.user_id);
  update app.project_applications set status = 'ended', decided_at = now()
  where project_id = p_application.project_id and user_id = p_application.user_id and status = 'pending';
end $$;
comment on function private.add_project_member is
  'Gives the applicant the role, and ends their other applications to the project.';

create function private.drop_project_member(p_project uuid, p_user uuid) returns boolean
language plpgsql volatile security definer   -- callers may not write members
set search_path = ''
as $$
declare
  v_role uuid;
begin
  select role_id into v_role from app.project_members where project_id = p_project and user_id = p_user;
  -- lock the role before the member: ARCHITECTURE.md, Locks
  perform from app.project_roles where id = v_role for no key update;
  delete from app.project_members where project_id = p_project and user_id = p_user and role_id = v_role;
  if not found then
    return false;
  end if;
  update app.project_roles set filled = filled - 1 where id = v_role;
  return true;
end $$;
comment on function private.drop_project_member is
  'Takes the role from a person and frees the slot; returns false if they hold none.';

create function private.free_project_slots(p_roles uuid[], p_users uuid[]) returns void
language plpgsql volatile security definer   -- callers may not write members
set search_path = ''
as $$
begin
  perform private.check_lock_order('project role');
  perform from app.project_roles where id = any (p_roles) order by id for no key update;
  with gone as (
    delete from app.project_members m using unnest(p_roles, p_users) w (role_id, user_id)
    where m.role_id = w.role_id and m.user_id = w.user_id
    returning m.role_id
  ), freed as (
    select role_id, count(*) as places from gone group by role_id
  )
  update app.project_roles r set filled = filled - f.places from freed f where r.id = f.role_id;
end $$;
comment on function private.free_project_slots is
  'Takes these roles from these people, one role from each person, and frees the slots.';

create function private.emit_project_decision(p_project uuid, p_event text, p_user uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.emit('projects.application.decided', json_build_object(
    'projectId', p_project, 'event', p_event, 'userId', p_user), array[p_user]);
end $$;
comment on function private.emit_project_decision is
  'Emits a decision about a person in a project: approved, rejected or removed.';

create function private.can_hold_project_role(p_content app.contents, p_user uuid) returns boolean
language plpgsql stable security definer   -- reads the memberships of people other than the caller
set search_path = ''
as $$
begin
  return exists (select from private.visible_people where id = p_user)
     and (p_content.space_id is null or private.find_role(p_content.space_id, p_user) is not null);
end $$;
comment on function private.can_hold_project_role is
  'Returns whether the author of a project may see this person, and the person is in the space of the project, if '
  'any.';

create function private.decide_project_application(p_project uuid, p_id uuid, p_approve boolean) returns void
language plpgsql volatile security definer   -- callers may not write applications
set search_path = ''
as $$
declare
  v_content     app.contents;
  v_application app.project_applications;
begin
  select * into v_application from app.project_applications where id = p_id and project_id = p_project;
  v_content := private.lock_own_project(p_project, array_remove(array[v_application.user_id], null));
  if v_application.id is null or not private.can_hold_project_role(v_content, v_application.user_id) then
    perform private.raise_error('project_application_unknown');
  end if;
  if p_approve then
    perform private.require_shown(v_content);
    perform private.require_running_project(p_project);
  end if;
  update app.project_applications set status = case when p_approve then 'approved' else 'rejected' end,
                                      decided_at = now()
  where id = p_id and status = 'pending'
    and exists (select from app.project_roles r where r.id = role_id);
  if not found then
    perform private.raise_error('project_application_settled');
  end if;
  if p_approve then
    perform private.add_project_member(v_application);
  end if;
  perform private.emit_project_decision(p_project, case when p_approve then 'approved' else 'rejected' end,
                                        v_application.user_id);
end $$;
comment on function private.decide_project_application is 'The author approves or rejects a pending application.';

create function private.withdraw_project_application(p_project uuid, p_id uuid) returns void
language plpgsql volatile security definer   -- works even if the caller can no longer see the project
set search_path = ''
as $$
declare
  v_user uuid := (select user_id from app.project_applications where id = p_id and project_id = p_project);
begin
  if v_user is distinct from private.require_caller() then
    -- the author may see the application
    if exists (select from app.contents where id = p_project and author_id = app.uid())
       and exists (select from private.visible_people where id = v_user) then
      perform private.raise_error('project_application_not_yours');
    end if;
    perform private.raise_error('project_application_unknown');
  end if;
  update app.project_applications set status = 'withdrawn', decided_at = now() where id = p_id and status = 'pending';
  if not found then
    perform private.raise_error('project_application_settled');
  end if;
end $$;
comment on function private.withdraw_project_application is 'Withdraws a pending application of the caller.';

create function private.remove_project_member(p_project uuid, p_person text) returns void
language plpgsql volatile security definer   -- callers may not write members
set search_path = ''
as $$
declare
  v_user uuid := private.require_visible_person(p_person);
begin
  perform private.lock_own_content('project', p_project, false);
  if v_user = private.require_caller() then
    perform private.raise_error('project_author_stays');
  elsif not private.drop_project_member(p_project, v_user) then
    perform private.raise_error('project_member_unknown');
  end if;
  perform private.emit_project_decision(p_project, 'removed', v_user);
end $$;
comment on function private.remove_project_member is 'The author takes a role from a person.';

create function private.leave_project(p_id uuid) returns void
language plpgsql volatile security definer   -- works even if the caller can no longer see the project
set search_path = ''
as $$
begin
  if private.drop_project_member(p_id, private.require_caller()) then
    return;
  end if;
  perform from private.visible_contents where id = p_id and kind = 'project' and author_id = app.uid();
  if found then
    perform private.raise_error('project_author_stays');
  end if;
  perform from private.visible_contents where id = p_id and kind = 'project';
  if not found then
    perform private.raise_error('project_unknown');
  end if;
end $$;
comment on function private.leave_project is
  'Takes the caller''s role from them, even if they can no longer see the project. If they have none, nothing '
  'changes.';

create function private.change_project_role(p_project uuid, p_role uuid, p_changes jsonb) returns void
language plpgsql volatile security definer   -- callers may not write roles
set search_path = ''
as $$
declare
  v_role app.project_roles;
begin
  perform private.lock_own_project(p_project);
  perform private.require_running_project(p_project);
  select * into v_role from app.project_roles where id = p_role and project_id = p_project for no key update;
  if not found then
    perform private.raise_error('project_role_unknown');
  end if;
  if p_changes ? 'slots' and (p_changes ->> 'slots')::integer between 1 and v_role.filled - 1 then
    perform private.raise_error('project_role_held');
  end if;
  update app.project_roles
  set name = case when p_changes ? 'name' then coalesce(private.require_name(p_changes ->> 'name'), '') else name end,
      about = case when p_changes ? 'about' then coalesce(private.require_text(p_changes ->> 'about'), '')
                   else about end,
      slots = coalesce((p_changes ->> 'slots')::integer, slots)
  where id = p_role;
end $$;
comment on function private.change_project_role is
  'Changes a role of the caller''s project. Fails: project_role_name, project_role_about, project_role_slots.';

create function private.end_role_applications(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- callers may not write applications
set search_path = ''
as $$
declare
  v_role  uuid := (p_job ->> 'roleId')::uuid;
  v_ids   uuid[] := array(select id from app.project_applications where role_id = v_role and status = 'pending'
                          limit 500);
  v_ended integer;
begin
  update app.project_applications set status = 'ended', decided_at = now()
  where status = 'pending' and id = any (v_ids);
  get diagnostics v_ended = row_count;
  -- don't test v_ended, because an applicant may have withdrawn an application meanwhile
  return json_build_object('changed', v_ended, 'next', case when cardinality(v_ids) = 500 then v_role end);
end $$;
comment on function private.end_role_applications is
  'For the worker and private.remove_project_role: ends the next 500 pending applications for a deleted role '
  '{roleId}. Returns {changed, next}; next is null if there are no more.';
call private.force_index_scans('private.end_role_applications');
call private.make_batch_queue('deleted-project-roles', 'private.end_role_applications');

create function private.remove_project_role(p_project uuid, p_role uuid) returns void
language plpgsql volatile security definer   -- callers may not write roles
set search_path = ''
as $$
declare
  v_job    json := json_build_object('roleId', p_role);
  v_filled integer;
begin
  perform private.lock_own_project(p_project);
  perform private.require_running_project(p_project);
  select filled into v_filled from app.project_roles where id = p_role and project_id = p_project for update;
  if not found then
    perform private.raise_error('project_role_unknown');
  elsif v_filled > 0 then
    perform private.raise_error('project_role_held');
  end if;
  delete from app.project_roles where id = p_role;
  if private.end_role_applications(v_job::jsonb) ->> 'next' is not null then
    perform private.enqueue('deleted-project-roles', v_job);
  end if;
end $$;
comment on function private.remove_project_role is
  'Deletes a role that nobody holds. The first 500 applications for it end immediately, the others soon after.';

create function private.add_own_project_role(p_project uuid, p_role jsonb) returns uuid
language plpgsql volatile security definer   -- callers may not write roles
set search_path = ''
as $$
begin
  perform private.lock_own_project(p_project);
  perform private.require_running_project(p_project);
  return private.add_project_role(p_project, p_role);
end $$;
comment on function private.add_own_project_role is 'Adds a role to the caller''s project.';

create function private.project_role_card(p_role uuid) returns json
language plpgsql stable security definer   -- callers may not read details
set search_path = ''
as $$
begin
  return (select json_build_object('id', id, 'name', name, 'about', about, 'slots', slots, 'filled', filled)
          from app.project_roles where id = p_role);
end $$;
comment on function private.project_role_card is 'A role: {id, name, about, slots, filled}.';

create function private.post_project_update(p_project uuid, p_body text) returns uuid
language plpgsql volatile security definer   -- callers may not write updates
set search_path = ''
as $$
declare
  v_id uuid;
begin
  perform private.require_shown(private.lock_own_project(p_project));
  perform private.require_running_project(p_project);
  if (select count(*) from app.project_updates where project_id = p_project) >= 1000 then
    perform private.raise_error('project_updates_exhausted');
  end if;
  insert into app.project_updates (project_id, body, created_at)
  values (p_project, private.require_body(p_body), clock_timestamp())
  returning id into v_id;
  perform private.emit('projects.update.posted', json_build_object(
    'projectId', p_project, 'updateId', v_id, 'authorId', app.uid()),
    array(select user_id from app.project_members where project_id = p_project));
  return v_id;
end $$;
comment on function private.post_project_update is 'Posts an update of the caller''s own project.';

create function private.project_update_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- its callers check who may see the project
set search_path = ''
as $$
begin
  return (select json_agg(json_build_object('id', w.id, 'projectId', w.project_id, 'body', w.body,
                                            'createdAt', private.utc(w.created_at)) order by i.place)
          from unnest(p_ids) with ordinality as i (id, place) join app.project_updates w on w.id = i.id);
end $$;
comment on function private.project_update_cards is 'These updates, in order: {id, projectId, body, createdAt}.';
call private.force_index_scans('private.project_update_cards');
