-- The feed as a list: order, pages, and valid cursors.
begin;
select plan(25);
select test.people('alice', 'bob', 'carla');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
create function pg_temp.names(p_page json) returns text language sql as $$
  select coalesce(string_agg(i ->> 'body', ' ' order by place), '') from json_array_elements(p_page -> 'items') with ordinality l (i, place) $$;
-- All names of the feed, read page by page
create function pg_temp.walk(p_limit integer) returns text language plpgsql as $$
declare
  v_page  json := api.list_feed(p_limit => p_limit);
  v_names text := pg_temp.names(v_page);
begin
  while v_page ->> 'nextCursor' is not null loop
    v_page := api.list_feed(p_limit => p_limit, p_cursor => v_page ->> 'nextCursor');
    v_names := v_names || ' ' || pg_temp.names(v_page);
  end loop;
  return v_names;
end $$;
grant execute on all functions in schema pg_temp to public;

-- Alice writes six posts, the first two at the same moment
select test.act_as('alice');
select api.create_circle('Friends');
select api.add_circle_member((select id from app.circles), 'carla');
insert into made select n, (api.create_post(n, p_visibility => v) ->> 'id')::uuid
from (values ('one', 'public'), ('two', 'public'), ('three', 'circles'), ('four', 'public'), ('five', 'inner'), ('six', 'public')) p (n, v);
select test.act_as_owner();
update app.posts p set published_at = now() + place * interval '1 second'
from (values ('one', 1), ('two', 1), ('three', 2), ('four', 3), ('five', 4), ('six', 5)) m (name, place) where p.id = pg_temp.id(m.name);
insert into app.feed_blocks (starts_at) select distinct published_at from app.posts;   -- a block for each moment, so the feed is in time order
insert into made select 'alike', id from made where name in ('one', 'two') order by id desc limit 1;

select test.act_as('alice');
select is(replace(replace(pg_temp.names(api.list_feed()), 'one', 'x'), 'two', 'x'), 'six five four three x x', 'The newest post comes first');
select is(api.list_feed() #>> '{items,4,id}', pg_temp.id('alike')::text, 'Posts of the same moment are ordered by id, descending');
select is(pg_temp.walk(n), pg_temp.names(api.list_feed()), 'The feed in pages of ' || n || ' has the same posts in the same order') from generate_series(1, 7) n;
select is(api.list_feed(p_limit => 6) ->> 'hasMore', 'false', 'A full last page has no next page');
select is(api.list_feed(p_limit => 5) ->> 'nextCursor', api.list_feed() #>> '{items,4,id}', 'The cursor is the id of the page''s last item');

-- A cursor whose post is no longer there
select test.act_as_owner();
update app.posts set deleted_at = now() where id = pg_temp.id('four');
update app.posts set hidden_at = now() where id = pg_temp.id('six');
select test.act_as('carla');
select is(replace(replace(pg_temp.names(api.list_feed(p_cursor => pg_temp.id('four')::text)), 'one', 'x'), 'two', 'x'), 'three x x',
  'A deleted post stays valid as a cursor');
select is(replace(replace(pg_temp.names(api.list_feed(p_cursor => pg_temp.id('six')::text)), 'one', 'x'), 'two', 'x'), 'three x x',
  'A hidden post stays valid as a cursor');
select test.act_as_owner();
update app.users set banned_at = now() where username = 'alice';
select test.act_as('carla');
select is(pg_temp.names(api.list_feed(p_cursor => pg_temp.id('three')::text)), '', 'A post of a banned author stays valid as a cursor');
select test.act_as_owner();
update app.users set banned_at = null where username = 'alice';

-- Invalid cursors
select test.act_as('bob');
select throws_ok(format('select api.list_feed(p_cursor => %L)', c), 'PT400', 'cursor_unknown', 'Invalid cursor: ' || what)
from (values (pg_temp.id('three')::text, 'a post for circles that the caller isn''t in'), (pg_temp.id('five')::text, 'a post for an inner circle'),
             ('00000000-0000-4000-8000-000000000000', 'an unknown post'), ('x', 'not an id'), ('', 'an empty text')) c (c, what);
select test.act_as('carla');
select api.block_person('alice');
select throws_ok(format('select api.list_feed(p_cursor => %L)', pg_temp.id('one')), 'PT400', 'cursor_unknown', 'A post of a person whom the caller blocked is refused as a cursor');
select throws_ok(format('select api.list_feed(p_limit => %s)', n), 'PT422', 'limit_out_of_range', 'Invalid limit: ' || n)
from unnest(array['0', '51', 'null']) n;

-- A post in a space is a cursor for members only
select test.act_as_owner();
insert into app.spaces (id, kind, slug, name) values ('00000000-0000-4000-8000-000000000001', 'group', 'the-space', 'x');
insert into app.space_members (space_id, user_id) values ('00000000-0000-4000-8000-000000000001', test.id('bob'));
update app.posts set space_id = '00000000-0000-4000-8000-000000000001', visibility = 'public' where id in (pg_temp.id('five'), pg_temp.id('one'));
select test.act_as('bob');
select is(api.list_feed(p_limit => 1, p_cursor => pg_temp.id('five')::text) #>> '{items,0,id}', pg_temp.id('alike')::text, 'A member can use a post in the space as a cursor');
select test.act_as('carla');
select api.unblock_person('alice');
select throws_ok(format('select api.list_feed(p_cursor => %L)', pg_temp.id('one')), 'PT400', 'cursor_unknown', 'A post in a space is refused as a cursor of a non-member');

select * from finish();
rollback;
