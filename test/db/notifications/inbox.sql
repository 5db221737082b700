-- The inbox: grouping, who gets no notification, reading, and who sees what.
begin;
select plan(38);
select test.people('alice', 'bob', 'carla', 'dave', 'erin');

create function pg_temp.inbox(p_kind text) returns jsonb language sql as $$
  select coalesce(jsonb_agg(i), '[]') from jsonb_array_elements(api.list_notifications(50)::jsonb -> 'items') i where i ->> 'kind' = p_kind
$$;
grant execute on function pg_temp.inbox to public;

-- Grouping, as the owner of the schemas
select test.notify(test.id('alice'), 'post.reacted', test.id('bob'), 'post', '00000000-0000-4000-8000-000000000001', '{"kind": "heart"}');
select test.notify(test.id('alice'), 'post.reacted', test.id('carla'), 'post', '00000000-0000-4000-8000-000000000001', '{"kind": "spark"}');
select test.notify(test.id('alice'), 'post.reacted', test.id('bob'), 'post', '00000000-0000-4000-8000-000000000001', '{"kind": "spark"}');
select test.notify(test.id('alice'), 'post.reacted', test.id('bob'), 'post', '00000000-0000-4000-8000-000000000002');
select test.notify(test.id('alice'), 'post.replied', test.id('bob'), 'post', '00000000-0000-4000-8000-000000000001');
select test.notify(test.id('alice'), 'post.replied', test.id('bob'), 'post', '00000000-0000-4000-8000-000000000001');
select test.notify(test.id('alice'), 'payment.received', test.id('bob'), 'payment', 'm1');
select test.notify(test.id('alice'), 'payment.received', test.id('bob'), 'payment', 'm1');
select test.notify(test.id('alice'), 'user.followed', test.id('bob'), null, null, p_group_key => 'user.followed');

