-- What erasure does to choices, and where personal data is in them. How erasure runs: sql/base/90_erasure.sql.

insert into private.personal_data (relation, person_column, section) values
  ('app.user_interests', 'user_id', 'interests');

create function private.erase_choices() returns trigger
language plpgsql security definer   -- an erasure changes rows that nobody may change
set search_path = ''
as $$
begin
  delete from app.user_interests where user_id = new.id;
  return null;
end $$;
comment on function private.erase_choices is
  'Trigger: deletes an erased person''s choices, so that they are no longer counted.';
call private.force_index_scans('private.erase_choices');
create trigger _130_erase_choices after update of erased_at on app.users
  for each row when (new.erased_at is not null) execute function private.erase_choices();
