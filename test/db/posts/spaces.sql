-- Posts in groups and guilds: who publishes there, who sees what, what reaches whom, and what stays when somebody leaves.
begin;
select plan(82);
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

-- who publishes there, and how
select test.act_as('carla');
select throws_ok($$ select api.create_post('x', p_group_id => 'club') $$, 'PT403', 'space_not_member', 'only members publish in a group');
select throws_ok($$ select api.create_post('x', p_group_id => 'secret') $$, 'PT404', 'space_unknown', 'a private one is unknown to others');
select throws_ok($$ select api.create_post('x', p_group_id => 'nowhere') $$, 'PT404', 'space_unknown', 'as one that is not there');
select throws_ok($$ select api.create_post('x', p_guild_id => 'club') $$, 'PT404', 'space_unknown', 'a group is no guild');
select throws_ok($$ insert into app.posts (author_id, body, space_id) select test.id('carla'), 'x', id from app.spaces where slug = 'club' $$,
  '42501', null, 'nor does it go past the operation');
select test.act_as('bob');
select throws_ok($$ select api.create_post('x', p_group_id => 'club', p_guild_id => 'club') $$, 'PT422', 'content_space', 'never in both');
select throws_ok(format('select api.create_post(''x'', p_group_id => ''club'', p_visibility => %L)', v), 'PT422', 'space_visibility', 'not for ' || v)
from unnest(array['circles', 'inner']) v;
select test.act_as('alice');
select pg_temp.post('outside', null);
select test.act_as('bob');
select throws_ok($$ select api.create_post('', 'repost', p_quoted_post_id => pg_temp.id('outside'), p_group_id => 'club') $$, 'PT422', 'repost_bare',
  'a repost stands in no group');
select lives_ok($$ select pg_temp.post('hello', 'club', ', p_interest_id => (select id from app.interests order by slug limit 1)') $$, 'a member publishes');
select is(api.get_post(pg_temp.id('hello')) ->> 'groupId', (select id::text from app.spaces where slug = 'club'), 'and the post says where');
select is(api.get_post(pg_temp.id('hello')) ->> 'visibility', 'public', 'for whom is said by the group');
select throws_ok(format('select api.update_post(pg_temp.id(''hello''), %L)', c), 'PT422', 'post_fixed', 'where it is stays: ' || c)
from unnest(array['{"groupId": null}', '{"guildId": "club"}']) c;
select throws_ok($$ select api.update_post(pg_temp.id('hello'), '{"visibility": "circles"}') $$, 'PT422', 'space_visibility', 'and so does for whom');
select is((api.repost(pg_temp.id('outside'), 'Look', p_group_id => 'club') ->> 'groupId')::uuid, (select id from app.spaces where slug = 'club'),
  'what is outside is quoted inside');

-- who sees it
select test.act_as('carla');
select throws_ok($$ select api.get_post(pg_temp.id('hello')) $$, 'PT404', 'post_unknown', 'who is no member does not see it');
select throws_ok($$ select api.list_space_posts('club') $$, 'PT403', 'space_not_member', 'its list is not for them');
select throws_ok($$ select api.list_space_posts('secret') $$, 'PT404', 'space_unknown', 'and no list of a private one');
select throws_ok($$ select api.list_space_posts() $$, 'PT404', 'space_unknown', 'or of none');
select is(pg_temp.names(api.list_posts_by('bob')), '', 'nor on its author''s profile');
select is(pg_temp.feed('carla'), 'outside', 'nor in For You');
select is(pg_temp.feed('alice'), 'Look hello outside', 'where its members have it');
select is(pg_temp.names(api.list_space_posts('club')), 'Look hello', 'as in the list of the group');
select is(pg_temp.feed('alice', 'trending'), 'outside', 'trending has it for nobody');
select test.act_as('alice');
select api.follow_person('bob');
select is(pg_temp.feed('alice', 'following'), 'Look hello', 'who follow its author have it there, as members');
select test.act_as('carla');
select api.follow_person('bob');
select is(pg_temp.feed('carla', 'following'), '', 'and others do not');
select test.act_as('alice');
select is((select count(*) from json_array_elements(api.list_feed(p_interest_id => (select id from app.interests order by slug limit 1)) -> 'items')),
  1::bigint, 'an interest has it for members');
