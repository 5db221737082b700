-- The inbox: rolling up, whom nothing reaches, reading, and who sees what.
begin;
select plan(38);
select test.people('alice', 'bob', 'carla', 'dave', 'erin');

create function pg_temp.inbox(p_kind text) returns jsonb language sql as $$
  select coalesce(jsonb_agg(i), '[]') from jsonb_array_elements(api.list_notifications(50)::jsonb -> 'items') i where i ->> 'kind' = p_kind
$$;
grant execute on function pg_temp.inbox to public;

-- Rolling up, as the owner of the schemas
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
select is(jsonb_array_length(pg_temp.inbox('post.reacted')), 2, 'reactions to one post are one notification');
select is(
  (select i - '{id,actors,createdAt,updatedAt}'::text[] from jsonb_array_elements(pg_temp.inbox('post.reacted')) i where i #>> '{target,id}' = '00000000-0000-4000-8000-000000000001'),
  '{"kind": "post.reacted", "groupKey": "post.reacted:00000000-0000-4000-8000-000000000001", "count": 2, "target": {"type": "post", "id": "00000000-0000-4000-8000-000000000001"},
    "payload": {"kind": "spark"}, "readAt": null}', 'which counts every person once');
select is(
  (select jsonb_agg(a ->> 'username' order by a ->> 'username') from jsonb_array_elements(pg_temp.inbox('post.reacted')) i,
   jsonb_array_elements(i -> 'actors') a where i #>> '{target,id}' = '00000000-0000-4000-8000-000000000001'),
  '["bob", "carla"]', 'and names them');
select is((pg_temp.inbox('post.replied') #>> '{0,count}')::int, 2, 'every reply counts');
select is(jsonb_array_length(pg_temp.inbox('payment.received')), 2, 'payments never roll up');
select is(pg_temp.inbox('user.followed') #> '{0,target}', 'null', 'what is about a person alone has no target');
select is((api.count_unread() ->> 'count')::int, 6, 'a roll-up is unread as one');

-- At most three faces, and after an hour another roll-up
select test.act_as_owner();
select test.notify(test.id('alice'), 'post.reacted', test.id(n), 'post', '00000000-0000-4000-8000-000000000001') from unnest(array['dave', 'erin']) n;
select test.act_as('alice');
select is(
  (select jsonb_array_length(i -> 'actors') from jsonb_array_elements(pg_temp.inbox('post.reacted')) i where i #>> '{target,id}' = '00000000-0000-4000-8000-000000000001'),
  3, 'three faces are shown');
select test.act_as_owner();
update app.notifications set created_at = now() - interval '59 minutes' where user_id = test.id('alice') and group_key = 'post.replied:00000000-0000-4000-8000-000000000001';
select test.notify(test.id('alice'), 'post.replied', test.id('bob'), 'post', '00000000-0000-4000-8000-000000000001');
select test.act_as('alice');
select is((pg_temp.inbox('post.replied') #>> '{0,count}')::int, 3, 'within the hour of the first it rolls up');
select test.act_as_owner();
update app.notifications set created_at = now() - interval '61 minutes' where user_id = test.id('alice') and group_key = 'post.replied:00000000-0000-4000-8000-000000000001';
select test.notify(test.id('alice'), 'post.replied', test.id('bob'), 'post', '00000000-0000-4000-8000-000000000001');
select test.act_as('alice');
select is(jsonb_array_length(pg_temp.inbox('post.replied')), 2, 'after it another begins');

-- Reading
select is((api.mark_read(p_group_key => 'post.replied:00000000-0000-4000-8000-000000000001') ->> 'count')::int, 5, 'a group is read at once');
select isnt(pg_temp.inbox('post.replied') #> '{0,readAt}', 'null', 'and says when');
select is((api.mark_read(p_group_key => 'post.replied:00000000-0000-4000-8000-000000000001') ->> 'count')::int, 5, 'twice is no error');
select test.act_as_owner();
select test.notify(test.id('alice'), 'post.replied', test.id('carla'), 'post', '00000000-0000-4000-8000-000000000001');
select test.act_as('alice');
select is((api.count_unread() ->> 'count')::int, 6, 'a further item makes a roll-up unread again');
select test.act_as_owner();
update app.notifications set read_at = now() where group_key = 'post.reacted:00000000-0000-4000-8000-000000000001';
select test.notify(test.id('alice'), 'post.reacted', test.id('bob'), 'post', '00000000-0000-4000-8000-000000000001');
select test.act_as('alice');
select is((api.count_unread() ->> 'count')::int, 5, 'but not one that counts nothing');
select is((api.mark_read(array[(pg_temp.inbox('user.followed') #>> '{0,id}')::uuid, gen_random_uuid()]) ->> 'count')::int, 4,
  'ids are read one by one, others passed over');
select is((api.mark_read(p_before => now()) ->> 'count')::int, 4, 'before a moment is before it');
select is((api.mark_read(p_before => now() + interval '1 second') ->> 'count')::int, 0, 'and all that came earlier');
select throws_ok($$ select api.mark_read() $$, 'PT422', 'read_selection', 'something says what was read');
select throws_ok($$ select api.mark_read('{}', 'user.followed') $$, 'PT422', 'read_selection', 'and one thing alone');
select results_eq(
  $$ with recursive pages as (
       select api.list_notifications(1) as page
       union all
       select api.list_notifications(1, page ->> 'nextCursor') from pages where (page ->> 'hasMore')::boolean)
     select count(*), count(distinct page #>> '{items,0,id}') from pages $$,
  $$ select 7::bigint, 7::bigint $$, 'walked page by page each comes once');

-- Whom nothing reaches
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
  1::bigint, 'nothing from oneself or from whom one blocked');
select is((select count(*) from app.notifications where user_id = test.id('bob')), 0::bigint, 'or by whom one is blocked');
select is((select count(*) from app.notifications where user_id in (test.id('dave'), test.id('erin'))), 0::bigint,
  'nothing to the banned and the erased');
select lives_ok($$ select test.notify(test.id('alice'), 'post.milestone', null, null, null, '{"reactions": 5}') $$,
  'a notification may have no actor');
select test.notify(test.id('alice'), 'post.liked', null, null, null);
select is((select count(*) from app.notifications where kind = 'post.liked'), 0::bigint, 'a kind that is not in the registry is told to nobody');

-- Acting as Alice: who was hidden since has no face
select test.act_as('alice');
select is(
  (select jsonb_agg(a ->> 'username') from jsonb_array_elements(pg_temp.inbox('post.reacted')) i,
   jsonb_array_elements(i -> 'actors') a where i #>> '{target,id}' = '00000000-0000-4000-8000-000000000001'),
  '["carla"]', 'blocked, banned and erased people are not shown');
select is(pg_temp.inbox('payment.received') #> '{0,actors}', '[]', 'while what happened stays');
select is(pg_temp.inbox('post.milestone') #> '{0,actors}', '[]', 'as does what nobody did');

-- Acting as Carla
select test.act_as('carla');
select is((select count(*) from app.notifications) + (select count(*) from app.notification_actors), 0::bigint,
  'nobody sees another''s notifications');
select test.act_as_owner();
create temporary table of_alice as select id from app.notifications where user_id = test.id('alice') limit 1;
update app.notifications set read_at = null where id = (select id from of_alice);
grant select on of_alice to public;
select test.act_as('carla');
select lives_ok($$ select api.mark_read(array(select id from of_alice)) $$, 'marking them is no error');
select throws_ok($$ select api.list_notifications(20, (select id::text from of_alice)) $$, 'PT400', 'cursor_unknown', 'but no cursor');
select throws_ok($$ select api.list_notifications(51) $$, 'PT422', 'limit_out_of_range', 'a page has at most 50');
select throws_ok($$ update app.notifications set count = 9 $$, '42501', null, 'nobody rewrites a notification');
select throws_ok($$ insert into app.notifications (user_id, kind, group_key) values (app.uid(), 'post.replied', 'x') $$, '42501', null, 'or makes one');
select throws_ok($$ select private.notify(array[(test.id('alice'), 'post.replied', app.uid(), 'post', '00000000-0000-4000-8000-000000000001', '{}',
  null, null, now())::private.notice]) $$, '42501', null, 'by hand neither');
select test.act_as_anon();
select throws_ok($$ select api.count_unread() $$, '42501', null, 'without a token there is no inbox');
select test.act_as_owner();
select is((select read_at from app.notifications where id = (select id from of_alice)), null, 'and what Carla marked was nothing');

select * from finish();
rollback;
