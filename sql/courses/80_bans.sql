-- What an erasure does to a person's enrolments. Of who is banned they stay, and nobody sees them.
-- How erasure runs: sql/base/90_erasure.sql.
-- docs/decisions.md, Courses; Erasure and export.

create function private.erase_enrolments() returns trigger
language plpgsql security definer   -- an erasure changes rows that nobody may change
set search_path = ''
as $$
declare
  v_ids uuid[] := array(select course_id from app.course_enrolments where user_id = new.id
                        order by created_at desc, course_id desc limit 500);
begin
  -- with the person's own courses, which an erasure deletes later on
  perform private.lock_courses(v_ids || private.next_contents(new.id, null));
  delete from app.course_enrolments where user_id = new.id and course_id = any (v_ids);
  update app.courses set enrolled_count = enrolled_count - 1 where id = any (v_ids);
  if cardinality(v_ids) = 500 then
    perform private.erase_rest(new.id);
  end if;
  return null;
end $$;
comment on function private.erase_enrolments is
  'Trigger: an erased person is no student any more. What they paid stays paid.';
create trigger _158_erase_enrolments after update of erased_at on app.users
  for each row when (new.erased_at is not null) execute function private.erase_enrolments();
