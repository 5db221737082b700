-- Reposts and quotes: which posts people can repost or quote, who is notified, and how they are counted.
-- api.create_post publishes them. Actions on a repost go to the original. The author of a repost can take it back even
-- if they can no longer see the original. docs/decisions.md, Posts.

insert into private.errors (code, status, text) values
  ('repost_own', 400, 'You cannot repost your own post.');

create function private.require_original(p_post uuid) returns app.posts
language plpgsql stable   -- runs as the invoker: rows that policies hide count as unknown
set search_path = ''
as $$
declare
  v_post app.posts := private.require_post(p_post);
begin
  if v_post.format = 'repost' then
    v_post := private.require_post(v_post.quoted_post_id);
  end if;
  return v_post;
end $$;
comment on function private.require_original is
  'Returns the post to which an action on this post applies: the original of a repost, or the post itself.';

create function private.require_published_original(p_post uuid) returns uuid
language plpgsql stable   -- runs as the invoker: rows that policies hide count as unknown
set search_path = ''
as $$
declare
  v_post app.posts := private.require_original(p_post);
begin
  if v_post.published_at is null then
    perform private.raise_error('post_not_out');
  end if;
  return v_post.id;
end $$;
comment on function private.require_published_original is
  'Does the same as private.require_original, for published posts. Nobody can act on a scheduled post.';

create function private.lock_open_post_space(p_post uuid) returns void
language plpgsql volatile security definer   -- its callers must check the post first
set search_path = ''
as $$
begin
  perform private.write_in_space((select p.space_id from app.posts p where p.id = p_post));
end $$;
comment on function private.lock_open_post_space is
  'Fails if a post is in an archived space, and prevents the archiving of its space until the transaction ends. In '
  'an archived space nobody can reply, react, vote or pay.';

create function private.require_quotable(p_post uuid) returns uuid
language plpgsql stable   -- runs as the invoker: rows that policies hide count as unknown
set search_path = ''
as $$
declare
  v_post app.posts := private.require_original(p_post);
begin
  -- this also rejects scheduled and hidden posts, because only their author sees them
  if v_post.author_id = private.require_caller() then
    perform private.raise_error('repost_own');
  end if;
  return v_post.id;
end $$;
comment on function private.require_quotable is
  'Returns the post to which a repost or a quote of this post refers: the original if this post is a repost, '
  'otherwise the post itself.';

create function private.count_reposts() returns trigger
language plpgsql security definer   -- only triggers may write counters
set search_path = ''
as $$
begin
  update app.post_counters
  set shares = shares + case when new.published_at is not null and new.deleted_at is null then 1 else -1 end
  where post_id = new.quoted_post_id;
  return null;
end $$;
comment on function private.count_reposts is
  'Trigger: counts the reposts that are published and not deleted. Quotes are not counted.';
create trigger _152_count_reposts after insert on app.posts
  for each row when (new.format = 'repost' and new.published_at is not null and new.deleted_at is null)
  execute function private.count_reposts();
create trigger _150_count_changed_reposts after update of published_at, deleted_at on app.posts
  for each row when (new.format = 'repost'
    and (old.published_at is not null and old.deleted_at is null)
        <> (new.published_at is not null and new.deleted_at is null))
  execute function private.count_reposts();

create function private.announce_quote(p_event jsonb) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post     app.posts;
  v_original uuid[];
begin
  select * into v_post from app.posts where id = (p_event ->> 'postId')::uuid;
  if v_post.quoted_post_id is null then
    return;
  end if;
  v_original := array(select o.author_id from app.posts o where o.id = v_post.quoted_post_id);
  if v_post.format = 'repost' then
    if private.post_visible_to(v_post.quoted_post_id, v_post.author_id) is not true then
      perform private.raise_error('post_unknown');   -- the original was deleted while the repost waited for its lock
    end if;
    perform private.emit('posts.post.reposted', json_build_object(
      'postId', v_post.quoted_post_id, 'repostId', v_post.id, 'userId', v_post.author_id), v_original);
  elsif v_post.format = 'quote' then
    perform private.emit('posts.post.quoted', json_build_object(
      'postId', v_post.quoted_post_id, 'quoteId', v_post.id, 'userId', v_post.author_id), v_original);
  end if;
