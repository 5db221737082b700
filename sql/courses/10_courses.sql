-- Courses are a kind of content that students read lesson by lesson, free or for mana. The columns that all kinds have
-- are in app.contents. docs/decisions.md, Contents; Courses.

create table app.courses (
  id             uuid primary key references app.contents on delete cascade,
  summary        app.markdown not null,
  depth          smallint not null,
  price_mana     integer not null,
  lesson_count   integer not null default 0 check (lesson_count between 0 and 200),
  enrolled_count integer not null default 0 check (enrolled_count >= 0),
  published_at   timestamptz,
  archived_at    timestamptz,
  constraint course_depth check (depth between 0 and 5),
  constraint course_price check (price_mana between 0 and 100000),
  check (archived_at is null or published_at is not null)
);
comment on table app.courses is
  'The columns of a course that its head in app.contents does not have. Enrolments in a course and changes of its '
  'lessons lock its row, so that only one of them runs at a time.';
call private.make_nulls_raise_codes('app.courses');
comment on column app.courses.price_mana is
  'Whole mana that a student pays the author once, at enrolment; 0 if the course is free.';
comment on column app.courses.published_at is
  'When the course was published; null for a draft, which only its author sees.';
comment on column app.courses.archived_at is
  'When the course was closed to new students; null if it is open. The head of an archived course is a draft again, '
  'but its students still see it (private.visible_courses).';

create table app.course_lessons (
  id            uuid primary key default gen_random_uuid(),
  course_id     uuid not null references app.courses on delete cascade,
  position      integer not null,
  title         text not null,
  body          app.markdown not null,
  asset_id      uuid references app.media_assets on delete set null,
  minutes       integer,
  preview       boolean not null default false,
  first_done_at timestamptz,
  constraint course_lessons_position_key unique (course_id, position) deferrable,
  constraint lesson_title check (length(private.trimmed(title)) between 1 and 200),
  constraint lesson_minutes check (minutes between 1 and 1440)
);
create index course_lessons_asset_id_idx on app.course_lessons (asset_id) where asset_id is not null;
comment on table app.course_lessons is
  'The lessons of courses, at positions from 1 without gaps; at most 200 in a course.';
call private.make_nulls_raise_codes('app.course_lessons');
comment on column app.course_lessons.preview is 'Whether everybody who sees the course may read the lesson.';
comment on column app.course_lessons.first_done_at is
  'When a student first completed the lesson; null before. After this time, the lesson can''t be deleted from a '
  'published course.';

create table app.course_enrolments (
  course_id    uuid not null references app.contents on delete cascade,
  user_id      uuid not null references app.users on delete cascade,
  price_mana   integer not null check (price_mana >= 0),
  done         uuid[] not null default '{}',
  completed_at timestamptz,
  created_at   timestamptz not null default now(),
  primary key (course_id, user_id)
);
create index course_enrolments_course_id_idx on app.course_enrolments (course_id, created_at desc, user_id desc);
create index course_enrolments_user_id_idx on app.course_enrolments (user_id, created_at desc, course_id desc);
create index course_enrolments_paid_idx on app.course_enrolments (course_id) where price_mana > 0;
comment on table app.course_enrolments is 'The students of each course.';
comment on column app.course_enrolments.price_mana is 'Whole mana that the student paid; it is never paid back.';
comment on column app.course_enrolments.done is
  'The ids of the lessons that the student completed; the id of a deleted lesson may remain.';
comment on column app.course_enrolments.completed_at is
  'When the student had completed all lessons that the course had then; null before. Lessons added later don''t '
  'change it.';

insert into private.write_limits (kind, per_hour) values ('lessons', 600);
insert into private.ledger_kinds (ledger, kind) values ('mana', 'enrolment');

insert into private.personal_data (relation, person_column, section, within) values
  ('app.courses', 'id', 'courses', '{contents}'),
  ('app.course_lessons', 'course_id', 'courseLessons', '{contents}');
insert into private.personal_data (relation, person_column, section) values
  ('app.course_enrolments', 'user_id', 'courseEnrolments');

insert into private.errors (code, status, text) values
  ('course_unknown', 404, 'There is no such course.'),
  ('course_depth', 422, 'depth must be between 0 and 5.'),
  ('course_price', 422, 'priceMana must be between 0 and 100,000.'),
  ('course_role', 422, 'role must be author or student.'),
  ('course_empty', 409, 'A published course must have at least one lesson.'),
  ('course_draft', 409, 'This course is not published yet.'),
  ('course_published', 409, 'This course is already published.'),
  ('course_archived', 409, 'This course is archived.'),
  ('course_sold', 409, 'People have paid for this course, so it cannot be deleted. Archive it instead.'),
  ('enrol_oneself', 400, 'You cannot enrol in your own course.'),
  ('enrolled_already', 409, 'You are already enrolled.'),
  ('not_enrolled', 403, 'Only students of the course can do this.'),
  ('lesson_unknown', 404, 'There is no such lesson.'),
  ('lesson_title', 422, 'A lesson must have a title of 1 to 200 characters.'),
  ('lesson_minutes', 422, 'minutes must be between 1 and 1440.'),
  ('lesson_order', 422, 'ids must contain every lesson of the course exactly once.'),
  ('lesson_done', 409, 'A student has already completed this lesson, so it cannot be deleted.'),
  ('lessons_exhausted', 409, 'A course can have at most 200 lessons.');

