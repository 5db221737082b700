-- What erasure does to posts, and where personal data is in them. How erasure runs: sql/base/90_erasure.sql.

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.posts', 'author_id', 'posts', '{author_banned,required_level,trending_at,trending_boost,publish_again_at,'
  'keyword_words,closer_id,original_author_id}'),
  ('app.replies', 'author_id', 'replies', '{author_banned,required_level}'),
  ('app.reactions', 'user_id', 'reactions', '{}'),
  ('app.bookmarks', 'user_id', 'bookmarks', '{}'),
  ('app.post_mutes', 'user_id', 'postMutes', '{}'),
  ('app.poll_votes', 'user_id', 'pollVotes', '{}'),
  ('app.series', 'author_id', 'series', '{}'),
  ('app.series_follows', 'user_id', 'seriesFollows', '{}'),
  ('app.post_co_authors', 'user_id', 'coAuthorships', '{}');
insert into private.personal_data (relation, person_column, section, whose) values
  ('app.post_versions', 'post_id', 'postVersions', 'post_id in (select p.id from app.posts p where p.author_id = $1)'),
  ('app.post_interests', 'post_id', 'postInterests', 'post_id in (select p.id from app.posts p where p.author_id = '
  '$1)'),
  ('app.post_counters', 'post_id', 'postCounters', 'post_id in (select p.id from app.posts p where p.author_id = $1)'),
  ('app.post_emotions', 'post_id', 'postEmotions', 'post_id in (select p.id from app.posts p where p.author_id = $1)'),
  ('app.poll_options', 'poll_id', 'pollOptions',
   'poll_id in (select l.id from app.polls l join app.posts p on p.id = l.post_id where p.author_id = $1)'),
  ('app.series_items', 'series_id', 'seriesItems', 'series_id in (select s.id from app.series s where s.author_id = '
  '$1)');
insert into private.personal_data (relation, person_column, section, whose, omits) values
  ('app.polls', 'post_id', 'polls', 'post_id in (select p.id from app.posts p where p.author_id = $1)',
   '{close_again_at}');
insert into private.personal_data (relation, person_column, reason) values
  ('private.ended_bookmarks', 'user_id', 'A place in a list, kept for a day after its bookmark was taken back.'),
  ('private.left_items', 'series_id', 'A place in a list, where a deleted post was an item of a series.');

create function private.erase_posts() returns trigger
language plpgsql security definer   -- an erasure changes rows that nobody may change
set search_path = ''
as $$
begin
  update app.posts set title = null, body = '', media = '[]', deleted_at = coalesce(deleted_at, now())
  where author_id = new.id and (deleted_at is null or title is not null or body <> '' or media <> '[]');
  delete from app.post_versions v using app.posts p where p.id = v.post_id and p.author_id = new.id;
  update app.poll_options set text = ''
  where id in (select o.id
               from app.posts p join app.polls l on l.post_id = p.id join app.poll_options o on o.poll_id = l.id
               where p.author_id = new.id and o.text <> ''
               order by o.id for no key update of o);   -- sorted, as votes lock them: ARCHITECTURE.md, Locks
  delete from app.post_co_authors where user_id = new.id;
  delete from app.series where author_id = new.id;   -- the items are gone with the posts; nothing else refers to it
  delete from app.series_follows where user_id = new.id;
  delete from app.post_mutes where user_id = new.id;
  delete from private.ended_bookmarks where user_id = new.id;
  update app.replies set body = '', deleted_at = coalesce(deleted_at, now())
  where author_id = new.id and (deleted_at is null or body <> '');
  return null;
end $$;
comment on function private.erase_posts is
  'Trigger: deletes an erased person''s posts and replies, and their words for good, also those of earlier versions, '
  'polls and series. What they wrote with others loses their name. Reactions, bookmarks and votes stay as counts: '
  'nobody sees whose they are, and what they earned others was earned.';
create trigger _152_erase_posts after update of erased_at on app.users
  for each row when (new.erased_at is not null) execute function private.erase_posts();
