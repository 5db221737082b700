-- A project says what somebody wants to do with others, and which roles they want to fill. The columns that all kinds
-- have are in app.contents. docs/decisions.md, Contents; Projects.

create table app.projects (
  id      uuid primary key references app.contents on delete cascade,
  summary app.markdown not null,
  status  text not null default 'recruiting' check (status in ('recruiting', 'active', 'completed', 'archived'))
);
comment on table app.projects is 'The columns of a project that its head in app.contents does not have.';
call private.make_nulls_raise_codes('app.projects');
comment on column app.projects.status is
  'The author may set any status at any time. A completed or archived project accepts no applications, members or '
  'updates.';

create table app.project_roles (
  id         uuid primary key default gen_random_uuid(),
  project_id uuid not null references app.projects on delete cascade,
  position   bigint not null generated always as identity,
  name       text not null,
  about      text not null default '',
  slots      integer not null default 1,
  filled     integer not null default 0 check (filled >= 0),
  words      tsvector not null default '',
  constraint project_role_name check (length(private.trimmed(name)) between 1 and 80),
  constraint project_role_about check (length(about) <= 2000),
  constraint project_role_slots check (slots between 1 and 50),
  constraint project_role_full check (filled <= slots or slots < 1)   -- if slots < 1, only project_role_slots fails
);
create index project_roles_project_id_idx on app.project_roles (project_id, position);
comment on table app.project_roles is
  'The roles that a project wants to fill. A function that gives or takes a role locks the role''s row first, so '
  'that only one call at a time changes it.';
comment on column app.project_roles.filled is
  'The number of people who hold the role, including hidden people. It is updated together with the row of the '
  'member, while this row is locked.';

comment on column app.project_roles.words is 'The words of the name, for the search. A trigger writes them.';

create function private.prepare_project_role() returns trigger
language plpgsql
set search_path = ''
as $$
begin
  new.words := private.words_in(array[new.name]);
  return new;
end $$;
comment on function private.prepare_project_role is
  'Trigger: fills words, so that a list of projects need not compute them for up to 8000 roles.';
create trigger prepare_project_role before insert or update of name on app.project_roles
  for each row execute function private.prepare_project_role();

create table app.project_members (
  project_id uuid not null references app.contents on delete cascade,
  user_id    uuid not null references app.users on delete cascade,
  role_id    uuid not null references app.project_roles on delete cascade,
  made_at    timestamptz not null,
  created_at timestamptz not null default now(),
  primary key (project_id, user_id)
);
create index project_members_role_id_idx on app.project_members (role_id);
create index project_members_created_at_idx on app.project_members (project_id, created_at, user_id);
create index project_members_made_at_idx on app.project_members (user_id, made_at desc, project_id desc);
comment on table app.project_members is
  'The people who hold roles. The author of a project is a member but has no row.';
comment on column app.project_members.made_at is
  'When the project was created, which decides its position in the lists of its members.';
comment on column app.project_members.created_at is 'When the member joined.';

create table app.project_applications (
  id         uuid primary key default gen_random_uuid(),
  project_id uuid not null references app.contents on delete cascade,
  role_id    uuid not null,
  user_id    uuid not null references app.users on delete cascade,
  message    text not null default '',
  status     text not null default 'pending'
             check (status in ('pending', 'approved', 'rejected', 'withdrawn', 'ended')),
  created_at timestamptz not null default now(),
  decided_at timestamptz,
  constraint project_message check (length(message) <= 2000),
  check ((status = 'pending') = (decided_at is null))
);
create unique index project_applications_pending_key on app.project_applications (role_id, user_id)
  where status = 'pending';
create index project_applications_role_id_idx on app.project_applications (role_id);
create index project_applications_project_id_idx
  on app.project_applications (project_id, created_at desc, id desc);
create index project_applications_status_idx
  on app.project_applications (project_id, status, created_at desc, id desc);
create index project_applications_user_id_idx on app.project_applications (user_id, project_id);
comment on table app.project_applications is
  'The applications of people for roles. A settled application never changes again.';
