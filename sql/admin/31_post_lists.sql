-- How staff finds posts, replies and series.
-- docs/decisions.md, Staff.

create index posts_created_at_idx on app.posts (created_at desc, id desc);
comment on index app.posts_created_at_idx is 'Used by api.list_all_posts without a filter.';
create index posts_hidden_idx on app.posts (created_at desc, id desc) where hidden_at is not null;
comment on index app.posts_hidden_idx is
  'Used by api.list_all_posts for the posts that staff hid, and by api.get_metrics, which counts them.';
create index posts_by_author_idx on app.posts (author_id, created_at desc, id desc);
comment on index app.posts_by_author_idx is 'Used by api.list_all_posts for the posts of an author.';
create index replies_created_at_idx on app.replies (created_at desc, id desc);
create index replies_hidden_idx on app.replies (created_at desc, id desc) where hidden_at is not null;
create index series_created_at_idx on app.series (created_at desc, id desc);

create view private.staff_posts with (security_invoker) as
select p.created_at as at, p.id, p.author_id, p.format, p.interest_id, p.visibility, p.is_journalism as journalism,
       p.hidden_at is not null as hidden, concat_ws(' ', p.title, left(p.body, 5000)) as said,
       json_build_object(
         'id', p.id,
         'authorId', p.author_id,
         'author', author.card,
         'format', p.format,
         'title', p.title,
         'body', p.body,
         'media', p.media,
         'quotedPostId', p.quoted_post_id,
         'visibility', p.visibility,
         'depth', p.depth,
         'interestId', p.interest_id,
         'isJournalism', p.is_journalism,
         'groupId', case space.kind when 'group' then space.id end,
         'guildId', case space.kind when 'guild' then space.id end,
         'publishAt', private.utc(p.publish_at),
         'publishedAt', private.utc(p.published_at),
         'scheduledEmittedAt', private.utc(p.scheduled_emitted_at),
         'editedAt', private.utc(p.edited_at),
         'hiddenAt', private.utc(p.hidden_at),
         'deletedAt', private.utc(p.deleted_at),
         'createdAt', private.utc(p.created_at)) as card
from app.posts p
join app.person_card author on author.id = p.author_id
left join app.spaces space on space.id = p.space_id;
comment on view private.staff_posts is 'Posts as staff sees them, including hidden, scheduled and deleted ones.';

create function api.list_all_posts(
  p_format text default null, p_interest_id uuid default null, p_visibility text default null,
  p_journalism boolean default null, p_hidden boolean default null, p_author_id text default null,
  p_q text default null, p_from timestamptz default null, p_to timestamptz default null,
  p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page(
    'posts',
    json_build_object('format', p_format, 'interest_id', p_interest_id, 'visibility', p_visibility,
                      'journalism', p_journalism, 'hidden', p_hidden,
                      'author_id', private.find_staff_person(p_author_id)),
    array['author_id', case when p_hidden then 'hidden' end],
    p_q, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_all_posts is 'All posts, newest first, whatever their visibility.';

create view private.staff_replies with (security_invoker) as
select r.created_at as at, r.id, r.author_id, r.post_id, r.kind, r.hidden_at is not null as hidden, r.body as said,
       json_build_object(
         'id', r.id,
         'postId', r.post_id,
         'parentId', r.parent_id,
         'authorId', r.author_id,
         'author', author.card,
         'kind', r.kind,
         'body', r.body,
         'hiddenAt', private.utc(r.hidden_at),
         'deletedAt', private.utc(r.deleted_at),
         'createdAt', private.utc(r.created_at)) as card
from app.replies r
join app.person_card author on author.id = r.author_id;
comment on view private.staff_replies is 'Replies as staff sees them, including hidden and deleted ones.';

create function api.list_all_replies(
  p_kind text default null, p_hidden boolean default null, p_author_id text default null,
  p_q text default null, p_from timestamptz default null, p_to timestamptz default null,
  p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page(
    'replies',
    json_build_object('kind', p_kind, 'hidden', p_hidden, 'author_id', private.find_staff_person(p_author_id)),
    array['author_id', case when p_hidden then 'hidden' end], p_q, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_all_replies is 'All replies, newest first, whatever their visibility.';

create view private.staff_series with (security_invoker) as
select s.created_at as at, s.id, s.author_id, concat_ws(' ', s.title, s.description) as said,
       json_build_object(
         'id', s.id,
         'authorId', s.author_id,
         'author', author.card,
         'title', s.title,
         'description', s.description,
         'partCount', (select count(*) from app.series_items i where i.series_id = s.id),
         'createdAt', private.utc(s.created_at)) as card
from app.series s
join app.person_card author on author.id = s.author_id;
comment on view private.staff_series is 'Series as staff sees them; partCount includes hidden posts.';

create function api.list_all_series(
  p_author_id text default null, p_q text default null, p_from timestamptz default null,
  p_to timestamptz default null, p_limit integer default 20, p_cursor text default null
) returns json
language plpgsql stable
set search_path = ''
as $$
begin
  return private.staff_page(
    'series', json_build_object('author_id', private.find_staff_person(p_author_id)), array['author_id'],
    p_q, p_from, p_to, p_limit, p_cursor);
end $$;
comment on function api.list_all_series is 'Everybody''s series, newest first.';
