-- Posts in groups and guilds: who can publish there, who sees what, who is notified of what, and what happens when a
-- member leaves.
begin;
select plan(83);
select test.people('alice', 'bob', 'carla', 'dora', 'eve');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.post(p_name text, p_group text default 'club', p_more text default '') returns void language plpgsql as $$
declare
  v_id uuid;
begin
  execute format('select (api.create_post(%L, p_group_id => %L%s) ->> ''id'')::uuid', p_name, p_group, p_more) into v_id;
  insert into made values (p_name, v_id);
end $$;
create function pg_temp.names(p_page json) returns text language sql as $$
  select coalesce(string_agg(i ->> 'body', ' ' order by i ->> 'body'), '') from json_array_elements(p_page -> 'items') i $$;
create function pg_temp.feed(p_who text, p_tab text default null) returns text language plpgsql as $$
begin
  perform test.act_as(p_who);
  return (select coalesce(string_agg(coalesce(nullif(i ->> 'body', ''), 'repost'), ' ' order by i ->> 'body' = '', i ->> 'body'), '')
          from json_array_elements(api.list_feed(p_tab, p_limit => 50) -> 'items') i);
end $$;
create function pg_temp.walk() returns text[] language plpgsql as $$
declare
  v_page json := api.list_feed(p_limit => 20);
  v_all  text[] := array(select i ->> 'body' from json_array_elements(v_page -> 'items') i);
begin
  while v_page ->> 'nextCursor' is not null loop
    v_page := api.list_feed(p_limit => 20, p_cursor => v_page ->> 'nextCursor');
    v_all := v_all || array(select i ->> 'body' from json_array_elements(v_page -> 'items') i);
  end loop;
  return v_all;
end $$;
create function pg_temp.told(p_who text) returns text language sql volatile security definer as $$
  select test.settle();
  select coalesce(string_agg(kind, ' ' order by kind), '') from app.notifications where user_id = test.id(p_who) and kind like 'post.%' $$;
create function pg_temp.announced() returns text language sql volatile security definer as $$
  select test.settle();
  select coalesce(string_agg(m.name, ' ' order by m.name), '') from realtime.messages r join made m on m.id::text = r.payload ->> 'id' where r.topic = 'feed:public' $$;
create function pg_temp.due(p_name text) returns void language sql security definer as $$
  update app.posts set publish_at = now() - interval '1 second', publish_again_at = null where id = pg_temp.id(p_name) $$;
create function pg_temp.work() returns integer language plpgsql security definer as $$
declare
  v_count integer := 0;
begin
  while private.job_publish_scheduled() > 0 loop v_count := v_count + 1; end loop;
  return v_count;
end $$;
create function pg_temp.is_out(p_name text) returns boolean language sql security definer as $$
  select published_at is not null from app.posts where id = pg_temp.id(p_name) $$;
create function pg_temp.archive(p_slug text, p_archived boolean) returns void language sql security definer as $$
  update app.spaces set archived_at = case when p_archived then now() end where slug = p_slug $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
select api.create_group('Club', 'club'), api.create_group('Secret', 'secret', p_visibility => 'private'), api.create_group('Other', 'other');
select api.join_group('club') from test.act_as('bob');
select api.join_group('club') from test.act_as('dora');
select api.join_group('club') from test.act_as('eve');

-- Who can publish in a group, and how
select test.act_as('carla');
select throws_ok($$ select api.create_post('x', p_group_id => 'club') $$, 'PT403', 'space_not_member', 'Only members can publish in a group');
select throws_ok($$ select api.create_post('x', p_group_id => 'secret') $$, 'PT404', 'space_unknown', 'A private group is unknown to a non-member');
select throws_ok($$ select api.create_post('x', p_group_id => 'nowhere') $$, 'PT404', 'space_unknown', 'An unknown group fails with space_unknown');
select throws_ok($$ select api.create_post('x', p_guild_id => 'club') $$, 'PT404', 'space_unknown', 'The error for '
  'a group''s name used for a guild is space_unknown');
select throws_ok($$ insert into app.posts (author_id, body, space_id) select test.id('carla'), 'x', id from app.spaces where slug = 'club' $$,
  '42501', null, 'A non-member can''t insert a post into a group');
