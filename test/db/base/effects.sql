-- Effects, which an event causes for other people: who gets one, who applies it, in which order, that it is applied
-- once, and what an error does.
begin;
select plan(49);
select test.people('alice', 'bob', 'carla', 'dave');
select test.settle();

create table pg_temp.heard (place serial, call bigint, listener text, person text, what text);
create sequence pg_temp.calls;
create table pg_temp.faults (what text);
create function private.hear_of_test(p_listener text, p_effects private.effects[]) returns void language sql as $$
  with c as materialized (select nextval('pg_temp.calls') as call)
  insert into pg_temp.heard (call, listener, person, what)
  select c.call, p_listener, u.username, e.payload ->> 'what'
  from c, unnest(p_effects) with ordinality as e (user_id, id, event, payload, caused_at, event_id, trace_id, place)
  left join app.users u on u.id = e.user_id
  order by e.place $$;
create function private.first_of_test(p_effects private.effects[]) returns void language sql
  as $$ select private.hear_of_test('first', p_effects) $$;
create function private.second_of_test(p_effects private.effects[]) returns void language plpgsql as $$
begin
  perform private.hear_of_test('second', p_effects);
  perform private.emit('test.thing.followed', json_build_object('what', 'after ' || (e.payload ->> 'what')), array[e.user_id])
  from unnest(p_effects) e where e.payload ->> 'what' = 'more';
  if exists (select from unnest(p_effects) e join pg_temp.faults f on f.what = e.payload ->> 'what') then
    raise exception 'a fault';
  end if;
end $$;
create function private.third_of_test(p_effects private.effects[]) returns void language sql
  as $$ select private.hear_of_test('third', p_effects) $$;
create function private.prompt_of_test(p_event jsonb) returns void language sql as $$ select $$;
insert into private.event_types (name, payload, happens) values
  ('test.thing.done', '{what}', 'a test does a thing'), ('test.thing.followed', '{what}', 'a thing follows from it'),
  ('test.thing.over', '{what}', 'of which no listener has the timing "soon"');
insert into private.event_listeners (event, listener, position, timing) values
  ('test.thing.done', 'private.second_of_test', 500, 'soon'), ('test.thing.done', 'private.first_of_test', 300, 'soon'),
  ('test.thing.followed', 'private.third_of_test', 600, 'soon'), ('test.thing.over', 'private.prompt_of_test', 200, 'at once');

-- The helpers run as the owner, because switching to another caller would apply pending effects
create function pg_temp.happens(p_what text, variadic p_names text[]) returns void language sql volatile security definer as $$
  select private.emit('test.thing.done', json_build_object('what', p_what), array(select test.id(n) from unnest(p_names) n)) $$;
create function pg_temp.waits() returns text language sql volatile security definer as $$
  select string_agg(concat_ws(' ', u.username, e.payload ->> 'what'), ', ' order by u.username, e.id)
  from private.effects e left join app.users u on u.id = e.user_id $$;
create function pg_temp.heard(p_listener text, p_name text) returns text language sql volatile security definer as $$
  select string_agg(what, ' ' order by place) from pg_temp.heard where listener = p_listener and person = p_name $$;
create function pg_temp.forget() returns void language sql volatile security definer as $$ delete from pg_temp.heard $$;
create function pg_temp.break(p_what text) returns void language sql volatile security definer
  as $$ insert into pg_temp.faults values (p_what) $$;
create function pg_temp.mend() returns void language sql volatile security definer as $$ delete from pg_temp.faults $$;
create function pg_temp.apply() returns jsonb language sql volatile as $$ select private.apply_effects()::jsonb - 'stuck' $$;
create function pg_temp.applied(p_applied integer, p_failed integer default 0) returns jsonb language sql
  as $$ select jsonb_build_object('applied', p_applied, 'failed', p_failed, 'next', null) $$;
create function pg_temp.stuck() returns text language sql volatile security definer as $$
  select string_agg(concat_ws(' ', u.username, s.attempts, s.message), ', ') from private.stuck_effects s join app.users u on u.id = s.user_id $$;
create function pg_temp.where_stuck() returns text language sql volatile security definer as $$
  select concat_ws(' ', s.event, s.listener, d.payload ->> 'what', e.payload ->> 'what')
  from private.stuck_effects s left join app.domain_events d on d.id = s.event_id
  left join private.effects e on e.user_id = s.user_id and e.id = s.effect_id $$;