comment on column app.project_applications.role_id is
  'The column has no foreign key, because the applications for a deleted role end in batches. No operation shows '
  'the id of a deleted role.';
comment on column app.project_applications.status is
  'pending, then approved or rejected by the author, withdrawn by the applicant, or ended, because the applicant got '
  'another role or the role was deleted.';
comment on column app.project_applications.decided_at is 'When the application was settled; null while it is pending.';

create table app.project_updates (
  id         uuid primary key default gen_random_uuid(),
  project_id uuid not null references app.projects on delete cascade,
  body       app.markdown not null,
  created_at timestamptz not null default now()
);
create index project_updates_project_id_idx on app.project_updates (project_id, created_at desc, id desc);
comment on table app.project_updates is 'News that the author of a project posts about it.';

insert into private.write_limits (kind, per_hour) values ('projects', 300);

insert into private.personal_data (relation, person_column, section, within, omits) values
  ('app.projects', 'id', 'projects', '{contents}', '{}'),
  ('app.project_roles', 'project_id', 'projectRoles', '{contents}', '{words}'),
  ('app.project_updates', 'project_id', 'projectUpdates', '{contents}', '{}');
insert into private.personal_data (relation, person_column, section) values
  ('app.project_members', 'user_id', 'projectMemberships'),
  ('app.project_applications', 'user_id', 'projectApplications');

insert into private.event_types (name, payload, happens) values
  ('projects.application.decided', '{projectId,event,userId}',
   'somebody gets a role in a project, is rejected, or is removed'),
  ('projects.update.posted', '{projectId,updateId,authorId}', 'the author of a project posts an update');
insert into private.outbound_events (event, subject_type, subject_field, fields, people) values
  ('projects.update.posted', 'project', 'projectId', '{projectId,updateId}', '{authorId}');

insert into private.errors (code, status, text) values
  ('project_unknown', 404, 'There is no such project.'),
  ('project_role_unknown', 404, 'This project has no such role.'),
  ('project_application_unknown', 404, 'This project has no such application.'),
  ('project_member_unknown', 404, 'This person is not a member of the project.'),
  ('project_own', 400, 'You cannot apply to your own project.'),
  ('project_author_stays', 409, 'The author of a project cannot leave it. Delete or archive it instead.'),
  ('project_over', 409, 'This project is completed or archived.'),
  ('project_applied', 409, 'You have already applied for this role.'),
  ('project_member_already', 409, 'This person already holds a role in the project.'),
  ('project_application_not_yours', 403, 'Only the applicant can withdraw an application.'),
  ('project_application_settled', 409, 'This application has already been settled.'),
  ('project_role_full', 409, 'All slots of this role are taken.'),
  ('project_role_held', 409, 'People hold this role, so it cannot be deleted or have fewer slots than are taken.'),
  ('project_roles_exhausted', 409, 'A project can have at most 20 roles.'),
  ('project_updates_exhausted', 409, 'A project can have at most 1000 updates.'),
  ('project_places_exhausted', 409, 'A person can hold roles in at most 500 projects.'),
  ('project_has_applications', 409, 'Others have applied to this project, so it cannot be deleted. Archive it '
  'instead.'),
  ('project_role_name', 422, 'A role must have a name of 1 to 80 characters.'),
  ('project_role_about', 422, 'The description of a role can have up to 2000 characters.'),
  ('project_role_slots', 422, 'A role must have 1 to 50 slots.'),
  ('project_message', 422, 'A message can have up to 2000 characters.');

create view private.project_details with (security_invoker) as
select p.id,
       json_build_object(
         'summary', p.summary,
         'status', p.status,
         'roles', coalesce((
           select json_agg(json_build_object('id', r.id, 'name', r.name, 'about', r.about, 'slots', r.slots,
                                             'filled', r.filled) order by r.position)
           from app.project_roles r where r.project_id = p.id), '[]'::json),
         'memberCount', 1 + coalesce((select sum(r.filled) from app.project_roles r where r.project_id = p.id), 0)
       ) as detail
from app.projects p;
comment on view private.project_details is
  'The fields that only the card of a project has: {summary, status, roles [{id, name, about, slots, filled}], '
  'memberCount (the author and the people who hold a role)}.';

