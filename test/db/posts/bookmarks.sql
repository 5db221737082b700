-- Bookmarks: set and removed, counted, and visible to their owner only. Their list has full pages and stable cursors.
begin;
select plan(46);
select test.people('alice', 'bob', 'carla');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.names(p_page json) returns text language sql stable as $$
  select coalesce(string_agg(m.name, ' ' order by i.place), '')
  from json_array_elements(p_page -> 'items') with ordinality as i (card, place) join made m on m.id = (i.card ->> 'id')::uuid $$;
create function pg_temp.counted(p_name text) returns integer language sql stable security definer
  as $$ select bookmarks from app.post_counters where post_id = pg_temp.id(p_name) $$;
create function pg_temp.rows(p_statement text) returns integer language plpgsql as $$
declare v_rows integer;
begin
  execute p_statement;
  get diagnostics v_rows = row_count;
  return v_rows;
end $$;
grant execute on all functions in schema pg_temp to public;

select test.act_as('alice');
insert into made select n, (api.create_post(n) ->> 'id')::uuid from unnest(array['one', 'two', 'three', 'four', 'five']) n;
insert into made select 'circles', (api.create_post('For circles', p_visibility => 'circles') ->> 'id')::uuid;
insert into made select 'later', (api.create_post('Later', p_publish_at => now() + interval '1 hour') ->> 'id')::uuid;
select throws_ok($$ select api.bookmark(pg_temp.id('later')) $$, 'PT422', 'post_not_out', 'A scheduled post can''t be bookmarked');

