-- How scheduled posts wait, and how each is published, once. docs/decisions.md, Posts.

create function private.publish_post(p_post uuid) returns void
language plpgsql volatile
set search_path = ''
as $$
declare
  v_author uuid;
begin
  update app.posts set published_at = now(), scheduled_emitted_at = now()
  where id = p_post and published_at is null and deleted_at is null
  returning author_id into v_author;
  if found then
    perform private.emit('posts.post.published', json_build_object('postId', p_post, 'authorId', v_author),
                         array[v_author]);
  end if;
end $$;
comment on function private.publish_post is
  'Publishes a scheduled post and emits posts.post.published. Does nothing if it is already published. The function '
  'is for definer functions.';

create function private.publish_now(p_post uuid) returns void
language plpgsql volatile security definer   -- callers may not write published_at
set search_path = ''
as $$
begin
  if exists (select from app.posts where id = p_post and author_id = app.uid()) then
    if not private.may_publish_in((select space_id from app.posts where id = p_post), app.uid()) then
      perform private.raise_error('space_archived');   -- for people who are no longer members, the post is unknown
    end if;
    perform private.publish_post(p_post);
    update app.posts set publish_at = null where id = p_post;
  end if;
end $$;
comment on function private.publish_now is 'Publishes the caller''s own scheduled post before its time.';

create function private.job_publish_scheduled() returns integer
language plpgsql volatile security definer   -- the worker has no access to Kith's tables
set search_path = ''
as $$
declare
  c_waits constant text := 'published_at is null and deleted_at is null and not author_banned';
  v_post   uuid;
  v_author uuid;
  v_space  uuid;
  v_may    boolean;
begin
  -- publish one post per transaction, so that the job locks no more than an author who publishes
  select p.id, p.author_id, p.space_id, private.may_publish_in(p.space_id, p.author_id)
  into v_post, v_author, v_space, v_may
  from app.posts p join app.users u on u.id = p.author_id
  where p.published_at is null and p.deleted_at is null and greatest(p.publish_at, p.publish_again_at) <= now()
    and not p.author_banned and u.banned_at is null and u.erased_at is null
  order by greatest(p.publish_at, p.publish_again_at) limit 1
  for update of p skip locked;
  if not found then
    return 0;
  elsif not v_may then
    -- Postpone the post, so that later calls need not check posts whose author has left the space. Also postpone up to
    -- 500 other due posts of the author in that space; otherwise each call would postpone only one of thousands.
    update app.posts set publish_again_at = clock_timestamp() + interval '15 minutes'
    where id = v_post or ctid = any (array(
      select ctid from app.posts
      where author_id = v_author and published_at is null and deleted_at is null and not author_banned
        and greatest(publish_at, publish_again_at) <= now() and space_id = v_space
      order by greatest(publish_at, publish_again_at) limit 500 for update skip locked));
    return 1;
  end if;
  begin
    perform private.publish_post(v_post);
  exception when others or query_canceled then   -- "others" does not include a timeout
    raise warning 'the scheduled post % could not be published: % %', v_post, sqlstate, sqlerrm;
    update app.posts set publish_again_at = clock_timestamp() + interval '5 seconds' where id = v_post;
    return -1;
  end;
  -- call this last, because it locks other posts
  perform private.yield_turn('app.posts', 'author_id', v_author, c_waits, 'greatest(publish_at, publish_again_at)',
                           'publish_again_at');
  return 1;
end $$;
comment on function private.job_publish_scheduled is
  'Job: publishes the scheduled post that has been due the longest, unless its author is banned or erased, and '
  'returns 1. Of the author''s other due posts, 100 keep their turn, and the 500 after them yield to posts of others. '
  'If publishing fails, the job puts the post behind the other due posts and returns -1. A later run tries it '
  'again, after 5 seconds at the earliest. If the author has left the space of the post, or the space is archived, '
  'the job postpones the post by 15 minutes, together with up to 500 other due posts of the author in that space. '
  'May run twice: it takes only due posts, each once, and skips locked ones. The worker repeats it until it returns '
  '0, which means that no post is due.';
insert into private.jobs (name, cron, expires, repeats) values ('publish-scheduled', '* * * * *', 60, true);

create function private.find_scheduled_time(p_post uuid) returns timestamptz
language plpgsql stable security definer   -- a cursor stays valid when its post is deleted
set search_path = ''
as $$
begin
  return (select coalesce(publish_at, scheduled_emitted_at)
          from app.posts where id = p_post and author_id = app.uid());
end $$;
comment on function private.find_scheduled_time is
  'The time of a cursor''s post among the caller''s scheduled posts, even if it has been published or deleted, but '
  'never of another person''s post. For a post that was published early, it is the time of publication.';

create function private.find_scheduled(p_after timestamptz, p_id uuid) returns app.found
language plpgsql stable security definer   -- under a policy, the scan would have no limit
set search_path = ''
as $$
declare
  v_me    uuid := private.require_caller();
  v_found app.found;
begin
  with looked as materialized (
    select publish_at as at, id from app.posts
    where author_id = v_me and published_at is null and deleted_at is null and (publish_at, id) > (p_after, p_id)
    order by publish_at, id limit 400
  ), seen as materialized (
    select array(select l.id from looked l join private.visible_posts p on p.id = l.id
                 order by l.at, l.id limit 51) as ids
  )
  select s.ids, case when cardinality(s.ids) < 51
                     then (select private.place_cursor('scheduled', l.at, l.id)
                           from (select * from looked offset 399 limit 1) l) end
  into v_found from seen s;
  return v_found;
end $$;
comment on function private.find_scheduled is
  'The caller''s next scheduled posts that they see, among the next 400.';
call private.force_index_scans('private.find_scheduled');

create function api.list_scheduled_posts(p_limit integer default 20, p_cursor text default null) returns json
language plpgsql stable
set search_path = ''
as $$
declare
  v_me    uuid := private.require_caller();
  v_from  app.place := ('-infinity', v_me)::app.place;   -- no row has this time, so any id works
  v_found app.found;
begin
  if p_cursor is not null then
    v_from := private.require_place('scheduled', p_cursor);
    v_from.at := coalesce(v_from.at, private.find_scheduled_time(v_from.id));
    if v_from.at is null then
      perform private.raise_error('cursor_unknown');
    end if;
  end if;
  v_found := private.find_scheduled(v_from.at, v_from.id);
  p_limit := private.count_fitting_posts(v_found.ids, p_limit);
  return private.page_of_texts(private.post_cards(v_found.ids[:p_limit]), v_found.ids::text[], p_limit, v_found.next);
end $$;
comment on function api.list_scheduled_posts is
  'The caller''s scheduled posts that are not yet published, soonest first.';
