-- How an erasure deletes posts, and which of their columns contain personal data. See sql/base/90_erasure.sql for how
-- an erasure runs.

insert into private.personal_data (relation, person_column, section, omits) values
  ('app.posts', 'author_id', 'posts', '{author_banned,required_level,trending_at,trending_boost,publish_again_at,'
  'card_start,keyword_words,closer_id,original_author_id,original_space_id,within_id}'),
  ('app.replies', 'author_id', 'replies', '{author_banned,required_level}'),
  ('app.reactions', 'user_id', 'reactions', '{}'),
  ('app.bookmarks', 'user_id', 'bookmarks', '{}'),
  ('app.post_mutes', 'user_id', 'postMutes', '{}'),
  ('app.poll_votes', 'user_id', 'pollVotes', '{}'),
  ('app.series', 'author_id', 'series', '{}'),
  ('app.series_follows', 'user_id', 'seriesFollows', '{}'),
  ('app.post_co_authors', 'user_id', 'coAuthorships', '{}');
insert into private.personal_data (relation, person_column, section, within, whose, omits) values
  ('app.post_versions', 'post_id', 'postVersions', '{posts}', null, '{}'),
  ('app.post_counters', 'post_id', 'postCounters', '{posts}', null, '{}'),
  ('app.post_emotions', 'post_id', 'postEmotions', '{posts}', null, '{}'),
  ('app.poll_options', 'poll_id', 'pollOptions', '{posts}',
   't.poll_id in (select l.id from app.polls l where l.post_id = p.id)', '{}'),
  ('app.series_items', 'series_id', 'seriesItems', '{series}', null, '{}'),
  ('app.polls', 'post_id', 'polls', '{posts}', null, '{author_id,close_again_at}');
insert into private.personal_data (relation, person_column, section, within, adds) values
  ('app.post_interests', 'post_id', 'postInterests', '{posts}',
   '(select i.slug from app.interests i where i.id = t.interest_id) as interest_slug');
insert into private.personal_data (relation, person_column, reason) values
  ('app.polls', 'author_id', 'A copy of data that the posts have.'),
  ('private.removed_bookmarks', 'user_id', 'A position in a list, kept for a day after the bookmark was removed.'),
  ('private.deleted_series_items', 'series_id', 'The position of a deleted post in a series.');

create function private.erase_next_posts(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- an erasure changes rows that callers may not change
set search_path = ''
as $$
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_ids     uuid[];
  v_changed integer;
begin
  perform from app.users where id = v_user and erased_at is not null for share;
  if not found then
    return json_build_object('changed', 0, 'next', null);
  end if;
  perform private.lock('erasure');   -- see private.leave_spaces
  v_ids := private.next_posts(v_user, p_after);
  perform private.lock_written(v_ids, '{}');
  update app.posts set title = null, body = '', media = '[]', deleted_at = coalesce(deleted_at, now())
  where id = any (v_ids) and (deleted_at is null or title is not null or body <> '' or media <> '[]');
  get diagnostics v_changed = row_count;
  delete from app.post_versions where post_id = any (v_ids);
  update app.poll_options set text = ''
  where id in (select o.id
               from app.polls l join app.poll_options o on o.poll_id = l.id
               where l.post_id = any (v_ids) and o.text <> ''
               order by o.id for no key update of o);   -- lock by id: ARCHITECTURE.md, Locks
  return json_build_object('changed', v_changed, 'next', v_ids[500]);
end $$;
comment on function private.erase_next_posts is
  'For the worker and private.erase_posts: deletes the next 500 posts of an erased person {userId} after p_after, '
  'with their words, including those of earlier versions and of polls. Returns {changed, next}; next is null at the '
  'end.';
call private.force_index_scans('private.erase_next_posts');
call private.make_batch_queue('erased-posts', 'private.erase_next_posts');

create function private.erase_next_replies(p_job jsonb, p_after uuid default null) returns json
language plpgsql volatile security definer   -- an erasure changes rows that callers may not change
set search_path = ''
as $$
declare
  v_user    uuid := (p_job ->> 'userId')::uuid;
  v_ids     uuid[];
  v_changed integer;
begin
  perform from app.users where id = v_user and erased_at is not null for share;
  if not found then
    return json_build_object('changed', 0, 'next', null);
  end if;
  perform private.lock('erasure');   -- see private.leave_spaces
  v_ids := private.next_replies(v_user, p_after);
  perform private.lock_written('{}', v_ids);
  update app.replies set body = '', deleted_at = coalesce(deleted_at, now())
  where id = any (v_ids) and (deleted_at is null or body <> '');
  get diagnostics v_changed = row_count;
  return json_build_object('changed', v_changed, 'next', v_ids[500]);
end $$;
comment on function private.erase_next_replies is
  'For the worker and private.erase_posts: does the same as private.erase_next_posts, for the replies of a person '
  '{userId}.';
call private.force_index_scans('private.erase_next_replies');
call private.make_batch_queue('erased-replies', 'private.erase_next_replies');

create function private.erase_posts(p_user app.users) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_job    json := json_build_object('userId', p_user.id);
  v_series uuid[] := array(select id from app.series where author_id = p_user.id limit 10);
begin
  if private.erase_next_posts(v_job::jsonb) ->> 'next' is not null then
    perform private.erase_later('erased-posts', v_job);
  end if;
  perform private.erase_rows(p_user.id, 'app.post_co_authors', 'user_id = $1');
  if (select count(*) from (select from app.series_follows where series_id = any (v_series) limit 500) f) = 500 then
    perform private.erase_rows(p_user.id, 'app.series_follows',
                               'series_id in (select id from app.series where author_id = $1)');
  else
    -- each series has at most 200 items, and nothing else refers to a series
    delete from app.series where id = any (v_series);
    if cardinality(v_series) = 10 then
      perform private.erase_rest(p_user.id);
    end if;
  end if;
  perform private.erase_rows(p_user.id, 'app.series_follows', 'user_id = $1');
  perform private.erase_rows(p_user.id, 'app.post_mutes', 'user_id = $1');
  perform private.erase_rows(p_user.id, 'private.removed_bookmarks', 'user_id = $1');
  if private.erase_next_replies(v_job::jsonb) ->> 'next' is not null then
    perform private.erase_later('erased-replies', v_job);
  end if;
end $$;
comment on function private.erase_posts is
  'Step: deletes an erased person''s posts and replies, and permanently deletes their words, including those of '
  'earlier versions, polls and series; the newest 500 of each immediately. It removes the person''s name from what '
  'they wrote with others. Their reactions, bookmarks and votes remain in the counts, without a name, so that '
  'others keep what they earned from them.';
call private.force_index_scans('private.erase_posts');
insert into private.account_steps (step, events, position) values
  ('private.erase_posts', '{erasure}', 152);
