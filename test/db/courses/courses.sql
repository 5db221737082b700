-- Courses: who can read and write them, by the operations and without them.
begin;
select plan(23);
select test.people('alice', 'bob', 'carla');

create temp table made (name text primary key, id uuid);
grant all on made to public;
create function pg_temp.id(p_name text) returns uuid language sql stable as $$ select id from made where name = p_name $$;
grant execute on all functions in schema pg_temp to public;

-- Acting as Alice
select test.act_as('alice');
insert into made select 'course', (api.create_course('Course', 'Summary', 3, 4) ->> 'id')::uuid;
insert into made select 'lesson', (api.create_course_lesson(pg_temp.id('course'), 'Lesson', 'Secret') ->> 'id')::uuid;
select throws_ok(format('select api.create_course(%L, %L, %s, %s)', 'x', 'x', d, p), 'PT422', c, 'A course is refused with ' || c || ': ' || d || ' ' || p)
from (values ('course_depth', '-1', '0'), ('course_depth', '70000', '0'), ('course_depth', 'null', '0'), ('course_price', '0', '-1'), ('course_price', '0', '100001')) v (c, d, p);
select throws_ok($$ select api.update_course(pg_temp.id('course'), '{"depth": 6}') $$, 'PT422', 'course_depth', 'A depth out of range is refused in a change too');
select throws_ok($$ select api.create_course_lesson(pg_temp.id('course'), 'x', 'x', p_minutes => 1441) $$, 'PT422', 'lesson_minutes', 'A lesson lasts at most a day');
select throws_ok($$ select api.list_my_courses('x') $$, 'PT422', 'course_role', 'An unknown role is refused');
select throws_ok($$ select api.set_course_progress(pg_temp.id('course'), pg_temp.id('lesson'), null) $$, 'PT422', 'value_invalid', 'A null progress is refused');
select throws_ok($$ select * from app.course_lessons $$, '42501', null, 'Nobody can read the table of lessons');
select throws_ok($$ update app.courses set price_mana = 0 $$, '42501', null, 'Nobody can write the table of courses');
select throws_ok($$ insert into app.course_enrolments (course_id, user_id, price_mana) values (pg_temp.id('course'), test.id('alice'), 0) $$, '42501', null, 'Nobody can insert an enrolment directly');
select api.publish_course(pg_temp.id('course'));

-- Acting as Bob, a student
select test.act_as('bob');
select is((select count(*) from app.courses)::int, 1, 'A person who sees the content sees the course');
select throws_ok(format('select api.enrol_course(pg_temp.id(''course'')%s)', p), 'PT409', 'price_changed', 'A student must name the current price, not' || p)
from unnest(array['', ', 0', ', 3', ', null']) p;
select is(api.enrol_course(pg_temp.id('course'), 4) ->> 'enrolledCount', '1', 'A student can enrol at the current price');
select is((select balance from app.wallets where user_id = test.id('bob'))::int, 46, 'The price is paid from the student''s wallet');
select is(api.get_course_lesson(pg_temp.id('course'), pg_temp.id('lesson')) ->> 'body', 'Secret', 'A student can read the lessons');

-- Acting as Carla, a stranger
select test.act_as('carla');
select is((select count(*) from app.course_enrolments)::int, 0, 'People see only their own enrolments');
select test.act_as_owner();
select results_eq($$ select e.amount from app.mana_entries e join app.mana_transactions t on t.id = e.transaction_id
                     where t.kind = 'enrolment' order by e.amount $$, array[-4, 4], 'An enrolment is a ledger transaction of its own kind');
select throws_ok(format($$ do $do$ begin update app.courses set lesson_count = 200; perform set_config('request.jwt.claims', %L, true);
                          perform private.add_lesson(%L, null); end $do$ $$, json_build_object('sub', test.id('alice')), pg_temp.id('course')),
                 'PT409', 'lessons_exhausted', 'A course has at most 200 lessons');

select * from finish();
rollback;
