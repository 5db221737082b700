-- Bookmarks: set and taken back, counted, nobody else's to see; their list, in full pages, with cursors that hold.
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
select throws_ok($$ select api.bookmark(pg_temp.id('later')) $$, 'PT422', 'post_not_out', 'a scheduled post takes none');

-- Acting as Bob
select test.act_as('bob');
select is(api.bookmark(pg_temp.id('one')) #>> '{viewer,bookmarked}', 'true', 'a bookmark is set');
select is(api.bookmark(pg_temp.id('one')) #>> '{counters,bookmarks}', '1', 'and counted, once');
select is(api.get_post(pg_temp.id('one')) #>> '{viewer,bookmarked}', 'true', 'the post says so');
select is(pg_temp.names(api.list_bookmarks()), 'one', 'and the list has it');
select throws_ok($$ select api.bookmark(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'an unknown post takes none');
select throws_ok($$ select api.bookmark(pg_temp.id('circles')) $$, 'PT404', 'post_unknown', 'nor one that one may not see');
select throws_ok($$ select api.unbookmark(gen_random_uuid()) $$, 'PT404', 'post_unknown', 'and gives none back');

-- Acting as Carla: one's own alone
select test.act_as('carla');
select is(api.get_post(pg_temp.id('one')) #>> '{viewer,bookmarked}', 'false', 'another''s is another''s');
select is(api.get_post(pg_temp.id('one')) #>> '{counters,bookmarks}', '1', 'its count is everyone''s');
select is(pg_temp.names(api.list_bookmarks()), '', 'the list is one''s own');
select is((select count(*)::int from app.bookmarks), 0, 'nobody sees another''s');
select is(pg_temp.rows('delete from app.bookmarks'), 0, 'nor takes it back');
select throws_ok($$ insert into app.bookmarks (post_id, user_id) values (pg_temp.id('one'), test.id('bob')) $$, '42501', null,
  'nobody sets one in another''s name');
select throws_ok($$ insert into app.bookmarks (post_id, user_id) values (pg_temp.id('circles'), test.id('carla')) $$, '42501', null,
  'nor on what they do not see');
select throws_ok($$ insert into app.bookmarks (post_id, user_id, created_at) values (pg_temp.id('two'), test.id('carla'), now()) $$, '42501', null,
  'nor dated back');
select throws_ok($$ update app.bookmarks set created_at = now() $$, '42501', null, 'a bookmark is never changed');
select throws_ok($$ select from private.removed_bookmarks $$, '42501', null, 'what ended is for nobody to read');
select is(api.bookmark(pg_temp.id('one')) #>> '{counters,bookmarks}', '2', 'those of several add up');

-- taken back
select is(api.unbookmark(pg_temp.id('one'))::text, null, 'one is taken back');
select is(api.unbookmark(pg_temp.id('one'))::text, null, 'twice is no error');
select is(pg_temp.counted('one'), 1, 'and counted once');
select test.act_as('alice');
select is(api.bookmark(pg_temp.id('one')) #>> '{counters,bookmarks}', '2', 'one''s own post may be bookmarked');

-- pages; a cursor holds when its bookmark was taken back
select test.act_as_owner();
delete from app.bookmarks;
delete from private.removed_bookmarks;
insert into app.bookmarks (user_id, post_id, created_at)
select test.id('bob'), pg_temp.id(n), now() + place * interval '1 second'
from unnest(array['one', 'two', 'three', 'four', 'five']) with ordinality as b (n, place);
select test.act_as('bob');
select is(pg_temp.names(api.list_bookmarks()), 'five four three two one', 'the newest first');
select is(pg_temp.names(api.list_bookmarks(2)), 'five four', 'a page');
select is((api.list_bookmarks(2) ->> 'nextCursor')::uuid, pg_temp.id('four'), 'whose cursor is its last post');
select is(pg_temp.names(api.list_bookmarks(2, pg_temp.id('four')::text)), 'three two', 'the next one');
select is(api.list_bookmarks(1, pg_temp.id('two')::text) ->> 'nextCursor', null, 'none at the end');
select api.unbookmark(pg_temp.id('four'));
select is(pg_temp.names(api.list_bookmarks(2, pg_temp.id('four')::text)), 'three two', 'also when that bookmark is taken back');
select api.bookmark(pg_temp.id('four'));
select is(pg_temp.names(api.list_bookmarks()), 'five three two one four', 'one that is set again stands where it now is');
select is(pg_temp.names(api.list_bookmarks(5, pg_temp.id('four')::text)), '', 'and so does its cursor');
select throws_ok(format('select api.list_bookmarks(2, %L)', c), 'PT400', 'cursor_unknown', 'no cursor: ' || c)
from unnest(array[gen_random_uuid()::text, pg_temp.id('circles')::text, 'x', '']) c;
select throws_ok(format('select api.list_bookmarks(%s)', n), 'PT422', 'limit_out_of_range', 'no limit: ' || n)
from unnest(array['0', '51', 'null']) n;
select test.act_as('carla');
select throws_ok($$ select api.list_bookmarks(2, pg_temp.id('two')::text) $$, 'PT400', 'cursor_unknown', 'another''s cursor is none');

-- what is seen no more leaves the list, and the page stays full
select test.act_as('alice');
select api.delete_post(pg_temp.id('three'));
select test.act_as_owner();
update app.posts set hidden_at = now() where id = pg_temp.id('five');
select test.act_as('bob');
select is(pg_temp.names(api.list_bookmarks(2)), 'two one', 'a page without the deleted and the hidden');
select is(pg_temp.names(api.list_bookmarks(2, pg_temp.id('three')::text)), 'two one', 'whose places still are cursors');
select is(api.unbookmark(pg_temp.id('three'))::text, null, 'what is gone is taken back all the same');
select throws_ok($$ select api.unbookmark(pg_temp.id('three')) $$, 'PT404', 'post_unknown', 'and then it is not there');
select test.act_as_owner();
update private.removed_bookmarks set ended_at = now() - interval '1 day 1 second';
select is(private.job_purge(), 2, 'the job forgets old places');
select is(private.job_purge(), 0, 'and finds nothing a second time');

select test.act_as_owner();
select is((select array_agg(bookmarks order by post_id) from app.post_counters),
  (select array_agg(n order by id) from (select p.id, (select count(*)::int from app.bookmarks b where b.post_id = p.id) as n from app.posts p) c),
  'the counters are what a count gives');

select * from finish();
rollback;
