-- Students: enrolment, progress, and the lists of courses and students.
-- docs/decisions.md, Courses; Lists; Mana.

create function private.enrol(p_head app.contents, p_expected integer) returns void
language plpgsql volatile security definer   -- callers may not write enrolments or the ledger
set search_path = ''
as $$
declare
  v_me    uuid := private.require_caller();
  v_price integer;
begin
  update app.courses set enrolled_count = enrolled_count + 1 where id = p_head.id returning price_mana into v_price;
  insert into app.course_enrolments (course_id, user_id, price_mana) values (p_head.id, v_me, v_price)
  on conflict do nothing;
  if not found then
    perform private.raise_error('enrolled_already');
  end if;
  perform private.require_price(v_price, p_expected);
  if v_price > 0 then
    perform private.move('enrolment', array[v_me, p_head.author_id], array[-v_price, v_price]);
  end if;
end $$;
comment on function private.enrol is
  'Makes the caller a student of a course and pays its author, if the price is the one that the caller expects. '
  'private.lock_open_content must have locked the course first.';

insert into private.operations_of_people (operation) values ('enrol_course');

create function api.enrol_course(p_id uuid, p_expected_price integer default 0) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept json := private.begin_idempotent('enrol_course', json_build_array(p_id, p_expected_price));
  v_head app.contents;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  if exists (select from app.contents where id = p_id and kind = 'course' and author_id = app.uid()) then
    perform private.raise_error('enrol_oneself');
  elsif exists (select from app.course_enrolments where course_id = p_id and user_id = private.require_caller()) then
    perform private.require_course(p_id);
    perform private.raise_error('enrolled_already');   -- this also works if the course is archived
  end if;
  v_head := private.require_content('course', p_id);
  -- the locks make a concurrent ban, block or change of price wait, or show it here: ARCHITECTURE.md, Locks
  perform private.share_lock_person(app.uid());
  perform private.write_in_space(v_head.space_id);
  perform private.lock_pairs(array[v_head.author_id], array[app.uid()]);
  perform private.lock_courses(array[p_id]);
  perform private.enrol(private.lock_open_content('course', p_id), p_expected_price);
  return private.finish_idempotent('enrol_course', private.require_course_card(p_id));
end $$;
comment on function api.enrol_course is
  'Enrols the caller in a course permanently, and pays its price to the author. Fails if the price is not the '
  'expected one. Returns the card. Takes an Idempotency-Key.';

create function private.set_progress(p_course uuid, p_lesson uuid, p_done boolean) returns void
language plpgsql volatile security definer   -- callers may not write enrolments
set search_path = ''
as $$
declare
  v_me    uuid := private.require_caller();
  v_left  boolean;
begin
  perform private.count_writes('lessons');
  perform private.lock_courses(array[p_course]);
  perform private.require_course(p_course);
  perform private.find_lesson(p_course, p_lesson);
  perform from app.course_enrolments where course_id = p_course and user_id = v_me;
  if not found then
    perform private.raise_error('not_enrolled');
  end if;
  update app.course_enrolments
  set done = array_remove(done, p_lesson) || case when p_done then array[p_lesson] else '{}' end
  where course_id = p_course and user_id = v_me and p_done <> (p_lesson = any (done));
  if not p_done then
    return;
  end if;
  update app.course_lessons set first_done_at = now() where id = p_lesson and first_done_at is null;
  update app.course_enrolments e set completed_at = now()
  where e.course_id = p_course and e.user_id = v_me and e.completed_at is null
    and not exists (select from app.course_lessons l where l.course_id = p_course and l.id <> all (e.done));
end $$;
comment on function private.set_progress is
  'Records whether the caller, a student, has completed a lesson. Once the student has completed all lessons, the '
  'course counts as completed permanently.';

create function api.set_course_progress(p_id uuid, p_lesson_id uuid, p_done boolean) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if p_done is null then
    perform private.raise_error('value_invalid');
  end if;
  perform private.set_progress(p_id, p_lesson_id, p_done);
  return private.require_course_card(p_id);
end $$;
comment on function api.set_course_progress is
  'Records whether the caller has completed a lesson; repeating it changes nothing. Returns the card.';

create function private.find_my_courses(p_role text, p_cursor text) returns app.listing
language plpgsql stable security definer   -- finds the caller's own courses, and those in which they are enrolled
set search_path = ''
as $$
declare
  v_me     uuid := private.require_caller();
  v_place  app.place := private.page_start('my courses', p_cursor);
  v_from   timestamptz := v_place.at;   -- plain variables, so that the planner can use the index
  v_before uuid := v_place.id;
  v_found  app.listing;
