-- Publishing, listing, changing, archiving and deleting courses.
-- docs/decisions.md, Contents; Courses.

create function private.add_course(
  p_course app.courses, p_title text, p_interest uuid, p_group_id text, p_guild_id text
) returns uuid
language plpgsql volatile security definer   -- callers may not write details
set search_path = ''
as $$
declare
  v_id uuid := private.add_content('course', p_interest, p_title, array[p_course.summary::text], p_group_id,
                                   p_guild_id);
begin
  update app.contents set is_draft = true where id = v_id;
  insert into app.courses (id, summary, depth, price_mana)
  values (v_id, p_course.summary, p_course.depth, p_course.price_mana);
  return v_id;
end $$;
comment on function private.add_course is
  'Writes the detail of a new draft of the caller. Fails: course_depth, course_price.';

insert into private.operations_of_people (operation) values ('create_course');

create function api.create_course(
  p_title text, p_summary text, p_depth integer, p_price_mana integer default 0, p_interest_id uuid default null,
  p_group_id text default null, p_guild_id text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_kept   json := private.begin_idempotent('create_course', json_build_array(
    p_title, p_summary, p_depth, p_price_mana, p_interest_id, p_group_id, p_guild_id));
  v_course app.courses;
begin
  if v_kept is not null then
    return v_kept;
  end if;
  if (p_depth between 0 and 5) is not true then   -- check this here, because a smallint might overflow
    perform private.raise_error('course_depth');
  end if;
  v_course.summary := private.require_body(p_summary);
  v_course.depth := p_depth;
  v_course.price_mana := coalesce(p_price_mana, 0);
  v_course.id := private.add_course(v_course, p_title, p_interest_id, p_group_id, p_guild_id);
  return private.finish_idempotent('create_course', private.course_cards(array[v_course.id]) -> 0);
end $$;
comment on function api.create_course is 'Creates a course as a draft, optionally in a group or guild.';

create function api.list_courses(
  p_interest_id uuid default null, p_author_id text default null, p_q text default null,
  p_group_id text default null, p_guild_id text default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_found app.listing := private.search_contents('course', p_interest_id, p_author_id, p_q, p_group_id, p_guild_id,
                                                 p_cursor);
begin
  return private.page(private.course_cards(v_found.ids[:p_limit]), v_found.cursors, p_limit, v_found.next);
end $$;
comment on function api.list_courses is 'Courses, newest first, as private.search_contents finds them.';

create function api.get_course(p_id uuid) returns json
language plpgsql stable
set search_path = ''
as $$ begin return private.require_course_card(p_id); end $$;
comment on function api.get_course is 'The card of a course.';

create function private.change_course(p_id uuid, p_changes jsonb) returns void
language plpgsql volatile security definer   -- callers may not write courses
set search_path = ''
as $$
declare
  v_head   app.contents;
  v_course app.courses;
begin
  perform private.count_writes('edits');
  v_head := private.lock_own_course(p_id);
  select * into v_course from app.courses where id = p_id;
  if p_changes ? 'summary' then
    v_course.summary := private.require_body(p_changes ->> 'summary');
  end if;
  if p_changes ? 'depth' then
    if ((p_changes ->> 'depth')::integer between 0 and 5) is not true then
      perform private.raise_error('course_depth');
    end if;
    v_course.depth := p_changes ->> 'depth';
  end if;
  if p_changes ? 'priceMana' then
    v_course.price_mana := p_changes ->> 'priceMana';
  end if;
  perform private.edit_content(v_head, p_changes, array[v_course.summary::text]);
  update app.courses set summary = v_course.summary, depth = v_course.depth, price_mana = v_course.price_mana
  where id = p_id;
end $$;
comment on function private.change_course is 'Changes the caller''s own course. Fails: course_price.';

create function api.update_course(p_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.change_course(p_id, p_changes);
  return private.require_course_card(p_id);
end $$;
comment on function api.update_course is
  'Changes the caller''s own course, {title, summary, depth, priceMana, interestId}.';

create function private.set_course_status(p_id uuid, p_archived boolean) returns void
language plpgsql volatile security definer   -- callers may not write courses
set search_path = ''
as $$
declare
  v_course app.courses;
begin
  perform private.count_writes('edits');
  if not p_archived then   -- the space is locked before the course: ARCHITECTURE.md, Locks
    perform private.write_in_space((select space_id from private.visible_contents where id = p_id));
  end if;
  perform private.lock_own_course(p_id);
  select * into v_course from app.courses where id = p_id;
  if p_archived then
    if v_course.published_at is null then
      perform private.raise_error('course_draft');
    end if;
    update app.courses set archived_at = now() where id = p_id;
  else
    if v_course.published_at is not null then
      perform private.raise_error('course_published');
    elsif v_course.lesson_count = 0 then
      perform private.raise_error('course_empty');
    end if;
    update app.courses set published_at = now() where id = p_id;
  end if;
  update app.contents set is_draft = p_archived where id = p_id;
end $$;
comment on function private.set_course_status is
  'Publishes a draft of the caller, or archives a course that they published.';

create function api.publish_course(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.set_course_status(p_id, false);
  return private.require_course_card(p_id);
end $$;
comment on function api.publish_course is 'Publishes the caller''s own draft, and returns the card.';

create function api.archive_course(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.set_course_status(p_id, true);
  return private.require_course_card(p_id);
end $$;
comment on function api.archive_course is
  'Closes the caller''s own course to new students permanently; its students keep access. Returns the card.';

create function private.delete_course(p_id uuid) returns boolean
language plpgsql volatile security definer   -- callers may not delete what others added
set search_path = ''
as $$
begin
  perform private.lock_courses(array[p_id]);   -- lock the course before the head: ARCHITECTURE.md, Locks
  if exists (select from app.course_enrolments where course_id = p_id and price_mana > 0)
     and exists (select from app.contents where id = p_id and author_id = private.require_caller()) then
    perform private.raise_error('course_sold');
  end if;
  return private.delete_content('course', p_id);
end $$;
comment on function private.delete_course is
  'Deletes the caller''s own course with its lessons; returns false if there is no such course.';

create function api.delete_course(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  if not private.delete_course(p_id) then
    perform private.require_course(p_id);
    perform private.raise_error('content_not_yours');
  end if;
  return null;   -- the response is 204
end $$;
comment on function api.delete_course is 'Deletes the caller''s own course permanently, unless somebody paid for it.';
