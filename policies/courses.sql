-- Who may see and change courses. This file belongs to sql/courses/. The head's policies are in policies/content.sql.

-- courses
alter table app.courses enable row level security;
grant select on app.courses to authenticated;
create policy select_with_content on app.courses for select to authenticated
  using ((select true from app.contents c where c.id = courses.id));
comment on policy select_with_content on app.courses is
  'Everybody who sees the head sees the course. Definer functions write courses, and show an archived course to its '
  'students.';

-- course_lessons: only definer functions read them, because not everybody who sees a lesson may read its text
alter table app.course_lessons enable row level security;

-- course_enrolments
alter table app.course_enrolments enable row level security;
grant select on app.course_enrolments to authenticated;
create policy select_own on app.course_enrolments for select to authenticated using (user_id = (select app.uid()));
comment on policy select_own on app.course_enrolments is
  'People see their own enrolments; authors see their students through an operation.';

-- helpers
grant execute on function
  private.add_course,
  private.add_lesson,
  private.change_course,
  private.change_lesson,
  private.course_cards,
  private.delete_course,
  private.delete_lesson,
  private.enrol,
  private.find_lesson,
  private.find_my_courses,
  private.lesson_cards,
  private.lesson_with,
  private.list_lessons,
  private.list_students,
  private.lock_courses,
  private.order_lessons,
  private.require_course,
  private.require_course_card,
  private.set_course_status,
  private.set_progress
  to authenticated;

-- operations
grant execute on function
  api.archive_course,
  api.create_course,
  api.create_course_lesson,
  api.delete_course,
  api.delete_course_lesson,
  api.enrol_course,
  api.get_course,
  api.get_course_lesson,
  api.list_course_lessons,
  api.list_course_students,
  api.list_courses,
  api.list_my_courses,
  api.order_course_lessons,
  api.publish_course,
  api.set_course_progress,
  api.update_course,
  api.update_course_lesson
  to authenticated;
