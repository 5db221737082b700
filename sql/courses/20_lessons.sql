-- Lessons of courses. The author writes them and students read them; everybody who sees the course reads previews.
-- docs/decisions.md, Courses; Lists.

create function private.lesson_cards(p_course uuid, p_ids uuid[]) returns json
language plpgsql stable security definer   -- the function itself decides who may read a lesson
set search_path = ''
as $$
declare
  v_reads boolean := exists (select from app.contents where id = p_course and author_id = app.uid())
                  or exists (select from app.course_enrolments where course_id = p_course and user_id = app.uid());
begin
  return (
    select json_agg(json_build_object(
             'id', l.id,
             'courseId', l.course_id,
             'position', l.position,
             'title', l.title,
             'body', case when v_reads or l.preview then l.body end,
             'assetId', case when v_reads or l.preview then a.id end,
             'assetUrl', case when v_reads or l.preview then private.asset_url(a.key) end,
             'asset', case when a.id is not null and (v_reads or l.preview) then private.attachment_card(a, a.alt) end,
             'minutes', l.minutes,
             'preview', l.preview) order by i.place)
    from unnest(p_ids) with ordinality as i (id, place)
    join app.course_lessons l on l.id = i.id and l.course_id = p_course
    left join app.media_assets a on a.id = l.asset_id);
end $$;
comment on function private.lesson_cards is
  'These lessons of a course, in order: {id, courseId, position, title, body, assetId, assetUrl, asset, '
  'minutes, preview}. body and what is about the asset are null unless the caller is the author or a student, or the '
  'lesson is a preview.';
call private.force_index_scans('private.lesson_cards');

create function private.find_lesson(p_course uuid, p_lesson uuid) returns app.course_lessons
language plpgsql stable security definer   -- its callers check who may see the course
set search_path = ''
as $$
declare
  v_lesson app.course_lessons;
begin
  select * into v_lesson from app.course_lessons where id = p_lesson and course_id = p_course;
  if not found then
    perform private.raise_error('lesson_unknown');
  end if;
  return v_lesson;
end $$;
comment on function private.find_lesson is 'Returns a lesson of this course.';

create function private.list_lessons(p_course uuid, p_limit integer, p_cursor text) returns json
language plpgsql stable security definer   -- students see the lessons of an archived course
set search_path = ''
as $$
declare
  v_after uuid := private.require_cursor(p_cursor);
  v_from  integer := 0;
  v_ids   uuid[];
begin
  if v_after is not null then
    select position into v_from from app.course_lessons where id = v_after and course_id = p_course;
    if not found then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_ids := array(select id from app.course_lessons where course_id = p_course and position > v_from
                 order by position limit 51);
  return private.page(private.lesson_cards(p_course, v_ids[:p_limit]), v_ids::text[], p_limit);
end $$;
comment on function private.list_lessons is 'The lessons of a course in the order of their positions.';
call private.force_index_scans('private.list_lessons');

create function api.list_course_lessons(p_id uuid, p_limit integer default 20, p_cursor text default null)
returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.list_lessons(private.require_course(p_id), p_limit, p_cursor); end $$;
comment on function api.list_course_lessons is
  'The lessons of a course in the order of their positions. Fields that the caller may not read are null.';

