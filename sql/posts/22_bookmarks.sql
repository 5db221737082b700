-- Bookmarks are the posts that people save for themselves.

create table app.bookmarks (
  post_id    uuid not null references app.posts on delete cascade,
  user_id    uuid not null references app.users on delete cascade,
  created_at timestamptz not null default now(),
  primary key (user_id, post_id)
);
create index bookmarks_user_id_idx on app.bookmarks (user_id, created_at desc, post_id desc);
create index bookmarks_post_id_idx on app.bookmarks (post_id);
comment on table app.bookmarks is 'The posts that people bookmarked. Others see only a count.';
-- no right to update, because people only set bookmarks or take them back

create table private.removed_bookmarks (
  user_id    uuid not null,
  post_id    uuid not null,
  created_at timestamptz not null,
  ended_at   timestamptz not null default now(),
  primary key (user_id, post_id)
);
create index removed_bookmarks_ended_at_idx on private.removed_bookmarks (ended_at);
comment on table private.removed_bookmarks is
  'The positions of removed bookmarks, kept for a day, so that a cursor at a removed bookmark stays valid. The ids '
  'have no foreign keys, because nothing depends on them.';
comment on column private.removed_bookmarks.ended_at is 'When the bookmark was taken back.';
insert into private.retention (relation, counts_from, keep) values ('private.removed_bookmarks', 'ended_at', '1 day');
-- bookmarks have a limit, because each adds an entry to two ledgers, and taking the bookmark back does not delete them
insert into private.write_limits (kind, per_hour) values ('bookmarks', 2000);

create function private.count_bookmarks() returns trigger
language plpgsql security definer   -- only triggers may write counters
set search_path = ''
as $$
begin
  update app.post_counters set bookmarks = bookmarks + case tg_op when 'INSERT' then 1 else -1 end
  where post_id = coalesce(new.post_id, old.post_id);
  return null;
end $$;
comment on function private.count_bookmarks is 'Trigger: counts bookmarks, including those of the author.';
create trigger _100_count_bookmarks after insert or delete on app.bookmarks
  for each row execute function private.count_bookmarks();

create function private.keep_removed_bookmarks() returns trigger
language plpgsql security definer   -- only this trigger may write private.removed_bookmarks
set search_path = ''
as $$
begin
  insert into private.removed_bookmarks (user_id, post_id, created_at)
  select user_id, post_id, created_at from ended
  on conflict (user_id, post_id) do update set created_at = excluded.created_at, ended_at = now();
  return null;
end $$;
comment on function private.keep_removed_bookmarks is
  'Trigger: keeps the place of a removed bookmark in private.removed_bookmarks.';
create trigger _110_keep_removed after delete on app.bookmarks
  referencing old table as ended for each statement execute function private.keep_removed_bookmarks();

insert into private.event_types (name, payload, happens) values
  ('posts.bookmark.added', '{postId,userId}',
   'somebody has bookmarked a post'),
  ('posts.bookmark.removed', '{postId,userId}',
   'somebody has removed a bookmark');

create function private.announce_bookmarks() returns trigger
language plpgsql security definer   -- the caller may take a bookmark back without seeing the author of the post
set search_path = ''
as $$
begin
  perform private.emit(
    case tg_op when 'INSERT' then 'posts.bookmark.added' else 'posts.bookmark.removed' end,
    json_build_object('postId', c.post_id, 'userId', c.user_id), array[p.author_id, c.user_id])
  from changed c join app.posts p on p.id = c.post_id;
  return null;
end $$;
comment on function private.announce_bookmarks is
  'Trigger: emits posts.bookmark.added and posts.bookmark.removed.';
create trigger _300_announce_added after insert on app.bookmarks
  referencing new table as changed for each statement execute function private.announce_bookmarks();
create trigger _300_announce_removed after delete on app.bookmarks
  referencing old table as changed for each statement execute function private.announce_bookmarks();

create function private.find_bookmark_time(p_post uuid) returns timestamptz
language plpgsql stable security definer   -- a cursor stays valid when its bookmark is taken back
set search_path = ''
as $$
begin
  return coalesce(
    (select created_at from app.bookmarks where user_id = app.uid() and post_id = p_post),
    (select created_at from private.removed_bookmarks where user_id = app.uid() and post_id = p_post));
end $$;
comment on function private.find_bookmark_time is
  'Returns when the caller bookmarked a cursor''s post, even if they took the bookmark back within the last day.';

insert into private.operations_of_people (operation) values ('bookmark');

create function api.bookmark(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post uuid := private.require_published_original(p_id);
begin
  perform private.count_writes('bookmarks');
  insert into app.bookmarks (post_id, user_id)
  select p.id, private.require_caller() from app.posts p where p.id = v_post
  on conflict do nothing;
  return private.require_engagement_card(v_post);
end $$;
comment on function api.bookmark is
  'Adds a post (the original of a repost) to the caller''s bookmarks. Repeating it changes nothing, not even the '
  'place in the list. Returns {counters, viewer}.';

create function api.unbookmark(p_id uuid) returns json
language plpgsql volatile
set search_path = ''
as $$
declare
  v_post uuid := private.withdrawal_target(p_id);
begin
  delete from app.bookmarks where post_id = v_post and user_id = private.require_caller();
  if not found then
    perform private.require_post(v_post);
  end if;
  return null;   -- null becomes a 204 response
end $$;
comment on function api.unbookmark is
  'Takes a bookmark back, even of a post that the caller can no longer see; repeating it changes nothing.';

create function private.find_bookmarks(p_from app.place) returns app.found
language plpgsql stable security definer   -- a policy could make the query scan any number of hidden posts
set search_path = ''
as $$
declare
  v_me     uuid := app.uid();
  v_from   timestamptz := p_from.at;
  v_before uuid := p_from.id;
  v_found  app.found;
begin
  with looked as materialized (
    select b.created_at as at, b.post_id as id
    from app.bookmarks b
    where b.user_id = v_me and (b.created_at, b.post_id) < (v_from, v_before)
    order by b.created_at desc, b.post_id desc limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_posts p on p.id = l.id
                 order by l.at desc, l.id desc limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('bookmarks', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_bookmarks is
  'The next bookmarked posts that the caller may still see, among their next 400 bookmarks.';
call private.force_index_scans('private.find_bookmarks');

create function api.list_bookmarks(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_from  app.place := ('infinity', private.require_caller())::app.place;   -- no row has this time, so any id works
  v_found app.found;
begin
  if p_cursor is not null then
    v_from := private.require_place('bookmarks', p_cursor);
    v_from.at := coalesce(v_from.at, private.find_bookmark_time(v_from.id));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_bookmarks(v_from);
  p_limit := private.count_fitting_posts(v_found.ids, p_limit);
  return private.page_of_texts(private.post_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_bookmarks is
  'The caller''s bookmarks, newest first, without posts that they can no longer see.';
