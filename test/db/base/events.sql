-- Domain events: which listeners are called, in which order, at once or soon. `npm run gen` writes the function that
-- calls the listeners of timing "at once" (test/files.test.ts), so this test writes one of its own.
begin;
select plan(11);
select test.people('alice');

create table pg_temp.heard (place serial, who text, what jsonb);
create function private.first_of_test(p_event jsonb) returns void language sql
  as $$ insert into pg_temp.heard (who, what) values ('first', p_event) $$;
create function private.second_of_test(p_event jsonb) returns void language plpgsql as $$
begin
  insert into pg_temp.heard (who, what) values ('second', p_event);
  if p_event ->> 'again' = 'yes' then
    perform private.emit('test.thing.done', '{"again": "no"}');
    insert into pg_temp.heard (who, what) values ('second after its own', p_event);
  end if;
end $$;
create function private.failing_of_test(p_event jsonb) returns void language plpgsql
  as $$ begin perform private.raise_error('cursor_unknown'); end $$;
create function pg_temp.heard() returns text language sql
  as $$ select string_agg(who || ' ' || (what ->> 'again'), ', ' order by place) from pg_temp.heard $$;

insert into private.event_types (name, payload, happens) values ('test.thing.done', '{again}', 'a test does a thing');
insert into private.event_listeners (event, listener, position) values
  ('test.thing.done', 'private.second_of_test', 500), ('test.thing.done', 'private.first_of_test', 200);
create or replace function private.dispatch_event(p_event text, p_payload jsonb) returns void language plpgsql as $$
begin
  perform private.first_of_test(p_payload);
  perform private.second_of_test(p_payload);
end $$;

select private.emit('test.thing.done', '{"again": "no"}');
select is(pg_temp.heard(), 'first no, second no', 'The listeners are called in the transaction of the event');
select is((select payload from app.domain_events where name = 'test.thing.done'), '{"again": "no"}', 'The outbox has the event');
delete from pg_temp.heard;
select private.emit('test.thing.done', '{"again": "yes"}');
select is(pg_temp.heard(), 'first yes, second yes, first no, second no, second after its own yes',
  'An event emitted by a listener is delivered before the next listener is called');

select throws_ok($$ insert into private.event_listeners (event, listener, position) values ('test.thing.done', 'private.x', 500) $$,
  '23505', null, 'Two listeners of an event can''t have the same position');
select throws_ok($$ insert into private.event_listeners (event, listener, position) values ('test.unknown', 'private.x', 500) $$,
  '23503', null, 'Nothing can listen to an unregistered event');
select throws_ok($$ insert into private.event_listeners (event, listener, position) values ('test.thing.done', 'x(); drop', 510) $$,
  '23514', null, 'A listener must be the name of a function in our schemas');

insert into private.event_listeners (event, listener, position, timing) values
  ('test.thing.done', 'private.failing_of_test', 600, 'soon');
create or replace function private.dispatch_event(p_event text, p_payload jsonb) returns void language plpgsql as $$
begin
  perform private.first_of_test(p_payload);
  perform private.failing_of_test(p_payload);
end $$;
delete from pg_temp.heard;
select throws_ok($$ select private.emit('test.thing.done', '{"again": "no"}') $$, 'PT400', 'cursor_unknown', 'A failing listener fails the statement that emitted the event');
select is(pg_temp.heard(), null, 'A failing listener rolls back what the other listeners did');

-- Timing "soon": as an effect (effects.sql)
create or replace function private.dispatch_event(p_event text, p_payload jsonb) returns void language plpgsql as $$
begin
  perform private.first_of_test(p_payload);
  perform private.second_of_test(p_payload);
end $$;
select lives_ok($$ select private.emit('test.thing.done', '{"again": "no"}', array[test.id('alice')]) $$, 'A listener of timing "soon" can''t fail the emitting statement');
select is(pg_temp.heard(), 'first no, second no', 'The listeners of timing "at once" are called as before');
select results_eq($$ select user_id, event, payload from private.effects $$,
  $$ select test.id('alice'), 'test.thing.done', '{"again": "no"}'::jsonb $$, 'The event waits for the listener as an effect');

select * from finish();
rollback;
