-- Bans, erasures and blocks take roles in projects from people. A person has at most 500 roles. See
-- sql/base/90_erasure.sql for how an erasure runs. docs/decisions.md, Projects; Erasure and export.

create function private.free_own_project_slots(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_roles uuid[] := array(select role_id from app.project_members where user_id = p_user.id);
begin
  perform private.free_project_slots(v_roles, array_fill(p_user.id, array[cardinality(v_roles)]));
  if p_user.erased_at is not null then
    perform private.erase_rows(p_user.id, 'app.project_applications', 'user_id = $1');
  end if;
end $$;
comment on function private.free_own_project_slots is
  'Step: takes all roles in projects from a banned or erased person, and deletes the applications of an erased '
  'person.';
insert into private.account_steps (step, events, position) values
  ('private.free_own_project_slots', '{ban,erasure}', 167);

create function private.free_blocked_project_slots() returns trigger
language plpgsql security definer   -- a block ends the memberships of both people
set search_path = ''
as $$
declare
  v_roles uuid[];
  v_users uuid[];
begin
  select array_agg(m.role_id), array_agg(m.user_id) into v_roles, v_users
  from changed b
  cross join unnest(array[b.blocker_id, b.blocked_id], array[b.blocked_id, b.blocker_id]) w (user_id, author_id)
  join app.project_members m on m.user_id = w.user_id
  join app.contents c on c.id = m.project_id and c.author_id = w.author_id;
  if v_roles is not null then
    perform private.free_project_slots(v_roles, v_users);
  end if;
  return null;
end $$;
comment on function private.free_blocked_project_slots is
  'Trigger: ends the membership when the author of a project and a member have a block between them, because '
  'neither may see the other there.';
call private.force_index_scans('private.free_blocked_project_slots');
create trigger _230_free_blocked_project_slots after insert on app.blocks
  referencing new table as changed for each statement execute function private.free_blocked_project_slots();
