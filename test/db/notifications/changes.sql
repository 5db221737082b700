-- Catching up: what arrived or changed since a time, even if the transaction that changed it took long.
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
  'A notification changed long before its commit gets a new time at the commit');
alter table app.notifications disable trigger user;
update app.notifications set updated_at = now() - interval '1 hour' + right(group_key, 1)::int * interval '1 minute';

select test.act_as('alice');
select is(pg_temp.keys(pg_temp.since(now() - interval '58 minutes')), '{n2,n3,n4,n5}', 'The oldest change comes first');
select is(pg_temp.keys(pg_temp.since(now() - interval '58 minutes' + interval '2 seconds')), '{n2,n3,n4,n5}', 'Changes up to three seconds before the given time are included');
select is(pg_temp.keys(pg_temp.since(now() - interval '58 minutes' + interval '4 seconds')), '{n3,n4,n5}', 'Older changes are not included');
select results_eq(
  $$ with recursive pages as (
       select pg_temp.since('epoch', null, 2) as page
       union all
       select pg_temp.since('epoch', page ->> 'nextCursor', 2) from pages where (page ->> 'hasMore')::boolean)
     select k from pages, unnest(pg_temp.keys(page)) k $$, $$ values ('n1'), ('n2'), ('n3'), ('n4'), ('n5') $$, 'The pages together have each change once');
select throws_ok($$ select pg_temp.since('epoch', gen_random_uuid()::text) $$, 'PT400', 'cursor_unknown', 'An invented cursor is refused');
select throws_ok($$ select pg_temp.since('epoch', 'x') $$, 'PT400', 'cursor_unknown', 'A malformed cursor is refused');

select test.act_as_owner();
alter table app.notifications enable trigger user;
update app.notifications set read_at = now() where group_key = 'n1';
select test.act_as('alice');
select is((pg_temp.keys(pg_temp.since('epoch')))[5], 'n1', 'A changed notification moves to the end');
select test.act_as_owner();
update app.notifications set in_app = false;
select test.act_as('alice');
select is(pg_temp.keys(pg_temp.since('epoch')), '{}', 'Notifications outside the inbox are not listed as changes');

select * from finish();
rollback;
