-- Series: making one, adding and moving parts, who sees which, the places shown, cursors, follows, and what a deletion does.
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
-- all of it, page by page
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

-- Acting as Alice: making one
select test.act_as('alice');
select api.create_circle('Near');
select api.add_circle_member((select id from app.circles), 'carla');
insert into made select 'series', (api.create_series(e'\n Letters ', ' Four of them ') ->> 'id')::uuid;
select is((api.list_my_series() #> '{items,0}')::jsonb - 'createdAt', jsonb_build_object(
    'id', pg_temp.id('series'), 'authorId', 'acct:alice@localhost',
    'author', (select card::jsonb from app.person_card where id = test.id('alice')),
    'title', 'Letters', 'description', 'Four of them', 'partCount', 0, 'followed', false), 'a series is as it was made, trimmed');
select is(api.create_series('x', e' \n ') ->> 'description', null, 'a blank description is none');
select lives_ok(format('select api.create_series(%L)', repeat('é', n)), 'a title of ' || n) from unnest(array[1, 200]) n;
select throws_ok(format('select api.create_series(%L)', ' ' || repeat('é', n)), 'PT422',
  'series_title', 'none of ' || n) from unnest(array[0, 201]) n;
select throws_ok($$ select api.create_series(null) $$, '23502', null, 'nor null');
select lives_ok($$ select api.create_series('x', repeat('é', 2000) || ' ') $$, 'a description of 2000');
select throws_ok($$ select api.create_series('x', repeat('é', 2001)) $$, 'PT422',
  'series_description', 'none of 2001');

-- mine
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
select is(pg_temp.mine(), 'third second Letters', 'mine, newest first');
select is(api.list_my_series(2) ->> 'nextCursor', pg_temp.id('second')::text, 'the cursor is the last of the page');
select is(pg_temp.mine(2, pg_temp.id('second')::text), 'Letters', 'behind which the next begins');
select throws_ok(format('select api.list_my_series(p_cursor => %L)', c), 'PT400', 'cursor_unknown', 'no cursor: ' || c)
from unnest(array['', 'x', '00000000-0000-4000-8000-000000000000']) c;
select throws_ok(format('select api.list_my_series(%s)', n), 'PT422', 'limit_out_of_range', 'no limit: ' || n)
from unnest(array['0', '51', 'null']) n;
select test.act_as('bob');
select is(pg_temp.mine(), '', 'those of others are not');
select throws_ok($$ select api.list_my_series(p_cursor => pg_temp.id('series')::text) $$, 'PT400', 'cursor_unknown', 'nor cursors');

