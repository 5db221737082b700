-- How an erasure deletes embeddings. See sql/base/90_erasure.sql for how an erasure runs. Vectors are deleted with
-- their posts.

insert into private.personal_data (relation, person_column, reason) values
  ('private.centroids', 'person_id', 'Numbers computed from reactions and bookmarks, which have sections.'),
  ('private.post_embeddings', 'post_id', 'Numbers computed from posts, which have a section.');

create function private.erase_centroid(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  delete from private.centroids where person_id = p_user.id;
end $$;
comment on function private.erase_centroid is 'Step: deletes an erased person''s centroid.';
-- this step comes after the step of notifications, because effects take their locks in the same order:
-- ARCHITECTURE.md, Locks
insert into private.account_steps (step, events, position) values
  ('private.erase_centroid', '{erasure}', 195);
