-- How authors edit and delete their posts. An edit notifies nobody, and publishes nothing again. docs/decisions.md,
-- Posts.

insert into private.errors (code, status, text) values
  ('post_fixed', 422, 'The format, poll, quoted post, group and guild of a post cannot be changed.'),
  ('post_is_published', 422, 'This post is already published. publishAt can only be changed while a post is '
  'scheduled.');

insert into private.write_limits (kind, per_hour) values ('edits', 300);

create function private.keep_version() returns trigger
language plpgsql security definer   -- only this trigger may write versions
set search_path = ''
as $$
begin
  insert into app.post_versions (post_id, version, title, body, media)
  select old.id, coalesce(max(v.version), 0) + 1, old.title, old.body, old.media
  from app.post_versions v where v.post_id = old.id;
  new.edited_at := now();
  return new;
end $$;
comment on function private.keep_version is
  'Trigger: stores the text of a post before an edit of its words, and sets edited_at. It stores nothing for a '
  'scheduled post, which nobody has read, or during an erasure.';
create trigger _110_keep_version before update of title, body, media on app.posts
  for each row when ((old.title, old.body, old.media) is distinct from (new.title, new.body, new.media)
                     and old.published_at is not null and new.deleted_at is null)
  execute function private.keep_version();

create function private.mirror_interest() returns trigger
language plpgsql security definer   -- only triggers may write which interest is the primary one
set search_path = ''
as $$
begin
  delete from app.post_interests where post_id = new.id and is_primary;
  if new.interest_id is not null then
    insert into app.post_interests (post_id, interest_id, is_primary) values (new.id, new.interest_id, true)
    on conflict (post_id, interest_id) do update set is_primary = true;
  end if;
  return null;
end $$;
comment on function private.mirror_interest is
  'Trigger: copies a new primary interest of a post to app.post_interests.';
create trigger _180_mirror_interest after update of interest_id on app.posts
  for each row when (new.interest_id is distinct from old.interest_id) execute function private.mirror_interest();

create function api.update_post(p_id uuid, p_changes jsonb) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post     app.posts;
  v_time     timestamptz := (p_changes ->> 'publishAt')::timestamptz;
  v_interest uuid;
  v_others   uuid[];
  v_more     uuid[];
  v_now      app.posts;
begin
  -- count before the post is locked (ARCHITECTURE.md, Locks); authors may save a scheduled post as often as they like
  if exists (select from app.posts p
             where p.id = p_id and p.author_id = private.require_caller() and p.published_at is not null) then
    perform private.count_writes('edits');
  end if;
  v_post := private.lock_own_post(p_id);
  v_interest := v_post.interest_id;
  v_others := array(select interest_id from app.post_interests
                    where post_id = p_id and not is_primary order by interest_id);
  v_more := v_others;
  if p_changes ?| '{format,poll,quotedPostId,groupId,guildId}' then
    perform private.raise_error('post_fixed');
  end if;
  if v_post.format = 'repost'
     and p_changes ?| '{title,body,media,depth,interestId,interestIds,personaId,isJournalism,publishAt}' then
    perform private.raise_error('repost_bare');
  end if;
  if p_changes ? 'publishAt' then
    if v_post.published_at is not null then
      perform private.raise_error('post_is_published');
    end if;
    perform private.require_future(v_time);
  end if;
  if p_changes ? 'interestId' then
    v_interest := (p_changes ->> 'interestId')::uuid;
  end if;
  if p_changes ? 'interestIds' then
    v_more := array(select i::uuid from jsonb_array_elements_text(nullif(p_changes -> 'interestIds', 'null')) i);
  end if;
  if p_changes ?| '{interestId,interestIds}' then
    v_more := private.require_further_interests(v_interest, v_more);
  end if;

  update app.posts set
    title = case when p_changes ? 'title' then private.require_name(p_changes ->> 'title') else title end,
    body = case when p_changes ? 'body' then private.require_text(p_changes ->> 'body') else body end,
    media = case when p_changes ? 'media'
                 then private.require_media(nullif(p_changes -> 'media', 'null'), format) else media end,
    visibility = case when p_changes ? 'visibility' then p_changes ->> 'visibility' else visibility end,
    depth = case when p_changes ? 'depth' then (p_changes ->> 'depth')::smallint else depth end,
    interest_id = v_interest,
    persona_id = case when p_changes ->> 'personaId' is not null
                      then private.require_own_persona((p_changes ->> 'personaId')::uuid)
                      when p_changes ? 'personaId' then null else persona_id end,
    is_journalism = case when p_changes ? 'isJournalism' then (p_changes ->> 'isJournalism')::boolean
                         else is_journalism end,
    publish_at = coalesce(v_time, publish_at)
  where id = p_id
  returning * into v_now;
  if p_changes ?| '{interestId,interestIds}' then
    delete from app.post_interests where post_id = p_id and not is_primary and interest_id <> all (v_more);
    insert into app.post_interests (post_id, interest_id) select p_id, i from unnest(v_more) i on conflict do nothing;
  end if;
  if v_post.published_at is not null and (v_post, v_others) is distinct from (v_now, v_more) then
    perform private.emit('posts.post.edited', json_build_object('postId', p_id), array[v_post.author_id]);
  elsif p_changes -> 'publishAt' = 'null' then
    perform private.publish_now(p_id);
  end if;
  return private.post_card(p_id);
end $$;
comment on function api.update_post is
  'Changes the caller''s post, {title, body, media, visibility, depth, interestId, interestIds, personaId, '
  'isJournalism, publishAt}. Absent fields do not change. The previous text is kept. publishAt moves a scheduled '
  'post; null publishes it now. Fails: post_title, post_body, poll_closes_at, journalism_not_allowed, '
  'space_visibility.';

create function private.delete_post(p_post uuid) returns uuid
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post app.posts;
begin
  perform private.lock_original(p_post);
  update app.posts set deleted_at = now()
  where id = p_post and deleted_at is null
  returning * into v_post;
  if found then
    perform private.emit('posts.post.deleted', json_build_object('postId', p_post, 'authorId', v_post.author_id),
                         array[v_post.author_id]);
  end if;
  if v_post.format = 'repost' then
    perform private.emit('posts.post.unreposted',
      json_build_object('postId', o.id, 'userId', v_post.author_id), array[o.author_id])
    from app.posts o where o.id = v_post.quoted_post_id;
  end if;
  return v_post.author_id;
end $$;
comment on function private.delete_post is
  'Deletes a post for everyone and returns its author; the row and its words remain for the staff. Returns null if '
  'the post was already deleted. The function is for definer functions and staff operations.';

create function private.delete_own_post(p_post uuid) returns boolean
language plpgsql volatile security definer   -- nobody sees a deleted post, so no policy can let its author write it
set search_path = ''
as $$
begin
  return (select private.delete_post(p.id) is not null
          from app.posts p where p.id = p_post and p.author_id = private.require_caller());
end $$;
comment on function private.delete_own_post is
  'Deletes the caller''s own post. Returns false if it was already deleted, null if it is not the caller''s.';

create function api.delete_post(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
begin
  -- works even if callers cannot see their own post, such as a repost of a hidden post, or a post in a space that they
  -- left
  if private.delete_own_post(p_id) is not true then
    perform private.lock_own_post(p_id);
    perform private.raise_error('post_unknown');   -- a concurrent call has deleted the post
  end if;
  return null;   -- null becomes a 204 response
end $$;
comment on function api.delete_post is
  'Deletes the caller''s post. It may be hidden or scheduled, be a repost whose original the caller can no longer '
  'see, or be in a group or guild that the caller has left.';
