-- The only rule of visibility, which all policies use, and how operations find a post. docs/decisions.md, Visibility.

insert into private.lock_kinds (kind, position) values ('post', 510);

create function private.post_visible_to(p_post uuid, p_viewer uuid) returns boolean
language plpgsql stable security definer   -- also checks for other people, and reads the original of a repost
set search_path = ''
as $$
begin
  return (
    select v.is_visible
    from app.posts p
    cross join lateral private.visibility(p.author_id, p.required_level, p.space_id, p.format, p.quoted_post_id,
                                          p_viewer) v
    where p.id = p_post);
end $$;
comment on function private.post_visible_to is
  'Returns whether a person may see a post, for definer functions that notify others of it. Null if there is no such '
  'post.';

create function private.visibility(
  p_author uuid, p_required integer, p_space uuid default null, p_format text default '', p_quoted uuid default null,
  p_viewer uuid default null
) returns table (level smallint, is_inside boolean, is_silenced boolean, is_addressed boolean, is_visible boolean)
language sql stable   -- without a search_path, so that Postgres inlines it: test/guards.test.ts
begin atomic
  select f.level, f.is_inside, f.is_silenced,
         f.level >= p_required and f.is_inside,
         f.level >= p_required and f.is_inside and not f.is_silenced
         and (p_format <> 'repost' or private.post_visible_to(p_quoted, coalesce(p_viewer, (select app.uid()))))
  from (
    select coalesce((select a.level from app.audience a
                     where a.viewer_id = coalesce(p_viewer, (select app.uid())) and a.author_id = p_author),
                    0::smallint) as level,
           p_space is null or (select true from app.space_members m
                               where m.space_id = p_space
                                 and m.user_id = coalesce(p_viewer, (select app.uid()))) is true as is_inside,
           (select true from app.hidden_people s where s.user_id = p_author) is not null as is_silenced
    offset 0) f;   -- compute each column only once
end;
comment on function private.visibility is
  'The only rule of visibility. The row has this author and required level; it may be in a space, and it may be a '
  'repost. level: the viewer''s audience level to the author (app.audience, 0 for a stranger). is_inside: the row '
  'is in no space, or the viewer is a member of the space. is_silenced: the author is banned or erased. '
  'is_addressed: is_inside, and the level is high enough. is_visible: is_addressed and not is_silenced, and for a '
  'repost the original is visible, too. If p_viewer is null, the viewer is the caller. Runs with the caller''s '
  'rights.';

create view private.posts_with_visibility with (security_invoker) as
select p.*, v.level as viewer_level, v.is_visible
from app.posts p
cross join lateral private.visibility(p.author_id, p.required_level, p.space_id, p.format, p.quoted_post_id) v;
comment on view private.posts_with_visibility is
  'All posts, with two columns of private.visibility: viewer_level, the caller''s audience level to the author, and '
  'is_visible, whether the caller may see the post.';

create view private.visible_posts with (security_invoker) as
select * from private.posts_with_visibility where is_visible;
comment on view private.visible_posts is
  'The posts that the caller may see, for definer functions, to which policies do not apply. The view checks a post '
  'once, whereas the policy of each table that belongs to posts would check it again.';

create function private.limited_post_for(p_author uuid, p_format text, p_quoted uuid)
returns table (is_limited boolean)
language sql stable   -- without a search_path, so that Postgres inlines it: test/guards.test.ts
begin atomic
  select l.is_limited
      or p_format = 'repost' and (select o.is_limited
                                  from app.posts p cross join lateral private.limited_for(p.author_id) o
                                  where p.id = p_quoted) is true
  from private.limited_for(p_author) l;
end;
comment on function private.limited_post_for is
  'Returns whether feeds, searches and suggestions leave out a post for the caller, in one row. They do if its '
  'author is limited for the caller (private.limited_for) or, for a repost, the author of the original.';

create view private.listed_posts with (security_invoker) as
select p.*
from private.visible_posts p
cross join lateral private.limited_post_for(p.author_id, p.format, p.quoted_post_id) l
where not l.is_limited;
comment on view private.listed_posts is
  'The posts that feeds, searches and suggestions may have for the caller: visible posts, without those that '
  'private.limited_post_for leaves out. The view is for definer functions.';

create function private.require_post(p_post uuid) returns app.posts
language plpgsql stable   -- runs as the invoker: rows that policies hide count as unknown
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
comment on function private.require_post is 'Returns the post if the caller may see it.';

create function private.require_published_post(p_post uuid) returns app.posts
language plpgsql stable   -- runs as the invoker: rows that policies hide count as unknown
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
  'Returns the post if the caller may see it and it is published. Nobody can act on a scheduled post, not even its '
  'author.';

create function private.lock_own_post(p_post uuid) returns app.posts
language plpgsql volatile   -- locks the row; runs as the invoker: rows that policies hide count as unknown
set search_path = ''
as $$
declare
  v_post app.posts := private.require_post(p_post);
begin
  if v_post.author_id <> private.require_caller() then
    perform private.raise_error('post_not_yours');
  end if;
  perform private.check_lock_order('post', p_post::text);
  select * into v_post from app.posts where id = p_post for update;
  if not found then
    perform private.raise_error('post_unknown');
  end if;
  return v_post;
end $$;
comment on function private.lock_own_post is 'Returns the caller''s own post, locked until the transaction ends.';

create function private.find_post_time(p_post uuid) returns timestamptz
language plpgsql stable security definer   -- a cursor stays valid when its post is deleted or hidden
set search_path = ''
as $$
begin
  return (
    select p.published_at
    from app.posts p
    cross join lateral private.visibility(p.author_id, private.visibility_level(p.visibility), p.space_id) v
    where p.id = p_post and v.is_addressed
      and (p.format <> 'repost' or private.find_post_time(p.quoted_post_id) is not null));
end $$;
comment on function private.find_post_time is
  'The time of a cursor''s post, even if the post is deleted or hidden. Null if the caller is not in the post''s '
  'audience, or if the post is not published.';
