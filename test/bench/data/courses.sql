-- Courses with a price and three lessons, and one student each.
insert into app.contents (id, kind, author_id, title, created_at)
select bench.numbered('9', n), 'course', bench.person(9001 + n % 1000), 'How to read', now() - n * interval '1 second'
from generate_series(:from, :to) n;
insert into app.courses (id, summary, depth, price_mana, lesson_count, enrolled_count, published_at)
select bench.numbered('9', n), 'Slowly.', 1, 1, 3, 1, now() from generate_series(:from, :to) n;
insert into app.course_lessons (course_id, position, title, body)
select bench.numbered('9', n), i, 'Slower', 'Slower than that.' from generate_series(:from, :to) n, generate_series(1, 3) i;
insert into app.course_enrolments (course_id, user_id, price_mana, created_at)
select bench.numbered('9', n), bench.person(1), 1, now() - n * interval '1 second' from generate_series(:from, :to) n;
