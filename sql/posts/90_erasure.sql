-- What erasure does to posts, and where personal data is in them. How erasure runs: sql/base/90_erasure.sql.

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.posts', 'author_id', 'posts', '{author_silenced,required_level}'),
  ('app.replies', 'author_id', 'replies', '{author_silenced,required_level}'),
  ('app.reactions', 'user_id', 'reactions', '{}');
insert into private.personal_data (relation, person_column, section, whose) values
  ('app.post_interests', 'post_id', 'postInterests', 'post_id in (select p.id from app.posts p where p.author_id = $1)'),
  ('app.post_counters', 'post_id', 'postCounters', 'post_id in (select p.id from app.posts p where p.author_id = $1)'),
  ('app.post_emotions', 'post_id', 'postEmotions', 'post_id in (select p.id from app.posts p where p.author_id = $1)');

create function private.erase_posts() returns trigger
language plpgsql security definer   -- an erasure changes rows that nobody may change
set search_path = ''
as $$
begin
  update app.posts set title = null, body = '', deleted_at = coalesce(deleted_at, now())
  where author_id = new.id and (deleted_at is null or title is not null or body <> '');
  update app.replies set body = '', deleted_at = coalesce(deleted_at, now())
  where author_id = new.id and (deleted_at is null or body <> '');
  return null;
end $$;
comment on function private.erase_posts is
  'Trigger: an erased person''s posts and replies are deleted, their words for good. Reactions stay as counts: nobody sees whose they are, and what they earned others was earned.';
create trigger erase_posts after update of erased_at on app.users
  for each row when (new.erased_at is not null) execute function private.erase_posts();
