-- How an erasure deletes media assets. See sql/base/90_erasure.sql for how an erasure runs.

create function private.erase_assets(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.erase_rows(p_user.id, 'app.media_assets', 'owner_id = $1');
end $$;
comment on function private.erase_assets is
  'Step: deletes an erased person''s media assets, and thereby their objects.';
insert into private.account_steps (step, events, position) values
  ('private.erase_assets', '{erasure}', 145);