create function private.erase_projects(p_ids uuid[]) returns void
language plpgsql volatile security definer   -- an erasure changes rows that callers may not change
set search_path = ''
as $$
begin
  -- locks heads before details, and roles in the order of their ids: ARCHITECTURE.md, Locks
  perform from app.contents where id = any (p_ids) and kind = 'project' order by id for no key update;
  perform from app.project_roles where project_id = any (p_ids) order by id for update;
  delete from app.projects where id = any (p_ids);
end $$;
comment on function private.erase_projects is
  'Deletes the texts, roles, members and updates of these projects when their author is erased.';

create function private.matches_project_filter(p_id uuid, p_filters jsonb) returns boolean
language plpgsql stable security definer   -- callers may not read details
set search_path = ''
as $$
begin
  return exists (
    select from app.projects p
    where p.id = p_id
      and (p_filters ->> 'status' is null or p.status = p_filters ->> 'status')
      and (p_filters -> 'role' is null
           or p_filters -> 'role' <> '[]' and exists (   -- an empty query finds nothing
             select from app.project_roles r
             where r.project_id = p.id and p_filters -> 'role' <@ to_jsonb(tsvector_to_array(r.words)))));
end $$;
comment on function private.matches_project_filter is
  'Returns whether a project matches the filter of the list of projects. Its status must be {status}, and the name '
  'of one of its roles must have all words of the array {role}.';

insert into private.content_kinds (kind, plural, relation, details, eraser, filter) values
  ('project', 'projects', 'app.projects', 'private.project_details', 'private.erase_projects',
   'private.matches_project_filter');
insert into private.content_cascades (relation, kind, whose) values
  ('app.project_members', 'project', 'project_id = $1'),
  ('app.project_applications', 'project', 'project_id = $1');

