-- How an erasure deletes choices of interests, and where they hold personal data. See sql/base/90_erasure.sql for how
-- an erasure runs.

insert into private.personal_data (relation, person_column, section, adds) values
  ('app.user_interests', 'user_id', 'interests',
   '(select i.slug from app.interests i where i.id = t.interest_id) as interest_slug');

create function private.erase_choices(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from app.user_interests where user_id = p_user.id;
end $$;
comment on function private.erase_choices is
  'Step: deletes an erased person''s choices, so that they are no longer counted.';
call private.force_index_scans('private.erase_choices');
insert into private.account_steps (step, events, position) values
  ('private.erase_choices', '{erasure}', 172);