select test.act_as('bob');
select throws_ok($$ select api.create_post('x', p_group_id => 'club', p_guild_id => 'club') $$, 'PT422', 'content_space', 'A post can''t be in both a group and a guild');
select throws_ok(format('select api.create_post(''x'', p_group_id => ''club'', p_visibility => %L)', v), 'PT422', 'space_visibility', 'A post in a group can''t be for ' || v)
from unnest(array['circles', 'inner']) v;
select test.act_as('alice');
select pg_temp.post('outside', null);
select test.act_as('bob');
select throws_ok($$ select api.create_post('', 'repost', p_quoted_post_id => pg_temp.id('outside'), p_group_id => 'club') $$, 'PT422', 'repost_bare',
  'A repost can''t be in a group');
select lives_ok($$ select pg_temp.post('hello', 'club', ', p_interest_id => (select id from app.interests order by slug limit 1)') $$, 'A member can publish in the group');
select is(api.get_post(pg_temp.id('hello')) ->> 'groupId', (select id::text from app.spaces where slug = 'club'), 'The post has the group''s id');
select is(api.get_post(pg_temp.id('hello')) ->> 'spaceName', (select name from app.spaces where slug = 'club'), 'The post has the group''s name');
select is(api.get_post(pg_temp.id('hello')) ->> 'visibility', 'public', 'The post''s visibility is public within the group');
select throws_ok(format('select api.update_post(pg_temp.id(''hello''), %L)', c), 'PT422', 'post_fixed', 'A post can''t move to another space: ' || c)
from unnest(array['{"groupId": null}', '{"guildId": "club"}']) c;
select throws_ok($$ select api.update_post(pg_temp.id('hello'), '{"visibility": "circles"}') $$, 'PT422', 'space_visibility', 'The visibility of a post in a group can''t be changed');
select is((api.repost(pg_temp.id('outside'), 'Look', p_group_id => 'club') ->> 'groupId')::uuid, (select id from app.spaces where slug = 'club'),
  'A post outside can be quoted in the group');

-- Who sees a post in a group
select test.act_as('carla');
select throws_ok($$ select api.get_post(pg_temp.id('hello')) $$, 'PT404', 'post_unknown', 'A non-member can''t see the post');
select throws_ok($$ select api.list_space_posts('club') $$, 'PT403', 'space_not_member', 'A non-member can''t list the group''s posts');
select throws_ok($$ select api.list_space_posts('secret') $$, 'PT404', 'space_unknown', 'The list of a private group fails with space_unknown for a non-member');
select throws_ok($$ select api.list_space_posts() $$, 'PT404', 'space_unknown', 'A list without a group or guild fails with space_unknown');
select is(pg_temp.names(api.list_posts_by('bob')), '', 'A non-member doesn''t see the post on the author''s profile');
select is(pg_temp.feed('carla'), 'outside', 'A non-member doesn''t see the post in For You');
select is(pg_temp.feed('alice'), 'Look hello outside', 'Members see the post in For You');
select is(pg_temp.names(api.list_space_posts('club')), 'Look hello', 'Members see the post in the group''s list');
select is(pg_temp.feed('alice', 'trending'), 'outside', 'The post is never in Trending');
select test.act_as('alice');
select api.follow_person('bob');
select is(pg_temp.feed('alice', 'following'), 'Look hello', 'Members who follow the author see the post in Following');
select test.act_as('carla');
select api.follow_person('bob');
select is(pg_temp.feed('carla', 'following'), '',
  'Non-members who follow the author don''t see the post in Following');
select test.act_as('alice');
select is((select count(*) from json_array_elements(api.list_feed(p_interest_id => (select id from app.interests order by slug limit 1)) -> 'items')),
  1::bigint, 'Members see the post with the filter by its interest');
select test.act_as_owner();
select is((select count(*) from app.post_interests where post_id = pg_temp.id('hello') and published_at is not null), 0::bigint,
  'The post isn''t in the index of published posts of an interest');
select is(pg_temp.announced(), 'outside', 'The post isn''t broadcast on feed:public');

