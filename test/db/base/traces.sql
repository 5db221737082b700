-- The trace of a request: its jobs and effects have it.
begin;
select plan(11);
select test.people('alice');
select test.settle();

create function pg_temp.send(p_traceparent text) returns void language sql
  as $$ select set_config('request.headers', json_build_object('traceparent', p_traceparent)::text, true) $$;
create function pg_temp.trace(p_flags text default '01') returns text language sql
  as $$ select '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-' || p_flags $$;
create function pg_temp.jobs() returns setof text language sql volatile security definer
  as $$ delete from pgboss.job where name = 'mail' returning data ->> 'traceparent' $$;
create function pg_temp.effects() returns setof uuid language sql volatile security definer
  as $$ delete from private.effects where user_id = test.id('alice') returning trace_id $$;
insert into private.event_types (name, payload, happens) values ('test.thing.done', '{what}', 'a test does a thing');
create function private.hear_of_test(p_effects private.effects[]) returns void language sql as $$ select $$;
insert into private.event_listeners (event, listener, position, timing) values
  ('test.thing.done', 'private.hear_of_test', 500, 'soon');
create function pg_temp.work() returns void language sql volatile security definer as $$
  select private.enqueue('mail', '{"resetId": "1"}');
  select private.emit('test.thing.done', '{"what": "1"}', array[test.id('alice')]) $$;

select set_config('request.headers', '', true);
select is(private.traceparent(), null, 'There is no trace without headers');
select set_config('request.headers', '{"x-forwarded-for": "203.0.113.1"}', true);
select is(private.traceparent(), null, 'There is no trace without its header');
select pg_temp.work();
select results_eq('select pg_temp.jobs()', array[null::text], 'A job of a request without a trace has no trace');
select results_eq('select pg_temp.effects()', array[null::uuid],
  'An effect of a request without a trace has no trace');

select pg_temp.send(pg_temp.trace());
select is(private.traceparent(), pg_temp.trace(), 'The trace is that of the header');
select pg_temp.work();
select results_eq('select pg_temp.jobs()', array[pg_temp.trace()], 'A job has the trace of its request');
select results_eq('select pg_temp.effects()', array['0af76519-16cd-43dd-8448-eb211c80319c'::uuid],
  'An effect has the id of the trace of its request');

select private.enqueue('mail', json_build_object('resetId', 1, 'traceparent', pg_temp.trace('00')));
select results_eq('select pg_temp.jobs()', array[pg_temp.trace('00')], 'A job that is queued again keeps its trace');

select pg_temp.send(t) from unnest(array[pg_temp.trace() || '; drop']) t;
select is(private.traceparent(), null, 'A trace with more in its header is ignored');
select pg_temp.send(upper(pg_temp.trace()));
select is(private.traceparent(), null, 'A trace in upper case is ignored');
select pg_temp.work();
select results_eq('select pg_temp.jobs()', array[null::text], 'A job does not get an invalid trace');

select * from finish();
rollback;
