-- Projects: who sees what, and that nobody reads or writes without the operations. The steps over HTTP are in
-- test/api/projects.
begin;
select plan(25);
select test.people('alice', 'bob', 'carla', 'dora');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.seen() returns text language sql stable as $$
  select coalesce(string_agg(i ->> 'title', ' ' order by i ->> 'title'), '') from json_array_elements(api.list_projects() -> 'items') i $$;
create function pg_temp.who() returns text language sql stable as $$
  select coalesce(string_agg(i #>> '{user,username}', ' ' order by i #>> '{user,username}'), '')
  from json_array_elements(api.list_project_members(pg_temp.id('open')) -> 'items') i $$;
create function pg_temp.filled() returns text language sql stable security definer as $$
  select string_agg(filled::text, ' ' order by position) from app.project_roles where project_id = (select id from made where name = 'open') $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
insert into made select t, (api.create_project(t, 'x', p_roles => '[{"name": "a", "slots": 2}, {"name": "b"}]') ->> 'id')::uuid
from unnest(array['open', 'removed']) t;
insert into made select 'role', (api.get_project(pg_temp.id('open')) #>> '{roles,0,id}')::uuid;
select test.act_as('bob');
insert into made select 'bob', (api.apply_to_project(pg_temp.id('open'), pg_temp.id('role'), 'Me') ->> 'id')::uuid;
insert into made select 'late', (api.apply_to_project(pg_temp.id('removed'), (api.get_project(pg_temp.id('removed')) #>> '{roles,0,id}')::uuid) ->> 'id')::uuid;
select test.act_as('carla');
insert into made select 'carla', (api.apply_to_project(pg_temp.id('open'), pg_temp.id('role')) ->> 'id')::uuid;
select test.act_as('alice');
select is(api.approve_project_application(pg_temp.id('open'), a) ->> 'status', 'approved', 'The author can approve applications')
from unnest(array[pg_temp.id('bob'), pg_temp.id('carla')]) a;
select test.act_as_owner();
update app.contents set removed_at = now() where id = pg_temp.id('removed');

select test.act_as('dora');
select is(pg_temp.seen(), 'open', 'Others find a project, but not a removed one');
select is(pg_temp.who(), 'alice bob carla', 'Others see the members of a project');
select throws_ok(s, '42501', null, 'Nobody can run: ' || s)
from unnest(array['select * from app.project_roles', 'select * from app.project_members', 'select * from app.project_applications',
  'select * from app.project_updates', 'insert into app.projects (id, summary) select id, ''x'' from app.contents', 'update app.projects set status = ''active''']) s;
select throws_ok(format('select api.list_project_applications(%L)', pg_temp.id('open')), 'PT403', 'content_not_yours', 'Only the author can list applications');
select throws_ok(format('select api.approve_project_application(%L, %L)', pg_temp.id('open'), pg_temp.id('bob')), 'PT403', 'content_not_yours', 'Only the author can decide about applications');
select lives_ok($$ select api.block_person('bob') $$, 'A member can be blocked');
select is(pg_temp.who(), 'alice carla', 'A blocked member is hidden');
select is(api.get_project(pg_temp.id('open')) ->> 'memberCount', '3', 'A blocked member is still counted');
select test.act_as('alice');
select is(pg_temp.seen(), 'open removed', 'The author sees a removed project');
select throws_ok(format('select api.%s', o), 'PT404', 'project_unknown', 'In a removed project the author can''t ' || o)
from unnest(array['approve_project_application(pg_temp.id(''removed''), pg_temp.id(''late''))', 'create_project_update(pg_temp.id(''removed''), ''x'')']) o;
select lives_ok(format('select api.%s', o), 'In a removed project the author can ' || o)
from unnest(array['update_project(pg_temp.id(''removed''), ''{"summary": "y"}'')', 'reject_project_application(pg_temp.id(''removed''), pg_temp.id(''late''))',
  'create_project_role(pg_temp.id(''removed''), ''c'')', 'set_project_status(pg_temp.id(''removed''), ''archived'')']) o;
select api.block_person('carla');
select is(pg_temp.filled(), '1 0', 'A block between author and member frees the member''s slot');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'bob';
select is(pg_temp.filled(), '0 0', 'A ban frees the member''s slot');
select test.act_as_anon();
select throws_ok($$ select api.list_projects() $$, '42501', null, 'Projects need a signed-in caller');

select * from finish();
rollback;
