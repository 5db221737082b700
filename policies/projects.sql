-- Who may see projects. This file belongs to sql/projects/. The head's policies are in policies/content.sql. Only
-- definer functions read and write roles, members, applications and updates.

-- projects
alter table app.projects enable row level security;
grant select on app.projects to authenticated;
create policy select_with_content on app.projects for select to authenticated
  using ((select true from app.contents c where c.id = projects.id));
comment on policy select_with_content on app.projects is 'Everybody who sees the head sees the project.';

-- project_roles: only definer functions read them
alter table app.project_roles enable row level security;

-- project_members: only definer functions read them
alter table app.project_members enable row level security;

-- project_applications: only definer functions read them
alter table app.project_applications enable row level security;

-- project_updates: only definer functions read them
alter table app.project_updates enable row level security;

-- helpers
grant execute on function
  private.add_own_project_role,
  private.add_project,
  private.apply_to_project,
  private.change_project,
  private.change_project_role,
  private.decide_project_application,
  private.find_my_projects,
  private.find_project_applications,
  private.find_project_members,
  private.find_project_updates,
  private.leave_project,
  private.change_project_status,
  private.post_project_update,
  private.project_application_cards,
  private.project_cards,
  private.project_member_page,
  private.project_role_card,
  private.project_update_cards,
  private.remove_project,
  private.remove_project_member,
  private.remove_project_role,
  private.require_own_project,
  private.require_project_card,
  private.withdraw_project_application
  to authenticated;

-- operations
grant execute on function
  api.apply_to_project,
  api.approve_project_application,
  api.create_project,
  api.create_project_role,
  api.create_project_update,
  api.delete_project,
  api.delete_project_role,
  api.get_project,
  api.leave_project,
  api.list_my_projects,
  api.list_project_applications,
  api.list_project_members,
  api.list_project_updates,
  api.list_projects,
  api.reject_project_application,
  api.remove_project_member,
  api.set_project_status,
  api.update_project,
  api.update_project_role,
  api.withdraw_project_application
  to authenticated;

-- batches that the worker runs
grant execute on function
  private.end_role_applications
  to worker;
