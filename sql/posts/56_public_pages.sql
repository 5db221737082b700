-- Public pages show a public post or a person to everybody who has the link, if the instance serves such pages.
-- docs/decisions.md, Visibility.

create view private.people_with_page with (security_invoker) as
select l.* from private.listed_people l join app.accounts a on a.user_id = l.id and a.has_public_page;
comment on view private.people_with_page is
  'The people who have a public page: private.listed_people without people who turned it off. The view is for '
  'definer functions.';

create view private.posts_with_page with (security_invoker) as
select p.* from private.listed_posts p join private.people_with_page l on l.id = p.author_id
where p.format <> 'repost';
comment on view private.posts_with_page is
  'The posts that have a public page: posts of private.listed_posts, except reposts, by people who have a public '
  'page. The view is for definer functions.';

create function private.public_author(p_id uuid) returns json
language plpgsql stable security definer   -- its callers check whether everybody may see the person
set search_path = ''
as $$
begin
  return (select json_build_object('username', u.username, 'firstName', u.first_name, 'lastName', u.last_name,
                                   'profilePicUrl', u.profile_pic_url)
          from app.users u where u.id = p_id);
end $$;
comment on function private.public_author is
  'The fields of a person on a public page, {username, firstName, lastName, profilePicUrl}.';

create function api.get_public_post(p_post uuid) returns json
language plpgsql stable security definer   -- only for gate: no policy is for callers without a token
set search_path = ''
as $$
begin
  return (
    select json_build_object(
      'id', p.id, 'title', p.title, 'body', p.body, 'media', p.media,
      'publishedAt', private.utc(p.published_at), 'editedAt', private.utc(p.edited_at),
      'author', private.public_author(p.author_id),
      'persona', (select s.name from app.personas s where s.id = p.persona_id),
      'quotedPostId', (select q.id from private.posts_with_page q where q.id = p.quoted_post_id))
    from private.posts_with_page p
    where p.id = p_post);
end $$;
comment on function api.get_public_post is
  'A post of private.posts_with_page (without a caller) for its public page, {id, title, body, media, publishedAt, '
  'editedAt, author, persona, quotedPostId}; null if there is no such post. quotedPostId is null if the quoted post '
  'has no page.';

create function api.get_public_profile(p_username text) returns json
language plpgsql stable security definer   -- only for gate: no policy is for callers without a token
set search_path = ''
as $$
begin
  return (
    select json_build_object(
      'person', private.public_author(l.id),
      'about', u.about,
      'posts', (
        select coalesce(json_agg(json_build_object(
                 'id', v.id, 'title', v.title, 'excerpt', left(v.body, 200),
                 'publishedAt', private.utc(v.published_at)) order by w.published_at desc, w.id desc), '[]')
        from (select p.id, p.published_at from app.posts p
              where p.author_id = l.id and p.required_level = 0 and p.space_id is null
              order by p.published_at desc, p.id desc limit 40) w
        join private.posts_with_page v on v.id = w.id))
    from private.people_with_page l join app.users u on u.id = l.id
    where l.id = private.find_person(p_username));
end $$;
comment on function api.get_public_profile is
  'A person of private.people_with_page (without a caller) for their public page, {person, about, posts}; null if '
  'there is no such person. The field posts has those of the newest 40 posts that have a page.';