-- Acting as Alice
select test.act_as('alice');
select is(jsonb_array_length(pg_temp.inbox('post.reacted')), 2, 'Reactions to one post are grouped into one notification');
select is(
  (select i - '{id,actors,createdAt,updatedAt}'::text[] from jsonb_array_elements(pg_temp.inbox('post.reacted')) i where i #>> '{target,id}' = '00000000-0000-4000-8000-000000000001'),
  '{"kind": "post.reacted", "groupKey": "post.reacted:00000000-0000-4000-8000-000000000001", "count": 2, "target": {"type": "post", "id": "00000000-0000-4000-8000-000000000001"},
    "path": "/posts/00000000-0000-4000-8000-000000000001",
    "payload": {"kind": "spark"}, "readAt": null, "title": null, "excerpt": null}', 'The group counts each person once');
select is(
  (select jsonb_agg(a ->> 'username' order by a ->> 'username') from jsonb_array_elements(pg_temp.inbox('post.reacted')) i,
   jsonb_array_elements(i -> 'actors') a where i #>> '{target,id}' = '00000000-0000-4000-8000-000000000001'),
  '["bob", "carla"]', 'The group names its people');
select is((pg_temp.inbox('post.replied') #>> '{0,count}')::int, 2, 'Each reply is counted');
select is(jsonb_array_length(pg_temp.inbox('payment.received')), 2, 'Payments are never grouped');
select is(pg_temp.inbox('user.followed') #> '{0,target}', 'null', 'A notification about a person has no target');
select is((api.count_unread() ->> 'count')::int, 6, 'A group counts as one unread notification');

-- At most three actors, and a new group after an hour
select test.act_as_owner();
select test.notify(test.id('alice'), 'post.reacted', test.id(n), 'post', '00000000-0000-4000-8000-000000000001') from unnest(array['dave', 'erin']) n;
select test.act_as('alice');
select is(
  (select jsonb_array_length(i -> 'actors') from jsonb_array_elements(pg_temp.inbox('post.reacted')) i where i #>> '{target,id}' = '00000000-0000-4000-8000-000000000001'),
  3, 'A group shows three actors');
select test.act_as_owner();
update app.notifications set created_at = now() - interval '59 minutes' where user_id = test.id('alice') and group_key = 'post.replied:00000000-0000-4000-8000-000000000001';
select test.notify(test.id('alice'), 'post.replied', test.id('bob'), 'post', '00000000-0000-4000-8000-000000000001');
select test.act_as('alice');
select is((pg_temp.inbox('post.replied') #>> '{0,count}')::int, 3, 'Within an hour of its first item a group grows');
select test.act_as_owner();
update app.notifications set created_at = now() - interval '61 minutes' where user_id = test.id('alice') and group_key = 'post.replied:00000000-0000-4000-8000-000000000001';
select test.notify(test.id('alice'), 'post.replied', test.id('bob'), 'post', '00000000-0000-4000-8000-000000000001');
select test.act_as('alice');
select is(jsonb_array_length(pg_temp.inbox('post.replied')), 2, 'After an hour a new group begins');

-- Reading
select is((api.mark_read(p_group_key => 'post.replied:00000000-0000-4000-8000-000000000001') ->> 'count')::int, 5, 'A group can be marked as read at once');
select isnt(pg_temp.inbox('post.replied') #> '{0,readAt}', 'null', 'A read notification has the time of reading');
select is((api.mark_read(p_group_key => 'post.replied:00000000-0000-4000-8000-000000000001') ->> 'count')::int, 5,
  'Marking a group twice is not an error');
select test.act_as_owner();
select test.notify(test.id('alice'), 'post.replied', test.id('carla'), 'post', '00000000-0000-4000-8000-000000000001');
select test.act_as('alice');
select is((api.count_unread() ->> 'count')::int, 6, 'A new item makes a read group unread again');
select test.act_as_owner();
update app.notifications set read_at = now() where group_key = 'post.reacted:00000000-0000-4000-8000-000000000001';
select test.notify(test.id('alice'), 'post.reacted', test.id('bob'), 'post', '00000000-0000-4000-8000-000000000001');
select test.act_as('alice');
select is((api.count_unread() ->> 'count')::int, 5, 'An item by the same person on the same post leaves a read group read');
select is((api.mark_read(array[(pg_temp.inbox('user.followed') #>> '{0,id}')::uuid, gen_random_uuid()]) ->> 'count')::int, 4,
  'Ids can be marked read, and unknown ids are ignored');
select is((api.mark_read(p_before => now()) ->> 'count')::int, 4, 'Marking everything before a time leaves notifications of that very time unread');
select is((api.mark_read(p_before => now() + interval '1 second') ->> 'count')::int, 0,
  'Marking everything before a later time marks the notifications of the earlier time');
select throws_ok($$ select api.mark_read() $$, 'PT422', 'read_selection', 'Marking without a selection is refused');
select throws_ok($$ select api.mark_read('{}', 'user.followed') $$, 'PT422', 'read_selection', 'Marking with two selections is refused');
select results_eq(
  $$ with recursive pages as (
       select api.list_notifications(1) as page
       union all
       select api.list_notifications(1, page ->> 'nextCursor') from pages where (page ->> 'hasMore')::boolean)
     select count(*), count(distinct page #>> '{items,0,id}') from pages $$,
  $$ select 7::bigint, 7::bigint $$, 'The pages together have each notification once');

-- Who gets no notification
select test.act_as('alice');
select api.block_person('bob');
select test.act_as_owner();
select test.notify(test.id('alice'), 'user.followed', test.id('alice'), null, null);
select test.notify(test.id('alice'), 'circle.added', test.id('bob'), 'circle', 'c1');
select test.notify(test.id('bob'), 'circle.added', test.id('alice'), 'circle', 'c2');
update app.users set banned_at = now() where username = 'dave';
update app.users set erased_at = now() where username = 'erin';
select test.notify(test.id(n), 'circle.added', test.id('alice'), 'circle', 'c3') from unnest(array['dave', 'erin']) n;
select is((select count(*) from app.notifications where user_id = test.id('alice') and kind in ('user.followed', 'circle.added')),
  1::bigint, 'A person isn''t notified of their own actions or those of a person they blocked');
select is((select count(*) from app.notifications where user_id = test.id('bob')), 0::bigint, 'A person isn''t notified of actions of somebody who blocked them');
select is((select count(*) from app.notifications where user_id in (test.id('dave'), test.id('erin'))), 0::bigint,
  'Banned and erased people get no notifications');
select lives_ok($$ select test.notify(test.id('alice'), 'post.milestone', null, null, null, '{"reactions": 5}') $$,
  'A notification can have no actor');
select test.notify(test.id('alice'), 'post.liked', null, null, null);
select is((select count(*) from app.notifications where kind = 'post.liked'), 0::bigint, 'A notification of an unregistered kind isn''t stored');

-- Acting as Alice: actors who are hidden since are not shown
select test.act_as('alice');
select is(
  (select jsonb_agg(a ->> 'username') from jsonb_array_elements(pg_temp.inbox('post.reacted')) i,
   jsonb_array_elements(i -> 'actors') a where i #>> '{target,id}' = '00000000-0000-4000-8000-000000000001'),
  '["carla"]', 'Blocked, banned and erased actors are not shown');
select is(pg_temp.inbox('payment.received') #> '{0,actors}', '[]', 'A notification whose only actor is hidden is listed without actors');
select is(pg_temp.inbox('post.milestone') #> '{0,actors}', '[]', 'A notification without an actor has an empty list of actors');

-- Acting as Carla
select test.act_as('carla');
select is((select count(*) from app.notifications) + (select count(*) from app.notification_actors), 0::bigint,
  'Nobody sees another person''s notifications');
select test.act_as_owner();
create temporary table of_alice as select id from app.notifications where user_id = test.id('alice') limit 1;
update app.notifications set read_at = null where id = (select id from of_alice);
grant select on of_alice to public;
select test.act_as('carla');
select lives_ok($$ select api.mark_read(array(select id from of_alice)) $$, 'Marking another person''s notification is not an error');
select throws_ok($$ select api.list_notifications(20, (select id::text from of_alice)) $$, 'PT400', 'cursor_unknown', 'Another person''s notification is refused as a cursor');
select throws_ok($$ select api.list_notifications(51) $$, 'PT422', 'limit_out_of_range', 'A page has at most 50 notifications');
select throws_ok($$ update app.notifications set count = 9 $$, '42501', null, 'Nobody can change a notification');
select throws_ok($$ insert into app.notifications (user_id, kind, group_key) values (app.uid(), 'post.replied', 'x') $$, '42501', null, 'Nobody can insert a notification');
select throws_ok($$ select private.notify(array[(test.id('alice'), 'post.replied', app.uid(), 'post', '00000000-0000-4000-8000-000000000001', '{}',
  null, null, now())::private.notice]) $$, '42501', null, 'Nobody can call the private function');
select test.act_as_anon();
select throws_ok($$ select api.count_unread() $$, '42501', null, 'The inbox needs a signed-in caller');
select test.act_as_owner();
select is((select read_at from app.notifications where id = (select id from of_alice)), null, 'Carla''s call left Alice''s notification unread');

select * from finish();
rollback;