-- Reposts and quotes
select test.act_as('alice');
insert into made select 'passed', (api.repost(pg_temp.id('hello')) ->> 'id')::uuid;
insert into made select 'quoted', (api.repost(pg_temp.id('hello'), 'Quote') ->> 'id')::uuid;
select is(pg_temp.announced(), 'outside quoted', 'A repost of the post isn''t broadcast, but a quote outside the group is');
select is(pg_temp.feed('carla'), 'Quote outside', 'Non-members see the quote''s own text');
select is((select (api.get_post(pg_temp.id('quoted')) -> 'quotedPost')::text), 'null', 'Non-members don''t see the quoted post');
select throws_ok($$ select api.get_post(pg_temp.id('passed')) $$, 'PT404', 'post_unknown', 'Non-members don''t see a repost of the post');
select is(pg_temp.feed('dora'), 'Look Quote hello outside repost', 'Members see both the repost and the quote');
select is(pg_temp.feed('dora', 'trending'), 'Quote outside', 'A repost of a post in a group isn''t in Trending');
select test.act_as('bob');
select throws_ok($$ select api.invite_co_author(pg_temp.id('hello'), 'carla', 10) $$, 'PT422', 'co_author_outside', 'A non-member can''t be invited as a co-author');

-- Blocks within a group
select test.act_as('eve');
select pg_temp.post('mine');
select api.block_person('bob');
select is(pg_temp.names(api.list_space_posts('club')), 'mine', 'A block hides posts within the group');
select test.act_as('bob');
select is(pg_temp.names(api.list_space_posts('club')), 'Look hello', 'The block hides posts in both directions');
select is(pg_temp.feed('bob'), 'Look Quote hello outside repost', 'The block hides posts in the feed too');

-- Notifications
select test.act_as('alice');
select api.create_post('@carla @dora @bob', p_group_id => 'club');
select is(pg_temp.told('carla'), '', 'A mention doesn''t notify a non-member');
select is(pg_temp.told('dora'), 'post.mentioned', 'A mention notifies a member');
select is(pg_temp.told('bob'), 'post.mentioned post.quoted post.reposted', 'A member is notified of everything they can see');

-- A member leaves
select test.act_as('bob');
select pg_temp.post('later', 'club', ', p_publish_at => now() + interval ''1 hour''');
select pg_temp.post('mine-too');
select api.leave_space('group', 'club');
select throws_ok($$ select api.get_post(pg_temp.id('hello')) $$, 'PT404', 'post_unknown', 'A former member doesn''t see their own post');
select throws_ok($$ select api.update_post(pg_temp.id('hello'), '{"body": "x"}') $$, 'PT404', 'post_unknown', 'A former member can''t edit their own post');
select throws_ok($$ select api.list_space_posts('club') $$, 'PT403', 'space_not_member', 'A former member can''t list the group''s posts');
select is(pg_temp.names(api.list_posts_by('bob')), '', 'A former member''s profile doesn''t show the post');
select is(pg_temp.names(api.list_scheduled_posts()), '', 'A former member''s scheduled post in the group isn''t listed');
select is(pg_temp.feed('bob'), 'Quote outside', 'A former member''s feed doesn''t have the group''s posts');
select throws_ok($$ select api.list_feed(p_cursor => pg_temp.id('hello')::text) $$, 'PT400', 'cursor_unknown', 'A former member''s own post is refused as a cursor of the feed');
select test.act_as('dora');
select api.create_reply(pg_temp.id('hello'), 'Who was that?');
select is(pg_temp.told('bob'), 'post.mentioned post.quoted post.reposted', 'A former member is not notified of replies to the post');
select pg_temp.due('later');
select is(pg_temp.work(), 1, 'The job takes up the scheduled post of the former member');
select is(pg_temp.is_out('later'), false, 'The scheduled post of the former member isn''t published');
select is(pg_temp.work(), 0, 'The job doesn''t try the scheduled post again immediately');
select test.act_as('bob');
select lives_ok($$ select api.delete_post(pg_temp.id('hello')) $$, 'A former member can delete their own post');
select throws_ok($$ select api.delete_post(pg_temp.id('hello')) $$, 'PT404', 'post_unknown', 'The post can be deleted only once');
select throws_ok($$ select api.delete_post(pg_temp.id('mine')) $$, 'PT404', 'post_unknown', 'Another person''s post can''t be deleted');
select api.join_group('club');
select pg_temp.due('later');
select is(pg_temp.work(), 1, 'After the member has come back, the job takes up the scheduled post');
select is(pg_temp.is_out('later'), true, 'The scheduled post of the member is published');
select is(api.get_post(pg_temp.id('mine-too')) ->> 'body', 'mine-too', 'The member sees their own posts again');