select test.act_as_owner();
select is((select count(*) from app.post_interests where post_id = pg_temp.id('hello') and published_at is not null), 0::bigint,
  'without a place among what others have');
select is(pg_temp.announced(), 'outside', 'and nobody hears of it on feed:public');

-- what is passed on
select test.act_as('alice');
insert into made select 'passed', (api.repost(pg_temp.id('hello')) ->> 'id')::uuid;
insert into made select 'quoted', (api.repost(pg_temp.id('hello'), 'Quote') ->> 'id')::uuid;
select is(pg_temp.announced(), 'outside quoted', 'nor of a repost of it, but of a quote outside');
select is(pg_temp.feed('carla'), 'Quote outside', 'whose own words all see');
select is((select (api.get_post(pg_temp.id('quoted')) -> 'quotedPost')::text), 'null', 'without what it quotes');
select throws_ok($$ select api.get_post(pg_temp.id('passed')) $$, 'PT404', 'post_unknown', 'of a repost they see nothing');
select is(pg_temp.feed('dora'), 'Look Quote hello outside repost', 'members have both');
select is(pg_temp.feed('dora', 'trending'), 'Quote outside', 'a repost does not trend either');
select test.act_as('bob');
select throws_ok($$ select api.invite_co_author(pg_temp.id('hello'), 'carla', 10) $$, 'PT422', 'co_author_outside', 'who is no member does not write along');

-- blocks within
select test.act_as('eve');
select pg_temp.post('mine');
select api.block_person('bob');
select is(pg_temp.names(api.list_space_posts('club')), 'mine', 'a block holds within a group');
select test.act_as('bob');
select is(pg_temp.names(api.list_space_posts('club')), 'Look hello', 'both ways');
select is(pg_temp.feed('bob'), 'Look Quote hello outside repost', 'also in the feed');

-- who is told
select test.act_as('alice');
select api.create_post('@carla @dora @bob', p_group_id => 'club');
select is(pg_temp.told('carla'), '', 'a mention reaches no one outside');
select is(pg_temp.told('dora'), 'post.mentioned', 'and members');
select is(pg_temp.told('bob'), 'post.mentioned post.quoted post.reposted', 'who hear of all that they see');

-- who leaves
select test.act_as('bob');
select pg_temp.post('later', 'club', ', p_publish_at => now() + interval ''1 hour''');
select pg_temp.post('mine-too');
select api.leave_group('club');
select throws_ok($$ select api.get_post(pg_temp.id('hello')) $$, 'PT404', 'post_unknown', 'who left does not see what they wrote there');
select throws_ok($$ select api.update_post(pg_temp.id('hello'), '{"body": "x"}') $$, 'PT404', 'post_unknown', 'or change it');
select throws_ok($$ select api.list_space_posts('club') $$, 'PT403', 'space_not_member', 'the list is closed');
select is(pg_temp.names(api.list_posts_by('bob')), '', 'their profile has none of it');
select is(pg_temp.names(api.list_scheduled_posts()), '', 'and what waits is out of sight');
select is(pg_temp.feed('bob'), 'Quote outside', 'as it is in the feed');
select throws_ok($$ select api.list_feed(p_cursor => pg_temp.id('hello')::text) $$, 'PT400', 'cursor_unknown', 'where it is no cursor any more');
select test.act_as('dora');
select api.create_reply(pg_temp.id('hello'), 'Who was that?');
select is(pg_temp.told('bob'), 'post.mentioned post.quoted post.reposted', 'nor are they told of what is said about it');
select pg_temp.due('later');
select is(pg_temp.work(), 1, 'what was scheduled is looked at');
select is(pg_temp.is_out('later'), false, 'and stays');
select is(pg_temp.work(), 0, 'without being looked at all the time');
select test.act_as('bob');
select lives_ok($$ select api.delete_post(pg_temp.id('hello')) $$, 'what is one''s own can be deleted');
select throws_ok($$ select api.delete_post(pg_temp.id('hello')) $$, 'PT404', 'post_unknown', 'once');
select throws_ok($$ select api.delete_post(pg_temp.id('mine')) $$, 'PT404', 'post_unknown', 'and nothing of others');
select api.join_group('club');
select pg_temp.due('later');
select is(pg_temp.work(), 1, 'who comes back');
select is(pg_temp.is_out('later'), true, 'publishes what was waiting');
select is(api.get_post(pg_temp.id('mine-too')) ->> 'body', 'mine-too', 'and sees what they wrote');

