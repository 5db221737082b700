-- Pages of lists, and cursors.
begin;
select plan(17);
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

select * from finish();
rollback;
