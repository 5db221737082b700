-- A message to everybody: who may send it, and who gets it.
begin;
select plan(12);
select test.people('alice', 'bob', 'carla', 'dan');
update app.users set role = 'admin' where username = 'alice';
update app.users set role = 'moderator' where username = 'bob';
update app.users set banned_at = now() where username = 'dan';
create function pg_temp.tell() returns json language sql security definer as $$
  select private.deliver_broadcast((select data from pgboss.job where name = 'broadcasts' limit 1)) $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as_service('bob');
select throws_ok($$ select api.broadcast('A', 'b') $$, 'PT403', 'role_required', 'A moderator can''t send a broadcast');
select test.act_as_service('carla');
select throws_ok($$ select api.broadcast('A', 'b') $$, 'PT403', 'role_required', 'A user can''t send a broadcast');
select test.act_as('alice');
select throws_ok($$ select api.broadcast('A', 'b') $$, '42501', null, 'An admin can''t send a broadcast without the service role');
select throws_ok($$ select * from app.broadcasts $$, '42501', null, 'Nobody can read the table of broadcasts');
select test.act_as_anon();
select throws_ok($$ select api.broadcast('A', 'b') $$, '42501', null, 'An anonymous caller can''t send a broadcast');

select test.act_as_service('alice');
select throws_ok($$ select api.broadcast(repeat('x', 101), 'b') $$, 'PT422', 'broadcast_title', 'A title of more than 100 characters is refused');
select throws_ok($$ select api.broadcast('A', ' ') $$, 'PT422', 'broadcast_body', 'A blank body is refused');
select is(api.broadcast(' A ', ' b ')::jsonb - 'id' - 'createdAt', '{"title": "A", "body": "b"}', 'An admin sends a broadcast, and its texts are trimmed');
select is((pg_temp.tell())::jsonb -> 'next', 'null', 'The batch notifies everybody');
select is((pg_temp.tell())::jsonb -> 'changed', '0', 'A repeated batch notifies nobody again');

select test.act_as('carla');
select is((api.list_notifications() #> '{items,0}')::jsonb - '{id,createdAt,updatedAt,target,groupKey}'::text[],
  '{"kind": "admin.broadcast", "path": "/notifications", "title": "A", "excerpt": "b", "count": 1, "actors": [], "payload": {"title": "A", "body": "b"}, "readAt": null}', 'A user gets the notification');
select test.act_as_owner();
select is((select count(*) from app.notifications where user_id = test.id('dan')), 0::bigint, 'A banned person gets no notification');

select * from finish();
rollback;
