-- Muted posts: private, left out of the feed, and without notifications of what happens to the post.
begin;
select plan(31);
select test.people('alice', 'bob', 'carla');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.told(p_name text) returns text language sql volatile security definer as $$
  select test.settle();
  select coalesce(string_agg(distinct n.kind, ' ' order by n.kind), '') from app.notifications n
  where n.user_id = test.id(p_name) and (n.kind like 'post.%' or n.kind ~ '^(poll|co-author|moderation|payment)') $$;
create function pg_temp.forget() returns void language sql volatile security definer as $$ select test.settle(); delete from app.notifications $$;
create function pg_temp.feed() returns text language sql stable as $$
  select coalesce(string_agg(m.name, ' ' order by m.name), '')
  from json_array_elements(api.list_feed(p_limit => 50) -> 'items') c join made m on m.id = (c ->> 'id')::uuid $$;
create function pg_temp.rows(p_statement text) returns integer language plpgsql as $$
declare v_rows integer;
begin
  execute p_statement;
  get diagnostics v_rows = row_count;
  return v_rows;
end $$;
-- Events of a post that notify its author
create function pg_temp.happens(p_post uuid) returns void language plpgsql security definer as $$
begin
  perform private.emit('posts.reaction.added', json_build_object('postId', p_post, 'userId', test.id('bob'), 'kind', 'heart'), array[test.id('alice')]);
  perform private.emit('posts.post.milestone', json_build_object('postId', p_post, 'reactions', 5), array[test.id('alice')]);
  perform private.emit('posts.poll.closed', json_build_object('postId', p_post, 'pollId', gen_random_uuid()));
end $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
insert into made select n, (api.create_post(n) ->> 'id')::uuid from unnest(array['post', 'other']) n;
insert into made select 'circles', (api.create_post('For circles', p_visibility => 'circles') ->> 'id')::uuid;
insert into made select 'later', (api.create_post('Later', p_publish_at => now() + interval '1 hour') ->> 'id')::uuid;
select throws_ok($$ select api.mute_post(pg_temp.id('later')) $$, 'PT422', 'post_not_out', 'A scheduled post can''t be muted');