end $$;
comment on function private.announce_quote is
  'Listener: emits an event for the original when a repost or a quote of it is published.';
insert into private.event_listeners (event, listener, position) values
  ('posts.post.published', 'private.announce_quote', 520);

create function private.find_reposted(p_post uuid) returns uuid
language plpgsql stable security definer   -- finds the caller's own repost even if they can no longer see it
set search_path = ''
as $$
begin
  return (select p.quoted_post_id from app.posts p
          where p.id = p_post and p.format = 'repost' and p.author_id = private.require_caller());
end $$;
comment on function private.find_reposted is
  'The original of the caller''s own repost, even if the repost is deleted or the caller can no longer see the '
  'original. Null for any other id.';

create function private.withdrawal_target(p_post uuid) returns uuid
language plpgsql stable   -- runs as the invoker, so that it reveals no hidden original
set search_path = ''
as $$
begin
  return coalesce(
    (select case p.format when 'repost' then p.quoted_post_id else p.id end from app.posts p where p.id = p_post),
    private.find_reposted(p_post),
    p_post);
end $$;
comment on function private.withdrawal_target is
  'The post from which the caller takes something back: the post of private.require_original or, if the caller can '
  'no longer see the post, p_id itself (for the caller''s own repost, the id of its original). People can take back '
  'what is theirs even then. It never fails.';

create function private.lock_original(p_post uuid) returns void
language plpgsql volatile security definer   -- only triggers may write counters
set search_path = ''
as $$
begin
  perform private.lock_counters(array(select p.quoted_post_id from app.posts p
                                      where p.id = p_post and p.format = 'repost'));
end $$;
comment on function private.lock_original is
  'Locks the counters of a repost''s original, which change when the repost is deleted. Call it before locking the '
  'repost (ARCHITECTURE.md, Locks). Does nothing for other posts.';

create function private.delete_repost(p_original uuid) returns boolean
language plpgsql volatile security definer   -- callers may not write deleted_at
set search_path = ''
as $$
begin
  perform private.delete_post(p.id)
  from app.posts p
  where p.author_id = private.require_caller() and p.quoted_post_id = p_original and p.format = 'repost'
    and p.deleted_at is null;
  return found or exists (
    select from app.posts p
    where p.author_id = private.require_caller() and p.quoted_post_id = p_original and p.format = 'repost');
end $$;
comment on function private.delete_repost is
  'Deletes the caller''s repost of a post, even if they can no longer see the post. Returns false if there never '
  'was a repost.';

insert into private.operations_of_people (operation) values ('repost');

create function api.repost(
  p_id uuid, p_body text default null, p_visibility text default 'public', p_depth integer default 0,
  p_interest_id uuid default null, p_interest_ids uuid[] default '{}', p_persona_id uuid default null,
  p_group_id text default null, p_guild_id text default null
) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_body text := coalesce(private.trimmed(p_body), '');
begin
  return api.create_post(
    p_body => v_body, p_format => case v_body when '' then 'repost' else 'quote' end, p_quoted_post_id => p_id,
    p_visibility => p_visibility, p_depth => p_depth, p_interest_id => p_interest_id, p_interest_ids => p_interest_ids,
    p_persona_id => p_persona_id, p_group_id => p_group_id, p_guild_id => p_guild_id);
end $$;
comment on function api.repost is
  'Reposts a post, or quotes it if there is a body. If the caller''s repost already exists, returns it. Takes an '
  'Idempotency-Key, as api.create_post does.';

create function api.unrepost(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post uuid := private.withdrawal_target(p_id);
begin
  if not private.delete_repost(v_post) then
    perform private.require_post(v_post);
  end if;
  return null;   -- null becomes a 204 response
end $$;
comment on function api.unrepost is
  'Takes the caller''s repost of a post back, by the id of the post or of a repost of it, even if the caller can no '
  'longer see the post; repeating it changes nothing.';