-- A member is banned from the group
select test.act_as('alice');
select api.remove_group_member('club', 'dora', true);
select test.act_as('dora');
select throws_ok($$ select api.create_post('x', p_group_id => 'club') $$, 'PT403', 'space_not_member', 'A person banned from the group can''t publish there');
select throws_ok($$ select api.get_post(pg_temp.id('later')) $$, 'PT404', 'post_unknown', 'A person banned from the group doesn''t see its posts');

-- The group is archived
select test.act_as('alice');
select pg_temp.post('asked', 'club', ', p_poll => ''{"options": ["a", "b"]}''');
select test.act_as('bob');
select api.react(pg_temp.id('asked'), 'heart');
insert into made select 'answer', (api.create_reply(pg_temp.id('asked'), 'Yes') ->> 'id')::uuid;
select pg_temp.post('never', 'club', ', p_publish_at => now() + interval ''1 hour''');
select pg_temp.archive('club', true);
select throws_ok($$ select api.create_post('x', p_group_id => 'club') $$, 'PT409', 'space_archived', 'A new post in an archived group is refused');
select throws_ok($$ select api.update_post(pg_temp.id('never'), '{"publishAt": null}') $$, 'PT409', 'space_archived', 'A scheduled post can''t be published in an archived group');
select throws_ok(format('select api.%s', o), 'PT409', 'space_archived', 'In an archived group nobody can ' || o)
from unnest(array['create_reply(pg_temp.id(''asked''), ''No'')', 'react(pg_temp.id(''asked''), ''spark'')',
                  'vote_poll(pg_temp.id(''asked''), gen_random_uuid())', 'pay(''joy'', 0, pg_temp.id(''asked''))',
                  'boost_post(pg_temp.id(''later''), 1)']) o;
select test.act_as('alice');
select throws_ok($$ select api.pay('joy', 0, p_reply_id => pg_temp.id('answer')) $$, 'PT409', 'space_archived', 'In an archived group nobody can pay for a reply');
select throws_ok($$ select api.react(pg_temp.id('made-up'), 'heart') $$, 'PT404', 'post_unknown', 'An unknown post still fails with post_unknown');
select test.act_as('bob');
select is(api.unreact(pg_temp.id('asked'), 'heart') #>> '{counters,reactions}', '0', 'In an archived group a reaction can be removed');
select lives_ok($$ select api.bookmark(pg_temp.id('asked')) $$, 'In an archived group posts can be bookmarked');
select pg_temp.due('never');
select is(pg_temp.work(), 1, 'The job takes up a scheduled post in an archived group');
select is(pg_temp.is_out('never'), false, 'The scheduled post in the archived group isn''t published');
select is(pg_temp.names(api.list_space_posts('club')) like '%later%', true, 'Members can still read an archived group');
select lives_ok($$ select api.delete_post(pg_temp.id('later')) $$, 'Members can delete their own posts in an archived group');
select pg_temp.archive('club', false);
select lives_ok($$ select api.update_post(pg_temp.id('never'), '{"publishAt": null}') $$, 'After the group is restored, the post can be published');

-- However many posts a group has, a block of For You has only its newest 50
select test.act_as_owner();
insert into app.feed_blocks select now() - h * interval '1 hour' from unnest(array[2, 1, 0.5]) h;
insert into app.posts (author_id, body, space_id, published_at, created_at)
select test.id('alice'), 'flood ' || n, s.id, now() - b * interval '1 hour' + n * interval '1 second', now()
from app.spaces s, generate_series(1, 70) n, unnest(array[2, 1]) b where s.slug = 'other';
select test.act_as('alice');
create temp table walked as select w.body, w.place from unnest(pg_temp.walk()) with ordinality w (body, place);
select is((select count(*) from walked where body like 'flood%'), 100::bigint, 'For You has the group''s newest 50 posts of each of two blocks');
select is((select min(substr(body, 7)::int) from walked where body like 'flood%'), 21, 'Older posts of the group are left out');
select is((select count(*) from walked where body not like 'flood%'), (select count(*) from app.posts p
           where p.body not like 'flood%' and p.published_at is not null)::bigint, 'For You has all posts that aren''t in that group');
select is(json_array_length(api.list_space_posts('other', p_limit => 50) -> 'items'), 50, 'A page of the group''s list can have 50 posts');

select * from finish();
rollback;