-- Acting as Bob and Carla: the feed
select test.act_as('bob');
insert into made select 'repost', (api.repost(pg_temp.id('post')) ->> 'id')::uuid;
select test.act_as('carla');
select is(pg_temp.feed(), 'other post repost', 'Before the mute the feed has three posts');
select is(api.mute_post(pg_temp.id('post'))::jsonb, '{"muted": true}', 'A post can be muted');
select is(api.mute_post(pg_temp.id('post'))::jsonb, '{"muted": true}', 'Muting a post twice is not an error');
select is(pg_temp.feed(), 'other', 'The muted post and its repost leave the feed');
select is(private.muted_posts(), array[pg_temp.id('post')], 'muted_posts has the post that the caller muted');
select is(api.get_post(pg_temp.id('post')) ->> 'body', 'post', 'A muted post can still be opened');
select throws_ok($$ select api.mute_post(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'An unknown post can''t be muted');
select throws_ok($$ select api.mute_post(pg_temp.id('circles')) $$, 'PT404', 'post_unknown', 'A post the caller can''t see can''t be muted');
select throws_ok($$ select api.unmute_post(pg_temp.id('circles')) $$, 'PT404', 'post_unknown', 'A post the caller can''t see can''t be unmuted');

-- Acting as Bob: mutes are private
select test.act_as('bob');
select is((select count(*)::int from app.post_mutes), 0, 'Nobody sees other people''s mutes');
select is(pg_temp.feed(), 'other post repost', 'Other people''s feeds are unchanged');
select is(private.muted_posts(), '{}', 'muted_posts doesn''t have other people''s muted posts');
select is(pg_temp.rows('delete from app.post_mutes'), 0, 'Nobody can delete another person''s mute');
select throws_ok($$ insert into app.post_mutes (post_id, user_id) values (pg_temp.id('post'), test.id('carla')) $$, '42501', null,
  'Nobody can mute in another person''s name');
select throws_ok($$ insert into app.post_mutes (post_id, user_id) values (pg_temp.id('circles'), test.id('bob')) $$, '42501', null,
  'Nobody can mute a post they don''t see');

-- Acting as Carla: unmuting
select test.act_as('carla');
select is(api.unmute_post(pg_temp.id('post'))::text, null, 'A post can be unmuted');
select is(api.unmute_post(pg_temp.id('post'))::text, null, 'Unmuting a post twice is not an error');
select is(pg_temp.feed(), 'other post repost', 'After unmuting, the post and its repost are back in the feed');
select api.mute_post(pg_temp.id('repost'));
select is(pg_temp.feed(), 'other post', 'Muting a repost leaves the original in the feed');

-- Acting as Alice, the author: no notifications
select test.act_as('alice');
select api.mute_post(pg_temp.id('post'));
select pg_temp.forget();
select test.act_as('bob');
select api.create_reply(pg_temp.id('post'), 'Hello @alice'), api.react(pg_temp.id('post'), 'spark'), api.repost(pg_temp.id('post'), 'See @alice');
select test.act_as('carla');
select api.repost(pg_temp.id('post')), pg_temp.happens(pg_temp.id('post'));
select is(pg_temp.told('alice'), 'post.mentioned', 'A muted post causes no notifications, except mentions in other posts');
select pg_temp.happens(pg_temp.id('other'));
select is(pg_temp.told('alice'), 'poll.closed post.mentioned post.milestone post.reacted', 'Another post causes notifications');
select api.create_reply(pg_temp.id('other'), 'And this, @bob'), api.create_reply(pg_temp.id('post'), 'And that, @bob');
select is(pg_temp.told('bob'), 'post.mentioned', 'A person who hasn''t muted the post is notified of a mention');
select pg_temp.forget();
select test.act_as('bob');
select api.mute_post(pg_temp.id('post'));
select test.act_as('carla');
select api.create_reply(pg_temp.id('post'), 'And that, @bob');
select is(pg_temp.told('bob'), '', 'A person who muted the post isn''t notified of a mention in its replies');
select test.act_as('bob');
select api.pay('love', 0, p_post_id => pg_temp.id('post'));
select is(pg_temp.told('alice'), 'payment.received', 'The author is notified of a payment despite the mute');
select test.act_as_owner();
select test.notify(test.id('alice'), 'moderation.actioned', null, 'post', pg_temp.id('post')::text);
select test.notify(test.id('alice'), 'co-author.accepted', test.id('carla'), 'post', pg_temp.id('post')::text);
select is(pg_temp.told('alice'), 'co-author.accepted moderation.actioned payment.received', 'The author is notified of moderation and co-authors despite the mute');
select test.act_as('alice');
select api.unmute_post(pg_temp.id('post'));
select test.act_as('carla');
select api.create_reply(pg_temp.id('post'), 'Are you there?');
select is(pg_temp.told('alice'), 'co-author.accepted moderation.actioned payment.received post.replied', 'After unmuting, the person is notified again');

-- Erasure
select test.act_as_owner();
select private.erase_person(test.id('bob'));
select is((select count(*)::int from app.post_mutes where user_id not in (test.id('alice'), test.id('carla'))), 0, 'An erasure deletes the person''s mutes');

-- At most 5000
select test.act_as_owner();
set constraints all immediate;   -- no deferred trigger may be pending
alter table app.posts disable trigger user;
insert into app.posts (author_id, body) select test.id('carla'), 'many' from generate_series(1, 5001);
alter table app.posts enable trigger user;
delete from app.post_mutes where user_id = test.id('alice');
alter table app.post_mutes disable trigger limit_post_mutes;   -- otherwise the trigger would count the mutes for each row
insert into app.post_mutes (post_id, user_id) select p.id, test.id('alice') from app.posts p where p.body = 'many' order by p.id limit 4999;
alter table app.post_mutes enable trigger limit_post_mutes;
select test.act_as('alice');
select lives_ok($$ select api.mute_post((select id from app.posts where body = 'many' order by id offset 4999 limit 1)) $$, 'A person can mute 5000 posts');
select throws_ok($$ select api.mute_post((select id from app.posts where body = 'many' order by id desc limit 1)) $$,
  'PT409', 'post_mutes_exhausted', 'A person can''t mute more than 5000 posts');
select lives_ok($$ select api.mute_post((select id from app.posts where body = 'many' order by id limit 1)) $$, 'At the limit, an existing mute can be repeated');

select * from finish();
rollback;
