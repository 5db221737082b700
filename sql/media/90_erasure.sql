-- What erasure does to media assets. How erasure runs: sql/base/90_erasure.sql.

create function private.erase_assets() returns trigger
language plpgsql security definer   -- an erasure changes rows that nobody may change
set search_path = ''
as $$
begin
  perform private.erase_rows(new.id, 'app.media_assets', 'owner_id = $1');
  return null;
end $$;
comment on function private.erase_assets is
  'Trigger: deletes an erased person''s media assets, and thereby their objects.';
create trigger _145_erase_assets after update of erased_at on app.users
  for each row when (new.erased_at is not null) execute function private.erase_assets();
