-- Only staff can restore a group that staff has archived. Its owner cannot, not even as an admin.
begin;
select plan(9);
select test.people('alice', 'bob', 'carla');
update app.users set role = 'admin' where username in ('alice', 'bob');
create temp table made (name text primary key, id text);
grant all on made to public;
create function pg_temp.id(p_name text) returns text language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.is_archived(p_name text) returns boolean language sql security definer as $$
  select archived_at is not null from app.spaces where id = pg_temp.id(p_name)::uuid $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('bob');
insert into made values ('one', api.create_group('One') ->> 'id'), ('two', api.create_group('Two') ->> 'id');
select test.act_as_service('alice');
select api.set_any_space_archived('group', pg_temp.id('one'), true);
select test.act_as('bob');
select throws_ok($$ select api.restore_group(pg_temp.id('one')) $$, 'PT409', 'space_archived_by_staff', 'The owner can''t restore a group that staff has archived');
select test.act_as_service('bob');
select throws_ok($$ select api.set_any_space_archived('group', pg_temp.id('one'), false) $$, 'PT403', 'moderate_own',
  'An owner who is an admin can''t restore the group either');
select ok(pg_temp.is_archived('one'), 'The group stays archived');
select test.act_as_service('alice');
select lives_ok($$ select api.set_any_space_archived('group', pg_temp.id('one'), false) $$,
  'Another admin can restore the group');
select test.act_as('bob');
select api.archive_group(pg_temp.id('two'));
select lives_ok($$ select api.restore_group(pg_temp.id('two')) $$, 'The owner can restore what the owner has archived');
select api.archive_group(pg_temp.id('two'));
select test.act_as_service('bob');
select lives_ok($$ select api.set_any_space_archived('group', pg_temp.id('two'), false) $$,
  'The owner can restore the group as an admin too');
select ok(not pg_temp.is_archived('two'), 'The group is active again');
select test.act_as('bob');
select api.archive_group(pg_temp.id('two'));
select test.act_as_service('alice');
select api.set_any_space_archived('group', pg_temp.id('two'), true);
select is((api.set_any_space_archived('group', pg_temp.id('two'), true) ->> 'id'), pg_temp.id('two'), 'Staff can archive what the owner has archived');
select test.act_as('bob');
select throws_ok($$ select api.restore_group(pg_temp.id('two')) $$, 'PT409', 'space_archived_by_staff',
  'Only staff can restore a group that staff archived after its owner');
select * from finish();
rollback;
