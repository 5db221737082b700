-- The feed's tabs and filters: what is in each, in which order, and why.
begin;
select plan(64);
select test.people('alice', 'bob', 'carla', 'dave', 'eve');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.names(p_page json) returns text language sql as $$
  select coalesce(string_agg(m.name, ' ' order by place), '')
  from json_array_elements(p_page -> 'items') with ordinality l (i, place) join made m on m.id = (i ->> 'id')::uuid $$;
create function pg_temp.why(p_page json, p_place integer) returns text language sql as $$
  select concat_ws(' ', string_agg((w ->> 'factor') || ' ' || (w ->> 'weight')::numeric::float8, ' ' order by n))
  from json_array_elements(p_page #> array['items', p_place::text, 'why']) with ordinality x (w, n) $$;
create function pg_temp.interest(p_slug text) returns uuid language sql stable as $$ select id from app.interests where slug = p_slug $$;
create function pg_temp.post(
  p_who text, p_name text, p_at integer, p_visibility text default 'public', p_depth integer default 0,
  p_interest text default null, p_format text default 'note', p_of text default null
) returns void language plpgsql as $$
declare
  v_id uuid := gen_random_uuid();
begin
  perform test.act_as_owner();
  insert into app.posts (id, author_id, body, visibility, depth, interest_id, format, quoted_post_id, published_at)
  values (v_id, test.id(p_who), case when p_format = 'repost' then '' else p_name end, p_visibility, p_depth,
          pg_temp.interest(p_interest), p_format, pg_temp.id(p_of), now() + p_at * interval '1 minute');
  insert into made values (p_name, v_id);
end $$;
grant execute on all functions in schema pg_temp to public;

insert into app.interests (slug, name, level, accent_color) values ('tap-1', 'Tap 1', 1, 'ink');
insert into app.interests (slug, name, level, parent_id, accent_color) values ('tap-2', 'Tap 2', 2, pg_temp.interest('tap-1'), 'ink');
insert into app.interests (slug, name, level, parent_id, accent_color) values ('tap-3', 'Tap 3', 3, pg_temp.interest('tap-2'), 'ink');
insert into app.interests (slug, name, level, accent_color) values ('tap-4', 'Tap 4', 1, 'ink');

-- Alice follows Bob. Carla has Alice in a circle, and Dave has Alice in his inner circle
select test.act_as('alice');
select api.follow_person('bob');
select test.act_as('carla');
select api.add_circle_member((api.create_circle('Friends') ->> 'id')::uuid, 'alice');
select test.act_as('dave');
select api.add_circle_member((api.create_circle('Close') ->> 'id')::uuid, 'alice', 'inner-circle');

select pg_temp.post('bob', 'b1', 1);
select pg_temp.post('bob', 'b2-circles', 2, 'circles');
select pg_temp.post('carla', 'c1-circles', 3, 'circles');
select pg_temp.post('carla', 'c2-inner', 4, 'inner');
select pg_temp.post('dave', 'd1-inner', 5, 'inner', 4, 'tap-3');
select pg_temp.post('eve', 'e1', 6, 'public', 2, 'tap-2');
select pg_temp.post('eve', 'e2', 7, 'public', 5, 'tap-4', 'thread');
select pg_temp.post('alice', 'a1-circles', 8, 'circles');
select pg_temp.post('bob', 'b3-repost', 9, p_format => 'repost', p_of => 'e1');

-- Tabs
select test.act_as('alice');
select is(pg_temp.names(api.list_feed(p_tab => 'following')), 'b3-repost b1', 'Following has the posts of followed people, newest first');
select is(pg_temp.names(api.list_feed(p_tab => 'circles')), 'a1-circles d1-inner c1-circles', 'Circles has the caller''s own posts for circles and those that the caller may see');
select is(pg_temp.names(api.list_feed(p_tab => 'trending')), 'e1 b3-repost e2 b1', 'Trending has public posts, and posts with reposts come first');
select is((select string_agg(n, ' ' order by n) from unnest(string_to_array(pg_temp.names(api.list_feed()), ' ')) n),
  'a1-circles b1 b3-repost c1-circles d1-inner e1 e2', 'For You has everything the caller may see');
select throws_ok($$ select api.list_feed(p_tab => 'foryou') $$, 'PT422', 'tab_unknown', 'An unknown tab is refused');
select test.act_as('eve');
select is(pg_temp.names(api.list_feed(p_tab => 'following')), '', 'Following is empty for a person who follows nobody');
select is(pg_temp.names(api.list_feed(p_tab => 'circles')), '', 'Circles is empty for a person in no circle');

-- For You: the score within a block, and its factors
select test.act_as_owner();
insert into app.user_interests (user_id, interest_id, depth, expertise)
values (test.id('alice'), pg_temp.interest('tap-3'), 3, 1), (test.id('alice'), pg_temp.interest('tap-4'), 1, 1);
select test.act_as('alice');
select is(pg_temp.names(api.list_feed(p_limit => 5)), 'd1-inner b3-repost e1 e2 b1', 'The highest score comes first');
select is(pg_temp.why(api.list_feed(), 0), 'depth 0.8 interest 1 circle 1', 'A post has reasons for its depth, interest and inner circle');
select is(pg_temp.why(api.list_feed(), 1), 'engagement 1.3863 following 1', 'A repost gets the engagement of its original');
select is(pg_temp.why(api.list_feed(), 3), 'depth 0.2 interest 1', 'A depth far from the caller''s weighs less');
select is(pg_temp.why(api.list_feed(), 4), 'following 1', 'A post of a followed author has that as a reason');
select is(pg_temp.why(api.list_feed(), 5), 'circle 0.5', 'A post for one of the caller''s circles has the circle as a reason');
select is(pg_temp.why(api.list_feed(), 6), '', 'A post to which no reason applies has no reasons');
select is((api.list_feed() #>> '{items,6,score}')::numeric, 0::numeric, 'A post without reasons has the score 0');
select is((select count(*) from json_array_elements(api.list_feed() -> 'items') i
           where (i ->> 'score')::numeric <> (select coalesce(sum((w ->> 'weight')::numeric), 0) from json_array_elements(i -> 'why') w)),
  0::bigint, 'Each score is the sum of its weights');
select test.act_as('carla');
select api.react(pg_temp.id('e1'), 'heart');
select api.create_reply(pg_temp.id('e1'), 'Indeed');
select test.act_as('alice');
select is(pg_temp.why(api.list_feed(), 2), 'engagement 1.9459', 'The engagement is ln (1 + 1 + 2 + 3) for a heart, a reply and a repost');
select test.act_as('eve');
select is((select string_agg(n, ' ' order by n) from unnest(string_to_array(pg_temp.names(api.list_feed(p_limit => 2)), ' ')) n),
  'b3-repost e1', 'Each person has an order of their own');

-- Trending: a doubling is worth four hours
select is(pg_temp.names(api.list_feed(p_tab => 'trending')), 'e1 b3-repost e2 b1', 'Posts with engagement come first in Trending');
select is(pg_temp.why(api.list_feed(p_tab => 'trending'), 0) ~ '^recency [0-9.]+ engagement 8$', true, 'Two doublings are worth eight hours');
select is(pg_temp.why(api.list_feed(p_tab => 'trending'), 1) ~ '^recency [0-9.]+$', true, 'Posts without engagement are ordered by time');
select is(pg_temp.names(api.list_feed(p_tab => 'trending', p_cursor => pg_temp.id('e1')::text)), 'b3-repost e2 b1', 'A cursor in Trending continues at its post''s score');

-- Blocks: newer ones first, whatever the score
select test.act_as_owner();
insert into app.feed_blocks (starts_at) select published_at from app.posts where id = pg_temp.id('e2');
select test.act_as('alice');
select is(pg_temp.names(api.list_feed(p_limit => 4)), 'b3-repost e2 a1-circles d1-inner', 'A newer block comes before an older one');
select is(pg_temp.names(api.list_feed(p_limit => 1, p_cursor => pg_temp.id('b3-repost')::text)), 'e2', 'A cursor continues within its block');
select is(pg_temp.names(api.list_feed(p_limit => 1, p_cursor => pg_temp.id('a1-circles')::text)), 'd1-inner', 'At the end of a block the page continues with the next block');

-- Filters
select is(pg_temp.names(api.list_feed(p_interest_id => pg_temp.interest('tap-4'))), 'e2', 'The feed can be narrowed to an interest');
select is(pg_temp.names(api.list_feed(p_interest_id => pg_temp.interest('tap-1'))), 'd1-inner e1', 'The filter by an interest includes the interests below');
select is(pg_temp.names(api.list_feed(p_interest_id => pg_temp.interest('tap-2'))), 'd1-inner e1', 'The filter by an interest works in the middle of the tree');
select is(pg_temp.names(api.list_feed(p_interest_id => pg_temp.interest('tap-3'))), 'd1-inner', 'The filter by an interest works at a leaf of the tree');
select throws_ok($$ select api.list_feed(p_interest_id => '00000000-0000-4000-8000-000000000000') $$, 'PT404', 'interest_unknown', 'An unknown interest fails with interest_unknown');
select is(pg_temp.names(api.list_feed(p_min_depth => 4)), 'e2 d1-inner', 'The feed can be filtered by a minimum depth');
select is(pg_temp.names(api.list_feed(p_min_depth => 5)), 'e2', 'The feed can be filtered by the deepest level');
select is(pg_temp.names(api.list_feed(p_format => 'thread')), 'e2', 'The feed can be narrowed to a format');
select is(pg_temp.names(api.list_feed(p_format => 'repost')), 'b3-repost', 'The feed can be narrowed to reposts');
select is(pg_temp.names(api.list_feed(p_format => 'thread', p_min_depth => 5, p_interest_id => pg_temp.interest('tap-4'))), 'e2', 'Several filters can be combined');
select is(pg_temp.names(api.list_feed(p_format => 'note', p_interest_id => pg_temp.interest('tap-4'))), '', 'All combined filters must match');
select is(pg_temp.names(api.list_feed(p_tab => 'circles', p_min_depth => 4)), 'd1-inner', 'A filter works in the tab Circles');
select is(pg_temp.names(api.list_feed(p_tab => 'trending', p_interest_id => pg_temp.interest('tap-1'))), 'e1', 'A filter works in the tab Trending');
select is(pg_temp.names(api.list_feed(p_tab => 'following', p_format => 'note')), 'b1', 'A filter works in the tab Following');
select is(pg_temp.names(api.list_feed(p_journalism => true)), '', 'The journalism filter finds nothing if no post is journalism');
select test.act_as_owner();
alter table app.posts disable trigger user;
update app.posts set is_journalism = true where id in (pg_temp.id('b1'), pg_temp.id('c2-inner'), pg_temp.id('c1-circles'));
alter table app.posts enable trigger user;
select test.act_as('alice');
select is(pg_temp.names(api.list_feed(p_journalism => true, p_limit => 1)), 'b1', 'Journalism has the order of the feed');
select is(pg_temp.names(api.list_feed(p_journalism => true)), 'b1 c1-circles', 'The journalism filter finds only posts that the caller may see');
select is(pg_temp.names(api.list_feed(p_journalism => true, p_tab => 'circles')), 'c1-circles', 'The journalism filter works in a tab');

-- Muted people, posts and words, reposts of muted people and posts, and muted words in quoted posts
select api.mute_person('eve');
select is(pg_temp.names(api.list_feed(p_tab => 'trending')), 'b1', 'Posts of a muted person, and reposts of them, are left out');
select api.unmute_person('eve');
select test.act_as_owner();
insert into app.post_mutes (user_id, post_id) values (test.id('alice'), pg_temp.id('e1'));
select test.act_as('alice');
select is(pg_temp.names(api.list_feed(p_tab => 'trending')), 'e2 b1', 'A muted post, and reposts of it, are left out');
select test.act_as_owner();
delete from app.post_mutes;
select test.act_as('alice');
select api.mute_keyword('e1');
select is(pg_temp.names(api.list_feed(p_tab => 'trending')), 'e2 b1', 'Reposts of a post with a muted word are left out');

-- A repost is visible to people who may see its original
select test.act_as('alice');
select is(pg_temp.names(api.list_feed(p_tab => 'following')), 'b1', 'The tab Following leaves out posts with muted words');
select api.unmute_keyword((api.list_muted_keywords() #>> '{items,0,id}')::uuid);
select api.block_person('eve');
select is(pg_temp.names(api.list_feed(p_tab => 'following')), 'b1', 'A repost of a post across a block is left out');
select api.unblock_person('eve');
select test.act_as_owner();
update app.posts set visibility = 'inner' where id = pg_temp.id('e1');
select test.act_as('alice');
select is(pg_temp.names(api.list_feed(p_tab => 'following')), 'b1', 'A repost is left out if its original is no longer visible to the caller');

-- A repost of a post for circles is found only by the people in the circle
select test.act_as('carla');
select api.add_circle_member((select id from app.circles where owner_id = app.uid()), 'eve');
select test.act_as('alice');
insert into made select 'a2-repost', (api.repost(pg_temp.id('c1-circles')) ->> 'id')::uuid;
insert into made select 'a3-repost', (api.repost(pg_temp.id('b1')) ->> 'id')::uuid;
select test.act_as('eve');
select ok(pg_temp.names(api.list_feed()) ~ 'a2-repost', 'A person in the circle has the repost in For You');
select is(pg_temp.names(api.list_feed(p_tab => 'circles')), 'b3-repost e1 c1-circles a2-repost', 'The tab Circles of a person in the circle has the repost, like reposts of posts narrowed later');
select ok(pg_temp.names(api.list_feed(p_tab => 'trending')) !~ 'a2-repost', 'A repost of a post for circles doesn''t trend');
select ok(pg_temp.names(api.list_feed(p_tab => 'trending')) ~ 'a3-repost', 'A repost of a public post trends');
select test.act_as('bob');
select ok(pg_temp.names(api.list_feed()) !~ 'a2-repost', 'A person outside the circle doesn''t have the repost');
select throws_ok(format('select api.list_feed(p_cursor => %L)', pg_temp.id('a2-repost')), 'PT400', 'cursor_unknown', 'A person outside the circle can''t use the repost as a cursor');
select test.act_as_owner();
select is((select string_agg(m.name, ' ' order by m.name) from realtime.messages r join made m on m.id::text = r.payload ->> 'id'
           where r.topic = 'feed:public' and m.name like 'a%'), 'a3-repost', 'Only the repost of the public post was broadcast on feed:public');

-- Muted words are searched only up to a limit, however the text is made
select test.act_as('bob');
insert into made select 'b4-long', (api.create_post(repeat('b', 4999) || ' zebra', 'essay', 'z') ->> 'id')::uuid;
select test.act_as('alice');
select api.mute_keyword('zebra');
select ok(pg_temp.names(api.list_feed(p_tab => 'following')) ~ 'b4-long', 'A muted word after the 5000th character isn''t found');
select test.act_as('bob');
select api.update_post(pg_temp.id('b4-long'), '{"title": "Zebra"}');
select test.act_as('alice');
select ok(pg_temp.names(api.list_feed(p_tab => 'following')) !~ 'b4-long', 'A muted word in an edited title is found');

-- An invalid limit is refused even if the page would be short
select throws_ok($$ select api.list_feed('trending', p_limit => 1000000) $$, 'PT422', 'limit_out_of_range', 'A page has at most 50 posts');
select throws_ok($$ select api.list_feed('trending', p_limit => null) $$, 'PT422', 'limit_out_of_range', 'A null limit is refused');

-- After 50 posts a new block begins, once they are published
select test.act_as_owner();
delete from app.feed_blocks;
select test.act_as('eve');
select count(api.create_post('n' || n)) from generate_series(1, 37) n;
select test.act_as_owner();
select is((select count(*) from app.feed_blocks), 0::bigint, 'Up to 50 posts are one block');
select test.act_as('eve');
select count(api.create_post('n' || n)) from generate_series(1, 12) n;
select test.act_as_owner();
select is((select count(*) from app.feed_blocks), 1::bigint, 'The 51st post begins another block');
update app.posts set published_at = now() - interval '1 hour' where body = 'n7' and author_id = test.id('eve');
select private.add_feed_block(json_build_object('postId', (select max(id::text) from app.posts where body = 'n7'))::jsonb)
from generate_series(1, 2);
select is((select count(*) from app.feed_blocks where starts_at < (select max(starts_at) from app.feed_blocks)), 0::bigint,
  'A job that runs late doesn''t cut an earlier block');
select test.act_as('eve');
select throws_ok('select count(*) from app.feed_blocks', '42501', null, 'People can''t read where blocks start');

select * from finish();
rollback;
