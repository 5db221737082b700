-- Pages of lists, and cursors.
begin;
select plan(48);
select test.people('alice');
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
select is(private.page('[1]', array['a'], 2, '00000000-0000-8000-8000-000000000000')::jsonb,
  '{"items": [1], "nextCursor": "00000000-0000-8000-8000-000000000000", "hasMore": true}', 'a short page may have a next one');
select is(private.page(null, '{}', 2, '00000000-0000-8000-8000-000000000000') ->> 'hasMore', 'true', 'and so may an empty one');
select is(private.page('[1, 2]', array['a', 'b', 'c'], 2, '00000000-0000-8000-8000-000000000000') ->> 'nextCursor', 'b',
  'a full one goes on behind its last item');

-- places
select test.act_as_owner();
create temp table places as
select at, id, private.place_cursor(at, id) as cursor
from (select timestamptz '2026-01-01' + random() * interval '20 years' as at, gen_random_uuid() as id from generate_series(1, 400)
      union all select now(), gen_random_uuid() from generate_series(1, 100)
      union all select t, gen_random_uuid() from unnest(array['1970-01-01Z', '2262-04-11 23:47:16.854775Z']::timestamptz[]) t) p;
select is((select count(*) from places where substr(cursor::text, 15, 1) <> '8' or cursor::text !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'),
  0::bigint, 'a place is a UUID of version 8');
select is((select count(*) from places where (private.cursor_place(cursor)).at <> at), 0::bigint, 'its moment comes back to the microsecond');
select is((select count(*) from places where (at, id) < private.cursor_place(cursor)), 0::bigint, 'going down its own row is not met again');
select is((select count(*) from places where (at, id) > private.cursor_place(cursor, true)), 0::bigint, 'nor going up');
select is((select count(*) from places a, (select *, private.cursor_place(cursor) as place from places where at = now() limit 20 offset 0) b
           where a.id <> b.id and ((a.at, a.id) < (b.at, b.id)) <> ((a.at, a.id) < b.place)), 0::bigint,
  'going down all others are, and no more');
select is((select count(*) from places a, (select *, private.cursor_place(cursor, true) as place from places where at = now() limit 20 offset 0) b
           where a.id <> b.id and ((a.at, a.id) > (b.at, b.id)) <> ((a.at, a.id) > b.place)), 0::bigint,
  'and so they are going up');
select is((select count(*) from (select at, cursor, lag(at) over o as earlier, lag(cursor) over o as before from places window o as (order by at, id)) p
           where at > earlier and cursor <= before),
  0::bigint, 'cursors are in the order of their moments');
-- four digits may be the same by chance: 16 bits, of 500 ids
select cmp_ok((select count(*) from places where strpos(cursor::text, left(id::text, 4)) > 0), '<', 10::bigint, 'none has the id of its row');
select is((select count(distinct masked) from (select private.masked_place(to_hex(n), repeat('0', 15)) as masked from generate_series(1, 1000) n) m),
  1000::bigint, 'whose mask is another for each moment');
select test.act_as('alice');
select throws_ok('select key from private.place_key', '42501', null, 'and nobody may read it');
select test.act_as_owner();
select is(private.cursor_place(null), null, 'no cursor is no place');
select is(private.cursor_place(c::uuid), null, c || ' is none') from unnest(array[
  '6f1c2a1e-0000-4000-8000-000000000001', '6f1c2a1e-0000-7000-8000-000000000001', '6f1c2a1e-0000-8000-9000-000000000001',
  'ffffffff-ffff-ffff-ffff-ffffffffffff', '00000000-0000-0000-0000-000000000000']) c;
select is((private.cursor_place('ffffffff-ffff-8fff-8fff-ffffffffffff')).at > now(), true, 'the last of all is a moment too');
select is((private.cursor_place('00000000-0000-8000-8000-000000000000')).at, timestamptz 'epoch', 'and the first');
select is((private.cursor_place(private.place_cursor(t, gen_random_uuid()))).at is not null, true, t || ' is cut off')
from unnest(array['infinity', '-infinity']::timestamptz[]) t;

-- places by a number: of one millisecond, where 8 random bits beside the time were not enough
create temp table ranks as
select rank, id, private.rank_cursor(rank, id) as cursor
from (select n % 3 - 1 as rank, ('0199aaaa-bbbb-7ccc-8' || lpad(to_hex(n * 7 % 512), 3, '0') || '-aaaaaaaaaaaa')::uuid as id from generate_series(1, 300) n
      union all select r, private.timed_id() from unnest(array[-2147483648, 0, 2147483647]) r, generate_series(1, 5)) p;
select is((select count(*) from ranks where substr(cursor::text, 15, 1) <> '8' or substr(cursor::text, 20, 1) <> '8' or (private.cursor_rank(cursor)).rank <> rank), 0::bigint,
  'the number comes back');
select is((select count(*) from ranks a, (select r.rank, r.id, (private.cursor_rank(r.cursor)).* from ranks r offset 0) b (rank, id, place_rank, place_id)
           where ((a.rank, a.id) < (b.rank, b.id)) <> ((a.rank, a.id) < (b.place_rank, b.place_id))), 0::bigint,
  'all others of one millisecond are met, and no more');
select is((select count(distinct right(cursor::text, 12)) from ranks), 315::bigint, 'each is masked in its own way');
select is(private.cursor_rank(null), null, 'no cursor is no number');
select is(private.cursor_rank(c::uuid), null, c || ' has none') from unnest(array['6f1c2a1e-0000-7000-8000-000000000001', 'ffffffff-ffff-ffff-ffff-ffffffffffff']) c;
select is((private.cursor_rank(c::uuid)).rank, r, c || ' has one') from (values ('00000000-0000-8000-8000-000000000000', -2147483648), ('ffffffff-ffff-8fff-8fff-ffffffffffff', 2147483647)) w (c, r);

select * from finish();
rollback;
