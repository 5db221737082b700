-- What an erasure does to a person's enrolments. Of who is banned they stay, and nobody sees them.
-- How erasure runs: sql/base/90_erasure.sql.
-- docs/decisions.md, Courses; Erasure and export.

create function private.erase_enrolments(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_ids uuid[] := array(select course_id from app.course_enrolments where user_id = p_user.id
                        order by created_at desc, course_id desc limit 500);
begin
  -- with the person's own courses, which an erasure deletes later on
  perform private.lock_courses(v_ids || private.next_contents(p_user.id, null));
  delete from app.course_enrolments where user_id = p_user.id and course_id = any (v_ids);
  update app.courses set enrolled_count = enrolled_count - 1 where id = any (v_ids);
  if cardinality(v_ids) = 500 then
    perform private.erase_rest(p_user.id);
  end if;
end $$;
comment on function private.erase_enrolments is
  'Step: an erased person is no student any more. What they paid stays paid.';
insert into private.account_steps (step, events, position) values
  ('private.erase_enrolments', '{erasure}', 156);