insert into private.report_targets (type, finder, author, place) values
  ('project', 'private.require_reported_content', 'select author_id from app.contents where id = $1',
   'select c.space_id, c.title, d.summary, c.removed_at is not null
    from app.contents c join app.projects d on d.id = c.id where c.id = $1');
insert into private.notification_targets (type, words) values
  ('project', 'select c.id, c.title, d.summary from app.contents c join app.projects d on d.id = c.id
             where c.id = any ($1)');

create function private.project_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- checks visibility only once, like private.video_cards
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning a card view takes longer than running it
as $$
begin
  return (
    select json_agg(
             private.merge_objects(private.merge_objects(h.head, d.detail), json_build_object(
               'viewer', json_build_object(
                 'role', r.name,
                 'status', case when c.author_id = (select app.uid()) then 'author'
                                when r.name is not null then 'member'
                                when a.id is not null then 'pending'
                                else 'none' end,
                 'applicationId', a.id)))
             order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join private.content_heads h on h.id = i.id
    join private.project_details d on d.id = h.id
    join app.contents c on c.id = h.id
    left join app.project_members m on m.project_id = h.id and m.user_id = (select app.uid())
    left join app.project_roles r on r.id = m.role_id
    left join lateral (
      select w.id from app.project_applications w
      where w.project_id = h.id and w.user_id = (select app.uid()) and w.status = 'pending'
      order by w.created_at desc, w.id desc limit 1) a on true);
end $$;
comment on function private.project_cards is
  'The cards of these projects that the caller may see, in order: the head, the detail, and {viewer: {role (its '
  'name), status author | member | pending | none, applicationId (the latest pending one)}}.';
call private.force_index_scans('private.project_cards');

create function private.require_project_card(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_card('project_unknown', private.project_cards(array[p_id]) -> 0); end $$;
comment on function private.require_project_card is 'Returns the card of a project if the caller may see it.';

create function private.require_running_project(p_id uuid) returns void
language plpgsql stable security definer   -- callers may not read details
set search_path = ''
as $$
begin
  perform from app.projects where id = p_id and status in ('recruiting', 'active');
  if not found then
    perform private.raise_error('project_over');
  end if;
end $$;
comment on function private.require_running_project is 'Passes if the project is neither completed nor archived.';

create function private.require_own_project(p_id uuid) returns app.contents
language plpgsql stable
set search_path = ''
as $$
declare
  v_content app.contents := private.require_content('project', p_id);
begin
  if v_content.author_id <> private.require_caller() then
    perform private.raise_error('content_not_yours');
  end if;
  return v_content;
end $$;
comment on function private.require_own_project is 'Returns the head of the caller''s own project if they may see it.';

create function private.lock_own_project(p_id uuid, p_people uuid[] default '{}') returns app.contents
language plpgsql volatile security definer   -- callers may not lock people and spaces
set search_path = ''
as $$
declare
  v_content app.contents;
begin
  select * into v_content from app.contents where id = p_id;
  -- locks people before spaces, and spaces before heads: ARCHITECTURE.md, Locks
  perform private.check_lock_order('person', variadic (p_people || private.require_caller())::text[]);
  perform from app.users where id = any (p_people || private.require_caller()) order by id for share;
  perform private.write_in_space(v_content.space_id);
  return private.lock_own_content('project', p_id, false);
end $$;
comment on function private.lock_own_project is
  'Locks these people, then the space of the caller''s own project, which must not be archived, then the head; '
  'returns the head.';

create function private.add_project_role(p_project uuid, p_role jsonb) returns uuid
language plpgsql volatile security definer   -- callers may not write roles
set search_path = ''
as $$
declare
  v_id uuid;
begin
  if (select count(*) from app.project_roles where project_id = p_project) >= 20 then
    perform private.raise_error('project_roles_exhausted');
  end if;
  insert into app.project_roles (project_id, name, about, slots)
  values (p_project, coalesce(private.require_name(p_role ->> 'name'), ''),
          coalesce(private.require_text(p_role ->> 'about'), ''), coalesce((p_role ->> 'slots')::integer, 1))
  returning id into v_id;
  return v_id;
end $$;
comment on function private.add_project_role is
  'Adds a role {name, about?, slots?} to a project that is new or that the calling function has locked. Fails: '
  'project_role_name, project_role_about, project_role_slots.';

create function private.add_project(p_id uuid, p_summary text, p_roles jsonb) returns void
language plpgsql volatile security definer   -- callers may not write details
set search_path = ''
as $$
begin
  if jsonb_typeof(p_roles) <> 'array' then
    perform private.raise_error('value_invalid');
  end if;
  insert into app.projects (id, summary) values (p_id, p_summary);
  perform private.add_project_role(p_id, r.role) from jsonb_array_elements(p_roles) r (role);
end $$;
comment on function private.add_project is 'Writes the detail of a new project.';

create function private.change_project(p_id uuid, p_changes jsonb) returns void
language plpgsql volatile security definer   -- callers may not change details
set search_path = ''
as $$
declare
  v_content app.contents := private.lock_own_content('project', p_id);
  v_summary text;
begin
  perform private.require_running_project(p_id);
  update app.projects
  set summary = case when p_changes ? 'summary' then private.require_body(p_changes ->> 'summary') else summary end
  where id = p_id returning summary into v_summary;
  perform private.edit_content(v_content, p_changes, array[v_summary]);
end $$;
comment on function private.change_project is 'Changes the caller''s own project.';

create function private.change_project_status(p_id uuid, p_status text) returns void
language plpgsql volatile security definer   -- callers may not change details
set search_path = ''
as $$
begin
  perform private.lock_own_content('project', p_id);
  update app.projects set status = p_status where id = p_id;
end $$;
comment on function private.change_project_status is 'Changes the status of the caller''s own project.';

create function private.remove_project(p_id uuid) returns void
language plpgsql volatile security definer   -- callers may not delete details
set search_path = ''
as $$
begin
  perform private.lock_own_content('project', p_id, false);
  if exists (select from app.project_applications where project_id = p_id) then
    perform private.raise_error('project_has_applications');
  end if;
  perform private.delete_content('project', p_id);
end $$;
comment on function private.remove_project is
  'Deletes the caller''s own project if nobody has applied to it. Never: writes_exceeded (it is not an edit).';

insert into private.links (type, path) values ('project', '/projects/{id}');