begin
  with looked as materialized (
    select w.at, w.id from (
      (select created_at as at, id from app.contents
       where p_role is distinct from 'student' and author_id = v_me and kind = 'course'
         and (created_at, id) < (v_from, v_before)
       order by created_at desc, id desc limit 400)
      union all
      (select created_at, course_id from app.course_enrolments
       where p_role is distinct from 'author' and user_id = v_me and (created_at, course_id) < (v_from, v_before)
       order by created_at desc, course_id desc limit 400)) w
    order by w.at desc, w.id desc limit 400
  ), seen as materialized (
    select l.at, l.id from looked l
    cross join lateral (select from private.visible_courses where id = l.id offset 0) c   -- looks up one id at a time
    order by l.at desc, l.id desc limit 51
  )
  select array(select id from seen order by at desc, id desc),
         array(select private.place_cursor('my courses', at, id) from seen order by at desc, id desc),
         case when (select count(*) from seen) < 51
              then (select private.place_cursor('my courses', l.at, l.id)
                    from (select * from looked offset 399 limit 1) l) end
  into v_found;
  return v_found;
end $$;
comment on function private.find_my_courses is
  'The next courses that the caller created or enrolled in, among the next 400, newest first by the time of the '
  'creation or the enrolment.';
call private.force_index_scans('private.find_my_courses');

create function api.list_my_courses(p_role text default null, p_limit integer default 20, p_cursor text default null)
returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.listing;
begin
  if p_role not in ('author', 'student') then
    perform private.raise_error('course_role');
  end if;
  v_found := private.find_my_courses(p_role, p_cursor);
  return private.page(private.course_cards(v_found.ids[:p_limit]), v_found.cursors, p_limit, v_found.next);
end $$;
comment on function api.list_my_courses is
  'The courses that the caller teaches or attends, or only those of one of these two roles, latest first.';

create function private.find_students(p_course uuid, p_cursor text) returns app.listing
language plpgsql stable security definer   -- authors may see their students, except hidden ones
set search_path = ''
as $$
declare
  v_list   text := 'students ' || p_course;
  v_place  app.place := private.page_start(v_list, p_cursor);
  v_from   timestamptz := v_place.at;   -- plain variables, so that the planner can use the index
  v_before uuid := v_place.id;
  v_found  app.listing;
begin
  with looked as materialized (
    select created_at as at, user_id as id from app.course_enrolments
    where course_id = p_course and (created_at, user_id) < (v_from, v_before)
    order by created_at desc, user_id desc limit 400
  ), seen as materialized (
    select l.at, l.id from looked l join private.visible_people v on v.id = l.id
    order by l.at desc, l.id desc limit 51
  )
  select array(select id from seen order by at desc, id desc),
         array(select private.place_cursor(v_list, at, id) from seen order by at desc, id desc),
         case when (select count(*) from seen) < 51
              then (select private.place_cursor(v_list, l.at, l.id)
                    from (select * from looked offset 399 limit 1) l) end
  into v_found;
  return v_found;
end $$;
comment on function private.find_students is
  'The next students of a course whom the caller may see, among the next 400.';
call private.force_index_scans('private.find_students');

create function private.list_students(p_course uuid, p_limit integer, p_cursor text) returns json
language plpgsql stable security definer   -- see private.find_students
set search_path = ''
as $$
declare
  v_found app.listing;
begin
  perform private.require_course(p_course);
  perform from app.contents where id = p_course and author_id = private.require_caller();
  if not found then
    perform private.raise_error('content_not_yours');
  end if;
  v_found := private.find_students(p_course, p_cursor);
  return private.page((
    select json_agg(json_build_object(
             'userId', p.actor_id, 'user', p.card, 'enrolledAt', private.utc(e.created_at),
             'completedLessons', (select count(*) from app.course_lessons l
                                  where l.course_id = p_course and l.id = any (e.done)),
             'completedAt', private.utc(e.completed_at)) order by i.place)
    from unnest(v_found.ids[:p_limit]) with ordinality as i (id, place)
    cross join lateral (select * from app.course_enrolments
                        where course_id = p_course and user_id = i.id offset 0) e   -- looks up one key at a time
    join app.person_card p on p.id = i.id), v_found.cursors, p_limit, v_found.next);
end $$;
comment on function private.list_students is
  'The students of the caller''s own course, latest first: {userId, user, enrolledAt, completedLessons, '
  'completedAt}.';
call private.force_index_scans('private.list_students');

create function api.list_course_students(p_id uuid, p_limit integer default 20, p_cursor text default null)
returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.list_students(p_id, p_limit, p_cursor); end $$;
comment on function api.list_course_students is 'The students of the caller''s own course, latest first.';
