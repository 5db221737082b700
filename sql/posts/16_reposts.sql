-- Reposts and quotes: what may be passed on, who is told, and how often it was.
-- Specification: Resources › Post (formats, counters); Errors (self-repost). Decisions: Visibility. How one is published:
-- api.create_post.

insert into private.errors (word, status, text) values
  ('repost_own', 400, 'You cannot repost your own post.');

create function private.quotable(p_post uuid) returns uuid
language plpgsql stable   -- invoker: what row-level security hides is unknown
set search_path = ''
as $$
declare
  v_post app.posts := private.post(p_post);
begin
  if v_post.format = 'repost' then
    v_post := private.post(v_post.quoted_post_id);
  end if;
  -- a scheduled or hidden one is refused with this too: nobody but its author sees it
  if v_post.author_id = private.caller() then
    perform private.fail('repost_own');
  end if;
  return v_post.id;
end $$;
comment on function private.quotable is
  'The post that a repost or a quote of this one is of: of a repost the original. Fails: post_unknown, repost_own.';

create function private.count_shares() returns trigger
language plpgsql security definer   -- counters are written by triggers alone
set search_path = ''
as $$
begin
  update app.post_counters
  set shares = shares + case when new.published_at is not null and new.deleted_at is null then 1 else -1 end
  where post_id = new.quoted_post_id;
  return null;
end $$;
comment on function private.count_shares is
  'Trigger: counts the reposts that are out and not deleted, whoever deleted them. Quotes are not counted (specification, Counters).';
create trigger count_shares after insert on app.posts
  for each row when (new.format = 'repost' and new.published_at is not null and new.deleted_at is null)
  execute function private.count_shares();
create trigger count_changed_shares after update of published_at, deleted_at on app.posts
  for each row when (new.format = 'repost'
    and (old.published_at is not null and old.deleted_at is null) <> (new.published_at is not null and new.deleted_at is null))
  execute function private.count_shares();

create function private.tell_of_quote() returns trigger
language plpgsql security definer   -- a scheduled quote goes out when its author is away
set search_path = ''
as $$
declare
  v_post app.posts;
begin
  select * into v_post from app.posts where id = (new.payload ->> 'postId')::uuid and quoted_post_id is not null;
  if v_post.format = 'repost' then
    if private.post_visible_to(v_post.quoted_post_id, v_post.author_id) is not true then
      perform private.fail('post_unknown');   -- deleted while the repost waited for it
    end if;
    perform private.emit('posts.post.reposted', json_build_object(
      'postId', v_post.quoted_post_id, 'repostId', v_post.id, 'userId', v_post.author_id));
  elsif v_post.format = 'quote' then
    perform private.emit('posts.post.quoted', json_build_object(
      'postId', v_post.quoted_post_id, 'quoteId', v_post.id, 'userId', v_post.author_id));
  end if;
  return null;
end $$;
comment on function private.tell_of_quote is
  'Trigger: a repost or a quote that goes out is an event of the post that it is of. Fails: post_unknown.';
create trigger tell_of_quote after insert on app.domain_events
  for each row when (new.name = 'posts.post.published') execute function private.tell_of_quote();

create function private.reposted(p_post uuid) returns uuid
language plpgsql stable security definer   -- one's own repost names what it was of also when it is deleted
set search_path = ''
as $$
begin
  return coalesce((select p.quoted_post_id from app.posts p
                   where p.id = p_post and p.format = 'repost' and p.author_id = app.uid()), p_post);
end $$;
comment on function private.reposted is 'What the caller''s own repost is of; any other id stays as it is.';

create function private.delete_repost(p_original uuid) returns void
language plpgsql volatile security definer   -- deleting is no right that people have on the table
set search_path = ''
as $$
begin
  perform private.delete_post(p.id)
  from app.posts p
  where p.author_id = private.caller() and p.quoted_post_id = p_original and p.format = 'repost' and p.deleted_at is null;
end $$;
comment on function private.delete_repost is 'Deletes the caller''s repost of a post, if there is one.';

create function api.repost(
  p_id uuid, p_body text default null, p_visibility text default 'public', p_depth integer default 0,
  p_interest_id uuid default null, p_interest_ids uuid[] default '{}', p_persona_id uuid default null
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
    p_persona_id => p_persona_id);
end $$;
comment on function api.repost is
  'Reposts a post, or with a body quotes it. A repost that stands is answered again. Takes an Idempotency-Key, as api.create_post. Fails: post_unknown, repost_own, and as api.create_post.';

create function api.unrepost(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post app.posts := private.post(private.reposted(p_id));
begin
  perform private.delete_repost(case v_post.format when 'repost' then v_post.quoted_post_id else v_post.id end);
  return null;   -- answered as 204
end $$;
comment on function api.unrepost is
  'Takes the caller''s repost of a post back, by the id of the post or of a repost of it; repeating it changes nothing. Fails: post_unknown.';
