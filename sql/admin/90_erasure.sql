-- What erasure does to what staff wrote about a person's posts and replies. How erasure runs: sql/base/90_erasure.sql.

create function private.erase_moderation() returns trigger
language plpgsql security definer   -- an erasure changes rows that nobody may change
set search_path = ''
as $$
begin
  update app.audit_details d set detail = null from app.audit_log l
  where l.id = d.audit_id and d.detail is not null
    and (l.target_type = 'post' and l.target_id in (select p.id::text from app.posts p where p.author_id = new.id)
      or l.target_type = 'reply' and l.target_id in (select r.id::text from app.replies r where r.author_id = new.id));
  return null;
end $$;
comment on function private.erase_moderation is
  'Trigger: deletes the reasons that staff gave about an erased person''s posts and replies; the entries stay.';
create trigger _185_erase_moderation after update of erased_at on app.users
  for each row when (new.erased_at is not null) execute function private.erase_moderation();
