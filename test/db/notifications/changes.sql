-- Catching up: what has come or changed since a moment, however long the transaction took that changed it.
begin;
select plan(9);
select test.people('alice', 'bob');
create function pg_temp.since(p_since timestamptz, p_cursor text default null, p_limit integer default 50) returns jsonb
language sql as $$ select api.list_notifications(p_limit, p_cursor, p_since)::jsonb $$;
create function pg_temp.keys(p_page jsonb) returns text[] language sql as $$
  select array(select i ->> 'groupKey' from jsonb_array_elements(p_page -> 'items') i) $$;
grant execute on all functions in schema pg_temp to public;

insert into app.notifications (user_id, kind, group_key, created_at, updated_at)
select test.id(p), 'payment.received', 'n' || n, now() - interval '2 hours', now() - interval '1 hour' + n * interval '1 minute'
from generate_series(1, 5) n, unnest('{alice,bob}'::text[]) p;

set constraints all immediate;
select is((select count(*) from app.notifications where updated_at > clock_timestamp() - interval '10 seconds'), 10::bigint,
  'what was noted long before its commit is noted anew');
alter table app.notifications disable trigger user;
update app.notifications set updated_at = now() - interval '1 hour' + right(group_key, 1)::int * interval '1 minute';

select test.act_as('alice');
select is(pg_temp.keys(pg_temp.since(now() - interval '58 minutes')), '{n2,n3,n4,n5}', 'the oldest change comes first');
select is(pg_temp.keys(pg_temp.since(now() - interval '58 minutes' + interval '2 seconds')), '{n2,n3,n4,n5}', 'with three seconds more than asked for');
select is(pg_temp.keys(pg_temp.since(now() - interval '58 minutes' + interval '4 seconds')), '{n3,n4,n5}', 'and no more');
select results_eq(
  $$ with recursive pages as (
       select pg_temp.since('epoch', null, 2) as page
       union all
       select pg_temp.since('epoch', page ->> 'nextCursor', 2) from pages where (page ->> 'hasMore')::boolean)
     select k from pages, unnest(pg_temp.keys(page)) k $$, $$ values ('n1'), ('n2'), ('n3'), ('n4'), ('n5') $$, 'a walk gives each once');
select throws_ok($$ select pg_temp.since('epoch', gen_random_uuid()::text) $$, 'PT400', 'cursor_unknown', 'a cursor is a place');
select throws_ok($$ select pg_temp.since('epoch', 'x') $$, 'PT400', 'cursor_unknown', 'and nothing else');

select test.act_as_owner();
alter table app.notifications enable trigger user;
update app.notifications set read_at = now() where group_key = 'n1';
select test.act_as('alice');
select is((pg_temp.keys(pg_temp.since('epoch')))[5], 'n1', 'what changes goes to the end');
select test.act_as_owner();
update app.notifications set in_app = false;
select test.act_as('alice');
select is(pg_temp.keys(pg_temp.since('epoch')), '{}', 'what is not in the inbox is no change of it');

select * from finish();
rollback;