-- Acting as Alice: parts
select test.act_as('alice');
select pg_temp.post(n) from unnest(array['a', 'b', 'c', 'd', 'e']) n;
select is(pg_temp.add('a')::jsonb - 'post', jsonb_build_object('seriesId', pg_temp.id('series'), 'position', 1), 'the first part');
select is(pg_temp.add('b') #>> '{post,body}', 'b', 'comes with its post');
select is(pg_temp.add('c') ->> 'position', '3', 'without a position it goes to the end');
select is(pg_temp.add('d', 2) ->> 'position', '2', 'with one it stands there');
select is(pg_temp.parts('bob'), '1a 2d 3b 4c', 'and those behind it give way');
select test.act_as('alice');
select is(api.get_post(pg_temp.id('d')) #> '{series}' ->> 0,
  json_build_object('id', pg_temp.id('series'), 'title', 'Letters')::text, 'the post names its series');
select lives_ok($$ select pg_temp.add('e', 5) $$, 'the last place is that behind the others');
select throws_ok(format('select pg_temp.add(%L, %s)', p, n), 'PT422', 'series_position', p || ' not at ' || n)
from (values ('a', 0), ('a', -1), ('a', 6)) c (p, n);
select pg_temp.post('f');
select throws_ok($$ select pg_temp.add('f', 7) $$, 'PT422', 'series_position', 'a new one not further behind');
select is(pg_temp.parts('bob'), '1a 2d 3b 4c 5e', 'what was refused changed nothing');

-- moving
select test.act_as('alice');
select is(pg_temp.add('e', 2) ->> 'position', '2', 'a part that is added again moves');
select is(pg_temp.parts('bob'), '1a 2e 3d 4b 5c', 'up');
select test.act_as('alice');
select pg_temp.add('a', 4);
select is(pg_temp.parts('bob'), '1e 2d 3b 4a 5c', 'down');
select test.act_as('alice');
select pg_temp.add('e');
select is(pg_temp.parts('bob'), '1d 2b 3a 4c 5e', 'to the end');
select test.act_as('alice');
select pg_temp.add('a', 3);
select is(pg_temp.parts('bob'), '1d 2b 3a 4c 5e', 'or nowhere');
select is(pg_temp.walk('bob', n), '1d 2b 3a 4c 5e', 'walked by ' || n) from generate_series(1, 6) n;

-- whose
select test.act_as('bob');
select pg_temp.post('his');
insert into made select 'his own', (api.create_series('His') ->> 'id')::uuid;
select throws_ok($$ select pg_temp.add('his') $$, 'PT403', 'series_not_yours', 'another''s series takes nothing of mine');
select throws_ok($$ select pg_temp.add('a', null, 'second') $$, 'PT404', 'series_unknown', 'one that I do not see is unknown');
select throws_ok($$ select api.add_series_item(gen_random_uuid(), pg_temp.id('his')) $$, 'PT404', 'series_unknown', 'as one that is none');
select throws_ok($$ select pg_temp.add('a', null, 'his own') $$, 'PT403', 'post_not_yours', 'nor mine a post of another');
select throws_ok($$ select api.add_series_item(pg_temp.id('his own'), gen_random_uuid()) $$, 'PT404', 'post_unknown', 'or none');
select test.act_as('alice');
select pg_temp.post('closed', 'inner');
select test.act_as('bob');
select throws_ok($$ select pg_temp.add('closed', null, 'his own') $$, 'PT404', 'post_unknown', 'or one that I do not see');
select pg_temp.as_owner($$ with r as (insert into app.posts (author_id, format, body, quoted_post_id)
  values (test.id('bob'), 'repost', '', pg_temp.id('a')) returning id) insert into made select 'repost', id from r $$);
select throws_ok($$ select pg_temp.add('repost', null, 'his own') $$, 'PT422', 'series_repost', 'or a repost');

-- who sees which, and that nothing hints at the others
select test.act_as('alice');
select pg_temp.post('near', 'circles');
select pg_temp.add('closed', 1);
select pg_temp.add('near', 3);
select is(pg_temp.parts('alice'), '1closed 2d 3near 4b 5a 6c 7e', 'the author sees all parts');
select is(pg_temp.parts('carla'), '1d 2near 3b 4a 5c 6e', 'who is in a circle most of them, without a gap');
select is(pg_temp.parts('bob'), '1d 2b 3a 4c 5e', 'others the public ones');
select is(pg_temp.counted(p), n, p || ' counts ' || n) from (values ('alice', 7), ('carla', 6), ('bob', 5)) c (p, n);
select is(pg_temp.walk('carla', n), '1d 2near 3b 4a 5c 6e', 'pages are full, by ' || n) from generate_series(1, 3) n;
select pg_temp.as_owner($$ update app.posts set hidden_at = now() where id = pg_temp.id('b') $$);
select is(pg_temp.parts('bob'), '1d 2a 3c 4e', 'a hidden part is not there');
select is(pg_temp.parts('alice'), '1closed 2d 3near 4b 5a 6c 7e', 'but for its author');
select is(pg_temp.parts('bob', 2, 'b'), '2a 3c', 'and holds its place as a cursor');
select throws_ok($$ select pg_temp.parts('bob', 2, 'closed') $$, 'PT400', 'cursor_unknown', 'one that is not for the caller is none');
select throws_ok($$ select pg_temp.parts('bob', 2, 'f') $$, 'PT400', 'cursor_unknown', 'nor a post that is no part');
select throws_ok(format('select api.list_series_items(pg_temp.id(%L), p_cursor => %L)', 'series', c), 'PT400', 'cursor_unknown', 'no cursor: ' || c)
from unnest(array['', 'x', '00000000-0000-4000-8000-000000000000']) c;
select throws_ok(format('select api.list_series_items(pg_temp.id(%L), %s)', 'series', n), 'PT422', 'limit_out_of_range', 'no limit: ' || n)
from unnest(array['0', '51', 'null']) n;
select pg_temp.as_owner($$ update app.posts set hidden_at = null where id = pg_temp.id('b') $$);
select is(pg_temp.parts('bob'), '1d 2b 3a 4c 5e', 'shown again it is where it was');

-- a deleted part leaves
select pg_temp.as_owner($$ update app.posts set deleted_at = now() where id in (pg_temp.id('a'), pg_temp.id('near')) $$);
select is(pg_temp.parts('alice'), '1closed 2d 3b 4c 5e', 'deleted posts leave their series');
select is((select string_agg(position::text, ' ' order by position) from app.series_items where series_id = pg_temp.id('series')),
  '1 2 3 4 5', 'and close the gap');
select is(pg_temp.parts('bob', 9, 'a'), '3c 4e', 'a walk goes on from where they were');
select is(pg_temp.parts('carla', 9, 'near'), '2b 3c 4e', 'who saw it');
select throws_ok($$ select pg_temp.parts('bob', 9, 'near') $$, 'PT400', 'cursor_unknown', 'and nobody else does');
select test.act_as('alice');
select pg_temp.add('e', 1);
select is(pg_temp.parts('bob', 9, 'a'), '4c', 'also when parts moved since: before it');
select test.act_as('alice');
select pg_temp.add('d');
select is(pg_temp.parts('bob', 9, 'a'), '3c 4d', 'or behind it');
select test.act_as('alice');
select pg_temp.add('f', 2);
select is(pg_temp.parts('bob', 9, 'a'), '4c 5d', 'or were added');
select throws_ok($$ select pg_temp.add('a') $$, 'PT404', 'post_unknown', 'a deleted post does not come back') from test.act_as('alice');

-- a series without a part that one sees is unknown
select test.act_as('alice');
select pg_temp.post('secret', 'inner');
select pg_temp.add('secret', null, 'second');
select is(api.list_series_items(pg_temp.id('third')) #>> '{series,partCount}', '0', 'its author sees an empty one');
select throws_ok(format('select %s(pg_temp.id(%L))', o, s), 'PT404', 'series_unknown', format('%s of the %s', o, s))
from test.act_as('bob'), unnest(array['api.list_series_items', 'api.follow_series', 'api.unfollow_series']) o, unnest(array['second', 'third']) s;
select throws_ok($$ select api.list_series_items(gen_random_uuid()) $$, 'PT404', 'series_unknown', 'as one that is none');
select test.act_as('bob');
select api.block_person('alice');
select throws_ok($$ select pg_temp.parts('bob') $$, 'PT404', 'series_unknown', 'across a block too');
select throws_ok($$ select pg_temp.add('his') $$, 'PT404', 'series_unknown', 'by every route');
select api.unblock_person('alice');

-- follows
select is(api.follow_series(pg_temp.id('series'))::text, '{"following" : true}', 'a series is followed');
select is(api.follow_series(pg_temp.id('series')) ->> 'following', 'true', 'and again, which changes nothing');
select is(api.list_series_items(pg_temp.id('series')) #>> '{series,followed}', 'true', 'its card says so');
select is((select count(*)::int from app.series_follows), 1, 'once');
select is(api.list_series_items(pg_temp.id('series')) #>> '{series,followed}', 'false', 'to the follower') from test.act_as('carla');
select is((select count(*)::int from app.series_follows), 0, 'whom nobody else sees');
select throws_ok($$ select api.follow_series(pg_temp.id('series')) $$, 'PT400', 'series_follow_own', 'nobody follows their own') from test.act_as('alice');
select test.act_as('bob');
select is(api.unfollow_series(pg_temp.id('series'))::text, null, 'a follow ends');
select is(api.unfollow_series(pg_temp.id('series'))::text, null, 'and again');
select is((select count(*)::int from app.series_follows), 0, 'it is gone');
select api.follow_series(pg_temp.id('series'));
select api.block_person('alice');
select api.unblock_person('alice');
select is((select count(*)::int from app.series_follows), 0, 'a block ends it, and lifting it does not bring it back');
select api.follow_series(pg_temp.id('series'));
select test.act_as('alice');
select api.block_person('bob');
select api.unblock_person('bob');
select is((select count(*)::int from app.series_follows), 0, 'from either side') from test.act_as('bob');
select api.follow_series(pg_temp.id('series'));
select pg_temp.as_owner($$ update app.posts set visibility = 'inner' where author_id = test.id('alice') $$);
select is(api.unfollow_series(pg_temp.id('series'))::text, null, 'what one does not see any more one need not follow');

-- by hand
select throws_ok(s, '42501', null, s) from unnest(array[
  $$ insert into app.series (author_id, title) values (test.id('alice'), 'x') $$,
  $$ update app.series set title = 'x' $$, $$ delete from app.series $$,
  $$ insert into app.series_items (series_id, post_id, position) values (pg_temp.id('his own'), pg_temp.id('his'), 1) $$,
  $$ update app.series_items set position = 9 $$, $$ delete from app.series_items $$,
  $$ insert into app.series_follows (series_id, user_id) values (pg_temp.id('his own'), test.id('carla')) $$,
  $$ insert into app.series_follows (series_id, user_id) values (pg_temp.id('his own'), test.id('bob')) $$,
  $$ insert into app.series_follows (series_id, user_id) values (pg_temp.id('series'), test.id('bob')) $$,
  $$ select from private.deleted_series_items $$]) s;
select throws_ok($$ select private.place_item(pg_temp.id('series'), pg_temp.id('his'), 1) $$, 'PT404', 'series_unknown', 'nor a definer function');

-- 200 parts
select test.act_as_owner();
with more as (insert into app.posts (author_id, body) select test.id('bob'), 'x' || n from generate_series(1, 200) n returning id)
insert into app.series_items (series_id, post_id, position) select pg_temp.id('his own'), id, row_number() over () from more;
select throws_ok($$ select pg_temp.add('his', null, 'his own') $$, 'PT409', 'series_full', 'a series has at most 200 parts') from test.act_as('bob');
select lives_ok($$ select api.add_series_item(pg_temp.id('his own'), (select post_id from app.series_items where series_id = pg_temp.id('his own') and position = 200), 1) $$,
  'which still move');

-- 5 series of a post, 100 of a person
select test.act_as('bob');
insert into made select 's' || n, (api.create_series('s' || n) ->> 'id')::uuid from generate_series(1, 6) n;
select lives_ok(format('select pg_temp.add(%L, null, %L)', 'his', 's' || n), 'a post in ' || n) from generate_series(1, 5) n;
select throws_ok($$ select pg_temp.add('his', null, 's6') $$, 'PT409', 'series_of_post_exceeded', 'and in no sixth');
select lives_ok($$ select pg_temp.add('his', 1, 's5') $$, 'while it moves where it is');
select test.act_as_owner();
insert into app.series (author_id, title) select test.id('bob'), 'x' || n from generate_series(1, 92) n;
select test.act_as('bob');
select lives_ok($$ select api.create_series('The hundredth') $$, 'a person has 100');
select throws_ok($$ select api.create_series('One more') $$, 'PT409', 'series_exhausted', 'and no more');

-- an erased author's series go, and their follows
select test.act_as_owner();
insert into app.series_follows (series_id, user_id) values (pg_temp.id('series'), test.id('bob')), (pg_temp.id('his own'), test.id('carla'));
update app.users set erased_at = now() where username = 'bob';
-- what is more than a transaction erases the worker does
do $$ begin
  while private.erase_more(jsonb_build_object('userId', test.id('bob'))) ->> 'next' is not null loop end loop;
end $$;
select is((select count(*)::int from app.series where author_id = test.id('bob')), 0, 'an erased person''s series go');
select is((select count(*)::int from app.series_follows), 0, 'and the follows, theirs and of theirs');

select * from finish();
rollback;
