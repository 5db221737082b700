-- What a ban does to memberships: they stay, hidden.
-- docs/decisions.md, Spaces.

create function private.hide_memberships() returns trigger
language plpgsql security definer   -- a ban changes rows that nobody may change
set search_path = ''
as $$
begin
  update app.space_members set hidden = new.banned_at is not null or new.erased_at is not null
  where user_id = new.id;
  return null;
end $$;
comment on function private.hide_memberships is
  'Trigger: who is banned or erased is counted in no space, of which one person is in 1000 at most.';
-- behind private.leave_spaces, which may make one who is just being erased an heir
create trigger _085_hide_memberships after update of banned_at, erased_at on app.users
  for each row when ((old.banned_at is null, old.erased_at is null) <> (new.banned_at is null, new.erased_at is null))
  execute function private.hide_memberships();