-- Acting as Bob
select test.act_as('bob');
select is(api.bookmark(pg_temp.id('one')) #>> '{viewer,bookmarked}', 'true', 'A post can be bookmarked');
select is(api.bookmark(pg_temp.id('one')) #>> '{counters,bookmarks}', '1', 'A repeated bookmark is counted once');
select is(api.get_post(pg_temp.id('one')) #>> '{viewer,bookmarked}', 'true', 'The post''s card has the bookmark');
select is(pg_temp.names(api.list_bookmarks()), 'one', 'The list has the bookmark');
select throws_ok($$ select api.bookmark(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'An unknown post can''t be bookmarked');
select throws_ok($$ select api.bookmark(pg_temp.id('circles')) $$, 'PT404', 'post_unknown', 'A post the caller can''t see can''t be bookmarked');
select throws_ok($$ select api.unbookmark(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'An unknown post has no bookmark to remove');

-- Acting as Carla: bookmarks are private
select test.act_as('carla');
select is(api.get_post(pg_temp.id('one')) #>> '{viewer,bookmarked}', 'false', 'The card doesn''t show another person''s bookmark');
select is(api.get_post(pg_temp.id('one')) #>> '{counters,bookmarks}', '1', 'The count includes everyone''s bookmarks');
select is(pg_temp.names(api.list_bookmarks()), '', 'The list doesn''t have another person''s bookmarks');
select is((select count(*)::int from app.bookmarks), 0, 'Nobody sees another person''s rows');
select is(pg_temp.rows('delete from app.bookmarks'), 0, 'Nobody can delete another person''s bookmark');
select throws_ok($$ insert into app.bookmarks (post_id, user_id) values (pg_temp.id('one'), test.id('bob')) $$, '42501', null,
  'Nobody can bookmark in another person''s name');
select throws_ok($$ insert into app.bookmarks (post_id, user_id) values (pg_temp.id('circles'), test.id('carla')) $$, '42501', null,
  'Nobody can bookmark a post they don''t see');
select throws_ok($$ insert into app.bookmarks (post_id, user_id, created_at) values (pg_temp.id('two'), test.id('carla'), now()) $$, '42501', null,
  'A bookmark can''t be backdated');
select throws_ok($$ update app.bookmarks set created_at = now() $$, '42501', null, 'A bookmark can''t be changed');
select throws_ok($$ select from private.removed_bookmarks $$, '42501', null, 'Nobody can read removed bookmarks');
select is(api.bookmark(pg_temp.id('one')) #>> '{counters,bookmarks}', '2', 'Bookmarks of several people add up');

-- Removing
select is(api.unbookmark(pg_temp.id('one'))::text, null, 'A bookmark can be removed');
select is(api.unbookmark(pg_temp.id('one'))::text, null, 'Removing a bookmark twice is not an error');
select is(pg_temp.counted('one'), 1, 'Removing a bookmark twice is counted once');
select test.act_as('alice');
select is(api.bookmark(pg_temp.id('one')) #>> '{counters,bookmarks}', '2', 'Authors can bookmark their own post');

-- Pages, and a cursor whose bookmark was removed
select test.act_as_owner();
delete from app.bookmarks;
delete from private.removed_bookmarks;
insert into app.bookmarks (user_id, post_id, created_at)
select test.id('bob'), pg_temp.id(n), now() + place * interval '1 second'
from unnest(array['one', 'two', 'three', 'four', 'five']) with ordinality as b (n, place);
select test.act_as('bob');
select is(pg_temp.names(api.list_bookmarks()), 'five four three two one', 'The newest comes first');
select is(pg_temp.names(api.list_bookmarks(2)), 'five four', 'A page has `limit` posts');
select is((api.list_bookmarks(2) ->> 'nextCursor')::uuid, pg_temp.id('four'), 'The cursor is the page''s last post');
select is(pg_temp.names(api.list_bookmarks(2, pg_temp.id('four')::text)), 'three two', 'The cursor leads to the next page');
select is(api.list_bookmarks(1, pg_temp.id('two')::text) ->> 'nextCursor', null, 'The last page has no cursor');
select api.unbookmark(pg_temp.id('four'));
select is(pg_temp.names(api.list_bookmarks(2, pg_temp.id('four')::text)), 'three two', 'The cursor stays valid when its bookmark was removed');
select api.bookmark(pg_temp.id('four'));
select is(pg_temp.names(api.list_bookmarks()), 'five three two one four', 'A bookmark that is set again has its place by the new time');
select is(pg_temp.names(api.list_bookmarks(5, pg_temp.id('four')::text)), '', 'A cursor on the bookmark continues from the new place');
select throws_ok(format('select api.list_bookmarks(2, %L)', c), 'PT400', 'cursor_unknown', 'The cursor is refused: ' || c)
from unnest(array[gen_random_uuid()::text, pg_temp.id('circles')::text, 'x', '']) c;
select throws_ok(format('select api.list_bookmarks(%s)', n), 'PT422', 'limit_out_of_range', 'The limit is refused: ' || n)
from unnest(array['0', '51', 'null']) n;
select test.act_as('carla');
select throws_ok($$ select api.list_bookmarks(2, pg_temp.id('two')::text) $$, 'PT400', 'cursor_unknown', 'Another person''s bookmark is refused as a cursor');

-- A post that is no longer visible leaves the list, and the page stays full
select test.act_as('alice');
select api.delete_post(pg_temp.id('three'));
select test.act_as_owner();
update app.posts set hidden_at = now() where id = pg_temp.id('five');
select test.act_as('bob');
select is(pg_temp.names(api.list_bookmarks(2)), 'two one', 'Deleted and hidden posts are left out, and the page is full');
select is(pg_temp.names(api.list_bookmarks(2, pg_temp.id('three')::text)), 'two one', 'A deleted post stays valid as a cursor');
select is(api.unbookmark(pg_temp.id('three'))::text, null, 'The bookmark of a deleted post can be removed');
select throws_ok($$ select api.unbookmark(pg_temp.id('three')) $$, 'PT404', 'post_unknown', 'Removing the bookmark '
  'of a deleted post again fails with post_unknown');
select test.act_as_owner();
update private.removed_bookmarks set ended_at = now() - interval '1 day 1 second';
select is(private.job_purge(), 2, 'The job deletes the places of bookmarks that were removed more than a day ago');
select is(private.job_purge(), 0, 'A second run of the job deletes nothing');

select test.act_as_owner();
select is((select array_agg(bookmarks order by post_id) from app.post_counters),
  (select array_agg(n order by id) from (select p.id, (select count(*)::int from app.bookmarks b where b.post_id = p.id) as n from app.posts p) c),
  'The counters equal a count of the rows');

select * from finish();
rollback;
