-- Pages of lists, and cursors.
begin;
select plan(62);
select test.people('alice', 'bob');
select test.act_as('alice');

select is(private.page('[1, 2]', array['a', 'b', 'c'], 2)::jsonb, '{"items": [1, 2], "nextCursor": "b", "hasMore": true}',
  'one more than the page: the cursor is that of its last item');
select is(private.page('[1, 2]', array['a', 'b'], 2)::jsonb, '{"items": [1, 2], "nextCursor": null, "hasMore": false}',
  'a full page may be the last');
select is(private.page('[1]', array['a'], 2)::jsonb, '{"items": [1], "nextCursor": null, "hasMore": false}', 'and so may a short one');
select is(private.page(null, '{}', 2)::jsonb, '{"items": [], "nextCursor": null, "hasMore": false}', 'an empty list has items too');
select set_eq($$ select json_object_keys(private.page(null, '{}', 2)) $$, array['items', 'nextCursor', 'hasMore'], 'the shape of a page');
select lives_ok('select private.page(null, ''{}'', 1)', 'a page has at least 1 item');
select lives_ok('select private.page(null, ''{}'', 50)', 'and at most 50');
select throws_ok(format('select private.page(null, %L, %L)', '{}', n), 'PT422', 'limit_out_of_range',
  format('%s is out of range', coalesce(n, 'no limit'))) from unnest(array['0', '51', '-1', null]) n;

select is(private.require_cursor('6f1c2a1e-0000-4000-8000-000000000001'), '6f1c2a1e-0000-4000-8000-000000000001'::uuid, 'a cursor is an id');
select is(private.require_cursor(null), null, 'no cursor is none');
select throws_ok(format('select private.require_cursor(%L)', c), 'PT400', 'cursor_unknown', format('%L is no cursor', c))
from unnest(array['', 'x', '1', '6f1c2a1e-0000-4000-8000-00000000000']) c;

-- a page that is not full, and goes on
select is(private.page('[1]', array['a'], 2, 'p')::jsonb, '{"items": [1], "nextCursor": "p", "hasMore": true}',
  'a short page may have a next one');
select is(private.page(null, '{}', 2, 'p') ->> 'hasMore', 'true', 'and so may an empty one');
select is(private.page('[1, 2]', array['a', 'b', 'c'], 2, 'p') ->> 'nextCursor', 'b', 'a full one goes on behind its last item');

-- sealed cursors
create temp table sealed as
select at, id, private.place_cursor('l', at, id) as cursor
from (select timestamptz '1900-01-01' + random() * interval '300 years' as at, gen_random_uuid() as id from generate_series(1, 300)
      union all select t, gen_random_uuid() from unnest(array['epoch', '1969-12-31 23:59:59.999999Z', '9999-12-30 00:00:00.000001Z']::timestamptz[]) t
      union all select now(), i from unnest(array['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']::uuid[]) i) p;
select is((select count(*) from sealed where cursor !~ '^[A-Za-z0-9_-]{88}$'), 0::bigint, 'a place is 88 letters, whatever it holds');
select is((select count(*) from sealed where private.cursor_place('l', cursor) is distinct from (at, id)::app.place), 0::bigint, 'and comes back, to the microsecond');
select is(private.cursor_place('l', null), '(,)', 'no cursor is no place');
select isnt(private.place_cursor('l', 'epoch', test.id('alice')), private.place_cursor('l', 'epoch', test.id('alice')), 'nobody can tell whether two are the same place');
select is((select count(*) from sealed a where exists (select from sealed b where b.id <> a.id and left(b.cursor, 12) = left(a.cursor, 12))), 0::bigint, 'nor which are near to each other');
select is(private.open_cursor('l', private.seal_cursor('l', n, test.id('alice'))), (n, test.id('alice'))::app.rank_place, n || ' comes back')
from unnest(array[-9223372036854775808, -1, 0, 2147483647, 9223372036854775807]) n;

create temp table one as select private.place_cursor('l', now(), test.id('alice')) as cursor;
grant select on one to public;
select is((select count(*) from one, generate_series(1, 88) n, unnest(string_to_array('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', null)) c
           where overlay(cursor placing c from n for 1) <> cursor and private.open_cursor('l', overlay(cursor placing c from n for 1)) is not null),
  0::bigint, 'with any letter changed it is none');
select is((select count(*) from sealed a, one where private.open_cursor('l', left(one.cursor, n) || substr(a.cursor, n + 1)) is not null), 0::bigint, 'nor made of two, cut at ' || n)
from unnest(array[22, 43, 64]) n;
select is(private.open_cursor('l', c), null, coalesce(quote_literal(left(c, 30)), 'null') || ' is none') from one, unnest(array[
  '', 'x', '6f1c2a1e-0000-4000-8000-000000000001', '00000000-0000-8000-8000-000000000000', cursor || 'A', cursor || '=', ' ' || cursor, cursor || e'\n', left(cursor, 87),
  left(cursor, 87) || 'é', repeat('A', 88)]) c;
select is(private.open_cursor(l, cursor), null, 'nor is it one of another list, ' || quote_literal(l)) from one, unnest(array['', 'm', 'l ', 'll']) l;
select isnt(private.open_cursor('l', cursor), null, 'while it is one of its own') from one;
-- contents of other lengths, of whose last letter some bits say nothing
create temp table lengths as select n, convert_to(repeat('x', n), 'UTF8') as content, private.seal('l', convert_to(repeat('x', n), 'UTF8')) as cursor from generate_series(0, 50) n;
select is((select count(*) from lengths where private.open('l', cursor) is distinct from content), 0::bigint, 'contents of any length come back');
select is((select count(*) from lengths, unnest(string_to_array('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', null)) c
           where c <> right(cursor, 1) and private.open('l', left(cursor, -1) || c) is not null), 0::bigint, 'and each has one spelling');
select test.act_as('bob');
select is(private.open_cursor('l', cursor), null, 'and not for anybody else') from one;
select throws_ok('select private.require_place(''l'', (select cursor from one))', 'PT400', 'cursor_unknown', 'who is told so');
select throws_ok('select hiding from private.cursor_keys', '42501', null, 'nobody may read the keys');
select test.act_as_owner();
select is((select count(distinct k) from private.cursor_keys, unnest(array[hiding, signing]) k where length(k) = 32), 2::bigint, 'of which there are two');

select test.act_as('alice');
select is(private.require_place('l', cursor), (now(), test.id('alice'))::app.place, 'a cursor of a list is a place') from one;
select is(private.require_place('l', '6f1c2a1e-0000-4000-8000-000000000001'), '(,6f1c2a1e-0000-4000-8000-000000000001)', 'or an id');
select is(private.require_place('l', null), '(,)', 'none is neither');
select throws_ok(format('select private.require_place(''l'', %L)', c), 'PT400', 'cursor_unknown', format('%L is no cursor', c))
from unnest(array['', 'x', repeat('A', 88)]) c;

select * from finish();
rollback;
