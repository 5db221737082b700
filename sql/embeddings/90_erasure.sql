-- What erasure does to embeddings. How erasure runs: sql/base/90_erasure.sql. Vectors go with their posts.

insert into private.personal_data (relation, person_column, reason) values
  ('private.centroids', 'person_id', 'Numbers worked out of reactions and bookmarks, which are there.'),
  ('private.post_embeddings', 'post_id', 'Numbers worked out of posts, which are there.');

create function private.erase_centroid() returns trigger
language plpgsql security definer   -- an erasure changes rows that nobody may change
set search_path = ''
as $$
begin
  delete from private.centroids where person_id = new.id;
  return null;
end $$;
comment on function private.erase_centroid is 'Trigger: forgets what an erased person likes.';
-- behind notifications, as among effects: ARCHITECTURE.md, Locks
create trigger _195_erase_centroid after update of erased_at on app.users
  for each row when (new.erased_at is not null) execute function private.erase_centroid();