create function pg_temp.context() returns text language sql volatile security definer as $$ select context from private.stuck_effects $$;
create function pg_temp.make_due(p_attempts integer) returns void language sql volatile security definer
  as $$ update private.stuck_effects set retry_at = now(), attempts = p_attempts $$;
-- Tries again, and returns whether the next attempt is scheduled after this interval
create function pg_temp.is_put_off(p_time interval) returns boolean language plpgsql volatile security definer as $$
declare
  v_start timestamptz := clock_timestamp();
begin
  perform private.apply_effects();
  return (select s.retry_at between v_start + p_time and clock_timestamp() + p_time from private.stuck_effects s);
end $$;
create function pg_temp.catch_up(p_name text) returns void language sql volatile security definer as $$ select private.catch_up(test.id(p_name)) $$;
create function pg_temp.lock(variadic p_names text[]) returns void language sql volatile security definer
  as $$ select private.lock_effects(variadic array(select test.id(n) from unnest(p_names) n)) $$;
create function pg_temp.is_locked(p_name text) returns boolean language sql volatile security definer as $$
  select exists (select from pg_locks l where l.locktype = 'advisory' and l.pid = pg_backend_pid()
                   and (l.classid::bigint << 32) | l.objid::bigint = private.effects_key(test.id(p_name))) $$;
create function pg_temp.over() returns void language sql volatile security definer
  as $$ select private.emit('test.thing.over', '{"what": "over"}', array[test.id('alice')]) $$;
create function pg_temp.calls() returns text language sql volatile security definer as $$
  select string_agg(distinct h.call - m.call || ' ' || h.listener, ', ') from pg_temp.heard h, (select min(call) as call from pg_temp.heard) m $$;
create function pg_temp.happens_to_many() returns void language sql volatile security definer as $$
  select private.emit('test.thing.done', '{"what": "much"}', array(select gen_random_uuid() from generate_series(1, 1400))) $$;
grant execute on all functions in schema pg_temp to public;

-- Permissions: only the worker can apply effects, and only by the function
select throws_ok(s, '42501', null, 'A person can''t run: ' || s) from test.act_as('alice'), unnest(array[
  'select private.apply_effects()', 'select * from private.effects', 'select * from private.stuck_effects',
  'select private.apply_effects_of(array[app.uid()])', 'select private.add_effects(''test.thing.done'', ''{}'', array[app.uid()])']) s;
select throws_ok('select private.apply_effects()', '42501', null, 'An anonymous visitor can''t apply effects') from test.act_as_anon();
select throws_ok('select private.apply_effects()', '42501', null, 'Staff can''t apply effects') from test.act_as_service();
select throws_ok(s, '42501', null, 'The worker can''t run: ' || s) from test.act('worker', null), unnest(array[
  'select * from private.effects', 'delete from private.effects', 'select * from private.stuck_effects']) s;

-- Acting as the worker: who gets an effect
select pg_temp.happens('one', 'alice', 'bob', 'alice', 'nobody');
select is(pg_temp.waits(), 'alice one, bob one', 'An event leaves one effect for each person concerned');
select pg_temp.happens('unheard', variadic '{}');
select is(pg_temp.waits(), 'alice one, bob one', 'An event that concerns nobody leaves no effect');
select pg_temp.over();
select is(pg_temp.waits(), 'alice one, bob one', 'An event without a listener of timing "soon" leaves no effect');
select is(pg_temp.heard('first', 'alice'), null, 'Listeners of timing "soon" are not called with the event');
do $$
begin
  perform pg_temp.happens('undone', 'carla');
  raise exception 'undone';
exception when others then null;
end $$;
select is(pg_temp.waits(), 'alice one, bob one', 'The effects of an event that is rolled back are rolled back with it');

-- Applying: many at once, in order, once
select pg_temp.happens('two', 'bob', 'alice'), pg_temp.happens('three', 'alice');
select is(pg_temp.apply(), pg_temp.applied(5), 'The worker applies everything that is waiting');
select is(pg_temp.waits(), null, 'Nothing is waiting afterwards');
select is(pg_temp.heard(l, p), h, format('Listener %s receives the effects of %s in order', l, p))
from (values ('first', 'alice', 'one two three'), ('first', 'bob', 'one two'), ('second', 'alice', 'one two three'), ('second', 'bob', 'one two'))
  c (l, p, h);
