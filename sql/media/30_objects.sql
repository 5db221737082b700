-- Objects whose asset is gone. They are deleted by the function `media`, which the worker calls until it has.
-- docs/decisions.md, Media.

create table private.doomed_objects (
  bucket text not null,
  key    text not null,
  due_at timestamptz not null,
  primary key (bucket, key)
);
create index doomed_objects_due_at_idx on private.doomed_objects (due_at);
comment on table private.doomed_objects is
  'Objects to be deleted, with a row until the storage has done it. An object that nobody uploaded has one too.';
comment on column private.doomed_objects.due_at is
  'When it is tried next: not before its upload''s address has ended, or it would come back.';

create function private.doom_objects() returns trigger
language plpgsql security definer   -- nobody may write what is deleted
set search_path = ''
as $$
begin
  -- a commit under way may take two minutes more
  insert into private.doomed_objects (bucket, key, due_at)
  select g.bucket, g.key, greatest(now() + interval '2 minutes', g.created_at + interval '15 minutes')
  from gone g
  where tg_op = 'DELETE' or g.removed_at is not null
  on conflict do nothing;
  return null;
end $$;
comment on function private.doom_objects is
  'Trigger: has the objects of assets deleted that are gone: expired, of an erased person, or taken away by staff.';
create trigger doom_objects after delete on app.media_assets
  referencing old table as gone for each statement execute function private.doom_objects();
create trigger doom_removed after update on app.media_assets
  referencing new table as gone for each statement execute function private.doom_objects();
