-- Marking thousands as read: the newest in the same transaction, the others by the worker.
begin;
select plan(11);
select test.people('alice', 'bob');
create function pg_temp.unread(p_group text default null) returns integer language sql security definer as $$
  select count(*)::integer from app.notifications
  where user_id = test.id('alice') and read_at is null and group_key = coalesce(p_group, group_key) $$;
create function pg_temp.work() returns integer language plpgsql security definer as $$
declare v_job record; v_done json; v_changed integer := 0;
begin
  for v_job in delete from pgboss.job where name = 'read-notifications' returning data loop
    v_done := '{"next": null}';
    loop
      v_done := private.mark_earlier_read(v_job.data, (v_done ->> 'next')::uuid);
      v_changed := v_changed + (v_done ->> 'changed')::integer;
      exit when v_done ->> 'next' is null;
    end loop;
  end loop;
  return v_changed;
end $$;
grant execute on all functions in schema pg_temp to public;
insert into app.notifications (user_id, kind, group_key, created_at)
select test.id(p), 'payment.received', g, now() - n * interval '1 second'
from generate_series(1, 800) n, unnest('{one,other}'::text[]) g, unnest('{alice,bob}'::text[]) p;

select test.act_as('alice');
select is(api.count_unread() ->> 'count', '1000', 'The unread count is at most 1000');
select is(api.mark_read(p_group_key => 'one') ->> 'count', '1000', 'The count in the answer is at most 1000 too');
select is(pg_temp.unread('one'), 300, '500 notifications of a group are marked in the same transaction');
select is(pg_temp.work(), 300, 'The worker marks the others');
select is(pg_temp.unread(), 800, 'Another group stays unread');
select api.mark_read(p_before => now() - interval '100 seconds');
select is(pg_temp.unread(), 300, '500 notifications before a time are marked in the same transaction');
select is(pg_temp.work(), 200, 'The worker marks the other notifications before the time');
select is(pg_temp.unread(), 100, 'Notifications after the time stay unread');
select is(api.mark_read(p_before => now() + interval '1 second') ->> 'count', '0', 'A few notifications are all marked in the same transaction');
select is(pg_temp.work(), 0, 'Nothing is left for the worker');
select throws_ok($$ select api.mark_read(array(select gen_random_uuid() from generate_series(1, 101))) $$,
  'PT422', 'read_selection', 'At most 100 ids can be marked');

select * from finish();
rollback;