create function api.get_course_lesson(p_id uuid, p_lesson_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_lesson app.course_lessons := private.find_lesson(private.require_course(p_id), p_lesson_id);
begin
  return private.lesson_cards(p_id, array[v_lesson.id]) -> 0;
end $$;
comment on function api.get_course_lesson is 'A lesson of a course. Fields that the caller may not read are null.';

create function private.lesson_with(p_lesson app.course_lessons, p_changes jsonb) returns app.course_lessons
language plpgsql stable
set search_path = ''
as $$
declare
  v_lesson app.course_lessons := p_lesson;
begin
  if p_changes ? 'title' then
    v_lesson.title := coalesce(private.require_name(p_changes ->> 'title'), '');
  end if;
  if p_changes ? 'body' then
    v_lesson.body := private.require_body(p_changes ->> 'body');
  end if;
  if p_changes ? 'assetId' then
    v_lesson.asset_id := p_changes ->> 'assetId';
    if v_lesson.asset_id is not null then
      perform private.use_asset(v_lesson.asset_id, '{image,video,audio,attachment}');
    end if;
  end if;
  if p_changes ? 'minutes' then
    v_lesson.minutes := p_changes ->> 'minutes';
  end if;
  if p_changes ? 'preview' then
    v_lesson.preview := p_changes ->> 'preview';
  end if;
  return v_lesson;
end $$;
comment on function private.lesson_with is
  'Returns a lesson with the given changes applied, any of {title, body, assetId, minutes, preview}.';

create function private.add_lesson(p_course uuid, p_lesson app.course_lessons) returns uuid
language plpgsql volatile security definer   -- callers may not write lessons
set search_path = ''
as $$
declare
  v_count integer;
  v_id    uuid;
begin
  perform private.count_writes('lessons');
  perform private.lock_own_course(p_course);
  select lesson_count into v_count from app.courses where id = p_course;
  if v_count >= 200 then
    perform private.raise_error('lessons_exhausted');
  end if;
  insert into app.course_lessons (course_id, position, title, body, asset_id, minutes, preview)
  values (p_course, v_count + 1, p_lesson.title, p_lesson.body, p_lesson.asset_id, p_lesson.minutes,
          p_lesson.preview)
  returning id into v_id;
  update app.courses set lesson_count = v_count + 1 where id = p_course;
  return v_id;
end $$;
comment on function private.add_lesson is
  'Adds a lesson at the end of the caller''s own course. Fails: lesson_title, lesson_minutes.';

create function api.create_course_lesson(
  p_id uuid, p_title text, p_body text, p_asset_id uuid default null, p_minutes integer default null,
  p_preview boolean default false
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept   json := private.begin_idempotent('create_course_lesson', json_build_array(
    p_id, p_title, p_body, p_asset_id, p_minutes, p_preview));
  v_lesson uuid;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  v_lesson := private.add_lesson(p_id, private.lesson_with(null, jsonb_build_object(
    'title', p_title, 'body', p_body, 'assetId', p_asset_id, 'minutes', p_minutes,
    'preview', coalesce(p_preview, false))));
  return private.finish_idempotent('create_course_lesson', private.lesson_cards(p_id, array[v_lesson]) -> 0);
end $$;
comment on function api.create_course_lesson is 'Adds a lesson to the caller''s own course.';

create function private.change_lesson(p_course uuid, p_lesson uuid, p_changes jsonb) returns void
language plpgsql volatile security definer   -- callers may not write lessons
set search_path = ''
as $$
declare
  v_lesson app.course_lessons;
begin
  perform private.count_writes('lessons');
  perform private.lock_own_course(p_course);
  v_lesson := private.lesson_with(private.find_lesson(p_course, p_lesson), p_changes);
  update app.course_lessons
  set title = v_lesson.title, body = v_lesson.body, asset_id = v_lesson.asset_id, minutes = v_lesson.minutes,
      preview = v_lesson.preview
  where id = p_lesson;
end $$;
comment on function private.change_lesson is
  'Changes a lesson of the caller''s own course. Fails: lesson_title, lesson_minutes.';

create function api.update_course_lesson(p_id uuid, p_lesson_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.change_lesson(p_id, p_lesson_id, p_changes);
  return private.lesson_cards(p_id, array[p_lesson_id]) -> 0;
end $$;
comment on function api.update_course_lesson is
  'Changes a lesson of the caller''s own course: {title, body, assetId, minutes, preview}.';

create function private.delete_lesson(p_course uuid, p_lesson uuid) returns void
language plpgsql volatile security definer   -- callers may not write lessons
set search_path = ''
as $$
declare
  v_course app.courses;
  v_lesson app.course_lessons;
begin
  perform private.count_writes('lessons');
  perform private.lock_own_course(p_course);
  v_lesson := private.find_lesson(p_course, p_lesson);
  select * into v_course from app.courses where id = p_course;
  if v_course.published_at is not null and v_lesson.first_done_at is not null then
    perform private.raise_error('lesson_done');
  elsif v_course.published_at is not null and v_course.lesson_count = 1 then
    perform private.raise_error('course_empty');
  end if;
  set constraints app.course_lessons_position_key deferred;
  delete from app.course_lessons where id = p_lesson;
  update app.course_lessons set position = position - 1 where course_id = p_course and position > v_lesson.position;
  update app.courses set lesson_count = lesson_count - 1 where id = p_course;
end $$;
comment on function private.delete_lesson is
  'Deletes a lesson of the caller''s own course. In a published course, nobody can delete a lesson that somebody '
  'completed, or the last lesson.';

create function api.delete_course_lesson(p_id uuid, p_lesson_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.delete_lesson(p_id, p_lesson_id);
  return null;   -- the response is 204
end $$;
comment on function api.delete_course_lesson is 'Deletes a lesson of the caller''s own course.';

create function private.order_lessons(p_course uuid, p_ids uuid[]) returns void
language plpgsql volatile security definer   -- callers may not write lessons
set search_path = ''
as $$
begin
  perform private.count_writes('lessons');
  perform private.lock_own_course(p_course);
  if array(select id from app.course_lessons where course_id = p_course order by id)
     is distinct from array(select i.id from unnest(p_ids[:201]) i (id) order by i.id) then
    perform private.raise_error('lesson_order');
  end if;
  set constraints app.course_lessons_position_key deferred;
  update app.course_lessons l set position = i.place
  from unnest(p_ids) with ordinality as i (id, place)
  where l.id = i.id and l.course_id = p_course;
end $$;
comment on function private.order_lessons is 'Puts the lessons of the caller''s own course in this order.';

create function api.order_course_lessons(p_id uuid, p_ids uuid[]) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.order_lessons(p_id, p_ids);
  return private.require_course_card(p_id);
end $$;
comment on function api.order_course_lessons is
  'Puts the lessons of the caller''s own course in this order, and returns the card.';
