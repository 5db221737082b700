-- How an erasure deletes a person's enrolments. The enrolments of a banned person remain, hidden from everybody. See
-- sql/base/90_erasure.sql for how an erasure runs. docs/decisions.md, Courses; Erasure and export.

create function private.erase_enrolments(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_ids uuid[] := array(select course_id from app.course_enrolments where user_id = p_user.id
                        order by created_at desc, course_id desc limit 500);
begin
  -- includes enrolments in the person's own courses, which the erasure deletes later
  perform private.lock_courses(v_ids || private.next_contents(p_user.id, null));
  delete from app.course_enrolments where user_id = p_user.id and course_id = any (v_ids);
  update app.courses set enrolled_count = enrolled_count - 1 where id = any (v_ids);
  if cardinality(v_ids) = 500 then
    perform private.erase_rest(p_user.id);
  end if;
end $$;
comment on function private.erase_enrolments is
  'Step: deletes the enrolments of an erased person. The mana that they paid is not paid back.';
insert into private.account_steps (step, events, position) values
  ('private.erase_enrolments', '{erasure}', 156);
