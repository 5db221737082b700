-- Series: making one, adding and moving items, who sees which, the positions shown, cursors, follows, and what a
-- deletion does.
begin;
select plan(127);
select test.people('alice', 'bob', 'carla', 'dave');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.post(p_name text, p_visibility text default 'public') returns void language sql
  as $$ insert into made select p_name, (api.create_post(p_name, p_visibility => p_visibility) ->> 'id')::uuid $$;
create function pg_temp.add(p_post text, p_position integer default null, p_series text default 'series') returns json language sql
  as $$ select api.add_series_item(pg_temp.id(p_series), pg_temp.id(p_post), p_position) $$;
create function pg_temp.shown(p_page json) returns text language sql as $$
  select coalesce(string_agg((i ->> 'position') || (i #>> '{post,body}'), ' ' order by place), '')
  from json_array_elements(p_page -> 'items') with ordinality l (i, place) $$;
create function pg_temp.parts(p_person text, p_limit integer default 20, p_cursor text default null) returns text language plpgsql as $$
begin
  perform test.act_as(p_person);
  return pg_temp.shown(api.list_series_items(pg_temp.id('series'), p_limit, pg_temp.id(p_cursor)::text));
end $$;
-- All items of the series with their positions, read page by page
create function pg_temp.walk(p_person text, p_limit integer) returns text language plpgsql as $$
declare
  v_page json;
  v_all  text := '';
begin
  perform test.act_as(p_person);
  loop
    v_page := api.list_series_items(pg_temp.id('series'), p_limit, v_page ->> 'nextCursor');
    v_all := btrim(v_all || ' ' || pg_temp.shown(v_page));
    exit when v_page ->> 'nextCursor' is null;
  end loop;
  return v_all;
end $$;
create function pg_temp.counted(p_person text) returns integer language plpgsql as $$
begin
  perform test.act_as(p_person);
  return api.list_series_items(pg_temp.id('series')) #>> '{series,partCount}';
end $$;
create function pg_temp.as_owner(p_statement text) returns void language plpgsql security definer
  as $$ begin execute p_statement; end $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice: making a series
select test.act_as('alice');
select api.create_circle('Near');
select api.add_circle_member((select id from app.circles), 'carla');
insert into made select 'series', (api.create_series(e'\n Letters ', ' Four of them ') ->> 'id')::uuid;
select is((api.list_my_series() #> '{items,0}')::jsonb - 'createdAt', jsonb_build_object(
    'id', pg_temp.id('series'), 'authorId', 'acct:alice@localhost',
    'author', (select card::jsonb from app.person_card where id = test.id('alice')),
    'title', 'Letters', 'description', 'Four of them', 'partCount', 0, 'followed', false), 'A series has these fields, trimmed');
select is(api.create_series('x', e' \n ') ->> 'description', null, 'A blank description becomes null');
select lives_ok(format('select api.create_series(%L)', repeat('é', n)), 'A title can have ' || n || ' characters') from unnest(array[1, 200]) n;
select throws_ok(format('select api.create_series(%L)', ' ' || repeat('é', n)), 'PT422',
  'series_title', 'A title can''t have ' || n || ' characters') from unnest(array[0, 201]) n;
select throws_ok($$ select api.create_series(null) $$, '23502', null, 'A null title is refused');
select lives_ok($$ select api.create_series('x', repeat('é', 2000) || ' ') $$, 'A description can have 2000 characters');
select throws_ok($$ select api.create_series('x', repeat('é', 2001)) $$, 'PT422',
  'series_description', 'A description can''t have 2001 characters');

-- The caller's own series
select test.act_as_owner();
delete from app.series where id <> pg_temp.id('series');
select test.act_as('alice');
insert into made select n, (api.create_series(n) ->> 'id')::uuid from unnest(array['second', 'third']) n;
select test.act_as_owner();
update app.series s set created_at = now() + place * interval '1 second'
from (values ('series', 1), ('second', 2), ('third', 3)) m (name, place) where s.id = pg_temp.id(m.name);
create function pg_temp.mine(p_limit integer default 20, p_cursor text default null) returns text language sql as $$
  select coalesce(string_agg(i ->> 'title', ' ' order by place), '')
  from json_array_elements(api.list_my_series(p_limit, p_cursor) -> 'items') with ordinality l (i, place) $$;
grant execute on all functions in schema pg_temp to public;
select test.act_as('alice');
select is(pg_temp.mine(), 'third second Letters', 'The caller''s own series are listed newest first');
select is(api.list_my_series(2) ->> 'nextCursor', pg_temp.id('second')::text, 'The cursor is the page''s last series');
select is(pg_temp.mine(2, pg_temp.id('second')::text), 'Letters', 'The cursor leads to the next page');
select throws_ok(format('select api.list_my_series(p_cursor => %L)', c), 'PT400', 'cursor_unknown', 'The cursor is refused in the list of one''s own series: ' || c)
from unnest(array['', 'x', '00000000-0000-4000-8000-000000000000']) c;
select throws_ok(format('select api.list_my_series(%s)', n), 'PT422', 'limit_out_of_range', 'The limit is refused in the list of one''s own series: ' || n)
from unnest(array['0', '51', 'null']) n;
select test.act_as('bob');
select is(pg_temp.mine(), '', 'Other people''s series are not listed');
select throws_ok($$ select api.list_my_series(p_cursor => pg_temp.id('series')::text) $$, 'PT400', 'cursor_unknown', 'Another person''s series is refused as a cursor');

-- Acting as Alice: items
select test.act_as('alice');
select pg_temp.post(n) from unnest(array['a', 'b', 'c', 'd', 'e']) n;
select is(pg_temp.add('a')::jsonb - 'post', jsonb_build_object('seriesId', pg_temp.id('series'), 'position', 1), 'The first item has position 1');
select is(pg_temp.add('b') #>> '{post,body}', 'b', 'Adding an item returns its post');
select is(pg_temp.add('c') ->> 'position', '3', 'Without a position an item is added at the end');
select is(pg_temp.add('d', 2) ->> 'position', '2', 'An item can be added at a position');
select is(pg_temp.parts('bob'), '1a 2d 3b 4c', 'The items behind the added one move down');
select test.act_as('alice');
select is(api.get_post(pg_temp.id('d')) #> '{series}' ->> 0,
  json_build_object('id', pg_temp.id('series'), 'title', 'Letters')::text, 'The post''s card names its series');
select lives_ok($$ select pg_temp.add('e', 5) $$, 'A new item can be added directly after the last one');
select throws_ok(format('select pg_temp.add(%L, %s)', p, n), 'PT422', 'series_position', 'Item ' || p || ' can''t be at position ' || n)
from (values ('a', 0), ('a', -1), ('a', 6)) c (p, n);
select pg_temp.post('f');
select throws_ok($$ select pg_temp.add('f', 7) $$, 'PT422', 'series_position', 'A new item can''t be added further behind the last one');
select is(pg_temp.parts('bob'), '1a 2d 3b 4c 5e', 'A refused item changes nothing');

-- Moving
select test.act_as('alice');
select is(pg_temp.add('e', 2) ->> 'position', '2', 'Adding an item again moves it');
select is(pg_temp.parts('bob'), '1a 2e 3d 4b 5c', 'An item can move up');
select test.act_as('alice');
select pg_temp.add('a', 4);
select is(pg_temp.parts('bob'), '1e 2d 3b 4a 5c', 'An item can move down');
select test.act_as('alice');
select pg_temp.add('e');
select is(pg_temp.parts('bob'), '1d 2b 3a 4c 5e', 'An item can move to the end');
select test.act_as('alice');
select pg_temp.add('a', 3);
select is(pg_temp.parts('bob'), '1d 2b 3a 4c 5e', 'An item can stay where it is');
select is(pg_temp.walk('bob', n), '1d 2b 3a 4c 5e', 'The series is complete in pages of ' || n) from generate_series(1, 6) n;

-- Ownership
select test.act_as('bob');
select pg_temp.post('his');
insert into made select 'his own', (api.create_series('His') ->> 'id')::uuid;
select throws_ok($$ select pg_temp.add('his') $$, 'PT403', 'series_not_yours', 'Nothing can be added to another person''s series');
select throws_ok($$ select pg_temp.add('a', null, 'second') $$, 'PT404', 'series_unknown', 'A series the caller can''t see is unknown');
select throws_ok($$ select api.add_series_item(gen_random_uuid(), pg_temp.id('his')) $$, 'PT404', 'series_unknown', 'Nothing can be added to an unknown series');
select throws_ok($$ select pg_temp.add('a', null, 'his own') $$, 'PT403', 'post_not_yours', 'Another person''s post can''t be added');
select throws_ok($$ select api.add_series_item(pg_temp.id('his own'), gen_random_uuid()) $$, 'PT404', 'post_unknown', 'An unknown post can''t be added');
select test.act_as('alice');
select pg_temp.post('closed', 'inner');
select test.act_as('bob');
select throws_ok($$ select pg_temp.add('closed', null, 'his own') $$, 'PT404', 'post_unknown', 'A post the caller can''t see can''t be added');
select pg_temp.as_owner($$ with r as (insert into app.posts (author_id, format, body, quoted_post_id)
  values (test.id('bob'), 'repost', '', pg_temp.id('a')) returning id) insert into made select 'repost', id from r $$);
select throws_ok($$ select pg_temp.add('repost', null, 'his own') $$, 'PT422', 'series_repost', 'A repost can''t be added');

-- Who sees which items, without a hint at the others
select test.act_as('alice');
select pg_temp.post('near', 'circles');
select pg_temp.add('closed', 1);
select pg_temp.add('near', 3);
select is(pg_temp.parts('alice'), '1closed 2d 3near 4b 5a 6c 7e', 'The author sees all items');
select is(pg_temp.parts('carla'), '1d 2near 3b 4a 5c 6e', 'A member of a circle sees the items for it too, without gaps in the positions');
select is(pg_temp.parts('bob'), '1d 2b 3a 4c 5e', 'Other people see only the public items');
select is(pg_temp.counted(p), n, p || ' sees a count of ' || n) from (values ('alice', 7), ('carla', 6), ('bob', 5)) c (p, n);
select is(pg_temp.walk('carla', n), '1d 2near 3b 4a 5c 6e', 'Pages of ' || n || ' are full') from generate_series(1, 3) n;
select pg_temp.as_owner($$ update app.posts set hidden_at = now() where id = pg_temp.id('b') $$);
select is(pg_temp.parts('bob'), '1d 2a 3c 4e', 'A hidden item isn''t shown');
select is(pg_temp.parts('alice'), '1closed 2d 3near 4b 5a 6c 7e', 'The author sees a hidden item');
select is(pg_temp.parts('bob', 2, 'b'), '2a 3c', 'A hidden item stays valid as a cursor');
select throws_ok($$ select pg_temp.parts('bob', 2, 'closed') $$, 'PT400', 'cursor_unknown', 'An item the caller can''t see is refused as a cursor');
select throws_ok($$ select pg_temp.parts('bob', 2, 'f') $$, 'PT400', 'cursor_unknown', 'A post outside the series is refused as a cursor');
select throws_ok(format('select api.list_series_items(pg_temp.id(%L), p_cursor => %L)', 'series', c), 'PT400', 'cursor_unknown', 'The cursor is refused: ' || c)
from unnest(array['', 'x', '00000000-0000-4000-8000-000000000000']) c;
select throws_ok(format('select api.list_series_items(pg_temp.id(%L), %s)', 'series', n), 'PT422', 'limit_out_of_range', 'The limit is refused: ' || n)
from unnest(array['0', '51', 'null']) n;
select pg_temp.as_owner($$ update app.posts set hidden_at = null where id = pg_temp.id('b') $$);
select is(pg_temp.parts('bob'), '1d 2b 3a 4c 5e', 'An unhidden item is back at its position');

-- A deleted item leaves the series
select pg_temp.as_owner($$ update app.posts set deleted_at = now() where id in (pg_temp.id('a'), pg_temp.id('near')) $$);
select is(pg_temp.parts('alice'), '1closed 2d 3b 4c 5e', 'Deleted posts leave their series');
select is((select string_agg(position::text, ' ' order by position) from app.series_items where series_id = pg_temp.id('series')),
  '1 2 3 4 5', 'The gap in the positions is closed');
select is(pg_temp.parts('bob', 9, 'a'), '3c 4e', 'The list continues from where the deleted item was');
select is(pg_temp.parts('carla', 9, 'near'), '2b 3c 4e', 'The list also continues for a person who could see the deleted item');
select throws_ok($$ select pg_temp.parts('bob', 9, 'near') $$, 'PT400', 'cursor_unknown', 'A deleted item is refused as a cursor of a person who couldn''t see it');
select test.act_as('alice');
select pg_temp.add('e', 1);
select is(pg_temp.parts('bob', 9, 'a'), '4c', 'The list continues even if an item has since moved to before that place');
select test.act_as('alice');
select pg_temp.add('d');
select is(pg_temp.parts('bob', 9, 'a'), '3c 4d', 'The list continues even if an item has since moved to behind that place');
select test.act_as('alice');
select pg_temp.add('f', 2);
select is(pg_temp.parts('bob', 9, 'a'), '4c 5d', 'The list continues even if an item was added since');
select throws_ok($$ select pg_temp.add('a') $$, 'PT404', 'post_unknown', 'A deleted post can''t be added again') from test.act_as('alice');

-- A series without a visible item is unknown
select test.act_as('alice');
select pg_temp.post('secret', 'inner');
select pg_temp.add('secret', null, 'second');
select is(api.list_series_items(pg_temp.id('third')) #>> '{series,partCount}', '0', 'The author sees an empty series');
select throws_ok(format('select %s(pg_temp.id(%L))', o, s), 'PT404', 'series_unknown', format('%s fails for the %s series, in which the caller sees nothing', o, s))
from test.act_as('bob'), unnest(array['api.list_series_items', 'api.follow_series', 'api.unfollow_series']) o, unnest(array['second', 'third']) s;
select throws_ok($$ select api.list_series_items(gen_random_uuid()) $$, 'PT404', 'series_unknown', 'An unknown series fails with series_unknown');
select test.act_as('bob');
select api.block_person('alice');
select throws_ok($$ select pg_temp.parts('bob') $$, 'PT404', 'series_unknown', 'A series is unknown across a block');
select throws_ok($$ select pg_temp.add('his') $$, 'PT404', 'series_unknown', 'Nothing can be added to a series across a block');
select api.unblock_person('alice');

-- Follows
select is(api.follow_series(pg_temp.id('series'))::text, '{"following" : true}', 'A series can be followed');
select is(api.follow_series(pg_temp.id('series')) ->> 'following', 'true', 'Following a series twice is not an error');
select is(api.list_series_items(pg_temp.id('series')) #>> '{series,followed}', 'true',
  'The card shows that the caller follows the series');
select is((select count(*)::int from app.series_follows), 1, 'Following twice leaves one follow');
select is(api.list_series_items(pg_temp.id('series')) #>> '{series,followed}', 'false', 'The card doesn''t show other people''s follows') from test.act_as('carla');
select is((select count(*)::int from app.series_follows), 0, 'Nobody sees other people''s follows');
select throws_ok($$ select api.follow_series(pg_temp.id('series')) $$, 'PT400', 'series_follow_own', 'Authors can''t follow their own series') from test.act_as('alice');
select test.act_as('bob');
select is(api.unfollow_series(pg_temp.id('series'))::text, null, 'A follow can be ended');
select is(api.unfollow_series(pg_temp.id('series'))::text, null, 'Ending a follow twice is not an error');
select is((select count(*)::int from app.series_follows), 0, 'The follow is deleted');
select api.follow_series(pg_temp.id('series'));
select api.block_person('alice');
select api.unblock_person('alice');
select is((select count(*)::int from app.series_follows), 0, 'A block ends the follow, and unblocking doesn''t restore it');
select api.follow_series(pg_temp.id('series'));
select test.act_as('alice');
select api.block_person('bob');
select api.unblock_person('bob');
select is((select count(*)::int from app.series_follows), 0, 'A block by the author ends the follow too') from test.act_as('bob');
select api.follow_series(pg_temp.id('series'));
select pg_temp.as_owner($$ update app.posts set visibility = 'inner' where author_id = test.id('alice') $$);
select is(api.unfollow_series(pg_temp.id('series'))::text, null, 'A series the caller can''t see any more can be unfollowed');

-- By direct statements
select throws_ok(s, '42501', null, 'Nobody can run: ' || s) from unnest(array[
  $$ insert into app.series (author_id, title) values (test.id('alice'), 'x') $$,
  $$ update app.series set title = 'x' $$, $$ delete from app.series $$,
  $$ insert into app.series_items (series_id, post_id, position) values (pg_temp.id('his own'), pg_temp.id('his'), 1) $$,
  $$ update app.series_items set position = 9 $$, $$ delete from app.series_items $$,
  $$ insert into app.series_follows (series_id, user_id) values (pg_temp.id('his own'), test.id('carla')) $$,
  $$ insert into app.series_follows (series_id, user_id) values (pg_temp.id('his own'), test.id('bob')) $$,
  $$ insert into app.series_follows (series_id, user_id) values (pg_temp.id('series'), test.id('bob')) $$,
  $$ select from private.deleted_series_items $$]) s;
select throws_ok($$ select private.place_item(pg_temp.id('series'), pg_temp.id('his'), 1) $$, 'PT404', 'series_unknown', 'The private function refuses another person''s series');

-- At most 200 items
select test.act_as_owner();
with more as (insert into app.posts (author_id, body) select test.id('bob'), 'x' || n from generate_series(1, 200) n returning id)
insert into app.series_items (series_id, post_id, position) select pg_temp.id('his own'), id, row_number() over () from more;
select throws_ok($$ select pg_temp.add('his', null, 'his own') $$, 'PT409', 'series_full', 'A series can have at most 200 items') from test.act_as('bob');
select lives_ok($$ select api.add_series_item(pg_temp.id('his own'), (select post_id from app.series_items where series_id = pg_temp.id('his own') and position = 200), 1) $$,
  'At the limit, an item can still move');

-- At most 5 series for a post, 100 for a person
select test.act_as('bob');
insert into made select 's' || n, (api.create_series('s' || n) ->> 'id')::uuid from generate_series(1, 6) n;
select lives_ok(format('select pg_temp.add(%L, null, %L)', 'his', 's' || n), 'A post can be in ' || n || ' series') from generate_series(1, 5) n;
select throws_ok($$ select pg_temp.add('his', null, 's6') $$, 'PT409', 'series_of_post_exceeded', 'A post can''t be in a sixth series');
select lives_ok($$ select pg_temp.add('his', 1, 's5') $$, 'At the limit, a post can still move within its series');
select test.act_as_owner();
insert into app.series (author_id, title) select test.id('bob'), 'x' || n from generate_series(1, 92) n;
select test.act_as('bob');
select lives_ok($$ select api.create_series('The hundredth') $$, 'A person can have 100 series');
select throws_ok($$ select api.create_series('One more') $$, 'PT409', 'series_exhausted', 'A person can''t have more than 100 series');

-- Erasure of an author deletes their series and the follows
select test.act_as_owner();
insert into app.series_follows (series_id, user_id) values (pg_temp.id('series'), test.id('bob')), (pg_temp.id('his own'), test.id('carla'));
update app.users set erased_at = now() where username = 'bob';
-- The worker erases the rows after the first batch
do $$ begin
  while private.erase_more(jsonb_build_object('userId', test.id('bob'))) ->> 'next' is not null loop end loop;
end $$;
select is((select count(*)::int from app.series where author_id = test.id('bob')), 0, 'An erasure deletes the person''s series');
select is((select count(*)::int from app.series_follows), 0, 'An erasure deletes the person''s follows, and the follows of their series');

select * from finish();
rollback;
