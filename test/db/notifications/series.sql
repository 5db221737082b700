-- Followers of a series are notified of new items: when they are published, once, and only if they may see them. Many
-- followers are notified by a job.
begin;
select plan(34);
select test.people('alice', 'bob', 'carla', 'dave');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.as_owner(p_statement text) returns void language plpgsql security definer as $$ begin execute p_statement; end $$;
create function pg_temp.post(p_name text, p_visibility text default 'public') returns void language plpgsql as $$
begin
  perform test.act_as('alice');
  insert into made select p_name, (api.create_post(p_name, p_visibility => p_visibility) ->> 'id')::uuid;
end $$;
create function pg_temp.scheduled(p_name text, p_visibility text default 'public') returns void language plpgsql security definer as $$
begin
  with p as (insert into app.posts (author_id, body, visibility, publish_at, published_at)
             values (test.id('alice'), p_name, p_visibility, now(), null) returning id)
  insert into made select p_name, id from p;
end $$;
create function pg_temp.add(p_post text, p_position integer default null) returns void language plpgsql as $$
begin
  perform test.act_as('alice');
  perform api.add_series_item(pg_temp.id('series'), pg_temp.id(p_post), p_position);
end $$;
-- Marks a person's notifications as read, and returns the items that these notifications name
create function pg_temp.told(p_person text) returns text language plpgsql as $$
begin
  perform test.act_as(p_person);
  perform api.mark_read(p_before => 'infinity');
  return (select coalesce(string_agg(m.name, ' ' order by m.name), '')
          from json_array_elements(api.list_notifications(50) -> 'items') i join made m on m.id = (i #>> '{target,id}')::uuid
          where i ->> 'kind' = 'series.updated');
end $$;
create function pg_temp.events() returns integer language sql stable security definer
  as $$ select count(*) from app.domain_events where name = 'posts.series.extended' $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
select api.create_circle('Near');
select api.add_circle_member((select id from app.circles), 'carla');
insert into made select 'series', (api.create_series('Letters') ->> 'id')::uuid;
select pg_temp.post('a1');
select pg_temp.add('a1');
select api.follow_series(pg_temp.id('series')) from test.act_as('bob');
select api.follow_series(pg_temp.id('series')) from test.act_as('carla');
select is(pg_temp.told('bob'), '', 'A follower isn''t notified of earlier items');

-- A published post is added to the series
select pg_temp.post('a2');
select pg_temp.add('a2');
select is(pg_temp.told(p), 'a2', p || ' is notified of a new item') from unnest(array['bob', 'carla']) p;
select test.act_as('bob');
select is((api.list_notifications() #> '{items,0}')::jsonb - '{id,createdAt,updatedAt,readAt,actors}'::text[], jsonb_build_object(
    'kind', 'series.updated', 'groupKey', concat_ws(':', 'series.updated', pg_temp.id('series')), 'count', 1, 'path', '/posts/' || pg_temp.id('a2'),
    'target', jsonb_build_object('type', 'post', 'id', pg_temp.id('a2')),
    'payload', jsonb_build_object('seriesId', pg_temp.id('series'), 'postId', pg_temp.id('a2')),
    'title', null, 'excerpt', 'a2'), 'The notification has the post and the series, and the post''s words');
select is(api.list_notifications() #>> '{items,0,actors,0,username}', 'alice', 'The actor of the notification is the author');
select is(pg_temp.told(p), '', p || ' is not notified') from unnest(array['alice', 'dave']) p;
select is(pg_temp.events(), 2, 'Each new item is an event');
select pg_temp.add('a2', 1);
select pg_temp.add('a1');
select is(pg_temp.events(), 2, 'Moving an item is no event');
select is(pg_temp.told('bob'), 'a2', 'Moving an item notifies nobody');

-- Followers who may not see the item
select pg_temp.post('near', 'circles');
select pg_temp.add('near');
select is(pg_temp.told('bob'), 'a2', 'A follower who may not see the item isn''t notified');
select is(pg_temp.told('carla'), 'a2 near', 'A follower who may see the item is notified');

-- A scheduled item is published
select pg_temp.scheduled('s1');
select pg_temp.add('s1');
select pg_temp.scheduled('s2', 'circles');
select pg_temp.add('s2', 1);
select is(pg_temp.events(), 3, 'Adding a scheduled post is no event');
select is(pg_temp.told('bob'), 'a2', 'Adding a scheduled post notifies nobody');
select pg_temp.as_owner(format('select private.publish_post(%L)', pg_temp.id(n))) from unnest(array['s1', 's2']) n;
select is(pg_temp.events(), 5, 'Publishing a scheduled item is an event');
select is(pg_temp.told('bob'), 'a2 s1', 'A follower who may see the published item is notified');
select is(pg_temp.told('carla'), 'a2 near s2', 'Of several unread items a follower is notified of the latest');
select pg_temp.add('s1', 1);
select pg_temp.as_owner($$ select private.publish_post(pg_temp.id('s1')) $$);
select is(pg_temp.events(), 5, 'Publishing twice emits one event');
select pg_temp.post('alone');
select is(pg_temp.events(), 5, 'A post outside any series emits no event');

-- Followers who muted or unfollowed
select api.mute_person('alice') from test.act_as('bob');
select pg_temp.post('a3');
select pg_temp.add('a3');
select is(pg_temp.told('bob'), 'a2 s1', 'A follower who muted the author isn''t notified');
select api.unfollow_series(pg_temp.id('series')) from test.act_as('carla');
select pg_temp.post('a4');
select pg_temp.add('a4');
select is(pg_temp.told('carla'), 'a2 a3 near s2', 'A former follower isn''t notified');

-- The event is repeated, but nobody is notified twice
select test.act_as_owner();
delete from app.mutes;
delete from app.notifications where target_id = pg_temp.id('a2')::text;
update app.series_items set added_at = now() - interval '2 hours' where post_id = pg_temp.id('a2');
update app.posts set published_at = now() - interval '2 hours' where id = pg_temp.id('a2');
select private.emit('posts.series.extended', json_build_object('seriesId', pg_temp.id('series'), 'postId', pg_temp.id(p))) from unnest(array['s1', 'a2']) p;
select test.settle();
select is((select count(*)::int from app.notifications where target_id = pg_temp.id('s1')::text), 1, 'A repeated event notifies nobody again');
select is((select count(*)::int from app.notifications where target_id = pg_temp.id('a2')::text), 0, 'A repeated event of an earlier item notifies nobody');
insert into app.mutes (muter_id, muted_id) values (test.id('bob'), test.id('alice'));

-- More than 100 followers are notified by the queue, in batches of 500
select test.crowd('many_', 1001);
create function pg_temp.jobs() returns jsonb language sql as $$ select jsonb_agg(data) from pgboss.job where name = 'series-notices' $$;
insert into app.series_follows (series_id, user_id) select pg_temp.id('series'), id from app.users where username ~ '^many_[0-9]{1,2}$';
select is((select count(*)::int from app.series_follows), 100, 'The series has a hundred followers');
select pg_temp.post('h1');
select pg_temp.add('h1');
select test.act_as_owner();
select is((select count(*)::int from app.notifications where target_id = pg_temp.id('h1')::text), 99, 'Up to a hundred followers are notified in the same transaction, except those who muted the author');
select is(pg_temp.jobs(), null, 'Nothing is queued');
insert into app.series_follows (series_id, user_id) select pg_temp.id('series'), id from app.users where username ~ '^many_'
on conflict do nothing;
delete from app.series_follows where user_id = test.id('bob');
select pg_temp.post('h2');
select pg_temp.add('h2');
select test.act_as_owner();
select is((select count(*)::int from app.notifications where target_id = pg_temp.id('h2')::text), 0, 'More than 100 followers are not notified in the same transaction');
select is(pg_temp.jobs(), jsonb_build_array(jsonb_build_object('seriesId', pg_temp.id('series'), 'postId', pg_temp.id('h2'))), 'A job is queued');
create function pg_temp.batch(p_after text default null) returns json language sql
  as $$ select private.fan_out_series_item_batch(pg_temp.jobs() -> 0, p_after::uuid) $$;
insert into made select 'last ' || n, (array_agg(user_id order by user_id))[n * 500] from app.series_follows, generate_series(1, 2) n group by n;
select is(pg_temp.batch()::jsonb, jsonb_build_object('changed', 500, 'next', pg_temp.id('last 1')), 'A batch has 500 followers');
select is(pg_temp.batch()::jsonb, jsonb_build_object('changed', 500, 'next', pg_temp.id('last 1')), 'A batch can run twice');
select is(pg_temp.batch(pg_temp.id('last 1')::text)::jsonb, jsonb_build_object('changed', 500, 'next', pg_temp.id('last 2')), 'The next batch starts after the last follower of the previous one');
select is(pg_temp.batch(pg_temp.id('last 2')::text)::jsonb, '{"changed": 1, "next": null}', 'The last batch has the rest');
select test.settle();
select is((select count(distinct user_id)::int from app.notifications where target_id = pg_temp.id('h2')::text), 1001, 'All followers are notified');
select is((select count(*)::int from app.notifications where target_id = pg_temp.id('h2')::text), 1001, 'Each follower is notified once');

select * from finish();
rollback;
