-- Pages of lists, and cursors.
begin;
select plan(62);
select test.people('alice', 'bob');
select test.act_as('alice');

select is(private.page('[1, 2]', array['a', 'b', 'c'], 2)::jsonb, '{"items": [1, 2], "nextCursor": "b", "hasMore": true}',
  'With one more row than the page holds, the cursor is that of the page''s last item');
select is(private.page('[1, 2]', array['a', 'b'], 2)::jsonb, '{"items": [1, 2], "nextCursor": null, "hasMore": false}',
  'A full page may be the last');
select is(private.page('[1]', array['a'], 2)::jsonb, '{"items": [1], "nextCursor": null, "hasMore": false}', 'A short page may be the last');
select is(private.page(null, '{}', 2)::jsonb, '{"items": [], "nextCursor": null, "hasMore": false}', 'An empty page has an empty array of items');
select set_eq($$ select json_object_keys(private.page(null, '{}', 2)) $$, array['items', 'nextCursor', 'hasMore'], 'A page has these fields');
select lives_ok('select private.page(null, ''{}'', 1)', 'The limit may be 1');
select lives_ok('select private.page(null, ''{}'', 50)', 'The limit may be 50');
select throws_ok(format('select private.page(null, %L, %L)', '{}', n), 'PT422', 'limit_out_of_range',
  format('A limit of %s is out of range', coalesce(n, 'null'))) from unnest(array['0', '51', '-1', null]) n;

select is(private.require_cursor('6f1c2a1e-0000-4000-8000-000000000001'), '6f1c2a1e-0000-4000-8000-000000000001'::uuid, 'A cursor may be an id');
select is(private.require_cursor(null), null, 'A null cursor stays null');
select throws_ok(format('select private.require_cursor(%L)', c), 'PT400', 'cursor_unknown', format('%L is not a valid cursor', c))
from unnest(array['', 'x', '1', '6f1c2a1e-0000-4000-8000-00000000000']) c;

-- A page that isn't full but has a next page
select is(private.page('[1]', array['a'], 2, 'p')::jsonb, '{"items": [1], "nextCursor": "p", "hasMore": true}',
  'A short page may have a next page');
select is(private.page(null, '{}', 2, 'p') ->> 'hasMore', 'true', 'An empty page may have a next page');
select is(private.page('[1, 2]', array['a', 'b', 'c'], 2, 'p') ->> 'nextCursor', 'b', 'The next page of a full page starts after its last item');

-- Sealed cursors
create temp table sealed as
select at, id, private.place_cursor('l', at, id) as cursor
from (select timestamptz '1900-01-01' + random() * interval '300 years' as at, gen_random_uuid() as id from generate_series(1, 300)
      union all select t, gen_random_uuid() from unnest(array['epoch', '1969-12-31 23:59:59.999999Z', '9999-12-30 00:00:00.000001Z']::timestamptz[]) t
      union all select now(), i from unnest(array['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']::uuid[]) i) p;
select is((select count(*) from sealed where cursor !~ '^[A-Za-z0-9_-]{88}$'), 0::bigint, 'The cursor of a place has 88 characters, whatever the place is');
select is((select count(*) from sealed where private.cursor_place('l', cursor) is distinct from (at, id)::app.place), 0::bigint, 'Opening the cursor returns the place, to the microsecond');
select is(private.cursor_place('l', null), '(,)', 'A null cursor opens as an empty place');
select isnt(private.place_cursor('l', 'epoch', test.id('alice')), private.place_cursor('l', 'epoch', test.id('alice')), 'Two cursors of the same place differ, so nobody can tell that it is the same');
select is((select count(*) from sealed a where exists (select from sealed b where b.id <> a.id and left(b.cursor, 12) = left(a.cursor, 12))), 0::bigint, 'Cursors of different places don''t share their first 12 characters');
select is(private.open_cursor('l', private.seal_cursor('l', n, test.id('alice'))), (n, test.id('alice'))::app.rank_place, 'A rank of ' || n || ' survives sealing')
from unnest(array[-9223372036854775808, -1, 0, 2147483647, 9223372036854775807]) n;

create temp table one as select private.place_cursor('l', now(), test.id('alice')) as cursor;
grant select on one to public;
select is((select count(*) from one, generate_series(1, 88) n, unnest(string_to_array('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', null)) c
           where overlay(cursor placing c from n for 1) <> cursor and private.open_cursor('l', overlay(cursor placing c from n for 1)) is not null),
  0::bigint, 'A cursor with any one character changed doesn''t open');
select is((select count(*) from sealed a, one where private.open_cursor('l', left(one.cursor, n) || substr(a.cursor, n + 1)) is not null), 0::bigint, 'A cursor spliced from two at character ' || n || ' doesn''t open')
from unnest(array[22, 43, 64]) n;
select is(private.open_cursor('l', c), null, coalesce(quote_literal(left(c, 30)), 'null') || ' doesn''t open') from one, unnest(array[
  '', 'x', '6f1c2a1e-0000-4000-8000-000000000001', '00000000-0000-8000-8000-000000000000', cursor || 'A', cursor || '=', ' ' || cursor, cursor || e'\n', left(cursor, 87),
  left(cursor, 87) || 'é', repeat('A', 88)]) c;
select is(private.open_cursor(l, cursor), null, 'A cursor doesn''t open for another list, ' || quote_literal(l)) from one, unnest(array['', 'm', 'l ', 'll']) l;
select isnt(private.open_cursor('l', cursor), null, 'A cursor opens for its own list') from one;
-- Contents of other lengths, whose last character has unused bits
create temp table lengths as select n, convert_to(repeat('x', n), 'UTF8') as content, private.seal('l', convert_to(repeat('x', n), 'UTF8')) as cursor from generate_series(0, 50) n;
select is((select count(*) from lengths where private.open('l', cursor) is distinct from content), 0::bigint, 'Contents of any length survive sealing');
select is((select count(*) from lengths, unnest(string_to_array('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', null)) c
           where c <> right(cursor, 1) and private.open('l', left(cursor, -1) || c) is not null), 0::bigint, 'A cursor with another last character doesn''t open');
select test.act_as('bob');
select is(private.open_cursor('l', cursor), null, 'A cursor doesn''t open for another person') from one;
select throws_ok('select private.require_place(''l'', (select cursor from one))', 'PT400', 'cursor_unknown', 'Using another person''s cursor fails with cursor_unknown');
select throws_ok('select hiding from private.cursor_keys', '42501', null, 'Nobody can read the keys');
select test.act_as_owner();
select is((select count(distinct k) from private.cursor_keys, unnest(array[hiding, signing]) k where length(k) = 32), 2::bigint, 'There are two keys of 32 bytes');

select test.act_as('alice');
select is(private.require_place('l', cursor), (now(), test.id('alice'))::app.place, 'require_place accepts a cursor of the list') from one;
select is(private.require_place('l', '6f1c2a1e-0000-4000-8000-000000000001'), '(,6f1c2a1e-0000-4000-8000-000000000001)', 'require_place accepts an id');
select is(private.require_place('l', null), '(,)', 'require_place accepts null');
select throws_ok(format('select private.require_place(''l'', %L)', c), 'PT400', 'cursor_unknown', format('require_place refuses %L', c))
from unnest(array['', 'x', repeat('A', 88)]) c;

select * from finish();
rollback;