-- who is banned from it
select test.act_as('alice');
select api.remove_group_member('club', 'dora', true);
select test.act_as('dora');
select throws_ok($$ select api.create_post('x', p_group_id => 'club') $$, 'PT403', 'space_not_member', 'the banned publish nothing there');
select throws_ok($$ select api.get_post(pg_temp.id('later')) $$, 'PT404', 'post_unknown', 'and see nothing');

-- archived
select test.act_as('alice');
select pg_temp.post('asked', 'club', ', p_poll => ''{"options": ["a", "b"]}''');
select test.act_as('bob');
select api.react(pg_temp.id('asked'), 'heart');
insert into made select 'answer', (api.create_reply(pg_temp.id('asked'), 'Yes') ->> 'id')::uuid;
select pg_temp.post('never', 'club', ', p_publish_at => now() + interval ''1 hour''');
select pg_temp.archive('club', true);
select throws_ok($$ select api.create_post('x', p_group_id => 'club') $$, 'PT409', 'space_archived', 'an archived group takes nothing new');
select throws_ok($$ select api.update_post(pg_temp.id('never'), '{"publishAt": null}') $$, 'PT409', 'space_archived', 'not what was waiting either');
select throws_ok(format('select api.%s', o), 'PT409', 'space_archived', 'what it has is for reading: ' || o)
from unnest(array['create_reply(pg_temp.id(''asked''), ''No'')', 'react(pg_temp.id(''asked''), ''spark'')',
                  'vote_poll(pg_temp.id(''asked''), gen_random_uuid())', 'pay(''joy'', 0, pg_temp.id(''asked''))',
                  'boost_post(pg_temp.id(''later''), 1)']) o;
select test.act_as('alice');
select throws_ok($$ select api.pay('joy', 0, p_reply_id => pg_temp.id('answer')) $$, 'PT409', 'space_archived', 'and nobody pays for a reply there');
select throws_ok($$ select api.react(pg_temp.id('made-up'), 'heart') $$, 'PT404', 'post_unknown', 'what is not there is unknown as before');
select test.act_as('bob');
select is(api.unreact(pg_temp.id('asked'), 'heart') #>> '{counters,reactions}', '0', 'what one did there is taken back');
select lives_ok($$ select api.bookmark(pg_temp.id('asked')) $$, 'one''s own notes are none of its');
select pg_temp.due('never');
select is(pg_temp.work(), 1, 'nor at its time');
select is(pg_temp.is_out('never'), false, 'it stays scheduled');
select is(pg_temp.names(api.list_space_posts('club')) like '%later%', true, 'its members go on reading it');
select lives_ok($$ select api.delete_post(pg_temp.id('later')) $$, 'and delete what is theirs');
select pg_temp.archive('club', false);
select lives_ok($$ select api.update_post(pg_temp.id('never'), '{"publishAt": null}') $$, 'opened again it takes it');

-- however much is posted there, a block of For You has the newest 50
select test.act_as_owner();
insert into app.feed_blocks select now() - h * interval '1 hour' from unnest(array[2, 1, 0.5]) h;
insert into app.posts (author_id, body, space_id, published_at, created_at)
select test.id('alice'), 'flood ' || n, s.id, now() - b * interval '1 hour' + n * interval '1 second', now()
from app.spaces s, generate_series(1, 70) n, unnest(array[2, 1]) b where s.slug = 'other';
select test.act_as('alice');
create temp table walked as select w.body, w.place from unnest(pg_temp.walk()) with ordinality w (body, place);
select is((select count(*) from walked where body like 'flood%'), 100::bigint, 'of two blocks, each its newest');
select is((select min(substr(body, 7)::int) from walked where body like 'flood%'), 21, 'and none that is older');
select is((select count(*) from walked where body not like 'flood%'), (select count(*) from app.posts p
           where p.body not like 'flood%' and p.published_at is not null)::bigint, 'beside all others');
select is(json_array_length(api.list_space_posts('other', p_limit => 50) -> 'items'), 50, 'the list of the group has all of them');

select * from finish();
rollback;
