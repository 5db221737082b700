-- Who sees a post, and how operations find one. The policy is in policies/posts.sql.
-- docs/decisions.md, Visibility.

create function private.post_visible_to(p_post uuid, p_viewer uuid) returns boolean
language plpgsql stable security definer   -- checks for others than the caller, and reads the original of a repost
set search_path = ''
as $$
begin
  return (
    select private.may_see(
             private.find_level(p_viewer, p.author_id), p.required_level,
             p.space_id is null or exists (select from app.space_members m
                                           where m.space_id = p.space_id and m.user_id = p_viewer))
       and (select true from app.hidden_people s where s.user_id = p.author_id) is null
       and (p.format <> 'repost' or private.post_visible_to(p.quoted_post_id, p_viewer))
    from app.posts p where p.id = p_post);
end $$;
comment on function private.post_visible_to is
  'Whether a person may see a post, for definer functions that tell others about it. A repost is visible to those who '
  'may see its original. Null when there is no such post.';

create view private.posts_with_visibility with (security_invoker) as
select p.*, v.viewer_level,
       -- private.may_see in place: a page asks this of 50 posts and more, and calling it takes as long as the level
       v.viewer_level >= p.required_level
       and (p.space_id is null or (select true from app.space_members m
                                   where m.space_id = p.space_id and m.user_id = (select app.uid())) is true)
       and (select true from app.hidden_people s where s.user_id = p.author_id) is null
       and (p.format <> 'repost' or private.post_visible_to(p.quoted_post_id, (select app.uid()))) as is_visible
from app.posts p
cross join lateral (
  select coalesce((select a.level from app.audience a
                   where a.viewer_id = (select app.uid()) and a.author_id = p.author_id), 0) as viewer_level
  offset 0) v;   -- once
comment on view private.posts_with_visibility is
  'All posts, each with the caller''s level to its author (viewer_level: app.audience) and whether the caller may see '
  'it (is_visible), by the rule of the policy of app.posts.';

create view private.visible_posts with (security_invoker) as
select * from private.posts_with_visibility where is_visible;
comment on view private.visible_posts is
  'The posts that the caller may see. It is for definer functions, to which no policy applies: they check a post '
  'once, where the policies of everything that belongs to it would each check it again.';

create function private.require_post(p_post uuid) returns app.posts
language plpgsql stable   -- invoker: what row-level security hides is unknown
set search_path = ''
as $$
declare
  v_post app.posts;
begin
  select * into v_post from app.posts where id = p_post;
  if not found then
    perform private.raise_error('post_unknown');
  end if;
  return v_post;
end $$;
comment on function private.require_post is 'Answers the post if the caller may see it. Fails: post_unknown.';

create function private.require_published_post(p_post uuid) returns app.posts
language plpgsql stable   -- invoker: what row-level security hides is unknown
set search_path = ''
as $$
declare
  v_post app.posts := private.require_post(p_post);
begin
  if v_post.published_at is null then
    perform private.raise_error('post_not_out');
  end if;
  return v_post;
end $$;
comment on function private.require_published_post is
  'Answers the post if the caller may see it and it is out: nobody can act on a scheduled one, not even its author. '
  'Fails: post_unknown, post_not_out.';

create function private.lock_own_post(p_post uuid) returns app.posts
language plpgsql volatile   -- locks it; invoker: what row-level security hides is unknown
set search_path = ''
as $$
declare
  v_post app.posts := private.require_post(p_post);
begin
  if v_post.author_id <> private.require_caller() then
    perform private.raise_error('post_not_yours');
  end if;
  select * into v_post from app.posts where id = p_post for update;
  if not found then
    perform private.raise_error('post_unknown');
  end if;
  return v_post;
end $$;
comment on function private.lock_own_post is
  'Answers the caller''s own post, locked until the transaction ends. Fails: post_unknown, post_not_yours.';

create function private.find_post_time(p_post uuid) returns timestamptz
language plpgsql stable security definer   -- a cursor stays good when its post is deleted or hidden
set search_path = ''
as $$
begin
  return (
    select p.published_at from app.posts p
    where p.id = p_post
      and private.may_see(
        private.find_level(app.uid(), p.author_id),
        private.visibility_level(p.visibility),
        p.space_id is null or exists (select from app.space_members m
                                      where m.space_id = p.space_id and m.user_id = app.uid()))
      and (p.format <> 'repost' or private.find_post_time(p.quoted_post_id) is not null));
end $$;
comment on function private.find_post_time is
  'The time of a cursor''s post, also of a deleted one, but not of one that was never for the caller or is not out '
  'yet.';