select is(pg_temp.calls(), '0 first, 1 second', 'Each listener is called once with all effects, in the order of the positions');
select pg_temp.forget();
select is(pg_temp.apply(), pg_temp.applied(0), 'Applying again applies nothing');
select pg_temp.happens('more', 'alice');
select is(pg_temp.apply(), pg_temp.applied(2), 'An event that a listener emits is applied in the same run');
select is(pg_temp.heard('third', 'alice'), 'after more', 'The emitted effect is applied after its cause');

-- An error: that person's effects wait, and those of others continue
select pg_temp.forget(), pg_temp.break('bad'), pg_temp.happens('fine', 'alice'), pg_temp.happens('bad', 'bob'), pg_temp.happens('fine', 'bob', 'carla');
select is(pg_temp.apply(), pg_temp.applied(2, 1), 'An error fails only the effects of that person');
select is(pg_temp.heard('second', 'alice') || ' ' || pg_temp.heard('second', 'carla'), 'fine fine', 'The listener applies the effects of others exactly once');
select is(pg_temp.heard('first', 'bob'), null, 'The work of other listeners for that person is rolled back');
select is(pg_temp.waits(), 'bob bad, bob fine', 'All effects of that person are still waiting');
select is(pg_temp.stuck(), 'bob 1 P0001 a fault', 'The person is recorded as stuck, with the error');
select is(pg_temp.where_stuck(), 'test.thing.done private.second_of_test bad bad', 'The record has the listener, the event and the effect');
select matches(pg_temp.context(), '^PL/pgSQL function private\.second_of_test\(private\.effects\[\]\) line 7 at RAISE\nPL/pgSQL function ',
  'The record has the functions that were running');
select doesnt_match(pg_temp.context(), 'select|SQL statement', 'The record has no SQL, because literals may contain people''s texts');
select pg_temp.happens('later', 'bob'), pg_temp.happens('later', 'carla');
select is(pg_temp.apply(), pg_temp.applied(1), 'Stuck people are skipped until their next attempt');
select pg_temp.make_due(1);
select is(pg_temp.is_put_off('10 seconds'), true, 'A second failure doubles the delay');
select is(pg_temp.stuck(), 'bob 2 P0001 a fault', 'The attempts are counted');
select pg_temp.make_due(30);
select is(pg_temp.is_put_off('1 hour'), true, 'The delay is at most an hour');
select lives_ok($$ select pg_temp.catch_up('bob') $$, 'catch_up doesn''t fail when effects of the person fail');
select is(pg_temp.waits(), 'bob bad, bob fine, bob later', 'The failing effects are still waiting');
select pg_temp.mend(), pg_temp.make_due(2);
select is(pg_temp.apply(), pg_temp.applied(3), 'Once the cause is fixed, everything is applied');
select is(pg_temp.heard('second', 'bob'), 'bad fine later', 'Once the cause is fixed, effects are applied in order');
select is(pg_temp.stuck(), null, 'Nobody is stuck any more');
select pg_temp.forget(), pg_temp.break('bad'), pg_temp.happens('fine', 'bob'), pg_temp.happens('bad', 'bob'), pg_temp.happens('later', 'bob');
select is(pg_temp.apply() || jsonb_build_object('waits', pg_temp.waits()), pg_temp.applied(1, 1) || '{"waits": "bob bad, bob later"}',
  'The effects before the failing one are applied');
select pg_temp.mend(), pg_temp.make_due(1), pg_temp.apply();

-- Catching up
select pg_temp.forget(), pg_temp.catch_up('dave');
select is(pg_temp.is_locked('dave'), false, 'Catching up with nothing takes no lock');
select pg_temp.happens('now', 'dave', 'carla'), pg_temp.catch_up('dave');
select is(pg_temp.heard('first', 'dave') || ' ' || pg_temp.is_locked('dave'), 'now true', 'Catching up applies what is waiting, under the lock');
select is(pg_temp.waits(), 'carla now', 'Catching up leaves the effects of others waiting');
select pg_temp.happens('then', 'alice'), pg_temp.lock('alice', 'carla');
select is(pg_temp.waits(), null, 'Locking people applies what is waiting for them');

-- More than 500: in batches
select pg_temp.happens_to_many();
create temp table step as select pg_temp.apply() as done;
select is((select done ->> 'applied' || ' ' || (done ->> 'next' is not null) from step), '500 true', 'A call applies at most 500 people''s effects');
update step set done = private.apply_effects((done ->> 'next')::uuid);
select is(private.apply_effects((select (done ->> 'next')::uuid from step))::jsonb - 'stuck', pg_temp.applied(400), 'Later calls continue where the previous one stopped');

select * from finish();
rollback;
