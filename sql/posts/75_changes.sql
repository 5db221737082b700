-- The changes of posts, replies and people that GET /sync lists (sql/base/63_changes.sql). docs/decisions.md, Feed.

create function private.note_changed_post() returns trigger
language plpgsql security definer   -- people may not write changes
set search_path = ''
as $$
begin
  -- Only its author can see a post until it is published. Publishing also clears publish_at.
  perform private.note_changed('post', new.id, case
    when old.published_at is null or old.publish_at is distinct from new.publish_at then 3
    else least(old.required_level, new.required_level) end);
  return null;
end $$;
comment on function private.note_changed_post is
  'Trigger: notes a change of a post''s words, details or visibility.';
create constraint trigger _900_note_changed_post
  after update of title, body, media, visibility, depth, interest_id, persona_id, is_journalism, publish_at,
                  published_at, pinned_at, hidden_at, deleted_at, author_banned on app.posts
  deferrable initially deferred
  for each row when ((old.card_start, old.body, old.persona_id, old.required_level)
                     is distinct from (new.card_start, new.body, new.persona_id, new.required_level))
  execute function private.note_changed_post();

create function private.note_edited_post(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
begin
  perform private.note_changed('post', p.id, p.required_level)
  from app.posts p where p.id = (p_event ->> 'postId')::uuid;
end $$;
comment on function private.note_edited_post is
  'Listener: notes an edit of a post that changed only its further interests. The trigger notes all other edits.';
insert into private.event_listeners (event, listener, position) values
  ('posts.post.edited', 'private.note_edited_post', 210);

create function private.find_changed_posts(p_ids uuid[], p_levels smallint[]) returns setof app.change
language plpgsql stable security definer   -- deleted posts are included
set search_path = ''
as $$
begin
  return query
  select p.id, 'post', not present.is_visible
  from unnest(p_ids, p_levels) c (id, level)
  join app.posts p on p.id = c.id
  cross join lateral private.visibility(p.author_id, c.level, p.space_id) noted
  cross join lateral private.visibility(p.author_id, p.required_level, p.space_id, p.format, p.quoted_post_id) present
  where noted.is_addressed
    and (p.format <> 'repost' or private.find_post_time(p.quoted_post_id) is not null);
end $$;
comment on function private.find_changed_posts is
  'Returns the changed posts for which the caller has the level of the change: {id, type, gone}.';
call private.force_index_scans('private.find_changed_posts');
insert into private.change_sources (source, finder) values ('post', 'private.find_changed_posts');

create function private.note_changed_reply() returns trigger
language plpgsql security definer   -- people may not write changes
set search_path = ''
as $$
begin
  -- only the author of a hidden or deleted post and the author of the reply could see the reply
  perform private.note_changed('reply', new.id, case
    when (select p.required_level from app.posts p where p.id = new.post_id) > 2 then 3
    else least(old.required_level, new.required_level) end);
  return null;
end $$;
comment on function private.note_changed_reply is
  'Trigger: notes that a reply was hidden, shown again or deleted.';
create constraint trigger note_changed_reply after update of hidden_at, deleted_at, author_banned on app.replies
  deferrable initially deferred
  for each row when (old.required_level <> new.required_level)
  execute function private.note_changed_reply();

create function private.find_changed_replies(p_ids uuid[], p_levels smallint[]) returns setof app.change
language plpgsql stable security definer   -- deleted replies are included
set search_path = ''
as $$
begin
  return query
  select r.id, 'reply', not exists (select from private.visible_replies v where v.id = r.id)
  from unnest(p_ids, p_levels) c (id, level)
  join app.replies r on r.id = c.id
  join private.visible_posts p on p.id = r.post_id
  cross join lateral private.visibility(r.author_id, case when p.author_id = app.uid() then 0 else c.level end) noted
  where noted.is_addressed;
end $$;
comment on function private.find_changed_replies is
  'Does the same as private.find_changed_posts, for replies to posts that the caller can see. It leaves out other '
  'replies, which the client has discarded with their post.';
call private.force_index_scans('private.find_changed_replies');
insert into private.change_sources (source, finder) values ('reply', 'private.find_changed_replies');

create function private.note_changed_person() returns trigger
language plpgsql security definer   -- people may not write changes
set search_path = ''
as $$
begin
  perform private.note_changed('person', old.person_id, 0);   -- an erasure gives the row another person_id
  return null;
end $$;
comment on function private.note_changed_person is
  'Trigger: notes a change of a public profile, a ban, its end, or an erasure.';
create constraint trigger _900_note_changed_person
  after update of username, first_name, last_name, country, city, about, profile_pic_url, banned_at, erased_at
  on app.users
  deferrable initially deferred
  for each row when ((old.username, old.first_name, old.last_name, old.country, old.city, old.about,
                      old.profile_pic_url, old.banned_at is null, old.erased_at is null)
                     is distinct from (new.username, new.first_name, new.last_name, new.country, new.city, new.about,
                                       new.profile_pic_url, new.banned_at is null, new.erased_at is null))
  execute function private.note_changed_person();

create function private.find_changed_people(p_ids uuid[], p_levels smallint[]) returns setof app.change
language plpgsql stable security definer   -- banned people are included
set search_path = ''
as $$
begin
  return query
  select c.id, 'person', u.id is null or not v.is_visible
  from unnest(p_ids, p_levels) c (id, level)
  left join app.users u on u.person_id = c.id
  cross join lateral private.visibility(u.id, c.level) v
  where u.id is null or v.is_addressed;
end $$;
comment on function private.find_changed_people is
  'Does the same as private.find_changed_posts, for people, by personId. Everybody learns that an erased person is '
  'gone, because no data about blocks remains.';
call private.force_index_scans('private.find_changed_people');
insert into private.change_sources (source, finder) values ('person', 'private.find_changed_people');