create view private.course_details with (security_invoker) as
select c.id,
       json_build_object(
         'summary', c.summary,
         'depth', c.depth,
         'priceMana', c.price_mana,
         'status', case when c.archived_at is not null then 'archived'
                        when c.published_at is not null then 'published' else 'draft' end,
         'lessonCount', c.lesson_count,
         'enrolledCount', c.enrolled_count) as detail
from app.courses c;
comment on view private.course_details is
  'The fields that only the card of a course has: {summary, depth, priceMana, status, lessonCount, enrolledCount}.';

insert into private.lock_kinds (kind, position) values ('course', 530);

create function private.lock_courses(p_ids uuid[]) returns void
language plpgsql volatile security definer   -- callers may not write courses
set search_path = ''
as $$
begin
  perform private.check_lock_order('course', variadic p_ids::text[]);
  perform from app.courses where id = any (p_ids) order by id for no key update;
end $$;
comment on function private.lock_courses is
  'Locks these courses in the order of their ids, before any head: ARCHITECTURE.md, Locks.';

create function private.erase_courses(p_ids uuid[]) returns void
language plpgsql volatile security definer   -- no role has the right to change these rows
set search_path = ''
as $$
begin
  perform private.lock_courses(p_ids);
  delete from app.courses where id = any (p_ids);
end $$;
comment on function private.erase_courses is
  'Deletes the texts of these courses and their lessons when their author is erased. The enrolments remain, because '
  'they are the students'' data.';

insert into private.content_kinds (kind, plural, relation, details, eraser) values
  ('course', 'courses', 'app.courses', 'private.course_details', 'private.erase_courses');
insert into private.content_cascades (relation, kind, whose) values
  ('app.course_enrolments', 'course', 'course_id = $1');

insert into private.report_targets (type, finder, author, place) values
  ('course', 'private.require_reported_content', 'select author_id from app.contents where id = $1',
   'select c.space_id, c.title, d.summary, c.removed_at is not null
    from app.contents c join app.courses d on d.id = c.id where c.id = $1');
insert into private.notification_targets (type, words) values
  ('course', 'select c.id, c.title, d.summary from app.contents c join app.courses d on d.id = c.id
            where c.id = any ($1)');

create view private.visible_courses with (security_invoker) as
select c.id, c.author_id from private.visible_contents c where c.kind = 'course'
union all
select c.id, c.author_id
from app.contents c
join app.courses d on d.id = c.id and d.archived_at is not null
join app.course_enrolments e on e.course_id = c.id and e.user_id = (select app.uid())
cross join lateral private.visibility(c.author_id, 0, c.space_id) v   -- the author must still be visible
where c.author_id <> (select app.uid()) and c.removed_at is null and c.deleted_at is null and v.is_visible;
comment on view private.visible_courses is
  'The courses that the caller may see: those whose head they see, and archived ones of which they are a student.';

create function private.course_cards(p_ids uuid[]) returns json
language plpgsql stable security definer   -- checks the visibility of each course only once
set search_path = ''
set plan_cache_mode = force_generic_plan   -- planning the views takes longer than running them
as $$
begin
  return (
    select json_agg(
             private.merge_objects(private.merge_objects(h.head, d.detail), json_build_object('viewer', (
               select json_build_object(
                 'enrolledAt', private.utc(e.created_at),
                 'completedLessons', case when e.user_id is not null then (
                   select count(*) from app.course_lessons l where l.course_id = h.id and l.id = any (e.done)) end,
                 'completedAt', private.utc(e.completed_at))
               from (select true) one
               left join app.course_enrolments e on e.course_id = h.id and e.user_id = (select app.uid()))))
             order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    cross join lateral (select from private.visible_courses where id = i.id offset 0) v   -- looks up one id at a time
    join private.written_heads h on h.id = i.id
    join private.course_details d on d.id = h.id);
end $$;
comment on function private.course_cards is
  'The cards of the courses that the caller may see, in the given order: the head, the detail, and {viewer: '
  '{enrolledAt, completedLessons, completedAt}}.';
call private.force_index_scans('private.course_cards');

create function private.require_course(p_id uuid) returns uuid
language plpgsql stable security definer   -- students see an archived course but not its head
set search_path = ''
as $$
begin
  perform from private.visible_courses where id = p_id;
  if not found then
    perform private.raise_error('course_unknown');
  end if;
  return p_id;
end $$;
comment on function private.require_course is 'Returns the id of a course if the caller may see it.';

create function private.require_course_card(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.course_cards(array[private.require_course(p_id)]) -> 0; end $$;
comment on function private.require_course_card is 'Returns the card of a course if the caller may see it.';

create function private.lock_own_course(p_id uuid) returns app.contents
language plpgsql volatile security definer   -- callers may not write courses
set search_path = ''
as $$
declare
  v_head app.contents;
begin
  perform private.lock_courses(array[p_id]);   -- lock the course before the head: ARCHITECTURE.md, Locks
  v_head := private.lock_own_content('course', p_id, false);
  perform private.require_course(p_id);
  if exists (select from app.courses where id = p_id and archived_at is not null) then
    perform private.raise_error('course_archived');
  end if;
  return v_head;
end $$;
comment on function private.lock_own_course is
  'Locks the caller''s own course, which must not be archived, and its head; returns the head.';

insert into private.links (type, path) values ('course', '/courses/{id}');
